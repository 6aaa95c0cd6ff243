//! How is a start tag written with other attributes?

use std::collections::HashMap;

use super::blanks::BLANK;
use crate::tree::{Attribute, Tag};

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
