//! How do both versions fit into one document? As DeltaXML has it: elements say whether they are in A, the version
//! before, or in B, the version after, or in both, and whether they are the same there.
//!
//! What stays in its place stands once; what is in one version alone, or moved, stands as a whole where that version
//! has it. So each version can be taken out again, by leaving out what is the other's alone.

#[cfg(test)]
mod tests;

use std::fmt::{self, Write};

use super::FormatError;
use super::attributes::AttributePair;
use super::markup::{Markup, Named};
use super::versions::{Place, Versions};
use crate::delta::Delta;
use crate::tree::{Attribute, Document, Format, Kind, Node, Step, XML_NAMESPACE, XMLNS_NAMESPACE};
use crate::write::attributes_as_written;

const DELTAXML: &str = "http://www.deltaxml.com/ns/well-formed-delta-v1";
const PLAIN_ATTRIBUTE: &str = "http://www.deltaxml.com/ns/non-namespaced-attribute";
const XML_ATTRIBUTE: &str = "http://www.deltaxml.com/ns/xml-namespaced-attribute";
const PRESERVE: &str = "http://www.deltaxml.com/ns/preserve";
const INSTRUCTION: &str = "http://www.deltaxml.com/ns/processing-instructions";
const REFERENCE: &str = "http://www.deltaxml.com/ns/entity-references";

/// Writes both versions as one annotated document in the manner of DeltaXML's DeltaV2, with everything that did not
/// change: either version can be taken out of it again, but for its document type declaration, of which the format has
/// nothing. Where that changed (an [`Operation::Doctype`](crate::delta::Operation::Doctype)), it is up to the caller to say so.
pub fn annotated(delta: &Delta, before: &Document, after: &Document, out: &mut impl Write) -> Result<(), FormatError> {
    write_annotated(delta, before, after, Extent::FullContext, out)
}

/// Writes the changes alone as an annotated document: what is the same in both versions is named and has no content.
pub fn annotated_changes(
    delta: &Delta,
    before: &Document,
    after: &Document,
    out: &mut impl Write,
) -> Result<(), FormatError> {
    write_annotated(delta, before, after, Extent::ChangesOnly, out)
}

/// How much is written of what is the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    FullContext,
    ChangesOnly,
}

fn write_annotated(
    delta: &Delta,
    before: &Document,
    after: &Document,
    extent: Extent,
    out: &mut impl Write,
) -> Result<(), FormatError> {
    if delta.format() == Format::Json {
        return Err(FormatError::NotForFormat { name: "an annotated document", format: delta.format() });
    }
    let versions = Versions::new(delta, before, after)?;
    let markup = Markup::of_format(out, delta.format(), DELTAXML);
    let fallbacks = delta.fallbacks().to_string();
    let mut writer = Writer { versions: &versions, extent, markup, fallbacks, is_rooted: false };
    writer.document()?;
    Ok(writer.markup.raw("\n")?)
}

/// What a node is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    A,
    B,
    Same,
    Changed,
}

impl Presence {
    fn as_str(self) -> &'static str {
        match self {
            Presence::A => "A",
            Presence::B => "B",
            Presence::Same => "A=B",
            Presence::Changed => "A!=B",
        }
    }
}

/// What is still to be written.
enum Task<'d> {
    Child(Place<'d>),
    /// The end of an element.
    End,
}

struct Writer<'v, 'd, 'o, W> {
    versions: &'v Versions<'d>,
    extent: Extent,
    markup: Markup<'o, W>,
    /// Those of the comparison: an attribute, since a comment would be one of the document's.
    fallbacks: String,
    /// Whether the outermost element, which says what this is, has been opened.
    is_rooted: bool,
}

