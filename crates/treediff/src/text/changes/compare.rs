//! Which words of paired sentences changed? Both readings as one row of runs.

use std::ops::Range;

use super::super::reading::{Item, ItemKind, Reading, atoms};
use super::parted::Group;
use super::readable::{self, Measures};
use super::{Fate, Run};
use crate::tree::{NodeId, hash};

/// All items of both sides in one order, given the sentences that are compared with each other.
pub fn runs(before: &Reading<'_>, after: &Reading<'_>, groups: Vec<Group>) -> Vec<Run> {
    let mut runs = Runs::default();
    let mut start = (0, 0);
    for (there, here) in groups {
        let (there, here) = (before.items_of(there), after.items_of(here));
        let [old, new] = [&before.items()[there.clone()], &after.items()[here.clone()]];
        // Most sentences of most pages.
        let is_equal = old.iter().map(|item| item.number).eq(new.iter().map(|item| item.number));
        runs.replaced([before, after], start.0..there.start, start.1..here.start);
        start = (there.end, here.end);
        if is_equal {
            runs.push(Fate::Same, there, here);
        } else {
            runs.sentence(before, after, there, here);
        }
    }
    runs.replaced([before, after], start.0..before.items().len(), start.1..after.items().len());
    runs.0
}

#[derive(Default)]
struct Runs(Vec<Run>);

impl Runs {
    fn sentence(&mut self, before: &Reading<'_>, after: &Reading<'_>, there: Range<usize>, here: Range<usize>) {
        let [old, new] = measures([before, after], [&there, &here]);
        let mut start = (there.start, here.start);
        for (old, new) in readable::hunks(&old, &new) {
            let (old, new) =
                (there.start + old.start..there.start + old.end, here.start + new.start..here.start + new.end);
            self.push(Fate::Same, start.0..old.start, start.1..new.start);
            start = (old.end, new.end);
            self.replaced([before, after], old, new);
        }
        self.push(Fate::Same, start.0..there.end, start.1..here.end);
    }

    /// What has nothing in common; images and the like in the place of as many others are told each by itself.
    fn replaced(&mut self, readings: [&Reading<'_>; 2], there: Range<usize>, here: Range<usize>) {
        match there.len() == here.len() && are_of_one_kind(readings, &there, &here) {
            true => there.zip(here).for_each(|(x, y)| self.replaced_at_once(readings, x..x + 1, y..y + 1)),
            false => self.replaced_at_once(readings, there, here),
        }
    }

    fn replaced_at_once(&mut self, [before, after]: [&Reading<'_>; 2], there: Range<usize>, here: Range<usize>) {
        // Sentences may end elsewhere now, and have words between them that stayed. Cells are compared by their columns alone.
        let is_in_cell = |reading: &Reading<'_>, item: &Item| reading.segment_of(*item).cell != NodeId::DOCUMENT;
        let stayed = |(old, new): (&Item, &Item)| {
            old.number == new.number && !is_in_cell(before, old) && !is_in_cell(after, new)
        };
        let [old, new] = [&before.items()[there.clone()], &after.items()[here.clone()]];
        if old.len() == new.len() && old.iter().zip(new).all(stayed) {
            return self.push(Fate::Same, there, here);
        }
        let atoms = before.atom(there.clone()).zip(after.atom(here.clone()));
        if atoms.is_some_and(|(old, new)| atoms::are_one(old, new, [before.addresses(), after.addresses()])) {
            return self.push(Fate::Same, there, here);
        }
        self.push(Fate::Removed, there.clone(), here.start..here.start);
        self.push(Fate::Added, there.end..there.end, here);
    }

    fn push(&mut self, fate: Fate, before: Range<usize>, after: Range<usize>) {
        if before.is_empty() && after.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if fate == Fate::Same && last.fate == fate => {
                last.before.end = before.end;
                last.after.end = after.end;
            }
            _ => self.0.push(Run { fate, before, after, change: None, format: None }),
        }
    }
}

/// Whether all are looked at as a whole, and each is of the same kind as the one in its place.
fn are_of_one_kind([before, after]: [&Reading<'_>; 2], there: &Range<usize>, here: &Range<usize>) -> bool {
    let mut pairs = there.clone().zip(here.clone());
    pairs.all(|(x, y)| match (before.atom(x..x + 1), after.atom(y..y + 1)) {
        (Some(old), Some(new)) => old.name() == new.name(),
        _ => false,
    })
}

/// Some items of both sides as far as reading is concerned.
pub fn measures(readings: [&Reading<'_>; 2], items: [&Range<usize>; 2]) -> [Measures; 2] {
    let mut rows = [0, 1].map(|side| row(readings[side], items[side]));
    let [there, here] = [0, 1].map(|side| fields(readings[side], items[side].start, &rows[side]));
    // A form has the same fields however they are filled in: each is compared with the one in its place.
    if there.iter().map(|(_, place)| place).eq(here.iter().map(|(_, place)| place)) {
        for (number, ((there, _), (here, _))) in there.iter().zip(&here).enumerate() {
            // No word has such a number.
            rows[0].numbers[*there] = u32::MAX - number as u32;
            rows[1].numbers[*here] = u32::MAX - number as u32;
        }
    }
    rows
}

/// The fields of a row that begins at some item, and what tells them apart.
fn fields(reading: &Reading<'_>, start: usize, row: &Measures) -> Vec<(usize, String)> {
    let field = |at: usize| reading.atom(start + at..start + at + 1).filter(|atom| atoms::is_field(*atom));
    row.wholes.iter().filter_map(|whole| field(whole.at).map(|field| (whole.at, atoms::place(field)))).collect()
}

fn row(reading: &Reading<'_>, items: &Range<usize>) -> Measures {
    let mut row = Measures::with_capacity(items.len());
    for item in &reading.items()[items.clone()] {
        match item.kind() {
            ItemKind::Atom => {
                let kind = hash::bytes(reading.node(reading.segment_of(*item)).name().local.as_bytes());
                row.push_whole(item.number, kind, item.is_spaced());
            }
            kind => row.push(item.number, reading.written(*item), kind, item.is_spaced()),
        }
        row.lead_to(reading.segment_of(*item).target());
    }
    row
}
