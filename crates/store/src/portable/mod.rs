//! How does a store travel? As an archive: a tar, compressed by zstd, which common tools open
//! (`docs/formats/archive.md`), or as another folder that is a copy of it.

mod backup;
mod export;
mod import;
mod kept;
mod lines;
mod names;
mod staging;
mod tar;

use std::io::{Read, Write};
use std::path::Path;

use staging::Staging;
pub use staging::is_abandoned;

use crate::{Error, Fault, Location, Page, Result, Store};

/// What an export wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Exported {
    /// Pages.
    pub pages: u64,
    /// Versions of all of them.
    pub versions: u64,
    /// Different contents of the versions.
    pub contents: u64,
    /// Readers, with what they have seen and marked.
    pub readers: u64,
}

/// What an import took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Imported {
    /// Pages that are new.
    pub pages: u64,
    /// Pages that were there already, with the same history.
    pub known_pages: u64,
    /// Versions of the new pages.
    pub versions: u64,
    /// Contents that are new.
    pub contents: u64,
    /// Readers of the archive.
    pub readers: u64,
}

/// How much an archive may have in it: a few bytes can become any number of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportLimits {
    /// Bytes when it is unpacked.
    pub bytes: u64,
    /// Entries.
    pub entries: u64,
}

impl Default for ImportLimits {
    fn default() -> Self {
        ImportLimits { bytes: 64 << 30, entries: 20_000_000 }
    }
}

impl ImportLimits {
    /// Whatever there is, for archives that can be trusted.
    pub const NONE: ImportLimits = ImportLimits { bytes: u64::MAX, entries: u64::MAX };
}

impl Store {
    /// Writes everything as an archive, as it is at this moment, while others go on recording; tells of every page that
    /// was written. The same store is always the same bytes.
    ///
    /// ```
    /// use store::{Address, Capture, ImportLimits, Location, Store};
    ///
    /// let folder = tempfile::tempdir()?;
    /// let store = Store::open(&Location::Folder(folder.path().join("data")))?;
    /// let page = Address::new("https://example.org/menu.xml")?;
    /// store.record(Capture::of(page.clone(), "2026-11-01T12:00Z".parse()?, "<menu/>"))?;
    /// let mut archive = Vec::new();
    /// assert_eq!(store.export(&mut archive, |_| ())?.versions, 1);
    ///
    /// let other = Store::open(&Location::Folder(folder.path().join("other")))?;
    /// other.import(&archive[..], &ImportLimits::default(), |_| ())?;
    /// assert_eq!(other.versions(&page)?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn export(&self, out: impl Write, progress: impl FnMut(&Page)) -> Result<Exported> {
        export::export(&self.database, out, progress)
    }

    /// The same of a store of which something is hurt: all that is whole, and what was left out. Everything is looked at as
    /// [`Store::verify`] does, twice.
    ///
    /// A version that is hurt is left out with the checks that found it again and what readers noted of it. Of a step that is hurt,
    /// or whose version before is left out, the identities stay, as far as they are known.
    pub fn export_unhurt(&self, out: impl Write, progress: impl FnMut(&Page)) -> Result<(Exported, Vec<Fault>)> {
        export::export_unhurt(&self.database, out, progress)
    }

    /// Takes an archive, all of it or, where anything is wrong with it, nothing; tells of every page that was read. Pages
    /// that are here already must have the same history there. Nobody else can record meanwhile.
    ///
    /// # Errors
    /// Nothing in an archive is believed: [`Error::Archive`] says where it is not what an export
    /// would have written, and [`Error::OtherHistory`] which pages are not as they are here.
    pub fn import(&self, input: impl Read, limits: &ImportLimits, progress: impl FnMut(&Page)) -> Result<Imported> {
        import::import(&self.database, input, limits, progress)
    }

    /// The same into the store at a place, which is made where there is none. Where the archive is refused, a folder is as it
    /// was before, or not there; of a database the tables stay, without a row.
    pub fn import_at(
        location: &Location,
        input: impl Read,
        limits: &ImportLimits,
        progress: impl FnMut(&Page),
    ) -> Result<Imported> {
        if let (Location::Folder(folder), Err(Error::NoStore { .. })) = (location, Store::open_existing(location)) {
            match Staging::within(folder) {
                // What is there is for others to judge.
                Err(Error::NotEmpty { .. }) => {}
                staging => return import_within(staging?, input, limits, progress),
            }
        }
        Store::open(location)?.import(input, limits, progress)
    }

    /// Makes a copy of the store in a folder that is empty or not there yet, while others go on recording: a store in its
    /// own right. Tells how much of how much is done.
    pub fn backup(&self, folder: &Path, progress: impl FnMut(u64, u64)) -> Result<()> {
        backup::backup(self, folder, progress)
    }
}

fn import_within(
    staging: Staging,
    input: impl Read,
    limits: &ImportLimits,
    progress: impl FnMut(&Page),
) -> Result<Imported> {
    let store = Store::open(&Location::Folder(staging.part().to_owned()))?;
    let imported = store.import(input, limits, progress)?;
    drop(store);
    staging.publish()?;
    Ok(imported)
}
