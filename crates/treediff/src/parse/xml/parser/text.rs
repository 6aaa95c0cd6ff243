//! What does the text between markup say? Pieces between marks, and runs of pieces that make one text.
//!
//! Nearly every text is one piece that ends at a `<`, and goes to the builder as the range that it is. Only a text
//! that goes on over a CDATA section or the edge of an entity is gathered in a [`Run`].

use super::{Parse, Parser, characters, valid_start};
use crate::parse::xml::decode::{character_reference, decode_entity_text, decode_text, named_reference, reference_len};
use crate::parse::xml::scan;
use crate::tree::{MAX_TEXT_BYTES, Span, TextRun, hash, is_blank};

/// A piece of text between marks: its range, and in the top bit of the end whether it must be decoded. A field of one
/// byte for that made the processor wait for it, which took a tenth of the time to parse.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) end_and_mark: usize,
}

impl Piece {
    const MARK: usize = 1 << (usize::BITS - 1);

    #[inline(always)]
    pub(super) fn new(start: usize, end: usize, is_encoded: bool) -> Self {
        Piece { start, end_and_mark: end | if is_encoded { Piece::MARK } else { 0 } }
    }

    #[inline(always)]
    pub(super) fn end(self) -> usize {
        self.end_and_mark & !Piece::MARK
    }

    #[inline(always)]
    pub(super) fn is_encoded(self) -> bool {
        self.end_and_mark & Piece::MARK != 0
    }
}

/// Text that goes on over a CDATA section or the edge of an entity.
#[derive(Debug, Default)]
pub(super) struct Run {
    pub(super) is_active: bool,
    /// The range in the document's text, as long as it is one.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether the value is in `value` because it is no single range.
    pub(super) is_owned: bool,
    pub(super) value: String,
    /// Where it began in the source, if it did, and how far it goes there.
    pub(super) origin: Option<u32>,
    pub(super) origin_end: u32,
}

impl<'s> Parser<'s> {
    /// The text up to the next `<`, to a reference that is more than a character, or to the end.
    #[inline(always)]
    pub(super) fn text(&mut self) -> Parse<Piece> {
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
    pub(super) fn character(&self, at: usize) -> Option<(char, usize)> {
        let bytes = &self.reader.bytes[at..];
        let named = named_reference(bytes);
        if named.is_some() {
            return named;
        }
        character_reference(valid_start(&bytes[..=reference_len(bytes)?]))
    }

    pub(super) fn check_section_end(&mut self, start: usize, at: usize) -> Parse<()> {
        if at >= start + 2 && self.reader.bytes[at - 2..at] == *b"]]" {
            self.complain(at - 2, || "found `]]>` in text; expected `]]&gt;`".into())?;
        }
        Ok(())
    }

    /// Gives the text before some markup to the builder.
    #[inline(always)]
    pub(super) fn emit_text(&mut self, piece: Piece) -> Parse<()> {
        if piece.start == piece.end() && !self.run.is_active { Ok(()) } else { self.emit_some_text(piece) }
    }

    #[inline(never)]
    fn emit_some_text(&mut self, piece: Piece) -> Parse<()> {
        if self.run.is_active {
            self.extend_run(piece);
            return self.flush_run();
        }
        let base = self.reader.base;
        let span = Span::new(base + piece.start as u32, base + piece.end() as u32, piece.is_encoded());
        if piece.is_encoded() || self.tags.is_empty() {
            return self.emit_decoded(piece, span);
        }
        self.check_nodes(piece.start)?;
        let (hash, is_blank) = scan::hash_text(self.reader.bytes, piece.start, piece.end());
        self.builder.plain_text(span, hash, is_blank);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn emit_decoded(&mut self, piece: Piece, span: Span) -> Parse<()> {
        let written = characters(&self.reader.bytes[piece.start..piece.end()]);
        let run = if piece.is_encoded() {
            let value = self.decoded(&written);
            text_run(self.lasting(span, &value), &value, None)
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
    pub(super) fn extend_run(&mut self, piece: Piece) {
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
            let value = self.decoded(&written);
            self.run.value.push_str(&value);
        }
        self.run.end = base + piece.end() as u32;
        if self.suspended.is_empty() {
            self.run.origin_end = piece.end() as u32;
        }
    }

    /// Lets a text go on behind something that is left out.
    pub(super) fn run_on(&mut self, text: Piece) {
        self.extend_run(text);
        self.own_run();
    }

    /// Takes the run's value out of the current reader, because it goes on in another.
    pub(super) fn own_run(&mut self) {
        if self.run.is_active && !self.run.is_owned {
            let start = (self.run.start - self.reader.base) as usize;
            let end = (self.run.end - self.reader.base) as usize;
            let written = String::from_utf8_lossy(&self.reader.bytes[start..end]);
            let value = self.decoded(&written);
            self.run.value.push_str(&value);
        }
        self.run.is_active = true;
        self.run.is_owned = true;
    }

    /// Gives the run to the builder.
    #[inline(never)]
    pub(super) fn flush_run(&mut self) -> Parse<()> {
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
            let value = self.decoded(&String::from_utf8_lossy(written));
            if value.is_empty() {
                return Ok(());
            }
            text_run(self.lasting(Span::new(run.start, run.end, true), &value), &value, None)
        };
        if self.tags.is_empty() {
            return self.text_outside(text, end);
        }
        self.check_nodes(end)?;
        self.builder.text(text);
        Ok(())
    }

    /// The value of what is written in the current reader.
    fn decoded(&self, written: &str) -> String {
        if self.suspended.is_empty() { decode_text(written) } else { decode_entity_text(written) }
    }

    /// Where a value can be decoded from later, when nobody knows any more that a CR in it comes from an entity.
    fn lasting(&mut self, span: Span, value: &str) -> Span {
        if !self.suspended.is_empty() && value.contains('\r') { self.keep(value) } else { span }
    }

    /// Puts a text on the heap. One that has no more room is noted, and the parse fails at its end.
    pub(super) fn keep(&mut self, value: &str) -> Span {
        if self.heap_base as usize + self.heap.len() + value.len() > MAX_TEXT_BYTES {
            self.heap_is_full = true;
            return Span::default();
        }
        let start = self.heap_base + self.heap.len() as u32;
        self.heap.push_str(value);
        Span::plain(start, start + value.len() as u32)
    }

    #[inline(never)]
    pub(super) fn text_outside(&mut self, run: TextRun, at: usize) -> Parse<()> {
        // A space that is written as a reference is no white space between markup.
        let written = self.reader.bytes.get(run.span.range()).unwrap_or_default();
        if run.is_blank && memchr::memchr(b'&', written).is_none() {
            return Ok(());
        }
        let before = if self.has_root { "behind" } else { "before" };
        self.complain(at, || format!("found text {before} the root element"))
    }
}

fn text_run(span: Span, value: &str, origin: Option<Span>) -> TextRun {
    TextRun { span, hash: hash::bytes(value.as_bytes()), is_blank: is_blank(value.as_bytes()), origin }
}
