//! What is a document in canonical form? Exclusive XML Canonicalization 1.0 with comments.
//!
//! Two documents whose canonical forms are equal are equal to any XML application. A namespace is declared where it
//! is first used and not already in force, attributes are sorted by namespace and name, and everything that can be
//! written in two ways is written in one.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Write};

use super::collected;
use crate::tree::{Attribute, Document, Format, Kind, Node, Step, ValuePiece, XML_NAMESPACE};

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
    collected(document.source().len(), |out| canonical_to(document, out))
}

/// Writes what [`canonical`] returns, piece by piece; fails only where `out` does.
///
/// A namespace is declared on every sibling that uses it, so that the form can be thousands of times as long as the
/// source; this never holds more of it than a value.
///
/// ```
/// use treediff::{parse, write};
///
/// let document = parse::xml("<!--c--><a xmlns:n='urn:n'><n:b/><n:b/></a>", &Default::default())?.document;
/// let mut form = String::new();
/// write::canonical_to(&document, &mut form)?;
/// assert_eq!(form, "<!--c-->\n<a><n:b xmlns:n=\"urn:n\"></n:b><n:b xmlns:n=\"urn:n\"></n:b></a>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical_to(document: &Document, out: &mut impl Write) -> fmt::Result {
    let mut writer = Writer::new(out);
    let mut before_root = true;
    for child in document.root().children() {
        match child.kind() {
            Kind::Element => {
                writer.subtree(child)?;
                before_root = false;
            }
            _ if before_root => {
                writer.subtree(child)?;
                writer.out.write_char('\n')?;
            }
            _ => {
                writer.out.write_char('\n')?;
                writer.subtree(child)?;
            }
        }
    }
    Ok(())
}

/// The first reference in a document, as it is written, to an entity that only an external subset could declare, or
/// that is external itself. Both are kept in the canonical form, which has nothing that declares them.
///
/// ```
/// use treediff::{parse, write};
///
/// let document = parse::xml("<!DOCTYPE a SYSTEM 'a.dtd'><a b='&amp;&u;'>&v;</a>", &Default::default())?.document;
/// assert_eq!(write::unread_reference(&document).as_deref(), Some("&u;"));
/// # Ok::<(), treediff::parse::ParseError>(())
/// ```
pub fn unread_reference(document: &Document) -> Option<Cow<'_, str>> {
    // Without a DTD there is none, unless recovery has read over it and said so.
    document.doctype().filter(|_| document.format() == Format::Xml)?;
    document.nodes().find_map(|node| match node.kind() {
        Kind::Reference => Some(Cow::Owned(format!("&{};", node.name().local))),
        _ => node.attributes().flat_map(Attribute::pieces).find_map(|piece| match piece {
            ValuePiece::Reference(reference) => Some(Cow::Borrowed(reference)),
            ValuePiece::Text(_) => None,
        }),
    })
}

/// The canonical form of a subtree, with all the namespaces that it needs.
pub fn canonical_subtree(node: Node<'_>) -> String {
    match node.kind() {
        Kind::Document => canonical(node.document()),
        _ => collected(0, |out| Writer::new(out).subtree(node)),
    }
}

#[derive(Debug)]
struct Writer<'d, 'o, W> {
    out: &'o mut W,
    /// For each prefix the URIs that are declared in the output around the current place, innermost last.
    declared: HashMap<&'d str, Vec<&'d str>>,
    /// The prefixes declared by each open element, with the element's depth.
    made: Vec<(usize, &'d str)>,
    depth: usize,
}

impl<'d, 'o, W: Write> Writer<'d, 'o, W> {
    fn new(out: &'o mut W) -> Self {
        Writer { out, declared: HashMap::new(), made: Vec::new(), depth: 0 }
    }

    fn subtree(&mut self, top: Node<'d>) -> fmt::Result {
        top.walk().try_for_each(|step| match step {
            Step::Enter(node) => self.enter(node),
            Step::Leave(node) => self.leave(node),
        })
    }

    fn enter(&mut self, node: Node<'d>) -> fmt::Result {
        match node.kind() {
            Kind::Element => self.start_tag(node),
            Kind::Text => write_text(self.out, &node.value()),
            Kind::Comment => self.comment(node),
            Kind::ProcessingInstruction => self.processing_instruction(node),
            Kind::Reference => write!(self.out, "&{};", node.name().local),
            Kind::Document | Kind::Object | Kind::Array => Ok(()),
            Kind::String | Kind::Number | Kind::Literal => write_text(self.out, &node.value()),
        }
    }

