//! Is everything there, and as it was? Every hash, every seal, every step applied to the version before it.

use std::sync::Arc;

use treediff::delta::{ApplyOptions, Identities, document_hash};
use treediff::tree::Document;

use crate::engine::{Transaction, values};
use crate::frames::Frames;
use crate::history::{content, page_by_id, step_bytes, version};
use crate::page::PageId;
use crate::readers;
use crate::record::{self, visits};
use crate::{Error, Page, Result, Step, Store, Version};

/// What was looked at, and what is hurt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pages.
    pub pages: u64,
    /// Versions, each with its content.
    pub versions: u64,
    /// Steps between versions.
    pub steps: u64,
    /// What is hurt; nothing where all is well.
    pub faults: Vec<Fault>,
}

/// Something that is hurt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub what: String,
    /// How that was found out.
    pub why: String,
}

/// What was found hurt on the way through many things that do not depend on each other.
#[derive(Debug, Default)]
pub(crate) struct Hurt {
    faults: Vec<Fault>,
}

impl Hurt {
    /// Notes damage of what is at a place.
    pub(crate) fn note(&mut self, place: String, error: Error) -> Result<()> {
        self.take(error.at(place))
    }

    /// Notes damage; any other error is none of what is stored.
    pub(crate) fn take(&mut self, error: Error) -> Result<()> {
        match error {
            Error::Damaged { what, why } => {
                self.faults.push(Fault { what, why });
                Ok(())
            }
            error => Err(error),
        }
    }

    pub(crate) fn into_faults(self) -> Vec<Fault> {
        self.faults
    }

    /// An error where anything is hurt.
    pub(crate) fn told(self) -> Result<()> {
        if self.faults.is_empty() { Ok(()) } else { Err(Error::Hurt { faults: self.faults }) }
    }
}

impl Store {
    /// Looks at everything that is stored, while others go on; tells of every page that was looked at.
    ///
    /// # Errors
    /// Where the store cannot be read at all; what is merely hurt is told as faults.
    pub fn verify(&self, mut progress: impl FnMut(&Page)) -> Result<Verified> {
        let mut verified = Verified::default();
        let mut session = self.database.session()?;
        for why in self.database.engine().faults(&mut *session)? {
            verified.faults.push(Fault { what: "the database".into(), why });
        }
        self.database.give_back(session);
        let mut last = 0;
        loop {
            let pages = match self.database.read(|transaction| numbers_behind(transaction, last)) {
                Ok(pages) => pages,
                Err(error) => {
                    verified.note("the list of pages", error)?;
                    break;
                }
            };
            let Some(&end) = pages.last() else { break };
            last = end;
            for id in pages {
                self.verify_page(id, &mut verified, &mut progress)?;
            }
        }
        let of_readers = self
            .database
            .read(|transaction| readers::verify(transaction, |error| verified.note("what is known of readers", error)));
        of_readers.or_else(|error| verified.note("what is known of readers", error))?;
        Ok(verified)
    }

    fn verify_page(&self, id: PageId, verified: &mut Verified, progress: &mut impl FnMut(&Page)) -> Result<()> {
        let page = match self.database.read(|transaction| page_by_id(transaction, id)) {
            Ok(Some(page)) => page,
            Ok(None) => return Ok(()),
            Err(error) => return verified.note(&format!("what is known of page {id}"), error),
        };
        if let Err(error) = self.database.read(|transaction| Check::page(transaction, &page, verified)) {
            verified.note(&page.address.to_string(), error)?;
        }
        progress(&page);
        Ok(())
    }
}

/// The numbers of pages behind one: no index is needed to find them, which may be hurt.
fn numbers_behind(transaction: &mut Transaction<'_>, last: PageId) -> Result<Vec<PageId>> {
    const AT_ONCE: i64 = 500;
    let sql = "SELECT id FROM page WHERE id > $1 ORDER BY id LIMIT $2";
    let found: Vec<PageId> = transaction.all(sql, values![last, AT_ONCE], |mut row| row.take())?;
    let is_in_order = std::iter::once(&last).chain(&found).is_sorted_by(|before, after| before < after);
    if is_in_order { Ok(found) } else { Err(Error::damaged("the table of pages", "it is not in its order")) }
}

