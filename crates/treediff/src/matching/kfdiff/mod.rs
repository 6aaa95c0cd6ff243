//! KF-Diff+: who is who, by the keys that tell siblings apart.
//!
//! The idea (Xu, Wu, Wang, Yang, Jia 2002): siblings of different names cannot be confused, and siblings of one name, the
//! multi-instance nodes, are told apart by a key field, the value of some attribute or text below them. With key values
//! in place of names no two nodes have one path from the root, so that comparing two trees is looking up paths; nobody
//! asks how alike subtrees are.
//!
//! ```text
//!   before  vendor               after  vendor               `vendor` and `address` are there once: pairs by name.
//!           ├─ address: Oslo            ├─ book 2            `book` is there twice: its key field is `name`, so that
//!           ├─ book 1                   │  ├─ name: B        book 2 is book 2, wherever it stands; its `price` is
//!           │  ├─ name: A               │  └─ price: 8       one under one parent, and its text an update.
//!           │  └─ price: 5              └─ address: Rome     Book 1 has no key like it: deleted.
//!           └─ book 2 …
//! ```
//!
//! From the document nodes down, the children of one pair after the other:
//!
//! 1. `rows`: children with a name that is there once on both sides (`families`) are pairs. The others are keyed: by their
//!    ID (DTD, `xml:id`, HTML), or by the key field of their label path, known or found (`search`), or else by their whole
//!    content; texts, comments and the like by their value.
//! 2. `pairing`: equal keys are pairs. `kfdiff-hash` (algorithm 1) looks them up in a table; `kfdiff-sort` (algorithm 2)
//!    sorts the children of a pair by their keys and merges. Both find the same.
//! 3. `leftovers`: what has no partner but also no key of its own (texts, and elements that are nothing but their content)
//!    may have changed: it is paired by children that are the same, by the names of its children, and then in order.
//!
//! Cost: O(n) with tables, O(n log λ) with sorting, λ children to a parent; finding keys is some dozens of looks at the
//! nodes of a label path, once ([`KeyFields`] keeps them). Subtrees with equal hashes, confirmed, are pairs as a whole,
//! which the paper does without, having no hashes.
//!
//! Most documents are small, and so are most rows of children: an only child is paired on the way, few siblings are compared
//! with one another, and no table is asked before there are more than [`families::NARROW`] of something. [`Kfdiff`] keeps
//! its memory from one pair of documents to the next.
//!
//! It fails where a key changes, and where something moves to another parent: both are a deletion and an insertion.
//! Rejected: keys by likeness or position, which would not be the same from one version to the next; all pairs of a depth
//! at once, as published, which goes through a large document once for every depth (a fifth more time on 10 MB); and
//! tables of values instead of hashes, since a value is compared when a pair is made and never before.

mod families;
mod field;
mod known;
mod leftovers;
mod pairing;
mod paths;
mod rows;
mod search;
mod steps;
mod table;
#[cfg(test)]
mod tests;

pub use known::{KeyFields, KeyFieldsError};

use std::collections::HashSet;

use super::labels::Labels;
use super::{Fallback, Matching, Options};
use crate::text::shortened;
use crate::tree::hash::KeyedState;
use crate::tree::{Columns, Document, Format, NodeId};
use paths::Paths;
use rows::Rows;
use search::{Search, Siblings};
use table::Table;

/// Matches two documents by keys that are looked up in tables (algorithm 1).
pub fn kfdiff_hash(before: &Document, after: &Document, options: &Options) -> Matching {
    Kfdiff::hashing().matching(before, after, &mut options.key_fields.clone(), options)
}

