//! Pages, versions and contents as the database has them.

use xxhash_rust::xxh3::Xxh3;

use crate::engine::{Row, Transaction, values};
use crate::frames::{FrameId, Frames, Piece};
use crate::page::PageId;
use crate::steps::Step;
use crate::steps::rows::step_row;
use crate::{Address, Details, Error, Page, Result, Version, time_of};
use treediff::delta::Identities;

pub(crate) fn page_id(transaction: &mut Transaction<'_>, address: &Address) -> Result<Option<PageId>> {
    let key = address.key();
    transaction.first("SELECT id FROM page WHERE key = $1", values![&key[..]], |mut row| row.take())
}

pub(crate) fn page(transaction: &mut Transaction<'_>, address: &Address) -> Result<Option<Page>> {
    let key = address.key();
    let sql = "SELECT id, url, method, body, canonical, latest FROM page WHERE key = $1";
    transaction.first(sql, values![&key[..]], page_of)
}

pub(crate) fn page_by_id(transaction: &mut Transaction<'_>, id: PageId) -> Result<Option<Page>> {
    let sql = "SELECT id, url, method, body, canonical, latest FROM page WHERE id = $1";
    transaction.first(sql, values![id], page_of)
}

/// A page of a row with its id, url, method, body, canonical address and latest version.
pub(crate) fn page_of(mut row: Row) -> Result<Page> {
    Ok(Page {
        id: row.take()?,
        address: Address::stored(row.take()?, row.take()?, row.take()?),
        canonical: row.take()?,
        latest: row.take()?,
    })
}

/// The latest version of a page, and how its content is kept.
#[derive(Debug)]
pub(crate) struct Latest {
    pub(crate) version: Version,
    pub(crate) frame: FrameId,
    pub(crate) reach: usize,
    pub(crate) stored_bytes: usize,
    /// Its frame has nothing else in it, and is no difference from another.
    pub(crate) is_full_and_alone: bool,
}

pub(crate) fn latest(transaction: &mut Transaction<'_>, page: PageId) -> Result<Option<Latest>> {
    let sql = "SELECT v.number, v.time, v.content, c.hash, c.length, v.status, d.data, v.seal, p.key, \
               f.id, f.reach, length(f.data), f.base, f.length \
               FROM page p JOIN version v ON v.page = p.id AND v.number = p.latest \
               JOIN content c ON c.id = v.content JOIN details d ON d.id = v.details JOIN frame f ON f.id = c.frame \
               WHERE p.id = $1";
    transaction.first(sql, values![page], |mut row| {
        let version = version_of(&mut row)?;
        // How far is a hint: where it is hurt, nothing more hangs on the frame.
        let (frame, reach) = (row.take()?, usize::try_from(row.take::<i64>()?).unwrap_or(usize::MAX));
        let stored_bytes = row.take()?;
        let (base, length): (Option<i64>, u64) = (row.take()?, row.take::<i64>()? as u64);
        let is_full_and_alone = base.is_none() && length == version.length;
        Ok(Latest { version, frame, reach, stored_bytes, is_full_and_alone })
    })
}

pub(crate) fn version(transaction: &mut Transaction<'_>, page: PageId, number: u32) -> Result<Option<Version>> {
    let sql = "SELECT v.number, v.time, v.content, c.hash, c.length, v.status, d.data, v.seal, p.key FROM version v \
               JOIN content c ON c.id = v.content JOIN details d ON d.id = v.details JOIN page p ON p.id = v.page \
               WHERE v.page = $1 AND v.number = $2";
    transaction.first(sql, values![page, number], |mut row| version_of(&mut row))
}

/// All versions of a page, oldest first.
pub(crate) fn versions(transaction: &mut Transaction<'_>, page: PageId) -> Result<Vec<Version>> {
    let sql = "SELECT v.number, v.time, v.content, c.hash, c.length, v.status, d.data, v.seal, p.key FROM version v \
               JOIN content c ON c.id = v.content JOIN details d ON d.id = v.details JOIN page p ON p.id = v.page \
               WHERE v.page = $1 ORDER BY v.number";
    transaction.all(sql, values![page], |mut row| version_of(&mut row))
}

