//! Which of several maps is a node in?

use super::{Xid, XidMap};

/// Maps without nodes in common, each with its owner.
#[derive(Debug)]
pub(super) struct Owners<T> {
    /// Sorted by their first.
    runs: Vec<Owned<T>>,
}

/// A run of identities of one map.
#[derive(Debug, Clone, Copy)]
pub(super) struct Owned<T> {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) owner: T,
}

impl<T: Copy> Owners<T> {
    pub(super) fn of<'m>(maps: impl Iterator<Item = (&'m XidMap, T)>) -> Self {
        let runs = maps.flat_map(|(map, owner)| {
            map.runs().map(move |(first, last)| Owned { first: first.0, last: last.0, owner })
        });
        let mut runs: Vec<Owned<T>> = runs.collect();
        runs.sort_unstable_by_key(|run| run.first);
        Owners { runs }
    }

    /// The runs, sorted by their first.
    pub(super) fn runs(&self) -> &[Owned<T>] {
        &self.runs
    }

    /// The owner of the map that has this node.
    pub(super) fn find(&self, node: Xid) -> Option<T> {
        let after = self.runs.partition_point(|run| run.first <= node.0);
        let run = self.runs.get(after.checked_sub(1)?)?;
        (node.0 <= run.last).then_some(run.owner)
    }
}
