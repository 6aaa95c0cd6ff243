//! Does every algorithm give a right matching, and every delta of it keep the laws? Small cases of every kind, random
//! documents, and a sample of the corpus, each over all of them.

#[path = "support/laws.rs"]
mod laws;
mod support;

use std::path::PathBuf;
use std::sync::Arc;

use laws::{Seen, Version, check_applied, check_delta, composed, law};
use proptest::prelude::*;
use treediff::delta::{self, Delta, Identities};
use treediff::matching::{self, Algorithm, Matching};
use treediff::parse::{self, Whitespace};
use treediff::simulate::{Rates, simulate};
use treediff::tree::{Document, Format, Node};

/// What a matcher may be told.
#[derive(Debug, Clone, Copy)]
struct Way {
    without_moves: bool,
    unordered: bool,
    without_ids: bool,
}

const WAYS: [Way; 4] = [
    Way { without_moves: false, unordered: false, without_ids: false },
    Way { without_moves: true, unordered: false, without_ids: false },
    Way { without_moves: false, unordered: true, without_ids: false },
    Way { without_moves: true, unordered: true, without_ids: true },
];

fn matched(algorithm: Algorithm, before: &Document, after: &Document, way: Way) -> Matching {
    let Way { without_moves, unordered, without_ids } = way;
    algorithm.matching(
        before,
        after,
        &matching::Options { without_moves, unordered, without_ids, ..Default::default() },
    )
}

fn between(
    [before, after]: [&Arc<Document>; 2],
    matching: &Matching,
    without_moves: bool,
    identities: Option<Identities>,
) -> Delta {
    let options = delta::Options { without_moves, identities, ..Default::default() };
    Delta::between(before, after, matching, &options).expect("documents of one format")
}

/// All that holds for an algorithm on two versions, in every way that it can be told.
fn check_pair(algorithm: Algorithm, before: &Version, after: &Version) -> Result<(), String> {
    for way in WAYS {
        check_way(algorithm, before, after, way).map_err(|fault| format!("{algorithm}, {way:?}: {fault}"))?;
    }
    Ok(())
}

fn check_way(algorithm: Algorithm, before: &Version, after: &Version, way: Way) -> Result<(), String> {
    let documents = [&before.document, &after.document];
    let matching = matched(algorithm, documents[0], documents[1], way);
    check_matching(&matching, documents[0], documents[1])?;
    let delta = between(documents, &matching, way.without_moves, None);
    law(!way.without_moves || delta.stats().moved_subtrees == 0, "nothing moves where nothing may")?;
    check_delta(&delta, before, after, &mut Seen::default())?;
    let unchanged = [documents[1]; 2];
    let nothing = between(unchanged, &matched(algorithm, documents[1], documents[1], way), way.without_moves, None);
    law(nothing.is_empty(), "nothing changed in nothing")
}

/// No node is in two pairs, the nodes of a pair are of one kind and name, and what is said to be the same is.
fn check_matching(matching: &Matching, before: &Document, after: &Document) -> Result<(), String> {
    law(matching.is_pair(before.root().id(), after.root().id()), "the documents are a pair")?;
    for (from, to) in matching.pairs() {
        let (old, new) = (before.node(from), after.node(to));
        law(matching.before_of(to) == Some(from), "a node has one partner")?;
        let is_alike = old.kind() == new.kind() && old.name() == new.name();
        law(is_alike, "the nodes of a pair are of one kind and name")?;
        law(!matching.is_same(to) || is_same(matching, old, new), "what is said to be the same is the same")?;
    }
    let partners = after.nodes().filter(|node| matching.before_of(node.id()).is_some()).count();
    law(partners == matching.pairs().count(), "as many nodes have a partner on both sides")
}

fn is_same(matching: &Matching, old: Node<'_>, new: Node<'_>) -> bool {
    let are_pairs = old.descendants().zip(new.descendants()).all(|(old, new)| matching.is_pair(old.id(), new.id()));
    old.size() == new.size() && old.same_content(new) && are_pairs
}

/// Along a history the identities go on, and all deltas are one.
fn check_history(algorithm: Algorithm, versions: &[Version]) -> Result<(), String> {
    let mut identities = None;
    let mut whole: Option<Delta> = None;
    for pair in versions.windows(2) {
        let documents = [&pair[0].document, &pair[1].document];
        let delta = between(documents, &matched(algorithm, documents[0], documents[1], WAYS[0]), false, identities);
        check_delta(&delta, &pair[0], &pair[1], &mut Seen::default())?;
        identities = Some(Identities { xids: delta.to_xids().clone(), next: delta.next_xid() });
        whole = Some(whole.map_or(Ok(delta.clone()), |whole| composed(&whole, &delta))?);
    }
    let ends = versions.first().zip(versions.last()).zip(whole);
    ends.map_or(Ok(()), |((first, last), whole)| check_applied(&whole, first, last, &mut Seen::default()))
}

