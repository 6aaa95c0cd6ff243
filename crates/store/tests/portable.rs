//! Does a store come back from an archive as it was, and is everything refused that no export has written?

#[cfg(feature = "postgres")]
#[path = "support/postgres.rs"]
mod postgres_support;
mod support;

use std::fs;
use std::io::Read;
use std::sync::LazyLock;

use proptest::prelude::*;
use store::{
    Address, Capture, Error, ImportLimits, Imported, Location, Outcome, ReaderId, Response, Result, Retention, Store,
};
use tempfile::TempDir;

fn empty() -> (TempDir, Store) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
    (folder, store)
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
fn sample() -> (TempDir, Store) {
    let (folder, store) = empty();
    fill(&store);
    (folder, store)
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

fn imported(archive: &[u8]) -> Result<(TempDir, Store, Imported)> {
    let (folder, store) = empty();
    let imported = store.import(archive, &ImportLimits::default(), |_| ())?;
    assert_eq!(store.verify(|_| ())?.faults, []);
    Ok((folder, store, imported))
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
        out += &format!("{:?}\n", store.mirrors(&page.address).expect("mirrors").len());
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

#[test]
fn everything_comes_back() {
    let (_folder, store) = sample();
    let archive = exported(&store);
    let (_other_folder, other, imported) = imported(&archive).expect("imported");
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

#[test]
fn a_store_without_anything_comes_back() {
    let (_folder, store) = empty();
    let (_other_folder, other, taken) = imported(&exported(&store)).expect("imported");
    assert_eq!(taken, Imported::default());
    assert_eq!(everything(&other), everything(&store));
}

#[test]
fn what_was_pruned_comes_back() {
    for keep in 1..5 {
        let (_folder, store) = sample();
        let rules = Retention { keep: Some(keep), ..Retention::default() };
        store.prune("*", &rules, day(30), |_| ()).expect("pruned");
        let archive = exported(&store);
        let (_other_folder, other, _) = imported(&archive).expect("imported");
        assert_eq!(everything(&other), everything(&store));
        assert!(exported(&other) == archive, "the export of an import is the first export");
    }
}

#[test]
#[cfg(feature = "postgres")]
fn engines_exchange_archives() {
    let Some(schema) = postgres_support::Schema::new() else { return };
    let Some(second) = postgres_support::Schema::new() else { return };
    let (folder, store) = sample();
    let archive = exported(&store);
    let there = Store::open(&Location::Database(schema.url())).expect("a store");
    fill(&there);
    assert!(exported(&there) == archive, "what is recorded in PostgreSQL has the same archive");

    let copy = Store::open(&Location::Database(second.url())).expect("a store");
    let hurt = zst(&packed(&entries(&archive)[..30]));
    copy.import(&hurt[..], &ImportLimits::default(), |_| ()).expect_err("it is not all there");
    assert_eq!(copy.export(std::io::sink(), |_| ()).expect("an archive"), Default::default());
    copy.import(&archive[..], &ImportLimits::default(), |_| ()).expect("imported");
    assert_eq!(copy.verify(|_| ()).expect("verified").faults, []);
    assert_eq!(everything(&copy), everything(&store));
    assert!(exported(&copy) == archive, "the export of an import is the first export");

    let backup = folder.path().join("backup");
    copy.backup(&backup, |_, _| ()).expect("a backup");
    let backup = Store::open_existing(&Location::Folder(backup)).expect("a store");
    assert_eq!(everything(&backup), everything(&store));
}

#[test]
fn pages_of_the_corpus_come_back() {
    let Some(corpus) = support::corpus() else { return };
    let (folder, store) = empty();
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
    let (_other_folder, other, _) = imported(&archive).expect("imported");
    eprintln!("{raw} bytes, an archive of {} in {took:?}, taken in {:?}", archive.len(), start.elapsed() - took);
    assert!(exported(&other) == archive, "the export of an import is the first export");
    drop(folder);
}

#[test]
fn common_tools_open_it() {
    let (folder, store) = sample();
    let file = folder.path().join("archive.tar.zst");
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

#[test]
fn what_is_here_already_stays() {
    let (_folder, store) = sample();
    let archive = exported(&store);
    let again = store.import(&archive[..], &ImportLimits::default(), |_| ()).expect("imported");
    assert_eq!((again.pages, again.known_pages, again.contents), (0, 8, 0));
    assert!(exported(&store) == archive);

    let (_other_folder, other) = empty();
    record(&other, &page("else"), 1, "{\"a\": 2}");
    other.import(&archive[..], &ImportLimits::default(), |_| ()).expect("imported");
    assert_eq!(other.mirrors(&page("else")).expect("mirrors").len(), 1);

    record(&store, &page("menu.xml"), 20, "<menu/>");
    record(&store, &page("picture"), 20, "");
    let before = everything(&store);
    let error = store.import(&archive[..], &ImportLimits::default(), |_| ()).expect_err("another history");
    let Error::OtherHistory { pages } = &error else { panic!("{error}") };
    assert_eq!(*pages, ["https://example.org/menu.xml", "https://example.org/picture"]);
    assert_eq!(everything(&store), before);
}

/// An entry of an archive, with its head as it stands.
#[derive(Clone)]
struct Entry {
    head: [u8; 512],
    bytes: Vec<u8>,
}

impl Entry {
    fn name(&self) -> String {
        String::from_utf8_lossy(&self.head[..100]).trim_end_matches('\0').to_owned()
    }

    fn named(mut self, name: &str) -> Self {
        self.head[..100].fill(0);
        self.head[..name.len()].copy_from_slice(name.as_bytes());
        self
    }

    fn with(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.bytes = bytes.into();
        let size = format!("{:011o}", self.bytes.len());
        self.head[124..135].copy_from_slice(size.as_bytes());
        self
    }

    fn edited(self, from: &str, to: &str) -> Self {
        let text = String::from_utf8(self.bytes.clone()).expect("text");
        assert!(text.contains(from), "{text}");
        self.with(text.replacen(from, to, 1))
    }

    fn with_head(mut self, at: usize, bytes: &[u8]) -> Self {
        self.head[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }
}

fn unpacked(archive: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    zstd::stream::read::Decoder::new(archive).expect("zstd").read_to_end(&mut tar).expect("zstd");
    tar
}

fn entries(archive: &[u8]) -> Vec<Entry> {
    let tar = unpacked(archive);
    let mut rest = &tar[..];
    let mut entries = Vec::new();
    while rest[0] != 0 {
        let head: [u8; 512] = rest[..512].try_into().expect("a head");
        let size = usize::from_str_radix(std::str::from_utf8(&head[124..135]).expect("a size"), 8).expect("a size");
        entries.push(Entry { head, bytes: rest[512..512 + size].to_vec() });
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    entries
}

/// The entries as a tar, with checksums that are right.
fn packed(entries: &[Entry]) -> Vec<u8> {
    let mut tar = Vec::new();
    for Entry { mut head, bytes } in entries.iter().cloned() {
        head[148..156].fill(b' ');
        let sum: u64 = head.iter().map(|&byte| u64::from(byte)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend(head);
        tar.extend(&bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn zst(tar: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(tar, 1).expect("zstd")
}

/// The place of the first entry whose name has this in it.
fn place(entries: &[Entry], part: &str) -> usize {
    entries.iter().position(|entry| entry.name().contains(part)).unwrap_or_else(|| panic!("no {part}"))
}

/// The place of the entry of a page.
fn page_place(entries: &[Entry], name: &str) -> usize {
    let line = format!("\"https://example.org/{name}\"");
    let is_page =
        |entry: &Entry| entry.name().ends_with("page.jsonl") && String::from_utf8_lossy(&entry.bytes).contains(&line);
    entries.iter().position(is_page).unwrap_or_else(|| panic!("no {name}"))
}

/// Edits the first entry whose name has `part` in it.
fn edit(part: &'static str, from: &'static str, to: &'static str) -> impl Fn(&mut Vec<Entry>) {
    move |entries| {
        let place = place(entries, part);
        entries[place] = entries[place].clone().edited(from, to);
    }
}

/// Edits the lines of the page `menu.xml`.
fn edit_menu(from: &'static str, to: &'static str) -> impl Fn(&mut Vec<Entry>) {
    move |entries| {
        let place = page_place(entries, "menu.xml");
        entries[place] = entries[place].clone().edited(from, to);
    }
}

/// Changes the head of the first entry whose name has `part` in it.
fn head(part: &'static str, at: usize, bytes: &'static [u8]) -> impl Fn(&mut Vec<Entry>) {
    move |entries| {
        let place = place(entries, part);
        entries[place] = entries[place].clone().with_head(at, bytes);
    }
}

fn rename(part: &'static str, name: &'static str) -> impl Fn(&mut Vec<Entry>) {
    move |entries| {
        let place = place(entries, part);
        entries[place] = entries[place].clone().named(name);
    }
}

/// A store into which archives are brought that must not change it.
struct Guarded {
    _folder: TempDir,
    store: Store,
    before: Vec<u8>,
}

impl Guarded {
    fn new() -> Self {
        let (_folder, store) = empty();
        record(&store, &page("mine"), 1, "<mine/>");
        let before = exported(&store);
        Guarded { _folder, store, before }
    }

    fn refuses(&self, archive: &[u8], limits: &ImportLimits, why: &str) {
        self.refusal(archive, limits, why).unwrap_or_else(|fault| panic!("{fault}"));
    }

    /// Imports what must be refused, and tells where it was not.
    fn refusal(&self, archive: &[u8], limits: &ImportLimits, why: &str) -> Result<(), String> {
        let error = match self.store.import(archive, limits, |_| ()) {
            Err(error) => error.to_string(),
            Ok(imported) => return Err(format!("expected `{why}`, was taken: {imported:?}")),
        };
        if !error.contains(why) || !error.starts_with("the archive is refused at `") {
            return Err(format!("expected `{why}`, found: {error}"));
        }
        if exported(&self.store) == self.before { Ok(()) } else { Err(format!("{why}: something was taken")) }
    }
}

#[test]
fn hostile_archives_are_refused() {
    let (_folder, store) = sample();
    let good = entries(&exported(&store));
    let guarded = Guarded::new();
    let mut faults = Vec::new();
    let mut check = |why: &str, change: &dyn Fn(&mut Vec<Entry>)| {
        let mut entries = good.clone();
        change(&mut entries);
        faults.extend(guarded.refusal(&zst(&packed(&entries)), &ImportLimits::default(), why).err());
    };
    // Names and kinds of entries.
    check("it is no entry of an export", &rename("contents", "../../etc/passwd"));
    check("it is no entry of an export", &rename("contents", "/etc/passwd"));
    check("it is no entry of an export", &rename("contents", "contents/../deltaic-archive.json"));
    check("it is no entry of an export", &rename("readers/1f", "readers/anna.jsonl"));
    check("it is no entry of an export", &rename("readers/1f", "readers/1F.jsonl"));
    check("`its beginning`: the next entry has no name", &head("deltaic-archive", 0, &[0; 100]));
    for kind in [b"1", b"2", b"3", b"4", b"5", b"6", b"7", b"S", b"x", b"g", b"L", b"K", b"\0"] {
        check("it is no file", &head("contents", 156, kind));
    }
    check("another dialect", &head("contents", 157, b"/etc/passwd"));
    check("another dialect", &head("contents", 345, b".."));
    check("another dialect", &head("contents", 257, b"ustar  \0"));
    check("its size cannot be read", &head("contents", 124, &[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9]));
    check("larger than 1073741824 bytes", &head("contents", 124, b"37777777777"));
    check("what follows is no entry", &head("readers/1f", 124, b"00000000000"));
    check("cut off", &head("readers/1f", 124, b"00000777777"));
    check("it is there twice", &|entries| entries.insert(1, entries[0].clone()));
    check("it is there twice", &|entries| {
        let place = place(entries, "contents");
        entries.insert(place, entries[place].clone());
    });
    check("out of order, or one is there twice", &|entries| {
        let place = place(entries, "page.jsonl");
        entries.insert(place + 1, entries[place].clone());
    });
    check("out of order, or one is there twice", &|entries| entries.push(entries[entries.len() - 1].clone()));
    check("behind the readers", &|entries| entries.push(entries[1].clone()));
    check("an export begins with", &|entries| drop(entries.remove(0)));
    check("an export begins with", &|entries| entries.clear());
    // The head.
    check("a newer deltaic", &edit("deltaic-archive", "\"version\":1", "\"version\":2"));
    check("something else", &edit("deltaic-archive", "\"version\":1", "\"version\":0"));
    check("something else", &edit("deltaic-archive", "deltaic archive", "other archive"));
    check("8 pages, and there are 7", &|entries| {
        let place = page_place(entries, "down");
        entries.remove(place);
    });
    check("3 readers, and there are 2", &edit("deltaic-archive", "\"readers\":2", "\"readers\":3"));
    check("a line cannot be read", &edit("deltaic-archive", "{", "{\"more\":1,"));
    // Contents.
    check("another hash than its name", &edit("contents", "", " "));
    check("contents that no version of it has", &|entries| {
        let hash = blake3::hash(b"more").to_hex();
        let name = format!("contents/{}/{hash}", &hash[..2]);
        let content = entries[place(entries, "contents")].clone();
        entries.insert(1, content.named(&name).with("more"));
    });
    check("its content is not there", &|entries| {
        let place = page_place(entries, "picture") - 1;
        entries.remove(place);
    });
    check("its hash is none", &edit_menu("\"hash\":\"", "\"hash\":\"0"));
    // Pages.
    check("its name is not the key", &edit_menu("menu.xml", "menu.html"));
    check("its normal form", &edit_menu("https://example", "HTTPS://example"));
    check("its normal form", &edit_menu("menu.xml", "menu.xml#soup"));
    check("is no address of a page", &edit_menu("https://example.org/menu.xml", "menu.xml"));
    check("is no HTTP method", &edit_menu("GET", "GET /"));
    check("its canonical address is none", &edit_menu("\"GET\"", "\"GET\",\"canonical\":\"home\""));
    check("its canonical address is none", &edit_menu("\"GET\"", "\"GET\",\"canonical\":\"https://a/\\u0000\""));
    check("does not begin with the page", &|entries| {
        let place = page_place(entries, "menu.xml");
        let lines = entries[place].bytes.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
        let rest = entries[place].bytes[lines..].to_vec();
        entries[place] = entries[place].clone().with(rest);
    });
    check("it is empty", &|entries| {
        let place = page_place(entries, "menu.xml");
        entries[place] = entries[place].clone().with("");
    });
    check("a line cannot be read", &edit_menu("\"number\":3", "\"number\":3,\"more\":1"));
    check("a line cannot be read", &edit_menu("\"number\":3", "\"number\":-3"));
    check("a line cannot be read", &edit_menu("{", "[[[["));
    check("its last line has no end", &|entries| {
        let place = page_place(entries, "menu.xml");
        let mut bytes = entries[place].bytes.clone();
        bytes.pop();
        entries[place] = entries[place].clone().with(bytes);
    });
    check("its lines are out of order", &|entries| {
        let place = page_place(entries, "menu.xml");
        let bytes = entries[place].bytes.repeat(2);
        entries[place] = entries[place].clone().with(bytes);
    });
    // Versions.
    check("versions are out of order", &edit_menu("\"number\":3", "\"number\":2"));
    check("versions are out of order", &edit_menu("\"number\":3", "\"number\":9"));
    check("versions are out of order", &edit_menu("\"time\":\"2026", "\"time\":\"2027"));
    check("no version has such a number", &edit_menu("\"number\":1", "\"number\":0"));
    check("no version has such a number", &edit_menu("\"number\":5", "\"number\":4294967295"));
    check("no version has such a number or status", &edit_menu("\"status\":200", "\"status\":404"));
    check("is no time", &edit_menu("\"time\":\"2026", "\"time\":\" 2026"));
    check("is no time", &edit_menu("123Z", "1234Z"));
    check("its details are none", &edit_menu("\"details\":{", "\"details\":{\"more\":1,"));
    check("its details are none", &edit_menu("\"tree\":\"xml\"", "\"tree\":\"pdf\""));
    check("which is not there", &edit_menu("\"visits\":{\"number\":5", "\"visits\":{\"number\":6"));
    check("which is not there", &edit_menu("\"visits\":{\"number\":5", "\"visits\":{\"number\":0"));
    check("a NUL", &edit_menu("\"visits\":{\"number\":5", "\"visits\":{\"number\":5,\"trouble\":\"\\u0000\""));
    check("beyond all times", &edit_menu("\"gaps\":[", "\"gaps\":[18446744073709551615,"));
    // Steps.
    let menu_step = |entries: &[Entry], number: u32| page_place(entries, "menu.xml") + number as usize - 1;
    check("the step to version 5 is missing", &|entries| drop(entries.remove(menu_step(entries, 5))));
    check("the step to version 2 is missing", &|entries| drop(entries.remove(menu_step(entries, 2))));
    check("the step to version 2 is missing", &|entries| {
        let (two, three) = (menu_step(entries, 2), menu_step(entries, 3));
        entries.swap(two, three);
    });
    check("steps are out of order", &|entries| {
        let place = menu_step(entries, 5);
        entries.insert(place, entries[place].clone());
    });
    check("no step of the page before it", &|entries| {
        let step = entries[menu_step(entries, 5)].clone();
        let place = page_place(entries, "moods");
        entries.insert(place + 1, step);
    });
    check("it does not lead from", &|entries| {
        let (two, three) = (menu_step(entries, 2), menu_step(entries, 3));
        entries[three] = entries[three].clone().with(entries[two].bytes.clone());
    });
    check("the delta cannot be read", &edit(".delta.xml", "<", "<!"));
    check("the delta cannot be", &|entries| {
        let place = menu_step(entries, 2);
        entries[place] = entries[place].clone().edited(">1<", ">7<");
    });
    check("the delta cannot be read", &|entries| {
        let place = menu_step(entries, 2);
        entries[place] = entries[place].clone().with(vec![0xFF; 9]);
    });
    check("next identity cannot be", &edit(".break.json", "\"next\":", "\"next\":9999999999999999"));
    check("next identity cannot be", &|entries| {
        let place = place(entries, "/5.break.json");
        entries[place] = entries[place].clone().with("{\"next\":1,\"xids\":\"()\"}");
    });
    check("identities, and the version has 0 nodes", &|entries| {
        let place = place(entries, "/5.break.json");
        entries[place] = entries[place].clone().with("{\"next\":99,\"xids\":\"(1-9)\"}");
    });
    check("identities cannot be read", &edit(".break.json", "\"xids\":\"", "\"xids\":\"no"));
    check("versions that have no trees", &|entries| {
        let delta = entries[menu_step(entries, 2)].bytes.clone();
        let place = place(entries, "/5.break.json");
        let name = entries[place].name().replace("break.json", "delta.xml");
        entries[place] = entries[place].clone().named(&name).with(delta);
    });
    // Readers.
    check("which never was", &edit("readers/1f", "\"number\":3", "\"number\":6"));
    check("which never was", &edit("readers/1f", "\"number\":3", "\"number\":0"));
    check("which is not there", &edit("readers/1f", "\"number\":2", "\"number\":6"));
    check("is not there", &edit("readers/1f", "\"page\":\"", "\"page\":\"0"));
    check("has a NUL in it", &edit("readers/1f", "\"note\":\"", "\"note\":\"\\u0000"));
    check("a note is longer", &|entries| {
        let place = place(entries, "readers/1f");
        let text = String::from_utf8(entries[place].bytes.clone()).expect("text");
        entries[place] = entries[place].clone().with(text.replace("soup", &"soup".repeat(30_000)));
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn bombs_are_refused() {
    let (_folder, store) = sample();
    let archive = exported(&store);
    let guarded = Guarded::new();
    let few = ImportLimits { entries: 10, ..ImportLimits::default() };
    guarded.refuses(&archive, &few, "more entries than are allowed");
    let small = ImportLimits { bytes: 10_000, ..ImportLimits::default() };
    guarded.refuses(&archive, &small, "more bytes in it than are allowed");
    // Two hundred megabytes of nothing, in a few kilobytes: as a line, behind the end, and as the first entry.
    let zeros = vec![0; 200 << 20];
    let mut good = entries(&archive);
    let place = page_place(&good, "menu.xml");
    good[place] = good[place].clone().with(zeros.clone());
    guarded.refuses(&zst(&packed(&good)), &ImportLimits::default(), "a line of it is longer than");
    good[0] = good[0].clone().with(zeros.clone());
    guarded.refuses(&zst(&packed(&good)), &ImportLimits::default(), "it is larger than 65536 bytes");
    guarded.refuses(&zst(&[unpacked(&archive), zeros].concat()), &ImportLimits::default(), "something follows");
}

#[test]
fn what_is_no_archive_is_refused() {
    let (_folder, store) = sample();
    let archive = exported(&store);
    let tar = unpacked(&archive);
    let guarded = Guarded::new();
    let limits = ImportLimits::default();
    for bytes in [&b""[..], b"no archive at all", &[0x28, 0xB5, 0x2F, 0xFD], &tar] {
        guarded.refuses(bytes, &limits, "`its beginning`");
    }
    guarded.refuses(&zst(b""), &limits, "cut off");
    guarded.refuses(&zst(b"no archive at all"), &limits, "cut off");
    guarded.refuses(&zst(&[7; 4096]), &limits, "no entry of a tar");
    guarded.refuses(&[&archive[..], b"more"].concat(), &limits, "something follows");
    guarded.refuses(&[&archive[..], &archive].concat(), &limits, "something follows");
    guarded.refuses(&zst(&[&tar[..], b"more"].concat()), &limits, "something follows");
    // Cut off anywhere, compressed or not.
    for part in 1..40 {
        guarded.refuses(&archive[..archive.len() * part / 40], &limits, "");
        guarded.refuses(&zst(&tar[..tar.len() * part / 40]), &limits, "");
    }
    guarded.refuses(&archive[..archive.len() - 1], &limits, "cut off");
    // A bit is another.
    for place in (0..archive.len()).step_by(97) {
        let mut hurt = archive.clone();
        hurt[place] ^= 4;
        if unpacked_or_nothing(&hurt) != Some(tar.clone()) {
            guarded.refuses(&hurt, &limits, "");
        }
    }
}

fn unpacked_or_nothing(archive: &[u8]) -> Option<Vec<u8>> {
    let mut tar = Vec::new();
    zstd::stream::read::Decoder::new(archive).ok()?.read_to_end(&mut tar).ok()?;
    Some(tar)
}

#[test]
fn a_backup_is_a_store() {
    let (folder, store) = sample();
    let copy = folder.path().join("backups/monday");
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

#[test]
fn backups_and_exports_are_of_one_moment() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let (folder, store) = empty();
    let location = Location::Folder(folder.path().join("data"));
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
            let other = Store::open(&location).expect("a store");
            let mut at = 0;
            while !is_over.load(Ordering::Relaxed) {
                at += 1;
                record_both(&other, at);
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
            let copy = folder.path().join(format!("copy-{round}"));
            store.backup(&copy, |_, _| ()).expect("a backup");
            check(&Store::open_existing(&Location::Folder(copy)).expect("a store"));
            let (_folder, copy, _) = imported(&exported(&store)).expect("imported");
            check(&copy);
        }
        is_over.store(true, Ordering::Relaxed);
        assert!(writer.join().expect("a writer") > 0);
    });
}

/// Something that happens to an archive.
#[derive(Debug, Clone)]
enum Mishap {
    Byte(usize, usize, u8),
    Digit(usize, usize, u8),
    Remove(usize),
    Twice(usize, usize),
    Swap(usize, usize),
    /// The bytes of one entry in another.
    Bytes(usize, usize),
    Cut(usize, usize),
}

fn mishap() -> impl Strategy<Value = Mishap> {
    prop_oneof![
        3 => any::<(usize, usize, u8)>().prop_map(|(entry, at, byte)| Mishap::Byte(entry, at, byte)),
        6 => any::<(usize, usize, u8)>().prop_map(|(entry, at, digit)| Mishap::Digit(entry, at, digit)),
        1 => any::<usize>().prop_map(Mishap::Remove),
        1 => any::<(usize, usize)>().prop_map(|(from, to)| Mishap::Twice(from, to)),
        1 => any::<(usize, usize)>().prop_map(|(left, right)| Mishap::Swap(left, right)),
        2 => any::<(usize, usize)>().prop_map(|(from, to)| Mishap::Bytes(from, to)),
        1 => any::<(usize, usize)>().prop_map(|(entry, at)| Mishap::Cut(entry, at)),
    ]
}

fn befall(entries: &mut Vec<Entry>, mishap: &Mishap) {
    let count = entries.len();
    let set = |entry: &mut Entry, at: usize, byte: u8| {
        if let Some(at) = at.checked_rem(entry.bytes.len()) {
            entry.bytes[at] = byte;
        }
    };
    match *mishap {
        Mishap::Byte(entry, at, byte) => set(&mut entries[entry % count], at, byte),
        Mishap::Digit(entry, at, digit) => {
            let entry = &mut entries[entry % count];
            let digits: Vec<usize> = (0..entry.bytes.len()).filter(|&at| entry.bytes[at].is_ascii_digit()).collect();
            if let Some(at) = at.checked_rem(digits.len()) {
                set(entry, digits[at], b'0' + digit % 10);
            }
        }
        Mishap::Remove(entry) => drop(entries.remove(entry % count)),
        Mishap::Twice(from, to) => entries.insert(to % count, entries[from % count].clone()),
        Mishap::Swap(left, right) => entries.swap(left % count, right % count),
        Mishap::Bytes(from, to) => {
            entries[to % count] = entries[to % count].clone().with(entries[from % count].bytes.clone())
        }
        Mishap::Cut(entry, at) => {
            let entry = &mut entries[entry % count];
            let length = at % (entry.bytes.len() + 1);
            *entry = entry.clone().with(&entry.bytes[..length]);
        }
    }
    // A content that is another has another name.
    for entry in entries.iter_mut().filter(|entry| entry.name().starts_with("contents/")) {
        let hash = blake3::hash(&entry.bytes).to_hex();
        *entry = entry.clone().named(&format!("contents/{}/{hash}", &hash[..2]));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn whatever_is_taken_is_sound(mishaps in prop::collection::vec(mishap(), 1..3)) {
        static GOOD: LazyLock<Vec<Entry>> = LazyLock::new(|| entries(&exported(&sample().1)));
        let mut entries = GOOD.clone();
        mishaps.iter().for_each(|mishap| befall(&mut entries, mishap));
        match imported(&zst(&packed(&entries))) {
            // It was verified.
            Ok((_folder, store, _)) => prop_assert!(imported(&exported(&store)).is_ok()),
            Err(error) => prop_assert!(matches!(error, Error::Archive { .. }), "{error}"),
        }
    }
}

#[test]
fn a_backup_has_nothing_that_came_while_it_was_made() {
    let (folder, store) = empty();
    let noise =
        (0..3_000_000u32).flat_map(|number| number.wrapping_mul(2_654_435_761).rotate_left(number % 31).to_le_bytes());
    record(&store, &page("noise"), 0, noise.collect::<Vec<u8>>());
    let mut calls = Vec::new();
    let copy = folder.path().join("copy");
    let came_meanwhile = |done, total| {
        calls.push((done, total));
        record(&store, &page("menu.xml"), calls.len() as i64, format!("<menu>{done}</menu>"));
    };
    store.backup(&copy, came_meanwhile).expect("a backup");
    assert!(calls.len() > 1 && calls.is_sorted(), "{calls:?}");
    assert!(calls.iter().all(|(done, total)| done < total), "{calls:?}");
    assert_eq!(store.page(&page("menu.xml")).expect("a page").latest as usize, calls.len());
    let copy = Store::open_existing(&Location::Folder(copy)).expect("a store");
    assert!(matches!(copy.page(&page("menu.xml")), Err(Error::UnknownPage { .. })));
    assert_eq!(copy.verify(|_| ()).expect("verified").faults, []);
}
