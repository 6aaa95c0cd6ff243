//! Which arrays are looked at again and again? Those of a document as plain slices: small documents do not forgive asking
//! for them each time.

use std::borrow::Cow;

use super::{Document, Format, Kind, Label, NodeId, Span};
use crate::parse::decode;

/// The shape of a document, with what every subtree is called and hashes to, and what its leaves say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Columns<'d> {
    pub(crate) labels: &'d [Label],
    pub(crate) parents: &'d [u32],
    pub(crate) ends: &'d [u32],
    pub(crate) hashes: &'d [u64],
    spans: &'d [Span],
    text: &'d str,
    format: Format,
}

impl Document {
    /// The arrays of the document.
    pub(crate) fn columns(&self) -> Columns<'_> {
        Columns {
            labels: self.labels(),
            parents: self.parents(),
            ends: self.ends(),
            hashes: self.hashes(),
            spans: &self.spans,
            text: &self.text,
            format: self.format,
        }
    }
}

impl<'d> Columns<'d> {
    #[inline]
    pub(crate) fn label(&self, node: NodeId) -> Label {
        self.labels[node.index()]
    }

    /// The parent; that of the document node is itself.
    #[inline]
    pub(crate) fn parent(&self, node: NodeId) -> NodeId {
        NodeId(self.parents[node.index()])
    }

    /// The number of nodes in the subtree.
    #[inline]
    pub(crate) fn size(&self, node: NodeId) -> u32 {
        self.ends[node.index()] - node.0
    }

    /// The characters of a text.
    #[inline]
    pub(crate) fn text(&self, node: NodeId) -> Cow<'d, str> {
        let span = self.spans[node.index()];
        decode::value(self.format, Kind::Text, &self.text[span.range()], span.is_encoded())
    }

    #[inline]
    pub(crate) fn children(&self, parent: NodeId) -> impl Iterator<Item = NodeId> + use<'d> {
        let (ends, end) = (self.ends, self.ends[parent.index()]);
        let mut next = parent.0 + 1;
        std::iter::from_fn(move || {
            let child = NodeId(next);
            (next < end).then(|| {
                next = ends[child.index()];
                child
            })
        })
    }

    /// The child, where there is just one.
    pub(crate) fn only_child(&self, parent: NodeId) -> Option<NodeId> {
        let (child, end) = (NodeId(parent.0 + 1), self.ends[parent.index()]);
        (child.0 < end && self.ends[child.index()] == end).then_some(child)
    }
}
