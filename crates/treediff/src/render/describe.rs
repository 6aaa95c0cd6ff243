//! What does a node look like on a line? XML and HTML as markup, JSON as JSON, changes of values inside.

use std::collections::HashMap;

use super::changes::{Changes, Move};
use super::visible::{End, Form, printable, shortened, written, written_change};
use super::{Line, Options, Role};
use crate::delta::{AttributeChange, AttributeName};
use crate::text::{self, Piece};
use crate::tree::{Kind, Node, NodeId};
use crate::write::attributes_as_written;

/// How much of a node a line has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape<'d> {
    /// All of it: a value, or a container without children.
    Whole,
    /// An element around a text, which is given.
    Around(Node<'d>),
    /// A container, and that it has children.
    Folded,
    /// The beginning of a container.
    Opening,
    /// The end of a container.
    Closing,
}

/// What is known of the nodes to describe.
#[derive(Debug, Clone, Copy)]
pub struct Describer<'c, 'd> {
    /// What changed in them; `None` where they are new or gone as a whole.
    pub changes: Option<&'c Changes<'d>>,
    /// Whether they are shown in full.
    pub is_full: bool,
    pub options: Options,
}

/// Attributes of an element that is there for orientation.
const FEW_ATTRIBUTES: usize = 4;

impl<'d> Describer<'_, 'd> {
    pub fn describe(&self, node: Node<'d>, shape: Shape<'d>, line: &mut Line) {
        match node.kind() {
            Kind::Document => {}
            Kind::Element => self.element(node, shape, line),
            Kind::Text => self.value(node, Form::Text, line),
            Kind::Comment => self.bracketed(["<!--", "-->"], node, line),
            Kind::ProcessingInstruction => {
                let target = printable(node.name().local);
                self.bracketed([&format!("<?{target} "), "?>"], node, line);
            }
            Kind::Reference => line.push(Role::Value, &printable(&format!("&{};", node.name().local))),
            _ => self.json(node, shape, line),
        }
    }

    fn bracketed(&self, [open, close]: [&str; 2], node: Node<'d>, line: &mut Line) {
        line.push(Role::Markup, open);
        self.value(node, Form::Verbatim, line);
        line.push(Role::Markup, close);
    }

    fn element(&self, node: Node<'d>, shape: Shape<'d>, line: &mut Line) {
        let name = printable(&node.qualified_name());
        if shape != Shape::Closing {
            line.push(Role::Markup, "<");
            line.push(Role::Name, &name);
            self.attributes(node, line);
            line.push(Role::Markup, if shape == Shape::Whole { "/>" } else { ">" });
        }
        match shape {
            Shape::Whole | Shape::Opening => return,
            Shape::Around(text) => self.value(text, Form::Text, line),
            Shape::Folded => line.push(Role::Markup, "…"),
            Shape::Closing => {}
        }
        line.push(Role::Markup, "</");
        line.push(Role::Name, &name);
        line.push(Role::Markup, ">");
    }

    fn attributes(&self, node: Node<'d>, line: &mut Line) {
        let edits = self.changes.map_or(&[][..], |changes| changes.attributes(node));
        let by_name: HashMap<(&str, &str), &AttributeChange> =
            edits.iter().map(|&(name, change)| (key(name), change)).collect();
        let most = if self.is_full { usize::MAX } else { FEW_ATTRIBUTES };
        let mut shown = 0;
        let mut is_cut = false;
        for attribute in attributes_as_written(node) {
            let name = attribute.name();
            match by_name.get(&(name.namespace, name.local)) {
                Some(change) => self.changed_attribute(&attribute.qualified_name(), change, line),
                None if shown < most => {
                    shown += 1;
                    line.push(Role::Name, &format!(" {}", printable(&attribute.qualified_name())));
                    line.push(Role::Markup, "=\"");
                    line.push(Role::Value, &self.unchanged(&attribute.value(), Form::Attribute));
                    line.push(Role::Markup, "\"");
                }
                None => is_cut = true,
            }
        }
        if is_cut {
            line.push(Role::Markup, " …");
        }
        for (name, change) in edits.iter().filter(|(_, change)| matches!(change, AttributeChange::Delete(_))) {
            self.changed_attribute(&qualified(name), change, line);
        }
    }

    fn changed_attribute(&self, name: &str, change: &AttributeChange, line: &mut Line) {
        let name = printable(name);
        let (role, value) = match change {
            AttributeChange::Insert(value) => (Role::Inserted, value),
            AttributeChange::Delete(value) => (Role::Deleted, value),
            AttributeChange::Modify { before, after } => {
                line.push(Role::Name, &format!(" {name}"));
                line.push(Role::Markup, "=\"");
                self.words(before, after, Form::Attribute, line);
                return line.push(Role::Markup, "\"");
            }
        };
        line.push(Role::Markup, " ");
        line.push(role, &format!("{name}=\"{}\"", self.piece(value, Form::Attribute)));
    }

    fn json(&self, node: Node<'d>, shape: Shape<'d>, line: &mut Line) {
        let is_member = node.parent().is_some_and(|parent| parent.kind() == Kind::Object);
        if is_member && shape != Shape::Closing {
            line.push(Role::Name, &format!("\"{}\"", written(node.name().local, Form::Json)));
            line.push(Role::Markup, ": ");
        }
        let [open, close] = if node.kind() == Kind::Object { ["{", "}"] } else { ["[", "]"] };
        match (node.kind(), shape) {
            (Kind::Object | Kind::Array, Shape::Opening) => line.push(Role::Markup, open),
            (Kind::Object | Kind::Array, Shape::Closing) => line.push(Role::Markup, close),
            (Kind::Object | Kind::Array, Shape::Folded) => line.push(Role::Markup, &format!("{open}…{close}")),
            (Kind::Object | Kind::Array, _) => line.push(Role::Markup, &format!("{open}{close}")),
            // Updates have strings as JSON writes them.
            (Kind::String, _) if self.update(node).is_none() => {
                line.push(Role::Markup, "\"");
                self.value(node, Form::Json, line);
                line.push(Role::Markup, "\"");
            }
            _ => self.value(node, Form::Verbatim, line),
        }
    }

    fn update(&self, node: Node<'d>) -> Option<[&'d str; 2]> {
        self.changes.and_then(|changes| changes.update(node))
    }

    /// The value of a node, or what changed in it.
    fn value(&self, node: Node<'d>, form: Form, line: &mut Line) {
        match self.update(node) {
            Some([before, after]) => self.words(before, after, form, line),
            None => line.push(Role::Value, &self.unchanged(&node.value(), form)),
        }
    }

    /// A value that is as it was, or is new or gone as a whole.
    fn unchanged(&self, value: &str, form: Form) -> String {
        let most = if self.is_full { self.options.changed_text } else { self.options.text };
        let trimmed = if form == Form::Text { value.trim() } else { value };
        let value = if trimmed.is_empty() { value } else { trimmed };
        written(&shortened(value, most, End::First), form)
    }

    /// Two values word by word, shortened where they are equal.
    fn words(&self, before: &str, after: &str, form: Form, line: &mut Line) {
        let delta = text::compare(before, after, text::Budget::default()).joined(after);
        let change = |text| self.piece(text, form);
        for piece in delta.pieces() {
            match piece {
                Piece::Kept { after: range, .. } => {
                    let end = match (range.start == 0, range.end == after.len()) {
                        (true, false) => End::Last,
                        (false, true) => End::First,
                        _ => End::Both,
                    };
                    line.push(Role::Value, &written(&shortened(&after[range], self.options.text, end), form));
                }
                Piece::Deleted(range) => line.push(Role::Deleted, &change(&before[range])),
                Piece::Inserted(range) => line.push(Role::Inserted, &change(&after[range])),
            }
        }
    }

    /// A piece of a value that is new or gone.
    fn piece(&self, text: &str, form: Form) -> String {
        written_change(&shortened(text, self.options.changed_text, End::First), form)
    }
}

