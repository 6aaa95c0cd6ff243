//! Which equal words between two changes help a reader? Those that are more than a comma or a chance `of`.
//!
//! Two sentences that say different things still share their small words, and a text in which every second word is
//! marked is harder to read than one sentence in the place of another. So an island of equal items between two changes
//! becomes part of them, if it has no words, or few and small ones beside the changes at its sides. An island between
//! two mere insertions, or two mere deletions, stays: each of them reads well by itself. (After the semantic clean-up of
//! diff-match-patch.) A sentence of which little is left then is rewritten, and all between its ends is one change.

use std::ops::Range;

use super::heaviest::PARTNERS_LIKE;

/// Where two rows differ.
pub type Hunk = (Range<usize>, Range<usize>);

/// The most words of an island that is not kept.
const ISLAND_WORDS: usize = 3;

/// The same places without the islands that help nobody; `letters` are those of every item of both rows, 0 for what does
/// not count.
pub fn joined(hunks: Vec<Hunk>, letters: [&[u32]; 2]) -> Vec<Hunk> {
    let mut joined: Vec<Change> = Vec::with_capacity(hunks.len());
    for hunk in hunks {
        let mut change = Change::new(hunk, letters);
        // A change that has grown may now be large enough for the island before it.
        while let Some(last) = joined.last().filter(|last| !is_kept(last, &change, letters[0])) {
            change = last.with(&change, letters);
            joined.pop();
        }
        joined.push(change);
    }
    if is_rewritten(&joined, letters) {
        let ends = joined.first().zip(joined.last());
        return ends.map(|(first, last)| first.with(last, letters).hunk).into_iter().collect();
    }
    joined.into_iter().map(|change| change.hunk).collect()
}

/// Whether so few letters of both rows stay that it is easier to read them one after the other.
fn is_rewritten(changes: &[Change], letters: [&[u32]; 2]) -> bool {
    let total = |letters: &[u32]| letters.iter().map(|&letters| letters as usize).sum::<usize>();
    let changed = |side: usize| changes.iter().map(|change| change.sizes[side] as usize).sum::<usize>();
    let (all, gone, new) = (total(letters[0]) + total(letters[1]), changed(0), changed(1));
    changes.len() > 1 && gone > 0 && new > 0 && 100 * (all - gone - new) < PARTNERS_LIKE * all
}

/// A place where the rows differ, and how many letters are removed and added there.
struct Change {
    hunk: Hunk,
    sizes: [u32; 2],
}

impl Change {
    fn new(hunk: Hunk, letters: [&[u32]; 2]) -> Self {
        let sizes = [size(letters[0], &hunk.0), size(letters[1], &hunk.1)];
        Change { hunk, sizes }
    }

    fn size(&self) -> u32 {
        self.sizes[0].max(self.sizes[1])
    }

    /// Both with what is between them.
    fn with(&self, next: &Change, letters: [&[u32]; 2]) -> Change {
        let island = size(letters[0], &(self.hunk.0.end..next.hunk.0.start));
        let hunk = (self.hunk.0.start..next.hunk.0.end, self.hunk.1.start..next.hunk.1.end);
        let sizes = [0, 1].map(|side| self.sizes[side].saturating_add(next.sizes[side]).saturating_add(island));
        Change { hunk, sizes }
    }
}

fn size(letters: &[u32], items: &Range<usize>) -> u32 {
    letters[items.clone()].iter().fold(0, |sum, letters| sum.saturating_add(*letters))
}

