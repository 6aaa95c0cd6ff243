//! What happens to the document? Decided by chance, in three phases, before anything is written.

use super::Rates;
use super::places::{Place, Places};
use super::random::Random;
use super::rules::{Rules, is_written};
use crate::tree::{Document, Kind, Node, NodeId, is_blank};

/// What becomes of a node of the version before. What lies below a node that leaves, leaves with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    Stays,
    Updated,
    Leaves,
}

/// A child that comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Addition {
    pub(super) parent: NodeId,
    /// The child of the parent before which it comes, or the end of the parent's subtree.
    pub(super) before: u32,
    pub(super) content: Content,
}

/// What comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Content {
    /// A new text.
    Text,
    /// A new element, named like another one, and maybe with a new text in it; in JSON a value of the same kind.
    Element { like: NodeId, has_text: bool },
    /// A subtree that was taken out.
    Moved(NodeId),
}

/// What was decided by chance.
#[derive(Debug)]
pub(super) struct Decisions {
    pub(super) fates: Vec<Fate>,
    /// Sorted by parent and place; at most one at a place.
    pub(super) additions: Vec<Addition>,
}

impl Decisions {
    pub(super) fn new(document: &Document, rates: Rates, random: &mut Random, rules: &Rules) -> Self {
        let decisions = Decisions { fates: vec![Fate::Stays; document.len()], additions: Vec::new() };
        let mut planner = Planner { document, random, rules, decisions };
        let texts = planner.texts().count();
        let moving = planner.take_out(rates);
        planner.part_texts();
        let left_over = planner.bring_in_moved(moving);
        // Before the updates, of which those that are back have their share.
        planner.decisions.put_back(document, left_over);
        planner.update(rates.update * texts as f64);
        planner.bring_in_new(rates.insert * nodes_of(document));
        planner.decisions.additions.sort_unstable();
        planner.decisions
    }
}

/// What happens, with all that follows from what was decided.
#[derive(Debug)]
pub(super) struct Plan<'p> {
    pub(super) fates: Vec<Fate>,
    pub(super) additions: &'p [Addition],
    /// Whether something happens to the node or below it.
    pub(super) is_changed: Vec<bool>,
}

impl<'p> Plan<'p> {
    pub(super) fn new(document: &Document, decisions: &'p Decisions, rules: &Rules) -> Self {
        let is_changed = vec![false; document.len()];
        let mut plan = Plan { fates: decisions.fates.clone(), additions: &decisions.additions, is_changed };
        plan.drop_blanks(document, rules);
        plan.note_changes(document);
        plan
    }

    /// White space alone beside elements is no node where all other text has gone, so it goes too.
    fn drop_blanks(&mut self, document: &Document, rules: &Rules) {
        for parent in parents_of_changes(document, &self.fates, self.additions) {
            let first = self.additions.partition_point(|addition| addition.parent < parent);
            let additions = self.additions[first..].iter().take_while(|addition| addition.parent == parent);
            let (mut children, mut has_text) = (0, false);
            for addition in additions {
                children += 1;
                has_text |= addition.is_text(document);
            }
            let staying = document.node(parent).children().filter(|child| self.stays(child.id()));
            for child in staying.clone() {
                children += 1;
                has_text |= child.kind() == Kind::Text && !rules.is_blank[child.id().index()];
            }
            if children > 1 && !has_text && !rules.preserves[parent.index()] {
                let blanks: Vec<NodeId> = staying.map(Node::id).filter(|id| rules.is_blank[id.index()]).collect();
                blanks.into_iter().for_each(|id| self.fates[id.index()] = Fate::Leaves);
            }
        }
    }

    fn stays(&self, node: NodeId) -> bool {
        self.fates[node.index()] != Fate::Leaves
    }

    /// Where a node of the new version is in the one before: at the last node up to it that is where it was. `origins` are
    /// those of all nodes of the new version.
    pub(super) fn place_before(&self, document: &Document, node: u32, origins: &[Option<NodeId>]) -> u32 {
        let mut is_away = vec![false; document.len()];
        for (id, &parent) in document.parents().iter().enumerate().skip(1) {
            is_away[id] = self.fates[id] == Fate::Leaves || is_away[parent as usize];
        }
        let up_to = &origins[..origins.len().min((node as usize).saturating_add(1))];
        let last = up_to.iter().rev().flatten().find(|origin| !is_away[origin.index()]);
        last.map_or(0, |origin| origin.0)
    }

