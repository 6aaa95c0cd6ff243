//! How short can a delta be? Numbers as differences from what is expected, texts behind one another, and the whole of it
//! compressed with a model that knows what markup looks like.
//!
//! The form is described in `docs/formats/delta-binary.md`. It stands for the same XyDelta byte by byte: reading one
//! writes that text again and reads it, so there is one set of checks, and what a hostile binary delta can say is what
//! a hostile XyDelta can.

mod coder;
mod model;
mod numbers;

use xxhash_rust::xxh3::xxh3_64;

use super::xydelta::escape::Version;
use super::xydelta::namespaces::Namespaces;
use super::xydelta::setting::{Setting, Style};
use super::xydelta::write::{Payload, Writer};
use super::{AttributeChange, AttributeName, Delta, DeltaError, Operation, Place, Xid, XidMap};
use crate::matching::Fallbacks;
use crate::parse::{Limits, Whitespace};
use crate::tree::Format;
use numbers::{Numbers, NumbersReader};

/// What a binary delta begins with; the last byte is the version of the form.
const MAGIC: [u8; 4] = *b"XYD\x01";
const HASHES: usize = 16;
const CHECKSUM: usize = 4;

impl Delta {
    /// The delta in its compact binary form.
    ///
    /// ```
    /// use treediff::delta::Delta;
    ///
    /// let written = r#"<xydelta xmlns="urn:deltaic:xydelta:1" fromHash="1d" toHash="2e" fromXIDmap="(1-3)"
    ///     toXIDmap="(1-3)" nextXID="4"><update nodeXID="1"><OldText>a</OldText><NewText>b</NewText></update></xydelta>"#;
    /// let delta = Delta::read(written, &Default::default())?;
    /// let binary = delta.to_binary();
    /// assert!(binary.len() < 60);
    /// assert!(Delta::from_binary(&binary, &Default::default())?.same_as(&delta));
    /// # Ok::<(), treediff::delta::DeltaError>(())
    /// ```
    pub fn to_binary(&self) -> Vec<u8> {
        let setting = Setting::of(self);
        let mut parts = Parts::default();
        parts.delta(self, &setting);
        let body = parts.joined();
        let mut out = MAGIC.to_vec();
        out.push(flags(self, &setting));
        out.extend(self.from_hash.to_le_bytes());
        out.extend(self.to_hash.to_le_bytes());
        numbers::push(&mut out, body.len() as u64);
        out.extend(coder::compressed(&body));
        let sum = checksum(&out);
        out.extend(sum);
        out
    }

    /// Reads what [`Delta::to_binary`] has written.
    ///
    /// # Errors
    /// Where it is none, is damaged, contradicts itself, or exceeds a limit.
    pub fn from_binary(binary: &[u8], limits: &Limits) -> Result<Delta, DeltaError> {
        let text = xydelta(binary, limits).map_err(DeltaError::Binary)?;
        Delta::read(text, limits)
    }

    /// Whether some bytes are a delta in its binary form, as far as their start tells.
    pub fn is_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC[..3])
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let [a, b, c, d, ..] = xxh3_64(bytes).to_le_bytes();
    [a, b, c, d]
}

const EXACT: u8 = 4;
const ONE_ONE: u8 = 8;
/// The second text names the fallbacks of the comparison.
const FALLBACKS: u8 = 16;
/// Names of a document that is not well-formed are escaped.
const ESCAPES: u8 = 32;
/// A text before the operations has the namespace declarations of the root, which are not the usual ones.
const NAMESPACES: u8 = 64;

fn flags(delta: &Delta, Setting { style, namespaces, .. }: &Setting<'_>) -> u8 {
    let exact = if delta.whitespace == Whitespace::Exact { EXACT } else { 0 };
    let version = if style.version == Version::OneOne { ONE_ONE } else { 0 };
    let fallbacks = if delta.fallbacks.is_empty() { 0 } else { FALLBACKS };
    let escapes = if style.has_escapes && delta.format == Format::Xml { ESCAPES } else { 0 };
    let namespaces = if *namespaces == Namespaces::usual(delta.format) { 0 } else { NAMESPACES };
    delta.format as u8 | exact | version | fallbacks | escapes | namespaces
}

