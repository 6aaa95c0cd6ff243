//! How is markup written? Text and values escaped, so that nothing in them is markup.

use std::fmt;

use crate::write::{Place, escape_html};

/// A view on its way out. What is gathered in the buffer goes out some thousand bytes at a time, so that a view, which may be
/// several times as large as its page, is never in memory as a whole.
pub struct Out<'o> {
    pub buffer: String,
    to: &'o mut dyn fmt::Write,
    is_taken: fmt::Result,
}

/// When a buffer goes out.
pub const PIECE: usize = 1 << 14;

impl<'o> Out<'o> {
    pub fn new(to: &'o mut dyn fmt::Write) -> Self {
        Out { buffer: String::with_capacity(2 * PIECE), to, is_taken: Ok(()) }
    }

    /// Lets the buffer go if it is full enough.
    pub fn pass(&mut self) {
        if self.buffer.len() >= PIECE {
            self.pass_all();
        }
    }

    fn pass_all(&mut self) {
        if self.is_taken.is_ok() {
            self.is_taken = self.to.write_str(&self.buffer);
        }
        self.buffer.clear();
    }

    /// Lets go of what is left; fails if anything was not taken.
    pub fn finish(mut self) -> fmt::Result {
        self.pass_all();
        self.is_taken
    }
}

/// A number in digits; there are several in every mark, and formatting them took longer than all else in it.
pub fn push_number(number: usize, out: &mut String) {
    const MOST_DIGITS: usize = 20;
    let mut digits = [0; MOST_DIGITS];
    let mut first = MOST_DIGITS;
    let mut rest = number;
    while rest > 0 || first == MOST_DIGITS {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.extend(digits[first..].iter().map(|&digit| char::from(digit)));
}

/// A text as character data.
pub fn push_text(text: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = escape_html(text, Place::Text, out);
}

/// A text as a value in double quotes.
pub fn push_value(text: &str, out: &mut String) {
    let _ = escape_html(text, Place::Attribute, out);
}

/// A text as character data or as a value in double quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_value(text, &mut out);
    out
}

/// A document as the value of `srcdoc`, where only the quote and the ampersand are not themselves.
pub fn push_document(document: &str, out: &mut String) {
    let mut done = 0;
    for at in memchr::memchr3_iter(b'&', b'"', b'\r', document.as_bytes()) {
        out.push_str(&document[done..at]);
        out.push_str(match document.as_bytes()[at] {
            b'&' => "&amp;",
            b'"' => "&quot;",
            _ => "&#13;",
        });
        done = at + 1;
    }
    out.push_str(&document[done..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_digits() {
        for number in [0, 7, 10, 199, 1_000, usize::MAX] {
            let mut out = String::new();
            push_number(number, &mut out);
            assert_eq!(out, number.to_string());
        }
    }
}
