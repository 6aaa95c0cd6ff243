//! How does a document become bytes again? As its source, as canonical XML, as HTML, as JSON.

mod canonical;
mod html;
mod json;
mod source;

pub use canonical::{canonical, canonical_subtree};
pub use html::{html, html_subtree};
pub use json::{canonical_json, json};
pub use source::{source, source_of};
