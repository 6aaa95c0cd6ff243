//! How is something of the other side written into a page? As it is there where its place can bear that, or as words.

use std::ops::Range;

use super::chunks::Chunk;
use super::insertions::Insertion;
use super::marks::Mark;
use super::places::Place;
use super::walk::{Walker, Written, walk, write_whole};
use super::{Writer, around_changes, is_html, safe};
use crate::text::{Item, ItemKind, Role};
use crate::tree::{Node, NodeId};

impl<'d> Writer<'_, 'd> {
    /// Writes something of the other side at its place.
    pub fn chunk(&mut self, chunk: &Chunk, insertion: &Insertion) {
        let Insertion { place, has_markup, ref marks, .. } = *insertion;
        let is_anchored = self.is_in_anchor(place);
        let other = self.other;
        let is_block = |top: NodeId| {
            let role = other.role(other.document().node(top));
            matches!(role, Role::Block | Role::Cell | Role::Preserved)
        };
        // White space is no item, but in `pre`, where it is; and blocks need none around them.
        let items = other.items();
        let stands_apart = has_markup && chunk.top.is_some_and(is_block);
        let is_spaced = |at: usize| {
            let is_preserved = other.segment_of(items[chunk.items.start]).is_preserved;
            !stands_apart && !is_preserved && items.get(at).is_some_and(|item| item.is_spaced())
        };
        let begins_line = |at: usize| !stands_apart && at > 0 && other.are_on_one_line(at - 1, at) == Some(false);
        if begins_line(chunk.items.start) {
            self.pen.out.push_str(if self.pen.out.ends_with(LINE_BREAK) { "" } else { LINE_BREAK });
        } else if is_spaced(chunk.items.start) && !self.pen.out.ends_with([' ', '\n']) {
            self.pen.out.push(' ');
        }
        match chunk.top.filter(|_| has_markup) {
            Some(top) => walk(other.document().node(top), &mut Other { writer: self, top, marks, is_anchored }),
            None => self.words(chunk, marks, is_anchored),
        }
        if begins_line(chunk.items.end) && self.is_followed_by_words(place) {
            self.pen.out.push_str(LINE_BREAK);
        } else if is_spaced(chunk.items.end) && !self.is_followed_by_white(place) {
            self.pen.out.push(' ');
        }
    }

    fn is_in_anchor(&self, place: Place) -> bool {
        let node = match place {
            Place::InText { segment, .. } => return self.base.segments()[segment].is_anchored,
            Place::Before(node) => self.base.document().node(node).parent(),
            Place::End(node) => Some(self.base.document().node(node)),
        };
        let mut ancestors = node.into_iter().flat_map(|node| std::iter::once(node).chain(node.ancestors()));
        // Deeper than anybody writes, the answer may be wrong on the safe side.
        ancestors.by_ref().take(MOST_ANCESTORS).any(|node| is_html(node, "a")) || ancestors.next().is_some()
    }

    /// Whether white space is right behind a place, or a break.
    fn is_followed_by_white(&self, place: Place) -> bool {
        let Place::InText { segment, at } = place else { return false };
        let items = self.base.items();
        let next = items.get(items.partition_point(|item| item.range().start < at));
        self.base.text()[at..].starts_with(char::is_whitespace)
            || next.is_none_or(|next| next.segment() > segment && next.is_spaced())
    }

    /// Whether words of the same block are right behind a place, without a line break between.
    fn is_followed_by_words(&self, place: Place) -> bool {
        let (base, items) = (self.base, self.base.items());
        match place {
            Place::InText { segment, at } => {
                let next = items.partition_point(|item| item.range().start < at);
                items.get(next).is_some_and(|next| next.segment() == segment)
            }
            Place::Before(node) => {
                let first = base.segments().partition_point(|segment| segment.node < node);
                let end = base.document().node(node).end();
                base.segments().get(first).is_some_and(|next| next.node.0 < end && next.block < node)
            }
            Place::End(_) => false,
        }
    }

    /// Words of the other side without their markup, and what is looked at as a whole.
    fn words(&mut self, chunk: &Chunk, marks: &Marks, is_anchored: bool) {
        let other = self.other;
        let items = &other.items()[chunk.items.clone()];
        let is_atom = |item: &Item| item.kind() == ItemKind::Atom;
        let mark = |item: &Item| mark_at(marks, item.range().start);
        let parts =
            items.chunk_by(|left, right| !is_atom(left) && !is_atom(right) && std::ptr::eq(mark(left), mark(right)));
        let parts: Vec<&[Item]> = parts.collect();
        let is_held = self.pen.hold(parts.len() > 1);
        let mut is_behind_words = false;
        for part in parts {
            let is_words = !is_atom(&part[0]);
            if is_behind_words && is_words && part[0].is_spaced() {
                self.pen.out.push(' ');
            }
            is_behind_words = is_words;
            if is_words {
                self.pen.marked(mark(&part[0]), &self.passages(part), is_anchored);
            } else {
                self.whole(other.node(other.segment_of(part[0])), mark(&part[0]), is_anchored);
            }
        }
        self.pen.release(is_held);
    }

    /// Words of the other side as they are written, and a space between passages that have none.
    fn passages(&self, items: &[Item]) -> String {
        let is_broken = |left: &Item, right: &Item| right.is_spaced() && left.range().end == right.range().start;
        let passages = items.chunk_by(|left, right| !is_broken(left, right));
        let ends = passages.filter_map(|passage| passage.first().zip(passage.last()));
        let texts = ends.map(|(first, last)| &self.other.text()[first.range().start..last.range().end]);
        texts.collect::<Vec<_>>().join(" ")
    }

    /// Something of the other side that is looked at as a whole.
    fn whole(&mut self, node: Node<'d>, mark: &Mark, is_anchored: bool) {
        self.pen.begin(mark, is_anchored);
        write_whole(node, self.other_safe, &mut self.pen.out);
        self.pen.end(mark);
    }
}

