//! Good matching: where did the leaves go? An assignment of the leaves that changed, by content, attributes and place.
//!
//! The idea (Molchanov, Globa, Alexeyev 2012, after Flesca and Masciari): what a reader follows are the leaves, so every
//! leaf of one version is weighed against every one of the other, by the words they share, the attributes, and how alike
//! the ways to them are. The assignment of the greatest sum is the matching of the leaves: greedily, then by swaps of two,
//! or exactly. Inner nodes follow their leaves.
//!
//! ```text
//!   before  body                    after  body                          x1–y2: a word of three
//!           ├─ p «news today» x1           ├─ div                        x2–y1: three words of four, elsewhere
//!           └─ p «the old offer» x2        │  └─ p «the old new offer» y1  the p follow their texts, body both p;
//!                                          └─ p «news Monday» y2         div has no leaf of another div: inserted
//! ```
//!
//! 1. `same`: equal subtrees that stand alone are pairs, so that only what changed is weighed at all.
//! 2. `leaves`: the filter of the paper leaves out comments, scripts and styles; they get partners in the end, by their
//!    parents. (The paper's second step, repair of HTML that is not well-formed, is what our parser has done already.)
//! 3. `criterion`: P_con, P_att, P_dist and their weighted sum; `assign`: the matrix, and who gets whom.
//! 4. `inner`: upwards, the node that has most of one's leaves; downwards, children of pairs by what they are called. In the
//!    end, pairs that do not pay in a delta are parted as XyDiff does it, unless they are wanted
//!    ([`GoodmatchOptions::keeps_all`]): the paper wants correspondence and no delta, and without this step deltas have
//!    more than twice the operations.
//!
//! Cost: O(nm) for n and m leaves that changed, within a budget of cells; beyond it leaves are weighed only against those
//! with the same names above them, and in blocks ([`Fallback::LeavesInBlocks`](super::Fallback)). It fails where leaves are
//! cut anew (a paragraph split in two shares half its words with each part), and where many leaves are short and alike,
//! since then the place alone decides.
//!
//! What the paper leaves open: how a node is indexed (here by the steps from the root down to it, each a name and a number
//! among the siblings of that name since the last one that is known to be a pair), what 0 of 0 words or attributes means
//! (nothing: the other parameters decide), and how inner nodes are paired. Its words and its formula differ in what P_att
//! is a share of, the attributes of the one that has more or those of both together; here it is the formula. It assigns
//! every leaf of the version with fewer, however little the two are alike; here there is a threshold, since what has
//! nothing in common is an insertion to a reader. Rejected: to weigh all leaves, equal ones too, as the paper has it, which makes a large page with
//! one change as dear as one where all changed; and P_dist by the common beginning of the ways, which a wrapper near the
//! root would make 0 for all leaves below it.

mod assign;
mod criterion;
mod inner;
mod leaves;
mod same;
#[cfg(test)]
mod tests;

pub use assign::LeafMatrix;
pub(super) use criterion::Criterion;
pub(super) use leaves::{Leaves, Words};

use super::sides::Sides;
use super::{Matching, Options, stages};
use crate::tree::{Document, Node, NodeId};

/// What the matching of leaves goes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GoodmatchOptions {
    /// What each parameter weighs.
    pub weights: Weights,
    /// Leaves whose criterion CS is less are no pair, unless they are all that is left below a pair. From -1 to 1.
    pub threshold: f64,
    /// How leaves are assigned.
    pub assignment: Assignment,
    /// The most pairs of leaves that are weighed.
    pub cells: usize,
    /// Pairs whose differences take more to tell than both take to write anew stay pairs: for finding out where something
    /// went, and not for deltas.
    pub keeps_all: bool,
}

impl Default for GoodmatchOptions {
    fn default() -> Self {
        GoodmatchOptions {
            weights: Weights::default(),
            threshold: -0.2,
            assignment: Assignment::Local,
            cells: 2_000_000,
            keeps_all: false,
        }
    }
}

/// What each parameter of the criterion weighs: α, β and γ of the paper, which add up to 1; others are scaled to do so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// α: the words that two leaves share, of all they have.
    pub content: f64,
    /// β: the attributes of their elements that are equal, of all they have.
    pub attributes: f64,
    /// γ: how long the ends of the ways to them are that are equal, of the longer way.
    pub place: f64,
}

impl Default for Weights {
    /// Chosen on successive versions of real HTML pages (`deltaic-bench goodmatch-weights`): the bytes of deltas hardly
    /// depend on the weights, so these are such that a leaf without words is found by its attributes, one whose words all
    /// changed by its place, and one that moved by its words.
    fn default() -> Self {
        Weights { content: 0.4, attributes: 0.3, place: 0.3 }
    }
}

/// How leaves are assigned to one another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Assignment {
    /// The best pair of all, the best of what is left, and so on; then swaps of two while that makes the sum greater.
    #[default]
    Local,
    /// The first step of [`Assignment::Local`] alone.
    Greedy,
    /// The greatest sum there is, by the Hungarian method.
    Exact,
}

