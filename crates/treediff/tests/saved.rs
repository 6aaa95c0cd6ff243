//! Is a mapped document the one that was saved, on real documents too? Asked of every few files of the corpus.

use std::fs;
use std::path::{Path, PathBuf};

use treediff::parse::{self, Options};
use treediff::tree::{Document, Format, Saved};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus");
/// One file in so many is looked at.
const STRIDE: usize = 9;

#[test]
fn real_documents_come_back() {
    let files = files(Path::new(CORPUS));
    if files.is_empty() {
        println!("skipped: no corpus beside the workspace");
    }
    for file in files.iter().step_by(STRIDE) {
        let Some(document) = document(file) else { continue };
        let mapped = Saved::open(document.save()).unwrap().document().unwrap_or_else(|e| panic!("{file:?}: {e}"));
        check_same(&document, &mapped, file);
    }
}

fn document(file: &Path) -> Option<Document> {
    let format = match file.extension()?.to_str()? {
        "html" => Format::Html,
        "xml" | "svg" | "csl" | "wsdl" | "xsd" => Format::Xml,
        _ => return None,
    };
    let options = Options { recover: true, ..Options::default() };
    Some(parse::parse(fs::read(file).unwrap(), format, &options).unwrap().document)
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

/// All files below a folder, in a fixed order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    files
}
