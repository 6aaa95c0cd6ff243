//! What if a bit is another, of SQLite's file or of a row of either engine? Either nothing that anybody reads is, or `verify`
//! says so; what is not hurt can be read; and nothing that is read is wrong. And what if a row is gone?
//!
//! `DELTAIC_FLIPS` says how many bits of the file are flipped, one after the other; for every 24 of them one of each column is.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

use store::{Capture, Error, Location, Moment, Outcome, ReaderId, Response, Store, Version, Visits};

use super::engines::{Engine, on_every_engine};
use super::kills::kill_once;
use super::model::Model;
use super::support::Draws;
use super::tables::{Cell, Tables};
use super::{open, page, second, seed};

const PAGES: usize = 5;
const VERSIONS: usize = 8;

on_every_engine! {
    a_flipped_bit_of_any_column_is_noticed_or_means_nothing,
    a_row_that_is_gone_is_missed,
    a_hurt_page_does_not_hold_up_others,
    a_hurt_frame_hurts_what_hangs_on_it,
}

/// All that can be read of a store.
pub struct Everything {
    versions: BTreeMap<(usize, u32), (Version, Vec<u8>)>,
    visits: Vec<Vec<Visits>>,
    pages: Vec<store::Page>,
    readers: String,
    deltas: Vec<String>,
}

impl Everything {
    fn read(store: &Store) -> store::Result<Everything> {
        let mut versions = BTreeMap::new();
        let (mut visits, mut pages, mut deltas) = (Vec::new(), Vec::new(), Vec::new());
        for name in 0..PAGES {
            for version in store.versions(&page(name))? {
                let content = store.content(&version)?;
                versions.insert((name, version.number), (version, content));
            }
            visits.push(store.visits(&page(name))?);
            deltas.push(format!("{:?}", store.delta(&page(name), 1, VERSIONS as u32)?));
        }
        store.for_each_page("*", |page| {
            pages.push(page);
            Ok(())
        })?;
        let reader = ReaderId::only();
        let seen = |name| store.version(&page(name), Moment::Seen, Some(&reader)).map(|version| version.number).ok();
        let seen: Vec<_> = (0..PAGES).map(seen).collect();
        let readers = format!("{seen:?} {:?} {:?}", store.bookmarks(&reader)?, store.news(&reader)?);
        Ok(Everything { versions, visits, pages, readers, deltas })
    }
}

impl Everything {
    /// The same, part by part, so that one sees which is another.
    fn check(&self, expected: &Everything) {
        assert_eq!(self.readers, expected.readers);
        assert_eq!(self.pages, expected.pages);
        assert_eq!(self.visits, expected.visits);
        assert!(self.deltas == expected.deltas, "a delta is another");
        assert!(self.versions == expected.versions, "a version is another");
    }
}

/// A store with something of every kind in it, closed.
pub fn make(location: &Location, is_compact: bool) -> Everything {
    let store = open(location);
    let mut draws = Draws(7);
    let reader = ReaderId::only();
    for number in 1..=VERSIONS {
        for name in 0..PAGES {
            let time = second((number * 100 + name) as u64);
            let item = |draws: &mut Draws| format!("<item>{} {}</item>", draws.below(1 << 20), draws.below(1 << 20));
            let items: String = (0..10 + name * 20).map(|_| item(&mut draws)).collect();
            let link = "<link rel=\"canonical\" href=\"https://example.org/itself\"/>";
            let body = format!("<page>{link}<title>Page {name}</title>{items}</page>").into_bytes();
            let headers = vec![("etag".into(), format!("\"{number}\""))];
            let outcome = Outcome::Response(Response { status: 200, headers, body });
            store.record(Capture { address: page(name), time, outcome }).expect("recorded");
            let outcome = Outcome::Failure(format!("no answer to {}", draws.below(3)));
            store.record(Capture { address: page(name), time, outcome }).expect("recorded");
            if number == 3 + name {
                store.see(&reader, &page(name), number as u32, time).expect("seen");
                store.bookmark(&reader, &page(name), number as u32, true, "a note", time).expect("saved");
            }
        }
    }
    if is_compact {
        store.compact(|_| ()).expect("compacted");
    }
    assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    Everything::read(&store).expect("all is whole")
}

/// What came of a flipped bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Came {
    /// Nothing.
    Nothing,
    /// The store could not be opened.
    Closed,
    /// `verify` could not go on.
    Stopped,
    /// `verify` named it.
    Named,
}

