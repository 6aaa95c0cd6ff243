//! Which version brought this? Every piece of the latest version, with the version in which it took its present form.
//!
//! Data ([`Tree`]) goes by the identities of nodes, and needs no version but the latest; pages ([`Sentences`]) go by what people read,
//! and plain texts ([`Lines`]) by lines: what is on both sides is carried along from version to version, so that no more than
//! two of them are needed at a time. What has only moved is not new.

mod carry;
mod lines;
mod places;
mod query;
mod sentences;
mod tree;

pub use lines::Lines;
pub use sentences::Sentences;
pub use tree::Tree;

use treediff::delta::Xid;

use crate::trace::Origin;

/// A piece of the latest version, and where it is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed {
    /// What it says: a sentence, a line, the own text of an element, a value.
    pub text: String,
    /// Where the element or value is, or the block that a sentence is in: a path by local names, as those of
    /// changes.
    pub path: Option<String>,
    /// The identity of the element or value.
    pub xid: Option<Xid>,
    /// The version that brought it in its present form.
    pub origin: Origin,
}
