//! Which entry of a definition list is which? A term with its definitions, by what the term says.
//!
//! Definitions of different terms are often alike (`none`, `9 to 5`), and where an entry came or went a matching of trees takes
//! one for another. A reader looks up the term.

use std::collections::HashMap;
use std::ops::Range;

use super::super::reading::Reading;
use super::details::named;
use crate::matching::Matching;
use crate::tree::{Node, NodeId};

/// The entries of lists in which something changed, on both sides, in their order.
#[derive(Debug, Default)]
pub struct Entries([Vec<Entry>; 2]);

/// A term with what follows it up to the next.
#[derive(Debug, Clone)]
pub struct Entry {
    nodes: Range<u32>,
    /// Where the nodes of the one begin that it is on the other side.
    partner: Option<u32>,
}

impl Entries {
    pub fn new(before: &Reading<'_>, after: &Reading<'_>, matching: &Matching) -> Self {
        let mut entries = Entries::default();
        let mut end = 0;
        for list in named(after.document(), "dl") {
            let old = matching.before_of(list.id()).filter(|_| !matching.is_same(list.id()));
            // What a list in a list says is compared as words of the outer one.
            if let Some(old) = old.filter(|_| list.id().0 >= end) {
                end = list.end();
                entries.push(before.document().node(old), list);
            }
        }
        entries.0.iter_mut().for_each(|side| side.sort_by_key(|entry| entry.nodes.start));
        entries
    }

    /// Adds the entries of two lists; those whose term each has once are the same.
    fn push(&mut self, before: Node<'_>, after: Node<'_>) {
        let [old, new] = [before, after].map(of_list);
        let [known, others] = [&old, &new].map(|entries| once(entries));
        let partner = |term: &str, others: &HashMap<&str, Option<u32>>, own: &HashMap<&str, Option<u32>>| {
            own.get(term).copied().flatten().and(others.get(term).copied().flatten())
        };
        for (side, own, own_terms, other_terms) in [(0, &old, &known, &others), (1, &new, &others, &known)] {
            let entries = own
                .iter()
                .map(|(term, nodes)| Entry { nodes: nodes.clone(), partner: partner(term, other_terms, own_terms) });
            self.0[side].extend(entries);
        }
    }

    /// The entry of one side that a node is in.
    pub fn of(&self, side: usize, node: NodeId) -> Option<&Entry> {
        let behind = self.0[side].partition_point(|entry| entry.nodes.start <= node.0);
        self.0[side][..behind].last().filter(|entry| node.0 < entry.nodes.end)
    }

    /// Whether what is in the one block may be compared with what is in the other.
    pub fn may_pair(&self, before: NodeId, after: NodeId) -> bool {
        may_pair(self.of(0, before), self.of(1, after))
    }

    /// The nodes of the entries that are the same on both sides, in the order of `after`.
    pub fn pairs(&self) -> impl Iterator<Item = [Range<u32>; 2]> {
        self.0[1].iter().filter_map(|entry| {
            let partner = self.of(0, NodeId(entry.partner?))?;
            Some([partner.nodes.clone(), entry.nodes.clone()])
        })
    }
}

/// Whether what is in one entry may be compared with what is in another: an entry with a partner has no other one.
pub fn may_pair(before: Option<&Entry>, after: Option<&Entry>) -> bool {
    match (before, after) {
        (Some(before), Some(after)) => before.partner.is_none() && after.partner.is_none() || are_pair(before, after),
        _ => true,
    }
}

/// Whether two entries are the same.
pub fn are_pair(before: &Entry, after: &Entry) -> bool {
    before.partner == Some(after.nodes.start)
}

/// The entries of a list, by their terms: what the first says of those that stand together.
fn of_list(list: Node<'_>) -> Vec<(String, Range<u32>)> {
    let mut entries: Vec<(String, Range<u32>)> = Vec::new();
    let mut is_behind_term = false;
    let is_group = |child: &Node<'_>| child.is_element() && child.name().local == "div";
    let children = list.children().flat_map(|child| {
        let below = Some(child).filter(is_group).into_iter().flat_map(Node::children);
        std::iter::once(child).chain(below)
    });
    for child in children.filter(|child| child.is_element()) {
        let is_term = child.name().local == "dt";
        if is_term && !is_behind_term {
            if let Some((_, last)) = entries.last_mut() {
                last.end = child.id().0;
            }
            let said = child.string_value().split_whitespace().collect::<Vec<_>>().join(" ");
            entries.push((said, child.id().0..list.end()));
        }
        is_behind_term = is_term;
    }
    entries
}

/// Where the entries begin whose terms are there once.
fn once(entries: &[(String, Range<u32>)]) -> HashMap<&str, Option<u32>> {
    let mut once: HashMap<&str, Option<u32>> = HashMap::with_capacity(entries.len());
    for (term, nodes) in entries.iter().filter(|(term, _)| !term.is_empty()) {
        once.entry(term).and_modify(|place| *place = None).or_insert(Some(nodes.start));
    }
    once
}
