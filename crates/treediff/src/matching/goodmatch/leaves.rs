//! What is known of a leaf? Its words, the attributes of its element, and the way to it.
//!
//! Leaves are what a reader sees: texts, values of JSON, elements without children such as images. What a page does not
//! show is left out: comments, processing instructions, scripts and styles, white space alone.

use std::collections::HashMap;

use super::criterion::shared;
use crate::text;
use crate::tree::hash::{self, ByHash};
use crate::tree::{Document, Format, HTML_NAMESPACE, Kind, Label, Node, NodeId};

/// Of leaves with more words than this, a sample of so many is compared.
pub(super) const SAMPLE: usize = 512;

/// So many steps of the way to a leaf are looked at, from the leaf upwards.
const STEPS: u32 = 64;

/// Elements of HTML whose content a page does not show.
const NOT_SHOWN: [&str; 4] = ["script", "style", "template", "noscript"];

/// Whether a node has nothing below it and is more than markup.
fn is_leaf(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Comment | Kind::ProcessingInstruction | Kind::Reference | Kind::Document => false,
        Kind::Text => !node.raw_value().iter().all(u8::is_ascii_whitespace),
        _ => node.size() == 1,
    }
}

/// The leaves among nodes in document order that are free, without those that are not shown.
pub(super) fn weighed<'d>(nodes: impl Iterator<Item = Node<'d>>, is_free: impl Fn(Node<'d>) -> bool) -> Vec<NodeId> {
    let mut hidden_up_to = 0;
    let mut found = Vec::new();
    for node in nodes {
        if node.id().0 < hidden_up_to {
            continue;
        }
        if is_hidden(node) {
            hidden_up_to = node.end();
        } else if is_leaf(node) && is_free(node) {
            found.push(node.id());
        }
    }
    found
}

fn is_hidden(node: Node<'_>) -> bool {
    node.is_element()
        && node.document().format() == Format::Html
        && node.name().namespace == HTML_NAMESPACE
        && NOT_SHOWN.contains(&node.name().local)
}

/// Leaves of one document, and what is compared of them.
pub(in crate::matching) struct Leaves<'d> {
    document: &'d Document,
    ids: Vec<NodeId>,
    words: Lists,
    attributes: Lists,
    /// The step to every node on a way to a leaf; 0 elsewhere.
    steps: Vec<u64>,
    /// The lengths of the ways.
    depths: Vec<u32>,
}

impl<'d> Leaves<'d> {
    /// What is known of these leaves. `pair_of` gives pairs that are known already, by one number for both; where order means
    /// nothing, siblings of one name have one number.
    pub(in crate::matching) fn new(
        document: &'d Document,
        ids: Vec<NodeId>,
        unordered: bool,
        pair_of: impl Fn(NodeId) -> Option<NodeId>,
    ) -> Self {
        let nodes = || ids.iter().map(|&id| document.node(id));
        let words = nodes().map(words_of).collect();
        let attributes = nodes().map(attributes_of).collect();
        let steps = steps(document, &ids, unordered, pair_of);
        let depth = |node: Node<'_>| node.ancestors().take(STEPS as usize).count() as u32;
        let depths = nodes().map(depth).collect();
        Leaves { document, words, attributes, steps, depths, ids }
    }

    pub(in crate::matching) fn ids(&self) -> &[NodeId] {
        &self.ids
    }

    pub(super) fn node(&self, at: usize) -> Node<'d> {
        self.document.node(self.ids[at])
    }

    pub(super) fn words(&self, at: usize) -> &[u64] {
        self.words.get(at)
    }

    pub(super) fn attributes(&self, at: usize) -> &[u64] {
        self.attributes.get(at)
    }

    /// How many steps of the ways to two leaves are equal, from the leaves upwards, of the longer way. The way of a child
    /// of the document has one step, and the document itself is none.
    pub(super) fn equal_steps(&self, at: usize, other: &Leaves<'_>, other_at: usize) -> (u32, u32) {
        let longer = self.depths[at].max(other.depths[other_at]);
        let shorter = self.depths[at].min(other.depths[other_at]);
        let (mut here, mut there) = (self.ids[at].0, other.ids[other_at].0);
        let mut equal = 0;
        while equal < shorter && self.steps[here as usize] == other.steps[there as usize] {
            equal += 1;
            (here, there) = (self.document.parents()[here as usize], other.document.parents()[there as usize]);
        }
        (equal, longer)
    }

    /// The names on the way from the document to a leaf, as one number.
    pub(super) fn names_above(&self, at: usize) -> u64 {
        let node = self.node(at);
        let names = node.ancestors().take(STEPS as usize).map(|above| label_hash(self.document, above.label()));
        names.fold(label_hash(self.document, node.label()), hash::mix)
    }
}

/// Numbers in order, list behind list.
#[derive(Default)]
struct Lists {
    ends: Vec<u32>,
    all: Vec<u64>,
}

impl Lists {
    fn get(&self, at: usize) -> &[u64] {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.all[start as usize..self.ends[at] as usize]
    }
}

impl FromIterator<Vec<u64>> for Lists {
    fn from_iter<I: IntoIterator<Item = Vec<u64>>>(lists: I) -> Self {
        let mut whole = Lists::default();
        for list in lists {
            whole.all.extend(list);
            whole.ends.push(whole.all.len() as u32);
        }
        whole
    }
}

