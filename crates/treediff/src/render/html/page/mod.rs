//! How does a page look with its changes in it? The page of one side as it is, with marks on what changed, and what
//! only the other side has at the place where it would be.
//!
//! One walk (`walk`) writes what [`Safe`] lets through: of the page itself, of what comes in (`other`), and of what is looked at as
//! a whole. Marks are ranges of the reading's text (`marks`); a
//! mark is always around words of one text, or around one image or the like, so that it can stand wherever words can. What the
//! other side has is cut into chunks (`chunks`) that come in (`insertions`) at places (`places`) which keep the order of both sides.

mod chunks;
mod gaps;
mod insertions;
mod marks;
mod other;
mod places;
mod walk;

use std::iter::Peekable;
use std::ops::Range;

use memchr::memmem;

use super::markup::{PIECE, push_text};
use super::safe::{self, Origin, Safe, Url};
use crate::matching::Matching;
use crate::text::{ChangeKind, Changes, Formats, Reading, Role, Segment, is_shadow};
use crate::tree::{Columns, HTML_NAMESPACE, Node};
use gaps::Gaps;
use insertions::{Insertion, Insertions, insertions};
use marks::{Marked, Pen};
use places::Place;
use walk::{Walker, Written, walk, write_whole};

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
    /// How many changes are too many to be read one by one.
    pub most_changes: usize,
}

impl PageOptions<'_> {
    /// Whether changes of a kind have a mark in the page.
    pub fn shows(&self, kind: ChangeKind) -> bool {
        let missing = if self.side == Side::Before { ChangeKind::Added } else { ChangeKind::Removed };
        self.others != Others::Hidden || kind != missing
    }
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
        let may_part = !options.allowed.is_empty() || [base, other].iter().any(|reading| speaks_of_boxes(reading));
        let mut writer = Writer {
            key: options.key,
            around: &around,
            base,
            columns: base.document().columns(),
            other,
            safe: &safe,
            other_safe: &other_safe,
            marks: (Box::new(marks::marked(changes, options.side)) as Marks<'_>).peekable(),
            insertions: insertions(changes, matching, options).peekable(),
            pen: Pen::new(options, changes, may_part),
            gaps: Gaps { changes, matching, options },
            next_segment: 0,
            unchanged: 0..0,
            shadow_end: 0,
            style: super::frame_styles(options.key, !options.allowed.is_empty()),
            take: &mut take,
        };
        writer.pen.out.push_str("<!DOCTYPE html>");
        walk(base.document().root(), &mut writer);
        writer.insert(|_| true);
        let Writer { pen, take, .. } = writer;
        take(&pen.out);
    }
}

type Marks<'w> = Box<dyn Iterator<Item = Marked> + 'w>;

struct Writer<'w, 'd> {
    base: &'w Reading<'d>,
    /// Those of its document.
    columns: Columns<'d>,
    other: &'w Reading<'d>,
    safe: &'w Safe<'w>,
    other_safe: &'w Safe<'w>,
    marks: Peekable<Marks<'w>>,
    insertions: Peekable<Insertions<'w>>,
    pen: Pen<'w>,
    gaps: Gaps<'w, 'd>,
    key: &'w str,
    /// The attribute of elements that have a mark in them.
    around: &'w str,
    next_segment: usize,
    /// The last subtree with neither marks nor insertions in it, as most of a page is.
    unchanged: Range<u32>,
    /// The end of the last tree that is shown below a host: its style sheets are for it alone, and would reach all of the page.
    shadow_end: u32,
    /// The styles of the marks.
    style: String,
    take: &'w mut dyn FnMut(&str),
}

impl<'d> Walker<'d> for Writer<'_, 'd> {
    fn before(&mut self, node: Node<'d>) {
        self.pass();
        if !self.is_unchanged(node) {
            self.insert(|insertion| insertion.place == Place::Before(node.id()));
        }
    }

    fn text(&mut self, node: Node<'d>) {
        if self.is_unchanged(node) {
            push_text(&self.columns.text(node.id()), &mut self.pen.out);
        } else {
            self.marked_text(node);
        }
    }

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
            Role::Fallback => {
                self.atom(node);
                return Written::Content;
            }
            Role::Cell => self.gaps(self.gaps.before(node, true)),
            // A template that is seen looks like nothing.
            Role::Inline(formats) if formats == Formats::default() && is_shadow(node) => {
                self.shadow_end = self.shadow_end.max(node.end());
            }
            _ => {}
        }
        if !self.is_unchanged(node) && !self.has_change_before(node.end()) {
            self.unchanged = node.id().0..node.end();
        }
        let extra = [("open", ""), (self.around, "")];
        let extra = if self.is_unchanged(node) { &[] } else { around_changes(node, &extra) };
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

    fn leave(&mut self, node: Node<'d>, written: Written) {
        if !self.is_unchanged(node) {
            self.insert(|insertion| insertion.place == Place::End(node.id()));
        }
        if is_html(node, "tr") {
            self.gaps(self.gaps.behind(node, true));
        }
        if written == Written::Tags {
            self.safe.end_tag(node, &mut self.pen.out);
        }
    }
}

