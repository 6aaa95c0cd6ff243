//! What was recorded between two versions of a page?

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use store::{Address, Store, Version};
use treediff::delta::Delta;
use treediff::matching;
use treediff::tree::Document;

use super::{meant, place};
use crate::args::Reading;
use crate::compare::Comparison;

/// The versions as the store reads them, and the delta that leads from one to the other through the history.
pub fn comparison(arguments: [&Path; 2], reading: &Reading) -> anyhow::Result<Comparison> {
    let start = Instant::now();
    let [Some(before), Some(after)] = arguments.map(meant::page) else {
        bail!("--recorded is for two versions of a page, such as https://example.org/page@7");
    };
    let store = place::open_existing(&reading.store)?;
    let (address, before) = meant::version(&store, before, &reading.store)?;
    let (other, after) = meant::version(&store, after, &reading.store)?;
    if address != other {
        bail!("`{address}` and `{other}` are two pages; --recorded is for versions of one");
    }
    let delta = match before.number == after.number {
        true => None,
        false => Some(delta(&store, &address, [before.number, after.number])?),
    };
    let [before, after] = [document(&store, &before)?, document(&store, &after)?];
    let delta = match delta {
        Some(delta) => delta,
        None => {
            let matching = matching::auto(&before, &after, &matching::Options::default());
            Delta::between(&before, &after, &matching, &Default::default())?
        }
    };
    let parsing = start.elapsed();
    Ok(Comparison { before, after, delta, notes: Default::default(), parsing, comparing: Duration::ZERO })
}

fn delta(store: &Store, address: &Address, [before, after]: [u32; 2]) -> anyhow::Result<Delta> {
    let message = || {
        let versions = format!("from {before} to {after}");
        format!("not all versions of `{address}` {versions} are trees of one format, so that there is no delta")
    };
    store.delta(address, before, after)?.with_context(message)
}

fn document(store: &Store, version: &Version) -> anyhow::Result<Arc<Document>> {
    store.document(version)?.with_context(|| format!("version {} is no tree", version.number))
}
