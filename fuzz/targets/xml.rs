//! Whatever the bytes, the XML parser answers, and what it accepts obeys the laws of the tree.

#![no_main]

use deltaic_fuzz::{content, walk};
use libfuzzer_sys::fuzz_target;
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Kind, Node};
use treediff::write;

fuzz_target!(|source: &[u8]| {
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        let strict = Options { whitespace, ..Options::default() };
        let recovering = Options { recover: true, ..strict.clone() };
        let recovered = parse::xml(source, &recovering);
        if let Ok(recovered) = &recovered {
            walk(&recovered.document);
        }
        let Ok(accepted) = parse::xml(source, &strict) else { continue };
        walk(&accepted.document);

        let recovered = recovered.expect("what is accepted strictly is accepted when recovering");
        assert!(recovered.issues.is_empty(), "well-formed, but: {:?}", recovered.issues);
        assert_eq!(recovered.document.hashes(), accepted.document.hashes(), "recovering sees another tree");

        if accepted.document.nodes().all(|node| !may_refer(node)) {
            let form = write::canonical(&accepted.document);
            let again = parse::xml(form.as_bytes(), &strict).expect("canonical XML is well-formed").document;
            assert_eq!(content(&again), content(&accepted.document), "canonical XML has another content: {form}");
            assert_eq!(write::canonical(&again), form, "canonical XML of canonical XML differs");
        }
    }
});

/// Whether a node may have a reference that was not expanded, which has no canonical form without its DTD. In a value it
/// looks like a text.
fn may_refer(node: Node<'_>) -> bool {
    let has_doctype = node.document().doctype().is_some();
    let in_value = || node.attributes().any(|attribute| attribute.value().contains('&'));
    node.kind() == Kind::Reference || (has_doctype && in_value())
}
