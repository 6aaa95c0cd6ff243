//! What is new about the captures of a page? Found out with the latest version at hand, while others may write.

use std::collections::HashMap;
use std::sync::Arc;

use treediff::delta::{Delta, Identities, Options, Xid, XidMap};
use treediff::matching;
use treediff::tree::Document;

use super::OfPage;
use super::response::{self, Understood};
use crate::engine::Transaction;
use crate::frames::{self, Effort, FrameId, Frames, MOST_BYTES};
use crate::history::{self, Latest};
use crate::page::PageId;
use crate::steps::Step;
use crate::{Address, Capture, Error, Outcome, Recorded, Response, Result, milliseconds};

/// What is to be written for the captures of one page.
#[derive(Debug)]
pub(crate) struct CheckIn {
    pub(crate) address: Address,
    pub(crate) page: Option<PageId>,
    /// The number of the version that all of this was compared with; 0 for none.
    pub(crate) expected: u32,
    pub(crate) canonical: Option<String>,
    pub(crate) entries: Vec<Entry>,
    /// New contents, oldest first.
    pub(crate) contents: Vec<NewContent>,
    /// The frame of the version before, as a difference from the first new content.
    pub(crate) rebased: Option<(FrameId, Vec<u8>)>,
    pub(crate) results: Vec<(usize, Result<Recorded>)>,
    /// What it was made of, if it has to be made anew.
    pub(crate) captures: OfPage,
}

/// One line of history.
#[derive(Debug)]
pub(crate) enum Entry {
    Version(NewVersion),
    Visit { time: i64, number: u32, trouble: Option<String> },
}

#[derive(Debug)]
pub(crate) struct NewVersion {
    pub(crate) number: u32,
    pub(crate) time: i64,
    pub(crate) status: u16,
    pub(crate) hash: blake3::Hash,
    /// Its place among the new contents; none where the store has it already.
    pub(crate) content: Option<usize>,
    pub(crate) details: String,
    pub(crate) step: Option<NewStep>,
}

#[derive(Debug)]
pub(crate) struct NewContent {
    pub(crate) hash: blake3::Hash,
    pub(crate) length: usize,
    pub(crate) data: Vec<u8>,
    pub(crate) reach: usize,
    /// Whether it is a difference from the next one.
    pub(crate) is_difference: bool,
}

/// The new contents of a page, and what becomes of the version before them.
struct Compressed {
    contents: Vec<NewContent>,
    rebased: Option<(FrameId, Vec<u8>)>,
}

#[derive(Debug)]
pub(crate) struct NewStep {
    pub(crate) kinds: u32,
    pub(crate) length: usize,
    /// How many operations it has; none where the versions have no common tree.
    pub(crate) operations: Option<usize>,
    /// A difference from the new content that the step leads to; on its own where that is none.
    pub(crate) data: Vec<u8>,
}

/// Prepares the captures of a page by itself.
pub(crate) fn prepare(transaction: &mut Transaction<'_>, captures: OfPage) -> Result<CheckIn> {
    prepare_among(transaction, captures, |_| false)
}

/// Prepares the captures of a page, where others that are written before it bring some contents.
pub(super) fn prepare_among(
    transaction: &mut Transaction<'_>,
    captures: OfPage,
    is_brought: impl Fn(&blake3::Hash) -> bool,
) -> Result<CheckIn> {
    let Some((_, first)) = captures.first() else { return Err(Error::Invalid("there is nothing to record".into())) };
    let address = first.address.clone();
    let (page, latest) = match known(transaction, &address) {
        // Other pages need not wait for this one.
        Err(Error::Damaged { what, why }) => return Ok(CheckIn::refused(address, captures, &what, &why)),
        known => known?,
    };
    let expected = latest.as_ref().map_or(0, |latest| latest.version.number);
    let mut work = Work::new(transaction, &address, page, latest, &is_brought);
    let results = captures.iter().map(|(index, capture)| (*index, work.take(capture))).collect();
    let Compressed { contents, rebased } = work.compressed()?;
    let Work { canonical, entries, .. } = work;
    Ok(CheckIn { address, page, expected, canonical, entries, contents, rebased, results, captures })
}

fn known(transaction: &mut Transaction<'_>, address: &Address) -> Result<(Option<PageId>, Option<Latest>)> {
    let page = history::page_id(transaction, address)?;
    let latest = page.map_or(Ok(None), |page| history::latest(transaction, page))?;
    Ok((page, latest))
}

impl CheckIn {
    /// Nothing can be written, because what is known of the page is hurt.
    fn refused(address: Address, captures: OfPage, what: &str, why: &str) -> Self {
        let place = format!("what is known of `{address}`");
        let refusal = |(index, _): &(usize, Capture)| (*index, Err(Error::damaged(what, why).at(place.clone())));
        CheckIn { results: captures.iter().map(refusal).collect(), captures, ..CheckIn::of(address) }
    }

