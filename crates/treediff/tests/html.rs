//! What holds of every page? Laws of the HTML parser and serialiser, and the limits.

mod support;

use proptest::prelude::*;
use treediff::parse::{self, Limits, Options, ParseError, Whitespace};
use treediff::tree::{Document, Kind, Node};
use treediff::write;

fn exact(source: impl Into<Vec<u8>>) -> Document {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    parse::html(source, &options).unwrap().document
}

fn body(document: &Document) -> Node<'_> {
    document.root_element().unwrap().last_child().unwrap()
}

/// The body's inner HTML.
fn inner(source: impl Into<Vec<u8>>) -> String {
    let document = exact(source);
    body(&document).children().map(write::html_subtree).collect()
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(inner(source), expected, "{source:?}");
}

#[test]
fn texts_are_joined_over_what_is_left_out() {
    check("a</x>b&amp;</y>c", "ab&amp;c");
    check("a\0b", "ab");
    check("<svg>a\0b<![CDATA[&lt;\r\n]]>c</svg>", "<svg>a\u{fffd}b&amp;lt;\nc</svg>");
    check("<svg><![CDATA[a\0]]><title><![CDATA[b\0]]>", "<svg>a\u{fffd}<title>b</title></svg>");
    check("<table>a</x> b<tr></table>", "a b<table><tbody><tr></tr></tbody></table>");
}

/// A page whose `meta` is further down than the encoding is looked for.
fn late(meta: &str, text: &[u8]) -> Vec<u8> {
    let head = format!("<!DOCTYPE html><head><title>{}</title>{meta}</head><p>", "x".repeat(1100));
    [head.as_bytes(), text].concat()
}

#[test]
fn a_late_meta_names_the_encoding() {
    let check = |meta: &str, text: &[u8], encoding: &str, expected: &str| {
        let source = late(meta, text);
        let document = exact(source.clone());
        assert_eq!(document.encoding(), encoding, "{meta}");
        assert_eq!(body(&document).string_value(), expected, "{meta}");
        assert_eq!(write::source(&document), source, "{meta}");
    };
    check("<meta charset=big5>", b"\xA4\xA4\xA4\xE5", "Big5", "中文");
    check("<meta charset=euc-kr>", b"\xC7\xD1", "EUC-KR", "한");
    check("<meta charset=iso-8859-7>", b"\xE1", "ISO-8859-7", "α");
    check("<meta charset=windows-1257>", b"\xE0", "windows-1257", "ą");
    check("<meta charset=macintosh>", b"caf\x8E", "macintosh", "café");
    check("<meta charset=koi8-r>", b"\xC1", "KOI8-R", "а");
    check("<meta http-equiv=CONTENT-TYPE content='text/html; CharSet=koi8-r'>", b"\xC1", "KOI8-R", "а");
    // Bytes that would be UTF-8 are what the page says, as in browsers.
    check("<meta charset=latin1>", "é".as_bytes(), "windows-1252", "Ã©");
    check("<meta charset=utf-16>", "é".as_bytes(), "UTF-8", "é");
    check("<meta charset=x-user-defined>", b"\xE9", "windows-1252", "é");
    check("<meta charset=iso-2022-jp>", b"\x1B$B$\x22\x1B(B", "ISO-2022-JP", "あ");
    check("<meta charset=utf-8>", b"a\xFF", "UTF-8", "a\u{fffd}");
    // What is the same in both is not read again.
    check("<meta charset=koi8-r>", b"a", "KOI8-R", "a");
    // The first that names one counts, if it is an element.
    check(
        "<meta charset=nonsense><meta content='charset=big5'><meta charset=koi8-r><meta charset=big5>",
        b"\xC1",
        "KOI8-R",
        "а",
    );
    check("<!--<meta charset=big5>--><script>'<meta charset=big5>'</script>", "é".as_bytes(), "UTF-8", "é");
    check("<svg><meta-x charset=big5></svg>", "é".as_bytes(), "UTF-8", "é");
}

