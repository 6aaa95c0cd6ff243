//! Which names does a document use? Each expanded name (namespace URI and local name) once, as a small number.
//!
//! Most documents have a dozen names. So few are looked through by their hashes, which takes less than asking a table and
//! much less than making one, since parsing a small document takes microseconds.

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
    /// All but the empty one, which is 0: the first is 1.
    namespaces: Vec<Namespace>,
    /// The ids of namespaces by their URIs, where there are more than a few.
    namespace_ids: HashMap<Box<str>, u32>,
    text: String,
    /// Where entries are found, where there are more than a few.
    index: Option<Index>,
}

/// Open addressing over entries.
#[derive(Debug, Clone)]
struct Index {
    /// `EMPTY` where free; always a power of two.
    slots: Vec<u32>,
    key: Key,
}

/// So many names, or namespaces, are looked through.
const FEW: usize = 32;

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
        let mut names = Names::without_any();
        names.entries.reserve_exact(24);
        names.text.reserve_exact(128);
        names.intern("", "");
        names
    }

    fn without_any() -> Self {
        Names {
            entries: Vec::new(),
            namespaces: Vec::new(),
            namespace_ids: HashMap::new(),
            text: String::new(),
            index: None,
        }
    }

    /// Takes the names out; what is left has not even the empty one.
    pub(crate) fn take(&mut self) -> Self {
        std::mem::replace(self, Names::without_any())
    }

    /// Names from their saved parts; `None` where they cannot be those of a document: a range is no piece of the
    /// text, pieces are used more than once, a namespace or name is there twice, the empty one is not the first.
    pub(crate) fn restored(text: &str, namespaces: &[[u32; 2]], entries: &[[u32; 3]]) -> Option<Self> {
        let piece = |start: u32, len: u32| text.get(start as usize..start.checked_add(len)? as usize);
        let lens = namespaces.iter().map(|&[_, len]| len).chain(entries.iter().map(|&[.., len]| len));
        if lens.map(u64::from).sum::<u64>() > text.len() as u64 || entries.len() >= NameId::LIMIT as usize {
            return None;
        }
        let mut names = Names { text: text.to_owned(), ..Names::without_any() };
        names.entries.reserve_exact(entries.len());
        for (id, &[start, len]) in namespaces.iter().enumerate() {
            let uri = piece(start, len)?;
            // The empty one is the first, and not in the list.
            if uri.is_empty() != (id == 0) || id > 0 && names.find_namespace(uri).is_some() {
                return None;
            }
            if id > 0 {
                names.add_namespace(start, len);
            }
        }
        for &[namespace, start, len] in entries {
            let local = piece(start, len)?;
            namespaces.get(namespace as usize)?;
            let hash = names.hash_in(NamespaceId(namespace), local);
            if names.probe(NamespaceId(namespace), local, hash).is_some() {
                return None;
            }
            names.add(Entry { hash, namespace, start, len });
        }
        (names.find("", "") == Some(NameId::NONE)).then_some(names)
    }

    /// The parts to restore the names from: their text, namespaces as start and length in it, and names as namespace,
    /// start and length.
    pub(crate) fn to_saved(&self) -> (&str, Vec<[u32; 2]>, Vec<[u32; 3]>) {
        let named = self.namespaces.iter().map(|namespace| [namespace.start, namespace.len]);
        let namespaces = std::iter::once([0, 0]).chain(named).collect();
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

    /// The name behind an id. Whoever looks at the local part alone does not pay for the namespace: nothing here can fail, so that
    /// it need not be done.
    #[inline]
    pub fn get(&self, id: NameId) -> Name<'_> {
        let entry = self.entries[id.index()];
        Name { namespace: self.namespace(entry.namespace), local: self.slice(entry.start, entry.len) }
    }

    /// The id of a name, if the document uses it.
    pub fn find(&self, namespace: &str, local: &str) -> Option<NameId> {
        let namespace = self.find_namespace(namespace)?;
        self.probe(namespace, local, self.hash_in(namespace, local))
    }

    /// The id of a name of another document.
    pub(crate) fn find_of(&self, other: &Names, id: NameId) -> Option<NameId> {
        let Name { namespace, local } = other.get(id);
        self.probe(self.find_namespace(namespace)?, local, other.hash(id))
    }

    fn find_namespace(&self, uri: &str) -> Option<NamespaceId> {
        if uri.is_empty() {
            return Some(NamespaceId::NONE);
        }
        match self.namespaces.len() {
            0..=FEW => (1..=self.namespaces.len() as u32).find(|&id| self.namespace(id) == uri),
            _ => self.namespace_ids.get(uri).copied(),
        }
        .map(NamespaceId)
    }

    /// How many names, from the first on, another document has under the same ids: two versions mostly begin alike, and so
    /// do their lists of names.
    pub(crate) fn common_start(&self, other: &Names) -> usize {
        let namespaces = self.namespaces.iter().zip(&other.namespaces).take_while(|(one, two)| one == two).count();
        let is_alike = |one: &Entry, two: &Entry| one == two && one.namespace as usize <= namespaces;
        let count = self.entries.iter().zip(&other.entries).take_while(|(one, two)| is_alike(one, two)).count();
        let names = self.entries[..count].iter().map(|entry| entry.start + entry.len);
        let uris = self.namespaces[..namespaces].iter().map(|uri| uri.start + uri.len);
        let end = names.chain(uris).max().unwrap_or(0) as usize;
        let is_same = self.text.as_bytes().get(..end) == other.text.as_bytes().get(..end);
        if is_same { count } else { 0 }
    }

    /// Whether no name is in a namespace.
    pub(crate) fn are_plain(&self) -> bool {
        self.namespaces.is_empty()
    }

    /// A look at all of them, for [`Document::fetch`](super::Document::fetch).
    pub(super) fn glance(&self) -> u8 {
        let entries = self.entries.iter().fold(0, |all, entry| all ^ entry.hash as u8);
        entries ^ super::glance(self.text.as_bytes())
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
        self.intern_hashed(namespace, local, self.hash_in(namespace, local))
    }

    /// The same for a name whose hash is known.
    pub(crate) fn intern_hashed(&mut self, namespace: NamespaceId, local: &str, hash: u64) -> NameId {
        if let Some(known) = self.probe(namespace, local, hash) {
            return known;
        }
        let (start, len) = self.append(local);
        self.add(Entry { hash, namespace: namespace.0, start, len })
    }

    /// Adds a name that is not there.
    fn add(&mut self, entry: Entry) -> NameId {
        let id = self.entries.len() as u32;
        self.entries.push(entry);
        match self.index.as_mut().filter(|index| self.entries.len() * 2 <= index.slots.len()) {
            Some(_) => self.enter(id),
            None if self.entries.len() > FEW => self.make_index(),
            None => {}
        }
        NameId(id)
    }

    pub(crate) fn intern_namespace(&mut self, uri: &str) -> NamespaceId {
        if let Some(found) = self.find_namespace(uri) {
            return found;
        }
        let (start, len) = self.append(uri);
        self.add_namespace(start, len)
    }

    fn add_namespace(&mut self, start: u32, len: u32) -> NamespaceId {
        let hash = hash::bytes(self.slice(start, len).as_bytes());
        self.namespaces.push(Namespace { hash, start, len });
        let id = self.namespaces.len() as u32;
        if id as usize > FEW {
            let first = if self.namespace_ids.is_empty() { 1 } else { id };
            let entered: Vec<_> = (first..=id).map(|id| (self.namespace(id).into(), id)).collect();
            self.namespace_ids.extend(entered);
        }
        NamespaceId(id)
    }

    fn append(&mut self, text: &str) -> (u32, u32) {
        let start = self.text.len() as u32;
        self.text.push_str(text);
        (start, text.len() as u32)
    }

    /// The stable hash of a name in no namespace.
    pub(crate) fn plain_hash(local: &str) -> u64 {
        hash::name_in(hash::bytes(b""), local)
    }

    /// The stable hash that a name has.
    #[inline]
    fn hash_in(&self, namespace: NamespaceId, local: &str) -> u64 {
        match namespace.0.checked_sub(1) {
            Some(at) => hash::name_in(self.namespaces[at as usize].hash, local),
            None => Names::plain_hash(local),
        }
    }

    /// The id of a name that is known, by its hash or, where there are many, by the index.
    #[inline]
    fn probe(&self, namespace: NamespaceId, local: &str, hash: u64) -> Option<NameId> {
        let Some(index) = &self.index else {
            let is_it = |(entry, id): (&Entry, u32)| entry.hash == hash && self.is(id, namespace, local);
            return self.entries.iter().zip(0..).position(is_it).map(|id| NameId(id as u32));
        };
        let mut slot = index.slot(namespace.0, local);
        loop {
            match index.slots[slot] {
                EMPTY => return None,
                id if self.is(id, namespace, local) => return Some(NameId(id)),
                _ => slot = index.behind(slot),
            }
        }
    }

    fn is(&self, id: u32, namespace: NamespaceId, local: &str) -> bool {
        let entry = &self.entries[id as usize];
        entry.namespace == namespace.0 && self.slice(entry.start, entry.len) == local
    }

    /// Makes an index of all names, at most half full.
    #[cold]
    fn make_index(&mut self) {
        let slots = vec![EMPTY; (self.entries.len() * 2).next_power_of_two()];
        let key = self.index.take().map_or_else(Key::random, |index| index.key);
        self.index = Some(Index { slots, key });
        (0..self.entries.len() as u32).for_each(|id| self.enter(id));
    }

    /// Puts a name that is not there into the index.
    fn enter(&mut self, id: u32) {
        let Entry { namespace, start, len, .. } = self.entries[id as usize];
        let local = &self.text[start as usize..(start + len) as usize];
        let Some(index) = &mut self.index else { return };
        let mut slot = index.slot(namespace, local);
        while index.slots[slot] != EMPTY {
            slot = index.behind(slot);
        }
        index.slots[slot] = id;
    }

    #[inline]
    fn namespace(&self, id: u32) -> &str {
        let named = self.namespaces.get(id.wrapping_sub(1) as usize);
        named.map_or("", |&Namespace { start, len, .. }| self.slice(start, len))
    }

    #[inline]
    fn slice(&self, start: u32, len: u32) -> &str {
        self.text.get(start as usize..start as usize + len as usize).unwrap_or_default()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.entries.capacity() * size_of::<Entry>()
            + self.namespaces.capacity() * size_of::<Namespace>()
            + self.namespace_ids.capacity() * size_of::<(Box<str>, u32)>()
            + self.text.capacity()
            + self.index.as_ref().map_or(0, |index| index.slots.capacity() * size_of::<u32>())
    }
}

