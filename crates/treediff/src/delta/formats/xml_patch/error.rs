//! Why can an XML patch not be applied? In the words of RFC 5261, and in ours.

use std::fmt;

use crate::parse::ParseError;
use crate::tree::Format;

/// Why an XML patch cannot be applied.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// It is no XML.
    #[error("invalid-diff-format: the patch is no XML: {0}")]
    Unreadable(ParseError),
    /// The document is no XML.
    #[error("an XML patch is for XML documents, and this one is {0}")]
    Format(Format),
    /// The document cannot be read again with all its white space.
    #[error("the document is not well-formed: {0}")]
    Document(ParseError),
    /// One operation cannot be done.
    #[error("operation {number} (`{directive}` of `{selector}`): {condition}: {trouble}")]
    Operation {
        /// Which one, counted from 1.
        number: usize,
        /// The name of its element.
        directive: String,
        /// What it selects.
        selector: String,
        /// What the standard calls it.
        condition: Condition,
        /// What is wrong.
        trouble: String,
    },
    /// It changes so many namespace declarations that the document would be read again too often.
    #[error("the patch changes namespace declarations at {0} places between other operations, which is too many")]
    TooManyNamespaces(usize),
    /// What came out is no document.
    #[error("what the patch makes cannot be written: {0}")]
    Result(String),
}

/// The error conditions of RFC 5261 that can occur here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// An attribute of an operation is not as it should be.
    InvalidAttributeValue,
    /// A prefix stands for nothing.
    InvalidNamespacePrefix,
    /// A namespace is none, or is not declared.
    InvalidNamespaceUri,
    /// The content is not of the kind of what it replaces.
    InvalidNodeTypes,
    /// The operation makes no sense.
    InvalidPatchDirective,
    /// There is one root element, always.
    InvalidRootElementOperation,
    /// Around the root element there are comments and processing instructions only.
    InvalidXmlPrologOperation,
    /// There is no such white space.
    InvalidWhitespaceDirective,
    /// Not one node is selected, but none or many.
    UnlocatedNode,
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Condition::InvalidAttributeValue => "invalid-attribute-value",
            Condition::InvalidNamespacePrefix => "invalid-namespace-prefix",
            Condition::InvalidNamespaceUri => "invalid-namespace-uri",
            Condition::InvalidNodeTypes => "invalid-node-types",
            Condition::InvalidPatchDirective => "invalid-patch-directive",
            Condition::InvalidRootElementOperation => "invalid-root-element-operation",
            Condition::InvalidXmlPrologOperation => "invalid-xml-prolog-operation",
            Condition::InvalidWhitespaceDirective => "invalid-whitespace-directive",
            Condition::UnlocatedNode => "unlocated-node",
        })
    }
}

/// Why an operation cannot be done, before it is known which one it is.
#[derive(Debug)]
pub(super) struct Trouble {
    pub(super) condition: Condition,
    pub(super) words: String,
}

impl Trouble {
    pub(super) fn new(condition: Condition, words: impl Into<String>) -> Self {
        Trouble { condition, words: words.into() }
    }
}

/// A part of what may be very long, for a message.
pub(super) fn shortened(written: &str) -> String {
    crate::text::shortened(written, 120)
}
