//! What goes in comes out, once, in order.

use store::{Capture, Error, Location, Outcome, Recorded, Response, Store};

use super::*;

#[test]
fn versions_come_back_as_they_were() {
    on_every_engine(|location| {
        let states = ["<a><b>1</b></a>", "<a><b>2</b></a>", "<a><b>2</b><c/></a>", "no tree at all", "<a/>", ""];
        record(&open(location), "a.xml", &states);
        assert_eq!(contents(&open(location), "a.xml"), numbered(&states));
        let store = open(location);
        store.compact(|_| ()).expect("compacted");
        assert_eq!(contents(&store, "a.xml"), numbered(&states));
        store.record(capture("a.xml", 90, "<a>after</a>")).expect("recorded");
        store.compact(|_| ()).expect("compacted");
        assert_eq!(contents(&store, "a.xml").len(), 7);
    });
}

#[test]
fn many_at_once_are_as_one_after_the_other() {
    on_every_engine(|location| {
        let store = open(location);
        let states: Vec<String> = (0..40).map(|count| format!("<a>{}</a>", "<b/>".repeat(count))).collect();
        let captures = states
            .iter()
            .enumerate()
            .flat_map(|(at, state)| ["one.xml", "two.xml", "three.xml"].map(|name| capture(name, at as i64, state)));
        let recorded = store.record_all(captures.collect()).expect("recorded");
        assert!(recorded.iter().all(|recorded| matches!(recorded, Ok(Recorded::New { .. }))));
        let expected: Vec<&str> = states.iter().map(|state| &**state).collect();
        for name in ["one.xml", "two.xml", "three.xml"] {
            assert_eq!(contents(&store, name), numbered(&expected));
        }
        // They are the same, so they are stored once.
        assert_eq!(store.stats().expect("stats").contents, 40);
        assert_eq!(store.mirrors(&page("one.xml"), 100).expect("mirrors").len(), 2);
    });
}

#[test]
fn what_is_the_same_is_no_version() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a.html", &["<p>one"]);
        for at in 2..1000 {
            let recorded = store.record(capture("a.html", at, "<p>one")).expect("recorded");
            assert_eq!(recorded, Recorded::Unchanged { number: 1 });
        }
        let not_modified = Response { status: 304, ..Response::default() };
        let not_modified =
            Capture { address: page("a.html"), time: hour(1000), outcome: Outcome::Response(not_modified) };
        assert_eq!(store.record(not_modified).expect("recorded"), Recorded::Unchanged { number: 1 });
        let visits = store.visits(&page("a.html")).expect("visits");
        assert_eq!(visits.len(), 1);
        assert_eq!(visits[0].times, (2..=1000).map(hour).collect::<Vec<_>>());
    });
}

/// Who checks at the same time as others comes a little before or behind them.
#[test]
fn checks_are_in_order_whoever_made_them() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one"]);
        for at in [2, 5, 3, 6, 4] {
            store.record(capture("a", at, "one")).expect("recorded");
        }
        store.record(failure("a", 8, "no answer")).expect("recorded");
        store.record(capture("a", 7, "one")).expect("recorded");
        let visits = store.visits(&page("a")).expect("visits");
        let told: Vec<_> = visits.iter().map(|visits| (visits.trouble.is_some(), visits.times.clone())).collect();
        let hours = |hours: &[i64]| hours.iter().map(|at| hour(*at)).collect::<Vec<_>>();
        assert_eq!(told, [(false, hours(&[2, 3, 4, 5, 6])), (true, hours(&[8])), (false, hours(&[7]))]);
    });
}

#[test]
fn failed_checks_are_history_too() {
    on_every_engine(|location| {
        let store = open(location);
        store.record(failure("a", 1, "no route to host")).expect("recorded");
        let missing = Response { status: 404, body: b"<p>not here".to_vec(), ..Response::default() };
        let missing = Capture { address: page("a"), time: hour(2), outcome: Outcome::Response(missing) };
        assert_eq!(store.record(missing).expect("recorded"), Recorded::Failed);
        let told = |moment| store.version(&page("a"), moment, None).expect_err("no version").to_string();
        let there = format!("it has 2 checks that failed, the last at {}: HTTP 404", hour(2));
        assert_eq!(told(store::Moment::Latest), format!("`{}` has no version; {there}", page("a")));
        assert_eq!(told(store::Moment::Number(7)), format!("`{}` has no version 7; {there}", page("a")));
        record(&store, "a", &[]);
        store.record(capture("a", 3, "<p>here")).expect("recorded");
        store.record(failure("a", 4, "no route to host")).expect("recorded");
        let told: Vec<_> = store
            .visits(&page("a"))
            .expect("visits")
            .into_iter()
            .map(|visits| (visits.number, visits.trouble.expect("trouble"), visits.times.len()))
            .collect();
        let expected = [(0, "no route to host", 1), (0, "HTTP 404", 1), (1, "no route to host", 1)];
        assert_eq!(told, expected.map(|(number, why, count)| (number, why.to_owned(), count)));
    });
}

