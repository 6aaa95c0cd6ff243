//! Do two pages of any bytes hurt whoever compares them, and is all of both in what is read?

#![no_main]

use libfuzzer_sys::fuzz_target;
use treediff::matching;
use treediff::parse::{self, Limits, Options, Whitespace};
use treediff::render::html;
use treediff::text::{Changes, Entities};
use treediff::tree::Document;

fuzz_target!(|input: &[u8]| {
    let Some(split) = input.iter().position(|&byte| byte == 0) else { return };
    let [Some(before), Some(after)] = [&input[..split], &input[split + 1..]].map(parsed) else { return };
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    let mut done = (0, 0);
    for run in changes.runs() {
        assert_eq!((run.before.start, run.after.start), done, "runs follow each other on both sides");
        done = (run.before.end, run.after.end);
    }
    assert_eq!(done, (changes.before().items().len(), changes.after().items().len()));
    for options in [html::Options::default(), html::Options { reverse: true, ..Default::default() }] {
        let merged = html::merged(&changes, &matching, &options);
        assert!(parsed(merged.as_bytes()).is_some(), "what is shown can be read");
    }
    html::side_by_side(&changes, &matching, &html::Options::default());
    html::listing(&changes, &html::Options::default());
});

fn parsed(source: &[u8]) -> Option<Document> {
    let limits = Limits { max_nodes: 100_000, max_bytes: 1 << 20, ..Limits::default() };
    Some(parse::html(source, &Options { whitespace: Whitespace::Exact, limits, ..Options::default() }).ok()?.document)
}
