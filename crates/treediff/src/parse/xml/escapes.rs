//! What does `_x003A_` stand for? For the character with that place in UTF-16, in the deltas of HTML and of XML that is not
//! well-formed.
//!
//! HTML has names, comments and characters that XML does not, and so has what recovery makes of XML. Their deltas are XML
//! all the same, with what XML cannot have as `_xHHHH_` in names, comments and instructions, and control characters as
//! references; see `docs/formats/xydelta.md`.

use std::borrow::Cow;

use super::chars::{is_name_char, is_name_start};

/// Whether a name without a colon can begin with the character.
pub(crate) fn is_ncname_start(c: char) -> bool {
    c != ':' && is_name_start(c)
}

/// Whether a name without a colon can go on with the character.
pub(crate) fn is_ncname_char(c: char) -> bool {
    c != ':' && is_name_char(c)
}

/// Whether a text is a name without a colon.
pub(crate) fn is_ncname(text: &str) -> bool {
    text.starts_with(is_ncname_start) && text.chars().all(is_ncname_char)
}

const ESCAPE_LEN: usize = "_xHHHH_".len();

/// The place in UTF-16 that a text begins to name.
pub(crate) fn escape_at(text: &str) -> Option<u16> {
    let digits = text.get(..ESCAPE_LEN)?.strip_prefix("_x")?.strip_suffix('_')?;
    let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

/// The text with its escapes read; half a character becomes U+FFFD.
pub(crate) fn unescaped(text: &str) -> Cow<'_, str> {
    let Some(first) = next_escape(text) else { return Cow::Borrowed(text) };
    let mut value = text[..first].to_owned();
    let mut rest = &text[first..];
    let mut units = Vec::new();
    while !rest.is_empty() {
        units.clear();
        while let Some(unit) = escape_at(rest) {
            units.push(unit);
            rest = &rest[ESCAPE_LEN..];
        }
        value.push_str(&String::from_utf16_lossy(&units));
        // The `_` where no escape begins stands for itself.
        let end = next_escape(rest).unwrap_or(rest.len());
        value.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    Cow::Owned(value)
}

fn next_escape(text: &str) -> Option<usize> {
    memchr::memmem::find_iter(text.as_bytes(), b"_x").find(|&at| escape_at(&text[at..]).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes() {
        for (written, value) in [
            ("plain", "plain"),
            ("", ""),
            ("o_x003A_p", "o:p"),
            ("_x005F_x003A_", "_x003A_"),
            ("_xD83D__xDE00_!", "\u{1F600}!"),
            ("_xD83D_", "\u{FFFD}"),
            ("_x003", "_x003"),
            ("_x00ZZ_a_x0041_b", "_x00ZZ_aAb"),
            ("_x_x0041_", "_xA"),
            ("_x003\u{e9}_", "_x003\u{e9}_"),
        ] {
            assert_eq!(unescaped(written), value, "{written}");
        }
    }
}
