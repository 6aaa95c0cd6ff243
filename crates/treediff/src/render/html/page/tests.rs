use super::*;
use crate::matching;
use crate::parse::{self, Whitespace};
use crate::text::{Entities, Vocabulary};
use crate::tree::Document;

fn page(source: &str) -> Document {
    let options = parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
    parse::html(source, &options).expect("a page").document
}

fn merged(before: &Document, after: &Document, side: Side) -> String {
    let matching = matching::auto(before, after, &Default::default());
    let changes = Changes::new(before, after, &matching, &Entities::default());
    let options = PageOptions { side, others: Others::Shown, key: KEY, base: None, allowed: &[], most_changes: 500 };
    let mut written = String::new();
    Page { changes: &changes, matching: &matching, options }.write(|piece| written.push_str(piece));
    written
}

const KEY: &str = "d0123456789abcdef";

/// What is in the body, with short marks: `[-gone-]`, `{+new+}`, `{~other~}`, and `(…)` for what is held together.
fn shown(before: &str, after: &str, side: Side) -> String {
    let merged = merged(&page(before), &page(after), side);
    let merged = merged.replace(&format!(" data-{KEY}-around"), "");
    let body = merged.split_once("<body>").map_or(&*merged, |(_, body)| body);
    let body = body.split_once("</body>").map_or(body, |(body, _)| body);
    let mut out = String::new();
    let mut rest = body;
    let mut open = Vec::new();
    while let Some((text, tag)) = rest.split_once('<') {
        out.push_str(text);
        let (tag, behind) = tag.split_once('>').unwrap_or((tag, ""));
        rest = behind;
        let is_ours = tag.contains(KEY);
        match (tag.split(' ').next().unwrap_or_default(), is_ours) {
            ("a", true) => rest = rest.trim_start_matches("</a>"),
            ("del", true) => (out.push_str("[-"), open.push("-]")).1,
            ("ins", true) => (out.push_str("{+"), open.push("+}")).1,
            ("span", true) if tag.ends_with("-text") => (out.push('('), open.push(")")).1,
            ("span", true) => (out.push_str("{~"), open.push("~}")).1,
            ("/del" | "/ins" | "/span", _) if !open.is_empty() => out.push_str(open.pop().unwrap_or_default()),
            _ => out.push_str(&format!("<{tag}>")),
        }
    }
    out + rest
}

#[test]
fn what_has_changes_in_it_is_open() {
    let details = "<details><summary>one</summary>two *</details>\n<details>three</details>";
    let view = merged(&page(&details.replace('*', "gone")), &page(&details.replace('*', "")), Side::After);
    assert_eq!(view.matches("<details open").count(), 1, "{view}");
    assert!(view.ends_with("<details>three</details></body></html>"), "{view}");
}

#[test]
fn dialogs_stand_where_they_are_written() {
    let dialog = "<dialog open><p>Please * now.</p></dialog><dialog><p>Not yet.</p></dialog>";
    let view = merged(&page(&dialog.replace('*', "pay")), &page(&dialog.replace('*', "wait")), Side::After);
    assert!(view.contains("dialog { position: static !important; }"), "{view}");
    assert!(view.ends_with("<dialog><p>Not yet.</p></dialog></body></html>"), "{view}");
    let closed = dialog.replace(" open", "");
    let view = merged(&page(&closed.replace('*', "pay")), &page(&closed.replace('*', "wait")), Side::After);
    assert_eq!(view.matches("<dialog open").count(), 1, "{view}");
    let view = merged(&page("<p>one<dialog>two</dialog><details>three</details>"), &page("<p>one"), Side::After);
    assert_eq!((view.matches("<dialog open").count(), view.matches("<details open").count()), (1, 1), "{view}");
}

#[test]
fn changes_that_are_too_many_have_neither_names_nor_arrows() {
    let (before, after) = (page("<p>one <p>two"), page("<p>1 <p>2"));
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    let arrows = |most_changes: usize| {
        let (side, others) = (Side::After, Others::Shown);
        let options = PageOptions { side, others, key: KEY, base: None, allowed: &[], most_changes };
        let mut written = String::new();
        Page { changes: &changes, matching: &matching, options }.write(|piece| written.push_str(piece));
        let (_, body) = written.split_once("<body").expect("a body");
        let count = |what: &str| body.matches(what).count();
        assert_eq!((count(&format!(" data-{KEY}=1")), count(&format!(" data-{KEY}=2"))), (2, 2));
        (count("aria-label='next change'"), count(&format!(" id={KEY}-")))
    };
    assert_eq!((changes.list().len(), arrows(2), arrows(1)), (2, (1, 2), (0, 1)));
}

#[test]
fn arrows_lead_to_changes_that_are_in_the_page() {
    let before = page("<p>one of all<p>gone<p><a href=/>two of all</a><p>three of all");
    let after = page("<p>1 of all<p><a href=/>2 of all</a><p>3 of all");
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    let arrows = |others: Others| {
        let options = PageOptions { side: Side::After, others, key: KEY, base: None, allowed: &[], most_changes: 500 };
        let mut written = String::new();
        Page { changes: &changes, matching: &matching, options }.write(|piece| written.push_str(piece));
        let (_, body) = written.split_once("<body").expect("a body");
        let address = |rest: &str| rest.split_once(' ').map(|(number, _)| number.to_owned());
        let arrows: Vec<String> = body.split(&format!("about:srcdoc#{KEY}-")).skip(1).filter_map(address).collect();
        assert_eq!(body.matches("<object").count(), 1, "{body}");
        arrows.join(" ")
    };
    assert_eq!((changes.list().len(), &*arrows(Others::Shown)), (4, "2 1 3 2 4 3"));
    assert_eq!(arrows(Others::Hidden), "3 1 4 3");
}

