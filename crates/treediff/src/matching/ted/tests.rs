//! Is it the minimum? Against all mappings there are, and against the bare definition of the distance.

mod shapes;

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::strategy::{Choice, Paths};
use super::*;
use crate::delta::Delta;
use crate::matching::cost::update_cost;
use crate::parse;
use crate::simulate::{Rates, simulate};
use crate::tree::{Node, NodeId};

fn parsed(source: &str) -> Arc<Document> {
    Arc::new(parse::xml(source, &Default::default()).unwrap().document)
}

/// Sources of elements with few names, so that there is much to choose.
fn sources(nodes: u32) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("<a/>".to_owned()),
        Just("<b/>".to_owned()),
        Just("<a k='1'/>".to_owned()),
        Just("<a k='2' l='1'/>".to_owned()),
        Just("<!--x-->".to_owned()),
        Just("x".to_owned()),
        Just("y".to_owned()),
    ];
    let content = leaf.prop_recursive(6, nodes, 4, |inner| {
        let tag =
            prop_oneof![Just(("a", "")), Just(("b", "")), Just(("a", " k='1'")), Just(("b", " k='1' l='2' m='3'"))];
        (tag, prop::collection::vec(inner, 0..5))
            .prop_map(|((name, attributes), inner)| format!("<{name}{attributes}>{}</{name}>", inner.concat()))
    });
    prop::collection::vec(content, 0..5).prop_map(|content| format!("<r>{}</r>", content.concat()))
}

fn cost(before: &Document, after: &Document, matching: &Matching) -> u32 {
    let (mut pairs, mut updates) = (0, 0);
    for (from, to) in matching.pairs() {
        pairs += 1;
        updates += update_cost(before.node(from), after.node(to));
    }
    (before.len() + after.len() - 2 * pairs) as u32 + updates
}

fn are_alike(before: Node<'_>, after: Node<'_>) -> bool {
    before.kind() == after.kind() && before.name() == after.name()
}

/// How two nodes of one document stand: above, below, left, right.
fn place(one: Node<'_>, other: Node<'_>) -> u8 {
    match (one.contains(other), other.contains(one)) {
        (true, _) => 0,
        (_, true) => 1,
        _ if one.id() < other.id() => 2,
        _ => 3,
    }
}

fn fit(before: &Document, after: &Document, one: (NodeId, NodeId), other: (NodeId, NodeId)) -> bool {
    one.0 != other.0
        && one.1 != other.1
        && place(before.node(one.0), before.node(other.0)) == place(after.node(one.1), after.node(other.1))
}

fn assert_is_mapping(before: &Document, after: &Document, matching: &Matching) {
    let pairs: Vec<_> = matching.pairs().collect();
    for (at, &one) in pairs.iter().enumerate() {
        assert!(are_alike(before.node(one.0), after.node(one.1)), "{one:?}");
        for &other in &pairs[..at] {
            assert!(fit(before, after, one, other), "{one:?} and {other:?}");
        }
        if matching.is_same(one.1) {
            assert!(before.node(one.0).same_content(after.node(one.1)));
        }
    }
}

/// The cheapest of all mappings, by trying them.
fn cheapest(before: &Document, after: &Document, next: u32, pairs: &mut Vec<(NodeId, NodeId)>) -> u32 {
    if next as usize == before.len() {
        let updates: u32 = pairs.iter().map(|&(from, to)| update_cost(before.node(from), after.node(to))).sum();
        return (before.len() + after.len() - 2 * pairs.len()) as u32 + updates;
    }
    let from = before.node(NodeId(next));
    let mut best = if next > 0 { cheapest(before, after, next + 1, pairs) } else { u32::MAX };
    for to in after.nodes().filter(|&to| are_alike(from, to)) {
        let pair = (from.id(), to.id());
        if pairs.iter().all(|&other| fit(before, after, pair, other)) {
            pairs.push(pair);
            best = best.min(cheapest(before, after, next + 1, pairs));
            pairs.pop();
        }
    }
    best
}

/// The distance as it is defined, over forests as rows of roots.
#[derive(Default)]
struct Definition {
    known: HashMap<(Vec<NodeId>, Vec<NodeId>), u32>,
}

