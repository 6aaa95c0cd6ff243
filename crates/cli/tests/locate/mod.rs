//! Where are the parts of the examples, and what is said where that cannot be told?

use std::collections::HashSet;
use std::fs;

use crate::deltaic::{deltaic, example, expect_file, scratch};

/// The output of a run that found something to be elsewhere or different.
#[track_caller]
fn different(arguments: &[&str]) -> String {
    let outcome = deltaic(arguments);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""), "{arguments:?}");
    outcome.stdout
}

#[test]
fn parts_of_the_examples() {
    let [page, menu] = ["page", "menu"].map(|name| {
        ["before", "after"]
            .map(|side| example(&format!("{name}-{side}.{}", if name == "page" { "html" } else { "xml" })))
    });
    expect_file("locate-page", &different(&["locate", &page[0], &page[1], "h1, p, li"]));
    expect_file("locate-menu", &different(&["locate", &menu[0], &menu[1], "//dish | //dish/name"]));
    expect_file("locate-menu.jsonl", &different(&["locate", &menu[0], &menu[1], "//dish/@id", "--json"]));
}

#[test]
fn what_is_where_it_was_is_no_difference() {
    let (before, after) = (example("page-before.html"), example("page-after.html"));
    let found = deltaic(["locate", &before, &after, "--css", "h1"]).done();
    assert_eq!(found, "unchanged          1.00  /html:html/html:body/html:h1 -> /html:html/html:body/html:h1\n");
    assert_eq!(deltaic(["locate", &before, &before, "//node()", "--json"]).done().matches("unchanged").count(), 20);
    for algorithm in ["xydiff", "goodmatch", "fastmatch"] {
        let found = deltaic(["locate", &before, &after, "//html:title", "--algorithm", algorithm]).done();
        assert!(found.starts_with("unchanged          1.00  "), "{found}");
    }
}

#[test]
fn what_is_gone_has_left_something_somewhere() {
    let folder = scratch("locate");
    let file = |name: &str, source: &str| {
        let file = format!("{folder}/{name}");
        fs::write(&file, source).unwrap();
        file
    };
    let before = file("before.xml", "<r><s><p>one two three</p><p>four five six</p></s><t>some words</t></r>");
    let after = file("after.xml", "<r><d><p>one two three</p><p>four five six</p></d><u>other</u></r>");
    assert_eq!(
        different(&["locate", &before, &after, "/r/s | /r/t"]),
        "gone               0.79  /r/s -> /r/d (100 % of it)\ngone               0.00  /r/t\n"
    );
    assert_eq!(
        different(&["locate", &before, &after, "/r/t", "--json"]),
        "{\"before\":\"/r/t\",\"after\":null,\"fate\":\"gone\",\"criterion\":0.0,\"share\":0.0}\n"
    );
}

/// What is looked for by its leaves is nowhere that somebody else is.
#[test]
fn no_two_are_at_one_place() {
    let folder = scratch("locate_taken");
    let file = |name: &str, source: &str| {
        let file = format!("{folder}/{name}");
        fs::write(&file, source).unwrap();
        file
    };
    let before = file("before.html", "<div id=main><h1>Title</h1><p>Some words</p><br><br></div>");
    let after = file("after.html", "<div id=main><h1>Title</h1><p>Some words</p><br></div>");
    let located = different(&["locate", &before, &after, "br"]);
    let fates: Vec<&str> = located.lines().map(|line| line[..17].trim_end()).collect();
    assert_eq!(fates, ["unchanged", "gone"]);
    let before =
        file("before.xml", "<a>w1<a><a k='w4' x='w1'></a><a x='w4'></a><a>w0</a>w4<a x='w1'></a></a>w4 w1</a>");
    let after = file(
        "after.xml",
        "<a>w1<a><a x='w4'></a><a><a id='w0' k='w2'>w1</a><a>w0</a></a>w4<a x='w1'></a></a><a>w4 w1</a></a>",
    );
    let located = different(&["locate", &before, &after, "//*"]);
    let places: Vec<&str> = located.lines().filter_map(|line| line.split_once(" -> ")).map(|(_, to)| to).collect();
    let different: HashSet<&str> = places.iter().copied().collect();
    assert_eq!(different.len(), places.len(), "{located}");
}

/// What has another word, another class and a new wrapper is found by its words, and less sure; what shares few is gone.
#[test]
fn what_reads_nearly_the_same_is_found_anywhere() {
    let folder = scratch("locate_words");
    let file = |name: &str, source: &str| {
        let file = format!("{folder}/{name}");
        fs::write(&file, source).unwrap();
        file
    };
    let before = file(
        "before.html",
        "<div id=main><h1>Title</h1><p class=lead>The quick brown fox jumps over the lazy dog.</p>\
         <p class=end>That was all for today.</p><ul><li>one</li><li>two</li></ul></div>",
    );
    let after = file(
        "after.html",
        "<div id=main><h1>Title</h1><section><p class='lead intro'>The quick brown fox leaps over the lazy dog.</p></section>\
         <ul><li>one</li><li>two</li></ul></div>",
    );
    let located = different(&["locate", &before, &after, "p.lead, p.end", "--json"]);
    let lines: Vec<&str> = located.lines().collect();
    assert!(
        lines[0].contains("div/html:section/html:p\",\"fate\":\"moved and changed\",\"criterion\":0."),
        "{located}"
    );
    assert!(lines[1].contains("\"after\":null,\"fate\":\"gone\""), "{located}");
}

