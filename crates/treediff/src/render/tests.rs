use std::sync::Arc;

use super::*;
use crate::delta::{AttributeChange, AttributeName, Fragment, Operation, Place, Xid, XidMap};
use crate::parse::{self, Whitespace};
use crate::simulate::{Rates, simulate};
use crate::tree::{Format, NodeId};

fn parsed(source: &str) -> Arc<Document> {
    let format = if source.starts_with(['{', '[']) { Format::Json } else { Format::Xml };
    Arc::new(parse::parse(source.as_bytes().to_vec(), format, &Default::default()).unwrap().document)
}

/// A delta that somebody wrote by hand; what the nodes are called in `after` is given as a map.
fn delta(before: &Arc<Document>, after: &Document, to_xids: &str, operations: Vec<Operation>) -> Delta {
    let to_xids: XidMap = to_xids.parse().unwrap();
    assert_eq!(to_xids.len() as usize, after.len() - 1);
    Delta {
        format: before.format(),
        whitespace: Whitespace::Layout,
        from_hash: document_hash(before),
        to_hash: document_hash(after),
        from_xids: XidMap::first_version(before.len() - 1),
        next_xid: to_xids.max().unwrap_or(Xid::DOCUMENT).next(),
        fallbacks: Default::default(),
        to_xids,
        operations,
    }
}

#[track_caller]
fn check(before: &str, after: &str, to_xids: &str, operations: Vec<Operation>, expected: &str) {
    let options = Options { siblings: 1, ancestors: 2, text: 10, changed_text: 20 };
    let (before, after) = (parsed(before), parsed(after));
    let delta = delta(&before, &after, to_xids, operations);
    let found = TreeDiff::new(&before, &after, &delta, options).unwrap().to_string();
    assert_eq!(found.trim_end(), expected.trim_end(), "\n{found}");
}

fn place(parent: u64, position: u32) -> Place {
    Place { parent: Xid(parent), position }
}

/// Renderers look at the documents, not at payloads.
fn payload() -> Fragment {
    Fragment::new(parsed("<a/>"), NodeId::DOCUMENT, Vec::new())
}

fn delete(xids: &str, parent: u64, position: u32) -> Operation {
    Operation::Delete { place: place(parent, position), xids: xids.parse().unwrap(), content: payload() }
}

fn insert(xids: &str, parent: u64, position: u32) -> Operation {
    Operation::Insert { place: place(parent, position), xids: xids.parse().unwrap(), content: payload() }
}

fn moved(xids: &str, from: Place, to: Place) -> Operation {
    Operation::Move { from, to, xids: xids.parse().unwrap() }
}

fn update(node: u64, before: &str, after: &str) -> Operation {
    Operation::Update { node: Xid(node), before: before.to_owned(), after: after.to_owned() }
}

fn attribute(node: u64, name: &str, change: AttributeChange) -> Operation {
    let name = AttributeName { namespace: String::new(), prefix: String::new(), local: name.to_owned() };
    Operation::Attribute { node: Xid(node), name: name.into(), change }
}

#[test]
fn nothing_changed() {
    check("<a>x</a>", "<a>x</a>", "(1-2)", Vec::new(), "");
}

#[test]
fn what_came_and_what_went() {
    check(
        "<a><b>old</b><c/><d/></a>",
        "<a><c/><d/><e k='1'>new<f/></e></a>",
        "(3-4;6-8;5)",
        vec![delete("(1-2)", 5, 0), insert("(6-8)", 5, 2)],
        "
  <a>
-   <b>old</b>
    <c/>
    <d/>
+   <e k=\"1\">
+     new
+     <f/>
+   </e>
  </a>"
            .trim_start_matches('\n'),
    );
}

#[test]
fn siblings_further_off_are_left_out() {
    check(
        "<a><b/><c/><d/><e/><f/><g/><h/></a>",
        "<a><b/><c/><d/><x/><e/><f/><g/><h/></a>",
        "(1-3;9;4-8)",
        vec![insert("(9)", 8, 3)],
        "  <a>
    …
    <d/>
+   <x/>
    <e/>
    …
  </a>",
    );
    // To say that one is left out takes as much room as to show it.
    check(
        "<a><b/><c/><e/><f/></a>",
        "<a><b/><c/><x/><e/><f/></a>",
        "(1-2;6;3-5)",
        vec![insert("(6)", 5, 2)],
        "  <a>
    <b/>
    <c/>
+   <x/>
    <e/>
    <f/>
  </a>",
    );
}

