//! Is a store of a million pages opened at once? Made by statements of its own, because recording ten million versions
//! would take hours; opened by the program, which says what it finds. The page that it is asked for was recorded: the
//! others have seals that are not their own.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Instant;

use anyhow::{Result, ensure};
use jiff::Timestamp;
use store::{Address, Capture, Location, Store};

use crate::process;

const PAGES: i64 = 1_000_000;
const VERSIONS: i64 = 10;

pub fn million(folder: &Path, deltaic: Option<&Path>) -> Result<String> {
    make(folder)?;
    let program = super::program(deltaic)?;
    let data = folder.as_os_str();
    let page = "https://site-0.example/page";
    let mut told = format!(
        "\nA store of {PAGES} pages with {VERSIONS} versions each, {:.0} MB on disk, made by statements of SQL (`--million`); the whole \
         process, goals 1 s and 200 MB:\n\n",
        std::fs::metadata(folder.join("store.db"))?.len() as f64 / 1e6,
    );
    let commands: [&[&str]; 4] = [&["history", page], &["show", page], &["changes", "--since", "1h"], &["stats"]];
    for command in commands {
        let arguments: Vec<&OsStr> = command.iter().map(OsStr::new).chain([OsStr::new("--data"), data]).collect();
        let start = Instant::now();
        let cost = process::measured(&program, &arguments, &folder.with_extension("output"))?;
        let (seconds, megabytes) = (start.elapsed().as_secs_f64(), cost.peak_bytes as f64 / 1e6);
        told.push_str(&format!(
            "- `deltaic {}`: {seconds:.3} s, {megabytes:.0} MB, {}\n",
            command.join(" "),
            if seconds < 1.0 && megabytes < 200.0 { "met" } else { "**missed**" },
        ));
    }
    Ok(told)
}

/// One page is recorded as it should be, and becomes a million.
fn make(folder: &Path) -> Result<()> {
    let store = Store::open(&Location::Folder(folder.to_owned()))?;
    for number in 0..VERSIONS {
        let time = Timestamp::from_second(86_400 * number)?;
        let body = format!("<a><b>{number}</b></a>");
        store.record(Capture::of(Address::new("https://site-0.example/page")?, time, body))?;
    }
    drop(store);
    let database = rusqlite::Connection::open(folder.join("store.db"))?;
    database.execute_batch(&format!(
        "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN;
         CREATE TEMP TABLE number AS WITH RECURSIVE count (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM count WHERE n < {PAGES})
             SELECT n FROM count;
         INSERT INTO page (id, key, url, method, latest, latest_content)
             SELECT n, randomblob(16), 'https://site-' || (n % 1000) || '.example/page-' || n, 'GET', latest, latest_content
             FROM number, page WHERE id = 1;
         INSERT INTO version SELECT n, number.number, time, content, status, details, seal
             FROM (SELECT n FROM number) JOIN (SELECT * FROM version WHERE page = 1) AS number;
         INSERT INTO step SELECT n, s.number, time, frame, start, length, kinds,
             (time * 64 + kinds) * 256
                 + (n % 251 * 3 + s.number % 251 * 5 + frame % 251 * 7 + start % 251 * 11 + length % 251 * 13) % 251
             FROM (SELECT n FROM number) JOIN (SELECT * FROM step WHERE page = 1) AS s;
         COMMIT;"
    ))?;
    let pages: i64 = database.query_row("SELECT count(*) FROM page", [], |row| row.get(0))?;
    ensure!(pages == PAGES, "{pages} pages were made");
    Ok(())
}
