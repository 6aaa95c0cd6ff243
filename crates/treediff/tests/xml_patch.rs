//! Do XML patches do what RFC 5261 says, and do those that we write lead from one document to the other?

mod support;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use treediff::delta::formats::xml_patch;
use treediff::delta::{Delta, Operation, Options};
use treediff::matching::{self, Matching};
use treediff::parse::{self, Limits, Whitespace};
use treediff::tree::{Document, Node};
use treediff::write;

fn parsed(source: &[u8], whitespace: Whitespace) -> Result<Arc<Document>, String> {
    let options = parse::Options { whitespace, ..parse::Options::default() };
    parse::xml(source, &options).map(|parsed| Arc::new(parsed.document)).map_err(|error| error.to_string())
}

/// Applies operations, given as the content of a `<diff>`.
fn applied(operations: &str, source: &str) -> Result<String, String> {
    let patch = format!("<diff xmlns:p='urn:p'>{operations}</diff>");
    let document = parsed(source.as_bytes(), Whitespace::Layout)?;
    let patched = xml_patch::apply(patch.as_bytes(), &document, &Limits::default());
    patched.map(|bytes| String::from_utf8(bytes).unwrap()).map_err(|error| error.to_string())
}

fn check(source: &str, operations: &str, expected: &str) {
    assert_eq!(applied(operations, source).as_deref(), Ok(expected), "{operations} on {source}");
}

fn check_refused(source: &str, operations: &str, message: &str) {
    assert_eq!(applied(operations, source), Err(message.to_owned()), "{operations} on {source}");
}

#[test]
fn elements_are_added() {
    check("<doc><a/></doc>", "<add sel='doc'><b id='1'/></add>", "<doc><a/><b id='1'/></doc>");
    check("<doc><a/></doc>", "<add sel='/doc' pos='prepend'><b/></add>", "<doc><b/><a/></doc>");
    check("<doc><a/><a/></doc>", "<add sel='doc/a[2]' pos='before'><b/></add>", "<doc><a/><b/><a/></doc>");
    check(
        "<doc><a/><a/></doc>",
        "<add sel='doc/a[1]' pos='after'><b/>x<!--c--><?p q?></add>",
        "<doc><a/><b/>x<!--c--><?p q?><a/></doc>",
    );
    check("<doc>\n  <a/>\n</doc>", "<add sel='doc/a' pos='after'>\n  <b/></add>", "<doc>\n  <a/>\n  <b/>\n</doc>");
    check("<doc/>", "<add sel='doc'>x &amp; y</add>", "<doc>x &amp; y</doc>");
    check(
        "<doc/>",
        "<add sel='doc' pos='before'><!--c--></add><add sel='*' pos='after'><?p?></add>",
        "<!--c--><doc/><?p?>",
    );
}

#[test]
fn attributes_are_added_replaced_and_removed() {
    check(
        "<doc><a/></doc>",
        "<add sel='doc/a' type='@b'>1 &lt; \"2\"</add>",
        "<doc><a b=\"1 &lt; &quot;2&quot;\"/></doc>",
    );
    check("<doc a='1' b='2'/>", "<replace sel='doc/@a'>3</replace><remove sel='doc/@b'/>", "<doc a=\"3\"/>");
    check("<doc xmlns:q='urn:p'/>", "<add sel='doc' type='@p:a'>1</add>", "<doc xmlns:q='urn:p' q:a=\"1\"/>");
    check("<doc xml:lang='en'/>", "<remove sel='doc/@xml:lang'/>", "<doc/>");
    check("<doc a='1'/>", "<remove sel='doc/@a'/><add sel='doc' type='@a'>2</add>", "<doc a=\"2\"/>");
}

