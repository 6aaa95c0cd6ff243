//! How is something shown that the page does not have? With as much of its own markup as its place can bear.
//!
//! Items that follow each other are taken apart into the largest subtrees that are all theirs, and what is left of texts.
//! A list item stays one if it comes to stand in a list, a row in a table, a paragraph where paragraphs can be;
//! what suits nowhere is shown as words alone.

use std::ops::Range;

use super::places::{Place, Slot, body, is_cell};
use crate::text::Reading;
use crate::tree::{HTML_NAMESPACE, Node, NodeId};

/// Something that is shown together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// Its items.
    pub items: Range<usize>,
    /// The subtree that it is; `None` for words of a text.
    pub top: Option<NodeId>,
}

/// The chunks that some items are. A cell that is still there takes up what was in it, and is no chunk itself.
pub fn chunks(reading: &Reading<'_>, items: Range<usize>, is_here: impl Fn(NodeId) -> bool) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut at = items.start;
    while at < items.end {
        let chunk = largest(reading, at, items.end, &is_here).unwrap_or_else(|| words(reading, at, items.end));
        at = chunk.items.end;
        chunks.push(chunk);
    }
    chunks
}

/// The largest subtree that begins with an item and has no other than those before `end`.
fn largest(reading: &Reading<'_>, at: usize, end: usize, is_here: impl Fn(NodeId) -> bool) -> Option<Chunk> {
    let top = body(reading.document());
    let mut node = reading.node(reading.segment_of(reading.items()[at]));
    let mut found = None;
    while node.id() > top {
        let items = items_of(reading, node).filter(|items| items.start == at && items.end <= end);
        let Some(items) = items else { break };
        if is_cell(node) && is_here(node.id()) {
            break;
        }
        // A text is words, and nothing is gained by calling it a subtree.
        found = node.is_element().then_some(Chunk { items, top: Some(node.id()) });
        let Some(parent) = node.parent() else { break };
        node = parent;
    }
    found
}

/// The items of a subtree; `None` where a word reaches across its ends.
fn items_of(reading: &Reading<'_>, node: Node<'_>) -> Option<Range<usize>> {
    let (segments, range) = (segments_in(reading, node), items_in(reading, node));
    let (first, last) = (segments.start, segments.end.checked_sub(1)?);
    let items = reading.items();
    let is_before = range.start == 0 || items[range.start - 1].range().end <= reading.segment_range(first).start;
    let is_within = range.is_empty() || items[range.end - 1].range().end <= reading.segment_range(last).end;
    (is_before && is_within).then_some(range)
}

fn segments_in(reading: &Reading<'_>, node: Node<'_>) -> Range<usize> {
    let before = |end: u32| reading.segments().partition_point(|segment| segment.node.0 < end);
    before(node.id().0)..before(node.end())
}

/// The items that begin in a subtree.
pub fn items_in(reading: &Reading<'_>, node: Node<'_>) -> Range<usize> {
    let before = |segment: usize| reading.items().partition_point(|item| item.segment() < segment);
    let segments = segments_in(reading, node);
    before(segments.start)..before(segments.end)
}

/// The items that begin in one text.
fn words(reading: &Reading<'_>, at: usize, end: usize) -> Chunk {
    let items = &reading.items()[at..end];
    let count = items.iter().take_while(|item| item.segment() == items[0].segment()).count();
    Chunk { items: at..at + count, top: None }
}

/// What a place has to be for something to be shown as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Needs {
    /// To be in one of these elements.
    Parent(&'static [&'static str]),
    /// To be where paragraphs can be.
    Flow,
    /// To be where words can be.
    Words,
}

