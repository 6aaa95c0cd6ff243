//! How is a subtree written? From its first node to its last, by somebody who says what becomes of each.

use super::super::markup::push_text;
use super::super::safe::{self, Safe};
use crate::tree::{Kind, Node, NodeId};

/// What was written of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// The start tag, and the end tag comes behind all that is in it.
    Tags,
    /// Nothing but what is in it.
    Content,
    /// All of it, or nothing.
    Done,
}

/// Somebody who writes the nodes of a subtree in their order.
pub trait Walker<'d> {
    /// Comes to a node, of whatever kind.
    fn before(&mut self, _node: Node<'d>) {}

    /// Writes a text.
    fn text(&mut self, node: Node<'d>);

    /// Writes an element, or its beginning.
    fn enter(&mut self, node: Node<'d>) -> Written;

    /// Writes the end of an element.
    fn leave(&mut self, node: Node<'d>, written: Written);
}

/// Leads somebody through a subtree.
pub fn walk<'d>(top: Node<'d>, walker: &mut impl Walker<'d>) {
    let document = top.document();
    let mut open: Vec<(Node<'d>, Written)> = Vec::new();
    let mut next = top.id().0;
    while next < top.end() {
        leave_before(next, &mut open, walker);
        let node = document.node(NodeId(next));
        walker.before(node);
        next += 1;
        match node.kind() {
            Kind::Text => walker.text(node),
            Kind::Element => {
                let written = walker.enter(node);
                open.push((node, written));
                if written == Written::Done {
                    next = node.end();
                }
            }
            _ => {}
        }
    }
    leave_before(next, &mut open, walker);
}

fn leave_before<'d>(next: u32, open: &mut Vec<(Node<'d>, Written)>, walker: &mut impl Walker<'d>) {
    while let Some((node, written)) = open.pop_if(|(node, _)| node.end() <= next) {
        walker.leave(node, written);
    }
}

/// Writes something that is looked at as a whole, as far as it is safe.
pub fn write_whole(top: Node<'_>, safe: &Safe<'_>, out: &mut String) {
    walk(top, &mut Copyist { safe, out });
}

/// Writes what is safe.
struct Copyist<'w> {
    safe: &'w Safe<'w>,
    out: &'w mut String,
}

impl<'d> Walker<'d> for Copyist<'_> {
    fn text(&mut self, node: Node<'d>) {
        push_text(&node.value(), self.out);
    }

    fn enter(&mut self, node: Node<'d>) -> Written {
        match self.safe.fate(node) {
            safe::Fate::Element => {
                self.safe.start_tag(node, &[], self.out);
                Written::Tags
            }
            safe::Fate::Whole => {
                self.safe.whole(node, &[], self.out);
                Written::Done
            }
            safe::Fate::Children => Written::Content,
            safe::Fate::Nothing => Written::Done,
        }
    }

    fn leave(&mut self, node: Node<'d>, written: Written) {
        if written == Written::Tags {
            self.safe.end_tag(node, self.out);
        }
    }
}
