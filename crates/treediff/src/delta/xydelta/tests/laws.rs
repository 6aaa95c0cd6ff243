//! Is every delta read as it was written, whatever its documents?

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;

use super::{delta_between, parsed, round_trip};
use crate::delta::{Delta, Fragment, Operation, Place, Xid, XidMap};
use crate::parse::{self, Options, Whitespace};
use crate::tree::{Document, Format, Node, NodeId, Step};

/// Markup with what makes payloads hard to write: white space of every kind, namespaces that come and go, texts that
/// look like markup.
fn xml() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => prop::sample::select(vec![
            "a", " ", "\n  ", "]]&gt;", "&lt;&amp;&lt;&amp;&lt;", "&#13;", "<![CDATA[<&]]>", "&#x20;", "&kept;", "é",
            "&#x85;&#x2028;", "<![CDATA[ ]]>", "b&#10;", "&inner;",
        ]).prop_map(str::to_owned),
        1 => prop::sample::select(vec![
            "<!---->", "<!-- a -->", "<?xydelta gap?>", "<?xydelta  gap?>", "<?xydelta?>", "<?p  q ?>", "<e/>",
        ]).prop_map(str::to_owned),
    ];
    let attributes = prop::sample::select(vec![
        "",
        " a='1'",
        " b='\"' c=\"'\"",
        " d='&#9;&#10;&#13; &lt;&amp;'",
        " xml:space='preserve'",
        " xml:space='default'",
        " xmlns='urn:d'",
        " xmlns=''",
        " xmlns:p='urn:p'",
        " xmlns:p='urn:q' p:a='1'",
        " p:b='2' a='&#34;&apos;'",
        " xmlns:q='urn:p' q:b='3'",
        " xml:lang='en'",
    ]);
    let name = prop::sample::select(vec!["e", "f", "p:e", "_x0041_", "insert"]);
    leaf.prop_recursive(5, 40, 5, move |inner| {
        (name.clone(), attributes.clone(), prop::collection::vec(inner, 0..5))
            .prop_map(|(name, attributes, content)| format!("<{name}{attributes}>{}</{name}>", content.concat()))
    })
    .prop_map(|content| {
        let doctype = "<!DOCTYPE r SYSTEM 'more' [<!ENTITY inner 'i&#32;'>]>";
        format!("{doctype}<r xmlns:p='urn:r'>{content}</r>")
    })
}

/// White space that is a node here and layout there, as `xml:space` has it, and little else.
fn spaced() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![" ", " ", "x", "<g/>"]).prop_map(str::to_owned);
    let space = prop::sample::select(vec!["", " xml:space='preserve'", " xml:space='default'"]);
    leaf.prop_recursive(5, 30, 4, move |inner| {
        (space.clone(), prop::collection::vec(inner, 0..4))
            .prop_map(|(space, content)| format!("<e{space}>{}</e>", content.concat()))
    })
    .prop_map(|content| format!("<r xml:space='preserve'>{content}</r>"))
}

/// What is not well-formed, with what recovery lets stand: names that are none, prefixes that nobody declares, entities that
/// nobody knows, comments that XML does not allow.
fn broken() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<a>",
        "</a>",
        "<s:a>",
        "<s:a t:b='1'>",
        "</s:a>",
        "<a:b:c/>",
        "<a: :d='2'/>",
        "<s:a xmlns:s='urn:s'>",
        "<a xmlns:s:t='urn:s' s:1='x'/>",
        "<a xmlns='urn:d' xmlns:1='urn:1'>",
        "<a _x0041_='&amp;u;' _='_x'/>",
        "<xmla xmlb='1'/>",
        "<a 1='2' b'/>",
        "<a&b c<d='e'>",
        "<!-- a -- b --->",
        "<!-- _x0041_-->",
        "<?p:q r?>",
        "<?1 x?>",
        "<?xydelta gap?>",
        "&u;",
        "&u:v;",
        "&",
        "<",
        "]]>",
        "x",
        " ",
        "\u{1}",
        "<![CDATA[",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| format!("<r>{}</r>", pieces.concat()))
}

fn recovered(source: &str, whitespace: Whitespace) -> Arc<Document> {
    let options = Options { whitespace, recover: true, ..Options::default() };
    Arc::new(parse::xml(source, &options).unwrap_or_else(|error| panic!("{error}: {source}")).document)
}

