//! Which runs are one change? The list of changes in the order they are read, and what changed about words that stayed.

use std::ops::Range;

use super::super::reading::{Reading, atoms};
use super::attributes::{self, Attributes};
use super::details::notices;
use super::looks::{Look, Looks};
use super::moves::Move;
use super::{Change, ChangeKind, Changes, Detail, Entities, Fate, Run};
use crate::tree::Node;

/// The changes with their list.
pub fn told<'d>(changes: Changes<'d>, moves: Vec<Move>, attributes: Attributes, entities: &Entities) -> Changes<'d> {
    let Changes { runs, before, after, cells, .. } = changes;
    let mut lister = Lister {
        looks: Looks { before: &before, after: &after, entities, attributes, sentence: 0 },
        runs: Vec::with_capacity(runs.len()),
        list: Vec::new(),
        formats: Vec::new(),
        moved: vec![Vec::new(); moves.len()],
        numbers: vec![None; moves.len()],
    };
    for run in runs {
        lister.run(run);
    }
    let (runs, list, formats) = lister.finished();
    let notices = notices(before.document(), after.document(), entities);
    Changes { before, after, runs, list, formats, notices, cells }
}

/// Numbers the changes while runs are given to it in their order.
struct Lister<'r, 'd> {
    looks: Looks<'r, 'd>,
    runs: Vec<Run>,
    list: Vec<Change>,
    formats: Vec<Detail>,
    /// For every move the runs that it comes from, and its number in the list as soon as it has one.
    moved: Vec<Vec<usize>>,
    numbers: Vec<Option<usize>>,
}

impl Lister<'_, '_> {
    fn run(&mut self, run: Run) {
        match run.fate {
            Fate::Same => self.same(run),
            Fate::Removed | Fate::Added => self.replaced(run),
            Fate::MovedFrom | Fate::MovedTo => self.moved(run),
        }
    }

    /// Goes on with the last change where nothing is between it and this run and both are one to a reader.
    fn replaced(&mut self, run: Run) {
        let number = match self.runs.last().filter(|last| self.are_one(last, &run)).and_then(|last| last.change) {
            Some(number) => {
                if run.fate == Fate::Added && self.list[number].kind == ChangeKind::Removed {
                    self.list[number].kind = ChangeKind::Replaced;
                }
                number
            }
            None if run.fate == Fate::Added => self.change(ChangeKind::Added),
            None => self.change(ChangeKind::Removed),
        };
        self.tell_attributes(number, &run);
        self.push(Run { change: Some(number), ..run });
    }

    /// Tells of attributes where none of the words that would have shown them stayed.
    fn tell_attributes(&mut self, number: usize, run: &Run) {
        if run.after.is_empty() || self.looks.attributes.is_empty() {
            return;
        }
        let items = &self.looks.after.items()[run.after.clone()];
        let segments = items.iter().map(|item| item.segment());
        for segment in segments.collect::<std::collections::BTreeSet<_>>() {
            let told = self.looks.attributes.take_read(segment);
            self.list[number].details.extend(told);
        }
    }

    /// Whether a run in the place of another is one change with it, or goes on in the same paragraph.
    fn are_one(&self, last: &Run, run: &Run) -> bool {
        let is_one = |reading: &Reading<'_>, items: &Range<usize>| {
            let block = |at: usize| reading.segment_of(reading.items()[at]).block;
            block(items.start - 1) == block(items.start)
        };
        match (last.fate, run.fate) {
            (Fate::Removed, Fate::Added) => true,
            (Fate::Removed, Fate::Removed) => is_one(self.looks.before, &run.before),
            (Fate::Added, Fate::Added) => is_one(self.looks.after, &run.after),
            _ => false,
        }
    }

    fn moved(&mut self, run: Run) {
        let Some(moved) = run.change else { return };
        if run.fate == Fate::MovedTo && self.numbers[moved].is_none() {
            let number = self.change(ChangeKind::Moved);
            self.numbers[moved] = Some(number);
        }
        if let Some(number) = self.numbers[moved] {
            self.tell_attributes(number, &run);
        }
        self.moved[moved].push(self.runs.len());
        self.runs.push(run);
    }

    /// Cuts what stayed where its looks change.
    fn same(&mut self, run: Run) {
        let pair = |at: usize| (run.before.start + at, run.after.start + at);
        let piece = |from: usize, to: usize| {
            let (before, after) = (pair(from).0..pair(to).0, pair(from).1..pair(to).1);
            Run { before, after, ..run.clone() }
        };
        let mut start = 0;
        let mut look = self.looks.look(pair(0), None);
        for at in 1..run.after.len() {
            if let Some(next) = self.looks.look_unlike(pair(at), look) {
                self.looking(look, piece(start, at));
                (start, look) = (at, next);
            }
        }
        self.looking(look, piece(start, run.after.len()));
    }

    /// A run of which nothing but its look may have changed.
    fn looking(&mut self, look: Look, run: Run) {
        let details = self.looks.details(look, &run);
        let change = details.first().map(|(kind, _)| self.change(*kind));
        if let Some(number) = change {
            self.list[number].details = details.into_iter().map(|(_, detail)| detail).collect();
        }
        let format = self.looks.format(look).map(|detail| {
            self.formats.push(detail);
            self.formats.len() - 1
        });
        self.push(Run { change, format, ..run });
    }

    fn change(&mut self, kind: ChangeKind) -> usize {
        self.list.push(Change { kind, runs: Vec::new(), details: Vec::new() });
        self.list.len() - 1
    }

    fn push(&mut self, run: Run) {
        if let Some(number) = run.change {
            self.list[number].runs.push(self.runs.len());
        }
        self.runs.push(run);
    }

    fn finished(mut self) -> (Vec<Run>, Vec<Change>, Vec<Detail>) {
        for (moved, number) in std::mem::take(&mut self.moved).into_iter().zip(std::mem::take(&mut self.numbers)) {
            for at in moved {
                self.runs[at].change = number;
                if let Some(number) = number {
                    self.list[number].runs.push(at);
                }
            }
        }
        let Lister { looks, runs, mut list, formats, .. } = self;
        for change in list.iter_mut().filter(|change| change.kind == ChangeKind::Replaced) {
            look_at_wholes(change, &runs, &looks);
        }
        (runs, list, formats)
    }
}

/// Says what became of something that is looked at as a whole, where it is in the place of another: an image is another one, and a
/// field is used otherwise.
fn look_at_wholes(change: &mut Change, runs: &[Run], looks: &Looks<'_, '_>) {
    let atom = |&at: &usize| match &runs[at] {
        Run { fate: Fate::Removed, before, .. } => looks.before.atom(before.clone()),
        Run { after, .. } => looks.after.atom(after.clone()),
    };
    let Some(atoms) = change.runs.iter().map(atom).collect::<Option<Vec<Node<'_>>>>() else { return };
    change.kind = ChangeKind::Image;
    let [before, after] = atoms[..] else { return };
    if before.name() != after.name() {
        return;
    }
    change.details = attributes::of_atoms(before, after);
    if after.name().local == "input" && !change.details.is_empty() {
        change.kind = ChangeKind::Attribute;
    } else if atoms::description(before) != atoms::description(after) {
        // What is said by both descriptions need not be said again.
        let is_described = |told: &str| [before, after].map(atoms::described_by).contains(&Some(told));
        change.details.retain(|detail| !matches!(detail, Detail::Attribute { name, .. } if is_described(name)));
    }
}
