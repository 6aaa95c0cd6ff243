//! What is a document? One tree for XML, HTML and JSON, as parallel arrays in document order.
//!
//! Every node has one entry in each array, a parent before its children, so a subtree is the range
//! `id..end(id)` and every pass over a document is a plain loop. Text is not copied: a node holds a range of the
//! retained source, and what is written differently there (a character reference, a CDATA section, a CR) is decoded
//! when somebody asks. Subtree hashes, weights and sizes are there from the pass that built the tree.
//!
//! ```
//! use treediff::parse::{self, Options};
//!
//! let document = parse::xml(b"<list><item n='1'>tea &amp; milk</item></list>", &Options::default())?.document;
//! let item = document.root_element().unwrap().first_child().unwrap();
//! assert_eq!(item.name().local, "item");
//! assert_eq!(item.attribute("", "n").unwrap(), "1");
//! assert_eq!(item.string_value(), "tea & milk");
//! # Ok::<(), parse::ParseError>(())
//! ```

mod builder;
mod column;
mod columns;
mod extent;
pub(crate) mod hash;
mod names;
mod node;
mod nodes;
mod projection;
mod references;
mod saved;
mod sorted;
mod splice;
mod sums;
mod tag;
mod walk;
mod written;
mod written_alike;

pub(crate) use builder::{Builder, Parts, TextRun, is_blank};
pub(crate) use columns::Columns;
pub(crate) use names::NamespaceId;
pub use names::{Name, NameId, Names};
pub(crate) use node::html_prefix;
pub use node::{Ancestors, Attribute, Attributes, Children, Descendants, Node};
pub(crate) use projection::Projection;
pub(crate) use references::{ValuePiece, kept_references, value_hash};
pub use saved::{Saved, SavedChildren, SavedError, SavedNode};
pub(crate) use splice::{Patch, Piece};
pub(crate) use tag::Tag;
pub use walk::{Step, Walk};

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use crate::parse::encoding::encode;
use bytemuck::{Pod, Zeroable};
use column::{Column, Text};
use sums::ByteSums;

use crate::parse::decode;

/// The namespace of the `xml` prefix.
pub const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
/// The namespace of namespace declarations.
pub const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";
/// The namespace of HTML elements.
pub const HTML_NAMESPACE: &str = "http://www.w3.org/1999/xhtml";

/// What a document was written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// XML 1.0 with namespaces.
    Xml,
    /// HTML as browsers read it.
    Html,
    /// JSON, objects unordered.
    Json,
}

impl std::fmt::Display for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Format::Xml => "XML",
            Format::Html => "HTML",
            Format::Json => "JSON",
        })
    }
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// The document itself, always node 0.
    Document,
    /// An element.
    Element,
    /// Character data; CDATA is text.
    Text,
    /// A comment.
    Comment,
    /// A processing instruction; its name is the target.
    ProcessingInstruction,
    /// A reference to an entity that is not expanded; its name is the entity's.
    Reference,
    /// A JSON object; its children are its members, in the order of the source, compared without order.
    Object,
    /// A JSON array.
    Array,
    /// A JSON string.
    String,
    /// A JSON number, as written.
    Number,
    /// `true`, `false` or `null`.
    Literal,
}

impl Kind {
    const COUNT: u32 = 11;

    /// What the four bits of a label stand for. There are no labels with the last five, and no check for them either.
    const ALL: [Kind; 16] = [
        Kind::Document,
        Kind::Element,
        Kind::Text,
        Kind::Comment,
        Kind::ProcessingInstruction,
        Kind::Reference,
        Kind::Object,
        Kind::Array,
        Kind::String,
        Kind::Number,
        Kind::Literal,
        Kind::Literal,
        Kind::Literal,
        Kind::Literal,
        Kind::Literal,
        Kind::Literal,
    ];

    /// Whether nodes of this kind can have children.
    pub fn is_container(self) -> bool {
        matches!(self, Kind::Document | Kind::Element | Kind::Object | Kind::Array)
    }
}

/// A node's kind and name in one word: two nodes of one document are named alike where their labels are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
#[repr(transparent)]
pub struct Label(u32);

impl Label {
    pub(crate) const fn new(kind: Kind, name: NameId) -> Self {
        Label((kind as u32) << 28 | name.0)
    }

