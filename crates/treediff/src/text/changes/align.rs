//! Which sentence is which? Those in subtrees that are the same, and between them those with most words in common.

use super::super::reading::Reading;
use super::super::{Budget, common_row};
use super::anchors::{Pair, anchors};
use crate::matching::Matching;

/// Pairs of sentences in order.
pub fn pairs(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Vec<Pair> {
    let ends = (before.sentences().len(), after.sentences().len());
    let mut pairs = Vec::new();
    let mut start = (0, 0);
    for anchor in anchors(before, after, matching).into_iter().chain([ends]) {
        let lens = [anchor.0 - start.0, anchor.1 - start.1];
        let is_equal = |x: usize, y: usize| before.numbers(start.0 + x).eq(after.numbers(start.1 + y));
        let common = common_row(lens, is_equal, Budget::default()).unwrap_or_default();
        pairs.extend(common.into_iter().map(|(x, y)| (start.0 + x, start.1 + y)));
        if anchor != ends {
            pairs.push(anchor);
        }
        start = (anchor.0 + 1, anchor.1 + 1);
    }
    pairs
}
