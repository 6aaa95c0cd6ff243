//! What changed, if the order of siblings means nothing? The delta without moves from one place to another of one parent.
//!
//! The version that it leads to is the one after, but siblings that were there before stand as they stood; what is new
//! among them stands where it does in the version after, counted from those that no move speaks of. In mixed content order
//! always means something, and its moves stay.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{Ignoring, Sides, positions, settled};
use crate::delta::{ApplyError, ApplyOptions, Delta, Operation, Xid};
use crate::matching::{Fallback, Notes, ORDER_COUNTS, order_counts};
use crate::tree::{Document, Kind, Node, is_blank};

/// A delta without changes of order.
#[derive(Debug, Clone)]
pub struct Unordered {
    /// The delta.
    pub delta: Delta,
    /// The version that it leads to: the version after, with siblings in the order before.
    pub after: Arc<Document>,
    /// Where order was kept, and why.
    pub notes: Notes,
}

impl Delta {
    /// The delta without moves within one parent, but where the order of siblings means something all the same: in mixed
    /// content, which is noted.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use treediff::delta::{Delta, Options};
    /// use treediff::matching::{self, Algorithm};
    /// use treediff::parse;
    ///
    /// let [before, after] = ["<a><b/><c/></a>", "<a><c/><b/></a>"]
    ///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document)));
    /// let (before, after) = (before?, after?);
    /// let options = matching::Options { unordered: true, ..Default::default() };
    /// let matching = Algorithm::default().matching(&before, &after, &options);
    /// let delta = Delta::between(&before, &after, &matching, &Options::default())?;
    /// assert!(delta.unordered(&before, &after, &Default::default())?.delta.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// The version that it leads to is read as the options have it.
    ///
    /// # Errors
    /// Where the delta is not of these documents, or the version that it leads to exceeds a limit.
    pub fn unordered(
        &self,
        before: &Document,
        after: &Arc<Document>,
        options: &ApplyOptions,
    ) -> Result<Unordered, ApplyError> {
        let sides = Sides::new(self, before, after);
        let mixed = |parent: Node<'_>| order_counts(parent);
        self.without_order(&sides, after, options, &mixed, ORDER_COUNTS).or_else(|_| {
            // Texts that came to stand side by side would be one when they are read again.
            let has_text = |parent: Node<'_>| parent.children().any(|child| child.kind() == Kind::Text);
            self.without_order(&sides, after, options, &has_text, BLANKS)
        })
    }

    fn without_order(
        &self,
        sides: &Sides<'_>,
        after: &Arc<Document>,
        options: &ApplyOptions,
        is_ordered: &dyn Fn(Node<'_>) -> bool,
        why: &str,
    ) -> Result<Unordered, ApplyError> {
        let mut notes = Notes::default();
        // Asked once for every parent, however many of its children move.
        let mut ordered: HashMap<Xid, bool> = HashMap::new();
        let mut keeps_order = |parent: Xid| {
            *ordered.entry(parent).or_insert_with(|| {
                let on_both = [sides.before(parent), sides.after(parent)];
                let keeps = on_both.iter().flatten().any(|side| is_ordered(*side));
                if let ([_, Some(node)], true) = (on_both, keeps) {
                    notes.add(Fallback::OrderKept, node, || why.to_owned());
                }
                keeps
            })
        };
        let is_dropped = |operation: &Operation| sibling_move(operation).is_some_and(|parent| !keeps_order(parent));
        let drops: Vec<bool> = self.operations.iter().map(is_dropped).collect();
        exchanged(self, sides).into_iter().for_each(|parent| {
            keeps_order(parent);
        });
        let Ignoring { mut delta, after } = match drops.contains(&true) {
            true => settled(self, positions::without(self, sides, &drops), sides.before, options)?,
            false => Ignoring { delta: self.clone(), after: Arc::clone(after) },
        };
        delta.fallbacks = delta.fallbacks.or(notes.used().collect());
        Ok(Unordered { delta, after, notes })
    }
}

const BLANKS: &str = "white space counts here and would come to stand beside other white space";

/// The parents in mixed content under which the same goes at one place and comes at another: without moves, that is what they
/// are told as.
fn exchanged(delta: &Delta, sides: &Sides<'_>) -> Vec<Xid> {
    let counts = |parent: Xid| [sides.before(parent), sides.after(parent)].into_iter().flatten().any(order_counts);
    let content = |node: Option<Node<'_>>| Some(node?.hash()).filter(|_| !node.is_some_and(is_blank_text));
    let gone: HashSet<(Xid, u64)> = delta
        .operations
        .iter()
        .filter_map(|operation| match operation {
            Operation::Delete { place, .. } => Some((place.parent, content(sides.before(operation.node()))?)),
            _ => None,
        })
        .collect();
    let mut parents: Vec<Xid> = delta
        .operations
        .iter()
        .filter_map(|operation| match operation {
            Operation::Insert { place, .. } => {
                gone.get(&(place.parent, content(sides.after(operation.node()))?)).map(|&(parent, _)| parent)
            }
            _ => None,
        })
        .collect();
    // Asked once for every parent, however many of its children come.
    parents.sort_unstable();
    parents.dedup();
    parents.retain(|&parent| counts(parent));
    parents
}

fn is_blank_text(node: Node<'_>) -> bool {
    node.kind() == Kind::Text && is_blank(node.value().as_bytes())
}

/// The parent under which something goes from one place to another.
fn sibling_move(operation: &Operation) -> Option<Xid> {
    match operation {
        Operation::Move { from, to, .. } if from.parent == to.parent => Some(from.parent),
        _ => None,
    }
}
