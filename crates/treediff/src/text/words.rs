//! Where do the words of running text begin and end, in any language?
//!
//! [`tokens`](super::tokens) serve deltas: whether one ends between two characters depends on these two alone, so that
//! the equal ends of two texts are found by their bytes, and formats depend on it. The words here serve readers: `can't`,
//! `3.14` and `o’clock` are one word each, `日本` is one and not two characters. They follow UAX #29 with these departures:
//!
//! - white space: a line end is a piece of its own, white space of ASCII else is taken in runs, and carries no accents;
//! - a run of the same mark is one piece (`...`, `----`), except brackets and quotes;
//! - a colon ends a word (`key:value` is three pieces, as in CLDR), and so does the narrow no-break space that stands
//!   before French punctuation, except between digits (`1 000`);
//! - what sets the direction of words is a piece of its own;
//! - Chinese, Japanese, Thai, Lao, Khmer and Burmese are cut by dictionary (the feature `dictionaries`; without it Han
//!   and hiragana are single characters and the others grapheme clusters, as in UAX #29).
//!
//! Addresses come out in pieces (`example.org`, `/`, `a_b`), since of a long one only the changed part is to be marked.
//!
//! What is ASCII, plain Latin or Cyrillic, or a typesetter's mark never sees the tables of Unicode. Measured in CPU time
//! on a machine with two cores: text of real English pages 250 MB/s (about 12 ns a piece), even prose 350 to 600 MB/s,
//! where `unicode-segmentation` alone makes 60; Arabic, which it does, 60; Thai by dictionary 40, Chinese and Japanese 30.
//! Rejected: the LSTM models of `icu_segmenter`, which cut Thai at 0.5 MB/s, hardly better than its dictionaries; and
//! `icu_segmenter` for everything, since its dictionaries add 3.2 MB to the binary and 15 s to a build and shall be easy
//! to leave out, while `unicode-segmentation` adds 60 KB and has no dependencies.

mod spaceless;

use std::collections::VecDeque;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A piece of running text that is compared as one: a word with its apostrophes, a number with its points, a
/// punctuation mark, or (where it counts) white space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Word {
    /// Where it is in the text, in bytes.
    pub range: Range<usize>,
    /// What it is.
    pub kind: WordKind,
}

/// What a piece of running text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordKind {
    /// Letters, digits, emoji: it counts as a word.
    Letters,
    /// Marks between words.
    Punctuation,
    /// White space, and what nobody sees.
    White,
}

/// The words of a text with all that stands between them; together they are the text.
pub(crate) fn words(text: &str) -> Words<'_> {
    Words { text, at: 0, known_ends: VecDeque::new() }
}

/// Whether a character is there for machines alone: it neither shows nor changes what shows.
pub(crate) fn is_unseen(character: char) -> bool {
    matches!(character, '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2060}'..='\u{2065}' | '\u{FEFF}')
}

/// The character that a piece is, if that sets in which direction the words behind it run: an embedding, override or isolate, or the
/// end of one. It shows in their order, by which a number is another.
pub(crate) fn direction(piece: &str) -> Option<char> {
    let mut characters = piece.chars();
    characters.next().filter(|&first| is_direction(first) && characters.as_str().is_empty())
}

fn is_direction(character: char) -> bool {
    matches!(character, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The words of a text, one by one.
#[derive(Debug)]
pub(crate) struct Words<'t> {
    text: &'t str,
    at: usize,
    /// Where the next pieces end, as far as that was found out together.
    known_ends: VecDeque<usize>,
}

impl Iterator for Words<'_> {
    type Item = Word;

    #[inline(always)]
    fn next(&mut self) -> Option<Word> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).filter(|rest| !rest.is_empty())?;
        if self.known_ends.is_empty()
            && let Some((len, kind)) = plain_piece(rest)
        {
            self.at += len;
            return Some(Word { range: start..self.at, kind });
        }
        Some(self.next_of_any_script())
    }
}

impl Words<'_> {
    /// Passes over white space of ASCII, for those to whom it is nothing but that; whether there was any.
    #[inline]
    pub(crate) fn skip_white(&mut self) -> bool {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).filter(|_| self.known_ends.is_empty()).unwrap_or_default();
        self.at += run(rest, |byte| matches!(CLASSES[usize::from(byte)], Class::White | Class::LineEnd));
        self.at > start
    }

    #[inline(never)]
    fn next_of_any_script(&mut self) -> Word {
        let start = self.at;
        if self.known_ends.is_empty() {
            find_ends(&self.text[start..], start, &mut self.known_ends);
        }
        self.at = self.known_ends.pop_front().unwrap_or(self.text.len());
        Word { range: start..self.at, kind: kind(&self.text[start..self.at]) }
    }
}

/// What a byte does in a word.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    /// The underscore joins all and counts as nothing.
    Low,
    /// Inside a word between letters, inside a number between digits.
    Point,
    /// Inside a number between digits.
    Comma,
    Mark,
    White,
    LineEnd,
    /// Not ASCII, and more than its first byte is needed to tell.
    Foreign,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Foreign; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Low,
            b'.' | b'\'' => Class::Point,
            b',' | b';' => Class::Comma,
            b' ' | b'\t' => Class::White,
            b'\n' | b'\r' | 0xB | 0xC => Class::LineEnd,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
};

/// The class of the character at this place, and how many bytes it has.
#[inline]
fn class_at(bytes: &[u8], at: usize) -> Option<(Class, usize)> {
    match CLASSES[usize::from(*bytes.get(at)?)] {
        Class::Foreign => Some(wide_class(&bytes[at..])),
        class => Some((class, 1)),
    }
}

