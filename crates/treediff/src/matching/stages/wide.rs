//! And if too many children are left for a table? Rows of records, long lists, arrays.
//!
//! The longest row of what is the same, in order, divides the gap; then what is known by a field (`fields`). What is wide even then
//! is aligned in a [`Band`] around the diagonal, since what comes and goes moves the rest by little; and in order only where the
//! budget does not suffice for that.

use super::State;
use super::align::{GAP_PAIRS, gaps};
use super::costs::{Costs, ROW_CELLS};
use crate::text;
use crate::tree::NodeId;

/// What a comparison of two rows by what is the same in them may take.
const COMMON: text::Budget = text::Budget { steps_per_token: 64, edits: 1000 };

/// The cells of a table that are looked at: so many of each line, around the diagonal.
#[derive(Debug, Clone, Copy)]
pub(super) struct Band {
    pub(super) width: usize,
    lines: usize,
    columns: usize,
}

impl Band {
    /// The whole table.
    pub(super) fn whole(from: &[NodeId], to: &[NodeId]) -> Self {
        Band { width: to.len() + 1, lines: from.len(), columns: to.len() }
    }

    /// A band for which a part of the budget does; none where it would be too narrow to go from one end to the other.
    fn affordable(from: &[NodeId], to: &[NodeId], costs: &Costs) -> Option<Self> {
        let (lines, columns) = (from.len(), to.len());
        let least = NARROWEST.max(2 * (columns / lines + 1));
        let width = ((costs.cells_left() / 2).min(BAND_CELLS) / lines as u64).min(WIDEST) as usize;
        (width >= least).then_some(Band { width: width.min(columns + 1), lines, columns })
    }

    /// The first column of a line.
    pub(super) fn start(self, line: usize) -> usize {
        let middle = (line as u64 * self.columns as u64 / self.lines as u64) as usize;
        middle.saturating_sub(self.width / 2).min(self.columns + 1 - self.width)
    }
}

/// A band that is narrower finds next to nothing, and one that is wider nearly nothing more.
const NARROWEST: usize = 8;
const WIDEST: u64 = 256;

/// A band has no more cells than this, which are kept until it is walked back: 36 MB.
const BAND_CELLS: u64 = 4 << 20;

impl State<'_> {
    /// A gap that is too wide for a table: what is the same in order divides it, then what is known by a field, and what is wide even
    /// then is aligned in a band.
    pub(super) fn align_wide(&mut self, from: &[NodeId], to: &[NodeId], costs: &mut Costs) {
        let is_equal = |x: usize, y: usize| self.before.hashes()[from[x].index()] == self.after.hashes()[to[y].index()];
        let common = text::common_row([from.len(), to.len()], is_equal, COMMON).unwrap_or_default();
        self.pair_places(&common, [from, to]);
        for gap in gaps(&common, [from, to]).filter(|[from, to]| !from.is_empty() && !to.is_empty()) {
            if self.align_if_paid(gap, costs) {
                continue;
            }
            let known = self.known_by_field(gap[0], gap[1]);
            let stay = self.staying(gap[0], &known);
            let known: Vec<(usize, usize)> =
                known.into_iter().zip(stay).filter(|(_, stays)| *stays).map(|(place, _)| place).collect();
            self.pair_places(&known, gap);
            for gap in gaps(&known, gap) {
                if !self.align_if_paid(gap, costs) {
                    self.align_in_band(gap[0], gap[1], costs);
                }
            }
        }
    }

    fn pair_places(&mut self, places: &[(usize, usize)], [from, to]: [&[NodeId]; 2]) {
        places.iter().for_each(|&(at_from, at_to)| self.pair_aligned(from[at_from], to[at_to]));
    }

    /// Aligns a gap that is small enough; whether it was.
    fn align_if_paid(&mut self, [from, to]: [&[NodeId]; 2], costs: &mut Costs) -> bool {
        let cells = from.len() * to.len();
        if cells == 0 {
            return true;
        }
        if cells <= ROW_CELLS && costs.take(cells) {
            self.align_at_least_cost(from, to, Band::whole(from, to), costs);
            return true;
        }
        if cells <= GAP_PAIRS {
            self.align_exactly(from, to, Some(costs));
        }
        cells <= GAP_PAIRS
    }

    /// At the least cost that is found near the diagonal; in order where there is no budget for that.
    fn align_in_band(&mut self, from: &[NodeId], to: &[NodeId], costs: &mut Costs) {
        let band = Band::affordable(from, to, costs);
        match band.filter(|band| costs.take(from.len() * band.width)) {
            Some(band) => self.align_at_least_cost(from, to, band, costs),
            None => self.align_in_order(from, to, Some(costs)),
        }
    }
}
