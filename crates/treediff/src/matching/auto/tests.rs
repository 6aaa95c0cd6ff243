//! Is it as near to the minimum as it says, and does it see what a reader would?

use std::sync::Arc;

use proptest::prelude::*;

use super::{auto, has_few_values};
use crate::delta::{self, Delta, DeltaStats};
use crate::matching::cost::edit_cost;
use crate::matching::{Fallback, Options, minimum_cost};
use crate::parse;
use crate::tree::Document;

fn parsed(source: &str) -> Arc<Document> {
    Arc::new(parse::xml(source.to_owned(), &Default::default()).unwrap().document)
}

/// The delta in numbers, with moves or without, applied to be sure that it is one.
fn stats(before: &Arc<Document>, after: &Arc<Document>, without_moves: bool) -> DeltaStats {
    let matching = auto(before, after, &Options { without_moves, ..Default::default() });
    let options = delta::Options { without_moves, ..Default::default() };
    let delta = Delta::between(before, after, &matching, &options).unwrap();
    let patched = delta.apply(before, &Default::default()).unwrap();
    assert_eq!(delta::document_hash(&patched.document), delta::document_hash(after));
    delta.stats()
}

fn check(before: &str, after: &str, expected: DeltaStats) {
    assert_eq!(stats(&parsed(before), &parsed(after), false), expected, "{before}\n{after}");
}

#[test]
fn changes_are_what_a_reader_would_say() {
    let none = DeltaStats::default();
    let list = "<l><i>bread</i><i>milk</i><i>eggs</i></l>";
    check(list, list, none);
    check(list, &list.replace("milk", "tea"), DeltaStats { updated: 1, ..none });
    let inserted = DeltaStats { inserted_subtrees: 1, inserted_nodes: 2, ..none };
    check(list, &list.replace("<i>milk", "<i>tea</i><i>milk"), inserted);
    check(list, &list.replace("<l>", "<l><i>tea</i>"), inserted);
    let deleted = DeltaStats { deleted_subtrees: 1, deleted_nodes: 2, ..none };
    check(list, &list.replace("<i>bread</i>", ""), deleted);
    // Among equal costs, the fewer operations.
    check("<r><a><b/><b/></a></r>", "<r/>", DeltaStats { deleted_subtrees: 1, deleted_nodes: 3, ..none });
}

#[test]
fn a_section_that_changed_places_is_a_move() {
    let section = |name: &str| format!("<s><h>{name}</h><p>{}</p></s>", format!("all about {name} ").repeat(9));
    let (a, b, c) = (section("ants"), section("bees"), section("cats"));
    let moved = DeltaStats { moved_subtrees: 1, ..Default::default() };
    check(&format!("<r>{a}{b}{c}</r>"), &format!("<r>{c}{a}{b}</r>"), moved);
    let put = |inside: &str| format!("<r><x>{a}</x><y>{b}{inside}</y></r>");
    check(&format!("<r><x>{a}{c}</x><y>{b}</y></r>"), &put(&c), moved);
}

/// Of records with a few answers each, half of which are others, hardly anything is who it was by what is the same: the least cost is
/// what tells.
#[test]
fn answers_are_told_where_they_stand() {
    let mut state = 7u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let answers = ["yes", "no", "n/a"];
    let before: Vec<Vec<usize>> = (0..80).map(|_| (0..6).map(|_| below(3) as usize).collect()).collect();
    let mut after = Vec::new();
    for record in before.iter().filter(|record| record[0] + record[1] != 4) {
        after.push(record.iter().map(|&it| if below(5) < 2 { below(3) as usize } else { it }).collect::<Vec<_>>());
    }
    let written = |records: &[Vec<usize>]| {
        let answer = |&it: &usize| format!("<q>{}</q>", answers[it]);
        let record = |record: &Vec<usize>| format!("<r>{}</r>", record.iter().map(answer).collect::<String>());
        parsed(&format!("<s>{}</s>", records.iter().map(record).collect::<String>()))
    };
    let (before, after) = (written(&before), written(&after));
    let least = minimum_cost(&before, &after, &Options::default()).unwrap();
    for without_moves in [false, true] {
        let cost = stats(&before, &after, without_moves).edit_cost();
        assert!(cost * 2 <= least * 3, "{cost} where {least} would do");
    }
}

