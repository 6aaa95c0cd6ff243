//! What can be made of deltas without the documents? Their inverse, and one delta of several.

use anyhow::Context;
use treediff::delta::{ComposeError, Delta};

use crate::args::{ComposeArgs, InvertArgs};
use crate::deltas;
use crate::exit::Trouble;

pub fn invert(args: &InvertArgs) -> anyhow::Result<()> {
    let delta = deltas::read(&args.delta, &args.limits.limits())?;
    deltas::write(&delta.inverted(), &args.written)
}

pub fn compose(args: &ComposeArgs) -> anyhow::Result<()> {
    if args.deltas.iter().filter(|file| file.as_os_str() == "-").count() > 1 {
        anyhow::bail!("only one of the deltas can come from standard input");
    }
    let limits = args.limits.limits();
    let read: Vec<Delta> = args.deltas.iter().map(|file| deltas::read(file, &limits)).collect::<Result<_, _>>()?;
    for (files, pair) in args.deltas.windows(2).zip(read.windows(2)) {
        let [first, second] = [&files[0], &files[1]].map(|file| file.display().to_string());
        pair[0].check_adjacent(&pair[1]).map_err(|error| told(error, &first, &second))?;
    }
    let composed = Delta::compose_all(&read)?.context("there is no delta to compose")?;
    deltas::write(&composed, &args.written)
}

/// Why the second file is none that comes after the first.
fn told(error: ComposeError, first: &str, second: &str) -> anyhow::Error {
    match error {
        ComposeError::Versions { .. } => {
            let message = format!("{second} does not begin with the version that {first} leads to");
            Trouble::new(message, "give the deltas of one history in their order").into()
        }
        ComposeError::Identities { to, from } => {
            let message =
                format!("{second} numbers the version that {first} leads to differently: {from} and not {to}");
            let hint = format!("make it anew with `deltaic diff --xids {first}`, so that nodes keep their XIDs");
            Trouble::new(message, hint).into()
        }
        error => anyhow::Error::from(error).context(format!("{second} does not follow {first}")),
    }
}
