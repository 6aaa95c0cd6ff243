//! Can every accessor rely on these arrays? Whatever the checksums say: they prove that nothing was damaged, not that
//! nothing was made up.
//!
//! What is looked at for every node is looked at in loops that do not stop at the first flaw: a file has none, and loops
//! that go to their end are done several entries at a time.

use super::super::{Document, Kind, NameId, NodeId, Span, StoredAttribute, WideElement};

/// The section and what is wrong with it.
type Flaw = (&'static str, &'static str);

/// Checks what no accessor checks again.
pub(super) fn check(document: &Document, nodes: usize, root_hash: u64) -> Result<(), Flaw> {
    lengths(document, nodes)?;
    labels(document)?;
    structure(document)?;
    texts(document)?;
    ensure(document.hashes[0] == root_hash, "hashes", "does not start with the hash in the header")?;
    ensure(document.weights.is_consistent(), "weight-sums", "does not add up")?;
    attributes(document)?;
    tables(document)
}

fn ensure(is_right: bool, section: &'static str, flaw: &'static str) -> Result<(), Flaw> {
    if is_right { Ok(()) } else { Err((section, flaw)) }
}

fn lengths(document: &Document, nodes: usize) -> Result<(), Flaw> {
    ensure(nodes > 0, "header", "names no node")?;
    [
        ("labels", document.labels.len()),
        ("parents", document.parents.len()),
        ("ends", document.ends.len()),
        ("spans", document.spans.len()),
        ("hashes", document.hashes.len()),
        ("weights", document.weights.values.len()),
        ("attribute-counts", document.attribute_counts.values.len()),
    ]
    .into_iter()
    .try_for_each(|(section, len)| ensure(len == nodes, section, "does not have one entry for every node"))
}

/// Whether all are right, without stopping at the first that is not.
fn all<T>(values: &[T], is_right: impl Fn(&T) -> bool) -> bool {
    values.iter().fold(true, |all, value| all & is_right(value))
}

fn labels(document: &Document) -> Result<(), Flaw> {
    let names = document.names.len();
    let is_right = all(&document.labels, |label| label.is_valid(names));
    ensure(is_right, "labels", "has a kind or a name that does not exist")?;
    let [first, others @ ..] = &*document.labels else { return Ok(()) };
    let is_right = first.kind() == Kind::Document && all(others, |label| label.0 >> 28 != Kind::Document as u32);
    ensure(is_right, "labels", "does not have the document node first and only there")
}

/// Every node is inside the innermost subtree that is open where it stands, and only containers have nodes inside.
fn structure(document: &Document) -> Result<(), Flaw> {
    let (parents, ends) = (&*document.parents, &*document.ends);
    ensure(parents[0] == 0, "parents", "gives the document node a parent")?;
    ensure(ends[0] as usize == ends.len(), "ends", "does not end the document at its end")?;
    let (mut innermost, mut innermost_end) = (0u32, ends[0]);
    let (mut nests, mut closes, mut contains) = (true, true, true);
    let rows = parents.iter().zip(ends).zip(&*document.labels).enumerate().skip(1);
    for (node, ((&parent, &end), label)) in rows {
        let node = node as u32;
        // Who is climbed over here is closed for good, so all climbs together are one step a node.
        while innermost_end <= node {
            innermost = parents[innermost as usize];
            innermost_end = ends[innermost as usize];
        }
        nests &= parent == innermost;
        closes &= node < end && end <= innermost_end;
        if !(nests && closes) {
            break;
        }
        if end > node + 1 {
            contains &= label.kind().is_container();
            (innermost, innermost_end) = (node, end);
        }
    }
    ensure(nests, "parents", "does not nest")?;
    ensure(closes, "ends", "does not nest")?;
    ensure(contains, "ends", "has a leaf with children")
}

