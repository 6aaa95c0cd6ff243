//! What goes is gone, and what stays is as it was.

use std::collections::BTreeSet;

use proptest::prelude::*;
use store::{Count, ReaderId, Recount, Retention};

use super::*;

fn keep(count: u32) -> Retention {
    Retention { keep: Some(count), ..Retention::default() }
}

fn prune(store: &Store, rules: &Retention) -> Vec<u32> {
    let mut gone = Vec::new();
    store.prune("*", rules, hour(100), |pruned| gone.extend(&pruned.numbers)).expect("pruned");
    gone
}

#[test]
fn what_a_reader_saved_stays() {
    on_every_engine(|location| {
        let store = open(location);
        let states = ["<a>1</a>", "<a>2</a>", "<a>3</a>", "<a>4</a>", "<a>5</a>"];
        record(&store, "a.xml", &states);
        store.bookmark(&ReaderId::only(), &page("a.xml"), 2, true, "", hour(9)).expect("saved");
        store.bookmark(&ReaderId::only(), &page("a.xml"), 3, false, "", hour(9)).expect("marked");
        let mut prunable = Vec::<u32>::new();
        store.prunable("*", &keep(1), hour(100), |pruned| prunable.extend(&pruned.numbers)).expect("prunable");
        assert_eq!(prunable, [1, 3, 4]);
        assert_eq!(prune(&store, &keep(1)), [1, 3, 4]);
        assert_eq!(contents(&store, "a.xml"), [(2, "<a>2</a>".to_owned()), (5, "<a>5</a>".to_owned())]);
        assert_eq!(store.bookmarks(&ReaderId::only()).expect("bookmarks").len(), 1);
        // What changed between those that are left is one step.
        assert_eq!(store.delta(&page("a.xml"), 2, 5).expect("read").expect("a delta").operations().len(), 1);
        assert!(prune(&store, &keep(1)).is_empty());
    });
}

/// More pages than are listed at once.
#[test]
fn all_pages_that_are_meant_are_pruned() {
    on_every_engine(|location| {
        let store = open(location);
        let names: Vec<String> =
            (0..1100).map(|number| format!("{}/{number:04}", ["a", "b", "c"][number % 3])).collect();
        let captures = (1..3).flat_map(|at| names.iter().map(move |name| capture(name, at, &format!("{name} {at}"))));
        let recorded = store.record_all(captures.collect()).expect("recorded");
        assert!(recorded.iter().all(Result::is_ok));
        let meant = |pattern: &str, is_meant: fn(&str) -> bool| {
            let mut expected: Vec<Address> =
                names.iter().filter(|name| is_meant(name)).map(|name| page(name)).collect();
            expected.sort_by(|left, right| left.url().cmp(right.url()));
            let mut found = Vec::new();
            let told = |pruned: &store::Pruned| found.push(pruned.address.clone());
            store.prunable(&format!("https://example.org/{pattern}"), &keep(1), hour(100), told).expect("prunable");
            assert_eq!(found, expected, "{pattern}");
        };
        meant("*", |_| true);
        meant("b/*", |name| name.starts_with('b'));
        meant("*7", |name| name.ends_with('7'));
        meant("c/0500", |name| name == "c/0500");
        meant("d*", |_| false);
    });
}

/// Where notes are missing nobody knows what was saved, and nothing goes until the loss is accepted.
#[test]
fn nothing_is_dropped_where_notes_are_missing() {
    on_every_engine(|location| {
        let store = open(location);
        let anna: ReaderId = "a1".parse().expect("a reader");
        record(&store, "a", &["one", "two", "three"]);
        record(&store, "b", &["four", "five"]);
        store.bookmark(&anna, &page("a"), 1, true, "", hour(9)).expect("saved");
        store.bookmark(&anna, &page("a"), 2, true, "", hour(9)).expect("saved");
        store.see(&anna, &page("a"), 2, hour(9)).expect("seen");
        store.bookmark(&ReaderId::only(), &page("b"), 2, false, "", hour(9)).expect("marked");
        tamper(location, "DELETE FROM bookmark WHERE number = 1");
        let expected = "what reader a1 noted is damaged: 1 of 2 notes are there: a version that was saved \
                        might be dropped, so that none is; bring the store back from a backup, or accept the loss with \
                        `deltaic seen --recount --reader a1`";
        let mut told = 0;
        let refused = store.prune("*", &keep(1), hour(100), |_| told += 1).expect_err("notes are missing");
        assert_eq!(refused.to_string(), expected);
        let refused = store.prunable("*", &keep(1), hour(100), |_| told += 1).expect_err("notes are missing");
        assert_eq!((refused.to_string().as_str(), told), (expected, 0));
        let kept = |name| store.versions(&page(name)).expect("versions").len();
        assert_eq!((kept("a"), kept("b")), (3, 2));

        let recount = store.recount(&anna).expect("counted");
        let [seen, notes] = [(1, 1), (1, 2)].map(|(found, expected)| Count { found, expected });
        assert_eq!((recount, recount.notes.missing()), (Recount { seen, notes }, 1));
        assert_eq!(store.recount(&anna).expect("counted").notes, Count { found: 1, expected: 1 });
        assert_eq!(prune(&store, &keep(1)), [1, 1]);
        assert_eq!(contents(&store, "a"), [(2, "two".to_owned()), (3, "three".to_owned())]);
        let nobody = store.recount(&"f".parse().expect("a reader")).expect_err("nobody");
        assert_eq!(nobody.to_string(), "reader f has seen and noted nothing: there is nothing to count");
    });
}

