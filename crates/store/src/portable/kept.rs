//! What of a page goes into an archive? Everything; or, where something of it is hurt and may be left out, the versions that
//! are what was recorded. A step that is hurt, or whose version before is left out, then becomes a break, which every reader
//! of archives understands.

use std::collections::HashMap;
use std::sync::Arc;

use treediff::delta::{Delta, Identities, Xid, XidMap, document_hash};
use treediff::tree::Document;

use crate::engine::{Transaction, values};
use crate::frames::Frames;
use crate::history::{self, content, step_bytes, version};
use crate::page::PageId;
use crate::record::visits::{self, Run, Visits};
use crate::verify::{Hurt, check_step};
use crate::{Error, Page, Result, Step, Version, record};

/// What of a page is exported.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) versions: Vec<Version>,
    pub(super) visits: Vec<Visits>,
    /// The identities of versions that the stored step does not lead to any more.
    pub(super) breaks: HashMap<u32, Identities>,
    /// Whether no version is left out.
    pub(super) is_complete: bool,
}

impl Kept {
    /// Everything, or an error.
    pub(super) fn all(transaction: &mut Transaction<'_>, page: &Page) -> Result<Kept> {
        let versions = history::versions(transaction, page.id)?;
        let visits = visits::runs(transaction, page.id)?.iter().map(Run::visits).collect::<Result<_>>()?;
        Ok(Kept { versions, visits, breaks: HashMap::new(), is_complete: true })
    }

    /// All that is whole. What is left out is noted.
    pub(super) fn unhurt(transaction: &mut Transaction<'_>, page: &Page, hurt: &mut Hurt) -> Result<Kept> {
        let sql = "SELECT number FROM version WHERE page = $1 ORDER BY number";
        let numbers: Vec<u32> = transaction.all(sql, values![page.id], |mut row| row.take())?;
        let mut walk = Walk { page: page.id, frames: Frames::default(), before: None, next: None };
        let (mut versions, mut breaks) = (Vec::new(), HashMap::new());
        for (index, &number) in numbers.iter().enumerate() {
            let (version, document) = match walk.version(transaction, number) {
                Ok(found) => found,
                Err(error) => {
                    hurt.note(format!("version {number} of {}", page.address), error)?;
                    walk.before = None;
                    continue;
                }
            };
            let leads = match walk.step(transaction, &version, document.as_deref()) {
                Ok(leads) => leads,
                Err(error) => {
                    hurt.note(format!("the step to version {number} of {}", page.address), error)?;
                    let following = numbers.get(index + 1).copied();
                    Leads::FromElsewhere(walk.likely_identities(transaction, document.as_deref(), following))
                }
            };
            if let Leads::FromElsewhere(identities) = &leads {
                breaks.insert(number, identities.clone());
            }
            walk.pass(document, leads);
            versions.push(version);
        }
        let is_complete = versions.len() == numbers.len();
        let visits = unhurt_visits(transaction, page, versions.last(), hurt)?;
        Ok(Kept { versions, visits, breaks, is_complete })
    }
}

/// Checks that failed did so whatever was there. Those that found again what is left out are left out with it.
fn unhurt_visits(
    transaction: &mut Transaction<'_>,
    page: &Page,
    latest: Option<&Version>,
    hurt: &mut Hurt,
) -> Result<Vec<Visits>> {
    let place = || format!("the checks of {}", page.address);
    let latest = latest.map_or(0, |latest| latest.number);
    let mut kept = Vec::new();
    let runs = visits::runs(transaction, page.id).or_else(|error| hurt.note(place(), error).map(|()| Vec::new()))?;
    for run in runs {
        match run.visits() {
            Ok(visits) if visits.number <= latest => kept.push(visits),
            Ok(visits) if visits.trouble.is_some() => kept.push(Visits { number: latest, ..visits }),
            Ok(visits) => {
                let found = format!("they found version {} again, which is left out", visits.number);
                hurt.take(Error::damaged(place(), found))?;
            }
            Err(error) => hurt.note(place(), error)?,
        }
    }
    Ok(kept)
}

fn gone() -> Error {
    Error::damaged("what is known of it", "it is not there")
}

/// Where a stored step leads from.
enum Leads {
    /// From the version before, or it is a break already, or there is none and none is needed.
    There(Option<Identities>),
    /// From a version that is left out.
    FromElsewhere(Identities),
}

/// A way through the versions of a page.
struct Walk {
    page: PageId,
    frames: Frames,
    /// The version before, unless it is left out, and the identities of its nodes, once there was a tree.
    before: Option<(Option<Arc<Document>>, Option<Identities>)>,
    /// The next identity that can be given out, once there was a tree.
    next: Option<Xid>,
}

