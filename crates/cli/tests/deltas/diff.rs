//! `deltaic diff`.

use std::fs;
use std::path::Path;

use super::{EXAMPLES, different, names, versions, write};
use crate::deltaic::{
    Outcome, deltaic, deltaic_with_input, example, expect_file, scratch, with_closed_stdout, with_variables,
};

#[test]
fn differences_of_the_examples() {
    for (name, extension) in EXAMPLES {
        let [before, after] = versions(name, extension);
        for format in ["tree", "summary"] {
            expect_file(&format!("diff-{name}.{format}"), &different(&[&before, &after, "--format", format]));
        }
    }
}

/// What they look like is for the library's tests.
#[test]
fn formats_of_others_are_written() {
    for (name, extension, format, start) in [
        ("menu", "xml", "xupdate", "<xupdate:modifications"),
        ("menu", "xml", "xdl", "<xd:xmldiff"),
        ("menu", "xml", "annotated", "<menu"),
        ("menu", "xml", "xmlpatch", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<diff"),
        ("order", "json", "jsonpatch", "[{\"op\":"),
        ("order", "json", "json", "{"),
    ] {
        let [before, after] = versions(name, extension);
        let written = different(&[&before, &after, "--format", format]);
        assert!(written.starts_with(start), "{format}: {written}");
    }
    let [before, after] = versions("menu", "xml");
    let changes = different(&[&before, &after, "--format", "annotated"]);
    assert!(different(&[&before, &after, "--format", "annotated", "--full"]).len() > changes.len());
    deltaic(["diff", &before, &after, "--full", "--format", "tree"])
        .trouble("deltaic: --full is for --format annotated; --context N shows more of a tree diff");
    for format in ["binary", "tree", "json"] {
        deltaic(["diff", &before, &after, "--words", "--format", format])
            .trouble("deltaic: --words is for --format xydelta; other formats have no place for them");
    }
    assert_eq!(deltaic(["diff", &before, &after, "--format", "jsonpatch"]).code, Some(2));
}

/// What names every node by its path grows with the square of the depth.
#[test]
fn no_more_is_written_than_allowed() {
    let folder = scratch("max_output");
    let deep = |value: &str| format!("{}{}", format!("<a><l>{value}</l>").repeat(300), "</a>".repeat(300));
    let arrays = |value: &str| format!("{}{}", format!("[{value},").repeat(300) + "0", "]".repeat(300));
    let xml = [write(&folder, "a.xml", deep("1")), write(&folder, "b.xml", deep("2"))];
    let json = [write(&folder, "a.json", arrays("1")), write(&folder, "b.json", arrays("2"))];
    let output = format!("{folder}/delta");
    for ([before, after], format) in [(&xml, "xmlpatch"), (&xml, "xupdate"), (&json, "jsonpatch"), (&xml, "summary")] {
        let diff = |most: &str| {
            deltaic(["diff", before, after, "--format", format, "-o", &output, "--max-output-bytes", most])
        };
        diff("10k").trouble(&format!(
            "deltaic: {output}: more than 10240 bytes of output\nhint: --max-output-bytes N allows more"
        ));
        assert!(!Path::new(&output).exists());
        assert_eq!(diff("1M").code, Some(1));
        let len = fs::metadata(&output).unwrap().len();
        assert_eq!(diff(&len.to_string()).code, Some(1), "{format}");
        fs::remove_file(&output).unwrap();
    }
}

#[test]
fn a_delta_is_written_where_nobody_looks() {
    let [before, after] = versions("menu", "xml");
    assert_eq!(different(&[&before, &after]), different(&[&before, &after, "--format", "xydelta"]));
}

#[test]
fn colours_are_asked_for() {
    let [before, after] = versions("menu", "xml");
    let coloured = different(&[&before, &after, "--format", "tree", "--color", "always"]);
    expect_file("diff-menu.coloured", &coloured.replace('\x1b', "␛"));
    let arguments = ["diff", &before, &after, "--format", "tree"];
    assert!(!with_variables(arguments, &[]).stdout.contains('\x1b'));
    assert!(with_variables(arguments, &[("CLICOLOR_FORCE", "1")]).stdout.contains('\x1b'));
    assert!(with_variables(arguments, &[("GIT_PAGER_IN_USE", "true")]).stdout.contains('\x1b'));
    let both = [("GIT_PAGER_IN_USE", "true"), ("NO_COLOR", "1")];
    assert!(!with_variables(arguments, &both).stdout.contains('\x1b'));
    let never = ["diff", &before, &after, "--format", "tree", "--color", "never"];
    assert!(!with_variables(never, &[("CLICOLOR_FORCE", "1")]).stdout.contains('\x1b'));
}

#[test]
fn the_same_is_the_same() {
    let [before, _] = versions("menu", "xml");
    assert_eq!(deltaic(["diff", &before, &before, "--format", "tree"]).done(), "");
    assert_eq!(deltaic(["diff", &before, &before, "--format", "summary"]).done(), "no changes\n");
    assert!(deltaic(["diff", &before, &before]).done().ends_with("toXIDmap=\"(1-20)\">\n</xydelta>\n"));
}

#[test]
fn layout_is_no_difference_unless_asked_for() {
    let folder = scratch("layout");
    let (before, after) =
        (write(&folder, "a.xml", "<a><b/><c/></a>"), write(&folder, "b.xml", "<a>\n <b/>\n <c/>\n</a>\n"));
    assert_eq!(deltaic(["diff", &before, &after, "--format", "summary"]).done(), "no changes\n");
    let delta = format!("{folder}/delta.xml");
    assert_eq!(deltaic(["diff", &before, &after, "-o", &delta]).done(), "");
    assert!(fs::read_to_string(&delta).unwrap().starts_with("<xydelta "));
    let exact = different(&[&before, &after, "--whitespace", "exact", "--format", "summary"]);
    assert!(exact.starts_with("3 changes: 3 inserted"), "{exact}");
}

#[test]
fn more_context_shows_more() {
    let folder = scratch("context");
    let items =
        |changed: &str| (0..20).map(|n| format!("<i>{}</i>", if n == 10 { changed } else { "x" })).collect::<String>();
    let before = write(&folder, "a.xml", format!("<a>{}</a>", items("old")));
    let after = write(&folder, "b.xml", format!("<a>{}</a>", items("new")));
    let lines = |context: &str| different(&[&before, &after, "--format", "tree", "--context", context]).lines().count();
    // The element's two tags, the change, and `…` on either side.
    assert_eq!(lines("0"), 5);
    assert_eq!(lines("3"), 11);
    assert_eq!(lines("100"), 22);
}

#[test]
fn moves_can_be_done_without() {
    let [before, after] = versions("menu", "xml");
    assert!(different(&[&before, &after]).contains("<move "));
    assert!(!different(&[&before, &after, "--no-moves"]).contains("<move "));
}

#[test]
fn the_minimum_goes_to_a_file_where_memory_is_short() {
    let folder = scratch("optimal");
    let row = |from: usize| (from..from + 300).map(|at| format!("<i>{at}<b/></i>")).collect::<String>();
    let before = write(&folder, "a.xml", format!("<a>{}</a>", row(0)));
    let after = write(&folder, "b.xml", format!("<a>{}</a>", row(200)));
    let optimal = ["diff", &before, &after, "--algorithm", "optimal", "--stats"];
    let cost = |outcome: Outcome| outcome.stderr.split("\"edit_cost\":").nth(1).map(|rest| rest[..3].to_owned());
    let short = [&optimal[..], &["--max-memory", "64k"]].concat();
    assert_eq!(cost(deltaic(optimal)).as_deref(), Some("300"));
    assert_eq!(cost(deltaic(&short)).as_deref(), Some("300"));
    for little in ["0", "1", "65535"] {
        deltaic([&optimal[..], &["--max-memory", little]].concat()).trouble(
            "deltaic: --max-memory: less than 64k (65536 bytes) is too little to be of use\nhint: --max-memory 64k is the least",
        );
    }
    let nowhere = [("TMPDIR", "/nowhere"), ("TEMP", "/nowhere"), ("TMP", "/nowhere")];
    assert_eq!(with_variables(optimal, &nowhere).code, Some(1), "memory suffices");
    let refused = with_variables(&short, &nowhere);
    assert_eq!(refused.code, Some(2));
    let message = "deltaic: the temporary file that --max-memory asks for: ";
    assert!(refused.stderr.starts_with(message), "{}", refused.stderr);
}

#[test]
fn the_minimum_is_given_up_where_it_takes_too_long_and_it_is_told() {
    let folder = scratch("optimal-cells");
    let row = |from: usize| (from..from + 30).map(|at| format!("<i>{at}</i>")).collect::<String>();
    let before = write(&folder, "a.xml", format!("<a>{}</a>", row(0)));
    let after = write(&folder, "b.xml", format!("<a>{}</a>", row(100)));
    let short = deltaic(["diff", &before, &after, "--algorithm", "optimal", "--max-cells", "10"]);
    assert_eq!(short.code, Some(1));
    assert_eq!(
        short.stderr,
        "deltaic: warning: `/`: the minimum takes more than 10 cells, so what `auto` finds without moves is written instead \
         (not-optimal)\nhint: --max-cells N and --max-memory N allow more\n"
    );
    let summary = |more: &[&str]| different(&[&[&before, &after, "--format", "summary"], more].concat());
    let without_fallbacks =
        |told: String| told.lines().filter(|line| !line.starts_with("compared with")).collect::<String>();
    let auto = without_fallbacks(summary(&["--no-moves"]));
    let told = deltaic(["diff", &before, &after, "--algorithm", "optimal", "--max-cells", "10", "--format", "summary"]);
    assert_eq!(without_fallbacks(told.stdout), auto);
    assert_eq!(deltaic(["diff", &before, &after, "--algorithm", "optimal"]).stderr, "");
    for limit in ["--max-cells", "--max-memory"] {
        let refused = deltaic(["diff", &before, &after, limit, "1M"]);
        assert_eq!(refused.code, Some(2));
        let expected =
            format!("deltaic: {limit}: `auto` has bounds of its own\nhint: --algorithm optimal goes by it\n");
        assert_eq!(refused.stderr, expected);
    }
}

#[test]
fn keys_say_who_is_who() {
    let folder = scratch("keys");
    let before = write(&folder, "a.xml", "<a><i><v>one</v><k>1</k></i><i><v>two</v><k>2</k></i></a>");
    let after = write(&folder, "b.xml", "<a><i><v>one</v><k>2</k></i><i><v>two</v><k>1</k></i></a>");
    let summary = |more: &[&str]| different(&[&[&before, &after, "--format", "summary"], more].concat());
    let keyed = summary(&["--key", "//i=k"]);
    assert!(keyed.contains("updated /a/i[1]/v: \"two\" → \"one\""), "{keyed}");
    assert!(!summary(&[]).contains("/v: "));
    deltaic(["diff", &before, &after, "--key", "//i"])
        .trouble("deltaic: --key `//i`: `//i` is no key, expected PATH=FIELD such as `//product=@sku`");
    deltaic(["diff", &before, &after, "--key", "//i=k=1"]).trouble(
        "deltaic: --key `//i=k=1`: the path `//i=k` gives a boolean, not nodes\nhint: a key is PATH=FIELD, such as `//product=@sku`",
    );
    deltaic(["diff", &before, &after, "--key", "//i=k", "--max-steps", "5"])
        .trouble("deltaic: --key `//i=k`: more than 5 steps\nhint: --max-steps N allows more");
    deltaic(["diff", &before, &after, "--key", "//p:i=k"])
        .trouble("deltaic: --key `//p:i=k`: unknown namespace prefix `p`\nhint: --ns p=URI binds it");
}

#[test]
fn keys_that_do_not_do_are_told() {
    let folder = scratch("bad_keys");
    let before = write(&folder, "a.xml", "<a><i k='1'>x</i><i k='1'>y</i><i>z</i></a>");
    let after = write(&folder, "b.xml", "<a><i k='1'>x</i><i>new</i></a>");
    for algorithm in ["xydiff", "kfdiff-hash", "kfdiff-sort"] {
        let outcome =
            deltaic(["diff", &before, &after, "--key", "//i=@k", "--algorithm", algorithm, "--format", "summary"]);
        assert_eq!(outcome.code, Some(1));
        assert_eq!(
            outcome.stderr,
            "deltaic: warning: `/a/i`: key `//i=@k` names several nodes `1`, and they are compared as without it (key-not-unique)\n\
             deltaic: warning: `/a/i`: key `//i=@k` names nothing here, and this node is compared as without it (key-absent)\n"
        );
        assert!(!outcome.stdout.contains("warning"), "{}", outcome.stdout);
    }
    let absent = deltaic(["diff", &before, &before, "--key", "//nowhere=@k"]);
    assert_eq!(
        (absent.code, absent.stderr.as_str()),
        (
            Some(0),
            "deltaic: warning: `/`: key `//nowhere=@k` names nothing in either version, and they are compared as without it (key-absent)\n"
        )
    );
}

/// Without moves, what only changed places among its siblings is no change either; what went to another parent is.
#[test]
fn without_order_and_without_moves() {
    let folder = scratch("unordered_no_moves");
    let before = write(&folder, "a.xml", "<l><a>1</a><b>2</b><c><d>3</d></c></l>");
    let after = write(&folder, "b.xml", "<l><c><d>3</d></c><b>2</b><a>1</a></l>");
    for algorithm in ["auto", "unordered", "kfdiff-hash", "optimal"] {
        let outcome = deltaic(["diff", &before, &after, "--unordered", "--no-moves", "--algorithm", algorithm]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{algorithm}");
    }
    let elsewhere = write(&folder, "c.xml", "<l><c/><b>2</b><d>3</d><a>1</a></l>");
    let summary = different(&[&before, &elsewhere, "--unordered", "--no-moves", "--format", "summary"]);
    assert!(summary.contains("deleted /l/c/d") && summary.contains("inserted /l/d"), "{summary}");
    assert!(!summary.contains("/l/a") && !summary.contains("moved"), "{summary}");
    // In mixed content order counts, and nothing moves all the same.
    let mixed = write(&folder, "d.xml", "<p>one <b>2</b> three <i>4</i></p>");
    let turned = write(&folder, "e.xml", "<p>one <i>4</i> three <b>2</b></p>");
    let outcome = deltaic(["diff", &mixed, &turned, "--unordered", "--no-moves", "--format", "summary"]);
    assert_eq!(outcome.code, Some(1));
    assert!(!outcome.stdout.contains("moved"), "{}", outcome.stdout);
    assert!(outcome.stderr.starts_with("deltaic: warning: `/p`: ") && outcome.stderr.ends_with("(order-kept)\n"));
    // What came and went of itself says nothing of order.
    let other = write(&folder, "f.xml", "<p>one <b>2</b> three <u>4</u></p>");
    assert_eq!(deltaic(["diff", &mixed, &other, "--unordered", "--no-moves"]).stderr, "");
}

/// The root value of JSON and the items of an array have no names.
#[test]
fn paths_of_warnings_in_json() {
    let folder = scratch("json_keys");
    let json = write(&folder, "a.json", r#"{"list":[{"id":1},{"id":1},{"no":2}]}"#);
    let outcome = deltaic(["diff", &json, &json, "--key", "//list/*=id", "--algorithm", "xydiff"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stderr.contains("`/list/*`: key `//list/*=id` names several"), "{}", outcome.stderr);
}

#[test]
fn names_may_be_keys() {
    let folder = scratch("key_names");
    let before = write(&folder, "a.xml", "<a><i id='1' tag='x'>one</i><i id='2' tag='y'>two</i></a>");
    let after = write(&folder, "b.xml", "<a><i id='2' tag='x'>one</i><i id='1' tag='y'>two</i></a>");
    for algorithm in ["kfdiff-hash", "kfdiff-sort"] {
        let summary = |more: &[&str]| {
            different(&[&[&before, &after, "--format", "summary", "--algorithm", algorithm], more].concat())
        };
        assert!(summary(&[]).contains("moved"), "{}", summary(&[]));
        let named = summary(&["--key-name", "tag"]);
        assert!(named.contains("@id") && !named.contains("moved"), "{named}");
        let absent = deltaic(["diff", &before, &after, "--algorithm", algorithm, "--key-name", "@tag"]);
        let told = "deltaic: warning: `/`: the key name `@tag` names nothing in either version, and they are compared as without it (key-absent)\n";
        assert_eq!((absent.code, absent.stderr.as_str()), (Some(1), told));
    }
    for name in ["", " ", "a\nb"] {
        let bad = deltaic(["diff", &before, &after, "--algorithm", "kfdiff-hash", "--key-name", name]);
        assert_eq!(bad.code, Some(2));
        assert!(bad.stderr.contains("expected the name of an attribute or child, such as sku"), "{}", bad.stderr);
    }
    deltaic(["diff", &before, &after, "--key-name", "tag"])
        .trouble("deltaic: --key-name: `auto` does not go by names\nhint: --algorithm kfdiff-hash and kfdiff-sort do");
    for algorithm in ["optimal", "ted", "unordered", "goodmatch"] {
        let hint = "hint: --algorithm auto, xydiff, fastmatch, kfdiff-hash and kfdiff-sort do";
        deltaic(["diff", &before, &after, "--key", "//i=@tag", "--algorithm", algorithm])
            .trouble(&format!("deltaic: --key: `{algorithm}` does not go by keys\n{hint}"));
    }
}

/// What was asked for and did not do is told once, whoever asked, and what came out says so too.
#[test]
fn fallbacks_are_in_what_is_written() {
    let folder = scratch("fallbacks");
    let before = write(&folder, "a.xml", "<a><i xml:id='x'>1</i><i xml:id='x'>2</i></a>");
    let after = write(&folder, "b.xml", "<a><i xml:id='x'>1</i><i xml:id='x'>3</i></a>");
    let warning = "deltaic: warning: `/a/i`: the ID `x` is that of several elements, and they are compared as without it (key-not-unique)\n";
    for (format, expected) in [
        ("tree", "  compared with fallbacks: key-not-unique\n"),
        ("summary", "compared with fallbacks: key-not-unique\n"),
        ("json", "\"fallbacks\":[\"key-not-unique\"]"),
        ("xydelta", " fallbacks=\"key-not-unique\""),
        ("annotated", " deltaxml:fallbacks=\"key-not-unique\""),
        ("xmlpatch", "<!-- compared with fallbacks: key-not-unique -->"),
    ] {
        let outcome = deltaic(["diff", &before, &after, "--format", format]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), warning));
        assert!(outcome.stdout.contains(expected), "{format}: {}", outcome.stdout);
    }
    // A key of the command line is told of as well.
    let keyed = deltaic(["diff", &before, &after, "--format", "summary", "--key", "//j=@k"]).stdout;
    assert!(keyed.ends_with("compared with fallbacks: key-not-unique key-absent\n"), "{keyed}");
    let unchanged = deltaic(["diff", &before, &before, "--key", "//i=@xml:id", "--format", "tree"]);
    assert_eq!((unchanged.code, unchanged.stdout.as_str()), (Some(0), ""));
}

/// Who asks for the cheapest matching and does not get it is told, once.
#[test]
fn the_cheapest_without_order_is_given_up_where_rows_are_wide_and_it_is_told() {
    let folder = scratch("unordered-in-turn");
    let items = |word: &str| (0..600).map(|at| format!("<i>{word} {at}</i>")).collect::<String>();
    let lists = |word: &str| format!("<r><l>{}</l><m>{}</m></r>", items(word), items(word));
    let [before, after] = ["old", "new"].map(|word| write(&folder, word, lists(word)));
    let told = deltaic(["diff", &before, &after, "--as", "xml", "--algorithm", "unordered"]);
    let warning = "600 children beside 600 are too many to ask what all pairs of them cost, \
                   so they were paired by what they share, and the rest in turn (unordered-in-turn), and so at 1 other place\n";
    assert_eq!((told.code, told.stderr.lines().count()), (Some(1), 1));
    assert!(told.stderr.starts_with("deltaic: warning: `/r/") && told.stderr.ends_with(warning), "{}", told.stderr);
    let quiet = deltaic(["diff", &before, &after, "--as", "xml", "--unordered", "--stats"]);
    assert!(quiet.stderr.starts_with('{'), "{}", quiet.stderr);
}

#[test]
fn order_may_mean_nothing() {
    let folder = scratch("unordered");
    let before = write(&folder, "a.xml", "<a><b>1</b><c><d>a text of some length</d><e>2</e></c><b>3</b></a>");
    let turned = write(&folder, "b.xml", "<a><b>3</b><b>1</b><c><e>2</e><d>a text of some length</d></c></a>");
    let changed = write(&folder, "c.xml", "<a><b>3</b><n/><b>1</b><c><e>4</e><d>a text of some length</d></c></a>");
    let mixed = write(&folder, "d.xml", "<a>in <i>this</i> <b>order</b> alone</a>");
    let turned_mixed = write(&folder, "e.xml", "<a>in <b>order</b> <i>this</i> alone</a>");
    for algorithm in ["xydiff", "kfdiff-hash", "kfdiff-sort", "unordered"] {
        let diff = |from: &str, to: &str, more: &[&str]| {
            deltaic([&["diff", from, to, "--algorithm", algorithm, "--unordered"], more].concat())
        };
        assert_eq!(diff(&before, &turned, &["--format", "summary"]).done(), "no changes\n");
        assert_eq!(deltaic(["diff", &before, &turned, "--algorithm", algorithm]).code, Some(1));
        let delta = write(&folder, "delta", diff(&before, &changed, &[]).stdout);
        let patched = deltaic(["patch", &before, &delta]).done();
        assert!(patched.starts_with("<a><n/><b>1</b><c>") && patched.ends_with("</c><b>3</b></a>"), "{patched}");
        assert_eq!(diff(&mixed, &turned_mixed, &[]).code, Some(1));
        assert_eq!(
            diff(&mixed, &turned_mixed, &[]).stderr,
            "deltaic: warning: `/a`: texts stand beside other nodes here and their order counts, so changes of it are told (order-kept)\n"
        );
    }
}

/// Where a format cannot tell of the document type, the rest can be had.
#[test]
fn document_types_are_left_out_where_that_is_asked_for() {
    let folder = scratch("doctype-left-out");
    let before = write(&folder, "a.xml", "<!DOCTYPE a><a><b>1</b></a>");
    let after = write(&folder, "b.xml", "<!DOCTYPE a SYSTEM \"x\"><a><b>2</b></a>");
    for format in ["xupdate", "xdl", "xmlpatch"] {
        let outcome = deltaic(["diff", &before, &after, "--format", format]);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{format}");
        assert!(outcome.stderr.ends_with("can\nhint: --ignore-doctype leaves it out\n"), "{}", outcome.stderr);
        let outcome = deltaic(["diff", &before, &after, "--format", format, "--ignore-doctype"]);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""), "{format}");
        assert!(outcome.stdout.contains('2'), "{}", outcome.stdout);
    }
    let annotated = deltaic(["diff", &before, &after, "--format", "annotated"]);
    assert_eq!(annotated.code, Some(1));
    assert!(annotated.stdout.contains("A!=B"), "{}", annotated.stdout);
    let expected = "deltaic: warning: the document type declaration changed, which an annotated document cannot say: \
                    `xydelta` and `json` can\n";
    assert_eq!(annotated.stderr, expected);
    let delta = write(&folder, "delta.xml", different(&[&before, &after, "--ignore-doctype"]));
    assert_eq!(deltaic(["patch", &before, &delta]).done(), "<!DOCTYPE a><a><b>2</b></a>");
    let other = write(&folder, "c.xml", "<a><b>1</b></a>");
    deltaic(["diff", &before, &other, "--ignore-doctype"]).done();
}

