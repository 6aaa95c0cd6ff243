//! Are changes seen as a reader would tell them? What was done to a document, and the operations that are found.

use std::fmt::Write;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Options, paired, xydiff};
use crate::delta::{Delta, Fragment, Operation, Place, Xid};
use crate::matching::{Fallback, Key};
use crate::parse::{self, Limits, Whitespace};
use crate::tree::{Document, Format, Kind, Node, NodeId, Step};

/// The operations between two versions of XML, in any order, each as [`described`].
fn check(before: &str, after: &str, expected: &[&str]) {
    check_in(Format::Xml, before, after, &|_, _| Options::default(), expected);
}

fn check_html(before: &str, after: &str, expected: &[&str]) {
    let [before, after] = [before, after].map(|body| format!("<!DOCTYPE html><title>t</title><body>{body}"));
    check_in(Format::Html, &before, &after, &|_, _| Options::default(), expected);
}

fn check_in(
    format: Format,
    before: &str,
    after: &str,
    options: &dyn Fn(&Document, &Document) -> Options,
    expected: &[&str],
) {
    let [before, after] = [before, after].map(|source| parsed(source, format));
    let mut found = found(&before, &after, &options(&before, &after));
    let mut expected: Vec<String> = expected.iter().map(|&line| line.to_owned()).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
}

fn parsed(source: &str, format: Format) -> Arc<Document> {
    let options = parse::Options { whitespace: Whitespace::Layout, ..Default::default() };
    Arc::new(parse::parse(source, format, &options).unwrap().document)
}

fn found(before: &Arc<Document>, after: &Arc<Document>, options: &Options) -> Vec<String> {
    let matching = xydiff(before, after, options);
    let delta = Delta::between(before, after, &matching, &Default::default()).unwrap();
    let names = Names { delta: &delta, before: in_post_order(before), after: in_post_order(after) };
    delta.operations().iter().map(|operation| described(operation, &names)).collect()
}

/// One operation as a line. Places are a parent's name and a position from 1: `delete row/2: <i/>`,
/// `insert row/2: <i/>`, `move row/2 to other/1: i`, `update old to new`, `set a of i: 1 to 2` (`-` for no attribute).
fn described(operation: &Operation, names: &Names<'_>) -> String {
    let place = |place: &Place| format!("{}/{}", names.name(place.parent), place.position + 1);
    match operation {
        Operation::Delete { place: from, content, .. } => format!("delete {}: {}", place(from), written(content)),
        Operation::Insert { place: to, content, .. } => format!("insert {}: {}", place(to), written(content)),
        Operation::Move { from, to, .. } => {
            format!("move {} to {}: {}", place(from), place(to), names.name(operation.node()))
        }
        Operation::Update { before, after, .. } => format!("update {before} to {after}"),
        Operation::Attribute { node, name, change } => {
            let (before, after) = change.values();
            let [before, after] = [before, after].map(|value| value.unwrap_or("-"));
            format!("set {} of {}: {before} to {after}", name.local, names.name(*node))
        }
        Operation::Doctype { .. } => "doctype".to_owned(),
    }
}

/// The nodes that identities stand for.
struct Names<'d> {
    delta: &'d Delta,
    before: Vec<Node<'d>>,
    after: Vec<Node<'d>>,
}

impl Names<'_> {
    fn name(&self, xid: Xid) -> String {
        let at = |map: &crate::delta::XidMap| map.iter().position(|found| found == xid);
        let before = at(self.delta.from_xids()).map(|at| self.before[at]);
        match before.or_else(|| at(self.delta.to_xids()).map(|at| self.after[at])) {
            Some(node) if node.is_element() => node.name().local.to_owned(),
            Some(node) => node.value().into_owned(),
            None => "document".to_owned(),
        }
    }
}

fn in_post_order(document: &Document) -> Vec<Node<'_>> {
    let passed = document.root().walk().filter_map(|step| match step {
        Step::Enter(node) => (!node.kind().is_container()).then_some(node),
        Step::Leave(node) => Some(node),
    });
    passed.collect()
}

fn written(content: &Fragment) -> String {
    let mut out = String::new();
    for step in content.steps() {
        match step {
            Step::Enter(node) if node.is_element() => {
                write!(out, "<{}", node.name().local).unwrap();
                node.attributes().for_each(|one| write!(out, " {}={}", one.name().local, one.value()).unwrap());
                out.push('>');
            }
            Step::Enter(node) if node.kind() == Kind::Comment => write!(out, "<!--{}-->", node.value()).unwrap(),
            Step::Enter(node) => out.push_str(&node.value()),
            Step::Leave(node) => write!(out, "</{}>", node.name().local).unwrap(),
        }
    }
    out
}

