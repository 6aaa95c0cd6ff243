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

/// What of the other side comes in, in the order of its places.
pub fn insertions(changes: &Changes<'_>, matching: &Matching, options: &PageOptions<'_>) -> Vec<Insertion> {
    let mut insertions = Vec::new();
    if options.others == Others::Hidden {
        return insertions;
    }
    let (base, other) = match options.side {
        Side::Before => (changes.before(), changes.after()),
        Side::After => (changes.after(), changes.before()),
    };
    let partner_of = |node: NodeId| match options.side {
        Side::Before => changes.cells().before_of(node, matching),
        Side::After => changes.cells().after_of(node, matching),
    };
    let mut around: Option<(usize, Vec<Slot>, usize)> = None;
    for Passage { at, items, runs } in passages(changes, options) {
        let (slots, taken) = match &mut around {
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
            insertions.push(Insertion { place, node: place.node(base), chunk: None, has_markup: false, marks });
            continue;
        }
        let is_cell_here = |node: NodeId| slots.iter().any(|slot| partner_of(node) == Some(slot.parent));
        for chunk in chunks::chunks(other, items, is_cell_here) {
            let partner = chunks::partner(other, &chunk, partner_of);
            let settled = chunks::settle(base, &slots[*taken..], other, &chunk, partner);
            *taken += settled.slot;
            let (place, has_markup) = (slots[*taken].place, settled.has_markup);
            let marks = marks_of(&chunk, &mut marks, other);
            insertions.push(Insertion { place, node: place.node(base), chunk: Some(chunk), has_markup, marks });
        }
    }
    insertions
}

/// Runs of the other side that follow each other at one place of the page. They are shown together: a paragraph of which a part
/// moved and the rest is gone was one.
struct Passage<'c> {
    at: usize,
    items: Range<usize>,
    runs: Vec<(&'c Run, Range<usize>)>,
}

fn passages<'c>(changes: &'c Changes<'_>, options: &PageOptions<'_>) -> Vec<Passage<'c>> {
    let mut passages: Vec<Passage<'c>> = Vec::new();
    for run in changes.runs() {
        let is_moved = || run.change.is_some_and(|number| changes.list()[number].kind == ChangeKind::Moved);
        let (at, items) = match (options.side, run.fate) {
            // What moved has its place on both sides.
            (_, fate) if options.others == Others::Places && fate != Fate::Same && is_moved() => continue,
            (Side::After, Fate::Removed | Fate::MovedFrom) => (run.after.start, run.before.clone()),
            (Side::Before, Fate::Added | Fate::MovedTo) => (run.before.start, run.after.clone()),
            _ => continue,
        };
        let is_next = |last: &Passage<'_>| last.at == at && last.items.end == items.start;
        match passages.last_mut().filter(|last| options.others == Others::Shown && is_next(last)) {
            Some(last) => {
                last.items.end = items.end;
                last.runs.push((run, items));
            }
            None => passages.push(Passage { at, items: items.clone(), runs: vec![(run, items)] }),
        }
    }
    passages
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
