//! What is left of a document without some of its parts? A document of the nodes that stay, hashed as if the others had
//! never been.

use std::ops::Range;

use bytemuck::Pod;

use super::column::Column;
use super::hash::{self, Fold};
use super::{Attribute, Document, Kind, Node, NodeId, WideElement};

/// A document without some of its parts. It has no source of its own: its nodes have values and no places.
#[derive(Debug)]
pub(crate) struct Projection {
    pub(crate) document: Document,
    /// For every node that stays, its place in the whole document.
    kept: Vec<u32>,
    /// For every node of the whole document, how many stay before it.
    places: Vec<u32>,
    /// Whether something is missing in the subtree of a node that stays.
    is_touched: Vec<bool>,
}

impl Projection {
    /// The document without these subtrees, in document order and none in another, and without some attributes. The
    /// document node stays.
    pub(crate) fn new(
        whole: &Document,
        subtrees: &[Range<u32>],
        is_left_out: impl Fn(Node<'_>, Attribute<'_>) -> bool,
    ) -> Self {
        let (kept, places) = kept(whole, subtrees);
        let mut projection = Projection {
            document: without_nodes(whole, &kept, &places),
            is_touched: vec![false; kept.len()],
            kept,
            places,
        };
        for subtree in subtrees {
            let parent = whole.parents[subtree.start as usize];
            projection.is_touched[projection.places[parent as usize] as usize] = true;
        }
        projection.leave_out_attributes(whole, is_left_out);
        projection.hash_anew();
        projection
    }

    /// The node of the whole document.
    pub(crate) fn whole(&self, node: NodeId) -> NodeId {
        NodeId(self.kept[node.index()])
    }

    /// The node that stays of one of the whole document, if it does.
    pub(crate) fn part(&self, whole: NodeId) -> Option<NodeId> {
        let place = NodeId(self.places[whole.index()]);
        (self.kept.get(place.index()) == Some(&whole.0)).then_some(place)
    }

    /// Whether nothing is missing in a subtree.
    pub(crate) fn is_whole(&self, node: NodeId) -> bool {
        !self.is_touched[node.index()]
    }

    fn leave_out_attributes(&mut self, whole: &Document, is_left_out: impl Fn(Node<'_>, Attribute<'_>) -> bool) {
        let (mut counts, mut wide, mut attributes) = (Vec::with_capacity(self.kept.len()), Vec::new(), Vec::new());
        let mut extra_so_far = 0;
        for (place, &id) in self.kept.iter().enumerate() {
            let node = whole.node(NodeId(id));
            let first = attributes.len();
            let stays = |attribute: &Attribute<'_>| !is_left_out(node, *attribute);
            attributes.extend(node.attributes().filter(stays).map(|stays| whole.attributes[stays.index() as usize]));
            let count = (attributes.len() - first) as u32;
            self.is_touched[place] |= count < node.attribute_count();
            counts.push(count.min(WideElement::COUNTED) as u8);
            if count >= WideElement::COUNTED {
                extra_so_far += count - WideElement::COUNTED;
                wide.push(WideElement { node: place as u32, extra_so_far });
            }
        }
        self.document.attribute_counts = counts.into();
        self.document.wide = wide.into();
        self.document.attributes = attributes.into();
    }

    /// Hashes what something is missing in, children before their parents.
    fn hash_anew(&mut self) {
        let mut hashes = self.document.hashes.to_vec();
        for place in (0..hashes.len()).rev().filter(|&place| self.document.labels[place].kind().is_container()) {
            if !self.is_touched[place] {
                continue;
            }
            self.is_touched[self.document.parents[place] as usize] = true;
            hashes[place] = hash_of(self.document.node(NodeId(place as u32)), &hashes);
        }
        if let (true, Some(doctype)) = (self.is_touched[0], self.document.doctype()) {
            hashes[0] = hash::mix(hashes[0], hash::bytes(doctype.as_bytes()));
        }
        self.document.hashes = hashes.into();
    }
}

fn hash_of(node: Node<'_>, hashes: &[u64]) -> u64 {
    let mut fold = Fold::new(node.label().hash(node.document().names()), node.attributes_hash());
    let mut children = 0;
    for child in node.children() {
        let hash = hashes[child.id().index()];
        if node.kind() == Kind::Object {
            fold.member(hash)
        } else {
            fold.child(hash)
        }
        children += 1;
    }
    fold.finish(children)
}

/// The nodes that stay, and how many of them come before each node and before the end.
fn kept(whole: &Document, subtrees: &[Range<u32>]) -> (Vec<u32>, Vec<u32>) {
    let (mut kept, mut places) = (Vec::new(), Vec::with_capacity(whole.len() + 1));
    let mut waiting = subtrees.iter().peekable();
    for id in 0..whole.len() as u32 {
        places.push(kept.len() as u32);
        while waiting.next_if(|subtree| subtree.end <= id).is_some() {}
        if id == 0 || waiting.peek().is_none_or(|subtree| id < subtree.start) {
            kept.push(id);
        }
    }
    places.push(kept.len() as u32);
    (kept, places)
}

