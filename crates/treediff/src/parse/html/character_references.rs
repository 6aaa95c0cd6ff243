//! What does a piece of HTML say? Character references, line ends and NULs, decoded when asked for.
//!
//! A text or attribute value whose bytes are not yet its value is kept as a range of the source and marked; these
//! functions make the value of it. Line ends are normalised here rather than before parsing, so that the source is
//! kept as it came.

use super::named_references::NAMED;

/// Where a reference stands: attribute values leave `&copy=` and `&copyx` alone, since URLs are written so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Attribute,
}

/// Appends the value of `written`; `problem` is told of every error by its offset and its name in the standard.
pub(super) fn decode_into(written: &str, place: Place, out: &mut String, mut problem: impl FnMut(usize, &'static str)) {
    let bytes = written.as_bytes();
    let mut done = 0;
    while let Some(found) = memchr::memchr3(b'&', b'\r', 0, &bytes[done..]) {
        let at = done + found;
        out.push_str(&written[done..at]);
        done = at
            + match bytes[at] {
                b'&' => push_reference(&written[at..], place, out, |name| problem(at, name)),
                odd => push_odd(odd, bytes.get(at + 1), out),
            };
    }
    out.push_str(&written[done..]);
}

/// Appends a verbatim text: references are none there, but line ends and NULs are as everywhere.
pub(super) fn clean_into(written: &str, out: &mut String) {
    let bytes = written.as_bytes();
    let mut done = 0;
    while let Some(found) = memchr::memchr2(b'\r', 0, &bytes[done..]) {
        let at = done + found;
        out.push_str(&written[done..at]);
        done = at + push_odd(bytes[at], bytes.get(at + 1), out);
    }
    out.push_str(&written[done..]);
}

/// The length of the white space that `written` starts with, references to white space included.
pub(super) fn blank_prefix(written: &str) -> usize {
    let bytes = written.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            blank if blank.is_ascii_whitespace() => 1,
            b'&' => match reference(&written[at..], Place::Text) {
                Some(found) if found.value.is_blank() => found.len,
                _ => break,
            },
            _ => break,
        }
    }
    at
}

/// The length of the line end that `written` starts with, as a reference too.
pub(super) fn newline_prefix(written: &str) -> usize {
    match written.as_bytes() {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        [b'&', ..] => match reference(written, Place::Text) {
            Some(Reference { value: Value::Numeric('\n') | Value::Named("\n"), len, .. }) => len,
            _ => 0,
        },
        _ => 0,
    }
}

impl Value {
    fn is_blank(self) -> bool {
        match self {
            Value::Named(text) => matches!(text, "\t" | "\n"),
            Value::Numeric(char) => char.is_ascii_whitespace(),
        }
    }
}

/// A CR, with the LF behind it if there is one, or a NUL; says how many bytes of the source it took.
fn push_odd(byte: u8, next: Option<&u8>, out: &mut String) -> usize {
    if byte != b'\r' {
        out.push(char::REPLACEMENT_CHARACTER);
        return 1;
    }
    out.push('\n');
    if next == Some(&b'\n') { 2 } else { 1 }
}