#[test]
fn a_late_meta_is_late_where_the_encoding_is_known() {
    let told = Options { encoding: Some("koi8-r".into()), ..Options::default() };
    let document = parse::html(late("<meta charset=big5>", b"\xC1"), &told).unwrap().document;
    assert_eq!(body(&document).string_value(), "а");
    let marked = exact([b"\xEF\xBB\xBF", late("<meta charset=big5>", "é".as_bytes()).as_slice()].concat());
    assert_eq!(body(&marked).string_value(), "é");
    let declared = exact([b"<meta charset=koi8-r>", late("<meta charset=big5>", b"\xC1").as_slice()].concat());
    assert_eq!(body(&declared).string_value(), "а");
}

#[test]
fn line_ends_are_line_feeds() {
    check("a\r\nb\rc<p title='x\r\ny'>", "a\nb\nc<p title=\"x\ny\"></p>");
    check("<body><script>a\r\n\0</script>", "<script>a\n\u{fffd}</script>");
    check("<!--a\r\n--><!--b-->", "");
    let comments: Vec<String> =
        exact("<p><!--a\r--><!--b&amp;-->").nodes().map(|node| node.value().into_owned()).collect();
    assert_eq!(comments[5..], ["a\n", "b&amp;"]);
}

#[test]
fn the_first_newline_of_a_pre_is_left_out() {
    for newline in ["\n", "\r", "\r\n", "&#10;"] {
        check(&format!("<pre>{newline}a</pre>"), "<pre>a</pre>");
        check(&format!("<textarea>{newline}a</textarea>"), "<textarea>a</textarea>");
    }
    check("<pre>\n\na</pre>", "<pre>\n\na</pre>");
    check("<pre><b>\na</b></pre>", "<pre><b>\na</b></pre>");
}

#[test]
fn scripts_end_where_browsers_end_them() {
    check("<body><script><!--<script></script>--></script>x", "<script><!--<script></script>--></script>x");
    check("<body><script><!--></script>x", "<script><!--></script>x");
    check("<body><script><!-- <script> --></script>x", "<script><!-- <script> --></script>x");
    check("<body><script></scriptx></script >x", "<script></scriptx></script>x");
    check("<body><title></TITLE/>x", "<title></title>x");
}

#[test]
fn attributes_are_the_first_of_their_name() {
    check("<p ID=1 id=2 a b='' c=x/>", "<p id=\"1\" a=\"\" b=\"\" c=\"x/\"></p>");
}

#[test]
fn formatting_goes_on_in_blocks() {
    check("<b>1<p>2</b>3</p>", "<b>1</b><p><b>2</b>3</p>");
    check("<p><b><i>x<p>y", "<p><b><i>x</i></b></p><p><b><i>y</i></b></p>");
    check("<a href=1>x<a href=2>y", "<a href=\"1\">x</a><a href=\"2\">y</a>");
}

#[test]
fn values_hash_as_what_they_stand_for() {
    let pairs = [
        ("<p>caf&eacute; &amp; t\r\nea", "<p>café &amp t\nea"),
        ("<p title='&#65;\r\n'>", "<p title='A\n'>"),
        ("<script>1\r\n</script>", "<script>1\n</script>"),
        ("<p>a</x>b", "<p>ab"),
        ("<svg viewbox=1>", "<svg viewBox=1>"),
    ];
    for (one, other) in pairs {
        assert_eq!(exact(one).hashes()[0], exact(other).hashes()[0], "{one:?} and {other:?}");
        assert!(exact(one).root().same_content(exact(other).root()), "{one:?} and {other:?}");
    }
}

#[test]
fn white_space_between_elements_is_layout_unless_preserved() {
    let parse = |source: &str| parse::html(source, &Options::default()).unwrap().document;
    assert!(parse("<ul> <li>a</li> <li>b</li> </ul>").root().same_content(parse("<ul><li>a<li>b</ul>").root()));
    let pre = parse("<pre> <b>a</b> <b>b</b> </pre>");
    assert_eq!(body(&pre).first_child().unwrap().children().count(), 5);
}

