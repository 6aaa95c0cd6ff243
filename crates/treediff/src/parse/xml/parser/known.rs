//! How is most of a document read? Tags that are written as others before them, and the texts between.
//!
//! Nothing is decided here that has not been decided for a tag before: where anything differs, it is left to the
//! rest of the parser, which finds it as if nobody had looked.

use super::tags::Tag;
use super::{Parse, Parser};
use crate::parse::xml::decode::named_reference;
use crate::parse::xml::raw_names::{Resolved, Role};
use crate::parse::xml::scan::{self, Head};
use crate::parse::xml::shapes::{Known, MAX_ATTRIBUTES, Measure};
use crate::tree::{Label, Span, hash};

/// White space between tags, which is the same over and over: what it hashes to is looked up by its length.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    head: Head,
    hash: u64,
}

impl Layout {
    pub(super) const NONE: Layout = Layout { head: Head { low: 0, high: 0 }, hash: 0 };
}

impl<'s> Parser<'s> {
    /// Whether tags can be known here at all.
    #[inline(always)]
    fn can_know(&self) -> bool {
        !self.options.recover && self.suspended.is_empty() && !self.dtd.declares_attributes()
    }

    /// Reads on as long as everything is known. Nothing is returned for each tag, and nearly nothing looked at twice.
    #[inline(never)]
    pub(super) fn known(&mut self) -> Parse<()> {
        if !self.can_know() || self.run.is_active {
            return Ok(());
        }
        let bytes = self.source;
        loop {
            let is_limited = self.builder.len() + 3 > self.options.limits.max_nodes
                || self.tags.len() >= self.options.limits.max_depth;
            if is_limited || self.tags.is_empty() {
                return Ok(());
            }
            self.reader.marks.look_ahead();
            let start = self.reader.at as u32 as usize;
            let mut at = self.reader.marks.nth(0);
            if bytes.get(at) != Some(&b'<') {
                match self.marked_text(start) {
                    Some(end) => at = end as u32 as usize,
                    None => return Ok(()),
                }
            } else if start < at && ends_text(bytes, at) {
                self.known_text(start, at);
            }
            let is_known = match bytes.get(at + 1) {
                Some(b'/') => self.known_end(at),
                Some(b'!') => {
                    if !bytes[at..].starts_with(b"<!--") {
                        return Ok(());
                    }
                    self.reader.marks.pass();
                    self.comment(at)?;
                    true
                }
                _ => self.known_start(at).is_some(),
            };
            if !is_known {
                return Ok(());
            }
        }
    }

    /// A text with marks in it, if what they mean is plain to see, and where it ends.
    #[inline(never)]
    fn marked_text(&mut self, start: usize) -> Option<usize> {
        let bytes = self.source;
        let (mut count, mut copied) = (0, start);
        self.decoded.clear();
        let end = loop {
            let at = self.reader.marks.nth(count);
            match bytes.get(at)? {
                b'<' if ends_text(bytes, at) => break at,
                b'"' | b'\'' => {}
                b'&' => {
                    let (c, len) = named_reference(&bytes[at..])?;
                    self.decoded.extend_from_slice(&bytes[copied..at]);
                    self.decoded.push(c as u8);
                    copied = at + len;
                }
                _ => return None,
            }
            count += 1;
        };
        let is_encoded = copied > start;
        self.decoded.extend_from_slice(&bytes[copied..end]);
        let hash = hash::bytes(&self.decoded);
        // It is no white space alone: all marks that it can have are to be seen.
        self.builder.plain_text(Span::new(start as u32, end as u32, is_encoded), hash, false);
        self.reader.marks.pass_many(count);
        self.reader.at = end;
        Some(end)
    }

    /// The text without marks that ends where a tag or a comment begins.
    #[inline(always)]
    fn known_text(&mut self, start: usize, end: usize) {
        self.reader.at = end;
        let len = end - start;
        let span = Span::plain(start as u32, end as u32);
        if len > 16 {
            let (hash, is_blank) = scan::hash_text(self.source, start, end);
            return self.builder.plain_text(span, hash, is_blank);
        }
        let head = Head::of(self.source, start, len);
        let layout = &mut self.layouts[len];
        if layout.head != head {
            let hash = hash::short(head.low, head.high, len);
            if head.has_visible() {
                return self.builder.plain_text(span, hash, false);
            }
            *layout = Layout { head, hash };
        }
        let hash = layout.hash;
        self.builder.plain_text(span, hash, true);
    }

    /// The end tag at `at`, where it is written without a space.
    #[inline(always)]
    fn known_end(&mut self, at: usize) -> bool {
        let Some(&tag) = self.tags.last() else { return false };
        let end = self.reader.marks.nth(1);
        if !self.raw_names.is_end_tag(tag.name, self.source, at, end) {
            return false;
        }
        self.reader.marks.pass_many(2);
        self.reader.at = end + 1;
        self.tags.pop();
        self.leave_scope(tag);
        self.builder.close(end as u32 + 1);
        true
    }

