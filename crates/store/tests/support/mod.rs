//! Where do tests find histories of real pages, and what is between their versions?

#![allow(dead_code)] // every test binary uses its own part

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use store::Step;
use store::trace::Origin;
use treediff::delta::{Delta, Identities, Options, Xid, XidMap};
use treediff::matching;
use treediff::parse::{self, Whitespace};
use treediff::tree::{self, Document, Format, Node};

const WORKSPACE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The corpus of real documents beside the workspace, where there is one.
pub fn corpus() -> Option<PathBuf> {
    let place = Path::new(WORKSPACE).join("../shared/corpus");
    if place.exists() {
        return Some(place);
    }
    eprintln!("skipped: the corpus is not at {}", place.display());
    None
}

/// A page of the corpus.
pub struct Page {
    pub name: String,
    pub format: Format,
    /// Its versions, oldest first.
    pub files: Vec<PathBuf>,
}

/// The pages of the corpus that have more than one version, in order.
pub fn pages(corpus: &Path) -> Vec<Page> {
    let mut files = Vec::new();
    let mut folders = vec![corpus.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.retain(|file| format(file).is_some());
    files.sort();
    let histories = files.chunk_by(|left, right| left.parent() == right.parent());
    let page = |files: &[PathBuf]| {
        let name = files[0].parent()?.strip_prefix(corpus).ok()?.display().to_string();
        let is_history = files.len() > 1 && !name.contains("cluster-");
        Some(Page { format: format(&files[0])?, files: files.to_vec(), name }).filter(|_| is_history)
    };
    histories.filter_map(page).collect()
}

fn format(file: &Path) -> Option<Format> {
    match file.extension()?.to_str()? {
        "csl" | "svg" | "wsdl" | "xml" | "xsd" => Some(Format::Xml),
        "htm" | "html" => Some(Format::Html),
        "json" => Some(Format::Json),
        _ => None,
    }
}

impl Page {
    /// A version as the store reads it, or, for readers of pages, with its white space.
    pub fn document(&self, version: usize, whitespace: Whitespace) -> Arc<Document> {
        self.parsed(version, whitespace).0
    }

    /// The same, and whether it is well-formed.
    fn parsed(&self, version: usize, whitespace: Whitespace) -> (Arc<Document>, bool) {
        let source = fs::read(&self.files[version]).expect("a readable file");
        let options = parse::Options { whitespace, recover: true, ..Default::default() };
        let parsed = parse::parse(source, self.format, &options).expect("a recovered document");
        let is_sound = self.format != Format::Xml || parsed.issues.is_empty();
        (Arc::new(parsed.document.with_sorted_members()), is_sound)
    }

    /// What is between each version and the next, one after the other.
    pub fn steps(&self) -> impl Iterator<Item = Taken> {
        steps((0..self.files.len()).map(|version| self.parsed(version, Whitespace::Layout)))
    }

    /// The same as they are stored; nothing where a delta of the page cannot be read.
    pub fn stored_steps(&self) -> Option<Vec<Vec<u8>>> {
        let steps: Vec<Vec<u8>> = self.steps().map(|taken| taken.bytes).collect();
        let is_readable = |bytes: &Vec<u8>| Step::from_bytes(bytes).is_ok_and(|step| step.delta().is_ok());
        steps.iter().all(is_readable).then_some(steps)
    }
}

/// A version of a test.
pub fn origin(number: u32) -> Origin {
    Origin { number, time: time(number) }
}

/// When a version of a test was captured.
pub fn time(number: u32) -> Timestamp {
    Timestamp::from_second(i64::from(number) * 3600).expect("a time")
}

/// A document that is well-formed.
pub fn document(source: &str, format: Format) -> Arc<Document> {
    let parsed = parse::parse(source, format, &Default::default()).expect("a document");
    Arc::new(parsed.document.with_sorted_members())
}

/// What is between each document and the next, given whether they are well-formed.
pub fn steps(documents: impl IntoIterator<Item = (Arc<Document>, bool)>) -> impl Iterator<Item = Taken> {
    let mut documents = documents.into_iter();
    let (mut before, mut was_sound) = documents.next().expect("a first version");
    let mut identities = Identities::of_first_version(&before);
    documents.map(move |(after, is_sound)| {
        let are_sound = std::mem::replace(&mut was_sound, is_sound) && is_sound;
        let matching = matching::auto(&before, &after, &Default::default());
        let options = Options { identities: Some(identities.clone()), ..Default::default() };
        let delta = Delta::between(&before, &after, &matching, &options).expect("a delta");
        identities = Identities { xids: delta.to_xids().clone(), next: delta.next_xid() };
        let bytes = Step::of_delta(&delta, &before, &after).to_bytes();
        let before = std::mem::replace(&mut before, Arc::clone(&after));
        Taken { before, after, delta, bytes, is_sound: are_sound }
    })
}

/// Every node by its identity.
pub fn nodes<'d>(document: &'d Document, xids: &XidMap) -> HashMap<Xid, Node<'d>> {
    let post_order = document.root().walk().filter_map(|step| match step {
        tree::Step::Enter(node) => (!node.kind().is_container()).then_some(node),
        tree::Step::Leave(node) => Some(node),
    });
    xids.iter().zip(post_order).chain([(Xid::DOCUMENT, document.root())]).collect()
}

/// A step from one version of a page to the next.
pub struct Taken {
    pub before: Arc<Document>,
    pub after: Arc<Document>,
    pub delta: Delta,
    pub bytes: Vec<u8>,
    /// Whether both versions are well-formed.
    pub is_sound: bool,
}

/// Numbers that look as if they were drawn, the same in every run.
pub struct Draws(pub u64);

impl Draws {
    /// A number below `end`; 0 where there is none.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}
