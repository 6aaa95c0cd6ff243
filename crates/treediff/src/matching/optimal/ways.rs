//! How does the best way come to a cell? Two bits for each, so that a large grid can be walked back through.

/// The last step to a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Delete,
    Insert,
    Pair,
}

const ALL: [Way; 4] = [Way::Delete, Way::Insert, Way::Pair, Way::Pair];

/// Ways in a row, four to a byte.
#[derive(Debug, Default)]
pub(super) struct Ways {
    packed: Vec<u8>,
    len: usize,
}

impl Ways {
    pub(super) fn clear(&mut self) {
        self.packed.clear();
        self.len = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.packed
    }

    #[inline]
    pub(super) fn push(&mut self, way: Way) {
        if self.len.is_multiple_of(4) {
            self.packed.push(0);
        }
        if let Some(last) = self.packed.last_mut() {
            *last |= (way as u8) << (2 * (self.len % 4));
        }
        self.len += 1;
    }

    pub(super) fn get(&self, at: usize) -> Way {
        unpacked(self.packed[at / 4], at)
    }
}

/// The way at a place, from the byte that it is in.
pub(super) fn unpacked(byte: u8, at: usize) -> Way {
    ALL[usize::from(byte >> (2 * (at % 4)) & 3)]
}
