//! How much is kept, and how much space does it take?

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use store::Stats;

use super::place;
use crate::args::StatsArgs;
use crate::node_record::write_line;

pub fn run(args: &StatsArgs) -> anyhow::Result<()> {
    let counted = Counted::of(place::open_existing(&args.store)?.stats()?);
    let mut stdout = io::stdout().lock();
    if args.json {
        write_line(&counted, &mut stdout)?
    } else {
        counted.write_table(&mut stdout)?
    }
    Ok(())
}

/// Numbers about a store in `--json` output.
#[derive(Debug, Serialize)]
struct Counted {
    pages: u64,
    versions: u64,
    version_bytes: u64,
    contents: u64,
    content_bytes: u64,
    steps: u64,
    step_bytes: u64,
    disk_bytes: u64,
    readers: u64,
}

impl Counted {
    fn of(stats: Stats) -> Self {
        let Stats { pages, versions, version_bytes, contents, content_bytes, steps, step_bytes, disk_bytes, readers } =
            stats;
        Counted { pages, versions, version_bytes, contents, content_bytes, steps, step_bytes, disk_bytes, readers }
    }

    fn write_table(&self, out: &mut impl Write) -> io::Result<()> {
        let mut row = |name: &str, value: &dyn Display| writeln!(out, "{name:<26}{value}");
        row("pages", &self.pages)?;
        row("versions", &self.versions)?;
        row("  bytes as captured", &self.version_bytes)?;
        row("different contents", &self.contents)?;
        row("  bytes as kept", &self.content_bytes)?;
        row("steps between versions", &self.steps)?;
        row("  bytes as kept", &self.step_bytes)?;
        row("readers", &self.readers)?;
        row("bytes on disk", &self.disk_bytes)
    }
}
