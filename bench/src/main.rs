//! How fast, and how small, beside its peers? Every verb measures one thing, prints a Markdown table, and says
//! whether the goals are met.

mod compare;
mod contest;
mod corpus;
mod folder;
mod measure;
mod pieces;
mod plot;
mod process;
mod report;
mod verbs;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: measure::Counting = measure::Counting;

/// Measures deltaic against its peers, once all are seen to do the same work.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// The folder of large documents, zstd-compressed.
    #[arg(long, global = true, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus-large"))]
    corpus: PathBuf,
    /// The folder of documents in all their versions.
    #[arg(long, global = true, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/corpus"))]
    histories: PathBuf,
    /// Runs of each; the best counts.
    #[arg(long, global = true, default_value_t = 7)]
    runs: usize,
    /// Only documents whose names contain this.
    #[arg(long, global = true, default_value = "")]
    only: String,
    /// Puts the result into this file as well, between the markers of the verb.
    #[arg(long, global = true)]
    markdown: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Verb {
    /// XML to hashed tree, beside quick-xml, roxmltree and libxml2.
    Parse {
        /// A Python with lxml, for libxml2.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../.cache/venv/bin/python"))]
        python: PathBuf,
    },
    /// HTML to hashed tree, beside html5ever with rcdom.
    Html,
    /// Two texts of a page to one with its changes marked, beside lxml, web-monitoring-diff and others.
    Htmldiff(verbs::HtmldiffOptions),
    /// What a saved document saves.
    Saved,
    /// Two files to a delta, whole process, beside GNU diff.
    Diff {
        /// The program to measure; without it the release build, made anew.
        #[arg(long)]
        deltaic: Option<PathBuf>,
    },
    /// Sizes of deltas over all histories, beside GNU diff's.
    Deltas,
    /// The thesis's figures 3.7, 3.8 and 3.9, as SVG with their data.
    Figures {
        /// Where they go; the `README.md` there gets the text.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/study"))]
        folder: PathBuf,
    },
    /// Good matching: time by number of leaves (figure 1 of its paper), and how far local optima are from global ones.
    Goodmatch {
        /// Where the figures go; the `goodmatch.md` there gets the text.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/study"))]
        folder: PathBuf,
    },
    /// Sizes of good matching's deltas by its weights, over the HTML histories.
    GoodmatchWeights,
    /// Documents per second by keys, and KF-Diff+'s figures 5, 6 and 7, as SVG with their data.
    Kfdiff {
        /// Where they go; the `kfdiff.md` there gets the text.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/study"))]
        folder: PathBuf,
        /// Documents of each kind; fewer are quicker and say less.
        #[arg(long, default_value_t = DOCUMENTS)]
        documents: usize,
        /// Prints the documents per second and draws nothing.
        #[arg(long)]
        speed: bool,
    },
    /// Many versions of many documents by how they are kept: bytes, time to write all, time to read any.
    Storage {
        /// Where the figures go; the `storage.md` there gets the text.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/study"))]
        folder: PathBuf,
    },
    /// The store over all histories: size beside git's, time to record, to read, to ask; on both engines.
    Store(verbs::StoreOptions),
    /// All algorithms, and their peers, over real and simulated changes: time, memory, and cost against the optimum.
    Study(Box<verbs::StudyOptions>),
    /// The minimum in Tai's model on trees of all shapes, beside APTED's programs in Java and of PyPI.
    Ted(verbs::TedOptions),
    /// How good the default is on pairs that nothing was chosen by: other versions, large documents, other chances.
    HeldOut {
        /// Where all that is found is kept.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../target/study/held-out.tsv"))]
        results: PathBuf,
        /// The page that gets the result.
        #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/study/matchers.md"))]
        page: PathBuf,
    },
    /// Lets those that a verb compares take turns at a file, and prints what they saw and what each of them cost.
    #[command(name = contest::CONTEST, hide = true)]
    Contest { name: String, file: PathBuf },
    /// Runs one program and prints its CPU time in nanoseconds, its peak memory in bytes, and how it ended.
    #[command(name = process::ALONE, hide = true)]
    Alone {
        output: PathBuf,
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<OsString>,
    },
}

