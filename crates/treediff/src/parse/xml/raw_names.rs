//! Which name is this? Names as written, each looked up once and resolved once per set of namespaces in scope.
//!
//! A document has few distinct names and writes them over and over. Up to 16 bytes a name is two words, and finding
//! it is one multiplication and one comparison of these; whether its characters make a name, where its colon is and
//! what it means is settled when it is first met.

use super::chars;
use super::scan::Head;
use crate::tree::hash::{self, Key};
use crate::tree::{NameId, Names};

/// A name as written in this document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct RawId(u32);

impl RawId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What is known of a name as written.
#[derive(Debug, Clone)]
pub(super) struct RawName {
    head: Head,
    end_tag: EndTag,
    pub(super) text: Box<str>,
    pub(super) role: Role,
    fault: Option<NameFault>,
    /// The hash of the name in no namespace.
    pub(super) plain_hash: u64,
    /// Length of the prefix; 0 where there is none.
    pub(super) prefix_len: u32,
    /// What an element of this name is called, and in which scope that was found.
    pub(super) as_element: Resolved,
    /// The same for an attribute.
    pub(super) as_attribute: Resolved,
    /// Whether an attribute of this name is one without a prefix, and has been resolved.
    pub(super) is_plain_attribute: bool,
    /// Whether an attribute of this name is nothing special but for its prefix, and nothing is wrong with the name.
    pub(super) is_prefixed_attribute: bool,
}

/// An end tag without a space: its first 16 bytes, and how long it is.
#[derive(Debug, Clone, Copy)]
struct EndTag {
    head: Head,
    keep: Head,
    len: u32,
}

impl EndTag {
    fn new(name: &str) -> Self {
        let begin: Vec<u8> = b"</".iter().chain(name.as_bytes()).chain(b">").take(16).copied().collect();
        let len = name.len() + 3;
        EndTag { head: Head::of(&begin, 0, len), keep: Head::keeping(len), len: len as u32 }
    }
}

impl RawName {
    fn new(head: Head, text: Box<str>) -> Self {
        let (role, is_simple) = (role(&text), is_simple(text.as_bytes()));
        let fault = if is_simple { None } else { name_fault(&text) };
        let prefix_len = if is_simple { 0 } else { text.find(':').unwrap_or(0) as u32 };
        RawName {
            head,
            end_tag: EndTag::new(&text),
            role,
            fault,
            plain_hash: Names::plain_hash(&text),
            prefix_len,
            is_prefixed_attribute: role == Role::Plain && fault.is_none() && prefix_len > 0,
            text,
            as_element: Resolved::NEVER,
            as_attribute: Resolved::NEVER,
            is_plain_attribute: false,
        }
    }
}

/// An expanded name with its hash, and the namespace scope that it holds in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resolved {
    pub(super) scope: u32,
    pub(super) name: NameId,
    pub(super) hash: u64,
}

impl Resolved {
    /// Not resolved yet: no scope has this number.
    const NEVER: Resolved = Resolved { scope: u32::MAX, name: NameId::NONE, hash: 0 };
}

/// What an attribute of a name does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is an attribute.
    Plain,
    /// `xmlns`: it sets the default namespace.
    DefaultNamespace,
    /// `xmlns:…`: it binds a prefix.
    Prefix,
    /// `xml:space`.
    Space,
}

/// Why a name cannot be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameFault {
    /// A character that names do not have, or none at all.
    Character,
    /// More than one colon, or one at an end.
    Colon,
}

/// All names as written.
#[derive(Debug)]
pub(super) struct RawNames {
    entries: Vec<RawName>,
    /// Open addressing, `EMPTY` where free; a power of two.
    slots: Vec<u32>,
    key: Key,
}

const EMPTY: u32 = u32::MAX;

/// So many names are kept from one document to the next.
const MAX_KEPT: usize = 256;

impl RawNames {
    pub(super) fn new() -> Self {
        RawNames { entries: Vec::with_capacity(12), slots: vec![EMPTY; 128], key: Key::random() }
    }

    /// The names for another document, in which they may mean something else; too many are forgotten.
    pub(super) fn restarted(mut self) -> Self {
        if self.entries.len() > MAX_KEPT {
            return RawNames::new();
        }
        for entry in &mut self.entries {
            (entry.as_element, entry.as_attribute) = (Resolved::NEVER, Resolved::NEVER);
            entry.is_plain_attribute = false;
        }
        self
    }

    #[inline(always)]
    pub(super) fn get(&self, id: RawId) -> &RawName {
        &self.entries[id.index()]
    }

    #[inline(always)]
    pub(super) fn get_mut(&mut self, id: RawId) -> &mut RawName {
        &mut self.entries[id.index()]
    }