fn texts(document: &Document) -> Result<(), Flaw> {
    let source_len = document.source_len as usize;
    ensure(document.text.is_char_boundary(source_len), "text", "does not end the source between characters")?;
    const FLAW: &str = "has a range that is no piece of the text";
    let text = &*document.text;
    ensure(all(&document.spans, |&span| is_piece(span, text)), "spans", FLAW)?;
    ensure(all(&document.attributes, |stored| is_piece(stored.value, text)), "attributes", FLAW)?;
    ensure(document.origins.iter().all(|origin| is_piece(origin.span, text)), "origins", FLAW)?;
    ensure(document.doctype.is_none_or(|span| is_piece(span, text)), "header", FLAW)?;
    let mut declared = document.declarations.iter().flat_map(|declaration| [declaration.prefix, declaration.uri]);
    ensure(declared.all(|span| is_piece(span, text)), "declarations", FLAW)
}

#[inline(always)]
fn is_piece(span: Span, text: &str) -> bool {
    let end = span.start() as usize + span.len() as usize;
    text.is_char_boundary(span.start() as usize) & text.is_char_boundary(end)
}

/// Every attribute belongs to one node, has a name, and stands in the order of the names' hashes.
fn attributes(document: &Document) -> Result<(), Flaw> {
    let counts = &document.attribute_counts;
    ensure(counts.is_consistent(), "attribute-sums", "does not add up")?;
    ensure(wide_is_right(document), "wide", "does not list elements with many attributes")?;
    let counted: u64 = counts.values.iter().map(|&count| u64::from(count)).sum();
    let extra = document.wide.last().map_or(0, |wide| u64::from(wide.extra_so_far));
    let all = &*document.attributes;
    ensure(counted + extra == all.len() as u64, "attribute-counts", "does not add up to all attributes")?;

    let names = document.names.len();
    ensure(self::all(all, |stored| (stored.name as usize) < names), "attributes", "has a name that does not exist")?;
    ensure(is_ordered(document), "attributes", "is not in the order of names")
}

/// Whether the attributes of every element are in the order of their names' hashes.
fn is_ordered(document: &Document) -> bool {
    let hash = |stored: &StoredAttribute| document.names.hash(NameId(stored.name));
    let mut rest = &*document.attributes;
    let mut several = document.attribute_counts.values.iter().enumerate();
    several.all(|(node, &count)| {
        let count = match count {
            0 => return true,
            u8::MAX => document.node(NodeId(node as u32)).attribute_count() as usize,
            count => usize::from(count),
        };
        let Some((own, behind)) = rest.split_at_checked(count) else { return false };
        rest = behind;
        own.is_sorted_by_key(hash)
    })
}

fn wide_is_right(document: &Document) -> bool {
    let is_wide = |wide: &WideElement| {
        let count = document.attribute_counts.values.get(wide.node as usize);
        count.is_some_and(|&count| u32::from(count) == WideElement::COUNTED)
    };
    document.wide.iter().all(is_wide)
        && document
            .wide
            .windows(2)
            .all(|pair| pair[0].node < pair[1].node && pair[0].extra_so_far <= pair[1].extra_so_far)
}

/// What is searched by halving is sorted, and speaks of nodes and names that exist.
fn tables(document: &Document) -> Result<(), Flaw> {
    let nodes = document.len();
    let names = document.names.len() as u32;
    let declarations = &*document.declarations;
    ensure(declarations.is_sorted_by_key(|declaration| declaration.node), "declarations", "is not sorted")?;
    let known = declarations.iter().all(|declaration| (declaration.node as usize) < nodes);
    ensure(known, "declarations", "has a node that does not exist")?;

    let origins = &*document.origins;
    ensure(origins.is_sorted_by(|a, b| a.node < b.node), "origins", "is not sorted")?;
    ensure(origins.iter().all(|origin| (origin.node as usize) < nodes), "origins", "has a node that does not exist")?;

    let ids = &*document.id_attributes;
    ensure(ids.is_sorted(), "id-attributes", "is not sorted")?;
    ensure(ids.as_flattened().iter().all(|&name| name < names), "id-attributes", "has a name that does not exist")
}