/// The identity that a new node most likely has.
fn first_new(from_xids: &XidMap) -> u64 {
    from_xids.max().map_or(Xid::FIRST, Xid::next).0
}

/// What an operation is, in the lower bits of its first byte.
mod kind {
    pub(super) const DELETE: u8 = 0;
    pub(super) const INSERT: u8 = 1;
    pub(super) const MOVE: u8 = 2;
    pub(super) const UPDATE: u8 = 3;
    pub(super) const ATTRIBUTE_INSERT: u8 = 4;
    pub(super) const ATTRIBUTE_DELETE: u8 = 5;
    pub(super) const ATTRIBUTE_MODIFY: u8 = 6;
    pub(super) const DOCTYPE: u8 = 7;
    /// The bits behind are marks.
    pub(super) const ALL: u8 = 7;
    pub(super) const PRESERVES_SPACE: u8 = 8;
    pub(super) const HAS_KEY: u8 = 16;
    pub(super) const HAS_NAMESPACE: u8 = 32;
}

/// A delta taken apart.
#[derive(Debug, Default)]
struct Parts {
    numbers: Numbers,
    /// Texts, each behind the other with a NUL, which no text has.
    texts: String,
}

impl Parts {
    fn delta(&mut self, delta: &Delta, setting: &Setting<'_>) {
        let mut prologue = String::new();
        let mut writer = Writer::new(&mut prologue, setting.style, &setting.namespaces);
        // Writing to a string cannot fail.
        let _ = writer.prologue(&setting.references);
        self.numbers.expect(numbers::INSERTED, first_new(&delta.from_xids));
        for operation in &delta.operations {
            self.operation(operation, delta, &writer);
        }
        let operations = std::mem::take(&mut self.numbers);
        self.numbers.xids(numbers::FROM, &delta.from_xids);
        self.numbers.xids(numbers::TO, &delta.to_xids);
        self.numbers.plain(delta.next_xid.0);
        self.numbers.plain(delta.operations.len() as u64);
        self.numbers.append(operations);
        if flags(delta, setting) & NAMESPACES != 0 {
            self.texts.insert_str(0, &format!("{}\0", setting.namespaces.written));
        }
        if !delta.fallbacks.is_empty() {
            self.texts.insert_str(0, &format!("{}\0", delta.fallbacks));
        }
        self.texts.insert_str(0, &format!("{prologue}\0"));
    }

    fn operation(&mut self, operation: &Operation, delta: &Delta, writer: &Writer<'_, String>) {
        match operation {
            Operation::Delete { place, xids, content } | Operation::Insert { place, xids, content } => {
                let is_insertion = matches!(operation, Operation::Insert { .. });
                let payload = writer.payload(content, delta.whitespace);
                self.payload(is_insertion, *place, xids, &payload);
            }
            Operation::Move { from, to, xids } => {
                self.numbers.byte(kind::MOVE);
                self.numbers.place(numbers::FROM, *from);
                self.numbers.place(numbers::TO, *to);
                self.numbers.xids(numbers::MOVED, xids);
            }
            Operation::Update { node, before, after } => {
                self.numbers.byte(kind::UPDATE);
                self.numbers.near(numbers::NODE, node.0);
                self.text(before);
                self.text(after);
            }
            Operation::Attribute { node, name, change } => self.attribute(*node, name, change),
            Operation::Doctype { before, after } => {
                self.numbers.byte(kind::DOCTYPE);
                self.text(before.as_deref().unwrap_or(""));
                self.text(after.as_deref().unwrap_or(""));
            }
        }
    }

    fn payload(&mut self, is_insertion: bool, place: Place, xids: &XidMap, payload: &Payload) {
        let mark = |is_set: bool, mark: u8| if is_set { mark } else { 0 };
        let (kind, side) = if is_insertion { (kind::INSERT, numbers::TO) } else { (kind::DELETE, numbers::FROM) };
        let marks = mark(payload.preserves_space, kind::PRESERVES_SPACE) | mark(payload.key.is_some(), kind::HAS_KEY);
        self.numbers.byte(kind | marks);
        self.numbers.place(side, place);
        self.numbers.xids(if is_insertion { numbers::INSERTED } else { numbers::DELETED }, xids);
        if let Some(key) = &payload.key {
            self.text(key);
        }
        self.text(&payload.text);
    }

