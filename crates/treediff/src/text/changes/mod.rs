//! What did a reader miss? Two readings beside each other: what stayed, went, came and moved, as a list of changes.
//!
//! The items of both sides are covered by [`Run`]s in one order that keeps the order of each side, so that what is
//! left without the removed parts is the one page, and without the added parts the other. Passages in blocks that did not
//! change stay whole (`unchanged`). Sentences that stand in subtrees which the matching knows to be the same come first
//! (`anchors`); between them sentences are paired by the words they share (`align`, with `cells`, `columns`, `entries`, `heaviest`, `weigh` and
//! `parted`), words of paired sentences by their longest common row (`compare`), and their differences are put as people would mark
//! them (`readable`, by `slide`, `wholes` and `islands`). What is gone at one place and there at another has moved (`moves`, with `edited`). Runs
//! next to each other are one [`Change`] (`lister`). Words that stayed may lead elsewhere or look different (`looks`), elements may
//! say something else (`attributes`) or come around them (`around`), what stands beside them without words may (`wordless`), and rules may stand elsewhere (`rules`).

mod align;
mod anchors;
mod around;
mod attributes;
mod cells;
mod columns;
mod compare;
mod details;
mod edited;
mod entities;
mod entries;
mod heaviest;
mod islands;
mod lister;
mod looks;
mod moves;
mod parted;
mod readable;
mod rules;
mod slide;
mod unchanged;
mod weigh;
mod wholes;
mod wordless;

use std::ops::Range;

pub use details::Detail;
pub use entities::Entities;

use super::reading::{Addresses, Both, Gathered, Reading, read_both};
use crate::matching::Matching;
use crate::tree::Document;
use around::Around;
use attributes::Attributes;
use cells::Cells;

/// What became of some items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// They are on both sides.
    Same,
    /// They are gone.
    Removed,
    /// They are new.
    Added,
    /// They are at another place now.
    MovedFrom,
    /// They were at another place.
    MovedTo,
}

/// Items that follow each other and have one fate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// What became of them.
    pub fate: Fate,
    /// Items of `before`; empty, and the place where they would be, for what is new there.
    pub before: Range<usize>,
    /// Items of `after`, likewise.
    pub after: Range<usize>,
    /// Which of [`Changes::list`] it is a part of.
    pub change: Option<usize>,
    /// Which of [`Changes::formats`] it is.
    pub format: Option<usize>,
}

/// What kind of change it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeKind {
    /// Something is new.
    Added,
    /// Something is gone.
    Removed,
    /// Something is in the place of something else.
    Replaced,
    /// Something is at another place.
    Moved,
    /// Words lead elsewhere.
    Link,
    /// Something that is looked at as a whole is in the place of another.
    Image,
    /// An attribute that readers see or hear is another.
    Attribute,
    /// The address is the same, and what is there is not.
    Entity,
    /// Words only look different; these are in [`Changes::formats`] and not in [`Changes::list`].
    Formatting,
}

impl ChangeKind {
    /// All of them.
    pub const ALL: [ChangeKind; 9] = [
        ChangeKind::Added,
        ChangeKind::Removed,
        ChangeKind::Replaced,
        ChangeKind::Moved,
        ChangeKind::Link,
        ChangeKind::Image,
        ChangeKind::Attribute,
        ChangeKind::Entity,
        ChangeKind::Formatting,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            ChangeKind::Added => "added",
            ChangeKind::Removed => "removed",
            ChangeKind::Replaced => "replaced",
            ChangeKind::Moved => "moved",
            ChangeKind::Link => "link",
            ChangeKind::Image => "image",
            ChangeKind::Attribute => "attribute",
            ChangeKind::Entity => "entity",
            ChangeKind::Formatting => "formatting",
        }
    }
}

/// One change, as a reader would count them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What kind it is.
    pub kind: ChangeKind,
    /// Its runs, by their places in [`Changes::runs`], in order; those of what moved as if it had stayed, so that words which
    /// were edited on the way follow each other. Words that moved and lead elsewhere are a change of their own, and of the move.
    pub runs: Vec<usize>,
    /// What changed beyond the words.
    pub details: Vec<Detail>,
    /// Whether it is one of a whole column of a table.
    pub is_column: bool,
}

/// The changes between two versions of a page.
#[derive(Debug)]
pub struct Changes<'d> {
    before: Reading<'d>,
    after: Reading<'d>,
    runs: Vec<Run>,
    list: Vec<Change>,
    formats: Vec<Detail>,
    notices: Vec<Detail>,
    cells: Cells,
}

impl<'d> Changes<'d> {
    /// Compares two pages, whose white space was kept ([`crate::parse::Whitespace::Exact`]). Most passages that did not change
    /// are one item each ([`super::ItemKind::Passage`]), and one sentence.
    pub fn new(before: &'d Document, after: &'d Document, matching: &Matching, entities: &Entities) -> Self {
        Self::at([before, after], matching, entities, [Addresses::default(); 2])
    }

    /// The same where it is known what the references of each page lead to: the same address written in another way is no
    /// change.
    pub fn at(
        documents: [&'d Document; 2],
        matching: &Matching,
        entities: &Entities,
        addresses: [Addresses<'d>; 2],
    ) -> Self {
        Self::read(documents, matching, entities, addresses, unchanged::passages)
    }

    /// The same for those who ask about the sentences that did not change, too.
    pub fn of_all_sentences(
        before: &'d Document,
        after: &'d Document,
        matching: &Matching,
        entities: &Entities,
    ) -> Self {
        Self::read([before, after], matching, entities, [Addresses::default(); 2], |_, _, _, _, _| Vec::new())
    }

    fn read(
        documents: [&'d Document; 2],
        matching: &Matching,
        entities: &Entities,
        addresses: [Addresses<'d>; 2],
        are_whole: impl FnOnce([&Gathered<'d>; 2], &Matching, &Cells, &Attributes, &Around) -> Vec<anchors::Pair>,
    ) -> Self {
        let (mut cells, mut attributes, mut around) = Default::default();
        let Both { readings: [before, after], whole } = read_both(documents, addresses, |gathered| {
            cells = Cells::new(&gathered[0].reading, &gathered[1].reading, matching);
            attributes = Attributes::new(&gathered[0].reading, &gathered[1].reading, matching, &cells, entities);
            around = Around::new(&gathered[0].reading, &gathered[1].reading, matching);
            are_whole(gathered, matching, &cells, &attributes, &around)
        });
        let groups = align::groups(&before, &after, &whole, matching, &cells);
        let mut runs = compare::runs(&before, &after, groups);
        let moves = moves::find(&before, &after, matching, &cells, &mut runs);
        let changes =
            Changes { before, after, runs, list: Vec::new(), formats: Vec::new(), notices: Vec::new(), cells };
        lister::told(changes, moves, (attributes, around), entities)
    }

    /// The version before as it is read.
    pub fn before(&self) -> &Reading<'d> {
        &self.before
    }

    /// The version after as it is read.
    pub fn after(&self) -> &Reading<'d> {
        &self.after
    }

    /// Which cell of a table is which.
    pub(crate) fn cells(&self) -> &Cells {
        &self.cells
    }

    /// All items of both sides in one order.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The changes, in the order in which they are read.
    pub fn list(&self) -> &[Change] {
        &self.list
    }

    /// What only looks different.
    pub fn formats(&self) -> &[Detail] {
        &self.formats
    }

    /// What changed and is not seen in the page: its title, its language, its scripts.
    pub fn notices(&self) -> &[Detail] {
        &self.notices
    }
}

#[cfg(test)]
mod tests;
