//! Is the local optimum the global one, and what does each cost? What the paper on good matching claims, measured.

mod gap;
mod growth;
mod weights;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use treediff::tree::Document;

use super::Study;
use crate::plot::Plot;
use crate::{compare, corpus};

pub use weights::weights;

/// The figures and what they say, as the body of their page.
pub fn goodmatch(study: &Study<'_>, folder: &Path) -> Result<String> {
    fs::create_dir_all(folder)?;
    let mut body = String::new();
    for Part { name, plot, table, text } in [growth::part(study)?, gap::part(study)?] {
        if let Some(plot) = plot {
            fs::write(folder.join(format!("{name}.svg")), plot.svg())?;
            body.push_str(&format!("![{}]({name}.svg)\n\n", plot.title));
        }
        fs::write(folder.join(format!("{name}.tsv")), table)?;
        body.push_str(&format!("{text}\n\nData: [{name}.tsv]({name}.tsv).\n\n"));
    }
    Ok(body)
}

/// A part of the page: what is drawn, the data, and what was found.
struct Part {
    name: &'static str,
    plot: Option<Plot>,
    table: String,
    text: String,
}

/// Two versions of a document.
struct Pair {
    name: String,
    is_html: bool,
    before: Arc<Document>,
    after: Arc<Document>,
}

/// Every version of the histories with the next, where both are well-formed.
fn pairs(study: &Study<'_>, is_wanted: impl Fn(&corpus::Versions) -> bool) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    for history in corpus::histories(study.histories, study.only)?.iter().filter(|history| is_wanted(history)) {
        for (before, after) in history.pairs() {
            let (Ok(before), Ok(after)) = (compare::read(before), compare::read(after)) else { continue };
            let name = format!("{}/{}", history.family, history.name);
            pairs.push(Pair { name, is_html: history.is_html(), before, after });
        }
    }
    Ok(pairs)
}