#[test]
fn nodes_are_replaced() {
    check("<doc><a>x</a></doc>", "<replace sel='doc/a'>\n <b/>\n</replace>", "<doc><b/></doc>");
    check("<doc><a>x</a></doc>", "<replace sel='doc/a/text()'>y</replace>", "<doc><a>y</a></doc>");
    check("<doc><a>x</a></doc>", "<replace sel='doc/a/text()[1]'/>", "<doc><a></a></doc>");
    check(
        "<doc><!--a--><!--b--></doc>",
        "<replace sel='doc/comment()[2]'><!--c--></replace>",
        "<doc><!--a--><!--c--></doc>",
    );
    check(
        "<doc><?a 1?><?b 2?></doc>",
        "<replace sel=\"doc/processing-instruction('b')\"><?c 3?></replace>",
        "<doc><?a 1?><?c 3?></doc>",
    );
    check("<!--c--><doc/>", "<replace sel='doc'><other/></replace>", "<!--c--><other/>");
}

#[test]
fn nodes_are_removed() {
    check("<doc>x<a/>y</doc>", "<remove sel='doc/a'/><replace sel='doc/text()[1]'>z</replace>", "<doc>z</doc>");
    check("<doc>\n  <a/>\n  <b/>\n</doc>", "<remove sel='doc/a' ws='after'/>", "<doc>\n  <b/>\n</doc>");
    check("<doc>\n  <a/>\n  <b/>\n</doc>", "<remove sel='doc/b' ws='before'/>", "<doc>\n  <a/>\n</doc>");
    check("<doc>\n  <a/>\n</doc>", "<remove sel='doc/a' ws='both'/>", "<doc></doc>");
    check("<doc>x<!--c--></doc>", "<remove sel='doc/text()'/><remove sel='doc/comment()'/>", "<doc></doc>");
    check("<!--c--><doc/><?p?>", "<remove sel='comment()'/><remove sel='processing-instruction()'/>", "<doc/>");
}

#[test]
fn selectors_select() {
    let document = "<doc><a n='1'>x</a><a n='2'>y</a><b><a>z</a></b><c><d>1</d></c><c><d>2</d></c></doc>";
    let cases = [
        ("doc/a[@n='2']", "<a n='2'>y</a>"),
        ("doc/a[.='x']", "<a n='1'>x</a>"),
        ("*/*[3]/a", "<a>z</a>"),
        ("doc/*[@n][2]", ""),
        ("doc/c[d='2']", "<c><d>2</d></c>"),
        ("doc/*[.='z']", "<b><a>z</a></b>"),
        ("doc/a[@n=\"1\"][.='x'][1]", "<a n='1'>x</a>"),
    ];
    for (selector, expected) in cases {
        let quoted = selector.replace('"', "&quot;").replace('\'', "&apos;");
        let found = applied(&format!("<remove sel=\"{quoted}\"/>"), document);
        match found {
            Ok(found) => assert_eq!(found, document.replacen(expected, "", 1), "{selector}"),
            Err(error) => assert!(expected.is_empty(), "{selector}: {error}"),
        }
    }
}

#[test]
fn names_are_in_the_default_namespace_of_the_patch() {
    let document = parsed(b"<doc xmlns='urn:d'><a/></doc>", Whitespace::Exact).unwrap();
    let patch = "<diff xmlns='urn:d' xmlns:q='urn:q'><add sel='doc/a'><q:b/><c/></add></diff>";
    let patched = xml_patch::apply(patch.as_bytes(), &document, &Limits::default()).unwrap();
    assert_eq!(String::from_utf8(patched).unwrap(), "<doc xmlns='urn:d'><a><q:b xmlns:q=\"urn:q\"/><c/></a></doc>");
    check_refused(
        "<doc xmlns='urn:d'/>",
        "<remove sel='doc/@a'/>",
        "operation 1 (`remove` of `doc/@a`): unlocated-node: it selects nothing: is the patch for another document?",
    );
}

