//! Where does an insertion begin, if it may begin at several places? Where a phrase does.
//!
//! From `a, c` to `a, b, c` either `, b` or `b,` was inserted, and from `the cat and the dog` to `the cat and the bird and
//! the dog` there are four ways to say it. The comparison takes any; readers want to see what lies between spaces, and best
//! behind a comma. The same for deletions.

use std::ops::Range;

use super::readable::{Hunk, Measures};

/// The same places, with insertions and deletions where they read best; something equal stays between any two.
pub fn slid(mut hunks: Vec<Hunk>, rows: [&Measures; 2]) -> Vec<Hunk> {
    for at in 0..hunks.len() {
        let side = match &hunks[at] {
            (old, new) if old.is_empty() => (!new.is_empty()).then_some(1),
            (_, new) => new.is_empty().then_some(0),
        };
        let Some(side) = side else { continue };
        let room_start = at.checked_sub(1).map_or(0, |last| range(&hunks[last], side).end + 1);
        let room_end = hunks.get(at + 1).map_or(rows[side].numbers.len(), |next| range(next, side).start - 1);
        let range = range(&hunks[at], side).clone();
        let room = room_start.min(range.start)..room_end.max(range.end);
        let by = best_slide(rows[side], range, room);
        hunks[at] = (moved(&hunks[at].0, by), moved(&hunks[at].1, by));
    }
    hunks
}

fn range(hunk: &Hunk, side: usize) -> &Range<usize> {
    if side == 0 { &hunk.0 } else { &hunk.1 }
}

fn moved(range: &Range<usize>, by: isize) -> Range<usize> {
    range.start.saturating_add_signed(by)..range.end.saturating_add_signed(by)
}

/// By how much some items are best moved within the room around them, so that what is left stays the same; the
/// first way of the best, since phrases begin with what joins them.
fn best_slide(row: &Measures, items: Range<usize>, room: Range<usize>) -> isize {
    let is_same = |at: usize, other: usize| row.item(at) == row.item(other);
    let back = (1..=items.start - room.start).take_while(|by| is_same(items.start - by, items.end - by)).count();
    let on = (0..room.end - items.end).take_while(|by| is_same(items.start + by, items.end + by)).count();
    let ease = |start: usize| row.ease(start) + row.ease(start + items.len());
    let starts = items.start - back..=items.start + on;
    let best = starts.clone().map(ease).max();
    let start = starts.clone().find(|&start| Some(ease(start)) == best).unwrap_or(items.start);
    start as isize - items.start as isize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::readable::Text;
    use super::*;

    /// What was inserted, and the same read backwards as deleted.
    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let (before, after) = (Text::new(before), Text::new(after));
        let inserted = slid(before.hunks(&after), [&before.measures, &after.measures]).into_iter().map(|(_, new)| new);
        let deleted = slid(after.hunks(&before), [&after.measures, &before.measures]).into_iter().map(|(old, _)| old);
        let shown = |items: Range<usize>| after.words[items].join(" ");
        assert_eq!(inserted.map(shown).collect::<Vec<_>>(), [expected]);
        assert_eq!(deleted.map(shown).collect::<Vec<_>>(), [expected]);
    }

    #[test]
    fn phrases_are_inserted_as_such() {
        check("a, c", "a, b, c", "b ,");
        check("a, b", "a, b, c", ", c");
        check("the cat and the dog", "the cat and the bird and the dog", "and the bird");
        check("a well-known man", "a well-known, well-liked man", ", well - liked");
        check("Tea. Milk.", "Tea. Water. Milk.", "Water .");
        check("x x", "x x x", "x");
        check("(a) (c)", "(a) (b) (c)", "( b )");
    }

    proptest! {
        #[test]
        fn what_stays_is_equal_and_in_order(before in "([a-b]( |, )){0,12}", after in "([a-b]( |, )){0,12}") {
            let (before, after) = (Text::new(&before), Text::new(&after));
            let hunks = slid(before.hunks(&after), [&before.measures, &after.measures]);
            let (old, new) = (before.words, after.words);
            let mut start = (0, 0);
            for (there, here) in hunks.into_iter().chain([(old.len()..old.len(), new.len()..new.len())]) {
                prop_assert_eq!(&old[start.0..there.start], &new[start.1..here.start]);
                start = (there.end, here.end);
            }
        }
    }
}
