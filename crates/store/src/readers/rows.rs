//! How is kept what readers have seen and marked? In rows with a seal each, a checksum that is looked at whenever one is read: the
//! database would not notice if a bit of it changed, and a version that somebody saved would be dropped.
//!
//! Rows of the first format have no seal; they get one when they are written again.

use xxhash_rust::xxh3::Xxh3;

use crate::engine::{Row, Transaction, values};
use crate::page::PageId;
use crate::{Error, Result};

/// The last version of a page that a reader has seen.
#[derive(Debug)]
pub(crate) struct SeenRow {
    pub(crate) reader: String,
    pub(crate) page: PageId,
    pub(crate) number: u32,
    pub(crate) time: i64,
}

/// A version that a reader has marked or saved.
#[derive(Debug)]
pub(crate) struct BookmarkRow {
    pub(crate) reader: String,
    pub(crate) page: PageId,
    pub(crate) number: u32,
    pub(crate) is_saved: bool,
    pub(crate) note: String,
    pub(crate) time: i64,
}

impl SeenRow {
    /// Takes `reader, page, number, time, seal` from the start of a row.
    pub(crate) fn take(row: &mut Row) -> Result<Self> {
        let seen = SeenRow { reader: row.take()?, page: row.take()?, number: row.take()?, time: row.take()? };
        check(row.take()?, seen.seal(), || format!("what reader {} has seen of page {}", seen.reader, seen.page))?;
        Ok(seen)
    }

    /// Writes it, unless the reader has seen a later version already.
    pub(crate) fn write(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = "INSERT INTO seen (reader, page, number, time, seal) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (reader, page) DO UPDATE SET number = excluded.number, time = excluded.time, \
                   seal = excluded.seal WHERE excluded.number >= seen.number";
        transaction.execute(sql, values![&*self.reader, self.page, self.number, self.time, self.seal()])?;
        Ok(())
    }

    fn seal(&self) -> i64 {
        seal(&self.reader, self.page, self.number, self.time, 0, "")
    }
}

impl BookmarkRow {
    /// Takes `reader, page, number, saved, note, time, seal` from the start of a row.
    pub(crate) fn take(row: &mut Row) -> Result<Self> {
        let (reader, page, number) = (row.take()?, row.take()?, row.take()?);
        let saved: i64 = row.take()?;
        let bookmark = BookmarkRow { reader, page, number, is_saved: saved != 0, note: row.take()?, time: row.take()? };
        let place = || format!("what reader {} noted of version {} of page {}", bookmark.reader, number, page);
        check(row.take()?, bookmark.seal(), place)?;
        Ok(bookmark)
    }

    /// Writes it in place of what the reader had noted of the version before.
    pub(crate) fn write(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = "INSERT INTO bookmark (reader, page, number, saved, note, time, seal) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (reader, page, number) DO UPDATE \
                   SET saved = excluded.saved, note = excluded.note, time = excluded.time, seal = excluded.seal";
        self.execute(transaction, sql)
    }

    /// Writes it where the reader has noted nothing of the version.
    pub(crate) fn write_if_none(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = "INSERT INTO bookmark (reader, page, number, saved, note, time, seal) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (reader, page, number) DO NOTHING";
        self.execute(transaction, sql)
    }

    fn execute(&self, transaction: &mut Transaction<'_>, sql: &'static str) -> Result<()> {
        let BookmarkRow { reader, page, number, is_saved, note, time } = self;
        let saved = i64::from(*is_saved);
        transaction.execute(sql, values![&**reader, *page, *number, saved, &**note, *time, self.seal()])?;
        Ok(())
    }

    fn seal(&self) -> i64 {
        seal(&self.reader, self.page, self.number, self.time, 1 + u8::from(self.is_saved), &self.note)
    }
}

fn seal(reader: &str, page: PageId, number: u32, time: i64, kind: u8, note: &str) -> i64 {
    let mut hasher = Xxh3::new();
    hasher.update(&page.to_le_bytes());
    hasher.update(&number.to_le_bytes());
    hasher.update(&time.to_le_bytes());
    hasher.update(&[kind]);
    hasher.update(reader.as_bytes());
    // No reader has it in its id.
    hasher.update(b"\n");
    hasher.update(note.as_bytes());
    hasher.digest() as i64
}

fn check(stored: Option<i64>, seal: i64, place: impl FnOnce() -> String) -> Result<()> {
    match stored {
        Some(stored) if stored != seal => Err(Error::damaged(place(), "it is not what was written")),
        _ => Ok(()),
    }
}
