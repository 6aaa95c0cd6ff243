//! Who is who? Pairs of nodes, one of the version before, one of the version after.

mod algorithm;
mod assignment;
mod auto;
mod cost;
mod fastmatch;
mod goodmatch;
mod ignored;
mod keys;
mod kfdiff;
mod labels;
mod locate;
mod looks;
mod notes;
mod optimal;
mod order;
mod sides;
mod stages;
mod ted;
mod unordered;
mod xdiff;
mod xydiff;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub use auto::auto;
pub use fastmatch::{FastmatchOptions, fastmatch};
pub use goodmatch::{Assignment, GoodmatchOptions, LeafMatrix, Weights, goodmatch, goodmatch_rest};
pub(crate) use ignored::Parts;
pub use ignored::ignoring;
pub use keys::{Key, KeyError};
pub use kfdiff::{KeyFields, KeyFieldsError, Kfdiff, kfdiff_hash, kfdiff_sort};
pub use locate::{Fate, Located, locate};
pub use notes::{Fallback, Fallbacks, Note, Notes};
pub use optimal::{Budget, minimum_cost, optimal, optimal_external};
pub use order::SiblingOrder;
pub(crate) use order::{Sibling, staying};
pub use ted::ted;
pub(crate) use unordered::{ORDER_COUNTS, order_counts};
pub use xdiff::unordered;
pub use xydiff::xydiff;

use crate::tree::{Document, NodeId};

/// What a matcher is told beyond the two documents.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Nodes that are one, by [`Key`]s or whatever the caller knows.
    pub pairs: Vec<(NodeId, NodeId)>,
    /// ID attributes mean nothing.
    pub without_ids: bool,
    /// What moves is told as deleted and inserted: pairs that are moves are worth nothing.
    pub without_moves: bool,
    /// The order of siblings means nothing, but in mixed content ([`crate::delta::Delta::unordered`]); minded by
    /// [`Algorithm::matching`].
    pub unordered: bool,
    /// What [`optimal`] may take.
    pub budget: Budget,
    /// What [`goodmatch`] goes by.
    pub goodmatch: GoodmatchOptions,
    /// What [`fastmatch`] goes by.
    pub fastmatch: FastmatchOptions,
    /// Names of attributes and children that identify what has them, before those that experience knows.
    pub key_names: Vec<String>,
    /// Keys of label paths that are known already.
    pub key_fields: KeyFields,
}

/// Which node of `before` is which of `after`.
///
/// No node is in two pairs, the nodes of a pair have one kind and name, and the document nodes are a pair. Pairs of
/// subtrees that are the same throughout are remembered as such, so that nobody has to look into them again.
#[derive(Debug, Clone)]
pub struct Matching {
    /// For every node of `before` its partner, then for every node of `after`. 0 stands for none: the document nodes have
    /// nobody but one another, and memory that is all zeros costs nothing until it is used. Then a bit for every node of
    /// `after` that is the root of a subtree which is the same as its partner's. All in one, since small documents are
    /// matched in the time that it takes to ask for memory a few dozen times.
    words: Vec<u32>,
    /// How many nodes `before` and `after` have.
    before_len: usize,
    after_len: usize,
    notes: Notes,
}

impl Matching {
    /// The matching of the two document nodes alone.
    pub fn new(before: &Document, after: &Document) -> Self {
        let (before_len, after_len) = (before.len(), after.len());
        let words = vec![0; before_len + after_len + after_len.div_ceil(WORD)];
        Matching { words, before_len, after_len, notes: Notes::default() }
    }

    /// The partner of a node of `before`.
    #[inline]
    pub fn after_of(&self, before: NodeId) -> Option<NodeId> {
        partner(&self.words[..self.before_len], before)
    }

    /// The partner of a node of `after`.
    #[inline]
    pub fn before_of(&self, after: NodeId) -> Option<NodeId> {
        partner(&self.words[self.before_len..self.before_len + self.after_len], after)
    }

    /// Whether the two are a pair.
    #[inline]
    pub fn is_pair(&self, before: NodeId, after: NodeId) -> bool {
        self.after_of(before) == Some(after)
    }

    /// Makes a pair of two nodes that have no partners.
    #[inline]
    pub fn pair(&mut self, before: NodeId, after: NodeId) {
        debug_assert!(self.after_of(before).is_none() && self.before_of(after).is_none());
        self.words[before.index()] = after.0;
        self.words[self.before_len + after.index()] = before.0;
    }

    /// Makes pairs of the nodes of two subtrees with the same content ([`crate::tree::Node::same_content`]), each with
    /// the node at its place. Nodes in them may be such pairs already.
    pub fn pair_same(&mut self, before: NodeId, after: NodeId, size: u32) {
        let count = size as usize;
        for (at, partner) in self.words[before.index()..][..count].iter_mut().zip(after.0..) {
            *at = partner;
        }
        for (at, partner) in self.words[self.before_len + after.index()..][..count].iter_mut().zip(before.0..) {
            *at = partner;
        }
        let (word, bit) = self.same(after);
        self.words[word] |= bit;
    }

    /// Whether no node of two subtrees of one size has a partner.
    pub(crate) fn are_unpaired(&self, before: NodeId, after: NodeId, size: u32) -> bool {
        let free = |from: usize| self.words[from..from + size as usize].iter().fold(0, |any, word| any | word) == 0;
        free(before.index()) && free(self.before_len + after.index())
    }

    /// Parts a pair; subtrees that were known to be the same are parted as a whole.
    pub(crate) fn part(&mut self, before: NodeId, after: NodeId) {
        self.words[before.index()] = 0;
        self.words[self.before_len + after.index()] = 0;
        let (word, bit) = self.same(after);
        self.words[word] &= !bit;
    }

    /// Whether the subtree at a node of `after` is known to be the same as its partner's.
    #[inline]
    pub fn is_same(&self, after: NodeId) -> bool {
        let (word, bit) = self.same(after);
        self.words[word] & bit != 0
    }

    /// Where it is kept whether the subtree at a node of `after` is the same.
    #[inline]
    fn same(&self, after: NodeId) -> (usize, u32) {
        (self.before_len + self.after_len + after.index() / WORD, 1 << (after.index() % WORD))
    }

    /// Where the matcher took a cheaper way, and a better matching may exist.
    pub fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Adds what is to be told of the pairs that were given, such as where a [`Key`] did not do.
    pub fn add_notes(&mut self, notes: &Notes) {
        self.notes.append(notes);
    }

    pub(crate) fn notes_mut(&mut self) -> &mut Notes {
        &mut self.notes
    }

    /// The pairs, in the order of `before`.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        (0..self.before_len as u32).filter_map(|before| {
            let after = self.after_of(NodeId(before))?;
            Some((NodeId(before), after))
        })
    }
}

/// The bits of a word.
const WORD: usize = u32::BITS as usize;

#[inline]
fn partner(partners: &[u32], of: NodeId) -> Option<NodeId> {
    let partner = partners[of.index()];
    (partner != 0 || of == NodeId::DOCUMENT).then_some(NodeId(partner))
}
