//! Who is who, where some of both documents does not count? The rest is matched as if it were all there is.
//!
//! Leaving changes out of a delta is not enough: what differs in ignored parts would make strangers of nodes that are the
//! same in all that counts. So every matcher gets the two documents without the ignored parts
//! ([`Projection`]), hashed anew, and what it finds is said of the whole ones. Ignored parts become pairs afterwards, where
//! that can make nothing move: between siblings that are pairs, in order, with what is called the same.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::{Matching, Options};
use crate::select::Selected;
use crate::tree::{Document, Kind, Name, Node, NodeId, Projection};

/// Matches two documents as if what is selected in them, attributes and nodes with all below them, were not there.
///
/// ```
/// use treediff::matching::{self, Algorithm};
/// use treediff::{parse, select};
///
/// let [before, after] = ["<r><i at='1'>a</i><i at='2'>b</i></r>", "<r><i at='2'>a</i><i at='1'>b</i></r>"]
///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| parsed.document));
/// let (before, after) = (before?, after?);
/// let times = [select::xpath(&before, "//@at")?.into_nodes(), select::xpath(&after, "//@at")?.into_nodes()];
/// let matching = matching::ignoring(&before, &after, [&times[0], &times[1]], &Default::default(), |before, after, options| {
///     Ok::<_, std::convert::Infallible>(Algorithm::default().matching(before, after, options))
/// })?;
/// assert!(matching.pairs().all(|(before, after)| before == after));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the matcher.
pub fn ignoring<E>(
    before: &Document,
    after: &Document,
    ignored: [&[Selected<'_>]; 2],
    options: &Options,
    matcher: impl FnOnce(&Document, &Document, &Options) -> Result<Matching, E>,
) -> Result<Matching, E> {
    let [in_before, in_after] = ignored.map(Parts::new);
    if in_before.is_empty() && in_after.is_empty() {
        return matcher(before, after, options);
    }
    let counting = [in_before.left_out_of(before), in_after.left_out_of(after)];
    let [from, to] = &counting;
    let pairs = options.pairs.iter().filter_map(|&(before, after)| Some((from.part(before)?, to.part(after)?)));
    let options = Options { pairs: pairs.collect(), ..options.clone() };
    let found = matcher(&from.document, &to.document, &options)?;
    let mut matching = of_whole(&found, [before, after], &counting);
    pair_ignored(&mut matching, [before, after], [&in_before, &in_after]);
    Ok(matching)
}

/// What was found of the nodes that count, said of the whole documents.
fn of_whole(found: &Matching, [before, after]: [&Document; 2], [from, to]: &[Projection; 2]) -> Matching {
    let mut matching = Matching::new(before, after);
    matching.add_notes(found.notes());
    for (one, other) in found.pairs().filter(|(one, _)| *one != NodeId::DOCUMENT) {
        let (whole_one, whole_other) = (from.whole(one), to.whole(other));
        if found.is_same(other) && from.is_whole(one) && to.is_whole(other) {
            matching.pair_same(whole_one, whole_other, before.node(whole_one).size());
        } else if matching.after_of(whole_one).is_none() {
            matching.pair(whole_one, whole_other);
        }
    }
    matching
}

/// Pairs what is ignored on either side.
fn pair_ignored(matching: &mut Matching, [before, after]: [&Document; 2], [from, to]: [&Parts<'_>; 2]) {
    let above = |document: &Document, parts: &Parts<'_>| -> Vec<NodeId> {
        let parents = parts.subtrees.iter().map(|subtree| NodeId(document.parents()[subtree.start as usize]));
        parents.collect()
    };
    let mut parents: Vec<(NodeId, NodeId)> = Vec::new();
    parents.extend(above(before, from).into_iter().filter_map(|one| Some((one, matching.after_of(one)?))));
    parents.extend(above(after, to).into_iter().filter_map(|other| Some((matching.before_of(other)?, other))));
    parents.sort_unstable();
    parents.dedup();
    while let Some((one, other)) = parents.pop() {
        let (one, other) = (before.node(one), after.node(other));
        for (from_child, to_child) in alike_in_gaps(matching, one, other) {
            if !from.has(Some(from_child)) && !to.has(Some(to_child)) {
                continue;
            }
            matching.pair(from_child.id(), to_child.id());
            parents.push((from_child.id(), to_child.id()));
        }
    }
}

/// Children without partners that are called the same, in one order, between the same pairs of children.
fn alike_in_gaps<'d>(matching: &Matching, before: Node<'d>, after: Node<'d>) -> Vec<(Node<'d>, Node<'d>)> {
    // What each child after is called that has no partner, and where these stand.
    let mut places: HashMap<(Kind, Name<'d>), Vec<(u32, Node<'d>)>> = HashMap::new();
    let mut anchors: HashMap<NodeId, u32> = HashMap::new();
    for (place, child) in (1..).zip(after.children()) {
        match matching.before_of(child.id()) {
            None => places.entry((child.kind(), child.name())).or_default().push((place, child)),
            Some(_) => _ = anchors.insert(child.id(), place),
        }
    }
    let mut alike = Vec::new();
    let mut gap: Vec<Node<'d>> = Vec::new();
    let mut last = 0;
    let mut close = |gap: &mut Vec<Node<'d>>, from: u32, to: u32| {
        let mut last = from;
        for child in gap.drain(..) {
            let Some(named) = places.get(&(child.kind(), child.name())) else { continue };
            let next = named.get(named.partition_point(|(place, _)| *place <= last));
            if let Some(&(place, other)) = next.filter(|(place, _)| *place < to) {
                alike.push((child, other));
                last = place;
            }
        }
    };
    for child in before.children() {
        match matching.after_of(child.id()) {
            None => gap.push(child),
            Some(partner) => {
                if let Some(&place) = anchors.get(&partner).filter(|&&place| place > last) {
                    close(&mut gap, last, place);
                    last = place;
                }
            }
        }
    }
    close(&mut gap, last, u32::MAX);
    alike
}