impl Definition {
    fn distance(&mut self, documents: [&Document; 2], before: Vec<NodeId>, after: Vec<NodeId>) -> u32 {
        let size =
            |at: usize, forest: &[NodeId]| forest.iter().map(|&root| documents[at].node(root).size()).sum::<u32>();
        let (Some(&from), Some(&to)) = (before.last(), after.last()) else {
            return size(0, &before) + size(1, &after);
        };
        let key = (before, after);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let (before, after) = (&key.0, &key.1);
        let children = |at: usize, id| documents[at].node(id).children().map(Node::id).collect::<Vec<_>>();
        let rest = |forest: &[NodeId]| forest[..forest.len() - 1].to_vec();
        let without = |at: usize, forest: &[NodeId], root| [rest(forest), children(at, root)].concat();
        let gone = 1 + self.distance(documents, without(0, before, from), after.clone());
        let come = 1 + self.distance(documents, before.clone(), without(1, after, to));
        let mut best = gone.min(come);
        let nodes = (documents[0].node(from), documents[1].node(to));
        if are_alike(nodes.0, nodes.1) {
            let below = self.distance(documents, children(0, from), children(1, to));
            best =
                best.min(update_cost(nodes.0, nodes.1) + below + self.distance(documents, rest(before), rest(after)));
        }
        self.known.insert(key, best);
        best
    }
}

fn defined(before: &Document, after: &Document) -> u32 {
    Definition::default().distance([before, after], vec![NodeId::DOCUMENT], vec![NodeId::DOCUMENT])
}

/// From the first guess, and from none.
fn tight() -> Budget {
    Budget { guess: 0, ..Budget::default() }
}

/// The distance along the chosen paths, where the first guess may do without, and along each of them throughout.
fn along_all_paths(before: &Document, after: &Document) -> Vec<u32> {
    let [from, to] = cut::cut(before, after, &mut Matching::new(before, after));
    if from.is_empty() || to.is_empty() {
        return vec![(from.len() + to.len()) as u32];
    }
    let plan = Plan::new(Side::new(before, from), Side::new(after, to));
    let chosen = [Choice::Outer, Choice::All].map(|choice| strategy::choose_paths(&plan, choice));
    chosen.into_iter().chain(Paths::all(&plan)).map(|paths| along(&plan, &paths)).collect()
}

fn along(plan: &Plan<'_>, paths: &Paths) -> u32 {
    let mut distances = Distances::new(plan);
    let bound = Bound { most: i32::from(u16::MAX), surplus: plan.before.len() as i32 - plan.after.len() as i32 };
    let mut search = distances.begin(plan, bound);
    assert!(distances.search(plan, paths, &mut search, u64::MAX));
    distances.at(0, 0).into()
}

fn assert_all_paths_lead_to(before: &Document, after: &Document, expected: u32) {
    let found = along_all_paths(before, after);
    assert!(found.iter().all(|&distance| distance == expected), "{found:?}, and not {expected}");
}

fn check(before: &str, after: &str, expected: u32) {
    let (before, after) = (parsed(before), parsed(after));
    let matching = ted(&before, &after, &Options::default());
    assert_is_mapping(&before, &after, &matching);
    assert_eq!(cost(&before, &after, &matching), expected);
    assert_eq!(defined(&before, &after), expected);
}

#[test]
fn what_it_costs() {
    check("<a/>", "<a/>", 0);
    check("<a/>", "<b/>", 2);
    check("<a>x</a>", "<a>y</a>", 1);
    check("<a k='1'/>", "<a k='2' l='3'/>", 2);
    // Put around, and taken away.
    check("<a><b/><c/><d/></a>", "<a><b/><s><c/><d/></s></a>", 1);
    check("<a><s><b/><t><c/></t></s></a>", "<a><b/><c/></a>", 2);
    check("<a><a><a>x</a></a></a>", "<a>x</a>", 2);
    // A pair that costs more than a deletion and an insertion is none.
    check("<r><a k='1' l='1' m='1'/></r>", "<r><a k='2' l='2' m='2'/></r>", 2);
    // What moved goes and comes.
    check("<r><a>x</a><b>y</b></r>", "<r><b>y</b><a>x</a></r>", 4);
    // Equal ends in the middle of which much changed.
    check("<r><a/><b><c/></b><a/></r>", "<r><a/><c/><d/><a/></r>", 2);
}

