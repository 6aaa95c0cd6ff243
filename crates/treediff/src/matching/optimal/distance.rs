//! What does it cost to make one subtree of another? The minimum, asked for with a limit and remembered.
//!
//! The cost of a pair is that of its roots and of the cheapest alignment of their children, whose pairs are questions of
//! the same kind. Every question comes with the *room* that the asker has: an answer above it may be a lower bound.
//! Questions wait on a stack for those that they depend on, so that depth is of no matter.

use std::cell::Cell;

use super::alignment::{Alignment, Step, Trace, without_ends};
use super::bounds::Bags;
use super::content::{ContentId, Contents};
use crate::matching::Budget;
use crate::tree::hash::ByHash;

/// What is known of the cost of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    Exactly(u32),
    AtLeast(u32),
}

impl Known {
    const EXACT: u32 = 1 << 31;

    fn packed(self) -> u32 {
        match self {
            Known::Exactly(cost) => cost | Known::EXACT,
            Known::AtLeast(cost) => cost,
        }
    }

    fn unpacked(packed: u32) -> Self {
        let cost = packed & !Known::EXACT;
        if packed & Known::EXACT == 0 { Known::AtLeast(cost) } else { Known::Exactly(cost) }
    }

    /// Whether this answers a question with so much room.
    #[inline]
    fn answers(self, room: u32) -> bool {
        matches!(self, Known::Exactly(_)) || self.least() > room
    }

    #[inline]
    fn least(self) -> u32 {
        let (Known::Exactly(cost) | Known::AtLeast(cost)) = self;
        cost
    }
}

/// More than any cost: documents have fewer than 2^31 bytes.
pub(super) const UNLIMITED: u32 = Known::EXACT - 1;

/// Which part of the budget does not suffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exhausted {
    Cells,
    Bytes,
}

/// A question: the cost of a pair, exactly where it is at most `room`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Question {
    pub(super) pair: (ContentId, ContentId),
    pub(super) room: u32,
}

/// The costs of pairs.
pub(super) struct Distances<'c> {
    pub(super) contents: &'c Contents,
    known: ByHash<u64, u32>,
    max_known: usize,
    pub(super) max_trace_bytes: u64,
    bags: Bags,
    /// The rows of the alignments that wait.
    pub(super) cells: Vec<u32>,
    max_cells: u64,
    /// Cells that were computed, and other work as so many cells.
    spent: Cell<u64>,
}

/// Bytes that a remembered pair takes: key and value, the room that a table keeps free, and the half of a table that is
/// still there while it grows.
const BYTES_PER_PAIR: u64 = 51;

impl<'c> Distances<'c> {
    pub(super) fn new(contents: &'c Contents, budget: &Budget) -> Self {
        Distances {
            contents,
            known: ByHash::default(),
            max_known: (budget.max_bytes / 4 * 3 / BYTES_PER_PAIR) as usize,
            max_trace_bytes: budget.max_bytes / 4,
            bags: Bags::new(&contents.nodes),
            cells: Vec::new(),
            max_cells: budget.max_cells,
            spent: Cell::new(0),
        }
    }

    /// The cost of a pair.
    pub(super) fn cost(&mut self, pair: (ContentId, ContentId)) -> Result<u32, Exhausted> {
        match self.start(Question { pair, room: UNLIMITED }, u32::MAX)? {
            Start::Known(known) => Ok(known.least()),
            Start::Asked(alignment) => Ok(self.answer(alignment)?.0.least()),
        }
    }

    /// Which children of a pair are pairs in the cheapest alignment, as their places among all children of the two.
    pub(super) fn aligned(&mut self, pair: (ContentId, ContentId)) -> Result<Vec<(u32, u32)>, Exhausted> {
        let (from, to) = (self.contents.children(pair.0), self.contents.children(pair.1));
        let (inner_from, inner_to) = without_ends(self.contents, from.clone(), to.clone());
        let front = inner_from.start - from.start;
        let mut pairs: Vec<(u32, u32)> = (0..front).map(|place| (place, place)).collect();
        if !inner_from.is_empty() && !inner_to.is_empty() {
            pairs.extend(self.aligned_inside(pair)?.into_iter().map(|(i, j)| (front + i, front + j)));
        }
        let back = (inner_from.end - from.start..from.end - from.start).zip(inner_to.end - to.start..);
        pairs.extend(back);
        Ok(pairs)
    }

    /// The same of the children that are left without those that are the same at both ends.
    fn aligned_inside(&mut self, pair: (ContentId, ContentId)) -> Result<Vec<(u32, u32)>, Exhausted> {
        let Some(mut alignment) = Alignment::new(self.contents, Question { pair, room: UNLIMITED }) else {
            return Ok(Vec::new());
        };
        match self.remembered(pair) {
            Some(Known::Exactly(cost)) => alignment.expect(cost),
            _ => self.raise(&mut alignment, u32::MAX),
        }
        alignment.keep_trace();
        let width = alignment.to.len() as u32;
        let (_, trace) = self.answer(alignment)?;
        Ok(trace.map(|trace| trace.pairs(width)).unwrap_or_default())
    }