/// The document without the nodes that go; attributes and hashes are still those of the whole.
fn without_nodes(whole: &Document, kept: &[u32], places: &[u32]) -> Document {
    let placed = |column: &[u32]| kept.iter().map(|&id| places[column[id as usize] as usize]).collect::<Vec<u32>>();
    let place = |node: u32| (kept.get(places[node as usize] as usize) == Some(&node)).then(|| places[node as usize]);
    let mut declarations = whole.declarations.to_vec();
    declarations.retain_mut(|one| place(one.node).map(|place| one.node = place).is_some());
    let mut origins = whole.origins.to_vec();
    origins.retain_mut(|one| place(one.node).map(|place| one.node = place).is_some());
    Document {
        format: whole.format,
        encoding: whole.encoding,
        has_byte_order_mark: false,
        original: None,
        text: whole.text.clone(),
        // Whoever goes by the bytes of a source would see in it what is not here.
        source_len: 0,
        names: whole.names.clone(),
        labels: picked(&whole.labels, kept),
        parents: placed(&whole.parents).into(),
        ends: placed(&whole.ends).into(),
        spans: picked(&whole.spans, kept),
        hashes: picked(&whole.hashes, kept),
        weights: picked(&whole.weights.values, kept).to_vec().into(),
        attribute_counts: Vec::new().into(),
        wide: Vec::new().into(),
        attributes: Vec::new().into(),
        declarations: declarations.into(),
        origins: origins.into(),
        id_attributes: whole.id_attributes.to_vec().into(),
        doctype: whole.doctype,
        places_of_kept: Default::default(),
    }
}

fn picked<T: Pod>(values: &[T], kept: &[u32]) -> Column<T> {
    kept.iter().map(|&id| values[id as usize]).collect::<Vec<T>>().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::tree::Format;

    /// What is left hashes as a document that never had the rest.
    #[track_caller]
    fn check(format: Format, source: &str, left_out: &str, expected: &str) {
        let [whole, expected] =
            [source, expected].map(|source| parse::parse(source, format, &Default::default()).unwrap().document);
        let subtrees: Vec<Range<u32>> =
            whole.nodes().filter(|node| node.name().local == left_out).map(|node| node.id().0..node.end()).collect();
        let found = Projection::new(&whole, &subtrees, |_, attribute| attribute.name().local == left_out);
        assert!(found.document.root().same_content(expected.root()), "{source}");
        assert_eq!(found.document.hashes(), expected.hashes());
        assert_eq!(found.document.ends(), expected.ends());
        for node in found.document.nodes() {
            let whole_node = whole.node(found.whole(node.id()));
            assert_eq!(
                (node.kind(), node.name(), node.value()),
                (whole_node.kind(), whole_node.name(), whole_node.value())
            );
            assert_eq!(found.part(whole_node.id()), Some(node.id()));
            let is_whole = node.size() == whole_node.size()
                && node.attributes_below().len() == whole_node.attributes_below().len();
            assert_eq!(found.is_whole(node.id()), is_whole);
        }
        assert!(subtrees.iter().flat_map(Range::clone).all(|id| found.part(NodeId(id)).is_none()));
    }

    #[test]
    fn what_is_left_is_as_if_the_rest_had_never_been() {
        let xml = |source, expected| check(Format::Xml, source, "d", expected);
        xml("<a><b/></a>", "<a><b/></a>");
        xml("<a d='1' e='2'><d><x/></d><b>1<d/></b><c d=''/></a>", "<a e='2'><b>1</b><c/></a>");
        xml(
            "<!DOCTYPE a [<!ENTITY x 'y'>]><!--0--><a>&amp;<d>&x;</d><b>&x;</b></a>",
            "<!DOCTYPE a [<!ENTITY x 'y'>]><!--0--><a>&amp;<b>&x;</b></a>",
        );
        xml("<a xmlns:p='u'><d xmlns:p='v'><p:b/></d><p:b xmlns:q='w'/></a>", "<a xmlns:p='u'><p:b/></a>");
        let wide: String = (0..300).map(|n| format!(" a{n}='{n}'")).collect();
        xml(&format!("<a><d{wide}/><b{wide} d='1'/><c x='1'/></a>"), &format!("<a><b{wide}/><c x='1'/></a>"));
        check(Format::Json, r#"{"c":[1,{"d":2,"e":3}],"d":[4],"a":5}"#, "d", r#"{"c":[1,{"e":3}],"a":5}"#);
        check(Format::Html, "<p d=1>one<d>two</d><p>three", "d", "<p>one<p>three");
    }
}
