//! How is an archive written? In one read transaction and as one stream: the pages in the order of their URLs, of each its
//! contents that were not there yet, newest first, what is known of it, and its steps; so that what is alike is near.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::io::{self, BufWriter, Write};

use treediff::delta::Identities;
use zstd::stream::write::Encoder;
use zstd::zstd_safe::CParameter;

use super::Exported;
use super::kept::Kept;
use super::lines::{self, Break, Head, ReaderLine, Time};
use super::names::{Key, Name, StepForm};
use super::tar::Writer;
use crate::engine::{Database, Row, Transaction, values};
use crate::frames::Frames;
use crate::history::{self, page_of};
use crate::page::PageId;
use crate::readers::rows::{BookmarkRow, SeenRow};
use crate::steps::Step;
use crate::verify::Hurt;
use crate::{Address, Error, Fault, Page, ReaderId, Result, time_of};

/// Pages and readers that are listed at once.
const AT_ONCE: i64 = 500;
/// Beyond it twice the time saves a hundredth.
const LEVEL: i32 = 9;
/// How far back the compression sees, as a power of two: a large document of which the next version stands before it. It is
/// also what an export takes in memory, however many pages there are; twice of it saved nothing on the corpus or on 100,000
/// pages, and `zstd` reads up to that without being asked to.
const WINDOW: u32 = 26;

pub(super) fn export(database: &Database, out: impl Write, mut progress: impl FnMut(&Page)) -> Result<Exported> {
    let archive = archive(out)?;
    let (archive, exported) = database.read(|transaction| {
        let exported = count(transaction)?;
        let mut exporter = Exporter::new(transaction, archive, None);
        exporter.everything(exported, &mut progress)?;
        Ok((exporter.archive, exported))
    })?;
    finish(archive).map_err(Error::Stream)?;
    Ok(exported)
}

/// What can be exported where something is hurt, and what was left out.
pub(super) fn export_unhurt(
    database: &Database,
    out: impl Write,
    mut progress: impl FnMut(&Page),
) -> Result<(Exported, Vec<Fault>)> {
    let archive = archive(out)?;
    let (archive, exported, hurt) = database.read(|transaction| {
        // An archive begins with how much is in it, so that it is written twice, once to nobody.
        let mut survey = Exporter::new(transaction, Writer::new(io::sink()), Some(Hurt::default()));
        survey.everything(Exported::default(), &mut |_| ())?;
        let exported = survey.exported;
        let mut exporter = Exporter::new(transaction, archive, Some(Hurt::default()));
        exporter.everything(exported, &mut progress)?;
        if exporter.exported != exported {
            return Err(Error::damaged("the disk", "what is read from it is not the same each time"));
        }
        Ok((exporter.archive, exported, exporter.hurt.unwrap_or_default()))
    })?;
    finish(archive).map_err(Error::Stream)?;
    Ok((exported, hurt.into_faults()))
}

type Archive<W> = Writer<BufWriter<Encoder<'static, W>>>;

fn archive<W: Write>(out: W) -> Result<Archive<W>> {
    Ok(Writer::new(BufWriter::new(encoder(out).map_err(Error::Stream)?)))
}

fn finish<W: Write>(archive: Archive<W>) -> io::Result<()> {
    let encoder = archive.finish()?.into_inner().map_err(|error| error.into_error())?;
    encoder.finish()?.flush()
}

fn encoder<W: Write>(out: W) -> io::Result<Encoder<'static, W>> {
    let mut encoder = Encoder::new(out, LEVEL)?;
    encoder.include_checksum(true)?;
    encoder.set_parameter(CParameter::EnableLongDistanceMatching(true))?;
    encoder.set_parameter(CParameter::WindowLog(WINDOW))?;
    Ok(encoder)
}

fn count(transaction: &mut Transaction<'_>) -> Result<Exported> {
    let mut count = |sql| transaction.number(sql, &[]).map(|count| count as u64);
    Ok(Exported {
        pages: count("SELECT count(*) FROM page")?,
        versions: count("SELECT count(*) FROM version")?,
        contents: count("SELECT count(DISTINCT content) FROM version")?,
        readers: count("SELECT count(*) FROM reader")?,
    })
}

struct Exporter<'t, 'd, W: Write> {
    transaction: &'t mut Transaction<'d>,
    archive: Writer<W>,
    frames: Frames,
    /// Contents that have been written and will be met again: few have more than one version.
    written: HashSet<i64>,
    /// How much has been written.
    exported: Exported,
    /// What was left out; none where nothing may be.
    hurt: Option<Hurt>,
    /// The versions that were written of pages of which not all were.
    incomplete: HashMap<PageId, BTreeSet<u32>>,
}

impl<'t, 'd, W: Write> Exporter<'t, 'd, W> {
    fn new(transaction: &'t mut Transaction<'d>, archive: Writer<W>, hurt: Option<Hurt>) -> Self {
        let (frames, exported) = (Frames::default(), Exported::default());
        let (written, incomplete) = (HashSet::new(), HashMap::new());
        Exporter { transaction, archive, frames, written, exported, hurt, incomplete }
    }

