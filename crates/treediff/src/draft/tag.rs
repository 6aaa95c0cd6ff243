//! How is a start tag written, and how with other attributes? Its pieces, as they stand in the source.

use std::collections::HashMap;
use std::ops::Range;

use super::blanks::BLANK;
use crate::tree::{Attribute, Format};

/// A start tag in a source.
#[derive(Debug, Clone)]
pub(super) struct Tag {
    /// Where it begins and ends.
    pub(super) range: Range<usize>,
    /// The name as written.
    pub(super) name: Range<usize>,
    /// Attributes and namespace declarations in order.
    pub(super) attributes: Vec<WrittenAttribute>,
    /// Whether it ends with `/>`.
    pub(super) is_empty: bool,
}

/// An attribute in a start tag.
#[derive(Debug, Clone)]
pub(super) struct WrittenAttribute {
    pub(super) name: Range<usize>,
    /// The value without its quotes; behind the name and empty where there is none.
    pub(super) value: Range<usize>,
    /// Behind the value and its quote.
    pub(super) end: usize,
}

/// What is to be different in a start tag.
#[derive(Debug, Default)]
pub(super) struct TagChange {
    /// By the place of the attribute in the tag: its new value as it is written between double quotes, or none.
    pub(super) attributes: HashMap<usize, Option<String>>,
    /// Name and value as they are written.
    pub(super) added: Vec<(String, String)>,
    /// Whether the element gets content.
    pub(super) is_opened: bool,
}

/// The places of the attributes of a tag.
#[derive(Debug)]
pub(super) struct Places<'s> {
    by_value: HashMap<usize, usize>,
    by_name: HashMap<&'s str, usize>,
}

impl Places<'_> {
    /// The place of an attribute of the element; none where the tag has it not, as it has no defaults of a DTD.
    pub(super) fn find(&self, attribute: Attribute<'_>) -> Option<usize> {
        let by_value = attribute.source_range().and_then(|range| self.by_value.get(&range.start));
        by_value.or_else(|| self.by_name.get(&*attribute.qualified_name())).copied()
    }

    /// The place of the declaration of a prefix.
    pub(super) fn find_declaration(&self, prefix: &str) -> Option<usize> {
        match prefix {
            "" => self.by_name.get("xmlns").copied(),
            _ => self.by_name.get(&*format!("xmlns:{prefix}")).copied(),
        }
    }
}

impl TagChange {
    fn is_none(&self, tag: &Tag) -> bool {
        self.attributes.is_empty() && self.added.is_empty() && !(self.is_opened && tag.is_empty)
    }
}

impl Tag {
    /// Reads the start tag of the element at `extent`; `None` where there is none that is whole.
    pub(super) fn read(source: &str, extent: Range<usize>, format: Format) -> Option<Tag> {
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

    /// Where attributes are found by the place of their value, or else by their written name.
    pub(super) fn places<'s>(&self, source: &'s str) -> Places<'s> {
        let all = || self.attributes.iter().enumerate().rev();
        Places {
            by_value: all().map(|(at, it)| (it.value.start, at)).collect(),
            by_name: all().map(|(at, it)| (&source[it.name.clone()], at)).collect(),
        }
    }

    /// Writes the tag with some things changed and all else as it was.
    pub(super) fn write(&self, source: &str, change: &TagChange, out: &mut String) {
        if change.is_none(self) {
            return out.push_str(&source[self.range.clone()]);
        }
        out.push_str(&source[self.range.start..self.name.end]);
        let mut done = self.name.end;
        for (at, attribute) in self.attributes.iter().enumerate() {
            match change.attributes.get(&at) {
                None => out.push_str(&source[done..attribute.end]),
                Some(None) => {}
                Some(Some(value)) => {
                    let before = &source[done..attribute.value.start];
                    let sign = before.trim_end_matches(['"', '\'']).trim_end_matches(BLANK);
                    // A value without quotes, and a name without a value, get what they have not.
                    out.push_str(before.trim_end_matches(['"', '\'']));
                    out.push_str(if sign.ends_with('=') { "\"" } else { "=\"" });
                    out.push_str(value);
                    out.push('"');
                }
            }
            done = attribute.end;
        }
        let end = if self.is_empty { "/>" } else { ">" };
        for (name, value) in &change.added {
            out.extend([" ", name, "=\"", value, "\""]);
        }
        let tail = &source[done..self.range.end];
        match (self.is_empty && change.is_opened, tail.strip_suffix(end)) {
            (true, Some(blank)) => out.extend([blank.trim_end_matches(BLANK), ">"]),
            _ => out.push_str(tail),
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
