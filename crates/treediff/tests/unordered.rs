//! Is a delta without order right? It leads to the version after up to the order of siblings, by every algorithm.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use treediff::delta::{self, ApplyOptions, Delta, Operation, Unordered};
use treediff::matching::{Algorithm, Fallback, Options};
use treediff::parse::{self, Whitespace};
use treediff::tree::{Document, Format, Kind, Node};

fn read(source: &[u8], format: Format, whitespace: Whitespace) -> Option<Arc<Document>> {
    let options = parse::Options { whitespace, ..Default::default() };
    let parsed = parse::parse(source.to_vec(), format, &options).ok()?;
    Some(Arc::new(parsed.document.with_sorted_members()))
}

fn parsed(source: &str, whitespace: Whitespace) -> Arc<Document> {
    let format = if source.starts_with(['{', '[']) { Format::Json } else { Format::Xml };
    read(source.as_bytes(), format, whitespace).expect("a document")
}

/// A document as text in which the order of siblings does not show, unless it counts.
fn sorted(document: &Document) -> String {
    let mut texts: Vec<String> = vec![String::new(); document.len()];
    for node in document.nodes().rev() {
        let mut children: Vec<String> = node.children().map(|child| texts[child.id().index()].clone()).collect();
        if !is_mixed(node) {
            children.sort();
        }
        let mut attributes: Vec<String> = node.attributes().map(|attribute| format!("{attribute:?}")).collect();
        attributes.sort();
        let own = (node.kind(), node.name(), node.value());
        texts[node.id().index()] = format!("({own:?} {attributes:?} {})", children.concat());
    }
    texts.swap_remove(0)
}

fn is_mixed(node: Node<'_>) -> bool {
    let is_prose = |child: Node<'_>| {
        child.kind() == Kind::Reference || child.kind() == Kind::Text && !child.value().trim_ascii().is_empty()
    };
    node.is_element() && node.children().count() > 1 && node.children().any(is_prose)
}

fn check(before: &Arc<Document>, after: &Arc<Document>, algorithm: Algorithm, whitespace: Whitespace) -> Unordered {
    let matching = algorithm.matching(before, after, &Options { unordered: true, ..Default::default() });
    let options = delta::Options { whitespace, ..Default::default() };
    let delta = Delta::between(before, after, &matching, &options).expect("documents of one format");
    let unordered = delta.unordered(before, after, &Default::default()).expect("a delta without order");
    let patched = unordered.delta.apply(before, &ApplyOptions::default()).expect("it applies");
    assert!(patched.document.root().same_content(unordered.after.root()));
    let back = unordered.delta.inverted().apply(&unordered.after, &ApplyOptions::default()).expect("it applies back");
    assert!(back.document.root().same_content(before.root()));
    assert_eq!(sorted(&unordered.after), sorted(after), "{algorithm}: the other version, up to order");
    let in_order =
        |operation: &Operation| matches!(operation, Operation::Move { from, to, .. } if from.parent == to.parent);
    let is_kept = unordered.notes.count(Fallback::OrderKept) > 0;
    assert!(is_kept || !unordered.delta.operations().iter().any(in_order), "{algorithm}");
    if sorted(before) == sorted(after) && !is_kept {
        assert!(unordered.delta.is_empty(), "{algorithm}: {}", unordered.delta.to_xydelta());
    }
    unordered
}

fn check_all(before: &Arc<Document>, after: &Arc<Document>, whitespace: Whitespace) {
    for algorithm in Algorithm::ALL {
        check(before, after, algorithm, whitespace);
    }
}

/// What a delta without order costs, by a matching that was told of it or not.
fn cost(before: &Arc<Document>, after: &Arc<Document>, algorithm: Algorithm, is_told: bool) -> u64 {
    let matching = algorithm.matching(before, after, &Options { unordered: is_told, ..Default::default() });
    let delta = Delta::between(before, after, &matching, &delta::Options::default()).expect("documents of one format");
    let unordered = delta.unordered(before, after, &Default::default()).expect("a delta without order");
    unordered.delta.stats().edit_cost()
}

