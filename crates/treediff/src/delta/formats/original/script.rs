//! Which operations does an original delta have? Its elements, read one by one.

use super::fault::Fault;
use crate::delta::{DeltaError, Place, Xid, XidMap};
use crate::parse::Position;
use crate::tree::{Document, Kind, Node, NodeId, is_blank};

/// The namespace of the later deltas.
const NAMESPACE: &str = "urn:schemas-xydiff:xydelta";

/// Which white space XyDiff numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// All of it, as in 2001.
    AllText,
    /// None that has siblings, as it was later.
    NoBlanks,
}

impl Dialect {
    /// The one that a delta is in. Updates by pieces came with it that blanks have no numbers.
    pub(super) fn of(delta: Node<'_>) -> Dialect {
        let is_later = delta.name().namespace == NAMESPACE || elements(delta).any(|it| it.name().local == "u");
        if is_later { Dialect::NoBlanks } else { Dialect::AllText }
    }

    /// Whether a node has an XID. What stands around the root element has none.
    pub(super) fn numbers(self, node: Node<'_>) -> bool {
        let Some(parent) = node.parent() else { return false };
        match node.kind() {
            Kind::Text if self == Dialect::NoBlanks => {
                node.size() + 1 == parent.size() || !is_blank(node.value().as_bytes())
            }
            Kind::Element => true,
            _ => parent.kind() != Kind::Document,
        }
    }

    /// The texts of a payload that have no XIDs.
    fn blanks(self, root: Node<'_>) -> Vec<NodeId> {
        root.descendants().filter(|node| !self.numbers(*node)).map(|node| node.id()).collect()
    }
}

/// The elements that each hold the operations from one version to the next.
pub(super) fn deltas(document: &Document) -> Result<Vec<Node<'_>>, DeltaError> {
    let root = document.root_element().map(|root| (root, root.name().local));
    let found = match root {
        Some((delta, "t")) => vec![delta],
        Some((unit, "unit_delta")) => elements(unit).filter(|child| child.name().local == "t").collect(),
        _ => Vec::new(),
    };
    let message = match root {
        _ if !found.is_empty() => return Ok(found),
        Some((_, "unit_delta")) => {
            "found nothing in `unit_delta`; expected the operations from version to version, `t`".into()
        }
        _ => {
            let name = root.map_or("", |(_, name)| name);
            format!("found the element `{name}`; expected a delta of XyDiff, `unit_delta` or `t`")
        }
    };
    Err(DeltaError::Header(message))
}

fn elements(parent: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    parent.children().filter(|child| child.is_element())
}

/// An operation.
#[derive(Debug, Clone)]
pub(super) struct Operation<'d> {
    /// Its place among the operations, from 1.
    pub(super) number: usize,
    pub(super) element: Node<'d>,
    pub(super) action: Action<'d>,
}

