//! What of a style sheet is kept? All but what it loads from elsewhere, fonts, and the key.
//!
//! The text is cut into tokens by the rules of CSS Syntax, since only they say what is a `url(`: escapes may spell it,
//! strings and comments may hold something that looks like it. What is harmless is copied as it is. An address is
//! resolved, and emptied where it may not be loaded; a string counts as one behind `@import` and in the functions that
//! take it for one. Names and strings that hold the key lose it. Nothing stands as high as a mark that somebody went to, and
//! nothing stays where it is while the page is scrolled; what is pointed at looks no different once somebody went to a mark. What is
//! written never has a `<` that HTML could take for the beginning of a tag, and no string or address is left open.

mod tokens;

use std::borrow::Cow;

use tokens::{Tokens, is_closed};

/// What a style sheet may not do by itself: load, and speak of the key.
pub(super) trait Judge {
    /// The address of an image or sheet, made absolute; `None` where it may not be loaded.
    fn address(&self, written: &str) -> Option<String>;

    /// The text without the key; borrowed where it has none.
    fn without_key<'t>(&self, text: &'t str) -> Cow<'t, str>;

    /// The attribute by which a page is known where somebody went to a mark.
    fn still(&self) -> String;
}

/// Whether a text is the same once rewritten, as far as a glance tells.
pub(super) fn is_plain(text: &str) -> bool {
    !text.bytes().any(|byte| matches!(byte, b'\\' | b'(' | b'"' | b'\'' | b'<' | b'@' | b'/' | b'!'))
        && ![LAYER, "fixed", "sticky"].iter().any(|word| has_word(text, word))
}

fn has_word(text: &str, word: &str) -> bool {
    text.as_bytes().windows(word.len()).any(|found| found.eq_ignore_ascii_case(word.as_bytes()))
}

/// Writes a style sheet as it may be shown.
pub(super) fn write(text: &str, judge: &impl Judge, out: &mut String) {
    Rewriter::new(text, judge, false, out).run();
}

/// Writes the value of a style attribute as it may be shown. What is important there would win against any style sheet,
/// and so against the one of the marks: it loses its priority.
pub(super) fn write_declarations(text: &str, judge: &impl Judge, out: &mut String) {
    Rewriter::new(text, judge, true, out).run();
}

/// Stands for what is left out, so that names on both sides of it stay two. White space would not do: behind an escape
/// it is a part of it.
const APART: &str = "/**/";

/// How high something stands, by its property; and how high it may, since the mark that somebody went to is above it, and so are those
/// behind that one.
const LAYER: &str = "z-index";
const HIGHEST: u32 = i32::MAX as u32 - 2;

/// What closes an open bracket, and what strings in it are.
#[derive(Clone, Copy)]
struct Open {
    closer: u8,
    /// Whether a string right in it is an address.
    takes_addresses: bool,
    /// Whether it stands by itself, as around a condition, and not behind the name of a function.
    is_bare: bool,
}

struct Rewriter<'t, 'o, J> {
    tokens: Tokens<'t>,
    judge: &'o J,
    open: Vec<Open>,
    /// Between `@namespace` and its end, where addresses are names and nothing is loaded.
    namespace: bool,
    is_attribute: bool,
    /// How many brackets are open around a value that has a bound put around it.
    bounded: Option<usize>,
    out: &'o mut String,
}

impl<'t, 'o, J: Judge> Rewriter<'t, 'o, J> {
    fn new(text: &'t str, judge: &'o J, is_attribute: bool, out: &'o mut String) -> Self {
        let tokens = Tokens { text, at: 0 };
        Rewriter { tokens, judge, open: Vec::new(), namespace: false, is_attribute, bounded: None, out }
    }

    fn run(&mut self) {
        while let Some(byte) = self.tokens.peek(0) {
            if matches!(byte, b'!' | b';' | b'{' | b'}' | b')' | b']') {
                self.end_bound();
            }
            match byte {
                b'"' | b'\'' => self.write_string(),
                b'/' if self.tokens.peek(1) == Some(b'*') => {
                    self.tokens.skip_comment();
                    self.out.push_str(APART);
                }
                b'<' => self.write_less_than(),
                b'!' if self.is_attribute => self.leave_out_priority(),
                b'-' if self.tokens.rest().starts_with("-->") => self.replace(3, APART),
                b'@' if self.tokens.is_name_at(1) => self.at_rule(),
                b'#' if self.tokens.is_name_part_at(1) => self.copy_then_name(),
                b'0'..=b'9' => self.number(),
                _ if self.tokens.is_name_at(0) => self.name_or_function(),
                b'\\' => self.replace(1, APART),
                b'(' | b'[' | b'{' => self.bracket(byte),
                b')' | b']' | b'}' | b';' => self.end(byte),
                _ => self.copy_run(),
            }
        }
        self.end_bound();
    }

