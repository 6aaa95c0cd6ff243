//! Is a simulated version what its matching says? Laws over random documents, and over those of the corpus.

mod support;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;
use support::XML_EXTENSIONS;
use treediff::delta::{self, Delta, Operation};
use treediff::parse::{self, Options, Whitespace};
use treediff::simulate::{Rates, SimulateError, Simulated, simulate};
use treediff::tree::{Document, Format, Kind, Node, Step};
use treediff::write;

const MODES: [Whitespace; 2] = [Whitespace::Layout, Whitespace::Exact];

fn options(whitespace: Whitespace) -> Options {
    Options { whitespace, ..Options::default() }
}

fn parsed(source: &[u8], whitespace: Whitespace) -> Arc<Document> {
    parsed_as(Format::Xml, source, whitespace)
}

fn parsed_as(format: Format, source: &[u8], whitespace: Whitespace) -> Arc<Document> {
    Arc::new(parse::parse(source, format, &options(whitespace)).expect("well-formed").document)
}

/// Simulates, checks all laws, and gives what came of it.
fn check(before: &Arc<Document>, whitespace: Whitespace, rates: Rates, seed: u64) -> Simulated {
    let options = options(whitespace);
    let simulated = simulate(before, &rates, seed, &options).expect("a version");
    let again = simulate(before, &rates, seed, &options).expect("a version");
    assert_eq!(simulated.document.source(), again.document.source(), "the same seed gives the same version");
    let after = &simulated.document;
    let reparsed = parsed_as(before.format(), &write::source(after), whitespace);
    assert!(after.root().same_content(reparsed.root()), "the source of the version is not the version");
    assert_eq!(before.doctype(), after.doctype());
    check_pairs(before, &simulated);
    check_new_nodes(before, &simulated);
    check_no_adjacent_texts(after);
    check_delta(before, &simulated, whitespace);
    simulated
}

/// The delta of what happened leads from one version to the other, and back.
fn check_delta(before: &Arc<Document>, simulated: &Simulated, whitespace: Whitespace) {
    let options = delta::Options { whitespace, ..Default::default() };
    let delta = Delta::between(before, &simulated.document, &simulated.matching, &options).expect("a delta");
    let patched = delta.apply(before, &Default::default()).expect("it applies");
    assert!(patched.document.root().same_content(simulated.document.root()));
    let back = delta.inverted().apply(&simulated.document, &Default::default()).expect("it applies backwards");
    assert!(back.document.root().same_content(before.root()));
    let read = Delta::read(delta.to_xydelta(), &Default::default()).expect("it can be read back");
    assert_eq!(read.operations().len(), delta.operations().len());
    let patched = read.apply(before, &Default::default()).expect("it applies once it was read back");
    assert!(patched.document.root().same_content(simulated.document.root()));
}

/// Pairs are alike but for updated texts; what has another parent is a whole subtree that did not change.
fn check_pairs(before: &Document, simulated: &Simulated) {
    let (after, matching) = (&simulated.document, &simulated.matching);
    for (old, new) in matching.pairs().skip(1) {
        let (old, new) = (before.node(old), after.node(new));
        assert_eq!((old.kind(), old.name()), (new.kind(), new.name()));
        let is_updated = new.kind() == Kind::Text && new.value().starts_with("new text ");
        assert!(is_updated || old.same_node(new), "{old:?} became {new:?}, and not by an update");
        let parents = (old.parent().map(Node::id), new.parent().map(Node::id));
        if parents.0.and_then(|parent| matching.after_of(parent)) != parents.1 {
            assert!(old.same_content(new), "{old:?} moved and changed");
            assert!((0..old.size()).all(|at| matching.after_of(nth(old, at).id()) == Some(nth(new, at).id())));
        }
    }
}

