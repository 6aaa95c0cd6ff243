//! Does a program that knows nothing but the description of the format read our deltas as we mean them?

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use treediff::delta::{self, Delta};
use treediff::matching;
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Kind};

/// So many pairs of versions are checked, in both modes and both directions.
const PAIRS: usize = 60;

#[test]
fn deltas_lead_to_and_fro_as_the_format_says() {
    let (Some(corpus), Some(python), Some(checker)) = (support::corpus(), support::python(), support::xydelta_check())
    else {
        return;
    };
    let pairs = spread(&corpus);
    assert!(pairs.len() >= PAIRS, "{} pairs of versions", pairs.len());
    let [next, twice] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let work = || {
        let mut failures = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(pair) = pairs.get(at) else { return failures };
            for whitespace in [Whitespace::Layout, Whitespace::Exact] {
                let delta = written(pair, whitespace);
                if has_id_twice(&delta) {
                    twice.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{at}.xydelta"));
                fs::write(&file, delta).expect("a delta in a file");
                failures.extend(check(&python, &checker, pair, &file, whitespace));
                fs::remove_file(&file).expect("the file of the delta");
            }
        }
    };
    let failures = std::thread::scope(|scope| {
        let workers = [scope.spawn(work), scope.spawn(work)];
        workers.map(|worker| worker.join().expect("no panic")).concat()
    });
    let twice = twice.into_inner();
    assert!(twice <= PAIRS / 10, "{twice} deltas have an ID twice");
    assert!(failures.is_empty(), "{} deltas are wrong:\n{}", failures.len(), failures.join("\n"));
}

/// Two small versions and their delta in files, of a name that no other test has.
fn files(name: &str, sources: [&str; 2], recover: bool) -> ([PathBuf; 2], PathBuf) {
    let place = |side: &str| Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{side}.xml"));
    let pair = [place("before"), place("after")];
    let options = Options { recover, ..Options::default() };
    let [before, after] = sources.map(|source| Arc::new(parse::xml(source, &options).expect("XML").document));
    let matching = matching::auto(&before, &after, &Default::default());
    let delta = Delta::between(&before, &after, &matching, &Default::default()).expect("documents of one format");
    pair.iter().zip(sources).for_each(|(file, source)| fs::write(file, source).expect("a version in a file"));
    fs::write(place("delta"), delta.to_xydelta()).expect("a delta in a file");
    (pair, place("delta"))
}

/// Whatever of its namespaces the root of a delta declares, who reads namespaces reads it.
#[test]
fn namespaces_that_payloads_share() {
    let (Some(python), Some(checker)) = (support::python(), support::xydelta_check()) else { return };
    for (at, after) in [
        "<a><b/><c/><d/></a>",
        "<a xmlns='urn:a:long:one'><b/>t<c/><d xmlns=''/><p:e xmlns:p='urn:p'/><f xmlns='urn:f'><g xmlns=''/></f></a>",
        "<p:a xmlns:p='urn:p' xmlns:d='urn:d'><p:b/><d:c p:x='1'/><d:c p:x='2'><d:c xmlns:d='urn:e'/><e/></d:c></p:a>",
        "<d:a xmlns:d='urn:deltaic:xydelta:1' xmlns='urn:x'><d:delete/><d:insert><b/></d:insert><b/><c/><e/></d:a>",
    ]
    .into_iter()
    .enumerate()
    {
        let (root, _) = after.split_once('>').expect("a tag");
        let before = format!("{root}/>");
        let (pair, delta) = files(&format!("namespaces-{at}"), [&before, after], false);
        let failures = check(&python, &checker, &pair, &delta, Whitespace::Layout);
        assert!(failures.is_empty(), "{failures:?}: {}", fs::read_to_string(&delta).expect("the delta"));
    }
}

