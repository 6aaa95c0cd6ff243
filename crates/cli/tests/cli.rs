//! What does somebody at a terminal get? Output that people read is compared with `tests/expected`; run with
//! `UPDATE_EXPECTED=1` to write those files anew.

mod deltaic;
mod deltas;
mod htmldiff;
mod locate;
mod store;

use std::fs;
use std::path::PathBuf;

use deltaic::{Outcome, deltaic, deltaic_with_input, example, expect_file, scratch};

#[test]
fn outlines_of_the_examples() {
    for (file, expected) in
        [("menu-before.xml", "menu.tree"), ("page-before.html", "page.tree"), ("order-before.json", "order.tree")]
    {
        expect_file(expected, &deltaic(["tree", &example(file)]).done());
    }
}

#[test]
fn a_line_of_json_for_every_node() {
    for (file, expected) in [("menu-before.xml", "menu.jsonl"), ("order-before.json", "order.jsonl")] {
        expect_file(expected, &without_hashes(&deltaic(["tree", "--json", &example(file)]).done()));
    }
}

#[test]
fn numbers() {
    let table = deltaic(["tree", "--stats", &example("menu-before.xml")]).done();
    let is_fixed = |line: &&str| !line.starts_with("bytes beyond the source") && !line.starts_with("hash");
    expect_file("menu.stats", &table.lines().filter(is_fixed).collect::<Vec<_>>().join("\n"));

    let stats: serde_json::Value =
        serde_json::from_str(&deltaic(["tree", "--stats", "--json", &example("order-before.json")]).done()).unwrap();
    assert_eq!(stats["format"], "JSON");
    assert_eq!(stats["nodes"], 16);
    assert_eq!(stats["kinds"]["number"], 5);
    assert_eq!(stats["depth"], 4);
    assert_eq!(stats["issues"], 0);
}

#[test]
fn canonical_forms() {
    expect_file("menu.canon", &deltaic(["canon", &example("menu-before.xml")]).done());
    expect_file("page.canon", &deltaic(["canon", &example("page-before.html")]).done());
    expect_file("order.canon", &deltaic(["canon", &example("order-before.json")]).done());
}

#[test]
fn selections_are_printed_as_they_stand() {
    let check = |file: &str, arguments: &[&str], expected: &str| {
        let file = example(file);
        let arguments = [&["select", &file], arguments].concat();
        assert_eq!(deltaic(&arguments).done(), expected, "{arguments:?}");
    };
    check("menu-before.xml", &["//dish[2]/name"], "<name>Lentil stew</name>\n");
    check("menu-before.xml", &["dish#soup > with"], "<with>bread &amp; butter</with>\n");
    check("menu-before.xml", &["//with[1]/text()"], "bread &amp; butter\nrice\n");
    check("menu-before.xml", &["//@id"], "soup\nstew\ncake\n");
    check("menu-before.xml", &["//@p:eur", "--ns", "p=urn:example:price"], "4.50\n9.00\n3.20\n");
    check("menu-before.xml", &["--xpath", "sum(//@*[local-name() = 'eur'])"], "16.7\n");
    check("menu-before.xml", &["dish", "--count"], "3\n");
    check("menu-before.xml", &["nothing"], "");
    check("menu-before.xml", &["nothing", "--count"], "0\n");
    check("page-before.html", &["--css", ".hours b"], "<b>Monday to Friday</b>\n");
    check("page-before.html", &["//html:title/text()"], "The Corner Café\n");
    check("order-before.json", &["//lines/*/dish"], "\"soup\"\n\"cake\"\n");
    check("order-before.json", &["/*/customer"], "{\"name\": \"Zoë\", \"address\": null}\n");
}

/// What looks like a path, an axis or a call is XPath; what starts with a dot and a name is a class of CSS.
#[test]
fn the_language_of_an_expression_is_told_by_its_look() {
    let (menu, page) = (example("menu-before.xml"), example("page-before.html"));
    let count = |file: &str, arguments: &[&str]| {
        let arguments = [&["select", file, "--count"], arguments].concat();
        deltaic(&arguments).done().trim_end().parse::<usize>().expect("a count")
    };
    assert_eq!(count(&page, &[".hours"]), 1);
    assert_eq!(count(&page, &[".hours"]), count(&page, &["//*[@class='hours']"]));
    assert_eq!(count(&menu, &["./*/dish"]), 3);
    assert_eq!(count(&menu, &["..//dish"]), 0);
    assert_eq!(count(&menu, &["."]), 1);
    assert_eq!(count(&menu, &["descendant::dish"]), 3);
    assert_eq!(deltaic(["select", &menu, "count(//dish)"]).done(), "3\n");
    assert_eq!(count(&menu, &["dish"]), 3);
    // With a hint, which has a test of its own.
    assert_eq!(deltaic(["select", &menu, "--count", "--xpath", "dish"]).stdout, "0\n");
}