    fn attribute(&mut self, node: Xid, name: &AttributeName, change: &AttributeChange) {
        let kind = match change {
            AttributeChange::Insert(_) => kind::ATTRIBUTE_INSERT,
            AttributeChange::Delete(_) => kind::ATTRIBUTE_DELETE,
            AttributeChange::Modify { .. } => kind::ATTRIBUTE_MODIFY,
        };
        let has_namespace = !name.namespace.is_empty();
        self.numbers.byte(kind | if has_namespace { kind::HAS_NAMESPACE } else { 0 });
        self.numbers.near(numbers::NODE, node.0);
        self.text(&name.local);
        if has_namespace {
            self.text(&name.prefix);
            self.text(&name.namespace);
        }
        let (before, after) = change.values();
        [before, after].into_iter().flatten().for_each(|value| self.text(value));
    }

    fn text(&mut self, text: &str) {
        self.texts.push_str(text);
        self.texts.push('\0');
    }

    /// The numbers with their length before them, then the texts.
    fn joined(self) -> Vec<u8> {
        let numbers = self.numbers.into_bytes();
        let mut joined = Vec::with_capacity(numbers.len() + self.texts.len() + 4);
        numbers::push(&mut joined, numbers.len() as u64);
        joined.extend(numbers);
        joined.extend(self.texts.into_bytes());
        joined
    }
}

/// The XyDelta that a binary delta stands for.
fn xydelta(binary: &[u8], limits: &Limits) -> Result<String, String> {
    let rest = binary.strip_prefix(&MAGIC[..3]).ok_or("found no `XYD` at the start")?;
    let (&version, rest) = rest.split_first().ok_or("it ends within its header")?;
    if version != MAGIC[3] {
        return Err(format!("found version {version} of the form; expected {}", MAGIC[3]));
    }
    let (rest, sum) = rest.split_last_chunk::<CHECKSUM>().ok_or("it ends within its header")?;
    if checksum(&binary[..binary.len() - CHECKSUM]) != *sum {
        return Err("it is damaged: its checksum is another".to_owned());
    }
    let (&flags, rest) = rest.split_first().ok_or("it ends within its header")?;
    let (hashes, mut rest) = rest.split_first_chunk::<HASHES>().ok_or("it ends within its header")?;
    let len = numbers::take(&mut rest).ok_or("it ends within its header")?;
    let body = coder::expanded(rest, len, limits.max_bytes)?;
    let (from_hash, to_hash) = hashes.split_at(HASHES / 2);
    let hash = |bytes: &[u8]| bytes.iter().rev().fold(0, |hash, &byte| hash << 8 | u64::from(byte));
    Unpacked::new(&body, flags)?
        .written(hash(from_hash), hash(to_hash), flags)
        .ok_or_else(|| "it makes no sense".to_owned())
}

/// The parts of a delta.
struct Unpacked<'b> {
    numbers: NumbersReader<'b>,
    texts: std::str::SplitTerminator<'b, char>,
    format: Format,
}

impl<'b> Unpacked<'b> {
    fn new(body: &'b [u8], flags: u8) -> Result<Self, String> {
        let mut rest = body;
        let len = numbers::take(&mut rest).and_then(|len| usize::try_from(len).ok()).filter(|&len| len <= rest.len());
        let (numbers, texts) = rest.split_at(len.ok_or("its numbers have no end")?);
        let texts = std::str::from_utf8(texts).map_err(|_| "its texts are not UTF-8")?;
        let format = match flags & 3 {
            0 => Format::Xml,
            1 => Format::Html,
            2 => Format::Json,
            _ => return Err("found an unknown format".to_owned()),
        };
        Ok(Unpacked { numbers: NumbersReader::new(numbers), texts: texts.split_terminator('\0'), format })
    }

