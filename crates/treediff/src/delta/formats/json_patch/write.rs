//! How is a delta written as a JSON patch?
//!
//! First what changes or goes, the last first where it goes: the pointers are those of the version before. Then, in the
//! order of the version after, what comes and what moves: whatever stands before it is there already, and what has not
//! yet moved away stands where it was, so that an index is the number of items that are there, which a tree of sums
//! knows.

use std::fmt::{self, Write};

use super::super::FormatError;
use super::super::sequence::Pairs;
use super::order::Plan;
use super::pointer;
use crate::delta::Delta;
use crate::delta::sums::Sums;
use crate::tree::{Document, Format, Kind, Node, NodeId};
use crate::write::{json_string, json_subtree};

/// How to write a JSON patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WriteOptions {
    /// Begin with `test` operations for every value that is changed, removed or moved, so that the patch refuses a
    /// document that has others.
    pub with_tests: bool,
}

/// Writes a delta between two JSON documents as a JSON patch, an operation a line.
pub fn write(
    delta: &Delta,
    before: &Document,
    after: &Document,
    options: &WriteOptions,
) -> Result<String, FormatError> {
    let mut patch = String::new();
    write_to(delta, before, after, options, &mut patch)?;
    Ok(patch)
}

/// Writes what [`write()`] returns, piece by piece. Every operation has the pointer to its value, so that the patch of a
/// deep document may grow with the square of the depth; whoever writes it out says how much it may be.
pub fn write_to(
    delta: &Delta,
    before: &Document,
    after: &Document,
    options: &WriteOptions,
    patch: &mut impl Write,
) -> Result<(), FormatError> {
    if delta.format() != Format::Json {
        return Err(FormatError::NotJson(delta.format()));
    }
    let plan = Plan::new(Pairs::of(delta, before, after)?, before, after);
    let mut writer = Writer { plan: &plan, places: Places::new(&plan), out: patch, is_first: true };
    writer.out.write_char('[')?;
    if options.with_tests {
        writer.tests()?;
    }
    writer.changes()?;
    writer.removals()?;
    writer.additions()?;
    Ok(writer.out.write_str("]\n")?)
}

struct Writer<'p, 'd, 'o, W> {
    plan: &'p Plan<'d>,
    places: Places,
    out: &'o mut W,
    is_first: bool,
}

impl<'d, W: Write> Writer<'_, 'd, '_, W> {
    /// What each value is that will not stay as it is; where one is within another, the outer says it all.
    fn tests(&mut self) -> fmt::Result {
        let mut tested_to = 0;
        for node in self.plan.before.nodes().skip(1) {
            let touched = match self.plan.after_of(node.id()) {
                None => true,
                Some(partner) => self.plan.is_moved(node.id()) || self.other_value(node, partner),
            };
            if touched && node.id().0 >= tested_to {
                tested_to = node.end();
                let path = self.places.before(node);
                self.operation("test", &path, Some(node))?;
            }
        }
        Ok(())
    }

    fn other_value(&self, node: Node<'_>, partner: NodeId) -> bool {
        !node.kind().is_container() && node.value() != self.plan.after.node(partner).value()
    }

    fn changes(&mut self) -> fmt::Result {
        for node in self.plan.before.nodes().skip(1) {
            let changed = self.plan.after_of(node.id()).filter(|&partner| self.other_value(node, partner));
            if let Some(partner) = changed.or(self.plan.replacement(node.id())) {
                let path = self.places.before(node);
                self.operation("replace", &path, Some(self.plan.after.node(partner)))?;
            }
        }
        Ok(())
    }

    fn removals(&mut self) -> fmt::Result {
        for node in self.plan.before.nodes().skip(1).rev() {
            let is_top = node.parent().is_some_and(|parent| self.plan.after_of(parent.id()).is_some());
            let goes = self.plan.after_of(node.id()).is_none() && self.plan.replacement(node.id()).is_none();
            if is_top && goes {
                let path = self.places.before(node);
                self.operation("remove", &path, None)?;
            }
        }
        Ok(())
    }

    fn additions(&mut self) -> fmt::Result {
        for (_, parent) in self.plan.containers() {
            for child in parent.children() {
                match self.plan.before_of(child.id()) {
                    Some(old) if self.plan.is_moved(old) => self.relocate(old, child)?,
                    Some(_) => {}
                    None if self.plan.replaced_by(child.id()).is_some() => {}
                    None => {
                        let path = self.places.arrive(self.plan, child);
                        self.operation("add", &path, Some(child))?;
                    }
                }
            }
        }
        Ok(())
    }

