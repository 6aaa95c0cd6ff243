use super::*;
use crate::delta::Options;
use crate::parse::Limits;
use crate::tree::Format;
use crate::{matching, parse, select};

fn parsed(source: &str) -> Arc<Document> {
    let format = if source.starts_with(['{', '[']) { Format::Json } else { Format::Xml };
    let parsed = parse::parse(source.as_bytes().to_vec(), format, &Default::default()).unwrap();
    Arc::new(parsed.document.with_sorted_members())
}

/// The version that is left, and the number of operations that lead to it; the delta has to apply as any other.
#[track_caller]
fn check(before: &str, after: &str, ignored: &str, expected: &str, operations: usize) {
    let (before, after) = (parsed(before), parsed(after));
    let matching = matching::xydiff(&before, &after, &Default::default());
    let delta = Delta::between(&before, &after, &matching, &Options::default()).unwrap();
    let [in_before, in_after] = [&before, &after].map(|side| select::xpath(side, ignored).unwrap().into_nodes());
    let found = delta.ignoring(&before, &after, [&in_before, &in_after], &Default::default()).unwrap();
    assert_eq!(found.after.source(), expected);
    assert_eq!(found.delta.operations().len(), operations, "{}", found.delta.to_xydelta());
    let read = Delta::read(found.delta.to_xydelta(), &Limits::default()).unwrap();
    let patched = read.apply(&before, &ApplyOptions::default()).unwrap();
    assert!(patched.document.root().same_content(found.after.root()));
    let back = read.inverted().apply(&patched.document, &ApplyOptions::default()).unwrap();
    assert!(back.document.root().same_content(before.root()));
}

#[test]
fn values() {
    check("<a><b>1</b></a>", "<a><b>2</b></a>", "//b", "<a><b>1</b></a>", 0);
    check("<a><b>1</b><c>1</c></a>", "<a><b>2</b><c>2</c></a>", "//b", "<a><b>1</b><c>2</c></a>", 1);
    check("<a x='1' y='1'/>", "<a x='2' y='2'/>", "//@x", "<a x='1' y=\"2\"/>", 1);
    check("<a x='1'/>", "<a y='2'/>", "//@*", "<a x='1'/>", 0);
    check(r#"{"a":1,"b":2}"#, r#"{"a":3,"b":4}"#, "/*/a", r#"{"a":1,"b":4}"#, 1);
}

#[test]
fn what_comes_and_goes() {
    check(
        "<a><k/><ad>one</ad></a>",
        "<a><k/><ad>one</ad><ad><b>two</b></ad></a>",
        "//ad",
        "<a><k/><ad>one</ad></a>",
        0,
    );
    check("<a><ad/><b/><c/></a>", "<a><b/><c/><d>new</d></a>", "//ad", "<a><ad/><b/><c/><d>new</d></a>", 1);
    check("<a><b/><c/></a>", "<a><ad>x</ad><b/><ad>y</ad><d>new</d><c/></a>", "//ad", "<a><b/><d>new</d><c/></a>", 1);
    check(
        "<a><b><x/>one</b><c/></a>",
        "<a><b>two<y/><z/></b><c/><d>new</d></a>",
        "//b",
        "<a><b><x/>one</b><c/><d>new</d></a>",
        1,
    );
    check(r#"{"a":1,"c":3}"#, r#"{"b":[2],"c":3,"d":4}"#, "/*/b", r#"{"c":3,"d":4}"#, 2);
}

#[test]
fn what_moves() {
    check(
        "<a><s><p>heavy text one</p><p>heavy text two</p></s><e/></a>",
        "<a><s><p>heavy text two</p><p>heavy text one</p></s><e/><f>new</f></a>",
        "//s",
        "<a><s><p>heavy text one</p><p>heavy text two</p></s><e/><f>new</f></a>",
        1,
    );
    // It leaves the ignored part, so it counts.
    check(
        "<a><s><p><b>one</b><b>two</b><b>three</b><b>four</b></p><q/></s><t/></a>",
        "<a><s><q/></s><t><p><b>one</b><b>two</b><b>three</b><b>four</b></p></t></a>",
        "//s",
        "<a><s><q/></s><t><p><b>one</b><b>two</b><b>three</b><b>four</b></p></t></a>",
        1,
    );
}

/// What moves takes along what stays in it.
#[test]
fn maps_of_what_moves_are_counted_anew() {
    check(
        "<a><s><big>a long text that is found again</big><ad>1</ad></s><t><k/></t></a>",
        "<a><s/><t><k/><m/></t><s2/></a>",
        "//ad",
        "<a><s><ad>1</ad></s><t><k/><m/></t><s2/></a>",
        3,
    );
    check(
        "<a><b><s><big>a long text that is found again</big><ad>one</ad><p>other text of weight</p></s></b><t/></a>",
        "<a><b/><t><s><big>a long text that is found again</big><p>other text of weight</p></s></t></a>",
        "//ad",
        "<a><b></b><t><s><big>a long text that is found again</big><ad>one</ad><p>other text of weight</p></s></t></a>",
        1,
    );
}

#[test]
fn document_types() {
    let check = |before: &str, after: &str, expected: &str, operations: usize| {
        let (before, after) = (parsed(before), parsed(after));
        let matching = matching::xydiff(&before, &after, &Default::default());
        let delta = Delta::between(&before, &after, &matching, &Options::default()).unwrap();
        let found = delta.ignoring_doctype(&before, &after, &Default::default()).unwrap();
        assert_eq!(found.after.source(), expected);
        assert_eq!(found.delta.operations().len(), operations, "{}", found.delta.to_xydelta());
        let patched = found.delta.apply(&before, &ApplyOptions::default()).unwrap();
        assert_eq!(patched.document.source(), expected);
    };
    check("<!DOCTYPE a><a>1</a>", "<!DOCTYPE a SYSTEM 'x'><a>2</a>", "<!DOCTYPE a><a>2</a>", 1);
    check("<a>1</a>", "<!DOCTYPE a><a>1</a>", "<a>1</a>", 0);
    check("<!DOCTYPE a><a>1</a>", "<!DOCTYPE a><a>2</a>", "<!DOCTYPE a><a>2</a>", 1);
}
