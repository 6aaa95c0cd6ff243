use std::convert::Infallible;
use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::delta::{self, ApplyOptions, Delta};
use crate::matching::Algorithm;
use crate::tree::Format;
use crate::{parse, select};

fn parsed(source: &str) -> Arc<Document> {
    let format = if source.starts_with(['{', '[']) { Format::Json } else { Format::Xml };
    let parsed = parse::parse(source.as_bytes().to_vec(), format, &Default::default()).unwrap();
    Arc::new(parsed.document.with_sorted_members())
}

/// How many operations are left with each algorithm, where some is ignored.
fn left(before: &str, after: &str, ignored: &str) -> Vec<usize> {
    let (before, after) = (parsed(before), parsed(after));
    let [in_before, in_after] = [&before, &after].map(|side| select::xpath(side, ignored).unwrap().into_nodes());
    let parts = [in_before.as_slice(), in_after.as_slice()];
    let left = |algorithm: Algorithm| {
        let matcher = |before: &Document, after: &Document, options: &Options| {
            Ok::<_, Infallible>(algorithm.matching(before, after, options))
        };
        let matching = ignoring(&before, &after, parts, &Options::default(), matcher).unwrap();
        for (one, other) in matching.pairs() {
            let (one, other) = (before.node(one), after.node(other));
            assert_eq!((one.kind(), one.name()), (other.kind(), other.name()));
            assert!(!matching.is_same(other.id()) || one.same_content(other), "{algorithm}: {one:?}");
        }
        let delta = Delta::between(&before, &after, &matching, &delta::Options::default()).unwrap();
        delta.ignoring(&before, &after, parts, &Default::default()).unwrap().delta.operations().len()
    };
    Algorithm::ALL.into_iter().map(left).collect()
}

