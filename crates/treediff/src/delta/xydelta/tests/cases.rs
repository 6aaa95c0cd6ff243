//! How do deltas look?

use super::{delta_between, parsed, round_trip};
use crate::parse::Whitespace;
use crate::tree::Format;

/// The operations between two versions, a line each.
fn check_in(format: Format, whitespace: Whitespace, before: &str, after: &str, expected: &[&str]) {
    let [before, after] = [before, after].map(|source| parsed(source, format, whitespace));
    let written = round_trip(&delta_between(&before, &after, whitespace));
    let start = written.find("<xydelta ").unwrap();
    let operations: Vec<&str> = written[start..].split_once(">\n").unwrap().1.split("\n  ").collect();
    let operations: Vec<&str> =
        operations.iter().map(|line| line.trim().trim_end_matches("</xydelta>").trim()).collect();
    assert_eq!(operations.iter().filter(|line| !line.is_empty()).copied().collect::<Vec<_>>(), expected, "{written}");
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
        "<xydelta xmlns=\"urn:deltaic:xydelta:1\" whitespace=\"layout\" fromHash=\"{:016x}\" toHash=\"{:016x}\"",
        crate::delta::document_hash(&before),
        crate::delta::document_hash(&after)
    );
    assert_eq!(
        written,
        head + " fromXIDmap=\"(1-3)\" toXIDmap=\"(1-2;4;3)\" nextXID=\"5\">\n\
  \x20 <insert parentXID=\"3\" position=\"2\" DataXIDmap=\"(4)\"><c xmlns=\"\"/></insert>\n\
  \x20 <update nodeXID=\"1\"><OldText>x</OldText><NewText>y</NewText></update>\n\
  </xydelta>\n"
    );
}