/// Entries before one that stays go, and others come behind it: where all can be written anew in place for much less, it is given
/// up, and kept where that would save little.
#[test]
fn what_is_the_same_is_not_kept_at_any_price() {
    let list = |names: &[&str]| {
        let entries = names.iter().map(|name| format!("<p>all about {name}</p>"));
        format!("<l>{}</l>", entries.collect::<String>())
    };
    let (before, after) = (list(&["alpha", "beta", "gamma", "mac"]), list(&["mac", "sun", "moon", "stars"]));
    check(&before, &after, DeltaStats { updated: 4, ..Default::default() });
    let (before, after) = (list(&["mac", "alpha", "beta"]), list(&["sun", "mac", "alpha"]));
    let kept = DeltaStats { moved_subtrees: 1, updated: 1, ..Default::default() };
    check(&before, &after, kept);
}

/// Numbers that are drawn anew: some are the same by chance, and none of them is a reason to delete and insert the others.
#[test]
fn what_is_the_same_by_chance_divides_nothing() {
    let years = |step: usize| (0..400).map(|at| format!("<y>{}</y>", 1900 + step * at)).collect::<String>();
    let updated = DeltaStats { updated: 399, ..Default::default() };
    check(&format!("<l>{}</l>", years(1)), &format!("<l>{}</l>", years(2)), updated);
    let table = |seed: usize| {
        let cell =
            |row: usize, column: usize| format!("<c>{}</c>", (row * 7 + column * 5 + seed * (row + column)) % 97);
        let row = |row: usize| format!("<r>{}</r>", (0..8).map(|column| cell(row, column)).collect::<String>());
        (0..60).map(row).collect::<String>()
    };
    // Around it, something else moved.
    let section = format!("<s><p>{}</p></s>", "A section of many words. ".repeat(20));
    let (before, after) =
        (format!("<d>{section}<t>{}</t></d>", table(1)), format!("<d><t>{}</t>{section}</d>", table(30)));
    let (before, after) = (parsed(&before), parsed(&after));
    let stats = stats(&before, &after, false);
    assert_eq!((stats.deleted_nodes, stats.inserted_nodes, stats.moved_subtrees), (0, 0, 1));
    assert!(stats.edit_cost() <= minimum_cost(&before, &after, &Options::default()).unwrap());
}

/// What has a name, or went elsewhere, is not laid on what stands in its place.
#[test]
fn what_has_a_name_stays_what_it_is() {
    let row = |ids: [&str; 3], values: &str| {
        let item = |(id, value): (&str, char)| format!("<i xml:id='{id}'><v>{value}</v></i>");
        format!("<l>{}</l>", ids.into_iter().zip(values.chars()).map(item).collect::<String>())
    };
    let (before, after) = (parsed(&row(["a", "b", "c"], "123")), parsed(&row(["c", "a", "b"], "456")));
    let matching = auto(&before, &after, &Default::default());
    for item in after.root_element().unwrap().children() {
        let partner = before.node(matching.before_of(item.id()).expect("all have a partner"));
        assert_eq!(partner.id_value(), item.id_value());
    }
}

