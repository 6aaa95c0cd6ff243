//! Why can a delta not be written in some format?

use std::fmt;

use crate::delta::{Delta, Operation, Xid};
use crate::parse::ParseError;
use crate::tree::Format;

/// Why a delta could not be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// A document is not one of the two that the delta lies between, or was read with other white space.
    #[error("the document {0} is not the one that the delta speaks of")]
    OtherDocument(&'static str),
    /// The delta speaks of a node that is not there.
    #[error("the delta speaks of node {xid}, which the document {side} does not have")]
    NoSuchNode {
        /// The identity that is nobody's.
        xid: Xid,
        /// `before` or `after`.
        side: &'static str,
    },
    /// The format has no words for such documents.
    #[error("{name} is for XML, and the documents are {format}")]
    NotForFormat {
        /// The format of deltas.
        name: &'static str,
        /// What the documents are.
        format: Format,
    },
    /// A JSON patch is for JSON.
    #[error("a JSON patch is for JSON, and the documents are {0}")]
    NotJson(Format),
    /// A document that was read over its errors cannot be changed step by step by programs that read none.
    #[error("the document {side} is not well-formed, and so the format has no patch for it")]
    NotWellFormed {
        /// `before` or `after`.
        side: &'static str,
        /// What is wrong with it.
        #[source]
        error: ParseError,
    },
    /// The format has no word for a change.
    #[error("the format cannot say that {0}")]
    Unspeakable(&'static str),
    /// The format has no word for the document type declaration.
    #[error("{0} cannot say that the document type declaration changed: `xydelta` and `json` can")]
    Doctype(&'static str),
    /// The place to write to did not take it.
    #[error("the output could not be written")]
    Output(#[from] fmt::Error),
}

impl FormatError {
    /// Refuses a delta that changes the document type declaration, for a format that would lose it.
    pub(super) fn refuse_doctype(delta: &Delta, name: &'static str) -> Result<(), FormatError> {
        let changes = delta.operations().iter().any(|operation| matches!(operation, Operation::Doctype { .. }));
        if changes { Err(FormatError::Doctype(name)) } else { Ok(()) }
    }
}