/// A root is left for its only child where that is cheaper than to change its attributes.
#[test]
fn a_root_with_other_attributes_may_go() {
    check("<a k='1' l='1'><a k='2' l='2'>x</a></a>", "<a k='2' l='2'>x</a>", 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_mapping_is_cheaper(before in sources(6), after in sources(6)) {
        let (before, after) = (parsed(&before), parsed(&after));
        prop_assume!(before.len() <= 9 && after.len() <= 9);
        let matching = ted(&before, &after, &Options::default());
        assert_is_mapping(&before, &after, &matching);
        let cheapest = cheapest(&before, &after, 0, &mut Vec::new());
        prop_assert_eq!(cost(&before, &after, &matching), cheapest);
        prop_assert_eq!(defined(&before, &after), cheapest);
        let matching = ted_within(&before, &after, &Options::default(), tight());
        prop_assert_eq!(cost(&before, &after, &matching), cheapest);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn the_cost_is_the_defined_distance(before in sources(60), after in sources(60)) {
        let (before, after) = (parsed(&before), parsed(&after));
        let matching = ted(&before, &after, &Options::default());
        assert_is_mapping(&before, &after, &matching);
        prop_assert_eq!(matching.notes().used().count(), 0);
        let defined = defined(&before, &after);
        prop_assert_eq!(cost(&before, &after, &matching), defined);
        assert_all_paths_lead_to(&before, &after, defined);
        let matching = ted_within(&before, &after, &Options::default(), tight());
        assert_is_mapping(&before, &after, &matching);
        prop_assert_eq!(cost(&before, &after, &matching), defined);
    }

    #[test]
    fn deltas_lead_there_and_back(source in sources(60), seed in any::<u64>(), rate in 0.0..0.5) {
        let before = parsed(&source);
        let after = simulate(&before, &Rates::all(rate), seed, &Default::default()).unwrap().document;
        let matching = ted_within(&before, &after, &Options::default(), tight());
        prop_assert_eq!(cost(&before, &after, &matching), defined(&before, &after));
        let delta = Delta::between(&before, &after, &matching, &Default::default()).unwrap();
        let patched = delta.apply(&before, &Default::default()).unwrap();
        prop_assert!(patched.document.root().same_content(after.root()));
        let back = delta.inverted().apply(&after, &Default::default()).unwrap();
        prop_assert!(back.document.root().same_content(before.root()));
    }
}

fn chain(depth: usize, name: &str, leaf: &str) -> Arc<Document> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    parsed(&format!("<r><first/>{}{leaf}{}</r>", open.repeat(depth), close.repeat(depth)))
}

#[test]
fn depth_is_no_danger() {
    let (before, after) = (chain(10_000, "a", "x"), chain(10_000, "a", "y"));
    assert_eq!(cost(&before, &after, &ted(&before, &after, &Options::default())), 1);
    // Nothing to cut here but the ends of the row: the text differs, and so do the roots of the chains.
    let shorter = parsed(&format!("<r><first/><b>{}z{}</b></r>", "<a>".repeat(200), "</a>".repeat(200)));
    let matching = ted(&before, &shorter, &Options::default());
    assert_eq!(matching.notes().used().count(), 0);
    assert_eq!(cost(&before, &shorter, &matching), 9_800 + 1 + 1);
}

fn check_budget(before: &Arc<Document>, after: &Arc<Document>, budget: Budget, expected: &str) {
    let matching = ted_within(before, after, &Options::default(), budget);
    let note = matching.notes().kept().iter().find(|note| note.fallback == Fallback::TedAsAuto);
    assert_eq!(note.unwrap().to_string(), expected);
    let delta = Delta::between(before, after, &matching, &Default::default()).unwrap();
    let patched = delta.apply(before, &Default::default()).unwrap();
    assert!(patched.document.root().same_content(after.root()));
}

#[test]
fn budgets_end_in_another_matching() {
    let [before, after] = ["<a>x</a>", "<b>x</b>"].map(|item| parsed(&format!("<r>{}</r>", item.repeat(100))));
    let few = Budget { pairs: 40_000, ..Budget::default() };
    check_budget(
        &before,
        &after,
        few,
        "`/`: 201 nodes beside 201 are too many for all their pairs, so what `auto` finds without moves is written instead (ted-as-auto)",
    );
    let short = Budget { cells: 20_000, ..Budget::default() };
    check_budget(
        &before,
        &after,
        short,
        "`/`: the distance of 201 nodes and 201 takes too many steps, so what `auto` finds without moves is written instead (ted-as-auto)",
    );
    let deep = [chain(40_000, "a", "x"), chain(40_000, "b", "x")];
    let expected = "`/`: 40002 nodes beside 40002 are too many for all their pairs, so what `auto` finds without moves is written instead (ted-as-auto)";
    check_budget(&deep[0], &deep[1], Budget::default(), expected);
}

#[test]
fn the_way_back_has_its_budget() {
    let [before, after] = ["<a>x</a><b/>", "<b>x</b><a/>"].map(|item| parsed(&format!("<r>{}</r>", item.repeat(20))));
    let mut matching = Matching::new(&before, &after);
    let [from, to] = cut::cut(&before, &after, &mut matching);
    let plan = Plan::new(Side::new(&before, from), Side::new(&after, to));
    let (distances, _) = super::distances(&plan, Budget::default()).unwrap();
    assert!(mapping::pair_all(&plan, &distances, 1_000, &mut matching.clone()).is_none());
    assert!(mapping::pair_all(&plan, &distances, 1_000_000, &mut matching).is_some());
}
