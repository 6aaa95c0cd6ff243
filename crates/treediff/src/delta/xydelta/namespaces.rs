//! Which namespaces does the root of a delta declare, so that its payloads need not, each of them again?
//!
//! A payload declares what it needs and is not declared around it. A prefix that payloads would declare more than once is
//! declared at the root; and where it makes the delta shorter, the delta's own elements get a prefix, so that the default
//! namespace can be that of the payloads.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{NAMESPACE, escape};
use crate::delta::{Delta, Fragment, Operation};
use crate::tree::{Format, HTML_NAMESPACE, Node, Step, XML_NAMESPACE, XMLNS_NAMESPACE};

/// The prefix of the delta's own elements, where they have one.
const OWN: &str = "d";

/// The namespaces that the root of a delta declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::delta) struct Namespaces {
    /// Whether the delta's own elements have a prefix.
    pub(in crate::delta) has_prefix: bool,
    /// The declarations as they are written.
    pub(in crate::delta) written: String,
    /// The same, by prefix.
    bindings: Vec<(String, String)>,
}

impl Namespaces {
    /// Those that make a delta shortest.
    pub(super) fn of(delta: &Delta) -> Self {
        if delta.format == Format::Json {
            return Namespaces::usual(delta.format);
        }
        let mut counts = Declarations::new();
        for operation in &delta.operations {
            if let Operation::Delete { content, .. } | Operation::Insert { content, .. } = operation {
                count(content, &mut counts);
            }
        }
        // Both tags of the root and the declaration have the prefix as well.
        let own = (OWN.len() + 1) * (delta.operations.iter().map(own_tags).sum::<usize>() + 3);
        let default = default_namespace(&counts, own, delta.format);
        let mut bindings = match default {
            Some(default) => vec![(OWN, NAMESPACE), ("", default)],
            None => vec![("", NAMESPACE)],
        };
        for (prefix, uri) in repeated(&counts) {
            if !bindings.iter().any(|(bound, _)| *bound == prefix) {
                bindings.push((prefix, uri));
            }
        }
        Namespaces::new(&bindings)
    }

    /// Those of a delta that nobody has looked at: pages are in one namespace, about the others nothing is known.
    pub(in crate::delta) fn usual(format: Format) -> Self {
        match format {
            Format::Html => Namespaces::new(&[(OWN, NAMESPACE), ("", HTML_NAMESPACE)]),
            Format::Xml | Format::Json => Namespaces::new(&[("", NAMESPACE)]),
        }
    }

    /// Those of a delta whose root has these declarations; enough to write all of it but for payloads.
    pub(in crate::delta) fn as_written(written: &str) -> Self {
        let has_prefix = written.starts_with(&declaration(OWN, NAMESPACE));
        Namespaces { has_prefix, written: written.to_owned(), bindings: Vec::new() }
    }

    fn new(bindings: &[(&str, &str)]) -> Self {
        // No declaration is what the empty default namespace has at the root.
        let declared = bindings.iter().filter(|(_, uri)| !uri.is_empty());
        Namespaces {
            has_prefix: bindings.first() == Some(&(OWN, NAMESPACE)),
            written: declared.map(|(prefix, uri)| declaration(prefix, uri)).collect(),
            bindings: bindings.iter().map(|&(prefix, uri)| (prefix.to_owned(), uri.to_owned())).collect(),
        }
    }

    /// What stands before the names of the delta's own elements.
    pub(super) fn own_prefix(&self) -> &'static str {
        if self.has_prefix { "d:" } else { "" }
    }

    /// The scope that payloads stand in.
    pub(super) fn scope(&self) -> Scope<'_> {
        let bindings = self.bindings.iter().map(|(prefix, uri)| (prefix.as_str().into(), vec![uri.as_str().into()]));
        Scope { uris: bindings.collect(), declared: Vec::new() }
    }
}

/// A declaration as it stands in a tag.
fn declaration(prefix: &str, uri: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = escape::attribute(&mut out, &declared_name(prefix), uri, escape::Version::One);
    out
}

/// The name that a declaration has.
pub(super) fn declared_name(prefix: &str) -> String {
    if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") }
}

/// How often payloads would declare a prefix to be a namespace, if the root declared but the delta's own.
type Declarations<'d> = BTreeMap<(&'d str, &'d str), usize>;

