//! Which paths are tried, and for how long? Those first that cost nothing to choose.
//!
//! What a search takes along some paths is known beforehand only as far as no bound spares it something, and a tight bound
//! spares most. So left paths are tried first, then the best of those to first and last leaves, for which a bound does
//! most, and the best of all where these have taken half as long as those would.

use super::Plan;
use super::distance::Distances;
use super::pass::Bound;
use super::strategy::{Choice, Paths, choose_paths};

/// The paths that are being tried.
pub(super) struct Trial {
    paths: Paths,
    /// The cells that a search along them may look at.
    limit: u64,
    next: Next,
    pub(super) cells_left: u64,
    /// To choose paths takes about as long as so many cells.
    choosing: u64,
}

/// What is tried when the limit is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The best of those to first and last leaves.
    Outer,
    /// The same for longer: half as long as the best of all would take at most.
    OuterOn,
    /// The best of all.
    All,
    /// Nothing else.
    Nothing,
}

/// How many times as long as choosing them the paths to first and last leaves are tried before others are thought of.
const PATIENCE: u64 = 32;

/// The same for paths that are good enough even if no bound spares them anything.
const ENOUGH: u64 = 2 * PATIENCE;

impl Trial {
    pub(super) fn new(plan: &Plan<'_>, max_cells: u64) -> Self {
        let choosing = plan.before.len() as u64 * plan.after.len() as u64;
        Trial { paths: Paths::all_left(), limit: choosing, next: Next::Outer, cells_left: max_cells, choosing }
    }

    /// Finds all distances that matter for a bound, unless that takes too many cells. The bound spares heavy paths nothing,
    /// so that it is given up with them.
    pub(super) fn search(&mut self, plan: &Plan<'_>, bound: &mut Bound, distances: &mut Distances) -> Option<()> {
        let mut search = distances.begin(plan, *bound);
        while !distances.search(plan, &self.paths, &mut search, self.limit.min(self.cells_left)) {
            if self.limit >= self.cells_left {
                return None;
            }
            if self.go_on(plan) {
                if self.next == Next::Nothing {
                    bound.most = i32::from(distances.at(0, 0));
                }
                self.cells_left -= search.cells();
                search = distances.begin(plan, *bound);
            }
        }
        self.cells_left = self.cells_left.saturating_sub(search.cells());
        Some(())
    }

    /// Takes the next paths, or more of the same. Tells whether a search has to begin anew with them.
    fn go_on(&mut self, plan: &Plan<'_>) -> bool {
        match self.next {
            Next::Outer => {
                self.paths = choose_paths(plan, Choice::Outer);
                let is_enough = self.paths.cells <= ENOUGH * self.choosing;
                self.limit = if is_enough { u64::MAX } else { PATIENCE * self.choosing };
                self.next = Next::OuterOn;
                true
            }
            Next::OuterOn => {
                self.limit = choose_paths(plan, Choice::All).cells / 2;
                self.next = Next::All;
                false
            }
            Next::All => {
                self.paths = choose_paths(plan, Choice::All);
                (self.limit, self.next) = (u64::MAX, Next::Nothing);
                true
            }
            Next::Nothing => false,
        }
    }
}
