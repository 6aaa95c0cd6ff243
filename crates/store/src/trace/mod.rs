//! What became of something through time? The values that an expression has in each version, and the life of a node.
//!
//! Both are told the versions of a page one by one, oldest first, and keep nothing but the answer.

mod life;
mod query;
mod values;

pub use life::{Life, Turn};
pub use values::{Reading, Values};

use jiff::Timestamp;

use crate::Version;

/// A version by its number and time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Origin {
    /// Its number.
    pub number: u32,
    /// When it was first seen.
    pub time: Timestamp,
}

impl From<&Version> for Origin {
    fn from(version: &Version) -> Self {
        Origin { number: version.number, time: version.time }
    }
}
