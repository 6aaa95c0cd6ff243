//! Every version of every page, who has read it, and what changed between any two.

mod capture;
mod engine;
mod error;
mod page;
mod steps;
mod version;

pub use capture::{Capture, Outcome, Recorded, Response};
pub use error::{Error, Result};
pub use page::{Address, Page};
pub use steps::{Described, Kind, KindError, Kinds, Label, LabelKind, LabelPaths, Step, StepError};
pub use version::{Details, Tree, Version};
