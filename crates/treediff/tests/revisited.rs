//! Parsing the next version with the help of the one before gives what parsing it alone gives.

mod support;

use std::fs;

use proptest::prelude::*;
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::Document;

/// Everything that can be asked of a document, as text.
fn described(document: &Document) -> String {
    let mut lines = format!("{:?} {} {:?}\n", document.doctype(), document.source().len(), document.encoding());
    for node in document.nodes() {
        let attributes: Vec<_> = node
            .attributes()
            .map(|attribute| (format!("{attribute:?}"), attribute.prefix(), attribute.source_range()))
            .collect();
        lines += &format!(
            "{node:?} {:?} {} {} {} {:?} {} {:?} {attributes:?} {:?}\n",
            node.parent().map(|parent| parent.id()),
            node.end(),
            node.hash(),
            node.weight(),
            node.source_range(),
            node.value(),
            node.prefix(),
            node.declarations().collect::<Vec<_>>(),
        );
    }
    lines
}

fn check(before: &[u8], after: &[u8], whitespace: Whitespace) {
    let options = Options { whitespace, ..Options::default() };
    let Ok(before) = parse::xml(before, &options) else { return };
    let alone =
        parse::xml(after, &options).map(|parsed| described(&parsed.document)).map_err(|error| error.to_string());
    let revisited = parse::xml_revisited(after, &before.document, &options);
    let revisited = revisited.map(|parsed| described(&parsed.document)).map_err(|error| error.to_string());
    if alone != revisited {
        let lines = |described: &Result<String, String>| described.clone().unwrap_or_else(|error| error);
        let (left, right) = (lines(&alone), lines(&revisited));
        let differing = left.lines().zip(right.lines()).find(|(left, right)| left != right);
        panic!("{differing:#?}\n{}", String::from_utf8_lossy(after));
    }
}

fn check_both(before: &str, after: &str) {
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        check(before.as_bytes(), after.as_bytes(), whitespace);
        check(after.as_bytes(), before.as_bytes(), whitespace);
    }
}

#[test]
fn what_changed_is_set_into_the_tree_before() {
    check_both("<a><b/><c>old</c><d/></a>", "<a><b/><c>new</c><d/></a>");
    check_both("<a><b/><c/><d/></a>", "<a><b/><d/></a>");
    check_both("<a>\n  <b/>\n  <c/>\n</a>", "<a>\n  <b/>\n  <x y='1'/>\n  <c/>\n</a>");
    check_both(
        "<a xmlns='urn:a' xmlns:n='urn:n'><n:b/><c/></a>",
        "<a xmlns='urn:a' xmlns:n='urn:n'><n:b/><n:d e='1'/><c/></a>",
    );
    check_both("<a><b x='1'/></a>", "<a><b x='2'/></a>");
    check_both("<a><b/></a>", "<a></a>");
    check_both("<a> <b/> </a>", "<a>  </a>");
    check_both("<a> <b/> <c/></a>", "<a> text <c/></a>");
    check_both("<a xml:space='preserve'><b/> <c/></a>", "<a xml:space='preserve'><b/>  <c/></a>");
    check_both("<?p?><!--c--><a><b/></a><!--d-->", "<?p?><!--c--><a><b/><e/></a><!--d-->");
}

#[test]
fn references_that_stay_in_the_tags_around_count() {
    let version = |text: &str| {
        format!("<!DOCTYPE a SYSTEM 'n'><a b='&u;' c='&amp;u;&v;'><d/><e f='1'>{text}</e>{}</a>", "<g/>".repeat(20))
    };
    check_both(&version("old"), &version("new"));
}

#[test]
fn an_element_that_is_closed_and_opened_again_is_two() {
    check_both("<r><a><b/><c/></a></r>", "<r><a><b/></a><a><c/></a></r>");
    check_both("<r><a><b/><c/></a></r>", "<r><a><b/><!-- <c/> --></a></r>");
    check_both("<r><a><b/>x<c/></a></r>", "<r><a><b/><![CDATA[x]]><c/></a></r>");
}

