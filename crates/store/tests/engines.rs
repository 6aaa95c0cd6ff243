//! Do both engines answer the same? One history in a folder and in PostgreSQL, and the same questions.

#![cfg(feature = "postgres")]

#[path = "support/postgres.rs"]
mod postgres_support;

use std::sync::Barrier;
use std::thread;

use jiff::Timestamp;
use postgres_support::Schema;
use store::{Address, Capture, Location, Moment, Outcome, ReaderId, Recorded, Retention, Store};

fn time(minute: i64) -> Timestamp {
    Timestamp::from_second(1_700_000_000 + 60 * minute).expect("a time")
}

fn address(url: &str) -> Address {
    Address::new(url).expect("an address")
}

fn capture(url: &str, minute: i64, words: &str) -> Capture {
    let body = format!("<html><body><h1>Menu</h1><p>{words}</p></body></html>");
    Capture::of(address(url), time(minute), body)
}

/// URLs whose order depends on who sorts them.
fn urls() -> Vec<String> {
    let tails = ["", "-", "A", "B", "_", "a", "a-b", "a/b", "ab", "a%20b", "b", "?q=1", "zz", "\u{e4}"];
    let mut urls: Vec<String> = tails.iter().map(|tail| format!("https://example.org/{tail}")).collect();
    urls.extend(["1", "2"].map(|end| format!("https://example.org/{}{end}", "long/".repeat(1000))));
    urls.push("https://example.com/a".into());
    urls
}

/// Records the same in any store, and says all that it then knows.
fn history(store: &Store) -> Vec<String> {
    let mut said = Vec::new();
    let mut say = |what: String| said.push(what);
    for minute in 0..4 {
        let captures = urls()
            .iter()
            .enumerate()
            .map(|(n, url)| capture(url, minute, &format!("{}", n as i64 % 3 + minute)))
            .collect();
        for recorded in store.record_all(captures).expect("a store") {
            say(format!("{:?}", recorded.expect("a version")));
        }
    }
    let page = address("https://example.org/a");
    let failure = Capture { address: page.clone(), time: time(10), outcome: Outcome::Failure("no answer".into()) };
    say(format!("{:?}", store.record(failure).expect("a failed check")));
    let again = capture("https://example.org/a", 11, "again");
    assert!(matches!(store.record(again.clone()).expect("a version"), Recorded::New { number: 5, .. }));
    say(format!("{:?}", store.record(Capture { time: time(12), ..again }).expect("no version")));

    let reader = ReaderId::only();
    for url in ["https://example.org/_", "https://example.org/B", "https://example.org/a"] {
        store.see(&reader, &address(url), 2, time(20)).expect("seen");
        store.bookmark(&reader, &address(url), 1, true, "for \u{1f4d6}", time(21)).expect("a bookmark");
    }
    for is_compacted in [false, true] {
        if is_compacted {
            let rules = Retention { keep: Some(2), ..Retention::default() };
            let mut pruned = Vec::new();
            store
                .prune("https://example.org/a*", &rules, time(30), |page| pruned.push(format!("{page:?}")))
                .expect("pruned");
            say(format!("{pruned:?}"));
            store.compact(|_| ()).expect("compacted");
        }
        for pattern in ["*", "https://example.org/a*", "https://example.org/*b", "https://example.org/long/*", "x*"] {
            let mut pages = Vec::new();
            store
                .for_each_page(pattern, |page| {
                    pages.push(page.address.url().to_owned());
                    Ok(())
                })
                .expect("pages");
            say(format!("{pattern}: {pages:?}"));
        }
        let mirrors = store.mirrors(&page, 100).expect("mirrors");
        say(format!("{:?}", mirrors.iter().map(|page| page.address.url()).collect::<Vec<_>>()));
        say(format!("{:?}", store.visits(&page).expect("visits")));
        say(format!("{:?}", store.bookmarks(&reader).expect("bookmarks")));
        let news = store.news(&reader).expect("news");
        say(format!(
            "{:?}",
            news.iter().map(|news| (news.page.address.url().to_owned(), news.seen)).collect::<Vec<_>>()
        ));
        for version in store.versions(&page).expect("versions") {
            let content = store.content(&version).expect("content");
            say(format!("{} {} {}", version.number, version.time, String::from_utf8_lossy(&content)));
        }
        say(format!("{:?}", store.version(&page, Moment::Seen, Some(&reader)).map(|version| version.number)));
        say(store.page(&address("https://example.org/b/")).expect_err("another page").to_string());
        let verified = store.verify(|_| ()).expect("verified");
        say(format!("{verified:?}"));
        assert!(verified.faults.is_empty(), "{verified:?}");
        let stats = store.stats().expect("stats");
        say(format!("{} {} {} {}", stats.pages, stats.versions, stats.contents, stats.readers));
    }
    said
}

#[test]
fn both_engines_answer_the_same() {
    let Some(schema) = Schema::new() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let in_folder = Store::open(&Location::Folder(folder.path().join("store"))).expect("a store");
    let in_database = Store::open(&Location::Database(schema.url())).expect("a store");
    let expected = history(&in_folder);
    for (found, expected) in history(&in_database).iter().zip(&expected) {
        assert_eq!(found, expected);
    }
    let mut sorted: Vec<String> = urls().iter().map(|url| address(url).url().to_owned()).collect();
    sorted.sort();
    assert!(expected.contains(&format!("*: {sorted:?}")), "the order is that of the bytes");
}

#[test]
fn many_processes_record_at_once() {
    let Some(schema) = Schema::new() else { return };
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for writer in 0..4 {
            let (start, schema) = (&start, &schema);
            scope.spawn(move || {
                let store = Store::open(&Location::Database(schema.url())).expect("a store");
                start.wait();
                for round in 0..10 {
                    // One page for each, and one for all.
                    let own = capture(&format!("https://example.org/{writer}"), round, &format!("{round}"));
                    let shared = Capture {
                        time: Timestamp::now(),
                        ..capture("https://example.org/", 0, &format!("{writer} {round}"))
                    };
                    let mut captures = vec![own, shared];
                    if writer % 2 == 0 {
                        captures.reverse();
                    }
                    for recorded in store.record_all(captures).expect("a store") {
                        match recorded {
                            // Somebody else was later and first.
                            Ok(_) | Err(store::Error::OutOfOrder { .. }) => {}
                            Err(error) => panic!("{error}"),
                        }
                    }
                }
            });
        }
    });
    let store = Store::open(&Location::Database(schema.url())).expect("a store");
    let verified = store.verify(|_| ()).expect("verified");
    assert!(verified.faults.is_empty(), "{verified:?}");
    for writer in 0..4 {
        assert_eq!(store.versions(&address(&format!("https://example.org/{writer}"))).expect("versions").len(), 10);
    }
}
