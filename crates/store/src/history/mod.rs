//! What was a page at some time? Its versions, their content and identities, and the delta between any two of them.

mod rows;

pub(crate) use rows::{
    Latest, content, content_id, latest, page, page_by_id, page_id, page_of, piece_of, recorded_identities, seal,
    step_bytes, version, versions,
};

use std::sync::Arc;

use jiff::Timestamp;
use treediff::delta::{Delta, Identities};
use treediff::tree::Document;

use crate::engine::{Row, Transaction, values};
use crate::frames::Frames;
use crate::page::PageId;
use crate::record::visits::{self, Visits};
use crate::{Address, Error, Moment, Page, ReaderId, Result, Step, Store, Version, milliseconds, readers};

/// Which version is meant where none was made at the very time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Nearest {
    /// The one that was in force then.
    #[default]
    Before,
    /// The first that came then or later.
    After,
    /// Whichever is nearer in time, of two the earlier.
    Closest,
}

/// A version with all that is known of it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its number, time and so on.
    pub version: Version,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Its tree, where it has one.
    pub document: Option<Arc<Document>>,
    /// What leads to it from the version before, as [`Step::from_bytes`] reads it; none to the first tree of a page.
    pub step: Option<Vec<u8>>,
}

impl Seen {
    /// The identities of its nodes.
    pub fn identities(&self) -> Result<Option<Identities>> {
        match &self.step {
            Some(step) => Ok(Some(Step::from_bytes(step)?.identities()?)),
            None => Ok(self.document.as_deref().map(Identities::of_first_version)),
        }
    }
}

// Pages are found and listed by the first 500 characters of their URLs, because that is what there is an index of:
// PostgreSQL has none of long text.

impl Store {
    /// The page at an address.
    ///
    /// # Errors
    /// Where it was never recorded.
    pub fn page(&self, address: &Address) -> Result<Page> {
        self.database.read(|transaction| known_page(transaction, address))
    }

    /// Hands over the pages whose URL matches a pattern, in which `*` stands for anything; in the order of their URLs.
    pub fn for_each_page(&self, pattern: &str, mut each: impl FnMut(Page) -> Result<()>) -> Result<()> {
        self.database.read(|transaction| {
            let (from, to) = range(pattern);
            let sql = "SELECT id, url, method, body, canonical, latest FROM page \
                       WHERE substr(url, 1, 500) >= substr($1, 1, 500) AND substr(url, 1, 500) <= substr($2, 1, 500) \
                       AND url >= $1 AND url < $2 ORDER BY substr(url, 1, 500), url, id";
            transaction.query(sql, values![&*from, &*to], |row| {
                let page = page_of(row)?;
                if matches(pattern, page.address.url()) { each(page) } else { Ok(()) }
            })
        })
    }

