//! What is there to measure? One module per question.

mod deltas;
mod diff;
mod figures;
mod goodmatch;
mod html;
mod htmldiff;
mod kfdiff;
mod parse;
mod saved;
mod storage;
mod store;
mod study;
mod ted;

pub use deltas::deltas;
pub use diff::diff;
pub use figures::figures;
pub use goodmatch::{goodmatch, weights};
pub use html::html;
pub use htmldiff::{Options as HtmldiffOptions, htmldiff};
pub use kfdiff::kfdiff;
pub use parse::parse;
pub use saved::saved;
pub use storage::storage;
pub use store::{Options as StoreOptions, store};
pub use study::{Options as StudyOptions, held_out, study};
pub use ted::{Options as TedOptions, ted};

use std::path::Path;

use anyhow::{Context, Result, ensure};
use indicatif::{ProgressBar, ProgressStyle};

use crate::corpus::Large;
use crate::measure::{Cost, Meter};
use treediff::tree::Document;

/// What every verb is told.
pub struct Study<'a> {
    pub runs: usize,
    pub corpus: &'a Path,
    /// The folder of documents with all their versions.
    pub histories: &'a Path,
    pub only: &'a str,
}

/// One of those that are compared: it prepares what it needs and lets the meter run its work.
struct Contender {
    name: &'static str,
    run: fn(&Large, &mut Meter) -> Result<()>,
    /// Does the same work once, and says what came of it.
    count: fn(&Large) -> Result<Seen>,
}

/// What a contender has seen in a document; all must agree. Declarations of namespaces are no attributes here.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Seen {
    elements: usize,
    attributes: usize,
}

impl Seen {
    fn in_document(document: &Document) -> Self {
        let elements = document.nodes().filter(|node| node.is_element());
        elements.fold(Seen::default(), |seen, element| seen.and_element(element.attributes().count()))
    }

    fn and_element(self, attributes: usize) -> Self {
        Seen { elements: self.elements + 1, attributes: self.attributes + attributes }
    }
}

impl Study<'_> {
    /// Runs all contenders in turn, so that whatever disturbs the machine disturbs all of them alike. Before that, all
    /// must have seen the same.
    fn contest<const N: usize>(
        &self,
        document: &Large,
        contenders: &[Contender; N],
        bar: &ProgressBar,
    ) -> Result<([Cost; N], Seen)> {
        bar.set_prefix(document.name.clone());
        let seen = agreed(document, contenders)?;
        let mut meters: [Meter; N] = std::array::from_fn(|_| Meter::new());
        // The first run warms up the allocator, and the one behind the timed ones counts memory.
        for run in 0..self.runs + 2 {
            for (meter, contender) in meters.iter_mut().zip(contenders) {
                bar.set_message(contender.name);
                if run == self.runs + 1 {
                    meter.count_memory();
                }
                (contender.run)(document, meter).with_context(|| failed(document, contender.name))?;
                bar.inc(1);
            }
        }
        Ok((meters.map(|meter| meter.cost()), seen))
    }

    fn progress(&self, documents: usize, contenders: usize) -> ProgressBar {
        self.bar(documents * contenders * (self.runs + 2))
    }

    fn bar(&self, steps: usize) -> ProgressBar {
        let bar = ProgressBar::new(steps as u64);
        match ProgressStyle::with_template("{bar:30} {pos}/{len} {prefix} {msg} {eta}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}

fn agreed(document: &Large, contenders: &[Contender]) -> Result<Seen> {
    let mut first: Option<(&str, Seen)> = None;
    for Contender { name, count, .. } in contenders {
        let seen = count(document).with_context(|| failed(document, name))?;
        let &mut (other, expected) = first.get_or_insert((name, seen));
        ensure!(seen == expected, "{}: {other} sees {expected:?}, and {name} {seen:?}", document.name);
    }
    Ok(first.map(|(_, seen)| seen).unwrap_or_default())
}

fn failed(document: &Large, contender: &str) -> String {
    format!("{}: {contender} failed", document.name)
}
