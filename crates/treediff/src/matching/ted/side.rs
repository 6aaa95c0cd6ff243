//! How does one walk a tree from the left and from the right alike? Nodes by their rank in either post-order.

use std::ops::Range;

use crate::tree::{Document, Node, NodeId};

/// A row of siblings of a document with all that is below them, under a root of its own.
///
/// Nodes are numbered in document order, the root 0.
pub(super) struct Side<'d> {
    pub(super) document: &'d Document,
    /// The number in the document of node 1.
    first: u32,
    parents: Vec<u32>,
    ends: Vec<u32>,
    depths: Vec<u32>,
    /// Whether a node is the largest of its parent's children.
    heavy: Vec<bool>,
    /// How many forests the subtree of each node has that come of taking roots away at both ends.
    forests: Vec<u64>,
}

impl<'d> Side<'d> {
    /// The siblings whose subtrees are `range` in document order.
    pub(super) fn new(document: &'d Document, range: Range<u32>) -> Self {
        let nodes = range.start as usize..range.end as usize;
        let parent = |&parent: &u32| if parent < range.start { 0 } else { parent - range.start + 1 };
        let end = |&end: &u32| end - range.start + 1;
        let parents: Vec<u32> =
            std::iter::once(0).chain(document.parents()[nodes.clone()].iter().map(parent)).collect();
        let ends: Vec<u32> =
            std::iter::once(nodes.len() as u32 + 1).chain(document.ends()[nodes].iter().map(end)).collect();
        Side {
            document,
            first: range.start,
            depths: depths(&parents),
            heavy: heavy(&parents, &ends),
            forests: forests(&parents, &ends),
            parents,
            ends,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The node of the document; not for the root.
    pub(super) fn id(&self, node: u32) -> NodeId {
        NodeId(node - 1 + self.first)
    }

    pub(super) fn node(&self, node: u32) -> Node<'d> {
        self.document.node(self.id(node))
    }

    /// All nodes; the document's own stands for the root.
    pub(super) fn nodes(&self) -> impl Iterator<Item = Node<'d>> {
        std::iter::once(self.document.root()).chain((1..self.len() as u32).map(|node| self.node(node)))
    }

    pub(super) fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize]
    }

    pub(super) fn end(&self, node: u32) -> u32 {
        self.ends[node as usize]
    }

    pub(super) fn size(&self, node: u32) -> u32 {
        self.end(node) - node
    }

    /// How many nodes are left of a subtree, neither above nor in it.
    pub(super) fn left_of(&self, node: u32) -> u32 {
        node - self.depths[node as usize]
    }

    /// How many nodes are right of a subtree.
    pub(super) fn right_of(&self, node: u32) -> u32 {
        self.len() as u32 - self.end(node)
    }

    pub(super) fn max_depth(&self) -> u32 {
        self.depths.iter().copied().max().unwrap_or(0)
    }

    pub(super) fn is_leaf(&self, node: u32) -> bool {
        self.size(node) == 1
    }

    pub(super) fn children(&self, node: u32) -> impl Iterator<Item = u32> {
        let mut next = node + 1;
        std::iter::from_fn(move || {
            let child = next;
            (child < self.end(node)).then(|| {
                next = self.end(child);
                child
            })
        })
    }

    /// The path from a node down to a leaf.
    pub(super) fn path(&self, node: u32, course: Course) -> impl Iterator<Item = u32> {
        let is_next = move |&child: &u32| self.is_on(child, course);
        std::iter::successors(Some(node), move |&on_path| self.children(on_path).find(is_next))
    }

    /// The inner nodes that hang off the path of a node: children of those on it, and not on it themselves.
    pub(super) fn hanging(&self, node: u32, course: Course) -> impl Iterator<Item = u32> {
        self.path(node, course).flat_map(move |on_path| {
            self.children(on_path).filter(move |&child| !self.is_leaf(child) && !self.is_on(child, course))
        })
    }

    pub(super) fn forests(&self, node: u32) -> u64 {
        self.forests[node as usize]
    }

    /// Whether the path that a node's parent is on goes on with the node.
    pub(super) fn is_on(&self, node: u32, course: Course) -> bool {
        match course {
            Course::Outer(hand) => self.is_first(node, hand),
            Course::Heavy => self.heavy[node as usize],
        }
    }

    /// Whether a node is the first of its parent's children, or the last, seen from the right.
    pub(super) fn is_first(&self, node: u32, hand: Hand) -> bool {
        let parent = self.parent(node);
        match hand {
            Hand::Left => node == parent + 1,
            Hand::Right => node > 0 && self.end(node) == self.end(parent),
        }
    }
}

/// The side that paths follow, from a node to its first child, or to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hand {
    Left,
    Right,
}

/// Where a path goes at each node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Course {
    /// To the first child, or to the last.
    Outer(Hand),
    /// To the largest child.
    Heavy,
}

impl Course {
    pub(super) const ALL: [Course; 3] = [Course::Outer(Hand::Left), Course::Outer(Hand::Right), Course::Heavy];
}

