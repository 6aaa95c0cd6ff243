//! What did a matcher do instead of what it was asked for? Fallbacks, and where they were used.
//!
//! Every step whose cost could run away has a budget, and a cheaper step to fall back on; every key may turn out not to
//! identify anything. The matching is right in any case, and says here where a better one may exist.

use std::borrow::Cow;
use std::fmt;

use crate::tree::{Format, Kind, Node, NodeId};

/// A cheaper way that was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fallback {
    /// A row of children was too wide to be aligned exactly: between what is the same in order, it was aligned near the diagonal or
    /// paired in order.
    ChildrenInOrder,
    /// The budget for edit costs was exhausted, and children were paired by what they share.
    ChildrenByLikeness,
    /// Edit costs of subtrees were estimated, for want of budget or because they have too many children.
    CostsEstimated,
    /// The minimum was out of the budget's reach, and `auto` found the pairs, without moves.
    NotOptimal,
    /// The documents were too large for the distances of all their subtrees, and `auto` found the pairs, without moves.
    TedAsAuto,
    /// Children were too many to find the cheapest assignment, and were paired by what they share, the rest in turn.
    UnorderedInTurn,
    /// Leaves were too many to weigh all against all: only those with the same names above them, in blocks.
    LeavesInBlocks,
    /// Leaves were too many to be assigned exactly, and were assigned greedily and by swaps.
    LocalAssignment,
    /// Chains of nodes that are called alike were too different for their longest common subsequence: what is the same was
    /// paired in turn, or what is left of them was not compared.
    ChainInOrder,
    /// A key is the same for different nodes, and says nothing of them.
    KeyNotUnique,
    /// A key names no value in nodes that it should name.
    KeyAbsent,
    /// The order of siblings was to mean nothing, and is kept where it does.
    OrderKept,
    /// The order of siblings was to mean nothing, and the documents were too large to be matched without it: what was
    /// found in order was mended.
    OrderMended,
    /// It was not asked of all pairs whether they pay, or would cost less if everything stayed where it stands, for
    /// want of budget.
    PairsNotWeighed,
}

impl Fallback {
    /// All of them.
    pub const ALL: [Fallback; 14] = [
        Fallback::ChildrenInOrder,
        Fallback::ChildrenByLikeness,
        Fallback::CostsEstimated,
        Fallback::NotOptimal,
        Fallback::TedAsAuto,
        Fallback::UnorderedInTurn,
        Fallback::LeavesInBlocks,
        Fallback::LocalAssignment,
        Fallback::ChainInOrder,
        Fallback::KeyNotUnique,
        Fallback::KeyAbsent,
        Fallback::OrderKept,
        Fallback::OrderMended,
        Fallback::PairsNotWeighed,
    ];

    /// The name that deltas and statistics have for it.
    pub fn name(self) -> &'static str {
        match self {
            Fallback::ChildrenInOrder => "children-in-order",
            Fallback::ChildrenByLikeness => "children-by-likeness",
            Fallback::CostsEstimated => "costs-estimated",
            Fallback::NotOptimal => "not-optimal",
            Fallback::TedAsAuto => "ted-as-auto",
            Fallback::UnorderedInTurn => "unordered-in-turn",
            Fallback::LeavesInBlocks => "leaves-in-blocks",
            Fallback::LocalAssignment => "local-assignment",
            Fallback::ChainInOrder => "chain-in-order",
            Fallback::KeyNotUnique => "key-not-unique",
            Fallback::KeyAbsent => "key-absent",
            Fallback::OrderKept => "order-kept",
            Fallback::OrderMended => "order-mended",
            Fallback::PairsNotWeighed => "pairs-not-weighed",
        }
    }
}

/// What is done instead; nothing where the reason says it, since that depends on where it is.
fn instead(fallback: Fallback) -> Option<&'static str> {
    match fallback {
        Fallback::ChildrenInOrder => Some("they were paired in order, or near it"),
        Fallback::ChildrenByLikeness => Some("they were paired by what they share"),
        Fallback::CostsEstimated => Some("they were estimated"),
        Fallback::NotOptimal | Fallback::TedAsAuto => Some("what `auto` finds without moves is written instead"),
        Fallback::UnorderedInTurn => Some("they were paired by what they share, and the rest in turn"),
        Fallback::LeavesInBlocks => Some("those with the same names above them were weighed alone, in blocks"),
        Fallback::LocalAssignment => Some("they were assigned greedily and by swaps"),
        Fallback::ChainInOrder => Some("what is the same was paired in turn"),
        Fallback::KeyNotUnique | Fallback::KeyAbsent => None,
        Fallback::OrderKept => Some("changes of it are told"),
        Fallback::OrderMended => Some("what was found in order was mended"),
        Fallback::PairsNotWeighed => Some("the rest is told as it was found"),
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Fallbacks, whatever their number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fallbacks(u32);

impl Fallbacks {
    /// Those that are named, with spaces between them; a name that nobody knows is one of the future.
    ///
    /// ```
    /// use treediff::matching::Fallbacks;
    ///
    /// let fallbacks = Fallbacks::named("children-in-order by-oracle");
    /// assert_eq!(fallbacks.to_string(), "children-in-order");
    /// assert!(Fallbacks::default().is_empty());
    /// ```
    pub fn named(names: &str) -> Self {
        let by_name = |name| Fallback::ALL.into_iter().find(|fallback| fallback.name() == name);
        names.split_ascii_whitespace().filter_map(by_name).collect()
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those of both.
    pub fn or(self, other: Fallbacks) -> Self {
        Fallbacks(self.0 | other.0)
    }

    /// What a reader is told of them; nothing where there are none.
    pub(crate) fn told(self) -> Option<String> {
        (!self.is_empty()).then(|| format!("compared with fallbacks: {self}"))
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = Fallback> {
        Fallback::ALL.into_iter().filter(move |&fallback| self.0 >> fallback as u32 & 1 == 1)
    }
}

impl FromIterator<Fallback> for Fallbacks {
    fn from_iter<I: IntoIterator<Item = Fallback>>(fallbacks: I) -> Self {
        Fallbacks(fallbacks.into_iter().fold(0, |all, fallback| all | 1 << fallback as u32))
    }
}

impl fmt::Display for Fallbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, fallback) in self.iter().enumerate() {
            write!(f, "{}{fallback}", if at == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

/// A fallback, where it was used and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What was done.
    pub fallback: Fallback,
    /// Where in the version after, as a path of names.
    pub path: String,
    /// What was found: lower case, no final stop.
    pub reason: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.path, self.reason)?;
        instead(self.fallback).map_or(Ok(()), |instead| write!(f, ", so {instead}"))?;
        write!(f, " ({})", self.fallback)
    }
}

/// So many notes are kept of each fallback; the rest is counted. Of each, since what somebody asked for (a key, no order) is told
/// behind what a large document has very many of.
const KEPT: u32 = 32;

/// The fallbacks of a matching.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    counts: [u32; Fallback::ALL.len()],
    kept: Vec<Note>,
    /// How many are kept of each fallback.
    kept_of: [u32; Fallback::ALL.len()],
}

