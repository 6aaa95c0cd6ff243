//! How is a draft written as XML or HTML? With the source of what was not touched, and new markup where it was.
//!
//! A container whose list of children is the one that it came with is copied but for the children that were touched. One
//! whose list is another is written child by child, each with its layout. With [`Style::is_anew`] nothing is
//! copied; that is for HTML whose source would read differently with the edits in it.

mod tags;

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::blanks::{BLANK, blank_end};
use super::layout::Layout;
use super::scope::{Scope, free_uses};
use super::{Children, Draft, DraftNode};
use crate::delta::is_escaped_delta;
use crate::parse::html::names::{class, classes_of};
use crate::tree::{Format, HTML_NAMESPACE, Kind, Node, Tag};
use crate::write::{Place, escape_html, write_text};

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

impl<'a, 'd> Frame<'a, 'd> {
    fn new(draft: &'a Draft<'d>, node: DraftNode, Opened { content, end_tag }: Opened<'d>) -> Self {
        Frame {
            node,
            children: draft.children(node),
            content,
            is_copied: false,
            layout: None,
            end_tag,
            scope_depth: 0,
            is_same_scope: true,
            preserves: false,
        }
    }
}

impl<'a, 'd> Writer<'a, 'd> {
    fn open_document(&mut self) {
        let base = self.draft.base();
        let source = base.source();
        let node = DraftNode::DOCUMENT;
        let whole = Some((source, 0..source.len()));
        let is_copied = self.draft.doctype.is_none() && self.can_copy_content(node, &(0..source.len()));
        if !is_copied {
            self.out.push_str(declaration(source, base.format()));
            let lead = base.doctype_range().map(|range| blank_end(&source[..range.start]));
            let new_lead = if self.out.is_empty() { "" } else { "\n" };
            self.doctype = self.draft.doctype().map(|doctype| (lead.unwrap_or(new_lead), doctype));
        }
        let opened = Opened { content: whole, end_tag: "".into() };
        self.push(Frame { is_copied, ..Frame::new(self.draft, node, opened) });
    }

    /// Whether a container's content can be copied but for the children that were touched.
    fn can_copy_content(&self, node: DraftNode, content: &Range<usize>) -> bool {
        if self.style.is_anew || self.draft.list(node).is_some() || self.draft.has_holes(node) {
            return false;
        }
        let mut done = content.start;
        self.draft.children(node).filter(|&child| self.draft.is_touched(child)).all(|child| {
            let Some(extent) = self.draft.written(child).and_then(Node::outer_range) else { return false };
            let is_behind = extent.start >= done && extent.end <= content.end;
            done = extent.end;
            is_behind
        })
    }

    /// Goes on with the content of a container.
    fn push(&mut self, mut frame: Frame<'a, 'd>) {
        if !frame.is_copied && !frame.preserves && !self.style.is_anew {
            let content = frame.content.as_ref().map(|(_, range)| range.clone());
            frame.layout = Layout::new(self.draft, frame.node, content);
        }
        self.open.push(frame);
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
            let extent = self.draft.written(child).and_then(Node::outer_range).unwrap_or(left.start..left.start);
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
        let Some(following) = frame.children.clone().next().filter(|_| !is_in(node, class::VOID)) else { return false };
        if frame.is_copied || self.draft.list(child).is_some() {
            return self.draft.list(child).is_some();
        }
        let is_same = node.next_sibling().is_some_and(|next| self.draft.node(next.id()) == following);
        self.draft.first_parent(child) != Some(frame.node) || !is_same
    }

    /// The declaration stands before what it stood before, and never behind the root element.
    fn doctype_before(&mut self, child: DraftNode) {
        if self.doctype.is_none() {
            return;
        }
        let place = self.draft.base().doctype_range();
        let was_behind = || {
            let extent = self.draft.written(child).filter(|_| self.draft.is_base(child)).and_then(Node::outer_range);
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
        let Some(tag) = Tag::read(source, extent.clone(), Format::Xml) else { return false };
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
        let Some(tag) = Tag::read(source, extent.clone(), Format::Html) else { return false };
        let Opened { content, end_tag } = self.opened(node, &tag, extent.end, false);
        let is_open = content.is_some() && end_tag.is_empty();
        self.out.push_str(&source[extent]);
        if is_open {
            self.out.extend(["</", &source[tag.name], ">"]);
        }
        true
    }

    /// Where a node stands in a source that may be copied from. Entities and escapes mean something in their own
    /// document alone, and pages are too forgiving for what was written for another place.
    fn extent(&self, node: Node<'d>) -> Option<Range<usize>> {
        let (base, document) = (self.draft.base(), node.document());
        let is_plain = document.doctype().is_none() && !self.style.keeps_references && !is_escaped_delta(document);
        let is_alike = document.format() == Format::Xml && base.format() == Format::Xml && is_plain;
        let is_copied = !self.style.is_anew && (std::ptr::eq(base, document) || is_alike);
        is_copied.then(|| node.outer_range()).flatten()
    }

    fn leaf(&mut self, child: DraftNode) {
        let value = self.draft.value(child);
        let behind = self.behind_page().filter(|_| self.draft.kind(child) == Kind::Text);
        let value = behind.and_then(|behind| value.strip_suffix(&behind)).unwrap_or(&value);
        let name = self.draft.name(child).local;
        // Writing to a string cannot fail.
        let _ = match (self.draft.kind(child), self.draft.format()) {
            (Kind::Comment, _) => write!(self.out, "<!--{value}-->"),
            (Kind::Reference, _) => write!(self.out, "&{name};"),
            (Kind::ProcessingInstruction, Format::Html) => write!(self.out, "<?{name} {value}>"),
            (Kind::ProcessingInstruction, _) if value.is_empty() => write!(self.out, "<?{name}?>"),
            (Kind::ProcessingInstruction, _) => write!(self.out, "<?{name} {value}?>"),
            (_, Format::Html) if self.is_raw() => self.out.write_str(value),
            (_, Format::Html) => escape_html(value, Place::Text, &mut self.out),
            (_, _) if self.was_section(child) && is_sectionable(value) => write!(self.out, "<![CDATA[{value}]]>"),
            _ => write_text(&mut self.out, value),
        };
    }

    /// The white space behind the end tag of `body`, where the current place is the last within it: it is read as if it
    /// stood here.
    fn behind_page(&self) -> Option<String> {
        let mut frames = self.open.iter().rev().filter(|_| self.draft.format() == Format::Html && !self.style.is_anew);
        let is_body = |frame: &Frame<'_, '_>| self.draft.name(frame.node).local == "body";
        let is_past = |frame: &&Frame<'_, '_>| frame.children.clone().next().is_none();
        let body = frames.by_ref().take_while(is_past).find(|frame| is_body(frame) || !frame.end_tag.is_empty())?;
        let (source, content) = body.content.as_ref().filter(|_| is_body(body))?;
        let mut blanks = String::new();
        let mut rest = &source[content.end..];
        while !rest.is_empty() {
            let tags = rest.trim_start_matches(BLANK);
            blanks.push_str(&rest[..rest.len() - tags.len()]);
            rest = tags.strip_prefix("</").and_then(|tag| tag.split_once('>')).map_or(tags, |(_, rest)| rest);
            if rest.len() == tags.len() && !rest.is_empty() {
                return None;
            }
        }
        Some(blanks)
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
