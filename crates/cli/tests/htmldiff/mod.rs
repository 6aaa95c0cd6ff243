//! `deltaic htmldiff`.

use std::fs;

use crate::deltaic::{
    Outcome, deltaic, deltaic_in, deltaic_with_input, example, expect_file, scratch, with_closed_stdout, with_variables,
};

fn versions() -> [String; 2] {
    ["page-before.html", "page-after.html"].map(example)
}

/// The run of a comparison, and that it found a difference.
#[track_caller]
fn different(arguments: &[&str]) -> String {
    let [before, after] = versions();
    let Outcome { code, stdout, stderr } = deltaic([&["htmldiff", &before, &after], arguments].concat());
    assert_eq!((code, stderr.as_str()), (Some(1), ""), "{arguments:?}");
    stdout
}

fn write(folder: &str, name: &str, content: impl AsRef<[u8]>) -> String {
    let file = format!("{folder}/{name}");
    fs::write(&file, content).unwrap();
    file
}

/// What is between the tags, without the folder of the examples: the rest is for the library's tests.
fn main_part(view: &str) -> &str {
    let (_, rest) = view.split_once("<main>").unwrap();
    rest.split_once("</main>").unwrap().0
}

#[test]
fn the_example_in_a_few_words() {
    expect_file("htmldiff-page.summary", &different(&["--view", "summary"]));
    expect_file("htmldiff-page.summary.json", &different(&["--view", "summary", "--json"]));
    let listing = different(&["--view", "changes"]);
    let key = listing.split("data-key=\"").nth(1).unwrap().split('"').next().unwrap();
    expect_file("htmldiff-page.changes", &main_part(&listing).replace(key, "KEY"));
}

#[test]
fn views_are_whole_pages() {
    for (view, frames) in [("merged", 1), ("side-by-side", 2), ("changes", 0)] {
        let shown = different(&["--view", view]);
        assert!(shown.starts_with("<!DOCTYPE html>") && shown.ends_with("</html>\n"), "{view}");
        assert!(shown.contains(&format!("data-view=\"{view}\"")));
        assert!(shown.contains(": page-before.html → page-after.html</title>"));
        assert_eq!(shown.matches("<iframe").count(), frames, "{view}");
    }
    assert!(different(&[]) == different(&["--view", "merged"]));
    let merged = different(&[]);
    assert!(merged != different(&["--reverse"]) && merged != different(&["--no-deleted"]));
}

#[test]
fn the_same_is_the_same() {
    let [before, _] = versions();
    assert_eq!(deltaic(["htmldiff", &before, &before, "--view", "summary"]).done(), "no changes\n");
    for view in ["merged", "side-by-side", "changes"] {
        assert!(deltaic(["htmldiff", &before, &before, "--view", view]).done().contains("data-changes=\"0\""));
    }
}

#[test]
fn one_version_may_come_from_standard_input() {
    let [before, after] = versions();
    let bytes = fs::read(&after).unwrap();
    let piped = deltaic_with_input(["htmldiff", &before, "-", "--view", "summary"], &bytes);
    assert_eq!((piped.code, piped.stdout), (Some(1), different(&["--view", "summary"])));
    deltaic(["htmldiff", "-", "-"]).trouble("deltaic: only one of the versions can come from standard input");
}

#[test]
fn xhtml_and_mere_words_are_pages() {
    let folder = scratch("htmldiff_xhtml");
    let page = |word: &str| format!("<?xml version='1.0'?><!DOCTYPE html><html xmlns='x'><p>{word}</p></html>");
    let after = write(&folder, "after.xhtml", page("two"));
    let summary = |piped: &str| deltaic_with_input(["htmldiff", "-", &after, "--view", "summary"], piped.as_bytes());
    for before in [page("one"), "<p>one".into(), "one".into()] {
        let found = summary(&before);
        assert_eq!((found.code, found.stderr.as_str()), (Some(1), ""), "{before}");
        assert!(found.stdout.contains("“one” → “two”"), "{}", found.stdout);
    }
    let refused = summary("<?xml version='1.0'?><rss/>");
    assert!(refused.code == Some(2) && refused.stderr.contains("found XML, expected a page"), "{}", refused.stderr);
}

