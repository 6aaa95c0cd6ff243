//! What do documents look like that are made by numbers? As those of the KF-Diff+ paper: so many elements, so many children
//! of each that has any, so deep on average, and so much of it changed.

use std::sync::Arc;

use anyhow::Result;
use treediff::parse;
use treediff::simulate::{Rates, simulate};
use treediff::tree::Document;

/// The numbers.
#[derive(Debug, Clone, Copy)]
pub struct Workload {
    pub elements: usize,
    /// Children of an element that has any, on average.
    pub out_degree: f64,
    /// The share that changes.
    pub change: f64,
    /// Of the changes, the share that are updates; the others are as many deletions as insertions.
    pub updates: f64,
}

/// So often the next element with children stands below the one before it, and not anywhere: that makes documents as deep
/// as those of the paper.
const DEEPER: u64 = 60;

impl Workload {
    /// Pairs of documents, each by a chance of its own.
    pub fn pairs(&self, count: usize) -> Result<Vec<[Arc<Document>; 2]>> {
        (1..=count as u64).map(|seed| self.pair(seed)).collect()
    }

    fn pair(&self, seed: u64) -> Result<[Arc<Document>; 2]> {
        let before = Arc::new(parse::xml(self.source(seed), &Default::default())?.document);
        let others = self.change * (1.0 - self.updates) / 2.0;
        let rates = Rates { update: self.change * self.updates, delete: others, insert: others, moved: 0.0 };
        let after = simulate(&before, &rates, seed, &Default::default())?.document;
        Ok([before, after])
    }

    /// First the elements that have children, then the others below them, the first of each with a name of its own.
    fn source(&self, seed: u64) -> String {
        let mut chance = Chance(seed);
        let inner = ((self.elements as f64 / self.out_degree).round() as usize).clamp(1, self.elements);
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); inner];
        for at in 1..inner {
            let parent = if chance.below(100) < DEEPER { at - 1 } else { chance.below(at as u64) as usize };
            children[parent].push(at);
        }
        let mut leaves = vec![0usize; inner];
        for leaf in 0..self.elements - inner {
            leaves[if leaf < inner { leaf } else { chance.below(inner as u64) as usize }] += 1;
        }
        written(&children, &leaves, &mut chance)
    }
}

fn written(children: &[Vec<usize>], leaves: &[usize], chance: &mut Chance) -> String {
    let mut out = String::new();
    // What is still to write, the next last: an element, or an end tag.
    let mut pending = vec![Ok(0)];
    while let Some(next) = pending.pop() {
        let at = match next {
            Ok(at) => at,
            Err(end) => {
                out.push_str(end);
                continue;
            }
        };
        let (start, end) = NAMES[at % NAMES.len()];
        out.push_str(start);
        for leaf in 0..leaves[at] {
            match leaf {
                0 => out.push_str(&format!("<name>item {at}</name>")),
                _ => out.push_str(&format!("<value>{}</value>", chance.below(1000))),
            }
        }
        pending.push(Err(end));
        pending.extend(children[at].iter().rev().map(|&child| Ok(child)));
    }
    out
}

const NAMES: [(&str, &str); 4] =
    [("<vendor>", "</vendor>"), ("<book>", "</book>"), ("<part>", "</part>"), ("<entry>", "</entry>")];

/// Numbers by chance, the same for the same seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end.max(1)
    }
}

/// Elements of a document, and how deep they stand on average, the root at 1.
pub fn shape(document: &Document) -> (usize, f64) {
    let depths = document.nodes().filter(|node| node.is_element()).map(|node| node.ancestors().count());
    let (count, sum) = depths.fold((0, 0), |(count, sum), depth| (count + 1, sum + depth));
    (count, sum as f64 / count.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_as_asked_for() {
        let paper = Workload { elements: 29, out_degree: 3.1, change: 0.5, updates: 0.5 };
        let pairs = paper.pairs(100).expect("documents");
        let shapes: Vec<(usize, f64)> = pairs.iter().map(|[before, _]| shape(before)).collect();
        assert!(shapes.iter().all(|(elements, _)| *elements == 29), "{shapes:?}");
        let depth = shapes.iter().map(|(_, depth)| depth).sum::<f64>() / 100.0;
        assert!((4.0..4.8).contains(&depth), "the mean depth is {depth}");
        assert!(pairs.iter().any(|[before, after]| !before.root().same_content(after.root())));
    }
}
