//! What can be made of deltas without the documents? Their inverse, and one delta of several.

use anyhow::Context;
use treediff::delta::Delta;

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
    let mut pairs = args.deltas.windows(2).zip(read.windows(2));
    if let Some((files, _)) = pairs.find(|(_, pair)| pair[0].to_hash() != pair[1].from_hash()) {
        let [first, second] = [&files[0], &files[1]].map(|file| file.display());
        let message = format!("{second} does not begin with the version that {first} leads to");
        return Err(Trouble::new(message, "give the deltas of one history in their order").into());
    }
    let composed = Delta::compose_all(&read).map_err(helped)?.context("there is no delta to compose")?;
    deltas::write(&composed, &args.written)
}

fn helped(error: treediff::delta::ComposeError) -> anyhow::Error {
    use treediff::delta::ComposeError::Identities;
    match error {
        Identities { .. } => {
            let hint =
                "make each delta with `deltaic diff --xids` and the delta before it, so that nodes keep their XIDs";
            Trouble::new(error.to_string(), hint).into()
        }
        error => error.into(),
    }
}