#[test]
fn elements_know_their_place_in_the_source() {
    let source = "<!DOCTYPE html><ul><li>one<li>t<b>w</b>o</ul><table><td>x</table>y";
    let document = exact(source);
    let places: Vec<(&str, Option<&str>)> = document
        .nodes()
        .filter(|node| node.is_element())
        .map(|node| (node.name().local, node.source_range().map(|range| &source[range])))
        .collect();
    let expected = [
        ("html", None),
        ("head", None),
        ("body", None),
        ("ul", Some("<ul><li>one<li>t<b>w</b>o</ul>")),
        ("li", Some("<li>one")),
        ("li", Some("<li>t<b>w</b>o")),
        ("b", Some("<b>w</b>")),
        ("table", Some("<table><td>x</table>")),
        ("tbody", None),
        ("tr", None),
        ("td", Some("<td>x")),
    ];
    assert_eq!(places, expected);
    assert_eq!(document.doctype(), Some("<!DOCTYPE html>"));
}

#[test]
fn foreign_names_have_their_namespaces() {
    let document = exact("<svg><lineargradient xlink:href=#a xml:lang=en viewbox=1 /></svg><math definitionurl=x>");
    let gradient = document.nodes().find(|node| node.name().local == "linearGradient").unwrap();
    assert_eq!(gradient.name().namespace, "http://www.w3.org/2000/svg");
    assert_eq!(gradient.attribute("http://www.w3.org/1999/xlink", "href").unwrap(), "#a");
    assert_eq!(gradient.attribute("http://www.w3.org/XML/1998/namespace", "lang").unwrap(), "en");
    assert_eq!(gradient.attribute("", "viewBox").unwrap(), "1");
    let math = document.nodes().find(|node| node.name().local == "math").unwrap();
    assert_eq!(math.attribute("", "definitionURL").unwrap(), "x");
}

#[test]
fn tables_stay_in_paragraphs_only_in_quirks_mode() {
    check("<p><table>", "<p><table></table></p>");
    check("<!DOCTYPE html><p><table>", "<p></p><table></table>");
    check("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p><table>", "<p><table></table></p>");
    check("<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 4.01 Transitional//EN'><p><table>", "<p><table></table></p>");
    check("<!DOCTYPE html SYSTEM 'about:legacy-compat'><p><table>", "<p></p><table></table>");
}

#[test]
fn issues_say_what_and_where() {
    let issues = |source: &str, max_issues: usize| -> Vec<String> {
        let options = Options { limits: Limits { max_issues, ..Limits::default() }, ..Options::default() };
        parse::html(source, &options).unwrap().issues.iter().map(ToString::to_string).collect()
    };
    let source = "<!DOCTYPE html>\n<p a a>é&nosuch;\n<div></b>\n<svg/><p/>&#0;";
    let expected = [
        "line 2, column 6: duplicate attribute",
        "line 2, column 9: unknown named character reference",
        "line 3, column 6: unexpected end tag `b`",
        "line 4, column 7: `p` is not a void element, so `/>` does not close it",
        "line 4, column 11: null character reference",
        "line 4, column 15: unexpected end of file, elements are still open",
    ];
    assert_eq!(issues(source, 100)[..5], expected[..5]);
    assert_eq!(issues("<!DOCTYPE html></a></b></i>", 2)[1], "line 1, column 20: unexpected end tag `b` (and 1 more)");
    assert_eq!(issues("<p>", 10), ["line 1, column 1: expected a doctype before anything else"]);
}