/// Matches two documents by their leaves.
///
/// ```
/// use treediff::matching::{self, GoodmatchOptions};
/// use treediff::parse;
///
/// let before = parse::html("<p>news of today<p>the old offer", &Default::default())?.document;
/// let after = parse::html("<div><p>the old offer</p></div><p>news of Monday", &Default::default())?.document;
/// // For a delta, so small a page would be written anew.
/// let goodmatch = GoodmatchOptions { keeps_all: true, ..Default::default() };
/// let matching = matching::goodmatch(&before, &after, &matching::Options { goodmatch, ..Default::default() });
/// let news = before.nodes().find(|node| node.value() == "news of today").unwrap();
/// let partner = matching.after_of(news.id()).unwrap();
/// assert_eq!(after.node(partner).value(), "news of Monday");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn goodmatch(before: &Document, after: &Document, options: &Options) -> Matching {
    let mut state = State::with_same(Sides::new(before, after), options);
    let [from, to] = state.leaves(|_| true);
    state.assign(&from, &to);
    state.pair_around([from.ids(), to.ids()]);
    if options.goodmatch.keeps_all {
        return state.sides.matching;
    }
    stages::settled(before, after, state.sides.matching, &options.pairs)
}

/// Pairs what another matching left without partners, by its leaves; the pairs that there are stay. It is for finding out
/// where something went: whether pairs pay in a delta is not asked, and leaves that share most of their words are pairs
/// wherever they are now.
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<a><b>one</b><b>two</b></a>", &Default::default())?.document;
/// let after = parse::xml("<a><c><b>one</b></c></a>", &Default::default())?.document;
/// let none = matching::Matching::new(&before, &after);
/// let found = matching::goodmatch_rest(&before, &after, none, &Default::default());
/// let one = before.nodes().find(|node| node.value() == "one").unwrap();
/// assert_eq!(after.node(found.after_of(one.id()).unwrap()).value(), "one");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn goodmatch_rest(before: &Document, after: &Document, matching: Matching, options: &Options) -> Matching {
    let mut state = State::with_same(Sides { matching, ..Sides::new(before, after) }, options);
    let [from, to] = state.leaves(|_| true);
    state.assign(&from, &to);
    state.assign_by_words();
    state.pair_around([from.ids(), to.ids()]);
    state.sides.matching
}

/// Fewer words, such as «read more», are in many places and tell nothing of who is who.
const TELLING_WORDS: usize = 4;

/// As a threshold: of all words that two leaves have, half are in both.
const HALF_OF_THE_WORDS: f64 = 0.0;

struct State<'d> {
    sides: Sides<'d>,
    settings: GoodmatchOptions,
    criterion: Criterion,
    unordered: bool,
}

impl<'d> State<'d> {
    /// What is given and what is the same has its partner, and so have the nodes around it.
    fn with_same(sides: Sides<'d>, options: &Options) -> Self {
        let settings = options.goodmatch;
        let criterion = Criterion::new(settings.weights);
        let mut state = State { sides, settings, criterion, unordered: options.unordered };
        state.sides.pair_given(&options.pairs);
        state.pair_same();
        state.pair_upwards(inner::Share::OfBoth);
        state.pair_same_children();
        state
    }

    /// The nodes around leaves that are pairs, where these leaves were weighed.
    fn pair_around(&mut self, weighed: [&[NodeId]; 2]) {
        self.pair_upwards(inner::Share::OfBoth);
        self.pair_upwards(inner::Share::OfShared);
        self.pair_downwards(weighed);
    }

    /// Pairs leaves that are left by their words alone. What got another class, stands in a wrapper and has another word is below
    /// the threshold for each of them, and anybody sees that it is the same.
    fn assign_by_words(&mut self) {
        let [from, to] = self.leaves(|leaf| leaves::has_words(leaf, TELLING_WORDS));
        // Nothing is weighed behind this.
        self.criterion = Criterion::new(Weights { content: 1.0, attributes: 0.0, place: 0.0 });
        self.settings.threshold = HALF_OF_THE_WORDS;
        self.assign(&from, &to);
    }

    /// The leaves on both sides that have no partners, of those that are asked for.
    fn leaves(&self, is_asked_for: impl Fn(Node<'d>) -> bool) -> [Leaves<'d>; 2] {
        let matching = &self.sides.matching;
        let is_asked_for = &is_asked_for;
        let free_before = |leaf: Node<'d>| matching.after_of(leaf.id()).is_none() && is_asked_for(leaf);
        let free_after = |leaf: Node<'d>| matching.before_of(leaf.id()).is_none() && is_asked_for(leaf);
        let before = leaves::weighed(self.sides.changed_before(), free_before);
        let after = leaves::weighed(self.sides.changed_after(), free_after);
        [
            Leaves::new(self.sides.before, before, self.unordered, |id| matching.after_of(id)),
            Leaves::new(self.sides.after, after, self.unordered, |id| matching.before_of(id).map(|_| id)),
        ]
    }
}
