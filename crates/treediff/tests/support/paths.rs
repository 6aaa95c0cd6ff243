//! How is a selected node named, so that two programs can agree on it?
//!
//! `/list[1]/item[3]` is the third child that is no text; `text()[3]` is the text behind the third; attributes are
//! `@{uri}local`.

use treediff::select::Selected;
use treediff::tree::{Document, Kind, Node};

pub struct Paths {
    ordinals: Vec<u32>,
}

impl Paths {
    pub fn of(document: &Document) -> Self {
        let mut ordinals = vec![0; document.len()];
        for parent in document.nodes() {
            let mut before = 0;
            for child in parent.children() {
                before += u32::from(child.kind() != Kind::Text);
                ordinals[child.id().index()] = before;
            }
        }
        Paths { ordinals }
    }

    pub fn node(&self, node: Node<'_>) -> String {
        let mut steps: Vec<String> =
            std::iter::once(node).chain(node.ancestors()).map(|node| self.step(node)).collect();
        steps.pop();
        steps.iter().rev().map(|step| format!("/{step}")).collect()
    }

    fn step(&self, node: Node<'_>) -> String {
        let ordinal = self.ordinals[node.id().index()];
        match node.kind() {
            Kind::Text => format!("text()[{ordinal}]"),
            Kind::Comment => format!("comment()[{ordinal}]"),
            Kind::ProcessingInstruction => format!("processing-instruction()[{ordinal}]"),
            Kind::Reference => format!("reference()[{ordinal}]"),
            _ => format!("{}[{ordinal}]", node.name().local),
        }
    }

    pub fn selected(&self, selected: &Selected<'_>) -> String {
        match selected {
            Selected::Node(node) if node.parent().is_none() => "/".to_owned(),
            Selected::Node(node) => self.node(*node),
            Selected::Attribute { owner, attribute } => format!("{}/@{}", self.node(*owner), attribute.name()),
            Selected::Namespace { owner, prefix, .. } => format!("{}/namespace::{prefix}", self.node(*owner)),
        }
    }
}
