use super::*;
use crate::matching;
use crate::parse::{self, Options, Whitespace};

fn page(source: &str) -> Document {
    let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
    parse::html(source, &options).expect("a page").document
}

/// Both versions as one text, with what is gone and new in brackets.
fn shown(before: &str, after: &str) -> String {
    let (before, after) = (page(before), page(after));
    let matching = matching::auto(&before, &after, &Default::default());
    let changes = Changes::new(&before, &after, &matching, &Entities::default());
    let shown = changes.runs().iter().map(|run| {
        let (old, new) =
            (changes.before().excerpt(run.before.clone(), 100), changes.after().excerpt(run.after.clone(), 100));
        let kind = run.change.map(|number| changes.list()[number].kind);
        match run.fate {
            Fate::Same if kind.is_some() => format!("<{new}>"),
            Fate::Same if run.format.is_some() => format!("_{new}_"),
            Fate::Same => new,
            Fate::Removed => format!("[-{old}-]"),
            Fate::Added => format!("{{+{new}+}}"),
            Fate::MovedFrom => format!("[→{old}]"),
            Fate::MovedTo => format!("{{←{new}}}"),
        }
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn words_and_sentences() {
    let check =
        |before: &str, after: &str, expected: &str| assert_eq!(shown(before, after), expected, "{before} → {after}");
    check("<p>Tea is <b>back</b>. Enjoy!", "<p>Tea is <b>back</b>. Enjoy!", "Tea is back. Enjoy!");
    check("<p>one two", "<p>one <b>two</b>", "one _two_");
    check("<p><a href=a>one</a> two", "<p><a href=b>one</a> two", "<one> two");
    check("<ul><li>one<li>three</ul>", "<ul><li>one<li>two<li>three</ul>", "one {+two+} three");
    check(
        "<p>The first of all sentences.</p><p>Another one comes second here.</p><p>Last.</p>",
        "<p>Another one comes second here.</p><p>Last.</p><p>The first of all sentences.</p>",
        "[→The first of all sentences.] Another one comes second here. Last. {←The first of all sentences.}",
    );
}
