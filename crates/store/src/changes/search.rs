//! Which changes match, over all pages? Steps are listed by the database, which leaves out those of other kinds and times,
//! and looked through frame by frame on all processors.

use std::sync::Mutex;
use std::thread;

use jiff::Timestamp;

use super::{Change, Filter, matching};
use crate::engine::{Database, Row, Transaction, values};
use crate::frames::{Frames, Piece};
use crate::history::{matches, range};
use crate::page::PageId;
use crate::{Address, Error, Result, Store, milliseconds, time_of};

/// Where and when to look for changes.
#[derive(Debug, Clone)]
pub struct Search {
    /// The pages: a URL, in which `*` stands for anything.
    pub pages: String,
    /// Versions that came then or later.
    pub since: Option<Timestamp>,
    /// Versions that came before.
    pub until: Option<Timestamp>,
    /// Which changes.
    pub filter: Filter,
}

impl Default for Search {
    fn default() -> Self {
        Search { pages: "*".into(), since: None, until: None, filter: Filter::default() }
    }
}

/// The changes of a version that were looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The page.
    pub address: Address,
    /// The version that has them.
    pub number: u32,
    /// When it came.
    pub time: Timestamp,
    /// The changes, at least one.
    pub changes: Vec<Change>,
}

/// What was found in a step.
type Found = Result<Vec<Change>>;

/// Steps that are listed at once.
const AT_ONCE: i64 = 5000;

impl Store {
    /// Hands over the changes that are looked for, in the order of URLs and versions.
    pub fn for_each_change(&self, search: &Search, mut each: impl FnMut(Changed) -> Result<()>) -> Result<()> {
        let mut last = Place { url: range(&search.pages).0, page: 0, number: 0 };
        loop {
            let found = look_until_sound(&self.database, &last, search)?;
            let Some((end, _)) = found.last() else { return Ok(()) };
            last = Place { url: end.address.url().to_owned(), page: end.page, number: end.number };
            for (step, found) in found.into_iter().filter(|(step, _)| matches(&search.pages, step.address.url())) {
                let changes = found
                    .map_err(|error| error.at(format!("the step to version {} of {}", step.number, step.address)))?;
                if !changes.is_empty() {
                    let Listed { address, number, time, .. } = step;
                    each(Changed { address, number, time, changes })?;
                }
            }
        }
    }
}

/// A step may be packed between being listed and being read, and is then elsewhere; what is hurt is so every time.
fn look_until_sound(database: &Database, last: &Place, search: &Search) -> Result<Vec<(Listed, Found)>> {
    const TRIES: usize = 5;
    let is_hurt = |found: &[(Listed, Found)]| found.iter().any(|(_, found)| found.is_err());
    let mut found = look_behind(database, last, search)?;
    for _ in 1..TRIES {
        if !is_hurt(&found) {
            break;
        }
        found = look_behind(database, last, search)?;
    }
    Ok(found)
}

fn look_behind(database: &Database, last: &Place, search: &Search) -> Result<Vec<(Listed, Found)>> {
    let steps = database.read(|transaction| steps_behind(transaction, last, search))?;
    look_through(database, steps, &search.filter)
}

struct Place {
    url: String,
    page: PageId,
    number: u32,
}

/// A step, and where its bytes are.
struct Listed {
    address: Address,
    page: PageId,
    number: u32,
    time: Timestamp,
    piece: Piece,
}

fn steps_behind(transaction: &mut Transaction<'_>, last: &Place, search: &Search) -> Result<Vec<Listed>> {
    let sql = "SELECT p.url, p.method, p.body, s.page, s.number, s.time, s.frame, s.start, s.length \
               FROM page p JOIN step s ON s.page = p.id WHERE p.url >= $1 \
               AND (p.url > $1 OR p.id > $2 OR (p.id = $2 AND s.number > $3)) AND p.url < $4 \
               AND s.time >= $5 AND s.time < $6 AND (s.kinds & $7) <> 0 ORDER BY p.url, p.id, s.number LIMIT $8";
    let end = range(&search.pages).1;
    let since = search.since.map_or(i64::MIN, milliseconds);
    let until = search.until.map_or(i64::MAX, milliseconds);
    let kinds = u32::from(search.filter.kinds().bits());
    let values = values![&*last.url, last.page, last.number, &*end, since, until, kinds, AT_ONCE];
    transaction.all(sql, values, listed)
}

fn listed(mut row: Row) -> Result<Listed> {
    Ok(Listed {
        address: Address::stored(row.take()?, row.take()?, row.take()?),
        page: row.take()?,
        number: row.take()?,
        time: time_of(row.take()?)?,
        piece: Piece { frame: row.take()?, start: row.take()?, length: row.take()? },
    })
}

/// Looks through steps, those of one frame behind one another, and tells in the order in which they are listed.
fn look_through(database: &Database, steps: Vec<Listed>, filter: &Filter) -> Result<Vec<(Listed, Found)>> {
    let mut by_frame: Vec<usize> = (0..steps.len()).collect();
    by_frame.sort_by_key(|&place| steps[place].piece.frame);
    let frames: Vec<&[usize]> =
        by_frame.chunk_by(|&left, &right| steps[left].piece.frame == steps[right].piece.frame).collect();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(frames.len());
    let queue = Mutex::new(frames.iter());
    let found: Mutex<Vec<Option<Found>>> = Mutex::new(steps.iter().map(|_| None).collect());
    let look = |transaction: &mut Transaction<'_>| {
        let mut decoded = Frames::default();
        while let Some(places) = queue.lock().ok().and_then(|mut queue| queue.next()) {
            let of_frame = look_into(transaction, &mut decoded, &steps, places, filter);
            if let Ok(mut found) = found.lock() {
                places.iter().zip(of_frame).for_each(|(&place, of_step)| found[place] = Some(of_step));
            }
        }
        Ok(())
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(|| database.read(look))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap_or(Err(Error::Conflict)))
    })?;
    let found = found.into_inner().unwrap_or_default();
    let told = found.into_iter().map(|found| found.unwrap_or(Err(Error::Conflict)));
    Ok(steps.into_iter().zip(told).collect())
}

/// The changes in some steps of one frame.
fn look_into(
    transaction: &mut Transaction<'_>,
    decoded: &mut Frames,
    steps: &[Listed],
    places: &[usize],
    filter: &Filter,
) -> Vec<Found> {
    let pieces = places.iter().map(|&place| steps[place].piece);
    let raw = match places.first().map(|&place| decoded.raw(transaction, steps[place].piece.frame)) {
        Some(Ok(raw)) => raw,
        Some(Err(error)) => return repeated(error, places.len()),
        None => return Vec::new(),
    };
    let look = |piece: Piece| {
        let bytes = piece.start.checked_add(piece.length).and_then(|end| raw.get(piece.start..end));
        let bytes = bytes.ok_or_else(|| Error::damaged("its frame", "a piece of it is beyond its end"))?;
        Ok(matching(bytes, filter)?)
    };
    pieces.map(look).collect()
}

/// One error for many steps: what hurts their frame hurts them all.
fn repeated(error: Error, count: usize) -> Vec<Found> {
    let (what, why) = match &error {
        Error::Damaged { what, why } => (what.clone(), why.clone()),
        error => ("a frame".to_owned(), error.to_string()),
    };
    let copies = (1..count).map(|_| Err(Error::damaged(what.clone(), why.clone())));
    std::iter::once(Err(error)).chain(copies).collect()
}
