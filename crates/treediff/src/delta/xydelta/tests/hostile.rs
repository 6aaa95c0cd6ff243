//! What is refused, and in which words?

use crate::delta::Delta;
use crate::parse::Limits;

/// A delta of two versions of four nodes with these operations.
fn with(operations: &str) -> String {
    with_maps("(1-4)", "(1-4)", operations)
}

fn with_maps(before: &str, after: &str, operations: &str) -> String {
    format!(
        "<xydelta xmlns=\"urn:deltaic:xydelta:1\" whitespace=\"layout\" fromHash=\"0\" toHash=\"1\" \
         fromXIDmap=\"{before}\" toXIDmap=\"{after}\" nextXID=\"9\">\n{operations}</xydelta>"
    )
}

fn check(source: impl Into<Vec<u8>>, expected: &str) {
    match Delta::read(source, &Limits::default()) {
        Ok(delta) => panic!("read as {delta:?}; expected: {expected}"),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

#[test]
fn what_is_no_delta() {
    check("", "the delta: line 1, column 1: found the end of the document; expected a root element");
    check("<a", "the delta: line 1, column 3: found the end of the document in the tag `a`; expected `>`");
    check(
        "<xydelta/>",
        "the delta: found the root `xydelta`; expected `xydelta` in the namespace `urn:deltaic:xydelta:1`",
    );
    check("<xydelta xmlns='urn:deltaic:xydelta:1'/>", "the delta: found no attribute `fromHash`");
    let right = with("");
    for (found, instead, expected) in [
        ("layout", "some", "found the white space `some`; expected layout or exact"),
        ("whitespace", "format='xls' whitespace", "found the format `xls`; expected xml, html or json"),
        ("fromHash=\"0\"", "fromHash=\"0x1\"", "found `0x1` as `fromHash`; expected up to 16 hex digits"),
        ("fromHash=\"0\"", "fromHash=\"\"", "found `` as `fromHash`; expected up to 16 hex digits"),
        ("toXIDmap=\"(1-4)\"", "toXIDmap=\"(4-1)\"", "`toXIDmap`: `4-1` is no run of XIDs"),
        ("nextXID=\"9\"", "nextXID=\"4\"", "found XID 4; expected all below `nextXID`, 4"),
        ("nextXID=\"9\"", "nextXID=\"-9\"", "found `-9` as `nextXID`; expected a number"),
        ("toXIDmap=\"(1-4)\"", "toXIDmap=\"(1-3)\"", "XID 4 is in `fromXIDmap` alone, but is not deleted"),
        ("toXIDmap=\"(1-4)\"", "toXIDmap=\"(5;1-4)\"", "XID 5 is in `toXIDmap` alone, but is not inserted"),
        (">\n", ">\nx", "found `x` between operations"),
    ] {
        check(right.replacen(found, instead, 1), &format!("the delta: {expected}"));
    }
}

#[test]
fn what_is_no_operation() {
    for (operation, kind, expected) in [
        ("<replace/>", "replace", "this is no operation that is known here"),
        ("<x xmlns='urn:x'/>", "x", "found an element in the namespace `urn:x`"),
        ("<update nodeXID='1'/>", "update", "found no `OldText`"),
        ("<update nodeXID='1'><OldText/><OldText/></update>", "update", "found `OldText` twice"),
        (
            "<update nodeXID='1'><OldText/><NewText><b/></NewText></update>",
            "update",
            "found the element `b` in `NewText`",
        ),
        (
            "<update nodeXID='1'>x<OldText/><NewText/></update>",
            "update",
            "found the text `x`; expected `OldText` and `NewText`",
        ),
        ("<update nodeXID='0'><OldText/><NewText/></update>", "update", "found XID 0, which no such node has"),
        ("<update nodeXID='8'><OldText/><NewText/></update>", "update", "XID 8 is not there both before and after"),
        ("<attr-insert nodeXID='1' attrName='a'/>", "attr-insert", "found no attribute `attrValue`"),
        (
            "<attr-insert nodeXID='1' attrName='a=\"1\" b' attrValue=''/>",
            "attr-insert",
            "found `a=\"1\" b`, which is no name of an attribute",
        ),
        (
            "<attr-insert nodeXID='1' attrName='p:a' attrValue=''/>",
            "attr-insert",
            "found `p:a`, which is no name of an attribute",
        ),
        (
            "<attr-insert nodeXID='1' attrName='xmlns' attrValue=''/>",
            "attr-insert",
            "found `xmlns`, which is no name of an attribute",
        ),
        (
            "<attr-delete nodeXID='1' attrName='a' attrNS='urn:a' attrValue=''/>",
            "attr-delete",
            "found `a`, which is no name of an attribute",
        ),
        (
            "<doctype><OldText/><NewText>x</NewText></doctype>",
            "doctype",
            "found `x`; expected a document type declaration",
        ),
        (
            "<move sourceParentXID='4' sourcePosition='0' targetParentXID='4' targetPosition='1' DataXIDmap='(1)'/>",
            "move",
            "found `0` as `sourcePosition`; positions are numbers from 1 to 4294967295",
        ),
        (
            "<move sourceParentXID='4' sourcePosition='1' targetParentXID='4' targetPosition='4294967297' DataXIDmap='(1)'/>",
            "move",
            "found `4294967297` as `targetPosition`; positions are numbers from 1 to 4294967295",
        ),
        (
            "<move sourceParentXID='4' sourcePosition='1' targetParentXID='7' targetPosition='1' DataXIDmap='(1)'/>",
            "move",
            "the parent, XID 7, is not there after",
        ),
        (
            "<move sourceParentXID='4' sourcePosition='1' targetParentXID='4' targetPosition='1' DataXIDmap='()'/>",
            "move",
            "found no XID in `DataXIDmap`",
        ),
        (
            "<move sourceParentXID='4' sourcePosition='1' targetParentXID='4' targetPosition='1' DataXIDmap='(1-6)'/>",
            "move",
            "XID 5 moves, but is not there both before and after",
        ),
        ("<insert parentXID='4' position='1' DataXIDmap='(5)'/>", "insert", "found no payload; expected one subtree"),
        (
            "<insert parentXID='4' position='1' DataXIDmap='(5)'><a/><b/></insert>",
            "insert",
            "found more than one node as payload; expected one subtree",
        ),
        (
            "<insert parentXID='4' position='1' DataXIDmap='(5)'><?xydelta gap?></insert>",
            "insert",
            "found a gap as payload; expected one subtree",
        ),
        (
            "<insert parentXID='4' position='1' DataXIDmap='(5)'><a>x</a></insert>",
            "insert",
            "found 1 XIDs for a payload of 2 nodes",
        ),
        (
            "<insert parentXID='4' position='1' DataXIDmap='(5)' xml:space='default'>x</insert>",
            "insert",
            "found `default` as `xml:space`; expected preserve",
        ),
        (
            "<insert parentXID='4' position='1' DataXIDmap='(5)' name='x'>x</insert>",
            "insert",
            "found the attribute `name`; expected `parentXID`, `position`, `DataXIDmap`, `xml:space`",
        ),
        (
            "<insert parentXID='4' position='1' DataXIDmap='(5)'>x</insert>",
            "insert",
            "one of XID 5 to 5 is inserted, but is not in `toXIDmap`",
        ),
    ] {
        check(with(&format!("<!-- a comment -->\n{operation}")), &format!("operation 1 ({kind}, line 3): {expected}"));
    }
}

#[test]
fn what_contradicts_itself() {
    let delete = "<delete parentXID='4' position='1' DataXIDmap='(1)'>x</delete>";
    let insert = "<insert parentXID='4' position='1' DataXIDmap='(5)'>x</insert>";
    let update = "<update nodeXID='2'><OldText/><NewText/></update>";
    let moved =
        "<move sourceParentXID='4' sourcePosition='2' targetParentXID='4' targetPosition='3' DataXIDmap='(2)'/>";
    let attribute = "<attr-insert nodeXID='2' attrName='a' attrValue=''/>";
    let doctype = "<doctype><OldText/><NewText>&lt;!DOCTYPE a></NewText></doctype>";
    assert!(
        Delta::read(
            with_maps("(1-4)", "(5;2-4)", &[delete, insert, update, moved, attribute, doctype].concat()),
            &Limits::default()
        )
        .is_ok()
    );
    for (before, after, operations, kind, expected) in [
        ("(1-4)", "(2-4)", [delete, delete], "delete", "XID 1 is deleted or inserted twice"),
        ("(1-4)", "(1-4)", [delete, &insert.replace('5', "1")], "insert", "XID 1 is deleted or inserted twice"),
        ("(1-4)", "(2-4)", [delete, &update.replace('2', "1")], "update", "XID 1 is not there both before and after"),
        (
            "(1-4)",
            "(2-4)",
            [delete, &moved.replace("(2)", "(1)")],
            "move",
            "XID 1 moves, but is not there both before and after",
        ),
        ("(1-4)", "(1-4)", [update, update], "update", "operation 1 does the same to the same node"),
        ("(1-4)", "(1-4)", [moved, moved], "move", "operation 1 does the same to the same node"),
        ("(1-4)", "(1-4)", [doctype, doctype], "doctype", "operation 1 does the same to the same node"),
        (
            "(1-4)",
            "(1-4)",
            [attribute, &attribute.replace("insert", "delete")],
            "attr-delete",
            "operation 1 does the same to the same node",
        ),
        (
            "(1-4)",
            "(5-6;1-4)",
            [insert, &insert.replace("(5)", "(6)")],
            "insert",
            "operation 1 has position 1 of XID 4 after too",
        ),
        (
            "(1-4)",
            "(2-4)",
            [delete, &moved.replace("sourcePosition='2'", "sourcePosition='1'")],
            "move",
            "operation 1 has position 1 of XID 4 before too",
        ),
    ] {
        let source = with_maps(before, after, &operations.join("\n"));
        check(source, &format!("operation 2 ({kind}, line 3): {expected}"));
    }
}

/// `invert` and `compose` have no document to see it by.
#[test]
fn nothing_is_below_itself() {
    let moved = |source: u32, target: u32, map: &str| {
        format!(
            "<move sourceParentXID='{source}' sourcePosition='1' targetParentXID='{target}' targetPosition='1' \
             DataXIDmap='{map}'/>"
        )
    };
    let at = |number: u32, kind: &str, what: &str| format!("operation {number} ({kind}, line {}): {what}", number + 1);
    let own = moved(4, 1, "(1-2)");
    check(with_maps("(1-4)", "(1-4)", &own), &at(1, "move", "XID 2 would be below itself after"));
    check(with_maps("(1-4)", "(1-4)", &moved(1, 4, "(1-2)")), &at(1, "move", "XID 2 would be below itself before"));
    let inserted = "<insert parentXID='6' position='1' DataXIDmap='(5-6)'><a>x</a></insert>";
    check(with_maps("(1-4)", "(5-6;1-4)", inserted), &at(1, "insert", "XID 6 would be below itself after"));
    // One by way of the other, and by way of what is new.
    let others = [moved(4, 3, "(1)"), moved(4, 1, "(2-3)").replace("sourcePosition='1'", "sourcePosition='2'")];
    check(with_maps("(1-4)", "(1-4)", &others.join("\n")), &at(1, "move", "XID 1 would be below itself after"));
    let new = [moved(4, 6, "(1)"), inserted.replace("parentXID='6'", "parentXID='1'")];
    check(with_maps("(1-4)", "(5-6;1-4)", &new.join("\n")), &at(1, "move", "XID 1 would be below itself after"));
    // Those that only change sides are right: 2 was in 3, and 3 is in 2.
    let swapped = [moved(3, 4, "(1-2)"), moved(4, 2, "(3)").replace("targetPosition='1'", "targetPosition='2'")];
    assert!(Delta::read(with_maps("(1-4)", "(1;3;2;4)", &swapped.join("\n")), &Limits::default()).is_ok());
}

#[test]
fn json_payloads_cannot_break_out() {
    let json = |operations: &str| {
        with_maps("(1-4)", "(5-6;1-4)", operations).replacen("whitespace", "format=\"json\" whitespace", 1)
    };
    let insert = |at: u32, name: &str, text: &str| {
        format!("<insert parentXID='4' position='{at}' DataXIDmap='({})'{name}>{text}</insert>", at + 4)
    };
    let right = json(&[insert(1, " name='a\\u0062'", "1"), insert(2, "", "\"x\"")].concat());
    assert!(Delta::read(right, &Limits::default()).is_ok());
    for (first, second) in [
        (insert(1, "", "1,2"), insert(2, "", "3")),
        (insert(1, "", "[1"), insert(2, "", "2]")),
        (insert(1, "", "1],[2"), insert(2, "", "2")),
        (insert(1, "", "\"a"), insert(2, "", "b\"")),
        (insert(1, " name='a\":1,\"b'", "1"), insert(2, "", "2")),
        (insert(1, " name='a\":{\"b'", "1}"), insert(2, "", "2")),
        (insert(1, "", ""), insert(2, "", "2")),
        (insert(1, "", "<b/>"), insert(2, "", "2")),
        (insert(1, "", "x"), insert(2, "", "2")),
    ] {
        let error = Delta::read(json(&[first, second].join("\n")), &Limits::default()).unwrap_err().to_string();
        assert!(error.starts_with("operation 1 (insert, line 2): ") || error.starts_with("operation 2"), "{error}");
    }
    let update = "<update nodeXID='1'><OldText>1</OldText><NewText>1,2</NewText></update>";
    let expected = "found `1,2`; expected a JSON string, number or literal";
    let source = with(update).replacen("whitespace", "format=\"json\" whitespace", 1);
    check(source, &format!("operation 1 (update, line 2): {expected}"));
}

#[test]
fn a_delta_can_be_written_by_others() {
    // In another encoding, with other quotes, white space and order, and a word-level script that is not asked for.
    let source = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?><d:xydelta nextXID='9' whitespace = 'exact' fromHash='a' \
        toHash='B' fromXIDmap='(1-4)' toXIDmap='(1-4)' xmlns:d='urn:deltaic:xydelta:1'>\n\n\
        <d:update  nodeXID='1'>\n <d:NewText><![CDATA[ ]]>x</d:NewText>\n <d:OldText/> <d:TextDelta>any</d:TextDelta></d:update></d:xydelta>";
    let bytes: Vec<u8> = source.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let delta = Delta::read(bytes, &Limits::default()).unwrap();
    let written = delta.to_xydelta();
    assert!(written.contains("<update nodeXID=\"1\"><OldText/><NewText> x</NewText></update>"), "{written}");
    assert!(written.contains("whitespace=\"exact\" fromHash=\"000000000000000a\""), "{written}");
}

#[test]
fn limits_hold() {
    let deep = format!("<insert parentXID='4' position='1' DataXIDmap='(5)'>{}", "<a>".repeat(50));
    let limits = Limits { max_depth: 20, ..Limits::default() };
    let error = Delta::read(with(&deep), &limits).unwrap_err().to_string();
    assert!(error.contains("--max-depth"), "{error}");
    let bomb = "<!DOCTYPE xydelta [<!ENTITY a 'aaaaaaaaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>";
    let update = format!("<update nodeXID='1'><OldText/><NewText>{}</NewText></update>", "&b;".repeat(100));
    let limits = Limits { max_entity_bytes: 1000, ..Limits::default() };
    let error = Delta::read(format!("{bomb}{}", with(&update)), &limits).unwrap_err().to_string();
    assert!(error.contains("--max-entity-bytes"), "{error}");
}
