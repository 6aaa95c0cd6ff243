//! Which ways are there to find out who is who? Named pipelines, every one over the same [`Matching`].

use std::fmt;
use std::str::FromStr;

use super::unordered::{least_regardless_of_order, regardless_of_order};
use super::{Matching, Options, auto, fastmatch, goodmatch, kfdiff_hash, kfdiff_sort, optimal, ted, unordered, xydiff};
use crate::tree::Document;

/// A way to match two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// The default: what is the same first, then the least edit cost within a budget.
    #[default]
    Auto,
    /// Equal subtrees first, the heaviest of all, then their surroundings.
    Xydiff,
    /// Keys that tell siblings apart, looked up in tables.
    KfdiffHash,
    /// The same keys, sorted.
    KfdiffSort,
    /// The least that an edit without moves can cost.
    Optimal,
    /// The cheapest mapping where a node that goes leaves its children to its parent.
    Ted,
    /// The cheapest matching under matched parents where the order of siblings means nothing.
    Unordered,
    /// Leaves assigned to one another by content, attributes and place; then what is around them.
    Goodmatch,
    /// Chains of nodes that are called alike, by their longest common subsequence.
    Fastmatch,
}

impl Algorithm {
    /// All of them, the default first.
    pub const ALL: [Algorithm; 9] = [
        Algorithm::Auto,
        Algorithm::Xydiff,
        Algorithm::KfdiffHash,
        Algorithm::KfdiffSort,
        Algorithm::Optimal,
        Algorithm::Ted,
        Algorithm::Unordered,
        Algorithm::Goodmatch,
        Algorithm::Fastmatch,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Auto => "auto",
            Algorithm::Xydiff => "xydiff",
            Algorithm::KfdiffHash => "kfdiff-hash",
            Algorithm::KfdiffSort => "kfdiff-sort",
            Algorithm::Optimal => "optimal",
            Algorithm::Ted => "ted",
            Algorithm::Unordered => "unordered",
            Algorithm::Goodmatch => "goodmatch",
            Algorithm::Fastmatch => "fastmatch",
        }
    }

    /// What it does, in a line.
    pub fn summary(self) -> &'static str {
        match self {
            Algorithm::Auto => "What is the same first, then the least edit cost within a budget; the default",
            Algorithm::Xydiff => "Equal subtrees first, the heaviest of all, then their surroundings",
            Algorithm::KfdiffHash => "Keys that tell siblings apart, looked up in tables",
            Algorithm::KfdiffSort => "Keys that tell siblings apart, sorted",
            Algorithm::Optimal => "The least that an edit without moves can cost, in more time",
            Algorithm::Ted => "The cheapest mapping where a node that goes leaves its children to its parent",
            Algorithm::Unordered => "The cheapest matching where the order of siblings means nothing",
            Algorithm::Goodmatch => "Leaves assigned to one another by content, attributes and place",
            Algorithm::Fastmatch => "Chains of nodes that are called alike, by their longest common subsequence",
        }
    }

    /// Matches two documents.
    pub fn matching(self, before: &Document, after: &Document, options: &Options) -> Matching {
        let matching = match self {
            Algorithm::Auto => auto(before, after, options),
            Algorithm::Xydiff => xydiff(before, after, options),
            Algorithm::KfdiffHash => kfdiff_hash(before, after, options),
            Algorithm::KfdiffSort => kfdiff_sort(before, after, options),
            Algorithm::Optimal => optimal(before, after, options),
            Algorithm::Ted => ted(before, after, options),
            Algorithm::Unordered => unordered(before, after, options),
            Algorithm::Goodmatch => goodmatch(before, after, options),
            Algorithm::Fastmatch => fastmatch(before, after, options),
        };
        match self {
            _ if !options.unordered => matching,
            Algorithm::Auto => least_regardless_of_order(before, after, matching, options),
            _ => regardless_of_order(before, after, matching, options),
        }
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
