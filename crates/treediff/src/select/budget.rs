//! How much work may one selection be? A number of steps, counted down in every loop.

use std::cell::Cell;

use super::SelectError;

/// What no selection may exceed.
///
/// A step is a node looked at, a node put into a set, or a few bytes of a string read or made; a hundred million take
/// in the order of a second. Since whatever is kept has cost steps, the budget bounds memory as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Steps that a selection may take.
    pub max_steps: u64,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { max_steps: 100_000_000 }
    }
}

/// A budget that is being used up.
#[derive(Debug)]
pub(crate) struct Meter {
    limit: u64,
    left: Cell<u64>,
}

impl Meter {
    pub(crate) fn new(budget: Budget) -> Self {
        Meter { limit: budget.max_steps, left: Cell::new(budget.max_steps) }
    }

    /// Takes steps off, before they are taken.
    #[inline]
    pub(super) fn charge(&self, steps: usize) -> Result<(), SelectError> {
        match self.left.get().checked_sub(steps as u64) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(SelectError::Budget { max_steps: self.limit }),
        }
    }

    /// Takes off what a string of so many bytes costs to make or read.
    #[inline]
    pub(crate) fn charge_bytes(&self, bytes: usize) -> Result<(), SelectError> {
        self.charge(1 + bytes / 4)
    }
}
