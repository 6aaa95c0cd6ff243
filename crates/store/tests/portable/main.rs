//! Does a store come back from an archive as it was?

#[path = "../support/engines.rs"]
mod engines;
#[path = "../support/mod.rs"]
mod support;

mod backup;
mod entries;
mod hostile;
mod mishaps;

use std::fs;

use engines::{Engine, Place, on_every_engine};
use entries::{entries, packed, zst};
use store::{
    Address, Capture, Error, ImportLimits, Imported, Location, Outcome, ReaderId, Response, Result, Retention, Store,
};

on_every_engine! {
    everything_comes_back,
    a_store_without_anything_comes_back,
    what_was_pruned_comes_back,
    declarations_of_deltas_come_back,
    pages_of_the_corpus_come_back,
    what_is_here_already_stays,
}

fn empty(engine: Engine) -> (Place, Store) {
    let place = engine.place();
    let store = place.open();
    (place, store)
}

fn day(day: i64) -> jiff::Timestamp {
    jiff::Timestamp::from_millisecond(1_793_000_000_123 + 86_400_000 * day).expect("a time")
}

fn page(name: &str) -> Address {
    Address::new(&format!("https://example.org/{name}")).expect("an address")
}

fn record(store: &Store, address: &Address, at: i64, body: impl Into<Vec<u8>>) {
    store.record(Capture::of(address.clone(), day(at), body)).expect("recorded");
}

/// A store with something of everything.
fn sample(engine: Engine) -> (Place, Store) {
    let (place, store) = empty(engine);
    fill(&store);
    (place, store)
}

fn fill(store: &Store) {
    let menu = page("menu.xml");
    for at in 0..5 {
        record(store, &menu, at, format!("<menu><soup>{at}</soup><pie n='{}'>good</pie></menu>", at / 2));
    }
    for at in 5..8 {
        record(store, &menu, at, "<menu><soup>4</soup><pie n='2'>good</pie></menu>");
    }
    // Back to what was before, to another format, to none, and back to a tree.
    let moods = page("moods");
    for (at, body) in ["{\"a\": 1}", "{\"a\": 2}", "{\"a\": 1}", "<html><p>Hi</p></html>", "\u{0}\u{1}", "{\"a\": 3}"]
        .iter()
        .enumerate()
    {
        record(store, &moods, at as i64, *body);
    }
    record(store, &page("picture"), 3, [0, 255, 1, 254].repeat(400));
    record(store, &page("empty"), 3, "");
    // The same as another page has.
    record(store, &page("mirror.json"), 9, "{\"a\": 2}");
    let down = Capture { address: page("down"), time: day(1), outcome: Outcome::Failure("no route".into()) };
    store.record(down).expect("recorded");
    let form = Address::form("https://example.org/search", "post", Some(vec![b'q', b'=', 0xFF])).expect("an address");
    record(store, &form, 2, "<p>found</p>");
    let headers = vec![("content-type".into(), "text/html; charset=utf-8".into()), ("etag".into(), "\"7\"".into())];
    let body = b"<html><head><title>T</title><link rel=canonical href=/home></head><p>x</html>".to_vec();
    let response = Response { status: 203, headers, body };
    store
        .record(Capture { address: page("titled"), time: day(2), outcome: Outcome::Response(response) })
        .expect("recorded");
    let reader = "1f".parse().expect("a reader");
    store.see(&reader, &menu, 3, day(9)).expect("seen");
    store.bookmark(&reader, &menu, 2, true, "soup \u{1F372}", day(9)).expect("saved");
    store.see(&ReaderId::only(), &moods, 6, day(10)).expect("seen");
}

fn exported(store: &Store) -> Vec<u8> {
    let mut archive = Vec::new();
    store.export(&mut archive, |_| ()).expect("an archive");
    archive
}

fn imported(engine: Engine, archive: &[u8]) -> Result<(Place, Store, Imported)> {
    let (place, store) = empty(engine);
    let imported = store.import(archive, &ImportLimits::default(), |_| ())?;
    assert_eq!(store.verify(|_| ())?.faults, []);
    Ok((place, store, imported))
}

/// All that can be asked of a store.
fn everything(store: &Store) -> String {
    let mut pages = Vec::new();
    let each = |page| {
        pages.push(page);
        Ok(())
    };
    store.for_each_page("*", each).expect("pages");
    let mut out = String::new();
    for page in pages {
        out += &format!("{} {:?} {}\n", page.address, page.canonical, page.latest);
        out += &format!("{:?}\n", store.visits(&page.address).expect("visits"));
        let seen = |seen: store::Seen| {
            let version = &seen.version;
            out += &format!("{} {} {} {}", version.number, version.time, version.hash, version.status);
            out += &format!(" {:?} {:?} {:?} {:?}\n", version.details, seen.content, seen.step, seen.identities()?);
            Ok(())
        };
        store.for_each_version(&page.address, seen).expect("versions");
        out += &format!("{:?}\n", store.mirrors(&page.address, 100).expect("mirrors").len());
    }
    for reader in ["0", "1f"] {
        let reader = reader.parse().expect("a reader");
        out += &format!("{:?}\n", store.bookmarks(&reader).expect("bookmarks"));
        let news = store.news(&reader).expect("news");
        out +=
            &format!("{:?}\n", news.iter().map(|news| (&news.page.address, news.seen, news.time)).collect::<Vec<_>>());
    }
    out
}

