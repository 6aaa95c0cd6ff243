//! What comes next in the source? Tags, texts, comments and the doctype, as ranges of it.
//!
//! The states of the standard that only pass characters on are searches here: a text is found by its end, an
//! attribute value by its quote. Nothing is copied and no reference decoded; a text says in what [`Form`] it stands.

use super::character_references;
use super::doctype::{self, Doctype};
use super::names::{RecentNames, TagName, TagNames, lower_into, rolling_hash, tag};
use super::problems::Problems;
use crate::tree::{NameId, Names, Span};

/// A token, as a range of the source.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token {
    Text(Text),
    /// A NUL among text, by its offset; what becomes of it depends on where it is.
    Null(u32),
    Start(Tag),
    End(Tag),
    Comment(Text),
    Doctype(Doctype),
    Eof,
}

/// A start or end tag; the attributes are with the tokenizer until the next token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) name: TagName,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) self_closing: bool,
}

/// A text or comment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) form: Form,
}

/// How a text stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// As it is, and without any `&`.
    Plain,
    /// With character references, carriage returns, or NULs that are to be replaced.
    References,
    /// As it is; an `&` is just that.
    Verbatim,
    /// As it is but for carriage returns and NULs.
    Cleanable,
}

impl Text {
    /// Takes in a text that follows in the source and can be read in one with this one; says whether it could.
    pub(super) fn extend(&mut self, next: Text) -> bool {
        use Form::{Plain, References};
        let form = match (self.form, next.form) {
            (Plain, Plain) => Plain,
            (Plain | References, Plain | References) => References,
            (one, other) if one == other => one,
            _ => return false,
        };
        if self.end != next.start {
            return false;
        }
        (self.end, self.form) = (next.end, form);
        true
    }

    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The white space at the start, and the rest.
    pub(super) fn split_blank(self, source: &str) -> (Option<Text>, Option<Text>) {
        let middle = self.start + character_references::blank_prefix(&source[self.range()]) as u32;
        let piece = |start, end| (start < end).then_some(Text { start, end, form: self.form });
        (piece(self.start, middle), piece(middle, self.end))
    }
}

/// An attribute as written.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawAttribute {
    pub(super) name: NameId,
    pub(super) value: Span,
}

/// What the tree builder says of the content that follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Content {
    Data,
    /// Text with references up to the end tag of this name.
    Rcdata(TagName),
    /// Text without references up to the end tag of this name.
    RawText(TagName),
    Script,
    PlainText,
    /// A CDATA section up to `end`; what follows it starts at `behind`.
    Cdata {
        end: usize,
        behind: usize,
    },
}

/// A tag has more attributes than the limits allow.
#[derive(Debug, Clone, Copy)]
pub(super) struct TooManyAttributes {
    pub(super) offset: usize,
}

/// Reads tokens off a source.
#[derive(Debug)]
pub(super) struct Tokenizer<'s> {
    text: &'s str,
    source: &'s [u8],
    position: usize,
    /// The last `<` that was looked for in a source that is not clean, so that texts cut by NULs do not look for it again.
    next_markup: usize,
    content: Content,
    /// Whether there is no NUL and no carriage return in the whole source, as in nearly all.
    is_clean: bool,
    pub(super) tags: TagNames,
    pub(super) attribute_names: Names,
    recent_names: RecentNames,
    pub(super) attributes: Vec<RawAttribute>,
    /// The number of the tag that each attribute name was last seen in.
    seen_in: Vec<u32>,
    tag_number: u32,
    max_attributes: usize,
    scratch: String,
    pub(super) problems: Problems,
}

impl<'s> Tokenizer<'s> {
    pub(super) fn new(text: &'s str, max_attributes: usize, max_issues: usize) -> Self {
        let source = text.as_bytes();
        Tokenizer {
            text,
            source,
            position: 0,
            next_markup: memchr::memchr(b'<', source).unwrap_or(source.len()),
            content: Content::Data,
            is_clean: memchr::memchr2(0, b'\r', source).is_none(),
            tags: TagNames::new(),
            attribute_names: Names::new(),
            recent_names: RecentNames::new(),
            attributes: Vec::new(),
            seen_in: Vec::new(),
            tag_number: 0,
            max_attributes,
            scratch: String::new(),
            problems: Problems::new(max_issues),
        }
    }

