//! Where in a document does something happen? The label paths of nodes, as a tree of labels with each path once.
//!
//! `/html/body/p/text()` is the path of every text of every paragraph: no ordinals, so that there are few and that they stay
//! the same from version to version. They are kept as a tree, in which a path is its last label and the place of the path
//! above: a page whose depth is its length would have paths as long as the square of it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use treediff::tree::{self, Node, NodeId};

use super::StepError;
use super::numbers;

/// One step of a path: what a node is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Label<'s> {
    /// What it is.
    pub kind: LabelKind,
    /// Its local name, whatever its namespace: that of an element or attribute, or the key of a member; empty for others.
    pub name: &'s str,
}

/// What a label is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum LabelKind {
    /// An element, or a member of a JSON object; `name`.
    Named,
    /// An item of a JSON array, or the root value; `*`.
    Unnamed,
    /// An attribute; `@name`.
    Attribute,
    /// `text()`.
    Text,
    /// `comment()`.
    Comment,
    /// `processing-instruction()`.
    Instruction,
    /// A reference to an entity that was not followed; `node()`.
    Reference,
}

impl LabelKind {
    const ALL: [LabelKind; 7] = [
        LabelKind::Named,
        LabelKind::Unnamed,
        LabelKind::Attribute,
        LabelKind::Text,
        LabelKind::Comment,
        LabelKind::Instruction,
        LabelKind::Reference,
    ];

    fn has_name(self) -> bool {
        matches!(self, LabelKind::Named | LabelKind::Attribute)
    }
}

impl<'d> Label<'d> {
    /// The label of a node.
    pub fn of(node: Node<'d>) -> Self {
        let plain = |kind| Label { kind, name: "" };
        match node.kind() {
            tree::Kind::Text => plain(LabelKind::Text),
            tree::Kind::Comment => plain(LabelKind::Comment),
            tree::Kind::ProcessingInstruction => plain(LabelKind::Instruction),
            tree::Kind::Reference => plain(LabelKind::Reference),
            _ => match node.name().local {
                "" => plain(LabelKind::Unnamed),
                name => Label { kind: LabelKind::Named, name },
            },
        }
    }

    /// Writes it behind a slash.
    pub(crate) fn write_below(&self, path: &mut String) {
        let (start, name) = self.parts();
        path.push('/');
        path.push_str(start);
        path.push_str(&name);
    }

    /// What is written: what it is, and its name.
    fn parts(&self) -> (&'static str, Cow<'d, str>) {
        let start = match self.kind {
            LabelKind::Named => "",
            LabelKind::Attribute => "@",
            LabelKind::Unnamed => "*",
            LabelKind::Text => "text()",
            LabelKind::Comment => "comment()",
            LabelKind::Instruction => "processing-instruction()",
            LabelKind::Reference => "node()",
        };
        let is_quoted = self.name.is_empty() || self.name.contains(is_special);
        match self.kind.has_name() && is_quoted {
            true => (start, format!("'{}'", self.name.replace('\'', "''")).into()),
            false => (start, self.name.into()),
        }
    }

    /// The label of an attribute.
    pub fn attribute(name: &'d str) -> Self {
        Label { kind: LabelKind::Attribute, name }
    }
}

impl fmt::Display for Label<'_> {
    /// As in an XPath. A name that would read as something else stands in quotes, with quotes in it twice.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, name) = self.parts();
        f.write_str(start)?;
        f.write_str(&name)
    }
}

/// Whether a character cannot stand in a name without quotes.
fn is_special(c: char) -> bool {
    matches!(c, '/' | '@' | '*' | '(' | ')' | '[' | ']' | '\'' | '"') || c.is_whitespace() || c.is_control()
}

/// Distinct paths, each as a label below another path; path 0 is that of the document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelPaths<'s> {
    /// In document order of the tree that they are: the labels below a path follow it.
    entries: Vec<Entry<'s>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry<'s> {
    above: u32,
    depth: u32,
    label: Label<'s>,
}

/// A path of twice as many labels is shown by so many, the last.
pub(crate) const SHOWN: usize = 32;

impl<'s> LabelPaths<'s> {
    /// How many paths there are, that of the document included.
    pub fn count(&self) -> usize {
        self.entries.len() + 1
    }