fn everything_comes_back(engine: Engine) {
    let (_place, store) = sample(engine);
    let archive = exported(&store);
    let (_other_place, other, imported) = imported(engine, &archive).expect("imported");
    assert_eq!((imported.pages, imported.known_pages, imported.versions, imported.readers), (8, 0, 16, 2));
    assert_eq!(everything(&other), everything(&store));
    assert!(exported(&other) == archive, "the export of an import is the first export");
    // And it goes on from there.
    record(&store, &page("menu.xml"), 20, "<menu><soup>9</soup></menu>");
    record(&other, &page("menu.xml"), 20, "<menu><soup>9</soup></menu>");
    assert_eq!(everything(&other), everything(&store));
    store.compact(|_| ()).expect("compacted");
    assert!(exported(&other) == exported(&store), "how bytes lie is no part of an archive");
}

fn a_store_without_anything_comes_back(engine: Engine) {
    let (_place, store) = empty(engine);
    let (_other_place, other, taken) = imported(engine, &exported(&store)).expect("imported");
    assert_eq!(taken, Imported::default());
    assert_eq!(everything(&other), everything(&store));
}

/// Entities that a delta refers to are declared before it.
fn declarations_of_deltas_come_back(engine: Engine) {
    let (_place, store) = empty(engine);
    let doctype = "<!DOCTYPE a SYSTEM 'a.dtd'>";
    for (at, body) in ["<a/>", "<a><b>x&nbsp;y</b></a>", "<a><b>x&nbsp;y &mdash; z</b></a>"].iter().enumerate() {
        record(&store, &page("entities.xml"), at as i64, format!("{doctype}{body}"));
    }
    let archive = exported(&store);
    let is_declaring = |entry: &entries::Entry| entry.bytes.starts_with(b"<!DOCTYPE xydelta [");
    assert_eq!(entries(&archive).into_iter().filter(is_declaring).count(), 2);
    let (_other_place, other, _) = imported(engine, &archive).expect("imported");
    assert!(exported(&other) == archive, "the export of an import is the first export");
}

fn what_was_pruned_comes_back(engine: Engine) {
    for keep in 1..5 {
        let (_place, store) = sample(engine);
        let rules = Retention { keep: Some(keep), ..Retention::default() };
        store.prune("*", &rules, day(30), |_| ()).expect("pruned");
        let archive = exported(&store);
        let (_other_place, other, _) = imported(engine, &archive).expect("imported");
        assert_eq!(everything(&other), everything(&store));
        assert!(exported(&other) == archive, "the export of an import is the first export");
    }
}

#[test]
#[cfg(feature = "postgres")]
fn engines_exchange_archives() {
    let Some(engine) = Engine::postgres() else { return };
    let (_place, store) = sample(Engine::Sqlite);
    let archive = exported(&store);
    let (_there_place, there) = sample(engine);
    assert!(exported(&there) == archive, "what is recorded in PostgreSQL has the same archive");

    let (copy_place, copy) = empty(engine);
    let hurt = zst(&packed(&entries(&archive)[..30]));
    copy.import(&hurt[..], &ImportLimits::default(), |_| ()).expect_err("it is not all there");
    assert_eq!(copy.export(std::io::sink(), |_| ()).expect("an archive"), Default::default());
    copy.import(&archive[..], &ImportLimits::default(), |_| ()).expect("imported");
    assert_eq!(copy.verify(|_| ()).expect("verified").faults, []);
    assert_eq!(everything(&copy), everything(&store));
    assert!(exported(&copy) == archive, "the export of an import is the first export");

    let backup = copy_place.path().join("backup");
    copy.backup(&backup, |_, _| ()).expect("a backup");
    let backup = Store::open_existing(&Location::Folder(backup)).expect("a store");
    assert_eq!(everything(&backup), everything(&store));
}

