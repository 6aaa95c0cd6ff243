//! How do two rows of tokens differ by the fewest insertions and deletions? Myers' greedy algorithm.
//!
//! Let x count what of `before` and y what of `after` is behind us, and diagonal k be where x - y = k. For every number
//! of edits d = 0, 1, 2 … the furthest x on the diagonals -d, -d+2 … d is found from those of d - 1; the first d to
//! reach both ends is the least. All rounds are kept behind one another, d + 1 numbers each, and are gone through backwards to
//! find the way that led there. Rejected: Myers' linear-space refinement, which halves the texts from the middle; it takes twice
//! the time, and the edits of a text that is worth comparing are few.

use std::cmp::Reverse;
use std::ops::Range;

use super::Budget;

/// A place that differs, as ranges of both.
pub type Place = (Range<usize>, Range<usize>);

/// The places that differ, as ranges of both, with equal tokens between any two; `None` where finding them would take
/// more than the budget has.
pub fn hunks(before: &[u32], after: &[u32], budget: Budget) -> Option<Vec<Place>> {
    hunks_by([before.len(), after.len()], |x, y| before[x] == after[y], budget)
}

/// The same for rows of anything, by their lengths and what is equal in them.
pub fn hunks_by(lens: [usize; 2], is_equal: impl FnMut(usize, usize) -> bool, budget: Budget) -> Option<Vec<Place>> {
    let (rounds, reached) = search(lens, is_equal, budget);
    reached.map(|i| joined(edits(&rounds, i)))
}

/// The places that differ in the beginning of two rows, and where that beginning ends: as far as so many edits lead, and of a way
/// that does not lead to both ends its first half, since what follows would have told it whether it is the right one. It is
/// as long as a constant part of what is looked at.
pub fn beginning(
    lens: [usize; 2],
    is_equal: impl FnMut(usize, usize) -> bool,
    most_edits: usize,
) -> (Vec<Place>, (usize, usize)) {
    let budget = Budget { steps_per_token: usize::MAX, edits: most_edits };
    let (rounds, reached) = search(lens, is_equal, budget);
    if let Some(i) = reached {
        return (joined(edits(&rounds, i)), (lens[0], lens[1]));
    }
    let last = rounds.count - 1;
    let place = |(i, &x): (usize, &u32)| {
        let y = place_after(x as usize, i, last);
        ((x as usize).min(lens[0]), y.min(lens[1]))
    };
    let places = rounds.get(last).iter().enumerate().map(place);
    // Where nothing is equal all lead as far, and that along the diagonal is the nearest to wherever both go on alike.
    let Some((i, mut end)) = places.enumerate().max_by_key(|(_, (x, y))| (x + y, Reverse(x.abs_diff(*y)))) else {
        return (vec![(0..lens[0], 0..lens[1])], (lens[0], lens[1]));
    };
    let half = (end.0 + end.1) / 2;
    let is_left_out = |&(x, y, is_deletion): &(usize, usize, bool)| {
        // Ways may lead past an end, and wait there.
        let is_outside = if is_deletion { x >= lens[0] || y > lens[1] } else { x > lens[0] || y >= lens[1] };
        x + y > half || is_outside
    };
    let mut way = edits(&rounds, i).peekable();
    while let Some((x, y, _)) = way.next_if(is_left_out) {
        end = (x, y);
    }
    (joined(way), end)
}

/// Edits as places with equal tokens between any two, given the last first.
fn joined(edits: impl Iterator<Item = (usize, usize, bool)>) -> Vec<Place> {
    let mut hunks: Vec<Place> = Vec::new();
    for (x, y, is_deletion) in edits {
        let (old, new) = (x..x + usize::from(is_deletion), y..y + usize::from(!is_deletion));
        match hunks.last_mut() {
            // The way is gone backwards, so what is found next ends where the last one begins.
            Some(hunk) if old.end == hunk.0.start && new.end == hunk.1.start => {
                hunk.0.start = old.start;
                hunk.1.start = new.start;
            }
            _ => hunks.push((old, new)),
        }
    }
    hunks.reverse();
    hunks
}

/// The furthest x of every diagonal, for every number of edits; the diagonal -d + 2i stands at i of its round.
#[derive(Default)]
struct Rounds {
    furthest: Vec<u32>,
    count: usize,
}

impl Rounds {
    /// Where a round begins: those before it have 1, 2, 3 … numbers.
    fn start(round: usize) -> usize {
        round * (round + 1) / 2
    }

    /// The round before, which has a number for every edit so far, and room for the one that now begins.
    fn begin(&mut self) -> (&[u32], &mut [u32]) {
        let start = Rounds::start(self.count);
        self.furthest.resize(start + self.count + 1, 0);
        let (before, round) = self.furthest.split_at_mut(start);
        let last = &before[start - self.count..];
        self.count += 1;
        (last, round)
    }

    fn get(&self, round: usize) -> &[u32] {
        &self.furthest[Rounds::start(round)..Rounds::start(round + 1)]
    }
}

/// Searches until a path has reached both ends, whose place in the last round is told.
fn search(
    [before, after]: [usize; 2],
    mut is_equal: impl FnMut(usize, usize) -> bool,
    budget: Budget,
) -> (Rounds, Option<usize>) {
    let max_steps = (before + after).saturating_mul(budget.steps_per_token);
    let mut steps = 0;
    let mut rounds = Rounds::default();
    while steps <= max_steps && rounds.count <= budget.edits {
        let (last, round) = rounds.begin();
        let edits = last.len();
        for (i, furthest) in round.iter_mut().enumerate() {
            let start = came_from(last, i).1 as usize;
            let (mut x, mut y) = (start, place_after(start, i, edits));
            // Beyond the end of `after` a path leads nowhere; it stands still and costs its step.
            while x < before && y < after && is_equal(x, y) {
                x += 1;
                y += 1;
            }
            steps += 1 + x - start;
            *furthest = x as u32;
            if x >= before && y >= after {
                return (rounds, Some(i));
            }
        }
    }
    (rounds, None)
}

/// The y at an x on the diagonal `-edits + 2i`.
fn place_after(x: usize, i: usize, edits: usize) -> usize {
    x + edits - 2 * i
}

/// Which diagonal of the round before leads furthest to diagonal `i`, and the x behind the edit.
fn came_from(last: &[u32], i: usize) -> (usize, u32) {
    // From the diagonal above by an insertion, x stays; from the one below by a deletion, x is one more.
    let by_insertion = last.get(i).copied();
    let by_deletion = i.checked_sub(1).and_then(|below| last.get(below)).map(|x| x + 1);
    match (by_insertion, by_deletion) {
        (Some(x), Some(one_more)) if x >= one_more => (i, x),
        (_, Some(one_more)) => (i - 1, one_more),
        (x, None) => (i, x.unwrap_or(0)),
    }
}

/// The edits that lead to a place of the last round, last first: x and y before the edit, and whether it is a deletion.
fn edits(rounds: &Rounds, mut i: usize) -> impl Iterator<Item = (usize, usize, bool)> {
    (1..rounds.count).rev().map(move |edits| {
        let (from, x) = came_from(rounds.get(edits - 1), i);
        let is_deletion = from < i;
        let y = place_after(x as usize, i, edits);
        i = from;
        if is_deletion { (x as usize - 1, y, true) } else { (x as usize, y - 1, false) }
    })
}