    /// Works on an alignment and all that it asks for.
    fn answer(&mut self, first: Alignment) -> Result<(Known, Option<Trace>), Exhausted> {
        let mut waiting = Vec::new();
        let mut alignment = first;
        let mut answer = None;
        loop {
            match alignment.go_on(self, answer.take())? {
                Step::Asks(question) => match self.start(question, alignment.bound_size)? {
                    Start::Known(known) => answer = Some(known),
                    Start::Asked(next) => waiting.push(std::mem::replace(&mut alignment, next)),
                },
                Step::Answers(known) => {
                    self.remember(alignment.question.pair, known)?;
                    let Some(asker) = waiting.pop() else { return Ok((known, alignment.trace)) };
                    alignment = asker;
                    answer = Some(known);
                }
            }
        }
    }

    /// What can be said of a pair at a glance: nothing, or an answer.
    #[inline]
    pub(super) fn glance(&self, question: Question) -> Option<Known> {
        let Question { pair: (a, b), room } = question;
        let contents = self.contents;
        match (contents.size(a), contents.size(b)) {
            (1, size) | (size, 1) => Some(Known::Exactly(self.update_cost(a, b) + size - 1)),
            (2, 2) => Some(Known::Exactly(self.update_cost(a, b) + self.cost_of_only_leaves(a, b))),
            _ => match contents.least_cost(a, b) {
                least if least > room => Some(Known::AtLeast(least)),
                _ => self.remembered(question.pair).filter(|known| known.answers(room)),
            },
        }
    }

    /// What the children of two nodes cost that have a leaf each and nothing else.
    fn cost_of_only_leaves(&self, a: ContentId, b: ContentId) -> u32 {
        let contents = self.contents;
        let (a, b) = (contents.child(contents.children(a).start), contents.child(contents.children(b).start));
        if contents.are_alike(a, b) { self.update_cost(a, b).min(2) } else { 2 }
    }

    /// Takes so many cells from the budget; that there are none left shows when [`Distances::spend`] is next called.
    fn charge(&self, cells: u64) {
        self.spent.set(self.spent.get().saturating_add(cells));
    }

    /// Takes so many cells from the budget.
    pub(super) fn spend(&self, cells: u64) -> Result<(), Exhausted> {
        self.charge(cells);
        if self.spent.get() > self.max_cells { Err(Exhausted::Cells) } else { Ok(()) }
    }

    fn update_cost(&self, a: ContentId, b: ContentId) -> u32 {
        self.charge(self.contents.update_effort(a, b));
        self.contents.update_cost(a, b)
    }

    fn remembered(&self, pair: (ContentId, ContentId)) -> Option<Known> {
        self.known.get(&key(pair)).map(|&packed| Known::unpacked(packed))
    }

    fn remember(&mut self, pair: (ContentId, ContentId), known: Known) -> Result<(), Exhausted> {
        self.known.insert(key(pair), known.packed());
        if self.known.len() > self.max_known { Err(Exhausted::Bytes) } else { Ok(()) }
    }

    /// Starts on a question, unless the answer is plain. `bound_size` is the size of the last pair above that was bounded
    /// by its bags.
    fn start(&mut self, question: Question, bound_size: u32) -> Result<Start, Exhausted> {
        self.charge(self.contents.ends_effort(question.pair.0, question.pair.1));
        let Some(mut alignment) = Alignment::new(self.contents, question) else {
            let cost = Known::Exactly(plain_cost(self.contents, question.pair));
            self.remember(question.pair, cost)?;
            return Ok(Start::Known(cost));
        };
        self.raise(&mut alignment, bound_size);
        if alignment.least() > question.room {
            let known = Known::AtLeast(alignment.least());
            self.remember(question.pair, known)?;
            return Ok(Start::Known(known));
        }
        Ok(Start::Asked(alignment))
    }

    /// Raises the lower bound of an alignment by what is remembered and by the bags of its nodes.
    ///
    /// Bags take time as their sizes. Where each is at most half as large as the last one above, all of those above one
    /// another take no more than twice the first; without that a deep document would take time as its depth squared.
    fn raise(&mut self, alignment: &mut Alignment, bound_size: u32) {
        let (a, b) = alignment.question.pair;
        let size = self.contents.size(a).saturating_add(self.contents.size(b));
        alignment.bound_size = bound_size;
        if size <= bound_size / 2 {
            let contents = self.contents;
            let (from, to) = (contents.nodes_below(a, &alignment.from), contents.nodes_below(b, &alignment.to));
            alignment.raise(self.bags.least_cost(&contents.nodes, from, to));
            alignment.bound_size = size;
            self.charge(u64::from(size));
        }
        if let Some(known) = self.remembered((a, b)) {
            alignment.raise(known.least().saturating_sub(alignment.update));
        }
        alignment.begin();
    }
}

enum Start {
    Known(Known),
    Asked(Alignment),
}

fn key((a, b): (ContentId, ContentId)) -> u64 {
    u64::from(a) << 32 | u64::from(b)
}

/// The cost of a pair whose children leave a side empty where all that is the same at both ends is taken away.
fn plain_cost(contents: &Contents, (a, b): (ContentId, ContentId)) -> u32 {
    contents.update_cost(a, b) + contents.size(a).abs_diff(contents.size(b))
}
