//! Where is an element, for who reads it? Its path by local names, as `changes` writes them, and by ordinals where siblings
//! share one. An XPath would have to say `*[3]` of what is in a namespace without a prefix.

use std::collections::HashMap;

use treediff::tree::{Node, NodeId};

use crate::steps::{Label, SHOWN};

/// The places of some nodes and of what they are in, each among those siblings that are called the same.
#[derive(Debug)]
pub(super) struct Places {
    ordinals: HashMap<NodeId, Option<u32>>,
}

impl Places {
    pub(super) fn of<'d>(nodes: impl IntoIterator<Item = Node<'d>>) -> Self {
        let mut places = Places { ordinals: HashMap::new() };
        for node in nodes {
            let mut next = Some(node);
            while let Some(node) = next.filter(|node| !places.ordinals.contains_key(&node.id())) {
                next = node.parent();
                next.into_iter().for_each(|parent| places.number_children(parent));
            }
        }
        places
    }

    /// All children at once, so that none is counted twice.
    fn number_children(&mut self, parent: Node<'_>) {
        let mut counts: HashMap<Label<'_>, u32> = HashMap::new();
        for child in parent.children() {
            let count = counts.entry(Label::of(child)).or_default();
            *count += 1;
            self.ordinals.insert(child.id(), Some(*count));
        }
        for child in parent.children().filter(|child| counts.get(&Label::of(*child)) == Some(&1)) {
            self.ordinals.insert(child.id(), None);
        }
    }

    /// A path such as `/menu/dish[2]/name`, or `/`; of a deep one its end, or those of all nodes would be the square of the document.
    pub(super) fn path(&self, node: Node<'_>) -> String {
        let way = std::iter::once(node).chain(node.ancestors()).take_while(|node| node.id() != NodeId::DOCUMENT);
        let mut way: Vec<Node<'_>> = way.take(SHOWN + 1).collect();
        let mut path = if way.len() > SHOWN { "/…".to_owned() } else { String::new() };
        way.truncate(SHOWN);
        for node in way.into_iter().rev() {
            Label::of(node).write_below(&mut path);
            if let Some(ordinal) = self.ordinals.get(&node.id()).copied().flatten() {
                path.push_str(&format!("[{ordinal}]"));
            }
        }
        if path.is_empty() { "/".to_owned() } else { path }
    }
}

#[cfg(test)]
mod tests {
    use treediff::parse;

    use super::*;

    #[test]
    fn paths_are_by_local_names_and_of_deep_nodes_the_end() {
        let check = |source: &str, expected: &str| {
            let document = parse::xml(source, &Default::default()).expect("well-formed").document;
            let last = document.nodes().last().expect("a node");
            assert_eq!(Places::of([last]).path(last), expected);
        };
        let document = parse::html("tea", &Default::default()).expect("a page").document;
        assert_eq!(Places::of([document.root()]).path(document.root()), "/");
        check("<menu xmlns='urn:m'><dish/><dish><name/></dish></menu>", "/menu/dish[2]/name");
        let deep = |depth: usize| format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth));
        check(&deep(SHOWN), &"/a".repeat(SHOWN));
        check(&deep(1000), &format!("/…{}", "/a".repeat(SHOWN)));
    }
}
