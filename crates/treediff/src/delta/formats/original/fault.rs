//! What can be wrong with an operation of an original delta?

use crate::delta::{Xid, XidMapError};
use crate::text::shortened;

/// What is wrong with an operation, or between it and the document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("attribute `{0}` is missing")]
    Missing(&'static str),
    #[error("found `{value}` as `{name}`, expected a number from 1 on")]
    Number { name: &'static str, value: String },
    #[error(transparent)]
    Xids(#[from] XidMapError),
    #[error("there is no such operation in the deltas of XyDiff")]
    Unknown,
    #[error("found {0} nodes as content, expected one subtree")]
    Content(usize),
    #[error("{xids} XIDs are given for {nodes} nodes")]
    Count { xids: u64, nodes: u64 },
    #[error("the document has no node {0}")]
    NoNode(Xid),
    #[error("XID {0} is given to two nodes, or has two operations of this kind")]
    Twice(Xid),
    #[error("node {xid} is not at position {position} below node {parent}")]
    Elsewhere { xid: Xid, parent: Xid, position: u32 },
    #[error("what is at node {0} is not what the operation says")]
    OtherContent(Xid),
    #[error("node {0} would come below itself")]
    Cycle(Xid),
    #[error("node {0} moves, and the other half of the move is missing")]
    HalfMove(Xid),
    #[error("the update has no other half at position {position} below node {parent}")]
    HalfUpdate { parent: Xid, position: u32 },
    #[error("position {position} is taken, or beyond the {children} children that node {parent} has then")]
    Position { parent: Xid, position: u32, children: usize },
    #[error("XIDs up to {0} are given out, which leaves too few for what is new")]
    NoXids(u64),
    #[error("node {0} is not of a kind that this can happen to")]
    Kind(Xid),
    #[error("attribute `{0}` is not as the operation says")]
    Attribute(String),
    #[error("found `{}`, which is no name of an attribute", shortened(.0, 60))]
    NoName(String),
    #[error("the change ends at character {end} of a text of {len}, or before the one ahead of it does")]
    Characters { end: usize, len: usize },
}
