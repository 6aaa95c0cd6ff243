//! Where do elements begin and end? Start tags, end tags, and what stands in their place in broken documents.

use super::{Parse, Parser};
use crate::parse::issue::{SHORT, short};
use crate::parse::xml::chars;
use crate::parse::xml::raw_names::{NameFault, RawId};
use crate::parse::xml::scan::{self, is_space};
use crate::tree::{Kind, Label, Span};

/// An open tag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tag {
    pub(super) name: RawId,
    /// The scope around the element.
    pub(super) scope: u32,
    pub(super) scope_depth: u32,
}

impl<'s> Parser<'s> {
    #[inline(never)]
    pub(super) fn start_tag(&mut self, at: usize) -> Parse<()> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at + 1);
        let (name, fault) = self.raw_names.intern(bytes, at + 1, len, head);
        if let Some(fault) = fault {
            if !self.is_tag(at, len) {
                return self.not_a_tag(at, len);
            }
            self.name_fault(at + 1, len, fault)?;
        }
        if self.tags.is_empty() {
            self.check_single_root(at)?;
        }
        let tag = Tag { name, scope: self.scopes.current(), scope_depth: self.scopes.depth() };
        let mut cursor = at + 1 + len;
        let mut preserve = None;
        let is_empty = loop {
            match bytes.get(cursor) {
                Some(b'>') => {
                    cursor += 1;
                    break false;
                }
                Some(b'/') if bytes.get(cursor + 1) == Some(&b'>') => {
                    cursor += 2;
                    break true;
                }
                Some(&byte) if is_space(byte) => {
                    cursor = self.skip_space(cursor + 1);
                    if matches!(bytes.get(cursor), Some(b'>' | b'/' | b'<') | None) {
                        continue;
                    }
                    cursor = self.attribute(name, cursor, &mut preserve)?;
                }
                _ => match self.stray_in_tag(name, cursor, &mut preserve)? {
                    Some(next) => cursor = next,
                    None => break false,
                },
            }
        };
        self.reader.at = cursor;
        self.reader.marks.pass_through(cursor - 1);
        let comes_again = self.raw_names.get(name).as_element.scope == self.scopes.current();
        let label = self.prepare(tag, at, &mut preserve)?;
        if comes_again {
            self.learn(tag, label, at, cursor);
        }
        let start = self.reader.base + at as u32;
        let label_hash = label.hash(&self.builder.names);
        if is_empty {
            self.builder.leaf_element(label, label_hash, Span::plain(start, self.reader.base + cursor as u32), None);
            self.leave_scope(tag);
        } else if let Some((text_end, end)) = self.find_only_text(tag, cursor) {
            let base = self.reader.base;
            let text = Span::plain(base + cursor as u32, base + text_end as u32);
            let hash = scan::hash(bytes, cursor, text_end);
            self.builder.leaf_element(label, label_hash, Span::plain(start, base + end as u32), Some((text, hash)));
            self.leave_scope(tag);
            self.reader.at = end;
        } else {
            self.open(tag, label, start, preserve);
        }
        Ok(())
    }

    /// Whether the element whose content begins at `at` has a text and nothing else, and nothing is to be decoded in
    /// it: then the next two marks are the `<` and the `>` of its end tag. Gives the ends of text and element.
    #[inline(always)]
    fn find_only_text(&mut self, tag: Tag, at: usize) -> Option<(usize, usize)> {
        let bytes = self.reader.bytes;
        let (open, close) = self.reader.marks.peek_two();
        if open <= at || !self.raw_names.is_end_tag(tag.name, bytes, open, close) {
            return None;
        }
        self.reader.marks.pass_two();
        Some((open, close + 1))
    }

    #[inline(always)]
    pub(super) fn skip_space(&self, from: usize) -> usize {
        let mut at = from;
        while self.reader.bytes.get(at).is_some_and(|&byte| is_space(byte)) {
            at += 1;
        }
        at
    }

    /// Whether what begins with `<` could be a tag at all; `<` in `a < b` is not.
    pub(super) fn is_tag(&self, at: usize, len: usize) -> bool {
        let name = String::from_utf8_lossy(&self.reader.bytes[at + 1..at + 1 + len]);
        name.chars().next().is_some_and(chars::is_name_start)
    }

    /// A `<` that begins nothing: in recover mode it is text, with what stands behind it up to the last `<` among the
    /// `len` bytes that are no name. Those have been looked at, and must not be looked at again for each `<`.
    #[inline(never)]
    pub(super) fn not_a_tag(&mut self, at: usize, len: usize) -> Parse<()> {
        self.complain(at, || "found `<` without a name; expected a tag, or `&lt;` for the character".into())?;
        let bytes = self.reader.bytes;
        let end = at + 1 + memchr::memrchr(b'<', &bytes[at + 1..at + 1 + len]).unwrap_or(0);
        if !self.tags.is_empty() {
            self.own_run();
            self.run.value.push_str(&String::from_utf8_lossy(&bytes[at..end]));
        }
        self.reader.at = end;
        self.reader.marks.pass_before(end);
        Ok(())
    }

    #[inline(never)]
    pub(super) fn name_fault(&mut self, at: usize, len: usize, fault: NameFault) -> Parse<()> {
        let name = short(&String::from_utf8_lossy(&self.reader.bytes[at..at + len.min(4 * SHORT)]));
        self.complain(at, || match fault {
            NameFault::Character if name.is_empty() => "found no name; expected one".into(),
            NameFault::Character => format!("`{name}` is not a name"),
            NameFault::Colon => format!("`{name}` is not a name with a prefix"),
        })
    }

    #[inline(never)]
    pub(super) fn check_single_root(&mut self, at: usize) -> Parse<()> {
        if self.has_root {
            self.complain(at, || "found a second root element; a document has one".into())?;
        }
        self.has_root = true;
        Ok(())
    }

    /// Something that is neither white space nor an end in a tag; says where to go on, `None` to end the tag there.
    #[inline(never)]
    fn stray_in_tag(&mut self, element: RawId, at: usize, preserve: &mut Option<bool>) -> Parse<Option<usize>> {
        match self.reader.bytes.get(at) {
            None => {
                let message = |name: &str| format!("found the end of the document in the tag `{name}`; expected `>`");
                self.complain_of(element, at, message)?;
                Ok(None)
            }
            Some(b'/') => {
                self.complain_of(element, at, |name| format!("found `/` in the tag `{name}`; expected `/>`"))?;
                Ok(Some(at + 1))
            }
            Some(b'<') => {
                self.complain_of(element, at, |name| format!("found `<` in the tag `{name}`; expected `>`"))?;
                self.reader.at = at;
                Ok(None)
            }
            Some(_) => {
                let message = |name: &str| format!("found no white space before an attribute of the tag `{name}`");
                self.complain_of(element, at, message)?;
                self.attribute(element, at, preserve).map(Some)
            }
        }
    }

    /// Settles the name and the attributes of a tag that has been read, and sees to it that there is room for it.
    #[inline(always)]
    fn prepare(&mut self, tag: Tag, at: usize, preserve: &mut Option<bool>) -> Parse<Label> {
        let declares = self.dtd.declares_attributes();
        if declares {
            self.add_default_namespaces(tag.name, at)?;
        }
        if !self.prefixed.is_empty() {
            self.resolve_prefixed()?;
        }
        let mut resolved = self.raw_names.get(tag.name).as_element;
        if resolved.scope != self.scopes.current() {
            resolved = self.resolve_element(tag.name, at)?;
        }
        if declares {
            self.add_declared(tag.name, resolved.name, preserve, at)?;
            self.given.clear();
        }
        if self.builder.new_attributes().len() > 1 {
            self.check_attributes(at)?;
        }
        self.check_nodes(at)?;
        if self.tags.len() >= self.options.limits.max_depth {
            return Err(self.limit("levels of nesting", self.options.limits.max_depth, "--max-depth", at));
        }
        Ok(Label::new(Kind::Element, resolved.name))
    }

    #[inline(never)]
    pub(super) fn open(&mut self, tag: Tag, label: Label, start: u32, preserve: Option<bool>) {
        let preserve = if self.is_delta { self.preserve_in_delta(preserve) } else { preserve };
        self.builder.open(label, start, preserve);
        self.tags.push(tag);
        if self.options.recover {
            self.count_open(tag.name, 1);
        }
    }

    /// What `xml:space` says in a delta. Operations are children of the root.
    fn preserve_in_delta(&mut self, preserve: Option<bool>) -> Option<bool> {
        match self.tags.len() {
            0 | 1 => self.preserves_all = preserve == Some(true),
            _ if self.preserves_all => return None,
            _ => {}
        }
        preserve
    }

    #[inline(always)]
    pub(super) fn leave_scope(&mut self, tag: Tag) {
        if self.scopes.depth() > tag.scope_depth {
            self.scopes.leave(tag.scope, tag.scope_depth);
        }
    }

    pub(super) fn count_open(&mut self, name: RawId, by: i32) {
        if self.open_names.len() <= name.index() {
            self.open_names.resize(name.index() + 1, 0);
        }
        let count = &mut self.open_names[name.index()];
        *count = count.saturating_add_signed(by);
    }

    #[inline(never)]
    pub(super) fn end_tag(&mut self, at: usize) -> Parse<()> {
        let start = at + 2;
        let Some(&tag) = self.tags.last() else { return self.unmatched_end_tag(at) };
        let bytes = self.reader.bytes;
        let len = self.raw_names.get(tag.name).text.len();
        let is_inside = self.tags.len() > self.reader.tags;
        let matches = is_inside && self.raw_names.is_at(tag.name, bytes, start);
        let mut cursor = start + len;
        if !matches || !matches!(bytes.get(cursor), Some(b'>')) {
            cursor = self.skip_space(cursor);
            let ends = matches && bytes.get(cursor) == Some(&b'>');
            if !ends {
                return self.unmatched_end_tag(at);
            }
        }
        self.reader.at = cursor + 1;
        self.reader.marks.pass_through(cursor);
        self.close(cursor + 1)
    }

    /// Whether recover mode makes no tag of the `<` at `at`: an end tag of a name that nothing open has, or a
    /// character that begins nothing. The text before then goes on.
    #[inline(never)]
    pub(super) fn is_left_out(&mut self, at: usize) -> bool {
        let bytes = self.reader.bytes;
        if bytes.get(at + 1) != Some(&b'/') {
            return !self.is_tag(at, scan::name(bytes, at + 1).0);
        }
        let (len, head) = scan::name(bytes, at + 2);
        let (name, fault) = self.raw_names.intern(bytes, at + 2, len, head);
        fault.is_some() || self.open_names.get(name.index()).is_none_or(|&count| count == 0)
    }

    /// An end tag that does not close the innermost element, or is not complete.
    #[inline(never)]
    pub(super) fn unmatched_end_tag(&mut self, at: usize) -> Parse<()> {
        let bytes = self.reader.bytes;
        let (len, head) = scan::name(bytes, at + 2);
        let found = String::from_utf8_lossy(&bytes[at + 2..at + 2 + len.min(60)]).into_owned();
        match self.tags.last().filter(|_| self.tags.len() > self.reader.tags) {
            Some(&tag) => {
                self.complain_of(tag.name, at, |name| format!("found `</{found}`; expected `</{name}>`"))?;
            }
            None => {
                self.complain(at, || format!("found `</{found}`; expected no end tag, since nothing is open"))?;
            }
        }
        let (name, fault) = self.raw_names.intern(bytes, at + 2, len, head);
        self.skip_tag(at);
        let end = self.reader.at;
        let is_open = fault.is_none() && self.open_names.get(name.index()).is_some_and(|&count| count > 0);
        // One that is open only outside of the entity being read is not to be closed from in here.
        let is_near = || self.tags[self.reader.tags..].iter().any(|tag| tag.name == name);
        if is_open && (self.suspended.is_empty() || is_near()) {
            loop {
                let closes = self.tags.last().is_none_or(|tag| tag.name == name);
                self.close(end)?;
                if closes {
                    break;
                }
            }
        }
        Ok(())
    }

    #[inline(always)]
    pub(super) fn close(&mut self, end: usize) -> Parse<()> {
        let Some(tag) = self.tags.pop() else { return Ok(()) };
        self.leave_scope(tag);
        if self.options.recover {
            self.count_open(tag.name, -1);
        }
        self.builder.close(self.reader.base + end as u32);
        Ok(())
    }
}