/// Pages with names, comments and characters that XML does not have.
fn html() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "<p>",
            "</p>",
            "<b>",
            "</b>",
            " ",
            "\n",
            "text",
            "&amp;",
            "\u{1}",
            "\u{FFFF}",
            "<o:p>",
            "</o:p>",
            "<a@b c=d>",
            "<i _x0041_ @click=\"x\" 'q'=1>",
            "<svg xmlns='http://www.w3.org/2000/svg' xlink:href='#a' xmlns:xlink='x'>",
            "</svg>",
            "<svg xml:space=preserve>",
            "<g>",
            "</g>",
            "<!-- a -- b -->",
            "<!--_x0041_-\r-->",
            "<!---->",
            "<pre>\n",
            "</pre>",
            "<textarea> </textarea>",
            "<script> </script>",
            "<!x -->",
            "<?php a > b ?>",
            "<?xml x?>",
            "<p xmlns=y xml:lang=z>",
            "<table><tr>",
            "</table>",
            "<math><mi>",
            "&#x80;\u{85}\u{2028}",
            "<br>",
            "<form a=\"\u{2}\">",
            "&nbsp;",
            "<x\u{10FFFF}y>",
        ]),
        0..24,
    )
    .prop_map(|parts| parts.concat())
}

fn json() -> impl Strategy<Value = String> {
    let text = || prop::sample::select(vec!["", "a", "\\u0001", "<&]]>", "\\\"", "\u{FFFF}", "é", " ", "\\\\"]);
    let scalar = prop_oneof![
        text().prop_map(|text| format!("\"{text}\"")),
        prop::sample::select(vec!["1", "-0.50e3", "true", "null"]).prop_map(str::to_owned),
    ];
    scalar.prop_recursive(5, 30, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::btree_map(text(), inner, 0..5).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
                format!("{{{}}}", members.join(" , "))
            }),
        ]
    })
}

fn whitespace() -> impl Strategy<Value = Whitespace> {
    prop::sample::select(vec![Whitespace::Layout, Whitespace::Exact])
}

/// What has to be chosen to make a delta of a document.
type Choice = (usize, Vec<usize>);

fn choice() -> impl Strategy<Value = Choice> {
    (any::<usize>(), prop::collection::vec(any::<usize>(), 0..6))
}

/// A delta that deletes a subtree of a document, with parts of it moved out before.
fn deletion(document: &Arc<Document>, whitespace: Whitespace, (root, holes): &Choice) -> Option<Delta> {
    let nodes: Vec<Node<'_>> = document.nodes().skip(1).collect();
    let root = *nodes.get(root % nodes.len().max(1))?;
    let holes = chosen_holes(root, holes);
    let content = Fragment::new(Arc::clone(document), root.id(), holes.clone());
    let from_xids = XidMap::first_version(document.len() - 1);
    let places = places(document);
    let xid = |node: Node<'_>| Xid(places[node.id().index()]);
    let xids: XidMap = content.nodes_in_post_order().map(xid).collect();
    let to_xids = from_xids.iter().filter(|xid| xids.places().find(*xid).is_none()).collect();
    let place = |node: Node<'_>| {
        let parent = node.parent().unwrap();
        let position = parent.children().position(|child| child == node).unwrap() as u32;
        Place { parent: xid(parent), position }
    };
    let moves = holes.iter().enumerate().map(|(at, &hole)| {
        let hole = document.node(hole);
        let below = Fragment::new(Arc::clone(document), hole.id(), []);
        let xids = below.nodes_in_post_order().map(xid).collect();
        Operation::Move { from: place(hole), to: Place { parent: Xid::DOCUMENT, position: at as u32 }, xids }
    });
    let mut operations: Vec<Operation> = moves.collect();
    operations.push(Operation::Delete { place: place(root), xids: xids.clone(), content });
    Some(Delta {
        format: document.format(),
        whitespace,
        from_hash: 1,
        to_hash: u64::MAX,
        next_xid: Xid(document.len() as u64),
        fallbacks: Default::default(),
        from_xids,
        to_xids,
        operations,
    })
}

/// The same backwards.
fn insertion(deletion: &Delta) -> Delta {
    let mut delta = deletion.clone();
    std::mem::swap(&mut delta.from_xids, &mut delta.to_xids);
    delta.operations = delta
        .operations
        .into_iter()
        .map(|operation| match operation {
            Operation::Delete { place, xids, content } => Operation::Insert { place, xids, content },
            Operation::Move { from, to, xids } => Operation::Move { from: to, to: from, xids },
            other => other,
        })
        .collect();
    delta
}

/// Some nodes below a root, none below another.
fn chosen_holes(root: Node<'_>, chosen: &[usize]) -> Vec<NodeId> {
    let below: Vec<Node<'_>> = root.descendants().collect();
    if below.is_empty() {
        return Vec::new();
    }
    let mut holes: Vec<Node<'_>> = chosen.iter().map(|index| below[index % below.len()]).collect();
    holes.sort_by_key(|node| node.id());
    let mut end = 0;
    holes.retain(|node| {
        let is_free = node.id().0 >= end;
        end = if is_free { node.end() } else { end };
        is_free
    });
    holes.into_iter().map(Node::id).collect()
}

fn places(document: &Document) -> Vec<u64> {
    let mut places = vec![0; document.len()];
    let mut next = 1;
    for step in document.root().walk() {
        let node = match step {
            Step::Enter(node) if node.kind().is_container() => continue,
            Step::Enter(node) | Step::Leave(node) => node,
        };
        if node.id() != NodeId::DOCUMENT {
            places[node.id().index()] = next;
            next += 1;
        }
    }
    places
}

