//! In which order is a subtree written? Into each node, through its children, out again; without recursion.

use super::Node;

/// A step on the way through a subtree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'d> {
    /// A node is reached.
    Enter(Node<'d>),
    /// All below a container has been passed; leaves are only entered.
    Leave(Node<'d>),
}

/// The way through a subtree, made by [`Node::walk`].
#[derive(Debug, Clone)]
pub struct Walk<'d> {
    next: Option<Node<'d>>,
    open: Vec<Node<'d>>,
    end: u32,
}

impl<'d> Walk<'d> {
    pub(super) fn new(top: Node<'d>) -> Self {
        Walk { next: Some(top), open: Vec::new(), end: top.end() }
    }

    /// The node that the next step enters, if it enters one.
    pub(crate) fn peek_entering(&self) -> Option<Node<'d>> {
        let next = self.next?;
        self.open.last().is_none_or(|open| open.end() > next.id().0).then_some(next)
    }

    /// Goes on behind the subtree that the next step would have entered.
    pub(crate) fn skip_subtree(&mut self) {
        if let Some(node) = self.next {
            self.next = (node.end() < self.end).then(|| node.document().node(super::NodeId(node.end())));
        }
    }
}

impl<'d> Iterator for Walk<'d> {
    type Item = Step<'d>;

    fn next(&mut self) -> Option<Step<'d>> {
        let place = self.next.map_or(self.end, |node| node.id().0);
        if let Some(node) = self.open.pop_if(|node| node.end() == place) {
            return Some(Step::Leave(node));
        }
        let node = self.next?;
        if node.kind().is_container() {
            self.open.push(node);
        }
        self.next = (place + 1 < self.end).then(|| node.document().node(super::NodeId(place + 1)));
        Some(Step::Enter(node))
    }
}
