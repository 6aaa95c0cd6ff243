//! What stands between elements? Comments, processing instructions, CDATA sections.

use super::text::Piece;
use super::{Parse, Parser, valid_start};
use crate::parse::encoding::not_encoded_as;
use crate::parse::issue::short;
use crate::parse::xml::scan::{self, is_space};
use crate::parse::xml::{chars, decode_line_ends, escapes};
use crate::tree::{Kind, Label, Span, TextRun, hash};

impl<'s> Parser<'s> {
    #[inline(never)]
    pub(super) fn declaration(&mut self, text: Piece) -> Parse<()> {
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
        self.run_on(text);
        self.skip_tag(at);
        Ok(())
    }

    /// Goes on behind the next `>`.
    pub(super) fn skip_tag(&mut self, at: usize) {
        let bytes = self.reader.bytes;
        let end = memchr::memchr(b'>', &bytes[at..]).map_or(bytes.len(), |len| at + len + 1);
        self.reader.at = end;
        self.reader.marks.pass_before(end);
    }

    pub(super) fn cdata(&mut self, at: usize) -> Parse<()> {
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

    pub(super) fn comment(&mut self, at: usize) -> Parse<()> {
        let start = at + 4;
        let bytes = self.reader.bytes;
        let mut search = start;
        let end = loop {
            let Some(dash) = scan::find_dashes(bytes, search) else {
                self.complain(at, || "found a comment without its end `-->`".into())?;
                break bytes.len();
            };
            search = dash + 1;
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

    #[inline(never)]
    pub(super) fn processing_instruction(&mut self, text: Piece) -> Parse<()> {
        let at = text.end();
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
        if target.eq_ignore_ascii_case("xml") {
            self.complain(at, || format!("found `<?{target}`, which is allowed only at the very beginning"))?;
            self.check_characters(behind)?;
            self.run_on(text);
            self.reader.at = behind;
            return Ok(());
        }
        if !chars::is_name(&target) || target.contains(':') {
            self.complain(at + 2, || match target.is_empty() {
                true => "found `<?` without a name; expected the target of a processing instruction".into(),
                false => format!("found `{}`; expected the target of a processing instruction", short(&target)),
            })?;
        }
        self.emit_text(text)?;
        let is_encoded = self.check_characters(behind)?;
        self.reader.at = behind;
        let spaces = bytes[at + 2 + target_len..end].iter().take_while(|&&byte| is_space(byte)).count();
        let run = self.markup_value(at + 2 + target_len + spaces, end, is_encoded);
        let name = self.builder.names.intern("", &self.read_name(&target));
        self.leaf(Label::new(Kind::ProcessingInstruction, name), run, at)
    }

    /// The value of a comment or a processing instruction.
    pub(super) fn markup_value(&mut self, start: usize, end: usize, is_encoded: bool) -> TextRun {
        let bytes = &self.reader.bytes[start..end];
        let base = self.reader.base;
        let span = Span::new(base + start as u32, base + end as u32, is_encoded);
        if self.has_escapes && memchr::memmem::find(bytes, b"_x").is_some() {
            let written = String::from_utf8_lossy(bytes);
            let value = escapes::unescaped(&decode_line_ends(&written)).into_owned();
            return TextRun {
                span: self.keep(&value),
                hash: hash::bytes(value.as_bytes()),
                is_blank: false,
                // Layout is told by where nodes stand.
                origin: Some(span),
            };
        }
        let hash = if is_encoded {
            hash::bytes(decode_line_ends(&String::from_utf8_lossy(bytes)).as_bytes())
        } else {
            hash::bytes(bytes)
        };
        TextRun { span, hash, is_blank: false, origin: None }
    }

    pub(super) fn leaf(&mut self, label: Label, run: TextRun, at: usize) -> Parse<()> {
        self.check_nodes(at)?;
        self.builder.leaf(label, run);
        Ok(())
    }

    /// Passes the marks up to `end`, and says whether there are characters that must be decoded.
    pub(super) fn check_characters(&mut self, end: usize) -> Parse<bool> {
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
    pub(super) fn bad_character(&mut self, at: usize) -> Parse<()> {
        if self.suspended.is_empty() && self.reader.marks.invalid_at() == Some(at) {
            return self.complain(at, || not_encoded_as("UTF-8"));
        }
        let c = valid_start(&self.reader.bytes[at..self.reader.bytes.len().min(at + 4)]).chars().next();
        let c = c.map_or(0, u32::from);
        self.complain(at, || format!("character U+{c:04X} is not allowed"))
    }
}
