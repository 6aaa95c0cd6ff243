//! How is an operation written? As one element on a line of its own; in pages, a whole row of siblings as one.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::escape::{self, Version};
use super::namespaces::Namespaces;
use super::payload;
use super::rows::{Member, Row};
use super::setting::{Setting, Style};
use super::{json, layout, text_delta};
use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid, XidMap};
use crate::parse::Whitespace;
use crate::tree::Format;

/// Where the words of an update stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    /// In pages, in place of both texts where that is shorter.
    WhereShorter,
    /// Beside both texts, where they have words in common.
    Beside,
}

pub(super) fn write(delta: &Delta, out: &mut impl Write, words: Words) -> fmt::Result {
    let setting = Setting::of(delta);
    let mut writer = Writer::new(out, setting.style, &setting.namespaces);
    writer.words = words;
    writer.prologue(&setting.references)?;
    writer.root_tag(delta)?;
    let mut row = Row::default();
    for operation in &delta.operations {
        writer.next(operation, delta.whitespace, &mut row)?;
    }
    writer.row(&mut row, delta.whitespace)?;
    writer.end()
}

/// Writes a delta piece by piece.
#[derive(Debug)]
pub(in crate::delta) struct Writer<'o, W> {
    pub(in crate::delta) out: &'o mut W,
    style: Style,
    namespaces: &'o Namespaces,
    /// What stands before the names of the delta's own elements.
    prefix: &'static str,
    words: Words,
}

impl<'o, W: Write> Writer<'o, W> {
    pub(in crate::delta) fn new(out: &'o mut W, style: Style, namespaces: &'o Namespaces) -> Self {
        Writer { out, style, namespaces, prefix: namespaces.own_prefix(), words: Words::WhereShorter }
    }

    /// The version where it is not the usual one, and a declaration of every entity that is referred to: its name is
    /// all that is known of it, and all that is asked for. Nothing is shorter than an empty one, and there are parsers
    /// that do not read what refers to an external one.
    pub(in crate::delta) fn prologue(&mut self, references: &BTreeSet<&str>) -> fmt::Result {
        if self.style.version == Version::OneOne {
            self.out.write_str("<?xml version=\"1.1\"?>\n")?;
        }
        if references.is_empty() {
            return Ok(());
        }
        write!(self.out, "<!DOCTYPE {}xydelta [", self.prefix)?;
        for name in references {
            let name = if self.style.has_escapes { escape::html_name(name) } else { (*name).into() };
            write!(self.out, "<!ENTITY {name} \"\">")?;
        }
        self.out.write_str("]>\n")
    }

    pub(in crate::delta) fn root_tag(&mut self, delta: &Delta) -> fmt::Result {
        let Delta { whitespace, from_hash, to_hash, from_xids, to_xids, next_xid, fallbacks, .. } = delta;
        write!(self.out, "<{}xydelta{}", self.prefix, self.namespaces.written)?;
        match self.style.format {
            Format::Xml => {}
            Format::Json => self.out.write_str(" format=\"json\"")?,
            Format::Html => self.out.write_str(" format=\"html\"")?,
        }
        if self.style.has_escapes && self.style.format == Format::Xml {
            self.out.write_str(" escaped=\"true\"")?;
        }
        // What would be taken for granted is not said, here and with `nextXID`: small deltas are mostly their root's start tag.
        if *whitespace == Whitespace::Exact {
            self.out.write_str(" whitespace=\"exact\"")?;
        }
        if !fallbacks.is_empty() {
            write!(self.out, " fallbacks=\"{fallbacks}\"")?;
        }
        write!(self.out, " fromHash=\"{from_hash:016x}\" toHash=\"{to_hash:016x}\"")?;
        write!(self.out, " fromXIDmap=\"{from_xids}\" toXIDmap=\"{to_xids}\"")?;
        if *next_xid != from_xids.first_above(to_xids) {
            write!(self.out, " nextXID=\"{next_xid}\"")?;
        }
        self.out.write_str(">\n")
    }

    pub(in crate::delta) fn end(&mut self) -> fmt::Result {
        writeln!(self.out, "</{}xydelta>", self.prefix)
    }

