//! How is a draft written as JSON? With the source of what was not touched, and commas where they belong.
//!
//! Members stand in the order of the source, whatever the order of their nodes, and new ones behind them.

use std::borrow::Cow;
use std::ops::Range;
use std::vec;

use super::blanks::{blank_end, indentation, lead};
use super::{Draft, DraftNode};
use crate::parse::decode_json_string;
use crate::tree::{Format, Kind, Node};
use crate::write::json_string;

/// The new source of a JSON draft.
pub(super) fn write(draft: &Draft<'_>) -> String {
    let out = String::with_capacity(draft.base().source().len());
    let mut writer = Writer { draft, out, open: Vec::new() };
    let source = draft.base().source();
    writer.open(DraftNode::DOCUMENT, Some((source, 0..source.len())));
    while writer.step() {}
    writer.out
}

struct Writer<'a, 'd> {
    draft: &'a Draft<'d>,
    out: String,
    open: Vec<Frame<'d>>,
}

/// An object or array, or the document, that is being written.
struct Frame<'d> {
    kind: Kind,
    children: vec::IntoIter<DraftNode>,
    /// The source of the container and how much of it has been copied, where it is copied but for what was touched.
    copied: Option<(&'d str, Range<usize>)>,
    layout: Layout<'d>,
    is_first: bool,
}

/// The white space between items.
#[derive(Default)]
struct Layout<'d> {
    /// Whether each item is on a line of its own; then its layout is its own, else it depends on the place.
    has_lines: bool,
    first: &'d str,
    next: &'d str,
    trail: &'d str,
}

impl<'a, 'd> Writer<'a, 'd> {
    /// Begins a container, whose source is at `range` if it has one.
    fn open(&mut self, node: DraftNode, source: Option<(&'d str, Range<usize>)>) {
        let kind = self.draft.kind(node);
        let mut children: Vec<DraftNode> = self.draft.children(node).collect();
        if kind == Kind::Object {
            children.sort_by_key(|&child| self.source_place(node, child));
        }
        let copied = source.filter(|(_, range)| self.is_copied(node, &children, range));
        let layout = if copied.is_some() { Layout::default() } else { self.layout(node, kind) };
        if copied.is_none() {
            self.out.push_str(match kind {
                Kind::Object => "{",
                Kind::Array => "[",
                _ => "",
            });
        }
        self.open.push(Frame { kind, children: children.into_iter(), copied, layout, is_first: true });
    }

    /// Members that are where they were come in the order of the source, others behind them.
    fn source_place(&self, parent: DraftNode, child: DraftNode) -> usize {
        let node = self.draft.written(child).filter(|_| self.draft.first_parent(child) == Some(parent));
        node.and_then(Node::source_range).map_or(usize::MAX, |range| range.start)
    }

    fn is_copied(&self, node: DraftNode, children: &[DraftNode], range: &Range<usize>) -> bool {
        if self.draft.list(node).is_some() || self.draft.has_holes(node) {
            return false;
        }
        let mut done = range.start;
        children.iter().filter(|&&child| self.draft.is_touched(child)).all(|&child| {
            let Some(extent) = self.draft.written(child).and_then(value_extent) else { return false };
            let is_behind = extent.start >= done && extent.end <= range.end;
            done = extent.end;
            is_behind
        })
    }

    fn layout(&self, node: DraftNode, kind: Kind) -> Layout<'d> {
        let Some(written) = self.draft.written(node) else { return Layout::default() };
        let mut children: Vec<Node<'d>> = written.children().collect();
        children.sort_by_key(|child| child.source_range().map_or(usize::MAX, |range| range.start));
        let leads = || children.iter().map(|&child| lead(child));
        let first = leads().next().unwrap_or_default();
        let lined = leads().find(|lead| lead.contains('\n'));
        let source = written.document().source();
        let closer = usize::from(kind != Kind::Document);
        let trail = match written.outer_range().filter(|_| !children.is_empty()) {
            Some(extent) => blank_end(&source[..extent.end - closer]),
            None => "",
        };
        Layout {
            has_lines: lined.is_some(),
            first,
            next: lined.map(indentation).or_else(|| leads().nth(1)).unwrap_or_default(),
            trail,
        }
    }