    /// A check-in with nothing but the page.
    pub(crate) fn of(address: Address) -> Self {
        CheckIn {
            address,
            page: None,
            expected: 0,
            canonical: None,
            entries: Vec::new(),
            contents: Vec::new(),
            rebased: None,
            results: Vec::new(),
            captures: Vec::new(),
        }
    }
}

/// Whether there is something that may be a version.
fn is_version(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Response(response) if (200..300).contains(&response.status))
}

/// The page as it is after all captures that were looked at so far.
struct Current {
    number: u32,
    time: i64,
    hash: blake3::Hash,
    /// Not known before it is needed: most checks find nothing new.
    tree: Option<CurrentTree>,
}

#[derive(Clone)]
struct CurrentTree {
    document: Option<Arc<Document>>,
    identities: Option<Identities>,
}

struct Work<'c, 'd> {
    transaction: &'c mut Transaction<'d>,
    address: &'c Address,
    page: Option<PageId>,
    latest: Option<Latest>,
    /// The content of the latest version, once it was needed.
    latest_bytes: Option<Vec<u8>>,
    current: Option<Current>,
    canonical: Option<String>,
    entries: Vec<Entry>,
    contents: Vec<(blake3::Hash, &'c [u8])>,
    places: HashMap<blake3::Hash, usize>,
    /// Whether a content is there by the time that this is written.
    is_brought: &'c dyn Fn(&blake3::Hash) -> bool,
}

impl<'c, 'd> Work<'c, 'd> {
    fn new(
        transaction: &'c mut Transaction<'d>,
        address: &'c Address,
        page: Option<PageId>,
        latest: Option<Latest>,
        is_brought: &'c dyn Fn(&blake3::Hash) -> bool,
    ) -> Self {
        let current = latest.as_ref().map(|Latest { version, .. }| Current {
            number: version.number,
            time: milliseconds(version.time),
            hash: version.hash,
            tree: None,
        });
        Work {
            transaction,
            address,
            page,
            latest,
            latest_bytes: None,
            current,
            canonical: None,
            entries: Vec::new(),
            contents: Vec::new(),
            places: HashMap::new(),
            is_brought,
        }
    }

    fn take(&mut self, capture: &'c Capture) -> Result<Recorded> {
        let time = milliseconds(capture.time);
        if let Some(current) = &self.current
            && time < current.time
        {
            let (latest, latest_time) = (current.number, crate::time_of(current.time)?);
            let what = if is_version(&capture.outcome) { "version" } else { "check" };
            return Err(Error::OutOfOrder { what, time: capture.time, latest, latest_time });
        }
        let number = self.current.as_ref().map_or(0, |current| current.number);
        let trouble = match &capture.outcome {
            // PostgreSQL has no text with a NUL in it.
            Outcome::Failure(why) => why.replace('\0', "\u{FFFD}"),
            Outcome::Response(Response { status: 304, .. }) if number > 0 => return Ok(self.visit(time, number, None)),
            Outcome::Response(response) if (200..300).contains(&response.status) => {
                return self.response(time, response);
            }
            Outcome::Response(response) => format!("HTTP {}", response.status),
        };
        Ok(self.visit(time, number, Some(trouble)))
    }

    fn visit(&mut self, time: i64, number: u32, trouble: Option<String>) -> Recorded {
        let recorded = if trouble.is_some() { Recorded::Failed } else { Recorded::Unchanged { number } };
        self.entries.push(Entry::Visit { time, number, trouble });
        recorded
    }

    fn response(&mut self, time: i64, response: &'c Response) -> Result<Recorded> {
        if response.body.len() > MOST_BYTES {
            return Err(Error::TooLarge { what: format!("`{}`", self.address), limit: MOST_BYTES as u64 });
        }
        let hash = blake3::hash(&response.body);
        match &self.current {
            Some(current) if current.hash == hash => Ok(self.visit(time, current.number, None)),
            _ => self.version(time, response, hash),
        }
    }

    fn version(&mut self, time: i64, response: &'c Response, hash: blake3::Hash) -> Result<Recorded> {
        let before = self.current_tree()?;
        let format = before.as_ref().and_then(|before| before.document.as_deref()).map(|before| before.format().into());
        let Understood { details, document, canonical } = response::understand(self.address, response, format);
        let content = self.content(hash, &response.body)?;
        let base = content.map(|_| &*response.body);
        let (step, identities) = step(before, document.as_ref(), base)?;
        let operations = step.as_ref().and_then(|step| step.operations);
        let number = self.current.as_ref().map_or(0, |current| current.number) + 1;
        let details = serde_json::to_string(&details).map_err(|error| Error::Invalid(error.to_string()))?;
        let version = NewVersion { number, time, status: response.status, hash, content, details, step };
        self.entries.push(Entry::Version(version));
        self.canonical = canonical;
        self.current = Some(Current { number, time, hash, tree: Some(CurrentTree { document, identities }) });
        Ok(Recorded::New { number, operations })
    }

