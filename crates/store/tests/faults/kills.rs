//! Processes are killed at random moments; the store is opened, everything is looked at, and the next one goes on.

use std::fs;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use store::{Address, Capture, Location, ReaderId};

use super::model::{Change, Model};
use super::support::Draws;
use super::victim::{Journal, Victim, Work, read_journal};
use super::{open, page, second, seed};

/// A store is new after so many kills, because looking at all of it takes longer and longer.
const LIVES: usize = 25;
/// The tests among which the kills are divided.
const TESTS: usize = 12;

/// How many kills a test has.
fn kills() -> usize {
    let told = std::env::var("DELTAIC_KILLS").ok().and_then(|told| told.parse().ok());
    told.unwrap_or(20_usize).div_ceil(TESTS)
}

/// Kills processes that do this work, on a new store now and then; `settled` waits until nothing of them is left.
fn kill_all(work: Work, mut new_store: impl FnMut() -> Option<(Location, Box<dyn Fn()>)>) {
    let mut draws = Draws(seed());
    let folder = tempfile::tempdir().expect("a folder");
    let (mut versions, mut torn) = (0, 0);
    for life in 0..kills().div_ceil(LIVES) {
        let Some((location, settled)) = new_store() else { return };
        let mut model = Model::default();
        for kill in 0..LIVES.min(kills() - life * LIVES) {
            let journal = folder.path().join("journal");
            let victim = Victim::start(&location, work, draws.below(1 << 30) as u64, kill as u64, &journal);
            wait(&victim, &mut draws);
            victim.kill();
            settled();
            torn += usize::from(check(&location, &mut model, &no_error(&journal)));
        }
        versions += model.n_versions();
    }
    eprintln!("{work:?}: {} killed, {torn} of them in the middle of something; {versions} versions are there", kills());
}

/// Kills one process that records, and tells what it has left: what was acknowledged, and what else was under way.
pub fn kill_once(location: &Location, draws: &mut Draws) -> [Model; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = folder.path().join("journal");
    let victim = Victim::start(location, Work::Record, draws.below(1 << 30) as u64, 0, &journal);
    while victim.n_lines() < 10 {
        sleep(Duration::from_millis(1));
    }
    victim.kill();
    let journal = no_error(&journal);
    let acknowledged = acknowledged(&Model::default(), &journal);
    let after = acknowledged.after(&journal.in_flight);
    [acknowledged, after]
}

/// Until it has done some of its work, and a moment more.
fn wait(victim: &Victim, draws: &mut Draws) {
    let lines = draws.below(40);
    for _ in 0..2000 {
        if victim.n_lines() >= lines {
            break;
        }
        sleep(Duration::from_millis(1));
    }
    sleep(Duration::from_micros(draws.below(8000) as u64));
}

/// What a process that had no trouble until it was killed has written.
fn no_error(journal: &Path) -> Journal {
    let journal = read_journal(journal);
    assert_eq!(journal.error, None);
    journal
}

/// A store after all that was acknowledged.
fn acknowledged(model: &Model, journal: &Journal) -> Model {
    let mut model = model.clone();
    for (changes, numbers) in &journal.done {
        for (&change, number) in changes.iter().zip(numbers) {
            model.apply(change);
            if let Change::Capture { page, .. } = change {
                assert_eq!(model.latest(page), *number, "versions are numbered in their order");
            }
        }
    }
    model
}

/// Everything that was acknowledged is there; of what was under way all or nothing, and nothing else: of a page, where many
/// were pruned. Tells whether something was under way.
fn check(location: &Location, model: &mut Model, journal: &Journal) -> bool {
    *model = acknowledged(model, journal);
    let observed = Model::observed(&open(location));
    let after = model.after(&journal.in_flight);
    let is_prune = journal.in_flight == [Change::Prune];
    let is_whole = observed == *model || observed == after;
    assert!(
        is_whole || is_prune && observed.is_page_by_page(model, &after),
        "{:?} was under way\nbefore {model:#?}\nfound {observed:#?}",
        journal.in_flight
    );
    *model = observed;
    !journal.in_flight.is_empty()
}

mod in_a_folder {
    use super::*;

    fn kill_all(work: Work) {
        let parent = tempfile::tempdir().expect("a folder");
        let mut count = 0;
        super::kill_all(work, || {
            count += 1;
            Some((Location::Folder(parent.path().join(format!("store {count}"))), Box::new(|| ())))
        });
    }

    #[test]
    fn recording() {
        kill_all(Work::Record);
    }

    #[test]
    fn recording_many() {
        kill_all(Work::Batch);
    }

    #[test]
    fn compacting() {
        kill_all(Work::Compact);
    }

    #[test]
    fn pruning() {
        kill_all(Work::Prune);
    }

    #[test]
    fn making() {
        let parent = tempfile::tempdir().expect("a folder");
        kill_makers(|kill| Some((Location::Folder(parent.path().join(format!("store {kill}"))), (), Box::new(|| ()))));
    }

