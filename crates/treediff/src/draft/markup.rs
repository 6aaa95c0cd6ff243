//! How is a draft written as XML or HTML? With the source of what was not touched, and new markup where it was.
//!
//! A container whose list of children is the one that it came with is copied but for the children that were touched. One
//! whose list is another is written child by child, each with its layout. With [`Style::is_anew`] nothing is
//! copied; that is for HTML whose source would read differently with the edits in it.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::extent::{blank_end, extent};
use super::layout::Layout;
use super::scope::{Scope, free_uses, own_uses};
use super::tag::{Tag, TagChange};
use super::{Children, Draft, DraftNode};
use crate::parse::html::names::{class, classes_of};
use crate::tree::{Format, HTML_NAMESPACE, Kind, Node, XML_NAMESPACE};
use crate::write::{Place, escape_html, write_attribute, write_text};

/// How a draft is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style {
    /// Without the source of what was not touched.
    pub(super) is_anew: bool,
    /// With `&name;` in new values of attributes as the reference that it may be: an attribute has its references to
    /// entities that are not known in its value, where nothing but the hash tells them from text.
    pub(super) keeps_references: bool,
}

/// The new source of an XML or HTML draft.
pub(super) fn write(draft: &Draft<'_>, style: Style) -> String {
    let out = String::with_capacity(draft.base().source().len());
    let mut writer = Writer { draft, style, out, scope: Scope::default(), open: Vec::new(), doctype: None };
    writer.open_document();
    while writer.step() {}
    writer.out
}

struct Writer<'a, 'd> {
    draft: &'a Draft<'d>,
    style: Style,
    out: String,
    scope: Scope,
    open: Vec<Frame<'a, 'd>>,
    /// The document type declaration that is still to be written, and the white space before it.
    doctype: Option<(&'d str, &'a str)>,
}

/// A container that is being written.
struct Frame<'a, 'd> {
    node: DraftNode,
    children: Children<'a, 'd>,
    /// Where the content stands in the source of the node's document.
    content: Option<(&'d str, Range<usize>)>,
    /// Whether the content is copied but for the children that were touched; then what is left of it to copy is
    /// [`Frame::content`].
    is_copied: bool,
    layout: Option<Layout<'d>>,
    end_tag: Cow<'d, str>,
    /// How many namespace declarations there were outside.
    scope_depth: usize,
    /// Whether prefixes mean what they meant where the node came from.
    is_same_scope: bool,
    /// Whether white space is content here.
    preserves: bool,
}

/// A start tag that has been written, and what there is of the element in the source.
struct Opened<'d> {
    content: Option<(&'d str, Range<usize>)>,
    end_tag: Cow<'d, str>,
}

impl<'a, 'd> Writer<'a, 'd> {
    fn open_document(&mut self) {
        let base = self.draft.base();
        let source = base.source();
        let node = DraftNode::DOCUMENT;
        let whole = Some((source, 0..source.len()));
        let copied = whole.clone().filter(|(_, content)| self.draft.doctype.is_none() && self.is_copied(node, content));
        if copied.is_none() {
            self.out.push_str(declaration(source, base.format()));
            let lead = base.doctype_range().map(|range| blank_end(&source[..range.start]));
            let new_lead = if self.out.is_empty() { "" } else { "\n" };
            self.doctype = self.draft.doctype().map(|doctype| (lead.unwrap_or(new_lead), doctype));
        }
        self.push(node, 0, true, false, Opened { content: whole, end_tag: "".into() }, copied.is_some());
    }

    /// Whether a container's content can be copied but for the children that were touched.
    fn is_copied(&self, node: DraftNode, content: &Range<usize>) -> bool {
        if self.style.is_anew || self.draft.list(node).is_some() || self.draft.has_holes(node) {
            return false;
        }
        let mut done = content.start;
        self.draft.children(node).filter(|&child| self.draft.is_touched(child)).all(|child| {
            let Some(extent) = self.draft.written(child).and_then(extent) else { return false };
            let is_behind = extent.start >= done && extent.end <= content.end;
            done = extent.end;
            is_behind
        })
    }

