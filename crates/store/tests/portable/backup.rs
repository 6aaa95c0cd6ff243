//! Is a backup a store, as it was at one moment?

use std::fs;

use store::{Address, Capture, Error, Location, Store};

use crate::engines::{Engine, on_every_engine};
use crate::{day, empty, everything, exported, imported, page, record, sample};

on_every_engine! {
    a_backup_is_a_store,
    a_backup_that_was_given_up_is_made_anew,
    backups_and_exports_are_of_one_moment,
    a_backup_has_nothing_that_came_while_it_was_made,
}

fn a_backup_is_a_store(engine: Engine) {
    let (place, store) = sample(engine);
    let copy = place.path().join("backups/monday");
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
fn a_backup_that_was_given_up_is_made_anew(engine: Engine) {
    let (place, store) = sample(engine);
    let copy = place.path().join("monday");
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

fn backups_and_exports_are_of_one_moment(engine: Engine) {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (place, store) = empty(engine);
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
            let other = place.open();
            let mut at = 0;
            while !is_over.load(Ordering::Relaxed) {
                at += 1;
                record_both(&other, at);
                // Often enough, and copies stay small.
                std::thread::sleep(std::time::Duration::from_millis(10));
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
            let copy = place.path().join(format!("copy-{round}"));
            store.backup(&copy, |_, _| ()).expect("a backup");
            check(&Store::open_existing(&Location::Folder(copy)).expect("a store"));
            let (_copy_place, copy, _) = imported(engine, &exported(&store)).expect("imported");
            check(&copy);
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(writer.join().expect("a writer") > 0);
    });
}

fn a_backup_has_nothing_that_came_while_it_was_made(engine: Engine) {
    let (place, store) = empty(engine);
    for name in 0..4 {
        let numbers = (0..750_000_u32).map(|number| (number + name * 750_000).wrapping_mul(2_654_435_761));
        let noise = numbers.flat_map(|number| number.rotate_left(number % 31).to_le_bytes());
        record(&store, &page(&format!("noise-{name}")), 0, noise.collect::<Vec<u8>>());
    }
    let mut calls = Vec::new();
    let copy = place.path().join("copy");
    let came_meanwhile = |done, total| {
        calls.push((done, total));
        record(&store, &page("menu.xml"), calls.len() as i64, format!("<menu>{done}</menu>"));
    };
    store.backup(&copy, came_meanwhile).expect("a backup");
    assert!(calls.len() > 1 && calls.is_sorted(), "{calls:?}");
    assert!(calls.iter().all(|(done, total)| done <= total), "{calls:?}");
    assert_eq!(store.page(&page("menu.xml")).expect("a page").latest as usize, calls.len());
    let copy = Store::open_existing(&Location::Folder(copy)).expect("a store");
    assert!(matches!(copy.page(&page("menu.xml")), Err(Error::UnknownPage { .. })));
    assert_eq!(copy.verify(|_| ()).expect("verified").faults, []);
}
