//! How does a document come to be? Parsers say what they see in document order; the builder writes the arrays.
//!
//! It folds the hashes as children close, and it decides what is layout. Whether a white-space text is layout is
//! known only when its parent closes, or when a sibling text with other characters comes. Nearly all of them are, so
//! they are held back instead of being written and removed again; those that turn out to be nodes after all are
//! merged in by one pass at the end, and a document without them does not pay for it.

use super::column::Text;
use super::hash::{self, Fold};
use super::nodes::{NewNode, NodeColumns, Nodes};
use super::{Declaration, Document, Format, Kind, Label, Names, Origin, Span, StoredAttribute, WideElement};
use crate::parse::Whitespace;

/// A text as a parser found it: where its value stands, what it hashes to, and whether it is white space alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TextRun {
    pub(crate) span: Span,
    /// Hash of the decoded value.
    pub(crate) hash: u64,
    pub(crate) is_blank: bool,
    /// The place in the source, where `span` is not. White space that is held back loses it.
    pub(crate) origin: Option<Span>,
}

/// Whether a text is white space alone, as layout is.
#[inline(always)]
pub(crate) fn is_blank(text: &[u8]) -> bool {
    let is_white = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let (blocks, rest) = text.as_chunks::<8>();
    // Most of it is the spaces at the beginning of a line.
    blocks.iter().all(|block| block == b"        " || block.iter().all(is_white)) && rest.iter().all(is_white)
}

/// Writes a document's arrays.
#[derive(Debug)]
pub(crate) struct Builder {
    pub(crate) names: Names,
    nodes: Nodes,
    wide: Vec<WideElement>,
    attributes: Vec<StoredAttribute>,
    /// Attributes before this one belong to elements that are there already.
    attributes_taken: usize,
    attribute_sum: u64,
    declarations: Vec<Declaration>,
    origins: Vec<Origin>,
    /// The innermost open container, and those around it. It is asked for all the time, and so stands by itself.
    inner: Open,
    outer: Vec<Open>,
    /// White space of the open containers that is layout as far as is known; each owns the tail from its own start.
    held: Vec<Held>,
    /// White space that turned out to be a node, to be merged in at the end.
    late: Vec<Held>,
    whitespace: Whitespace,
    /// Hash of the label of texts.
    text_hash: u64,
}

/// A container that has not been closed.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: u32,
    children: u32,
    fold: Fold,
    held_from: u32,
    /// White space here is nodes: it is preserved, or a text with other characters has been seen.
    solid: bool,
    /// What `xml:space` says here, for the elements below.
    preserve: bool,
    unordered: bool,
}

impl Open {
    /// What stands around the document node.
    const NONE: Open =
        Open { node: 0, children: 0, fold: Fold::NONE, held_from: 0, solid: false, preserve: false, unordered: false };
}

/// A white-space text that is not (yet) in the arrays.
#[derive(Debug, Clone, Copy)]
struct Held {
    /// The node that it stands before.
    before: u32,
    parent: u32,
    span: Span,
    /// Hash of the decoded value.
    hash: u64,
}

impl Builder {
    /// A builder with room for so many nodes and attributes; the document node is open.
    pub(crate) fn new(whitespace: Whitespace, nodes: usize, attributes: usize) -> Self {
        let names = Names::new();
        let mut builder = Builder {
            text_hash: Label::of(Kind::Text).hash(&names),
            names,
            nodes: Nodes::with_capacity(nodes),
            wide: Vec::new(),
            attributes: Vec::with_capacity(attributes),
            attributes_taken: 0,
            attribute_sum: 0,
            declarations: Vec::new(),
            origins: Vec::new(),
            inner: Open::NONE,
            outer: Vec::with_capacity(16),
            held: Vec::new(),
            late: Vec::new(),
            whitespace,
        };
        builder.open(Label::of(Kind::Document), 0, None);
        builder
    }

    /// The number of nodes so far.
    #[inline(always)]
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// How many containers are open, the document node included.
    #[inline(always)]
    pub(crate) fn depth(&self) -> usize {
        self.outer.len()
    }

