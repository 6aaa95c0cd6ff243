//! What can happen to a document? The operations of a delta.

use std::sync::Arc;

use super::{Fragment, Xid, XidMap};

/// A place among the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The parent.
    pub parent: Xid,
    /// The position among the parent's children, counted from 0 (in files: from 1).
    pub position: u32,
}

/// One change.
#[derive(Debug, Clone)]
pub enum Operation {
    /// A subtree goes away.
    Delete {
        /// Where it was in the version before.
        place: Place,
        /// The identities of its nodes, in post-order.
        xids: XidMap,
        /// What it was, without what moved out of it.
        content: Fragment,
    },
    /// A subtree comes.
    Insert {
        /// Where it is in the version after.
        place: Place,
        /// The identities of its nodes, in post-order.
        xids: XidMap,
        /// What it is, without what moved into it.
        content: Fragment,
    },
    /// A subtree goes elsewhere and stays itself.
    Move {
        /// Where it was in the version before.
        from: Place,
        /// Where it is in the version after.
        to: Place,
        /// The identities of what moves, in post-order: the nodes that are below its root both before and after.
        xids: XidMap,
    },
    /// A text, comment, processing instruction or JSON scalar has another value.
    Update {
        /// The node.
        node: Xid,
        /// Its value before.
        before: String,
        /// Its value after.
        after: String,
    },
    /// An attribute of an element changed.
    Attribute {
        /// The element.
        node: Xid,
        /// The attribute. Shared, since many operations of a delta are about attributes of one name.
        name: Arc<AttributeName>,
        /// What happened to it.
        change: AttributeChange,
    },
    /// The document type declaration changed.
    Doctype {
        /// The declaration before, from `<!DOCTYPE` to its `>`, if there was one.
        before: Option<String>,
        /// The declaration after.
        after: Option<String>,
    },
}

// A delta of a large document has very many.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Operation>() <= 88);

/// The name of an attribute; its prefix is carried along and not compared.
#[derive(Debug, Clone, Eq)]
pub struct AttributeName {
    /// The namespace URI, empty where there is none.
    pub namespace: String,
    /// The prefix that it is written with, empty where there is none.
    pub prefix: String,
    /// The local name.
    pub local: String,
}

impl PartialEq for AttributeName {
    fn eq(&self, other: &Self) -> bool {
        self.namespace == other.namespace && self.local == other.local
    }
}

/// What happened to an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeChange {
    /// It came, with this value.
    Insert(String),
    /// It went, and had this value.
    Delete(String),
    /// It has another value.
    Modify {
        /// The value before.
        before: String,
        /// The value after.
        after: String,
    },
}

impl AttributeChange {
    /// The value before and the value after, where there are any.
    pub fn values(&self) -> (Option<&str>, Option<&str>) {
        match self {
            AttributeChange::Insert(after) => (None, Some(after)),
            AttributeChange::Delete(before) => (Some(before), None),
            AttributeChange::Modify { before, after } => (Some(before), Some(after)),
        }
    }
}

impl Operation {
    /// The node that the operation is about: the root of what is deleted, inserted or moved, the node that is changed.
    pub fn node(&self) -> Xid {
        match self {
            Operation::Delete { xids, .. } | Operation::Insert { xids, .. } | Operation::Move { xids, .. } => {
                xids.last().unwrap_or(Xid::DOCUMENT)
            }
            Operation::Update { node, .. } | Operation::Attribute { node, .. } => *node,
            Operation::Doctype { .. } => Xid::DOCUMENT,
        }
    }
}
