//! How was it written? The source form: what has not changed keeps its bytes.

use std::borrow::Cow;

use super::canonical::canonical_subtree;
use crate::tree::{Document, Node};

/// The bytes of a document's source, in its encoding.
///
/// ```
/// use treediff::{parse, write};
///
/// let source = b"<?xml version='1.0' encoding='ISO-8859-1'?>\n<a  b = 'caf\xE9'/>";
/// let document = parse::xml(source, &Default::default())?.document;
/// assert_eq!(write::source(&document), source);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn source(document: &Document) -> Vec<u8> {
    document.source_bytes()
}

/// A node as its source has it; one that is not there itself is written anew.
///
/// ```
/// use treediff::{parse, write};
///
/// let document = parse::xml("<a><b  c = '1' /></a>", &Default::default())?.document;
/// let b = document.root_element().unwrap().first_child().unwrap();
/// assert_eq!(write::source_of(b), "<b  c = '1' />");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn source_of(node: Node<'_>) -> Cow<'_, str> {
    if node.parent().is_none() {
        return Cow::Borrowed(node.document().source());
    }
    match node.source_range() {
        Some(range) => Cow::Borrowed(&node.document().source()[range]),
        None => Cow::Owned(canonical_subtree(node)),
    }
}
