//! Which document is a diffgram for? The hash that XmlPatch computes of its source before it touches it.
//!
//! Each step adds a shifted sum to a 64-bit number: strings by their UTF-16 units, children by their own hashes.
//! Prefixes, the XML declaration and the document type are left out, as the diffgram's options say.

use crate::tree::{Document, Kind, Node, Step, XML_NAMESPACE, is_blank};

/// What XmlDiff puts between the parts of a string: an attempt at U+0001 that the language reads otherwise.
const DELIMITER: &str = "\0x01";

/// The hash of a document with prefixes, declaration and document type ignored.
pub(super) fn source_hash(document: &Document) -> u64 {
    let mut open = vec![Open { hash: 0, children: 0, preserves: false }];
    for step in document.root().walk() {
        match step {
            Step::Enter(node) if node.is_element() => {
                let inherited = open.last().is_some_and(|parent| parent.preserves);
                open.push(Open::element(node, inherited));
            }
            Step::Enter(node) => {
                if let Some(parent) = open.last_mut() {
                    parent.leaf(node);
                }
            }
            Step::Leave(node) if node.is_element() => {
                let hash = open.pop().map_or(0, Open::finish);
                if let Some(parent) = open.last_mut() {
                    parent.add(hash);
                }
            }
            Step::Leave(_) => {}
        }
    }
    open.pop().map_or(0, Open::finish)
}

/// A parent whose children are being added.
#[derive(Debug)]
struct Open {
    hash: u64,
    children: u64,
    /// Whether white space counts here.
    preserves: bool,
}

impl Open {
    fn element(node: Node<'_>, inherited: bool) -> Self {
        let name = node.name();
        let mut hash = of_string(&["1", "", name.namespace, name.local]);
        let own = node.attributes().map(|attribute| {
            let name = attribute.name();
            of_string(&["2", "", name.namespace, name.local, &attribute.value()])
        });
        let declared = node.declarations().map(|(_, namespace)| of_string(&["100", "", &namespace]));
        let (mut sum, mut count) = (0u64, 0);
        for attribute in own.chain(declared) {
            sum = sum.wrapping_add(attribute);
            count += 1;
        }
        if count > 0 {
            hash = added(added(hash, sum), count);
        }
        let space = node.attribute(XML_NAMESPACE, "space");
        Open { hash, children: 0, preserves: space.map_or(inherited, |space| space == "preserve") }
    }

    fn leaf(&mut self, node: Node<'_>) {
        let value = node.value();
        let hash = match node.kind() {
            Kind::Comment => of_string(&["8", &value]),
            Kind::ProcessingInstruction => of_string(&["7", node.name().local, &value]),
            Kind::Reference => of_string(&["5", node.name().local]),
            _ if !is_blank(value.as_bytes()) => of_string(&["3", &value]),
            _ if self.preserves => of_string(&["14", &value]),
            _ => return,
        };
        self.add(hash);
    }

    fn add(&mut self, child: u64) {
        if child != 0 {
            self.hash = added(self.hash, child);
            self.children += 1;
        }
    }

    fn finish(self) -> u64 {
        if self.children == 0 { self.hash } else { added(self.hash, self.children) }
    }
}

fn added(hash: u64, number: u64) -> u64 {
    hash.wrapping_add((hash << 11).wrapping_add(number))
}

fn of_string(parts: &[&str]) -> u64 {
    let text = parts.join(DELIMITER);
    let len = text.encode_utf16().count() as u64;
    text.encode_utf16().fold(len, |hash, unit| hash.wrapping_add((hash << 17).wrapping_add(u64::from(unit))))
}
