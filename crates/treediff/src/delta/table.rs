//! What is known of a node by its identity? Tables whose keys are identities, which are numbers that strangers choose.
//!
//! The hash is two multiplications with a key that nobody outside knows; the library's own, which is made for keys of any
//! length, took most of the time to compose deltas.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use super::Xid;
use crate::tree::hash::{Key, keyed_short, mix};

pub(super) type XidTable<V> = HashMap<Xid, V, XidHash>;
pub(super) type XidSet = HashSet<Xid, XidHash>;

/// Makes the hashes of one table.
#[derive(Debug, Clone)]
pub(super) struct XidHash(Key);

impl Default for XidHash {
    fn default() -> Self {
        XidHash(Key::random())
    }
}

impl BuildHasher for XidHash {
    type Hasher = XidHasher;

    fn build_hasher(&self) -> XidHasher {
        XidHasher { key: self.0, state: 0 }
    }
}

/// The hash of one identity.
#[derive(Debug)]
pub(super) struct XidHasher {
    key: Key,
    state: u64,
}

impl Hasher for XidHasher {
    fn write_u64(&mut self, xid: u64) {
        self.state = keyed_short(self.key, xid, self.state, size_of::<u64>());
    }

    /// An identity is one number; nothing else comes here.
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.state = mix(self.state, u64::from(*byte)));
    }

    fn finish(&self) -> u64 {
        self.state
    }
}
