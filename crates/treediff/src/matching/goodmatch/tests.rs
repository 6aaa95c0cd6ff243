//! Does every leaf go where a reader would say? Small documents, and the partners that are expected.

use super::{Assignment, GoodmatchOptions, Weights, goodmatch};
use crate::matching::{Fallback, Matching, Options};
use crate::parse;
use crate::tree::{Document, Format, Node};

fn parsed(source: &str, format: Format) -> Document {
    parse::parse(source, format, &Default::default()).unwrap().document
}

/// A node for people: an element by its name and `id`, anything else by its value.
fn told(node: Node<'_>) -> String {
    match node.attribute("", "id") {
        Some(id) => format!("{}#{id}", node.name().local),
        None if node.is_element() => node.name().local.to_owned(),
        None => node.value().into_owned(),
    }
}

/// All nodes of `before` but documents and their elements, each with its partner or `-`; only those that are not the same.
fn partners(before: &Document, after: &Document, matching: &Matching) -> Vec<String> {
    let changed = before.nodes().skip(2).filter_map(|node| {
        let partner = matching.after_of(node.id()).map(|id| after.node(id));
        let is_same = partner.is_some_and(|partner| node.same_content(partner));
        (!is_same).then(|| format!("{} > {}", told(node), partner.map_or("-".to_owned(), told)))
    });
    changed.collect()
}

/// Without parting what does not pay in a delta.
fn keeping_all() -> Options {
    Options { goodmatch: GoodmatchOptions { keeps_all: true, ..Default::default() }, ..Options::default() }
}

#[track_caller]
fn check_in(format: Format, before: &str, after: &str, options: &Options, expected: &[&str]) {
    let (before, after) = (parsed(before, format), parsed(after, format));
    for assignment in [Assignment::Local, Assignment::Exact] {
        let goodmatch_options = GoodmatchOptions { assignment, keeps_all: true, ..options.goodmatch };
        let options = Options { goodmatch: goodmatch_options, ..options.clone() };
        let matching = goodmatch(&before, &after, &options);
        assert_eq!(partners(&before, &after, &matching), expected, "{assignment:?}");
    }
}

#[track_caller]
fn check(before: &str, after: &str, expected: &[&str]) {
    check_in(Format::Xml, before, after, &Options::default(), expected);
}

#[test]
fn leaves_go_where_their_words_are() {
    check(
        "<r><p>news of today</p><p>the old offer of June</p></r>",
        "<r><d><p>the old offer of July</p></d><p>news of Monday</p></r>",
        &["p > p", "news of today > news of Monday", "p > p", "the old offer of June > the old offer of July"],
    );
}

#[test]
fn attributes_find_leaves_that_have_no_words() {
    check(
        "<r><a><img src='x' alt='y' k='1'/></a><b/></r>",
        "<r><a/><b><img src='x' alt='y' k='2'/><img src='z'/></b></r>",
        &["a > a", "img > img", "b > b"],
    );
    check(
        "<r><a><img src='x' alt='y' k='1'/></a><b/></r>",
        "<r><a/><b><img src='z' alt='w' k='2'/></b></r>",
        &["a > a", "img > -", "b > b"],
    );
}

#[test]
fn the_place_decides_where_nothing_else_does() {
    check(
        "<t><w><c>1</c><c>2</c></w><w><c>3</c><c>4</c></w></t>",
        "<t><w><c>5</c><c>6</c></w><w><c>7</c><c>8</c></w></t>",
        &["w > w", "c > c", "1 > 5", "c > c", "2 > 6", "w > w", "c > c", "3 > 7", "c > c", "4 > 8"],
    );
}

#[test]
fn inner_nodes_follow_their_leaves_through_a_wrapper() {
    let list = "<l><i>the first of them</i><i>the second of them</i></l>";
    check(
        &format!("<r><h>title</h><s><n>words that stay</n>{list}</s></r>"),
        &format!("<r><h>title</h><w><s><n>words that stay</n><v>{list}</v></s></w></r>"),
        &["s > s"],
    );
}

#[test]
fn below_the_threshold_is_no_pair() {
    let strict = Options { goodmatch: GoodmatchOptions { threshold: 0.9, ..Default::default() }, ..Options::default() };
    let (before, after) = ("<r><a><p>one two three</p></a><b/></r>", "<r><a/><b><p>one two four</p></b></r>");
    check(before, after, &["a > a", "p > p", "one two three > one two four", "b > b"]);
    check_in(Format::Xml, before, after, &strict, &["a > a", "p > -", "one two three > -", "b > b"]);
    // What is left alone below a pair is an update all the same.
    check_in(Format::Xml, "<r><p>one</p></r>", "<r><p>two</p></r>", &strict, &["p > p", "one > two"]);
}

#[test]
fn what_a_page_does_not_show_gets_its_partner_by_its_parents() {
    check_in(
        Format::Html,
        "<body><script>let a = 1</script><!--x--><p>text</p><style>p {}</style>",
        "<body><style>b {}</style><p>text</p><script>let b = 2</script><!--y-->",
        &Options::default(),
        &["body > body", "script > script", "let a = 1 > let b = 2", "x > y", "style > style", "p {} > b {}"],
    );
}

