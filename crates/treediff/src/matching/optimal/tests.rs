//! Is it the minimum? Against a search of all matchings, and against the delta that comes of it.

use std::collections::HashMap;
use std::io::{self, Cursor};
use std::sync::Arc;

use proptest::prelude::*;

use super::{Budget, external, minimum_cost, optimal, optimal_external};
use crate::delta::{ApplyOptions, Delta, Options as DeltaOptions};
use crate::matching::{Fallback, Matching, Options, cost};
use crate::parse::{self, Limits};
use crate::simulate::{Rates, simulate};
use crate::tree::{Document, Format, Node, NodeId};

fn parsed(source: &str, format: Format) -> Arc<Document> {
    let limits = Limits { max_depth: 1 << 20, ..Default::default() };
    let options = parse::Options { limits, ..Default::default() };
    Arc::new(parse::parse(source.to_owned(), format, &options).unwrap().document.with_sorted_members())
}

/// The least cost between two rows of siblings, by trying every first step.
fn by_trying<'d>(from: &[Node<'d>], to: &[Node<'d>], tried: &mut HashMap<(Vec<NodeId>, Vec<NodeId>), u64>) -> u64 {
    let sizes = |row: &[Node<'_>]| row.iter().map(|node| u64::from(node.size())).sum::<u64>();
    let (Some((&a, from_rest)), Some((&b, to_rest))) = (from.split_first(), to.split_first()) else {
        return sizes(from) + sizes(to);
    };
    let ids = |row: &[Node<'_>]| row.iter().map(|node| node.id()).collect::<Vec<_>>();
    let key = (ids(from), ids(to));
    if let Some(&known) = tried.get(&key) {
        return known;
    }
    let mut least = u64::from(a.size()) + by_trying(from_rest, to, tried);
    least = least.min(u64::from(b.size()) + by_trying(from, to_rest, tried));
    if a.kind() == b.kind() && a.name() == b.name() {
        let (below_a, below_b): (Vec<_>, Vec<_>) = (a.children().collect(), b.children().collect());
        let pair = u64::from(cost::update_cost(a, b)) + by_trying(&below_a, &below_b, tried);
        least = least.min(pair + by_trying(from_rest, to_rest, tried));
    }
    tried.insert(key, least);
    least
}

fn least_by_trying(before: &Document, after: &Document) -> u64 {
    let (from, to): (Vec<_>, Vec<_>) = (before.root().children().collect(), after.root().children().collect());
    by_trying(&from, &to, &mut HashMap::new())
}

/// The cost of the delta that the optimal matching stands for.
fn delta_cost(before: &Arc<Document>, after: &Arc<Document>, budget: Budget) -> u64 {
    cost_of(before, after, &optimal(before, after, &Options { budget, ..Default::default() }))
}

/// The same by the grid on scratch space, with so much memory.
fn grid_cost(before: &Arc<Document>, after: &Arc<Document>, max_bytes: u64) -> u64 {
    let options = Options { budget: Budget { max_bytes, ..Budget::default() }, ..Default::default() };
    let matching = external::by_grid(before, after, &options, Cursor::new(Vec::new())).unwrap();
    cost_of(before, after, &matching)
}

/// The cost of the delta that a matching stands for, which leads from one version to the other and back.
fn cost_of(before: &Arc<Document>, after: &Arc<Document>, matching: &Matching) -> u64 {
    let options = DeltaOptions { without_moves: true, ..Default::default() };
    let delta = Delta::between(before, after, matching, &options).unwrap();
    let with_moves = Delta::between(before, after, matching, &Default::default()).unwrap();
    assert_eq!(delta.stats(), with_moves.stats(), "there are no moves in it");
    for (delta, from, to) in [(&delta, before, after), (&delta.inverted(), after, before)] {
        let patched = delta.apply(from, &ApplyOptions::default()).unwrap();
        assert!(patched.document.root().same_content(to.root()));
    }
    delta.stats().edit_cost()
}

fn check(format: Format, before: &str, after: &str, cost: u64) {
    let [before, after] = [before, after].map(|source| parsed(source, format));
    assert_eq!(least_by_trying(&before, &after), cost, "by trying");
    assert_eq!(minimum_cost(&before, &after, &Options::default()), Some(cost));
    assert_eq!(delta_cost(&before, &after, Budget::default()), cost, "of the delta");
    assert_eq!(grid_cost(&before, &after, 0), cost, "by the grid");
}

#[test]
fn small_documents_cost_what_they_should() {
    let xml = |before, after, cost| check(Format::Xml, before, after, cost);
    xml("<a/>", "<a/>", 0);
    xml("<a/>", "<b/>", 2);
    xml("<a>x<b/></a>", "<b>x<b/></b>", 6);
    xml("<a>x</a>", "<a>y</a>", 1);
    xml("<a b='1'/>", "<a b='2' c='3'/>", 2);
    xml("<!--x--><a/>", "<!--y--><a/><?p q?>", 2);
    xml("<a><b/><c/></a>", "<a><c/><b/></a>", 2);
    xml("<a><b>x</b><b>y</b><b>z</b></a>", "<a><b>x</b><b>z</b></a>", 2);
    xml("<a><b>1</b><b>2</b><b>3</b></a>", "<a><w><b>1</b><b>2</b><b>3</b></w></a>", 13);
    // Nine attributes cost more than to delete and insert the element.
    xml("<a><b c='1' d='1' e='1'/></a>", "<a><b c='2' d='2' e='2'/></a>", 2);
    check(Format::Json, "[1, 2, {\"a\": null}]", "[2, {\"b\": null, \"a\": \"x\"}]", 4);
    check(Format::Html, "<title>t</title><p>a<p>b", "<title>t</title><p>b<p class=c>c", 3);
}

/// Trees of few names, so that much is alike and little the same.
fn element() -> impl Strategy<Value = String> {
    let attributes = prop::sample::select(vec!["", "", " k='1'", " k='2'", " k='1' l='1'", " l='2'"]);
    let leaf =
        (prop::sample::select(vec!["a", "b"]), attributes.clone()).prop_map(|(name, rest)| format!("<{name}{rest}/>"));
    let text = prop::sample::select(vec!["x", "y", "z", "w"]).prop_map(str::to_owned);
    let inner = prop_oneof![leaf, text, Just("<!--c-->".to_owned()), Just("<?p d?>".to_owned())];
    inner.prop_recursive(4, 14, 4, move |below| {
        let names = prop::sample::select(vec!["a", "b"]);
        (names, attributes.clone(), prop::collection::vec(below, 0..4))
            .prop_map(|(name, rest, below)| format!("<{name}{rest}>{}</{name}>", below.concat()))
    })
}

fn document() -> impl Strategy<Value = String> {
    prop::collection::vec(element(), 0..4).prop_map(|below| format!("<a>{}</a>", below.concat()))
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["1", "2", "\"x\"", "\"y\"", "null", "true"]).prop_map(str::to_owned);
    leaf.prop_recursive(4, 14, 4, |below| {
        let keys = prop::sample::subsequence(vec!["b", "a", "c"], 0..=3);
        let object = (keys, prop::collection::vec(below.clone(), 3)).prop_map(|(keys, values)| {
            let members: Vec<String> =
                keys.iter().zip(values).map(|(key, value)| format!("\"{key}\":{value}")).collect();
            format!("{{{}}}", members.join(","))
        });
        prop_oneof![object, prop::collection::vec(below, 0..4).prop_map(|items| format!("[{}]", items.join(",")))]
    })
}

fn agrees(before: &str, after: &str, format: Format) -> Result<(), TestCaseError> {
    let [before, after] = [before, after].map(|source| parsed(source, format));
    let least = least_by_trying(&before, &after);
    prop_assert_eq!(minimum_cost(&before, &after, &Options::default()), Some(least));
    prop_assert_eq!(delta_cost(&before, &after, Budget::default()), least);
    // Blocks of 4 by 4 cells, of 10 by 10, and one for all.
    for max_bytes in [0, 100, 1 << 30] {
        prop_assert_eq!(grid_cost(&before, &after, max_bytes), least);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_is_cheaper_in_xml(before in document(), after in document()) {
        agrees(&before, &after, Format::Xml)?;
    }

    #[test]
    fn nothing_is_cheaper_in_html(before in document(), after in document()) {
        agrees(&before, &after, Format::Html)?;
    }

    #[test]
    fn nothing_is_cheaper_in_json(before in json(), after in json()) {
        agrees(&before, &after, Format::Json)?;
    }
}

/// A document with rows of rows, some of which are there often, and all of which are alike.
fn table(rows: usize) -> String {
    let cell = |at: usize| format!("<c k='{}'>{}<b/></c>", at % 3, at * at % 7);
    let row = |at: usize| format!("<r>{}</r>", (at..at + at % 5 + 1).map(cell).collect::<String>());
    format!("<t>{}</t>", (0..rows).map(row).collect::<String>())
}

/// Too large to try all, so that two ways that share nothing but the model and the names of nodes have to agree; large
/// enough for limits that are raised, bounds by bags, and pairs that are remembered.
#[test]
fn both_ways_agree_on_what_changes_by_chance() {
    let before = parsed(&table(60), Format::Xml);
    for seed in 0..24 {
        let rates = Rates::all([0.01, 0.05, 0.2, 0.5][seed as usize % 4]);
        let after = simulate(&before, &rates, seed, &parse::Options::default()).unwrap().document;
        let least = minimum_cost(&before, &after, &Options::default()).unwrap();
        assert_eq!(delta_cost(&before, &after, Budget::default()), least);
        for max_bytes in [10_000, 1 << 20] {
            assert_eq!(grid_cost(&before, &after, max_bytes), least, "seed {seed}");
        }
    }
}

#[test]
fn depth_is_of_no_matter() {
    let deep = |text: &str| format!("{}{text}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    let [before, after] = [deep("x"), deep("y")].map(|source| parsed(&source, Format::Xml));
    assert_eq!(minimum_cost(&before, &after, &Options::default()), Some(1));
    let matching = optimal(&before, &after, &Options::default());
    assert_eq!(matching.pairs().count(), before.len());
}

#[test]
fn wide_rows_are_aligned_where_they_differ() {
    let row = |skip: usize| {
        let items = (0..5000).filter(|at| at % 100 != skip).map(|at| format!("<i>{at}</i>"));
        format!("<l>{}</l>", items.collect::<String>())
    };
    let [before, after] = [row(3), row(90)].map(|source| parsed(&source, Format::Xml));
    // 50 are deleted and 50 inserted, of two nodes each; nothing can be updated for less.
    assert_eq!(minimum_cost(&before, &after, &Options::default()), Some(200));
    assert_eq!(delta_cost(&before, &after, Budget::default()), 200);
    assert_eq!(grid_cost(&before, &after, 10_000), 200);
}

#[test]
fn a_budget_that_does_not_suffice_is_noted() {
    let row =
        |from: usize| format!("<l>{}</l>", (from..from + 50).map(|at| format!("<i>{at}</i>")).collect::<String>());
    let [before, after] = [row(0), row(40)].map(|source| parsed(&source, Format::Xml));
    let cells = (Budget { max_cells: 100, ..Budget::default() }, "the minimum takes more than 100 cells");
    let bytes = (Budget { max_bytes: 64, ..Budget::default() }, "the minimum takes more than 64 bytes");
    for (budget, reason) in [cells, bytes] {
        let options = Options { budget, ..Options::default() };
        let matching = optimal(&before, &after, &options);
        assert_eq!(matching.notes().count(Fallback::NotOptimal), 1);
        assert_eq!(matching.notes().kept()[0].reason, reason);
        assert_eq!(
            delta_cost(&before, &after, budget),
            least_by_trying(&before, &after),
            "what `auto` finds is it here"
        );
    }
    let options = Options { budget: cells.0, ..Options::default() };
    assert_eq!(minimum_cost(&before, &after, &options), None);
    assert_eq!(optimal(&before, &after, &Options::default()).notes().used().count(), 0);
}

#[test]
fn scratch_space_is_used_where_memory_is_short() {
    let row =
        |from: usize| format!("<l>{}</l>", (from..from + 50).map(|at| format!("<i>{at}</i>")).collect::<String>());
    let [before, after] = [row(0), row(40)].map(|source| parsed(&source, Format::Xml));
    let short = Options { budget: Budget { max_bytes: 64, ..Budget::default() }, ..Options::default() };
    let matching = optimal_external(&before, &after, &short, || Ok(Cursor::new(Vec::new()))).unwrap();
    assert_eq!(matching.notes().used().count(), 0);
    assert_eq!(Some(cost_of(&before, &after, &matching)), minimum_cost(&before, &after, &Options::default()));

    let refused = || io::Result::<Cursor<Vec<u8>>>::Err(io::Error::other("no space"));
    assert_eq!(optimal_external(&before, &after, &short, refused).unwrap_err().to_string(), "no space");
    assert!(optimal_external(&before, &after, &Options::default(), refused).is_ok(), "memory suffices");

    let few_cells = Budget { max_cells: 100, max_bytes: 64 };
    let few_cells = Options { budget: few_cells, ..Options::default() };
    let found = external::by_grid(&before, &after, &few_cells, Cursor::new(Vec::new()));
    assert!(matches!(found, Err(external::GridError::Exhausted)));
}
