//! How does a piece of a saved document become one of its own? Its ranges of the arrays are copied, moved to where they
//! are now, and checked as those of a whole document are.

use std::collections::HashMap;
use std::ops::Range;

use super::super::column::Text;
use super::super::{
    Column, Declaration, Document, Kind, Label, NameId, Names, NamespaceId, Origin, Span, StoredAttribute, WideElement,
};
use super::columns::Lazy;
use super::{Saved, SavedError, check, damaged};

/// The document of the nodes at `nodes`, which are a subtree.
pub(super) fn subtree(saved: &Saved, nodes: Range<u32>) -> Result<Document, SavedError> {
    let mut copy = Copy::new(saved, nodes);
    let labels = copy.labels()?;
    let attributes = copy.attributes()?;
    let text = copy.text()?;
    let mut document = Document {
        format: saved.format,
        encoding: saved.encoding,
        has_byte_order_mark: false,
        original: None,
        source_len: copy.text.source.len() as u32,
        labels: labels.into(),
        parents: copy.places("parents", saved.columns.parents, 0)?,
        ends: copy.places("ends", saved.columns.ends, copy.len())?,
        spans: copy.spans()?,
        hashes: copy.behind(0, saved.columns.hashes)?.into(),
        weights: copy.small("weights", 1, saved.columns.weights)?.into(),
        attribute_counts: copy.small("attribute-counts", 0, saved.columns.attribute_counts)?.into(),
        wide: copy.wide()?,
        attributes: attributes.iter().map(|stored| copy.attribute(stored)).collect::<Vec<_>>().into(),
        declarations: copy.declarations()?,
        origins: copy.origins()?,
        id_attributes: copy.id_attributes()?,
        doctype: None,
        places_of_kept: Default::default(),
        text: Text::Owned(text),
        names: copy.names,
    };
    check::check(&document, document.len(), 0).map_err(|(section, flaw)| damaged(section, flaw))?;
    document.fold_again(&[]);
    Ok(document)
}

/// A piece that is being copied.
struct Copy<'s> {
    saved: &'s Saved,
    nodes: Range<u32>,
    names: Names,
    /// What the names and namespaces of the whole document are here.
    ids: HashMap<u32, NameId>,
    namespaces: HashMap<u32, NamespaceId>,
    /// How long the names may be that come, since each has its own piece of their text.
    name_bytes_left: usize,
    text: Moved,
}

/// Where the text of the piece is: a piece of the source, and behind it all that is no piece of the source, where any of
/// it is asked for.
#[derive(Debug, Default)]
struct Moved {
    source: Range<u32>,
    /// Where the source of the whole document ends.
    whole_source: u32,
}

impl Moved {
    fn span(&self, span: Span) -> Span {
        let start = match span.checked_end() {
            Some(end) if end <= self.whole_source => {
                span.start().clamp(self.source.start, self.source.end) - self.source.start
            }
            // What is wrong here is found when the document is checked.
            _ => span.start().wrapping_sub(self.whole_source).wrapping_add(self.source.len() as u32),
        };
        span.moved(i64::from(start) - i64::from(span.start()))
    }
}

impl<'s> Copy<'s> {
    fn new(saved: &'s Saved, nodes: Range<u32>) -> Self {
        Copy {
            saved,
            nodes,
            names: Names::new(),
            ids: HashMap::new(),
            namespaces: HashMap::new(),
            name_bytes_left: saved.columns.name_text.len(),
            text: Moved::default(),
        }
    }

    /// The number of nodes of the new document, whose document node stands before the others.
    fn len(&self) -> u32 {
        self.nodes.len() as u32 + 1
    }

    /// The place in the new document.
    fn place(&self, section: &'static str, node: u32) -> Result<u32, SavedError> {
        let place = node.checked_sub(self.nodes.start).filter(|&place| place <= self.nodes.len() as u32);
        place.map(|place| place + 1).ok_or_else(|| damaged(section, "does not nest"))
    }

