//! Where in its source does a node stand, with all that belongs to it? And what white space stands before it?

use std::ops::Range;

use crate::tree::{Format, Kind, Node, NodeId, is_blank};

/// Where a node stands in the source of its document: a comment with its delimiters, a string with its quotes, a
/// member with its key. `None` where it does not stand there by itself, or not in one of the usual forms.
pub(super) fn extent(node: Node<'_>) -> Option<Range<usize>> {
    let range = node.source_range()?;
    let source = node.document().source();
    match node.kind() {
        Kind::Comment => enclosed(source, range, "<!--", "-->"),
        Kind::ProcessingInstruction => instruction(source, range, node.name().local),
        Kind::String => member(node, enclosed(source, range, "\"", "\"")?),
        Kind::Object | Kind::Array | Kind::Number | Kind::Literal => member(node, range),
        Kind::Text if node.document().format() == Format::Html => unjoined(node, range),
        Kind::Document | Kind::Element | Kind::Text | Kind::Reference => Some(range),
    }
}

/// A range with its delimiters, if they are around it.
pub(super) fn enclosed(source: &str, range: Range<usize>, before: &str, behind: &str) -> Option<Range<usize>> {
    let start = range.start.checked_sub(before.len())?;
    let is_enclosed = source.get(start..range.start) == Some(before) && source[range.end..].starts_with(behind);
    is_enclosed.then(|| start..range.end + behind.len())
}

/// An instruction whose data are at `range`.
fn instruction(source: &str, range: Range<usize>, target: &str) -> Option<Range<usize>> {
    let before = source[..range.start].trim_end_matches(BLANK).strip_suffix(target)?.strip_suffix("<?")?;
    source[range.end..].starts_with("?>").then(|| before.len()..range.end + "?>".len())
}

/// A value of JSON with its key, where it is a member.
fn member(node: Node<'_>, value: Range<usize>) -> Option<Range<usize>> {
    if node.parent().is_none_or(|parent| parent.kind() != Kind::Object) {
        return Some(value);
    }
    let before = node.document().source()[..value.start].trim_end_matches(BLANK).strip_suffix(':')?;
    let inner = before.trim_end_matches(BLANK).strip_suffix('"')?;
    key_start(inner).map(|start| start..value.end)
}

/// The place of the quote that a string begins with of which `before` ends with the characters.
fn key_start(before: &str) -> Option<usize> {
    let mut rest = before;
    loop {
        let quote = rest.rfind('"')?;
        let written = &rest[..quote];
        let escapes = written.len() - written.trim_end_matches('\\').len();
        if escapes.is_multiple_of(2) {
            return Some(quote);
        }
        rest = written;
    }
}

/// A text of a page may be joined of pieces with markup between them; then it stands nowhere by itself.
fn unjoined(text: Node<'_>, range: Range<usize>) -> Option<Range<usize>> {
    (text.span().range() == range).then_some(range)
}

/// What counts as layout.
pub(super) const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// The white space right before a node in its source that is no part of a text.
pub(super) fn lead(node: Node<'_>) -> &str {
    match extent(node) {
        Some(extent) if node.kind() != Kind::Text => blank_between(node, text_end(node, node.id().0), extent.start),
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
    let text = last.filter(|last| last.kind() == Kind::Text).and_then(extent);
    text.map_or(0, |extent| extent.end)
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
