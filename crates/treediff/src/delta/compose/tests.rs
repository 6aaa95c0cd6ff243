//! The laws, over random trees and random changes small enough for everything to happen to everything.

use std::sync::Arc;

use proptest::prelude::*;

use super::ComposeError;
use super::edits::Edits;
use crate::delta::model::{Chain, Item, Model, apply, chain, described, diff, genes};
use crate::delta::{Delta, Identities, Operation, Options, Place, Xid, XidMap};
use crate::matching;
use crate::parse::{self, Whitespace};
use crate::tree::{Format, Kind};

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

/// The deltas between orders of the children of one root, each given by the ranks of the children.
fn reorders(children: u64, orders: &[Vec<u8>], choices: &[u8]) -> Chain {
    let (mut model, _) = Model::new();
    (2..2 + children).for_each(|xid| model.insert(xid, Item::new(Kind::Comment, "", "c"), 1, 0));
    let versions = orders.iter().map(|ranks| {
        let mut version = model.clone();
        let siblings = &mut version.items.get_mut(&1).unwrap().children;
        siblings.sort_by_key(|xid| ranks.get(*xid as usize).copied().unwrap_or(0));
        version
    });
    let versions: Vec<Model> = versions.collect();
    let deltas = versions
        .windows(2)
        .enumerate()
        .map(|(at, pair)| diff(&pair[0], &pair[1], choices.get(at..).unwrap_or(&[]), 100));
    Chain { deltas: deltas.collect(), first: versions[0].clone(), last: versions[versions.len() - 1].clone() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Few siblings, many moves: all come back, cross one another, and trade places.
    #[test]
    fn orders_compose(
        children in 2..6u64,
        orders in prop::collection::vec(prop::collection::vec(any::<u8>(), 8), 3..5),
        choices in any::<Vec<u8>>(),
    ) {
        let Chain { first, deltas, last } = reorders(children, &orders, &choices);
        let whole = Delta::compose_all(&deltas).unwrap().unwrap();
        prop_assert_eq!(&apply(&whole, &first), &last);
        let back = composed(&deltas[1].inverted(), &deltas[0].inverted());
        prop_assert_eq!(described(&composed(&deltas[0], &deltas[1]).inverted()), described(&back));
        prop_assert!(composed(&whole, &whole.inverted()).is_empty());
    }
}

/// The example that forbids to drop moves which change nothing in the end.
#[test]
fn moves_of_different_nodes_that_cancel_are_kept() {
    let orders = [vec![0, 0, 0, 1], vec![0, 0, 1, 0], vec![0, 0, 0, 1]];
    let mut deltas = reorders(2, &orders, &[]).deltas;
    let moves = |delta: &Delta| delta.operations.iter().map(|operation| operation.node().0).collect::<Vec<_>>();
    // The one moves the first of two siblings, the other the second of them.
    deltas[1] = deltas[0].inverted();
    let other = |node: u64| if node == 2 { 3 } else { 2 };
    let Operation::Move { from, to, xids } = deltas[1].operations[0].clone() else { panic!("a move") };
    let moved = other(xids.last().unwrap().0);
    deltas[1].operations = vec![Operation::Move { from: to, to: from, xids: XidMap::from_iter([Xid(moved)]) }];
    let both = composed(&deltas[0], &deltas[1]);
    assert_eq!(moves(&both).len(), 2);
    assert_eq!(described(&composed(&both, &deltas[1].inverted())), described(&deltas[0]));
    assert_eq!(described(&composed(&deltas[0].inverted(), &both)), described(&deltas[1]));
}

/// The deltas along the versions of a document.
fn history(format: Format, versions: &[&str]) -> Vec<Delta> {
    let options = parse::Options { whitespace: Whitespace::Exact, ..parse::Options::default() };
    let parse =
        |source: &&str| Arc::new(parse::parse(*source, format, &options).unwrap().document.with_sorted_members());
    let documents: Vec<_> = versions.iter().map(parse).collect();
    let mut identities = None;
    let deltas = documents.windows(2).map(|pair| {
        let matching = matching::xydiff(&pair[0], &pair[1], &Default::default());
        let options = Options { identities: identities.take(), whitespace: Whitespace::Exact, ..Options::default() };
        let delta = Delta::between(&pair[0], &pair[1], &matching, &options).unwrap();
        identities = Some(Identities { xids: delta.to_xids.clone(), next: delta.next_xid });
        delta
    });
    deltas.collect()
}

/// Checks the operations, as they are written, of all the deltas of a history in one.
#[track_caller]
fn check(format: Format, versions: &[&str], expected: &[&str]) {
    let whole = Delta::compose_all(&history(format, versions)).unwrap().unwrap();
    let written = whole.to_xydelta();
    let lines: Vec<&str> = written.lines().filter(|line| !line.contains("xydelta")).collect();
    assert_eq!(lines, expected);
    assert!(Delta::read(written, &Default::default()).unwrap().same_as(&whole));
    assert!(composed(&whole, &whole.inverted()).is_empty());
}

#[test]
fn what_comes_and_changes_comes_as_it_is_in_the_end() {
    check(
        Format::Xml,
        &[
            "<l><i>one</i></l>",
            "<l><i>one</i><j p='1'>two and a half</j></l>",
            "<l><i>one</i><j p='2'>two and a third</j></l>",
        ],
        &[r#"<insert parentXID="3" position="2" DataXIDmap="(4-5)"><j xmlns="" p="2">two and a third</j></insert>"#],
    );
    check(
        Format::Xml,
        &["<l><i>one</i></l>", "<l><i>one</i><j><k/></j></l>", "<l><i>one</i><j><k/><!--c--></j></l>"],
        &[r#"<insert parentXID="3" position="2" DataXIDmap="(4;6;5)"><j xmlns=""><k/><!--c--></j></insert>"#],
    );
}

#[test]
fn what_changes_and_goes_goes_as_it_was_in_the_beginning() {
    check(
        Format::Xml,
        &["<l><i p='1'>one and a half</i><j/></l>", "<l><i p='2'>one and a third</i><j/></l>", "<l><j/></l>"],
        &[r#"<delete parentXID="4" position="1" DataXIDmap="(1-2)"><i xmlns="" p="1">one and a half</i></delete>"#],
    );
}

#[test]
fn what_comes_and_goes_is_nothing() {
    check(Format::Xml, &["<l><i/></l>", "<l><i/><j>two</j></l>", "<l><i/></l>"], &[]);
    check(Format::Xml, &["<l p='1'/>", "<l p='2' q='3'/>", "<l p='1'/>"], &[]);
    check(Format::Xml, &["<l>one</l>", "<!DOCTYPE l><l>two</l>", "<l>one</l>"], &[]);
}

#[test]
fn an_attribute_gets_another_prefix_where_its_own_is_taken() {
    check(
        Format::Xml,
        &[
            "<l><i/></l>",
            "<l><i/><j xmlns:n='urn:1' n:a='1'><k>a long text</k></j></l>",
            "<l xmlns:n='urn:2'><i/><j n:b='2' xmlns:m='urn:1' m:a='1'><k>a long text</k></j></l>",
        ],
        &[
            r#"<insert parentXID="2" position="2" DataXIDmap="(3-5)"><j xmlns:n="urn:1" xmlns="" xmlns:ns1="urn:2" n:a="1" ns1:b="2"><k>a long text</k></j></insert>"#,
        ],
    );
}

#[test]
fn members_and_scalars_of_json() {
    check(
        Format::Json,
        &[
            r#"{"b":[1,2],"n":"x"}"#,
            r#"{"a":{"k":"v"},"b":[1,2],"n":"y"}"#,
            r#"{"a":{"k":"w","l":null},"b":[1,2],"n":"z"}"#,
        ],
        &[
            r#"<insert parentXID="5" position="1" DataXIDmap="(6;8;7)" name="a">{"k":"w","l":null}</insert>"#,
            r#"<update nodeXID="4"><OldText>"x"</OldText><NewText>"z"</NewText></update>"#,
        ],
    );
}

#[test]
fn only_neighbours_compose() {
    let deltas = history(Format::Xml, &["<a/>", "<a>1</a>", "<a>2</a>", "<a>3</a>"]);
    let json = history(Format::Json, &["1", "2"]).remove(0);
    let message = |first: &Delta, second: &Delta| first.compose(second).unwrap_err().to_string();
    assert!(message(&deltas[0], &deltas[2]).contains("are they in order?"));
    assert_eq!(message(&deltas[0], &json), "the deltas are of different formats");
    let mut exact = deltas[1].clone();
    exact.whitespace = Whitespace::Layout;
    assert_eq!(message(&deltas[0], &exact), "the deltas are of different white-space modes");
    let mut renumbered = deltas[1].clone();
    renumbered.from_xids = "(7-8)".parse().unwrap();
    assert_eq!(
        message(&deltas[0], &renumbered),
        "the deltas number the version between them differently: (2;1) and (7-8)"
    );
    assert!(Delta::compose_all(&[]).unwrap().is_none());
}

#[test]
fn a_delta_that_contradicts_itself_is_refused() {
    let moved = |node: u64, from: (u64, u32), to: (u64, u32)| {
        let [from, to] = [from, to].map(|(parent, position)| Place { parent: Xid(parent), position });
        Operation::Move { from, to, xids: XidMap::from_iter([Xid(node)]) }
    };
    let refused = |operations: Vec<Operation>| {
        let mut delta = history(Format::Xml, &["<a/>", "<a/>"]).remove(0);
        delta.operations = operations;
        delta.compose(&delta.inverted()).unwrap_err()
    };
    let twice = refused(vec![moved(7, (1, 0), (2, 0)), moved(7, (1, 1), (2, 1))]);
    assert_eq!(twice, ComposeError::Twice(Xid(7)));
    let crowded = refused(vec![moved(7, (1, 0), (2, 0)), moved(8, (1, 0), (2, 1))]);
    assert_eq!(crowded, ComposeError::Position { parent: Xid(1), position: 0 });
    // Of many contradictions it is always the same that is told.
    let many = |parent: u64| [moved(2 * parent, (parent, 0), (1, 0)), moved(2 * parent + 1, (parent, 0), (1, 1))];
    let many = refused((100..150).rev().flat_map(many).collect());
    assert_eq!(many, ComposeError::Position { parent: Xid(100), position: 0 });
}

/// Changes one number of an operation.
fn spoil(operation: &mut Operation, (what, by): (u8, u8)) {
    let spoil_place = |place: &mut Place| match what % 3 {
        0 => place.parent = Xid(u64::from(by)),
        1 => place.position = u32::from(by),
        _ => place.position = u32::MAX - u32::from(by),
    };
    let spoil_map = |xids: &mut XidMap| {
        *xids = xids
            .iter()
            .enumerate()
            .map(|(at, xid)| if at == usize::from(by) % 4 { Xid(u64::from(by)) } else { xid })
            .collect();
    };
    match operation {
        Operation::Delete { xids, .. } | Operation::Insert { xids, .. } | Operation::Move { xids, .. }
            if what % 4 == 0 =>
        {
            spoil_map(xids)
        }
        Operation::Delete { place, .. } | Operation::Insert { place, .. } | Operation::Move { from: place, .. }
            if what % 4 < 3 =>
        {
            spoil_place(place)
        }
        Operation::Move { to, .. } => spoil_place(to),
        Operation::Update { node, .. } | Operation::Attribute { node, .. } => *node = Xid(u64::from(by)),
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    /// Whatever the operations say, there is an answer.
    #[test]
    fn lies_do_no_harm(
        tree in genes(14), edits in prop::collection::vec(genes(6), 2), lies in prop::collection::vec(any::<(bool, u8, u8, u8)>(), 1..6),
    ) {
        let mut deltas = chain(&tree, &edits, &[]).deltas;
        for (second, at, what, by) in lies {
            let operations = &mut deltas[usize::from(second)].operations;
            let at = usize::from(at) % operations.len().max(1);
            operations.get_mut(at).into_iter().for_each(|operation| spoil(operation, (what, by % 24)));
        }
        if let Ok(whole) = deltas[0].compose(&deltas[1]) {
            let _ = whole.to_script().to_delta();
        }
        let _ = deltas[0].compose(&deltas[0].inverted());
        let _ = deltas[1].to_script().to_delta();
    }
}
