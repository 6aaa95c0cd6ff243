//! What was wrong with the page? Parse errors as they are met, and as issues once the page is read.
//!
//! Pages have many, so an error is noted as an offset and a kind; lines and columns are counted in one pass at the
//! end, and words are found only for those that are listed.

use super::names::{TagName, TagNames};
use crate::parse::{Issue, Position};

/// A parse error of the standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Problem {
    /// One of the tokenizer's, which the standard has names for.
    Token(&'static str),
    UnexpectedStartTag(TagName),
    UnexpectedEndTag(TagName),
    UnclosedElement(TagName),
    NonVoidSelfClosing(TagName),
    MissingDoctype,
    QuirkyDoctype,
    UnexpectedDoctype,
    UnexpectedText,
    UnexpectedEnd,
}

impl Problem {
    fn message(self, names: &TagNames) -> String {
        match self {
            Problem::Token(name) => name.replace('-', " "),
            Problem::UnexpectedStartTag(tag) => format!("unexpected start tag `{}`", names.get(tag)),
            Problem::UnexpectedEndTag(tag) => format!("unexpected end tag `{}`", names.get(tag)),
            Problem::UnclosedElement(tag) => {
                format!("`{}` is closed before elements that are open in it", names.get(tag))
            }
            Problem::NonVoidSelfClosing(tag) => {
                format!("`{}` is not a void element, so `/>` does not close it", names.get(tag))
            }
            Problem::MissingDoctype => "expected a doctype before anything else".into(),
            Problem::QuirkyDoctype => "doctype is not `<!DOCTYPE html>`".into(),
            Problem::UnexpectedDoctype => "unexpected doctype".into(),
            Problem::UnexpectedText => "unexpected text".into(),
            Problem::UnexpectedEnd => "unexpected end of file, elements are still open".into(),
        }
    }
}

/// The errors of a page, as many as are listed.
#[derive(Debug)]
pub(super) struct Problems {
    noted: Vec<(u32, Problem)>,
    limit: usize,
    /// Errors beyond the limit: how many, and where the first is.
    beyond: usize,
    first_beyond: u32,
}

impl Problems {
    pub(super) fn new(limit: usize) -> Self {
        Problems { noted: Vec::new(), limit, beyond: 0, first_beyond: 0 }
    }

    pub(super) fn note(&mut self, offset: usize, problem: Problem) {
        if self.noted.len() < self.limit {
            self.noted.push((offset as u32, problem));
        } else {
            self.first_beyond = if self.beyond == 0 { offset as u32 } else { self.first_beyond.min(offset as u32) };
            self.beyond += 1;
        }
    }

    /// One of the tokenizer's errors, by its name in the standard.
    pub(super) fn token(&mut self, offset: usize, name: &'static str) {
        self.note(offset, Problem::Token(name));
    }

    /// The errors in the order of the source; where there are too many, the last says how many more.
    pub(super) fn into_issues(mut self, source: &str, names: &TagNames) -> Vec<Issue> {
        self.noted.sort_by_key(|&(offset, _)| offset);
        let more = (self.beyond > 0).then(|| self.noted.pop()).flatten();
        let mut places = Places::new(source.as_bytes());
        let mut issues: Vec<Issue> = self
            .noted
            .iter()
            .map(|&(offset, problem)| Issue { position: places.at(offset), message: problem.message(names) })
            .collect();
        if let Some((offset, _)) = more {
            let message = format!("{} more issues, which are not listed", self.beyond + 1);
            issues.push(Issue { position: places.at(offset), message });
        }
        issues
    }
}

/// Lines and columns of rising offsets.
struct Places<'s> {
    source: &'s [u8],
    reached: Position,
}

impl<'s> Places<'s> {
    fn new(source: &'s [u8]) -> Self {
        Places { source, reached: Position { offset: 0, line: 1, column: 1 } }
    }

    fn at(&mut self, offset: u32) -> Position {
        let offset = (offset as usize).min(self.source.len());
        let passed = self.source.get(self.reached.offset..offset).unwrap_or_default();
        if let Some(newline) = memchr::memrchr(b'\n', passed) {
            self.reached.line += memchr::memchr_iter(b'\n', passed).count();
            self.reached.column = 1 + characters(&passed[newline + 1..]);
        } else {
            self.reached.column += characters(passed);
        }
        self.reached.offset = offset;
        self.reached
    }
}

fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}
