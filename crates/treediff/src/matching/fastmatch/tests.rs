//! Do chains pair what the paper says they do?

use super::{FastmatchOptions, fastmatch};
use crate::matching::{Fallback, Options};
use crate::parse;
use crate::tree::{Document, Node};

fn parsed(source: &str) -> Document {
    parse::xml(source, &Default::default()).unwrap().document
}

fn told(node: Node<'_>) -> String {
    if node.is_element() { node.name().local.to_owned() } else { node.value().into_owned() }
}

/// Nodes of `before` but the document, each with its partner or `-`.
fn partners(before: &str, after: &str, options: &Options) -> Vec<String> {
    let (before, after) = (parsed(before), parsed(after));
    let matching = fastmatch(&before, &after, options);
    let line = |node: Node<'_>| {
        let partner = matching.after_of(node.id()).map(|id| after.node(id));
        format!("{} > {}", told(node), partner.map_or("-".to_owned(), told))
    };
    before.nodes().skip(1).map(line).collect()
}

#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    assert_eq!(partners(before, after, &Options::default()), expected);
}

#[test]
fn the_common_row_comes_first_and_then_what_is_left() {
    check(
        "<r><p>a b c</p><p>d e f</p><p>g h i</p></r>",
        "<r><p>g h i</p><p>a b c x</p><p>d e y f</p></r>",
        &["r > r", "p > p", "a b c > a b c x", "p > p", "d e f > d e y f", "p > p", "g h i > g h i"],
    );
}

#[test]
fn leaves_that_are_too_far_are_no_pair() {
    check("<r><p>a b c d</p><q/></r>", "<r><p>a x y z</p><q/></r>", &["r > r", "p > -", "a b c d > -", "q > q"]);
    let lenient = FastmatchOptions { leaf_distance: 0.9, ..Default::default() };
    assert_eq!(
        partners(
            "<r><p>a b c d</p><q/></r>",
            "<r><p>a x y z</p><q/></r>",
            &Options { fastmatch: lenient, ..Options::default() }
        ),
        ["r > r", "p > p", "a b c d > a x y z", "q > q"]
    );
}

/// With its root a document would be deleted and inserted as a whole, and what stayed would move.
#[test]
fn roots_are_a_pair_if_they_are_called_alike() {
    check(
        "<r><p>one</p><p>two</p></r>",
        "<r><p>1</p><p>two</p></r>",
        &["r > r", "p > -", "one > -", "p > p", "two > two"],
    );
    check("<r><p>one</p></r>", "<s><p>two</p></s>", &["r > -", "p > -", "one > -"]);
}

#[test]
fn inner_nodes_share_more_than_half_of_their_leaves() {
    let before = "<r><s><p>a</p><p>b</p><p>c</p></s><s><p>d</p></s></r>";
    let after = "<r><s><p>a</p></s><s><p>b</p><p>c</p><p>d</p><p>e</p></s></r>";
    let found = partners(before, after, &Options::default());
    // The first shares 1 of 3 and 2 of 4, the second 1 of 4.
    assert_eq!(found.iter().filter(|line| *line == "s > -").count(), 2, "{found:?}");
    let strict = FastmatchOptions { inner_share: 0.9, ..Default::default() };
    let after = "<r><s><p>a</p><p>b</p><p>x</p></s><s><p>d</p></s></r>";
    let count = |options: &Options| partners(before, after, options).iter().filter(|line| *line == "s > s").count();
    assert_eq!(count(&Options::default()), 2);
    assert_eq!(count(&Options { fastmatch: strict, ..Options::default() }), 1);
}

#[test]
fn a_child_changes_partners_with_its_twin() {
    // The chain of empty elements is cut short at the front, so that the row pairs across parents.
    let before = parsed("<r><s>the first of them<e/></s><s>the second of them<e/></s></r>");
    let after = parsed("<r><s>the first of them</s><s>the second of them<e/></s></r>");
    let matching = fastmatch(&before, &after, &Options::default());
    for node in after.nodes().filter(|node| told(*node) == "e") {
        let partner = before.node(matching.before_of(node.id()).unwrap());
        assert_eq!(partner.parent().unwrap().string_value(), "the second of them");
    }
}

#[test]
fn equal_documents_are_the_same_as_a_whole() {
    let document = parsed("<r><a>x</a><a>x</a><!--c--><?p d?></r>");
    let matching = fastmatch(&document, &document, &Options::default());
    assert!(matching.is_same(document.root_element().unwrap().id()));
    assert_eq!(matching.pairs().count(), document.len());
}

#[test]
fn chains_that_are_too_different_are_paired_in_turn() {
    let list = |word: &str| {
        let items: String = (0..3000).map(|at| format!("<i>{word}{at}</i>")).collect();
        parsed(&format!("<r>{items}<i>the same on both sides</i></r>"))
    };
    let (before, after) = (list("a"), list("b"));
    let matching = fastmatch(&before, &after, &Options::default());
    assert!(matching.notes().count(Fallback::ChainInOrder) > 0);
    let last = before.nodes().last().unwrap();
    assert_eq!(after.node(matching.after_of(last.id()).unwrap()).value(), "the same on both sides");
}