/// A field stays with its record, although that of another looks more like it.
#[test]
fn fields_stay_with_their_records() {
    let folder = scratch("locate_records");
    let record =
        |at: usize, more: usize| format!("<i><q>{}</q><price>{}</price><name>K{at}</name></i>", at % 7, at % 20 + more);
    let list = |name: &str, records: Vec<String>| {
        let file = format!("{folder}/{name}");
        fs::write(&file, format!("<l>{}</l>", records.concat())).unwrap();
        file
    };
    let before = list("before.xml", (0..10).map(|at| record(at, 0)).collect());
    let after = list("after.xml", (1..10).map(|at| record(at, 1)).collect());
    let located = different(&["locate", &before, &after, "//i[name='K5'] | //i[name='K5']/price"]);
    let places: Vec<&str> = located.lines().map(|line| &line[25..]).collect();
    assert_eq!(places, ["/l/i[6] -> /l/i[5]", "/l/i[6]/price -> /l/i[5]/price"]);
}

#[test]
fn attributes_are_where_their_elements_are() {
    let folder = scratch("locate_attributes");
    let [before, after] = [
        ("before.xml", "<a><i id='x' k='1'>one two three</i><i id='y' k='1' l='2'>four five six</i></a>"),
        ("after.xml", "<a><i id='y' k='2'>four five six</i><b><i id='x' k='1'>one two three</i></b></a>"),
    ]
    .map(|(name, source)| {
        let file = format!("{folder}/{name}");
        fs::write(&file, source).unwrap();
        file
    });
    let located = different(&["locate", &before, &after, "//@*"]);
    // Between the two columns there is how sure it is.
    let fates: Vec<String> =
        located.lines().map(|line| format!("{}: {}", line[..17].trim_end(), &line[25..])).collect();
    assert_eq!(
        fates,
        [
            "moved: /a/i[1]/@id -> /a/b/i/@id",
            "moved: /a/i[1]/@k -> /a/b/i/@k",
            "unchanged: /a/i[2]/@id -> /a/i/@id",
            "changed: /a/i[2]/@k -> /a/i/@k",
            "gone: /a/i[2]/@l",
        ]
    );
}

/// Paths of all nodes of a deep document would be the square of it.
#[test]
fn deep_documents_are_located_in_time() {
    let folder = scratch("locate_deep");
    let depth = 100_000;
    let [before, after, other] = [("a", "one"), ("a", "two"), ("b", "one")].map(|(name, text)| {
        let file = format!("{folder}/{name}-{text}.xml");
        let [open, close] = ["<", "</"].map(|start| format!("{start}{name}>").repeat(depth));
        fs::write(&file, format!("<r>{open}{text} or more words{close}</r>")).unwrap();
        file
    });
    for (to, fate) in [(&after, "changed "), (&other, "gone ")] {
        let located = different(&["locate", &before, to, "//a", "--max-depth", "200k"]);
        assert_eq!(located.lines().filter(|line| line.starts_with(fate)).count(), depth);
        assert!(located.lines().all(|line| line.len() < 300), "{}", located.lines().last().unwrap_or_default());
    }
}

#[test]
fn parts_that_cannot_be_located_say_why() {
    let (menu, page) = (example("menu-before.xml"), example("page-before.html"));
    deltaic(["locate", &menu, &menu, "//dish["])
        .trouble("deltaic: `//dish[`: column 8: found the end, expected an expression");
    deltaic(["locate", &menu, &menu, "//@p:eur"])
        .trouble("deltaic: `//@p:eur`: unknown namespace prefix `p`\nhint: --ns p=URI binds it");
    deltaic(["locate", &menu, &menu, "count(//dish)"])
        .trouble("deltaic: `count(//dish)`: found a value, expected an expression that selects nodes");
    // Status 0 would say that it is where it was.
    deltaic(["locate", &menu, &menu, "//nothing"])
        .trouble(&format!("deltaic: `//nothing` selects nothing in {menu}\nhint: `deltaic tree` shows what there is"));
    deltaic(["locate", &menu, &page, "//dish"]).trouble(
        "deltaic: the versions are written in different formats, XML and HTML\n\
         hint: --as FORMAT reads both as that",
    );
    deltaic(["locate", "-", "-", "//dish"]).trouble("deltaic: only one of the versions can come from standard input");
}

/// What attributes of pages are called may have any characters.
#[test]
fn names_do_not_talk_to_a_terminal() {
    let folder = scratch("locate_names");
    let page = format!("{folder}/a.html");
    fs::write(&page, "<p \u{1b}x=1>text").unwrap();
    let told = deltaic(["locate", &page, &page, "//html:p/@*"]).done();
    assert!(told.contains("local-name()='\\u{1b}x'") && !told.contains('\u{1b}'), "{told:?}");
}
