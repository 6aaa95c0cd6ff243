//! How does JSON become a document? By RFC 8259, in one pass with a stack of its own.
//!
//! Every value is one node; a member's key is its name. The span of a string leaves its quotes out, the span of an
//! object or array goes from bracket to bracket. With [`Options::recover`] what people write by hand is read over and
//! listed: comments, trailing and missing commas, single quotes, words without quotes (which become strings), control
//! characters, unknown escapes, a source that ends too early. A key that is there twice in one object is an error;
//! when recovering both members are kept, in the order of the source.

mod keys;
mod string;

pub(crate) use string::decode_string;

use std::borrow::Cow;

use encoding_rs::UTF_8;

use self::keys::KeyCache;
use super::issue::Issues;
use super::{Options, ParseError, Parsed, Position, Whitespace, encoding};
use crate::tree::{Builder, Format, Kind, Label, NameId, Parts, Span, TextRun, hash};

/// Parses JSON.
///
/// The source is UTF-8, or UTF-16 by its byte order mark or its first two bytes, or what [`Options::encoding`] says.
///
/// ```
/// use treediff::parse::{self, Options};
///
/// let order = parse::json(br#"{"id": 7, "lines": ["tea", "milk"]}"#, &Options::default())?.document;
/// let lines = order.root_element().unwrap().children().find(|member| member.name().local == "lines").unwrap();
/// assert_eq!(lines.first_child().unwrap().value(), "tea");
///
/// let error = parse::json(b"[1, 2,]", &Options::default()).unwrap_err();
/// assert_eq!(error.to_string(), "line 1, column 7: found `]`, expected a value");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn json(source: impl Into<Vec<u8>>, options: &Options) -> Result<Parsed, ParseError> {
    let mut issues = Issues::new(options.recover, options.limits.max_issues);
    let decoded = encoding::read(source.into(), options, &mut issues, |source, issues| match &options.encoding {
        Some(label) => encoding::known(label, 0, source, issues),
        None => Ok(encoding::unmarked_utf16(source).unwrap_or(UTF_8)),
    })?;
    let text = checked(decoded.bytes, &mut issues)?;
    let mut parser = Parser::new(&text, options, issues);
    parser.document()?;
    let Parser { builder, issues, .. } = parser;
    let issues = issues.into_list(text.as_bytes());
    let parts = Parts {
        format: Format::Json,
        encoding: decoded.encoding,
        has_byte_order_mark: decoded.has_byte_order_mark,
        original: decoded.original,
        source_len: text.len() as u32,
        text,
        doctype: None,
        id_attributes: Vec::new(),
    };
    Ok(Parsed { document: builder.finish(parts), issues })
}

fn checked(bytes: Vec<u8>, issues: &mut Issues) -> Result<String, ParseError> {
    String::from_utf8(bytes).or_else(|error| {
        let place = error.utf8_error().valid_up_to();
        issues.complain(error.as_bytes(), place, encoding::not_encoded_as("UTF-8"))?;
        Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
    })
}

/// The state of one pass over a source.
struct Parser<'s> {
    text: &'s str,
    bytes: &'s [u8],
    at: usize,
    builder: Builder,
    /// The objects and arrays around `at`.
    open: Vec<Container>,
    /// The keys of the open objects, each object owning the tail from its own start.
    keys: Vec<Key>,
    key_cache: KeyCache,
    /// For every name the last object that had it as a key.
    last_object_with: Vec<u32>,
    objects_closed: u32,
    options: &'s Options,
    issues: Issues,
}

#[derive(Clone, Copy)]
struct Container {
    is_object: bool,
    has_items: bool,
    keys_from: u32,
}

impl Container {
    fn closer(self) -> u8 {
        if self.is_object { b'}' } else { b']' }
    }

    fn expected_first(self) -> &'static str {
        if self.is_object { "a key in quotes or `}`" } else { "a value or `]`" }
    }

    fn expected_next(self) -> &'static str {
        if self.is_object { "a key in quotes" } else { "a value" }
    }

    fn expected_behind(self) -> &'static str {
        if self.is_object { "`,` or `}`" } else { "`,` or `]`" }
    }
}

#[derive(Clone, Copy)]
struct Key {
    name: NameId,
    start: u32,
}

impl<'s> Parser<'s> {
    fn new(text: &'s str, options: &'s Options, issues: Issues) -> Self {
        Parser {
            text,
            bytes: text.as_bytes(),
            at: 0,
            // A value and what separates it from the next take about this much.
            builder: Builder::new(Whitespace::Exact, text.len() / 12, 0),
            open: Vec::new(),
            keys: Vec::new(),
            key_cache: KeyCache::new(),
            last_object_with: Vec::new(),
            objects_closed: 0,
            options,
            issues,
        }
    }

