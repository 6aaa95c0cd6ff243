//! Do the laws of deltas hold along the histories of real documents?
//!
//! Every document of the corpus is a history: its versions, or the pages of a site that are made from one template.
//! The identities go on from delta to delta, and every law is asked of every delta and of what all of them compose to.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use treediff::delta::{self, ApplyError, ApplyOptions, Delta, Identities, document_hash};
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Format};
use treediff::{matching, write};

/// A page that says to be ISO-2022-JP, whose next versions do not say so and have the escape character in names: that
/// cannot be written in the encoding that the page has.
const IN_ESCAPES: &str = "httpd-manual-legacy-enc/docs_manual_mod_index.html.ja.jis/001-";

#[test]
fn laws_hold_for_xml() {
    let tally = check_all(Format::Xml, support::XML_EXTENSIONS, Whitespace::Layout);
    tally.assert_seen(1750, 420);
}

#[test]
fn laws_hold_for_xml_with_exact_white_space() {
    let tally = check_all(Format::Xml, support::XML_EXTENSIONS, Whitespace::Exact);
    tally.assert_seen(1750, 420);
    let same = tally.canonical - tally.other_prefixes;
    assert!(
        tally.is_absent || same >= 3500 && tally.other_prefixes <= 25,
        "{same} of {} canonical forms are the same",
        tally.canonical
    );
}

#[test]
fn laws_hold_for_html() {
    check_all(Format::Html, support::HTML_EXTENSIONS, Whitespace::Layout).assert_seen(760, 3);
}

#[test]
fn laws_hold_for_html_with_exact_white_space() {
    check_all(Format::Html, support::HTML_EXTENSIONS, Whitespace::Exact).assert_seen(760, 3);
}

#[test]
fn what_is_not_touched_keeps_its_bytes() {
    let sources = ["<a>\n <b  x = '1'/>\n <c>&#65;</c>\n</a>\n", "<a><b x='1'/><c>A</c><d/></a>"];
    let [before, after] =
        sources.map(|source| Arc::new(parse::xml(source, &Default::default()).expect("XML").document));
    let delta = between(&before, &after, Whitespace::Layout, None);
    let patched = delta.apply(&before, &ApplyOptions::default()).expect("a patched document");
    let source = String::from_utf8(write::source(&patched.document)).expect("UTF-8");
    assert_eq!(source, "<a>\n <b  x = '1'/>\n <c>&#65;</c>\n <d/>\n</a>\n");
}

/// What was seen, and what did not hold.
#[derive(Default)]
struct Tally {
    is_absent: bool,
    histories: usize,
    pairs: usize,
    /// Deltas that could not be read and results that could not be written, where a version is no document of its
    /// format to begin with.
    refused: usize,
    /// Canonical forms that were compared.
    canonical: usize,
    /// Results whose canonical form is not that of the version after, for the sake of prefixes.
    other_prefixes: usize,
    /// Histories whose composition depends on the order of composing.
    other_orders: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.histories += other.histories;
        self.pairs += other.pairs;
        self.refused += other.refused;
        self.canonical += other.canonical;
        self.other_prefixes += other.other_prefixes;
        self.other_orders += other.other_orders;
        self.failures.extend(other.failures);
    }

    /// A test that saw nothing shows nothing, and neither does one where everything was refused.
    fn assert_seen(&self, least_pairs: usize, most_refused: usize) {
        let &Tally { pairs, refused, .. } = self;
        assert!(self.is_absent || pairs >= least_pairs, "{pairs} pairs seen; expected {least_pairs}");
        assert!(refused <= most_refused, "{refused} deltas refused; expected at most {most_refused}");
    }

    fn note(&mut self, what: impl FnOnce() -> String, outcome: Result<(), String>) {
        if let Err(error) = outcome {
            self.failures.push(format!("{}: {error}", what()));
        }
    }
}

/// Checks all histories, by two workers.
fn check_all(format: Format, extensions: &[&str], whitespace: Whitespace) -> Tally {
    let Some(corpus) = support::corpus() else { return Tally { is_absent: true, ..Tally::default() } };
    let files = support::files_below(&corpus, extensions);
    let histories: Vec<&[PathBuf]> = files.chunk_by(|one, next| one.parent() == next.parent()).collect();
    let (next, whole) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    let work = || {
        while let Some(versions) = histories.get(next.fetch_add(1, Ordering::Relaxed)) {
            let tally = check_history(versions, format, whitespace);
            whole.lock().expect("no worker panics").add(tally);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        scope.spawn(work);
    });
    let tally = whole.into_inner().expect("no worker panics");
    let failures = &tally.failures;
    assert!(failures.is_empty(), "{} laws do not hold:\n{}", failures.len(), failures.join("\n"));
    // Which siblings moved may depend on the order of composing; it hardly ever does.
    let (others, all) = (tally.other_orders, tally.histories);
    assert!(others * 50 <= all, "{others} of {all} histories depend on the order of composing");
    tally
}

fn check_history(versions: &[PathBuf], format: Format, whitespace: Whitespace) -> Tally {
    let mut tally = Tally::default();
    let documents: Vec<Version> = versions.iter().map(|file| Version::read(file, format, whitespace)).collect();
    let mut identities = None;
    let mut deltas = Vec::new();
    for pair in documents.windows(2) {
        let [before, after] = [&pair[0], &pair[1]];
        let delta = between(&before.document, &after.document, whitespace, identities.take());
        identities = Some(Identities { xids: delta.to_xids().clone(), next: delta.next_xid() });
        tally.pairs += 1;
        let law = check_delta(&delta, before, after, &mut tally);
        tally.note(|| format!("{}, {whitespace:?}", after.file.display()), law);
        deltas.push(delta);
    }
    if let [first, .., last] = &documents[..] {
        tally.histories += 1;
        let law = check_composition(&deltas, first, last, &mut tally);
        tally.note(|| format!("all versions up to {}, {whitespace:?}", last.file.display()), law);
    }
    tally
}

