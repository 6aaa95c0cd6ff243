//! The laws, over random trees and random changes small enough for everything to happen to everything.

use proptest::prelude::*;

use crate::delta::Delta;
use crate::delta::model::{Gene, Model, apply, described, diff};

/// A tree and some versions of it, each with the delta from the one before.
struct Chain {
    first: Model,
    deltas: Vec<Delta>,
    last: Model,
}

fn chain(tree: &[Gene], versions: &[Vec<Gene>], choices: &[u8]) -> Chain {
    let (empty, mut history) = Model::new();
    let first = empty.edited(&mut history, tree);
    history.dead.clear();
    let mut version = first.clone();
    let mut deltas = Vec::new();
    for genes in versions {
        let next = version.edited(&mut history, genes);
        deltas.push(diff(&version, &next, choices, history.next));
        version = next;
    }
    Chain { first, deltas, last: version }
}

fn genes(most: usize) -> impl Strategy<Value = Vec<Gene>> {
    prop::collection::vec(any::<Gene>(), 0..most)
}

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
        let deltas = chain(&tree, &edits, &choices).deltas;
        let left = composed(&composed(&deltas[0], &deltas[1]), &deltas[2]);
        let right = composed(&deltas[0], &composed(&deltas[1], &deltas[2]));
        prop_assert_eq!(described(&left), described(&right));
    }
}
