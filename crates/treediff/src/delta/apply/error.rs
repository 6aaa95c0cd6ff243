//! Why does a delta not fit? The operation, and what was found in place of what it says.

use crate::delta::{AttributeChange, Operation, Xid};
use crate::parse::ParseError;
use crate::tree::{Format, Kind};

/// Why a delta could not be applied.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ApplyError {
    /// The document is in another format.
    #[error("the delta is for {expected}, the document is {found}")]
    Format {
        /// The delta's.
        expected: Format,
        /// The document's.
        found: Format,
    },
    /// The document is not the version before.
    #[error(
        "the delta starts from a document with the hash {expected:016x}, this one has {found:016x}; it may be another \
         version, or have been read with other rules for white space"
    )]
    SourceHash {
        /// What the delta says.
        expected: u64,
        /// The document's.
        found: u64,
    },
    /// The document's nodes cannot be numbered.
    #[error("the delta's `fromXIDmap` numbers {expected} nodes, the document has {found}")]
    NodeCount {
        /// What the delta says.
        expected: u64,
        /// The document's.
        found: u64,
    },
    /// An identity is given to two nodes of the version before.
    #[error("the delta's `fromXIDmap` has XID {0} twice")]
    XidTwice(Xid),
    /// An operation does not fit.
    #[error("{operation}: {fault}")]
    Operation {
        /// The operation, in words.
        operation: String,
        /// What is wrong.
        fault: Fault,
    },
    /// The result has not the identities that the delta names.
    #[error("the result has the XIDs {}, the delta's `toXIDmap` says {}", short(found), short(expected))]
    ResultXids {
        /// What the delta says.
        expected: String,
        /// What came out.
        found: String,
    },
    /// The result is not the version after.
    #[error("the result has the hash {found:016x}, the delta's `toHash` says {expected:016x}")]
    ResultHash {
        /// What the delta says.
        expected: u64,
        /// What came out.
        found: u64,
    },
    /// The result cannot be read again.
    #[error("the result cannot be written as a document that can be read: {0}")]
    Unreadable(ParseError),
    /// The result cannot be written so that it is read as what it is.
    #[error("the result cannot be written: as {format} it would read differently")]
    ReadsDifferently {
        /// What it is written as.
        format: Format,
        /// The first node in document order that would be another, counted from 0 in the version after.
        at: u32,
    },
    /// The page names an encoding that it cannot be written in so that it is read as such.
    #[error("the result cannot be written: in {0} its bytes would be read as another encoding")]
    Encoding(&'static str),
}

impl ApplyError {
    /// Whether delta and document fit, and it is what comes of them that cannot be written.
    pub fn is_of_result(&self) -> bool {
        matches!(self, ApplyError::Unreadable(_) | ApplyError::ReadsDifferently { .. } | ApplyError::Encoding(_))
    }
}

