//! Is everything there, and as it was?

use std::io::{self, Write};

use serde::Serialize;
use store::{Store, Verified};
use treediff::render::printable;

use super::place;
use super::progress::Progress;
use super::words::counted;
use crate::args::VerifyArgs;
use crate::exit::Trouble;
use crate::node_record::write_line;

pub fn run(args: &VerifyArgs) -> anyhow::Result<()> {
    let store = place::open_existing(&args.store)?;
    let verified = verified(&store)?;
    let mut stdout = io::stdout().lock();
    if args.json {
        write_line(&Looked::of(&verified), &mut stdout)?;
    } else {
        write(&verified, &mut stdout)?;
    }
    match verified.faults.len() {
        0 => Ok(()),
        count => {
            let message = format!("{count} {} hurt", if count == 1 { "thing is" } else { "things are" });
            Err(Trouble::new(message, "what is not named can still be read; a backup has the rest").into())
        }
    }
}

fn verified(store: &Store) -> anyhow::Result<Verified> {
    let progress = Progress::of(store.stats().map_or(0, |stats| stats.pages), "pages");
    Ok(store.verify(|_| progress.advance(1))?)
}

fn write(verified: &Verified, out: &mut impl Write) -> io::Result<()> {
    for fault in &verified.faults {
        writeln!(out, "{}: {}", printable(&fault.what), printable(&fault.why))?;
    }
    let Verified { pages, versions, steps, faults } = verified;
    let verdict = if faults.is_empty() { ": all is well" } else { "" };
    let looked_at = [(pages, "page"), (versions, "version"), (steps, "step")];
    let looked_at = looked_at.map(|(count, thing)| counted(*count, thing)).join(", ");
    writeln!(out, "looked at {looked_at}{verdict}")
}

/// What was looked at in `--json` output.
#[derive(Debug, Serialize)]
struct Looked<'a> {
    pages: u64,
    versions: u64,
    steps: u64,
    faults: Vec<Hurt<'a>>,
}

#[derive(Debug, Serialize)]
struct Hurt<'a> {
    what: &'a str,
    why: &'a str,
}

impl<'a> Looked<'a> {
    fn of(verified: &'a Verified) -> Self {
        let Verified { pages, versions, steps, ref faults } = *verified;
        let faults = faults.iter().map(|fault| Hurt { what: &fault.what, why: &fault.why }).collect();
        Looked { pages, versions, steps, faults }
    }
}
