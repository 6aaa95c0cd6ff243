//! What do links and form controls of HTML look like? The rules of the HTML standard for pseudo-classes.

use super::super::SelectError;
use super::super::budget::Meter;
use crate::tree::{Format, HTML_NAMESPACE, Name, Node};

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

pub(super) fn is_link(node: Node<'_>) -> bool {
    let has_href = || node.attribute("", "href").is_some();
    match node.name() {
        Name { namespace: HTML_NAMESPACE, local: "a" | "area" } => has_href(),
        Name { namespace: "http://www.w3.org/2000/svg", local: "a" } => {
            has_href() || node.attribute("http://www.w3.org/1999/xlink", "href").is_some()
        }
        _ => false,
    }
}

pub(super) fn is_checked(node: Node<'_>) -> bool {
    let is_tickable = || {
        node.attribute("", "type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("checkbox") || kind.eq_ignore_ascii_case("radio"))
    };
    match html_name(node) {
        Some("input") => node.attribute("", "checked").is_some() && is_tickable(),
        Some("option") => node.attribute("", "selected").is_some(),
        _ => false,
    }
}

/// Whether an element is of those that can be disabled.
pub(super) fn can_be_disabled(node: Node<'_>) -> bool {
    is_control(node) || matches!(html_name(node), Some("optgroup" | "option"))
}

pub(super) fn is_disabled(node: Node<'_>, meter: &Meter) -> Result<bool, SelectError> {
    let says_so = |node: Node<'_>| node.attribute("", "disabled").is_some();
    if !can_be_disabled(node) {
        return Ok(false);
    }
    if says_so(node) {
        return Ok(true);
    }
    if html_name(node) == Some("option") {
        return Ok(node.parent().is_some_and(|group| html_name(group) == Some("optgroup") && says_so(group)));
    }
    let mut child = node;
    for ancestor in node.ancestors().take_while(|_| is_control(node)) {
        meter.charge(1)?;
        if html_name(ancestor) == Some("fieldset") && says_so(ancestor) && !is_first_legend(child, ancestor, meter)? {
            return Ok(true);
        }
        child = ancestor;
    }
    Ok(false)
}

/// Whether `child` is the legend of a field set, whose controls stay usable.
fn is_first_legend(child: Node<'_>, fieldset: Node<'_>, meter: &Meter) -> Result<bool, SelectError> {
    for other in fieldset.children() {
        meter.charge(1)?;
        if html_name(other) == Some("legend") {
            return Ok(other == child);
        }
    }
    Ok(false)
}

fn is_control(node: Node<'_>) -> bool {
    matches!(html_name(node), Some("button" | "input" | "select" | "textarea" | "fieldset"))
}

fn html_name(node: Node<'_>) -> Option<&str> {
    let name = node.name();
    (node.is_element() && name.namespace == HTML_NAMESPACE).then_some(name.local)
}