#[test]
fn versions_come_in_their_order() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        let error = store.record(capture("a", 1, "three")).expect_err("out of order");
        assert!(matches!(error, Error::OutOfOrder { latest: 2, .. }), "{error}");
        assert!(error.to_string().starts_with("a version of "), "{error}");
        let error = store.record(failure("a", 1, "no answer")).expect_err("out of order");
        assert!(error.to_string().starts_with("a check of "), "{error}");
        let results = store.record_all(vec![capture("a", 0, "x"), capture("a", 3, "three")]).expect("recorded");
        assert!(results[0].is_err() && results[1].is_ok());
        assert_eq!(contents(&store, "a"), numbered(&["one", "two", "three"]));
    });
}

#[test]
fn what_comes_again_is_stored_once() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a.xml", &["<a>x</a>", "<a>y</a>", "<a>x</a>", "<a>y</a>", "<a>x</a>"]);
        record(&store, "b.xml", &["<a>y</a>", "<a>x</a>", "<a>z</a>", "<a>y</a>"]);
        assert_eq!(store.stats().expect("stats").contents, 3);
        assert_eq!(contents(&store, "a.xml").len(), 5);
        store.compact(|_| ()).expect("compacted");
        assert_eq!(contents(&store, "b.xml"), numbered(&["<a>y</a>", "<a>x</a>", "<a>z</a>", "<a>y</a>"]));
    });
}

#[test]
fn what_is_there_is_counted() {
    on_every_engine(|location| {
        let store = open(location);
        assert_eq!(store.stats().expect("stats").versions, 0);
        record(&store, "a.xml", &["<a>x</a>", "<a>yes</a>", "<a>x</a>"]);
        record(&store, "b.xml", &["<a>yes</a>", "<a/>"]);
        let loose = store.stats().expect("stats");
        assert_eq!((loose.pages, loose.versions, loose.steps, loose.contents), (2, 5, 3, 3));
        assert_eq!(loose.version_bytes, 8 + 10 + 8 + 10 + 4);
        assert!(loose.content_bytes > 0 && loose.step_bytes > 0);
        assert_eq!(loose.mirrors, 0);
        // Frames of which many are pieces are counted once.
        store.compact(|_| ()).expect("compacted");
        let packed = store.stats().expect("stats");
        assert_eq!((packed.versions, packed.version_bytes, packed.steps), (5, 40, 3));
        assert!(packed.content_bytes < loose.content_bytes && packed.step_bytes < loose.step_bytes);
        // Three pages that are the same, and two; but not those which never had a version.
        for (name, body) in [("c.xml", "<a/>"), ("d.xml", "<a/>"), ("e.xml", "<a>x</a>")] {
            record(&store, name, &[body]);
        }
        store.record_all(vec![failure("f", 1, "no answer"), failure("g", 1, "no answer")]).expect("recorded");
        assert_eq!(store.stats().expect("stats").mirrors, 5);
    });
}

#[test]
fn what_came_with_a_version_is_kept() {
    on_every_engine(|location| {
        let store = open(location);
        let body = "<title> The\n menu </title><link rel=canonical href='/menu'><p>Caf\u{e9}";
        let latin: Vec<u8> = body.chars().map(|character| character as u8).collect();
        let headers = [("Content-Type", "text/html; charset=ISO-8859-1"), ("ETag", "\"1\"")];
        let headers: Vec<_> = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let response = Response { status: 203, headers: headers.clone(), body: latin };
        let address =
            store::Address::form("https://example.org/search", "post", Some(b"q=1".to_vec())).expect("a form");
        let capture = Capture { address: address.clone(), time: hour(1), outcome: Outcome::Response(response) };
        store.record(capture).expect("recorded");
        let version = store.version(&address, store::Moment::Latest, None).expect("a version");
        assert_eq!((version.status, version.details.headers), (203, headers));
        assert_eq!(version.details.title.as_deref(), Some("The menu"));
        assert_eq!(version.details.media_type.as_deref(), Some("text/html"));
        let page = store.page(&address).expect("a page");
        assert_eq!(page.canonical.as_deref(), Some("https://example.org/menu"));
        assert_eq!(page.address, address);
        assert!(store.page(&store::Address::new("https://example.org/search").expect("an address")).is_err());
        store
            .for_each_version(&address, |seen| {
                assert!(seen.document.expect("a tree").source().contains("Caf\u{e9}"));
                Ok(())
            })
            .expect("versions");
    });
}