    /// The start tag at `at`, and what is in the element if that is nothing but a text.
    #[inline(always)]
    fn known_start(&mut self, at: usize) -> Option<()> {
        let (&known, sum, count, end) = self.known_tag(at)?;
        let places = self.shapes.attributes(&known);
        self.builder.known_attributes(
            places.iter().map(|place| (place.name, self.values[place.written as usize % MAX_ATTRIBUTES])),
            sum,
        );
        self.reader.marks.pass_many(2 * count + 2);
        let cursor = end + 1;
        self.reader.at = cursor;
        if known.is_empty {
            self.builder.leaf_element(known.label, known.label_hash, Span::plain(at as u32, cursor as u32), None);
            return Some(());
        }
        let tag = Tag { name: known.name, scope: self.scopes.current(), scope_depth: self.scopes.depth() };
        let (open, close) = (self.reader.marks.nth(0), self.reader.marks.nth(1));
        let is_text = open > cursor && self.raw_names.is_end_tag(tag.name, self.source, open, close);
        if is_text {
            let text = Span::plain(cursor as u32, open as u32);
            let hash = scan::hash(self.source, cursor, open);
            self.reader.marks.pass_many(2);
            self.reader.at = close + 1;
            self.builder.leaf_element(
                known.label,
                known.label_hash,
                Span::plain(at as u32, close as u32 + 1),
                Some((text, hash)),
            );
        } else {
            self.open(tag, known.label, at as u32, None);
        }
        Some(())
    }

    /// The tag at `at` with the sum of its attributes' hashes, their number, and where its `>` is. Their values are noted.
    #[inline(always)]
    fn known_tag(&mut self, at: usize) -> Option<(&Known, u64, usize, usize)> {
        let (bytes, scope, marks, shapes) = (self.source, self.scopes.current(), &self.reader.marks, &self.shapes);
        let measure = |from: usize, mark: usize| Measure::new((mark + 1).wrapping_sub(from), scope);
        let mut mark = marks.nth(1);
        let mut step = shapes.first(bytes, at, measure(at, mark))?;
        let (mut sum, mut count) = (0u64, 0);
        while step.is_inner() {
            let close = marks.nth(2 * count + 2);
            if close >= bytes.len() || count >= MAX_ATTRIBUTES {
                return None;
            }
            let (hash, has_control) = scan::hash_value(bytes, mark + 1, close);
            if has_control {
                return None;
            }
            self.values[count % MAX_ATTRIBUTES] = Span::plain(mark as u32 + 1, close as u32);
            sum = sum.wrapping_add(hash::attribute(step.name_hash, hash));
            count += 1;
            mark = marks.nth(2 * count + 1);
            step = shapes.next(step, bytes, close, measure(close, mark))?;
        }
        Some((shapes.end(step)?, sum, count, mark))
    }

    /// Remembers how the tag at `at` is written, which has been read and has an element of this label; not where it
    /// has more in it than plain attributes. To learn tags that do not come again would take as long as reading them,
    /// so this is for those of elements that have been met before.
    #[inline(never)]
    pub(super) fn learn(&mut self, tag: Tag, label: Label, at: usize, end: usize) {
        let is_small = self.builder.new_attributes().len() <= MAX_ATTRIBUTES;
        if self.can_know() && is_small && self.shapes.is_worth(self.builder.len()) {
            let _learned = self.learn_pieces(tag, label, at, end);
        }
    }

    fn learn_pieces(&mut self, tag: Tag, label: Label, at: usize, end: usize) -> Option<()> {
        let bytes = self.source;
        let scope = self.scopes.current();
        let mut lesson = self.shapes.begin();
        let mut from = at;
        let mut name_at = at + 1 + self.raw_names.get(tag.name).text.len();
        loop {
            let mark = name_at + memchr::memchr3(b'"', b'\'', b'>', bytes.get(name_at..end)?)?;
            let measure = Measure::new(mark + 1 - from, scope);
            if bytes[mark] == b'>' {
                self.shapes.go_on(&mut lesson, bytes, from, measure, None)?;
                break;
            }
            let name_start = self.skip_space(name_at);
            let raw = self.raw_names.find(bytes, name_start, scan::name(bytes, name_start).0)?;
            let entry = self.raw_names.get(raw);
            let Resolved { scope: resolved_in, name, hash } = entry.as_attribute;
            let holds = if entry.prefix_len == 0 { 0 } else { scope };
            if entry.role != Role::Plain || resolved_in != holds {
                return None;
            }
            self.shapes.go_on(&mut lesson, bytes, from, measure, Some((name, hash)))?;
            from = mark + 1 + memchr::memchr(bytes[mark], bytes.get(mark + 1..end)?)?;
            name_at = from + 1;
        }
        let label_hash = label.hash(&self.builder.names);
        self.shapes.finish(lesson, tag.name, (label, label_hash), bytes[end - 2] == b'/');
        Some(())
    }
}

/// Whether a text ends at the `<` at `at`: it goes on over a CDATA section, and there is more to ask of what is rare.
#[inline(always)]
fn ends_text(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1) {
        Some(b'!') => bytes[at..].starts_with(b"<!--"),
        next => next != Some(&b'?'),
    }
}
