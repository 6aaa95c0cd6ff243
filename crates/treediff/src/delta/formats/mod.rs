//! How do others write what changed? A delta in the formats of other programs, and for people.
//!
//! Every writer has one shape: the delta, the two documents it lies between, and where to write. They read the
//! documents for what other formats say and ours does not: paths, the order of siblings, what did not change.

mod annotated;
mod attributes;
mod error;
mod json;
mod markup;
mod paths;
#[cfg(test)]
pub(super) mod sample;
mod summary;
mod versions;
mod xdl;
mod xupdate;

pub use annotated::{annotated, annotated_changes};
pub use error::FormatError;
pub use json::json;
pub use summary::summary;
pub use xdl::xdl;
pub use xupdate::xupdate;
