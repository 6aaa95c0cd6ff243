//! Where does a path lead? Steps from set to set, a set at a time where positions do not matter.
//!
//! A step without positional predicates takes all context nodes at once ([`Tree`](super::super::axes::Tree) does so in
//! linear time), and every node that it leads to is tested once, however many context nodes lead to it. Only a step
//! such as `li[2]` goes context node by context node, and stops as soon as it has seen enough.

use std::ops::Range;
use std::rc::Rc;

use super::super::SelectError;
use super::super::axes::{Union, normalise};
use super::ast::{Axis, Expr, Path, Predicate, Start, Step};
use super::eval::{Evaluator, Focus, Object, boolean};
use super::functions::Function;
use super::item::Item;
use super::node_test::Test;
use super::walk::Walk;
use crate::tree::NameId;

impl<'e> Evaluator<'e> {
    /// The value of an expression that must be a node-set.
    pub(super) fn nodes(&self, expr: &'e Expr, focus: Focus) -> Result<Rc<Vec<Item>>, SelectError> {
        match expr {
            Expr::Union(parts) => self.union(parts, focus).map(Rc::new),
            Expr::Filter { base, predicates } => {
                let base = self.nodes(base, focus)?;
                self.filter_all(base.to_vec(), predicates).map(Rc::new)
            }
            Expr::Path(path) => self.path(path, focus),
            _ => match self.eval(expr, focus)? {
                Object::Nodes(items) => Ok(items),
                other => Err(SelectError::NotANodeSet { found: other.type_name(), place: "a set of nodes" }),
            },
        }
    }

    /// An expression as a boolean; a path of one step is followed only until one node is found.
    pub(super) fn truth(&self, expr: &'e Expr, focus: Focus) -> Result<bool, SelectError> {
        let Expr::Path(Path { start: Start::Context, steps }) = expr else {
            return self.eval(expr, focus).map(|value| boolean(&value));
        };
        match steps.split_last() {
            Some((last, [])) if last.predicates.is_empty() => Ok(!self.walk(last, focus.item, 1)?.is_empty()),
            _ => Ok(!self.steps(steps, &[focus.item])?.is_empty()),
        }
    }

    fn union(&self, parts: &'e [Expr], focus: Focus) -> Result<Vec<Item>, SelectError> {
        let mut all = Union::new();
        for part in parts {
            let items = self.nodes(part, focus)?;
            self.tree.meter.charge(1 + items.len())?;
            all.add(items.iter().copied());
        }
        Ok(all.finish())
    }

    fn path(&self, path: &'e Path, focus: Focus) -> Result<Rc<Vec<Item>>, SelectError> {
        let root = [Item::node(0)];
        match &path.start {
            Start::Context => self.steps(&path.steps, &[focus.item]).map(Rc::new),
            Start::Expr(base) => self.steps(&path.steps, &self.nodes(base, focus)?).map(Rc::new),
            Start::Root { kept_at: None } => self.steps(&path.steps, &root).map(Rc::new),
            Start::Root { kept_at: Some(slot) } => {
                if let Some(kept) = &self.kept.borrow()[*slot] {
                    return Ok(Rc::clone(kept));
                }
                let items = Rc::new(self.steps(&path.steps, &root)?);
                self.kept.borrow_mut()[*slot] = Some(Rc::clone(&items));
                Ok(items)
            }
        }
    }

    fn steps(&self, steps: &'e [Step], from: &[Item]) -> Result<Vec<Item>, SelectError> {
        let Some((first, rest)) = steps.split_first() else { return Ok(from.to_vec()) };
        let mut items = self.step(first, from)?;
        for step in rest {
            if items.is_empty() {
                break;
            }
            items = self.step(step, &items)?;
        }
        Ok(items)
    }

    fn step(&self, step: &'e Step, from: &[Item]) -> Result<Vec<Item>, SelectError> {
        self.tree.meter.charge(1 + from.len())?;
        if step.is_positional {
            return self.step_one_by_one(step, from);
        }
        let mut items = self.along(step, from)?;
        normalise(&mut items);
        self.filter_all(items, &step.predicates)
    }

    fn step_one_by_one(&self, step: &'e Step, from: &[Item]) -> Result<Vec<Item>, SelectError> {
        let enough = step.predicates.first().and_then(Predicate::nodes_needed).unwrap_or(usize::MAX);
        let mut all = Union::new();
        for &item in from {
            let near = self.walk(step, item, enough)?;
            all.add(self.filter_all(near, &step.predicates)?);
        }
        Ok(all.finish())
    }

    /// The first nodes along an axis that pass the node test, nearest first.
    fn walk(&self, step: &Step, from: Item, enough: usize) -> Result<Vec<Item>, SelectError> {
        let test = &self.tests[step.test];
        if let (Axis::Attribute, Test::Attribute(name)) = (step.axis, test) {
            return Ok(self.attribute(from, *name)?.into_iter().take(enough).collect());
        }
        let mut walk = Walk::new(&self.tree, self.document, step.axis, from)?;
        let mut items = Vec::new();
        while items.len() < enough
            && let Some(item) = walk.next(&self.tree)?
        {
            if test.accepts(self.document, item) {
                items.push(item);
            }
        }
        Ok(items)
    }

    /// The one attribute of a name, without listing the others.
    fn attribute(&self, owner: Item, name: NameId) -> Result<Option<Item>, SelectError> {
        let mut attributes = owner.owner(self.document).attributes();
        self.tree.meter.charge(1 + attributes.len())?;
        let found = attributes.find(|attribute| attribute.name_id() == name && owner.is_node());
        Ok(found.map(|attribute| Item::attribute(owner.node, attribute)))
    }