impl<'d> Writer<'_, 'd> {
    /// Whether a node is in a subtree with nothing to be marked.
    fn is_unchanged(&self, node: Node<'d>) -> bool {
        self.unchanged.contains(&node.id().0)
    }

    /// Cells in columns that a row has none in, which nobody takes for cells of the page.
    fn gaps(&mut self, count: usize) {
        for _ in 0..count {
            for piece in ["<td data-", self.key, "-gap aria-hidden=true></td>"] {
                self.pen.out.push_str(piece);
            }
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

    /// The head, with our style sheet before all others, and style sheets wherever they are. By its name somebody goes to the page without
    /// its styles: nothing of it is seen, so that nothing is scrolled.
    fn unseen(&mut self, node: Node<'d>) {
        if is_html(node, "head") {
            let plain = super::plain(self.key);
            for piece in ["<head id=", &plain, "><meta charset=\"utf-8\"><style>"] {
                self.pen.out.push_str(piece);
            }
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
        if node.id().0 < self.shadow_end {
            return;
        }
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
        // Some are not seen, and not shown.
        let Some(at) = self.segment_of(node) else { return };
        let (range, is_anchored) = (self.base.segment_range(at), self.base.segments()[at].is_anchored);
        let mark = self.marks.peek().filter(|marked| marked.text.start < range.end).map(|marked| marked.mark.clone());
        self.marks.next_if(|marked| marked.text.end <= range.end);
        if let Some(mark) = &mark {
            self.pen.begin(mark, is_anchored);
        }
        write_whole(node, self.safe, &mut self.pen.out);
        if let Some(mark) = &mark {
            self.pen.end(mark);
        }
    }

    /// Writes a text with the marks and insertions in it.
    fn marked_text(&mut self, node: Node<'d>) {
        let Some(at) = self.segment_of(node) else {
            // White space between blocks, in which nothing can have changed.
            return push_text(&node.value(), &mut self.pen.out);
        };
        let Segment { is_anchored, is_preserved, .. } = self.base.segments()[at];
        let range = self.base.segment_range(at);
        let is_before = |insertion: &Insertion, end: usize| insertion.byte_in(at).is_some_and(|byte| byte <= end);
        let is_here = |insertion: &Insertion| insertion.byte_in(at).is_some();
        // Elements at its ends stand beside a text, as they did.
        self.insert(|insertion| insertion.is_element() && is_before(insertion, range.start));
        let is_parted = self.is_parted(at, &range);
        let is_held = self.pen.hold(is_parted);
        let mut done = range.start;
        while done < range.end {
            self.insert(|insertion| is_before(insertion, done));
            let next = self.insertions.peek().and_then(|insertion| insertion.byte_in(at));
            let next = next.map_or(range.end, |byte| byte.min(range.end));
            self.pieces(done..next, is_anchored, is_preserved);
            done = next;
        }
        self.insert(|insertion| is_here(insertion) && !(is_held && insertion.is_element()));
        self.pen.release(is_held);
        self.insert(is_here);
    }

    /// Whether marks make several nodes of a text: not where one is around all of its words.
    fn is_parted(&mut self, at: usize, range: &Range<usize>) -> bool {
        let text = &self.base.text()[range.clone()];
        let words = range.end - text.trim_start().len()..range.start + text.trim_end().len();
        let is_beside = |marked: &Marked| marked.text.start > words.start || marked.text.end < words.end;
        let comes_in = |insertion: &Insertion| {
            insertion.byte_in(at).is_some_and(|byte| byte < words.end || !insertion.is_element())
        };
        self.insertions.peek().is_some_and(comes_in)
            || self.marks.peek().is_some_and(|marked| marked.text.start < range.end && is_beside(marked))
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

    /// The segment of a node, where it has one; asked in the order of nodes.
    fn segment_of(&mut self, node: Node<'_>) -> Option<usize> {
        let rest = self.base.segments().get(self.next_segment..).unwrap_or_default();
        self.next_segment += rest.iter().take_while(|segment| segment.node < node.id()).count();
        let found = self.base.segments().get(self.next_segment);
        found.is_some_and(|segment| segment.node == node.id()).then_some(self.next_segment)
    }

    /// Writes the insertions that come next, as long as they are meant.
    fn insert(&mut self, is_meant: impl Fn(&Insertion) -> bool) {
        while let Some(insertion) = self.insertions.next_if(&is_meant) {
            match &insertion.chunk {
                None => insertion.marks.iter().for_each(|(_, mark)| self.pen.place(mark)),
                Some(chunk) => self.chunk(chunk, &insertion),
            }
        }
    }
}

/// Whether a page may have boxes that lay out each of their children by itself, as far as a glance tells. A text among these is one, and
/// has to stay one when words in it are marked; where there are no such boxes, nothing is put around it.
fn speaks_of_boxes(reading: &Reading<'_>) -> bool {
    let source = reading.document().source().as_bytes();
    ["flex", "grid", "-webkit-box"].iter().any(|word| memmem::find(source, word.as_bytes()).is_some())
}

/// The attributes of what has changes in it: it is open, if it can be, and known to our style sheet.
fn around_changes<'a>(node: Node<'_>, attributes: &'a [(&'a str, &'a str); 2]) -> &'a [(&'a str, &'a str)] {
    let can_open = is_html(node, "details") || is_html(node, "dialog");
    if can_open { attributes } else { &attributes[1..] }
}

fn is_html(node: Node<'_>, local: &str) -> bool {
    node.is_element() && node.name().local == local && node.name().namespace == HTML_NAMESPACE
}

#[cfg(test)]
mod tests;
