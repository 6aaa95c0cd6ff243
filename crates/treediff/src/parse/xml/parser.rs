//! What does the document contain? From mark to mark through the content, into the builder.
//!
//! Every rule of well-formedness that concerns content is checked here. A fault goes through
//! [`Parser::complain`], which ends the parse, or in recover mode notes the fault and lets the caller read on; what
//! it then does stands right behind the call.

use super::chars;
use super::decode::{character_reference, decode_attribute, decode_text};
use super::dtd::{AttributeDeclaration, Dtd, collapse_spaces};
use super::entities::{Entity, EntityFault, MAX_NESTING, referred_name};
use super::raw_names::{NameFault, RawId, RawNames, Resolved, Role};
use super::scan::{self, Marks, is_blank, is_space};
use super::scopes::Scopes;
use crate::parse::encoding::not_encoded_as;
use crate::parse::issue::{Issues, Position};
use crate::parse::{Options, ParseError};
use crate::tree::{Builder, Kind, Label, NameId, Span, TextRun, XML_NAMESPACE, XMLNS_NAMESPACE, hash};

/// Reads content.
pub(super) struct Parser<'s> {
    options: &'s Options,
    source: &'s [u8],
    dtd: &'s Dtd,
    /// Where the DOCTYPE stands, which has been read before.
    doctype: Option<Span>,
    reader: Reader<'s>,
    /// The readers that wait for the end of an entity, the source first.
    suspended: Vec<Reader<'s>>,
    builder: Builder,
    raw_names: RawNames,
    scopes: Scopes,
    tags: Vec<Tag>,
    /// How often each name is among the open tags; kept in recover mode only.
    open_names: Vec<u32>,
    /// Attributes of the tag being read whose prefix is not resolved yet.
    prefixed: Vec<Prefixed>,
    run: Run,
    /// Texts that are no piece of the source; stands behind it and the entities in the document's text.
    heap: String,
    heap_base: u32,
    id_attributes: Vec<[u32; 2]>,
    issues: Issues,
    entity_bytes_left: usize,
    /// What the defaults of attributes may still amount to: few of them and few elements make very many attributes.
    default_bytes_left: usize,
    has_root: bool,
}

/// A source of characters: the document, or an entity.
struct Reader<'s> {
    bytes: &'s [u8],
    /// Where `bytes` stand in the document's text.
    base: u32,
    at: usize,
    marks: Marks<'s>,
    entity: &'s str,
    /// How many tags were open when it began; as many must be at its end.
    tags: usize,
}

/// An open tag.
#[derive(Debug, Clone, Copy)]
struct Tag {
    name: RawId,
    /// The scope around the element.
    scope: u32,
    scope_depth: u32,
}

/// An attribute that waits for the namespaces of its tag.
#[derive(Debug, Clone, Copy)]
struct Prefixed {
    name: RawId,
    value: Span,
    hash: u64,
    at: usize,
}

/// A piece of text between marks: its range, and in the top bit of the end whether it must be decoded. A field of one
/// byte for that made the processor wait for it, which took a tenth of the time to parse.
#[derive(Debug, Clone, Copy)]
struct Piece {
    start: usize,
    end_and_mark: usize,
}

impl Piece {
    const MARK: usize = 1 << (usize::BITS - 1);

    #[inline(always)]
    fn new(start: usize, end: usize, is_encoded: bool) -> Self {
        Piece { start, end_and_mark: end | if is_encoded { Piece::MARK } else { 0 } }
    }

    #[inline(always)]
    fn end(self) -> usize {
        self.end_and_mark & !Piece::MARK
    }

    #[inline(always)]
    fn is_encoded(self) -> bool {
        self.end_and_mark & Piece::MARK != 0
    }
}

/// Text that goes on over a CDATA section or the edge of an entity.
#[derive(Debug, Default)]
struct Run {
    is_active: bool,
    /// The range in the document's text, as long as it is one.
    start: u32,
    end: u32,
    /// Whether the value is in `value` because it is no single range.
    is_owned: bool,
    value: String,
    /// Where it began in the source, if it did, and how far it goes there.
    origin: Option<u32>,
    origin_end: u32,
}

/// What a parser has found.
pub(super) struct Content {
    pub(super) builder: Builder,
    pub(super) heap: String,
    pub(super) id_attributes: Vec<[u32; 2]>,
    pub(super) issues: Issues,
}

/// Errors are rare and large: boxed, so that what is returned all the time fits into registers.
type Parse<T> = Result<T, Box<ParseError>>;

impl<'s> Parser<'s> {
    pub(super) fn new(input: Input<'s>, options: &'s Options, issues: Issues, entity_bytes_left: usize) -> Self {
        let Input { source, start, is_checked, dtd, doctype } = input;
        let mut marks = Marks::new(source, !is_checked);
        marks.pass_before(start);
        Parser {
            options,
            source,
            dtd,
            doctype,
            reader: Reader { bytes: source, base: 0, at: start, marks, entity: "", tags: 0 },
            suspended: Vec::new(),
            builder: Builder::new(options.whitespace, source.len() / BYTES_PER_NODE + 16),
            raw_names: RawNames::new(),
            scopes: Scopes::new(),
            tags: Vec::new(),
            open_names: Vec::new(),
            prefixed: Vec::new(),
            run: Run::default(),
            heap: String::new(),
            heap_base: (source.len() + dtd.entities.text().len()) as u32,
            id_attributes: Vec::new(),
            issues,
            entity_bytes_left,
            default_bytes_left: source.len() + options.limits.max_entity_bytes,
            has_root: false,
        }
    }

    /// Reads to the end.
    pub(super) fn content(mut self) -> Parse<Content> {
        loop {
            let piece = self.text()?;
            match self.reader.bytes.get(piece.end()) {
                Some(b'<') => self.markup(piece)?,
                Some(_) => self.reference(piece)?,
                None if self.suspended.is_empty() => break self.finish(piece)?,
                None => self.leave_entity(piece)?,
            }
        }
        Ok(Content { builder: self.builder, heap: self.heap, id_attributes: self.id_attributes, issues: self.issues })
    }

