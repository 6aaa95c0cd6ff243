//! Are two nodes of different documents named alike? Names are numbered per document; this is the way between them.

use crate::tree::{Document, Format, Label, NameId, Node, StoredAttribute};

/// For every name of `after` its number in `before`.
pub(super) struct Labels {
    names: Vec<u32>,
    /// Equal bytes are equal content: no entity means one thing here and another there, and no node stands elsewhere in
    /// the source than in the tree.
    bytes_tell: bool,
    /// And all of both documents stands in their sources.
    bytes_stand: bool,
    /// And names are what they look like, since neither document has a namespace.
    bytes_name: bool,
    are_html: bool,
}

/// No name of `before`.
const UNKNOWN: u32 = u32::MAX;

impl Labels {
    pub(super) fn new(before: &Document, after: &Document) -> Self {
        let (known, names) = (before.names(), after.names());
        let common = known.common_start(names);
        let find = |id: usize| known.find_of(names, NameId(id as u32)).map_or(UNKNOWN, |id| id.0);
        let are_all = |format: Format| before.format() == format && after.format() == format;
        let bytes_tell = are_all(Format::Xml) && before.doctype() == after.doctype();
        Labels {
            names: (0..common as u32).chain((common..names.len()).map(find)).collect(),
            bytes_tell,
            bytes_stand: bytes_tell && before.stands_in_source() && after.stands_in_source(),
            bytes_name: known.are_plain() && names.are_plain(),
            are_html: are_all(Format::Html),
        }
    }

    fn name(&self, after: NameId) -> u32 {
        self.names[after.index()]
    }

    pub(super) fn are_alike(&self, before: Label, after: Label) -> bool {
        before.kind() == after.kind() && before.name().0 == self.name(after.name())
    }

    /// The label in `before` of a label of `after`.
    pub(super) fn before_of(&self, after: Label) -> Option<Label> {
        let name = self.name(after.name());
        (name != UNKNOWN).then(|| Label::new(after.kind(), NameId(name)))
    }

    /// What equal hashes promise, confirmed. Nearly all is equal to the byte, and then it is one comparison of memory.
    pub(super) fn are_same(&self, before: Node<'_>, after: Node<'_>) -> bool {
        fn bytes(node: Node<'_>, range: std::ops::Range<usize>) -> &[u8] {
            &node.document().source().as_bytes()[range]
        }
        if let (false, 1, 1) = (before.kind().is_container(), before.size(), after.size()) {
            return self.are_same_leaves(before, after);
        }
        if self.bytes_stand && self.bytes_name {
            return before.size() == after.size() && before.raw_value() == after.raw_value()
                || before.same_content(after);
        }
        if self.are_html {
            return before.size() == after.size() && self.are_same_pages(before, after);
        }
        before.size() == after.size()
            && match (before.source_range(), after.source_range()) {
                (Some(from), Some(to)) if self.bytes_tell => {
                    bytes(before, from) == bytes(after, to) && (self.bytes_name || self.are_named_alike(before, after))
                        || before.same_content(after)
                }
                _ => before.same_content(after),
            }
    }

    /// The same for pages, whose source says little of their tree: names by their numbers, and values, where not all is
    /// written alike, node by node, as they are written before they are decoded.
    fn are_same_pages(&self, before: Node<'_>, after: Node<'_>) -> bool {
        let attributes = [before.attributes_below(), after.attributes_below()];
        before.hash() == after.hash()
            && self.are_alike_throughout(before, after, attributes)
            && (before.is_written_like(after, attributes) || before.same_values(after))
    }

    fn are_named_alike(&self, before: Node<'_>, after: Node<'_>) -> bool {
        self.are_alike_throughout(before, after, [before.attributes_below(), after.attributes_below()])
    }

    /// Most of what is compared is texts.
    fn are_same_leaves(&self, before: Node<'_>, after: Node<'_>) -> bool {
        let are_written_alike = before.span().is_encoded() == after.span().is_encoded();
        self.are_alike(before.label(), after.label())
            && (self.bytes_tell && are_written_alike && before.raw_value() == after.raw_value()
                || before.value() == after.value())
    }

    /// Whether two subtrees of one shape have the same names throughout, those of their attributes included.
    fn are_alike_throughout(&self, before: Node<'_>, after: Node<'_>, attributes: [&[StoredAttribute]; 2]) -> bool {
        let range = |node: Node<'_>| node.id().index()..node.end() as usize;
        let labels = before.document().labels()[range(before)].iter().zip(&after.document().labels()[range(after)]);
        let mut alike = true;
        for (&before, &after) in labels {
            alike &= self.are_alike(before, after);
        }
        let [from, to] = attributes;
        alike
            && from.len() == to.len()
            && from.iter().zip(to).all(|(before, after)| before.name == self.name(NameId(after.name)))
    }
}