/// Elements, some of them with texts among others.
fn content() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        ("[bc]", "[xy]{0,2}").prop_map(|(name, text)| format!("<{name}>{text}</{name}>")),
        Just("<e k='1'/>".to_owned()),
        Just("<e k='2'/>".to_owned()),
        Just("\n ".to_owned()),
        Just("<!--x-->".to_owned()),
        Just("text".to_owned()),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        ("[bd]", prop::collection::vec(inner, 0..6))
            .prop_map(|(name, children)| format!("<{name}>{}</{name}>", children.concat()))
    })
}

/// The children of every element that order does not count in, drawn anew.
fn shuffled(document: &Document, mut drawn: u64) -> String {
    let mut texts: Vec<String> = vec![String::new(); document.len()];
    for node in document.nodes().rev() {
        let mut children: Vec<String> = node.children().map(|child| texts[child.id().index()].clone()).collect();
        if !is_mixed(node) && node.kind() != Kind::Document {
            for at in (1..children.len()).rev() {
                drawn = drawn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                children.swap(at, (drawn >> 33) as usize % (at + 1));
            }
        }
        let attributes: String =
            node.attributes().map(|one| format!(" {}='{}'", one.name().local, one.value())).collect();
        texts[node.id().index()] = match node.kind() {
            Kind::Element => format!("<{0}{attributes}>{1}</{0}>", node.name().local, children.concat()),
            Kind::Comment => format!("<!--{}-->", node.value()),
            Kind::Document => children.concat(),
            _ => node.value().into_owned(),
        };
    }
    texts.swap_remove(0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_versions(before in prop::collection::vec(content(), 0..6), after in prop::collection::vec(content(), 0..6)) {
        for whitespace in [Whitespace::Layout, Whitespace::Exact] {
            let [before, after] = [&before, &after].map(|row| parsed(&format!("<r>{}</r>", row.concat()), whitespace));
            check_all(&before, &after, whitespace);
        }
    }

    /// To let more pass for the same does not cost more.
    #[test]
    fn unordered_costs_no_more(
        row in prop::collection::vec(content(), 0..6),
        other in prop::collection::vec(content(), 0..6),
        changed: usize,
        drawn: u64,
    ) {
        let before = parsed(&format!("<r>{}</r>", row.concat()), Whitespace::Layout);
        let strange = parsed(&format!("<r>{}</r>", other.concat()), Whitespace::Layout);
        let mut some = row.clone();
        some.iter_mut().zip(&other).skip(changed % 6).take(1).for_each(|(one, other)| one.clone_from(other));
        let ordered = parsed(&format!("<r>{}</r>", some.concat()), Whitespace::Layout);
        let turned = parsed(&shuffled(&ordered, drawn), Whitespace::Layout);
        for after in [strange, ordered, turned] {
            // Where leaves stand is told otherwise to `goodmatch` where order means nothing, so that it finds other pairs.
            prop_assert!(
                cost(&before, &after, Algorithm::Auto, true) <= cost(&before, &after, Algorithm::Unordered, false),
                "the default, for {} and {}",
                before.source(),
                after.source(),
            );
            for algorithm in Algorithm::ALL.into_iter().filter(|one| *one != Algorithm::Goodmatch) {
                let costs = [true, false].map(|is_told| cost(&before, &after, algorithm, is_told));
                prop_assert!(costs[0] <= costs[1], "{}: {:?} for {} and {}", algorithm, costs, before.source(), after.source());
            }
        }
    }

    /// Versions that differ by order alone are the same.
    #[test]
    fn random_orders(row in prop::collection::vec(content(), 0..6), drawn: u64) {
        let before = parsed(&format!("<r>{}</r>", row.concat()), Whitespace::Layout);
        let after = parsed(&shuffled(&before, drawn), Whitespace::Layout);
        prop_assert_eq!(sorted(&before), sorted(&after));
        for algorithm in Algorithm::ALL {
            prop_assert!(check(&before, &after, algorithm, Whitespace::Layout).delta.is_empty(), "{}", algorithm);
        }
    }
}

/// An attribute of one of two equal siblings in mixed content.
fn in_prose(k: u32) -> String {
    let row = format!("<i k='1'>x</i><i k='{k}'>1</i><i k='1'>2</i><i id='1'/><i k='2'>1</i>mix");
    format!("<r><i k='2'><i k='1'>y</i><b>{row}</b><i k='1'><b>x</b></i></i></r>")
}

/// Of equal siblings those stay that stand where they stood, although order means nothing to the algorithm.
#[test]
fn ties_keep_their_places() {
    let row = |one: u32, other: u32| format!("<b><i k='{one}'/><j/><i k='2'/><c/><i k='{other}'/><d/></b>");
    let cases = [
        (Algorithm::Unordered, row(2, 2), row(9, 2), 1),
        (Algorithm::Unordered, row(2, 2), row(9, 8), 2),
        (Algorithm::Unordered, in_prose(2), in_prose(9), 1),
        (Algorithm::KfdiffHash, in_prose(2), in_prose(9), 1),
        (Algorithm::KfdiffSort, in_prose(2), in_prose(9), 1),
    ];
    for (algorithm, before, after, attributes) in cases {
        let [before, after] = [before, after].map(|source| parsed(&source, Whitespace::Layout));
        let matching = algorithm.matching(&before, &after, &Options::default());
        let delta = Delta::between(&before, &after, &matching, &delta::Options::default()).expect("a delta");
        let stats = delta.stats();
        assert_eq!((stats.attributes, stats.operations()), (attributes, attributes), "{algorithm}: {}", after.source());
    }
}

/// The default does not ask for order where it means nothing: it is as good as the algorithm that never does.
#[test]
fn the_default_compares_without_order() {
    let pairs = [
        ("<r><a k='1'/><b/><c/></r>", "<r><b/><c/><a k='2'/></r>", 1),
        (
            "<l><i><n>A</n><p>1</p></i><i><n>B</n><p>2</p></i><i><n>C</n><p>3</p></i></l>",
            "<l><i><n>C</n><p>3</p></i><i><n>B</n><p>7</p></i><i><n>A</n><p>9</p></i></l>",
            2,
        ),
        (
            "<r><a k='1'/><b/><c>hello <em>big</em> world <i>x</i></c><l><x>1</x><x>2</x><x>3</x></l></r>",
            "<r><c>hello <i>x</i> world <em>big</em></c><b/><l><x>3</x><x>1</x><x>4</x></l><a k='2'/></r>",
            4,
        ),
    ];
    for (before, after, expected) in pairs {
        let [before, after] = [before, after].map(|source| parsed(source, Whitespace::Layout));
        assert_eq!(cost(&before, &after, Algorithm::Auto, true), expected, "{}", before.source());
    }
}

/// A key and an ID say who is who, whatever it costs.
#[test]
fn names_stand_above_cost() {
    let [before, after] = [
        "<l><i xml:id='a'><n>A</n><p>1</p></i><i xml:id='b'><n>B</n><p>2</p></i></l>",
        "<l><i xml:id='b'><n>A</n><p>1</p></i><i xml:id='a'><n>B</n><p>2</p></i></l>",
    ]
    .map(|source| parsed(source, Whitespace::Layout));
    let first = before.nodes().find(|node| node.id_value().as_deref() == Some("a")).expect("an element");
    let last = after.nodes().find(|node| node.id_value().as_deref() == Some("a")).expect("an element");
    let pairs = vec![(first.id(), last.id())];
    for (pairs, without_ids) in [(Vec::new(), false), (pairs, true)] {
        let options = Options { unordered: true, pairs, without_ids, ..Default::default() };
        let matching = Algorithm::Auto.matching(&before, &after, &options);
        assert_eq!(matching.after_of(first.id()), Some(last.id()), "{without_ids}");
    }
}

/// One attribute of one of two equal siblings is one change, whatever else there is; in mixed content as well.
#[test]
fn one_of_two_equal_siblings_changes() {
    let pairs = [
        ["<b><i k='2'>1</i><j/><i k='2'>1</i></b>".to_owned(), "<b><i k='9'>1</i><j/><i k='2'>1</i></b>".to_owned()],
        [
            "<b><i k='2'>1</i><j/><i k='2'>1</i>mix</b>".to_owned(),
            "<b><i k='9'>1</i><j/><i k='2'>1</i>mix</b>".to_owned(),
        ],
        [in_prose(2), in_prose(9)],
        [in_prose(9), in_prose(2)],
    ];
    for [before, after] in pairs.map(|pair| pair.map(|source| parsed(&source, Whitespace::Layout))) {
        for algorithm in Algorithm::ALL {
            let told = cost(&before, &after, algorithm, true);
            assert_eq!(told, 1, "{algorithm}: {} and {}", before.source(), after.source());
        }
    }
}

#[test]
fn items_of_arrays_have_no_order_either() {
    let [before, after] =
        [r#"[3, {"a": [1, 2]}, 4]"#, r#"[{"a": [2, 1]}, 4, 3]"#].map(|source| parsed(source, Whitespace::Layout));
    for algorithm in Algorithm::ALL {
        assert!(check(&before, &after, algorithm, Whitespace::Layout).delta.is_empty());
    }
}

#[test]
fn mixed_content_keeps_its_order() {
    let [before, after] = ["<r><p>a<i/>b<u/></p><q/><s/></r>", "<r><s/><p>b<u/>a<i/></p><q/></r>"]
        .map(|source| parsed(source, Whitespace::Layout));
    for algorithm in Algorithm::ALL {
        let unordered = check(&before, &after, algorithm, Whitespace::Layout);
        assert_eq!(unordered.notes.count(Fallback::OrderKept), 1);
        assert_eq!(unordered.delta.fallbacks().to_string(), "order-kept");
        assert_eq!(unordered.notes.kept()[0].path, "/r/p");
        assert_eq!(unordered.after.source(), "<r><p>b<u/>a<i/></p><q/><s/></r>");
    }
}

/// Blanks that would come to stand side by side would be one.
#[test]
fn white_space_that_counts_is_not_merged() {
    let [before, after] = ["<r> <b/>\n<c/></r>", "<r> <c/>\n</r>"].map(|source| parsed(source, Whitespace::Exact));
    let unordered = check(&before, &after, Algorithm::KfdiffSort, Whitespace::Exact);
    assert_eq!(unordered.notes.count(Fallback::OrderKept), 1, "{:?}", unordered.notes);
    check_all(&before, &after, Whitespace::Exact);
}

#[test]
fn wide_rows_do_not_hurt() {
    let linear = [Algorithm::Auto, Algorithm::Xydiff, Algorithm::KfdiffHash, Algorithm::KfdiffSort];
    check_wide(50_000, &linear);
    check_wide(2_000, &Algorithm::ALL);
}

fn check_wide(width: usize, algorithms: &[Algorithm]) {
    let row = |item: &dyn Fn(usize) -> usize| {
        let items: String = (0..width).map(|n| format!("<i k='{}'><v/></i>", item(n))).collect();
        parsed(&format!("<r>{items}</r>"), Whitespace::Layout)
    };
    let (before, after) = (row(&|n| n), row(&|n| width - n));
    for algorithm in algorithms {
        let matching = algorithm.matching(&before, &after, &Options { unordered: true, ..Default::default() });
        let delta = Delta::between(&before, &after, &matching, &Default::default()).expect("a delta");
        let unordered = delta.unordered(&before, &after, &Default::default()).expect("a delta without order");
        assert!(unordered.delta.operations().len() <= 2, "{algorithm}: {}", unordered.delta.operations().len());
    }
}

/// One pair of versions in so many is looked at.
const STRIDE: usize = 31;

#[test]
fn real_versions() {
    let Some(corpus) = support::corpus() else { return };
    for pair in support::successive_pairs(&corpus, support::XML_EXTENSIONS).iter().step_by(STRIDE) {
        let document = |file: &Path| read(&fs::read(file).expect("a readable file"), Format::Xml, Whitespace::Layout);
        // Texts of subtrees within subtrees are long.
        let (Some(before), Some(after)) = (document(&pair[0]), document(&pair[1])) else { continue };
        if before.source().len() + after.source().len() < 1_000_000 {
            check_all(&before, &after, Whitespace::Layout);
        }
    }
}

/// Documents that are too large to be matched without order say so, if that might have found something else.
#[test]
fn order_that_is_mended_is_told() {
    let rows = "<i/>".repeat(250_000);
    let [before, after] =
        ["<x/><y>1</y>", "<y>2</y><z/>"].map(|end| parsed(&format!("<r>{rows}{end}</r>"), Whitespace::Exact));
    let options = Options { unordered: true, ..Default::default() };
    let used = |algorithm: Algorithm, after: &Document| -> Vec<Fallback> {
        algorithm.matching(&before, after, &options).notes().used().collect()
    };
    assert_eq!(used(Algorithm::Auto, &after), [Fallback::OrderMended]);
    assert_eq!(used(Algorithm::Auto, &before), []);
}
