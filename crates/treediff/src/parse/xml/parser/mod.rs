//! What does the document contain? From mark to mark through the content, into the builder.
//!
//! Every rule of well-formedness that concerns content is checked here. A fault goes through
//! [`Parser::complain`], which ends the parse, or in recover mode notes the fault and lets the caller read on; what
//! it then does stands right behind the call.

mod attributes;
mod known;
mod markup;
mod names;
mod references;
mod tags;
mod text;

use std::borrow::Cow;
use std::collections::HashSet;

use super::Dialect;
use super::dtd::Dtd;
use super::raw_names::{RawId, RawNames};
use super::scan::{MarkRoom, Marks};
use super::scopes::Scopes;
use super::shapes::{MAX_ATTRIBUTES, Shapes};
use crate::parse::encoding::not_encoded_as;
use crate::parse::issue::{Issues, Position, short};
use crate::parse::{Options, ParseError};
use crate::tree::{Builder, MAX_TEXT_BYTES, Span};
use attributes::Prefixed;
use known::Layout;
use tags::Tag;
use text::{Piece, Run};

/// What there is to read.
pub(super) struct Input<'s> {
    pub(super) source: &'s [u8],
    /// Where content begins: behind the XML declaration.
    pub(super) start: usize,
    pub(super) is_checked: bool,
    pub(super) dtd: &'s Dtd,
    pub(super) doctype: Option<Span>,
    pub(super) dialect: Dialect,
}

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
    /// Where the marks of the last entity that was left were, to be used again.
    spare_room: Option<MarkRoom>,
    builder: Builder,
    raw_names: RawNames,
    scopes: Scopes,
    shapes: Shapes,
    /// Where the values of the known tag being read stand.
    values: [Span; MAX_ATTRIBUTES],
    layouts: [Layout; 17],
    /// A known text as it reads.
    decoded: Vec<u8>,
    tags: Vec<Tag>,
    /// How often each name is among the open tags; kept in recover mode only.
    open_names: Vec<u32>,
    /// Attributes of the tag being read whose prefix is not resolved yet.
    prefixed: Vec<Prefixed>,
    /// The attributes of the tag being read, by name; kept where the DTD declares any.
    given: Vec<RawId>,
    run: Run,
    /// Texts that are no piece of the source; stands behind it and the entities in the document's text.
    heap: String,
    heap_base: u32,
    heap_is_full: bool,
    id_attributes: Vec<[u32; 2]>,
    /// The elements whose ID attributes are in that list.
    id_elements: HashSet<u32>,
    issues: Issues,
    entity_bytes_left: usize,
    /// What the defaults of attributes may still amount to: few of them and few elements make very many attributes.
    default_bytes_left: usize,
    has_root: bool,
    /// Whether more can be written than XML has; see `escapes`.
    has_escapes: bool,
    is_delta: bool,
    /// Whether the operation being read preserves white space, whatever its payload says of that.
    preserves_all: bool,
}

/// A source of characters: the document, or an entity.
struct Reader<'s> {
    bytes: &'s [u8],
    /// Where `bytes` stand in the document's text.
    base: u32,
    at: usize,
    marks: Marks<'s>,
    entity: &'s str,
    /// Where the reference to it stands in the reader around it.
    entered_at: usize,
    /// How many tags were open when it began; as many must be at its end.
    tags: usize,
}

/// What a parser has found.
pub(super) struct Content {
    pub(super) builder: Builder,
    pub(super) heap: String,
    pub(super) id_attributes: Vec<[u32; 2]>,
    pub(super) issues: Issues,
    pub(super) scratch: Scratch,
}

/// Memory that one parse leaves to the next.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    raw_names: Option<RawNames>,
    shapes: Option<Shapes>,
    room: Option<MarkRoom>,
    tags: Vec<Tag>,
    pub(super) builder: Option<Builder>,
}

/// Errors are rare and large: boxed, so that what is returned all the time fits into registers.
type Parse<T> = Result<T, Box<ParseError>>;

