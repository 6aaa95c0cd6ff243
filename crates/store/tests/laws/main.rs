//! What holds of a store, whichever engine it has?

mod concurrency;
mod queries;
mod readers;
mod recording;
mod retention;

#[path = "../support/engines.rs"]
mod engines;
#[path = "../support/tables.rs"]
mod tables;

use jiff::Timestamp;
use store::{Address, Capture, Location, Outcome, Recorded, Store};

use engines::Engine;

/// Holds a law against a fresh store of every engine.
fn on_every_engine(law: impl Fn(&Location)) {
    Engine::all().into_iter().for_each(|engine| law(&engine.place().location));
}

fn open(location: &Location) -> Store {
    Store::open(location).expect("a store")
}

/// Does to the database what nobody should.
fn tamper(location: &Location, script: &str) {
    tables::Tables::of(location).run(script);
}

fn page(name: &str) -> Address {
    Address::new(&format!("https://example.org/{name}")).expect("an address")
}

/// So many hours after some moment.
fn hour(hour: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 3600 * hour).expect("a time")
}

fn capture(name: &str, at: i64, body: &str) -> Capture {
    Capture::of(page(name), hour(at), body)
}

fn failure(name: &str, at: i64, why: &str) -> Capture {
    Capture { address: page(name), time: hour(at), outcome: Outcome::Failure(why.into()) }
}

/// Records a page's states one after the other, an hour apart, from hour 1 on.
fn record(store: &Store, name: &str, states: &[&str]) {
    for (place, state) in states.iter().enumerate() {
        let recorded = store.record(capture(name, place as i64 + 1, state)).expect("recorded");
        assert!(matches!(recorded, Recorded::New { .. }), "{state}: {recorded:?}");
    }
}

/// The numbers and contents of all versions, after everything was verified.
fn contents(store: &Store, name: &str) -> Vec<(u32, String)> {
    let verified = store.verify(|_| ()).expect("verified");
    assert_eq!(verified.faults, []);
    let versions = store.versions(&page(name)).expect("versions");
    let content = |version: &store::Version| String::from_utf8(store.content(version).expect("content")).expect("text");
    versions.iter().map(|version| (version.number, content(version))).collect()
}

fn numbered(states: &[&str]) -> Vec<(u32, String)> {
    states.iter().enumerate().map(|(place, state)| (place as u32 + 1, (*state).to_owned())).collect()
}
