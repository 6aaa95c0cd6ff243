//! How does a document become bytes again? As its source, as canonical XML, as HTML, as JSON.
//!
//! A canonical form can be much longer than the source, since XML repeats the URIs of namespaces; the functions that
//! end in `_to` write it piece by piece to wherever it goes, and never hold more of it than a value.

mod canonical;
mod html;
mod json;
mod printable;
mod source;

pub use canonical::{canonical, canonical_subtree, canonical_to, unread_reference};
pub use html::{canonical_html, canonical_html_to, html, html_subtree};
pub use json::{canonical_json, canonical_json_to, json};
pub use printable::{printable, push_visible};
pub use source::{attributes_as_written, source, source_of};

pub(crate) use canonical::{write_attribute, write_text};
pub(crate) use html::{Place, escape_html};
pub(crate) use json::{json_subtree, string as json_string};

use std::fmt;

/// In which order to write what has none: attributes, and the members of JSON objects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsWritten,
    ByName,
}

/// All that is written, as one string with room for `len` bytes.
fn collected(len: usize, write: impl FnOnce(&mut String) -> fmt::Result) -> String {
    let mut out = String::with_capacity(len);
    // Writing to a string cannot fail.
    let _ = write(&mut out);
    out
}
