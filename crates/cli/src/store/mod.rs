//! What was there before? The verbs that keep versions of pages and look back at them.

pub mod blame;
pub mod changes;
pub mod compact;
mod facts;
mod git_history;
pub mod history;
mod life;
pub mod meant;
mod mirrors;
mod number;
pub mod pages;
mod place;
mod plot;
pub mod portable;
mod progress;
pub mod prune;
pub mod record;
pub mod recorded;
pub mod seen;
pub mod show;
pub mod stats;
mod stream;
pub mod trace;
pub mod verify;
mod words;
