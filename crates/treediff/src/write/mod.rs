//! How does a document become bytes again? As its source, as canonical XML, as HTML, as JSON.

mod json;

pub use json::{canonical_json, json};
