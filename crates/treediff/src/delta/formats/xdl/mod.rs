//! How does Microsoft's XmlDiff say it? As an XDL diffgram: elements that lead to the nodes of the version before by
//! their positions, and say what happens there.
//!
//! Positions count all children, from 1; at the top the XML declaration and the document type declaration too. They
//! are those of the version before, whatever has been done until then. Under one parent an applier goes from left to
//! right: `xd:node` and `xd:change` set the place, `xd:add` puts something behind it, `xd:remove` leaves it where it is.
//!
//! A subtree that moved and is otherwise the same is added as a copy of what it was; its two halves have one number.
//! What changed on its way is removed and added as new.

mod hash;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Write};
use std::vec;

use super::FormatError;
use super::attributes::AttributePair;
use super::markup::{Markup, Named, plain};
use super::paths::Paths;
use super::versions::{Place, Versions};
use crate::delta::Delta;
use crate::tree::{Document, Format, Kind, Node, NodeId, Step, XMLNS_NAMESPACE};

const XDL: &str = "http://schemas.microsoft.com/xmltools/2002/xmldiff";

/// Writes a delta as an XDL diffgram, as XmlPatch applies it.
///
/// White space that is layout is not counted: XmlPatch must not load it either. The change of a document type
/// declaration cannot be said, and a delta that has one is refused.
pub fn xdl(delta: &Delta, before: &Document, after: &Document, out: &mut impl Write) -> Result<(), FormatError> {
    if delta.format() == Format::Json {
        return Err(FormatError::NotForFormat { name: "XDL", format: delta.format() });
    }
    FormatError::refuse_doctype(delta, "XDL")?;
    let versions = Versions::new(delta, before, after)?;
    let mut writer = Writer {
        copies: Copies::new(&versions),
        versions: &versions,
        markup: Markup::of_format(out, delta.format(), XDL),
        told: BTreeSet::new(),
        additions: 0,
    };
    writer.markup.doctype("xd:xmldiff", &versions.after.coming_references())?;
    writer.markup.fallbacks(delta.fallbacks())?;
    writer.diffgram()?;
    Ok(writer.markup.raw("\n")?)
}

/// Subtrees that moved and are the same, with their numbers.
struct Copies<'d> {
    /// By their places in the version before.
    numbers: HashMap<NodeId, usize>,
    positions: Paths<'d>,
    top: Top,
}

impl<'d> Copies<'d> {
    fn new(versions: &Versions<'d>) -> Self {
        let strangers = versions.before.strangers().iter().map(|&id| versions.before.document.node(id));
        let is_copy = |node: &Node<'d>| versions.after_of(*node).is_some_and(|after| after.same_content(*node));
        let copies: Vec<Node<'d>> = strangers.filter(is_copy).collect();
        let positions = Paths::by_position(copies.iter().copied(), versions.before.document);
        let numbers = copies.into_iter().map(|node| node.id()).zip(1..).collect();
        Copies { numbers, positions, top: Top::of(versions.before.document) }
    }

    /// The path of a node by positions from the top on.
    fn path(&self, node: Node<'d>) -> String {
        let mut steps: Vec<Node<'d>> = std::iter::once(node).chain(node.ancestors()).collect();
        steps.pop();
        let mut path = String::new();
        for (depth, step) in steps.into_iter().rev().enumerate() {
            let position = self.positions.ordinal(step);
            let position = if depth == 0 { self.top.position(position) } else { position };
            // Writing to a string cannot fail.
            let _ = write!(path, "/{position}");
        }
        path
    }
}

/// What stands at the top of a document and is no node here.
#[derive(Debug, Clone, Copy)]
struct Top {
    has_declaration: bool,
    /// The number of comments and instructions before the document type declaration, if there is one.
    before_doctype: Option<u32>,
}

impl Top {
    const NONE: Top = Top { has_declaration: false, before_doctype: None };

