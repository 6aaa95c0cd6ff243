//! How is the new version written? As the one before, but for what happened: all else keeps its bytes.

use std::borrow::Cow;
use std::fmt::Write;
use std::ops::Range;

use super::namespaces::{self, Scopes};
use super::plan::{Addition, Content, Fate, Plan};
use crate::tree::{Document, Kind, Node, NodeId, is_blank};
use crate::write::canonical_subtree;

/// A new version, and for each of its nodes in document order what it was before.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) source: String,
    pub(super) origins: Vec<Option<NodeId>>,
}

pub(super) fn version(document: &Document, plan: &Plan, seed: u64) -> Written {
    let mut writer = Writer {
        document,
        plan,
        seed,
        scopes: Scopes::of(document),
        has_entities: document.doctype().is_some_and(|doctype| doctype.contains("<!ENTITY")),
        texts: 0,
        source: String::with_capacity(document.source().len()),
        origins: Vec::with_capacity(document.len()),
        open: Vec::new(),
    };
    writer.open(document.root());
    while let Some(frame) = writer.open.pop() {
        writer.step(frame);
    }
    Written { source: writer.source, origins: writer.origins }
}

struct Writer<'w> {
    document: &'w Document,
    plan: &'w Plan,
    seed: u64,
    scopes: Scopes,
    /// Where a text goes over the edge of an entity, its place in the source is not all of it.
    has_entities: bool,
    /// New texts so far.
    texts: usize,
    source: String,
    origins: Vec<Option<NodeId>>,
    open: Vec<Frame<'w>>,
}

/// A changed container whose children are being written.
struct Frame<'w> {
    node: Node<'w>,
    next: u32,
    additions: &'w [Addition],
    /// How far the source has been used.
    cursor: usize,
    /// Where the content ends in the source.
    content_end: usize,
    /// The white space before the last child seen.
    layout: &'w str,
    keeps_layout: bool,
    end_tag: Cow<'w, str>,
}

impl<'w> Writer<'w> {
    /// Begins a container in which something changes.
    fn open(&mut self, node: Node<'w>) {
        self.origins.push(Some(node.id()));
        let all = &self.plan.additions;
        let first = all.partition_point(|addition| addition.parent < node.id());
        let len = all[first..].iter().take_while(|addition| addition.parent == node.id()).count();
        let tags = Tags::of(node);
        self.source.push_str(&tags.start);
        let mut frame = Frame {
            node,
            next: node.id().0 + 1,
            additions: &all[first..first + len],
            cursor: tags.content.start,
            content_end: tags.content.end,
            layout: "",
            keeps_layout: false,
            end_tag: tags.end,
        };
        frame.keeps_layout = self.keeps_layout(&frame);
        frame.layout = frame.layout_before(node.first_child());
        self.open.push(frame);
    }

    /// White space between children is none any more where there is a text, or nothing, between the tags.
    fn keeps_layout(&self, frame: &Frame<'_>) -> bool {
        let staying = frame.node.children().filter(|child| self.fate(child.id()) != Fate::Leaves);
        let is_text = |child: Node<'_>| child.kind() == Kind::Text && !is_blank(child.value().as_bytes());
        let has_children = !frame.additions.is_empty() || staying.clone().next().is_some();
        has_children
            && !frame.additions.iter().any(|addition| addition.is_text(self.document))
            && !staying.clone().any(is_text)
    }

    fn fate(&self, node: NodeId) -> Fate {
        self.plan.fates[node.index()]
    }

    /// Writes what comes next in a container: what comes in here, the next child, or its end.
    fn step(&mut self, mut frame: Frame<'w>) {
        if let Some((addition, rest)) = frame.additions.split_first().filter(|(first, _)| first.before == frame.next) {
            frame.additions = rest;
            self.add(addition, &frame);
            return self.open.push(frame);
        }
        if frame.next == frame.node.end() {
            let trailing = frame.between(frame.content_end);
            self.source.push_str(if frame.is_kept(trailing) { trailing } else { "" });
            return self.source.push_str(&frame.end_tag);
        }
        let child = self.document.node(NodeId(frame.next));
        frame.next = child.end();
        let fate = self.fate(child.id());
        let before = child.outer_range().map_or("", |range| frame.between(range.start));
        if is_blank(before.as_bytes()) {
            frame.layout = before;
        }
        if frame.is_kept(before) && !(fate == Fate::Leaves && is_blank(before.as_bytes())) {
            self.source.push_str(before);
        }
        frame.cursor = child.outer_range().map_or(frame.cursor, |range| range.end);
        self.open.push(frame);
        match fate {
            Fate::Leaves => {}
            Fate::Updated => self.new_text(Some(child.id())),
            Fate::Stays if self.plan.is_changed[child.id().index()] => self.open(child),
            Fate::Stays => self.copy(child),
        }
    }

