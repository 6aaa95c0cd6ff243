//! Where does an insertion begin, if it may begin at several places? Where a phrase does.
//!
//! From `a, c` to `a, b, c` either `, b` or `b,` was inserted, and from `the cat and the dog` to `the cat and the bird and
//! the dog` there are four ways to say it. The comparison takes any; readers want to see what lies between spaces, and best
//! behind a comma. The same for deletions.

use std::ops::Range;

use super::islands::Hunk;

/// What two rows consist of.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Equal where items are.
    pub numbers: &'a [u32],
    /// How well a cut before each item reads, and one behind the last.
    pub ease: &'a [u8],
}

/// The same places, with insertions and deletions where they read best; something equal stays between any two.
pub fn slid(mut hunks: Vec<Hunk>, rows: [Row<'_>; 2]) -> Vec<Hunk> {
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
        let by = best_slide(&rows[side], range, room);
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
fn best_slide(row: &Row<'_>, items: Range<usize>, room: Range<usize>) -> isize {
    let is_same = |at: usize, other: usize| row.numbers[at] == row.numbers[other];
    let back = (1..=items.start - room.start).take_while(|by| is_same(items.start - by, items.end - by)).count();
    let on = (0..room.end - items.end).take_while(|by| is_same(items.start + by, items.end + by)).count();
    let ease = |start: usize| row.ease[start] + row.ease[start + items.len()];
    let starts = items.start - back..=items.start + on;
    let best = starts.clone().map(ease).max();
    let start = starts.clone().find(|&start| Some(ease(start)) == best).unwrap_or(items.start);
    start as isize - items.start as isize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::{Budget, myers, words};
    use super::*;

    /// Words and whether white space stands before them.
    fn items(text: &str) -> Vec<(&str, bool)> {
        let mut items = Vec::new();
        let mut is_spaced = true;
        for word in words::words(text) {
            let is_white = word.kind == words::WordKind::White;
            if !is_white {
                items.push((&text[word.range], is_spaced));
            }
            is_spaced = is_white;
        }
        items
    }

    fn ease(items: &[(&str, bool)]) -> Vec<u8> {
        let is_mark = |at: usize| items[at].0.chars().all(|character| character.is_ascii_punctuation());
        let ease = |at: usize| match at {
            _ if at == 0 || at == items.len() => 4,
            _ => 2 * u8::from(items[at].1) + u8::from(is_mark(at - 1)),
        };
        (0..=items.len()).map(ease).collect()
    }

    fn numbers(items: &[(&str, bool)]) -> Vec<u32> {
        items
            .iter()
            .map(|(text, _)| text.bytes().fold(7, |number: u32, byte| number.wrapping_mul(31) + u32::from(byte)))
            .collect()
    }

    fn slid_hunks(before: &str, after: &str) -> (Vec<u32>, Vec<u32>, Vec<Hunk>) {
        let (before, after) = (items(before), items(after));
        let (old, new) = (numbers(&before), numbers(&after));
        let hunks = myers::hunks(&old, &new, Budget::default()).unwrap();
        let (x, y) = (ease(&before), ease(&after));
        let hunks = slid(hunks, [Row { numbers: &old, ease: &x }, Row { numbers: &new, ease: &y }]);
        (old, new, hunks)
    }

    /// What was inserted, and the same read backwards as deleted.
    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let inserted = |(_, new): &Hunk, text: &str| {
            items(text)[new.clone()].iter().map(|item| item.0).collect::<Vec<_>>().join(" ")
        };
        let hunks = slid_hunks(before, after).2;
        assert_eq!(hunks.iter().map(|hunk| inserted(hunk, after)).collect::<Vec<_>>(), [expected]);
        let hunks = slid_hunks(after, before).2.into_iter().map(|(old, new)| (new, old));
        assert_eq!(hunks.map(|hunk| inserted(&hunk, after)).collect::<Vec<_>>(), [expected]);
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
            let (old, new, hunks) = slid_hunks(&before, &after);
            let mut start = (0, 0);
            for (there, here) in hunks.into_iter().chain([(old.len()..old.len(), new.len()..new.len())]) {
                prop_assert_eq!(&old[start.0..there.start], &new[start.1..here.start]);
                start = (there.end, here.end);
            }
        }
    }
}
