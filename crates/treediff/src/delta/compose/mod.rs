//! What do two deltas do together? One delta from the first version to the last, without any of the documents.
//!
//! With d1 from A to B and d2 from B to C every node has at most one place in each version, and both deltas say where:
//! so [`places`] finds out where each node that either of them takes or gives was in A and is in C. A node with a place
//! in C alone is inserted, in A alone deleted, in both moved; who was only in B is forgotten. Payloads are put together
//! anew of the nodes of all payloads ([`payloads`]), values and attributes are taken from before the one and after the
//! other ([`values`]), and what a moved subtree is made of follows from the maps of the parts ([`maps`]).
//!
//! # What is guaranteed
//!
//! The composed delta does what the two do one after the other, identities included. A delta composed with its inverse
//! is empty, with an empty one is itself, and `(d1 d2)⁻¹ = d2⁻¹ d1⁻¹`.
//!
//! Composing is associative up to the set of operations wherever no delta gives back to a parent a child that an earlier
//! one took from it. Where that happens, everything is the same but which siblings are said to have moved among
//! themselves; in triples of small random deltas full of such moves that is seen once in a thousand. More cannot be
//! had. Let a, b be siblings, d1 move a behind b, and d2 move b behind a. `(d1 d2) d2⁻¹ = d1 (d2 d2⁻¹) = d1` needs the
//! moves of d1 d2 to be kept although they change nothing; call that delta e. Now let d3 take `a b c` to `c b a` by moving a
//! and b: e d3 moves no more and no less than d3, so that `(e d3) d3⁻¹` is empty, where `e (d3 d3⁻¹)` is e.
//!
//! The rule here: a child that d1 took from a parent and d2 gave back to it is settled, that is, no longer moved, if it
//! did not change its order with any sibling that was not moved, or that came back likewise. What only one
//! of the deltas moved stays moved.

mod edits;
mod maps;
mod movers;
mod payloads;
mod places;
mod settle;
mod values;
mod written;

use super::{Delta, Operation, Place, Xid, XidMap};
use crate::tree::Format;
use edits::Edits;
use maps::Maps;
use payloads::Payloads;
use places::Places;

/// Why two deltas cannot be composed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComposeError {
    /// The one does not begin where the other ends.
    #[error("the first delta leads to version {to:016x}, the second begins at {from:016x}: are they in order?")]
    Versions {
        /// Where the first ends.
        to: u64,
        /// Where the second begins.
        from: u64,
    },
    /// They number the same version differently.
    #[error("the deltas number the version between them differently: {to} and {from}")]
    Identities {
        /// The identities at the end of the first, shortened.
        to: String,
        /// The identities at the beginning of the second, shortened.
        from: String,
    },
    /// They are about different formats, or different ideas of white space.
    #[error("the deltas are of different {0}")]
    Kinds(&'static str),
    /// A delta says of a node twice where it goes, or comes from.
    #[error("node {0} has two operations that exclude each other")]
    Twice(Xid),
    /// Two operations claim one position, or one claims a position that is not there.
    #[error("position {} below node {parent} is claimed twice or cannot be there", position + 1)]
    Position {
        /// The parent.
        parent: Xid,
        /// The position, from 0.
        position: u32,
    },
    /// The map of a payload does not fit the payload.
    #[error("the payload of node {0} has another number of nodes than its XID map")]
    Payload(Xid),
    /// The deltas say different things about one node.
    #[error("the deltas disagree about nodes {first} and {second}")]
    Disagreement {
        /// The node of one.
        first: Xid,
        /// The node of the other.
        second: Xid,
    },
    /// Nothing is known of a node that must be written.
    #[error("no payload has node {0}")]
    Unknown(Xid),
    /// The new content cannot be written.
    #[error("the composed content of node {0} cannot be written in the format of the delta")]
    Unwritable(Xid),
}

