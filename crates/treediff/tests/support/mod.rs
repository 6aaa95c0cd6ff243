//! Where do tests find what is not in the repository, and how do they hold exceptions to the letter?

#![allow(dead_code)] // every test binary uses its own part

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use treediff::matching::Matching;
use treediff::tree::{Document, Node, NodeId};

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The corpus of real documents beside the workspace, where there is one.
pub fn corpus() -> Option<PathBuf> {
    present(Path::new(WORKSPACE).join("../shared/corpus"), "the corpus")
}

/// The checker of written deltas beside the corpus, which knows nothing but the description of their format.
pub fn xydelta_check() -> Option<PathBuf> {
    present(Path::new(WORKSPACE).join("../shared/tools/xydelta-check"), "the checker of deltas")
}

/// The extensions of the corpus's XML.
pub const XML_EXTENSIONS: &[&str] = &["csl", "svg", "wsdl", "xml", "xsd"];

/// The extensions of the corpus's HTML.
pub const HTML_EXTENSIONS: &[&str] = &["htm", "html"];

/// The Python that has the packages of the oracles.
pub fn python() -> Option<PathBuf> {
    fetched("venv/bin/python", "DELTAIC_PYTHON")
}

/// Something that `./test` fetches into `.cache`, or wherever `variable` says it is.
pub fn fetched(name: &str, variable: &str) -> Option<PathBuf> {
    let place =
        std::env::var_os(variable).map_or_else(|| Path::new(WORKSPACE).join(".cache").join(name), PathBuf::from);
    let found = present(place, name);
    let required = std::env::var_os("DELTAIC_REQUIRE_ORACLES").is_some();
    assert!(found.is_some() || !required, "`{name}` is required here and absent");
    found
}

fn present(place: PathBuf, name: &str) -> Option<PathBuf> {
    if place.exists() {
        return Some(place);
    }
    eprintln!("skipped: {name} is not at {}", place.display());
    None
}

/// What a script of `oracles/` prints, given its arguments and its input.
pub fn ask(python: &Path, script: &str, arguments: &[&Path], input: String) -> Vec<u8> {
    let mut oracle = Command::new(python)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles").join(script))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the Python of the oracles starts");
    let mut stdin = oracle.stdin.take().expect("a pipe");
    let asking = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let answered = oracle.wait_with_output().expect("the oracle ends");
    assert!(answered.status.success(), "{script} failed: {}", answered.status);
    asking.join().expect("no panic").expect("the oracle reads its input");
    answered.stdout
}

/// How the lists of exceptions name a file of the corpus.
pub fn case_of(file: &Path, corpus: &Path) -> String {
    file.strip_prefix(corpus).unwrap_or(file).display().to_string()
}

/// All files below `folder` whose names end in one of `extensions`, in order.
pub fn files_below(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if has_extension(&path, extensions) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The successive versions of every document of the corpus, each with the next.
pub fn successive_pairs(corpus: &Path, extensions: &[&str]) -> Vec<[PathBuf; 2]> {
    let files = files_below(corpus, extensions);
    let documents = files.chunk_by(|left, right| left.parent() == right.parent());
    let is_history = |versions: &&[PathBuf]| {
        !versions[0].components().any(|part| part.as_os_str().to_string_lossy().starts_with("cluster-"))
    };
    let pairs = documents.filter(is_history).flat_map(|versions| versions.windows(2));
    pairs.map(|pair| [pair[0].clone(), pair[1].clone()]).collect()
}

pub fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    file.extension().and_then(|extension| extension.to_str()).is_some_and(|extension| extensions.contains(&extension))
}

/// Fails unless exactly the cases that `list` explains have failed.
///
/// Every line of the list is `CHECK CASE REASON…`; empty lines and lines that begin with `#` are comments. An
/// exception that no longer fails is a fault as well, so the list never outlives its reasons.
pub fn assert_only_exceptions(list: &str, check: &str, failures: &BTreeMap<String, String>) {
    let listed = exceptions(list, check);
    let unexplained = failures.iter().filter(|(case, _)| !listed.contains_key(case.as_str()));
    let outlived = listed.keys().filter(|case| !failures.contains_key(**case));
    let faults: Vec<String> = unexplained
        .map(|(case, what)| format!("{check} {case}: {what}"))
        .chain(outlived.map(|case| format!("{check} {case}: listed as an exception, but it passes")))
        .collect();
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn exceptions<'l>(list: &'l str, check: &str) -> BTreeMap<&'l str, &'l str> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let parts = lines.map(|line| {
        let mut parts = line.splitn(3, ' ');
        let [check, case, reason] = std::array::from_fn(|_| parts.next().unwrap_or(""));
        assert!(!reason.trim().is_empty(), "an exception without a reason: {line}");
        (check, case, reason)
    });
    parts.filter(|(of, _, _)| *of == check).map(|(_, case, reason)| (case, reason)).collect()
}

/// Any pairs of nodes of one kind and name, however far from one another they are.
pub fn drawn_matching(before: &Document, after: &Document, mut drawn: u64) -> Matching {
    let mut matching = Matching::new(before, after);
    for node in after.nodes().skip(1) {
        let fits = |old: &Node<'_>| {
            matching.after_of(old.id()).is_none() && old.kind() == node.kind() && old.name() == node.name()
        };
        let candidates: Vec<NodeId> = before.nodes().skip(1).filter(fits).map(Node::id).collect();
        drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Every fourth has no partner.
        let at = (drawn >> 33) as usize % (candidates.len() + candidates.len() / 4 + 1);
        candidates.get(at).into_iter().for_each(|&old| matching.pair(old, node.id()));
    }
    matching
}
