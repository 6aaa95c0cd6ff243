//! How is markup written? Text and values escaped, so that nothing in them is markup.

use crate::write::{Place, escape_html};

/// A text as character data.
pub fn push_text(text: &str, out: &mut String) {
    // Writing to a string cannot fail.
    let _ = escape_html(text, Place::Text, out);
}

/// A text as a value in double quotes.
pub fn push_value(text: &str, out: &mut String) {
    let _ = escape_html(text, Place::Attribute, out);
}

/// A text as character data or as a value in double quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_value(text, &mut out);
    out
}

/// A document as the value of `srcdoc`, where only the quote and the ampersand are not themselves.
pub fn push_document(document: &str, out: &mut String) {
    let mut done = 0;
    for at in memchr::memchr3_iter(b'&', b'"', b'\r', document.as_bytes()) {
        out.push_str(&document[done..at]);
        out.push_str(match document.as_bytes()[at] {
            b'&' => "&amp;",
            b'"' => "&quot;",
            _ => "&#13;",
        });
        done = at + 1;
    }
    out.push_str(&document[done..]);
}
