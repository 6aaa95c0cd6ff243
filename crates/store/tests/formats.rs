//! Are stores of every format that was ever released still read? One of each is kept in `formats/`, compressed.
//!
//! A new format gets its store by `DELTAIC_WRITE_FORMAT=NUMBER cargo test -p deltaic-store --test formats`; those that
//! are there are never written again.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use store::{Address, Capture, Location, Moment, Outcome, ReaderId, Store};

/// Format 3 is passed through on the way to 4, and no store stays in it.
const FORMATS: [u32; 3] = [1, 2, 4];

const PAGE: &str = "https://example.org/menu.xml";
const STATES: [&str; 4] = [
    "<menu><soup>4.50</soup></menu>",
    "<menu><soup>4.80</soup></menu>",
    "<menu><tea/><soup>4.80</soup></menu>",
    "<menu><tea/><soup>5</soup></menu>",
];

fn kept(format: u32) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/formats/{format}.db.zst"))
}

fn time(day: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 86_400 * day).expect("a time")
}

/// What every kept store has in it: versions loose and packed, a form, a failed check, a reader.
fn fill(store: &Store) {
    let page = Address::new(PAGE).expect("an address");
    let form = Address::form("https://example.org/search", "POST", Some(b"q=tea".to_vec())).expect("a form");
    for (day, state) in (1..).zip(STATES) {
        store.record(Capture::of(page.clone(), time(day), state)).expect("recorded");
        if day == 2 {
            store.compact(|_| ()).expect("compacted");
        }
    }
    store.record(Capture::of(page.clone(), time(9), STATES[3])).expect("recorded");
    let failed = Outcome::Failure("no answer".into());
    store.record(Capture { address: page.clone(), time: time(10), outcome: failed }).expect("recorded");
    store.record(Capture::of(form, time(3), &b"\x89PNG"[..])).expect("recorded");
    store.see(&ReaderId::only(), &page, 2, time(5)).expect("seen");
    store.bookmark(&ReaderId::only(), &page, 1, true, "cheap", time(5)).expect("saved");
}

fn check(store: &Store) {
    let page = Address::new(PAGE).expect("an address");
    assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    for (number, state) in (1..).zip(STATES) {
        let version = store.version(&page, Moment::Number(number), None).expect("a version");
        assert_eq!(store.content(&version).expect("content"), state.as_bytes());
        assert_eq!(version.time, time(number.into()));
    }
    assert_eq!(store.delta(&page, 1, 4).expect("read").expect("a delta").operations().len(), 2);
    let visits = store.visits(&page).expect("visits");
    assert_eq!(visits.iter().map(|visits| visits.trouble.as_deref()).collect::<Vec<_>>(), [None, Some("no answer")]);
    assert_eq!(store.news(&ReaderId::only()).expect("news").len(), 1);
    assert_eq!(store.bookmarks(&ReaderId::only()).expect("bookmarks")[0].note, "cheap");
    let form = Address::form("https://example.org/search", "POST", Some(b"q=tea".to_vec())).expect("a form");
    assert_eq!(store.versions(&form).expect("versions").len(), 1);
}

#[test]
fn stores_of_every_format_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in FORMATS {
        let data = folder.path().join(format.to_string());
        fs::create_dir(&data).expect("a folder");
        let database = zstd::decode_all(&*fs::read(kept(format)).expect("a kept store")).expect("decompressed");
        fs::write(data.join("store.db"), database).expect("written");
        check(&Store::open_existing(&Location::Folder(data.clone())).expect("a store"));
        // And written to, as if it had always been of today's format.
        let store = Store::open(&Location::Folder(data)).expect("a store");
        store.record(Capture::of(Address::new(PAGE).expect("an address"), time(20), "<menu/>")).expect("recorded");
        store.compact(|_| ()).expect("compacted");
        check(&store);
    }
}

#[test]
fn a_store_of_this_format_is_written_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = Store::open(&Location::Folder(data.clone())).expect("a store");
    fill(&store);
    check(&store);
    drop(store);
    let Ok(format) = std::env::var("DELTAIC_WRITE_FORMAT") else { return };
    let file = kept(format.parse().expect("a number"));
    assert!(!file.exists(), "{} is there, and stays as it is", file.display());
    let database = fs::read(data.join("store.db")).expect("a database");
    fs::write(file, zstd::encode_all(&*database, 19).expect("compressed")).expect("written");
}
