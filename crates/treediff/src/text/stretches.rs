//! How do two rows of tokens differ that are too long for one search? Piece by piece.
//!
//! A search finds the fewest edits, and its time grows with their square. Where it takes too long, the rows are divided at tokens
//! that each has once, as many of them as are in the same order; what is still too long between two of these at rows of three
//! tokens ([`ROWS`]), since words of a small vocabulary are there often and three of them in a row seldom. What has neither is gone
//! through from its beginning, [`EDITS`] at a time: the way that leads furthest with so many edits is right but for its end, so that its
//! first half is kept, and the next search begins there. That may miss the fewest edits, and takes time in line with the tokens.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use super::whereabouts::Whereabouts;
use super::{Budget, myers};
use crate::matching::{Sibling, SiblingOrder, staying};
use crate::tree::hash::{ByHash, KeyedState};

/// How many tokens stand in the rows that rows are divided at, one length after the other.
const ROWS: [usize; 2] = [1, 3];

/// The most edits of a search that goes on where the last one ended. What is new and longer has to be divided from what is around.
const EDITS: usize = 256;

/// The places that differ, as ranges of both, with equal tokens between any two; the fewest where the budget suffices.
pub fn hunks<T: Copy + Eq + Into<u64>>(before: &[T], after: &[T], budget: Budget) -> Vec<myers::Place> {
    let mut hunks = Hunks::default();
    let mut gaps = vec![(ROWS.as_slice(), (0..before.len(), 0..after.len()))];
    while let Some((lens, (there, here))) = gaps.pop() {
        let (old, new) = (&before[there.clone()], &after[here.clone()]);
        let found = myers::hunks_by([old.len(), new.len()], |x, y| old[x] == new[y], budget);
        let start = (there.start, here.start);
        match (found, lens.split_first()) {
            (Some(found), _) => hunks.extend(found, start),
            (None, Some((&len, lens))) => {
                let between = between(&anchors(old, new, len), there, here);
                gaps.extend(between.into_iter().rev().map(|gap| (lens, gap)));
            }
            (None, None) => in_stretches(old, new, start, &mut hunks),
        }
    }
    hunks.0
}

/// Goes through both rows from their beginning, as far as one search leads at a time.
fn in_stretches<T: Copy + Eq>(before: &[T], after: &[T], start: (usize, usize), hunks: &mut Hunks) {
    let (mut x, mut y) = (0, 0);
    while x < before.len() || y < after.len() {
        let (old, new) = (&before[x..], &after[y..]);
        let (found, end) = myers::beginning([old.len(), new.len()], |x, y| old[x] == new[y], EDITS);
        hunks.extend(found, (start.0 + x, start.1 + y));
        (x, y) = (x + end.0, y + end.1);
    }
}

/// Where rows of so many tokens begin that both sides have once, as many as are in the same order.
fn anchors<T: Copy + Eq + Into<u64>>(before: &[T], after: &[T], len: usize) -> Vec<(usize, usize)> {
    let hasher = KeyedState::default();
    let mut places: ByHash<u64, [Whereabouts; 2]> = ByHash::default();
    for (side, row) in [before, after].into_iter().enumerate() {
        for (at, tokens) in row.windows(len).enumerate() {
            let mut content = hasher.build_hasher();
            tokens.iter().for_each(|&token| content.write_u64(token.into()));
            places.entry(content.finish()).or_default()[side].see(at);
        }
    }
    let only = places.into_values().filter_map(|[there, here]| Some((there.only()?, here.only()?)));
    let mut pairs: Vec<(usize, usize)> = only.filter(|&(x, y)| before[x..x + len] == after[y..y + len]).collect();
    pairs.sort_unstable();
    let siblings: Vec<Sibling> = pairs.iter().map(|&(_, y)| Sibling { position: y as u32, weight: 1 }).collect();
    let stays = staying(&siblings, SiblingOrder::Exact);
    pairs.into_iter().zip(stays).filter_map(|(pair, stays)| stays.then_some(pair)).collect()
}

/// What lies between anchors, each of which is one token.
fn between(anchors: &[(usize, usize)], there: Range<usize>, here: Range<usize>) -> Vec<myers::Place> {
    let mut start = (there.start, here.start);
    let anchors = anchors.iter().map(|(x, y)| (there.start + x, here.start + y));
    let ends = anchors.chain([(there.end, here.end)]);
    ends.map(|end| {
        (std::mem::replace(&mut start.0, end.0 + 1)..end.0, std::mem::replace(&mut start.1, end.1 + 1)..end.1)
    })
    .collect()
}

/// Places that differ, with equal tokens between any two.
#[derive(Default)]
struct Hunks(Vec<myers::Place>);

impl Hunks {
    /// Adds those of the tokens that begin at some place.
    fn extend(&mut self, hunks: Vec<myers::Place>, start: (usize, usize)) {
        for (old, new) in hunks {
            let (old, new) = (start.0 + old.start..start.0 + old.end, start.1 + new.start..start.1 + new.end);
            match self.0.last_mut() {
                Some(last) if last.0.end == old.start && last.1.end == new.start => {
                    last.0.end = old.end;
                    last.1.end = new.end;
                }
                _ => self.0.push((old, new)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Nothing is found at once.
    const NONE: Budget = Budget { steps_per_token: 0, edits: 0 };

    /// Numbers that look random, below a limit.
    fn random(count: usize, limit: u64) -> Vec<u64> {
        let mut state = 1_u64;
        let next = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        std::iter::repeat_with(next).take(count).collect()
    }

    /// The same with a token that is new in the place of every so many.
    fn edited(row: &[u64], every: usize) -> Vec<u64> {
        row.iter().enumerate().map(|(at, &token)| if at % every == 0 { 1_000_000 + at as u64 } else { token }).collect()
    }

    #[test]
    fn few_tokens_too_many_are_found_in_long_rows() {
        let budget = Budget { steps_per_token: 64, edits: 500 };
        // Words that are each there once, a usual vocabulary, and so few words that none leads anywhere.
        for limit in [1_000_000, 1000, 4] {
            let before = random(20_000, limit);
            let found = hunks(&before, &edited(&before, 8), budget);
            let removed: usize = found.iter().map(|(old, _)| old.len()).sum();
            assert!(removed <= 2_550, "{removed} tokens of 2,500 among {limit}");
        }
    }

    #[test]
    fn what_is_new_and_long_is_told_from_what_is_around() {
        let before = random(20_000, 1000);
        let mut after = edited(&before, 8);
        let (at, new) = (10_000, random(30_000, 1000).split_off(20_000));
        after.splice(at..at, new);
        let found = hunks(&before, &after, Budget { steps_per_token: 64, edits: 500 });
        let single = found.iter().filter(|(old, new)| old.len() == 1 && new.len() == 1).count();
        assert!(single >= 2_400, "{single} of 2,500 edits");
    }

    proptest! {
        #[test]
        fn what_stays_is_equal_and_in_order(before in "[a-d]{0,200}", after in "[a-d]{0,200}", edits in 0_usize..9) {
            let [before, after] = [&before, &after].map(|row| row.bytes().map(u32::from).collect::<Vec<u32>>());
            for budget in [NONE, Budget { steps_per_token: 64, edits }] {
                let found = hunks(&before, &after, budget);
                let mut start = (0, 0);
                for (old, new) in found.into_iter().chain([(before.len()..before.len(), after.len()..after.len())]) {
                    prop_assert!(start == (0, 0) || old.start > start.0 || old.start == before.len());
                    prop_assert_eq!(&before[start.0..old.start], &after[start.1..new.start]);
                    start = (old.end, new.end);
                }
            }
        }
    }
}
