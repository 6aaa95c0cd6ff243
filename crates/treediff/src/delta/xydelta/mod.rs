//! How is a delta written down? As XyDelta, an XML document with one element per operation (in pages, per row of siblings).
//!
//! The form is described in `docs/formats/xydelta.md`. Writing goes node by node: a payload has the names, values and
//! prefixes of the document that it is from, the namespace declarations that it needs, and its layout where that stays
//! layout. Reading parses the delta with the parser of all documents, and checks whatever can be checked without the
//! document that the delta is for; the payloads of what comes back are pieces of the parsed delta.
//!
//! Copying the source of a payload instead was rejected: what recovery has read over would have to be found again, and
//! entities, references and prefixes that are declared elsewhere would need the other way to write all the same.

mod check;
mod error;
pub(super) mod escape;
mod fields;
mod head;
mod json;
mod layout;
pub(super) mod namespaces;
mod payload;
mod read;
mod rows;
pub(super) mod setting;
mod text_delta;
pub(super) mod write;

pub use error::DeltaError;
pub use head::Destination;
pub(crate) use head::first_tag;
pub(crate) use read::is_escaped_delta;

use std::fmt;

use self::namespaces::Namespaces;
use self::write::Words;

use super::{Delta, Fragment, Operation};
use crate::parse::Limits;
use crate::tree::Format;

/// The namespace of deltas.
pub const NAMESPACE: &str = "urn:deltaic:xydelta:1";

/// The target of the instruction that keeps two texts apart; its data is [`GAP_DATA`].
const GAP_TARGET: &str = "xydelta";
const GAP_DATA: &str = "gap";

impl Delta {
    /// The delta as XyDelta.
    pub fn to_xydelta(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_xydelta(&mut out);
        out
    }

    /// Writes what [`Delta::to_xydelta`] returns, piece by piece; fails only where `out` does.
    pub fn write_xydelta(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write::write(self, out, Words::WhereShorter)
    }

    /// The same with the words that changed beside both texts of updates, for who reads it.
    ///
    /// ```
    /// use treediff::delta::Delta;
    ///
    /// let written = r#"<xydelta xmlns="urn:deltaic:xydelta:1" fromHash="1d" toHash="2e" fromXIDmap="(1)" toXIDmap="(1)"
    ///     nextXID="2"><update nodeXID="1"><OldText>All of these words are old, but for one.</OldText>
    ///     <NewText>All of these words are new, but for one.</NewText></update></xydelta>"#;
    /// let mut in_words = String::new();
    /// Delta::read(written, &Default::default())?.write_xydelta_in_words(&mut in_words)?;
    /// assert!(in_words.contains("<TextDelta>All of these words are <d>old</d><i>new</i>, but for one.</TextDelta>"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_xydelta_in_words(&self, out: &mut impl fmt::Write) -> fmt::Result {
        write::write(self, out, Words::Beside)
    }

    /// Reads a delta that is written as XyDelta.
    ///
    /// ```
    /// use treediff::delta::{Delta, Operation};
    ///
    /// let written = r#"<xydelta xmlns="urn:deltaic:xydelta:1" whitespace="layout" fromHash="1d" toHash="2e"
    ///     fromXIDmap="(1-3)" toXIDmap="(1-3)" nextXID="4">
    ///   <update nodeXID="1"><OldText>$799</OldText><NewText>$699</NewText></update>
    /// </xydelta>"#;
    /// let delta = Delta::read(written, &Default::default())?;
    /// assert!(matches!(&delta.operations()[0], Operation::Update { after, .. } if after == "$699"));
    ///
    /// let error = Delta::read(written.replace("nodeXID", "node"), &Default::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "operation 1 (update, line 3): found the attribute `node`; expected `nodeXID`");
    /// # Ok::<(), treediff::delta::DeltaError>(())
    /// ```
    ///
    /// # Errors
    /// Where the source is no XyDelta, contradicts itself, or exceeds a limit. Whether the delta fits a document is
    /// seen when it is applied.
    pub fn read(source: impl Into<Vec<u8>>, limits: &Limits) -> Result<Delta, DeltaError> {
        read::read(source.into(), limits)
    }

    /// The operations of a delta that was read as a whole before and is the same since, for who only asks what they say: whether
    /// they fit one another and the identities of the versions is not checked again.
    ///
    /// ```
    /// use treediff::delta::{Delta, Operation};
    ///
    /// let written = r#"<xydelta xmlns="urn:deltaic:xydelta:1" fromHash="1d" toHash="2e" fromXIDmap="(1)" toXIDmap="(1)"
    ///     nextXID="2"><update nodeXID="1"><OldText>4</OldText><NewText>5</NewText></update></xydelta>"#;
    /// let operations = Delta::read_operations(written, &Default::default())?;
    /// assert!(matches!(&operations[..], [Operation::Update { after, .. }] if after == "5"));
    /// # Ok::<(), treediff::delta::DeltaError>(())
    /// ```
    ///
    /// # Errors
    /// Where the source is no XyDelta, one of its operations is none, or it exceeds a limit.
    pub fn read_operations(source: impl Into<Vec<u8>>, limits: &Limits) -> Result<Vec<Operation>, DeltaError> {
        read::read_operations(source.into(), limits)
    }
}

/// The payload of an operation as a XyDelta has it, but for the escapes of JSON in XML.
pub(super) fn payload_text(content: &Fragment) -> String {
    let format = content.document().format();
    if format == Format::Json {
        return json::text(content);
    }
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = payload::write(&mut out, content, setting::Style::of_format(format), &Namespaces::usual(format), false);
    out
}

#[cfg(test)]
mod tests;
