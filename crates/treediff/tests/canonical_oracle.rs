//! Is our exclusive canonical XML that of libxml2? Every XML file of the corpus, byte for byte.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use treediff::parse::{self, Options, Whitespace};
use treediff::write;

const EXCEPTIONS: &str = include_str!("canonical-exceptions.txt");

#[test]
fn canonical_forms_are_those_of_libxml2() {
    let (Some(corpus), Some(python)) = (support::corpus(), support::python()) else { return };
    let paths = support::files_below(&corpus, support::XML_EXTENSIONS);
    let theirs = ask(&python, &paths);
    let mut failures = BTreeMap::new();
    for (path, theirs) in paths.iter().zip(theirs) {
        if let Err(difference) = compare(path, theirs) {
            failures.insert(support::case_of(path, &corpus), difference);
        }
    }
    support::assert_only_exceptions(EXCEPTIONS, "canonical", &failures);
}

type Answer = Result<Vec<u8>, String>;

fn compare(path: &Path, theirs: Answer) -> Result<(), String> {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let ours = parse::xml(fs::read(path).expect("a readable file"), &options);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => same(write::canonical(&ours.document).as_bytes(), &theirs),
        (Err(_), Err(_)) => Ok(()),
        (Ok(_), Err(theirs)) => Err(format!("accepted, but libxml2 says: {theirs}")),
        (Err(ours), Ok(_)) => Err(format!("refused, but libxml2 reads it: {ours}")),
    }
}

fn same(ours: &[u8], theirs: &[u8]) -> Result<(), String> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
    let around = |form: &[u8]| {
        let piece = &form[at.saturating_sub(40).min(form.len())..(at + 40).min(form.len())];
        String::from_utf8_lossy(piece).into_owned()
    };
    Err(format!("at byte {at}\n  ours   {:?}\n  theirs {:?}", around(ours), around(theirs)))
}

/// One interpreter for all files: it starts slowly and reads fast.
fn ask(python: &Path, paths: &[PathBuf]) -> Vec<Answer> {
    let lines = paths.iter().map(|path| format!("{}\n", path.display())).collect();
    let answers = read_answers(&support::ask(python, "c14n.py", &[], lines));
    assert_eq!(answers.len(), paths.len(), "an answer for every file");
    answers
}

fn read_answers(mut bytes: &[u8]) -> Vec<Answer> {
    let mut answers = Vec::new();
    while let Some(end) = bytes.iter().position(|&byte| byte == b'\n') {
        let head = std::str::from_utf8(&bytes[..end]).expect("a line of words");
        let (status, length) = head.split_once(' ').expect("two words");
        let body = &bytes[end + 1..][..length.parse().expect("a number")];
        bytes = &bytes[end + 1 + body.len()..];
        answers.push(match status {
            "OK" => Ok(body.to_vec()),
            _ => Err(String::from_utf8_lossy(body).into_owned()),
        });
    }
    answers
}