#[test]
fn words_and_attributes_change_inside_of_lines() {
    check(
        "<a><b class='x y' lang='en'>the quick brown fox jumps over it</b><c/></a>",
        "<a><b class='x z' id='1'>the quick brown cat jumps over it</b><c/></a>",
        "(1-4)",
        vec![
            update(1, "the quick brown fox jumps over it", "the quick brown cat jumps over it"),
            attribute(2, "class", AttributeChange::Modify { before: "x y".into(), after: "x z".into() }),
            attribute(2, "id", AttributeChange::Insert("1".into())),
            attribute(2, "lang", AttributeChange::Delete("en".into())),
        ],
        "  <a>
~   <b class=\"x [-y-]{+z+}\" {+id=\"1\"+} [-lang=\"en\"-]>…ick brown [-fox-]{+cat+} jumps ove…</b>
    <c/>
  </a>",
    );
}

#[test]
fn moves_are_told_at_both_places() {
    check(
        "<a><b><c>one</c></b><d><e/></d></a>",
        "<a><b/><d><e/><c>two</c></d></a>",
        "(3;4;1-2;5-6)",
        vec![moved("(1-2)", place(3, 0), place(5, 1)), update(1, "one", "two")],
        "  <a>
    <b>
→     <c>one</c>  moved (1) to position 2 of /a/d
    </b>
    <d>
      <e/>
←     <c>[-one-]{+two+}</c>  moved (1) from position 1 of /a/b
    </d>
  </a>",
    );
    check(
        "<a><b/><c><x/></c></a>",
        "<a><c><x/></c><b/></a>",
        "(2-3;1;4)",
        vec![moved("(1)", place(4, 0), place(4, 1))],
        "  <a>
→   <b/>  moved (1) to position 2
    <c>…</c>
←   <b/>  moved (1) from position 1
  </a>",
    );
}

#[test]
fn what_moved_out_of_the_deleted_and_into_the_inserted() {
    check(
        "<a><b>gone<c/><!--old--></b></a>",
        "<a><d>come<c/></d></a>",
        "(6;2;7;5)",
        vec![delete("(1;3-4)", 5, 0), insert("(6-7)", 5, 0), moved("(2)", place(4, 1), place(7, 1))],
        "  <a>
-   <b>
-     gone
→     <c/>  moved (1) to position 2 of /a/d
-     <!--old-->
-   </b>
+   <d>
+     come
←     <c/>  moved (1) from position 2 of /a/b
+   </d>
  </a>",
    );
}

#[test]
fn ancestors_far_above_are_left_out() {
    check(
        "<a><n/><n/><b><c><n/><d><e><f><g>x</g></f></e></d><n/></c></b></a>",
        "<a><n/><n/><b><c><n/><d><e><f><g>y</g></f></e></d><n/></c></b></a>",
        "(1-12)",
        vec![update(4, "x", "y")],
        "  <a>
    …
    <f>
~     <g>[-x-]{+y+}</g>
    </f>
    …
  </a>",
    );
}

#[test]
fn json_looks_like_json() {
    check(
        r#"{"a":{"n":1,"s":"x"},"b":[1,2],"c":null}"#,
        r#"{"a":{"n":1.5,"s":"x"},"b":[1,2,{"k":"v"}],"c":null}"#,
        "(1-5;9-10;6-8)",
        vec![update(1, "1", "1.5"), insert("(9-10)", 6, 2)],
        r#"  {
    "a": {
~     "n": 1{+.5+}
      "s": "x"
    }
    "b": [
      1
      2
+     {
+       "k": "v"
+     }
    ]
    "c": null
  }"#,
    );
}

#[test]
fn documents_cannot_talk_to_the_terminal() {
    let (before, after) = ("<a><b>x \u{202e}y</b></a>", "<a><b>x \u{9b}y &lt;&amp; z</b></a>");
    check(
        before,
        after,
        "(1-3)",
        vec![update(1, "x \u{202e}y", "x \u{9b}y <& z")],
        "  <a>
~   <b>x [-\\u{202e}-]{+\\u{9b}+}y{+ &lt;&amp; z+}</b>
  </a>",
    );
}

#[test]
fn white_space_that_changed_can_be_seen() {
    check(
        "<a>two  words\n and more</a>",
        "<a>two words\n and more</a>",
        "(1-2)",
        vec![update(1, "two  words\n and more", "two words\n and more")],
        "~ <a>two[-␣␣-]{+␣+}words and…</a>",
    );
}

#[test]
fn the_document_type_declaration_comes_first() {
    let operation = Operation::Doctype { before: None, after: Some("<!DOCTYPE a>".to_owned()) };
    check("<a/>", "<!DOCTYPE a><a/>", "(1)", vec![operation], "+ <!DOCTYPE a>");
}

