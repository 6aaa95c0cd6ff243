//! What may be forgotten? Versions that no rule holds; the steps around them become one, so that nodes can still be
//! followed.

mod rules;

pub use rules::{Retention, Thinning};

use std::sync::Arc;

use jiff::Timestamp;
use treediff::delta::Delta;
use treediff::tree::Document;

use crate::engine::{Transaction, values};
use crate::frames::{self, Effort, Frames};
use crate::history::{self, content, known_page, recorded_identities, versions};
use crate::page::PageId;
use crate::{Address, Page, Result, Step, Store, Version, readers, record};
use rules::Dated;

/// What was dropped of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pruned {
    /// The page.
    pub address: Address,
    /// The numbers of the versions that are gone.
    pub numbers: Vec<u32>,
}

impl Store {
    /// The versions that would go by some rules: those of the pages whose URL matches a pattern.
    pub fn prunable(&self, pattern: &str, rules: &Retention, now: Timestamp) -> Result<Vec<Pruned>> {
        rules.check()?;
        let mut found = Vec::new();
        let mut pages = Vec::new();
        self.for_each_page(pattern, |page| {
            pages.push(page);
            Ok(())
        })?;
        for page in pages {
            let numbers = self.database.read(|transaction| dropped(transaction, &page, rules, now))?;
            if !numbers.is_empty() {
                found.push(Pruned { address: page.address, numbers });
            }
        }
        Ok(found)
    }

    /// Drops versions by some rules, page by page; tells of every page of which something was dropped. The space is given
    /// back when the store is compacted.
    pub fn prune(
        &self,
        pattern: &str,
        rules: &Retention,
        now: Timestamp,
        mut progress: impl FnMut(&Pruned),
    ) -> Result<()> {
        for Pruned { address, .. } in self.prunable(pattern, rules, now)? {
            let numbers = self.database.write(|transaction| {
                let page = known_page(transaction, &address)?;
                // Nobody else writes to the page from here on.
                transaction.execute("UPDATE page SET latest = latest WHERE id = $1", values![page.id])?;
                let numbers = dropped(transaction, &page, rules, now)?;
                drop_versions(transaction, &page, &numbers)?;
                Ok(numbers)
            })?;
            progress(&Pruned { address, numbers });
        }
        Ok(())
    }
}

fn dropped(transaction: &mut Transaction<'_>, page: &Page, rules: &Retention, now: Timestamp) -> Result<Vec<u32>> {
    let saved = readers::saved(transaction, page.id)?;
    let dated = versions(transaction, page.id)?.into_iter().map(|Version { number, time, .. }| Dated {
        number,
        time,
        is_saved: saved.contains(&number),
    });
    Ok(rules.dropped(&dated.collect::<Vec<_>>(), now))
}

fn drop_versions(transaction: &mut Transaction<'_>, page: &Page, dropped: &[u32]) -> Result<()> {
    let all = versions(transaction, page.id)?;
    let is_kept = |version: &&Version| !dropped.contains(&version.number);
    let mut before: Option<&Version> = None;
    for version in all.iter().filter(is_kept) {
        let is_bridge = before.map_or(version.number != all[0].number, |before| {
            all.iter().any(|other| other.number > before.number && other.number < version.number)
        });
        if is_bridge {
            bridge(transaction, page.id, before, version)?;
        }
        before = Some(version);
    }
    for version in all.iter().filter(|version| dropped.contains(&version.number)) {
        forget(transaction, page.id, version)?;
    }
    Ok(())
}

/// Makes one step of those that lead from a version to another over versions that go.
fn bridge(transaction: &mut Transaction<'_>, page: PageId, before: Option<&Version>, after: &Version) -> Result<()> {
    let mut frames = Frames::default();
    let Some(identities) = recorded_identities(transaction, &mut frames, page, after.number)? else { return Ok(()) };
    let composed = before.map_or(Ok(None), |before| composed(transaction, page, before, after))?;
    let bytes = match (composed, before) {
        (Some(delta), Some(before)) => {
            let [before, after] = [before, after].map(|version| document(transaction, &mut frames, version));
            step_of(&delta, before?.as_deref(), after?.as_deref())
        }
        _ => None,
    };
    let step = bytes.unwrap_or_else(|| Step::broken(identities).to_bytes());
    replace_step(transaction, &mut frames, page, after, &step)
}

fn composed(
    transaction: &mut Transaction<'_>,
    page: PageId,
    before: &Version,
    after: &Version,
) -> Result<Option<Delta>> {
    let sql = "SELECT number FROM version WHERE page = $1 AND number > $2 AND number <= $3 ORDER BY number";
    let numbers: Vec<u32> = transaction.all(sql, values![page, before.number, after.number], |mut row| row.take())?;
    let deltas = history::deltas(transaction, page, &numbers)?;
    Ok(deltas.and_then(|deltas| Delta::compose_all(&deltas).ok().flatten()))
}

fn document(
    transaction: &mut Transaction<'_>,
    frames: &mut Frames,
    version: &Version,
) -> Result<Option<Arc<Document>>> {
    Ok(record::document(&version.details, &content(transaction, frames, version)?))
}

fn step_of(delta: &Delta, before: Option<&Document>, after: Option<&Document>) -> Option<Vec<u8>> {
    Step::of_sound_delta(delta, before?, after?).map(|step| step.to_bytes())
}

fn replace_step(
    transaction: &mut Transaction<'_>,
    frames: &mut Frames,
    page: PageId,
    after: &Version,
    step: &[u8],
) -> Result<()> {
    let sql = "SELECT frame FROM content WHERE id = $1";
    let base = transaction.first(sql, values![after.content], |mut row| row.take::<i64>())?;
    let raw = base.map(|base| frames.raw(transaction, base)).transpose()?;
    let data = frames::compress(step, raw.as_deref().map(|raw| &**raw), Effort::Live)?;
    let frame = frames::insert(transaction, base, step.len(), 0, &data)?;
    let kinds = u32::from(Step::from_bytes(step)?.kinds().bits());
    let sql = "UPDATE step SET frame = $1, start = 0, length = $2, kinds = $3 WHERE page = $4 AND number = $5";
    transaction.execute(sql, values![frame, step.len(), kinds, page, after.number])?;
    Ok(())
}

/// Takes a version away, and its content where no other version has it.
fn forget(transaction: &mut Transaction<'_>, page: PageId, version: &Version) -> Result<()> {
    let of_version = values![page, version.number];
    transaction.execute("DELETE FROM step WHERE page = $1 AND number = $2", of_version)?;
    transaction.execute("DELETE FROM bookmark WHERE page = $1 AND number = $2 AND saved = 0", of_version)?;
    transaction.execute("DELETE FROM version WHERE page = $1 AND number = $2", of_version)?;
    let sql = "DELETE FROM content WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM version WHERE content = $1)";
    transaction.execute(sql, values![version.content])?;
    Ok(())
}
