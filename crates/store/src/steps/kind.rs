//! What kinds of operations are there, and which of them does a step have?

use std::fmt;
use std::ops::{BitAnd, BitOr};
use std::str::FromStr;

use treediff::delta::Operation;

/// What happens to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// It comes.
    Insert,
    /// It goes.
    Delete,
    /// It goes elsewhere.
    Move,
    /// It has another value.
    Update,
    /// An attribute of it comes, goes, or has another value.
    Attribute,
    /// The document has another document type declaration.
    Doctype,
}

impl Kind {
    /// All of them, in the order of their numbers in stored steps.
    pub const ALL: [Kind; 6] = [Kind::Insert, Kind::Delete, Kind::Move, Kind::Update, Kind::Attribute, Kind::Doctype];

    /// The kind of an operation.
    pub fn of(operation: &Operation) -> Self {
        match operation {
            Operation::Insert { .. } => Kind::Insert,
            Operation::Delete { .. } => Kind::Delete,
            Operation::Move { .. } => Kind::Move,
            Operation::Update { .. } => Kind::Update,
            Operation::Attribute { .. } => Kind::Attribute,
            Operation::Doctype { .. } => Kind::Doctype,
        }
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Insert => "insert",
            Kind::Delete => "delete",
            Kind::Move => "move",
            Kind::Update => "update",
            Kind::Attribute => "attribute",
            Kind::Doctype => "doctype",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is no kind of operation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no kind of change, expected insert, delete, move, update, attribute or doctype")]
pub struct KindError(String);

impl FromStr for Kind {
    type Err = KindError;

    fn from_str(name: &str) -> Result<Self, KindError> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| KindError(name.to_owned()))
    }
}

/// A set of kinds, as the database keeps it beside a step.
///
/// ```
/// use store::{Kind, Kinds};
///
/// let kinds = Kinds::of([Kind::Insert, Kind::Update]);
/// assert!(kinds.has(Kind::Insert) && !kinds.has(Kind::Move));
/// assert_eq!(kinds.bits(), 0b1001);
/// assert!((kinds & Kinds::from(Kind::Move)).is_empty());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// All kinds.
    pub const ALL: Kinds = Kinds((1 << Kind::ALL.len()) - 1);
    /// No kind.
    pub const NONE: Kinds = Kinds(0);

    /// These kinds.
    pub fn of(kinds: impl IntoIterator<Item = Kind>) -> Self {
        kinds.into_iter().map(Kinds::from).fold(Kinds::NONE, |all, kind| all | kind)
    }

    /// The set as a number: a bit for every kind, in the order of [`Kind::ALL`].
    pub fn bits(self) -> u8 {
        self.0
    }

    /// The set that a number stands for; `None` where it has bits of no kind.
    pub fn from_bits(bits: u8) -> Option<Self> {
        (bits & !Kinds::ALL.0 == 0).then_some(Kinds(bits))
    }

    /// Whether the set has a kind.
    pub fn has(self, kind: Kind) -> bool {
        !(self & Kinds::from(kind)).is_empty()
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl From<Kind> for Kinds {
    fn from(kind: Kind) -> Self {
        Kinds(1 << kind as u8)
    }
}

impl BitOr for Kinds {
    type Output = Kinds;

    fn bitor(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }
}

impl BitAnd for Kinds {
    type Output = Kinds;

    fn bitand(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_read_by_their_names() {
        for kind in Kind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(Kinds::from_bits(Kinds::from(kind).bits()), Some(Kinds::from(kind)));
        }
        assert!("inserts".parse::<Kind>().is_err());
        assert_eq!(Kinds::from_bits(0x40), None);
        assert_eq!(Kinds::of(Kind::ALL), Kinds::ALL);
    }
}
