//! Do both versions come out again? They are taken out by the words of the format alone.

use proptest::prelude::*;

use super::*;
use crate::delta::formats::markup::plain;
use crate::delta::formats::sample::{catalogue_without_type, compared, random_delta, read};
use crate::parse::Whitespace;
use crate::write::canonical;

fn written(delta: &Delta, before: &Document, after: &Document) -> String {
    let mut written = String::new();
    annotated(delta, before, after, &mut written).unwrap();
    written
}

/// One of the versions out of an annotated document.
fn extracted(annotated: &str, version: &str) -> String {
    let document = read(annotated, Whitespace::Exact);
    let mut out = String::new();
    let mut markup = Markup::new(&mut out);
    document.root().children().for_each(|child| extract(child, version, &mut markup));
    out
}

fn is_in(element: Node<'_>, version: &str) -> bool {
    element.attribute(DELTAXML, "deltaV2").is_none_or(|presence| presence.contains(version))
}

fn extract(node: Node<'_>, version: &str, markup: &mut Markup<'_, String>) {
    let inner = |markup: &mut Markup<'_, String>| node.children().for_each(|child| extract(child, version, markup));
    let name = node.name();
    match (name.namespace, name.local) {
        _ if !node.is_element() => markup.leaf(node, &node.value()).unwrap(),
        _ if !is_in(node, version) => {}
        (DELTAXML, "document" | "textGroup" | "text") => inner(markup),
        (DELTAXML, "attributes") => {}
        (PRESERVE, "comment") => markup.comment(&node.string_value()).unwrap(),
        (INSTRUCTION, target) => markup.instruction(target, &node.string_value()).unwrap(),
        _ => {
            let changed =
                node.children().find(|child| child.name().namespace == DELTAXML && child.name().local == "attributes");
            let kept = node.attributes().filter(|attribute| attribute.name().namespace != DELTAXML);
            let mut attributes: Vec<_> =
                kept.map(|attribute| (Named::of_attribute(attribute), attribute.value().into_owned())).collect();
            for attribute in changed.iter().flat_map(|changed| changed.children()).filter(|node| is_in(*node, version))
            {
                let value = attribute.children().find(|value| is_in(*value, version)).unwrap();
                let name = match attribute.name().namespace {
                    PLAIN_ATTRIBUTE => plain(attribute.name().local),
                    XML_ATTRIBUTE => Named { prefix: "xml", namespace: XML_NAMESPACE, local: attribute.name().local },
                    _ => Named::of_element(attribute),
                };
                attributes.push((name, value.string_value().into_owned()));
            }
            markup.start(Named::of_element(node), attributes).unwrap();
            inner(markup);
            markup.end().unwrap();
        }
    }
}

#[track_caller]
fn assert_same(version: &str, expected: &Document, whitespace: Whitespace) {
    let version = read(version, whitespace);
    let pairs = version.root().children().zip(expected.root().children());
    let is_same = version.len() == expected.len() && pairs.into_iter().all(|(a, b)| a.same_content(b));
    assert!(is_same, "{}\nis not\n{}", canonical(&version), canonical(expected));
}

