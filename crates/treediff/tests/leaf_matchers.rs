//! Are the matchers that begin with the leaves right? Laws over random documents, the corpus, and what must not hurt.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use treediff::delta::Delta;
use treediff::matching::{Algorithm, Assignment, Fallback, GoodmatchOptions, Matching, Options};
use treediff::parse::{self, Whitespace};
use treediff::simulate::{Rates, simulate};
use treediff::tree::{Document, Format, Kind};

/// Every way that is tested here, with what it is told.
fn ways() -> Vec<(Algorithm, Options)> {
    let assigned = |assignment| GoodmatchOptions { assignment, ..Default::default() };
    let small = GoodmatchOptions { cells: 6, ..Default::default() };
    let goodmatch = [assigned(Assignment::Local), assigned(Assignment::Exact), small];
    let goodmatch =
        goodmatch.into_iter().map(|goodmatch| (Algorithm::Goodmatch, Options { goodmatch, ..Options::default() }));
    goodmatch.chain([(Algorithm::Fastmatch, Options::default())]).collect()
}

/// Matches two documents in every way, and holds each matching to the laws.
fn check(before: &Arc<Document>, after: &Arc<Document>, what: &str) {
    for (algorithm, options) in ways() {
        let matching = algorithm.matching(before, after, &options);
        check_pairs(before, after, &matching, what);
        let delta = Delta::between(before, after, &matching, &Default::default()).expect("one format");
        let patched = delta.apply(before, &Default::default());
        let patched = patched.unwrap_or_else(|error| panic!("{what}, {algorithm}: {error}"));
        assert!(patched.document.root().same_content(after.root()), "{what}, {algorithm}: applied");
        let back = delta.inverted().apply(after, &Default::default());
        let back = back.unwrap_or_else(|error| panic!("{what}, {algorithm}, backwards: {error}"));
        assert!(back.document.root().same_content(before.root()), "{what}, {algorithm}: applied backwards");
        let nothing = algorithm.matching(before, before, &options);
        assert!(Delta::between(before, before, &nothing, &Default::default()).expect("one format").is_empty());
    }
}

/// Pairs are of one kind and name, nobody is in two, and what is called the same is the same.
fn check_pairs(before: &Document, after: &Document, matching: &Matching, what: &str) {
    let mut seen = vec![false; after.len()];
    for (from, to) in matching.pairs() {
        assert!(!std::mem::replace(&mut seen[to.index()], true), "{what}: {to:?} is in two pairs");
        assert_eq!(matching.before_of(to), Some(from), "{what}");
        let (from, to) = (before.node(from), after.node(to));
        assert_eq!((from.kind(), from.name()), (to.kind(), to.name()), "{what}");
        assert!(!matching.is_same(to.id()) || from.same_content(to), "{what}: {to:?} is not the same");
    }
}

fn parsed(source: impl Into<Vec<u8>>, format: Format) -> Arc<Document> {
    let options = parse::Options { recover: true, ..parse::Options::default() };
    Arc::new(parse::parse(source, format, &options).expect("a document").document.with_sorted_members())
}

/// Elements of few names with few attributes, texts of few words, and what is between them.
fn some_xml() -> impl Strategy<Value = String> {
    let words = prop::collection::vec(prop::sample::select(vec!["one", "two", "three", "four"]), 1..4);
    let leaf = prop_oneof![
        4 => words.prop_map(|words| words.join(" ")),
        1 => Just("<e/>".to_owned()),
        1 => Just("<e k='1'/>".to_owned()),
        1 => Just("<!--c-->".to_owned()),
        1 => Just("<?p d?>".to_owned()),
    ];
    let tree = leaf.prop_recursive(4, 24, 5, |inner| {
        let name = prop::sample::select(vec!["a", "b", "c"]);
        let attributes = prop::sample::select(vec!["", " k='1'", " k='2' l='3'"]);
        (name, attributes, prop::collection::vec(inner, 0..5))
            .prop_map(|(name, attributes, inner)| format!("<{name}{attributes}>{}</{name}>", inner.concat()))
    });
    prop::collection::vec(tree, 0..6).prop_map(|inner| format!("<r>{}</r>", inner.concat()))
}

