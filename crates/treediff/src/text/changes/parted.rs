//! Which sentences were parted, or made one? A paragraph that is divided in the middle of a sentence has two where there was one.
//!
//! Pairs are of one sentence each, so that the smaller part would be new, and gone from the sentence as well. Where those next
//! to a part have most of their words in what is left of the whole, they are parts of it too, and the whole is compared with all
//! of them.

use std::ops::Range;

use super::anchors::Pair;
use super::heaviest::{LIKE, Sentence};
use super::weigh::Scale;

/// Sentences of each side that are compared with each other as if they were one.
pub type Group = (Range<usize>, Range<usize>);

/// Parts of a sentence on either side of the one it is a pair with; each costs a comparison with the whole.
const MOST_PARTS: usize = 8;

/// The pairs, each with the sentences that are parts of the same one; `may_be_one` says which may be compared at all.
pub fn groups(
    before: &[Sentence<'_>],
    after: &[Sentence<'_>],
    pairs: &[Pair],
    may_be_one: impl Fn(usize, usize) -> bool,
    scale: &mut Scale,
) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::with_capacity(pairs.len());
    for (at, &(x, y)) in pairs.iter().enumerate() {
        let start = groups.last().map_or((0, 0), |(there, here)| (there.end, here.end));
        let end = pairs.get(at + 1).copied().unwrap_or((before.len(), after.len()));
        let (mut there, mut here) = (x..x + 1, y..y + 1);
        if (start, end) != ((x, y), (x + 1, y + 1)) && before[x].whole != after[y].whole {
            here = parts(&before[x], after, y, start.1..end.1, |part| may_be_one(x, part), scale);
            if here.len() == 1 {
                there = parts(&after[y], before, x, start.0..end.0, |part| may_be_one(part, y), scale);
            }
        }
        groups.push((there, here));
    }
    groups
}

/// Which sentences of a row are parts of `whole`: the one that it is a pair with, and those around it among the free ones.
fn parts(
    whole: &Sentence<'_>,
    row: &[Sentence<'_>],
    paired: usize,
    free: Range<usize>,
    may_be_part: impl Fn(usize) -> bool,
    scale: &mut Scale,
) -> Range<usize> {
    let mut parts = paired..paired + 1;
    if free == parts {
        return parts;
    }
    scale.put(whole.words);
    let words = row[paired].words.to_vec();
    let mut known = Known { shared: scale.weigh(&words), words, scale };
    let mut is_part = |part: usize, is_before: bool| may_be_part(part) && known.takes(row[part].words, is_before);
    while parts.start > free.start && paired - parts.start < MOST_PARTS && is_part(parts.start - 1, true) {
        parts.start -= 1;
    }
    while parts.end < free.end && parts.end - paired <= MOST_PARTS && is_part(parts.end, false) {
        parts.end += 1;
    }
    parts
}

/// The parts that are known of the sentence on the scale.
struct Known<'s> {
    words: Vec<u32>,
    /// How many of these the sentence has, in order.
    shared: usize,
    scale: &'s mut Scale,
}

impl Known<'_> {
    /// Takes in a part that stands before or behind all others, if most of its words are in what is left of the sentence.
    fn takes(&mut self, part: &[u32], is_before: bool) -> bool {
        let words = if is_before { [part, &self.words].concat() } else { [&self.words, part].concat() };
        let shared = self.scale.weigh(&words);
        let more = shared - self.shared;
        let is_part = more > 0 && 100 * more >= LIKE * part.len();
        if is_part {
            (self.words, self.shared) = (words, shared);
        }
        is_part
    }
}
