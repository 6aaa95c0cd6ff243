//! What does hostile input do? It gets an answer: a document, or an error that says what to change. Sizes are those
//! that somebody could send, not smaller.

use std::fmt;

use treediff::parse::{self, Limits, Options, ParseError, Parsed};
use treediff::tree::{Document, Format, Kind};
use treediff::write;

const FORMATS: [Format; 3] = [Format::Xml, Format::Html, Format::Json];
const DEEP: usize = 1_000_000;
const WIDE: usize = 10_000_000;

fn parse(source: impl Into<Vec<u8>>, format: Format) -> Result<Parsed, ParseError> {
    parse::parse(source, format, &Options::default())
}

fn accepted(source: impl Into<Vec<u8>>, format: Format) -> Document {
    parse(source, format).unwrap_or_else(|error| panic!("{format:?}: {error}")).document
}

/// The deepest node's distance from the root, by the parents alone.
fn depth(document: &Document) -> usize {
    let mut depths = vec![0usize; document.len()];
    for (node, &parent) in document.parents().iter().enumerate().skip(1) {
        depths[node] = depths[parent as usize] + 1;
    }
    depths.into_iter().max().unwrap_or(0)
}

#[test]
fn xml_may_be_a_million_deep() {
    let document = accepted("<a>".repeat(DEEP) + &"</a>".repeat(DEEP), Format::Xml);
    assert_eq!(depth(&document), DEEP);
    assert_eq!(document.clone().root().string_value(), "");
    let form = treediff::write::canonical(&document);
    assert_eq!(accepted(form, Format::Xml).root().hash(), document.root().hash());
}

#[test]
fn json_may_be_a_million_deep() {
    let document = accepted("[".repeat(DEEP) + &"]".repeat(DEEP), Format::Json);
    assert_eq!(depth(&document), DEEP);
    let form = treediff::write::canonical_json(&document);
    assert_eq!(accepted(form, Format::Json).root().hash(), document.root().hash());
    let members = r#"{"a":"#.repeat(DEEP) + "1" + &"}".repeat(DEEP);
    assert_eq!(depth(&accepted(members, Format::Json)), DEEP + 1);
}

#[test]
fn html_may_be_a_million_deep() {
    for tag in ["<div>", "<span>", "<b>", "<svg>"] {
        let document = accepted(tag.repeat(DEEP), Format::Html);
        assert!(document.len() > DEEP, "{tag}: {} nodes", document.len());
    }
}

#[test]
fn a_node_may_have_ten_million_children() {
    let xml = accepted(format!("<r>{}</r>", "<i/>".repeat(WIDE)), Format::Xml);
    assert_eq!(xml.root_element().unwrap().children().count(), WIDE);
    drop(xml);
    let html = accepted("<br>".repeat(WIDE), Format::Html);
    assert!(html.len() > WIDE);
    drop(html);
    let json = accepted(format!("[{}1]", "1,".repeat(WIDE - 1)), Format::Json);
    assert_eq!(json.root_element().unwrap().children().count(), WIDE);
}

#[test]
fn a_value_may_have_two_hundred_megabytes() {
    const LONG: usize = 200_000_000;
    let value = "x".repeat(LONG);
    for format in [Format::Xml, Format::Html] {
        let document = accepted(format!("<p a=\"{value}\"></p>"), format);
        let element = document.nodes().find(|node| node.name().local == "p").unwrap();
        assert_eq!(element.attribute("", "a").map(|value| value.len()), Some(LONG));
    }
    let json = accepted(format!("\"{value}\""), Format::Json);
    assert_eq!(json.root_element().unwrap().value().len(), LONG);
}

/// Ten entities, each of ten of the one before.
#[test]
fn a_billion_laughs_are_too_many() {
    let laughs = (1..10).map(|n| format!("<!ENTITY l{n} \"{}\">", format!("&l{};", n - 1).repeat(10)));
    let subset = laughs.fold("<!ENTITY l0 \"lol\">".to_owned(), |all, one| all + &one);
    for place in ["<a>&l9;</a>", "<a b=\"&l9;\"/>"] {
        assert_exceeds("--max-entity-bytes", parse(format!("<!DOCTYPE a [{subset}]>{place}"), Format::Xml));
    }
}

