//! Are the answers about the past the right ones? lxml reads every version for itself, and says what it sees.

mod support;

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use serde::Deserialize;
use store::{Address, Capture, Kind, Location, Search, Store};
use treediff::select::{Context, Expression};
use treediff::tree::Format;

/// What lxml says of a document.
#[derive(Deserialize)]
struct Answer {
    /// By expression: the string values of what it selects, in every version.
    values: HashMap<String, Vec<Vec<String>>>,
    /// The texts that are new with each version but the first, and those that are gone.
    came: Vec<Vec<String>>,
    went: Vec<Vec<String>>,
}

/// The Python that has the packages of the oracles.
fn python() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let place =
        std::env::var_os("DELTAIC_PYTHON").map_or_else(|| workspace.join(".cache/venv/bin/python"), PathBuf::from);
    if place.exists() {
        return Some(place);
    }
    assert!(std::env::var_os("DELTAIC_REQUIRE_ORACLES").is_none(), "a Python with lxml is required here and absent");
    eprintln!("skipped: no Python with lxml at {}", place.display());
    None
}

fn asked(python: &Path, pages: &[support::Page]) -> Vec<Option<Answer>> {
    let line =
        |page: &support::Page| page.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join("\t");
    let lines: String = pages.iter().map(|page| line(page) + "\n").collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/looking_back.py");
    let mut oracle = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python of the oracles starts");
    let mut stdin = oracle.stdin.take().expect("a pipe");
    let answered = std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(lines.as_bytes()));
        oracle.wait_with_output().expect("the oracle ends")
    });
    assert!(answered.status.success(), "the oracle failed");
    let answers = String::from_utf8(answered.stdout).expect("text");
    answers.lines().map(|answer| serde_json::from_str(answer).expect("an answer")).collect()
}

/// One document of each family of XML, as far as lxml reads all of its versions.
fn documents(python: &Path, corpus: &Path) -> Vec<(support::Page, Answer)> {
    let mut pages = support::pages(corpus);
    pages.retain(|page| page.format == Format::Xml && page.files.len() < 30);
    pages.dedup_by_key(|page| page.name.split('/').next().unwrap_or_default().to_owned());
    let answers = asked(python, &pages);
    let read = pages.into_iter().zip(answers).filter_map(|(page, answer)| Some((page, answer?)));
    read.collect()
}

fn recorded(store: &Store, page: &support::Page) -> Address {
    let address = Address::new(&format!("https://corpus.example/{}.xml", page.name)).expect("an address");
    for (day, file) in page.files.iter().enumerate() {
        let time = Timestamp::from_second(86_400 * day as i64).expect("a time");
        store.record(Capture::of(address.clone(), time, fs::read(file).expect("a readable file"))).expect("recorded");
    }
    address
}

#[test]
fn values_and_changes_are_those_that_lxml_sees() {
    let (Some(corpus), Some(python)) = (support::corpus(), python()) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
    let mut checked = 0;
    for (page, answer) in &documents(&python, &corpus) {
        let address = recorded(&store, page);
        // A version that is as the one before is none, and then numbers differ.
        if store.versions(&address).expect("versions").len() == page.files.len() {
            check_values(&store, &address, answer);
            check_changes(&store, &address, answer);
            checked += 1;
        }
    }
    assert!(checked >= 10, "{checked} documents were checked");
}

fn check_values(store: &Store, address: &Address, answer: &Answer) {
    for (path, expected) in &answer.values {
        let expression = Expression::parse(path).expect("an expression");
        let readings = store.trace(address, &expression, &Context::default()).expect("traced");
        let mut found = Vec::new();
        for reading in readings {
            let count = reading.until - reading.number + 1;
            found.extend((0..count).map(|_| reading.values.iter().map(|value| unspaced(value)).collect::<Vec<_>>()));
        }
        let expected: Vec<Vec<String>> =
            expected.iter().map(|values| values.iter().map(|value| unspaced(value)).collect()).collect();
        assert!(found == expected, "{address} {path}");
    }
}

/// What lxml finds new in a version is in what was inserted or updated in it, and what is gone in what was deleted or
/// updated.
fn check_changes(store: &Store, address: &Address, answer: &Answer) {
    let mut sides: HashMap<u32, [String; 2]> = HashMap::new();
    let search = Search { pages: address.url().to_owned(), ..Search::default() };
    store
        .for_each_change(&search, |changed| {
            let [before, after] = sides.entry(changed.number).or_default();
            for change in changed.changes.iter().filter(|change| change.kind != Kind::Attribute) {
                before.push_str(&format!("\0{}", change.before.as_deref().unwrap_or_default()));
                after.push_str(&format!("\0{}", change.after.as_deref().unwrap_or_default()));
            }
            Ok(())
        })
        .expect("changes");
    for (number, (came, went)) in (2..).zip(answer.came.iter().zip(&answer.went)) {
        let [before, after] = sides.remove(&number).unwrap_or_default().map(|texts| folded(&texts));
        for (texts, side) in [(came, after), (went, before)] {
            for text in texts {
                assert!(side.contains(&folded(text)), "{address}, version {number}: {text:?} is in no change");
            }
        }
    }
}

/// White space between elements is none of the store's trees.
fn unspaced(text: &str) -> String {
    text.split_whitespace().collect()
}

/// White space does not count in what is shown of a change.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
