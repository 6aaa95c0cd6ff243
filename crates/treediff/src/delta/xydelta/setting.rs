//! What has to be known of a delta before its first operation is written? What is said once, for all payloads.

use std::collections::BTreeSet;

use super::escape::{self, Version};
use super::namespaces::Namespaces;
use crate::delta::{Delta, Operation};
use crate::parse::escapes::is_ncname;
use crate::tree::{Format, Kind, Node};

/// What stands before the operations of a delta, but for its own attributes.
#[derive(Debug)]
pub(in crate::delta) struct Setting<'d> {
    pub(in crate::delta) style: Style,
    /// The entities that payloads refer to without saying what they are.
    pub(in crate::delta) references: BTreeSet<&'d str>,
    /// What the root declares.
    pub(in crate::delta) namespaces: Namespaces,
}

/// How the payloads of a delta are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::delta) struct Style {
    pub(in crate::delta) format: Format,
    /// The version of XML that can hold all of it.
    pub(in crate::delta) version: Version,
    /// Whether names, comments and instructions have escapes for what XML cannot have.
    pub(in crate::delta) has_escapes: bool,
}

impl<'d> Setting<'d> {
    pub(in crate::delta) fn of(delta: &'d Delta) -> Self {
        let format = delta.format;
        let is_html = format == Format::Html;
        let version = if is_html && has_forbidden(delta) { Version::OneOne } else { Version::One };
        let style = Style { format, version, has_escapes: is_html };
        let mut setting = Setting { style, references: BTreeSet::new(), namespaces: Namespaces::of(delta) };
        if format == Format::Xml {
            delta.operations.iter().for_each(|operation| setting.see(operation));
        }
        setting
    }

    fn see(&mut self, operation: &'d Operation) {
        match operation {
            Operation::Delete { content, .. } | Operation::Insert { content, .. } => {
                content.nodes().for_each(|node| self.see_node(node));
            }
            Operation::Attribute { name, .. } => self.style.has_escapes |= !is_ncname(&name.local),
            _ => {}
        }
    }

    fn see_node(&mut self, node: Node<'d>) {
        if node.kind() == Kind::Reference {
            self.references.insert(node.name().local);
        }
        self.style.has_escapes |= needs_escapes(node);
    }
}

impl Style {
    /// How a payload is written that stands alone.
    pub(super) fn of_format(format: Format) -> Self {
        Style { format, version: Version::One, has_escapes: format == Format::Html }
    }
}

/// Whether something of a node is nothing that XML can have: recovery has read over it.
fn needs_escapes(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Element => {
            let names = node.attributes().map(|attribute| attribute.name().local);
            !names.chain([node.name().local]).all(is_ncname)
        }
        Kind::ProcessingInstruction | Kind::Reference => !is_ncname(node.name().local),
        Kind::Comment => {
            let value = node.value();
            value.contains("--") || value.ends_with('-')
        }
        _ => false,
    }
}

/// Whether any value of a delta cannot be written in XML 1.0.
fn has_forbidden(delta: &Delta) -> bool {
    delta.operations.iter().any(|operation| match operation {
        Operation::Delete { content, .. } | Operation::Insert { content, .. } => content.nodes().any(|node| {
            let mut attributes = node.attributes();
            (node.kind() == Kind::Text && escape::has_forbidden(&node.value()))
                || attributes.any(|attribute| escape::has_forbidden(&attribute.value()))
        }),
        Operation::Move { .. } => false,
        Operation::Update { before, after, .. } => [before, after].into_iter().any(|text| escape::has_forbidden(text)),
        Operation::Attribute { name, change, .. } => {
            let (before, after) = change.values();
            [Some(name.local.as_str()), before, after].into_iter().flatten().any(escape::has_forbidden)
        }
        Operation::Doctype { before, after } => {
            [before, after].into_iter().flatten().any(|text| escape::has_forbidden(text))
        }
    })
}
