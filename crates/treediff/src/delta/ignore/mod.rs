//! What counts? A delta without the changes in parts that somebody ignores, which still leads from one version to another.
//!
//! Leaving out operations is not enough: positions of what is inserted count what was to be there, and hash and XIDs
//! are those of a version that will not come to be. So positions are counted anew under the parents where something is
//! left out ([`positions`]), and the delta is applied to see what it leads to: the version after, but with the ignored
//! parts as they were before.
//!
//! Changes of values can nearly always be left out. What is inserted, deleted or moved can be where nothing else relies on
//! it; where the rest cannot be applied without it, all of that kind stays. A document has one root: one goes and another
//! comes together, or neither does.

mod positions;
mod unordered;

pub use unordered::Unordered;

use std::collections::HashMap;
use std::sync::Arc;

use super::{ApplyError, ApplyOptions, Delta, Operation, Xid, document_hash, find};
use crate::matching::Parts;
use crate::select::Selected;
use crate::tree::{Document, Kind, Node, NodeId};

/// A delta without what is ignored.
#[derive(Debug, Clone)]
pub struct Ignoring {
    /// The delta.
    pub delta: Delta,
    /// The version that it leads to: the version after, with the ignored parts as they were before.
    pub after: Arc<Document>,
}

impl Delta {
    /// The delta without the changes of what is selected in the version before and in the version after: attributes, and
    /// nodes with all below them. [`crate::matching::ignoring`] is for the matching that the delta is made of.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use treediff::delta::{Delta, Options};
    /// use treediff::{matching, parse, select};
    ///
    /// let [before, after] = ["<a><b>1</b><at>8:00</at></a>", "<a><b>2</b><at>9:00</at></a>"]
    ///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document)));
    /// let (before, after) = (before?, after?);
    /// let matching = matching::auto(&before, &after, &Default::default());
    /// let delta = Delta::between(&before, &after, &matching, &Options::default())?;
    /// let times = [select::xpath(&before, "//at")?.into_nodes(), select::xpath(&after, "//at")?.into_nodes()];
    /// let ignoring = delta.ignoring(&before, &after, [&times[0], &times[1]], &Default::default())?;
    /// assert_eq!(ignoring.delta.operations().len(), 1);
    /// assert_eq!(ignoring.after.source(), "<a><b>2</b><at>8:00</at></a>");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The version that it leads to is read as the options have it: what is not well-formed is one only where the documents
    /// were read with `recover` themselves. Whether to `force` is of no matter.
    ///
    /// # Errors
    /// Where the delta is not of these documents, or the version that it leads to exceeds a limit.
    pub fn ignoring(
        &self,
        before: &Document,
        after: &Arc<Document>,
        ignored: [&[Selected<'_>]; 2],
        options: &ApplyOptions,
    ) -> Result<Ignoring, ApplyError> {
        let sides = Sides::new(self, before, after);
        let drops = sides.drops(self, ignored);
        if !drops.contains(&true) {
            return Ok(Ignoring { delta: self.clone(), after: Arc::clone(after) });
        }
        let without = |drops: &[bool]| settled(self, positions::without(self, &sides, drops), before, options);
        let of_values = |(drop, operation): (&bool, &Operation)| *drop && is_of_value(operation);
        without(&drops)
            .or_else(|_| without(&drops.iter().zip(&self.operations).map(of_values).collect::<Vec<_>>()))
            // A value may refer to an entity that the other version no longer declares.
            .or_else(|_| without(&vec![false; drops.len()]))
    }
}

impl Delta {
    /// The delta without the change of the document type declaration, which few other formats have words for. It leads to the
    /// version after with the declaration of the version before, which is read as the options have it.
    ///
    /// # Errors
    /// Where the delta is not of these documents, or the version after cannot do without its declaration.
    pub fn ignoring_doctype(
        &self,
        before: &Document,
        after: &Arc<Document>,
        options: &ApplyOptions,
    ) -> Result<Ignoring, ApplyError> {
        let is_left = |operation: &&Operation| !matches!(operation, Operation::Doctype { .. });
        let left: Vec<Operation> = self.operations.iter().filter(is_left).cloned().collect();
        if left.len() == self.operations.len() {
            return Ok(Ignoring { delta: self.clone(), after: Arc::clone(after) });
        }
        settled(self, left, before, options)
    }
}

/// The delta of these operations, once it is seen what they lead to.
fn settled(
    delta: &Delta,
    operations: Vec<Operation>,
    before: &Document,
    options: &ApplyOptions,
) -> Result<Ignoring, ApplyError> {
    // Where it leads is not known yet; from another version nobody expects it to be.
    let unknown = Delta { operations, from_hash: !document_hash(before), ..delta.clone() };
    let patched = unknown.apply(before, &ApplyOptions { force: true, ..options.clone() })?;
    let after = Arc::new(patched.document.with_sorted_members());
    let delta = Delta { from_hash: delta.from_hash, to_hash: document_hash(&after), to_xids: patched.xids, ..unknown };
    Ok(Ignoring { delta, after })
}

fn is_of_value(operation: &Operation) -> bool {
    matches!(operation, Operation::Update { .. } | Operation::Attribute { .. })
}

/// The two documents, and the nodes of both that the operations speak of.
struct Sides<'d> {
    before: &'d Document,
    after: &'d Document,
    in_before: HashMap<Xid, NodeId>,
    in_after: HashMap<Xid, NodeId>,
}

impl<'d> Sides<'d> {
    fn new(delta: &Delta, before: &'d Document, after: &'d Document) -> Self {
        let spoken_of = || delta.operations.iter().flat_map(spoken_of);
        let in_before = find::nodes(before, &delta.from_xids, spoken_of());
        let in_after = find::nodes(after, &delta.to_xids, spoken_of());
        Sides { before, after, in_before, in_after }
    }