    /// The place of a content among the new ones, unless the store has it already, or will have.
    fn content(&mut self, hash: blake3::Hash, body: &'c [u8]) -> Result<Option<usize>> {
        if let Some(&place) = self.places.get(&hash) {
            return Ok(Some(place));
        }
        if (self.is_brought)(&hash) || history::content_id(self.transaction, hash)?.is_some() {
            return Ok(None);
        }
        self.places.insert(hash, self.contents.len());
        self.contents.push((hash, body));
        Ok(Some(self.contents.len() - 1))
    }

    fn current_tree(&mut self) -> Result<Option<CurrentTree>> {
        match (&mut self.current, &self.latest, self.page) {
            (Some(Current { tree: Some(tree), .. }), ..) => Ok(Some(tree.clone())),
            (Some(_), Some(latest), Some(page)) => {
                let mut frames = Frames::default();
                let bytes = history::content(self.transaction, &mut frames, &latest.version)?;
                let number = latest.version.number;
                let identities = history::recorded_identities(self.transaction, &mut frames, page, number)?;
                let document = response::document(&latest.version.details, &bytes);
                let first = || document.as_deref().map(Identities::of_first_version);
                let identities = identities.or_else(first);
                self.latest_bytes = Some(bytes);
                Ok(Some(CurrentTree { document, identities }))
            }
            _ => Ok(None),
        }
    }

    /// New contents as frames, each but the last a difference from the next where that does not reach too far.
    fn compressed(&self) -> Result<Compressed> {
        let mut contents: Vec<NewContent> = Vec::new();
        let before = self.latest.as_ref().filter(|latest| latest.is_full_and_alone && !self.contents.is_empty());
        let mut rebased = None;
        let mut hanging = before.map_or(0, |latest| latest.reach);
        for (place, &(hash, raw)) in self.contents.iter().enumerate() {
            let with_hanging = frames::reach(raw.len(), hanging);
            match (place.checked_sub(1), before, &self.latest_bytes) {
                (Some(previous), ..) => contents[previous].is_difference = with_hanging.is_some(),
                (None, Some(latest), Some(bytes)) if with_hanging.is_some() => {
                    let data = frames::compress(bytes, Some(raw), Effort::Live)?;
                    rebased = (data.len() < latest.stored_bytes).then_some((latest.frame, data));
                }
                _ => {}
            }
            let reach = with_hanging.or_else(|| frames::reach(raw.len(), 0)).unwrap_or(raw.len());
            contents.push(NewContent { hash, length: raw.len(), data: Vec::new(), reach, is_difference: false });
            hanging = reach;
        }
        for (place, content) in contents.iter_mut().enumerate() {
            let base = content.is_difference.then(|| self.contents[place + 1].1);
            content.data = frames::compress(self.contents[place].1, base, Effort::Live)?;
        }
        Ok(Compressed { contents, rebased })
    }
}

impl NewStep {
    pub(crate) fn new(step: &Step<'_>, base: Option<&[u8]>) -> Result<Self> {
        let bytes = step.to_bytes();
        let data = frames::compress(&bytes, base, Effort::Live)?;
        let operations = (!step.is_break()).then(|| step.operations().len());
        Ok(NewStep { kinds: step.kinds().bits().into(), length: bytes.len(), data, operations })
    }
}

/// What leads from the version before to the one after, and the identities of that. There is no step to the first tree
/// of a page, whose identities are counted from 1.
fn step(
    before: Option<CurrentTree>,
    after: Option<&Arc<Document>>,
    base: Option<&[u8]>,
) -> Result<(Option<NewStep>, Option<Identities>)> {
    let Some(CurrentTree { document, identities: Some(before_identities) }) = before else {
        return Ok((None, after.map(|after| Identities::of_first_version(after))));
    };
    if let (Some(before), Some(after)) = (&document, after)
        && let Some(delta) = delta(before, after, &before_identities)
    {
        let identities = Identities { xids: delta.to_xids().clone(), next: delta.next_xid() };
        // Where a delta is worth nothing, who is who is known all the same.
        let step = Step::of_sound_delta(&delta, before, after).unwrap_or_else(|| Step::broken(identities.clone()));
        return Ok((Some(NewStep::new(&step, base)?), Some(identities)));
    }
    let identities = counted_on(&before_identities, after.map_or(0, |after| after.len() - 1));
    let step = NewStep::new(&Step::broken(identities.clone()), base)?;
    Ok((Some(step), Some(identities)))
}

fn delta(before: &Arc<Document>, after: &Arc<Document>, identities: &Identities) -> Option<Delta> {
    if before.format() != after.format() {
        return None;
    }
    let matching = matching::auto(before, after, &matching::Options::default());
    let options = Options { identities: Some(identities.clone()), ..Options::default() };
    Delta::between(before, after, &matching, &options).ok()
}

/// Identities of nodes of which none was there before.
fn counted_on(before: &Identities, nodes: usize) -> Identities {
    let mut xids = XidMap::new();
    let next = Xid(before.next.0.saturating_add(nodes as u64));
    if nodes > 0 {
        xids.push_run(before.next, Xid(next.0 - 1));
    }
    Identities { xids, next }
}