    fn add(&mut self, addition: &Addition, frame: &Frame<'_>) {
        self.source.push_str(if frame.keeps_layout { frame.layout } else { "" });
        match addition.content {
            Content::Text => self.new_text(None),
            Content::Element { like, has_text } => {
                self.new_element(self.document.node(like), has_text, frame.node.id())
            }
            Content::Moved(node) => self.move_here(self.document.node(node), frame.node.id()),
        }
    }

    fn new_text(&mut self, origin: Option<NodeId>) {
        self.texts += 1;
        self.origins.push(origin);
        // Writing to a string cannot fail.
        let _ = write!(self.source, "new text {}.{}", self.seed, self.texts);
    }

    fn new_element(&mut self, like: Node<'_>, has_text: bool, parent: NodeId) {
        let name = like.qualified_name();
        let is_same = self.scopes.are_one(like.id(), parent);
        let declaration = if is_same { String::new() } else { namespaces::for_name(like) };
        self.origins.push(None);
        self.source.extend(["<", &name, &declaration]);
        if !has_text {
            return self.source.push_str("/>");
        }
        self.source.push('>');
        self.new_text(None);
        self.source.extend(["</", &name, ">"]);
    }

    /// A subtree that did not change and stands elsewhere now.
    fn move_here(&mut self, node: Node<'w>, parent: NodeId) {
        let from = node.parent().map_or(parent, Node::id);
        if !node.is_element() || self.scopes.are_one(from, parent) {
            return self.copy(node);
        }
        let start = self.source.len();
        self.copy(node);
        let name_end = start + 1 + node.qualified_name().len();
        self.source.insert_str(name_end, &namespaces::for_subtree(node));
    }

    /// A subtree that did not change.
    fn copy(&mut self, node: Node<'w>) {
        let written = match node.outer_range() {
            Some(range) if node.kind() != Kind::Text || !self.has_entities => {
                Cow::Borrowed(&self.document.source()[range])
            }
            _ => Cow::Owned(canonical_subtree(node)),
        };
        self.source.push_str(&written);
        self.origins.extend((node.id().0..node.end()).map(|id| Some(NodeId(id))));
    }
}

impl<'w> Frame<'w> {
    /// The source from where it has been used to `end`.
    fn between(&self, end: usize) -> &'w str {
        self.node.document().source().get(self.cursor..end).unwrap_or("")
    }

    fn layout_before(&self, child: Option<Node<'_>>) -> &'w str {
        let before = child.and_then(Node::outer_range).map_or("", |range| self.between(range.start));
        if is_blank(before.as_bytes()) { before } else { "" }
    }

    /// Whether something between children is written again: in a document all but what stood before a child that
    /// left; in an element layout, and not the references that brought children which are now written themselves.
    fn is_kept(&self, between: &str) -> bool {
        self.node.kind() == Kind::Document || (self.keeps_layout && is_blank(between.as_bytes()))
    }
}

/// The tags of a container, and where its content stands between them.
struct Tags<'w> {
    start: Cow<'w, str>,
    content: Range<usize>,
    end: Cow<'w, str>,
}

impl<'w> Tags<'w> {
    fn of(node: Node<'w>) -> Self {
        let source = node.document().source();
        let Some(range) = node.source_range().filter(|_| node.is_element()) else {
            return Tags { start: "".into(), content: 0..source.len(), end: "".into() };
        };
        match node.content_range() {
            Some(content) => Tags {
                start: source[range.start..content.start].into(),
                end: source[content.end..range.end].into(),
                content,
            },
            None => Tags {
                start: format!("{}>", source[range.clone()].trim_end_matches("/>").trim_end()).into(),
                end: format!("</{}>", node.qualified_name()).into(),
                content: range.end..range.end,
            },
        }
    }
}
