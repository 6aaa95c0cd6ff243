//! What does a pair of nodes cost, in small numbers?

use super::side::Side;
use crate::matching::looks::Looks;

/// More than a deletion and an insertion, so that nodes with it are never a pair.
pub(super) const STRANGERS: u16 = 3;

/// The costs of all pairs.
pub(super) struct Costs {
    looks: Looks,
}

impl Costs {
    pub(super) fn new(before: &Side<'_>, after: &Side<'_>) -> Self {
        Costs { looks: Looks::new(before.nodes(), after.nodes()) }
    }

    /// What a pair costs; [`STRANGERS`] where it cannot be one, or is worse than none.
    #[inline]
    pub(super) fn of(&self, before: u32, after: u32) -> u16 {
        self.looks.cost(before, after).map_or(STRANGERS, |cost| cost.min(u32::from(STRANGERS)) as u16)
    }
}
