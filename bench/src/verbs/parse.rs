//! How fast does XML become a hashed tree, beside those who make events or a tree of it?

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use quick_xml::events::Event;
use treediff::parse::{self, Options};

use super::{Contender, Study};
use crate::corpus::{self, Large};
use crate::measure::{Cost, Meter};
use crate::report::{self, Table};

const CONTENDERS: [Contender; 3] = [
    Contender { name: "deltaic", run: deltaic },
    Contender { name: "quick-xml", run: quick_xml },
    Contender { name: "roxmltree", run: roxmltree },
];

/// libxml2 is asked through lxml, in a process of its own.
const LIBXML2: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/libxml2.py");

pub fn parse(study: &Study<'_>, python: &Path) -> Result<String> {
    let documents = corpus::documents(study.corpus, "xml", study.only)?;
    let bar = study.progress(documents.len(), CONTENDERS.len());
    let mut speed = Table::new(&["MB/s", "MB", "deltaic", "quick-xml", "", "roxmltree", "", "libxml2", ""]);
    let mut memory = Table::new(&["memory / input", "deltaic", "peak", "roxmltree", "peak", "libxml2"]);
    for document in &documents {
        let [ours, events, dom] = study.contest(document, CONTENDERS, &bar);
        let libxml2 = libxml2(document, python, study.runs);
        if let Err(error) = &libxml2 {
            bar.suspend(|| eprintln!("libxml2 is left out: {error:#}"));
        }
        let size = document.bytes.len();
        let libxml2 = libxml2.ok();
        let rate = |cost: &Cost| format!("{:.0}", cost.rate(size));
        let lead = |peer: &Cost| peer.time.as_secs_f64() / ours.time.as_secs_f64();
        speed.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            rate(&ours),
            rate(&events),
            report::at_least(lead(&events), goal_against_events(document)),
            rate(&dom),
            report::at_least(lead(&dom), 4.0),
            libxml2.as_ref().map_or_else(String::new, rate),
            libxml2.as_ref().map_or_else(String::new, |peer| format!("{:.1}x", lead(peer))),
        ]);
        let (kept, peak) = ours.memory(size);
        let (their_kept, their_peak) = dom.memory(size);
        memory.row(&[
            document.name.clone(),
            memory_against_goal(document, kept),
            format!("{peak:.2}x"),
            format!("{their_kept:.2}x"),
            format!("{their_peak:.2}x"),
            libxml2.map_or_else(String::new, |peer| format!("{:.2}x", peer.memory(size).0)),
        ]);
    }
    bar.finish_and_clear();
    Ok(format!("{}\n{CAPTION}\n\n{}", speed.finish(), memory.finish()))
}

const CAPTION: &str = "\
deltaic: tree and subtree hashes. quick-xml: events with their attributes, no tree. roxmltree and libxml2: a DOM.\n\
Behind each peer stands how many times as fast deltaic is. Memory is that of the tree beyond the source, and the peak\n\
while it is made; of libxml2 the growth of its process.";

/// Markup-dense documents leave an event reader little but markup, so there the goal is higher.
fn goal_against_events(document: &Large) -> f64 {
    if is_markup_dense(document) { 2.0 } else { 1.25 }
}

fn memory_against_goal(document: &Large, found: f64) -> String {
    if is_markup_dense(document) { report::at_most(found, 1.0) } else { format!("{found:.2}x") }
}

fn is_markup_dense(document: &Large) -> bool {
    document.name.starts_with("cldr")
}

fn deltaic(document: &Large, meter: &mut Meter) {
    let source = document.bytes.clone();
    let options = Options::default();
    meter.run(|| parse::xml(source, &options));
}

fn quick_xml(document: &Large, meter: &mut Meter) {
    meter.run(|| {
        // Its reader takes text, so the check of the encoding is part of its work, as it is of ours.
        let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(&document.bytes).unwrap_or_default());
        let mut seen = 0usize;
        loop {
            match reader.read_event() {
                Ok(Event::Start(tag) | Event::Empty(tag)) => seen += tag.attributes().filter(Result::is_ok).count(),
                Ok(Event::Eof) | Err(_) => return seen,
                Ok(event) => seen += event.len(),
            }
        }
    });
}

fn roxmltree(document: &Large, meter: &mut Meter) {
    let text = String::from_utf8_lossy(&document.bytes);
    let options = || roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    meter.run(|| roxmltree::Document::parse_with_options(&text, options()));
}

fn libxml2(document: &Large, python: &Path, runs: usize) -> Result<Cost> {
    let answered = Command::new(python)
        .arg(LIBXML2)
        .arg(&document.path)
        .arg(runs.to_string())
        .output()
        .with_context(|| format!("starting {}", python.display()))?;
    ensure!(answered.status.success(), "{}", String::from_utf8_lossy(&answered.stderr).trim());
    let text = String::from_utf8(answered.stdout)?;
    let (nanoseconds, bytes) = text.trim().split_once(' ').context("two figures from libxml2")?;
    let bytes = bytes.parse()?;
    Ok(Cost { time: Duration::from_nanos(nanoseconds.parse()?), kept_bytes: bytes, peak_bytes: bytes })
}
