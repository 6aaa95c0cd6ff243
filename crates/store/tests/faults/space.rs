//! What if nothing more can be written? What is there can be read, and recording says why it cannot.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use store::{Capture, Error, Location, Recorded, Store};

use super::kills::kill_once;
use super::model::Model;
use super::support::Draws;
use super::{open, page, second, seed};

/// A small disk in memory.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    /// None where it may not be made, which is said.
    fn new(size: &str) -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a folder");
        if mount(&["-t", "tmpfs", "-o", &format!("size={size}"), "none"], folder.path()) {
            return Some(Disk { folder });
        }
        eprintln!("skipped: no disk can be mounted here");
        None
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn remount(&self, options: &str) {
        assert!(mount(&["-o", &format!("remount,{options}")], self.folder.path()), "{options}");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l"]).arg(self.folder.path()).status();
    }
}

fn mount(arguments: &[&str], folder: &Path) -> bool {
    let mounted = Command::new("mount").args(arguments).arg(folder).stderr(Stdio::null()).status();
    mounted.is_ok_and(|status| status.success())
}

/// Content that cannot be made small, and has no markup.
fn noise(draws: &mut Draws, bytes: usize) -> String {
    (0..bytes).map(|_| char::from(b'?' + draws.below(64) as u8)).collect()
}

#[test]
fn a_full_disk_is_told_and_hurts_nothing() {
    let Some(disk) = Disk::new("2m") else { return };
    let location = Location::Folder(disk.store());
    check_filled(&location, 30_000, || {
        disk.remount("size=20m");
        location.clone()
    });
}

#[test]
#[cfg(feature = "postgres")]
fn a_full_disk_of_a_server_is_told_and_hurts_nothing() {
    let Some(mut server) = super::engines::postgres::Server::private_with_small_disk() else { return };
    check_filled(&Location::Database(server.url()), 100_000, || {
        server.crash();
        server.start();
        Location::Database(server.url())
    });
}

/// Records contents of so many bytes until there is no room for more, and goes on where room was made.
fn check_filled(location: &Location, bytes: usize, make_room: impl FnOnce() -> Location) {
    let mut draws = Draws(seed());
    let store = open(location);
    let (mut contents, mut refusals) = (Vec::new(), 0);
    for time in 0..300 {
        let body = noise(&mut draws, bytes);
        match store.record(Capture::of(page(0), second(time), &*body)) {
            Ok(_) => contents.push(body),
            Err(Error::Full) => refusals += 1,
            Err(error) => panic!("{error:?}"),
        }
        if refusals == 5 {
            break;
        }
    }
    assert_eq!(refusals, 5, "the disk is small");
    assert!(contents.len() > 5);
    let check = |store: &Store, contents: &[String]| {
        assert_eq!(store.verify(|_| ()).expect("verified").faults, []);
        let versions = store.versions(&page(0)).expect("versions");
        let found = versions.iter().map(|version| store.content(version).expect("content"));
        assert!(found.eq(contents.iter().map(|content| content.as_bytes().to_vec())));
    };
    check(&store, &contents);
    // Compacting takes space before it gives some back.
    let compacted = store.compact(|_| ());
    assert!(matches!(compacted, Err(Error::Full)), "{compacted:?}");
    check(&store, &contents);
    drop(store);
    // One that opens the full disk reads as well.
    let store = open(location);
    check(&store, &contents);
    drop(store);

    let store = open(&make_room());
    contents.push("<a>there is space again</a>".into());
    store.record(Capture::of(page(0), second(1000), &**contents.last().expect("one"))).expect("recorded");
    store.compact(|_| ()).expect("compacted");
    check(&store, &contents);
}

/// Not even the index of the log has room.
#[test]
fn a_disk_without_a_byte_left_is_read() {
    let Some(disk) = Disk::new("1m") else { return };
    let location = Location::Folder(disk.store());
    open(&location).record(Capture::of(page(0), second(1), "<a>kept</a>")).expect("recorded");
    let filler = fill(&disk);
    check_full(&location, 1);
    fs::remove_file(filler).expect("removed");
    open(&location).record(Capture::of(page(0), second(3), "<a>again</a>")).expect("recorded");
}

/// The same with a log, whose index is to be made anew.
#[test]
fn a_disk_without_a_byte_left_is_read_with_the_log_of_a_killed_process() {
    let Some(disk) = Disk::new("20m") else { return };
    let location = Location::Folder(disk.store());
    let expected = kill_once(&location, &mut Draws(seed()));
    fs::write(disk.store().join("store.db-shm"), "").expect("written");
    let filler = fill(&disk);
    let found = Model::observed(&open(&location));
    assert!(expected.contains(&found), "{expected:#?}\n{found:#?}");
    check_full(&location, found.n_versions());
    fs::remove_file(filler).expect("removed");
    assert_eq!(Model::observed(&open(&location)), found);
}