    fn replace(&mut self, len: usize, by: &str) {
        self.tokens.take(len);
        self.out.push_str(by);
    }

    /// A `!` and the name that belongs to it.
    fn leave_out_priority(&mut self) {
        self.replace(1, APART);
        self.tokens.skip_blank();
        if self.tokens.is_name_at(0) {
            self.tokens.name();
        }
    }

    /// Copies a character, and the white space behind it.
    fn copy_run(&mut self) {
        let rest = self.tokens.rest();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let blanks = rest[first..].bytes().take_while(u8::is_ascii_whitespace).count();
        self.out.push_str(self.tokens.take(first + blanks));
    }

    /// As in `(width < 40em)`; anything that could be a tag or a comment of HTML is none of CSS.
    fn write_less_than(&mut self) {
        if self.tokens.rest().starts_with("<!--") {
            return self.replace(4, APART);
        }
        let by = if matches!(self.tokens.peek(1), Some(b' ' | b'=' | b'0'..=b'9')) { "<" } else { "< " };
        self.replace(1, by);
    }

    fn bracket(&mut self, byte: u8) {
        let closer = match byte {
            b'(' => b')',
            b'[' => b']',
            _ => b'}',
        };
        self.open.push(Open { closer, takes_addresses: false, is_bare: true });
        self.namespace = false;
        self.copy_run();
    }

    /// A bracket that closes another than the last is no more than a character.
    fn end(&mut self, byte: u8) {
        self.open.pop_if(|open| open.closer == byte);
        self.namespace = false;
        self.copy_run();
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
        let (written, meant) = self.tokens.name();
        self.write_name(written, &meant);
    }

    /// A number and its unit, which is a part of it whatever it spells.
    fn number(&mut self) {
        self.out.push_str(self.tokens.number());
        self.unit();
    }

    fn unit(&mut self) {
        if self.tokens.is_name_at(0) {
            let (written, meant) = self.tokens.name();
            self.write_name(written, &meant);
        }
    }

    fn name_or_function(&mut self) {
        let is_behind_colon = self.is_behind_colon();
        let (written, meant) = self.tokens.name();
        if self.tokens.peek(0) != Some(b'(') {
            self.write_name(written, &meant);
            if meant.eq_ignore_ascii_case(LAYER) {
                self.layer();
            } else if meant.eq_ignore_ascii_case("position") {
                self.position();
            } else if is_behind_colon && meant.eq_ignore_ascii_case("hover") {
                self.pointed_at();
            }
            return;
        }
        self.tokens.take(1);
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
        self.open.push(Open { closer: b')', takes_addresses: takes_addresses(&function), is_bare: false });
    }

    /// What is behind the name of the property: a number that is not too high, or a bound around what is only known in the page.
    fn layer(&mut self) {
        let start = self.tokens.at;
        self.tokens.skip_blank();
        if self.tokens.peek(0) != Some(b':') {
            self.tokens.at = start;
            return;
        }
        self.tokens.take(1);
        self.out.push(':');
        self.tokens.skip_blank();
        if self.tokens.peek(0) == Some(b'+') {
            self.tokens.take(1);
        }
        let rest = self.tokens.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && rest[..digits].parse().is_ok_and(|layer: u32| layer <= HIGHEST) {
            return;
        }
        if digits > 0 {
            self.replace(digits, &HIGHEST.to_string());
            return self.unit();
        }
        let bound = format!("min({HIGHEST},");
        if self.tokens.is_function() && !rest.starts_with(&bound) {
            self.out.push_str(&bound);
            self.bounded = Some(self.open.len());
        }
    }

