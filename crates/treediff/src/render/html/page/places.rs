//! Where in a page can something be shown that is not there? The places between two of its items, from the one to the other.
//!
//! Behind an item the way leads up out of elements to where both items part, and down to the next item. At every step
//! of it something can stand without a change to the order of what is read; which of them suits depends on what it is.
//!
//! ```text
//!   <ul><li>one│</li>│<li>│two</li></ul>      places between «one» and «two»
//! ```

use crate::text::Reading;
use crate::tree::{Document, HTML_NAMESPACE, Name, Node, NodeId};

/// A place in a page, in the order of writing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the text of a segment, at a byte of the reading's text.
    InText { segment: usize, at: usize },
    /// Before a node.
    Before(NodeId),
    /// Behind all that is in an element.
    End(NodeId),
}

impl Place {
    /// The node that it is in or before.
    pub fn node(self, reading: &Reading<'_>) -> NodeId {
        match self {
            Place::InText { segment, .. } => reading.segments()[segment].node,
            Place::Before(node) | Place::End(node) => node,
        }
    }
}

/// A place, and the element that it is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    pub place: Place,
    pub parent: NodeId,
}

/// The places between the item before `item` and it, in order; there is always one.
pub fn between(reading: &Reading<'_>, item: usize) -> Vec<Slot> {
    let document = reading.document();
    let previous = item.checked_sub(1).map(|at| reading.items()[at].range().end);
    let next = reading.items().get(item).map(|next| next.range().start);
    let ends = [previous.map(|end| (reading.segment_at(end - 1), end)), next.map(|at| (reading.segment_at(at), at))];
    let [node, other] = ends.map(|end| end.map(|(segment, _)| reading.segments()[segment].node));
    let above = match (node, other) {
        (Some(node), Some(other)) if node != other => common_ancestor(document, node, other),
        _ => body(document),
    };
    let mut slots = Vec::new();
    slots.extend(ends[0].and_then(|end| in_text(reading, end)));
    if node.is_none() || node != other {
        if let Some(node) = node {
            let end = other.map_or(document.len() as u32, |other| other.0);
            up(document, node, above, end, &mut slots);
        }
        if let Some(other) = other {
            down(document, other, above, &mut slots);
        }
    }
    slots.extend(ends[1].and_then(|end| in_text(reading, end)));
    if slots.len() > 2 * FURTHEST {
        slots.drain(FURTHEST..slots.len() - FURTHEST);
    }
    if slots.is_empty() {
        slots.push(Slot { place: Place::End(above), parent: above });
    }
    slots
}

/// How far from either item places are looked at: deeper than anybody nests, a stranger would have every chunk look at
/// all of them.
const FURTHEST: usize = 128;

/// The place in a text, where it is one.
fn in_text(reading: &Reading<'_>, (segment, at): (usize, usize)) -> Option<Slot> {
    let found = reading.segments()[segment];
    let parent = reading.node(&found).parent()?.id();
    (!found.is_atom).then_some(Slot { place: Place::InText { segment, at }, parent })
}

/// The element that holds what is read.
pub fn body(document: &Document) -> NodeId {
    let Some(root) = document.root_element() else { return NodeId::DOCUMENT };
    let name = Name { namespace: HTML_NAMESPACE, local: "body" };
    root.children().find(|child| child.is_element() && child.name() == name).unwrap_or(root).id()
}

/// Behind the node, behind its parent, and so on below `above`; and in cells behind them that end before `end`, which have
/// nothing in them.
fn up(document: &Document, node: NodeId, above: NodeId, end: u32, slots: &mut Vec<Slot>) {
    let mut node = document.node(node);
    while let Some(parent) = node.parent().filter(|_| node.id() != above) {
        let is_last = node.end() >= parent.end();
        let place = if is_last { Place::End(parent.id()) } else { Place::Before(NodeId(node.end())) };
        slots.push(Slot { place, parent: parent.id() });
        if is_cell(node) {
            let cells = std::iter::successors(node.next_sibling(), |cell| cell.next_sibling());
            let empty = cells.take_while(|cell| cell.end() <= end).filter(|cell| is_cell(*cell)).map(|cell| cell.id());
            slots.extend(empty.map(|cell| Slot { place: Place::End(cell), parent: cell }));
        }
        if parent.id() <= above {
            break;
        }
        node = parent;
    }
}

/// Whether it is a cell of a table.
pub fn is_cell(node: Node<'_>) -> bool {
    node.is_element() && node.name().namespace == HTML_NAMESPACE && matches!(node.name().local, "td" | "th")
}

/// From below `above` before every element around the node, and before itself.
fn down(document: &Document, node: NodeId, above: NodeId, slots: &mut Vec<Slot>) {
    let first = slots.len();
    let mut node = document.node(node);
    while let Some(parent) = node.parent().filter(|_| node.id() != above) {
        slots.push(Slot { place: Place::Before(node.id()), parent: parent.id() });
        if parent.id() <= above {
            break;
        }
        node = parent;
    }
    slots[first..].reverse();
}

/// The lowest node that both are in; what is looked at as a whole has what is read in its place in it.
fn common_ancestor(document: &Document, one: NodeId, other: NodeId) -> NodeId {
    let (first, last) = (one.min(other), one.max(other));
    let mut node = document.node(first);
    while node.end() <= last.0 {
        match node.parent() {
            Some(parent) => node = parent,
            None => break,
        }
    }
    node.id()
}
