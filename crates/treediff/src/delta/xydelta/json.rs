//! How is a piece of JSON written in a delta, and read from one? As JSON text.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::sync::Arc;

use super::escape;
use super::fields::shown;
use crate::delta::Fragment;
use crate::parse::{self, Limits, Options, ParseError};
use crate::tree::{Document, Kind, Node, Step};
use crate::write;

/// The JSON text of a fragment, in which the member that its root may be has no key.
pub(super) fn text(content: &Fragment) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write(&mut out, content);
    out
}

fn write(out: &mut String, content: &Fragment) -> fmt::Result {
    /// Of each container that is open: whether it is an object, and whether it has an item.
    struct Open(bool, bool);
    let mut open: Vec<Open> = Vec::new();
    for step in content.steps() {
        match step {
            Step::Enter(node) => {
                if let Some(Open(is_object, has_item)) = open.last_mut() {
                    out.write_str(if std::mem::replace(has_item, true) { "," } else { "" })?;
                    if *is_object {
                        write!(out, "\"{}\":", Inside(node.name().local))?;
                    }
                }
                value(out, node)?;
                if node.kind().is_container() {
                    open.push(Open(node.kind() == Kind::Object, false));
                }
            }
            Step::Leave(node) => {
                out.push(if node.kind() == Kind::Object { '}' } else { ']' });
                open.pop();
            }
        }
    }
    Ok(())
}

fn value(out: &mut String, node: Node<'_>) -> fmt::Result {
    match node.kind() {
        Kind::Object => out.write_char('{'),
        Kind::Array => out.write_char('['),
        Kind::String => write!(out, "\"{}\"", Inside(&node.value())),
        _ => out.write_str(&node.value()),
    }
}

/// Whether a value is a member of an object, so that its name is a key; it may be the empty one.
pub(super) fn is_member(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == Kind::Object)
}

/// The inside of a JSON string, without characters that XML cannot have.
pub(super) struct Inside<'s>(pub(super) &'s str);

impl fmt::Display for Inside<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs = |c: char| c < ' ' || matches!(c, '"' | '\\' | '\u{FFFE}' | '\u{FFFF}');
        let mut rest = self.0;
        while let Some((at, c)) = rest.char_indices().find(|&(_, c)| needs(c)) {
            f.write_str(&rest[..at])?;
            match c {
                '"' | '\\' => write!(f, "\\{c}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                _ => write!(f, "\\u{:04x}", c as u32)?,
            }
            rest = &rest[at + c.len_utf8()..];
        }
        f.write_str(rest)
    }
}

/// A token as it is written: with escapes for characters that XML cannot have, which no token needs to have.
pub(super) fn escaped_token(token: &str) -> Cow<'_, str> {
    if !escape::has_forbidden(token) {
        return Cow::Borrowed(token);
    }
    let mut escaped = String::new();
    for c in token.chars() {
        match escape::is_forbidden(c) {
            true => escaped.push_str(&format!("\\u{:04x}", c as u32)),
            false => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}

/// A text that is a string, a number or a literal of JSON and nothing but that, with no more escapes than it needs.
pub(super) fn read_token(token: &str) -> Result<String, String> {
    let is_trimmed = token.trim() == token;
    let is_scalar = |document: &Document| document.root_element().is_some_and(|root| !root.kind().is_container());
    match parse::json(token, &Options::default()) {
        Ok(parsed) if is_trimmed && is_scalar(&parsed.document) => Ok(write::json(&parsed.document)),
        _ => Err(format!("found `{}`; expected a JSON string, number or literal", shown(token))),
    }
}

/// A payload as it stands in the delta: the key, if it is a member of an object, and its text.
#[derive(Debug)]
pub(super) struct Payload {
    pub(super) key: Option<String>,
    pub(super) text: String,
}

/// Why payloads are no JSON.
#[derive(Debug)]
pub(super) enum Fault {
    /// Which of them is none, and why.
    Payload(usize, String),
    /// Together they exceed a limit.
    Limit(ParseError),
}

/// Reads all payloads at once, into one document that each of them is a piece of.
pub(super) fn read(payloads: &[Payload], limits: &Limits) -> Result<Vec<Fragment>, Fault> {
    let (joined, ranges) = joined(payloads);
    let options = Options { limits: limits.clone(), ..Options::default() };
    let document = match parse::json(joined, &options) {
        Ok(parsed) => parsed.document,
        Err(ParseError::Malformed(issue)) => {
            let at = ranges.partition_point(|range| range.end < issue.position.offset);
            return Err(Fault::Payload(at.min(payloads.len().saturating_sub(1)), issue.message));
        }
        Err(error) => return Err(Fault::Limit(error)),
    };
    let document = Arc::new(document.with_sorted_members());
    let items: Vec<Node<'_>> = document.root_element().into_iter().flat_map(Node::children).collect();
    let fragments = payloads.iter().zip(&ranges).enumerate().map(|(at, (payload, range))| {
        let root = items.get(at).and_then(|&item| value_of(item, payload)).filter(|_| items.len() == payloads.len());
        // A payload could close what it did not open, or be two values, and yet make sense with the others.
        let stands_at = root.and_then(Node::source_range);
        match root.filter(|_| stands_at.is_some_and(|at| range.start <= at.start && at.end <= range.end)) {
            Some(root) => Ok(Fragment::new(document.clone(), root.id(), [])),
            None => Err(Fault::Payload(at, "found no single JSON value".to_owned())),
        }
    });
    fragments.collect()
}

/// The root of a payload, given the item that was made of it.
fn value_of<'d>(item: Node<'d>, payload: &Payload) -> Option<Node<'d>> {
    match payload.key {
        Some(_) => item.first_child().filter(|only| item.kind() == Kind::Object && only.end() == item.end()),
        None => Some(item),
    }
}

/// One array of all payloads, those with a key as the only member of an object, and where each text stands in it.
fn joined(payloads: &[Payload]) -> (String, Vec<std::ops::Range<usize>>) {
    let mut joined = "[".to_owned();
    let mut ranges = Vec::with_capacity(payloads.len());
    for (at, Payload { key, text }) in payloads.iter().enumerate() {
        if at > 0 {
            joined.push(',');
        }
        if let Some(key) = key {
            joined.extend(["{\"", key, "\":"]);
        }
        ranges.push(joined.len()..joined.len() + text.len());
        joined.push_str(text);
        joined.push_str(if key.is_some() { "}" } else { "" });
    }
    joined.push(']');
    (joined, ranges)
}
