//! What does a tag say of its element? Attributes as written, and those that the DTD adds.

use super::text::Piece;
use super::{Parse, Parser};
use crate::parse::xml::decode::{decode_attribute, refers_to_characters_only};
use crate::parse::xml::dtd::{AttributeDeclaration, collapse_spaces};
use crate::parse::xml::entities::EntityFault;
use crate::parse::xml::raw_names::{RawId, Role};
use crate::parse::xml::scan::{self, is_space};
use crate::tree::{NameId, Span, hash};

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

    /// The same for an attribute as nearly all are: `name="value"`, the name known and without a prefix, nothing to
    /// decode. The next two marks are its quotes, so its name is known without looking for its end.
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
        let name = self.raw_names.find_plain_attribute(bytes, at, open - 1 - at)?;
        let (hash, has_control) = scan::hash_value(bytes, open + 1, close);
        if has_control {
            return None;
        }
        self.reader.marks.pass_two();
        let base = self.reader.base;
        let value = Span::plain(base + open as u32 + 1, base + close as u32);
        self.builder.hashed_attribute(name.name, value, hash::attribute(name.hash, hash));
        Some(close + 1)
    }

    #[inline(never)]
    fn any_attribute(&mut self, element: RawId, at: usize, preserve: &mut Option<bool>) -> Parse<usize> {
        let (name, quote) = match self.attribute_name_and_quote(at)? {
            Ok(found) => found,
            Err(behind) => return Ok(behind),
        };
        let value = self.value(name, quote, self.reader.bytes[quote])?;
        self.take_attribute(element, name, value, preserve, at)?;
        // A value without its end has no quote behind it either.
        Ok((value.end() + 1).min(self.reader.bytes.len()))
    }

    /// The name of the attribute at `at` and the place of the quote that opens its value, or the place behind what
    /// is no attribute.
    pub(super) fn attribute_name_and_quote(&mut self, at: usize) -> Parse<Result<(RawId, usize), usize>> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at);
        let (name, fault) = self.raw_names.intern(bytes, at, len, head);
        if let Some(fault) = fault {
            self.name_fault(at, len, fault)?;
            if len == 0 {
                return Ok(Err(at + 1));
            }
        }
        let equals = self.skip_space(at + len);
        if bytes.get(equals) != Some(&b'=') {
            self.attribute_without_value(name, equals)?;
            return Ok(Err(at + len));
        }
        let quote = self.skip_space(equals + 1);
        if !matches!(bytes.get(quote), Some(b'"' | b'\'')) {
            return self.unquoted_value(name, quote).map(Err);
        }
        Ok(Ok((name, quote)))
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
                    let name = self.raw_names.get(name).text.clone();
                    self.complain(end, || format!("found `<` in the value of `{name}`; expected `&lt;`"))?;
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
        let text = self.raw_names.get(name).text.clone();
        self.complain(at, || format!("found no closing quote of the value of `{text}`"))?;
        let end = self.reader.bytes.len();
        Ok(Piece::new(at + 1, end, true))
    }

    #[inline(never)]
    pub(super) fn attribute_without_value(&mut self, name: RawId, at: usize) -> Parse<()> {
        let name = self.raw_names.get(name).text.clone();
        self.complain(at, || format!("found no `=` behind the attribute `{name}`"))
    }

    #[inline(never)]
    pub(super) fn unquoted_value(&mut self, name: RawId, at: usize) -> Parse<usize> {
        let name = self.raw_names.get(name).text.clone();
        self.complain(at, || format!("found no quote at the value of `{name}`"))?;
        let rest = &self.reader.bytes[at..];
        let len = rest.iter().position(|&byte| is_space(byte) || matches!(byte, b'>' | b'<')).unwrap_or(rest.len());
        Ok(at + len)
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
        let (span, hash) = if is_encoded || self.dtd.declares_attributes() {
            self.decoded_value(element, name, value, span)?
        } else {
            (span, hash)
        };
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
        let element_text = &self.raw_names.get(element).text;
        let declared = self.dtd.attributes_of(element_text).iter().find(|declared| *declared.name == *name_text);
        let is_tokenized = declared.is_some_and(|declared| declared.is_tokenized);
        let plain = decode_attribute(&written);
        let mut value = if refers_to_characters_only(&written) {
            plain.clone()
        } else {
            self.expanded_value(&written, &plain, piece.start)?
        };
        if is_tokenized {
            value = collapse_spaces(&value);
        }
        let hash = hash::bytes(value.as_bytes());
        if value == plain {
            return Ok((span, hash));
        }
        Ok((self.keep_attribute(&name_text, &value), hash))
    }

    /// The value with its entities expanded; `plain` is what stands for it where they cannot be.
    fn expanded_value(&mut self, written: &str, plain: &str, at: usize) -> Parse<String> {
        let mut value = String::with_capacity(written.len());
        match self.dtd.entities.expand_attribute(written, &mut value, &mut self.entity_bytes_left) {
            Ok(()) => return Ok(value),
            Err(EntityFault::TooMuch) => return Err(self.entity_limit(at)),
            // A `<` written here has been complained of; one out of an entity has not.
            Err(EntityFault::LessThan(entity)) if entity.is_empty() => {}
            Err(EntityFault::Undeclared(_)) if self.dtd.is_partial => {}
            Err(fault) => self.complain(at, || fault.message())?,
        }
        Ok(plain.to_owned())
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

    /// The value behind a span of the current reader or the heap.
    pub(super) fn value_text(&self, span: Span) -> String {
        let written = if span.start() >= self.heap_base {
            let start = (span.start() - self.heap_base) as usize;
            return self.heap[start..start + span.len() as usize].to_owned();
        } else {
            let start = (span.start() - self.reader.base) as usize;
            String::from_utf8_lossy(&self.reader.bytes[start..start + span.len() as usize]).into_owned()
        };
        if span.is_encoded() { decode_attribute(&written) } else { written }
    }

    #[inline(always)]
    pub(super) fn check_attributes(&mut self, at: usize) -> Parse<()> {
        let limit = self.options.limits.max_attributes;
        if self.builder.new_attributes().len() > limit {
            return Err(self.limit("attributes of one element", limit, "--max-attributes", at));
        }
        if let Some(twice) = self.builder.sort_attributes() {
            self.attribute_twice(twice, at)?;
        }
        Ok(())
    }

    #[inline(never)]
    pub(super) fn attribute_twice(&mut self, name: NameId, at: usize) -> Parse<()> {
        let name = self.builder.names.get(name).to_string();
        self.complain(at, || format!("found the attribute `{name}` twice"))?;
        let values = self.builder.new_attributes().iter().map(|attribute| self.value_text(attribute.value));
        let hashes: Vec<u64> = values.map(|value| hash::bytes(value.as_bytes())).collect();
        self.builder.drop_duplicate_attributes(&hashes);
        Ok(())
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
        let element_text = self.raw_names.get(element).text.clone();
        let given = self.builder.new_attributes().len();
        for declared in self.dtd.attributes_of(&element_text) {
            let Some(attribute) = self.declared_name(declared, at)? else { continue };
            if declared.is_id {
                let pair = [name.0, attribute.0];
                if let Err(place) = self.id_attributes.binary_search(&pair) {
                    self.id_attributes.insert(place, pair);
                }
            }
            let is_given = self.builder.new_attributes()[..given].iter().any(|given| given.name == attribute.0);
            let Some(default) = declared.default.as_ref().filter(|_| !is_given) else { continue };
            if declared.name == "xml:space" {
                *preserve = space_value(default);
            }
            let bytes = declared.name.len() + default.len();
            self.default_bytes_left =
                self.default_bytes_left.checked_sub(bytes).ok_or_else(|| self.entity_limit(at))?;
            let span = self.keep_attribute(&declared.name, default);
            self.builder.attribute(attribute, span, hash::bytes(default.as_bytes()));
        }
        Ok(())
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
            _ if declared.default.is_none() && self.scopes.uri(&entry.text[..entry.prefix_len as usize]).is_none() => {
                Ok(None)
            }
            _ => self.attribute_name(raw, at).map(Some),
        }
    }
}

fn space_value(value: &str) -> Option<bool> {
    match value {
        "preserve" => Some(true),
        "default" => Some(false),
        _ => None,
    }
}