/// Codes that are given anew move nothing: what is below them tells more than they do.
#[test]
fn codes_given_anew_are_told_as_such() {
    let list = |records: &[(&str, &str, &str)]| {
        let record = |(code, name, price): &(&str, &str, &str)| {
            format!("<p code='{code}'><n>{name}</n><price>{price}</price></p>")
        };
        format!("<s>{}</s>", records.iter().map(record).collect::<String>())
    };
    let before = [("0", "Gamma", "28"), ("1", "Eps", "18"), ("2", "Beta", "8")];
    let swapped = [("0", "Gamma", "28"), ("2", "Eps", "18"), ("1", "Beta", "8")];
    check(&list(&before), &list(&swapped), DeltaStats { attributes: 2, ..Default::default() });
    let turned = [("2", "Gamma", "28"), ("0", "Eps", "18"), ("1", "Beta", "9")];
    check(&list(&before), &list(&turned), DeltaStats { attributes: 3, updated: 1, ..Default::default() });
    // What is below them tells nothing where it is there twice.
    let before = [("0", "Alpha", "28"), ("1", "Iota", "15"), ("2", "Zeta", "13"), ("3", "Alpha", "29")];
    let after = [("2", "Alpha", "29"), ("3", "Iota", "16"), ("0", "Zeta", "13"), ("1", "Alpha", "29")];
    check(&list(&before), &list(&after), DeltaStats { attributes: 4, updated: 2, ..Default::default() });
    // But values that changed places do not take the codes with them.
    let (before, after) = ([("a", "is", "on"), ("b", "is", "off")], [("a", "is", "off"), ("b", "is", "on")]);
    check(&list(&before), &list(&after), DeltaStats { updated: 2, ..Default::default() });
}

/// Where moves are not wanted, too, what has a name stays what it is as long as it stays in its place, and is nobody
/// else otherwise.
#[test]
fn without_moves_what_has_a_name_stays_what_it_is() {
    let item = |(id, value): (char, char)| format!("<i xml:id='{id}'><v>{value}</v><w/></i>");
    let row = |ids: &str, values: &str| ids.chars().zip(values.chars()).map(item).collect::<String>();
    let of_one_name = |before: &str, after: &str| {
        let [before, after] = [before, after].map(|rows| parsed(&format!("<l>{rows}</l>")));
        let options = Options { without_moves: true, ..Default::default() };
        let matching = auto(&before, &after, &options);
        let ids = |document: &Document| -> Vec<String> {
            document.nodes().filter_map(|node| node.id_value()).map(|id| id.into_owned()).collect()
        };
        let [gone, come] = [ids(&before), ids(&after)];
        for (from, to) in matching.pairs() {
            let [from, to] = [before.node(from).id_value(), after.node(to).id_value()];
            let is_elsewhere = |id: &Option<std::borrow::Cow<'_, str>>, there: &[String]| {
                id.as_deref().is_some_and(|id| there.iter().any(|other| other == id))
            };
            assert!(from == to || !is_elsewhere(&from, &come) && !is_elsewhere(&to, &gone), "{from:?} is {to:?}");
        }
        stats(&before, &after, true)
    };
    let none = DeltaStats::default();
    // The values stay where they are, and those that they belong to do not.
    let gone_and_come =
        DeltaStats { deleted_subtrees: 1, deleted_nodes: 4, inserted_subtrees: 1, inserted_nodes: 4, ..none };
    let moved_up = of_one_name(&row("abc", "123"), &row("bcd", "123"));
    assert_eq!(moved_up, DeltaStats { updated: 2, ..gone_and_come });
    // What passed another cannot stay.
    assert_eq!(of_one_name(&row("abc", "123"), &row("acb", "132")), gone_and_come);
    // One that is new on one side may be whoever went on the other.
    assert_eq!(of_one_name(&row("abc", "123"), &row("axc", "123")), DeltaStats { attributes: 1, ..none });
    // Lists are who has the same items, not who stands in the same place.
    let lists = |first: &str, second: &str| format!("<s>{first}</s><s>{second}</s>");
    let (one, two) = (row("abc", "123"), row("def", "123"));
    let exchanged = of_one_name(&lists(&one, &two), &lists(&two, &row("gh", "45")));
    assert_eq!((exchanged.deleted_nodes, exchanged.inserted_nodes), (13, 9));
}