    /// The text up to the next `<`, to a reference that is more than a character, or to the end.
    #[inline(always)]
    fn text(&mut self) -> Parse<Piece> {
        let start = self.reader.at;
        let mut is_encoded = false;
        loop {
            let end = self.reader.marks.peek();
            // Nearly always, and so asked alone, before the jump that the rest is made into.
            if self.reader.bytes.get(end).is_none_or(|&byte| byte == b'<') {
                return Ok(Piece::new(start, end, is_encoded));
            }
            match self.reader.bytes.get(end) {
                Some(b'"' | b'\'' | b'<') | None => {}
                Some(b'&') => {
                    is_encoded = true;
                    if self.character(end).is_none() {
                        return Ok(Piece::new(start, end, is_encoded));
                    }
                }
                Some(b'>') => self.check_section_end(start, end)?,
                Some(b'\r') => is_encoded = true,
                Some(_) => {
                    is_encoded = true;
                    self.bad_character(end)?;
                }
            }
            self.reader.marks.pass();
        }
    }

    /// The character that the reference at `at` stands for, by number or by a name that all documents know.
    fn character(&self, at: usize) -> Option<(char, usize)> {
        let window = &self.reader.bytes[at..self.reader.bytes.len().min(at + 64)];
        character_reference(valid_start(window))
    }

    fn check_section_end(&mut self, start: usize, at: usize) -> Parse<()> {
        if at >= start + 2 && self.reader.bytes[at - 2..at] == *b"]]" {
            self.complain(at - 2, || "found `]]>` in text; expected `]]&gt;`".into())?;
        }
        Ok(())
    }

    /// A reference that is not to a single character, or no reference at all.
    fn reference(&mut self, before: Piece) -> Parse<()> {
        let at = before.end();
        self.reader.marks.pass();
        let name = self.referred_name(at);
        if self.tags.is_empty() {
            self.extend_run(before);
            self.flush_run()?;
            self.complain(at, || "found a reference outside the root element".into())?;
            self.reader.at = at + name.map_or(1, |name| name.len() + 2);
            return Ok(());
        }
        let Some(name) = name else {
            self.complain(at, || EntityFault::NotAReference.message())?;
            self.extend_run(Piece::new(before.start, at + 1, true));
            self.reader.at = at + 1;
            return Ok(());
        };
        self.extend_run(before);
        self.reader.at = at + name.len() + 2;
        match self.dtd.entities.get(name) {
            Some(Entity::Internal(range)) => self.enter_entity(at, name, range.clone()),
            Some(Entity::External) => self.keep_reference(at, name),
            Some(Entity::Unparsed) => {
                self.complain(at, || EntityFault::Unparsed(name.into()).message())?;
                self.keep_reference(at, name)
            }
            None => {
                if !self.dtd.is_partial {
                    self.complain(at, || EntityFault::Undeclared(name.into()).message())?;
                }
                self.keep_reference(at, name)
            }
        }
    }

