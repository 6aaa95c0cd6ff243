//! How does a tree change in one place? The arrays before and behind it are copied, moved along by what came between.

use std::ops::Range;

use super::column::Text;
use super::hash::{self, Fold};
use super::{Column, Declaration, Document, Label, NameId, Names, Node, NodeId, Span, StoredAttribute};

/// Nodes that come in place of others, among the children of one element.
#[derive(Debug)]
pub(crate) struct Change {
    /// From the root element to the element.
    pub(crate) path: Vec<NodeId>,
    /// The nodes that go.
    pub(crate) removed: Range<u32>,
    /// The document that has those that come.
    pub(crate) parsed: Document,
    /// Where they are there.
    pub(crate) nodes: Range<u32>,
    /// How much further on they stand in the new source than there.
    pub(crate) shift: i64,
    /// How many bytes the source grew by.
    pub(crate) grown: i64,
}

impl Change {
    /// The number of nodes when it is made.
    pub(crate) fn len_after(&self, before: &Document) -> usize {
        before.len() - self.removed.len() + self.nodes.len()
    }
}

impl Document {
    /// Whether every text and node is a piece of a source in UTF-8, and no attribute is declared to be an ID.
    pub(crate) fn is_plain_utf8(&self) -> bool {
        self.text.len() == self.source_len as usize
            && self.encoding == encoding_rs::UTF_8
            && !self.has_byte_order_mark
            && self.original.is_none()
            && self.origins.is_empty()
            && self.wide.is_empty()
            && self.id_attributes.is_empty()
    }

    /// The document with a change in it, whose source is `source`; that comes back if it is not UTF-8 after all.
    pub(crate) fn spliced(&self, source: Vec<u8>, change: Change) -> Result<Document, Vec<u8>> {
        let source_len = source.len() as u32;
        let text = checked(source)?;
        let mut names = self.names.clone();
        let splice = Splice::new(self, &change, &mut names);
        let mut document = Document {
            text: Text::Owned(text),
            source_len,
            labels: splice.labels(),
            parents: splice.parents(),
            ends: splice.ends(),
            spans: splice.spans(),
            hashes: splice.column(&self.hashes, &change.parsed.hashes, |&hash| hash, |&hash| hash, |&hash| hash),
            weights: splice.bytes(&self.weights.values, &change.parsed.weights.values).into(),
            attribute_counts: splice
                .bytes(&self.attribute_counts.values, &change.parsed.attribute_counts.values)
                .into(),
            attributes: splice.attributes(),
            declarations: splice.declarations(),
            names,
            format: self.format,
            encoding: self.encoding,
            has_byte_order_mark: self.has_byte_order_mark,
            original: None,
            wide: Column::default(),
            origins: Column::default(),
            id_attributes: Column::default(),
            doctype: self.doctype,
        };
        document.fold_again(&change.path);
        Ok(document)
    }

    /// Makes the hashes of an element, its ancestors and the document node anew.
    fn fold_again(&mut self, path: &[NodeId]) {
        let mut hashes = std::mem::take(&mut self.hashes).into_vec();
        for &id in path.iter().rev() {
            hashes[id.index()] = self.folded(id, &hashes);
        }
        hashes[0] = self.folded(NodeId::DOCUMENT, &hashes);
        if let Some(doctype) = self.doctype() {
            hashes[0] = hash::mix(hashes[0], hash::bytes(doctype.as_bytes()));
        }
        self.hashes = hashes.into();
    }

    fn folded(&self, id: NodeId, hashes: &[u64]) -> u64 {
        let node = self.node(id);
        let mut fold = Fold::new(node.label().hash(&self.names), node.attributes_hash());
        let mut children = 0;
        for child in node.children() {
            fold.child(hashes[child.id().index()]);
            children += 1;
        }
        fold.finish(children)
    }
}

#[allow(unsafe_code)]
fn checked(source: Vec<u8>) -> Result<String, Vec<u8>> {
    match simdutf8::basic::from_utf8(&source) {
        // SAFETY: it has just been checked, by a check that is several times as fast as that of the standard library.
        Ok(_) => Ok(unsafe { String::from_utf8_unchecked(source) }),
        Err(_) => Err(source),
    }
}

/// A change with what it means for every index and span.
struct Splice<'c> {
    before: &'c Document,
    change: &'c Change,
    /// For every name of what was parsed its number here.
    names: Vec<u32>,
}

impl<'c> Splice<'c> {
    fn new(before: &'c Document, change: &'c Change, names: &mut Names) -> Self {
        let parsed = change.parsed.names.iter();
        let numbers = parsed.map(|(_, name)| names.intern(name.namespace, name.local).0).collect();
        Splice { before, change, names: numbers }
    }

    /// The number of nodes that came less those that went, for wrapping addition.
    fn added(&self) -> u32 {
        (self.change.nodes.len() as u32).wrapping_sub(self.change.removed.len() as u32)
    }

    fn last_kept(&self) -> usize {
        self.change.removed.start as usize
    }