    fn relocate(&mut self, old: NodeId, new: Node<'d>) -> fmt::Result {
        let node = self.plan.before.node(old);
        let last_item = self.places.last_index(node);
        let from = self.places.leave(self.plan, node);
        let path = self.places.arrive(self.plan, new);
        if from == path {
            return Ok(());
        }
        // The item behind it takes its index, and pointers into that look like pointers into what moves, which the
        // standard forbids: so it goes to the end of the array first.
        let array = from.rfind('/').map(|at| &from[..at]).filter(|_| path.starts_with(&format!("{from}/")));
        if let (Some(array), Some(last)) = (array, last_item) {
            self.pointed_move(&from, &format!("{array}/-"))?;
            return self.pointed_move(&format!("{array}/{last}"), &path);
        }
        self.pointed_move(&from, &path)
    }

    fn pointed_move(&mut self, from: &str, path: &str) -> fmt::Result {
        self.begin("move")?;
        self.out.write_str(",\"from\":")?;
        json_string(from, self.out)?;
        self.out.write_str(",\"path\":")?;
        json_string(path, self.out)?;
        self.out.write_char('}')
    }

    fn begin(&mut self, name: &str) -> fmt::Result {
        if !std::mem::take(&mut self.is_first) {
            self.out.write_str(",\n")?;
        }
        write!(self.out, "{{\"op\":\"{name}\"")
    }

    fn operation(&mut self, name: &str, path: &str, value: Option<Node<'_>>) -> fmt::Result {
        self.begin(name)?;
        self.out.write_str(",\"path\":")?;
        json_string(path, self.out)?;
        if let Some(value) = value {
            self.out.write_str(",\"value\":")?;
            json_subtree(value, self.out)?;
        }
        self.out.write_char('}')
    }
}

/// Where values are: in the version before, and at the moment.
///
/// Every array that is kept has a row of slots: items that stay or are replaced have one slot, items that will leave
/// have theirs before the item that stays next, and so have those that will arrive, behind them. The index of an item is
/// the number of slots before its own that are in use.
struct Places {
    /// For every node of `before` its place among its siblings.
    indices: Vec<u32>,
    /// The slots of nodes of `before` and of `after`; only children of kept arrays have one.
    slots: [Vec<u32>; 2],
    /// For every node of `before` that is a kept array its first slot, and the one behind its last.
    ranges: Vec<[u32; 2]>,
    /// Kept nodes of `before` that have arrived where they will be.
    has_arrived: Vec<bool>,
    used: Sums,
}

const NO_SLOT: u32 = u32::MAX;

impl Places {
    fn new(plan: &Plan<'_>) -> Self {
        let (before, after) = (plan.before, plan.after);
        let mut places = Places {
            indices: indices(before),
            slots: [vec![NO_SLOT; before.len()], vec![NO_SLOT; after.len()]],
            ranges: vec![[0; 2]; before.len()],
            has_arrived: before.nodes().map(|node| !plan.is_moved(node.id())).collect(),
            used: Sums::default(),
        };
        let mut used = Vec::new();
        for (old, new) in plan.containers().filter(|(old, _)| old.kind() == Kind::Array) {
            let first = used.len() as u32;
            places.add_slots(plan, old, new, &mut used);
            places.ranges[old.id().index()] = [first, used.len() as u32];
        }
        places.used = Sums::new(used);
        places
    }

    fn add_slots(&mut self, plan: &Plan<'_>, old: Node<'_>, new: Node<'_>, used: &mut Vec<u32>) {
        let mut coming = new.children();
        for child in old.children() {
            let anchor = match plan.after_of(child.id()) {
                Some(_) if plan.is_moved(child.id()) => None,
                kept => kept.or(plan.replacement(child.id())),
            };
            if let Some(anchor) = anchor {
                for arriving in coming.by_ref().take_while(|next| next.id() != anchor) {
                    self.slots[1][arriving.id().index()] = used.len() as u32;
                    used.push(0);
                }
                self.slots[1][anchor.index()] = used.len() as u32;
            } else if plan.after_of(child.id()).is_none() {
                continue;
            }
            self.slots[0][child.id().index()] = used.len() as u32;
            used.push(1);
        }
        for arriving in coming {
            self.slots[1][arriving.id().index()] = used.len() as u32;
            used.push(0);
        }
    }