/// Cobéna's example (figures 3.2 to 3.5): a product goes from the new ones to the cheap ones, with another price.
#[test]
fn the_example_of_the_thesis() {
    check(
        "<Category>
            <Title>Digital Cameras</Title>
            <Discount>
                <Product><Name>tx123</Name><Price>$499</Price></Product>
            </Discount>
            <NewProducts>
                <Product><Name>zy456</Name><Price>$799</Price></Product>
            </NewProducts>
        </Category>",
        "<Category>
            <Title>Digital Cameras</Title>
            <Discount>
                <Product><Name>zy456</Name><Price>$699</Price></Product>
            </Discount>
            <NewProducts>
                <Product><Name>abc</Name><Price>$899</Price></Product>
            </NewProducts>
        </Category>",
        &[
            "delete Discount/1: <Product><Name>tx123</Name><Price>$499</Price></Product>",
            "insert NewProducts/1: <Product><Name>abc</Name><Price>$899</Price></Product>",
            "move NewProducts/1 to Discount/1: Product",
            "update $799 to $699",
        ],
    );
}

#[test]
fn ids_name_their_elements() {
    let dtd = "<!DOCTYPE r [<!ATTLIST p k ID #IMPLIED>]>";
    // Declared: the same ID is the same element although all else changed, and wherever it goes.
    check(
        &format!("{dtd}<r><p k='a'>one</p><q><n>some words that stay</n></q></r>"),
        &format!("{dtd}<r><q><n>some words that stay</n><p k='a'>other words</p></q></r>"),
        &["move r/1 to q/2: p", "update one to other words"],
    );
    // Not declared: an attribute as any other.
    check("<r><p k='a'>one</p><q/></r>", "<r><p k='b'>one</p><q/></r>", &["set k of p: a to b"]);
    check(
        "<r><p xml:id='a'>one</p><p xml:id='b'>two</p><p xml:id='c'>three</p></r>",
        "<r><p xml:id='b'>two</p><p xml:id='c'>three</p><p xml:id='a'>two</p></r>",
        &["move r/1 to r/3: p", "update one to two"],
    );
}

#[test]
fn other_ids_are_other_elements() {
    check(
        "<r><p xml:id='a'>the same words</p></r>",
        "<r><p xml:id='b'>the same words</p></r>",
        &["delete r/1: <p id=a>the same words</p>", "insert r/1: <p id=b>the same words</p>"],
    );
    let without_ids = |_: &Document, _: &Document| Options { without_ids: true, ..Options::default() };
    check_in(
        Format::Xml,
        "<r><p xml:id='a'>the same words</p></r>",
        "<r><p xml:id='b'>the same words</p></r>",
        &without_ids,
        &["set id of p: a to b"],
    );
}

#[test]
fn ids_of_pages_count_where_they_are_unique() {
    check_html(
        "<p id=a>one</p><div id=d><b>x</b></div>",
        "<div id=d><b>x</b><p id=a>other</p></div>",
        &["move body/1 to div/2: p", "update one to other"],
    );
    // Twice on one side: they say nothing, and what is alike stays where it is.
    check_html("<p id=a>one</p><p id=a>two</p>", "<p id=a>one</p><p id=a>three</p>", &["update two to three"]);
    // In pages an element may get another ID.
    check_html("<p id=a>the same words</p>", "<p id=b>the same words</p>", &["set id of p: a to b"]);
}

#[test]
fn keys_name_their_elements() {
    let by_key = |before: &Document, after: &Document| Options {
        pairs: Key::parse("//p=@sku").unwrap().pairs(before, after, &Default::default()).unwrap(),
        ..Options::default()
    };
    check_in(
        Format::Xml,
        "<r><p sku='1'><n>red</n></p><p sku='2'><n>blue</n></p></r>",
        "<r><p sku='2'><n>red</n></p><p sku='1'><n>blue</n></p></r>",
        &by_key,
        &["move r/1 to r/2: p", "update red to blue", "update blue to red"],
    );
}

#[test]
fn one_of_many_siblings_goes() {
    // Elements that look alike but for an attribute: one is deleted, nobody is renamed.
    let row = |items: std::ops::Range<u32>| {
        let items: String = items.map(|at| format!("<i n='{at}'/>")).collect();
        format!("<r>{items}</r>")
    };
    check(&row(0..8), &row(1..8), &["delete r/1: <i n=0></i>"]);
    check(&row(1..8), &row(0..8), &["insert r/1: <i n=0></i>"]);
    check(
        "<p>one<br/>two<br/>three<br/></p>",
        "<p>one<br/>three<br/></p>",
        &["delete p/3: two", "delete p/4: <br></br>"],
    );
    check("<r><br/><br/><br/></r>", "<r><br/><br/></r>", &["delete r/3: <br></br>"]);
    check("<r><br/></r>", "<r><br/><br/><br/></r>", &["insert r/2: <br></br>", "insert r/3: <br></br>"]);
}