fn parsed(source: &str, format: Format) -> Version {
    let parsed = parse::parse(source, format, &Default::default()).unwrap_or_else(|error| panic!("{source}: {error}"));
    Version::of(Arc::new(parsed.document.with_sorted_members()))
}

/// Every algorithm, there and back.
fn check(format: Format, before: &str, after: &str) {
    let [before, after] = [before, after].map(|source| parsed(source, format));
    for algorithm in Algorithm::ALL {
        for [from, to] in [[&before, &after], [&after, &before]] {
            let (old, new) = (from.document.source(), to.document.source());
            check_pair(algorithm, from, to).unwrap_or_else(|fault| panic!("{fault}\nbefore: {old}\nafter:  {new}"));
        }
    }
}

#[test]
fn names_are_those_on_the_command_line() {
    for algorithm in Algorithm::ALL {
        assert_eq!(algorithm.name().parse(), Ok(algorithm));
        assert!(!algorithm.summary().is_empty());
    }
    assert!(Algorithm::ALL.contains(&Algorithm::default()));
    assert!("nobody".parse::<Algorithm>().is_err());
}

#[test]
fn small_cases_of_xml() {
    let cases = [
        ("the same", "<a><b>1</b></a>", "<a><b>1</b></a>"),
        ("an empty root", "<a/>", "<a/>"),
        ("filled", "<a/>", "<a><b>1</b><c/></a>"),
        ("a root renamed", "<a><b>1</b></a>", "<z><b>1</b></z>"),
        ("a root wrapped", "<a><b>1</b></a>", "<z><a><b>1</b></a></z>"),
        ("a root renamed to its child", "<a><b><c/></b></a>", "<b><c/></b>"),
        ("comments alone", "<!-- 1 --><a/><!-- 2 -->", "<!-- 2 --><a/><!-- 3 --><!-- 1 -->"),
        ("comments below", "<a><!-- 1 --><!-- 2 --></a>", "<a><!-- 2 --><!-- 1 --></a>"),
        ("instructions", "<?x 1?><a><?x 1?><?y 2?></a>", "<a><?y 2?><?x 2?></a><?x 1?>"),
        ("mixed content", "<p>one <b>two</b> three</p>", "<p>zero <b>two</b> four <i>five</i> three</p>"),
        ("mixed content swapped", "<p>one<b/>two<b/>three</p>", "<p>three<b/>one<b/>two</p>"),
        ("a text between two", "<p><b/>x<c/></p>", "<p>x<b/><c/>y</p>"),
        ("equal siblings", "<a><b/><b/><b/></a>", "<a><b/><b/><b/><b/></a>"),
        ("equal texts", "<a><b>y</b><b>y</b><c>y</c></a>", "<a><c>y</c><b>y</b><c>y</c></a>"),
        ("reversed", "<a><b>1</b><b>2</b><b>3</b><b>4</b></a>", "<a><b>4</b><b>3</b><b>2</b><b>1</b></a>"),
        ("inside out", "<a><b><c><d/></c></b></a>", "<a><d><c><b/></c></d></a>"),
        ("into one another", "<a><x><y>1</y></x></a>", "<a><y><x>1</x></y></a>"),
        ("moved below a new one", "<a><b>some text</b></a>", "<a><c><d><b>some text</b></d></c></a>"),
        ("moved out of what goes", "<a><c><b>some text</b></c></a>", "<a><b>some text</b></a>"),
        ("attributes", "<a x='1' y='2'/>", "<a y='3' z='4'/>"),
        ("namespaces", "<a xmlns='u:1'><b/></a>", "<p:a xmlns:p='u:1' xmlns='u:2'><b/><p:b/></p:a>"),
        ("identities that cross", ids("<b id='1'/><b id='2'/>"), ids("<b id='2'/><b id='1'/>")),
        ("identities of other names", ids("<b id='1'/><c/>"), ids("<c id='1'/><b/>")),
        ("a doctype comes", "<a/>", "<!DOCTYPE a><a/>"),
        ("a doctype changes", "<!DOCTYPE a [<!ENTITY e 'x'>]><a>&e;</a>", "<!DOCTYPE a SYSTEM 's'><a>x</a>"),
        (
            "a reference that is not followed",
            "<!DOCTYPE a SYSTEM 's'><a>&x;</a>",
            "<!DOCTYPE a SYSTEM 's'><a>&y;b&x;</a>",
        ),
        ("marked sections", "<a><![CDATA[<b/>]]></a>", "<a><b/><![CDATA[]]></a>"),
        ("white space that counts", "<a xml:space='preserve'> <b/> </a>", "<a xml:space='preserve'><b/> <b/></a>"),
    ];
    for (name, before, after) in cases {
        eprintln!("{name}"); // shown where it fails
        check(Format::Xml, before, after);
    }
}

