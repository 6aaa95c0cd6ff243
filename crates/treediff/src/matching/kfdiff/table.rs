//! Where is what has this hash? A table that is emptied by counting up, so that small documents do not pay for its size.

use crate::tree::hash::{Key, mix};

/// Places by hash; open addressing.
#[derive(Debug)]
pub(super) struct Table {
    slots: Vec<Slot>,
    /// Slots of other rounds are free.
    round: u32,
    used: usize,
    /// Content comes from strangers: nobody outside knows where a hash will be looked for.
    key: u64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    hash: u64,
    round: u32,
    value: u32,
}

impl Table {
    pub(super) fn new() -> Self {
        Table { slots: vec![Slot::default(); 64], round: 1, used: 0, key: Key::random().word() }
    }

    /// Forgets everything, and makes room for so many.
    pub(super) fn clear(&mut self, room: usize) {
        let needed = (room * 2).next_power_of_two();
        self.round = self.round.wrapping_add(1);
        if needed > self.slots.len() || self.round == 0 {
            let len = needed.max(self.slots.len());
            self.slots.clear();
            self.slots.resize(len, Slot::default());
            self.round = 1;
        }
        self.used = 0;
    }

    /// The value that is there, or the one that now is.
    pub(super) fn entry(&mut self, hash: u64, value: u32) -> &mut u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let at = self.probe(hash);
        let round = self.round;
        let slot = &mut self.slots[at];
        if slot.round != round {
            *slot = Slot { hash, round, value };
            self.used += 1;
        }
        &mut slot.value
    }

    /// The value that is there.
    pub(super) fn get(&mut self, hash: u64) -> Option<&mut u32> {
        let at = self.probe(hash);
        let round = self.round;
        Some(&mut self.slots[at]).filter(|slot| slot.round == round).map(|slot| &mut slot.value)
    }

    fn probe(&self, hash: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = mix(hash, self.key) as usize & mask;
        loop {
            let slot = &self.slots[at];
            if slot.round != self.round || slot.hash == hash {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let bigger = vec![Slot::default(); self.slots.len() * 2];
        let full = std::mem::replace(&mut self.slots, bigger);
        for slot in full.into_iter().filter(|slot| slot.round == self.round) {
            let at = self.probe(slot.hash);
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_in_is_found_until_the_table_is_cleared() {
        let mut table = Table::new();
        for round in 0..3u32 {
            table.clear(0);
            for n in 0..1000u32 {
                assert_eq!(*table.entry(u64::from(n), n + round), n + round);
                assert_eq!(*table.entry(u64::from(n), 7), n + round);
            }
            for n in 0..1000u32 {
                assert_eq!(table.get(u64::from(n)), Some(&mut (n + round)));
            }
            assert_eq!(table.get(1000), None);
        }
        table.clear(5000);
        assert_eq!(table.get(1), None);
    }
}
