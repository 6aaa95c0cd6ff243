//! How is a delta written as an XML patch?
//!
//! Selectors count elements among elements and texts among texts (`/*/*[2]/text()[1]`): they need no names, and so no
//! namespaces, and are found at once in a parent of any width.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::super::FormatError;
use super::super::sequence::{Edit, Sequence, attribute_changes};
use super::namespaces::Prefixes;
use super::payload;
use crate::delta::Delta;
use crate::tree::{Attribute, Document, Format, Kind, Node, NodeId, XML_NAMESPACE};
use crate::write::write_text;

const NAME: &str = "an XML patch";

/// Writes a delta between two XML documents as an XML patch.
///
/// The standard cannot change the document type declaration, so a delta that does is refused. References that nobody
/// follows stay references; a delta that brings some in attributes is refused, since XML does not allow the patch to
/// declare them.
pub fn write(delta: &Delta, before: &Document, after: &Document) -> Result<String, FormatError> {
    let mut patch = String::new();
    write_to(delta, before, after, &mut patch)?;
    Ok(patch)
}

/// Writes what [`write()`] returns, piece by piece. Every operation has the path to its node, so that the patch of a deep
/// document may grow with the square of the depth; whoever writes it out says how much it may be.
pub fn write_to(delta: &Delta, before: &Document, after: &Document, patch: &mut impl Write) -> Result<(), FormatError> {
    if delta.format() != Format::Xml {
        return Err(FormatError::NotForFormat { name: NAME, format: delta.format() });
    }
    FormatError::refuse_doctype(delta, NAME)?;
    FormatError::refuse_same_values(delta)?;
    let sequence = Sequence::of(delta, before, after)?;
    let mut writer = Writer {
        sequence: &sequence,
        ordinals: [ordinals(sequence.before()), ordinals(sequence.after())],
        prefixes: Prefixes::of(sequence.before()),
        out: patch,
    };
    for edit in sequence.edits() {
        writer.prepare(edit)?;
    }
    writer.begin(delta)?;
    for edit in sequence.edits() {
        writer.edit(edit)?;
    }
    Ok(writer.out.write_str("</diff>\n")?)
}

/// References that nobody followed stay references: the patch says that it does not know what they stand for.
fn declare_entities(sequence: &Sequence<'_>, out: &mut impl Write) -> fmt::Result {
    let coming = sequence.edits().iter().filter_map(|edit| match *edit {
        Edit::Replace { after, .. } => Some(after..=after),
        Edit::Insert { first, last } => Some(first..=last),
        _ => None,
    });
    let after = sequence.after();
    let mut names = BTreeSet::new();
    for row in coming {
        let nodes = (row.start().0..after.node(*row.end()).end()).map(|id| after.node(NodeId(id)));
        names.extend(nodes.filter(|node| node.kind() == Kind::Reference).map(|node| node.name().local));
    }
    if !names.is_empty() {
        out.write_str("<!DOCTYPE diff [")?;
        names.iter().try_for_each(|name| write!(out, "<!ENTITY {name} SYSTEM \"{name}\">"))?;
        out.write_str("]>\n")?;
    }
    Ok(())
}

struct Writer<'s, 'o, W> {
    sequence: &'s Sequence<'s>,
    /// For every node of either document its place among the siblings of its kind, from 1.
    ordinals: [Vec<u32>; 2],
    prefixes: Prefixes,
    out: &'o mut W,
}