    /// The attributes given since the last element was opened.
    pub(crate) fn new_attributes(&self) -> &[StoredAttribute] {
        &self.attributes[self.attributes_taken..]
    }

    /// An attribute of the element that will be opened next; `hash` is that of the value.
    #[inline(always)]
    pub(crate) fn attribute(&mut self, name: super::NameId, value: Span, hash: u64) {
        self.hashed_attribute(name, value, hash::attribute(self.names.hash(name), hash));
    }

    /// The same where the hash of name and value is known.
    #[inline(always)]
    pub(crate) fn hashed_attribute(&mut self, name: super::NameId, value: Span, hash: u64) {
        self.attribute_sum = self.attribute_sum.wrapping_add(hash);
        self.attributes.push(StoredAttribute { name: name.0, value });
    }

    /// All attributes of the element that will be opened next, in order, and the sum of the hashes of their names and values.
    #[inline(always)]
    pub(crate) fn known_attributes(&mut self, given: impl ExactSizeIterator<Item = (super::NameId, Span)>, sum: u64) {
        self.attribute_sum = sum;
        self.attributes.extend(given.map(|(name, value)| StoredAttribute { name: name.0, value }));
    }

    /// A namespace declaration of the element that will be opened next.
    pub(crate) fn declaration(&mut self, prefix: Span, uri: Span) {
        self.declarations.push(Declaration { node: self.len() as u32, prefix, uri });
    }

    /// Puts the attributes for the next element in order. If a name is there twice, says which.
    #[inline(always)]
    pub(crate) fn sort_attributes(&mut self) -> Option<super::NameId> {
        let new = &mut self.attributes[self.attributes_taken..];
        if new.len() < 2 {
            return None;
        }
        let names = &self.names;
        let key = |attribute: &StoredAttribute| {
            (names.hash(super::NameId(attribute.name)), attribute.name, { attribute.value }.start())
        };
        if new.len() > 16 {
            new.sort_unstable_by_key(key);
        } else {
            insertion_sort(new, key);
        }
        let twice = new.windows(2).find(|pair| pair[0].name == pair[1].name);
        twice.map(|pair| super::NameId(pair[1].name))
    }

    /// Removes all but the first of every attribute of the next element that is given twice; after sorting, with the
    /// hashes of the values in the order that they are in now.
    pub(crate) fn drop_duplicate_attributes(&mut self, value_hashes: &[u64]) {
        let given = self.attributes.split_off(self.attributes_taken);
        self.attribute_sum = 0;
        for (at, attribute) in given.iter().enumerate() {
            if at == 0 || given[at - 1].name != attribute.name {
                self.attribute(super::NameId(attribute.name), attribute.value, value_hashes[at]);
            }
        }
    }

    /// Opens a container; `preserve` is what an `xml:space` on it says. `start` is where it begins in the text.
    #[inline(always)]
    pub(crate) fn open(&mut self, label: Label, start: u32, preserve: Option<bool>) {
        let node = self.len() as u32;
        let parent = self.inner;
        let preserve = preserve.unwrap_or(parent.preserve);
        let attributes = self.count_attributes(node);
        let fold = Fold::new(label.hash(&self.names), self.attribute_sum);
        let span = Span::plain(start, start);
        // The column of hashes keeps the sum until the container closes, for `release_held`.
        let hash = self.attribute_sum;
        self.nodes.push(NewNode { label, parent: parent.node, end: 0, span, hash, weight: 1, attributes });
        self.attribute_sum = 0;
        self.outer.push(parent);
        self.inner = Open {
            node,
            children: 0,
            fold,
            held_from: self.held.len() as u32,
            solid: preserve || self.whitespace == Whitespace::Exact,
            preserve,
            unordered: label.kind() == Kind::Object,
        };
    }

