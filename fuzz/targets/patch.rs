//! Do patches of others' standards hurt, and do those that we write lead from one document to the other?

#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use treediff::delta::formats::json_patch::{self, WriteOptions};
use treediff::delta::formats::xml_patch;
use treediff::delta::{Delta, Operation, Options as DeltaOptions};
use treediff::matching;
use treediff::parse::{self, Limits, Options, Whitespace};
use treediff::tree::Document;

fuzz_target!(|input: &[u8]| {
    let Some(split) = input.iter().position(|&byte| byte == 0) else { return };
    let (first, second) = (&input[..split], &input[split + 1..]);
    let limits = Limits { max_nodes: 100_000, max_bytes: 1 << 20, ..Limits::default() };
    json(first, second, &limits);
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        xml(first, second, whitespace, &limits);
    }
});

fn json(first: &[u8], second: &[u8], limits: &Limits) {
    let parsed = |source: &[u8]| {
        let parsed = parse::json(source, &Options { limits: limits.clone(), ..Options::default() }).ok()?;
        Some(Arc::new(parsed.document.with_sorted_members()))
    };
    let Some(after) = parsed(second) else { return };
    if let Ok(patched) = json_patch::apply(first, &after, limits) {
        assert!(parsed(&patched).is_some(), "what a patch makes can be read");
    }
    let Some(before) = parsed(first) else { return };
    let delta = compared(&before, &after, Whitespace::Layout);
    for with_tests in [false, true] {
        let patch = json_patch::write(&delta, &before, &after, &WriteOptions { with_tests }).unwrap();
        let patched = json_patch::apply(patch.as_bytes(), &before, &Limits::default()).unwrap();
        let patched = parse::json(patched, &Options::default()).unwrap().document;
        assert!(patched.root().same_content(after.root()), "{patch}");
    }
}

fn xml(first: &[u8], second: &[u8], whitespace: Whitespace, limits: &Limits) {
    let parsed = |source: &[u8]| {
        let options = Options { whitespace, limits: limits.clone(), ..Options::default() };
        Some(Arc::new(parse::xml(source, &options).ok()?.document))
    };
    let Some(after) = parsed(second) else { return };
    if let Ok(patched) = xml_patch::apply(first, &after, limits) {
        assert!(parse::xml(patched, &Options::default()).is_ok(), "what a patch makes can be read");
    }
    let Some(before) = parsed(first) else { return };
    let delta = compared(&before, &after, whitespace);
    let changes_doctype = delta.operations().iter().any(|operation| matches!(operation, Operation::Doctype { .. }));
    // What entities stand for is not in a patch, and a reference that stays in an attribute cannot be.
    if changes_doctype || before.doctype().is_some() {
        return;
    }
    let patch = xml_patch::write(&delta, &before, &after).unwrap();
    let patched = xml_patch::apply(patch.as_bytes(), &before, &Limits::default());
    let patched = patched.unwrap_or_else(|error| panic!("{error} in {patch}"));
    let options = Options { whitespace, ..Options::default() };
    let patched = parse::xml(patched, &options).unwrap().document;
    assert!(patched.root().same_content(after.root()), "{patch}");
}

fn compared(before: &Arc<Document>, after: &Arc<Document>, whitespace: Whitespace) -> Delta {
    let matching = matching::auto(before, after, &Default::default());
    Delta::between(before, after, &matching, &DeltaOptions { whitespace, ..DeltaOptions::default() }).unwrap()
}
