//! Why is there no selection? Because of how it is written, what it refers to, or how much work it is.

use crate::text::shortened;

/// Why nothing was selected. Messages have no more than the beginning of a long name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// The expression or selector breaks the grammar.
    #[error("column {}: found {found}, expected {expected}", .at.column)]
    Syntax {
        /// Where.
        at: Place,
        /// What stands there.
        found: String,
        /// What may stand there.
        expected: String,
    },
    /// A selector asks for what a document at rest does not have, such as `:hover` or `::before`.
    #[error("column {}: `{}` is not supported: {reason}", .at.column, brief(what))]
    Unsupported {
        /// Where.
        at: Place,
        /// What is asked for.
        what: String,
        /// Why it is not there.
        reason: &'static str,
    },
    /// A function that XPath 1.0 does not have.
    #[error("column {}: unknown function `{}`", .at.column, brief(name))]
    UnknownFunction {
        /// Where.
        at: Place,
        /// The name as written.
        name: String,
    },
    /// A function with too few or too many arguments.
    #[error("column {}: found {found} arguments of `{function}`, expected {expected}", .at.column)]
    ArgumentCount {
        /// Where.
        at: Place,
        /// The function.
        function: &'static str,
        /// How many arguments it was given.
        found: usize,
        /// How many it takes.
        expected: &'static str,
    },
    /// A value of another type where only a node-set will do.
    #[error("found a {found} as {place}, expected a node-set")]
    NotANodeSet {
        /// The type of the value.
        found: &'static str,
        /// What the value is used as.
        place: &'static str,
    },
    /// A prefix that is bound to no namespace.
    #[error("unknown namespace prefix `{}`", brief(.0))]
    UnknownPrefix(String),
    /// A variable without a value.
    #[error("unknown variable `${}`", brief(.0))]
    UnknownVariable(String),
    /// A variable holds nodes of another document than the one that is searched.
    #[error("variable `${}` holds nodes of another document", brief(.0))]
    ForeignNodes(String),
    /// Parentheses, predicates, arguments or pseudo-classes inside one another beyond what is read.
    #[error("column {}: nested more than {limit} deep", .at.column)]
    TooDeep {
        /// Where.
        at: Place,
        /// How deep is allowed.
        limit: usize,
    },
    /// More work than the [`Budget`](super::Budget) allows.
    #[error("more than {max_steps} steps; raise `--max-steps` to allow it")]
    Budget {
        /// How many steps were allowed.
        max_steps: u64,
    },
}

impl SelectError {
    /// The place in the expression or selector, where there is one: a caret belongs under [`Place::column`].
    pub fn place(&self) -> Option<Place> {
        match self {
            SelectError::Syntax { at, .. }
            | SelectError::Unsupported { at, .. }
            | SelectError::UnknownFunction { at, .. }
            | SelectError::ArgumentCount { at, .. }
            | SelectError::TooDeep { at, .. } => Some(*at),
            _ => None,
        }
    }
}

/// A place in an expression or selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Bytes from the start.
    pub offset: usize,
    /// Characters from 1.
    pub column: usize,
}

impl Place {
    pub(super) fn of(source: &str, offset: usize) -> Self {
        Place { offset, column: source.get(..offset).unwrap_or(source).chars().count() + 1 }
    }
}

/// As much of what is written in an expression as a message has of it.
pub(super) fn brief(written: &str) -> String {
    const SHOWN: usize = 60;
    shortened(written, SHOWN)
}

/// What stands at a place of an expression, for messages.
pub(super) fn found_at(source: &str, offset: usize) -> String {
    match source.get(offset..).and_then(|rest| rest.chars().next()) {
        Some(character) => format!("`{character}`"),
        None => "the end".to_owned(),
    }
}
