//! How fast does HTML become a hashed tree, beside html5ever with its reference-counted DOM?

use anyhow::Result;
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::RcDom;
use treediff::parse::{self, Options};

use super::{Contender, Study};
use crate::corpus::{self, Large};
use crate::measure::Meter;
use crate::report::{self, Table};

const CONTENDERS: [Contender; 2] =
    [Contender { name: "deltaic", run: deltaic }, Contender { name: "html5ever", run: html5ever }];

pub fn html(study: &Study<'_>) -> Result<String> {
    let documents = corpus::documents(study.corpus, "html", study.only)?;
    let bar = study.progress(documents.len(), CONTENDERS.len());
    let mut speed = Table::new(&["MB/s", "MB", "deltaic", "html5ever + rcdom", ""]);
    let mut memory =
        Table::new(&["memory / input", "deltaic", "peak", "html5ever + rcdom", "peak", "deltaic / theirs"]);
    for document in &documents {
        let [ours, theirs] = study.contest(document, CONTENDERS, &bar);
        let size = document.bytes.len();
        speed.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            format!("{:.0}", ours.rate(size)),
            format!("{:.0}", theirs.rate(size)),
            report::at_least(theirs.time.as_secs_f64() / ours.time.as_secs_f64(), 1.5),
        ]);
        let (kept, peak) = ours.memory(size);
        let (their_kept, their_peak) = theirs.memory(size);
        memory.row(&[
            document.name.clone(),
            format!("{kept:.2}x"),
            format!("{peak:.2}x"),
            format!("{their_kept:.2}x"),
            format!("{their_peak:.2}x"),
            report::at_most(kept / their_kept, 1.0 / 3.0),
        ]);
    }
    bar.finish_and_clear();
    Ok(format!("{}\n{CAPTION}\n\n{}", speed.finish(), memory.finish()))
}

const CAPTION: &str = "\
deltaic: encoding, tree and subtree hashes. html5ever 0.39 with markup5ever_rcdom 0.39: text to tree. Memory is\n\
that of the tree beyond the source, and the peak while it is made.";

fn deltaic(document: &Large, meter: &mut Meter) {
    let source = document.bytes.clone();
    let options = Options::default();
    meter.run(|| parse::html(source, &options));
}

fn html5ever(document: &Large, meter: &mut Meter) {
    meter.run(|| {
        let parser = html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default());
        parser.from_utf8().one(document.bytes.as_slice())
    });
}
