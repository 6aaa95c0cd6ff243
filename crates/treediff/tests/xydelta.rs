//! Is the delta of every two successive versions of the corpus read as it was written?

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use support::{HTML_EXTENSIONS, XML_EXTENSIONS, corpus, files_below, has_extension};
use treediff::delta::{self, Delta};
use treediff::matching;
use treediff::parse::{self, Options, ParseError, Whitespace};
use treediff::tree::{Document, Format};

fn check_all(extensions: &[&str], format: Format) {
    let Some(corpus) = corpus() else { return };
    let files = files_below(&corpus, extensions);
    let mut pairs = 0;
    for pair in files.windows(2).filter(|pair| pair[0].parent() == pair[1].parent()) {
        for whitespace in [Whitespace::Layout, Whitespace::Exact] {
            // What is not well-formed is the business of other tests.
            let (Ok(before), Ok(after)) = (parsed(&pair[0], format, whitespace), parsed(&pair[1], format, whitespace))
            else {
                continue;
            };
            check(&before, &after, whitespace, &pair[1]);
            pairs += 1;
        }
    }
    assert!(pairs > 0, "no pair of versions in {}", corpus.display());
}

fn parsed(file: &Path, format: Format, whitespace: Whitespace) -> Result<Arc<Document>, ParseError> {
    assert!(has_extension(file, XML_EXTENSIONS) || has_extension(file, HTML_EXTENSIONS));
    let source = fs::read(file).expect("a readable file");
    parse::parse(source, format, &Options { whitespace, ..Options::default() }).map(|parsed| Arc::new(parsed.document))
}

fn check(before: &Arc<Document>, after: &Arc<Document>, whitespace: Whitespace, file: &Path) {
    let matching = matching::xydiff(before, after, &Default::default());
    let options = delta::Options { whitespace, ..Default::default() };
    let delta = Delta::between(before, after, &matching, &options).expect("documents of one format");
    let written = delta.to_xydelta();
    let read = Delta::read(written.as_bytes(), &Default::default());
    let read = read.unwrap_or_else(|error| panic!("{}, {whitespace:?}: {error}", file.display()));
    assert!(read.same_as(&delta), "{}, {whitespace:?}: read as another delta", file.display());
    assert!(read.to_xydelta() == written, "{}, {whitespace:?}: written otherwise again", file.display());
}

#[test]
fn deltas_of_the_corpus_in_xml() {
    check_all(XML_EXTENSIONS, Format::Xml);
}

#[test]
fn deltas_of_the_corpus_in_html() {
    check_all(HTML_EXTENSIONS, Format::Html);
}
