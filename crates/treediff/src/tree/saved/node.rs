//! What stands at one place of a saved document? Whatever is read for the answer is checked, and nothing else.
//!
//! These are the few questions by which a node is found. Who has found it asks for [`SavedNode::document`], whose nodes
//! answer all others.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use super::super::{Document, Kind, Label, Name, NameId, NodeId, Span, StoredAttribute, WideElement};
use super::{Saved, SavedError, damaged, extract};
use crate::parse::decode;

/// A node of a saved document; see [`Saved::root`].
#[derive(Clone, Copy)]
pub struct SavedNode<'s> {
    saved: &'s Saved,
    id: NodeId,
    end: u32,
    label: Label,
}

impl fmt::Debug for SavedNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} #{}", self.kind(), self.id.0)
    }
}

impl<'s> SavedNode<'s> {
    /// The node at a place whose subtree ends at `limit` at the latest.
    pub(super) fn read(saved: &'s Saved, id: NodeId, limit: u32) -> Result<Self, SavedError> {
        let (layout, columns) = (&saved.layout, &saved.columns);
        let label = columns.labels.get(layout, id.index())?;
        let end = columns.ends.get(layout, id.index())?;
        if !label.is_valid(columns.names.len()) || (label.kind() == Kind::Document) != (id == NodeId::DOCUMENT) {
            return Err(damaged("labels", "has a kind or a name that cannot be there"));
        }
        let size = end.saturating_sub(id.0);
        if size == 0 || end > limit || size > 1 && !label.kind().is_container() {
            return Err(damaged("ends", "does not nest"));
        }
        Ok(SavedNode { saved, id, end, label })
    }

    /// The node's place in document order.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// What the node is.
    pub fn kind(self) -> Kind {
        self.label.kind()
    }

    /// The number of nodes in the subtree.
    pub fn size(self) -> u32 {
        self.end - self.id.0
    }

    /// The expanded name, as [`Node::name`](crate::tree::Node::name) has it.
    pub fn name(self) -> Result<Name<'s>, SavedError> {
        self.saved.name(self.label.name())
    }

    /// The subtree's hash: equal content has equal hashes.
    pub fn hash(self) -> Result<u64, SavedError> {
        self.saved.columns.hashes.get(&self.saved.layout, self.id.index())
    }

    /// The children in order, up to the first that is damaged.
    pub fn children(self) -> SavedChildren<'s> {
        SavedChildren { saved: self.saved, next: self.id.0 + 1, end: self.end }
    }

    /// The node's own value, as [`Node::value`](crate::tree::Node::value) has it.
    pub fn value(self) -> Result<Cow<'s, str>, SavedError> {
        match self.kind() {
            kind if kind.is_container() => Ok(Cow::Borrowed("")),
            Kind::Reference => Ok(Cow::Borrowed(self.name()?.local)),
            kind => {
                let span = self.saved.columns.spans.get(&self.saved.layout, self.id.index())?;
                let written = self.saved.piece("spans", span)?;
                Ok(decode::value(self.saved.format, kind, written, span.is_encoded()))
            }
        }
    }

    /// The value of an attribute.
    pub fn attribute(self, namespace: &str, local: &str) -> Result<Option<Cow<'s, str>>, SavedError> {
        let wanted = Name { namespace, local };
        for &StoredAttribute { name, value } in self.saved.attributes(self.id.0..self.id.0 + 1)? {
            if self.saved.is_named(NameId(name), wanted)? {
                let written = self.saved.piece("attributes", value)?;
                return Ok(Some(decode::attribute(self.saved.format, written, value.is_encoded())));
            }
        }
        Ok(None)
    }

    /// The subtree as a document of its own, whose source is that of the node; the whole document where it is the
    /// document node. Its names have their namespaces, though what declares them around the node is not there.
    pub fn document(self) -> Result<Document, SavedError> {
        match self.id {
            NodeId::DOCUMENT => self.saved.document(),
            _ => extract::subtree(self.saved, self.id.0..self.end),
        }
    }
}

/// The children of a node of a saved document.
#[derive(Debug, Clone)]
pub struct SavedChildren<'s> {
    saved: &'s Saved,
    next: u32,
    end: u32,
}

impl<'s> Iterator for SavedChildren<'s> {
    type Item = Result<SavedNode<'s>, SavedError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.end {
            return None;
        }
        let child = SavedNode::read(self.saved, NodeId(self.next), self.end);
        self.next = child.as_ref().map_or(self.end, |child| child.end);
        Some(child)
    }
}

impl Saved {
    fn name(&self, id: NameId) -> Result<Name<'_>, SavedError> {
        let [namespace, start, len] = self.columns.names.get(&self.layout, id.index())?;
        let [uri_start, uri_len] = self.columns.namespaces.get(&self.layout, namespace as usize)?;
        Ok(Name { namespace: self.name_text(uri_start, uri_len)?, local: self.name_text(start, len)? })
    }

    /// Whether a name is this one; one of another length is not looked at.
    fn is_named(&self, id: NameId, wanted: Name<'_>) -> Result<bool, SavedError> {
        let [namespace, start, len] = self.columns.names.get(&self.layout, id.index())?;
        let [uri_start, uri_len] = self.columns.namespaces.get(&self.layout, namespace as usize)?;
        Ok(len as usize == wanted.local.len()
            && uri_len as usize == wanted.namespace.len()
            && self.name_text(start, len)? == wanted.local
            && self.name_text(uri_start, uri_len)? == wanted.namespace)
    }

    pub(super) fn name_text(&self, start: u32, len: u32) -> Result<&str, SavedError> {
        let start = start as usize;
        let bytes = self.columns.name_text.slice(&self.layout, start..start.saturating_add(len as usize))?;
        std::str::from_utf8(bytes).map_err(|_| damaged("names", "has a name that is not UTF-8"))
    }

    /// The piece of the text that an entry of `section` names.
    pub(super) fn piece(&self, section: &'static str, span: Span) -> Result<&str, SavedError> {
        const FLAW: &str = "has a range that is no piece of the text";
        let end = span.checked_end().filter(|&end| end as usize <= self.columns.text.len());
        let end = end.ok_or_else(|| damaged(section, FLAW))? as usize;
        let bytes = self.columns.text.slice(&self.layout, span.start() as usize..end)?;
        simdutf8::basic::from_utf8(bytes).map_err(|_| damaged(section, FLAW))
    }

    /// The attributes of nodes that follow one another.
    pub(super) fn attributes(&self, nodes: Range<u32>) -> Result<&[StoredAttribute], SavedError> {
        let (first, end) = (self.first_attribute(nodes.start)?, self.first_attribute(nodes.end)?);
        if end < first {
            return Err(damaged("attribute-sums", "does not add up"));
        }
        self.columns.attributes.slice(&self.layout, first..end)
    }

    /// The place of a node's first attribute in the list of all.
    fn first_attribute(&self, node: u32) -> Result<usize, SavedError> {
        let counted = self.columns.attributes_before(&self.layout, node as usize)?;
        let wide = self.columns.wide.partition_point(&self.layout, |wide: &WideElement| wide.node < node)?;
        let extra = match wide.checked_sub(1) {
            Some(last) => self.columns.wide.get(&self.layout, last)?.extra_so_far,
            None => 0,
        };
        Ok((counted + u64::from(extra)) as usize)
    }
}
