//! How is kept what readers have seen and marked? In rows with a seal each, a checksum that is looked at whenever one is read: the
//! database would not notice if a bit of it changed, and a version that somebody saved would be dropped.
//!
//! Rows of the first format have no seal; they get one when the store is brought up to date. From then on one without is hurt.

use xxhash_rust::xxh3::Xxh3;

use crate::engine::{Row, Transaction, values};
use crate::page::PageId;
use crate::{Address, Error, Moment, PageAt, Result};

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
    /// Takes `reader, page, number, time, seal` from the start of a row about a page.
    pub(crate) fn take(row: &mut Row, address: &Address) -> Result<Self> {
        let seen = SeenRow::unsealed(row)?;
        let reader = &seen.reader;
        check(row.take()?, seen.seal(), || {
            let why = format!(
                "it is not what was written: `deltaic seen {} --reader {reader}` writes it anew",
                quoted(address)
            );
            Error::damaged(format!("what reader {reader} has seen of {address}"), why)
        })?;
        Ok(seen)
    }

    fn unsealed(row: &mut Row) -> Result<Self> {
        Ok(SeenRow { reader: row.take()?, page: row.take()?, number: row.take()?, time: row.take()? })
    }

    /// Writes it, unless the reader has seen a later version already. The reader is known.
    pub(crate) fn write(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        lock(transaction, &self.reader)?;
        self.remove_hurt(transaction)?;
        let sql = "UPDATE reader SET seen = seen + 1 WHERE id = $1 \
                   AND NOT EXISTS (SELECT 1 FROM seen WHERE reader = $1 AND page = $2)";
        transaction.execute(sql, values![&*self.reader, self.page])?;
        let sql = "INSERT INTO seen (reader, page, number, time, seal) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (reader, page) DO UPDATE SET number = excluded.number, time = excluded.time, \
                   seal = excluded.seal WHERE excluded.number >= seen.number";
        transaction.execute(sql, values![&*self.reader, self.page, self.number, self.time, self.seal()])?;
        Ok(())
    }

    /// Makes room where the row is not what was written: it may say that a later version was seen.
    fn remove_hurt(&self, transaction: &mut Transaction<'_>) -> Result<()> {
        let sql = "SELECT number, time, seal FROM seen WHERE reader = $1 AND page = $2";
        let of_page = values![&*self.reader, self.page];
        let is_hurt = transaction.first(sql, of_page, |mut row| {
            let (number, time, found): (Option<u32>, i64, Option<i64>) = (row.take().ok(), row.take()?, row.take()?);
            let seal = number.map(|number| seal(&self.reader, self.page, number, time, 0, ""));
            Ok(seal.is_none() || found != seal)
        })?;
        if is_hurt == Some(true) {
            transaction.execute("DELETE FROM seen WHERE reader = $1 AND page = $2", of_page)?;
            transaction.execute("UPDATE reader SET seen = seen - 1 WHERE id = $1", values![&*self.reader])?;
        }
        Ok(())
    }

    fn seal(&self) -> i64 {
        seal(&self.reader, self.page, self.number, self.time, 0, "")
    }
}

impl BookmarkRow {
    /// Takes `reader, page, number, saved, note, time, seal` from the start of a row about a page.
    pub(crate) fn take(row: &mut Row, address: &Address) -> Result<Self> {
        let bookmark = BookmarkRow::unsealed(row)?;
        let BookmarkRow { reader, number, .. } = &bookmark;
        check(row.take()?, bookmark.seal(), || {
            let version = quoted(&PageAt { address: address.clone(), moment: Moment::Number(*number) });
            let why = format!(
                "it is not what was written: `deltaic seen {version} --remove --reader {reader}` takes it away"
            );
            Error::damaged(format!("what reader {reader} noted of version {number} of {address}"), why)
        })?;
        Ok(bookmark)
    }

    fn unsealed(row: &mut Row) -> Result<Self> {
        let (reader, page, number) = (row.take()?, row.take()?, row.take()?);
        let saved: i64 = row.take()?;
        Ok(BookmarkRow { reader, page, number, is_saved: saved != 0, note: row.take()?, time: row.take()? })
    }

    /// The pages and versions that a row may be about. Where it is not what was written, its page may be another, and then no
    /// look at the page that was meant would find it: all that differ from it by a bit are.
    pub(crate) fn meant(mut row: Row) -> Result<impl Iterator<Item = (PageId, u32)>> {
        let bookmark = BookmarkRow::unsealed(&mut row)?;
        let is_whole = row.take::<Option<i64>>()? == Some(bookmark.seal());
        let BookmarkRow { page, number, .. } = bookmark;
        let others = (0..if is_whole { 0 } else { i64::BITS }).map(move |bit| (page ^ (1 << bit), number));
        Ok(std::iter::once((page, number)).chain(others))
    }

    /// Writes it in place of what the reader had noted of the version before. The reader is known.
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
        lock(transaction, &self.reader)?;
        let count = "UPDATE reader SET bookmarks = bookmarks + 1 WHERE id = $1 \
                     AND NOT EXISTS (SELECT 1 FROM bookmark WHERE reader = $1 AND page = $2 AND number = $3)";
        transaction.execute(count, values![&*self.reader, self.page, self.number])?;
        let BookmarkRow { reader, page, number, is_saved, note, time } = self;
        let saved = i64::from(*is_saved);
        transaction.execute(sql, values![&**reader, *page, *number, saved, &**note, *time, self.seal()])?;
        Ok(())
    }

    fn seal(&self) -> i64 {
        seal(&self.reader, self.page, self.number, self.time, 1 + u8::from(self.is_saved), &self.note)
    }
}