/// Writes and reads deltas made of a document, in both directions.
fn check(document: &Arc<Document>, whitespace: Whitespace, choice: &Choice) {
    let Some(delta) = deletion(document, whitespace, choice) else { return };
    for delta in [insertion(&delta), delta] {
        let written = round_trip(&delta);
        let strict = parse::xml(written.as_bytes(), &Options::default());
        assert!(strict.is_ok() || written.starts_with("<?xml version=\"1.1\"?>"), "{:?}\n{written}", strict.err());
        same_hash(&delta, &written);
    }
}

/// What is whole has its hash in the delta too, so that nobody needs to compare it node by node.
fn same_hash(delta: &Delta, written: &str) {
    let read = Delta::read(written, &Default::default()).unwrap();
    let contents = [delta, &read].map(|delta| {
        delta.operations.iter().find_map(|operation| match operation {
            Operation::Delete { content, .. } | Operation::Insert { content, .. } => Some(content),
            _ => None,
        })
    });
    let [Some(here), Some(there)] = contents else { return };
    if here.holes().is_empty() {
        assert_eq!(here.root().hash(), there.root().hash(), "{written}");
    }
}

proptest! {
    #[test]
    fn xml_payloads(source in xml(), whitespace in whitespace(), choice in choice()) {
        check(&parsed(&source, Format::Xml, whitespace), whitespace, &choice);
    }

    #[test]
    fn spaced_payloads(source in spaced(), whitespace in whitespace(), choice in choice()) {
        check(&parsed(&source, Format::Xml, whitespace), whitespace, &choice);
    }

    #[test]
    fn spaced_deltas(before in spaced(), after in spaced(), whitespace in whitespace()) {
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Xml, whitespace));
        let delta = delta_between(&before, &after, whitespace);
        round_trip(&delta);
        let binary = Delta::from_binary(&delta.to_binary(), &Default::default()).unwrap();
        prop_assert!(binary.same_as(&delta));
        let patched = binary.apply(&before, &Default::default()).unwrap();
        prop_assert_eq!(patched.document.root().hash(), after.root().hash());
    }

    #[test]
    fn html_payloads(source in html(), whitespace in whitespace(), choice in choice()) {
        check(&parsed(&source, Format::Html, whitespace), whitespace, &choice);
    }

    #[test]
    fn broken_payloads(source in broken(), whitespace in whitespace(), choice in choice()) {
        check(&recovered(&source, whitespace), whitespace, &choice);
    }

    #[test]
    fn json_payloads(source in json(), choice in choice()) {
        check(&parsed(&source, Format::Json, Whitespace::Layout), Whitespace::Layout, &choice);
    }

    #[test]
    fn xml_deltas(before in xml(), after in xml(), whitespace in whitespace()) {
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Xml, whitespace));
        round_trip(&delta_between(&before, &after, whitespace));
    }

    #[test]
    fn deltas_of_what_is_not_well_formed(before in broken(), after in broken(), whitespace in whitespace()) {
        let [before, after] = [before, after].map(|source| recovered(&source, whitespace));
        let delta = delta_between(&before, &after, whitespace);
        round_trip(&delta);
        let binary = Delta::from_binary(&delta.to_binary(), &Default::default()).unwrap();
        prop_assert!(binary.same_as(&delta));
    }

    #[test]
    fn html_deltas(before in html(), after in html(), whitespace in whitespace()) {
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Html, whitespace));
        round_trip(&delta_between(&before, &after, whitespace));
    }

    #[test]
    fn json_deltas(before in json(), after in json()) {
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Json, Whitespace::Layout));
        round_trip(&delta_between(&before, &after, Whitespace::Layout));
    }

    #[test]
    fn bytes_that_were_changed_do_not_hurt(source in xml(), at in any::<Index>(), byte in any::<u8>(), choice in choice()) {
        let document = parsed(&source, Format::Xml, Whitespace::Layout);
        if let Some(delta) = deletion(&document, Whitespace::Layout, &choice) {
            let mut written = delta.to_xydelta().into_bytes();
            let at = at.index(written.len() - "\n".len());
            written[at] = byte;
            let _ = Delta::read(written.clone(), &Default::default());
            written.truncate(at);
            prop_assert!(Delta::read(written, &Default::default()).is_err());
        }
    }
}

#[test]
fn depth_does_not_matter() {
    let whole = (0, Vec::new());
    let levels = 100_000;
    let source = format!("{}x{}", "<a> <b/>".repeat(levels), "</a>".repeat(levels));
    let document = parsed(&source, Format::Xml, Whitespace::Layout);
    check(&document, Whitespace::Layout, &whole);
    let source = format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    check(&parsed(&source, Format::Json, Whitespace::Layout), Whitespace::Layout, &whole);
}
