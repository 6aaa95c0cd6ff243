//! What has been seen, and what is kept for whom.

use store::{Moment, ReaderId};

use super::*;

fn reader(id: &str) -> ReaderId {
    id.parse().expect("a reader")
}

#[test]
fn news_are_what_came_since_a_reader_looked() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        record(&store, "b", &["one"]);
        let (anna, bert) = (reader("a1"), reader("b2"));
        let news = |reader: &ReaderId| -> Vec<(String, u32, u32)> {
            let news = store.news(reader).expect("news").into_iter();
            news.map(|news| (news.page.address.url().replace("https://example.org/", ""), news.seen, news.page.latest))
                .collect()
        };
        store.see(&anna, &page("a"), 1, hour(5)).expect("seen");
        store.see(&anna, &page("b"), 1, hour(5)).expect("seen");
        store.see(&bert, &page("a"), 2, hour(5)).expect("seen");
        assert_eq!(news(&anna), [("a".into(), 1, 2)]);
        assert_eq!(news(&bert), []);
        assert_eq!(store.version(&page("a"), Moment::Seen, Some(&anna)).expect("a version").number, 1);
        // Who has seen the second and looks at the first has seen the second.
        store.see(&bert, &page("a"), 1, hour(6)).expect("seen");
        assert_eq!(news(&bert), []);
        store.record(capture("b", 9, "two")).expect("recorded");
        store.record(capture("a", 10, "three")).expect("recorded");
        assert_eq!(news(&anna), [("a".into(), 1, 3), ("b".into(), 1, 2)]);
        assert!(store.see(&anna, &page("a"), 7, hour(7)).is_err());
    });
}

/// What was seen may be dropped; then it is the one before that counts, and where there is none, that is said: a later one would
/// hide what is new.
#[test]
fn what_was_seen_and_is_gone_is_the_one_before() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two", "three", "four", "five"]);
        let (anna, bert) = (reader("a1"), reader("b2"));
        store.see(&anna, &page("a"), 3, hour(9)).expect("seen");
        let saved = |number| store.bookmark(&anna, &page("a"), number, true, "", hour(9)).expect("saved");
        saved(2);
        let rules = store::Retention { keep: Some(1), ..store::Retention::default() };
        store.prune("*", &rules, hour(99), |_| ()).expect("pruned");
        let seen = |reader| store.version(&page("a"), Moment::Seen, Some(reader)).map(|version| version.number);
        assert_eq!(seen(&anna).expect("a version"), 2);
        store.remove_bookmark(&anna, &page("a"), 2).expect("removed");
        store.prune("*", &rules, hour(99), |_| ()).expect("pruned");
        assert!(matches!(seen(&anna), Err(store::Error::SeenIsGone { number: 3, oldest: 5, .. })));
        assert!(matches!(seen(&bert), Err(store::Error::NeverSeen { .. })));
    });
}

#[test]
fn bookmarks_are_kept_with_their_notes() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        let anna = reader("a1");
        store.bookmark(&anna, &page("a"), 1, false, "", hour(1)).expect("marked");
        store.bookmark(&anna, &page("a"), 2, true, "the \u{1F375} price", hour(2)).expect("saved");
        let told: Vec<_> = store
            .bookmarks(&anna)
            .expect("bookmarks")
            .into_iter()
            .map(|mark| (mark.number, mark.is_saved, mark.note))
            .collect();
        assert_eq!(told, [(2, true, "the \u{1F375} price".to_owned()), (1, false, String::new())]);
        assert!(store.remove_bookmark(&anna, &page("a"), 1).expect("removed"));
        assert!(!store.remove_bookmark(&anna, &page("a"), 1).expect("removed"));
        assert_eq!(store.bookmarks(&reader("b2")).expect("bookmarks"), []);
    });
}

#[test]
fn readers_are_no_names() {
    for name in ["anna", "anna@example.org", "", "0123456789abcdef0123456789abcdef0"] {
        assert!(name.parse::<ReaderId>().is_err(), "{name}");
    }
}

/// What was noted before there were seals gets one when the store is brought up to date, and is missed from then on.
#[test]
fn what_has_no_seal_gets_one_and_keeps_it() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one", "two"]);
        store.see(&reader("a1"), &page("a"), 1, hour(5)).expect("seen");
        store.bookmark(&reader("a1"), &page("a"), 1, true, "cheap", hour(5)).expect("saved");
        let faults = |store: &Store| store.verify(|_| ()).expect("verified").faults.len();
        let unsealed = "UPDATE seen SET seal = NULL; UPDATE bookmark SET seal = NULL;";
        tamper(location, unsealed);
        assert_eq!(faults(&store), 2);
        drop(store);
        tamper(location, "UPDATE meta SET value = '3' WHERE name = 'format'");
        let store = open(location);
        assert_eq!(faults(&store), 0);
        assert!(store.bookmarks(&reader("a1")).expect("bookmarks")[0].is_saved);
        tamper(location, "UPDATE seen SET number = 2; UPDATE bookmark SET saved = 0;");
        assert_eq!(faults(&store), 2);
        drop(store);
        // It is brought up to date once.
        tamper(location, unsealed);
        assert_eq!(faults(&open(location)), 2);
    });
}

/// A store that cannot be opened would be worse than a note that is hurt.
#[test]
fn a_note_that_cannot_be_read_keeps_no_store_from_being_brought_up_to_date() {
    on_every_engine(|location| {
        let store = open(location);
        record(&store, "a", &["one"]);
        store.see(&reader("a1"), &page("a"), 1, hour(5)).expect("seen");
        drop(store);
        tamper(location, "UPDATE seen SET number = -1, seal = NULL; UPDATE meta SET value = '3' WHERE name = 'format'");
        assert_eq!(open(location).verify(|_| ()).expect("verified").faults.len(), 1);
    });
}
