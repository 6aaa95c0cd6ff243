//! Is what brought a piece of a page what looking at every version tells?

mod support;

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;
use store::Step;
use store::blame::{Blamed, Lines, Sentences, Tree};
use support::{Page, Taken, origin};
use treediff::delta::{Identities, Xid, XidMap};
use treediff::parse::Whitespace;
use treediff::text::{Reading, Vocabulary};
use treediff::tree::{Document, Format, Kind, Node};

/// `version path text`.
fn shown(blamed: &[Blamed]) -> Vec<String> {
    let line = |one: &Blamed| {
        assert_eq!(one.origin, origin(one.origin.number));
        [one.origin.number.to_string()]
            .into_iter()
            .chain(one.path.clone())
            .chain([one.text.clone()])
            .collect::<Vec<_>>()
            .join(" ")
    };
    blamed.iter().map(line).collect()
}

fn blame_tree(latest: &Document, xids: &XidMap, steps: &[Vec<u8>]) -> Vec<Blamed> {
    let mut tree = Tree::from(origin(1));
    (2..).zip(steps).for_each(|(number, step)| tree.add(origin(number), step).expect("a step"));
    tree.blamed(latest, xids)
}

#[track_caller]
fn check_tree(format: Format, sources: &[&str], expected: &[&str]) {
    let documents = sources.iter().map(|source| (support::document(source, format), true));
    let taken: Vec<Taken> = support::steps(documents).collect();
    let last = taken.last().expect("two versions");
    let blamed = blame_tree(
        &last.after,
        last.delta.to_xids(),
        &taken.iter().map(|taken| taken.bytes.clone()).collect::<Vec<_>>(),
    );
    assert_eq!(shown(&blamed), expected);
}

#[test]
fn elements_by_the_version_that_brought_them() {
    check_tree(
        Format::Xml,
        &[
            "<menu><soup price='4'>hot and sour</soup><dish><name>Rice with beans</name></dish></menu>",
            "<menu><soup price='5'>hot and sour</soup><dish><name>Rice with beans</name><tea>green leaves of spring</tea></dish></menu>",
            "<menu><tea>green leaves of spring</tea><soup price='5'>hot and sour</soup><dish><name>Rice with peas</name></dish></menu>",
        ],
        // The tea has moved, and is not new.
        &["2 /menu/tea green leaves of spring", "2 /menu/soup hot and sour", "3 /menu/dish/name Rice with peas"],
    );
    check_tree(
        Format::Json,
        &[r#"{"a":[1,2],"b":{"c":"x"}}"#, r#"{"a":[1,3],"b":{"c":"x"}}"#, r#"{"a":[1,3],"b":{"c":"x","d":{}}}"#],
        &["1 /*/a/*[1] 1", "2 /*/a/*[2] 3", "1 /*/b/c x", "3 /*/b/d "],
    );
    // Names are local names, as those of changes are.
    check_tree(
        Format::Xml,
        &[
            "<menu xmlns='urn:m' xmlns:p='urn:p'><soup>hot</soup><p:soup>cold</p:soup><tea>green</tea></menu>",
            "<menu xmlns='urn:m' xmlns:p='urn:p'><soup>hot</soup><p:soup>sour</p:soup><tea>green</tea></menu>",
        ],
        &["1 /menu/soup[1] hot", "2 /menu/soup[2] sour", "1 /menu/tea green"],
    );
}

#[test]
fn an_element_changes_with_its_texts() {
    check_tree(
        Format::Xml,
        &["<a><b>x</b></a>", "<a><b>x<c/>yes</b></a>", "<a><b>x<c/></b></a>"],
        &["3 /a/b x", "2 /a/b/c "],
    );
}

#[test]
fn where_identities_are_counted_anew_all_is_new() {
    let document = support::document("<a>x</a>", Format::Xml);
    let xids: XidMap = "(5-6)".parse().expect("a map");
    let blamed = blame_tree(&document, &xids, &[Step::broken(Identities::new(xids.clone())).to_bytes()]);
    assert_eq!(shown(&blamed), ["2 /a x"]);
    assert_eq!(blamed[0].xid, Some(Xid(6)));
}

/// What an element is by itself: its attributes, and its texts with their identities.
struct Own {
    attributes: Vec<(String, String)>,
    texts: HashMap<Xid, String>,
}

impl Own {
    fn of(node: Node<'_>, xids: &HashMap<usize, Xid>) -> Self {
        let mut attributes: Vec<(String, String)> =
            node.attributes().map(|one| (one.name().to_string(), one.value().into_owned())).collect();
        attributes.sort();
        let texts = node.children().filter(|child| child.kind() == Kind::Text);
        let texts = texts.chain((!node.kind().is_container()).then_some(node));
        Own { attributes, texts: texts.map(|text| (xids[&text.id().index()], text.value().into_owned())).collect() }
    }
}

/// The elements of a version that took another form in it, found by comparing them one by one.
fn newly_formed(taken: &Taken) -> Vec<Xid> {
    let before = support::nodes(&taken.before, taken.delta.from_xids());
    let after = support::nodes(&taken.after, taken.delta.to_xids());
    let inverse = |nodes: &HashMap<Xid, Node<'_>>| nodes.iter().map(|(xid, node)| (node.id().index(), *xid)).collect();
    let (xids_before, xids_after): (HashMap<usize, Xid>, HashMap<usize, Xid>) = (inverse(&before), inverse(&after));
    let is_new = |(xid, node): &(&Xid, &Node<'_>)| {
        let Some(partner) = before.get(xid) else { return true };
        let (was, is) = (Own::of(*partner, &xids_before), Own::of(**node, &xids_after));
        let is_other = |text: &Xid, value: &String| before.get(text).is_none_or(|before| before.value() != *value);
        was.attributes != is.attributes
            || is.texts.iter().any(|(text, value)| is_other(text, value))
            || was.texts.keys().any(|text| !after.contains_key(text))
    };
    after.iter().filter(is_new).map(|(xid, _)| *xid).collect()
}

#[test]
fn elements_of_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let mut compared = 0;
    for page in support::pages(&corpus).into_iter().filter(|page| page.format != Format::Html) {
        let Some(steps) = page.stored_steps() else { continue };
        let mut expected: HashMap<Xid, u32> = HashMap::new();
        let mut last = None;
        for (number, taken) in (2..).zip(page.steps()) {
            expected.extend(newly_formed(&taken).into_iter().map(|xid| (xid, number)));
            last = Some(taken);
        }
        let last = last.expect("two versions");
        for one in blame_tree(&last.after, last.delta.to_xids(), &steps) {
            let expected = expected.get(&one.xid.expect("an XID")).copied().unwrap_or(1);
            assert_eq!(one.origin.number, expected, "{:?} of {}", one.path, page.name);
            compared += 1;
        }
    }
    assert!(compared > 10_000, "{compared}");
}

