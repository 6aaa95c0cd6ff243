//! How was it written? The source form: what has not changed keeps its bytes.

use std::borrow::Cow;

use super::canonical::canonical_subtree;
use crate::tree::{Attribute, Document, Format, Node};

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

/// A node as its source has it, a comment with its delimiters; one that is not there itself is written anew.
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
    // A value of JSON is meant without the key that it stands under.
    let range = match node.document().format() {
        Format::Json => node.source_range(),
        Format::Xml | Format::Html => node.outer_range(),
    };
    match range {
        Some(range) => Cow::Borrowed(&node.document().source()[range]),
        None => Cow::Owned(canonical_subtree(node)),
    }
}

/// The attributes of an element in the order of the source; those that are not there, such as defaults, come last.
///
/// ```
/// use treediff::{parse, write};
///
/// let document = parse::xml("<a c='1' b='2' d='3'/>", &Default::default())?.document;
/// let attributes = write::attributes_as_written(document.root_element().unwrap());
/// let names: Vec<_> = attributes.iter().map(|attribute| attribute.name().local).collect();
/// assert_eq!(names, ["c", "b", "d"]);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn attributes_as_written(element: Node<'_>) -> Vec<Attribute<'_>> {
    let mut attributes: Vec<Attribute<'_>> = element.attributes().collect();
    attributes.sort_by_key(|attribute| attribute.written_at());
    attributes
}
