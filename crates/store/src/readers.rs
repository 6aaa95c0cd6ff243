//! Who has seen what? Readers are numbers that say nothing of the people behind them: the archive does not know who reads.

mod recount;
pub(crate) mod rows;

pub use recount::{Count, Recount};

use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::engine::{Row, Transaction, values};
use crate::history::known_page;
use crate::page::PageId;
use crate::verify::Hurt;
use crate::{Address, Error, Page, Result, Store, milliseconds, time_of};
use rows::{BookmarkRow, SeenRow};

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
            SeenRow { reader: reader.to_string(), page, number, time: milliseconds(time) }.write(transaction)
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
            let (reader, note, time) = (reader.to_string(), note.to_owned(), milliseconds(time));
            BookmarkRow { reader, page, number, is_saved, note, time }.write(transaction)
        })
    }

    /// Takes a bookmark away; whether there was one.
    pub fn remove_bookmark(&self, reader: &ReaderId, address: &Address, number: u32) -> Result<bool> {
        self.database.write(|transaction| {
            let page = known_page(transaction, address)?;
            rows::remove(transaction, reader.as_str(), page.id, number)
        })
    }

    /// What a reader has marked and saved, newest first.
    pub fn bookmarks(&self, reader: &ReaderId) -> Result<Vec<Bookmark>> {
        let mut found = Vec::new();
        self.for_each_bookmark(reader, |bookmark| found.push(bookmark))?;
        Ok(found)
    }

    /// Hands over what a reader has marked and saved, newest first.
    ///
    /// # Errors
    /// Where something of it is hurt, once all else was handed over.
    pub fn for_each_bookmark(&self, reader: &ReaderId, mut each: impl FnMut(Bookmark)) -> Result<()> {
        let sql = "SELECT p.url, p.method, p.body, b.reader, b.page, b.number, b.saved, b.note, b.time, b.seal \
                   FROM bookmark b JOIN page p ON p.id = b.page WHERE b.reader = $1 ORDER BY b.time DESC, p.url, b.number";
        let mut hurt = Hurt::default();
        self.database.read(|transaction| {
            transaction.query(sql, values![reader.as_str()], |mut row| {
                let address = Address::stored(row.take()?, row.take()?, row.take()?);
                match bookmark(row, address) {
                    Ok(bookmark) => each(bookmark),
                    Err(error) => hurt.take(error)?,
                }
                Ok(())
            })
        })?;
        hurt.told()
    }

    /// The pages that have changed since a reader last looked, those with the newest versions first. Pages at which the
    /// reader has never looked are none of them.
    pub fn news(&self, reader: &ReaderId) -> Result<Vec<News>> {
        let mut found = Vec::new();
        self.for_each_news(reader, |news| found.push(news))?;
        Ok(found)
    }

    /// Hands over the pages that have changed since a reader last looked, as [`Store::news`] has them.
    ///
    /// # Errors
    /// Where it is not known what the reader has seen of a page, or that is hurt, once all else was handed over.
    pub fn for_each_news(&self, reader: &ReaderId, mut each: impl FnMut(News)) -> Result<()> {
        // Whether a page is news is not left to the database, which would pass over what is hurt.
        let sql = "SELECT p.url, p.method, p.body, s.reader, s.page, s.number, s.time, s.seal, v.time, p.canonical, p.latest \
                   FROM seen s JOIN page p ON p.id = s.page LEFT JOIN version v ON v.page = p.id AND v.number = p.latest \
                   WHERE s.reader = $1 ORDER BY v.time DESC, p.url";
        let mut hurt = Hurt::default();
        self.database.read(|transaction| {
            transaction.query(sql, values![reader.as_str()], |mut row| {
                let address = Address::stored(row.take()?, row.take()?, row.take()?);
                match news(row, address) {
                    Ok(news) => news.into_iter().for_each(&mut each),
                    Err(error) => hurt.take(error)?,
                }
                Ok(())
            })
        })?;
        hurt.told()
    }
}

fn bookmark(mut row: Row, address: Address) -> Result<Bookmark> {
    let BookmarkRow { number, is_saved, note, time, .. } = BookmarkRow::take(&mut row, &address)?;
    Ok(Bookmark { address, number, is_saved, note, time: time_of(time)? })
}

fn news(mut row: Row, address: Address) -> Result<Option<News>> {
    let SeenRow { page: id, number: seen, .. } = SeenRow::take(&mut row, &address)?;
    let time: Option<i64> = row.take()?;
    let page = Page { id, address, canonical: row.take()?, latest: row.take()? };
    if page.latest <= seen {
        return Ok(None);
    }
    let missing = || Error::damaged(format!("version {}", page.latest), "it should be the latest, and is not there");
    Ok(Some(News { seen, time: time_of(time.ok_or_else(missing)?)?, page }))
}

/// The version that a reader has seen last.
pub(crate) fn seen(transaction: &mut Transaction<'_>, reader: &ReaderId, page: &Page) -> Result<Option<u32>> {
    let sql = "SELECT reader, page, number, time, seal FROM seen WHERE reader = $1 AND page = $2";
    let take = |mut row: Row| Ok(SeenRow::take(&mut row, &page.address)?.number);
    transaction.first(sql, values![reader.as_str(), page.id], take)
}