fn pages_as_read(page: &Page) -> Vec<Arc<Document>> {
    (0..page.files.len()).map(|version| page.document(version, Whitespace::Exact)).collect()
}

fn blame_sentences(documents: &[Arc<Document>]) -> Vec<Blamed> {
    let mut sentences = Sentences::default();
    (1..).zip(documents).for_each(|(number, document)| sentences.add(origin(number), Arc::clone(document)));
    sentences.blamed()
}

fn blame_lines(texts: &[String]) -> Vec<Blamed> {
    let mut lines = Lines::default();
    (1..).zip(texts).for_each(|(number, text)| lines.add(origin(number), text.clone()));
    lines.blamed()
}

/// The first of the last versions in a row that have a piece, for pieces that no version has twice.
fn first_of_last_row<K: std::hash::Hash + Eq>(versions: &[Vec<K>]) -> HashMap<&K, u32> {
    let mut since: HashMap<&K, (u32, u32)> = HashMap::new();
    let mut twice: Vec<&K> = Vec::new();
    for (number, version) in (1..).zip(versions) {
        for piece in version {
            match since.get_mut(piece) {
                Some((_, last)) if *last == number => twice.push(piece),
                Some((_, last)) if *last == number - 1 => *last = number,
                _ => _ = since.insert(piece, (number, number)),
            }
        }
    }
    twice.iter().for_each(|piece| _ = since.remove(piece));
    since.into_iter().map(|(piece, (first, _))| (piece, first)).collect()
}