    /// An element that has no children, or a text alone, all at once: most elements of data are so, and need not be
    /// opened and closed. `label_hash` is that of the label; the text comes with the hash of its value.
    #[inline(always)]
    pub(crate) fn leaf_element(&mut self, label: Label, label_hash: u64, span: Span, text: Option<(Span, u64)>) {
        let node = self.len() as u32;
        let parent = self.inner.node;
        let attributes = self.count_attributes(node);
        let mut fold = Fold::new(label_hash, self.attribute_sum);
        self.attribute_sum = 0;
        let element = NewNode { label, parent, end: node + 1, span, hash: 0, weight: 1, attributes };
        let hash = match text {
            None => {
                let hash = fold.finish(0);
                self.nodes.push(NewNode { hash, ..element });
                hash
            }
            Some((span, value_hash)) => {
                let text_hash = hash::leaf(self.text_hash, value_hash);
                fold.child(text_hash);
                let hash = fold.finish(1);
                self.nodes.push(NewNode { end: node + 2, hash, ..element });
                self.push_leaf(Label::of(Kind::Text), span, text_hash, node);
                hash
            }
        };
        self.add_child(hash);
    }

    #[inline(always)]
    fn count_attributes(&mut self, node: u32) -> u8 {
        let count = (self.attributes.len() - self.attributes_taken) as u32;
        self.attributes_taken = self.attributes.len();
        if count >= WideElement::COUNTED {
            let so_far = self.wide.last().map_or(0, |wide| wide.extra_so_far);
            self.wide.push(WideElement { node, extra_so_far: so_far + count - WideElement::COUNTED });
        }
        count.min(WideElement::COUNTED) as u8
    }

    /// Closes the innermost container; `end` is where it ends in the text.
    #[inline(always)]
    pub(crate) fn close(&mut self, end: u32) {
        let Some(outer) = self.outer.pop() else { return };
        let mut closed = std::mem::replace(&mut self.inner, outer);
        if self.held.len() as u32 > closed.held_from {
            let only = self.held[closed.held_from as usize];
            self.held.truncate(closed.held_from as usize);
            if closed.children == 0 && closed.node != 0 {
                closed.fold.child(self.settle_held(only));
                closed.children = 1;
            }
        }
        let hash = closed.fold.finish(closed.children);
        self.nodes.close(closed.node, end, hash);
        self.add_child(hash);
    }

    /// White space that is still held when its parent closes, and is an only child, is a node. Gives its hash.
    #[inline(never)]
    fn settle_held(&mut self, only: Held) -> u64 {
        let hash = hash::leaf(self.text_hash, only.hash);
        self.push_leaf(Label::of(Kind::Text), only.span, hash, only.parent);
        hash
    }

    /// A text. Parsers join what is adjacent before they give it.
    pub(crate) fn text(&mut self, run: TextRun) {
        self.keep_origin(run);
        self.plain_text(run.span, run.hash, run.is_blank);
    }

    /// A text without an origin. Its parts come one by one, since a struct of them would go through memory.
    #[inline(always)]
    pub(crate) fn plain_text(&mut self, span: Span, hash: u64, is_blank: bool) {
        let parent = &mut self.inner;
        let node = parent.node;
        if is_blank && !parent.solid {
            let before = self.len() as u32;
            self.held.push(Held { before, parent: node, span, hash });
            return;
        }
        if !parent.solid {
            parent.solid = true;
            if self.held.len() as u32 > parent.held_from {
                self.release_held();
            }
        }
        let hash = hash::leaf(self.text_hash, hash);
        self.push_leaf(Label::of(Kind::Text), span, hash, node);
        self.add_child(hash);
    }

