//! What is given up where a page is read differently than it was meant?
//!
//! The operations around the first difference, and the page is made again without them. Which of them is to blame is
//! hard to say, so those that are nearest in document order go: at first one on each side, and twice as many after every
//! [`TRIES_OF_A_SIZE`] tries. Each try gives up one at least, so of `n` operations none is left after
//! `TRIES_OF_A_SIZE * (log2(n) + 2)` tries, and what is left then is the page as it was.
//!
//! An operation is given up with all others between the same two elements that stay: texts may stand side by side if
//! one of them is undone alone. What moved from there or was to move to there is back where it was, and with a text that
//! is back all that happened beside it is given up in its turn: nothing is deleted because it could not move.

use std::collections::{HashMap, HashSet};

use super::plan::{Addition, Decisions, Fate};
use crate::tree::{Document, Kind, Node, NodeId};

/// How often the operations around a difference are given up before more are.
const TRIES_OF_A_SIZE: u32 = 8;

/// Something that was decided to happen to the children of a parent: to the one at `place`, or right before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Happening {
    place: u32,
    parent: NodeId,
}

/// What is between two children of a parent that stay: behind `from`, up to what comes right before `until`.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    parent: NodeId,
    from: u32,
    until: u32,
}

impl Decisions {
    /// Gives up the operations around a place, which is a node in document order; whether there were any.
    pub(super) fn retreat(&mut self, document: &Document, place: u32, tries: u32) -> bool {
        let mut all = self.happenings(document);
        all.sort_unstable();
        let count = 1usize.checked_shl(tries / TRIES_OF_A_SIZE).unwrap_or(usize::MAX);
        let middle = all.partition_point(|happening| happening.place <= place);
        let chosen = &all[middle.saturating_sub(count)..middle.saturating_add(count).min(all.len())];
        let displaced = self.give_up(document, chosen.to_vec());
        self.put_back(document, displaced);
        !chosen.is_empty()
    }

    /// Lets some nodes that were to move be where they were, and those that were to move to there as well. Every node is put
    /// back once, so this takes no longer than there are nodes.
    pub(super) fn put_back(&mut self, document: &Document, mut nodes: Vec<NodeId>) {
        let place_of = |addition: &Addition| (addition.parent, addition.before);
        let moved: HashMap<(NodeId, u32), NodeId> =
            self.additions.iter().filter_map(|addition| Some((place_of(addition), addition.moved()?))).collect();
        let mut undone: HashSet<(NodeId, u32)> = HashSet::new();
        while let Some(node) = nodes.pop().map(|id| document.node(id)) {
            if self.fates[node.id().index()] != Fate::Leaves {
                continue;
            }
            self.fates[node.id().index()] = Fate::Stays;
            // Whatever has come beside another node, no two texts meet because of that.
            let (Kind::Text, Some(parent)) = (node.kind(), node.parent()) else { continue };
            let mut between = vec![node.id().0];
            let before = std::iter::successors(node.previous_sibling(), |sibling| sibling.previous_sibling());
            between.extend(before.take_while(|sibling| !self.parts_texts(*sibling)).map(|sibling| sibling.id().0));
            let mut behind = std::iter::successors(node.next_sibling(), |sibling| sibling.next_sibling());
            let until = behind.find_map(|sibling| match self.parts_texts(sibling) {
                true => Some(sibling.id().0),
                false => {
                    between.push(sibling.id().0);
                    None
                }
            });
            between.iter().for_each(|&id| self.fates[id as usize] = Fate::Stays);
            between.push(until.unwrap_or(parent.end()));
            for place in between.into_iter().map(|before| (parent.id(), before)) {
                if undone.insert(place) {
                    nodes.extend(moved.get(&place));
                }
            }
        }
        let fates = &self.fates;
        let is_back = |node: NodeId| fates[node.index()] != Fate::Leaves;
        self.additions
            .retain(|addition| !undone.contains(&place_of(addition)) && !addition.moved().is_some_and(is_back));
    }

