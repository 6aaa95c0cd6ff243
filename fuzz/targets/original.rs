//! Do deltas in the two formats of the original XyDiff hurt, and is what is read of them a delta?

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use treediff::delta::formats::original::{self, Options};
use treediff::delta::{ApplyOptions, Delta};
use treediff::parse::{self, Limits, Whitespace};

fuzz_target!(|input: &[u8]| {
    let Some(split) = input.iter().position(|&byte| byte == 0) else { return };
    let (written, document) = (&input[..split], &input[split + 1..]);
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        check(written, document, whitespace);
    }
});

fn check(written: &[u8], document: &[u8], whitespace: Whitespace) {
    let limits = Limits { max_nodes: 100_000, max_bytes: 1 << 20, ..Limits::default() };
    let options = parse::Options { whitespace, limits: limits.clone(), ..parse::Options::default() };
    let Ok(parsed) = parse::xml(document, &options) else { return };
    let before = Arc::new(parsed.document);
    let Ok(delta) = original::read(written, &before, &Options { whitespace, limits, ..Options::default() }) else {
        return;
    };
    let text = delta.to_xydelta();
    let read = Delta::read(text.as_bytes(), &Limits::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(read.same_as(&delta), "{text}");
    let after = read.apply(&before, &ApplyOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let back = read.inverted().apply(&after.document, &ApplyOptions::default());
    let back = back.unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert!(back.document.root().same_content(before.root()), "{text}");
}
