use super::*;
use crate::matching::{Algorithm, goodmatch};
use crate::parse;
use crate::select::{self, Paths, Value};
use crate::tree::Format;

/// What a line about every selected node says: its path before, its fate, its path after, the share.
fn told(before: &str, after: &str, expression: &str) -> Vec<String> {
    let read = |source: &str| parse::parse(source, Format::Xml, &Default::default()).unwrap().document;
    let (before, after) = (read(before), read(after));
    let Value::NodeSet(selected) = select::xpath(&before, expression).unwrap() else { panic!("nodes") };
    let nodes: Vec<NodeId> = selected
        .iter()
        .filter_map(|selected| match selected {
            select::Selected::Node(node) => Some(node.id()),
            _ => None,
        })
        .collect();
    let options = Options::default();
    let matching = goodmatch(&before, &after, &options);
    let none = Default::default();
    let located = locate(&before, &after, &matching, &options, &nodes);
    let line = |located: &Located| {
        let node = before.node(located.before);
        let from = Paths::to([node], &before, &none).xpath(node);
        let to =
            located.after.map_or("-".to_owned(), |id| Paths::to([after.node(id)], &after, &none).xpath(after.node(id)));
        assert!((0.0..=1.0 + 1e-9).contains(&located.criterion) && located.criterion <= located.share + 1e-9);
        format!("{from} {:?} {to} {:.2}", located.fate, located.share)
    };
    located.iter().map(line).collect()
}

#[test]
fn what_did_not_change_is_where_it_was_although_others_came() {
    let before = "<r><p>one two</p><q>three four</q></r>";
    assert_eq!(told(before, before, "//q"), ["/r/q Unchanged /r/q 1.00"]);
    let after = "<r><q>new words</q><p>one two</p><q>three four</q></r>";
    assert_eq!(told(before, after, "//q"), ["/r/q Unchanged /r/q[2] 1.00"]);
    assert_eq!(told(before, after, "/"), ["/ Changed / 1.00"]);
}

#[test]
fn what_is_in_something_that_moved_has_moved() {
    let before = "<r><a><l><i>the first item</i><i>the second item</i></l></a><b/></r>";
    let after = "<r><a/><b><l><i>the first item</i><i>the second one</i></l></b></r>";
    assert_eq!(
        told(before, after, "//l | //i"),
        [
            "/r/a/l MovedAndChanged /r/b/l 1.00",
            "/r/a/l/i[1] Moved /r/b/l/i[1] 1.00",
            "/r/a/l/i[2] MovedAndChanged /r/b/l/i[2] 1.00"
        ]
    );
}

#[test]
fn what_went_past_its_siblings_has_moved() {
    let before = "<r><a>some heavy words that stay here</a><b>light</b><c>other heavy words that stay</c></r>";
    let after = "<r><b>light</b><a>some heavy words that stay here</a><c>other heavy words that stay</c></r>";
    assert_eq!(
        told(before, after, "/r/*"),
        ["/r/a Unchanged /r/a 1.00", "/r/b Moved /r/b 1.00", "/r/c Unchanged /r/c 1.00"]
    );
}

#[test]
fn what_is_gone_has_left_its_leaves_somewhere() {
    let before = "<r><s><p>one two three</p><p>four five six</p><p>seven eight nine</p></s><t>end</t></r>";
    let after = "<r><d><p>one two three</p><p>four five six</p></d><t>end</t></r>";
    let found = told(before, after, "//s | //s/p[3]");
    assert_eq!(found, ["/r/s Gone /r/d 0.62", "/r/s/p[3] Gone - 0.00"]);
    assert_eq!(told("<r><s>one two</s></r>", "<r><t>other</t></r>", "//s"), ["/r/s Gone - 0.00"]);
}

#[test]
fn nodes_in_one_another_are_summed_without_looking_twice() {
    const DEPTH: usize = 20_000;
    let chain = |leaf: &str| format!("{}{leaf}{}", "<a>x<b/>".repeat(DEPTH), "</a>".repeat(DEPTH));
    let read = |source: String| parse::xml(source, &Default::default()).unwrap().document;
    let (before, after) = (read(chain("one")), read(chain("two")));
    let nodes: Vec<NodeId> = before.nodes().map(Node::id).collect();
    let options = Options::default();
    let matching = Algorithm::Xydiff.matching(&before, &after, &options);
    let located = locate(&before, &after, &matching, &options, &nodes);
    assert!(located.iter().all(|located| located.share > 0.99));
    let changed = located.iter().filter(|located| located.fate == Fate::Changed).count();
    assert_eq!(changed, DEPTH + 2);
}
