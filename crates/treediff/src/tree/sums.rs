//! How much do the nodes before this one add up to? Small numbers, one byte each, summed over any range at once.
//!
//! Attribute counts and own weights are small, and are asked for as sums over a range of nodes: where an element's
//! attributes start, what a subtree weighs. A byte a node and a 32-bit sum every 16 nodes hold them in 1.25 bytes a
//! node where an array of sums takes 4; over the two columns that is an eighth of the source on markup-dense XML.

use std::ops::Range;

use super::column::Column;

/// How many values there are to a sum.
pub(super) const BLOCK: usize = 16;

/// A sequence of small numbers with sums over its prefixes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ByteSums {
    pub(crate) values: Column<u8>,
    /// The sum of all values before each block.
    pub(crate) bases: Column<u32>,
}

impl From<Vec<u8>> for ByteSums {
    fn from(mut values: Vec<u8>) -> Self {
        values.shrink_to_fit();
        let mut total = 0;
        let bases: Vec<u32> = values
            .chunks(BLOCK)
            .map(|block| {
                let base = total;
                total += block.iter().map(|&value| u32::from(value)).sum::<u32>();
                base
            })
            .collect();
        ByteSums { values: values.into(), bases: bases.into() }
    }
}

impl ByteSums {
    /// The sum of the first `end` values.
    #[inline]
    pub(crate) fn before(&self, end: usize) -> u32 {
        let block = end / BLOCK;
        let whole = self.values.as_chunks().0.get(block);
        match whole.zip(self.bases.get(block)) {
            Some((whole, base)) => base + sum_of_first(u128::from_le_bytes(*whole), end % BLOCK),
            None => self.before_in_last_block(end),
        }
    }

    /// The same where the block is not whole, or there is none because all blocks before are.
    #[inline(never)]
    fn before_in_last_block(&self, end: usize) -> u32 {
        let Some(last) = self.bases.len().checked_sub(1) else { return 0 };
        self.bases[last] + sum(&self.values[last * BLOCK..end])
    }

    /// The sum of the values from one on; of a few it takes less to add them.
    #[inline]
    pub(crate) fn within(&self, range: Range<usize>) -> u32 {
        const FEW: usize = 4;
        if range.len() <= FEW { sum(&self.values[range]) } else { self.before(range.end) - self.before(range.start) }
    }

    pub(crate) fn get(&self, at: usize) -> u8 {
        self.values[at]
    }

    /// Whether the stored sums are those of the stored values, and all of them fit.
    pub(crate) fn is_consistent(&self) -> bool {
        let blocks = self.values.chunks(BLOCK);
        let total = self.bases.iter().zip(blocks).try_fold(0u32, |total, (&base, block)| {
            let sum = block.iter().map(|&value| u32::from(value)).sum();
            total.checked_add(sum).filter(|_| base == total)
        });
        total.is_some() && self.bases.len() == self.values.len().div_ceil(BLOCK)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.values.heap_bytes() + self.bases.heap_bytes()
    }
}

fn sum(values: &[u8]) -> u32 {
    values.iter().fold(0, |sum, &value| sum + u32::from(value))
}

/// The sum of the first values of a block, without a loop.
#[inline]
fn sum_of_first(values: u128, count: usize) -> u32 {
    const EVERY_OTHER: u64 = 0x00FF_00FF_00FF_00FF;
    let [keep_low, keep_high] = KEEP[count % BLOCK];
    let (low, high) = (values as u64 & keep_low, (values >> 64) as u64 & keep_high);
    let pairs = |word: u64| (word & EVERY_OTHER) + (word >> 8 & EVERY_OTHER);
    // Four sums of sixteen bits, of which none can be more than 16 times 255.
    ((pairs(low) + pairs(high)).wrapping_mul(0x0001_0001_0001_0001) >> 48) as u32
}

/// What is kept of the two words of a block for each number of first values.
static KEEP: [[u64; 2]; BLOCK] = {
    let mut keep = [[0; 2]; BLOCK];
    let mut count = 0;
    while count < BLOCK {
        let all = !(u128::MAX << (8 * count));
        keep[count] = [all as u64, (all >> 64) as u64];
        count += 1;
    }
    keep
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_values() {
        for len in [0usize, 1, 15, 16, 17, 32, 100] {
            let sums = ByteSums::from((0..len).map(|at| (at * 37 % 251) as u8).collect::<Vec<u8>>());
            assert!(sums.is_consistent());
            for end in 0..=len {
                let plain: u32 = (0..end).map(|at| (at * 37 % 251) as u32).sum();
                assert_eq!(sums.before(end), plain, "{end} of {len}");
                for start in 0..=end {
                    assert_eq!(sums.within(start..end), plain - sums.before(start), "{start}..{end} of {len}");
                }
            }
        }
    }
}
