//! Which formatting goes on? The standard's list of active formatting elements.
//!
//! Elements that are taken out leave a hole, so that the places of the others stay; the places of each tag are kept
//! apart, so that looking one up does not walk the list.

use super::arena::{NONE, NodeId};
use super::names::TagName;

/// The list of active formatting elements.
#[derive(Debug, Default)]
pub(super) struct Formatting {
    entries: Vec<Entry>,
    markers: Vec<u32>,
    /// The places of the entries by tag, rising; there are some fifteen tags.
    by_tag: Vec<(TagName, Vec<u32>)>,
    holes: usize,
}

/// An element with its name and a hash of its attributes; a marker or a hole has no element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) node: NodeId,
    pub(super) tag: TagName,
    pub(super) attributes: u64,
}

/// How many elements of one tag are looked at for the rule that three alike are enough. The standard has no bound, but
/// a page that has more than this open at once, all different, can only be one that is out to cost time.
const NOAH_LOOK_BACK: usize = 256;
/// How many holes are of no matter.
const MAX_HOLES: usize = 32;
/// How many elements alike are enough.
const NOAH_LIMIT: usize = 3;

impl Formatting {
    /// Adds an element, dropping the earliest where there are three alike since the last marker.
    pub(super) fn push(&mut self, entry: Entry) {
        let floor = self.floor();
        let recent =
            self.places(entry.tag).iter().rev().copied().take(NOAH_LOOK_BACK).take_while(|&place| place >= floor);
        let mut alike = recent.filter(|&place| self.entries[place as usize].attributes == entry.attributes);
        if let Some(earliest) = alike.nth(NOAH_LIMIT - 1) {
            self.remove_at(earliest);
        }
        if self.holes > MAX_HOLES && self.holes > self.entries.len() / 2 {
            self.compact();
        }
        self.append(entry);
    }

    /// Closes the holes once they are most of the list.
    fn compact(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        let markers = std::mem::take(&mut self.markers);
        let mut markers = markers.into_iter().peekable();
        self.by_tag.iter_mut().for_each(|(_, places)| places.clear());
        self.holes = 0;
        for (place, entry) in (0..).zip(entries) {
            if markers.next_if_eq(&place).is_some() {
                self.push_marker();
            } else if entry.node != NONE {
                self.append(entry);
            }
        }
    }

    fn append(&mut self, entry: Entry) {
        let place = self.entries.len() as u32;
        self.entries.push(entry);
        self.places_mut(entry.tag).push(place);
    }

    pub(super) fn push_marker(&mut self) {
        self.markers.push(self.entries.len() as u32);
        self.entries.push(Entry { node: NONE, tag: super::names::tag::TEMPLATE, attributes: 0 });
    }

    /// Takes away everything up to and including the last marker.
    pub(super) fn clear_to_marker(&mut self) {
        let had_marker = !self.markers.is_empty();
        let floor = self.markers.pop().unwrap_or(0);
        for (_, places) in &mut self.by_tag {
            places.truncate(places.partition_point(|&place| place < floor));
        }
        let gone = self.entries.drain(floor as usize..).filter(|entry| entry.node == NONE).count();
        // The marker itself is no hole.
        self.holes -= gone.saturating_sub(usize::from(had_marker));
    }

    /// The first place behind the last marker.
    fn floor(&self) -> u32 {
        self.markers.last().map_or(0, |marker| marker + 1)
    }

    /// The place of the last element of a tag behind the last marker.
    pub(super) fn last(&self, tag: TagName) -> Option<u32> {
        self.places(tag).last().copied().filter(|&place| place >= self.floor())
    }

    /// The place of an element.
    pub(super) fn place_of(&self, node: NodeId, tag: TagName) -> Option<u32> {
        self.places(tag).iter().rev().copied().find(|&place| self.entries[place as usize].node == node)
    }

    pub(super) fn get(&self, place: u32) -> Entry {
        self.entries[place as usize]
    }

    /// Puts another element in the place of one.
    pub(super) fn replace(&mut self, place: u32, node: NodeId) {
        self.entries[place as usize].node = node;
    }

    /// Takes the entry at a place away, leaving a hole.
    pub(super) fn remove_at(&mut self, place: u32) {
        let entry = self.entries[place as usize];
        let places = self.places_mut(entry.tag);
        if let Ok(at) = places.binary_search(&place) {
            places.remove(at);
        }
        self.entries[place as usize].node = NONE;
        self.holes += 1;
        let floor = self.floor() as usize;
        while self.entries.len() > floor && self.entries.last().is_some_and(|entry| entry.node == NONE) {
            self.entries.pop();
            self.holes -= 1;
        }
    }

    /// Moves the entry at `from` to right behind `to`, which is a later one.
    pub(super) fn move_behind(&mut self, from: u32, to: u32) {
        for place in from..to {
            let (entry, next) = (self.entries[place as usize], self.entries[place as usize + 1]);
            self.entries.swap(place as usize, place as usize + 1);
            self.exchange_places(entry, next, place);
        }
    }

    /// Two neighbours have changed places; of two of one tag the list of places stays as it is.
    fn exchange_places(&mut self, entry: Entry, next: Entry, place: u32) {
        if next.node == NONE {
            self.shift_place(entry.tag, place, place + 1);
        } else if next.tag != entry.tag {
            self.shift_place(entry.tag, place, place + 1);
            self.shift_place(next.tag, place + 1, place);
        }
    }

    fn shift_place(&mut self, tag: TagName, from: u32, to: u32) {
        let places = self.places_mut(tag);
        if let Ok(at) = places.binary_search(&from) {
            places[at] = to;
        }
    }

    /// The places behind the last marker whose elements have to be opened again, `is_open` saying which are open.
    pub(super) fn closed_tail(&self, is_open: impl Fn(NodeId) -> bool) -> std::ops::Range<u32> {
        let end = self.entries.len() as u32;
        let start = (self.floor()..end)
            .rev()
            .take_while(|&place| {
                let node = self.entries[place as usize].node;
                node == NONE || !is_open(node)
            })
            .last();
        start.unwrap_or(end)..end
    }

    fn places(&self, tag: TagName) -> &[u32] {
        self.by_tag.iter().find(|(other, _)| *other == tag).map_or(&[], |(_, places)| places)
    }

    fn places_mut(&mut self, tag: TagName) -> &mut Vec<u32> {
        let at = self.by_tag.iter().position(|(other, _)| *other == tag).unwrap_or_else(|| {
            self.by_tag.push((tag, Vec::new()));
            self.by_tag.len() - 1
        });
        &mut self.by_tag[at].1
    }
}