#[test]
fn all_who_have_lost_notes_are_told_of() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        for reader in ["a", "b", "c"] {
            store.bookmark(&reader.parse().expect("a reader"), &page("a"), 1, true, "", hour(9)).expect("saved");
        }
        tamper(location, "DELETE FROM bookmark");
        let told = store.prune("*", &keep(1), hour(100), |_| ()).expect_err("notes are missing").to_string();
        assert!(
            told.starts_with("what reader a (and 2 other readers) noted is damaged: 0 of 1 notes are there"),
            "{told}"
        );
    });
}

/// An index that has lost a note hides it from nobody who drops versions.
#[test]
fn what_an_index_has_lost_is_still_saved() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::Folder(folder.path().join("data"));
    let store = open(&location);
    record(&store, "a", &["one", "two"]);
    store.bookmark(&ReaderId::only(), &page("a"), 1, true, "", hour(9)).expect("saved");
    drop(store);
    tamper(
        &location,
        "DROP INDEX bookmark_version; CREATE INDEX bookmark_version ON bookmark (page, number) WHERE page < 0;
         PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'WHERE page < 0', '') WHERE name = 'bookmark_version';",
    );
    let store = open(&location);
    let mut prunable = Vec::<u32>::new();
    store.prunable("*", &keep(1), hour(100), |pruned| prunable.extend(&pruned.numbers)).expect("prunable");
    assert!(prunable.is_empty());
    assert!(prune(&store, &keep(1)).is_empty());
    assert_eq!(store.versions(&page("a")).expect("versions").len(), 2);
}

/// Whichever page a note says that it is of, one that is there or none: what it saved stays.
#[test]
fn a_note_whose_page_is_hurt_still_saves() {
    for hurt in ["UPDATE bookmark SET page = 3", "UPDATE bookmark SET page = 1 + 4096"] {
        on_every_engine(|location| {
            let store = open(location);
            ["a", "b", "c", "d", "e", "f"].iter().for_each(|name| record(&store, name, &["one", "two"]));
            store.bookmark(&ReaderId::only(), &page("a"), 1, true, "", hour(9)).expect("saved");
            tamper(location, hurt);
            let pruned = store.prune("*", &keep(1), hour(100), |_| ());
            assert!(pruned.is_ok() || pruned.is_err_and(|error| error.is_damage()));
            let left = |name: &str| store.versions(&page(name)).expect("versions").len();
            assert_eq!((left("a"), left("f")), (2, 1), "{hurt}");
        });
    }
}

#[test]
fn a_content_that_another_page_has_stays() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        record(&store, "b", &["one"]);
        prune(&store, &keep(1));
        assert_eq!(contents(&store, "b"), numbered(&["one"]));
        assert_eq!(store.stats().expect("stats").contents, 2);
    });
}

/// What was dropped takes no space once the store is compacted, although it was in a full pack.
#[test]
fn what_is_dropped_gives_its_space_back() {
    on_every_engine(|location| {
        let store = open(location);
        let noise = |seed: usize| -> String {
            (0..12_000usize)
                .map(|place| format!("{:x} ", (place + seed * 12_007).wrapping_mul(0x9E37_79B9_7F4A_7C15)))
                .collect()
        };
        let states: Vec<String> = (0..12).map(noise).collect();
        record(&store, "a", &states.iter().map(|state| &**state).collect::<Vec<_>>());
        store.compact(|_| ()).expect("compacted");
        let before = store.stats().expect("stats").content_bytes;
        prune(&store, &keep(3));
        store.compact(|_| ()).expect("compacted");
        assert_eq!(contents(&store, "a").len(), 3);
        let after = store.stats().expect("stats").content_bytes;
        assert!(after < before / 3, "{before} and then {after}");
    });
}

#[test]
fn rules_are_of_the_pages_that_match() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        record(&store, "b", &["three", "four"]);
        store.prune("*/a", &keep(1), hour(100), |_| ()).expect("pruned");
        assert_eq!((contents(&store, "a").len(), contents(&store, "b").len()), (1, 2));
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever is dropped, packed, and recorded in between, the rest is there and its steps lead from one to the next.
    #[test]
    fn histories_survive_what_is_done_to_them(
        states in prop::collection::vec(0..12usize, 2..25),
        work in prop::collection::vec((0..4u32, 1..10u32), 1..4),
    ) {
        on_every_engine(|location| {
            let store = open(location);
            let state = |number: usize| match number {
                0 => "no tree".to_owned(),
                number => format!("<a>{}<c>{number}</c></a>", "<b>some text</b>".repeat(number / 3)),
            };
            let mut expected: Vec<(u32, String)> = Vec::new();
            let mut at = 0;
            for &number in &states {
                at += 1;
                if expected.last().is_none_or(|(_, latest)| *latest != state(number)) {
                    expected.push((expected.len() as u32 + 1, state(number)));
                }
                store.record(capture("a.xml", at, &state(number))).expect("recorded");
            }
            for &(what, count) in &work {
                if what == 0 {
                    store.compact(|_| ()).expect("compacted");
                } else {
                    let gone: BTreeSet<u32> = prune(&store, &keep(count)).into_iter().collect();
                    expected.retain(|(number, _)| !gone.contains(number));
                }
                assert_eq!(contents(&store, "a.xml"), expected);
            }
        });
    }
}
