//! Which bytes are known to be those that were written? Every 4096 bytes of a section have a checksum of their own, so
//! that who reads a little checks a little; what was found to be right is not looked at again.
//!
//! The checksums of a section's blocks have a checksum themselves, which is in the table, and the table has one. So
//! whatever is read hangs on the header by three of them, and a file is checked in full by reading it once.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use xxhash_rust::xxh3::xxh3_64;

/// A page of memory, the least that a mapped file is read by; the checksums take up a 512th of the whole.
const BLOCK_LEN: usize = 4096;
const SUM_LEN: usize = size_of::<u64>();

/// The blocks of all sections, and which of them have been found to be right.
#[derive(Debug, Clone)]
pub(super) struct Blocks {
    sections: Vec<SectionBlocks>,
    /// Where all checksums end.
    sums_end: u64,
    /// A bit for the list of each section and one for each block. Shared by all clones.
    seen: Arc<[AtomicU64]>,
}

#[derive(Debug, Clone)]
struct SectionBlocks {
    /// Where the checksums of the blocks are; `None` where the section is one block, whose checksum is in the table.
    sums: Option<Range<u64>>,
    /// The bit of the list of checksums; those of the blocks come behind it.
    first_bit: u64,
}

impl Blocks {
    /// The blocks of sections of these lengths, whose checksums start at `start`. Nothing is known yet of the lengths.
    pub(super) fn new(lens: impl Iterator<Item = u64>, start: usize) -> Self {
        let mut next = start as u64;
        let sums = lens.map(|len| {
            let end = next.saturating_add(len.div_ceil(BLOCK_LEN as u64).saturating_mul(SUM_LEN as u64));
            Some(std::mem::replace(&mut next, end)..end)
        });
        let sums = sums.collect();
        Blocks::of(sums, next)
    }

    /// The same where every section is one block.
    pub(super) fn whole(lens: impl Iterator<Item = u64>, start: usize) -> Self {
        Blocks::of(lens.map(|_| None).collect(), start as u64)
    }

    fn of(sums: Vec<Option<Range<u64>>>, sums_end: u64) -> Self {
        let mut next_bit = 0u64;
        let sections = sums.into_iter().map(|sums| {
            let blocks = sums.as_ref().map_or(1, |sums| (sums.end - sums.start) / SUM_LEN as u64);
            let first_bit = next_bit;
            next_bit = next_bit.saturating_add(1 + blocks);
            SectionBlocks { sums, first_bit }
        });
        Blocks { sections: sections.collect(), sums_end, seen: Arc::new([]) }
    }

    /// Where the checksums end, which may be beyond the end of everything.
    pub(super) fn sums_end(&self) -> u64 {
        self.sums_end
    }

    /// The same with memory for what is found out, once the checksums are known to be within the whole.
    pub(super) fn ready(self) -> Self {
        let bits = self.sections.len() as u64 * 2 + self.sums_end / SUM_LEN as u64;
        Blocks { seen: (0..bits.div_ceil(64)).map(|_| AtomicU64::new(0)).collect(), ..self }
    }

    /// Whether all blocks of `section` that `piece` touches match their checksums, and these theirs.
    #[inline]
    pub(super) fn check(
        &self,
        bytes: &[u8],
        section: usize,
        (whole, checksum): (&[u8], u64),
        piece: Range<usize>,
    ) -> bool {
        let SectionBlocks { sums, first_bit } = &self.sections[section];
        let Some(sums) = sums else {
            return self.once(*first_bit, || xxh3_64(whole) == checksum);
        };
        let is_listed = || {
            let list = bytes.get(sums.start as usize..sums.end as usize)?;
            self.once(*first_bit, || xxh3_64(list) == checksum).then_some(list)
        };
        (piece.start / BLOCK_LEN..piece.end.div_ceil(BLOCK_LEN)).all(|block| {
            self.once(first_bit + 1 + block as u64, || is_listed().is_some_and(|list| is_right(list, whole, block)))
        })
    }

    /// Whether something is right, found out at most once if it is.
    #[inline]
    fn once(&self, bit: u64, is_right: impl FnOnce() -> bool) -> bool {
        let Some(word) = self.seen.get((bit / 64) as usize) else { return is_right() };
        let mask = 1 << (bit % 64);
        if word.load(Relaxed) & mask != 0 {
            return true;
        }
        let is_right = is_right();
        if is_right {
            word.fetch_or(mask, Relaxed);
        }
        is_right
    }
}

fn is_right(list: &[u8], whole: &[u8], block: usize) -> bool {
    let sum = list.as_chunks::<SUM_LEN>().0.get(block);
    let end = whole.len().min((block + 1) * BLOCK_LEN);
    sum.is_some_and(|&sum| {
        whole.get(block * BLOCK_LEN..end).is_some_and(|bytes| xxh3_64(bytes) == u64::from_le_bytes(sum))
    })
}

/// The checksums of a section's blocks, as they are written.
pub(super) fn checksums(section: &[u8]) -> Vec<u8> {
    section.chunks(BLOCK_LEN).flat_map(|block| xxh3_64(block).to_le_bytes()).collect()
}
