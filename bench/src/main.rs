//! How fast, and how small, beside its peers? Every verb measures one thing, prints a Markdown table, and says
//! whether the goals are met.

mod corpus;
mod measure;
mod report;
mod verbs;

use std::path::PathBuf;

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
    /// What a saved document saves.
    Saved,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let study = verbs::Study { runs: arguments.runs.max(1), corpus: &arguments.corpus, only: &arguments.only };
    let (name, body) = match &arguments.verb {
        Verb::Parse { python } => ("parse", verbs::parse(&study, python)?),
        Verb::Html => ("html", verbs::html(&study)?),
        Verb::Saved => ("saved", verbs::saved(&study)?),
    };
    let section = report::section(name, study.runs, &body);
    print!("{section}");
    arguments.markdown.as_deref().map_or(Ok(()), |path| report::put(path, name, &section))
}
