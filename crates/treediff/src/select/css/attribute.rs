//! Does an element have this attribute, class or ID?

use std::borrow::Cow;

use super::super::SelectError;
use super::ast::{AttributeTest, Case, ValueOperator, ValueTest};
use super::html;
use super::matching::Matcher;
use crate::tree::{Attribute, Node};

impl<'m> Matcher<'m> {
    pub(super) fn has_attribute(&self, node: Node<'m>, test: &AttributeTest) -> Result<bool, SelectError> {
        let name = &self.names[test.name];
        self.tree.meter.charge(node.attribute_count() as usize)?;
        for attribute in node.attributes().filter(|attribute| name.accepts(attribute.name_id())) {
            let Some(wanted) = &test.value else { return Ok(true) };
            let value = attribute.value();
            self.tree.meter.charge_bytes(value.len() + wanted.wanted.len())?;
            if has_value(node, attribute, &value, wanted) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    pub(super) fn has_class(&self, node: Node<'m>, class: &str) -> Result<bool, SelectError> {
        Ok(self.value(node, "", "class")?.is_some_and(|classes| has_word(&classes, class)))
    }

    /// The attribute `id` is an ID in any document, as in the DOM, besides those that a DTD declares and `xml:id`.
    pub(super) fn has_id(&self, node: Node<'m>, id: &str) -> Result<bool, SelectError> {
        if self.value(node, "", "id")?.is_some_and(|value| value == id) {
            return Ok(true);
        }
        let declared = node.id_value();
        self.tree.meter.charge_bytes(declared.as_ref().map_or(0, |value| value.len()))?;
        Ok(declared.is_some_and(|value| value == id))
    }

    /// The value of an attribute, charged for.
    pub(super) fn value(
        &self,
        node: Node<'m>,
        namespace: &str,
        local: &str,
    ) -> Result<Option<Cow<'m, str>>, SelectError> {
        self.tree.meter.charge(node.attribute_count() as usize)?;
        let value = node.attribute(namespace, local);
        self.tree.meter.charge_bytes(value.as_ref().map_or(0, |value| value.len()))?;
        Ok(value)
    }
}

fn has_value(node: Node<'_>, attribute: Attribute<'_>, value: &str, test: &ValueTest) -> bool {
    let ignores_case = match test.case {
        Case::Ignored => true,
        Case::Counts => false,
        Case::Usual => html::ignores_case(node, attribute.name()),
    };
    if ignores_case {
        return is(&value.to_ascii_lowercase(), test.operator, &test.wanted.to_ascii_lowercase());
    }
    is(value, test.operator, &test.wanted)
}

fn is(value: &str, operator: ValueOperator, wanted: &str) -> bool {
    match operator {
        ValueOperator::Is => value == wanted,
        ValueOperator::HasWord => has_word(value, wanted),
        ValueOperator::IsOrStartsWithDash => {
            value.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        }
        // Nothing starts with, ends with or contains the empty string here.
        _ if wanted.is_empty() => false,
        ValueOperator::StartsWith => value.starts_with(wanted),
        ValueOperator::EndsWith => value.ends_with(wanted),
        ValueOperator::Contains => value.contains(wanted),
    }
}

fn has_word(value: &str, wanted: &str) -> bool {
    value.split_ascii_whitespace().any(|word| word == wanted)
}