    /// Gives up some of what was decided, and says what was to move to there and has no place now.
    fn give_up(&mut self, document: &Document, mut given_up: Vec<Happening>) -> Vec<NodeId> {
        given_up.sort_unstable_by_key(|happening| (happening.parent, happening.place));
        let mut undone = Vec::new();
        for of_parent in given_up.chunk_by(|a, b| a.parent == b.parent) {
            self.undo(document.node(of_parent[0].parent), of_parent, &mut undone);
        }
        let fates = &self.fates;
        let mut displaced = Vec::new();
        self.additions.retain(|addition| {
            let is_undone = is_in(&undone, addition);
            let Some(node) = addition.moved() else { return !is_undone };
            let is_away = fates[node.index()] == Fate::Leaves;
            displaced.extend((is_away && is_undone).then_some(node));
            is_away && !is_undone
        });
        displaced
    }

    fn happenings(&self, document: &Document) -> Vec<Happening> {
        let changed = (1..self.fates.len()).filter(|&id| self.fates[id] != Fate::Stays);
        let changed = changed.map(|id| Happening { place: id as u32, parent: NodeId(document.parents()[id]) });
        let coming = self.additions.iter().map(|it| Happening { place: it.before, parent: it.parent });
        changed.chain(coming).collect()
    }

    /// Lets the children of a node be what they were where something happens that is given up, and notes where that is.
    fn undo(&mut self, parent: Node<'_>, given_up: &[Happening], undone: &mut Vec<Stretch>) {
        let mut between: Vec<NodeId> = Vec::new();
        let mut from = parent.id().0;
        for child in parent.children().map(Some).chain([None]) {
            if let Some(child) = child.filter(|child| !self.parts_texts(*child)) {
                between.push(child.id());
                continue;
            }
            let until = child.map_or(parent.end(), |child| child.id().0);
            let first = given_up.partition_point(|happening| happening.place <= from);
            if given_up.get(first).is_some_and(|happening| happening.place <= until) {
                between.iter().for_each(|id| self.fates[id.index()] = Fate::Stays);
                undone.push(Stretch { parent: parent.id(), from, until });
            }
            between.clear();
            from = until;
        }
    }

    /// Whether a child stays between what is before and behind it, so that no text of one side meets one of the other.
    fn parts_texts(&self, child: Node<'_>) -> bool {
        child.kind() != Kind::Text && self.fates[child.id().index()] == Fate::Stays
    }
}

/// Whether an addition comes into one of the stretches, which are in order.
fn is_in(stretches: &[Stretch], addition: &Addition) -> bool {
    let Addition { parent, before, .. } = *addition;
    let behind = stretches.partition_point(|stretch| (stretch.parent, stretch.from) < (parent, before));
    let last = behind.checked_sub(1).map(|at| stretches[at]);
    last.is_some_and(|last| last.parent == parent && before <= last.until)
}

#[cfg(test)]
mod tests {
    use super::super::plan::Plan;
    use super::super::random::Random;
    use super::super::rules::Rules;
    use super::super::{Rates, version};
    use super::*;
    use crate::parse::{self, Options};

    /// Whatever is given up, what is left is a version, until nothing is left within the bound.
    #[test]
    fn each_retreat_leaves_less_and_what_can_be_done() {
        let row = |at| format!("<p>one {at} <b>two</b> three <i>four</i> five</p>");
        let options = Options::default();
        let source = format!("<body>{}", (0..60).map(row).collect::<String>());
        let document = parse::html(source, &options).unwrap().document;
        let rules = Rules::new(&document, false);
        for seed in 0..20 {
            let mut decisions = Decisions::new(&document, Rates::all(0.2), &mut Random::new(seed), &rules);
            let mut left = decisions.happenings(&document).len();
            let bound = TRIES_OF_A_SIZE * (left.ilog2() + 2);
            let mut tries = 0;
            while decisions.retreat(&document, Random::new(tries.into()).below(document.len()) as u32, tries) {
                let now = decisions.happenings(&document).len();
                assert!(now < left, "{now} are left of {left}");
                let plan = Plan::new(&document, &decisions, &rules);
                assert!(version::version(&document, &plan, seed, &options).is_ok(), "with {now} left");
                (left, tries) = (now, tries + 1);
            }
            assert!(left == 0 && tries <= bound, "{left} after {tries} of {bound}");
        }
    }
}
