//! Does a name mean the same elsewhere? The declarations that a subtree needs where those around it are others.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::tree::{Document, Kind, Node, NodeId, XML_NAMESPACE};

/// For every node the innermost element around it, or itself, that declares namespaces: where that is the same, the
/// same names mean the same.
#[derive(Debug)]
pub(super) struct Scopes {
    declaring: Vec<u32>,
}

impl Scopes {
    pub(super) fn of(document: &Document) -> Self {
        let mut declaring: Vec<u32> = vec![0; document.len()];
        for node in document.nodes().skip(1) {
            let own = node.is_element() && !node.declaration_indices().is_empty();
            let id = node.id();
            declaring[id.index()] = if own { id.0 } else { declaring[document.parents()[id.index()] as usize] };
        }
        Scopes { declaring }
    }

    pub(super) fn are_one(&self, a: NodeId, b: NodeId) -> bool {
        self.declaring[a.index()] == self.declaring[b.index()]
    }
}

/// The declaration that an element needs which has the name of `like` and nothing else.
pub(super) fn for_name(like: Node<'_>) -> String {
    written([(like.prefix(), like.name().namespace)])
}

/// The declarations that a subtree needs from around it.
pub(super) fn for_subtree(top: Node<'_>) -> String {
    let mut needed: BTreeMap<&str, &str> = BTreeMap::new();
    let mut declared: HashMap<String, u32> = HashMap::new();
    let mut ends: Vec<(u32, String)> = Vec::new();
    let subtree = std::iter::once(top).chain(top.descendants());
    for element in subtree.filter(|node| node.kind() == Kind::Element) {
        while let Some((_, prefix)) = ends.pop_if(|(end, _)| *end <= element.id().0) {
            declared.entry(prefix).and_modify(|count| *count -= 1);
        }
        for (prefix, _) in element.declarations() {
            *declared.entry(prefix.to_string()).or_default() += 1;
            ends.push((element.end(), prefix.into_owned()));
        }
        let attributes = element.attributes().map(|attribute| (attribute.prefix(), attribute.name().namespace));
        let names = attributes.filter(|(prefix, _)| !prefix.is_empty());
        for (prefix, uri) in names.chain([(element.prefix(), element.name().namespace)]) {
            if declared.get(prefix).is_none_or(|&count| count == 0) {
                needed.insert(prefix, uri);
            }
        }
    }
    written(needed)
}

fn written<'n>(bindings: impl IntoIterator<Item = (&'n str, &'n str)>) -> String {
    let mut out = String::new();
    for (prefix, uri) in bindings.into_iter().filter(|(_, uri)| *uri != XML_NAMESPACE) {
        let colon = if prefix.is_empty() { "" } else { ":" };
        let uri = uri.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        // Writing to a string cannot fail.
        let _ = write!(out, " xmlns{colon}{prefix}=\"{uri}\"");
    }
    out
}