#[test]
fn elements_are_found_by_id() {
    let document = "<!DOCTYPE d [<!ATTLIST a key ID #IMPLIED>]><d><a key='x'/><b xml:id='y'/></d>";
    check(document, "<remove sel=\"id('x')\"/>", &document.replace("<a key='x'/>", ""));
    check(document, "<add sel=\"id('y')\" type='@z'>1</add>", &document.replace("'y'", "'y' z=\"1\""));
    check(
        document,
        "<add sel='d'><c xml:id='n'/></add><add sel=\"id('n')\">t</add>",
        &document.replace("</d>", "<c xml:id='n'>t</c></d>"),
    );
    for gone in ["<remove sel='d/a'/>", "<remove sel='d/a/@key'/>"] {
        let found = applied(&format!("{gone}<remove sel=\"id('x')\"/>"), document).unwrap_err();
        assert!(found.contains("unlocated-node"), "{found}");
    }
    // Any attribute may have the value of the ID; only the ID is one.
    let [xml_id, declared] = ["<d><a xml:id='x' name='x'/></d>", "<a aka='x' key='x' name='x'/>"];
    let declared = format!("<!DOCTYPE d [<!ATTLIST a key ID #IMPLIED>]><d>{declared}</d>");
    for (id, document) in [("xml:id", xml_id), ("key", &declared)] {
        let replaced = format!("<replace sel='d/a/@{id}'>y</replace>");
        let hit = "<add sel=\"id('x')\" type='@hit'>1</add>";
        let found = applied(&format!("{replaced}{hit}"), document).unwrap_err();
        assert!(found.contains("unlocated-node"), "{found}");
        let restored = format!("{replaced}<replace sel='d/a/@{id}'>x</replace>{hit}");
        assert!(applied(&restored, document).unwrap().contains("hit=\"1\""));
        let others = "<remove sel='d/a/@name'/>";
        assert!(applied(&format!("{others}{hit}"), document).unwrap().contains("hit=\"1\""));
    }
}

#[test]
fn namespace_declarations_change() {
    check("<doc><a/></doc>", "<add sel='doc' type='namespace::q'>urn:q</add>", "<doc xmlns:q=\"urn:q\"><a/></doc>");
    check(
        "<doc a='>' xmlns:q = 'urn:q'/>",
        "<replace sel='doc/namespace::q'>urn:r</replace>",
        "<doc a='>' xmlns:q=\"urn:r\"/>",
    );
    check("<doc xmlns:q='urn:q'/>", "<remove sel='doc/namespace::q'/>", "<doc/>");
    check(
        "<doc/>",
        "<add sel='doc' type='namespace::q'>urn:p</add><add sel='doc' type='@p:a'>1</add>",
        "<doc xmlns:q=\"urn:p\" q:a=\"1\"/>",
    );
    let in_use = applied("<remove sel='doc/namespace::q'/>", "<doc xmlns:q='urn:q'><q:a/></doc>").unwrap_err();
    assert!(in_use.contains("invalid-namespace-prefix"), "{in_use}");
    let other =
        applied("<add sel='doc/a' type='namespace::q'>urn:r</add>", "<doc xmlns:q='urn:q'><a/></doc>").unwrap_err();
    assert!(other.contains("invalid-namespace-prefix"), "{other}");
    let absent = applied("<remove sel='doc/namespace::q'/>", "<doc a='xmlns:q'/>").unwrap_err();
    assert!(absent.contains("invalid-namespace-uri"), "{absent}");
}

