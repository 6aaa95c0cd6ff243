//! Which column of a table is which? By the cells that rows have on both sides, all rows together.
//!
//! Row by row one would find a column that came in at one place here and at another there, wherever two cells say the same. So
//! every two columns are weighed by the rows in which they agree, the header for as much as all others; the heaviest row of
//! columns in order stays, and those that agree in most rows and are out of order have moved.

use crate::tree::hash::Fold;
use crate::tree::{Kind, Node, is_blank};

/// A row of both sides, by its cells.
pub type RowPair<'d> = [Vec<Node<'d>>; 2];

/// What becomes of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// It is this one on the other side.
    Stays(usize),
    /// The same, out of order.
    Moves(usize),
    /// It is on one side alone.
    Alone,
    /// Nothing is known.
    Unknown,
}

/// Cells that are compared with each other in a table; of a longer one the first rows say enough.
const BUDGET: usize = 1 << 16;

/// The most columns that are weighed against each other.
const MOST_COLUMNS: usize = 64;

/// Agreeing cells that are no coincidence.
const ENOUGH: u32 = 3;

/// The columns of both sides, given rows that have as many cells each as all others on their side; `None` where they are in their
/// places, or nothing better is known.
pub fn align(rows: &[&RowPair<'_>]) -> Option<[Vec<Column>; 2]> {
    let [before, after] = [0, 1].map(|side| rows.first().map_or(0, |row| row[side].len()));
    if rows.len() < 2 || before.max(after) > MOST_COLUMNS || before.min(after) == 0 {
        return None;
    }
    let weights = Weights::new(rows, [before, after]);
    if before == after && !weights.is_any_elsewhere() {
        return None;
    }
    let mut columns = [vec![Column::Unknown; before], vec![Column::Unknown; after]];
    let stay = weights.heaviest();
    if stay.is_empty() {
        return None;
    }
    for (x, y) in stay {
        columns[0][x] = Column::Stays(y);
        columns[1][y] = Column::Stays(x);
    }
    for x in 0..before {
        let free = (0..after).filter(|&y| columns[1][y] == Column::Unknown && weights.is_most(x, y));
        let Some(y) = free.max_by_key(|&y| weights.of(x, y)).filter(|_| columns[0][x] == Column::Unknown) else {
            continue;
        };
        columns[0][x] = Column::Moves(y);
        columns[1][y] = Column::Moves(x);
    }
    fill(&mut columns);
    Some(columns)
}

/// Says of columns between two that stay that each is the one in its place, where both sides have as many there, and that they are
/// alone where the other side has none.
fn fill(columns: &mut [Vec<Column>; 2]) {
    let stays = columns[0].iter().enumerate().filter_map(|(x, column)| match column {
        Column::Stays(y) => Some((x, *y)),
        _ => None,
    });
    let stays: Vec<(usize, usize)> = stays.chain([(columns[0].len(), columns[1].len())]).collect();
    let mut start = (0, 0);
    for (x, y) in stays {
        let unknown = |side: &[Column], from: usize, to: usize| -> Vec<usize> {
            (from..to).filter(|&at| side[at] == Column::Unknown).collect()
        };
        let (there, here) = (unknown(&columns[0], start.0, x), unknown(&columns[1], start.1, y));
        if there.len() == here.len() {
            for (&x, &y) in there.iter().zip(&here) {
                columns[0][x] = Column::Stays(y);
                columns[1][y] = Column::Stays(x);
            }
        } else if there.is_empty() || here.is_empty() {
            there.iter().for_each(|&x| columns[0][x] = Column::Alone);
            here.iter().for_each(|&y| columns[1][y] = Column::Alone);
        }
        start = (x + 1, y + 1);
    }
}

/// The columns of the other side that rows of one have no cell for, and before which of their own cells each would stand. Where
/// columns came and went at one place, those of the version before come first, as what is gone comes before what is new.
pub fn missing(columns: &[Vec<Column>; 2], side: usize) -> Vec<(usize, usize)> {
    let [own, others] = [&columns[side], &columns[1 - side]];
    let stays = |column: &Column| if let Column::Stays(at) = column { Some(*at) } else { None };
    let place = |at: usize| match side {
        0 => others[at..].iter().find_map(stays).unwrap_or(own.len()),
        _ => others[..at].iter().rev().find_map(stays).map_or(0, |last| last + 1),
    };
    let is_missing = |at: &usize| matches!(others[*at], Column::Alone | Column::Moves(_));
    (0..others.len()).filter(is_missing).map(|at| (place(at), at)).collect()
}

/// How much every two columns agree.
struct Weights {
    lens: [usize; 2],
    weights: Vec<u32>,
    /// What two columns weigh that agree everywhere.
    most: u32,
}

impl Weights {
    fn new(rows: &[&RowPair<'_>], lens: [usize; 2]) -> Self {
        let mut weights = Weights { lens, weights: vec![0; lens[0] * lens[1]], most: 0 };
        let rows = &rows[..rows.len().min(BUDGET / (lens[0] * lens[1])).max(1)];
        for row in rows {
            let is_header = row.iter().flatten().all(|cell| cell.name().local == "th");
            let weight = if is_header { ENOUGH.max(rows.len() as u32) } else { 1 };
            weights.most += weight;
            let [there, here] =
                [&row[0], &row[1]].map(|cells| cells.iter().map(|cell| content(*cell)).collect::<Vec<_>>());
            for (x, old) in there.iter().enumerate().filter(|(_, old)| old.is_some()) {
                for y in here.iter().enumerate().filter(|(_, new)| *new == old).map(|(y, _)| y) {
                    weights.weights[x * lens[1] + y] += weight;
                }
            }
        }
        // Cells that say the same here and there by chance say nothing about their columns.
        let least = weights.most.div_ceil(3);
        weights.weights.iter_mut().filter(|weight| **weight < least).for_each(|weight| *weight = 0);
        weights
    }

    fn of(&self, x: usize, y: usize) -> u32 {
        self.weights[x * self.lens[1] + y]
    }

    /// Whether two columns agree nearly everywhere.
    fn is_most(&self, x: usize, y: usize) -> bool {
        let weight = self.of(x, y);
        weight >= ENOUGH && 5 * u64::from(weight) >= 3 * u64::from(self.most)
    }

    /// Whether a column agrees far more with one in another place than either does with the one in its own.
    fn is_any_elsewhere(&self) -> bool {
        let is_elsewhere = |x: usize, y: usize| {
            let weight = self.of(x, y);
            x != y && self.is_most(x, y) && weight > 2 * self.of(x, x) && weight > 2 * self.of(y, y)
        };
        (0..self.lens[0]).any(|x| (0..self.lens[1]).any(|y| is_elsewhere(x, y)))
    }

    /// The heaviest row of pairs in order.
    fn heaviest(&self) -> Vec<(usize, usize)> {
        let [before, after] = self.lens;
        let mut best = vec![vec![0; after + 1]; before + 1];
        for x in (0..before).rev() {
            for y in (0..after).rev() {
                best[x][y] = best[x + 1][y].max(best[x][y + 1]).max(best[x + 1][y + 1] + self.of(x, y));
            }
        }
        let mut pairs = Vec::new();
        let (mut x, mut y) = (0, 0);
        while x < before && y < after {
            if self.of(x, y) > 0 && best[x][y] == best[x + 1][y + 1] + self.of(x, y) {
                pairs.push((x, y));
                (x, y) = (x + 1, y + 1);
            } else if best[x][y] == best[x][y + 1] {
                y += 1;
            } else {
                x += 1;
            }
        }
        pairs
    }
}

/// What is in a cell, whatever is said of it; `None` where nothing is.
fn content(cell: Node<'_>) -> Option<u64> {
    let is_something = |node: Node<'_>| node.kind() != Kind::Text || !is_blank(node.value().as_bytes());
    let mut content = Fold::new(0, 0);
    let count = cell.children().map(|child| content.child(child.hash())).count();
    cell.children().any(is_something).then(|| content.finish(count as u32))
}
