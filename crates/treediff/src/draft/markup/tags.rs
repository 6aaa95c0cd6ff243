//! How are the tags of a draft's elements written? As they were, but for what is other now.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::scope::own_uses;
use super::super::tag::TagChange;
use super::{Frame, Opened, Writer, is_in};
use crate::delta::AttributeName;
use crate::draft::DraftNode;
use crate::parse::html::names::class;
use crate::tree::{Format, HTML_NAMESPACE, Name, Node, Tag, XML_NAMESPACE, html_prefix};
use crate::write::{Place, escape_html, write_attribute};

impl<'a, 'd> Writer<'a, 'd> {
    /// Writes the start tag of an element and goes on with its content.
    pub(super) fn open_element(&mut self, child: DraftNode, node: Node<'d>, is_same_scope: bool) {
        let scope_depth = self.scope.depth();
        let tag = self.extent(node).and_then(|extent| {
            let tag = Tag::read(node.document().source(), extent.clone(), self.draft.format())?;
            Some((tag, extent.end))
        });
        let mut opened = match tag {
            Some((tag, end)) => self.edited_tag(child, node, tag, end, is_same_scope),
            None if self.is_implied(child, node) => Opened { content: None, end_tag: "".into() },
            None => self.new_tag(child, node),
        };
        if opened.content.is_some() && opened.end_tag.is_empty() && self.needs_end_tag(child, node) {
            opened.end_tag = format!("</{}>", node.name().local).into();
        }
        let can_copy = |(_, content): &(_, _)| is_same_scope && self.can_copy_content(child, content);
        let is_copied = opened.content.as_ref().is_some_and(can_copy) && self.draft.children(child).next().is_some();
        let preserves = self.preserves(child, node);
        self.push(Frame { is_copied, scope_depth, is_same_scope, preserves, ..Frame::new(self.draft, child, opened) });
    }

    /// Whether an element of a page has no tags in the source and needs none. A stray end tag of `p` or `br` makes such
    /// an element too, and would be missed.
    fn is_implied(&self, child: DraftNode, node: Node<'d>) -> bool {
        !self.style.is_anew
            && self.draft.format() == Format::Html
            && self.draft.is_base(child)
            && node.source_range().is_none()
            && !matches!(node.name().local, "p" | "br")
            && self.draft.attribute_edits(child).is_empty()
    }

