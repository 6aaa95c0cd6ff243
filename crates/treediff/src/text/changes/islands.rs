//! Which equal words between two changes help a reader? Those that are more than a comma or a chance `of`.
//!
//! Two sentences that say different things still share their small words, and a text in which every second word is
//! marked is harder to read than one sentence in the place of another. So an island of equal items between two changes
//! becomes part of them, if it has no words, or few and small ones beside the changes at its sides; between the parts of
//! one compound, as the same month in two dates, it need only be no larger than they are. An island between
//! two mere insertions, or two mere deletions, stays: each of them reads well by itself. (After the semantic clean-up of
//! diff-match-patch.) A sentence of which little is left then is rewritten, and all between its ends is one change. Images and fields in
//! the place of others (`wholes`) are a change each, and what stands between them is looked at by itself.

use std::ops::Range;

use super::heaviest::PARTNERS_LIKE;
use super::readable::{Hunk, Measures};
use super::wholes::is_pair;

/// The most words of an island that is not kept.
const ISLAND_WORDS: usize = 3;

/// The same places without the islands that help nobody.
pub fn joined(hunks: Vec<Hunk>, rows: [&Measures; 2]) -> Vec<Hunk> {
    let mut all = Vec::with_capacity(hunks.len());
    let ends = rows.map(|row| row.numbers.len());
    let mut start = [0, 0];
    for between in hunks.split_inclusive(|hunk| is_pair(hunk, rows)) {
        let (pair, hunks) = match between.split_last() {
            Some((last, hunks)) if is_pair(last, rows) => (Some(last), hunks),
            _ => (None, between),
        };
        let end = pair.map_or(ends, |(old, new)| [old.start, new.start]);
        all.extend(joined_between(hunks, rows, [start[0]..end[0], start[1]..end[1]]));
        all.extend(pair.cloned());
        start = pair.map_or(ends, |(old, new)| [old.end, new.end]);
    }
    all
}

/// The same for those of some items.
fn joined_between(hunks: &[Hunk], rows: [&Measures; 2], items: [Range<usize>; 2]) -> Vec<Hunk> {
    let letters = rows.map(|row| row.letters.as_slice());
    let mut joined: Vec<Change> = Vec::with_capacity(hunks.len());
    for hunk in hunks.iter().cloned() {
        let mut change = Change::new(hunk, letters);
        // A change that has grown may now be large enough for the island before it.
        while let Some(last) = joined.last().filter(|last| !is_kept(last, &change, rows)) {
            change = last.with(&change, letters);
            joined.pop();
        }
        joined.push(change);
    }
    let all = [&letters[0][items[0].clone()], &letters[1][items[1].clone()]];
    if is_rewritten(&joined, all) {
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

fn is_kept(last: &Change, next: &Change, rows: [&Measures; 2]) -> bool {
    let is_mere = |side: fn(&Hunk) -> &Range<usize>| side(&last.hunk).is_empty() && side(&next.hunk).is_empty();
    let island = last.hunk.0.end..next.hunk.0.start;
    let words = || rows[0].letters[island.clone()].iter().filter(|&&letters| letters > 0);
    let is_small = || match (words().sum::<u32>(), is_inside_compound(last, next, rows)) {
        (size, true) => size <= last.size().max(next.size()),
        (size, false) => 2 * size <= last.size().min(next.size()),
    };
    // A link that leads where it did is not there by chance.
    let is_link = || {
        rows[0].leads_somewhere(island.clone())
            && island.clone().zip(last.hunk.1.end..).all(|(x, y)| rows[0].item(x) == rows[1].item(y))
    };
    is_mere(|hunk| &hunk.0)
        || is_mere(|hunk| &hunk.1)
        || words().nth(ISLAND_WORDS).is_some()
        || !is_small()
        || is_link()
}

/// Whether no white space stands at either end of what is between two changes.
fn is_inside_compound(last: &Change, next: &Change, rows: [&Measures; 2]) -> bool {
    let behind = [(0, &next.hunk.0), (1, &next.hunk.1)].into_iter().filter(|(_, range)| !range.is_empty());
    rows[0].is_glued(last.hunk.0.end)
        && rows[1].is_glued(last.hunk.1.end)
        && behind.into_iter().all(|(side, range)| rows[side].is_glued(range.start))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::readable::Text;
    use super::*;

    /// What is removed as `[-…-]`, added as `{+…+}`, with spaces between all items.
    #[track_caller]
    fn check(before: &str, after: &str, expected: &str) {
        let (before, after) = (Text::new(before), Text::new(after));
        let hunks = joined(before.hunks(&after), [&before.measures, &after.measures]);
        let mut shown = Vec::new();
        let mut start = 0;
        for (old, new) in hunks {
            shown.extend(after.words[start..new.start].iter().map(|word| word.to_string()));
            shown.extend((!old.is_empty()).then(|| format!("[-{}-]", before.words[old].join(" "))));
            start = new.end;
            shown.extend((!new.is_empty()).then(|| format!("{{+{}+}}", after.words[new].join(" "))));
        }
        shown.extend(after.words[start..].iter().map(|word| word.to_string()));
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
    fn compounds_are_changed_as_a_whole() {
        check("on 2024-01-02 at", "on 2024-02-05 at", "on 2024 - [-01 - 02-] {+02 - 05+} at");
        check("at 21:47:45 sharp", "at 18:43:47 sharp", "at [-21 : 47 : 45-] {+18 : 43 : 47+} sharp");
        check("from 10.50 to 12.00", "from 11.50 to 13.00", "from [-10.50-] {+11.50+} to [-12.00-] {+13.00+}");
    }

    #[test]
    fn a_change_that_has_grown_takes_more() {
        check("aaaa to bbbb, cccccc", "dddd to eeee, ffffff", "[-aaaa to bbbb , cccccc-] {+dddd to eeee , ffffff+}");
    }

    proptest! {
        #[test]
        fn what_stays_is_equal_and_in_order(before in "[a-d,]( [a-d,]{1,3}){0,20}", after in "[a-d,]( [a-d,]{1,3}){0,20}") {
            let (before, after) = (Text::new(&before), Text::new(&after));
            let hunks = before.hunks(&after);
            let joined = joined(hunks.clone(), [&before.measures, &after.measures]);
            let (before, after) = (before.words, after.words);
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
