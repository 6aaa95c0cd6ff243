//! What happens to nodes in their places? Values, attributes, and the name of the root element.

use std::collections::HashMap;

use super::fault::Fault;
use super::patch::Patch;
use super::script::{Action, Operation, Why};
use super::text;
use crate::delta::formats::markup::{Markup, Named};
use crate::delta::{AttributeName, DeltaError, Place, Xid, XidMap};
use crate::draft::DraftNode;
use crate::parse::escapes::is_ncname;
use crate::parse::{self, Limits};
use crate::tree::{Document, Kind, Node, XML_NAMESPACE};

/// The attributes of an element as they are now, by their names as written.
pub(super) type Attributes = HashMap<String, (AttributeName, String)>;

/// A small document whose root element has the name that the root element gets in the end, if it gets one.
pub(super) fn template(
    scripts: &[Vec<Operation<'_>>],
    before: &Document,
    limits: &Limits,
) -> Result<Option<Document>, DeltaError> {
    let mut names = scripts.iter().flatten().filter_map(|operation| match &operation.action {
        Action::RenameRoot { to } => Some(to),
        _ => None,
    });
    let Some(name) = names.next_back() else { return Ok(None) };
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    let namespace = before.root_element().and_then(|root| namespace_at(root, prefix)).unwrap_or_default();
    let mut source = String::new();
    let mut markup = Markup::new(&mut source);
    let name = Named { prefix, namespace: &namespace, local };
    // Writing to a string cannot fail.
    let _ = markup.start(name, [] as [(Named<'_>, &str); 0]).and_then(|()| markup.end());
    Ok(Some(parse::xml(source, &parse::Options { limits: limits.clone(), ..Default::default() })?.document))
}

impl<'d> Patch<'d> {
    /// Updates that are written as a deletion and an insertion at one place.
    pub(super) fn updates(&mut self, script: &[Operation<'d>]) -> Result<(), DeltaError> {
        let mut new: HashMap<Place, (&XidMap, Node<'d>, &Operation<'d>)> = HashMap::new();
        for operation in script {
            if let Action::Put { place, xids, why: Why::Update(content) } = &operation.action {
                new.insert(*place, (xids, *content, operation));
            }
        }
        for operation in script {
            let Action::Remove { place, xids, why: Why::Update(old) } = &operation.action else { continue };
            let half = Fault::HalfUpdate { parent: place.parent, position: place.position.saturating_add(1) };
            let (new_xids, content, _) = new.remove(place).ok_or_else(|| operation.fault(&half))?;
            let (xid, alias) = (xids.last().unwrap_or(Xid::DOCUMENT), new_xids.last());
            let updated = |value: &str| match value == old.value() {
                true => Ok(content.value().into_owned()),
                false => Err(Fault::OtherContent(xid)),
            };
            self.update(xid, alias, updated).map_err(|fault| operation.fault(&fault))?;
        }
        match new.into_iter().min_by_key(|(_, (_, _, operation))| operation.number) {
            Some((Place { parent, position }, (_, _, operation))) => {
                Err(operation.fault(&Fault::HalfUpdate { parent, position: position.saturating_add(1) }))
            }
            None => Ok(()),
        }
    }

    fn update(
        &mut self,
        xid: Xid,
        alias: Option<Xid>,
        updated: impl FnOnce(&str) -> Result<String, Fault>,
    ) -> Result<(), Fault> {
        let node = self.node(xid)?;
        if self.draft.kind(node).is_container() {
            return Err(Fault::Kind(xid));
        }
        let value = updated(&self.draft.value(node))?;
        self.draft.set_value(node, value);
        if let Some(alias) = alias.filter(|&alias| alias != xid) {
            if self.node(alias).is_ok() {
                return Err(Fault::Twice(alias));
            }
            self.by_xid.insert(alias, node);
        }
        Ok(())
    }

    /// Carries out what happens to a node in its place.
    pub(super) fn change(&mut self, operation: &Operation<'d>) -> Result<(), Fault> {
        match &operation.action {
            // The root element gets the last of its names when all is done.
            Action::Remove { .. } | Action::Put { .. } | Action::RenameRoot { .. } => Ok(()),
            Action::Update { node, new } => self.update(*node, *new, |value| text::updated(value, operation.element)),
            Action::AddAttribute { node, name, value } => self.attribute(*node, name, None, Some(value), operation),
            Action::DropAttribute { node, name, value } => self.attribute(*node, name, Some(value), None, operation),
            Action::SetAttribute { node, name, before, after } => {
                self.attribute(*node, name, Some(before), Some(after), operation)
            }
        }
    }

    fn attribute(
        &mut self,
        xid: Xid,
        name: &str,
        before: Option<&String>,
        after: Option<&String>,
        operation: &Operation<'d>,
    ) -> Result<(), Fault> {
        let node = self.node(xid)?;
        if self.draft.kind(node) != Kind::Element {
            return Err(Fault::Kind(xid));
        }
        // Declarations are attributes to XyDiff; here a name has its namespace without them.
        if name == "xmlns" || name.starts_with("xmlns:") {
            return Ok(());
        }
        let found = self.attributes_of(node).get(name);
        if found.map(|(_, value)| value) != before {
            return Err(Fault::Attribute(name.to_owned()));
        }
        let full = match found {
            Some((own, _)) => own.clone(),
            None => self.attribute_name(node, name, operation.element)?,
        };
        match after {
            Some(value) => {
                self.attributes_of(node).insert(name.to_owned(), (full.clone(), value.clone()));
                self.draft.set_attribute(node, full, value);
            }
            None => {
                self.attributes_of(node).remove(name);
                self.draft.remove_attribute(node, full);
            }
        }
        Ok(())
    }

    /// The attributes of an element, which can be very many and have very many operations.
    fn attributes_of(&mut self, node: DraftNode) -> &mut Attributes {
        self.attributes.entry(node).or_insert_with(|| {
            let attributes = self.draft.attributes(node).into_iter();
            attributes.map(|(name, value)| (qualified(&name), (name, value.into_owned()))).collect()
        })
    }

    /// The expanded name of a new attribute; its prefix is declared in the document, or else in the delta.
    fn attribute_name(&self, node: DraftNode, name: &str, operation: Node<'_>) -> Result<AttributeName, Fault> {
        if !name.split(':').all(is_ncname) {
            return Err(Fault::NoName(name.to_owned()));
        }
        let Some((prefix, local)) = name.split_once(':') else {
            return Ok(AttributeName { namespace: String::new(), prefix: String::new(), local: name.to_owned() });
        };
        let here = self.draft.written(node).and_then(|written| namespace_at(written, prefix));
        let namespace = here.or_else(|| namespace_at(operation, prefix));
        let namespace = namespace.ok_or_else(|| Fault::Attribute(name.to_owned()))?;
        Ok(AttributeName { namespace, prefix: prefix.to_owned(), local: local.to_owned() })
    }

    /// Puts an element of another name in the place of the root element, where there is a template of it.
    pub(super) fn rename_root(&mut self) {
        let Some(named) = self.template.and_then(Document::root_element) else { return };
        let around: Vec<DraftNode> = self.draft.children(DraftNode::DOCUMENT).collect();
        let is_root = |node: &DraftNode| self.draft.kind(*node) == Kind::Element;
        let Some(root) = around.iter().copied().find(is_root) else { return };
        let attributes: Vec<(AttributeName, String)> =
            self.draft.attributes(root).into_iter().map(|(name, value)| (name, value.into_owned())).collect();
        let children: Vec<DraftNode> = self.draft.children(root).collect();
        let renamed = self.draft.graft(named, Vec::new());
        self.draft.set_children(root, Vec::new());
        self.draft.set_children(renamed, children);
        for (name, value) in attributes {
            self.draft.set_attribute(renamed, name, value);
        }
        self.draft.set_children(DraftNode::DOCUMENT, around.iter().copied().filter(|&node| node != root).collect());
        let put = |node: DraftNode| if node == root { renamed } else { node };
        self.draft.set_children(DraftNode::DOCUMENT, around.into_iter().map(put).collect());
        self.gone.insert(root);
    }
}

fn qualified(name: &AttributeName) -> String {
    if name.prefix.is_empty() { name.local.clone() } else { format!("{}:{}", name.prefix, name.local) }
}

/// What a prefix stands for at an element.
fn namespace_at(element: Node<'_>, prefix: &str) -> Option<String> {
    if prefix == "xml" {
        return Some(XML_NAMESPACE.to_owned());
    }
    let around = std::iter::once(element).chain(element.ancestors());
    let mut declared = around.filter(|node| node.is_element()).flat_map(Node::declarations);
    declared.find(|(declared, _)| declared == prefix).map(|(_, namespace)| namespace.into_owned())
}
