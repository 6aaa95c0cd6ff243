//! What changed, for a program? The whole delta as one JSON document; the format is in `docs/formats/delta-json.md`.

use std::fmt::{self, Write};

use super::FormatError;
use crate::delta::xydelta::payload_text;
use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid};
use crate::matching::{Fallback, Fallbacks};
use crate::parse::Whitespace;
use crate::tree::{Document, Format, Kind};
use crate::write::json_string;

/// Writes a delta as JSON.
///
/// It says what a XyDelta says, in other words; the documents are not asked anything.
pub fn json(delta: &Delta, _before: &Document, _after: &Document, out: &mut impl Write) -> Result<(), FormatError> {
    let mut object = Object::open(out)?;
    object.string("format", format_name(delta.format()))?;
    object.string("whitespace", whitespace_name(delta.whitespace()))?;
    object.string("fromHash", &format!("{:016x}", delta.from_hash()))?;
    object.string("toHash", &format!("{:016x}", delta.to_hash()))?;
    object.string("fromXIDmap", &delta.from_xids().to_string())?;
    object.string("toXIDmap", &delta.to_xids().to_string())?;
    object.xid("nextXID", delta.next_xid())?;
    object.fallbacks(delta.fallbacks())?;
    let out = object.key("operations")?;
    out.write_char('[')?;
    for (at, operation) in delta.operations().iter().enumerate() {
        out.write_str(if at == 0 { "\n" } else { ",\n" })?;
        write_operation(operation, out)?;
    }
    out.write_str(if delta.is_empty() { "]" } else { "\n]" })?;
    object.close()?.write_char('\n')?;
    Ok(())
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Xml => "xml",
        Format::Html => "html",
        Format::Json => "json",
    }
}

fn whitespace_name(whitespace: Whitespace) -> &'static str {
    match whitespace {
        Whitespace::Layout => "layout",
        Whitespace::Exact => "exact",
    }
}

fn write_operation(operation: &Operation, out: &mut impl Write) -> fmt::Result {
    let mut object = Object::open(out)?;
    match operation {
        Operation::Delete { place, xids, content } => {
            object.string("kind", "delete")?;
            object.place("place", *place)?;
            object.string("xids", &xids.to_string())?;
            object.content(content)?;
        }
        Operation::Insert { place, xids, content } => {
            object.string("kind", "insert")?;
            object.place("place", *place)?;
            object.string("xids", &xids.to_string())?;
            object.content(content)?;
        }
        Operation::Move { from, to, xids } => {
            object.string("kind", "move")?;
            object.place("from", *from)?;
            object.place("to", *to)?;
            object.string("xids", &xids.to_string())?;
        }
        Operation::Update { node, before, after } => {
            object.string("kind", "update")?;
            object.xid("node", *node)?;
            object.string("before", before)?;
            object.string("after", after)?;
        }
        Operation::Attribute { node, name, change } => object.attribute(*node, name, change)?,
        Operation::Doctype { before, after } => {
            object.string("kind", "doctype")?;
            object.optional("before", before.as_deref())?;
            object.optional("after", after.as_deref())?;
        }
    }
    object.close()?;
    Ok(())
}

/// A JSON object that is being written.
struct Object<'o, W> {
    out: &'o mut W,
    is_empty: bool,
}

impl<'o, W: Write> Object<'o, W> {
    fn open(out: &'o mut W) -> Result<Self, fmt::Error> {
        out.write_char('{')?;
        Ok(Object { out, is_empty: true })
    }

