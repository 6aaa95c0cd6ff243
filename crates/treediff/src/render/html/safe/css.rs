//! What of a style sheet is kept? All but what it loads from elsewhere, and the key.
//!
//! The text is cut into tokens by the rules of CSS Syntax, since only they say what is a `url(`: escapes may spell it,
//! strings and comments may hold something that looks like it. What is harmless is copied as it is. An address is
//! resolved, and emptied where it may not be loaded; a string counts as one behind `@import` and in the functions that
//! take it for one. Names and strings that hold the key lose it. What is written never has a `<` that HTML could take for
//! the beginning of a tag, and no string or address is left open.

use std::borrow::Cow;

/// What a style sheet may not do by itself: load, and speak of the key.
pub(super) trait Judge {
    /// The address of an image, font or sheet, made absolute; `None` where it may not be loaded.
    fn address(&self, written: &str) -> Option<String>;

    /// The text without the key; borrowed where it has none.
    fn without_key<'t>(&self, text: &'t str) -> Cow<'t, str>;
}

/// Whether a text is the same once rewritten, as far as a glance tells.
pub(super) fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| matches!(byte, b'\\' | b'(' | b'"' | b'\'' | b'<' | b'@' | b'/'))
}

/// Writes a style sheet or a list of declarations as it may be shown.
pub(super) fn write(text: &str, judge: &impl Judge, out: &mut String) {
    Rewriter { text, at: 0, judge, open: Vec::new(), namespace: false, out }.run();
}

/// Stands for what is left out, so that names on both sides of it stay two. White space would not do: behind an escape
/// it is a part of it.
const APART: &str = "/**/";

/// What closes an open bracket, and what strings in it are.
#[derive(Clone, Copy)]
struct Open {
    closer: u8,
    /// Whether a string right in it is an address.
    takes_addresses: bool,
}

struct Rewriter<'t, 'o, J> {
    text: &'t str,
    at: usize,
    judge: &'o J,
    open: Vec<Open>,
    /// Between `@namespace` and its end, where addresses are names and nothing is loaded.
    namespace: bool,
    out: &'o mut String,
}