fn needs(reading: &Reading<'_>, chunk: &Chunk) -> Needs {
    let Some(top) = chunk.top.map(|top| reading.document().node(top)) else { return Needs::Words };
    match top.name().local {
        _ if top.name().namespace != HTML_NAMESPACE => Needs::Words,
        "li" => Needs::Parent(&["ul", "ol", "menu", "dir"]),
        "tr" => Needs::Parent(&["tbody", "thead", "tfoot", "table"]),
        "td" | "th" => Needs::Parent(&["tr"]),
        "tbody" | "thead" | "tfoot" | "caption" => Needs::Parent(&["table"]),
        "dt" | "dd" => Needs::Parent(&["dl"]),
        "address" | "article" | "aside" | "blockquote" | "center" | "details" | "dialog" | "dir" | "div" | "dl"
        | "fieldset" | "figure" | "footer" | "form" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "header" | "hgroup"
        | "listing" | "main" | "menu" | "nav" | "ol" | "p" | "plaintext" | "pre" | "search" | "section" | "table"
        | "ul" | "xmp" => Needs::Flow,
        _ => Needs::Words,
    }
}

fn suits(reading: &Reading<'_>, slot: Slot, needs: Needs) -> bool {
    let local = reading.document().node(slot.parent).name().local;
    match needs {
        Needs::Parent(names) => names.contains(&local),
        Needs::Flow => matches!(
            local,
            "article"
                | "aside"
                | "blockquote"
                | "body"
                | "center"
                | "dd"
                | "details"
                | "dialog"
                | "div"
                | "fieldset"
                | "figure"
                | "footer"
                | "form"
                | "header"
                | "li"
                | "main"
                | "nav"
                | "search"
                | "section"
                | "td"
                | "th"
        ),
        Needs::Words => !matches!(
            local,
            "" | "colgroup"
                | "dir"
                | "dl"
                | "frameset"
                | "head"
                | "html"
                | "menu"
                | "ol"
                | "table"
                | "tbody"
                | "tfoot"
                | "thead"
                | "tr"
                | "ul"
        ),
    }
}

/// Where a chunk of `other` is shown in `base`, as the place among the slots, and whether with its markup.
pub struct Settled {
    pub slot: usize,
    pub has_markup: bool,
}

/// Finds the place for a chunk of `other` among slots of `base`, none of which is before those that are taken.
pub fn settle(
    base: &Reading<'_>,
    slots: &[Slot],
    other: &Reading<'_>,
    chunk: &Chunk,
    partner: Option<NodeId>,
) -> Settled {
    let needs = needs(other, chunk);
    let suiting = || (0..slots.len()).filter(|&at| suits(base, slots[at], needs));
    // The same element around it as it had.
    let beside = suiting().find(|&at| partner == Some(slots[at].parent));
    let found = match needs {
        Needs::Parent(_) => beside.or_else(|| suiting().next()),
        Needs::Flow => beside.or_else(|| suiting().min_by_key(|&at| slots[at].parent)),
        Needs::Words => {
            beside.or_else(|| near_words(slots, other, chunk)).or_else(|| suiting().min_by_key(|&at| slots[at].parent))
        }
    };
    match found {
        Some(slot) => Settled { slot, has_markup: true },
        None => {
            let slot = (0..slots.len()).find(|&at| suits(base, slots[at], Needs::Words)).unwrap_or(slots.len() - 1);
            Settled { slot, has_markup: false }
        }
    }
}

/// In the text next to it, where what is beside it in its own page is in one block with it.
fn near_words(slots: &[Slot], other: &Reading<'_>, chunk: &Chunk) -> Option<usize> {
    let items = other.items();
    let block = |at: usize| items.get(at).map(|item| other.segment_of(*item).block);
    let is_in_text = |at: usize| matches!(slots[at].place, Place::InText { .. });
    let own = block(chunk.items.start);
    let follows = chunk.items.start > 0 && block(chunk.items.start - 1) == own;
    let precedes = block(chunk.items.end) == own;
    match (follows, precedes) {
        (true, _) => Some(0).filter(|&at| is_in_text(at)),
        (false, true) => Some(slots.len() - 1).filter(|&at| is_in_text(at)),
        (false, false) => None,
    }
}

/// The element of `base` that is the one around a chunk.
pub fn partner(other: &Reading<'_>, chunk: &Chunk, partner_of: impl Fn(NodeId) -> Option<NodeId>) -> Option<NodeId> {
    let node = match chunk.top {
        Some(top) => top,
        None => other.segment_of(other.items()[chunk.items.start]).node,
    };
    other.document().node(node).parent().and_then(|parent| partner_of(parent.id()))
}
