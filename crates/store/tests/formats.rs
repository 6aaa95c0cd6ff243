//! Are stores of every format that was ever released still read? One of each engine is kept in `formats/`, compressed:
//! SQLite's file as it is, PostgreSQL's as `pg_dump` writes it.
//!
//! A new format gets its stores by `DELTAIC_WRITE_FORMAT=NUMBER cargo test -p deltaic-store --test formats`; those that
//! are there are never written again. Those of 1 and 2 were written so by the code of the commits that brought those
//! formats, that of PostgreSQL and 4 by later code. A store is in format 3 where leading it to 4 was interrupted: those are the
//! stores of 2 and what the script of 3 makes of them.

#[cfg(feature = "postgres")]
#[path = "support/postgres.rs"]
mod postgres_support;

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use store::{Address, Capture, Location, Moment, Outcome, ReaderId, Store};

const FORMATS: [u32; 4] = [1, 2, 3, 4];

const PAGE: &str = "https://example.org/menu.xml";
const STATES: [&str; 4] = [
    "<menu><soup>4.50</soup></menu>",
    "<menu><soup>4.80</soup></menu>",
    "<menu><tea/><soup>4.80</soup></menu>",
    "<menu><tea/><soup>5</soup></menu>",
];

fn file(format: u32, kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/formats/{format}.{kind}.zst"))
}

fn kept(format: u32, kind: &str) -> Vec<u8> {
    zstd::decode_all(&*fs::read(file(format, kind)).expect("a kept store")).expect("decompressed")
}

/// Keeps a store, if that is asked for.
fn keep(kind: &str, bytes: impl FnOnce() -> Vec<u8>) {
    let Ok(format) = std::env::var("DELTAIC_WRITE_FORMAT") else { return };
    let file = file(format.parse().expect("a number"), kind);
    assert!(!file.exists(), "{} is there, and stays as it is", file.display());
    fs::write(file, zstd::encode_all(&*bytes(), 19).expect("compressed")).expect("written");
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

/// Reads a kept store, then writes to it, as if it had always been of today's format.
fn check_kept(location: &Location) {
    check(&Store::open_existing(location).expect("a store"));
    let store = Store::open(location).expect("a store");
    store.record(Capture::of(Address::new(PAGE).expect("an address"), time(20), "<menu/>")).expect("recorded");
    store.compact(|_| ()).expect("compacted");
    check(&store);
}

#[test]
fn folders_of_every_format_are_read() {
    let folder = tempfile::tempdir().expect("a folder");
    for format in FORMATS {
        let data = folder.path().join(format.to_string());
        fs::create_dir(&data).expect("a folder");
        fs::write(data.join("store.db"), kept(format, "db")).expect("written");
        check_kept(&Location::Folder(data));
    }
}

#[test]
fn a_folder_of_this_format_is_kept_where_it_is_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().join("data");
    let store = Store::open(&Location::Folder(data.clone())).expect("a store");
    fill(&store);
    check(&store);
    drop(store);
    keep("db", || fs::read(data.join("store.db")).expect("a database"));
}

#[cfg(feature = "postgres")]
mod in_postgres {
    use std::process::Command;

    use postgres::{Client, NoTls};

    use super::postgres_support::{Schema, programs};
    use super::*;

    #[test]
    fn databases_of_every_format_are_read() {
        for format in FORMATS {
            let Some(schema) = Schema::new() else { return };
            let script = String::from_utf8(kept(format, "sql")).expect("text");
            let mut client = Client::connect(&schema.url(), NoTls).expect("a connection");
            client.batch_execute(&script).expect("a script");
            let sql = "SELECT value FROM meta WHERE name = 'format'";
            let found: String = client.query_one(sql, &[]).expect("a row").get(0);
            assert_eq!(found, format.to_string());
            check_kept(&Location::Database(schema.url()));
        }
    }

    #[test]
    fn a_database_of_this_format_is_kept_where_it_is_asked_for() {
        let Some(schema) = Schema::new() else { return };
        let store = Store::open(&Location::Database(schema.url())).expect("a store");
        fill(&store);
        check(&store);
        keep("sql", || dumped(&schema).into_bytes());
    }

    /// The statements that make the tables of a schema and their rows, in whatever schema comes first.
    fn dumped(schema: &Schema) -> String {
        let program = programs().expect("PostgreSQL is installed").join("pg_dump");
        let flags = ["--inserts", "--no-owner", "--no-privileges", "--schema", schema.name(), "--dbname"];
        let dumped = Command::new(program).args(flags).arg(schema.server().url()).output().expect("pg_dump starts");
        assert!(dumped.status.success(), "{}", String::from_utf8_lossy(&dumped.stderr));
        let script = String::from_utf8(dumped.stdout).expect("text");
        // What pg_dump tells psql, the session and people.
        let others = ["--", "\\", "SET ", "CREATE SCHEMA ", "SELECT pg_catalog.set_config("];
        let is_ours = |line: &&str| !line.is_empty() && !others.iter().any(|other| line.starts_with(other));
        let lines = script.lines().filter(is_ours).map(|line| line.replace(&format!("{}.", schema.name()), "") + "\n");
        lines.collect()
    }
}
