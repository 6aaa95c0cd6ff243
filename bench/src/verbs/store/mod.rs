//! How small is the store, and how fast? Every version of the corpus recorded, packed, read and searched, with git beside
//! it; and a store of a million pages opened.

mod figures;
mod million;
#[path = "../../../../crates/store/tests/support/postgres.rs"]
mod server;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::Args;
use jiff::Timestamp;
use store::{Address, Capture, Filter, Kind, Kinds, Location, Moment, Recorded, Search, Store};

use self::figures::{Figures, Latencies, Sizes};
use super::Study;
use super::storage::{Collection, git_bytes, small};
use crate::folder::Folder;

/// What the benchmark of the store is told.
#[derive(Debug, Args)]
pub struct Options {
    /// Also makes a store of a million pages with ten versions each, and opens it.
    #[arg(long)]
    million: bool,
    /// The program that opens it; without it the release build, made anew.
    #[arg(long)]
    deltaic: Option<PathBuf>,
}

pub fn store(study: &Study<'_>, options: &Options) -> Result<String> {
    let work = Folder::new()?;
    let histories = small(study)?;
    let collection = Collection::new(&histories);
    let git_bytes = git_bytes(&collection, &work.path.join("git"))?;
    let embedded = Location::Folder(work.path.join("data"));
    let mut columns = vec![measured("SQLite", &embedded, &collection)?];
    if let Some(schema) = server::Schema::new() {
        columns.push(measured("PostgreSQL", &Location::Database(schema.url()), &collection)?);
    }
    let mut told = figures::told(&collection, git_bytes, &columns);
    if options.million {
        told.push_str(&million::million(&work.path.join("million"), options.deltaic.as_deref())?);
    }
    Ok(told)
}

/// Goes through the life of a store on one engine.
fn measured(engine: &'static str, location: &Location, collection: &Collection<'_>) -> Result<Figures> {
    let store = Store::open(location)?;
    let (new_versions, recording) = record_one_by_one(&store, collection)?;
    let live = sizes(store, location)?;
    let store = Store::open(location)?;
    let live_reads = read_all(&store, collection)?;
    let live_search = search(&store)?;
    let unchanged_one = unchanged(&store, collection, 1)?;
    let unchanged_many = unchanged(&store, collection, 500)?;
    let start = Instant::now();
    store.compact(|_| ())?;
    let compacting = start.elapsed().as_secs_f64();
    let packed = sizes(store, location)?;
    let store = Store::open(location)?;
    let packed_reads = read_all(&store, collection)?;
    let packed_search = search(&store)?;
    let batches = match location {
        Location::Folder(folder) => {
            let beside = Store::open(&Location::Folder(folder.with_extension("batches")))?;
            Some(record_in_batches(&beside, collection)?)
        }
        Location::Database(_) => None,
    };
    Ok(Figures {
        engine,
        recorded_per_second: new_versions as f64 / recording,
        batched_per_second: batches.map(|seconds| new_versions as f64 / seconds),
        live,
        live_reads,
        live_search,
        unchanged_per_second: [unchanged_one, unchanged_many],
        compacting,
        packed,
        packed_reads,
        packed_search,
    })
}

fn address(collection: &Collection<'_>, history: usize) -> Result<Address> {
    Ok(Address::new(&format!("https://corpus.example/{}", collection.histories[history].path()))?)
}

/// All captures in the order in which they would come: the first version of every page, then the second of each …
fn captures(collection: &Collection<'_>) -> Result<Vec<Capture>> {
    let most = collection.histories.iter().map(|history| history.versions.len()).max().unwrap_or(0);
    let mut captures = Vec::new();
    for number in 0..most {
        let time = Timestamp::from_second(86_400 * number as i64)?;
        for (place, history) in collection.histories.iter().enumerate() {
            if let Some(version) = history.versions.get(number) {
                captures.push(Capture::of(address(collection, place)?, time, version.clone()));
            }
        }
    }
    Ok(captures)
}