    fn comment(&mut self, node: Node<'d>) -> fmt::Result {
        self.out.write_str("<!--")?;
        write_verbatim(self.out, &node.value())?;
        self.out.write_str("-->")
    }

    fn processing_instruction(&mut self, node: Node<'d>) -> fmt::Result {
        write!(self.out, "<?{}", node.name().local)?;
        let value = node.value();
        if !value.is_empty() {
            self.out.write_char(' ')?;
            write_verbatim(self.out, &value)?;
        }
        self.out.write_str("?>")
    }

    fn start_tag(&mut self, node: Node<'d>) -> fmt::Result {
        self.depth += 1;
        self.out.write_char('<')?;
        self.write_name(node.prefix(), node.name().local)?;
        let mut attributes: Vec<Attribute<'d>> = node.attributes().collect();
        attributes.sort_by_key(|attribute| attribute.name());
        self.declarations(node, &attributes)?;
        for attribute in attributes {
            self.out.write_char(' ')?;
            self.write_name(attribute.prefix(), attribute.name().local)?;
            self.out.write_str("=\"")?;
            self.value(attribute)?;
            self.out.write_char('"')?;
        }
        self.out.write_char('>')
    }

    /// The value of an attribute, a reference that stays as it stays in text.
    fn value(&mut self, attribute: Attribute<'d>) -> fmt::Result {
        attribute.pieces().try_for_each(|piece| match piece {
            ValuePiece::Text(text) => write_attribute(self.out, &text),
            ValuePiece::Reference(reference) => self.out.write_str(reference),
        })
    }

    /// The declarations that the names of this tag need and the output does not have yet, by prefix.
    fn declarations(&mut self, node: Node<'d>, attributes: &[Attribute<'d>]) -> fmt::Result {
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
                self.declare(prefix, uri)?;
            }
        }
        Ok(())
    }

    fn declare(&mut self, prefix: &'d str, uri: &'d str) -> fmt::Result {
        self.out.write_str(if prefix.is_empty() { " xmlns" } else { " xmlns:" })?;
        write!(self.out, "{prefix}=\"")?;
        write_attribute(self.out, uri)?;
        self.declared.entry(prefix).or_default().push(uri);
        self.made.push((self.depth, prefix));
        self.out.write_char('"')
    }

    fn leave(&mut self, node: Node<'d>) -> fmt::Result {
        if node.kind() != Kind::Element {
            return Ok(());
        }
        while let Some((_, prefix)) = self.made.pop_if(|(depth, _)| *depth == self.depth) {
            if let Some(uris) = self.declared.get_mut(prefix) {
                uris.pop();
            }
        }
        self.depth -= 1;
        self.out.write_str("</")?;
        self.write_name(node.prefix(), node.name().local)?;
        self.out.write_char('>')
    }

    fn write_name(&mut self, prefix: &str, local: &str) -> fmt::Result {
        if !prefix.is_empty() {
            self.out.write_str(prefix)?;
            self.out.write_char(':')?;
        }
        self.out.write_str(local)
    }
}

/// Writes character data: what is markup, and what a parser would change, by reference.
pub(crate) fn write_text(out: &mut impl Write, value: &str) -> fmt::Result {
    write_escaped(out, value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' => Some("&gt;"),
        b'\r' => Some("&#xD;"),
        _ => None,
    })
}

/// The same for the value of an attribute in double quotes.
pub(crate) fn write_attribute(out: &mut impl Write, value: &str) -> fmt::Result {
    write_escaped(out, value, |byte| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'"' => Some("&quot;"),
        b'\t' => Some("&#x9;"),
        b'\n' => Some("&#xA;"),
        b'\r' => Some("&#xD;"),
        _ => None,
    })
}

/// The same for comments and instructions, where markup is none.
fn write_verbatim(out: &mut impl Write, value: &str) -> fmt::Result {
    write_escaped(out, value, |byte| (byte == b'\r').then_some("&#xD;"))
}

fn write_escaped(out: &mut impl Write, value: &str, escape: impl Fn(u8) -> Option<&'static str>) -> fmt::Result {
    let mut done = 0;
    for (at, byte) in value.bytes().enumerate() {
        if let Some(escaped) = escape(byte) {
            out.write_str(&value[done..at])?;
            out.write_str(escaped)?;
            done = at + 1;
        }
    }
    out.write_str(&value[done..])
}
