//! Which children have to be told apart, and by what? Rows of siblings with one name, each with its key.

use super::families::{Families, NARROW};
use super::field::Field;
use super::search::{Found, Search};
use super::table::Table;
use super::{Kfdiff, Pair, Run, paths};
use crate::matching::Fallback;
use crate::text::shortened;
use crate::tree::hash::{self, mix};
use crate::tree::{Document, Label, NodeId};

/// What kinds of keys begin with, so that an ID is no value.
const BY_ID: u64 = 1;
const BY_FIELD: u64 = 2;
const BY_VALUE: u64 = 3;

/// A child that has to be told from others of its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keyed {
    pub(super) key: u64,
    pub(super) node: NodeId,
    /// The place in the other row of the child with this key, or [`NONE`].
    pub(super) partner: u32,
    /// A child of the same key that stands behind it, or [`NONE`].
    pub(super) twin: u32,
    pub(super) by: By,
}

pub(super) const NONE: u32 = u32::MAX;

/// What a key is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Id,
    Field,
    Value,
}

/// Siblings of one name, on both sides, as ranges of the rows.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) before: std::ops::Range<usize>,
    pub(super) after: std::ops::Range<usize>,
    /// Their label in `before`.
    pub(super) label: Label,
    /// The hash of the label path of their parents, and of theirs.
    pub(super) above: u64,
    pub(super) path: u64,
    /// The place of their key field among those that are known, or [`NONE`].
    pub(super) key: u32,
}

/// The children of one pair of parents that have to be told apart.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub(super) before: Vec<Keyed>,
    pub(super) after: Vec<Keyed>,
    pub(super) groups: Vec<Group>,
    /// Places for sorting.
    pub(super) sorted: [Vec<(u64, u32)>; 2],
    /// Children that found no partner, and links between them.
    pub(super) left: [Vec<NodeId>; 2],
    pub(super) links: Vec<u32>,
    pub(super) families: Families,
}

impl Rows {
    fn clear(&mut self) {
        self.before.clear();
        self.after.clear();
        self.groups.clear();
        self.families.clear();
    }
}

impl Run<'_, '_> {
    /// Pairs the children of a pair: those whose names are there once on both sides, and the others by their keys.
    pub(super) fn match_children(&mut self, pair: Pair) {
        self.scratch.rows.clear();
        self.list_children(pair);
        self.open_groups(pair);
        self.place_children(pair);
        for group in 0..self.scratch.rows.groups.len() {
            self.key_group(group);
        }
        for group in 0..self.scratch.rows.groups.len() {
            self.pair_group(group);
        }
    }

    /// The label of a child of `before` that may still get a partner.
    fn free_before(&self, child: NodeId) -> Option<Label> {
        (!self.has_given || self.matching.after_of(child).is_none()).then(|| self.from.label(child))
    }

    /// The same of `after`, and its label in `before`.
    fn free_after(&self, child: NodeId) -> Option<Label> {
        let is_free = !self.has_given || self.matching.before_of(child).is_none();
        self.labels.before_of(self.to.label(child)).filter(|_| is_free)
    }

    fn list_children(&mut self, pair: Pair) {
        for child in self.from.children(pair.before) {
            if let Some(label) = self.free_before(child) {
                self.scratch.rows.families.add_before(child, label);
            }
        }
        for child in self.to.children(pair.after) {
            if let Some(label) = self.free_after(child) {
                self.scratch.rows.families.add_after(child, label);
            }
        }
    }

    /// Makes room for the children that have to be told apart.
    fn open_groups(&mut self, pair: Pair) {
        let names = self.before.names();
        let Rows { before, after, groups, families, .. } = &mut self.scratch.rows;
        for family in families.all.iter_mut().filter(|family| family.after > 0 && !family.is_single()) {
            family.group = groups.len() as u32;
            groups.push(Group {
                before: before.len()..before.len(),
                after: after.len()..after.len(),
                label: family.label,
                above: pair.path,
                path: paths::step(pair.path, family.label.hash(names)),
                key: NONE,
            });
            before.resize(before.len() + family.before as usize, Keyed::of(NodeId::DOCUMENT));
            after.resize(after.len() + family.after as usize, Keyed::of(NodeId::DOCUMENT));
        }
    }