    /// The paths but for that of the document, in order from path 1 on: the path above, which comes before, and the label.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (usize, Label<'s>)> {
        self.entries.iter().map(|entry| (entry.above as usize, entry.label))
    }

    /// A path as it is written, such as `/html/body/p/@class`; of what is deeper than anybody wants to read the end, behind `…`.
    pub fn written(&self, path: usize) -> String {
        let mut labels = Vec::new();
        let mut next = path;
        while let Some(entry) = next.checked_sub(1).and_then(|at| self.entries.get(at)) {
            labels.push(entry.label);
            next = entry.above as usize;
            if labels.len() == SHOWN {
                break;
            }
        }
        let start = match (labels.is_empty(), next) {
            (true, _) => "/",
            (false, 0) => "",
            (false, _) => "/…",
        };
        labels.iter().rev().fold(start.to_owned(), |mut written, label| {
            label.write_below(&mut written);
            written
        })
    }

    /// Paths by their depth and label, in the order of their tree.
    #[cfg(test)]
    pub(crate) fn sample(labels: &[(u32, Label<'s>)]) -> Self {
        let mut entries: Vec<Entry<'s>> = Vec::new();
        for &(depth, label) in labels {
            let above = entries.iter().rposition(|entry| entry.depth < depth).map_or(0, |at| at as u32 + 1);
            entries.push(Entry { above, depth, label });
        }
        LabelPaths { entries }
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        numbers::write(out, self.entries.len() as u64);
        for Entry { depth, label, .. } in &self.entries {
            numbers::write(out, u64::from(*depth) << 3 | label.kind as u64);
            if label.kind.has_name() {
                numbers::write(out, label.name.len() as u64);
                out.extend_from_slice(label.name.as_bytes());
            }
        }
    }

    pub(super) fn read(bytes: &mut &'s [u8]) -> Result<Self, StepError> {
        let damaged = || StepError::Damaged("its paths");
        let count = numbers::read(bytes).ok_or_else(damaged)?;
        let mut entries: Vec<Entry<'s>> = Vec::new();
        // The path that is open at each depth.
        let mut open: Vec<u32> = vec![0];
        for path in 1..=count {
            let entry = read_entry(bytes, &mut open).ok_or_else(damaged)?;
            open.push(u32::try_from(path).map_err(|_| damaged())?);
            entries.push(entry);
        }
        Ok(LabelPaths { entries })
    }
}

fn read_entry<'s>(bytes: &mut &'s [u8], open: &mut Vec<u32>) -> Option<Entry<'s>> {
    let head = numbers::read(bytes)?;
    let kind = *LabelKind::ALL.get((head & 7) as usize)?;
    let depth = u32::try_from(head >> 3).ok()?;
    if depth == 0 || depth as usize > open.len() {
        return None;
    }
    open.truncate(depth as usize);
    let name = if kind.has_name() { std::str::from_utf8(numbers::read_counted(bytes)?).ok()? } else { "" };
    Some(Entry { above: *open.last()?, depth, label: Label { kind, name } })
}

/// The paths that have been asked for so far, in the order in which they were.
#[derive(Debug, Default)]
pub(super) struct Found<'d> {
    entries: Vec<(u32, Label<'d>)>,
    known: HashMap<(u32, Label<'d>), u32>,
}

/// The paths of the nodes of one document that have been gone through.
pub(super) type Passed = HashMap<NodeId, u32>;

impl<'d> Found<'d> {
    /// The path of a node. What was passed on the way to another node is not gone through again.
    pub(super) fn node(&mut self, node: Node<'d>, passed: &mut Passed) -> u32 {
        let mut way = Vec::new();
        let mut next = Some(node);
        let mut path = 0;
        while let Some(node) = next.filter(|node| node.id() != NodeId::DOCUMENT) {
            if let Some(&known) = passed.get(&node.id()) {
                path = known;
                break;
            }
            way.push(node);
            next = node.parent();
        }
        for node in way.into_iter().rev() {
            path = self.below(path, Label::of(node));
            passed.insert(node.id(), path);
        }
        path
    }

    /// The path of a label below a path.
    pub(super) fn below(&mut self, above: u32, label: Label<'d>) -> u32 {
        let entries = &mut self.entries;
        *self.known.entry((above, label)).or_insert_with(|| {
            entries.push((above, label));
            entries.len() as u32
        })
    }

    /// All of them in the order of their tree, and for each of those found its number in that.
    pub(super) fn in_order(self) -> (LabelPaths<'d>, Vec<u32>) {
        let mut below: Vec<Vec<u32>> = vec![Vec::new(); self.entries.len() + 1];
        for (path, (above, _)) in (1..).zip(&self.entries) {
            below[*above as usize].push(path);
        }
        let mut numbers = vec![0u32; self.entries.len() + 1];
        let mut entries: Vec<Entry<'d>> = Vec::with_capacity(self.entries.len());
        let mut open: Vec<u32> = below[0].iter().rev().copied().collect();
        while let Some(path) = open.pop() {
            let (above, label) = self.entries[path as usize - 1];
            let above = numbers[above as usize];
            let depth = above.checked_sub(1).map_or(1, |at| entries[at as usize].depth + 1);
            entries.push(Entry { above, depth, label });
            numbers[path as usize] = entries.len() as u32;
            open.extend(below[path as usize].iter().rev());
        }
        (LabelPaths { entries }, numbers)
    }
}