impl<'d, W: Write> Writer<'_, 'd, '_, W> {
    fn document(&mut self) -> fmt::Result {
        let [before, after] = [self.versions.before.document.root(), self.versions.after.document.root()];
        let children = self.versions.children(before, after);
        // Around the root element there is no room for elements, which changes are, and without context all else.
        let has_room = self.extent == Extent::FullContext || children.len() == 1;
        let is_plain = has_room
            && children.iter().all(|child| match child {
                Place::Both(before, after) => before.is_element() || before.value() == after.value(),
                _ => false,
            });
        let mut tasks: Vec<Task<'d>> = children.into_iter().map(Task::Child).collect();
        if !is_plain {
            self.start(deltaxml("document"), Presence::Changed, Vec::new())?;
            tasks.push(Task::End);
        }
        tasks.reverse();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Child(Place::Both(before, after)) => self.pair(before, after, &mut tasks)?,
                Task::Child(Place::Before(node)) => self.only(node, Presence::A)?,
                Task::Child(Place::After(node)) => self.only(node, Presence::B)?,
                Task::End => self.markup.end()?,
            }
        }
        Ok(())
    }

    fn pair(&mut self, before: Node<'d>, after: Node<'d>, tasks: &mut Vec<Task<'d>>) -> fmt::Result {
        if !after.is_element() {
            return self.pair_of_leaves(before, after);
        }
        if before.same_content(after) {
            return self.same(after);
        }
        let attributes = AttributePair::all(before, after);
        let is_same = |pair: &&AttributePair<'d>| presence(pair) == Presence::Same;
        let same = attributes.iter().filter(is_same).filter(|_| self.extent == Extent::FullContext);
        self.start(Named::of_element(after), Presence::Changed, same.map(|pair| pair.newest()).collect())?;
        self.attributes(&attributes)?;
        tasks.push(Task::End);
        tasks.extend(self.versions.children(before, after).into_iter().rev().map(Task::Child));
        Ok(())
    }

    fn pair_of_leaves(&mut self, before: Node<'d>, after: Node<'d>) -> fmt::Result {
        let is_same = before.value() == after.value();
        match (is_same, self.extent, after.kind()) {
            // What stands around the root element is no part of it, and stands there as it is.
            (true, _, _) if !self.is_rooted => self.literal(after),
            (true, Extent::FullContext, _) => self.literal(after),
            (true, Extent::ChangesOnly, _) => self.wrapped(after, Presence::Same),
            (false, _, Kind::Text) => {
                self.start(deltaxml("textGroup"), Presence::Changed, Vec::new())?;
                self.version_of_text(before, Presence::A)?;
                self.version_of_text(after, Presence::B)?;
                self.markup.end()
            }
            (false, ..) => {
                self.wrapped(before, Presence::A)?;
                self.wrapped(after, Presence::B)
            }
        }
    }

    /// A subtree that is the same in both.
    fn same(&mut self, node: Node<'d>) -> fmt::Result {
        if self.extent == Extent::FullContext {
            return self.subtree(node, Presence::Same);
        }
        self.start(Named::of_element(node), Presence::Same, Vec::new())?;
        self.markup.end()
    }

    /// A subtree that is in one of the versions alone.
    fn only(&mut self, node: Node<'d>, presence: Presence) -> fmt::Result {
        if node.is_element() { self.subtree(node, presence) } else { self.wrapped(node, presence) }
    }

    /// An element with all that is in it.
    fn subtree(&mut self, top: Node<'d>, presence: Presence) -> fmt::Result {
        self.start(Named::of_element(top), presence, attributes_as_written(top))?;
        for step in top.walk().skip(1) {
            match step {
                Step::Enter(element) if element.is_element() => self.markup.start_as_written(element)?,
                Step::Enter(leaf) => self.literal(leaf)?,
                Step::Leave(_) => self.markup.end()?,
            }
        }
        Ok(())
    }

    /// A leaf as the documents have it. A reference would have to be declared, so that it is an element here.
    fn literal(&mut self, leaf: Node<'d>) -> fmt::Result {
        if leaf.kind() != Kind::Reference {
            return self.markup.leaf(leaf, &leaf.value());
        }
        self.markup.start(Named { prefix: "er", namespace: REFERENCE, local: leaf.name().local }, NONE)?;
        self.markup.end()
    }

    /// A leaf as an element that can say which version it is in; what is the same has no content.
    fn wrapped(&mut self, leaf: Node<'d>, presence: Presence) -> fmt::Result {
        let local = leaf.name().local;
        match leaf.kind() {
            Kind::Comment => {
                self.start(Named { prefix: "preserve", namespace: PRESERVE, local: "comment" }, presence, Vec::new())?;
            }
            Kind::ProcessingInstruction => {
                self.start(Named { prefix: "pi", namespace: INSTRUCTION, local }, presence, Vec::new())?;
            }
            Kind::Reference => {
                self.start(Named { prefix: "er", namespace: REFERENCE, local }, presence, Vec::new())?;
                return self.markup.end();
            }
            _ => {
                self.start(deltaxml("textGroup"), presence, Vec::new())?;
                if presence != Presence::Same {
                    self.version_of_text(leaf, presence)?;
                }
                return self.markup.end();
            }
        }
        if presence != Presence::Same {
            self.markup.text(&leaf.value())?;
        }
        self.markup.end()
    }

    fn version_of_text(&mut self, text: Node<'d>, presence: Presence) -> fmt::Result {
        self.start(deltaxml("text"), presence, Vec::new())?;
        self.markup.text(&text.value())?;
        self.markup.end()
    }

    /// The attributes that are not the same, as elements.
    fn attributes(&mut self, attributes: &[AttributePair<'d>]) -> fmt::Result {
        let mut changed = attributes.iter().filter(|pair| presence(pair) != Presence::Same).peekable();
        if changed.peek().is_none() {
            return Ok(());
        }
        self.start(deltaxml("attributes"), Presence::Changed, Vec::new())?;
        changed.try_for_each(|pair| self.attribute(pair))?;
        self.markup.end()
    }

    fn attribute(&mut self, pair: &AttributePair<'d>) -> fmt::Result {
        let attribute = pair.newest();
        let local = attribute.name().local;
        // As an attribute of HTML that declares a prefix is told elsewhere: no other name begins with a blank.
        let declaration = format!(" {local}");
        let name = match attribute.name().namespace {
            XMLNS_NAMESPACE => Named { prefix: "dxa", namespace: PLAIN_ATTRIBUTE, local: &declaration },
            "" => Named { prefix: "dxa", namespace: PLAIN_ATTRIBUTE, local },
            XML_NAMESPACE => Named { prefix: "dxx", namespace: XML_ATTRIBUTE, local },
            _ => Named::of_attribute(attribute),
        };
        self.start(name, presence(pair), Vec::new())?;
        for (version, presence) in [(pair.before, Presence::A), (pair.after, Presence::B)] {
            let Some(attribute) = version else { continue };
            self.start(deltaxml("attributeValue"), presence, Vec::new())?;
            self.markup.text(&attribute.value())?;
            self.markup.end()?;
        }
        self.markup.end()
    }

    /// Opens an element that says which version it is in; the outermost says what all of this is.
    fn start(&mut self, name: Named<'_>, presence: Presence, attributes: Vec<Attribute<'d>>) -> fmt::Result {
        let content_type = match self.extent {
            Extent::FullContext => "full-context",
            Extent::ChangesOnly => "changes-only",
        };
        let header = [(deltaxml("version"), "2.0"), (deltaxml("content-type"), content_type)];
        let is_outermost = !std::mem::replace(&mut self.is_rooted, true);
        let declarations: &[(&str, &str)] = if is_outermost { &DECLARED } else { &[] };
        let fallbacks = Some((deltaxml("fallbacks"), self.fallbacks.as_str())).filter(|(_, names)| !names.is_empty());
        let own = std::iter::once((deltaxml("deltaV2"), presence.as_str()))
            .chain(header.into_iter().chain(fallbacks).filter(|_| is_outermost))
            .map(|(name, value)| (name, value.into()));
        let attributes = attributes.iter().map(|&attribute| (Named::of_attribute(attribute), attribute.value()));
        self.markup.start_declaring(name, own.chain(attributes), declarations)
    }
}

/// Declared once, since many elements use them.
const DECLARED: [(&str, &str); 3] = [("deltaxml", DELTAXML), ("dxa", PLAIN_ATTRIBUTE), ("dxx", XML_ATTRIBUTE)];

const NONE: [(Named<'static>, &str); 0] = [];

fn deltaxml(local: &str) -> Named<'_> {
    Named { prefix: "deltaxml", namespace: DELTAXML, local }
}

/// Which versions an attribute is in.
fn presence(pair: &AttributePair<'_>) -> Presence {
    match (pair.before, pair.after) {
        (Some(before), Some(after)) if before.value() == after.value() => Presence::Same,
        (Some(_), Some(_)) => Presence::Changed,
        (Some(_), None) => Presence::A,
        (None, _) => Presence::B,
    }
}