fn nth(top: Node<'_>, at: u32) -> Node<'_> {
    std::iter::once(top).chain(top.descendants()).nth(at as usize).expect("a node of the subtree")
}

fn check_new_nodes(before: &Document, simulated: &Simulated) {
    for node in simulated.document.nodes().filter(|node| simulated.matching.before_of(node.id()).is_none()) {
        match node.kind() {
            Kind::Text => assert!(node.value().starts_with("new text "), "{:?}", node.value()),
            Kind::Element => assert!(before.names().find(node.name().namespace, node.name().local).is_some()),
            kind => panic!("a {kind:?} came"),
        }
    }
}

fn check_no_adjacent_texts(document: &Document) {
    let mut last = None;
    for step in document.root().walk() {
        let kind = match step {
            Step::Enter(node) => Some(node.kind()),
            Step::Leave(_) => None,
        };
        assert!(last != Some(Kind::Text) || kind != Some(Kind::Text), "two texts side by side");
        last = kind;
    }
}

fn rates() -> impl Strategy<Value = Rates> {
    let rate = || prop_oneof![Just(0.0), 0.0..0.3, 0.0..1.0];
    (rate(), rate(), rate(), rate()).prop_map(|(delete, update, insert, moved)| Rates { delete, update, insert, moved })
}

/// Sources of elements with all that XML can hold in them.
fn content() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("some text".to_owned()),
        Just(" ".to_owned()),
        Just("\n  ".to_owned()),
        Just("a &amp; b<![CDATA[<c>]]>".to_owned()),
        Just("<!-- remark -->".to_owned()),
        Just("<?target data?>".to_owned()),
        Just("<?target?>".to_owned()),
        Just("<empty/>".to_owned()),
        Just("<x  a = '1>' />".to_owned()),
        Just("<p:q xmlns:p='urn:other' p:r=''/>".to_owned()),
        Just("&short;".to_owned()),
        Just("&long;".to_owned()),
        Just("&away;".to_owned()),
        Just("\r\n".to_owned()),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        let tag = prop_oneof![
            Just(("<x>", "</x>")),
            Just(("<p:y p:a='1'>", "</p:y >")),
            Just(("<z\n>", "</z>")),
            Just(("<x xml:space='preserve'>", "</x>")),
            Just(("<x xml:space='default'>", "</x>")),
            Just(("<q xmlns='urn:inner'>", "</q>")),
            Just(("<q xmlns=''>", "</q>")),
            Just(("<q xmlns:p='urn:inner'>", "</q>")),
        ];
        (tag, prop::collection::vec(inner, 0..8))
            .prop_map(|((open, close), parts)| [open, &parts.concat(), close].concat())
    })
}

