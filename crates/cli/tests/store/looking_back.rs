//! What comes out: histories, versions, what is new, and pages in place of files.

use super::{Kept, MENU};
use crate::deltaic::{deltaic, example, expect_file};

#[test]
fn histories_are_told() {
    let kept = Kept::with_menu("history");
    kept.run(["seen", &format!("{MENU}@1"), "--save", "--note", "before the \u{1b}[2J autumn"]).done();
    kept.run(["record", "https://mirror.example/menu", &example("menu-after.xml")]).done();
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

/// An address that ends like a moment is an address where it was recorded.
#[test]
fn addresses_may_end_like_moments() {
    let kept = Kept::new("verbatim");
    let package = "https://example.org/package";
    for (page, content) in [(package, "<a>1</a>"), (package, "<a>2</a>"), ("https://example.org/package@1", "<b/>")] {
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
    assert_eq!(kept.run(["compact"]).done(), "");
    assert_eq!(kept.run(["history", MENU]).done(), history);
    let before = std::fs::read_to_string(example("menu-before.xml")).unwrap();
    assert_eq!(kept.run(["show", &format!("{MENU}@1")]).done(), before);
}

#[test]
fn what_is_not_there_says_so() {
    let kept = Kept::with_menu("absent");
    let nowhere = "https://example.org/nowhere";
    kept.run(["show", nowhere]).trouble(&format!("deltaic: `{nowhere}` was never recorded"));
    kept.run(["history", nowhere]).trouble(&format!("deltaic: `{nowhere}` was never recorded"));
    kept.run(["history", &format!("{MENU}@1")])
        .trouble(&format!("deltaic: `{MENU}@1` names a version; expected a page, `{MENU}`"));
    kept.run(["show", &format!("{MENU}@0")]).trouble("deltaic: `@0` is no version: they are counted from 1");
    let unseen = kept.run(["show", &format!("{MENU}@seen"), "--reader", "f"]);
    assert_eq!((unseen.code, unseen.stdout.as_str()), (Some(2), ""));
    kept.run(["tree", &format!("{MENU}@1"), "--max-bytes", "5"])
        .trouble(&format!("deltaic: {MENU}@1: more than 5 bytes\nhint: --max-bytes N allows more"));
    for arguments in [&["seen", "--mark"][..], &["seen", MENU, "--mark", "--save"], &["seen", MENU, "--reader", "Ann"]]
    {
        assert_eq!(kept.run(arguments).code, Some(2), "{arguments:?}");
    }
}