impl<'s> Parser<'s> {
    pub(super) fn new(
        input: Input<'s>,
        options: &'s Options,
        issues: Issues,
        entity_bytes_left: usize,
        scratch: Scratch,
    ) -> Self {
        let Input { source, start, is_checked, dtd, doctype, dialect } = input;
        let mut marks = Marks::new(source, !is_checked, scratch.room);
        marks.pass_before(start);
        let builder = match scratch.builder {
            Some(used) => used.restarted(options.whitespace),
            None => {
                let (nodes, attributes) = room(source);
                Builder::new(options.whitespace, nodes, attributes)
            }
        };
        Parser {
            options,
            source,
            dtd,
            doctype,
            reader: Reader { bytes: source, base: 0, at: start, marks, entity: "", entered_at: 0, tags: 0 },
            suspended: Vec::new(),
            spare_room: None,
            builder,
            raw_names: scratch.raw_names.map_or_else(RawNames::new, RawNames::restarted),
            scopes: Scopes::new(),
            shapes: scratch.shapes.map_or_else(Shapes::new, Shapes::restarted),
            values: [Span::default(); MAX_ATTRIBUTES],
            layouts: [Layout::NONE; 17],
            decoded: Vec::new(),
            tags: scratch.tags,
            open_names: Vec::new(),
            prefixed: Vec::new(),
            given: Vec::new(),
            run: Run::default(),
            heap: String::new(),
            heap_base: (source.len() + dtd.entities.text().len()) as u32,
            heap_is_full: false,
            id_attributes: Vec::new(),
            id_elements: HashSet::new(),
            issues,
            entity_bytes_left,
            default_bytes_left: default_bytes(source, options),
            has_root: false,
            has_escapes: dialect == Dialect::EscapedDelta,
            is_delta: dialect != Dialect::Document,
            preserves_all: false,
        }
    }

    /// Reads to the end.
    pub(super) fn content(mut self) -> Parse<Content> {
        loop {
            self.known()?;
            let piece = self.text()?;
            match self.reader.bytes.get(piece.end()) {
                Some(b'<') => self.markup(piece)?,
                Some(_) => self.reference(piece)?,
                None if self.suspended.is_empty() => break self.finish(piece)?,
                None => self.leave_entity(piece)?,
            }
        }
        if self.heap_is_full {
            return Err(Box::new(ParseError::TooLarge { limit: MAX_TEXT_BYTES }));
        }
        let Parser { builder, heap, id_attributes, issues, raw_names, shapes, tags, reader, .. } = self;
        let room = Some(reader.marks.into_room());
        let scratch = Scratch { raw_names: Some(raw_names), shapes: Some(shapes), room, tags, builder: None };
        Ok(Content { builder, heap, id_attributes, issues, scratch })
    }

    fn finish(&mut self, last: Piece) -> Parse<()> {
        // Tags pass their marks without a look at each, so that only here it is certain that all of it is UTF-8.
        if let Some(at) = self.reader.marks.invalid_at() {
            self.complain(at, || not_encoded_as("UTF-8"))?;
        }
        self.emit_text(last)?;
        let end = self.reader.bytes.len();
        if let Some(&Tag { name, .. }) = self.tags.last() {
            self.complain_of(name, end, |name| format!("found the end of the document; expected `</{name}>`"))?;
            while !self.tags.is_empty() {
                self.close(end)?;
            }
        }
        if !self.has_root {
            self.complain(end, || "found the end of the document; expected a root element".into())?;
        }
        Ok(())
    }

    /// What begins with the `<` behind `text`.
    #[inline(always)]
    fn markup(&mut self, text: Piece) -> Parse<()> {
        let at = text.end();
        self.reader.marks.pass();
        match self.reader.bytes.get(at + 1) {
            Some(b'!') => self.declaration(text),
            Some(b'?') => self.processing_instruction(text),
            next => {
                if self.options.recover && self.is_left_out(at) {
                    self.run_on(text);
                } else {
                    self.emit_text(text)?;
                }
                if next == Some(&b'/') { self.end_tag(at) } else { self.start_tag(at) }
            }
        }
    }

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

