//! What does a range of the source say? Values are decoded when asked for, by the rules of their format.

use std::borrow::Cow;

use super::{html, json, xml};
use crate::tree::{Format, Kind, Span};

/// The value of a leaf.
pub(crate) fn value(format: Format, kind: Kind, text: &str, span: Span) -> Cow<'_, str> {
    let written = &text[span.range()];
    if !span.is_encoded() {
        return Cow::Borrowed(written);
    }
    Cow::Owned(match (format, kind) {
        (Format::Xml, Kind::Text) => xml::decode_text(written),
        (Format::Xml, _) => xml::decode_line_ends(written),
        (Format::Html, _) => html::decode_text(written),
        (Format::Json, _) => json::decode_string(written),
    })
}

/// The value of an attribute.
pub(crate) fn attribute(format: Format, text: &str, span: Span) -> Cow<'_, str> {
    let written = &text[span.range()];
    if !span.is_encoded() {
        return Cow::Borrowed(written);
    }
    Cow::Owned(match format {
        Format::Html => html::decode_attribute(written),
        _ => xml::decode_attribute(written),
    })
}
