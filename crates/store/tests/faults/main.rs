//! What is left when everything goes wrong? All that was acknowledged, and nothing half-done.
//!
//! `DELTAIC_KILLS` says how many processes are killed, all in all (20 if it does not); `DELTAIC_SEED` repeats a run.

#[cfg(feature = "postgres")]
mod connection;
mod damage;
mod kills;
mod model;
mod refusals;
#[cfg(feature = "postgres")]
mod server_files;
mod space;
mod victim;
mod writers;

#[path = "../support/engines.rs"]
mod engines;
#[path = "../support/mod.rs"]
mod support;
#[path = "../support/tables.rs"]
mod tables;

use jiff::Timestamp;
use store::{Address, Location, Store};

fn open(location: &Location) -> Store {
    Store::open(location).expect("a store")
}

fn page(name: usize) -> Address {
    Address::new(&format!("https://example.org/{name}.xml")).expect("an address")
}

/// So many seconds after some moment.
fn second(second: u64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + second as i64).expect("a time")
}

/// What the draws of this run begin with; printed, so that a run can be repeated.
fn seed() -> u64 {
    let told = std::env::var("DELTAIC_SEED").ok().and_then(|told| told.parse().ok());
    let now = || Timestamp::now().as_nanosecond() as u64 % 1_000_000_007;
    let seed = told.unwrap_or_else(now);
    eprintln!("DELTAIC_SEED={seed}");
    seed
}