#[test]
fn one_of_many_siblings_moves() {
    let row = |order: &[usize]| {
        let items: String = order.iter().map(|at| format!("<item>words of item {at}</item>")).collect();
        format!("<r>{items}</r>")
    };
    let order: Vec<usize> = (0..300).collect();
    let mut moved = order.clone();
    let item = moved.remove(20);
    moved.insert(200, item);
    check(&row(&order), &row(&moved), &["move r/21 to r/201: item"]);
}

#[test]
fn a_changed_leaf_is_an_update() {
    check(
        "<p>Some words <b>in bold</b> and some others.</p>",
        "<p>Some words <b>in bold</b> and some new ones.</p>",
        &["update  and some others. to  and some new ones."],
    );
    check("<a><b><c><d>x</d></c></b></a>", "<a><b><c><d>y</d></c></b></a>", &["update x to y"]);
    check(
        "<a><b><c><d>x</d><e/></c></b><f>words</f></a>",
        "<a><b><c><d>y</d><e/></c></b><f>words</f></a>",
        &["update x to y"],
    );
    check("<a b='1'><!--x--></a>", "<a b='2'><!--y--></a>", &["set b of a: 1 to 2", "update x to y"]);
}

#[test]
fn what_is_put_around_is_inserted() {
    let list = "<list><item>the first of them</item><item>the second of them</item></list>";
    check(
        &format!("<r><h>title</h>{list}</r>"),
        &format!("<r><h>title</h><section>{list}</section></r>"),
        &["insert r/2: <section></section>", "move r/2 to section/1: list"],
    );
}

#[test]
fn a_list_that_moved_with_a_changed_item() {
    let list = |third: &str| {
        let items = ["the first of them", "the second of them", third, "the last of them"];
        format!("<list>{}</list>", items.map(|item| format!("<item>{item}</item>")).concat())
    };
    check(
        &format!("<r><a>{}</a><b><c>words that stay</c></b></r>", list("the third of them")),
        &format!("<r><a/><b><c>words that stay</c>{}</b></r>", list("another")),
        &["move a/1 to b/2: list", "update the third of them to another"],
    );
}

#[test]
fn strangers_are_no_pairs() {
    check(
        "<r><a>words of one kind</a></r>",
        "<r><b>words of one kind</b></r>",
        &["delete r/1: <a>words of one kind</a>", "insert r/1: <b>words of one kind</b>"],
    );
    check("<r><!--x--></r>", "<r>x</r>", &["delete r/1: <!--x-->", "insert r/1: x"]);
    check("<r><a xmlns='urn:a'/></r>", "<r><a xmlns='urn:b'/></r>", &["delete r/1: <a></a>", "insert r/1: <a></a>"]);
}

/// More changed children than are aligned exactly: they are pairs all the same, in order.
#[test]
fn wide_gaps_are_aligned_in_order() {
    let row = |word: &str| {
        let items: String = (0..200).map(|at| format!("<i n='{at}'>{word} {at}</i>")).collect();
        format!("<r>{items}</r>")
    };
    let plain = |word: &str| row(word).replace(" n='", "><!--").replace("'>", "--><b/>");
    for write in [&row as &dyn Fn(&str) -> String, &plain] {
        let [before, after] = ["old", "new"].map(|word| parsed(&write(word), Format::Xml));
        let found = found(&before, &after, &Options::default());
        assert_eq!(found.len(), 200);
        assert!(found.iter().all(|line| line.starts_with("update old ")), "{found:?}");
    }
    let [before, after] = ["old", "new"]
        .map(|word| parsed(&row("").replace(" n='", &format!(">{word} ")).replace("'>", ""), Format::Xml));
    let notes = xydiff(&before, &after, &Options::default()).notes().clone();
    assert_eq!(notes.count(Fallback::ChildrenInOrder), 1);
    assert_eq!(
        notes.kept()[0].to_string(),
        "`/r`: 200 children beside 200 are too many to be aligned exactly, so they were paired in order, or near it \
         (children-in-order)"
    );
}

#[test]
fn depth_is_no_danger() {
    const DEPTH: usize = 100_000;
    let chain = |leaf: &str| format!("{}{leaf}{}", "<a>".repeat(DEPTH), "</a>".repeat(DEPTH));
    let [before, after] = ["x", "y"].map(|leaf| parsed(&chain(leaf), Format::Xml));
    assert!(Limits::default().max_depth > DEPTH);
    assert_eq!(found(&before, &after, &Options::default()), ["update x to y"]);
    let matching = xydiff(&before, &after, &Options::default());
    assert!((0..before.len() as u32).all(|at| matching.is_pair(NodeId(at), NodeId(at))));
}

