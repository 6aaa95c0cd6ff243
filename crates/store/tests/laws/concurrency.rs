//! Many at once are as safe as one.

use std::sync::Barrier;
use std::thread;

use store::{Recorded, Search};

use super::*;

#[test]
fn the_same_content_at_once_is_one_version() {
    on_every_engine(|location| {
        open(location);
        let barrier = Barrier::new(8);
        let new = thread::scope(|scope| {
            let record = || {
                let store = open(location);
                barrier.wait();
                let recorded = store.record(capture("a.xml", 1, "<a>the same</a>")).expect("recorded");
                usize::from(matches!(recorded, Recorded::New { .. }))
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(record)).collect();
            threads.into_iter().map(|thread| thread.join().expect("a thread")).sum::<usize>()
        });
        assert_eq!(new, 1);
        assert_eq!(contents(&open(location), "a.xml").len(), 1);
    });
}

/// Writers to a few pages, readers, a pruner and a packer at once: all that was acknowledged is there in its order.
#[test]
fn writers_readers_and_packers_get_along() {
    on_every_engine(|location| {
        let store = open(location);
        let pages = ["a.xml", "b.xml", "c.xml"];
        record(&store, "old.xml", &["<a>1</a>", "<a>2</a>", "<a>3</a>"]);
        thread::scope(|scope| {
            for writer in 0..3 {
                let store = &store;
                scope.spawn(move || {
                    for count in 0..30 {
                        let name = pages[(writer + count) % 3];
                        // All at one time, so that none is too late.
                        let body = format!("<a><w>{writer}</w><c>{count}</c>{}</a>", "<same/>".repeat(count));
                        store.record(capture(name, 1, &body)).expect("recorded");
                    }
                });
            }
            scope.spawn(|| (0..4).for_each(|_| store.compact(|_| ()).expect("compacted")));
            scope.spawn(|| {
                let other = open(location);
                for _ in 0..20 {
                    for version in other.versions(&page("old.xml")).expect("versions") {
                        // It may be dropped between the one and the other, and then that is said.
                        match other.content(&version) {
                            Ok(content) => assert_eq!(content, format!("<a>{}</a>", version.number).as_bytes()),
                            Err(error) => assert!(matches!(error, store::Error::Dropped { .. }), "{error}"),
                        }
                    }
                }
            });
            scope.spawn(|| {
                // What is packed in the meantime is elsewhere, and found all the same.
                (0..20).for_each(|_| store.for_each_change(&Search::default(), |_| Ok(())).expect("changes"));
            });
            scope.spawn(|| {
                let rules = store::Retention { keep: Some(1), ..store::Retention::default() };
                store.prune("*/old.xml", &rules, hour(9), |_| ()).expect("pruned");
            });
        });
        let all: usize = pages.iter().map(|name| contents(&store, name).len()).sum();
        assert_eq!(all, 90);
        assert_eq!(contents(&store, "old.xml").len(), 1);
    });
}
