//! What is a document in canonical form? Exclusive XML Canonicalization 1.0 with comments.
//!
//! Two documents whose canonical forms are equal are equal to any XML application. A namespace is declared where it
//! is first used and not already in force, attributes are sorted by namespace and name, and everything that can be
//! written in two ways is written in one.

use std::collections::HashMap;

use crate::tree::{Attribute, Document, Kind, Node, Step, XML_NAMESPACE};

/// The canonical form of a document.
///
/// ```
/// use treediff::{parse, write};
///
/// let document = parse::xml("<a  c='2' b='1'><d/></a>", &Default::default())?.document;
/// assert_eq!(write::canonical(&document), r#"<a b="1" c="2"><d></d></a>"#);
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn canonical(document: &Document) -> String {
    let mut writer = Writer { out: String::with_capacity(document.source().len()), ..Writer::default() };
    let mut before_root = true;
    for child in document.root().children() {
        match child.kind() {
            Kind::Element => {
                writer.subtree(child);
                before_root = false;
            }
            _ if before_root => {
                writer.subtree(child);
                writer.out.push('\n');
            }
            _ => {
                writer.out.push('\n');
                writer.subtree(child);
            }
        }
    }
    writer.out
}

/// The canonical form of a subtree, with all the namespaces that it needs.
pub fn canonical_subtree(node: Node<'_>) -> String {
    if node.kind() == Kind::Document {
        return canonical(node.document());
    }
    let mut writer = Writer::default();
    writer.subtree(node);
    writer.out
}

#[derive(Debug, Default)]
struct Writer<'d> {
    out: String,
    /// For each prefix the URIs that are declared in the output around the current place, innermost last.
    declared: HashMap<&'d str, Vec<&'d str>>,
    /// The prefixes declared by each open element, with the element's depth.
    made: Vec<(usize, &'d str)>,
    depth: usize,
}

impl<'d> Writer<'d> {
    fn subtree(&mut self, top: Node<'d>) {
        for step in top.walk() {
            match step {
                Step::Enter(node) => self.enter(node),
                Step::Leave(node) => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: Node<'d>) {
        match node.kind() {
            Kind::Element => self.start_tag(node),
            Kind::Text => push_text(&mut self.out, &node.value()),
            Kind::Comment => self.out.extend(["<!--", &escape_returns(&node.value()), "-->"]),
            Kind::ProcessingInstruction => self.processing_instruction(node),
            Kind::Reference => self.out.extend(["&", node.name().local, ";"]),
            Kind::Document | Kind::Object | Kind::Array => {}
            Kind::String | Kind::Number | Kind::Literal => push_text(&mut self.out, &node.value()),
        }
    }

    fn processing_instruction(&mut self, node: Node<'d>) {
        self.out.extend(["<?", node.name().local]);
        if !node.value().is_empty() {
            self.out.extend([" ", &escape_returns(&node.value())]);
        }
        self.out.push_str("?>");
    }

    fn start_tag(&mut self, node: Node<'d>) {
        self.depth += 1;
        let prefix = node.prefix();
        self.out.push('<');
        self.push_name(prefix, node.name().local);
        let mut attributes: Vec<Attribute<'d>> = node.attributes().collect();
        attributes.sort_by_key(|attribute| attribute.name());
        self.declarations(node, &attributes);
        for attribute in attributes {
            self.out.push(' ');
            self.push_name(attribute.prefix(), attribute.name().local);
            self.out.push_str("=\"");
            push_attribute(&mut self.out, &attribute.value());
            self.out.push('"');
        }
        self.out.push('>');
    }

    /// The declarations that the names of this tag need and the output does not have yet, by prefix.
    fn declarations(&mut self, node: Node<'d>, attributes: &[Attribute<'d>]) {
        let mut used: Vec<(&'d str, &'d str)> = attributes
            .iter()
            .map(|attribute| (attribute.prefix(), attribute.name().namespace))
            .filter(|(prefix, _)| !prefix.is_empty())
            .collect();
        used.push((node.prefix(), node.name().namespace));
        used.sort_unstable();
        used.dedup();
        for (prefix, uri) in used {
            let in_force = self.declared.get(prefix).and_then(|uris| uris.last()).copied().unwrap_or("");
            if in_force != uri && uri != XML_NAMESPACE {
                self.declare(prefix, uri);
            }
        }
    }

    fn declare(&mut self, prefix: &'d str, uri: &'d str) {
        self.out.push_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" });
        self.out.extend([prefix, "=\""]);
        push_attribute(&mut self.out, uri);
        self.out.push('"');
        self.declared.entry(prefix).or_default().push(uri);
        self.made.push((self.depth, prefix));
    }

    fn leave(&mut self, node: Node<'d>) {
        if node.kind() != Kind::Element {
            return;
        }
        self.out.push_str("</");
        self.push_name(node.prefix(), node.name().local);
        self.out.push('>');
        while let Some((_, prefix)) = self.made.pop_if(|(depth, _)| *depth == self.depth) {
            if let Some(uris) = self.declared.get_mut(prefix) {
                uris.pop();
            }
        }
        self.depth -= 1;
    }

    fn push_name(&mut self, prefix: &str, local: &str) {
        if !prefix.is_empty() {
            self.out.extend([prefix, ":"]);
        }
        self.out.push_str(local);
    }
}

/// Writes character data: what is markup, and what a parser would change, by reference.
pub(super) fn push_text(out: &mut String, value: &str) {
    push_escaped(out, value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'\r' => Some("&#xD;"),
        _ => None,
    });
}

/// The same for the value of an attribute in double quotes.
pub(super) fn push_attribute(out: &mut String, value: &str) {
    push_escaped(out, value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'"' => Some("&quot;"),
        b'\t' => Some("&#x9;"),
        b'\n' => Some("&#xA;"),
        b'\r' => Some("&#xD;"),
        _ => None,
    });
}

fn escape_returns(value: &str) -> String {
    value.replace('\r', "&#xD;")
}

fn push_escaped(out: &mut String, value: &str, escape: impl Fn(u8) -> Option<&'static str>) {
    let mut done = 0;
    for (at, byte) in value.bytes().enumerate() {
        if let Some(escaped) = escape(byte) {
            out.push_str(&value[done..at]);
            out.push_str(escaped);
            done = at + 1;
        }
    }
    out.push_str(&value[done..]);
}
