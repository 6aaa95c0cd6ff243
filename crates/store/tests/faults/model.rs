//! What should be in a store after some changes were made, and what is?

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use blake3::Hash;
use store::{Address, Moment, ReaderId, Store};

use super::page;

/// How many pages there are.
pub const PAGES: usize = 4;
/// How many of the newest versions stay when a history is pruned.
pub const KEPT: usize = 3;

/// Something that is asked of a store, known by what it should do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A page was captured with a content of this hash.
    Capture { page: usize, hash: Hash },
    /// A page could not be captured.
    Failure { page: usize },
    /// A reader has seen a version.
    Seen { page: usize, number: u32 },
    /// A reader saves a version.
    Saved { page: usize, number: u32 },
    /// All but the newest versions, and those that are saved, are dropped.
    Prune,
}

/// A page as it should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Expected {
    versions: Vec<(u32, Hash)>,
    visits: usize,
    seen: u32,
    saved: BTreeSet<u32>,
}

/// A store as it should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    pages: BTreeMap<usize, Expected>,
}

impl Model {
    /// Does what the store should do.
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Capture { page, hash } => {
                let page = self.pages.entry(page).or_default();
                let latest = page.versions.last().copied();
                if latest.is_some_and(|(_, latest)| latest == hash) {
                    page.visits += 1;
                } else {
                    page.versions.push((latest.map_or(0, |(number, _)| number) + 1, hash));
                }
            }
            Change::Failure { page } => self.pages.entry(page).or_default().visits += 1,
            Change::Seen { page, number } => {
                let page = self.pages.entry(page).or_default();
                page.seen = page.seen.max(number);
            }
            Change::Saved { page, number } => {
                self.pages.entry(page).or_default().saved.insert(number);
            }
            Change::Prune => self.pages.values_mut().for_each(Expected::prune),
        }
    }

    pub fn after(&self, changes: &[Change]) -> Model {
        let mut after = self.clone();
        changes.iter().for_each(|&change| after.apply(change));
        after
    }

    /// The number of the latest version of a page; 0 where there is none.
    pub fn latest(&self, page: usize) -> u32 {
        self.pages.get(&page).and_then(|page| page.versions.last()).map_or(0, |&(number, _)| number)
    }

    pub fn n_versions(&self) -> usize {
        self.pages.values().map(|page| page.versions.len()).sum()
    }

    /// What is in a store, all of which must be whole.
    pub fn observed(store: &Store) -> Model {
        let verified = store.verify(|_| ()).expect("verified");
        assert_eq!(verified.faults, [], "all is whole");
        Model::read(store)
    }

    /// What can be read of a store.
    pub fn read(store: &Store) -> Model {
        let mut model = Model::default();
        store
            .for_each_page("*", |page| {
                let name = page.address.url().rsplit('/').next().and_then(|name| name.split('.').next());
                // Those of a kept store have other names.
                if let Some(name) = name.and_then(|name| name.parse().ok()) {
                    model.pages.insert(name, Expected::default());
                }
                Ok(())
            })
            .expect("pages");
        for (&name, expected) in &mut model.pages {
            *expected = Expected::observed(store, name);
        }
        model
    }

    /// Whether every page has the first versions that it has in another, and no others.
    pub fn is_past_of(&self, later: &Model) -> bool {
        let is_past = |(name, page): (&usize, &Expected)| {
            later.pages.get(name).is_some_and(|later| later.versions.starts_with(&page.versions))
        };
        self.pages.iter().all(is_past)
    }

    /// The same, where for every page either may have happened.
    pub fn is_page_by_page(&self, before: &Model, after: &Model) -> bool {
        let mut names = self.pages.keys().chain(before.pages.keys());
        names.all(|name| [before, after].iter().any(|model| model.pages.get(name) == self.pages.get(name)))
    }
}

impl Expected {
    fn prune(&mut self) {
        let first_kept = self.versions.len().saturating_sub(KEPT);
        let mut place = 0;
        self.versions.retain(|(number, _)| {
            place += 1;
            place > first_kept || self.saved.contains(number)
        });
    }

    fn observed(store: &Store, name: usize) -> Self {
        let (address, reader) = (page(name), ReaderId::only());
        let versions = store.versions(&address).expect("versions");
        let version = |version: &store::Version| {
            let hash = blake3::hash(&store.content(version).expect("content"));
            assert_eq!(hash, version.hash);
            (version.number, hash)
        };
        let visits = store.visits(&address).expect("visits");
        let bookmarks = store.bookmarks(&reader).expect("bookmarks").into_iter();
        Expected {
            versions: versions.iter().map(version).collect(),
            visits: visits.iter().map(|visits| visits.times.len()).sum(),
            seen: seen(store, &reader, &address),
            saved: bookmarks.filter(|mark| mark.address == address).map(|mark| mark.number).collect(),
        }
    }
}

/// What a reader has seen of a page, which may be a version that was dropped; 0 for nothing.
fn seen(store: &Store, reader: &ReaderId, address: &Address) -> u32 {
    let news = store.news(reader).expect("news");
    let older = news.iter().find(|news| news.page.address == *address).map(|news| news.seen);
    let latest = || store.version(address, Moment::Seen, Some(reader)).map_or(0, |version| version.number);
    older.unwrap_or_else(latest)
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Capture { page, hash } => write!(f, "capture {page} {hash}"),
            Change::Failure { page } => write!(f, "failure {page}"),
            Change::Seen { page, number } => write!(f, "seen {page} {number}"),
            Change::Saved { page, number } => write!(f, "saved {page} {number}"),
            Change::Prune => f.write_str("prune"),
        }
    }
}

impl FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let words: Vec<&str> = text.split(' ').collect();
        let number = |place: usize| words.get(place).and_then(|word| word.parse::<u32>().ok()).ok_or(text);
        let page = || number(1).map(|page| page as usize);
        Ok(match words[0] {
            "capture" => {
                Change::Capture { page: page()?, hash: Hash::from_hex(words[2]).map_err(|error| error.to_string())? }
            }
            "failure" => Change::Failure { page: page()? },
            "seen" => Change::Seen { page: page()?, number: number(2)? },
            "saved" => Change::Saved { page: page()?, number: number(2)? },
            "prune" => Change::Prune,
            _ => return Err(text.to_owned()),
        })
    }
}
