//! How does a draft become a document? It is written, parsed again, and has to be what the draft says.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, WINDOWS_874, WINDOWS_1252, WINDOWS_1254};

use super::markup::{self, Style};
use super::{Draft, json};
use crate::delta::document_hash;
use crate::parse::encoding::{encode, means_ascii};
use crate::parse::html::encoding_of as html_encoding;
use crate::parse::{self, Limits, Options, ParseError, Whitespace, declared_encoding};
use crate::tree::{Document, Format};

/// Why a draft does not become a document.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum FinishError {
    /// What was written cannot be read.
    #[error("the result cannot be written as a document that can be read: {0}")]
    Unreadable(ParseError),
    /// What was written reads as something else, from the node on that is `at` this place in document order.
    #[error("the result cannot be written: as {format} it would read differently")]
    ReadsDifferently { format: Format, at: u32 },
    /// The page says, or looks, as if it were in another encoding than any that it can be written in.
    #[error("the result cannot be written: in {0} its bytes would be read as another encoding")]
    Encoding(&'static str),
    /// It has not the hash that it should have, but this.
    #[error("the result has the hash {0:016x}")]
    Hash(u64),
}

/// How the new source is read, and what it has to be.
#[derive(Debug, Clone)]
pub(crate) struct Reading<'l> {
    /// What white space is.
    pub(crate) whitespace: Whitespace,
    /// Whether faults are read over: a document that has some keeps them.
    pub(crate) recover: bool,
    /// What the new document may not exceed.
    pub(crate) limits: &'l Limits,
    /// The hash that the document is to have, where it is known.
    pub(crate) hash: Option<u64>,
}

/// In which encoding a document is to be written.
#[derive(Debug, Clone, Copy)]
enum Wanted {
    AsBase,
    Utf8,
}

impl Draft<'_> {
    /// The new source: what was not touched keeps its bytes.
    pub(crate) fn write(&self) -> String {
        match self.format() {
            Format::Json => json::write(self),
            Format::Xml | Format::Html => markup::write(self, Style::default()),
        }
    }

    /// The document that the draft describes, with its new source, in the encoding of the base. Where the new source
    /// with all unchanged bytes would read differently, everything is written anew; where the encoding cannot hold it, as
    /// references do in neither comments nor names, it is in UTF-8 and says so.
    pub(crate) fn finish(&self, reading: &Reading<'_>) -> Result<Document, FinishError> {
        let base = self.base();
        let can_all = Encoding::for_label(base.encoding().as_bytes()).unwrap_or(UTF_8).can_encode_everything();
        let outcome = self.finish_in(Wanted::AsBase, reading);
        match outcome {
            Err(error) if base.format() == Format::Xml && !can_all => {
                self.finish_in(Wanted::Utf8, reading).map_err(|other| error.or(other))
            }
            outcome => outcome,
        }
    }

    fn finish_in(&self, wanted: Wanted, reading: &Reading<'_>) -> Result<Document, FinishError> {
        let mut outcome = self.read(&self.write(), wanted, reading);
        for &style in self.further_styles(reading.recover) {
            outcome = match outcome {
                Ok(document) => return Ok(document),
                Err(error) => self.read(&markup::write(self, style), wanted, reading).map_err(|other| error.or(other)),
            };
        }
        outcome
    }

    /// What to try where the first style does not do. References to what is not known are in documents with a DTD that was
    /// not read, and in any that was read with recover.
    fn further_styles(&self, recover: bool) -> &'static [Style] {
        const REFERRING: Style = Style { is_anew: false, keeps_references: true };
        const ANEW: Style = Style { is_anew: true, keeps_references: false };
        const ANEW_REFERRING: Style = Style { is_anew: true, keeps_references: true };
        match self.format() {
            Format::Json => &[],
            Format::Xml if recover || self.doctype().is_some() => &[REFERRING, ANEW, ANEW_REFERRING],
            Format::Xml | Format::Html => &[ANEW],
        }
    }

    /// Reads what was written; it has to be what the draft says.
    fn read(&self, source: &str, wanted: Wanted, reading: &Reading<'_>) -> Result<Document, FinishError> {
        let base = self.base();
        let (bytes, encoding) = match wanted {
            Wanted::AsBase => self.encoded(source, reading.limits)?,
            Wanted::Utf8 => (declaring_utf8(source).into_bytes(), UTF_8),
        };
        let options = Options {
            whitespace: reading.whitespace,
            encoding: Some(encoding.name().to_owned()),
            recover: reading.recover,
            limits: reading.limits.clone(),
        };
        let parsed = parse::parse(bytes, base.format(), &options).map_err(FinishError::Unreadable)?;
        let document = parsed.document.with_sorted_members();
        let hash = document_hash(&document);
        match self.difference(&document) {
            Some(at) => Err(FinishError::ReadsDifferently { format: self.format(), at }),
            None if reading.hash.is_some_and(|expected| expected != hash) => Err(FinishError::Hash(hash)),
            None => Ok(document),
        }
    }
}

