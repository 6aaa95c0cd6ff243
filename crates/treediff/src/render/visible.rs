//! How does a text look on a line? Without control characters, with what the form escapes, and no longer than asked for.

use std::borrow::Cow;

pub use crate::write::{printable, push_visible};

/// What a text is in, which says what has to be written otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Character data: a row of white space is as good as a space.
    Text,
    /// A value in double quotes.
    Attribute,
    /// A comment, a processing instruction, a declaration.
    Verbatim,
    /// A JSON string in double quotes.
    Json,
}

/// Which end of a text is of interest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    First,
    Last,
    Both,
}

/// At most `len` characters of either end that is of interest, `…` for the others.
pub fn shortened(text: &str, len: usize, end: End) -> Cow<'_, str> {
    let ends = if end == End::Both { 2 } else { 1 };
    // A text cannot have more characters than bytes, and `…` takes the room of one.
    if text.len() <= ends * len || text.chars().nth(ends * len + 1).is_none() {
        return Cow::Borrowed(text);
    }
    let first = text.char_indices().nth(len).map_or(text, |(at, _)| &text[..at]);
    let last = match len.checked_sub(1) {
        None => "",
        Some(before) => text.char_indices().rev().nth(before).map_or(text, |(at, _)| &text[at..]),
    };
    match end {
        End::First => Cow::Owned(format!("{first}…")),
        End::Last => Cow::Owned(format!("…{last}")),
        End::Both => Cow::Owned(format!("{first}…{last}")),
    }
}

/// A text as it stands on a line.
pub fn written(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    match form {
        Form::Text if text.chars().all(char::is_whitespace) => push_white(text, &mut out),
        Form::Text => push_folded(text, &mut out),
        _ => text.chars().for_each(|character| push_escaped(character, form, &mut out)),
    }
    out
}

/// A changed piece of a text: here white space may be what changed.
pub fn written_change(text: &str, form: Form) -> String {
    let mut out = String::with_capacity(text.len());
    match text.chars().all(char::is_whitespace) {
        true => push_white(text, &mut out),
        false => text.chars().for_each(|character| push_escaped(character, form, &mut out)),
    }
    out
}

/// Nothing but white space: spaces that can be seen and counted.
fn push_white(text: &str, out: &mut String) {
    for character in text.chars() {
        if character == ' ' { out.push('␣') } else { out.extend(character.escape_default()) }
    }
}

/// Line breaks and the indentation behind them are how the text was laid out.
fn push_folded(text: &str, out: &mut String) {
    let mut is_blank = false;
    for character in text.chars() {
        let was_blank = std::mem::replace(&mut is_blank, matches!(character, ' ' | '\t' | '\r' | '\n'));
        match (was_blank, is_blank) {
            (true, true) => {}
            (false, true) => out.push(' '),
            _ => push_escaped(character, Form::Text, out),
        }
    }
}

fn push_escaped(character: char, form: Form, out: &mut String) {
    let replacement = match (form, character) {
        (Form::Text | Form::Attribute, '<') => "&lt;",
        (Form::Text | Form::Attribute, '&') => "&amp;",
        (Form::Attribute, '"') => "&quot;",
        (Form::Json, '"') => "\\\"",
        (Form::Json, '\\') => "\\\\",
        _ => return push_visible(character, out),
    };
    out.push_str(replacement);
}