/// Records that changed and stand elsewhere are known by what they begin with.
#[test]
fn records_are_known_by_their_names() {
    let list = |order: &[usize], flag: usize, record: fn(usize, usize) -> String| {
        let records: String = order.iter().map(|&at| record(at, (at * flag) % 7 % 2)).collect();
        format!("<l>{records}</l>")
    };
    let order: Vec<usize> = (0..50).collect();
    let mixed: Vec<usize> = (0..50).map(|at| at * 21 % 50).collect();
    let by_attribute = |id: usize, flag: usize| format!("<i id='{id}'><colour>red</colour><flag>{flag}</flag></i>");
    let by_child = |id: usize, flag: usize| format!("<i><id>{id}</id><colour>red</colour><flag>{flag}</flag></i>");
    for record in [by_attribute as fn(usize, usize) -> String, by_child] {
        let stats = stats(&parsed(&list(&order, 1, record)), &parsed(&list(&mixed, 2, record)), false);
        assert_eq!((stats.deleted_nodes, stats.inserted_nodes), (0, 0));
        assert!(stats.updated <= 50 && stats.moved_subtrees < 50);
    }
}

/// Rows that are too wide for a table: what is the same in order, what is known by a field, and a band of the table.
#[test]
fn wide_rows_cost_little_more_than_the_least() {
    let within = |before: &[String], after: &[String], share: f64| {
        let [before, after] = [before, after].map(|rows| parsed(&format!("<l>{}</l>", rows.concat())));
        let least = minimum_cost(&before, &after, &Options::default()).unwrap();
        for without_moves in [false, true] {
            let cost = stats(&before, &after, without_moves).edit_cost();
            assert!(cost as f64 <= share * least as f64, "{cost} instead of {least}, {without_moves}");
        }
    };
    // Digits: nothing is there once.
    let digits: Vec<String> = (0..600).map(|at: usize| format!("<d>{}</d>", (at * at * 7 + at / 3) % 10)).collect();
    let mut changed = digits.clone();
    (3..600).step_by(23).for_each(|at| changed[at] = "<d>x</d>".into());
    changed.insert(5, "<d>4</d>".into());
    changed.insert(590, "<d>4</d>".into());
    within(&digits, &changed, 1.25);
    // Every record changed and the first is gone; they are known by an attribute, or by the last of their children.
    let by_attribute = |at: usize, more: usize| format!("<i id='K{at}' price='{}' q='{}'/>", at % 20 + more, at % 7);
    let by_child = |at: usize, more: usize| {
        format!("<i><c>{}</c><p>{}</p><n>{}</n><k>K{at}</k></i>", at % 5, at % 20 + more, at % 9)
    };
    for record in [by_attribute as fn(usize, usize) -> String, by_child] {
        let before: Vec<String> = (0..300).map(|at| record(at, 0)).collect();
        let after: Vec<String> = (1..300).map(|at| record(at, 1)).collect();
        within(&before, &after, 1.0);
    }
    // Texts that all changed, and one more in front: nothing is the same, and no field tells them apart.
    let before: Vec<String> = (0..300).map(|at| format!("<p>line {at} and so on</p>")).collect();
    let after = (0..300).map(|at| format!("<p>line {at} and so forth</p>"));
    let after: Vec<String> = std::iter::once("<p>new</p>".to_owned()).chain(after).collect();
    within(&before, &after, 1.0);
    let matching = {
        let [before, after] = [&before, &after].map(|rows| parsed(&format!("<l>{}</l>", rows.concat())));
        auto(&before, &after, &Options::default())
    };
    assert_eq!(matching.after_of(crate::tree::NodeId(2)).map(|id| id.0), Some(4), "each line has its own partner");
}