/// What is ignored in one version.
pub(crate) struct Parts<'s> {
    /// Subtrees, none in another, in document order.
    subtrees: Vec<Range<u32>>,
    attributes: HashSet<(NodeId, &'s str, &'s str)>,
}

impl<'s> Parts<'s> {
    pub(crate) fn new(selected: &'s [Selected<'_>]) -> Self {
        let mut parts = Parts { subtrees: Vec::new(), attributes: HashSet::new() };
        for one in selected {
            match one {
                Selected::Node(node) => parts.subtrees.push(node.id().0..node.end()),
                Selected::Attribute { owner, attribute } => {
                    let name = attribute.name();
                    parts.attributes.insert((owner.id(), name.namespace, name.local));
                }
                Selected::Namespace { .. } => {}
            }
        }
        parts.subtrees.sort_by_key(|subtree| (subtree.start, std::cmp::Reverse(subtree.end)));
        let mut end = 0;
        parts.subtrees.retain(|subtree| {
            let is_outermost = subtree.start >= end;
            end = end.max(subtree.end);
            is_outermost
        });
        parts
    }

    fn is_empty(&self) -> bool {
        self.subtrees.is_empty() && self.attributes.is_empty()
    }

    /// The document without them.
    fn left_out_of(&self, document: &Document) -> Projection {
        Projection::new(document, &self.subtrees, |owner, attribute| {
            let name = attribute.name();
            self.has_attribute(Some(owner), (name.namespace, name.local))
        })
    }

    pub(crate) fn has(&self, node: Option<Node<'_>>) -> bool {
        let Some(node) = node else { return false };
        let behind = self.subtrees.partition_point(|subtree| subtree.start <= node.id().0);
        behind.checked_sub(1).is_some_and(|at| node.id().0 < self.subtrees[at].end)
    }

    pub(crate) fn has_attribute(&self, node: Option<Node<'_>>, (namespace, local): (&str, &str)) -> bool {
        node.is_some_and(|node| self.attributes.contains(&(node.id(), namespace, local)))
    }
}

#[cfg(test)]
mod tests;
