//! Where do words begin and end?

use std::ops::Range;

use super::tokens;

/// What a piece of running text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordKind {
    Letters,
    Punctuation,
    White,
}

/// A piece of running text that is compared as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    pub range: Range<usize>,
    pub kind: WordKind,
}

/// The words of a text, in order; together they are the text.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word> + '_ {
    let mut at = 0;
    tokens(text).map(move |token| {
        let range = at..at + token.len();
        at = range.end;
        let kind = match token.chars().next() {
            Some(first) if first.is_whitespace() => WordKind::White,
            Some(first) if first.is_alphanumeric() => WordKind::Letters,
            _ => WordKind::Punctuation,
        };
        Word { range, kind }
    })
}