/// One long entity, very often: no nesting, and yet the square of the source.
#[test]
fn quadratic_entities_are_too_many() {
    let long = "x".repeat(100_000);
    let often = "&long;".repeat(100_000);
    let source = format!("<!DOCTYPE a [<!ENTITY long \"{long}\">]><a>{often}</a>");
    assert_exceeds("--max-entity-bytes", parse(source, Format::Xml));
}

#[test]
fn entities_that_contain_themselves_are_an_error() {
    for subset in ["<!ENTITY a \"&a;\">", "<!ENTITY a \"&b;\"><!ENTITY b \"x&a;\">"] {
        for place in ["<r>&a;</r>", "<r q=\"&a;\"/>"] {
            let error = parse(format!("<!DOCTYPE r [{subset}]>{place}"), Format::Xml).unwrap_err();
            assert!(matches!(error, ParseError::Malformed(_)), "{error}");
        }
    }
}

#[test]
fn parameter_entities_are_bounded_as_well() {
    let levels = (1..10).map(|n| format!("<!ENTITY % l{n} '{}'>", format!("&#37;l{};", n - 1).repeat(10)));
    let subset = levels.fold("<!ENTITY % l0 '<!-- x -->'>".to_owned(), |all, one| all + "\n" + &one);
    assert_exceeds("--max-entity-bytes", parse(format!("<!DOCTYPE a [{subset}\n%l9;]><a/>"), Format::Xml));
}

#[test]
fn every_limit_names_the_option_that_raises_it() {
    let wide = format!("<a>{}</a>", "<b/>".repeat(20));
    let deep = "<i>".repeat(20) + &"</i>".repeat(20);
    let attributes: String = (0..20).map(|n| format!(" a{n}='x'")).collect();
    let entities = format!("<!DOCTYPE a [<!ENTITY e 'xxxxx'>]><a>{}</a>", "&e;".repeat(20));
    let array = format!("[{}1]", "1,".repeat(20));
    let arrays = "[".repeat(20) + &"]".repeat(20);

    let few_bytes = Limits { max_bytes: 10, ..Limits::default() };
    let few_nodes = Limits { max_nodes: 10, ..Limits::default() };
    let few_levels = Limits { max_depth: 10, ..Limits::default() };
    let few_attributes = Limits { max_attributes: 10, ..Limits::default() };
    let few_entity_bytes = Limits { max_entity_bytes: 10, ..Limits::default() };
    for (option, limits, format, source) in [
        ("--max-bytes", &few_bytes, Format::Xml, &wide),
        ("--max-bytes", &few_bytes, Format::Html, &wide),
        ("--max-bytes", &few_bytes, Format::Json, &array),
        ("--max-nodes", &few_nodes, Format::Xml, &wide),
        ("--max-nodes", &few_nodes, Format::Html, &wide),
        ("--max-nodes", &few_nodes, Format::Json, &array),
        ("--max-depth", &few_levels, Format::Xml, &deep),
        ("--max-depth", &few_levels, Format::Html, &deep),
        ("--max-depth", &few_levels, Format::Json, &arrays),
        ("--max-attributes", &few_attributes, Format::Xml, &format!("<a{attributes}/>")),
        ("--max-attributes", &few_attributes, Format::Html, &format!("<a{attributes}>")),
        ("--max-entity-bytes", &few_entity_bytes, Format::Xml, &entities),
    ] {
        for recover in [false, true] {
            let options = Options { limits: limits.clone(), recover, ..Options::default() };
            assert_exceeds(option, parse::parse(source.as_str(), format, &options));
            let unlimited = Options { recover, ..Options::default() };
            assert!(parse::parse(source.as_str(), format, &unlimited).is_ok(), "{option}: {format:?}");
        }
    }
}

#[test]
fn issues_are_bounded() {
    let limits = Limits { max_issues: 10, ..Limits::default() };
    let options = Options { recover: true, limits, ..Options::default() };
    let bad = [
        (Format::Xml, "<a>&</b>".repeat(500)),
        (Format::Html, "<b></i></p attr>\0".repeat(500)),
        (Format::Json, "[,".repeat(500)),
    ];
    for (format, source) in bad {
        let issues =
            parse::parse(source, format, &options).unwrap_or_else(|error| panic!("{format:?}: {error}")).issues;
        assert!((1..=11).contains(&issues.len()), "{format:?}: {} issues", issues.len());
    }
}

