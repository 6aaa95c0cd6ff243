//! What changed, to programs that speak RFC 5261? XML patches, written from a delta and applied to a document.
//!
//! A patch is a sequence of `<add>`, `<replace>` and `<remove>`, each of which selects one node by a small part of XPath
//! in the document as the operations before it have left it. White space is text there: [`write()`] sees to it that what
//! comes out of a delta in the layout mode is right for those who count it, and [`apply`] counts it.
//!
//! ```
//! use std::sync::Arc;
//! use treediff::delta::{Delta, formats::xml_patch};
//! use treediff::{matching, parse};
//!
//! let document = |source: &str| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document));
//! let (before, after) = (document("<a>\n <b>tea</b>\n</a>")?, document("<a>\n <b>milk</b>\n <c/>\n</a>")?);
//! let matching = matching::auto(&before, &after, &Default::default());
//! let delta = Delta::between(&before, &after, &matching, &Default::default())?;
//!
//! let patch = xml_patch::write(&delta, &before, &after)?;
//! assert_eq!(patch, r#"<?xml version="1.0" encoding="UTF-8"?>
//! <diff>
//! <replace sel="/*/*[1]/text()[1]">milk</replace>
//! <add sel="/*/*[1]" pos="after">
//!  <c/></add>
//! </diff>
//! "#);
//! let patched = xml_patch::apply(patch.as_bytes(), &before, &Default::default())?;
//! assert_eq!(patched, b"<a>\n <b>milk</b>\n <c/>\n</a>");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod apply;
mod edited;
mod error;
mod namespaces;
mod payload;
mod read;
mod selector;
mod write;

pub use apply::apply;
pub use error::{Condition, PatchError};
pub use write::{write, write_to};