/// What stands in a string is no path, and what no selector has is XPath wherever it stands.
#[test]
fn selectors_may_have_addresses_and_paths_may_begin_with_a_name() {
    let page = b"<ul><li>one<li><a href='//x'>two</a></ul><p><a href='http://y/'>three</a>";
    let select = |expression: &str| deltaic_with_input(["select", "--as", "html", "-", expression], page).done();
    assert_eq!(select("a[href=\"//x\"]"), "<a href='//x'>two</a>\n");
    assert_eq!(select("a[href^=\"http://\"]"), "<a href='http://y/'>three</a>\n");
    assert_eq!(select("html/body/ul/li[1]/text()"), "one\n");
    assert_eq!(select("html/body/p/a/@href"), "http://y/\n");
    assert_eq!(select("html/body/p | html/body/ul/li[1]"), "<li>one\n<p><a href='http://y/'>three</a>\n");
}

/// Selectors look everywhere; who leaves the slashes away may expect it of a path.
#[test]
fn paths_that_lack_slashes_are_told() {
    let select = |expression: &str| {
        let outcome = deltaic(["select", &example("menu-before.xml"), expression]);
        (outcome.code, outcome.stdout, outcome.stderr)
    };
    let hint = "hint: this path starts at the document; `//dish/@id` looks below it\n";
    assert_eq!(select("dish/@id"), (Some(0), String::new(), hint.to_owned()));
    assert_eq!(select("menu/dish[1]/@id"), (Some(0), "soup\n".to_owned(), String::new()));
    assert_eq!(select("nothing/@id"), (Some(0), String::new(), String::new()));
    let hint = |path: &str| format!("hint: this path starts at the document; `{path}` looks below it\n");
    assert_eq!(select("dish/@id | price").2, hint("//dish/@id | //price"));
    assert_eq!(select("/nothing | dish[. != '|' or a|b]").2, hint("/nothing | //dish[. != '|' or a|b]"));
    assert_eq!(select("nothing | id('x')").2, "");
    let outcome = deltaic(["select", &example("menu-before.xml"), "dish", "--xpath"]);
    assert_eq!((outcome.stdout, outcome.stderr), (String::new(), hint("//dish")));
}

/// Who asks for elements by the names that they see may not see the namespace that they are in.
#[test]
fn names_that_lack_a_namespace_are_told() {
    let feed = b"<f xmlns='urn:f' xmlns:m='urn:m' e='1'><e/><m:thumb/><n xmlns=''/><n/></f>";
    let select = |arguments: &[&str]| {
        let outcome = deltaic_with_input([&["select", "-", "--count"], arguments].concat(), feed);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (outcome.stdout, outcome.stderr)
    };
    let hint = |rest: &str| ("0\n".to_owned(), format!("hint: {rest}\n"));
    let no_namespace = "means an element in no namespace";
    let of_feed = "--ns n=urn:f has `n:e` select those there are";
    assert_eq!(select(&["//e"]), hint(&format!("`e` {no_namespace}; {of_feed}")));
    let of_media = "--ns m=urn:m has `m:thumb` select those there are";
    assert_eq!(select(&["/thumb[@e]"]), hint(&format!("`thumb` {no_namespace}; {of_media}")));
    assert_eq!(select(&["//e", "--ns", "a=urn:f"]), hint(&format!("`e` {no_namespace}; `a:e` is in that of `a`")));
    let taken = "--ns ns=urn:f has `ns:e` select those there are";
    assert_eq!(select(&["//e", "--ns", "n=urn:x"]), hint(&format!("`e` {no_namespace}; {taken}")));
    assert_eq!(select(&["//n[2]"]), ("0\n".to_owned(), String::new()));
    assert_eq!(select(&["//m:e", "--ns", "m=urn:m"]), ("0\n".to_owned(), String::new()));
    assert_eq!(select(&["//n:e", "--ns", "n=urn:f"]), ("1\n".to_owned(), String::new()));
}

