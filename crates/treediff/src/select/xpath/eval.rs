//! What is the value of an expression? Evaluation, and the conversions between the four types of value.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::super::axes::{Tree, normalise};
use super::super::{Context, SelectError};
use super::ast::{Expr, Operator};
use super::item::{Item, Part};
use super::node_test::Test;
use super::parse::Parsed;
use super::{Selected, Value, number};
use crate::tree::Document;

/// A value during evaluation.
#[derive(Debug, Clone)]
pub(super) enum Object<'e> {
    Nodes(Rc<Vec<Item>>),
    String(Cow<'e, str>),
    Number(f64),
    Boolean(bool),
}

impl Object<'_> {
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Object::Nodes(_) => "node-set",
            Object::String(_) => "string",
            Object::Number(_) => "number",
            Object::Boolean(_) => "boolean",
        }
    }
}

/// The context of an expression: a node and its place among those that are looked at.
#[derive(Debug, Clone, Copy)]
pub(super) struct Focus {
    pub(super) item: Item,
    pub(super) position: usize,
    pub(super) size: usize,
}

impl Focus {
    /// For what does not ask for its place.
    pub(super) fn on(item: Item) -> Self {
        Focus { item, position: 1, size: 1 }
    }
}

pub(super) struct Evaluator<'e> {
    pub(super) document: &'e Document,
    pub(super) tree: Tree<'e>,
    context: &'e Context<'e>,
    pub(super) tests: Vec<Test>,
    /// The nodes of absolute paths inside predicates.
    pub(super) kept: RefCell<Vec<Option<Rc<Vec<Item>>>>>,
    pub(super) ids: OnceCell<HashMap<Cow<'e, str>, u32>>,
}

impl<'e> Evaluator<'e> {
    pub(super) fn new(
        parsed: &Parsed,
        document: &'e Document,
        tree: Tree<'e>,
        context: &'e Context<'e>,
    ) -> Result<Self, SelectError> {
        tree.meter.charge(parsed.tests.len().saturating_mul(1 + document.names().len() / 16))?;
        let resolve = |test| Test::resolve(test, document, context);
        let tests = parsed.tests.iter().map(resolve).collect::<Result<_, _>>()?;
        let kept = RefCell::new(vec![None; parsed.kept]);
        Ok(Evaluator { document, tree, context, tests, kept, ids: OnceCell::new() })
    }

    pub(super) fn eval(&self, expr: &'e Expr, focus: Focus) -> Result<Object<'e>, SelectError> {
        self.tree.meter.charge(1)?;
        Ok(match expr {
            Expr::Number(number) => Object::Number(*number),
            Expr::Literal(text) => Object::String(Cow::Borrowed(text)),
            Expr::Variable(name) => self.variable(name)?,
            Expr::Negate { odd, operand } => {
                let number = self.number(self.eval(operand, focus)?)?;
                Object::Number(if *odd { -number } else { number })
            }
            Expr::Chain { first, rest } => self.chain(first, rest, focus)?,
            Expr::Call(function, arguments) => self.call(*function, arguments, focus)?,
            Expr::Union(_) | Expr::Filter { .. } | Expr::Path(_) => Object::Nodes(self.nodes(expr, focus)?),
        })
    }

    fn chain(&self, first: &'e Expr, rest: &'e [(Operator, Expr)], focus: Focus) -> Result<Object<'e>, SelectError> {
        let mut value = self.eval(first, focus)?;
        for (operator, right) in rest {
            self.tree.meter.charge(1)?;
            value = match operator {
                // All operators of a chain bind alike, so that the rest cannot change the answer.
                Operator::And if !boolean(&value) => return Ok(Object::Boolean(false)),
                Operator::Or if boolean(&value) => return Ok(Object::Boolean(true)),
                Operator::And | Operator::Or => Object::Boolean(self.truth(right, focus)?),
                _ => self.apply(*operator, value, self.eval(right, focus)?)?,
            };
        }
        Ok(value)
    }

    fn apply(&self, operator: Operator, left: Object<'e>, right: Object<'e>) -> Result<Object<'e>, SelectError> {
        if operator.precedence() < Operator::Add.precedence() {
            return self.compare(operator, left, right).map(Object::Boolean);
        }
        let (left, right) = (self.number(left)?, self.number(right)?);
        Ok(Object::Number(match operator {
            Operator::Add => left + right,
            Operator::Subtract => left - right,
            Operator::Multiply => left * right,
            Operator::Divide => left / right,
            _ => left % right,
        }))
    }

    fn variable(&self, name: &'e str) -> Result<Object<'e>, SelectError> {
        let value = self.context.variables.get(name).ok_or_else(|| SelectError::UnknownVariable(name.to_owned()))?;
        Ok(match value {
            Value::String(text) => Object::String(Cow::Borrowed(text)),
            Value::Number(number) => Object::Number(*number),
            Value::Boolean(boolean) => Object::Boolean(*boolean),
            Value::NodeSet(selected) => {
                self.tree.meter.charge(selected.len())?;
                let items = selected.iter().map(|selected| selected.item(self.document)).collect::<Option<Vec<_>>>();
                let mut items = items.ok_or_else(|| SelectError::ForeignNodes(name.to_owned()))?;
                normalise(&mut items);
                Object::Nodes(Rc::new(items))
            }
        })
    }

    pub(super) fn string_value(&self, item: Item) -> Result<Cow<'e, str>, SelectError> {
        let node = item.owner(self.document);
        let value = match item.part() {
            Part::Node => {
                self.tree.meter.charge(node.size() as usize)?;
                node.string_value()
            }
            Part::Attribute(index) => self.document.attribute(index).value(),
            part => part.namespace(self.document).map(|(_, uri)| uri).unwrap_or_default(),
        };
        self.tree.meter.charge_bytes(value.len())?;
        Ok(value)
    }

    pub(super) fn string(&self, value: Object<'e>) -> Result<Cow<'e, str>, SelectError> {
        match value {
            Object::String(text) => Ok(text),
            Object::Number(number) => Ok(Cow::Owned(number::format(number))),
            Object::Boolean(boolean) => Ok(Cow::Borrowed(if boolean { "true" } else { "false" })),
            Object::Nodes(items) => items.first().map_or(Ok(Cow::Borrowed("")), |&item| self.string_value(item)),
        }
    }

    pub(super) fn number(&self, value: Object<'e>) -> Result<f64, SelectError> {
        match value {
            Object::Number(number) => Ok(number),
            Object::Boolean(boolean) => Ok(f64::from(u8::from(boolean))),
            other => {
                let text = self.string(other)?;
                self.tree.meter.charge_bytes(text.len())?;
                Ok(number::parse(&text))
            }
        }
    }

    /// A value as callers get it.
    pub(super) fn hand_over<'d>(&self, value: Object<'e>, document: &'d Document) -> Value<'d> {
        match value {
            Object::Nodes(items) => Value::NodeSet(items.iter().map(|&item| Selected::new(document, item)).collect()),
            Object::String(text) => Value::String(text.into_owned()),
            Object::Number(number) => Value::Number(number),
            Object::Boolean(boolean) => Value::Boolean(boolean),
        }
    }
}

pub(super) fn boolean(value: &Object<'_>) -> bool {
    match value {
        Object::Nodes(items) => !items.is_empty(),
        Object::String(text) => !text.is_empty(),
        Object::Number(number) => *number != 0.0 && !number.is_nan(),
        Object::Boolean(boolean) => *boolean,
    }
}
