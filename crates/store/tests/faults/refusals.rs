//! What is said where something of a store is missing, or is not what it should be?

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

use store::{Capture, Location, Store};

use super::engines::{Engine, on_every_engine};
use super::tables::Tables;
use super::{page, second};

on_every_engine! { rows_that_are_not_there_are_named }

/// Makes a store, hurts it, and compares what is said when it is opened and looked at.
fn check(engine: Engine, what: &str, hurt: impl Fn(&Location), expected: &str) {
    let place = engine.place();
    let store = place.open();
    for number in 0..12 {
        let body = format!("<a>{}</a>", "<b>words</b>".repeat(number));
        store.record(Capture::of(page(number % 3), second(number as u64), body)).expect("recorded");
    }
    drop(store);
    hurt(&place.location);
    let said = said_of(&place.location);
    assert_eq!(said.replace(&format!("{}/", place.path().display()), ""), expected, "{what}");
    // Reading has made nothing worse, and said nothing else.
    assert_eq!(said_of(&place.location), said, "{what}, once more");
}

fn check_sql(engine: Engine, what: &str, sql: &str, expected: &str) {
    check(engine, what, |location| Tables::of(location).run(sql), expected);
}

fn said_of(location: &Location) -> String {
    let verified = Store::open_existing(location).and_then(|store| store.verify(|_| ()));
    match verified {
        Err(error) => error.to_string(),
        Ok(verified) if verified.faults.is_empty() => format!("{} versions are whole", verified.versions),
        Ok(verified) => {
            let faults = verified.faults.iter().map(|fault| format!("{}: {}", fault.what, fault.why));
            faults.collect::<Vec<_>>().join("; ")
        }
    }
}

fn shorten(folder: &Path, to: impl Fn(u64) -> u64) {
    let file = File::options().write(true).open(folder.join("store.db")).expect("a file");
    let length = file.metadata().expect("a file").len();
    file.set_len(to(length)).expect("shorter");
}

#[test]
fn every_refusal_says_what_is_wrong() {
    let check = |what: &str, hurt: fn(&Path), expected: &str| {
        let in_folder = |location: &Location| {
            let Location::Folder(folder) = location else { panic!("a folder") };
            hurt(folder);
        };
        check(Engine::Sqlite, what, in_folder, expected);
    };
    fn remove(folder: &Path, file: &str) {
        fs::remove_file(folder.join(file)).expect("removed");
    }
    check("nothing", |_| (), "12 versions are whole");
    check("no mark", |folder| remove(folder, "format"), "12 versions are whole");
    check(
        "no database",
        |folder| remove(folder, "store.db"),
        "`data/store.db` is missing: bring it back from a backup",
    );
    check(
        "an empty database",
        |folder| shorten(folder, |_| 0),
        "`data/store.db` is damaged: the store: its database is empty: bring it back from a backup",
    );
    check(
        "one page of it",
        |folder| shorten(folder, |_| 4096),
        "`data/store.db` is damaged: the database: database disk image is malformed",
    );
    check(
        "half of it",
        |folder| shorten(folder, |length| length / 2),
        "`data/store.db` is damaged: the database: database disk image is malformed",
    );
    check(
        "less than a header",
        |folder| shorten(folder, |_| 50),
        "`data/store.db` is damaged: the database: database disk image is malformed",
    );
    check(
        "something else",
        |folder| fs::write(folder.join("store.db"), "words".repeat(9999)).expect("written"),
        "`data/store.db` is damaged: the database: file is not a database",
    );
    check(
        "a folder in its place",
        |folder| {
            remove(folder, "store.db");
            fs::create_dir(folder.join("store.db")).expect("made");
        },
        "the database says: unable to open database file: data/store.db",
    );
    check(
        "a link to nowhere",
        |folder| {
            remove(folder, "store.db");
            symlink("nowhere", folder.join("store.db")).expect("a link");
        },
        "`data/store.db` is missing: bring it back from a backup",
    );
    check(
        "a link to another place",
        |folder| {
            fs::rename(folder.join("store.db"), folder.join("../elsewhere")).expect("moved");
            symlink("../elsewhere", folder.join("store.db")).expect("a link");
        },
        "12 versions are whole",
    );
    check(
        "a file in the place of the folder",
        |folder| {
            fs::remove_dir_all(folder).expect("removed");
            fs::write(folder, "a file").expect("written");
        },
        "`data`: Not a directory (os error 20)",
    );
    check(
        "no folder",
        |folder| fs::remove_dir_all(folder).expect("removed"),
        "there is no store at `data`: recording something makes one",
    );
    check_sql(
        Engine::Sqlite,
        "no format",
        "DELETE FROM meta",
        "`data/store.db` is damaged: the store: it does not say which format it has",
    );
    check_sql(
        Engine::Sqlite,
        "a table less",
        "DROP TABLE visit",
        "https://example.org/0.xml: the database: no such table: visit; \
         https://example.org/1.xml: the database: no such table: visit; \
         https://example.org/2.xml: the database: no such table: visit",
    );
}