    /// Writes the next thing; whether there was one.
    fn step(&mut self) -> bool {
        let Some(frame) = self.open.last_mut() else { return false };
        let is_copied = frame.copied.is_some();
        let draft = self.draft;
        match frame.children.find(|&child| !is_copied || draft.is_touched(child)) {
            Some(child) => self.child(child),
            None => self.close(),
        }
        true
    }

    fn child(&mut self, child: DraftNode) {
        let Some(frame) = self.open.last_mut() else { return };
        let node = self.draft.written(child);
        if let Some((source, left)) = &mut frame.copied {
            let extent = node.and_then(value_extent).unwrap_or(left.start..left.start);
            self.out.push_str(&source[left.start..extent.start]);
            left.start = extent.end;
            return self.value(child);
        }
        let is_first = std::mem::replace(&mut frame.is_first, false);
        if !is_first {
            self.out.push(',');
        }
        let own = node.map_or("", lead);
        self.out.push_str(match &frame.layout {
            layout if layout.has_lines && own.contains('\n') => own,
            layout if is_first && !layout.has_lines => layout.first,
            layout => layout.next,
        });
        let spaced = !frame.layout.next.is_empty();
        if frame.kind == Kind::Object {
            self.key(child, spaced);
        }
        self.value(child);
    }

    /// Writes the key of a member, as its source has it where it was a member before.
    fn key(&mut self, child: DraftNode, spaced: bool) {
        if let Some(node) = self.draft.written(child).filter(|_| self.draft.is_base(child)) {
            let both = node.outer_range().zip(value_extent(node)).filter(|(member, value)| member.start < value.start);
            if let Some((member, value)) = both {
                return self.out.push_str(&node.document().source()[member.start..value.start]);
            }
        }
        // Writing to a string cannot fail.
        let _ = json_string(self.draft.name(child).local, &mut self.out);
        self.out.push_str(if spaced { ": " } else { ":" });
    }

    fn value(&mut self, child: DraftNode) {
        let node = self.draft.written(child).filter(|node| node.document().format() == Format::Json);
        let source = node.and_then(|node| Some((node.document().source(), value_extent(node)?)));
        match source {
            Some((source, range)) if self.draft.is_whole(child) => self.out.push_str(&source[range]),
            source if self.draft.kind(child).is_container() => self.open(child, source),
            _ => self.scalar(child),
        }
    }

    fn scalar(&mut self, child: DraftNode) {
        match (self.draft.new_token(child), self.draft.kind(child)) {
            (Some(token), _) => self.out.push_str(token),
            // Writing to a string cannot fail.
            (None, Kind::String) => drop(json_string(&self.draft.value(child), &mut self.out)),
            (None, _) => self.out.push_str(&self.draft.value(child)),
        }
    }

    fn close(&mut self) {
        let Some(frame) = self.open.pop() else { return };
        if let Some((source, left)) = frame.copied {
            return self.out.push_str(&source[left]);
        }
        if !frame.is_first {
            self.out.push_str(frame.layout.trail);
        }
        self.out.push_str(match frame.kind {
            Kind::Object => "}",
            Kind::Array => "]",
            _ => "",
        });
    }
}

/// Where a value stands, without the key that it may have.
fn value_extent(node: Node<'_>) -> Option<Range<usize>> {
    let range = node.source_range()?;
    if node.kind() != Kind::String {
        return Some(range);
    }
    let quoted = range.start.checked_sub(1)?..range.end + 1;
    let written = node.document().source().get(quoted.clone())?;
    (written.starts_with('"') && written.ends_with('"')).then_some(quoted)
}

/// What a token is, and its value: of a string its characters.
pub(crate) fn scalar(token: &str) -> (Kind, Cow<'_, str>) {
    let kind = match token.bytes().next() {
        Some(b'"') => Kind::String,
        Some(b'-' | b'0'..=b'9') => Kind::Number,
        _ => Kind::Literal,
    };
    let value = match token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) if inner.contains('\\') => Cow::Owned(decode_json_string(inner)),
        Some(inner) => Cow::Borrowed(inner),
        None => Cow::Borrowed(token),
    };
    (kind, value)
}
