//! Which operations are written as one? In pages, siblings that came or went side by side.
//!
//! A page is a row of paragraphs with texts and tags between them, and where one comes or goes a dozen nodes do. With a tag,
//! a place and a map for each, the deltas of pages were a ninth larger than they are. A row has the place of the first,
//! the maps of all as one, and the subtrees one behind the other. Nothing but the writing knows of rows: what is read is
//! an operation for each subtree again.

use super::layout::is_blank_text;
use super::write::Payload;
use crate::delta::{Fragment, Operation, Place, XidMap};
use crate::parse::Whitespace;
use crate::tree::Kind;

/// A deletion or insertion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Member<'d> {
    is_insertion: bool,
    place: Place,
    xids: &'d XidMap,
    pub(super) content: &'d Fragment,
}

impl<'d> Member<'d> {
    pub(super) fn of(operation: &'d Operation) -> Option<Self> {
        match operation {
            Operation::Delete { place, xids, content } => {
                Some(Member { is_insertion: false, place: *place, xids, content })
            }
            Operation::Insert { place, xids, content } => {
                Some(Member { is_insertion: true, place: *place, xids, content })
            }
            _ => None,
        }
    }

    fn is_text(&self) -> bool {
        self.content.root().kind() == Kind::Text
    }

    fn is_blank(&self) -> bool {
        self.is_text() && is_blank_text(self.content.root())
    }

    /// Whether `next` stands behind this one. Two texts cannot, or they would run together.
    fn is_before(&self, next: &Member<'_>) -> bool {
        self.is_insertion == next.is_insertion
            && self.place.parent == next.place.parent
            && self.place.position.checked_add(1) == Some(next.place.position)
            && !(self.is_text() && next.is_text())
    }
}

/// Siblings that are written as one, with their payloads.
#[derive(Debug, Default)]
pub(super) struct Row<'d> {
    members: Vec<(Member<'d>, Payload)>,
}

/// What is written as one.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) is_insertion: bool,
    pub(super) place: Place,
    pub(super) xids: XidMap,
    pub(super) payload: Payload,
}

impl<'d> Row<'d> {
    /// Whether an operation belongs to the row. What says how its white space is to be read says so for itself alone.
    pub(super) fn goes_on_with(&self, next: &Member<'_>, payload: &Payload) -> bool {
        let follows = |(last, before): &(Member<'_>, Payload)| last.is_before(next) && !before.preserves_space;
        !payload.preserves_space && self.members.last().is_some_and(follows)
    }

    pub(super) fn push(&mut self, member: Member<'d>, payload: Payload) {
        self.members.push((member, payload));
    }

    /// The row as one, or, where a blank text in it would be taken for layout, in parts in which it is not.
    pub(super) fn into_parts(self, whitespace: Whitespace) -> Vec<Part> {
        let mut texts = self.members.iter().map(|(member, _)| member).filter(|member| member.is_text());
        // One text with other characters makes nodes of all blank ones beside it.
        let splits_at_blanks = whitespace == Whitespace::Layout && texts.all(Member::is_blank);
        let mut parts: Vec<Part> = Vec::new();
        let mut was_blank = true;
        for (member, payload) in self.members {
            let begins = parts.is_empty() || (splits_at_blanks && (was_blank || member.is_blank()));
            was_blank = member.is_blank();
            match parts.last_mut() {
                Some(part) if !begins => part.add(&member, &payload),
                _ => parts.push(Part::of(&member, payload)),
            }
        }
        parts
    }
}

impl Part {
    fn of(member: &Member<'_>, payload: Payload) -> Self {
        Part { is_insertion: member.is_insertion, place: member.place, xids: member.xids.clone(), payload }
    }

    fn add(&mut self, member: &Member<'_>, payload: &Payload) {
        self.xids.push_slice(member.xids, 0, member.xids.len());
        self.payload.text.push_str(&payload.text);
    }
}