#[test]
fn what_cannot_be_done_is_named() {
    let cases = [
        ("<spam sel='doc'/>", "invalid-patch-directive"),
        ("text", "invalid-patch-directive"),
        ("<add><a/></add>", "invalid-attribute-value"),
        ("<add sel='doc' pos='nowhere'><a/></add>", "invalid-attribute-value"),
        ("<add sel='doc' type='a'>1</add>", "invalid-attribute-value"),
        ("<remove sel='doc/a' ws='all'/>", "invalid-attribute-value"),
        ("<remove sel='doc//a'/>", "invalid-attribute-value"),
        ("<remove sel='q:doc'/>", "invalid-namespace-prefix"),
        ("<remove sel='doc/b'/>", "unlocated-node"),
        ("<remove sel='doc/a'/>", "unlocated-node"),
        ("<remove sel='doc/a[1]/@n'/>", "unlocated-node"),
        ("<remove sel='doc'/>", "invalid-root-element-operation"),
        ("<add sel='doc' pos='after'><a/></add>", "invalid-root-element-operation"),
        ("<add sel='doc' pos='after'>x</add>", "invalid-xml-prolog-operation"),
        ("<remove sel='doc/a[1]' ws='before'/>", "invalid-whitespace-directive"),
        ("<remove sel='doc/text()' ws='before'/>", "invalid-whitespace-directive"),
        ("<replace sel='doc/a[1]'>x</replace>", "invalid-node-types"),
        ("<replace sel='doc/a[1]'><b/><b/></replace>", "invalid-node-types"),
        ("<replace sel='doc/text()'><b/></replace>", "invalid-node-types"),
        ("<replace sel='doc/@x'><b/></replace>", "invalid-node-types"),
        ("<add sel='doc' type='@x'>1</add>", "invalid-patch-directive"),
        ("<add sel='doc/text()'>1</add>", "invalid-patch-directive"),
        ("<add sel='doc/text()' type='@x'>1</add>", "invalid-patch-directive"),
        ("<add sel='doc' type='namespace::q'></add>", "invalid-namespace-uri"),
    ];
    for (operations, condition) in cases {
        let found = applied(operations, "<doc x='1'><a/><a/>text</doc>").expect_err(operations);
        assert!(found.contains(condition), "{operations}: {found}");
        assert!(found.starts_with("operation 1 "), "{found}");
    }
    let late = applied("<remove sel='doc/a[1]'/><remove sel='doc/b'/>", "<doc><a/></doc>").unwrap_err();
    assert!(late.starts_with("operation 2 (`remove` of `doc/b`)"), "{late}");
    let broken = xml_patch::apply(b"<diff>", &parsed(b"<a/>", Whitespace::Exact).unwrap(), &Limits::default());
    assert!(broken.unwrap_err().to_string().starts_with("invalid-diff-format: "));
}

#[test]
fn encodings_stay() {
    let source = b"<?xml version='1.0' encoding='ISO-8859-1'?><d>\xE9<a/></d>";
    let document = parsed(source, Whitespace::Layout).unwrap();
    let patch = "<diff><add sel='d/a' type='@x'>\u{e8}</add></diff>";
    let patched = xml_patch::apply(patch.as_bytes(), &document, &Limits::default()).unwrap();
    assert_eq!(patched, b"<?xml version='1.0' encoding='ISO-8859-1'?><d>\xE9<a x=\"\xE8\"/></d>");
}

/// As many operations as there are children, in one parent: only the time would tell if each looked at all of them.
#[test]
fn wide_documents_are_patched_at_their_ends() {
    let source = format!("<d>{}</d>", "x<a/>".repeat(50_000));
    let operations = "<remove sel='*/*[25000]'/><add sel='*/*[1]' pos='before'><b/></add>".repeat(20_000);
    let patched = applied(&operations, &source).unwrap();
    assert_eq!(patched.matches("<b/>").count(), 20_000);
}

fn compared(before: &Arc<Document>, after: &Arc<Document>, matching: &Matching, whitespace: Whitespace) -> Delta {
    Delta::between(before, after, matching, &Options { whitespace, ..Options::default() }).unwrap()
}

/// Writes a patch, applies it, and returns it where it makes the second document of the first.
fn written(before: &Arc<Document>, after: &Arc<Document>, delta: &Delta) -> Result<String, String> {
    let patch = xml_patch::write(delta, before, after).map_err(|error| error.to_string())?;
    let patched = xml_patch::apply(patch.as_bytes(), before, &Limits::default());
    let patched = patched.map_err(|error| format!("{error} in {patch}"))?;
    let patched = parsed(&patched, delta.whitespace())?;
    let is_same = patched.root().same_content(after.root())
        && (!has_one_prefix_each([before, after]) || write::canonical(&patched) == write::canonical(after));
    if is_same { Ok(patch) } else { Err(format!("{patch} made {}", write::canonical(&patched))) }
}

