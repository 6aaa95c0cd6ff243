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

use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};

/// Lets those that a verb compares take turns at a document in this process.
pub fn contest(name: &str, file: &Path, runs: usize) -> Result<()> {
    match name {
        _ if name == parse::CONTEST.name => parse::CONTEST.run_here(file, runs),
        _ if name == html::CONTEST.name => html::CONTEST.run_here(file, runs),
        _ if name == saved::CONTEST.name => saved::CONTEST.run_here(file, runs),
        _ => bail!("nothing is compared under the name `{name}`"),
    }
}

/// What every verb is told.
pub struct Study<'a> {
    pub runs: usize,
    pub corpus: &'a Path,
    /// The folder of documents with all their versions.
    pub histories: &'a Path,
    pub only: &'a str,
}

impl Study<'_> {
    fn bar(&self, steps: usize) -> ProgressBar {
        let bar = ProgressBar::new(steps as u64);
        match ProgressStyle::with_template("{bar:30} {pos}/{len} {prefix} {msg} {eta}") {
            Ok(style) => bar.with_style(style),
            Err(_) => bar,
        }
    }
}
