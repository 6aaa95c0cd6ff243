//! How much does a saved document save? Parsing against saving, opening, and opening with all its checks.

use anyhow::{Result, ensure};
use treediff::parse::{self, Options};
use treediff::tree::{Document, Saved};

use super::{Contender, Seen, Study};
use crate::corpus::{self, Large};
use crate::measure::Meter;
use crate::report::{self, Table};

const CONTENDERS: [Contender; 4] = [
    Contender { name: "parse", run: parse, count: count_parsed },
    Contender { name: "save", run: save, count: count_saved },
    Contender { name: "open", run: open, count: count_saved },
    Contender { name: "open and check", run: check, count: count_saved },
];

pub fn saved(study: &Study<'_>) -> Result<String> {
    let documents = corpus::documents(study.corpus, "xml", study.only)?;
    let bar = study.progress(documents.len(), CONTENDERS.len());
    let mut table = Table::new(&[
        "ms",
        "MB",
        "elements",
        "attributes",
        "parse",
        "save",
        "open (header only)",
        "of parsing",
        "open and check (a `Document`)",
        "of parsing",
    ]);
    for document in &documents {
        let (costs, seen) = study.contest(document, &CONTENDERS, &bar)?;
        let [parse, save, open, check] = costs.map(|cost| cost.time.as_secs_f64() * 1e3);
        table.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            seen.elements.to_string(),
            seen.attributes.to_string(),
            format!("{parse:.1}"),
            format!("{save:.1}"),
            format!("{open:.4}"),
            report::opening_below(open / parse, 0.01),
            format!("{check:.1}"),
            format!("{:.0} %", 100.0 * check / parse),
        ]);
    }
    bar.finish_and_clear();
    Ok(format!("{}\n{CAPTION}\n", table.finish()))
}

const CAPTION: &str = "\
Bytes are in memory in all cases, and all take turns. The goal of 1 % is met or missed by opening, which reads the\n\
header and answers whether anything has changed; a `Document`, whose checks go over everything as for a file of\n\
strangers, costs the other column.";

fn parse(document: &Large, meter: &mut Meter) -> Result<()> {
    let source = document.bytes.clone();
    let options = Options::default();
    meter.run(|| Ok(parse::xml(source, &options)?))
}

fn save(document: &Large, meter: &mut Meter) -> Result<()> {
    let parsed = parsed(document)?;
    meter.run(|| Ok(parsed.save()))
}

fn open(document: &Large, meter: &mut Meter) -> Result<()> {
    let bytes = parsed(document)?.save();
    meter.run(|| Ok(Saved::open(bytes)?))
}

fn check(document: &Large, meter: &mut Meter) -> Result<()> {
    let bytes = parsed(document)?.save();
    meter.run(|| Ok(Saved::open(bytes)?.document()?))
}

fn parsed(document: &Large) -> Result<Document> {
    Ok(parse::xml(document.bytes.clone(), &Options::default())?.document)
}

fn count_parsed(document: &Large) -> Result<Seen> {
    Ok(Seen::in_document(&parsed(document)?))
}

fn count_saved(document: &Large) -> Result<Seen> {
    let saved = Saved::open(parsed(document)?.save())?;
    let opened = saved.document()?;
    ensure!(saved.node_count() == opened.len(), "the header counts {} nodes of {}", saved.node_count(), opened.len());
    Ok(Seen::in_document(&opened))
}
