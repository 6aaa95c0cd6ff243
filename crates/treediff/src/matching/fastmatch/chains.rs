//! Which nodes of a chain are equal? The longest common row of both chains, then what is left.

use super::State;
use super::crossings::Crossings;
use crate::matching::Fallback;
use crate::text::{self, Budget};
use crate::tree::hash::{self, ByHash};
use crate::tree::{Kind, Node};

/// For the common row of two chains.
const ROW: Budget = Budget { steps_per_token: 64, edits: 1000 };

/// So many pairs of nodes that the rows have left are compared, in all chains together.
pub(super) const COMPARISONS: usize = 1_000_000;

/// The nodes of both documents that are called alike, in document order.
#[derive(Default)]
struct Chain<'d> {
    before: Vec<Node<'d>>,
    after: Vec<Node<'d>>,
}

impl<'d> State<'d> {
    pub(super) fn pair_leaves(&mut self) {
        for chain in self.chains(|node| node.size() == 1) {
            self.pair_chain(&chain, |state, before, after| state.are_near(before, after));
        }
    }

    pub(super) fn pair_inner(&mut self) {
        let crossings = Crossings::new(&self.sides);
        for chain in self.chains(|node| node.size() > 1) {
            self.pair_chain(&chain, |state, before, after| {
                crossings.share(before, after) > state.options.inner_share.max(0.5)
            });
        }
    }

    /// Criterion 1: values are near, or of elements without children, attributes.
    fn are_near(&mut self, before: Node<'d>, after: Node<'d>) -> bool {
        if before.hash() == after.hash() {
            return true;
        }
        let [from, to] = &mut self.words;
        let shared = if before.is_element() {
            from.shared_attributes(before.id(), to, after.id())
        } else {
            from.shared_words(before.id(), to, after.id())
        };
        1.0 - shared <= self.options.leaf_distance
    }

    /// Chains of nodes without partners, in the order of their first nodes in `before`.
    fn chains(&self, is_wanted: impl Fn(Node<'d>) -> bool) -> Vec<Chain<'d>> {
        let mut numbers: ByHash<u64, usize> = ByHash::default();
        let mut chains: Vec<Chain<'d>> = Vec::new();
        let matching = &self.sides.matching;
        let is_free = |node: &Node<'d>| matching.after_of(node.id()).is_none() && is_wanted(*node);
        for node in self.sides.before.nodes().filter(is_free) {
            let number = *numbers.entry(chain_of(node)).or_insert(chains.len());
            if number == chains.len() {
                chains.push(Chain::default());
            }
            chains[number].before.push(node);
        }
        let is_free = |node: &Node<'d>| matching.before_of(node.id()).is_none() && is_wanted(*node);
        for node in self.sides.after.nodes().filter(is_free) {
            if let Some(&number) = numbers.get(&chain_of(node)) {
                chains[number].after.push(node);
            }
        }
        chains
    }

    fn pair_chain(&mut self, chain: &Chain<'d>, mut are_equal: impl FnMut(&mut Self, Node<'d>, Node<'d>) -> bool) {
        let Chain { before, after } = chain;
        let is_equal = |x: usize, y: usize| are_equal(self, before[x], after[y]);
        match text::common_row([before.len(), after.len()], is_equal, ROW) {
            Some(row) => row.into_iter().for_each(|(x, y)| {
                self.sides.pair_if_alike(before[x], after[y]);
            }),
            None => self.note_chain(chain),
        }
        self.pair_same_left(chain);
        self.pair_left(chain, are_equal);
    }

    fn note_chain(&mut self, Chain { before, after }: &Chain<'d>) {
        if let Some(&first) = after.first() {
            let reason =
                || format!("{} nodes of a name beside {} are too different to be aligned", before.len(), after.len());
            self.sides.matching.notes_mut().add(Fallback::ChainInOrder, first, reason);
        }
    }

    /// What is the same, the first with the first.
    fn pair_same_left(&mut self, chain: &Chain<'d>) {
        let [from, to] = self.left(chain);
        let mut waiting: ByHash<u64, Vec<Node<'d>>> = ByHash::default();
        from.into_iter().rev().for_each(|node| waiting.entry(node.hash()).or_default().push(node));
        for after in to {
            if let Some(before) = waiting.get_mut(&after.hash()).and_then(Vec::pop) {
                self.sides.pair_if_alike(before, after);
            }
        }
    }

    /// What is equal enough, each with the first that is.
    fn pair_left(&mut self, chain: &Chain<'d>, mut are_equal: impl FnMut(&mut Self, Node<'d>, Node<'d>) -> bool) {
        let [from, to] = self.left(chain);
        if from.is_empty() || to.is_empty() {
            return;
        }
        let Some(rest) = self.comparisons.checked_sub(from.len().saturating_mul(to.len())) else {
            return self.note_chain(chain);
        };
        self.comparisons = rest;
        for before in from {
            let is_free = |state: &Self, node: Node<'d>| state.sides.matching.before_of(node.id()).is_none();
            let found = to.iter().copied().find(|&after| is_free(self, after) && are_equal(self, before, after));
            found.into_iter().for_each(|after| _ = self.sides.pair_if_alike(before, after));
        }
    }

    fn left(&self, Chain { before, after }: &Chain<'d>) -> [Vec<Node<'d>>; 2] {
        let matching = &self.sides.matching;
        let from = before.iter().copied().filter(|node| matching.after_of(node.id()).is_none());
        let to = after.iter().copied().filter(|node| matching.before_of(node.id()).is_none());
        [from.collect(), to.collect()]
    }
}

/// What a node is called; a text by its parent's name as well, since texts have none.
fn chain_of(node: Node<'_>) -> u64 {
    let label = |node: Node<'_>| node.label().hash(node.document().names());
    match node.parent() {
        Some(parent) if node.kind() == Kind::Text => hash::mix(label(node), label(parent)),
        _ => label(node),
    }
}