    fn referred_name(&self, at: usize) -> Option<&'s str> {
        // No further than the name goes: a `;` may be a long way off, and be looked for from every `&` before it.
        let window = &self.reader.bytes[at..self.reader.bytes.len().min(at + MAX_REFERENCE)];
        let ends = |byte: &u8| byte.is_ascii() && !chars::is_name_char(char::from(*byte));
        let len = window.iter().skip(1).position(ends).map_or(window.len(), |len| len + 2);
        referred_name(valid_start(&window[..len]))
    }

    fn keep_reference(&mut self, at: usize, name: &str) -> Parse<()> {
        self.flush_run()?;
        let id = self.builder.names.intern("", name);
        let span = Span::plain(self.reader.base + at as u32, self.reader.base + self.reader.at as u32);
        let run = TextRun { span, hash: hash::bytes(name.as_bytes()), is_blank: false, origin: None };
        self.leaf(Label::new(Kind::Reference, id), run, at)
    }

    fn enter_entity(&mut self, at: usize, name: &'s str, range: std::ops::Range<usize>) -> Parse<()> {
        let is_active = |reader: &Reader<'_>| reader.entity == name;
        if is_active(&self.reader) || self.suspended.iter().any(is_active) {
            self.complain(at, || EntityFault::Recursive(name.into()).message())?;
            return self.keep_reference(at, name);
        }
        if self.suspended.len() >= MAX_NESTING {
            self.complain(at, || EntityFault::TooDeep(name.into()).message())?;
            return self.keep_reference(at, name);
        }
        match self.entity_bytes_left.checked_sub(range.len()) {
            Some(left) => self.entity_bytes_left = left,
            None => return Err(self.entity_limit(at)),
        }
        if !self.run.is_active && self.suspended.is_empty() {
            self.run.origin = Some(at as u32);
        }
        self.own_run();
        let bytes = &self.dtd.entities.text().as_bytes()[range.clone()];
        let entered = Reader {
            bytes,
            base: self.source.len() as u32 + range.start as u32,
            at: 0,
            marks: Marks::new(bytes, false),
            entity: name,
            tags: self.tags.len(),
        };
        self.suspended.push(std::mem::replace(&mut self.reader, entered));
        Ok(())
    }

    fn leave_entity(&mut self, last: Piece) -> Parse<()> {
        self.extend_run(last);
        self.own_run();
        if self.tags.len() > self.reader.tags {
            let entity = self.reader.entity;
            self.complain(last.end(), || format!("entity `{entity}` ends inside an element that it began"))?;
            while self.tags.len() > self.reader.tags {
                self.close(last.end())?;
            }
        }
        if let Some(outer) = self.suspended.pop() {
            self.reader = outer;
        }
        if self.suspended.is_empty() {
            self.run.origin_end = self.reader.at as u32;
        }
        Ok(())
    }

    fn finish(&mut self, last: Piece) -> Parse<()> {
        self.emit_text(last)?;
        let end = self.reader.bytes.len();
        if let Some(&Tag { name, .. }) = self.tags.last() {
            let name = self.raw_names.get(name).text.clone();
            self.complain(end, || format!("found the end of the document; expected `</{name}>`"))?;
            while !self.tags.is_empty() {
                self.close(end)?;
            }
        }
        if !self.has_root {
            self.complain(end, || "found the end of the document; expected a root element".into())?;
        }
        Ok(())
    }

    // ---- runs of text

    /// Gives the text before some markup to the builder.
    #[inline(never)]
    fn emit_text(&mut self, piece: Piece) -> Parse<()> {
        if self.run.is_active {
            self.extend_run(piece);
            return self.flush_run();
        }
        if piece.start == piece.end() {
            return Ok(());
        }
        let bytes = &self.reader.bytes[piece.start..piece.end()];
        let base = self.reader.base;
        let span = Span::new(base + piece.start as u32, base + piece.end() as u32, piece.is_encoded());
        if piece.is_encoded() || self.tags.is_empty() {
            return self.emit_decoded(piece, span);
        }
        self.check_nodes(piece.start)?;
        let hash = scan::hash(self.reader.bytes, piece.start, piece.end());
        self.builder.plain_text(span, hash, is_blank(bytes));
        Ok(())
    }

    #[inline(never)]
    fn emit_decoded(&mut self, piece: Piece, span: Span) -> Parse<()> {
        let written = String::from_utf8_lossy(&self.reader.bytes[piece.start..piece.end()]);
        let run = if piece.is_encoded() {
            text_run(span, &decode_text(&written), None)
        } else {
            text_run(span, &written, None)
        };
        if self.tags.is_empty() {
            return self.text_outside(run, piece.start);
        }
        self.check_nodes(piece.start)?;
        self.builder.text(run);
        Ok(())
    }

    /// Adds a piece of the current reader to the run.
    fn extend_run(&mut self, piece: Piece) {
        if piece.start == piece.end() {
            return;
        }
        let base = self.reader.base;
        if !self.run.is_active {
            let in_source = self.suspended.is_empty();
            self.run.is_active = true;
            self.run.start = base + piece.start as u32;
            self.run.origin = in_source.then_some(piece.start as u32);
        }
        if self.run.is_owned {
            let written = String::from_utf8_lossy(&self.reader.bytes[piece.start..piece.end()]);
            self.run.value.push_str(&decode_text(&written));
        }
        self.run.end = base + piece.end() as u32;
        if self.suspended.is_empty() {
            self.run.origin_end = piece.end() as u32;
        }
    }

    /// Takes the run's value out of the current reader, because it goes on in another.
    fn own_run(&mut self) {
        if self.run.is_active && !self.run.is_owned {
            let start = (self.run.start - self.reader.base) as usize;
            let end = (self.run.end - self.reader.base) as usize;
            let written = String::from_utf8_lossy(&self.reader.bytes[start..end]);
            self.run.value.push_str(&decode_text(&written));
        }
        self.run.is_active = true;
        self.run.is_owned = true;
    }

    /// Gives the run to the builder.
    #[inline(never)]
    fn flush_run(&mut self) -> Parse<()> {
        let run = std::mem::take(&mut self.run);
        if !run.is_active {
            return Ok(());
        }
        let end = self.reader.at;
        let text = if run.is_owned {
            if run.value.is_empty() {
                return Ok(());
            }
            let span = self.keep(&run.value);
            let origin = run.origin.filter(|_| self.suspended.is_empty());
            text_run(span, &run.value, origin.map(|start| Span::new(start, run.origin_end, true)))
        } else {
            let start = (run.start - self.reader.base) as usize;
            let written = &self.reader.bytes[start..(run.end - self.reader.base) as usize];
            let value = decode_text(&String::from_utf8_lossy(written));
            if value.is_empty() {
                return Ok(());
            }
            text_run(Span::new(run.start, run.end, true), &value, None)
        };
        if self.tags.is_empty() {
            return self.text_outside(text, end);
        }
        self.check_nodes(end)?;
        self.builder.text(text);
        Ok(())
    }

    /// Puts a text on the heap.
    fn keep(&mut self, value: &str) -> Span {
        let start = self.heap_base + self.heap.len() as u32;
        self.heap.push_str(value);
        Span::plain(start, start + value.len() as u32)
    }

    #[inline(never)]
    fn text_outside(&mut self, run: TextRun, at: usize) -> Parse<()> {
        // A space that is written as a reference is no white space between markup.
        let written = self.reader.bytes.get(run.span.range()).unwrap_or_default();
        if run.is_blank && memchr::memchr(b'&', written).is_none() {
            return Ok(());
        }
        let before = if self.has_root { "behind" } else { "before" };
        self.complain(at, || format!("found text {before} the root element"))
    }

    // ---- markup

    /// What begins with the `<` behind `text`.
    #[inline(always)]
    fn markup(&mut self, text: Piece) -> Parse<()> {
        let at = text.end();
        self.reader.marks.pass();
        match self.reader.bytes.get(at + 1) {
            Some(b'/') => {
                self.emit_text(text)?;
                self.end_tag(at)
            }
            Some(b'!') => self.declaration(text),
            Some(b'?') => {
                self.emit_text(text)?;
                self.processing_instruction(at)
            }
            _ => {
                self.emit_text(text)?;
                self.start_tag(at)
            }
        }
    }

    #[inline(never)]
    fn declaration(&mut self, text: Piece) -> Parse<()> {
        let at = text.end();
        let rest = &self.reader.bytes[at..];
        if rest.starts_with(b"<![CDATA[") {
            self.extend_run(text);
            return self.cdata(at);
        }
        if rest.starts_with(b"<!--") {
            self.emit_text(text)?;
            return self.comment(at);
        }
        let doctype = self.doctype.filter(|span| span.start() as usize == at && self.suspended.is_empty());
        if let Some(span) = doctype {
            self.emit_text(text)?;
            self.reader.at = span.end() as usize;
            self.reader.marks.pass_before(self.reader.at);
            return Ok(());
        }
        let found = if rest.starts_with(b"<!DOCTYPE") { "a second or misplaced `<!DOCTYPE`" } else { "`<!`" };
        self.complain(at, || format!("found {found}; expected `<!--` or `<![CDATA[`"))?;
        self.emit_text(text)?;
        self.skip_tag(at);
        Ok(())
    }

    /// Goes on behind the next `>`.
    fn skip_tag(&mut self, at: usize) {
        let bytes = self.reader.bytes;
        let end = memchr::memchr(b'>', &bytes[at..]).map_or(bytes.len(), |len| at + len + 1);
        self.reader.at = end;
        self.reader.marks.pass_before(end);
    }

    fn cdata(&mut self, at: usize) -> Parse<()> {
        let start = at + b"<![CDATA[".len();
        if self.tags.is_empty() {
            self.flush_run()?;
            self.complain(at, || "found a CDATA section outside the root element".into())?;
        }
        let len = memchr::memmem::find(&self.reader.bytes[start..], b"]]>");
        let end = match len {
            Some(len) => start + len + 3,
            None => {
                self.complain(at, || "found a CDATA section without its end `]]>`".into())?;
                self.reader.bytes.len()
            }
        };
        self.check_characters(end)?;
        if !self.tags.is_empty() {
            self.extend_run(Piece::new(at, end, true));
        }
        self.reader.at = end;
        Ok(())
    }

    fn comment(&mut self, at: usize) -> Parse<()> {
        let start = at + 4;
        let bytes = self.reader.bytes;
        let mut search = start;
        let end = loop {
            let Some(dash) = memchr::memchr(b'-', &bytes[search..]).map(|len| search + len) else {
                self.complain(at, || "found a comment without its end `-->`".into())?;
                break bytes.len();
            };
            search = dash + 1;
            if bytes.get(dash + 1) != Some(&b'-') {
                continue;
            }
            if bytes.get(dash + 2) == Some(&b'>') {
                break dash;
            }
            self.complain(dash, || "found `--` inside a comment; expected `-->`".into())?;
        };
        let behind = (end + 3).min(bytes.len());
        let is_encoded = self.check_characters(behind)?;
        self.reader.at = behind;
        let run = self.markup_value(start, end, is_encoded);
        self.leaf(Label::of(Kind::Comment), run, at)
    }

    fn processing_instruction(&mut self, at: usize) -> Parse<()> {
        let bytes = self.reader.bytes;
        let (end, behind) = match memchr::memmem::find(&bytes[at + 2..], b"?>") {
            Some(len) => (at + 2 + len, at + 4 + len),
            None => {
                self.complain(at, || "found a processing instruction without its end `?>`".into())?;
                (bytes.len(), bytes.len())
            }
        };
        let target_len = bytes[at + 2..end].iter().position(|&byte| is_space(byte)).unwrap_or(end - at - 2);
        let target = String::from_utf8_lossy(&bytes[at + 2..at + 2 + target_len]);
        if !chars::is_name(&target) || target.contains(':') {
            self.complain(at + 2, || format!("found `{target}`; expected the target of a processing instruction"))?;
        }
        let is_declaration = target.eq_ignore_ascii_case("xml");
        if is_declaration {
            self.complain(at, || format!("found `<?{target}`, which is allowed only at the very beginning"))?;
        }
        let is_encoded = self.check_characters(behind)?;
        self.reader.at = behind;
        if is_declaration {
            return Ok(());
        }
        let spaces = bytes[at + 2 + target_len..end].iter().take_while(|&&byte| is_space(byte)).count();
        let run = self.markup_value(at + 2 + target_len + spaces, end, is_encoded);
        let name = self.builder.names.intern("", &target);
        self.leaf(Label::new(Kind::ProcessingInstruction, name), run, at)
    }

    /// The value of a comment or a processing instruction.
    fn markup_value(&self, start: usize, end: usize, is_encoded: bool) -> TextRun {
        let bytes = &self.reader.bytes[start..end];
        let base = self.reader.base;
        let span = Span::new(base + start as u32, base + end as u32, is_encoded);
        let hash = if is_encoded {
            hash::bytes(super::decode_line_ends(&String::from_utf8_lossy(bytes)).as_bytes())
        } else {
            hash::bytes(bytes)
        };
        TextRun { span, hash, is_blank: false, origin: None }
    }

    fn leaf(&mut self, label: Label, run: TextRun, at: usize) -> Parse<()> {
        self.check_nodes(at)?;
        self.builder.leaf(label, run);
        Ok(())
    }

    /// Passes the marks up to `end`, and says whether there are characters that must be decoded.
    fn check_characters(&mut self, end: usize) -> Parse<bool> {
        let mut is_encoded = false;
        loop {
            let at = self.reader.marks.peek();
            if at >= end {
                return Ok(is_encoded);
            }
            match self.reader.bytes[at] {
                b'<' | b'>' | b'"' | b'\'' | b'&' => {}
                b'\r' => is_encoded = true,
                _ => {
                    is_encoded = true;
                    self.bad_character(at)?;
                }
            }
            self.reader.marks.pass();
        }
    }

    #[inline(never)]
    fn bad_character(&mut self, at: usize) -> Parse<()> {
        if self.suspended.is_empty() && self.reader.marks.invalid_at() == Some(at) {
            return self.complain(at, || not_encoded_as("UTF-8"));
        }
        let c = valid_start(&self.reader.bytes[at..self.reader.bytes.len().min(at + 4)]).chars().next();
        let c = c.map_or(0, u32::from);
        self.complain(at, || format!("character U+{c:04X} is not allowed"))
    }

    // ---- tags

    #[inline(never)]
    fn start_tag(&mut self, at: usize) -> Parse<()> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at + 1);
        let (name, fault) = self.raw_names.intern(bytes, at + 1, len, head);
        if let Some(fault) = fault {
            if !self.is_tag(at, len) {
                return self.not_a_tag(at, len);
            }
            self.name_fault(at + 1, len, fault)?;
        }
        if self.tags.is_empty() {
            self.check_single_root(at)?;
        }
        let tag = Tag { name, scope: self.scopes.current(), scope_depth: self.scopes.depth() };
        let mut cursor = at + 1 + len;
        let mut preserve = None;
        let is_empty = loop {
            match bytes.get(cursor) {
                Some(b'>') => {
                    cursor += 1;
                    break false;
                }
                Some(b'/') if bytes.get(cursor + 1) == Some(&b'>') => {
                    cursor += 2;
                    break true;
                }
                Some(&byte) if is_space(byte) => {
                    cursor = self.skip_space(cursor + 1);
                    if matches!(bytes.get(cursor), Some(b'>' | b'/') | None) {
                        continue;
                    }
                    cursor = self.attribute(name, cursor, &mut preserve)?;
                }
                _ => match self.stray_in_tag(name, cursor)? {
                    Some(next) => cursor = next,
                    None => break false,
                },
            }
        };
        self.reader.at = cursor;
        self.reader.marks.pass_through(cursor - 1);
        self.open(tag, at, preserve)?;
        if is_empty { self.close(cursor) } else { Ok(()) }
    }

    #[inline(always)]
    fn skip_space(&self, from: usize) -> usize {
        let mut at = from;
        while self.reader.bytes.get(at).is_some_and(|&byte| is_space(byte)) {
            at += 1;
        }
        at
    }

    /// Whether what begins with `<` could be a tag at all; `<` in `a < b` is not.
    fn is_tag(&self, at: usize, len: usize) -> bool {
        let name = String::from_utf8_lossy(&self.reader.bytes[at + 1..at + 1 + len]);
        name.chars().next().is_some_and(chars::is_name_start)
    }

    /// A `<` that begins nothing: in recover mode it is text, with what stands behind it up to the last `<` among the
    /// `len` bytes that are no name. Those have been looked at, and must not be looked at again for each `<`.
    #[inline(never)]
    fn not_a_tag(&mut self, at: usize, len: usize) -> Parse<()> {
        self.complain(at, || "found `<` without a name; expected a tag, or `&lt;` for the character".into())?;
        let bytes = self.reader.bytes;
        let end = at + 1 + memchr::memrchr(b'<', &bytes[at + 1..at + 1 + len]).unwrap_or(0);
        if !self.tags.is_empty() {
            self.own_run();
            self.run.value.push_str(&String::from_utf8_lossy(&bytes[at..end]));
        }
        self.reader.at = end;
        self.reader.marks.pass_before(end);
        Ok(())
    }

    #[inline(never)]
    fn name_fault(&mut self, at: usize, len: usize, fault: NameFault) -> Parse<()> {
        let name = String::from_utf8_lossy(&self.reader.bytes[at..at + len]).into_owned();
        let name: String = name.chars().take(60).collect();
        self.complain(at, || match fault {
            NameFault::Character if name.is_empty() => "found no name; expected one".into(),
            NameFault::Character => format!("`{name}` is not a name"),
            NameFault::Colon => format!("`{name}` is not a name with a prefix"),
        })
    }

    #[inline(never)]
    fn check_single_root(&mut self, at: usize) -> Parse<()> {
        if self.has_root {
            self.complain(at, || "found a second root element; a document has one".into())?;
        }
        self.has_root = true;
        Ok(())
    }

    /// Something that is neither white space nor an end in a tag; says where to go on, `None` to end the tag there.
    #[inline(never)]
    fn stray_in_tag(&mut self, element: RawId, at: usize) -> Parse<Option<usize>> {
        let name = self.raw_names.get(element).text.clone();
        match self.reader.bytes.get(at) {
            None => {
                self.complain(at, || format!("found the end of the document in the tag `{name}`; expected `>`"))?;
                Ok(None)
            }
            Some(b'/') => {
                self.complain(at, || format!("found `/` in the tag `{name}`; expected `/>`"))?;
                Ok(Some(at + 1))
            }
            Some(b'<') => {
                self.complain(at, || format!("found `<` in the tag `{name}`; expected `>`"))?;
                self.reader.at = at;
                Ok(None)
            }
            Some(_) => {
                self.complain(at, || format!("found no white space before an attribute of the tag `{name}`"))?;
                let mut preserve = None;
                self.attribute(element, at, &mut preserve).map(Some)
            }
        }
    }

    /// Reads the attribute at `at` and gives the place behind it.
    #[inline(never)]
    fn attribute(&mut self, element: RawId, at: usize, preserve: &mut Option<bool>) -> Parse<usize> {
        // What stands between here and the quote that the next mark tells of is a name and `=`, nearly always, and
        // then its length is known without looking for its end.
        let bytes = self.reader.bytes;
        let quote = self.reader.marks.peek();
        let known = (quote > at + 1 && bytes.get(quote - 1) == Some(&b'='))
            .then(|| self.raw_names.find(bytes, at, quote - 1 - at))
            .flatten();
        let (name, quote) = match known {
            Some(name) => (name, quote),
            None => match self.attribute_name_and_quote(at)? {
                Ok(found) => found,
                Err(behind) => return Ok(behind),
            },
        };
        let value = self.value(name, quote, bytes[quote])?;
        self.take_attribute(element, name, value, preserve, at)?;
        // A value without its end has no quote behind it either.
        Ok((value.end() + 1).min(bytes.len()))
    }

    /// The name of the attribute at `at` and the place of the quote that opens its value, or the place behind what
    /// is no attribute.
    #[inline(never)]
    fn attribute_name_and_quote(&mut self, at: usize) -> Parse<Result<(RawId, usize), usize>> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at);
        let (name, fault) = self.raw_names.intern(bytes, at, len, head);
        if let Some(fault) = fault {
            self.name_fault(at, len, fault)?;
            if len == 0 {
                return Ok(Err(at + 1));
            }
        }
        let equals = self.skip_space(at + len);
        if bytes.get(equals) != Some(&b'=') {
            return self.attribute_without_value(name, equals).map(Err);
        }
        let quote = self.skip_space(equals + 1);
        if !matches!(bytes.get(quote), Some(b'"' | b'\'')) {
            return self.unquoted_value(name, quote).map(Err);
        }
        Ok(Ok((name, quote)))
    }

    /// The value whose opening quote is at `at`.
    #[inline(always)]
    fn value(&mut self, name: RawId, at: usize, quote: u8) -> Parse<Piece> {
        self.reader.marks.pass_through(at);
        let start = at + 1;
        let mut is_encoded = false;
        loop {
            let end = self.reader.marks.take();
            let Some(&byte) = self.reader.bytes.get(end) else { return self.value_without_end(name, at) };
            match byte {
                _ if byte == quote => {
                    return Ok(Piece::new(start, end, is_encoded));
                }
                b'"' | b'\'' | b'>' => {}
                b'&' | b'\r' => is_encoded = true,
                b'<' => {
                    let name = self.raw_names.get(name).text.clone();
                    self.complain(end, || format!("found `<` in the value of `{name}`; expected `&lt;`"))?;
                }
                _ => {
                    is_encoded = true;
                    self.bad_character(end)?;
                }
            }
        }
    }

    #[inline(never)]
    fn value_without_end(&mut self, name: RawId, at: usize) -> Parse<Piece> {
        let text = self.raw_names.get(name).text.clone();
        self.complain(at, || format!("found no closing quote of the value of `{text}`"))?;
        let end = self.reader.bytes.len();
        Ok(Piece::new(at + 1, end, true))
    }

    #[inline(never)]
    fn attribute_without_value(&mut self, name: RawId, at: usize) -> Parse<usize> {
        let name = self.raw_names.get(name).text.clone();
        self.complain(at, || format!("found no `=` behind the attribute `{name}`"))?;
        Ok(at)
    }

    #[inline(never)]
    fn unquoted_value(&mut self, name: RawId, at: usize) -> Parse<usize> {
        let name = self.raw_names.get(name).text.clone();
        self.complain(at, || format!("found no quote at the value of `{name}`"))?;
        let rest = &self.reader.bytes[at..];
        let len = rest.iter().position(|&byte| is_space(byte) || matches!(byte, b'>' | b'<')).unwrap_or(rest.len());
        Ok(at + len)
    }

    #[inline(always)]
    fn take_attribute(
        &mut self,
        element: RawId,
        name: RawId,
        value: Piece,
        preserve: &mut Option<bool>,
        at: usize,
    ) -> Parse<()> {
        let (hash, has_control) = scan::hash_value(self.reader.bytes, value.start, value.end());
        let is_encoded = value.is_encoded() || has_control;
        let base = self.reader.base;
        let span = Span::new(base + value.start as u32, base + value.end() as u32, is_encoded);
        let (span, hash) = if is_encoded || self.dtd.declares_attributes() {
            self.decoded_value(element, name, value, span)?
        } else {
            (span, hash)
        };
        let entry = self.raw_names.get(name);
        match entry.role {
            Role::Plain if entry.prefix_len == 0 => {
                let resolved = entry.as_attribute;
                let name = if resolved.scope == 0 { resolved.name } else { self.unprefixed(name) };
                self.builder.attribute(name, span, hash);
                Ok(())
            }
            Role::Plain => {
                self.prefixed.push(Prefixed { name, value: span, hash, at });
                Ok(())
            }
            Role::Space => {
                *preserve = space_value(&self.value_text(span));
                self.prefixed.push(Prefixed { name, value: span, hash, at });
                Ok(())
            }
            Role::DefaultNamespace | Role::Prefix => self.declare_namespace(name, span, at),
        }
    }

    /// The value of an attribute that must be decoded or that the DTD may have something to say of.
    #[inline(never)]
    fn decoded_value(&mut self, element: RawId, name: RawId, piece: Piece, span: Span) -> Parse<(Span, u64)> {
        let written = String::from_utf8_lossy(&self.reader.bytes[piece.start..piece.end()]).into_owned();
        let name_text = self.raw_names.get(name).text.clone();
        let element_text = &self.raw_names.get(element).text;
        let declared = self.dtd.attributes_of(element_text).iter().find(|declared| *declared.name == *name_text);
        let is_tokenized = declared.is_some_and(|declared| declared.is_tokenized);
        let mut value = String::with_capacity(written.len());
        match self.dtd.entities.expand_attribute(&written, &mut value, &mut self.entity_bytes_left) {
            Ok(()) => {}
            Err(EntityFault::TooMuch) => return Err(self.entity_limit(piece.start)),
            // A `<` written here has been complained of; one out of an entity has not.
            Err(EntityFault::LessThan(entity)) if entity.is_empty() => value = decode_attribute(&written),
            Err(EntityFault::Undeclared(_)) if self.dtd.is_partial => value = decode_attribute(&written),
            Err(fault) => {
                self.complain(piece.start, || fault.message())?;
                value = decode_attribute(&written);
            }
        }
        if is_tokenized {
            value = collapse_spaces(&value);
        }
        let hash = hash::bytes(value.as_bytes());
        if value == decode_attribute(&written) {
            return Ok((span, hash));
        }
        Ok((self.keep_attribute(&name_text, &value), hash))
    }

    /// Puts an attribute on the heap as it would be written, since its prefix is looked for before its value.
    fn keep_attribute(&mut self, name: &str, value: &str) -> Span {
        self.heap.push(' ');
        self.heap.push_str(name);
        self.heap.push_str("=\"");
        let span = self.keep(value);
        self.heap.push('"');
        span
    }

    #[inline(never)]
    fn unprefixed(&mut self, raw: RawId) -> NameId {
        let name = self.builder.names.intern("", &self.raw_names.get(raw).text);
        // Without a prefix an attribute is in no namespace in any scope; 0 is the outermost.
        self.raw_names.get_mut(raw).as_attribute = Resolved { scope: 0, name };
        name
    }

    /// The value behind a span of the current reader or the heap.
    fn value_text(&self, span: Span) -> String {
        let written = if span.start() >= self.heap_base {
            let start = (span.start() - self.heap_base) as usize;
            return self.heap[start..start + span.len() as usize].to_owned();
        } else {
            let start = (span.start() - self.reader.base) as usize;
            String::from_utf8_lossy(&self.reader.bytes[start..start + span.len() as usize]).into_owned()
        };
        if span.is_encoded() { decode_attribute(&written) } else { written }
    }

    #[inline(never)]
    fn declare_namespace(&mut self, raw: RawId, value: Span, at: usize) -> Parse<()> {
        let uri = self.value_text(value);
        let text = self.raw_names.get(raw).text.clone();
        let prefix = text.strip_prefix("xmlns:").unwrap_or("");
        if let Some(fault) = declaration_fault(prefix, &uri) {
            self.complain(at, || fault)?;
            return Ok(());
        }
        let element = self.builder.len() as u32;
        if self.scopes.is_bound_by(prefix, element) {
            return self.complain(at, || format!("found the attribute `{text}` twice"));
        }
        let prefix_span = self.keep(prefix);
        self.builder.declaration(prefix_span, value);
        self.scopes.bind(prefix, &uri, element);
        Ok(())
    }

    /// Opens the element of a tag whose attributes have been read.
    #[inline(never)]
    fn open(&mut self, tag: Tag, at: usize, preserve: Option<bool>) -> Parse<()> {
        if self.dtd.declares_attributes() {
            self.add_default_namespaces(tag.name, at)?;
        }
        if !self.prefixed.is_empty() {
            self.resolve_prefixed()?;
        }
        let resolved = self.raw_names.get(tag.name).as_element;
        let name =
            if resolved.scope == self.scopes.current() { resolved.name } else { self.resolve_element(tag.name, at)? };
        let mut preserve = preserve;
        if self.dtd.declares_attributes() {
            self.add_declared(tag.name, name, &mut preserve, at)?;
        }
        if self.builder.new_attributes().len() > 1 {
            self.check_attributes(at)?;
        }
        self.check_nodes(at)?;
        if self.tags.len() >= self.options.limits.max_depth {
            return Err(self.limit("levels of nesting", self.options.limits.max_depth, "--max-depth", at));
        }
        self.builder.open(Label::new(Kind::Element, name), self.reader.base + at as u32, preserve);
        self.tags.push(tag);
        if self.options.recover {
            self.count_open(tag.name, 1);
        }
        Ok(())
    }

    fn count_open(&mut self, name: RawId, by: i32) {
        if self.open_names.len() <= name.index() {
            self.open_names.resize(name.index() + 1, 0);
        }
        let count = &mut self.open_names[name.index()];
        *count = count.saturating_add_signed(by);
    }

    #[inline(always)]
    fn check_attributes(&mut self, at: usize) -> Parse<()> {
        let limit = self.options.limits.max_attributes;
        if self.builder.new_attributes().len() > limit {
            return Err(self.limit("attributes of one element", limit, "--max-attributes", at));
        }
        if let Some(twice) = self.builder.sort_attributes() {
            self.attribute_twice(twice, at)?;
        }
        Ok(())
    }

    #[inline(never)]
    fn attribute_twice(&mut self, name: NameId, at: usize) -> Parse<()> {
        let name = self.builder.names.get(name).to_string();
        self.complain(at, || format!("found the attribute `{name}` twice"))?;
        let values = self.builder.new_attributes().iter().map(|attribute| self.value_text(attribute.value));
        let hashes: Vec<u64> = values.map(|value| hash::bytes(value.as_bytes())).collect();
        self.builder.drop_duplicate_attributes(&hashes);
        Ok(())
    }

    #[inline(never)]
    fn resolve_prefixed(&mut self) -> Parse<()> {
        let prefixed = std::mem::take(&mut self.prefixed);
        for attribute in &prefixed {
            let name = self.attribute_name(attribute.name, attribute.at)?;
            self.builder.attribute(name, attribute.value, attribute.hash);
        }
        self.prefixed = prefixed;
        self.prefixed.clear();
        Ok(())
    }

    fn attribute_name(&mut self, raw: RawId, at: usize) -> Parse<NameId> {
        let scope = self.scopes.current();
        let entry = self.raw_names.get(raw);
        if entry.as_attribute.scope == scope {
            return Ok(entry.as_attribute.name);
        }
        let text = entry.text.clone();
        let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
        let uri = if prefix.is_empty() { None } else { self.uri_of(prefix, at)? };
        let name = self.builder.names.intern(uri.as_deref().unwrap_or(""), if uri.is_some() { local } else { &text });
        self.raw_names.get_mut(raw).as_attribute = Resolved { scope, name };
        Ok(name)
    }

    #[inline(never)]
    fn resolve_element(&mut self, raw: RawId, at: usize) -> Parse<NameId> {
        let text = self.raw_names.get(raw).text.clone();
        let (prefix, local) = text.split_once(':').unwrap_or(("", &text));
        let uri = if prefix.is_empty() { self.scopes.uri("") } else { self.uri_of(prefix, at)? };
        let local = if uri.is_none() && !prefix.is_empty() { &text } else { local };
        let name = self.builder.names.intern(uri.as_deref().unwrap_or(""), local);
        self.raw_names.get_mut(raw).as_element = Resolved { scope: self.scopes.current(), name };
        Ok(name)
    }

    fn uri_of(&mut self, prefix: &str, at: usize) -> Parse<Option<std::rc::Rc<str>>> {
        let uri = self.scopes.uri(prefix);
        if uri.is_none() {
            self.complain(at, || format!("prefix `{prefix}` is not declared"))?;
        }
        Ok(uri)
    }

    /// Makes the namespace declarations that the DTD has as defaults.
    #[inline(never)]
    fn add_default_namespaces(&mut self, element: RawId, at: usize) -> Parse<()> {
        let element_text = self.raw_names.get(element).text.clone();
        for declared in self.dtd.attributes_of(&element_text) {
            let prefix = match declared.name.strip_prefix("xmlns") {
                Some("") => "",
                Some(rest) if rest.starts_with(':') => &rest[1..],
                _ => continue,
            };
            let Some(default) = &declared.default else { continue };
            if self.scopes.is_bound_by(prefix, self.builder.len() as u32) {
                continue;
            }
            let (raw, fault) = self.raw_names.intern_alone(&declared.name);
            let span = self.keep_attribute(&declared.name, default);
            if fault.is_none() {
                self.declare_namespace(raw, span, at)?;
            }
        }
        Ok(())
    }

    /// Adds the attributes that the DTD gives a default for, and notes which are IDs.
    #[inline(never)]
    fn add_declared(&mut self, element: RawId, name: NameId, preserve: &mut Option<bool>, at: usize) -> Parse<()> {
        let element_text = self.raw_names.get(element).text.clone();
        let given = self.builder.new_attributes().len();
        for declared in self.dtd.attributes_of(&element_text) {
            let Some(attribute) = self.declared_name(declared, at)? else { continue };
            if declared.is_id {
                let pair = [name.0, attribute.0];
                if let Err(place) = self.id_attributes.binary_search(&pair) {
                    self.id_attributes.insert(place, pair);
                }
            }
            let is_given = self.builder.new_attributes()[..given].iter().any(|given| given.name == attribute.0);
            let Some(default) = declared.default.as_ref().filter(|_| !is_given) else { continue };
            if declared.name == "xml:space" {
                *preserve = space_value(default);
            }
            let bytes = declared.name.len() + default.len();
            self.default_bytes_left =
                self.default_bytes_left.checked_sub(bytes).ok_or_else(|| self.entity_limit(at))?;
            let span = self.keep_attribute(&declared.name, default);
            self.builder.attribute(attribute, span, hash::bytes(default.as_bytes()));
        }
        Ok(())
    }

    /// The name of a declared attribute; `None` for a namespace declaration, and where its prefix means nothing.
    fn declared_name(&mut self, declared: &AttributeDeclaration, at: usize) -> Parse<Option<NameId>> {
        let (raw, fault) = self.raw_names.intern_alone(&declared.name);
        if fault.is_some() {
            return Ok(None);
        }
        let entry = self.raw_names.get(raw);
        match entry.role {
            Role::DefaultNamespace | Role::Prefix => Ok(None),
            _ if entry.prefix_len == 0 => Ok(Some(self.unprefixed(raw))),
            _ if declared.default.is_none() && self.scopes.uri(&entry.text[..entry.prefix_len as usize]).is_none() => {
                Ok(None)
            }
            _ => self.attribute_name(raw, at).map(Some),
        }
    }

    #[inline(never)]
    fn end_tag(&mut self, at: usize) -> Parse<()> {
        let start = at + 2;
        let Some(&tag) = self.tags.last() else { return self.unmatched_end_tag(at) };
        let bytes = self.reader.bytes;
        let len = self.raw_names.get(tag.name).text.len();
        let is_inside = self.tags.len() > self.reader.tags;
        let matches = is_inside && self.raw_names.is_at(tag.name, bytes, start);
        let mut cursor = start + len;
        if !matches || !matches!(bytes.get(cursor), Some(b'>')) {
            cursor = self.skip_space(cursor);
            let ends = matches && bytes.get(cursor) == Some(&b'>');
            if !ends {
                return self.unmatched_end_tag(at);
            }
        }
        self.reader.at = cursor + 1;
        self.reader.marks.pass_through(cursor);
        self.close(cursor + 1)
    }

    /// An end tag that does not close the innermost element, or is not complete.
    #[inline(never)]
    fn unmatched_end_tag(&mut self, at: usize) -> Parse<()> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at + 2);
        let found = String::from_utf8_lossy(&bytes[at + 2..at + 2 + len.min(60)]).into_owned();
        let expected = match self.tags.last().filter(|_| self.tags.len() > self.reader.tags) {
            Some(tag) => format!("`</{}>`", self.raw_names.get(tag.name).text),
            None => "no end tag, since nothing is open".into(),
        };
        self.complain(at, || format!("found `</{found}`; expected {expected}"))?;
        let (name, fault) = self.raw_names.intern(bytes, at + 2, len, head);
        self.skip_tag(at);
        let end = self.reader.at;
        let is_open = fault.is_none() && self.open_names.get(name.index()).is_some_and(|&count| count > 0);
        // One that is open only outside of the entity being read is not to be closed from in here.
        let is_near = || self.tags[self.reader.tags..].iter().any(|tag| tag.name == name);
        if is_open && (self.suspended.is_empty() || is_near()) {
            loop {
                let closes = self.tags.last().is_none_or(|tag| tag.name == name);
                self.close(end)?;
                if closes {
                    break;
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn close(&mut self, end: usize) -> Parse<()> {
        let Some(tag) = self.tags.pop() else { return Ok(()) };
        if self.scopes.depth() > tag.scope_depth {
            self.scopes.leave(tag.scope, tag.scope_depth);
        }
        if self.options.recover {
            self.count_open(tag.name, -1);
        }
        self.builder.close(self.reader.base + end as u32);
        Ok(())
    }

    // ---- limits and faults

    #[inline(always)]
    fn check_nodes(&self, at: usize) -> Parse<()> {
        if self.builder.len() < self.options.limits.max_nodes {
            return Ok(());
        }
        Err(self.limit("nodes", self.options.limits.max_nodes, "--max-nodes", at))
    }

    #[inline(never)]
    fn limit(&self, what: &'static str, limit: usize, option: &'static str, at: usize) -> Box<ParseError> {
        let position = Position::of(self.source, self.source_position(at));
        Box::new(ParseError::Limit { what, limit, option, position: Some(position) })
    }

    fn entity_limit(&self, at: usize) -> Box<ParseError> {
        self.limit("bytes out of entities", self.options.limits.max_entity_bytes, "--max-entity-bytes", at)
    }

    /// Where in the source the fault at `at` shows: inside an entity, at the outermost reference.
    fn source_position(&self, at: usize) -> usize {
        self.suspended.first().map_or(at, |source| source.at)
    }

    /// Ends the parse, or notes a fault to be read over.
    #[inline(never)]
    fn complain(&mut self, at: usize, message: impl FnOnce() -> String) -> Parse<()> {
        let position = self.source_position(at);
        Ok(self.issues.complain(self.source, position, message())?)
    }
}

/// What there is to read.
pub(super) struct Input<'s> {
    pub(super) source: &'s [u8],
    /// Where content begins: behind the XML declaration.
    pub(super) start: usize,
    pub(super) is_checked: bool,
    pub(super) dtd: &'s Dtd,
    pub(super) doctype: Option<Span>,
}

/// Room is made for a node in this many bytes, which is dense; memory that is not written to is not taken.
const BYTES_PER_NODE: usize = 32;

/// Longer names of entities are not looked for.
const MAX_REFERENCE: usize = 4096;

/// The characters that a piece of the source begins with: up to what is cut or not UTF-8.
fn valid_start(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}

fn text_run(span: Span, value: &str, origin: Option<Span>) -> TextRun {
    TextRun { span, hash: hash::bytes(value.as_bytes()), is_blank: is_blank(value.as_bytes()), origin }
}

fn space_value(value: &str) -> Option<bool> {
    match value {
        "preserve" => Some(true),
        "default" => Some(false),
        _ => None,
    }
}

/// What is wrong with binding `prefix` to `uri`.
fn declaration_fault(prefix: &str, uri: &str) -> Option<String> {
    match (prefix, uri) {
        ("xmlns", _) => Some("prefix `xmlns` cannot be declared".into()),
        ("xml", XML_NAMESPACE) => None,
        ("xml", _) => Some(format!("prefix `xml` cannot mean `{uri}`")),
        (_, XML_NAMESPACE | XMLNS_NAMESPACE) => Some(format!("`{uri}` cannot be bound to `{prefix}`")),
        ("", _) => None,
        (_, "") => Some(format!("prefix `{prefix}` cannot be undeclared")),
        _ => None,
    }
}
