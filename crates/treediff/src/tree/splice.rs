//! How does a tree change in one place? The arrays before and behind it are copied, moved along by what came between.

use std::ops::Range;

use super::column::Text;
use super::hash::{self, Fold};
use super::{Column, Declaration, Document, Label, NameId, Names, Node, NodeId, Span, StoredAttribute};
use crate::parse::encoding;

/// Nodes that come in place of others, in several places.
#[derive(Debug)]
pub(crate) struct Patch {
    /// The elements around them and all their ancestors, in document order.
    pub(crate) skeletons: Vec<NodeId>,
    /// In document order.
    pub(crate) pieces: Vec<Piece>,
    /// The document that has the new nodes.
    pub(crate) parsed: Document,
}

/// Nodes that come in place of children of an element.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The element.
    pub(crate) parent: NodeId,
    /// The nodes that go, and the bytes that they stand in.
    pub(crate) removed: Range<u32>,
    pub(crate) removed_bytes: Range<usize>,
    /// The nodes that come, where they are in the document that has them, and where their bytes start there.
    pub(crate) nodes: Range<u32>,
    pub(crate) from: usize,
    /// The new bytes.
    pub(crate) bytes: Range<usize>,
}

impl Patch {
    /// The number of nodes when it is made.
    pub(crate) fn len_after(&self, before: &Document) -> usize {
        let removed: usize = self.pieces.iter().map(|piece| piece.removed.len()).sum();
        let new: usize = self.pieces.iter().map(|piece| piece.nodes.len()).sum();
        before.len() - removed + new
    }

