//! What do documents of the paper's kind look like? Small trees of a given out-degree, depth and number of elements.
//!
//! KF-Diff+ was measured on generated documents of 29.4 elements, 4.4 deep on average and 16 at most. Here, an element
//! that has children has about as many as the out-degree says, and is a list of one name (whose items have an `id`, or are
//! told apart by what they say) or a record of several; others hold a word. Which of the leaves grows next is chosen
//! among the deepest with a chance that is found by trying, so that depths come out as asked for.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use treediff::parse::{self, Options};
use treediff::tree::Document;

/// Elements of a document, on average.
pub const ELEMENTS: f64 = 29.4;
/// Their depth, on average; the root has 1.
pub const DEPTH: f64 = 4.4;
const MAX_DEPTH: u32 = 16;

const LISTS: [&str; 4] = ["item", "entry", "product", "row"];
const RECORDS: [&str; 16] = [
    "name", "price", "author", "address", "city", "note", "phone", "date", "owner", "state", "size", "colour",
    "weight", "origin", "stock", "info",
];

/// Numbers by chance, the same on every machine (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A whole number from 1 on whose mean is `expected`.
    fn about(&mut self, expected: f64) -> usize {
        let spread = self.unit() * 2.0 * (expected - 1.0);
        1 + (spread + self.unit()) as usize
    }
}

/// How documents are made.
#[derive(Clone, Copy)]
pub struct Shape {
    out_degree: f64,
    /// The chance that one of the deepest leaves grows.
    deepening: f64,
}

/// A tree before it is written: the parent and the children of every element.
struct Shaped {
    children: Vec<Vec<usize>>,
    depths: Vec<u32>,
}

impl Shape {
    /// The shape of an out-degree whose documents are as deep as asked for, or as near to it as can be.
    pub fn new(out_degree: f64) -> Self {
        let mean_depth = |deepening: f64| {
            let shape = Shape { out_degree, deepening };
            let trees: Vec<Shaped> = (0..300).map(|seed| shape.tree(&mut Random::new(seed), ELEMENTS)).collect();
            let depths = trees.iter().flat_map(|tree| &tree.depths);
            depths.clone().map(|&depth| f64::from(depth)).sum::<f64>() / depths.count() as f64
        };
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            if mean_depth(middle) < DEPTH { low = middle } else { high = middle }
        }
        Shape { out_degree, deepening: (low + high) / 2.0 }
    }

    fn tree(&self, random: &mut Random, elements: f64) -> Shaped {
        let wanted = (elements * (0.5 + random.unit())).max(1.0) as usize;
        let mut tree = Shaped { children: vec![Vec::new()], depths: vec![1] };
        let mut leaves = vec![0];
        while tree.depths.len() < wanted && !leaves.is_empty() {
            let at = match random.unit() < self.deepening {
                // Those that came last are the deepest, or nearly so.
                true => leaves.len() - 1 - random.below(leaves.len().min(self.out_degree as usize + 1)),
                false => random.below(leaves.len()),
            };
            let node = leaves.swap_remove(at);
            if tree.depths[node] < MAX_DEPTH {
                for _ in 0..random.about(self.out_degree) {
                    let child = tree.depths.len();
                    tree.children[node].push(child);
                    tree.children.push(Vec::new());
                    tree.depths.push(tree.depths[node] + 1);
                    leaves.push(child);
                }
            }
        }
        tree
    }

    /// A document of about the paper's size.
    pub fn document(&self, seed: u64) -> Result<Arc<Document>> {
        let mut random = Random::new(seed);
        let tree = self.tree(&mut random, ELEMENTS);
        let mut source = String::new();
        write_element(&tree, "doc", "", &mut random, &mut source);
        parsed(source)
    }

    /// A document of about so many bytes: many of the paper's size below one root.
    pub fn large_document(&self, seed: u64, bytes: usize) -> Result<Arc<Document>> {
        let mut random = Random::new(seed);
        let mut source = "<docs>".to_owned();
        let mut count = 0;
        while source.len() < bytes {
            count += 1;
            let tree = self.tree(&mut random, ELEMENTS);
            write_element(&tree, "doc", &format!(" id=\"{count}\""), &mut random, &mut source);
        }
        source.push_str("</docs>");
        parsed(source)
    }
}

fn parsed(source: String) -> Result<Arc<Document>> {
    Ok(Arc::new(parse::xml(source, &Options::default())?.document))
}

/// Writes the tree; open elements are on a stack, the next child of each beside it.
fn write_element(tree: &Shaped, name: &str, attributes: &str, random: &mut Random, out: &mut String) {
    let mut ids = 0;
    let _ = write!(out, "<{name}{attributes}>");
    let mut open: Vec<(usize, usize, String, Option<&str>)> = vec![(0, 0, name.to_owned(), list(tree, 0, random))];
    while let Some((node, next, name, names)) = open.last_mut() {
        let Some(&child) = tree.children[*node].get(*next) else {
            if tree.children[*node].is_empty() {
                let _ = write!(out, "word {}", random.below(10_000));
            }
            let _ = write!(out, "</{name}>");
            open.pop();
            continue;
        };
        *next += 1;
        let is_item = names.is_some();
        let child_name = names.unwrap_or(RECORDS[(*next * 5 + *node) % RECORDS.len()]);
        let _ = write!(out, "<{child_name}");
        if is_item && !tree.children[child].is_empty() {
            ids += 1;
            let _ = write!(out, " id=\"{}{ids}\"", random.below(1_000));
        }
        out.push('>');
        open.push((child, 0, child_name.to_owned(), list(tree, child, random)));
    }
}

/// The name of all children of an element, where it is a list.
fn list(tree: &Shaped, node: usize, random: &mut Random) -> Option<&'static str> {
    let is_list = tree.children[node].len() > 1 && random.unit() < 0.5;
    is_list.then(|| LISTS[random.below(LISTS.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_of_the_kind_that_is_asked_for() {
        let shape = Shape::new(3.1);
        let (mut elements, mut depths, mut inner, mut deepest) = (0usize, 0u32, 0usize, 0);
        for seed in 0..2_000 {
            let document = shape.document(seed).expect("a document");
            for node in document.nodes().filter(|node| node.is_element()) {
                let depth = node.ancestors().count() as u32;
                elements += 1;
                depths += depth;
                deepest = deepest.max(depth);
                inner += usize::from(node.children().any(|child| child.is_element()));
            }
        }
        let mean_elements = elements as f64 / 2_000.0;
        let (mean_depth, out_degree) = (f64::from(depths) / elements as f64, (elements - 2_000) as f64 / inner as f64);
        assert!((28.0..33.0).contains(&mean_elements), "{mean_elements} elements");
        assert!((4.0..4.8).contains(&mean_depth), "{mean_depth} deep");
        assert!((2.8..3.4).contains(&out_degree), "out-degree {out_degree}");
        assert!(deepest <= 16);
    }
}
