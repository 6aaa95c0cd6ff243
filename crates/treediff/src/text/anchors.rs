//! Where do two long rows of tokens certainly belong together? At the tokens that each of them has once.
//!
//! The time of Myers' algorithm grows with the square of the edits, which in a long text are many though there are few in
//! every line of it: in a table of data within a script, some numbers of each line. So the tokens that both rows have just
//! once, as many of them as stand in the same order, are taken to be the same, and the rows are compared between them. That
//! is not always the least; the delta of a page with 400 kB of such data took 45 % fewer instructions for it. Rejected: to
//! set aside what only one row has before the search, which leaves the least as it is; on real pages next to nothing was
//! gained by it.

use std::ops::Range;

use super::{Budget, myers};
use crate::matching::{Sibling, SiblingOrder, staying};

/// The places that differ, as ranges of both, with equal tokens between any two, and whether the budget sufficed: what it
/// did not suffice for counts as replaced. Tokens are small numbers.
pub fn hunks(before: &[u32], after: &[u32], budget: Budget) -> (Vec<myers::Place>, bool) {
    let mut hunks = Vec::new();
    let mut is_complete = true;
    let mut start = (0, 0);
    for (x, y) in anchors(before, after).into_iter().chain([(before.len(), after.len())]) {
        let (old, new) = (&before[start.0..x], &after[start.1..y]);
        let found = myers::hunks(old, new, budget);
        is_complete &= found.is_some();
        let found = found.unwrap_or_else(|| vec![(0..old.len(), 0..new.len())]);
        let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        hunks.extend(found.into_iter().map(|(old, new)| (moved(old, start.0), moved(new, start.1))));
        start = (x + 1, y + 1);
    }
    (hunks, is_complete)
}

/// Shorter rows are compared as a whole: it does not take long, and finds the least.
const LONG: usize = 2000;

/// The places of the tokens that both rows have once, as many as are in the same order; none in rows that are not long.
fn anchors(before: &[u32], after: &[u32]) -> Vec<(usize, usize)> {
    if before.len() + after.len() < LONG {
        return Vec::new();
    }
    let numbers = before.iter().chain(after).max().map_or(0, |&last| last as usize + 1);
    let [there, here] = [before, after].map(|row| only_places(row, numbers));
    let mut pairs: Vec<(u32, u32)> = there.into_iter().zip(here).filter(|&(x, y)| x < MANY && y < MANY).collect();
    pairs.sort_unstable();
    let siblings: Vec<Sibling> = pairs.iter().map(|&(_, position)| Sibling { position, weight: 1 }).collect();
    let stays = staying(&siblings, SiblingOrder::default());
    pairs.into_iter().zip(stays).filter(|(_, stays)| *stays).map(|((x, y), _)| (x as usize, y as usize)).collect()
}

const NEVER: u32 = u32::MAX;
const MANY: u32 = u32::MAX - 1;

/// Where each token stands, unless it is [`NEVER`] there or [`MANY`] times.
fn only_places(row: &[u32], numbers: usize) -> Vec<u32> {
    let mut places = vec![NEVER; numbers];
    for (at, &token) in (0..MANY).zip(row) {
        let place = &mut places[token as usize];
        *place = if *place == NEVER { at } else { MANY };
    }
    places
}
