//! Which deltas do the tests write? One with every kind of operation, and any number of random ones.

use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;

use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Options, Place, Xid, document_hash};
use crate::matching::{self, Matching};
use crate::parse::{self, Whitespace};
use crate::tree::{Document, Format, XML_NAMESPACE};

const BEFORE: &str = "<list xml:lang='en'>
  <product href='a'><name>zoom</name><price>$799</price></product>
  <product><name>lens</name><price>$49</price></product>
  <note>new</note>
</list>";

const AFTER: &str = "<!DOCTYPE list><list>
  <note>new</note>
  <product href='b' class='hot'><name>zoom</name><price>\"$699\"</price><stock>7</stock></product>
</list>";

/// A catalogue in which everything that can happen happens.
pub(in crate::delta) fn catalogue() -> (Delta, Arc<Document>, Arc<Document>) {
    catalogue_to(AFTER)
}

/// The same without the document type declaration, which many formats have no words for.
pub(in crate::delta) fn catalogue_without_type() -> (Delta, Arc<Document>, Arc<Document>) {
    let (mut delta, before, after) = catalogue_to(&AFTER["<!DOCTYPE list>".len()..]);
    delta.operations.retain(|operation| !matches!(operation, Operation::Doctype { .. }));
    (delta, before, after)
}

fn catalogue_to(after: &str) -> (Delta, Arc<Document>, Arc<Document>) {
    let [before, after] =
        [BEFORE, after].map(|source| Arc::new(parse::xml(source, &Default::default()).unwrap().document));
    let lens = before.root_element().unwrap().children().nth(1).unwrap().id();
    let stock = after.root_element().unwrap().last_child().unwrap().last_child().unwrap().id();
    let place = |parent, position| Place { parent: Xid(parent), position };
    let attribute = |node, name: &str, change| Operation::Attribute {
        node: Xid(node),
        name: AttributeName { namespace: String::new(), prefix: String::new(), local: name.to_owned() }.into(),
        change,
    };
    let operations = vec![
        Operation::Delete {
            place: place(13, 1),
            xids: "(6-10)".parse().unwrap(),
            content: Fragment::new(before.clone(), lens, []),
        },
        Operation::Insert {
            place: place(5, 2),
            xids: "(14-15)".parse().unwrap(),
            content: Fragment::new(after.clone(), stock, []),
        },
        Operation::Move { from: place(13, 2), to: place(13, 0), xids: "(11-12)".parse().unwrap() },
        Operation::Update { node: Xid(3), before: "$799".into(), after: "\"$699\"".into() },
        attribute(5, "class", AttributeChange::Insert("hot".into())),
        Operation::Attribute {
            node: Xid(13),
            name: AttributeName { namespace: XML_NAMESPACE.into(), prefix: "xml".into(), local: "lang".into() }.into(),
            change: AttributeChange::Delete("en".into()),
        },
        attribute(5, "href", AttributeChange::Modify { before: "a".into(), after: "b".into() }),
        Operation::Doctype { before: None, after: Some("<!DOCTYPE list>".into()) },
    ];
    let delta = Delta {
        format: Format::Xml,
        whitespace: Whitespace::Layout,
        from_hash: document_hash(&before),
        to_hash: document_hash(&after),
        from_xids: "(1-13)".parse().unwrap(),
        to_xids: "(11-12;1-4;14-15;5;13)".parse().unwrap(),
        next_xid: Xid(16),
        fallbacks: Default::default(),
        operations,
    };
    (delta, before, after)
}

/// A document read with the white space that counts.
pub(in crate::delta) fn read(source: &str, whitespace: Whitespace) -> Arc<Document> {
    let options = parse::Options { whitespace, ..Default::default() };
    Arc::new(parse::xml(source, &options).unwrap_or_else(|error| panic!("{source}: {error}")).document)
}

/// The delta between two sources, as a comparison finds it.
pub(in crate::delta) fn compared(
    before: &str,
    after: &str,
    whitespace: Whitespace,
) -> (Delta, Arc<Document>, Arc<Document>) {
    let (before, after) = (read(before, whitespace), read(after, whitespace));
    let matching = matching::xydiff(&before, &after, &Default::default());
    between(&matching, before, after, whitespace)
}

fn between(
    matching: &Matching,
    before: Arc<Document>,
    after: Arc<Document>,
    whitespace: Whitespace,
) -> (Delta, Arc<Document>, Arc<Document>) {
    let options = Options { whitespace, ..Options::default() };
    let delta = Delta::between(&before, &after, matching, &options).unwrap();
    (delta, before, after)
}

