//! How are prepared captures written? All in one transaction, those of a page only if nobody was faster.

use crate::Result;
use crate::engine::{Database, Transaction, values};
use crate::frames::{self, FrameId, Piece};
use crate::history::{self, seal};
use crate::page::PageId;
use crate::steps::rows::StepRow;

use super::prepare::{CheckIn, Entry, NewContent, NewStep, NewVersion};
use super::visits::Log;

/// Writes what was prepared, and tells for each whether it has to be prepared anew.
pub(crate) fn commit(database: &Database, check_ins: &[CheckIn]) -> Result<Vec<bool>> {
    if check_ins.iter().all(|check_in| check_in.entries.is_empty()) {
        return Ok(vec![false; check_ins.len()]);
    }
    database.write(|transaction| check_ins.iter().map(|check_in| write(transaction, check_in)).collect())
}

/// Writes one page, and tells whether it has to be prepared anew.
pub(super) fn write(transaction: &mut Transaction<'_>, check_in: &CheckIn) -> Result<bool> {
    if check_in.entries.is_empty() {
        return Ok(false);
    }
    if !has_contents_as_expected(transaction, check_in)? {
        return Ok(true);
    }
    let Some(page) = claim(transaction, check_in)? else { return Ok(true) };
    let new_contents = write_contents(transaction, check_in)?;
    let mut log = None;
    for entry in &check_in.entries {
        match entry {
            Entry::Version(version) => {
                if !write_version(transaction, page, check_in, version, &new_contents)? {
                    return Err(crate::Error::Conflict);
                }
            }
            Entry::Visit { time, number, trouble } => {
                let log = match &mut log {
                    Some(log) => log,
                    None => log.insert(Log::open(transaction, page)?),
                };
                log.note(transaction, *number, trouble.as_deref(), *time)?;
            }
        }
    }
    log.map_or(Ok(()), |log| log.close(transaction))?;
    Ok(false)
}