#[test]
#[cfg(feature = "postgres")]
fn every_refusal_of_a_database_says_what_is_wrong() {
    let Some(engine) = Engine::postgres() else { return };
    let check = |what: &str, sql: &str, expected: &str| check_sql(engine, what, sql, expected);
    check("no format", "DELETE FROM meta", "the store is damaged: it does not say which format it has");
    check(
        "no table of formats",
        "DROP TABLE meta",
        "there is no store in this database: recording something makes one",
    );
    check(
        "a table less",
        "DROP TABLE visit",
        "the database: relation \"visit\" does not exist; \
         https://example.org/0.xml: the database: relation \"visit\" does not exist; \
         https://example.org/1.xml: the database: relation \"visit\" does not exist; \
         https://example.org/2.xml: the database: relation \"visit\" does not exist",
    );
    check(
        "a column less",
        "ALTER TABLE seen DROP COLUMN seal",
        "what is known of readers: the database: column s.seal does not exist",
    );
}

fn rows_that_are_not_there_are_named(engine: Engine) {
    let check = |what: &str, sql: &str, expected: &str| check_sql(engine, what, sql, expected);
    check(
        "a newer format",
        "UPDATE meta SET value = '99' WHERE name = 'format'",
        "the store has the format 99, and this deltaic knows up to 4: use a newer deltaic",
    );
    check(
        "a frame less",
        "DELETE FROM frame WHERE id = 1",
        "the database: rows of `frame` are missing, to which 1 of `content` belong; \
         version 1 of https://example.org/0.xml: the content of version 1: frame 1: it is not there",
    );
    check(
        "a version less",
        "DELETE FROM version WHERE page = 1 AND number = 4",
        "the database: rows of `version` are missing, to which 1 of `step` belong; \
         https://example.org/0.xml: version 4 should be its latest, and is not there",
    );
    check(
        "a version in the middle less",
        "DELETE FROM version WHERE page = 1 AND number = 3",
        "the database: rows of `version` are missing, to which 1 of `step` belong; \
         the step to version 4 of https://example.org/0.xml: what changed: \
         it begins with other identities than the version before has",
    );
    check(
        "a page less",
        "DELETE FROM page WHERE id = 1",
        "the database: rows of `page` are missing, to which 4 of `version` belong",
    );
    check(
        "a step less",
        "DELETE FROM step WHERE page = 1 AND number = 3",
        "the step to version 3 of https://example.org/0.xml: it is not there",
    );
}

#[test]
fn a_folder_of_somebody_else_is_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("letter.txt"), "dear").expect("written");
    let refused = Store::open(&Location::Folder(folder.path().to_owned())).expect_err("it is no store").to_string();
    assert_eq!(refused, format!("`{}` is no store and not empty: name another folder", folder.path().display()));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
}
