//! How far are two subtrees from one another? The distances of all pairs, in passes along the paths chosen for them.
//!
//! A pass is Zhang and Shasha's: the forests of one subtree that end with each of its nodes in post-order, by those of
//! the other. It leaves the distances of all pairs of nodes on the two paths that begin at the roots, given those of all
//! others. From the right it is the same over the mirror images. Small subtrees of the version after are done side by
//! side in one pass, so that its rows are long; rows are kept only as long as somebody asks for them.

use super::Plan;
use super::side::{Hand, Order};
use super::strategy::Path;

/// A number for every pair of nodes.
pub(super) struct Distances {
    width: usize,
    cells: Vec<u16>,
}

impl Distances {
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        let width = plan.after.len();
        Distances { width, cells: vec![0; plan.before.len() * width] }
    }

    pub(super) fn row(&self, before: u32) -> &[u16] {
        &self.cells[before as usize * self.width..][..self.width]
    }

    pub(super) fn row_mut(&mut self, before: u32) -> &mut [u16] {
        &mut self.cells[before as usize * self.width..][..self.width]
    }

    pub(super) fn at(&self, before: u32, after: u32) -> u16 {
        self.row(before)[after as usize]
    }

    fn rows_of(&mut self, one: u32, other: u32) -> (&mut [u16], &[u16]) {
        let (one, other) = (one as usize * self.width, other as usize * self.width);
        let (head, tail) = self.cells.split_at_mut(one.max(other));
        match one < other {
            true => (&mut head[one..][..self.width], &tail[..self.width]),
            false => (&mut tail[..self.width], &head[other..][..self.width]),
        }
    }

    /// The distances of all pairs, given the path of each pair of inner nodes.
    pub(super) fn compute(&mut self, plan: &Plan<'_>) {
        self.compute_leaves_before(plan);
        self.compute_leaves_after(plan);
        let mut pass = Pass::default();
        let mut tasks = vec![Task::Open(0, 0)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Open(before, after) => self.open(plan, before, after, &mut tasks),
                Task::Close(before, after, path) => self.pass_along(plan, before, after, path, &mut pass),
            }
        }
    }

    /// What hangs off the path first.
    fn open(&self, plan: &Plan<'_>, before: u32, after: u32, tasks: &mut Vec<Task>) {
        let path = Path::from_code(self.at(before, after));
        tasks.push(Task::Close(before, after, path));
        match path {
            Path::Before(hand) => {
                tasks.extend(plan.before.hanging(before, hand).map(|before| Task::Open(before, after)));
            }
            Path::After(hand) => {
                tasks.extend(plan.after.hanging(after, hand).map(|after| Task::Open(before, after)));
            }
        }
    }

    fn pass_along(&mut self, plan: &Plan<'_>, before: u32, after: u32, path: Path, pass: &mut Pass) {
        match path {
            Path::Before(hand) => {
                let order = plan.after_order(hand);
                let mut roots = order.paths(after).peekable();
                while roots.peek().is_some() {
                    pass.columns.clear();
                    while let Some(root) = roots.next_if(|&root| pass.columns.has_room(order, root)) {
                        pass.columns.push(order, order.first(root), root);
                    }
                    pass.run(plan, hand, plan.before_order(hand).rank(before), self);
                }
            }
            Path::After(hand) => {
                let order = plan.after_order(hand);
                let root = order.rank(after);
                pass.columns.clear();
                pass.columns.push(order, order.first(root), root);
                for before in plan.before_order(hand).paths(before) {
                    pass.run(plan, hand, before, self);
                }
            }
        }
    }

    /// A leaf becomes the node that is most like it, and all others of the subtree come anew.
    fn compute_leaves_before(&mut self, plan: &Plan<'_>) {
        let after = &plan.after;
        for leaf in (0..plan.before.len() as u32).filter(|&node| plan.before.is_leaf(node)) {
            let row = self.row_mut(leaf);
            row.fill(2);
            for node in (0..after.len() as u32).rev() {
                let best = row[node as usize].min(plan.costs.of(leaf, node));
                row[node as usize] = best + after.size(node) as u16 - 1;
                let parent = &mut row[after.parent(node) as usize];
                if node > 0 {
                    *parent = best.min(*parent);
                }
            }
        }
    }

    /// The same the other way round, row by row: the children's distances tell what is most like a leaf below them.
    fn compute_leaves_after(&mut self, plan: &Plan<'_>) {
        let before = &plan.before;
        let leaves: Vec<u32> = (0..plan.after.len() as u32).filter(|&node| plan.after.is_leaf(node)).collect();
        for node in (0..before.len() as u32).rev().filter(|&node| !before.is_leaf(node)) {
            for &leaf in &leaves {
                self.row_mut(node)[leaf as usize] = plan.costs.of(node, leaf).min(2);
            }
            for child in before.children(node) {
                let others = before.size(child) as u16 - 1;
                let (row, below) = self.rows_of(node, child);
                for &leaf in &leaves {
                    let best = &mut row[leaf as usize];
                    *best = (*best).min(below[leaf as usize] - others);
                }
            }
            let others = before.size(node) as u16 - 1;
            let row = self.row_mut(node);
            leaves.iter().for_each(|&leaf| row[leaf as usize] += others);
        }
    }
}

