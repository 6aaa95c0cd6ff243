//! What comes of comparing two files? A delta, and how large it is beside what GNU diff says.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use anyhow::{Context, Result, ensure};
use treediff::delta::{self, Delta};
use treediff::matching::{Algorithm, Matching};
use treediff::parse::{self, Options};
use treediff::tree::{Document, Format};

/// Bytes of what says the same difference.
#[derive(Debug, Default, Clone, Copy)]
pub struct Sizes {
    pub xydelta: usize,
    pub binary: usize,
    pub diff: usize,
}

impl std::ops::AddAssign for Sizes {
    fn add_assign(&mut self, other: Sizes) {
        self.xydelta += other.xydelta;
        self.binary += other.binary;
        self.diff += other.diff;
    }
}

impl Sizes {
    /// XyDelta over GNU diff; nothing where the files are the same.
    pub fn ratio(self) -> Option<f64> {
        (self.diff > 0).then(|| self.xydelta as f64 / self.diff as f64)
    }
}

/// The sizes of what changed between two files. Where they are not well-formed they are read all the same, and why is
/// told.
pub fn sizes(before: &Path, after: &Path, algorithm: Algorithm) -> Result<(Sizes, Option<anyhow::Error>)> {
    match read(before).and_then(|before| Ok([before, read(after)?])) {
        Ok(documents) => Ok((sizes_of(documents, before, after, algorithm)?, None)),
        Err(fault) => {
            let recovered = [read_recovering(before)?, read_recovering(after)?];
            Ok((sizes_of(recovered, before, after, algorithm)?, Some(fault)))
        }
    }
}

fn sizes_of(documents: [Arc<Document>; 2], before: &Path, after: &Path, algorithm: Algorithm) -> Result<Sizes> {
    let delta = delta(&documents[0], &documents[1], algorithm)?;
    Ok(Sizes { xydelta: delta.to_xydelta().len(), binary: delta.to_binary().len(), diff: gnu_diff(before, after)? })
}

/// Parses a file by its extension.
pub fn read(path: &Path) -> Result<Arc<Document>> {
    read_with(path, false)
}

/// Parses a file, whatever is wrong with it.
pub fn read_recovering(path: &Path) -> Result<Arc<Document>> {
    read_with(path, true)
}

fn read_with(path: &Path, recover: bool) -> Result<Arc<Document>> {
    let is_html = path.extension().is_some_and(|extension| extension == "html" || extension == "htm");
    let format = if is_html { Format::Html } else { Format::Xml };
    let parsed = parse::parse(fs::read(path)?, format, &Options { recover, ..Options::default() });
    Ok(Arc::new(parsed.with_context(|| path.display().to_string())?.document))
}

pub fn delta(before: &Arc<Document>, after: &Arc<Document>, algorithm: Algorithm) -> Result<Delta> {
    let matching = algorithm.matching(before, after, &Default::default());
    from_matching(before, after, &matching)
}

pub fn from_matching(before: &Arc<Document>, after: &Arc<Document>, matching: &Matching) -> Result<Delta> {
    Ok(Delta::between(before, after, matching, &delta::Options::default())?)
}

/// Bytes of GNU diff's output.
fn gnu_diff(before: &Path, after: &Path) -> Result<usize> {
    let said = Command::new("diff").arg(before).arg(after).output().context("starting diff")?;
    ensure!(matches!(said.status.code(), Some(0 | 1)), "diff failed: {}", String::from_utf8_lossy(&said.stderr).trim());
    Ok(said.stdout.len())
}
