//! What if PostgreSQL goes away in the middle of something? That is said, nothing is half-done, and the next call finds it
//! again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use store::{Capture, Error, Location, Store};

use super::engines::postgres::{Schema, Server};
use super::model::PAGES;
use super::{open, page, second};

/// A batch for all pages, of contents that no other has.
fn batch(number: u64) -> Vec<Capture> {
    let body = |place: usize| format!("<a n=\"{number}\">{}</a>", "<b>words</b>".repeat(place % 50));
    (0..200)
        .map(|place| Capture::of(page(place % PAGES), second(number), format!("{}<!--{place}-->", body(place))))
        .collect()
}

fn n_versions(store: &Store) -> usize {
    let verified = store.verify(|_| ()).expect("verified");
    assert_eq!(verified.faults, []);
    verified.versions as usize
}

#[test]
fn connections_are_ended_in_the_middle_of_batches() {
    let Some(schema) = Schema::new() else { return };
    let store = open(&Location::Database(schema.url()));
    let is_over = AtomicBool::new(false);
    let (mut whole, mut broken) = (0, 0);
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut admin = schema.server().admin();
            // Only those of this test, by what they have last asked for: the schema is in no other's search path.
            let sql = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
                       WHERE application_name = 'deltaic' AND pid IN (SELECT pid FROM pg_locks l JOIN pg_class c \
                       ON c.oid = l.relation JOIN pg_namespace n ON n.oid = c.relnamespace \
                       WHERE n.nspname = $1 AND l.mode = 'RowExclusiveLock')";
            while !is_over.load(Ordering::Relaxed) {
                admin.query(sql, &[&schema.name()]).expect("ended");
                thread::sleep(std::time::Duration::from_millis(30));
            }
        });
        for number in 1.. {
            match store.record_all(batch(number)) {
                Ok(recorded) => whole += usize::from(recorded.iter().all(Result::is_ok)),
                Err(Error::Connection { .. }) => broken += 1,
                Err(error) => panic!("{error:?}"),
            }
            if broken >= 3 || number > 500 {
                break;
            }
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(broken >= 3, "{whole} batches were whole");
    let found = n_versions(&store);
    assert_eq!(found % 200, 0, "a batch is there or not");
    // A commit may have been done when the connection ended before it was told.
    assert!((whole..=whole + broken).contains(&(found / 200)), "{found} versions of {whole} to {}", whole + broken);
    store.record_all(batch(9999)).expect("the next call has another connection");
    assert_eq!(n_versions(&store), found + 200);
}

#[test]
fn a_server_that_is_stopped_is_found_again() {
    let Some(mut server) = Server::private() else { return };
    let store = open(&Location::Database(server.url()));
    store.record_all(batch(1)).expect("recorded");
    server.crash();
    let refused = store.record_all(batch(2)).expect_err("there is no server").to_string();
    assert!(refused.starts_with("no connection to the database: "), "{refused}");
    let refused = store.verify(|_| ()).expect_err("there is no server").to_string();
    assert!(refused.starts_with("no connection to the database: "), "{refused}");
    server.start();
    // It has another port now, and the socket is named after it.
    let store = open(&Location::Database(server.url()));
    assert_eq!(n_versions(&store), 200);
    store.record_all(batch(2)).expect("recorded");
    assert_eq!(n_versions(&store), 400);
}