    /// What is behind the name of the property: where something would stay in the window, it is at its place in the page, and so is what
    /// is only known there. A class may have the name as well, and what is behind it is left as it is.
    fn position(&mut self) {
        let start = self.tokens.at;
        self.tokens.skip_blank();
        let is_declared = self.tokens.peek(0) == Some(b':');
        self.tokens.take(usize::from(is_declared));
        self.tokens.skip_blank();
        let placed = match is_declared && self.tokens.is_name_at(0) {
            true => placed(&self.tokens.name().1.to_ascii_lowercase(), self.tokens.peek(0) == Some(b'(')),
            false => None,
        };
        match placed {
            Some(placed) => {
                self.out.push(':');
                self.out.push_str(placed);
            }
            None => self.tokens.at = start,
        }
    }

    /// Whether what comes next may be the name of a pseudo-class, and is no value in an attribute or in a condition.
    fn is_behind_colon(&self) -> bool {
        let is_condition = self.open.last().is_some_and(|open| open.closer == b')' && open.is_bare);
        !self.is_attribute && !is_condition && self.out.trim_end_matches(APART).ends_with(':')
    }

    /// What is behind `:hover`: that nobody went to a mark, which could be covered or moved away by it. It weighs nothing, so that no
    /// other rule wins while nobody did.
    fn pointed_at(&mut self) {
        let still = self.judge.still();
        self.out.push_str(&format!(":where(:not([{still}],[{still}] *))"));
    }

    /// Closes the bound around a value, where it ends.
    fn end_bound(&mut self) {
        if self.bounded.is_some_and(|depth| depth >= self.open.len()) {
            self.out.push(')');
            self.bounded = None;
        }
    }

    fn at_rule(&mut self) {
        self.tokens.take(1);
        let (written, meant) = self.tokens.name();
        if meant.eq_ignore_ascii_case("import") {
            return self.import();
        }
        self.namespace = meant.eq_ignore_ascii_case("namespace");
        // A font may have letters that are empty, or others than those that are written; and it may make those of the reader's own
        // as small as it likes.
        if meant.eq_ignore_ascii_case("font-face") {
            return self.out.push_str("@refused ");
        }
        self.out.push('@');
        self.write_name(written, &meant);
    }

    /// A rule that is not known is passed over by browsers, and those behind it still count as the first.
    fn import(&mut self) {
        self.tokens.skip_blank();
        let written = match self.tokens.peek(0) {
            Some(b'"' | b'\'') => self.tokens.string(),
            _ if self.tokens.is_name_at(0) => self.imported_url(),
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
        let start = self.tokens.at;
        let (_, meant) = self.tokens.name();
        if !meant.eq_ignore_ascii_case("url") || self.tokens.peek(0) != Some(b'(') {
            self.tokens.at = start;
            return None;
        }
        self.tokens.take(1);
        let (written, is_function) = self.tokens.url();
        if is_function {
            self.tokens.skip_blank();
            self.tokens.take(usize::from(self.tokens.peek(0) == Some(b')')));
        }
        written
    }

    fn write_url(&mut self) {
        let (written, is_function) = self.tokens.url();
        let address = written.map(|written| self.judged(&written)).unwrap_or_default();
        self.out.push_str("url(");
        push_string(&address, self.out);
        match is_function {
            true => self.open.push(Open { closer: b')', takes_addresses: false, is_bare: false }),
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

    fn write_string(&mut self) {
        let start = self.tokens.at;
        let meant = self.tokens.string();
        let written = &self.tokens.text[start..self.tokens.at];
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

/// What stands for a position that would be kept in the window. What sticks has its place in the page, and most often at the edge, so
/// that it is moved by nothing where it does not stick.
fn placed(position: &str, is_function: bool) -> Option<&'static str> {
    match position {
        _ if is_function => (!is_of_selectors(position)).then_some("refused"),
        "fixed" => Some("absolute"),
        "sticky" | "-webkit-sticky" => Some("relative"),
        _ => None,
    }
}

/// Functions behind a colon that are of a selector, and not of a value.
fn is_of_selectors(function: &str) -> bool {
    function.starts_with("nth-")
        || matches!(
            function,
            "not"
                | "is"
                | "where"
                | "has"
                | "lang"
                | "dir"
                | "host"
                | "matches"
                | "-webkit-any"
                | "-moz-any"
                | "refused"
        )
}

/// What may stand among addresses: nothing that could stand for a string that is written elsewhere, as `var()` can.
fn is_harmless_among_addresses(function: &str) -> bool {
    takes_addresses(function)
        || function.ends_with("-gradient")
        || matches!(function, "type" | "calc" | "cross-fade" | "-webkit-cross-fade" | "rgb" | "rgba" | "hsl" | "hsla")
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
