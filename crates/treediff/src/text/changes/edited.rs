//! Which sentences are the same for the most part, wherever they stand? Those that share rows of words which nothing else has.
//!
//! Three words in a row that only one of the sentences of the version before has lead to it, and the sentence that most of them
//! lead to is compared word by word. So every sentence is compared with one other at most, and the whole is linear in the words.

use std::collections::HashMap;
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
    let mut places: HashMap<[u32; ROW], Option<usize>> = HashMap::new();
    for &place in gone {
        for row in rows(before, place) {
            let known = places.entry(row).or_insert(Some(place));
            *known = known.filter(|&known| known == place);
        }
    }
    let mut pairs = Vec::new();
    let mut taken = ByHash::default();
    for &at in new {
        let mut votes: ByHash<usize, usize> = ByHash::default();
        for place in rows(after, at).filter_map(|row| places.get(&row).copied().flatten()) {
            *votes.entry(place).or_default() += 1;
        }
        let best = votes.into_iter().max_by_key(|&(place, votes)| (votes, std::cmp::Reverse(place)));
        let Some((place, _)) = best.filter(|(place, _)| !taken.contains_key(place)) else { continue };
        if let Some(edits) = edits(before, place, after, at) {
            taken.insert(place, ());
            pairs.push((place, at, edits));
        }
    }
    pairs
}

/// All rows of words of a sentence.
fn rows(reading: &Reading<'_>, sentence: usize) -> impl Iterator<Item = [u32; ROW]> {
    let items = &reading.items()[reading.sentences()[sentence].items()];
    let words: Vec<u32> = items.iter().filter(|item| item.counts()).map(|item| item.number).collect();
    (ROW..=words.len()).map(move |end| [words[end - 3], words[end - 2], words[end - 1]])
}

/// Where two sentences differ, if they are alike.
fn edits(before: &Reading<'_>, place: usize, after: &Reading<'_>, at: usize) -> Option<Vec<Hunk>> {
    let (there, here) = (before.sentences()[place].items(), after.sentences()[at].items());
    let [old, new] = [measures(before, &there), measures(after, &here)];
    let hunks = readable::hunks(&old, &new)?;
    let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
    are_alike([&old, &new], &hunks)
        .then(|| hunks.into_iter().map(|(old, new)| (moved(old, there.start), moved(new, here.start))).collect())
}

fn are_alike(rows: [&Measures; 2], hunks: &[Hunk]) -> bool {
    let sum = |letters: &[u32]| letters.iter().map(|&letters| u64::from(letters)).sum::<u64>();
    let all = sum(&rows[0].letters) + sum(&rows[1].letters);
    let changed: u64 =
        hunks.iter().map(|(old, new)| sum(&rows[0].letters[old.clone()]) + sum(&rows[1].letters[new.clone()])).sum();
    100 * (all - changed) >= LIKE * all
}
