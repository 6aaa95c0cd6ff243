//! Which cell of a table is which? The one in the same column, else what the matching says.
//!
//! A matching of trees goes by content: where a row `1 2 3` becomes `2 3 3`, it finds that a cell went and another came. A
//! reader sees columns. Where they came, went or moved, all rows say which is which (`columns`); else it is the one in the same
//! place, in rows of as many cells as before.

use super::super::reading::{Reading, Role, Segment};
use super::columns::{self, Column, RowPair};
use super::entries::Entries;
use crate::matching::Matching;
use crate::tree::hash::ByHash;
use crate::tree::{HTML_NAMESPACE, Node, NodeId};

/// The cells that are pairs, beyond those of the matching, and the entries of definition lists.
#[derive(Debug, Default)]
pub struct Cells {
    /// Partners in the same column, by the cell before and by the cell after; `None` where they have none in order.
    after_of: ByHash<NodeId, Option<NodeId>>,
    before_of: ByHash<NodeId, Option<NodeId>>,
    moved: Vec<MovedCell>,
    /// The columns that are on one side alone, by their cells; those beside each other are one.
    lone: [ByHash<NodeId, ColumnId>; 2],
    /// The rows that have fewer or more cells than before, where nobody knows which is which, by the cells of both sides: what is in one
    /// may be in any other.
    loose: [ByHash<NodeId, NodeId>; 2],
    pub entries: Entries,
    /// The columns that rows have no cell for, by tables and sides, and the tables that rows are in, whose cells are one in each column.
    missing: Vec<[Vec<(usize, usize)>; 2]>,
    rows: [ByHash<NodeId, usize>; 2],
}

/// Equal for cells of one column, and on its side for no others.
pub type ColumnId = (NodeId, usize);

/// A cell of a column that moved.
#[derive(Debug)]
pub struct MovedCell {
    pub before: NodeId,
    pub after: NodeId,
    pub column: ColumnId,
}

/// How far up a cell is looked for.
const MOST_AROUND: usize = 32;

/// The rows of a table in which something changed, on both sides.
struct Table<'d> {
    before: Node<'d>,
    after: Node<'d>,
    rows: Vec<RowPair<'d>>,
}

impl Cells {
    pub fn new(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Self {
        let mut cells = Cells { entries: Entries::new(before, after, matching), ..Cells::default() };
        for table in tables([before, after], matching) {
            cells.pair_table(&table, matching);
        }
        cells
    }

    fn pair_table(&mut self, table: &Table<'_>, matching: &Matching) {
        let widths = |row: &RowPair<'_>| [row[0].len(), row[1].len()];
        // What is in several columns is in none of them.
        let usual = table.rows.iter().find(|row| !has_span(row, "colspan")).map_or([0, 0], widths);
        let is_full = |row: &RowPair<'_>| widths(row) == usual && !has_span(row, "colspan");
        let full: Vec<&RowPair<'_>> = table.rows.iter().filter(|row| is_full(row)).collect();
        // A row that is the same has its columns where they were, and where cells reach into the next rows nobody knows.
        let is_known = || !table.rows.iter().any(|row| has_span(row, "rowspan")) && !table.has_same_row(matching);
        let columns =
            Some(full).filter(|full| 3 * full.len() >= 2 * table.rows.len()).and_then(|full| columns::align(&full));
        match columns.filter(|_| is_known()) {
            Some(columns) => {
                for row in &table.rows {
                    match is_full(row) {
                        true => self.pair_columns(row, &columns, table.after.id()),
                        false => self.pair_row(row),
                    }
                }
                self.miss_columns(table, &columns);
            }
            None => table.rows.iter().for_each(|row| self.pair_row(row)),
        }
    }

    /// Remembers which rows have no cell in columns of the other side, be they pairs or not.
    fn miss_columns(&mut self, table: &Table<'_>, columns: &[Vec<Column>; 2]) {
        for (side, table) in [table.before, table.after].into_iter().enumerate() {
            let is_full = |row: &Node<'_>| {
                let cells = || row.children().filter(|cell| is_cell(*cell));
                cells().count() == columns[side].len() && !cells().any(|cell| spans(cell, "colspan"))
            };
            self.rows[side].extend(rows(table).filter(is_full).map(|row| (row.id(), self.missing.len())));
        }
        self.missing.push([0, 1].map(|side| columns::missing(columns, side)));
    }

