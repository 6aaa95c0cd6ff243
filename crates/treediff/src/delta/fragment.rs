//! What was deleted or inserted? A piece of a document: one subtree, without the subtrees that moved out of it.

use std::fmt;
use std::sync::Arc;

use crate::tree::{Document, Node, NodeId, Step};

/// A subtree of some document, without the parts that moved elsewhere (`holes`).
///
/// It keeps its document alive instead of copying from it: the two documents that were compared, or the document that
/// a written delta was parsed to.
#[derive(Clone)]
pub struct Fragment {
    document: Arc<Document>,
    root: NodeId,
    /// Roots of the subtrees that are left out, in document order; none below another. Most have none.
    holes: Option<Arc<[NodeId]>>,
}

impl fmt::Debug for Fragment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} without {:?}", self.root(), self.holes())
    }
}

impl Fragment {
    /// The subtree at `root` without those at `holes`, which are in document order and below `root`.
    pub(crate) fn new(document: Arc<Document>, root: NodeId, holes: impl Into<Vec<NodeId>>) -> Self {
        let holes = holes.into();
        debug_assert!(holes.windows(2).all(|pair| document.node(pair[0]).end() <= pair[1].0));
        Fragment { document, root, holes: (!holes.is_empty()).then(|| holes.into()) }
    }

    /// The document that the fragment is a piece of.
    pub fn document(&self) -> &Arc<Document> {
        &self.document
    }

    /// The root of the subtree. What lies below it in its document may be more than the fragment has.
    pub fn root(&self) -> Node<'_> {
        self.document.node(self.root)
    }

    /// The roots of the subtrees that are left out, in document order.
    pub fn holes(&self) -> &[NodeId] {
        self.holes.as_deref().unwrap_or_default()
    }

    /// The number of nodes.
    pub fn size(&self) -> u32 {
        let left_out: u32 = self.holes().iter().map(|&hole| self.document.node(hole).size()).sum();
        self.root().size() - left_out
    }

    /// The nodes in document order.
    pub fn nodes(&self) -> impl Iterator<Item = Node<'_>> {
        self.steps().filter_map(|step| match step {
            Step::Enter(node) => Some(node),
            Step::Leave(_) => None,
        })
    }

    /// The nodes in post-order, in which their identities are listed.
    pub fn nodes_in_post_order(&self) -> impl Iterator<Item = Node<'_>> {
        self.steps().filter_map(|step| match step {
            Step::Enter(node) => (!node.kind().is_container()).then_some(node),
            Step::Leave(node) => Some(node),
        })
    }

    /// The fragment, each container entered and left, as a writer needs it.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let mut holes = self.holes().iter().copied().peekable();
        let mut walk = self.root().walk();
        std::iter::from_fn(move || {
            while let Some(&hole) = holes.peek() {
                match walk.peek_entering() {
                    Some(node) if node.id() == hole => {
                        walk.skip_subtree();
                        holes.next();
                    }
                    _ => break,
                }
            }
            walk.next()
        })
    }

    /// The children that a node of the fragment has in it.
    pub fn children<'f>(&'f self, node: Node<'f>) -> impl Iterator<Item = Node<'f>> {
        node.children().filter(|child| self.holes().binary_search(&child.id()).is_err())
    }
}
