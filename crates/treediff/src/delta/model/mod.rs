//! What would somebody do who has nothing but the contract? Trees of nodes with identities, changed at random,
//! compared and patched in the plainest way; the laws of deltas are tested against it.

mod apply;
mod diff;
mod edit;

pub(crate) use apply::{apply, described, step};
pub(crate) use diff::diff;
pub(crate) use edit::{Chain, Gene, History, chain, genes};

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{Place, Xid, XidMap};
use crate::parse::{self, Options, Whitespace};
use crate::tree::{Document, Kind};

/// A tree with identities; 0 is the document node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) items: BTreeMap<u64, Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) kind: Kind,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) value: String,
    /// By namespace and local name.
    pub(crate) attributes: BTreeMap<(String, String), String>,
    pub(crate) parent: u64,
    pub(crate) children: Vec<u64>,
}

impl Item {
    pub(crate) fn new(kind: Kind, name: &str, value: &str) -> Self {
        Item {
            kind,
            namespace: String::new(),
            name: name.to_owned(),
            value: value.to_owned(),
            attributes: BTreeMap::new(),
            parent: 0,
            children: Vec::new(),
        }
    }

    pub(crate) fn is_element(&self) -> bool {
        self.kind == Kind::Element
    }
}

impl Model {
    /// A document with an empty root element.
    pub(crate) fn new() -> (Self, History) {
        let mut model = Model { items: BTreeMap::from([(0, Item::new(Kind::Document, "", ""))]) };
        model.insert(1, Item::new(Kind::Element, "r", ""), 0, 0);
        (model, History { next: 2, dead: BTreeMap::new() })
    }

    pub(crate) fn insert(&mut self, xid: u64, item: Item, parent: u64, position: usize) {
        self.items.insert(xid, Item { parent, ..item });
        self.items.get_mut(&parent).unwrap().children.insert(position, xid);
    }

    pub(crate) fn detach(&mut self, xid: u64) {
        let parent = self.items[&xid].parent;
        self.items.get_mut(&parent).unwrap().children.retain(|child| *child != xid);
    }

    pub(crate) fn attach(&mut self, xid: u64, parent: u64, position: usize) {
        self.items.get_mut(&parent).unwrap().children.insert(position, xid);
        self.items.get_mut(&xid).unwrap().parent = parent;
    }

    pub(crate) fn place(&self, xid: u64) -> Place {
        let parent = self.items[&xid].parent;
        let position = self.items[&parent].children.iter().position(|child| *child == xid).unwrap();
        Place { parent: Xid(parent), position: position as u32 }
    }

    /// The nodes of a subtree in post-order, without the subtrees at `without`.
    pub(crate) fn post_order(&self, top: u64, without: &BTreeSet<u64>) -> Vec<u64> {
        let below = self.items[&top].children.iter().filter(|child| !without.contains(child));
        let mut all: Vec<u64> = below.flat_map(|child| self.post_order(*child, without)).collect();
        all.push(top);
        all
    }

    pub(crate) fn pre_order(&self, top: u64) -> Vec<u64> {
        let below = self.items[&top].children.iter().flat_map(|child| self.pre_order(*child));
        std::iter::once(top).chain(below).collect()
    }

    pub(crate) fn xids(&self) -> XidMap {
        let mut all = self.post_order(0, &BTreeSet::new());
        all.pop();
        all.into_iter().map(Xid).collect()
    }

    pub(crate) fn contains(&self, top: u64, node: u64) -> bool {
        self.pre_order(top).contains(&node)
    }

    /// The document that it is.
    pub(crate) fn document(&self) -> Document {
        let mut text = String::new();
        self.items[&0].children.iter().for_each(|child| self.write(*child, &mut text));
        let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
        parse::xml(text, &options).unwrap().document
    }

    fn write(&self, xid: u64, out: &mut String) {
        let item = &self.items[&xid];
        let escaped = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        match item.kind {
            Kind::Text => out.push_str(&escaped(&item.value)),
            Kind::Comment => write!(out, "<!--{}-->", item.value).unwrap(),
            Kind::ProcessingInstruction => write!(out, "<?{} {}?>", item.name, item.value).unwrap(),
            _ => {
                write!(out, "<{} xmlns='{}' xmlns:a='urn:a' xmlns:b='urn:b'", item.name, item.namespace).unwrap();
                for ((namespace, name), value) in &item.attributes {
                    let prefix = namespace.strip_prefix("urn:").map_or(String::new(), |prefix| format!("{prefix}:"));
                    write!(out, " {prefix}{name}='{}'", escaped(value)).unwrap();
                }
                out.push('>');
                item.children.iter().for_each(|child| self.write(*child, out));
                write!(out, "</{}>", item.name).unwrap();
            }
        }
    }
}