impl<'t, J: Judge> Rewriter<'t, '_, J> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'"' | b'\'' => self.write_string(),
                b'/' if self.peek(1) == Some(b'*') => {
                    self.skip_comment();
                    self.out.push_str(APART);
                }
                b'<' => self.write_less_than(),
                b'-' if self.text[self.at..].starts_with("-->") => self.replace(3, APART),
                b'@' if self.is_name_at(1) => self.at_rule(),
                b'#' if self.is_name_part_at(1) => self.copy_then_name(),
                b'0'..=b'9' => self.number(),
                _ if self.is_name_at(0) => self.name_or_function(),
                b'\\' => self.replace(1, APART),
                b'(' | b'[' | b'{' => self.bracket(byte),
                b')' | b']' | b'}' | b';' => self.end(byte),
                _ => self.copy_run(),
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn replace(&mut self, len: usize, by: &str) {
        self.at += len;
        self.out.push_str(by);
    }

    /// Copies a character, and the white space behind it.
    fn copy_run(&mut self) {
        let rest = &self.text[self.at..];
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let blanks = rest[first..].bytes().take_while(u8::is_ascii_whitespace).count();
        self.out.push_str(&rest[..first + blanks]);
        self.at += first + blanks;
    }

    /// As in `(width < 40em)`; anything that could be a tag or a comment of HTML is none of CSS.
    fn write_less_than(&mut self) {
        if self.text[self.at..].starts_with("<!--") {
            return self.replace(4, APART);
        }
        let by = if matches!(self.peek(1), Some(b' ' | b'=' | b'0'..=b'9')) { "<" } else { "< " };
        self.replace(1, by);
    }

    fn skip_comment(&mut self) {
        let inside = self.at + 2;
        self.at = self.text[inside..].find("*/").map_or(self.text.len(), |len| inside + len + 2);
    }

    fn skip_blank(&mut self) {
        loop {
            match self.peek(0) {
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(b'/') if self.peek(1) == Some(b'*') => self.skip_comment(),
                _ => return,
            }
        }
    }

    fn bracket(&mut self, byte: u8) {
        let closer = match byte {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        self.open.push(Open { closer, takes_addresses: false });
        self.namespace = false;
        self.copy_run();
    }

    /// A bracket that closes another than the last is no more than a character.
    fn end(&mut self, byte: u8) {
        self.open.pop_if(|open| open.closer == byte);
        self.namespace = false;
        self.copy_run();
    }

    // Names.

    /// Whether a name begins here.
    fn is_name_at(&self, ahead: usize) -> bool {
        match self.peek(ahead) {
            Some(b'-') => match self.peek(ahead + 1) {
                Some(b'-') => true,
                Some(b'\\') => self.is_escape_at(ahead + 1),
                Some(byte) => is_name_start(byte),
                None => false,
            },
            Some(b'\\') => self.is_escape_at(ahead),
            Some(byte) => is_name_start(byte),
            None => false,
        }
    }

    fn is_name_part_at(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(is_name_part) || self.is_escape_at(ahead)
    }

    fn is_escape_at(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some(b'\\') && !matches!(self.peek(ahead + 1), Some(b'\n' | b'\r' | b'\x0C'))
    }

    /// Reads name characters: as written, and what they mean.
    fn name(&mut self) -> (&'t str, Cow<'t, str>) {
        let start = self.at;
        let mut meant = String::new();
        let mut done = start;
        loop {
            self.at += self.text.as_bytes()[self.at..].iter().take_while(|&&byte| is_name_part(byte)).count();
            if !self.is_escape_at(0) {
                break;
            }
            meant.push_str(&self.text[done..self.at]);
            meant.push(self.escape());
            done = self.at;
        }
        let written = &self.text[start..self.at];
        if done == start {
            return (written, Cow::Borrowed(written));
        }
        meant.push_str(&self.text[done..self.at]);
        (written, Cow::Owned(meant))
    }

    /// Reads a backslash and what it stands for with what is behind it.
    fn escape(&mut self) -> char {
        self.at += 1;
        let rest = &self.text[self.at..];
        let digits = rest.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits == 0 {
            let escaped = rest.chars().next();
            self.at += escaped.map_or(0, char::len_utf8);
            return escaped.unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        let code = u32::from_str_radix(&rest[..digits], 16).unwrap_or(0);
        self.at += digits;
        self.at += match (self.peek(0), self.peek(1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(byte), _) if byte.is_ascii_whitespace() => 1,
            _ => 0,
        };
        char::from_u32(code).filter(|&c| c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    fn write_name(&mut self, written: &str, meant: &str) {
        match self.is_good_as_written(written, meant) {
            true => self.out.push_str(written),
            false => push_name(&self.judge.without_key(meant), self.out),
        }
    }

    fn is_good_as_written(&self, written: &str, meant: &str) -> bool {
        let has_key = |text: &str| matches!(self.judge.without_key(text), Cow::Owned(_));
        !written.contains('<') && !has_key(written) && (written == meant || !has_key(meant))
    }

    /// A `#` and the name behind it, which may begin with anything.
    fn copy_then_name(&mut self) {
        self.replace(1, "#");
        let (written, meant) = self.name();
        self.write_name(written, &meant);
    }

    /// A number and its unit, which is a part of it whatever it spells.
    fn number(&mut self) {
        let digits = |from: usize| self.text.as_bytes()[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = self.at + digits(self.at);
        if self.text.as_bytes().get(end) == Some(&b'.') {
            let decimals = digits(end + 1);
            end += if decimals > 0 { decimals + 1 } else { 0 };
        }
        self.out.push_str(&self.text[self.at..end]);
        self.at = end;
        if self.is_name_at(0) {
            let (written, meant) = self.name();
            self.write_name(written, &meant);
        }
    }

    fn name_or_function(&mut self) {
        let (written, meant) = self.name();
        if self.peek(0) != Some(b'(') {
            return self.write_name(written, &meant);
        }
        self.at += 1;
        if meant.eq_ignore_ascii_case("url") {
            return self.write_url();
        }
        let in_addresses = self.open.last().is_some_and(|open| open.takes_addresses);
        let function = meant.to_ascii_lowercase();
        match is_refused(&function) || in_addresses && !is_harmless_among_addresses(&function) {
            true => self.out.push_str("refused"),
            false => self.write_name(written, &meant),
        }
        self.out.push('(');
        self.open.push(Open { closer: b')', takes_addresses: takes_addresses(&function) });
    }

    // Rules that load.

    fn at_rule(&mut self) {
        self.at += 1;
        let (written, meant) = self.name();
        if meant.eq_ignore_ascii_case("import") {
            return self.import();
        }
        self.namespace = meant.eq_ignore_ascii_case("namespace");
        self.out.push('@');
        self.write_name(written, &meant);
    }

    /// A rule that is not known is passed over by browsers, and those behind it still count as the first.
    fn import(&mut self) {
        self.skip_blank();
        let written = match self.peek(0) {
            Some(b'"' | b'\'') => self.string(),
            _ if self.is_name_at(0) => self.imported_url(),
            _ => None,
        };
        match written.and_then(|written| self.judge.address(&written)) {
            Some(address) => {
                self.out.push_str("@import url(");
                push_string(&address, self.out);
                self.out.push(')');
            }
            None => self.out.push_str("@refused "),
        }
    }

    fn imported_url(&mut self) -> Option<Cow<'t, str>> {
        let start = self.at;
        let (_, meant) = self.name();
        if !meant.eq_ignore_ascii_case("url") || self.peek(0) != Some(b'(') {
            self.at = start;
            return None;
        }
        self.at += 1;
        let (written, is_function) = self.url();
        if is_function {
            self.skip_blank();
            self.at += usize::from(self.peek(0) == Some(b')'));
        }
        written
    }

    fn write_url(&mut self) {
        let (written, is_function) = self.url();
        let address = written.map(|written| self.judged(&written)).unwrap_or_default();
        self.out.push_str("url(");
        push_string(&address, self.out);
        match is_function {
            true => self.open.push(Open { closer: b')', takes_addresses: false }),
            false => self.out.push(')'),
        }
    }

    /// The address that is written, or nothing.
    fn judged(&self, written: &str) -> String {
        match self.namespace {
            true => NAMESPACES.iter().find(|&&known| known == written).copied().unwrap_or_default().to_owned(),
            false => self.judge.address(written).unwrap_or_default(),
        }
    }

    /// Reads what is behind `url(`: in quotes, up to the closing quote, when the function goes on; otherwise with the
    /// closing bracket. `None` for what is malformed.
    fn url(&mut self) -> (Option<Cow<'t, str>>, bool) {
        self.at += self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match self.peek(0) {
            Some(b'"' | b'\'') => (self.string(), true),
            _ => (self.bare_url(), false),
        }
    }

    fn bare_url(&mut self) -> Option<Cow<'t, str>> {
        let mut meant = String::new();
        let mut is_good = true;
        loop {
            match self.peek(0) {
                None => break,
                Some(b')') => {
                    self.at += 1;
                    break;
                }
                Some(b'\\') if self.is_escape_at(0) => meant.push(self.escape()),
                Some(byte) if byte.is_ascii_whitespace() => {
                    self.at += 1;
                    // Blanks are good before the end alone.
                    is_good &= self.peek(0).is_none_or(|next| next == b')' || next.is_ascii_whitespace());
                }
                Some(byte) => {
                    is_good &= !matches!(byte, b'"' | b'\'' | b'(' | b'\\' | 0..=8 | 0x0B | 0x0E..=0x1F | 0x7F);
                    let c = self.text[self.at..].chars().next().unwrap_or_default();
                    meant.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        is_good.then_some(Cow::Owned(meant))
    }

    // Strings.

    fn write_string(&mut self) {
        let start = self.at;
        let meant = self.string();
        let written = &self.text[start..self.at];
        let takes_addresses = self.open.last().is_some_and(|open| open.takes_addresses);
        match meant {
            Some(meant) if takes_addresses || self.namespace => push_string(&self.judged(&meant), self.out),
            Some(meant) => match is_closed(written) && self.is_good_as_written(written, &meant) {
                true => self.out.push_str(written),
                false => push_string(&self.judge.without_key(&meant), self.out),
            },
            None => self.out.push_str("\"\""),
        }
    }

    /// Reads a string: what it means, or `None` where a line ends in it.
    fn string(&mut self) -> Option<Cow<'t, str>> {
        let quote = self.peek(0)?;
        self.at += 1;
        let start = self.at;
        let mut meant = String::new();
        let mut done = start;
        loop {
            let rest = &self.text.as_bytes()[self.at..];
            let is_special = |&byte: &u8| byte == quote || matches!(byte, b'\\' | b'\n' | b'\r' | b'\x0C');
            self.at += rest.iter().position(is_special).unwrap_or(rest.len());
            let piece = &self.text[done..self.at];
            match self.peek(0) {
                Some(b'\\') => {
                    meant.push_str(piece);
                    self.escape_in_string(&mut meant);
                    done = self.at;
                }
                Some(byte) if byte != quote => return None,
                end => {
                    self.at += usize::from(end.is_some());
                    if done == start {
                        return Some(Cow::Borrowed(piece));
                    }
                    meant.push_str(piece);
                    return Some(Cow::Owned(meant));
                }
            }
        }
    }

    fn escape_in_string(&mut self, meant: &mut String) {
        match (self.peek(1), self.peek(2)) {
            (None, _) => self.at += 1,
            (Some(b'\r'), Some(b'\n')) => self.at += 3,
            (Some(b'\n' | b'\r' | b'\x0C'), _) => self.at += 2,
            _ => meant.push(self.escape()),
        }
    }
}

/// The namespaces that a page's style sheet can speak of.
const NAMESPACES: [&str; 3] =
    [crate::tree::HTML_NAMESPACE, super::elements::SVG_NAMESPACE, super::elements::MATHML_NAMESPACE];

/// Functions that take a string for an address.
fn takes_addresses(function: &str) -> bool {
    matches!(function, "src" | "image" | "image-set" | "-webkit-image-set" | "alphaimageloader")
}

/// Functions that browsers of old ran as script.
fn is_refused(function: &str) -> bool {
    function == "expression"
}

/// What may stand among addresses: nothing that could stand for a string that is written elsewhere, as `var()` can.
fn is_harmless_among_addresses(function: &str) -> bool {
    takes_addresses(function)
        || function.ends_with("-gradient")
        || matches!(function, "type" | "calc" | "cross-fade" | "-webkit-cross-fade" | "rgb" | "rgba" | "hsl" | "hsla")
}

/// Whether a string that was read ends with the quote that it begins with, which nothing escapes.
fn is_closed(written: &str) -> bool {
    let inside = written.as_bytes().get(1..written.len().saturating_sub(1)).unwrap_or_default();
    let backslashes = inside.iter().rev().take_while(|&&byte| byte == b'\\').count();
    written.len() > 1 && written.as_bytes().last() == written.as_bytes().first() && backslashes % 2 == 0
}

fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80
}

fn is_name_part(byte: u8) -> bool {
    is_name_start(byte) || byte.is_ascii_digit() || byte == b'-'
}

fn push_string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '<' => push_escape(c, out),
            _ if c.is_control() => push_escape(c, out),
            _ => out.push(c),
        }
    }
    out.push('"');
}

fn push_name(name: &str, out: &mut String) {
    for (at, c) in name.chars().enumerate() {
        match c {
            '0'..='9' if at == 0 => push_escape(c, out),
            _ if c == '_' || c == '-' || c.is_ascii_alphanumeric() || !c.is_ascii() => out.push(c),
            _ => push_escape(c, out),
        }
    }
}

fn push_escape(c: char, out: &mut String) {
    out.push_str(&format!("\\{:x} ", u32::from(c)));
}

#[cfg(test)]
mod tests;
