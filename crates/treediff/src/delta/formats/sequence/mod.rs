//! In which order can a set of operations be done one by one, where every path is that of the moment?
//!
//! Formats that know no identities name a node by its path in a document that their operations have changed so far. No
//! simulation is needed to find these paths, nor any counting of positions, if what stays in place is decided first (what
//! moves goes and comes again) and then everything is done in this order:
//!
//! 1. values and attributes change, and elements are replaced one by one: paths are those of `before`;
//! 2. texts go, the last first, so that the paths of the rest are still those of `before`;
//! 3. everything else goes, the last first. Elements, comments and texts are each counted among their like, so that the
//!    texts that are gone do not matter; and there is no text left to be found behind two that this makes one;
//! 4. what comes, comes in document order, neighbours together: paths are those of `after`, and no text is ever put
//!    beside another.
//!
//! Two texts that stay and have nothing left between them would become one before something comes between them again:
//! the second goes and comes as well.

mod exact;
mod pairs;

pub(super) use exact::read_exactly;
pub(super) use pairs::Pairs;

use std::borrow::Cow;

use super::FormatError;
use super::attributes::AttributePair;
use crate::delta::Delta;
use crate::parse::Whitespace;
use crate::tree::{Attribute, Document, Format, Kind, Node, NodeId};
use exact::Exact;

/// One step. Nodes are those of [`Sequence::before`] and [`Sequence::after`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Edit {
    /// A text, comment or processing instruction gets another value. The path is that of `before`.
    Value { before: NodeId, after: NodeId },
    /// An element gets other attributes; see [`attribute_changes`]. The path is that of `before`.
    Attributes { before: NodeId, after: NodeId },
    /// An element, with all that is in it, gives way to another. The path is that of `before`.
    Replace { before: NodeId, after: NodeId },
    /// A node goes, with all that is in it, and with the layout right before it if there is some. The path is that of
    /// `before`; texts are counted among texts, elements among elements, and so on.
    Remove { before: NodeId, with_layout: bool },
    /// Siblings come, from `first` to `last`, all of them. The path is that of `after`, and everything before `first`
    /// is there.
    Insert { first: NodeId, last: NodeId },
}

/// The steps from one document to another.
#[derive(Debug)]
pub(super) struct Sequence<'d> {
    before: Cow<'d, Document>,
    after: Cow<'d, Document>,
    edits: Vec<Edit>,
}

impl<'d> Sequence<'d> {
    /// The steps that do what a delta says. In the layout mode they are steps between documents with all their white
    /// space, as other programs see them: what comes out is `after`, but for layout.
    pub(super) fn of(delta: &Delta, before: &'d Document, after: &'d Document) -> Result<Self, FormatError> {
        let staying = Pairs::of(delta, before, after)?.in_place(before, after);
        if delta.format() == Format::Xml && delta.whitespace() == Whitespace::Layout {
            let [old, new] = [Exact::of(before, "before")?, Exact::of(after, "after")?];
            let staying = staying.translated(&old.places, &new.places, [&old.document, &new.document]);
            let layout = [old.layout, new.layout];
            let edits = Planner::new(&old.document, &new.document, staying, layout).edits();
            return Ok(Sequence { before: Cow::Owned(old.document), after: Cow::Owned(new.document), edits });
        }
        let layout = [vec![false; before.len()], vec![false; after.len()]];
        let edits = Planner::new(before, after, staying, layout).edits();
        Ok(Sequence { before: Cow::Borrowed(before), after: Cow::Borrowed(after), edits })
    }

    /// The document that the steps begin with.
    pub(super) fn before(&self) -> &Document {
        &self.before
    }

    /// The document that they lead to, but for layout.
    pub(super) fn after(&self) -> &Document {
        &self.after
    }

    /// The steps, in their order.
    pub(super) fn edits(&self) -> &[Edit] {
        &self.edits
    }
}

/// The attributes that are not the same on two elements.
pub(super) fn attribute_changes<'d>(before: Node<'d>, after: Node<'d>) -> Vec<AttributePair<'d>> {
    let mut pairs = AttributePair::all(before, after);
    pairs.retain(|pair| pair.before.map(Attribute::value) != pair.after.map(Attribute::value));
    pairs
}

/// What stays, what is replaced, and what is layout, before it is brought into order.
struct Planner<'d> {
    before: &'d Document,
    after: &'d Document,
    staying: Pairs,
    replaced: Pairs,
    /// Texts of either side that are no nodes to the delta: they stay, or do not come.
    layout: [Vec<bool>; 2],
}

impl<'d> Planner<'d> {
    fn new(before: &'d Document, after: &'d Document, staying: Pairs, mut layout: [Vec<bool>; 2]) -> Self {
        exact::give_up_layout(before, after, &staying, &mut layout);
        let replaced = Pairs::none(before, after);
        let mut planner = Planner { before, after, staying, replaced, layout };
        let parents: Vec<(NodeId, NodeId)> = planner.staying.iter().collect();
        for &(old, new) in &parents {
            planner.replace_children(old, new);
            planner.part_texts(old);
        }
        planner.bring_layout();
        planner
    }

    /// Makes pairs of the elements that go and come between the same two children that stay.
    fn replace_children(&mut self, old: NodeId, new: NodeId) {
        let mut coming = self.after.node(new).children().peekable();
        for child in self.before.node(old).children() {
            if let Some(partner) = self.staying.after_of(child.id()) {
                while coming.next_if(|next| next.id() <= partner).is_some() {}
            } else if child.is_element() {
                let comes = |next: &Node<'_>| self.staying.before_of(next.id()).is_none();
                while coming.next_if(|next| comes(next) && !next.is_element()).is_some() {}
                if let Some(replacement) = coming.next_if(comes) {
                    self.replaced.pair(child.id(), replacement.id());
                }
            }
        }
    }