impl Notes {
    /// Counts a fallback, and keeps where it was and why while there are few of its kind; the same is not kept twice.
    pub(crate) fn add(&mut self, fallback: Fallback, at: Node<'_>, reason: impl FnOnce() -> String) {
        self.counts[fallback as usize] = self.counts[fallback as usize].saturating_add(1);
        if self.kept_of[fallback as usize] < KEPT {
            let note = Note { fallback, path: path_of(at), reason: reason() };
            if !self.kept.contains(&note) {
                self.keep(note);
            }
        }
    }

    fn keep(&mut self, note: Note) {
        self.kept_of[note.fallback as usize] += 1;
        self.kept.push(note);
    }

    /// Adds the notes of somebody else; what both tell counts once.
    pub fn append(&mut self, other: &Notes) {
        for (count, more) in self.counts.iter_mut().zip(other.counts) {
            *count = count.saturating_add(more);
        }
        for note in &other.kept {
            if self.kept.contains(note) {
                self.counts[note.fallback as usize] -= 1;
            } else if self.kept_of[note.fallback as usize] < KEPT {
                self.keep(note.clone());
            }
        }
    }

    /// How often a fallback was used.
    pub fn count(&self, fallback: Fallback) -> u32 {
        self.counts[fallback as usize]
    }

    /// The fallbacks that were used.
    pub fn used(&self) -> impl Iterator<Item = Fallback> {
        Fallback::ALL.into_iter().filter(|&fallback| self.count(fallback) > 0)
    }

    /// Where and why; the first of them.
    pub fn kept(&self) -> &[Note] {
        &self.kept
    }
}

/// So many paths are told of where a key does not do.
const TOLD: usize = 8;

/// Where a key does not do, of which there is a note for each path.
pub(super) struct Flaws<'n> {
    told: Vec<(Fallback, String)>,
    notes: &'n mut Notes,
}

impl<'n> Flaws<'n> {
    pub(super) fn new(notes: &'n mut Notes) -> Self {
        Flaws { told: Vec::new(), notes }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    pub(super) fn tell(&mut self, fallback: Fallback, node: Node<'_>, reason: impl FnOnce() -> String) {
        if self.told.len() >= TOLD {
            return;
        }
        let place = (fallback, path_of(node));
        if !self.told.contains(&place) {
            self.told.push(place);
            self.notes.add(fallback, node, reason);
        }
    }
}

/// The names from the root to a node; of a deep one its last. The root value of JSON has none.
fn path_of(node: Node<'_>) -> String {
    const STEPS: usize = 12;
    let has_step = |node: &Node<'_>| match node.document().format() {
        Format::Json => node.parent().is_some_and(|parent| parent.id() != NodeId::DOCUMENT),
        _ => node.id() != NodeId::DOCUMENT,
    };
    let steps: Vec<Node<'_>> =
        std::iter::once(node).chain(node.ancestors()).take_while(has_step).take(STEPS + 1).collect();
    let is_deep = steps.len() > STEPS;
    let mut path = String::with_capacity(64);
    path.push_str(if is_deep { "/…/" } else { "/" });
    for (at, &step) in steps.iter().take(STEPS).rev().enumerate() {
        if at > 0 {
            path.push('/');
        }
        path.push_str(&step_of(step));
    }
    path
}

fn step_of(node: Node<'_>) -> Cow<'_, str> {
    match node.parent().map(Node::kind) {
        _ if node.is_element() => node.qualified_name(),
        // Items of an array have no names.
        Some(Kind::Array) => "*".into(),
        _ => crate::text::shortened(node.name().local, 40).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Fallback, KEPT, Notes};
    use crate::parse;

    #[test]
    fn what_is_rare_is_told_behind_what_is_not() {
        let document = parse::xml("<r/>", &Default::default()).unwrap().document;
        let mut notes = Notes::default();
        for at in 0..100 {
            notes.add(Fallback::ChildrenInOrder, document.root(), || format!("row {at}"));
        }
        notes.add(Fallback::KeyAbsent, document.root(), || "no key".to_owned());
        let mut all = Notes::default();
        all.append(&notes);
        for notes in [notes, all] {
            assert_eq!(notes.count(Fallback::ChildrenInOrder), 100);
            assert_eq!(notes.kept().len(), KEPT as usize + 1);
            assert_eq!(notes.kept().last().unwrap().to_string(), "`/`: no key (key-absent)");
        }
    }
}
