//! What changed, to programs that speak RFC 6902? JSON patches, written from a delta and applied to a document.
//!
//! [`write()`] makes a patch of `add`, `remove`, `replace` and `move`, whose pointers are right at the moment when each
//! operation runs; with [`WriteOptions::with_tests`] it begins with `test` operations, so that it refuses other
//! documents. [`apply`] does all six operations with every check of the standard, and gives nothing where one fails.
//! What a patch does not touch keeps its bytes.
//!
//! ```
//! use std::sync::Arc;
//! use treediff::delta::{Delta, formats::json_patch};
//! use treediff::{matching, parse};
//!
//! let document = |source: &str| {
//!     parse::json(source, &Default::default()).map(|parsed| Arc::new(parsed.document.with_sorted_members()))
//! };
//! let (before, after) = (document(r#"{"tea": [1, 2, 3]}"#)?, document(r#"{"tea": [1, 3], "milk": true}"#)?);
//! let matching = matching::auto(&before, &after, &Default::default());
//! let delta = Delta::between(&before, &after, &matching, &Default::default())?;
//!
//! let patch = json_patch::write(&delta, &before, &after, &Default::default())?;
//! assert_eq!(patch, r#"[{"op":"remove","path":"/tea/1"},
//! {"op":"add","path":"/milk","value":true}]
//! "#);
//! let patched = json_patch::apply(patch.as_bytes(), &before, &Default::default())?;
//! assert_eq!(patched, br#"{"tea": [1, 3], "milk": true}"#);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod edited;
mod number;
mod order;
mod pointer;
mod source;
mod write;

pub use apply::{PatchError, Trouble, apply};
pub use write::{WriteOptions, write, write_to};
