//! Documents in, deltas out.
//!
//! `treediff` reads XML, HTML and JSON into one kind of tree ([`tree::Document`]), finds its way in it ([`select`])
//! and writes it back ([`mod@write`]). It knows no files, clock, network, async or logging, never recurses over the depth
//! of a document, and never panics on any bytes.
//!
//! ```
//! use treediff::parse::{self, Options};
//!
//! let page = parse::html(b"<p>Hello, <b>tree</b>", &Options::default())?.document;
//! let bold = treediff::select::css(&page, "p > b")?;
//! assert_eq!(bold[0].string_value(), "tree");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod delta;
mod draft;
pub mod matching;
pub mod parse;
pub mod render;
pub mod select;
pub mod simulate;
pub mod text;
pub mod tree;
pub mod write;
