//! Which siblings are shown? Those next to a change; of a row of others, that there is one.

use std::collections::VecDeque;

use crate::tree::Node;

/// The children of one node, as they go by.
#[derive(Debug)]
pub struct Siblings<'d> {
    context: usize,
    /// The last ones that went by without being shown, one more than there will be room for.
    held: VecDeque<Node<'d>>,
    /// Whether others went by before them.
    is_cut: bool,
    /// How many of the next ones are to be shown.
    owed: usize,
}

/// What is shown before a change, or at the end.
#[derive(Debug)]
pub struct Shown<'d> {
    pub is_cut: bool,
    pub nodes: VecDeque<Node<'d>>,
}

impl<'d> Siblings<'d> {
    pub fn new(context: usize) -> Self {
        Siblings { context, held: VecDeque::new(), is_cut: false, owed: 0 }
    }

    /// A child without a change goes by; it comes back where it is to be shown at once.
    pub fn pass(&mut self, node: Node<'d>) -> Option<Node<'d>> {
        if self.owed > 0 {
            self.owed -= 1;
            return Some(node);
        }
        self.held.push_back(node);
        if self.held.len() > self.context + 1 {
            self.held.pop_front();
            self.is_cut = true;
        }
        None
    }

    /// What is shown before a child that is a change, and remembers that some behind it are.
    pub fn before_change(&mut self) -> Shown<'d> {
        self.owed = self.context;
        self.take(self.context)
    }

    /// What is shown before a child that has changes somewhere below, or behind the last change.
    pub fn rest(&mut self) -> Shown<'d> {
        self.owed = 0;
        self.take(0)
    }

    /// The last `count`; or all where that leaves out no more than one, which would take as much room as to say so.
    fn take(&mut self, count: usize) -> Shown<'d> {
        let mut nodes = std::mem::take(&mut self.held);
        let mut is_cut = std::mem::take(&mut self.is_cut);
        if is_cut || nodes.len() > count + 1 {
            nodes.drain(..nodes.len().saturating_sub(count));
            is_cut = true;
        }
        Shown { is_cut, nodes }
    }
}
