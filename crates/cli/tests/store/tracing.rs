//! What became of a value, and which version brought what.

use std::fs;

use super::{Kept, MENU};
use crate::deltaic::{example, expect_file, scratch};

const SOUP: &str = "//dish[@id = 'soup']/@*[local-name() = 'eur']";

#[test]
fn values_are_followed() {
    let kept = Kept::with_menu("trace");
    let trace = |expression: &str, flags: &[&str]| kept.run([&["trace", MENU, expression], flags].concat()).done();
    assert_eq!(trace(SOUP, &[]), "        1  2026-11-01T00:00:00Z  4.50\n        2  2026-11-02T12:00:00Z  4.80\n");
    assert_eq!(trace("count(//dish)", &[]), "      1-2  2026-11-01T00:00:00Z  3\n");
    assert_eq!(trace("//p:nothing", &["--ns", "p=urn:x"]), "      1-2  2026-11-01T00:00:00Z\n");
    assert_eq!(
        trace("//dish/@id", &["--json"]),
        "{\"version\":1,\"until\":1,\"time\":\"2026-11-01T00:00:00Z\",\"values\":[\"soup\",\"stew\",\"cake\"]}\n\
         {\"version\":2,\"until\":2,\"time\":\"2026-11-02T12:00:00Z\",\"values\":[\"cake\",\"soup\",\"stew\"]}\n"
    );
}

#[test]
fn values_are_drawn() {
    let kept = Kept::with_menu("plot");
    let file = format!("{}/soup.svg", scratch("store-plots"));
    assert_eq!(kept.run(["trace", MENU, SOUP, "--plot", &file]).done().lines().count(), 2);
    expect_file("store-plot.svg", &fs::read_to_string(&file).unwrap());
    assert_eq!(kept.run(["trace", MENU, SOUP, "--plot", "-"]).done(), fs::read_to_string(&file).unwrap());
    kept.run(["trace", MENU, "//name", "--plot", &file])
        .trouble("deltaic: version 1 has 3 values, expected one to plot\nhint: (//name)[1] selects the first");
    kept.run(["trace", MENU, "//name[1]/nothing", "--plot", &file])
        .trouble("deltaic: no version has a number there to plot");
}

#[test]
fn expressions_that_cannot_be_say_why() {
    let kept = Kept::with_menu("trace-trouble");
    kept.run(["trace", MENU, "//["]).trouble("deltaic: `//[`: column 3: found `[`, expected a node test");
    kept.run(["trace", MENU, "//p:x"]).trouble("deltaic: version 1: unknown namespace prefix `p`");
    kept.run(["trace", MENU, "//*[.//*]", "--max-steps", "3"])
        .trouble("deltaic: version 1: more than 3 steps; raise `--max-steps` to allow it");
    let version = format!("{MENU}@1");
    kept.run(["trace", &version, "//x"])
        .trouble(&format!("deltaic: `{version}` names a version; expected a page, `{MENU}`"));
}

#[test]
fn everything_has_a_version_that_brought_it() {
    let kept = Kept::with_menu("blame");
    let page = "https://example.org/";
    let files = [example("page-before.html"), example("page-after.html")];
    kept.run(["record", page, &files[0], &files[1], "--at", "2026-11-05", "--at", "2026-11-06"]).done();
    expect_file("store-blame-menu", &kept.run(["blame", MENU]).done());
    expect_file("store-blame-page", &kept.run(["blame", page]).done());
    expect_file("store-blame-page.jsonl", &kept.run(["blame", page, "--json"]).done());
    let first = kept.run(["blame", &format!("{page}@1")]).done();
    assert!(!first.is_empty() && first.lines().all(|line| line.starts_with("    1  2026-11-05  ")), "{first}");
    let notes = "https://example.org/notes.txt";
    for text in ["tea\nmilk\n", "tea\nhoney\nmilk\n"] {
        kept.run_with_input(["record", notes, "-", "--media-type", "text/plain"], text.as_bytes()).done();
    }
    let lines = kept.run(["blame", notes]).done();
    let told: Vec<[&str; 2]> = lines.lines().map(|line| [&line[..5], line.rsplit(' ').next().unwrap()]).collect();
    assert_eq!(told, [["    1", "tea"], ["    2", "honey"], ["    1", "milk"]]);
}

#[test]
fn lives_are_told() {
    let kept = Kept::with_menu("life");
    let life = |page: &str, expression: &str, flags: &[&str]| {
        kept.run([&["trace", page, expression, "--life"], flags].concat()).done()
    };
    expect_file("store-life", &life(MENU, "//dish", &[]));
    let name = "//dish[@id = 'soup']/name/text()";
    let first = life(&format!("{MENU}@1"), name, &["--json"]);
    let lines: Vec<serde_json::Value> = first.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["kind"], &lines[0]["version"]), (&"insert".into(), &1.into()));
    assert_eq!((&lines[1]["kind"], &lines[1]["after"]), (&"update".into(), &"Pumpkin soup".into()));
    assert_eq!(lines[0]["xid"], 2);
    // The same node, which is elsewhere now.
    assert_eq!(life(MENU, name, &["--json"]).lines().count(), 2);
    kept.run(["trace", MENU, "count(//dish)", "--life"])
        .trouble("deltaic: `count(//dish)`: found a value, expected an expression that selects nodes");
}

/// What has left is found from a version that had it.
#[test]
fn lives_of_what_is_not_there_say_where_to_look() {
    let kept = Kept::new("life-gone");
    for version in ["<a><b/></a>", "<a/>"] {
        kept.run_with_input(["record", MENU, "-"], version.as_bytes()).done();
    }
    let gone = kept.run(["trace", MENU, "//b", "--life"]);
    let told = format!("deltaic: nothing is selected in version 2 of `{MENU}`; `{MENU}@N` starts from another one\n");
    assert_eq!((gone.code, &*gone.stdout, gone.stderr), (Some(0), "", told));
    assert_eq!(kept.run(["trace", &format!("{MENU}@1"), "//b", "--life"]).done().lines().count(), 3);
}

/// What was dropped may have been what brought it.
#[test]
fn lives_begin_no_later_than_the_oldest_version_that_is_kept() {
    let kept = Kept::new("life-pruned");
    for (day, version) in ["<a><b/></a>", "<a><b/><c/></a>", "<a><b/><c/><d/></a>"].iter().enumerate() {
        let time = format!("2026-01-0{}", day + 1);
        kept.run_with_input(["record", MENU, "-", "--at", &time], version.as_bytes()).done();
    }
    kept.run(["prune", "--keep", "2"]).done();
    let life = |flags: &[&str]| kept.run([&["trace", MENU, "//b | //d", "--life"], flags].concat()).done();
    assert_eq!(
        life(&[]),
        "/a/b\n        2  2026-01-02T00:00:00Z  there since at least then\n\
         /a/d\n        3  2026-01-03T00:00:00Z  insert\n"
    );
    let lines = life(&["--json"]);
    let told = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let told: Vec<_> = told.map(|line| (line["kind"].clone(), line["or_before"].as_bool())).collect();
    assert_eq!(told, [("insert".into(), Some(true)), ("insert".into(), None)]);
}