/// How many documents of each kind say how fast keys are.
const DOCUMENTS: usize = 1_000;

fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let (corpus, histories) = (arguments.corpus.as_path(), arguments.histories.as_path());
    let study = verbs::Study { runs: arguments.runs.max(1), corpus, histories, only: &arguments.only };
    let timed = format!("CPU time, best of {} runs of each.", study.runs);
    let mut markdown = arguments.markdown;
    let mut is_sound = true;
    let (name, how, body) = match &arguments.verb {
        Verb::Parse { python } => ("parse", timed, verbs::parse(&study, python)?),
        Verb::Html => ("html", timed, verbs::html(&study)?),
        Verb::Htmldiff(options) => ("htmldiff", timed, verbs::htmldiff(&study, options)?),
        Verb::Saved => ("saved", timed, verbs::saved(&study)?),
        Verb::Diff { deltaic } => ("diff", timed, verbs::diff(&study, deltaic.as_deref())?),
        Verb::Deltas => ("deltas", "One run.".to_owned(), verbs::deltas(&study)?),
        Verb::Figures { folder } => {
            markdown = markdown.or_else(|| Some(folder.join("README.md")));
            ("figures", timed, verbs::figures(&study, folder)?)
        }
        Verb::Goodmatch { folder } => {
            markdown = markdown.or_else(|| Some(folder.join("goodmatch.md")));
            ("goodmatch", timed, verbs::goodmatch(&study, folder)?)
        }
        Verb::GoodmatchWeights => ("goodmatch-weights", "One run.".to_owned(), verbs::weights(&study)?),
        Verb::Kfdiff { folder, documents, speed } => {
            let folder = (!speed).then_some(folder.as_path());
            markdown = markdown.or_else(|| Some(folder?.join("kfdiff.md")));
            ("kfdiff", timed, verbs::kfdiff(&study, folder, (*documents).max(1))?)
        }
        Verb::Storage { folder } => {
            markdown = markdown.or_else(|| Some(folder.join("storage.md")));
            ("storage", "CPU time.".to_owned(), verbs::storage(&study, folder)?)
        }
        Verb::Store(options) => ("store", "One run.".to_owned(), verbs::store(&study, options)?),
        Verb::Study(options) => {
            markdown = markdown.or_else(|| options.page());
            let told = verbs::study(&study, options)?;
            is_sound = told.is_sound;
            if let Some(folder) = options.papers() {
                let pages = [
                    ("kfdiff", verbs::kfdiff(&study, Some(&folder), DOCUMENTS)?),
                    ("goodmatch", verbs::goodmatch(&study, &folder)?),
                ];
                for (name, body) in pages {
                    let page = folder.join(format!("{name}.md"));
                    report::put(&page, name, &report::section(name, &timed, &body))?;
                }
            }
            ("study", timed, told.body)
        }
        Verb::HeldOut { results, page } => {
            markdown = markdown.or_else(|| Some(page.clone()));
            ("held-out", timed, verbs::held_out(&study, results)?)
        }
        Verb::Ted(options) => {
            markdown = markdown.or_else(|| Some(options.page.clone()));
            ("ted", timed, verbs::ted(&study, options)?)
        }
        Verb::Contest { name, file } => return verbs::contest(name, file, study.runs).map(|()| ExitCode::SUCCESS),
        Verb::Alone { output, command } => return process::alone(output, command).map(|()| ExitCode::SUCCESS),
    };
    let section = report::section(name, &how, &body);
    print!("{section}");
    let marker = format!("{name}{}", measure::ALLOCATOR_MARKER);
    markdown.map_or(Ok(()), |path| report::put(&path, &marker, &section))?;
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
