use proptest::prelude::*;

use super::super::Limits;
use super::*;
use crate::tree::Document;
use crate::write;

fn strict(source: impl Into<Vec<u8>>) -> Result<Document, ParseError> {
    json(source, &Options::default()).map(|parsed| parsed.document)
}

fn recovered(source: impl Into<Vec<u8>>) -> Parsed {
    json(source, &Options { recover: true, ..Options::default() }).expect("recovery has an answer to any bytes")
}

fn error(source: &str) -> String {
    strict(source).expect_err(source).to_string()
}

/// Corner cases that parsers are known to differ on: what RFC 8259 accepts, and how it reads again.
#[test]
fn accepts_what_is_json() {
    for (source, compact) in [
        ("[]", "[]"),
        (" [] ", "[]"),
        ("\t{\r\n}\n", "{}"),
        ("[[]   ]", "[[]]"),
        ("[\"\"]", "[\"\"]"),
        ("[null, 1, \"1\", {}]", "[null,1,\"1\",{}]"),
        ("0", "0"),
        ("-0", "-0"),
        (
            "[-1, 0.5, -0.5e-3, 1E+2, 1e2, 123456789012345678901234567890]",
            "[-1,0.5,-0.5e-3,1E+2,1e2,123456789012345678901234567890]",
        ),
        ("1e999", "1e999"),
        ("\"asd\"", "\"asd\""),
        ("true", "true"),
        ("false", "false"),
        ("null", "null"),
        ("{\"\":0}", "{\"\":0}"),
        ("{\"a\":\"b\",\"c\":[1]}", "{\"a\":\"b\",\"c\":[1]}"),
        ("{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":2}}", "{\"a\":{\"a\":{\"a\":1}},\"b\":{\"a\":2}}"),
        (r#""\"\\\/\b\f\n\r\t""#, r#""\"\\/\b\f\n\r\t""#),
        (r#""\u0060\u012a\u12AB""#, "\"`\u{12a}\u{12ab}\""),
        (r#""\uD834\uDd1e""#, "\"\u{1D11E}\""),
        (r#""\u0000\u001f\u007f""#, "\"\\u0000\\u001f\u{7f}\""),
        (r#""\uFFFF\uFDD0""#, "\"\u{ffff}\u{fdd0}\""),
        ("\"\u{7f}\u{2028}\u{2029}\u{feff}\"", "\"\u{7f}\u{2028}\u{2029}\u{feff}\""),
        (r#""a/*b*/c/*d//e""#, r#""a/*b*/c/*d//e""#),
        (r#"{"\u0061":1}"#, r#"{"a":1}"#),
    ] {
        let document = strict(source).unwrap_or_else(|error| panic!("{source}: {error}"));
        assert_eq!(write::json(&document), compact, "{source}");
    }
}

#[test]
fn refuses_what_is_not_json() {
    for source in [
        "",
        " ",
        "[",
        "]",
        "{",
        "}",
        "[1",
        "[1,",
        "[1,]",
        "[,1]",
        "[1,,2]",
        "[1 2]",
        "[1}",
        "{]",
        "[\"a\" 1]",
        "1 2",
        "[][]",
        "[]]",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{\"a\":1,}",
        "{\"a\":1 \"b\":2}",
        "{,}",
        "{:1}",
        "{1:1}",
        "{a:1}",
        "{'a':1}",
        "{[]:1}",
        "01",
        "-",
        "+1",
        "-01",
        ".5",
        "5.",
        "1.e1",
        "1e",
        "1e+",
        "0x1F",
        "1_000",
        "NaN",
        "-Infinity",
        "--1",
        "1a",
        "-a",
        "0.1.2",
        "١",
        "tru",
        "truee",
        "True",
        "nul",
        "nulll",
        "fals",
        "\"a",
        "\"",
        "'a'",
        "\"\\\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\u00g0\"",
        "\"\\uD800\"",
        "\"\\uDC00\"",
        "\"\\uD800\\uD800\"",
        "\"\\uD800\\n\"",
        "\"a\nb\"",
        "\"\t\"",
        "\"\0\"",
        "[1]//",
        "/**/1",
        "[1/*]",
        "\u{a0}1",
        "\u{feff}\u{feff}1",
        "[\u{c}1]",
        "\0",
        "[1]\0",
        "{\"a\":1,\"a\":2}",
        "{\"a\":1,\"b\":{\"a\":1},\"\\u0061\":2}",
    ] {
        assert!(strict(source).is_err(), "{source:?}");
    }
}

#[test]
fn errors_say_where_and_what() {
    for (source, expected) in [
        ("", "line 1, column 1: found the end of the source, expected a value"),
        ("[1,\n 2 3]", "line 2, column 4: found `3`, expected `,` or `]`"),
        ("[1,]", "line 1, column 4: found `]`, expected a value"),
        ("[1}", "line 1, column 3: found `}`, expected `,` or `]`"),
        ("[", "line 1, column 2: found the end of the source, expected a value or `]`"),
        ("{\"é\": nulll}", "line 1, column 7: found `nulll`, expected a value"),
        ("{\"a\":1,}", "line 1, column 8: found `}`, expected a key in quotes"),
        ("{a:1}", "line 1, column 2: found `a`, expected a key in quotes or `}`"),
        ("{\"a\" 1}", "line 1, column 6: found `1`, expected `:` behind the key"),
        ("{\"k\":1,\n\"k\":2}", "line 2, column 1: found the key `k` twice in one object"),
        ("[1] x", "line 1, column 5: found `x`, expected the end of the source"),
        ("[\"ab", "line 1, column 2: the string that starts here has no end"),
        ("[\"a\u{1}\"]", "line 1, column 4: found U+0001 in a string, expected it as an escape"),
        ("// x\n1", "line 1, column 1: found a comment, which JSON does not have"),
        ("\"\\ud800\"", "line 1, column 2: found half a surrogate pair, expected both halves as `\\uD83D\\uDE00`"),
    ] {
        assert_eq!(error(source), expected, "{source:?}");
    }
    let error = strict(*b"[\"a\",\n\"\xFF\"]").unwrap_err().to_string();
    assert_eq!(error, "line 2, column 2: found bytes that are not UTF-8");
}

#[test]
fn long_words_are_shown_by_their_start() {
    let message = |len: usize| strict(format!("[{}]", "é".repeat(len))).unwrap_err().to_string();
    let shown = |len: usize, more: &str| {
        format!("line 1, column 2: found `{}{more}`, expected a value or `]`", "é".repeat(len))
    };
    assert_eq!(message(30), shown(30, ""));
    assert_eq!(message(31), shown(30, "…"));
    assert_eq!(message(32), shown(30, "…"));
    assert_eq!(message(1000), shown(30, "…"));
}

#[test]
fn recovery_reads_over_what_people_write() {
    for (source, compact, issues) in [
        ("[1, 2,]", "[1,2]", 1),
        ("{\"a\": 1,}", "{\"a\":1}", 1),
        ("[1 2]", "[1,2]", 1),
        ("{\"a\":1 \"b\":2}", "{\"a\":1,\"b\":2}", 1),
        ("// head\n[1, /* two */ 2]", "[1,2]", 2),
        ("{a: 'it\\'s', 'b': NaN}", "{\"a\":\"it's\",\"b\":\"NaN\"}", 5),
        ("[1, [2, {\"a\": \"b", "[1,[2,{\"a\":\"b\"}]]", 2),
        ("{\"a\": [1, 2", "{\"a\":[1,2]}", 1),
        ("{\"a\":", "{}", 2),
        ("{\"a\"}", "{}", 2),
        ("{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}", 1),
        ("[1}", "[1]", 1),
        ("[1] [2]", "[1]", 1),
        ("[,1,,2]", "[1,2]", 2),
        ("[1:2]", "[1,2]", 3),
        ("{:1}", "{}", 5),
        ("\"\\ud800\\q\"", "\"\u{fffd}\\\\q\"", 2),
        ("\"a\nb\"", "\"a\\nb\"", 1),
        ("", "", 1),
        ("}", "", 2),
    ] {
        let parsed = recovered(source);
        assert_eq!(write::json(&parsed.document), compact, "{source}: {:?}", parsed.issues);
        assert_eq!(parsed.issues.len(), issues, "{source}: {:?}", parsed.issues);
    }
}

#[test]
fn nodes_are_where_they_stand() {
    let source = r#" {"k": "a\n", "list": [-1.5, true]} "#;
    let document = strict(source).unwrap();
    let pieces: Vec<(Kind, &str, &str)> = document
        .nodes()
        .skip(1)
        .map(|node| (node.kind(), node.name().local, &source[node.source_range().unwrap()]))
        .collect();
    let expected = [
        (Kind::Object, "", source.trim()),
        (Kind::String, "k", "a\\n"),
        (Kind::Array, "list", "[-1.5, true]"),
        (Kind::Number, "", "-1.5"),
        (Kind::Literal, "", "true"),
    ];
    assert_eq!(pieces, expected);
    assert_eq!(document.node(crate::tree::NodeId(2)).value(), "a\n");
    assert_eq!(document.encoding(), "UTF-8");
}

#[test]
fn the_hash_is_of_the_content() {
    let hash = |source: &str| strict(source).unwrap().root().hash();
    assert_eq!(hash(r#"{"a":1,"b":[{},"x"]}"#), hash(r#" {"b" : [ { }, "\u0078" ] , "\u0061":1}"#));
    assert_ne!(hash("[1,2]"), hash("[2,1]"));
    assert_ne!(hash(r#"{"a":1}"#), hash(r#"{"b":1}"#));
    assert_ne!(hash("1"), hash("\"1\""));
    assert_ne!(hash("[]"), hash("{}"));
}

#[test]
fn canonical_members_are_in_the_order_of_utf_16() {
    // The key behind the BMP is the larger character but the smaller in UTF-16.
    let source = "{\"\u{fb33}\":1,\"\u{1F600}\":2,\"\u{80}\":3,\"1\":{\"b\":0,\"a\":0},\"\r\":4}".replace('\r', "\\r");
    let canonical = write::canonical_json(&strict(source).unwrap());
    assert_eq!(canonical, "{\"\\r\":4,\"1\":{\"a\":0,\"b\":0},\"\u{80}\":3,\"\u{1F600}\":2,\"\u{fb33}\":1}");
}

#[test]
fn encodings_are_seen() {
    let units: Vec<u16> = "[\"é😀\"]".encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    let marked = |mark: &[u8], rest: &[u8]| [mark, rest].concat();
    for (source, encoding) in [
        (little.clone(), "UTF-16LE"),
        (big.clone(), "UTF-16BE"),
        (marked(&[0xFF, 0xFE], &little), "UTF-16LE"),
        (marked(&[0xFE, 0xFF], &big), "UTF-16BE"),
        (marked(&[0xEF, 0xBB, 0xBF], "[\"é😀\"]".as_bytes()), "UTF-8"),
    ] {
        let document = strict(source).unwrap();
        assert_eq!(write::json(&document), "[\"é😀\"]");
        assert_eq!(document.encoding(), encoding);
    }
    assert!(strict(&little[..little.len() - 5]).is_err());

    let latin = Options { encoding: Some("latin1".to_owned()), ..Options::default() };
    assert_eq!(write::json(&json(*b"\"\xE9\"", &latin).unwrap().document), "\"é\"");
    let damaged = recovered(*b"[\"a\xFFb\"]");
    assert_eq!((write::json(&damaged.document).as_str(), damaged.issues.len()), ("[\"a\u{fffd}b\"]", 1));
}

#[test]
fn depth_is_no_matter() {
    const DEPTH: usize = 1_000_000;
    let source = "[".repeat(DEPTH) + &"]".repeat(DEPTH);
    assert_eq!(write::json(&strict(source.clone()).unwrap()), source);

    let source = "{\"a\":".repeat(DEPTH) + "0" + &"}".repeat(DEPTH);
    assert_eq!(write::canonical_json(&strict(source.clone()).unwrap()), source);
    assert_eq!(recovered(&source.as_bytes()[..DEPTH * 5]).issues.len(), 2);
}

#[test]
fn limits_hold_and_name_their_option() {
    let check = |limits: Limits, source: &str, expected: &str| {
        let options = Options { limits, recover: true, ..Options::default() };
        assert_eq!(json(source, &options).unwrap_err().to_string(), expected);
    };
    let none = Limits::default;
    check(Limits { max_bytes: 3, ..none() }, "[1, 2]", "more than 3 bytes; raise `--max-bytes` to allow it");
    let expected = "line 1, column 5: more than 3 nodes; raise `--max-nodes` to allow it";
    check(Limits { max_nodes: 3, ..none() }, "[1, 2]", expected);
    let expected = "line 1, column 3: more than 2 levels of nesting; raise `--max-depth` to allow it";
    check(Limits { max_depth: 2, ..none() }, "[[[", expected);
    let options = Options { limits: Limits { max_depth: 2, max_nodes: 3, ..none() }, ..Options::default() };
    assert!(json("[[]]", &options).is_ok());
}

/// A million keys in one object, all alike, or all different with one there twice.
#[test]
fn repeated_keys_are_found_in_wide_objects() {
    let members = |key: &dyn Fn(usize) -> usize| {
        let members: Vec<String> = (0..300_000).map(|at| format!("\"{}\":0", key(at))).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(strict(members(&|at| at)).is_ok());
    assert!(error(&members(&|at| if at == 299_999 { 7 } else { at })).contains("the key `7` twice"));
    assert_eq!(recovered(members(&|_| 1)).issues.len(), Limits::default().max_issues);
}

/// More keys than the cache has room for, of every length around what it remembers.
#[test]
fn keys_are_told_apart_however_many_there_are() {
    let keys: Vec<String> = (0..2000).map(|n| format!("{}{n}", "k".repeat(n % 19))).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).chain(["", "\u{7f}", "a", "aa"]).collect();
    let object = format!("{{{}}}", keys.iter().map(|key| format!("\"{key}\":0")).collect::<Vec<_>>().join(","));
    let document = strict(format!("[{object},{object}]")).unwrap();
    for object in document.root_element().unwrap().children() {
        assert!(object.children().map(|member| member.name().local).eq(keys.iter().copied()));
    }
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter_map("JSON has no such number", |number| {
            serde_json::Number::from_f64(number).map(Value::Number)
        }),
        "\\PC{0,12}".prop_map(Value::from),
        "[\\x00-\\x7f]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-c\"\\\\é]{0,3}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Pieces that make and break JSON.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[", "]", "{", "}", ",", ":", "\"", "\"a\"", "\"b\":", "\\", "\\u", "\\ud83d", "\\ude00", "00e9", "n", "0",
        "1", "-", ".", "e", "E+", "true", "false", "null", " ", "\n", "'", "/", "*", "é", "\u{1}", "//", "/*", "*/",
        "[1,", "{\"a\":", "]}", "[]", "{}",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn agrees_with_oracle(source: &str) -> Result<(), TestCaseError> {
    let expected = serde_json::from_str::<serde_json::Value>(source);
    match (strict(source), expected) {
        (Ok(document), Ok(value)) => {
            let again: serde_json::Value = serde_json::from_str(&write::json(&document)).expect("we write JSON");
            prop_assert_eq!(again, value, "{}", source);
        }
        (Err(error), Ok(_)) => prop_assert!(error.to_string().contains("twice"), "{}: {}", source, error),
        (Ok(_), Err(error)) => prop_assert!(false, "{} is refused by the oracle: {}", source, error),
        (Err(_), Err(_)) => {}
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn values_are_those_of_the_oracle(value in value()) {
        let compact = serde_json::to_string(&value).unwrap();
        for source in [serde_json::to_string_pretty(&value).unwrap(), compact.clone()] {
            let document = strict(source).unwrap();
            prop_assert_eq!(write::json(&document), compact.as_str());
            let canonical = strict(write::canonical_json(&document)).unwrap();
            prop_assert_eq!(canonical.root().hash(), document.root().hash());
            prop_assert!(canonical.root().same_content(document.root()));
        }
    }

    #[test]
    fn pieces_are_accepted_or_refused_as_by_the_oracle(source in pieces()) {
        agrees_with_oracle(&source)?;
    }

    #[test]
    fn a_changed_byte_is_accepted_or_refused_as_by_the_oracle(
        value in value(), at in any::<prop::sample::Index>(), byte in 0u8..0x80,
    ) {
        let mut source = serde_json::to_string(&value).unwrap().into_bytes();
        let at = at.index(source.len());
        source[at] = byte;
        if let Ok(source) = String::from_utf8(source) {
            agrees_with_oracle(&source)?;
        }
    }

    #[test]
    fn recovery_changes_nothing_where_nothing_is_wrong(source in pieces()) {
        let parsed = recovered(source.clone());
        match strict(source) {
            Ok(document) => {
                prop_assert!(parsed.issues.is_empty());
                prop_assert_eq!(document.hashes(), parsed.document.hashes());
            }
            Err(_) => prop_assert!(!parsed.issues.is_empty()),
        }
        let written = write::json(&parsed.document);
        prop_assert!(written.is_empty() || serde_json::from_str::<serde_json::Value>(&written).is_ok(), "{}", written);
    }

    #[test]
    fn no_bytes_are_too_much(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
        let _ = strict(bytes.clone());
        recovered(bytes);
    }

    #[test]
    fn every_way_of_stopping_short_is_refused_and_recovered(value in value()) {
        let source = serde_json::to_vec(&serde_json::json!([value])).unwrap();
        for end in 0..source.len() {
            prop_assert!(strict(&source[..end]).is_err());
            prop_assert!(!recovered(&source[..end]).issues.is_empty());
        }
    }

    #[test]
    fn eight_bytes_at_a_time_are_as_good_as_one(bytes in prop::collection::vec(0u8..0xFF, 0..40), from in 0usize..40) {
        let from = from.min(bytes.len());
        let plain = |byte: &&u8| **byte != b'"' && **byte != b'\\' && **byte >= b' ';
        let expected = from + bytes[from..].iter().take_while(plain).count();
        prop_assert_eq!(string::plain_end(&bytes, from, b'"'), expected);
    }
}
