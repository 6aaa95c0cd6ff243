//! In which order can it be done? A [`Script`]: operations one after the other, each in the document that those before
//! it have made.
//!
//! A delta is a set whose positions are those of the first and the last version; a script is how an editor works, or an
//! applier that can do but one thing at a time. Every script has its delta, found by composing its steps, and every delta
//! has a script; [`swap`] says what two consecutive steps become when their order is changed.

mod steps;
mod swap;

pub use swap::swap;

use super::compose::composed;
use super::{ComposeError, Delta, Operation, Xid};

/// Operations in an order in which they can be done one by one.
///
/// Positions are those of the moment: of a deletion and of the source of a move as it begins, of an insertion and of the
/// target of a move as it is done. What a deletion takes away is a whole subtree of that moment, and a move takes along
/// whatever is below its root then; its map has what it has in the delta, the nodes that no other step takes out of the
/// subtree or puts into it.
///
/// ```
/// use std::sync::Arc;
/// use treediff::delta::{Delta, Operation, Options};
/// use treediff::{matching, parse};
///
/// let [before, after] = ["<a><b/><c/><d>1</d></a>", "<a><d>1</d></a>"]
///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document)));
/// let (before, after) = (before?, after?);
/// let matching = matching::auto(&before, &after, &Default::default());
/// let delta = Delta::between(&before, &after, &matching, &Options::default())?;
/// let script = delta.to_script();
/// // From right to left, so that each is where it was in the beginning.
/// let positions: Vec<u32> = script.steps().iter().map(|step| match step {
///     Operation::Delete { place, .. } => place.position,
///     other => panic!("{other:?}"),
/// }).collect();
/// assert_eq!(positions, [1, 0]);
/// assert!(script.to_delta()?.same_as(&delta));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Script {
    /// The versions that it leads from and to; the operations are its steps.
    whole: Delta,
}

impl Script {
    /// The steps, in their order.
    pub fn steps(&self) -> &[Operation] {
        &self.whole.operations
    }

    /// The delta of all the steps.
    ///
    /// Neighbours are composed first, so that the cost is that of the steps times the logarithm of their number.
    pub fn to_delta(&self) -> Result<Delta, ComposeError> {
        let mut parts: Vec<Vec<Operation>> = self.steps().iter().map(|step| vec![step.clone()]).collect();
        while parts.len() > 1 {
            // The order of the maps of moves is known of the first version alone, and needed only in the end.
            let order = (parts.len() == 2).then_some(&self.whole.from_xids);
            let pairs = parts.chunks(2).map(|pair| match pair {
                [first, second] => composed(first, second, self.whole.format, order),
                alone => Ok(alone.concat()),
            });
            parts = pairs.collect::<Result<_, _>>()?;
        }
        Ok(Delta { operations: parts.pop().unwrap_or_default(), ..self.whole.clone() })
    }

    /// This script and then the next, as one.
    pub fn followed_by(&self, next: &Script) -> Result<Script, ComposeError> {
        self.whole.check_adjacent(&next.whole)?;
        let steps = self.steps().iter().chain(next.steps()).cloned().collect();
        Ok(Script { whole: self.whole.over(&next.whole, steps) })
    }

    /// The script in which the step at `at` and the one behind it have changed places; `None` where they cannot.
    pub fn swapped(&self, at: usize) -> Option<Script> {
        let (first, second) = (self.steps().get(at)?, self.steps().get(at + 1)?);
        if let (Operation::Move { .. }, Operation::Move { to, .. }) = (first, second)
            && self.may_be_below(to.parent, first.node())
        {
            return None;
        }
        let (now_first, now_second) = swap(first, second)?;
        let mut script = self.clone();
        script.whole.operations[at] = now_first;
        script.whole.operations[at + 1] = now_second;
        Some(script)
    }

    /// Whether a node may be below another that moves, at some moment: in what it takes along, or in what another step takes from
    /// there or puts there.
    fn may_be_below(&self, node: Xid, mover: Xid) -> bool {
        let mut seen = vec![false; self.steps().len()];
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            for (seen, step) in seen.iter_mut().zip(self.steps()) {
                if !*seen && swap::takes_along(step, node) {
                    if step.node() == mover {
                        return true;
                    }
                    *seen = true;
                    open.extend(steps::sides(step).into_iter().flatten().map(|place| place.parent));
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests;
