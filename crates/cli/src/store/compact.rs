//! How small can it be? Versions that are like one another are packed together.

use std::io::{self, Write};

use serde::Serialize;
use store::Error;

use super::place;
use super::progress::Progress;
use super::words::helped;
use crate::args::CompactArgs;
use crate::node_record::write_line;

pub fn run(args: &CompactArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    // Where that cannot be told, as where a table is hurt, it is compacted all the same.
    let before = store.stats().ok();
    let progress = Progress::of(before.map_or(0, |stats| stats.pages), "pages");
    let compacted = store.compact(|_| progress.advance(1));
    drop(progress);
    let is_done = matches!(compacted, Ok(()) | Err(Error::Hurt { .. }));
    if let Some((before, after)) = before.filter(|_| is_done).zip(store.stats().ok()) {
        Compacted { before_bytes: before.disk_bytes, after_bytes: after.disk_bytes }.write(args.json)?;
    }
    compacted.map_err(helped)
}

/// What it took on disk, and takes.
#[derive(Debug, Serialize)]
struct Compacted {
    before_bytes: u64,
    after_bytes: u64,
}

impl Compacted {
    /// A line such as `81920 bytes on disk, 122880 before`.
    fn write(&self, json: bool) -> io::Result<()> {
        let mut stdout = io::stdout().lock();
        if json {
            return write_line(self, &mut stdout);
        }
        writeln!(stdout, "{} bytes on disk, {} before", self.after_bytes, self.before_bytes)
    }
}
