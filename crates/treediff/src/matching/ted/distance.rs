//! How far are two subtrees from one another? The distances of all pairs that a bound lets matter, in passes along the
//! paths chosen for them.

use std::ops::Range;

use super::Plan;
use super::pass::{Bound, Pass};
use super::side::{Course, Side};
use super::spine::{self, Facing};
use super::strategy::{Path, Paths};

/// The distance of every pair of subtrees, or more than it.
pub(super) struct Distances {
    width: usize,
    cells: Vec<u16>,
}

impl Distances {
    /// At worst, all goes and all comes.
    pub(super) fn new(plan: &Plan<'_>) -> Self {
        let width = plan.after.len();
        let mut cells = Vec::with_capacity(plan.before.len() * width);
        let sizes: Vec<u16> = (0..width as u32).map(|node| plan.after.size(node) as u16).collect();
        for before in 0..plan.before.len() as u32 {
            let size = plan.before.size(before) as u16;
            cells.extend(sizes.iter().map(|after| size + after));
        }
        Distances { width, cells }
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

    /// Begins to look for the distances of all pairs that may be part of a whole within the bound.
    pub(super) fn begin(&mut self, plan: &Plan<'_>, bound: Bound) -> Search {
        self.compute_leaves_before(plan, bound);
        self.compute_leaves_after(plan, bound);
        Search { bound, tasks: vec![Task::Open(0, 0)], pass: Pass::default() }
    }

    /// Goes on until all are found, or so many cells have been looked at since the search began. Tells whether all are.
    pub(super) fn search(&mut self, plan: &Plan<'_>, paths: &Paths, search: &mut Search, max_cells: u64) -> bool {
        while let Some(task) = search.tasks.pop_if(|task| search.pass.cells + task.least_cells(plan) <= max_cells) {
            match task {
                Task::Open(before, after) => open(plan, paths, search.bound, (before, after), &mut search.tasks),
                Task::Close(before, after, path) => {
                    self.pass_along(plan, (before, after), path, search.bound, &mut search.pass);
                }
            }
        }
        search.tasks.is_empty()
    }

    fn pass_along(&mut self, plan: &Plan<'_>, pair: (u32, u32), path: Path, bound: Bound, pass: &mut Pass) {
        match path {
            Path::Before(Course::Heavy) => {
                spine::run(Facing::before(plan), self, pair.0, pair.1);
                pass.cells += path.least_cells(plan, pair);
            }
            Path::After(Course::Heavy) => {
                spine::run(Facing::after(plan), self, pair.1, pair.0);
                pass.cells += path.least_cells(plan, pair);
            }
            Path::Before(Course::Outer(hand)) => {
                let (from, to) = (plan.before_order(hand), plan.after_order(hand));
                let root = from.rank(pair.0);
                let band = |root_after: &u32| bound.band(from.first(root), to.first(*root_after));
                let mut roots = to.paths(pair.1).filter_map(|after| Some((after, band(&after)?))).peekable();
                while roots.peek().is_some() {
                    pass.columns.clear();
                    while let Some((after, band)) = roots.next_if(|&(after, _)| pass.columns.has_room(to, after)) {
                        pass.columns.push(to, [to.first(after), after], band);
                    }
                    pass.run(plan, hand, root, self);
                }
            }
            Path::After(Course::Outer(hand)) => {
                let (from, to) = (plan.before_order(hand), plan.after_order(hand));
                let root = to.rank(pair.1);
                pass.columns.clear();
                for before in from.paths(pair.0) {
                    let Some(band) = bound.band(from.first(before), to.first(root)) else { continue };
                    if pass.columns.len() == 0 {
                        pass.columns.push(to, [to.first(root), root], band);
                    }
                    pass.columns.set_band(band);
                    pass.run(plan, hand, before, self);
                }
            }
        }
    }

    /// A leaf becomes the node that is most like it, and all others of the subtree come anew.
    fn compute_leaves_before(&mut self, plan: &Plan<'_>, bound: Bound) {
        let (before, after) = (&plan.before, &plan.after);
        let mut likest = vec![2; after.len()];
        for leaf in (0..before.len() as u32).filter(|&node| before.is_leaf(node)) {
            let near = near(before, leaf, after, bound);
            let row = self.row_mut(leaf);
            likest[near.start as usize..near.end as usize].fill(2);
            for node in near.rev() {
                let best = likest[node as usize].min(plan.costs.of(leaf, node));
                row[node as usize] = best + after.size(node) as u16 - 1;
                let parent = &mut likest[after.parent(node) as usize];
                *parent = best.min(*parent);
            }
        }
    }

    /// The same the other way round, row by row: the children's distances tell what is most like a leaf below them.
    fn compute_leaves_after(&mut self, plan: &Plan<'_>, bound: Bound) {
        let (before, after) = (&plan.before, &plan.after);
        let leaves: Vec<u32> = (0..after.len() as u32).filter(|&node| after.is_leaf(node)).collect();
        for node in (0..before.len() as u32).rev().filter(|&node| !before.is_leaf(node)) {
            let near = near(before, node, after, bound);
            let place = |node: u32| leaves.partition_point(|&leaf| leaf < node);
            let leaves = &leaves[place(near.start)..place(near.end)];
            let row = self.row_mut(node);
            leaves.iter().for_each(|&leaf| row[leaf as usize] = plan.costs.of(node, leaf).min(2));
            for child in before.children(node) {
                let others = before.size(child) as u16 - 1;
                let (row, below) = self.rows_of(node, child);
                for &leaf in leaves {
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

/// A search for distances, and how far it is.
pub(super) struct Search {
    bound: Bound,
    tasks: Vec<Task>,
    pass: Pass,
}

impl Search {
    /// Cells that it has looked at.
    pub(super) fn cells(&self) -> u64 {
        self.pass.cells
    }
}

/// What is done for a pair of subtrees: first what hangs off the path, then the path.
enum Task {
    Open(u32, u32),
    Close(u32, u32, Path),
}

impl Task {
    fn least_cells(&self, plan: &Plan<'_>) -> u64 {
        match *self {
            Task::Open(..) => 0,
            Task::Close(before, after, path) => path.least_cells(plan, (before, after)),
        }
    }
}

fn open(plan: &Plan<'_>, paths: &Paths, bound: Bound, (before, after): (u32, u32), tasks: &mut Vec<Task>) {
    if are_apart(plan, (before, after), bound) {
        return;
    }
    let path = paths.at(before, after);
    tasks.push(Task::Close(before, after, path));
    match path {
        Path::Before(course) => {
            tasks.extend(plan.before.hanging(before, course).map(|before| Task::Open(before, after)));
        }
        Path::After(course) => {
            tasks.extend(plan.after.hanging(after, course).map(|after| Task::Open(before, after)));
        }
    }
}

/// Whether all nodes of one subtree have more nodes left and right of them than all of the other, or fewer, beyond the bound.
fn are_apart(plan: &Plan<'_>, (before, after): (u32, u32), bound: Bound) -> bool {
    let (size_before, size_after) = (plan.before.size(before) as i32, plan.after.size(after) as i32);
    let gap = |from: u32, to: u32| {
        let (from, to) = (from as i32, to as i32);
        (to - (from + size_before)).max(from - (to + size_after)).max(0)
    };
    let left = gap(plan.before.left_of(before), plan.after.left_of(after));
    let right = gap(plan.before.right_of(before), plan.after.right_of(after));
    left + right > bound.most
}

/// The nodes after that have about as many nodes left of them as a node before.
fn near(before: &Side<'_>, node: u32, after: &Side<'_>, bound: Bound) -> Range<u32> {
    let (left, most) = (before.left_of(node), bound.most as u32);
    let behind = (left + most + after.max_depth()).saturating_add(1);
    left.saturating_sub(most)..behind.min(after.len() as u32)
}
