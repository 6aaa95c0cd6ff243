//! What does a selector say? Its parts, read from left to right.

/// Alternatives, separated by commas.
pub(super) type List = Vec<Complex>;

/// Compounds with combinators between them.
#[derive(Debug, Clone)]
pub(super) struct Complex {
    pub(super) first: Compound,
    pub(super) rest: Vec<Link>,
}

/// A combinator and the compound behind it.
#[derive(Debug, Clone)]
pub(super) struct Link {
    pub(super) combinator: Combinator,
    pub(super) compound: Compound,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Combinator {
    Descendant,
    Child,
    NextSibling,
    LaterSibling,
}

/// Conditions on one element, all of which must hold.
pub(super) type Compound = Vec<Simple>;

#[derive(Debug, Clone)]
pub(super) enum Simple {
    /// A type selector, by its place in the table of names.
    Type(usize),
    Id(String),
    Class(String),
    Attribute(AttributeTest),
    Root,
    Scope,
    Empty,
    Nth(Nth),
    /// `:is`, `:where`, and `:not` where they are not to match.
    Matches {
        nested: Nested,
        wanted: bool,
    },
    Has {
        relatives: Vec<Vec<Link>>,
        slot: usize,
    },
    Language(Vec<String>),
    Contains(Vec<String>),
    Hyperlink,
    Checked,
    Enabled,
    Disabled,
    /// `:required`, and `:optional` where it is not to be.
    Required {
        wanted: bool,
    },
    /// `:read-write`, and `:read-only` where it is not to be.
    ReadWrite {
        wanted: bool,
    },
}

/// A list inside a pseudo-class, and the place for the set that it matches.
#[derive(Debug, Clone)]
pub(super) struct Nested {
    pub(super) list: List,
    pub(super) slot: usize,
}

#[derive(Debug, Clone)]
pub(super) struct AttributeTest {
    /// The place of the attribute's name in the table of names.
    pub(super) name: usize,
    /// `None` where it is enough that the attribute is there.
    pub(super) value: Option<ValueTest>,
}

#[derive(Debug, Clone)]
pub(super) struct ValueTest {
    pub(super) operator: ValueOperator,
    pub(super) wanted: String,
    pub(super) case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueOperator {
    /// `=`
    Is,
    /// `~=`
    HasWord,
    /// `|=`
    IsOrStartsWithDash,
    /// `^=`
    StartsWith,
    /// `$=`
    EndsWith,
    /// `*=`
    Contains,
}

/// Whether case counts in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    /// As the document's format has it for the attribute.
    Usual,
    /// `i`
    Ignored,
    /// `s`
    Counts,
}

/// `a·n + b` for some n from 0, counted among siblings.
#[derive(Debug, Clone)]
pub(super) struct Nth {
    pub(super) a: i64,
    pub(super) b: i64,
    pub(super) count: Count,
    /// The place of the table of positions.
    pub(super) slot: usize,
    /// Which siblings count; all where `None`.
    pub(super) of: Option<Nested>,
}

/// Where and among whom to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) from_end: bool,
    pub(super) of_type: bool,
}

impl Count {
    /// The tables that all uses share come before those of `of`.
    pub(super) const SHARED_SLOTS: usize = 4;

    pub(super) fn shared_slot(self) -> usize {
        usize::from(self.from_end) * 2 + usize::from(self.of_type)
    }
}

impl Nth {
    pub(super) fn includes(&self, position: u32) -> bool {
        let behind = i64::from(position).saturating_sub(self.b);
        match self.a {
            0 => behind == 0,
            a => behind.checked_rem(a) == Some(0) && behind.checked_div(a).is_some_and(|n| n >= 0),
        }
    }
}

/// A name to look up in a document.
#[derive(Debug, Clone)]
pub(super) struct NameRef {
    pub(super) namespace: NamespaceRef,
    /// `None` for `*`.
    pub(super) local: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NamespaceRef {
    /// A type selector without a bar: the default namespace, if there is one.
    Default,
    /// `*|`
    Any,
    /// `|`, and attributes without a bar.
    None,
    Prefix(String),
}

/// Everything that was read.
#[derive(Debug, Clone)]
pub(super) struct Parsed {
    pub(super) list: List,
    pub(super) names: Vec<NameRef>,
    /// How many sets of matching nodes may have to be kept.
    pub(super) sets: usize,
    /// How many tables of positions.
    pub(super) tables: usize,
}
