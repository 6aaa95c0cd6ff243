//! Which white space stands before a node in its source, and behind the last child of an element?

use std::ops::Range;

use crate::tree::{Kind, Node, NodeId, is_blank};

/// What counts as layout.
pub(super) const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// The white space right before a node in its source that is no part of a text.
pub(super) fn lead(node: Node<'_>) -> &str {
    match node.outer_range() {
        Some(range) if node.kind() != Kind::Text => blank_between(node, text_end(node, node.id().0), range.start),
        _ => "",
    }
}

/// The white space that the content of an element ends with and that is no part of a text.
pub(super) fn trail(element: Node<'_>, content: Range<usize>) -> &str {
    blank_between(element, content.start.max(text_end(element, element.end())), content.end)
}

/// Where the node before a place in document order ends, if it is a text: of a page it may be one in an element that
/// has no end tag.
fn text_end(node: Node<'_>, place: u32) -> usize {
    let last = place.checked_sub(1).map(|before| node.document().node(NodeId(before)));
    let text = last.filter(|last| last.kind() == Kind::Text).and_then(Node::outer_range);
    text.map_or(0, |range| range.end)
}

fn blank_between(node: Node<'_>, start: usize, end: usize) -> &str {
    blank_end(node.document().source().get(start..end).unwrap_or_default())
}

/// The white space that a text ends with.
pub(super) fn blank_end(text: &str) -> &str {
    &text[text.trim_end_matches(BLANK).len()..]
}

/// The line end and indentation out of some layout, to be taken for another node; all of it where it is one line.
pub(super) fn indentation(layout: &str) -> &str {
    if !is_blank(layout.as_bytes()) {
        return indentation(blank_end(layout));
    }
    let line = layout.rfind('\n').unwrap_or(0);
    let start = if layout[..line].ends_with('\r') { line - 1 } else { line };
    &layout[start..]
}