    fn slice<T: bytemuck::Pod>(&self, column: Lazy<T>) -> Result<&'s [T], SavedError> {
        column.slice(&self.saved.layout, self.nodes.start as usize..self.nodes.end as usize)
    }

    /// A column with the value of the document node before all others.
    fn behind<T: bytemuck::Pod>(&self, first: T, column: Lazy<T>) -> Result<Vec<T>, SavedError> {
        Ok(std::iter::once(first).chain(self.slice(column)?.iter().copied()).collect())
    }

    /// The same of numbers whose sum has to fit.
    fn small(&self, section: &'static str, first: u8, column: Lazy<u8>) -> Result<Vec<u8>, SavedError> {
        let values = self.behind(first, column)?;
        let sum: u64 = values.iter().map(|&value| u64::from(value)).sum();
        if u32::try_from(sum).is_ok() { Ok(values) } else { Err(damaged(section, "adds up to too much")) }
    }

    /// A column of nodes. The node itself is the child of the document node.
    fn places(&self, section: &'static str, column: Lazy<u32>, first: u32) -> Result<Column<u32>, SavedError> {
        let mut places = vec![first];
        for (at, &node) in self.slice(column)?.iter().enumerate() {
            let is_parent_of_top = at == 0 && node < self.nodes.start;
            places.push(if is_parent_of_top { 0 } else { self.place(section, node)? });
        }
        Ok(places.into())
    }

    fn labels(&mut self) -> Result<Vec<Label>, SavedError> {
        let mut labels = vec![Label::of(Kind::Document)];
        for &label in self.slice(self.saved.columns.labels)? {
            if !label.is_valid(self.saved.columns.names.len()) {
                return Err(damaged("labels", "has a kind or a name that does not exist"));
            }
            labels.push(Label::new(label.kind(), self.name(label.name())?));
        }
        Ok(labels)
    }

    fn name(&mut self, id: NameId) -> Result<NameId, SavedError> {
        if let Some(&known) = self.ids.get(&id.0) {
            return Ok(known);
        }
        let [namespace, start, len] = self.saved.columns.names.get(&self.saved.layout, id.index())?;
        let namespace = self.namespace(namespace)?;
        let local = self.own_name_text(start, len)?;
        let new = self.names.intern_in(namespace, local);
        self.ids.insert(id.0, new);
        Ok(new)
    }

    fn namespace(&mut self, id: u32) -> Result<NamespaceId, SavedError> {
        if let Some(&known) = self.namespaces.get(&id) {
            return Ok(known);
        }
        let [start, len] = self.saved.columns.namespaces.get(&self.saved.layout, id as usize)?;
        let uri = self.own_name_text(start, len)?;
        let new = self.names.intern_namespace(uri);
        self.namespaces.insert(id, new);
        Ok(new)
    }

    /// A piece of the names' text that no other name has.
    fn own_name_text(&mut self, start: u32, len: u32) -> Result<&'s str, SavedError> {
        let left = self.name_bytes_left.checked_sub(len as usize);
        self.name_bytes_left = left.ok_or_else(|| damaged("names", "uses characters more than once"))?;
        self.saved.name_text(start, len)
    }
}

impl<'s> Copy<'s> {
    /// The attributes with their names of here, and their values where they are in the whole document.
    fn attributes(&mut self) -> Result<Vec<StoredAttribute>, SavedError> {
        let attributes = self.saved.attributes(self.nodes.clone())?;
        attributes
            .iter()
            .map(|stored| Ok(StoredAttribute { name: self.name(NameId(stored.name))?.0, value: stored.value }))
            .collect()
    }

    fn attribute(&self, stored: &StoredAttribute) -> StoredAttribute {
        StoredAttribute { name: stored.name, value: self.text.span(stored.value) }
    }

    /// Elements with many attributes, counted from here on.
    fn wide(&self) -> Result<Column<WideElement>, SavedError> {
        let (before, entries) = self.about(self.saved.columns.wide, |wide| wide.node)?;
        let before = match before.checked_sub(1) {
            Some(last) => self.saved.columns.wide.get(&self.saved.layout, last)?.extra_so_far,
            None => 0,
        };
        let moved = entries.iter().map(|wide| {
            let extra = wide.extra_so_far.checked_sub(before).ok_or_else(|| damaged("wide", "does not add up"))?;
            Ok(WideElement { node: self.place("wide", wide.node)?, extra_so_far: extra })
        });
        Ok(moved.collect::<Result<Vec<_>, SavedError>>()?.into())
    }

