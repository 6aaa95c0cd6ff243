//! What does a way of keeping cost? Bytes, CPU time to write all versions, and to read each of them, with that of the
//! programs that were started for it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::collection::{Collection, Place};
use super::strategies::{Archive, Strategy};
use crate::measure;
use crate::process;

/// What a strategy cost.
pub struct Measured {
    pub name: &'static str,
    pub kind: &'static str,
    pub bytes: u64,
    pub writing: Duration,
    /// Every version, in the order of places: how many are newer, and the time to read it.
    pub reads: Vec<Read>,
    /// Versions that came back with other bytes, but the same tree.
    pub same_tree: usize,
    /// Versions that did not come back: of which document, and why.
    pub lost: Vec<(String, String)>,
}

pub struct Read {
    pub age: usize,
    pub seconds: f64,
}

/// The better of so many reads counts.
pub const READS: usize = 2;

/// Keeps the collection and reads all of it; every version is compared with what was kept.
pub fn measured(strategy: &Strategy, collection: &Collection<'_>, folder: &Path) -> Result<Measured> {
    let (archive, writing) = kept(strategy, collection, folder)?;
    let mut found = Measured {
        name: strategy.name,
        kind: strategy.kind,
        bytes: archive.bytes(),
        writing,
        reads: Vec::with_capacity(collection.versions()),
        same_tree: 0,
        lost: Vec::new(),
    };
    for place in collection.places() {
        found.read(&*archive, collection, place).with_context(|| {
            let path = collection.histories[place.history].path();
            format!("{}: version {} of {path}", strategy.name, place.version)
        })?;
    }
    fs::remove_dir_all(folder)?;
    Ok(found)
}

/// Bytes alone.
pub fn bytes(strategy: &Strategy, collection: &Collection<'_>, folder: &Path) -> Result<u64> {
    let bytes = kept(strategy, collection, folder)?.0.bytes();
    fs::remove_dir_all(folder)?;
    Ok(bytes)
}

fn kept<'c>(
    strategy: &Strategy,
    collection: &'c Collection<'_>,
    folder: &Path,
) -> Result<(Box<dyn Archive + 'c>, Duration)> {
    fs::create_dir_all(folder)?;
    timed(|| strategy.keeper.keep(collection, folder)).with_context(|| strategy.name)
}

impl Measured {
    fn read(&mut self, archive: &dyn Archive, collection: &Collection<'_>, place: Place) -> Result<()> {
        let mut seconds = f64::MAX;
        for read in 0..READS {
            // What was lost is told; whatever else is wrong is seen in what comes back.
            let (content, taken) = timed(|| Ok(archive.read(place)))?;
            seconds = seconds.min(taken.as_secs_f64());
            if read == 0 {
                self.compare(archive, collection, place, content)?;
            }
        }
        self.reads.push(Read { age: collection.age(place), seconds });
        Ok(())
    }

    fn compare(
        &mut self,
        archive: &dyn Archive,
        collection: &Collection<'_>,
        place: Place,
        content: Result<Vec<u8>>,
    ) -> Result<()> {
        match content {
            Err(why) => self.lost.push((collection.histories[place.history].path(), why.to_string())),
            Ok(content) if content == collection.content(place) => {}
            Ok(content) => {
                ensure!(archive.is_same(place, &content), "other content came back than was kept");
                self.same_tree += 1;
            }
        }
        Ok(())
    }

    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The time that so large a part of all reads stay below.
    pub fn quantile(&self, part: f64) -> f64 {
        let mut seconds: Vec<f64> = self.reads.iter().map(|read| read.seconds).collect();
        seconds.sort_by(f64::total_cmp);
        let at = (seconds.len() as f64 * part) as usize;
        seconds.get(at.min(seconds.len().saturating_sub(1))).copied().unwrap_or(0.0)
    }
}

/// CPU time of this process and of the children that have ended.
pub fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let before = process::children_time();
    let (result, own) = measure::cpu_time_of(work)?;
    Ok((result, own + (process::children_time() - before)))
}
