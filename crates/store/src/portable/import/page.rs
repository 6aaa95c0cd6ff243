//! How is a page taken? Its lines are checked one by one; of a new page they are written, and of one that is here already
//! they are compared.

use std::collections::HashSet;
use std::io::Read;

use url::Url;

use super::contents::Contents;
use super::steps::Walk;
use super::{Archive, Importer, LONGEST_LINE, Refusal, parse};
use crate::engine::{Transaction, values};
use crate::frames::Frames;
use crate::history;
use crate::portable::export::step_entry;
use crate::portable::kept::Kept;
use crate::portable::lines::{self, Line, PageLine, Time, VersionLine, VisitsLine};
use crate::portable::names::{Key, StepForm};
use crate::record::prepare::{CheckIn, NewVersion};
use crate::record::visits::{Log, Visits};
use crate::record::{self, commit};
use crate::{Address, Error, Page, Result, Version, milliseconds};

/// The highest number of a version: others come behind it.
const HIGHEST_NUMBER: u32 = i32::MAX as u32;
/// Longer canonical addresses are not recorded either.
const LONGEST_CANONICAL: usize = 1000;

/// A page whose steps may still come.
pub(super) struct OpenPage {
    pub(super) key: Key,
    pub(super) address: Address,
    page: Page,
    kind: Kind,
}

enum Kind {
    New(Box<Walk>),
    /// It was here already: whether all is the same so far, and how many steps were compared.
    Known {
        is_same: bool,
        steps: i64,
    },
}

impl Importer<'_, '_> {
    /// Reads the lines of a page.
    pub(super) fn open_page<R: Read>(&mut self, archive: &mut Archive<R>, key: Key) -> Result<&Page> {
        let Some(first) = archive.read_line(LONGEST_LINE)? else { return Err(archive.refuse("it is empty")) };
        let Line::Page(line) = parse(archive, &first)? else {
            return Err(archive.refuse("it does not begin with the page"));
        };
        let address = check_page(&line, key).map_err(|why| why.at(|why| archive.refuse(why)))?;
        let place = Some((line.url.clone(), key));
        if place <= self.last_page {
            return Err(archive.refuse("pages are out of order, or one is there twice"));
        }
        self.last_page = place;
        let mut checks = Checks::new(self.contents.next_page());
        let open = match history::page(self.transaction, &address)? {
            Some(page) => self.known_page(archive, &mut checks, page, line, key),
            None => self.new_page(archive, &mut checks, address, line, key),
        }?;
        self.versions += checks.dated.len() as u64;
        if !checks.waiting.is_empty() {
            return Err(archive.refuse("before it there are contents that no version of it has"));
        }
        Ok(&self.page.insert(open).page)
    }

    fn new_page<R: Read>(
        &mut self,
        archive: &mut Archive<R>,
        checks: &mut Checks,
        address: Address,
        line: PageLine,
        key: Key,
    ) -> Result<OpenPage> {
        let check_in = CheckIn { canonical: line.canonical.clone(), ..CheckIn::of(address.clone()) };
        let id = commit::make_page(self.transaction, &check_in, 0)?.ok_or(Error::Conflict)?;
        let mut log = Log::open(self.transaction, id)?;
        while let Some(line) = archive.read_line(LONGEST_LINE)? {
            let checked = checks.line(&parse(archive, &line)?, &self.contents);
            match checked.map_err(|why| why.at(|why| archive.refuse(why)))? {
                Checked::Version(version) => {
                    if !commit::write_version(self.transaction, id, &check_in, &version, &[])? {
                        return Err(archive.refuse("a version has no content"));
                    }
                }
                Checked::Visits(visits) => {
                    for time in visits.times.iter().copied().map(milliseconds) {
                        log.note(self.transaction, visits.number, visits.trouble.as_deref(), time)?;
                    }
                }
            }
        }
        log.close(self.transaction)?;
        let latest = checks.latest();
        if latest == 0 && line.canonical.is_some() {
            return Err(archive.refuse("a page without a version has a canonical address"));
        }
        let versions = history::versions(self.transaction, id)?;
        let canonical = self.canonical(&address, versions.last())?;
        let sql = "UPDATE page SET latest = $1, canonical = $2 WHERE id = $3";
        self.transaction.execute(sql, values![latest, canonical.as_deref(), id])?;
        self.imported.pages += 1;
        self.imported.versions += checks.dated.len() as u64;
        let page = Page { id, address: address.clone(), canonical, latest };
        Ok(OpenPage { key, address, page, kind: Kind::New(Box::new(Walk::new(id, versions))) })
    }

    /// What the latest version says, whatever the archive does.
    fn canonical(&mut self, address: &Address, latest: Option<&Version>) -> Result<Option<String>> {
        let Some(latest) = latest else { return Ok(None) };
        let content = history::content(self.transaction, &mut Frames::default(), latest)?;
        let document = record::document(&latest.details, &content);
        Ok(document.as_deref().and_then(|document| record::canonical(document, address)))
    }