#[test]
fn nothing_is_an_error_but_not_in_html() {
    for empty in ["", " ", "\n\n", "\u{FEFF}"] {
        for format in [Format::Xml, Format::Json] {
            assert!(parse(empty, format).is_err(), "{format:?} {empty:?}");
        }
        assert!(accepted(empty, Format::Html).root_element().is_some());
    }
}

#[test]
fn nul_is_refused_where_it_is_forbidden() {
    for (source, offset) in [("<a>\0</a>", 3), ("<a b='\0'/>", 6), ("<a><!--\0--></a>", 7), ("<a/>\0", 4)] {
        let error = parse(source, Format::Xml).expect_err(source);
        assert_eq!(error.position().map(|position| position.offset), Some(offset), "{source:?}: {error}");
    }
    assert!(parse("\"\0\"", Format::Json).is_err());
    assert_eq!(accepted("<p>a\0b", Format::Html).root().string_value(), "ab");
}

/// Where in XML a byte can stand: behind the first of these, before the second.
const XML_PLACES: [(&str, &str); 12] = [
    ("<a>\n  ", "</a>"),
    ("<a>\n<", "/></a>"),
    ("<a>\n<b", "></b></a>"),
    ("<a>\n<b ", "='c'/></a>"),
    ("<a>\n<b c='", "'/></a>"),
    ("<a>\n<b></b", "></a>"),
    ("<a>\n<b></b ", "></a>"),
    ("<a>\n<!--", "--></a>"),
    ("<a>\n<?", "?></a>"),
    ("<a>\n<![CDATA[", "]]></a>"),
    ("<a>\n&", ";</a>"),
    ("<a>\n</a>", ""),
];

#[test]
fn bytes_that_are_not_utf8_are_refused_with_their_place() {
    let broken: [&[u8]; 5] = [b"\xFF", b"\xC3", b"\xC0\x80", b"\xED\xA0\x80", b"\xF5\x80\x80\x80"];
    for bytes in broken {
        for (before, behind) in XML_PLACES {
            let xml = [before.as_bytes(), bytes, behind.as_bytes()].concat();
            let error = parse(xml, Format::Xml).expect_err("not UTF-8");
            let position = error.position().unwrap();
            // An end tag is refused as a whole, so its place is where it begins.
            assert!((4..=before.len()).contains(&position.offset), "{before}{bytes:x?}{behind}: {error}");
            assert_eq!(
                (position.line, position.column),
                (2, position.offset - 3),
                "{before}{bytes:x?}{behind}: {error}"
            );
        }
        let json = [b"[\n \"", bytes, b"\"]"].concat();
        assert!(parse(json, Format::Json).is_err(), "{bytes:x?}");
        let html = [b"<meta charset=utf-8><p>a", bytes, b"b"].concat();
        let text = accepted(html, Format::Html).root().string_value().into_owned();
        assert!(text.starts_with('a') && text.contains('\u{FFFD}') && text.ends_with('b'), "{bytes:x?}: {text}");
    }
}

/// What a document says of its encoding may be a lie; whatever the answer, there is one.
#[test]
fn encodings_that_lie_get_an_answer() {
    let utf16 = |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let declared = |encoding: &str| format!("<?xml version='1.0' encoding='{encoding}'?><a>é</a>");
    let lies = [
        declared("UTF-16").into_bytes(),
        declared("UTF-32").into_bytes(),
        declared("no-such-encoding").into_bytes(),
        declared("").into_bytes(),
        utf16(&declared("UTF-8")),
        [b"\xFF\xFE".to_vec(), utf16(&declared("UTF-8"))].concat(),
        [b"\xFE\xFF".to_vec(), utf16(&declared("UTF-16"))].concat(),
        [b"\xEF\xBB\xBF".to_vec(), declared("UTF-16").into_bytes()].concat(),
        [b"\xFF\xFE".to_vec(), declared("UTF-8").into_bytes()].concat(),
        [utf16(&declared("UTF-16")), vec![b'<']].concat(),
        b"\xFF\xFE".to_vec(),
        b"\xFF\xFE\x00\xD8".to_vec(),
    ];
    for bytes in lies {
        for format in FORMATS {
            for recover in [false, true] {
                let answer = parse::parse(bytes.as_slice(), format, &Options { recover, ..Options::default() });
                assert!(answer.is_ok() || format != Format::Html, "any bytes are HTML: {bytes:x?}");
            }
        }
    }
    assert!(parse(declared("no-such-encoding"), Format::Xml).is_err(), "an unknown encoding is not guessed");
}

