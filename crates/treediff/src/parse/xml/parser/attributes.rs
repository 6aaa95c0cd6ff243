//! What does a tag say of its element? Attributes as written, and those that the DTD adds.

use std::borrow::Cow;
use std::collections::HashSet;

use super::text::Piece;
use super::{Parse, Parser, default_bytes};
use crate::parse::ParseError;
use crate::parse::issue::short;
use crate::parse::xml::decode::{decode_attribute, refers_to_characters_only};
use crate::parse::xml::dtd::{AttributeDeclaration, collapse_spaces};
use crate::parse::xml::entities::{EntityFault, ExpansionRules};
use crate::parse::xml::raw_names::{RawId, Resolved, Role};
use crate::parse::xml::scan::{self, is_space};
use crate::tree::{NameId, Span, hash, kept_references, value_hash};

/// An attribute that waits for the namespaces of its tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prefixed {
    pub(super) name: RawId,
    pub(super) value: Span,
    pub(super) hash: u64,
    pub(super) at: usize,
}

impl<'s> Parser<'s> {
    /// Reads the attribute at `at` and gives the place behind it.
    #[inline(always)]
    pub(super) fn attribute(&mut self, element: RawId, at: usize, preserve: &mut Option<bool>) -> Parse<usize> {
        match self.plain_attribute(at) {
            Some(behind) => Ok(behind),
            None => self.any_attribute(element, at, preserve),
        }
    }

    /// The same for an attribute as nearly all are: `name="value"`, the name known, nothing to decode. The next two marks
    /// are its quotes, so its name is known without looking for its end.
    #[inline(always)]
    fn plain_attribute(&mut self, at: usize) -> Option<usize> {
        let bytes = self.reader.bytes;
        let (open, close) = self.reader.marks.peek_two();
        let quote = *bytes.get(close)?;
        let is_value =
            matches!(quote, b'"' | b'\'') && bytes[open] == quote && bytes[open - 1] == b'=' && open > at + 1;
        if !is_value || self.dtd.declares_attributes() {
            return None;
        }
        let id = self.raw_names.find(bytes, at, open - 1 - at)?;
        let (hash, has_control) = scan::hash_value(bytes, open + 1, close);
        if has_control {
            return None;
        }
        let base = self.reader.base;
        let value = Span::plain(base + open as u32 + 1, base + close as u32);
        let entry = self.raw_names.get(id);
        if entry.is_plain_attribute {
            let Resolved { name, hash: name_hash, .. } = entry.as_attribute;
            self.builder.hashed_attribute(name, value, hash::attribute(name_hash, hash));
        } else if entry.is_prefixed_attribute {
            self.prefixed.push(Prefixed { name: id, value, hash, at });
        } else {
            return None;
        }
        self.reader.marks.pass_two();
        Some(close + 1)
    }

