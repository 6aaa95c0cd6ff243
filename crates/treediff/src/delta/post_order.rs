//! Where does a node stand in post-order, in which identities are listed?
//!
//! Behind all that begins before its subtree ends, but for itself and its ancestors, which come later. So the place follows from
//! the end of the subtree and the depth, which is one byte for all but very deep nodes.

use crate::tree::{Columns, NodeId};

/// The places in post-order of the nodes of a document, counted without the document node.
pub(super) struct PostOrder<'d> {
    ends: &'d [u32],
    /// How many ancestors every node has, or [`DEEP`].
    depths: Vec<u8>,
    /// The nodes with at least [`DEEP`] ancestors, in document order, and how many these are.
    deep: Vec<(u32, u32)>,
}

/// The least depth that takes more than a byte.
const DEEP: u8 = u8::MAX;

impl<'d> PostOrder<'d> {
    pub(super) fn new(columns: Columns<'d>) -> Self {
        let mut order =
            PostOrder { ends: columns.ends, depths: Vec::with_capacity(columns.ends.len()), deep: Vec::new() };
        order.depths.push(0);
        for (&parent, node) in columns.parents.iter().zip(0..).skip(1) {
            let depth = match order.depths[parent as usize] {
                DEEP => order.depth_of_deep(parent) + 1,
                above => u32::from(above) + 1,
            };
            if depth >= u32::from(DEEP) {
                order.deep.push((node, depth));
            }
            order.depths.push(depth.min(u32::from(DEEP)) as u8);
        }
        order
    }

    /// The place of a node.
    pub(super) fn place(&self, node: NodeId) -> u64 {
        let ancestors = match self.depths[node.index()] {
            DEEP => self.depth_of_deep(node.0),
            ancestors => u32::from(ancestors),
        };
        u64::from(self.ends[node.index()] - 1 - ancestors)
    }

    /// The place of the first node of a subtree.
    pub(super) fn first_place(&self, top: NodeId) -> u64 {
        self.place(top) + 1 - u64::from(self.ends[top.index()] - top.0)
    }

    fn depth_of_deep(&self, node: u32) -> u32 {
        let at = self.deep.partition_point(|&(deep, _)| deep < node);
        self.deep.get(at).map_or(0, |&(_, depth)| depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    /// By walking the tree.
    fn walked(source: &str) -> (Vec<u64>, Vec<u64>) {
        let document = parse::xml(source, &Default::default()).map(|parsed| parsed.document);
        let document = document.unwrap_or_else(|error| panic!("{error}"));
        let order = PostOrder::new(document.columns());
        let nodes = || (1..document.len() as u32).map(NodeId);
        let mut by_end: Vec<NodeId> = nodes().collect();
        by_end.sort_by_key(|node| (document.ends()[node.index()], std::cmp::Reverse(node.0)));
        for (place, node) in by_end.iter().enumerate() {
            let size = u64::from(document.ends()[node.index()] - node.0);
            assert_eq!(order.first_place(*node), place as u64 + 1 - size, "{node:?}");
        }
        (by_end.iter().map(|node| order.place(*node)).collect(), (0..by_end.len() as u64).collect())
    }

    #[test]
    fn children_come_before_their_parents() {
        let (found, wanted) = walked("<!-- before --><a><b>x<c/></b><d/>y<e><f><g/></f></e></a><!-- behind -->");
        assert_eq!(found, wanted);
    }

    #[test]
    fn deep_nodes_have_their_places_too() {
        let deep = |levels: usize| format!("{}x<b/>{}", "<a>".repeat(levels), "<c/></a>".repeat(levels));
        for levels in [252, 253, 254, 255, 256, 700] {
            let (found, wanted) = walked(&format!("<r>{}<s/>{}</r>", deep(levels), deep(3)));
            assert_eq!(found, wanted, "{levels}");
        }
    }
}
