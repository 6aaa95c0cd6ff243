//! What if many versions are compressed as one?

use std::path::Path;

use anyhow::{Context, Result};

use super::codec::{self, Coding};
use super::collection::{Collection, Place};
use super::strategies::{Archive, Keeper};

/// Versions behind one another, the newest of a document first, in frames of at most so many raw bytes; one that is
/// longer has a frame of its own.
pub struct Packs {
    pub coding: Coding,
    pub most_bytes: usize,
}

/// Which versions are in a pack, and its raw bytes.
#[derive(Default)]
pub struct Pack {
    pub places: Vec<Place>,
    pub raw: Vec<u8>,
}

/// The packs of a collection before they are compressed.
pub fn packs(collection: &Collection<'_>, most_bytes: usize) -> Vec<Pack> {
    let mut packs = vec![Pack::default()];
    for place in collection.newest_first() {
        let content = collection.content(place);
        if packs.last().is_some_and(|pack| !pack.raw.is_empty() && pack.raw.len() + content.len() > most_bytes) {
            packs.push(Pack::default());
        }
        if let Some(pack) = packs.last_mut() {
            pack.raw.extend_from_slice(content);
            pack.places.push(place);
        }
    }
    packs
}

impl Keeper for Packs {
    fn keep<'c>(&self, collection: &'c Collection<'_>, _: &Path) -> Result<Box<dyn Archive + 'c>> {
        let mut kept = Kept { frames: Vec::new(), slices: empty(collection) };
        for Pack { places, raw } in packs(collection, self.most_bytes) {
            let mut start = 0;
            for place in places {
                let length = collection.content(place).len();
                kept.slices[place.history][place.version] = Slice { frame: kept.frames.len(), start, length };
                start += length;
            }
            kept.frames.push(self.coding.encoded(&raw, None)?);
        }
        Ok(Box::new(kept))
    }
}

fn empty(collection: &Collection<'_>) -> Vec<Vec<Slice>> {
    collection.histories.iter().map(|history| vec![Slice::default(); history.versions.len()]).collect()
}

#[derive(Default, Clone, Copy)]
struct Slice {
    frame: usize,
    start: usize,
    length: usize,
}

struct Kept {
    frames: Vec<Vec<u8>>,
    /// By history and version.
    slices: Vec<Vec<Slice>>,
}

impl Archive for Kept {
    fn bytes(&self) -> u64 {
        self.frames.iter().map(|frame| frame.len() as u64).sum()
    }

    fn read(&self, place: Place) -> Result<Vec<u8>> {
        let Slice { frame, start, length } = self.slices[place.history][place.version];
        codec::slice(self.frames.get(frame).context("no such pack")?, start, length)
    }
}