    /// The pages whose latest content is the same as that of this one, at most so many: an empty page has any number.
    pub fn mirrors(&self, address: &Address, most: u32) -> Result<Vec<Page>> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let sql = "SELECT o.id, o.url, o.method, o.body, o.canonical, o.latest FROM page p \
                       JOIN page o ON o.latest_content = p.latest_content AND o.id <> p.id WHERE p.id = $1 \
                       ORDER BY o.id LIMIT $2";
            transaction.all(sql, values![page.id, most], page_of)
        })
    }

    /// The versions of a page, oldest first.
    pub fn versions(&self, address: &Address) -> Result<Vec<Version>> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            versions(transaction, page.id)
        })
    }

    /// The checks of a page that brought nothing new, oldest first. Those that had the same outcome one after the other are
    /// together, in whichever order those who checked at once have come.
    pub fn visits(&self, address: &Address) -> Result<Vec<Visits>> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            visits::joined(&visits::runs(transaction, page.id)?)
        })
    }

    /// The version that is meant; what a reader has seen is known of a reader.
    pub fn version(&self, address: &Address, moment: Moment, reader: Option<&ReaderId>) -> Result<Version> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let number = match moment {
                Moment::Latest => (page.latest > 0).then_some(page.latest),
                Moment::Number(number) => Some(number),
                Moment::Back(count) => back(transaction, &page, count)?,
                Moment::At(time) => number_at(transaction, &page, time, Nearest::Before)?,
                Moment::Seen => Some(seen(transaction, &page, reader)?),
            };
            let found = number.map_or(Ok(None), |number| version(transaction, page.id, number))?;
            found.map_or_else(|| Err(no_version(transaction, &page, moment)?), Ok)
        })
    }

    /// The version of a page that is nearest to a time.
    pub fn version_at(&self, address: &Address, time: Timestamp, nearest: Nearest) -> Result<Version> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let number = number_at(transaction, &page, time, nearest)?;
            let found = number.map_or(Ok(None), |number| version(transaction, page.id, number))?;
            found.map_or_else(|| Err(no_version(transaction, &page, Moment::At(time))?), Ok)
        })
    }

    /// The bytes of a version, exactly as they were recorded.
    pub fn content(&self, version: &Version) -> Result<Vec<u8>> {
        self.database.read(|transaction| content(transaction, &mut Frames::default(), version))
    }

    /// The tree of a version as it was read when it was recorded; none where it is no tree.
    pub fn document(&self, version: &Version) -> Result<Option<Arc<Document>>> {
        Ok(crate::record::document(&version.details, &self.content(version)?))
    }

    /// Hands over the versions of a page, oldest first, with their trees. One version is in memory at a time.
    pub fn for_each_version(&self, address: &Address, mut each: impl FnMut(Seen) -> Result<()>) -> Result<()> {
        self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let mut frames = Frames::default();
            for version in versions(transaction, page.id)? {
                let content = content(transaction, &mut frames, &version)?;
                let step = step_bytes(transaction, &mut frames, page.id, version.number)?;
                let document = crate::record::document(&version.details, &content);
                each(Seen { version, content, document, step })?;
            }
            Ok(())
        })
    }

    /// The delta that leads from one version of a page to another, in either direction, composed of the steps between
    /// them; nothing where some version between them is no tree, or one of another format.
    pub fn delta(&self, address: &Address, from: u32, to: u32) -> Result<Option<Delta>> {
        if from > to {
            return Ok(self.delta(address, to, from)?.map(|delta| delta.inverted()));
        }
        let deltas = self.database.read(|transaction| {
            let page = known_page(transaction, address)?;
            let kept = versions_between(transaction, &page, from, to)?;
            deltas(transaction, page.id, &kept[1..])
        })?;
        let Some(deltas) = deltas else { return Ok(None) };
        let composed = Delta::compose_all(&deltas)
            .map_err(|error| Error::damaged(format!("the history of `{address}`"), error.to_string()))?;
        Ok(composed)
    }
}

/// The deltas of the steps to some versions; none where one of them is no delta.
pub(crate) fn deltas(transaction: &mut Transaction<'_>, page: PageId, numbers: &[u32]) -> Result<Option<Vec<Delta>>> {
    let mut frames = Frames::default();
    let mut deltas = Vec::new();
    // The newest first: older steps are differences from what was decoded for newer ones.
    for &number in numbers.iter().rev() {
        let Some(bytes) = step_bytes(transaction, &mut frames, page, number)? else { return Ok(None) };
        let Some(delta) = Step::from_bytes(&bytes)?.delta()? else { return Ok(None) };
        deltas.push(delta);
    }
    deltas.reverse();
    Ok(Some(deltas))
}

/// The numbers of the versions from one to another, both of which are kept.
fn versions_between(transaction: &mut Transaction<'_>, page: &Page, from: u32, to: u32) -> Result<Vec<u32>> {
    let sql = "SELECT number FROM version WHERE page = $1 AND number >= $2 AND number <= $3 ORDER BY number";
    let kept: Vec<u32> = transaction.all(sql, values![page.id, from, to], |mut row| row.take())?;
    for (end, wanted) in [(kept.first(), from), (kept.last(), to)] {
        if end != Some(&wanted) {
            return Err(no_version(transaction, page, Moment::Number(wanted))?);
        }
    }
    Ok(kept)
}

