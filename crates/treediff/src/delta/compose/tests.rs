//! The laws, over random trees and random changes small enough for everything to happen to everything.

use proptest::prelude::*;

use super::edits::Edits;
use crate::delta::model::{Chain, apply, chain, described, genes};
use crate::delta::{Delta, Operation};

fn composed(first: &Delta, second: &Delta) -> Delta {
    first.compose(second).expect("neighbours compose")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn the_model_agrees_with_itself(tree in genes(14), edits in genes(8), choices in any::<Vec<u8>>()) {
        let Chain { first, deltas, last } = chain(&tree, &[edits], &choices);
        prop_assert_eq!(&apply(&deltas[0], &first), &last);
        prop_assert_eq!(&apply(&deltas[0].inverted(), &last), &first);
    }

    #[test]
    fn inverting_twice_changes_nothing(tree in genes(14), edits in genes(8), choices in any::<Vec<u8>>()) {
        let delta = chain(&tree, &[edits], &choices).deltas.remove(0);
        prop_assert_eq!(format!("{:?}", delta.inverted().inverted()), format!("{delta:?}"));
    }

    #[test]
    fn composing_is_doing_one_after_the_other(
        tree in genes(14), edits in prop::collection::vec(genes(6), 2..5), choices in any::<Vec<u8>>(),
    ) {
        let Chain { first, deltas, last } = chain(&tree, &edits, &choices);
        let whole = deltas.iter().skip(1).fold(deltas[0].clone(), |whole, next| composed(&whole, next));
        prop_assert_eq!(&apply(&whole, &first), &last);
        prop_assert_eq!(&apply(&whole.inverted(), &last), &first);
        let read = Delta::read(whole.to_xydelta(), &Default::default()).expect("what is composed can be written");
        prop_assert!(read.same_as(&whole), "{}", whole.to_xydelta());
        let all = Delta::compose_all(&deltas).unwrap().unwrap();
        prop_assert_eq!(&apply(&all, &first), &last);
    }

    #[test]
    fn a_delta_and_its_inverse_are_nothing(tree in genes(14), edits in genes(8), choices in any::<Vec<u8>>()) {
        let delta = chain(&tree, &[edits], &choices).deltas.remove(0);
        prop_assert_eq!(described(&composed(&delta, &delta.inverted())), Vec::<String>::new());
        prop_assert_eq!(described(&composed(&delta.inverted(), &delta)), Vec::<String>::new());
    }

    #[test]
    fn inverting_turns_the_order_around(
        tree in genes(14), edits in prop::collection::vec(genes(6), 2), choices in any::<Vec<u8>>(),
    ) {
        let deltas = chain(&tree, &edits, &choices).deltas;
        let there = composed(&deltas[0], &deltas[1]).inverted();
        let back = composed(&deltas[1].inverted(), &deltas[0].inverted());
        prop_assert_eq!(described(&there), described(&back));
    }

    #[test]
    fn composing_is_associative(
        tree in genes(14), edits in prop::collection::vec(genes(5), 3), choices in any::<Vec<u8>>(),
    ) {
        let Chain { first, deltas, last } = chain(&tree, &edits, &choices);
        let left = composed(&composed(&deltas[0], &deltas[1]), &deltas[2]);
        let right = composed(&deltas[0], &composed(&deltas[1], &deltas[2]));
        prop_assert_eq!(&apply(&left, &first), &last);
        prop_assert_eq!(&apply(&right, &first), &last);
        prop_assert_eq!(without_reorders(&left), without_reorders(&right));
        if !gives_back(&deltas) {
            prop_assert_eq!(described(&left), described(&right));
        }
    }

    #[test]
    fn a_step_and_its_inverse_leave_what_was_before(
        tree in genes(14), edits in prop::collection::vec(genes(5), 2), choices in any::<Vec<u8>>(),
    ) {
        let deltas = chain(&tree, &edits, &choices).deltas;
        let there_and_back = composed(&composed(&deltas[0], &deltas[1]), &deltas[1].inverted());
        prop_assert_eq!(without_reorders(&there_and_back), without_reorders(&deltas[0]));
    }
}

/// The operations without the moves below one parent, and without the maps of the others.
fn without_reorders(delta: &Delta) -> Vec<String> {
    let mut delta = delta.clone();
    delta
        .operations
        .retain(|operation| !matches!(operation, Operation::Move { from, to, .. } if from.parent == to.parent));
    for operation in &mut delta.operations {
        if let Operation::Move { xids, .. } = operation {
            *xids = xids.last().into_iter().collect();
        }
    }
    described(&delta)
}

/// Whether one of the deltas takes a node from a parent and a later one gives it back to it.
fn gives_back(deltas: &[Delta]) -> bool {
    let edits: Vec<Edits<'_>> = deltas.iter().map(|delta| Edits::of(&delta.operations).unwrap()).collect();
    let pairs = edits.iter().enumerate().flat_map(|(at, first)| edits[at + 1..].iter().map(move |then| (first, then)));
    let mut links = pairs.flat_map(|(first, then)| {
        first.removed.iter().map(|(parent, taken)| (taken, then.added.get(parent).map_or(&[][..], Vec::as_slice)))
    });
    links.any(|(taken, given)| taken.iter().any(|spot| given.iter().any(|other| other.node == spot.node)))
}