    fn document(&mut self) -> Result<(), ParseError> {
        self.value(NameId::NONE, "a value")?;
        while let Some(&container) = self.open.last() {
            self.skip_blanks()?;
            match self.peek() {
                Some(byte) => self.item(container, byte)?,
                None => self.close_all(container)?,
            }
        }
        self.skip_blanks()?;
        if self.at < self.bytes.len() {
            self.trouble(self.at, |parser| format!("found {}, expected the end of the source", parser.found()))?;
        }
        Ok(())
    }

    /// What comes next in a container: its end, or the comma and the next item.
    #[inline]
    fn item(&mut self, container: Container, byte: u8) -> Result<(), ParseError> {
        if byte == container.closer() {
            self.at += 1;
            return self.close(container);
        }
        let mut expected = container.expected_first();
        if container.has_items {
            expected = container.expected_next();
            match byte {
                b',' => {
                    self.at += 1;
                    self.skip_blanks()?;
                }
                b']' | b'}' => expected = container.expected_behind(),
                _ => self.missing_comma(container)?,
            }
        }
        if let Some(container) = self.open.last_mut() {
            container.has_items = true;
        }
        match self.peek() {
            Some(b']' | b'}') => self.wrong_closer(container, expected),
            _ if container.is_object => self.member(expected),
            _ => self.value(NameId::NONE, expected),
        }
    }

    #[cold]
    fn missing_comma(&mut self, container: Container) -> Result<(), ParseError> {
        let expected = container.expected_behind();
        self.trouble(self.at, |parser| format!("found {}, expected {expected}", parser.found()))
    }

    /// A bracket behind a comma, or one of the other kind: when recovering, it closes the container.
    #[cold]
    fn wrong_closer(&mut self, container: Container, expected: &'static str) -> Result<(), ParseError> {
        self.trouble(self.at, |parser| format!("found {}, expected {expected}", parser.found()))?;
        self.at += 1;
        self.close(container)
    }

    /// The source ends within `innermost`: when recovering, this closes everything.
    #[cold]
    fn close_all(&mut self, innermost: Container) -> Result<(), ParseError> {
        let expected = if innermost.has_items { innermost.expected_behind() } else { innermost.expected_first() };
        self.trouble(self.at, |_| format!("found the end of the source, expected {expected}"))?;
        while let Some(&container) = self.open.last() {
            self.close(container)?;
        }
        Ok(())
    }

    fn close(&mut self, container: Container) -> Result<(), ParseError> {
        self.builder.close(self.at as u32);
        self.open.pop();
        if container.is_object { self.check_keys(container) } else { Ok(()) }
    }

    /// Whether a key of the closed object is there twice. All keys of an object are looked at together, when the
    /// objects within it are done, so one number a name suffices.
    fn check_keys(&mut self, container: Container) -> Result<(), ParseError> {
        self.objects_closed += 1;
        self.last_object_with.resize(self.builder.names.len(), 0);
        for at in container.keys_from as usize..self.keys.len() {
            let key = self.keys[at];
            let last = &mut self.last_object_with[key.name.index()];
            if std::mem::replace(last, self.objects_closed) == self.objects_closed {
                self.repeated_key(key)?;
            }
        }
        self.keys.truncate(container.keys_from as usize);
        Ok(())
    }

    #[cold]
    fn repeated_key(&mut self, key: Key) -> Result<(), ParseError> {
        self.trouble(key.start as usize, |parser| {
            let name = parser.builder.names.get(key.name).local;
            format!("found the key `{}` twice in one object", shortened(name))
        })
    }

    fn member(&mut self, expected: &'static str) -> Result<(), ParseError> {
        let start = self.at;
        let Some(name) = self.key(expected)? else { return Ok(()) };
        self.keys.push(Key { name, start: start as u32 });
        self.skip_blanks()?;
        if self.peek() == Some(b':') {
            self.at += 1;
        } else {
            self.trouble(self.at, |parser| format!("found {}, expected `:` behind the key", parser.found()))?;
        }
        self.value(name, "a value")
    }

    /// A member's key; `None` where there is none and what stands there was read over.
    #[inline]
    fn key(&mut self, expected: &'static str) -> Result<Option<NameId>, ParseError> {
        let span = match self.peek() {
            Some(quote @ b'"') => Some(self.quoted(quote)?),
            _ => self.odd_key(expected)?,
        };
        let Some(span) = span else { return Ok(None) };
        if span.is_encoded() {
            return Ok(Some(self.builder.names.intern("", &self.decoded(span))));
        }
        let (names, written) = (&mut self.builder.names, &self.text[span.range()]);
        let name = self.key_cache.name(self.bytes, span.start() as usize, written.len(), || names.intern("", written));
        Ok(Some(name))
    }

