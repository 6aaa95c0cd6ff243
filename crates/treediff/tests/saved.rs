//! Is a mapped document the one that was saved, on real documents too? Asked of every few files of the corpus.

mod support;

use std::fs;
use std::path::Path;

use treediff::matching::{self, KeyFields, Kfdiff};
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

fn xml(source: &str) -> Document {
    parse::xml(source, &Options::default()).unwrap().document
}

/// The keys that were learned from a document are there when it is opened again, and spare the search.
#[test]
fn learned_keys_are_kept_with_the_document() {
    let before = xml("<shop><item><no>1</no><price>5</price></item><item><no>2</no><price>5</price></item></shop>");
    let keys = Kfdiff::sorting().learned(&before, &matching::Options::default());
    let saved = Saved::open(before.save_with_keys(&keys.to_string())).unwrap();
    check_same(&before, &saved.document().unwrap(), Path::new("with keys"));
    let mut kept = KeyFields::of_saved(&saved).unwrap().unwrap();
    assert_eq!(kept.to_string(), "deltaic keys 1\n/shop/item\tno\n");
    // `price` would do now, and `no` is still the key.
    let after = xml("<shop><item><price>7</price><no>2</no></item><item><price>6</price><no>3</no></item></shop>");
    let mapped = saved.document().unwrap();
    let matching = Kfdiff::hashing().matching(&mapped, &after, &mut kept, &matching::Options::default());
    let second = mapped.root_element().unwrap().last_child().unwrap();
    let partner = matching.after_of(second.id()).map(|partner| after.node(partner).string_value().into_owned());
    assert_eq!(partner.as_deref(), Some("72"));
    assert_eq!(kept.to_string(), keys.to_string());
    assert!(matching.notes().kept().is_empty());
}

#[test]
fn documents_saved_without_keys_have_none() {
    let stored: &[u8] = include_bytes!("formats/v1.saved");
    assert!(KeyFields::of_saved(&Saved::open(stored).unwrap()).unwrap().is_none());
    let saved = Saved::open(xml("<a/>").save()).unwrap();
    assert_eq!(saved.keys().unwrap(), None);
}

#[test]
fn keys_that_were_damaged_or_made_up_are_errors() {
    let document = xml("<a/>");
    let error = |saved: Vec<u8>| Saved::open(saved).map(|saved| KeyFields::of_saved(&saved).unwrap_err().to_string());
    let saved = document.save_with_keys("deltaic keys 1\n/a\t@b\n");
    let at = saved.windows(4).position(|window| window == b"\t@b\n").unwrap();
    let mut damaged = saved.clone();
    damaged[at] ^= 1;
    let expected = "the saved document is damaged: section `keys` does not match its checksum; parse the source again";
    assert_eq!(error(damaged.clone()).unwrap(), expected);
    // The document is none the worse for it.
    assert!(Saved::open(damaged).unwrap().document().is_ok());
    let made_up = "deltaic keys 1\n/a/..\t@b\n";
    let expected = "`/a/..` is no path: it leads down and nowhere else, and has no step `.` or `..`";
    assert_eq!(error(document.save_with_keys(made_up)).unwrap(), expected);
}