/// A document whose `id` attributes are identities.
fn ids(content: &'static str) -> &'static str {
    let dtd = "<!DOCTYPE a [<!ATTLIST b id ID #IMPLIED><!ATTLIST c id ID #IMPLIED>]>";
    Box::leak(format!("{dtd}<a>{content}</a>").into_boxed_str())
}

#[test]
fn small_cases_of_html() {
    let cases = [
        ("nothing at all", "", "<p>x"),
        ("a list", "<ul><li>a<li>b</ul>", "<ul><li>b<li>a<li>c</ul>"),
        (
            "a paragraph with links",
            "<p>see <a href=x>here</a> and</p>",
            "<p>see <a href=y>here</a> or <a>there</a></p>",
        ),
        ("a script", "<script>var a = 1 < 2;</script><p>", "<script>var a = 2;</script><p class=x>"),
        ("a table", "<table><tr><td>1<td>2</table>", "<table><tr><td>2<tr><td>1</table>"),
        ("a template", "<template><p>a</template>", "<template><p>b<p>a</template>"),
        ("foreign content", "<svg viewBox='0 0 1 1'><path/></svg>", "<svg><g><path d=x /></g></svg><math><mi>x</math>"),
        (
            "a name that stays in what is told anew",
            "<div><ul><li id=i><b>same</b><li>1<li>2<li>3<li>4<li>5<li>6<li>7</ul></div>",
            "<div><ul><li id=i><b>same</b><li>a<li>b<li>c<li>d<li>e<li>f<li>g</ul></div>",
        ),
        ("quirks", "<p>a", "<!DOCTYPE html><title>t</title><p>a<!-- c -->"),
    ];
    for (name, before, after) in cases {
        eprintln!("{name}");
        check(Format::Html, before, after);
    }
}

#[test]
fn small_cases_of_json() {
    let cases = [
        ("a value", "1", "\"1\""),
        ("empty ones", "{}", "[]"),
        ("members in another order", r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
        ("members", r#"{"a":1,"b":[1,2],"c":null}"#, r#"{"a":true,"d":[1,2],"c":{}}"#),
        ("items", "[1,2,3,4]", "[4,1,3,[2]]"),
        ("objects in arrays", r#"[{"id":1,"v":"x"},{"id":2,"v":"y"}]"#, r#"[{"id":2,"v":"z"},{"id":1,"v":"x"},{}]"#),
        ("equal items", "[0,0,0,0]", "[0,[0],0]"),
        ("nesting", r#"{"a":{"b":{"c":[1]}}}"#, r#"{"a":{"c":[1]},"b":{"c":[1]}}"#),
    ];
    for (name, before, after) in cases {
        eprintln!("{name}");
        check(Format::Json, before, after);
    }
}

/// Deep and wide ones: nobody recurses, and no budget is exceeded for long.
#[test]
fn shapes_that_are_hard() {
    let deep = |depth: usize, text: &str| format!("{}{text}{}", "<a>".repeat(depth), "</a>".repeat(depth));
    let wide = |items: std::ops::Range<usize>| {
        format!("<l>{}</l>", items.map(|item| format!("<i>{}</i>", item % 97)).collect::<String>())
    };
    let names =
        |step: usize| format!("<l>{}</l>", (0..150).map(|at| format!("<n{}/>", at * step % 151)).collect::<String>());
    let cases = [
        ("deep", deep(3000, "x"), deep(3001, "y")),
        ("wide", wide(0..700), wide(3..690)),
        ("wide and turned", wide(0..400), format!("<l>{}</l>", wide(0..400).replace("<i>", "<i>1"))),
        ("all names differ", names(1), names(2)),
        ("nothing in common", deep(200, "x"), wide(0..300)),
    ];
    for (name, before, after) in cases {
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Xml));
        for algorithm in Algorithm::ALL {
            let outcome = check_way(algorithm, &before, &after, WAYS[0]);
            outcome.unwrap_or_else(|fault| panic!("{name}, {algorithm}: {fault}"));
        }
    }
}

/// Few names and texts, so that much is like something else.
fn tree() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        3 => "[xyz]{1,2}".prop_map(|text| text),
        1 => Just("<!--c-->".to_owned()),
        1 => Just("<?t d?>".to_owned()),
        2 => "[abc]".prop_map(|name| format!("<{name}/>")),
        1 => ("[abc]", "[pq]", "[12]").prop_map(|(name, attribute, value)| format!("<{name} {attribute}='{value}'/>")),
    ];
    let inner = leaf.prop_recursive(4, 40, 6, |inner| {
        ("[abc]", prop::collection::vec(inner, 0..6))
            .prop_map(|(name, children)| format!("<{name}>{}</{name}>", children.concat()))
    });
    prop::collection::vec(inner, 0..6).prop_map(|children| format!("<r>{}</r>", children.concat()))
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        "[0-3]".prop_map(|number| number),
        "[xy]".prop_map(|text| format!("\"{text}\""))
    ];
    leaf.prop_recursive(4, 30, 5, |inner| {
        let array = prop::collection::vec(inner.clone(), 0..5).prop_map(|items| format!("[{}]", items.join(",")));
        let object = prop::collection::btree_map("[abcd]", inner, 0..4).prop_map(|members| {
            let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            format!("{{{}}}", members.join(","))
        });
        prop_oneof![array, object]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn laws_hold_for_any_two_documents(before in tree(), after in tree()) {
        check(Format::Xml, &before, &after);
    }

    #[test]
    fn laws_hold_for_any_two_pages(before in tree(), after in tree()) {
        check(Format::Html, &before, &after);
    }

    #[test]
    fn laws_hold_for_any_two_values(before in json(), after in json()) {
        check(Format::Json, &before, &after);
    }

    #[test]
    fn laws_hold_for_simulated_changes(source in tree(), rate in 0.0..0.6, seed: u64) {
        let before = parsed(&source, Format::Xml);
        let first = simulate(&before.document, &Rates::all(rate), seed, &Default::default()).expect("a version").document;
        let second = simulate(&first, &Rates::all(rate), seed + 1, &Default::default()).expect("a version").document;
        let versions = [before, Version::of(first), Version::of(second)];
        for algorithm in Algorithm::ALL {
            let outcome = check_history(algorithm, &versions);
            prop_assert!(outcome.is_ok(), "{algorithm}: {outcome:?}");
        }
    }
}

/// Three versions of so many documents of every family, none of them large.
const DOCUMENTS: usize = 2;
const MAX_BYTES: u64 = 24_000;

#[test]
fn laws_hold_for_a_sample_of_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let mut seen = [0; 2];
    let formats = [(Format::Xml, support::XML_EXTENSIONS), (Format::Html, support::HTML_EXTENSIONS)];
    for (at, (format, extensions)) in formats.into_iter().enumerate() {
        for history in sampled(&support::files_below(&corpus, extensions)) {
            let read = |file: &PathBuf| Version::read(file, format, Whitespace::Layout);
            let versions: Vec<Version> = history.iter().map(read).collect();
            for algorithm in Algorithm::ALL {
                let pairs = versions.windows(2).map(|pair| check_pair(algorithm, &pair[0], &pair[1]));
                let outcome = pairs.collect::<Result<(), String>>().and_then(|()| check_history(algorithm, &versions));
                outcome.unwrap_or_else(|fault| panic!("{}, {algorithm}: {fault}", versions[0].file.display()));
            }
            seen[at] += 1;
        }
    }
    assert!(seen[0] >= 24 && seen[1] >= 12, "{seen:?} histories of XML and HTML seen");
}

/// For every family the histories that chance decides for, cut to three versions.
fn sampled(files: &[PathBuf]) -> Vec<&[PathBuf]> {
    let family = |file: &PathBuf| file.ancestors().nth(2).map(std::path::Path::to_owned);
    let is_small = |file: &PathBuf| file.metadata().is_ok_and(|metadata| metadata.len() <= MAX_BYTES);
    let mut found = Vec::new();
    for family in files.chunk_by(|one, next| family(one) == family(next)) {
        let histories = family.chunk_by(|one, next| one.parent() == next.parent());
        let small: Vec<&[PathBuf]> =
            histories.filter(|files| files.len() > 2 && files.iter().take(3).all(is_small)).collect();
        let step = (small.len() / DOCUMENTS).max(1);
        found.extend(small.iter().skip(step / 2).step_by(step).take(DOCUMENTS).map(|files| &files[..3]));
    }
    found
}
