//! How much does a saved document save? Parsing against saving, opening, reading one record, and opening with all checks.

use anyhow::{Result, ensure};
use treediff::parse::{self, Options};
use treediff::tree::{Document, Saved, SavedError, SavedNode};

use super::Study;
use crate::contest::{Contender, Contest, Seen};
use crate::corpus;
use crate::measure::Meter;
use crate::report::{self, Table};

/// The most nodes that a record has.
const RECORD_NODES: u32 = 100;

pub(super) const CONTEST: Contest<5> = Contest {
    name: "saved",
    contenders: [
        Contender { name: "parse", run: parse, count: count_parsed },
        Contender { name: "save", run: save, count: count_saved },
        Contender { name: "open", run: open, count: count_saved },
        Contender { name: "open and read", run: read, count: count_parsed },
        Contender { name: "open and check", run: check, count: count_saved },
    ],
};

pub fn saved(study: &Study<'_>) -> Result<String> {
    let documents = corpus::documents(study.corpus, "xml", study.only)?;
    let bar = study.bar(documents.len());
    let mut table = Table::new(&[
        "ms",
        "MB",
        "elements",
        "attributes",
        "parse",
        "save",
        "open (header only)",
        "of parsing",
        "open and read one record, checked",
        "of parsing",
        "open and check (a `Document`)",
        "of parsing",
    ]);
    for document in &documents {
        bar.set_message(document.name.clone());
        let (costs, seen) = CONTEST.run(&document.path, study.runs)?;
        let [parse, save, open, read, check] = costs.map(|cost| cost.time.as_secs_f64() * 1e3);
        table.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            seen.elements.to_string(),
            seen.attributes.to_string(),
            format!("{parse:.1}"),
            format!("{save:.1}"),
            format!("{open:.4}"),
            format!("{:.3} %", 100.0 * open / parse),
            format!("{read:.4}"),
            report::below(read / parse, 0.01),
            format!("{check:.1}"),
            format!("{:.0} %", 100.0 * check / parse),
        ]);
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(format!("{}\n{CAPTION}\n", table.finish()))
}

const CAPTION: &str = "\
Bytes are in memory in all cases, and all take turns. Opening reads the header and answers whether anything has changed.\n\
The record is the smallest subtree of at most 100 nodes that has the node in the middle of the document, or a leaf: it is\n\
reached from the root, child by child, and becomes a `Document` of its own; all bytes that are read for it are compared\n\
with their checksums. How much that is goes by the number of siblings that are passed. A `Document` of the whole, whose\n\
checks go over everything as for a file of strangers, costs the last column.";

fn parse(document: &[u8], meter: &mut Meter) -> Result<()> {
    let source = document.to_vec();
    let options = Options::default();
    meter.run(|| Ok(parse::xml(source, &options)?))
}

fn save(document: &[u8], meter: &mut Meter) -> Result<()> {
    let parsed = parsed(document)?;
    meter.run(|| Ok(parsed.save()))
}

fn open(document: &[u8], meter: &mut Meter) -> Result<()> {
    let bytes = parsed(document)?.save();
    meter.run(|| Ok(Saved::open(bytes)?))
}

fn read(document: &[u8], meter: &mut Meter) -> Result<()> {
    let bytes = parsed(document)?.save();
    meter.run(|| {
        let saved = Saved::open(bytes)?;
        let record = record(&saved)?.document()?;
        // What it takes to give the whole memory back is no part of it.
        Ok((record, saved))
    })
}

/// The record in the middle.
fn record(saved: &Saved) -> Result<SavedNode<'_>, SavedError> {
    let middle = saved.node_count() / 2;
    let mut record = saved.root()?;
    while record.size() > RECORD_NODES {
        let around = |child: &SavedNode<'_>| child.id().index() + child.size() as usize > middle;
        let found = record.children().find(|child| child.as_ref().map_or(true, around));
        let Some(child) = found.transpose()?.filter(|child| child.id().index() <= middle) else { break };
        record = child;
    }
    Ok(record)
}

fn check(document: &[u8], meter: &mut Meter) -> Result<()> {
    let bytes = parsed(document)?.save();
    meter.run(|| Ok(Saved::open(bytes)?.document()?))
}

fn parsed(document: &[u8]) -> Result<Document> {
    Ok(parse::xml(document.to_vec(), &Options::default())?.document)
}

fn count_parsed(document: &[u8]) -> Result<Seen> {
    Ok(Seen::in_document(&parsed(document)?))
}

fn count_saved(document: &[u8]) -> Result<Seen> {
    let saved = Saved::open(parsed(document)?.save())?;
    let opened = saved.document()?;
    let record = record(&saved)?;
    let is_same = record.document()?.root().first_child().is_some_and(|top| top.same_content(opened.node(record.id())));
    ensure!(is_same, "the record is not what was saved");
    ensure!(saved.node_count() == opened.len(), "the header counts {} nodes of {}", saved.node_count(), opened.len());
    Ok(Seen::in_document(&opened))
}
