//! What comes out: histories, versions, what is new, and pages in place of files.

use super::{Kept, MENU};
use crate::deltaic::{deltaic, example, expect_file};

#[test]
fn histories_are_told() {
    let kept = Kept::with_menu("history");
    kept.run(["seen", &format!("{MENU}@1"), "--save", "--note", "before the \u{1b}[2J autumn"]).done();
    let mirror = ["record", "https://mirror.example/menu", &example("menu-after.xml"), "--at", "2026-11-05"];
    let told = kept.run(mirror).done();
    assert!(told.ends_with(&format!(": version 1\n       now the same as {MENU}\n")), "{told}");
    // What was known before is not told again.
    assert!(kept.run(mirror).done().ends_with(": as in version 1\n"));
    let stats: serde_json::Value = serde_json::from_str(&kept.run(["stats", "--json"]).done()).unwrap();
    assert_eq!((&stats["pages"], &stats["mirrors"]), (&2.into(), &2.into()));
    expect_file("store-history", &kept.run(["history", MENU]).done());
    expect_file("store-history.jsonl", &kept.run(["history", MENU, "--json"]).done());
}

#[test]
fn versions_are_named_in_many_ways() {
    let kept = Kept::with_menu("moments");
    let before = std::fs::read_to_string(example("menu-before.xml")).unwrap();
    let after = std::fs::read_to_string(example("menu-after.xml")).unwrap();
    kept.run(["seen", &format!("{MENU}@1")]).done();
    for (moment, expected) in [
        ("", &after),
        ("@latest", &after),
        ("@2", &after),
        ("@-1", &before),
        ("@1", &before),
        ("@2026-11-02", &before),
        ("@2026-11-02T13:00+01:00", &after),
        ("@2026-11-02T12:59+01:00", &before),
        ("@seen", &before),
    ] {
        assert_eq!(kept.run(["show", &format!("{MENU}{moment}")]).done(), *expected, "{moment}");
    }
}

#[test]
fn a_time_means_a_version_before_or_behind_it() {
    let kept = Kept::with_menu("nearest");
    let number = |moment: &str, nearest: &str| {
        let told = kept.run(["show", &format!("{MENU}@{moment}"), "--nearest", nearest, "--json"]).done();
        serde_json::from_str::<serde_json::Value>(&told).unwrap()["version"].as_u64().unwrap()
    };
    assert_eq!(["before", "after", "closest"].map(|nearest| number("2026-11-01T01:00", nearest)), [1, 2, 1]);
    assert_eq!(["before", "after", "closest"].map(|nearest| number("2026-11-02T11:00", nearest)), [1, 2, 2]);
    assert_eq!(number("2026-10-01", "closest"), 1);
    kept.run(["show", &format!("{MENU}@1"), "--nearest", "after"])
        .trouble(&format!("deltaic: --nearest is about a time, and `{MENU}@1` has none: write `URL@2026-11-01T12:00`"));
}

/// An address that ends like a moment is an address where it was recorded.
#[test]
fn addresses_may_end_like_moments() {
    let kept = Kept::new("verbatim");
    let package = "https://example.org/package";
    for (page, content) in [("https://example.org/package@1", "<b/>"), (package, "<a>1</a>"), (package, "<a>2</a>")] {
        kept.run_with_input(["record", page, "-"], content.as_bytes()).done();
    }
    let show = |page: &str| kept.run(["show", &format!("{package}{page}")]).done();
    assert_eq!([show("@1"), show("#@1"), show("@2"), show("@1@1")], ["<b/>", "<a>1</a>", "<a>2</a>", "<b/>"]);
}