    fn place_children(&mut self, pair: Pair) {
        let Rows { before, groups, families, .. } = &mut self.scratch.rows;
        for &(child, family) in &families.before {
            let family = families.all[family as usize];
            if family.after > 0 && !family.is_single() {
                let end = &mut groups[family.group as usize].before.end;
                before[*end].node = child;
                *end += 1;
            }
        }
        for at in 0..self.scratch.rows.families.after.len() {
            let Rows { after, groups, families, .. } = &mut self.scratch.rows;
            let (child, family) = families.after[at];
            let family = families.all[family as usize];
            if family.is_single() {
                self.pair(family.first, child, pair.path);
            } else {
                let end = &mut groups[family.group as usize].after.end;
                after[*end].node = child;
                *end += 1;
            }
        }
    }

    /// Gives each child of a group its key.
    fn key_group(&mut self, at: usize) {
        let group = self.scratch.rows.groups[at].clone();
        if !group.label.kind().is_container() {
            return self.key_by_value(&group);
        }
        let key = match self.keys.find(group.path) {
            Some(key) => key,
            None => self.seek(&group),
        };
        self.scratch.rows.groups[at].key = key;
        let Some(flaw) = self.key_by_field(&group, key) else { return };
        let is_sought = self.scratch.sought.contains(&group.path);
        let is_sought_again = !flaw.is_bearable && !is_sought;
        if flaw.by == By::Id || !is_sought {
            self.note(flaw, &group, key, is_sought_again);
        }
        if is_sought_again {
            let key = self.seek(&group);
            self.key_by_field(&group, key);
        }
    }

    fn key_by_value(&mut self, group: &Group) {
        let rows = &mut self.scratch.rows;
        let sides =
            [(&mut rows.before[group.before.clone()], self.before), (&mut rows.after[group.after.clone()], self.after)];
        for (row, document) in sides {
            row.iter_mut().for_each(|keyed| keyed.set_value(document));
        }
    }

    /// Keys by IDs and by the field of the label path; what these do not tell apart is keyed by its content, and that
    /// there is such is the answer.
    fn key_by_field(&mut self, group: &Group, key: u32) -> Option<Flaw> {
        let field = self.keys.field_at(key);
        let rows = &mut self.scratch.rows;
        let sides =
            [(&mut rows.before[group.before.clone()], self.before), (&mut rows.after[group.after.clone()], self.after)];
        let mut found = None;
        self.scratch.unfit.clear();
        for (row, document) in sides {
            for keyed in &mut *row {
                keyed.set(document, field, self.has_ids);
            }
            let absent = absent(row).filter(|_| !field.is_none() && !field.is_partial);
            found = found.or(tell_apart(row, document, &mut self.scratch.seen, &mut self.scratch.unfit)).or(absent);
        }
        if !self.scratch.unfit.is_empty() {
            self.drop_unfit(group);
        }
        found
    }

    /// A key that does not tell siblings apart on one side says nothing of those on the other either: they would wait for it in vain.
    fn drop_unfit(&mut self, group: &Group) {
        let Kfdiff { rows, unfit, .. } = &mut *self.scratch;
        unfit.sort_unstable();
        let sides =
            [(&mut rows.before[group.before.clone()], self.before), (&mut rows.after[group.after.clone()], self.after)];
        for (row, document) in sides {
            for keyed in row.iter_mut().filter(|keyed| unfit.binary_search(&keyed.key).is_ok()) {
                keyed.set_value(document);
            }
        }
    }