    fn of(document: &Document) -> Self {
        let source = document.source();
        let declared = source.strip_prefix("<?xml").and_then(|rest| rest.bytes().next());
        let doctype = document.doctype().and_then(|doctype| source.find(doctype));
        let is_before = |node: &Node<'_>, doctype| node.source_range().is_some_and(|range| range.start < doctype);
        let before_doctype = doctype
            .map(|doctype| document.root().children().take_while(|node| is_before(node, doctype)).count() as u32);
        Top { has_declaration: declared.is_some_and(|byte| byte.is_ascii_whitespace()), before_doctype }
    }

    /// The position with all that stands there, of what is at a position among the nodes.
    fn position(self, position: u32) -> u32 {
        let is_behind_doctype = self.before_doctype.is_some_and(|before| position > before);
        position + u32::from(self.has_declaration) + u32::from(is_behind_doctype)
    }
}

/// Where an applier is among the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cursor {
    /// Before all of them.
    Start,
    /// At a child of the version before, by its position.
    At(u32),
    /// At what was added last, by a number.
    Added(u64),
}

/// The children of a pair that are being told.
struct Level<'d> {
    places: vec::IntoIter<Place<'d>>,
    /// Children of the version before that have been passed.
    passed: u32,
    top: Top,
    /// Where the applier is.
    cursor: Cursor,
    /// Where it has to be to add something.
    behind: Cursor,
}

impl<'d> Level<'d> {
    fn new(places: Vec<Place<'d>>, top: Top) -> Self {
        Level { places: places.into_iter(), passed: 0, top, cursor: Cursor::Start, behind: Cursor::Start }
    }

    /// The position of the next child of the version before.
    fn next_position(&mut self) -> u32 {
        self.passed += 1;
        self.top.position(self.passed)
    }
}

struct Writer<'v, 'd, 'o, W> {
    versions: &'v Versions<'d>,
    copies: Copies<'d>,
    markup: Markup<'o, W>,
    /// The numbers of the moves that were told.
    told: BTreeSet<usize>,
    additions: u64,
}

impl<'d, W: Write> Writer<'_, 'd, '_, W> {
    fn diffgram(&mut self) -> fmt::Result {
        let [before, after] = [self.versions.before.document, self.versions.after.document];
        let hash = hash::source_hash(before).to_string();
        let header = [
            (plain("version"), "1.0"),
            (plain("srcDocHash"), hash.as_str()),
            (plain("options"), "IgnorePrefixes IgnoreXmlDecl IgnoreDtd"),
            (plain("fragments"), "no"),
        ];
        self.markup.start(xd("xmldiff"), header)?;
        let mut levels = vec![Level::new(self.versions.children(before.root(), after.root()), self.copies.top)];
        while let Some(level) = levels.last_mut() {
            match level.places.next() {
                Some(place) => {
                    let inner = self.place(place, level)?;
                    levels.extend(inner);
                }
                None => {
                    levels.pop();
                    if !levels.is_empty() {
                        self.markup.end()?;
                    }
                }
            }
        }
        self.descriptors()?;
        self.markup.raw("\n")?;
        self.markup.end()
    }