    fn push(
        &mut self,
        node: DraftNode,
        scope_depth: usize,
        same: bool,
        preserves: bool,
        opened: Opened<'d>,
        copy: bool,
    ) {
        let Opened { content, end_tag } = opened;
        let range = content.as_ref().map(|(_, range)| range.clone());
        let has_layout = !copy && !preserves && !self.style.is_anew;
        self.open.push(Frame {
            node,
            children: self.draft.children(node),
            layout: has_layout.then(|| Layout::new(self.draft, node, range)).flatten(),
            content,
            is_copied: copy,
            end_tag,
            scope_depth,
            is_same_scope: same,
            preserves,
        });
    }

    /// Writes the next thing; whether there was one.
    fn step(&mut self) -> bool {
        let Some(frame) = self.open.last_mut() else { return false };
        let (draft, is_copied) = (self.draft, frame.is_copied);
        match frame.children.find(|&child| !is_copied || draft.is_touched(child)) {
            Some(child) => self.child(child),
            None => self.close(),
        }
        true
    }

    fn child(&mut self, child: DraftNode) {
        self.doctype_before(child);
        let Some(frame) = self.open.last_mut() else { return };
        let is_at_home = self.draft.first_parent(child) == Some(frame.node);
        let is_same_scope = frame.is_same_scope && is_at_home;
        if let Some((source, left)) = frame.content.as_mut().filter(|_| frame.is_copied) {
            let extent = self.draft.written(child).and_then(extent).unwrap_or(left.start..left.start);
            self.out.push_str(&source[left.start..extent.start]);
            left.start = extent.end;
        } else if let Some(layout) = &mut frame.layout {
            let before = layout.before(self.draft, child);
            self.out.push_str(before);
        }
        if self.copy(child, is_same_scope) {
            return;
        }
        match self.draft.written(child) {
            Some(node) if node.is_element() => self.open_element(child, node, is_same_scope),
            Some(node) if is_at_home && self.copy_joined(child, node) => {}
            _ => self.leaf(child),
        }
    }

    /// Copies the text that a page ends with: pieces of it stand before and behind the end tags of `body` and `html`.
    /// Those before are copied here, the others come along with the end tags.
    fn copy_joined(&mut self, child: DraftNode, text: Node<'d>) -> bool {
        let content = self.open.last().and_then(|frame| frame.content.clone());
        let Some(((source, content), range)) = content.zip(text.source_range()) else { return false };
        let is_last = content.contains(&range.start) && content.end < range.end;
        let is_copied = is_last && !self.style.is_anew && self.draft.is_whole(child);
        if is_copied {
            self.out.push_str(&source[range.start..content.end]);
        }
        is_copied
    }

    /// Whether a child of a page needs the end tag that it has not: what follows is no longer what closed it.
    fn needs_end_tag(&self, child: DraftNode, node: Node<'d>) -> bool {
        let Some(frame) = self.open.last().filter(|_| self.draft.format() == Format::Html) else { return false };
        if frame.is_copied || is_in(node, class::VOID) {
            return false;
        }
        let following = frame.children.clone().next();
        let is_same = self.draft.first_parent(child) == Some(frame.node)
            && following.map(|next| self.draft.written(next).filter(|_| self.draft.is_base(next)))
                == node.next_sibling().map(Some);
        !is_same
    }

    /// The declaration stands before what it stood before, and never behind the root element.
    fn doctype_before(&mut self, child: DraftNode) {
        if self.doctype.is_none() {
            return;
        }
        let place = self.draft.base().doctype_range();
        let was_behind = || {
            let extent = self.draft.written(child).filter(|_| self.draft.is_base(child)).and_then(extent);
            place.zip(extent).is_some_and(|(doctype, extent)| doctype.end <= extent.start)
        };
        if self.draft.kind(child) == Kind::Element || was_behind() {
            self.write_doctype();
        }
    }

    fn write_doctype(&mut self) {
        if let Some((lead, doctype)) = self.doctype.take() {
            self.out.push_str(lead);
            self.out.push_str(doctype);
        }
    }

    fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        if frame.node == DraftNode::DOCUMENT {
            self.write_doctype();
        }
        if let Some((source, left)) = frame.content.filter(|_| frame.is_copied) {
            self.out.push_str(&source[left]);
        }
        self.out.push_str(frame.layout.as_ref().map_or("", Layout::trail));
        self.out.push_str(&frame.end_tag);
        self.scope.leave(frame.scope_depth);
    }

