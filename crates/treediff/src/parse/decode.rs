//! What does a range of the source say? Values are decoded when asked for, by the rules of their format.

use std::borrow::Cow;

use super::{html, json, xml};
use crate::tree::{Format, Kind};

/// The value of a leaf that is written so.
pub(crate) fn value(format: Format, kind: Kind, written: &str, is_encoded: bool) -> Cow<'_, str> {
    if !is_encoded {
        return Cow::Borrowed(written);
    }
    Cow::Owned(match (format, kind) {
        (Format::Xml, Kind::Text) => xml::decode_text(written),
        (Format::Xml, _) => xml::decode_line_ends(written),
        (Format::Html, _) => html::decode_text(written),
        (Format::Json, _) => json::decode_string(written),
    })
}

/// The value of an attribute that is written so.
pub(crate) fn attribute(format: Format, written: &str, is_encoded: bool) -> Cow<'_, str> {
    if !is_encoded {
        return Cow::Borrowed(written);
    }
    Cow::Owned(match format {
        Format::Html => html::decode_attribute(written),
        _ => xml::decode_attribute(written),
    })
}
