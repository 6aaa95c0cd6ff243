//! Which sentences are surely the same? Those in subtrees that the matching knows to be, as many of them as are in order.
//!
//! What is left out of the heaviest row in order has moved.

use super::super::reading::Reading;
use super::cells::Cells;
use crate::matching::{Matching, Sibling, SiblingOrder, staying};
use crate::tree::{Node, NodeId};

/// A sentence of each side.
pub type Pair = (usize, usize);

/// Pairs of equal sentences that are in order on both sides.
pub fn anchors(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching, cells: &Cells) -> Vec<Pair> {
    let mut pairs = same_sentences(before, after, matching);
    let cell = |reading: &Reading<'_>, at: usize| {
        reading.segment_of(reading.items()[reading.sentences()[at].items().start]).cell
    };
    pairs.retain(|&(there, here)| cells.may_pair(cell(before, there), cell(after, here), matching));
    let weigh = |&(position, sentence): &Pair| {
        let weight = after.sentences()[sentence].items().len() as u64;
        Sibling { position: position as u32, weight }
    };
    let stay = staying(&pairs.iter().map(weigh).collect::<Vec<_>>(), SiblingOrder::Exact);
    pairs.into_iter().zip(stay).filter_map(|(pair, stays)| stays.then_some(pair)).collect()
}

/// Sentences at the same place of subtrees that are the same, in the order of `after`.
fn same_sentences(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Vec<Pair> {
    let mut pairs = Vec::new();
    let mut next = 0;
    let document = after.document();
    while next < document.len() as u32 {
        let node = document.node(NodeId(next));
        match matching.before_of(node.id()) {
            Some(partner) if matching.is_same(node.id()) => {
                let there = sentences_within(before, before.document().node(partner));
                let here = sentences_within(after, node);
                pairs.extend(there.zip(here).filter(|&(x, y)| before.numbers(x).eq(after.numbers(y))));
                next = node.end();
            }
            _ => next += 1,
        }
    }
    pairs
}

/// The sentences that have all their words in a subtree.
fn sentences_within(reading: &Reading<'_>, top: Node<'_>) -> std::ops::Range<usize> {
    let segments = reading.segments();
    let first = segments.partition_point(|segment| segment.node < top.id());
    let end = segments.partition_point(|segment| segment.node.0 < top.end());
    let items = reading.items();
    let items_before = |segment: usize| items.partition_point(|item| item.segment() < segment);
    let (first, end) = (items_before(first), items_before(end));
    let sentences = reading.sentences();
    let from = sentences.partition_point(|sentence| sentence.items().start < first);
    let to = sentences.partition_point(|sentence| sentence.items().end <= end);
    from..to.max(from)
}
