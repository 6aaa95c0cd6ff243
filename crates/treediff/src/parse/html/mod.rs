//! How is HTML read? By the algorithm of the WHATWG standard, which has an answer to any bytes.
//!
//! `sniff` finds the encoding, or guesses it until a `meta` further down names one, `tokenizer` cuts the source into
//! ranges, `tree_builder` puts them where the standard says, in an `arena` of linked nodes, and `flatten` writes the
//! arrays of the document. The source is kept as it came: a text or value is a range of it wherever it is one, and
//! decoded when asked for.
//!
//! Scripts do not run here, so `noscript` is read as markup. The content of a `template` stands directly below it.

mod arena;
mod character_references;
mod doctype;
mod flatten;
mod formatting;
mod named_references;
pub(crate) mod names;
mod open_elements;
mod problems;
mod sniff;
mod tokenizer;
mod tree_builder;

use encoding_rs::Encoding;

use super::encoding::{self, Decoded, check_bytes};
use super::{Limits, Options, ParseError, Parsed};
use crate::tree::{Format, Parts};
use character_references::Place;
use problems::Problem;
use sniff::Sniffed;

/// Parses HTML.
///
/// There is no page that cannot be read, unless it exceeds a limit; what is wrong with it is listed.
///
/// ```
/// use treediff::parse::{self, Options};
///
/// let parsed = parse::html("<!DOCTYPE html><p>one<p>t&#119;o</b>", &Options::default())?;
/// let body = parsed.document.root_element().unwrap().last_child().unwrap();
/// let texts: Vec<_> = body.children().map(|p| p.string_value()).collect();
/// assert_eq!(texts, ["one", "two"]);
/// assert_eq!(parsed.issues[0].to_string(), "line 1, column 33: unexpected end tag `b`");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn html(source: impl Into<Vec<u8>>, options: &Options) -> Result<Parsed, ParseError> {
    let source = source.into();
    let sniffed = sniff::sniff(&source, options.encoding.as_deref());
    let mut decoded = sniff::decode(source, sniffed);
    let mut text = checked_text(&mut decoded, &options.limits)?;
    let mut built = tree_builder::build(&text, &options.limits)?;
    // The standard's change of the encoding while parsing: what a `meta` says is certain, so there is no third reading.
    if sniffed.is_guess
        && let Some(encoding) = built.declared
        && encoding != sniffed.encoding
    {
        decoded = decoded_again(decoded, &text, encoding);
        let read = checked_text(&mut decoded, &options.limits)?;
        // What is ASCII, as many a page is, reads alike in nearly all encodings.
        if read != text {
            drop(built);
            text = read;
            built = tree_builder::build(&text, &options.limits)?;
        }
    }
    if let Some(malformed) = decoded.malformed {
        let problem = Problem::NotEncodedAs(decoded.encoding.name());
        built.tokenizer.problems.note(malformed.position.offset, problem);
    }
    let flat = flatten::flatten(built, options.whitespace);

    let source_len = text.len() as u32;
    check_bytes(text.len() + flat.heap.len(), usize::MAX)?;
    text.reserve_exact(flat.heap.len());
    text.push_str(&flat.heap);
    let parts = Parts {
        format: Format::Html,
        encoding: decoded.encoding,
        has_byte_order_mark: decoded.has_byte_order_mark,
        original: decoded.original,
        text,
        source_len,
        doctype: flat.doctype,
        id_attributes: Vec::new(),
    };
    Ok(Parsed { document: flat.builder.finish(parts), issues: flat.issues })
}

/// The text of a source, which is taken out of it.
fn checked_text(decoded: &mut Decoded, limits: &Limits) -> Result<String, ParseError> {
    check_bytes(decoded.bytes.len(), limits.max_bytes)?;
    // The decoder has seen to it that this is UTF-8.
    Ok(encoding::text(std::mem::take(&mut decoded.bytes)).unwrap_or_default())
}

/// A source without a mark whose text was read in an encoding that is not its own.
fn decoded_again(decoded: Decoded, text: &str, encoding: &'static Encoding) -> Decoded {
    let source = match decoded.original {
        Some(original) => original.into(),
        None => encoding::encode(text, decoded.encoding, false),
    };
    sniff::decode(source, Sniffed::told(encoding))
}

/// The encoding that a page is read in if the transport says nothing.
pub(crate) fn encoding_of(source: &[u8], limits: &Limits) -> &'static Encoding {
    let sniffed = sniff::sniff(source, None);
    if !sniffed.is_guess || !sniff::has_meta(source) {
        return sniffed.encoding;
    }
    let text = checked_text(&mut sniff::decode(source.to_vec(), sniffed), limits);
    let declared = text.ok().and_then(|text| tree_builder::declared(&text, limits));
    declared.unwrap_or(sniffed.encoding)
}

/// The value of a text that is marked as encoded.
pub(crate) fn decode_text(written: &str) -> String {
    decoded(written, Place::Text)
}

/// The value of an attribute that is marked as encoded.
pub(crate) fn decode_attribute(written: &str) -> String {
    decoded(written, Place::Attribute)
}

fn decoded(written: &str, place: Place) -> String {
    let mut out = String::with_capacity(written.len());
    character_references::decode_into(written, place, &mut out, |_, _| {});
    out
}
