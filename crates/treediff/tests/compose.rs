//! Do the laws of composing hold along the histories of real documents?

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use treediff::delta::{Delta, Identities, Options};
use treediff::tree::{Document, Format};
use treediff::{matching, parse};

#[test]
fn histories_of_xml_compose() {
    check(support::XML_EXTENSIONS, Format::Xml);
}

#[test]
fn histories_of_html_compose() {
    check(support::HTML_EXTENSIONS, Format::Html);
}

fn check(extensions: &[&str], format: Format) {
    let Some(corpus) = support::corpus() else { return };
    let files = support::files_below(&corpus, extensions);
    for versions in files.chunk_by(|one, next| one.parent() == next.parent()) {
        let deltas = history(versions, format);
        let name = versions[0].display();
        let Some(whole) = Delta::compose_all(&deltas).unwrap_or_else(|error| panic!("{name}: {error}")) else {
            continue;
        };
        for delta in deltas.iter().chain([&whole]) {
            assert!(composed(delta, &delta.inverted()).is_empty(), "{name}: a delta and its inverse");
            assert!(composed(&delta.inverted(), delta).is_empty(), "{name}: an inverse and its delta");
            let script = delta.to_script().to_delta().unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(script.same_as(delta), "{name}: a script of a delta");
        }
        let one_by_one = deltas[1..].iter().fold(deltas[0].clone(), |whole, next| composed(&whole, next));
        assert_eq!(without_moves(&one_by_one), without_moves(&whole), "{name}: composed in another order");
        let read =
            Delta::read(whole.to_xydelta(), &Default::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(read.same_as(&whole), "{name}: written and read");
    }
}

fn composed(first: &Delta, second: &Delta) -> Delta {
    first.compose(second).expect("neighbours compose")
}

/// The operations but the moves, of which some may be of another sibling.
fn without_moves(delta: &Delta) -> Vec<String> {
    let written = delta.to_xydelta();
    let mut lines: Vec<String> =
        written.lines().filter(|line| !line.starts_with("  <move")).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The deltas between the versions that can be parsed.
fn history(versions: &[PathBuf], format: Format) -> Vec<Delta> {
    let documents: Vec<Arc<Document>> = versions.iter().filter_map(|path| document(path, format)).collect();
    let mut identities: Option<Identities> = None;
    let deltas = documents.windows(2).map(|pair| {
        let matching = matching::xydiff(&pair[0], &pair[1], &Default::default());
        let options = Options { identities: identities.take(), ..Options::default() };
        let delta = Delta::between(&pair[0], &pair[1], &matching, &options).expect("documents of one format");
        identities = Some(Identities { xids: delta.to_xids().clone(), next: delta.next_xid() });
        delta
    });
    deltas.collect()
}

fn document(path: &Path, format: Format) -> Option<Arc<Document>> {
    let source = fs::read(path).expect("a readable file");
    parse::parse(source, format, &Default::default()).ok().map(|parsed| Arc::new(parsed.document))
}
