//! Which bytes stand for a subtree? One fixed 64-bit hash, the same on every machine and in every run.
//!
//! A leaf hashes its label and its decoded value. An element starts from its label, folds in its children in
//! order, and adds its attributes in a way that does not depend on their order. Nothing here is keyed: a document
//! can be made to collide on purpose, so whoever would lose data by a wrong match confirms with
//! [`Node::same_content`](crate::tree::Node::same_content).

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use xxhash_rust::xxh3::xxh3_64;

const SEED_LOW: u64 = 0x9e37_79b9_7f4a_7c15;
const SEED_HIGH: u64 = 0xd1b5_4a32_d192_ed03;
const SEED_LENGTH: u64 = 0x8ebc_6af0_9c88_c6e3;

/// Folds two words into one by the high and low half of their product.
#[inline(always)]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let product = u128::from(a ^ SEED_LOW) * u128::from(b ^ SEED_HIGH);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Hash of a run of bytes.
#[inline(always)]
pub(crate) fn bytes(run: &[u8]) -> u64 {
    let len = run.len();
    if len > 16 {
        return long(run);
    }
    let [low, high] = padded(run);
    short(low, high, len)
}

/// Up to 16 bytes as two words, zeros behind their end: read where they stand from both ends, since copying so few takes
/// longer.
#[inline(always)]
pub(crate) fn padded(run: &[u8]) -> [u64; 2] {
    let len = run.len();
    if let (Some(&first), Some(&last)) = (run.first_chunk(), run.last_chunk()) {
        let (low, high) = (u64::from_le_bytes(first), u64::from_le_bytes(last));
        // Of the last eight those that are not among the first eight; a shift by all would be none.
        return [low, high.checked_shr(8 * (16 - len as u32)).unwrap_or(0)];
    }
    if let (Some(&first), Some(&last)) = (run.first_chunk(), run.last_chunk()) {
        let [low, high] = [first, last].map(|end| u64::from(u32::from_le_bytes(end)));
        return [low | high << (8 * (len - 4)), 0];
    }
    [run.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0]
}

/// The same for more than 16 bytes: 16 at a time, the last 16 whether or not some of them were read before. One loop
/// has less to decide than xxh3, which has several ways up to 240 bytes; on CLDR that was 2 % of the time to parse.
#[inline(always)]
pub(crate) fn long(run: &[u8]) -> u64 {
    long_seen(run, |_, _| ())
}

/// The same; `see` is given all words of it, some twice.
#[inline(always)]
pub(crate) fn long_seen(run: &[u8], mut see: impl FnMut(u64, u64)) -> u64 {
    let (blocks, _) = run.as_chunks::<16>();
    let mut words = |block| {
        let [low, high] = words(block);
        see(low, high);
        [low, high]
    };
    if run.len() > 256 {
        blocks.iter().chain(run.last_chunk::<16>()).for_each(|block| _ = words(block));
        return xxh3_64(run);
    }
    let mut state = SEED_LENGTH ^ run.len() as u64;
    for block in blocks {
        let [low, high] = words(block);
        state = mix(state ^ low, high);
    }
    match run.last_chunk::<16>() {
        Some(last) => {
            let [low, high] = words(last);
            mix(state ^ low, high)
        }
        None => state,
    }
}

#[inline(always)]
fn words(block: &[u8; 16]) -> [u64; 2] {
    let word = u128::from_le_bytes(*block);
    [word as u64, (word >> 64) as u64]
}

/// The same for up to 16 bytes, which are most names, attribute values and data texts: their two words with zeros
/// behind the end. It is two multiplications; xxh3 has more to decide there.
#[inline(always)]
pub(crate) fn short(low: u64, high: u64, len: usize) -> u64 {
    mix(mix(low, high), SEED_LENGTH ^ len as u64)
}

/// Where to look for a run of bytes in a table. The key is of this run of the program and known to nobody outside, so
/// that nobody can make a document whose names all meet in one place.
#[inline(always)]
pub(crate) fn keyed(key: Key, run: &[u8]) -> u64 {
    let (blocks, rest) = run.as_chunks::<16>();
    let mut state = key.0 ^ run.len() as u64;
    for block in blocks {
        let [low, high] = words(block);
        state = mix(state ^ low, high ^ key.1);
    }
    let mut padded = [0; 16];
    padded[..rest.len()].copy_from_slice(rest);
    let [low, high] = words(&padded);
    mix(state ^ low, high ^ key.1)
}

/// The same for up to 16 bytes as their two words with zeros behind the end.
#[inline(always)]
pub(crate) fn keyed_short(key: Key, low: u64, high: u64, len: usize) -> u64 {
    mix(key.0 ^ len as u64 ^ low, high ^ key.1)
}

/// The same purpose as [`keyed`], for words of running text, most of which have less than 16 bytes: their first and their
/// last bytes are read where they stand, since copying so few into a block takes longer than hashing it.
#[inline(always)]
pub(crate) fn keyed_run(key: Key, run: &[u8]) -> u64 {
    let mut state = key.0 ^ run.len() as u64;
    let mut rest = run;
    while let Some((block, behind)) = rest.split_first_chunk::<16>() {
        let [low, high] = words(block);
        state = mix(state ^ low, high ^ key.1);
        rest = behind;
    }
    let [low, high] = ends(rest);
    mix(state ^ low, high ^ key.1)
}

/// Whether two runs are equal, without a call for those of less than 16 bytes.
#[inline(always)]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    one.len() == other.len() && if one.len() < 16 { ends(one) == ends(other) } else { one == other }
}