    /// Copies a subtree that is whole, if its source is one that can be copied.
    fn copy(&mut self, child: DraftNode, is_same_scope: bool) -> bool {
        let Some(node) = self.draft.written(child).filter(|_| self.draft.is_whole(child)) else { return false };
        let Some(extent) = self.extent(node) else { return false };
        let source = node.document().source();
        if node.is_element() && self.needs_end_tag(child, node) {
            return self.copy_closed(node, extent);
        }
        if is_same_scope || !node.is_element() || node.document().format() == Format::Html {
            self.out.push_str(&source[extent]);
            return true;
        }
        let Some(tag) = Tag::read(source, extent.start, Format::Xml) else { return false };
        let depth = self.scope.depth();
        let uses: Vec<(&str, &str)> = free_uses(node).into_iter().collect();
        let change = self.rescoped(child, node, &tag, uses);
        self.scope.leave(depth);
        tag.write(source, &change, &mut self.out);
        self.out.push_str(&source[tag.range.end..extent.end]);
        true
    }

    /// Copies an element of a page with an end tag, whether or not it has one.
    fn copy_closed(&mut self, node: Node<'d>, extent: Range<usize>) -> bool {
        let source = node.document().source();
        let Some(tag) = Tag::read(source, extent.start, Format::Html) else { return false };
        let Opened { content, end_tag } = self.opened(node, &tag, extent.end, false);
        let is_open = content.is_some() && end_tag.is_empty();
        self.out.push_str(&source[extent]);
        if is_open {
            self.out.extend(["</", &source[tag.name], ">"]);
        }
        true
    }

    /// Where a node stands in a source that may be copied from. Entities mean something in their own document alone,
    /// and pages are too forgiving for what was written for another place.
    fn extent(&self, node: Node<'d>) -> Option<Range<usize>> {
        let (base, document) = (self.draft.base(), node.document());
        let is_plain = document.doctype().is_none() && !self.style.keeps_references;
        let is_alike = document.format() == Format::Xml && base.format() == Format::Xml && is_plain;
        let is_copied = !self.style.is_anew && (std::ptr::eq(base, document) || is_alike);
        is_copied.then(|| extent(node)).flatten()
    }

    /// Binds what an element declares, and adds the declarations that `uses` need and the place does not have.
    /// What a graft declares that is so here anyway is left out.
    fn rescoped(&mut self, child: DraftNode, node: Node<'d>, tag: &Tag, mut uses: Vec<(&str, &str)>) -> TagChange {
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

    fn open_element(&mut self, child: DraftNode, node: Node<'d>, is_same_scope: bool) {
        let scope_depth = self.scope.depth();
        let tag = self.extent(node).and_then(|extent| {
            let tag = Tag::read(node.document().source(), extent.start, self.draft.format())?;
            Some((tag, extent.end))
        });
        let opened = match tag {
            Some((tag, end)) => self.edited_tag(child, node, tag, end, is_same_scope),
            None if self.is_implied(child, node) => Opened { content: None, end_tag: "".into() },
            None => self.new_tag(child, node),
        };
        let mut opened = opened;
        if opened.content.is_some() && opened.end_tag.is_empty() && self.needs_end_tag(child, node) {
            opened.end_tag = format!("</{}>", node.name().local).into();
        }
        let preserves = self.preserves(child, node);
        let is_copied = is_same_scope
            && opened.content.as_ref().is_some_and(|(_, content)| self.is_copied(child, content))
            && self.draft.children(child).next().is_some();
        self.push(child, scope_depth, is_same_scope, preserves, opened, is_copied);
    }

    /// Whether an element of a page has no tags in the source and needs none.
    fn is_implied(&self, child: DraftNode, node: Node<'d>) -> bool {
        !self.style.is_anew
            && self.draft.format() == Format::Html
            && self.draft.is_base(child)
            && node.source_range().is_none()
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
        edits: std::collections::HashMap<crate::tree::Name<'a>, (usize, Option<&'a str>)>,
        change: &mut TagChange,
    ) {
        let mut added: Vec<(usize, &str)> = edits.into_values().filter_map(|(at, value)| Some((at, value?))).collect();
        added.sort_unstable();
        let names = self.draft.edits.get(&child).map_or(&[][..], |edit| &edit.attributes);
        for (at, value) in added {
            let name = &names[at].0;
            let prefix = self.attribute_prefix(&name.namespace, &name.prefix, &mut change.added);
            let qualified = if prefix.is_empty() { name.local.clone() } else { format!("{prefix}:{}", name.local) };
            change.added.push((qualified, self.escaped(value)));
        }
    }

