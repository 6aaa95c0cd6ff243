//! Is a mapped document the one that was saved, on real documents too? Asked of every few files of the corpus.

mod support;

use std::fs;
use std::path::Path;

use treediff::parse::{self, Options};
use treediff::tree::{Document, Format, Saved};

/// One file in so many is looked at.
const STRIDE: usize = 9;

#[test]
fn real_documents_come_back() {
    let Some(corpus) = support::corpus() else { return };
    let extensions = [support::XML_EXTENSIONS, support::HTML_EXTENSIONS].concat();
    for file in support::files_below(&corpus, &extensions).iter().step_by(STRIDE) {
        let document = document(file);
        let mapped = Saved::open(document.save()).unwrap().document().unwrap_or_else(|e| panic!("{file:?}: {e}"));
        check_same(&document, &mapped, file);
    }
}

fn document(file: &Path) -> Document {
    let is_html = support::has_extension(file, support::HTML_EXTENSIONS);
    let format = if is_html { Format::Html } else { Format::Xml };
    let options = Options { recover: true, ..Options::default() };
    parse::parse(fs::read(file).unwrap(), format, &options).unwrap().document
}

fn check_same(before: &Document, after: &Document, file: &Path) {
    assert_eq!(before.source(), after.source(), "{file:?}");
    assert_eq!(before.hashes(), after.hashes(), "{file:?}");
    assert_eq!(before.labels(), after.labels(), "{file:?}");
    assert_eq!(before.parents(), after.parents(), "{file:?}");
    assert_eq!(before.ends(), after.ends(), "{file:?}");
    assert!(before.names().iter().eq(after.names().iter()), "{file:?}");
    for (a, b) in before.nodes().zip(after.nodes()) {
        assert!(a.same_node(b) && a.source_range() == b.source_range() && a.weight() == b.weight(), "{file:?} {a:?}");
        assert!(a.prefix() == b.prefix() && a.declarations().eq(b.declarations()), "{file:?} {a:?}");
    }
}