    fn pair_row(&mut self, [before, after]: &RowPair<'_>) {
        if before.len() == after.len() {
            return before.iter().zip(after).for_each(|(old, new)| self.pair(old.id(), new.id()));
        }
        self.loosen([before, after].map(|cells| cells.iter().copied()));
    }

    /// What is in one of these cells of a row may be in any other.
    fn loosen<'d>(&mut self, [before, after]: [impl Iterator<Item = Node<'d>> + Clone; 2]) {
        let Some(row) = after.clone().chain(before.clone()).next().map(|cell| cell.id()) else { return };
        self.loose[0].extend(before.map(|cell| (cell.id(), row)));
        self.loose[1].extend(after.map(|cell| (cell.id(), row)));
    }

    fn pair_columns<'d>(&mut self, [before, after]: &RowPair<'d>, [old, new]: &[Vec<Column>; 2], table: NodeId) {
        for (x, (cell, column)) in before.iter().zip(old).enumerate() {
            match *column {
                Column::Stays(y) => self.pair(cell.id(), after[y].id()),
                Column::Moves(y) => {
                    self.after_of.insert(cell.id(), None);
                    self.moved.push(MovedCell { before: cell.id(), after: after[y].id(), column: (table, x) });
                }
                Column::Alone => {
                    self.after_of.insert(cell.id(), None);
                }
                Column::Unknown => {}
            }
        }
        let alone = after.iter().zip(new).filter(|(_, column)| matches!(column, Column::Moves(_) | Column::Alone));
        self.before_of.extend(alone.map(|(cell, _)| (cell.id(), None)));
        let unknown = |(cell, column): (&Node<'d>, &Column)| (*column == Column::Unknown).then_some(*cell);
        self.loosen([before.iter().zip(old).filter_map(unknown), after.iter().zip(new).filter_map(unknown)]);
        for ((cells, columns), lone) in [(before, old), (after, new)].into_iter().zip(&mut self.lone) {
            let mut first = 0;
            for (x, cell) in cells.iter().enumerate() {
                match columns[x] {
                    Column::Alone => {
                        lone.insert(cell.id(), (table, first));
                    }
                    _ => first = x + 1,
                }
            }
        }
    }

    fn pair(&mut self, before: NodeId, after: NodeId) {
        self.after_of.insert(before, Some(after));
        self.before_of.insert(after, Some(before));
    }

    /// The cells of columns that moved.
    pub fn moved(&self) -> &[MovedCell] {
        &self.moved
    }

    /// The column that a node is in, on that side alone; 0 is the one before. A cell may have a table in it.
    pub fn lone_column(&self, side: usize, node: Node<'_>) -> Option<ColumnId> {
        if self.lone[side].is_empty() {
            return None;
        }
        let around = std::iter::once(node).chain(node.ancestors()).take(MOST_AROUND);
        around.into_iter().find_map(|around| self.lone[side].get(&around.id()).copied())
    }

    /// Whether a side has columns of its own.
    pub fn has_lone_columns(&self, side: usize) -> bool {
        !self.lone[side].is_empty()
    }

    /// The columns of the other side that a row has no cell for, and before which of its own cells each would stand.
    pub fn missing(&self, side: usize, row: NodeId) -> &[(usize, usize)] {
        if self.missing.is_empty() {
            return &[];
        }
        self.rows[side].get(&row).map_or(&[], |&table| &self.missing[table][side])
    }

    /// The cell of `after` that is the one of `before`.
    pub fn after_of(&self, before: NodeId, matching: &Matching) -> Option<NodeId> {
        self.after_of.get(&before).copied().unwrap_or_else(|| matching.after_of(before))
    }

    /// The cell of `before` that is the one of `after`.
    pub fn before_of(&self, after: NodeId, matching: &Matching) -> Option<NodeId> {
        self.before_of.get(&after).copied().unwrap_or_else(|| matching.before_of(after))
    }

    /// The element of `after` that is the one of `before`: a cell in the same place, or what the matching says.
    pub fn element_after_of(&self, before: Node<'_>, matching: &Matching) -> Option<NodeId> {
        match is_cell(before) {
            true => self.after_of(before.id(), matching),
            false => matching.after_of(before.id()),
        }
    }

    /// The element of `before` that is the one of `after`, likewise.
    pub fn element_before_of(&self, after: Node<'_>, matching: &Matching) -> Option<NodeId> {
        match is_cell(after) {
            true => self.before_of(after.id(), matching),
            false => matching.before_of(after.id()),
        }
    }

    /// Whether a text may be what another was, by their cells and entries.
    pub fn may_be_one(&self, there: &Segment, here: &Segment, matching: &Matching) -> bool {
        self.may_pair(there.cell, here.cell, matching) && self.entries.may_pair(there.block, here.block)
    }

    /// Whether what is in the one cell may be compared with what is in the other; the document stands for no cell.
    pub fn may_pair(&self, before: NodeId, after: NodeId, matching: &Matching) -> bool {
        if before == NodeId::DOCUMENT || after == NodeId::DOCUMENT {
            return true;
        }
        if !self.loose[0].is_empty() {
            let rows = [self.loose[0].get(&before), self.loose[1].get(&after)];
            if rows[0].is_some() && rows[0] == rows[1] {
                return true;
            }
        }
        let is_alone = self.after_of.get(&before) == Some(&None) || self.before_of.get(&after) == Some(&None);
        let partners = [self.after_of(before, matching), self.before_of(after, matching)];
        !is_alone && (partners == [None, None] || partners == [Some(after), Some(before)])
    }

    /// Whether both are cells, and the one is the other.
    pub fn are_pair(&self, before: NodeId, after: NodeId, matching: &Matching) -> bool {
        before != NodeId::DOCUMENT && self.after_of(before, matching) == Some(after)
    }
}

