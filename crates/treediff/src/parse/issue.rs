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
        Position { line: memchr::memchr_iter(b'\n', before).count() + 1, ..Position::in_line(source, offset) }
    }

    /// The place within its line, as if that were the first.
    fn in_line(source: &[u8], offset: usize) -> Self {
        let before = &source[..offset.min(source.len())];
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let is_start_of_char = |byte: &&u8| **byte & 0xC0 != 0x80;
        Position { offset, line: 1, column: before[line_start..].iter().filter(is_start_of_char).count() + 1 }
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

/// What a parser reads over, as it comes: places are bytes until all are known, so that lines are counted once.
#[derive(Debug, Default)]
pub(crate) struct IssueList {
    listed: Vec<(usize, String)>,
    max_issues: usize,
    unlisted: usize,
}

impl IssueList {
    pub(crate) fn new(max_issues: usize) -> Self {
        IssueList { max_issues, ..IssueList::default() }
    }

    /// Lists an issue at a byte of the source; the message is made only where there is room for it.
    pub(crate) fn push(&mut self, offset: usize, message: impl FnOnce() -> String) {
        if self.listed.len() < self.max_issues {
            self.listed.push((offset, message()));
        } else {
            self.unlisted += 1;
        }
    }

    /// The issues by their place in the source.
    pub(crate) fn finish(mut self, source: &[u8]) -> Vec<Issue> {
        self.count_unlisted();
        self.listed.sort_by_key(|(offset, _)| *offset);
        let mut lines = 1;
        let mut counted = 0;
        let issue = |(offset, message): (usize, String)| {
            let offset = offset.min(source.len());
            lines += memchr::memchr_iter(b'\n', &source[counted..offset]).count();
            counted = offset;
            Issue { position: Position { line: lines, ..Position::in_line(source, offset) }, message }
        };
        self.listed.into_iter().map(issue).collect()
    }

    fn count_unlisted(&mut self) {
        if let Some((_, last)) = self.listed.last_mut().filter(|_| self.unlisted > 0) {
            *last = format!("{last} (and {} more issues that are not listed)", self.unlisted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_have_the_place_that_a_look_from_the_start_gives() {
        let source = "a\nbé\n\nç".as_bytes();
        let mut issues = IssueList::new(100);
        for offset in (0..=source.len()).rev() {
            issues.push(offset, || format!("at {offset}"));
        }
        for (offset, issue) in issues.finish(source).into_iter().enumerate() {
            assert_eq!(issue, Issue { position: Position::of(source, offset), message: format!("at {offset}") });
        }
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let mut issues = IssueList::new(2);
        (0..5).for_each(|offset| issues.push(offset, || "odd".to_owned()));
        let issues = issues.finish(b"12345");
        assert_eq!(issues.len(), 2);
        assert_eq!(issues[1].message, "odd (and 3 more issues that are not listed)");
    }
}
