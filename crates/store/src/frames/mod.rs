//! Where are the bytes? In frames: a frame has one content, or many behind one another, and may be a difference from
//! another frame, its base.
//!
//! While recording, the latest version of a page is a frame without a base, quick to read, and the version before it
//! becomes a difference from it. A frame's `reach` is the number of bytes that must be decoded to get at the furthest
//! one that hangs on it; it is bounded ([`MOST_REACH`]), so that any version comes back in bounded time.

mod codec;
mod compact;

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

pub(crate) use codec::{Effort, MOST_BYTES, compress, decompress};
pub(crate) use compact::compact;

use crate::engine::{Row, Transaction, values};
use crate::page::PageId;
use crate::{Error, Result};

pub(crate) type FrameId = i64;

/// Beyond this many bytes to decode for a version, another full copy is kept.
pub(crate) const MOST_REACH: usize = 4 << 20;
/// Large versions may reach further, or each of them would be a full copy.
const MOST_LARGE: usize = 8;
/// What a frame counts for at least: small ones cost their look-up.
const LEAST_REACH: usize = 64 << 10;
/// No chain of bases is longer, or it leads nowhere.
const LONGEST_CHAIN: usize = 1000;
/// Frames of more bytes are not fetched before they are asked for.
const MOST_FETCHED: usize = 256 << 10;
/// Decoded frames that are kept at hand.
const CACHE_BYTES: usize = 64 << 20;

/// Where some bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) frame: FrameId,
    pub(crate) start: usize,
    pub(crate) length: usize,
}

/// Frames as they are read, with those at hand that were read last: versions are neighbours.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    /// Frames that were fetched together and not asked for yet.
    fetched: HashMap<FrameId, Stored>,
    decoded: HashMap<FrameId, Decoded>,
    bytes: usize,
    clock: u64,
}

#[derive(Debug)]
struct Decoded {
    raw: Arc<Vec<u8>>,
    used: u64,
}

/// A frame as it is stored.
#[derive(Debug)]
struct Stored {
    id: FrameId,
    base: Option<FrameId>,
    length: usize,
    data: Vec<u8>,
}

impl Frames {
    /// The bytes of a piece.
    pub(crate) fn piece(&mut self, transaction: &mut Transaction<'_>, piece: Piece) -> Result<Vec<u8>> {
        let raw = self.raw(transaction, piece.frame)?;
        let bytes = piece.start.checked_add(piece.length).and_then(|end| raw.get(piece.start..end));
        bytes.map(<[u8]>::to_vec).ok_or_else(|| damaged(piece.frame, "a piece of it is beyond its end"))
    }

    /// All bytes of a frame.
    pub(crate) fn raw(&mut self, transaction: &mut Transaction<'_>, frame: FrameId) -> Result<Arc<Vec<u8>>> {
        let mut waiting: Vec<Stored> = Vec::new();
        let mut next = Some(frame);
        let mut base: Option<Arc<Vec<u8>>> = None;
        while let Some(id) = next {
            if let Some(raw) = self.known(id) {
                base = Some(raw);
                break;
            }
            if waiting.len() > LONGEST_CHAIN || waiting.iter().any(|one| one.id == id) {
                return Err(damaged(frame, "what it is a difference from leads nowhere"));
            }
            let one = self.fetched.remove(&id).map_or_else(|| load(transaction, id), Ok)?;
            next = one.base;
            waiting.push(one);
        }
        while let Some(Stored { id, length, data, .. }) = waiting.pop() {
            let raw = decompress(&data, base.as_ref().map(|base| &***base), length).map_err(|error| match error {
                Error::Damaged { why, .. } => damaged(id, why),
                error => error,
            })?;
            base = Some(self.keep(id, raw));
        }
        base.ok_or_else(|| damaged(frame, "it is not there"))
    }

