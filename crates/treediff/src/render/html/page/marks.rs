//! What is marked, and how is a mark written? Ranges of a reading's text, and an element around each.

use std::ops::Range;

use super::super::markup::{PIECE, push_number, push_text, push_value};
use super::{Others, PageOptions, Side};
use crate::render::summary::Told;
use crate::text::{Change, ChangeKind, Changes, Detail, Fate, Run};
use crate::tree::NodeId;

/// What a mark says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    kind: &'static str,
    element: &'static str,
    /// Which of the list, from 0; formatting has no number there.
    change: Option<usize>,
    /// Which of those of formatting, from 0.
    format: Option<usize>,
    /// What changed beyond the words.
    note: String,
    /// Whether it is where something was that is at another place now.
    is_left: bool,
}

/// A range of a reading's text with its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marked {
    pub text: Range<usize>,
    /// The node that it begins in.
    pub node: NodeId,
    pub mark: Mark,
}

impl Mark {
    /// The mark of a run that is part of a change, or looks different.
    pub fn of(changes: &Changes<'_>, run: &Run) -> Mark {
        let change = run.change.map(|number| &changes.list()[number]);
        let (kind, element) = match (run.fate, change.map(|change| change.kind)) {
            (Fate::Removed, Some(ChangeKind::Image)) => ("image", "del"),
            (Fate::Added, Some(ChangeKind::Image)) => ("image", "ins"),
            (Fate::Removed, _) => ("removed", "del"),
            (Fate::Added, _) => ("added", "ins"),
            (Fate::MovedFrom, _) => ("moved-from", "del"),
            (Fate::MovedTo, _) => ("moved-to", "ins"),
            // Words that stayed in a link whose others did not.
            (Fate::Same, Some(ChangeKind::Link | ChangeKind::Replaced)) => ("link", "span"),
            (Fate::Same, Some(ChangeKind::Entity)) => ("entity", "span"),
            (Fate::Same, Some(_)) => ("attribute", "span"),
            (Fate::Same, None) => ("format", "span"),
        };
        let may_look = change.is_none() || run.fate == Fate::MovedTo;
        let formats = run.format.filter(|_| may_look).map(|format| &changes.formats()[format]);
        let note = note(change.map_or(&[][..], |change: &Change| &change.details).iter().chain(formats));
        let is_moved = change.is_some_and(|change| change.kind == ChangeKind::Moved);
        let is_left = run.fate == Fate::MovedFrom || is_moved && run.fate == Fate::Removed;
        Mark { kind, element, change: run.change, format: run.format, note, is_left }
    }
}

fn note<'a>(details: impl Iterator<Item = &'a Detail>) -> String {
    details.map(|detail| Told::new(detail).to_string()).collect::<Vec<_>>().join("; ")
}

/// The marks of one side, in order, each made when somebody asks for it: where everything changed, all of them would take up many
/// times the page.
pub fn marked<'c>(changes: &'c Changes<'_>, side: Side) -> impl Iterator<Item = Marked> + 'c {
    let reading = if side == Side::Before { changes.before() } else { changes.after() };
    let runs = changes.runs().iter().filter(|run| run.change.is_some() || run.format.is_some());
    runs.filter_map(move |run| {
        let items = if side == Side::Before { run.before.clone() } else { run.after.clone() };
        let items = &reading.items()[items];
        let (first, last) = items.first().zip(items.last())?;
        let (text, node) = (first.range().start..last.range().end, reading.segment_of(*first).node);
        Some(Marked { text, node, mark: Mark::of(changes, run) })
    })
}

/// Writes a page and its marks.
pub struct Pen<'k> {
    pub out: String,
    key: &'k str,
    /// What every mark has in it, between its name and its number.
    attribute: String,
    goes_to_new: bool,
    /// Whether texts that marks part are held together, and whether one is.
    may_part: bool,
    is_holding: bool,
    /// For every change that links lead to whether it has a mark in the page: where there are too many, nobody goes through the rest
    /// one by one.
    is_shown: Vec<bool>,
    /// For every one of them whether it has its first mark.
    begun: Vec<bool>,
}

impl<'k> Pen<'k> {
    pub fn new(options: &PageOptions<'k>, changes: &Changes<'_>, may_part: bool) -> Self {
        let out = String::with_capacity(2 * PIECE);
        // What moved is reached where it is now, if that is shown.
        let goes_to_new = options.side == Side::After || options.others == Others::Shown;
        let attribute = format!(" data-{}", options.key);
        let linked = changes.list().iter().take(options.most_changes);
        let is_shown: Vec<bool> = linked.map(|change| options.shows(change.kind)).collect();
        let begun = vec![false; is_shown.len()];
        Pen { out, key: options.key, attribute, goes_to_new, may_part, is_holding: false, is_shown, begun }
    }

    pub fn text(&mut self, text: &str) {
        push_text(text, &mut self.out);
    }

