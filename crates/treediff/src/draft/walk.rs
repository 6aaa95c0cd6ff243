//! Which nodes has the draft, in order? A way through it that passes what was not touched in one step.

use super::{Children, Draft, DraftNode};

/// A part of a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// A subtree that is all as its document has it.
    Whole(DraftNode),
    /// A node is reached whose subtree is not.
    Enter(DraftNode),
    /// All below it has been passed.
    Leave(DraftNode),
}

/// The way through a draft from the document node on, made by [`Draft::parts`].
#[derive(Debug)]
pub(crate) struct Parts<'a, 'd> {
    draft: &'a Draft<'d>,
    next: Option<DraftNode>,
    open: Vec<(DraftNode, Children<'a, 'd>)>,
}

impl<'d> Draft<'d> {
    /// The parts of the draft in document order; what is detached is not among them.
    pub(crate) fn parts(&self) -> Parts<'_, 'd> {
        Parts { draft: self, next: Some(DraftNode::DOCUMENT), open: Vec::new() }
    }
}

impl Iterator for Parts<'_, '_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let next = self.next.take().or_else(|| self.open.last_mut().and_then(|(_, children)| children.next()));
        let Some(node) = next else { return self.open.pop().map(|(node, _)| Part::Leave(node)) };
        if self.draft.is_whole(node) {
            return Some(Part::Whole(node));
        }
        self.open.push((node, self.draft.children(node)));
        Some(Part::Enter(node))
    }
}
