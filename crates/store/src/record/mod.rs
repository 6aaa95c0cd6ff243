//! How does a capture become history? It is prepared while others may write: compared with the latest version, parsed, diffed,
//! compressed. One transaction then writes many of them; where another writer was faster, that page is prepared
//! anew.

pub(crate) mod commit;
pub(crate) mod prepare;
mod response;
mod shared;
pub(crate) mod visits;

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use crate::engine::{Database, Transaction};
use crate::{Capture, Error, Recorded, Result};
use prepare::{CheckIn, prepare, prepare_among};
pub(crate) use response::{canonical, document};
use shared::Shared;

/// Records some captures; those of one page in the order in which they are given. When this returns they are on disk.
pub(crate) fn record(database: &Database, captures: Vec<Capture>) -> Result<Vec<Result<Recorded>>> {
    let mut results: Vec<Option<Result<Recorded>>> = captures.iter().map(|_| None).collect();
    let mut waiting = by_page(captures);
    const TRIES_AMONG_OTHERS: usize = 3;
    for _ in 0..TRIES_AMONG_OTHERS {
        let prepared = prepare_all(database, waiting)?;
        let conflicts = commit::commit(database, &prepared)?;
        waiting = Vec::new();
        for (check_in, has_conflict) in prepared.into_iter().zip(conflicts) {
            if has_conflict {
                waiting.push(check_in.captures);
            } else {
                take_results(check_in, &mut results);
            }
        }
        if waiting.is_empty() {
            break;
        }
    }
    // Those that still wait have lost to others every time.
    for check_in in record_alone(database, &waiting)? {
        take_results(check_in, &mut results);
    }
    Ok(results.into_iter().map(|result| result.unwrap_or(Err(Error::Conflict))).collect())
}

fn take_results(check_in: CheckIn, results: &mut [Option<Result<Recorded>>]) {
    check_in.results.into_iter().for_each(|(index, result)| results[index] = Some(result));
}

/// Prepares and writes in one transaction, while nobody else writes.
fn record_alone(database: &Database, pages: &[OfPage]) -> Result<Vec<CheckIn>> {
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    database.write_alone(|transaction| {
        let record = |captures: &OfPage| {
            let check_in = prepare(transaction, captures.clone())?;
            if commit::write(transaction, &check_in)? { Err(Error::Conflict) } else { Ok(check_in) }
        };
        pages.iter().map(record).collect()
    })
}

/// Captures of one page, with their places among those that were given.
type OfPage = Vec<(usize, Capture)>;

fn by_page(captures: Vec<Capture>) -> Vec<OfPage> {
    let mut places: HashMap<[u8; 16], usize> = HashMap::new();
    let mut pages: Vec<OfPage> = Vec::new();
    for (index, capture) in captures.into_iter().enumerate() {
        let place = *places.entry(capture.address.key()).or_insert(pages.len());
        if place == pages.len() {
            pages.push(Vec::new());
        }
        pages[place].push((index, capture));
    }
    // In one order for all, so that two who write the same pages never wait for each other.
    pages.sort_by_cached_key(|captures| captures.first().map(|(_, capture)| capture.address.key()));
    pages
}

/// Prepares the captures of all pages, as many at once as there are processors; they are written in this order.
fn prepare_all(database: &Database, pages: Vec<OfPage>) -> Result<Vec<CheckIn>> {
    let shared = Shared::among(&pages);
    let prepare = |transaction: &mut Transaction<'_>, page: usize, captures: OfPage| {
        prepare_among(transaction, captures, |hash| shared.is_brought_before(page, hash))
    };
    let threads = thread::available_parallelism().map_or(1, usize::from).min(pages.len());
    if threads <= 1 {
        let pages = pages.into_iter().enumerate();
        return database
            .read(|transaction| pages.map(|(page, captures)| prepare(transaction, page, captures)).collect());
    }
    let mut prepared: Vec<Option<Result<CheckIn>>> = pages.iter().map(|_| None).collect();
    let queue = Mutex::new(pages.into_iter().zip(prepared.iter_mut()).enumerate());
    thread::scope(|scope| {
        let work = || {
            database.read(|transaction| {
                while let Some((page, (captures, into))) = queue.lock().ok().and_then(|mut queue| queue.next()) {
                    *into = Some(prepare(transaction, page, captures));
                }
                Ok(())
            })
        };
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::Conflict)))
    })?;
    drop(queue);
    prepared.into_iter().map(|result| result.unwrap_or(Err(Error::Conflict))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Location, Store};

    fn capture(name: &str, body: &str) -> Capture {
        let address = Address::new(&format!("https://example.org/{name}.xml")).expect("an address");
        Capture::of(address, jiff::Timestamp::UNIX_EPOCH, body)
    }

    fn contents(check_ins: &[CheckIn]) -> Vec<usize> {
        check_ins.iter().map(|check_in| check_in.contents.len()).collect()
    }

    /// Pages that bring the same contents are written in one transaction, whichever of them is the first.
    #[test]
    fn what_several_bring_is_written_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
        let bodies = ["<a>one</a>", "<a>two</a>", "<a>six</a>"];
        let names = ["a", "b", "c", "d"];
        let captures = names.iter().flat_map(|name| bodies.map(|body| capture(name, body)));
        let pages = by_page(captures.chain([capture("e", "<a>else</a>")]).collect());
        let prepared = prepare_all(&store.database, pages).expect("prepared");
        let mut counts = contents(&prepared);
        counts.retain(|count| *count > 0);
        counts.sort_unstable();
        assert_eq!(counts, [1, 3]);
        assert_eq!(commit::commit(&store.database, &prepared).expect("written"), [false; 5]);
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
        let stats = store.stats().expect("stats");
        assert_eq!((stats.pages, stats.versions, stats.contents), (5, 13, 4));
    }

    /// The first does not bring what it promised, because its clock went back; the other brings it itself.
    #[test]
    fn what_is_not_brought_is_brought_by_the_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
        let both = by_page(vec![capture("a", "<a>shared</a>"), capture("b", "<a>shared</a>")]);
        let (_, first) = both[0][0].clone();
        let later = "2026-11-01T12:00Z".parse().expect("a time");
        store.record(Capture::of(first.address, later, "<a/>")).expect("recorded");
        let results = record(&store.database, both.into_iter().flatten().map(|(_, capture)| capture).collect());
        let [refused, recorded] = &results.expect("recorded")[..] else { panic!("two results") };
        assert!(matches!(refused, Err(Error::OutOfOrder { .. })), "{refused:?}");
        assert!(matches!(recorded, Ok(Recorded::New { number: 1, .. })), "{recorded:?}");
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    }

    /// Two new pages with the same content, which each would be the first to have if both were prepared before.
    #[test]
    fn who_is_alone_sees_what_it_has_just_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
        let pages = by_page(["one", "two"].map(|name| capture(name, "<a>shared</a>")).into());
        let recorded = record_alone(&store.database, &pages).expect("recorded");
        assert_eq!(contents(&recorded), [1, 0]);
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    }
}