    #[inline(never)]
    fn any_attribute(&mut self, element: RawId, at: usize, preserve: &mut Option<bool>) -> Parse<usize> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at);
        let (name, fault) = self.raw_names.intern(bytes, at, len, head);
        if let Some(fault) = fault {
            self.name_fault(at, len, fault)?;
            if len == 0 {
                return Ok(at + 1);
            }
        }
        let equals = self.skip_space(at + len);
        if bytes.get(equals) != Some(&b'=') {
            let reading = if self.options.recover { ", took the value to be empty" } else { "" };
            self.complain_of(name, equals, |name| {
                format!("found no `=` behind the attribute `{name}`; expected `{name}=\"…\"`{reading}")
            })?;
            self.take_without_value(name, preserve, at)?;
            return Ok(at + len);
        }
        let quote = self.skip_space(equals + 1);
        let (value, behind) = match bytes.get(quote) {
            Some(&byte @ (b'"' | b'\'')) => {
                let value = self.value(name, quote, byte)?;
                // A value without its end has no quote behind it either.
                (value, (value.end() + 1).min(bytes.len()))
            }
            _ => {
                let value = self.unquoted_value(name, quote)?;
                (value, value.end())
            }
        };
        self.take_attribute(element, name, value, preserve, at)?;
        Ok(behind)
    }

    /// Takes an attribute that has a name alone, as recover mode does. One of the same name that has a value goes
    /// before it, and a namespace without a name is none.
    #[inline(never)]
    fn take_without_value(&mut self, name: RawId, preserve: &mut Option<bool>, at: usize) -> Parse<()> {
        let entry = self.raw_names.get(name);
        if matches!(entry.role, Role::DefaultNamespace | Role::Prefix) {
            return Ok(());
        }
        let text = entry.text.clone();
        if self.dtd.declares_attributes() {
            self.given.push(name);
        }
        let value = self.keep_attribute(&text, "");
        self.place_attribute(name, value, hash::bytes(b""), preserve, at)
    }

    /// The value whose opening quote is at `at`.
    #[inline(always)]
    pub(super) fn value(&mut self, name: RawId, at: usize, quote: u8) -> Parse<Piece> {
        self.reader.marks.pass_through(at);
        let start = at + 1;
        let mut is_encoded = false;
        loop {
            let end = self.reader.marks.take();
            let Some(&byte) = self.reader.bytes.get(end) else { return self.value_without_end(name, at) };
            match byte {
                _ if byte == quote => {
                    return Ok(Piece::new(start, end, is_encoded));
                }
                b'"' | b'\'' | b'>' => {}
                b'&' | b'\r' => is_encoded = true,
                b'<' => {
                    self.complain_of(name, end, |name| format!("found `<` in the value of `{name}`; expected `&lt;`"))?;
                }
                _ => {
                    is_encoded = true;
                    self.bad_character(end)?;
                }
            }
        }
    }

    #[inline(never)]
    pub(super) fn value_without_end(&mut self, name: RawId, at: usize) -> Parse<Piece> {
        let quote = char::from(self.reader.bytes[at]);
        self.complain_of(name, at, |name| format!("found no end of the value of `{name}`; expected `{quote}`"))?;
        let end = self.reader.bytes.len();
        Ok(Piece::new(at + 1, end, true))
    }

    /// The place behind a value without quotes, which recover mode takes as it is.
    #[inline(never)]
    fn unquoted_value(&mut self, name: RawId, at: usize) -> Parse<Piece> {
        self.complain_of(name, at, |name| format!("found no quote at the value of `{name}`; expected `\"` or `'`"))?;
        Ok(Piece::new(at, at + unquoted_len(&self.reader.bytes[at..]), true))
    }

    #[inline(always)]
    pub(super) fn take_attribute(
        &mut self,
        element: RawId,
        name: RawId,
        value: Piece,
        preserve: &mut Option<bool>,
        at: usize,
    ) -> Parse<()> {
        let (hash, has_control) = scan::hash_value(self.reader.bytes, value.start, value.end());
        let is_encoded = value.is_encoded() || has_control;
        let base = self.reader.base;
        let span = Span::new(base + value.start as u32, base + value.end() as u32, is_encoded);
        if self.dtd.declares_attributes() {
            self.given.push(name);
        }
        let (span, hash) = if is_encoded || self.dtd.declares_attributes() {
            self.decoded_value(element, name, value, span)?
        } else {
            (span, hash)
        };
        self.place_attribute(name, span, hash, preserve, at)
    }

    /// Gives an attribute to the element, at once or when the namespaces of its tag are known.
    #[inline(always)]
    fn place_attribute(
        &mut self,
        name: RawId,
        span: Span,
        hash: u64,
        preserve: &mut Option<bool>,
        at: usize,
    ) -> Parse<()> {
        let entry = self.raw_names.get(name);
        match entry.role {
            Role::Plain if entry.prefix_len == 0 => {
                let resolved = entry.as_attribute;
                let name = if resolved.scope == 0 { resolved.name } else { self.unprefixed(name) };
                self.builder.attribute(name, span, hash);
                Ok(())
            }
            Role::Plain => {
                self.prefixed.push(Prefixed { name, value: span, hash, at });
                Ok(())
            }
            Role::Space => {
                *preserve = space_value(&self.value_text(span));
                self.prefixed.push(Prefixed { name, value: span, hash, at });
                Ok(())
            }
            Role::DefaultNamespace | Role::Prefix => self.declare_namespace(name, span, at),
        }
    }

    /// The value of an attribute that must be decoded or that the DTD may have something to say of.
    #[inline(never)]
    pub(super) fn decoded_value(
        &mut self,
        element: RawId,
        name: RawId,
        piece: Piece,
        span: Span,
    ) -> Parse<(Span, u64)> {
        let written = String::from_utf8_lossy(&self.reader.bytes[piece.start..piece.end()]).into_owned();
        let name_text = self.raw_names.get(name).text.clone();
        let declared = self.dtd.element(&self.raw_names.get(element).text);
        let is_tokenized =
            declared.and_then(|declared| declared.attribute(&name_text)).is_some_and(|it| it.is_tokenized);
        let plain = decode_attribute(&written);
        let (mut value, is_kept) = if refers_to_characters_only(&written) {
            (plain.clone(), false)
        } else {
            self.expanded_value(&written, &plain, piece.start)?
        };
        if is_tokenized {
            value = collapse_spaces(&value);
        }
        let written_references = kept_references(&written);
        let is_as_written = value == plain;
        let references = is_kept.then(|| written_references.filter(|_| is_as_written).unwrap_or(0));
        let hash = value_hash(&value, references);
        // An entity may stand for what reads like a reference to it.
        if is_as_written && written_references.is_some() == is_kept {
            return Ok((span, hash));
        }
        Ok((self.keep_attribute(&name_text, &value), hash))
    }

    /// The value with its entities expanded, or `plain` where they cannot be, and whether that is so.
    fn expanded_value(&mut self, written: &str, plain: &str, at: usize) -> Parse<(String, bool)> {
        let max_depth = self.options.limits.max_entity_depth;
        let rules =
            ExpansionRules { max_depth, keeps_undeclared: self.dtd.is_partial, allows_any_character: self.has_escapes };
        let mut expansion = self.dtd.entities.expansion(written, rules);
        let mut is_faulty = false;
        while let Some((offset, fault)) = expansion.next_fault(&mut self.entity_bytes_left) {
            is_faulty = true;
            match fault {
                EntityFault::TooMuch => return Err(self.entity_limit(at + offset)),
                EntityFault::TooDeep => return Err(self.entity_depth_limit(at + offset)),
                // It was complained of when the end of the value was looked for.
                EntityFault::LessThan => {}
                _ => self.complain(at + offset, || fault.message())?,
            }
        }
        Ok(if is_faulty { (plain.to_owned(), true) } else { (expansion.value, expansion.has_kept) })
    }

    /// Puts an attribute on the heap as it would be written, since its prefix is looked for before its value.
    pub(super) fn keep_attribute(&mut self, name: &str, value: &str) -> Span {
        self.heap.push(' ');
        self.heap.push_str(name);
        self.heap.push_str("=\"");
        let span = self.keep(value);
        self.heap.push('"');
        span
    }

    /// The value behind a span.
    pub(super) fn value_text(&self, span: Span) -> String {
        let written = self.value_as_written(span);
        if span.is_encoded() { decode_attribute(&written) } else { written.into_owned() }
    }

    fn value_as_written(&self, span: Span) -> Cow<'_, str> {
        let entities = self.source.len() as u32;
        let (bytes, base) = match span.start() {
            start if start >= self.heap_base => (self.heap.as_bytes(), self.heap_base),
            start if start >= entities => (self.dtd.entities.text().as_bytes(), entities),
            _ => (self.source, 0),
        };
        let start = (span.start() - base) as usize;
        String::from_utf8_lossy(&bytes[start..start + span.len() as usize])
    }

    fn value_hash(&self, span: Span) -> u64 {
        let references = if span.is_encoded() { kept_references(&self.value_as_written(span)) } else { None };
        value_hash(&self.value_text(span), references)
    }

    #[inline(always)]
    pub(super) fn check_attributes(&mut self, at: usize) -> Parse<()> {
        let limit = self.options.limits.max_attributes;
        if self.builder.new_attributes().len() > limit {
            return Err(self.limit("attributes of one element", limit, "--max-attributes", at));
        }
        if let Some(name) = self.builder.sort_attributes() {
            self.attribute_twice(name, at)?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn attribute_twice(&mut self, name: NameId, tag: usize) -> Parse<()> {
        // One that the DTD adds is not in the tag.
        let at = self.places_in_tag(name, tag).nth(1).unwrap_or(tag);
        let name = short(&self.builder.names.get(name).to_string());
        self.complain(at, || format!("found the attribute `{name}` twice"))?;
        let hashes: Vec<u64> =
            self.builder.new_attributes().iter().map(|attribute| self.value_hash(attribute.value)).collect();
        self.builder.drop_duplicate_attributes(&hashes);
        Ok(())
    }

    /// Where the tag at `tag`, which has been read, gives an attribute of a name. Nobody notes the places of attributes, so
    /// they are looked for where they are wanted.
    fn places_in_tag(&self, name: NameId, tag: usize) -> impl Iterator<Item = usize> {
        let bytes = self.reader.bytes;
        let mut cursor = tag + 1 + scan::name(bytes, tag + 1).0;
        std::iter::from_fn(move || {
            while cursor < self.reader.at {
                let at = self.skip_space(cursor);
                let len = scan::name(bytes, at).0;
                // A `/` or `>` is no name, and is passed.
                cursor = if len == 0 { at + 1 } else { self.behind_value(at + len) };
                let found = self.raw_names.find(bytes, at, len).map(|raw| self.raw_names.get(raw));
                if len > 0 && found.is_some_and(|found| found.as_attribute.name == name) {
                    return Some(at);
                }
            }
            None
        })
    }

    /// The place behind `=` and the value that come next, if they do.
    fn behind_value(&self, at: usize) -> usize {
        let bytes = self.reader.bytes;
        let equals = self.skip_space(at);
        if bytes.get(equals) != Some(&b'=') {
            return at;
        }
        let open = self.skip_space(equals + 1);
        match bytes.get(open) {
            Some(&quote @ (b'"' | b'\'')) => {
                memchr::memchr(quote, &bytes[open + 1..]).map_or(bytes.len(), |len| open + len + 2)
            }
            _ => open + unquoted_len(&bytes[open..]),
        }
    }

    /// Adds the attributes that the DTD gives a default for, and notes which are IDs.
    #[inline(never)]
    pub(super) fn add_declared(
        &mut self,
        element: RawId,
        name: NameId,
        preserve: &mut Option<bool>,
        at: usize,
    ) -> Parse<()> {
        let Some(declared) = self.dtd.element(&self.raw_names.get(element).text) else { return Ok(()) };
        if self.id_elements.insert(name.0) {
            for attribute in declared.ids() {
                if let Some(attribute) = self.declared_name(attribute, at)? {
                    self.id_attributes.push([name.0, attribute.0]);
                }
            }
        }
        let mut defaults = declared.defaults().peekable();
        if defaults.peek().is_none() {
            return Ok(());
        }
        // By the name as written: a default under another prefix for the same namespace is there twice.
        let given: HashSet<RawId> = self.given.iter().copied().collect();
        for attribute in defaults {
            let (raw, _) = self.raw_names.intern_alone(&attribute.name);
            if given.contains(&raw) {
                continue;
            }
            let Some(id) = self.declared_name(attribute, at)? else { continue };
            let Some(span) = self.default_span(attribute, at)? else { continue };
            let value = self.value_text(span);
            if attribute.name == "xml:space" {
                *preserve = space_value(&value);
            }
            self.builder.attribute(id, span, hash::bytes(value.as_bytes()));
        }
        Ok(())
    }

    /// Where the default of an attribute stands in the document's text. Each use counts against a budget, because few
    /// declarations and few elements make very many attributes.
    pub(super) fn default_span(&mut self, attribute: &AttributeDeclaration, at: usize) -> Parse<Option<Span>> {
        let Some(range) = &attribute.default else { return Ok(None) };
        let cost = attribute.name.len() + range.len();
        self.default_bytes_left = self.default_bytes_left.checked_sub(cost).ok_or_else(|| self.default_limit(at))?;
        let base = self.source.len() as u32;
        Ok(Some(Span::plain(base + range.start as u32, base + range.end as u32)))
    }

    fn default_limit(&self, at: usize) -> Box<ParseError> {
        self.limit(
            "bytes out of defaults of attributes",
            default_bytes(self.source, self.options),
            "--max-entity-bytes",
            at,
        )
    }

    /// The name of a declared attribute; `None` for a namespace declaration, and where its prefix means nothing.
    pub(super) fn declared_name(&mut self, declared: &AttributeDeclaration, at: usize) -> Parse<Option<NameId>> {
        let (raw, fault) = self.raw_names.intern_alone(&declared.name);
        if fault.is_some() {
            return Ok(None);
        }
        let entry = self.raw_names.get(raw);
        match entry.role {
            Role::DefaultNamespace | Role::Prefix => Ok(None),
            _ if entry.prefix_len == 0 => Ok(Some(self.unprefixed(raw))),
            _ if declared.default.is_none() && !self.is_declared(&entry.text[..entry.prefix_len as usize]) => Ok(None),
            _ => self.attribute_name(raw, at).map(Some),
        }
    }
}

/// How far a value without quotes goes.
fn unquoted_len(rest: &[u8]) -> usize {
    let len = rest.iter().position(|&byte| is_space(byte) || matches!(byte, b'>' | b'<')).unwrap_or(rest.len());
    let is_empty_tag = rest[..len].ends_with(b"/") && rest.get(len) == Some(&b'>');
    len - usize::from(is_empty_tag)
}

fn space_value(value: &str) -> Option<bool> {
    match value {
        "preserve" => Some(true),
        "default" => Some(false),
        _ => None,
    }
}