/// Matches two documents by keys that are sorted (algorithm 2).
///
/// ```
/// use treediff::{matching, parse};
///
/// let before = parse::xml("<l><b><n>A</n><p>5</p></b><b><n>B</n><p>7</p></b></l>", &Default::default())?.document;
/// let after = parse::xml("<l><b><n>B</n><p>8</p></b><b><n>C</n><p>5</p></b></l>", &Default::default())?.document;
/// let matching = matching::kfdiff_sort(&before, &after, &Default::default());
/// let second = before.root_element().unwrap().last_child().unwrap();
/// let partner = matching.after_of(second.id()).unwrap();
/// assert_eq!(after.node(partner).string_value(), "B8");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn kfdiff_sort(before: &Document, after: &Document, options: &Options) -> Matching {
    Kfdiff::sorting().matching(before, after, &mut options.key_fields.clone(), options)
}

/// Matches documents by keys, one pair of documents after the other without asking for memory again.
#[derive(Debug)]
pub struct Kfdiff {
    way: Way,
    /// Pairs whose children are still to be matched, the deepest last.
    open: Vec<Pair>,
    rows: Rows,
    table: Table,
    seen: Table,
    /// Keys of a group that different siblings have.
    unfit: Vec<u64>,
    paths: Paths,
    siblings: Siblings,
    /// Label paths whose keys were sought in this comparison.
    sought: HashSet<u64, KeyedState>,
}

/// How equal keys are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Hash,
    Sort,
}

/// A pair whose children are still to be matched.
#[derive(Debug, Clone, Copy)]
struct Pair {
    before: NodeId,
    after: NodeId,
    /// The hash of its label path in `before`.
    path: u64,
}

impl Kfdiff {
    /// By tables: algorithm 1.
    pub fn hashing() -> Self {
        Kfdiff::new(Way::Hash)
    }

    /// By sorting: algorithm 2.
    pub fn sorting() -> Self {
        Kfdiff::new(Way::Sort)
    }

    fn new(way: Way) -> Self {
        Kfdiff {
            way,
            open: Vec::new(),
            rows: Rows::default(),
            table: Table::new(),
            seen: Table::new(),
            unfit: Vec::new(),
            paths: Paths::new(),
            siblings: Siblings::default(),
            sought: HashSet::default(),
        }
    }

    /// Matches two documents with the keys that are known, and adds those that have to be found.
    pub fn matching(
        &mut self,
        before: &Document,
        after: &Document,
        keys: &mut KeyFields,
        options: &Options,
    ) -> Matching {
        before.fetch();
        keys.fetch();
        self.open.clear();
        self.paths.forget();
        self.sought.clear();
        self.rows.families.begin(before.names().len());
        let mut run = Run::new(self, before, after, keys, options);
        run.note_absent_names();
        run.pair_given();
        run.begin();
        while let Some(pair) = run.scratch.open.pop() {
            run.match_children(pair);
        }
        run.matching
    }

    /// The keys of one document alone: for every label path that has siblings, so that the next version finds them known.
    pub fn learned(&mut self, document: &Document, options: &Options) -> KeyFields {
        let mut keys = options.key_fields.clone();
        self.paths.forget();
        self.paths.make(document, document);
        self.sought.clear();
        for node in document.nodes().skip(1).filter(|node| node.kind().is_container()) {
            let path = self.paths.of_before(node.id());
            if !self.sought.insert(path) || keys.find(path).is_some() {
                continue;
            }
            let mut search =
                Search::new([document, document], path, &mut self.paths, &mut self.siblings, &mut self.seen);
            if !search.is_idle() {
                keys.learn(path, node, search.found(&options.key_names).field);
            }
        }
        keys
    }
}

/// One comparison.
struct Run<'r, 'd> {
    scratch: &'r mut Kfdiff,
    before: &'d Document,
    after: &'d Document,
    from: Columns<'d>,
    to: Columns<'d>,
    keys: &'r mut KeyFields,
    options: &'r Options,
    labels: Labels,
    matching: Matching,
    /// Some nodes had partners before anything was compared.
    has_given: bool,
    has_ids: bool,
}

