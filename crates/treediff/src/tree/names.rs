//! Which names does a document use? Each expanded name (namespace URI and local name) once, as a small number.

use std::collections::HashMap;
use std::fmt;

use super::hash::{self, Key};

/// An interned expanded name of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub(crate) u32);

impl NameId {
    /// The name of what has none: texts, comments, the items of a JSON array.
    pub const NONE: NameId = NameId(0);
    /// Ids share a word with the node's kind.
    pub(crate) const LIMIT: u32 = 1 << 28;

    /// The id as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A namespace URI and a local name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name<'d> {
    /// The namespace URI, empty where the name is in no namespace.
    pub namespace: &'d str,
    /// The local part.
    pub local: &'d str,
}

impl fmt::Display for Name<'_> {
    /// Writes `{uri}local`, or `local` alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{{{}}}", self.namespace)?;
        }
        f.write_str(self.local)
    }
}

/// The names of a document.
#[derive(Debug, Clone)]
pub struct Names {
    entries: Vec<Entry>,
    /// The first is the empty one.
    namespaces: Vec<Namespace>,
    /// The places of namespaces in that list by their URIs.
    namespace_ids: HashMap<Box<str>, u32>,
    text: String,
    /// Open addressing over `entries`, `EMPTY` where free; always a power of two.
    slots: Vec<u32>,
    key: Key,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    hash: u64,
    namespace: u32,
    start: u32,
    len: u32,
}

/// A namespace URI as a range of the text, and its hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Namespace {
    hash: u64,
    start: u32,
    len: u32,
}

/// An interned namespace of one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NamespaceId(u32);

impl NamespaceId {
    /// No namespace.
    pub(crate) const NONE: NamespaceId = NamespaceId(0);
}

const EMPTY: u32 = u32::MAX;

impl Default for Names {
    fn default() -> Self {
        Names::new()
    }
}

impl Names {
    pub(crate) fn new() -> Self {
        let mut names = Names::with_slots(64);
        names.entries.reserve_exact(16);
        names.text.reserve_exact(128);
        names.intern_namespace("");
        names.intern("", "");
        names
    }

    fn with_slots(slots: usize) -> Self {
        Names {
            entries: Vec::new(),
            namespaces: Vec::new(),
            namespace_ids: HashMap::new(),
            text: String::new(),
            slots: vec![EMPTY; slots],
            key: Key::random(),
        }
    }

