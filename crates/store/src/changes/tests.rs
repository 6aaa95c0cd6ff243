use std::sync::Arc;

use proptest::prelude::*;
use treediff::delta::Delta;
use treediff::delta::Identities;
use treediff::tree::{Document, Format};
use treediff::{matching as matchings, parse};

use super::*;

fn parsed(source: &str, format: Format) -> Arc<Document> {
    Arc::new(parse::parse(source, format, &Default::default()).expect("a document").document.with_sorted_members())
}

fn step(format: Format, [before, after]: [&str; 2]) -> (Delta, Vec<u8>) {
    let (before, after) = (parsed(before, format), parsed(after, format));
    let pairs = matchings::auto(&before, &after, &Default::default());
    let delta = Delta::between(&before, &after, &pairs, &Default::default()).expect("a delta");
    let bytes = Step::of_delta(&delta, &before, &after).to_bytes();
    (delta, bytes)
}

/// The changes that match, as `kind path: before -> after`.
fn found(format: Format, versions: [&str; 2], filter: &Filter) -> Vec<String> {
    let (_, step) = step(format, versions);
    let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
    let shown = |change: &Change| {
        format!("{} {}: {} -> {}", change.kind, change.path, side(&change.before), side(&change.after))
    };
    let mut found: Vec<String> = matching(&step, filter).expect("changes").iter().map(shown).collect();
    found.sort();
    found
}

const MENU: [&str; 2] = [
    "<menu><soup price='4'>hot and spicy soup</soup><tea/><dish><name>Rice</name><with>beans</with></dish></menu>",
    "<menu><soup price='5'>hot and sour soup</soup><dish><name>Pasta</name><with>Tomatoes &amp; cheese</with></dish><milk/></menu>",
];

#[track_caller]
fn check(filter: &Filter, expected: &[&str]) {
    assert_eq!(found(Format::Xml, MENU, filter), expected);
}

#[test]
fn all_changes_match_where_nothing_is_asked() {
    check(
        &Filter::default(),
        &[
            "attribute /menu/soup/@price: 4 -> 5",
            "delete /menu/tea:  -> -",
            "insert /menu/milk: - -> ",
            "update /menu/dish/name/text(): Rice -> Pasta",
            "update /menu/dish/with/text(): beans -> Tomatoes & cheese",
            "update /menu/soup/text(): hot and spicy soup -> hot and sour soup",
        ],
    );
}

#[test]
fn changes_match_by_kind_path_and_text() {
    let path = |path: &str| Some(path.parse().expect("a pattern"));
    check(&Filter::new(Kinds::of([Kind::Delete, Kind::Move]), None, None), &["delete /menu/tea:  -> -"]);
    check(&Filter::new(Kinds::ALL, path("//soup/@*"), None), &["attribute /menu/soup/@price: 4 -> 5"]);
    check(
        &Filter::new(Kinds::from(Kind::Update), path("/menu/soup"), None),
        &["update /menu/soup/text(): hot and spicy soup -> hot and sour soup"],
    );
    check(
        &Filter::new(Kinds::ALL, None, Some("TOMATOES & ch")),
        &["update /menu/dish/with/text(): beans -> Tomatoes & cheese"],
    );
    check(&Filter::new(Kinds::ALL, path("name"), Some("rice")), &["update /menu/dish/name/text(): Rice -> Pasta"]);
    check(&Filter::new(Kinds::ALL, path("soup"), Some("rice")), &[]);
    check(&Filter::new(Kinds::NONE, None, None), &[]);
}