#[test]
fn what_is_not_well_formed_is_refused_where_it_is() {
    check_both("<r><a><b/><c/></a></r>", "<r><a><b></a></r>");
    check_both("<r><a><b/><c/></a></r>", "<r><a><b/><!--<c/></a></r>");
    check_both("<r><a>x</a></r>", "<r><a>&lt;&x;</a></r>");
    check_both("<!DOCTYPE r [<!ENTITY e 'x'>]><r><a>&e;</a></r>", "<!DOCTYPE r [<!ENTITY e 'y'>]><r><a>&e;</a></r>");
    check(b"<r><a>x</a><b/></r>", b"<r><a>\xFF</a><b/></r>", Whitespace::Layout);
    check(b"<r><a>\xC3\xA9</a><b/></r>", b"<r><a>\xC3\xA8</a><b/></r>", Whitespace::Layout);
}

#[test]
fn corpus_versions_are_parsed_as_if_alone() {
    let Some(corpus) = support::corpus() else { return };
    for pair in support::successive_pairs(&corpus, support::XML_EXTENSIONS) {
        let [before, after] = pair.map(|file| fs::read(file).expect("a readable file"));
        for whitespace in [Whitespace::Layout, Whitespace::Exact] {
            check(&before, &after, whitespace);
        }
    }
}

fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<a>"),
        Just("</a>"),
        Just("<b/>"),
        Just("<b x='1'/>"),
        Just("<b x='&u;&amp;u;'/>"),
        Just("<a x='&u;'>"),
        Just("&u;"),
        Just("<n:c xmlns:n='urn:n'/>"),
        Just(" "),
        Just("t"),
        Just("<!--c-->"),
        Just("<?p?>"),
        Just("&amp;"),
        Just("<a>\n<b/>\n</a>"),
        Just("<a xml:space='preserve'>"),
        Just("é"),
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

/// None, one that lets references stay, one that says what they stand for, and one that gives attributes.
fn doctypes() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => Just(""),
        3 => Just("<!DOCTYPE r SYSTEM 'n'>"),
        1 => Just("<!DOCTYPE r SYSTEM 'n' [<!ENTITY u 'v'>]>"),
        1 => Just("<!DOCTYPE r SYSTEM 'n' [<!ENTITY u '&#38;#38;u;'>]>"),
        1 => Just("<!DOCTYPE r SYSTEM 'n' [<!ATTLIST b y CDATA '&v;' x NMTOKENS #IMPLIED>]>"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn any_piece_in_place_of_any_other(
        doctype in doctypes(), front in pieces(), old in pieces(), new in pieces(), back in pieces(),
    ) {
        check_both(&format!("{doctype}<r>{front}{old}{back}</r>"), &format!("{doctype}<r>{front}{new}{back}</r>"));
        check_both(&format!("{doctype}<r><a>{old}</a>{back}</r>"), &format!("{doctype}<r><a>{new}</a>{back}</r>"));
    }

    #[test]
    fn pieces_in_many_places(
        doctype in doctypes(), parts in prop::collection::vec((pieces(), pieces(), 0..4u8), 1..6),
    ) {
        let version = |after: bool| {
            let value = if doctype.is_empty() { "&amp;u;" } else { "&u;" };
            let mut source = format!("{doctype}<r xmlns:n='urn:n' x='{value}'>\n");
            for (at, (old, new, changes)) in parts.iter().enumerate() {
                let (outer, inner) = (after && changes & 1 == 1, after && changes & 2 == 2);
                let pick = |is_new: bool| if is_new { new } else { old };
                source += &format!("  <part number='{at}' kind='one of the parts'>\n    <same n:id='{at}'>this stays as it is, all of it</same>\n");
                source += &format!("    <inner>{}<n:same>and this one, which is number {at}, stays too</n:same>{old}</inner>\n", pick(inner));
                source += &format!("    <!-- this comment {at} is long enough to be found again -->{}\n  </part>\n", pick(outer));
            }
            source + "</r>\n"
        };
        check_both(&version(false), &version(true));
    }
}
