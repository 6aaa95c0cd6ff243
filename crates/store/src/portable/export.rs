//! How is an archive written? In one read transaction and as one stream: the pages in the order of their URLs, of each its
//! contents that were not there yet, newest first, what is known of it, and its steps; so that what is alike is near.

use std::collections::HashSet;
use std::io::{self, BufWriter, Write};

use zstd::stream::write::Encoder;
use zstd::zstd_safe::CParameter;

use super::Exported;
use super::lines::{self, Break, Head, ReaderLine, Time};
use super::names::{Key, Name, StepForm};
use super::tar::Writer;
use crate::engine::{Database, Transaction, values};
use crate::frames::Frames;
use crate::history::{self, page_of};
use crate::readers::rows::{BookmarkRow, SeenRow};
use crate::steps::Step;
use crate::{Address, Error, Page, ReaderId, Result, time_of};

/// Pages and readers that are listed at once.
const AT_ONCE: i64 = 500;
/// Beyond it twice the time saves a hundredth.
const LEVEL: i32 = 9;
/// How far back the compression sees, as a power of two: a large document of which the next version stands before it. It is
/// also what an export takes in memory, however many pages there are; twice of it saved nothing on the corpus or on 100,000
/// pages, and `zstd` reads up to that without being asked to.
const WINDOW: u32 = 26;

pub(super) fn export(database: &Database, out: impl Write, mut progress: impl FnMut(&Page)) -> Result<Exported> {
    let archive = Writer::new(BufWriter::new(encoder(out).map_err(Error::Stream)?));
    let (archive, exported) = database.read(|transaction| {
        let exported = count(transaction)?;
        let mut exporter = Exporter { transaction, archive, frames: Frames::default(), written: HashSet::new() };
        exporter.head(exported)?;
        exporter.pages(&mut progress)?;
        exporter.readers()?;
        Ok((exporter.archive, exported))
    })?;
    finish(archive).map_err(Error::Stream)?;
    Ok(exported)
}

fn finish<W: Write>(archive: Writer<BufWriter<Encoder<'_, W>>>) -> io::Result<()> {
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
}

impl<W: Write> Exporter<'_, '_, W> {
    fn entry(&mut self, name: &Name, bytes: &[u8]) -> Result<()> {
        self.archive.entry(&name.to_string(), bytes).map_err(Error::Stream)
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
            for (_, page) in &pages {
                self.page(page)?;
                progress(page);
            }
        }
    }

    fn page(&mut self, page: &Page) -> Result<()> {
        let versions = history::versions(self.transaction, page.id)?;
        let shared = self.shared(page)?;
        for version in versions.iter().rev() {
            if shared.contains(&version.content) && !self.written.insert(version.content) {
                continue;
            }
            let place = || format!("version {} of {}", version.number, page.address);
            let bytes = history::content(self.transaction, &mut self.frames, version);
            let bytes = bytes.map_err(|error| error.at(place()))?;
            self.entry(&Name::Content(version.hash), &bytes)?;
        }
        let key = Key(page.address.key());
        let mut bytes = Vec::new();
        for line in lines::of_page(self.transaction, page, &versions)? {
            lines::write(&mut bytes, &line)?;
        }
        self.entry(&Name::Page(key), &bytes)?;
        for version in &versions {
            self.step(page, key, version.number)?;
        }
        Ok(())
    }

    /// The contents of a page that more than one version has, be it of another page.
    fn shared(&mut self, page: &Page) -> Result<HashSet<i64>> {
        let sql = "SELECT v.content FROM version v JOIN version o ON o.content = v.content WHERE v.page = $1 \
                   GROUP BY v.content HAVING count(*) > 1";
        Ok(self.transaction.all(sql, values![page.id], |mut row| row.take())?.into_iter().collect())
    }

    fn step(&mut self, page: &Page, key: Key, number: u32) -> Result<()> {
        let place = || format!("the step to version {number} of {}", page.address);
        let bytes = history::step_bytes(self.transaction, &mut self.frames, page.id, number);
        let Some(bytes) = bytes.map_err(|error| error.at(place()))? else { return Ok(()) };
        let (form, bytes) = step_entry(&bytes)?;
        self.entry(&Name::Step { page: key, number, form }, &bytes)
    }

    fn readers(&mut self) -> Result<()> {
        let mut last = String::new();
        loop {
            let sql = "SELECT id FROM reader WHERE id > $1 ORDER BY id LIMIT $2";
            let readers: Vec<String> = self.transaction.all(sql, values![&*last, AT_ONCE], |mut row| row.take())?;
            let Some(end) = readers.last() else { return Ok(()) };
            last.clone_from(end);
            for reader in readers {
                self.reader(&reader.parse()?)?;
            }
        }
    }

    fn reader(&mut self, reader: &ReaderId) -> Result<()> {
        let sql = "SELECT p.url, p.method, p.body, s.reader, s.page, s.number, s.time, s.seal, p.key \
                   FROM seen s JOIN page p ON p.id = s.page WHERE s.reader = $1 ORDER BY p.key";
        let mut all = self.transaction.all(sql, values![reader.as_str()], |mut row| {
            let address = Address::stored(row.take()?, row.take()?, row.take()?);
            let SeenRow { number, time, .. } = SeenRow::take(&mut row, &address)?;
            Ok(ReaderLine::Seen { page: key(row.take()?)?, number, time: Time(time_of(time)?) })
        })?;
        let sql = "SELECT p.url, p.method, p.body, b.reader, b.page, b.number, b.saved, b.note, b.time, b.seal, p.key \
                   FROM bookmark b JOIN page p ON p.id = b.page WHERE b.reader = $1 ORDER BY p.key, b.number";
        all.extend(self.transaction.all(sql, values![reader.as_str()], |mut row| {
            let address = Address::stored(row.take()?, row.take()?, row.take()?);
            let BookmarkRow { number, is_saved: saved, note, time, .. } = BookmarkRow::take(&mut row, &address)?;
            Ok(ReaderLine::Bookmark { page: key(row.take()?)?, number, saved, note, time: Time(time_of(time)?) })
        })?);
        let mut bytes = Vec::new();
        all.iter().try_for_each(|line| lines::write(&mut bytes, line))?;
        self.entry(&Name::Reader(reader.clone()), &bytes)
    }
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
    let identities = step.identities()?;
    let mut bytes = Vec::new();
    lines::write(&mut bytes, &Break { next: identities.next.0, xids: identities.xids.to_string() })?;
    Ok((StepForm::Break, bytes))
}
