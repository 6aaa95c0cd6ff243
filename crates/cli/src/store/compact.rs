//! How small can it be? Versions that are like one another are packed together.

use super::place;
use super::progress::Progress;
use super::words::helped;
use crate::args::CompactArgs;

pub fn run(args: &CompactArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let progress = Progress::of(store.stats().map_or(0, |stats| stats.pages), "pages");
    store.compact(|_| progress.advance(1)).map_err(helped)
}