/// Whether every namespace is written with one prefix in both documents: then their canonical forms have to agree.
fn has_one_prefix_each(documents: [&Document; 2]) -> bool {
    let mut prefixes = HashMap::new();
    documents.iter().flat_map(|document| document.nodes()).filter(|node| node.is_element()).all(|element| {
        let attributes = element.attributes().map(|attribute| (attribute.name().namespace, attribute.prefix()));
        let attributes = attributes.filter(|(namespace, _)| !namespace.is_empty());
        let mut names = attributes.chain([(element.name().namespace, element.prefix())]);
        names.all(|(namespace, prefix)| *prefixes.entry(namespace).or_insert(prefix) == prefix)
    })
}

fn check_written(before: &str, after: &str, whitespace: Whitespace) -> String {
    let [before, after] = [before, after].map(|source| parsed(source.as_bytes(), whitespace).unwrap());
    let matching = matching::xydiff(&before, &after, &Default::default());
    let delta = compared(&before, &after, &matching, whitespace);
    written(&before, &after, &delta).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn written_patches_say_what_happened() {
    let check = |before, after, expected: &str| {
        let patch = check_written(before, after, Whitespace::Layout);
        let operations = patch.split_once("<diff>\n").unwrap().1.trim_end_matches("</diff>\n");
        assert_eq!(operations, expected);
    };
    check("<a>\n <b/>\n</a>", "<a><b/></a>", "");
    check(
        "<a x='1'/>",
        "<a x='2' y='3'/>",
        "<replace sel=\"/*/@x\">2</replace>\n<add sel=\"/*\" type=\"@y\">3</add>\n",
    );
    check("<a>\n <b>one</b>\n <c>two</c>\n</a>", "<a>\n <c>two</c>\n</a>", "<remove sel=\"/*/*[1]\" ws=\"before\"/>\n");
    check(
        "<a><b/></a>",
        "<a xmlns:q='urn:q'><b q:x='1'/></a>",
        "<add sel=\"/*\" type=\"namespace::q\">urn:q</add>\n<add xmlns:q=\"urn:q\" sel=\"/*/*[1]\" type=\"@q:x\">1</add>\n",
    );
    check(
        "<a/>",
        "<!--c--><b>x</b>",
        "<replace sel=\"/*\"><b>x</b></replace>\n<add sel=\"/*[1]\" pos=\"before\"><!--c--></add>\n",
    );
}

/// White space that would become content where it stayed, or was content and is none.
#[test]
fn layout_is_minded() {
    let pairs = [
        ("<a>\n <b/>\n <c/>\n</a>", "<a>text<c/></a>"),
        ("<a>\n <b/>\n</a>", "<a/>"),
        ("<a>\n <b/>\n</a>", "<a> </a>"),
        ("<a>\n <b/>\n</a>", "<a xml:space='preserve'><b/></a>"),
        ("<a>\n <b/>\n</a>", "<a xml:space='preserve'> <b/> </a>"),
        ("<a>\n <b><c/>\n </b>\n</a>", "<a xml:space='preserve'><b><c/></b></a>"),
        ("<a><b>\n <c/>\n</b></a>", "<a xml:space='preserve'><b xml:space='default'> <c/> </b></a>"),
        ("<a>x\n <b/>\n</a>", "<a>\n <b/>\n <c/>\n</a>"),
        ("<!-- x -->\n<a/>\n<!-- y -->", "<a/>\n<!-- x -->\n<!-- y -->"),
        ("<a>one<b/>two<b/>three</a>", "<a>one<!--c-->two<b/>three</a>"),
        ("<a>one<b/>two<b/>three</a>", "<a>one<c>x</c>three</a>"),
        ("<a>one<b/>two<?p?>three</a>", "<a>one<!--c-->three</a>"),
        ("<a>one<b>two</b>three</a>", "<a>one<!--c-->three<b>two</b></a>"),
    ];
    for (one, other) in pairs {
        for whitespace in [Whitespace::Layout, Whitespace::Exact] {
            check_written(one, other, whitespace);
            check_written(other, one, whitespace);
        }
    }
}

#[test]
fn references_that_nobody_follows_stay() {
    let doctype = "<!DOCTYPE a SYSTEM 'x.dtd'>";
    let (before, after) = (format!("{doctype}<a>x<b>&u;</b></a>"), format!("{doctype}<a>&u;<b>&u;y</b><c>&v;</c></a>"));
    for whitespace in [Whitespace::Layout, Whitespace::Exact] {
        check_written(&before, &after, whitespace);
        check_written(&after, &before, whitespace);
    }
}

#[test]
fn a_document_type_cannot_change() {
    let [before, after] =
        ["<a/>", "<!DOCTYPE a><a/>"].map(|source| parsed(source.as_bytes(), Whitespace::Layout).unwrap());
    let matching = matching::xydiff(&before, &after, &Default::default());
    let delta = compared(&before, &after, &matching, Whitespace::Layout);
    let error = xml_patch::write(&delta, &before, &after).unwrap_err().to_string();
    assert_eq!(error, "an XML patch cannot say that the document type declaration changed: `xydelta` and `json` can");
}

/// Small elements of few names, with mixed content, white space, comments, instructions and namespaces.
fn element() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => "[ab]{1,3}",
        2 => Just("\n ".to_owned()),
        1 => "[ab]".prop_map(|value| format!("<!--{value}-->")),
        1 => "[ab]".prop_map(|value| format!("<?p {value}?>")),
        2 => Just("<e/>".to_owned()),
    ];
    let content = leaf.prop_recursive(4, 40, 6, |inner| named(prop::collection::vec(inner, 0..6)));
    named(prop::collection::vec(content, 0..6))
}