    /// All of it as XyDelta; `None` where there is too little of anything, or too much.
    fn written(mut self, from_hash: u64, to_hash: u64, flags: u8) -> Option<String> {
        let mut out = self.texts.next()?.to_owned();
        let version = if flags & ONE_ONE != 0 { Version::OneOne } else { Version::One };
        let style = Style { format: self.format, version, has_escapes: flags & ESCAPES != 0 };
        let whitespace = if flags & EXACT != 0 { Whitespace::Exact } else { Whitespace::Layout };
        let fallbacks =
            if flags & FALLBACKS != 0 { Fallbacks::named(self.texts.next()?) } else { Fallbacks::default() };
        let namespaces = match flags & NAMESPACES {
            0 => Namespaces::usual(self.format),
            _ => Namespaces::as_written(self.texts.next()?),
        };
        let mut writer = Writer::new(&mut out, style, &namespaces);
        let delta = Delta {
            format: self.format,
            whitespace,
            from_hash,
            to_hash,
            from_xids: self.numbers.xids(numbers::FROM)?,
            to_xids: self.numbers.xids(numbers::TO)?,
            next_xid: Xid(self.numbers.plain()?),
            fallbacks,
            operations: Vec::new(),
        };
        writer.root_tag(&delta).ok()?;
        self.numbers.expect(numbers::INSERTED, first_new(&delta.from_xids));
        for _ in 0..self.numbers.plain()? {
            self.operation(&mut writer)?;
        }
        writer.end().ok()?;
        (self.numbers.is_empty() && self.texts.next().is_none()).then_some(out)
    }

    fn operation(&mut self, writer: &mut Writer<'_, String>) -> Option<()> {
        let first = self.numbers.byte()?;
        let operation = match first & kind::ALL {
            kind::DELETE => return self.payload(first, false, writer),
            kind::INSERT => return self.payload(first, true, writer),
            kind::MOVE => Operation::Move {
                from: self.numbers.place(numbers::FROM)?,
                to: self.numbers.place(numbers::TO)?,
                xids: self.numbers.xids(numbers::MOVED)?,
            },
            kind::UPDATE => Operation::Update { node: self.node()?, before: self.text()?, after: self.text()? },
            kind::DOCTYPE => Operation::Doctype { before: Some(self.text()?), after: Some(self.text()?) },
            _ => self.attribute(first)?,
        };
        writer.operation(&operation, Whitespace::Layout).ok()
    }

    fn payload(&mut self, first: u8, is_insertion: bool, writer: &mut Writer<'_, String>) -> Option<()> {
        let side = if is_insertion { numbers::TO } else { numbers::FROM };
        let place = self.numbers.place(side)?;
        let xids = self.numbers.xids(if is_insertion { numbers::INSERTED } else { numbers::DELETED })?;
        let key = if first & kind::HAS_KEY != 0 { Some(self.text()?) } else { None };
        let payload = Payload { key, preserves_space: first & kind::PRESERVES_SPACE != 0, text: self.text()? };
        writer.with_payload(is_insertion, place, &xids, &payload).ok()
    }

    fn attribute(&mut self, first: u8) -> Option<Operation> {
        let node = self.node()?;
        let local = self.text()?;
        let has_namespace = first & kind::HAS_NAMESPACE != 0;
        let prefix = if has_namespace { self.text()? } else { String::new() };
        let namespace = if has_namespace { self.text()? } else { String::new() };
        let change = match first & kind::ALL {
            kind::ATTRIBUTE_INSERT => AttributeChange::Insert(self.text()?),
            kind::ATTRIBUTE_DELETE => AttributeChange::Delete(self.text()?),
            _ => AttributeChange::Modify { before: self.text()?, after: self.text()? },
        };
        let name = AttributeName { namespace, prefix, local };
        Some(Operation::Attribute { node, name: name.into(), change })
    }

    fn node(&mut self) -> Option<Xid> {
        self.numbers.near(numbers::NODE).map(Xid)
    }

    fn text(&mut self) -> Option<String> {
        self.texts.next().map(str::to_owned)
    }
}

#[cfg(test)]
mod tests;