    /// Of all nodes, those that move, with the subtree that they are in.
    pub(super) fn moved(&self, document: &Document) -> f64 {
        let moved = self.additions.iter().filter_map(|addition| addition.moved());
        let nodes: u64 = moved.map(|node| u64::from(document.node(node).size())).sum();
        nodes as f64 / nodes_of(document).max(1.0)
    }

    fn note_changes(&mut self, document: &Document) {
        for parent in parents_of_changes(document, &self.fates, self.additions) {
            self.is_changed[parent.index()] = true;
        }
        for id in (1..self.fates.len()).rev() {
            if self.is_changed[id] {
                self.is_changed[document.parents()[id] as usize] = true;
            }
        }
    }
}

/// The parents of what leaves, is updated or comes, each once.
fn parents_of_changes(document: &Document, fates: &[Fate], additions: &[Addition]) -> Vec<NodeId> {
    let changed = (1..fates.len()).filter(|&id| fates[id] != Fate::Stays);
    let parents = changed.map(|id| NodeId(document.parents()[id]));
    let mut parents: Vec<NodeId> = parents.chain(additions.iter().map(|addition| addition.parent)).collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}

/// The nodes that rates refer to: all but the document node.
fn nodes_of(document: &Document) -> f64 {
    (document.len() - 1) as f64
}

pub(super) fn is_blank_text(text: Node<'_>) -> bool {
    is_blank(text.value().as_bytes())
}

struct Planner<'p> {
    document: &'p Document,
    random: &'p mut Random,
    rules: &'p Rules,
    decisions: Decisions,
}