pub(crate) fn known_page(transaction: &mut Transaction<'_>, address: &Address) -> Result<Page> {
    let found = rows::page(transaction, address)?;
    found.map_or_else(|| Err(unknown(transaction, address)?), Ok)
}

/// Says of a page that it is not known, and of one that is nearly so; or that what stands behind a known one is no moment.
fn unknown(transaction: &mut Transaction<'_>, address: &Address) -> Result<Error> {
    if let Some((page, moment)) = mistyped(address)
        && rows::page_id(transaction, &page)?.is_some()
    {
        return Ok(Error::NoMoment { moment, address: Some(page.to_string()) });
    }
    let url = address.url();
    let other = if let Some(short) = url.strip_suffix('/') { short.to_owned() } else { format!("{url}/") };
    const FEW: i64 = 100;
    let sql = "SELECT url, method, body FROM page WHERE substr(url, 1, 500) IN (substr($1, 1, 500), substr($2, 1, 500)) \
               AND url IN ($1, $2) ORDER BY id LIMIT $3";
    let take = |mut row: Row| Ok(Address::stored(row.take()?, row.take()?, row.take()?));
    let near = transaction.all(sql, values![&*other, url, FEW], take)?;
    let differs =
        |near: &Address| (near.method() != address.method(), near.body() != address.body(), near.url() != url);
    let suggestion = near.into_iter().min_by_key(differs).map(|address| format!("`{address}`"));
    Ok(Error::UnknownPage { address: address.to_string(), suggestion })
}

/// The page and the moment that an address may have been meant as, where the moment is none.
fn mistyped(address: &Address) -> Option<(Address, String)> {
    let (url, moment) = address.url().rsplit_once('@')?;
    let is_moment = moment.parse::<Moment>().is_ok();
    let page = address.at_url(url).ok().filter(|_| !is_moment)?;
    Some((page, moment.to_owned()))
}

/// Says of a version that it is not there, and what is.
fn no_version(transaction: &mut Transaction<'_>, page: &Page, wanted: Moment) -> Result<Error> {
    let sql = "SELECT min(number), max(number), count(*) FROM version WHERE page = $1";
    let found: Option<(Option<u32>, Option<u32>, i64)> =
        transaction.first(sql, values![page.id], |mut row| Ok((row.take()?, row.take()?, row.take()?)))?;
    let nearest = match found {
        Some((Some(first), Some(last), count)) => {
            let all = if count == 1 {
                format!("version {first}")
            } else {
                format!("{count} versions from {first} to {last}")
            };
            format!("{all}{}", beyond(transaction, page, wanted, [first, last])?)
        }
        _ => failed_checks(transaction, page)?,
    };
    let wanted = match wanted {
        Moment::Latest => String::new(),
        Moment::At(time) => format!("of {time}"),
        moment => moment.to_string(),
    };
    Ok(Error::NoVersion { address: page.address.to_string(), wanted, nearest: Some(nearest) })
}

/// When the first version was, or the last, where a time is before or behind all of them.
fn beyond(transaction: &mut Transaction<'_>, page: &Page, wanted: Moment, [first, last]: [u32; 2]) -> Result<String> {
    let Moment::At(wanted) = wanted else { return Ok(String::new()) };
    let mut time = |number| Ok::<_, Error>(version(transaction, page.id, number)?.map(|version| version.time));
    let (first, last) = (time(first)?, time(last)?);
    Ok(match (first, last) {
        (Some(first), _) if wanted < first => format!(", the first of {first}"),
        (_, Some(last)) if wanted > last => format!(", the last of {last}"),
        _ => String::new(),
    })
}