    /// The prefix for a new attribute, whose declaration is added where it is needed.
    fn attribute_prefix(&mut self, namespace: &str, wanted: &str, added: &mut Vec<(String, String)>) -> String {
        if namespace.is_empty() || self.draft.format() == Format::Html {
            return wanted.to_owned();
        }
        let (prefix, is_new) = self.scope.prefix_for(namespace, wanted);
        if is_new {
            added.extend(self.declare(&prefix, namespace));
        }
        prefix
    }

    /// What follows a start tag: where the content stands, and the end tag.
    fn opened(&self, node: Node<'d>, tag: &Tag, end: usize, has_content: bool) -> Opened<'d> {
        let source = node.document().source();
        let name = &source[tag.name.clone()];
        let is_page = self.draft.format() == Format::Html;
        if tag.is_empty && !(is_page && node.name().namespace == HTML_NAMESPACE) {
            let end_tag = if has_content { Cow::Owned(format!("</{name}>")) } else { Cow::Borrowed("") };
            return Opened { content: None, end_tag };
        }
        // The end tag of a page may be missing; then what the element ends with is the end tag of another.
        let last = node.children().last().filter(|_| is_page).and_then(extent).map_or(0, |extent| extent.end);
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
                false => self.attribute_prefix(&attribute.namespace, &attribute.prefix, &mut added),
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
        let space = crate::tree::Name { namespace: XML_NAMESPACE, local: "space" };
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

    fn leaf(&mut self, child: DraftNode) {
        let value = self.draft.value(child);
        let name = self.draft.name(child).local;
        // Writing to a string cannot fail.
        let _ = match (self.draft.kind(child), self.draft.format()) {
            (Kind::Comment, _) => write!(self.out, "<!--{value}-->"),
            (Kind::Reference, _) => write!(self.out, "&{name};"),
            (Kind::ProcessingInstruction, Format::Html) => write!(self.out, "<?{name} {value}>"),
            (Kind::ProcessingInstruction, _) if value.is_empty() => write!(self.out, "<?{name}?>"),
            (Kind::ProcessingInstruction, _) => write!(self.out, "<?{name} {value}?>"),
            (_, Format::Html) if self.is_raw() => self.out.write_str(&value),
            (_, Format::Html) => escape_html(&value, Place::Text, &mut self.out),
            (_, _) if self.was_section(child) && is_sectionable(&value) => write!(self.out, "<![CDATA[{value}]]>"),
            _ => write_text(&mut self.out, &value),
        };
    }

    /// Whether the text of the innermost element is written without references.
    fn is_raw(&self) -> bool {
        let element = self.open.last().and_then(|frame| self.draft.written(frame.node));
        element.is_some_and(|element| is_in(element, class::RAW_TEXT))
    }

    /// Whether a text was written as one CDATA section.
    fn was_section(&self, child: DraftNode) -> bool {
        let Some(node) = self.draft.written(child) else { return false };
        let Some(extent) = self.extent(node) else { return false };
        let written = node.document().source()[extent].strip_prefix("<![CDATA[");
        written.is_some_and(|rest| rest.find("]]>") == rest.len().checked_sub("]]>".len()))
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

fn is_sectionable(value: &str) -> bool {
    !value.is_empty() && !value.contains("]]>") && !value.contains('\r')
}

fn is_in(node: Node<'_>, class: u16) -> bool {
    node.name().namespace == HTML_NAMESPACE && classes_of(node.name().local) & class != 0
}

/// The XML declaration that a source begins with.
fn declaration(source: &str, format: Format) -> &str {
    let is_there =
        format == Format::Xml && source.starts_with("<?xml") && source[5..].starts_with([' ', '\t', '\r', '\n']);
    match source.find("?>") {
        Some(end) if is_there => &source[..end + 2],
        _ => "",
    }
}
