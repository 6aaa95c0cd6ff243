//! What is a node to those who know labels only? A number for all that it is by itself.

use std::collections::HashMap;
use std::fmt::Write as _;

use treediff::tree::{Document, Node};

/// The labels of all nodes of two documents.
pub struct Labels {
    pub before: Vec<usize>,
    pub after: Vec<usize>,
}

impl Labels {
    pub fn new(documents: [&Document; 2]) -> Self {
        let mut numbers = HashMap::new();
        let [before, after] = documents.map(|document| {
            let mut number = |node| {
                let next = numbers.len();
                *numbers.entry(text(node)).or_insert(next)
            };
            document.nodes().map(&mut number).collect()
        });
        Labels { before, after }
    }
}

fn text(node: Node<'_>) -> String {
    let mut text = format!("{:?} {:?}", node.kind(), node.name());
    if node.is_element() {
        for attribute in node.attributes() {
            let _ = write!(text, " {:?}={:?}", attribute.name(), attribute.value());
        }
    } else if !node.kind().is_container() {
        let _ = write!(text, " {:?}", node.value());
    }
    text
}

/// A line for each node: the number of its parent, and its label.
pub fn lines(document: &Document, labels: &[usize]) -> String {
    let mut lines = String::new();
    for (node, label) in document.nodes().zip(labels) {
        let parent = node.parent().map_or(0, |parent| parent.id().index());
        let _ = writeln!(lines, "{parent} {label}");
    }
    lines
}