/// Records every capture by itself, on disk before the next one comes; how many were new, and the seconds.
fn record_one_by_one(store: &Store, collection: &Collection<'_>) -> Result<(usize, f64)> {
    let captures = captures(collection)?;
    let start = Instant::now();
    let mut new = 0;
    for capture in captures {
        new += usize::from(matches!(store.record(capture)?, Recorded::New { .. }));
    }
    Ok((new, start.elapsed().as_secs_f64()))
}

/// Records a hundred captures at a time.
fn record_in_batches(store: &Store, collection: &Collection<'_>) -> Result<f64> {
    let captures = captures(collection)?;
    let start = Instant::now();
    for batch in captures.chunks(100) {
        for recorded in store.record_all(batch.to_vec())? {
            recorded?;
        }
    }
    Ok(start.elapsed().as_secs_f64())
}

/// What it takes on disk, once all is closed.
fn sizes(store: Store, location: &Location) -> Result<Sizes> {
    drop(store);
    let stats = Store::open(location)?.stats()?;
    Ok(Sizes { content: stats.content_bytes, steps: stats.step_bytes, disk: stats.disk_bytes })
}

/// Reads every version, and compares it with what was recorded.
fn read_all(store: &Store, collection: &Collection<'_>) -> Result<Latencies> {
    let mut seconds = Vec::new();
    for (place, history) in collection.histories.iter().enumerate() {
        let address = address(collection, place)?;
        let mut states: Vec<&[u8]> = history.versions.iter().map(|version| &**version).collect();
        states.dedup();
        for (number, state) in (1..).zip(states) {
            let start = Instant::now();
            let version = store.version(&address, Moment::Number(number), None)?;
            let content = store.content(&version)?;
            seconds.push(start.elapsed().as_secs_f64());
            ensure!(content == state, "version {number} of {address} came back with other bytes");
        }
    }
    Ok(Latencies::new(seconds))
}

/// Checks that find nothing new, so many at once; how many a second.
fn unchanged(store: &Store, collection: &Collection<'_>, at_once: usize) -> Result<f64> {
    const CHECKS: usize = 10_000;
    let pages = collection.histories.len();
    let capture = |number: usize| {
        let latest = collection.histories[number % pages].versions.last().context("a document without versions")?;
        Ok(Capture::of(address(collection, number % pages)?, Timestamp::now(), latest.clone()))
    };
    let captures = (0..CHECKS).map(capture).collect::<Result<Vec<_>>>()?;
    let start = Instant::now();
    for batch in captures.chunks(at_once) {
        for recorded in store.record_all(batch.to_vec())? {
            ensure!(
                matches!(recorded?, Recorded::Unchanged { .. }),
                "a check that should find nothing new found something"
            );
        }
    }
    Ok(CHECKS as f64 / start.elapsed().as_secs_f64())
}

/// Seconds for some questions over all changes, the best of three, with the number of answers.
fn search(store: &Store) -> Result<Vec<(&'static str, f64, usize)>> {
    let questions = [
        ("all changes", Filter::default()),
        ("updates with the word \"version\"", Filter::new(Kinds::from(Kind::Update), None, Some("version"))),
        ("whatever happened to a link", Filter::new(Kinds::ALL, Some("//a".parse()?), None)),
        ("a word that never was", Filter::new(Kinds::ALL, None, Some("xylophonist"))),
    ];
    let ask = |(name, filter): (&'static str, Filter)| {
        let search = Search { filter, ..Search::default() };
        let mut best = (f64::MAX, 0);
        for _ in 0..3 {
            let start = Instant::now();
            let mut count = 0;
            store.for_each_change(&search, |changed| {
                count += changed.changes.len();
                Ok(())
            })?;
            best = (best.0.min(start.elapsed().as_secs_f64()), count);
        }
        Ok((name, best.0, best.1))
    };
    questions.into_iter().map(ask).collect()
}

/// The release build, made anew.
fn program(given: Option<&Path>) -> Result<PathBuf> {
    match given {
        Some(path) => Ok(path.to_owned()),
        None => super::diff::built(),
    }
}
