//! What does a prefix mean at this place of what is being written? And what does a subtree need it to mean?

use std::collections::HashMap;

use crate::tree::{Format, Kind, Node, XML_NAMESPACE};

/// The namespaces that are declared around the current place, as written so far.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The URIs of each prefix, innermost last. The empty prefix is the default namespace.
    bindings: HashMap<String, Vec<String>>,
    /// The prefixes that were bound to each URI, innermost last; some may be bound to another one meanwhile.
    prefixes: HashMap<String, Vec<String>>,
    /// The prefixes in the order they were bound, to be unbound from the end.
    bound: Vec<String>,
    /// How many prefixes were made up.
    invented: usize,
}

impl Scope {
    /// The namespace that a prefix stands for; empty where it stands for none.
    pub(super) fn namespace(&self, prefix: &str) -> &str {
        match prefix {
            "xml" => XML_NAMESPACE,
            _ => self.bindings.get(prefix).and_then(|uris| uris.last()).map_or("", String::as_str),
        }
    }

    /// Binds a prefix until [`Scope::leave`].
    pub(super) fn bind(&mut self, prefix: &str, namespace: &str) {
        self.bindings.entry(prefix.to_owned()).or_default().push(namespace.to_owned());
        self.prefixes.entry(namespace.to_owned()).or_default().push(prefix.to_owned());
        self.bound.push(prefix.to_owned());
    }

    /// How many bindings are in force, for [`Scope::leave`].
    pub(super) fn depth(&self) -> usize {
        self.bound.len()
    }

    /// Undoes the bindings beyond the first `depth`.
    pub(super) fn leave(&mut self, depth: usize) {
        for prefix in self.bound.drain(depth..) {
            let namespace = self.bindings.get_mut(&prefix).and_then(Vec::pop);
            if let Some(prefixes) = namespace.and_then(|namespace| self.prefixes.get_mut(&namespace)) {
                prefixes.pop();
            }
        }
    }

    /// A prefix for an attribute in `namespace`, the wanted one if it can be; and whether it has to be declared.
    pub(super) fn prefix_for(&mut self, namespace: &str, wanted: &str) -> (String, bool) {
        if namespace == XML_NAMESPACE {
            return ("xml".to_owned(), false);
        }
        if !wanted.is_empty() && self.namespace(wanted) == namespace {
            return (wanted.to_owned(), false);
        }
        if self.is_free(wanted) {
            return (wanted.to_owned(), true);
        }
        let bound = self.prefixes.get(namespace).into_iter().flatten().rev();
        match bound.filter(|prefix| !prefix.is_empty()).find(|prefix| self.namespace(prefix) == namespace) {
            Some(prefix) => (prefix.clone(), false),
            None => (self.invent(), true),
        }
    }

    fn is_free(&self, prefix: &str) -> bool {
        !matches!(prefix, "" | "xml" | "xmlns") && self.namespace(prefix).is_empty()
    }

    /// A prefix that stands for nothing yet.
    fn invent(&mut self) -> String {
        loop {
            self.invented += 1;
            let prefix = format!("ns{}", self.invented);
            if self.is_free(&prefix) {
                return prefix;
            }
        }
    }
}

/// The prefixes that an element's own names are written with, and the namespaces that they have to stand for.
pub(super) fn own_uses(element: Node<'_>) -> Vec<(&str, &str)> {
    // A name with a prefix that nothing declares is in no namespace, whatever the default is.
    let is_undeclared = element.name().namespace.is_empty() && element.name().local.contains(':');
    let mut uses = Vec::new();
    if !is_undeclared {
        uses.push((element.prefix(), element.name().namespace));
    }
    let attributes = element.attributes().filter(|attribute| !attribute.name().namespace.is_empty());
    uses.extend(attributes.map(|attribute| (attribute.prefix(), attribute.name().namespace)));
    uses.retain(|&(prefix, _)| prefix != "xml");
    uses
}

/// The prefixes that a subtree uses and does not declare itself, and the namespaces that they have to stand for.
pub(super) fn free_uses(top: Node<'_>) -> HashMap<&str, &str> {
    let document = top.document();
    if document.format() != Format::Xml {
        return HashMap::new();
    }
    if document.declaration_count() == 0 {
        return HashMap::from([("", "")]);
    }
    let mut free = HashMap::new();
    let mut inner = Inner::default();
    for node in std::iter::once(top).chain(top.descendants()).filter(|node| node.kind() == Kind::Element) {
        inner.enter(node);
        for (prefix, namespace) in own_uses(node) {
            if !inner.declares(prefix) {
                free.insert(prefix, namespace);
            }
        }
    }
    free
}

/// The prefixes that are declared within a subtree around the current node.
#[derive(Default)]
struct Inner {
    /// The prefixes, each with the end of the element that declares it.
    open: Vec<(String, u32)>,
    counts: HashMap<String, u32>,
}

impl Inner {
    fn enter(&mut self, node: Node<'_>) {
        while let Some((prefix, _)) = self.open.pop_if(|(_, end)| *end <= node.id().0) {
            if let Some(count) = self.counts.get_mut(&prefix) {
                *count -= 1;
            }
        }
        for (prefix, _) in node.declarations() {
            *self.counts.entry(prefix.to_string()).or_default() += 1;
            self.open.push((prefix.into_owned(), node.end()));
        }
    }

    fn declares(&self, prefix: &str) -> bool {
        self.counts.get(prefix).is_some_and(|&count| count > 0)
    }
}