    /// Parts pairs of texts that would become one text with the text before them.
    fn part_texts(&mut self, parent: NodeId) {
        let mut behind_text = false;
        for child in self.before.node(parent).children() {
            let stays = self.staying.after_of(child.id()).is_some();
            if stays && behind_text && child.kind() == Kind::Text {
                self.staying.part(child.id());
            } else if stays || self.replaced.after_of(child.id()).is_some() {
                behind_text = child.kind() == Kind::Text;
            }
        }
    }

    fn bring_layout(&mut self) {
        let (staying, replaced) = (&self.staying, &self.replaced);
        let comes = |node| staying.before_of(node).is_none() && replaced.before_of(node).is_none();
        let [_, layout] = &mut self.layout;
        exact::bring_layout(self.after, comes, layout);
    }

    fn edits(&self) -> Vec<Edit> {
        let mut edits: Vec<Edit> = self.staying.iter().filter_map(|(old, new)| self.change(old, new)).collect();
        edits.extend(self.replaced.iter().map(|(before, after)| Edit::Replace { before, after }));
        edits.sort_by_key(|edit| match *edit {
            Edit::Value { before, .. } | Edit::Attributes { before, .. } | Edit::Replace { before, .. } => before,
            Edit::Remove { .. } | Edit::Insert { .. } => NodeId::DOCUMENT,
        });
        let going: Vec<Node<'_>> = self.going();
        let (texts, others): (Vec<Node<'_>>, Vec<Node<'_>>) =
            going.into_iter().rev().partition(|node| node.kind() == Kind::Text);
        edits.extend(texts.into_iter().chain(others).map(|node| {
            let with_layout = exact::layout_before(node, &self.layout[0]);
            Edit::Remove { before: node.id(), with_layout }
        }));
        self.add_inserts(&mut edits);
        edits
    }

    /// What becomes of the node itself where it stays.
    fn change(&self, before: NodeId, after: NodeId) -> Option<Edit> {
        let (old, new) = (self.before.node(before), self.after.node(after));
        match old.kind() {
            Kind::Element => (!attribute_changes(old, new).is_empty()).then_some(Edit::Attributes { before, after }),
            kind if kind.is_container() => None,
            _ => (old.value() != new.value()).then_some(Edit::Value { before, after }),
        }
    }

    /// The roots of what goes and is not replaced, in document order.
    fn going(&self) -> Vec<Node<'d>> {
        let goes = |node: &Node<'_>| {
            let parent_stays = node.parent().is_some_and(|parent| self.staying.after_of(parent.id()).is_some());
            parent_stays
                && self.staying.after_of(node.id()).is_none()
                && self.replaced.after_of(node.id()).is_none()
                && !self.layout[0][node.id().index()]
        };
        self.before.nodes().filter(goes).collect()
    }

    /// The rows of siblings that come, in document order.
    fn add_inserts(&self, edits: &mut Vec<Edit>) {
        let mut parents: Vec<NodeId> = self.staying.iter().map(|(_, new)| new).collect();
        parents.sort_unstable();
        for parent in parents {
            let mut row: Option<Edit> = None;
            for child in self.after.node(parent).children() {
                row = match row {
                    _ if !self.comes(child.id()) => {
                        edits.extend(row);
                        None
                    }
                    Some(Edit::Insert { first, .. }) => Some(Edit::Insert { first, last: child.id() }),
                    _ => Some(Edit::Insert { first: child.id(), last: child.id() }),
                };
            }
            edits.extend(row);
        }
    }

    fn comes(&self, node: NodeId) -> bool {
        self.staying.before_of(node).is_none()
            && self.replaced.before_of(node).is_none()
            && !self.layout[1][node.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;
    use crate::write;

    fn shown(sequence: &Sequence<'_>) -> Vec<String> {
        let old = |node| write::source_of(sequence.before().node(node));
        let new = |node| write::source_of(sequence.after().node(node));
        let show = |edit: &Edit| match *edit {
            Edit::Value { before, after } => format!("{} becomes {}", old(before), new(after)),
            Edit::Attributes { before, after } => {
                let changes = attribute_changes(sequence.before().node(before), sequence.after().node(after));
                format!("{:?}", changes.iter().map(|pair| (pair.before, pair.after)).collect::<Vec<_>>())
            }
            Edit::Replace { before, after } => format!("{} gives way to {}", old(before), new(after)),
            Edit::Remove { before, with_layout } => format!("{} goes, layout {with_layout}", old(before)),
            Edit::Insert { first, last } => format!("{:?} to {:?} come", new(first), new(last)),
        };
        sequence.edits().iter().map(show).collect()
    }

    #[test]
    fn what_moves_goes_and_comes_again() {
        let (delta, before, after) = sample::catalogue();
        let sequence = Sequence::of(&delta, &before, &after).unwrap();
        let expected = [
            "[(Some({http://www.w3.org/XML/1998/namespace}lang=\"en\"), None)]",
            "[(Some(href=\"a\"), Some(href=\"b\")), (None, Some(class=\"hot\"))]",
            "$799 becomes \"$699\"",
            "<note>new</note> goes, layout true",
            "<product><name>lens</name><price>$49</price></product> goes, layout true",
            "\"\\n  \" to \"<note>new</note>\" come",
            "\"<stock>7</stock>\" to \"<stock>7</stock>\" come",
        ];
        assert_eq!(shown(&sequence), expected);
    }
}
