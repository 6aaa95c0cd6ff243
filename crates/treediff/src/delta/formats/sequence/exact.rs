//! Where is the layout? Programs that know none see every white space, and count it.
//!
//! A delta in the layout mode does not speak of white space between elements, but who applies its changes one by one
//! has it in the document. So both documents are read once more with all of their white space, and what is layout is
//! marked: it stays, goes with the node behind it, comes with the node behind it, or, where it would become content,
//! goes before anything else.

use super::super::FormatError;
use super::pairs::Pairs;
use crate::parse::{self, Limits, Options, ParseError, Whitespace};
use crate::tree::{Document, Kind, Node, NodeId, XML_NAMESPACE};
use crate::write;

/// A document with all its white space.
#[derive(Debug)]
pub(super) struct Exact {
    pub(super) document: Document,
    /// For every node of the document without layout its place here.
    pub(super) places: Vec<NodeId>,
    /// Which nodes are layout.
    pub(super) layout: Vec<bool>,
}

impl Exact {
    pub(super) fn of(without_layout: &Document, side: &'static str) -> Result<Self, FormatError> {
        let document = read_exactly(without_layout).map_err(|error| FormatError::NotWellFormed { side, error })?;
        let mut places = vec![NodeId::DOCUMENT; without_layout.len()];
        let mut layout = vec![false; document.len()];
        for parent in without_layout.nodes().filter(|node| node.kind().is_container()) {
            let here = document.node(places[parent.id().index()]);
            let is_complete = parent.children().count() == here.children().count();
            let mut children = parent.children();
            for child in here.children() {
                if !is_complete && child.kind() == Kind::Text {
                    layout[child.id().index()] = true;
                } else if let Some(known) = children.next() {
                    places[known.id().index()] = child.id();
                }
            }
        }
        Ok(Exact { document, places, layout })
    }
}

/// A document read again from its source, with all its white space. It was read once and within limits, so that none are
/// needed here.
pub(in crate::delta::formats) fn read_exactly(document: &Document) -> Result<Document, ParseError> {
    let limits = Limits {
        max_bytes: usize::MAX,
        max_nodes: usize::MAX,
        max_depth: usize::MAX,
        max_attributes: usize::MAX,
        max_entity_bytes: usize::MAX,
        ..Limits::default()
    };
    let encoding = Some(document.encoding().to_owned());
    let options = Options { whitespace: Whitespace::Exact, encoding, limits, ..Options::default() };
    parse::xml(write::source(document), &options).map(|parsed| parsed.document)
}

/// Unmarks the layout of `before` that would become content where it stays: those texts go like others.
pub(super) fn give_up_layout(before: &Document, after: &Document, staying: &Pairs, layout: &mut [Vec<bool>; 2]) {
    let preserved = preserved(after);
    for (old, new) in staying.iter() {
        let mut children = after.node(new).children().filter(|child| !layout[1][child.id().index()]).peekable();
        let stays =
            !preserved[new.index()] && children.peek().is_some() && children.all(|child| child.kind() != Kind::Text);
        if !stays {
            before.node(old).children().for_each(|child| layout[0][child.id().index()] = false);
        }
    }
}

/// Unmarks the layout of `after` that stands before something that comes: it comes along.
pub(super) fn bring_layout(after: &Document, comes: impl Fn(NodeId) -> bool, layout: &mut [bool]) {
    for node in after.nodes().skip(1).filter(|node| comes(node.id())) {
        if let Some(text) = node.previous_sibling().filter(|text| text.kind() == Kind::Text) {
            layout[text.id().index()] = false;
        }
    }
}

/// Where `xml:space="preserve"` is in force.
fn preserved(document: &Document) -> Vec<bool> {
    let mut preserved = vec![false; document.len()];
    for node in document.nodes().filter(|node| node.is_element()) {
        let inherited = node.parent().is_some_and(|parent| preserved[parent.id().index()]);
        let own = node.attribute(XML_NAMESPACE, "space");
        preserved[node.id().index()] = own.map_or(inherited, |value| value == "preserve");
    }
    preserved
}

/// The layout text right before a node.
pub(super) fn layout_before(node: Node<'_>, layout: &[bool]) -> bool {
    node.previous_sibling().is_some_and(|text| layout[text.id().index()])
}
