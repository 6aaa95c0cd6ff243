//! Is what is written read again, as it was?

mod cases;
mod hostile;
mod laws;
mod words;

use std::sync::Arc;

use crate::delta::{Delta, Options as DeltaOptions};
use crate::matching;
use crate::parse::{self, Options, Whitespace};
use crate::tree::{Document, Format};

fn parsed(source: &str, format: Format, whitespace: Whitespace) -> Arc<Document> {
    let options = Options { whitespace, ..Options::default() };
    let document = parse::parse(source, format, &options).unwrap_or_else(|error| panic!("{error}: {source}")).document;
    Arc::new(document.with_sorted_members())
}

fn delta_between(before: &Arc<Document>, after: &Arc<Document>, whitespace: Whitespace) -> Delta {
    let matching = matching::xydiff(before, after, &Default::default());
    Delta::between(before, after, &matching, &DeltaOptions { whitespace, ..DeltaOptions::default() }).unwrap()
}

/// What is written of a delta, which has to be read as the same delta, and written again as the same.
fn round_trip(delta: &Delta) -> String {
    let written = delta.to_xydelta();
    let read = Delta::read(written.as_bytes(), &Default::default())
        .unwrap_or_else(|error| panic!("{error}\n{written}\n{delta:?}"));
    assert!(read.same_as(delta), "{written}\n{delta:?}\n{read:?}");
    assert!(delta.same_as(&read));
    let again = Delta::read(read.to_xydelta(), &Default::default()).unwrap();
    assert!(again.same_as(delta), "{written}\n{}", read.to_xydelta());
    written
}
