//! How is any text written in XML, as short as it can be?

use std::borrow::Cow;
use std::fmt::{self, Write};

use crate::parse::escapes::{escape_at, is_ncname_char, is_ncname_start};

/// The characters that can stand in a document of some version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::delta) enum Version {
    /// 1.0, which has no way to write control characters.
    One,
    /// 1.1, where all but NUL can be written as references; some more must be, as they would be read as line ends.
    OneOne,
}

/// Whether XML 1.0 has no way to write a text.
pub(in crate::delta) fn has_forbidden(text: &str) -> bool {
    // Whatever is forbidden begins with one of these bytes, which few texts have.
    text.bytes().any(|byte| byte < b' ' && !is_white(byte) || byte == 0xEF) && text.chars().any(is_forbidden)
}

fn is_white(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\r')
}

pub(in crate::delta) fn is_forbidden(c: char) -> bool {
    matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Writes the characters of a text, as a CDATA section where that is shorter.
pub(super) fn text(out: &mut impl Write, value: &str, version: Version) -> fmt::Result {
    const SECTION: usize = "<![CDATA[]]>".len();
    let costs = |byte| match byte {
        b'&' => 4,
        b'<' => 3,
        _ => 0,
    };
    let cost: usize = value.bytes().map(costs).sum();
    if cost > SECTION && version == Version::One && !value.contains('\r') && !value.contains("]]>") {
        return write!(out, "<![CDATA[{value}]]>");
    }
    escaped(out, value, version, |byte, before| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'>' if before.ends_with("]]") => Some("&gt;"),
        b'\r' => Some("&#13;"),
        _ => None,
    })
}

/// Writes an attribute, ` name="value"`.
pub(super) fn attribute(out: &mut impl Write, name: &str, value: &str, version: Version) -> fmt::Result {
    let quote = if value.contains('"') && !value.contains('\'') { '\'' } else { '"' };
    write!(out, " {name}={quote}")?;
    escaped(out, value, version, |byte, _| match byte {
        b'&' => Some("&amp;"),
        b'<' => Some("&lt;"),
        b'"' if quote == '"' => Some("&#34;"),
        b'\t' => Some("&#9;"),
        b'\n' => Some("&#10;"),
        b'\r' => Some("&#13;"),
        _ => None,
    })?;
    out.write_char(quote)
}

/// Writes a text with what `escape` has for its bytes; it is told what stands before each.
fn escaped(
    out: &mut impl Write,
    value: &str,
    version: Version,
    escape: impl Fn(u8, &str) -> Option<&'static str>,
) -> fmt::Result {
    let mut done = 0;
    for (at, byte) in value.bytes().enumerate() {
        // All others have an escape in no place.
        if byte > b'>' {
            continue;
        }
        if let Some(escape) = escape(byte, &value[done..at]) {
            numbered(out, &value[done..at], version)?;
            out.write_str(escape)?;
            done = at + 1;
        }
    }
    numbered(out, &value[done..], version)
}

/// Writes a text with references by number for what cannot stand for itself.
fn numbered(out: &mut impl Write, value: &str, version: Version) -> fmt::Result {
    if version == Version::One {
        return out.write_str(value);
    }
    let is_numbered = |c: char| is_forbidden(c) || matches!(c, '\u{7F}'..='\u{9F}' | '\u{2028}');
    let mut rest = value;
    while let Some((at, c)) = rest.char_indices().find(|&(_, c)| is_numbered(c)) {
        write!(out, "{}&#{};", &rest[..at], c as u32)?;
        rest = &rest[at + c.len_utf8()..];
    }
    out.write_str(rest)
}

/// A name of HTML as one of XML without a colon: whatever XML does not allow as `_xHHHH_`, its place in UTF-16.
pub(in crate::delta) fn html_name(name: &str) -> Cow<'_, str> {
    let allows = |at: usize, c: char| {
        if at == 0 { is_ncname_start(c) } else { is_ncname_char(c) }
    };
    let needs = |at: usize, c: char| !allows(at, c) || (c == '_' && reads_as_escape(&name[at..]));
    let is_reserved = name.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("xml"));
    if !is_reserved && !name.char_indices().any(|(at, c)| needs(at, c)) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(encoded(name, |at, c| needs(at, c) || (at == 0 && is_reserved)))
}

/// The value of a comment or an instruction of HTML as one of XML: what would end it is escaped too.
pub(in crate::delta) fn html_markup(value: &str, is_comment: bool) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    let needs = |at: usize, c: char| match c {
        '-' if is_comment => at + 1 == bytes.len() || (at > 0 && bytes[at - 1] == b'-'),
        '>' => at > 0 && bytes[at - 1] == b'?',
        ' ' | '\t' | '\n' => at == 0 && !is_comment,
        '_' => reads_as_escape(&value[at..]),
        _ => c == '\r' || is_forbidden(c) || matches!(c, '\u{7F}'..='\u{9F}' | '\u{2028}'),
    };
    if !value.char_indices().any(|(at, c)| needs(at, c)) {
        return Cow::Borrowed(value);
    }
    Cow::Owned(encoded(value, needs))
}

fn encoded(text: &str, needs: impl Fn(usize, char) -> bool) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in text.char_indices() {
        if !needs(at, c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a string cannot fail.
            let _ = write!(out, "_x{unit:04X}_");
        }
    }
    out
}

fn reads_as_escape(text: &str) -> bool {
    escape_at(text).is_some()
}
