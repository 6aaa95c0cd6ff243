//! Whatever the bytes, they are HTML: the parser always answers, and always the same. What it finds nothing wrong with
//! can be written and read again.

#![no_main]

use deltaic_fuzz::{content, walk};
use libfuzzer_sys::fuzz_target;
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::Document;
use treediff::write;

fuzz_target!(|source: &[u8]| {
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        let options = Options { whitespace, ..Options::default() };
        let parsed = parse::html(source, &options).expect("any bytes are HTML");
        walk(&parsed.document);
        assert!(parsed.document.root_element().is_some(), "HTML has a root element, written or implied");

        let again = parse::html(source, &options).expect("any bytes are HTML");
        assert_eq!(again.document.hashes(), parsed.document.hashes());

        let written = write::html(&parsed.document);
        let rewritten = read_written(&written, whitespace);
        walk(&rewritten);
        if whitespace == Whitespace::Exact && parsed.issues.is_empty() {
            assert_eq!(content(&rewritten), content(&parsed.document), "another tree once written: {written}");
        }
    }
});

fn read_written(written: &str, whitespace: Whitespace) -> Document {
    let options = Options { whitespace, encoding: Some("utf-8".into()), ..Options::default() };
    parse::html(written, &options).expect("any text is HTML").document
}
