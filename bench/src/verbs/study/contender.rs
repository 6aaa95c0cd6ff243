//! Who takes part? The algorithms of this library, and the peers that are installed.

use std::fs;
use std::hash::{DefaultHasher, Hasher};

use anyhow::Result;
use treediff::matching::Algorithm;
use treediff::tree::Format;

use super::cases::{Case, Pair};
use super::ours;
use super::peers::{PEERS, Peer, Place};
use super::results::{Record, Results};

/// One of those that are compared.
pub struct Contender {
    pub name: String,
    /// Records of another build are of another contender.
    build: String,
    /// Unless what is known of it is believed whatever the build.
    is_kept: bool,
    pub who: Who,
}

#[derive(Clone, Copy)]
pub enum Who {
    Ours(Algorithm),
    Peer(&'static Peer),
}

impl Contender {
    /// Its version.
    pub fn build(&self) -> &str {
        &self.build
    }

    pub fn is_ours(&self) -> bool {
        matches!(self.who, Who::Ours(_))
    }

    pub fn takes(&self, format: Format) -> bool {
        match self.who {
            Who::Ours(_) => true,
            Who::Peer(peer) => peer.takes(format),
        }
    }

    /// Whether it is asked about a sample of the cases only.
    pub fn is_sampled(&self) -> bool {
        matches!(self.who, Who::Peer(peer) if peer.is_sampled())
    }

    /// What is known of it already.
    pub fn known<'r>(&self, results: &'r Results, case: &str) -> Option<&'r Record> {
        results.get(&self.name, case).filter(|record| self.is_kept || record.build == self.build)
    }

    /// A record of what it makes of a case.
    pub fn measure(&self, case: &Case, pair: &Pair, runs: usize, place: &Place) -> Result<Record> {
        let mut record = self.nothing_of(case);
        record.nodes = pair.nodes() as u64;
        record.bytes = (pair.before.source().len() + pair.after.source().len()) as u64;
        match self.who {
            Who::Ours(algorithm) => ours::measure(algorithm, pair, runs, &mut record),
            Who::Peer(peer) => peer.measure(pair, case.format, place, &mut record)?,
        }
        Ok(record)
    }

    /// A record without figures.
    pub fn nothing_of(&self, case: &Case) -> Record {
        Record {
            contender: self.name.clone(),
            build: self.build.clone(),
            case: case.name.clone(),
            kind: case.kind.name().to_owned(),
            group: case.group.clone(),
            format: case.format.to_string(),
            bytes: case.bytes,
            ..Record::default()
        }
    }
}

/// The algorithms of these names; all without names.
pub fn ours(names: &[Algorithm], kept: &[Algorithm]) -> Result<Vec<Contender>> {
    let build = fingerprint()?;
    let wanted = Algorithm::ALL.into_iter().filter(|algorithm| names.is_empty() || names.contains(algorithm));
    let contender = |algorithm: Algorithm| Contender {
        name: algorithm.name().to_owned(),
        build: build.clone(),
        is_kept: kept.contains(&algorithm),
        who: Who::Ours(algorithm),
    };
    Ok(wanted.map(contender).collect())
}

/// The peers of these names that are there, all without names; and why the others are not.
pub fn peers(names: Option<&[String]>, place: &Place) -> (Vec<Contender>, Vec<String>) {
    let is_wanted = |peer: &&Peer| names.is_none_or(|names| names.iter().any(|name| name == peer.name));
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for peer in PEERS.iter().filter(is_wanted) {
        match peer.version(place) {
            Ok(build) => {
                found.push(Contender { name: peer.name.to_owned(), build, is_kept: false, who: Who::Peer(peer) })
            }
            Err(error) => missing.push(format!("{} ({error:#})", peer.name)),
        }
    }
    (found, missing)
}

/// A hash of this program: another build may have other algorithms.
fn fingerprint() -> Result<String> {
    let mut hasher = DefaultHasher::new();
    hasher.write(&fs::read(std::env::current_exe()?)?);
    Ok(format!("{:016x}", hasher.finish()))
}
