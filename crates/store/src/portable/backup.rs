//! How is a store copied while others use it? SQLite copies its own file as it is at one moment; any other database goes
//! through an archive.

use std::io;
use std::path::Path;
use std::thread;

use super::ImportLimits;
use super::staging::Staging;
use crate::{Error, Location, Result, Store};

pub(super) fn backup(store: &Store, folder: &Path, mut progress: impl FnMut(u64, u64)) -> Result<()> {
    let staging = Staging::within(folder)?;
    if !store.database.engine().copy(&staging.file(), &mut progress)? {
        through_archive(store, staging.part(), &mut progress)?;
    }
    staging.publish()
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
