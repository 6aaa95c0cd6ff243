//! Is the tree of a real page the one that another parser builds, from the bytes on? html5lib says so, page by page.
//!
//! html5lib finds by itself which encoding a page names. Where it names none, html5lib would take windows-1252, and the
//! standard lets us guess: such a page is in the list of exceptions with the guess, unless it is ASCII anyway, and
//! html5lib is given the guess, so that the trees can be compared.
//!
//! html5lib is of 2020. Today's standard differs from it in what a `select` may hold, in `search` being a block, and in an
//! encoding that an XML declaration names; besides, html5lib has faults of its own. Where any of that shows in the corpus,
//! the list of exceptions says so.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Kind};

const EXCEPTIONS: &str = include_str!("html-exceptions.txt");
/// html5lib is slow, so it runs in so many processes at once.
const PROCESSES: usize = 2;

#[test]
fn pages_are_read_as_html5lib_reads_them() {
    let (Some(corpus), Some(python)) = (support::corpus(), support::python()) else { return };
    let pages = support::files_below(&corpus, support::HTML_EXTENSIONS);
    let ours: BTreeMap<PathBuf, Page> = pages.iter().map(|page| (page.clone(), ours(page))).collect();
    let theirs = theirs(&python, &ours);
    assert_eq!(theirs.len(), ours.len(), "html5lib has read all pages");

    let (mut encodings, mut trees) = (BTreeMap::new(), BTreeMap::new());
    for (path, ours) in &ours {
        let (case, theirs) = (support::case_of(path, &corpus), &theirs[path]);
        if !same_encoding(path, &ours.encoding, &theirs.encoding) {
            encodings.insert(format!("{case}={}", ours.encoding), format!("html5lib says {}", theirs.encoding));
        }
        if let Some(difference) = first_difference(&ours.tree, &theirs.tree) {
            trees.insert(case, difference);
        }
    }
    support::assert_only_exceptions(EXCEPTIONS, "encoding", &encodings);
    support::assert_only_exceptions(EXCEPTIONS, "tree", &trees);
}

/// A page as one of the two reads it.
struct Page {
    encoding: String,
    tree: String,
}

fn same_encoding(path: &Path, ours: &str, theirs: &str) -> bool {
    match theirs {
        // By itself html5lib would take windows-1252, whatever the bytes.
        "none" => ours == "windows-1252" || std::fs::read(path).unwrap().is_ascii(),
        named => ours.eq_ignore_ascii_case(named),
    }
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

fn ours(page: &Path) -> Page {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let parsed = parse::html(std::fs::read(page).unwrap(), &options).unwrap();
    Page { encoding: parsed.document.encoding().to_owned(), tree: dump(&parsed.document) }
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

fn theirs(python: &Path, ours: &BTreeMap<PathBuf, Page>) -> BTreeMap<PathBuf, Page> {
    let lines: Vec<String> =
        ours.iter().map(|(path, page)| format!("{}\t{}\n", page.encoding, path.display())).collect();
    let share = |first| lines.iter().skip(first).step_by(PROCESSES).map(String::as_str).collect();
    let ask = |share| read_answers(support::ask(python, "html_tree.py", &[], share));
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..PROCESSES).map(|first| scope.spawn(move || ask(share(first)))).collect();
        asked.into_iter().flat_map(|share| share.join().expect("the oracle answers")).collect()
    })
}

/// For each page a line `= path`, one with the encoding, and those of the tree.
fn read_answers(output: Vec<u8>) -> BTreeMap<PathBuf, Page> {
    let output = String::from_utf8(output).expect("the oracle writes UTF-8");
    let pages = format!("\n{output}");
    let pages = pages.split("\n= ").skip(1).map(|page| {
        let (path, page) = page.split_once('\n').expect("a line with the path");
        let (encoding, tree) = page.split_once('\n').expect("a line with the encoding");
        (path.into(), Page { encoding: encoding.to_owned(), tree: tree.to_owned() })
    });
    pages.collect()
}