/// Records without a code that changed in half of their fields, behind so many new ones that their partners are far from the
/// diagonal: the band is as wide as it has to be.
#[test]
fn partners_far_from_the_diagonal_are_found() {
    let field = |at: usize, field: usize| (at * 7919 + field * 104_729 + at * at * (field + 3)) % 13;
    let record = |at: usize, changed: usize| {
        let value = |name: usize| if name < changed { 100 + field(at + 5, name) } else { field(at, name) };
        format!("<r>{}</r>", (0..8).map(|name| format!("<f>{}</f>", value(name))).collect::<String>())
    };
    let list = |records: Vec<String>| parsed(&format!("<l>{}</l>", records.concat()));
    let before = list((0..300).map(|at| record(at, 0)).collect());
    let after = list((900..960).map(|at| record(at, 0)).chain((0..240).map(|at| record(at, 4))).collect());
    let least = minimum_cost(&before, &after, &Options::default()).unwrap();
    let cost = stats(&before, &after, true).edit_cost();
    assert!(cost as f64 <= 1.05 * least as f64, "{cost} instead of {least}");
}

/// Records that changed all but for their codes, and were put into another order.
#[test]
fn records_are_known_by_a_field_wherever_it_stands() {
    let record = |code: usize, seed: usize| {
        let one = |by: usize| (code * 31 + seed * 17 + by) % 13;
        format!("<i><c>c{}</c><p>{}</p><n>n{}</n><k>K{code}</k></i>", one(1), one(5) * 3, one(7))
    };
    let list = |order: &mut dyn Iterator<Item = usize>, seed: usize| {
        parsed(&format!("<l>{}</l>", order.map(|code| record(code, seed)).collect::<String>()))
    };
    let (before, after) = (list(&mut (0..60), 1), list(&mut (0..60).map(|at| at * 23 % 60), 2));
    let matching = auto(&before, &after, &Default::default());
    for record in after.root_element().unwrap().children() {
        let partner = before.node(matching.before_of(record.id()).expect("all have a partner"));
        let code = |record: crate::tree::Node<'_>| record.children().last().unwrap().string_value().into_owned();
        assert_eq!(code(partner), code(record));
    }
}

/// What a key names is not torn apart for what is the same in others.
#[test]
fn records_with_a_key_stay_whole() {
    let record = |(code, name, cat): (&str, &str, &str)| {
        format!("<i><h><k>{code}</k></h><b><n>{name}</n><x><p>1</p><c>{cat}</c></x></b></i>")
    };
    let list = |records: [(&str, &str, &str); 4]| parsed(&format!("<l>{}</l>", records.map(record).concat()));
    let before = list([("0", "beta", "y"), ("1", "gamma", "x"), ("2", "gamma", "y"), ("3", "gamma", "z")]);
    let after = list([("1", "beta", "x"), ("2", "alpha", "z"), ("3", "beta", "z"), ("0", "alpha", "x")]);
    let item = |document: &Document, at: usize| document.root_element().unwrap().children().nth(at).unwrap().id();
    let pairs = [(1, 0), (2, 1), (3, 2), (0, 3)].map(|(from, to)| (item(&before, from), item(&after, to)));
    let matching = auto(&before, &after, &Options { pairs: pairs.to_vec(), ..Default::default() });
    for node in after.nodes().skip(2) {
        let Some(partner) = matching.before_of(node.id()) else { continue };
        let parent = before.node(partner).parent().and_then(|parent| matching.after_of(parent.id()));
        assert_eq!(parent, node.parent().map(|parent| parent.id()), "{node:?} came from elsewhere");
    }
}

/// An ID that several have is told, once for each path, where it is on both sides; pages have such ones everywhere.
#[test]
fn ids_that_several_have_are_told() {
    let told = |before: &Document, after: &Document| -> [Vec<String>; 2] {
        [auto, crate::matching::xydiff].map(|algorithm| {
            let matching = algorithm(before, after, &Options::default());
            matching.notes().kept().iter().map(ToString::to_string).collect()
        })
    };
    let before = parsed("<r><a xml:id='x'>1</a><b><a xml:id='x'>2</a></b><c xml:id='z'/><c xml:id='z'/></r>");
    let after = parsed("<r><a xml:id='x'>3</a><a xml:id='y'/><a xml:id='y'/></r>");
    let expected =
        "`/r/b/a`: the ID `x` is that of several elements, and they are compared as without it (key-not-unique)";
    assert_eq!(told(&before, &after), [[expected], [expected]]);
    let declared = |rows: &str| parsed(&format!("<!DOCTYPE r [<!ATTLIST i k ID #IMPLIED>]><r>{rows}</r>"));
    let many: String = (0..40).map(|n| format!("<i k='{n}'/><i k='{n}'>x</i>")).collect();
    let expected =
        "`/r/i`: the ID `0` is that of several elements, and they are compared as without it (key-not-unique)";
    assert_eq!(told(&declared(&many), &declared(&format!("{many}<i/>"))), [[expected], [expected]]);
    let page = |text: &str| parse::html(format!("<p id=x>1<p id=x>{text}"), &Default::default()).unwrap().document;
    assert_eq!(told(&page("2"), &page("3")), [[""; 0], [""; 0]]);
}

