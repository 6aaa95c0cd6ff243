//! Which children are called alike? Those of a pair of parents, counted by name.
//!
//! Nearly all parents have children of a few names, which are looked through sooner than a table is asked; there is one for
//! those that have many.

use crate::tree::{Label, NodeId};

/// So many names, or siblings of one name, are looked through; more need a table.
pub(super) const NARROW: usize = 8;

/// The children of one pair of parents by name; those of `after` whose names `before` does not have are left out.
#[derive(Debug, Default)]
pub(super) struct Families {
    pub(super) all: Vec<Family>,
    /// The children in order, each with the place of its family.
    pub(super) before: Vec<(NodeId, u32)>,
    pub(super) after: Vec<(NodeId, u32)>,
    /// For every label the place of its family, where there are more than a few.
    index: Vec<Indexed>,
    names: usize,
    round: u32,
}

/// The children of one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Family {
    pub(super) label: Label,
    /// How many they are on each side.
    pub(super) before: u32,
    pub(super) after: u32,
    /// The first of `before`.
    pub(super) first: NodeId,
    /// The place of their group, where they have to be told apart.
    pub(super) group: u32,
}

impl Family {
    /// Whether its name says who is who.
    pub(super) fn is_single(&self) -> bool {
        self.before == 1 && self.after == 1
    }
}

/// The place of a family; those of other rounds are none.
#[derive(Debug, Clone, Copy, Default)]
struct Indexed {
    round: u32,
    family: u32,
}

/// Kinds of children that a format has, those of XML first: a name has a label for each.
const LABELS_OF_A_NAME: usize = 5;

impl Families {
    /// Makes ready for documents of which `before` has so many names.
    pub(super) fn begin(&mut self, names: usize) {
        self.names = names;
    }

    /// Forgets the children of the last pair.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.before.clear();
        self.after.clear();
    }

    /// Adds the next child of `before`.
    #[inline]
    pub(super) fn add_before(&mut self, child: NodeId, label: Label) {
        let place = self.find(label).unwrap_or_else(|| self.found(label, child));
        self.all[place].before += 1;
        self.before.push((child, place as u32));
    }

    /// Adds the next child of `after`, whose label in `before` is given.
    #[inline]
    pub(super) fn add_after(&mut self, child: NodeId, label: Label) {
        if let Some(place) = self.find(label) {
            self.all[place].after += 1;
            self.after.push((child, place as u32));
        }
    }

    #[inline]
    fn find(&self, label: Label) -> Option<usize> {
        if self.all.len() <= NARROW {
            return self.all.iter().position(|family| family.label == label);
        }
        let found = self.index[self.slot(label)];
        (found.round == self.round).then_some(found.family as usize)
    }

    /// Begins a family, and gives its place.
    fn found(&mut self, label: Label, first: NodeId) -> usize {
        let place = self.all.len();
        self.all.push(Family { label, before: 0, after: 0, first, group: 0 });
        if place == NARROW {
            self.begin_index();
        } else if place > NARROW {
            self.index(place);
        }
        place
    }

    #[cold]
    fn begin_index(&mut self) {
        self.round = self.round.wrapping_add(1);
        let needed = self.names * LABELS_OF_A_NAME;
        if self.index.len() < needed || self.round == 0 {
            self.index.clear();
            self.index.resize(needed, Indexed::default());
            self.round = 1;
        }
        (0..self.all.len()).for_each(|place| self.index(place));
    }

    fn index(&mut self, place: usize) {
        let slot = self.slot(self.all[place].label);
        self.index[slot] = Indexed { round: self.round, family: place as u32 };
    }

    fn slot(&self, label: Label) -> usize {
        let kind = label.kind() as usize;
        let row = if kind > LABELS_OF_A_NAME { kind - LABELS_OF_A_NAME } else { kind } - 1;
        row * self.names + label.name().index()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Kind, NameId};

    #[test]
    fn children_are_counted_by_name_however_many_names_there_are() {
        let mut families = Families::default();
        for names in [1, 2, NARROW as u32, NARROW as u32 + 1, 100] {
            families.begin(names as usize + 1);
            families.clear();
            let label = |at: u32| Label::new(Kind::Element, NameId(1 + at % names));
            (0..2 * names).for_each(|at| families.add_before(NodeId(at), label(at)));
            (0..3 * names).for_each(|at| families.add_after(NodeId(at), label(at)));
            families.add_after(NodeId(0), Label::of(Kind::Text));
            assert_eq!(families.all.len(), names as usize);
            for (at, family) in (0..names).zip(&families.all) {
                assert_eq!((family.label, family.before, family.after, family.first), (label(at), 2, 3, NodeId(at)));
            }
            assert!(families.after.iter().map(|(node, _)| node.0).eq(0..3 * names));
        }
    }
}
