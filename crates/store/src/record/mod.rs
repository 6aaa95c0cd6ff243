//! How does a capture become history? It is prepared while others may write: compared with the latest version, parsed, diffed,
//! compressed. One transaction then writes many of them; where another writer was faster, that page is prepared
//! anew.

pub(crate) mod commit;
pub(crate) mod prepare;
mod response;
pub(crate) mod visits;

use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use crate::engine::Database;
use crate::{Capture, Error, Recorded, Result};
use prepare::{CheckIn, prepare};
pub(crate) use response::{canonical, document};

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

/// Prepares the captures of all pages, as many at once as there are processors.
fn prepare_all(database: &Database, pages: Vec<OfPage>) -> Result<Vec<CheckIn>> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(pages.len());
    if threads <= 1 {
        return database.read(|transaction| pages.into_iter().map(|captures| prepare(transaction, captures)).collect());
    }
    let mut prepared: Vec<Option<Result<CheckIn>>> = pages.iter().map(|_| None).collect();
    let queue = Mutex::new(pages.into_iter().zip(prepared.iter_mut()));
    thread::scope(|scope| {
        let work = || {
            database.read(|transaction| {
                while let Some((captures, into)) = queue.lock().ok().and_then(|mut queue| queue.next()) {
                    *into = Some(prepare(transaction, captures));
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

    /// Two new pages with the same content, which each would be the first to have if both were prepared before.
    #[test]
    fn who_is_alone_sees_what_it_has_just_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
        let capture = |name: &str| {
            let address = Address::new(&format!("https://example.org/{name}.xml")).expect("an address");
            Capture::of(address, jiff::Timestamp::UNIX_EPOCH, "<a>shared</a>")
        };
        let recorded = record_alone(&store.database, &by_page(vec![capture("one"), capture("two")])).expect("recorded");
        let contents: Vec<usize> = recorded.iter().map(|check_in| check_in.contents.len()).collect();
        assert_eq!(contents, [1, 0]);
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    }
}