#[test]
fn what_is_gone_stands_where_it_was() {
    let check =
        |before: &str, after: &str, expected: &str| assert_eq!(shown(before, after, Side::After), expected, "{after}");
    check("<p>one two three", "<p>one 2 three", "<p>one [-two-] {+2+} three</p>");
    check(
        "<ul><li>one</li><li>two</li><li>three</li></ul>",
        "<ul><li>one</li><li>three</li></ul>",
        "<ul><li>one</li><li>[-two-]</li><li>three</li></ul>",
    );
    check(
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<table><tr><td>a</td><td>b</td></tr></table>",
        "<table><tbody><tr><td>a</td><td>b</td></tr><tr><td>[-c-]</td><td>[-d-]</td></tr></tbody></table>",
    );
    check(
        "<table><tr><td>a</td><td>b</td></tr><tr><td>c</td><td>d</td></tr></table>",
        "<table><tr><td>b</td></tr><tr><td>d</td></tr></table>",
        "<table><tbody><tr><td>[-a-]</td><td>b</td></tr><tr><td>[-c-]</td><td>d</td></tr></tbody></table>",
    );
    check("<p>one</p><p>two</p>", "<p>one</p>", "<p>one</p><p>[-two-]</p>");
    check("<p>one</p>", "<h1>new</h1><p>one</p>", "<h1>{+new+}</h1><p>one</p>");
    check("<p>gone</p>", "", "<p>[-gone-]</p>");
    check(
        "<p>see <a href=/x>this</a> now",
        "<p>see <a href=/y>this</a> now",
        "<p>see <a title=\"/y\">{~this~}</a> now</p>",
    );
    check(
        "<p>a <img src=x alt=old> b",
        "<p>a <img src=y alt=new> b",
        "<p>a [-<img alt=\"old\" title=\"x\">-] {+<img alt=\"new\" title=\"y\">+} b</p>",
    );
    check("<pre>\n\na  b\n</pre>", "<pre>\n\na b\n</pre>", "<pre>\n\na[-  -]{+ +}b\n</pre>");
}

#[test]
fn a_text_in_a_row_of_boxes_stays_one() {
    let check = |before: &str, after: &str, expected: &str| {
        let row = |content: &str| format!("<div style=display:flex>{content}</div>");
        let expected = expected.replacen("<div>", "<div style=\"display:flex\">", 1);
        assert_eq!(shown(&row(before), &row(after), Side::After), expected, "{after}");
        // Where there are no such boxes nothing is put around a text.
        let [before, after] = [before, after].map(|content| format!("<div style=display:block>{content}</div>"));
        let bare = expected.replace(['(', ')'], "").replace("flex", "block");
        assert_eq!(shown(&before, &after, Side::After), bare, "{after}");
    };
    check(
        "Open nine until six <b>daily</b> and more",
        "Open ten until six <b>daily</b> and more",
        "<div>(Open [-nine-] {+ten+} until six )<b>daily</b> and more</div>",
    );
    check("one two three", "one two three four", "<div>(one two three {+four+})</div>");
    check("one two three four", "one two three", "<div>(one two three [-four-])</div>");
    // One mark around all of it is one thing already, and an element beside it was one of its own.
    check("", "one two three", "<div>{+one two three+}</div>");
    check("one two three<div>gone now</div>", "one two three", "<div>one two three<div>[-gone now-]</div></div>");
    check(
        "one two three<div>gone now</div>",
        "one 2 three",
        "<div>(one [-two-] {+2+} three)<div>[-gone now-]</div></div>",
    );
}

/// The words of a page without what is marked as new, or as gone.
fn words(page: &Document, without: &str) -> Vec<String> {
    let mut hidden: Vec<std::ops::Range<u32>> = Vec::new();
    let key = format!("data-{KEY}");
    for node in page.nodes().filter(|node| is_html(*node, without) && node.attribute("", &key).is_some()) {
        hidden.push(node.id().0..node.end());
    }
    let reading = Reading::new(page, &mut Vocabulary::default());
    let mut text = String::new();
    for (at, segment) in reading.segments().iter().enumerate() {
        if !segment.is_atom && !hidden.iter().any(|range| range.contains(&segment.node.0)) {
            text.push_str(&reading.text()[reading.segment_range(at)]);
        }
    }
    text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().concat().chars().map(String::from).collect()
}

#[test]
fn both_pages_are_in_it() {
    for (before, after) in [("<p>one two three", "<p>one 2 three"), ("<ul><li>a<li>b</ul>c", "<ul><li>b</ul><p>d</p>c")]
    {
        let (before, after) = (page(before), page(after));
        for side in [Side::After, Side::Before] {
            let merged = page(&merged(&before, &after, side));
            assert_eq!(words(&merged, "ins").concat(), words(&before, "ins").concat());
            assert_eq!(words(&merged, "del").concat(), words(&after, "del").concat());
        }
    }
}

#[test]
fn line_breaks_have_a_sign() {
    let (short, long) = (page("<pre>a\nb\n</pre>"), page("<pre>a\n\nb\n</pre>"));
    let sign = format!("data-{KEY}=1 data-{KEY}-break");
    for side in [Side::Before, Side::After] {
        assert_eq!(merged(&short, &long, side).matches(&sign).count(), 1, "{side:?}, new");
        assert_eq!(merged(&long, &short, side).matches(&sign).count(), 1, "{side:?}, gone");
    }
    let words = merged(&page("<pre>a\nb\n</pre>"), &page("<pre>a\nnew\nb\n</pre>"), Side::After);
    assert!(!words.contains(&sign), "{words}");
}
