//! How much does a saved document save? Parsing against saving, opening, and opening with all its checks.

use anyhow::Result;
use treediff::parse::{self, Options};
use treediff::tree::Saved;

use super::{Contender, Study};
use crate::corpus::{self, Large};
use crate::measure::Meter;
use crate::report::{self, Table};

const CONTENDERS: [Contender; 4] = [
    Contender { name: "parse", run: parse },
    Contender { name: "save", run: save },
    Contender { name: "open", run: open },
    Contender { name: "open and check", run: check },
];

pub fn saved(study: &Study<'_>) -> Result<String> {
    let documents = corpus::documents(study.corpus, "xml", study.only)?;
    let bar = study.progress(documents.len(), CONTENDERS.len());
    let mut table = Table::new(&["ms", "MB", "parse", "save", "open", "of parsing", "open and check", "of parsing"]);
    for document in &documents {
        let costs = study.contest(document, CONTENDERS, &bar);
        let [parse, save, open, check] = costs.map(|cost| cost.time.as_secs_f64() * 1e3);
        table.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            format!("{parse:.1}"),
            format!("{save:.1}"),
            format!("{open:.4}"),
            report::percent_below(open / parse, 0.01),
            format!("{check:.1}"),
            format!("{:.0} %", 100.0 * check / parse),
        ]);
    }
    bar.finish_and_clear();
    Ok(format!("{}\n{CAPTION}\n", table.finish()))
}

const CAPTION: &str = "\
Bytes are in memory in all cases. Opening reads the header; the checks go over everything, as for a file of strangers.";

fn parsed(document: &Large) -> Option<treediff::tree::Document> {
    parse::xml(document.bytes.clone(), &Options::default()).ok().map(|parsed| parsed.document)
}

fn parse(document: &Large, meter: &mut Meter) {
    let source = document.bytes.clone();
    let options = Options::default();
    meter.run(|| parse::xml(source, &options));
}

fn save(document: &Large, meter: &mut Meter) {
    let parsed = parsed(document);
    meter.run(|| parsed.as_ref().map(|parsed| parsed.save()));
}

fn open(document: &Large, meter: &mut Meter) {
    let Some(bytes) = parsed(document).map(|parsed| parsed.save()) else { return };
    meter.run(|| Saved::open(bytes));
}

fn check(document: &Large, meter: &mut Meter) {
    let Some(bytes) = parsed(document).map(|parsed| parsed.save()) else { return };
    meter.run(|| Saved::open(bytes).and_then(|saved| saved.document()));
}
