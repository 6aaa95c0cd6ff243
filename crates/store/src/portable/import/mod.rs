//! How is an archive taken? Entry by entry as it comes, in one write transaction; and nothing in it is believed: every
//! hash is computed, every step is walked, and no name of an entry is ever a path.

mod contents;
mod page;
mod readers;
mod steps;

use std::io::{BufRead, BufReader, Read};

use serde::de::DeserializeOwned;
use zstd::stream::read::Decoder;

use self::contents::Contents;
use self::page::OpenPage;
use super::lines::Head;
use super::names::{Key, Name, StepForm};
use super::tar::Reader;
use super::{ImportLimits, Imported};
use crate::engine::{Access, Database, Transaction};
use crate::frames::{Frames, MOST_BYTES};
use crate::{Error, Page, ReaderId, Result};

/// The longest line of JSON. An address has a tenth of it at most; what is made of a line in memory may be thirty times as
/// large.
const LONGEST_LINE: u64 = 16 << 20;
/// The first entry is a few numbers.
const LARGEST_HEAD: u64 = 64 << 10;

pub(super) fn import(
    database: &Database,
    input: impl Read,
    limits: &ImportLimits,
    mut progress: impl FnMut(&Page),
) -> Result<Imported> {
    let unreadable = |error: std::io::Error| refuse("its beginning", &error.to_string());
    let decoder = Decoder::new(input).map_err(unreadable)?.single_frame();
    let mut archive = Reader::new(BufReader::new(decoder), limits.entries, limits.bytes);
    let mut transaction = database.begin(Access::Write)?;
    let mut importer = Importer::new(&mut transaction);
    let head = read_head(&mut archive)?;
    while let Some(name) = archive.next()? {
        let Some(name) = Name::read(&name) else { return Err(archive.refuse("it is no entry of an export")) };
        importer.entry(&mut archive, name, &mut progress)?;
    }
    importer.close_page()?;
    importer.check_counts(&head)?;
    let mut behind = archive.into_inner().into_inner().finish();
    if !behind.fill_buf().map_err(|error| refuse("its end", &error.to_string()))?.is_empty() {
        return Err(refuse("its end", "something follows behind it"));
    }
    let Importer { imported, other_history, .. } = importer;
    if !other_history.is_empty() {
        return Err(Error::OtherHistory { pages: other_history });
    }
    transaction.commit()?;
    Ok(imported)
}

type Archive<R> = Reader<BufReader<Decoder<'static, BufReader<R>>>>;

fn read_head<R: Read>(archive: &mut Archive<R>) -> Result<Head> {
    if archive.next()?.as_deref() != Some(&*Name::Head.to_string()) {
        return Err(archive.refuse("an export begins with `deltaic-archive.json`, and this does not"));
    }
    let bytes = archive.read_all(LARGEST_HEAD)?;
    let is_newer = serde_json::from_slice::<serde_json::Value>(&bytes)
        .is_ok_and(|head| head["version"].as_u64().is_some_and(|version| version > Head::VERSION.into()));
    if is_newer {
        return Err(archive.refuse("a newer deltaic has written it: use a newer deltaic"));
    }
    let head: Head = parse(archive, &bytes)?;
    if head.format != Head::FORMAT || head.version != Head::VERSION {
        return Err(archive.refuse("it is an archive of something else"));
    }
    Ok(head)
}

/// A line of JSON as something.
fn parse<R: Read, T: DeserializeOwned>(archive: &Archive<R>, line: &[u8]) -> Result<T> {
    serde_json::from_slice(line).map_err(|error| archive.refuse(&format!("a line cannot be read: {error}")))
}

fn refuse(entry: &str, why: &str) -> Error {
    Error::Archive { entry: entry.to_owned(), why: why.to_owned() }
}

/// What has been taken so far.
struct Importer<'t, 'd> {
    transaction: &'t mut Transaction<'d>,
    frames: Frames,
    contents: Contents,
    /// The page whose steps are being read.
    page: Option<OpenPage>,
    /// The URL and the key of the last page: they come in order, so that none comes twice.
    last_page: Option<(String, Key)>,
    last_reader: Option<ReaderId>,
    /// Versions of all pages, be they new or not.
    versions: u64,
    other_history: Vec<String>,
    imported: Imported,
}