/// What divides lines of the other side as they were divided there.
const LINE_BREAK: &str = "<br>";

/// How far up it is looked for a link.
const MOST_ANCESTORS: usize = 256;

/// Marks by their places in the text of the other side; there is at least one.
type Marks = [(Range<usize>, Mark)];

/// The mark of what begins at a byte of the text.
fn mark_at(marks: &Marks, byte: usize) -> &Mark {
    let at = marks.partition_point(|(text, _)| text.end <= byte);
    &marks[at.min(marks.len() - 1)].1
}

/// Writes a subtree of the other side, with its words marked.
struct Other<'o, 'w, 'd> {
    writer: &'o mut Writer<'w, 'd>,
    top: NodeId,
    marks: &'o Marks,
    is_anchored: bool,
}

impl<'d> Other<'_, '_, 'd> {
    /// Where a node stands in the text of its side, where it does, and whether its white space counts.
    fn place(&self, node: Node<'d>) -> Option<(Range<usize>, bool)> {
        let segments = self.writer.other.segments();
        let at = segments.binary_search_by_key(&node.id(), |segment| segment.node).ok()?;
        Some((self.writer.other.segment_range(at), segments[at].is_preserved))
    }
}

impl<'d> Walker<'d> for Other<'_, '_, 'd> {
    fn text(&mut self, node: Node<'d>) {
        let marks = self.marks;
        if let [(_, mark)] = marks {
            return self.writer.pen.marked_words(mark, &node.value(), self.is_anchored);
        }
        let Some((range, is_preserved)) = self.place(node) else { return self.writer.pen.text(&node.value()) };
        let (text, pen) = (self.writer.other.text(), &mut self.writer.pen);
        let mut done = range.start;
        let first = marks.partition_point(|(text, _)| text.end <= range.start);
        let is_beside = |place: &Range<usize>| place.start > range.start || place.end < range.end;
        let is_held =
            pen.hold(marks[first..].first().is_some_and(|(place, _)| place.start < range.end && is_beside(place)));
        for (place, mark) in marks[first..].iter().take_while(|(place, _)| place.start < range.end) {
            let (start, end) = (place.start.max(done), place.end.min(range.end));
            pen.text(&text[done..start]);
            if is_preserved {
                pen.marked(mark, &text[start..end], self.is_anchored);
            } else {
                pen.marked_words(mark, &text[start..end], self.is_anchored);
            }
            done = end;
        }
        pen.text(&text[done..range.end]);
        pen.release(is_held);
    }

    fn enter(&mut self, node: Node<'d>) -> Written {
        let role = self.writer.other.role(node);
        // A cell by itself comes into a row that has one too few.
        if role == Role::Cell && node.id() != self.top {
            self.writer.gaps(self.writer.gaps.before(node, false));
        }
        match role {
            Role::Unseen => Written::Done,
            role @ (Role::Atom | Role::Fallback) => {
                if let Some((range, _)) = self.place(node) {
                    self.writer.whole(node, mark_at(self.marks, range.start), self.is_anchored);
                }
                if role == Role::Fallback { Written::Content } else { Written::Done }
            }
            // A link would be one in a link, and leads to where nothing may be any more.
            Role::Link => Written::Content,
            _ if self.writer.other_safe.fate(node) == safe::Fate::Element => {
                let extra = [("open", ""), (self.writer.around, "")];
                self.writer.other_safe.start_tag(node, around_changes(node, &extra), &mut self.writer.pen.out);
                Written::Tags
            }
            _ => Written::Content,
        }
    }

    fn leave(&mut self, node: Node<'d>, written: Written) {
        if is_html(node, "tr") {
            self.writer.gaps(self.writer.gaps.behind(node, false));
        }
        if written == Written::Tags {
            self.writer.other_safe.end_tag(node, &mut self.writer.pen.out);
        }
    }
}
