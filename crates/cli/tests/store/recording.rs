//! What comes in: files, standard input, histories in git, failures.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{Kept, MENU};
use crate::deltaic::{self, example, expect_file, scratch};

#[test]
fn files_become_versions_in_their_order() {
    let kept = Kept::new("files");
    let (before, after) = (example("menu-before.xml"), example("menu-after.xml"));
    let told = kept.run(["record", MENU, &before, &after, &after, &before]).done();
    let names = |line: &str| line.rsplit('/').next().unwrap().to_owned();
    let told: Vec<String> = told.lines().map(names).collect();
    assert_eq!(
        told,
        [
            "menu-before.xml: version 1",
            "menu-after.xml: version 2, 6 operations",
            "menu-after.xml: as in version 2",
            "menu-before.xml: version 3, 6 operations",
        ]
    );
}

#[test]
fn any_bytes_come_back() {
    let kept = Kept::new("bytes");
    for (page, bytes) in [
        ("https://example.org/empty", &b""[..]),
        ("https://example.org/logo.png", b"\x89PNG\r\n\x1a\n\0\0"),
        ("https://example.org/broken.xml", b"<a><b></a>\r\n"),
        ("https://example.org/latin.html", b"<p>caf\xE9"),
        ("https://example.org/?q=%3Ca%3E&b", b"words\n"),
        ("POST https://example.org/search [q=soup]", b"{\"soups\": 2}"),
        ("POST https://example.org/search [q=stew]", b"{\"stews\": 1}"),
    ] {
        kept.run_with_input(["record", page, "-"], bytes).done();
        let file = format!("{}/shown", scratch("store-shown"));
        kept.run(["show", page, "-o", &file]).done();
        assert_eq!(fs::read(&file).unwrap(), bytes, "{page}");
    }
}

/// A page and the file that it was recorded of are compared as what they are, whatever its address and its first bytes.
#[test]
fn a_page_is_what_the_name_of_its_file_says() {
    let kept = Kept::new("names");
    let folder = scratch("named-files");
    let file = |name: &str, words: &str| {
        let path = format!("{folder}/{name}");
        fs::write(&path, words).unwrap();
        path
    };
    let (one, two) = (file("1.html", "<ul><li>One</ul><p>A"), file("2.html", "<ul><li>Two</ul><p>A"));
    let page = "https://example.org/";
    kept.run(["record", page, &one, &two]).done();
    for pair in [["https://example.org/@1", &two], [&one, page]] {
        let compared = kept.run([&["diff"][..], &pair].concat());
        assert!(compared.code == Some(1) && compared.stdout.contains("Two"), "{compared:?}");
    }
    let data = file("3.xml", "<p>one</p>");
    kept.run(["record", "https://example.org/data", &data]).done();
    assert_eq!(kept.run(["diff", &data, "https://example.org/data"]).done().lines().count(), 2);
    // What is told counts more.
    kept.run(["record", "https://example.org/told", &data, "--media-type", "text/html"]).done();
    assert!(kept.run(["tree", "https://example.org/told"]).done().starts_with("html"));
}

#[test]
fn what_came_with_a_page_is_known() {
    let kept = Kept::new("details");
    let page = "https://example.org/prices";
    let flags = ["--status", "203", "--header", "ETag: \"x\"", "--media-type", "text/html; charset=iso-8859-1"];
    let recorded = kept
        .run_with_input([&["record", page, "-", "--at", "2026-11-01"][..], &flags].concat(), b"<title>Caf\xE9</title>");
    assert_eq!(recorded.done(), "-: version 1\n");
    expect_file("store-show.json", &kept.run(["show", page, "--json"]).done());
    assert_eq!(kept.run(["select", page, "title"]).done(), "<title>Café</title>\n");
}