struct Version {
    file: PathBuf,
    document: Arc<Document>,
    /// Whether it is well-formed, and its successors can be written in its encoding.
    is_sound: bool,
}

impl Version {
    /// The document in a file; what is not well-formed is read over.
    fn read(file: &Path, format: Format, whitespace: Whitespace) -> Version {
        let source = fs::read(file).expect("a readable file");
        let options = Options { whitespace, ..Options::default() };
        let strict = parse::parse(source.clone(), format, &options);
        let is_sound = strict.is_ok() && !file.to_string_lossy().contains(IN_ESCAPES);
        let parsed = strict.or_else(|_| parse::parse(source, format, &Options { recover: true, ..options }));
        let document = Arc::new(parsed.expect("a recovered document").document);
        Version { file: file.to_owned(), document, is_sound }
    }
}

fn between(
    before: &Arc<Document>,
    after: &Arc<Document>,
    whitespace: Whitespace,
    identities: Option<Identities>,
) -> Delta {
    let matching = matching::xydiff(before, after, &Default::default());
    let options = delta::Options { whitespace, identities, ..Default::default() };
    Delta::between(before, after, &matching, &options).expect("documents of one format")
}

fn check_delta(delta: &Delta, before: &Version, after: &Version, tally: &mut Tally) -> Result<(), String> {
    law(between(&after.document, &after.document, delta.whitespace(), None).is_empty(), "nothing changed in nothing")?;
    match Delta::read(delta.to_xydelta(), &Default::default()) {
        Err(_) if !(before.is_sound && after.is_sound) => tally.refused += 1,
        read => check_written(delta, &read.map_err(|error| error.to_string())?)?,
    }
    let inverse = delta.inverted();
    law(inverse.inverted().same_as(delta), "inverted twice")?;
    law(composed(delta, &inverse)?.is_empty(), "a delta and its inverse")?;
    law(composed(&inverse, delta)?.is_empty(), "an inverse and its delta")?;
    check_applied(&inverse, after, before, tally)?;
    check_applied(delta, before, after, tally)
}

/// A delta is what is read of its file, and of its script.
fn check_written(delta: &Delta, read: &Delta) -> Result<(), String> {
    law(read.same_as(delta), "written and read")?;
    law(read.to_xydelta() == delta.to_xydelta(), "written, read and written")?;
    let script = delta.to_script().to_delta().map_err(|error| error.to_string())?;
    law(script.same_as(delta), "a script of a delta")
}

fn check_applied(delta: &Delta, before: &Version, after: &Version, tally: &mut Tally) -> Result<(), String> {
    let patched = match delta.apply(&before.document, &ApplyOptions::default()) {
        Err(ApplyError::Unreadable(_) | ApplyError::ReadsDifferently(_)) if !(before.is_sound && after.is_sound) => {
            tally.refused += 1;
            return Ok(());
        }
        outcome => outcome.map_err(|error| error.to_string())?,
    };
    law(patched.document.root().same_content(after.document.root()), "applied: the tree of the other version")?;
    law(document_hash(&patched.document) == delta.to_hash(), "applied: its hash")?;
    law(document_hash(&after.document) == delta.to_hash(), "the hash of the version after")?;
    law(patched.xids == *delta.to_xids(), "applied: its XIDs")?;
    law(patched.next_xid == delta.next_xid(), "applied: the next XID")?;
    if delta.format() == Format::Xml && delta.whitespace() == Whitespace::Exact {
        let is_same = write::canonical(&patched.document) == write::canonical(&after.document);
        law(is_same || prefixes(&before.document) != prefixes(&after.document), "applied: its canonical form")?;
        tally.canonical += 1;
        tally.other_prefixes += usize::from(!is_same);
    }
    Ok(())
}

/// The prefixes that names are written with, and what they stand for.
fn prefixes(document: &Document) -> BTreeSet<(&str, &str)> {
    let elements = document.nodes().filter(|node| node.is_element());
    let names = elements.flat_map(|node| {
        let of_attributes = node.attributes().map(|attribute| (attribute.prefix(), attribute.name().namespace));
        of_attributes.chain([(node.prefix(), node.name().namespace)])
    });
    names.collect()
}

/// All deltas of a history are one, from its first version to its last.
fn check_composition(deltas: &[Delta], first: &Version, last: &Version, tally: &mut Tally) -> Result<(), String> {
    let whole = Delta::compose_all(deltas).map_err(|error| error.to_string())?.ok_or("nothing composed")?;
    law(Some(whole.to_xids()) == deltas.last().map(Delta::to_xids), "composed: the XIDs of the last version")?;
    check_delta(&whole, first, last, tally)?;
    let one_by_one = deltas[1..].iter().try_fold(deltas[0].clone(), |whole, next| composed(&whole, next))?;
    tally.other_orders += usize::from(!one_by_one.same_as(&whole));
    check_applied(&one_by_one, first, last, tally)
}

fn composed(first: &Delta, second: &Delta) -> Result<Delta, String> {
    first.compose(second).map_err(|error| format!("composing: {error}"))
}

fn law(holds: bool, name: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(name.to_owned()) }
}