/// The checker cannot read documents with references that are not followed, or that are not well-formed; their deltas are
/// XML to it all the same.
#[test]
fn deltas_of_what_the_checker_does_not_read_are_xml() {
    let (Some(python), Some(checker)) = (support::python(), support::xydelta_check()) else { return };
    for (at, [before, after]) in [
        ["<a><b>x</b></a>", "<a><b>x</b><sch:rule q:r='1'>new</sch:rule></a>"],
        ["<!DOCTYPE a SYSTEM 'a.dtd'><a/>", "<!DOCTYPE a SYSTEM 'a.dtd'><a>&httpd.docs;<b c='&u;'/></a>"],
        ["<a/>", "<a>&u:v;<!-- a -- b --></a>"],
    ]
    .into_iter()
    .enumerate()
    {
        let (pair, delta) = files(&format!("unread-{at}"), [before, after], true);
        let failures = check(&python, &checker, &pair, &delta, Whitespace::Layout);
        let is_of_document = |said: &String| said.contains("not for this checker");
        assert!(
            failures.iter().all(is_of_document),
            "{failures:?}: {}",
            fs::read_to_string(&delta).expect("the delta")
        );
    }
}

/// Pairs of successive versions from all families, in turn, until there are enough; only what the checker can read.
fn spread(corpus: &Path) -> Vec<[PathBuf; 2]> {
    let mut families: BTreeMap<PathBuf, Vec<[PathBuf; 2]>> = BTreeMap::new();
    for pair in support::successive_pairs(corpus, support::XML_EXTENSIONS) {
        let family = pair[0].strip_prefix(corpus).expect("a file of the corpus").iter().next().map(PathBuf::from);
        families.entry(family.unwrap_or_default()).or_default().push(pair);
    }
    let is_readable = |pair: &[PathBuf; 2]| pair.iter().all(|file| is_plain(file));
    let mut rows: Vec<_> = families.into_values().map(|pairs| pairs.into_iter().step_by(5)).collect();
    let mut chosen = Vec::new();
    while chosen.len() < PAIRS && !rows.is_empty() {
        rows.retain_mut(|row| match row.find(is_readable) {
            Some(pair) => {
                chosen.push(pair);
                true
            }
            None => false,
        });
    }
    chosen
}

/// Whether a file is well-formed and has no references that are not followed.
fn is_plain(file: &Path) -> bool {
    let source = fs::read(file).expect("a readable file");
    let parsed = parse::xml(source, &Options::default());
    parsed.is_ok_and(|parsed| parsed.document.nodes().all(|node| node.kind() != Kind::Reference))
}

/// Whether a delta deletes and inserts elements with one `xml:id`, which the parser of the checker refuses to read.
fn has_id_twice(delta: &str) -> bool {
    let document = parse::xml(delta, &Options::default()).expect("a delta is XML").document;
    let mut ids = BTreeSet::new();
    document.nodes().filter_map(|node| node.id_value()).any(|id| !ids.insert(id))
}

fn written(pair: &[PathBuf; 2], whitespace: Whitespace) -> String {
    let [before, after] = pair.each_ref().map(|file| parsed(file, whitespace));
    let matching = matching::auto(&before, &after, &Default::default());
    let options = delta::Options { whitespace, ..Default::default() };
    Delta::between(&before, &after, &matching, &options).expect("documents of one format").to_xydelta()
}

fn parsed(file: &Path, whitespace: Whitespace) -> Arc<Document> {
    let options = Options { whitespace, ..Options::default() };
    Arc::new(parse::xml(fs::read(file).expect("a readable file"), &options).expect("XML").document)
}

/// What the checker finds wrong with a delta, applied to the version before and, backwards, to the version after.
fn check(
    python: &Path,
    checker: &Path,
    [before, after]: &[PathBuf; 2],
    delta: &Path,
    whitespace: Whitespace,
) -> Vec<String> {
    let directions: [&[&str]; 2] = [&[], &["--reverse"]];
    let ask = |direction: &[&str]| {
        let mut command = Command::new(python);
        let answer = command.arg(checker).args([before, after]).arg(delta).args(direction).output();
        let answer = answer.expect("the Python of the oracles starts");
        let said = String::from_utf8_lossy(&[answer.stdout, answer.stderr].concat()).trim().to_owned();
        let fault = || format!("{}, {whitespace:?} {}: {said}", after.display(), direction.concat());
        (!answer.status.success()).then(fault)
    };
    directions.into_iter().filter_map(ask).collect()
}