#[test]
fn what_does_not_say_that_it_is_xml_is_html() {
    let folder = scratch("htmldiff_fragments");
    let page = |item: &str| format!("<h1>News</h1><ul><li>one<li>{item}</ul>");
    let before = write(&folder, "before.html", page("two"));
    let summary = |after: &str, piped: &str| {
        deltaic_with_input(["htmldiff", &before, after, "--view", "summary"], piped.as_bytes())
    };
    let named = ["page", "page.php"].map(|name| write(&folder, name, page("three")));
    for (after, piped) in [("-", page("three")), (&named[0], String::new()), (&named[1], String::new())] {
        let found = summary(after, &piped);
        assert_eq!((found.code, found.stderr.as_str()), (Some(1), ""), "{after}");
        assert!(found.stdout.contains("“two” → “three”"), "{}", found.stdout);
    }
    let script = summary("-", &format!("<?php echo 1 ?>{}", page("two")));
    assert_eq!((script.code, script.stdout.as_str()), (Some(0), "no changes\n"), "{}", script.stderr);
    let prefixed = "<h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:body><h:h1>News</h:h1><h:ul><h:li>one</h:li>\
                    <h:li>two</h:li></h:ul></h:body></h:html>";
    assert_eq!(summary("-", prefixed).stdout, "no changes\n");
    let data = write(&folder, "data.xml", "<rss/>");
    assert!(summary(&data, "").stderr.contains("found XML, expected a page"));
}

#[test]
fn elements_of_xhtml_that_close_themselves_are_closed() {
    let folder = scratch("htmldiff_xhtml_closed");
    let page = |price: &str| {
        format!(
            "<?xml version='1.0' encoding='iso-8859-1'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title>T</title>\
             <meta charset='iso-8859-1'/><script src='a.js'/></head><body><p><a name='x'/>Caf&#233; <b>for</b> <i>{price}</i>\
             <br/><![CDATA[1 < 2]]></p></body></html>"
        )
    };
    let files = [write(&folder, "before.xhtml", page("10")), write(&folder, "after", page("20"))];
    let summary = |more: &[&str]| deltaic([&["htmldiff", &files[0], &files[1], "--view", "summary"], more].concat());
    for outcome in [summary(&[]), summary(&["--as", "xml"])] {
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
        assert_eq!(outcome.stdout, "1 change (1 replaced)\n\n  1. replaced: “10” → “20”, in “Café for 20”\n");
    }
    // Browsers that take it for HTML see a script that never ends.
    assert!(!summary(&["--as", "html"]).stdout.contains("20"));
    assert!(summary(&["--as", "json"]).stderr.contains("[possible values: html, xml]"));
    let view = deltaic(["htmldiff", &files[0], &files[1]]).stdout;
    assert!(view.contains("1 &amp;lt; 2"), "{view}");
}

#[test]
fn xhtml_that_is_html_as_well_is_read_as_html() {
    let folder = scratch("htmldiff_xhtml_html");
    let page = |start: &str, rest: &str| {
        format!("{start}<html xmlns='http://www.w3.org/1999/xhtml'><body><br />{rest}</body></html>")
    };
    // The first line end in it counts in XML alone, which is no change of the page.
    let before = write(&folder, "before.html", page("", "<pre>\ncode</pre><p>one"));
    for (name, rest, is_same) in
        [("a", "<p>one</p>", true), ("b", "<p><![CDATA[one]]></p>", false), ("c", "<p>one</p><a id='x'/>", false)]
    {
        let after = write(&folder, name, page("<?xml version='1.0'?>", &format!("<pre>\ncode</pre>{rest}")));
        let told = deltaic(["htmldiff", &before, &after, "--view", "summary"]).stdout;
        assert_eq!(told == "no changes\n", is_same, "{rest}: {told}");
        assert!(!told.contains("one"), "{rest}: {told}");
    }
}