/// Elements of drawings and formulas are in namespaces, which somebody who finds nothing may not know.
#[test]
fn names_that_lack_a_prefix_are_told() {
    let page = b"<p><svg><path d=''/></svg><math><mi>x</mi></math>";
    let select = |expression: &str| {
        let Outcome { code, stdout, stderr } =
            deltaic_with_input(["select", "--as", "html", "-", "--count", expression], page);
        assert_eq!(code, Some(0), "{stderr}");
        (stdout, stderr)
    };
    let hint = |bare: &str, name: &str| {
        format!("hint: `{bare}` means an element of HTML here; `{name}` selects those of the page\n")
    };
    assert_eq!(select("//svg"), ("0\n".to_owned(), hint("svg", "svg:svg")));
    assert_eq!(select("//p//mi[1]"), ("0\n".to_owned(), hint("mi", "math:mi")));
    assert_eq!(select("//svg:svg"), ("1\n".to_owned(), String::new()));
    assert_eq!(select("//p[. = 'svg']"), ("0\n".to_owned(), String::new()));
    assert_eq!(select("//@svg"), ("0\n".to_owned(), String::new()));
    assert_eq!(select("svg"), ("1\n".to_owned(), String::new()));
}

#[test]
fn selections_are_records_when_asked_to() {
    let select = |file: &str, expression: &str| deltaic(["select", &example(file), expression, "--json"]).done();
    expect_file("select.jsonl", &without_hashes(&select("menu-before.xml", "//dish[1]/name | //dish[1]/@id")));
    assert_eq!(select("menu-before.xml", "(count(//dish))"), "3.0\n");
    assert_eq!(select("menu-before.xml", "(//dish = 'x')"), "false\n");
    assert_eq!(select("menu-before.xml", "(string(//name))"), "\"Tomato soup\"\n");
}

#[test]
fn selections_that_cannot_be_say_why() {
    let menu = example("menu-before.xml");
    deltaic(["select", &menu, "//@p:eur"])
        .trouble("deltaic: `//@p:eur`: unknown namespace prefix `p`\nhint: --ns p=URI binds it");
    deltaic(["select", &menu, "--xpath", ".hours"])
        .trouble("deltaic: `.hours`: column 2: found `h`, expected an operator");
    deltaic(["select", &menu, "//dish["])
        .trouble("deltaic: `//dish[`: column 8: found the end, expected an expression");
    deltaic(["select", &menu, "dish["]).trouble("deltaic: `dish[`: column 6: found the end, expected a name or `*`");
    deltaic(["select", &menu, "dish = 'x'"]).trouble(
        "deltaic: `dish = 'x'`: column 6: found `=`, expected a selector\n\
         hint: this was read as a CSS selector; --xpath reads it as XPath",
    );
    deltaic(["select", &menu, "dish:not([id] /*a*/)"]).trouble(
        "deltaic: `dish:not([id] /*a*/)`: column 17: found `a`, expected an operator\n\
         hint: this was read as XPath; --css reads it as a CSS selector",
    );
    deltaic(["select", &menu, "--count", "count(//dish)"]).trouble(
        "deltaic: `count(//dish)`: found a value, expected an expression that selects nodes\n\
         hint: without --count the value is printed",
    );
    let long = format!("//{}[", "x".repeat(100_000));
    for arguments in [&["select", &menu, &long][..], &["locate", &menu, &menu, &long]] {
        let Outcome { code, stderr, .. } = deltaic(arguments);
        assert!(code == Some(2) && stderr.len() < 300 && stderr.contains('…'), "{stderr:.400}");
    }
    deltaic(["select", &menu, "//*[.//*]", "--max-steps", "5"])
        .trouble("deltaic: `//*[.//*]`: more than 5 steps\nhint: --max-steps N allows more");
}

#[test]
fn no_more_is_written_than_may_be() {
    // What is once in the source is written once for every node: what is in nested ones, namespaces.
    let nested = "<r><a><a>x</a></a><a/></r>";
    let prefixed = format!("<r xmlns:p='urn:{}'>{}</r>", "x".repeat(1000), "<p:a/>".repeat(100));
    let cases: [(&[&str], &str); 5] = [
        (&["select", "-", "//a"], nested),
        (&["select", "-", "a", "--json"], nested),
        (&["canon", "-"], &prefixed),
        (&["tree", "-", "--json"], &prefixed),
        (&["tree", "-", "--width", "0"], &prefixed),
    ];
    for (arguments, source) in cases {
        let written = |limit: usize| {
            let limit = ["--max-output-bytes", &limit.to_string()];
            deltaic_with_input([arguments, &limit].concat(), source.as_bytes())
        };
        let whole = deltaic_with_input(arguments, source.as_bytes()).done();
        assert_eq!(written(whole.len()).done(), whole, "{arguments:?}");
        for limit in [whole.len() - 1, whole.len() / 2, 0] {
            let outcome = written(limit);
            let told = format!("deltaic: more than {limit} bytes of output\nhint: --max-output-bytes N allows more");
            assert_eq!((outcome.code, outcome.stderr.trim_end()), (Some(2), &*told), "{arguments:?}");
            assert!(whole.starts_with(&outcome.stdout) && outcome.stdout.len() <= limit, "{arguments:?}");
        }
    }
}

