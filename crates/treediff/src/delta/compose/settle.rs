//! Which moves change nothing? Those of siblings that stand in the order that they stood in.
//!
//! One delta that moves a behind b and a next one that moves b behind a leave both where they were, and composed they are two
//! moves onto their own places: `compose` keeps these, since its laws need them. Whoever is handed the delta of a whole
//! history does not want to read them.

use super::maps;
use super::movers::{Link, Movers};
use crate::delta::owners::Owners;
use crate::delta::table::XidTable;
use crate::delta::{Delta, Operation, Xid, XidMap};
use crate::matching::{Sibling, SiblingOrder, staying};

impl Delta {
    /// The delta without moves that change nothing: of siblings that were moved below their parent, as many as possible stay
    /// that are in the order in which they were, both among themselves and with all that did not move.
    ///
    /// ```
    /// use treediff::delta::Delta;
    ///
    /// let moved = |node: u8, from: u8, to: u8| format!(
    ///     r#"<xydelta xmlns="urn:deltaic:xydelta:1" fromHash="1d" toHash="1d" fromXIDmap="(1-3)" toXIDmap="(1-3)" nextXID="4">
    ///         <move sourceParentXID="3" sourcePosition="{from}" targetParentXID="3" targetPosition="{to}" DataXIDmap="({node})"/>
    ///     </xydelta>"#
    /// );
    /// assert!(Delta::read(moved(1, 1, 1), &Default::default())?.settled().is_empty());
    /// assert!(!Delta::read(moved(1, 1, 2), &Default::default())?.settled().is_empty());
    /// # Ok::<(), treediff::delta::DeltaError>(())
    /// ```
    pub fn settled(mut self) -> Delta {
        let idle = idle(&self.operations);
        if idle.is_empty() {
            return self;
        }
        let mut wider = wider_maps(&self.operations, &idle, &self.from_xids);
        self.operations.retain_mut(|operation| {
            let node = operation.node();
            let Operation::Move { xids, .. } = operation else { return true };
            if let Some(wider) = wider.remove(&node) {
                *xids = wider;
            }
            !idle.contains_key(&node)
        });
        self
    }
}

/// The maps of moves that what is idle goes along with, by their roots.
fn wider_maps(operations: &[Operation], idle: &XidTable<Xid>, from_xids: &XidMap) -> XidTable<XidMap> {
    let moves: Vec<(Xid, &XidMap)> = operations
        .iter()
        .filter_map(|operation| match operation {
            Operation::Move { xids, .. } => Some((operation.node(), xids)),
            _ => None,
        })
        .collect();
    let owners = Owners::of(moves.iter().map(|&(root, map)| (map, root)));
    let link = |root: Xid| idle.get(&root).map_or(Link::Moves, |parent| Link::With(owners.find(*parent)));
    let mut movers = Movers::default();
    let mut runs: Vec<(u64, u64, Xid)> = Vec::new();
    let mut wider = XidTable::default();
    for &(root, map) in &moves {
        let Some(mover) = movers.of(root, link) else { continue };
        runs.extend(map.runs().map(|(first, last)| (first.0, last.0, mover)));
        if mover != root {
            wider.insert(mover, XidMap::new());
        }
    }
    if wider.is_empty() {
        return wider;
    }
    runs.sort_unstable();
    for (mover, _, first, last) in maps::in_post_order(&runs, from_xids) {
        wider.entry(mover).and_modify(|map| map.push_run(Xid(first), Xid(last)));
    }
    wider
}

/// What goes and comes below one parent.
#[derive(Debug, Default)]
struct Siblings {
    /// The positions of all that goes, in the version before.
    gone: Vec<u32>,
    /// The positions of all that comes, in the version after.
    come: Vec<u32>,
    /// What goes and comes back.
    moved: Vec<Moved>,
}

#[derive(Debug, Clone, Copy)]
struct Moved {
    node: Xid,
    from: u32,
    to: u32,
    nodes: u32,
}

/// The nodes whose moves change nothing, with their parents.
fn idle(operations: &[Operation]) -> XidTable<Xid> {
    let mut parents: XidTable<Siblings> = XidTable::default();
    for operation in operations {
        let (from, to) = match operation {
            Operation::Delete { place, .. } => (Some(*place), None),
            Operation::Insert { place, .. } => (None, Some(*place)),
            Operation::Move { from, to, .. } => (Some(*from), Some(*to)),
            _ => continue,
        };
        if let Some(place) = from {
            parents.entry(place.parent).or_default().gone.push(place.position);
        }
        if let Some(place) = to {
            parents.entry(place.parent).or_default().come.push(place.position);
        }
        if let Operation::Move { from, to, xids } = operation
            && from.parent == to.parent
        {
            let nodes = u32::try_from(xids.len()).unwrap_or(u32::MAX);
            let moved = Moved { node: operation.node(), from: from.position, to: to.position, nodes };
            parents.entry(from.parent).or_default().moved.push(moved);
        }
    }
    let below = |(parent, siblings): (Xid, Siblings)| siblings.idle().into_iter().map(move |node| (node, parent));
    parents.into_iter().flat_map(below).collect()
}

impl Siblings {
    fn idle(mut self) -> Vec<Xid> {
        self.gone.sort_unstable();
        self.come.sort_unstable();
        self.moved.retain(|it| unmoved_before(it.from, &self.gone) == unmoved_before(it.to, &self.come));
        self.moved.sort_unstable_by_key(|it| it.to);
        let siblings: Vec<Sibling> = self.moved.iter().map(|it| Sibling::moving_least(it.from, it.nodes)).collect();
        let stay = staying(&siblings, SiblingOrder::Exact);
        self.moved.iter().zip(stay).filter(|(_, stays)| *stays).map(|(it, _)| it.node).collect()
    }
}

/// How many that do not move stand before a position, by the positions of those that do.
fn unmoved_before(position: u32, moving: &[u32]) -> u32 {
    position.saturating_sub(moving.partition_point(|&it| it < position) as u32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::delta::model::{Chain, apply, chain, genes};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_settled_does_the_same(
            tree in genes(14), edits in prop::collection::vec(genes(6), 2..5), choices in any::<Vec<u8>>(),
        ) {
            let Chain { first, deltas, last } = chain(&tree, &edits, &choices);
            let mut whole = deltas[0].clone();
            for next in &deltas[1..] {
                whole = whole.compose(next).expect("neighbours compose");
            }
            let settled = whole.clone().settled();
            prop_assert_eq!(&apply(&settled, &first), &last);
            prop_assert_eq!(&apply(&settled.inverted(), &last), &first);
            prop_assert!(settled.operations.len() <= whole.operations.len());
            prop_assert!(idle(&settled.operations).is_empty());
        }

        #[test]
        fn to_the_end_and_back_is_nothing(
            tree in genes(14), edits in prop::collection::vec(genes(6), 1..5), choices in any::<Vec<u8>>(),
        ) {
            let mut deltas = chain(&tree, &edits, &choices).deltas;
            deltas.extend(deltas.clone().iter().rev().map(Delta::inverted));
            let mut whole = deltas[0].clone();
            for next in &deltas[1..] {
                whole = whole.compose(next).expect("neighbours compose");
            }
            prop_assert!(whole.settled().is_empty());
            prop_assert!(Delta::compose_all(&deltas).unwrap().unwrap().is_empty());
        }
    }
}
