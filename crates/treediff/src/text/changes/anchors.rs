//! Which sentences are surely the same? Those in subtrees that the matching knows to be, as many of them as are in order.
//!
//! What is left out of the heaviest row in order has moved. So what went from one parent to another weighs less: of a paragraph that
//! went to the next section, and that section, which is now before it, the paragraph moved. And other sentences that are the
//! same weigh too, if each side has them once: where a paragraph was divided, its sentences are in no subtree that is the same,
//! and what stands before it would seem to have moved with it past a lighter one. So do those that were edited where they stand.

use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use super::super::reading::{ItemKind, Reading};
use super::align::MOST_WORDS;
use super::cells::Cells;
use super::heaviest::PARTNERS_LIKE;
use super::unchanged::settled;
use super::weigh::Scale;
use crate::matching::{Matching, Sibling, SiblingOrder, staying};
use crate::tree::hash::{ByHash, KeyedState};
use crate::tree::{Node, NodeId};

/// A sentence of each side.
pub type Pair = (usize, usize);

/// Pairs of equal sentences that are in order on both sides, with all of those that are whole passages.
pub fn anchors(
    before: &Reading<'_>,
    after: &Reading<'_>,
    whole: &[Pair],
    matching: &Matching,
    cells: &Cells,
) -> Vec<Pair> {
    let first = |reading: &Reading<'_>, at: usize| reading.items()[reading.sentences()[at].items().start];
    let mut candidates = same_sentences(before, after, matching);
    candidates.retain(|&Candidate { pair: (there, here), .. }| {
        let [old, new] = [(before, there), (after, here)].map(|(reading, at)| reading.segment_of(first(reading, at)));
        first(after, here).kind() != ItemKind::Passage && cells.may_be_one(old, new, matching)
    });
    candidates.extend(whole.iter().map(|&pair| Candidate { pair, weight: PASSAGE, is_sure: true }));
    candidates.sort_unstable_by_key(|candidate| candidate.pair.1);
    // Where all are in order, none is left out whatever the others weigh.
    if !candidates.is_sorted_by_key(|candidate| candidate.pair) {
        let pairs: Vec<Pair> = candidates.iter().map(|candidate| candidate.pair).collect();
        let others = other_sentences(before, after, &pairs).into_iter();
        candidates.extend(others.map(|pair| Candidate { pair, weight: weight(after, pair.1, true), is_sure: false }));
        candidates.sort_unstable_by_key(|candidate| candidate.pair.1);
        let pairs: Vec<Pair> = candidates.iter().map(|candidate| candidate.pair).collect();
        candidates.extend(edited_sentences(before, after, &pairs, matching, cells));
        candidates.sort_unstable_by_key(|candidate| candidate.pair.1);
    }
    let sibling = |candidate: &Candidate| Sibling { position: candidate.pair.0 as u32, weight: candidate.weight };
    let stay = staying(&candidates.iter().map(sibling).collect::<Vec<_>>(), SiblingOrder::Exact);
    let staying = candidates.into_iter().zip(stay).filter(|(candidate, stays)| *stays && candidate.is_sure);
    staying.map(|(candidate, _)| candidate.pair).collect()
}

/// A pair of equal sentences, one of which may have moved.
struct Candidate {
    pair: Pair,
    weight: u64,
    /// Whether it is an anchor where it stays, and does not only weigh.
    is_sure: bool,
}

/// Heavier than all words of a page.
const PASSAGE: u64 = 1 << 32;

/// How many times as much a word weighs that is where it was as one that went from one parent to another.
const AT_HOME: u64 = 4;

fn weight(after: &Reading<'_>, sentence: usize, is_at_home: bool) -> u64 {
    after.sentences()[sentence].items().len() as u64 * if is_at_home { AT_HOME } else { 1 }
}

