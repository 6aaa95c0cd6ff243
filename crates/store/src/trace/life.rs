//! When did a node come, change, and leave?

use jiff::Timestamp;
use treediff::delta::{AttributeChange, Identities, Operation, Xid, XidMap};

use super::Origin;
use crate::steps::{Kind, Step, StepError};

/// Something that happened to a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The version in which it is so for the first time.
    pub number: u32,
    /// When that was captured.
    pub time: Timestamp,
    /// What happened; that it came is an insertion, that it left a deletion, by itself or with what it was in.
    pub kind: Kind,
    /// Whether it may have happened before: the node is in the oldest version that is kept, and there were others.
    pub is_or_before: bool,
    /// The value or attribute before, where that is what changed; an attribute as `name=value`.
    pub before: Option<String>,
    /// The value or attribute after.
    pub after: Option<String>,
}

/// The life of a node by its steps: when it came, every time that it was changed or moved itself, and when it left. A node that no
/// version has has none.
#[derive(Debug)]
pub struct Life {
    xid: Xid,
    turns: Vec<Turn>,
}

impl Life {
    /// Nothing is known yet of a node.
    pub fn of(xid: Xid) -> Self {
        Life { xid, turns: Vec::new() }
    }

    /// A version with these identities, which no delta leads to. A node that was there before and is not among them has left.
    pub fn set(&mut self, origin: Origin, identities: &Identities) {
        match (self.is_there(), has(&identities.xids, self.xid)) {
            (false, true) => self.turn(origin, (Kind::Insert, None, None)),
            (true, false) => self.turn(origin, (Kind::Delete, None, None)),
            _ => {}
        }
    }

    /// The step to the next version, as it is stored.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub fn add(&mut self, origin: Origin, step: &[u8]) -> Result<(), StepError> {
        let step = Step::from_bytes(step)?;
        match step.delta()? {
            Some(delta) => {
                let happenings = delta.operations().iter().filter_map(|operation| happening(operation, self.xid));
                happenings.collect::<Vec<_>>().into_iter().for_each(|happening| self.turn(origin, happening));
            }
            None => self.set(origin, &step.identities()?),
        }
        Ok(())
    }

    /// The version that was added is the oldest that is kept, and not the first that was: a node that is there may have come before.
    pub fn begin_later(&mut self) {
        self.turns.iter_mut().for_each(|turn| turn.is_or_before = true);
    }

    /// Whether the last version has it.
    pub fn is_there(&self) -> bool {
        self.turns.last().is_some_and(|turn| turn.kind != Kind::Delete)
    }

    /// What happened to it, oldest first.
    pub fn into_turns(self) -> Vec<Turn> {
        self.turns
    }

    fn turn(&mut self, origin: Origin, (kind, before, after): Happening) {
        let Origin { number, time } = origin;
        self.turns.push(Turn { number, time, kind, is_or_before: false, before, after });
    }
}

fn has(map: &XidMap, xid: Xid) -> bool {
    map.runs().any(|(first, last)| (first..=last).contains(&xid))
}

/// What happened, and the value before and after.
type Happening = (Kind, Option<String>, Option<String>);

/// What an operation does to a node.
fn happening(operation: &Operation, xid: Xid) -> Option<Happening> {
    let kind = Kind::of(operation);
    match operation {
        Operation::Insert { xids, .. } | Operation::Delete { xids, .. } => has(xids, xid).then_some((kind, None, None)),
        _ if operation.node() != xid => None,
        Operation::Move { .. } | Operation::Doctype { .. } => Some((kind, None, None)),
        Operation::Update { before, after, .. } => Some((kind, Some(before.clone()), Some(after.clone()))),
        Operation::Attribute { name, change, .. } => {
            let [before, after] = sides(&name.local, change);
            Some((kind, before, after))
        }
    }
}

fn sides(name: &str, change: &AttributeChange) -> [Option<String>; 2] {
    let (before, after) = change.values();
    [before, after].map(|value| value.map(|value| format!("{name}={value}")))
}
