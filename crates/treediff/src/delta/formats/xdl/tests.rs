//! Does a diffgram lead where it should? It is applied by the format's own rules: all matches are found in the version
//! before, then the operations are carried out from left to right.

use proptest::prelude::*;

use super::*;
use crate::delta::formats::sample::{catalogue_without_type, compared, random_delta, read};
use crate::parse::Whitespace;
use crate::tree::XML_NAMESPACE;
use crate::write::canonical;

/// A tree that can be changed.
#[derive(Debug, Clone, Default)]
struct Tree {
    nodes: Vec<TreeNode>,
}

#[derive(Debug, Clone)]
struct TreeNode {
    kind: Kind,
    name: (String, String, String),
    value: String,
    attributes: Vec<((String, String, String), String)>,
    parent: usize,
    children: Vec<usize>,
}

impl Tree {
    fn grow(&mut self, node: Node<'_>, parent: usize) -> usize {
        let own = |prefix: &str, name: crate::tree::Name<'_>| {
            (prefix.to_owned(), name.namespace.to_owned(), name.local.to_owned())
        };
        let attributes = node.attributes().map(|it| (own(it.prefix(), it.name()), it.value().into_owned())).collect();
        let (kind, name, value) = (node.kind(), own(node.prefix(), node.name()), node.value().into_owned());
        let id = self.nodes.len();
        self.nodes.push(TreeNode { kind, name, value, attributes, parent, children: Vec::new() });
        let children: Vec<usize> = node.children().map(|child| self.grow(child, id)).collect();
        self.nodes[id].children = children;
        id
    }

    fn copy(&mut self, source: usize) -> usize {
        let mut copied = self.nodes[source].clone();
        let id = self.nodes.len();
        let children = std::mem::take(&mut copied.children);
        self.nodes.push(copied);
        let children: Vec<usize> = children.into_iter().map(|child| self.copy(child)).collect();
        children.iter().for_each(|&child| self.nodes[child].parent = id);
        self.nodes[id].children = children;
        id
    }

    fn insert_behind(&mut self, parent: usize, position: &mut Option<usize>, node: usize) {
        let index = position
            .map_or(0, |position| self.nodes[parent].children.iter().position(|&child| child == position).unwrap() + 1);
        self.nodes[parent].children.insert(index, node);
        self.nodes[node].parent = parent;
        *position = Some(node);
    }

    fn write(&self, id: usize, markup: &mut Markup<'_, String>) {
        let node = &self.nodes[id];
        let named = |name: &'_ (String, String, String)| -> (String, String, String) { name.clone() };
        match node.kind {
            Kind::Element => {
                let (prefix, namespace, local) = named(&node.name);
                let attributes: Vec<_> = node.attributes.iter().map(|(name, value)| (name, value)).collect();
                let attributes = attributes.iter().map(|(name, value)| {
                    (Named { prefix: &name.0, namespace: &name.1, local: &name.2 }, value.as_str())
                });
                markup.start(Named { prefix: &prefix, namespace: &namespace, local: &local }, attributes).unwrap();
                node.children.iter().for_each(|&child| self.write(child, markup));
                markup.end().unwrap();
            }
            Kind::Document => node.children.iter().for_each(|&child| self.write(child, markup)),
            Kind::Comment => markup.comment(&node.value).unwrap(),
            Kind::ProcessingInstruction => markup.instruction(&node.name.2, &node.value).unwrap(),
            _ => markup.text(&node.value).unwrap(),
        }
    }
}