#[test]
fn what_is_ignored_makes_no_strangers() {
    let none = [0; Algorithm::ALL.len()];
    let items =
        ["<r><i s='1'><n>a</n></i><i s='2'><n>b</n></i></r>", "<r><i s='2'><n>a</n></i><i s='1'><n>b</n></i></r>"];
    assert_eq!(left(items[0], items[1], "//i/@s"), none);
    assert_eq!(left(items[0], items[1], "//i/@s | //n"), none);
    let feed = [
        "<f><i><d>Mon 1</d><t>A</t></i><i><d>Tue 2</d><t>B</t></i></f>",
        "<f><i><d>Tue 2</d><t>A</t></i><i><d>Wed 3</d><t>B</t></i></f>",
    ];
    assert_eq!(left(feed[0], feed[1], "//d"), none);
    let members = [r#"[{"at":1,"n":"a"},{"at":2,"n":"b"}]"#, r#"[{"at":2,"n":"a"},{"at":1,"n":"b","by":[1]}]"#];
    assert_eq!(left(members[0], members[1], "//at | //by"), none);
    // What is heavy and ignored has nothing move around it.
    let heavy = "<d>a long text that weighs more than all the others</d>";
    assert_eq!(left(&format!("<a>{heavy}<x/><y/></a>"), &format!("<a><x/><y/>{heavy}</a>"), "//d"), none);
    assert_eq!(left("<a><b/></a>", "<c/>", "/*"), none);
}

#[test]
fn what_counts_is_still_told() {
    let one = [1; Algorithm::ALL.len()];
    assert_eq!(left("<a><i t='1'>x</i><j/><l/>y</a>", "<a><i t='2'>x</i><j/><l/>y<k/></a>", "//@t"), one);
    assert_eq!(left("<a><d>1</d><i>x</i><j>y</j></a>", "<a><d>2</d><i>x</i><j>y</j><d>3</d><k/></a>", "//d"), one);
}

/// A delta that leaves something out leads to a document with one root, as any other does; what it leads to.
fn led_to(before: &str, after: &str, ignored: &str, algorithm: Algorithm, without_moves: bool) -> String {
    let (before, after) = (parsed(before), parsed(after));
    let [in_before, in_after] = [&before, &after].map(|side| select::xpath(side, ignored).unwrap().into_nodes());
    let parts = [in_before.as_slice(), in_after.as_slice()];
    let options = Options { without_moves, ..Default::default() };
    let matching = ignoring(&before, &after, parts, &options, |before, after, options| {
        Ok::<_, Infallible>(algorithm.matching(before, after, options))
    });
    let options = delta::Options { without_moves, ..Default::default() };
    let delta = Delta::between(&before, &after, &matching.unwrap(), &options).unwrap();
    let [led_to, recovered] = [false, true].map(|recover| {
        let options = ApplyOptions { recover, ..Default::default() };
        let delta = delta.ignoring(&before, &after, parts, &options).unwrap().delta;
        let read = Delta::read(delta.to_xydelta(), &Default::default()).unwrap();
        let patched = read.apply(&before, &Default::default()).unwrap().document;
        let is_root = |node: &Node<'_>| !matches!(node.kind(), Kind::Comment | Kind::ProcessingInstruction);
        assert_eq!(patched.root().children().filter(is_root).count(), 1);
        let back = read.inverted().apply(&patched, &Default::default()).unwrap().document;
        assert!(back.root().same_content(before.root()));
        patched.source().to_owned()
    });
    // What is well-formed does not come to be otherwise by reading over faults.
    assert_eq!(led_to, recovered);
    led_to
}

/// What each algorithm leads to, with moves and without.
#[track_caller]
fn check_led_to(before: &str, after: &str, ignored: &str, expected: &[&str]) {
    for algorithm in Algorithm::ALL {
        for without_moves in [false, true] {
            let led_to = led_to(before, after, ignored, algorithm, without_moves);
            assert!(expected.contains(&&*led_to), "{algorithm}, without moves: {without_moves}: {led_to}");
        }
    }
}

#[test]
fn a_root_goes_where_another_comes() {
    check_led_to("<r/>", "<a/>", "//a", &["<a/>"]);
    check_led_to("<r/>", "<a/>", "//r", &["<a/>"]);
    check_led_to("<r/>", "<a/>", "/*", &["<r/>"]);
    let turned = ["<r><m><x/></m></r>", "<m><r/><x/></m>"];
    check_led_to(turned[0], turned[1], "//m", &[turned[1], "<m><x/></m>"]);
    check_led_to(turned[0], turned[1], "//r", &[turned[1], "<m><x/></m>"]);
    check_led_to(r#"{"a":1}"#, "[1]", "/*[not(a)]", &["[1]"]);
    check_led_to("<!--a--><r><b/></r>", "<a/><!--b-->", "//a | //comment()", &["<!--a--><a/>", "<a/><!--a-->"]);
}

fn content(names: &'static str) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![names.prop_map(|name| format!("<{name} k='1'/>")), "[xy]", Just("<!--x-->".to_owned())];
    leaf.prop_recursive(3, 12, 4, move |inner| {
        (names, prop::collection::vec(inner, 0..4))
            .prop_map(|(name, children)| format!("<{name}>{}</{name}>", children.concat()))
    })
}

fn document() -> impl Strategy<Value = String> {
    ("[rma]", prop::collection::vec(content("[rma]"), 0..4), any::<[bool; 2]>()).prop_map(|(root, children, beside)| {
        let [front, behind] = beside.map(|is_there| if is_there { "<!--x-->" } else { "" });
        format!("{front}<{root}>{}</{root}>{behind}", children.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn whatever_is_ignored_one_root_is_left(
        before in document(),
        after in document(),
        ignored in prop::sample::select(vec!["//r", "//a", "//m/*", "/*", "/a | //r", "//@k", "//comment()", "//text()"]),
    ) {
        for algorithm in Algorithm::ALL {
            for without_moves in [false, true] {
                led_to(&before, &after, ignored, algorithm, without_moves);
            }
        }
    }
}

/// What is selected on one side alone is ignored with what it became.
#[test]
fn what_is_ignored_on_one_side_is_not_there_twice() {
    let none = [0; Algorithm::ALL.len()];
    assert_eq!(
        left("<a><p>0</p><q>1</q><r>2</r><s>3</s></a>", "<a><p>5</p><q>1</q><r>2</r><s>3</s></a>", "//p[. = 0]"),
        none
    );
    assert_eq!(
        left("<a><p>5</p><q>1</q><r>2</r><s>3</s></a>", "<a><p>0</p><q>1</q><r>2</r><s>3</s></a>", "//p[. = 0]"),
        none
    );
}