#[test]
fn limits_name_their_option() {
    let error = |source: &str, limits: Limits| {
        parse::html(source, &Options { limits, ..Options::default() }).unwrap_err().to_string()
    };
    assert_eq!(
        error("<p>12345", Limits { max_bytes: 5, ..Limits::default() }),
        "more than 5 bytes; raise `--max-bytes` to allow it"
    );
    assert_eq!(
        error("<p>1<p>2", Limits { max_nodes: 6, ..Limits::default() }),
        "line 1, column 5: more than 6 nodes; raise `--max-nodes` to allow it"
    );
    assert_eq!(
        error("<div><div><div>", Limits { max_depth: 4, ..Limits::default() }),
        "line 1, column 11: more than 4 levels of nesting; raise `--max-depth` to allow it"
    );
    assert_eq!(
        error("<p a b c>", Limits { max_attributes: 2, ..Limits::default() }),
        "line 1, column 8: more than 2 attributes of one element; raise `--max-attributes` to allow it"
    );
    assert_eq!(
        error("<p><b a b c d e>x<p>y<p>z", Limits { max_nodes: 14, ..Limits::default() }),
        "line 1, column 25: more than 14 attributes of all elements; raise `--max-nodes` to allow it"
    );
}

/// Elements that are opened again may have any number of bytes in their attributes.
fn reopening_any() -> Options {
    let limits = Limits { max_reopened_bytes: usize::MAX, ..Limits::default() };
    Options { limits, whitespace: Whitespace::Exact, ..Options::default() }
}

/// What is cloned has its attributes again: 450 KB of page would have 120 million of them, which is told in time.
#[test]
fn clones_count_with_their_attributes() {
    let attributes: String = (0..60_000).map(|number| format!(" a{number}")).collect();
    let page = |paragraphs: usize| format!("<p><b{attributes}>x{}", "<p>y".repeat(paragraphs));
    let few = exact(page(10));
    assert_eq!(few.nodes().map(|node| node.attribute_count() as usize).sum::<usize>(), 11 * 60_000);
    let error = parse::html(page(2_000), &reopening_any()).unwrap_err();
    assert!(matches!(error, ParseError::Limit { what: "attributes of all elements", option: "--max-nodes", .. }));
}

/// A value that many clones have is read once: a megabyte of it thirty thousand times would take hours.
#[test]
fn clones_do_not_read_their_values_again() {
    let page = format!("<p><b title='{}'>x{}", "&amp;".repeat(200_000), "<p>y".repeat(30_000));
    let document = parse::html(page, &reopening_any()).unwrap().document;
    let hashes: std::collections::HashSet<u64> =
        document.nodes().filter(|node| node.name().local == "b").skip(1).map(|node| node.hash()).collect();
    assert_eq!(hashes.len(), 1);
    let alone = exact(format!("<p><b title='{}'>y", "&".repeat(200_000)));
    let alone = alone.nodes().find(|node| node.name().local == "b").unwrap();
    assert!(hashes.contains(&alone.hash()));
}

/// Only an input that is not hidden keeps a frameset from taking the place of the body, or stays before a table.
#[test]
fn inputs_are_hidden_by_what_their_type_stands_for() {
    for hidden in ["hidden", "HIDDEN", "hid&#100;en", "&#x48;idden"] {
        let table = format!("<table><input type=\"{hidden}\"></table>");
        assert!(inner(table.as_str()).starts_with("<table><input"), "{hidden}");
        let frames = exact(format!("<input type=\"{hidden}\"><frameset>"));
        assert_eq!(body(&frames).name().local, "frameset", "{hidden}");
    }
    for shown in ["text", "hid&amp;#100;en", "hidden ", ""] {
        let table = format!("<table><input type=\"{shown}\"></table>");
        assert!(inner(table.as_str()).starts_with("<input"), "{shown}");
        let frames = exact(format!("<input type=\"{shown}\"><frameset>"));
        assert_eq!(body(&frames).name().local, "body", "{shown}");
    }
}