/// What is wrong with an operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no such node.
    #[error("found no node {0}")]
    NoNode(Xid),
    /// The operation names no nodes.
    #[error("its XID map is empty")]
    NoXids,
    /// The document node cannot be removed.
    #[error("the document node cannot be removed")]
    Document,
    /// The node is elsewhere.
    #[error("found the node below node {found}, expected it below {expected}")]
    Parent {
        /// What the operation says.
        expected: Xid,
        /// The parent.
        found: Xid,
    },
    /// Another node is at the place.
    #[error("found another node at position {} of node {parent}", position + 1)]
    Position {
        /// The parent.
        parent: Xid,
        /// The position, counted from 0.
        position: u32,
    },
    /// The parent has fewer children.
    #[error("position {} is beyond the {children} children of node {parent}", position + 1)]
    Beyond {
        /// The parent.
        parent: Xid,
        /// The position, counted from 0.
        position: u32,
        /// How many children there are.
        children: usize,
    },
    /// Two operations want one place.
    #[error("another node comes to position {} of node {parent} too", position + 1)]
    Taken {
        /// The parent.
        parent: Xid,
        /// The position, counted from 0.
        position: u32,
    },
    /// Two operations do the same to one node.
    #[error("another operation does so too")]
    Twice,
    /// The content that goes away is other content.
    #[error("found other content than the payload, from node {0} on")]
    Content(Xid),
    /// The XIDs of a subtree are others.
    #[error("found the XIDs {}, the operation says {}", short(found), short(expected))]
    Xids {
        /// What the operation says.
        expected: String,
        /// Those of the subtree.
        found: String,
    },
    /// The payload has more or fewer nodes than the operation names.
    #[error("its payload has {nodes} nodes and its XID map {xids}")]
    PayloadSize {
        /// The nodes.
        nodes: u64,
        /// The XIDs.
        xids: u64,
    },
    /// An identity would be given to two nodes.
    #[error("XID {0} would be there twice")]
    XidTwice(Xid),
    /// The node goes away with a deleted subtree.
    #[error("node {0} is deleted")]
    Deleted(Xid),
    /// The node is of a kind that this cannot be done to.
    #[error("found {} at node {node}, which has no {what}", kind_name(*found))]
    Kind {
        /// The node.
        node: Xid,
        /// Its kind.
        found: Kind,
        /// What it would need.
        what: &'static str,
    },
    /// The value is another.
    #[error("found the value `{}`, expected `{}`", apart(found, expected), apart(expected, found))]
    Value {
        /// What the operation says.
        expected: String,
        /// The value.
        found: String,
    },
    /// The attribute is not there.
    #[error("found no such attribute")]
    NoAttribute,
    /// The attribute is there already.
    #[error("found it with the value `{}`", short(found))]
    HasAttribute {
        /// Its value.
        found: String,
    },
    /// The document type declaration is another.
    #[error("found {}", found.as_deref().map_or("none".to_owned(), |found| format!("`{}`", short(found))))]
    Doctype {
        /// The declaration, if there is one.
        found: Option<String>,
    },
    /// A document has one root.
    #[error("the document would have a second root")]
    SecondRoot,
    /// Around the root there are comments and processing instructions alone.
    #[error("a document has no {} beside its root", kind_name(*.0).trim_start_matches("a "))]
    BesideRoot(Kind),
    /// Two texts would be one when they are read again.
    #[error("it would come beside another text, and both be read as one")]
    TextBesideText,
    /// It could not be read again.
    #[error("what it brings cannot be written so that it is read as the same")]
    Unwritable,
    /// What comes is not below the document node then.
    #[error("node {0} would be below itself")]
    Cycle(Xid),
}

/// A fault and the number of the operation that has it.
#[derive(Debug)]
pub(super) struct OperationFault {
    pub(super) operation: usize,
    pub(super) fault: Fault,
}

/// An operation in a few words.
pub(super) fn described(operation: &Operation) -> String {
    let node = operation.node();
    match operation {
        Operation::Delete { .. } => format!("delete of node {node}"),
        Operation::Insert { .. } => format!("insert of node {node}"),
        Operation::Move { .. } => format!("move of node {node}"),
        Operation::Update { .. } => format!("update of node {node}"),
        Operation::Attribute { name, change, .. } => {
            let verb = match change {
                AttributeChange::Insert(_) => "attr-insert",
                AttributeChange::Delete(_) => "attr-delete",
                AttributeChange::Modify { .. } => "attr-modify",
            };
            format!("{verb} of `{}` at node {node}", short(&name.local))
        }
        Operation::Doctype { .. } => "change of the doctype".to_owned(),
    }
}

/// As much of a text as fits a message, from shortly before the place on where another is no longer the same.
fn apart(text: &str, other: &str) -> String {
    const BEFORE: usize = 20;
    let shared = text.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    match text.char_indices().nth(shared.saturating_sub(BEFORE)) {
        Some((start, _)) if start > 0 => format!("…{}", short(&text[start..])),
        _ => short(text),
    }
}

/// As much of a text as fits a message.
fn short(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Document => "the document",
        Kind::Element => "an element",
        Kind::Text => "a text",
        Kind::Comment => "a comment",
        Kind::ProcessingInstruction => "a processing instruction",
        Kind::Reference => "a reference",
        Kind::Object => "an object",
        Kind::Array => "an array",
        Kind::String => "a string",
        Kind::Number => "a number",
        Kind::Literal => "a literal",
    }
}
