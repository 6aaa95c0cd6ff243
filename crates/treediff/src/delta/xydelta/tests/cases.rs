//! How do deltas look?

use std::sync::Arc;

use super::{delta_between, parsed, round_trip};
use crate::delta::{ApplyOptions, Delta, Options, Xid};
use crate::matching::{Algorithm, Matching};
use crate::parse::{self, Whitespace};
use crate::tree::{Format, NodeId};

/// The operations between two versions, a line each.
fn check_in(format: Format, whitespace: Whitespace, before: &str, after: &str, expected: &[&str]) {
    let [before, after] = [before, after].map(|source| parsed(source, format, whitespace));
    let delta = delta_between(&before, &after, whitespace);
    assert_eq!(operations(&delta), expected.join("\n"));
}

/// The operations of a delta as they are written.
fn operations(delta: &Delta) -> String {
    let written = round_trip(delta);
    let root = written.find("xydelta xmlns").unwrap();
    let body = written[root..].split_once(">\n").unwrap().1;
    let (body, _) = body.rsplit_once("\n</").unwrap();
    body.trim_start().to_owned()
}

fn check(before: &str, after: &str, expected: &[&str]) {
    check_in(Format::Xml, Whitespace::Layout, before, after, expected);
}

#[test]
fn a_whole_delta() {
    let [before, after] =
        ["<a><b>x</b></a>", "<a><b>y</b><c/></a>"].map(|source| parsed(source, Format::Xml, Whitespace::Layout));
    let written = round_trip(&delta_between(&before, &after, Whitespace::Layout));
    let head = format!(
        "<xydelta xmlns=\"urn:deltaic:xydelta:1\" fromHash=\"{:016x}\" toHash=\"{:016x}\"",
        crate::delta::document_hash(&before),
        crate::delta::document_hash(&after)
    );
    assert_eq!(
        written,
        head + " fromXIDmap=\"(1-3)\" toXIDmap=\"(1-2;4;3)\">\n\
         <insert parentXID=\"3\" position=\"2\" DataXIDmap=\"(4)\"><c xmlns=\"\"/></insert>\n\
         <update nodeXID=\"1\"><OldText>x</OldText><NewText>y</NewText></update>\n\
  </xydelta>\n"
    );
}

/// The next identity is told where it does not follow from the maps: where one was given to a node that is gone.
#[test]
fn the_next_identity_is_told_where_it_must_be() {
    let [before, after] =
        ["<a><b/></a>", "<a><b/><c/></a>"].map(|source| parsed(source, Format::Xml, Whitespace::Layout));
    let plain = delta_between(&before, &after, Whitespace::Layout);
    assert!(!round_trip(&plain).contains("nextXID"));
    let later = Delta { next_xid: Xid(9), ..plain };
    assert!(round_trip(&later).contains(" toXIDmap=\"(1;3;2)\" nextXID=\"9\">\n"));
}

