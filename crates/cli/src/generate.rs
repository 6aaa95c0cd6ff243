//! What can be made from the flags? Shell completions and manual pages.

use std::io::{self, Write};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;

pub fn completions(shell: Shell) -> anyhow::Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "deltaic", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}

pub fn man(verb: Option<&str>) -> anyhow::Result<()> {
    let mut command = Cli::command();
    command.build();
    let command = match verb {
        None => command,
        Some(verb) => command.find_subcommand(verb).with_context(|| format!("unknown verb `{verb}`"))?.clone(),
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(io::stdout().lock().write_all(&page)?)
}