/// Sentences at the same place of subtrees that are the same, in the order of `after`.
fn same_sentences(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Vec<Candidate> {
    let mut candidates = Vec::with_capacity(after.sentences().len());
    let (mut there, mut here) = (Finder::new(before), Finder::new(after));
    let mut next = 0;
    let document = after.document();
    while next < document.len() as u32 {
        let node = document.node(NodeId(next));
        match matching.before_of(node.id()) {
            Some(partner) if matching.is_same(node.id()) => {
                let partner = before.document().node(partner);
                let (there, here) = (there.within(partner), here.within(node));
                let is_at_home = !went_elsewhere(partner, node, matching);
                let equal = there.zip(here).filter(|&(x, y)| before.numbers(x).eq(after.numbers(y)));
                candidates.extend(equal.map(|pair| Candidate {
                    pair,
                    weight: weight(after, pair.1, is_at_home),
                    is_sure: true,
                }));
                next = node.end();
            }
            _ => next += 1,
        }
    }
    candidates
}

/// Whether a node left its parent for another, though both are on both sides: one that is new may only be around it now.
fn went_elsewhere(before: Node<'_>, after: Node<'_>, matching: &Matching) -> bool {
    let [Some(old), Some(new)] = [before.parent(), after.parent()].map(|parent| parent.map(|parent| parent.id()))
    else {
        return false;
    };
    matching.after_of(old).is_some_and(|partner| partner != new) && matching.before_of(new).is_some()
}

/// Sentences that are in none of these pairs, and that each side has once; in order with those pairs that are so with all others,
/// since passages that stay whole are among them.
fn other_sentences(before: &Reading<'_>, after: &Reading<'_>, pairs: &[Pair]) -> Vec<Pair> {
    let hasher = KeyedState::default();
    let once = |reading: &Reading<'_>, is_taken: Vec<bool>| {
        let mut places: ByHash<u64, Option<usize>> = ByHash::default();
        for at in (0..is_taken.len()).filter(|&at| !is_taken[at]) {
            let mut content = hasher.build_hasher();
            reading.numbers(at).for_each(|number| content.write_u32(number));
            places.entry(content.finish()).and_modify(|place| *place = None).or_insert(Some(at));
        }
        places
    };
    let mut are_taken = [before, after].map(|reading| vec![false; reading.sentences().len()]);
    for &(there, here) in pairs {
        are_taken[0][there] = true;
        are_taken[1][here] = true;
    }
    let [old, new] = are_taken;
    let (old, new) = (once(before, old), once(after, new));
    let pair = |(content, here): (u64, Option<usize>)| old.get(&content).copied().flatten().zip(here);
    let settled = settled(pairs.to_vec());
    new.into_iter().filter_map(pair).filter(|pair| is_in_order(&settled, *pair)).collect()
}

/// Whether a pair is in order with some that are so with each other.
fn is_in_order(settled: &[Pair], (there, here): Pair) -> bool {
    let next = settled.partition_point(|pair| pair.1 < here);
    settled[..next].last().is_none_or(|last| last.0 < there) && settled.get(next).is_none_or(|next| there < next.0)
}

/// Sentences that are in none of these pairs and were edited: those of blocks which are pairs and have as many of them. They weigh
/// as much as the words they share, so that a block does not seem to have moved past those around that stayed but for a word.
fn edited_sentences(
    before: &Reading<'_>,
    after: &Reading<'_>,
    pairs: &[Pair],
    matching: &Matching,
    cells: &Cells,
) -> Vec<Candidate> {
    let settled = settled(pairs.to_vec());
    let [old, new] =
        [by_blocks(before, pairs.iter().map(|pair| pair.0)), by_blocks(after, pairs.iter().map(|pair| pair.1))];
    let segment =
        |reading: &Reading<'_>, at: usize| *reading.segment_of(reading.items()[reading.sentences()[at].items().start]);
    let mut scale = Scale::default();
    let mut candidates = Vec::new();
    for (block, here) in new {
        let Some(partner) = matching.before_of(block) else { continue };
        let Some(there) = old.get(&partner).filter(|there| there.len() == here.len()) else { continue };
        let nodes = [before.document().node(partner), after.document().node(block)];
        let each = if went_elsewhere(nodes[0], nodes[1], matching) { 1 } else { AT_HOME };
        for pair in there.iter().copied().zip(here) {
            let may_be_one = cells.may_be_one(&segment(before, pair.0), &segment(after, pair.1), matching);
            if may_be_one && is_in_order(&settled, pair) {
                let weight = shared(before, after, pair, &mut scale) as u64 * each;
                candidates.extend((weight > 0).then_some(Candidate { pair, weight, is_sure: false }));
            }
        }
    }
    candidates
}