#[test]
fn namespaces_are_declared_where_they_are_needed() {
    check("<a/>", "<a><b/></a>", &[r#"<insert parentXID="1" position="1" DataXIDmap="(2)"><b xmlns=""/></insert>"#]);
    check(
        "<a xmlns='urn:d'/>",
        "<a xmlns='urn:d'><b><c xmlns=''/></b></a>",
        &[r#"<insert parentXID="1" position="1" DataXIDmap="(2-3)"><b xmlns="urn:d"><c xmlns=""/></b></insert>"#],
    );
    check(
        "<a xmlns:p='urn:p'/>",
        "<a xmlns:p='urn:p'><p:b q='1'><c p:d='2'/></p:b></a>",
        &[concat!(
            r#"<insert parentXID="1" position="1" DataXIDmap="(2-3)">"#,
            r#"<p:b xmlns:p="urn:p" q="1"><c xmlns="" p:d="2"/></p:b></insert>"#
        )],
    );
    check(
        "<a/>",
        "<a p:c='1' xmlns:p='urn:p' xml:lang='en' b='&quot;'/>",
        &[
            r#"<attr-insert nodeXID="1" attrName="b" attrValue='"'/>"#,
            r#"<attr-insert nodeXID="1" attrName="p:c" attrNS="urn:p" attrValue="1"/>"#,
            concat!(
                r#"<attr-insert nodeXID="1" attrName="xml:lang" attrNS="http://www.w3.org/XML/1998/namespace" "#,
                r#"attrValue="en"/>"#
            ),
        ],
    );
}

#[test]
fn layout_stays_and_white_space_that_counts_is_preserved() {
    check(
        "<a/>",
        "<a>\n <b>\n<c/>\n </b>\n</a>",
        &["<insert parentXID=\"1\" position=\"1\" DataXIDmap=\"(2-3)\"><b xmlns=\"\">\n<c/>\n </b></insert>"],
    );
    check(
        "<a/>",
        "<a> </a>",
        &[r#"<insert parentXID="1" position="1" DataXIDmap="(2)" xml:space="preserve"> </insert>"#],
    );
    check(
        "<a/>",
        "<a><b> </b></a>",
        &[r#"<insert parentXID="1" position="1" DataXIDmap="(2-3)"><b xmlns=""> </b></insert>"#],
    );
    check(
        "<a xml:space='preserve'/>",
        "<a xml:space='preserve'><b> <c/></b></a>",
        &[concat!(
            r#"<insert parentXID="1" position="1" DataXIDmap="(2-4)" xml:space="preserve">"#,
            r#"<b xmlns=""> <c/></b></insert>"#
        )],
    );
    check(
        "<a/>",
        "<a><b xml:space='preserve'> <c/></b></a>",
        &[
            r#"<insert parentXID="1" position="1" DataXIDmap="(2-4)"><b xmlns="" xml:space="preserve"> <c/></b></insert>"#,
        ],
    );
    check_in(
        Format::Xml,
        Whitespace::Exact,
        "<a/>",
        "<a><b> <c/></b></a>",
        &[r#"<insert parentXID="1" position="1" DataXIDmap="(2-4)"><b xmlns=""> <c/></b></insert>"#],
    );
}

/// An element that asks for the default again has no layout either where the operation says that there is none.
#[test]
fn no_layout_comes_back_below_what_is_preserved() {
    check(
        "<a xml:space='preserve'>x</a>",
        "<a xml:space='preserve'><b><c xml:space='default'> <d/></c> </b>x</a>",
        &[concat!(
            r#"<insert parentXID="2" position="1" DataXIDmap="(3-6)" xml:space="preserve">"#,
            r#"<b xmlns=""><c xml:space="default"><d/></c> </b></insert>"#
        )],
    );
}

/// What is read of a delta has the layout that was written, also beside what is escaped there.
#[test]
fn layout_stays_beside_what_is_escaped() {
    let check = |format: Format, before: &str, after: &str| {
        let options = parse::Options { recover: true, ..Default::default() };
        let [before, after] =
            [before, after].map(|source| Arc::new(parse::parse(source, format, &options).unwrap().document));
        let delta = delta_between(&before, &after, Whitespace::Layout);
        let written = delta.to_xydelta();
        let read = Delta::read(written.as_bytes(), &Default::default()).unwrap();
        assert_eq!(read.inverted().inverted().to_xydelta(), written);
        assert_eq!(Delta::from_binary(&read.to_binary(), &Default::default()).unwrap().to_xydelta(), written);
        let options = ApplyOptions { recover: true, ..Default::default() };
        read.apply(&before, &options).unwrap().document.source().to_owned()
    };
    let page = |more: &str| format!("<html><head></head><body><div><p>x</p>{more}</div></body></html>");
    for comment in ["x--y", "a-b", "_x002D_", "-"] {
        let after = page(&format!("<p><b>a</b> <!--{comment}--><i>b</i></p>"));
        assert_eq!(check(Format::Html, &page(""), &after), after);
        check(Format::Html, &page(""), &page(&format!("<p> <!--{comment}--> <i>b</i><!--{comment}--> </p>")));
    }
    for beside in ["<!--x--y-->", "<!---->", "<?p:q r?>", "<?p:q?>", "<?p _x0041_?>", "<?1 ?>", "<?a<?b c?>"] {
        let more = format!("<b>\n  <c/> {beside}\t{beside}\n {beside}<c/>{beside} </b>");
        check(Format::Xml, "<r><a/></r>", &format!("<r><a/>{more}</r>"));
        // The first name asks for escapes.
        check(Format::Xml, "<r><a/></r>", &format!("<r><a/><b><p:q/>{beside} {more}</b></r>"));
    }
}

/// Recovery leaves a name that is none in no namespace, though its tag declares one for what is in it.
#[test]
fn a_name_that_is_none_is_written_without_the_namespace_of_its_tag() {
    let options = parse::Options { recover: true, ..Default::default() };
    let [before, after] = ["<r/>", "<r><x&u:v;<a xmlns='urn:d' xmlns:p='urn:p' p:k='1'><b/><p:c/><x:y:z/></r>"]
        .map(|source| Arc::new(parse::xml(source, &options).unwrap().document));
    let delta = delta_between(&before, &after, Whitespace::Layout);
    assert_eq!(round_trip(&delta).matches("xmlns=\"urn:d\"").count(), 1);
    let read = Delta::read(delta.to_xydelta(), &Default::default()).unwrap();
    let patched = read.apply(&before, &ApplyOptions { recover: true, ..Default::default() }).unwrap().document;
    assert!(patched.root().same_content(after.root()), "{}", patched.source());
}

#[test]
fn texts_that_moved_away_leave_a_gap() {
    let [before, after] = ["<r><a>x<m>z</m>y</a><b/></r>", "<r><b><m>z</m></b></r>"]
        .map(|source| parsed(source, Format::Xml, Whitespace::Layout));
    let mut matching = Matching::new(&before, &after);
    for (before, after) in [(1, 1), (7, 2), (4, 3), (5, 4)] {
        matching.pair(NodeId(before), NodeId(after));
    }
    let delta = Delta::between(&before, &after, &matching, &Options::default()).unwrap();
    let expected = [
        r#"<delete parentXID="7" position="1" DataXIDmap="(1;4-5)"><a xmlns="">x<?xydelta gap?>y</a></delete>"#,
        r#"<move sourceParentXID="5" sourcePosition="2" targetParentXID="6" targetPosition="1" DataXIDmap="(2-3)"/>"#,
    ];
    assert_eq!(operations(&delta), expected.join("\n"));
    check(
        "<a/>",
        "<a><b>x<?xydelta gap?>y</b></a>",
        &[concat!(
            r#"<insert parentXID="1" position="1" DataXIDmap="(2-5)">"#,
            r#"<b xmlns="">x<?xydelta  gap?>y</b></insert>"#
        )],
    );
}

#[test]
fn what_cannot_stand_for_itself() {
    check(
        "<a>x</a>",
        "<a>&#13;]]&gt;&lt;</a>",
        &["<update nodeXID=\"1\"><OldText>x</OldText><NewText>&#13;]]&gt;&lt;</NewText></update>"],
    );
    check(
        "<a>x</a>",
        "<a>&lt;b>&lt;/b>&lt;b>&lt;/b>&lt;b></a>",
        &["<update nodeXID=\"1\"><OldText>x</OldText><NewText><![CDATA[<b></b><b></b><b>]]></NewText></update>"],
    );
    check(
        "<a b='&#9;&#10;&#13;&lt;&apos;&quot;'/>",
        "<a/>",
        &[r#"<attr-delete nodeXID="1" attrName="b" attrValue="&#9;&#10;&#13;&lt;'&#34;"/>"#],
    );
    check("<a><!--b--></a>", "<a><!----></a>", &["<update nodeXID=\"1\"><OldText>b</OldText><NewText/></update>"]);
}

#[test]
fn references_that_were_not_followed_are_declared() {
    let doctype = "<!DOCTYPE a SYSTEM 'a.dtd'>";
    let [before, after] = [format!("{doctype}<a/>"), format!("{doctype}<a><b>x&nbsp;y</b></a>")]
        .map(|source| parsed(&source, Format::Xml, Whitespace::Layout));
    let written = round_trip(&delta_between(&before, &after, Whitespace::Layout));
    assert!(written.starts_with("<!DOCTYPE xydelta [<!ENTITY nbsp \"\">]>\n<xydelta "), "{written}");
    assert!(written.contains("<b xmlns=\"\">x&nbsp;y</b>"), "{written}");
}

#[test]
fn doctypes() {
    check("<a/>", "<!DOCTYPE a><a/>", &["<doctype><OldText/><NewText>&lt;!DOCTYPE a></NewText></doctype>"]);
}

/// The start tag of a delta up to its hashes, and its operations.
#[track_caller]
fn check_root(format: Format, before: &str, after: &str, root: &str, expected: &[&str]) {
    let [before, after] = [before, after].map(|source| parsed(source, format, Whitespace::Layout));
    let delta = delta_between(&before, &after, Whitespace::Layout);
    assert_eq!(operations(&delta), expected.join("\n"));
    let written = delta.to_xydelta();
    assert_eq!(written.split_once(" fromHash").unwrap().0, root);
    let binary = Delta::from_binary(&delta.to_binary(), &Default::default()).unwrap();
    assert_eq!(binary.to_xydelta(), written);
}

#[test]
fn the_root_declares_what_payloads_share() {
    const OWN: &str = "<xydelta xmlns=\"urn:deltaic:xydelta:1\"";
    // Once is declared where it is needed.
    check_root(
        Format::Xml,
        "<a xmlns:p='urn:p'/>",
        "<a xmlns:p='urn:p'><p:b p:c='1'/></a>",
        OWN,
        &[r#"<insert parentXID="1" position="1" DataXIDmap="(2)"><p:b xmlns:p="urn:p" p:c="1"/></insert>"#],
    );
    check_root(
        Format::Xml,
        "<a xmlns:p='urn:p'/>",
        "<a xmlns:p='urn:p'><p:b/><c><p:d/></c></a>",
        &format!("{OWN} xmlns:p=\"urn:p\""),
        &[
            r#"<insert parentXID="1" position="1" DataXIDmap="(2)"><p:b/></insert>"#,
            r#"<insert parentXID="1" position="2" DataXIDmap="(3-4)"><c xmlns=""><p:d/></c></insert>"#,
        ],
    );
    // Prefixes of its own elements are less than the namespace of all payloads but one.
    check_root(
        Format::Xml,
        "<a xmlns='urn:some:namespace'/>",
        "<a xmlns='urn:some:namespace'><b/>c<d/></a>",
        "<d:xydelta xmlns:d=\"urn:deltaic:xydelta:1\" xmlns=\"urn:some:namespace\"",
        &[
            r#"<d:insert parentXID="1" position="1" DataXIDmap="(2)"><b/></d:insert>"#,
            r#"<d:insert parentXID="1" position="2" DataXIDmap="(3)">c</d:insert>"#,
            r#"<d:insert parentXID="1" position="3" DataXIDmap="(4)"><d/></d:insert>"#,
        ],
    );
    check_root(
        Format::Html,
        "<!DOCTYPE html><body><hr>",
        "<!DOCTYPE html><body><p></p><hr><p>x</p>",
        "<d:xydelta xmlns:d=\"urn:deltaic:xydelta:1\" xmlns=\"http://www.w3.org/1999/xhtml\" format=\"html\"",
        &[
            r#"<d:insert parentXID="3" position="1" DataXIDmap="(5)"><p/></d:insert>"#,
            r#"<d:insert parentXID="3" position="3" DataXIDmap="(6-7)"><p>x</p></d:insert>"#,
        ],
    );
}

#[test]
fn html_has_more_than_xml() {
    let check = |before: &str, after: &str, expected: &[&str]| {
        check_in(
            Format::Html,
            Whitespace::Layout,
            &format!("<!DOCTYPE html><body>{before}"),
            &format!("<!DOCTYPE html><body>{after}"),
            expected,
        );
    };
    check(
        "<hr>",
        "<hr><o:p @a=1 xmlns=x></o:p><!-- a--b -->",
        &[concat!(
            r#"<insert parentXID="3" position="2" DataXIDmap="(5-6)">"#,
            r#"<o_x003A_p xmlns="http://www.w3.org/1999/xhtml" _x0040_a="1" _x0078_mlns="x"/>"#,
            r#"<!-- a-_x002D_b --></insert>"#,
        )],
    );
    check(
        "<hr>",
        "<hr><pre> <b></b></pre>",
        &[concat!(
            r#"<insert parentXID="3" position="2" DataXIDmap="(5-7)" xml:space="preserve">"#,
            r#"<pre xmlns="http://www.w3.org/1999/xhtml"> <b/></pre></insert>"#
        )],
    );
    check(
        "<hr>",
        "<hr><p>\u{1}\u{85}</p>",
        &[concat!(
            r#"<insert parentXID="3" position="2" DataXIDmap="(5-6)">"#,
            r#"<p xmlns="http://www.w3.org/1999/xhtml">&#1;&#133;</p></insert>"#
        )],
    );
}

#[test]
fn siblings_of_a_page_are_written_as_one() {
    let check = |whitespace: Whitespace, before: &str, after: &str, expected: &[&str]| {
        let [before, after] = [before, after].map(|body| format!("<!DOCTYPE html><body>{body}"));
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Html, whitespace));
        let matching = Algorithm::Auto.matching(&before, &after, &Default::default());
        let options = Options { whitespace, ..Options::default() };
        let delta = Delta::between(&before, &after, &matching, &options).unwrap();
        assert_eq!(operations(&delta), expected.join("\n"));
    };
    check(
        Whitespace::Layout,
        "Words that stay where they are.<hr>",
        "Words that stay where they are.<hr>b <i>c</i> <b>d</b>\n<br>",
        &[concat!(
            r#"<d:insert parentXID="4" position="3" DataXIDmap="(6-13)">"#,
            "b <i>c</i> <b>d</b>\n<br/></d:insert>"
        )],
    );
    // A blank text that would be layout among elements alone is written by itself, where it is not.
    check(
        Whitespace::Layout,
        "Words that stay where they are.<hr>",
        "Words that stay where they are.<hr><i>c</i> <b>d</b><u></u>",
        &[
            r#"<d:insert parentXID="4" position="3" DataXIDmap="(6-7)"><i>c</i></d:insert>"#,
            r#"<d:insert parentXID="4" position="4" DataXIDmap="(8)"> </d:insert>"#,
            r#"<d:insert parentXID="4" position="5" DataXIDmap="(9-11)"><b>d</b><u/></d:insert>"#,
        ],
    );
    check(
        Whitespace::Exact,
        "Words that stay where they are.<hr>",
        "Words that stay where they are.<hr><i>c</i> <b>d</b><u></u>",
        &[r#"<d:insert parentXID="4" position="3" DataXIDmap="(6-11)"><i>c</i> <b>d</b><u/></d:insert>"#],
    );
    // What is kept between two of them parts the row, and so does what says how its white space is to be read.
    check(
        Whitespace::Layout,
        "<i>Words that stay where they are.</i><hr>",
        "<p></p><i>Words that stay where they are.</i><p></p><p></p><pre> <b></b></pre><p></p><hr>",
        &[
            r#"<d:insert parentXID="5" position="1" DataXIDmap="(7)"><p/></d:insert>"#,
            r#"<d:insert parentXID="5" position="3" DataXIDmap="(8-9)"><p/><p/></d:insert>"#,
            r#"<d:insert parentXID="5" position="5" DataXIDmap="(10-12)" xml:space="preserve"><pre> <b/></pre></d:insert>"#,
            r#"<d:insert parentXID="5" position="6" DataXIDmap="(13)"><p/></d:insert>"#,
        ],
    );
}

#[test]
fn json_is_json() {
    let check = |before: &str, after: &str, expected: &[&str]| {
        check_in(Format::Json, Whitespace::Layout, before, after, expected)
    };
    check("[1]", "[2]", &["<update nodeXID=\"1\"><OldText>1</OldText><NewText>2</NewText></update>"]);
    check(
        r#"{"b":1}"#,
        r#"{"b":1,"a\"":{"d":"x\u0001","c":[]}}"#,
        &[concat!(
            r#"<insert parentXID="2" position="1" DataXIDmap="(3-5)" name='a\"'>"#,
            r#"{"c":[],"d":"x\u0001"}</insert>"#
        )],
    );
    check(
        r#"["a","b","c"]"#,
        r#"["a","b","c","<"]"#,
        &[r#"<insert parentXID="4" position="4" DataXIDmap="(5)">"&lt;"</insert>"#],
    );
}