    /// A label without a name.
    pub(crate) const fn of(kind: Kind) -> Self {
        Label::new(kind, NameId::NONE)
    }

    /// The kind.
    #[inline]
    pub fn kind(self) -> Kind {
        Kind::ALL[(self.0 >> 28) as usize]
    }

    /// The name, [`NameId::NONE`] where the node has none.
    #[inline]
    pub fn name(self) -> NameId {
        NameId(self.0 & (NameId::LIMIT - 1))
    }

    fn is_valid(self, names: usize) -> bool {
        (self.0 >> 28) < Kind::COUNT && self.name().index() < names
    }

    /// The stable hash of the label.
    #[inline(always)]
    pub(crate) fn hash(self, names: &Names) -> u64 {
        self.hash_of(names.hash(self.name()))
    }

    /// The stable hash of a label of this kind whose name has a hash.
    #[inline(always)]
    pub(crate) fn hash_of(self, name: u64) -> u64 {
        name.wrapping_add(u64::from(self.0 >> 28) << 56)
    }
}

/// A node of a document: its place in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The document node.
    pub const DOCUMENT: NodeId = NodeId(0);

    /// The place as an index into the document's columns.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A range of a document's text, with a mark where the bytes there are not yet the value.
///
/// One word, the start in its low half, the length in its high half, and the mark in its top bit: two fields written
/// apart and read together made the processor wait, which took 7 % of the time to parse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Span(u64);

/// Sources are shorter than this, which leaves the top bit of a length free.
pub(crate) const MAX_TEXT_BYTES: usize = (1 << 31) - 1;

impl Span {
    const MARK: u64 = 1 << 63;

    #[inline(always)]
    pub(crate) fn plain(start: u32, end: u32) -> Self {
        Span(u64::from(start) | u64::from(end - start) << 32)
    }

    #[inline(always)]
    pub(crate) fn new(start: u32, end: u32, encoded: bool) -> Self {
        Span(Span::plain(start, end).0 | u64::from(encoded) << 63)
    }

    #[inline]
    pub(crate) fn is_encoded(self) -> bool {
        self.0 & Span::MARK != 0
    }

    #[inline]
    pub(crate) fn start(self) -> u32 {
        self.0 as u32
    }

    #[inline]
    pub(crate) fn len(self) -> u32 {
        ((self.0 & !Span::MARK) >> 32) as u32
    }

    #[inline]
    pub(crate) fn end(self) -> u32 {
        self.start() + self.len()
    }

    /// Whether it is an empty range with nothing to decode.
    #[inline]
    fn is_nothing(self) -> bool {
        self.0 >> 32 == 0
    }

    /// The end, where the span may be from outside and not end within 32 bits.
    fn checked_end(self) -> Option<u32> {
        self.start().checked_add(self.len())
    }

    /// The same range of a text that has `by` more bytes before it.
    #[inline]
    pub(crate) fn moved(self, by: i64) -> Self {
        Span(self.0 & !u64::from(u32::MAX) | u64::from(self.start().wrapping_add(by as u32)))
    }

    /// A range that is `by` bytes longer.
    pub(crate) fn grown(self, by: i64) -> Self {
        Span::new(self.start(), self.end().wrapping_add(by as u32), self.is_encoded())
    }

    #[inline]
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.start() as usize..self.end() as usize
    }
}

/// An attribute as it is stored: its name and where its value stands; packed, since a third of it would be padding.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(crate) struct StoredAttribute {
    pub(crate) name: u32,
    pub(crate) value: Span,
}

/// A namespace declaration: the element, and where prefix and URI stand in the document's text.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(crate) struct Declaration {
    pub(crate) node: u32,
    pub(crate) prefix: Span,
    pub(crate) uri: Span,
}

/// The place in the source of a node whose value had to be kept elsewhere.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C, packed(4))]
pub(crate) struct Origin {
    pub(crate) node: u32,
    pub(crate) span: Span,
}

/// An element with more attributes than a byte can count.
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct WideElement {
    pub(crate) node: u32,
    /// Attributes beyond [`WideElement::COUNTED`], added up over this and all earlier wide elements.
    pub(crate) extra_so_far: u32,
}