/// The versions of a page that some reader has saved.
pub(crate) fn saved(transaction: &mut Transaction<'_>, page: &Page) -> Result<Vec<u32>> {
    let sql = "SELECT reader, page, number, saved, note, time, seal FROM bookmark WHERE page = $1";
    let take = |mut row: Row| BookmarkRow::take(&mut row, &page.address);
    let mut bookmarks = transaction.all(sql, values![page.id], take)?;
    bookmarks.retain(|bookmark| bookmark.is_saved);
    Ok(bookmarks.iter().map(|bookmark| bookmark.number).collect())
}

/// All versions that some reader has saved, by the table itself: an index may have lost some.
pub(crate) fn all_saved(transaction: &mut Transaction<'_>) -> Result<HashSet<(PageId, u32)>> {
    let sql = "SELECT reader, page, number, saved, note, time, seal FROM bookmark WHERE saved <> 0";
    let mut saved = HashSet::new();
    transaction.query(sql, values![], |row| {
        // One that cannot be read is told of when its page is looked at.
        saved.extend(BookmarkRow::meant(row).into_iter().flatten());
        Ok(())
    })?;
    Ok(saved)
}

/// Looks at the seals of all that readers have seen and noted, and tells of those that are broken.
pub(crate) fn verify(transaction: &mut Transaction<'_>, mut hurt: impl FnMut(Error) -> Result<()>) -> Result<()> {
    let sql = "SELECT p.url, p.method, p.body, s.reader, s.page, s.number, s.time, s.seal \
               FROM seen s JOIN page p ON p.id = s.page";
    transaction.query(sql, values![], |mut row| {
        let address = Address::stored(row.take()?, row.take()?, row.take()?);
        SeenRow::take(&mut row, &address).map_or_else(&mut hurt, |_| Ok(()))
    })?;
    let sql = "SELECT p.url, p.method, p.body, b.reader, b.page, b.number, b.saved, b.note, b.time, b.seal \
               FROM bookmark b JOIN page p ON p.id = b.page";
    transaction.query(sql, values![], |mut row| {
        let address = Address::stored(row.take()?, row.take()?, row.take()?);
        BookmarkRow::take(&mut row, &address).map_or_else(&mut hurt, |_| Ok(()))
    })?;
    rows::verify_counts(transaction, hurt)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capture, Location, Moment, Retention};

    /// Whatever of a row changes by itself is told, and nothing is dropped by what it says.
    #[test]
    fn rows_that_are_hurt_are_told() {
        let check = |sql: &'static str| {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
            let [page, other] =
                ["https://example.org/", "https://example.org/other"].map(|url| Address::new(url).expect("an address"));
            let time = |second| Timestamp::from_second(second).expect("a time");
            let reader = ReaderId::only();
            for page in [&page, &other] {
                for second in 1..4 {
                    store.record(Capture::of(page.clone(), time(second), format!("{second}"))).expect("recorded");
                }
                store.see(&reader, page, 1, time(9)).expect("seen");
                store.bookmark(&reader, page, 1, true, "cheap", time(9)).expect("saved");
            }
            assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
            store.database.write(|transaction| transaction.execute(sql, &[])).expect("hurt");

            let faults = store.verify(|_| ()).expect("verified").faults;
            assert!(faults.iter().any(|fault| fault.why.contains("reader 0 ")), "{sql}: {faults:?}");
            let is_damage = |error: Option<Error>| error.is_some_and(|error| error.is_damage());
            let mut sound = Vec::new();
            if sql.contains("seen") {
                let told = store.for_each_news(&reader, |news| sound.push(news.page.address));
                assert!(told.expect_err(sql).to_string().contains("`deltaic seen https://example.org/ --reader 0`"));
                assert_eq!(sound, std::slice::from_ref(&other), "{sql}");
                assert!(is_damage(store.version(&page, Moment::Seen, Some(&reader)).err()), "{sql}");
                store.see(&reader, &page, 1, time(9)).expect("seen");
            } else {
                let rules = Retention { keep: Some(1), ..Retention::default() };
                let told = store.for_each_bookmark(&reader, |bookmark| sound.push(bookmark.address));
                let told = told.expect_err(sql).to_string();
                let number = if sql.contains("number") { 2 } else { 1 };
                let help = format!("`deltaic seen https://example.org/@{number} --remove --reader 0`");
                assert!(told.contains(&help), "{told}");
                assert_eq!(sound, std::slice::from_ref(&other), "{sql}");
                // What nobody knows is not dropped; what others have is.
                assert!(is_damage(store.prune("*", &rules, time(9), |_| ()).err()), "{sql}");
                let kept = |page: &Address| store.versions(page).expect("versions").len();
                assert_eq!((kept(&page), kept(&other)), (3, 2), "{sql}");
                assert!(store.export(Vec::new(), |_| ()).expect_err(sql).to_string().contains(&help), "{sql}");
                assert!(store.remove_bookmark(&reader, &page, number).expect("removed"));
            }
            assert_eq!(store.verify(|_| ()).expect("verified").faults, [], "{sql}");
        };
        check("UPDATE seen SET number = 3 WHERE page = 1");
        check("UPDATE seen SET time = time + 1 WHERE page = 1");
        check("UPDATE bookmark SET saved = 0 WHERE page = 1");
        check("UPDATE bookmark SET number = 2 WHERE page = 1");
        check("UPDATE bookmark SET note = 'chear' WHERE page = 1");
        check("UPDATE bookmark SET seal = seal + 1 WHERE page = 1");
        check("UPDATE seen SET seal = NULL WHERE page = 1");
        check("UPDATE bookmark SET saved = 0, seal = NULL WHERE page = 1");
    }
}
