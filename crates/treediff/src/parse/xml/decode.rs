//! What does a piece of XML say? Line ends, character references and CDATA sections, decoded when asked for.
//!
//! The parser has checked the pieces. What it let pass in recover mode (a bare `&`, an unknown entity) stands for
//! itself here, and a character that XML does not allow becomes U+FFFD.

use super::chars::is_char;

/// The value of a text.
pub(crate) fn decode_text(written: &str) -> String {
    text(written, Place::Text)
}

/// The value of a text in an entity: its line ends were read with its declaration, and a CR that is there still was
/// written as a reference.
pub(super) fn decode_entity_text(written: &str) -> String {
    text(written, Place::Entity)
}

/// The value of an attribute: also, white space becomes spaces.
pub(crate) fn decode_attribute(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    push_references(written, Place::Attribute, &mut value);
    value
}

/// The value of what has no references: a comment, a processing instruction.
pub(crate) fn decode_line_ends(written: &str) -> String {
    let mut value = String::with_capacity(written.len());
    push_characters(written, Place::Text, &mut value);
    value
}

/// Where something is written, which says what becomes of its line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Entity,
    Attribute,
}

impl Place {
    /// What the character that `rest` begins with stands for here, and how much of `rest` that is.
    fn read(self, c: char, rest: &str) -> (char, usize) {
        match (self, c) {
            (Place::Entity, '\r') => ('\r', 1),
            (Place::Attribute, '\t' | '\n') => (' ', 1),
            (_, '\r') => {
                let end = if self == Place::Attribute { ' ' } else { '\n' };
                (end, if rest.as_bytes().get(1) == Some(&b'\n') { 2 } else { 1 })
            }
            _ => (allowed(c), c.len_utf8()),
        }
    }
}

fn text(written: &str, place: Place) -> String {
    let mut value = String::with_capacity(written.len());
    let mut rest = written;
    // A text has a `<` only where a CDATA section begins, or in recover mode.
    while let Some(at) = memchr::memchr(b'<', rest.as_bytes()) {
        let Some(section) = rest[at..].strip_prefix("<![CDATA[") else {
            push_references(&rest[..=at], place, &mut value);
            rest = &rest[at + 1..];
            continue;
        };
        push_references(&rest[..at], place, &mut value);
        let (inside, after) = section.split_once("]]>").unwrap_or((section, ""));
        push_characters(inside, place, &mut value);
        rest = after;
    }
    push_references(rest, place, &mut value);
    value
}

fn push_references(written: &str, place: Place, value: &mut String) {
    let mut rest = written;
    while let Some(at) = memchr::memchr(b'&', rest.as_bytes()) {
        push_characters(&rest[..at], place, value);
        let (c, len) = character_reference(&rest[at..]).unwrap_or(('&', 1));
        value.push(c);
        rest = &rest[at + len..];
    }
    push_characters(rest, place, value);
}

fn push_characters(written: &str, place: Place, value: &mut String) {
    // What does not stand for itself begins with one of these: white space, and in recover mode what may not be.
    let is_special = |byte: u8| byte < b' ' || byte == 0xEF;
    let mut rest = written;
    if !written.bytes().fold(false, |found, byte| found | is_special(byte)) {
        return value.push_str(written);
    }
    while let Some(at) = rest.bytes().position(is_special) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(c) = rest.chars().next() else { return };
        let (c, len) = place.read(c, rest);
        value.push(c);
        rest = &rest[len..];
    }
    value.push_str(rest);
}

/// Whether all references in a text are to characters, so that nothing need be known to decode it.
pub(super) fn refers_to_characters_only(written: &str) -> bool {
    memchr::memchr_iter(b'&', written.as_bytes()).all(|at| character_reference(&written[at..]).is_some())
}

/// The character itself, or U+FFFD for what may not be there.
pub(super) fn allowed(c: char) -> char {
    if is_char(c) { c } else { char::REPLACEMENT_CHARACTER }
}

/// The character that a text begins to refer to by number or by one of the five names that need no declaration, and
/// the length of the reference.
pub(super) fn character_reference(text: &str) -> Option<(char, usize)> {
    any_character_reference(text).filter(|&(c, _)| is_char(c))
}

/// The character that bytes begin to refer to by one of those names, and the length of the reference.
#[inline]
pub(super) fn named_reference(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [b'&', b'a', b'm', b'p', b';', ..] => Some(('&', 5)),
        [b'&', b'l', b't', b';', ..] => Some(('<', 4)),
        [b'&', b'g', b't', b';', ..] => Some(('>', 4)),
        [b'&', b'q', b'u', b'o', b't', b';', ..] => Some(('"', 6)),
        [b'&', b'a', b'p', b'o', b's', b';', ..] => Some(('\'', 6)),
        _ => None,
    }
}

/// The same for any character but NUL.
pub(super) fn any_character_reference(text: &str) -> Option<(char, usize)> {
    let named = named_reference(text.as_bytes());
    if named.is_some() {
        return named;
    }
    let end = reference_len(text.as_bytes()).filter(|&end| text.as_bytes()[end] == b';')?;
    Some((numbered(text[1..end].strip_prefix('#')?)?, end + 1))
}

/// How far letters, digits and `#` go behind a `&`, if they end.
pub(super) fn reference_len(bytes: &[u8]) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'#';
    bytes.iter().skip(1).position(|byte| !is_part(byte)).map(|len| len + 1)
}

fn numbered(number: &str) -> Option<char> {
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |hex| (hex, 16));
    // `from_str_radix` would take a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32).filter(|&c| c != '\0')
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
