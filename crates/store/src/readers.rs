//! Who has seen what? Readers are numbers that say nothing of the people behind them: the archive does not know who reads.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::engine::{Transaction, values};
use crate::history::{known_page, page_of};
use crate::page::PageId;
use crate::{Address, Error, Page, Result, Store, milliseconds, time_of};

/// The most bytes of a note.
pub(crate) const LONGEST_NOTE: usize = 100_000;

/// A reader, known by nothing but this.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ReaderId(String);

impl ReaderId {
    /// The reader of a store that has only one.
    pub fn only() -> Self {
        ReaderId("0".into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ReaderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ReaderId {
    type Err = Error;

    /// Ids are up to 32 hexadecimal digits: names and addresses of people are none.
    fn from_str(text: &str) -> Result<Self> {
        let is_id =
            (1..=32).contains(&text.len()) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let help = "readers are known by up to 32 digits of 0-9 and a-f, not by their names";
        if is_id {
            Ok(ReaderId(text.to_owned()))
        } else {
            Err(Error::Invalid(format!("`{text}` is no reader: {help}")))
        }
    }
}

/// What a reader made of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    /// The page.
    pub address: Address,
    /// The version.
    pub number: u32,
    /// Whether the version is saved: nothing drops it then.
    pub is_saved: bool,
    /// What the reader noted.
    pub note: String,
    /// When.
    pub time: Timestamp,
}

/// A page that has changed since a reader last looked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct News {
    /// The page, with its latest version.
    pub page: Page,
    /// The version that the reader has seen last.
    pub seen: u32,
    /// When the latest version came.
    pub time: Timestamp,
}

impl Store {
    /// Notes that a reader has seen a version; having seen a later one before is not forgotten.
    pub fn see(&self, reader: &ReaderId, address: &Address, number: u32, time: Timestamp) -> Result<()> {
        self.database.write(|transaction| {
            let page = known_version(transaction, address, number)?;
            know_reader(transaction, reader)?;
            note_seen(transaction, reader, page, number, time)
        })
    }

    /// Marks a version, or saves it with a note.
    pub fn bookmark(
        &self,
        reader: &ReaderId,
        address: &Address,
        number: u32,
        is_saved: bool,
        note: &str,
        time: Timestamp,
    ) -> Result<()> {
        if note.contains('\0') {
            return Err(Error::Invalid("a note cannot have a NUL in it".into()));
        }
        if note.len() > LONGEST_NOTE {
            return Err(Error::TooLarge { what: "a note".into(), limit: LONGEST_NOTE as u64 });
        }
        self.database.write(|transaction| {
            let page = known_version(transaction, address, number)?;
            know_reader(transaction, reader)?;
            let sql = "INSERT INTO bookmark (reader, page, number, saved, note, time) VALUES ($1, $2, $3, $4, $5, $6) \
                       ON CONFLICT (reader, page, number) DO UPDATE SET saved = excluded.saved, note = excluded.note, \
                       time = excluded.time";
            let saved = i64::from(is_saved);
            transaction.execute(sql, values![reader.as_str(), page, number, saved, note, milliseconds(time)])?;
            Ok(())
        })
    }

    /// Takes a bookmark away; whether there was one.
    pub fn remove_bookmark(&self, reader: &ReaderId, address: &Address, number: u32) -> Result<bool> {
        self.database.write(|transaction| {
            let page = known_page(transaction, address)?;
            let sql = "DELETE FROM bookmark WHERE reader = $1 AND page = $2 AND number = $3";
            Ok(transaction.execute(sql, values![reader.as_str(), page.id, number])? > 0)
        })
    }

    /// What a reader has marked and saved, newest first.
    pub fn bookmarks(&self, reader: &ReaderId) -> Result<Vec<Bookmark>> {
        let sql = "SELECT p.url, p.method, p.body, b.number, b.saved, b.note, b.time \
                   FROM bookmark b JOIN page p ON p.id = b.page WHERE b.reader = $1 ORDER BY b.time DESC, p.url, b.number";
        self.database.read(|transaction| {
            transaction.all(sql, values![reader.as_str()], |mut row| {
                Ok(Bookmark {
                    address: Address::stored(row.take()?, row.take()?, row.take()?),
                    number: row.take()?,
                    is_saved: row.take::<i64>()? != 0,
                    note: row.take()?,
                    time: time_of(row.take()?)?,
                })
            })
        })
    }

    /// The pages that have changed since a reader last looked, those with the newest versions first. Pages at which the
    /// reader has never looked are none of them.
    pub fn news(&self, reader: &ReaderId) -> Result<Vec<News>> {
        let sql = "SELECT s.number, v.time, p.id, p.url, p.method, p.body, p.canonical, p.latest \
                   FROM seen s JOIN page p ON p.id = s.page AND p.latest > s.number \
                   JOIN version v ON v.page = p.id AND v.number = p.latest \
                   WHERE s.reader = $1 ORDER BY v.time DESC, p.url";
        self.database.read(|transaction| {
            transaction.all(sql, values![reader.as_str()], |mut row| {
                Ok(News { seen: row.take()?, time: time_of(row.take()?)?, page: page_of(row)? })
            })
        })
    }
}

/// The version that a reader has seen last.
pub(crate) fn seen(transaction: &mut Transaction<'_>, reader: &ReaderId, page: PageId) -> Result<Option<u32>> {
    let sql = "SELECT number FROM seen WHERE reader = $1 AND page = $2";
    transaction.first(sql, values![reader.as_str(), page], |mut row| row.take())
}

/// Notes that a reader has seen a version, unless it was a later one already.
pub(crate) fn note_seen(
    transaction: &mut Transaction<'_>,
    reader: &ReaderId,
    page: PageId,
    number: u32,
    time: Timestamp,
) -> Result<()> {
    let sql = "INSERT INTO seen (reader, page, number, time) VALUES ($1, $2, $3, $4) \
               ON CONFLICT (reader, page) DO UPDATE SET number = excluded.number, time = excluded.time \
               WHERE excluded.number >= seen.number";
    transaction.execute(sql, values![reader.as_str(), page, number, milliseconds(time)])?;
    Ok(())
}

pub(crate) fn know_reader(transaction: &mut Transaction<'_>, reader: &ReaderId) -> Result<()> {
    let sql = "INSERT INTO reader (id) VALUES ($1) ON CONFLICT (id) DO NOTHING";
    transaction.execute(sql, values![reader.as_str()])?;
    Ok(())
}

fn known_version(transaction: &mut Transaction<'_>, address: &Address, number: u32) -> Result<PageId> {
    let page = known_page(transaction, address)?;
    match crate::history::version(transaction, page.id, number)? {
        Some(_) => Ok(page.id),
        None => Err(Error::NoVersion { address: address.to_string(), wanted: number.to_string(), nearest: None }),
    }
}
