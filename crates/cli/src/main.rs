//! `deltaic`: change management for the web, from a terminal.

mod args;
mod canon;
mod combine;
mod compare;
mod deltas;
mod diff;
mod exit;
mod generate;
mod git;
mod htmldiff;
mod input;
mod language;
mod locate;
#[cfg(target_os = "linux")]
mod memory;
mod node_record;
mod outline;
mod output;
mod patch;
mod select;
mod simulate;
mod stats;
mod store;
mod terminal;
mod tree;
mod waiting;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Verb};
use exit::Ending;

/// The system's own is as fast where it is that of GNU, and takes less.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    memory::prepare(std::env::args_os().skip(1));
    exit::code(run(Cli::parse().verb))
}

fn run(verb: Verb) -> anyhow::Result<Ending> {
    match verb {
        Verb::Diff(args) => return diff::run(&args),
        Verb::Htmldiff(args) => return htmldiff::run(&args),
        Verb::Locate(args) => return locate::run(&args),
        Verb::Export(args) => return crate::store::portable::export(&args),
        Verb::Tree(args) => tree::run(&args),
        Verb::Canon(args) => canon::run(&args),
        Verb::Select(args) => select::run(&args),
        Verb::Patch(args) => patch::run(&args),
        Verb::Invert(args) => combine::invert(&args),
        Verb::Compose(args) => combine::compose(&args),
        Verb::Simulate(args) => simulate::run(&args),
        Verb::Record(args) => crate::store::record::run(&args),
        Verb::History(args) => crate::store::history::run(&args),
        Verb::Show(args) => crate::store::show::run(&args),
        Verb::Pages(args) => crate::store::pages::run(&args),
        Verb::Seen(args) => crate::store::seen::run(&args),
        Verb::Trace(args) => crate::store::trace::run(&args),
        Verb::Blame(args) => crate::store::blame::run(&args),
        Verb::Changes(args) => crate::store::changes::run(&args),
        Verb::Stats(args) => crate::store::stats::run(&args),
        Verb::Verify(args) => crate::store::verify::run(&args),
        Verb::Prune(args) => crate::store::prune::run(&args),
        Verb::Backup(args) => crate::store::portable::backup(&args),
        Verb::Import(args) => crate::store::portable::import(&args),
        Verb::Compact(args) => crate::store::compact::run(&args),
        Verb::Completions { shell } => generate::completions(shell),
        Verb::Man { verb } => generate::man(verb.as_deref()),
    }
    .map(|()| Ending::Done)
}
