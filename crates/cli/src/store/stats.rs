//! How much is kept, and how much space does it take?

use std::fmt::Display;
use std::io::{self, Write};

use store::Stats;

use super::place;
use crate::args::StatsArgs;
use crate::node_record::write_line;

pub fn run(args: &StatsArgs) -> anyhow::Result<()> {
    let stats = place::open_existing(&args.store)?.stats()?;
    let mut stdout = io::stdout().lock();
    if args.json {
        write_line(&stats, &mut stdout)?
    } else {
        write_table(&stats, &mut stdout)?
    }
    Ok(())
}

fn write_table(stats: &Stats, out: &mut impl Write) -> io::Result<()> {
    let mut row = |name: &str, value: &dyn Display| writeln!(out, "{name:<26}{value}");
    row("pages", &stats.pages)?;
    row("  now as another is", &stats.mirrors)?;
    row("versions", &stats.versions)?;
    row("  bytes as captured", &stats.version_bytes)?;
    row("different contents", &stats.contents)?;
    row("  bytes as kept", &stats.content_bytes)?;
    row("steps between versions", &stats.steps)?;
    row("  bytes as kept", &stats.step_bytes)?;
    row("readers", &stats.readers)?;
    row("bytes on disk", &stats.disk_bytes)
}