#[test]
fn a_document_may_end_anywhere() {
    let xml = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a b CDATA 'c'>]><!-- c --><?p q?>\
               <a xmlns:p='u' p:d=\"é\">t&amp;&e;&#x41;<![CDATA[<]]><p:b/>\r\n</a><!-- é -->";
    let json = r#"{"a": [1, -2.5e+3, true, false, null], "b\u00e9\n": {"c": "é"}}"#;
    let html = "<!DOCTYPE html><html lang=en><title>é</title><p class='a b'>x&amp;y&notin;<!-- c --><table><tr><td>1\
                </table><script>a<b</script><svg viewBox=\"0 0 1 1\"><![CDATA[x]]></svg></html>";
    let root_ends = xml.rfind("</a>").unwrap() + "</a>".len();
    for end in 0..xml.len() {
        let cut = &xml.as_bytes()[..end];
        let is_whole = end == root_ends;
        assert_eq!(parse(cut, Format::Xml).is_ok(), is_whole, "cut at {end}: {:?}", String::from_utf8_lossy(cut));
    }
    for end in 0..json.len() {
        assert!(parse(&json.as_bytes()[..end], Format::Json).is_err(), "cut at {end}");
    }
    for (whole, format) in [(xml, Format::Xml), (json, Format::Json), (html, Format::Html)] {
        accepted(whole, format);
        for end in 0..whole.len() {
            let options = Options { recover: true, ..Options::default() };
            let answer = parse::parse(&whole.as_bytes()[..end], format, &options);
            assert!(answer.is_ok() || end == 0, "{format:?} cut at {end} is not recovered: {answer:?}");
        }
    }
}

/// Names, attributes and namespaces in numbers that take hours where a table of them is a list.
#[test]
fn many_different_names_are_no_trouble() {
    const MANY: usize = 1_000_000;
    // Names that begin alike and are long, so that more than their beginnings must tell them apart.
    let elements: String = (0..MANY).map(|n| format!("<a-rather-long-name-{n:07}/>")).collect();
    assert!(accepted(format!("<r>{elements}</r>"), Format::Xml).names().len() > MANY);
    assert!(accepted(elements, Format::Html).names().len() > MANY);
    let members: String = (0..MANY).map(|n| format!("\"a-rather-long-name-{n:07}\":1,")).collect();
    assert!(accepted(format!("{{{members}\"z\":1}}"), Format::Json).names().len() > MANY);
}

#[test]
fn many_attributes_and_namespaces_are_no_trouble() {
    const MANY: usize = 60_000;
    let attributes: String = (0..MANY).map(|n| format!(" a{n}=''")).collect();
    let element = accepted(format!("<r{attributes}/>"), Format::Xml);
    assert_eq!(element.root_element().unwrap().attribute_count() as usize, MANY);
    let prefixes: String = (0..10 * MANY).map(|n| format!(" xmlns:p{n}='u{n}'")).collect();
    let children: String = (0..10 * MANY).map(|n| format!("<p{n}:c/>")).collect();
    let scoped = accepted(format!("<r{prefixes}>{children}</r>"), Format::Xml);
    assert_eq!(scoped.root_element().unwrap().last_child().unwrap().name().namespace, "u599999");
}

/// Few declarations and few elements that multiply: attributes by default.
#[test]
fn defaults_by_the_million_are_too_many() {
    let declared: String = (0..10_000).map(|n| format!("a{n} CDATA 'x' ")).collect();
    let declared_one_by_one: String = (0..60_000).map(|n| format!("<!ATTLIST r a{n} CDATA 'x'>")).collect();
    let one = accepted(format!("<!DOCTYPE r [{declared_one_by_one}]><r/>"), Format::Xml);
    assert_eq!(one.root_element().unwrap().attribute_count(), 60_000);
    let source = format!("<!DOCTYPE r [<!ATTLIST e {declared}>]><r>{}</r>", "<e/>".repeat(100_000));
    let answer = parse(source, Format::Xml);
    let message = answer.as_ref().map_or_else(ParseError::to_string, |_| String::new());
    assert!(message.contains("bytes out of defaults of attributes"), "{message}");
    assert_exceeds("--max-entity-bytes", answer);
}