    /// A store as the first format has it, with pages and a reader; nobody has opened it since.
    #[test]
    fn migrating() {
        let kept = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/formats/1.db.zst");
        let database = zstd::decode_all(&*fs::read(kept).expect("a kept store")).expect("decompressed");
        let parent = tempfile::tempdir().expect("a folder");
        kill_makers(|kill| {
            let folder = parent.path().join(format!("store {kill}"));
            fs::create_dir(&folder).and_then(|()| fs::write(folder.join("store.db"), &database)).expect("a store");
            let location = Location::Folder(folder);
            let later = location.clone();
            let settled = move || {
                let store = open(&later);
                let menu = Address::new("https://example.org/menu.xml").expect("an address");
                assert_eq!(store.versions(&menu).expect("versions").len(), 4);
                let bookmarks = store.bookmarks(&ReaderId::only()).expect("bookmarks");
                assert_eq!(bookmarks.iter().filter(|bookmark| bookmark.address == menu).count(), 1);
            };
            Some((location, (), Box::new(settled)))
        });
    }
}

/// Processes are killed while they make a store, or lead one to today's format; whatever is left of it, it can be opened and recorded to.
fn kill_makers<T>(mut place: impl FnMut(usize) -> Option<(Location, T, Box<dyn Fn()>)>) {
    let (mut draws, folder) = (Draws(seed()), tempfile::tempdir().expect("a folder"));
    let journal = folder.path().join("journal");
    let mut made = 0;
    for kill in 0..kills() {
        let Some((location, _held, settled)) = place(kill) else { return };
        let victim = Victim::start(&location, Work::Record, draws.below(1 << 30) as u64, 0, &journal);
        // It opens its journal first.
        while !journal.exists() {
            sleep(Duration::from_micros(100));
        }
        let most_microseconds = 256 << draws.below(12);
        sleep(Duration::from_micros(draws.below(most_microseconds) as u64));
        victim.kill();
        settled();
        made += usize::from(check(&location, &mut Model::default(), &no_error(&journal)));
        open(&location).record(Capture::of(page(0), second(1000), "<a>it goes on</a>")).expect("recorded");
    }
    eprintln!("{} killed, {made} of them after the store was made", kills());
}

#[cfg(feature = "postgres")]
mod in_postgres {
    use super::super::engines::postgres::{Schema, Server};
    use super::*;

    type InSchema = (Schema, Location, Box<dyn Fn()>);

    /// A store in a schema, and what waits until the server has noticed that the process is gone.
    fn new_store() -> Option<InSchema> {
        let schema = Schema::new()?;
        let name = format!("victim of {}", schema.name());
        let location = Location::Database(format!("{}&application_name={}", schema.url(), name.replace(' ', "%20")));
        let server = schema.server();
        let settled = move || {
            let mut admin = server.admin();
            let sql = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1";
            while admin.query_one(sql, &[&name]).expect("a number").get::<_, i64>(0) > 0 {
                sleep(Duration::from_millis(2));
            }
        };
        Some((schema, location, Box::new(settled)))
    }

    fn kill_all(work: Work) {
        let mut last = None;
        super::kill_all(work, || {
            let (schema, location, settled) = new_store()?;
            last = Some(schema);
            Some((location, settled))
        });
        drop(last);
    }

    #[test]
    fn recording() {
        kill_all(Work::Record);
    }

    #[test]
    fn recording_many() {
        kill_all(Work::Batch);
    }

    #[test]
    fn compacting() {
        kill_all(Work::Compact);
    }

    #[test]
    fn pruning() {
        kill_all(Work::Prune);
    }

    /// The tables of the first format, without a row: those of a folder tell what becomes of rows.
    #[test]
    fn migrating() {
        const FIRST: &str = include_str!("../../src/engine/migrations/postgres/001.sql");
        kill_makers(|_| {
            let (schema, location, settled) = new_store()?;
            let tables = format!(
                "SET search_path = {}; {FIRST}; INSERT INTO meta (name, value) VALUES ('format', '1')",
                schema.name()
            );
            schema.server().admin().batch_execute(&tables).expect("tables");
            Some((location, schema, settled))
        });
    }

    #[test]
    fn making() {
        kill_makers(|_| new_store().map(|(schema, location, settled)| (location, schema, settled)));
    }

    /// The server is killed with all its processes, as a loss of power would, and starts again.
    #[test]
    fn the_server() {
        let mut draws = Draws(seed());
        let Some(mut server) = Server::private() else { return };
        let folder = tempfile::tempdir().expect("a folder");
        let journal = folder.path().join("journal");
        let mut model = Model::default();
        for kill in 0..kills().div_ceil(4).min(10) {
            let works = [Work::Record, Work::Batch, Work::Compact, Work::Prune];
            let work = works[draws.below(works.len())];
            let location = Location::Database(server.url());
            let victim = Victim::start(&location, work, draws.below(1 << 30) as u64, kill as u64, &journal);
            wait(&victim, &mut draws);
            server.kill();
            victim.wait();
            let told = read_journal(&journal);
            // Mostly that there is no connection; what it says while it goes down has other words now and then.
            told.error.as_deref().expect("the process notices");
            server.start();
            check(&Location::Database(server.url()), &mut model, &told);
        }
    }
}
