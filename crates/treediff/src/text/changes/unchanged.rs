//! Which passages need not be read word by word? Those in blocks that are the same on both sides, and in their order.
//!
//! Of most pages little changed, and the words of the rest are compared with nothing. A passage is taken as a whole if all of it,
//! and the block that it stands in, is in a subtree which the matching knows to be the same, if nothing around that subtree makes
//! it look different or lead elsewhere, and if it is before or behind the same subtrees as it was. Then its sentences would have
//! been anchors whatever else changed, so that nothing else is told than if it had been cut.

use std::ops::Range;

use super::super::reading::{Gathered, Reading, Segment};
use super::anchors::Pair;
use super::around::{Around, Told};
use super::attributes::Attributes;
use super::cells::Cells;
use super::looks;
use crate::matching::Matching;
use crate::tree::{Document, NodeId};

/// The passages of both sides that stay whole, in order, but for those with attributes to be told.
pub fn passages(
    [before, after]: [&Gathered<'_>; 2],
    matching: &Matching,
    cells: &Cells,
    told: &Attributes,
    around: &Around,
) -> Vec<Pair> {
    let mut pairs = Vec::with_capacity(after.passages.len());
    let mut told_around = Told::default();
    let (mut there, mut here) = (Passages::new(before), Passages::new(after));
    for top in settled(subtrees(after.reading.document(), matching)) {
        // Both sides have the same passages in it, but for those that reach out of it.
        let size = after.reading.document().node(top.1).end() - top.1.0;
        let (mut old, mut new) = (there.next_in(top.0, size), here.next_in(top.1, size));
        while let (Some(x), Some(y)) = (old, new) {
            if x.places == y.places {
                let [segments, others] = [&before.passages[x.at], &after.passages[y.at]];
                let is_whole = x.is_whole
                    && y.is_whole
                    && (told.is_empty() || others.clone().all(|segment| !told.are_at(segment)))
                    && before.reading.segments()[segments.clone()]
                        .iter()
                        .zip(&after.reading.segments()[others.clone()])
                        .all(|(segment, other)| look_alike(segment, other, top, matching, cells))
                    && after.reading.segments()[others.clone()].first().is_none_or(|first| {
                        // What is in the list may be the same where the list is another.
                        let documents = [before, after].map(|side| side.reading.document());
                        first.block != top.1 || looks::lists(documents, top.0, top.1).is_none()
                    })
                    && stand_alike([(before, segments), (after, others)])
                    && after.reading.has_plain_ends(others)
                    && !is_news_around(around, &mut told_around, [(before, segments), (after, others)]);
                pairs.extend(is_whole.then_some((x.at, y.at)));
            }
            let order = x.places.0.cmp(&y.places.0);
            if order.is_le() {
                old = there.next_in(top.0, size);
            }
            if order.is_ge() {
                new = here.next_in(top.1, size);
            }
        }
    }
    pairs
}

/// The largest subtrees that are the same, in the order of `after`.
fn subtrees(after: &Document, matching: &Matching) -> Vec<(NodeId, NodeId)> {
    let mut subtrees = Vec::new();
    let ends = after.ends();
    let mut next = 0;
    while next < ends.len() {
        let node = NodeId(next as u32);
        match matching.before_of(node).filter(|_| matching.is_same(node)) {
            Some(partner) => {
                subtrees.push((partner, node));
                next = ends[next] as usize;
            }
            None => next += 1,
        }
    }
    subtrees
}

/// Those pairs that are in order with all others, so that no way to keep as much as possible in order is without them.
/// They come in the order of `after`.
pub fn settled<T: Copy + Ord>(mut pairs: Vec<(T, T)>) -> Vec<(T, T)> {
    if pairs.is_sorted() {
        return pairs;
    }
    let mut least = None;
    let mut is_before_all: Vec<bool> = pairs
        .iter()
        .rev()
        .map(|&(before, _)| {
            let is_before = least.is_none_or(|least| before < least);
            least = Some(least.map_or(before, |least: T| least.min(before)));
            is_before
        })
        .collect();
    let mut most = None;
    pairs.retain(|&(before, _)| {
        let is_settled = is_before_all.pop() == Some(true) && most < Some(before);
        most = most.max(Some(before));
        is_settled
    });
    pairs
}

/// The passages of one side, in order.
struct Passages<'g, 'd> {
    gathered: &'g Gathered<'d>,
    next: usize,
}

/// A passage that begins in a subtree.
#[derive(Clone, Copy)]
struct Inside {
    /// Which one it is.
    at: usize,
    /// Where its first and last segments are in the subtree.
    places: (u32, u32),
    /// Whether it ends there too.
    is_whole: bool,
}

impl<'g, 'd> Passages<'g, 'd> {
    fn new(gathered: &'g Gathered<'d>) -> Self {
        Passages { gathered, next: 0 }
    }

    /// The next passage that begins in a subtree.
    fn next_in(&mut self, top: NodeId, size: u32) -> Option<Inside> {
        let segments = self.gathered.reading.segments();
        loop {
            let passage = self.gathered.passages.get(self.next)?;
            let [first, last] = [passage.start, passage.end - 1].map(|at| segments[at].node.0);
            if first >= top.0 + size {
                return None;
            }
            self.next += 1;
            if first >= top.0 {
                let places = (first - top.0, last.saturating_sub(top.0));
                return Some(Inside { at: self.next - 1, places, is_whole: last < top.0 + size });
            }
        }
    }
}

/// Whether something is around one of two equal passages alone, and no passage before them is to tell it.
fn is_news_around(around: &Around, told: &mut Told, [there, here]: [(&Gathered<'_>, &Range<usize>); 2]) -> bool {
    let node = |side: &Gathered<'_>, at: usize| side.reading.segments()[at].node;
    let pairs = there.1.clone().zip(here.1.clone());
    // All of them are asked, since a passage that is cut tells of all.
    pairs.filter(|&(x, y)| around.is_news(told, [x, y], [node(there.0, x), node(here.0, y)])).count() > 0
}

/// Whether two equal passages are in one list or the like with what stands before them, or both are not.
fn stand_alike(sides: [(&Gathered<'_>, &Range<usize>); 2]) -> bool {
    let sides = sides.map(|(side, passage)| (&side.reading, [passage.start.saturating_sub(1), passage.start]));
    looks::division(sides).is_none()
}

/// Whether two equal segments look the same and lead to the same place, by what is around the subtree that they are in.
fn look_alike(there: &Segment, here: &Segment, top: (NodeId, NodeId), matching: &Matching, cells: &Cells) -> bool {
    // A block outside may have another name, or more in it than it had.
    let is_block_inside = there.block >= top.0 && here.block >= top.1;
    is_block_inside
        && there.formats == here.formats
        && there.nesting == here.nesting
        && there.leads_as(here)
        && there.is_anchored == here.is_anchored
        && there.is_preserved == here.is_preserved
        && !here.is_atom
        && cells.may_be_one(there, here, matching)
}

impl Reading<'_> {
    /// Whether it is plain where the first word of some segments begins and where the last one ends.
    fn has_plain_ends(&self, segments: &Range<usize>) -> bool {
        let text = &self.text().as_bytes()[self.whole_range(segments)];
        let is_plain = |end: Option<&u8>| end.is_some_and(u8::is_ascii);
        is_plain(text.first()) && is_plain(text.last())
    }
}