    fn declarations(&self) -> Result<Column<Declaration>, SavedError> {
        let (_, entries) = self.about(self.saved.columns.declarations, |declaration| declaration.node)?;
        let moved = entries.iter().map(|&Declaration { node, prefix, uri }| {
            let (prefix, uri) = (self.text.span(prefix), self.text.span(uri));
            Ok(Declaration { node: self.place("declarations", node)?, prefix, uri })
        });
        Ok(moved.collect::<Result<Vec<_>, SavedError>>()?.into())
    }

    fn origins(&self) -> Result<Column<Origin>, SavedError> {
        let (_, entries) = self.about(self.saved.columns.origins, |origin| origin.node)?;
        let moved = entries.iter().map(|&Origin { node, span }| {
            Ok(Origin { node: self.place("origins", node)?, span: self.text.span(span) })
        });
        Ok(moved.collect::<Result<Vec<_>, SavedError>>()?.into())
    }

    /// The entries of a section sorted by nodes that are about these, and how many come before them.
    fn about<T: bytemuck::Pod>(
        &self,
        column: Lazy<T>,
        node: impl Fn(&T) -> u32,
    ) -> Result<(usize, &'s [T]), SavedError> {
        let layout = &self.saved.layout;
        let first = column.partition_point(layout, |entry| node(entry) < self.nodes.start)?;
        let end = column.partition_point(layout, |entry| node(entry) < self.nodes.end)?;
        Ok((first, column.slice(layout, first..end.max(first))?))
    }

    /// Declared IDs whose names both occur here.
    fn id_attributes(&self) -> Result<Column<[u32; 2]>, SavedError> {
        let column = self.saved.columns.id_attributes;
        let declared = column.slice(&self.saved.layout, 0..column.len())?;
        let here = |id: u32| self.ids.get(&id).map(|name| name.0);
        let mut moved: Vec<_> =
            declared.iter().filter_map(|&[element, attribute]| Some([here(element)?, here(attribute)?])).collect();
        moved.sort_unstable();
        Ok(moved.into())
    }

    fn spans(&self) -> Result<Column<Span>, SavedError> {
        let whole = Span::plain(0, self.text.source.len() as u32);
        let moved = self.slice(self.saved.columns.spans)?.iter().map(|&span| self.text.span(span));
        Ok(std::iter::once(whole).chain(moved).collect::<Vec<_>>().into())
    }

    /// Finds out which piece of the source the nodes are in, and takes it, with what is no piece of the source behind it.
    fn text(&mut self) -> Result<String, SavedError> {
        let (layout, columns) = (&self.saved.layout, &self.saved.columns);
        let whole_source = self.saved.header.source_len;
        let spans = self.all_spans()?;
        let is_written = |span: &Span| span.checked_end().is_some_and(|end| end <= whole_source);
        // One that is empty says nothing of where the nodes are, but it may be empty behind the source.
        let needs_more = !spans.iter().all(is_written);
        let written = spans.iter().filter(|span| span.len() > 0 && is_written(span));
        let source = written.map(|span| span.start()..span.end()).reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
        let source = source.unwrap_or(0..0);
        let mut text = self.saved.piece("spans", Span::plain(source.start, source.end))?.to_owned();
        self.text = Moved { source, whole_source };
        if needs_more {
            let more =
                columns.text.slice(layout, whole_source as usize..columns.text.len().max(whole_source as usize))?;
            text += std::str::from_utf8(more).map_err(|_| damaged("text", "is not UTF-8"))?;
        }
        Ok(text)
    }

    /// All ranges of the text that anything here refers to.
    fn all_spans(&self) -> Result<Vec<Span>, SavedError> {
        let columns = &self.saved.columns;
        let mut spans = self.slice(columns.spans)?.to_vec();
        spans.extend(self.saved.attributes(self.nodes.clone())?.iter().map(|stored| stored.value));
        spans.extend(self.about(columns.origins, |origin| origin.node)?.1.iter().map(|origin| origin.span));
        let (_, declarations) = self.about(columns.declarations, |declaration| declaration.node)?;
        spans.extend(declarations.iter().flat_map(|declaration| [declaration.prefix, declaration.uri]));
        Ok(spans)
    }
}
