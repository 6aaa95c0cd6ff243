//! How large is a document, and what is it made of?

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use treediff::parse::Parsed;
use treediff::tree::{Document, Kind};

use crate::input;
use crate::node_record::{kind_name, write_line};
use crate::tree::with_depth;

#[derive(Debug, Serialize)]
struct Stats {
    format: &'static str,
    encoding: &'static str,
    bytes: usize,
    nodes: usize,
    kinds: BTreeMap<&'static str, usize>,
    depth: usize,
    names: usize,
    attributes: usize,
    memory_bytes: usize,
    hash: String,
    issues: usize,
}

pub fn write(parsed: &Parsed, json: bool, out: &mut impl Write) -> io::Result<()> {
    let stats = Stats::new(parsed);
    if json { write_line(&stats, out) } else { stats.write_table(out) }
}

impl Stats {
    fn new(parsed: &Parsed) -> Self {
        let document = &parsed.document;
        Stats {
            format: input::name(document.format()),
            encoding: document.encoding(),
            bytes: document.source().len(),
            nodes: document.len(),
            kinds: kinds(document),
            depth: with_depth(document).map(|(depth, _)| depth).max().unwrap_or(0),
            names: document.names().len() - 1,
            attributes: document.nodes().map(|node| node.attribute_count() as usize).sum(),
            memory_bytes: document.heap_bytes(),
            hash: format!("{:016x}", document.root().hash()),
            issues: parsed.issues.len(),
        }
    }

    fn write_table(&self, out: &mut impl Write) -> io::Result<()> {
        let mut row = |name: &str, value: &dyn Display| writeln!(out, "{name:<26}{value}");
        row("format", &self.format)?;
        row("encoding", &self.encoding)?;
        row("bytes", &self.bytes)?;
        row("nodes", &self.nodes)?;
        for (kind, count) in &self.kinds {
            row(&format!("  {kind}"), count)?;
        }
        row("depth", &self.depth)?;
        row("names", &self.names)?;
        row("attributes", &self.attributes)?;
        row("bytes beyond the source", &self.memory_bytes)?;
        row("hash", &self.hash)?;
        row("issues", &self.issues)
    }
}

fn kinds(document: &Document) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    let all = document.labels().iter().map(|label| label.kind()).filter(|&kind| kind != Kind::Document);
    all.for_each(|kind| *kinds.entry(kind_name(kind)).or_default() += 1);
    kinds
}