impl WideElement {
    pub(crate) const COUNTED: u32 = u8::MAX as u32;
}

/// A parsed document; immutable.
#[derive(Debug, Clone)]
pub struct Document {
    format: Format,
    encoding: &'static encoding_rs::Encoding,
    has_byte_order_mark: bool,
    /// The bytes of the source, where they cannot be made of its text again.
    original: Option<bytes::Bytes>,
    /// The source in UTF-8, followed by texts that are not a piece of it.
    text: Text,
    source_len: u32,
    names: Names,
    labels: Column<Label>,
    parents: Column<u32>,
    ends: Column<u32>,
    spans: Column<Span>,
    hashes: Column<u64>,
    weights: ByteSums,
    attribute_counts: ByteSums,
    wide: Column<WideElement>,
    attributes: Column<StoredAttribute>,
    declarations: Column<Declaration>,
    origins: Column<Origin>,
    /// `(element name, attribute name)` of the attributes that the DTD declares as IDs, sorted.
    id_attributes: Column<[u32; 2]>,
    doctype: Option<Span>,
    /// Where attributes are written whose values are kept elsewhere, once somebody has asked.
    places_of_kept: OnceLock<HashMap<u32, u32>>,
}

impl Document {
    /// What the document was written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The encoding that the source came in; the text here is UTF-8 whatever it was.
    pub fn encoding(&self) -> &'static str {
        self.encoding.name()
    }

    /// The bytes that the document was parsed from.
    pub(crate) fn source_bytes(&self) -> Vec<u8> {
        match &self.original {
            Some(original) => original.to_vec(),
            None => encode(self.source(), self.encoding, self.has_byte_order_mark),
        }
    }

    /// Whether the source began with a byte order mark, which its text here does not.
    pub fn has_byte_order_mark(&self) -> bool {
        self.has_byte_order_mark
    }

    /// The number of nodes, the document node included.
    #[allow(clippy::len_without_is_empty)] // there is always the document node
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// The document node.
    pub fn root(&self) -> Node<'_> {
        self.node(NodeId::DOCUMENT)
    }

    /// The root element, or the root value of JSON.
    pub fn root_element(&self) -> Option<Node<'_>> {
        self.root().children().find(|child| !matches!(child.kind(), Kind::Comment | Kind::ProcessingInstruction))
    }

    /// A node by its id.
    ///
    /// # Panics
    /// Where the id is not of this document and lies beyond its end.
    pub fn node(&self, id: NodeId) -> Node<'_> {
        assert!(id.index() < self.len(), "node {} of a document of {} nodes", id.0, self.len());
        Node::new(self, id)
    }

    /// All nodes in document order.
    pub fn nodes(&self) -> Descendants<'_> {
        Descendants::new(self, 0, self.len() as u32)
    }

    /// The names that labels and attributes refer to.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// The label of every node.
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// The index of every node's parent; the document node is its own.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// The index behind every node's subtree.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The hash of every subtree.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The source, in UTF-8.
    pub fn source(&self) -> &str {
        &self.text[..self.source_len as usize]
    }

    /// The document type declaration as written, from `<!DOCTYPE` to its `>`.
    pub fn doctype(&self) -> Option<&str> {
        self.doctype.map(|span| &self.text[span.range()])
    }

    /// Whether looking for IDs may find any.
    pub(crate) fn may_have_ids(&self) -> bool {
        !self.id_attributes.is_empty()
            || self.names.find(XML_NAMESPACE, "id").is_some()
            || self.format == Format::Html && self.names.find("", "id").is_some()
    }

    /// The element whose ID is `id`: by the DTD, or `xml:id`, or the `id` of HTML. The first in document order.
    pub fn element_by_id(&self, id: &str) -> Option<Node<'_>> {
        self.nodes().find(|node| node.id_value().is_some_and(|value| value == id))
    }

    /// Bytes of memory that the document takes beyond its source.
    pub fn heap_bytes(&self) -> usize {
        let text = match &self.text {
            Text::Owned(text) => text.capacity() - self.source_len as usize,
            Text::Mapped(_) => 0,
        };
        let original = self.original.as_ref().map_or(0, bytes::Bytes::len);
        text + original
            + self.names.heap_bytes()
            + self.labels.heap_bytes()
            + self.parents.heap_bytes()
            + self.ends.heap_bytes()
            + self.spans.heap_bytes()
            + self.hashes.heap_bytes()
            + self.weights.heap_bytes()
            + self.attribute_counts.heap_bytes()
            + self.wide.heap_bytes()
            + self.attributes.heap_bytes()
            + self.declarations.heap_bytes()
            + self.origins.heap_bytes()
            + self.id_attributes.heap_bytes()
    }

    /// The IDs of all elements that have one, in order. In a page they are known by the name of the attribute alone.
    pub(crate) fn ids(&self) -> impl Iterator<Item = (NodeId, Cow<'_, str>)> {
        let names = ["", XML_NAMESPACE].map(|namespace| self.names.find(namespace, "id"));
        let is_page = self.format == Format::Html;
        let mut next = 0;
        self.nodes().filter_map(move |node| {
            let attributes = next..next + node.attribute_count();
            next = attributes.end;
            let id = match is_page {
                _ if attributes.is_empty() => None,
                true => attributes
                    .map(|at| self.attribute(at))
                    .find(|attribute| names.contains(&Some(attribute.name_id())))
                    .map(Attribute::value),
                false => node.id_value(),
            };
            id.map(|id| (node.id(), id))
        })
    }

    /// An attribute by its place in the list of all.
    pub(crate) fn attribute(&self, index: u32) -> Attribute<'_> {
        Attribute::new(self, index)
    }

    /// A namespace declaration by its place in the list of all, as prefix and URI.
    pub(crate) fn declaration(&self, index: usize) -> (Cow<'_, str>, Cow<'_, str>) {
        let declaration = self.declarations[index];
        (Cow::Borrowed(&self.text[declaration.prefix.range()]), self.attribute_text(declaration.uri))
    }

    /// The value of an attribute that stands there.
    fn attribute_text(&self, span: Span) -> Cow<'_, str> {
        decode::attribute(self.format, &self.text[span.range()], span.is_encoded())
    }

    /// How many namespace declarations there are.
    pub(crate) fn declaration_count(&self) -> usize {
        self.declarations.len()
    }

    /// Where the document type declaration stands in the source.
    pub(crate) fn doctype_range(&self) -> Option<std::ops::Range<usize>> {
        self.doctype.map(Span::range)
    }

    /// Whether every value stands at its place in the source.
    pub(crate) fn stands_in_source(&self) -> bool {
        self.origins.is_empty() && self.text.len() == self.source_len as usize
    }

    /// Reads a little of every piece of memory that a small document takes. One that was kept is far from the processor, and
    /// what is asked for at once comes together, where a matcher that goes from node to node waits for each: that was a
    /// microsecond of the seven that it took to match documents of 50 nodes, one after the other out of a thousand.
    pub(crate) fn fetch(&self) {
        if self.len() > SMALL {
            return;
        }
        let columns = glance(&self.labels) ^ glance(&self.parents) ^ glance(&self.ends) ^ glance(&self.spans);
        let values = glance(&self.hashes) ^ glance(&self.attribute_counts.values) ^ glance(&self.attributes);
        let texts = glance(self.text.as_bytes()) ^ self.names.glance();
        std::hint::black_box(columns ^ values ^ texts);
    }

    /// The index of a node's first attribute.
    fn first_attribute(&self, node: u32) -> u32 {
        let counted = self.attribute_counts.before(node as usize);
        if self.wide.is_empty() { counted } else { counted + self.extra_attributes_before(node) }
    }

    fn extra_attributes_before(&self, node: u32) -> u32 {
        match self.wide.partition_point(|wide| wide.node < node) {
            0 => 0,
            at => self.wide[at - 1].extra_so_far,
        }
    }
}

/// Documents of so many nodes are small: they come into the nearest cache as a whole.
const SMALL: usize = 256;

/// A byte of each line of memory.
#[inline]
pub(crate) fn glance<T: Pod>(values: &[T]) -> u8 {
    const LINE: usize = 64;
    bytemuck::cast_slice::<T, u8>(values).iter().step_by(LINE).fold(0, |all, byte| all ^ byte)
}