impl<'t, 'd> Importer<'t, 'd> {
    fn new(transaction: &'t mut Transaction<'d>) -> Self {
        Importer {
            transaction,
            frames: Frames::default(),
            contents: Contents::default(),
            page: None,
            last_page: None,
            last_reader: None,
            versions: 0,
            other_history: Vec::new(),
            imported: Imported::default(),
        }
    }

    fn entry<R: Read>(&mut self, archive: &mut Archive<R>, name: Name, progress: &mut impl FnMut(&Page)) -> Result<()> {
        if self.last_reader.is_some() && !matches!(name, Name::Reader(_)) {
            return Err(archive.refuse("it comes behind the readers, which are the last"));
        }
        match name {
            Name::Head => Err(archive.refuse("it is there twice")),
            Name::Content(hash) => {
                self.close_page()?;
                let bytes = archive.read_all(MOST_BYTES as u64)?;
                if blake3::hash(&bytes) != hash {
                    return Err(archive.refuse("its bytes have another hash than its name says"));
                }
                let is_new = self.contents.take(self.transaction, hash, bytes)?;
                let is_new = is_new.ok_or_else(|| archive.refuse("it is there twice"))?;
                self.imported.contents += u64::from(is_new);
                Ok(())
            }
            Name::Page(key) => {
                self.close_page()?;
                let page = self.open_page(archive, key)?;
                progress(page);
                Ok(())
            }
            Name::Step { page, number, form } => {
                let bytes = archive.read_all(MOST_BYTES as u64)?;
                self.step(page, number, form, &bytes).map_err(|why| why.at(|why| archive.refuse(why)))
            }
            Name::Reader(reader) => {
                self.close_page()?;
                self.reader(archive, reader)
            }
        }
    }

    fn step(&mut self, key: Key, number: u32, form: StepForm, bytes: &[u8]) -> Result<(), Refusal> {
        let page = self.page.as_mut().filter(|page| page.key == key);
        let page = page.ok_or_else(|| Refusal::new("it is no step of the page before it"))?;
        page.step(self.transaction, &mut self.frames, number, form, bytes)
    }

    /// No more steps of the page come.
    fn close_page(&mut self) -> Result<()> {
        let Some(page) = self.page.take() else { return Ok(()) };
        let entry = Name::Page(page.key).to_string();
        let address = page.address.to_string();
        let is_same = page.close(self.transaction, &mut self.frames);
        if !is_same.map_err(|why| why.at(|why| refuse(&entry, why)))? {
            self.other_history.push(address);
        }
        Ok(())
    }

    /// Whether the archive has all that its head says.
    fn check_counts(&self, head: &Head) -> Result<()> {
        let Imported { pages, known_pages, readers, .. } = self.imported;
        let counts = [
            ("pages", head.pages, pages + known_pages),
            ("versions", head.versions, self.versions),
            ("contents", head.contents, self.contents.count()),
            ("readers", head.readers, readers),
        ];
        match counts.iter().find(|(_, said, found)| said != found) {
            Some((what, said, found)) => {
                let why = format!("it says that there are {said} {what}, and there are {found}");
                Err(refuse(&Name::Head.to_string(), &why))
            }
            None if !self.contents.waiting().is_empty() => {
                Err(refuse("its end", "contents are there that no page has"))
            }
            None => Ok(()),
        }
    }
}

/// Why an entry is refused, or what the store says instead.
#[derive(Debug)]
enum Refusal {
    Wrong(String),
    Store(Error),
}

impl Refusal {
    fn new(why: impl Into<String>) -> Self {
        Refusal::Wrong(why.into())
    }

    /// The error, once it is known which entry it is about.
    fn at(self, refuse: impl FnOnce(&str) -> Error) -> Error {
        match self {
            Refusal::Wrong(why) => refuse(&why),
            Refusal::Store(error) => error,
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Refusal::Store(error)
    }
}
