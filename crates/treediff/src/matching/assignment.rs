//! Who goes with whom, when every pair has its price? The cheapest assignment of rows to columns, exactly or nearly.
//!
//! Any row and any column may stay free, for what its freedom costs, and pairs may be forbidden; so there is always an
//! answer, and a pair is made only where it saves something: what both would cost alone, less what they cost together.
//! What is found is the assignment that saves the most.
//!
//! ```text
//!          b1   b2   b3   free
//!     a1    1    4    x    5          exact: a1–b2, a2–b1 (1 saved by a1's second choice)
//!     a2    2    x    x    9
//!   free    0    0    0
//! ```
//!
//! [`exact`] is the Hungarian method with potentials (Kuhn 1955; Jonker and Volgenant 1987): rows come in one by one, each
//! by a shortest path through those that are there; O(n²m) for n ≤ m, whichever side is the smaller. [`local`] is what
//! Molchanov, Globa and Alexeyev (2012) do instead: [`greedy`], then swaps of two columns while that saves anything;
//! O(nm log nm) and O(nm) a pass. It can stop at an optimum that no swap of two improves, but one of three would.
//!
//! Rejected: to pad the matrix to a square of n + m with the costs of staying free, which is simpler and eight times the
//! work; a row's freedom is a column of its own that nobody else can reach, so that one number stands for it.

/// What it costs to pair each row with each column, and to leave it free.
#[derive(Debug, Clone)]
pub(crate) struct Costs {
    columns: usize,
    /// Row by row.
    cells: Vec<u32>,
    free_rows: Vec<u32>,
    free_columns: Vec<u32>,
}

/// The cost of what cannot be a pair.
pub(crate) const FORBIDDEN: u32 = u32::MAX;

/// For every row its column, where it has one.
pub(crate) type Assigned = Vec<Option<usize>>;

impl Costs {
    /// All pairs are forbidden at first, and to stay free costs nothing.
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        Costs {
            columns,
            cells: vec![FORBIDDEN; rows * columns],
            free_rows: vec![0; rows],
            free_columns: vec![0; columns],
        }
    }

    /// What the pair costs; [`FORBIDDEN`] where it cannot be one.
    pub(crate) fn set_pair(&mut self, row: usize, column: usize, cost: u32) {
        self.cells[row * self.columns + column] = cost;
    }

    /// What it costs to leave a row free.
    pub(crate) fn set_free_row(&mut self, row: usize, cost: u32) {
        self.free_rows[row] = cost;
    }

    /// What it costs to leave a column free.
    pub(crate) fn set_free_column(&mut self, column: usize, cost: u32) {
        self.free_columns[column] = cost;
    }

    /// What an assignment costs, all that is free included.
    pub(crate) fn total(&self, assigned: &Assigned) -> u64 {
        let sum = |costs: &[u32]| costs.iter().map(|&cost| u64::from(cost)).sum::<u64>();
        let pairs = assigned.iter().enumerate().filter_map(|(row, column)| Some((row, (*column)?)));
        pairs.fold(sum(&self.free_rows) + sum(&self.free_columns), |total, (row, column)| {
            let alone = u64::from(self.free_rows[row]) + u64::from(self.free_columns[column]);
            total - alone + u64::from(self.cells[row * self.columns + column])
        })
    }

    /// What a pair saves; nothing where it is forbidden.
    fn saving(&self, row: usize, column: usize) -> i64 {
        match self.cells[row * self.columns + column] {
            FORBIDDEN => 0,
            cost => (i64::from(self.free_rows[row]) + i64::from(self.free_columns[column]) - i64::from(cost)).max(0),
        }
    }
}

/// The cheapest assignment there is.
pub(crate) fn exact(costs: &Costs) -> Assigned {
    let savings = Savings::new(costs);
    let mut search = Search::new(&savings);
    for row in 0..savings.rows {
        search.add(row);
    }
    savings.assigned(&search.row_of)
}

/// The best pair of all, then the best of what is left, and so on.
pub(crate) fn greedy(costs: &Costs) -> Assigned {
    let savings = Savings::new(costs);
    savings.assigned(&savings.greedy())
}