#[test]
fn a_delta_of_other_documents_is_refused() {
    let (before, after, other) = (parsed("<a/>"), parsed("<b/>"), parsed("<c/>"));
    let delta = delta(&before, &after, "(2)", Vec::new());
    assert!(TreeDiff::new(&before, &other, &delta, Options::default()).is_err());
    assert!(TreeDiff::new(&other, &after, &delta, Options::default()).is_err());
}

/// Whatever a delta says that has the right hashes: no panic, and an end.
#[test]
fn operations_that_cannot_be_are_passed_over() {
    let (before, after) = (parsed("<a><b/><c>t</c></a>"), parsed("<a><c>t</c></a>"));
    let operations = vec![
        delete("(77)", 99, 4_000_000_000),
        delete("(1)", 4, 4_000_000_000),
        delete("(1)", 2, 0),
        insert("(2)", 4, 7),
        insert("(4)", 2, 0),
        moved("(4)", place(4, 0), place(4, 0)),
        moved("(3)", place(3, 0), place(2, u32::MAX)),
        update(3, "no", "yes"),
        attribute(2, "k", AttributeChange::Delete("v".into())),
        attribute(0, "k", AttributeChange::Delete("v".into())),
        update(0, "", ""),
    ];
    let delta = delta(&before, &after, "(2-4)", operations);
    let diff = TreeDiff::new(&before, &after, &delta, Options::default()).unwrap();
    assert!(diff.to_string().lines().count() < 50);
}

/// One change below 200,000 levels and beside 200,000 siblings is a few lines.
#[test]
fn deep_and_wide_documents_are_short() {
    const MANY: usize = 200_000;
    let deep = |text: &str| format!("{}{text}{}", "<a>".repeat(MANY), "</a>".repeat(MANY));
    let (before, after) = (parsed(&deep("x")), parsed(&deep("y")));
    let one = delta(&before, &after, &format!("(1-{})", MANY + 1), vec![update(1, "x", "y")]);
    let shown = TreeDiff::new(&before, &after, &one, Options::default()).unwrap().to_string();
    assert!(shown.lines().count() < 30, "{shown}");
    let wide = |text: &str| format!("<a>{}<b>{text}</b></a>", "<n/>".repeat(MANY));
    let (before, after) = (parsed(&wide("x")), parsed(&wide("y")));
    let one = delta(&before, &after, &format!("(1-{})", MANY + 3), vec![update(MANY as u64 + 1, "x", "y")]);
    let shown = TreeDiff::new(&before, &after, &one, Options::default()).unwrap().to_string();
    assert_eq!(shown, "  <a>\n    …\n    <n/>\n    <n/>\n~   <b>[-x-]{+y+}</b>\n  </a>\n");
}

/// Whatever happens to a document: every move is told at both its places, and what is told is fit for a terminal.
#[test]
fn all_that_happened_is_told() {
    let source = "<a k='1'>x<b><c>one two</c><c/><d>three</d></b><e><f><g>four</g>five</f></e><h/><i>six</i></a>";
    let before = parsed(source);
    for seed in 0..200 {
        let rates = Rates { delete: 0.1, update: 0.3, insert: 0.2, moved: 0.2 };
        let made = simulate(&before, &rates, seed, &Default::default()).unwrap();
        let options = crate::delta::Options::default();
        let delta = Delta::between(&before, &made.document, &made.matching, &options).unwrap();
        let diff = TreeDiff::new(&before, &made.document, &delta, Options::default()).unwrap();
        let mut marks = Vec::new();
        let told: Result<(), ()> = diff.for_each_line(|line| {
            assert!(!line.to_string().chars().any(char::is_control));
            marks.push(line.mark);
            Ok(())
        });
        told.unwrap();
        let count = |mark: Mark| marks.iter().filter(|&&found| found == mark).count();
        let of_kind = |is: fn(&Operation) -> bool| delta.operations().iter().filter(|one| is(one)).count();
        let moves = of_kind(|one| matches!(one, Operation::Move { .. }));
        assert_eq!((count(Mark::MovedHere), count(Mark::MovedAway)), (moves, moves), "seed {seed}: {diff}");
        assert!(count(Mark::Inserted) >= of_kind(|one| matches!(one, Operation::Insert { .. })), "seed {seed}: {diff}");
        assert!(count(Mark::Deleted) >= of_kind(|one| matches!(one, Operation::Delete { .. })), "seed {seed}: {diff}");
    }
}