    /// Takes the names out; what is left has not even the empty one.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Names {
            entries: Vec::new(),
            namespaces: Vec::new(),
            namespace_ids: HashMap::with_hasher(self.namespace_ids.hasher().clone()),
            text: String::new(),
            slots: Vec::new(),
            key: self.key,
        };
        std::mem::replace(self, empty)
    }

    /// Names from their saved parts; `None` where they cannot be those of a document: a range is no piece of the
    /// text, pieces are used more than once, a namespace or name is there twice, the empty one is not the first.
    pub(crate) fn restored(text: &str, namespaces: &[[u32; 2]], entries: &[[u32; 3]]) -> Option<Self> {
        let piece = |start: u32, len: u32| text.get(start as usize..start.checked_add(len)? as usize);
        let lens = namespaces.iter().map(|&[_, len]| len).chain(entries.iter().map(|&[.., len]| len));
        if lens.map(u64::from).sum::<u64>() > text.len() as u64 || entries.len() >= NameId::LIMIT as usize {
            return None;
        }
        let mut names = Names::with_slots((entries.len() * 2).next_power_of_two().max(64));
        names.text = text.to_owned();
        for (id, &[start, len]) in namespaces.iter().enumerate() {
            let uri = piece(start, len)?;
            names.namespaces.push(Namespace { hash: hash::bytes(uri.as_bytes()), start, len });
            // The empty one is the first, and not in the table.
            if uri.is_empty() != (id == 0) || id > 0 && names.namespace_ids.insert(uri.into(), id as u32).is_some() {
                return None;
            }
        }
        for (id, &[namespace, start, len]) in entries.iter().enumerate() {
            let (uri_hash, local) = (names.namespaces.get(namespace as usize)?.hash, piece(start, len)?);
            let slot = names.probe(NamespaceId(namespace), local).err()?;
            names.entries.push(Entry { hash: hash::name_in(uri_hash, local), namespace, start, len });
            names.slots[slot] = id as u32;
        }
        (names.find("", "") == Some(NameId::NONE)).then_some(names)
    }

    /// The parts to restore the names from: their text, namespaces as start and length in it, and names as namespace,
    /// start and length.
    pub(crate) fn to_saved(&self) -> (&str, Vec<[u32; 2]>, Vec<[u32; 3]>) {
        let namespaces = self.namespaces.iter().map(|namespace| [namespace.start, namespace.len]).collect();
        let entries = self.entries.iter().map(|entry| [entry.namespace, entry.start, entry.len]).collect();
        (&self.text, namespaces, entries)
    }

    /// The number of names, the empty one included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is nothing but the empty name.
    pub fn is_empty(&self) -> bool {
        self.entries.len() <= 1
    }

    /// The name behind an id.
    pub fn get(&self, id: NameId) -> Name<'_> {
        let entry = self.entries[id.index()];
        Name { namespace: self.namespace(entry.namespace), local: self.slice(entry.start, entry.len) }
    }

    /// The id of a name, if the document uses it.
    pub fn find(&self, namespace: &str, local: &str) -> Option<NameId> {
        self.probe(self.find_namespace(namespace)?, local).ok()
    }

    fn find_namespace(&self, uri: &str) -> Option<NamespaceId> {
        match uri {
            "" => Some(NamespaceId::NONE),
            _ => self.namespace_ids.get(uri).copied().map(NamespaceId),
        }
    }

    /// How many names, from the first on, another document has under the same ids: two versions mostly begin alike, and so
    /// do their lists of names.
    pub(crate) fn common_start(&self, other: &Names) -> usize {
        let namespaces = self.namespaces.iter().zip(&other.namespaces).take_while(|(one, two)| one == two).count();
        let is_alike = |one: &Entry, two: &Entry| one == two && (one.namespace as usize) < namespaces;
        let count = self.entries.iter().zip(&other.entries).take_while(|(one, two)| is_alike(one, two)).count();
        let names = self.entries[..count].iter().map(|entry| entry.start + entry.len);
        let uris = self.namespaces[..namespaces].iter().map(|uri| uri.start + uri.len);
        let end = names.chain(uris).max().unwrap_or(0) as usize;
        let is_same = self.text.as_bytes().get(..end) == other.text.as_bytes().get(..end);
        if is_same { count } else { 0 }
    }

    /// Whether no name is in a namespace.
    pub(crate) fn are_plain(&self) -> bool {
        self.namespaces.len() == 1
    }

    /// The stable hash of a name.
    #[inline(always)]
    pub fn hash(&self, id: NameId) -> u64 {
        self.entries[id.index()].hash
    }

    /// All names with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (NameId, Name<'_>)> {
        (0..self.entries.len() as u32).map(|id| (NameId(id), self.get(NameId(id))))
    }

    pub(crate) fn intern(&mut self, namespace: &str, local: &str) -> NameId {
        let namespace = self.intern_namespace(namespace);
        self.intern_in(namespace, local)
    }

    /// The id of a name in a namespace that has an id already.
    pub(crate) fn intern_in(&mut self, namespace: NamespaceId, local: &str) -> NameId {
        match self.probe(namespace, local) {
            Ok(id) => id,
            Err(slot) => self.insert(slot, namespace, local),
        }
    }

    fn insert(&mut self, slot: usize, namespace: NamespaceId, local: &str) -> NameId {
        let id = self.entries.len() as u32;
        let hash = hash::name_in(self.namespaces[namespace.0 as usize].hash, local);
        let (start, len) = self.append(local);
        self.entries.push(Entry { hash, namespace: namespace.0, start, len });
        self.slots[slot] = id;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        NameId(id)
    }

    pub(crate) fn intern_namespace(&mut self, uri: &str) -> NamespaceId {
        if let Some(found) = self.find_namespace(uri).filter(|_| !self.namespaces.is_empty()) {
            return found;
        }
        let id = self.namespaces.len() as u32;
        let (start, len) = self.append(uri);
        self.namespaces.push(Namespace { hash: hash::bytes(uri.as_bytes()), start, len });
        if !uri.is_empty() {
            self.namespace_ids.insert(uri.into(), id);
        }
        NamespaceId(id)
    }

    fn append(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        (start, text.len() as u32)
    }

    /// The id where the name is known, else the slot where it belongs.
    fn probe(&self, namespace: NamespaceId, local: &str) -> Result<NameId, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.slot(namespace.0, local) & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                id if self.is(id, namespace, local) => return Ok(NameId(id)),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn slot(&self, namespace: u32, local: &str) -> usize {
        hash::mix(hash::keyed(self.key, local.as_bytes()), u64::from(namespace)) as usize
    }

    fn is(&self, id: u32, namespace: NamespaceId, local: &str) -> bool {
        let entry = &self.entries[id as usize];
        entry.namespace == namespace.0 && self.slice(entry.start, entry.len) == local
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(len, EMPTY);
        for id in 0..self.entries.len() {
            let entry = self.entries[id];
            let mut slot = self.slot(entry.namespace, self.slice(entry.start, entry.len)) & (len - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = id as u32;
        }
    }

    fn namespace(&self, id: u32) -> &str {
        let Namespace { start, len, .. } = self.namespaces[id as usize];
        self.slice(start, len)
    }

    fn slice(&self, start: u32, len: u32) -> &str {
        &self.text[start as usize..(start + len) as usize]
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.namespaces.capacity() * size_of::<Namespace>()
            + self.namespace_ids.capacity() * size_of::<(Box<str>, u32)>()
            + self.text.capacity()
            + self.slots.capacity() * size_of::<u32>()
    }
}
