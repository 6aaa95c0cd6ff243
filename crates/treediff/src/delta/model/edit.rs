//! Changes at random: whatever can happen to a tree, small enough that everything happens to everything.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::{Item, Model, diff};
use crate::delta::Delta;
use crate::tree::Kind;

/// What a random change is made of; every number is taken modulo whatever there is to choose from.
pub(crate) type Gene = (u8, u16, u16, u8);

/// The next identity, and all that was ever deleted: what an undone delta brings back.
#[derive(Debug, Clone)]
pub(crate) struct History {
    pub(crate) next: u64,
    pub(crate) dead: BTreeMap<u64, Item>,
}
impl Model {
    /// Changes the tree at random.
    pub(crate) fn edited(&self, history: &mut History, genes: &[Gene]) -> Model {
        let mut model = self.clone();
        genes.iter().for_each(|gene| model.edit(history, *gene));
        model.part_texts(history);
        model
    }

    fn edit(&mut self, history: &mut History, (action, x, y, z): Gene) {
        let nodes: Vec<u64> = self.items.keys().copied().filter(|xid| *xid != 0).collect();
        let node = nodes[x as usize % nodes.len()];
        let is_root = self.items[&node].parent == 0 && self.items[&node].is_element();
        match action % 12 {
            0 | 1 => {
                let place = self.any_place(y, z, is_root);
                self.insert(history.next, random_item(x, z), place.0, place.1);
                history.next += 1;
                if place.0 == 0 {
                    let last = self.items.get_mut(&(history.next - 1)).unwrap();
                    *last = Item { parent: 0, ..Item::new(Kind::Comment, "", "at the top") };
                }
            }
            2 if !is_root => self.kill(node, history),
            3 | 4 => {
                let top = self.items[&node].kind;
                let (parent, position) = self.any_place(y, z, false);
                let outer = parent == 0 && matches!(top, Kind::Element | Kind::Text);
                if !is_root && !outer && !self.contains(node, parent) {
                    self.detach(node);
                    let position = position.min(self.items[&parent].children.len());
                    self.attach(node, parent, position);
                }
            }
            5 => self.set_value(node, z),
            6 | 7 => self.set_attribute(node, y, z),
            8 if self.items[&node].parent != 0 || is_root => {
                let place = self.place(node);
                let item = Item::new(Kind::Element, ["w", "v"][z as usize % 2], "");
                self.insert(history.next, item, place.parent.0, place.position as usize);
                self.detach(node);
                self.attach(node, history.next, 0);
                history.next += 1;
            }
            9 => self.unwrap(node, is_root, history),
            10 => {
                let parent = self.items[&node].parent;
                self.items.get_mut(&parent).unwrap().children.rotate_left(1);
            }
            11 => self.revive(history, x, y, z),
            _ => {}
        }
    }

    fn any_place(&self, y: u16, z: u8, only_inside: bool) -> (u64, usize) {
        let may_hold = |(xid, item): &(&u64, &Item)| item.is_element() || (**xid == 0 && !only_inside);
        let parents: Vec<u64> = self.items.iter().filter(may_hold).map(|(xid, _)| *xid).collect();
        let parent = parents[y as usize % parents.len()];
        (parent, (z / 3) as usize % (self.items[&parent].children.len() + 1))
    }

    fn kill(&mut self, node: u64, history: &mut History) {
        self.detach(node);
        for dead in self.pre_order(node) {
            let item = self.items.remove(&dead).unwrap();
            history.dead.insert(dead, Item { children: Vec::new(), ..item });
        }
    }

    fn revive(&mut self, history: &mut History, x: u16, y: u16, z: u8) {
        let dead: Vec<u64> = history.dead.keys().copied().collect();
        if dead.is_empty() {
            return;
        }
        let node = dead[x as usize % dead.len()];
        let (parent, position) = self.any_place(y, z, true);
        if parent != 0 {
            let item = history.dead.remove(&node).unwrap();
            self.insert(node, item, parent, position);
        }
    }

    fn set_value(&mut self, node: u64, z: u8) {
        let item = self.items.get_mut(&node).unwrap();
        match item.kind {
            Kind::Text => item.value = TEXTS[z as usize % TEXTS.len()].to_owned(),
            Kind::Comment | Kind::ProcessingInstruction => item.value = ["c", "d", "e f"][z as usize % 3].to_owned(),
            _ => {}
        }
    }

    fn set_attribute(&mut self, node: u64, y: u16, z: u8) {
        let item = self.items.get_mut(&node).unwrap();
        if item.is_element() {
            let name = ([("", "p"), ("urn:a", "p"), ("urn:b", "q"), ("", "q")])[y as usize % 4];
            let name = (name.0.to_owned(), name.1.to_owned());
            match z % 4 {
                0 => item.attributes.remove(&name),
                value => item.attributes.insert(name, format!("{value}&")),
            };
        }
    }

    fn unwrap(&mut self, node: u64, is_root: bool, history: &mut History) {
        let children = self.items[&node].children.clone();
        let elements = children.iter().filter(|child| self.items[child].is_element()).count();
        let texts = children.iter().filter(|child| self.items[child].kind == Kind::Text).count();
        if !self.items[&node].is_element() || (is_root && (elements != 1 || texts > 0)) {
            return;
        }
        let place = self.place(node);
        for (at, child) in children.iter().enumerate() {
            self.detach(*child);
            self.attach(*child, place.parent.0, place.position as usize + at);
        }
        self.kill(node, history);
    }

    /// Kills the second of two texts that stand side by side.
    fn part_texts(&mut self, history: &mut History) {
        let containers = self.items.iter().filter(|(_, item)| item.kind.is_container());
        for parent in containers.map(|(xid, _)| *xid).collect::<Vec<_>>() {
            let children = self.items[&parent].children.clone();
            let is_text = |at: usize| self.items[&children[at]].kind == Kind::Text;
            let doomed: Vec<u64> =
                (1..children.len()).filter(|at| is_text(*at) && is_text(at - 1)).map(|at| children[at]).collect();
            doomed.into_iter().for_each(|text| self.kill(text, history));
        }
    }
}

const TEXTS: [&str; 5] = ["x", "y z", " ", "&<", "]]>\n"];

fn random_item(x: u16, z: u8) -> Item {
    match x % 8 {
        0 | 1 => Item::new(Kind::Text, "", TEXTS[z as usize % TEXTS.len()]),
        2 => Item::new(Kind::Comment, "", "c"),
        3 => Item::new(Kind::ProcessingInstruction, ["pi", "qi"][z as usize % 2], "data"),
        4 => Item { namespace: "urn:a".into(), ..Item::new(Kind::Element, "e", "") },
        _ => Item::new(Kind::Element, ["e", "f"][z as usize % 2], ""),
    }
}

/// A tree and some versions of it, each with the delta from the one before.
pub(crate) struct Chain {
    pub(crate) first: Model,
    pub(crate) deltas: Vec<Delta>,
    pub(crate) last: Model,
}

pub(crate) fn chain(tree: &[Gene], versions: &[Vec<Gene>], choices: &[u8]) -> Chain {
    let (empty, mut history) = Model::new();
    let first = empty.edited(&mut history, tree);
    history.dead.clear();
    let mut version = first.clone();
    let mut deltas = Vec::new();
    for genes in versions {
        let next = version.edited(&mut history, genes);
        deltas.push(diff(&version, &next, choices, history.next));
        version = next;
    }
    Chain { first, deltas, last: version }
}

pub(crate) fn genes(most: usize) -> impl Strategy<Value = Vec<Gene>> {
    prop::collection::vec(any::<Gene>(), 0..most)
}
