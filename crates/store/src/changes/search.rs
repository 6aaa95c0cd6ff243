//! Which changes match, over all pages? Steps are listed by the database, which leaves out those of other kinds and times,
//! and looked through on all processors, those of one frame together, or those of one page.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Mutex;
use std::thread;

use jiff::Timestamp;

use super::{Change, Filter, matching};
use crate::engine::{Database, Row, Transaction, values};
use crate::frames::{FrameId, Frames};
use crate::history::{matches, range};
use crate::page::PageId;
use crate::steps::rows::{StepRow, is_hurt};
use crate::verify::Hurt;
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

/// Steps that are listed at once: of more, what is found would take fresh memory, and much of the time went into that.
const AT_ONCE: i64 = 600;

impl Store {
    /// Hands over the changes that are looked for, in the order of URLs and versions.
    ///
    /// # Errors
    /// Where steps are hurt, which is told once all others were gone through, or where `each` fails.
    pub fn for_each_change(&self, search: &Search, mut each: impl FnMut(Changed) -> Result<()>) -> Result<()> {
        let mut last = Place { url: range(&search.pages).0, page: 0, number: 0 };
        let mut hurt = Hurt::default();
        loop {
            let found = look_until_sound(&self.database, &last, search)?;
            let Some((end, _)) = found.last() else { return hurt.told() };
            last = Place { url: end.address.url().to_owned(), page: end.page, number: end.number };
            for (step, found) in found.into_iter().filter(|(step, _)| matches(&search.pages, step.address.url())) {
                match step.row.and_then(|row| Ok((row, found?))) {
                    Ok((_, changes)) if changes.is_empty() => {}
                    Ok((row, changes)) => {
                        let (address, number, time) = (step.address, step.number, time_of(row.time)?);
                        each(Changed { address, number, time, changes })?;
                    }
                    Err(error) => {
                        hurt.note(format!("the step to version {} of {}", step.number, step.address), error)?;
                    }
                }
            }
        }
    }
}

/// A step may be packed between being listed and being read, and is then elsewhere; what is hurt is so every time.
fn look_until_sound(database: &Database, last: &Place, search: &Search) -> Result<Vec<(Listed, Found)>> {
    const TRIES: usize = 5;
    let is_hurt = |found: &[(Listed, Found)]| found.iter().any(|(step, found)| step.row.is_err() || found.is_err());
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

/// A step, as it is listed.
struct Listed {
    address: Address,
    page: PageId,
    number: u32,
    /// What is known of it, unless that is hurt.
    row: Result<StepRow>,
}

impl Listed {
    /// The frame in which it is, as far as that is known.
    fn frame(&self) -> Option<FrameId> {
        self.row.as_ref().ok().map(|row| row.piece.frame)
    }

    fn length(&self) -> usize {
        self.row.as_ref().map_or(0, |row| row.piece.length)
    }
}

fn steps_behind(transaction: &mut Transaction<'_>, last: &Place, search: &Search) -> Result<Vec<Listed>> {
    // What is hurt is not passed over, whatever it says.
    let sql = concat!(
        "SELECT p.url, p.method, p.body, p.id, s.number, \
         s.page, s.number, s.time, s.frame, s.start, s.length, s.kinds, s.seal \
         FROM page p JOIN step s ON s.page = p.id WHERE p.url >= $1 \
         AND (p.url > $1 OR p.id > $2 OR (p.id = $2 AND s.number > $3)) AND p.url < $4 \
         AND (s.time >= $5 AND s.time < $6 AND (s.kinds & $7) <> 0 OR ",
        is_hurt!(),
        ") ORDER BY p.url, p.id, s.number LIMIT $8"
    );
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
        row: StepRow::take(&mut row),
    })
}

/// Steps that are looked through together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Together {
    /// They are pieces of one frame.
    Frame(FrameId),
    /// Each is a frame of its own, a difference from a version of the page, which is one from the next.
    Page(PageId),
}

/// More steps of a page are shared among the processors.
const MOST_TOGETHER: usize = 64;

/// The places of steps in groups that have to do with each other, so that nothing is decoded twice.
fn grouped(steps: &[Listed]) -> Vec<Vec<usize>> {
    let mut of_frame: HashMap<FrameId, usize> = HashMap::new();
    steps.iter().filter_map(Listed::frame).for_each(|frame| *of_frame.entry(frame).or_default() += 1);
    let together = |&place: &usize| {
        let shared = steps[place].frame().filter(|frame| of_frame.get(frame).is_some_and(|&steps| steps > 1));
        shared.map_or(Together::Page(steps[place].page), Together::Frame)
    };
    let mut places: Vec<usize> = (0..steps.len()).collect();
    // Versions keep their order within a page.
    places.sort_by_key(together);
    let groups = places.chunk_by(|left, right| together(left) == together(right));
    let parts = groups.flat_map(|group| match together(&group[0]) {
        Together::Frame(_) => group.chunks(group.len()),
        Together::Page(_) => group.chunks(MOST_TOGETHER),
    });
    let mut parts: Vec<Vec<usize>> = parts.map(<[usize]>::to_vec).collect();
    // The largest first, so that none is left to be waited for in the end.
    parts.sort_by_cached_key(|part| Reverse(part.iter().map(|&place| steps[place].length()).sum::<usize>()));
    parts
}

