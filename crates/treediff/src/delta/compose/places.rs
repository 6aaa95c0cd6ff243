//! Where was it in the first version, where is it in the last? The places of all that goes and comes, parent by parent.
//!
//! With d1 from A to B and d2 from B to C, under one parent: what d1 removes has its position in A, what d2 adds has
//! its position in C; both are final. What d1 adds and d2 leaves alone has a position in B, and what lies between B and
//! C is known: in C it is where as many others stand before it, counting without what d2 removes and with what it adds.
//! What d2 removes and d1 left alone goes to A by the same step backwards. All lists are sorted, so that each step is
//! one pass over them.

use std::collections::HashMap;

use super::ComposeError;
use super::edits::{Edits, Spot};
use crate::delta::{Place, Xid};

/// The places of the composed delta: every node that leaves a parent or comes to one.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// Where nodes leave, in A.
    pub(super) before: HashMap<Xid, Place>,
    /// Where nodes come, in C.
    pub(super) after: HashMap<Xid, Place>,
    /// All children in A, in order, of the parents that are deleted; in C, of those that are inserted.
    pub(super) children_before: HashMap<Xid, Vec<Xid>>,
    pub(super) children_after: HashMap<Xid, Vec<Xid>>,
    /// The parents of the nodes that both deltas moved and that stand where they stood.
    pub(super) settled: HashMap<Xid, Xid>,
}

/// In which of the versions a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Presence {
    pub(super) a: bool,
    pub(super) b: bool,
    pub(super) c: bool,
}

impl Presence {
    pub(super) fn of(node: Xid, first: &Edits<'_>, second: &Edits<'_>) -> Self {
        let (gone1, come1) = (first.gone.contains_key(&node), first.come.contains_key(&node));
        let (gone2, come2) = (second.gone.contains_key(&node), second.come.contains_key(&node));
        let b = come1 || gone2 || !(gone1 || come2);
        Presence { a: gone1 || b && !come1, b, c: come2 || b && !gone2 }
    }
}

impl Places {
    pub(super) fn of(first: &Edits<'_>, second: &Edits<'_>) -> Result<Self, ComposeError> {
        let mut places = Places::default();
        for parent in parents(first, second) {
            let presence = Presence::of(parent, first, second);
            let siblings = Siblings::of(parent, first, second);
            let left = if presence.a { siblings.leaving(presence.b)? } else { Vec::new() };
            let come = if presence.c { siblings.coming(presence.b)? } else { Vec::new() };
            places.note(parent, presence, &left, &come, &siblings)?;
        }
        Ok(places)
    }

    fn note(
        &mut self,
        parent: Xid,
        presence: Presence,
        left: &[Spot],
        come: &[Spot],
        siblings: &Siblings<'_>,
    ) -> Result<(), ComposeError> {
        for node in siblings.settled(left, come) {
            self.settled.insert(node, parent);
        }
        for (spots, places) in [(left, &mut self.before), (come, &mut self.after)] {
            for spot in spots.iter().filter(|spot| self.settled.get(&spot.node) != Some(&parent)) {
                let place = Place { parent, position: spot.position };
                if places.insert(spot.node, place).is_some() {
                    return Err(ComposeError::Twice(spot.node));
                }
            }
        }
        if !presence.c {
            self.children_before.insert(parent, left.iter().map(|spot| spot.node).collect());
        }
        if !presence.a {
            self.children_after.insert(parent, come.iter().map(|spot| spot.node).collect());
        }
        Ok(())
    }
}

/// The parents that either delta takes children from or gives children to, each once.
fn parents(first: &Edits<'_>, second: &Edits<'_>) -> Vec<Xid> {
    let all = [&first.removed, &first.added, &second.removed, &second.added];
    let mut parents: Vec<Xid> = all.into_iter().flat_map(|spots| spots.keys().copied()).collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}

/// What the two deltas do below one parent.
struct Siblings<'e> {
    /// By d1, positions in A.
    removed_first: &'e [Spot],
    /// By d1, positions in B.
    added_first: &'e [Spot],
    /// By d2, positions in B.
    removed_then: &'e [Spot],
    /// By d2, positions in C.
    added_then: &'e [Spot],
}

impl<'e> Siblings<'e> {
    fn of(parent: Xid, first: &'e Edits<'_>, second: &'e Edits<'_>) -> Self {
        let of = |spots: &'e HashMap<Xid, Vec<Spot>>| spots.get(&parent).map_or(&[][..], Vec::as_slice);
        Siblings {
            removed_first: of(&first.removed),
            added_first: of(&first.added),
            removed_then: of(&second.removed),
            added_then: of(&second.added),
        }
    }

