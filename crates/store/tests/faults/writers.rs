//! Several processes write to the same pages at once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use blake3::Hash;

use super::engines::{Engine, on_every_engine};
use super::model::{Change, PAGES};
use super::support::Draws;
use super::victim::{Victim, Work, read_journal};
use super::{open, page, seed};

on_every_engine! { several_processes_write_to_the_same_pages }

/// Each page has versions without a gap; all that were acknowledged are there, and of the others only what was under way.
fn several_processes_write_to_the_same_pages(engine: Engine) {
    let place = engine.place();
    let location = &place.location;
    let mut draws = Draws(seed());
    let works = [Work::Record, Work::Batch, Work::Compact, Work::Compact];
    let journals = [0, 1, 2, 3].map(|number| place.path().join(format!("journal {number}")));
    // Nobody has made the store yet. All are at the same time, so that no capture is older than another's.
    let start =
        |(work, journal): (Work, &PathBuf)| Victim::start(location, work, draws.below(1 << 30) as u64, 0, journal);
    let victims: Vec<Victim> = works.into_iter().zip(&journals).map(start).collect();
    let is_at_work =
        |victim: &Victim, journal: &PathBuf| victim.n_lines() < 16 && read_journal(journal).error.is_none();
    while victims.iter().zip(&journals).any(|(victim, journal)| is_at_work(victim, journal)) {
        sleep(Duration::from_millis(2));
    }
    victims.into_iter().for_each(Victim::kill);
    let journals = journals.map(|journal| read_journal(&journal));
    let store = open(location);
    let mut found = BTreeMap::new();
    assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    for name in 0..PAGES {
        for (place, version) in store.versions(&page(name)).expect("versions").iter().enumerate() {
            assert_eq!(version.number as usize, place + 1, "no number is missing");
            found.insert((name, version.number), (version.hash, false));
        }
    }
    let in_flight: Vec<Change> = journals.iter().flat_map(|journal| journal.in_flight.clone()).collect();
    for journal in journals {
        assert_eq!(journal.error, None);
        for (changes, numbers) in journal.done {
            changes.into_iter().zip(numbers).for_each(|(change, number)| acknowledged(&mut found, change, number));
        }
    }
    found.retain(|_, (_, is_acknowledged)| !*is_acknowledged);
    let is_in_flight =
        |(&(page, _), &(hash, _)): (&(usize, u32), &Found)| in_flight.contains(&Change::Capture { page, hash });
    assert!(found.iter().all(is_in_flight), "{found:?} {in_flight:?}");
}

/// A version that is there, and whether somebody knows of it.
type Found = (Hash, bool);

fn acknowledged(found: &mut BTreeMap<(usize, u32), Found>, change: Change, number: u32) {
    let Change::Capture { page, hash } = change else { return };
    match found.get_mut(&(page, number)) {
        Some((there, is_acknowledged)) if *there == hash => *is_acknowledged = true,
        other => panic!("{change} was version {number}, and that is {other:?}"),
    }
}