/// The post-order of a tree from the left, or that of its mirror image.
///
/// A subtree is a row of ranks, its root the last. «First» is what the hand says.
pub(super) struct Order {
    /// The node of each rank.
    nodes: Vec<u32>,
    /// The rank of each node.
    ranks: Vec<u32>,
    /// The size of the subtree at each rank.
    sizes: Vec<u32>,
    /// Ranks of the nodes that are neither leaves nor first children: every path but the root's begins at one.
    starts: Vec<u32>,
    /// For each node, how many nodes the subtrees at the starts below it have together.
    below: Vec<u64>,
    /// Where the row of a forest that ends with this rank is kept, and that of the forest before this subtree.
    slots: Vec<u32>,
    floors: Vec<u32>,
}

impl Order {
    pub(super) fn new(side: &Side<'_>, hand: Hand) -> Self {
        let len = side.len() as u32;
        let ranks = ranks(side, hand);
        let mut nodes = vec![0; side.len()];
        for node in 0..len {
            nodes[ranks[node as usize] as usize] = node;
        }
        let sizes = nodes.iter().map(|&node| side.size(node)).collect();
        let is_start = |&node: &u32| node > 0 && !side.is_leaf(node) && !side.is_first(node, hand);
        let starts = nodes.iter().copied().filter(is_start).map(|node| ranks[node as usize]).collect();
        let mut below = vec![0; side.len()];
        for node in (1..len).rev() {
            let own = if is_start(&node) { u64::from(side.size(node)) } else { 0 };
            below[side.parent(node) as usize] += below[node as usize] + own;
        }
        let mut order = Order { nodes, ranks, sizes, starts, below, slots: Vec::new(), floors: Vec::new() };
        order.assign_slots(side, hand);
        order
    }

    /// A forest's row is needed until all subtrees that begin behind it are done: those of one node and, if that is a
    /// first child, of its parent. So the row that a subtree leads to takes the place of the one that it began with,
    /// unless the parent begins there as well, and there are never more rows than the tree is deep.
    fn assign_slots(&mut self, side: &Side<'_>, hand: Hand) {
        for rank in 0..self.nodes.len() as u32 {
            let before = self.first(rank).checked_sub(1);
            let floor = before.map_or(0, |before| self.slots[before as usize]);
            self.floors.push(floor);
            self.slots.push(floor + u32::from(side.is_first(self.node(rank), hand)));
        }
    }

    pub(super) fn node(&self, rank: u32) -> u32 {
        self.nodes[rank as usize]
    }

    pub(super) fn rank(&self, node: u32) -> u32 {
        self.ranks[node as usize]
    }

    /// The rank of the first leaf of a subtree.
    pub(super) fn first(&self, rank: u32) -> u32 {
        rank + 1 - self.sizes[rank as usize]
    }

    pub(super) fn size(&self, rank: u32) -> u32 {
        self.sizes[rank as usize]
    }

    pub(super) fn slot(&self, rank: u32) -> u32 {
        self.slots[rank as usize]
    }

    pub(super) fn floor(&self, rank: u32) -> u32 {
        self.floors[rank as usize]
    }

    /// The ranks of the roots of all paths of a subtree that are longer than a leaf, its own last.
    pub(super) fn paths(&self, node: u32) -> impl Iterator<Item = u32> {
        let root = self.rank(node);
        let from = self.starts.partition_point(|&start| start < self.first(root));
        self.starts[from..].iter().copied().take_while(move |&start| start < root).chain([root])
    }

    /// How many nodes the subtrees at the roots of all paths have together.
    pub(super) fn paths_len(&self, node: u32) -> u64 {
        self.below[node as usize] + u64::from(self.sizes[self.rank(node) as usize])
    }
}

fn ranks(side: &Side<'_>, hand: Hand) -> Vec<u32> {
    let nodes = 0..side.len() as u32;
    match hand {
        Hand::Left => nodes.map(|node| side.left_of(node) + side.size(node) - 1).collect(),
        Hand::Right => nodes.map(|node| side.right_of(node) + side.size(node) - 1).collect(),
    }
}

/// How many nodes are above each; parents come before their children.
fn depths(parents: &[u32]) -> Vec<u32> {
    let mut depths = vec![0; parents.len()];
    for node in 1..parents.len() {
        depths[node] = depths[parents[node] as usize] + 1;
    }
    depths
}

/// Which nodes are the largest of their parents' children, the first of them where there are several.
fn heavy(parents: &[u32], ends: &[u32]) -> Vec<bool> {
    let size = |node: usize| ends[node] - node as u32;
    let mut largest = vec![0; parents.len()];
    for node in (1..parents.len()).rev() {
        let child = &mut largest[parents[node] as usize];
        if *child == 0 || size(node) >= size(*child) {
            *child = node;
        }
    }
    (0..parents.len()).map(|node| node > 0 && largest[parents[node] as usize] == node).collect()
}

/// The forests of each subtree: one for every two nodes of which neither is above the other, and one for every node.
fn forests(parents: &[u32], ends: &[u32]) -> Vec<u64> {
    let size = |node: usize| u64::from(ends[node]) - node as u64;
    let mut sums: Vec<u64> = (0..parents.len()).map(size).collect();
    for node in (1..parents.len()).rev() {
        sums[parents[node] as usize] += sums[node];
    }
    sums.iter().enumerate().map(|(node, sum)| size(node) * (size(node) + 3) / 2 - sum).collect()
}
