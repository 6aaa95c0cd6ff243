//! Which sentence is which? Those in subtrees that are the same, and between them those with most words in common.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use super::super::reading::{self, Reading};
use super::anchors::{Pair, anchors};
use super::cells::Cells;
use super::entries::{self, Entry};
use super::heaviest::{self, Relation, Sentence};
use super::parted::{self, Group};
use super::weigh::Scale;
use crate::matching::Matching;
use crate::tree::NodeId;
use crate::tree::hash::KeyedState;

/// Sentences that are pairs in order, with those that are whole passages, and with all parts of those that were parted.
pub fn groups(
    before: &Reading<'_>,
    after: &Reading<'_>,
    whole: &[Pair],
    matching: &Matching,
    cells: &Cells,
) -> Vec<Group> {
    let hasher = KeyedState::default();
    let words = [before, after].map(words_that_count);
    let [old, new] =
        [(before, &words[0]), (after, &words[1])].map(|(reading, words)| sentences(reading, words, &hasher));
    let places = [(before, 0), (after, 1)].map(|(reading, side)| places(reading, side, cells));
    let ends = (old.len(), new.len());
    let mut scale = Scale::default();
    let mut pairs = Vec::new();
    let mut start = (0, 0);
    for anchor in anchors(before, after, whole, matching, cells).into_iter().chain([ends]) {
        let relation = |x: usize, y: usize| relation(places[0][start.0 + x], places[1][start.1 + y], matching, cells);
        let gap = heaviest::pairs(&old[start.0..anchor.0], &new[start.1..anchor.1], relation, &mut scale);
        let gap = gap.into_iter().map(|(x, y)| (start.0 + x, start.1 + y)).chain([anchor]);
        let mut next = start;
        for pair in gap {
            let are_one = |x: usize, y: usize| cells.are_pair(places[0][x].cell, places[1][y].cell, matching);
            pairs.extend(in_order(next.0..pair.0, next.1..pair.1, are_one));
            if pair != anchor {
                pairs.push(pair);
            }
            next = (pair.0 + 1, pair.1 + 1);
        }
        if anchor != ends {
            pairs.push(anchor);
        }
        start = (anchor.0 + 1, anchor.1 + 1);
    }
    let may_be_one = |x: usize, y: usize| may_pair(places[0][x], places[1][y], matching, cells);
    parted::groups(&old, &new, &pairs, may_be_one, &mut scale)
}

/// The numbers of all words that count.
fn words_that_count(reading: &Reading<'_>) -> Vec<u32> {
    reading.items().iter().filter(|item| item.counts()).map(|item| item.number).collect()
}

/// Longer sentences are weighed by so many of their words: their table grows with the square.
pub const MOST_WORDS: usize = 1024;

fn sentences<'w>(reading: &Reading<'_>, words: &'w [u32], hasher: &KeyedState) -> Vec<Sentence<'w>> {
    let mut rest = words;
    let sentence = |(at, sentence): (usize, &reading::Sentence)| {
        let count = reading.items()[sentence.items()].iter().filter(|item| item.counts()).count();
        let (words, behind) = rest.split_at(count);
        rest = behind;
        let words = &words[..count.min(MOST_WORDS)];
        let mut whole = hasher.build_hasher();
        reading.numbers(at).for_each(|number| whole.write_u32(number));
        Sentence { words, whole: whole.finish() }
    };
    reading.sentences().iter().enumerate().map(sentence).collect()
}

/// Sentences of the same cell, one after the other: what is in a cell now is in the place of what was there, even if
/// they have nothing in common.
fn in_order(before: Range<usize>, after: Range<usize>, are_one: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut next = after.start;
    for there in before {
        // Cells follow each other in the same order on both sides, so what is passed over is not needed again.
        if let Some(here) = (next..after.end).take(FURTHEST).find(|&here| are_one(there, here)) {
            pairs.push((there, here));
            next = here + 1;
        }
    }
    pairs
}

/// How many sentences are looked at for one of the same cell.
const FURTHEST: usize = 64;

/// Where a sentence stands.
#[derive(Clone, Copy)]
struct Place<'c> {
    block: NodeId,
    /// The cell of a table, or the document.
    cell: NodeId,
    /// The entry of a definition list.
    entry: Option<&'c Entry>,
    /// Whether it is all that its block has.
    is_alone: bool,
}

fn places<'c>(reading: &Reading<'_>, side: usize, cells: &'c Cells) -> Vec<Place<'c>> {
    let place = |sentence: &reading::Sentence| {
        let segment = reading.segment_of(reading.items()[sentence.items().start]);
        let entry = cells.entries.of(side, segment.block);
        Place { block: segment.block, cell: segment.cell, entry, is_alone: true }
    };
    let mut places: Vec<Place<'_>> = reading.sentences().iter().map(place).collect();
    for at in 1..places.len() {
        if places[at - 1].block == places[at].block {
            places[at - 1].is_alone = false;
            places[at].is_alone = false;
        }
    }
    places
}

/// A cell of a table is only compared with its partner, if it has one, and an entry of a list as well.
fn relation(before: Place<'_>, after: Place<'_>, matching: &Matching, cells: &Cells) -> Relation {
    let are_entries = || before.entry.zip(after.entry).is_some_and(|(before, after)| entries::are_pair(before, after));
    let are_partners = || {
        matching.is_pair(before.block, after.block)
            || cells.are_pair(before.cell, after.cell, matching)
            || are_entries()
    };
    match before.is_alone && after.is_alone {
        _ if !may_pair(before, after, matching, cells) => Relation::Barred,
        true if are_partners() => Relation::Counterparts,
        false if are_partners() => Relation::Partners,
        _ => Relation::Free,
    }
}

fn may_pair(before: Place<'_>, after: Place<'_>, matching: &Matching, cells: &Cells) -> bool {
    cells.may_pair(before.cell, after.cell, matching) && entries::may_pair(before.entry, after.entry)
}

#[cfg(test)]
mod tests {
    use super::super::super::reading::Vocabulary;
    use super::*;
    use crate::parse;

    /// The table of a sentence of 200,000 words would take 5 GB.
    #[test]
    fn long_sentences_are_weighed_by_their_first_words() {
        let words: String = (0..5_000).map(|word| format!("w{word} ")).collect();
        let page = parse::html(words, &Default::default()).expect("a page").document;
        let reading = Reading::new(&page, &mut Vocabulary::default());
        let words = words_that_count(&reading);
        let sentences = sentences(&reading, &words, &KeyedState::default());
        assert_eq!(sentences.iter().map(|sentence| sentence.words.len()).collect::<Vec<_>>(), [MOST_WORDS]);
    }
}
