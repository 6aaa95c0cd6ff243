//! Which words of paired sentences changed? Both readings as one row of runs.

use std::ops::Range;

use super::super::reading::{Reading, atoms};
use super::anchors::Pair;
use super::readable::{self, Measures};
use super::{Fate, Run};

/// All items of both sides in one order, given the sentences that are pairs.
pub fn runs(before: &Reading<'_>, after: &Reading<'_>, pairs: &[Pair]) -> Vec<Run> {
    let mut runs = Runs::default();
    let mut start = (0, 0);
    for &(there, here) in pairs {
        // Most sentences of most pages.
        let is_equal = before.numbers(there).eq(after.numbers(here));
        let (there, here) = (before.sentences()[there].items(), after.sentences()[here].items());
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
        let Some(hunks) = readable::hunks(&measures(before, &there), &measures(after, &here)) else {
            return self.replaced([before, after], there, here);
        };
        let mut start = (there.start, here.start);
        for (old, new) in hunks {
            let (old, new) =
                (there.start + old.start..there.start + old.end, here.start + new.start..here.start + new.end);
            self.push(Fate::Same, start.0..old.start, start.1..new.start);
            start = (old.end, new.end);
            self.replaced([before, after], old, new);
        }
        self.push(Fate::Same, start.0..there.end, start.1..here.end);
    }

    fn replaced(&mut self, [before, after]: [&Reading<'_>; 2], there: Range<usize>, here: Range<usize>) {
        let atoms = before.atom(there.clone()).zip(after.atom(here.clone()));
        if atoms.is_some_and(|(old, new)| atoms::are_one(old, new)) {
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

/// Some items as far as reading is concerned.
pub fn measures(reading: &Reading<'_>, items: &Range<usize>) -> Measures {
    let mut measures = Measures::with_capacity(items.len());
    for item in &reading.items()[items.clone()] {
        measures.push(item.number, reading.written(*item), item.kind(), item.is_spaced());
    }
    measures
}