    /// The pointer to a node in the version before.
    fn before(&self, node: Node<'_>) -> String {
        pointer_to(std::iter::successors(Some(node), |node| node.parent()).filter_map(|node| {
            let parent = node.parent()?;
            Some(match parent.kind() {
                Kind::Object => Token::Key(node.name().local),
                Kind::Array => Token::Index(self.indices[node.id().index()]),
                _ => Token::Root,
            })
        }))
    }

    /// The pointer to a kept node at the moment; it leaves the place.
    fn leave(&mut self, plan: &Plan<'_>, node: Node<'_>) -> String {
        let path = self.current(plan, node.id());
        if let Some(slot) = slot(&self.slots[0], node.id()) {
            self.used.add(slot as usize, -1);
        }
        path
    }

    /// The pointer to where a node of `after` comes; from then on it is there.
    fn arrive(&mut self, plan: &Plan<'_>, node: Node<'_>) -> String {
        if let Some(slot) = slot(&self.slots[1], node.id()) {
            self.used.add(slot as usize, 1);
        }
        if let Some(old) = plan.before_of(node.id()) {
            self.has_arrived[old.index()] = true;
            return self.current(plan, old);
        }
        let parent = node.parent().and_then(|parent| plan.before_of(parent.id()));
        let mut path = parent.map_or(String::new(), |parent| self.current(plan, parent));
        let is_item = slot(&self.slots[1], node.id()).zip(parent);
        match is_item {
            Some((slot, parent)) => pointer::push(&mut path, &self.index(slot, parent).to_string()),
            None => pointer::push(&mut path, node.name().local),
        }
        path
    }

    fn index(&self, slot: u32, array: NodeId) -> u32 {
        self.used.before(slot as usize) - self.used.before(self.ranges[array.index()][0] as usize)
    }

    /// The index of the last item that is now in the array that a node of `before` is in.
    fn last_index(&self, node: Node<'_>) -> Option<u32> {
        let [first, end] = self.ranges[node.parent()?.id().index()];
        (self.used.before(end as usize) - self.used.before(first as usize)).checked_sub(1)
    }

    /// The pointer to a kept node at the moment: up through the places of `after` from where it has arrived, through
    /// those of `before` until then.
    fn current(&self, plan: &Plan<'_>, node: NodeId) -> String {
        let mut tokens = Vec::new();
        let mut next = Some(node);
        while let Some(old) = next {
            let new = plan.after_of(old).filter(|_| self.has_arrived[old.index()]);
            let (node, slots) = match new {
                Some(new) => (plan.after.node(new), &self.slots[1]),
                None => (plan.before.node(old), &self.slots[0]),
            };
            let Some(parent) = node.parent() else { break };
            next = if new.is_some() { plan.before_of(parent.id()) } else { Some(parent.id()) };
            tokens.push(match (parent.kind(), slot(slots, node.id()), next) {
                (Kind::Array, Some(slot), Some(array)) => Token::Index(self.index(slot, array)),
                (Kind::Object, ..) => Token::Key(node.name().local),
                _ => Token::Root,
            });
        }
        pointer_to(tokens.into_iter())
    }
}

/// A step of a pointer.
enum Token<'d> {
    Root,
    Key(&'d str),
    Index(u32),
}

/// The pointer whose steps come from the last to the first.
fn pointer_to<'d>(tokens: impl Iterator<Item = Token<'d>>) -> String {
    let tokens: Vec<Token<'d>> = tokens.collect();
    let mut path = String::new();
    for token in tokens.iter().rev() {
        match token {
            Token::Root => {}
            Token::Key(key) => pointer::push(&mut path, key),
            Token::Index(index) => pointer::push(&mut path, &index.to_string()),
        }
    }
    path
}

fn slot(slots: &[u32], node: NodeId) -> Option<u32> {
    Some(slots[node.index()]).filter(|&slot| slot != NO_SLOT)
}

/// For every node its place among its siblings.
fn indices(document: &Document) -> Vec<u32> {
    let mut indices = vec![0; document.len()];
    for parent in document.nodes().filter(|node| node.kind() == Kind::Array) {
        for (at, child) in parent.children().enumerate() {
            indices[child.id().index()] = at as u32;
        }
    }
    indices
}
