//! Which names does a document use? Each expanded name (namespace URI and local name) once, as a small number.

use std::collections::HashMap;
use std::fmt;

use super::hash;

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
    /// Namespace URIs as ranges of `text`; the first is the empty one.
    namespaces: Vec<(u32, u32)>,
    /// The places of namespaces in that list, by the hashes of their URIs.
    namespace_ids: HashMap<u64, u32>,
    text: String,
    /// Open addressing over `entries`, `EMPTY` where free; always a power of two.
    slots: Vec<u32>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    hash: u64,
    namespace: u32,
    start: u32,
    len: u32,
}

const EMPTY: u32 = u32::MAX;

impl Default for Names {
    fn default() -> Self {
        Names::new()
    }
}

impl Names {
    pub(crate) fn new() -> Self {
        let mut names = Names {
            entries: Vec::new(),
            namespaces: vec![(0, 0)],
            namespace_ids: HashMap::new(),
            text: String::new(),
            slots: vec![EMPTY; 64],
        };
        names.intern("", "");
        names
    }

    /// Names from their saved parts; `None` where they cannot be those of a document: a range is no piece of the
    /// text, pieces are used more than once, a name is there twice, the empty one is not the first.
    pub(crate) fn restored(text: &str, namespaces: &[[u32; 2]], entries: &[[u32; 3]]) -> Option<Self> {
        let piece = |start: u32, len: u32| text.get(start as usize..start.checked_add(len)? as usize);
        let uris: Vec<&str> = namespaces.iter().map(|&[start, len]| piece(start, len)).collect::<Option<_>>()?;
        let lens = namespaces.iter().map(|&[_, len]| len).chain(entries.iter().map(|&[.., len]| len));
        if lens.map(u64::from).sum::<u64>() > text.len() as u64 || entries.len() >= NameId::LIMIT as usize {
            return None;
        }
        let uri_hashes: Vec<u64> = uris.iter().map(|uri| hash::bytes(uri.as_bytes())).collect();
        let mut names = Names {
            entries: Vec::with_capacity(entries.len()),
            namespaces: namespaces.iter().map(|&[start, len]| (start, len)).collect(),
            namespace_ids: uri_hashes.iter().copied().zip(0..).collect(),
            text: text.to_owned(),
            slots: vec![EMPTY; (entries.len() * 2).next_power_of_two().max(64)],
        };
        for (id, &[namespace, start, len]) in entries.iter().enumerate() {
            let (uri, local) = (uris.get(namespace as usize)?, piece(start, len)?);
            let hash = hash::name_in(uri_hashes[namespace as usize], local);
            let slot = names.probe(hash, uri, local).err()?;
            names.entries.push(Entry { hash, namespace, start, len });
            names.slots[slot] = id as u32;
        }
        (names.find("", "") == Some(NameId::NONE)).then_some(names)
    }

    /// The parts to restore the names from: their text, namespaces as start and length in it, and names as namespace,
    /// start and length.
    pub(crate) fn to_saved(&self) -> (&str, Vec<[u32; 2]>, Vec<[u32; 3]>) {
        let namespaces = self.namespaces.iter().map(|&(start, len)| [start, len]).collect();
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
        self.probe(hash::name(namespace, local), namespace, local).ok()
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
        let hash = hash::name(namespace, local);
        match self.probe(hash, namespace, local) {
            Ok(id) => id,
            Err(slot) => self.insert(slot, hash, namespace, local),
        }
    }

    fn insert(&mut self, slot: usize, hash: u64, namespace: &str, local: &str) -> NameId {
        let id = self.entries.len() as u32;
        debug_assert!(id < NameId::LIMIT, "a name takes a byte of source, and sources are shorter");
        let namespace = self.intern_namespace(namespace);
        let (start, len) = self.append(local);
        self.entries.push(Entry { hash, namespace, start, len });
        self.slots[slot] = id;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        NameId(id)
    }

    fn intern_namespace(&mut self, uri: &str) -> u32 {
        if uri.is_empty() {
            return 0;
        }
        let hash = hash::bytes(uri.as_bytes());
        // Of two URIs with one hash the second is listed again with each of its names, which costs nothing but room.
        if let Some(&found) = self.namespace_ids.get(&hash).filter(|&&id| self.namespace(id) == uri) {
            return found;
        }
        let range = self.append(uri);
        let id = self.namespaces.len() as u32;
        self.namespaces.push(range);
        self.namespace_ids.entry(hash).or_insert(id);
        id
    }

    fn append(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        (start, text.len() as u32)
    }

    /// The id where the name is known, else the slot where it belongs.
    fn probe(&self, hash: u64, namespace: &str, local: &str) -> Result<NameId, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return Err(slot),
                id if self.is(id, hash, namespace, local) => return Ok(NameId(id)),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn is(&self, id: u32, hash: u64, namespace: &str, local: &str) -> bool {
        let entry = &self.entries[id as usize];
        let found = self.get(NameId(id));
        // `memcmp` of nothing at an address of nothing, as `""` has it, is a masked load that faults in silence: it
        // took a fifth of the time to parse a page, so the empty namespace is not compared.
        let same_namespace = match namespace {
            "" => found.namespace.is_empty(),
            _ => found.namespace == namespace,
        };
        entry.hash == hash && same_namespace && found.local == local
    }

    fn grow(&mut self) {
        let len = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(len, EMPTY);
        for (id, entry) in self.entries.iter().enumerate() {
            let mut slot = entry.hash as usize & (len - 1);
            while self.slots[slot] != EMPTY {
                slot = (slot + 1) & (len - 1);
            }
            self.slots[slot] = id as u32;
        }
    }

    fn namespace(&self, id: u32) -> &str {
        let (start, len) = self.namespaces[id as usize];
        self.slice(start, len)
    }

    fn slice(&self, start: u32, len: u32) -> &str {
        &self.text[start as usize..(start + len) as usize]
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.namespaces.capacity() * size_of::<(u32, u32)>()
            + self.namespace_ids.capacity() * size_of::<(u64, u32)>()
            + self.text.capacity()
            + self.slots.capacity() * size_of::<u32>()
    }
}
