//! Why can a delta not be written in some format?

use std::fmt;

use crate::delta::{AttributeChange, Delta, Operation, Xid};
use crate::parse::ParseError;
use crate::tree::{Attribute, Format, Node};

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
    /// XML has no way to write a reference to an unknown entity in the attribute of a document that does not declare it.
    #[error(
        "{name} cannot say that attribute `{attribute}` refers to an entity that nothing declares, as in `{value}`: \
         `xydelta` and `json` can"
    )]
    Reference {
        /// The format.
        name: &'static str,
        /// The attribute.
        attribute: String,
        /// Its value.
        value: String,
    },
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

    /// Refuses a delta in which a reference that nobody followed becomes text in an attribute, or text a reference: both
    /// values are the same, and the change would be lost.
    pub(super) fn refuse_same_values(delta: &Delta) -> Result<(), FormatError> {
        let is_lost = |operation: &Operation| matches!(operation, Operation::Attribute { change: AttributeChange::Modify { before, after }, .. } if before == after);
        match delta.operations().iter().any(is_lost) {
            true => Err(FormatError::Unspeakable("a reference in an attribute becomes text, or text a reference")),
            false => Ok(()),
        }
    }

    /// Refuses an attribute that comes with a reference that nobody followed, which would be text in the format.
    pub(super) fn refuse_reference(attribute: Attribute<'_>, name: &'static str) -> Result<(), FormatError> {
        if !attribute.keeps_reference() {
            return Ok(());
        }
        let [attribute, value] =
            [attribute.qualified_name(), attribute.value()].map(|text| crate::text::shortened(&text, 60));
        Err(FormatError::Reference { name, attribute, value })
    }

    /// The same for all attributes of a subtree.
    pub(super) fn refuse_references_below(root: Node<'_>, name: &'static str) -> Result<(), FormatError> {
        let mut elements = std::iter::once(root).chain(root.descendants()).filter(|node| node.is_element());
        elements.try_for_each(|element| {
            element.attributes().try_for_each(|attribute| FormatError::refuse_reference(attribute, name))
        })
    }
}