/// What a format would make text of is refused.
#[test]
fn references_in_attributes_are_not_lost() {
    let folder = scratch("attribute-references");
    let document = |content: &str| format!("<!DOCTYPE html PUBLIC \"x\" \"y.dtd\"><a>{content}</a>");
    let before = write(&folder, "a.xml", document("x&nbsp;y<b t=\"&foo;\"/>"));
    for content in
        ["x&nbsp;z&copy;<b t=\"&bar;\"/>", "x&nbsp;y<b t=\"&foo;\"/><c t=\"&u;\"/>", "x&nbsp;y<b t=\"&amp;foo;\"/>"]
    {
        let after = write(&folder, "b.xml", document(content));
        for format in ["xmlpatch", "xupdate"] {
            let outcome = deltaic(["diff", &before, &after, "--format", format]);
            assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{format}: {content}");
            assert!(outcome.stderr.contains(" cannot say that a"), "{}", outcome.stderr);
        }
    }
    // What stays as it is does not matter.
    let plain = write(&folder, "plain.xml", document("<c/><b t=\"&foo;\"/>"));
    let after = write(&folder, "b.xml", document("<c u=\"1\"/><b t=\"&foo;\"/>"));
    let patch = write(&folder, "patch", different(&[&plain, &after, "--format", "xmlpatch"]));
    assert_eq!(deltaic(["patch", &plain, &patch]).done(), document("<c u=\"1\"/><b t=\"&foo;\"/>"));
    let doctype = write(&folder, "c.xml", "<!DOCTYPE a><a/>");
    let outcome = deltaic(["diff", &before, &doctype, "--format", "xmlpatch"]);
    assert!(outcome.stderr.contains("declaration changed: `xydelta` and `json` can\n"), "{}", outcome.stderr);
}

