//! What becomes of two steps that change places? The lemmas 4.2.6 to 4.2.9 of the thesis, and the same for moves.
//!
//! A move is a removal and an addition in one. The removals and additions of the first step are exchanged with those of
//! the second one by one; only below one parent do positions change.

use super::steps::sides;
use crate::delta::{Operation, Place, Xid, XidMap};

/// The two operations that do what `first` and then `second` do, in the other order; `None` where one depends on the other:
/// it is about a node that the other deletes, inserts or moves, about something below one, or about the same value.
///
/// Two operations do not say what a third one has put below the first; [`Script::swapped`](super::Script::swapped) looks at all.
pub fn swap(first: &Operation, second: &Operation) -> Option<(Operation, Operation)> {
    if depends(first, second) || depends(second, first) {
        return None;
    }
    let [mut taken, mut put] = sides(first);
    let [mut taken_then, mut put_then] = sides(second);
    // From `taken put taken_then put_then` to `taken_then put_then taken put`, by neighbours.
    exchange(&mut put, Change::Addition, &mut taken_then, Change::Removal);
    exchange(&mut taken, Change::Removal, &mut taken_then, Change::Removal);
    exchange(&mut put, Change::Addition, &mut put_then, Change::Addition);
    exchange(&mut taken, Change::Removal, &mut put_then, Change::Addition);
    Some((placed(second, [taken_then, put_then]), placed(first, [taken, put])))
}

/// Whether `one` is about something that `other` deletes, inserts or moves, or about the same value.
fn depends(one: &Operation, other: &Operation) -> bool {
    match (one, other) {
        (Operation::Update { .. }, Operation::Update { .. }) => one.node() == other.node(),
        (Operation::Attribute { name, .. }, Operation::Attribute { name: same, .. }) => {
            one.node() == other.node() && name == same
        }
        (Operation::Doctype { .. }, Operation::Doctype { .. }) => true,
        (Operation::Update { .. } | Operation::Attribute { .. }, Operation::Move { .. }) => false,
        (_, Operation::Delete { xids, .. } | Operation::Insert { xids, .. } | Operation::Move { xids, .. }) => {
            sides(one).into_iter().flatten().any(|place| takes_along(other, place.parent)) || overlaps(one, xids)
        }
        _ => false,
    }
}

/// Whether a node is in what an operation deletes, inserts or moves.
pub(super) fn takes_along(operation: &Operation, node: Xid) -> bool {
    let (Operation::Delete { xids, .. } | Operation::Insert { xids, .. } | Operation::Move { xids, .. }) = operation
    else {
        return false;
    };
    xids.runs().any(|(first, last)| first <= node && node <= last)
}

/// Whether the nodes that an operation is about itself are among these.
fn overlaps(operation: &Operation, others: &XidMap) -> bool {
    let own = match operation {
        Operation::Delete { xids, .. } | Operation::Insert { xids, .. } | Operation::Move { xids, .. } => xids.clone(),
        Operation::Doctype { .. } => XidMap::new(),
        other => XidMap::from_iter([other.node()]),
    };
    let mut runs: Vec<(Xid, Xid)> = own.runs().chain(others.runs()).collect();
    runs.sort_unstable();
    runs.windows(2).any(|pair| pair[1].0 <= pair[0].1)
}

fn placed(operation: &Operation, [taken, put]: [Option<Place>; 2]) -> Operation {
    let mut placed = operation.clone();
    match (&mut placed, taken, put) {
        (Operation::Delete { place, .. }, Some(taken), _) => *place = taken,
        (Operation::Insert { place, .. }, _, Some(put)) => *place = put,
        (Operation::Move { from, to, .. }, Some(taken), Some(put)) => (*from, *to) = (taken, put),
        _ => {}
    }
    placed
}

/// What happens at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Removal,
    Addition,
}

/// Makes of the places of a first and a second change, of different nodes, those of the second done before the first.
fn exchange(first: &mut Option<Place>, change: Change, second: &mut Option<Place>, then: Change) {
    let (Some(first), Some(second)) = (first, second) else { return };
    if first.parent != second.parent {
        return;
    }
    let (i, j) = (&mut first.position, &mut second.position);
    match (change, then) {
        // Lemma 4.2.6.
        (Change::Removal, Change::Removal) if *i <= *j => *j = j.saturating_add(1),
        (Change::Removal, Change::Removal) => *i -= 1,
        // Lemma 4.2.7.
        (Change::Addition, Change::Addition) if *j <= *i => *i = i.saturating_add(1),
        (Change::Addition, Change::Addition) => *j -= 1,
        // Lemma 4.2.8.
        (Change::Addition, Change::Removal) if *i < *j => *j -= 1,
        (Change::Addition, Change::Removal) => *i = i.saturating_sub(1),
        // The thesis has no use for this one. What comes where something went may come before or behind it.
        (Change::Removal, Change::Addition) if *j <= *i => *i = i.saturating_add(1),
        (Change::Removal, Change::Addition) => *j = j.saturating_add(1),
    }
}
