//! And if too many children are left for a table? Rows of records, long lists, arrays.
//!
//! The longest row of what is the same, in order, divides the gap; then what is known by a field (`fields`). What is wide even then
//! is aligned in a [`Band`] around the diagonal, since what comes and goes moves the rest by little; and in order only where the
//! budget does not suffice for that. A few lines tell how wide the band has to be: in rows that were shuffled, a wide
//! one takes several times as long and finds next to nothing.

use std::ops::Range;

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

    /// No wider than [`NARROW`], where that is not too narrow to go from one end to the other.
    fn narrowed(self) -> Self {
        Band { width: self.width.min(NARROW.max(2 * (self.columns / self.lines + 1))), ..self }
    }

    /// The children that the one of a line may be a pair with.
    fn partners(self, line: usize) -> Range<usize> {
        let start = self.start(line + 1);
        start.max(1) - 1..(start + self.width).min(self.columns + 1) - 1
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

/// Where nothing is found farther away, a band is no wider than this.
const NARROW: usize = 16;

/// So many lines are looked at to find that out.
const SAMPLES: usize = 16;

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
        let band = Band::affordable(from, to, costs).map(|band| self.as_wide_as_pays(from, to, band, costs));
        match band.filter(|band| costs.take(from.len() * band.width)) {
            Some(band) => self.align_at_least_cost(from, to, band, costs),
            None => self.align_in_order(from, to, Some(costs)),
        }
    }

    /// A band that is narrow, unless children have partners farther away that are much more like them, and these are in
    /// order, which those that are like them by chance are not; or it pays although what is between goes and comes, as
    /// with small children.
    fn as_wide_as_pays(&self, from: &[NodeId], to: &[NodeId], band: Band, costs: &mut Costs) -> Band {
        let narrow = band.narrowed();
        if narrow.width == band.width || !costs.take(SAMPLES * (band.width + narrow.width)) {
            return narrow;
        }
        let (mut near, mut far, mut apart, mut places) = (0, 0, 0, Vec::with_capacity(SAMPLES));
        for line in (0..SAMPLES).map(|at| (2 * at + 1) * from.len() / (2 * SAMPLES)) {
            let mut least = |partners: Range<usize>| {
                let each = partners.map(|at| (self.cost_of_meeting(from[line], to[at], costs), at));
                each.min().unwrap_or_default()
            };
            let (cost_near, (cost_far, place)) = (least(narrow.partners(line)).0, least(band.partners(line)));
            (near, far) = (near + cost_near, far + cost_far);
            apart += costs.counted(self).of_deleting(from[line]) + costs.counted(self).of_inserting(to[place]);
            if cost_far < cost_near {
                places.push(place);
            }
        }
        let in_order = places.windows(2).filter(|places| places[0] < places[1]).count();
        let are_partners = 4 * far < 3 * near && 4 * in_order >= 3 * places.len().saturating_sub(1);
        if are_partners || 4 * near.saturating_sub(far) > apart { band } else { narrow }
    }

    /// What it costs to make one child of another, or that one goes and the other comes, if that is less.
    fn cost_of_meeting(&self, before: NodeId, after: NodeId, costs: &mut Costs) -> u64 {
        let counted = costs.counted(self);
        let apart = counted.of_deleting(before) + counted.of_inserting(after);
        match counted.at_least(before, after, |least| least < apart) {
            Some(0) => 0,
            Some(_) => apart.min(costs.of_updating(self, self.before.node(before), self.after.node(after))),
            None => apart,
        }
    }
}