    /// An operation, unless it is one of a row that may go on: then what is before it is written, and it waits in `row`.
    fn next<'d>(&mut self, operation: &'d Operation, whitespace: Whitespace, row: &mut Row<'d>) -> fmt::Result {
        let Some(member) = Member::of(operation).filter(|_| self.style.format == Format::Html) else {
            self.row(row, whitespace)?;
            return self.operation(operation, whitespace);
        };
        let payload = self.payload(member.content, whitespace);
        if !row.goes_on_with(&member, &payload) {
            self.row(row, whitespace)?;
        }
        row.push(member, payload);
        Ok(())
    }

    /// The row that has been waiting.
    fn row(&mut self, row: &mut Row<'_>, whitespace: Whitespace) -> fmt::Result {
        for part in std::mem::take(row).into_parts(whitespace) {
            self.with_payload(part.is_insertion, part.place, &part.xids, &part.payload)?;
        }
        Ok(())
    }

    /// An operation on a line of its own.
    pub(in crate::delta) fn operation(&mut self, operation: &Operation, whitespace: Whitespace) -> fmt::Result {
        let prefix = self.prefix;
        match operation {
            Operation::Delete { place, xids, content } | Operation::Insert { place, xids, content } => {
                let is_insertion = matches!(operation, Operation::Insert { .. });
                let payload = self.payload(content, whitespace);
                return self.with_payload(is_insertion, *place, xids, &payload);
            }
            Operation::Move { from, to, xids } => self.moved(*from, *to, xids)?,
            Operation::Update { node, before, after } => {
                write!(self.out, "<{prefix}update nodeXID=\"{node}\">")?;
                self.updated(before, after)?;
                write!(self.out, "</{prefix}update>")?;
            }
            Operation::Attribute { node, name, change } => self.attribute(*node, name, change)?,
            Operation::Doctype { before, after } => {
                write!(self.out, "<{prefix}doctype>")?;
                self.change(before.as_deref().unwrap_or(""), after.as_deref().unwrap_or(""))?;
                write!(self.out, "</{prefix}doctype>")?;
            }
        }
        self.out.write_char('\n')
    }

    /// A deletion or insertion whose payload is written already.
    pub(in crate::delta) fn with_payload(
        &mut self,
        is_insertion: bool,
        place: Place,
        xids: &XidMap,
        payload: &Payload,
    ) -> fmt::Result {
        let kind = if is_insertion { "insert" } else { "delete" };
        let (prefix, parent, position) = (self.prefix, place.parent, u64::from(place.position) + 1);
        write!(self.out, "<{prefix}{kind} parentXID=\"{parent}\" position=\"{position}\" DataXIDmap=\"{xids}\"")?;
        if let Some(key) = &payload.key {
            self.value("name", key)?;
        }
        let space = if payload.preserves_space { " xml:space=\"preserve\"" } else { "" };
        writeln!(self.out, "{space}>{}</{prefix}{kind}>", payload.text)
    }

    /// What is deleted or inserted, as it stands in the delta.
    pub(in crate::delta) fn payload(&self, content: &Fragment, whitespace: Whitespace) -> Payload {
        let mut text = String::new();
        // Writing to a string cannot fail.
        if self.style.format == Format::Json {
            let root = content.root();
            let key = json::is_member(root).then(|| json::Inside(root.name().local).to_string());
            let _ = escape::text(&mut text, &json::text(content), self.style.version);
            return Payload { key, preserves_space: false, text };
        }
        let preserves_space = layout::needs_preserve(content, whitespace, self.style.format == Format::Html);
        let keeps_layout = !preserves_space && whitespace == Whitespace::Layout;
        let _ = payload::write(&mut text, content, self.style, self.namespaces, keeps_layout);
        Payload { key: None, preserves_space, text }
    }

    fn moved(&mut self, from: Place, to: Place, xids: &XidMap) -> fmt::Result {
        let [source, target] = [from, to].map(|place| u64::from(place.position) + 1);
        let prefix = self.prefix;
        write!(self.out, "<{prefix}move sourceParentXID=\"{}\" sourcePosition=\"{source}\"", from.parent)?;
        write!(self.out, " targetParentXID=\"{}\" targetPosition=\"{target}\" DataXIDmap=\"{xids}\"/>", to.parent)
    }

    /// Both texts, or the words that changed, or all of it.
    fn updated(&mut self, before: &str, after: &str) -> fmt::Result {
        let is_wanted = match self.words {
            Words::WhereShorter => self.style.format == Format::Html,
            Words::Beside => self.style.format != Format::Json,
        };
        let words = is_wanted.then(|| text_delta::written(before, after, self.prefix, self.style.version)).flatten();
        if words.is_none() || self.words == Words::Beside {
            self.change(before, after)?;
        }
        self.out.write_str(&words.unwrap_or_default())
    }

    fn change(&mut self, before: &str, after: &str) -> fmt::Result {
        let is_json = self.style.format == Format::Json;
        let prefix = self.prefix;
        for (name, text) in [("OldText", before), ("NewText", after)] {
            if text.is_empty() {
                write!(self.out, "<{prefix}{name}/>")?;
                continue;
            }
            write!(self.out, "<{prefix}{name}>")?;
            let text = if is_json { json::escaped_token(text) } else { text.into() };
            escape::text(self.out, &text, self.style.version)?;
            write!(self.out, "</{prefix}{name}>")?;
        }
        Ok(())
    }

    fn attribute(&mut self, node: Xid, name: &AttributeName, change: &AttributeChange) -> fmt::Result {
        let kind = match change {
            AttributeChange::Insert(_) => "attr-insert",
            AttributeChange::Delete(_) => "attr-delete",
            AttributeChange::Modify { .. } => "attr-modify",
        };
        write!(self.out, "<{}{kind} nodeXID=\"{node}\"", self.prefix)?;
        let AttributeName { namespace, prefix, local } = name;
        if namespace.is_empty() || prefix.is_empty() {
            self.value("attrName", local)?;
        } else {
            self.value("attrName", &format!("{prefix}:{local}"))?;
        }
        if !namespace.is_empty() {
            self.value("attrNS", namespace)?;
        }
        match change {
            AttributeChange::Insert(value) | AttributeChange::Delete(value) => self.value("attrValue", value)?,
            AttributeChange::Modify { before, after } => {
                self.value("OldValue", before)?;
                self.value("NewValue", after)?;
            }
        }
        self.out.write_str("/>")
    }

    fn value(&mut self, name: &str, value: &str) -> fmt::Result {
        escape::attribute(self.out, name, value, self.style.version)
    }
}

/// A payload as it stands in a delta.
#[derive(Debug)]
pub(in crate::delta) struct Payload {
    /// The key of a member of a JSON object, as the inside of a JSON string.
    pub(in crate::delta) key: Option<String>,
    /// Whether every text in it is a node.
    pub(in crate::delta) preserves_space: bool,
    /// XML, or JSON in XML.
    pub(in crate::delta) text: String,
}