fn flip(folder: &Path, whole: &[u8], place: usize, bit: usize, expected: &Everything) -> Came {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir(folder).expect("a folder");
    let mut bytes = whole.to_vec();
    bytes[place] ^= 1 << bit;
    fs::write(folder.join("store.db"), bytes).expect("written");
    fs::write(folder.join("format"), "").expect("written");
    look_at(&Location::Folder(folder.to_owned()), expected)
}

/// Holds what can be read of a store in which something is hurt to what it was, and asks `verify`.
pub fn look_at(location: &Location, expected: &Everything) -> Came {
    let Ok(store) = Store::open_existing(location) else { return Came::Closed };
    // What can be read is right, whatever `verify` says.
    for (&(name, number), (_, content)) in &expected.versions {
        if let Ok(version) = store.version(&page(name), Moment::Number(number), None)
            && let Ok(found) = store.content(&version)
        {
            assert!(found == *content, "version {number} of page {name} is another");
        }
    }
    match store.verify(|_| ()) {
        Err(error) => {
            eprintln!("`verify` stopped: {error}");
            Came::Stopped
        }
        Ok(verified) if verified.faults.is_empty() => {
            let found = Everything::read(&store).expect("all is said to be whole");
            found.check(expected);
            Came::Nothing
        }
        Ok(_) => Came::Named,
    }
}

