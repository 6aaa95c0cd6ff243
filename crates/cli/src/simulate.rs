//! What would a changed version look like? One made by chance, and the delta that knows what happened.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context;
use treediff::delta::{self, Delta};
use treediff::simulate::{Rates, simulate};
use treediff::write;

use crate::args::SimulateArgs;
use crate::exit::Trouble;
use crate::{deltas, input, output};

pub fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    let is_stdout = |file: Option<&Path>| file.is_none_or(|file| file.as_os_str() == "-");
    if is_stdout(args.output.file.as_deref()) && args.delta.as_deref().is_some_and(|file| is_stdout(Some(file))) {
        let message = "version and delta would both be written to standard output";
        return Err(Trouble::new(message, "-o FILE writes the version elsewhere, --delta FILE the delta").into());
    }
    let options = args.reading.options();
    let before = Arc::new(input::read(&args.file, &args.reading)?.document.with_sorted_members());
    let rates = Rates { delete: args.delete, update: args.update, insert: args.insert, moved: args.moved };
    let simulated = simulate(&before, &rates, args.seed, &options).with_context(|| args.file.display().to_string())?;
    tell_moved(args.moved, simulated.moved);
    let version = write::source(&simulated.document);
    // The delta comes once there is a place for the version: neither is left alone.
    output::write(args.output.file.as_deref(), |out| {
        out.write_all(&version)?;
        let Some(file) = &args.delta else { return Ok(()) };
        let options = delta::Options { whitespace: options.whitespace, ..Default::default() };
        let delta = Delta::between(&before, &simulated.document, &simulated.matching, &options)?;
        output::write(Some(file), |out| deltas::write_to(&delta, false, out))
    })
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
