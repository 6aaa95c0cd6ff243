//! What do links and form controls of HTML look like? The rules of the HTML standard for pseudo-classes.

use super::super::SelectError;
use super::matching::Matcher;
use crate::tree::{Format, HTML_NAMESPACE, Name, Node};

const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";
const XLINK_NAMESPACE: &str = "http://www.w3.org/1999/xlink";

/// Attributes whose values selectors compare without regard to case on HTML elements in HTML documents; sorted.
const VALUES_WITHOUT_CASE: [&str; 46] = [
    "accept",
    "accept-charset",
    "align",
    "alink",
    "axis",
    "bgcolor",
    "charset",
    "checked",
    "clear",
    "codetype",
    "color",
    "compact",
    "declare",
    "defer",
    "dir",
    "direction",
    "disabled",
    "enctype",
    "face",
    "frame",
    "hreflang",
    "http-equiv",
    "lang",
    "language",
    "link",
    "media",
    "method",
    "multiple",
    "nohref",
    "noresize",
    "noshade",
    "nowrap",
    "readonly",
    "rel",
    "rev",
    "rules",
    "scope",
    "scrolling",
    "selected",
    "shape",
    "target",
    "text",
    "type",
    "valign",
    "valuetype",
    "vlink",
];

/// Whether the values of an attribute are compared without regard to case.
pub(super) fn ignores_case(node: Node<'_>, attribute: Name<'_>) -> bool {
    node.document().format() == Format::Html
        && node.name().namespace == HTML_NAMESPACE
        && attribute.namespace.is_empty()
        && VALUES_WITHOUT_CASE.binary_search(&attribute.local).is_ok()
}

/// Types of `input` that have no `required`; others do, those that nobody knows being text.
const NEVER_REQUIRED: [&str; 7] = ["hidden", "range", "color", "submit", "image", "reset", "button"];
/// Types of `input` that have no `readonly`.
const NEVER_READONLY: [&str; 10] =
    ["hidden", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button"];

impl<'m> Matcher<'m> {
    pub(super) fn is_link(&self, node: Node<'m>) -> Result<bool, SelectError> {
        Ok(match node.name() {
            Name { namespace: HTML_NAMESPACE, local: "a" | "area" } => self.value(node, "", "href")?.is_some(),
            Name { namespace: SVG_NAMESPACE, local: "a" } => {
                self.value(node, "", "href")?.is_some() || self.value(node, XLINK_NAMESPACE, "href")?.is_some()
            }
            _ => false,
        })
    }

    pub(super) fn is_checked(&self, node: Node<'m>) -> Result<bool, SelectError> {
        Ok(match html_name(node) {
            Some("input") => {
                let is_tickable = |kind: &str| ["checkbox", "radio"].iter().any(|name| kind.eq_ignore_ascii_case(name));
                self.value(node, "", "type")?.is_some_and(|kind| is_tickable(&kind)) && self.says(node, "checked")?
            }
            Some("option") => self.is_chosen(node)?,
            _ => false,
        })
    }

    pub(super) fn is_disabled(&self, node: Node<'m>) -> Result<bool, SelectError> {
        if !can_be_disabled(node) {
            return Ok(false);
        }
        if self.says(node, "disabled")? {
            return Ok(true);
        }
        match (html_name(node), node.parent()) {
            (Some("option"), Some(group)) => Ok(html_name(group) == Some("optgroup") && self.says(group, "disabled")?),
            _ => Ok(is_control(node) && self.is_in_disabled_set(node)?),
        }
    }

    /// Whether a disabled field set has the control, elsewhere than in its legend.
    fn is_in_disabled_set(&self, control: Node<'m>) -> Result<bool, SelectError> {
        let mut child = control;
        for ancestor in control.ancestors() {
            self.tree.meter.charge(1)?;
            let is_set = html_name(ancestor) == Some("fieldset");
            if is_set && self.says(ancestor, "disabled")? && !self.is_legend(child, ancestor)? {
                return Ok(true);
            }
            child = ancestor;
        }
        Ok(false)
    }

    /// Whether a child of a field set is its legend, which is the first of them.
    fn is_legend(&self, child: Node<'m>, fieldset: Node<'m>) -> Result<bool, SelectError> {
        for other in fieldset.children() {
            self.tree.meter.charge(1)?;
            if html_name(other) == Some("legend") {
                return Ok(other == child);
            }
        }
        Ok(false)
    }

    /// Whether a field must be filled in.
    pub(super) fn is_required(&self, field: Node<'m>) -> Result<bool, SelectError> {
        Ok(self.says(field, "required")? && !self.is_input_of(field, &NEVER_REQUIRED)?)
    }

    /// Whether whoever reads the page may change what is in the element.
    pub(super) fn is_read_write(&self, node: Node<'m>) -> Result<bool, SelectError> {
        match html_name(node) {
            Some("input" | "textarea") => Ok(!self.is_input_of(node, &NEVER_READONLY)?
                && !self.says(node, "readonly")?
                && !self.is_disabled(node)?),
            _ => self.is_editable(node),
        }
    }

    /// Whether the nearest `contenteditable` that says anything says yes.
    fn is_editable(&self, node: Node<'m>) -> Result<bool, SelectError> {
        for around in std::iter::once(node).chain(node.ancestors()) {
            self.tree.meter.charge(1)?;
            let Some(says) = html_name(around).map(|_| self.value(around, "", "contenteditable")).transpose()? else {
                continue;
            };
            match says.map(|says| says.to_ascii_lowercase()).as_deref() {
                Some("" | "true" | "plaintext-only") => return Ok(true),
                Some("false") => return Ok(false),
                _ => {}
            }
        }
        Ok(false)
    }

    /// Whether an element is an `input` of one of these types.
    fn is_input_of(&self, node: Node<'m>, types: &[&str]) -> Result<bool, SelectError> {
        if html_name(node) != Some("input") {
            return Ok(false);
        }
        let kind = self.value(node, "", "type")?;
        Ok(kind.is_some_and(|kind| types.iter().any(|name| kind.eq_ignore_ascii_case(name))))
    }

    /// Whether an attribute is there, whatever its value.
    pub(super) fn says(&self, node: Node<'m>, attribute: &str) -> Result<bool, SelectError> {
        Ok(self.value(node, "", attribute)?.is_some())
    }
}

/// Whether an element is of those that can be disabled.
pub(super) fn can_be_disabled(node: Node<'_>) -> bool {
    is_control(node) || matches!(html_name(node), Some("optgroup" | "option"))
}

/// Whether an element is of those that may have to be filled in.
pub(super) fn is_field(node: Node<'_>) -> bool {
    matches!(html_name(node), Some("input" | "select" | "textarea"))
}

fn is_control(node: Node<'_>) -> bool {
    matches!(html_name(node), Some("button" | "input" | "select" | "textarea" | "fieldset"))
}

pub(super) fn html_name(node: Node<'_>) -> Option<&str> {
    let name = node.name();
    (node.is_element() && name.namespace == HTML_NAMESPACE).then_some(name.local)
}
