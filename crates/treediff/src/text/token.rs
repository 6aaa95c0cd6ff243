//! What is a word? A run of letters and digits, a run of white space, or any other character alone.
//!
//! Whether one token ends between two characters depends on these two alone, so that the equal ends of two texts can be
//! found by their bytes and cut back to the end of a token, whatever the texts' length.

/// What a character makes tokens of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters and digits: a word.
    Word,
    /// White space.
    White,
    /// A token of its own: punctuation, and the scripts that put no space between words.
    Single,
    /// Belongs to the character before it: accents, variation selectors, what joins emoji.
    Joined,
}

fn class(character: char) -> Class {
    match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' => Class::Word,
        ' ' | '\n' | '\t' | '\r' => Class::White,
        '\0'..='\u{7F}' => Class::Single,
        '\u{300}'..='\u{36F}'
        | '\u{20D0}'..='\u{20FF}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{1F3FB}'..='\u{1F3FF}'
        | JOINER => Class::Joined,
        // Kana, bopomofo, Han and their supplements. Hangul is written with spaces.
        '\u{2E80}'..='\u{312F}' | '\u{3190}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' => {
            Class::Single
        }
        _ if character.is_whitespace() => Class::White,
        _ if character.is_alphanumeric() => Class::Word,
        _ => Class::Single,
    }
}

const JOINER: char = '\u{200D}';

/// Whether a token ends between two characters that follow each other.
fn ends_between(before: char, after: char) -> bool {
    match (class(before), class(after)) {
        (_, Class::Joined) => false,
        _ if before == JOINER => false,
        // An accent goes on with the word whose letter it stands on.
        (Class::Joined, Class::Word) => false,
        (before, after) => before != after || before == Class::Single,
    }
}

/// The tokens of a text, in order; together they are the text.
///
/// ```
/// let tokens: Vec<&str> = treediff::text::tokens("It's 3 o’clock,  東京!").collect();
/// assert_eq!(tokens, ["It", "'", "s", " ", "3", " ", "o", "’", "clock", ",", "  ", "東", "京", "!"]);
/// ```
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let len = first_token(rest)?;
        let (token, behind) = rest.split_at(len);
        rest = behind;
        Some(token)
    })
}

fn first_token(text: &str) -> Option<usize> {
    let run = ascii_run(text.as_bytes());
    // What is ASCII belongs to no character before it.
    if run > 0 && text.as_bytes().get(run).is_none_or(u8::is_ascii) {
        return Some(run);
    }
    let known = run.saturating_sub(1);
    let mut characters = text[known..].char_indices();
    let (_, mut last) = characters.next()?;
    for (at, character) in characters {
        if ends_between(last, character) {
            return Some(known + at);
        }
        last = character;
    }
    Some(text.len())
}

/// How many bytes of ASCII a text begins with that make one token: nearly all of most texts is read so, byte by byte.
fn ascii_run(text: &[u8]) -> usize {
    let len_of = |is_part: fn(&u8) -> bool| text.iter().take_while(|byte| is_part(byte)).count();
    match text.first() {
        Some(first) if first.is_ascii_alphanumeric() => len_of(u8::is_ascii_alphanumeric),
        Some(b' ' | b'\n' | b'\t' | b'\r') => len_of(|byte| matches!(byte, b' ' | b'\n' | b'\t' | b'\r')),
        Some(first) if first.is_ascii() => 1,
        _ => 0,
    }
}

/// How many bytes two texts have in common at their beginning and at their end, in whole tokens of both; the two ends
/// do not overlap in either.
pub fn common_ends(before: &str, after: &str) -> (usize, usize) {
    if before == after {
        return (before.len(), 0);
    }
    let same = before.bytes().zip(after.bytes()).take_while(|(x, y)| x == y).count();
    let start = (0..=same).rev().find(|&at| is_end(before, at) && is_end(after, at)).unwrap_or(0);
    let (before, after) = (&before[start..], &after[start..]);
    let same = before.bytes().rev().zip(after.bytes().rev()).take_while(|(x, y)| x == y).count();
    let is_shared = |&len: &usize| is_end(before, before.len() - len) && is_end(after, after.len() - len);
    let end = (0..=same).rev().find(is_shared).unwrap_or(0);
    (start, end)
}

/// Whether a token ends at this byte, or none has begun.
fn is_end(text: &str, at: usize) -> bool {
    let Some((head, tail)) = text.split_at_checked(at) else { return false };
    match (head.chars().next_back(), tail.chars().next()) {
        (Some(last), Some(next)) => ends_between(last, next),
        _ => true,
    }
}