/// The tables with rows that are on both sides and not the same: in those that are the matching is right, and there are many.
fn tables<'d>([before, after]: [&Reading<'d>; 2], matching: &Matching) -> Vec<Table<'d>> {
    let mut tables: Vec<Table<'d>> = Vec::new();
    let mut numbers: ByHash<[NodeId; 2], usize> = ByHash::default();
    let Some(row) = after.document().names().find(HTML_NAMESPACE, "tr") else { return tables };
    let cells = |row: Node<'d>, reading: &Reading<'d>| -> Vec<Node<'d>> {
        row.children().filter(|child| child.is_element() && reading.role(*child) == Role::Cell).collect()
    };
    for row in after.document().nodes().filter(|node| node.is_element() && node.label().name() == row) {
        let partner = matching.before_of(row.id()).filter(|_| !matching.is_same(row.id()));
        let Some(partner) = partner.map(|partner| before.document().node(partner)) else { continue };
        let [old, new] = [partner, row].map(|row| row.parent().and_then(super::looks::table).unwrap_or(row));
        let number = *numbers.entry([old.id(), new.id()]).or_insert(tables.len());
        if number == tables.len() {
            tables.push(Table { before: old, after: new, rows: Vec::new() });
        }
        tables[number].rows.push([cells(partner, before), cells(row, after)]);
    }
    tables
}

impl Table<'_> {
    /// Whether a row of several cells is the same, those of tables in it aside.
    fn has_same_row(&self, matching: &Matching) -> bool {
        let has_columns = |row: Node<'_>| row.children().filter(|cell| cell.is_element()).nth(1).is_some();
        rows(self.after).any(|row| matching.is_same(row.id()) && has_columns(row))
    }
}

/// The rows of a table, those of tables in it aside.
fn rows<'d>(table: Node<'d>) -> impl Iterator<Item = Node<'d>> {
    let sections = table.children().filter(|child| child.is_element());
    let rows = sections.flat_map(|section| std::iter::once(section).chain(section.children()));
    rows.filter(|node| node.is_element() && node.name().local == "tr")
}

/// Whether a cell takes up more than one column, or row.
fn has_span(row: &RowPair<'_>, name: &str) -> bool {
    row.iter().flatten().any(|cell| spans(*cell, name))
}

fn spans(cell: Node<'_>, name: &str) -> bool {
    cell.attribute("", name).is_some_and(|span| span.trim() != "1")
}

fn is_cell(node: Node<'_>) -> bool {
    node.is_element() && matches!(node.name().local, "td" | "th")
}