#[test]
fn sentences_of_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let mut compared = 0;
    for page in support::pages(&corpus).into_iter().filter(|page| page.format == Format::Html).step_by(2) {
        let documents = pages_as_read(&page);
        let mut vocabulary = Vocabulary::default();
        let sentences = |document: &Arc<Document>| {
            let reading = Reading::new(document, &mut vocabulary);
            (0..reading.sentences().len()).map(|sentence| reading.numbers(sentence).collect()).collect()
        };
        let versions: Vec<Vec<Vec<u32>>> = documents.iter().map(sentences).collect();
        let expected = first_of_last_row(&versions);
        let blamed = blame_sentences(&documents);
        let latest = versions.last().expect("a version");
        assert_eq!(blamed.len(), latest.len());
        for (one, sentence) in blamed.iter().zip(latest) {
            let Some(expected) = expected.get(sentence) else { continue };
            assert_eq!(one.origin.number, *expected, "{:?} in {}", one.text, page.name);
            compared += 1;
        }
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn lines_of_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    let mut compared = 0;
    for page in support::pages(&corpus) {
        let text = |file| String::from_utf8_lossy(&std::fs::read(file).expect("a readable file")).into_owned();
        let texts: Vec<String> = page.files.iter().map(text).collect();
        let versions: Vec<Vec<&str>> = texts.iter().map(|text| text.lines().collect()).collect();
        let expected = first_of_last_row(&versions);
        let blamed = blame_lines(&texts);
        assert_eq!(blamed.len(), versions.last().map_or(0, Vec::len));
        for one in &blamed {
            let Some(expected) = expected.get(&one.text.as_str()) else { continue };
            assert_eq!(one.origin.number, *expected, "{:?} in {}", one.text, page.name);
            compared += 1;
        }
    }
    assert!(compared > 5_000, "{compared}");
}

/// Sentences as `version text`.
#[track_caller]
fn check_sentences(sources: &[&str], expected: &[&str]) {
    let parsed = |source: &&str| {
        let options = treediff::parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
        Arc::new(treediff::parse::html(*source, &options).expect("a page").document)
    };
    let documents: Vec<Arc<Document>> = sources.iter().map(parsed).collect();
    let told: Vec<String> =
        blame_sentences(&documents).iter().map(|one| format!("{} {}", one.origin.number, one.text)).collect();
    assert_eq!(told, expected);
}

#[test]
fn sentences_by_the_version_that_brought_them() {
    check_sentences(&["<p>One."], &["1 One."]);
    check_sentences(&[], &[]);
    check_sentences(
        &[
            "<p>Tea is hot. Milk is cold.",
            "<p>Tea is hot. Milk is warm.",
            "<h1>New</h1><p>Tea is hot. Milk is warm. <i>Yes.</i>",
        ],
        &["3 New", "1 Tea is hot.", "2 Milk is warm.", "3 Yes."],
    );
    // What moved is not new, and what was gone is.
    check_sentences(
        &[
            "<p>One is here.<p>Two is there.",
            "<p>Two is there.<p>One is here.",
            "<p>Two is there.",
            "<p>Two is there.<p>One is here.",
        ],
        &["1 Two is there.", "4 One is here."],
    );
    // An image is new when it says something else.
    check_sentences(
        &["<p>Here it is: <p><img src=rack.png>", "<p>Here it is: <p><img src=rack.png alt=rack>"],
        &["1 Here it is:", "2 [image: rack]"],
    );
    // Cells of a table that say the same are told apart by their places.
    check_sentences(
        &[
            "<table><tr><td>a<td>no<tr><td>b<td>no<tr><td>c<td>no</table>",
            "<table><tr><td>a<td>no<tr><td>b<td>yes<tr><td>c<td>no</table>",
            "<table><tr><td>a<td>no<tr><td>b<td>no<tr><td>c<td>no</table>",
        ],
        &["1 a", "1 no", "1 b", "3 no", "1 c", "1 no"],
    );
}

proptest! {
    /// Whatever comes, goes and changes places: a sentence or line that no version has twice is from the first of the last
    /// versions in a row that have it.
    #[test]
    fn unique_pieces_are_from_the_first_of_the_last_row(
        versions in prop::collection::vec(prop::sample::subsequence((0..12u32).collect::<Vec<_>>(), 0..12).prop_shuffle(), 1..6)
    ) {
        let expected = first_of_last_row(&versions);
        let latest = versions.last().expect("a version");
        let expected: Vec<u32> = latest.iter().map(|piece| expected[piece]).collect();
        let page = |version: &Vec<u32>| {
            let sentences = version.iter().map(|piece| format!("<p>Number {piece} is {}.</p>", piece * 7));
            let options = treediff::parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
            Arc::new(treediff::parse::html(sentences.collect::<String>(), &options).expect("a page").document)
        };
        let documents: Vec<Arc<Document>> = versions.iter().map(page).collect();
        let found: Vec<u32> = blame_sentences(&documents).iter().map(|one| one.origin.number).collect();
        prop_assert_eq!(&found, &expected);
        let text = |version: &Vec<u32>| version.iter().map(|piece| format!("{piece}\r\n")).collect::<String>();
        let texts: Vec<String> = versions.iter().map(text).collect();
        let found: Vec<u32> = blame_lines(&texts).iter().map(|one| one.origin.number).collect();
        prop_assert_eq!(found, expected);
    }
}
