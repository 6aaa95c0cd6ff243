//! Is the tree of a real page the one that another parser builds? html5lib says so, page by page.
//!
//! It is slow, so one page in ten is compared; `HTML_ORACLE=all` compares all, and `HTML_ORACLE=/folder` those of
//! another folder. Without Python, html5lib or the corpus there is nothing to compare with, and the test says so.
//!
//! html5lib is of 2020. Today's standard differs from it in what a `select` may hold and in `search` being a block;
//! besides, html5lib has a fault of its own. Where that shows in the corpus, [`EXPECTED`] says so.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Kind};

/// White space alone in a table cell: html5lib puts it there without opening formatting elements again, and keeps the
/// first newline of a `pre`.
const BLANK_IN_CELL: &str = "white space in a table cell";
/// Wrong bytes of ISO-2022-JP, which Python leaves out and the standard's decoder makes U+FFFD of.
const WRONG_BYTES: &str = "wrong bytes";

/// Pages that html5lib reads differently, and why.
const EXPECTED: [(&str, &str); 4] = [
    ("docs_manual_dso.html.ko.euc-kr/001-2002-06-15.html", BLANK_IN_CELL),
    ("docs_manual_mod_index.html.ja.jis/001-2002-08-02.html", WRONG_BYTES),
    ("faq_index.html/010-2011-06-20.html", BLANK_IN_CELL),
    ("openssh_index.html/007-2002-08-30.html", BLANK_IN_CELL),
];

#[test]
fn trees_are_those_of_html5lib() {
    let wanted = std::env::var("HTML_ORACLE").unwrap_or_default();
    let corpus = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
    let folder = if wanted.starts_with('/') { &wanted } else { corpus };
    let every = if wanted.is_empty() { 10 } else { 1 };
    let pages: Vec<PathBuf> = pages(Path::new(folder)).into_iter().step_by(every).collect();
    if pages.is_empty() {
        eprintln!("skipped: no pages in {folder}");
        return;
    }
    let ours: BTreeMap<String, (String, String)> = pages.iter().map(|page| ours(page)).collect();
    let Some(theirs) = theirs(&ours) else {
        eprintln!("skipped: python3 with html5lib is not there");
        return;
    };
    assert_eq!(theirs.len(), ours.len(), "html5lib has read all pages");

    let differences: Vec<String> = ours
        .iter()
        .filter(|(path, _)| !is_expected(path))
        .filter_map(|(path, (_, ours))| Some(format!("{path}\n{}", first_difference(ours, &theirs[path])?)))
        .collect();
    eprintln!("{} pages compared", ours.len());
    assert!(differences.is_empty(), "{} pages differ\n{}", differences.len(), differences.join("\n"));
}

fn is_expected(path: &str) -> bool {
    let reason = EXPECTED.iter().find(|(page, _)| path.ends_with(page)).map(|(_, reason)| reason);
    reason.inspect(|reason| eprintln!("not compared: {path}: {reason}")).is_some()
}

fn first_difference(ours: &str, theirs: &str) -> Option<String> {
    let (mut ours, mut theirs) = (ours.lines(), theirs.lines());
    let mut before = "";
    loop {
        match (ours.next(), theirs.next()) {
            (None, None) => return None,
            (Some(a), Some(b)) if a == b => before = a,
            (a, b) => {
                let line = |line: Option<&str>| line.unwrap_or("nothing").chars().take(300).collect::<String>();
                return Some(format!("  behind {}\n  found {}\n  expected {}", line(Some(before)), line(a), line(b)));
            }
        }
    }
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "html" || extension == "htm") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The path of a page, its encoding and its tree.
fn ours(page: &Path) -> (String, (String, String)) {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let parsed = parse::html(std::fs::read(page).unwrap(), &options).unwrap();
    let encoding = parsed.document.encoding().to_owned();
    (page.display().to_string(), (encoding, dump(&parsed.document)))
}

fn dump(document: &Document) -> String {
    let mut lines = String::new();
    let mut depths = vec![0u32; document.len()];
    for node in document.nodes().skip(1) {
        let parent = node.parent().unwrap();
        let depth = if parent.parent().is_none() { 0 } else { depths[parent.id().index()] + 1 };
        depths[node.id().index()] = depth;
        match node.kind() {
            Kind::Text => writeln!(lines, "{depth} text {}", quote(&node.value())),
            Kind::Comment => writeln!(lines, "{depth} comment {}", quote(&node.value())),
            _ => writeln!(lines, "{depth} element {}", quote(&node.name().to_string())),
        }
        .unwrap();
        let mut attributes: Vec<String> = node
            .attributes()
            .map(|attribute| {
                format!("{depth} @ {} {}\n", quote(&attribute.name().to_string()), quote(&attribute.value()))
            })
            .collect();
        attributes.sort();
        lines += &attributes.concat();
    }
    lines
}

/// A string as Python's JSON module writes it.
fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\u{8}' => quoted.push_str("\\b"),
            '\u{c}' => quoted.push_str("\\f"),
            control @ '\0'..='\u{1f}' => write!(quoted, "\\u{:04x}", u32::from(control)).unwrap(),
            other => quoted.push(other),
        }
    }
    quoted + "\""
}

/// The trees of html5lib by path; `None` where it cannot be run.
fn theirs(pages: &BTreeMap<String, (String, String)>) -> Option<BTreeMap<String, String>> {
    let has_html5lib = Command::new("python3").args(["-c", "import html5lib"]).stderr(Stdio::null()).status();
    if !has_html5lib.is_ok_and(|status| status.success()) {
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/oracles/html_tree.py");
    let mut python = Command::new("python3").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = python.stdin.take().unwrap();
    let lines: String = pages.iter().map(|(path, (encoding, _))| format!("{encoding}\t{path}\n")).collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = python.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let trees = format!("\n{output}");
    Some(
        trees
            .split("\n= ")
            .skip(1)
            .map(|tree| tree.split_once('\n').map_or((tree, ""), |(path, lines)| (path, lines)))
            .map(|(path, lines)| (path.to_owned(), lines.to_owned()))
            .collect(),
    )
}
