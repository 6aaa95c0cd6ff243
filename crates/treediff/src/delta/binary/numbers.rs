//! How are numbers made small? Each as its distance from the one that would be no surprise.

use crate::delta::{Place, Xid, XidMap};

/// What a number is about; what is expected of it follows from the last one about the same.
pub(super) type Topic = usize;

pub(super) const FROM: Topic = 0;
pub(super) const TO: Topic = 1;
pub(super) const DELETED: Topic = 2;
pub(super) const INSERTED: Topic = 3;
pub(super) const MOVED: Topic = 4;
pub(super) const NODE: Topic = 5;
/// Parents of both versions; positions among them are told from one to the next.
const PARENTS: Topic = 6;
const TOPICS: usize = 8;

/// Numbers that were written.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    bytes: Vec<u8>,
    last: [u64; TOPICS],
}

/// Adds a number, seven bits a byte, the lowest first.
pub(super) fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the start of some bytes.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 127);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

/// A distance in either direction as a number that is small where the distance is.
fn folded(distance: i64) -> u64 {
    (distance << 1 ^ distance >> 63) as u64
}

fn unfolded(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

impl Numbers {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds numbers that were written apart.
    pub(super) fn append(&mut self, other: Numbers) {
        self.bytes.extend(other.bytes);
    }

    /// Says what is expected first about a topic.
    pub(super) fn expect(&mut self, topic: Topic, number: u64) {
        self.last[topic] = number;
    }

    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn plain(&mut self, number: u64) {
        push(&mut self.bytes, number);
    }

    /// A number near the last one about its topic.
    pub(super) fn near(&mut self, topic: Topic, number: u64) {
        let distance = number.wrapping_sub(self.last[topic]) as i64;
        self.plain(folded(distance));
        self.last[topic] = number;
    }

    pub(super) fn place(&mut self, side: Topic, place: Place) {
        self.near(PARENTS + side, place.parent.0);
        self.plain(u64::from(place.position));
    }

    /// The number of runs, and each as its distance from the end of the one before, and its length.
    pub(super) fn xids(&mut self, topic: Topic, xids: &XidMap) {
        self.plain(xids.runs().len() as u64);
        for (first, last) in xids.runs() {
            self.near(topic, first.0);
            self.plain(last.0 - first.0);
            self.last[topic] = last.0.wrapping_add(1);
        }
    }
}

/// Numbers that are read.
#[derive(Debug)]
pub(super) struct NumbersReader<'b> {
    bytes: &'b [u8],
    last: [u64; TOPICS],
}

impl<'b> NumbersReader<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        NumbersReader { bytes, last: [0; TOPICS] }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Says what is expected first about a topic.
    pub(super) fn expect(&mut self, topic: Topic, number: u64) {
        self.last[topic] = number;
    }

    pub(super) fn byte(&mut self) -> Option<u8> {
        let (&byte, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(byte)
    }

    pub(super) fn plain(&mut self) -> Option<u64> {
        take(&mut self.bytes)
    }

    pub(super) fn near(&mut self, topic: Topic) -> Option<u64> {
        let distance = unfolded(self.plain()?);
        self.last[topic] = self.last[topic].wrapping_add(distance as u64);
        Some(self.last[topic])
    }

    pub(super) fn place(&mut self, side: Topic) -> Option<Place> {
        let parent = Xid(self.near(PARENTS + side)?);
        Some(Place { parent, position: u32::try_from(self.plain()?).ok()? })
    }

    pub(super) fn xids(&mut self, topic: Topic) -> Option<XidMap> {
        let mut xids = XidMap::new();
        let mut total = 0u64;
        for _ in 0..self.plain()? {
            let first = self.near(topic)?;
            let last = first.checked_add(self.plain()?).filter(|&last| first > 0 && last < u64::MAX)?;
            total = total.checked_add(last - first + 1)?;
            xids.push_run(Xid(first), Xid(last));
            self.last[topic] = last + 1;
        }
        xids.first_twice().is_none().then_some(xids)
    }
}
