//! How does a document become JSON again? Compact, in the order of the source or in one that depends on the content.

use std::fmt::Write;
use std::vec;

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
    write(document, Order::AsWritten)
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
    write(document, Order::ByKey)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsWritten,
    ByKey,
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

fn write(document: &Document, order: Order) -> String {
    let mut out = String::with_capacity(document.source().len());
    let mut open = Vec::new();
    if let Some(root) = document.root_element() {
        open.extend(value(root, order, &mut out));
    }
    while let Some(innermost) = open.last_mut() {
        match innermost.items.next() {
            Some(node) => {
                innermost.lead_in(node, &mut out);
                open.extend(value(node, order, &mut out));
            }
            None => {
                out.push(if innermost.is_object { '}' } else { ']' });
                open.pop();
            }
        }
    }
    out
}

/// Writes a value, of an object or array only the bracket: the rest is for the caller.
fn value<'d>(node: Node<'d>, order: Order, out: &mut String) -> Option<Open<'d>> {
    match node.kind() {
        Kind::Object | Kind::Array => return Some(Open::new(node, order, out)),
        Kind::String => string(&node.value(), out),
        Kind::Number | Kind::Literal => out.push_str(&node.value()),
        _ => {}
    }
    None
}

impl<'d> Open<'d> {
    fn new(node: Node<'d>, order: Order, out: &mut String) -> Self {
        let is_object = node.kind() == Kind::Object;
        out.push(if is_object { '{' } else { '[' });
        let items = match order {
            Order::ByKey if is_object => Items::Sorted(by_key(node).into_iter()),
            _ => Items::AsWritten(node.children()),
        };
        Open { items, is_object, is_first: true }
    }

    /// The comma and the key before an item.
    fn lead_in(&mut self, item: Node<'_>, out: &mut String) {
        if !std::mem::take(&mut self.is_first) {
            out.push(',');
        }
        if self.is_object {
            string(item.name().local, out);
            out.push(':');
        }
    }
}

fn by_key(object: Node<'_>) -> Vec<Node<'_>> {
    let mut members: Vec<Node<'_>> = object.children().collect();
    members.sort_by(|a, b| a.name().local.encode_utf16().cmp(b.name().local.encode_utf16()));
    members
}

/// Writes a string in quotes, with no more escapes than JSON asks for.
fn string(value: &str, out: &mut String) {
    out.push('"');
    let mut rest = value;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        escape(rest.as_bytes()[at], out);
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn escape(byte: u8, out: &mut String) {
    let short = match byte {
        b'"' => "\\\"",
        b'\\' => "\\\\",
        b'\n' => "\\n",
        b'\r' => "\\r",
        b'\t' => "\\t",
        0x08 => "\\b",
        0x0C => "\\f",
        other => {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{other:04x}");
            return;
        }
    };
    out.push_str(short);
}
