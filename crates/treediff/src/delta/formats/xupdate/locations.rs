//! Where is it, in XPath?

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Write};

use crate::delta::formats::markup::{Named, html_local};
use crate::delta::formats::paths::Paths;
use crate::tree::{Document, Kind, Node, XML_NAMESPACE, XMLNS_NAMESPACE};

/// The paths of one version, and the prefixes of both.
pub(super) struct Locations<'d> {
    pub(super) paths: Paths<'d>,
    /// Whether names may be such as XML does not have.
    pub(super) is_html: bool,
    /// By namespace.
    pub(super) prefixes: HashMap<&'d str, String>,
}

impl<'d> Locations<'d> {
    /// The path to a node, with an ordinal in every step.
    pub(super) fn xpath(&self, node: Node<'d>) -> String {
        let mut steps: Vec<Node<'d>> = std::iter::once(node).chain(node.ancestors()).collect();
        steps.pop();
        let mut path = String::new();
        for step in steps.into_iter().rev() {
            // Writing to a string cannot fail.
            let _ = self.step(step, self.paths.ordinal(step), &mut path);
        }
        path
    }

    pub(super) fn step(&self, node: Node<'d>, ordinal: u32, out: &mut impl Write) -> fmt::Result {
        match node.kind() {
            Kind::Text => write!(out, "/text()[{ordinal}]"),
            Kind::Comment => write!(out, "/comment()[{ordinal}]"),
            Kind::ProcessingInstruction => {
                write!(out, "/processing-instruction('{}')[{ordinal}]", node.name().local)
            }
            _ => {
                let name = node.name();
                write!(out, "/{}[{ordinal}]", self.qualified(name.namespace, name.local))
            }
        }
    }

    pub(super) fn qualified(&self, namespace: &str, local: &str) -> String {
        let name = Named { prefix: "", namespace, local };
        let local = if self.is_html { html_local(name) } else { Cow::Borrowed(local) };
        match (namespace, self.prefixes.get(namespace)) {
            (XML_NAMESPACE, _) => format!("xml:{local}"),
            (_, Some(prefix)) => format!("{prefix}:{local}"),
            _ => local.into_owned(),
        }
    }
}

/// A prefix for every namespace that a path may have to name: that of the documents where it is free.
pub(super) fn prefixes<'d>(documents: [&'d Document; 2]) -> HashMap<&'d str, String> {
    let mut wishes: BTreeMap<&'d str, String> = BTreeMap::new();
    for document in documents {
        for (_, name) in document.names().iter().filter(|(_, name)| !name.namespace.is_empty()) {
            wishes.entry(name.namespace).or_default();
        }
        let declared = document.nodes().take(DECLARING_NODES).flat_map(Node::declarations);
        for (prefix, namespace) in declared.filter(|(prefix, _)| !prefix.is_empty()) {
            if let Some(wish) = wishes.get_mut(&*namespace).filter(|wish| wish.is_empty()) {
                *wish = prefix.into_owned();
            }
        }
    }
    wishes.retain(|namespace, _| !matches!(*namespace, "" | XML_NAMESPACE | XMLNS_NAMESPACE));
    settle(wishes)
}

/// Nodes whose declarations are looked at for a prefix that people know; others get one that is made up.
const DECLARING_NODES: usize = 1000;

fn settle(wishes: BTreeMap<&str, String>) -> HashMap<&str, String> {
    let mut taken: HashSet<String> = HashSet::from(["xupdate".to_owned(), "xml".to_owned()]);
    let mut made = (1..).map(|number| format!("ns{number}"));
    let mut settled = HashMap::new();
    for (namespace, wish) in wishes {
        let prefix = match wish.is_empty() || taken.contains(&wish) {
            true => made.find(|made| !taken.contains(made)).unwrap_or_default(),
            false => wish,
        };
        taken.insert(prefix.clone());
        settled.insert(namespace, prefix);
    }
    settled
}
