//! Is everything refused that no export has written?

use store::{ImportLimits, Result, Store};

use crate::engines::{Engine, Place, on_every_engine};
use crate::entries::{Entry, entries, packed, unpacked, unpacked_or_nothing, zst};
use crate::{empty, exported, page, record, sample};

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
    _place: Place,
    store: Store,
    before: Vec<u8>,
}

impl Guarded {
    fn new(engine: Engine) -> Self {
        let (_place, store) = empty(engine);
        record(&store, &page("mine"), 1, "<mine/>");
        let before = exported(&store);
        Guarded { _place, store, before }
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

on_every_engine! { hostile_archives_are_refused, bombs_are_refused, what_is_no_archive_is_refused }

fn hostile_archives_are_refused(engine: Engine) {
    let (_place, store) = sample(Engine::Sqlite);
    let good = entries(&exported(&store));
    let guarded = Guarded::new(engine);
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
    let visits = "\"visits\":{\"number\":5,\"time\":\"2026";
    check("version 5 are out of order", &edit_menu(visits, "\"visits\":{\"number\":5,\"time\":\"1990"));
    check("version 1 are out of order", &edit_menu(visits, "\"visits\":{\"number\":1,\"time\":\"1990"));
    check("version 4 are out of order", &|entries| {
        let place = page_place(entries, "menu.xml");
        let early = "{\"visits\":{\"number\":4,\"time\":\"2027-01-01T00:00:00Z\",\"gaps\":[]}}\n";
        let bytes = [&*entries[place].bytes, early.as_bytes()].concat();
        entries[place] = entries[place].clone().with(bytes);
    });
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
    for before in
        ["<!DOCTYPE xydelta SYSTEM 'file:///etc/passwd'>", "<!DOCTYPE xydelta [<!ENTITY a ''>]>\n", "<!-- -->"]
    {
        check("before the delta there is something", &|entries| {
            let place = menu_step(entries, 2);
            let bytes = [before.as_bytes(), &entries[place].bytes].concat();
            entries[place] = entries[place].clone().with(bytes);
        });
    }
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

fn bombs_are_refused(engine: Engine) {
    let (_place, store) = sample(Engine::Sqlite);
    let archive = exported(&store);
    let guarded = Guarded::new(engine);
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

fn what_is_no_archive_is_refused(engine: Engine) {
    let (_place, store) = sample(Engine::Sqlite);
    let archive = exported(&store);
    let tar = unpacked(&archive);
    let guarded = Guarded::new(engine);
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
