//! Is the minimum one on real documents? It is found in two ways that share nothing but their model.

mod support;

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

use treediff::delta::{self, ApplyOptions, Delta};
use treediff::matching::{self, Budget, Matching, Options};
use treediff::parse;
use treediff::tree::{Document, Format};

#[test]
fn the_minimum_of_xml() {
    check_all(Format::Xml, support::XML_EXTENSIONS, 200);
}

#[test]
fn the_minimum_of_html() {
    check_all(Format::Html, support::HTML_EXTENSIONS, 90);
}

/// Every seventh pair of successive versions.
fn check_all(format: Format, extensions: &[&str], least_pairs: usize) {
    let Some(corpus) = support::corpus() else { return };
    let pairs = support::successive_pairs(&corpus, extensions);
    let mut seen = 0;
    for [before, after] in pairs.iter().step_by(7) {
        let (Some(from), Some(to)) = (read(before, format), read(after, format)) else { continue };
        check(&from, &to).unwrap_or_else(|fault| panic!("{}: {fault}", support::case_of(after, &corpus)));
        seen += 1;
    }
    assert!(seen >= least_pairs, "{seen} pairs seen; expected {least_pairs}");
}

/// The document in a file, where it is well-formed.
fn read(file: &Path, format: Format) -> Option<Arc<Document>> {
    let source = fs::read(file).expect("a readable file");
    parse::parse(source, format, &Default::default()).ok().map(|parsed| Arc::new(parsed.document))
}

fn check(before: &Arc<Document>, after: &Arc<Document>) -> Result<(), String> {
    let options = Options::default();
    let found = matching::optimal(before, after, &options);
    let cost = cost(before, after, &found)?;
    law(found.notes().used().count() == 0, "within the budget")?;
    // A document type declaration is no node.
    let doctype = u64::from(before.doctype() != after.doctype());
    law(matching::minimum_cost(before, after, &options) == Some(cost - doctype), "the delta costs the minimum")?;
    let xydiff = matching::xydiff(before, after, &options);
    law(cost <= self::cost(before, after, &xydiff)?, "XyDiff is no cheaper")?;
    if before.len() * after.len() > 300_000 {
        return Ok(());
    }
    let short = Options { budget: Budget { max_bytes: 100, ..Budget::default() }, ..options };
    let by_grid = matching::optimal_external(before, after, &short, || Ok(Cursor::new(Vec::new())));
    let by_grid = by_grid.map_err(|error| error.to_string())?;
    law(by_grid.notes().used().count() == 0, "within the memory")?;
    law(self::cost(before, after, &by_grid)? == cost, "the same on scratch space")
}

/// What the delta of a matching costs without moves; it leads from one version to the other.
fn cost(before: &Arc<Document>, after: &Arc<Document>, matching: &Matching) -> Result<u64, String> {
    let options = delta::Options { without_moves: true, ..Default::default() };
    let delta = Delta::between(before, after, matching, &options).map_err(|error| error.to_string())?;
    for (delta, from, to) in [(&delta, before, after), (&delta.inverted(), after, before)] {
        let patched = delta.apply(from, &ApplyOptions::default()).map_err(|error| error.to_string())?;
        law(patched.document.root().same_content(to.root()), "applied: the tree of the other version")?;
    }
    Ok(delta.stats().edit_cost())
}

fn law(holds: bool, name: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(name.to_owned()) }
}