/// The same for what is not ASCII but common beside it: letters and the marks of typesetters.
fn wide_class(bytes: &[u8]) -> (Class, usize) {
    match bytes {
        // × and ÷ among the letters from À to ɏ; those from Ѐ to ѿ.
        [0xC3, 0x97 | 0xB7, ..] => (Class::Foreign, 2),
        [0xC3..=0xC8 | 0xD0..=0xD1, _, ..] => (Class::Letter, 2),
        // ‘ and ’, then – — “ ” … among the general punctuation.
        [0xE2, 0x80, 0x98 | 0x99, ..] => (Class::Point, 3),
        [0xE2, 0x80, 0x93 | 0x94 | 0x9C | 0x9D | 0xA6, ..] => (Class::Mark, 3),
        _ => (Class::Foreign, 1),
    }
}

/// The length and kind of the first piece, if neither it nor what follows asks for the tables of Unicode.
#[inline(always)]
fn plain_piece(bytes: &[u8]) -> Option<(usize, WordKind)> {
    let &first = bytes.first()?;
    let (class, class_len) = class_at(bytes, 0)?;
    match class {
        Class::Letter | Class::Digit | Class::Low => plain_word(bytes),
        Class::White => Some((run(bytes, |byte| CLASSES[usize::from(byte)] == Class::White), WordKind::White)),
        Class::LineEnd => Some((if bytes.starts_with(b"\r\n") { 2 } else { 1 }, WordKind::White)),
        Class::Foreign => None,
        Class::Point | Class::Comma | Class::Mark => {
            let stands_alone = matches!(first, b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'"' | b'\'');
            let len = if stands_alone || class_len > 1 { class_len } else { run(bytes, |byte| byte == first) };
            // An accent may follow, even here.
            let is_over = class_at(bytes, len).is_none_or(|(next, _)| next != Class::Foreign);
            is_over.then_some((len, WordKind::Punctuation))
        }
    }
}

#[inline(always)]
fn run(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| !belongs(byte)).unwrap_or(bytes.len())
}

/// The same for a word: letters and digits, with points and apostrophes between them.
#[inline(always)]
fn plain_word(bytes: &[u8]) -> Option<(usize, WordKind)> {
    // Most words are nothing but letters.
    let mut len = run(bytes, |byte| CLASSES[usize::from(byte)] == Class::Letter);
    let mut is_word = len > 0;
    let mut last = if is_word { Class::Letter } else { Class::Low };
    while let Some((class, class_len)) = class_at(bytes, len) {
        match class {
            Class::Letter | Class::Digit => is_word = true,
            Class::Low => {}
            Class::Point | Class::Comma => match class_at(bytes, len + class_len).map(|(next, _)| next) {
                Some(Class::Foreign) => return None,
                Some(next) if joins(last, class, next) => {}
                _ => break,
            },
            Class::Foreign => return None,
            Class::Mark | Class::White | Class::LineEnd => break,
        }
        len += class_len;
        last = class;
    }
    Some((len, if is_word { WordKind::Letters } else { WordKind::Punctuation }))
}

fn joins(last: Class, mark: Class, next: Class) -> bool {
    match (last, next) {
        (Class::Letter, Class::Letter) => mark == Class::Point,
        (Class::Digit, Class::Digit) => true,
        _ => false,
    }
}

/// Finds the end of the first piece by the rules for all scripts, with those of further pieces that come along with it.
fn find_ends(rest: &str, start: usize, ends: &mut VecDeque<usize>) {
    let spaceless = spaceless::run(rest);
    if spaceless > 0 {
        return spaceless::find_ends(&rest[..spaceless], start, ends);
    }
    let piece = rest.split_word_bounds().next().unwrap_or(rest);
    find_cuts(piece, start, ends);
    ends.push_back(start + piece.len());
}

/// Where a piece of UAX #29 is cut once more: before and behind a colon, a narrow space and what sets a direction.
fn find_cuts(piece: &str, start: usize, ends: &mut VecDeque<usize>) {
    let mut last = None;
    let mut characters = piece.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let end = at + character.len_utf8();
        let next = characters.peek().map(|&(_, next)| next);
        let is_in_number = last.is_some_and(char::is_numeric) && next.is_some_and(char::is_numeric);
        if character == ':' || character == NARROW_SPACE && !is_in_number || is_direction(character) {
            // The piece as a whole may begin or end with it, and two may follow each other.
            for (place, _) in [(at, last), (end, next)].into_iter().filter(|(_, beside)| beside.is_some()) {
                if ends.back() != Some(&(start + place)) {
                    ends.push_back(start + place);
                }
            }
        }
        last = Some(character);
    }
}

const NARROW_SPACE: char = '\u{202F}';

fn kind(piece: &str) -> WordKind {
    let is_white = |character: char| character.is_whitespace() || is_unseen(character);
    match piece {
        _ if piece.chars().any(|character| character.is_alphanumeric() || is_picture(character)) => WordKind::Letters,
        _ if piece.chars().all(is_white) => WordKind::White,
        _ => WordKind::Punctuation,
    }
}

/// Signs that say something by themselves: weather and chess, dingbats, emoji, flags.
fn is_picture(character: char) -> bool {
    matches!(character, '\u{2600}'..='\u{27BF}' | '\u{1F000}'..='\u{1FAFF}')
}

#[cfg(test)]
mod tests;
