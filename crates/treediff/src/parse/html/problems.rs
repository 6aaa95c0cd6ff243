//! What was wrong with the page? Parse errors as they are met, and as issues once the page is read.
//!
//! Pages have many, so an error is noted as an offset and a kind; words are found at the end, when the names of all
//! tags are known, and only for those that are listed.

use super::names::{TagName, TagNames};
use crate::parse::Issue;
use crate::parse::encoding::not_encoded_as;
use crate::parse::issue::{Issues, short};

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
        let name = |tag| short(names.get(tag));
        match self {
            Problem::Token(name) => name.replace('-', " "),
            Problem::UnexpectedStartTag(tag) => format!("unexpected start tag `{}`", name(tag)),
            Problem::UnexpectedEndTag(tag) => format!("unexpected end tag `{}`", name(tag)),
            Problem::UnclosedElement(tag) => {
                format!("`{}` is closed before elements that are open in it", name(tag))
            }
            Problem::NonVoidSelfClosing(tag) => {
                format!("`{}` is not a void element, so `/>` does not close it", name(tag))
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

    /// The errors in words, in the order of the source; the last says how many more there were, if there were.
    pub(super) fn into_issues(self, source: &str, names: &TagNames) -> Vec<Issue> {
        let mut issues = Issues::new(true, self.limit);
        for (offset, problem) in self.noted {
            // It only fails where it was told to give up.
            let _ = issues.complain(source.as_bytes(), offset as usize, problem.message(names));
        }
        (0..self.beyond).for_each(|_| issues.count());
        issues.into_list(source.as_bytes())
    }
}
