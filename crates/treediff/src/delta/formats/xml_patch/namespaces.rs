//! Which prefixes are there? Those that the document declares, and those that a patch adds.
//!
//! The standard wants the namespace of a new attribute to be declared in the document. Where it is not, the patch
//! declares it on the root element, once for all, with a prefix that no element uses otherwise.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use super::apply::text_of;
use super::edited::Edited;
use super::error::{Condition, PatchError, Trouble, shortened};
use super::payload;
use super::read::{Directive, Operation};
use super::selector::Last;
use crate::parse::encoding::encode;
use crate::parse::{self, Limits, Options, ParseError, Whitespace};
use crate::tree::{Attribute, Document, Node, XML_NAMESPACE, XMLNS_NAMESPACE};

/// The prefixes of a document, and those that a patch adds to it.
#[derive(Debug)]
pub(super) struct Prefixes {
    declared: HashSet<String>,
    /// What was added to the root element, by prefix.
    added: BTreeMap<String, String>,
    /// The prefixes that were made up, by what they stand for.
    made: HashMap<String, String>,
}

impl Prefixes {
    pub(super) fn of(document: &Document) -> Self {
        let elements = document.nodes().filter(|node| node.is_element());
        let declared = elements.flat_map(Node::declarations).map(|(prefix, _)| prefix.into_owned()).collect();
        Prefixes { declared, added: BTreeMap::new(), made: HashMap::new() }
    }

    /// The prefixes to be declared on the root element, with what they stand for.
    pub(super) fn added(&self) -> impl Iterator<Item = (&str, &str)> {
        self.added.iter().map(|(prefix, uri)| (prefix.as_str(), uri.as_str()))
    }

    /// The prefix for an attribute that comes to an element: its own, where that is possible.
    pub(super) fn for_attribute(&mut self, element: Node<'_>, attribute: Attribute<'_>) -> String {
        let (uri, wanted) = (attribute.name().namespace, attribute.prefix());
        if uri.is_empty() || uri == XML_NAMESPACE {
            return wanted.to_owned();
        }
        let in_scope = in_scope(element, uri);
        if in_scope.iter().any(|prefix| prefix == wanted) || self.add(wanted, uri) {
            return wanted.to_owned();
        }
        if let Some(prefix) = in_scope.into_iter().next() {
            return prefix;
        }
        if let Some(prefix) = self.made.get(uri) {
            return prefix.clone();
        }
        let numbers = self.made.len() + 1..;
        let fresh =
            numbers.map(|number| format!("ns{number}")).find(|prefix| self.add(prefix, uri)).unwrap_or_default();
        self.made.insert(uri.to_owned(), fresh.clone());
        fresh
    }

    /// Declares a prefix on the root element, if it stands for nothing else anywhere.
    fn add(&mut self, prefix: &str, uri: &str) -> bool {
        if prefix.is_empty() || self.declared.contains(prefix) {
            return false;
        }
        self.added.entry(prefix.to_owned()).or_insert_with(|| uri.to_owned()) == uri
    }
}

/// The prefixes that stand for a namespace at an element, nearest first; the default namespace is none for attributes.
fn in_scope(element: Node<'_>, uri: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for element in std::iter::once(element).chain(element.ancestors()).filter(|node| node.is_element()) {
        for (prefix, bound) in element.declarations() {
            if seen.insert(prefix.clone().into_owned()) && bound == uri && !prefix.is_empty() {
                found.push(prefix.into_owned());
            }
        }
    }
    found
}