impl Walk {
    /// Goes on behind a version.
    fn pass(&mut self, document: Option<Arc<Document>>, leads: Leads) {
        let identities = match leads {
            Leads::There(identities) => identities,
            Leads::FromElsewhere(identities) => Some(identities),
        };
        self.next = identities.as_ref().map_or(self.next, |identities| Some(identities.next));
        self.before = Some((document, identities));
    }

    fn version(&mut self, transaction: &mut Transaction<'_>, number: u32) -> Result<(Version, Option<Arc<Document>>)> {
        let version = version(transaction, self.page, number)?.ok_or_else(gone)?;
        let bytes = content(transaction, &mut self.frames, &version)?;
        let document = record::document(&version.details, &bytes);
        Ok((version, document))
    }

    fn step(
        &mut self,
        transaction: &mut Transaction<'_>,
        version: &Version,
        document: Option<&Document>,
    ) -> Result<Leads> {
        let Some(bytes) = step_bytes(transaction, &mut self.frames, self.page, version.number)? else {
            let is_needed = self.next.is_some();
            let identities = document.map(Identities::of_first_version);
            return if is_needed { Err(gone()) } else { Ok(Leads::There(identities)) };
        };
        let has_before = matches!(self.before, Some((Some(_), Some(_))));
        let is_from_elsewhere = !has_before && !Step::from_bytes(&bytes)?.is_break();
        let mut identities = check_step(transaction, self.page, version, &bytes, self.before.clone(), document)?;
        // Where identities had to be made up, more may have been given out than there ever were.
        let next = self.next.filter(|&next| next > identities.next);
        identities.next = next.unwrap_or(identities.next);
        let is_broken = is_from_elsewhere || next.is_some();
        Ok(if is_broken { Leads::FromElsewhere(identities) } else { Leads::There(Some(identities)) })
    }