/// The words of a leaf, each with the number of its occurrence, so that sets of them are as good as multisets; in order,
/// and of very many those with the least hashes, which is a fair sample.
fn words_of(leaf: Node<'_>) -> Vec<u64> {
    let value = leaf.value();
    let mut words: Vec<u64> = words(&value).map(|word| hash::bytes(word.as_bytes())).collect();
    words.sort_unstable();
    number_occurrences(&mut words);
    words.sort_unstable();
    words.truncate(SAMPLE);
    words
}

/// What has letters or digits; where nothing has, all that is not white space.
fn words(value: &str) -> impl Iterator<Item = &str> {
    let is_word = |token: &str| token.chars().next().is_some_and(char::is_alphanumeric);
    let has_words = value.chars().any(char::is_alphanumeric);
    text::tokens(value).filter(move |token| if has_words { is_word(token) } else { !token.trim().is_empty() })
}

/// Whether a leaf has so many words.
pub(super) fn has_words(leaf: Node<'_>, count: usize) -> bool {
    words(&leaf.value()).take(count).count() == count
}

fn number_occurrences(sorted: &mut [u64]) {
    let (mut last, mut occurrence) = (None, 0);
    for word in sorted {
        occurrence = if last == Some(*word) { occurrence + 1 } else { 0 };
        last = Some(*word);
        *word = hash::mix(*word, occurrence);
    }
}

/// Name and value of each attribute of the leaf's element: itself, or its parent.
fn attributes_of(leaf: Node<'_>) -> Vec<u64> {
    let element = if leaf.is_element() { Some(leaf) } else { leaf.parent() };
    let attributes = element.into_iter().flat_map(|element| element.attributes());
    let names = leaf.document().names();
    let mut found: Vec<u64> = attributes
        .map(|attribute| hash::mix(names.hash(attribute.name_id()), hash::bytes(attribute.value().as_bytes())))
        .collect();
    found.sort_unstable();
    found.truncate(SAMPLE);
    found
}

fn label_hash(document: &Document, label: Label) -> u64 {
    label.hash(document.names())
}

/// The steps of all ways to the leaves. Children of a parent are numbered once, all of them together.
fn steps(
    document: &Document,
    leaves: &[NodeId],
    unordered: bool,
    pair_of: impl Fn(NodeId) -> Option<NodeId>,
) -> Vec<u64> {
    let mut steps = vec![0u64; document.len()];
    for &leaf in leaves {
        let mut child = document.node(leaf);
        while let Some(parent) = child.parent()
            && steps[child.id().index()] == 0
        {
            number_children(parent, &mut steps, unordered, &pair_of);
            child = parent;
        }
    }
    steps
}

/// A step is the pair that a node is in; or its name, the last pair before it among its siblings, and its number since then
/// among those of its name. So nothing gets another index because something came in before what is known to be the same.
fn number_children(parent: Node<'_>, steps: &mut [u64], unordered: bool, pair_of: &impl Fn(NodeId) -> Option<NodeId>) {
    let mut numbers: ByHash<u32, u64> = ByHash::default();
    let mut last_pair = 0;
    for child in parent.children() {
        let label = label_hash(parent.document(), child.label());
        let step = match pair_of(child.id()) {
            Some(NodeId(pair)) => {
                if !unordered {
                    last_pair = u64::from(pair) + 1;
                    numbers.clear();
                }
                hash::mix(label, u64::from(pair) << 32 | 1)
            }
            None => {
                let number = numbers.entry(child.label().name().0 << 4 | child.kind() as u32).or_insert(0);
                let place = last_pair << 32 | *number << 1;
                *number += u64::from(!unordered);
                hash::mix(label, place)
            }
        };
        // Never 0, which stands for what has no step.
        steps[child.id().index()] = step | 1;
    }
}

/// Words and attributes of leaves, found when they are asked for.
pub(in crate::matching) struct Words<'d> {
    document: &'d Document,
    words: HashMap<NodeId, Vec<u64>>,
    attributes: HashMap<NodeId, Vec<u64>>,
}

impl<'d> Words<'d> {
    pub(in crate::matching) fn new(document: &'d Document) -> Self {
        Words { document, words: HashMap::new(), attributes: HashMap::new() }
    }

    /// P_con of two leaves; 1 where neither has words.
    pub(in crate::matching) fn shared_words(&mut self, leaf: NodeId, other: &mut Words<'_>, other_leaf: NodeId) -> f64 {
        shared(self.words(leaf), other.words(other_leaf)).unwrap_or(1.0)
    }

    /// P_att of two elements; 1 where neither has attributes.
    pub(in crate::matching) fn shared_attributes(
        &mut self,
        element: NodeId,
        other: &mut Words<'_>,
        other_element: NodeId,
    ) -> f64 {
        shared(self.attributes(element), other.attributes(other_element)).unwrap_or(1.0)
    }

    fn words(&mut self, leaf: NodeId) -> &[u64] {
        self.words.entry(leaf).or_insert_with(|| words_of(self.document.node(leaf)))
    }

    fn attributes(&mut self, element: NodeId) -> &[u64] {
        self.attributes.entry(element).or_insert_with(|| attributes_of(self.document.node(element)))
    }
}