/// IDs pair what they name; one that is gone forbids nothing.
#[test]
fn a_root_with_another_id_is_the_root() {
    let page = |id: &str| format!("<r xml:id='{id}'><p>one</p><p>two</p></r>");
    check(&page("a"), &page("b"), DeltaStats { attributes: 1, ..Default::default() });
}

/// More than the budget allows: the matching is right and says so.
#[test]
fn a_budget_that_is_exhausted_is_told() {
    let row = |word: &str| (0..400).map(|at| format!("<i><b>{word}</b><c>{at} {word}</c></i>")).collect::<String>();
    let [before, after] = ["old", "new"].map(|word| parsed(&format!("<r>{}</r>", row(word))));
    let matching = auto(&before, &after, &Options::default());
    assert!(matching.notes().count(Fallback::ChildrenByLikeness) > 0);
    assert_eq!(stats(&before, &after, false).updated, 800);
}

/// Behind the budget, too, no pair costs more than both apart: leaves with three other attributes each.
#[test]
fn a_budget_that_is_exhausted_makes_no_pair_that_does_not_pay() {
    let row = |word: &str| (0..300).map(|at| format!("<i a='{word}' b='{at}{word}' c='{word}'/>")).collect::<String>();
    let [before, after] = ["old", "new"].map(|word| parsed(&format!("<r>{}</r>", row(word))));
    assert!(auto(&before, &after, &Options::default()).notes().count(Fallback::ChildrenInOrder) > 0);
    assert_eq!(stats(&before, &after, false).edit_cost(), 600);
}

/// Rows inside of a row that are too wide to be aligned: their costs are estimated, and that is told too.
#[test]
fn an_estimate_is_told() {
    let inner = |word: &str| (0..150).map(|at| format!("<i>{word} {at}</i>")).collect::<String>();
    let list = |words: [&str; 2]| format!("<r><l>{}</l><l>{}</l></r>", inner(words[0]), inner(words[1]));
    let [before, after] = [["a", "b"], ["c", "d"]].map(|words| parsed(&list(words)));
    let options = Options { without_moves: true, ..Default::default() };
    let notes = auto(&before, &after, &options).notes().clone();
    assert_eq!(notes.count(Fallback::CostsEstimated), 1, "{notes:?}");
    assert_eq!(auto(&before, &before, &options).notes().used().count(), 0);
}

/// Rows that are not paid for are told as well, not only the first.
#[test]
fn every_row_behind_the_budget_is_told() {
    let wide = |word: &str| (0..400).map(|at| format!("<i><b>{word}</b><c>{at} {word}</c></i>")).collect::<String>();
    let narrow = |word: &str| format!("<l>{}</l>", (0..60).map(|at| format!("<k>{at} {word}</k>")).collect::<String>());
    let list = |word: &str| parsed(&format!("<r><w>{}</w>{}</r>", wide(word), narrow(word).repeat(40)));
    let [before, after] = ["old", "new"].map(list);
    let notes = auto(&before, &after, &Options::default()).notes().clone();
    assert!(notes.count(Fallback::ChildrenByLikeness) > 1, "{notes:?}");
}