impl Verified {
    /// Notes damage; any other error is none of what is stored.
    fn note(&mut self, place: &str, error: Error) -> Result<()> {
        let mut hurt = Hurt::default();
        hurt.note(place.to_owned(), error)?;
        self.faults.append(&mut hurt.faults);
        Ok(())
    }

    fn fault(&mut self, what: String, why: impl Into<String>) {
        self.faults.push(Fault { what, why: why.into() });
    }
}

/// The check of one page.
struct Check<'c> {
    page: &'c Page,
    frames: Frames,
    before: Option<(Option<Arc<Document>>, Option<Identities>)>,
    /// Whether no version was looked at yet.
    is_first: bool,
    /// The address that the version says the page should be known by.
    canonical: Option<String>,
}

impl Check<'_> {
    fn page(transaction: &mut Transaction<'_>, page: &Page, verified: &mut Verified) -> Result<()> {
        verified.pages += 1;
        let sql = "SELECT key, latest, latest_content, visits FROM page WHERE id = $1";
        let row = transaction.first(sql, values![page.id], |mut row| {
            Ok((row.take::<Vec<u8>>()?, row.take::<u32>()?, row.take::<Option<i64>>()?, row.take::<i64>()?))
        })?;
        let Some((key, latest, latest_content, run_count)) = row else { return Ok(()) };
        if key != page.address.key() {
            verified.fault(page.address.to_string(), "its address is not the one that was recorded");
        }
        let sql = "SELECT number FROM version WHERE page = $1 ORDER BY number";
        let numbers: Vec<u32> = transaction.all(sql, values![page.id], |mut row| row.take())?;
        if numbers.last().copied().unwrap_or(0) != latest {
            verified
                .fault(page.address.to_string(), format!("version {latest} should be its latest, and is not there"));
        }
        let mut check = Check { page, frames: Frames::default(), before: None, is_first: true, canonical: None };
        for &number in &numbers {
            let found = check.version(transaction, number, verified);
            let place = format!("version {number} of {}", page.address);
            match found {
                Ok(version) if number == latest && Some(version.content) != latest_content => {
                    verified.fault(place, "the page says that its latest content is another");
                }
                Ok(_) if number == latest && check.canonical != page.canonical => {
                    verified.fault(place, "the page says that its canonical address is another");
                }
                Ok(_) => {}
                Err(error) => {
                    check.before = None;
                    verified.note(&place, error)?;
                }
            }
        }
        let place = format!("the checks of {}", page.address);
        let runs = visits::runs(transaction, page.id)?;
        if !runs.iter().map(|run| run.ordinal).eq(1..=run_count) {
            let why = format!("{} of {run_count} runs of them are there, or they have other numbers", runs.len());
            verified.fault(place.clone(), why);
        }
        for run in runs {
            if let Err(error) = run.visits() {
                verified.note(&place, error)?;
            }
        }
        Ok(())
    }

    fn version(&mut self, transaction: &mut Transaction<'_>, number: u32, verified: &mut Verified) -> Result<Version> {
        verified.versions += 1;
        let is_first = std::mem::take(&mut self.is_first);
        let gone = || Error::damaged("what is known of it", "it is not there");
        let version = version(transaction, self.page.id, number)?.ok_or_else(gone)?;
        let bytes = content(transaction, &mut self.frames, &version)?;
        let document = record::document(&version.details, &bytes);
        self.canonical = document.as_deref().and_then(|document| record::canonical(document, &self.page.address));
        let place = || format!("the step to version {number} of {}", self.page.address);
        let before = self.before.take();
        let identities = match step_bytes(transaction, &mut self.frames, self.page.id, number) {
            Ok(None) if matches!(before, Some((_, Some(_)))) => {
                verified.fault(place(), "it is not there");
                return Ok(version);
            }
            Ok(None) => document.as_deref().map(Identities::of_first_version),
            Ok(Some(bytes)) => {
                verified.steps += 1;
                if is_first && Step::from_bytes(&bytes).is_ok_and(|step| !step.is_break()) {
                    verified.fault(place(), "the version before it is not there");
                }
                match check_step(transaction, self.page.id, &version, &bytes, before, document.as_deref()) {
                    Ok(identities) => Some(identities),
                    Err(error) => {
                        verified.note(&place(), error)?;
                        return Ok(version);
                    }
                }
            }
            Err(error) => {
                verified.note(&place(), error)?;
                return Ok(version);
            }
        };
        self.before = Some((document, identities));
        Ok(version)
    }
}