    #[cold]
    fn odd_key(&mut self, expected: &'static str) -> Result<Option<Span>, ParseError> {
        self.trouble(self.at, |parser| format!("found {}, expected {expected}", parser.found()))?;
        match self.peek() {
            Some(quote @ b'\'') => self.quoted(quote).map(Some),
            Some(b'{' | b'[') => self.value(NameId::NONE, expected).map(|()| None),
            Some(b',') | None => Ok(None),
            Some(b':') => {
                self.at += 1;
                Ok(None)
            }
            Some(_) => Ok(Some(self.word())),
        }
    }

    #[inline(always)]
    fn decoded(&self, span: Span) -> Cow<'s, str> {
        let written = &self.text[span.range()];
        if span.is_encoded() { Cow::Owned(decode_string(written)) } else { Cow::Borrowed(written) }
    }

    /// A value of any kind. Where there is none, and this is read over, only a stray `:` is consumed.
    #[inline]
    fn value(&mut self, name: NameId, expected: &'static str) -> Result<(), ParseError> {
        self.skip_blanks()?;
        match self.peek() {
            Some(quote @ b'"') => {
                let span = self.quoted(quote)?;
                self.leaf(Label::new(Kind::String, name), span)
            }
            Some(byte @ (b'{' | b'[')) => self.container(byte == b'{', name),
            Some(b't' | b'f' | b'n' | b'-' | b'0'..=b'9') => self.literal_or_number(name, expected),
            _ => self.no_value(name, expected),
        }
    }

    fn container(&mut self, is_object: bool, name: NameId) -> Result<(), ParseError> {
        self.check_nodes(self.at)?;
        let limit = self.options.limits.max_depth;
        if self.builder.depth() > limit {
            return Err(self.limit("levels of nesting", limit, "--max-depth", self.at));
        }
        let kind = if is_object { Kind::Object } else { Kind::Array };
        self.builder.open(Label::new(kind, name), self.at as u32, None);
        self.at += 1;
        self.open.push(Container { is_object, has_items: false, keys_from: self.keys.len() as u32 });
        Ok(())
    }

    #[inline(always)]
    fn leaf(&mut self, label: Label, span: Span) -> Result<(), ParseError> {
        self.check_nodes(span.start() as usize)?;
        let hash = hash::bytes(self.decoded(span).as_bytes());
        self.builder.leaf(label, TextRun { span, hash, is_blank: false, origin: None });
        Ok(())
    }

    #[inline(always)]
    fn literal_or_number(&mut self, name: NameId, expected: &'static str) -> Result<(), ParseError> {
        let rest = &self.bytes[self.at..];
        let (kind, len) = match rest[0] {
            b't' => (Kind::Literal, literal_len(rest, b"true")),
            b'f' => (Kind::Literal, literal_len(rest, b"false")),
            b'n' => (Kind::Literal, literal_len(rest, b"null")),
            _ => (Kind::Number, number_len(rest)),
        };
        match rest.get(len) {
            Some(&behind) if !ends_word(behind) => self.no_value(name, expected),
            _ if len == 0 => self.no_value(name, expected),
            _ => {
                let span = Span::plain(self.at as u32, (self.at + len) as u32);
                self.at += len;
                self.leaf(Label::new(kind, name), span)
            }
        }
    }

    /// Something that is no JSON value, or nothing at all.
    #[cold]
    fn no_value(&mut self, name: NameId, expected: &'static str) -> Result<(), ParseError> {
        self.trouble(self.at, |parser| format!("found {}, expected {expected}", parser.found()))?;
        let span = match self.peek() {
            None | Some(b',' | b'}' | b']') => return Ok(()),
            Some(b':') => {
                self.at += 1;
                return Ok(());
            }
            Some(quote @ b'\'') => self.quoted(quote)?,
            Some(_) => self.word(),
        };
        self.leaf(Label::new(Kind::String, name), span)
    }

    /// A string in quotes, without them.
    #[inline]
    fn quoted(&mut self, quote: u8) -> Result<Span, ParseError> {
        let start = self.at + 1;
        let mut is_encoded = false;
        self.at = string::plain_end(self.bytes, start, quote);
        loop {
            match self.peek() {
                Some(byte) if byte == quote => break,
                Some(b'\\') => {
                    is_encoded = true;
                    self.escape()?;
                }
                Some(_) => self.control_character()?,
                None => {
                    self.trouble(start - 1, |_| "the string that starts here has no end".to_owned())?;
                    return Ok(Span::new(start as u32, self.at as u32, is_encoded));
                }
            }
            self.at = string::plain_end(self.bytes, self.at, quote);
        }
        self.at += 1;
        Ok(Span::new(start as u32, self.at as u32 - 1, is_encoded))
    }

    fn escape(&mut self) -> Result<(), ParseError> {
        let start = self.at;
        let escape = string::Escape::at(self.bytes, start);
        self.at += escape.len();
        match escape.flaw() {
            Some(flaw) => self.trouble(start, |_| flaw.to_owned()),
            None => Ok(()),
        }
    }

    #[cold]
    fn control_character(&mut self) -> Result<(), ParseError> {
        self.trouble(self.at, |parser| format!("found {} in a string, expected it as an escape", parser.found()))?;
        self.at += 1;
        Ok(())
    }

    /// Whatever stands up to the next blank, quote or sign of punctuation; at least one character.
    fn word(&mut self) -> Span {
        let start = self.at;
        self.at += word_len(&self.text[start..]);
        Span::plain(start as u32, self.at as u32)
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline(always)]
    fn skip_blanks(&mut self) -> Result<(), ParseError> {
        // Between tokens there is mostly nothing, one space, or a line end and its indentation.
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
        if self.peek() == Some(b'/') { self.skip_comments() } else { Ok(()) }
    }

    #[cold]
    fn skip_comments(&mut self) -> Result<(), ParseError> {
        while let Some(len) = comment_len(&self.bytes[self.at..]) {
            self.trouble(self.at, |_| "found a comment, which JSON does not have".to_owned())?;
            self.at += len;
            while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
                self.at += 1;
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn check_nodes(&self, start: usize) -> Result<(), ParseError> {
        let limit = self.options.limits.max_nodes;
        if self.builder.len() < limit { Ok(()) } else { Err(self.limit("nodes", limit, "--max-nodes", start)) }
    }

    #[cold]
    fn limit(&self, what: &'static str, limit: usize, option: &'static str, offset: usize) -> ParseError {
        ParseError::Limit { what, limit, option, position: Some(Position::of(self.bytes, offset)) }
    }

    #[cold]
    fn trouble(&mut self, offset: usize, message: impl FnOnce(&Self) -> String) -> Result<(), ParseError> {
        if self.issues.is_full() {
            self.issues.count();
            return Ok(());
        }
        let message = message(self);
        self.issues.complain(self.bytes, offset, message)
    }

    /// What stands at this place, for people; no more of it is read than they see.
    fn found(&self) -> String {
        let rest = &self.text[self.at..];
        match rest.chars().next() {
            None => "the end of the source".to_owned(),
            Some(other) if other.is_control() => format!("U+{:04X}", other as u32),
            Some('"') => "a string".to_owned(),
            Some(sign @ (',' | ':' | '[' | ']' | '{' | '}')) => format!("`{sign}`"),
            Some(_) => format!("`{}`", shortened(&rest[..word_len(start_of(rest))])),
        }
    }
}

/// How many characters of a name or word a message has.
const SHOWN: usize = 30;

fn shortened(text: &str) -> String {
    crate::text::shortened(text, SHOWN)
}

/// As much of a text as decides what is shown of it.
fn start_of(text: &str) -> &str {
    let end = text.char_indices().nth(SHOWN + 1).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

/// The length of the word at the start: at least one character.
fn word_len(text: &str) -> usize {
    let first = text.chars().next().map_or(0, char::len_utf8);
    first + text.bytes().skip(first).position(ends_word).unwrap_or(text.len() - first)
}

#[inline(always)]
fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b',' | b':' | b'[' | b']' | b'{' | b'}' | b'"')
}