fn source() -> impl Strategy<Value = String> {
    let doctype = "<!DOCTYPE r [<!ENTITY short 'brief'><!ENTITY long 'from <b>an</b> entity'>\
                   <!ENTITY away SYSTEM 'x'><!ATTLIST z kind CDATA 'plain'>]>";
    let around = prop_oneof![Just(""), Just("<!--out-->\n"), Just("\n<?out?>")];
    (around.clone(), prop::collection::vec(content(), 0..10), around).prop_map(move |(head, parts, tail)| {
        format!("<?xml version='1.0'?>{head}{doctype}<r xmlns:p='urn:p' xmlns='urn:d'>{}</r>{tail}", parts.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn versions_are_what_their_matchings_say(source in source(), rates in rates(), seed: u64, exact: bool) {
        let whitespace = MODES[usize::from(exact)];
        check(&parsed(source.as_bytes(), whitespace), whitespace, rates, seed);
    }

    #[test]
    fn nothing_happens_at_rate_zero(source in source(), seed: u64, exact: bool) {
        let whitespace = MODES[usize::from(exact)];
        let before = parsed(source.as_bytes(), whitespace);
        let simulated = check(&before, whitespace, Rates::default(), seed);
        prop_assert_eq!(simulated.document.source(), before.source());
        prop_assert!(simulated.matching.pairs().all(|(old, new)| old == new));
    }
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("\"text\"".to_owned()),
        Just("\"a \\\" b\"".to_owned()),
        Just("12.5".to_owned()),
        Just("true".to_owned()),
        Just("null".to_owned()),
        Just("{}".to_owned()),
        Just("[ ]".to_owned()),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let names = prop::sample::subsequence(vec!["b", "a", "c d", "\\u0065", "f"], 0..5);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(|items| format!("[{}]", items.join(", "))),
            (names, prop::collection::vec(inner, 5)).prop_map(|(names, values)| {
                let members: Vec<String> =
                    names.iter().zip(values).map(|(name, value)| format!("\n  \"{name}\" : {value}")).collect();
                format!("{{{}}}", members.join(","))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn json_is_changed_as_well(source in json(), rates in rates(), seed: u64) {
        let options = Options::default();
        let parsed = |source: &[u8]| Arc::new(parse::json(source, &options).expect("JSON").document.with_sorted_members());
        let before = parsed(source.as_bytes());
        let simulated = simulate(&before, &rates, seed, &options).expect("a version");
        let (after, matching) = (&simulated.document, &simulated.matching);
        prop_assert!(after.root().same_content(parsed(&write::source(after)).root()));
        for (old, new) in matching.pairs() {
            prop_assert_eq!(before.node(old).kind(), after.node(new).kind());
            prop_assert_eq!(before.node(old).name(), after.node(new).name());
        }
        if rates == Rates::default() {
            prop_assert_eq!(after.source(), before.source());
        }
        check_delta(&before, &simulated, Whitespace::Layout);
    }
}

/// Pages with what a parser reads in ways of its own: left out tags, nesting that is not allowed, text in tables.
fn page() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "<p>one",
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<ul>",
        "</ul>",
        "<li>two",
        "<b>",
        "</b>",
        "<a href=x>",
        "</a>",
        "<i class=y>",
        "</i>",
        "<br>",
        "<img src=z>",
        "<table>",
        "</table>",
        "<tr>",
        "<td>three",
        "<tbody>",
        "<caption>",
        "<col>",
        "<form>",
        "</form>",
        "<button>",
        "</button>",
        "<h1>",
        "</h1>",
        "<h2>four",
        "<select>",
        "<option>five",
        "</select>",
        "<pre>\n",
        "\n\n",
        "</pre>",
        "<script>a<b</script>",
        "<style>s</style>",
        "<textarea>\nt</textarea>",
        "<title>u</title>",
        "<template><td>v</template>",
        "<svg><g><path/><path/></g>w</svg>",
        "<math><mi>x</mi></math>",
        "<nobr>",
        "<dl>",
        "<dt>six",
        "<dd>seven",
        "<o:p>",
        "<x-y>z",
        "<!--c-->",
        " eight &amp; ",
        " ",
        "</body>",
        "</html>",
        "<head>",
        "<meta charset=utf-8>",
        "<frameset>",
        "<noscript>n",
        "<ruby>r<rt>s",
        "<hr>",
        "<p><table>",
    ]);
    (any::<bool>(), prop::collection::vec(piece, 0..40)).prop_map(|(has_doctype, pieces)| {
        format!("{}{}", if has_doctype { "<!DOCTYPE html>\n" } else { "" }, pieces.concat())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn pages_are_changed_as_well(source in page(), rates in rates(), seed: u64, exact: bool) {
        let whitespace = MODES[usize::from(exact)];
        let before = parsed_as(Format::Html, source.as_bytes(), whitespace);
        let simulated = check(&before, whitespace, rates, seed);
        if rates == Rates::default() {
            prop_assert_eq!(simulated.document.source(), before.source());
        }
    }
}

/// What all nodes but the document node are, in no order.
fn all_nodes(document: &Document) -> Vec<(Kind, String, String)> {
    let told = |node: Node<'_>| (node.kind(), node.qualified_name().to_string(), node.value().into_owned());
    let mut nodes: Vec<_> = document.nodes().skip(1).map(told).collect();
    nodes.sort();
    nodes
}

/// Moves alone take nothing away, however many are asked for.
fn check_moves(before: &Arc<Document>, whitespace: Whitespace, moved: f64, seed: u64) {
    let rates = Rates { moved, ..Rates::default() };
    let simulated = simulate(before, &rates, seed, &options(whitespace)).expect("a version");
    assert_eq!(all_nodes(before), all_nodes(&simulated.document));
    assert_eq!(simulated.matching.pairs().count(), before.len());
    assert!((0.0..=1.0).contains(&simulated.moved));
    check_delta(before, &simulated, whitespace);
}

fn moves() -> impl Strategy<Value = f64> {
    prop_oneof![Just(1.0), Just(0.99), 0.0..1.0]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn moves_delete_nothing(source in source(), moved in moves(), seed: u64, exact: bool) {
        let whitespace = MODES[usize::from(exact)];
        check_moves(&parsed(source.as_bytes(), whitespace), whitespace, moved, seed);
    }

    #[test]
    fn moves_in_json_delete_nothing(source in json(), moved in moves(), seed: u64) {
        let document = parse::json(source, &Options::default()).expect("JSON").document;
        check_moves(&Arc::new(document.with_sorted_members()), Whitespace::Layout, moved, seed);
    }

    #[test]
    fn moves_in_pages_delete_nothing(source in page(), moved in moves(), seed: u64, exact: bool) {
        let whitespace = MODES[usize::from(exact)];
        check_moves(&parsed_as(Format::Html, source.as_bytes(), whitespace), whitespace, moved, seed);
    }
}

#[test]
fn moves_of_data_are_as_many_as_there_are_places() {
    let before = parsed(rows(300).as_bytes(), Whitespace::Layout);
    for (moved, at_least) in [(0.1, 0.07), (0.3, 0.2), (0.5, 0.3), (1.0, 0.0)] {
        for seed in 0..10 {
            check_moves(&before, Whitespace::Layout, moved, seed);
            let rates = Rates { moved, ..Rates::default() };
            let reached = simulate(&before, &rates, seed, &Options::default()).expect("a version").moved;
            assert!((at_least..=moved * 1.3).contains(&reached), "{reached} of {moved}, seed {seed}");
        }
    }
}

/// A table of rows, as data is.
fn rows(count: usize) -> String {
    let row = |at| format!("  <row n='{at}'>\n    <name>name {at}</name>\n    <value>{}</value>\n  </row>\n", at * 7);
    format!("<table>\n{}</table>\n", (0..count).map(row).collect::<String>())
}

/// The shares that came out, those of texts being of texts with more than white space.
fn shares(before: &Arc<Document>, simulated: &Simulated) -> Rates {
    let Simulated { document: after, matching, .. } = simulated;
    let nodes = (before.len() - 1) as f64;
    let texts = before.nodes().filter(|node| node.kind() == Kind::Text && !node.value().trim().is_empty()).count();
    let deleted = before.nodes().filter(|node| matching.after_of(node.id()).is_none()).count();
    let inserted = after.nodes().filter(|node| matching.before_of(node.id()).is_none()).count();
    let updated = matching.pairs().filter(|&(old, new)| before.node(old).value() != after.node(new).value()).count();
    let delta = Delta::between(before, after, matching, &Default::default()).expect("a delta");
    let moved: u64 = (delta.operations().iter())
        .map(|operation| if let Operation::Move { xids, .. } = operation { xids.len() } else { 0 })
        .sum();
    Rates {
        delete: deleted as f64 / nodes,
        update: updated as f64 / texts as f64,
        insert: inserted as f64 / nodes,
        moved: moved as f64 / nodes,
    }
}

#[test]
fn rates_are_shares_of_nodes() {
    let before = parsed(rows(30_000).as_bytes(), Whitespace::Layout);
    for rate in [0.01, 0.1, 0.3] {
        let simulated = check(&before, Whitespace::Layout, Rates::all(rate), 11);
        let shares = shares(&before, &simulated);
        for (what, share) in [("deleted", shares.delete), ("inserted", shares.insert), ("updated", shares.update)] {
            assert!((0.8 * rate..1.25 * rate).contains(&share), "{what}: {share} instead of {rate}");
        }
        assert!(shares.moved > 0.0);
    }
}

#[test]
fn the_perfect_delta_has_what_happened_and_nothing_else() {
    let before = parsed(rows(300).as_bytes(), Whitespace::Layout);
    let is_expected = |rates: Rates, operation: &Operation| match operation {
        Operation::Delete { .. } => rates.delete > 0.0,
        Operation::Insert { .. } => rates.insert > 0.0,
        Operation::Move { .. } => rates.moved > 0.0,
        Operation::Update { .. } => rates.update > 0.0,
        Operation::Attribute { .. } | Operation::Doctype { .. } => false,
    };
    for which in 0..4 {
        let rate = |of: usize| if of == which { 0.1 } else { 0.0 };
        let rates = Rates { delete: rate(0), update: rate(1), insert: rate(2), moved: rate(3) };
        let simulated = check(&before, Whitespace::Layout, rates, 4);
        let delta =
            Delta::between(&before, &simulated.document, &simulated.matching, &Default::default()).expect("a delta");
        assert!(delta.operations().len() > 20, "{rates:?}");
        let strange = delta.operations().iter().find(|operation| !is_expected(rates, operation));
        assert!(strange.is_none(), "{rates:?}: {strange:?}");
    }
}

#[test]
fn all_happens_to_json() {
    let row = |at: usize| format!(r#"{{"name": "name {at}", "tags": ["a{at}", {at}], "more": {{"at{at}": [null]}}}}"#);
    let source = format!("[{}]", (0..200).map(row).collect::<Vec<_>>().join(",\n "));
    let options = Options::default();
    let before = Arc::new(parse::json(source, &options).expect("JSON").document.with_sorted_members());
    let simulated = simulate(&before, &Rates::all(0.1), 8, &options).expect("a version");
    check_delta(&before, &simulated, Whitespace::Layout);
    let delta =
        Delta::between(&before, &simulated.document, &simulated.matching, &Default::default()).expect("a delta");
    let count = |is: fn(&Operation) -> bool| delta.operations().iter().filter(|operation| is(operation)).count();
    assert!(count(|operation| matches!(operation, Operation::Delete { .. })) > 20);
    assert!(count(|operation| matches!(operation, Operation::Update { .. })) > 20);
    assert!(count(|operation| matches!(operation, Operation::Insert { .. })) > 20);
    assert!(count(|operation| matches!(operation, Operation::Move { .. })) > 20);
}

#[test]
fn the_look_of_the_source_is_kept() {
    let before = parsed(rows(50).as_bytes(), Whitespace::Layout);
    let simulated = check(&before, Whitespace::Layout, Rates { insert: 0.05, delete: 0.1, ..Rates::default() }, 3);
    let source = simulated.document.source();
    assert!(source.starts_with("<table>\n  <row"), "{source}");
    assert!(source.ends_with("\n</table>\n"), "{source}");
    let rows: Vec<&str> = source.lines().filter(|line| line.contains("<row")).collect();
    assert!(rows.len() > 30 && rows.iter().all(|line| line.starts_with("  <row")), "{source}");
}

#[test]
fn a_seed_gives_the_same_version_on_every_machine() {
    let source = "<a>\n  <b>one</b>\n  <b>two</b>\n  <c>see <i>three</i> and four</c>\n  <d><e/><e/></d>\n</a>";
    let before = parsed(source.as_bytes(), Whitespace::Layout);
    let simulated = check(&before, Whitespace::Layout, Rates::all(0.2), 2026);
    let expected = "<a>\n  <b>new text 2026.2</b>\n  <b>two</b>\n  <c>see <i><i>new text 2026.1</i>three</i>\
                    <d><e/><e/></d> and four</c>\n</a>";
    assert_eq!(simulated.document.source(), expected);
}

#[test]
fn a_seed_gives_the_same_version_of_a_page_on_every_machine() {
    let source = "<!DOCTYPE html>\n<title>t</title>\n<ul>\n  <li>one\n  <li>two\n</ul>\n<table><tr><td>1<td>2</table>\n\
                  <p>see <i>three</i> and <b>four</b> here\n<p>five";
    let before = parsed_as(Format::Html, source.as_bytes(), Whitespace::Layout);
    let simulated = check(&before, Whitespace::Layout, Rates::all(0.2), 2026);
    let expected = "<!DOCTYPE html>\n<title>t</title>\n<ul>\n  <li>new text 2026.2<li>two\n</li>\n  \
                    <li>new text 2026.1</li></ul>\n<table><tbody></tbody><tr></tr><tr><td>1<td>2</table>\
                    <p>new text 2026.3</p>\n<ul></ul>";
    assert_eq!(simulated.document.source(), expected);
}

#[test]
fn encodings_stay_what_they_were() {
    let source = b"<?xml version='1.0' encoding='ISO-8859-1'?><a><b>caf\xE9</b><b>t\xEAte</b><c/></a>";
    let before = parsed(source, Whitespace::Layout);
    let simulated = check(&before, Whitespace::Layout, Rates { insert: 0.5, moved: 0.5, ..Rates::default() }, 5);
    assert_eq!(simulated.document.encoding(), before.encoding());
}

#[test]
fn deep_and_wide_documents_are_ordinary() {
    let deep = ["<a>".repeat(200_000), "</a>".repeat(200_000)].concat();
    let wide = format!("<a>{}</a>", "<b/>text".repeat(200_000));
    for source in [deep, wide] {
        let before = parsed(source.as_bytes(), Whitespace::Layout);
        let rates = Rates { delete: 0.1, update: 0.1, insert: 0.1, moved: 0.1 };
        let simulated = simulate(&before, &rates, 1, &Options::default()).expect("a version");
        assert!(simulated.matching.pairs().count() > before.len() / 2);
    }
}

#[test]
fn rates_beyond_all_bounds_are_bounded() {
    let before = parsed(rows(20).as_bytes(), Whitespace::Layout);
    for rate in [f64::NAN, -1.0, f64::INFINITY, 1.0] {
        check(&before, Whitespace::Layout, Rates::all(rate), 2);
    }
}

#[test]
fn what_cannot_be_simulated_is_refused() {
    let exact = parsed(rows(20).as_bytes(), Whitespace::Exact);
    let refused = simulate(&exact, &Rates::all(0.2), 1, &Options::default());
    assert!(matches!(refused, Err(SimulateError::Differs)), "{refused:?}");
}

#[test]
fn real_documents_can_be_simulated_on() {
    let Some(corpus) = support::corpus() else { return };
    let mut checked = 0;
    for file in support::files_below(&corpus, XML_EXTENSIONS) {
        // The first version of each is enough.
        let is_first = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("001"));
        let source = fs::read(&file).expect("a readable file");
        if !is_first || source.len() > 300_000 || parse::xml(source.as_slice(), &Options::default()).is_err() {
            continue;
        }
        for whitespace in MODES {
            let before = parsed(&source, whitespace);
            for (seed, rate) in [(1, 0.02), (2, 0.3)] {
                let options = options(whitespace);
                let simulated = simulate(&before, &Rates::all(rate), seed, &options)
                    .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                check_pairs(&before, &simulated);
                check_new_nodes(&before, &simulated);
            }
        }
        checked += 1;
    }
    assert!(checked > 100, "only {checked} documents");
}

/// Every twelfth page of the corpus that is first of its history, which are of all families.
#[test]
fn real_pages_can_be_simulated_on() {
    let Some(corpus) = support::corpus() else { return };
    let is_first = |file: &PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("001"));
    let pages = support::files_below(&corpus, support::HTML_EXTENSIONS).into_iter().filter(is_first).step_by(12);
    let sources: Vec<Vec<u8>> = pages.map(|file| fs::read(file).expect("a readable file")).collect();
    let sources: Vec<Vec<u8>> = sources.into_iter().filter(|source| source.len() < 200_000).collect();
    assert!(sources.len() > 15, "only {} pages", sources.len());
    for (seed, rate) in [(1, 0.02), (2, 0.1), (3, 0.1), (4, 0.3)] {
        let mut sums = [0.0; 4];
        for source in &sources {
            let before = parsed_as(Format::Html, source, MODES[seed as usize % 2]);
            let simulated = check(&before, MODES[seed as usize % 2], Rates::all(rate), seed);
            let Rates { delete, update, insert, moved } = shares(&before, &simulated);
            [delete, update, insert, moved].into_iter().zip(&mut sums).for_each(|(share, sum)| *sum += share);
        }
        let means = sums.map(|sum| sum / sources.len() as f64 / rate);
        let [delete, update, insert, moved] = means;
        assert!((0.5..1.6).contains(&delete), "{delete} of {rate} were deleted");
        assert!((0.6..1.2).contains(&update), "{update} of {rate} were updated");
        assert!((0.7..1.2).contains(&insert), "{insert} of {rate} were inserted");
        assert!((0.25..1.5).contains(&moved), "{moved} of {rate} were moved");
    }
}