#[test]
fn help_is_what_is_documented() {
    expect_file("help", &deltaic(["--help"]).done());
    for verb in [
        "diff",
        "htmldiff",
        "patch",
        "invert",
        "compose",
        "simulate",
        "tree",
        "canon",
        "select",
        "locate",
        "record",
        "history",
        "show",
        "pages",
        "seen",
        "trace",
        "blame",
        "changes",
        "stats",
        "verify",
        "prune",
        "backup",
        "export",
        "import",
        "compact",
        "completions",
        "man",
    ] {
        expect_file(&format!("help-{verb}"), &deltaic([verb, "--help"]).done());
    }
}

#[test]
fn completions_and_manual() {
    assert!(deltaic(["completions", "bash"]).done().contains("--max-nodes"));
    assert!(deltaic(["completions", "zsh"]).done().contains("#compdef deltaic"));
    assert!(deltaic(["man"]).done().starts_with(".ie"));
    assert!(deltaic(["man", "tree"]).done().contains("\\-\\-stats"));
    deltaic(["man", "dance"]).trouble("deltaic: unknown verb `dance`");
}

#[test]
fn bad_arguments_are_trouble() {
    for arguments in [
        &["dance"][..],
        &[],
        &["tree"],
        &["tree", "a", "b"],
        &["tree", "--as", "yaml", "a"],
        &["tree", "--max-nodes", "many", "a"],
        &["canon", "--stats", "a"],
        &["select", "a"],
        &["select", "a", "b", "--css", "--xpath"],
        &["select", "a", "b", "--ns", "nothing"],
        &["completions", "teletype"],
    ] {
        let outcome = deltaic(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(!outcome.stderr.is_empty());
    }
}

#[test]
fn bad_files_are_trouble() {
    let folder = scratch("bad_files");
    deltaic(["tree", "/nowhere/at/all.xml"]).trouble("deltaic: /nowhere/at/all.xml: no such file");
    deltaic(["tree", &folder]).trouble(&format!("deltaic: {folder}: this is a directory, expected a file"));
    let empty = write(&folder, "empty.json", b"");
    deltaic(["tree", &empty]).trouble(&format!("deltaic: {empty}: the file is empty, expected JSON"));
    deltaic(["tree", "--recover", &empty]).done();
    deltaic(["canon", "/dev/zero", "--max-bytes", "64k"])
        .trouble("deltaic: /dev/zero: more than 65536 bytes\nhint: --max-bytes N allows more");
    for name in ["zeros.xml", "zeros.json", "zeros"] {
        assert_eq!(deltaic(["tree", &write(&folder, name, &[0; 100])]).code, Some(2), "{name}");
    }
}

#[test]
fn errors_say_where_and_what_helps() {
    deltaic_with_input(["tree", "-"], b"<a>\n  <b></a>").trouble(
        "deltaic: -: line 2, column 6: found `</a`; expected `</b>`\nhint: --as html reads it as a page, --recover reads on and says what is wrong",
    );
    deltaic_with_input(["canon", "-", "--as", "json"], b"[1,\n 2 3]").trouble(
        "deltaic: -: line 2, column 4: found `3`, expected `,` or `]`\nhint: --recover reads on and says what is wrong",
    );
    for arguments in [&["tree", "-"][..], &["tree", "-", "--recover"]] {
        deltaic_with_input(arguments, b"\xFF\xFE\0\0<\0\0\0a\0\0\0/\0\0\0>\0\0\0").trouble(
            "deltaic: -: the document is in UTF-32LE, which is not read; expected UTF-8, UTF-16 or another encoding of the web\n\
             hint: iconv -f UTF-32LE -t UTF-8 converts it; --encoding utf-8 then reads it, whatever it declares",
        );
    }
    deltaic_with_input(["tree", "-", "--max-nodes", "2"], b"[1, 2]")
        .trouble("deltaic: -: line 1, column 2: more than 2 nodes\nhint: --max-nodes N allows more");
    deltaic_with_input(["tree", "-", "--max-depth", "1"], b"[[]]")
        .trouble("deltaic: -: line 1, column 2: more than 1 levels of nesting\nhint: --max-depth N allows more");
}

#[test]
fn recovery_warns_and_goes_on() {
    let outcome = deltaic_with_input(["canon", "-", "--recover"], b"[1,\n 2 3,]");
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(0), "[1,2,3]"));
    let expected = "-:2:4: warning: found `3`, expected `,` or `]`\n-:2:6: warning: found `]`, expected a value\n";
    assert_eq!(outcome.stderr, expected);
}

