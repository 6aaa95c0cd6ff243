//! Is a backup a store, as it was at one moment?

use std::fs;

use store::{Address, Capture, Error, Location, Store};

use crate::{day, empty, everything, exported, imported, page, record, sample};

#[test]
fn a_backup_is_a_store() {
    let (folder, store) = sample();
    let copy = folder.path().join("backups/monday");
    let mut last = (0, 1);
    store.backup(&copy, |done, total| last = (done, total)).expect("a backup");
    assert!(last.0 <= last.1);
    let mut files: Vec<_> = fs::read_dir(&copy).expect("a folder").flatten().map(|entry| entry.file_name()).collect();
    files.sort();
    assert_eq!(files, ["format", "store.db"]);
    let copied = Store::open_existing(&Location::Folder(copy.clone())).expect("a store");
    assert_eq!(everything(&copied), everything(&store));
    record(&copied, &page("menu.xml"), 30, "<menu/>");
    // What is there is never written over.
    let error = store.backup(&copy, |_, _| ()).expect_err("it is not empty");
    assert!(matches!(error, Error::NotEmpty { .. }), "{error}");
    assert_eq!(copied.page(&page("menu.xml")).expect("a page").latest, 6);
}

/// What a process that was killed had begun is in nobody's way; what another one is making is.
#[test]
fn a_backup_that_was_given_up_is_made_anew() {
    let (folder, store) = sample();
    let copy = folder.path().join("monday");
    let part = copy.join("store.db-incomplete");
    fs::create_dir_all(&part).expect("a folder");
    fs::write(part.join("store.db"), "half of it").expect("written");
    let lock = fs::File::create(part.join("store.db-lock")).expect("a file");
    lock.lock().expect("locked");
    let error = store.backup(&copy, |_, _| ()).expect_err("another one is at it");
    assert!(matches!(error, Error::NotEmpty { .. }), "{error}");
    drop(lock);
    store.backup(&copy, |_, _| ()).expect("a backup");
    let copied = Store::open_existing(&Location::Folder(copy)).expect("a store");
    assert_eq!(everything(&copied), everything(&store));
}

#[test]
fn backups_and_exports_are_of_one_moment() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (folder, store) = empty();
    let location = Location::Folder(folder.path().join("data"));
    // Two pages that are always recorded together.
    let [left, right] = ["left", "right"].map(page);
    let record_both = |store: &Store, at: i64| {
        let body = |address: &Address| format!("<a>{address} {}</a>", "wide ".repeat(20_000) + &at.to_string());
        let both = [&left, &right].map(|address| Capture::of(address.clone(), day(at), body(address)));
        store.record_all(both.to_vec()).expect("recorded").into_iter().for_each(|one| assert!(one.is_ok()));
    };
    record_both(&store, 0);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let other = Store::open(&location).expect("a store");
            let mut at = 0;
            while !is_over.load(Ordering::Relaxed) {
                at += 1;
                record_both(&other, at);
            }
            at
        });
        let check = |copy: &Store| {
            let [left, right] = [&left, &right].map(|page| copy.versions(page).expect("versions"));
            assert_eq!(left.len(), right.len());
            let last = left.last().expect("a version");
            assert!(copy.content(last).expect("content").ends_with(format!("{}</a>", left.len() - 1).as_bytes()));
        };
        for round in 0..4 {
            let copy = folder.path().join(format!("copy-{round}"));
            store.backup(&copy, |_, _| ()).expect("a backup");
            check(&Store::open_existing(&Location::Folder(copy)).expect("a store"));
            let (_folder, copy, _) = imported(&exported(&store)).expect("imported");
            check(&copy);
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(writer.join().expect("a writer") > 0);
    });
}

#[test]
fn a_backup_has_nothing_that_came_while_it_was_made() {
    let (folder, store) = empty();
    let noise =
        (0..3_000_000u32).flat_map(|number| number.wrapping_mul(2_654_435_761).rotate_left(number % 31).to_le_bytes());
    record(&store, &page("noise"), 0, noise.collect::<Vec<u8>>());
    let mut calls = Vec::new();
    let copy = folder.path().join("copy");
    let came_meanwhile = |done, total| {
        calls.push((done, total));
        record(&store, &page("menu.xml"), calls.len() as i64, format!("<menu>{done}</menu>"));
    };
    store.backup(&copy, came_meanwhile).expect("a backup");
    assert!(calls.len() > 1 && calls.is_sorted(), "{calls:?}");
    assert!(calls.iter().all(|(done, total)| done < total), "{calls:?}");
    assert_eq!(store.page(&page("menu.xml")).expect("a page").latest as usize, calls.len());
    let copy = Store::open_existing(&Location::Folder(copy)).expect("a store");
    assert!(matches!(copy.page(&page("menu.xml")), Err(Error::UnknownPage { .. })));
    assert_eq!(copy.verify(|_| ()).expect("verified").faults, []);
}
