//! Where do sentences end?

use super::words::WordKind;

/// Says where sentences end while their words are read.
#[derive(Debug, Default)]
pub(crate) struct SentenceEnds {
    may_end: bool,
}

impl SentenceEnds {
    /// Whether a sentence ended before this word.
    pub fn ended_before(&mut self, word: &str, kind: WordKind, is_spaced: bool) -> bool {
        let ended = self.may_end && is_spaced && kind == WordKind::Letters && word.starts_with(char::is_uppercase);
        self.may_end = matches!(word, "." | "!" | "?");
        ended
    }
}