    /// Tells what happens at one place; where an element changed inside, its children are still to be told.
    fn place(&mut self, place: Place<'d>, level: &mut Level<'d>) -> Result<Option<Level<'d>>, fmt::Error> {
        match place {
            Place::Before(node) => {
                let position = level.next_position();
                self.remove(node, position)?;
                Ok(None)
            }
            Place::After(node) => {
                self.add(node, level)?;
                Ok(None)
            }
            Place::Both(before, after) => {
                let position = level.next_position();
                level.behind = Cursor::At(position);
                if before.same_content(after) {
                    return Ok(None);
                }
                level.cursor = level.behind;
                self.change(before, after, position)
            }
        }
    }

    /// Opens an operation on a line of its own.
    fn start<'n>(&mut self, operation: &'n str, attributes: &[(Named<'n>, &str)]) -> fmt::Result {
        self.markup.raw("\n")?;
        self.markup.start(xd(operation), attributes.iter().copied())
    }

    fn remove(&mut self, node: Node<'d>, position: u32) -> fmt::Result {
        let number = self.copies.numbers.get(&node.id()).copied();
        self.told.extend(number);
        let (position, number) = (position.to_string(), number.map(|number| number.to_string()));
        let mut attributes = vec![(plain("match"), position.as_str())];
        attributes.extend(number.as_deref().map(|number| (plain("opid"), number)));
        self.start("remove", &attributes)?;
        self.markup.end()
    }

    fn add(&mut self, node: Node<'d>, level: &mut Level<'d>) -> fmt::Result {
        if let (true, Cursor::At(position)) = (level.cursor != level.behind, level.behind) {
            self.start("node", &[(plain("match"), &position.to_string())])?;
            self.markup.end()?;
        }
        self.additions += 1;
        level.behind = Cursor::Added(self.additions);
        level.cursor = level.behind;
        let source = self.versions.before_of(node).filter(|source| self.copies.numbers.contains_key(&source.id()));
        match source {
            Some(source) => self.copy(source),
            None => self.new_content(node),
        }
    }

    fn copy(&mut self, source: Node<'d>) -> fmt::Result {
        let number = self.copies.numbers.get(&source.id()).copied().unwrap_or_default();
        self.told.insert(number);
        let (path, number) = (self.copies.path(source), number.to_string());
        self.start("add", &[(plain("match"), &path), (plain("opid"), &number)])?;
        self.markup.end()
    }

    fn new_content(&mut self, node: Node<'d>) -> fmt::Result {
        match node.kind() {
            // In a fragment white space alone would be lost.
            Kind::Text => self.start("add", &[(plain("type"), "3")])?,
            Kind::Reference => {
                self.start("add", &[(plain("type"), "5"), (plain("name"), node.name().local)])?;
                return self.markup.end();
            }
            _ => self.start("add", &[])?,
        }
        for step in node.walk() {
            match step {
                Step::Enter(element) if element.is_element() => self.markup.start_as_written(element)?,
                Step::Enter(leaf) => self.markup.leaf(leaf, &leaf.value())?,
                Step::Leave(_) => self.markup.end()?,
            }
        }
        self.markup.end()
    }

    fn change(&mut self, before: Node<'d>, after: Node<'d>, position: u32) -> Result<Option<Level<'d>>, fmt::Error> {
        let position = position.to_string();
        if !before.is_element() {
            self.start("change", &[(plain("match"), &position)])?;
            self.markup.leaf(after, &after.value())?;
            self.markup.end()?;
            return Ok(None);
        }
        self.start("node", &[(plain("match"), &position)])?;
        for pair in AttributePair::all(before, after) {
            self.attribute(&pair)?;
        }
        Ok(Some(Level::new(self.versions.children(before, after), Top::NONE)))
    }

    fn attribute(&mut self, pair: &AttributePair<'d>) -> fmt::Result {
        let path = |attribute| format!("@{}", self.markup.told(Named::of_attribute(attribute)));
        match (pair.before, pair.after) {
            (Some(before), Some(after)) if before.value() == after.value() => Ok(()),
            (Some(before), Some(after)) => {
                let path = path(before);
                self.start("change", &[(plain("match"), &path)])?;
                self.markup.text(&after.value())?;
                self.markup.end()
            }
            (Some(before), None) => {
                let path = path(before);
                self.start("remove", &[(plain("match"), &path)])?;
                self.markup.end()
            }
            (None, Some(after)) => {
                let name = Named::of_attribute(after);
                let local = self.markup.told(Named { prefix: "", ..name });
                let (namespace, prefix) = match name.namespace {
                    XMLNS_NAMESPACE => ("", ""),
                    namespace => (namespace, name.prefix),
                };
                let all = [
                    (plain("type"), "2"),
                    (plain("name"), local.as_str()),
                    (plain("ns"), namespace),
                    (plain("prefix"), prefix),
                ];
                let attributes: Vec<_> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
                self.start("add", &attributes)?;
                self.markup.text(&after.value())?;
                self.markup.end()
            }
            (None, None) => Ok(()),
        }
    }

    /// Says of every number that it is a move.
    fn descriptors(&mut self) -> fmt::Result {
        for number in std::mem::take(&mut self.told) {
            self.start("descriptor", &[(plain("opid"), &number.to_string()), (plain("type"), "move")])?;
            self.markup.end()?;
        }
        Ok(())
    }
}

fn xd(local: &str) -> Named<'_> {
    Named { prefix: "xd", namespace: XDL, local }
}
