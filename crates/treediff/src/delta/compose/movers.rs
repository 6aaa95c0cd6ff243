//! Which move does a node go along with? Its own, or that of what its parent belongs to.

use crate::delta::Xid;
use crate::delta::table::XidTable;

/// What is known of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    /// It has a move of its own.
    Moves,
    /// It goes with the part of this root; `None`: with all that does not move.
    With(Option<Xid>),
}

/// The moves that roots go along with, as far as they were asked for; `None`: they do not move.
#[derive(Debug, Default)]
pub(super) struct Movers {
    known: XidTable<Option<Xid>>,
}

impl Movers {
    pub(super) fn of(&mut self, root: Xid, link: impl Fn(Xid) -> Link) -> Option<Xid> {
        let mut path = Vec::new();
        let mut next = Some(root);
        let mut found = None;
        while let Some(at) = next {
            if let Some(&known) = self.known.get(&at) {
                found = known;
                break;
            }
            match link(at) {
                Link::Moves => {
                    found = Some(at);
                    break;
                }
                Link::With(other) => next = other,
            }
            // Known for now not to move: a delta that lies about its parents may lead in a circle.
            self.known.insert(at, None);
            path.push(at);
        }
        self.known.extend(path.into_iter().map(|at| (at, found)));
        found
    }
}