impl<'p> Planner<'p> {
    /// The nodes that have not been taken out, without the document node.
    fn staying(&self) -> impl Iterator<Item = Node<'p>> {
        let mut next = 1;
        std::iter::from_fn(move || {
            while self.decisions.fates.get(next) == Some(&Fate::Leaves) {
                next = self.document.ends()[next] as usize;
            }
            next += 1;
            (next <= self.decisions.fates.len()).then(|| self.document.node(NodeId(next as u32 - 1)))
        })
    }

    /// The staying texts that can be updated; in JSON strings and numbers.
    fn texts(&self) -> impl Iterator<Item = Node<'p>> {
        let is_text = |kind| matches!(kind, Kind::Text | Kind::String | Kind::Number);
        self.staying().filter(move |node| is_text(node.kind()) && self.rules.can_change(*node))
    }

    /// The first phase: takes out subtrees, and says which of them will come in again elsewhere.
    fn take_out(&mut self, rates: Rates) -> Vec<NodeId> {
        let share = (rates.delete + rates.moved).min(1.0);
        let wanted = share * nodes_of(self.document);
        let root = self.document.root_element().map(Node::id);
        let can_leave: Vec<bool> = (self.document.nodes())
            .map(|node| {
                Some(node.id()) != root && f64::from(node.size()) <= wanted.max(1.0) && self.rules.can_leave(node)
            })
            .collect();
        let chance = self.chance_to_lose(wanted, &can_leave);
        // Of every node whether the last of its children so far that stays is a text.
        let mut ends_in_text = vec![false; self.document.len()];
        let mut moving = Vec::new();
        let mut next = 1;
        while next < self.document.len() {
            let node = self.document.node(NodeId(next as u32));
            let parent = self.document.parents()[next] as usize;
            let leaves = can_leave[next] && self.random.chance(chance);
            let is_moving = leaves && self.random.chance(rates.moved / (rates.delete + rates.moved));
            if !leaves || (is_moving && !self.can_move(node, ends_in_text[parent])) {
                ends_in_text[parent] = node.kind() == Kind::Text;
                next += 1;
                continue;
            }
            self.decisions.fates[next] = Fate::Leaves;
            moving.extend(is_moving.then_some(node.id()));
            next = self.document.ends()[next] as usize;
        }
        moving
    }

    /// Whether a node can move without anything else being deleted: texts that would stand side by side then, or white
    /// space that would be no node any more.
    fn can_move(&self, node: Node<'_>, is_behind_text: bool) -> bool {
        let is_text = |sibling: Node<'_>| sibling.kind() == Kind::Text;
        let parts_texts = is_behind_text && node.next_sibling().is_some_and(is_text);
        is_written(node) && !parts_texts && !self.rules.is_alone(node) && !self.rules.keeps_blanks(node)
    }

    /// The chance of one node to be taken out by which `wanted` nodes are, those below it included.
    fn chance_to_lose(&self, wanted: f64, can_leave: &[bool]) -> f64 {
        // By how many of itself and those above it a node can be taken out, and how many nodes there are of each.
        let mut ways: Vec<usize> = vec![0; self.document.len()];
        let mut nodes: Vec<f64> = Vec::new();
        for (id, &parent) in self.document.parents().iter().enumerate().skip(1) {
            ways[id] = ways[parent as usize] + usize::from(can_leave[id]);
            nodes.resize(nodes.len().max(ways[id] + 1), 0.0);
            nodes[ways[id]] += 1.0;
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..BISECTIONS {
            let middle = (low + high) / 2.0;
            if lost(&nodes, middle) < wanted { low = middle } else { high = middle }
        }
        if wanted > 0.0 { high } else { 0.0 }
    }

    /// Where two texts would come to stand side by side, one of them is deleted: white space first.
    fn part_texts(&mut self) {
        let Decisions { fates, additions } = &mut self.decisions;
        for parent in parents_of_changes(self.document, fates, additions) {
            let mut text: Option<NodeId> = None;
            for child in self.document.node(parent).children().map(Node::id) {
                if fates[child.index()] == Fate::Leaves {
                    continue;
                }
                text = match (text, self.document.node(child).kind()) {
                    (Some(kept), Kind::Text) if self.rules.is_blank[kept.index()] => {
                        fates[kept.index()] = Fate::Leaves;
                        Some(child)
                    }
                    (Some(kept), Kind::Text) => {
                        fates[child.index()] = Fate::Leaves;
                        Some(kept)
                    }
                    (None, Kind::Text) => Some(child),
                    _ => None,
                };
            }
        }
    }

    /// The second phase: updates about so many of the texts that are left.
    fn update(&mut self, wanted: f64) {
        let texts: Vec<NodeId> = self.texts().map(Node::id).collect();
        let chance = wanted / texts.len() as f64;
        for text in texts {
            if self.random.chance(chance) {
                self.decisions.fates[text.index()] = Fate::Updated;
            }
        }
    }

    /// The third phase begins with what moves, as far as there is a place for it. What there is no place for is left over.
    fn bring_in_moved(&mut self, moving: Vec<NodeId>) -> Vec<NodeId> {
        let mut left_over = Vec::new();
        if moving.is_empty() {
            return left_over;
        }
        let mut places = self.places();
        places.keep_keys(&moving);
        for id in moving {
            let node = self.document.node(id);
            let preserves = self.rules.preserves[self.document.parents()[id.index()] as usize];
            let fits = |place: &Place| {
                self.rules.preserves[place.parent.index()] == preserves
                    && !self.rules.is_blank_alone(self.document.node(place.parent))
            };
            match places.find_for(node, self.random, fits) {
                Some(Place { parent, before, .. }) => {
                    self.decisions.additions.push(Addition { parent, before, content: Content::Moved(id) });
                }
                None => left_over.push(id),
            }
        }
        left_over
    }

    /// The places between the children that stay and beside what has come.
    fn places(&mut self) -> Places<'p> {
        let staying: Vec<Node<'p>> = self.staying().collect();
        Places::new(self.document, &staying, &self.decisions.additions, self.rules, self.random)
    }

    /// Then come about so many new nodes.
    fn bring_in_new(&mut self, wanted: f64) {
        let mut left = self.random.about(wanted);
        if left == 0 {
            return;
        }
        let mut places = self.places();
        while left > 0 {
            let Some(place) = places.find(self.random) else { return };
            let content = match place.takes_text {
                true => Some(Content::Text),
                false => places.element_for(place.parent, self.random),
            };
            let Some(content) = content else { continue };
            self.decisions.additions.push(Addition { parent: place.parent, before: place.before, content });
            left = left.saturating_sub(if matches!(content, Content::Element { has_text: true, .. }) { 2 } else { 1 });
        }
    }
}

/// Steps in which a chance is found; each adds a binary digit.
const BISECTIONS: usize = 48;

/// How many nodes are lost on the average where each of their ways to be lost has this chance.
fn lost(nodes: &[f64], chance: f64) -> f64 {
    let mut kept = 1.0;
    let mut lost = 0.0;
    for &count in nodes {
        lost += count * (1.0 - kept);
        kept *= 1.0 - chance;
    }
    lost
}

impl Addition {
    /// What moves, if it is that.
    pub(super) fn moved(self) -> Option<NodeId> {
        match self.content {
            Content::Moved(node) => Some(node),
            Content::Text | Content::Element { .. } => None,
        }
    }

    pub(super) fn is_text(self, document: &Document) -> bool {
        match self.content {
            Content::Text => true,
            Content::Element { .. } => false,
            Content::Moved(node) => document.node(node).kind() == Kind::Text,
        }
    }
}