#[test]
fn formats_are_guessed_or_told() {
    assert!(deltaic_with_input(["tree", "-"], b" {\"a\": 1}").done().contains("a: 1"));
    assert!(deltaic_with_input(["tree", "/dev/stdin"], b"<a/>").done().starts_with("a\n"));
    assert!(deltaic_with_input(["tree", "-"], b"<!doctype HTML><p>x").done().contains("  body"));
    assert!(deltaic_with_input(["tree", "-", "--as", "json"], b"\"<a/>\"").done().starts_with("\"<a/>\""));
}

#[test]
fn whitespace_counts_when_asked_to() {
    let source = b"<a> <b/> </a>";
    assert_eq!(deltaic_with_input(["tree", "-"], source).done(), "a\n  b\n");
    let exact = deltaic_with_input(["tree", "-", "--whitespace", "exact"], source).done();
    assert_eq!(exact, "a\n  \" \"\n  b\n  \" \"\n");
}

#[test]
fn whitespace_counts_in_canonical_forms_unless_told_otherwise() {
    let source = b"<a> <b/> </a>";
    assert_eq!(deltaic_with_input(["canon", "-"], source).done(), "<a> <b></b> </a>");
    let layout = deltaic_with_input(["canon", "-", "--whitespace", "layout"], source).done();
    assert_eq!(layout, "<a><b></b></a>");
}

#[test]
fn lines_are_as_wide_as_asked_for() {
    let source = format!("<a b='{}'>{}</a>", "x".repeat(100), "é".repeat(100));
    let width = |arguments: &[&str]| {
        let outline = deltaic_with_input(arguments, source.as_bytes()).done();
        outline.lines().map(|line| line.chars().count()).max()
    };
    assert_eq!(width(&["tree", "-"]), Some(80));
    assert_eq!(width(&["tree", "-", "--width", "40"]), Some(40));
    assert_eq!(width(&["tree", "-", "--width", "0"]), Some(106));
    assert_eq!(width(&["tree", "-", "--width", "5"]), Some(32), "30 behind the indentation");
}

#[test]
fn colour_is_for_terminals() {
    let menu = example("menu-before.xml");
    assert!(!deltaic(["tree", &menu]).done().contains('\x1b'));
    assert!(deltaic::with_variables(["tree", &menu], &[("CLICOLOR_FORCE", "1")]).done().contains('\x1b'));
    let both = [("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")];
    assert!(!deltaic::with_variables(["tree", &menu], &both).done().contains('\x1b'));
}

#[test]
fn documents_do_not_talk_to_the_terminal() {
    let source = "[\"\\u001b[2J\", \"\\u009b1m\", \"\\u202eabc\"]";
    let outline = deltaic_with_input(["tree", "-"], source.as_bytes()).done();
    assert_eq!(outline, "array\n  \"\\u{1b}[2J\"\n  \"\\u{9b}1m\"\n  \"\\u{202e}abc\"\n");
    let outcome = deltaic_with_input(["tree", "-"], b"[\x1b[2J]");
    assert_eq!(outcome.code, Some(2));
    assert!(!outcome.stderr.contains('\x1b'));
}

#[test]
fn deep_documents_are_not_wide() {
    const DEPTH: usize = 100_000;
    let source = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    let outline = deltaic_with_input(["tree", "-"], source.as_bytes()).done();
    assert_eq!(outline.lines().count(), DEPTH);
    assert!(outline.lines().all(|line| line.len() < 100));
    assert_eq!(outline.lines().last().map(str::trim), Some("(99999) empty array"));
    assert_eq!(deltaic_with_input(["tree", "--json", "-"], source.as_bytes()).done().lines().count(), DEPTH + 1);
}

