//! How fast does HTML become a hashed tree, beside html5ever with its reference-counted DOM?

use anyhow::Result;
use html5ever::tendril::TendrilSink;
use markup5ever_rcdom::{NodeData, RcDom};
use treediff::parse::{self, Options};

use super::Study;
use crate::contest::{Contender, Contest, Seen};
use crate::corpus;
use crate::measure::{ALLOCATOR_NAME, Meter};
use crate::report::{self, Table};

pub(super) const CONTEST: Contest<2> = Contest {
    name: "html",
    contenders: [
        Contender { name: "deltaic", run: deltaic, count: count_deltaic },
        Contender { name: "html5ever", run: html5ever, count: count_html5ever },
    ],
};

pub fn html(study: &Study<'_>) -> Result<String> {
    let documents = corpus::documents(study.corpus, "html", study.only)?;
    let bar = study.bar(documents.len());
    let mut speed = Table::new(&["MB/s", "MB", "elements", "attributes", "deltaic", "html5ever + rcdom", ""]);
    let mut memory =
        Table::new(&["memory / input", "deltaic", "peak", "html5ever + rcdom", "peak", "deltaic / theirs"]);
    for document in &documents {
        bar.set_message(document.name.clone());
        let ([ours, theirs], seen) = CONTEST.run(&document.path, study.runs)?;
        let size = document.bytes;
        speed.row(&[
            document.name.clone(),
            format!("{:.1}", document.megabytes()),
            seen.elements.to_string(),
            seen.attributes.to_string(),
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
deltaic: encoding, tree and subtree hashes. html5ever 0.39 with markup5ever_rcdom 0.39: text to tree. Both see so many\n\
elements and attributes, and take turns. Memory is that of the tree beyond the source, and the peak while it is made.";

fn deltaic(document: &[u8], meter: &mut Meter) -> Result<()> {
    let source = document.to_vec();
    let options = Options::default();
    meter.run(|| Ok(parse::html(source, &options)?))
}

fn count_deltaic(document: &[u8]) -> Result<Seen> {
    let parsed = parse::html(document.to_vec(), &Options::default())?;
    Ok(Seen::in_document(&parsed.document))
}

fn html5ever(document: &[u8], meter: &mut Meter) -> Result<()> {
    meter.run(|| Ok(tree(document)))
}

fn tree(document: &[u8]) -> RcDom {
    let parser = html5ever::parse_document(RcDom::default(), html5ever::ParseOpts::default());
    parser.from_utf8().one(document)
}

fn count_html5ever(document: &[u8]) -> Result<Seen> {
    let dom = tree(document);
    let mut seen = Seen::default();
    let mut pending = vec![dom.document.clone()];
    while let Some(node) = pending.pop() {
        if let NodeData::Element { attrs, template_contents, .. } = &node.data {
            seen = seen.and_element(attrs.borrow().len());
            pending.extend(template_contents.borrow().clone());
        }
        pending.extend(node.children.borrow().iter().cloned());
    }
    Ok(seen)
}