fn push_reference(written: &str, place: Place, out: &mut String, problem: impl FnOnce(&'static str)) -> usize {
    let Some(found) = reference(written, place) else {
        out.push('&');
        if let Some(name) = ambiguous(written) {
            problem(name);
        }
        return 1;
    };
    match found.value {
        Value::Named(text) => out.push_str(text),
        Value::Numeric(char) => out.push(char),
    }
    if let Some(name) = found.problem {
        problem(name);
    }
    found.len
}

/// A character reference.
struct Reference {
    value: Value,
    /// Bytes of the source, the `&` included.
    len: usize,
    problem: Option<&'static str>,
}

#[derive(Clone, Copy)]
enum Value {
    Named(&'static str),
    Numeric(char),
}

/// The reference that `written` starts with; `None` where the `&` is a plain one.
fn reference(written: &str, place: Place) -> Option<Reference> {
    match written.as_bytes().get(1)? {
        b'#' => numeric(written.as_bytes()),
        byte if byte.is_ascii_alphanumeric() => named(written, place),
        _ => None,
    }
}

/// The error of an `&` that is none: an unknown name that ends as a reference does, or a number without digits.
fn ambiguous(written: &str) -> Option<&'static str> {
    let after = &written.as_bytes()[1..];
    if after.first() == Some(&b'#') {
        return Some("absence-of-digits-in-numeric-character-reference");
    }
    let name = after.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    (name > 0 && after.get(name) == Some(&b';')).then_some("unknown-named-character-reference")
}

fn named(written: &str, place: Place) -> Option<Reference> {
    let after = &written.as_bytes()[1..];
    let (name, value) = longest_name(after)?;
    let len = name.len();
    let ended = name.ends_with(';');
    let goes_on = after.get(len).is_some_and(|&next| next == b'=' || next.is_ascii_alphanumeric());
    if place == Place::Attribute && !ended && goes_on {
        return None;
    }
    let problem = (!ended).then_some("missing-semicolon-after-character-reference");
    Some(Reference { value: Value::Named(value), len: len + 1, problem })
}

/// The longest name that the bytes start with.
///
/// The names that the bytes start with all sort before the bytes, the longest last; what else stands between shares
/// fewer bytes with them than that one, so each miss shortens what is looked for.
fn longest_name(after: &[u8]) -> Option<(&'static str, &'static str)> {
    if let Some(common) = COMMON.iter().find(|(name, _)| after.starts_with(name.as_bytes())) {
        return Some(*common);
    }
    let letters = after.iter().take(LONGEST_NAME).take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let mut wanted = &after[..(letters + usize::from(after.get(letters) == Some(&b';')))];
    while !wanted.is_empty() {
        let before = NAMED.partition_point(|(name, _)| name.as_bytes() <= wanted);
        let nearest = NAMED.get(before.checked_sub(1)?)?;
        let shared = nearest.0.bytes().zip(wanted).take_while(|(a, b)| a == *b).count();
        if shared == nearest.0.len() {
            return Some(*nearest);
        }
        wanted = &wanted[..shared];
    }
    None
}

const LONGEST_NAME: usize = 32;
const COMMON: [(&str, &str); 5] = [("lt;", "<"), ("gt;", ">"), ("amp;", "&"), ("quot;", "\""), ("nbsp;", "\u{a0}")];

fn numeric(written: &[u8]) -> Option<Reference> {
    let (radix, start) = if matches!(written.get(2), Some(b'x' | b'X')) { (16, 3) } else { (10, 2) };
    let digits = written[start..].iter().map_while(|&byte| char::from(byte).to_digit(radix));
    let (count, code) =
        digits.fold((0, 0u32), |(count, code), digit| (count + 1, code.saturating_mul(radix).saturating_add(digit)));
    if count == 0 {
        return None;
    }
    let ended = written.get(start + count) == Some(&b';');
    let (char, problem) = character(code);
    let problem = if ended { problem } else { Some("missing-semicolon-after-character-reference") };
    Some(Reference { value: Value::Numeric(char), len: start + count + usize::from(ended), problem })
}

/// The character that a number stands for, and what is wrong with it.
fn character(code: u32) -> (char, Option<&'static str>) {
    const REPLACEMENT: char = char::REPLACEMENT_CHARACTER;
    match code {
        0 => (REPLACEMENT, Some("null-character-reference")),
        0xD800..=0xDFFF => (REPLACEMENT, Some("surrogate-character-reference")),
        0x11_0000.. => (REPLACEMENT, Some("character-reference-outside-unicode-range")),
        0x80..=0x9F => (WINDOWS_1252[code as usize - 0x80], Some("control-character-reference")),
        0x09 | 0x0A | 0x0C | 0x20..=0x7E => (char::from(code as u8), None),
        0x00..=0x1F | 0x7F => (char::from(code as u8), Some("control-character-reference")),
        _ if is_noncharacter(code) => {
            (char::from_u32(code).unwrap_or(REPLACEMENT), Some("noncharacter-character-reference"))
        }
        _ => (char::from_u32(code).unwrap_or(REPLACEMENT), None),
    }
}

fn is_noncharacter(code: u32) -> bool {
    (0xFDD0..=0xFDEF).contains(&code) || code & 0xFFFE == 0xFFFE
}

/// What people meant by numbers that are control characters; those that they cannot have meant stand for themselves.
#[rustfmt::skip]
const WINDOWS_1252: [char; 32] = [
    '\u{20AC}', '\u{81}', '\u{201A}', '\u{192}', '\u{201E}', '\u{2026}', '\u{2020}', '\u{2021}',
    '\u{2C6}', '\u{2030}', '\u{160}', '\u{2039}', '\u{152}', '\u{8D}', '\u{17D}', '\u{8F}',
    '\u{90}', '\u{2018}', '\u{2019}', '\u{201C}', '\u{201D}', '\u{2022}', '\u{2013}', '\u{2014}',
    '\u{2DC}', '\u{2122}', '\u{161}', '\u{203A}', '\u{153}', '\u{9D}', '\u{17E}', '\u{178}',
];

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(written: &str, place: Place) -> String {
        let mut out = String::new();
        decode_into(written, place, &mut out, |_, _| {});
        out
    }

    #[test]
    fn every_name_stands_for_its_characters() {
        for (name, value) in NAMED {
            assert_eq!(decode(&format!("&{name}"), Place::Text), value, "{name}");
        }
        assert!(NAMED.is_sorted());
        assert!(NAMED.iter().all(|(name, _)| name.len() <= LONGEST_NAME + 1));
    }

    #[test]
    fn the_longest_name_wins() {
        assert_eq!(decode("&notit; &notin; &notinx &no", Place::Text), "¬it; ∉ ¬inx &no");
        assert_eq!(decode("&amp &ampx &AMP;", Place::Text), "& &x &");
        assert_eq!(decode("&CounterClockwiseContourIntegral;", Place::Text), "∳");
    }

    #[test]
    fn attributes_leave_what_looks_like_a_parameter() {
        assert_eq!(decode("?a=b&copy=1&copyx&copy;&copy", Place::Attribute), "?a=b&copy=1&copyx©©");
    }

    #[test]
    fn numbers_stand_for_characters() {
        assert_eq!(
            decode("&#65;&#x41;&#X41 &#x80;&#0;&#xD800;&#x110000;", Place::Text),
            "AAA €\u{fffd}\u{fffd}\u{fffd}"
        );
        assert_eq!(decode("&#;&#x;&#99999999999999999999;", Place::Text), "&#;&#x;\u{fffd}");
    }

    #[test]
    fn line_ends_are_one_character() {
        assert_eq!(decode("a\r\nb\rc\n\r", Place::Text), "a\nb\nc\n\n");
        let mut out = String::new();
        clean_into("a&amp;\r\n\0", &mut out);
        assert_eq!(out, "a&amp;\n\u{fffd}");
    }

    #[test]
    fn white_space_may_be_written_as_a_reference() {
        assert_eq!(blank_prefix(" \r\n&#32;&Tab;x"), 13);
        assert_eq!(blank_prefix("&amp; "), 0);
    }
}