fn count<'d>(content: &'d Fragment, counts: &mut Declarations<'d>) {
    let mut scope = Scope { uris: HashMap::from([("".into(), vec![NAMESPACE.into()])]), declared: Vec::new() };
    for step in content.steps() {
        match step {
            Step::Enter(node) if node.is_element() => {
                scope.open();
                node.declarations().for_each(|(prefix, uri)| scope.bind(prefix, uri));
                for (prefix, uri) in uses(node) {
                    if scope.uri(prefix) != uri {
                        *counts.entry((prefix, uri)).or_default() += usize::from(is_plain(uri));
                        scope.bind(prefix.into(), uri.into());
                    }
                }
            }
            Step::Enter(_) => {}
            Step::Leave(_) => scope.close(),
        }
    }
}

/// Whether a namespace can stand in the root's tag without a reader having to look twice where that ends.
fn is_plain(uri: &str) -> bool {
    !uri.contains(['"', '\'', '<', '>', '&'])
}

/// The prefixes that the names of an element have, and what they have to stand for.
pub(super) fn uses<'f>(element: Node<'f>) -> impl Iterator<Item = (&'f str, &'f str)> {
    let attributes = element.attributes().filter(|attribute| !attribute.name().namespace.is_empty());
    let names = attributes.map(|attribute| (attribute.prefix(), attribute.name().namespace));
    let uses = std::iter::once((element.prefix(), element.name().namespace)).chain(names);
    uses.filter(|(_, uri)| !matches!(*uri, XML_NAMESPACE | XMLNS_NAMESPACE))
}

/// The default namespace that saves more than prefixes of the delta's own elements take.
fn default_namespace<'d>(counts: &Declarations<'d>, own: usize, format: Format) -> Option<&'d str> {
    let saved = |uri: &str, count: usize| {
        let len = declaration("", uri).len();
        // An empty one need not be declared at the root.
        (if uri.is_empty() { count } else { count.saturating_sub(1) }) * len
    };
    let defaults = counts.iter().filter(|((prefix, _), _)| prefix.is_empty());
    let best = defaults.map(|(&(_, uri), &count)| (saved(uri, count), uri)).max();
    best.filter(|&(saved, uri)| saved > own && (format == Format::Xml || uri == HTML_NAMESPACE)).map(|(_, uri)| uri)
}

/// The prefixes that are declared more than once, each with the namespace that saves most.
fn repeated<'d>(counts: &Declarations<'d>) -> BTreeMap<&'d str, &'d str> {
    let mut best: BTreeMap<&str, (usize, &str)> = BTreeMap::new();
    for (&(prefix, uri), &count) in counts.iter().filter(|((prefix, _), count)| !prefix.is_empty() && **count > 1) {
        let saved = (count - 1) * declaration(prefix, uri).len();
        best.entry(prefix).and_modify(|best| *best = (saved, uri).max(*best)).or_insert((saved, uri));
    }
    best.into_iter().map(|(prefix, (_, uri))| (prefix, uri)).collect()
}

/// The tags that an operation takes, about.
fn own_tags(operation: &Operation) -> usize {
    match operation {
        Operation::Delete { .. } | Operation::Insert { .. } => 2,
        Operation::Move { .. } | Operation::Attribute { .. } => 1,
        Operation::Update { .. } | Operation::Doctype { .. } => 6,
    }
}

/// The namespaces that are declared around the place that is written now.
#[derive(Debug)]
pub(super) struct Scope<'f> {
    /// For each prefix what it means, innermost last.
    uris: HashMap<Cow<'f, str>, Vec<Cow<'f, str>>>,
    /// The prefixes that were declared, by the open elements, each of which begins with a `None`.
    declared: Vec<Option<Cow<'f, str>>>,
}

impl<'f> Scope<'f> {
    pub(super) fn uri(&self, prefix: &str) -> &str {
        self.uris.get(prefix).and_then(|uris| uris.last()).map_or("", |uri| uri)
    }

    pub(super) fn open(&mut self) {
        self.declared.push(None);
    }

    pub(super) fn bind(&mut self, prefix: Cow<'f, str>, uri: Cow<'f, str>) {
        self.uris.entry(prefix.clone()).or_default().push(uri);
        self.declared.push(Some(prefix));
    }

    pub(super) fn close(&mut self) {
        while let Some(Some(prefix)) = self.declared.pop() {
            if let Some(uris) = self.uris.get_mut(&prefix) {
                uris.pop();
            }
        }
    }
}
