//! What if deltas between trees are kept in place of versions? One version whole, and XyDeltas that lead to the others.
//!
//! What comes back is the same tree, and the same bytes only where nothing changed: white space that is layout, and how
//! something new was quoted, are not in a XyDelta. A version that cannot be reached by deltas is kept whole.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use treediff::delta::{ApplyOptions, Delta, Identities, Options, document_hash};
use treediff::parse;
use treediff::tree::{Document, Format};
use treediff::{matching, write};

use super::codec::{self, Coding};
use super::collection::{Collection, History, Place};
use super::strategies::{Archive, Keeper};

/// Deltas between neighbours.
pub struct XyDeltas {
    pub whole: Whole,
    pub form: Form,
}

/// The version that is kept whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Whole {
    First,
    Latest,
}

/// How a delta is written down; the whole version is compressed where deltas are.
#[derive(Clone, Copy)]
pub enum Form {
    Text,
    Zstd(Coding),
}

pub fn parsed(source: &[u8], format: Format) -> Result<Document> {
    let options = parse::Options { recover: true, ..parse::Options::default() };
    Ok(parse::parse(source, format, &options)?.document)
}

/// The deltas of a history, from every version to the next; none where there is no such delta.
pub fn steps(history: &History) -> Vec<Option<Delta>> {
    let mut before: Option<(Arc<Document>, Identities)> = None;
    let mut steps = Vec::with_capacity(history.versions.len());
    for version in &history.versions {
        let after = parsed(version, history.format).ok().map(Arc::new);
        let step = before.take().zip(after.as_ref()).and_then(|((document, identities), after)| {
            let matching = matching::auto(&document, after, &Default::default());
            let options = Options { identities: Some(identities), ..Options::default() };
            Delta::between(&document, after, &matching, &options).ok()
        });
        before = after.map(|after| {
            let identities = match &step {
                Some(delta) => Identities { xids: delta.to_xids().clone(), next: delta.next_xid() },
                None => Identities::of_first_version(&after),
            };
            (after, identities)
        });
        steps.push(step);
    }
    // Nothing leads to the first version.
    steps.split_off(1.min(steps.len()))
}

/// What is kept of a version.
enum Record {
    Whole {
        data: Vec<u8>,
        length: usize,
    },
    /// Leads to this version from the one beside it, or from this one to that; deltas are complete.
    Delta {
        data: Vec<u8>,
        length: usize,
    },
}

impl Keeper for XyDeltas {
    fn keep<'c>(&self, collection: &'c Collection<'_>, _: &Path) -> Result<Box<dyn Archive + 'c>> {
        let histories = collection.histories.iter().map(|history| self.records(history)).collect::<Result<_>>()?;
        Ok(Box::new(Kept { whole: self.whole, form: self.form, collection, histories }))
    }
}

impl XyDeltas {
    fn records(&self, history: &History) -> Result<Vec<Record>> {
        let steps = steps(history);
        let record = |(at, version): (usize, &Vec<u8>)| {
            // The step behind a version leads away from it, the one before it leads to it.
            let step = match self.whole {
                Whole::First => at.checked_sub(1),
                Whole::Latest => Some(at),
            };
            match step.and_then(|step| steps.get(step)).and_then(Option::as_ref) {
                Some(delta) => self.form.delta(delta),
                None => Ok(Record::Whole { data: self.form.written(version)?, length: version.len() }),
            }
        };
        history.versions.iter().enumerate().map(record).collect()
    }
}

impl Form {
    fn written(self, version: &[u8]) -> Result<Vec<u8>> {
        match self {
            Form::Text => Ok(version.to_vec()),
            Form::Zstd(coding) => coding.encoded(version, None),
        }
    }

    fn delta(self, delta: &Delta) -> Result<Record> {
        let text = delta.to_xydelta().into_bytes();
        Ok(Record::Delta { length: text.len(), data: self.written(&text)? })
    }

    fn read(self, data: &[u8], length: usize) -> Result<Vec<u8>> {
        match self {
            Form::Text => Ok(data.to_vec()),
            Form::Zstd(_) => codec::decoded(data, length, None),
        }
    }
}

struct Kept<'c> {
    whole: Whole,
    form: Form,
    collection: &'c Collection<'c>,
    histories: Vec<Vec<Record>>,
}

impl Archive for Kept<'_> {
    fn bytes(&self) -> u64 {
        let records = self.histories.iter().flatten();
        records.map(|(Record::Whole { data, .. } | Record::Delta { data, .. })| data.len() as u64).sum()
    }

    fn read(&self, place: Place) -> Result<Vec<u8>> {
        let records = &self.histories[place.history];
        let format = self.collection.histories[place.history].format;
        let nearer = |at: usize| match self.whole {
            Whole::First => at.checked_sub(1),
            Whole::Latest => Some(at + 1),
        };
        let mut deltas = Vec::new();
        let mut at = place.version;
        let source = loop {
            match records.get(at).context("a chain without an end")? {
                Record::Whole { data, length } => break self.form.read(data, *length)?,
                Record::Delta { data, length } => {
                    deltas.push(Delta::read(self.form.read(data, *length)?, &Default::default())?)
                }
            }
            at = nearer(at).context("a chain without an end")?;
        };
        if deltas.is_empty() {
            return Ok(source);
        }
        let mut document = parsed(&source, format)?;
        let options = ApplyOptions { recover: true, ..ApplyOptions::default() };
        for delta in deltas.into_iter().rev() {
            let delta = if self.whole == Whole::Latest { delta.inverted() } else { delta };
            document = delta.apply(&document, &options)?.document;
        }
        Ok(write::source(&document))
    }

    fn is_same(&self, place: Place, found: &[u8]) -> bool {
        let format = self.collection.histories[place.history].format;
        let hash = |source| parsed(source, format).ok().map(|document| document_hash(&document));
        hash(found).is_some_and(|found| Some(found) == hash(self.collection.content(place)))
    }
}