    fn known_page<R: Read>(
        &mut self,
        archive: &mut Archive<R>,
        checks: &mut Checks,
        page: Page,
        line: PageLine,
        key: Key,
    ) -> Result<OpenPage> {
        let mut here = lines::of_page(&page, &Kept::all(self.transaction, &page)?)?.into_iter();
        let mut is_same = here.next() == Some(Line::Page(line));
        while let Some(line) = archive.read_line(LONGEST_LINE)? {
            let line = parse(archive, &line)?;
            checks.line(&line, &self.contents).map_err(|why| why.at(|why| archive.refuse(why)))?;
            is_same &= here.next() == Some(line);
        }
        is_same &= here.next().is_none();
        self.imported.known_pages += 1;
        let address = page.address.clone();
        Ok(OpenPage { key, address, page, kind: Kind::Known { is_same, steps: 0 } })
    }
}

impl OpenPage {
    /// The next step of the page.
    pub(super) fn step(
        &mut self,
        transaction: &mut Transaction<'_>,
        frames: &mut Frames,
        number: u32,
        form: StepForm,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        match &mut self.kind {
            Kind::New(walk) => walk.step(transaction, frames, number, form, bytes),
            Kind::Known { is_same, steps } => {
                let here = history::step_bytes(transaction, frames, self.page.id, number)?;
                let here = here.map(|here| step_entry(&here)).transpose()?;
                *is_same &= here.is_some_and(|here| here.0 == form && here.1 == bytes);
                *steps += 1;
                Ok(())
            }
        }
    }

    /// Makes sure that nothing is missing; false where the page is known with another history.
    pub(super) fn close(self, transaction: &mut Transaction<'_>, frames: &mut Frames) -> Result<bool, Refusal> {
        match self.kind {
            Kind::New(mut walk) => walk.finish(transaction, frames).map(|()| true),
            Kind::Known { is_same, steps } => {
                let sql = "SELECT count(*) FROM step WHERE page = $1";
                Ok(is_same && transaction.number(sql, values![self.page.id])? == steps)
            }
        }
    }
}

fn check_page(line: &PageLine, key: Key) -> Result<Address, Refusal> {
    let address = line.address().map_err(|error| Refusal::new(error.to_string()))?;
    if Key(address.key()) != key {
        return Err(Refusal::new(format!("its name is not the key of `{address}`")));
    }
    let is_canonical = |url: &String| {
        url.chars().count() <= LONGEST_CANONICAL && Url::parse(url).is_ok_and(|normal| normal.as_str() == url)
    };
    if !line.canonical.as_ref().is_none_or(is_canonical) {
        return Err(Refusal::new("its canonical address is none"));
    }
    Ok(address)
}

/// What the lines of a page were so far.
struct Checks {
    waiting: HashSet<blake3::Hash>,
    /// The versions and their times.
    dated: Vec<(u32, Time)>,
    /// What the last checks found.
    found: Option<u32>,
}

/// A line that is what it should be.
enum Checked {
    Version(NewVersion),
    Visits(Visits),
}

impl Checks {
    fn new(waiting: HashSet<blake3::Hash>) -> Self {
        Checks { waiting, dated: Vec::new(), found: None }
    }

    fn latest(&self) -> u32 {
        self.dated.last().map_or(0, |(number, _)| *number)
    }

    fn line(&mut self, line: &Line, contents: &Contents) -> Result<Checked, Refusal> {
        match line {
            Line::Version(line) if self.found.is_none() => self.version(line, contents).map(Checked::Version),
            Line::Visits(line) => self.visits(line).map(Checked::Visits),
            Line::Page(_) | Line::Version(_) => Err(Refusal::new("its lines are out of order")),
        }
    }

    fn version(&mut self, line: &VersionLine, contents: &Contents) -> Result<NewVersion, Refusal> {
        let &VersionLine { number, time, status, .. } = line;
        let wrong = |why: &str| Refusal::new(format!("version {number}: {why}"));
        if self.dated.last().is_some_and(|(last, last_time)| number <= *last || time < *last_time) {
            return Err(wrong("versions are out of order"));
        }
        if !(1..=HIGHEST_NUMBER).contains(&number) || !(200..300).contains(&status) {
            return Err(wrong("no version has such a number or status"));
        }
        let hash = blake3::Hash::from_hex(&line.hash).ok().filter(|hash| *hash.to_hex() == *line.hash);
        let hash = hash.ok_or_else(|| wrong("its hash is none"))?;
        if !contents.has(hash) {
            return Err(wrong("its content is not there"));
        }
        let details = line.details().ok_or_else(|| wrong("its details are none"))?;
        self.waiting.remove(&hash);
        self.dated.push((number, time));
        let time = milliseconds(time.0);
        Ok(NewVersion { number, time, status, hash, content: None, details, step: None })
    }

    fn visits(&mut self, line: &VisitsLine) -> Result<Visits, Refusal> {
        if line.number > self.latest() || (line.number == 0 && line.trouble.is_none()) {
            return Err(Refusal::new(format!("checks found a version {}, which is not there", line.number)));
        }
        if line.trouble.as_ref().is_some_and(|trouble| trouble.contains('\0')) {
            return Err(Refusal::new("what went wrong at a check has a NUL in it"));
        }
        // The version that was found may be gone; those before it are older still.
        let known = &self.dated[..self.dated.partition_point(|(number, _)| *number <= line.number)];
        let is_early = known.last().is_some_and(|(_, time)| line.time < *time);
        if is_early || self.found.replace(line.number).is_some_and(|found| line.number < found) {
            return Err(Refusal::new(format!("the checks that found version {} are out of order", line.number)));
        }
        line.visits().ok_or_else(|| Refusal::new("checks are beyond all times"))
    }
}