/// What there is of a page without a version.
fn failed_checks(transaction: &mut Transaction<'_>, page: &Page) -> Result<String> {
    let runs = visits::joined(&visits::runs(transaction, page.id)?)?;
    let count: usize = runs.iter().map(|visits| visits.times.len()).sum();
    let last = runs.iter().max_by_key(|visits| visits.times.last());
    let why = last.and_then(|visits| visits.times.last().zip(visits.trouble.as_deref()));
    Ok(match why {
        Some((time, why)) if count == 1 => format!("a check that failed at {time}: {why}"),
        Some((time, why)) => format!("{count} checks that failed, the last at {time}: {why}"),
        None => "only checks that failed".to_owned(),
    })
}

/// The version that a reader has seen last; where that is no longer kept, the one before it. One behind it would hide what is new.
fn seen(transaction: &mut Transaction<'_>, page: &Page, reader: Option<&ReaderId>) -> Result<u32> {
    let number = reader.map_or(Ok(None), |reader| readers::seen(transaction, reader, page))?;
    let Some(number) = number else { return Err(Error::NeverSeen { address: page.address.to_string() }) };
    let sql = "SELECT max(CASE WHEN number <= $1 THEN number END), min(number) FROM version WHERE page = $2";
    let take = |mut row: Row| Ok((row.take::<Option<u32>>()?, row.take::<Option<u32>>()?));
    match transaction.first(sql, values![number, page.id], take)? {
        Some((None, Some(oldest))) => Err(Error::SeenIsGone { address: page.address.to_string(), number, oldest }),
        found => Ok(found.and_then(|(kept, _)| kept).unwrap_or(number)),
    }
}

fn back(transaction: &mut Transaction<'_>, page: &Page, count: u32) -> Result<Option<u32>> {
    let sql = "SELECT number FROM version WHERE page = $1 ORDER BY number DESC LIMIT 1 OFFSET $2";
    transaction.first(sql, values![page.id, count], |mut row| row.take())
}

fn number_at(transaction: &mut Transaction<'_>, page: &Page, time: Timestamp, nearest: Nearest) -> Result<Option<u32>> {
    let time = milliseconds(time);
    let mut near =
        |sql| transaction.first(sql, values![page.id, time], |mut row| Ok((row.take::<u32>()?, row.take::<i64>()?)));
    let before = near("SELECT number, time FROM version WHERE page = $1 AND time <= $2 ORDER BY number DESC LIMIT 1")?;
    let after = near("SELECT number, time FROM version WHERE page = $1 AND time >= $2 ORDER BY number LIMIT 1")?;
    // A time that is hurt would have the database pass over a version, which then is a neighbour of what was found.
    sound_neighbours(transaction, page, before.map(|(number, _)| number), after.map(|(number, _)| number))?;
    if nearest == Nearest::Before {
        return Ok(before.map(|(number, _)| number));
    }
    let found = match (before, after) {
        _ if nearest == Nearest::After => after,
        (Some(before), Some(after)) if after.1.abs_diff(time) < time.abs_diff(before.1) => Some(after),
        (before, after) => before.or(after),
    };
    Ok(found.map(|(number, _)| number))
}

/// An error where the version behind the one before a time, or the one before the first that is behind it, is hurt.
fn sound_neighbours(
    transaction: &mut Transaction<'_>,
    page: &Page,
    before: Option<u32>,
    after: Option<u32>,
) -> Result<()> {
    let next = "SELECT min(number) FROM version WHERE page = $1 AND number > $2";
    let previous = "SELECT max(number) FROM version WHERE page = $1 AND number < $2";
    for (sql, number) in [(next, before.unwrap_or(0)), (previous, after.unwrap_or(u32::MAX))] {
        let number: Option<Option<u32>> = transaction.first(sql, values![page.id, number], |mut row| row.take())?;
        number.flatten().map_or(Ok(None), |number| version(transaction, page.id, number))?;
    }
    Ok(())
}