/// Long histories of small pages and short ones of large pages come back, and are not all full copies.
#[test]
fn long_and_large_histories_come_back() {
    on_every_engine(|location| {
        let store = open(location);
        let line = |number: usize| format!("<l>{:x}</l>", number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let base: String = (0..26_000).map(line).collect();
        let large: Vec<String> = (0..6).map(|count| format!("<a>{base}<n>{count}</n></a>")).collect();
        let small: Vec<String> = (0..300).map(|count| format!("<a>{count}</a>")).collect();
        for (name, states) in [("large.xml", &large), ("small.xml", &small)] {
            for (at, state) in states.iter().enumerate() {
                store.record(capture(name, at as i64, state)).expect("recorded");
            }
        }
        for _ in 0..2 {
            let found = contents(&store, "large.xml");
            assert!(found.iter().map(|(_, content)| content).eq(&large));
            assert!(contents(&store, "small.xml").iter().map(|(_, content)| content).eq(&small));
            let stats = store.stats().expect("stats");
            assert!(stats.content_bytes < stats.version_bytes / 4, "{stats:?}");
            store.compact(|_| ()).expect("compacted");
        }
    });
}

/// What is packed stays as it is: steps are differences from the versions of their pack, and would lose them elsewhere.
#[test]
fn compacting_again_makes_nothing_larger() {
    on_every_engine(|location| {
        let store = open(location);
        let line =
            |number: usize| format!("<l>{:x}</l>", (number as u128).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060));
        let state = |changed: usize| -> String {
            let lines =
                (0..1000).map(|place| line(place + if place % 40 == changed % 40 { changed * 1000 } else { 0 }));
            format!("<a>{}</a>", lines.collect::<String>())
        };
        // The same content comes again, on the same page and on another.
        let states: Vec<String> = (0..60).chain([3, 7]).map(state).collect();
        let states: Vec<&str> = states.iter().map(|state| &**state).collect();
        record(&store, "a.xml", &states);
        record(&store, "b.xml", &states[40..50]);
        let compacted = || {
            store.compact(|_| ()).expect("compacted");
            store.stats().expect("stats")
        };
        let once = compacted();
        let again = compacted();
        assert!(once.version_bytes > 2 << 20, "{once:?}");
        assert_eq!((again.content_bytes, again.step_bytes), (once.content_bytes, once.step_bytes));
        assert_eq!(contents(&store, "a.xml"), numbered(&states));
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
    });
}

/// A page that begins like XML at one time and like HTML at another is one page, and has a history of its nodes.
#[test]
fn a_page_stays_what_it_was() {
    on_every_engine(|location| {
        let store = open(location);
        let html = "<html xmlns='http://www.w3.org/1999/xhtml'><body><p>one</p><p>4.50</p></body></html>";
        let xml = format!("<?xml version='1.0'?>{}", html.replace("4.50", "4.80"));
        record(&store, "page", &[html, &xml]);
        let formats = store.versions(&page("page")).expect("versions").into_iter().map(|version| version.details.tree);
        assert_eq!(formats.collect::<Vec<_>>(), [Some(store::Tree::Html); 2]);
        assert!(store.delta(&page("page"), 1, 2).expect("read").is_some());
        // What its address or its type says comes first.
        record(&store, "page.xhtml", &[html, &xml]);
        let latest = store.version(&page("page.xhtml"), store::Moment::Latest, None).expect("a version");
        assert_eq!(latest.details.tree, Some(store::Tree::Xml));
    });
}

#[test]
fn addresses_that_are_none_are_refused() {
    for (written, expected) in [
        ("menu.xml", "expected something like https://example.org/page"),
        ("https://", "empty host"),
        ("http://a b/", "invalid"),
    ] {
        let error = store::Address::new(written).expect_err(written).to_string();
        assert!(error.contains(expected), "{error}");
    }
    assert!(store::Address::form("https://example.org/", "GET /", None).is_err());
}

#[test]
fn a_store_that_is_not_there_is_not_made_by_asking() {
    on_every_engine(|location| {
        assert!(matches!(Store::open_existing(location), Err(Error::NoStore { .. } | Error::EmptyDatabase)));
        assert!(matches!(Store::open_existing(location), Err(Error::NoStore { .. } | Error::EmptyDatabase)));
        open(location);
        Store::open_existing(location).expect("a store");
    });
}

#[test]
fn a_place_without_a_store_says_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::Folder(folder.path().join("none"));
    assert!(matches!(Store::open_existing(&location), Err(Error::NoStore { .. })));
    std::fs::write(folder.path().join("letter.txt"), "Dear all").expect("written");
    let error = Store::open(&Location::Folder(folder.path().to_owned())).expect_err("no store");
    assert!(matches!(error, Error::NotAStore { .. }), "{error}");
}
