//! How does a draft become a document? It is written, parsed again, and has to be what the draft says.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

use super::markup::{self, Style};
use super::{Draft, json};
use crate::delta::document_hash;
use crate::parse::encoding::encode;
use crate::parse::html::encoding_of as html_encoding;
use crate::parse::{self, Limits, Options, ParseError, Whitespace};
use crate::tree::{Document, Format};

/// Why a draft does not become a document.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum FinishError {
    /// What was written cannot be read.
    #[error("the result cannot be written as a document that can be read: {0}")]
    Unreadable(ParseError),
    /// What was written reads as something else.
    #[error("the result cannot be written: as {0:?} it would read differently")]
    ReadsDifferently(Format),
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

impl Draft<'_> {
    /// The new source: what was not touched keeps its bytes.
    pub(crate) fn write(&self) -> String {
        match self.format() {
            Format::Json => json::write(self),
            Format::Xml | Format::Html => markup::write(self, Style::default()),
        }
    }

    /// The document that the draft describes, with its new source, in the encoding of the base. Where the new source
    /// with all unchanged bytes would read differently, everything is written anew.
    pub(crate) fn finish(&self, reading: &Reading<'_>) -> Result<Document, FinishError> {
        let mut outcome = self.read(&self.write(), reading);
        for &style in self.further_styles() {
            outcome = match outcome {
                Ok(document) => return Ok(document),
                Err(error) => self.read(&markup::write(self, style), reading).map_err(|other| error.or(other)),
            };
        }
        outcome
    }

    /// What to try where the first style does not do.
    fn further_styles(&self) -> &'static [Style] {
        const REFERRING: Style = Style { is_anew: false, keeps_references: true };
        const ANEW: Style = Style { is_anew: true, keeps_references: false };
        const ANEW_REFERRING: Style = Style { is_anew: true, keeps_references: true };
        match self.format() {
            Format::Json => &[],
            Format::Xml if self.doctype().is_some() => &[REFERRING, ANEW, ANEW_REFERRING],
            Format::Xml | Format::Html => &[ANEW],
        }
    }

    /// Reads what was written; it has to be what the draft says.
    fn read(&self, source: &str, reading: &Reading<'_>) -> Result<Document, FinishError> {
        let base = self.base();
        let (bytes, encoding) = self.encoded(source)?;
        let options = Options {
            whitespace: reading.whitespace,
            encoding: Some(encoding.name().to_owned()),
            recover: reading.recover,
            limits: reading.limits.clone(),
        };
        let parsed = parse::parse(bytes, base.format(), &options).map_err(FinishError::Unreadable)?;
        let document = parsed.document.with_sorted_members();
        let hash = document_hash(&document);
        match self.is(&document) {
            false => Err(FinishError::ReadsDifferently(self.format())),
            true if reading.hash.is_some_and(|expected| expected != hash) => Err(FinishError::Hash(hash)),
            true => Ok(document),
        }
    }
}

/// In which bytes.
impl Draft<'_> {
    /// The bytes of a new source and their encoding: that of the base, unless a page says of itself what it is in.
    fn encoded(&self, source: &str) -> Result<(Vec<u8>, &'static Encoding), FinishError> {
        let base = self.base();
        let encoding = Encoding::for_label(base.encoding().as_bytes()).unwrap_or(UTF_8);
        let bytes_in = |encoding| encode(&encodable(source, encoding), encoding, base.has_byte_order_mark());
        let bytes = bytes_in(encoding);
        if base.format() != Format::Html || html_encoding(&base.source_bytes()) != encoding {
            return Ok((bytes, encoding));
        }
        let said = html_encoding(&bytes);
        if said == encoding {
            return Ok((bytes, encoding));
        }
        // Where nobody says anything, the guess is UTF-8 for what is UTF-8.
        let others = [said, UTF_8].map(|encoding| (bytes_in(encoding), encoding));
        let found = others.into_iter().find(|(bytes, encoding)| html_encoding(bytes) == *encoding);
        found.ok_or(FinishError::Encoding(said.name()))
    }
}

impl FinishError {
    /// Which of two errors says more: what reads as it should, but for its hash, is nearest to what was meant.
    fn or(self, other: FinishError) -> FinishError {
        if matches!(self, FinishError::Hash(_)) { self } else { other }
    }
}

/// A source whose characters an encoder writes, or makes references of. That of ISO-2022-JP does so with all but those
/// that it writes itself to go from one alphabet to another.
fn encodable<'s>(source: &'s str, encoding: &'static Encoding) -> Cow<'s, str> {
    const SHIFTS: [char; 3] = ['\u{e}', '\u{f}', '\u{1b}'];
    if encoding != encoding_rs::ISO_2022_JP || !source.contains(SHIFTS) {
        return Cow::Borrowed(source);
    }
    let referred = |c: char| if SHIFTS.contains(&c) { format!("&#{};", c as u32) } else { c.to_string() };
    Cow::Owned(source.chars().map(referred).collect())
}