/// The sentences of every block, but for those that are taken.
fn by_blocks(reading: &Reading<'_>, taken: impl Iterator<Item = usize>) -> ByHash<NodeId, Vec<usize>> {
    let mut is_taken = vec![false; reading.sentences().len()];
    taken.for_each(|at| is_taken[at] = true);
    let mut blocks: ByHash<NodeId, Vec<usize>> = ByHash::default();
    for (at, sentence) in reading.sentences().iter().enumerate().filter(|(at, _)| !is_taken[*at]) {
        blocks.entry(reading.segment_of(reading.items()[sentence.items().start]).block).or_default().push(at);
    }
    blocks
}

/// How many words two sentences share, if these are enough for partners.
fn shared(before: &Reading<'_>, after: &Reading<'_>, (there, here): Pair, scale: &mut Scale) -> usize {
    let words = |reading: &Reading<'_>, at: usize| -> Vec<u32> {
        let items = &reading.items()[reading.sentences()[at].items()];
        items.iter().filter(|item| item.counts()).map(|item| item.number).take(MOST_WORDS).collect()
    };
    let [old, new] = [words(before, there), words(after, here)];
    scale.put(&old);
    let shared = scale.weigh(&new);
    if 200 * shared >= PARTNERS_LIKE * (old.len() + new.len()) { shared } else { 0 }
}

/// Finds sentences from where it found the last: most subtrees are asked for in their order.
struct Finder<'r, 'd> {
    reading: &'r Reading<'d>,
    segment: usize,
    item: usize,
    sentence: usize,
}

impl<'r, 'd> Finder<'r, 'd> {
    fn new(reading: &'r Reading<'d>) -> Self {
        Finder { reading, segment: 0, item: 0, sentence: 0 }
    }

    /// The sentences that have all their words in a subtree.
    fn within(&mut self, top: Node<'_>) -> Range<usize> {
        let (segments, items) = (self.reading.segments(), self.reading.items());
        let first = onward(segments, self.segment, |segment| segment.node < top.id());
        self.segment = onward(segments, first, |segment| segment.node.0 < top.end());
        // White space between blocks, mostly.
        if first == self.segment {
            return 0..0;
        }
        let first = onward(items, self.item, |item| item.segment() < first);
        self.item = onward(items, first, |item| item.segment() < self.segment);
        let sentences = self.reading.sentences();
        let from = onward(sentences, self.sentence, |sentence| sentence.items().start < first);
        let to = onward(sentences, from, |sentence| sentence.items().end <= self.item);
        self.sentence = to.max(from);
        from..self.sentence
    }
}

/// How many come before something in a row, which are probably about `near`: steps that double lead away from there.
fn onward<T>(row: &[T], near: usize, is_before: impl Fn(&T) -> bool) -> usize {
    if near > 0 && !is_before(&row[near - 1]) {
        return row[..near].partition_point(is_before);
    }
    let (mut at, mut step) = (near, 1);
    while row.get(at + step - 1).is_some_and(&is_before) {
        at += step;
        step *= 2;
    }
    at + row[at..row.len().min(at + step - 1)].partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_anywhere_the_same_is_found() {
        let row: Vec<usize> = (0..40).map(|at| at / 3).collect();
        for (near, value) in (0..=row.len()).flat_map(|near| (0..15).map(move |value| (near, value))) {
            let found = onward(&row, near, |&other| other < value);
            assert_eq!(found, row.partition_point(|&other| other < value), "{value} from {near}");
        }
    }
}