/// Nobody else writes for the reader from here on: how many rows there are is counted where there is one more, so that one
/// which is lost is missed.
pub(crate) fn lock(transaction: &mut Transaction<'_>, reader: &str) -> Result<()> {
    transaction.execute("UPDATE reader SET seen = seen WHERE id = $1", values![reader])?;
    Ok(())
}

/// Takes a bookmark away; whether there was one.
pub(crate) fn remove(transaction: &mut Transaction<'_>, reader: &str, page: PageId, number: u32) -> Result<bool> {
    let sql = "DELETE FROM bookmark WHERE reader = $1 AND page = $2 AND number = $3";
    let is_gone = transaction.execute(sql, values![reader, page, number])? > 0;
    if is_gone {
        count_down(transaction, reader)?;
    }
    Ok(is_gone)
}

/// Takes all bookmarks of a version away but those that save it.
pub(crate) fn forget(transaction: &mut Transaction<'_>, page: PageId, number: u32) -> Result<()> {
    let sql = "DELETE FROM bookmark WHERE page = $1 AND number = $2 AND saved = 0 RETURNING reader";
    let readers: Vec<String> = transaction.all(sql, values![page, number], |mut row| row.take())?;
    readers.iter().try_for_each(|reader| count_down(transaction, reader))
}

fn count_down(transaction: &mut Transaction<'_>, reader: &str) -> Result<()> {
    transaction.execute("UPDATE reader SET bookmarks = bookmarks - 1 WHERE id = $1", values![reader])?;
    Ok(())
}

/// An error where notes are missing, or there are too many: nobody knows then what was saved. Their times are counted, which no
/// index has, so that a row which only an index still knows is missed too.
pub(crate) fn expect_all_notes(transaction: &mut Transaction<'_>) -> Result<()> {
    let sql = "SELECT id, expected, found FROM (SELECT id, bookmarks AS expected, \
               (SELECT count(b.time) FROM bookmark b WHERE b.reader = r.id) AS found FROM reader r) AS counted \
               WHERE expected <> found ORDER BY id";
    let lost: Vec<(String, i64, i64)> =
        transaction.all(sql, values![], |mut row| Ok((row.take()?, row.take()?, row.take()?)))?;
    let Some((reader, expected, found)) = lost.first() else { return Ok(()) };
    let others = match lost.len() {
        1 => String::new(),
        2 => " (and 1 other reader)".into(),
        count => format!(" (and {} other readers)", count - 1),
    };
    let why = format!(
        "{found} of {expected} notes are there: a version that was saved might be dropped, so that none is; \
         bring the store back from a backup, or accept the loss with `deltaic seen --recount --reader {reader}`"
    );
    Err(Error::damaged(format!("what reader {reader}{others} noted"), why))
}

/// Tells of readers of whom rows are missing, or there are too many.
pub(crate) fn verify_counts(
    transaction: &mut Transaction<'_>,
    mut hurt: impl FnMut(Error) -> Result<()>,
) -> Result<()> {
    let sql = "SELECT id, seen, (SELECT count(*) FROM seen s WHERE s.reader = r.id), \
               bookmarks, (SELECT count(*) FROM bookmark b WHERE b.reader = r.id) FROM reader r ORDER BY id";
    transaction.query(sql, values![], |mut row| {
        let reader: String = row.take()?;
        for what in ["pages that reader {} has seen", "bookmarks of reader {}"] {
            let (expected, found): (i64, i64) = (row.take()?, row.take()?);
            if expected != found {
                let help = format!("a backup has them, and `deltaic seen --recount --reader {reader}` goes on without");
                let why = format!("there are {found}, and there should be {expected}: {help}");
                hurt(Error::damaged(what.replace("{}", &reader), why))?;
            }
        }
        Ok(())
    })
}

/// Seals all rows that have no seal, as they are. One that cannot be read stays without, and is hurt.
pub(crate) fn seal_all(transaction: &mut Transaction<'_>) -> Result<()> {
    let sql = "SELECT reader, page, number, time FROM seen WHERE seal IS NULL";
    let rows = transaction.all(sql, values![], |mut row| Ok(SeenRow::unsealed(&mut row).ok()))?;
    for seen in rows.iter().flatten() {
        let sql = "UPDATE seen SET seal = $1 WHERE reader = $2 AND page = $3";
        transaction.execute(sql, values![seen.seal(), &*seen.reader, seen.page])?;
    }
    let sql = "SELECT reader, page, number, saved, note, time FROM bookmark WHERE seal IS NULL";
    let rows = transaction.all(sql, values![], |mut row| Ok(BookmarkRow::unsealed(&mut row).ok()))?;
    for bookmark in rows.iter().flatten() {
        let sql = "UPDATE bookmark SET seal = $1 WHERE reader = $2 AND page = $3 AND number = $4";
        transaction.execute(sql, values![bookmark.seal(), &*bookmark.reader, bookmark.page, bookmark.number])?;
    }
    Ok(())
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

fn check(stored: Option<i64>, seal: i64, damage: impl FnOnce() -> Error) -> Result<()> {
    if stored == Some(seal) { Ok(()) } else { Err(damage()) }
}

/// As it is written on a command line: what a form gives has blanks in it.
fn quoted(page: &impl ToString) -> String {
    let page = page.to_string();
    if page.contains([' ', '&', '\'']) { format!("'{}'", page.replace('\'', "'\\''")) } else { page }
}
