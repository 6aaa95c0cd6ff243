//! What of the other side comes into a page, and where? Chunks at places, in the order of both.

use super::chunks::{self, Chunk};
use super::marks::Mark;
use super::places::{self, Place, Slot};
use super::{Others, PageOptions, Side};
use crate::matching::Matching;
use crate::text::{ChangeKind, Changes, Fate};
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
    pub mark: Mark,
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
    for run in changes.runs() {
        let (at, items) = match (options.side, run.fate) {
            (Side::After, Fate::Removed | Fate::MovedFrom) => (run.after.start, run.before.clone()),
            (Side::Before, Fate::Added | Fate::MovedTo) => (run.before.start, run.after.clone()),
            _ => continue,
        };
        let (slots, taken) = match &mut around {
            Some((known, slots, taken)) if *known == at => (slots, taken),
            _ => {
                let (_, slots, taken) = around.insert((at, places::between(base, at), 0));
                (slots, taken)
            }
        };
        let mark = Mark::of(changes, run);
        if options.others == Others::Places {
            // What moved has its place on both sides.
            if run.change.is_some_and(|number| changes.list()[number].kind == ChangeKind::Moved) {
                continue;
            }
            let place = slots[*taken].place;
            insertions.push(Insertion { place, node: place.node(base), chunk: None, has_markup: false, mark });
            continue;
        }
        let is_cell_here = |node: NodeId| slots.iter().any(|slot| partner_of(node) == Some(slot.parent));
        for chunk in chunks::chunks(other, items, is_cell_here) {
            let partner = chunks::partner(other, &chunk, partner_of);
            let settled = chunks::settle(base, &slots[*taken..], other, &chunk, partner);
            *taken += settled.slot;
            let (place, has_markup) = (slots[*taken].place, settled.has_markup);
            let (node, mark) = (place.node(base), mark.clone());
            insertions.push(Insertion { place, node, chunk: Some(chunk), has_markup, mark });
        }
    }
    insertions
}
