//! Which elements does a selector match? Sets from left to right, a combinator at a time.
//!
//! Browsers ask of one element whether a selector matches it, from right to left, and must try every ancestor and
//! sibling in turn. Here the question is always «which of all», so compounds are followed from left to right as sets,
//! in time linear in the document for every combinator, and `:has` is the same backwards.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

use super::super::axes::{Tree, Union, is_element, normalise};
use super::super::{Context, SelectError};
use super::ast::{Combinator, Complex, Compound, Link, List, Nested, Parsed, Simple};
use super::html;
use super::names::NameTest;
use crate::tree::{Document, Kind, Node, NodeId};

pub(super) struct Matcher<'m> {
    pub(super) document: &'m Document,
    pub(super) tree: Tree<'m>,
    pub(super) names: Vec<NameTest>,
    scope: u32,
    /// The elements that nested selectors match.
    sets: RefCell<Vec<Option<Rc<Vec<bool>>>>>,
    /// The positions of elements among their siblings, 0 where not yet counted.
    pub(super) tables: RefCell<Vec<Vec<u32>>>,
    /// For every node, the attribute that states its language.
    pub(super) languages: OnceCell<Vec<u32>>,
    /// The options that are chosen at first.
    pub(super) chosen: OnceCell<HashSet<u32>>,
}

impl<'m> Matcher<'m> {
    pub(super) fn new(
        parsed: &Parsed,
        scope: Node<'m>,
        tree: Tree<'m>,
        context: &Context<'_>,
    ) -> Result<Self, SelectError> {
        let document = scope.document();
        tree.meter.charge(parsed.names.len().saturating_mul(document.names().len()))?;
        let resolve = |name| NameTest::resolve(name, document, context);
        Ok(Matcher {
            document,
            tree,
            names: parsed.names.iter().map(resolve).collect::<Result<_, _>>()?,
            scope: scope.id().0,
            sets: RefCell::new(vec![None; parsed.sets]),
            tables: RefCell::new(vec![Vec::new(); parsed.tables]),
            languages: OnceCell::new(),
            chosen: OnceCell::new(),
        })
    }

    /// The elements that any of the selectors matches, in document order.
    pub(super) fn list(&self, list: &List) -> Result<Vec<u32>, SelectError> {
        let mut all = Union::new();
        for complex in list {
            all.add(self.complex(complex)?);
        }
        Ok(all.finish())
    }

    fn complex(&self, complex: &Complex) -> Result<Vec<u32>, SelectError> {
        let mut set = self.everywhere(&complex.first)?;
        for Link { combinator, compound } in &complex.rest {
            set = self.matching(compound, self.forwards(*combinator, &set)?)?;
        }
        Ok(set)
    }

    /// The elements of the whole document that a compound matches.
    fn everywhere(&self, compound: &Compound) -> Result<Vec<u32>, SelectError> {
        self.tree.meter.charge(self.tree.labels.len())?;
        let name = match compound.first() {
            Some(Simple::Type(name)) => &self.names[*name],
            _ => &NameTest::Any,
        };
        let is_candidate = |node: &u32| {
            let label = self.tree.labels[*node as usize];
            is_element(label) && name.accepts(label.name())
        };
        self.matching(compound, (0..self.tree.len()).filter(is_candidate).collect())
    }

    fn matching(&self, compound: &Compound, nodes: Vec<u32>) -> Result<Vec<u32>, SelectError> {
        let mut matched = Vec::new();
        for node in nodes {
            if self.matches(compound, node)? {
                matched.push(node);
            }
        }
        Ok(matched)
    }

    /// The nodes that stand behind one of the set, as a combinator says.
    fn forwards(&self, combinator: Combinator, set: &[u32]) -> Result<Vec<u32>, SelectError> {
        self.tree.meter.charge(set.len())?;
        let mut found = Vec::new();
        let take = |node| found.push(node);
        match combinator {
            Combinator::Child => self.tree.children_of(set, take)?,
            Combinator::LaterSibling => self.tree.following_siblings_of(set, take)?,
            Combinator::Descendant => self.tree.descendants_of(set.iter().copied(), false, |range| {
                found.extend(range);
                Ok(())
            })?,
            Combinator::NextSibling => {
                for &node in set {
                    for sibling in self.tree.following_siblings(node) {
                        self.tree.meter.charge(1)?;
                        if self.tree.is_element(sibling) {
                            found.push(sibling);
                            break;
                        }
                    }
                }
            }
        }
        normalise(&mut found);
        Ok(found)
    }

    /// The nodes that one of the set stands behind.
    fn backwards(&self, combinator: Combinator, set: &[u32]) -> Result<Vec<u32>, SelectError> {
        self.tree.meter.charge(set.len())?;
        let mut found = Vec::new();
        let take = |node| found.push(node);
        match combinator {
            Combinator::Child => self.tree.parents_of(set, take)?,
            Combinator::LaterSibling => self.tree.preceding_siblings_of(set, take)?,
            Combinator::Descendant => self.tree.ancestors_of(set, false, take)?,
            Combinator::NextSibling => {
                for &node in set {
                    let mut sibling = self.tree.previous_sibling(node)?;
                    while let Some(other) = sibling.filter(|&sibling| !self.tree.is_element(sibling)) {
                        self.tree.meter.charge(1)?;
                        sibling = self.tree.previous_sibling(other)?;
                    }
                    found.extend(sibling);
                }
            }
        }
        normalise(&mut found);
        Ok(found)
    }

