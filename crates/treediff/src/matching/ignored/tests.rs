use std::convert::Infallible;
use std::sync::Arc;

use super::*;
use crate::delta::{self, Delta};
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