    /// A text with other characters has come: the white space held for its parent is nodes, each at its place.
    #[inline(never)]
    fn release_held(&mut self) {
        let Open { node, held_from, .. } = self.inner;
        let released = self.held.split_off(held_from as usize);
        let len = self.len();
        let NodeColumns { labels, hashes, ends, .. } = self.nodes.columns();
        let mut fold = Fold::new(labels[node as usize].hash(&self.names), hashes[node as usize]);
        let mut children = 0;
        let mut waiting = released.iter().peekable();
        let mut child = node + 1;
        loop {
            while let Some(held) = waiting.next_if(|held| held.before == child) {
                fold.child(hash::leaf(self.text_hash, held.hash));
                children += 1;
            }
            if child as usize >= len {
                break;
            }
            fold.child(hashes[child as usize]);
            children += 1;
            child = ends[child as usize];
        }
        self.inner.fold = fold;
        self.inner.children = children;
        self.late.extend(released);
    }

    /// Any other leaf; `hash` is that of its value.
    #[inline(always)]
    pub(crate) fn leaf(&mut self, label: Label, run: TextRun) {
        let hash = hash::leaf(label.hash(&self.names), run.hash);
        let parent = self.inner.node;
        self.keep_origin(run);
        self.push_leaf(label, run.span, hash, parent);
        self.add_child(hash);
    }

    #[inline(always)]
    fn keep_origin(&mut self, run: TextRun) {
        let is_held = run.is_blank && !self.inner.solid;
        if let Some(span) = run.origin.filter(|_| !is_held) {
            self.origins.push(Origin { node: self.len() as u32, span });
        }
    }

    #[inline(always)]
    fn push_leaf(&mut self, label: Label, span: Span, hash: u64, parent: u32) {
        let end = self.len() as u32 + 1;
        self.nodes.push(NewNode { label, parent, end, span, hash, weight: own_weight(span), attributes: 0 });
    }

    #[inline(always)]
    fn add_child(&mut self, hash: u64) {
        let parent = &mut self.inner;
        parent.children += 1;
        if parent.unordered { parent.fold.member(hash) } else { parent.fold.child(hash) }
    }

    /// The same arrays for another document; the document node is open.
    pub(crate) fn restarted(mut self, whitespace: Whitespace) -> Self {
        self.names = Names::new();
        self.whitespace = whitespace;
        self.open(Label::of(Kind::Document), 0, None);
        self
    }

    /// Closes what is open and hands the document over.
    pub(crate) fn finish(mut self, parts: Parts) -> Document {
        self.hand_over(parts)
    }

    /// Closes what is open and hands the document over; the builder can be [`Builder::restarted`].
    pub(crate) fn hand_over(&mut self, parts: Parts) -> Document {
        while self.depth() > 0 {
            self.close(parts.source_len);
        }
        if !self.late.is_empty() {
            self.merge_late();
        }
        if let Some(doctype) = parts.doctype {
            let value = hash::bytes(&parts.text.as_bytes()[doctype.range()]);
            let root = &mut self.nodes.columns().hashes[0];
            *root = hash::mix(*root, value);
        }
        self.attributes_taken = 0;
        self.attribute_sum = 0;
        self.held.clear();
        let columns = self.nodes.columns();
        let document = Document {
            format: parts.format,
            encoding: parts.encoding,
            has_byte_order_mark: parts.has_byte_order_mark,
            original: parts.original,
            text: Text::Owned(parts.text),
            source_len: parts.source_len,
            names: self.names.take(),
            labels: taken(&mut columns.labels).into(),
            parents: taken(&mut columns.parents).into(),
            ends: taken(&mut columns.ends).into(),
            spans: taken(&mut columns.spans).into(),
            hashes: taken(&mut columns.hashes).into(),
            weights: taken(&mut columns.weights).into(),
            attribute_counts: taken(&mut columns.attribute_counts).into(),
            wide: taken(&mut self.wide).into(),
            attributes: taken(&mut self.attributes).into(),
            declarations: taken(&mut self.declarations).into(),
            origins: taken(&mut self.origins).into(),
            id_attributes: parts.id_attributes.into(),
            doctype: parts.doctype,
            places_of_kept: Default::default(),
        };
        self.nodes.clear();
        document
    }