    /// The name `source[at..at + len]`, if it has been met.
    #[inline(always)]
    pub(super) fn find(&self, source: &[u8], at: usize, len: usize) -> Option<RawId> {
        self.probe(source, at, len, Head::of(source, at, len)).ok()
    }

    /// The id of the name `source[at..at + len]`, whose head is given, with what is wrong with it.
    #[inline(always)]
    pub(super) fn intern(&mut self, source: &[u8], at: usize, len: usize, head: Head) -> (RawId, Option<NameFault>) {
        let id = match self.probe(source, at, len, head) {
            Ok(id) => id,
            Err(slot) => self.insert(slot, head, &source[at..at + len]),
        };
        (id, self.get(id).fault)
    }

    /// The id where the name is known, else the slot where it belongs.
    #[inline(always)]
    fn probe(&self, source: &[u8], at: usize, len: usize, head: Head) -> Result<RawId, usize> {
        let mut slot = self.slot(head, &source[at..at + len]);
        loop {
            let id = self.slots[slot];
            if id == EMPTY {
                return Err(slot);
            }
            let entry = &self.entries[id as usize];
            if entry.head == head
                && entry.text.len() == len
                && (len <= 16 || entry.text.as_bytes() == &source[at..at + len])
            {
                return Ok(RawId(id));
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Where to look first. Beyond its head a name counts as well: many long names begin alike.
    #[inline(always)]
    fn slot(&self, head: Head, name: &[u8]) -> usize {
        let hash = match name.len() {
            len @ 0..=16 => hash::keyed_short(self.key, head.low, head.high, len),
            _ => hash::keyed(self.key, name),
        };
        hash as usize & (self.slots.len() - 1)
    }

    #[inline(never)]
    fn insert(&mut self, slot: usize, head: Head, name: &[u8]) -> RawId {
        let id = RawId(self.entries.len() as u32);
        self.entries.push(RawName::new(head, String::from_utf8_lossy(name).into()));
        self.slots[slot] = id.0;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        let old = std::mem::replace(&mut self.slots, vec![EMPTY; len]);
        for id in old.into_iter().filter(|&id| id != EMPTY) {
            let entry = &self.entries[id as usize];
            let mut slot = self.slot(entry.head, entry.text.as_bytes());
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = id;
        }
    }

    /// Whether `source` goes on at `at` with the name `id`.
    #[inline(always)]
    pub(super) fn is_at(&self, id: RawId, source: &[u8], at: usize) -> bool {
        let entry = self.get(id);
        let len = entry.text.len();
        if len <= 16 {
            return Head::of(source, at, len) == entry.head;
        }
        source.get(at..at + len).is_some_and(|found| found == entry.text.as_bytes())
    }

    /// Whether from one place of a source to another, which are those of marks, there is the end tag of `id` without a
    /// space in it.
    #[inline(always)]
    pub(super) fn is_end_tag(&self, id: RawId, source: &[u8], from: usize, to: usize) -> bool {
        let EndTag { head, keep, len } = self.get(id).end_tag;
        (to + 1).wrapping_sub(from) == len as usize
            && Head::load(source, from).and(keep) == head
            && (len <= 16 || self.is_long_end_tag(id, source, from, to))
    }

    #[inline(never)]
    fn is_long_end_tag(&self, id: RawId, source: &[u8], from: usize, to: usize) -> bool {
        source.get(to) == Some(&b'>') && self.is_at(id, source, from + 2)
    }

    /// The id of a name that stands alone.
    pub(super) fn intern_alone(&mut self, name: &str) -> (RawId, Option<NameFault>) {
        let head = Head::of(name.as_bytes(), 0, name.len());
        self.intern(name.as_bytes(), 0, name.len(), head)
    }
}

fn role(text: &str) -> Role {
    match text {
        "xmlns" => Role::DefaultNamespace,
        "xml:space" => Role::Space,
        _ if text.starts_with("xmlns:") => Role::Prefix,
        _ => Role::Plain,
    }
}

/// Whether a name is one at first sight: letters and digits of ASCII, and no colon.
fn is_simple(name: &[u8]) -> bool {
    name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// What is wrong with a name as written.
pub(super) fn name_fault(text: &str) -> Option<NameFault> {
    if !chars::is_name(text) {
        return Some(NameFault::Character);
    }
    let (prefix, local) = text.split_once(':')?;
    let well_placed = !prefix.is_empty() && local.chars().next().is_some_and(|c| c != ':' && chars::is_name_start(c));
    (!well_placed || local.contains(':')).then_some(NameFault::Colon)
}