/// In which bytes.
impl Draft<'_> {
    /// The bytes of a new source and their encoding: that of the base, unless a page says of itself what it is in.
    fn encoded(&self, source: &str, limits: &Limits) -> Result<(Vec<u8>, &'static Encoding), FinishError> {
        let base = self.base();
        let encoding = Encoding::for_label(base.encoding().as_bytes()).unwrap_or(UTF_8);
        let bytes_in =
            |encoding| encode(&encodable(source, &unwritten(base, encoding)), encoding, base.has_byte_order_mark());
        let bytes = bytes_in(encoding);
        let said_by = |bytes: &[u8]| html_encoding(bytes, limits);
        if base.format() != Format::Html || said_by(&base.source_bytes()) != encoding {
            return Ok((bytes, encoding));
        }
        let said = said_by(&bytes);
        if said == encoding {
            return Ok((bytes, encoding));
        }
        // Where nobody says anything, the guess is UTF-8 for what is UTF-8.
        let others = [said, UTF_8].map(|encoding| (bytes_in(encoding), encoding));
        let found = others.into_iter().find(|(bytes, encoding)| said_by(bytes) == *encoding);
        found.ok_or(FinishError::Encoding(said.name()))
    }
}

impl FinishError {
    /// Which of two errors says more: what reads as it should, but for its hash, is nearest to what was meant; and what
    /// reads differently with the source of all that was not touched does so near an edit.
    fn or(self, other: FinishError) -> FinishError {
        use FinishError::{Hash, ReadsDifferently};
        match (&self, &other) {
            (Hash(_), _) | (ReadsDifferently { .. }, ReadsDifferently { .. }) => self,
            _ => other,
        }
    }
}

/// A source whose XML declaration, if it names an encoding, names UTF-8.
fn declaring_utf8(source: &str) -> String {
    let declaration = &source[..source.find("?>").unwrap_or(0)];
    let Some(label) = declared_encoding(source) else { return source.to_owned() };
    let named = declaration.find("encoding").and_then(|at| Some(at + declaration[at..].find(&*label)?));
    let Some(start) = named else { return source.to_owned() };
    [&source[..start], "UTF-8", &source[start + label.len()..]].concat()
}

/// A source with references for some characters, which are given in order.
fn encodable<'s>(source: &'s str, unwritten: &[char]) -> Cow<'s, str> {
    let is_unwritten = |c: char| unwritten.binary_search(&c).is_ok();
    if unwritten.is_empty() || !source.contains(is_unwritten) {
        return Cow::Borrowed(source);
    }
    let referred = |c: char| if is_unwritten(c) { format!("&#{};", c as u32) } else { c.to_string() };
    Cow::Owned(source.chars().map(referred).collect())
}

/// The characters that an encoder would write and should not, in order. That of ISO-2022-JP makes references of all
/// but those that it writes itself to go from one alphabet to another.
fn unwritten(base: &Document, encoding: &'static Encoding) -> Vec<char> {
    match base.format() {
        _ if encoding == ISO_2022_JP => vec!['\u{e}', '\u{f}', '\u{1b}'],
        Format::Xml => beyond_label(base.source(), encoding),
        Format::Html | Format::Json => Vec::new(),
    }
}

/// What the Web has in an encoding and the declared label has not: it reads ISO-8859-1 as windows-1252, others take it
/// at its word. A source that makes use of that goes on so.
fn beyond_label(source: &str, encoding: &'static Encoding) -> Vec<char> {
    let label = declared_encoding(source).unwrap_or_default().to_ascii_lowercase();
    let is_at_its_word =
        label.is_empty() || ["windows", "cp125", "x-cp125", "dos-"].iter().any(|it| label.starts_with(it));
    if is_at_its_word || ![WINDOWS_1252, WINDOWS_1254, WINDOWS_874].contains(&encoding) {
        return Vec::new();
    }
    let is_ascii = means_ascii(&label);
    let bytes: Vec<u8> = (0x80..=if is_ascii { 0xFF } else { 0x9F }).collect();
    let (decoded, _) = encoding.decode_without_bom_handling(&bytes);
    let mut beyond: Vec<char> = decoded.chars().filter(|c| is_ascii || !matches!(c, '\u{80}'..='\u{9f}')).collect();
    beyond.sort_unstable();
    let is_used = source.contains(|c| beyond.binary_search(&c).is_ok());
    if is_used { Vec::new() } else { beyond }
}
