//! In which row and column of a table does something stand? What the headers say of cells in which something changed.
//!
//! Tables also lay out pages, where the first cell of a row says nothing about the others: it names them only if both are short, as those
//! of data are. Where cells reach into the next rows, columns are not counted.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::text::Reading;
use crate::tree::{HTML_NAMESPACE, Name, Node, NodeId};

/// How much of a header is told.
const TOLD: usize = 60;

/// The most characters of a first cell that names its row without being a header, and of the cells that it names.
const NAMING: usize = 40;
const NAMED: usize = 200;

/// Columns that a cell may take up, as browsers have it.
const WIDEST: usize = 1000;

/// What the headers of a cell say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cell {
    /// That of its row.
    pub row: Option<String>,
    /// That of its column.
    pub column: Option<String>,
}

/// Cells of a page and their headers.
#[derive(Default)]
pub struct Tables(HashMap<NodeId, Cell>);

impl Tables {
    /// Looks for the headers of these cells.
    pub fn new(reading: &Reading<'_>, cells: &HashSet<NodeId>) -> Self {
        let (mut found, mut tables) = (Tables::default(), HashMap::<NodeId, Columns>::new());
        let name = reading.document().names().find(HTML_NAMESPACE, "tr").filter(|_| !cells.is_empty());
        let Some(name) = name else { return found };
        for row in reading.document().nodes().filter(|node| node.is_element() && node.label().name() == name) {
            let Some(table) = row.ancestors().take(2).find(|above| is_html(*above, &["table"])) else { continue };
            let columns = tables.entry(table.id()).or_default();
            let row = Row::new(row);
            if !columns.take_header(reading, &row) && row.0.iter().any(|(_, cell)| cells.contains(&cell.id())) {
                let name = row.name(reading);
                for (place, cell) in row.0.iter().filter(|(_, cell)| cells.contains(&cell.id())) {
                    let row = name.as_ref().filter(|name| name.is_for(reading, *cell)).map(|name| name.said.clone());
                    found.0.insert(cell.id(), Cell { row, column: columns.header(place.start) });
                }
            }
            columns.reach_below |= row.reaches_below();
        }
        found
    }

    /// What the headers of a cell say.
    pub fn cell(&self, cell: NodeId) -> Cell {
        self.0.get(&cell).cloned().unwrap_or_default()
    }
}

/// The columns of a table, while its rows are read.
#[derive(Default)]
struct Columns {
    /// What the headers say, each told once: one may stand above many cells, and be long.
    headers: Vec<(Range<usize>, Option<String>)>,
    /// Whether rows with something else than headers have begun.
    have_begun: bool,
    /// Whether a cell reaches into the next rows, so that theirs stand elsewhere.
    reach_below: bool,
}

impl Columns {
    /// Takes a row for that of the headers, if it is one; the last before all others counts.
    fn take_header(&mut self, reading: &Reading<'_>, row: &Row<'_>) -> bool {
        let is_header = !self.have_begun && row.is_header();
        self.have_begun |= !is_header;
        if is_header {
            self.headers = row.0.iter().map(|(place, header)| (place.clone(), said(reading, *header))).collect();
        }
        is_header
    }

    fn header(&self, column: usize) -> Option<String> {
        let at = self.headers.partition_point(|(place, _)| place.end <= column);
        self.headers.get(at).filter(|_| !self.reach_below).and_then(|(_, said)| said.clone())
    }
}

/// The cells of a row and the columns that they take up.
struct Row<'d>(Vec<(Range<usize>, Node<'d>)>);

impl<'d> Row<'d> {
    fn new(row: Node<'d>) -> Self {
        let mut end = 0;
        let cells = row.children().filter(|child| is_html(*child, &["td", "th"]));
        Row(cells
            .map(|cell| {
                let start = end;
                end += span(cell, "colspan").clamp(1, WIDEST);
                (start..end, cell)
            })
            .collect())
    }

    /// Whether it names columns.
    fn is_header(&self) -> bool {
        let is_in_head = |cell: Node<'_>| cell.ancestors().nth(1).is_some_and(|part| is_html(part, &["thead"]));
        let first = self.0.first().map(|(_, cell)| *cell);
        first.is_some_and(is_in_head) || self.0.len() > 1 && self.0.iter().all(|(_, cell)| is_html(*cell, &["th"]))
    }

    fn reaches_below(&self) -> bool {
        self.0.iter().any(|(_, cell)| span(*cell, "rowspan") != 1)
    }

    /// What names its cells: a header, or the first of them.
    fn name(&self, reading: &Reading<'_>) -> Option<RowName<'d>> {
        let cells = || self.0.iter().map(|(_, cell)| *cell);
        let header = cells().find(|cell| is_html(*cell, &["th"]));
        let cell = header.or_else(|| cells().next().filter(|first| is_short(reading, *first, NAMING)))?;
        Some(RowName { cell, said: said(reading, cell)?, is_header: header.is_some() })
    }
}

/// The name of a row.
struct RowName<'d> {
    cell: Node<'d>,
    said: String,
    is_header: bool,
}

impl RowName<'_> {
    /// Whether it names a cell of its row.
    fn is_for(&self, reading: &Reading<'_>, cell: Node<'_>) -> bool {
        cell.id() != self.cell.id() && (self.is_header || is_short(reading, cell, NAMED))
    }
}

/// Whether a cell has few words, and begins with one.
fn is_short(reading: &Reading<'_>, cell: Node<'_>, most: usize) -> bool {
    let words = reading.excerpt(reading.items_below(cell), most);
    !words.ends_with('…') && !words.starts_with('[')
}

/// How many rows or columns a cell takes up.
fn span(cell: Node<'_>, name: &str) -> usize {
    cell.attribute("", name).map_or(1, |value| value.trim().parse().unwrap_or(1))
}

fn said(reading: &Reading<'_>, cell: Node<'_>) -> Option<String> {
    Some(reading.excerpt(reading.items_below(cell), TOLD)).filter(|words| !words.is_empty())
}

fn is_html(node: Node<'_>, names: &[&str]) -> bool {
    let Name { namespace, local } = node.name();
    node.is_element() && namespace == HTML_NAMESPACE && names.contains(&local)
}
