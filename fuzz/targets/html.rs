//! Whatever the bytes, they are HTML: the parser always answers, and always the same.

#![no_main]

use deltaic_fuzz::walk;
use libfuzzer_sys::fuzz_target;
use treediff::parse::{self, Options, Whitespace};

fuzz_target!(|source: &[u8]| {
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        let options = Options { whitespace, ..Options::default() };
        let parsed = parse::html(source, &options).expect("any bytes are HTML");
        walk(&parsed.document);
        assert!(parsed.document.root_element().is_some(), "HTML has a root element, written or implied");

        let again = parse::html(source, &options).expect("any bytes are HTML");
        assert_eq!(again.document.hashes(), parsed.document.hashes());
    }
});