/// What is ignored has no say in who is who.
#[test]
fn what_is_ignored_makes_nothing_else_change() {
    let folder = scratch("ignored-identities");
    let before = write(&folder, "a.xml", r#"<r><i s="1"><n>a</n></i><i s="2"><n>b</n></i></r>"#);
    let after = write(&folder, "b.xml", r#"<r><i s="2"><n>a</n></i><i s="1"><n>b</n></i></r>"#);
    for algorithm in ["auto", "xydiff", "optimal", "fastmatch", "kfdiff-hash"] {
        for ignored in ["//i/@s", "//i/@s | //n"] {
            let arguments = ["diff", &before, &after, "--algorithm", algorithm, "--ignore", ignored];
            assert_eq!(
                deltaic([&arguments[..], &["--format", "summary"]].concat()).done(),
                "no changes\n",
                "{algorithm}"
            );
        }
    }
}

#[test]
fn what_ignores_nothing_is_told() {
    let folder = scratch("ignored-nothing");
    let [before, after] =
        ["<a><b>1</b></a>", "<a><b>2</b><c/></a>"].map(|it| write(&folder, it.len().to_string().as_str(), it));
    let outcome = deltaic(["diff", &before, &after, "--ignore", "//zz", "--ignore", "//c"]);
    assert_eq!(outcome.stderr, "deltaic: warning: --ignore `//zz` selects nothing in either version\n");
    let folder = scratch("ignored-json");
    let before = write(&folder, "a.json", r#"{"ts": 1, "a": [{"b": 1}]}"#);
    let after = write(&folder, "b.json", r#"{"ts": 2, "a": [{"b": 2}]}"#);
    let ignoring = |paths: [&str; 2]| deltaic(["diff", &before, &after, "--ignore", paths[0], "--ignore", paths[1]]);
    let outcome = ignoring(["/ts", "/*/a/*[1]/b"]);
    assert_eq!(
        outcome.stderr,
        "deltaic: warning: --ignore `/ts` selects nothing in either version\n\
         hint: in JSON the root value and the items of arrays have no name: `/*/a/*[1]/b` is what a summary calls \
         `/a/0/b`, and `//b` looks everywhere\n"
    );
    assert!(outcome.stdout.contains("<OldText>1<"), "{}", outcome.stdout);
    assert_eq!(ignoring(["/*/ts", "//b"]).done().lines().count(), 2);
}

#[test]
fn what_is_ignored_is_left_as_it_was() {
    let folder = scratch("ignore");
    let before = write(&folder, "a.xml", "<a at='8:00'><ad>one</ad><b>1</b></a>");
    let after = write(&folder, "b.xml", "<a at='9:00'><ad>two</ad><b>2</b><ad>three</ad></a>");
    let delta = write(&folder, "delta", different(&[&before, &after, "--ignore", "//ad", "--ignore", "//@at"]));
    assert_eq!(deltaic(["patch", &before, &delta]).done(), "<a at='8:00'><ad>one</ad><b>2</b></a>");
    let tree = different(&[&before, &after, "--ignore", "//ad|//@at", "--format", "tree"]);
    assert_eq!(tree, "  <a at=\"8:00\">\n    <ad>one</ad>\n~   <b>[-1-]{+2+}</b>\n  </a>\n");
    let all = deltaic(["diff", &before, &after, "--ignore", "/*", "--format", "summary", "--stats"]);
    assert_eq!((all.code, all.stdout.as_str()), (Some(0), "no changes\n"));
    assert!(all.stderr.starts_with("{\"operations\":0,\"edit_cost\":0,"), "{}", all.stderr);
    deltaic(["diff", &before, &after, "--ignore", "count(//b)"])
        .trouble("deltaic: --ignore `count(//b)`: found a value, expected an expression that selects nodes");
    deltaic(["diff", &before, &after, "--ignore", "//x:b"])
        .trouble("deltaic: --ignore `//x:b`: unknown namespace prefix `x`\nhint: --ns x=URI binds it");
}

/// A document has one root: one does not go without the other that comes, whichever of them is ignored.
#[test]
fn a_root_that_is_ignored_goes_where_another_counts() {
    let folder = scratch("ignored-root");
    let (turned, back) = ("<r><m><x/></m></r>", "<m><r/><x/></m>");
    for (before, after, ignored) in [
        ("<r/>", "<a/>", "//a"),
        ("<r/>", "<a/>", "//r"),
        (turned, back, "//m"),
        (turned, back, "//r"),
        (r#"{"a":1}"#, "[1]", "/*[not(a)]"),
    ] {
        let [old, new] = [("before", before), ("after", after)].map(|(name, source)| write(&folder, name, source));
        for more in [&[][..], &["--no-moves"], &["--recover"]] {
            let arguments = [&["diff", &old, &new, "--ignore", ignored][..], more].concat();
            let delta = write(&folder, "delta", deltaic(&arguments).stdout);
            deltaic(["patch", &old, &delta]).done();
        }
    }
}

/// What the declaration gave is needed where what refers to it stays.
#[test]
fn what_is_ignored_can_do_without_its_declaration_or_counts() {
    let folder = scratch("ignored-reference");
    let before = write(&folder, "a.xml", "<!DOCTYPE a SYSTEM 'x'><a><b>&e;</b><c>1</c></a>");
    let after = write(&folder, "b.xml", "<a><b>y</b><c>2</c></a>");
    let delta = write(&folder, "delta", different(&[&before, &after, "--ignore", "//b"]));
    assert_eq!(deltaic(["patch", &before, &delta]).done(), "<a><b>y</b><c>2</c></a>");
    let delta = write(&folder, "recovered", different(&[&before, &after, "--ignore", "//b", "--recover"]));
    assert_eq!(deltaic(["patch", "--recover", &before, &delta]).done(), "<a><b>&e;</b><c>2</c></a>");
}

#[test]
fn numbers_go_to_standard_error() {
    let [before, after] = versions("menu", "xml");
    let outcome = deltaic(["diff", &before, &after, "--stats", "--format", "tree"]);
    assert_eq!(outcome.code, Some(1));
    assert_eq!(outcome.stderr.lines().count(), 1);
    let stats: serde_json::Value = serde_json::from_str(&outcome.stderr).unwrap();
    assert_eq!((&stats["operations"], &stats["edit_cost"]), (&6.into(), &7.into()));
    assert_eq!((&stats["inserted_nodes"], &stats["moved_subtrees"]), (&2.into(), &1.into()));
    assert!(stats["compare_ms"].as_f64().is_some());
}

#[test]
fn identities_go_on_through_a_history() {
    let folder = scratch("identities");
    let versions = ["<a><b>1</b></a>", "<a><b>1</b><c>2</c></a>", "<a><c>2</c><d>3</d></a>"];
    let files: Vec<String> =
        versions.iter().enumerate().map(|(n, source)| write(&folder, &format!("{n}.xml"), source)).collect();
    let first = write(&folder, "1.delta", different(&[&files[0], &files[1]]));
    assert!(
        different(&[&files[1], &files[2], "--xids", &first]).contains(r#"fromXIDmap="(1-2;4-5;3)" toXIDmap="(4-7;3)""#)
    );
    let map = write(&folder, "map", "(1-2;4-5;3)\n");
    for xids in ["(1-2;4-5;3)", &map] {
        assert_eq!(
            different(&[&files[1], &files[2], "--xids", xids]),
            different(&[&files[1], &files[2], "--xids", &first])
        );
    }
    deltaic(["diff", &files[0], &files[1], "--xids", "(1-7)"]).trouble(
        "deltaic: 7 XIDs are given for the 3 nodes of the version before\n\
         hint: --xids takes the map of BEFORE: the toXIDmap of the delta that led to it, with the same --whitespace",
    );
    let gone = different(&[&files[0], &files[1], "--xids", "(1-3|9)"]);
    assert!(gone.contains(r#"toXIDmap="(1-2;9-10;3)">"#), "{gone}");
    deltaic(["diff", &files[0], &files[1], "--xids", "(1-3|3)"])
        .trouble("deltaic: --xids: the next XID, 3, is not above 3, which is in the map");
    let outcome = deltaic(["diff", &files[2], &files[1], "--xids", &first]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.contains("the delta leads to a version with the hash"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("hint: --xids takes the delta that led to BEFORE"), "{}", outcome.stderr);
    deltaic(["diff", &files[0], &files[1], "--xids", "(1-"])
        .trouble("deltaic: --xids: `(1-` is no XID map, expected runs such as `(1-7;9)`");
    deltaic(["diff", &files[0], &files[1], "--xids", "/nowhere"]).trouble("deltaic: --xids: /nowhere: no such file");
}

/// No file has an empty name.
#[test]
fn identities_are_somewhere() {
    let [before, after] = versions("menu", "xml");
    let outcome = deltaic(["diff", &before, &after, "--xids", ""]);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("a value is required for '--xids"), "{outcome:?}");
}

#[test]
fn one_of_the_versions_can_come_from_a_pipe() {
    let [before, after] = versions("order", "json");
    let expected = different(&[&before, &after]);
    let piped = |arguments: &[&str], file: &str| {
        let outcome = deltaic_with_input([&["diff"], arguments].concat(), &fs::read(file).unwrap());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), expected.as_str()), "{}", outcome.stderr);
    };
    piped(&["-", &after], &before);
    piped(&[&before, "-"], &after);
    deltaic_with_input(["diff", "-", "-"], b"{}")
        .trouble("deltaic: only one of the versions can come from standard input");
}

#[test]
fn results_are_written_whole_or_not_at_all() {
    let folder = scratch("whole");
    let _ = fs::remove_file(format!("{folder}/delta"));
    let [before, after] = versions("menu", "xml");
    let delta = format!("{folder}/delta");
    assert_eq!(different(&[&before, &after, "-o", &delta]), "");
    assert_eq!(fs::read_to_string(&delta).unwrap(), different(&[&before, &after]));
    let bad = write(&folder, "bad.xml", "<a>");
    let outcome = deltaic(["diff", &before, &bad, "-o", &delta]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(fs::read_to_string(&delta).unwrap(), different(&[&before, &after]));
    assert_eq!(names(&folder), ["bad.xml", "delta"]);
    assert_eq!(different(&[&before, &after, "-o", "-"]), different(&[&before, &after]));
    assert_eq!(different(&[&before, &after, "-o", "/dev/null"]), "");
    let outcome = deltaic(["diff", &before, &after, "-o", "/nowhere/at/all"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.starts_with("deltaic: /nowhere/at/all: "), "{}", outcome.stderr);
}

#[cfg(unix)]
#[test]
fn a_file_that_is_replaced_keeps_its_mode_and_its_links() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = scratch("replaced");
    let target = write(&folder, "target", "old");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    let link = format!("{folder}/link");
    let _ = fs::remove_file(&link);
    symlink(&target, &link).unwrap();
    let [before, after] = versions("menu", "xml");
    different(&[&before, &after, "-o", &link]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(fs::read_to_string(&target).unwrap(), different(&[&before, &after]));
}

#[test]
fn versions_have_to_be_of_one_format() {
    deltaic(["diff", &example("menu-before.xml"), &example("order-after.json")]).trouble(
        "deltaic: the versions are written in different formats, XML and JSON\nhint: --as FORMAT reads both as that",
    );
}

#[test]
fn bad_versions_are_trouble() {
    let folder = scratch("bad_versions");
    let [before, _] = versions("menu", "xml");
    let bad = write(&folder, "bad.xml", "<a>\n<b></a>");
    deltaic(["diff", &before, &bad]).trouble(&format!(
        "deltaic: {bad}: line 2, column 4: found `</a`; expected `</b>`\n\
         hint: --recover reads on and says what is wrong"
    ));
    let recovered = deltaic(["diff", &bad, &bad, "--recover", "--format", "summary"]);
    assert_eq!((recovered.code, recovered.stdout.as_str()), (Some(0), "no changes\n"));
    deltaic(["diff", &before, "/nowhere"]).trouble("deltaic: /nowhere: no such file");
    for arguments in [&["diff"][..], &["diff", &before], &["diff", &before, &before, &before]] {
        let outcome = deltaic(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(outcome.stderr.contains("BEFORE"), "{}", outcome.stderr);
    }
}

#[test]
fn a_closed_pipe_has_seen_that_there_was_something() {
    let folder = scratch("closed_pipe");
    let items = |text: &str| format!("<a>{}</a>", format!("<b>{text}</b>").repeat(20_000));
    let (before, after) = (write(&folder, "a.xml", items("1")), write(&folder, "b.xml", items("2")));
    for format in ["tree", "xydelta", "summary", "json"] {
        let outcome = with_closed_stdout(["diff", &before, &after, "--format", format], b"");
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), ""), "{format}");
    }
}
