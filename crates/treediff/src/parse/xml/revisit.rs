//! How does the next version of a document become one? Its tree is that of the version before, but for what changed.
//!
//! Two versions are mostly alike. `alike` goes through the children of an element beside the new bytes: those that
//! stand there unchanged are kept, those that changed are gone into where their tags are the same, and what is left are
//! pieces of new bytes. Only these are parsed, all of them together, inside the start tags that they stand in; their nodes
//! are set into the arrays of the version before, which are copied many times faster than they are made.
//!
//! ```text
//!   before  <a><b>…</b><c>1</c><d><e/><f/></d></a>     parsed  <a><c>2</c><d><g/></d></a>
//!   after   <a><b>…</b><c>2</c><d><e/><g/></d></a>     kept    a, b…, d, e
//! ```
//!
//! How the pieces were found does not matter to the outcome: each is checked to be whole nodes of the element that it is
//! to be content of. Whatever is out of the ordinary (recovery, entities, other encodings, mixed content where something
//! changed) is parsed as a whole, so that the outcome is always that of [`super::xml`].

mod alike;

use std::ops::Range;

use alike::{Found, Skeleton};

use crate::parse::{Options, ParseError, Parsed, Whitespace};
use crate::tree::{Document, Format, Kind, Node, NodeId, Patch, Piece, is_blank};

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
    let Some(patch) = patch(&source, before, options) else { return super::xml(source, options) };
    match before.patched(source, &patch) {
        Ok(document) => Ok(Parsed { document, issues: Vec::new() }),
        Err(source) => super::xml(source, options),
    }
}

/// What changed, if it can be set into the tree before.
fn patch(source: &[u8], before: &Document, options: &Options) -> Option<Patch> {
    let is_plain = before.format() == Format::Xml && before.is_plain_utf8() && !options.recover;
    if !is_plain || options.encoding.is_some() || source.len() > options.limits.max_bytes.min(i32::MAX as usize) {
        return None;
    }
    let found = alike::find(before, source)?;
    let (text, places) = excerpt(source, before, &found, options.whitespace);
    // Reading nearly everything again and copying as well would be slower than reading it once.
    if text.len() > source.len() / 2 + 1024 {
        return None;
    }
    let parsed = super::xml(text, options).ok()?.document;
    let patch = checked(before, parsed, &found, &places, options.whitespace)?;
    (patch.len_after(before) <= options.limits.max_nodes).then_some(patch)
}

/// Where in the excerpt the tags of skeletons and the pieces stand.
#[derive(Default)]
struct Places {
    skeletons: Vec<Range<usize>>,
    pieces: Vec<Range<usize>>,
}

/// All that stands before the root element, and the pieces inside the tags of the elements that they are content of.
fn excerpt(source: &[u8], before: &Document, found: &Found<'_>, whitespace: Whitespace) -> (Vec<u8>, Places) {
    let old = before.source().as_bytes();
    let root = before.root_element().and_then(Node::outer_range).map_or(0, |range| range.start);
    let mut text = source[..root].to_vec();
    let mut places = Places { skeletons: vec![0..0; found.skeletons.len()], ..Places::default() };
    let mut open: Vec<usize> = Vec::new();
    let mut pieces = found.pieces.iter().peekable();
    let close = |text: &mut Vec<u8>, places: &mut Places, at: usize| {
        text.extend_from_slice(&old[found.skeletons[at].end_tag.clone()]);
        places.skeletons[at].end = text.len();
    };
    for (at, skeleton) in found.skeletons.iter().enumerate() {
        // Pieces of the elements around that come before this one, and elements that end before it.
        while let Some(&around) = open.last() {
            let is_inside = found.skeletons[around].node.end() > skeleton.node.id().0;
            let piece = pieces
                .next_if(|piece| piece.skeleton == around && (!is_inside || piece.removed.end <= skeleton.node.id().0));
            match piece {
                Some(piece) => add_piece(&mut text, &mut places, &source[piece.bytes.clone()], whitespace),
                None if is_inside => break,
                None => {
                    close(&mut text, &mut places, around);
                    open.pop();
                }
            }
        }
        places.skeletons[at].start = text.len();
        text.extend_from_slice(&old[skeleton.start_tag.clone()]);
        open.push(at);
    }
    while let Some(around) = open.pop() {
        while let Some(piece) = pieces.next_if(|piece| piece.skeleton == around) {
            add_piece(&mut text, &mut places, &source[piece.bytes.clone()], whitespace);
        }
        close(&mut text, &mut places, around);
    }
    (text, places)
}

