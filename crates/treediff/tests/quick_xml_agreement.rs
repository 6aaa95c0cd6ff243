//! Does the tree say what quick-xml's events say? Two tokenizers that share no code, over every XML file of the corpus.

mod support;

use std::collections::BTreeMap;
use std::fs;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use treediff::parse::{self, Options, Whitespace};
use treediff::tree::{Document, Kind, Node};

#[test]
fn the_tree_is_what_quick_xml_reads() {
    let Some(corpus) = support::corpus() else { return };
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let mut compared = 0;
    for path in support::files_below(&corpus, support::XML_EXTENSIONS) {
        let source = fs::read(&path).expect("a readable file");
        let Ok(parsed) = parse::xml(source, &options) else { continue };
        // What is declared in a DTD, quick-xml leaves to its caller: entities, default attributes, types.
        let has_references = parsed.document.nodes().any(|node| node.kind() == Kind::Reference);
        if has_references || parsed.document.doctype().is_some_and(|doctype| doctype.contains('[')) {
            continue;
        }
        compared += 1;
        let theirs = read_events(parsed.document.source());
        let ours = walk(&parsed.document);
        let first = ours.iter().zip(&theirs).position(|(ours, theirs)| ours != theirs);
        let at = first.unwrap_or(ours.len().min(theirs.len()));
        assert!(ours == theirs, "{}: we see {:?}, quick-xml {:?}", path.display(), ours.get(at), theirs.get(at));
    }
    assert!(compared > 1500, "only {compared} documents could be compared");
}

/// What both can say.
#[derive(Debug, PartialEq)]
enum Seen {
    Start { name: String, attributes: BTreeMap<String, String> },
    End,
    Text(String),
    Comment(String),
    Instruction { target: String, data: String },
}

fn walk(document: &Document) -> Vec<Seen> {
    let mut seen = Vec::new();
    let mut open: Vec<Node<'_>> = Vec::new();
    for node in document.nodes().skip(1) {
        while open.pop_if(|element| element.end() as usize <= node.id().index()).is_some() {
            seen.push(Seen::End);
        }
        seen.push(match node.kind() {
            Kind::Element => {
                open.push(node);
                Seen::Start { name: node.qualified_name().into_owned(), attributes: attributes(node) }
            }
            Kind::Text => Seen::Text(node.value().into_owned()),
            Kind::Comment => Seen::Comment(node.value().into_owned()),
            Kind::ProcessingInstruction => {
                Seen::Instruction { target: node.name().local.to_owned(), data: node.value().into_owned() }
            }
            kind => panic!("a {kind:?} in XML without declarations"),
        });
    }
    seen.extend(open.iter().map(|_| Seen::End));
    seen
}

fn attributes(element: Node<'_>) -> BTreeMap<String, String> {
    let declared = element.declarations().map(|(prefix, uri)| {
        (if prefix.is_empty() { "xmlns".to_owned() } else { format!("xmlns:{prefix}") }, uri.into_owned())
    });
    let given =
        element.attributes().map(|attribute| (attribute.qualified_name().into_owned(), attribute.value().into_owned()));
    declared.chain(given).collect()
}

fn read_events(source: &str) -> Vec<Seen> {
    let mut reader = quick_xml::Reader::from_str(source);
    let mut seen = Vec::new();
    let mut depth = 0;
    loop {
        match reader.read_event().expect("what we accept, quick-xml accepts") {
            Event::Start(tag) => {
                depth += 1;
                seen.push(start(&tag));
            }
            Event::Empty(tag) => seen.extend([start(&tag), Seen::End]),
            Event::End(_) => {
                depth -= 1;
                seen.push(Seen::End);
            }
            // White space around the root element is no part of the document.
            Event::Text(text) if depth > 0 => append(&mut seen, &text.xml10_content()),
            Event::CData(text) => append(&mut seen, &text.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = reference.resolve_char_ref().expect("a character");
                match character {
                    Some(character) => append(&mut seen, character.encode_utf8(&mut [0; 4])),
                    None => append(&mut seen, predefined(&reference)),
                }
            }
            Event::Comment(text) => seen.push(Seen::Comment(text.xml10_content().into_owned())),
            Event::PI(instruction) => seen.push(Seen::Instruction {
                target: instruction.target().to_owned(),
                data: instruction.content().trim_start().replace("\r\n", "\n"),
            }),
            Event::Decl(_) | Event::DocType(_) | Event::Text(_) => {}
            Event::Eof => return seen,
        }
    }
}

/// Text that quick-xml gives in pieces is one node; a piece without characters is none.
fn append(seen: &mut Vec<Seen>, piece: &str) {
    match seen.last_mut() {
        Some(Seen::Text(text)) => text.push_str(piece),
        _ if piece.is_empty() => {}
        _ => seen.push(Seen::Text(piece.to_owned())),
    }
}

fn predefined(name: &str) -> &'static str {
    quick_xml::escape::resolve_predefined_entity(name).unwrap_or_else(|| panic!("`{name}` is not declared"))
}

fn start(tag: &BytesStart<'_>) -> Seen {
    let attributes = tag.attributes().map(|attribute| {
        let attribute = attribute.expect("an attribute");
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).expect("a value");
        (attribute.key.as_ref().to_owned(), value.into_owned())
    });
    Seen::Start { name: tag.name().as_ref().to_owned(), attributes: attributes.collect() }
}