/// Whether a run is ASCII alone, likewise.
#[inline(always)]
pub(crate) fn is_ascii(run: &[u8]) -> bool {
    const HIGH_BITS: u64 = 0x8080_8080_8080_8080;
    let [low, high] = if run.len() < 16 { ends(run) } else { return run.is_ascii() };
    (low | high) & HIGH_BITS == 0
}

/// Less than 16 bytes as two words, which share what is in the middle.
#[inline(always)]
fn ends(run: &[u8]) -> [u64; 2] {
    if let (Some(&first), Some(&last)) = (run.first_chunk(), run.last_chunk()) {
        return [u64::from_le_bytes(first), u64::from_le_bytes(last)];
    }
    if let (Some(&first), Some(&last)) = (run.first_chunk(), run.last_chunk()) {
        return [first, last].map(|end| u64::from(u32::from_le_bytes(end)));
    }
    match *run {
        [] => [0, 0],
        [first, .., last] => [u64::from(first) | u64::from(run[run.len() / 2]) << 8, u64::from(last)],
        [only] => [u64::from(only), 0],
    }
}

/// What [`keyed`] depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Key(u64, u64);

impl Key {
    /// A key that is no other table's. The first of a thread comes from the system, the others follow from it: small documents
    /// are matched with dozens of small tables, and each would take longer to be keyed than to be filled.
    pub(crate) fn random() -> Self {
        thread_local! {
            static LAST: Cell<Key> = {
                let state = RandomState::new();
                Cell::new(Key(state.hash_one(0), state.hash_one(1)))
            };
        }
        let Key(one, other) = LAST.get();
        let next = Key(mix(one, other), other.wrapping_add(SEED_LENGTH));
        LAST.set(next);
        next
    }

    /// A number that nobody outside knows.
    pub(crate) fn word(self) -> u64 {
        self.0
    }
}

/// How tables are keyed whose keys are hashes of content already: one multiplication, and a key of their own, because
/// content comes from strangers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedState(Key);

impl Default for KeyedState {
    fn default() -> Self {
        KeyedState(Key::random())
    }
}

impl BuildHasher for KeyedState {
    type Hasher = KeyedHasher;

    fn build_hasher(&self) -> KeyedHasher {
        KeyedHasher { key: self.0, state: self.0.0 }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedHasher {
    key: Key,
    state: u64,
}

impl Hasher for KeyedHasher {
    fn finish(&self) -> u64 {
        self.state
    }

    fn write(&mut self, bytes: &[u8]) {
        self.state ^= keyed_run(self.key, bytes);
    }

    /// What stands behind every string.
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }

    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }

    fn write_u64(&mut self, value: u64) {
        self.state = mix(self.state ^ value, self.key.1);
    }
}

/// A table by hashes of content.
pub(crate) type ByHash<K, V> = HashMap<K, V, KeyedState>;

/// Hash of a name, from the hash of its namespace's URI.
pub(crate) fn name_in(namespace: u64, local: &str) -> u64 {
    mix(namespace, bytes(local.as_bytes()))
}

/// Hash of a leaf, from the hash of its label and of its value.
#[inline(always)]
pub(crate) fn leaf(label: u64, value: u64) -> u64 {
    mix(label, value)
}

/// Contribution of one attribute; the contributions of an element are added up, so that their order is of no matter.
#[inline(always)]
pub(crate) fn attribute(name: u64, value: u64) -> u64 {
    mix(name ^ SEED_LENGTH, value)
}

/// The running hash of an inner node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold {
    state: u64,
}

impl Fold {
    /// That of no node.
    pub(crate) const NONE: Fold = Fold { state: 0 };

    /// Starts with the node's label and the sum of its attributes.
    #[inline(always)]
    pub(crate) fn new(label: u64, attributes: u64) -> Self {
        Fold { state: label.wrapping_add(attributes.rotate_left(32)) }
    }

    /// Adds the next child, where the order of children counts.
    #[inline(always)]
    pub(crate) fn child(&mut self, hash: u64) {
        self.state = mix(self.state, hash);
    }

    /// Adds a child, where the order of children does not count (the members of a JSON object).
    #[inline(always)]
    pub(crate) fn member(&mut self, hash: u64) {
        self.state = self.state.wrapping_add(mix(hash, SEED_LENGTH));
    }

    #[inline(always)]
    pub(crate) fn finish(self, children: u32) -> u64 {
        mix(self.state, SEED_LENGTH ^ u64::from(children))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stored hashes outlive the program: these values must never change without a new saved format.
    #[test]
    fn values_are_fixed() {
        let found: Vec<u64> = ["", "a", "abcd", "abcdefgh", "a text of more than sixteen bytes"]
            .iter()
            .map(|text| bytes(text.as_bytes()))
            .collect();
        assert_eq!(found, EXPECTED);
    }

    const EXPECTED: [u64; 5] =
        [10514258605562177665, 132478719158880803, 828366491851421447, 9607196609086386725, 7240226698260647409];

    #[test]
    fn short_runs_have_zeros_behind_their_end() {
        let run: Vec<u8> = (1..=16).collect();
        for len in 0..=16 {
            let mut copied = [0; 16];
            copied[..len].copy_from_slice(&run[..len]);
            assert_eq!(padded(&run[..len]), words(&copied), "{len} bytes");
        }
    }

    #[test]
    fn every_byte_counts() {
        let key = Key::random();
        for len in 1..300usize {
            let plain = vec![b'x'; len];
            for at in 0..len {
                let mut changed = plain.clone();
                changed[at] = b'y';
                assert_ne!(bytes(&plain), bytes(&changed), "byte {at} of {len}");
                assert_ne!(keyed_run(key, &plain), keyed_run(key, &changed), "byte {at} of {len}");
                assert!(!is_same(&plain, &changed) && is_same(&plain, &plain.clone()), "byte {at} of {len}");
            }
        }
    }
}
