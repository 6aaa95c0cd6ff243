//! Does a reader see in the page what changed? Cases as people would mark them, the laws over all real pages, and the page
//! of the first paper.

mod cases;
mod laws;
mod marked;
#[path = "../support/mod.rs"]
mod support;
mod usenix;
