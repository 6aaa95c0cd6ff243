//! Which characters come next in a selector? Names, strings and escapes, by the rules of CSS Syntax.

use super::super::SelectError;
use super::super::error::{Place, found_at};

pub(super) struct Scanner<'s> {
    source: &'s str,
    pub(super) at: usize,
}

impl<'s> Scanner<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Scanner { source, at: 0 }
    }

    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += character.len_utf8();
        Some(character)
    }

    pub(super) fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    pub(super) fn take(&mut self, text: &str) -> bool {
        let found = self.starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// Skips white space and comments; whether there was white space.
    pub(super) fn skip_space(&mut self) -> Result<bool, SelectError> {
        let mut blank = false;
        loop {
            if self.peek().is_some_and(|character| character.is_ascii_whitespace()) {
                self.bump();
                blank = true;
            } else if self.take("/*") {
                let Some(len) = self.rest().find("*/") else {
                    self.at = self.source.len();
                    return Err(self.error("`*/`"));
                };
                self.at += len + 2;
            } else {
                return Ok(blank);
            }
        }
    }

    /// Whether a name starts here.
    pub(super) fn at_name(&self) -> bool {
        let mut ahead = self.rest().chars();
        match (ahead.next(), ahead.next(), ahead.next()) {
            (Some('-'), Some('-'), _) => true,
            (Some('-'), Some('\\'), after) => is_escaped(after),
            (Some('-'), Some(second), _) => is_name_start(second),
            (Some('\\'), second, _) => is_escaped(second),
            (Some(first), ..) => is_name_start(first),
            _ => false,
        }
    }

    pub(super) fn name(&mut self, expected: &str) -> Result<String, SelectError> {
        if self.at_name() { Ok(self.name_characters()) } else { Err(self.error(expected)) }
    }

    /// Name characters, which may start with a digit, as behind `#`.
    pub(super) fn name_characters(&mut self) -> String {
        let mut name = String::new();
        while let Some(character) = self.peek() {
            if is_name_part(character) {
                name.push(character);
                self.bump();
            } else if character == '\\' && is_escaped(self.rest().chars().nth(1)) {
                self.bump();
                name.push(self.escape());
            } else {
                break;
            }
        }
        name
    }

    /// A string in quotes, or a name.
    pub(super) fn string_or_name(&mut self) -> Result<String, SelectError> {
        match self.peek() {
            Some(quote @ ('"' | '\'')) => self.string(quote),
            _ => self.name("a string or a name"),
        }
    }

    fn string(&mut self, quote: char) -> Result<String, SelectError> {
        self.bump();
        let mut text = String::new();
        loop {
            match self.peek() {
                Some('\\') => {
                    self.bump();
                    match self.peek() {
                        Some('\n' | '\r' | '\u{c}') => self.skip_line_end(),
                        Some(_) => text.push(self.escape()),
                        None => {}
                    }
                }
                Some('\n' | '\r' | '\u{c}') | None => return Err(self.error(&format!("a closing `{quote}`"))),
                Some(character) => {
                    self.bump();
                    if character == quote {
                        return Ok(text);
                    }
                    text.push(character);
                }
            }
        }
    }

    /// Skips what stands between the parentheses of a function that is not known.
    pub(super) fn skip_arguments(&mut self) -> Result<(), SelectError> {
        let mut depth = 0usize;
        loop {
            match self.peek() {
                Some(quote @ ('"' | '\'')) => drop(self.string(quote)?),
                Some(')') if depth == 0 => return Ok(()),
                None => return Err(self.error("`)`")),
                Some(character) => {
                    self.bump();
                    match character {
                        '(' => depth += 1,
                        ')' => depth -= 1,
                        '\\' => drop(self.bump()),
                        _ => {}
                    }
                }
            }
        }
    }

    fn skip_line_end(&mut self) {
        if !self.take("\r\n") {
            self.bump();
        }
    }

    /// What stands behind a backslash: up to six hexadecimal digits and a blank, or any character.
    fn escape(&mut self) -> char {
        let digits = self.rest().bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if digits == 0 {
            return self.bump().unwrap_or(char::REPLACEMENT_CHARACTER);
        }
        let code = u32::from_str_radix(&self.rest()[..digits], 16).unwrap_or(0);
        self.at += digits;
        if self.peek().is_some_and(|character| character.is_ascii_whitespace()) {
            self.skip_line_end();
        }
        char::from_u32(code).filter(|&character| character != '\0').unwrap_or(char::REPLACEMENT_CHARACTER)
    }

    /// Digits, as far as they fit.
    pub(super) fn digits(&mut self) -> Option<i64> {
        let len = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        let digits = &self.rest()[..len];
        self.at += len;
        (len > 0).then(|| digits.parse().unwrap_or(i64::from(u32::MAX)))
    }

    pub(super) fn place(&self, offset: usize) -> Place {
        Place::of(self.source, offset)
    }

    pub(super) fn error(&self, expected: &str) -> SelectError {
        SelectError::Syntax {
            at: self.place(self.at),
            found: found_at(self.source, self.at),
            expected: expected.to_owned(),
        }
    }
}

/// Whether a backslash before this starts an escape.
fn is_escaped(behind: Option<char>) -> bool {
    !matches!(behind, None | Some('\n' | '\r' | '\u{c}'))
}

fn is_name_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_' || !character.is_ascii()
}

fn is_name_part(character: char) -> bool {
    is_name_start(character) || character.is_ascii_digit() || character == '-'
}