#[derive(Debug, Clone)]
pub(super) enum Action<'d> {
    /// A subtree goes away.
    Remove { place: Place, xids: XidMap, why: Why<'d> },
    /// A subtree comes.
    Put { place: Place, xids: XidMap, why: Why<'d> },
    /// A text has another value.
    Update { node: Xid, new: Option<Xid> },
    /// An attribute came, with this value.
    AddAttribute { node: Xid, name: String, value: String },
    /// An attribute went.
    DropAttribute { node: Xid, name: String, value: String },
    /// An attribute has another value.
    SetAttribute { node: Xid, name: String, before: String, after: String },
    /// The root element has another name.
    RenameRoot { to: String },
}

/// Why a subtree comes or goes.
#[derive(Debug, Clone)]
pub(super) enum Why<'d> {
    /// It is new, or no longer there; and what it is, without the nodes that have no XIDs.
    Content(Node<'d>, Vec<NodeId>),
    /// It is half of an update of a text.
    Update(Node<'d>),
    /// It is half of a move.
    Move,
}

impl<'d> Operation<'d> {
    /// The operations of a delta.
    pub(super) fn all(delta: Node<'d>, dialect: Dialect) -> Result<Vec<Self>, DeltaError> {
        let read = |(at, element)| {
            let fields = Fields { element, dialect };
            let number = at + 1;
            let action = fields.action().map_err(|fault| fault_of(number, element, &fault))?;
            Ok(Operation { number, element, action })
        };
        elements(delta).enumerate().map(read).collect()
    }

    /// The error that something is wrong with the operation.
    pub(super) fn fault(&self, fault: &Fault) -> DeltaError {
        fault_of(self.number, self.element, fault)
    }
}

fn fault_of(number: usize, element: Node<'_>, fault: &Fault) -> DeltaError {
    let start = element.source_range().map_or(0, |range| range.start);
    let line = Position::of(element.document().source().as_bytes(), start).line;
    DeltaError::Operation { number, kind: element.name().local.to_owned(), line, message: fault.to_string() }
}

/// The attributes and the content of an operation's element.
#[derive(Clone, Copy)]
struct Fields<'d> {
    element: Node<'d>,
    dialect: Dialect,
}

impl<'d> Fields<'d> {
    fn action(self) -> Result<Action<'d>, Fault> {
        Ok(match self.element.name().local {
            "d" => Action::Remove { place: self.place()?, xids: self.xids("xm")?, why: self.why()? },
            "i" => Action::Put { place: self.place()?, xids: self.xids("xm")?, why: self.why()? },
            "u" => self.update()?,
            "ai" => Action::AddAttribute { node: self.xid("xid")?, name: self.text("a")?, value: self.text("v")? },
            "ad" => Action::DropAttribute { node: self.xid("xid")?, name: self.text("a")?, value: self.text("v")? },
            "au" => {
                let (before, after) = (self.text("ov")?, self.text("nv")?);
                Action::SetAttribute { node: self.xid("xid")?, name: self.text("a")?, before, after }
            }
            "renameRoot" => Action::RenameRoot { to: self.text("to")? },
            _ => return Err(Fault::Unknown),
        })
    }

    fn update(self) -> Result<Action<'d>, Fault> {
        let root_of = |name| self.xids(name).map(|xids| xids.last());
        let old = root_of("oldxm").ok().flatten().map_or_else(|| self.xid("xid"), Ok)?;
        Ok(Action::Update { node: old, new: root_of("newxm").ok().flatten() })
    }

    fn why(self) -> Result<Why<'d>, Fault> {
        let is_yes = |name| self.element.attribute("", name).is_some_and(|value| value == "yes");
        if is_yes("move") {
            return Ok(Why::Move);
        }
        let all = self.element.children().count();
        let is_blank_text = |node: Node<'_>| node.kind() == Kind::Text && is_blank(node.value().as_bytes());
        // Pretty printers put white space around a subtree; where it is all there is, it is the content.
        let mut content = self.element.children().filter(|&child| all == 1 || !is_blank_text(child));
        match (content.next(), content.next()) {
            (Some(root), None) if is_yes("update") => Ok(Why::Update(root)),
            (Some(root), None) => Ok(Why::Content(root, self.dialect.blanks(root))),
            _ => Err(Fault::Content(all)),
        }
    }

    fn place(self) -> Result<Place, Fault> {
        let position = self.number("pos")?;
        let position = u32::try_from(position - 1);
        let position =
            position.map_err(|_| Fault::Number { name: "pos", value: self.text("pos").unwrap_or_default() })?;
        Ok(Place { parent: self.xid("par")?, position })
    }

    fn xid(self, name: &'static str) -> Result<Xid, Fault> {
        self.number(name).map(Xid)
    }

    fn number(self, name: &'static str) -> Result<u64, Fault> {
        let value = self.text(name)?;
        let number = value.trim().parse().ok().filter(|&number: &u64| number > 0 && number < u64::MAX);
        number.ok_or(Fault::Number { name, value })
    }

    fn xids(self, name: &'static str) -> Result<XidMap, Fault> {
        Ok(written_map(&self.text(name)?)?.0)
    }

    fn text(self, name: &'static str) -> Result<String, Fault> {
        self.element.attribute("", name).map(|value| value.into_owned()).ok_or(Fault::Missing(name))
    }
}

/// An XID map as XyDiff writes it, `(1-7;9|10)`: behind the bar is the next XID that is free.
pub(super) fn written_map(written: &str) -> Result<(XidMap, Option<Xid>), Fault> {
    let written = written.trim();
    let Some((list, next)) = written.strip_suffix(')').and_then(|inner| inner.split_once('|')) else {
        return Ok((written.parse()?, None));
    };
    let next = next.parse().map_err(|_| Fault::Number { name: "XID map", value: next.to_owned() })?;
    Ok((format!("{list})").parse()?, Some(Xid(next))))
}
