//! Which white space stands between nodes that are no longer those that it stood between?
//!
//! Layout travels with the node that it precedes. A node that comes without any takes that of a sibling; and there is
//! none at all where it would be read as content.

use std::ops::Range;

use super::blanks::{indentation, lead, trail};
use super::{Draft, DraftNode};
use crate::tree::{Kind, Node};

/// The layout of a list of children.
#[derive(Debug)]
pub(super) struct Layout<'d> {
    parent: DraftNode,
    /// What a node gets that comes without layout.
    indentation: &'d str,
    /// What stands behind the last child.
    trail: &'d str,
}

impl<'d> Layout<'d> {
    /// The layout of a node's children, which stand at `content` in the source; `None` where there is none.
    pub(super) fn new(draft: &Draft<'d>, parent: DraftNode, content: Option<Range<usize>>) -> Option<Self> {
        if draft.children(parent).next().is_none() || draft.children(parent).any(|it| draft.kind(it) == Kind::Text) {
            return None;
        }
        let mut layout = Layout { parent, indentation: "", trail: "" };
        let first = draft.children(parent).map(|child| layout.own_lead(draft, child)).find(|lead| !lead.is_empty());
        let written = || draft.written(parent).into_iter().flat_map(Node::children);
        let first = first.or_else(|| written().map(lead).find(|lead| !lead.is_empty()));
        layout.indentation = indentation(first.unwrap_or_default());
        if let Some((node, content)) = draft.written(parent).zip(content) {
            layout.trail = trail(node, content);
        }
        Some(layout)
    }

    /// The layout that a child brings with it. That around the root element is of another kind than that below it.
    fn own_lead(&self, draft: &Draft<'d>, child: DraftNode) -> &'d str {
        let is_outside = |parent: Option<DraftNode>| parent == Some(DraftNode::DOCUMENT);
        let first_parent = draft.first_parent(child);
        match draft.written(child) {
            Some(node) if first_parent.is_some() && is_outside(first_parent) == is_outside(Some(self.parent)) => {
                lead(node)
            }
            _ => "",
        }
    }

    /// What to write before a child, all children being asked for in order.
    pub(super) fn before(&mut self, draft: &Draft<'d>, child: DraftNode) -> &'d str {
        let own = self.own_lead(draft, child);
        if !own.is_empty() {
            self.indentation = indentation(own);
        } else if draft.first_parent(child) != Some(self.parent) {
            return self.indentation;
        }
        own
    }

    /// What to write behind the last child.
    pub(super) fn trail(&self) -> &'d str {
        self.trail
    }
}
