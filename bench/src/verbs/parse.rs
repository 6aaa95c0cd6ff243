//! How fast does XML become a hashed tree, beside those who make events or a tree of it?

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use quick_xml::events::Event;
use quick_xml::events::attributes::Attribute;
use treediff::parse::{self, Options};

use super::Study;
use crate::contest::{Contender, Contest, Seen};
use crate::corpus::{self, Large};
use crate::measure::{ALLOCATOR_NAME, Cost, Meter};
use crate::report::{self, Table};

pub(super) const CONTEST: Contest<3> = Contest {
    name: "parse",
    contenders: [
        Contender { name: "deltaic", run: deltaic, count: count_deltaic },
        Contender { name: "quick-xml", run: quick_xml, count: count_quick_xml },
        Contender { name: "roxmltree", run: roxmltree, count: count_roxmltree },
    ],
};

/// libxml2 is asked through lxml, in a process of its own.
const LIBXML2: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/peers/libxml2.py");

pub fn parse(study: &Study<'_>, python: &Path) -> Result<String> {
    let documents = corpus::documents(study.corpus, "xml", study.only)?;
    let bar = study.bar(documents.len());
    let heads = ["MB/s", "MB", "elements", "attributes", "deltaic", "quick-xml", "", "roxmltree", "", "libxml2", ""];
    let mut speed = Table::new(&heads);
    let mut memory = Table::new(&["memory / input", "deltaic", "peak", "roxmltree", "peak", "libxml2"]);
    let has_libxml2 = python.exists();
    if !has_libxml2 {
        eprintln!("libxml2 is left out: there is no {}", python.display());
    }
    for document in &documents {
        bar.set_message(document.name.clone());
        let ([ours, events, dom], seen) = CONTEST.run(&document.path, study.runs)?;
        let libxml2 = has_libxml2.then(|| libxml2(document, python, study.runs, seen)).transpose()?;
        let size = document.bytes;
        let rate = |cost: &Cost| format!("{:.0}", cost.rate(size));
        let lead = |peer: &Cost| peer.time.as_secs_f64() / ours.time.as_secs_f64();
        speed.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            seen.elements.to_string(),
            seen.attributes.to_string(),
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
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(format!(
        "{}\n{CAPTION} Allocated is by\n{ALLOCATOR_NAME}, for every document in a process of its own.\n\n{}",
        speed.finish(),
        memory.finish()
    ))
}

const CAPTION: &str = "\
deltaic: tree and subtree hashes. quick-xml: events with their attributes, no tree. roxmltree and libxml2: a DOM. All\n\
begin with bytes, so that the check that they are UTF-8 is part of the work, and see so many elements and attributes.\n\
deltaic, quick-xml and roxmltree take turns; libxml2 runs behind them, in a process of its own. Behind each peer stands\n\
how many times as fast deltaic is. Memory is that of the tree beyond the source, and the peak while it is made; of\n\
libxml2 the growth of its process.";

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

fn deltaic(document: &[u8], meter: &mut Meter) -> Result<()> {
    let source = document.to_vec();
    let options = Options::default();
    meter.run(|| Ok(parse::xml(source, &options)?))
}

fn count_deltaic(document: &[u8]) -> Result<Seen> {
    let parsed = parse::xml(document.to_vec(), &Options::default())?;
    Ok(Seen::in_document(&parsed.document))
}

fn quick_xml(document: &[u8], meter: &mut Meter) -> Result<()> {
    meter.run(|| read_events(document, |_| true))
}

fn count_quick_xml(document: &[u8]) -> Result<Seen> {
    read_events(document, |attribute| attribute.key.as_namespace_binding().is_none())
}

/// `counts` says which attributes count, since telling them apart is not quick-xml's work.
fn read_events(document: &[u8], counts: impl Fn(&Attribute<'_>) -> bool) -> Result<Seen> {
    // Its reader takes text, so the check of the encoding is part of its work, as it is of ours.
    let mut reader = quick_xml::Reader::from_str(std::str::from_utf8(document)?);
    let mut seen = Seen::default();
    loop {
        match reader.read_event()? {
            Event::Start(tag) | Event::Empty(tag) => {
                let mut attributes = 0;
                for attribute in tag.attributes() {
                    attributes += usize::from(counts(&attribute?));
                }
                seen = seen.and_element(attributes);
            }
            Event::Eof => return Ok(seen),
            event => {
                std::hint::black_box(event.len());
            }
        }
    }
}

fn roxmltree(document: &[u8], meter: &mut Meter) -> Result<()> {
    meter.run(|| dom(document))
}

fn count_roxmltree(document: &[u8]) -> Result<Seen> {
    let dom = dom(document)?;
    let elements = dom.descendants().filter(|node| node.is_element());
    Ok(elements.fold(Seen::default(), |seen, element| seen.and_element(element.attributes().len())))
}

/// It takes text as well, so here too the check of the encoding is part of the work.
fn dom(document: &[u8]) -> Result<roxmltree::Document<'_>> {
    let text = std::str::from_utf8(document)?;
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    Ok(roxmltree::Document::parse_with_options(text, options)?)
}

fn libxml2(document: &Large, python: &Path, runs: usize, expected: Seen) -> Result<Cost> {
    let answered = Command::new(python)
        .arg(LIBXML2)
        .arg(&document.path)
        .arg(runs.to_string())
        .output()
        .with_context(|| format!("starting {}", python.display()))?;
    let complaint = String::from_utf8_lossy(&answered.stderr);
    ensure!(answered.status.success(), "{}: libxml2 failed: {}", document.name, complaint.trim());
    let text = String::from_utf8(answered.stdout)?;
    let figures = text.split_whitespace().map(str::parse).collect::<Result<Vec<u64>, _>>()?;
    let [nanoseconds, bytes, elements, attributes] = figures[..] else {
        bail!("expected four figures from libxml2, found `{}`", text.trim());
    };
    let seen = Seen { elements: elements as usize, attributes: attributes as usize };
    ensure!(seen == expected, "{}: deltaic sees {expected:?}, and libxml2 {seen:?}", document.name);
    Ok(Cost { time: Duration::from_nanos(nanoseconds), kept_bytes: bytes as i64, peak_bytes: bytes as i64 })
}
