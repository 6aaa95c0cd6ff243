//! How is a start tag written? Its pieces, as they stand in the source.

use std::ops::Range;

use super::Format;

/// A start tag in a source.
#[derive(Debug, Clone)]
pub(crate) struct Tag {
    /// Where it begins and ends.
    pub(crate) range: Range<usize>,
    /// The name as written.
    pub(crate) name: Range<usize>,
    /// Attributes and namespace declarations in order.
    pub(crate) attributes: Vec<WrittenAttribute>,
    /// Whether it ends with `/>`.
    pub(crate) is_empty: bool,
}

/// An attribute in a start tag.
#[derive(Debug, Clone)]
pub(crate) struct WrittenAttribute {
    pub(crate) name: Range<usize>,
    /// The value without its quotes; behind the name and empty where there is none.
    pub(crate) value: Range<usize>,
    /// Behind the value and its quote.
    pub(crate) end: usize,
}

impl Tag {
    /// Reads the start tag of the element at `extent`; `None` where there is none that is whole.
    pub(crate) fn read(source: &str, extent: Range<usize>, format: Format) -> Option<Tag> {
        let start = extent.start;
        let mut reader = Reader { source: &source[..extent.end], at: start };
        reader.take("<")?;
        let name = reader.until(|byte| is_blank(byte) || matches!(byte, b'/' | b'>'));
        let mut attributes = Vec::new();
        loop {
            reader.skip_blanks();
            let is_empty = reader.take("/>").is_some();
            if is_empty || reader.take(">").is_some() {
                return Some(Tag { range: start..reader.at, name, attributes, is_empty });
            }
            if reader.take("/").is_none() {
                attributes.push(reader.attribute(format)?);
            }
        }
    }
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn take(&mut self, sign: &str) -> Option<()> {
        self.rest().starts_with(sign).then(|| self.at += sign.len())
    }

    fn until(&mut self, is_end: impl Fn(u8) -> bool) -> Range<usize> {
        let start = self.at;
        let rest = self.rest();
        self.at += rest.bytes().position(is_end).unwrap_or(rest.len());
        start..self.at
    }

    fn skip_blanks(&mut self) {
        self.until(|byte| !is_blank(byte));
    }

    fn attribute(&mut self, format: Format) -> Option<WrittenAttribute> {
        let start = self.at;
        let _ = self.take("=");
        self.until(|byte| is_blank(byte) || matches!(byte, b'=' | b'>' | b'/'));
        let name = start..self.at;
        if name.is_empty() {
            return None;
        }
        self.skip_blanks();
        if self.take("=").is_none() {
            self.at = name.end;
            return Some(WrittenAttribute { value: name.end..name.end, end: name.end, name });
        }
        self.skip_blanks();
        let value = match self.rest().bytes().next()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let value = self.until(|byte| byte == quote);
                self.at += 1;
                (self.at <= self.source.len()).then_some(value)?
            }
            _ if format == Format::Html => self.until(|byte| is_blank(byte) || byte == b'>'),
            _ => return None,
        };
        Some(WrittenAttribute { name, value, end: self.at })
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0C)
}