/// At every level the same bottom is laid on the other, until there is no budget left for it.
#[test]
fn what_is_not_laid_in_place_is_told() {
    const DEPTH: usize = 200;
    let chain = |leaf: &str| format!("{}{}{}", "<a>".repeat(DEPTH), leaf.repeat(10), "</a>".repeat(DEPTH));
    let [before, after] = ["<x/>", "<y/>"].map(|leaf| parsed(&chain(leaf)));
    let options = Options { without_moves: true, ..Default::default() };
    assert_eq!(auto(&before, &after, &options).notes().count(Fallback::PairsNotWeighed), 1);
    assert_eq!(stats(&before, &after, true).edit_cost(), 20);
}

/// Answers that changed went and came at other places, since there is another of the same everywhere: few of those that are texts, many
/// of those that are attributes.
#[test]
fn answers_that_changed_are_told_where_they_stand() {
    type Written = fn(bool) -> &'static str;
    let as_text: Written = |it| if it { "<q>yes</q>" } else { "<q>no</q>" };
    let as_attribute: Written = |it| if it { "<q a='yes'/>" } else { "<q a='no'/>" };
    for (answer, count, changed) in [(as_text, 300, 10), (as_attribute, 1000, 200)] {
        for seed in 0..5u64 {
            let mut state = seed;
            let mut below = |n: u64| {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) % n
            };
            let before: Vec<bool> = (0..count).map(|_| below(2) == 0).collect();
            let mut after = before.clone();
            (0..changed).for_each(|_| after[below(count) as usize] ^= true);
            let written =
                |it: &[bool]| parsed(&format!("<s>{}</s>", it.iter().map(|&it| answer(it)).collect::<String>()));
            let (before, after) = (written(&before), written(&after));
            let least = minimum_cost(&before, &after, &Options::default()).unwrap();
            for without_moves in [false, true] {
                let cost = stats(&before, &after, without_moves).edit_cost();
                assert!(3 * cost <= 4 * least, "seed {seed}: {cost} beside {least}");
            }
        }
    }
}

/// An attribute came at two of so many answers. A hundred are no small document any longer, and not yet one of many nodes on a side.
#[test]
fn answers_with_something_new_stay_where_they_are() {
    for count in [40, 64, 100, 126, 160] {
        let list = |marked: &[u64]| {
            let item = |at: u64| {
                let mark = if marked.contains(&at) { " x='1'" } else { "" };
                let answer = if (at * at % 7).is_multiple_of(2) { "agreed" } else { "refused" };
                format!("<i{mark}>{answer}</i>")
            };
            parsed(&format!("<l>{}</l>", (0..count).map(item).collect::<String>()))
        };
        let [before, after] = [list(&[]), list(&[count / 3, count / 2])];
        for without_moves in [false, true] {
            assert_eq!(stats(&before, &after, without_moves).edit_cost(), 2, "{count}");
        }
    }
}

/// One that is there once went from the front to the back, past all that is there twice: who would hold on to it, would have nothing
/// beside it but what goes on one side and what comes on the other.
#[test]
fn one_that_went_past_all_keeps_nothing_apart() {
    for count in [60, 80, 126, 200, 400, 4_000, 40_000] {
        let items: String = (0..count).map(|at| format!("<i>v{}</i>", at / 2)).collect();
        let [before, after] =
            [format!("<l><i>x</i>{items}</l>"), format!("<l>{items}<i>x</i></l>")].map(|list| parsed(&list));
        assert!(stats(&before, &after, false).edit_cost() <= 4, "{count}");
        assert_eq!(stats(&before, &after, true).edit_cost(), 4, "{count}");
        // The same beside what stayed in front and behind.
        let around =
            |list: &Arc<Document>| list.source().replace("<l>", "<l><h>a</h><h>b</h>").replace("</l>", "<h>c</h></l>");
        let [before, after] = [before, after].map(|list| parsed(&around(&list)));
        assert!(stats(&before, &after, false).edit_cost() <= 4, "{count}");
    }
}

