//! Which ways are there to find out who is who? Named pipelines, every one over the same [`Matching`].

use std::fmt;
use std::str::FromStr;

use super::unordered::regardless_of_order;
use super::{Matching, Options, kfdiff_hash, kfdiff_sort, xydiff};
use crate::tree::Document;

/// A way to match two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// Equal subtrees first, the heaviest of all, then their surroundings.
    #[default]
    Xydiff,
    /// Keys that tell siblings apart, looked up in tables.
    KfdiffHash,
    /// The same keys, sorted.
    KfdiffSort,
}

impl Algorithm {
    /// All of them, the default first.
    pub const ALL: [Algorithm; 3] = [Algorithm::Xydiff, Algorithm::KfdiffHash, Algorithm::KfdiffSort];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Xydiff => "xydiff",
            Algorithm::KfdiffHash => "kfdiff-hash",
            Algorithm::KfdiffSort => "kfdiff-sort",
        }
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Algorithm::Xydiff => "Equal subtrees first, the heaviest of all, then their surroundings",
            Algorithm::KfdiffHash => "Keys that tell siblings apart, looked up in tables",
            Algorithm::KfdiffSort => "Keys that tell siblings apart, sorted",
        }
    }

    /// Matches two documents.
    pub fn matching(self, before: &Document, after: &Document, options: &Options) -> Matching {
        let matching = match self {
            Algorithm::Xydiff => xydiff(before, after, options),
            Algorithm::KfdiffHash => kfdiff_hash(before, after, options),
            Algorithm::KfdiffSort => kfdiff_sort(before, after, options),
        };
        if options.unordered { regardless_of_order(before, after, matching, options) } else { matching }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        let found = Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name);
        found.ok_or_else(|| UnknownAlgorithm(name.to_owned()))
    }
}

/// There is no algorithm of this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no algorithm `{0}`")]
pub struct UnknownAlgorithm(String);
