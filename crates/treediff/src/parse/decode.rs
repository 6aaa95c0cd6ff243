//! What does a range of the source say? Values are decoded when asked for, by the rules of their format.

use std::borrow::Cow;

use super::{html, json, xml};
use crate::tree::{Format, Kind};

/// The value of a leaf that is written so.
#[inline]
pub(crate) fn value(format: Format, kind: Kind, written: &str, is_encoded: bool) -> Cow<'_, str> {
    if is_encoded { Cow::Owned(decoded_value(format, kind, written)) } else { Cow::Borrowed(written) }
}

#[inline(never)]
fn decoded_value(format: Format, kind: Kind, written: &str) -> String {
    match (format, kind) {
        (Format::Xml, Kind::Text) => xml::decode_text(written),
        (Format::Xml, _) => xml::decode_line_ends(written),
        (Format::Html, _) => html::decode_text(written),
        (Format::Json, _) => json::decode_string(written),
    }
}

/// The value of an attribute that is written so.
#[inline]
pub(crate) fn attribute(format: Format, written: &str, is_encoded: bool) -> Cow<'_, str> {
    if is_encoded { Cow::Owned(decoded_attribute(format, written)) } else { Cow::Borrowed(written) }
}

#[inline(never)]
fn decoded_attribute(format: Format, written: &str) -> String {
    match format {
        Format::Html => html::decode_attribute(written),
        _ => xml::decode_attribute(written),
    }
}
