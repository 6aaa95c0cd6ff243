//! How do the texts of pages change word by word?

use super::{delta_between, parsed, round_trip};
use crate::delta::{Delta, Operation};
use crate::parse::{Limits, Whitespace};
use crate::tree::Format;

/// What is written of the change of a paragraph, which has to be read as both texts.
fn written(before: &str, after: &str) -> String {
    let page = |text: &str| format!("<!DOCTYPE html><body><pre>{text}</pre>");
    let [from, to] = [before, after].map(|text| parsed(&page(text), Format::Html, Whitespace::Layout));
    let delta = delta_between(&from, &to, Whitespace::Layout);
    assert!(matches!(delta.operations(), [Operation::Update { .. }]), "{delta:?}");
    let written = round_trip(&delta);
    let (_, update) = written.split_once("<update nodeXID=").expect("an update");
    let (_, update) = update.split_once('>').expect("a tag");
    update.split_once("</update>").expect("its end").0.to_owned()
}

fn check(before: &str, after: &str, expected: &str) {
    assert_eq!(written(before, after), expected);
    assert_eq!(written(after, before).contains("<TextDelta"), expected.contains("<TextDelta"));
}

#[test]
fn words_are_written_where_that_is_shorter() {
    let long = "a long paragraph of which hardly anything changes from one version to another";
    check(
        long,
        &long.replace("hardly anything", "one word"),
        concat!(
            "<TextDelta xml:space=\"preserve\">a long paragraph of which ",
            "<d>hardly</d><i>one</i> <d>anything</d>",
            "<i>word</i> changes from one version to another</TextDelta>"
        ),
    );
    check("short", "shorter", "<OldText>short</OldText><NewText>shorter</NewText>");
    let other = "everything else was said in quite different terms by somebody whom nobody knew then";
    check(long, other, &format!("<OldText>{long}</OldText><NewText>{other}</NewText>"));
}

#[test]
fn only_insertions_and_only_deletions() {
    let long = "a long paragraph of which hardly anything changes from one version to another";
    check(long, &format!("{long}, or more"), &format!("<TextDelta>{long}<i>, or more</i></TextDelta>"));
    check(&format!("Now {long}"), long, &format!("<TextDelta><d>Now </d>{long}</TextDelta>"));
}

#[test]
fn what_xml_would_read_otherwise() {
    let long = "a long paragraph of which hardly anything changes from one version to another";
    check(
        &format!("{long} &lt;b> &amp;amp; x ]]>"),
        &format!("{long} &lt;b> &amp;amp; y ]]>"),
        &format!("<TextDelta>{long} &lt;b> &amp;amp; <d>x</d><i>y</i> ]]&gt;</TextDelta>"),
    );
}

/// A delta of a page of four nodes with these words as its update.
fn update(words: &str) -> String {
    format!(
        "<d:xydelta xmlns:d=\"urn:deltaic:xydelta:1\" xmlns=\"http://www.w3.org/1999/xhtml\" format=\"html\" \
         fromHash=\"0\" toHash=\"1\" fromXIDmap=\"(1-4)\" toXIDmap=\"(1-4)\" nextXID=\"9\">\n\
         <d:update nodeXID=\"1\">{words}</d:update>\n</d:xydelta>"
    )
}

#[test]
fn words_are_read_as_both_texts() {
    for (words, before, after) in [
        ("<d:TextDelta/>", "", ""),
        ("<d:TextDelta>a<d:d>b</d:d><d:i>c</d:i></d:TextDelta>", "ab", "ac"),
        ("<d:TextDelta><d:i>c</d:i>a<d:d>b</d:d></d:TextDelta>", "ab", "ca"),
        ("<d:TextDelta xml:space='preserve'><d:d>b</d:d> <d:i>c</d:i></d:TextDelta>", "b ", " c"),
        ("<d:TextDelta>a<d:d/><d:i><![CDATA[<]]>&amp;</d:i></d:TextDelta>", "a", "a<&"),
        ("\n <d:TextDelta>1 b c</d:TextDelta>\n <d:OldText>b</d:OldText><d:NewText>c</d:NewText>", "b", "c"),
        (
            "<d:OldText>a b</d:OldText><d:TextDelta>a <d:d>b</d:d><d:i>c</d:i></d:TextDelta><d:NewText>a c</d:NewText>",
            "a b",
            "a c",
        ),
    ] {
        let delta = Delta::read(update(words), &Limits::default()).unwrap_or_else(|error| panic!("{error}: {words}"));
        let Operation::Update { before: found_before, after: found_after, .. } = &delta.operations()[0] else {
            panic!("{delta:?}")
        };
        assert_eq!((found_before.as_str(), found_after.as_str()), (before, after), "{words}");
    }
}