/// So many subtrees of one weight that they are merged with those that they may be the same as, and not looked for one by one.
#[test]
fn very_many_that_went_elsewhere_are_found() {
    let section =
        |at: u32| format!("<s><h>section {}</h><p>all that there is to say of {}</p></s>", 10_000 + at, 10_000 + at);
    let part = |range: std::ops::Range<u32>| range.map(section).collect::<String>();
    let before = parsed(&format!("<r><a>{}</a><b>{}</b></r>", part(0..3000), part(3000..6000)), Format::Xml);
    let after = parsed(&format!("<r><a>{}</a><b>{}</b></r>", part(3000..6000), part(1..3000)), Format::Xml);
    let matching = xydiff(&before, &after, &Options::default());
    let sections = || after.nodes().filter(|node| node.name().local == "s");
    assert_eq!(sections().count(), 5999);
    for section in sections() {
        let partner = before.node(matching.before_of(section.id()).unwrap());
        assert!(partner.same_content(section), "{}", section.string_value());
    }
}

/// The bytes of the delta, and those that it would have if no pair were weighed.
fn sizes(before: &str, after: &str) -> [usize; 2] {
    let [before, after] = [before, after].map(|source| parsed(source, Format::Xml));
    let options = Options::default();
    [xydiff(&before, &after, &options), paired(&before, &after, &options).matching]
        .map(|matching| Delta::between(&before, &after, &matching, &Default::default()).unwrap().to_xydelta().len())
}

/// Children that a name keeps, or that came from another parent, would stay pairs and become moves.
#[test]
fn what_stays_a_pair_counts_where_its_parent_is_parted() {
    let named = |[first, second]: [&str; 2]| {
        format!(
            "<d><q><p xml:id='{first}'><x>Alpha beta</x><y>one</y></p><p xml:id='{second}'><x>Gamma delta</x><y>two</y></p></q></d>"
        )
    };
    let [settled, unsettled] = sizes(&named(["a", "b"]), &named(["b", "a"]));
    assert!(settled <= unsettled, "{settled} {unsettled}");
    let texts = [
        "<x>five four one five</x><y>two</y>",
        "<x>two beta</x><y>two</y>",
        "<x>seven four three delta</x><y>gamma</y>",
        "<x>delta seven</x><y>three</y>",
        "<x>two two</x><y>beta</y>",
        "<x>three one</x><y>four</y>",
    ];
    let numbered = |numbers: [usize; 6]| {
        let items: String =
            numbers.iter().zip(texts).map(|(number, text)| format!("<p n='k{number}'>{text}</p>")).collect();
        format!("<d><q>{items}</q></d>")
    };
    let [settled, unsettled] = sizes(&numbered([0, 1, 2, 3, 10, 11]), &numbered([11, 10, 2, 3, 1, 0]));
    assert!(settled <= unsettled, "{settled} {unsettled}");
}

/// Records of which some have another's number or name, in another order, or in another section.
fn records() -> impl Strategy<Value = [String; 2]> {
    const WORDS: [&str; 6] = ["alpha", "beta gamma", "one", "two", "seven of nine and more", "x"];
    let record = (0..8usize, 0..WORDS.len(), 0..WORDS.len(), any::<bool>());
    let written = |records: &[(usize, usize, usize, bool)], is_named: bool| {
        let mut seen = std::collections::HashSet::new();
        let name = if is_named { "xml:id" } else { "n" };
        let unique = records.iter().filter(|(number, ..)| seen.insert(*number));
        let items = unique.map(|(number, first, second, breaks)| {
            let (first, second) = (WORDS[*first], WORDS[*second]);
            let section = if *breaks { "</q><q>" } else { "" };
            format!("{section}<p {name}='k{number}'><x>{first} {second}</x><y>{second}</y></p>")
        });
        format!("<d><q>{}</q></d>", items.collect::<String>())
    };
    let versions = (prop::collection::vec(record.clone(), 1..8), prop::collection::vec(record, 1..8), any::<bool>());
    versions.prop_map(move |(before, after, is_named)| [written(&before, is_named), written(&after, is_named)])
}

proptest! {
    /// What operations take is estimated, so that a few bytes more may come of it.
    #[test]
    fn weighing_pairs_makes_no_delta_much_longer([before, after] in records()) {
        let [settled, unsettled] = sizes(&before, &after);
        prop_assert!(settled <= unsettled + unsettled / 10, "{} {}\n{}\n{}", settled, unsettled, before, after);
    }
}