#[test]
fn hostile_pages_are_read() {
    let many = 30_000;
    let numbered =
        |start: &str, end: &str| -> String { (0..many).map(|number| format!("{start}{number}{end}")).collect() };
    let pages = [
        "<b>".repeat(many),
        "<div>".repeat(many),
        "<table><td>".repeat(many),
        format!("<b>{}{}", "<span><div>".repeat(many), "</b>".repeat(many)),
        format!("<b>{}{}{}", numbered("<i id=", ">"), "<div>".repeat(many), "</b>".repeat(many)),
        format!("<svg>{}{}", "<g>".repeat(many), "</x>".repeat(many)),
        format!("{}{}", "<span>".repeat(many), "</foo>".repeat(many)),
        format!("{}{}", "<div>".repeat(many), "<li></li><table></table>".repeat(many)),
        "<table><b><tr>".repeat(many),
        format!("<table>{}", "y</x> </x>".repeat(many)),
        format!("<p><button><span>{}", "<div>".repeat(many)),
        numbered("<a id=", "><div>"),
        numbered("<body a", "=1>"),
        format!("<p {}>", "a ".repeat(many)),
        "a\0".repeat(many),
        "<select><option>".repeat(many),
        "</p>".repeat(many),
    ];
    for page in pages {
        let document = exact(page);
        assert_eq!(document.ends()[0] as usize, document.len());
    }
}

/// Truncated anywhere, a page is still read.
#[test]
fn every_prefix_is_read() {
    let source = "<!DOCTYPE html PUBLIC \"a\" 'b'><html lang=\"en\"><!-- c --!><title>&lt;&#x41;</title><script><!--x--></script>\
                  <svg><![CDATA[x]]><g xlink:href='y'/></svg><table><tr><td a=b c>é\0\r\n</table><b><p>x</b></p></html>";
    for end in (0..=source.len()).filter(|&end| source.is_char_boundary(end)) {
        exact(&source[..end]);
        exact(&source.as_bytes()[..end.saturating_sub(1)]);
    }
}

#[test]
fn canonical_forms_have_sorted_attributes_and_are_else_as_html_is_written() {
    let page = exact("<!doctype html><svg xml:lang=a z=1 b=2 xlink:href=c></svg><br id=y class=x>");
    let canonical = "<!doctype html><html><head></head><body>\
                     <svg b=\"2\" z=\"1\" xlink:href=\"c\" xml:lang=\"a\"></svg><br class=\"x\" id=\"y\"></body></html>";
    assert_eq!(write::canonical_html(&page), canonical);
    let other = exact("<!doctype html><svg z=1 b=3></svg>");
    assert_ne!(write::canonical_html(&page), write::canonical_html(&other));
    let sorted = exact("<a b=1 c=2>x</a><pre>\n\ny</pre><!--z-->");
    assert_eq!(write::canonical_html(&sorted), write::html(&sorted));
}

/// A page of the corpus, written and read again, has the same tree.
#[test]
fn ordinary_pages_survive_being_written() {
    let Some(corpus) = support::corpus() else { return };
    let pages = ["ietf-rfc-html", "openbsd-www", "jj-docs", "terms-pages", "cluster-python-sphinx"]
        .iter()
        .flat_map(|family| support::files_below(&corpus.join(family), support::HTML_EXTENSIONS));
    for page in pages.step_by(7) {
        let document = exact(std::fs::read(&page).unwrap());
        let options = Options { whitespace: Whitespace::Exact, encoding: Some("utf-8".into()), ..Options::default() };
        let again = parse::html(write::html(&document), &options).unwrap().document;
        assert!(document.root().same_content(again.root()), "{}", page.display());
    }
}