    /// Begins to hold together what marks make of one text, where they part it: in a row of boxes each node would be one. Returns whether
    /// it does, for [`Pen::release`].
    pub fn hold(&mut self, is_parted: bool) -> bool {
        let holds = is_parted && self.may_part && !self.is_holding;
        if holds {
            self.is_holding = true;
            for piece in ["<span", &self.attribute, "-text>"] {
                self.out.push_str(piece);
            }
        }
        holds
    }

    pub fn release(&mut self, is_held: bool) {
        if is_held {
            self.is_holding = false;
            self.out.push_str("</span>");
        }
    }

    /// Words with their mark.
    pub fn marked(&mut self, mark: &Mark, text: &str, is_anchored: bool) {
        let is_break = text.contains('\n') && text.trim().is_empty();
        let first = self.tag(mark, is_break);
        self.arrows(first, is_anchored);
        self.text(text);
        self.end(mark);
    }

    /// The same without the white space around them, which nobody sees.
    pub fn marked_words(&mut self, mark: &Mark, text: &str, is_anchored: bool) {
        let words = text.trim();
        let start = text.len() - text.trim_start().len();
        self.text(&text[..start]);
        if !words.is_empty() {
            self.marked(mark, words, is_anchored);
        }
        self.text(&text[start + words.len()..]);
    }

    /// Only the place of a change. Our styles know it by its being empty, so that it has no arrows.
    pub fn place(&mut self, mark: &Mark) {
        self.tag(mark, false);
        self.end(mark);
    }

    /// The beginning of a mark.
    pub fn begin(&mut self, mark: &Mark, is_anchored: bool) {
        let first = self.tag(mark, false);
        self.arrows(first, is_anchored);
    }

    /// The tag of a mark, which our styles make something to see of where it is around a line break and no words. What it says of
    /// itself needs no quotes, which in a frame take six bytes each. Returns the change that it is the first mark of.
    fn tag(&mut self, mark: &Mark, is_break: bool) -> Option<usize> {
        let key = self.key;
        for piece in ["<", mark.element, &self.attribute] {
            self.out.push_str(piece);
        }
        if let Some(change) = mark.change {
            self.numbered(&["="], change);
        }
        if let Some(format) = mark.format {
            self.numbered(&[" data-", key, "-format="], format);
        }
        // Where everything changed most marks are of these kinds, and each says what it is by its element.
        if !matches!((mark.element, mark.kind), ("ins", "added") | ("del", "removed")) {
            for piece in [&self.attribute, "-kind=", mark.kind] {
                self.out.push_str(piece);
            }
        }
        if is_break {
            for piece in [&self.attribute, "-break"] {
                self.out.push_str(piece);
            }
        }
        let is_reached = !mark.is_left || !self.goes_to_new;
        let begins = |begun: &mut bool| !std::mem::replace(begun, true);
        let first = mark.change.filter(|_| is_reached);
        let first = first.filter(|&change| self.begun.get_mut(change).is_some_and(begins));
        if let Some(change) = first {
            self.numbered(&[" id=", key, "-"], change);
        }
        if !mark.note.is_empty() {
            self.out.push_str(" title=\"");
            push_value(&mark.note, &mut self.out);
            self.out.push('"');
        }
        self.out.push('>');
        first
    }

    pub fn end(&mut self, mark: &Mark) {
        self.out.push_str("</");
        self.out.push_str(mark.element);
        self.out.push('>');
    }

    /// Links to the changes before and behind that are in the page. A link in a link would end it, but not one in an `object`:
    /// without data that is nothing but what is in it.
    fn arrows(&mut self, first: Option<usize>, is_anchored: bool) {
        let Some(change) = first else { return };
        let previous = self.is_shown[..change].iter().rposition(|is_shown| *is_shown);
        let next = self.is_shown[change + 1..].iter().position(|is_shown| *is_shown).map(|at| change + 1 + at);
        let is_held = is_anchored && (previous.is_some() || next.is_some());
        if is_held {
            for piece in ["<object data-", self.key, "-to>"] {
                self.out.push_str(piece);
            }
        }
        self.arrow("previous", previous);
        self.arrow("next", next);
        self.out.push_str(if is_held { "</object>" } else { "" });
    }

    fn arrow(&mut self, which: &str, change: Option<usize>) {
        let (Some(change), key) = (change, self.key) else { return };
        self.numbered(&["<a data-", key, "-to=", which, " href=about:srcdoc#", key, "-"], change);
        for piece in [" aria-label='", which, " change'></a>"] {
            self.out.push_str(piece);
        }
    }

    /// Something with a number at its end, of a change or of formatting, which are told from 1.
    fn numbered(&mut self, start: &[&str], number: usize) {
        start.iter().for_each(|piece| self.out.push_str(piece));
        push_number(number + 1, &mut self.out);
    }
}
