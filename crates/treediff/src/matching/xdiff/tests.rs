//! Is it the minimum? Against all ways to pair children; and order, width, depth and mixed content.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::delta::Delta;
use crate::matching::cost::update_cost;
use crate::parse;
use crate::simulate::{Rates, simulate};
use crate::tree::Node;

fn parsed(source: &str) -> Arc<Document> {
    Arc::new(parse::xml(source, &Default::default()).unwrap().document)
}

/// An element with elements and remarks, or with text alone.
#[derive(Debug, Clone)]
enum Tree {
    Leaf(&'static str),
    Element(&'static str, Vec<Tree>),
}

impl Tree {
    fn written(&self) -> String {
        match self {
            Tree::Leaf(leaf) => (*leaf).to_owned(),
            Tree::Element(start, children) => {
                let name = start.split(' ').next().unwrap();
                format!("<{start}>{}</{name}>", children.iter().map(Tree::written).collect::<String>())
            }
        }
    }

    /// Children in another order, at all levels.
    fn shuffled(&self, drawn: &mut u64) -> Tree {
        let Tree::Element(start, children) = self else { return self.clone() };
        let mut children: Vec<Tree> = children.iter().map(|child| child.shuffled(drawn)).collect();
        for at in (1..children.len()).rev() {
            *drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            children.swap(at, (*drawn >> 33) as usize % (at + 1));
        }
        Tree::Element(start, children)
    }
}

fn trees(nodes: u32) -> impl Strategy<Value = Tree> {
    let leaf = prop::sample::select(vec![
        "<a>x</a>",
        "<a>y</a>",
        "<b>x</b>",
        "<a/>",
        "<b k='1'/>",
        "<b k='2' l='1' m='1'/>",
        "<!--x-->",
        "<!--y-->",
        "<?p x?>",
    ]);
    let inner = leaf.prop_map(Tree::Leaf).prop_recursive(5, nodes, 4, |inner| {
        let start = prop::sample::select(vec!["a", "b", "a k='1'", "b k='1' l='2' m='3'"]);
        (start, prop::collection::vec(inner, 1..5)).prop_map(|(start, children)| Tree::Element(start, children))
    });
    prop::collection::vec(inner, 0..5).prop_map(|children| Tree::Element("r", children))
}

fn cost(before: &Document, after: &Document, matching: &Matching) -> u32 {
    let (mut pairs, mut updates) = (0, 0);
    for (from, to) in matching.pairs() {
        let (from, to) = (before.node(from), after.node(to));
        assert!(are_alike(from, to), "{from:?} and {to:?}");
        if let (Some(from), Some(to)) = (from.parent(), to.parent()) {
            assert!(matching.is_pair(from.id(), to.id()), "the parents of {from:?} and {to:?}");
        }
        pairs += 1;
        updates += update_cost(from, to);
    }
    (before.len() + after.len() - 2 * pairs) as u32 + updates
}

fn are_alike(before: Node<'_>, after: Node<'_>) -> bool {
    before.kind() == after.kind() && before.name() == after.name()
}

/// What a pair costs at least, by trying all ways to pair its children.
fn cheapest(before: Node<'_>, after: Node<'_>) -> u32 {
    let children = |node: Node<'_>| node.children().map(|child| child.id()).collect::<Vec<_>>();
    update_cost(before, after)
        + cheapest_pairing(before.document(), after.document(), &children(before), &mut children(after))
}

fn cheapest_pairing(before: &Document, after: &Document, from: &[NodeId], to: &mut Vec<NodeId>) -> u32 {
    let [first, rest @ ..] = from else { return to.iter().map(|&node| after.node(node).size()).sum() };
    let first = before.node(*first);
    let mut best = first.size() + cheapest_pairing(before, after, rest, to);
    for at in 0..to.len() {
        if are_alike(first, after.node(to[at])) {
            let taken = to.remove(at);
            let pair = cheapest(first, after.node(taken));
            best = best.min(pair + cheapest_pairing(before, after, rest, to));
            to.insert(at, taken);
        }
    }
    best
}

fn assert_law(before: &Arc<Document>, after: &Arc<Document>, matching: &Matching) {
    let delta = Delta::between(before, after, matching, &Default::default()).unwrap();
    let patched = delta.apply(before, &Default::default()).unwrap();
    assert!(patched.document.root().same_content(after.root()));
    let back = delta.inverted().apply(after, &Default::default()).unwrap();
    assert!(back.document.root().same_content(before.root()));
}

fn check(before: &str, after: &str, expected: u32) {
    let (before, after) = (parsed(before), parsed(after));
    let matching = unordered(&before, &after, &Options::default());
    assert_eq!(cost(&before, &after, &matching), expected);
    assert_law(&before, &after, &matching);
}

#[test]
fn what_it_costs() {
    check("<a/>", "<a/>", 0);
    check("<a/>", "<b/>", 2);
    check("<r><a/><b/></r>", "<r><b/><a/></r>", 0);
    check("<r><a><b>x</b><c/></a><a/></r>", "<r><a/><a><c/><b>x</b></a></r>", 0);
    // The example above.
    check(
        "<l><i><k>a</k><v>1</v></i><i><k>b</k><v>2</v></i><i><k>c</k><v>3</v></i></l>",
        "<l><i><v>3</v><k>c</k></i><i><k>b</k><v>5</v></i><i><k>a</k><v>4</v></i></l>",
        2,
    );
    // Nothing is a pair under parents that are none.
    check("<r><a><c>x</c></a></r>", "<r><b><c>x</c></b></r>", 6);
    // Attributes that cost more than to delete and insert their element.
    check("<r><a k='1' l='1' m='1'/></r>", "<r><a k='2' l='2' m='2'/></r>", 2);
    check("<r><a k='1' l='1' m='1'>x</a></r>", "<r><a k='2' l='2' m='2'>x</a></r>", 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_matching_is_cheaper(before in trees(12), after in trees(12)) {
        let (before, after) = (parsed(&before.written()), parsed(&after.written()));
        let matching = unordered(&before, &after, &Options::default());
        prop_assert_eq!(matching.notes().used().count(), 0);
        prop_assert_eq!(cost(&before, &after, &matching), cheapest(before.root(), after.root()));
    }

    #[test]
    fn order_is_no_change(tree in trees(60), mut drawn in any::<u64>()) {
        let (before, after) = (parsed(&tree.written()), parsed(&tree.shuffled(&mut drawn).written()));
        let matching = unordered(&before, &after, &Options::default());
        prop_assert_eq!(matching.pairs().count(), before.len());
        prop_assert_eq!(cost(&before, &after, &matching), 0);
        assert_law(&before, &after, &matching);
    }

    #[test]
    fn deltas_lead_there_and_back(tree in trees(60), seed in any::<u64>(), rate in 0.0..0.5) {
        let before = parsed(&tree.written());
        let after = simulate(&before, &Rates::all(rate), seed, &Default::default()).unwrap().document;
        let matching = unordered(&before, &after, &Options::default());
        cost(&before, &after, &matching);
        assert_law(&before, &after, &matching);
    }

    #[test]
    fn a_short_budget_is_no_fault(before in trees(40), after in trees(40), steps in 0..500u64, group_pairs in 0..9u64) {
        let (before, after) = (parsed(&before.written()), parsed(&after.written()));
        let matching = unordered_within(&before, &after, Budget { group_pairs, steps });
        cost(&before, &after, &matching);
        assert_law(&before, &after, &matching);
    }
}

/// Rows of `<i>` with a key and a value; so many of the values are other ones, and all stand elsewhere.
fn wide(len: usize, changed: usize) -> [Arc<Document>; 2] {
    let row = |order: &dyn Fn(usize) -> usize, changed: usize| {
        let item = |at: usize| {
            let value = if at < changed { "other" } else { "value" };
            format!("<i><k>{at}</k><v>{value} {at}</v></i>")
        };
        parsed(&format!("<l>{}</l>", (0..len).map(|at| item(order(at))).collect::<String>()))
    };
    [row(&|at| at, 0), row(&|at| len - 1 - at, changed)]
}

#[test]
fn wide_rows_stay_within_the_budget() {
    let [before, after] = wide(2000, 100);
    let matching = unordered(&before, &after, &Options::default());
    assert_eq!(matching.notes().used().count(), 0);
    assert_eq!(cost(&before, &after, &matching), 100);

    let [before, after] = wide(2000, 2000);
    let matching = unordered(&before, &after, &Options::default());
    let note = &matching.notes().kept()[0];
    assert_eq!(
        note.to_string(),
        "`/l`: 2000 children beside 2000 are too many to ask what all pairs of them cost, \
         so they were paired by what they share, and the rest in turn (unordered-in-turn)"
    );
    assert_eq!(cost(&before, &after, &matching), 2000);
    assert_law(&before, &after, &matching);
}

#[test]
fn a_budget_that_is_spent_is_told_as_such() {
    let [before, after] = wide(40, 40);
    let matching = unordered_within(&before, &after, Budget { steps: 100, ..Budget::default() });
    assert_eq!(
        matching.notes().kept()[0].to_string(),
        "`/l`: nothing is left of the budget to ask what pairs of 40 children beside 40 cost, \
         so they were paired by what they share, and the rest in turn (unordered-in-turn)"
    );
    assert_law(&before, &after, &matching);
}

/// Rows that are too wide are not paired by position: what comes at the front changes nothing behind it.
#[test]
fn wide_rows_are_paired_by_likeness() {
    let row = |range: std::ops::Range<u32>, word: &str| -> String {
        let item = |at: u32| format!("<s id='s{at}'><h>{at}</h><p>{word} {at}</p><p>the same <b>{at}</b></p></s>");
        range.map(item).collect()
    };
    let before = parsed(&format!("<m>{}</m>", row(0..60, "one")));
    let after = parsed(&format!("<m>{}{}</m>", row(100..103, "new"), row(0..60, "two")));
    let matching = unordered_within(&before, &after, Budget { group_pairs: 100, steps: 100_000 });
    assert_eq!(matching.notes().count(Fallback::UnorderedInTurn), 1);
    assert_eq!(cost(&before, &after, &matching), 60 + 3 * 9);
    assert_law(&before, &after, &matching);
    // Nothing is shared but the place beside what is.
    let row = |word: &str| (0..60).map(|at| format!("<i>{word} {at}</i>")).collect::<String>();
    let before = parsed(&format!("<m>{}<i k='1'/>{}</m>", row("a"), row("b")));
    let after = parsed(&format!("<m><i>new</i>{}<i k='1'/><i>new</i>{}</m>", row("c"), row("d")));
    let matching = unordered_within(&before, &after, Budget { group_pairs: 100, steps: 100_000 });
    assert_eq!(cost(&before, &after, &matching), 120 + 4);
}

#[test]
fn mixed_content_keeps_its_order() {
    let [before, after] =
        ["<p>one <b>two</b> three <b>four</b></p>", "<p>one <b>four</b> three <b>two</b></p>"].map(parsed);
    let matching = unordered(&before, &after, &Options::default());
    let note = &matching.notes().kept()[0];
    assert_eq!(
        note.to_string(),
        "`/p`: texts stand beside other nodes here and their order counts, so changes of it are told (order-kept)"
    );
    assert_eq!(cost(&before, &after, &matching), 2);
    assert_law(&before, &after, &matching);
    // The same without order above it; white space and remarks are not mixed with anything.
    let exact = parse::Options { whitespace: parse::Whitespace::Exact, ..Default::default() };
    let [before, after] =
        ["<r> <a>x</a>\n<p>one<b/>two</p><!--c--></r>", "<r><!--c--><p>one<b/>two</p>\n<a>x</a> </r>"]
            .map(|source| parse::xml(source, &exact).unwrap().document);
    let matching = unordered(&before, &after, &Options::default());
    assert_eq!(matching.notes().used().count(), 0);
    assert_eq!(cost(&before, &after, &matching), 0);
}

#[test]
fn depth_is_no_danger() {
    const DEPTH: usize = 10_000;
    let chain = |start: &str, leaf: &str| {
        parsed(&format!("<r>{}{leaf}{}</r>", format!("<{start}>").repeat(DEPTH), "</a>".repeat(DEPTH)))
    };
    let twice = |one: &str| format!("<b>{one}</b><b>{one}{one}</b>");
    let (before, after) = (chain("a", &twice("<c/>")), chain("a", &twice("<d/>")));
    let matching = unordered(&before, &after, &Options::default());
    assert_eq!(cost(&before, &after, &matching), 6);
    // Every one of them is worth less as a pair than what is below it.
    let (before, after) = (chain("a k='1' l='1' m='1'", "<c/>"), chain("a k='2' l='2' m='2'", "<c/>"));
    let matching = unordered(&before, &after, &Options::default());
    assert_law(&before, &after, &matching);
}