    /// The elements that have, behind them, what a selector inside `:has` asks for.
    fn anchors(&self, relatives: &[Vec<Link>]) -> Result<Vec<u32>, SelectError> {
        let mut all = Union::new();
        for links in relatives {
            let Some(last) = links.last() else { continue };
            let mut set = self.everywhere(&last.compound)?;
            for (at, link) in links.iter().enumerate().rev() {
                set = self.backwards(link.combinator, &set)?;
                if let Some(before) = at.checked_sub(1) {
                    set = self.matching(&links[before].compound, set)?;
                }
            }
            all.add(set);
        }
        Ok(all.finish())
    }

    /// Whether a compound matches a node.
    fn matches(&self, compound: &Compound, node: u32) -> Result<bool, SelectError> {
        self.tree.meter.charge(1)?;
        if !self.tree.is_element(node) {
            return Ok(false);
        }
        for simple in compound {
            if !self.is(simple, node)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn is(&self, simple: &Simple, index: u32) -> Result<bool, SelectError> {
        let node = || self.document.node(NodeId(index));
        self.tree.meter.charge(1)?;
        Ok(match simple {
            Simple::Type(name) => self.names[*name].accepts(self.tree.labels[index as usize].name()),
            Simple::Id(id) => self.has_id(node(), id)?,
            Simple::Class(class) => self.has_class(node(), class)?,
            Simple::Attribute(test) => self.has_attribute(node(), test)?,
            Simple::Root => self.is_root(index),
            Simple::Scope if self.scope == 0 => self.is_root(index),
            Simple::Scope => index == self.scope,
            Simple::Empty => self.is_empty(index)?,
            Simple::Nth(nth) => self.position(nth, index)?.is_some_and(|position| nth.includes(position)),
            Simple::Matches { nested, wanted } => self.matches_any(nested, index)? == *wanted,
            Simple::Has { relatives, slot } => self.kept(*slot, || self.anchors(relatives))?[index as usize],
            Simple::Language(ranges) => self.is_in_language(index, ranges)?,
            Simple::Contains(texts) => self.contains(node(), texts)?,
            Simple::Hyperlink => self.is_link(node())?,
            Simple::Checked => self.is_checked(node())?,
            Simple::Enabled => html::can_be_disabled(node()) && !self.is_disabled(node())?,
            Simple::Disabled => self.is_disabled(node())?,
            Simple::Required { wanted } => html::is_field(node()) && self.is_required(node())? == *wanted,
            Simple::ReadWrite { wanted } => html::html_name(node()).is_some() && self.is_read_write(node())? == *wanted,
        })
    }

    fn contains(&self, node: Node<'m>, texts: &[String]) -> Result<bool, SelectError> {
        self.tree.meter.charge(node.size() as usize)?;
        let text = node.string_value();
        for wanted in texts {
            self.tree.meter.charge_bytes(text.len())?;
            if text.contains(wanted.as_str()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether one of a list matches; those without combinators are asked directly, without looking at all nodes.
    pub(super) fn matches_any(&self, nested: &Nested, node: u32) -> Result<bool, SelectError> {
        if nested.list.iter().any(|complex| !complex.rest.is_empty()) {
            return Ok(self.kept(nested.slot, || self.list(&nested.list))?[node as usize]);
        }
        for complex in &nested.list {
            if self.matches(&complex.first, node)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A set of nodes as a table of marks, made once.
    fn kept(
        &self,
        slot: usize,
        make: impl FnOnce() -> Result<Vec<u32>, SelectError>,
    ) -> Result<Rc<Vec<bool>>, SelectError> {
        if let Some(marks) = &self.sets.borrow()[slot] {
            return Ok(Rc::clone(marks));
        }
        self.tree.meter.charge(self.tree.labels.len() / 8)?;
        let mut marks = vec![false; self.tree.labels.len()];
        make()?.into_iter().for_each(|node| marks[node as usize] = true);
        let marks = Rc::new(marks);
        self.sets.borrow_mut()[slot] = Some(Rc::clone(&marks));
        Ok(marks)
    }

    fn is_root(&self, node: u32) -> bool {
        self.tree.parent(node) == Some(0)
    }

    fn is_empty(&self, node: u32) -> Result<bool, SelectError> {
        for child in self.tree.children(node) {
            self.tree.meter.charge(1)?;
            let kind = self.tree.labels[child as usize].kind();
            if !matches!(kind, Kind::Comment | Kind::ProcessingInstruction) {
                return Ok(false);
            }
        }
        Ok(!matches!(self.tree.labels[node as usize].kind(), Kind::String | Kind::Number | Kind::Literal))
    }
}
