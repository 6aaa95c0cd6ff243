use super::*;

const XML: &str = "<xydelta xmlns=\"urn:deltaic:xydelta:1\" nextXID=\"9\">";
const HTML: &str = "<d:xydelta xmlns:d=\"urn:deltaic:xydelta:1\" format=\"html\">";
const PREFIXED: &str = "<d:xydelta xmlns:d=\"urn:deltaic:xydelta:1\" xmlns=\"urn:x\">";
const BARE_HTML: &str = "<xydelta xmlns=\"urn:deltaic:xydelta:1\" format=\"html\">";
const JSON: &str = "<xydelta xmlns=\"urn:deltaic:xydelta:1\" format=\"json\">";

#[track_caller]
fn check(root: &str, written: &str, text: &str, expected: bool) {
    let needle = Needle::new(text).expect("a text");
    assert_eq!(needle.may_be_in(&format!("{root}{written}")), expected, "{text:?} in {written:?}");
}

#[test]
fn texts_are_found_as_they_are_written() {
    check(XML, "<NewText>Tea is back</NewText>", "tea IS", true);
    check(XML, "<NewText>Tea is back</NewText>", "coffee", false);
    check(XML, "<NewText>Tea is back</NewText>", "tea isn't", false);
    check(XML, "<NewText>Tea\n   is back</NewText>", "tea is", true);
    check(XML, "<attr-insert attrValue=\"Tea is\"/>", "tea is", true);
    check(XML, "<NewText>\u{212A}elvin and İx</NewText>", "kelvin and i\u{307}x", true);
    check(XML, "<NewText>ÄRGER ΣΑΣ</NewText>", "ärger σα", true);
    check(XML, "<NewText>ÄRGER</NewText>", "örger", false);
    check(XML, "<NewText>300 g</NewText>", "300 G", true);
}

#[test]
fn texts_are_found_across_markup() {
    check(XML, "<p><b>H</b>ello</p>", "hello", true);
    check(XML, "<p><b title='a > b'>H</b>ello</p>", "hello", true);
    check(XML, "<tr><td>one</td>\n <td>two</td></tr>", "one two", true);
    check(XML, "<tr><td>one</td>\n <td>two</td></tr>", "onetwo", true);
    check(XML, "<tr><td>one</td><td>two</td></tr>", "one two", true);
    check(XML, "<tr><td>one </td><td> two</td></tr>", "one two", true);
    check(XML, "<tr><td>one</td><td>three</td></tr>", "one two", false);
    check(XML, "x<![CDATA[y & <z>]]>", "xy & <z", true);
    check(XML, "x<![CDATA[y]]]>z", "y]z", true);
    check(XML, "<![CDATA[(a)\n  <p b]]>", "a) <p b", true);
    check(HTML, "<d:TextDelta>the <d:d>quick</d:d><d:i>slow</d:i> fox</d:TextDelta>", "quick fox", true);
    check(HTML, "<d:TextDelta>the <d:d>quick</d:d><d:i>slow</d:i> fox</d:TextDelta>", "the slow", true);
    check(HTML, "<d:TextDelta>the <d:d>quick</d:d><d:i>slow</d:i> fox</d:TextDelta>", "quick slow", true);
    check(HTML, "<d:TextDelta>the <d:d>quick</d:d><d:i>slow</d:i> fox</d:TextDelta>", "the fox", false);
    check(PREFIXED, "<d:insert><d:i xmlns:d='urn:d'>slow</d:i> fox</d:insert>", "slow fox", true);
    check(PREFIXED, "<d:insert><d:i>the</d:i> <d:i>fox</d:i></d:insert>", "the fox", true);
    check(BARE_HTML, "<TextDelta>the <d>quick</d><i>slow</i> fox</TextDelta>", "the slow fox", true);
    check(HTML, "<d:TextDelta>the<d:d> quick</d:d> fox<d:i>es</d:i></d:TextDelta>", "the foxes", true);
    check(HTML, "<d:TextDelta>the<d:d> quick</d:d> fox<d:i>es</d:i></d:TextDelta>", "quick fox", true);
    check(HTML, "<d:TextDelta>a<d:i><![CDATA[</d:i>]]></d:i>b</d:TextDelta>", "ab", true);
    check(HTML, "<p>the <i>quick</i> fox</p>", "quick cat", false);
    check(HTML, "<p>the <i>quick</i> fox</p>", "quick fox", true);
}

#[test]
fn what_is_not_clear_may_be() {
    check(XML, "<NewText>R&amp;D</NewText>", "r&d", true);
    check(XML, "<NewText>one&#10;two</NewText>", "one two", true);
    check(XML, "<NewText>R&amp;D</NewText>", "rd", false);
    check(XML, "<NewText>one&#10;two</NewText>", "onetwo", false);
    check(XML, "<NewText>one&nbsp;two</NewText>", "onetwo", true);
    check(XML, "<NewText><![CDATA[R&amp;D]]></NewText>", "r&amp;d", true);
    check(XML, "<p>one<!--x-->two</p>", "onetwo", true);
    check(XML, "<p>one<?x y?>two</p>", "one two", true);
    check(XML, "<p>one<!--x-->two</p>", "one three", false);
    check(XML, "<NewText>R&amp;D</NewText>", "&", true);
    check(HTML, "<!--a_x002D_-b-->", "a--b", true);
    check(JSON, "<insert>{\"a\":\"one\",\"b\":\"two\"}</insert>", "one two", true);
    check(JSON, "<NewText>\"a \\\"b\\\" c\"</NewText>", "a \"b\"", true);
    check(JSON, "<NewText>\"abc\"</NewText>", "abd", false);
    check("", "no delta", "x", true);
}

/// Every beginning is followed through the same tags, which would take hours if every one went through all.
#[test]
fn nothing_is_gone_through_again_and_again() {
    let delta = format!("{XML}{}{}", "a".repeat(20_000), "<b/>".repeat(20_000));
    assert!(!Needle::new(&"a".repeat(5_000).replace("aaaa", "aaab")).expect("a text").may_be_in(&delta));
    assert!(!Needle::new(&format!("{}x", "a".repeat(63))).expect("a text").may_be_in(&delta));
}

#[test]
fn empty_texts_are_none() {
    assert!(Needle::new("").is_none());
    assert!(Needle::new(" ").is_some_and(|blank| blank.is_in("a\nb") && !blank.is_in("ab")));
}
