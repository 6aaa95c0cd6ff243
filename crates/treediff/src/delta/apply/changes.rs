//! What becomes another without leaving its place? Values, attributes, the document type declaration.

use std::collections::{HashMap, HashSet};

use super::error::{Fault, OperationFault};
use super::numbering::Numbering;
use super::removals::Removals;
use super::{fault_of, numbered};
use crate::delta::{AttributeChange, AttributeName, Operation, Xid};
use crate::draft::{Draft, json_scalar};
use crate::parse::{self, Options};
use crate::tree::{Attribute, Format, Kind, Name, Node, NodeId};

/// Makes all changes to nodes that stay what they are.
pub(super) fn make<'d>(
    numbering: &Numbering<'d>,
    removals: &Removals,
    operations: &'d [Operation],
    draft: &mut Draft<'d>,
) -> Result<(), OperationFault> {
    let mut maker = Maker {
        numbering,
        removals,
        updated: HashSet::new(),
        attributes: HashMap::new(),
        changed: HashSet::new(),
        has_doctype: false,
    };
    for (number, operation) in numbered(operations) {
        maker.change(operation, draft).map_err(|fault| fault_of(number, fault))?;
    }
    Ok(())
}

/// Looks for an operation that brings what cannot be written: asked only where a result cannot be.
pub(super) fn check(numbering: &Numbering<'_>, operations: &[Operation]) -> Result<(), OperationFault> {
    for (number, operation) in numbered(operations) {
        let holds = match operation {
            Operation::Update { node, after, .. } => numbering.node(*node).is_none_or(|node| can_hold(node, after)),
            Operation::Doctype { after: Some(after), .. } => is_doctype(after, numbering.document().format()),
            _ => true,
        };
        if !holds {
            return Err(fault_of(number, Fault::Unwritable));
        }
    }
    Ok(())
}

/// Whether a node is read with this value again where it is written with it.
fn can_hold(node: Node<'_>, value: &str) -> bool {
    let (before, behind) = match node.kind() {
        Kind::Comment => ("<!--", "-->"),
        Kind::ProcessingInstruction => ("<?p ", "?>"),
        Kind::Text => return !value.is_empty(),
        _ => return true,
    };
    let written = format!("{before}{value}{behind}<p></p>");
    let parsed = parse::parse(written, node.document().format(), &Options::default());
    parsed.is_ok_and(|parsed| {
        let first = parsed.document.root().first_child();
        first.is_some_and(|first| first.kind() == node.kind() && first.value() == value)
    })
}

fn is_doctype(written: &str, format: Format) -> bool {
    let parsed = parse::parse(format!("{written}<p></p>"), format, &Options::default());
    parsed.is_ok_and(|parsed| parsed.document.doctype() == Some(written))
}

struct Maker<'a, 'd> {
    numbering: &'a Numbering<'d>,
    removals: &'a Removals,
    updated: HashSet<NodeId>,
    /// The attributes of the elements that operations came across: an element can have very many.
    attributes: HashMap<NodeId, HashMap<Name<'d>, Attribute<'d>>>,
    changed: HashSet<(NodeId, Name<'a>)>,
    has_doctype: bool,
}

impl<'a, 'd> Maker<'a, 'd> {
    fn change(&mut self, operation: &'a Operation, draft: &mut Draft<'d>) -> Result<(), Fault> {
        match operation {
            Operation::Update { node, before, after } => self.update(*node, before, after, draft),
            Operation::Attribute { node, name, change } => self.attribute(*node, name, change, draft),
            Operation::Doctype { before, after } => self.doctype(before.as_deref(), after.as_deref(), draft),
            Operation::Delete { .. } | Operation::Insert { .. } | Operation::Move { .. } => Ok(()),
        }
    }

    /// The node with an XID that is still there afterwards.
    fn lasting(&self, xid: Xid) -> Result<Node<'d>, Fault> {
        let node = self.numbering.node(xid).ok_or(Fault::NoNode(xid))?;
        if self.removals.deletes(node.id()) { Err(Fault::Deleted(xid)) } else { Ok(node) }
    }

    fn update(&mut self, xid: Xid, before: &str, after: &str, draft: &mut Draft<'d>) -> Result<(), Fault> {
        let node = self.lasting(xid)?;
        if node.kind().is_container() || node.kind() == Kind::Reference {
            return Err(Fault::Kind { node: xid, found: node.kind(), what: "value" });
        }
        if !self.updated.insert(node.id()) {
            return Err(Fault::Twice);
        }
        let is_expected = match node.document().format() {
            Format::Json => json_scalar(before) == (node.kind(), node.value()),
            Format::Xml | Format::Html => node.value() == before,
        };
        if !is_expected {
            return Err(Fault::Value { expected: before.to_owned(), found: node.value().into_owned() });
        }
        draft.set_value(draft.node(node.id()), after);
        Ok(())
    }

    fn attribute(
        &mut self,
        xid: Xid,
        name: &'a AttributeName,
        change: &AttributeChange,
        draft: &mut Draft<'d>,
    ) -> Result<(), Fault> {
        let element = self.lasting(xid)?;
        if !element.is_element() {
            return Err(Fault::Kind { node: xid, found: element.kind(), what: "attributes" });
        }
        let expanded = Name { namespace: &name.namespace, local: &name.local };
        if !self.changed.insert((element.id(), expanded)) {
            return Err(Fault::Twice);
        }
        let found = self.found(element, expanded);
        let node = draft.node(element.id());
        match (change, found) {
            (AttributeChange::Insert(after), None) => draft.set_attribute(node, name.clone(), after),
            (AttributeChange::Insert(_), Some(found)) => return Err(Fault::HasAttribute { found }),
            (_, None) => return Err(Fault::NoAttribute),
            (AttributeChange::Delete(before) | AttributeChange::Modify { before, .. }, Some(found))
                if *before != found =>
            {
                return Err(Fault::Value { expected: before.clone(), found });
            }
            (AttributeChange::Delete(_), Some(_)) => draft.remove_attribute(node, name.clone()),
            (AttributeChange::Modify { after, .. }, Some(_)) => draft.set_attribute(node, name.clone(), after),
        }
        Ok(())
    }

    /// The value that an attribute of the version before has.
    fn found(&mut self, element: Node<'d>, name: Name<'_>) -> Option<String> {
        let by_name = || element.attributes().map(|attribute| (attribute.name(), attribute)).collect();
        let attributes: &HashMap<Name<'_>, _> = self.attributes.entry(element.id()).or_insert_with(by_name);
        attributes.get(&name).map(|attribute| attribute.value().into_owned())
    }

    fn doctype(&mut self, before: Option<&str>, after: Option<&str>, draft: &mut Draft<'d>) -> Result<(), Fault> {
        if std::mem::replace(&mut self.has_doctype, true) {
            return Err(Fault::Twice);
        }
        let found = self.numbering.document().doctype();
        if found != before {
            return Err(Fault::Doctype { found: found.map(str::to_owned) });
        }
        draft.set_doctype(after.map(str::to_owned));
        Ok(())
    }
}
