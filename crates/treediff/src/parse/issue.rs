//! What was wrong, and where? Errors and issues with line and column.

use std::fmt;

use crate::text::shortened;

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
        Position { offset: 0, line: 1, column: 1 }.moved_to(source, offset)
    }

    /// The place of a byte behind this one.
    pub(crate) fn moved_to(self, source: &[u8], offset: usize) -> Self {
        let offset = offset.min(source.len());
        let start = self.offset.min(offset);
        let passed = &source[start..offset];
        let characters = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        // A line ends with LF, CR LF or a CR alone; of CR LF the LF is the end.
        let is_end = |at: &usize| source[start + at] == b'\n' || source.get(start + at + 1) != Some(&b'\n');
        let mut lines = memchr::memchr2_iter(b'\n', b'\r', passed).filter(is_end);
        match lines.next() {
            None => Position { offset, line: self.line, column: self.column + characters(passed) },
            Some(first) => {
                let (count, last) = lines.fold((1, first), |(count, _), at| (count + 1, at));
                Position { offset, line: self.line + count, column: 1 + characters(&passed[last + 1..]) }
            }
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
    /// The source is in UTF-32, in recover mode too.
    #[error("the document is in {encoding}, which is not read; expected UTF-8, UTF-16 or another encoding of the web")]
    Utf32 {
        /// With the order of its bytes.
        encoding: &'static str,
    },
    /// The source has more bytes than the places in a document can be counted with.
    #[error("more than {limit} bytes, which no document can have")]
    TooLarge {
        /// The most that there can be.
        limit: usize,
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
            ParseError::TooLarge { .. } | ParseError::Utf32 { .. } => None,
        }
    }
}

/// Names and values in messages are cut to so many characters.
pub(crate) const SHORT: usize = 60;

/// What a source has written, as messages have it.
pub(crate) fn short(written: &str) -> String {
    shortened(written, SHORT)
}

/// Where a parser's complaints go: out, or on a list.
#[derive(Debug)]
pub(crate) struct Issues {
    /// Places and messages; lines and columns are counted when all are known, in one pass over the source.
    noted: Vec<(usize, String)>,
    recover: bool,
    max: usize,
    beyond: usize,
}

impl Issues {
    pub(crate) fn new(recover: bool, max: usize) -> Self {
        Issues { noted: Vec::new(), recover, max, beyond: 0 }
    }

    /// Ends the parse, or notes a fault to be read over.
    pub(crate) fn complain(&mut self, source: &[u8], at: usize, message: String) -> Result<(), ParseError> {
        if !self.recover {
            return Err(ParseError::Malformed(Issue { position: Position::of(source, at), message }));
        }
        if self.noted.len() < self.max {
            self.noted.push((at, message));
        } else {
            self.beyond += 1;
        }
        Ok(())
    }

    /// Whether further issues are only counted.
    pub(crate) fn is_full(&self) -> bool {
        self.recover && self.noted.len() >= self.max
    }

    /// Counts an issue that there is no more room for.
    pub(crate) fn count(&mut self) {
        self.beyond += 1;
    }

    /// The issues in the order of the source; the last says how many more there were, if there were.
    pub(crate) fn into_list(mut self, source: &[u8]) -> Vec<Issue> {
        self.noted.sort_by_key(|&(at, _)| at);
        let mut place = Position { offset: 0, line: 1, column: 1 };
        let mut list: Vec<Issue> = Vec::with_capacity(self.noted.len());
        for (at, message) in self.noted {
            place = place.moved_to(source, at);
            list.push(Issue { position: place, message });
        }
        if let (Some(last), 1..) = (list.last_mut(), self.beyond) {
            last.message.push_str(&format!(" (and {} more)", self.beyond));
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_have_the_place_that_a_look_from_the_start_gives() {
        let source = "a\nbé\n\nç".as_bytes();
        let mut issues = Issues::new(true, 100);
        for offset in (0..=source.len()).rev() {
            issues.complain(source, offset, format!("at {offset}")).unwrap();
        }
        for (offset, issue) in issues.into_list(source).into_iter().enumerate() {
            assert_eq!(issue, Issue { position: Position::of(source, offset), message: format!("at {offset}") });
        }
    }

    #[test]
    fn what_is_not_listed_is_counted() {
        let mut issues = Issues::new(true, 2);
        (0..5).for_each(|offset| issues.complain(b"12345", offset, "odd".to_owned()).unwrap());
        let issues = issues.into_list(b"12345");
        assert_eq!(issues.len(), 2);
        assert_eq!(issues[1].message, "odd (and 3 more)");
    }
}