    /// Where in the source the fault at `at` shows: inside an entity, at the outermost reference.
    fn source_position(&self, at: usize) -> usize {
        match self.suspended.len() {
            0 => at,
            1 => self.reader.entered_at,
            _ => self.suspended[1].entered_at,
        }
    }

    /// Ends the parse, or notes a fault to be read over.
    #[inline(never)]
    fn complain(&mut self, at: usize, message: impl FnOnce() -> String) -> Parse<()> {
        // Behind bytes that are not UTF-8 there are no marks, and what is found wrong there is only their echo.
        if let Some(invalid) = self.reader.marks.invalid_at().filter(|&invalid| invalid < at) {
            return Ok(self.issues.complain(self.source, invalid, not_encoded_as("UTF-8"))?);
        }
        if self.issues.is_full() {
            self.issues.count();
            return Ok(());
        }
        let position = self.source_position(at);
        Ok(self.issues.complain(self.source, position, message())?)
    }

    /// The same about something that has a name.
    #[inline(never)]
    fn complain_of(&mut self, name: RawId, at: usize, message: impl FnOnce(&str) -> String) -> Parse<()> {
        let name = short(&self.raw_names.get(name).text);
        self.complain(at, || message(&name))
    }
}

/// What the defaults of attributes may amount to: as much as the source, and what entities may.
fn default_bytes(source: &[u8], options: &Options) -> usize {
    source.len().saturating_add(options.limits.max_entity_bytes)
}

/// The nodes and attributes that room is made for. Large sources are sampled, so that arrays neither grow nor leave much behind
/// when they are cut to what is in them: that would be memory between others which are too large for it.
fn room(source: &[u8]) -> (usize, usize) {
    if source.len() < SAMPLED {
        // One in 12 bytes for the first kilobytes, since to make more room takes longer than to parse them.
        let nodes = 16 + source.len().min(4096) / 12 + source.len().saturating_sub(4096) / 32;
        return (nodes, nodes / 2);
    }
    let samples = || source.chunks(SAMPLE * SAMPLED_ONE_IN).map(|piece| &piece[..piece.len().min(SAMPLE)]);
    let nodes = samples().map(|sample| usize::from(begins(sample))).sum::<usize>();
    let equals = |sample: &[u8]| sample.iter().map(|&byte| u8::from(byte == b'=')).sum::<u8>();
    let attributes = samples().map(|sample| usize::from(equals(sample))).sum::<usize>();
    // An eighth more, for what the samples missed; whoever writes a source of nothing but `<` gets no more than others do.
    let scaled = |found: usize| (found * SAMPLED_ONE_IN / 8 * 9 + 16).min(source.len() / 12);
    (scaled(nodes), scaled(attributes))
}

/// How many nodes begin in a sample: tags and the like, or texts before an end tag; mostly white space is none. It is added up in
/// bytes and without a jump, so that the machine can do it for many at once: a sample has room for no more than a byte counts.
fn begins(sample: &[u8]) -> u8 {
    let (Some(second), Some(third)) = (sample.get(1..), sample.get(2..)) else { return 0 };
    let triples = sample.iter().zip(second).zip(third);
    let begins = triples.map(|((&before, &at), &behind)| {
        let is_text_before =
            !((before == b'>') | (before == b' ') | (before == b'\t') | (before == b'\n') | (before == b'\r'));
        u8::from((at == b'<') & ((behind != b'/') | is_text_before))
    });
    begins.sum()
}

/// Bytes of a source that is sampled, of each sample, and how much of the source they are.
const SAMPLED: usize = 64 << 10;
const SAMPLE: usize = 128;
const SAMPLED_ONE_IN: usize = 32;

/// The characters of a piece of the source. Most are UTF-8 as a whole, which is told several times as fast as where they
/// are not.
fn characters(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// The characters that a piece of the source begins with: up to what is cut or not UTF-8.
fn valid_start(bytes: &[u8]) -> &str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    }
}