    fn everything(&mut self, expected: Exported, progress: &mut impl FnMut(&Page)) -> Result<()> {
        self.head(expected)?;
        self.pages(progress)?;
        self.readers()
    }

    fn entry(&mut self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.archive.entry(&name.to_string(), bytes).map_err(Error::Stream)
    }

    /// What is whole; nothing where it is not, and may be left out.
    fn unless_hurt<T>(&mut self, found: Result<T>) -> Result<Option<T>> {
        match (found, &mut self.hurt) {
            (Ok(found), _) => Ok(Some(found)),
            (Err(error), Some(hurt)) => hurt.take(error).map(|()| None),
            (Err(error), None) => Err(error),
        }
    }

    fn head(&mut self, exported: Exported) -> Result<()> {
        let Exported { pages, versions, contents, readers } = exported;
        let format = Head::FORMAT.to_owned();
        let mut bytes = Vec::new();
        lines::write(&mut bytes, &Head { format, version: Head::VERSION, pages, versions, contents, readers })?;
        self.entry(&Name::Head, &bytes)
    }

    fn pages(&mut self, progress: &mut impl FnMut(&Page)) -> Result<()> {
        let sql = "SELECT key, id, url, method, body, canonical, latest FROM page \
                   WHERE substr(url, 1, 500) >= substr($1, 1, 500) AND url >= $1 AND (url > $1 OR key > $2) \
                   ORDER BY substr(url, 1, 500), url, key LIMIT $3";
        let mut last = (String::new(), Vec::new());
        loop {
            let values = values![&*last.0, &*last.1, AT_ONCE];
            let pages: Vec<(Vec<u8>, Page)> =
                self.transaction.all(sql, values, |mut row| Ok((row.take()?, page_of(row)?)))?;
            let Some((key, page)) = pages.last() else { return Ok(()) };
            last = (page.address.url().to_owned(), key.clone());
            for (key, page) in &pages {
                let kept = self.kept(key, page);
                match self.unless_hurt(kept.map_err(|error| error.at(page.address.to_string())))? {
                    Some(kept) => self.page(page, &kept)?,
                    None => _ = self.incomplete.insert(page.id, BTreeSet::new()),
                }
                progress(page);
            }
        }
    }

    /// What of a page can be written.
    fn kept(&mut self, key: &[u8], page: &Page) -> Result<Kept> {
        if key != page.address.key() {
            return Err(Error::damaged("its address", "it is not the one that was recorded"));
        }
        match &mut self.hurt {
            Some(hurt) => Kept::unhurt(self.transaction, page, hurt),
            None => Kept::all(self.transaction, page),
        }
    }

    fn page(&mut self, page: &Page, kept: &Kept) -> Result<()> {
        let shared = self.shared(page)?;
        for version in kept.versions.iter().rev() {
            if shared.contains(&version.content) && !self.written.insert(version.content) {
                continue;
            }
            let place = || format!("version {} of {}", version.number, page.address);
            let bytes = history::content(self.transaction, &mut self.frames, version);
            let bytes = bytes.map_err(|error| error.at(place()))?;
            self.entry(&Name::Content(version.hash), &bytes)?;
            self.exported.contents += 1;
        }
        let key = Key(page.address.key());
        let mut bytes = Vec::new();
        for line in lines::of_page(page, kept)? {
            lines::write(&mut bytes, &line)?;
        }
        self.entry(&Name::Page(key), &bytes)?;
        let mut has_tree = false;
        for version in &kept.versions {
            let number = version.number;
            let place = || format!("the step to version {number} of {}", page.address);
            let step = match kept.breaks.get(&number) {
                Some(identities) => Ok(Some((StepForm::Break, break_entry(identities)?))),
                None => self.step(page, number),
            };
            match step.map_err(|error| error.at(place()))? {
                Some((form, bytes)) => self.entry(&Name::Step { page: key, number, form }, &bytes)?,
                None if has_tree => return Err(Error::damaged(place(), "it is not there")),
                None => {}
            }
            has_tree |= version.details.tree.is_some();
        }
        self.exported.pages += 1;
        self.exported.versions += kept.versions.len() as u64;
        if !kept.is_complete {
            self.incomplete.insert(page.id, kept.versions.iter().map(|version| version.number).collect());
        }
        Ok(())
    }

    /// The contents of a page that more than one version has, be it of another page.
    fn shared(&mut self, page: &Page) -> Result<HashSet<i64>> {
        let sql = "SELECT v.content FROM version v JOIN version o ON o.content = v.content WHERE v.page = $1 \
                   GROUP BY v.content HAVING count(*) > 1";
        Ok(self.transaction.all(sql, values![page.id], |mut row| row.take())?.into_iter().collect())
    }

    fn step(&mut self, page: &Page, number: u32) -> Result<Option<(StepForm, Vec<u8>)>> {
        let bytes = history::step_bytes(self.transaction, &mut self.frames, page.id, number)?;
        bytes.map(|bytes| step_entry(&bytes)).transpose()
    }