    fn before(&self, xid: Xid) -> Option<Node<'d>> {
        self.in_before.get(&xid).map(|&id| self.before.node(id))
    }

    fn after(&self, xid: Xid) -> Option<Node<'d>> {
        self.in_after.get(&xid).map(|&id| self.after.node(id))
    }

    /// Which of the operations are to be left out.
    fn drops(&self, delta: &Delta, ignored: [&[Selected<'_>]; 2]) -> Vec<bool> {
        let [in_before, in_after] = ignored.map(Parts::new);
        let is_dropped = |operation: &Operation| {
            let xid = operation.node();
            let (was, is) = (self.before(xid), self.after(xid));
            let (was_ignored, is_ignored) = (in_before.has(was), in_after.has(is));
            match operation {
                Operation::Delete { .. } => was_ignored,
                Operation::Insert { .. } => is_ignored,
                // What comes from a part that counts, or goes to one, counts.
                Operation::Move { from, .. } => was_ignored && is_ignored && self.after(from.parent).is_some(),
                Operation::Update { .. } => was_ignored || is_ignored,
                Operation::Attribute { name, .. } => {
                    let name = (name.namespace.as_str(), name.local.as_str());
                    was_ignored || is_ignored || in_before.has_attribute(was, name) || in_after.has_attribute(is, name)
                }
                Operation::Doctype { .. } => false,
            }
        };
        let mut drops: Vec<bool> = delta.operations.iter().map(is_dropped).collect();
        keep_what_others_move_to(delta, &mut drops);
        if self.keep_both_of_roots(delta, &mut drops) {
            keep_what_others_move_to(delta, &mut drops);
        }
        drops
    }

    /// The root that goes and the one that comes in its place are left out together or not at all: a document has one.
    /// Whether something else stays for it now.
    fn keep_both_of_roots(&self, delta: &Delta, drops: &mut [bool]) -> bool {
        let [Some(was), Some(is)] = [self.before, self.after].map(only_root) else { return false };
        let changes_root = |operation: &Operation| {
            let xid = operation.node();
            let goes = is_removal(operation) && self.in_before.get(&xid) == Some(&was);
            goes || is_addition(operation) && self.in_after.get(&xid) == Some(&is)
        };
        let changes = delta.operations.iter().enumerate().filter(|(_, operation)| changes_root(operation));
        let changes: Vec<usize> = changes.map(|(at, _)| at).collect();
        let is_kept = changes.iter().any(|&at| !drops[at]);
        let is_torn = is_kept && changes.iter().any(|&at| drops[at]);
        changes.into_iter().filter(|_| is_torn).for_each(|at| drops[at] = false);
        is_torn
    }
}

/// The root, if there is one and no other: what recovery read may have none or several.
fn only_root(document: &Document) -> Option<NodeId> {
    let is_root = |child: &Node<'_>| !matches!(child.kind(), Kind::Comment | Kind::ProcessingInstruction);
    let mut roots = document.root().children().filter(is_root);
    roots.next().filter(|_| roots.next().is_none()).map(Node::id)
}

/// Whether it takes something from where it is before.
fn is_removal(operation: &Operation) -> bool {
    matches!(operation, Operation::Delete { .. } | Operation::Move { .. })
}

/// Whether it brings something to where it is after.
fn is_addition(operation: &Operation) -> bool {
    matches!(operation, Operation::Insert { .. } | Operation::Move { .. })
}

/// What is new and gets something that moves there has to come.
fn keep_what_others_move_to(delta: &Delta, drops: &mut [bool]) {
    let mut runs: Vec<(Xid, Xid, usize)> = Vec::new();
    for (at, operation) in delta.operations.iter().enumerate() {
        if let Operation::Insert { xids, .. } = operation
            && drops[at]
        {
            runs.extend(xids.runs().map(|(first, last)| (first, last, at)));
        }
    }
    runs.sort_unstable();
    for at in 0..drops.len() {
        if let (Operation::Move { to, .. }, false) = (&delta.operations[at], drops[at]) {
            let behind = runs.partition_point(|&(first, ..)| first <= to.parent);
            if let Some(&(_, last, insert)) = behind.checked_sub(1).and_then(|run| runs.get(run))
                && to.parent <= last
            {
                drops[insert] = false;
            }
        }
    }
}

fn spoken_of(operation: &Operation) -> impl Iterator<Item = Xid> {
    let places = match operation {
        Operation::Delete { place, .. } | Operation::Insert { place, .. } => [Some(place.parent), None],
        Operation::Move { from, to, .. } => [Some(from.parent), Some(to.parent)],
        _ => [None, None],
    };
    std::iter::once(operation.node()).chain(places.into_iter().flatten())
}

#[cfg(test)]
mod tests;