/// Looks through steps and tells in the order in which they are listed.
fn look_through(database: &Database, steps: Vec<Listed>, filter: &Filter) -> Result<Vec<(Listed, Found)>> {
    let groups = grouped(&steps);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(groups.len());
    let queue = Mutex::new(groups.iter());
    let found: Mutex<Vec<Option<Found>>> = Mutex::new(steps.iter().map(|_| None).collect());
    let look = |transaction: &mut Transaction<'_>| {
        let mut decoded = Frames::default();
        while let Some(places) = queue.lock().ok().and_then(|mut queue| queue.next()) {
            let of_group = look_into(transaction, &mut decoded, &steps, places, filter);
            if let Ok(mut found) = found.lock() {
                places.iter().zip(of_group).for_each(|(&place, of_step)| found[place] = Some(of_step));
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

/// The changes in the steps of a group.
fn look_into(
    transaction: &mut Transaction<'_>,
    frames: &mut Frames,
    steps: &[Listed],
    places: &[usize],
    filter: &Filter,
) -> Vec<Found> {
    let (Some(first), Some(last)) = (places.first(), places.last()) else { return Vec::new() };
    let (first, last) = (&steps[*first], &steps[*last]);
    if first.frame() != last.frame()
        && let Err(error) = frames.fetch(transaction, first.page, first.number..=last.number)
    {
        return repeated(error, places.len());
    }
    let of_frames = places.chunk_by(|&left, &right| steps[left].frame() == steps[right].frame());
    let look = |of_frame: &[usize]| match steps[of_frame[0]].frame().map(|frame| frames.raw(transaction, frame)) {
        Some(Ok(raw)) => of_frame.iter().map(|&place| look_at(&raw, &steps[place], filter)).collect(),
        Some(Err(error)) => repeated(error, of_frame.len()),
        None => of_frame.iter().map(|_| Ok(Vec::new())).collect(),
    };
    of_frames.flat_map(look).collect()
}

/// The changes in a step, which is a piece of a frame.
fn look_at(raw: &[u8], step: &Listed, filter: &Filter) -> Found {
    let Ok(StepRow { piece, .. }) = step.row else { return Ok(Vec::new()) };
    let bytes = piece.start.checked_add(piece.length).and_then(|end| raw.get(piece.start..end));
    let bytes = bytes.ok_or_else(|| Error::damaged("its frame", "a piece of it is beyond its end"))?;
    Ok(matching(bytes, filter)?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capture, Kind, Kinds, Location, Moment};

    /// What is hurt is told, even where what it says now would have it passed over; and what is not hurt is found.
    #[test]
    fn a_step_that_is_hurt_is_never_passed_over() {
        let check = |sql: &'static str| {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
            let time = |second: i64| Timestamp::from_second(1 << 30 | second).expect("a time");
            for name in ["a", "b"] {
                let page = Address::new(&format!("https://example.org/{name}.xml")).expect("an address");
                for second in 1..4 {
                    let body = format!("<a><b>{second}</b></a>");
                    store.record(Capture::of(page.clone(), time(second), body)).expect("recorded");
                }
            }
            store.database.write(|transaction| transaction.execute(sql, &[])).expect("hurt");
            let filter = Filter::new(Kinds::from(Kind::Update), None, None);
            let (since, until) = (Some(time(0)), Some(time(9)));
            let search = Search { filter, since, until, ..Search::default() };
            let mut found = Vec::new();
            let told = store.for_each_change(&search, |changed| {
                found.push(changed.number);
                Ok(())
            });
            let told = told.expect_err(sql);
            assert!(told.to_string().contains("the step to version 2 of https://example.org/b.xml"), "{sql}: {told}");
            assert!(told.is_damage(), "{told}");
            assert_eq!(found, [2, 3, 3]);
            // It stays hurt, whatever becomes of the rest.
            store.compact(|_| ()).expect_err("a step is hurt");
            store.for_each_change(&search, |_| Ok(())).expect_err(sql);
            let page = Address::new("https://example.org/b.xml").expect("an address");
            assert_eq!(store.version(&page, Moment::Number(2), None).expect("a version").number, 2);
        };
        check("UPDATE step SET kinds = 1 WHERE page = 2 AND number = 2");
        check("UPDATE step SET kinds = 0 WHERE page = 2 AND number = 2");
        check("UPDATE step SET time = time | 4611686018427387904 WHERE page = 2 AND number = 2");
        check("UPDATE step SET time = time & 1048575 WHERE page = 2 AND number = 2");
        check("UPDATE step SET seal = NULL WHERE page = 2 AND number = 2");
        check(
            "UPDATE step SET frame = (SELECT frame FROM step WHERE page = 1 AND number = 2) WHERE page = 2 AND number = 2",
        );
    }
}
