//! How is a store copied while others use it? SQLite copies its own file as it is at one moment; any other database goes
//! through an archive. The copy is made in a folder within the folder, and is a store only when it is complete.

use std::fs;
use std::io;
use std::path::Path;
use std::thread;

use super::ImportLimits;
use crate::engine::sqlite::{io_error, mark, settle};
use crate::{Error, Location, Result, Store};

/// Where the copy is made. It is left behind where that is interrupted.
const PART: &str = "incomplete";
const FILE: &str = "store.db";

pub(super) fn backup(store: &Store, folder: &Path, mut progress: impl FnMut(u64, u64)) -> Result<()> {
    fs::create_dir_all(folder).map_err(io_error(folder))?;
    if fs::read_dir(folder).map_err(io_error(folder))?.next().is_some() {
        return Err(Error::NotEmpty { folder: folder.to_owned() });
    }
    let part = folder.join(PART);
    fs::create_dir(&part).map_err(io_error(&part))?;
    let file = part.join(FILE);
    let filled = store
        .database
        .engine()
        .copy(&file, &mut progress)
        .and_then(|is_done| if is_done { Ok(()) } else { through_archive(store, &part, &mut progress) });
    let published = filled.and_then(|()| settle(&file)).and_then(|()| publish(folder, &file));
    // Where even that fails, there is something worse to tell of.
    let removed = fs::remove_dir_all(&part).map_err(io_error(&part));
    published.and(removed)
}

/// Makes the folder a store.
fn publish(folder: &Path, file: &Path) -> Result<()> {
    fs::rename(file, folder.join(FILE)).map_err(io_error(folder))?;
    mark(folder)?;
    let synced = fs::File::open(folder).and_then(|folder| folder.sync_all());
    // There are systems on which a folder cannot be opened, and its entries are on disk all the same.
    if cfg!(unix) { synced.map_err(io_error(folder)) } else { Ok(()) }
}

/// Makes a copy of a store by bringing its archive into another one.
fn through_archive(store: &Store, folder: &Path, progress: &mut impl FnMut(u64, u64)) -> Result<()> {
    let copy = Store::open(&Location::Folder(folder.to_owned()))?;
    let total = store.database.read(|transaction| transaction.number("SELECT count(*) FROM page", &[]))? as u64;
    let (input, out) = io::pipe().map_err(Error::Stream)?;
    let mut done = 0;
    let (exported, imported) = thread::scope(|scope| {
        let export = scope.spawn(|| store.export(out, |_| ()));
        let imported = copy.import(input, &ImportLimits::NONE, |_| {
            done += 1;
            progress(done, total.max(done));
        });
        (export.join(), imported)
    });
    match (exported, imported) {
        // Who reads no more has a reason; that nobody reads is none.
        (Ok(Err(Error::Stream(_))), Err(error)) => Err(error),
        (Ok(exported), imported) => exported.and(imported).map(drop),
        (Err(_), _) => Err(Error::damaged("the store", "it could not be exported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Address, Capture};

    #[test]
    fn a_copy_goes_through_an_archive() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&Location::Folder(folder.path().join("data"))).unwrap();
        for page in 0..5 {
            let address = Address::new(&format!("https://example.org/{page}")).unwrap();
            let time = "2026-11-01T12:00Z".parse().unwrap();
            store.record(Capture::of(address, time, format!("<page>{page}</page>"))).unwrap();
        }
        let copy = folder.path().join("copy");
        let mut last = (0, 0);
        through_archive(&store, &copy, &mut |done, total| last = (done, total)).unwrap();
        assert_eq!(last, (5, 5));
        let copy = Store::open_existing(&Location::Folder(copy)).unwrap();
        let exported = |store: &Store| {
            let mut archive = Vec::new();
            store.export(&mut archive, |_| ()).unwrap();
            archive
        };
        assert_eq!(exported(&copy), exported(&store));
    }

    #[test]
    fn why_an_archive_was_not_taken_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| Store::open(&Location::Folder(folder.path().join(name))).unwrap();
        let address = Address::new("https://example.org/").unwrap();
        for (name, body) in [("data", vec![7; 1 << 22]), ("copy", vec![8])] {
            let time = "2026-11-01T12:00Z".parse().unwrap();
            open(name).record(Capture::of(address.clone(), time, body)).unwrap();
        }
        let error = through_archive(&open("data"), &folder.path().join("copy"), &mut |_, _| ()).unwrap_err();
        assert!(matches!(error, Error::OtherHistory { .. }), "{error}");
    }
}
