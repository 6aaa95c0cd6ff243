//! How is the patched document written? As it was, but for what the patch went through and changed.
//!
//! White space stands before the member or item that it precedes and goes with it; what is new gets that of its
//! neighbours.

use std::collections::HashMap;
use std::ops::Range;

use super::edited::{Edited, Items, Members, Place, Value, as_written};
use crate::parse::encoding::encode;
use crate::tree::{Document, Kind, Node, NodeId};
use crate::write::json_string;

/// The text of the patched document, with what stands around the root value.
pub(super) fn text(edited: &Edited<'_>, document: &Document) -> String {
    let source = document.source();
    let around = document.root_element().and_then(written_range).unwrap_or(0..source.len());
    let mut out = String::with_capacity(source.len());
    out.push_str(source.get(..around.start).unwrap_or(""));
    if let Some(root) = edited.root() {
        write_value(edited, root, &mut out);
    }
    out.push_str(source.get(around.end..).unwrap_or(""));
    out
}

/// A text in the encoding of a document.
pub(super) fn encoded(text: &str, document: &Document) -> Vec<u8> {
    let encoding = encoding_rs::Encoding::for_label(document.encoding().as_bytes()).unwrap_or(encoding_rs::UTF_8);
    encode(text, encoding, document.has_byte_order_mark())
}

/// What is left to write of an object or array.
struct Open<'e, 'd> {
    children: std::vec::IntoIter<(Option<&'e str>, Place)>,
    look: Look<'d>,
    closer: char,
    is_first: bool,
}

fn write_value(edited: &Edited<'_>, value: Place, out: &mut String) {
    let mut open = Vec::new();
    open.extend(begin(edited, value, out));
    while let Some(innermost) = open.last_mut() {
        match innermost.children.next() {
            Some((key, child)) => {
                innermost.lead_in(key, edited.get(child).origin(), out);
                open.extend(begin(edited, child, out));
            }
            None => {
                if !innermost.is_first {
                    out.push_str(innermost.look.tail);
                }
                out.push(innermost.closer);
                open.pop();
            }
        }
    }
}

/// Writes a value, of an opened object or array only the bracket: the rest is for the caller.
fn begin<'e, 'd>(edited: &'e Edited<'d>, value: Place, out: &mut String) -> Option<Open<'e, 'd>> {
    let (origin, children): (Node<'d>, Vec<(Option<&'e str>, Place)>) = match edited.get(value) {
        Value::Whole(node) => {
            out.push_str(written(*node));
            return None;
        }
        Value::Object(Members { origin, list, .. }) => {
            (*origin, list.iter().flatten().map(|(key, child)| (Some(&**key), *child)).collect())
        }
        Value::Array(Items { origin, .. }) => {
            (*origin, edited.children(value).into_iter().map(|child| (None, child)).collect())
        }
    };
    let (opener, closer) = if origin.kind() == Kind::Object { ('{', '}') } else { ('[', ']') };
    out.push(opener);
    Some(Open { children: children.into_iter(), look: Look::of(origin), closer, is_first: true })
}

impl Open<'_, '_> {
    /// The comma, the white space and the key before a child.
    fn lead_in(&mut self, key: Option<&str>, child: Node<'_>, out: &mut String) {
        let known = self.look.children.get(&child.id()).filter(|_| self.look.is_of(child));
        if std::mem::take(&mut self.is_first) {
            out.push_str(self.look.first_lead);
        } else {
            out.push(',');
            let own = known.filter(|piece| !piece.is_first).map(|piece| piece.lead);
            out.push_str(own.unwrap_or(self.look.other_lead));
        }
        let Some(key) = key else { return };
        match known.filter(|_| child.name().local == key) {
            Some(piece) => out.push_str(piece.head),
            None => {
                // Writing to a string cannot fail.
                let _ = json_string(key, out);
                out.push_str(self.look.colon);
            }
        }
    }
}

/// The white space and the keys of an object or array as they were written.
struct Look<'d> {
    origin: Node<'d>,
    children: HashMap<NodeId, Piece<'d>>,
    first_lead: &'d str,
    other_lead: &'d str,
    /// With the white space around it.
    colon: &'d str,
    tail: &'d str,
}

/// What stands before a child: white space, then its key and colon.
#[derive(Clone, Copy)]
struct Piece<'d> {
    lead: &'d str,
    head: &'d str,
    is_first: bool,
}

impl<'d> Look<'d> {
    fn of(origin: Node<'d>) -> Self {
        let source = origin.document().source();
        let range = written_range(origin).unwrap_or_default();
        let mut at = range.start + 1;
        let mut pieces = Vec::new();
        for child in as_written(origin) {
            let Some(written) = written_range(child) else { continue };
            let before = source.get(at..written.start).unwrap_or("");
            pieces.push((child.id(), Piece::new(before, pieces.is_empty(), origin.kind())));
            at = written.end;
        }
        let piece = |at: usize| pieces.get(at).map(|&(_, piece)| piece);
        let first_lead = piece(0).map_or("", |piece| piece.lead);
        let colon = piece(0).and_then(|piece| piece.head.rsplit_once('"')).map_or(":", |(_, colon)| colon);
        let alone =
            if first_lead.contains('\n') { first_lead } else { &colon[colon.find(':').map_or(0, |at| at + 1)..] };
        let other_lead = piece(1).map_or(alone, |piece| piece.lead);
        let tail = if pieces.is_empty() { "" } else { source.get(at..range.end.saturating_sub(1)).unwrap_or("") };
        Look { origin, children: pieces.into_iter().collect(), first_lead, other_lead, colon, tail }
    }

    fn is_of(&self, child: Node<'_>) -> bool {
        child.parent() == Some(self.origin)
    }
}

impl<'d> Piece<'d> {
    fn new(before: &'d str, is_first: bool, parent: Kind) -> Self {
        let behind_comma = if is_first { before } else { before.split_once(',').map_or("", |(_, rest)| rest) };
        match parent {
            Kind::Object => {
                let head = behind_comma.trim_start();
                Piece { lead: &behind_comma[..behind_comma.len() - head.len()], head, is_first }
            }
            _ => Piece { lead: behind_comma, head: "", is_first },
        }
    }
}

fn written(node: Node<'_>) -> &str {
    written_range(node).and_then(|range| node.document().source().get(range)).unwrap_or("null")
}

/// Where a value stands in its source; a string with its quotes.
fn written_range(node: Node<'_>) -> Option<Range<usize>> {
    let range = node.source_range()?;
    match node.kind() {
        Kind::String => Some(range.start.checked_sub(1)?..range.end + 1),
        _ => Some(range),
    }
}