fn is_kept(last: &Change, next: &Change, letters: &[u32]) -> bool {
    let is_mere = |side: fn(&Hunk) -> &Range<usize>| side(&last.hunk).is_empty() && side(&next.hunk).is_empty();
    let island = last.hunk.0.end..next.hunk.0.start;
    let words = || letters[island.clone()].iter().filter(|&&letters| letters > 0);
    let is_small = || 2 * words().sum::<u32>() <= last.size().min(next.size());
    is_mere(|hunk| &hunk.0) || is_mere(|hunk| &hunk.1) || words().nth(ISLAND_WORDS).is_some() || !is_small()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::{Budget, myers, words};
    use super::*;

    fn items(text: &str) -> Vec<&str> {
        let is_seen = |word: &words::Word| word.kind != words::WordKind::White;
        words::words(text).filter(is_seen).map(|word| &text[word.range]).collect()
    }

    fn letters(items: &[&str]) -> Vec<u32> {
        let count = |item: &&str| item.chars().filter(|character| character.is_alphanumeric()).count() as u32;
        items.iter().map(count).collect()
    }

    fn hunks(before: &[&str], after: &[&str]) -> Vec<Hunk> {
        myers::hunks_by([before.len(), after.len()], |x, y| before[x] == after[y], Budget::default()).unwrap()
    }

    /// What is removed as `[-…-]`, added as `{+…+}`, with spaces between all items.
    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let (before, after) = (items(before), items(after));
        let hunks = joined(hunks(&before, &after), [&letters(&before), &letters(&after)]);
        let mut shown = Vec::new();
        let mut start = 0;
        for (old, new) in hunks {
            shown.extend(after[start..new.start].iter().map(|item| item.to_string()));
            shown.extend((!old.is_empty()).then(|| format!("[-{}-]", before[old].join(" "))));
            start = new.end;
            shown.extend((!new.is_empty()).then(|| format!("{{+{}+}}", after[new].join(" "))));
        }
        shown.extend(after[start..].iter().map(|item| item.to_string()));
        assert_eq!(shown.join(" "), expected);
    }

    #[test]
    fn words_that_help_stay() {
        check("the quick brown fox", "the slow brown cat", "the [-quick-] {+slow+} brown [-fox-] {+cat+}");
        check("from 5 to 7 May", "from 6 to 8 May", "from [-5-] {+6+} to [-7-] {+8+} May");
        check("a red, a blue", "a red big, a dark blue", "a red {+big+} , a {+dark+} blue");
        check("one two three", "three", "[-one two-] three");
    }

    #[test]
    fn words_of_chance_go() {
        check(
            "The committee of the council met on Monday",
            "A delegation of the parliament gathered on Tuesday",
            "[-The committee of the council met on Monday-] {+A delegation of the parliament gathered on Tuesday+}",
        );
        check("apples, pears", "melons, grapes", "[-apples , pears-] {+melons , grapes+}");
        check("We like summer a lot", "We like winter a bit", "We like [-summer a lot-] {+winter a bit+}");
        check(
            "He praised a painter of Rome",
            "He scolded a sculptor of Rome",
            "He [-praised a painter-] {+scolded a sculptor+} of Rome",
        );
    }

    #[test]
    fn a_sentence_of_which_little_is_left_is_rewritten() {
        check(
            "We then bought extraordinarily complicated machines.",
            "She then smiled.",
            "[-We then bought extraordinarily complicated machines-] {+She then smiled+} .",
        );
        check("it is", "here it long ago is", "{+here+} it {+long ago+} is");
    }

    #[test]
    fn mere_insertions_and_deletions_stay_apart() {
        check("tea; milk", "green tea; cold milk", "{+green+} tea ; {+cold+} milk");
        check("x ; y", "x verylong ; verylong y", "x {+verylong+} ; {+verylong+} y");
    }

    #[test]
    fn a_change_that_has_grown_takes_more() {
        check("aaaa to bbbb, cccccc", "dddd to eeee, ffffff", "[-aaaa to bbbb , cccccc-] {+dddd to eeee , ffffff+}");
    }

    proptest! {
        #[test]
        fn what_stays_is_equal_and_in_order(before in "[a-d,]( [a-d,]{1,3}){0,20}", after in "[a-d,]( [a-d,]{1,3}){0,20}") {
            let (before, after) = (items(&before), items(&after));
            let hunks = hunks(&before, &after);
            let joined = joined(hunks.clone(), [&letters(&before), &letters(&after)]);
            let mut start = (0, 0);
            for (old, new) in joined.iter().cloned().chain([(before.len()..before.len(), after.len()..after.len())]) {
                prop_assert_eq!(&before[start.0..old.start], &after[start.1..new.start]);
                start = (old.end, new.end);
            }
            // Every change is still there.
            let holds = |all: &Hunk, one: &Hunk| all.0.start <= one.0.start && one.0.end <= all.0.end
                && all.1.start <= one.1.start && one.1.end <= all.1.end;
            prop_assert!(hunks.iter().all(|one| joined.iter().any(|all| holds(all, one))));
        }
    }
}
