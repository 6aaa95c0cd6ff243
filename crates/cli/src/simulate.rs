//! What would a changed version look like? One made by chance, and the delta that knows what happened.

use std::sync::Arc;

use anyhow::Context;
use treediff::delta::{self, Delta};
use treediff::simulate::{Rates, simulate};
use treediff::write;

use crate::args::SimulateArgs;
use crate::{deltas, input, output};

pub fn run(args: &SimulateArgs) -> anyhow::Result<()> {
    let options = args.reading.options();
    let before = Arc::new(input::read(&args.file, &args.reading)?.document.with_sorted_members());
    let rates = Rates { delete: args.delete, update: args.update, insert: args.insert, moved: args.moved };
    let simulated = simulate(&before, &rates, args.seed, &options).with_context(|| args.file.display().to_string())?;
    if let Some(file) = &args.delta {
        let options = delta::Options { whitespace: options.whitespace, ..Default::default() };
        let delta = Delta::between(&before, &simulated.document, &simulated.matching, &options)?;
        output::write(Some(file), |out| deltas::write_to(&delta, false, out))?;
    }
    let version = write::source(&simulated.document);
    output::write(args.output.file.as_deref(), |out| Ok(out.write_all(&version)?))
}