fn some_json() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec!["1", "2", "true", "null", "\"one two\"", "\"two three\"", "{}", "[]"]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(|inner| format!("[{}]", inner.join(","))),
            prop::collection::btree_map("[abc]", inner, 0..4).prop_map(|members| {
                let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn laws_hold_for_any_two_documents(before in some_xml(), after in some_xml()) {
        check(&parsed(before, Format::Xml), &parsed(after, Format::Xml), "any two");
    }

    #[test]
    fn laws_hold_for_simulated_versions(source in some_xml(), rate in 0.0..0.5f64, seed in 0..1000u64) {
        let before = parsed(source, Format::Xml);
        let options = parse::Options { recover: true, ..parse::Options::default() };
        if let Ok(version) = simulate(&before, &Rates::all(rate), seed, &options) {
            check(&before, &version.document, "simulated");
        }
    }

    #[test]
    fn laws_hold_for_json(before in some_json(), after in some_json()) {
        check(&parsed(before, Format::Json), &parsed(after, Format::Json), "JSON");
    }

    #[test]
    fn laws_hold_for_html(before in some_xml(), after in some_xml()) {
        let script = "<script>let x</script><style>p {}</style>";
        let [before, after] = [before, after].map(|body| parsed(format!("{script}{body}{script}"), Format::Html));
        check(&before, &after, "HTML");
    }
}

/// Every so many pairs of the corpus, of documents that are not too large for tests without optimisation.
fn check_corpus(format: Format, extensions: &[&str], every: usize) {
    let Some(corpus) = support::corpus() else { return };
    let pairs = support::successive_pairs(&corpus, extensions);
    let len = |file: &Path| fs::metadata(file).map_or(0, |metadata| metadata.len());
    let small = pairs.iter().filter(|[before, after]| len(before).max(len(after)) < 60_000);
    for [before, after] in small.step_by(every) {
        let read = |file: &Path| parse::parse(fs::read(file).expect("a file"), format, &Default::default()).ok();
        let (Some(old), Some(new)) = (read(before), read(after)) else { continue };
        check(&Arc::new(old.document), &Arc::new(new.document), &support::case_of(after, &corpus));
    }
}

#[test]
fn laws_hold_for_xml_of_the_corpus() {
    check_corpus(Format::Xml, support::XML_EXTENSIONS, 25);
}

#[test]
fn laws_hold_for_html_of_the_corpus() {
    check_corpus(Format::Html, support::HTML_EXTENSIONS, 25);
}

fn list(len: usize, item: impl Fn(usize) -> String) -> String {
    format!("<r>{}</r>", (0..len).map(item).collect::<String>())
}

#[test]
fn a_hundred_thousand_changed_leaves_are_matched_in_blocks() {
    const LEAVES: usize = 100_000;
    let before = parsed(list(LEAVES, |at| format!("<i>item {at} of old</i>")), Format::Xml);
    let after = parsed(list(LEAVES, |at| format!("<i>item {at} of new</i>")), Format::Xml);
    let matching = Algorithm::Goodmatch.matching(&before, &after, &Options::default());
    assert_eq!(matching.notes().count(Fallback::LeavesInBlocks), 1);
    let texts = before.nodes().filter(|node| node.kind() == Kind::Text);
    for (at, text) in texts.enumerate() {
        let partner = matching.after_of(text.id()).map(|id| after.node(id).value());
        assert_eq!(partner.as_deref(), Some(format!("item {at} of new").as_str()));
    }
}

#[test]
fn a_hundred_thousand_nodes_of_a_chain() {
    let list = |word: &str| parsed(list(100_000, |at| format!("<i>item {at} of {word}</i>")), Format::Xml);
    let (before, after, other) = (list("old"), list("new"), list("another kind altogether"));
    let matching = Algorithm::Fastmatch.matching(&before, &after, &Options::default());
    assert_eq!(matching.pairs().count(), before.len());
    let matching = Algorithm::Fastmatch.matching(&before, &other, &Options::default());
    assert!(matching.notes().count(Fallback::ChainInOrder) > 0);
    check_pairs(&before, &other, &matching, "a chain of strangers");
}

#[test]
fn too_many_leaves_to_be_assigned_exactly() {
    let list = |word: &str| parsed(list(1_300, |at| format!("<i>item {at} of {word}</i>")), Format::Xml);
    let (before, after) = (list("old"), list("new"));
    let goodmatch = GoodmatchOptions { assignment: Assignment::Exact, ..Default::default() };
    let matching = Algorithm::Goodmatch.matching(&before, &after, &Options { goodmatch, ..Options::default() });
    assert_eq!(matching.notes().count(Fallback::LocalAssignment), 1);
    assert_eq!(matching.pairs().count(), before.len());
}

#[test]
fn a_hundred_thousand_leaves_may_be_shuffled_or_alike() {
    let before = parsed(list(100_000, |at| format!("<i>{}</i>", at * 7919 % 100_003)), Format::Xml);
    let after = parsed(list(100_000, |at| format!("<i>{}</i>", at * 104_729 % 100_003)), Format::Xml);
    check_pairs(&before, &after, &Algorithm::Goodmatch.matching(&before, &after, &Options::default()), "shuffled");
    let [before, after] =
        [99_999, 100_000].map(|len| parsed(list(len, |at| format!("<i>{}</i>", at % 3)), Format::Xml));
    check_pairs(&before, &after, &Algorithm::Goodmatch.matching(&before, &after, &Options::default()), "alike");
}

#[test]
fn few_leaves_beside_very_many() {
    let before = parsed(list(5, |at| format!("<i>word {at}</i>")), Format::Xml);
    let after = parsed(list(100_000, |at| format!("<i>other {at}</i>")), Format::Xml);
    for (before, after) in [(&before, &after), (&after, &before)] {
        for (algorithm, options) in ways() {
            check_pairs(before, after, &algorithm.matching(before, after, &options), "few beside many");
        }
    }
}

#[test]
fn depth_is_no_danger() {
    const DEPTH: usize = 100_000;
    let chain = |leaf: &str| format!("{}{leaf}{}", "<a>x".repeat(DEPTH), "</a>".repeat(DEPTH));
    let [before, after] = ["one", "two"].map(|leaf| parsed(chain(leaf), Format::Xml));
    for (algorithm, options) in ways() {
        check_pairs(&before, &after, &algorithm.matching(&before, &after, &options), "deep");
    }
    let other = parsed(chain("one").replace("<a>x", "<b>y<a>x").replace("</a>", "</a></b>"), Format::Xml);
    for (algorithm, options) in ways() {
        check_pairs(&before, &other, &algorithm.matching(&before, &other, &options), "deep and wrapped");
    }
}

#[test]
fn white_space_may_count() {
    let options = parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
    let sources = ["<r>\n <a>one</a>\n <b/> \n</r>", "<r>\n\n <b/> <a>two</a>\n</r>"];
    let [before, after] = sources.map(|source| Arc::new(parse::xml(source, &options).expect("XML").document));
    for (algorithm, options) in ways() {
        let matching = algorithm.matching(&before, &after, &options);
        let exact = treediff::delta::Options { whitespace: Whitespace::Exact, ..Default::default() };
        let delta = Delta::between(&before, &after, &matching, &exact).expect("one format");
        let patched = delta.apply(&before, &Default::default()).expect("it applies");
        assert!(patched.document.root().same_content(after.root()));
    }
}
