//! How are contents taken? As frames, each a difference from the newer one before it, as if they had been recorded.

use std::collections::HashSet;

use crate::Result;
use crate::engine::{Transaction, values};
use crate::frames::{self, Effort, FrameId, compress};
use crate::history;
use crate::record::commit::{self, Stored};
use crate::record::prepare::NewContent;

/// The contents of an archive so far.
#[derive(Debug, Default)]
pub(super) struct Contents {
    /// Halves of the hashes of all of them, so that none comes twice.
    taken: HashSet<[u8; 16]>,
    /// Those that the next page must have, because they come right before the first page that has them.
    waiting: HashSet<blake3::Hash>,
    chain: Option<Chain>,
}

/// Frames that hang on one another.
#[derive(Debug)]
struct Chain {
    first: FrameId,
    last: FrameId,
    raw: Vec<u8>,
    reach: usize,
}

impl Contents {
    /// Takes a content and tells whether it is new to the store; none where it was there before in the archive.
    pub(super) fn take(
        &mut self,
        transaction: &mut Transaction<'_>,
        hash: blake3::Hash,
        raw: Vec<u8>,
    ) -> Result<Option<bool>> {
        if !self.taken.insert(half(hash)) {
            return Ok(None);
        }
        self.waiting.insert(hash);
        if history::content_id(transaction, hash)?.is_some() {
            return Ok(Some(false));
        }
        self.store(transaction, hash, raw)?;
        Ok(Some(true))
    }

    fn store(&mut self, transaction: &mut Transaction<'_>, hash: blake3::Hash, raw: Vec<u8>) -> Result<()> {
        let chain = self.chain.take();
        let longer = chain.and_then(|chain| Some((frames::reach(raw.len(), chain.reach)?, chain)));
        let base = longer.as_ref().map(|(_, chain)| chain);
        let data = compress(&raw, base.map(|chain| &*chain.raw), Effort::Live)?;
        let own_reach = frames::reach(raw.len(), 0).unwrap_or(raw.len());
        let (length, is_difference) = (raw.len(), base.is_some());
        let new = NewContent { hash, length, data, reach: own_reach, is_difference };
        let Stored { frame, .. } = commit::write_content(transaction, &new, base.map(|chain| chain.last))?;
        let (first, reach) = longer.map_or((frame, own_reach), |(reach, chain)| (chain.first, reach));
        if first != frame {
            transaction.execute("UPDATE frame SET reach = $1 WHERE id = $2", values![reach, first])?;
        }
        self.chain = Some(Chain { first, last: frame, raw, reach });
        Ok(())
    }

    /// Begins another page, and gives back the contents that it must have.
    pub(super) fn next_page(&mut self) -> HashSet<blake3::Hash> {
        self.chain = None;
        std::mem::take(&mut self.waiting)
    }

    pub(super) fn has(&self, hash: blake3::Hash) -> bool {
        self.taken.contains(&half(hash))
    }

    pub(super) fn waiting(&self) -> &HashSet<blake3::Hash> {
        &self.waiting
    }

    pub(super) fn count(&self) -> u64 {
        self.taken.len() as u64
    }
}

fn half(hash: blake3::Hash) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    half
}
