//! Which words of paired sentences changed? Both readings as one row of runs.

use std::ops::Range;

use super::super::reading::{Item, ItemKind, Reading};
use super::super::{Budget, myers};
use super::anchors::Pair;
use super::islands::{self, Hunk};
use super::slide::{self, Row};
use super::{Fate, Run};

/// All items of both sides in one order, given the sentences that are pairs.
pub fn runs(before: &Reading<'_>, after: &Reading<'_>, pairs: &[Pair]) -> Vec<Run> {
    let mut runs = Runs::default();
    let mut start = (0, 0);
    for &(there, here) in pairs {
        let (there, here) = (before.sentences()[there].items(), after.sentences()[here].items());
        runs.replaced(start.0..there.start, start.1..here.start);
        start = (there.end, here.end);
        runs.sentence(before, after, there, here);
    }
    runs.replaced(start.0..before.items().len(), start.1..after.items().len());
    runs.0
}

#[derive(Default)]
struct Runs(Vec<Run>);

impl Runs {
    fn sentence(&mut self, before: &Reading<'_>, after: &Reading<'_>, there: Range<usize>, here: Range<usize>) {
        let numbers = |reading: &Reading<'_>, items: &Range<usize>| -> Vec<u32> {
            reading.items()[items.clone()].iter().map(|item| item.number).collect()
        };
        let (old, new) = (numbers(before, &there), numbers(after, &here));
        let Some(hunks) = myers::hunks(&old, &new, Budget::default()) else {
            return self.replaced(there, here);
        };
        let hunks =
            if hunks.is_empty() { hunks } else { readable(hunks, [(before, &there, &old), (after, &here, &new)]) };
        let mut start = (there.start, here.start);
        for (old, new) in hunks {
            let (old, new) =
                (there.start + old.start..there.start + old.end, here.start + new.start..here.start + new.end);
            self.push(Fate::Same, start.0..old.start, start.1..new.start);
            start = (old.end, new.end);
            self.replaced(old, new);
        }
        self.push(Fate::Same, start.0..there.end, start.1..here.end);
    }

    fn replaced(&mut self, there: Range<usize>, here: Range<usize>) {
        self.push(Fate::Removed, there.clone(), here.start..here.start);
        self.push(Fate::Added, there.end..there.end, here);
    }

    fn push(&mut self, fate: Fate, before: Range<usize>, after: Range<usize>) {
        if before.is_empty() && after.is_empty() {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.fate == fate => {
                last.before.end = before.end;
                last.after.end = after.end;
            }
            _ => self.0.push(Run { fate, before, after, change: None, format: None }),
        }
    }
}

/// The same differences as a reader would mark them.
fn readable(hunks: Vec<Hunk>, sides: [(&Reading<'_>, &Range<usize>, &[u32]); 2]) -> Vec<Hunk> {
    let items = sides.map(|(reading, items, _)| &reading.items()[items.clone()]);
    let [old_ease, new_ease] = items.map(ease);
    let rows = [Row { numbers: sides[0].2, ease: &old_ease }, Row { numbers: sides[1].2, ease: &new_ease }];
    let hunks = slide::slid(hunks, rows);
    let [old_letters, new_letters] = sides.map(|(reading, items, _)| letters(reading, items));
    islands::joined(hunks, [&old_letters, &new_letters])
}

/// An image is no small word.
const ATOM_LETTERS: u32 = 20;

/// How many letters each item has, as far as it counts.
fn letters(reading: &Reading<'_>, items: &Range<usize>) -> Vec<u32> {
    let count = |item: &Item| match item.kind {
        ItemKind::Word => reading.written(*item).chars().count() as u32,
        ItemKind::Atom => ATOM_LETTERS,
        ItemKind::Punctuation | ItemKind::White => 0,
    };
    reading.items()[items.clone()].iter().map(count).collect()
}

/// How well a cut reads before each item, and behind the last: at an end, at a space, behind a mark, in this order.
fn ease(items: &[Item]) -> Vec<u8> {
    let inner = items.windows(2).map(|pair| {
        let is_spaced = pair[1].is_spaced || pair[0].kind == ItemKind::White;
        2 * u8::from(is_spaced) + u8::from(pair[0].kind == ItemKind::Punctuation)
    });
    [4].into_iter().chain(inner).chain([4]).collect()
}