#[test]
fn what_is_no_change_of_words() {
    for (words, expected) in [
        ("<d:TextDelta>a<d:d><b/></d:d></d:TextDelta>", "found more than text in a piece of `TextDelta`"),
        ("<d:TextDelta>a<d:i>x<d:d>y</d:d></d:i></d:TextDelta>", "found more than text in a piece of `TextDelta`"),
        (
            "<d:TextDelta>a<d:x>b</d:x></d:TextDelta>",
            "found the element `x` in `TextDelta`; expected text, `d` and `i`",
        ),
        ("<d:TextDelta>a<d>b</d></d:TextDelta>", "found the element `d` in `TextDelta`; expected text, `d` and `i`"),
        (
            "<d:TextDelta>a <d:d>b</d:d><d:i>d</d:i></d:TextDelta><d:OldText>a b</d:OldText><d:NewText>a c</d:NewText>",
            "found other words in `TextDelta` than in `OldText` and `NewText`",
        ),
        (
            "<d:OldText>a</d:OldText><d:TextDelta>a<d:i>b</d:i><d:x/></d:TextDelta><d:NewText>ab</d:NewText>",
            "found the element `x` in `TextDelta`; expected text, `d` and `i`",
        ),
        ("<d:TextDelta>a</d:TextDelta><d:TextDelta>a</d:TextDelta>", "found `TextDelta` twice"),
        ("<d:TextDelta>a</d:TextDelta><d:NewText>a</d:NewText>", "found no `OldText`"),
        ("<d:TextDelta>a</d:TextDelta><d:OldText>a</d:OldText>", "found no `NewText`"),
        ("", "found no `OldText`"),
    ] {
        let error = Delta::read(update(words), &Limits::default()).map(|_| ()).unwrap_err().to_string();
        assert_eq!(error, format!("operation 1 (update, line 2): {expected}"), "{words}");
    }
}

/// A delta says which fallbacks its comparison took, in every form, backwards and composed.
#[test]
fn fallbacks_are_told() {
    let row = |word: &str| (0..200).map(|at| format!("<i>{word} {at}</i>")).collect::<String>();
    let [before, after] =
        ["old", "new"].map(|word| parsed(&format!("<r>{}</r>", row(word)), Format::Xml, Whitespace::Layout));
    let matching = crate::matching::xydiff(&before, &after, &Default::default());
    let delta = Delta::between(&before, &after, &matching, &Default::default()).unwrap();
    let written = delta.to_xydelta();
    assert!(written.contains(" fallbacks=\"children-in-order\" fromHash="), "{}", &written[..300]);
    let read = Delta::read(written.as_str(), &Limits::default()).unwrap();
    let unpacked = Delta::from_binary(&delta.to_binary(), &Limits::default()).unwrap();
    let composed = delta.compose(&delta.inverted()).unwrap();
    for other in [read, unpacked, delta.inverted(), composed] {
        assert_eq!(other.fallbacks().to_string(), "children-in-order");
    }
}

#[test]
fn words_stand_beside_both_texts_of_xml_where_they_are_asked_for() {
    let [before, after] =
        ["<a>all of these words are old, but for one</a>", "<a>all of these words are new, but for one</a>"]
            .map(|source| parsed(source, Format::Xml, Whitespace::Layout));
    let delta = delta_between(&before, &after, Whitespace::Layout);
    let mut written = String::new();
    delta.write_xydelta_in_words(&mut written).unwrap();
    let words = "<TextDelta>all of these words are <d>old</d><i>new</i>, but for one</TextDelta>";
    assert!(written.contains(&format!("but for one</NewText>{words}</update>")), "{written}");
    assert!(Delta::read(written.as_str(), &Limits::default()).unwrap().same_as(&delta));
}
