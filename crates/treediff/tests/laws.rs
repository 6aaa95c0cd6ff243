//! Do the laws of deltas hold along the histories of real documents?
//!
//! Every document of the corpus is a history: its versions, or the pages of a site that are made from one template.
//! The identities go on from delta to delta, and every law is asked of every delta and of what all of them compose to.

#[path = "support/laws.rs"]
mod laws;
mod support;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use laws::{Seen, Version, check_applied, check_delta, composed, law};
use treediff::delta::{self, ApplyOptions, Delta, Identities};
use treediff::parse::{self, Whitespace};
use treediff::tree::{Document, Format};
use treediff::{matching, write};

#[test]
fn laws_hold_for_xml() {
    let tally = check_all(Format::Xml, support::XML_EXTENSIONS, Whitespace::Layout);
    tally.assert_seen(1750, 420);
}

#[test]
fn laws_hold_for_xml_with_exact_white_space() {
    let tally = check_all(Format::Xml, support::XML_EXTENSIONS, Whitespace::Exact);
    tally.assert_seen(1750, 420);
    let Seen { canonical, other_prefixes, .. } = tally.seen;
    let same = canonical - other_prefixes;
    assert!(
        tally.is_absent || same >= 3500 && other_prefixes <= 25,
        "{same} of {canonical} canonical forms are the same"
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
    seen: Seen,
    /// Histories whose composition depends on the order of composing.
    other_orders: usize,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, other: Tally) {
        self.histories += other.histories;
        self.pairs += other.pairs;
        self.seen.add(&other.seen);
        self.other_orders += other.other_orders;
        self.failures.extend(other.failures);
    }

    /// A test that saw nothing shows nothing, and neither does one where everything was refused.
    fn assert_seen(&self, least_pairs: usize, most_refused: usize) {
        let &Tally { pairs, seen: Seen { refused, .. }, .. } = self;
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
        let unchanged = between(&after.document, &after.document, whitespace, None);
        let law = law(unchanged.is_empty(), "nothing changed in nothing")
            .and_then(|()| check_delta(&delta, before, after, &mut tally.seen));
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

fn between(
    before: &Arc<Document>,
    after: &Arc<Document>,
    whitespace: Whitespace,
    identities: Option<Identities>,
) -> Delta {
    let matching = matching::auto(before, after, &Default::default());
    let options = delta::Options { whitespace, identities, ..Default::default() };
    Delta::between(before, after, &matching, &options).expect("documents of one format")
}

/// All deltas of a history are one, from its first version to its last.
fn check_composition(deltas: &[Delta], first: &Version, last: &Version, tally: &mut Tally) -> Result<(), String> {
    let whole = Delta::compose_all(deltas).map_err(|error| error.to_string())?.ok_or("nothing composed")?;
    law(Some(whole.to_xids()) == deltas.last().map(Delta::to_xids), "composed: the XIDs of the last version")?;
    check_delta(&whole, first, last, &mut tally.seen)?;
    let one_by_one = deltas[1..].iter().try_fold(deltas[0].clone(), |whole, next| composed(&whole, next))?;
    tally.other_orders += usize::from(!one_by_one.clone().settled().same_as(&whole));
    check_applied(&one_by_one, first, last, &mut tally.seen)
}
