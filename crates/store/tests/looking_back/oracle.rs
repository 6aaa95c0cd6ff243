//! What do the oracles say? Scripts in Python that know nothing of the store.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::support::Page;

/// By path: of every step, how many more there are of which facts.
pub type Balance = HashMap<String, Vec<HashMap<String, i64>>>;

/// What html5lib says of a page.
#[derive(Deserialize)]
pub struct Read {
    /// The lines of every version.
    pub lines: Vec<Vec<String>>,
    pub balance: Balance,
}

/// What lxml says of a document.
#[derive(Deserialize)]
pub struct Answer {
    /// By expression: the string values of what it selects, in every version.
    pub values: HashMap<String, Vec<Vec<String>>>,
    pub balance: Balance,
    /// The elements of the last version that say something.
    pub blame: Vec<Element>,
    /// By form: since when the first, the second and so on of it can have been there, at the earliest.
    pub bounds: Vec<Vec<u32>>,
}

/// Its text, its form, since when it has been there at the latest, and since when if it is the one that stood in its place.
#[derive(Deserialize)]
pub struct Element(pub String, pub usize, pub Option<u32>, pub Option<u32>);

/// The Python that has the packages of the oracles.
pub fn python() -> Option<PathBuf> {
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

/// What a script answers for each of some pages.
pub fn asked<A: DeserializeOwned>(python: &Path, script: &str, pages: &[Page]) -> Vec<A> {
    let line = |page: &Page| page.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join("\t");
    let lines: String = pages.iter().map(|page| line(page) + "\n").collect();
    let mut oracle = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(script))
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
