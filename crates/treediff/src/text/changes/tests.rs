use proptest::prelude::*;

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
    shown_of(&Changes::new(&before, &after, &matching, &Entities::default()))
}

fn shown_of(changes: &Changes<'_>) -> String {
    let is_plain = |run: &Run| run.fate == Fate::Same && run.change.is_none() && run.format.is_none();
    let mut runs: Vec<Run> = Vec::new();
    for run in changes.runs() {
        match runs.last_mut() {
            // Where words that stayed are divided is of no matter to anybody.
            Some(last) if is_plain(last) && is_plain(run) => {
                (last.before.end, last.after.end) = (run.before.end, run.after.end);
            }
            _ => runs.push(run.clone()),
        }
    }
    let shown = runs.iter().map(|run| {
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
    // White space between tags is not the first that is seen of an element.
    check("<div title=a>\n <p>one</p></div><p>two", "<div title=b>\n <p>one</p></div><p>two", "<one> two");
    check(
        "<p>The first of all sentences.</p><p>Another one comes second here.</p><p>Last.</p>",
        "<p>Another one comes second here.</p><p>Last.</p><p>The first of all sentences.</p>",
        "[→The first of all sentences.] Another one comes second here. Last. {←The first of all sentences.}",
    );
}

#[test]
fn sentences_are_paired_by_the_words_they_share() {
    let check =
        |before: &str, after: &str, expected: &str| assert_eq!(shown(before, after), expected, "{before} → {after}");
    check("<p>The quick fox ran.", "<p>The slow fox ran.", "The [-quick-] {+slow+} fox ran.");
    check("<p>Tea costs 3.50 euros.", "<p>Tea costs 4.20 euros.", "Tea costs [-3.50-] {+4.20+} euros.");
    // A new sentence, and a word of the next one.
    check(
        "<p>It rained all day. We stayed at home.",
        "<p>It rained all day. Nobody came by. We stayed at work.",
        "It rained all day. {+Nobody came by.+} We stayed at [-home-] {+work+} .",
    );
    // A paragraph that was split, with a word changed in each half.
    check(
        "<p>It rained all day long. We stayed at home together.</p>",
        "<p>It rained all night long.</p><p>We stayed at home alone.</p>",
        "It rained all [-day-] {+night+} long. _We stayed at home_ [-together-] {+alone+} .",
    );
    // A sentence that says something else is replaced as a whole.
    check(
        "<p>Hello there. The committee met on Monday.",
        "<p>Hello there. No trains today because of snow.",
        "Hello there. [-The committee met on Monday.-] {+No trains today because of snow.+}",
    );
    check("<p>can't stop", "<p>won't stop", "[-can't-] {+won't+} stop");
    check(
        "<p>今天天气很好。我们去公园。",
        "<p>今天天气不好。我们去公园。",
        "今天天气 [-很好-] {+不好+} 。我们去公园。",
    );
}

#[test]
fn cells_are_compared_with_their_partners() {
    let check =
        |before: &str, after: &str, expected: &str| assert_eq!(shown(before, after), expected, "{before} → {after}");
    check(
        "<table><tr><td>Tea<td>3 euros a cup<tr><td>Milk<td>2 euros a cup</table>",
        "<table><tr><td>Tea<td>4 euros a cup<tr><td>Milk<td>2 euros a cup</table>",
        "Tea [-3-] {+4+} euros a cup Milk 2 euros a cup",
    );
    // Without a word in common, each stays in its cell.
    check(
        "<table><tr><td>Tea<td>3<td>5<tr><td>Milk<td>2<td>7</table>",
        "<table><tr><td>Tea<td>4<td>6<tr><td>Water<td>1<td>1<tr><td>Milk<td>2<td>7</table>",
        "Tea [-3-] {+4+} [-5-] {+6+} {+Water 1 1+} Milk 2 7",
    );
    check(
        "<table><tr><th>Name<th>Price<tr><td>Tea<td>3</table>",
        "<table><tr><th>Name<th>Size<th>Price<tr><td>Tea<td>big<td>3</table>",
        "Name {+Size+} Price Tea {+big+} 3",
    );
}

#[test]
fn words_of_chance_are_part_of_the_change() {
    let check =
        |before: &str, after: &str, expected: &str| assert_eq!(shown(before, after), expected, "{before} → {after}");
    check(
        "<p>In spring the committee of architects met the mayor of the city of Rome.",
        "<p>In spring the delegation of engineers met the mayor of the city of Rome.",
        "In spring the [-committee of architects-] {+delegation of engineers+} met the mayor of the city of Rome.",
    );
}

#[test]
fn insertions_are_phrases() {
    let check =
        |before: &str, after: &str, expected: &str| assert_eq!(shown(before, after), expected, "{before} → {after}");
    check("<p>Tea, milk and so on.", "<p>Tea, water, milk and so on.", "Tea, {+water,+} milk and so on.");
    check("<p>The cat and the dog.", "<p>The cat and the bird and the dog.", "The cat {+and the bird+} and the dog.");
    check("<p>Released on 2024-01-02.", "<p>Released on 2024-02-05.", "Released on 2024- [-01-02-] {+02-05+} .");
    check("<p>See (a) (c) there.", "<p>See (a) (b) (c) there.", "See (a) {+(b)+} (c) there.");
}

/// A few words and tags, so that much is alike.
fn pieces() -> impl proptest::strategy::Strategy<Value = String> {
    let pieces = [
        "one ",
        "two ",
        "Three. ",
        "the words of a sentence that moves. ",
        "<p>",
        "</p>",
        "<li>",
        "<ul>",
        "</ul>",
        "<table><tr><td>",
        "<td>",
        "<tr><td>",
        "</table>",
        "<b>",
        "</b>",
        "<a href=x>",
        "</a>",
        "<img src=a>",
        "<img src=b>",
        "<input>",
        "<input checked>",
        "<pre>",
        "\n",
        "</pre>",
        "<h1>",
        "<br>",
    ];
    let piece = proptest::sample::select(pieces.to_vec());
    proptest::strategy::Strategy::prop_map(proptest::collection::vec(piece, 0..40), |pieces| pieces.concat())
}

proptest::proptest! {
    #[test]
    fn runs_follow_each_other_on_both_sides(before in pieces(), after in pieces()) {
        let (before, after) = (page(&before), page(&after));
        let matching = matching::auto(&before, &after, &Default::default());
        let changes = Changes::new(&before, &after, &matching, &Entities::default());
        let mut done = (0, 0);
        for run in changes.runs() {
            proptest::prop_assert_eq!((run.before.start, run.after.start), done);
            proptest::prop_assert!(run.change.is_none_or(|number| number < changes.list().len()));
            done = (run.before.end, run.after.end);
        }
        proptest::prop_assert_eq!(done, (changes.before().items().len(), changes.after().items().len()));
    }
}

proptest! {
    /// What is not read word by word is not told otherwise.
    #[test]
    fn passages_that_stay_whole_change_nothing(
        versions in prop::array::uniform2(prop::collection::vec((0..BLOCKS.len(), 0..AROUND.len()), 0..8)),
    ) {
        let sources = versions.map(|blocks| {
            let blocks = blocks.into_iter().map(|(block, around)| AROUND[around].replace('*', BLOCKS[block]));
            blocks.collect::<String>()
        });
        let [before, after] = sources.each_ref().map(|source| page(source));
        let matching = matching::auto(&before, &after, &Default::default());
        let entities = Entities::default();
        let whole = Changes::new(&before, &after, &matching, &entities);
        let cut = Changes::of_all_sentences(&before, &after, &matching, &entities);
        prop_assert_eq!(shown_of(&whole), shown_of(&cut), "{} → {}", &sources[0], &sources[1]);
        prop_assert_eq!(whole.formats(), cut.formats());
        let details = |changes: &Changes<'_>| changes.list().iter().map(|change| change.details.clone()).collect::<Vec<_>>();
        prop_assert_eq!(details(&whole), details(&cut));
    }
}

const BLOCKS: [&str; 8] = [
    "<p>Tea is back. Enjoy it!</p>",
    "<p>Tea is <b>back</b>. Enjoy it!</p>",
    "<p>Tea is back.<br>Enjoy it at home and on the road!</p>",
    "<table><tr><td>one</td><td>two</td></tr></table>",
    "<table><tr><td>two</td><td>one</td></tr></table>",
    "<pre> x\n  y </pre>",
    "<h2>Tea &amp; more</h2><p>\u{AD}Dr. No « said » so.\u{A0}</p>",
    "words alone",
];

const AROUND: [&str; 9] = [
    "*",
    "<div>*</div>",
    "<div title=x>*</div>",
    "<a href=/x>*</a>",
    "<b>*</b>",
    "<section hidden>*</section>",
    "<center title=y class=x>*</center>",
    "<ul><li>*</li><li>more</li></ul>",
    "<table><tr><td>*</td><td>more</td></tr></table>",
];