    /// What leaves the parent from A to C, at its position in A.
    fn leaving(&self, through_b: bool) -> Result<Vec<Spot>, ComposeError> {
        let mut all = self.removed_first.to_vec();
        if through_b {
            let old = without(self.removed_then, self.added_first)?;
            all.extend(carried(&old, self.added_first, self.removed_first));
            all.sort_unstable();
        }
        Ok(all)
    }

    /// What comes to the parent from A to C, at its position in C.
    fn coming(&self, through_b: bool) -> Result<Vec<Spot>, ComposeError> {
        let mut all = self.added_then.to_vec();
        if through_b {
            let kept = without(self.added_first, self.removed_then)?;
            all.extend(carried(&kept, self.removed_then, self.added_then));
            all.sort_unstable();
        }
        Ok(all)
    }

    /// The nodes that d1 took from the parent and d2 gave back to it, in the same order as all that did not move and as
    /// all the others of their kind.
    ///
    /// Only these can be dropped: a node that one of the deltas moved and the other did not has to stay a move, or
    /// undoing the other would not give the first again.
    fn settled(&self, left: &[Spot], come: &[Spot]) -> Vec<Xid> {
        let back = order(come, self.added_then);
        let mut returned: Vec<Returned> = order(left, self.removed_first)
            .into_iter()
            .filter_map(|(node, before)| back.get(&node).map(|&after| Returned { node, before, after }))
            .collect();
        returned.sort_unstable_by_key(|node| node.before);
        undisturbed(&returned)
    }
}

/// A node's rank among its siblings: how many that do not move stand before it, and its position.
type Rank = (u32, u32);

/// A node that went and came back.
#[derive(Debug, Clone, Copy)]
struct Returned {
    node: Xid,
    before: Rank,
    after: Rank,
}

/// The ranks, among `all` that go (or come), of those that are also in `some`.
fn order(all: &[Spot], some: &[Spot]) -> HashMap<Xid, Rank> {
    let mut wanted = some.iter().peekable();
    let ranked = all.iter().enumerate().filter_map(|(at, spot)| {
        wanted.next_if(|wanted| **wanted == *spot)?;
        Some((spot.node, (spot.position.saturating_sub(at as u32), spot.position)))
    });
    ranked.collect()
}

/// Those of `returned`, which is in the order before, that crossed nothing on their way.
fn undisturbed(returned: &[Returned]) -> Vec<Xid> {
    // From the right: the first, in the order after, of all that stood behind.
    let mut first_behind = vec![(u32::MAX, u32::MAX); returned.len()];
    let mut first = (u32::MAX, u32::MAX);
    for (at, node) in returned.iter().enumerate().rev() {
        first_behind[at] = first;
        first = first.min(node.after);
    }
    let mut last_before = None;
    let mut settled = Vec::new();
    for (node, first_behind) in returned.iter().zip(first_behind) {
        let crossed = last_before > Some(node.after) || first_behind < node.after;
        if !crossed && node.before.0 == node.after.0 {
            settled.push(node.node);
        }
        last_before = last_before.max(Some(node.after));
    }
    settled
}

/// The spots of `some` that are not in `others`; at one position in one version there is one node.
fn without(some: &[Spot], others: &[Spot]) -> Result<Vec<Spot>, ComposeError> {
    let mut others = others.iter().peekable();
    let mut left = Vec::new();
    for spot in some {
        while others.next_if(|other| other.position < spot.position).is_some() {}
        match others.peek() {
            Some(other) if other.position == spot.position && other.node != spot.node => {
                return Err(ComposeError::Disagreement { first: spot.node, second: other.node });
            }
            Some(other) if other.position == spot.position => {}
            _ => left.push(*spot),
        }
    }
    Ok(left)
}

/// The positions of `stayers` in the version that lacks the `leaving` and has the `coming`.
fn carried(stayers: &[Spot], leaving: &[Spot], coming: &[Spot]) -> Vec<Spot> {
    let (mut left, mut come) = (0, 0);
    let carry = stayers.iter().map(|stayer| {
        while leaving.get(left).is_some_and(|spot| spot.position < stayer.position) {
            left += 1;
        }
        let among_stayers = stayer.position.saturating_sub(left as u32);
        while coming.get(come).is_some_and(|spot| spot.position <= among_stayers.saturating_add(come as u32)) {
            come += 1;
        }
        Spot { position: among_stayers.saturating_add(come as u32), node: stayer.node }
    });
    carry.collect()
}