impl Index {
    /// Where to look for a name first.
    fn slot(&self, namespace: u32, local: &str) -> usize {
        hash::mix(hash::keyed(self.key, local.as_bytes()), u64::from(namespace)) as usize & (self.slots.len() - 1)
    }

    /// Where to look next.
    fn behind(&self, slot: usize) -> usize {
        (slot + 1) & (self.slots.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names of a few namespaces, more than are looked through.
    fn many(count: usize) -> Vec<(String, String)> {
        (0..count).map(|at| (format!("urn:{}", at % (FEW + 9)), format!("name{}", at / 3))).collect()
    }

    #[test]
    fn names_are_found_however_many_there_are() {
        for count in [0, 1, FEW - 1, FEW, FEW + 1, 10 * FEW] {
            let (mut names, mut others) = (Names::new(), Names::new());
            others.intern("urn:elsewhere", "name0");
            for (uri, local) in many(count) {
                let id = names.intern(&uri, &local);
                assert_eq!(names.intern(&uri, &local), id);
                others.intern(&uri, &local);
            }
            assert_eq!(names.len(), 1 + count);
            for (uri, local) in many(count) {
                let found = names.find(&uri, &local).unwrap();
                assert_eq!(names.get(found), Name { namespace: &uri, local: &local });
                let other = others.find(&uri, &local).unwrap();
                assert_eq!(names.find_of(&others, other), Some(found));
            }
            assert_eq!(names.find("", "name0"), None);
            assert_eq!(names.find_of(&others, others.find("urn:elsewhere", "name0").unwrap()), None);
            let (text, namespaces, entries) = names.to_saved();
            let restored = Names::restored(text, &namespaces, &entries).unwrap();
            assert!(restored.iter().eq(names.iter()));
        }
    }
}
