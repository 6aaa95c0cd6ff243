//! What happens to the document? Decided by chance, in three phases, before anything is written.

use super::Rates;
use super::places::{Place, Places};
use super::random::Random;
use crate::tree::{Document, Kind, Node, NodeId, XML_NAMESPACE, is_blank};

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

/// What happens.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) fates: Vec<Fate>,
    /// Sorted by parent and place; at most one at a place.
    pub(super) additions: Vec<Addition>,
    /// Whether something happens to the node or below it.
    pub(super) is_changed: Vec<bool>,
}

impl Plan {
    pub(super) fn new(document: &Document, rates: Rates, random: &mut Random, is_exact: bool) -> Self {
        let mut planner = Planner {
            document,
            random,
            preserves: preserved(document, is_exact),
            is_blank: document.nodes().map(|node| node.kind() == Kind::Text && is_blank_text(node)).collect(),
            fates: vec![Fate::Stays; document.len()],
            additions: Vec::new(),
        };
        let texts = planner.texts().count();
        let moving = planner.take_out(rates);
        planner.part_texts();
        planner.update(rates.update * texts as f64);
        planner.bring_in(moving, rates.insert * nodes_of(document));
        planner.additions.sort_unstable();
        planner.drop_blanks();
        planner.finish()
    }
}

/// The nodes that rates refer to: all but the document node.
fn nodes_of(document: &Document) -> f64 {
    (document.len() - 1) as f64
}

pub(super) fn is_blank_text(text: Node<'_>) -> bool {
    is_blank(text.value().as_bytes())
}

/// Whether white space between the children of a node is nodes, whatever they are.
fn preserved(document: &Document, is_exact: bool) -> Vec<bool> {
    let mut preserves = vec![is_exact; document.len()];
    if is_exact || document.names().find(XML_NAMESPACE, "space").is_none() {
        return preserves;
    }
    for node in document.nodes().skip(1) {
        preserves[node.id().index()] = match node.attribute(XML_NAMESPACE, "space").as_deref() {
            Some("preserve") => true,
            Some("default") => false,
            _ => preserves[document.parents()[node.id().index()] as usize],
        };
    }
    preserves
}

struct Planner<'p> {
    document: &'p Document,
    random: &'p mut Random,
    /// Whether white space in a node is nodes, whatever stands beside it.
    preserves: Vec<bool>,
    is_blank: Vec<bool>,
    fates: Vec<Fate>,
    additions: Vec<Addition>,
}

