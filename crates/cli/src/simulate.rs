//! What would a changed version look like? One made by chance, and the delta that knows what happened.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use treediff::delta::{self, Delta};
use treediff::simulate::{Rates, simulate};
use treediff::write;

use crate::args::SimulateArgs;
use crate::exit::Trouble;
use crate::{deltas, input, output};

pub fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    check_places(args)?;
    let options = args.reading.options();
    let before = Arc::new(input::read(&args.file, &args.reading)?.document.with_sorted_members());
    let rates = Rates { delete: args.delete, update: args.update, insert: args.insert, moved: args.moved };
    let simulated = simulate(&before, &rates, args.seed, &options).with_context(|| args.file.display().to_string())?;
    tell_moved(args.moved, simulated.moved);
    let version = write::source(&simulated.document);
    let write_delta = || {
        let Some(file) = &args.delta else { return Ok(()) };
        let options = delta::Options { whitespace: options.whitespace, ..Default::default() };
        let delta = Delta::between(&before, &simulated.document, &simulated.matching, &options)?;
        output::write(Some(file), |out| deltas::write_to(&delta, false, out))
    };
    // The delta comes once there is a place for the version: neither is left alone. What is wrong with the delta's place
    // is no matter of the version's.
    let mut trouble = None;
    let written = output::write(args.output.file.as_deref(), |out| {
        out.write_all(&version)?;
        write_delta().or_else(|error| {
            trouble = Some(error);
            bail!("the delta was not written")
        })
    });
    trouble.map_or(written, Err)
}

/// Refuses a version and a delta of which one would be written over the other.
fn check_places(args: &SimulateArgs) -> anyhow::Result<()> {
    let Some(delta) = &args.delta else { return Ok(()) };
    let [version, delta] = [args.output.file.as_deref(), Some(delta)].map(|file| file.filter(|file| !is_stdout(file)));
    let place = match [version, delta] {
        [None, None] => "standard output".to_owned(),
        [Some(version), Some(delta)] if target(version) == target(delta) => version.display().to_string(),
        _ => return Ok(()),
    };
    let message = format!("version and delta would both be written to {place}");
    Err(Trouble::new(message, "-o FILE writes the version elsewhere, --delta FILE the delta").into())
}

fn is_stdout(file: &Path) -> bool {
    file.as_os_str() == "-"
}

/// What is written to where this file is named: the end of its links, or where it is still to come the end of its folder's.
fn target(file: &Path) -> PathBuf {
    let beside = || {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(file.file_name()?))
    };
    fs::canonicalize(file).ok().or_else(beside).unwrap_or_else(|| file.to_owned())
}

/// Says where far less moved than was asked for, since what finds no place stays where it is.
fn tell_moved(wished: f64, reached: f64) {
    if reached < 0.9 * wished {
        // There is nowhere left to tell that it could not be told.
        let _ = writeln!(
            anstream::stderr(),
            "deltaic: warning: moved {:.1} % of the nodes where {:.1} % were asked for; what found no place stayed",
            100.0 * reached,
            100.0 * wished
        );
    }
}