    /// Whether an element is left without children, whose layout would then be its content.
    pub(crate) fn empties_an_element(&self, before: &Document) -> bool {
        let is_removed = |id: NodeId| {
            let at = self.pieces.partition_point(|piece| piece.removed.end <= id.0);
            self.pieces.get(at).is_some_and(|piece| piece.removed.contains(&id.0))
        };
        let mut has_new = vec![false; self.skeletons.len()];
        for piece in self.pieces.iter().filter(|piece| !piece.nodes.is_empty()) {
            if let Ok(at) = self.skeletons.binary_search(&piece.parent) {
                has_new[at] = true;
            }
        }
        let is_emptied = |id: NodeId| before.node(id).children().all(|child| is_removed(child.id()));
        self.skeletons.iter().zip(has_new).any(|(&id, has_new)| !has_new && is_emptied(id))
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

    /// The document with a patch in it, whose source is `source`; that comes back if it is not UTF-8 after all.
    pub(crate) fn patched(&self, source: Vec<u8>, patch: &Patch) -> Result<Document, Vec<u8>> {
        let source_len = source.len() as u32;
        let text = encoding::text(source)?;
        let mut names = self.names.clone();
        let splice = Splice::new(self, patch, &mut names);
        let parsed = &patch.parsed;
        let mut document = Document {
            text: Text::Owned(text),
            source_len,
            labels: splice.labels(),
            parents: splice.parents(),
            ends: splice.ends(),
            spans: splice.spans(),
            hashes: splice.copied(&self.hashes, &parsed.hashes).into(),
            weights: splice.copied(&self.weights.values, &parsed.weights.values).into(),
            attribute_counts: splice.copied(&self.attribute_counts.values, &parsed.attribute_counts.values).into(),
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
            places_of_kept: Default::default(),
        };
        let skeletons: Vec<NodeId> = patch.skeletons.iter().map(|&id| splice.place(id)).collect();
        document.fold_again(&skeletons);
        Ok(document)
    }

    /// Makes the hashes of elements and the document node anew; descendants come behind their ancestors.
    pub(super) fn fold_again(&mut self, elements: &[NodeId]) {
        let mut hashes = std::mem::take(&mut self.hashes).into_vec();
        for &id in elements.iter().rev() {
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

/// A patch with what it means for every index and span.
struct Splice<'c> {
    before: &'c Document,
    patch: &'c Patch,
    /// By how much what stands before each piece is moved, and at last what stands behind all of them.
    shifts: Vec<Shift>,
    /// For every name of what was parsed its number here.
    names: Vec<u32>,
}

/// How much further on nodes and bytes are than before, for wrapping addition.
#[derive(Debug, Clone, Copy, Default)]
struct Shift {
    nodes: u32,
    bytes: i64,
}

impl<'c> Splice<'c> {
    fn new(before: &'c Document, patch: &'c Patch, names: &mut Names) -> Self {
        let parsed = patch.parsed.names.iter();
        let numbers = parsed.map(|(_, name)| names.intern(name.namespace, name.local).0).collect();
        let mut shifts = vec![Shift::default()];
        let mut shift = Shift::default();
        for piece in &patch.pieces {
            shift.nodes = shift.nodes.wrapping_add(piece.nodes.len() as u32).wrapping_sub(piece.removed.len() as u32);
            shift.bytes += piece.bytes.len() as i64 - piece.removed_bytes.len() as i64;
            shifts.push(shift);
        }
        Splice { before, patch, shifts, names: numbers }
    }

    /// What moves a node that is kept.
    fn shift(&self, id: u32) -> Shift {
        self.shifts[self.patch.pieces.partition_point(|piece| piece.removed.end <= id)]
    }

    /// What moves the end of an element: pieces within it, but none that stands right behind it.
    fn shift_of_end(&self, id: NodeId) -> Shift {
        let end = self.before.ends[id.index()];
        let is_before = |piece: &Piece| piece.removed.end < end || piece.removed.end == end && piece.parent >= id;
        self.shifts[self.patch.pieces.partition_point(is_before)]
    }

    fn place(&self, id: NodeId) -> NodeId {
        NodeId(id.0.wrapping_add(self.shift(id.0).nodes))
    }

    /// The elements around the pieces, and the document node.
    fn around(&self) -> impl Iterator<Item = NodeId> {
        [NodeId::DOCUMENT].into_iter().chain(self.patch.skeletons.iter().copied())
    }

    /// A column: what is kept, with its shift and where it starts, and what comes, with its piece and its new place.
    fn column<T: bytemuck::Pod>(
        &self,
        before: &[T],
        parsed: &[T],
        kept: impl Fn(&[T], Shift, u32, &mut Vec<T>),
        new: impl Fn(&T, &Piece, u32) -> T,
    ) -> Vec<T> {
        let mut column = Vec::with_capacity(self.patch.len_after(self.before));
        let mut at = 0;
        for (piece, &shift) in self.patch.pieces.iter().zip(&self.shifts) {
            kept(&before[at as usize..piece.removed.start as usize], shift, at, &mut column);
            let place = column.len() as u32;
            let nodes = piece.nodes.start as usize..piece.nodes.end as usize;
            column.extend(parsed[nodes].iter().map(|value| new(value, piece, place)));
            at = piece.removed.end;
        }
        let last = self.shifts.last().copied().unwrap_or_default();
        kept(&before[at as usize..], last, at, &mut column);
        column
    }

    fn copied<T: bytemuck::Pod>(&self, before: &[T], parsed: &[T]) -> Vec<T> {
        self.column(before, parsed, |kept, _, _, column| column.extend_from_slice(kept), |&value, _, _| value)
    }

    fn labels(&self) -> Column<Label> {
        let renamed = |label: &Label, _: &Piece, _: u32| Label::new(label.kind(), self.name(label.name()));
        let kept = |kept: &[Label], _: Shift, _: u32, column: &mut Vec<Label>| column.extend_from_slice(kept);
        self.column(&self.before.labels, &self.patch.parsed.labels, kept, renamed).into()
    }

    fn name(&self, parsed: NameId) -> NameId {
        NameId(self.names[parsed.index()])
    }

    fn parents(&self) -> Column<u32> {
        let kept = |kept: &[u32], shift: Shift, start: u32, column: &mut Vec<u32>| {
            column.extend(kept.iter().map(|&parent| match parent >= start {
                true => parent.wrapping_add(shift.nodes),
                // Only the elements around pieces have children behind them.
                false => self.place(NodeId(parent)).0,
            }));
        };
        let new = |&parent: &u32, piece: &Piece, place: u32| match parent < piece.nodes.start {
            true => self.place(piece.parent).0,
            false => parent - piece.nodes.start + place,
        };
        self.column(&self.before.parents, &self.patch.parsed.parents, kept, new).into()
    }

    fn ends(&self) -> Column<u32> {
        let kept = |kept: &[u32], shift: Shift, _: u32, column: &mut Vec<u32>| {
            column.extend(kept.iter().map(|end| end.wrapping_add(shift.nodes)));
        };
        let new = |&end: &u32, piece: &Piece, place: u32| end - piece.nodes.start + place;
        let mut ends = self.column(&self.before.ends, &self.patch.parsed.ends, kept, new);
        for id in self.around() {
            ends[self.place(id).index()] = self.before.ends[id.index()].wrapping_add(self.shift_of_end(id).nodes);
        }
        ends.into()
    }

    fn spans(&self) -> Column<Span> {
        let kept = |kept: &[Span], shift: Shift, _: u32, column: &mut Vec<Span>| {
            column.extend(kept.iter().map(|span| span.moved(shift.bytes)));
        };
        let new = |span: &Span, piece: &Piece, _: u32| span.moved(piece.shift());
        let mut spans = self.column(&self.before.spans, &self.patch.parsed.spans, kept, new);
        for id in self.around() {
            let (span, start) = (self.before.spans[id.index()], self.shift(id.0).bytes);
            spans[self.place(id).index()] = span.moved(start).grown(self.shift_of_end(id).bytes - start);
        }
        spans.into()
    }

    fn attributes(&self) -> Column<StoredAttribute> {
        let (before, parsed) = (self.before, &self.patch.parsed);
        let mut attributes = Vec::with_capacity(before.attributes.len() + parsed.attributes.len());
        let range = |document: &Document, nodes: Range<u32>| {
            document.first_attribute(nodes.start) as usize..document.first_attribute(nodes.end) as usize
        };
        let moved =
            |stored: &StoredAttribute, name: u32, by: i64| StoredAttribute { name, value: { stored.value }.moved(by) };
        let mut at = 0;
        for (piece, shift) in self.patch.pieces.iter().zip(&self.shifts) {
            let kept = &before.attributes[range(before, at..piece.removed.start)];
            attributes.extend(kept.iter().map(|stored| moved(stored, stored.name, shift.bytes)));
            let new = &parsed.attributes[range(parsed, piece.nodes.clone())];
            attributes.extend(new.iter().map(|stored| moved(stored, self.name(NameId(stored.name)).0, piece.shift())));
            at = piece.removed.end;
        }
        let last = self.shifts.last().map_or(0, |shift| shift.bytes);
        let kept = &before.attributes[range(before, at..before.len() as u32)];
        attributes.extend(kept.iter().map(|stored| moved(stored, stored.name, last)));
        attributes.into()
    }

    fn declarations(&self) -> Column<Declaration> {
        let moved = |declaration: &Declaration, node: u32, by: i64| Declaration {
            node,
            // The prefix of a default namespace stands nowhere.
            prefix: if { declaration.prefix }.len() == 0 { Span::default() } else { { declaration.prefix }.moved(by) },
            uri: { declaration.uri }.moved(by),
        };
        let mut declarations = Vec::new();
        let mut old = self.before.declarations.iter().peekable();
        let mut new = self.patch.parsed.declarations.iter().peekable();
        let mut kept = |declarations: &mut Vec<Declaration>, end: u32, shift: Shift| {
            while let Some(declaration) = old.next_if(|declaration| declaration.node < end) {
                declarations.push(moved(declaration, declaration.node.wrapping_add(shift.nodes), shift.bytes));
            }
        };
        for (piece, &shift) in self.patch.pieces.iter().zip(&self.shifts) {
            kept(&mut declarations, piece.removed.start, shift);
            let place = piece.removed.start.wrapping_add(shift.nodes);
            while new.next_if(|declaration| declaration.node < piece.nodes.start).is_some() {}
            while let Some(declaration) = new.next_if(|declaration| declaration.node < piece.nodes.end) {
                declarations.push(moved(declaration, declaration.node - piece.nodes.start + place, piece.shift()));
            }
            let gone = declarations.len();
            kept(&mut declarations, piece.removed.end, shift);
            declarations.truncate(gone);
        }
        kept(&mut declarations, self.before.len() as u32, self.shifts.last().copied().unwrap_or_default());
        declarations.into()
    }
}

impl Piece {
    /// How much further on its nodes stand in the new source than where they were parsed.
    fn shift(&self) -> i64 {
        self.bytes.start as i64 - self.from as i64
    }
}

impl Node<'_> {
    /// The sum of the hashes of an element's attributes.
    pub(super) fn attributes_hash(self) -> u64 {
        let names = self.document().names();
        let hashes =
            self.attributes().map(|attribute| hash::attribute(names.hash(attribute.name_id()), attribute.value_hash()));
        hashes.fold(0, u64::wrapping_add)
    }
}