/// The pages behind one, in the order of their URLs, as many as are listed at once.
pub(crate) fn pages_behind(transaction: &mut Transaction<'_>, last: &(String, PageId)) -> Result<Vec<Page>> {
    const AT_ONCE: i64 = 500;
    let sql = "SELECT id, url, method, body, canonical, latest FROM page \
               WHERE substr(url, 1, 500) >= substr($1, 1, 500) AND url >= $1 AND (url > $1 OR id > $2) \
               ORDER BY substr(url, 1, 500), url, id LIMIT $3";
    let pages = transaction.all(sql, values![&*last.0, last.1, AT_ONCE], page_of)?;
    // By an index that is hurt one could go round in circles.
    let places = pages.iter().map(|page| (page.address.url(), page.id));
    let is_in_order = std::iter::once((&*last.0, last.1)).chain(places).is_sorted_by(|before, after| before < after);
    if is_in_order { Ok(pages) } else { Err(Error::damaged("the list of pages", "it is not in its order")) }
}

/// The URLs among which all are that match a pattern: from the first to before the second.
pub(crate) fn range(pattern: &str) -> (String, String) {
    let start = pattern.split('*').next().unwrap_or_default();
    (start.to_owned(), format!("{start}\u{10FFFF}"))
}

/// Whether a URL matches a pattern in which `*` stands for anything.
pub(crate) fn matches(pattern: &str, url: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = url.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let Some(last) = pattern.rsplit_once('*').map(|(_, last)| last) else { return rest.is_empty() };
    for part in parts {
        // The last part is looked for at the end, where it may be found once more.
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty() || url.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capture, Location};

    /// A version whose time is hurt is not passed over on the way to another.
    #[test]
    fn a_time_that_is_hurt_is_told() {
        let check = |sql: &'static str| {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
            let page = Address::new("https://example.org/").expect("an address");
            let time = |second| Timestamp::from_second(second).expect("a time");
            for second in [10, 20, 30] {
                store.record(Capture::of(page.clone(), time(second), format!("{second}"))).expect("recorded");
            }
            let number = |nearest| store.version_at(&page, time(21), nearest).map(|version| version.number);
            let all = [Nearest::Before, Nearest::After, Nearest::Closest];
            assert_eq!(all.map(|nearest| number(nearest).ok()), [Some(2), Some(3), Some(2)]);
            store.database.write(|transaction| transaction.execute(sql, &[])).expect("hurt");
            assert!(all.into_iter().all(|nearest| number(nearest).is_err_and(|error| error.is_damage())), "{sql}");
        };
        check("UPDATE version SET time = 1000000 WHERE number = 2");
        check("UPDATE version SET time = 0 WHERE number = 2");
        check("UPDATE version SET time = 1000 WHERE number = 3");
    }

    /// How far a frame reaches is a hint, without which more is stored as a whole.
    #[test]
    fn a_reach_that_is_hurt_is_no_obstacle() {
        for hurt in ["UPDATE frame SET reach = -5", "UPDATE frame SET reach = 9223372036854775807"] {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
            let page = Address::new("https://example.org/").expect("an address");
            let record = |second: i64| {
                let time = Timestamp::from_second(second).expect("a time");
                store.record(Capture::of(page.clone(), time, format!("{second}"))).expect("recorded");
            };
            record(1);
            store.database.write(|transaction| transaction.execute(hurt, &[])).expect("hurt");
            record(2);
            let content = |number| store.content(&store.version(&page, Moment::Number(number), None)?);
            assert_eq!([1, 2].map(|number| content(number).expect("a version")), [b"1", b"2"]);
        }
    }

    #[test]
    fn patterns_match_urls() {
        let check =
            |pattern: &str, url: &str, expected: bool| assert_eq!(matches(pattern, url), expected, "{pattern} {url}");
        check("*", "http://a/", true);
        check("http://a/*", "http://a/b/c", true);
        check("http://a/*", "http://b/", false);
        check("http://a/", "http://a/", true);
        check("http://a/", "http://a/b", false);
        check("*.xml", "http://a/b.xml", true);
        check("*.xml", "http://a/b.xml?c", false);
        check("*a*a", "http://a/aba", true);
        check("*a*a*", "http://b/a", false);
        check("h*b*c", "http://b/cbcd", false);
    }
}