impl Delta {
    /// The delta that does what this one and then `next` do.
    ///
    /// It takes time linear in the two deltas, but for sorting; neither the documents nor their sizes matter.
    ///
    /// ```
    /// use treediff::delta::{Delta, Operation};
    ///
    /// let written = |from: &str, to: &str, before: &str, after: &str| {
    ///     format!(
    ///         r#"<xydelta xmlns="urn:deltaic:xydelta:1" whitespace="layout" fromHash="{from}" toHash="{to}"
    ///             fromXIDmap="(1-2)" toXIDmap="(1-2)" nextXID="3">
    ///           <update nodeXID="1"><OldText>{before}</OldText><NewText>{after}</NewText></update>
    ///         </xydelta>"#
    ///     )
    /// };
    /// let monday = Delta::read(written("1d", "2e", "$799", "$699"), &Default::default())?;
    /// let tuesday = Delta::read(written("2e", "3f", "$699", "$649"), &Default::default())?;
    /// let both = monday.compose(&tuesday)?;
    /// assert!(matches!(
    ///     &both.operations()[0],
    ///     Operation::Update { before, after, .. } if before == "$799" && after == "$649"
    /// ));
    /// assert!(both.compose(&both.inverted())?.is_empty());
    /// assert!(tuesday.compose(&monday).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compose(&self, next: &Delta) -> Result<Delta, ComposeError> {
        self.check_adjacent(next)?;
        let operations = composed(&self.operations, &next.operations, self.format, Some(&self.from_xids))?;
        Ok(self.over(next, operations))
    }

    /// A delta from where this one begins to where the next one ends.
    pub(super) fn over(&self, next: &Delta, operations: Vec<Operation>) -> Delta {
        Delta {
            format: self.format,
            whitespace: self.whitespace,
            from_hash: self.from_hash,
            to_hash: next.to_hash,
            from_xids: self.from_xids.clone(),
            to_xids: next.to_xids.clone(),
            next_xid: self.next_xid.max(next.next_xid),
            fallbacks: self.fallbacks.or(next.fallbacks),
            operations,
        }
    }

    /// The delta that does what all of these do one after the other; `None` where there are none.
    ///
    /// Neighbours are composed first, so that a long history costs its size times the logarithm of its length. Of moves that led
    /// nowhere in the end nothing is left ([`Delta::settled`]).
    ///
    /// ```
    /// # use treediff::delta::Delta;
    /// assert!(Delta::compose_all(&[])?.is_none());
    /// # Ok::<(), treediff::delta::ComposeError>(())
    /// ```
    pub fn compose_all<'d>(deltas: impl IntoIterator<Item = &'d Delta>) -> Result<Option<Delta>, ComposeError> {
        let mut deltas: Vec<Delta> = deltas.into_iter().cloned().collect();
        while deltas.len() > 1 {
            let pairs = deltas.chunks(2).map(|pair| match pair {
                [first, second] => first.compose(second),
                alone => Ok(alone[0].clone()),
            });
            deltas = pairs.collect::<Result<_, _>>()?;
        }
        Ok(deltas.pop().map(Delta::settled))
    }

    /// Whether the next delta begins where this one ends, so that both can be composed.
    ///
    /// ```
    /// use treediff::{delta::Delta, matching, parse};
    /// # use std::sync::Arc;
    ///
    /// let read = |source: &str| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document));
    /// let [before, after] = [read("<a/>")?, read("<a b='c'/>")?];
    /// let matching = matching::auto(&before, &after, &Default::default());
    /// let delta = Delta::between(&before, &after, &matching, &Default::default())?;
    /// assert!(delta.check_adjacent(&delta.inverted()).is_ok());
    /// assert!(delta.check_adjacent(&delta).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn check_adjacent(&self, next: &Delta) -> Result<(), ComposeError> {
        if self.format != next.format {
            return Err(ComposeError::Kinds("formats"));
        }
        if self.whitespace != next.whitespace {
            return Err(ComposeError::Kinds("white-space modes"));
        }
        if self.to_hash != next.from_hash {
            return Err(ComposeError::Versions { to: self.to_hash, from: next.from_hash });
        }
        if self.to_xids != next.from_xids {
            let [to, from] = [&self.to_xids, &next.from_xids].map(|map| map.to_string().chars().take(60).collect());
            return Err(ComposeError::Identities { to, from });
        }
        Ok(())
    }
}

/// The operations that do what the first and then the second do.
///
/// Where `from_xids` are not given the maps of moves have all they should have, but in no order except that the root
/// is last.
pub(super) fn composed(
    first: &[Operation],
    second: &[Operation],
    format: Format,
    from_xids: Option<&XidMap>,
) -> Result<Vec<Operation>, ComposeError> {
    let (first, second) = (Edits::of(first)?, Edits::of(second)?);
    let places = Places::of(&first, &second)?;
    let mut operations = Payloads::of(&first, &second, &places)?.operations(format)?;
    operations.extend(moves(&first, &second, &places, from_xids)?);
    operations.extend(values::operations(&first, &second)?);
    Ok(operations)
}

/// The moves: of every node that has a place before and a place after.
fn moves(
    first: &Edits<'_>,
    second: &Edits<'_>,
    places: &Places,
    from_xids: Option<&XidMap>,
) -> Result<Vec<Operation>, ComposeError> {
    let both = places.before.iter().filter_map(|(node, from)| Some((*node, *from, *places.after.get(node)?)));
    let mut moved: Vec<(Xid, Place, Place)> = both.collect();
    if moved.is_empty() {
        return Ok(Vec::new());
    }
    moved.sort_unstable_by_key(|(node, ..)| *node);
    let mut maps = Maps::of(first, second, places).of_moves(from_xids);
    let moves = moved.into_iter().map(|(node, from, to)| {
        let xids = maps.remove(&node).filter(|map| map.last() == Some(node)).ok_or(ComposeError::Unknown(node))?;
        Ok(Operation::Move { from, to, xids })
    });
    moves.collect()
}

#[cfg(test)]
mod tests;