/// Pieces that pages, good and bad, are made of.
const PIECES: [&str; 96] = [
    "<a>",
    "</a>",
    "<a href=x>",
    "<b>",
    "</b>",
    "<i>",
    "</i>",
    "<p>",
    "</p>",
    "<div>",
    "</div>",
    "<span>",
    "</span>",
    "<table>",
    "</table>",
    "<tr>",
    "</tr>",
    "<td>",
    "</td>",
    "<th>",
    "<tbody>",
    "</tbody>",
    "<caption>",
    "</caption>",
    "<colgroup>",
    "<col>",
    "<select>",
    "</select>",
    "<option>",
    "<optgroup>",
    "<ul>",
    "</ul>",
    "<li>",
    "</li>",
    "<dl>",
    "<dt>",
    "<dd>",
    "</dd>",
    "<h1>",
    "</h1>",
    "<h2>",
    "<form>",
    "</form>",
    "<input>",
    "<button>",
    "</button>",
    "<textarea>",
    "</textarea>",
    "<title>",
    "</title>",
    "<script>",
    "</script>",
    "<style>",
    "</style>",
    "<template>",
    "</template>",
    "<svg>",
    "</svg>",
    "<math>",
    "</math>",
    "<mi>",
    "<foreignObject>",
    "<desc>",
    "<annotation-xml>",
    "<html lang=x>",
    "<head>",
    "</head>",
    "<body class=y>",
    "</body>",
    "</html>",
    "<frameset>",
    "<frame>",
    "<noscript>",
    "</noscript>",
    "<pre>",
    "\n",
    " ",
    "x",
    "é",
    "\0",
    "\r\n",
    "&amp;",
    "&lt",
    "&#32;",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE html>",
    "<nobr>",
    "<br/>",
    "</br>",
    "<object>",
    "</object>",
    "<font size=1>",
    "<plaintext>",
];

const ATTRIBUTES: [&str; 7] =
    ["id=a", "CLASS='b c'", "title=\"&amp;\"", "xlink:href=d", "xml:lang=e", "href", "xmlns:xlink=g"];

/// A start tag twice, with the same attributes in two orders.
fn tag_in_two_orders() -> impl Strategy<Value = [String; 2]> {
    let attributes = prop::sample::subsequence(ATTRIBUTES.to_vec(), 0..=ATTRIBUTES.len());
    (prop::sample::select(vec!["html", "p", "b", "svg", "g", "table", "td", "pre"]), attributes).prop_flat_map(
        |(name, attributes)| {
            let tag = move |attributes: Vec<&str>| format!("<{name} {}>x", attributes.join(" "));
            [Just(attributes.clone()).prop_shuffle(), Just(attributes).prop_shuffle()]
                .prop_map(move |orders| orders.map(tag))
        },
    )
}

proptest! {
    #[test]
    fn any_bytes_are_read(source in prop::collection::vec(any::<u8>(), 0..300)) {
        exact(source);
    }

    #[test]
    fn any_soup_has_a_sound_tree(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60)) {
        let source = pieces.concat();
        for whitespace in [Whitespace::Exact, Whitespace::Layout] {
            let document = parse::html(source.as_str(), &Options { whitespace, ..Options::default() }).unwrap().document;
            prop_assert_eq!(document.root_element().unwrap().name().local, "html");
            for node in document.nodes().skip(1) {
                let parent = node.parent().unwrap();
                prop_assert!(parent.id() < node.id() && node.end() <= parent.end());
                if let Some(range) = node.source_range() {
                    let written = document.source().get(range);
                    prop_assert!(written.is_some_and(|written| !node.is_element() || written.starts_with('<')));
                }
                if !node.is_element() {
                    prop_assert!(!node.value().contains(['\0', '\r']));
                    prop_assert!(node.kind() != Kind::Text || !node.value().is_empty());
                }
            }
        }
    }

    /// Equal content has one canonical form.
    #[test]
    fn canonical_forms_are_equal_where_hashes_are(tags in prop::collection::vec(tag_in_two_orders(), 0..12)) {
        let [one, other] = [0, 1].map(|order| exact(tags.iter().map(|tag| tag[order].as_str()).collect::<String>()));
        prop_assert_eq!(one.root().hash(), other.root().hash());
        prop_assert_eq!(write::canonical_html(&one), write::canonical_html(&other));
    }

    #[test]
    fn no_limit_is_exceeded_in_silence(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60), max_nodes in 4usize..30) {
        let options = Options {
            whitespace: Whitespace::Exact,
            limits: Limits { max_nodes, ..Limits::default() },
            ..Options::default()
        };
        match parse::html(pieces.concat(), &options) {
            Ok(parsed) => prop_assert!(parsed.document.len() <= max_nodes),
            Err(error) => {
                let is_about_nodes = matches!(error, ParseError::Limit { option: "--max-nodes", .. });
                prop_assert!(is_about_nodes);
            }
        }
    }
}
