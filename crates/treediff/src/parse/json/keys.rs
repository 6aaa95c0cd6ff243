//! Has this key just been seen? Records repeat their keys, so a small cache answers before the table of names is asked.

use crate::tree::NameId;

const SLOTS: usize = 256;
/// A key is remembered by its bytes, as many as fit into one number.
const LONGEST: usize = size_of::<u128>();

/// The names of keys of at most 16 bytes, each in the one slot where it belongs until another takes it.
#[derive(Debug)]
pub(super) struct KeyCache {
    slots: Vec<Slot>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    bytes: u128,
    /// Longer than any key that is remembered where the slot is free.
    len: usize,
    name: NameId,
}

impl KeyCache {
    pub(super) fn new() -> Self {
        KeyCache { slots: vec![Slot { bytes: 0, len: usize::MAX, name: NameId::NONE }; SLOTS] }
    }

    /// The name of the key of `len` bytes at `start`, from `intern` where it is not remembered.
    #[inline(always)]
    pub(super) fn name(&mut self, source: &[u8], start: usize, len: usize, intern: impl FnOnce() -> NameId) -> NameId {
        let Some(bytes) = key_bytes(source, start, len) else { return intern() };
        let slot = &mut self.slots[slot_of(bytes, len)];
        if slot.bytes != bytes || slot.len != len {
            *slot = Slot { bytes, len, name: intern() };
        }
        slot.name
    }
}

/// The bytes of the key as one number; `None` where they are too many, or the source ends too soon behind them.
#[inline(always)]
fn key_bytes(source: &[u8], start: usize, len: usize) -> Option<u128> {
    let block = source.get(start..)?.first_chunk::<LONGEST>()?;
    let all = u128::from_le_bytes(*block);
    match len {
        0..LONGEST => Some(all & ((1 << (8 * len)) - 1)),
        LONGEST => Some(all),
        _ => None,
    }
}

#[inline(always)]
fn slot_of(bytes: u128, len: usize) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let folded = (bytes as u64) ^ ((bytes >> 64) as u64).rotate_left(7) ^ len as u64;
    (folded.wrapping_mul(SPREAD) >> 56) as usize % SLOTS
}
