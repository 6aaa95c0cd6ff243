//! What changed? A [`Delta`]: the set of operations between two versions of a document, complete in both directions.
//!
//! Operations refer to nodes by their persistent identities ([`Xid`]), and their positions to the version before (what
//! goes away) or after (what comes), never to one another: so they are a set, and a delta can be inverted, and composed
//! with the next one, without either document.

mod apply;
mod between;
mod binary;
mod compose;
pub(crate) mod find;
pub mod formats;
mod fragment;
mod ignore;
mod invert;
#[cfg(test)]
mod model;
mod operation;
mod owners;
mod post_order;
mod same;
mod script;
mod stats;
mod sums;
mod table;
mod xid;
mod xydelta;

pub use apply::{ApplyError, ApplyOptions, Fault, Patched};
pub use between::{BetweenError, Identities, Options};
pub use compose::ComposeError;
pub use find::nodes as find_nodes;
pub use fragment::Fragment;
pub use ignore::{Ignoring, Unordered};
pub use operation::{AttributeChange, AttributeName, Operation, Place};
pub use script::{Script, swap};
pub use stats::DeltaStats;
pub use xid::{Xid, XidMap, XidMapError, XidPlaces};
pub(crate) use xydelta::is_escaped_delta;
pub use xydelta::{DeltaError, Destination, NAMESPACE};

use crate::matching::Fallbacks;
use crate::parse::Whitespace;
use crate::tree::{Document, Format};

/// The set of operations that lead from one version of a document to another, and back.
#[derive(Debug, Clone)]
pub struct Delta {
    pub(crate) format: Format,
    pub(crate) whitespace: Whitespace,
    pub(crate) from_hash: u64,
    pub(crate) to_hash: u64,
    pub(crate) from_xids: XidMap,
    pub(crate) to_xids: XidMap,
    pub(crate) next_xid: Xid,
    pub(crate) fallbacks: Fallbacks,
    pub(crate) operations: Vec<Operation>,
}

impl Delta {
    /// What the two versions are written in.
    pub fn format(&self) -> Format {
        self.format
    }

    /// What white space was to the comparison.
    pub fn whitespace(&self) -> Whitespace {
        self.whitespace
    }

    /// The [`document_hash`] of the version before.
    pub fn from_hash(&self) -> u64 {
        self.from_hash
    }

    /// The [`document_hash`] of the version after.
    pub fn to_hash(&self) -> u64 {
        self.to_hash
    }

    /// The identities of the nodes of the version before, without the document node.
    pub fn from_xids(&self) -> &XidMap {
        &self.from_xids
    }

    /// The identities of the nodes of the version after, without the document node.
    pub fn to_xids(&self) -> &XidMap {
        &self.to_xids
    }

    /// The identity that the next new node of the history will get.
    pub fn next_xid(&self) -> Xid {
        self.next_xid
    }

    /// Where a budget was exhausted, or a key of no use, when the versions were compared: a shorter delta may exist.
    pub fn fallbacks(&self) -> Fallbacks {
        self.fallbacks
    }

    /// The operations; their order means nothing.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }
}

/// The hash of a document as deltas know it: its tree and its document type declaration.
pub fn document_hash(document: &Document) -> u64 {
    document.root().hash()
}
