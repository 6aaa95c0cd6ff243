//! When does a comparison hold? XPath 1.0, section 3.4; for two node-sets in linear time.

use std::collections::HashSet;

use super::super::SelectError;
use super::ast::Operator;
use super::eval::{Evaluator, Object, boolean};
use super::item::Item;
use super::number;

impl<'e> Evaluator<'e> {
    pub(super) fn compare(&self, operator: Operator, left: Object<'e>, right: Object<'e>) -> Result<bool, SelectError> {
        match (left, right) {
            (Object::Nodes(left), Object::Nodes(right)) => self.compare_sets(operator, &left, &right),
            (Object::Nodes(left), right) => self.compare_set(operator, &left, right),
            (left, Object::Nodes(right)) => self.compare_set(mirrored(operator), &right, left),
            (left, right) => self.compare_single(operator, left, right),
        }
    }

    /// Whether it holds for some node of the set.
    fn compare_set(&self, operator: Operator, items: &[Item], other: Object<'e>) -> Result<bool, SelectError> {
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        match other {
            Object::Boolean(_) => self.compare_single(operator, Object::Boolean(!items.is_empty()), other),
            Object::String(text) if is_equality => {
                self.any(items, |value| (value == text) == (operator == Operator::Equal))
            }
            other => {
                let number = self.number(other)?;
                self.any(items, |value| holds(operator, number::parse(value), number))
            }
        }
    }

    fn any(&self, items: &[Item], is_so: impl Fn(&str) -> bool) -> Result<bool, SelectError> {
        for &item in items {
            if is_so(&self.string_value(item)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether it holds for some node of the one set and some node of the other.
    fn compare_sets(&self, operator: Operator, left: &[Item], right: &[Item]) -> Result<bool, SelectError> {
        match operator {
            Operator::Equal => self.share_a_value(left, right),
            Operator::NotEqual => self.differ_in_a_value(left, right),
            _ => {
                let ((least, most), (other_least, other_most)) = (self.extremes(left)?, self.extremes(right)?);
                Ok(match operator {
                    Operator::Less | Operator::LessOrEqual => holds(operator, least, other_most),
                    _ => holds(operator, most, other_least),
                })
            }
        }
    }

    fn share_a_value(&self, left: &[Item], right: &[Item]) -> Result<bool, SelectError> {
        let (few, many) = if left.len() < right.len() { (left, right) } else { (right, left) };
        let values = few.iter().map(|&item| self.string_value(item)).collect::<Result<HashSet<_>, _>>()?;
        for &item in if values.is_empty() { &[] } else { many } {
            if values.contains(&self.string_value(item)?) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// They do, unless one is empty or all values of both are one and the same.
    fn differ_in_a_value(&self, left: &[Item], right: &[Item]) -> Result<bool, SelectError> {
        let (Some(&first), false) = (left.first(), right.is_empty()) else { return Ok(false) };
        let value = self.string_value(first)?;
        for &item in left.iter().chain(right) {
            if self.string_value(item)? != value {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The least and the greatest number in a set, NaN where there is none.
    fn extremes(&self, items: &[Item]) -> Result<(f64, f64), SelectError> {
        let mut extremes = (f64::NAN, f64::NAN);
        for &item in items {
            let number = number::parse(&self.string_value(item)?);
            // `min` and `max` of a number and NaN are the number.
            extremes = (extremes.0.min(number), extremes.1.max(number));
        }
        Ok(extremes)
    }

    fn compare_single(&self, operator: Operator, left: Object<'e>, right: Object<'e>) -> Result<bool, SelectError> {
        let is_equality = matches!(operator, Operator::Equal | Operator::NotEqual);
        let is_wanted = operator == Operator::Equal;
        match (&left, &right) {
            (Object::Boolean(_), _) | (_, Object::Boolean(_)) if is_equality => {
                Ok((boolean(&left) == boolean(&right)) == is_wanted)
            }
            (Object::String(left), Object::String(right)) if is_equality => {
                self.tree.meter.charge_bytes(left.len().min(right.len()))?;
                Ok((left == right) == is_wanted)
            }
            _ => Ok(holds(operator, self.number(left)?, self.number(right)?)),
        }
    }
}

fn holds(operator: Operator, left: f64, right: f64) -> bool {
    match operator {
        Operator::Equal => left == right,
        Operator::NotEqual => left != right,
        Operator::Less => left < right,
        Operator::LessOrEqual => left <= right,
        Operator::Greater => left > right,
        _ => left >= right,
    }
}

/// The operator that holds for `b, a` where the given one holds for `a, b`.
fn mirrored(operator: Operator) -> Operator {
    match operator {
        Operator::Less => Operator::Greater,
        Operator::LessOrEqual => Operator::GreaterOrEqual,
        Operator::Greater => Operator::Less,
        Operator::GreaterOrEqual => Operator::LessOrEqual,
        other => other,
    }
}