fn check_full(location: &Location, versions: usize) {
    let store = open(location);
    let report = store.verify(|_| ()).expect("verified");
    assert_eq!((report.faults, store.stats().expect("numbers").versions), (vec![], versions as u64));
    let refused = store.record(Capture::of(page(0), second(2), "<a>more</a>"));
    assert!(matches!(refused, Err(Error::Full)), "{refused:?}");
}

/// Leaves nothing of a disk.
fn fill(disk: &Disk) -> PathBuf {
    let path = disk.folder.path().join("filler");
    let mut filler = fs::File::create(&path).expect("a file");
    for bytes in [65536, 4096, 1] {
        while filler.write_all(&vec![1; bytes]).is_ok() {}
    }
    path
}

#[test]
fn a_disk_without_any_space_has_no_store() {
    let Some(disk) = Disk::new("8k") else { return };
    fs::write(disk.folder.path().join("large"), [1; 4096]).expect("written");
    let location = Location::Folder(disk.store());
    let refused = Store::open(&location).expect_err("there is no space");
    assert!(matches!(refused, Error::Full), "{refused:?}");
    disk.remount("size=2m");
    open(&location).record(Capture::of(page(0), second(1), "<a/>")).expect("recorded");
}

#[test]
fn what_can_only_be_read_is_read() {
    let Some(disk) = Disk::new("20m") else { return };
    let location = Location::Folder(disk.store());
    let store = open(&location);
    for time in 0..5 {
        store.record(Capture::of(page(0), second(time), format!("<a>{time}</a>"))).expect("recorded");
    }
    drop(store);
    disk.remount("ro");
    check_read_only(&location, 5);
    disk.remount("rw");
    open(&location).record(Capture::of(page(0), second(9), "<a>again</a>")).expect("recorded");
}

#[test]
#[cfg(feature = "postgres")]
fn what_a_server_only_lets_be_read_is_read() {
    let Some(schema) = super::engines::postgres::Schema::new() else { return };
    open(&Location::Database(schema.url())).record(Capture::of(page(0), second(0), "<a>0</a>")).expect("recorded");
    let location = Location::Database(schema.url_with(" -c default_transaction_read_only=on"));
    check_refuses(&location, 1, "cannot execute ");
}

/// A process was killed, and its log is still there.
#[test]
fn what_can_only_be_read_is_read_with_the_log_of_a_killed_process() {
    let Some(disk) = Disk::new("20m") else { return };
    let location = Location::Folder(disk.store());
    let expected = kill_once(&location, &mut Draws(seed()));
    let log = disk.store().join("store.db-wal");
    assert!(fs::metadata(&log).is_ok_and(|log| log.len() > 0), "a log was left behind");
    disk.remount("ro");
    let found = Model::observed(&Store::open_existing(&location).expect("a store"));
    assert!(expected.contains(&found), "{expected:#?}\n{found:#?}");
    check_read_only(&location, found.n_versions());
    disk.remount("rw");
    // Without the file by which processes share the log, and which SQLite makes anew where it can.
    fs::remove_file(disk.store().join("store.db-shm")).expect("removed");
    disk.remount("ro");
    let refused = Store::open_existing(&location).expect_err("the log cannot be read").to_string();
    let expected = format!(
        "the store can only be read: `{}` has what was recorded last, and SQLite does not read it where it cannot write; \
         copy the folder to where it can",
        log.display()
    );
    assert_eq!(refused, expected);
    disk.remount("rw");
    assert_eq!(Model::observed(&open(&location)), found);
}

fn check_read_only(location: &Location, versions: usize) {
    let Location::Folder(folder) = location else { panic!("a folder") };
    check_refuses(location, versions, &format!("`{}` cannot be written to", folder.display()));
}

/// All is read, and nothing written, for this reason.
fn check_refuses(location: &Location, versions: usize, why: &str) {
    let store = Store::open_existing(location).expect("it can be read");
    let verified = store.verify(|_| ()).expect("verified");
    assert_eq!((verified.faults.len(), verified.versions), (0, versions as u64));
    let recorded = store.record(Capture::of(page(0), second(1 << 30), "<a>new</a>")).map(|_: Recorded| ());
    for refused in [recorded, store.compact(|_| ())] {
        let refused = refused.expect_err("nothing is written").to_string();
        assert!(refused.starts_with(&format!("the store can only be read: {why}")), "{refused}");
    }
}