impl<'s, W: Write> Writer<'s, '_, W> {
    /// Refuses what the standard has no words for before anything is written, and finds the prefixes to declare.
    fn prepare(&mut self, edit: &Edit) -> Result<(), FormatError> {
        let (before, after) = (self.sequence.before(), self.sequence.after());
        match *edit {
            Edit::Value { before: old, after: new } | Edit::Replace { before: old, after: new } => {
                refuse_selector(before.node(old))?;
                FormatError::refuse_references_below(after.node(new), NAME)
            }
            Edit::Attributes { before: old, after: new } => {
                let old = before.node(old);
                for change in attribute_changes(old, after.node(new)) {
                    let Some(come) = change.after else { continue };
                    FormatError::refuse_reference(come, NAME)?;
                    if change.before.is_none() {
                        self.prefixes.for_attribute(old, come);
                    }
                }
                Ok(())
            }
            Edit::Remove { before: old, .. } => refuse_selector(before.node(old)),
            Edit::Insert { first, last } => {
                let (first, last) = (after.node(first), after.node(last));
                refuse_selector(Anchor::of(first, last).node())?;
                row(first, last).try_for_each(|node| FormatError::refuse_references_below(node, NAME))
            }
        }
    }

    fn begin(&mut self, delta: &Delta) -> fmt::Result {
        self.out.write_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")?;
        declare_entities(self.sequence, self.out)?;
        if let Some(told) = delta.fallbacks().told() {
            writeln!(self.out, "<!-- {told} -->")?;
        }
        self.out.write_str("<diff>\n")?;
        for (prefix, uri) in self.prefixes.added() {
            write!(self.out, "<add sel=\"/*\" type=\"namespace::{prefix}\">")?;
            write_text(self.out, uri)?;
            self.out.write_str("</add>\n")?;
        }
        Ok(())
    }

    fn edit(&mut self, edit: &Edit) -> Result<(), FormatError> {
        let (before, after) = (self.sequence.before(), self.sequence.after());
        match *edit {
            Edit::Value { before: old, after: new } => self.replace(before.node(old), after.node(new)),
            Edit::Replace { before: old, after: new } => self.replace(before.node(old), after.node(new)),
            Edit::Attributes { before: old, after: new } => self.attributes(before.node(old), after.node(new)),
            Edit::Remove { before: old, with_layout } => self.remove(before.node(old), with_layout),
            Edit::Insert { first, last } => self.insert(after.node(first), after.node(last)),
        }
    }

    fn replace(&mut self, old: Node<'s>, new: Node<'s>) -> Result<(), FormatError> {
        let path = self.path_before(old)?;
        write!(self.out, "<replace sel=\"{path}\">")?;
        payload::write(new, self.out)?;
        Ok(self.out.write_str("</replace>\n")?)
    }

    fn remove(&mut self, old: Node<'s>, with_layout: bool) -> Result<(), FormatError> {
        let path = self.path_before(old)?;
        let white_space = if with_layout { " ws=\"before\"" } else { "" };
        Ok(writeln!(self.out, "<remove sel=\"{path}\"{white_space}/>")?)
    }

    fn attributes(&mut self, old: Node<'s>, new: Node<'s>) -> Result<(), FormatError> {
        let path = self.path_before(old)?;
        for change in attribute_changes(old, new) {
            match (change.before, change.after) {
                (Some(gone), None) => {
                    let (name, declaration) = attribute_name(gone, gone.prefix())?;
                    writeln!(self.out, "<remove{declaration} sel=\"{path}/@{name}\"/>")?;
                }
                (Some(was), Some(is)) => {
                    let (name, declaration) = attribute_name(was, was.prefix())?;
                    write!(self.out, "<replace{declaration} sel=\"{path}/@{name}\">")?;
                    write_text(self.out, &is.value())?;
                    self.out.write_str("</replace>\n")?;
                }
                (None, Some(come)) => {
                    let prefix = self.prefixes.for_attribute(old, come);
                    let (name, declaration) = attribute_name(come, &prefix)?;
                    write!(self.out, "<add{declaration} sel=\"{path}\" type=\"@{name}\">")?;
                    write_text(self.out, &come.value())?;
                    self.out.write_str("</add>\n")?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    fn insert(&mut self, first: Node<'s>, last: Node<'s>) -> Result<(), FormatError> {
        let (anchor, position) = Anchor::of(first, last).selector(&self.ordinals[1])?;
        write!(self.out, "<add sel=\"{anchor}\"{position}>")?;
        row(first, last).try_for_each(|node| payload::write(node, self.out))?;
        Ok(self.out.write_str("</add>\n")?)
    }

    fn path_before(&self, node: Node<'_>) -> Result<String, FormatError> {
        path(node, &self.ordinals[0])
    }
}

/// The nodes of a row of siblings.
fn row<'s>(first: Node<'s>, last: Node<'s>) -> impl Iterator<Item = Node<'s>> {
    std::iter::successors(Some(first), |node| node.next_sibling()).take_while(move |node| node.id() <= last.id())
}

/// Next to what a row comes: never to a text, since another selector could not tell where that begins.
enum Anchor<'s> {
    Behind(Node<'s>),
    /// Before the first child of a node.
    AtBeginning(Node<'s>),
    AtEnd(Node<'s>),
    /// Before a node that comes so many places earlier: the row is not there yet, and so counts nothing of it.
    Before(Node<'s>, u32),
}

impl<'s> Anchor<'s> {
    fn of(first: Node<'s>, last: Node<'s>) -> Self {
        let parent = first.parent().unwrap_or(first);
        match (first.previous_sibling(), last.next_sibling()) {
            (Some(previous), _) if previous.kind() != Kind::Text => Anchor::Behind(previous),
            (None, Some(_)) if parent.kind() != Kind::Document => Anchor::AtBeginning(parent),
            (_, Some(next)) => {
                Anchor::Before(next, row(first, last).filter(|node| node.kind() == next.kind()).count() as u32)
            }
            (_, None) => Anchor::AtEnd(parent),
        }
    }

    fn node(&self) -> Node<'s> {
        match self {
            Anchor::Behind(node) | Anchor::AtBeginning(node) | Anchor::AtEnd(node) | Anchor::Before(node, _) => *node,
        }
    }

    /// The selector, and on which side of what it selects.
    fn selector(&self, ordinals: &[u32]) -> Result<(String, &'static str), FormatError> {
        match *self {
            Anchor::Behind(node) => Ok((path(node, ordinals)?, " pos=\"after\"")),
            Anchor::AtBeginning(node) => Ok((path(node, ordinals)?, " pos=\"prepend\"")),
            Anchor::AtEnd(node) => Ok((path(node, ordinals)?, "")),
            Anchor::Before(node, counted) => {
                let mut path = node.parent().map_or(Ok(String::new()), |parent| path(parent, ordinals))?;
                step(node.kind(), ordinals[node.id().index()].saturating_sub(counted), &mut path)?;
                Ok((path, " pos=\"before\""))
            }
        }
    }
}

/// Refuses a node that no selector can tell.
fn refuse_selector(node: Node<'_>) -> Result<(), FormatError> {
    match node.kind() {
        Kind::Reference => Err(FormatError::Unspeakable("a reference to an entity is another one")),
        _ => Ok(()),
    }
}

/// The selector of a node, the root element without an ordinal.
fn path(node: Node<'_>, ordinals: &[u32]) -> Result<String, FormatError> {
    let mut steps: Vec<Node<'_>> = vec![node];
    steps.extend(node.ancestors());
    steps.pop();
    let mut path = String::new();
    for node in steps.iter().rev() {
        let is_root = node.is_element() && node.parent().is_some_and(|parent| parent.kind() == Kind::Document);
        if is_root {
            path.push_str("/*");
        } else {
            step(node.kind(), ordinals[node.id().index()], &mut path)?;
        }
    }
    Ok(path)
}

fn step(kind: Kind, ordinal: u32, path: &mut String) -> Result<(), FormatError> {
    let test = match kind {
        Kind::Element => "*",
        Kind::Text => "text()",
        Kind::Comment => "comment()",
        Kind::ProcessingInstruction => "processing-instruction()",
        _ => return Err(FormatError::Unspeakable("a reference to an entity is another one")),
    };
    Ok(write!(path, "/{test}[{ordinal}]")?)
}

fn ordinals(document: &Document) -> Vec<u32> {
    let mut ordinals = vec![0; document.len()];
    for parent in document.nodes().filter(|node| node.kind().is_container()) {
        let mut counts = [0; 4];
        for child in parent.children() {
            let class = match child.kind() {
                Kind::Element => 0,
                Kind::Text => 1,
                Kind::Comment => 2,
                _ => 3,
            };
            counts[class] += u32::from(child.kind() != Kind::Reference);
            ordinals[child.id().index()] = counts[class];
        }
    }
    ordinals
}

/// The name of an attribute in a selector, and the declaration that it needs.
fn attribute_name(attribute: Attribute<'_>, prefix: &str) -> Result<(String, String), fmt::Error> {
    let name = attribute.name();
    if prefix.is_empty() {
        return Ok((name.local.to_owned(), String::new()));
    }
    let mut declaration = String::new();
    if name.namespace != XML_NAMESPACE {
        payload::declaration(prefix, name.namespace, &mut declaration)?;
    }
    Ok((format!("{prefix}:{}", name.local), declaration))
}
