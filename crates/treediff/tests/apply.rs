//! Does a delta lead from one version to the next? Over the versions of real documents.

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use treediff::delta::{self, ApplyOptions, Delta};
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Format};
use treediff::{matching, write};

fn parsed(file: &Path, format: Format, whitespace: Whitespace) -> Option<Arc<Document>> {
    let source = std::fs::read(file).expect("a readable file");
    let options = Options { whitespace, ..Options::default() };
    parse::parse(source, format, &options).ok().map(|parsed| Arc::new(parsed.document))
}

/// Every two versions of a document that follow each other, in order.
fn pairs(extensions: &[&str]) -> Vec<[PathBuf; 2]> {
    let Some(corpus) = support::corpus() else { return Vec::new() };
    let files = support::files_below(&corpus, extensions);
    let pair = |pair: &[PathBuf]| (pair[0].parent() == pair[1].parent()).then(|| [pair[0].clone(), pair[1].clone()]);
    files.windows(2).filter_map(pair).collect()
}

fn patched(before: &Arc<Document>, after: &Arc<Document>, whitespace: Whitespace) -> Result<Document, String> {
    let matching = matching::xydiff(before, after, &Default::default());
    let options = delta::Options { whitespace, ..Default::default() };
    let delta = Delta::between(before, after, &matching, &options).map_err(|error| error.to_string())?;
    // In memory the payloads are pieces of `after`, read from a file they are pieces of the delta.
    let written = Delta::read(delta.to_xydelta(), &Default::default()).map_err(|error| error.to_string())?;
    let from_file = written.apply(before, &ApplyOptions::default()).map_err(|error| error.to_string())?;
    let patched = delta.apply(before, &ApplyOptions::default()).map_err(|error| error.to_string())?;
    if !from_file.document.root().same_content(after.root()) {
        return Err("another document by the written delta".to_owned());
    }
    match patched.document.root().same_content(after.root()) {
        true => Ok(patched.document),
        false => Err("another document".to_owned()),
    }
}

/// A page that says to be ISO-2022-JP, whose next version does not say so and has the escape character in names: that
/// cannot be written in the encoding that the page has.
const UNWRITABLE: &str = "httpd-manual-legacy-enc/docs_manual_mod_index.html.ja.jis/002-2002-09-06.html";

fn check_corpus(format: Format, extensions: &[&str], whitespace: Whitespace) {
    let mut failures = Vec::new();
    for [before, after] in pairs(extensions).iter().filter(|[_, after]| !after.ends_with(UNWRITABLE)) {
        let [Some(old), Some(new)] = [before, after].map(|file| parsed(file, format, whitespace)) else { continue };
        if let Err(error) = patched(&old, &new, whitespace) {
            failures.push(format!("{}: {error}", after.display()));
        }
    }
    assert!(failures.is_empty(), "{} deltas fail:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn deltas_lead_from_version_to_version_of_xml() {
    check_corpus(Format::Xml, support::XML_EXTENSIONS, Whitespace::Layout);
}

#[test]
fn deltas_lead_from_version_to_version_of_xml_with_exact_white_space() {
    check_corpus(Format::Xml, support::XML_EXTENSIONS, Whitespace::Exact);
}

#[test]
fn deltas_lead_from_version_to_version_of_html() {
    check_corpus(Format::Html, support::HTML_EXTENSIONS, Whitespace::Layout);
}

#[test]
fn deltas_lead_from_version_to_version_of_html_with_exact_white_space() {
    check_corpus(Format::Html, support::HTML_EXTENSIONS, Whitespace::Exact);
}

#[test]
fn what_is_not_touched_keeps_its_bytes() {
    let sources = ["<a>\n <b  x = '1'/>\n <c>&#65;</c>\n</a>\n", "<a><b x='1'/><c>A</c><d/></a>"];
    let [before, after] =
        sources.map(|source| Arc::new(parse::xml(source, &Default::default()).expect("XML").document));
    let document = patched(&before, &after, Whitespace::Layout).expect("a patched document");
    let source = String::from_utf8(write::source(&document)).expect("UTF-8");
    assert_eq!(source, "<a>\n <b  x = '1'/>\n <c>&#65;</c>\n <d/>\n</a>\n");
}
