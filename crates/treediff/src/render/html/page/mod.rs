//! How does a page look with its changes in it? The page of one side as it is, with marks on what changed, and what
//! only the other side has at the place where it would be.
//!
//! The walk through the page writes what [`Safe`] lets through. Marks are ranges of the reading's text (`marks`); a
//! mark is always around words of one text, or around one image or the like, so that it can stand wherever words can. What the
//! other side has is cut into chunks (`chunks`) that come in (`insertions`) at places (`places`) which keep the order of both sides.

mod chunks;
mod insertions;
mod marks;
mod places;

use std::iter::Peekable;
use std::ops::Range;
use std::vec::IntoIter;

use super::markup::{PIECE, push_text};
use super::safe::{self, Origin, Safe, Url};
use crate::matching::Matching;
use crate::text::{Changes, Item, ItemKind, Reading, Role};
use crate::tree::{HTML_NAMESPACE, Kind, Node, NodeId, Step};
use chunks::Chunk;
use insertions::{Insertion, insertions};
use marks::{Mark, Marked, Pen};
use places::Place;

/// Which version of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// What is shown of the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    /// All of it, at its places.
    Shown,
    /// Nothing but where it would be.
    Places,
    /// Nothing.
    Hidden,
}

/// What is written, and how.
#[derive(Debug)]
pub(super) struct PageOptions<'o> {
    pub side: Side,
    pub others: Others,
    pub key: &'o str,
    pub base: Option<&'o Url>,
    pub allowed: &'o [Origin],
}

/// The page of one side, for a frame.
pub(super) struct Page<'p> {
    pub changes: &'p Changes<'p>,
    pub matching: &'p Matching,
    pub options: PageOptions<'p>,
}

impl Page<'_> {
    /// Gives the page to `take`, piece by piece.
    pub fn write(&self, mut take: impl FnMut(&str)) {
        let Page { changes, matching, options } = self;
        let (base, other) = match options.side {
            Side::Before => (changes.before(), changes.after()),
            Side::After => (changes.after(), changes.before()),
        };
        let safe = |reading: &Reading<'_>| Safe::new(reading.document(), options.base, options.allowed, options.key);
        let (safe, other_safe) = (safe(base), safe(other).without_ids());
        let around = format!("data-{}-around", options.key);
        let mut writer = Writer {
            around: &around,
            base,
            other,
            safe: &safe,
            other_safe: &other_safe,
            marks: marks::marked(changes, options.side).into_iter().peekable(),
            insertions: insertions(changes, matching, options).into_iter().peekable(),
            pen: Pen::new(options, changes),
            next_segment: 0,
            style: super::frame_styles(options.key),
            take: &mut take,
        };
        writer.pen.out.push_str("<!DOCTYPE html>");
        writer.page();
        let Writer { pen, take, .. } = writer;
        take(&pen.out);
    }
}

struct Writer<'w, 'd> {
    base: &'w Reading<'d>,
    other: &'w Reading<'d>,
    safe: &'w Safe<'w>,
    other_safe: &'w Safe<'w>,
    marks: Peekable<IntoIter<Marked>>,
    insertions: Peekable<IntoIter<Insertion>>,
    pen: Pen<'w>,
    /// The attribute of elements that have a mark in them.
    around: &'w str,
    next_segment: usize,
    /// The styles of the marks.
    style: String,
    take: &'w mut dyn FnMut(&str),
}

/// What is written of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Written {
    /// The start tag, and the end tag behind all that is in it.
    Tags,
    /// Nothing but what is in it.
    Content,
    /// All of it, or nothing.
    Done,
}

