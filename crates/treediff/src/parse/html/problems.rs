//! What was wrong with the page? Parse errors as they are met, and as issues once the page is read.
//!
//! Pages have many, so an error is noted as an offset and a kind; lines and columns are counted in one pass at the
//! end, and words are found only for those that are listed.

use super::names::{TagName, TagNames};
use crate::parse::encoding::not_encoded_as;
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
    /// Bytes that are not in the encoding of this name.
    NotEncodedAs(&'static str),
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
            Problem::NotEncodedAs(encoding) => not_encoded_as(encoding),
        }
    }
}

/// The errors of a page, as many as are listed.
#[derive(Debug)]
pub(super) struct Problems {
    noted: Vec<(u32, Problem)>,
    limit: usize,
    /// Errors beyond the limit.
    beyond: usize,
}

impl Problems {
    pub(super) fn new(limit: usize) -> Self {
        Problems { noted: Vec::new(), limit, beyond: 0 }
    }

    pub(super) fn note(&mut self, offset: usize, problem: Problem) {
        if self.noted.len() < self.limit {
            self.noted.push((offset as u32, problem));
        } else {
            self.beyond += 1;
        }
    }

    /// One of the tokenizer's errors, by its name in the standard.
    pub(super) fn token(&mut self, offset: usize, name: &'static str) {
        self.note(offset, Problem::Token(name));
    }

    /// The errors in the order of the source; the last says how many more there were, if there were.
    pub(super) fn into_issues(mut self, source: &str, names: &TagNames) -> Vec<Issue> {
        self.noted.sort_by_key(|&(offset, _)| offset);
        let mut position = Position { offset: 0, line: 1, column: 1 };
        let mut issues = Vec::with_capacity(self.noted.len());
        for (offset, problem) in self.noted {
            position = position.moved_to(source.as_bytes(), offset as usize);
            issues.push(Issue { position, message: problem.message(names) });
        }
        if let (Some(last), 1..) = (issues.last_mut(), self.beyond) {
            last.message.push_str(&format!(" (and {} more)", self.beyond));
        }
        issues
    }
}