fn named(content: impl Strategy<Value = Vec<String>>) -> impl Strategy<Value = String> {
    let tag = prop_oneof![
        Just(("e", "")),
        Just(("f", " x='1'")),
        Just(("f", " x='2' y='3'")),
        Just(("f", " xml:space='preserve'")),
        Just(("q:e", " xmlns:q='urn:q'")),
        Just(("g", " xmlns='urn:g' xmlns:q='urn:q' q:x='1'")),
        Just(("g", " xmlns=''")),
    ];
    (tag, content).prop_map(|((name, rest), content)| format!("<{name}{rest}>{}</{name}>", content.concat()))
}

fn document() -> impl Strategy<Value = String> {
    let around = prop::collection::vec(prop_oneof![Just("<!--o-->"), Just("<?o?>"), Just("\n")], 0..3);
    (around.clone(), element(), around)
        .prop_map(|(before, root, after)| format!("{}{root}{}", before.concat(), after.concat()))
}

fn whitespace() -> impl Strategy<Value = Whitespace> {
    prop_oneof![Just(Whitespace::Layout), Just(Whitespace::Exact)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn written_patches_lead_from_one_to_the_other(before in document(), after in document(), whitespace in whitespace()) {
        check_written(&before, &after, whitespace);
    }

    #[test]
    fn written_patches_follow_any_matching(
        before in document(), after in document(), drawn: u64, whitespace in whitespace(),
    ) {
        let [before, after] = [before, after].map(|source| parsed(source.as_bytes(), whitespace).unwrap());
        let matching = support::drawn_matching(&before, &after, drawn);
        let delta = compared(&before, &after, &matching, whitespace);
        let patch = written(&before, &after, &delta);
        prop_assert!(patch.is_ok(), "{}", patch.unwrap_err());
    }

    #[test]
    fn no_patch_hurts(document in document(), content in element(), selector in "[*/efq:@()\\[\\]12.='tx]{0,8}") {
        for directive in ["add", "replace", "remove"] {
            for rest in ["", "pos='before'", "ws='both'", "type='@q:z'", "type='namespace::z'"] {
                let operation = format!("<{directive} sel=\"{selector}\" {rest}>{content}</{directive}>");
                let _ = applied(&operation, &document);
            }
        }
    }
}

/// Every successive pair of the corpus in both white-space modes.
#[test]
fn the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let mut failures = BTreeMap::new();
    let mut pairs = 0;
    for (before, after) in successive(&corpus) {
        for whitespace in [Whitespace::Layout, Whitespace::Exact] {
            let [Ok(old), Ok(new)] = [&before, &after].map(|file| parsed(&fs::read(file).unwrap(), whitespace)) else {
                continue;
            };
            let matching = matching::xydiff(&old, &new, &Default::default());
            let delta = compared(&old, &new, &matching, whitespace);
            if delta.operations().iter().any(|operation| matches!(operation, Operation::Doctype { .. }))
                || keeps_reference_in_attribute(&new)
            {
                continue;
            }
            pairs += 1;
            if let Err(error) = written(&old, &new, &delta) {
                let case = format!("{}:{whitespace:?}", support::case_of(&after, &corpus));
                failures.insert(case, error.chars().take(600).collect::<String>());
            }
        }
    }
    assert!(pairs > 3000, "{pairs} pairs");
    assert!(failures.is_empty(), "{} of {pairs}: {failures:#?}", failures.len());
}