/// Comments keep the texts of pieces apart. White space alone would be a text, and is layout between what is kept.
fn add_piece(text: &mut Vec<u8>, places: &mut Places, bytes: &[u8], whitespace: Whitespace) {
    text.extend_from_slice(b"<!---->");
    let start = text.len();
    if whitespace == Whitespace::Exact || !is_blank(bytes) {
        text.extend_from_slice(bytes);
    }
    places.pieces.push(start..text.len());
}

/// The nodes that come in place of the old ones, if every piece is whole content of its element.
fn checked(
    before: &Document,
    parsed: Document,
    found: &Found<'_>,
    places: &Places,
    whitespace: Whitespace,
) -> Option<Patch> {
    if !parsed.is_plain_utf8() || places.pieces.len() != found.pieces.len() {
        return None;
    }
    let skeletons = skeleton_nodes(&parsed, found, places)?;
    let mut pieces = Vec::with_capacity(found.pieces.len());
    let mut next = 0;
    for (piece, place) in found.pieces.iter().zip(&places.pieces) {
        let parent = parsed.node(skeletons[piece.skeleton]);
        let nodes = nodes_in(&parsed, place, &mut next, parent)?;
        pieces.push(Piece {
            parent: found.skeletons[piece.skeleton].node.id(),
            removed: piece.removed.clone(),
            nodes,
            from: place.start,
            bytes: piece.bytes.clone(),
            removed_bytes: piece.removed_bytes.clone(),
        });
    }
    let is_fitting = |(skeleton, node): (&Skeleton<'_>, &NodeId)| {
        is_fitting(skeleton.node, whitespace) && is_fitting(parsed.node(*node), whitespace)
    };
    let fits = found.skeletons.iter().zip(&skeletons).all(is_fitting);
    let path = found.skeletons.iter().map(|skeleton| skeleton.node.id()).collect();
    let patch = Patch { skeletons: path, pieces, parsed };
    (fits && !patch.empties_an_element(before)).then_some(patch)
}

/// The elements of the excerpt that are the skeletons, if they stand where their tags were written.
fn skeleton_nodes(parsed: &Document, found: &Found<'_>, places: &Places) -> Option<Vec<NodeId>> {
    let mut nodes = Vec::with_capacity(found.skeletons.len());
    let mut next = 1;
    for place in &places.skeletons {
        while (next as usize) < parsed.len() && starts_at(parsed, next)? < place.start {
            next += 1;
        }
        let node = ((next as usize) < parsed.len()).then(|| parsed.node(NodeId(next)))?;
        if !node.is_element() || node.outer_range().as_ref() != Some(place) {
            return None;
        }
        nodes.push(node.id());
    }
    Some(nodes)
}

fn starts_at(parsed: &Document, node: u32) -> Option<usize> {
    parsed.node(NodeId(node)).outer_range().map(|range| range.start)
}

/// The nodes of a piece: those that begin in it, if all of them end in it, below the element that it is content of.
fn nodes_in(parsed: &Document, place: &Range<usize>, next: &mut u32, parent: Node<'_>) -> Option<Range<u32>> {
    let len = parsed.len() as u32;
    *next = (*next).max(1);
    while *next < len && starts_at(parsed, *next)? < place.start {
        *next += 1;
    }
    let first = *next;
    while *next < len && starts_at(parsed, *next)? < place.end {
        let node = parsed.node(NodeId(*next));
        if node.parent() != Some(parent) || node.outer_range()?.end > place.end {
            return None;
        }
        *next = node.end();
    }
    Some(first..*next)
}

/// Whether white space among the children is what it is whoever their siblings are, and all of them stand in the source.
fn is_fitting(node: Node<'_>, whitespace: Whitespace) -> bool {
    let is_layout = whitespace == Whitespace::Layout;
    node.children().all(|child| child.kind() != Kind::Reference && !(is_layout && child.kind() == Kind::Text))
}
