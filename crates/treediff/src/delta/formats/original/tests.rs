//! Deltas in the two formats of the original, for documents of our own, and what they make of them.

use std::fmt::Write;

use super::*;
use crate::delta::document_hash;
use crate::delta::formats::sample::read as document;
use crate::delta::formats::summary;

const STAFF: &str = "<g>\n<p a=\"1\"><n>Ann</n><t>12</t></p>\n<p><n>Bob</n></p>\n</g>";

/// The delta in a few words; what it leads to has been compared with `after`.
#[track_caller]
fn check(before: &str, delta: &str, after: &str, whitespace: Whitespace, expected: &[&str]) -> Delta {
    let (before, after) = (document(before, whitespace), document(after, whitespace));
    let options = Options { whitespace, ..Options::default() };
    let delta = super::read(delta, &before, &options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(delta.from_hash(), document_hash(&before));
    assert_eq!(delta.to_hash(), document_hash(&after));
    assert_eq!(delta.whitespace(), whitespace);
    let mut told = String::new();
    summary(&delta, &before, &after, &mut told).unwrap();
    assert_eq!(told.lines().collect::<Vec<_>>(), expected);
    let patched = delta.apply(&before, &Default::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(patched.document.root().same_content(after.root()));
    // It must be one that can be written and read again, with all the checks that are made then.
    assert!(Delta::read(delta.to_xydelta(), &Limits::default()).unwrap().same_as(&delta));
    delta
}

fn of_2001(operations: &str) -> String {
    format!("<?xml version=\"1.0\"?>\n<unit_delta><t from=\"a.xml\" to=\"b.xml\">{operations}</t></unit_delta>")
}

fn of_later(attributes: &str, operations: &str) -> String {
    let namespace = "xmlns:xy=\"urn:schemas-xydiff:xydelta\"";
    format!("<xy:unit_delta {namespace}>\n  <xy:t {attributes}>\n{operations}\n  </xy:t>\n</xy:unit_delta>")
}

#[test]
fn every_operation_of_2001_is_read() {
    let operations = r#"<au a="a" ov="1" nv="2" xid="6"/><ai a="b" v="3" xid="10"/>
        <d xm="(11)" par="12" pos="5">
</d><d xm="(5)" par="6" pos="2" move="yes"/><d xm="(2)" par="3" pos="1" update="yes">Ann</d>
        <i xm="(13)" par="3" pos="1" update="yes">Anna</i><i xm="(14-15)" par="10" pos="1"><e>x</e></i>
        <i xm="(5)" par="10" pos="3" move="yes"/>"#;
    let after = "<g>\n<p a=\"2\"><n>Anna</n></p>\n<p b=\"3\"><e>x</e><n>Bob</n><t>12</t></p></g>";
    let expected = [
        "6 changes: 1 deleted, 1 inserted, 1 moved, 1 updated, 2 attributes; edit cost 7",
        "deleted /g/text()[3]: \"\\n\"",
        "inserted /g/p[2]/e (2 nodes): \"x\"",
        "moved /g/p[1]/t → /g/p[2]/t",
        "updated /g/p[1]/n: \"Ann\" → \"Anna\"",
        "updated /g/p[1]/@a: \"1\" → \"2\"",
        "inserted /g/p[2]/@b: \"3\"",
    ];
    let delta = check(STAFF, &of_2001(operations), after, Whitespace::Exact, &expected);
    assert_eq!(delta.from_xids().to_string(), "(1-12)");
    assert_eq!(delta.to_xids().to_string(), "(1-3;6-7;14-15;8-9;4-5;10;12)");
    assert_eq!(delta.next_xid(), Xid(16));
}

#[test]
fn what_moves_out_of_a_deleted_subtree_is_not_in_it() {
    let operations = r#"<d xm="(3)" par="6" pos="1" move="yes"/><d xm="(4-6)" par="12" pos="2"><p a="1"><t>12</t></p></d>
        <i xm="(3)" par="10" pos="1" move="yes"/>"#;
    let after = "<g>\n\n<p><n>Ann</n><n>Bob</n></p>\n</g>";
    let before = document(STAFF, Whitespace::Exact);
    let error =
        super::read(of_2001(operations), &before, &Options { whitespace: Whitespace::Exact, ..Options::default() });
    // Two texts side by side are two nodes to the original and one to everybody who reads the result.
    assert!(error.unwrap_err().to_string().contains("read differently"));
    let operations = operations.replace("<d xm=\"(3)\"", "<d xm=\"(7)\" par=\"12\" pos=\"3\">\n</d><d xm=\"(3)\"");
    let after = after.replacen("\n\n", "\n", 1);
    let expected = [
        "3 changes: 2 deleted, 1 moved; edit cost 5",
        "deleted /g/p[1] (3 nodes): \"12\"",
        "deleted /g/text()[2]: \"\\n\"",
        "moved /g/p[1]/n → /g/p/n[1]",
    ];
    check(STAFF, &of_2001(&operations), &after, Whitespace::Exact, &expected);
}

#[test]
fn every_operation_of_the_later_format_is_read() {
    // Ann 1, n 2, 12 3, t 4, p 5, Bob 6, n 7, p 8, g 9: white space has no numbers.
    let operations = r#"
    <xy:au a="a" ov="1" nv="2" xid="5"/>
    <xy:ad a="a" v="2" xid="5"/>
    <xy:ai a="b" v="3" xid="8"/>
    <xy:u par="2" pos="1" oldxm="(1)" newxm="(10)"><xy:tr pos="0" len="1">H</xy:tr><xy:ti pos="3">ah</xy:ti></xy:u>
    <xy:d par="5" pos="2" xm="(4)" move="yes"/>
    <xy:i par="9" pos="2" xm="(11-13)">
      <e>
        <f>x</f>
      </e>
    </xy:i>
    <xy:i par="8" pos="2" xm="(4)" move="yes"/>"#;
    let after = "<g>\n<p><n>Hnnah</n></p><e><f>x</f></e>\n<p b=\"3\"><n>Bob</n><t>12</t></p>\n</g>";
    let expected = [
        "5 changes: 1 inserted, 1 moved, 1 updated, 2 attributes; edit cost 7",
        "inserted /g/e (3 nodes): \"x\"",
        "moved /g/p[1]/t → /g/p[2]/t",
        "updated /g/p[1]/n: \"Ann\" → \"Hnnah\"",
        "deleted /g/p[1]/@a: \"1\"",
        "inserted /g/p[2]/@b: \"3\"",
    ];
    // The map that such deltas have is that of the version after.
    let header = r#"IgnoreBlankTexts="yes" fromXidMap="(10;2;5;11-13;6-7;3-4;8-9|14)""#;
    let layout = check(STAFF, &of_later(header, operations), after, Whitespace::Layout, &expected);
    assert_eq!(layout.to_xids().to_string(), "(1-2;5;11-13;6-7;3-4;8-9)");
    assert_eq!(layout.next_xid(), Xid(14));
    check(STAFF, &of_later(header, operations), after, Whitespace::Exact, &expected);
    // One that is right is taken.
    let shifted = operations.replace("oldxm=\"(1)\"", "oldxm=\"(21)\"").replace("(10)", "(40)");
    let header = "fromXidMap=\"(21;2-9|40)\"";
    let delta = check(STAFF, &of_later(header, &shifted), after, Whitespace::Layout, &expected);
    assert_eq!(delta.from_xids().to_string(), "(21;2-9)");
    assert_eq!(delta.next_xid(), Xid(40));
}

#[test]
fn characters_are_counted_as_the_original_does() {
    let operations =
        r#"<xy:u par="2" pos="1" oldxm="(1)" newxm="(1)"><xy:td pos="2" len="2"/><xy:ti pos="5">!</xy:ti></xy:u>"#;
    let expected = ["1 change: 1 updated; edit cost 1", "updated /a: \"𝄞ab c\" → \"𝄞 !c\""];
    check("<a>𝄞ab c</a>", &of_later("", operations), "<a>𝄞 !c</a>", Whitespace::Layout, &expected);
}

#[test]
fn a_root_element_may_get_another_name() {
    let operations = r#"<xy:renameRoot from="a" to="p:b"/>"#;
    let expected = [
        "3 changes: 1 deleted, 1 inserted, 1 moved; edit cost 3",
        "deleted /a",
        "inserted /p:b",
        "moved /a/c → /p:b/c",
    ];
    let [before, after] = ["<a xmlns:p='u' x='1'><c/></a>", "<p:b xmlns:p='u' x='1'><c/></p:b>"];
    let delta = check(before, &of_later("", operations), after, Whitespace::Layout, &expected);
    assert_eq!(delta.to_xids().to_string(), "(1;3)");
    // Only the last name counts, and until then the root is who it was.
    let steps = "<unit_delta><t><renameRoot from='a' to='x'/><ai a='y' v='2' xid='2'/><renameRoot from='x' to='z'/></t>
        <t><d par='2' pos='1' xm='(1)'><c/></d><renameRoot from='z' to='b'/></t></unit_delta>";
    let expected = ["2 changes: 1 deleted, 1 inserted; edit cost 3", "deleted /a (2 nodes)", "inserted /b"];
    check("<a x='1'><c/></a>", steps, "<b x='1' y='2'/>", Whitespace::Layout, &expected);
}

#[test]
fn many_attributes_and_names_are_no_trouble() {
    let mut operations = String::new();
    let mut after = String::from("<z");
    for number in 0..20_000 {
        write!(operations, "<ai a='k{number}' v='1' xid='1'/><au a='k{number}' ov='1' nv='2' xid='1'/>").unwrap();
        write!(operations, "<renameRoot from='a' to='z'/>").unwrap();
        write!(after, " k{number}='2'").unwrap();
    }
    after.push_str("/>");
    let before = document("<a/>", Whitespace::Layout);
    let delta = super::read(of_2001(&operations), &before, &Options::default()).unwrap();
    assert_eq!(delta.to_hash(), document_hash(&document(&after, Whitespace::Layout)));
}

/// Of several faults the first one is told, however often one asks.
#[test]
fn faults_are_told_in_the_order_of_the_script() {
    let source = format!("<a>{}</a>", "<b/>".repeat(40));
    let before = document(&source, Whitespace::Exact);
    let check = |operation: &dyn Fn(u32) -> String, expected: &str| {
        let operations: String = (1..=40).map(operation).collect();
        let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
        let error = super::read(of_2001(&operations), &before, &options).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(
        &|n| format!("<d xm='({n})' par='41' pos='{n}'><c/></d>"),
        "operation 1 (d, line 2): what is at node 1 is not what the operation says",
    );
    check(
        &|n| format!("<d xm='({n})' par='41' pos='{n}' move='yes'/>"),
        "operation 1 (d, line 2): node 1 moves, and the other half of the move is missing",
    );
    check(
        &|n| format!("<i xm='({})' par='{}' pos='2'><c/></i>", n + 100, 41 - n),
        "operation 1 (i, line 2): position 2 is taken, or beyond the 0 children that node 40 has then",
    );
    check(
        &|n| format!("<i xm='({})' par='{n}' pos='1' update='yes'>x</i>", n + 100),
        "operation 1 (i, line 2): the update has no other half at position 1 below node 1",
    );
}

#[test]
fn identities_do_not_run_out() {
    let before = document("<a><b/></a>", Whitespace::Layout);
    let read = |next: u64, xid: u64| {
        let header = format!("fromXidMap=\"(1-2|{next})\"");
        let operation = format!("<xy:i par=\"2\" pos=\"1\" xm=\"({xid})\"><c/></xy:i>");
        super::read(of_later(&header, &operation), &before, &Options::default())
    };
    for (next, xid) in [(u64::MAX, 3), (u64::MAX - 1, 3), (u64::MAX - 3, 3), (3, u64::MAX - 1)] {
        let error = read(next, xid).unwrap_err().to_string();
        assert!(error.contains("which leaves too few for what is new"), "{error}");
    }
    let delta = read(u64::MAX - 10, 3).unwrap();
    assert!(Delta::read(delta.to_xydelta(), &Limits::default()).unwrap().same_as(&delta));
}

#[test]
fn several_versions_are_one_delta() {
    let steps = r#"<unit_delta><t><i par="2" pos="2" xm="(3-4)"><c>x</c></i></t>
        <t><d par="4" pos="1" update="yes" xm="(3)">x</d><i par="4" pos="1" update="yes" xm="(5)">y</i></t>
        <t><d par="2" pos="1" xm="(1)"><b/></d><d par="4" pos="1" xm="(5)">y</d></t></unit_delta>"#;
    let expected = ["2 changes: 1 deleted, 1 inserted; edit cost 2", "deleted /a/b", "inserted /a/c"];
    check("<a><b/></a>", steps, "<a><c/></a>", Whitespace::Exact, &expected);
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    let before = document(STAFF, Whitespace::Exact);
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    let check = |operations: &str, expected: &str| {
        let error = super::read(of_2001(operations), &before, &options).unwrap_err();
        assert_eq!(error.to_string(), expected, "{operations}");
    };
    let d = |fault: &str| format!("operation 1 (d, line 2): {fault}");
    check("<d xm='(2-3)' par='6' pos='2'><n>Ann</n></d>", &d("node 3 is not at position 2 below node 6"));
    check("<d xm='(2-3)' par='7' pos='1'><n>Ann</n></d>", &d("node 3 is not at position 1 below node 7"));
    check("<d xm='(2-3)' par='6' pos='1'><n>Ann!</n></d>", &d("what is at node 3 is not what the operation says"));
    check("<d xm='(3)' par='6' pos='1'><n>Ann</n></d>", &d("1 XIDs are given for 2 nodes"));
    check("<d xm='(99)' par='6' pos='1'><n/></d>", &d("the document has no node 99"));
    check("<d xm='(3)' par='6' pos='0'><n/></d>", &d("found `0` as `pos`, expected a number from 1 on"));
    check("<d xm='(3' par='6' pos='1'><n/></d>", &d("`(3` is no XID map, expected runs such as `(1-7;9)`"));
    check("<d par='6' pos='1'><n/></d>", &d("attribute `xm` is missing"));
    check("<d xm='(3)' par='6' pos='1'/>", &d("found 0 nodes as content, expected one subtree"));
    check("<d xm='(3)' par='6' pos='1' move='yes'/>", &d("node 3 moves, and the other half of the move is missing"));
    check(
        "<d xm='(2)' par='3' pos='1' update='yes'>Ann</d>",
        &d("the update has no other half at position 1 below node 3"),
    );
    let i = |fault: &str| format!("operation 1 (i, line 2): {fault}");
    check("<i xm='(3)' par='6' pos='1' move='yes'/>", &i("node 3 moves, and the other half of the move is missing"));
    check(
        "<i xm='(5)' par='6' pos='1'><e/></i>",
        &i("XID 5 is given to two nodes, or has two operations of this kind"),
    );
    check("<i xm='(20)' par='2' pos='1'><e/></i>", &i("node 2 is not of a kind that this can happen to"));
    check(
        "<i xm='(20)' par='6' pos='4'><e/></i>",
        &i("position 4 is taken, or beyond the 2 children that node 6 has then"),
    );
    check("<ad a='a' v='9' xid='6'/>", "operation 1 (ad, line 2): attribute `a` is not as the operation says");
    check("<ai a='x y' v='1' xid='6'/>", "operation 1 (ai, line 2): found `x y`, which is no name of an attribute");
    check("<x/>", "operation 1 (x, line 2): there is no such operation in the deltas of XyDiff");
    let nested = document("<a><b><c/></b></a>", Whitespace::Exact);
    let below_itself = "<d xm='(2)' par='3' pos='1' move='yes'/><i xm='(2)' par='1' pos='1' move='yes'/>";
    let error = super::read(of_2001(below_itself), &nested, &options).unwrap_err();
    assert_eq!(error.to_string(), "operation 2 (i, line 2): node 2 would come below itself");
    let error = super::read("<a/>", &before, &options).unwrap_err();
    assert_eq!(error.to_string(), "the delta: found the element `a`; expected a delta of XyDiff, `unit_delta` or `t`");
    let error = super::read("<unit_delta/>", &before, &options).unwrap_err();
    let expected = "the delta: found nothing in `unit_delta`; expected the operations from version to version, `t`";
    assert_eq!(error.to_string(), expected);
    let map = Some("(1-3)".parse().unwrap());
    let error = super::read(of_2001(""), &before, &Options { xids: map, ..options.clone() }).unwrap_err();
    let expected =
        "the delta: 3 XIDs are given for a document of 12 nodes; was it read with the white space that counted?";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn long_lists_are_no_trouble() {
    let mut source = String::from("<a>");
    let mut operations = String::new();
    for number in 1..=5000 {
        source.push_str("<b/>");
        let target = 5001 - number;
        write!(operations, "<d xm='({number})' par='5001' pos='{number}' move='yes'/>").unwrap();
        write!(operations, "<i xm='({number})' par='5001' pos='{target}' move='yes'/>").unwrap();
    }
    source.push_str("</a>");
    let before = document(&source, Whitespace::Layout);
    let delta = super::read(of_2001(&operations), &before, &Options::default()).unwrap();
    assert_eq!(delta.stats().moved_subtrees, 4999);
}
