//! How does a draft become a document? It is written, parsed again, and has to be what the draft says.

use super::markup::{self, Style};
use super::{Draft, json};
use crate::parse::encoding::encode;
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
}

impl Draft<'_> {
    /// The new source: what was not touched keeps its bytes.
    pub(crate) fn write(&self) -> String {
        match self.format() {
            Format::Json => json::write(self),
            Format::Xml | Format::Html => markup::write(self, Style::Spliced),
        }
    }

    /// The document that the draft describes, with its new source, in the encoding of the base. Where the new source
    /// with all unchanged bytes would read differently, everything is written anew.
    pub(crate) fn finish(&self, whitespace: Whitespace, limits: &Limits) -> Result<Document, FinishError> {
        let spliced = self.read(&self.write(), whitespace, limits);
        match spliced {
            Ok(document) => Ok(document),
            Err(error) if self.format() == Format::Json => Err(error),
            Err(e) => {eprintln!("FELLBACK {e}"); self.read(&markup::write(self, Style::Anew), whitespace, limits)}
        }
    }

    fn read(&self, source: &str, whitespace: Whitespace, limits: &Limits) -> Result<Document, FinishError> {
        let base = self.base();
        let encoding = encoding_rs::Encoding::for_label(base.encoding().as_bytes()).unwrap_or(encoding_rs::UTF_8);
        let options = Options {
            whitespace,
            encoding: Some(encoding.name().to_owned()),
            limits: limits.clone(),
            ..Options::default()
        };
        let bytes = encode(source, encoding, base.has_byte_order_mark());
        let parsed = parse::parse(bytes, base.format(), &options).map_err(FinishError::Unreadable)?;
        let document = parsed.document.with_sorted_members();
        if self.is(&document) { Ok(document) } else { Err(FinishError::ReadsDifferently(self.format())) }
    }
}