/// Two documents that have nothing to do with one another, and a delta in which any node may be any other of its name.
pub(in crate::delta) fn random_delta() -> impl Strategy<Value = (Delta, Arc<Document>, Arc<Document>)> {
    (source(), source(), prop::collection::vec(any::<prop::sample::Index>(), 64)).prop_map(
        |(before, after, choices)| {
            let (before, after) = (read(&before, Whitespace::Exact), read(&after, Whitespace::Exact));
            let matching = random_matching(&before, &after, &choices);
            between(&matching, before, after, Whitespace::Exact)
        },
    )
}

/// Pairs that only their kinds and names speak for; the root elements are one.
fn random_matching(before: &Document, after: &Document, choices: &[prop::sample::Index]) -> Matching {
    let mut matching = Matching::new(before, after);
    let [root_before, root_after] = [before, after].map(|document| document.root_element().unwrap().id());
    matching.pair(root_before, root_after);
    for (node, choice) in after.nodes().skip(1).filter(|node| node.id() != root_after).zip(choices) {
        let alike: Vec<_> = before
            .nodes()
            .skip(1)
            .filter(|other| other.kind() == node.kind() && other.name() == node.name())
            .filter(|other| matching.after_of(other.id()).is_none())
            .collect();
        // One choice more than there are candidates: that none is meant.
        let at = choice.index(alike.len() + 1);
        if let Some(other) = alike.get(at) {
            matching.pair(other.id(), node.id());
        }
    }
    matching
}

#[derive(Debug, Clone)]
enum Tree {
    Element(usize, Vec<(usize, usize)>, Vec<Tree>),
    Text(usize),
    Comment(usize),
    Instruction(usize),
}

/// A small document in two namespaces, with whatever XML has.
pub(in crate::delta) fn source() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => (0..VALUES.len()).prop_map(Tree::Text),
        1 => (0..VALUES.len()).prop_map(Tree::Comment),
        1 => (0..VALUES.len()).prop_map(Tree::Instruction),
    ];
    let attributes = || prop::collection::vec((0..ATTRIBUTES.len(), 0..VALUES.len()), 0..3);
    let tree = leaf.prop_recursive(4, 24, 5, move |inner| {
        (0..NAMES.len(), attributes(), prop::collection::vec(inner, 0..5))
            .prop_map(|(name, attributes, children)| Tree::Element(name, attributes, children))
    });
    (prop::collection::vec(tree, 0..6), any::<bool>()).prop_map(|(children, has_comment)| {
        let mut source = String::new();
        source.push_str(if has_comment { "<!--c-->" } else { "" });
        write_tree(&Tree::Element(0, Vec::new(), children), &mut source);
        source
    })
}

const NAMES: [(&str, &str); 4] = [("a", ""), ("b", ""), ("n:c", " xmlns:n='urn:n'"), ("d", " xmlns='urn:d'")];
const ATTRIBUTES: [(&str, &str); 3] = [("x", ""), ("y", ""), ("m:z", " xmlns:m='urn:n'")];
const VALUES: [&str; 5] = ["one", "two words", " ", "&lt;&amp;]", "\n "];

fn write_tree(tree: &Tree, out: &mut String) {
    match tree {
        Tree::Text(value) => out.push_str(VALUES[*value]),
        Tree::Comment(value) => write!(out, "<!--{}-->", VALUES[*value]).unwrap(),
        Tree::Instruction(value) => write!(out, "<?i {}?>", VALUES[*value]).unwrap(),
        Tree::Element(name, attributes, children) => {
            let (name, declaration) = NAMES[*name];
            write!(out, "<{name}{declaration}").unwrap();
            for (at, (attribute, value)) in attributes.iter().enumerate() {
                let (attribute, declaration) = ATTRIBUTES[*attribute];
                if attributes[..at].iter().all(|(other, _)| other != &attributes[at].0) {
                    write!(out, "{declaration} {attribute}='{}'", VALUES[*value]).unwrap();
                }
            }
            out.push('>');
            let mut is_behind_text = false;
            for child in children {
                let is_text = matches!(child, Tree::Text(_));
                if !(is_text && is_behind_text) {
                    write_tree(child, out);
                }
                is_behind_text = is_text;
            }
            write!(out, "</{name}>").unwrap();
        }
    }
}