#[test]
fn recording_reports_as_json() {
    let kept = Kept::new("record-json");
    let arguments = ["record", MENU, "-", "--json", "--at", "2026-11-01"];
    for (content, expected) in [
        ("<a/>", r#"{"outcome":"new","version":1,"operations":null,"time":"2026-11-01T00:00:00Z","from":"-"}"#),
        ("<a b='c'/>", r#"{"outcome":"new","version":2,"operations":1,"time":"2026-11-01T00:00:00Z","from":"-"}"#),
        (
            "<a b='c'/>",
            r#"{"outcome":"unchanged","version":2,"operations":null,"time":"2026-11-01T00:00:00Z","from":"-"}"#,
        ),
    ] {
        assert_eq!(kept.run_with_input(arguments, content.as_bytes()).done().trim_end(), expected);
    }
    let failed = kept.run_with_input(["record", MENU, "-", "--json", "--at", "2026-11-02", "--status", "503"], b"busy");
    assert!(failed.done().starts_with(r#"{"outcome":"failed","version":null,"operations":null,"trouble":"HTTP 503""#));
    assert_eq!(kept.run(["show", MENU]).done(), "<a b='c'/>");
}

/// Who records what failed is told why it is taken for that.
#[test]
fn failed_checks_are_told() {
    let kept = Kept::new("record-failed");
    let told = |status: &str| kept.run_with_input(["record", MENU, "-", "--status", status], b"").done();
    assert_eq!(told("503"), "-: failed: HTTP 503\n");
    assert_eq!(told("304"), "-: failed: HTTP 304, and there is no version that could be the same\n");
    assert_eq!(kept.run(["record", MENU, "--failed", "no answer"]).done(), "the check: failed: no answer\n");
}

/// What is nearly what was asked for is named with all that it takes to ask for it.
#[test]
fn pages_of_forms_are_suggested() {
    let kept = Kept::new("record-form");
    kept.run_with_input(["record", "POST https://example.org/search [q=tea]", "-"], b"<a/>").done();
    let told =
        "deltaic: `https://example.org/search` was never recorded; there is `POST https://example.org/search [q=tea]`";
    kept.run(["history", "https://example.org/search"]).trouble(told);
}

#[test]
fn a_whole_history_of_git_is_recorded() {
    let repository = scratch("store-git-repository");
    fs::remove_dir_all(&repository).unwrap();
    fs::create_dir_all(&repository).unwrap();
    let git = |hour: usize, arguments: &[&str]| {
        let date = format!("@{} +0000", 1_700_000_000 + 3600 * hour);
        let mut git = Command::new("git");
        git.current_dir(&repository).args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(arguments);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
        assert!(git.output().expect("git is there").status.success(), "{arguments:?}");
    };
    git(0, &["init", "--quiet"]);
    let contents: Vec<String> = (0..150).map(|number| format!("<a>{number}</a>\n")).collect();
    for (hour, content) in contents.iter().enumerate() {
        fs::write(Path::new(&repository).join("a.xml"), content).unwrap();
        git(hour, &["add", "--all"]);
        git(hour, &["commit", "--quiet", "--message", "next"]);
    }
    // A clock that was set back.
    fs::write(Path::new(&repository).join("c.xml"), "<c>1</c>").unwrap();
    git(149, &["add", "--all"]);
    git(149, &["commit", "--quiet", "--message", "c"]);
    fs::write(Path::new(&repository).join("c.xml"), "<c>2</c>").unwrap();
    git(3, &["commit", "--quiet", "--all", "--message", "c again"]);
    let back = Kept::new("git-back");
    let told = back.run(["record", MENU, "--from-git", &repository, "c.xml"]).done();
    assert_eq!(told, "2 new versions; the clock went back in 1 commit, taken as of the commit before\n");
    let kept = Kept::new("git");
    let told = kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done();
    assert_eq!(told, "150 new versions\n");
    for number in [1, 64, 65, 150] {
        assert_eq!(kept.run(["show", &format!("{MENU}@{number}")]).done(), contents[number - 1]);
    }
    assert_eq!(kept.run(["show", &format!("{MENU}@2023-11-15T00:30")]).done(), contents[2]);
    // Once more, with what came since.
    fs::write(Path::new(&repository).join("a.xml"), "<a>more</a>").unwrap();
    git(150, &["commit", "--quiet", "--all", "--message", "next"]);
    assert_eq!(kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done(), "1 new version\n");
    assert_eq!(kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done(), "0 new versions\n");
    // It is taken away, and comes again.
    fs::remove_file(Path::new(&repository).join("a.xml")).unwrap();
    git(151, &["commit", "--quiet", "--all", "--message", "gone"]);
    let deleted = Kept::new("git-deleted");
    let told = deleted.run(["record", MENU, "--from-git", &repository, "a.xml", "--json"]).done();
    assert!(told.lines().any(|line| line.contains(r#""outcome":"failed""#) && line.contains("the file was deleted")));
    for _ in 0..2 {
        assert_eq!(kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done(), "0 new versions\n");
        let history = kept.run(["history", MENU]).done();
        assert_eq!(history.matches("the file was deleted").count(), 1, "{history}");
    }
    fs::write(Path::new(&repository).join("a.xml"), "<a>back</a>").unwrap();
    git(152, &["add", "--all"]);
    git(152, &["commit", "--quiet", "--message", "back"]);
    assert_eq!(kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done(), "1 new version\n");
    // What was dropped does not come again; what is of the same second as the latest does.
    kept.run(["prune", MENU, "--keep", "2"]).done();
    for content in ["<a>other</a>", "<a>back</a>"] {
        fs::write(Path::new(&repository).join("a.xml"), content).unwrap();
        git(152, &["commit", "--quiet", "--all", "--message", "within a second"]);
        assert_eq!(kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done(), "1 new version\n");
        assert_eq!(kept.run(["show", MENU]).done(), content);
    }
    assert_eq!(kept.run(["record", MENU, "--from-git", &repository, "a.xml"]).done(), "0 new versions\n");
    kept.run(["record", MENU, "--from-git", &repository, "."])
        .trouble("deltaic: `.` is a folder\nhint: a page has the history of one file: name a file in it");
    kept.run(["record", MENU, "--from-git", &repository, "b.xml"])
        .trouble("deltaic: no commit has a file `b.xml`\nhint: the path is relative to the repository's folder");
}

#[test]
fn times_can_be_those_of_the_files() {
    let folder = scratch("store-modified-files");
    let file = format!("{folder}/a.xml");
    fs::write(&file, "<a/>").unwrap();
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(86_400);
    fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
    let kept = Kept::new("modified");
    kept.run(["record", MENU, &file, "--at", "modified"]).done();
    assert!(kept.run(["history", MENU]).done().contains("1970-01-02T00:00:00Z"));
    kept.run_with_input(["record", MENU, "-", "--at", "modified"], b"")
        .trouble("deltaic: standard input does not know when it was modified; --at TIME says when");
}

#[test]
fn what_cannot_be_recorded_says_why() {
    let kept = Kept::with_menu("record-trouble");
    let menu = example("menu-before.xml");
    let check = |arguments: &[&str], message: &str| kept.run([&["record"], arguments].concat()).trouble(message);
    check(
        &["menu", &menu],
        "deltaic: `menu` is no address of a page: expected something like https://example.org/page",
    );
    check(&[MENU, &menu, "--at", "soon"], "deltaic: --at: `soon` is no time: expected one such as 2026-11-01T12:00");
    check(
        &[MENU, &menu, &menu, "--at", "2026-11-05"],
        "deltaic: found 1 time for 2 files; expected --at for every file, or --at modified",
    );
    check(&[MENU, "-", "-"], "deltaic: only one of the versions can come from standard input");
    check(&[MENU, "/nowhere"], "deltaic: /nowhere: no such file");
    check(
        &[MENU, "/dev/zero", "--max-bytes", "1k"],
        "deltaic: /dev/zero: more than 1024 bytes\nhint: --max-bytes N allows more",
    );
    let early = kept.run(["record", MENU, &menu, "--at", "2026-10-01"]);
    assert_eq!(early.code, Some(2));
    assert!(early.stderr.ends_with("versions are recorded in their order\n"), "{early:?}");
    for arguments in [
        &["record", MENU][..],
        &["record", MENU, &menu, "--failed", "x"],
        &["record", MENU, &menu, "--status", "99"],
        &["record", MENU, &menu, "--header", "no header"],
        &["record", MENU, &menu, "--header", "a b: c"],
        &["record", MENU, &menu, "--from-git", "a", "b"],
        &["record", MENU, "--from-git", "a"],
        &["record", MENU, &menu, "--database", "postgresql://a"],
    ] {
        let outcome = kept.run(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
    }
}

#[test]
fn the_place_is_told_by_flags_or_the_environment() {
    let folder = scratch("store-environment");
    fs::remove_dir_all(&folder).unwrap();
    let data = format!("{folder}/data");
    let record = ["record", MENU, &example("menu-before.xml")];
    deltaic::with_variables(record, &[("DELTAIC_DATA", &data)]).done();
    assert_eq!(deltaic::deltaic(["pages", "--data", &data]).done(), format!("    1  {MENU}\n"));
    let usual = [("XDG_DATA_HOME", folder.as_str()), ("HOME", &folder), ("DELTAIC_DATA", "")];
    if cfg!(target_os = "linux") {
        deltaic::with_variables(record, &usual).done();
        assert!(Path::new(&folder).join("deltaic").is_dir());
    }
    let both = [("DELTAIC_DATA", data.as_str()), ("DELTAIC_DATABASE", "postgresql://a")];
    deltaic::with_variables(["pages"], &both)
        .trouble("deltaic: both DELTAIC_DATA and DELTAIC_DATABASE are set; --data or --database says which is meant");
    let nowhere = format!("{folder}/nowhere");
    deltaic::deltaic(["pages", "--data", &nowhere])
        .trouble(&format!("deltaic: there is no store at `{nowhere}`: recording something makes one"));
}

#[test]
fn what_could_not_be_recorded_does_not_hide_the_rest() {
    let kept = Kept::new("refused");
    let (before, after) = (example("menu-before.xml"), example("menu-after.xml"));
    kept.run(["record", MENU, &before, "--at", "2026-01-05"]).done();
    let recorded = kept.run(["record", MENU, &after, &after, "--at", "2026-01-01", "--at", "2026-01-06"]);
    assert_eq!(recorded.code, Some(2));
    assert!(recorded.stdout.contains("menu-after.xml: version 2, 6 operations"), "{}", recorded.stdout);
    assert!(recorded.stderr.contains("versions are recorded in their order"), "{}", recorded.stderr);
}

#[test]
fn a_version_of_a_page_is_no_page() {
    let kept = Kept::new("shadow");
    let before = example("menu-before.xml");
    kept.run(["record", "https://example.org/react@18", &before]).done();
    kept.run(["record", MENU, &before]).done();
    let refused = kept.run(["record", &format!("{MENU}@1"), &before]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("which is recorded; expected a page"), "{}", refused.stderr);
    kept.run(["record", "https://example.org/react@18", &before]).done();
}

#[test]
fn a_time_is_told_as_it_is_kept() {
    let kept = Kept::new("record-time");
    let time = |told: &str| serde_json::from_str::<serde_json::Value>(told).unwrap()["time"].clone();
    let told = kept.run(["record", MENU, &example("menu-before.xml"), "--json"]).done();
    assert_eq!(time(&told), time(&kept.run(["history", MENU, "--json"]).done()));
    let at =
        ["record", "https://example.org/", &example("menu-before.xml"), "--json", "--at", "2026-11-01T12:00:00.1239"];
    let told = kept.run(at).done();
    assert_eq!(time(told.lines().next().unwrap()), "2026-11-01T12:00:00.123Z");
}
