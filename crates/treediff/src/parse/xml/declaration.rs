//! What does a document say of itself in its first line? The XML declaration.

use super::scan::is_space;
use crate::parse::issue::short;

/// An XML declaration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Declaration {
    /// The place behind it; 0 where there is none.
    pub(super) end: usize,
    pub(super) encoding: Option<String>,
    /// Where the encoding is named.
    pub(super) encoding_at: usize,
    pub(super) standalone: bool,
}

/// What is wrong with a declaration, and where.
pub(super) type Fault = (usize, String);

/// Reads the declaration that `source` begins with, if it does. Its characters are ASCII in any encoding that can be
/// read before the encoding is known.
pub(super) fn read(source: &[u8]) -> (Declaration, Option<Fault>) {
    if !source.starts_with(b"<?xml") || !source.get(5).is_some_and(|&byte| is_space(byte) || byte == b'?') {
        return (Declaration::default(), None);
    }
    let Some(end) = memchr::memmem::find(source, b"?>") else {
        return (Declaration::default(), Some((0, "found an XML declaration without its end `?>`".into())));
    };
    let mut declaration = Declaration { end: end + 2, ..Declaration::default() };
    let fault = read_settings(&source[..end], &mut declaration).err();
    (declaration, fault)
}

/// `version`, then `encoding`, then `standalone`, the last two if wanted.
fn read_settings(source: &[u8], declaration: &mut Declaration) -> Result<(), Fault> {
    const ORDER: [&str; 3] = ["version", "encoding", "standalone"];
    /// What can come next, before the first of them and behind each.
    const EXPECTED: [&str; 4] = ["`version`", "`encoding`, `standalone` or `?>`", "`standalone` or `?>`", "`?>`"];
    let mut at = 5;
    let mut next = 0;
    loop {
        let Setting { name, name_at, value, value_at, behind } = match setting(source, at)? {
            Some(setting) => setting,
            None if next == 0 => {
                return Err((source.len(), "found the end of the XML declaration; expected `version`".into()));
            }
            None => return Ok(()),
        };
        let place =
            ORDER.iter().position(|known| *known == name).filter(|&place| place >= next && (place == 0) == (next == 0));
        let Some(place) = place else {
            let name = short(&name);
            return Err((name_at, format!("found `{name}` in the XML declaration; expected {}", EXPECTED[next])));
        };
        if !is_valid(place, &value) {
            const VALUES: [&str; 3] = ["`1.0`", "the name of an encoding, such as `UTF-8`", "`yes` or `no`"];
            let (value, expected) = (short(&value), VALUES[place]);
            return Err((
                value_at,
                format!("found `{value}` as the {name} of the XML declaration; expected {expected}"),
            ));
        }
        match place {
            1 => (declaration.encoding, declaration.encoding_at) = (Some(value), value_at),
            2 => declaration.standalone = value == "yes",
            _ => {}
        }
        next = place + 1;
        at = behind;
    }
}

fn is_valid(place: usize, value: &str) -> bool {
    match place {
        0 => {
            value.strip_prefix("1.").is_some_and(|minor| !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()))
        }
        1 => {
            value.starts_with(|c: char| c.is_ascii_alphabetic())
                && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        }
        _ => matches!(value, "yes" | "no"),
    }
}

/// A name and its value, where they are, and the place behind both.
struct Setting {
    name: String,
    name_at: usize,
    value: String,
    value_at: usize,
    behind: usize,
}

/// The setting that comes next; `None` where nothing but white space is left.
fn setting(source: &[u8], at: usize) -> Result<Option<Setting>, Fault> {
    let spaces = |at: usize| at + source[at..].iter().take_while(|&&byte| is_space(byte)).count();
    let start = spaces(at);
    if start == source.len() {
        return Ok(None);
    }
    if start == at {
        return Err((at, "found no white space between the parts of the XML declaration".into()));
    }
    let name_end = start + source[start..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    let equals = spaces(name_end);
    let open = spaces((equals + 1).min(source.len()));
    let quote = source.get(open).copied().filter(|byte| matches!(byte, b'"' | b'\''));
    if source.get(equals) != Some(&b'=') {
        return Err((equals, "found no `=` and quoted value in the XML declaration".into()));
    }
    let Some(quote) = quote else {
        return Err((open, "found no quoted value behind `=` in the XML declaration".into()));
    };
    let Some(len) = memchr::memchr(quote, &source[open + 1..]) else {
        return Err((open, "found no closing quote in the XML declaration".into()));
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ok(Some(Setting {
        name: text(&source[start..name_end]),
        name_at: start,
        value: text(&source[open + 1..open + 1 + len]),
        value_at: open + 1,
        behind: open + len + 2,
    }))
}