impl<'d> Writer<'_, 'd> {
    fn page(&mut self) {
        let mut walk = self.base.document().root().walk();
        // Whether the end tag of each open element is written.
        let mut open = Vec::new();
        while let Some(step) = walk.next() {
            match step {
                Step::Enter(node) => {
                    self.insert(|place| place == Place::Before(node.id()));
                    match node.kind() {
                        Kind::Text => self.text(node),
                        Kind::Element => {
                            let written = self.enter(node);
                            open.push(written == Written::Tags);
                            if written == Written::Done {
                                walk.skip_below(node);
                            }
                        }
                        _ => {}
                    }
                }
                Step::Leave(node) if node.is_element() => {
                    self.insert(|place| place == Place::End(node.id()));
                    if open.pop() == Some(true) {
                        self.safe.end_tag(node, &mut self.pen.out);
                    }
                }
                Step::Leave(_) => self.insert(|_| true),
            }
            self.pass();
        }
    }

    /// Hands over what is written if it is much, but for the last character, which somebody may still ask for.
    fn pass(&mut self) {
        let out = &mut self.pen.out;
        if out.len() >= PIECE {
            let last = out.pop();
            (self.take)(out);
            out.clear();
            out.extend(last);
        }
    }

    /// Writes an element, or its beginning.
    fn enter(&mut self, node: Node<'d>) -> Written {
        match self.base.role(node) {
            Role::Unseen => {
                self.unseen(node);
                return Written::Done;
            }
            Role::Atom => {
                self.atom(node);
                return Written::Done;
            }
            _ if !self.has_change_before(node.end()) => {
                self.unchanged(node);
                return Written::Done;
            }
            _ => {}
        }
        // What has changes in it is open, and known to our style sheet.
        let extra: &[(&str, &str)] = match is_html(node, "details") {
            true => &[("open", ""), (self.around, "")],
            false => &[(self.around, "")],
        };
        self.begin(node, extra)
    }

    /// Writes the beginning of an element whose content is read, or what it is as a whole.
    fn begin(&mut self, node: Node<'d>, extra: &[(&str, &str)]) -> Written {
        match self.safe.fate(node) {
            safe::Fate::Element => {
                self.safe.start_tag(node, extra, &mut self.pen.out);
                Written::Tags
            }
            safe::Fate::Children => Written::Content,
            safe::Fate::Whole => {
                self.safe.whole(node, &[], &mut self.pen.out);
                Written::Done
            }
            safe::Fate::Nothing => Written::Done,
        }
    }

    /// A subtree with neither marks nor insertions in it, as most of a page is.
    fn unchanged(&mut self, top: Node<'d>) {
        let document = self.base.document();
        let mut open: Vec<Node<'d>> = Vec::new();
        let mut next = top.id().0;
        while next < top.end() {
            self.end_tags_before(next, &mut open);
            let node = document.node(NodeId(next));
            let written = match node.kind() {
                Kind::Text => {
                    push_text(&node.value(), &mut self.pen.out);
                    Written::Done
                }
                Kind::Element => self.enter_unchanged(node),
                _ => Written::Done,
            };
            if written == Written::Tags {
                open.push(node);
            }
            next = if written == Written::Done { node.end() } else { next + 1 };
            self.pass();
        }
        self.end_tags_before(top.end(), &mut open);
        self.pass_segments(top.end());
    }

    fn enter_unchanged(&mut self, node: Node<'d>) -> Written {
        match self.base.role(node) {
            Role::Unseen => {
                self.unseen(node);
                Written::Done
            }
            Role::Atom => {
                // Some are not seen, and not shown.
                self.pass_segments(node.id().0);
                if self.segment_of(node).is_some() {
                    write_subtree(node, self.safe, &mut self.pen.out);
                }
                Written::Done
            }
            _ => self.begin(node, &[]),
        }
    }

    fn end_tags_before(&mut self, next: u32, open: &mut Vec<Node<'d>>) {
        while let Some(node) = open.pop_if(|node| node.end() <= next) {
            self.safe.end_tag(node, &mut self.pen.out);
        }
    }

    /// Goes on behind the segments of nodes before this one.
    fn pass_segments(&mut self, node: u32) {
        let rest = self.base.segments().get(self.next_segment..).unwrap_or_default();
        self.next_segment += rest.iter().take_while(|segment| segment.node.0 < node).count();
    }

    /// The head, with our style sheet before all others, and style sheets wherever they are.
    fn unseen(&mut self, node: Node<'d>) {
        if is_html(node, "head") {
            self.pen.out.push_str("<head><meta charset=\"utf-8\"><style>");
            self.pen.out.push_str(&self.style);
            self.pen.out.push_str(&self.safe.style_of_boxes());
            self.pen.out.push_str("</style>");
            for below in node.descendants().filter(|below| below.is_element()) {
                self.style_sheet(below);
            }
            self.pen.out.push_str("</head>");
        } else {
            self.style_sheet(node);
        }
    }

    fn style_sheet(&mut self, node: Node<'_>) {
        if is_html(node, "style") && self.safe.fate(node) == safe::Fate::Whole {
            self.safe.whole(node, &[], &mut self.pen.out);
        }
        if is_html(node, "link") && self.safe.fate(node) == safe::Fate::Element {
            self.safe.start_tag(node, &[], &mut self.pen.out);
        }
    }

    fn has_change_before(&mut self, end: u32) -> bool {
        self.marks.peek().is_some_and(|marked| marked.node.0 < end)
            || self.insertions.peek().is_some_and(|insertion| insertion.node.0 < end)
    }

    fn atom(&mut self, node: Node<'d>) {
        let Some((range, is_anchored)) = self.segment_of(node) else { return };
        let mark = self.marks.peek().filter(|marked| marked.text.start < range.end).map(|marked| marked.mark.clone());
        self.marks.next_if(|marked| marked.text.end <= range.end);
        if let Some(mark) = &mark {
            self.pen.begin(mark, is_anchored);
        }
        write_subtree(node, self.safe, &mut self.pen.out);
        if let Some(mark) = &mark {
            self.pen.end(mark);
        }
    }

    /// Writes a text with the marks and insertions in it.
    fn text(&mut self, node: Node<'d>) {
        let at = self.next_segment;
        let Some((range, is_anchored)) = self.segment_of(node) else {
            // White space between blocks, in which nothing can have changed.
            return push_text(&node.value(), &mut self.pen.out);
        };
        let is_preserved = self.base.segments()[at].is_preserved;
        let mut done = range.start;
        while done < range.end {
            self.insert(|place| matches!(place, Place::InText { segment, at: byte } if segment == at && byte <= done));
            let next = match self.insertions.peek().map(|insertion| insertion.place) {
                Some(Place::InText { segment, at: byte }) if segment == at => byte.min(range.end),
                _ => range.end,
            };
            self.pieces(done..next, is_anchored, is_preserved);
            done = next;
        }
        self.insert(|place| matches!(place, Place::InText { segment, .. } if segment == at));
    }

    /// Writes a part of a text with its marks.
    fn pieces(&mut self, range: Range<usize>, is_anchored: bool, is_preserved: bool) {
        let text = self.base.text();
        let mut done = range.start;
        while let Some(marked) = self.marks.peek().filter(|marked| marked.text.start < range.end) {
            let (start, end) = (marked.text.start.max(done), marked.text.end.min(range.end));
            self.pen.text(&text[done..start]);
            if is_preserved {
                self.pen.marked(&marked.mark, &text[start..end], is_anchored);
            } else {
                self.pen.marked_words(&marked.mark, &text[start..end], is_anchored);
            }
            done = end;
            if marked.text.end > end {
                break;
            }
            self.marks.next();
        }
        self.pen.text(&text[done..range.end]);
    }

    /// The range of the next segment, and whether it is in an anchor, if it is that of a node.
    fn segment_of(&mut self, node: Node<'_>) -> Option<(Range<usize>, bool)> {
        let segment = self.base.segments().get(self.next_segment).filter(|segment| segment.node == node.id())?;
        let found = (self.base.segment_range(self.next_segment), segment.is_anchored);
        self.next_segment += 1;
        Some(found)
    }

    /// Writes the insertions at a place.
    fn insert(&mut self, is_here: impl Fn(Place) -> bool) {
        while let Some(insertion) = self.insertions.next_if(|insertion| is_here(insertion.place)) {
            match &insertion.chunk {
                None => self.pen.place(&insertion.mark),
                Some(chunk) => self.chunk(chunk, &insertion),
            }
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

    fn chunk(&mut self, chunk: &Chunk, insertion: &Insertion) {
        let Insertion { place, has_markup, ref mark, .. } = *insertion;
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
        if is_spaced(chunk.items.start) && !self.pen.out.ends_with([' ', '\n']) {
            self.pen.out.push(' ');
        }
        match chunk.top.filter(|_| has_markup) {
            Some(top) => self.subtree(other.document().node(top), mark, is_anchored),
            None => self.words(chunk, mark, is_anchored),
        }
        if is_spaced(chunk.items.end) && !self.is_followed_by_white(place) {
            self.pen.out.push(' ');
        }
    }

    /// Whether white space is right behind a place, or a break.
    fn is_followed_by_white(&self, place: Place) -> bool {
        let Place::InText { segment, at } = place else { return false };
        let items = self.base.items();
        let next = items.get(items.partition_point(|item| item.range().start < at));
        self.base.text()[at..].starts_with(char::is_whitespace)
            || next.is_none_or(|next| next.segment() > segment && next.is_spaced())
    }

    /// Words of the other side without their markup, and what is looked at as a whole.
    fn words(&mut self, chunk: &Chunk, mark: &Mark, is_anchored: bool) {
        let other = self.other;
        let items = &other.items()[chunk.items.clone()];
        for part in items.chunk_by(|left, right| left.kind() != ItemKind::Atom && right.kind() != ItemKind::Atom) {
            match part {
                [atom] if atom.kind() == ItemKind::Atom => {
                    self.whole(other.node(other.segment_of(*atom)), mark, is_anchored);
                }
                _ => {
                    self.pen.begin(mark, is_anchored);
                    self.passages(part);
                    self.pen.end(mark);
                }
            }
        }
    }

    /// Words of the other side as they are written, and a space between passages that have none.
    fn passages(&mut self, items: &[Item]) {
        let is_broken = |left: &Item, right: &Item| right.is_spaced() && left.range().end == right.range().start;
        for (at, passage) in items.chunk_by(|left, right| !is_broken(left, right)).enumerate() {
            if at > 0 {
                self.pen.out.push(' ');
            }
            if let (Some(first), Some(last)) = (passage.first(), passage.last()) {
                self.pen.text(&self.other.text()[first.range().start..last.range().end]);
            }
        }
    }

    /// Something of the other side that is looked at as a whole.
    fn whole(&mut self, node: Node<'d>, mark: &Mark, is_anchored: bool) {
        self.pen.begin(mark, is_anchored);
        write_subtree(node, self.other_safe, &mut self.pen.out);
        self.pen.end(mark);
    }

    /// A subtree of the other side, with its words marked.
    fn subtree(&mut self, top: Node<'d>, mark: &Mark, is_anchored: bool) {
        let mut walk = top.walk();
        let mut open = Vec::new();
        while let Some(step) = walk.next() {
            match step {
                Step::Enter(node) if node.kind() == Kind::Text => {
                    self.pen.marked_words(mark, &node.value(), is_anchored);
                }
                Step::Enter(node) if node.is_element() => {
                    let role = self.other.role(node);
                    let is_written = match role {
                        Role::Unseen => false,
                        Role::Atom => {
                            let segments = self.other.segments();
                            if segments.binary_search_by_key(&node.id(), |segment| segment.node).is_ok() {
                                self.whole(node, mark, is_anchored);
                            }
                            false
                        }
                        _ => true,
                    };
                    // A link would be one in a link, and leads to where nothing may be any more.
                    let is_element =
                        is_written && self.other_safe.fate(node) == safe::Fate::Element && role != Role::Link;
                    if is_element {
                        self.other_safe.start_tag(node, &[(self.around, "")], &mut self.pen.out);
                    }
                    open.push(is_element);
                    if !is_written {
                        walk.skip_below(node);
                    }
                }
                Step::Leave(node) if node.is_element() && open.pop() == Some(true) => {
                    self.other_safe.end_tag(node, &mut self.pen.out);
                }
                _ => {}
            }
        }
    }
}

const MOST_ANCESTORS: usize = 256;

/// Something that is looked at as a whole, as far as it is safe.
fn write_subtree(top: Node<'_>, safe: &Safe<'_>, out: &mut String) {
    let mut walk = top.walk();
    let mut open = Vec::new();
    while let Some(step) = walk.next() {
        match step {
            Step::Enter(node) if node.kind() == Kind::Text => push_text(&node.value(), out),
            Step::Enter(node) if node.is_element() => {
                let fate = safe.fate(node);
                match fate {
                    safe::Fate::Element => safe.start_tag(node, &[], out),
                    safe::Fate::Whole => safe.whole(node, &[], out),
                    _ => {}
                }
                open.push(fate == safe::Fate::Element);
                if matches!(fate, safe::Fate::Whole | safe::Fate::Nothing) {
                    walk.skip_below(node);
                }
            }
            Step::Leave(node) if node.is_element() && open.pop() == Some(true) => safe.end_tag(node, out),
            _ => {}
        }
    }
}

fn is_html(node: Node<'_>, local: &str) -> bool {
    node.is_element() && node.name().local == local && node.name().namespace == HTML_NAMESPACE
}

#[cfg(test)]
mod tests;
