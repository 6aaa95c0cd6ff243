//! How are many versions of many documents best kept? Every way over the same versions, in one run.

mod chains;
mod codec;
mod collection;
mod figures;
mod measured;
mod packs;
mod peers;
mod steps;
mod strategies;
mod told;
mod xydeltas;

use std::path::Path;

use anyhow::Result;
use indicatif::ProgressBar;

pub use self::collection::Collection;
use self::collection::History;
use self::measured::Measured;
use self::steps::Steps;
use self::strategies::{STRATEGIES, Strategy};
use super::Study;
use crate::corpus;
use crate::folder::Folder;

/// Large documents of a few megabytes, three versions of each.
const LARGE: [(&str, &str); 2] = [("html", "csp-html-1MB"), ("xml", "gl-registry-2.8MB")];

pub fn storage(study: &Study<'_>, folder: &Path) -> Result<String> {
    let work = Folder::new()?;
    let small = small(study)?;
    let large = large(study)?;
    let [small, large] = [Collection::new(&small), Collection::new(&large)];
    let families = small.families();
    let bar = study.bar(STRATEGIES.len() + of_large().count() + families.len() * told_by_family().count());
    let place = work.path.join("kept");
    let load = told::load();
    let of_small = measured_all(STRATEGIES.iter(), &small, &place, &bar)?;
    let of_large = measured_all(of_large(), &large, &place, &bar)?;
    let by_family = by_family(&families, &place, &bar)?;
    bar.finish_and_clear();
    let findings = told::Findings {
        load: [load, told::load()],
        steps: Steps::of(&small)?,
        small: (&small, of_small),
        large: (&large, of_large),
        by_family,
    };
    findings.told(folder)
}

/// Bytes of a collection in a repository of git that was packed as tightly as git can.
pub fn git_bytes(collection: &Collection<'_>, folder: &Path) -> Result<u64> {
    let packed = STRATEGIES.iter().filter(|strategy| strategy.name == strategies::GIT_PACKED);
    packed.map(|strategy| measured::bytes(strategy, collection, folder)).sum()
}

/// The documents of the small corpus, read.
pub fn small(study: &Study<'_>) -> Result<Vec<History>> {
    corpus::histories(study.histories, study.only)?.iter().map(History::read).collect()
}

fn large(study: &Study<'_>) -> Result<Vec<History>> {
    let mut histories = Vec::new();
    for (extension, name) in LARGE {
        for versions in corpus::large_histories(study.corpus, extension, name)? {
            histories.push(History { family: "large".to_owned(), ..History::read(&versions)? });
        }
    }
    Ok(histories)
}

fn measured_all(
    strategies: impl Iterator<Item = &'static Strategy>,
    collection: &Collection<'_>,
    place: &Path,
    bar: &ProgressBar,
) -> Result<Vec<Measured>> {
    let one = |strategy: &Strategy| {
        bar.set_prefix(strategy.name);
        bar.inc(1);
        measured::measured(strategy, collection, place)
    };
    strategies.map(one).collect()
}

fn of_large() -> impl Iterator<Item = &'static Strategy> {
    STRATEGIES.iter().filter(|strategy| strategy.of_large)
}

fn told_by_family() -> impl Iterator<Item = &'static Strategy> {
    STRATEGIES.iter().filter(|strategy| strategy.by_family)
}

/// A family that is kept for itself.
struct Family {
    name: String,
    documents: usize,
    versions: usize,
    raw_bytes: usize,
    /// By strategy.
    bytes: Vec<u64>,
}

fn by_family(families: &[(&str, Collection<'_>)], place: &Path, bar: &ProgressBar) -> Result<Vec<Family>> {
    let family = |(name, collection): &(&str, Collection<'_>)| {
        bar.set_prefix((*name).to_owned());
        let bytes = |strategy| {
            bar.inc(1);
            measured::bytes(strategy, collection, place)
        };
        Ok(Family {
            name: (*name).to_owned(),
            documents: collection.histories.len(),
            versions: collection.versions(),
            raw_bytes: collection.bytes(),
            bytes: told_by_family().map(bytes).collect::<Result<_>>()?,
        })
    };
    families.iter().map(family).collect()
}