#[test]
fn a_closed_pipe_is_no_trouble() {
    let source = format!("[{}0]", "1,".repeat(200_000));
    for arguments in [&["tree", "-"][..], &["tree", "--json", "-"], &["canon", "-"]] {
        let outcome = deltaic::with_closed_stdout(arguments, source.as_bytes());
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    }
}

/// Every sibling declares the namespace, so that 800 KB make ten gigabytes: whoever has seen enough need not wait for
/// them, and nothing holds them.
#[test]
fn canonical_forms_are_written_as_they_come() {
    let source = format!("<a xmlns:n='urn:{}'>{}</a>", "x".repeat(100_000), "<n:b/>".repeat(100_000));
    let outcome = deltaic::with_closed_stdout(["canon", "-"], source.as_bytes());
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
}

/// A canonical form has no DOCTYPE, so what it refers to is nowhere.
#[test]
fn canonical_forms_that_cannot_be_read_again_are_told() {
    let canon = |source: &str| {
        let outcome = deltaic_with_input(["canon", "-"], source.as_bytes());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (outcome.stdout, outcome.stderr)
    };
    let warning = |reference: &str| {
        format!(
            "deltaic: warning: -: the canonical form has references to what is not in the document, \
             `{reference}` first, and cannot be read again without its DTD\n"
        )
    };
    let dtd = "<!DOCTYPE a SYSTEM 'x.dtd'>";
    assert_eq!(canon(&format!("{dtd}<a>&foo; &bar;</a>")), ("<a>&foo; &bar;</a>".to_owned(), warning("&foo;")));
    assert_eq!(canon(&format!("{dtd}<a b='&u;'/>")), ("<a b=\"&u;\"></a>".to_owned(), warning("&u;")));
    let external = "<!DOCTYPE a [<!ENTITY e SYSTEM 'e.xml'>]><a>&e;</a>";
    assert_eq!(canon(external), ("<a>&e;</a>".to_owned(), warning("&e;")));
    let known = "<a><!--&foo;-->&amp;foo;&lt;</a>";
    assert_eq!(canon(&format!("{dtd}{known}")), (known.to_owned(), String::new()));
}

#[test]
fn canonical_html_does_not_depend_on_the_order_of_attributes() {
    let canon = |source: &str| deltaic_with_input(["canon", "--as", "html", "-"], source.as_bytes()).done();
    let form = "<html><head></head><body><p class=\"a\" id=\"b\" title=\"c\">x</p></body></html>";
    assert_eq!(canon("<p title=c id=b class=a>x"), form);
    assert_eq!(canon("<p id=b class='a' title=\"c\">x"), form);
}

/// Whatever is left of a file: an answer or an error, never a crash.
#[test]
fn every_way_of_stopping_short_has_an_answer() {
    let folder = scratch("stopping_short");
    for (name, source) in [
        (
            "short.xml",
            "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e 'é'>]><a b='1'>&e;<!--c--><?d e?><![CDATA[f]]></a>",
        ),
        (
            "short.html",
            "<!DOCTYPE html><title>a</title><p class='b'>c&eacute;<b>d<table><td>e<script>f</script><!--g-->",
        ),
        ("short.json", r#"{"a": [1.5e3, true, null, "é\u00e9\n"], "b": {}} "#),
    ] {
        for end in 0..source.len() {
            let file = write(&folder, name, &source.as_bytes()[..end]);
            for arguments in
                [&["tree", &file][..], &["tree", "--recover", "--json", &file], &["canon", "--recover", &file]]
            {
                let Outcome { code, stderr, .. } = deltaic(arguments);
                assert!(matches!(code, Some(0 | 2)), "{arguments:?} of {end} bytes: {code:?} {stderr}");
            }
        }
    }
}

/// Lines of JSON without the hashes: what a hash must be is for the library's tests.
fn without_hashes(lines: &str) -> String {
    const START: &str = "\"hash\":\"";
    const DIGITS: usize = 16;
    let pieces: Vec<&str> = lines.split(START).collect();
    let is_hash = |piece: &&str| piece[..DIGITS].bytes().all(|digit| digit.is_ascii_hexdigit());
    assert!(pieces[1..].iter().all(is_hash), "{lines}");
    let rest: Vec<String> = pieces[1..].iter().map(|piece| format!("{START}…{}", &piece[DIGITS..])).collect();
    format!("{}{}", pieces[0], rest.concat())
}

fn write(folder: &str, name: &str, content: &[u8]) -> String {
    let file = PathBuf::from(folder).join(name);
    fs::write(&file, content).unwrap();
    file.to_str().unwrap().to_owned()
}