enum Task {
    Open(u32, u32),
    Close(u32, u32, Path),
}

/// So many cells of small subtrees make one pass.
const PASS_COLUMNS: usize = 4096;

/// The forests of subtrees after, side by side: for each subtree a column for nothing, then one for each of its nodes.
#[derive(Default)]
pub(super) struct Columns {
    segments: Vec<[usize; 2]>,
    /// The node that a column's forest ends with.
    nodes: Vec<u16>,
    /// The column of the forest before that node's subtree.
    floors: Vec<u16>,
}

impl Columns {
    pub(super) fn clear(&mut self) {
        self.segments.clear();
        self.nodes.clear();
        self.floors.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node that a column's forest ends with, and the column of the forest before its subtree.
    pub(super) fn place(&self, column: usize) -> (u32, usize) {
        (u32::from(self.nodes[column]), usize::from(self.floors[column]))
    }

    fn has_room(&self, order: &Order, root: u32) -> bool {
        let wanted = (root - order.first(root)) as usize + 2;
        self.nodes.is_empty() || self.len() + wanted <= PASS_COLUMNS
    }

    /// Adds the forests of the ranks `first..=last`.
    pub(super) fn push(&mut self, order: &Order, first: u32, last: u32) {
        let start = self.len();
        self.nodes.push(0);
        self.floors.push(0);
        for rank in first..=last {
            self.nodes.push(order.node(rank) as u16);
            self.floors.push((start as u32 + order.first(rank) - first) as u16);
        }
        self.segments.push([start, self.len()]);
    }
}

/// One pass, and the memory that the next one uses again.
#[derive(Default)]
struct Pass {
    columns: Columns,
    /// Rows of forest distances, by their slots.
    rows: Vec<u16>,
    row: Vec<u16>,
}

impl Pass {
    /// Takes the subtree before whose root has the rank `root` through all columns.
    fn run(&mut self, plan: &Plan<'_>, hand: Hand, root: u32, distances: &mut Distances) {
        let order = plan.before_order(hand);
        let (first, floor) = (order.first(root), order.floor(root));
        let width = self.columns.len();
        self.start_rows(width);
        let mut last = 0;
        for rank in first..=root {
            let node = order.node(rank);
            let before = &self.rows[last * width..][..width];
            let base = &self.rows[(order.floor(rank) - floor) as usize * width..][..width];
            if order.first(rank) == first {
                let cost = |after: u32| plan.costs.of(node, after);
                row_on_path(&self.columns, before, base, distances.row_mut(node), &mut self.row, cost);
            } else {
                row_off_path(&self.columns, before, base, distances.row(node), &mut self.row);
            }
            last = (order.slot(rank) - floor) as usize;
            if rank < root {
                self.keep(last, width);
            }
        }
    }

    /// The row of nothing before: all comes anew.
    fn start_rows(&mut self, width: usize) {
        self.row.resize(width, 0);
        self.rows.resize(self.rows.len().max(width), 0);
        for &[start, end] in &self.columns.segments {
            self.rows[start..end].iter_mut().zip(0..).for_each(|(cell, count)| *cell = count);
        }
    }

    fn keep(&mut self, slot: usize, width: usize) {
        let from = slot * width;
        if self.rows.len() < from + width {
            self.rows.resize(from + width, 0);
        }
        self.rows[from..from + width].copy_from_slice(&self.row);
    }
}

/// A row whose node before is not on the path: its subtree as a whole becomes one after, or one of the two last nodes
/// goes or comes.
fn row_off_path(columns: &Columns, before: &[u16], base: &[u16], distances: &[u16], row: &mut [u16]) {
    for &[start, end] in &columns.segments {
        let mut last = before[start] + 1;
        row[start] = last;
        let range = start + 1..end;
        let cells = row[range.clone()].iter_mut().zip(&before[range.clone()]);
        let places = columns.nodes[range.clone()].iter().zip(&columns.floors[range]);
        for ((cell, &above), (&node, &floor)) in cells.zip(places) {
            let whole = base[usize::from(floor)] + distances[usize::from(node)];
            last = (last + 1).min(whole.min(above + 1));
            *cell = last;
        }
    }
}

/// A row whose node before is on the path. Where the node after is on its path too, the forests are trees, and what
/// comes out is their distance.
fn row_on_path(
    columns: &Columns,
    before: &[u16],
    base: &[u16],
    distances: &mut [u16],
    row: &mut [u16],
    cost: impl Fn(u32) -> u16,
) {
    for &[start, end] in &columns.segments {
        let mut last = before[start] + 1;
        row[start] = last;
        for column in start + 1..end {
            let (node, floor) = (usize::from(columns.nodes[column]), usize::from(columns.floors[column]));
            let gone_or_come = (last + 1).min(before[column] + 1);
            if floor == start {
                last = gone_or_come.min(before[column - 1] + cost(node as u32));
                distances[node] = last;
            } else {
                last = gone_or_come.min(base[floor] + distances[node]);
            }
            row[column] = last;
        }
    }
}