    /// Puts the late white space where it belongs and moves every index behind it along.
    ///
    /// A late text is never the last child of its parent (the text that made it a node comes behind it), so no
    /// subtree ends at its place without containing it.
    #[cold]
    fn merge_late(&mut self) {
        let mut late = std::mem::take(&mut self.late);
        late.sort_unstable_by_key(|held| held.before);
        let shifts = shifts(&late, self.len());
        let moved = |index: u32| index + shifts[index as usize];

        let text = Label::of(Kind::Text);
        let text_hash = self.text_hash;
        let nodes = self.nodes.columns();
        nodes.labels = merged(&nodes.labels, &late, |&label| label, |_, _| text);
        nodes.parents = merged(&nodes.parents, &late, |&parent| moved(parent), |held, _| moved(held.parent));
        nodes.ends = merged(&nodes.ends, &late, |&end| end + shifts[end as usize - 1], |_, place| place + 1);
        nodes.spans = merged(&nodes.spans, &late, |&span| span, |held, _| held.span);
        nodes.hashes = merged(&nodes.hashes, &late, |&hash| hash, |held, _| hash::leaf(text_hash, held.hash));
        nodes.weights = merged(&nodes.weights, &late, |&own| own, |held, _| own_weight(held.span));
        nodes.attribute_counts = merged(&nodes.attribute_counts, &late, |&count| count, |_, _| 0);

        self.wide.iter_mut().for_each(|wide| wide.node = moved(wide.node));
        self.declarations.iter_mut().for_each(|declaration| declaration.node = moved(declaration.node));
        self.origins.iter_mut().for_each(|origin| origin.node = moved(origin.node));
    }
}

/// What a document has besides its nodes.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) format: Format,
    pub(crate) encoding: &'static encoding_rs::Encoding,
    pub(crate) has_byte_order_mark: bool,
    pub(crate) original: Option<bytes::Bytes>,
    pub(crate) text: String,
    pub(crate) source_len: u32,
    pub(crate) doctype: Option<Span>,
    pub(crate) id_attributes: Vec<[u32; 2]>,
}

/// How many late texts come before or at each node.
fn shifts(late: &[Held], nodes: usize) -> Vec<u32> {
    let mut waiting = late.iter().peekable();
    let mut shift = 0;
    (0..nodes as u32)
        .map(|node| {
            while waiting.next_if(|held| held.before == node).is_some() {
                shift += 1;
            }
            shift
        })
        .collect()
}

/// A column with the late texts among the old values; `made` gets each with its new place.
fn merged<T>(old: &[T], late: &[Held], kept: impl Fn(&T) -> T, made: impl Fn(&Held, u32) -> T) -> Vec<T> {
    let mut new = Vec::with_capacity(old.len() + late.len());
    let mut done = 0;
    for held in late {
        new.extend(old[done..held.before as usize].iter().map(&kept));
        done = held.before as usize;
        new.push(made(held, new.len() as u32));
    }
    new.extend(old[done..].iter().map(&kept));
    new
}

/// For the few attributes that a tag has, a call of the library's sort costs more than the sorting.
#[inline(always)]
fn insertion_sort<T: Copy, K: Ord>(values: &mut [T], key: impl Fn(&T) -> K) {
    for end in 1..values.len() {
        let value = values[end];
        let mut at = end;
        while at > 0 && key(&values[at - 1]) > key(&value) {
            values[at] = values[at - 1];
            at -= 1;
        }
        values[at] = value;
    }
}

/// The values of a column in memory that just holds them. Few are copied, so that their room can be used again.
fn taken<T: Copy>(values: &mut Vec<T>) -> Vec<T> {
    if values.len() <= FEW {
        let copied = values.as_slice().to_vec();
        values.clear();
        return copied;
    }
    let mut taken = std::mem::take(values);
    taken.shrink_to_fit();
    taken
}

/// So many values are copied sooner than memory is given back and asked for again.
const FEW: usize = 1024;

/// One for the node, and the logarithm of its length in the source for its value.
#[inline(always)]
fn own_weight(span: Span) -> u8 {
    let len = span.len();
    1 + (u32::BITS - len.leading_zeros()) as u8
}
