//! What does a piece of XML say? Line ends, character references and CDATA sections, decoded when asked for.
//!
//! The parser has checked the pieces. What it let pass in recover mode (a bare `&`, an unknown entity) stands for
//! itself here, and a character that XML does not allow becomes U+FFFD.

use super::chars::is_char;

/// The value of a text.
pub(crate) fn decode_text(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    let mut rest = written;
    // A text has a `<` only where a CDATA section begins, or in recover mode.
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        let Some(section) = rest[at..].strip_prefix("<![CDATA[") else {
            decode_references(&rest[..=at], &mut value, |c| c);
            rest = &rest[at + 1..];
            continue;
        };
        decode_references(&rest[..at], &mut value, |c| c);
        let (inside, after) = section.split_once("]]>").unwrap_or((section, ""));
        push_line_ends(inside, &mut value);
        rest = after;
    }
    decode_references(rest, &mut value, |c| c);
    value
}

/// The value of an attribute: also, white space becomes spaces.
pub(crate) fn decode_attribute(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    decode_references(written, &mut value, |c| if matches!(c, '\t' | '\n') { ' ' } else { c });
    value
}

/// The value of what has no references: a comment, a processing instruction.
pub(crate) fn decode_line_ends(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    push_line_ends(written, &mut value);
    value
}

fn push_line_ends(written: &str, value: &mut String) {
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\r' {
            chars.next_if_eq(&'\n');
        }
        value.push(allowed(c));
    }
}

fn decode_references(written: &str, value: &mut String, normalise: impl Fn(char) -> char) {
    // What is to be decoded begins with one of these: a reference, a line end, and in recover mode what may not be.
    let is_special = |byte: u8| byte == b'&' || byte < b' ' || byte == 0xEF;
    let mut rest = written;
    while let Some(at) = rest.bytes().position(is_special) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(c) = rest.chars().next() else { return };
        let (decoded, len) = match c {
            '&' => character_reference(rest).unwrap_or(('&', 1)),
            '\r' if rest.as_bytes().get(1) == Some(&b'\n') => (normalise('\n'), 2),
            _ => (normalise(allowed(c)), c.len_utf8()),
        };
        value.push(decoded);
        rest = &rest[len..];
    }
    value.push_str(rest);
}

/// Whether all references in a text are to characters, so that nothing need be known to decode it.
pub(super) fn refers_to_characters_only(written: &str) -> bool {
    memchr::memchr_iter(b'&', written.as_bytes()).all(|at| character_reference(&written[at..]).is_some())
}

/// The character that stands for `c` in a value: a line end for a CR, U+FFFD for what may not be there.
pub(super) fn allowed(c: char) -> char {
    match c {
        '\r' => '\n',
        c if is_char(c) => c,
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// The character that a text begins to refer to by number or by one of the five names that need no declaration, and
/// the length of the reference.
pub(super) fn character_reference(text: &str) -> Option<(char, usize)> {
    let end = text.bytes().take(MAX_REFERENCE).position(|byte| byte == b';')?;
    let c = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        name => numbered(name.strip_prefix('#')?)?,
    };
    Some((c, end + 1))
}

/// Longer numbers than this are leading zeros that nobody writes.
const MAX_REFERENCE: usize = 64;

fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
    // `from_str_radix` would take a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).filter(|&c| is_char(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        assert_eq!(
            decode_text("a\r\nb\rc &lt;&#65;&#x1F600; <![CDATA[<&amp;\r\n>]]>!"),
            "a\nb\nc <A\u{1F600} <&amp;\n>!"
        );
        assert_eq!(decode_text("&unknown; & &#0; &#xD800; &#; &#+5;"), "&unknown; & &#0; &#xD800; &#; &#+5;");
        assert_eq!(decode_text("\u{1}"), "\u{FFFD}");
    }

    #[test]
    fn attributes() {
        assert_eq!(decode_attribute("a\tb\r\nc\nd\re&#9;f&#10;"), "a b c d e\tf\n");
    }
}
