//! Where is an element, for who reads it? Its path by local names, as `changes` writes them, and by ordinals where siblings
//! share one. An XPath would have to say `*[3]` of what is in a namespace without a prefix.

use std::collections::HashMap;

use treediff::tree::{Node, NodeId};

use crate::steps::Label;

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

    /// A path such as `/menu/dish[2]/name`.
    pub(super) fn path(&self, node: Node<'_>) -> String {
        let mut way: Vec<Node<'_>> = std::iter::once(node).chain(node.ancestors()).collect();
        // The document itself.
        way.pop();
        let mut path = String::new();
        for node in way.into_iter().rev() {
            Label::of(node).write_below(&mut path);
            if let Some(ordinal) = self.ordinals.get(&node.id()).copied().flatten() {
                path.push_str(&format!("[{ordinal}]"));
            }
        }
        path
    }
}