    /// A column of nodes: what is before the change, what is in it, and what is behind.
    fn column<T: bytemuck::Pod>(
        &self,
        before: &[T],
        parsed: &[T],
        front: impl Fn(&T) -> T,
        new: impl Fn(&T) -> T,
        back: impl Fn(&T) -> T,
    ) -> Column<T> {
        let Change { removed, nodes, .. } = self.change;
        let mut column = Vec::with_capacity(before.len() - removed.len() + nodes.len());
        column.extend(before[..self.last_kept()].iter().map(front));
        column.extend(parsed[nodes.start as usize..nodes.end as usize].iter().map(new));
        column.extend(before[removed.end as usize..].iter().map(back));
        column.into()
    }

    fn bytes(&self, before: &[u8], parsed: &[u8]) -> Vec<u8> {
        self.column(before, parsed, |&byte| byte, |&byte| byte, |&byte| byte).into_vec()
    }

    fn labels(&self) -> Column<Label> {
        let renamed = |label: &Label| Label::new(label.kind(), self.name(label.name()));
        self.column(&self.before.labels, &self.change.parsed.labels, |&label| label, renamed, |&label| label)
    }

    fn name(&self, parsed: NameId) -> NameId {
        NameId(self.names[parsed.index()])
    }

    fn parents(&self) -> Column<u32> {
        let (added, behind) = (self.added(), self.change.removed.end);
        let element = self.change.path.last().map_or(0, |id| id.0);
        let first = self.change.nodes.start;
        let new = |&parent: &u32| if parent < first { element } else { self.renumbered(parent) };
        let back = |&parent: &u32| if parent < behind { parent } else { parent.wrapping_add(added) };
        self.column(&self.before.parents, &self.change.parsed.parents, |&parent| parent, new, back)
    }

    /// The place of a node that was parsed.
    fn renumbered(&self, parsed: u32) -> u32 {
        parsed - self.change.nodes.start + self.change.removed.start
    }

    fn ends(&self) -> Column<u32> {
        let added = self.added();
        let back = |&end: &u32| end.wrapping_add(added);
        let new = |&end: &u32| self.renumbered(end);
        let mut ends = self.column(&self.before.ends, &self.change.parsed.ends, |&end| end, new, back).into_vec();
        for id in self.ancestors() {
            ends[id.index()] = ends[id.index()].wrapping_add(added);
        }
        ends.into()
    }

    /// The element, and all that it is in.
    fn ancestors(&self) -> impl Iterator<Item = NodeId> {
        [NodeId::DOCUMENT].into_iter().chain(self.change.path.iter().copied())
    }

    fn spans(&self) -> Column<Span> {
        let Change { shift, grown, .. } = *self.change;
        let (new, back) = (|span: &Span| span.moved(shift), |span: &Span| span.moved(grown));
        let mut spans = self.column(&self.before.spans, &self.change.parsed.spans, |&span| span, new, back).into_vec();
        for id in self.ancestors() {
            spans[id.index()] = spans[id.index()].grown(grown);
        }
        spans.into()
    }

    fn attributes(&self) -> Column<StoredAttribute> {
        let Change { removed, nodes, parsed, shift, grown, .. } = self.change;
        let before = self.before;
        let at = |document: &Document, node: u32| document.first_attribute(node) as usize;
        let new = &parsed.attributes[at(parsed, nodes.start)..at(parsed, nodes.end)];
        let front = &before.attributes[..at(before, removed.start)];
        let back = &before.attributes[at(before, removed.end)..];
        let mut attributes = Vec::with_capacity(front.len() + new.len() + back.len());
        attributes.extend_from_slice(front);
        attributes.extend(new.iter().map(|stored| StoredAttribute {
            name: self.name(NameId(stored.name)).0,
            value: { stored.value }.moved(*shift),
        }));
        attributes.extend(
            back.iter().map(|stored| StoredAttribute { name: stored.name, value: { stored.value }.moved(*grown) }),
        );
        attributes.into()
    }

    fn declarations(&self) -> Column<Declaration> {
        let Change { removed, nodes, parsed, shift, grown, .. } = self.change;
        let moved = |declaration: &Declaration, node: u32, by: i64| Declaration {
            node,
            // The prefix of a default namespace stands nowhere.
            prefix: if { declaration.prefix }.len() == 0 { Span::default() } else { { declaration.prefix }.moved(by) },
            uri: { declaration.uri }.moved(by),
        };
        let all = self.before.declarations.iter();
        let front = all.clone().filter(|declaration| declaration.node < removed.start);
        let front = front.map(|declaration| moved(declaration, declaration.node, 0));
        let new = parsed.declarations.iter().filter(|declaration| nodes.contains(&{ declaration.node }));
        let new = new.map(|declaration| moved(declaration, self.renumbered(declaration.node), *shift));
        let back = all.filter(|declaration| declaration.node >= removed.end);
        let back = back.map(|declaration| moved(declaration, declaration.node.wrapping_add(self.added()), *grown));
        front.chain(new).chain(back).collect::<Vec<_>>().into()
    }
}

impl Node<'_> {
    /// The sum of the hashes of an element's attributes.
    pub(super) fn attributes_hash(self) -> u64 {
        let names = self.document().names();
        let hashes = self.attributes().map(|attribute| {
            hash::attribute(names.hash(attribute.name_id()), hash::bytes(attribute.value().as_bytes()))
        });
        hashes.fold(0, u64::wrapping_add)
    }
}