    /// Fetches what the steps to some versions of a page are made of, where each has a frame of its own: two questions are
    /// quicker than two for every version. All that was at hand is forgotten: it is of other pages, and memory that was
    /// just used is quicker than more of it.
    pub(crate) fn fetch(
        &mut self,
        transaction: &mut Transaction<'_>,
        page: PageId,
        numbers: RangeInclusive<u32>,
    ) -> Result<()> {
        let of_steps = "SELECT f.id, f.base, f.length, f.data FROM step s JOIN frame f ON f.id = s.frame \
                        WHERE s.page = $1 AND s.number >= $2 AND s.number <= $3 \
                        AND f.length = s.length AND length(f.data) <= $4";
        let of_contents = "SELECT f.id, f.base, f.length, f.data \
                           FROM version v JOIN content c ON c.id = v.content JOIN frame f ON f.id = c.frame \
                           WHERE v.page = $1 AND v.number >= $2 AND v.number <= $3 \
                           AND f.length = c.length AND length(f.data) <= $4";
        *self = Frames::default();
        for sql in [of_steps, of_contents] {
            let values = values![page, *numbers.start(), *numbers.end(), MOST_FETCHED];
            transaction.query(sql, values, |row| {
                let stored = stored(row)?;
                self.fetched.insert(stored.id, stored);
                Ok(())
            })?;
        }
        Ok(())
    }

    fn known(&mut self, id: FrameId) -> Option<Arc<Vec<u8>>> {
        self.clock += 1;
        let known = self.decoded.get_mut(&id)?;
        known.used = self.clock;
        Some(Arc::clone(&known.raw))
    }

    fn keep(&mut self, id: FrameId, raw: Vec<u8>) -> Arc<Vec<u8>> {
        let raw = Arc::new(raw);
        self.clock += 1;
        self.bytes += raw.len();
        self.decoded.insert(id, Decoded { raw: Arc::clone(&raw), used: self.clock });
        if self.bytes > CACHE_BYTES {
            self.forget_half();
        }
        raw
    }

    /// Half at a time, so that the search for the oldest is paid for by many frames.
    fn forget_half(&mut self) {
        let mut used: Vec<u64> = self.decoded.values().map(|decoded| decoded.used).collect();
        used.sort_unstable();
        let middle = used[used.len() / 2];
        self.decoded.retain(|_, decoded| decoded.used >= middle);
        self.bytes = self.decoded.values().map(|decoded| decoded.raw.len()).sum();
    }
}

fn load(transaction: &mut Transaction<'_>, id: FrameId) -> Result<Stored> {
    let sql = "SELECT id, base, length, data FROM frame WHERE id = $1";
    transaction.first(sql, values![id], stored)?.ok_or_else(|| damaged(id, "it is not there"))
}

fn stored(mut row: Row) -> Result<Stored> {
    Ok(Stored { id: row.take()?, base: row.take()?, length: row.take()?, data: row.take()? })
}

/// The reach of a frame on which one of `hanging` reach hangs; none where that is too far.
pub(crate) fn reach(length: usize, hanging: usize) -> Option<usize> {
    let most = MOST_REACH.max(length.saturating_mul(MOST_LARGE));
    Some(hanging.saturating_add(length.max(LEAST_REACH))).filter(|&reach| hanging == 0 || reach <= most)
}

/// Stores a frame and tells its number.
pub(crate) fn insert(
    transaction: &mut Transaction<'_>,
    base: Option<FrameId>,
    length: usize,
    reach: usize,
    data: &[u8],
) -> Result<FrameId> {
    let sql = "INSERT INTO frame (base, length, reach, data) VALUES ($1, $2, $3, $4) RETURNING id";
    transaction.number(sql, values![base, length, reach, data])
}

/// Makes a frame without a base a difference from another, unless it has become something else in the meantime.
pub(crate) fn rebase(transaction: &mut Transaction<'_>, id: FrameId, base: FrameId, data: &[u8]) -> Result<()> {
    let sql = "UPDATE frame SET base = $1, data = $2 WHERE id = $3 AND base IS NULL";
    transaction.execute(sql, values![base, data, id])?;
    Ok(())
}

fn damaged(frame: FrameId, why: impl Into<String>) -> Error {
    Error::damaged(format!("frame {frame}"), why)
}