    pub(super) fn source(&self) -> &'s str {
        self.text
    }

    /// Says how to read what follows the start tag that was just given.
    pub(super) fn set_content(&mut self, content: Content) {
        self.content = content;
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.source.get(self.position + ahead).copied()
    }

    /// The next token; `in_foreign` says whether the current node is of SVG or MathML.
    #[inline]
    pub(super) fn next(&mut self, in_foreign: bool) -> Result<Token, TooManyAttributes> {
        if self.content != Content::Data
            && let Some(token) = self.raw()
        {
            return Ok(token);
        }
        loop {
            match self.peek(0) {
                None => return Ok(Token::Eof),
                Some(b'<') => {
                    if let Some(token) = self.markup(in_foreign)? {
                        return Ok(token);
                    }
                }
                Some(_) => return Ok(self.data(self.position)),
            }
        }
    }

    /// Text up to the next `<`, which is looked for from `search` on.
    #[inline(always)]
    fn data(&mut self, search: usize) -> Token {
        if self.is_clean { self.clean_data(search) } else { self.odd_data(search) }
    }

    /// The same in a clean source: for most texts one search finds their end, and that there is nothing to decode.
    #[inline(always)]
    fn clean_data(&mut self, search: usize) -> Token {
        let rest = self.source.get(search..).unwrap_or_default();
        let (found, form) = match memchr::memchr2(b'<', b'&', rest) {
            Some(at) if rest[at] == b'&' => (self.find(b'<', search + at), Form::References),
            found => (found.map(|at| search + at), Form::Plain),
        };
        let start = self.position;
        self.position = found.unwrap_or(self.source.len());
        Token::Text(self.piece(start, self.position, form))
    }

    #[inline(never)]
    fn odd_data(&mut self, search: usize) -> Token {
        let start = self.position;
        if self.next_markup < search {
            self.next_markup = self.find(b'<', search).unwrap_or(self.source.len());
        }
        let mut end = self.next_markup;
        let run = &self.source[start..end];
        let mut form = Form::Plain;
        for at in memchr::memchr3_iter(b'&', b'\r', 0, run) {
            if run[at] == 0 {
                end = start + at;
                break;
            }
            form = Form::References;
        }
        if start == end {
            self.problems.token(start, "unexpected-null-character");
            self.position += 1;
            return Token::Null(start as u32);
        }
        self.position = end;
        Token::Text(self.piece(start, end, form))
    }

    #[inline(always)]
    fn find(&self, byte: u8, from: usize) -> Option<usize> {
        Some(from + memchr::memchr(byte, self.source.get(from..)?)?)
    }

    #[inline(always)]
    fn piece(&self, start: usize, end: usize, form: Form) -> Text {
        Text { start: start as u32, end: end as u32, form }
    }

    /// A piece that is taken as it is.
    fn verbatim(&self, start: usize, end: usize) -> Text {
        let is_odd = !self.is_clean && memchr::memchr2(0, b'\r', &self.source[start..end]).is_some();
        self.piece(start, end, if is_odd { Form::Cleanable } else { Form::Verbatim })
    }

    /// What a `<` starts; `None` where it is nothing and left out.
    #[inline(always)]
    fn markup(&mut self, in_foreign: bool) -> Result<Option<Token>, TooManyAttributes> {
        let start = self.position;
        match self.peek(1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.start_tag().map(Some),
            Some(b'/') => self.end_tag_open(),
            Some(b'!') => Ok(self.declaration(in_foreign)),
            Some(b'?') => {
                self.problems.token(start, "unexpected-question-mark-instead-of-tag-name");
                Ok(Some(self.bogus_comment(start + 1)))
            }
            next => {
                let name = if next.is_some() { "invalid-first-character-of-tag-name" } else { "eof-before-tag-name" };
                self.problems.token(start, name);
                Ok(Some(self.data(start + 1)))
            }
        }
    }

    fn end_tag_open(&mut self) -> Result<Option<Token>, TooManyAttributes> {
        let start = self.position;
        match self.peek(2) {
            Some(byte) if byte.is_ascii_alphabetic() => Ok(Some(self.end_tag())),
            Some(b'>') => {
                self.problems.token(start, "missing-end-tag-name");
                self.position += 3;
                Ok(None)
            }
            Some(_) => {
                self.problems.token(start, "invalid-first-character-of-tag-name");
                Ok(Some(self.bogus_comment(start + 2)))
            }
            None => {
                self.problems.token(start, "eof-before-tag-name");
                Ok(Some(self.data(start + 2)))
            }
        }
    }

    #[inline(always)]
    fn start_tag(&mut self) -> Result<Token, TooManyAttributes> {
        let start = self.position;
        let name = self.tag_name(start + 1);
        self.attributes.clear();
        self.tag_number += 1;
        let Some(self_closing) = self.attribute_list(true)? else { return Ok(Token::Eof) };
        Ok(Token::Start(Tag { name, start: start as u32, end: self.position as u32, self_closing }))
    }

    #[inline(always)]
    fn end_tag(&mut self) -> Token {
        let start = self.position;
        let name = self.tag_name(start + 2);
        if self.peek(0) == Some(b'>') {
            self.position += 1;
        } else {
            // Attributes of an end tag are none, so there cannot be too many of them.
            match self.attribute_list(false) {
                Ok(Some(true)) => self.problems.token(start, "end-tag-with-trailing-solidus"),
                Ok(Some(false)) => {}
                Ok(None) | Err(_) => return Token::Eof,
            }
        }
        Token::End(Tag { name, start: start as u32, end: self.position as u32, self_closing: false })
    }

    /// Reads a tag name from `start` on.
    #[inline(always)]
    fn tag_name(&mut self, start: usize) -> TagName {
        let mut hash = 0;
        let mut at = start;
        while let Some(&byte) = self.source.get(at)
            && !is(byte, TAG_NAME_END)
        {
            hash = rolling_hash(hash, byte);
            at += 1;
        }
        self.position = at;
        self.tags.find(&self.text[start..at], hash)
    }

    /// Reads a tag from behind its name to behind its `>`; says whether it ends in `/>`, or `None` at the end of file.
    #[inline(always)]
    fn attribute_list(&mut self, kept: bool) -> Result<Option<bool>, TooManyAttributes> {
        loop {
            let Some(byte) = self.skip_blanks() else { return Ok(self.end_in_tag()) };
            match byte {
                b'>' => {
                    self.position += 1;
                    return Ok(Some(false));
                }
                b'/' if self.peek(1) == Some(b'>') => {
                    self.position += 2;
                    return Ok(Some(true));
                }
                b'/' => {
                    self.problems.token(self.position, "unexpected-solidus-in-tag");
                    self.position += 1;
                }
                _ => {
                    if !self.attribute(kept)? {
                        return Ok(self.end_in_tag());
                    }
                }
            }
        }
    }

    fn end_in_tag<T>(&mut self) -> Option<T> {
        self.problems.token(self.source.len(), "eof-in-tag");
        self.position = self.source.len();
        None
    }

    /// The byte behind white space.
    #[inline(always)]
    fn skip_blanks(&mut self) -> Option<u8> {
        while let Some(byte) = self.peek(0) {
            if !is(byte, BLANK) {
                return Some(byte);
            }
            self.position += 1;
        }
        None
    }

    /// Reads one attribute; `false` where the file ends in it.
    #[inline(always)]
    fn attribute(&mut self, kept: bool) -> Result<bool, TooManyAttributes> {
        let start = self.position;
        let mut is_plain = true;
        let mut at = start;
        if self.source[at] == b'=' {
            self.problems.token(at, "unexpected-equals-sign-before-attribute-name");
            at += 1;
        }
        while let Some(&byte) = self.source.get(at)
            && !is(byte, ATTRIBUTE_NAME_END)
        {
            is_plain &= !is(byte, ODD_IN_NAME);
            at += 1;
        }
        let name = start..at;
        self.position = at;
        let Some(value) = self.attribute_value() else { return Ok(false) };
        if !kept {
            self.problems.token(start, "end-tag-with-attributes");
            return Ok(true);
        }
        self.keep_attribute(name, is_plain, value)?;
        Ok(true)
    }

    #[inline(always)]
    fn keep_attribute(
        &mut self,
        name: std::ops::Range<usize>,
        is_plain: bool,
        value: Span,
    ) -> Result<(), TooManyAttributes> {
        let offset = name.start;
        let written = &self.text[name];
        let name = if is_plain {
            self.recent_names.intern(written, &mut self.attribute_names)
        } else {
            if written.contains(['"', '\'', '<']) {
                self.problems.token(offset, "unexpected-character-in-attribute-name");
            }
            lower_into(written, &mut self.scratch);
            self.attribute_names.intern("", &self.scratch)
        };
        if self.is_repeated(name) {
            self.problems.token(offset, "duplicate-attribute");
            return Ok(());
        }
        if self.attributes.len() == self.max_attributes {
            return Err(TooManyAttributes { offset });
        }
        self.attributes.push(RawAttribute { name, value });
        Ok(())
    }

    /// Whether the tag has an attribute of this name already. Marks on the names, since a tag can have very many.
    #[inline(always)]
    fn is_repeated(&mut self, name: NameId) -> bool {
        if name.index() >= self.seen_in.len() {
            self.seen_in.resize(name.index() + 1, 0);
        }
        std::mem::replace(&mut self.seen_in[name.index()], self.tag_number) == self.tag_number
    }

    /// Reads `= value`, if that is what follows a name; `None` where the file ends in it.
    #[inline(always)]
    fn attribute_value(&mut self) -> Option<Span> {
        let empty = Span::plain(self.position as u32, self.position as u32);
        if self.skip_blanks()? != b'=' {
            return Some(empty);
        }
        self.position += 1;
        match self.skip_blanks()? {
            quote @ (b'"' | b'\'') => self.quoted_value(quote),
            b'>' => {
                self.problems.token(self.position, "missing-attribute-value");
                Some(Span::plain(self.position as u32, self.position as u32))
            }
            _ => self.unquoted_value(),
        }
    }

    #[inline(always)]
    fn quoted_value(&mut self, quote: u8) -> Option<Span> {
        let start = self.position + 1;
        let first = start + memchr::memchr2(quote, b'&', self.source.get(start..)?)?;
        let is_plain = self.is_clean && self.source[first] == quote;
        let end = if self.source[first] == quote { first } else { self.find(quote, first)? };
        self.position = end + 1;
        if self.peek(0).is_some_and(|next| !is(next, TAG_NAME_END)) {
            self.problems.token(self.position, "missing-whitespace-between-attributes");
        }
        Some(if is_plain { Span::plain(start as u32, end as u32) } else { self.value(start, end) })
    }

    fn unquoted_value(&mut self) -> Option<Span> {
        let start = self.position;
        let len = self.source[start..].iter().position(|&byte| is(byte, BLANK) || byte == b'>')?;
        self.position = start + len;
        if self.source[start..start + len].iter().any(|byte| b"\"'<=`".contains(byte)) {
            self.problems.token(start, "unexpected-character-in-unquoted-attribute-value");
        }
        Some(self.value(start, start + len))
    }

    #[inline(never)]
    fn value(&self, start: usize, end: usize) -> Span {
        let written = &self.source[start..end];
        let encoded = if self.is_clean {
            memchr::memchr(b'&', written).is_some()
        } else {
            memchr::memchr3(b'&', b'\r', 0, written).is_some()
        };
        Span::new(start as u32, end as u32, encoded)
    }

    /// What `<!` starts; `None` where it is a CDATA section with nothing in it.
    fn declaration(&mut self, in_foreign: bool) -> Option<Token> {
        let start = self.position;
        let after = &self.source[start + 2..];
        if after.starts_with(b"--") {
            return Some(self.comment(start + 4));
        }
        if after.get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            let doctype = doctype::read(self.text, start, &mut self.problems);
            self.position = doctype.end as usize;
            return Some(Token::Doctype(doctype));
        }
        if after.starts_with(b"[CDATA[") {
            if in_foreign {
                return self.cdata(start + 9);
            }
            self.problems.token(start, "cdata-in-html-content");
        } else {
            self.problems.token(start, "incorrectly-opened-comment");
        }
        Some(self.bogus_comment(start + 2))
    }

    /// A comment ends at a `>` that `--` or `--!` stand before; `<!-->` and `<!--->` are empty ones.
    fn comment(&mut self, start: usize) -> Token {
        let mut search = start;
        while let Some(at) = self.find(b'>', search) {
            search = at + 1;
            let data = &self.source[start..at];
            let end = match data {
                b"" | b"-" => {
                    self.problems.token(at, "abrupt-closing-of-empty-comment");
                    start
                }
                [.., b'-', b'-'] => at - 2,
                [.., b'-', b'-', b'!'] => {
                    self.problems.token(at, "incorrectly-closed-comment");
                    at - 3
                }
                _ => continue,
            };
            self.position = at + 1;
            return Token::Comment(self.verbatim(start, end));
        }
        self.problems.token(self.source.len(), "eof-in-comment");
        self.position = self.source.len();
        let data = &self.text[start..];
        let end = ["--!", "--", "-"].iter().find_map(|tail| data.strip_suffix(tail)).unwrap_or(data).len();
        Token::Comment(self.verbatim(start, start + end))
    }

    fn bogus_comment(&mut self, start: usize) -> Token {
        let end = self.find(b'>', start).unwrap_or(self.source.len());
        self.position = (end + 1).min(self.source.len());
        Token::Comment(self.verbatim(start, end))
    }

    fn cdata(&mut self, start: usize) -> Option<Token> {
        let found = memchr::memmem::find(&self.source[start..], b"]]>");
        if found.is_none() {
            self.problems.token(self.source.len(), "eof-in-cdata");
        }
        let end = found.map_or(self.source.len(), |at| start + at);
        self.position = start;
        self.content = Content::Cdata { end, behind: (end + 3).min(self.source.len()) };
        self.raw()
    }

    /// What comes next where content is no markup; `None` where that ends.
    fn raw(&mut self) -> Option<Token> {
        match self.content {
            Content::Cdata { end, behind } => self.cdata_piece(end, behind),
            _ => self.raw_text().map(Token::Text),
        }
    }

    /// A piece of a CDATA section, cut at NULs as other text is.
    fn cdata_piece(&mut self, end: usize, behind: usize) -> Option<Token> {
        let start = self.position;
        if start >= end {
            self.position = behind;
            self.content = Content::Data;
            return None;
        }
        let null = memchr::memchr(0, &self.source[start..end]);
        if null == Some(0) {
            self.problems.token(start, "unexpected-null-character");
            self.position += 1;
            return Some(Token::Null(start as u32));
        }
        self.position = null.map_or(end, |at| start + at);
        Some(Token::Text(self.verbatim(start, self.position)))
    }

    /// The text of an element whose content is no markup; the end tag behind it is markup again.
    fn raw_text(&mut self) -> Option<Text> {
        let start = self.position;
        let end = match self.content {
            Content::Data | Content::Cdata { .. } => start,
            Content::Rcdata(name) | Content::RawText(name) => self.find_end_tag(name, start),
            Content::Script => self.find_script_end(start),
            Content::PlainText => self.source.len(),
        };
        self.position = end;
        let content = std::mem::replace(&mut self.content, Content::Data);
        if start == end {
            return None;
        }
        let is_rcdata = matches!(content, Content::Rcdata(_));
        let has_references = is_rcdata && memchr::memchr3(b'&', b'\r', 0, &self.source[start..end]).is_some();
        Some(match (is_rcdata, has_references) {
            (true, true) => self.piece(start, end, Form::References),
            (true, false) => self.piece(start, end, Form::Plain),
            (false, _) => self.verbatim(start, end),
        })
    }

    fn find_end_tag(&self, name: TagName, from: usize) -> usize {
        let mut search = from;
        while let Some(at) = self.find(b'<', search) {
            if self.is_tag(at, "/", self.tags.get(name)) {
                return at;
            }
            search = at + 1;
        }
        self.source.len()
    }

    /// Whether a tag stands at `at`: `<`, a slash or nothing, the name, and what ends a name.
    fn is_tag(&self, at: usize, slash: &str, name: &str) -> bool {
        let rest = &self.source[at + 1..];
        let Some(rest) = rest.strip_prefix(slash.as_bytes()) else { return false };
        rest.get(..name.len()).is_some_and(|written| written.eq_ignore_ascii_case(name.as_bytes()))
            && rest.get(name.len()).is_some_and(|&next| is(next, TAG_NAME_END))
    }

    /// Where a script ends. Within `<!--` and `-->`, a `<script>` hides the `</script>` that follows it.
    fn find_script_end(&self, from: usize) -> usize {
        let script = self.tags.get(tag::SCRIPT);
        let (mut escaped, mut hidden) = (false, false);
        let mut dashes_from = from;
        let mut search = from;
        while let Some(found) = memchr::memchr2(b'<', if escaped { b'>' } else { b'<' }, &self.source[search..]) {
            let at = search + found;
            search = at + 1;
            if self.source[at] == b'>' {
                if self.source[dashes_from..at].ends_with(b"--") {
                    (escaped, hidden) = (false, false);
                }
            } else if !hidden && self.is_tag(at, "/", script) {
                return at;
            } else if hidden {
                hidden = !self.is_tag(at, "/", script);
            } else if escaped {
                hidden = self.is_tag(at, "", script);
            } else if self.source[at..].starts_with(b"<!--") {
                escaped = true;
                dashes_from = at + 2;
            }
        }
        self.source.len()
    }
}

const BLANK: u8 = 1;
const TAG_NAME_END: u8 = 2;
const ATTRIBUTE_NAME_END: u8 = 4;
const ODD_IN_NAME: u8 = 8;

#[inline(always)]
fn is(byte: u8, class: u8) -> bool {
    BYTE_CLASSES[byte as usize] & class != 0
}

static BYTE_CLASSES: [u8; 256] = byte_classes();

const fn byte_classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'\t' | b'\n' | b'\x0C' | b'\r' | b' ' => BLANK | TAG_NAME_END | ATTRIBUTE_NAME_END,
            b'/' | b'>' => TAG_NAME_END | ATTRIBUTE_NAME_END,
            b'=' => ATTRIBUTE_NAME_END,
            b'A'..=b'Z' | 0 | b'"' | b'\'' | b'<' => ODD_IN_NAME,
            _ => 0,
        };
        byte += 1;
    }
    classes
}
