//! What do the steps cost beside the versions? XyDeltas with the identities of all nodes, alone and in packs.

use anyhow::Result;
use treediff::delta::Delta;

use super::codec::{self, Coding};
use super::collection::Collection;
use super::measured::timed;
use super::packs::{self, Pack};
use super::xydeltas;
use crate::report::{self, Table};

const MOST_BYTES: usize = 2 << 20;
const SLOW: Coding = Coding::level(19);
const QUICK: Coding = Coding::level(6);

/// The steps of a collection, written down.
pub struct Steps {
    /// By history; one less than there are versions.
    texts: Vec<Vec<Option<String>>>,
    binary_bytes: usize,
    /// Bytes of the maps of identities within the texts.
    map_bytes: usize,
    making: f64,
    /// The length of every step over that of the version it leads to, with the latter.
    ratios: Vec<(f64, usize)>,
}

impl Steps {
    pub fn of(collection: &Collection<'_>) -> Result<Self> {
        let mut steps = Steps { texts: Vec::new(), binary_bytes: 0, map_bytes: 0, making: 0.0, ratios: Vec::new() };
        for history in &collection.histories {
            let (deltas, taken) = timed(|| Ok(xydeltas::steps(history)))?;
            steps.making += taken.as_secs_f64();
            let texts: Vec<Option<String>> = deltas.iter().map(|delta| Some(delta.as_ref()?.to_xydelta())).collect();
            for delta in deltas.iter().flatten() {
                steps.binary_bytes += delta.to_binary().len();
                steps.map_bytes += delta.from_xids().to_string().len() + delta.to_xids().to_string().len();
            }
            for (text, after) in texts.iter().zip(&history.versions[1..]) {
                steps.ratios.extend(text.as_ref().map(|text| (text.len() as f64 / after.len() as f64, after.len())));
            }
            steps.texts.push(texts);
        }
        Ok(steps)
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().flatten().flatten().map(String::as_str)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.texts().count()
    }

    /// Pairs of versions without one.
    pub fn breaks(&self) -> usize {
        self.texts.iter().flatten().filter(|text| text.is_none()).count()
    }

    /// Seconds to make a step: two versions are parsed (the one before has been already), matched, and compared.
    pub fn making(&self) -> f64 {
        self.making / self.count().max(1) as f64
    }

    /// The part of all steps that are shorter than the version they lead to.
    pub fn shorter(&self) -> f64 {
        let shorter = self.ratios.iter().filter(|(ratio, _)| *ratio < 1.0).count();
        shorter as f64 / self.ratios.len().max(1) as f64
    }

    /// Of versions of at least so many bytes: how many, the median ratio, and the part of ratios below a tenth.
    pub fn of_large(&self, bytes: usize) -> (usize, f64, f64) {
        let ratios: Vec<f64> =
            self.ratios.iter().filter(|(_, length)| *length >= bytes).map(|(ratio, _)| *ratio).collect();
        let below = ratios.iter().filter(|ratio| **ratio < 0.1).count();
        (ratios.len(), report::median(&ratios), below as f64 / ratios.len().max(1) as f64)
    }

    pub fn median_ratio(&self) -> f64 {
        report::median(&self.ratios.iter().map(|(ratio, _)| *ratio).collect::<Vec<_>>())
    }

    /// Seconds to read a step that is compressed for itself, on average, and how many cannot be read.
    pub fn reading(&self) -> Result<(f64, usize)> {
        let kept = self.texts().map(|text| Ok((SLOW.encoded(text.as_bytes(), None)?, text.len())));
        let kept = kept.collect::<Result<Vec<_>>>()?;
        let (unreadable, taken) = timed(|| {
            let mut unreadable = 0;
            for (frame, length) in &kept {
                let text = codec::decoded(frame, *length, None)?;
                unreadable += usize::from(Delta::read(text, &Default::default()).is_err());
            }
            Ok(unreadable)
        })?;
        Ok((taken.as_secs_f64() / kept.len().max(1) as f64, unreadable))
    }

    /// Bytes by how they are kept.
    pub fn table(&self, collection: &Collection<'_>) -> Result<(String, Sizes)> {
        let alone = self.sum(|text, _| SLOW.encoded(text, None), collection)?;
        let live = self.sum(|text, after| QUICK.encoded(text, Some(after)), collection)?;
        let after = self.sum(|text, after| SLOW.encoded(text, Some(after)), collection)?;
        let [packed, prefixed] = self.packed(collection)?;
        let rows = [
            ("as text", self.texts().map(str::len).sum()),
            ("of which maps of identities", self.map_bytes),
            ("binary form", self.binary_bytes),
            ("zstd 19, each alone", alone),
            ("zstd 6, the version after as prefix", live),
            ("zstd 19, the version after as prefix", after),
            ("packs of 2 MiB of versions, zstd 19", packed),
            ("the same, the pack of versions as prefix", prefixed),
        ];
        let mut table = Table::new(&["steps", "bytes", "bytes per step"]);
        for (name, bytes) in rows {
            let each = bytes as f64 / self.count().max(1) as f64;
            table.row(&[name.to_owned(), bytes.to_string(), format!("{each:.0}")]);
        }
        Ok((table.finish(), Sizes { alone, live, prefixed }))
    }

    fn sum(&self, encoded: impl Fn(&[u8], &[u8]) -> Result<Vec<u8>>, collection: &Collection<'_>) -> Result<usize> {
        let mut bytes = 0;
        for (history, texts) in collection.histories.iter().zip(&self.texts) {
            for (text, after) in texts.iter().zip(&history.versions[1..]) {
                bytes += text.as_ref().map_or(Ok(0), |text| anyhow::Ok(encoded(text.as_bytes(), after)?.len()))?;
            }
        }
        Ok(bytes)
    }

    /// The steps that lead to the versions of a pack, as a pack: alone, and with that of the versions as prefix.
    fn packed(&self, collection: &Collection<'_>) -> Result<[usize; 2]> {
        let mut bytes = [0; 2];
        for Pack { places, raw } in packs::packs(collection, MOST_BYTES) {
            let leading = places
                .iter()
                .filter_map(|place| self.texts[place.history].get(place.version.checked_sub(1)?)?.as_deref());
            let steps: String = leading.collect();
            for (sum, prefix) in bytes.iter_mut().zip([None, Some(raw.as_slice())]) {
                *sum += SLOW.encoded(steps.as_bytes(), prefix)?.len();
            }
        }
        Ok(bytes)
    }
}

/// Sizes that the text names.
pub struct Sizes {
    pub alone: usize,
    /// As the store writes them when they come in.
    pub live: usize,
    /// As it packs them.
    pub prefixed: usize,
}
