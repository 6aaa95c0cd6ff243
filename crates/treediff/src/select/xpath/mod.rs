//! What does an XPath say of a document? XPath 1.0, all of it.
//!
//! The data model is that of the recommendation, read on our tree:
//! - A namespace declaration is no attribute; the namespace axis has the declarations in scope and `xml`.
//! - Attributes of one element come in the order of the source, those that a DTD supplies behind them.
//! - In HTML documents a name without a prefix means an HTML element, whatever the case it is written in, as in
//!   browsers. SVG and MathML elements need a prefix; `html`, `svg` and `math` are bound unless the context binds them.
//!   `lang()` heeds `lang` besides `xml:lang`.
//! - In JSON documents every value is an element, named by its key; the items of an array, and the root value, have
//!   the empty name, which only `*` matches. A key that is no XPath name is reached as `*[name() = 'first name']`.
//! - A reference to an entity that is not expanded is a node that only `node()` matches.

mod ast;
mod call;
mod compare;
mod eval;
mod functions;
mod item;
mod lex;
mod node_test;
mod number;
mod parse;
mod steps;
mod walk;

use std::borrow::Cow;

use self::eval::{Evaluator, Focus, Object};
use self::item::{Item, Part};
use self::parse::Parsed;
use super::axes::Tree;
use super::budget::Meter;
use super::{Context, SelectError};
use crate::tree::{Attribute, Document, Node};

/// An XPath 1.0 expression, ready to be evaluated any number of times.
///
/// ```
/// use treediff::parse::{self, Options};
/// use treediff::select::{Context, Expression, Value};
///
/// let expression = Expression::parse("count(item[@n > $least])")?;
/// let list = parse::xml(b"<list><item n='1'/><item n='2'/></list>", &Options::default())?.document;
/// let mut context = Context::default();
/// context.variables.insert("least".to_owned(), Value::Number(1.0));
/// assert_eq!(expression.evaluate(list.root_element().unwrap(), &context)?, Value::Number(1.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Expression {
    parsed: Parsed,
}

impl Expression {
    /// Reads an expression.
    pub fn parse(source: &str) -> Result<Self, SelectError> {
        Ok(Expression { parsed: parse::parse(source)? })
    }

    /// The value of the expression with `node` as the context node.
    pub fn evaluate<'d>(&self, node: Node<'d>, context: &Context<'d>) -> Result<Value<'d>, SelectError> {
        self.evaluate_within(node, context, &Meter::new(context.budget))
    }

    /// How many nodes, attributes and namespaces the expression selects, without a list of them; `None` where its value
    /// is no node-set.
    pub fn count(&self, node: Node<'_>, context: &Context<'_>) -> Result<Option<usize>, SelectError> {
        let (document, meter) = (node.document(), Meter::new(context.budget));
        let evaluator = Evaluator::new(&self.parsed, document, Tree::new(document, &meter), context)?;
        let value = evaluator.eval(&self.parsed.expr, Focus::on(Item::node(node.id().0)))?;
        Ok(match value {
            Object::Nodes(items) => Some(items.len()),
            Object::String(_) | Object::Number(_) | Object::Boolean(_) => None,
        })
    }

    /// What [`evaluate`](Expression::evaluate) gives, for one of many evaluations that have one budget.
    pub(crate) fn evaluate_within<'d>(
        &self,
        node: Node<'d>,
        context: &Context<'d>,
        meter: &Meter,
    ) -> Result<Value<'d>, SelectError> {
        let document = node.document();
        let evaluator = Evaluator::new(&self.parsed, document, Tree::new(document, meter), context)?;
        let value = evaluator.eval(&self.parsed.expr, Focus::on(Item::node(node.id().0)))?;
        Ok(evaluator.hand_over(value, document))
    }
}

/// The value of an XPath expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'d> {
    /// Nodes, attributes and namespaces in document order, none twice.
    NodeSet(Vec<Selected<'d>>),
    /// A string.
    String(String),
    /// A number.
    Number(f64),
    /// A truth value.
    Boolean(bool),
}

impl<'d> Value<'d> {
    /// What is selected; nothing where the value is no node-set.
    pub fn into_nodes(self) -> Vec<Selected<'d>> {
        match self {
            Value::NodeSet(selected) => selected,
            _ => Vec::new(),
        }
    }

    /// The value as the function `string` has it: of a node-set the string-value of the first.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Value::NodeSet(selected) => selected.first().map(Selected::string_value).unwrap_or_default(),
            Value::String(text) => Cow::Borrowed(text),
            Value::Number(number) => Cow::Owned(number::format(*number)),
            Value::Boolean(boolean) => Cow::Borrowed(if *boolean { "true" } else { "false" }),
        }
    }
}

/// A member of a node-set.
#[derive(Debug, Clone)]
pub enum Selected<'d> {
    /// A node.
    Node(Node<'d>),
    /// An attribute.
    Attribute {
        /// The element that it is of.
        owner: Node<'d>,
        /// The attribute.
        attribute: Attribute<'d>,
    },
    /// A namespace in scope.
    Namespace {
        /// The element at which it is in scope.
        owner: Node<'d>,
        /// The prefix, empty for the default namespace.
        prefix: Cow<'d, str>,
        /// The namespace.
        uri: Cow<'d, str>,
    },
}

impl PartialEq for Selected<'_> {
    /// Whether it is the same node, attribute or namespace node of the same document.
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key() && self.owner() == other.owner()
    }
}

impl<'d> Selected<'d> {
    fn new(document: &'d Document, item: Item) -> Self {
        let owner = item.owner(document);
        match item.part() {
            Part::Node => Selected::Node(owner),
            Part::Attribute(index) => Selected::Attribute { owner, attribute: document.attribute(index) },
            part => {
                let (prefix, uri) = part.namespace(document).unwrap_or_default();
                Selected::Namespace { owner, prefix, uri }
            }
        }
    }

    /// The node itself, or the element that the attribute or namespace belongs to.
    pub fn owner(&self) -> Node<'d> {
        match self {
            Selected::Node(owner) | Selected::Attribute { owner, .. } | Selected::Namespace { owner, .. } => *owner,
        }
    }

    /// The string-value: a node's characters, an attribute's value, a namespace's URI.
    pub fn string_value(&self) -> Cow<'d, str> {
        match self {
            Selected::Node(node) => node.string_value(),
            Selected::Attribute { attribute, .. } => attribute.value(),
            Selected::Namespace { uri, .. } => uri.clone(),
        }
    }

    fn key(&self) -> (u8, u32, &str) {
        match self {
            Selected::Node(_) => (0, 0, ""),
            Selected::Attribute { attribute, .. } => (1, attribute.index(), ""),
            Selected::Namespace { prefix, .. } => (2, 0, prefix),
        }
    }

    /// The member of a node-set of `document`; `None` where it is of another document.
    fn item(&self, document: &Document) -> Option<Item> {
        let owner = self.owner();
        let node = owner.id().0;
        std::ptr::eq(owner.document(), document).then_some(())?;
        match self {
            Selected::Node(_) => Some(Item::node(node)),
            Selected::Attribute { attribute, .. } => Some(Item::attribute(node, *attribute)),
            Selected::Namespace { prefix, .. } => {
                let declares =
                    |node: Node<'_>| node.declaration_indices().find(|&index| document.declaration(index).0 == *prefix);
                Some(Item::namespace(node, std::iter::once(owner).chain(owner.ancestors()).find_map(declares)))
            }
        }
    }
}
