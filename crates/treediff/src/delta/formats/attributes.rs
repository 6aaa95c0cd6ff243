//! Which attributes does an element have in both versions?

use std::collections::HashMap;

use crate::tree::{Attribute, Name, Node};
use crate::write::attributes_as_written;

/// An attribute in both versions; it is in at least one.
#[derive(Debug, Clone, Copy)]
pub(super) struct AttributePair<'d> {
    pub(super) before: Option<Attribute<'d>>,
    pub(super) after: Option<Attribute<'d>>,
    either: Attribute<'d>,
}

impl<'d> AttributePair<'d> {
    /// The attributes of an element in the order of the version before, new ones last.
    pub(super) fn all(before: Node<'d>, after: Node<'d>) -> Vec<Self> {
        let mut new: HashMap<Name<'d>, Attribute<'d>> =
            after.attributes().map(|attribute| (attribute.name(), attribute)).collect();
        let old = attributes_as_written(before).into_iter();
        let mut pairs: Vec<Self> = old
            .map(|either| AttributePair { before: Some(either), after: new.remove(&either.name()), either })
            .collect();
        let added = attributes_as_written(after).into_iter().filter(|attribute| new.contains_key(&attribute.name()));
        pairs.extend(added.map(|either| AttributePair { before: None, after: Some(either), either }));
        pairs
    }

    /// The attribute as the version after has it, or else the one before.
    pub(super) fn newest(self) -> Attribute<'d> {
        self.after.unwrap_or(self.either)
    }
}
