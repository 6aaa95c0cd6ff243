//! Which token comes next in a style sheet? Names, strings and addresses by the rules of CSS Syntax, which has an answer
//! to any text.

use std::borrow::Cow;

/// A place in a style sheet.
pub(super) struct Tokens<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Reads so many bytes.
    pub(super) fn take(&mut self, len: usize) -> &'t str {
        let taken = &self.text[self.at..self.at + len];
        self.at += len;
        taken
    }

    /// Reads digits, and those behind a point.
    pub(super) fn number(&mut self) -> &'t str {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let rest = self.rest();
        let whole = digits(rest);
        match rest[whole..].strip_prefix('.').map_or(0, digits) {
            0 => self.take(whole),
            decimals => self.take(whole + 1 + decimals),
        }
    }

    pub(super) fn skip_comment(&mut self) {
        let inside = self.at + 2;
        self.at = self.text[inside..].find("*/").map_or(self.text.len(), |len| inside + len + 2);
    }

    pub(super) fn skip_blank(&mut self) {
        loop {
            match self.peek(0) {
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(b'/') if self.peek(1) == Some(b'*') => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// Whether a name begins here.
    pub(super) fn is_name_at(&self, ahead: usize) -> bool {
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

    /// Whether a function begins here.
    pub(super) fn is_function(&self) -> bool {
        let mut ahead = Tokens { text: self.text, at: self.at };
        if self.is_name_at(0) {
            ahead.name();
        }
        ahead.at > self.at && ahead.peek(0) == Some(b'(')
    }

    pub(super) fn is_name_part_at(&self, ahead: usize) -> bool {
        self.peek(ahead).is_some_and(is_name_part) || self.is_escape_at(ahead)
    }

    fn is_escape_at(&self, ahead: usize) -> bool {
        self.peek(ahead) == Some(b'\\') && !matches!(self.peek(ahead + 1), Some(b'\n' | b'\r' | b'\x0C'))
    }

    /// Reads name characters: as written, and what they mean.
    pub(super) fn name(&mut self) -> (&'t str, Cow<'t, str>) {
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

    /// Reads what is behind `url(`: in quotes, up to the closing quote, when the function goes on; otherwise with the
    /// closing bracket. `None` for what is malformed.
    pub(super) fn url(&mut self) -> (Option<Cow<'t, str>>, bool) {
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

    /// Reads a string: what it means, or `None` where a line ends in it.
    pub(super) fn string(&mut self) -> Option<Cow<'t, str>> {
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

/// Whether a string that was read ends with the quote that it begins with, which nothing escapes.
pub(super) fn is_closed(written: &str) -> bool {
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