/// A version, if it is what was recorded: where a bit of its row is another, its content may be that of another as well.
fn version_of(row: &mut Row) -> Result<Version> {
    let (number, time, content) = (row.take()?, row.take()?, row.take()?);
    let damaged = |why: &str| Error::damaged(format!("the record of version {number}"), why);
    let hash: [u8; 32] = row.take::<Vec<u8>>()?.try_into().map_err(|_| damaged("its hash has another length"))?;
    let hash = blake3::Hash::from(hash);
    let length = row.take::<i64>()?.try_into().map_err(|_| damaged("its length is below zero"))?;
    let status = row.take::<i64>()?.try_into().map_err(|_| damaged("its status is none"))?;
    let (details, found): (String, i64) = (row.take()?, row.take()?);
    if found != seal(&row.take::<Vec<u8>>()?, number, time, &hash, status, &details) {
        return Err(damaged("its seal is another"));
    }
    let details: Details = serde_json::from_str(&details).map_err(|error| damaged(&error.to_string()))?;
    Ok(Version { number, time: time_of(time)?, hash, length, status, details, content })
}

pub(crate) fn content_id(transaction: &mut Transaction<'_>, hash: blake3::Hash) -> Result<Option<i64>> {
    let sql = "SELECT id FROM content WHERE hash = $1";
    transaction.first(sql, values![&hash.as_bytes()[..]], |mut row| row.take())
}

/// The bytes of a version, which are what was recorded or an error.
pub(crate) fn content(transaction: &mut Transaction<'_>, frames: &mut Frames, version: &Version) -> Result<Vec<u8>> {
    let sql = "SELECT frame, start, length FROM content WHERE id = $1";
    let piece = transaction.first(sql, values![version.content], piece_of)?;
    let damaged = |why: String| Error::damaged(format!("the content of version {}", version.number), why);
    let Some(piece) = piece else {
        let sql = "SELECT count(*) FROM version WHERE content = $1";
        let is_kept = transaction.number(sql, values![version.content])? > 0;
        let dropped = Error::Dropped { number: version.number };
        return Err(if is_kept { damaged("it is not there".into()) } else { dropped });
    };
    let bytes = frames.piece(transaction, piece).map_err(|error| match error {
        Error::Damaged { what, why } => damaged(format!("{what}: {why}")),
        error => error,
    })?;
    if blake3::hash(&bytes) == version.hash { Ok(bytes) } else { Err(damaged("its hash is another".into())) }
}

pub(crate) fn piece_of(mut row: Row) -> Result<Piece> {
    Ok(Piece { frame: row.take()?, start: row.take()?, length: row.take()? })
}

/// The bytes of the step to a version, where there is one.
pub(crate) fn step_bytes(
    transaction: &mut Transaction<'_>,
    frames: &mut Frames,
    page: PageId,
    number: u32,
) -> Result<Option<Vec<u8>>> {
    let step = step_row(transaction, page, number)?;
    step.map(|step| frames.piece(transaction, step.piece)).transpose()
}

/// The identities of a version by the step that leads to it; none for the first tree of a page.
pub(crate) fn recorded_identities(
    transaction: &mut Transaction<'_>,
    frames: &mut Frames,
    page: PageId,
    number: u32,
) -> Result<Option<Identities>> {
    let bytes = step_bytes(transaction, frames, page, number)?;
    bytes.map(|bytes| Ok(Step::from_bytes(&bytes)?.identities()?)).transpose()
}

/// A checksum over what is known of a version: the database would not notice if a bit of it changed.
pub(crate) fn seal(page_key: &[u8], number: u32, time: i64, hash: &blake3::Hash, status: u16, details: &str) -> i64 {
    let mut hasher = Xxh3::new();
    hasher.update(page_key);
    hasher.update(&number.to_le_bytes());
    hasher.update(&time.to_le_bytes());
    hasher.update(hash.as_bytes());
    hasher.update(&status.to_le_bytes());
    hasher.update(details.as_bytes());
    hasher.digest() as i64
}