impl<'p> Planner<'p> {
    /// The nodes that have not been taken out, without the document node.
    fn staying(&self) -> impl Iterator<Item = Node<'p>> {
        let mut next = 1;
        std::iter::from_fn(move || {
            while self.fates.get(next) == Some(&Fate::Leaves) {
                next = self.document.ends()[next] as usize;
            }
            next += 1;
            (next <= self.fates.len()).then(|| self.document.node(NodeId(next as u32 - 1)))
        })
    }

    /// The staying texts that can be updated; in JSON strings and numbers.
    fn texts(&self) -> impl Iterator<Item = Node<'p>> {
        let is_text = |kind| matches!(kind, Kind::Text | Kind::String | Kind::Number);
        self.staying().filter(move |node| is_text(node.kind()) && self.can_change(*node))
    }

    /// Whether something may happen to a node: not white space alone, and not in what an entity brought, since that is
    /// written elsewhere.
    fn can_change(&self, node: Node<'_>) -> bool {
        !self.is_blank[node.id().index()] && node.parent().is_some_and(is_written)
    }

    /// The first phase: takes out subtrees, and says which of them will come in again elsewhere.
    fn take_out(&mut self, rates: Rates) -> Vec<NodeId> {
        let share = (rates.delete + rates.moved).min(1.0);
        let wanted = share * nodes_of(self.document);
        let root = self.document.root_element().map(Node::id);
        let can_leave: Vec<bool> = (self.document.nodes())
            .map(|node| Some(node.id()) != root && f64::from(node.size()) <= wanted.max(1.0) && self.can_change(node))
            .collect();
        let chance = self.chance_to_lose(wanted, &can_leave);
        let mut moving = Vec::new();
        let mut next = 1;
        while next < self.document.len() {
            if !can_leave[next] || !self.random.chance(chance) {
                next += 1;
                continue;
            }
            self.fates[next] = Fate::Leaves;
            let id = NodeId(next as u32);
            if self.random.chance(rates.moved / (rates.delete + rates.moved)) && is_written(self.document.node(id)) {
                moving.push(id);
            }
            next = self.document.ends()[next] as usize;
        }
        moving
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
        for parent in self.parents_of_changes() {
            let mut text: Option<NodeId> = None;
            for child in self.document.node(parent).children().map(Node::id) {
                if self.fates[child.index()] == Fate::Leaves {
                    continue;
                }
                text = match (text, self.document.node(child).kind()) {
                    (Some(kept), Kind::Text) if self.is_blank[kept.index()] => {
                        self.fates[kept.index()] = Fate::Leaves;
                        Some(child)
                    }
                    (Some(kept), Kind::Text) => {
                        self.fates[child.index()] = Fate::Leaves;
                        Some(kept)
                    }
                    (None, Kind::Text) => Some(child),
                    _ => None,
                };
            }
        }
    }

    /// The parents of what leaves, is updated or comes, each once.
    fn parents_of_changes(&self) -> Vec<NodeId> {
        let changed = (1..self.fates.len()).filter(|&id| self.fates[id] != Fate::Stays);
        let parents = changed.map(|id| NodeId(self.document.parents()[id]));
        let mut parents: Vec<NodeId> = parents.chain(self.additions.iter().map(|addition| addition.parent)).collect();
        parents.sort_unstable();
        parents.dedup();
        parents
    }

    /// The second phase: updates about so many of the texts that are left.
    fn update(&mut self, wanted: f64) {
        let texts: Vec<NodeId> = self.texts().map(Node::id).collect();
        let chance = wanted / texts.len() as f64;
        for text in texts {
            if self.random.chance(chance) {
                self.fates[text.index()] = Fate::Updated;
            }
        }
    }

    /// The third phase: brings in what moves, as far as there is a place for it, and about so many new nodes.
    fn bring_in(&mut self, moving: Vec<NodeId>, wanted: f64) {
        let staying: Vec<Node<'p>> = self.staying().collect();
        let mut places = Places::new(self.document, &staying, &self.is_blank, self.random);
        for id in moving {
            let node = self.document.node(id);
            let preserves = self.preserves[self.document.parents()[id.index()] as usize];
            let fits = |place: &Place| self.preserves[place.parent.index()] == preserves;
            if let Some(Place { parent, before, .. }) = places.find_for(node, self.random, fits) {
                self.additions.push(Addition { parent, before, content: Content::Moved(id) });
            }
        }
        let mut left = self.random.about(wanted);
        while left > 0 {
            let Some(place) = places.find(self.random, false, |_| true) else { return };
            let content = match place.takes_text {
                true => Content::Text,
                false => places.element_for(place.parent, self.random),
            };
            self.additions.push(Addition { parent: place.parent, before: place.before, content });
            left = left.saturating_sub(if matches!(content, Content::Element { has_text: true, .. }) { 2 } else { 1 });
        }
    }

    /// White space alone beside elements is no node where all other text has gone, so it goes too.
    fn drop_blanks(&mut self) {
        for parent in self.parents_of_changes() {
            let first = self.additions.partition_point(|addition| addition.parent < parent);
            let additions = self.additions[first..].iter().take_while(|addition| addition.parent == parent);
            let (mut children, mut has_text) = (0, false);
            for addition in additions {
                children += 1;
                has_text |= addition.is_text(self.document);
            }
            let staying = self.document.node(parent).children().filter(|child| self.stays(child.id()));
            for child in staying.clone() {
                children += 1;
                has_text |= child.kind() == Kind::Text && !self.is_blank[child.id().index()];
            }
            if children > 1 && !has_text && !self.preserves[parent.index()] {
                let blanks: Vec<NodeId> = staying.map(Node::id).filter(|id| self.is_blank[id.index()]).collect();
                blanks.into_iter().for_each(|id| self.fates[id.index()] = Fate::Leaves);
            }
        }
    }

    fn stays(&self, node: NodeId) -> bool {
        self.fates[node.index()] != Fate::Leaves
    }

    fn finish(self) -> Plan {
        let mut is_changed = vec![false; self.fates.len()];
        for parent in self.parents_of_changes() {
            is_changed[parent.index()] = true;
        }
        for id in (1..self.fates.len()).rev() {
            if is_changed[id] {
                is_changed[self.document.parents()[id] as usize] = true;
            }
        }
        Plan { fates: self.fates, additions: self.additions, is_changed }
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

/// Whether a node stands in the source itself, and not in an entity.
pub(super) fn is_written(node: Node<'_>) -> bool {
    node.parent().is_none() || node.source_range().is_some()
}

impl Addition {
    pub(super) fn is_text(self, document: &Document) -> bool {
        match self.content {
            Content::Text => true,
            Content::Element { .. } => false,
            Content::Moved(node) => document.node(node).kind() == Kind::Text,
        }
    }
}
