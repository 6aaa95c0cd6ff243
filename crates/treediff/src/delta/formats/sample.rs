//! Which delta do the tests write? One with every kind of operation.

use std::sync::Arc;

use crate::delta::{AttributeChange, AttributeName, Delta, Fragment, Operation, Place, Xid, document_hash};
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
    let [before, after] =
        [BEFORE, AFTER].map(|source| Arc::new(parse::xml(source, &Default::default()).unwrap().document));
    let lens = before.root_element().unwrap().children().nth(1).unwrap().id();
    let stock = after.root_element().unwrap().last_child().unwrap().last_child().unwrap().id();
    let place = |parent, position| Place { parent: Xid(parent), position };
    let attribute = |node, name: &str, change| Operation::Attribute {
        node: Xid(node),
        name: AttributeName { namespace: String::new(), prefix: String::new(), local: name.to_owned() },
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
            name: AttributeName { namespace: XML_NAMESPACE.into(), prefix: "xml".into(), local: "lang".into() },
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
        operations,
    };
    (delta, before, after)
}
