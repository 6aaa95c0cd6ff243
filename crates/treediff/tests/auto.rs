//! Is the default as near to the minimum on real documents as it is said to be?

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use treediff::delta::{self, Delta};
use treediff::matching::{self, Options};
use treediff::parse;
use treediff::tree::{Document, Format};

#[test]
fn the_default_is_near_the_minimum() {
    let Some(corpus) = support::corpus() else { return };
    let (mut ratios, mut at_or_below) = (Vec::new(), 0);
    for (format, extensions) in [(Format::Xml, support::XML_EXTENSIONS), (Format::Html, support::HTML_EXTENSIONS)] {
        for [before, after] in support::successive_pairs(&corpus, extensions).iter().step_by(5) {
            let (Some(from), Some(to)) = (read(before, format), read(after, format)) else { continue };
            let doctype = u64::from(from.doctype() != to.doctype());
            let minimum = matching::minimum_cost(&from, &to, &Options::default()).expect("within the budget") + doctype;
            let (plain, moved) = (cost(&from, &to, true), cost(&from, &to, false));
            assert!(plain >= minimum, "{}", support::case_of(after, &corpus));
            at_or_below += usize::from(moved <= minimum);
            ratios.push(if minimum == 0 { 1.0 } else { plain as f64 / minimum as f64 });
        }
    }
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let largest = ratios.iter().copied().fold(0.0, f64::max);
    let share = at_or_below as f64 / ratios.len() as f64;
    assert!(ratios.len() > 400, "{} pairs seen", ratios.len());
    assert!(mean <= 1.05 && largest <= 1.5, "mean {mean:.4}, largest {largest:.2}");
    assert!(share >= 0.93, "with moves {share:.3} at or below the minimum without");
}

/// The document in a file, where it is well-formed.
fn read(file: &Path, format: Format) -> Option<Arc<Document>> {
    let source = fs::read(file).expect("a readable file");
    parse::parse(source, format, &Default::default()).ok().map(|parsed| Arc::new(parsed.document))
}

fn cost(before: &Arc<Document>, after: &Arc<Document>, without_moves: bool) -> u64 {
    let matching = matching::auto(before, after, &Options { without_moves, ..Default::default() });
    let options = delta::Options { without_moves, ..Default::default() };
    Delta::between(before, after, &matching, &options).expect("one format").stats().edit_cost()
}