/// A sorted row has each value several times, all at one place.
#[test]
fn sorted_rows_are_known_to_have_few_values() {
    for count in [1_000, 4_000, 20_000] {
        let mut row: Vec<String> = (0..count).map(|at| format!("<i>s{}</i>", at / 12)).collect();
        let list = |row: &[String]| parsed(&format!("<l>{}</l>", row.concat()));
        let before = list(&row);
        let moved = row.remove(count / 10);
        row.insert(count / 2, moved);
        row[3 * count / 4] = "<i>s0</i>".to_owned();
        let after = list(&row);
        for without_moves in [false, true] {
            assert!(stats(&before, &after, without_moves).edit_cost() <= 5, "{count}");
        }
    }
}

#[test]
fn one_value_everywhere_does_not_make_the_others_few() {
    let list = |value: fn(usize) -> usize| {
        let items = (0..600).map(|at| format!("<i>v{}</i>", value(at)));
        parsed(&format!("<l>{}</l>", items.collect::<String>()))
    };
    assert!(has_few_values(&list(|at| at % 3)));
    assert!(has_few_values(&list(|at| at / 6)));
    assert!(!has_few_values(&list(|at| at)));
    for common in 0..20 {
        let half = (0..600).map(|at| if at % 2 == 0 { format!("<i>c{common}</i>") } else { format!("<i>v{at}</i>") });
        assert!(!has_few_values(&parsed(&format!("<l>{}</l>", half.collect::<String>()))), "{common}");
    }
}

#[test]
fn depth_is_no_danger() {
    const DEPTH: usize = 100_000;
    let chain = |leaf: &str| format!("{}{leaf}{}", "<a><b/>".repeat(DEPTH), "</a>".repeat(DEPTH));
    let [before, after] = ["x<c/>", "<c/>y"].map(|leaf| parsed(&chain(leaf)));
    let matching = auto(&before, &after, &Options::default());
    assert_eq!(matching.pairs().count(), 2 * DEPTH + 2);
}

fn tree() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("x".to_owned()),
        Just("y z".to_owned()),
        Just("<e/>".to_owned()),
        Just("<e k='1'/>".to_owned())
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let name = prop_oneof![Just("a"), Just("b"), Just("b k='2'")];
        (name, prop::collection::vec(inner, 0..4)).prop_map(|(name, children)| {
            let end = &name[..1];
            // A comment keeps texts apart.
            format!("<{name}>{}</{end}>", children.join("<!---->"))
        })
    })
}

proptest! {
    #[test]
    fn without_moves_it_is_the_minimum_while_the_budget_lasts(before in tree(), after in tree()) {
        let [before, after] = [before, after].map(|inside| parsed(&format!("<r>{inside}</r>")));
        let minimum = minimum_cost(&before, &after, &Options::default());
        prop_assert_eq!(Some(stats(&before, &after, true).edit_cost()), minimum);
    }

    #[test]
    fn moves_make_a_right_delta_of_the_cost_that_was_counted(before in tree(), after in tree()) {
        let [before, after] = [before, after].map(|inside| parsed(&format!("<r>{inside}</r>")));
        let counted = edit_cost(&before, &after, &auto(&before, &after, &Options::default()));
        prop_assert_eq!(stats(&before, &after, false).edit_cost(), counted);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever a wide row becomes, the delta leads there, and costs no more than to write all of it anew.
    #[test]
    fn wide_rows_of_anything(before in "[a-e]{130,500}", after in "[a-e]{2,500}", nested in any::<bool>()) {
        let row = |row: &str| {
            let item = |kind: char| if nested { format!("<i><k>{kind}</k><v/></i>") } else { format!("<{kind}/>") };
            parsed(&format!("<l>{}</l>", row.chars().map(item).collect::<String>()))
        };
        let (from, to) = (row(&before), row(&after));
        for without_moves in [false, true] {
            let cost = stats(&from, &to, without_moves).edit_cost();
            prop_assert!(cost <= (from.len() + to.len()) as u64);
        }
    }
}