    fn readers(&mut self) -> Result<()> {
        let mut last = String::new();
        loop {
            let sql = "SELECT id FROM reader WHERE id > $1 ORDER BY id LIMIT $2";
            let readers: Vec<String> = self.transaction.all(sql, values![&*last, AT_ONCE], |mut row| row.take())?;
            let Some(end) = readers.last() else { return Ok(()) };
            last.clone_from(end);
            for reader in readers {
                let id = reader.parse().map_err(|_| Error::damaged(format!("reader {reader}"), "that is no id"));
                if let Some(id) = self.unless_hurt(id)? {
                    self.reader(&id)?;
                    self.exported.readers += 1;
                }
            }
        }
    }

    fn reader(&mut self, reader: &ReaderId) -> Result<()> {
        let sql = "SELECT p.url, p.method, p.body, s.reader, s.page, s.number, s.time, s.seal, p.key \
                   FROM seen s JOIN page p ON p.id = s.page WHERE s.reader = $1 ORDER BY p.key";
        let seen = self.transaction.all(sql, values![reader.as_str()], |row| Ok(seen_line(row)))?;
        let sql = "SELECT p.url, p.method, p.body, b.reader, b.page, b.number, b.saved, b.note, b.time, b.seal, p.key \
                   FROM bookmark b JOIN page p ON p.id = b.page WHERE b.reader = $1 ORDER BY p.key, b.number";
        let bookmarks = self.transaction.all(sql, values![reader.as_str()], |row| Ok(bookmark_line(row)))?;
        let mut bytes = Vec::new();
        for found in seen.into_iter().chain(bookmarks) {
            let Some((page, address, line)) = self.unless_hurt(found)? else { continue };
            let line = self.about_exported(reader, page, &address, line);
            if let Some(line) = self.unless_hurt(line)? {
                lines::write(&mut bytes, &line)?;
            }
        }
        self.entry(&Name::Reader(reader.clone()), &bytes)
    }

    /// What a reader has seen or noted, as far as it is about versions that were written.
    fn about_exported(
        &mut self,
        reader: &ReaderId,
        page: PageId,
        address: &Address,
        mut line: ReaderLine,
    ) -> Result<ReaderLine> {
        if self.hurt.is_none() {
            return Ok(line);
        }
        let left_out = |what: String| Error::damaged(what, "the version is left out");
        match &mut line {
            // Who has seen a version has seen those before it.
            ReaderLine::Seen { number, .. } => {
                let latest = self.last_exported(page, u32::MAX)?;
                *number = (*number)
                    .min(latest.ok_or_else(|| left_out(format!("what reader {reader} has seen of {address}")))?);
            }
            ReaderLine::Bookmark { number, .. } => {
                if self.last_exported(page, *number)? != Some(*number) {
                    return Err(left_out(format!("what reader {reader} noted of version {number} of {address}")));
                }
            }
        }
        Ok(line)
    }

    /// The last version of a page that was written, up to a number.
    fn last_exported(&mut self, page: PageId, most: u32) -> Result<Option<u32>> {
        if let Some(kept) = self.incomplete.get(&page) {
            return Ok(kept.range(..=most).next_back().copied());
        }
        let sql = "SELECT max(number) FROM version WHERE page = $1 AND number <= $2";
        Ok(self.transaction.first(sql, values![page, most], |mut row| row.take())?.flatten())
    }
}

fn seen_line(mut row: Row) -> Result<(PageId, Address, ReaderLine)> {
    let address = Address::stored(row.take()?, row.take()?, row.take()?);
    let SeenRow { page, number, time, .. } = SeenRow::take(&mut row, &address)?;
    let line = ReaderLine::Seen { page: key(row.take()?)?, number, time: Time(time_of(time)?) };
    Ok((page, address, line))
}

fn bookmark_line(mut row: Row) -> Result<(PageId, Address, ReaderLine)> {
    let address = Address::stored(row.take()?, row.take()?, row.take()?);
    let BookmarkRow { page, number, is_saved: saved, note, time, .. } = BookmarkRow::take(&mut row, &address)?;
    let line = ReaderLine::Bookmark { page: key(row.take()?)?, number, saved, note, time: Time(time_of(time)?) };
    Ok((page, address, line))
}

fn key(stored: Vec<u8>) -> Result<String> {
    let key = stored.try_into().map_err(|_| Error::damaged("a page", "its key has another length"))?;
    Ok(Key(key).to_string())
}

/// A stored step as it is in an archive.
pub(super) fn step_entry(stored: &[u8]) -> Result<(StepForm, Vec<u8>)> {
    let step = Step::from_bytes(stored)?;
    if let Some(text) = step.delta_text() {
        return Ok((StepForm::Delta, text.as_bytes().to_vec()));
    }
    Ok((StepForm::Break, break_entry(&step.identities()?)?))
}

fn break_entry(identities: &Identities) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    lines::write(&mut bytes, &Break { next: identities.next.0, xids: identities.xids.to_string() })?;
    Ok(bytes)
}