/// A step is whole if it leads from the version before to the one after; where that before is hurt, if it can be read.
pub(crate) fn check_step(
    transaction: &mut Transaction<'_>,
    page: PageId,
    version: &Version,
    bytes: &[u8],
    before: Option<(Option<Arc<Document>>, Option<Identities>)>,
    after: Option<&Document>,
) -> Result<Identities> {
    let step = Step::from_bytes(bytes)?;
    let identities = step.identities()?;
    let damaged = |why: String| Error::damaged("what changed", why);
    let sql = "SELECT s.kinds FROM step s JOIN version v ON v.page = s.page AND v.number = s.number AND v.time = s.time \
               WHERE s.page = $1 AND s.number = $2";
    let kinds: Option<u32> = transaction.first(sql, values![page, version.number], |mut row| row.take())?;
    if kinds != Some(step.kinds().bits().into()) {
        return Err(damaged("its time, or the kinds of its operations, are not what is said of them".into()));
    }
    let nodes = after.map_or(0, |after| after.len() as u64 - 1);
    if identities.xids.len() != nodes {
        return Err(damaged(format!("{} XIDs are given for {nodes} nodes", identities.xids.len())));
    }
    let (Some(delta), Some(after)) = (step.delta()?, after) else { return Ok(identities) };
    if let Some((Some(before), Some(known))) = before {
        if known.xids != *delta.from_xids() {
            return Err(damaged("it begins with other identities than the version before has".into()));
        }
        let options = ApplyOptions { recover: true, ..ApplyOptions::default() };
        delta.apply(&before, &options).map_err(|error| damaged(error.to_string()))?;
    }
    if delta.to_hash() != document_hash(after) {
        return Err(damaged("it leads to another version".into()));
    }
    Ok(identities)
}

#[cfg(test)]
mod tests {
    use crate::{Address, Capture, Location, Outcome, ReaderId, Store};

    /// A database that is sound in itself, but for rows that are not there.
    #[test]
    fn rows_that_are_missing_are_told() {
        let check = |sql: &[&'static str], expected: &str| {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
            let page = Address::new("https://example.org/a.xml").expect("an address");
            for second in 1..4 {
                let time = jiff::Timestamp::from_second(second).expect("a time");
                store.record(Capture::of(page.clone(), time, format!("<a><b>{second}</b></a>"))).expect("recorded");
                let outcome = Outcome::Failure(format!("no answer {second}"));
                store.record(Capture { address: page.clone(), time, outcome }).expect("recorded");
            }
            let reader = ReaderId::only();
            store.see(&reader, &page, 1, jiff::Timestamp::UNIX_EPOCH).expect("seen");
            store.bookmark(&reader, &page, 1, false, "", jiff::Timestamp::UNIX_EPOCH).expect("marked");
            assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
            for sql in sql {
                store.database.write(|transaction| transaction.execute(sql, &[])).expect("gone");
            }
            let faults = store.verify(|_| ()).expect("verified").faults;
            let told = faults.iter().any(|fault| format!("{}: {}", fault.what, fault.why).contains(expected));
            assert!(told, "{expected}: {faults:?}");
        };
        check(
            &["DELETE FROM step WHERE number = 3"],
            "the step to version 3 of https://example.org/a.xml: it is not there",
        );
        check(
            &["DELETE FROM bookmark", "DELETE FROM version WHERE number = 1"],
            "the step to version 2 of https://example.org/a.xml: the version before it is not there",
        );
        check(&["DELETE FROM step WHERE number = 2", "DELETE FROM version WHERE number = 2"], "the step to version 3");
        for ordinal in ["DELETE FROM visit WHERE ordinal = 1", "DELETE FROM visit WHERE ordinal = 3"] {
            check(&[ordinal], "the checks of https://example.org/a.xml: 2 of 3 runs of them are there");
        }
        check(&["DELETE FROM seen"], "pages that reader 0 has seen: there are 0, and there should be 1");
        check(&["DELETE FROM bookmark"], "bookmarks of reader 0: there are 0, and there should be 1");
    }
}
