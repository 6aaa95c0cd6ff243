//! How do bytes become a document? By one of three parsers, in one form of answer.
//!
//! [`xml`] refuses what is not well-formed and says where and why, or, with [`Options::recover`], reads on and lists
//! what it met. [`html`] follows the WHATWG algorithm, which has an answer to any bytes. [`json`] is RFC 8259.
//! Whatever the bytes, no parser panics, recurses, or takes more than [`Limits`] allow.

pub(crate) mod decode;
pub(crate) mod encoding;
pub mod guess;
pub(crate) mod html;
mod issue;
mod json;
mod xml;

pub use encoding::is_encoding;
pub use html::html;
pub use issue::{Issue, ParseError, Position};
pub(crate) use json::decode_string as decode_json_string;
pub use json::json;
pub(crate) use xml::{Dialect, declared_encoding, delta, escapes};
pub use xml::{XmlReader, xml, xml_revisited};

use crate::tree::{Document, Format};

/// What a parser gives back.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The tree.
    pub document: Document,
    /// What was wrong with the source and read over; empty for XML and JSON unless [`Options::recover`] is set.
    pub issues: Vec<Issue>,
}

/// How to parse.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Whether white space between elements is part of the tree.
    pub whitespace: Whitespace,
    /// Read over what is wrong, and list it, instead of giving up at the first error.
    pub recover: bool,
    /// The encoding that the transport names (the `charset` of a `Content-Type`), which goes before what the
    /// document says of itself but after a byte order mark.
    pub encoding: Option<String>,
    /// What no document may exceed.
    pub limits: Limits,
}

/// What becomes of white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Whitespace {
    /// White space between elements is layout and no node.
    #[default]
    Layout,
    /// Every text is a node.
    Exact,
}

/// What no document may exceed; the defaults bound memory to a few times a large input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of source, after decoding to UTF-8.
    pub max_bytes: usize,
    /// Nodes; in HTML also the attributes of all elements, because those that are opened again have theirs again.
    pub max_nodes: usize,
    /// Depth of nesting.
    pub max_depth: usize,
    /// Attributes of one element.
    pub max_attributes: usize,
    /// Bytes that entities of the DTD may expand to, over the whole document; defaults of attributes may take as many, and
    /// those of the source.
    pub max_entity_bytes: usize,
    /// Levels of entities in entities.
    pub max_entity_depth: usize,
    /// Formatting elements of HTML that are opened again because something else closed them: a few kilobytes of page
    /// can ask for millions.
    pub max_reopened: usize,
    /// Bytes of attributes that those have again, and that whoever writes the document writes once more for each of them.
    pub max_reopened_bytes: usize,
    /// Issues that are listed; further ones are counted in the last.
    pub max_issues: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            max_bytes: 1 << 30,
            max_nodes: 1 << 25,
            max_depth: 1 << 23,
            max_attributes: 1 << 16,
            max_entity_bytes: 10 << 20,
            max_entity_depth: 500,
            max_reopened: 1 << 20,
            max_reopened_bytes: 64 << 20,
            max_issues: 1000,
        }
    }
}

/// Parses bytes as the given format.
pub fn parse(source: impl Into<Vec<u8>>, format: Format, options: &Options) -> Result<Parsed, ParseError> {
    match format {
        Format::Xml => xml(source, options),
        Format::Html => html(source, options),
        Format::Json => json(source, options),
    }
}
