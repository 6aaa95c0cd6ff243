//! How is a summary written for a program? One JSON document; the format is in `docs/formats/summary.md`.

use std::fmt::{self, Write};

use super::{Direction, Entry, Place, Section, Summary};
use crate::text::{ChangeKind, Detail};
use crate::write::json_string;

impl Summary {
    /// The summary as JSON, a change a line.
    pub fn json(&self) -> String {
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_json(&mut out);
        out
    }

    fn write_json(&self, out: &mut impl Write) -> fmt::Result {
        let counts = self.counts();
        let formatting = counts.iter().find(|(kind, _)| *kind == ChangeKind::Formatting).map_or(0, |(_, count)| *count);
        let all: usize = counts.iter().map(|(_, count)| count).sum();
        write!(out, "{{\"changes\":{},\"formatting\":{formatting},\"counts\":{{", all - formatting)?;
        list(ChangeKind::ALL, out, |kind, out| {
            let count = counts.iter().find(|(counted, _)| *counted == kind).map_or(0, |(_, count)| *count);
            write!(out, "\"{}\":{count}", kind.name())
        })?;
        out.write_char('}')?;
        if self.untold() > 0 {
            write!(out, ",\"untold\":{}", self.untold())?;
        }
        out.write_str(",\n\"notices\":[")?;
        list(&self.notices, out, write_detail)?;
        out.write_str("],\n\"sections\":[")?;
        list(&self.sections, out, write_section)?;
        out.write_str("]}\n")
    }
}

fn write_section<W: Write>(section: &Section, out: &mut W) -> fmt::Result {
    out.write_str("\n{\"headings\":[")?;
    list(&section.headings, out, |heading, out| json_string(heading, out))?;
    out.write_str("],\"changes\":[")?;
    list(&section.entries, out, write_entry)?;
    out.write_str("]}")
}

fn write_entry<W: Write>(entry: &Entry, out: &mut W) -> fmt::Result {
    out.write_str("\n{")?;
    if let Some(number) = entry.number {
        write!(out, "\"number\":{number},")?;
    }
    write!(out, "\"kind\":\"{}\"", entry.kind.name())?;
    member("whole", entry.whole.as_ref(), out)?;
    match entry.kind {
        ChangeKind::Added | ChangeKind::Removed | ChangeKind::Replaced | ChangeKind::Image => {
            member("before", entry.before(), out)?;
            member("after", entry.after(), out)?;
        }
        _ => {
            let was = entry.before().filter(|_| entry.edits().next().is_some());
            member("before", was, out)?;
            member("text", entry.after(), out)?;
        }
    }
    write_place(&entry.place, out)?;
    member("row", entry.cell.row.as_ref(), out)?;
    member("column", entry.cell.column.as_ref(), out)?;
    member("direction", entry.direction.map(Direction::name), out)?;
    if let Some((headings, place)) = &entry.from {
        out.write_str(",\"from\":{\"headings\":[")?;
        list(headings, out, |heading, out| json_string(heading, out))?;
        out.write_char(']')?;
        write_place(place, out)?;
        out.write_char('}')?;
    }
    if !entry.details.is_empty() {
        out.write_str(",\"details\":[")?;
        list(&entry.details, out, write_detail)?;
        out.write_char(']')?;
    }
    out.write_char('}')
}

fn write_place<W: Write>(place: &Place, out: &mut W) -> fmt::Result {
    for (name, words) in [("leading", &place.leading), ("trailing", &place.trailing)] {
        member(name, Some(words.trim()).filter(|words| !words.is_empty()), out)?;
    }
    Ok(())
}

fn write_detail<W: Write>(detail: &Detail, out: &mut W) -> fmt::Result {
    let kind = match detail {
        Detail::Link { .. } => "link",
        Detail::Attribute { .. } => "attribute",
        Detail::Choices { .. } => "choices",
        Detail::Entity { .. } => "entity",
        Detail::Format { .. } => "formatting",
        Detail::Look { .. } => "look",
        Detail::Sense { .. } => "sense",
        Detail::Title { .. } => "title",
        Detail::Unseen { .. } => "unseen",
    };
    write!(out, "{{\"kind\":\"{kind}\"")?;
    match detail {
        Detail::Link { from, to } => values(from.as_deref(), to.as_deref(), out)?,
        Detail::Attribute { element, name, from, to } => {
            member("element", Some(element), out)?;
            member("name", Some(name), out)?;
            values(from.as_deref(), to.as_deref(), out)?;
        }
        Detail::Look { element, name, from, to, times } => {
            member("element", Some(element), out)?;
            member("name", Some(name), out)?;
            values(from.as_deref(), to.as_deref(), out)?;
            write!(out, ",\"times\":{times}")?;
        }
        Detail::Choices { removed, added } => {
            texts("removed", removed, out)?;
            texts("added", added, out)?;
        }
        Detail::Sense { from, to } => {
            texts("from", from, out)?;
            texts("to", to, out)?;
        }
        Detail::Entity { address } => member("address", Some(address), out)?,
        Detail::Format { from, to } | Detail::Title { from, to } => values(Some(from), Some(to), out)?,
        Detail::Unseen { what } => member("what", Some(what), out)?,
    }
    out.write_char('}')
}

/// A member with several texts.
fn texts<W: Write>(name: &str, texts: &[impl AsRef<str>], out: &mut W) -> fmt::Result {
    write!(out, ",\"{name}\":[")?;
    list(texts, out, |text, out| json_string(text.as_ref(), out))?;
    out.write_char(']')
}

/// What was and is; `null` where there is nothing.
fn values<W: Write>(from: Option<&str>, to: Option<&str>, out: &mut W) -> fmt::Result {
    for (name, value) in [("from", from), ("to", to)] {
        match value {
            Some(value) => member(name, Some(value), out)?,
            None => write!(out, ",\"{name}\":null")?,
        }
    }
    Ok(())
}

/// A member behind others, where there is one.
fn member<W: Write>(name: &str, value: Option<impl AsRef<str>>, out: &mut W) -> fmt::Result {
    let Some(value) = value else { return Ok(()) };
    write!(out, ",\"{name}\":")?;
    json_string(value.as_ref(), out)
}

/// Elements or members with commas between them.
fn list<T, W: Write>(
    all: impl IntoIterator<Item = T>,
    out: &mut W,
    mut write: impl FnMut(T, &mut W) -> fmt::Result,
) -> fmt::Result {
    for (at, one) in all.into_iter().enumerate() {
        if at > 0 {
            out.write_char(',')?;
        }
        write(one, out)?;
    }
    Ok(())
}