#[test]
fn every_operation_is_told() {
    let (delta, before, after) = catalogue_without_type();
    let written = written(&delta, &before, &after);
    let expected = [
        r#"<list xmlns:deltaxml="http://www.deltaxml.com/ns/well-formed-delta-v1""#,
        r#" xmlns:dxa="http://www.deltaxml.com/ns/non-namespaced-attribute""#,
        r#" xmlns:dxx="http://www.deltaxml.com/ns/xml-namespaced-attribute""#,
        r#" deltaxml:deltaV2="A!=B" deltaxml:version="2.0" deltaxml:content-type="full-context">"#,
        r#"<deltaxml:attributes deltaxml:deltaV2="A!=B"><dxx:lang deltaxml:deltaV2="A">"#,
        r#"<deltaxml:attributeValue deltaxml:deltaV2="A">en</deltaxml:attributeValue></dxx:lang></deltaxml:attributes>"#,
        r#"<note deltaxml:deltaV2="B">new</note>"#,
        r#"<product deltaxml:deltaV2="A!=B"><deltaxml:attributes deltaxml:deltaV2="A!=B">"#,
        r#"<dxa:href deltaxml:deltaV2="A!=B"><deltaxml:attributeValue deltaxml:deltaV2="A">a</deltaxml:attributeValue>"#,
        r#"<deltaxml:attributeValue deltaxml:deltaV2="B">b</deltaxml:attributeValue></dxa:href>"#,
        r#"<dxa:class deltaxml:deltaV2="B"><deltaxml:attributeValue deltaxml:deltaV2="B">hot</deltaxml:attributeValue>"#,
        r#"</dxa:class></deltaxml:attributes><name deltaxml:deltaV2="A=B">zoom</name>"#,
        r#"<price deltaxml:deltaV2="A!=B"><deltaxml:textGroup deltaxml:deltaV2="A!=B">"#,
        r#"<deltaxml:text deltaxml:deltaV2="A">$799</deltaxml:text><deltaxml:text deltaxml:deltaV2="B">"$699"</deltaxml:text>"#,
        r#"</deltaxml:textGroup></price><stock deltaxml:deltaV2="B">7</stock></product>"#,
        r#"<product deltaxml:deltaV2="A"><name>lens</name><price>$49</price></product><note deltaxml:deltaV2="A">new</note></list>"#,
        "\n",
    ];
    assert_eq!(written, expected.concat());
    assert_same(&extracted(&written, "A"), &before, Whitespace::Layout);
    assert_same(&extracted(&written, "B"), &after, Whitespace::Layout);
}

#[test]
fn changes_only_names_what_is_the_same() {
    let (delta, before, after) = compared(
        "<a x='1' y='1'><b><c/>long</b><!--c-->text<d/></a>",
        "<a x='1' y='2'><b><c/>long</b><!--c-->text</a>",
        Whitespace::Layout,
    );
    let mut written = String::new();
    annotated_changes(&delta, &before, &after, &mut written).unwrap();
    let (_, content) = written.split_once("\"changes-only\">").unwrap();
    let expected = [
        r#"<deltaxml:attributes deltaxml:deltaV2="A!=B"><dxa:y deltaxml:deltaV2="A!=B">"#,
        r#"<deltaxml:attributeValue deltaxml:deltaV2="A">1</deltaxml:attributeValue>"#,
        r#"<deltaxml:attributeValue deltaxml:deltaV2="B">2</deltaxml:attributeValue></dxa:y></deltaxml:attributes>"#,
        r#"<b deltaxml:deltaV2="A=B"/>"#,
        r#"<preserve:comment xmlns:preserve="http://www.deltaxml.com/ns/preserve" deltaxml:deltaV2="A=B"/>"#,
        r#"<deltaxml:textGroup deltaxml:deltaV2="A=B"/><d deltaxml:deltaV2="A"/></a>"#,
        "\n",
    ];
    assert_eq!(content, expected.concat());
}

#[test]
fn what_changed_around_the_root_element_is_told_inside() {
    let (delta, before, after) = compared("<!--x--><a/>", "<a/><?p q?>", Whitespace::Layout);
    let written = written(&delta, &before, &after);
    assert!(written.starts_with("<deltaxml:document "), "{written}");
    assert_same(&extracted(&written, "A"), &before, Whitespace::Layout);
    assert_same(&extracted(&written, "B"), &after, Whitespace::Layout);
}

/// What is the same around the root element would be elements beside it.
#[test]
fn changes_only_have_one_root() {
    for (before, after) in [
        ("<a/><!--post-->", "<a k='1'/><!--post-->"),
        ("<a/><?p q?>", "<a k='1'/><?p q?>"),
        ("<!--pre--><a/>", "<!--pre--><a k='1'/>"),
        ("<!--pre--><a/><!--post-->", "<!--pre--><a/><!--post-->"),
    ] {
        let (delta, before, after) = compared(before, after, Whitespace::Layout);
        let mut written = String::new();
        annotated_changes(&delta, &before, &after, &mut written).unwrap();
        let document = read(&written, Whitespace::Exact);
        let root = document.root_element().unwrap();
        assert_eq!((root.name().namespace, root.name().local), (DELTAXML, "document"), "{written}");
        assert_eq!(root.children().count(), after.root().children().count(), "{written}");
    }
}

proptest! {
    #[test]
    fn both_versions_come_out_again((delta, before, after) in random_delta()) {
        let written = written(&delta, &before, &after);
        assert_same(&extracted(&written, "A"), &before, Whitespace::Exact);
        assert_same(&extracted(&written, "B"), &after, Whitespace::Exact);
    }
}
