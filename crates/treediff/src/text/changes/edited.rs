//! Which sentences are the same for the most part, wherever they stand? Those that share rows of words which nothing else has.
//!
//! Three words in a row that only one of the sentences of the version before has lead to it, and the sentence that most of them
//! lead to is compared word by word. So every sentence is compared with one other at most, and the whole is linear in the words.

use std::ops::Range;

use super::super::reading::Reading;
use super::compare::measures;
use super::readable::{self, Hunk, Measures};
use crate::tree::hash::ByHash;

/// The part of two sentences' letters that stays if the one is the other, in hundredths: more than of sentences that stand in the
/// same place.
const LIKE: u64 = 60;

/// Words that lead to a sentence.
const ROW: usize = 3;

/// Sentences of `after` and what they were in `before`, of those that are given, with the places where both differ.
pub fn pairs(
    before: &Reading<'_>,
    gone: &[usize],
    after: &Reading<'_>,
    new: &[usize],
) -> Vec<(usize, usize, Vec<Hunk>)> {
    if gone.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let words: usize = gone.iter().map(|&place| before.sentences()[place].items().len()).sum();
    let mut places: ByHash<u64, usize> = ByHash::with_capacity_and_hasher(words, Default::default());
    for &place in gone {
        rows(before, place, |row| {
            let known = places.entry(row).or_insert(place);
            *known = if *known == place { place } else { SEVERAL };
        });
    }
    let letters_of: ByHash<usize, u64> = gone.iter().map(|&place| (place, letters(before, place))).collect();
    let mut pairs = Vec::new();
    let mut taken = ByHash::default();
    for &at in new {
        let mut votes: Vec<usize> = Vec::new();
        rows(after, at, |row| votes.extend(places.get(&row).filter(|&&place| place != SEVERAL)));
        let Some(place) = most_frequent(votes).filter(|place| !taken.contains_key(place)) else { continue };
        // A long sentence is not to be compared with each of the many short ones that may lead to it.
        let [there, here] = [letters_of.get(&place).copied().unwrap_or_default(), letters(after, at)];
        if 200 * there.min(here) < LIKE * (there + here) {
            continue;
        }
        if let Some(edits) = edits_of(before, place, after, at) {
            taken.insert(place, ());
            pairs.push((place, at, edits));
        }
    }
    pairs
}

/// In the place of a sentence: more than one has the row.
const SEVERAL: usize = usize::MAX;

/// What is there most often; of several the first.
fn most_frequent(mut votes: Vec<usize>) -> Option<usize> {
    votes.sort_unstable();
    let groups = votes.chunk_by(|left, right| left == right);
    groups.max_by_key(|group| (group.len(), std::cmp::Reverse(group[0]))).map(|group| group[0])
}

/// All rows of words of a sentence, as a number each; rows that share one by chance only lead to a sentence in vain.
fn rows(reading: &Reading<'_>, sentence: usize, mut take: impl FnMut(u64)) {
    let items = &reading.items()[reading.sentences()[sentence].items()];
    let mut row = 0;
    for (at, item) in items.iter().filter(|item| item.counts()).enumerate() {
        row = row << BITS ^ u64::from(item.number);
        if at + 1 >= ROW {
            take(row & ((1 << (BITS * ROW as u32)) - 1));
        }
    }
}

/// Bits of a word in the number of a row: two million words.
const BITS: u32 = 21;

/// The letters of a sentence.
fn letters(reading: &Reading<'_>, sentence: usize) -> u64 {
    let items = &reading.items()[reading.sentences()[sentence].items()];
    items.iter().map(|item| u64::from(readable::letters(item.kind(), reading.written(*item)))).sum()
}

/// Where two sentences differ, if they are alike.
fn edits_of(before: &Reading<'_>, place: usize, after: &Reading<'_>, at: usize) -> Option<Vec<Hunk>> {
    let (there, here) = (before.sentences()[place].items(), after.sentences()[at].items());
    let [old, new] = measures([before, after], [&there, &here]);
    let hunks = readable::hunks(&old, &new);
    are_alike([&old, &new], &hunks).then(|| placed(hunks, [before, after], there.start, here.start))
}

/// Where some items of both sides differ.
pub fn edits(before: &Reading<'_>, there: Range<usize>, after: &Reading<'_>, here: Range<usize>) -> Vec<Hunk> {
    let [old, new] = measures([before, after], [&there, &here]);
    placed(readable::hunks(&old, &new), [before, after], there.start, here.start)
}

/// Places within some items as places among all, but for those with nothing but white space: how far lines are indented is
/// nothing that was edited.
fn placed(hunks: Vec<Hunk>, [before, after]: [&Reading<'_>; 2], there: usize, here: usize) -> Vec<Hunk> {
    let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
    let hunks = hunks.into_iter().map(|(old, new)| (moved(old, there), moved(new, here)));
    hunks.filter(|(old, new)| !before.is_white(old) || !after.is_white(new)).collect()
}

fn are_alike(rows: [&Measures; 2], hunks: &[Hunk]) -> bool {
    let sum = |letters: &[u32]| letters.iter().map(|&letters| u64::from(letters)).sum::<u64>();
    let all = sum(&rows[0].letters) + sum(&rows[1].letters);
    let changed: u64 =
        hunks.iter().map(|(old, new)| sum(&rows[0].letters[old.clone()]) + sum(&rows[1].letters[new.clone()])).sum();
    100 * (all - changed) >= LIKE * all
}