/// Does operations on namespace declarations: in the source, which is parsed again.
pub(super) fn run(operations: &[Operation<'_>], document: &Document, limits: &Limits) -> Result<Document, PatchError> {
    let mut edited = Edited::new(document, limits);
    let mut splices: Vec<(Range<usize>, String)> = Vec::new();
    let mut declared = HashSet::new();
    for operation in operations {
        let error = |trouble| operation.error(trouble);
        let selector = operation.selector().map_err(error)?;
        let found = edited.select(&selector).map_err(error)?;
        let element = edited.written(found.node).filter(|node| node.is_element());
        let element = element.ok_or_else(|| error(trouble("only an element declares namespaces")))?;
        let (prefix, splice) = splice(operation, element).map_err(error)?;
        if !declared.insert((element.id(), prefix)) {
            return Err(error(trouble("the prefix is declared there already")));
        }
        splices.push(splice);
    }
    splices.sort_by_key(|(range, _)| range.start);
    let mut text = String::new();
    let mut done = 0;
    for (range, new) in splices {
        text.push_str(&document.source()[done..range.start]);
        text.push_str(&new);
        done = range.end;
    }
    text.push_str(&document.source()[done..]);
    read_again(&text, document, limits).map_err(|parse| {
        let words = format!("names would have no namespace any more: {parse}");
        operations[0].error(Trouble::new(Condition::InvalidNamespacePrefix, words))
    })
}

fn trouble(words: &str) -> Trouble {
    Trouble::new(Condition::InvalidPatchDirective, words)
}

/// The prefix that an operation is about, and what it does to the source of the element.
fn splice(operation: &Operation<'_>, element: Node<'_>) -> Result<(String, (Range<usize>, String)), Trouble> {
    let tag = element.source_range().ok_or_else(|| trouble("the element does not stand in the source itself"))?;
    let name_end = tag.start + 1 + element.qualified_name().len();
    if let Directive::AddTo(Last::Namespace(prefix)) = &operation.directive {
        let uri = uri_of(operation)?;
        check_addition(element, prefix, &uri)?;
        return Ok((prefix.clone(), (name_end..name_end, written(prefix, &uri))));
    }
    let Last::Namespace(prefix) = &operation.last else { return Err(trouble("no prefix is named")) };
    let place = declaration_place(element.document().source(), name_end, prefix).ok_or_else(|| {
        let words = format!("the element does not declare the prefix `{}`", shortened(prefix));
        Trouble::new(Condition::InvalidNamespaceUri, words)
    })?;
    let new = match operation.directive {
        Directive::Replace => written(prefix, &uri_of(operation)?),
        _ => String::new(),
    };
    Ok((prefix.clone(), (place, new)))
}

fn uri_of(operation: &Operation<'_>) -> Result<String, Trouble> {
    let uri = text_of(operation.element)?;
    if uri.is_empty() || uri == XML_NAMESPACE || uri == XMLNS_NAMESPACE {
        let words = format!("`{}` cannot be declared", shortened(&uri));
        return Err(Trouble::new(Condition::InvalidNamespaceUri, words));
    }
    Ok(uri)
}

/// A new declaration may not change what names mean.
fn check_addition(element: Node<'_>, prefix: &str, uri: &str) -> Result<(), Trouble> {
    let mut scopes = std::iter::once(element).chain(element.ancestors());
    let bound = scopes.find_map(|element| element.declarations().find(|(declared, _)| declared == prefix));
    let is_declared = element.declarations().any(|(declared, _)| declared == prefix);
    if is_declared || matches!(prefix, "xml" | "xmlns") || bound.is_some_and(|(_, bound)| bound != uri) {
        let words = format!("the prefix `{}` stands for something there already", shortened(prefix));
        return Err(Trouble::new(Condition::InvalidNamespacePrefix, words));
    }
    Ok(())
}

fn written(prefix: &str, uri: &str) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = payload::declaration(prefix, uri, &mut out);
    out
}

/// Where in a start tag, from behind its name on, a prefix is declared; with the white space before that.
fn declaration_place(source: &str, name_end: usize, prefix: &str) -> Option<Range<usize>> {
    let mut at = name_end;
    loop {
        let rest = source.get(at..)?;
        let name_start = rest.len() - rest.trim_start().len();
        let name_len = rest[name_start..].find(|end: char| end == '=' || end.is_ascii_whitespace() || end == '>')?;
        let name = &rest[name_start..name_start + name_len];
        let quote_at = name_start + name_len + rest[name_start + name_len..].find(['"', '\'', '>'])?;
        let quote = rest[quote_at..].chars().next().filter(|&quote| quote != '>')?;
        let end = quote_at + 1 + rest[quote_at + 1..].find(quote)? + 1;
        if name.strip_prefix("xmlns:") == Some(prefix) {
            return Some(at..at + end);
        }
        at += end;
    }
}

fn read_again(text: &str, document: &Document, limits: &Limits) -> Result<Document, ParseError> {
    let encoding = encoding_rs::Encoding::for_label(document.encoding().as_bytes()).unwrap_or(encoding_rs::UTF_8);
    let options = Options {
        whitespace: Whitespace::Exact,
        encoding: Some(encoding.name().to_owned()),
        limits: limits.clone(),
        ..Options::default()
    };
    parse::xml(encode(text, encoding, document.has_byte_order_mark()), &options).map(|parsed| parsed.document)
}