    /// The identities of a version whose own step is hurt: those that the following delta begins with. Where there is none, all
    /// nodes are as new; what comes behind a break then may have one of their numbers for another node.
    fn likely_identities(
        &mut self,
        transaction: &mut Transaction<'_>,
        document: Option<&Document>,
        following: Option<u32>,
    ) -> Identities {
        let nodes = document.map_or(0, |document| document.len() as u64 - 1);
        let first = self.next.unwrap_or(Xid(1));
        let bytes = following.and_then(|number| step_bytes(transaction, &mut self.frames, self.page, number).ok()?);
        let delta = bytes.and_then(|bytes| Step::from_bytes(&bytes).ok()?.delta().ok()?);
        let is_of_it = |delta: &Delta| document.is_some_and(|document| delta.from_hash() == document_hash(document));
        match delta.filter(is_of_it).map(|delta| delta.from_xids().clone()).filter(|xids| xids.len() == nodes) {
            Some(xids) => {
                let next = xids.max().map_or(first, Xid::next).max(first);
                Identities { xids, next }
            }
            None => {
                let next = Xid(first.0 + nodes);
                let mut xids = XidMap::new();
                if nodes > 0 {
                    xids.push_run(first, Xid(next.0 - 1));
                }
                Identities { xids, next }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use crate::{Address, Capture, ImportLimits, Location, Outcome, ReaderId, Store};

    const PAGE: &str = "https://example.org/a.xml";

    fn address(url: &str) -> Address {
        Address::new(url).expect("an address")
    }

    fn fill(store: &Store) {
        let time = |second| Timestamp::from_second(second).expect("a time");
        for second in 1..7 {
            for url in [PAGE, "https://example.org/other.xml"] {
                let body = format!("<a><b>{second}</b><c n='{url}'>{}</c></a>", second / 2);
                // Twice, so that the second is a check that found it again.
                for half in 0..2 {
                    store.record(Capture::of(address(url), time(10 * second + half), body.clone())).expect("recorded");
                }
                let outcome = Outcome::Failure(format!("no answer {second}"));
                let failed = Capture { address: address(url), time: time(10 * second + 2), outcome };
                store.record(failed).expect("recorded");
            }
        }
        for number in [6, 3] {
            store.see(&ReaderId::only(), &address(PAGE), number, time(99)).expect("seen");
            store.bookmark(&ReaderId::only(), &address(PAGE), number, true, "kept", time(99)).expect("saved");
        }
    }

    fn store_in(folder: &tempfile::TempDir, name: &str) -> Store {
        Store::open(&Location::Folder(folder.path().join(name))).expect("a store")
    }

    #[test]
    fn what_is_whole_travels_without_what_is_hurt() {
        // What is left of the page, how many breaks there are then, and what is said to be left out.
        let check = |sql: &[&'static str], numbers: &[u32], breaks: usize, left_out: &[&str]| {
            let folder = tempfile::tempdir().expect("a folder");
            let store = store_in(&folder, "data");
            fill(&store);
            for sql in sql {
                store.database.write(|transaction| transaction.execute(sql, &[])).expect("hurt");
            }
            assert!(store.export(Vec::new(), |_| ()).expect_err("hurt").is_damage(), "{sql:?}");
            let mut archive = Vec::new();
            let (exported, faults) = store.export_unhurt(&mut archive, |_| ()).expect("an archive");
            let told: Vec<&str> = faults.iter().map(|fault| &*fault.what).collect();
            assert_eq!(told, left_out, "{sql:?}");
            assert!(faults.iter().all(|fault| !fault.why.starts_with("it:")), "{faults:?}");

            let copy = store_in(&folder, "copy");
            let imported = copy.import(&archive[..], &ImportLimits::default(), |_| ()).expect("it is taken");
            assert_eq!((imported.versions, imported.contents), (exported.versions, exported.contents), "{sql:?}");
            assert_eq!(copy.verify(|_| ()).expect("verified").faults, [], "{sql:?}");
            let versions = copy.versions(&address(PAGE)).unwrap_or_default();
            assert_eq!(versions.iter().map(|version| version.number).collect::<Vec<_>>(), numbers, "{sql:?}");
            assert_eq!(copy.versions(&address("https://example.org/other.xml")).expect("versions").len(), 6);
            let mut found = 0;
            for (before, after) in versions.iter().zip(&versions[1.min(versions.len())..]) {
                let delta = copy.delta(&address(PAGE), before.number, after.number).expect("a delta");
                found += usize::from(delta.is_none());
                let body = String::from_utf8(copy.content(after).expect("content")).expect("text");
                assert!(body.starts_with(&format!("<a><b>{}</b>", after.number)), "{body}");
            }
            assert_eq!(found, breaks, "{sql:?}");
        };
        let of = |what: &str| format!("{what} of {PAGE}");
        let version = |number: u32| of(&format!("version {number}"));
        let step = |number: u32| of(&format!("the step to version {number}"));
        let checks = of("the checks");
        let note = |number: u32| of(&format!("what reader 0 noted of version {number}"));

        check(
            &["UPDATE version SET seal = seal + 1 WHERE page = 1 AND number = 1"],
            &[2, 3, 4, 5, 6],
            0,
            &[&version(1)],
        );
        check(
            &["UPDATE version SET seal = seal + 1 WHERE page = 1 AND number = 3"],
            &[1, 2, 4, 5, 6],
            1,
            &[&version(3), &note(3)],
        );
        check(
            &["UPDATE version SET time = time + 1 WHERE page = 1 AND number = 6"],
            &[1, 2, 3, 4, 5],
            0,
            &[&version(6), &checks, &note(6)],
        );
        check(&["DELETE FROM step WHERE page = 1 AND number = 3"], &[1, 2, 3, 4, 5, 6], 1, &[&step(3)]);
        check(&["UPDATE step SET time = 0 WHERE page = 1 AND number = 6"], &[1, 2, 3, 4, 5, 6], 1, &[&step(6)]);
        check(
            &["DELETE FROM step WHERE page = 1"],
            &[1, 2, 3, 4, 5, 6],
            5,
            &[2, 3, 4, 5, 6].map(step).each_ref().map(|step| &**step),
        );
        check(
            &["UPDATE step SET kinds = 0 WHERE page = 1 AND number IN (3, 4)"],
            &[1, 2, 3, 4, 5, 6],
            // What was made up is more than there were, until there are as many.
            4,
            &[&step(3), &step(4)],
        );
        check(&["UPDATE visit SET last = last + 1 WHERE page = 1 AND ordinal = 1"], &[1, 2, 3, 4, 5, 6], 0, &[&checks]);
        check(&["UPDATE bookmark SET note = 'other' WHERE number = 3"], &[1, 2, 3, 4, 5, 6], 0, &[&note(3)]);
        check(
            &["UPDATE page SET url = 'https://example.org/b.xml' WHERE id = 1"],
            &[],
            0,
            &[
                "https://example.org/b.xml",
                "what reader 0 has seen of https://example.org/b.xml",
                "what reader 0 noted of version 3 of https://example.org/b.xml",
                "what reader 0 noted of version 6 of https://example.org/b.xml",
            ],
        );
    }

    #[test]
    fn of_a_whole_store_nothing_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = store_in(&folder, "data");
        fill(&store);
        let (mut all, mut unhurt) = (Vec::new(), Vec::new());
        let expected = store.export(&mut all, |_| ()).expect("an archive");
        let mut pages = 0;
        let (exported, faults) = store.export_unhurt(&mut unhurt, |_| pages += 1).expect("an archive");
        assert_eq!((exported, faults, pages), (expected, Vec::new(), 2));
        assert!(all == unhurt, "the archives are not the same");
    }
}
