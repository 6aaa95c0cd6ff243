//! How is an operation written? As one element on a line of its own.

use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::escape::{self, Version};
use super::payload::{self, Style};
use super::{NAMESPACE, json, layout};
use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid, XidMap};
use crate::parse::Whitespace;
use crate::tree::{Format, HTML_NAMESPACE, Kind};

pub(super) fn write(delta: &Delta, out: &mut impl Write) -> fmt::Result {
    let is_html = delta.format == Format::Html;
    let version = if is_html && has_forbidden(delta) { Version::OneOne } else { Version::One };
    // The operations of HTML have a prefix, so that payloads need not say that they are XHTML, each of them again.
    let prefix = if is_html { "d:" } else { "" };
    let mut writer = Writer { out, delta, style: Style { version, is_html }, prefix };
    writer.prologue()?;
    writer.root_tag()?;
    for operation in &delta.operations {
        writer.operation(operation)?;
        writer.out.write_char('\n')?;
    }
    writeln!(writer.out, "</{prefix}xydelta>")
}

/// Whether any value of a delta cannot be written in XML 1.0.
fn has_forbidden(delta: &Delta) -> bool {
    delta.operations.iter().any(|operation| match operation {
        Operation::Delete { content, .. } | Operation::Insert { content, .. } => content.nodes().any(|node| {
            let mut attributes = node.attributes();
            (node.kind() == Kind::Text && escape::has_forbidden(&node.value()))
                || attributes.any(|attribute| escape::has_forbidden(&attribute.value()))
        }),
        Operation::Move { .. } => false,
        Operation::Update { before, after, .. } => [before, after].into_iter().any(|text| escape::has_forbidden(text)),
        Operation::Attribute { name, change, .. } => {
            let (before, after) = change.values();
            [Some(name.local.as_str()), before, after].into_iter().flatten().any(escape::has_forbidden)
        }
        Operation::Doctype { before, after } => {
            [before, after].into_iter().flatten().any(|text| escape::has_forbidden(text))
        }
    })
}

#[derive(Debug)]
struct Writer<'d, 'o, W> {
    out: &'o mut W,
    delta: &'d Delta,
    style: Style,
    /// The prefix of the delta's own elements.
    prefix: &'static str,
}

impl<W: Write> Writer<'_, '_, W> {
    /// The version where it is not the usual one, and a declaration of every entity that is referred to: its name is
    /// all that is known of it, and all that is asked for.
    fn prologue(&mut self) -> fmt::Result {
        if self.style.version == Version::OneOne {
            self.out.write_str("<?xml version=\"1.1\"?>\n")?;
        }
        let references = referred_entities(self.delta);
        if references.is_empty() {
            return Ok(());
        }
        write!(self.out, "<!DOCTYPE {}xydelta [", self.prefix)?;
        for name in references {
            write!(self.out, "<!ENTITY {name} SYSTEM \"{name}\">")?;
        }
        self.out.write_str("]>\n")
    }

    fn root_tag(&mut self) -> fmt::Result {
        let Delta { whitespace, from_hash, to_hash, from_xids, to_xids, next_xid, .. } = self.delta;
        match self.delta.format {
            Format::Xml => write!(self.out, "<xydelta xmlns=\"{NAMESPACE}\"")?,
            Format::Json => write!(self.out, "<xydelta xmlns=\"{NAMESPACE}\" format=\"json\"")?,
            Format::Html => {
                let prefix = self.prefix;
                write!(
                    self.out,
                    "<{prefix}xydelta xmlns:d=\"{NAMESPACE}\" xmlns=\"{HTML_NAMESPACE}\" format=\"html\""
                )?;
            }
        }
        // Layout is what white space is where nothing is said: small deltas are mostly their root's start tag.
        if *whitespace == Whitespace::Exact {
            self.out.write_str(" whitespace=\"exact\"")?;
        }
        write!(self.out, " fromHash=\"{from_hash:016x}\" toHash=\"{to_hash:016x}\"")?;
        writeln!(self.out, " fromXIDmap=\"{from_xids}\" toXIDmap=\"{to_xids}\" nextXID=\"{next_xid}\">")
    }

    fn operation(&mut self, operation: &Operation) -> fmt::Result {
        let prefix = self.prefix;
        match operation {
            Operation::Delete { place, xids, content } => self.payload("delete", *place, xids, content),
            Operation::Insert { place, xids, content } => self.payload("insert", *place, xids, content),
            Operation::Move { from, to, xids } => self.moved(*from, *to, xids),
            Operation::Update { node, before, after } => {
                write!(self.out, "<{prefix}update nodeXID=\"{node}\">")?;
                self.change(before, after)?;
                write!(self.out, "</{prefix}update>")
            }
            Operation::Attribute { node, name, change } => self.attribute(*node, name, change),
            Operation::Doctype { before, after } => {
                write!(self.out, "<{prefix}doctype>")?;
                self.change(before.as_deref().unwrap_or(""), after.as_deref().unwrap_or(""))?;
                write!(self.out, "</{prefix}doctype>")
            }
        }
    }

    fn payload(&mut self, kind: &str, place: Place, xids: &XidMap, content: &Fragment) -> fmt::Result {
        let Place { parent, position } = place;
        let (position, prefix) = (u64::from(position) + 1, self.prefix);
        write!(self.out, "<{prefix}{kind} parentXID=\"{parent}\" position=\"{position}\" DataXIDmap=\"{xids}\"")?;
        if self.delta.format == Format::Json {
            self.json(content)?;
        } else {
            self.markup(content)?;
        }
        write!(self.out, "</{prefix}{kind}>")
    }

    fn markup(&mut self, content: &Fragment) -> fmt::Result {
        let preserves = layout::needs_preserve(content, self.delta.whitespace);
        self.out.write_str(if preserves { " xml:space=\"preserve\">" } else { ">" })?;
        let keeps_layout = !preserves && self.delta.whitespace == Whitespace::Layout;
        payload::write(self.out, content, self.style, keeps_layout)
    }

    fn json(&mut self, content: &Fragment) -> fmt::Result {
        if json::is_member(content.root()) {
            let key = json::Inside(content.root().name().local).to_string();
            escape::attribute(self.out, "name", &key, self.style.version)?;
        }
        self.out.write_char('>')?;
        escape::text(self.out, &json::text(content), self.style.version)
    }

    fn moved(&mut self, from: Place, to: Place, xids: &XidMap) -> fmt::Result {
        let [source, target] = [from, to].map(|place| u64::from(place.position) + 1);
        let prefix = self.prefix;
        write!(self.out, "<{prefix}move sourceParentXID=\"{}\" sourcePosition=\"{source}\"", from.parent)?;
        write!(self.out, " targetParentXID=\"{}\" targetPosition=\"{target}\" DataXIDmap=\"{xids}\"/>", to.parent)
    }

    fn change(&mut self, before: &str, after: &str) -> fmt::Result {
        let is_json = self.delta.format == Format::Json;
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

/// The entities that payloads refer to without saying what they are.
fn referred_entities(delta: &Delta) -> BTreeSet<&str> {
    let contents = delta.operations.iter().filter_map(|operation| match operation {
        Operation::Delete { content, .. } | Operation::Insert { content, .. } => Some(content),
        _ => None,
    });
    let references = contents.flat_map(Fragment::nodes).filter(|node| node.kind() == Kind::Reference);
    references.map(|node| node.name().local).collect()
}
