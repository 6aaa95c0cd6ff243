//! How does a document become JSON again? Compact, in the order of the source or in one that depends on the content.

use std::fmt::{self, Write};
use std::vec;

use super::{Order, collected};
use crate::tree::{Children, Document, Kind, Node};

/// Writes JSON without white space, members in the order of the source and numbers as written. Nothing where the
/// document is not JSON.
///
/// ```
/// use treediff::{parse, write};
///
/// let order = parse::json(br#"{ "n": 1.50, "a": "\u0041" }"#, &parse::Options::default())?.document;
/// assert_eq!(write::json(&order), r#"{"n":1.50,"a":"A"}"#);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn json(document: &Document) -> String {
    collected(document.source().len(), |out| write(document, Order::AsWritten, out))
}

/// Writes JSON as [`json()`] does, but with the members of every object sorted by their keys, compared as UTF-16: two
/// documents with equal content have equal canonical forms. That is RFC 8785 except that numbers stay as written.
///
/// ```
/// use treediff::{parse, write};
///
/// let order = parse::json(br#"{ "n": 1.50, "a": "\u0041" }"#, &parse::Options::default())?.document;
/// assert_eq!(write::canonical_json(&order), r#"{"a":"A","n":1.50}"#);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn canonical_json(document: &Document) -> String {
    collected(document.source().len(), |out| canonical_json_to(document, out))
}

/// Writes what [`canonical_json`] returns, piece by piece; fails only where `out` does.
pub fn canonical_json_to(document: &Document, out: &mut impl Write) -> fmt::Result {
    write(document, Order::ByName, out)
}

/// What is left to write of an object or array.
struct Open<'d> {
    items: Items<'d>,
    is_object: bool,
    is_first: bool,
}

enum Items<'d> {
    AsWritten(Children<'d>),
    Sorted(vec::IntoIter<Node<'d>>),
}

impl<'d> Iterator for Items<'d> {
    type Item = Node<'d>;

    fn next(&mut self) -> Option<Node<'d>> {
        match self {
            Items::AsWritten(children) => children.next(),
            Items::Sorted(members) => members.next(),
        }
    }
}

/// Writes one value as [`json()`] does, without its key.
pub(crate) fn json_subtree(node: Node<'_>, out: &mut impl Write) -> fmt::Result {
    write_value(node, Order::AsWritten, out)
}

fn write(document: &Document, order: Order, out: &mut impl Write) -> fmt::Result {
    document.root_element().map_or(Ok(()), |root| write_value(root, order, out))
}

fn write_value(node: Node<'_>, order: Order, out: &mut impl Write) -> fmt::Result {
    let mut open = Vec::new();
    open.extend(value(node, order, out)?);
    while let Some(innermost) = open.last_mut() {
        match innermost.items.next() {
            Some(node) => {
                innermost.lead_in(node, out)?;
                open.extend(value(node, order, out)?);
            }
            None => {
                out.write_char(if innermost.is_object { '}' } else { ']' })?;
                open.pop();
            }
        }
    }
    Ok(())
}

/// Writes a value, of an object or array only the bracket: the rest is for the caller.
fn value<'d>(node: Node<'d>, order: Order, out: &mut impl Write) -> Result<Option<Open<'d>>, fmt::Error> {
    match node.kind() {
        Kind::Object | Kind::Array => return Open::new(node, order, out).map(Some),
        Kind::String => string(&node.value(), out)?,
        Kind::Number | Kind::Literal => out.write_str(&node.value())?,
        _ => {}
    }
    Ok(None)
}

impl<'d> Open<'d> {
    fn new(node: Node<'d>, order: Order, out: &mut impl Write) -> Result<Self, fmt::Error> {
        let is_object = node.kind() == Kind::Object;
        out.write_char(if is_object { '{' } else { '[' })?;
        let items = match order {
            Order::ByName if is_object => Items::Sorted(by_key(node).into_iter()),
            _ => Items::AsWritten(node.children()),
        };
        Ok(Open { items, is_object, is_first: true })
    }

    /// The comma and the key before an item.
    fn lead_in(&mut self, item: Node<'_>, out: &mut impl Write) -> fmt::Result {
        if !std::mem::take(&mut self.is_first) {
            out.write_char(',')?;
        }
        if self.is_object {
            string(item.name().local, out)?;
            out.write_char(':')?;
        }
        Ok(())
    }
}

fn by_key(object: Node<'_>) -> Vec<Node<'_>> {
    let mut members: Vec<Node<'_>> = object.children().collect();
    members.sort_by(|a, b| a.name().local.encode_utf16().cmp(b.name().local.encode_utf16()));
    members
}

/// Writes a string in quotes, with no more escapes than JSON asks for.
pub(crate) fn string(value: &str, out: &mut impl Write) -> fmt::Result {
    out.write_char('"')?;
    let mut rest = value;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.write_str(&rest[..at])?;
        escape(rest.as_bytes()[at], out)?;
        rest = &rest[at + 1..];
    }
    out.write_str(rest)?;
    out.write_char('"')
}

fn escape(byte: u8, out: &mut impl Write) -> fmt::Result {
    out.write_str(match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0C => "\\f",
        other => return write!(out, "\\u{other:04x}"),
    })
}