#[test]
fn a_flipped_bit_of_the_file_is_noticed_or_means_nothing() {
    let flips = flips();
    let mut draws = Draws(seed());
    let parent = tempfile::tempdir().expect("a folder");
    let mut unnoticed = Vec::new();
    for is_compact in [false, true] {
        let folder = parent.path().join(format!("whole {is_compact}"));
        let expected = make(&Location::Folder(folder.clone()), is_compact);
        let whole = fs::read(folder.join("store.db")).expect("a database");
        let mut counts: BTreeMap<Came, usize> = BTreeMap::new();
        for _ in 0..flips.div_ceil(2) {
            let (place, bit) = (draws.below(whole.len()), draws.below(8));
            let hurt = parent.path().join("hurt");
            match catch_unwind(|| flip(&hurt, &whole, place, bit, &expected)) {
                Ok(came) => *counts.entry(came).or_default() += 1,
                Err(_) => unnoticed.push(format!("bit {bit} of byte {place}, compact: {is_compact}")),
            }
        }
        eprintln!("of {} bytes, compact: {is_compact}: {counts:?}", whole.len());
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

pub fn flips() -> usize {
    std::env::var("DELTAIC_FLIPS").ok().and_then(|told| told.parse().ok()).unwrap_or(24)
}

/// All tables, none of which has more than a few hundred rows here.
const TABLES: [&str; 11] =
    ["meta", "details", "frame", "content", "page", "version", "step", "visit", "reader", "seen", "bookmark"];

/// Puts rows in the place of all that a table has; false where the database does not take them.
fn put(tables: &mut Tables, table: &str, rows: &[Vec<Cell>]) -> bool {
    tables.run(&format!("BEGIN; DELETE FROM {table}"));
    let values: Vec<String> = (1..=rows.first().map_or(0, Vec::len)).map(|place| format!("${place}")).collect();
    let sql = format!("INSERT INTO {table} VALUES ({})", values.join(", "));
    let is_taken = rows.iter().all(|row| tables.execute(&sql, row));
    tables.run(if is_taken { "COMMIT" } else { "ROLLBACK" });
    is_taken
}

/// Another value of the same kind that differs in one bit; none where there is no bit.
fn flipped(cell: &Cell, draws: &mut Draws) -> Option<Cell> {
    let mut flip = |bytes: &[u8]| {
        let (place, bit) = (draws.below(bytes.len()), draws.below(8));
        let mut bytes = bytes.to_vec();
        *bytes.get_mut(place)? ^= 1 << bit;
        Some(bytes)
    };
    match cell {
        Cell::Null => None,
        Cell::Int(value) => Some(Cell::Int(i64::from_le_bytes(flip(&value.to_le_bytes())?.try_into().ok()?))),
        Cell::Blob(bytes) => flip(bytes).map(Cell::Blob),
        // What is no text any more, no database takes.
        Cell::Text(text) => flip(text.as_bytes()).and_then(|bytes| String::from_utf8(bytes).ok()).map(Cell::Text),
    }
}

/// Of every column of every table a bit in some row: of one column while the store is compact, of the next while it is not.
fn a_flipped_bit_of_any_column_is_noticed_or_means_nothing(engine: Engine) {
    let mut draws = Draws(seed());
    let first = draws.below(2);
    let mut unnoticed = Vec::new();
    for is_compact in [false, true] {
        let place = engine.place();
        let expected = make(&place.location, is_compact);
        let mut tables = Tables::of(&place.location);
        let mut counts: BTreeMap<Came, usize> = BTreeMap::new();
        for table in TABLES {
            let (columns, rows) = tables.rows(&format!("SELECT * FROM {table}"));
            let columns = columns.iter().enumerate().skip((first + usize::from(is_compact)) % 2).step_by(2);
            for (column, name) in columns.flat_map(|one| vec![one; flips().div_ceil(24)]) {
                // Some values have no bits, and some would be there twice: then there is another.
                let hurt = (0..50).find_map(|_| {
                    let (mut hurt, row) = (rows.clone(), draws.below(rows.len()));
                    let cell = &mut hurt[row][column];
                    let before = std::mem::replace(cell, flipped(cell, &mut draws)?);
                    let what = format!("{table}.{name}, {before:?} as {cell:?}, compact: {is_compact}");
                    put(&mut tables, table, &hurt).then_some(what)
                });
                let Some(what) = hurt else { continue };
                match catch_unwind(|| look_at(&place.location, &expected)) {
                    Ok(came) => *counts.entry(came).or_default() += 1,
                    Err(_) => unnoticed.push(what),
                }
                assert!(put(&mut tables, table, &rows));
            }
        }
        eprintln!("compact: {is_compact}: {counts:?}");
        assert_eq!(look_at(&place.location, &expected), Came::Nothing);
    }
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

/// Of every table some row, and where it is not compact also the first and the last.
fn a_row_that_is_gone_is_missed(engine: Engine) {
    let mut draws = Draws(seed());
    for is_compact in [false, true] {
        let place = engine.place();
        let expected = make(&place.location, is_compact);
        let mut tables = Tables::of(&place.location);
        for table in TABLES {
            let (_, rows) = tables.rows(&format!("SELECT * FROM {table}"));
            let some = draws.below(rows.len());
            for row in if is_compact { BTreeSet::from([some]) } else { BTreeSet::from([0, some, rows.len() - 1]) } {
                let mut fewer = rows.clone();
                let gone = fewer.remove(row);
                assert!(put(&mut tables, table, &fewer));
                let came = look_at(&place.location, &expected);
                assert_eq!(came, if table == "meta" { Came::Closed } else { Came::Named }, "{table}: {gone:?}");
                assert!(put(&mut tables, table, &rows));
            }
        }
    }
}

/// The log of a process that was killed, with a flipped bit, cut off, or gone: SQLite takes what comes before as all that
/// was written. That is a state of the past, and whole; and where anything acknowledged is not in it, that is said, nothing
/// is recorded over it, and the log is kept.
#[test]
fn a_hurt_log_leads_to_the_past_and_is_told() {
    let mut draws = Draws(seed());
    let parent = tempfile::tempdir().expect("a folder");
    let [left, hurt] = ["left", "hurt"].map(|name| parent.path().join(name));
    let [acknowledged, expected] = kill_once(&Location::Folder(left.clone()), &mut draws);
    let [database, log, index] =
        ["store.db", "store.db-wal", "store.db-shm"].map(|name| fs::read(left.join(name)).expect("a file"));
    let mut lost = 0;
    for count in 0..40 {
        let place = draws.below(log.len());
        let mut log = log.clone();
        match count % 4 {
            0 => log.truncate(place),
            1 if count == 1 => log.clear(),
            _ => log[place] ^= 1 << draws.below(8),
        }
        let _ = fs::remove_dir_all(&hurt);
        fs::create_dir(&hurt).expect("a folder");
        for (name, bytes) in [("store.db", &database), ("store.db-wal", &log), ("store.db-shm", &index)] {
            fs::write(hurt.join(name), bytes).expect("written");
        }
        let location = Location::Folder(hurt.clone());
        let store = match Store::open(&location) {
            // The tables themselves were in what is lost.
            Err(error) if error.is_damage() => continue,
            store => store.expect("a store"),
        };
        let found = Model::read(&store);
        assert!(found.is_past_of(&expected), "byte {place}: {found:#?}\n{expected:#?}");
        let faults = store.verify(|_| ()).expect("looked at").faults;
        if acknowledged.is_past_of(&found) && faults.is_empty() {
            continue;
        }
        lost += 1;
        assert!(faults.iter().any(|fault| fault.why.contains("store.db-wal.hurt")), "byte {place}: {faults:?}");
        let refused = store.record(Capture::of(page(1), second(90_000), "<page>new</page>"));
        assert!(refused.is_err_and(|error| error.is_damage()), "byte {place}");
        drop(store);
        let kept = hurt.join("store.db-wal.hurt");
        assert!(fs::read(&kept).expect("kept") == log);
        fs::remove_file(kept).expect("taken away");
        open(&location).record(Capture::of(page(1), second(90_000), "<page>new</page>")).expect("recorded");
    }
    assert!(lost > 0, "nothing was lost");
}

/// A page whose latest version is hurt is refused, and no other has to wait for it.
fn a_hurt_page_does_not_hold_up_others(engine: Engine) {
    let hurts = [
        "UPDATE version SET time = time + 1 WHERE page = 2 AND number = 8",
        "UPDATE details SET data = '{' WHERE id = (SELECT details FROM version WHERE page = 2 AND number = 8)",
        "UPDATE frame SET data = substr(data, 2) WHERE id = \
         (SELECT frame FROM content c JOIN version v ON v.content = c.id WHERE v.page = 2 AND v.number = 8)",
    ];
    for hurt in hurts {
        let place = engine.place();
        make(&place.location, false);
        Tables::of(&place.location).run(hurt);
        let store = place.open();
        let capture = |name| Capture::of(page(name), second(5000), "<page>new</page>");
        let recorded = store.record_all((0..3).map(capture).collect()).expect("recorded");
        assert!(recorded[0].is_ok() && recorded[2].is_ok(), "{hurt}: {recorded:?}");
        assert!(recorded[1].as_ref().is_err_and(Error::is_damage), "{hurt}: {recorded:?}");
    }
}

/// The pages and versions that hang on a frame by their content, and those by their step.
fn hanging(tables: &mut Tables, frame: i64) -> [BTreeSet<(i64, i64)>; 2] {
    let sql = |of: &str| {
        format!(
            "WITH RECURSIVE hanging (id) AS (SELECT id FROM frame WHERE id = {frame} \
             UNION SELECT frame.id FROM frame JOIN hanging ON base = hanging.id) \
             SELECT v.page, v.number FROM {of} JOIN hanging h ON h.id = frame ORDER BY 1, 2"
        )
    };
    let of_contents = sql("version v JOIN content c ON c.id = v.content");
    let numbers = |row: &Vec<Cell>| match row[..] {
        [Cell::Int(page), Cell::Int(number)] => (page, number),
        _ => panic!("{row:?}"),
    };
    [of_contents, sql("step v")].map(|sql| tables.rows(&sql).1.iter().map(numbers).collect())
}

/// Hurts every frame, one after the other: only what hangs on it is hurt, and all of that is named.
fn a_hurt_frame_hurts_what_hangs_on_it(engine: Engine) {
    for is_compact in [false, true] {
        let place = engine.place();
        let expected = make(&place.location, is_compact);
        let mut tables = Tables::of(&place.location);
        let (_, frames) = tables.rows("SELECT id, data FROM frame ORDER BY id");
        assert!(frames.len() > if is_compact { 1 } else { 50 });
        for frame in frames.iter().step_by(if is_compact { 1 } else { 7 }) {
            let [Cell::Int(id), Cell::Blob(data)] = &frame[..] else { panic!("{frame:?}") };
            let sql = "UPDATE frame SET data = $1 WHERE id = $2";
            let mut hurt = data.clone();
            // Of the checksum at its end every bit counts.
            *hurt.last_mut().expect("a byte") ^= 4;
            assert!(tables.execute(sql, &[Cell::Blob(hurt), Cell::Int(*id)]));
            check_hurt(&place.open(), &expected, hanging(&mut tables, *id));
            assert!(tables.execute(sql, &[Cell::Blob(data.clone()), Cell::Int(*id)]));
        }
        assert_eq!(place.open().verify(|_| ()).expect("verified").faults, []);
    }
}

fn check_hurt(store: &Store, expected: &Everything, [contents, steps]: [BTreeSet<(i64, i64)>; 2]) {
    // Pages are numbered in the order in which they were first recorded.
    let is_among =
        |among: &BTreeSet<(i64, i64)>, name: usize, number: u32| among.contains(&(name as i64 + 1, number.into()));
    let mut names = BTreeSet::new();
    for (&(name, number), (version, content)) in &expected.versions {
        let found = store.version(&page(name), Moment::Number(number), None).expect("it is known");
        assert_eq!(found, *version);
        match store.content(&found) {
            Ok(found) => assert!(found == *content && !is_among(&contents, name, number)),
            Err(error) => assert!(error.is_damage() && is_among(&contents, name, number), "{error}"),
        }
        if is_among(&contents, name, number) {
            names.insert(format!("version {number} of {}", page(name)));
        } else if is_among(&steps, name, number) {
            names.insert(format!("the step to version {number} of {}", page(name)));
        }
    }
    let faults = store.verify(|_| ()).expect("verified").faults;
    let found: BTreeSet<String> = faults.into_iter().map(|fault| fault.what).collect();
    assert_eq!(found, names);
}
