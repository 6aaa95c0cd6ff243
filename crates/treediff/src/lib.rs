//! Documents in, deltas out.
//!
//! `treediff` reads XML, HTML and JSON into one kind of tree ([`tree::Document`]), finds its way in it ([`select`])
//! and writes it back ([`mod@write`]); finds out who is who in two versions ([`matching`]) and what changed ([`delta`]),
//! applies that, undoes it, and shows it to people ([`render`]). It knows no files, clock, network, async or logging, never recurses over the depth
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
//!
//! Two versions, what is between them, and the second one made again of the first:
//!
//! ```
//! use std::sync::Arc;
//! use treediff::delta::{ApplyOptions, Delta};
//! use treediff::{matching, parse, write};
//!
//! let before = Arc::new(parse::xml("<menu><soup>4.50</soup></menu>", &Default::default())?.document);
//! let after = Arc::new(parse::xml("<menu><soup>4.80</soup><tea/></menu>", &Default::default())?.document);
//! let matching = matching::auto(&before, &after, &Default::default());
//! let delta = Delta::between(&before, &after, &matching, &Default::default())?;
//! let patched = delta.apply(&before, &ApplyOptions::default())?;
//! assert_eq!(write::source(&patched.document), b"<menu><soup>4.80</soup><tea/></menu>");
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