/// [`greedy`], then swaps of the rows of two columns while that saves anything.
pub(crate) fn local(costs: &Costs) -> Assigned {
    let savings = Savings::new(costs);
    let mut row_of = savings.greedy();
    savings.place_the_rest(&mut row_of);
    for _ in 0..PASSES {
        if !savings.swap(&mut row_of) {
            break;
        }
    }
    savings.assigned(&row_of)
}

/// Swaps go through all pairs of columns so often at most; two or three times is what it takes.
const PASSES: usize = 32;

/// No row, no column.
const NONE: usize = usize::MAX;

/// What pairs save, with no more rows than columns: a pair that saves nothing is as good as two that are free.
struct Savings {
    is_turned: bool,
    rows: usize,
    columns: usize,
    cells: Vec<i64>,
}

impl Savings {
    fn new(costs: &Costs) -> Self {
        let (rows, columns) = (costs.free_rows.len(), costs.columns);
        let is_turned = rows > columns;
        let mut cells = Vec::with_capacity(rows * columns);
        if is_turned {
            cells.extend((0..columns).flat_map(|column| (0..rows).map(move |row| costs.saving(row, column))));
            return Savings { is_turned, rows: columns, columns: rows, cells };
        }
        cells.extend((0..rows).flat_map(|row| (0..columns).map(move |column| costs.saving(row, column))));
        Savings { is_turned, rows, columns, cells }
    }

    fn row(&self, row: usize) -> &[i64] {
        &self.cells[row * self.columns..][..self.columns]
    }

    /// What a column saves with a row, or with none.
    fn of(&self, row: usize, column: usize) -> i64 {
        if row == NONE { 0 } else { self.cells[row * self.columns + column] }
    }

    /// For every column its row, the best pairs first; of equal ones the first.
    fn greedy(&self) -> Vec<usize> {
        let mut worth: Vec<usize> = (0..self.cells.len()).filter(|&cell| self.cells[cell] > 0).collect();
        worth.sort_by_key(|&cell| std::cmp::Reverse(self.cells[cell]));
        let (mut row_of, mut is_placed) = (vec![NONE; self.columns], vec![false; self.rows]);
        for cell in worth {
            let (row, column) = (cell / self.columns, cell % self.columns);
            if row_of[column] == NONE && !is_placed[row] {
                row_of[column] = row;
                is_placed[row] = true;
            }
        }
        row_of
    }

    /// Rows that are free go into columns that are, which saves nothing, but makes every change a swap of two columns.
    fn place_the_rest(&self, row_of: &mut [usize]) {
        let mut is_placed = vec![false; self.rows];
        row_of.iter().filter(|&&row| row != NONE).for_each(|&row| is_placed[row] = true);
        let rest = (0..self.rows).filter(|&row| !is_placed[row]);
        for (place, row) in row_of.iter_mut().filter(|row| **row == NONE).zip(rest) {
            *place = row;
        }
    }

    /// One pass through all pairs of columns of which one has a row; whether any was swapped.
    fn swap(&self, row_of: &mut [usize]) -> bool {
        let mut is_better = false;
        let mut column_of = vec![NONE; self.rows];
        row_of.iter().enumerate().filter(|&(_, &row)| row != NONE).for_each(|(column, &row)| column_of[row] = column);
        for row in 0..self.rows {
            for there in 0..self.columns {
                let (here, other) = (column_of[row], row_of[there]);
                let now = self.of(row, here) + self.of(other, there);
                if self.of(row, there) + self.of(other, here) > now {
                    row_of.swap(here, there);
                    column_of[row] = there;
                    if other != NONE {
                        column_of[other] = here;
                    }
                    is_better = true;
                }
            }
        }
        is_better
    }

    /// The pairs that save something, by the rows that the caller knows.
    fn assigned(&self, row_of: &[usize]) -> Assigned {
        let pairs = row_of.iter().enumerate().filter(|&(column, &row)| self.of(row, column) > 0);
        if self.is_turned {
            let mut assigned = vec![None; self.columns];
            pairs.for_each(|(column, &row)| assigned[column] = Some(row));
            return assigned;
        }
        let mut assigned = vec![None; self.rows];
        pairs.for_each(|(column, &row)| assigned[row] = Some(column));
        assigned
    }
}

