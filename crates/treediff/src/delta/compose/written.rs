//! How does new content become a fragment? All new payloads together are one document, built node by node.
//!
//! Its text is the values themselves, and what a start tag looks like as far as names are read from it; nothing of it is
//! source. So nothing has to be escaped, and there is nothing that cannot be written.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::ComposeError;
use super::payloads::{Made, Payload};
use super::values::scalar;
use crate::delta::between::name_of;
use crate::delta::{AttributeName, Fragment};
use crate::parse::Whitespace;
use crate::tree::{
    Builder, Format, Kind, Label, MAX_TEXT_BYTES, Node, NodeId, Parts, Span, TextRun, XML_NAMESPACE, hash,
};
use crate::write::attributes_as_written;

/// The contents of the payloads, in their order.
pub(super) fn fragments(payloads: &[&Payload<'_>], format: Format) -> Result<Vec<Fragment>, ComposeError> {
    let mut writer = Writer::new(payloads.iter().map(|payload| payload.nodes.len()).sum());
    let mut roots = Vec::with_capacity(payloads.len());
    for payload in payloads {
        roots.push(writer.payload(payload).ok_or(ComposeError::Unwritable(payload.root()))?);
    }
    let document = Arc::new(writer.finish(format));
    Ok(roots.into_iter().map(|root| Fragment::new(document.clone(), root, [])).collect())
}

struct Writer {
    builder: Builder,
    text: String,
}

impl Writer {
    fn new(nodes: usize) -> Self {
        // The text begins with something, so that no value stands where an empty source would.
        Writer { builder: Builder::new(Whitespace::Exact, nodes + 1, nodes / 2), text: " ".to_owned() }
    }

    fn finish(mut self, format: Format) -> crate::tree::Document {
        while self.builder.depth() > 0 {
            self.builder.close(self.text.len() as u32);
        }
        self.builder.finish(Parts {
            format,
            encoding: encoding_rs::UTF_8,
            has_byte_order_mark: false,
            original: None,
            text: self.text,
            source_len: 0,
            doctype: None,
            id_attributes: Vec::new(),
        })
    }

    /// Writes a payload and says where its root is; `None` where all is more than a document can hold.
    fn payload(&mut self, payload: &Payload<'_>) -> Option<NodeId> {
        let root = payload.nodes.first()?;
        let parent = root.content.node.parent();
        // A member of an object stays one, or an empty key would be none.
        let is_member = parent.is_some_and(|parent| parent.kind() == Kind::Object);
        if is_member {
            self.builder.open(Label::of(Kind::Object), self.text.len() as u32, None);
        }
        let place = NodeId(self.builder.len() as u32);
        let mut open: Vec<usize> = Vec::new();
        for (at, made) in payload.nodes.iter().enumerate() {
            while open.pop_if(|end| *end == at).is_some() {
                self.builder.close(self.text.len() as u32);
            }
            if self.node(made)? {
                open.push(made.end);
            }
        }
        open.iter().for_each(|_| self.builder.close(self.text.len() as u32));
        if is_member {
            self.builder.close(self.text.len() as u32);
        }
        Some(place)
    }

    /// Writes a node, and says whether it has to be closed.
    fn node(&mut self, made: &Made<'_>) -> Option<bool> {
        let node = made.content.node;
        let kind = node.kind();
        let name = self.builder.names.intern(node.name().namespace, node.name().local);
        if kind.is_container() {
            let start = self.text.len() as u32;
            if kind == Kind::Element {
                self.start_tag(made)?;
            }
            self.builder.open(Label::new(kind, name), start, None);
            return Some(true);
        }
        let (kind, value) = match (made.value, kind) {
            (Some(token), Kind::String | Kind::Number | Kind::Literal) => scalar(token),
            (Some(value), kind) => (kind, Cow::Borrowed(value)),
            (None, kind) => (kind, node.value()),
        };
        let (span, hash) = (self.value(&value)?, hash::bytes(value.as_bytes()));
        match kind {
            Kind::Text => self.builder.plain_text(span, hash, false),
            kind => {
                let run = TextRun { span, hash, is_blank: false, origin: None };
                self.builder.leaf(Label::new(kind, name), run);
            }
        }
        Some(false)
    }

    /// Writes what a start tag shows besides its names: prefixes, attributes, declarations.
    fn start_tag(&mut self, made: &Made<'_>) -> Option<()> {
        let node = made.content.node;
        self.text.push('<');
        self.text.push_str(&node.qualified_name());
        // Where a payload stood in a delta, no namespace had to be said; whoever writes this one says it where it must.
        let says_something = |(prefix, uri): &(Cow<'_, str>, Cow<'_, str>)| !(prefix.is_empty() && uri.is_empty());
        for (prefix, uri) in node.declarations().filter(says_something) {
            self.text.push(' ');
            let (prefix, uri) = (self.value(&prefix)?, self.value(&uri)?);
            self.builder.declaration(prefix, uri);
        }
        let changed: HashSet<(&str, &str)> =
            made.attributes.iter().map(|(name, _)| (name.namespace.as_str(), name.local.as_str())).collect();
        let mut prefixes = Prefixes::of(node);
        for attribute in attributes_as_written(node) {
            if !changed.contains(&(attribute.name().namespace, attribute.name().local)) {
                self.attribute(&name_of(attribute), attribute.prefix(), &attribute.value())?;
            }
        }
        for (name, value) in &made.attributes {
            if let Some(value) = value {
                self.attribute(name, &prefixes.of_name(name), value)?;
            }
        }
        self.text.push('>');
        let twice = self.builder.sort_attributes();
        twice.is_none().then_some(())
    }

    fn attribute(&mut self, name: &AttributeName, prefix: &str, value: &str) -> Option<()> {
        self.text.push(' ');
        if !prefix.is_empty() {
            self.text.push_str(prefix);
            self.text.push(':');
        }
        self.text.push_str(&name.local);
        self.text.push_str("=\"");
        let span = self.value(value)?;
        self.text.push('"');
        let id = self.builder.names.intern(&name.namespace, &name.local);
        self.builder.attribute(id, span, hash::bytes(value.as_bytes()));
        Some(())
    }

    fn value(&mut self, value: &str) -> Option<Span> {
        let start = self.text.len();
        self.text.push_str(value);
        (self.text.len() <= MAX_TEXT_BYTES).then(|| Span::plain(start as u32, self.text.len() as u32))
    }
}

/// What the prefixes in a start tag stand for: an attribute that comes to it may have been written with one that stands
/// for something else here.
struct Prefixes<'d> {
    uris: HashMap<Cow<'d, str>, Cow<'d, str>>,
    /// How many prefixes have been made up.
    made_up: usize,
}

impl<'d> Prefixes<'d> {
    fn of(element: Node<'d>) -> Self {
        let attributes = element.attributes().map(|attribute| (attribute.prefix(), attribute.name().namespace));
        let names = attributes.chain([(element.prefix(), element.name().namespace)]);
        let names = names.map(|(prefix, uri)| (Cow::Borrowed(prefix), Cow::Borrowed(uri)));
        Prefixes { uris: element.declarations().chain(names).collect(), made_up: 0 }
    }

    /// The prefix to write a name with: its own, unless that is taken.
    fn of_name(&mut self, name: &AttributeName) -> String {
        if name.namespace.is_empty() || name.namespace == XML_NAMESPACE {
            return name.prefix.clone();
        }
        let is_free = |prefix: &str| self.uris.get(prefix).is_none_or(|uri| *uri == name.namespace);
        let mut prefix = name.prefix.clone();
        while prefix.is_empty() || !is_free(&prefix) {
            self.made_up += 1;
            prefix = format!("ns{}", self.made_up);
        }
        self.uris.insert(Cow::Owned(prefix.clone()), Cow::Owned(name.namespace.clone()));
        prefix
    }
}