    /// The nodes along an axis from any of `from` that pass the node test, in any order.
    fn along(&self, step: &Step, from: &[Item]) -> Result<Vec<Item>, SelectError> {
        use Axis::*;
        if let ([item], false) = (from, matches!(step.axis, Descendant | DescendantOrSelf | Following | Preceding)) {
            return self.walk(step, *item, usize::MAX);
        }
        match step.axis {
            Own | Attribute | Namespace => self.along_each(step, from),
            axis => self.along_tree(axis, &self.tests[step.test], from),
        }
    }

    /// Axes along which no two context nodes lead to the same node.
    fn along_each(&self, step: &Step, from: &[Item]) -> Result<Vec<Item>, SelectError> {
        let mut all = Vec::new();
        for &item in from {
            all.append(&mut self.walk(step, item, usize::MAX)?);
        }
        Ok(all)
    }

    fn along_tree(&self, axis: Axis, test: &Test, from: &[Item]) -> Result<Vec<Item>, SelectError> {
        let tree = &self.tree;
        let nodes = || from.iter().filter(|item| item.is_node()).map(|item| item.node);
        let set = || nodes().collect::<Vec<u32>>();
        // Of attributes and namespaces, all that counts here is whose they are.
        let mut owners: Vec<u32> = from.iter().filter(|item| !item.is_node()).map(|item| item.node).collect();
        owners.dedup();
        let mut all = Vec::new();
        let mut take = |node: u32| {
            if test.accepts_label(tree.labels[node as usize]) {
                all.push(Item::node(node));
            }
        };
        match axis {
            Axis::Child => tree.children_of(&set(), take)?,
            Axis::FollowingSibling => tree.following_siblings_of(&set(), take)?,
            Axis::PrecedingSibling => tree.preceding_siblings_of(&set(), take)?,
            Axis::Parent => {
                tree.parents_of(&set(), &mut take)?;
                owners.into_iter().for_each(take);
            }
            Axis::Ancestor => {
                tree.ancestors_of(&set(), false, &mut take)?;
                tree.ancestors_of(&owners, true, take)?;
            }
            Axis::Following => {
                let ends = nodes().map(|node| tree.end(node)).chain(owners.iter().map(|owner| owner + 1));
                self.scan(tree.rest_from(ends.min().unwrap_or(tree.len()))?, test, &mut all);
            }
            Axis::Preceding => {
                let last = from.last().map_or(0, |item| item.node);
                tree.before(last)?.for_each(take);
            }
            Axis::Descendant | Axis::DescendantOrSelf => {
                tree.descendants_of(nodes(), axis == Axis::DescendantOrSelf, |range| {
                    self.scan(range, test, &mut all);
                    Ok(())
                })?;
            }
            _ => tree.ancestors_of(&joined(set(), owners), true, take)?,
        }
        if matches!(axis, Axis::AncestorOrSelf | Axis::DescendantOrSelf) {
            let parts = from.iter().filter(|item| !item.is_node() && test.accepts(self.document, **item));
            all.extend(parts);
        }
        Ok(all)
    }

    /// Takes the nodes of a range that pass; the steps have been charged.
    fn scan(&self, range: Range<u32>, test: &Test, all: &mut Vec<Item>) {
        let labels = &self.tree.labels[range.start as usize..range.end as usize];
        let with_labels = range.zip(labels);
        match test {
            Test::Label(wanted) => {
                all.extend(with_labels.filter(|(_, label)| *label == wanted).map(|(node, _)| Item::node(node)));
            }
            _ => all
                .extend(with_labels.filter(|(_, label)| test.accepts_label(**label)).map(|(node, _)| Item::node(node))),
        }
    }

    /// Those of the items, in their order, that one predicate after the other leaves.
    fn filter_all(&self, mut items: Vec<Item>, predicates: &'e [Predicate]) -> Result<Vec<Item>, SelectError> {
        for predicate in predicates {
            if items.is_empty() {
                break;
            }
            items = self.filter(items, predicate)?;
        }
        Ok(items)
    }

    /// Those of the items, in their order, that a predicate holds for.
    fn filter(&self, items: Vec<Item>, predicate: &'e Predicate) -> Result<Vec<Item>, SelectError> {
        let size = items.len();
        self.tree.meter.charge(1 + size)?;
        match &predicate.expr {
            Expr::Number(position) => {
                let at = *position as usize;
                let exact = at as f64 == *position && at > 0;
                return Ok(items.get(at.wrapping_sub(1)).filter(|_| exact).copied().into_iter().collect());
            }
            Expr::Call(Function::Last, _) => return Ok(items.last().copied().into_iter().collect()),
            _ => {}
        }
        let mut passed = Vec::new();
        for (position, &item) in (1..).zip(&items) {
            if self.holds(predicate, Focus { item, position, size })? {
                passed.push(item);
            }
        }
        Ok(passed)
    }

    fn holds(&self, predicate: &'e Predicate, focus: Focus) -> Result<bool, SelectError> {
        if !predicate.positional {
            return self.truth(&predicate.expr, focus);
        }
        match self.eval(&predicate.expr, focus)? {
            Object::Number(number) => Ok(number == focus.position as f64),
            other => Ok(boolean(&other)),
        }
    }
}

fn joined(mut set: Vec<u32>, more: Vec<u32>) -> Vec<u32> {
    set.extend(more);
    normalise(&mut set);
    set
}
