//! What moves with a node that moves? The map of a composed move, from the maps of the parts.
//!
//! The map of a move has the nodes that hang together with its root by links that the delta leaves alone. In B, where
//! both deltas meet, the maps of d1 and those of d2 each part the nodes into pieces; where the two partings overlap is
//! an atom, whose nodes hang together in both. An atom's root is moved by the composed delta, and then the atom is part
//! of its map; or it is settled (both moved it, and it stands where it stood), and the atom belongs to whatever
//! its parent belongs to. Maps are in post-order, which the identities of the whole of A give.
//!
//! All of it works on runs of identities, never on single ones, but for nodes that were deleted and came back.

use super::edits::Edits;
use super::movers::{Link, Movers};
use super::places::Places;
use crate::delta::owners::Owners;
use crate::delta::table::{XidSet, XidTable};
use crate::delta::{Xid, XidMap};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The map of the move of this node.
    Move(Xid),
    /// A payload: the nodes are not in all three versions.
    Payload,
}

/// The maps of one delta's operations in B.
fn owners(moves: &[&XidMap], payloads: &[&XidMap]) -> Owners<Owner> {
    let moves = moves.iter().filter_map(|map| Some((*map, Owner::Move(map.last()?))));
    Owners::of(moves.chain(payloads.iter().map(|map| (*map, Owner::Payload))))
}

/// The maps of the two deltas, laid over each other.
#[derive(Debug)]
pub(super) struct Maps<'e> {
    first: Owners<Owner>,
    second: Owners<Owner>,
    places: &'e Places,
    /// Nodes that were deleted and came back: each an atom of its own.
    returned: XidSet,
    /// The composed moves that atoms belong to, by their roots.
    movers: Movers,
}

impl<'e> Maps<'e> {
    pub(super) fn of(first: &Edits<'_>, second: &Edits<'_>, places: &'e Places) -> Self {
        Maps {
            first: owners(&first.moves, &first.inserts),
            second: owners(&second.moves, &second.deletes),
            places,
            returned: first.gone.keys().filter(|node| second.come.contains_key(node)).copied().collect(),
            movers: Movers::default(),
        }
    }

    /// The map of every composed move, by its root.
    pub(super) fn of_moves(mut self, from_xids: Option<&XidMap>) -> XidTable<XidMap> {
        let mut runs: Vec<(u64, u64, Xid)> = Vec::new();
        for (first, last, owners) in overlaid(&self.first, &self.second) {
            let mover = self.root(owners).and_then(|root| self.mover(root));
            runs.extend(mover.map(|mover| (first, last, mover)));
        }
        let returned: Vec<Xid> = self.returned.iter().copied().collect();
        for node in returned {
            runs.extend(self.mover(node).map(|mover| (node.0, node.0, mover)));
        }
        runs.sort_unstable();
        let cut = match from_xids {
            Some(from_xids) => in_post_order(&runs, from_xids),
            None => root_last(&runs),
        };
        let mut maps: XidTable<XidMap> = XidTable::default();
        for (mover, _, first, last) in cut {
            maps.entry(mover).or_default().push_run(Xid(first), Xid(last));
        }
        maps
    }

    /// The composed move that the atom of this root goes with.
    fn mover(&mut self, root: Xid) -> Option<Xid> {
        let mut movers = std::mem::take(&mut self.movers);
        let found =
            movers.of(root, |at| match self.places.before.contains_key(&at) && self.places.after.contains_key(&at) {
                true => Link::Moves,
                false => Link::With(self.places.settled.get(&at).and_then(|parent| self.atom_of(*parent))),
            });
        self.movers = movers;
        found
    }

    /// The root of the atom that a node is in; `None`: of all that neither delta moves.
    fn atom_of(&self, node: Xid) -> Option<Xid> {
        match self.returned.contains(&node) {
            true => Some(node),
            false => self.root([self.first.find(node), self.second.find(node)]),
        }
    }

    /// The deeper of the roots of two maps that overlap.
    fn root(&self, owners: [Option<Owner>; 2]) -> Option<Xid> {
        match owners {
            [Some(Owner::Move(root)), None] | [None, Some(Owner::Move(root))] => Some(root),
            [Some(Owner::Move(first)), Some(Owner::Move(second))] => {
                let inside = self.second.find(first) == Some(Owner::Move(second));
                Some(if inside { first } else { second })
            }
            _ => None,
        }
    }
}

/// The runs that two partings have in common, each with its owner in either.
fn overlaid(first: &Owners<Owner>, second: &Owners<Owner>) -> Vec<(u64, u64, [Option<Owner>; 2])> {
    let mut lists = [first.runs(), second.runs()];
    let mut runs = Vec::with_capacity(lists[0].len() + lists[1].len());
    let mut at = 0u64;
    loop {
        for list in &mut lists {
            let done = list.iter().take_while(|piece| piece.last < at).count();
            *list = &list[done..];
        }
        let Some(start) = lists.iter().filter_map(|list| list.first()).map(|piece| piece.first).min() else {
            return runs;
        };
        at = at.max(start);
        let here = lists.map(|list| list.first().filter(|piece| piece.first <= at).copied());
        let ends = lists.iter().filter_map(|list| list.first());
        let ends = ends.map(|piece| if piece.first <= at { piece.last } else { piece.first - 1 });
        let end = ends.min().unwrap_or(at);
        runs.push((at, end, here.map(|piece| piece.map(|piece| piece.owner))));
        at = end + 1;
    }
}

/// The runs without any root of a move, which come behind them; as mover, rank, first and last, in order.
fn root_last(runs: &[(u64, u64, Xid)]) -> Vec<(Xid, u64, u64, u64)> {
    let mut cut = Vec::with_capacity(runs.len());
    for &(first, last, mover) in runs {
        if mover.0 < first || last < mover.0 {
            cut.push((mover, 0, first, last));
            continue;
        }
        let around =
            [(0, first, mover.0.saturating_sub(1)), (1, mover.0, mover.0), (0, mover.0.saturating_add(1), last)];
        cut.extend(
            around
                .into_iter()
                .filter(|(_, first, last)| first <= last)
                .map(|(rank, first, last)| (mover, rank, first, last)),
        );
    }
    cut.sort_unstable();
    cut
}

/// The runs cut where the post-order of the whole document cuts them, as mover, rank, first and last, in order.
pub(super) fn in_post_order(runs: &[(u64, u64, Xid)], from_xids: &XidMap) -> Vec<(Xid, u64, u64, u64)> {
    let mut rank = 0;
    let ranked = from_xids.runs().map(|(first, last)| {
        let start = rank;
        rank += last.0 - first.0 + 1;
        (first.0, last.0, start)
    });
    let mut whole: Vec<(u64, u64, u64)> = ranked.collect();
    whole.sort_unstable();
    let mut whole = whole.into_iter().peekable();
    let mut cut = Vec::with_capacity(runs.len());
    for &(first, last, mover) in runs {
        while whole.next_if(|run| run.1 < first).is_some() {}
        while let Some(&(start, end, rank)) = whole.peek().filter(|run| run.0 <= last) {
            let from = start.max(first);
            cut.push((mover, rank + (from - start), from, end.min(last)));
            if end > last {
                break;
            }
            whole.next();
        }
    }
    cut.sort_unstable();
    cut
}