#[test]
fn pages_and_files_mix() {
    let kept = Kept::with_menu("mixed");
    let (before, after) = (example("menu-before.xml"), example("menu-after.xml"));
    let (first, latest) = (format!("{MENU}@1"), MENU.to_owned());
    let diff = |before: &str, after: &str| {
        let outcome = kept.run(["diff", before, after, "--format", "summary"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
        outcome.stdout
    };
    let expected = diff(&before, &after);
    for (before, after) in [(&first, &latest), (&first, &after), (&before, &latest)] {
        assert_eq!(diff(before, after), expected, "{before} {after}");
    }
    assert_eq!(kept.run(["diff", &first, &before]).code, Some(0));
    assert_eq!(kept.run(["tree", &first]).done(), deltaic(["tree", &before]).done());
    assert_eq!(kept.run(["canon", &latest]).done(), deltaic(["canon", &after]).done());
    assert_eq!(
        kept.run(["locate", &first, &latest, "//dish[1]", "--json"]).stdout,
        deltaic(["locate", &before, &after, "//dish[1]", "--json"]).stdout
    );
}

#[test]
fn pages_are_shown_with_their_changes() {
    let kept = Kept::new("htmldiff");
    let page = "https://example.org/";
    let files = [example("page-before.html"), example("page-after.html")];
    kept.run(["record", page, &files[0], &files[1]]).done();
    let summary = |before: &str, after: &str| kept.run(["htmldiff", before, after, "--view", "summary"]).stdout;
    let expected = summary(&files[0], &files[1]);
    assert!(expected.lines().count() > 3, "{expected}");
    assert_eq!(summary("https://example.org@-1", page), expected);
    assert_eq!(summary(&files[0], "https://example.org/@2"), expected);
    let merged = kept.run(["htmldiff", "https://example.org/@1", "https://example.org/@2"]);
    assert_eq!(merged.code, Some(1));
    assert!(merged.stdout.contains("@2"));
}

#[test]
fn news_are_what_came_since() {
    let kept = Kept::with_menu("news");
    let news = |reader: &str| kept.run(["seen", "--reader", reader]).done();
    assert_eq!(news("a"), "");
    kept.run(["seen", &format!("{MENU}@1"), "--reader", "a"]).done();
    assert_eq!(news("a"), format!("2026-11-02T12:00:00Z  {MENU}  version 2, seen 1\n"));
    assert_eq!(
        kept.run(["seen", "--reader", "a", "--json"]).done(),
        format!("{{\"page\":\"{MENU}\",\"seen\":1,\"latest\":2,\"time\":\"2026-11-02T12:00:00Z\"}}\n")
    );
    assert_eq!(news("b"), "");
    kept.run(["seen", MENU, "--reader", "a"]).done();
    assert_eq!(news("a"), "");
}

#[test]
fn what_is_marked_or_saved_is_listed() {
    let kept = Kept::with_menu("bookmarks");
    let first = format!("{MENU}@1");
    kept.run(["seen", &first, "--mark"]).done();
    assert_eq!(kept.run(["seen", "--list"]).done(), format!("marked  {MENU}@1\n"));
    kept.run(["seen", &first, "--save", "--note", "the cheap one"]).done();
    assert_eq!(kept.run(["seen", "--list"]).done(), format!("saved   {MENU}@1  the cheap one\n"));
    kept.run(["seen", &first, "--remove"]).done();
    assert_eq!(kept.run(["seen", "--list"]).done(), "");
    kept.run(["seen", &first, "--remove"])
        .trouble(&format!("deltaic: version 1 of `{MENU}` is neither marked nor saved"));
}

#[test]
fn pages_are_listed() {
    let kept = Kept::with_menu("pages");
    kept.run(["record", "https://example.net/", "--failed", "x"]).done();
    assert_eq!(kept.run(["pages"]).done(), format!("    0  https://example.net/\n    2  {MENU}\n"));
    assert_eq!(kept.run(["pages", "*.xml", "--json"]).done(), format!("{{\"page\":\"{MENU}\",\"latest\":2}}\n"));
}

#[test]
fn compacting_changes_nothing_but_size() {
    let kept = Kept::with_menu("compact");
    let history = kept.run(["history", MENU]).done();
    let disk_bytes = || {
        let stats: serde_json::Value = serde_json::from_str(&kept.run(["stats", "--json"]).done()).unwrap();
        stats["disk_bytes"].as_u64().unwrap()
    };
    let before_bytes = disk_bytes();
    let told = kept.run(["compact"]).done();
    assert_eq!(told, format!("{} bytes on disk, {before_bytes} before\n", disk_bytes()));
    let told = kept.run(["compact", "--json"]).done();
    assert_eq!(told, format!("{{\"before_bytes\":{0},\"after_bytes\":{0}}}\n", disk_bytes()));
    assert_eq!(kept.run(["history", MENU]).done(), history);
    let before = std::fs::read_to_string(example("menu-before.xml")).unwrap();
    assert_eq!(kept.run(["show", &format!("{MENU}@1")]).done(), before);
}

#[test]
fn what_is_not_there_says_so() {
    let kept = Kept::with_menu("absent");
    let nowhere = "https://example.org/nowhere";
    kept.run(["show", nowhere]).trouble(&format!("deltaic: `{nowhere}` was never recorded"));
    for verb in ["show", "history"] {
        kept.run([verb, "POST https://example.org/ [a=1"])
            .trouble("deltaic: `[a=1` is no body of a form: expected `]` at its end");
    }
    kept.run(["record", "POST https://example.org/ [a=1", &example("menu-before.xml")])
        .trouble("deltaic: `[a=1` is no body of a form: expected `]` at its end");
    kept.run(["history", nowhere]).trouble(&format!("deltaic: `{nowhere}` was never recorded"));
    kept.run(["history", &format!("{MENU}@1")])
        .trouble(&format!("deltaic: `{MENU}@1` names a version; expected a page, `{MENU}`"));
    kept.run(["show", &format!("{MENU}@2020-01-01")]).trouble(&format!(
        "deltaic: `{MENU}` has no version of 2020-01-01T00:00:00Z; it has 2 versions from 1 to 2, the first of 2026-11-01T00:00:00Z"
    ));
    let down = "https://example.org/down";
    kept.run(["record", down, "--failed", "no route to host", "--at", "2026-11-04"]).done();
    kept.run(["diff", down, MENU]).trouble(&format!(
        "deltaic: {down}: `{down}` has no version; it has a check that failed at 2026-11-04T00:00:00Z: no route to host"
    ));
    kept.run(["show", &format!("{MENU}@0")]).trouble("deltaic: `@0` is no version: they are counted from 1");
    let unseen = kept.run(["show", &format!("{MENU}@seen"), "--reader", "f"]);
    assert_eq!((unseen.code, unseen.stdout.as_str()), (Some(2), ""));
    kept.run(["tree", &format!("{MENU}@1"), "--max-bytes", "5"])
        .trouble(&format!("deltaic: {MENU}@1: more than 5 bytes\nhint: --max-bytes N allows more"));
    kept.run(["show", &format!("{MENU}@yesterdayy")]).trouble(&format!(
        "deltaic: `@yesterdayy` is no version and no time of `{MENU}`: expected `@7`, `@-1`, `@latest`, `@seen` or a time \
         such as `@2026-11-01T12:00`"
    ));
    kept.run(["show", &format!("{MENU}@2026-13-45")]).trouble(
        "deltaic: `@2026-13-45` is no version and no time: expected `@7`, `@-1`, `@latest`, `@seen` or a time such as \
         `@2026-11-01T12:00`",
    );
    for arguments in [&["seen", "--mark"][..], &["seen", MENU, "--mark", "--save"], &["seen", MENU, "--reader", "Ann"]]
    {
        assert_eq!(kept.run(arguments).code, Some(2), "{arguments:?}");
    }
}

#[test]
fn stores_are_counted_and_verified() {
    let kept = Kept::with_menu("verify");
    let stats = kept.run(["stats"]).done();
    let is_fixed = |line: &&str| !line.contains("bytes as kept") && !line.contains("on disk");
    expect_file("store-stats", &stats.lines().filter(is_fixed).collect::<Vec<_>>().join("\n"));
    let stats: serde_json::Value = serde_json::from_str(&kept.run(["stats", "--json"]).done()).unwrap();
    assert_eq!((&stats["versions"], &stats["version_bytes"]), (&2.into(), &916.into()));
    assert_eq!(kept.run(["verify"]).done(), "looked at 1 page, 2 versions, 1 step: all is well\n");
    assert_eq!(kept.run(["verify", "--json"]).done(), "{\"pages\":1,\"versions\":2,\"steps\":1,\"faults\":[]}\n");
}

/// A store of which every content is hurt.
pub fn hurt(name: &str) -> Kept {
    let kept = Kept::with_menu(name);
    let file = std::fs::read_dir(&kept.folder).unwrap().map(|entry| entry.unwrap().path());
    let file = file.max_by_key(|file| file.metadata().unwrap().len()).unwrap();
    let mut bytes = std::fs::read(&file).unwrap();
    let frame = [0x28, 0xB5, 0x2F, 0xFD];
    let places: Vec<usize> = (0..bytes.len() - 40).filter(|&at| bytes[at..at + 4] == frame).collect();
    places.iter().for_each(|at| bytes[at + 20] ^= 1);
    std::fs::write(&file, bytes).unwrap();
    kept
}

#[test]
fn what_is_hurt_is_named() {
    let kept = hurt("hurt");
    let hurt = kept.run(["verify"]);
    assert_eq!(hurt.code, Some(2), "{hurt:?}");
    assert!(hurt.stdout.contains(&format!("version 2 of {MENU}: ")), "{hurt:?}");
    assert!(
        hurt.stderr.ends_with("hurt\nhint: what is not named can still be read; a backup has the rest\n"),
        "{hurt:?}"
    );
    let hurt = kept.run(["verify", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&hurt.stdout).unwrap();
    assert!(!told["faults"].as_array().unwrap().is_empty());
}

#[test]
fn versions_are_dropped_by_rules() {
    let kept = Kept::new("prune");
    let versions: Vec<String> = (1..=6).map(|number| format!("<a>{number}</a>")).collect();
    for (day, version) in versions.iter().enumerate() {
        let time = format!("2026-01-0{}", day + 1);
        kept.run_with_input(["record", MENU, "-", "--at", &time], version.as_bytes()).done();
    }
    kept.run(["seen", &format!("{MENU}@2"), "--save"]).done();
    let prune = |arguments: &[&str]| kept.run([&["prune"], arguments].concat()).done();
    let told = format!("{MENU}: 1, 3-4\n3 versions of 1 page would be dropped\n");
    assert_eq!(prune(&["--keep", "2", "--dry-run"]), told);
    assert_eq!(prune(&["https://elsewhere.example/*", "--keep", "2"]), "0 versions of 0 pages dropped\n");
    assert_eq!(prune(&["--older-than", "900000d"]), "0 versions of 0 pages dropped\n");
    assert_eq!(
        prune(&["--keep", "2", "--json", "--dry-run"]),
        format!("{{\"page\":\"{MENU}\",\"versions\":[1,3,4]}}\n")
    );
    assert_eq!(
        prune(&["--keep", "2", "--older-than", "1d"]),
        format!("{MENU}: 1, 3-4\n3 versions of 1 page dropped\n")
    );
    assert_eq!(kept.run(["history", MENU]).done().lines().count(), 3);
    assert_eq!(kept.run(["show", &format!("{MENU}@5")]).done(), "<a>5</a>");
    assert!(kept.run(["verify"]).done().ends_with("all is well\n"));
    kept.run(["show", &format!("{MENU}@4")])
        .trouble(&format!("deltaic: `{MENU}` has no version 4; it has 3 versions from 2 to 6"));
    kept.run(["prune"]).trouble("deltaic: nothing says what may go; --keep, --older-than or --thin does");
    kept.run(["prune", "--thin", "1d"]).trouble("deltaic: --thin `1d`: expected AGE:TIME, such as 30d:1d");
    let soon = kept.run(["prune", "--older-than", "soon"]);
    assert!(soon.stderr.starts_with("deltaic: --older-than: `soon` is no time: expected"), "{soon:?}");
    assert_eq!(prune(&["--thin", "900000d:1d"]), "0 versions of 0 pages dropped\n");
}

/// A check is of the version that it found, and not of the one that happens to be kept before it.
#[test]
fn checks_of_dropped_versions_say_so() {
    let kept = Kept::new("dropped-checks");
    for (day, version) in ["one", "two", "two", "three", "three"].iter().enumerate() {
        let time = format!("2026-01-0{}", day + 1);
        kept.run_with_input(["record", MENU, "-", "--at", &time], version.as_bytes()).done();
    }
    kept.run(["seen", &format!("{MENU}@1"), "--save"]).done();
    kept.run(["prune", "--keep", "1"]).done();
    let told = kept.run(["history", MENU]).done();
    let checks: Vec<&str> =
        told.lines().filter_map(|line| line.split_once("Z  unchanged")).map(|(_, rest)| rest).collect();
    assert_eq!(checks, [" since version 2, which was dropped", ""], "{told}");
}

#[test]
fn what_readers_have_is_counted_anew() {
    let kept = Kept::with_menu("recount");
    kept.run(["seen", &format!("{MENU}@1"), "--save", "--reader", "a"]).done();
    let recount = |arguments: &[&str]| kept.run([&["seen", "--recount"], arguments].concat());
    assert_eq!(recount(&["--reader", "a"]).done(), "1 page seen, 0 missing; 1 note, 0 missing\n");
    let told = "{\"seen\":1,\"missing_seen\":0,\"notes\":1,\"missing_notes\":0}\n";
    assert_eq!(recount(&["--reader", "a", "--json"]).done(), told);
    recount(&[]).trouble("deltaic: reader 0 has seen and noted nothing: there is nothing to count");
    for arguments in [&[MENU][..], &["--list"], &["--note", "all"], &["--save"]] {
        assert_eq!(recount(arguments).code, Some(2), "{arguments:?}");
    }
    for flag in ["--mark", "--save", "--remove"] {
        assert_eq!(kept.run(["seen", "--list", flag]).code, Some(2), "{flag}");
    }
}

/// The delta of a whole history has the identities of that history.
#[test]
fn what_was_recorded_is_a_delta_too() {
    let kept = Kept::new("recorded");
    for version in ["<a><b>1</b></a>", "<a><b>1</b><c>new</c></a>", "<a><c>new</c><b>2</b></a>"] {
        kept.run_with_input(["record", MENU, "-"], version.as_bytes()).done();
    }
    let diff = |before: &str, after: &str, format: &str| {
        let [before, after] = [before, after].map(|moment| format!("{MENU}{moment}"));
        kept.run(["diff", "--recorded", "--format", format, &before, &after])
    };
    let delta = diff("@2", "@3", "xydelta");
    assert_eq!(delta.code, Some(1));
    // The new element and its text came as 4 and 5, behind the three nodes of the first version.
    assert!(delta.stdout.contains("fromXIDmap=\"(1-2;4-5;3)\""), "{delta:?}");
    assert!(diff("@1", "", "summary").stdout.contains("\"new\""));
    assert_eq!(diff("@3", "@1", "summary").code, Some(1));
    let same = diff("@latest", "@3", "summary");
    assert_eq!((same.code, same.stdout.as_str()), (Some(0), "no changes\n"));
    let file = example("menu-before.xml");
    kept.run(["diff", "--recorded", MENU, &file])
        .trouble("deltaic: --recorded is for two versions of a page, such as https://example.org/page@7");
    let other = "https://example.org/other";
    kept.run(["record", other, &file]).done();
    kept.run(["diff", "--recorded", MENU, other])
        .trouble(&format!("deltaic: `{MENU}` and `{other}` are two pages; --recorded is for versions of one"));
    kept.run_with_input(["record", MENU, "-", "--media-type", "image/png"], b"\x89PNG").done();
    diff("@3", "@4", "summary").trouble(&format!(
        "deltaic: not all versions of `{MENU}` from 3 to 4 are trees of one format, so that there is no delta"
    ));
}

#[test]
fn changes_are_found() {
    let kept = Kept::with_menu("changes");
    let page = "https://example.org/";
    let files = [example("page-before.html"), example("page-after.html")];
    kept.run(["record", page, &files[0], &files[1], "--at", "2026-11-05", "--at", "2026-11-06"]).done();
    let find = |arguments: &[&str]| kept.run([&["changes"], arguments].concat()).done();
    expect_file("store-changes", &find(&[]));
    expect_file("store-changes.jsonl", &find(&["*.xml", "--json"]));
    let soup =
        format!("{MENU}@2  2026-11-02T12:00:00Z\n  update     /menu/dish/name/text(): Tomato soup → Pumpkin soup\n");
    assert_eq!(find(&["--text", "PUMPKIN  soup"]), soup);
    assert_eq!(find(&["--op", "update", "--path", "//dish/name"]), soup);
    assert_eq!(find(&["--op", "move,insert", "--path", "dish", "--json"]).lines().count(), 2);
    assert_eq!(
        find(&["--since", "2026-11-02T12:00", "--until", "2026-11-03", "--op", "update", "--path", "name"]),
        soup
    );
    for nothing in [&["--since", "0s"][..], &["--until", "2026-11-02T12:00"], &["https://nowhere.example/*"]] {
        assert_eq!(find(nothing), "", "{nothing:?}");
    }
    let wrong = kept.run(["changes", "--path", "//dish[1]"]);
    assert!(wrong.stderr.starts_with("deltaic: --path: found `"), "{wrong:?}");
    assert_eq!(kept.run(["changes", "--op", "rename"]).code, Some(2));
    assert!(kept.run(["changes", "--since", "soon"]).stderr.starts_with("deltaic: --since: `soon` is no time"));
}
