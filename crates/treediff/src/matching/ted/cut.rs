//! What need not be solved? Equal ends, and roots that are alike.
//!
//! Where every insertion and deletion costs 1 and no update less than 0, there is a cheapest mapping that keeps
//!
//! - equal trees T at one end of both forests. Say they are the first. What is right of T maps to what is right of
//!   whatever T's nodes map to, so nodes of the rest map into T on one side only, say from the rest before to the T after.
//!   All pairs that touch a T then end in the T after, and there are no more of them than it has nodes. T mapped to T
//!   is as many pairs at no cost, and all other pairs stay;
//! - roots that are alike where both forests are one tree. If neither has a partner, they can be a pair. They cannot both
//!   have other partners, since each would have to be above the other's; and if one has, the other root takes its
//!   place, at no cost, and is above all that the partner was above.
//!
//! So equal ends are cut off and roots that are alike are taken off, as long as there are any. Equal subtrees elsewhere may
//! have to be given up for the cheapest mapping, so they stay.

use std::ops::Range;

use crate::matching::Matching;
use crate::matching::cost::update_cost;
use crate::matching::labels::Labels;
use crate::tree::{Document, Node, NodeId};

/// Pairs what can be paired at once. What is left is a row of siblings on each side, as ranges of nodes.
pub(super) fn cut(before: &Document, after: &Document, matching: &mut Matching) -> [Range<u32>; 2] {
    let labels = Labels::new(before, after);
    let mut roots = (before.root(), after.root());
    loop {
        let (from, to) = cut_ends(roots.0.children(), roots.1.children(), |from, to| pair_if_same(from, to, matching));
        match (&from[..], &to[..]) {
            (&[from], &[to]) if labels.are_alike(from.label(), to.label()) && update_cost(from, to) == 0 => {
                matching.pair(from.id(), to.id());
                roots = (from, to);
            }
            _ => return [range(&from), range(&to)],
        }
    }
}

/// What is left of two rows when equal members at both ends are cut off.
pub(super) fn cut_ends<T: Copy>(
    before: impl Iterator<Item = T>,
    after: impl Iterator<Item = T>,
    mut same: impl FnMut(T, T) -> bool,
) -> (Vec<T>, Vec<T>) {
    let (mut before, mut after): (Vec<T>, Vec<T>) = (before.collect(), after.collect());
    let front = before.iter().zip(&after).take_while(|&(&one, &other)| same(one, other)).count();
    (before, after) = (before.split_off(front), after.split_off(front));
    let ends = before.iter().rev().zip(after.iter().rev());
    let back = ends.take_while(|&(&one, &other)| same(one, other)).count();
    before.truncate(before.len() - back);
    after.truncate(after.len() - back);
    (before, after)
}

fn pair_if_same(before: Node<'_>, after: Node<'_>, matching: &mut Matching) -> bool {
    let same = before.same_content(after);
    if same {
        matching.pair_same(before.id(), after.id(), before.size());
    }
    same
}

fn range(siblings: &[Node<'_>]) -> Range<u32> {
    match siblings {
        [first, .., last] => first.id().0..last.end(),
        [only] => only.id().0..only.end(),
        [] => NodeId::DOCUMENT.0..NodeId::DOCUMENT.0,
    }
}