/// A reference that stays in an attribute cannot be in a patch: XML forbids external entities there.
fn keeps_reference_in_attribute(document: &Document) -> bool {
    let mut attributes = document.nodes().flat_map(Node::attributes);
    document.doctype().is_some() && attributes.any(|attribute| attribute.value().contains("&httpd.docs;"))
}

/// An applier of another hand, with the XPath of libxml2, makes the same of the patches that we write.
#[test]
fn patches_are_right_for_others() {
    let (Some(corpus), Some(python)) = (support::corpus(), support::python()) else { return };
    let (mut questions, mut expected) = (Vec::new(), Vec::new());
    for (at, (before, after)) in successive(&corpus).into_iter().enumerate().filter(|(at, _)| at % 3 == 0) {
        let whitespace = if at % 2 == 0 { Whitespace::Layout } else { Whitespace::Exact };
        let [Some(old), Some(new)] = [&before, &after].map(|file| small(file, whitespace)) else { continue };
        let matching = matching::xydiff(&old, &new, &Default::default());
        let patch = xml_patch::write(&compared(&old, &new, &matching, whitespace), &old, &new).unwrap();
        questions.push([old.source().to_owned(), patch]);
        expected.push((after, whitespace, new));
    }
    let input = serde_json::to_string(&questions).unwrap();
    let answers = support::ask(&python, "xml_patch.py", &[], input);
    let answers: Vec<String> = serde_json::from_slice(&answers).unwrap();
    assert!(answers.len() > 300, "{} answers", answers.len());
    for ((file, whitespace, after), answer) in expected.iter().zip(answers) {
        let case = support::case_of(file, &corpus);
        let patched =
            parsed(answer.as_bytes(), *whitespace).unwrap_or_else(|error| panic!("{case}: {error}: {answer}"));
        assert!(patched.root().same_content(after.root()), "{case}");
    }
}

/// A document that is small, in UTF-8, and without a DTD that others might read otherwise.
fn small(file: &Path, whitespace: Whitespace) -> Option<Arc<Document>> {
    let source = fs::read(file).unwrap();
    let is_small = source.len() < 100_000 && std::str::from_utf8(&source).is_ok();
    let document = parsed(&source, whitespace).ok().filter(|_| is_small)?;
    (document.encoding() == "UTF-8" && document.doctype().is_none()).then_some(document)
}

/// The versions of a document lie in one folder, named in their order.
fn successive(corpus: &Path) -> Vec<(PathBuf, PathBuf)> {
    let files = support::files_below(corpus, support::XML_EXTENSIONS);
    let pairs = files.windows(2).filter(|pair| pair[0].parent() == pair[1].parent());
    pairs.map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}
