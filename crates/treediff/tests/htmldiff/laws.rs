//! Is all of both pages in the merged one? What is left without the removed parts is the new page, and without the added parts
//! the old one, for all pages of the corpus and any two of them.

use treediff::render::html;
use treediff::text::{Reading, Vocabulary};
use treediff::tree::{Document, Node};

use crate::marked::{merged, page};
use crate::support;

/// What is read of a page but for images and the like, and but for marks of these kinds; without white space, which marks may
/// have around them.
fn text(page: &Document, key: &str, without: &[&str]) -> String {
    let (mark, kind) = (format!("data-{key}"), format!("data-{key}-kind"));
    let is_left_out = |node: Node<'_>| match node.attribute("", &kind).as_deref() {
        None | Some("image") => without.contains(&mark_of(node.name().local)),
        Some(kind) => without.contains(&kind),
    };
    let is_mark = |node: Node<'_>| node.is_element() && node.attribute("", &mark).is_some();
    let mut hidden = page.nodes().filter(|node| is_mark(*node) && is_left_out(*node));
    let mut next = hidden.next();
    let reading = Reading::new(page, &mut Vocabulary::default());
    let mut text = String::new();
    for (at, segment) in reading.segments().iter().enumerate() {
        while next.is_some_and(|mark| mark.end() <= segment.node.index() as u32) {
            next = hidden.next();
        }
        let is_hidden = next.is_some_and(|mark| mark.id() < segment.node);
        if !segment.is_atom && !is_hidden {
            text.extend(reading.text()[reading.segment_range(at)].chars().filter(|&character| is_seen(character)));
        }
    }
    text
}

/// White space may be around marks, and what nobody sees is no difference.
fn is_seen(character: char) -> bool {
    let is_unseen = matches!(character, '\u{AD}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}');
    !character.is_whitespace() && !is_unseen
}

fn mark_of(element: &str) -> &'static str {
    if element == "ins" { "added" } else { "removed" }
}

/// What does not hold of a pair, in both ways of showing it.
fn faults(name: &str, before: &Document, after: &Document) -> Vec<String> {
    let mut faults = Vec::new();
    for reverse in [false, true] {
        let options = html::Options { reverse, ..Default::default() };
        let (frame, key) = merged(before, after, &options);
        let mut compare = |expected: String, found: String, which: &str| {
            let at = expected.bytes().zip(found.bytes()).take_while(|(x, y)| x == y).count().saturating_sub(40);
            let near =
                |text: &str| String::from_utf8_lossy(&text.as_bytes()[at..text.len().min(at + 120)]).into_owned();
            if expected != found {
                let (expected, found) = (near(&expected), near(&found));
                faults.push(format!("{name}: the {which} page (reverse: {reverse}): `{expected}` is `{found}`"));
            }
        };
        compare(text(after, "", &[]), text(&frame, &key, &["removed", "moved-from"]), "new");
        compare(text(before, "", &[]), text(&frame, &key, &["added", "moved-to"]), "old");
    }
    faults
}

#[test]
fn every_page_and_its_next_version() {
    let Some(corpus) = support::corpus() else { return };
    let pairs = support::successive_pairs(&corpus, support::HTML_EXTENSIONS);
    assert!(pairs.len() > 500, "{} pairs", pairs.len());
    let found = pairs.iter().flat_map(|[before, after]| {
        let [old, new] = [before, after].map(|file| page(std::fs::read(file).expect("a readable page")));
        faults(&support::case_of(after, &corpus), &old, &new)
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{} faults\n{}", found.len(), found.join("\n"));
}

#[test]
fn pages_that_have_little_in_common() {
    let pages = [
        "",
        "x",
        "<p>one",
        "<table><tr><td>a<td>b</table>",
        "<ul><li>one<li>two<ul><li>three</ul></ul>",
        "<frameset><frame src=x></frameset>",
        "<a href=x>one <b>two</a> three</b>",
        "<p><table><p>x</table>",
        "<pre>\n\n a\n</pre>",
        "<select><option>a</select>",
        "<svg><text>a</text></svg>b",
        "<dl><dt>one<dd>two</dl>",
        "<h1>one</h1><p>two <i>three</i></p>",
        "<plaintext>a <b>",
        "<details><summary>one</summary>two</details>",
        "<b>H</b>ello w<i>orl</i>d",
        "<table><caption>c</caption><thead><tr><th>one</thead><tr><td>two</table>",
        "<p>one<br>two<hr>three",
        "<ruby>a<rp>(</rp><rt>b</rt></ruby>",
        "<button>one</button><label>two <input value=three></label>",
        "<template>no</template><noscript>no</noscript>yes",
        "<p>one <object data=a><p>two</p><object data=b>three</object></object> four",
        "<ul><li><canvas>one</canvas></ul><applet code=c><ul><li>two</ul></applet>",
        "<object data=b>three <img alt=i></object><object data=a></object>",
    ];
    for before in pages {
        for after in pages {
            let found = faults(&format!("`{before}` → `{after}`"), &page(before), &page(after));
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
    }
}