fn key(name: &AttributeName) -> (&str, &str) {
    (&name.namespace, &name.local)
}

fn qualified(name: &AttributeName) -> String {
    if name.prefix.is_empty() { name.local.clone() } else { format!("{}:{}", name.prefix, name.local) }
}

/// Where a subtree went, in a few words.
pub fn went(number: usize, one: Move, changes: &Changes<'_>) -> String {
    let parent = changes.after.node(one.after).parent();
    format!("  moved ({}) to {}", number + 1, place(parent, one, one.to.position))
}

/// Where a subtree came from, in a few words.
pub fn came(number: usize, one: Move, changes: &Changes<'_>) -> String {
    let parent = changes.before.node(one.before).parent();
    format!("  moved ({}) from {}", number + 1, place(parent, one, one.from.position))
}

/// Positions are those of the format, where they count from 1; the members of an object have none that would matter.
fn place(parent: Option<Node<'_>>, one: Move, position: u32) -> String {
    let path = parent.map_or_else(String::new, path);
    let is_object = parent.is_some_and(|parent| parent.kind() == Kind::Object);
    match (is_object, one.from.parent == one.to.parent) {
        (true, _) => path,
        (false, true) => format!("position {}", u64::from(position) + 1),
        (false, false) => format!("position {} of {path}", u64::from(position) + 1),
    }
}

/// The names on the way to a node, the last few of them.
fn path(node: Node<'_>) -> String {
    const LEVELS: usize = 4;
    let mut way: Vec<Node<'_>> = std::iter::once(node).chain(node.ancestors()).take(LEVELS + 1).collect();
    let is_cut = way.len() > LEVELS && way.last().is_some_and(|top| top.id() != NodeId::DOCUMENT);
    if way.len() > LEVELS || way.last().is_some_and(|top| top.id() == NodeId::DOCUMENT) {
        way.pop();
    }
    let steps = way.iter().rev().map(|&step| format!("/{}", path_step(step)));
    let path = steps.collect::<String>();
    match (is_cut, path.is_empty()) {
        (true, _) => format!("/…{path}"),
        (false, true) => "/".to_owned(),
        (false, false) => path,
    }
}

fn path_step(node: Node<'_>) -> String {
    const ID_LENGTH: usize = 20;
    let name = match node.kind() {
        Kind::Element => node.qualified_name(),
        _ if node.parent().is_some_and(|parent| parent.kind() == Kind::Object) => node.name().local.into(),
        Kind::Object => "{}".into(),
        _ => "[]".into(),
    };
    let name = printable(&shortened(&name, ID_LENGTH * 2, End::First));
    match node.id_value() {
        Some(id) => format!("{name}#{}", printable(&shortened(&id, ID_LENGTH, End::First))),
        None => name,
    }
}
