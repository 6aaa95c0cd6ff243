//! Do the steps lead from each version to the next? They are walked one after the other: a delta is applied to the version
//! before, and must give the version after and its identities.

use std::sync::Arc;

use treediff::delta::{ApplyOptions, Delta, Identities, Xid, XidMap, document_hash};
use treediff::parse::Limits;
use treediff::tree::Document;

use super::Refusal;
use crate::engine::{Transaction, values};
use crate::frames::{FrameId, Frames};
use crate::page::PageId;
use crate::portable::lines::Break;
use crate::portable::names::StepForm;
use crate::record::commit;
use crate::record::prepare::{NewStep, NewVersion};
use crate::steps::Step;
use crate::{Result, Version, history, milliseconds, record};

/// Identities are counted on from the highest; beyond it there would be no room.
const HIGHEST_XID: Xid = Xid(1 << 53);

/// A way through the versions of a page.
pub(super) struct Walk {
    page: PageId,
    versions: std::vec::IntoIter<Version>,
    /// The version that was reached.
    document: Option<Arc<Document>>,
    /// The identities of its nodes, once there was a tree.
    identities: Option<Identities>,
}

impl Walk {
    pub(super) fn new(page: PageId, versions: Vec<Version>) -> Self {
        Walk { page, versions: versions.into_iter(), document: None, identities: None }
    }

    /// Takes a step, and stores it anew.
    pub(super) fn step(
        &mut self,
        transaction: &mut Transaction<'_>,
        frames: &mut Frames,
        number: u32,
        form: StepForm,
        bytes: &[u8],
    ) -> Result<(), Refusal> {
        let version = loop {
            match self.versions.next() {
                Some(version) if version.number == number => break version,
                Some(version) if version.number < number => self.first(transaction, frames, &version)?,
                _ => return Err(Refusal::new(format!("there is no version {number}, or steps are out of order"))),
            }
        };
        let content = history::content(transaction, frames, &version)?;
        let after = record::document(&version.details, &content);
        let (base, content) = (alone(transaction, &version)?, &*content);
        let base_bytes = base.map(|_| content);
        let (step, identities) = match form {
            StepForm::Delta => self.delta(bytes, after.as_ref(), base_bytes)?,
            StepForm::Break => self.broken(bytes, after.as_ref(), base_bytes)?,
        };
        write(transaction, self.page, &version, &step, base)?;
        (self.document, self.identities) = (after, Some(identities));
        Ok(())
    }

    /// No more steps come.
    pub(super) fn finish(&mut self, transaction: &mut Transaction<'_>, frames: &mut Frames) -> Result<(), Refusal> {
        while let Some(version) = self.versions.next() {
            self.first(transaction, frames, &version)?;
        }
        Ok(())
    }

    /// A version to which no step leads, because there was no tree before.
    fn first(
        &mut self,
        transaction: &mut Transaction<'_>,
        frames: &mut Frames,
        version: &Version,
    ) -> Result<(), Refusal> {
        if self.identities.is_some() {
            return Err(Refusal::new(format!("the step to version {} is missing", version.number)));
        }
        let content = history::content(transaction, frames, version)?;
        self.document = record::document(&version.details, &content);
        self.identities = self.document.as_deref().map(Identities::of_first_version);
        Ok(())
    }

    fn delta(
        &self,
        bytes: &[u8],
        after: Option<&Arc<Document>>,
        base: Option<&[u8]>,
    ) -> Result<(NewStep, Identities), Refusal> {
        let unreadable = |error: &dyn std::fmt::Display| Refusal::new(format!("the delta cannot be read: {error}"));
        let text = std::str::from_utf8(bytes).map_err(|error| unreadable(&error))?;
        let delta = Delta::read(text, &Limits::default()).map_err(|error| unreadable(&error))?;
        let (Some(before), Some(identities), Some(after)) = (&self.document, &self.identities, after) else {
            return Err(Refusal::new("it is a delta between versions that have no trees"));
        };
        let is_from_here = *delta.from_xids() == identities.xids && delta.from_hash() == document_hash(before);
        if !is_from_here || delta.to_hash() != document_hash(after) {
            return Err(Refusal::new("it does not lead from the version before to this one"));
        }
        let next = self.checked_next(delta.next_xid())?;
        let options = ApplyOptions { recover: true, ..ApplyOptions::default() };
        let applied = delta.apply(before, &options);
        applied.map_err(|error| Refusal::new(format!("the delta cannot be applied: {error}")))?;
        let step = Step::of_delta(&delta, before, after);
        if !step.delta_text().is_some_and(|written| text.starts_with(opening(written))) {
            return Err(Refusal::new("before the delta there is something that is none of it"));
        }
        let step = NewStep::new(&step, base)?;
        Ok((step, Identities { xids: delta.to_xids().clone(), next }))
    }

    fn broken(
        &self,
        bytes: &[u8],
        after: Option<&Arc<Document>>,
        base: Option<&[u8]>,
    ) -> Result<(NewStep, Identities), Refusal> {
        let Break { next, xids } = serde_json::from_slice(bytes).map_err(|error| Refusal::new(error.to_string()))?;
        let xids: XidMap = xids.parse().map_err(|_| Refusal::new("its identities cannot be read"))?;
        let nodes = after.map_or(0, |after| after.len() as u64 - 1);
        if xids.len() != nodes {
            return Err(Refusal::new(format!("it has {} identities, and the version has {nodes} nodes", xids.len())));
        }
        let identities = Identities { xids, next: self.checked_next(Xid(next))? };
        let step = Step::broken(identities.clone());
        Step::from_bytes(&step.to_bytes()).map_err(|error| Refusal::new(error.to_string()))?;
        Ok((NewStep::new(&step, base)?, identities))
    }

    fn checked_next(&self, next: Xid) -> Result<Xid, Refusal> {
        let is_later = self.identities.as_ref().is_none_or(|identities| identities.next <= next);
        if is_later && next <= HIGHEST_XID { Ok(next) } else { Err(Refusal::new("the next identity cannot be that")) }
    }
}

/// What a delta begins with: its declarations, each a line, and the name of its root.
fn opening(written: &str) -> &str {
    let mut root = written;
    while root.starts_with("<?") || root.starts_with("<!") {
        root = root.split_once('\n').map_or("", |(_, rest)| rest);
    }
    let name = root.find(' ').unwrap_or(root.len());
    &written[..written.len() - root.len() + name]
}

fn write(
    transaction: &mut Transaction<'_>,
    page: PageId,
    version: &Version,
    step: &NewStep,
    base: Option<FrameId>,
) -> Result<()> {
    let &Version { number, time, status, hash, .. } = version;
    let (time, details) = (milliseconds(time), String::new());
    let version = NewVersion { number, time, status, hash, content: None, details, step: None };
    commit::write_step(transaction, page, &version, step, base)
}

/// The frame of a version that has nothing else in it.
fn alone(transaction: &mut Transaction<'_>, version: &Version) -> Result<Option<FrameId>> {
    let sql = "SELECT f.id FROM content c JOIN frame f ON f.id = c.frame WHERE c.id = $1 AND f.length = c.length";
    transaction.first(sql, values![version.content], |mut row| row.take())
}
