//! Why can a delta not be written in some format?

use std::fmt;

use crate::delta::Xid;

/// Why a delta could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// The delta is not one between these documents.
    #[error("the delta speaks of node {xid}, which the document {side} does not have: is it of another document?")]
    NoSuchNode {
        /// The identity that is nobody's.
        xid: Xid,
        /// `before` or `after`.
        side: &'static str,
    },
    /// The identities of the delta are not as many as the nodes of the document.
    #[error("the delta numbers {numbered} nodes and the document {side} has {found}: is it of another document?")]
    NotOfDocument {
        /// Nodes in the XID map.
        numbered: u64,
        /// Nodes in the document.
        found: u64,
        /// `before` or `after`.
        side: &'static str,
    },
    /// The place to write to did not take it.
    #[error("the output could not be written")]
    Output(#[from] fmt::Error),
}
