//! Scripts and deltas say the same, and neighbours may change places.

use proptest::prelude::*;

use super::{Script, swap};
use crate::delta::model::{Chain, Gene, Model, apply, chain, described, genes, step};
use crate::delta::{AttributeChange, AttributeName, Delta, Operation, Place, Xid, XidMap};

fn executed(script: &Script, first: &Model) -> Model {
    let mut model = first.clone();
    script.steps().iter().for_each(|operation| step(&mut model, operation));
    model
}

/// A script of all changes that are a single operation, step by step; those behind one that is more are left out.
fn random_script(tree: &[Gene], changes: &[Gene], choices: &[u8]) -> Option<(Model, Script, Model)> {
    let versions: Vec<Vec<Gene>> = changes.iter().map(|gene| vec![*gene]).collect();
    let Chain { first, deltas, .. } = chain(tree, &versions, choices);
    let single: Vec<Delta> = deltas.into_iter().take_while(|delta| delta.operations.len() <= 1).collect();
    let scripts = single.iter().map(|delta| Script { whole: delta.clone() });
    let script = scripts.reduce(|script, next| script.followed_by(&next).expect("neighbours"))?;
    let last = single.iter().fold(first.clone(), |model, delta| apply(delta, &model));
    Some((first, script, last))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn a_delta_can_be_done_step_by_step(tree in genes(14), edits in genes(8), choices in any::<Vec<u8>>()) {
        let Chain { first, deltas, last } = chain(&tree, &[edits], &choices);
        let script = deltas[0].to_script();
        prop_assert_eq!(&executed(&script, &first), &last);
        prop_assert_eq!(described(&script.to_delta().unwrap()), described(&deltas[0]));
    }

    #[test]
    fn without_moves_positions_are_those_of_the_delta(
        tree in genes(14), edits in genes(8), choices in any::<Vec<u8>>(),
    ) {
        let delta = chain(&tree, &[edits], &choices).deltas.remove(0);
        if !delta.operations.iter().any(|operation| matches!(operation, Operation::Move { .. })) {
            prop_assert_eq!(described(&delta.to_script().whole), described(&delta));
        }
    }

    #[test]
    fn a_script_has_its_delta(tree in genes(10), changes in genes(14), choices in any::<Vec<u8>>()) {
        if let Some((first, script, last)) = random_script(&tree, &changes, &choices) {
            prop_assert_eq!(&executed(&script, &first), &last);
            prop_assert_eq!(&apply(&script.to_delta().unwrap(), &first), &last);
        }
    }

    #[test]
    fn neighbours_may_change_places(tree in genes(10), changes in genes(14), choices in any::<Vec<u8>>()) {
        if let Some((first, script, last)) = random_script(&tree, &changes, &choices) {
            for swapped in (0..script.steps().len()).filter_map(|at| script.swapped(at)) {
                prop_assert_eq!(&executed(&swapped, &first), &last);
                prop_assert_eq!(&apply(&swapped.to_delta().unwrap(), &first), &last);
            }
        }
    }

    #[test]
    fn steps_of_a_delta_may_change_places(tree in genes(14), edits in genes(8), choices in any::<Vec<u8>>()) {
        let Chain { first, deltas, last } = chain(&tree, &[edits], &choices);
        let script = deltas[0].to_script();
        for swapped in (0..script.steps().len()).filter_map(|at| script.swapped(at)) {
            prop_assert_eq!(&executed(&swapped, &first), &last);
            prop_assert_eq!(described(&swapped.to_delta().unwrap()), described(&deltas[0]));
        }
    }
}

/// A move below one parent, as a step.
fn moved(node: u64, from: (u64, u32), to: (u64, u32)) -> Operation {
    let [from, to] = [from, to].map(|(parent, position)| Place { parent: Xid(parent), position });
    Operation::Move { from, to, xids: XidMap::from_iter([Xid(node)]) }
}

#[track_caller]
fn check(first: Operation, second: Operation, expected: Option<(Operation, Operation)>) {
    let shown = |pair: Option<(Operation, Operation)>| format!("{pair:?}");
    assert_eq!(shown(swap(&first, &second)), shown(expected));
}

#[test]
fn only_positions_below_one_parent_change() {
    let far = || moved(7, (1, 0), (2, 5));
    check(far(), moved(8, (3, 1), (4, 1)), Some((moved(8, (3, 1), (4, 1)), far())));
    // Where 7 went from, all behind it stood one further on before; where it came to, one less.
    check(far(), moved(8, (1, 0), (3, 0)), Some((moved(8, (1, 1), (3, 0)), far())));
    check(far(), moved(8, (2, 6), (3, 0)), Some((moved(8, (2, 5), (3, 0)), far())));
    check(far(), moved(8, (2, 0), (3, 0)), Some((moved(8, (2, 0), (3, 0)), moved(7, (1, 0), (2, 4)))));
    check(far(), moved(8, (3, 0), (2, 2)), Some((moved(8, (3, 0), (2, 2)), moved(7, (1, 0), (2, 6)))));
}

#[test]
fn what_depends_keeps_its_order() {
    check(moved(7, (1, 0), (2, 0)), moved(7, (2, 0), (1, 0)), None);
    check(moved(7, (1, 0), (2, 0)), moved(8, (7, 0), (1, 0)), None);
    check(moved(7, (1, 0), (8, 0)), moved(8, (1, 0), (2, 0)), None);
    let attribute = |local: &str| Operation::Attribute {
        node: Xid(7),
        name: AttributeName { namespace: String::new(), prefix: String::new(), local: local.to_owned() }.into(),
        change: AttributeChange::Insert(String::new()),
    };
    check(attribute("a"), attribute("a"), None);
    check(attribute("a"), attribute("b"), Some((attribute("b"), attribute("a"))));
    check(attribute("a"), moved(7, (1, 0), (2, 0)), Some((moved(7, (1, 0), (2, 0)), attribute("a"))));
}