    fn close(self) -> Result<&'o mut W, fmt::Error> {
        self.out.write_char('}')?;
        Ok(self.out)
    }

    /// Writes a key; what is written next is its value.
    fn key(&mut self, key: &str) -> Result<&mut W, fmt::Error> {
        if !std::mem::take(&mut self.is_empty) {
            self.out.write_char(',')?;
        }
        write!(self.out, "\"{key}\":")?;
        Ok(self.out)
    }

    fn string(&mut self, key: &str, value: &str) -> fmt::Result {
        json_string(value, self.key(key)?)
    }

    fn optional(&mut self, key: &str, value: Option<&str>) -> fmt::Result {
        match value {
            Some(value) => self.string(key, value),
            None => self.key(key)?.write_str("null"),
        }
    }

    fn xid(&mut self, key: &str, xid: Xid) -> fmt::Result {
        write!(self.key(key)?, "{xid}")
    }

    /// Writes the fallbacks of the comparison, if there are any: none of their names has to be escaped.
    fn fallbacks(&mut self, fallbacks: Fallbacks) -> fmt::Result {
        if fallbacks.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = fallbacks.iter().map(Fallback::name).collect();
        write!(self.key("fallbacks")?, "[\"{}\"]", names.join("\",\""))
    }

    fn place(&mut self, key: &str, place: Place) -> fmt::Result {
        write!(self.key(key)?, "{{\"parent\":{},\"position\":{}}}", place.parent, u64::from(place.position) + 1)
    }

    fn content(&mut self, content: &Fragment) -> fmt::Result {
        let root = content.root();
        if root.parent().is_some_and(|parent| parent.kind() == Kind::Object) {
            self.string("key", root.name().local)?;
        }
        self.string("content", &payload_text(content))
    }

    fn attribute(&mut self, node: Xid, name: &AttributeName, change: &AttributeChange) -> fmt::Result {
        self.string("kind", attribute_kind(change))?;
        self.xid("node", node)?;
        self.string("name", &name.local)?;
        if !name.namespace.is_empty() {
            self.string("namespace", &name.namespace)?;
        }
        if !name.prefix.is_empty() {
            self.string("prefix", &name.prefix)?;
        }
        let (before, after) = match change {
            AttributeChange::Insert(value) => (None, Some(value)),
            AttributeChange::Delete(value) => (Some(value), None),
            AttributeChange::Modify { before, after } => (Some(before), Some(after)),
        };
        before.map_or(Ok(()), |value| self.string("before", value))?;
        after.map_or(Ok(()), |value| self.string("after", value))
    }
}

fn attribute_kind(change: &AttributeChange) -> &'static str {
    match change {
        AttributeChange::Insert(_) => "attribute-insert",
        AttributeChange::Delete(_) => "attribute-delete",
        AttributeChange::Modify { .. } => "attribute-modify",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::delta::formats::sample::catalogue;
    use crate::{matching, parse};

    #[test]
    fn every_operation_is_an_object() {
        let (delta, before, after) = catalogue();
        let mut written = String::new();
        json(&delta, &before, &after, &mut written).unwrap();
        let expected = [
            r#"{"kind":"delete","place":{"parent":13,"position":2},"xids":"(6-10)","content":"<product xmlns=\"\"><name>lens</name><price>$49</price></product>"}"#,
            r#"{"kind":"insert","place":{"parent":5,"position":3},"xids":"(14-15)","content":"<stock xmlns=\"\">7</stock>"}"#,
            r#"{"kind":"move","from":{"parent":13,"position":3},"to":{"parent":13,"position":1},"xids":"(11-12)"}"#,
            r#"{"kind":"update","node":3,"before":"$799","after":"\"$699\""}"#,
            r#"{"kind":"attribute-insert","node":5,"name":"class","after":"hot"}"#,
            r#"{"kind":"attribute-delete","node":13,"name":"lang","namespace":"http://www.w3.org/XML/1998/namespace","prefix":"xml","before":"en"}"#,
            r#"{"kind":"attribute-modify","node":5,"name":"href","before":"a","after":"b"}"#,
            r#"{"kind":"doctype","before":null,"after":"<!DOCTYPE list>"}"#,
        ];
        let lines: Vec<&str> = written.lines().collect();
        assert_eq!(
            lines[1..lines.len() - 1].iter().map(|line| line.trim_end_matches(',')).collect::<Vec<_>>(),
            expected
        );
        let read: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(read["operations"].as_array().unwrap().len(), 8);
        assert_eq!(read["fromXIDmap"], "(1-13)");
        assert_eq!(read["nextXID"], 16);
        assert_eq!(read["format"], "xml");
        assert_eq!(read["whitespace"], "layout");
        assert_eq!(read["fromHash"].as_str().unwrap(), format!("{:016x}", delta.from_hash()));
    }

    #[test]
    fn members_have_their_keys() {
        let [before, after] = [r#"{"a":[1]}"#, r#"{"a":[1],"b\"":{"c":null}}"#]
            .map(|source| Arc::new(parse::json(source, &Default::default()).unwrap().document.with_sorted_members()));
        let matching = matching::xydiff(&before, &after, &Default::default());
        let delta = Delta::between(&before, &after, &matching, &Default::default()).unwrap();
        let mut written = String::new();
        json(&delta, &before, &after, &mut written).unwrap();
        let expected = r#"{"kind":"insert","place":{"parent":3,"position":2},"xids":"(4-5)","key":"b\"","content":"{\"c\":null}"}"#;
        assert_eq!(written.lines().nth(1), Some(expected));
        assert!(written.starts_with("{\"format\":\"json\","));
    }

    #[test]
    fn nothing_is_an_empty_list() {
        let (mut delta, before, after) = catalogue();
        delta.operations.clear();
        let mut written = String::new();
        json(&delta, &before, &after, &mut written).unwrap();
        assert!(written.ends_with("\"operations\":[]}\n"), "{written}");
    }
}
