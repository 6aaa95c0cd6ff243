//! What may be forgotten? Versions that no rule holds; the steps around them become one, so that nodes can still be
//! followed.

mod rules;

pub use rules::{Retention, Thinning};

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;
use treediff::delta::Delta;
use treediff::tree::Document;

use crate::engine::{Transaction, values};
use crate::frames::{self, Effort, Frames, Piece};
use crate::history::{self, content, known_page, matches, pages_behind, range, recorded_identities, versions};
use crate::page::PageId;
use crate::steps::rows::StepRow;
use crate::verify::Hurt;
use crate::{Address, Page, Result, Step, Store, Version, milliseconds, readers, record};
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
    /// Tells which versions would go by some rules: those of the pages whose URL matches a pattern.
    ///
    /// # Errors
    /// As [`Store::prune`].
    pub fn prunable(&self, pattern: &str, rules: &Retention, now: Timestamp, each: impl FnMut(&Pruned)) -> Result<()> {
        let decision = self.decision(rules, now)?;
        self.page_by_page(pattern, |page| self.database.read(|transaction| decision.dropped(transaction, page)), each)
    }

    /// Drops versions by some rules, page by page; tells of every page of which something was dropped. The space is given
    /// back when the store is compacted.
    ///
    /// # Errors
    /// Where something of a page is hurt, nothing of that page is dropped; this is told once all others were gone through.
    /// Where a reader has lost notes nothing is dropped at all: it might be what was saved.
    pub fn prune(&self, pattern: &str, rules: &Retention, now: Timestamp, progress: impl FnMut(&Pruned)) -> Result<()> {
        let decision = self.decision(rules, now)?;
        let drop = |page: &Page| {
            // Most pages have nothing to drop, and nobody has to wait for that.
            if self.database.read(|transaction| decision.dropped(transaction, page))?.is_empty() {
                return Ok(Vec::new());
            }
            self.database.write(|transaction| {
                let page = known_page(transaction, &page.address)?;
                // Nobody else writes to the page from here on.
                transaction.execute("UPDATE page SET latest = latest WHERE id = $1", values![page.id])?;
                let numbers = decision.dropped(transaction, &page)?;
                drop_versions(transaction, &page, &numbers)?;
                Ok(numbers)
            })
        };
        self.page_by_page(pattern, drop, progress)
    }

    /// Told once, before anything goes: to look at all notes for every page would take too long.
    fn decision<'r>(&self, rules: &'r Retention, now: Timestamp) -> Result<Decision<'r>> {
        rules.check()?;
        let saved = self.database.read(|transaction| {
            readers::rows::expect_all_notes(transaction)?;
            readers::all_saved(transaction)
        })?;
        Ok(Decision { rules, now, saved })
    }

    fn page_by_page(
        &self,
        pattern: &str,
        numbers: impl Fn(&Page) -> Result<Vec<u32>>,
        mut each: impl FnMut(&Pruned),
    ) -> Result<()> {
        let (from, to) = range(pattern);
        let mut last = (from, 0);
        let mut hurt = Hurt::default();
        // Not all at once: there may be millions, and no transaction is open while one is dealt with.
        while last.0 < to {
            let pages = self.database.read(|transaction| pages_behind(transaction, &last))?;
            let Some(end) = pages.last() else { break };
            last = (end.address.url().to_owned(), end.id);
            for page in pages.into_iter().filter(|page| matches(pattern, page.address.url())) {
                match numbers(&page) {
                    Ok(numbers) if numbers.is_empty() => {}
                    Ok(numbers) => each(&Pruned { address: page.address, numbers }),
                    Err(error) => hurt.note(page.address.to_string(), error)?,
                }
            }
        }
        hurt.told()
    }
}

/// By what it is decided which versions go.
struct Decision<'r> {
    rules: &'r Retention,
    now: Timestamp,
    /// What was saved when it began, by the table of notes itself.
    saved: HashSet<(PageId, u32)>,
}

impl Decision<'_> {
    fn dropped(&self, transaction: &mut Transaction<'_>, page: &Page) -> Result<Vec<u32>> {
        // What was saved since then is found by an index, which may have lost what was saved before.
        let saved = readers::saved(transaction, page)?;
        let dated = versions(transaction, page.id)?.into_iter().map(|Version { number, time, .. }| Dated {
            number,
            time,
            is_saved: saved.contains(&number) || self.saved.contains(&(page.id, number)),
        });
        Ok(self.rules.dropped(&dated.collect::<Vec<_>>(), self.now))
    }
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
    let piece = Piece { frame, start: 0, length: step.len() };
    StepRow { page, number: after.number, time: milliseconds(after.time), piece, kinds }.replace(transaction)
}

/// Takes a version away, and its content where no other version has it.
fn forget(transaction: &mut Transaction<'_>, page: PageId, version: &Version) -> Result<()> {
    let of_version = values![page, version.number];
    transaction.execute("DELETE FROM step WHERE page = $1 AND number = $2", of_version)?;
    readers::rows::forget(transaction, page, version.number)?;
    transaction.execute("DELETE FROM version WHERE page = $1 AND number = $2", of_version)?;
    let sql = "DELETE FROM content WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM version WHERE content = $1)";
    transaction.execute(sql, values![version.content])?;
    Ok(())
}
