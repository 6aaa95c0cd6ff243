//! Does looking for changes find all that reading every delta finds?

mod support;

use std::collections::HashMap;

use store::{Change, Filter, Kind, Kinds, Label, matching};
use treediff::delta::{Delta, Fragment, Operation, Xid};
use treediff::tree::{self, Node};

use support::Draws;

/// What is there before or after an operation, as one would read it: with blanks between its texts, and without.
fn texts(operation: &Operation) -> Vec<String> {
    let owned = |text: &Option<String>| text.clone();
    let given = match operation {
        Operation::Delete { content, .. } | Operation::Insert { content, .. } => return texts_of(content),
        Operation::Move { .. } => return Vec::new(),
        Operation::Update { before, after, .. } => vec![Some(before.clone()), Some(after.clone())],
        Operation::Doctype { before, after } => vec![owned(before), owned(after)],
        Operation::Attribute { change, .. } => {
            let (before, after) = change.values();
            vec![before.map(str::to_owned), after.map(str::to_owned)]
        }
    };
    given.into_iter().flatten().collect()
}

fn texts_of(content: &Fragment) -> Vec<String> {
    let is_text = |kind: tree::Kind| {
        !kind.is_container()
            && !matches!(kind, tree::Kind::Comment | tree::Kind::ProcessingInstruction | tree::Kind::Reference)
    };
    let is_leaf = !content.root().kind().is_container();
    let nodes = content.nodes().filter(|node| is_leaf || is_text(node.kind()));
    let texts: Vec<String> = nodes.map(|node| node.value().into_owned()).collect();
    vec![texts.join(" "), texts.concat()]
}

fn folded(text: &str) -> String {
    let lower: String = text.chars().flat_map(char::to_lowercase).collect();
    let is_edge = |c: Option<char>| c.is_some_and(char::is_whitespace);
    let middle = lower.split_whitespace().collect::<Vec<_>>().join(" ");
    match (is_edge(lower.chars().next()), is_edge(lower.chars().last())) {
        _ if middle.is_empty() => if lower.is_empty() { "" } else { " " }.to_owned(),
        (true, true) => format!(" {middle} "),
        (true, false) => format!(" {middle}"),
        (false, true) => format!("{middle} "),
        (false, false) => middle,
    }
}

/// A part of some text, cut out anywhere, with its case changed: it is there, so it has to be found.
fn drawn_part(texts: &[String], draws: &mut Draws) -> Option<String> {
    let text: Vec<char> = texts.get(draws.below(texts.len()))?.chars().collect();
    let start = draws.below(text.len());
    let part: String = text[start..].iter().take(1 + draws.below(14)).collect();
    let part = if draws.below(2) == 0 { part.to_uppercase() } else { part };
    Some(part).filter(|part| !part.is_empty())
}

#[test]
fn no_text_is_lost() {
    let Some(corpus) = support::corpus() else { return };
    let mut draws = Draws(7);
    let mut asked = 0;
    for page in support::pages(&corpus) {
        for taken in page.steps() {
            if Delta::read(taken.delta.to_xydelta(), &Default::default()).is_err() {
                continue;
            }
            let operations = taken.delta.operations();
            let all: Vec<Vec<String>> = operations.iter().map(texts).collect();
            for _ in 0..3.min(all.len()) {
                let Some(part) = drawn_part(&all[draws.below(all.len())], &mut draws) else { continue };
                // Some capitals of some letters are more than one, and small again are not what they were.
                let wanted = folded(&part);
                let has = |texts: &Vec<String>| texts.iter().any(|text| folded(text).contains(&wanted));
                let expected: Vec<u64> =
                    operations.iter().zip(&all).filter(|(_, texts)| has(texts)).map(|(one, _)| one.node().0).collect();
                let found = matching(&taken.bytes, &Filter::new(Kinds::ALL, None, Some(&part))).expect("changes");
                let found: Vec<u64> = found.iter().map(|change| change.xid.0).collect();
                assert_eq!(found, expected, "{part:?} in {}", page.name);
                asked += 1;
            }
        }
    }
    assert!(asked > 3000, "{asked}");
}