#[test]
fn what_came_or_went_in_a_larger_piece_is_found() {
    let shop = [
        "<shop><item id='1'><name>Pen</name><price>2</price><!--old--></item><a/></shop>",
        "<shop><a/><aisle><item id='7'><name>Ink</name><price unit='EUR'>9 <b>50</b></price></item></aisle></shop>",
    ];
    let check = |path: &str, text: Option<&str>, expected: &[&str]| {
        let filter = Filter::new(Kinds::ALL, Some(path.parse().expect("a pattern")), text);
        assert_eq!(found(Format::Xml, shop, &filter), expected, "{path} {text:?}");
    };
    check("//price", None, &["delete /shop/item/price: 2 -> -", "insert /shop/aisle/item/price: - -> 9  50"]);
    check("//price", Some("50"), &["insert /shop/aisle/item/price: - -> 9  50"]);
    check("//price", Some("ink"), &[]);
    check("/shop/item/@id", None, &["delete /shop/item/@id: 1 -> -"]);
    check("@unit", None, &["insert /shop/aisle/item/price/@unit: - -> EUR"]);
    check("comment()", None, &["delete /shop/item/comment(): old -> -"]);
    check("/aisle", None, &[]);
    let json = [r#"{"list": []}"#, r#"{"list": [{"\u0070rice": 3}]}"#];
    let filter = Filter::new(Kinds::ALL, Some("price".parse().expect("a pattern")), None);
    assert_eq!(found(Format::Json, json, &filter), ["insert /*/list/*/price: - -> 3"]);
}

#[test]
fn a_break_and_bytes_that_are_no_step() {
    let broken = Identities::new("(5-11)".parse().expect("an XID map"));
    assert_eq!(matching(&Step::broken(broken).to_bytes(), &Filter::default()), Ok(Vec::new()));
    assert!(matching(b"", &Filter::default()).is_err());
    // The list of operations fits the head, but the delta does not.
    assert!(matching(b"\x01\x01\x00\x01\x00no delta", &Filter::default()).is_err());
}

#[test]
fn texts_of_several_nodes_are_read_as_one() {
    let html = ["<p>x", "<p>x<p>Tea <b>is</b> <i>b</i>ack.<ul><li>one<li>two</ul>"];
    for text in ["tea is back.", "one two", "onetwo"] {
        assert!(!found(Format::Html, html, &Filter::new(Kinds::ALL, None, Some(text))).is_empty(), "{text}");
    }
    assert!(found(Format::Html, html, &Filter::new(Kinds::ALL, None, Some("two one"))).is_empty());
}

/// Texts with all that is written otherwise than it is.
fn awkward() -> impl Strategy<Value = String> {
    "[abAKiİ\u{212A}σΣ <>&\n\\]\"'_x0\\\\\u{a0}-]{0,10}|&amp;|]]>|<d>|a<i>b|<!--a-->|_x0041_|(a&<){5}"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A document of these texts.
fn document(format: Format, texts: &[String]) -> String {
    if format == Format::Json {
        let inner: Vec<String> =
            texts.iter().map(|text| serde_json::json!([text, {"k": text}, 12]).to_string()).collect();
        return format!("[{}]", inner.join(","));
    }
    let pieces = texts.iter().map(|text| {
        let text = escaped(text);
        format!("<p title=\"{text}\">{text}<b>{text}</b>x</p>\n <ul><li>{text}</li>\n <li>1</li></ul><!--c-->")
    });
    format!("<div>{}</div>", pieces.collect::<String>())
}

proptest! {
    #[test]
    fn no_text_is_lost_however_it_is_written(
        format in prop::sample::select(vec![Format::Xml, Format::Html, Format::Json]),
        before in prop::collection::vec(awkward(), 0..4),
        after in prop::collection::vec(awkward(), 0..4),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 1..6usize), 8),
    ) {
        let (delta, step) = step(format, [&document(format, &before), &document(format, &after)]);
        let texts = delta.operations().iter().flat_map(|operation| {
            sides(operation).into_iter().flatten().flat_map(|side| [side.0.join(" "), side.0.concat()]).collect::<Vec<_>>()
        });
        let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
        for ((at, len), text) in cuts.iter().zip(texts.iter().cycle()) {
            let text: Vec<char> = text.chars().collect();
            let part: String = text[at.index(text.len())..].iter().take(*len).collect();
            let all = matching(&step, &Filter::new(Kinds::ALL, None, None)).expect("changes");
            prop_assert_eq!(all.len(), delta.operations().len());
            let found = matching(&step, &Filter::new(Kinds::ALL, None, Some(&part))).expect("changes");
            prop_assert!(!found.is_empty(), "{:?} in {}", part, delta.to_xydelta());
        }
    }
}