/// What is read over in recover mode must not be read again and again.
#[test]
fn rows_of_faults_are_read_once() {
    const MANY: usize = 1_000_000;
    let faults = [
        "<",
        "<a ",
        "<a b='",
        "</",
        "</a>",
        "<a></b>",
        "<!",
        "<!--",
        "<![CDATA[",
        "<?",
        "<!DOCTYPE a [",
        "&",
        "&a",
        "]]>",
    ];
    let options = Options { recover: true, ..Options::default() };
    for fault in faults {
        for source in [fault.repeat(MANY), format!("<r>{}", fault.repeat(MANY))] {
            for format in [Format::Xml, Format::Html] {
                let answer = parse::parse(source.as_str(), format, &options);
                assert!(answer.is_ok(), "{format:?} {fault}: {answer:?}");
            }
        }
    }
    for fault in ["&", "&a", "&a;", "&#", "&#0;", "<", "\u{1}"] {
        let source = format!("<r a='{}'/>", fault.repeat(MANY));
        let parsed = parse::xml(source, &options).expect(fault);
        assert_eq!(parsed.issues.len(), options.limits.max_issues, "{fault}");
    }
    for fault in
        ["[", "]", "{", "{\"", ",", ":", "\"", "'", "''", "'a':", "//", "/*", "\\", "a ", "1", "1'", "\u{1}", "é"]
    {
        let row = fault.repeat(MANY / fault.len());
        for around in ["", "[", "{", "[1", "[[],", "{\"k\"", "{\"k\":", "{\"k\":1", "[\"", "['"] {
            let answer = parse::parse(format!("{around}{row}"), Format::Json, &options);
            assert!(answer.is_ok(), "{around}{fault}: {answer:?}");
        }
    }
}

/// A value without its end is the end of the document, and not of the parser.
#[test]
fn a_value_without_its_end_is_read_over() {
    let options = Options { recover: true, ..Options::default() };
    let parsed = parse::xml("<r a='1'><e b='2>text</e></r>", &options).expect("recovered");
    assert!(!parsed.issues.is_empty());
    let element = parsed.document.root_element().unwrap().first_child().unwrap();
    assert_eq!(element.attribute("", "b").unwrap(), "2>text</e></r>");
}

