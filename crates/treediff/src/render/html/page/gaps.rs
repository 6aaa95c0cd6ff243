//! Which cells does a row have too few? A row that only one side has, or that moved, has none in a column that came or went, and
//! without one its others would stand under the wrong headers.

use super::chunks::items_in;
use super::places::is_cell;
use super::{Others, PageOptions, Side};
use crate::matching::Matching;
use crate::text::Changes;
use crate::tree::Node;

/// Finds the cells that rows have too few beside what is shown of the other side.
pub struct Gaps<'c, 'd> {
    pub changes: &'c Changes<'d>,
    pub matching: &'c Matching,
    pub options: &'c PageOptions<'c>,
}

impl Gaps<'_, '_> {
    /// How many are missing right before a cell; `is_base` says whether it is of the page itself.
    pub fn before(&self, cell: Node<'_>, is_base: bool) -> usize {
        let Some(row) = cell.parent() else { return 0 };
        let own = || row.children().take_while(|other| other.id() != cell.id()).filter(|other| is_cell(*other)).count();
        self.at(row, own, is_base)
    }

    /// How many are missing behind the last cell of a row.
    pub fn behind(&self, row: Node<'_>, is_base: bool) -> usize {
        self.at(row, || row.children().filter(|cell| is_cell(*cell)).count(), is_base)
    }

    fn at(&self, row: Node<'_>, place: impl Fn() -> usize, is_base: bool) -> usize {
        let side = usize::from(is_base == (self.options.side == Side::After));
        let missing = self.changes.cells().missing(side, row.id());
        if missing.is_empty() || self.options.others != Others::Shown {
            return 0;
        }
        let place = place();
        let mut here = missing.iter().filter(|(before, _)| *before == place).map(|(_, column)| *column).peekable();
        if here.peek().is_none() {
            return 0;
        }
        // What comes in as a row stands by itself.
        match self.partner(side, row).filter(|partner| is_base && !self.are_apart(side, row, *partner)) {
            Some(partner) => here.filter(|&column| self.is_empty(1 - side, partner, column)).count(),
            None => here.count(),
        }
    }

    fn partner(&self, side: usize, row: Node<'_>) -> Option<Node<'_>> {
        let partner = match side {
            0 => self.matching.after_of(row.id()).map(|row| self.changes.after().document().node(row)),
            _ => self.matching.before_of(row.id()).map(|row| self.changes.before().document().node(row)),
        };
        partner.filter(|row| row.is_element())
    }

    /// Whether a row and its partner are shown as two, each at its own place: nothing of the one comes to stand in the other.
    fn are_apart(&self, side: usize, row: Node<'_>, partner: Node<'_>) -> bool {
        let readings = [self.changes.before(), self.changes.after()];
        let (own, others) = (items_in(readings[side], row), items_in(readings[1 - side], partner));
        let runs = self.changes.runs();
        let items = |at: usize, side: usize| [&runs[at].before, &runs[at].after][side];
        let first = runs.partition_point(|run| [&run.before, &run.after][1 - side].end <= others.start);
        let mut of_partner = (first..runs.len()).take_while(|&at| items(at, 1 - side).start < others.end);
        !of_partner.any(|at| items(at, side).start <= own.end && own.start <= items(at, side).end)
    }

    /// Whether nothing is in a cell of a row that is on both sides, so that nothing comes in from it.
    fn is_empty(&self, side: usize, row: Node<'_>, column: usize) -> bool {
        let reading = [self.changes.before(), self.changes.after()][side];
        let cell = row.children().filter(|cell| is_cell(*cell)).nth(column);
        cell.is_some_and(|cell| items_in(reading, cell).is_empty())
    }
}
