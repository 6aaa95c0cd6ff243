//! Phase 1: what do the documents name themselves? Elements with one ID on both sides are pairs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::{Rows, State};
use crate::matching::Fallback;
use crate::matching::notes::Flaws;
use crate::text::shortened;
use crate::tree::hash::KeyedState;
use crate::tree::{Document, Format, NodeId};

impl State<'_> {
    /// Pairs that the caller knows; those that cannot be are left out.
    pub(in crate::matching) fn pair_given(&mut self, pairs: &[(NodeId, NodeId)]) {
        for &(before, after) in pairs {
            if before.index() < self.before.len() && after.index() < self.after.len() {
                self.pair_named(before, after);
            }
        }
    }

    /// Elements whose ID is there once on both sides. In XML, other elements with IDs stay without a partner of
    /// another ID; in HTML, whose pages give IDs to whatever they style, they are as free as all others, and what several
    /// have is not worth a note.
    pub(in crate::matching) fn pair_ids(&mut self) {
        if !self.before.may_have_ids() || !self.after.may_have_ids() {
            return;
        }
        let before = Ids::of(self.before);
        let after = Ids::of(self.after);
        let is_xml = self.after.format() == Format::Xml;
        self.has_strict_ids = self.rows == Rows::ByLikeness && is_xml;
        if is_xml {
            let mut flaws = Flaws::new(self.matching.notes_mut());
            after.tell_repeated(self.after, &before, &mut flaws);
            before.tell_repeated(self.before, &after, &mut flaws);
        }
        let mut pairs: Vec<(NodeId, NodeId)> =
            after.elements.iter().filter_map(|(id, &node)| Some(((*before.elements.get(id)?)?, node?))).collect();
        pairs.sort_unstable();
        for (before, after) in pairs {
            self.pair_named(before, after);
        }
    }

    /// Pairs what is the same below nodes that have their partners by a name.
    pub(in crate::matching) fn descend_from_named(&mut self) {
        for word in 0..self.named.len() {
            let mut bits = self.named[word];
            while bits != 0 {
                let after = NodeId(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
                if let Some(before) = self.matching.before_of(after) {
                    self.descend_from(before, after);
                }
            }
        }
    }

    /// Whether there are any.
    pub(in crate::matching) fn has_named(&self) -> bool {
        self.named.iter().any(|&bits| bits != 0)
    }

    fn pair_named(&mut self, before: NodeId, after: NodeId) {
        if self.may_pair(self.before.node(before), self.after.node(after)) {
            self.matching.pair(before, after);
            self.named[after.index() / 64] |= 1 << (after.index() % 64);
        }
    }
}

/// The IDs of a document.
struct Ids<'d> {
    /// The elements with an ID; nobody where several have the same.
    elements: HashMap<Cow<'d, str>, Option<NodeId>, KeyedState>,
    /// For each ID that several have, the second of them.
    repeated: Vec<NodeId>,
}

impl<'d> Ids<'d> {
    fn of(document: &'d Document) -> Self {
        let mut ids = Ids { elements: HashMap::default(), repeated: Vec::new() };
        for (node, id) in document.ids() {
            match ids.elements.entry(id) {
                Entry::Vacant(entry) => _ = entry.insert(Some(node)),
                Entry::Occupied(mut entry) => {
                    if entry.insert(None).is_some() {
                        ids.repeated.push(node);
                    }
                }
            }
        }
        ids
    }

    /// Tells of the IDs that several elements have and that are on the other side too: only there something is lost.
    fn tell_repeated(&self, document: &'d Document, other: &Ids<'_>, flaws: &mut Flaws<'_>) {
        for node in self.repeated.iter().map(|&id| document.node(id)) {
            let Some(id) = node.id_value().filter(|id| other.elements.contains_key(id)) else { continue };
            let reason = || {
                format!(
                    "the ID `{}` is that of several elements, and they are compared as without it",
                    shortened(&id, 40)
                )
            };
            flaws.tell(Fallback::KeyNotUnique, node, reason);
        }
    }
}