    /// Writes the start tag that an element has in the source, with what is other than it was.
    fn edited_tag(
        &mut self,
        child: DraftNode,
        node: Node<'d>,
        tag: Tag,
        end: usize,
        is_same_scope: bool,
    ) -> Opened<'d> {
        let source = node.document().source();
        let uses = if is_same_scope || self.draft.format() != Format::Xml { Vec::new() } else { own_uses(node) };
        let mut change = self.rescoped(child, node, &tag, uses);
        let mut edits = self.draft.attribute_edits(child);
        if !edits.is_empty() {
            let places = tag.places(source);
            for attribute in node.attributes() {
                let Some((at, value)) = edits.remove(&attribute.name()) else { continue };
                match (places.find(attribute), value) {
                    (Some(place), value) => drop(change.attributes.insert(place, value.map(|it| self.escaped(it)))),
                    // A default that is to have another value has to be written from now on.
                    (None, Some(_)) => drop(edits.insert(attribute.name(), (at, value))),
                    (None, None) => {}
                }
            }
            self.add_attributes(child, edits, &mut change);
        }
        change.is_opened = self.draft.children(child).next().is_some();
        tag.write(source, &change, &mut self.out);
        self.opened(node, &tag, end, change.is_opened)
    }

    /// The attributes that an element has not had, in the order in which they were given.
    fn add_attributes(
        &mut self,
        child: DraftNode,
        edits: HashMap<Name<'a>, (usize, Option<&'a str>)>,
        change: &mut TagChange,
    ) {
        let mut added: Vec<(usize, &str)> = edits.into_values().filter_map(|(at, value)| Some((at, value?))).collect();
        added.sort_unstable();
        let names = self.draft.edits.get(&child).map_or(&[][..], |edit| &edit.attributes);
        for (at, value) in added {
            let name = &names[at].0;
            let prefix = self.attribute_prefix(name, &mut change.added);
            let qualified = if prefix.is_empty() { name.local.clone() } else { format!("{prefix}:{}", name.local) };
            change.added.push((qualified, self.escaped(value)));
        }
    }

    /// The prefix for a new attribute, whose declaration is added where it is needed.
    fn attribute_prefix(&mut self, name: &AttributeName, added: &mut Vec<(String, String)>) -> String {
        let AttributeName { namespace, prefix: wanted, local } = name;
        // In a delta of pages some are written without the one that they have in a page.
        if self.draft.format() == Format::Html {
            return html_prefix(Name { namespace, local }).to_owned();
        }
        if namespace.is_empty() {
            return wanted.to_owned();
        }
        let (prefix, is_new) = self.scope.prefix_for(namespace, wanted);
        if is_new {
            added.extend(self.declare(&prefix, namespace));
        }
        prefix
    }

    /// What follows a start tag: where the content stands, and the end tag.
    pub(super) fn opened(&self, node: Node<'d>, tag: &Tag, end: usize, has_content: bool) -> Opened<'d> {
        let source = node.document().source();
        let name = &source[tag.name.clone()];
        let is_page = self.draft.format() == Format::Html;
        if tag.is_empty && !(is_page && node.name().namespace == HTML_NAMESPACE) {
            let end_tag = if has_content { Cow::Owned(format!("</{name}>")) } else { Cow::Borrowed("") };
            return Opened { content: None, end_tag };
        }
        // The end tag of a page may be missing; then what the element ends with is the end tag of another.
        let last = is_page
            .then(|| node.children().last().and_then(Node::outer_range))
            .flatten()
            .map_or(0, |extent| extent.end);
        let tail = &source[tag.range.end..end];
        let place = tail.rfind('<').map(|at| tag.range.end + at).filter(|&at| {
            let found = source[at..end].strip_prefix("</").and_then(|rest| rest.get(..name.len()));
            at >= last && found.is_some_and(|found| found.eq_ignore_ascii_case(name))
        });
        let content_end = place.unwrap_or(end);
        let end_tag = Cow::Borrowed(&source[content_end..end]);
        Opened { content: Some((source, tag.range.end..content_end)), end_tag }
    }

    /// Writes the start tag of an element that is not to be copied from anywhere.
    fn new_tag(&mut self, child: DraftNode, node: Node<'d>) -> Opened<'d> {
        let name = node.qualified_name();
        let mut added = Vec::new();
        if self.draft.format() == Format::Xml {
            for (prefix, namespace) in node.declarations() {
                added.extend(self.declare(&prefix, &namespace));
            }
            for (prefix, namespace) in own_uses(node) {
                added.extend(self.declare(prefix, namespace));
            }
        }
        let own = node.document().format() == self.draft.format();
        for (attribute, value) in self.draft.attributes(child) {
            let is_written = own && node.attribute(&attribute.namespace, &attribute.local).is_some();
            let prefix = match is_written {
                true => attribute.prefix.clone(),
                false => self.attribute_prefix(&attribute, &mut added),
            };
            let local = attribute.local;
            let qualified = if prefix.is_empty() { local } else { format!("{prefix}:{local}") };
            added.push((qualified, self.escaped(&value)));
        }
        self.out.extend(["<", &name]);
        for (name, value) in &added {
            self.out.extend([" ", name, "=\"", value, "\""]);
        }
        let is_page = self.draft.format() == Format::Html;
        let is_empty = self.draft.children(child).next().is_none();
        let end_tag = match is_page {
            true if is_in(node, class::VOID) => String::new(),
            false if is_empty => String::new(),
            _ => format!("</{name}>"),
        };
        self.out.push_str(if !is_page && is_empty { "/>" } else { ">" });
        if is_page {
            self.keep_newline(child, node);
        }
        Opened { content: None, end_tag: end_tag.into() }
    }

    /// A line end right behind some tags is not read, so one that counts needs another before it.
    fn keep_newline(&mut self, child: DraftNode, node: Node<'d>) {
        let skips_newline = matches!(node.name().local, "pre" | "textarea" | "listing");
        let first = self.draft.children(child).next();
        if skips_newline && first.is_some_and(|first| self.draft.value(first).starts_with('\n')) {
            self.out.push('\n');
        }
    }

    /// Whether white space is content in an element.
    fn preserves(&self, child: DraftNode, node: Node<'d>) -> bool {
        let inherited = self.open.last().is_some_and(|frame| frame.preserves);
        if self.draft.format() == Format::Html {
            return inherited || is_in(node, class::PRESERVES);
        }
        let space = Name { namespace: XML_NAMESPACE, local: "space" };
        let written = || node.attribute(space.namespace, space.local);
        let value = match self.draft.attribute_edits(child).get(&space) {
            Some((_, value)) => value.map(Cow::Borrowed),
            None => written(),
        };
        match value.as_deref() {
            Some("preserve") => true,
            Some("default") => false,
            _ => inherited,
        }
    }

    /// Binds what an element declares, and adds the declarations that `uses` need and the place does not have.
    /// What a graft declares that is so here anyway is left out.
    pub(super) fn rescoped(
        &mut self,
        child: DraftNode,
        node: Node<'d>,
        tag: &Tag,
        mut uses: Vec<(&str, &str)>,
    ) -> TagChange {
        let mut change = TagChange::default();
        let is_graft_root = !self.draft.is_base(child) && self.draft.first_parent(child).is_none();
        let places = tag.places(node.document().source());
        for (prefix, namespace) in node.declarations() {
            match places.find_declaration(&prefix) {
                Some(place) if is_graft_root && self.scope.namespace(&prefix) == namespace => {
                    change.attributes.insert(place, None);
                }
                _ => self.scope.bind(&prefix, &namespace),
            }
        }
        uses.sort_unstable();
        for (prefix, namespace) in uses {
            change.added.extend(self.declare(prefix, namespace));
        }
        change
    }

    /// The declaration of a prefix, as an attribute, where it does not stand for the namespace yet.
    fn declare(&mut self, prefix: &str, namespace: &str) -> Option<(String, String)> {
        if self.scope.namespace(prefix) == namespace {
            return None;
        }
        self.scope.bind(prefix, namespace);
        let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        Some((name, self.escaped(namespace)))
    }

    /// The value of an attribute as it is written between double quotes.
    fn escaped(&self, value: &str) -> String {
        let mut out = String::with_capacity(value.len());
        // Writing to a string cannot fail.
        let _ = match self.draft.format() {
            Format::Html => escape_html(value, Place::Attribute, &mut out),
            _ if self.style.keeps_references => write_referring(&mut out, value),
            _ => write_attribute(&mut out, value),
        };
        out
    }
}

/// Writes the value of an attribute with its references as they are.
fn write_referring(out: &mut String, value: &str) -> std::fmt::Result {
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        write_attribute(out, &rest[..at])?;
        let name = rest[at + 1..].split_once(';').map(|(name, _)| name);
        let is_reference = name.is_some_and(|name| !name.is_empty() && name.chars().all(is_name_char));
        out.push_str(if is_reference { "&" } else { "&amp;" });
        rest = &rest[at + 1..];
    }
    write_attribute(out, rest)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | ':')
}