#[test]
fn xhtml_with_faults_is_html() {
    let folder = scratch("htmldiff_xhtml_faults");
    let page = |word: &str| format!("<html xmlns='http://www.w3.org/1999/xhtml'><p>{word}<p>more</html>");
    let files = [write(&folder, "before.xhtml", page("one")), write(&folder, "after.xhtml", page("two"))];
    let summary = deltaic(["htmldiff", &files[0], &files[1], "--view", "summary"]);
    assert!(summary.code == Some(1) && summary.stdout.contains("“one” → “two”"), "{}", summary.stdout);
    let refused = deltaic(["htmldiff", &files[0], &files[1], "--as", "xml"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.ends_with("hint: --as html reads it as a page\n"), "{}", refused.stderr);
    let data = example("menu-before.xml");
    let hint = "hint: --as html reads it as a page, and deltaic diff compares any documents";
    deltaic(["htmldiff", &data, &data, "--as", "xml"])
        .trouble(&format!("deltaic: {data}: found XML, expected a page\n{hint}"));
}

#[test]
fn encodings_that_nobody_knows_are_refused() {
    let [before, after] = versions();
    different(&["--encoding", "utf8"]);
    let refused = deltaic(["htmldiff", &before, &after, "--encoding", "utf-99"]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("no encoding of the web has this label"), "{}", refused.stderr);
}

#[test]
fn views_go_to_files() {
    let file = format!("{}/view.html", scratch("htmldiff_files"));
    assert_eq!(different(&["-o", &file]), "");
    assert_eq!(fs::read_to_string(&file).unwrap(), different(&[]));
}

#[test]
fn other_documents_are_trouble() {
    let (menu, order) = (example("menu-before.xml"), example("order-before.json"));
    let [page, _] = versions();
    let hint = "hint: --as html reads it as a page, and deltaic diff compares any documents";
    deltaic(["htmldiff", &menu, &page]).trouble(&format!("deltaic: {menu}: found XML, expected a page\n{hint}"));
    deltaic(["htmldiff", &page, &order]).trouble(&format!("deltaic: {order}: found JSON, expected a page\n{hint}"));
    assert_eq!(deltaic(["htmldiff", &menu, &page, "--as", "html"]).code, Some(1));
    deltaic(["htmldiff", &page, "/nowhere/a.html"]).trouble("deltaic: /nowhere/a.html: no such file");
    deltaic(["htmldiff", &page, &page, "--json"]).trouble("deltaic: --json is for --view summary");
    deltaic(["htmldiff", &page, &page, "--view", "changes", "--reverse"])
        .trouble("deltaic: --reverse and --no-deleted are for --view merged");
    deltaic(["htmldiff", &page, &page, "--base", "example.org"])
        .trouble("deltaic: --base: found `example.org`, expected an address such as `https://example.org`");
    let outcome = deltaic(["htmldiff", &page, &page, "--allow", "https://a;script-src *"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
}

#[test]
fn content_comes_from_where_it_may() {
    let strict = different(&[]);
    assert!(!strict.contains("https:"));
    let open = different(&["--base", "https://example.org/cafe/", "--allow", "https://static.example.org"]);
    assert!(open.contains("img-src data: https://example.org https://static.example.org;"));
}

#[test]
fn images_may_change_behind_their_addresses() {
    let folder = scratch("htmldiff_entities");
    let page = write(&folder, "page.html", "<p>A cup: <img src=cup.png alt=cup><script src=a.js></script>");
    let sums = write(
        &folder,
        "sums.json",
        r#"{"before": {"cup.png": "1", "a.js": "1"}, "after": {"cup.png": "2", "a.js": "2"}}"#,
    );
    let arguments = ["htmldiff", &page, &page, "--view", "summary", "--entities"];
    let run = |sums: &str| deltaic([&arguments[..], &[sums]].concat());
    let outcome = run(&sums);
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.stdout.contains("1. entity: “[image: cup]”"), "{}", outcome.stdout);
    assert!(outcome.stdout.contains("changed at its address: a.js"), "{}", outcome.stdout);

    let whole = r#"{"before": {"https://e.org/x/cup.png": "1"}, "after": {"https://e.org/x/cup.png": "2"}}"#;
    let whole = write(&folder, "whole.json", whole);
    let outcome = deltaic([&arguments[..], &[&whole, "--base", "https://e.org/x/"]].concat());
    assert!(outcome.stdout.contains("1. entity: “[image: cup]”"), "{}", outcome.stdout);
    let idle = run(&whole);
    assert_eq!(idle.code, Some(0), "without a base nobody knows where the page is");
    let message = "deltaic: warning: --entities: neither page refers to `https://e.org/x/cup.png`\n\
                   hint: addresses are written as in the pages, or whole with --base\n";
    assert_eq!(idle.stderr, message);

    // An address is the same in letters and in percent form.
    let lettered = write(&folder, "café.html", "<p>A cup: <img src=café.png alt=cup>");
    for written in ["café", "caf%C3%A9"] {
        let sums = format!(
            r#"{{"before": {{"https://e.org/{written}.png": "1"}}, "after": {{"https://e.org/{written}.png": "2"}}}}"#
        );
        let sums = write(&folder, "letters.json", sums);
        let found = deltaic([
            "htmldiff",
            &lettered,
            &lettered,
            "--view",
            "summary",
            "--base",
            "https://e.org/",
            "--entities",
            &sums,
        ]);
        assert!(found.stdout.contains("1. entity: “[image: cup]”"), "{} {}", found.stdout, found.stderr);
    }

    let linked = write(&folder, "linked.html", "<p>The <a href=/terms.pdf>terms</a>");
    let terms = r#"{"before": {"/terms.pdf": "1", "/x": "1", "/y": "1"}, "after": {"/terms.pdf": "2"}}"#;
    let terms = write(&folder, "terms.json", terms);
    let outcome = deltaic(["htmldiff", &linked, &linked, "--view", "summary", "--entities", &terms]);
    assert!(outcome.stdout.contains("1. entity: “terms”; changed at its address: /terms.pdf"), "{}", outcome.stdout);
    assert!(outcome.stderr.contains("neither page refers to `/x` nor to 1 more\n"), "{}", outcome.stderr);

    let hint = r#"hint: expected {"before": {"/logo.png": "checksum"}, "after": {"/logo.png": "checksum"}}"#;
    for (name, content, wrong) in [
        ("null.json", "null", "invalid type: null, expected an object with `before` and `after` at line 1 column 4"),
        ("list.json", "[1]", "invalid type: integer `1`, expected a map at line 1 column 2"),
        ("half.json", "{\"before\": {}}", "missing field `after` at line 1 column 14"),
        (
            "number.json",
            "{\"before\": {\"a\": 1}, \"after\": {}}",
            "invalid type: integer `1`, expected a string at line 1 column 18",
        ),
    ] {
        let sums = write(&folder, name, content);
        run(&sums).trouble(&format!("deltaic: --entities {sums}: {wrong}\n{hint}"));
    }
    run("/nowhere/sums.json").trouble("deltaic: --entities /nowhere/sums.json: no such file");
}

#[test]
fn addresses_are_compared_by_where_they_lead() {
    let folder = scratch("htmldiff_addresses");
    let page = |name: &str, address: &str| {
        write(&folder, name, format!("<p>A <a href={address}>link</a> and <img src={address}.png alt=cup>"))
    };
    let (relative, whole) = (page("relative.html", "/a/b"), page("whole.html", "https://ex.org/a/b"));
    let arguments = ["htmldiff", &relative, &whole, "--view", "summary"];
    assert_eq!(deltaic([&arguments[..], &["--base", "https://ex.org/q"]].concat()).done(), "no changes\n");
    for base in [&[][..], &["--base", "https://ex.com/q"]] {
        let found = deltaic([&arguments[..], base].concat());
        assert!(found.stdout.starts_with("2 changes (1 link, 1 image)\n"), "{}", found.stdout);
    }
    let based = write(
        &folder,
        "based.html",
        "<base href=https://ex.org/a/><p>A <a href=b>link</a> and <img src=b.png alt=cup>",
    );
    let found = deltaic(["htmldiff", &based, &whole, "--view", "summary"]).stdout;
    assert_eq!(found, "no changes that are seen\nhref of base: https://ex.org/a/ → none\n");
}

#[test]
fn too_many_changes_are_said_to_be() {
    let shown = different(&["--max-changes", "1"]);
    assert!(shown.contains("More than 1 changes are hard to read in one page."), "{shown}");
    assert!(shown.contains("deltaic htmldiff --view side-by-side --open "));
    assert!(!different(&[]).contains("hard to read"));
    let summary = different(&["--view", "summary", "--max-changes", "1"]);
    let [_, after] = versions();
    assert!(summary.contains("more changes\nhint: deltaic htmldiff --view summary --max-changes "), "{summary}");
    assert!(summary.trim_end().ends_with(&after), "{summary}");
    let listing = different(&["--view", "changes", "--max-changes", "1"]);
    assert!(listing.contains("<code>deltaic htmldiff --view changes --max-changes "), "{listing}");
}

/// What a view says to run shows the same pages, read and compared as they are now.
#[test]
fn commands_that_views_tell_are_whole() {
    let folder = scratch("htmldiff_commands");
    write(&folder, "-b.html", "<p>A cup: <img src=cup.png alt=cup> and <img src=pot.png alt=pot>");
    write(
        &folder,
        "my sums.json",
        r#"{"before": {"cup.png": "1", "pot.png": "1"}, "after": {"cup.png": "2", "pot.png": "2"}}"#,
    );
    let arguments =
        ["htmldiff", "--view", "summary", "--max-changes", "1", "--entities", "my sums.json", "--as", "html"];
    let rest = ["--encoding", "utf-8", "--allow", "https://e.org", "--", "-b.html", "-b.html"];
    let shown = deltaic_in(&folder, [&arguments[..], &rest].concat());
    let hint = "hint: deltaic htmldiff --view summary --max-changes 2 --allow https://e.org --entities 'my sums.json' --as html \
                --encoding utf-8 -- -b.html -b.html\n";
    assert!(shown.stdout.ends_with(hint), "{}", shown.stdout);
}

#[cfg(unix)]
#[test]
fn views_are_opened() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("htmldiff_open");
    let (browser, seen) = (format!("{folder}/browser"), format!("{folder}/seen"));
    fs::write(&browser, format!("#!/bin/sh\ncp \"$1\" '{seen}.part' && mv '{seen}.part' '{seen}'\n")).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let [before, after] = versions();
    let _ = fs::remove_file(&seen);
    let variables = [("BROWSER", browser.as_str()), ("TMPDIR", folder.as_str())];
    let outcome = with_variables(["htmldiff", &before, &after, "--open"], &variables);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
    let file = outcome.stdout.trim_end();
    assert!(file.ends_with(".html"), "{file}");
    assert_eq!(fs::read_to_string(file).unwrap(), different(&[]));
    // Nobody waits for a browser but this test.
    while !fs::exists(&seen).unwrap() {
        std::thread::yield_now();
    }
    assert_eq!(fs::read_to_string(&seen).unwrap(), different(&[]));
    fs::remove_file(file).unwrap();

    let nowhere =
        with_variables(["htmldiff", &before, &after, "--open"], &[("BROWSER", "/nowhere/at/all"), ("TMPDIR", &folder)]);
    assert_eq!(nowhere.code, Some(2));
    assert!(nowhere.stderr.contains("hint: BROWSER names another program; the view is in "), "{}", nowhere.stderr);

    fs::write(&browser, "#!/bin/sh\nexit 3\n").unwrap();
    let without = with_variables(["htmldiff", &before, &after, "--open"], &variables);
    assert_eq!(without.code, Some(2));
    assert!(without.stderr.contains("/browser`: exit status: 3\nhint: BROWSER names another"), "{}", without.stderr);
}

#[test]
fn what_is_no_text_is_told_and_not_compared() {
    let folder = scratch("htmldiff_no_text");
    let [before, _] = versions();
    let image = format!("{folder}/logo.png");
    fs::write(&image, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR").unwrap();
    deltaic(["htmldiff", &before, &image]).trouble(&format!(
        "deltaic: {image}: this is a PNG image, expected XML, HTML or JSON\n\
         hint: --as html or --as xml reads it whatever it is"
    ));
    assert_eq!(deltaic(["htmldiff", &before, &image, "--as", "html"]).code, Some(1));
    let page = format!("{folder}/page.html");
    fs::write(&page, b"\x1f\x8b\x08\0\0").unwrap();
    deltaic(["diff", &before, &page]).trouble(&format!(
        "deltaic: {page}: this is compressed by gzip, expected XML, HTML or JSON\n\
         hint: what `gzip -dc` makes of it can be read from standard input, as `-`"
    ));
}

#[test]
fn a_folder_that_is_missing_is_named() {
    let folder = scratch("htmldiff_folder");
    let [before, after] = versions();
    let _ = fs::remove_dir_all(format!("{folder}/new"));
    let file = format!("{folder}/new/view.html");
    deltaic(["htmldiff", &before, &after, "-o", &file])
        .trouble(&format!("deltaic: {file}: there is no such folder\nhint: mkdir -p '{folder}/new' makes it"));
}

#[test]
fn a_closed_pipe_is_no_trouble() {
    let [before, _] = versions();
    let page = format!("<p>{}", "<p>word".repeat(100_000));
    let outcome = with_closed_stdout(["htmldiff", &before, "-", "--as", "html"], page.as_bytes());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""));
}