/// Each of the siblings declares the namespace: 800 KB of source are ten gigabytes of canonical form.
#[test]
fn a_long_canonical_form_is_not_held() {
    struct Bounded(usize);
    impl fmt::Write for Bounded {
        fn write_str(&mut self, piece: &str) -> fmt::Result {
            self.0 = self.0.checked_sub(piece.len()).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    let source = format!("<a xmlns:n='urn:{}'>{}</a>", "x".repeat(100_000), "<n:b/>".repeat(100_000));
    let document = accepted(source, Format::Xml);
    assert_eq!(write::canonical_to(&document, &mut Bounded(1 << 20)), Err(fmt::Error));
}

#[test]
fn adjacent_texts_in_any_number_are_one_node() {
    let pieces = "x<![CDATA[y]]>&amp;".repeat(1_000_000);
    let document = accepted(format!("<r>{pieces}</r>"), Format::Xml);
    let root = document.root_element().unwrap();
    assert_eq!(root.children().map(|child| child.kind()).collect::<Vec<_>>(), [Kind::Text]);
    assert_eq!(root.string_value().len(), 3_000_000);
}

#[track_caller]
fn assert_exceeds(expected: &str, answer: Result<Parsed, ParseError>) {
    match answer {
        Err(error @ ParseError::Limit { option, .. }) => {
            assert_eq!(option, expected);
            assert!(error.to_string().contains(&format!("`{expected}`")), "{error}");
        }
        Err(error) => panic!("expected the limit `{expected}`, but: {error}"),
        Ok(_) => panic!("expected the limit `{expected}`, but it was accepted"),
    }
}

/// Few bytes that used to become gigabytes or hours; each has to end, and soon enough for a test.
mod small_and_harmful {
    use super::*;

    fn strictly(source: String) -> Result<Parsed, ParseError> {
        parse::xml(source, &Options::default())
    }

    fn recovering(source: String) -> Parsed {
        parse::xml(source, &Options { recover: true, ..Options::default() }).unwrap()
    }

    #[test]
    fn default_namespaces_have_a_budget() {
        let uri = "u".repeat(100_000);
        let source = format!("<!DOCTYPE a [<!ATTLIST a xmlns:p CDATA '{uri}'>]><r>{}</r>", "<a/>".repeat(20_000));
        let error = strictly(source).unwrap_err().to_string();
        assert!(error.contains("--max-entity-bytes"), "{error}");
    }

    #[test]
    fn declared_attributes_are_found_by_name() {
        let declared: String = (0..20_000).map(|at| format!(" a{at} CDATA #IMPLIED")).collect();
        let source = format!("<!DOCTYPE a [<!ATTLIST a{declared}>]><r>{}</r>", "<a a7='1'/>".repeat(50_000));
        assert_eq!(strictly(source).unwrap().document.len(), 50_002);
    }

    #[test]
    fn a_long_uri_is_read_once() {
        let uri = "u".repeat(1_000_000);
        let source = format!("<r xmlns='{uri}'>{}</r>", "<a xmlns:p='v'><b/></a>".repeat(100_000));
        assert_eq!(strictly(source).unwrap().document.len(), 200_002);
    }

    #[test]
    fn long_names_are_not_told_in_full() {
        let name = "n".repeat(1_000_000);
        let parsed = recovering(format!("<{name}>{}", "</b>".repeat(20_000)));
        assert!(parsed.issues.iter().all(|issue| issue.message.len() < 300));
        let parsed = recovering(format!("<a {name}='{}'/>", "<".repeat(20_000)));
        assert!(parsed.issues.iter().all(|issue| issue.message.len() < 300));
        for source in [
            format!("<a b='&{name};&#{name};'/>"),
            format!("<?xml version='{name}'?><a/>"),
            format!("<?xml version='1.0' encoding='{name}'?><a/>"),
            format!("<!DOCTYPE a [<!ENTITY x:{name} 'x'>]><a/>"),
            format!("<!DOCTYPE a [<?x:{name} x?>]><a/>"),
            format!("<!DOCTYPE a [<!ELEMENT x:x:{name} ANY>]><a/>"),
            format!("<!DOCTYPE a [<!ENTITY {name} '<b>'>]><a>&{name};</a>"),
            format!("<?{name}:x?><a/>"),
        ] {
            let issues = recovering(source).issues;
            assert!(!issues.is_empty() && issues.iter().all(|issue| issue.message.len() < 300), "{}", issues.len());
        }
    }

    #[test]
    fn what_is_no_name_is_kept_once() {
        let parsed = recovering(format!("<a {}/>", "=".repeat(2_000_000)));
        assert_eq!(parsed.document.len(), 2);
        let parsed = recovering(format!("<a {}/>", "b!=\"\" ".repeat(50_000)));
        assert!(parsed.document.heap_bytes() < 100_000_000);
    }

    #[test]
    fn formatting_is_not_opened_again_for_ever() {
        let opened: String = (0..8_200).map(|id| format!("<b id={id}>")).collect();
        let error = parse::html(format!("<p>{opened}{}", "<p>x".repeat(8_100)), &Options::default()).unwrap_err();
        assert!(error.to_string().contains("raise `--max-reopened`"), "{error}");
    }

    #[test]
    fn what_is_opened_again_does_not_take_its_attributes_along_for_ever() {
        // Of a megabyte come five gigabytes, once it is written.
        for attribute in [format!("x='{}'", "z".repeat(1_000_000)), "z".repeat(1_000_000)] {
            let page = |opened_again| format!("<p><b {attribute}>{}", "<p>x".repeat(opened_again));
            let error = parse::html(page(5_000), &Options::default()).unwrap_err();
            assert!(error.to_string().contains("raise `--max-reopened-bytes`"), "{error}");
            parse::html(page(60), &Options::default()).unwrap();
        }
    }

    #[test]
    fn issues_of_pages_do_not_quote_names_of_any_length() {
        let [one, other] = ["x", "y"].map(|letter| letter.repeat(1_000_000));
        let parsed = parse::html(format!("<{one}><b></{one}></{other}><{other}/>"), &Options::default()).unwrap();
        let longest = parsed.issues.iter().map(|issue| issue.message.len()).max();
        assert!(longest.is_some_and(|longest| longest < 300), "{longest:?}");
    }

    #[test]
    fn prefixes_are_not_looked_for_to_the_start() {
        let parsed = recovering(format!(
            "<a xmlns:p='u' {}/>",
            (0..50_000).map(|at| format!("p:b{at}='1'")).collect::<String>()
        ));
        let written = treediff::write::canonical(&parsed.document);
        assert!(written.contains("p:b49999=\"1\""));
    }
}