    /// Looks for the key field of a label path, in all of both documents.
    fn seek(&mut self, group: &Group) -> u32 {
        let Kfdiff { paths, siblings, seen, sought, rows, .. } = &mut *self.scratch;
        paths.make(self.before, self.after);
        let mut search = Search::new([self.before, self.after], group.path, paths, siblings, seen);
        let Found { field, unfit } = search.found(&self.options.key_names);
        sought.insert(group.path);
        if let Some(name) = unfit {
            let node = self.after.node(rows.after[group.after.start].node);
            let reason = || {
                format!(
                    "`{}`, whose name was given as that of keys, is the same for different siblings; another key was sought",
                    shortened(&name, 40)
                )
            };
            self.matching.notes_mut().add(Fallback::KeyNotUnique, node, reason);
        }
        self.keys.learn(group.path, self.before.node(rows.before[group.before.start].node), field)
    }

    fn note(&mut self, flaw: Flaw, group: &Group, key: u32, is_sought_again: bool) {
        let name = if flaw.by == By::Field { self.keys.written_at(key) } else { "ID" };
        let node = self.after.node(self.scratch.rows.after[group.after.start].node);
        let instead = if is_sought_again { "another key was sought" } else { "their content counts" };
        let reason = || match flaw.fallback {
            Fallback::KeyNotUnique => format!("`{name}` is the same for different siblings; {instead}"),
            _ => format!("`{name}` is absent in some of the siblings; {instead}"),
        };
        self.matching.notes_mut().add(flaw.fallback, node, reason);
    }
}

/// Why keys do not tell siblings apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Flaw {
    fallback: Fallback,
    by: By,
    /// The key is still the best there is: it is absent here and there.
    is_bearable: bool,
}

impl Keyed {
    fn of(node: NodeId) -> Self {
        Keyed { key: 0, node, partner: NONE, twin: NONE, by: By::Value }
    }

    fn set_value(&mut self, document: &Document) {
        self.by = By::Value;
        self.key = mix(BY_VALUE, document.hashes()[self.node.index()]);
    }

    fn set(&mut self, document: &Document, field: &Field, has_ids: bool) {
        let node = document.node(self.node);
        let id = if has_ids { node.id_value() } else { None };
        if let Some(id) = id {
            (self.by, self.key) = (By::Id, mix(BY_ID, hash::bytes(id.as_bytes())));
        } else if let Some(hash) = field.hash(node).filter(|_| !field.is_none()) {
            (self.by, self.key) = (By::Field, mix(BY_FIELD, hash));
        } else {
            self.set_value(document);
        }
    }
}

/// Whether some of several siblings have no key; new ones may get it later, unless most have none.
fn absent(row: &[Keyed]) -> Option<Flaw> {
    let absent = row.iter().filter(|keyed| keyed.by == By::Value).count();
    let is_bearable = absent * 2 <= row.len();
    (row.len() > 1 && absent > 0).then_some(Flaw { fallback: Fallback::KeyAbsent, by: By::Field, is_bearable })
}

/// Leaves every key to siblings of one content; the others are keyed by their content, their keys are added to those that are `unfit`,
/// and the first is told.
fn tell_apart(row: &mut [Keyed], document: &Document, seen: &mut Table, unfit: &mut Vec<u64>) -> Option<Flaw> {
    let mut flaw = None;
    if row.len() > NARROW {
        seen.clear(row.len());
    }
    for at in 0..row.len() {
        let Keyed { key, node, by, .. } = row[at];
        let first = match row.len() {
            0..=NARROW => row[..at].iter().position(|other| other.key == key).unwrap_or(at),
            _ => *seen.entry(key, at as u32) as usize,
        };
        let is_other = document.hashes()[row[first].node.index()] != document.hashes()[node.index()];
        if by != By::Value && first != at && is_other {
            flaw = flaw.or(Some(Flaw { fallback: Fallback::KeyNotUnique, by, is_bearable: by == By::Id }));
            row[first].twin = first as u32;
            row[at].twin = at as u32;
        }
    }
    if flaw.is_some() {
        for keyed in row.iter_mut().filter(|keyed| keyed.twin != NONE) {
            keyed.twin = NONE;
            unfit.push(keyed.key);
            keyed.set_value(document);
        }
    }
    flaw
}
