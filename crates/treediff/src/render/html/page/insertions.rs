//! What of the other side comes into a page, and where? Chunks at places, in the order of both.

use std::collections::VecDeque;
use std::ops::Range;

use super::chunks::{self, Chunk};
use super::marks::Mark;
use super::places::{self, Place, Slot};
use super::{Others, PageOptions, Side};
use crate::matching::Matching;
use crate::text::{ChangeKind, Changes, Fate, Reading, Run};
use crate::tree::NodeId;

/// Something of the other side at a place of the page.
#[derive(Debug)]
pub struct Insertion {
    pub place: Place,
    /// The node that the place is in or before.
    pub node: NodeId,
    /// `None` where only its place is shown.
    pub chunk: Option<Chunk>,
    pub has_markup: bool,
    /// The marks of its words, in order, by their places in the text of the other side; there is at least one.
    pub marks: Vec<(Range<usize>, Mark)>,
}

impl Insertion {
    /// Where in the text of a segment it comes in, if it does.
    pub fn byte_in(&self, text: usize) -> Option<usize> {
        match self.place {
            Place::InText { segment, at } if segment == text => Some(at),
            _ => None,
        }
    }

    /// Whether it is an element of its own, and not words alone.
    pub fn is_element(&self) -> bool {
        self.has_markup && self.chunk.as_ref().is_some_and(|chunk| chunk.top.is_some())
    }
}

/// What comes in, made when somebody asks for it.
pub type Insertions<'c> = Box<dyn Iterator<Item = Insertion> + 'c>;

/// What of the other side comes in, in the order of its places.
pub fn insertions<'c>(
    changes: &'c Changes<'_>,
    matching: &'c Matching,
    options: &'c PageOptions<'_>,
) -> Insertions<'c> {
    if options.others == Others::Hidden {
        return Box::new(std::iter::empty());
    }
    let mut settler = Settler { changes, matching, options, around: None };
    Box::new(passages(changes, options).flat_map(move |passage| settler.settle(passage)))
}

/// Finds places for passages, given to it in their order.
struct Settler<'c, 'd> {
    changes: &'c Changes<'d>,
    matching: &'c Matching,
    options: &'c PageOptions<'c>,
    /// The slots at the last place of the page that was asked for, and how many of them are behind.
    around: Option<(usize, Vec<Slot>, usize)>,
}

impl Settler<'_, '_> {
    fn settle(&mut self, Passage { at, items, runs }: Passage<'_>) -> Vec<Insertion> {
        let Settler { changes, matching, options, ref mut around } = *self;
        let (base, other) = match options.side {
            Side::Before => (changes.before(), changes.after()),
            Side::After => (changes.after(), changes.before()),
        };
        let partner_of = |node: NodeId| match options.side {
            Side::Before => changes.cells().before_of(node, matching),
            Side::After => changes.cells().after_of(node, matching),
        };
        let (slots, taken) = match around {
            Some((known, slots, taken)) if *known == at => (slots, taken),
            _ => {
                let (_, slots, taken) = around.insert((at, places::between(base, at), 0));
                (slots, taken)
            }
        };
        let mut marks: VecDeque<(Range<usize>, Mark)> =
            runs.into_iter().map(|(run, items)| (items, Mark::of(changes, run))).collect();
        if options.others == Others::Places {
            let (place, marks) = (slots[*taken].place, marks.into());
            return vec![Insertion { place, node: place.node(base), chunk: None, has_markup: false, marks }];
        }
        let is_cell_here = |node: NodeId| slots.iter().any(|slot| partner_of(node) == Some(slot.parent));
        let mut insertions = Vec::new();
        for chunk in chunks::chunks(other, items, is_cell_here) {
            let partner = chunks::partner(other, &chunk, partner_of);
            let settled = chunks::settle(base, &slots[*taken..], other, &chunk, partner);
            *taken += settled.slot;
            let (place, has_markup) = (slots[*taken].place, settled.has_markup);
            let marks = marks_of(&chunk, &mut marks, other);
            insertions.push(Insertion { place, node: place.node(base), chunk: Some(chunk), has_markup, marks });
        }
        insertions
    }
}

/// Runs of the other side that follow each other at one place of the page. They are shown together: a paragraph of which a part
/// moved and the rest is gone was one.
struct Passage<'c> {
    at: usize,
    items: Range<usize>,
    runs: Vec<(&'c Run, Range<usize>)>,
}

fn passages<'c>(changes: &'c Changes<'_>, options: &'c PageOptions<'_>) -> impl Iterator<Item = Passage<'c>> + use<'c> {
    let place = |run: &'c Run| {
        let is_on_one_side = || {
            let kind = run.change.map(|number| changes.list()[number].kind);
            matches!(run.fate, Fate::Removed | Fate::Added)
                && kind.is_none_or(|kind| matches!(kind, ChangeKind::Added | ChangeKind::Removed))
        };
        match (options.side, run.fate) {
            // What moved, or is in the place of something else, has its marks on both sides.
            (_, fate) if options.others == Others::Places && fate != Fate::Same && !is_on_one_side() => None,
            (Side::After, Fate::Removed | Fate::MovedFrom) => Some((run, run.after.start, run.before.clone())),
            (Side::Before, Fate::Added | Fate::MovedTo) => Some((run, run.before.start, run.after.clone())),
            _ => None,
        }
    };
    let mut placed = changes.runs().iter().filter_map(place).peekable();
    std::iter::from_fn(move || {
        let (run, at, items) = placed.next()?;
        let mut passage = Passage { at, items: items.clone(), runs: vec![(run, items)] };
        let is_next = |passage: &Passage<'_>, at: usize, items: &Range<usize>| {
            options.others == Others::Shown && passage.at == at && passage.items.end == items.start
        };
        while let Some((run, _, items)) = placed.next_if(|(_, at, items)| is_next(&passage, *at, items)) {
            passage.items.end = items.end;
            passage.runs.push((run, items));
        }
        Some(passage)
    })
}

/// The marks of a chunk. Chunks come in order, and a mark that ends with one, or before, is not needed again.
fn marks_of(
    chunk: &Chunk,
    marks: &mut VecDeque<(Range<usize>, Mark)>,
    other: &Reading<'_>,
) -> Vec<(Range<usize>, Mark)> {
    let text = |items: Range<usize>| {
        let (first, last) = (other.items()[items.start], other.items()[items.end - 1]);
        first.range().start..last.range().end
    };
    let mut found = Vec::new();
    while let Some((items, mark)) = marks.front().filter(|(items, _)| items.start < chunk.items.end) {
        let shared = items.start.max(chunk.items.start)..items.end.min(chunk.items.end);
        if !shared.is_empty() {
            found.push((text(shared), mark.clone()));
        }
        if items.end > chunk.items.end {
            break;
        }
        marks.pop_front();
    }
    found
}
