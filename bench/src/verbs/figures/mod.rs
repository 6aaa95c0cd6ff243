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
struct Sample {
    name: String,
    document: Arc<Document>,
}

impl Sample {
    fn bytes(&self) -> usize {
        self.document.source().len()
    }
}

/// XML documents of about the given sizes: of the histories below a megabyte, above it pieces of a large one.
fn samples(study: &Study<'_>, sizes: &[usize]) -> Result<Vec<Sample>> {
    let (small, large): (Vec<usize>, Vec<usize>) = sizes.iter().partition(|size| **size < 1_000_000);
    let mut samples = real_samples(study, &small)?;
    if !large.is_empty() {
        let whole = corpus::documents(study.corpus, "xml", CUT)?;
        let whole = whole.first().with_context(|| format!("no {CUT}"))?;
        let document = compare::read(&whole.path)?;
        for size in large {
            let piece = pieces::with_children(&document, pieces::children_for(&document, size))?;
            let parsed = treediff::parse::xml(piece, &Default::default())?;
            samples.push(Sample { name: whole.name.clone(), document: Arc::new(parsed.document) });
        }
    }
    Ok(samples)
}

const CUT: &str = "cldr-concat-100MB";

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
