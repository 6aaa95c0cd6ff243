//! Is what we accept as JSON what serde_json accepts, with the same values?

#![no_main]

use deltaic_fuzz::walk;
use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use treediff::parse::{self, Options};
use treediff::write;

fuzz_target!(|source: &[u8]| {
    let options = Options::default();
    if let Ok(recovered) = parse::json(source, &Options { recover: true, ..options.clone() }) {
        walk(&recovered.document);
    }
    // Other encodings, and a mark of UTF-8, are beyond serde_json.
    let Ok(text) = std::str::from_utf8(source) else { return };
    if text.contains(['\0', '\u{FEFF}']) {
        return;
    }
    let ours = parse::json(source, &options);
    let theirs = serde_json::from_str::<Value>(text);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            walk(&ours.document);
            assert_eq!(serde_json::from_str::<Value>(&write::json(&ours.document)).unwrap(), theirs);
            let canonical = parse::json(write::canonical_json(&ours.document), &options).unwrap().document;
            assert_eq!(canonical.root().hash(), ours.document.root().hash(), "the order of members counts");
        }
        (Ok(_), Err(theirs)) => panic!("accepted, but serde_json says: {theirs}"),
        // It lets the last of several members with one key win, where we refuse.
        (Err(ours), Ok(_)) => assert!(ours.to_string().contains("twice"), "serde_json accepts it, but: {ours}"),
        (Err(_), Err(_)) => {}
    }
});
