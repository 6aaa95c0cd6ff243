//! What do the thesis's figures look like with this program? 3.7, 3.8 and 3.9, drawn from runs.

mod phases;
mod quality;
mod real;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use treediff::tree::Document;

use super::Study;
use crate::corpus;
use crate::plot::Plot;
use crate::{compare, pieces};

pub fn figures(study: &Study<'_>, folder: &Path) -> Result<String> {
    written(&[phases::figure(study)?, quality::figure(study)?, real::figure(study)?], folder)
}

/// Writes figures and their data into a folder, and gives the text that shows them.
pub(super) fn written(figures: &[Figure], folder: &Path) -> Result<String> {
    fs::create_dir_all(folder)?;
    let mut body = String::new();
    for Figure { plots, table, text } in figures {
        for (name, plot) in plots {
            fs::write(folder.join(format!("{name}.svg")), plot.svg())?;
            body.push_str(&format!("![{}]({name}.svg)\n\n", plot.title));
        }
        let name = plots.first().map_or("", |(name, _)| name);
        fs::write(folder.join(format!("{name}.tsv")), table)?;
        body.push_str(&format!("{text} Data: [{name}.tsv]({name}.tsv).\n\n"));
    }
    Ok(body)
}

/// A figure: what is drawn, by file name; the data; and what was found.
pub(super) struct Figure {
    pub(super) plots: Vec<(&'static str, Plot)>,
    pub(super) table: String,
    pub(super) text: String,
}

/// A document to simulate changes on.
pub struct Sample {
    pub name: String,
    pub document: Arc<Document>,
}

impl Sample {
    pub fn bytes(&self) -> usize {
        self.document.source().len()
    }
}

/// XML documents of about the given sizes: of the histories below a megabyte, above it pieces of a large one.
pub fn samples(study: &Study<'_>, sizes: &[usize]) -> Result<Vec<Sample>> {
    let (small, large): (Vec<usize>, Vec<usize>) = sizes.iter().partition(|size| **size < 1_000_000);
    let mut samples = real_samples(study, &small)?;
    if !large.is_empty() {
        let document = cut(study)?;
        for size in large {
            samples.push(piece(&document, pieces::children_for(&document, size))?);
        }
    }
    Ok(samples)
}

/// A piece of the large document with at least so many nodes.
pub fn sample_of_nodes(study: &Study<'_>, nodes: usize) -> Result<Sample> {
    let document = cut(study)?;
    let root = document.root_element().context("a document without a root element")?;
    let mut found = 1;
    let is_enough = |child: treediff::tree::Node<'_>| {
        found += child.size() as usize;
        found >= nodes
    };
    let count = root.children().position(is_enough).map_or(usize::MAX, |at| at + 1);
    piece(&document, count)
}

const CUT: &str = "cldr-concat-100MB";

fn cut(study: &Study<'_>) -> Result<Arc<Document>> {
    let whole = corpus::documents(study.corpus, "xml", CUT)?;
    compare::read(&whole.first().with_context(|| format!("no {CUT}"))?.path)
}

fn piece(document: &Document, count: usize) -> Result<Sample> {
    let parsed = treediff::parse::xml(pieces::with_children(document, count)?, &Default::default())?;
    Ok(Sample { name: CUT.to_owned(), document: Arc::new(parsed.document) })
}

/// For each size the newest version of a history whose length is nearest to it.
fn real_samples(study: &Study<'_>, sizes: &[usize]) -> Result<Vec<Sample>> {
    let mut files = Vec::new();
    for history in corpus::histories(study.histories, study.only)?.into_iter().filter(|history| !history.is_html()) {
        let Some(file) = history.files.last().filter(|file| compare::read(file).is_ok()) else { continue };
        files.push((fs::metadata(file)?.len(), history.name, file.clone()));
    }
    let distance = |len: u64, size: usize| (len.max(1) as f64 / size as f64).ln().abs();
    let nearest = |size: &usize| {
        files.iter().min_by(|a, b| distance(a.0, *size).total_cmp(&distance(b.0, *size))).context("no XML histories")
    };
    sizes
        .iter()
        .map(|size| {
            let (_, name, file) = nearest(size)?;
            Ok(Sample { name: name.clone(), document: compare::read(file)? })
        })
        .collect()
}