impl<'r, 'd> Run<'r, 'd> {
    fn new(
        scratch: &'r mut Kfdiff,
        before: &'d Document,
        after: &'d Document,
        keys: &'r mut KeyFields,
        options: &'r Options,
    ) -> Self {
        Run {
            scratch,
            before,
            after,
            from: before.columns(),
            to: after.columns(),
            keys,
            options,
            labels: Labels::new(before, after),
            matching: Matching::new(before, after),
            has_given: false,
            has_ids: !options.without_ids && before.may_have_ids() && after.may_have_ids(),
        }
    }

    /// Tells of names that were given and that nothing has.
    fn note_absent_names(&mut self) {
        let (before, after) = (self.before, self.after);
        for name in &self.options.key_names {
            let has_it =
                |document: &Document| document.names().iter().any(|(_, known)| known.local.eq_ignore_ascii_case(name));
            if !has_it(before) && !has_it(after) {
                let name = shortened(name, 40);
                let reason = || {
                    format!(
                        "the key name `{name}` names nothing in either version, and they are compared as without it"
                    )
                };
                self.matching.notes_mut().add(Fallback::KeyAbsent, after.root(), reason);
            }
        }
    }

    /// Pairs that the caller knows; those that cannot be are left out.
    fn pair_given(&mut self) {
        for &(before, after) in &self.options.pairs {
            let is_there = before.index() < self.before.len() && after.index() < self.after.len();
            if is_there && self.may_pair(before, after) {
                self.scratch.paths.make(self.before, self.after);
                let path = self.scratch.paths.of_before(before);
                self.matching.pair(before, after);
                self.has_given = true;
                self.scratch.open.push(Pair { before, after, path });
            }
        }
    }

    fn may_pair(&self, before: NodeId, after: NodeId) -> bool {
        self.labels.are_alike(self.from.label(before), self.to.label(after))
            && self.matching.after_of(before).is_none()
            && self.matching.before_of(after).is_none()
    }

    fn begin(&mut self) {
        self.go_below(Pair { before: NodeId::DOCUMENT, after: NodeId::DOCUMENT, path: paths::ROOT });
    }

    /// Makes a pair of two children of a pair, whose label path is `above`.
    fn pair(&mut self, before: NodeId, after: NodeId, above: u64) {
        if !self.pair_if_same(before, after) {
            self.pair_changed(before, after, above);
        }
    }

    fn pair_changed(&mut self, before: NodeId, after: NodeId, above: u64) {
        self.matching.pair(before, after);
        if self.from.size(before) > 1 && self.to.size(after) > 1 {
            self.go_below(Pair { before, after, path: self.path_below(above, before) });
        }
    }

    /// Goes on below a pair: where both have one child it is plain who that is; the others are matched when it is their turn.
    fn go_below(&mut self, mut pair: Pair) {
        while let (Some(before), Some(after)) = (self.from.only_child(pair.before), self.to.only_child(pair.after)) {
            if !self.may_pair(before, after) || self.pair_if_same(before, after) {
                return;
            }
            self.matching.pair(before, after);
            if self.from.size(before) == 1 || self.to.size(after) == 1 {
                return;
            }
            pair = Pair { before, after, path: self.path_below(pair.path, before) };
        }
        self.scratch.open.push(pair);
    }

    fn path_below(&self, above: u64, before: NodeId) -> u64 {
        paths::step(above, self.from.label(before).hash(self.before.names()))
    }

    fn pair_if_same(&mut self, before: NodeId, after: NodeId) -> bool {
        if self.from.hashes[before.index()] != self.to.hashes[after.index()] {
            return false;
        }
        let size = self.from.size(before);
        let is_same = self.labels.are_same(self.before.node(before), self.after.node(after))
            && (!self.has_given || self.matching.are_unpaired(before, after, size));
        if is_same {
            self.matching.pair_same(before, after, size);
        }
        is_same
    }

    /// The order of importance of IDs: in XML they are what a node is; pages give them to whatever they style.
    fn has_strict_ids(&self) -> bool {
        self.after.format() == Format::Xml
    }
}
