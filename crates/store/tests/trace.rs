//! Is what became of values and nodes what the versions say, looked at one by one?

mod support;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use store::trace::{Life, Values};
use store::{Kind, Reading, Step, Turn};
use support::{Draws, origin, time};
use treediff::delta::{Identities, Xid};
use treediff::parse::Whitespace;
use treediff::select::{Context, Expression};
use treediff::tree::{Document, Format, Node};

/// The readings as `first-last: value|value`.
#[track_caller]
fn check_values(format: Format, sources: &[&str], expression: &str, expected: &[&str]) {
    let expression = Expression::parse(expression).expect("an expression");
    let context = Context::default();
    let mut values = Values::new(&expression, &context);
    for (number, source) in (1..).zip(sources) {
        let document = (!source.is_empty()).then(|| support::document(source, format));
        values.add(origin(number), document.as_deref()).expect("values");
    }
    let readings = values.into_readings();
    assert!(readings.iter().all(|reading| reading.time == time(reading.number)));
    let shown = |reading: &Reading| format!("{}-{}: {}", reading.number, reading.until, reading.values.join("|"));
    assert_eq!(readings.iter().map(shown).collect::<Vec<_>>(), expected);
}

#[test]
fn values_through_time() {
    let shop = [
        "<shop><tea price='4'/></shop>",
        "<shop><milk/><tea price='4'/></shop>",
        "<shop><tea price='5'/><tea price='6'/></shop>",
        "<shop/>",
        "<shop><tea price='4'/></shop>",
    ];
    check_values(Format::Xml, &shop, "//tea/@price", &["1-2: 4", "3-3: 5|6", "4-4: ", "5-5: 4"]);
    check_values(Format::Xml, &shop, "count(//tea)", &["1-2: 1", "3-3: 2", "4-4: 0", "5-5: 1"]);
    check_values(Format::Xml, &[], "//tea", &[]);
    check_values(
        Format::Json,
        &[r#"{"a":[1,2]}"#, r#"{"b":0,"a":[1,2]}"#, r#"{"a":[2]}"#],
        "/*/a/*",
        &["1-2: 1|2", "3-3: 2"],
    );
    check_values(Format::Html, &["<p>a<p>b", "<p>b"], "//p", &["1-1: a|b", "2-2: b"]);
}

#[test]
fn versions_that_are_no_trees_have_no_values() {
    check_values(Format::Xml, &["<a>x</a>", "", "<a>x</a>"], "/a", &["1-1: x", "2-2: ", "3-3: x"]);
}

#[test]
fn what_cannot_be_evaluated_is_an_error() {
    let unknown = Expression::parse("$nobody").expect("an expression");
    let context = Context::default();
    let document = support::document("<a/>", Format::Xml);
    assert!(Values::new(&unknown, &context).add(origin(1), Some(&document)).is_err());
}

/// The turns as `version kind before>after`.
#[track_caller]
fn check_life(sources: &[&str], xid: u64, expected: &[&str]) {
    let documents: Vec<Arc<Document>> = sources.iter().map(|source| support::document(source, Format::Xml)).collect();
    let first = Identities::of_first_version(&documents[0]);
    let taken = support::steps(documents.into_iter().map(|document| (document, true)));
    let steps: Vec<Vec<u8>> = taken.map(|taken| taken.bytes).collect();
    let turns = life(Xid(xid), &first, &steps);
    assert_eq!(turns.iter().map(shown).collect::<Vec<_>>(), expected);
}

fn life(xid: Xid, first: &Identities, steps: &[Vec<u8>]) -> Vec<Turn> {
    let mut life = Life::of(xid);
    life.set(origin(1), first);
    (2..).zip(steps).for_each(|(number, step)| life.add(origin(number), step).expect("a step"));
    life.into_turns()
}

fn shown(turn: &Turn) -> String {
    let value = |value: &Option<String>| value.clone().unwrap_or_default();
    assert_eq!(turn.time, time(turn.number));
    format!("{} {} {}>{}", turn.number, turn.kind, value(&turn.before), value(&turn.after))
}

#[test]
fn lives_of_nodes() {
    let versions = [
        "<a><b>one two three four</b><c/></a>",
        "<a><b>one two three five</b><c/></a>",
        "<a><b k='v'>one two three five</b><c/></a>",
        "<a><c><b k='v'>one two three five</b></c></a>",
        "<a><c/></a>",
    ];
    check_life(&versions, 1, &["1 insert >", "2 update one two three four>one two three five", "5 delete >"]);
    check_life(&versions, 2, &["1 insert >", "3 attribute >k=v", "4 move >", "5 delete >"]);
    check_life(&versions, 3, &["1 insert >"]);
    check_life(&versions, 9, &[]);
    check_life(&["<a/>", "<a><b>new</b></a>", "<a/>"], 2, &["2 insert >", "3 delete >"]);
}

#[test]
fn without_a_delta_nodes_come_and_go_by_their_identities() {
    let known = |xids: &str| Identities { xids: xids.parse().expect("a map"), next: Xid(9) };
    let steps = ["(2;4-5)", "()"].map(|xids| Step::broken(known(xids)).to_bytes());
    let told = |xid| life(Xid(xid), &known("(1-3)"), &steps).iter().map(shown).collect::<Vec<_>>();
    assert_eq!(told(1), ["1 insert >", "2 delete >"]);
    assert_eq!(told(2), ["1 insert >", "3 delete >"]);
    assert_eq!(told(5), ["2 insert >", "3 delete >"]);
    assert!(told(6).is_empty());
}

#[test]
fn steps_that_are_hurt_are_an_error() {
    assert!(Life::of(Xid(1)).add(origin(1), b"\x01\x01\x00\x01\x00no delta").is_err());
}

/// Lives that are told by the steps are those that the versions tell, node by node.
#[test]
fn lives_of_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let mut draws = Draws(3);
    let mut lived = 0;
    for page in support::pages(&corpus).into_iter().step_by(4) {
        let Some(steps) = page.stored_steps() else { continue };
        let first = Identities::of_first_version(&page.document(0, Whitespace::Layout));
        let last = page.steps().last().map_or(first.next, |taken| taken.delta.next_xid());
        let xids: BTreeSet<Xid> = (0..20).map(|_| Xid(1 + draws.below(last.0 as usize) as u64)).collect();
        let mut expected: HashMap<Xid, Vec<(u32, Kind)>> = HashMap::new();
        let mut tell = |xid, number, kind| expected.entry(xid).or_default().push((number, kind));
        xids.iter().filter(|xid| first.xids.places().find(**xid).is_some()).for_each(|xid| tell(*xid, 1, Kind::Insert));
        for (number, taken) in (2..).zip(page.steps()) {
            let before = support::nodes(&taken.before, taken.delta.from_xids());
            let after = support::nodes(&taken.after, taken.delta.to_xids());
            for xid in &xids {
                let kinds = told(before.get(xid), after.get(xid));
                kinds.into_iter().for_each(|kind| tell(*xid, number, kind));
            }
        }
        for xid in &xids {
            let turns = life(*xid, &first, &steps);
            let mut found: Vec<(u32, Kind)> = turns.iter().map(|turn| (turn.number, turn.kind)).collect();
            found.retain(|(_, kind)| *kind != Kind::Move);
            found.dedup();
            let mut expected = expected.remove(xid).unwrap_or_default();
            expected.dedup();
            assert_eq!(found, expected, "XID {xid} of {}", page.name);
            lived += found.len();
        }
    }
    assert!(lived > 500, "{lived}");
}

/// What happened to a node, by what it was and is; moves are left out.
fn told(before: Option<&Node<'_>>, after: Option<&Node<'_>>) -> Vec<Kind> {
    let attributes = |node: &Node<'_>| {
        let mut attributes: Vec<(String, String)> =
            node.attributes().map(|one| (one.name().to_string(), one.value().into_owned())).collect();
        attributes.sort();
        attributes
    };
    match (before, after) {
        (None, None) => Vec::new(),
        (None, Some(_)) => vec![Kind::Insert],
        (Some(_), None) => vec![Kind::Delete],
        (Some(before), Some(after)) => {
            let is_updated = before.value() != after.value() || before.kind() != after.kind();
            let kinds = [(is_updated, Kind::Update), (attributes(before) != attributes(after), Kind::Attribute)];
            kinds.into_iter().filter_map(|(is_so, kind)| is_so.then_some(kind)).collect()
        }
    }
}
