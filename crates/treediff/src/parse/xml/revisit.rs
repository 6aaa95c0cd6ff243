//! How does the next version of a document become one? Its tree is that of the version before, but for what changed.
//!
//! Two versions are mostly alike from both ends. The bytes that differ lie inside some element; the children of that
//! element before and behind them are the same, and so is all around it. Only what stands between them is parsed, in the
//! scope of its ancestors' start tags, and set into the arrays of the version before, which are copied many times
//! faster than they are made. Whatever is out of the ordinary (recovery, entities, other encodings, mixed content at the
//! place of the change) is parsed as a whole, so that the outcome is always that of [`super::xml`].

use std::ops::Range;

use crate::parse::{Options, ParseError, Parsed, Whitespace};
use crate::tree::{Change, Document, Format, Kind, Node};

/// Parses the version after another, which was parsed with the same options.
///
/// ```
/// use treediff::parse::{self, Options};
///
/// let options = Options::default();
/// let before = parse::xml("<a><b/><c>old</c></a>", &options)?.document;
/// let after = parse::xml_revisited("<a><b/><c>new</c></a>", &before, &options)?.document;
/// assert_eq!(after.root().hash(), parse::xml("<a><b/><c>new</c></a>", &options)?.document.root().hash());
/// # Ok::<(), parse::ParseError>(())
/// ```
///
/// # Errors
/// As [`crate::parse::xml`].
pub fn xml_revisited(source: impl Into<Vec<u8>>, before: &Document, options: &Options) -> Result<Parsed, ParseError> {
    let source = source.into();
    match spliced(&source, before, options) {
        Some(change) => match before.spliced(source, change) {
            Ok(document) => Ok(Parsed { document, issues: Vec::new() }),
            Err(source) => super::xml(source, options),
        },
        None => super::xml(source, options),
    }
}

/// What changed, if it can be set into the tree before.
fn spliced(source: &[u8], before: &Document, options: &Options) -> Option<Change> {
    let is_plain = before.format() == Format::Xml && before.is_plain_utf8() && !options.recover;
    if !is_plain || options.encoding.is_some() || source.len() > options.limits.max_bytes.min(i32::MAX as usize) {
        return None;
    }
    let old = before.source().as_bytes();
    let front = common_front(old, source);
    let back = common_back(&old[front..], &source[front..]);
    let gap = Gap { start: front, end: old.len() - back, grown: source.len() as i64 - old.len() as i64 };
    let around = Surroundings::of(before, &gap, options.whitespace)?;
    let piece = around.piece(source, &gap);
    let parsed = super::xml(piece.text, options).ok()?.document;
    let change = around.change(parsed, piece.start, &gap, options.whitespace)?;
    (change.len_after(before) <= options.limits.max_nodes).then_some(change)
}

/// The bytes of the version before that are not the same, and by how many they grew (or shrank).
struct Gap {
    start: usize,
    end: usize,
    grown: i64,
}

/// The element around what changed, its ancestors, and the nodes and bytes between its unchanged children.
struct Surroundings<'d> {
    /// From the root element to the element itself, with where their content starts.
    path: Vec<(Node<'d>, usize)>,
    nodes: Range<u32>,
    bytes: Range<usize>,
}

/// Changed bytes as a document of their own, and where in it they start.
struct Piece {
    text: Vec<u8>,
    start: usize,
}

impl<'d> Surroundings<'d> {
    fn of(before: &'d Document, gap: &Gap, whitespace: Whitespace) -> Option<Self> {
        let mut path = Vec::new();
        let mut fitting = 0;
        let mut next = before.root_element();
        while let Some((node, content)) = next.and_then(|node| Some((node, content_around(node, gap)?))) {
            path.push((node, content));
            if is_fitting(node, whitespace) {
                fitting = path.len();
            }
            next = node.children().find(|child| range(*child).end > gap.start);
        }
        path.truncate(fitting);
        let &(element, content) = path.last()?;
        // Texts are parsed again with what changed beside them; they begin and end at other nodes.
        let solid = || element.children().filter(|child| child.kind() != Kind::Text);
        let left = solid().take_while(|child| range(*child).end <= gap.start).last();
        let right = solid().find(|child| range(*child).start >= gap.end);
        let content_end = element.content_range()?.end;
        Some(Surroundings {
            nodes: left.map_or(element.id().0 + 1, Node::end)..right.map_or(element.end(), |child| child.id().0),
            bytes: left.map_or(content, |child| range(child).end)
                ..right.map_or(content_end, |child| range(child).start),
            path,
        })
    }

    /// All that stands before the root element, the start tags around the change, the new bytes, and the end tags.
    fn piece(&self, source: &[u8], gap: &Gap) -> Piece {
        let root = self.path.first().map_or(0, |(root, _)| range(*root).start);
        let mut text = source[..root].to_vec();
        for &(node, content) in &self.path {
            text.extend_from_slice(&source[range(node).start..content]);
        }
        let start = text.len();
        text.extend_from_slice(&source[self.bytes.start..(self.bytes.end as i64 + gap.grown) as usize]);
        for &(node, _) in self.path.iter().rev() {
            text.extend_from_slice(format!("</{}>", node.qualified_name()).as_bytes());
        }
        Piece { text, start }
    }

    /// The nodes that come in place of the old ones, if the piece is content of the same element and nothing more.
    fn change(self, parsed: Document, start: usize, gap: &Gap, whitespace: Whitespace) -> Option<Change> {
        let mut element = parsed.root_element()?;
        for _ in 1..self.path.len() {
            let child = element.first_child()?;
            if child.end() != element.end() {
                return None;
            }
            element = child;
        }
        let &(old, _) = self.path.last()?;
        let has_children = self.nodes.len() + 1 < old.size() as usize || element.size() > 1;
        if !parsed.is_plain_utf8() || !is_fitting(element, whitespace) || !has_children {
            return None;
        }
        Some(Change {
            path: self.path.iter().map(|(node, _)| node.id()).collect(),
            removed: self.nodes,
            nodes: element.id().0 + 1..element.end(),
            shift: self.bytes.start as i64 - start as i64,
            grown: gap.grown,
            parsed,
        })
    }
}

/// Where an element's content starts, if the gap lies within it.
fn content_around(node: Node<'_>, gap: &Gap) -> Option<usize> {
    let content = node.content_range()?;
    (content.start <= gap.start && gap.end <= content.end).then_some(content.start)
}

/// Whether white space among the children is what it is whoever their siblings are, and all of them stand in the source.
fn is_fitting(node: Node<'_>, whitespace: Whitespace) -> bool {
    let is_layout = whitespace == Whitespace::Layout;
    node.children().all(|child| child.kind() != Kind::Reference && !(is_layout && child.kind() == Kind::Text))
}

/// Where a node stands; in plain documents, all do.
fn range(node: Node<'_>) -> Range<usize> {
    node.outer_range().unwrap_or_default()
}

const CHUNK: usize = 4096;

fn common_front(left: &[u8], right: &[u8]) -> usize {
    let chunks = left.chunks_exact(CHUNK).zip(right.chunks_exact(CHUNK));
    let start = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    start + left[start..].iter().zip(&right[start..]).take_while(|(left, right)| left == right).count()
}

fn common_back(left: &[u8], right: &[u8]) -> usize {
    let chunks = left.rchunks_exact(CHUNK).zip(right.rchunks_exact(CHUNK));
    let end = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left[..left.len() - end].iter().rev().zip(right[..right.len() - end].iter().rev());
    end + rest.take_while(|(left, right)| left == right).count()
}
