//! How much do two sentences have in common? The length of their longest common row of words, 64 words at a time.
//!
//! The first sentence is a row of bits, one for each of its words, and every word of the second changes the row by one
//! addition (Hyyrö's form of the algorithm by Crochemore and others): a bit is 0 where the table of the textbook algorithm
//! steps up, and the zeros are the length. A sentence of up to 64 words is weighed against one of n in n steps of about
//! a nanosecond. It stays on the [`Scale`] while others are weighed against it.

/// Bits of a row that are handled at once.
const BLOCK: usize = u64::BITS as usize;

/// Weighs sentences against one of them, by the numbers of their words.
#[derive(Debug, Default)]
pub struct Scale {
    /// Where the places of a word are in `places`, plus 1, by the word's number; 0 for those not in the sentence.
    slots: Vec<u32>,
    /// For every word of the sentence as many blocks as the sentence has: the places where it stands.
    places: Vec<u64>,
    /// The words that have a slot.
    words: Vec<u32>,
    row: Vec<u64>,
}

impl Scale {
    /// Puts a sentence on the scale, in the place of the last one.
    pub fn put(&mut self, sentence: &[u32]) {
        for word in self.words.drain(..) {
            self.slots[word as usize] = 0;
        }
        self.places.clear();
        self.row.clear();
        self.row.resize(sentence.len().div_ceil(BLOCK), 0);
        for (at, &word) in sentence.iter().enumerate() {
            let slot = self.slot(word);
            self.places[slot * self.row.len() + at / BLOCK] |= 1 << (at % BLOCK);
        }
    }

    /// The slot of a word, which may be new.
    fn slot(&mut self, word: u32) -> usize {
        if self.slots.len() <= word as usize {
            self.slots.resize(word as usize + 1, 0);
        }
        let slot = &mut self.slots[word as usize];
        if *slot == 0 {
            self.words.push(word);
            *slot = self.words.len() as u32;
            self.places.resize(self.words.len() * self.row.len(), 0);
        }
        *slot as usize - 1
    }

    /// How many words this sentence and the one on the scale have in common, in order.
    pub fn weigh(&mut self, other: &[u32]) -> usize {
        let n_blocks = self.row.len();
        self.row.fill(u64::MAX);
        for &word in other {
            if let Some(slot) = self.slots.get(word as usize).copied().filter(|&slot| slot > 0) {
                let start = (slot as usize - 1) * n_blocks;
                pass(&mut self.row, &self.places[start..start + n_blocks]);
            }
        }
        self.row.iter().map(|block| block.count_zeros() as usize).sum()
    }
}

/// Changes the row by a word that stands at these places of the sentence.
fn pass(row: &mut [u64], places: &[u64]) {
    let mut carry = false;
    for (block, &places) in row.iter_mut().zip(places) {
        let (sum, first) = block.overflowing_add(*block & places);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        carry = first | second;
        *block = sum | (*block & !places);
    }
}

/// A few bits that tell most sentences apart: one for each word, and the same for equal words.
pub fn sketch(sentence: &[u32]) -> u64 {
    let bit = |&word: &u32| 1 << (word.wrapping_mul(0x9E37_79B1) >> 26);
    sentence.iter().map(bit).fold(0, |bits, bit: u64| bits | bit)
}

/// The most that two sentences can weigh, by their lengths and sketches.
pub fn most(lens: [usize; 2], sketches: [u64; 2]) -> usize {
    // Every bit that the other does not have is at least one word that it does not have.
    let shared = |side: usize| lens[side] - (sketches[side] & !sketches[1 - side]).count_ones() as usize;
    shared(0).min(shared(1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The textbook's table.
    fn longest_common(before: &[u32], after: &[u32]) -> usize {
        let mut last = vec![0; after.len() + 1];
        for x in before {
            let mut row = vec![0; after.len() + 1];
            for (at, y) in after.iter().enumerate() {
                row[at + 1] = if x == y { last[at] + 1 } else { row[at].max(last[at + 1]) };
            }
            last = row;
        }
        last[after.len()]
    }

    fn sentence() -> impl Strategy<Value = Vec<u32>> {
        let words = |n_words: u32| prop::collection::vec(0..n_words, 0..200);
        prop_oneof![words(3), words(20), words(300), prop::collection::vec(0u32..9, 60..68)]
    }

    proptest! {
        #[test]
        fn sentences_weigh_what_they_have_in_common(first in sentence(), others in prop::collection::vec(sentence(), 1..4)) {
            let mut scale = Scale::default();
            // What was on the scale before leaves no trace.
            scale.put(&others[0]);
            scale.put(&first);
            for other in &others {
                let weight = scale.weigh(other);
                prop_assert_eq!(weight, longest_common(&first, other));
                prop_assert!(weight <= most([first.len(), other.len()], [sketch(&first), sketch(other)]));
            }
        }
    }
}