/// Whether a pattern of child steps, looked for anywhere, is somewhere along a path.
fn is_along(path: &str, pattern: &[&str]) -> bool {
    let labels: Vec<&str> = path.split('/').skip(1).collect();
    let is_like = |label: &str, step: &str| match step {
        "*" => !label.starts_with('@') && !label.ends_with("()"),
        "@*" => label.starts_with('@'),
        _ => label == step,
    };
    labels.windows(pattern.len()).any(|window| window.iter().zip(pattern).all(|(label, step)| is_like(label, step)))
}

/// A change by its kind, path and node.
type Place = (Kind, String, Xid);

/// What a pattern means of a change: itself, or what is uppermost in a subtree that came or went with it.
fn meant(change: &Change, operation: &Operation, pattern: &[&str]) -> Vec<Place> {
    if is_along(&change.path, pattern) {
        return vec![(change.kind, change.path.to_string(), change.xid)];
    }
    let (Operation::Insert { content, xids, .. } | Operation::Delete { content, xids, .. }) = operation else {
        return Vec::new();
    };
    let xids: HashMap<_, _> = content.nodes_in_post_order().map(|node| node.id()).zip(xids.iter()).collect();
    let path = |node: Node<'_>| {
        let way: Vec<Node<'_>> = std::iter::successors(Some(node), |node| node.parent())
            .take_while(|node| *node != content.root())
            .collect();
        way.iter().rev().fold(change.path.to_string(), |path, node| format!("{path}/{}", Label::of(*node)))
    };
    let mut found = Vec::new();
    for node in content.nodes() {
        let is_new = |path: &str, above: &str| is_along(path, pattern) && !is_along(above, pattern);
        let (here, xid) = (path(node), xids[&node.id()]);
        if node != content.root() && is_new(&here, &path(node.parent().expect("it is below the root"))) {
            found.push((change.kind, here.clone(), xid));
        }
        for attribute in node.attributes() {
            let there = format!("{here}/{}", Label::attribute(attribute.name().local));
            if is_new(&there, &here) {
                found.push((change.kind, there, xid));
            }
        }
    }
    found
}

#[test]
fn no_place_and_no_kind_is_lost() {
    let Some(corpus) = support::corpus() else { return };
    let filters: [(Kinds, &[&str]); 7] = [
        (Kinds::ALL, &["p"]),
        (Kinds::ALL, &["@*"]),
        (Kinds::from(Kind::Update), &["text()"]),
        (Kinds::of([Kind::Insert, Kind::Delete]), &["*", "li"]),
        (Kinds::ALL, &["a", "@href"]),
        (Kinds::from(Kind::Attribute), &["*", "*", "*", "@*"]),
        (Kinds::of([Kind::Move, Kind::Doctype]), &["body", "*"]),
    ];
    let mut found_in_all = [0; 7];
    for page in support::pages(&corpus) {
        for taken in page.steps() {
            let Ok(all) = matching(&taken.bytes, &Filter::default()) else { continue };
            assert_eq!(all.len(), taken.delta.operations().len());
            for (at, (kinds, pattern)) in filters.iter().enumerate() {
                let filter = Filter::new(*kinds, Some(pattern.join("/").parse().expect("a pattern")), None);
                let found = matching(&taken.bytes, &filter).expect("changes");
                let of_kinds = all.iter().zip(taken.delta.operations()).filter(|(change, _)| kinds.has(change.kind));
                let expected: Vec<Place> =
                    of_kinds.flat_map(|(change, operation)| meant(change, operation, pattern)).collect();
                let place = |change: &Change| (change.kind, change.path.to_string(), change.xid);
                assert_eq!(found.iter().map(place).collect::<Vec<_>>(), expected, "{pattern:?} in {}", page.name);
                found_in_all[at] += found.len();
            }
        }
    }
    assert!(found_in_all.iter().all(|found| *found > 0), "{found_in_all:?}");
}
