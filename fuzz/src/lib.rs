//! What holds for every document, whatever it was made of?

use treediff::tree::{Document, Kind, Node, NodeId};

/// Visits every node by every way and checks that the ways agree.
pub fn walk(document: &Document) {
    touch(document);
    assert_eq!(document.node(NodeId::DOCUMENT).end() as usize, document.len());
    for node in document.nodes() {
        check_place(document, node);
        check_values(document, node);
    }
}

/// Asks every node everything, and does not judge the answers.
pub fn touch(document: &Document) {
    let whole = (document.heap_bytes(), document.doctype(), document.encoding(), document.source().len());
    std::hint::black_box((whole, document.element_by_id("i"), document.names().iter().count()));
    for node in document.nodes() {
        std::hint::black_box((node.name(), node.qualified_name(), node.id_value(), node.value(), node.source_range()));
        std::hint::black_box((node.parent(), node.first_child(), node.last_child(), node.children().next()));
        std::hint::black_box((node.previous_sibling(), node.next_sibling(), node.weight(), node.size(), node.hash()));
        for attribute in node.attributes() {
            let name = attribute.name();
            std::hint::black_box((attribute.qualified_name(), attribute.value(), attribute.source_range()));
            std::hint::black_box(node.attribute(name.namespace, name.local));
        }
        std::hint::black_box(node.declarations().count());
    }
}

fn check_place(document: &Document, node: Node<'_>) {
    assert!(node.end() as usize > node.id().index() && node.end() as usize <= document.len());
    assert_eq!(node.size() as usize, node.descendants().len() + 1);
    assert!(node.weight() >= node.size(), "every node weighs at least 1");
    let Some(parent) = node.parent() else { return };
    assert!(parent.kind().is_container() && parent.contains(node));
    assert!(node.end() <= parent.end(), "a child ends with its parent or before");
    match node.previous_sibling() {
        Some(before) => assert_eq!(before.next_sibling(), Some(node)),
        None => assert_eq!(parent.first_child(), Some(node)),
    }
    if node.next_sibling().is_none() {
        assert_eq!(parent.last_child(), Some(node));
    }
}

fn check_values(document: &Document, node: Node<'_>) {
    let mut names: Vec<_> = node.attributes().map(|attribute| attribute.name()).collect();
    assert_eq!(names.len(), node.attribute_count() as usize);
    names.sort();
    names.dedup();
    assert_eq!(names.len(), node.attribute_count() as usize, "no attribute is there twice");
    for attribute in node.attributes() {
        let name = attribute.name();
        assert_eq!(node.attribute(name.namespace, name.local), Some(attribute.value()));
    }
    if let Some(range) = node.source_range() {
        assert!(document.source().get(range).is_some(), "a range of whole characters of the source");
    }
    assert!(node.kind() != Kind::Text || !node.value().is_empty(), "an empty text is no node");
}

/// The hashes of everything in a document; its type declaration is not counted.
pub fn content(document: &Document) -> &[u64] {
    &document.hashes()[1..]
}