/// The Hungarian method, halfway: some rows have come in, and those have the best assignment among them.
///
/// `row_price + column_price` is at least what the pair saves, and just that for pairs that are made; `row_price` is
/// never negative, since every row could stay free and save nothing.
struct Search<'s> {
    savings: &'s Savings,
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    row_of: Vec<usize>,
    /// Of every column on a way: by how much its pair with a row on the way misses the prices, and the column before it.
    slack: Vec<i64>,
    previous: Vec<usize>,
    is_reached: Vec<bool>,
    reached: Vec<usize>,
}

/// Where the shortest way ends.
enum End {
    /// At a column that has no row.
    Column(usize),
    /// At the row in this column, or at the new one, which becomes free.
    Row(usize),
}

impl<'s> Search<'s> {
    fn new(savings: &'s Savings) -> Self {
        let columns = savings.columns;
        Search {
            savings,
            row_price: vec![0; savings.rows],
            column_price: vec![0; columns],
            row_of: vec![NONE; columns],
            slack: vec![i64::MAX; columns],
            previous: vec![NONE; columns],
            is_reached: vec![false; columns],
            reached: Vec::new(),
        }
    }

    fn add(&mut self, row: usize) {
        self.row_price[row] = self.best_price(row);
        self.slack.fill(i64::MAX);
        self.is_reached.fill(false);
        self.reached.clear();
        match self.shortest_way(row) {
            // The new row is the one that stays free.
            End::Row(NONE) => {}
            End::Column(column) | End::Row(column) => self.shift(row, column),
        }
    }

    /// The least price of a new row that keeps all its pairs in bounds.
    fn best_price(&self, row: usize) -> i64 {
        let over = self.savings.row(row).iter().zip(&self.column_price).map(|(saving, price)| saving - price);
        over.max().unwrap_or(0).max(0)
    }

    /// Goes from the new row to the column with the least slack, from there to its row, and on, and changes prices so
    /// that the way there is tight; till a column has no row, or it is cheapest that a row on the way stays free.
    fn shortest_way(&mut self, new: usize) -> End {
        let (mut row, mut from) = (new, NONE);
        let mut cheapest_free = (i64::MAX, NONE);
        loop {
            let nearest = self.look_from(row, from);
            // To stay free, a row gives up its price.
            if self.row_price[row] < cheapest_free.0 {
                cheapest_free = (self.row_price[row], from);
            }
            let step = nearest.map_or(i64::MAX, |column| self.slack[column]);
            if cheapest_free.0 < step || nearest.is_none() {
                self.change_prices(new, cheapest_free.0);
                return End::Row(cheapest_free.1);
            }
            let Some(column) = nearest else { return End::Row(NONE) };
            self.change_prices(new, step);
            cheapest_free.0 -= step;
            self.is_reached[column] = true;
            self.reached.push(column);
            if self.row_of[column] == NONE {
                return End::Column(column);
            }
            (row, from) = (self.row_of[column], column);
        }
    }

    /// Slacks by way of a row; the column with the least of those that have not been reached.
    fn look_from(&mut self, row: usize, from: usize) -> Option<usize> {
        let mut nearest = None;
        let mut least = i64::MAX;
        for (column, &saving) in self.savings.row(row).iter().enumerate() {
            if self.is_reached[column] {
                continue;
            }
            let slack = self.row_price[row] + self.column_price[column] - saving;
            if slack < self.slack[column] {
                self.slack[column] = slack;
                self.previous[column] = from;
            }
            if self.slack[column] < least {
                least = self.slack[column];
                nearest = Some(column);
            }
        }
        nearest
    }

    /// Rows on the way get cheaper by a step, their columns dearer, and the others come nearer.
    fn change_prices(&mut self, new: usize, step: i64) {
        if step == 0 {
            return;
        }
        self.row_price[new] -= step;
        for &column in &self.reached {
            self.row_price[self.row_of[column]] -= step;
            self.column_price[column] += step;
        }
        for (slack, is_reached) in self.slack.iter_mut().zip(&self.is_reached) {
            if !is_reached && *slack != i64::MAX {
                *slack -= step;
            }
        }
    }

    /// Moves the rows along the way to a column, each into the next; the row that was there is free.
    fn shift(&mut self, new: usize, mut to: usize) {
        while self.previous[to] != NONE {
            let from = self.previous[to];
            self.row_of[to] = self.row_of[from];
            to = from;
        }
        self.row_of[to] = new;
    }
}

#[cfg(test)]
mod tests;
