//! Which trees are hard? Those that lean to one side or to both in turn, full ones, and what chance makes.

use std::sync::Arc;

use anyhow::Result;
use treediff::parse;
use treediff::tree::Document;

/// How a tree grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    LeftComb,
    RightComb,
    Zigzag,
    FullBinary,
    Random,
    Mixed,
}

impl Shape {
    pub const ALL: [Shape; 6] =
        [Shape::LeftComb, Shape::RightComb, Shape::Zigzag, Shape::FullBinary, Shape::Random, Shape::Mixed];

    pub fn name(self) -> &'static str {
        match self {
            Shape::LeftComb => "left comb",
            Shape::RightComb => "right comb",
            Shape::Zigzag => "zigzag",
            Shape::FullBinary => "full binary",
            Shape::Random => "random",
            Shape::Mixed => "mixed",
        }
    }

    /// A tree of this shape. One of four labels is an attribute of each node, so that a change of it costs 1, as a new label
    /// does for peers.
    pub fn document(self, nodes: usize, seed: u64) -> Result<Arc<Document>> {
        let mut chance = Chance(seed);
        let source = written(&self.children(nodes, &mut chance), &mut chance);
        Ok(Arc::new(parse::xml(source, &Default::default())?.document))
    }

    /// The children of each node, parents before them; the root is 0.
    fn children(self, nodes: usize, chance: &mut Chance) -> Vec<Vec<usize>> {
        let mut children = vec![Vec::new(); nodes];
        match self {
            Shape::LeftComb => spine(&mut children, |_| true),
            Shape::RightComb => spine(&mut children, |_| false),
            Shape::Zigzag => spine(&mut children, |level| level % 2 == 0),
            Shape::FullBinary => (1..nodes).for_each(|node| children[(node - 1) / 2].push(node)),
            Shape::Random => {
                for node in 1..nodes {
                    let siblings = &mut children[chance.below(node)];
                    siblings.insert(chance.below(siblings.len() + 1), node);
                }
            }
            Shape::Mixed => {
                let mut next = 1;
                for shape in &Shape::ALL[..5] {
                    let inner = shape.children((nodes - 1) / 5, chance);
                    children[0].push(next);
                    for (node, below) in inner.iter().enumerate() {
                        children[next + node] = below.iter().map(|child| child + next).collect();
                    }
                    next += inner.len();
                }
                children.truncate(next);
            }
        }
        children
    }
}

/// Every second node is a leaf beside the next of the spine, which is on the left where it is said to be.
fn spine(children: &mut [Vec<usize>], on_left: fn(usize) -> bool) {
    for (level, node) in (0..children.len()).step_by(2).enumerate() {
        // The spine goes on with the second node behind, and the one between is the leaf.
        let below = (node + 1..children.len().min(node + 3)).collect::<Vec<_>>();
        children[node] = if on_left(level) { below.into_iter().rev().collect() } else { below };
    }
}

fn written(children: &[Vec<usize>], chance: &mut Chance) -> String {
    let mut source = String::new();
    let mut open = vec![Some(0)];
    while let Some(next) = open.pop() {
        let Some(node) = next else {
            source.push_str("</n>");
            continue;
        };
        source.push_str(["<n l='a'>", "<n l='b'>", "<n l='c'>", "<n l='d'>"][chance.below(4)]);
        open.push(None);
        open.extend(children[node].iter().rev().map(|&child| Some(child)));
    }
    source
}

/// Numbers that come out the same every time (xorshift).
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}