#[test]
fn what_shares_no_leaf_is_a_stranger_but_at_the_top() {
    check(
        "<r><h>title</h><l><i>the first</i><i>we look for a baker</i></l></r>",
        "<r><h>title</h><l><i>live <b>music</b> on Sundays</i><i>the first</i></l></r>",
        &["l > l", "i > -", "we look for a baker > -"],
    );
    check_in(
        Format::Html,
        "<body><p>one two</p><p>three</p>",
        "<body><div>four<div>five",
        &Options::default(),
        &["body > body", "p > -", "one two > -", "p > -", "three > -"],
    );
}

/// The leaf at the end of a chain shares nothing with the other, and all above them has no other leaf.
#[test]
fn a_chain_is_not_written_anew_for_its_leaf() {
    const DEPTH: usize = 20_000;
    let chain = |leaf: &str| format!("{}{leaf}{}", "<d>".repeat(DEPTH), "</d>".repeat(DEPTH));
    let [before, after] = ["<d>x</d>", "<e>y</e>"].map(|leaf| parsed(&chain(leaf), Format::Xml));
    let matching = goodmatch(&before, &after, &Options::default());
    assert_eq!(matching.pairs().count(), DEPTH + 1);
    assert_eq!(matching.notes().used().count(), 0);
}

#[test]
fn what_does_not_pay_in_a_delta_is_parted() {
    let list = |words: [&str; 4]| {
        let items: String = words.iter().map(|word| format!("<i><k/>{word}</i>")).collect();
        format!("<r><h>title</h><s>{items}</s></r>")
    };
    let [before, after] =
        [list(["a", "b", "c", "d"]), list(["e", "f", "g", "h"])].map(|list| parsed(&list, Format::Xml));
    let count = |options: &Options| goodmatch(&before, &after, options).pairs().count();
    assert_eq!(count(&keeping_all()), before.len());
    assert!(count(&Options::default()) < before.len());
}

#[test]
fn given_pairs_stand() {
    let (before, after) = (
        parsed("<r><p>one two</p><p>three four</p></r>", Format::Xml),
        parsed("<r><p>one two!</p><p>three four!</p></r>", Format::Xml),
    );
    let nth = |document: &Document, at: usize| document.root_element().unwrap().children().nth(at).unwrap().id();
    let given = (nth(&before, 0), nth(&after, 1));
    let matching = goodmatch(&before, &after, &Options { pairs: vec![given], ..Options::default() });
    assert!(matching.is_pair(given.0, given.1));
}

#[test]
fn where_order_means_nothing_siblings_are_at_one_place() {
    let unordered = Options { unordered: true, ..Options::default() };
    let json = ["[[\"a b\"],[\"c d\"]]", "[[\"c e\"],[\"a f\"]]"];
    check_in(Format::Json, json[0], json[1], &unordered, &[" > ", "a b > a f", " > ", "c d > c e"]);
}

#[test]
fn budgets_are_kept_and_noted() {
    let list = |word: &str| -> String { (0..40).map(|at| format!("<i>{word} {at}</i>")).collect() };
    let (before, after) = (
        parsed(&format!("<r>{}</r>", list("old")), Format::Xml),
        parsed(&format!("<r>{}</r>", list("new")), Format::Xml),
    );
    let small = GoodmatchOptions { cells: 400, ..Default::default() };
    let matching = goodmatch(&before, &after, &Options { goodmatch: small, ..Options::default() });
    assert_eq!(matching.notes().count(Fallback::LeavesInBlocks), 1);
    let expected = "`/`: 40 leaves beside 40 are too many to weigh all of them against each other, so those with the same names above them \
         were weighed alone, in blocks (leaves-in-blocks)";
    assert_eq!(matching.notes().kept()[0].to_string(), expected);
    assert_eq!(matching.pairs().count(), before.len());
}

#[test]
fn weights_that_are_none_are_the_default_ones() {
    let with = |weights: Weights| {
        let (before, after) = (
            parsed("<r><p>one two</p><q k='1'>three</q></r>", Format::Xml),
            parsed("<r><q k='1'>one two</q><p>three four</p></r>", Format::Xml),
        );
        let options = Options { goodmatch: GoodmatchOptions { weights, ..Default::default() }, ..Options::default() };
        let matching = goodmatch(&before, &after, &options);
        partners(&before, &after, &matching)
    };
    let expected = with(Weights::default());
    assert_eq!(with(Weights { content: f64::NAN, attributes: 1.0, place: 1.0 }), expected);
    assert_eq!(with(Weights { content: -1.0, attributes: 1.0, place: 1.0 }), expected);
    assert_eq!(with(Weights { content: 0.0, attributes: 0.0, place: 0.0 }), expected);
    assert_eq!(with(Weights { content: 4.0, attributes: 3.0, place: 3.0 }), expected);
    assert_ne!(with(Weights { content: 1.0, attributes: 0.0, place: 0.0 }), expected);
}