#[inline(always)]
fn literal_len(bytes: &[u8], literal: &[u8]) -> usize {
    if bytes.starts_with(literal) { literal.len() } else { 0 }
}

/// The length of the number at the start, 0 where there is none.
#[inline]
fn number_len(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut len = usize::from(bytes[0] == b'-');
    let whole = digits(len);
    if whole == 0 || (whole > 1 && bytes[len] == b'0') {
        return 0;
    }
    len += whole;
    if bytes.get(len) == Some(&b'.') {
        let fraction = digits(len + 1);
        len += if fraction == 0 { return 0 } else { 1 + fraction };
    }
    if let Some(b'e' | b'E') = bytes.get(len) {
        len += 1 + usize::from(matches!(bytes.get(len + 1), Some(b'+' | b'-')));
        let exponent = digits(len);
        len += if exponent == 0 { return 0 } else { exponent };
    }
    len
}

/// The length of the comment at the start, if there is one; one without an end goes to the end of the source.
fn comment_len(bytes: &[u8]) -> Option<usize> {
    let end = match bytes {
        [b'/', b'/', ..] => memchr::memchr(b'\n', bytes),
        [b'/', b'*', rest @ ..] => memchr::memmem::find(rest, b"*/").map(|at| at + 4),
        _ => return None,
    };
    Some(end.unwrap_or(bytes.len()))
}

#[cfg(test)]
mod tests;