fn pages_of_the_corpus_come_back(engine: Engine) {
    let Some(corpus) = support::corpus() else { return };
    let (_place, store) = empty(engine);
    // A part of it takes seconds, all of it a minute.
    let every = if std::env::var_os("WHOLE_CORPUS").is_some() { 1 } else { 12 };
    let mut raw = 0;
    for page in support::pages(&corpus).iter().step_by(every) {
        let address = Address::new(&format!("https://corpus.example/{}", page.name)).expect("an address");
        for (at, file) in page.files.iter().enumerate() {
            let body = fs::read(file).expect("a readable file");
            raw += body.len();
            record(&store, &address, at as i64, body);
        }
    }
    let start = std::time::Instant::now();
    let archive = exported(&store);
    let took = start.elapsed();
    let (_other_place, other, _) = imported(engine, &archive).expect("imported");
    eprintln!("{raw} bytes, an archive of {} in {took:?}, taken in {:?}", archive.len(), start.elapsed() - took);
    assert!(exported(&other) == archive, "the export of an import is the first export");
}

#[test]
fn common_tools_open_it() {
    let (place, store) = sample(Engine::Sqlite);
    let file = place.path().join("archive.tar.zst");
    fs::write(&file, exported(&store)).expect("written");
    let listed = std::process::Command::new("tar").arg("--zstd").arg("-tf").arg(&file).output();
    let Ok(listed) = listed else { return eprintln!("skipped: there is no tar") };
    let said = String::from_utf8_lossy(&listed.stderr);
    if said.contains("zstd") {
        return eprintln!("skipped: there is no zstd");
    }
    assert!(listed.status.success() && said.is_empty(), "{said}");
    let names = String::from_utf8_lossy(&listed.stdout).lines().count();
    assert_eq!(names, entries(&exported(&store)).len());
}

fn what_is_here_already_stays(engine: Engine) {
    let (_place, store) = sample(engine);
    let archive = exported(&store);
    let again = store.import(&archive[..], &ImportLimits::default(), |_| ()).expect("imported");
    assert_eq!((again.pages, again.known_pages, again.contents), (0, 8, 0));
    assert!(exported(&store) == archive);

    let (_other_place, other) = empty(engine);
    record(&other, &page("else"), 1, "{\"a\": 2}");
    other.import(&archive[..], &ImportLimits::default(), |_| ()).expect("imported");
    assert_eq!(other.mirrors(&page("else"), 100).expect("mirrors").len(), 1);

    record(&store, &page("menu.xml"), 20, "<menu/>");
    record(&store, &page("picture"), 20, "");
    let before = everything(&store);
    let error = store.import(&archive[..], &ImportLimits::default(), |_| ()).expect_err("another history");
    let Error::OtherHistory { pages } = &error else { panic!("{error}") };
    assert_eq!(*pages, ["https://example.org/menu.xml", "https://example.org/picture"]);
    assert_eq!(everything(&store), before);
}

/// The names of what is in a folder; none where it is not there.
fn names_in(folder: &std::path::Path) -> Option<Vec<String>> {
    let entries = fs::read_dir(folder).ok()?;
    let mut names: Vec<String> = entries.flatten().map(|one| one.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Some(names)
}

/// Of a folder; that of a database the tables stay, and nothing else, is seen by [`engines_exchange_archives`].
#[test]
fn what_is_refused_leaves_nothing_behind() {
    let (folder, store) = sample(Engine::Sqlite);
    let archive = exported(&store);
    let import = |place: &str, archive: &[u8]| {
        let location = Location::Folder(folder.path().join(place));
        Store::import_at(&location, archive, &ImportLimits::default(), |_| ())
    };
    let names = |place: &str| names_in(&folder.path().join(place));
    // Cut off behind most of it, so that much of it has been taken.
    let hostile = &archive[..archive.len() - 20];
    import("far/away/data", hostile).expect_err("it is cut off");
    assert_eq!(names("far"), None);
    fs::create_dir_all(folder.path().join("near")).expect("a folder");
    import("near/data", hostile).expect_err("it is cut off");
    import("near", hostile).expect_err("it is cut off");
    assert_eq!(names("near"), Some(vec![]));
    // And what is taken is a store like any other, be it there already or not.
    for _ in 0..2 {
        import("near", &archive).expect("imported");
        assert_eq!(names("near"), Some(vec!["format".to_owned(), "store.db".to_owned()]));
    }
    let taken = Store::open_existing(&Location::Folder(folder.path().join("near"))).expect("a store");
    assert_eq!(everything(&taken), everything(&store));
    import("near", hostile).expect_err("it is cut off");
    assert_eq!(everything(&taken), everything(&store));
    // What was killed on its way is in nobody's way, and what is no store is none of ours.
    fs::create_dir_all(folder.path().join("killed/store.db-incomplete")).expect("a folder");
    import("killed", &archive).expect("imported");
    fs::create_dir_all(folder.path().join("full/of")).expect("a folder");
    let error = import("full", &archive).expect_err("it is no store");
    assert!(matches!(error, Error::NotAStore { .. }), "{error}");
    assert_eq!(names("full"), Some(vec!["of".to_owned()]));
}
