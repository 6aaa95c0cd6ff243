//! Where is it, in words? Paths such as `/feed/entry[2]/title`, for the nodes that somebody asks about.
//!
//! How many siblings share a name is counted once for every parent on some path, not once for every path: a thousand
//! changes in one list of a million cost one look at the list. Likewise the steps that a deep path begins with are found
//! once, so that nobody goes all the way up for each path.

use std::collections::HashMap;
use std::fmt;

use crate::tree::{Document, Format, Kind, Label, Node, NodeId};
use crate::write::printable;

/// The steps of the paths to some nodes of a document.
#[derive(Debug)]
pub(super) struct Paths<'d> {
    document: &'d Document,
    ordinals: HashMap<NodeId, Ordinal>,
}

/// Which of its like a node is, and how far down.
#[derive(Debug, Clone, Copy)]
struct Ordinal {
    /// Its place among the siblings of its kind and name, from 1; among all siblings in an array, from 0.
    place: u32,
    /// Whether it has no such sibling.
    is_alone: bool,
    /// The steps that lead to it.
    depth: usize,
    /// The last of the steps that a path to it begins with.
    head: NodeId,
}

/// Steps that are shown of a deep path, half of them from either end.
const SHOWN_STEPS: usize = 2 * HALF;
const HALF: usize = 12;

impl<'d> Paths<'d> {
    /// Paths to these nodes and to their ancestors.
    pub(super) fn to(nodes: impl Iterator<Item = Node<'d>>, document: &'d Document) -> Self {
        Paths::counted(nodes, document, number_children)
    }

    /// The same, with places among all siblings, from 1.
    pub(super) fn by_position(nodes: impl Iterator<Item = Node<'d>>, document: &'d Document) -> Self {
        Paths::counted(nodes, document, |parent, ordinals| {
            for (child, place) in parent.children().zip(1..) {
                set(ordinals, child, place);
            }
        })
    }

    fn counted(
        nodes: impl Iterator<Item = Node<'d>>,
        document: &'d Document,
        number_children: impl Fn(Node<'d>, &mut HashMap<NodeId, Ordinal>),
    ) -> Self {
        let mut ordinals: HashMap<NodeId, Ordinal> = HashMap::new();
        let mut parents = Vec::new();
        let mut new = Vec::new();
        for node in nodes {
            let mut next = Some(node);
            while let Some(node) = next.filter(|node| !ordinals.contains_key(&node.id())) {
                new.push(node.id());
                next = node.parent();
                parents.extend(next.map(Node::id));
            }
            let mut above = next.and_then(|known| ordinals.get(&known.id()).copied());
            while let Some(node) = new.pop() {
                let ordinal = Ordinal::below(above, node);
                ordinals.insert(node, ordinal);
                above = Some(ordinal);
            }
        }
        parents.sort_unstable();
        parents.dedup();
        for parent in parents {
            number_children(document.node(parent), &mut ordinals);
        }
        Paths { document, ordinals }
    }

    /// Which of the siblings of its kind and name a node is, from 1.
    pub(super) fn ordinal(&self, node: Node<'d>) -> u32 {
        self.ordinals.get(&node.id()).map_or(1, |ordinal| ordinal.place)
    }

    /// The path to a node, on one line; of a text that is its parent's only child, the path to the parent.
    pub(super) fn path(&self, node: Node<'d>) -> String {
        let node = match node.parent() {
            Some(parent) if node.kind() == Kind::Text && node.size() + 1 == parent.size() => parent,
            _ => node,
        };
        let up_from = |node: Node<'d>| std::iter::once(node).chain(node.ancestors());
        let deep = self.ordinals.get(&node.id()).filter(|ordinal| ordinal.depth > SHOWN_STEPS);
        let mut steps: Vec<Node<'d>> = match deep {
            Some(ordinal) => up_from(node).take(HALF).chain(up_from(self.document.node(ordinal.head))).collect(),
            None => up_from(node).collect(),
        };
        steps.pop();
        steps.reverse();
        // Names of JSON and of pages may have any characters.
        printable(&self.join(&steps, deep.is_some()))
    }

    /// A path of the steps that are shown.
    fn join(&self, steps: &[Node<'d>], is_shortened: bool) -> String {
        let mut path = String::new();
        if steps.is_empty() || (self.document.format() == Format::Json && steps.len() == 1) {
            return "/".to_owned();
        }
        // The root value of JSON has no key.
        let skipped = usize::from(self.document.format() == Format::Json);
        for (at, &step) in steps.iter().enumerate().skip(skipped) {
            path.push_str(if at == HALF && is_shortened { "/…/" } else { "/" });
            // Writing to a string cannot fail.
            let _ = self.step(step, &mut path);
        }
        path
    }

    fn step(&self, node: Node<'d>, out: &mut impl fmt::Write) -> fmt::Result {
        let Ordinal { place, is_alone, .. } =
            self.ordinals.get(&node.id()).copied().unwrap_or_else(|| Ordinal::below(None, node.id()));
        let parent_kind = node.parent().map_or(Kind::Document, Node::kind);
        match (node.kind(), parent_kind) {
            (_, Kind::Object) => return out.write_str(&node.name().local.replace('~', "~0").replace('/', "~1")),
            (_, Kind::Array) => return write!(out, "{place}"),
            (Kind::Text, _) => out.write_str("text()")?,
            (Kind::Comment, _) => out.write_str("comment()")?,
            (Kind::ProcessingInstruction, _) => write!(out, "processing-instruction({})", node.name().local)?,
            (Kind::Reference, _) => write!(out, "&{};", node.name().local)?,
            _ => out.write_str(&node.qualified_name())?,
        }
        if is_alone { Ok(()) } else { write!(out, "[{place}]") }
    }
}

impl Ordinal {
    /// That of a node whose parent has the one `above`, not yet counted among its siblings.
    fn below(above: Option<Ordinal>, node: NodeId) -> Self {
        let (depth, head) = match above {
            Some(above) if above.depth < HALF => (above.depth + 1, node),
            Some(above) => (above.depth + 1, above.head),
            None => (0, node),
        };
        Ordinal { place: 0, is_alone: false, depth, head }
    }
}

fn number_children(parent: Node<'_>, ordinals: &mut HashMap<NodeId, Ordinal>) {
    if parent.kind() == Kind::Array {
        for (place, child) in parent.children().enumerate() {
            set(ordinals, child, place as u32);
        }
        return;
    }
    let mut counts: HashMap<Label, u32> = HashMap::new();
    for child in parent.children() {
        let count = counts.entry(child.label()).or_default();
        *count += 1;
        set(ordinals, child, *count);
    }
    for child in parent.children() {
        if let Some(ordinal) = ordinals.get_mut(&child.id()) {
            ordinal.is_alone = counts.get(&child.label()) == Some(&1);
        }
    }
}

fn set(ordinals: &mut HashMap<NodeId, Ordinal>, node: Node<'_>, place: u32) {
    if let Some(ordinal) = ordinals.get_mut(&node.id()) {
        ordinal.place = place;
    }
}
