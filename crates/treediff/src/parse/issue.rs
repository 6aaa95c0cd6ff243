//! What was wrong, and where? Errors and issues with line and column.

use std::fmt;

/// A place in a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// Bytes from the start of the source in UTF-8.
    pub offset: usize,
    /// Lines from 1.
    pub line: usize,
    /// Characters from 1.
    pub column: usize,
}

impl Position {
    /// The place of a byte of `source`.
    pub(crate) fn of(source: &[u8], offset: usize) -> Self {
        let before = &source[..offset.min(source.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let is_start_of_char = |byte: &&u8| **byte & 0xC0 != 0x80;
        Position {
            offset,
            line: memchr::memchr_iter(b'\n', before).count() + 1,
            column: before[line_start..].iter().filter(is_start_of_char).count() + 1,
        }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Something wrong in a source that was read over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issue {
    /// Where.
    pub position: Position,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.position, self.message)
    }
}

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseError {
    /// The source breaks the rules of its format.
    #[error("{0}")]
    Malformed(Issue),
    /// The source exceeds one of the [`Limits`](super::Limits).
    #[error("{place}more than {limit} {what}; raise `{option}` to allow it", place = at(*.position))]
    Limit {
        /// What there is too much of.
        what: &'static str,
        /// How much is allowed.
        limit: usize,
        /// The option that allows more.
        option: &'static str,
        /// Where the limit was passed, unless it is the whole source that is too large.
        position: Option<Position>,
    },
}

fn at(position: Option<Position>) -> String {
    position.map_or_else(String::new, |position| format!("{position}: "))
}

impl ParseError {
    /// The place of the error.
    pub fn position(&self) -> Option<Position> {
        match self {
            ParseError::Malformed(issue) => Some(issue.position),
            ParseError::Limit { position, .. } => *position,
        }
    }
}
