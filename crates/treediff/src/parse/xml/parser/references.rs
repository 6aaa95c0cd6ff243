//! What does a reference in content lead to? Into an entity and out again, or to a node that keeps it.

use std::ops::Range;

use super::text::Piece;
use super::{Parse, Parser, Reader, valid_start};
use crate::parse::ParseError;
use crate::parse::issue::short;
use crate::parse::xml::chars;
use crate::parse::xml::decode::{any_character_reference, reference_len};
use crate::parse::xml::entities::{Entity, EntityFault, referred_name};
use crate::parse::xml::scan::Marks;
use crate::tree::{Kind, Label, Span, TextRun, hash};

impl<'s> Parser<'s> {
    /// A reference that is not to a single character, or no reference at all.
    pub(super) fn reference(&mut self, before: Piece) -> Parse<()> {
        let at = before.end();
        self.reader.marks.pass();
        let name = self.referred_name(at);
        if self.tags.is_empty() {
            self.extend_run(before);
            self.flush_run()?;
            self.complain(at, || "found a reference outside the root element".into())?;
            self.reader.at = at + name.map_or(1, |name| name.len() + 2);
            return Ok(());
        }
        let Some(name) = name else {
            if let Some((c, len)) = self.escaped_character(at) {
                self.extend_run(before);
                self.own_run();
                self.run.value.push(c);
                self.reader.at = at + len;
                return Ok(());
            }
            let bytes = &self.reader.bytes[at..];
            let end = reference_len(bytes).map_or(bytes.len(), |len| len + 1);
            self.complain(at, || EntityFault::of_no_reference(valid_start(&bytes[..end])).message())?;
            self.extend_run(Piece::new(before.start, at + 1, true));
            self.reader.at = at + 1;
            return Ok(());
        };
        self.extend_run(before);
        self.reader.at = at + name.len() + 2;
        match self.dtd.entities.get(name) {
            Some(Entity::Internal(range)) => self.enter_entity(at, name, range.clone()),
            Some(Entity::External | Entity::Kept) => self.keep_reference(at, name),
            Some(Entity::Unparsed) => {
                self.complain(at, || EntityFault::Unparsed(short(name)).message())?;
                self.keep_reference(at, name)
            }
            None => {
                if !self.dtd.is_partial {
                    self.complain(at, || EntityFault::Undeclared(short(name)).message())?;
                }
                self.keep_reference(at, name)
            }
        }
    }

    /// The character that a reference in the delta of HTML is to, though XML does not have it, and its length.
    fn escaped_character(&self, at: usize) -> Option<(char, usize)> {
        let bytes = &self.reader.bytes[at..];
        let len = reference_len(bytes).filter(|_| self.has_escapes)?;
        any_character_reference(valid_start(&bytes[..=len]))
    }

    pub(super) fn referred_name(&self, at: usize) -> Option<&'s str> {
        // No further than the name goes: a `;` may be a long way off, and be looked for from every `&` before it.
        let window = &self.reader.bytes[at..];
        let ends = |byte: &u8| byte.is_ascii() && !chars::is_name_char(char::from(*byte));
        let len = window.iter().skip(1).position(ends).map_or(window.len(), |len| len + 2);
        referred_name(valid_start(&window[..len]))
    }

    pub(super) fn keep_reference(&mut self, at: usize, name: &str) -> Parse<()> {
        self.flush_run()?;
        let name = &*self.read_name(name);
        let id = self.builder.names.intern("", name);
        let span = Span::plain(self.reader.base + at as u32, self.reader.base + self.reader.at as u32);
        let run = TextRun { span, hash: hash::bytes(name.as_bytes()), is_blank: false, origin: None };
        self.leaf(Label::new(Kind::Reference, id), run, at)
    }

    pub(super) fn enter_entity(&mut self, at: usize, name: &'s str, range: Range<usize>) -> Parse<()> {
        let is_active = |reader: &Reader<'_>| reader.entity == name;
        if is_active(&self.reader) || self.suspended.iter().any(is_active) {
            self.complain(at, || EntityFault::Recursive(short(name)).message())?;
            return self.keep_reference(at, name);
        }
        if self.suspended.len() >= self.options.limits.max_entity_depth {
            return Err(self.entity_depth_limit(at));
        }
        match self.entity_bytes_left.checked_sub(range.len()) {
            Some(left) => self.entity_bytes_left = left,
            None => return Err(self.entity_limit(at)),
        }
        if !self.run.is_active && self.suspended.is_empty() {
            self.run.origin = Some(at as u32);
        }
        self.own_run();
        let bytes = &self.dtd.entities.text().as_bytes()[range.clone()];
        let marks = Marks::new(bytes, false, self.spare_room.take());
        let entered = Reader {
            bytes,
            base: self.source.len() as u32 + range.start as u32,
            at: 0,
            marks,
            entity: name,
            entered_at: at,
            tags: self.tags.len(),
        };
        self.suspended.push(std::mem::replace(&mut self.reader, entered));
        Ok(())
    }

    pub(super) fn leave_entity(&mut self, last: Piece) -> Parse<()> {
        self.extend_run(last);
        self.own_run();
        if self.tags.len() > self.reader.tags {
            let entity = short(self.reader.entity);
            self.complain(last.end(), || format!("entity `{entity}` ends inside an element that it began"))?;
            self.flush_run()?;
            while self.tags.len() > self.reader.tags {
                self.close(last.end())?;
            }
        }
        if let Some(outer) = self.suspended.pop() {
            self.spare_room = Some(std::mem::replace(&mut self.reader, outer).marks.into_room());
        }
        if self.suspended.is_empty() {
            self.run.origin_end = self.reader.at as u32;
        }
        Ok(())
    }

    pub(super) fn entity_depth_limit(&self, at: usize) -> Box<ParseError> {
        let limit = self.options.limits.max_entity_depth;
        self.limit("levels of entities in entities", limit, "--max-entity-depth", at)
    }

    pub(super) fn entity_limit(&self, at: usize) -> Box<ParseError> {
        self.limit("bytes out of entities", self.options.limits.max_entity_bytes, "--max-entity-bytes", at)
    }
}
