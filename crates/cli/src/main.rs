//! `deltaic`: change management for the web, from a terminal.

mod args;
mod canon;
mod exit;
mod generate;
mod input;
mod outline;
mod record;
mod select;
mod stats;
mod tree;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Verb};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    exit::code(run(Cli::parse().verb))
}

fn run(verb: Verb) -> anyhow::Result<()> {
    match verb {
        Verb::Tree(args) => tree::run(&args),
        Verb::Canon(args) => canon::run(&args),
        Verb::Select(args) => select::run(&args),
        Verb::Completions { shell } => generate::completions(shell),
        Verb::Man { verb } => generate::man(verb.as_deref()),
    }
}