/// Whether what was new still is, and what was known is still there: another page may have got the same content in the
/// meantime, perhaps in this very transaction, or the last version that had it was dropped.
fn has_contents_as_expected(transaction: &mut Transaction<'_>, check_in: &CheckIn) -> Result<bool> {
    for content in &check_in.contents {
        if history::content_id(transaction, content.hash)?.is_some() {
            return Ok(false);
        }
    }
    for entry in &check_in.entries {
        if let Entry::Version(NewVersion { content: None, hash, .. }) = entry
            && history::content_id(transaction, *hash)?.is_none()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The page, if its latest version is the one that was expected; from here on no other writer has it.
fn claim(transaction: &mut Transaction<'_>, check_in: &CheckIn) -> Result<Option<PageId>> {
    let latest = check_in.entries.iter().rev().find_map(|entry| match entry {
        Entry::Version(version) => Some(version.number),
        Entry::Visit { .. } => None,
    });
    let Some(page) = check_in.page else { return make_page(transaction, check_in, latest.unwrap_or(0)) };
    let latest = latest.unwrap_or(check_in.expected);
    let sql = "UPDATE page SET latest = $1 WHERE id = $2 AND latest = $3";
    let rows = transaction.execute(sql, values![latest, page, check_in.expected])?;
    Ok((rows == 1).then_some(page))
}

pub(crate) fn make_page(transaction: &mut Transaction<'_>, check_in: &CheckIn, latest: u32) -> Result<Option<PageId>> {
    let address = &check_in.address;
    let sql = "INSERT INTO page (key, url, method, body, latest) VALUES ($1, $2, $3, $4, $5) \
               ON CONFLICT (key) DO NOTHING RETURNING id";
    let key = address.key();
    let values = values![&key[..], address.url(), address.method(), address.body(), latest];
    transaction.first(sql, values, |mut row| row.take())
}

/// A content that is stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stored {
    pub(crate) content: i64,
    pub(crate) frame: FrameId,
}

/// Stores new contents, the newest first, because the others are differences from it.
fn write_contents(transaction: &mut Transaction<'_>, check_in: &CheckIn) -> Result<Vec<Stored>> {
    let mut stored: Vec<Stored> = Vec::new();
    for content in check_in.contents.iter().rev() {
        let base = stored.last().filter(|_| content.is_difference).map(|next| next.frame);
        stored.push(write_content(transaction, content, base)?);
    }
    if let (Some((frame, data)), Some(first)) = (&check_in.rebased, stored.last()) {
        frames::rebase(transaction, *frame, first.frame, data)?;
    }
    stored.reverse();
    Ok(stored)
}

pub(crate) fn write_content(
    transaction: &mut Transaction<'_>,
    new: &NewContent,
    base: Option<FrameId>,
) -> Result<Stored> {
    let frame = frames::insert(transaction, base, new.length, new.reach, &new.data)?;
    let sql = "INSERT INTO content (hash, length, frame, start) VALUES ($1, $2, $3, 0) RETURNING id";
    let content = transaction.number(sql, values![&new.hash.as_bytes()[..], new.length, frame])?;
    Ok(Stored { content, frame })
}

/// Stores a version; false where a content that was known is no longer there.
pub(crate) fn write_version(
    transaction: &mut Transaction<'_>,
    page: PageId,
    check_in: &CheckIn,
    version: &NewVersion,
    new_contents: &[Stored],
) -> Result<bool> {
    let new = version.content.and_then(|place| new_contents.get(place));
    let content = match new {
        Some(stored) => Some(stored.content),
        None => history::content_id(transaction, version.hash)?,
    };
    let Some(content) = content else { return Ok(false) };
    let details = write_details(transaction, page, version)?;
    let seal =
        seal(&check_in.address.key(), version.number, version.time, &version.hash, version.status, &version.details);
    let sql = "INSERT INTO version (page, number, time, content, status, details, seal) \
               VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let status = u32::from(version.status);
    transaction.execute(sql, values![page, version.number, version.time, content, status, details, seal])?;
    if let Some(step) = &version.step {
        write_step(transaction, page, version, step, new.map(|stored| stored.frame))?;
    }
    // The last version of the check-in has the last word.
    let sql = "UPDATE page SET latest_content = $1, canonical = $2 WHERE id = $3";
    transaction.execute(sql, values![content, check_in.canonical.as_deref(), page])?;
    Ok(true)
}

/// The details of the version before, where nothing of them has changed.
fn write_details(transaction: &mut Transaction<'_>, page: PageId, version: &NewVersion) -> Result<i64> {
    let sql = "SELECT d.id FROM version v JOIN details d ON d.id = v.details \
               WHERE v.page = $1 AND v.number = $2 AND d.data = $3";
    let same = transaction.first(sql, values![page, version.number - 1, &*version.details], |mut row| row.take())?;
    match same {
        Some(details) => Ok(details),
        None => transaction.number("INSERT INTO details (data) VALUES ($1) RETURNING id", values![&*version.details]),
    }
}

pub(crate) fn write_step(
    transaction: &mut Transaction<'_>,
    page: PageId,
    version: &NewVersion,
    step: &NewStep,
    after: Option<FrameId>,
) -> Result<()> {
    let frame = frames::insert(transaction, after, step.length, 0, &step.data)?;
    let piece = Piece { frame, start: 0, length: step.length };
    StepRow { page, number: version.number, time: version.time, piece, kinds: step.kinds }.insert(transaction)
}

#[cfg(test)]
mod tests {
    use super::super::prepare::prepare;
    use super::*;
    use crate::{Address, Capture, Location, Retention, Store};

    /// A page has got the content of a version, which is dropped before that is written.
    #[test]
    fn a_content_that_was_dropped_is_prepared_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
        let capture = |name: &str, second: i64, body: &str| {
            let address = Address::new(&format!("https://example.org/{name}.xml")).expect("an address");
            Capture::of(address, jiff::Timestamp::from_second(second).expect("a time"), body)
        };
        store.record(capture("one", 1, "<a>shared</a>")).expect("recorded");
        store.record(capture("one", 2, "<a>of its own</a>")).expect("recorded");
        let prepared =
            store.database.read(|transaction| prepare(transaction, vec![(0, capture("two", 3, "<a>shared</a>"))]));
        let prepared = prepared.expect("prepared");
        let rules = Retention { keep: Some(1), ..Retention::default() };
        store.prune("*", &rules, jiff::Timestamp::UNIX_EPOCH, |_| ()).expect("pruned");
        assert_eq!(commit(&store.database, &[prepared]).expect("written"), [true]);
        store.record(capture("two", 3, "<a>shared</a>")).expect("recorded");
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    }
}
