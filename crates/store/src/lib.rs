//! Every version of every page, who has read it, and what changed between any two.

mod capture;
mod engine;
mod error;
mod page;
mod version;

pub use capture::{Capture, Outcome, Recorded, Response};
pub use error::{Error, Result};
pub use page::{Address, Page};
pub use version::{Details, Tree, Version};
