//! What became of a value? It was what it was before the first delta, and is what it is after the second.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::ComposeError;
use super::edits::Edits;
use crate::delta::between::{name_of, update_value};
use crate::delta::{AttributeChange, AttributeName, Operation, Xid};
use crate::parse::decode;
use crate::tree::{Format, Kind, Node};

/// The updates, changes of attributes and of the document type of the composed delta.
pub(super) fn operations(first: &Edits<'_>, second: &Edits<'_>) -> Result<Vec<Operation>, ComposeError> {
    let mut all = Vec::new();
    for node in changed(first, second) {
        all.extend(update(node, first.updates.get(&node), second.updates.get(&node)));
        let earlier = first.attributes.get(&node).into_iter().flatten();
        let later = second.attributes.get(&node).into_iter().flatten();
        let both = earlier.chain(later).map(|(name, change)| (*name, change.values()));
        attributes(node, both, &mut all);
    }
    for (node, before, after) in returned(first, second) {
        same_identity(node, before, after)?;
        all.extend(update(node, Some(&(&update_value(before), "")), Some(&("", &update_value(after)))));
        exchanged_attributes(node, before, after, &mut all);
    }
    all.extend(doctype(first, second));
    Ok(all)
}

/// The nodes of all three versions whose value or attributes changed, in order.
fn changed(first: &Edits<'_>, second: &Edits<'_>) -> Vec<Xid> {
    let both = [first, second];
    let mut nodes: Vec<Xid> =
        both.iter().flat_map(|edits| edits.updates.keys().chain(edits.attributes.keys())).copied().collect();
    nodes.retain(|node| !first.come.contains_key(node) && !second.gone.contains_key(node));
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The nodes that the first delta deleted and the second brought back, in order.
fn returned<'d>(first: &Edits<'d>, second: &Edits<'d>) -> Vec<(Xid, Node<'d>, Node<'d>)> {
    let back = first
        .gone
        .iter()
        .filter_map(|(node, before)| second.come.get(node).map(|after| (*node, before.node, after.node)));
    let mut back: Vec<_> = back.collect();
    back.sort_unstable_by_key(|(node, ..)| *node);
    back
}

/// What a token of JSON is.
pub(super) fn scalar(token: &str) -> (Kind, Cow<'_, str>) {
    match token.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inside) => (Kind::String, decode::value(Format::Json, Kind::String, inside, true)),
        None if token.starts_with(['t', 'f', 'n']) => (Kind::Literal, Cow::Borrowed(token)),
        None => (Kind::Number, Cow::Borrowed(token)),
    }
}

fn same_identity(xid: Xid, before: Node<'_>, after: Node<'_>) -> Result<(), ComposeError> {
    let is_scalar = |node: Node<'_>| matches!(node.kind(), Kind::String | Kind::Number | Kind::Literal);
    let same_kind = before.kind() == after.kind() || is_scalar(before) && is_scalar(after);
    let same = same_kind && before.name() == after.name();
    if same { Ok(()) } else { Err(ComposeError::Disagreement { first: xid, second: xid }) }
}

fn update(node: Xid, first: Option<&(&str, &str)>, second: Option<&(&str, &str)>) -> Option<Operation> {
    let (before, _) = first.or(second)?;
    let (_, after) = second.or(first)?;
    (before != after).then(|| Operation::Update { node, before: (*before).to_owned(), after: (*after).to_owned() })
}

/// The changes of a node's attributes, given all there were in their order.
fn attributes<'d>(
    node: Xid,
    changes: impl Iterator<Item = (&'d AttributeName, (Option<&'d str>, Option<&'d str>))>,
    all: &mut Vec<Operation>,
) {
    let mut order = Vec::new();
    let mut places: HashMap<(&str, &str), usize> = HashMap::new();
    for (name, (before, after)) in changes {
        match places.entry((&name.namespace, &name.local)) {
            Entry::Vacant(place) => {
                place.insert(order.len());
                order.push((name, before, after, true));
            }
            Entry::Occupied(place) => {
                let change = &mut order[*place.get()];
                (change.0, change.2, change.3) = (name, after, false);
            }
        }
    }
    for (name, before, after, is_alone) in order {
        let change = match (before, after) {
            // A reference that was not followed may become text that reads alike, or the other way round.
            (Some(before), Some(after)) if is_alone && before == after => {
                Some(AttributeChange::Modify { before: before.to_owned(), after: after.to_owned() })
            }
            _ => AttributeChange::between(before, after),
        };
        all.extend(change.map(|change| Operation::Attribute { node, name: name.clone().into(), change }));
    }
}

/// The changes that make the attributes of the one into those of the other.
fn exchanged_attributes(node: Xid, before: Node<'_>, after: Node<'_>, all: &mut Vec<Operation>) {
    let names: Vec<AttributeName> = before.attributes().chain(after.attributes()).map(name_of).collect();
    let values = before
        .attributes()
        .map(|attribute| (Some(attribute.value()), None))
        .chain(after.attributes().map(|attribute| (None, Some(attribute.value()))));
    let values: Vec<_> = values.collect();
    let changes =
        names.iter().zip(&values).map(|(name, (before, after))| (name, (before.as_deref(), after.as_deref())));
    attributes(node, changes, all);
}

fn doctype(first: &Edits<'_>, second: &Edits<'_>) -> Option<Operation> {
    let (before, _) = first.doctype.or(second.doctype)?;
    let (_, after) = second.doctype.or(first.doctype)?;
    (before != after).then(|| Operation::Doctype { before: before.map(str::to_owned), after: after.map(str::to_owned) })
}

impl AttributeChange {
    /// What makes the one value, or none, into the other.
    fn between(before: Option<&str>, after: Option<&str>) -> Option<Self> {
        match (before, after) {
            (None, Some(after)) => Some(AttributeChange::Insert(after.to_owned())),
            (Some(before), None) => Some(AttributeChange::Delete(before.to_owned())),
            (Some(before), Some(after)) if before != after => {
                Some(AttributeChange::Modify { before: before.to_owned(), after: after.to_owned() })
            }
            _ => None,
        }
    }
}
