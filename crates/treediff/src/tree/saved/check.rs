//! Can every accessor rely on these arrays? Whatever the checksums say: they prove that nothing was damaged, not that
//! nothing was made up.

use super::super::{Document, Kind, NameId, Span, WideElement};
use super::layout::Header;

/// The section and what is wrong with it.
type Flaw = (&'static str, &'static str);

/// Checks what no accessor checks again.
pub(super) fn check(document: &Document, header: &Header) -> Result<(), Flaw> {
    lengths(document, header.nodes as usize)?;
    labels(document)?;
    structure(document)?;
    texts(document)?;
    ensure(document.hashes[0] == header.root_hash, "hashes", "does not start with the hash in the header")?;
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

fn labels(document: &Document) -> Result<(), Flaw> {
    let names = document.names.len();
    let is_right = document.labels.iter().all(|label| label.is_valid(names));
    ensure(is_right, "labels", "has a kind or a name that does not exist")?;
    let mut kinds = document.labels.iter().map(|label| label.kind());
    let is_right = kinds.next() == Some(Kind::Document) && kinds.all(|kind| kind != Kind::Document);
    ensure(is_right, "labels", "does not have the document node first and only there")
}

/// Every node is inside the innermost subtree that is open where it stands, and only containers have nodes inside.
fn structure(document: &Document) -> Result<(), Flaw> {
    let (parents, ends) = (&*document.parents, &*document.ends);
    ensure(parents[0] == 0, "parents", "gives the document node a parent")?;
    ensure(ends[0] as usize == ends.len(), "ends", "does not end the document at its end")?;
    let mut innermost = 0u32;
    for node in 1..ends.len() as u32 {
        // Who is climbed over here is closed for good, so all climbs together are one step a node.
        while ends[innermost as usize] <= node {
            innermost = parents[innermost as usize];
        }
        let end = ends[node as usize];
        ensure(parents[node as usize] == innermost, "parents", "does not nest")?;
        ensure(node < end && end <= ends[innermost as usize], "ends", "does not nest")?;
        let is_leaf = end == node + 1;
        ensure(is_leaf || document.labels[node as usize].kind().is_container(), "ends", "has a leaf with children")?;
        innermost = node;
    }
    Ok(())
}

fn texts(document: &Document) -> Result<(), Flaw> {
    let source_len = document.source_len as usize;
    ensure(document.text.is_char_boundary(source_len), "text", "does not end the source between characters")?;
    const FLAW: &str = "has a range that is no piece of the text";
    let text = &*document.text;
    ensure(document.spans.iter().all(|&span| is_piece(span, text)), "spans", FLAW)?;
    ensure(document.attributes.iter().all(|stored| is_piece(stored.value, text)), "attributes", FLAW)?;
    ensure(document.origins.iter().all(|origin| is_piece(origin.span, text)), "origins", FLAW)?;
    ensure(document.doctype.is_none_or(|span| is_piece(span, text)), "header", FLAW)?;
    let mut declared = document.declarations.iter().flat_map(|declaration| [declaration.prefix, declaration.uri]);
    ensure(declared.all(|span| is_piece(span, text)), "declarations", FLAW)
}

fn is_piece(span: Span, text: &str) -> bool {
    let end = span.checked_end();
    end.is_some_and(|end| text.is_char_boundary(span.start() as usize) && text.is_char_boundary(end as usize))
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
    ensure(all.iter().all(|stored| (stored.name as usize) < names), "attributes", "has a name that does not exist")?;
    let hash = |at: usize| document.names.hash(NameId(all[at].name));
    let mut start = 0;
    for node in document.nodes() {
        let end = start + node.attribute_count() as usize;
        let is_sorted = (start + 1..end).all(|at| hash(at - 1) <= hash(at));
        ensure(is_sorted, "attributes", "is not in the order of names")?;
        start = end;
    }
    Ok(())
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