/// An operation whose matches have been found.
enum Found<'g> {
    Node(usize, Vec<Found<'g>>),
    Attribute(Node<'g>, String),
    Change(usize, Node<'g>),
    Copy(usize),
    Add(Node<'g>),
    AddAttribute(Node<'g>),
    Remove(usize),
}

/// The positions of the top count what is no node.
fn child_at(tree: &Tree, parent: usize, position: u32, top: Top) -> usize {
    let top = if parent == 0 { top } else { Top::NONE };
    let at = (1..).zip(&tree.nodes[parent].children).find(|&(at, _)| top.position(at) == position);
    *at.unwrap_or_else(|| panic!("no node at {position}")).1
}

fn found<'g>(tree: &Tree, parent: usize, operations: Node<'g>, top: Top) -> Vec<Found<'g>> {
    let mut all = Vec::new();
    for operation in operations.children().filter(|node| node.is_element()) {
        let path = operation.attribute("", "match");
        let at = |step: &str| child_at(tree, parent, step.parse().unwrap(), top);
        let is_attribute = path.as_ref().is_some_and(|path| path.starts_with('@'));
        all.push(match (operation.name().local, path) {
            ("change" | "remove", Some(path)) if is_attribute => Found::Attribute(operation, path[1..].to_owned()),
            ("node", Some(path)) => Found::Node(at(&path), found(tree, at(&path), operation, top)),
            ("change", Some(path)) => Found::Change(at(&path), operation),
            ("remove", Some(path)) => Found::Remove(at(&path)),
            ("add", Some(path)) => {
                let steps = path[1..].split('/').map(|step| step.parse().unwrap());
                Found::Copy(steps.fold(0, |node, position| child_at(tree, node, position, top)))
            }
            ("add", None) if operation.attribute("", "type").is_some_and(|kind| kind == "2") => {
                Found::AddAttribute(operation)
            }
            ("add", None) => Found::Add(operation),
            ("descriptor", None) => continue,
            (other, _) => panic!("`{other}` is no operation"),
        });
    }
    all
}

fn apply(tree: &mut Tree, parent: usize, operations: Vec<Found<'_>>) {
    let mut position = None;
    for operation in operations {
        match operation {
            Found::Node(node, inner) => {
                apply(tree, node, inner);
                position = Some(node);
            }
            Found::Change(node, operation) => {
                let new = operation.first_child();
                tree.nodes[node].value = new.map(|new| new.value().into_owned()).unwrap_or_default();
                position = Some(node);
            }
            Found::Attribute(operation, name) => {
                let is_named = |own: &(String, String, String)| match own.0.as_str() {
                    "" => own.2 == name,
                    prefix => format!("{prefix}:{}", own.2) == name,
                };
                let at = tree.nodes[parent].attributes.iter().position(|(own, _)| is_named(own)).unwrap();
                match operation.name().local {
                    "remove" => drop(tree.nodes[parent].attributes.remove(at)),
                    _ => tree.nodes[parent].attributes[at].1 = operation.string_value().into_owned(),
                }
            }
            Found::AddAttribute(operation) => {
                let word = |name| operation.attribute("", name).map(|value| value.into_owned()).unwrap_or_default();
                let name = (word("prefix"), word("ns"), word("name"));
                tree.nodes[parent].attributes.push((name, operation.string_value().into_owned()));
            }
            Found::Copy(source) => {
                let copied = tree.copy(source);
                tree.insert_behind(parent, &mut position, copied);
            }
            Found::Add(operation) => {
                for new in operation.children() {
                    let grown = tree.grow(new, parent);
                    tree.insert_behind(parent, &mut position, grown);
                }
            }
            Found::Remove(node) => {
                let parent = tree.nodes[node].parent;
                tree.nodes[parent].children.retain(|&child| child != node);
            }
        }
    }
}

fn written(delta: &Delta, before: &Document, after: &Document) -> String {
    let mut written = String::new();
    xdl(delta, before, after, &mut written).unwrap();
    written
}

#[track_caller]
fn assert_leads(diffgram: &str, before: &Document, after: &Document, whitespace: Whitespace) {
    let diffgram = read(diffgram, Whitespace::Exact);
    let mut tree = Tree::default();
    tree.grow(before.root(), 0);
    let operations = found(&tree, 0, diffgram.root_element().unwrap(), Top::of(before));
    apply(&mut tree, 0, operations);
    let mut source = String::new();
    tree.write(0, &mut Markup::new(&mut source));
    let result = read(&source, whitespace);
    let pairs = result.root().children().zip(after.root().children());
    let is_same = result.len() == after.len() && pairs.into_iter().all(|(result, after)| result.same_content(after));
    assert!(is_same, "{source}\nis not\n{}", canonical(after));
}

#[test]
fn every_operation_is_told() {
    let (delta, before, after) = catalogue_without_type();
    let written = written(&delta, &before, &after);
    let expected = format!(
        r#"<xd:xmldiff xmlns:xd="{XDL}" version="1.0" srcDocHash="{}" options="IgnorePrefixes IgnoreXmlDecl IgnoreDtd" fragments="no">
<xd:node match="1">
<xd:remove match="@xml:lang"/>
<xd:add match="/1/3" opid="1"/>
<xd:node match="1">
<xd:change match="@href">b</xd:change>
<xd:add type="2" name="class">hot</xd:add>
<xd:node match="2">
<xd:change match="1">"$699"</xd:change></xd:node>
<xd:add><stock>7</stock></xd:add></xd:node>
<xd:remove match="2"/>
<xd:remove match="3" opid="1"/></xd:node>
<xd:descriptor opid="1" type="move"/>
</xd:xmldiff>
"#,
        hash::source_hash(&before)
    );
    assert_eq!(written, expected);
    assert_leads(&written, &before, &after, Whitespace::Layout);
}

#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    let (delta, before, after) = compared(before, after, Whitespace::Layout);
    let written = written(&delta, &before, &after);
    let lines: Vec<&str> = written.lines().collect();
    assert_eq!(lines[1..lines.len() - 1], *expected);
    assert_leads(&written, &before, &after, Whitespace::Layout);
}

#[test]
fn the_place_is_set_where_something_is_added() {
    check(
        "<a><b/><c/><d/></a>",
        "<a><b/><c/><e/><d/><f/></a>",
        &[
            r#"<xd:node match="1">"#,
            r#"<xd:node match="2"/>"#,
            "<xd:add><e/></xd:add>",
            r#"<xd:node match="3"/>"#,
            "<xd:add><f/></xd:add></xd:node>",
        ],
    );
}

#[test]
fn declarations_have_positions_too() {
    check(
        "<?xml version='1.0'?><!--c--><!DOCTYPE a><a>x</a>",
        "<?xml version='1.0'?><!--d--><!DOCTYPE a><a>y</a>",
        &[
            r#"<xd:change match="2"><!--d--></xd:change>"#,
            r#"<xd:node match="4">"#,
            r#"<xd:change match="1">y</xd:change></xd:node>"#,
        ],
    );
}

/// By hand, from the description of the sum: 3, the delimiter, `x`.
#[test]
fn the_hash_is_that_of_the_format() {
    let hash = |text: &str| {
        text.encode_utf16()
            .fold(text.len() as u64, |hash, unit| hash.wrapping_mul((1 << 17) + 1).wrapping_add(u64::from(unit)))
    };
    let add = |hash: u64, number: u64| hash.wrapping_mul((1 << 11) + 1).wrapping_add(number);
    let element = hash("1\0x01\0x01\0x01a");
    let text = hash("3\0x01x");
    let root = add(add(element, text), 1);
    let document = read("<?xml version='1.0'?>\n<a>x</a>", Whitespace::Layout);
    assert_eq!(hash::source_hash(&document), add(add(0, root), 1));
    let spaced = read("<a>\n<b/> </a>", Whitespace::Exact);
    let dense = read("<a><b/></a>", Whitespace::Exact);
    assert_eq!(hash::source_hash(&spaced), hash::source_hash(&dense));
    let preserved = read("<a xml:space='preserve'> <b/></a>", Whitespace::Exact);
    let space = hash(&format!("2\0x01\0x01{XML_NAMESPACE}\0x01space\0x01preserve"));
    let element = add(add(hash("1\0x01\0x01\0x01a"), space), 1);
    let inner = add(add(add(element, hash("14\0x01 ")), hash("1\0x01\0x01\0x01b")), 2);
    assert_eq!(hash::source_hash(&preserved), add(add(0, inner), 1));
}

proptest! {
    #[test]
    fn a_diffgram_leads_to_the_version_after((delta, before, after) in random_delta()) {
        let written = written(&delta, &before, &after);
        assert_leads(&written, &before, &after, Whitespace::Exact);
    }
}
