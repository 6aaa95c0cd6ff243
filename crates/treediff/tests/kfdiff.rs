//! Do keys give right deltas, whatever the documents are? Both ways of KF-Diff+ over random documents, over the corpus,
//! and over what is made to hurt.

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use treediff::delta::{self, ApplyOptions, Delta};
use treediff::matching::{KeyFields, Kfdiff, Matching, Options, kfdiff_hash, kfdiff_sort};
use treediff::parse::{self, Limits, Whitespace};
use treediff::simulate::{Rates, simulate};
use treediff::tree::{Document, Format, Saved};

fn parsed(source: &str, format: Format) -> Arc<Document> {
    let options = parse::Options { recover: true, ..Default::default() };
    let parsed = parse::parse(source.as_bytes().to_vec(), format, &options).expect("a document");
    Arc::new(parsed.document.with_sorted_members())
}

fn xml(source: &str) -> Arc<Document> {
    parsed(source, Format::Xml)
}

/// The matching, which both ways find, and which leads from one version to the other and back.
fn check(before: &Arc<Document>, after: &Arc<Document>, options: &Options) -> Matching {
    let matching = kfdiff_sort(before, after, options);
    let by_table = kfdiff_hash(before, after, options);
    assert!(matching.pairs().eq(by_table.pairs()), "the two ways differ");
    check_delta(before, after, &matching, Whitespace::Layout);
    matching
}

fn check_delta(before: &Arc<Document>, after: &Arc<Document>, matching: &Matching, whitespace: Whitespace) {
    let options = delta::Options { whitespace, ..Default::default() };
    let delta = Delta::between(before, after, matching, &options).expect("documents of one format");
    let options = ApplyOptions { recover: true, ..Default::default() };
    let patched = delta.apply(before, &options).expect("it applies");
    assert!(patched.document.root().same_content(after.root()), "applied");
    assert_eq!(patched.xids, *delta.to_xids());
    let back = delta.inverted().apply(after, &options).expect("it applies backwards");
    assert!(back.document.root().same_content(before.root()), "inverted and applied");
}

/// Elements with few names and few values, so that keys are found, and clash.
fn content() -> impl Strategy<Value = String> {
    let attributes = || prop::collection::btree_map("id|k|xml:id", "[ab1-4]", 0..3);
    let tag = move |name: String, attributes: std::collections::BTreeMap<String, String>, inside: String| {
        let attributes: String = attributes.iter().map(|(name, value)| format!(" {name}='{value}'")).collect();
        format!("<{name}{attributes}>{inside}</{name}>")
    };
    let leaf = prop_oneof![
        "[a-c]{1,2}".prop_map(|text| text),
        ("n|title", attributes(), "[a-c]?").prop_map(move |(name, attributes, text)| tag(name, attributes, text)),
        Just("<!--c-->".to_owned()),
        Just("<?p d?>".to_owned()),
    ];
    leaf.prop_recursive(4, 60, 8, move |inner| {
        ("i|b|n", attributes(), prop::collection::vec(inner, 0..8))
            .prop_map(move |(name, attributes, children)| tag(name, attributes, children.concat()))
    })
}

fn documents() -> impl Strategy<Value = [Arc<Document>; 2]> {
    let one = || prop::collection::vec(content(), 0..8).prop_map(|row| xml(&format!("<r>{}</r>", row.concat())));
    let changed = (one(), 0.0..0.4, 0..1000u64).prop_map(|(before, rate, seed)| {
        let after = simulate(&before, &Rates::all(rate), seed, &Default::default()).expect("a version").document;
        [before, after]
    });
    prop_oneof![(one(), one()).prop_map(|(before, after)| [before, after]), changed]
}

/// Random JSON of few names.
fn values() -> impl Strategy<Value = String> {
    let leaf = prop_oneof!["[0-3]".prop_map(|n| n), "[a-c]".prop_map(|s| format!("\"{s}\"")), Just("null".to_owned())];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let object = prop::collection::btree_map("id|v|name", inner.clone(), 0..4).prop_map(|members| {
            let members: Vec<String> = members.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            format!("{{{}}}", members.join(","))
        });
        let array = prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(",")));
        prop_oneof![object, array]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn laws_hold_for_random_documents([before, after] in documents()) {
        check(&before, &after, &Options::default());
        check(&before, &after, &Options { without_ids: true, key_names: vec!["k".to_owned()], ..Default::default() });
    }

    #[test]
    fn laws_hold_for_random_json(before in values(), after in values()) {
        let [before, after] = [before, after].map(|source| parsed(&source, Format::Json));
        check(&before, &after, &Options::default());
    }

    /// Any pairs may be given, and the rest has to find its way around them.
    #[test]
    fn laws_hold_around_given_pairs([before, after] in documents(), drawn: u64) {
        let given: Vec<_> = support::drawn_matching(&before, &after, drawn).pairs().step_by(3).collect();
        let options = Options { pairs: given.clone(), ..Default::default() };
        let matching = check(&before, &after, &options);
        prop_assert!(given.iter().all(|&(from, to)| matching.is_pair(from, to)));
    }

    /// What was learned from one version is right for any other, and survives being written.
    #[test]
    fn laws_hold_with_learned_keys([before, after] in documents()) {
        let keys = Kfdiff::sorting().learned(&before, &Options::default());
        let saved = Saved::open(before.save_with_keys(&keys.to_string())).unwrap();
        let kept = KeyFields::of_saved(&saved).unwrap().expect("keys");
        prop_assert_eq!(kept.to_string(), keys.to_string());
        check(&before, &after, &Options { key_fields: kept, ..Default::default() });
    }

    /// Keys that somebody made up are no keys, and do no harm.
    #[test]
    fn laws_hold_with_any_keys([before, after] in documents(), fields in prop::collection::vec("(n|i|@id|@k|\\.|n/@k|title)(,n|,@id)?", 3)) {
        let mut key_fields = KeyFields::default();
        for (path, field) in ["/r/i", "/r/n", "/r/i/n"].into_iter().zip(fields) {
            key_fields.give(path, &field).unwrap();
        }
        check(&before, &after, &Options { key_fields, ..Default::default() });
    }

    #[test]
    fn no_text_of_keys_is_more_than_an_error(text in "(deltaic keys 1\n)?([/a%{}@.,:\t\n-]|\\PC)*") {
        if let Ok(keys) = text.parse::<KeyFields>() {
            prop_assert_eq!(keys.to_string().parse::<KeyFields>().unwrap().to_string(), keys.to_string());
        }
    }
}

/// One pair of versions in so many is looked at.
const STRIDE: usize = 7;

#[test]
fn laws_hold_for_the_corpus() {
    let Some(corpus) = support::corpus() else { return };
    for (format, extensions) in [(Format::Xml, support::XML_EXTENSIONS), (Format::Html, support::HTML_EXTENSIONS)] {
        for pair in support::successive_pairs(&corpus, extensions).iter().step_by(STRIDE) {
            let read = |file: &Path| {
                let source = fs::read(file).expect("a readable file");
                parse::parse(source, format, &Default::default()).ok().map(|parsed| Arc::new(parsed.document))
            };
            if let (Some(before), Some(after)) = (read(&pair[0]), read(&pair[1])) {
                check(&before, &after, &Options::default());
            }
        }
    }
}

#[test]
fn wide_rows_do_not_hurt() {
    const WIDE: usize = 100_000;
    let row = |item: &dyn Fn(usize) -> String| format!("<r>{}</r>", (0..WIDE).map(item).collect::<String>());
    let backwards = |n: usize| WIDE - 1 - n;
    let keyed = |n: usize| format!("<i k='{n}'><v>{}</v></i>", n % 10);
    let turned = xml(&row(&|n| keyed(backwards(n))));
    let matching = check(&xml(&row(&keyed)), &turned, &Options::default());
    assert_eq!(matching.pairs().count(), turned.len());
    // All keys are equal, and the content is not.
    let clashing = |n: usize| format!("<i k='1'><v>x</v><w>{n}</w><w/></i>");
    check(&xml(&row(&clashing)), &xml(&row(&|n| clashing(backwards(n)))), &Options::default());
    // All are equal.
    let equal = |items: usize| xml(&format!("<r>{}</r>", "<i k='1'/>".repeat(items)));
    let matching = check(&equal(WIDE), &equal(WIDE - 1), &Options::default());
    assert_eq!(matching.pairs().count(), WIDE + 1);
    // Every name is another.
    check(
        &xml(&row(&|n| format!("<n{n}/>"))),
        &xml(&row(&|n| format!("<n{} a=''/>", backwards(n)))),
        &Options::default(),
    );
    // Values stand behind many children.
    let long = |n: usize| format!("<i>{}<k>{n}</k></i>", "<v/>".repeat(40));
    let small = |item: &dyn Fn(usize) -> String| format!("<r>{}</r>", (0..2_000).map(item).collect::<String>());
    check(&xml(&small(&long)), &xml(&small(&|n| long(1_999 - n))), &Options::default());
}

#[test]
fn deep_documents_do_not_hurt() {
    const DEEP: usize = 100_000;
    let deep =
        |pair: &str, end: &str| format!("{}{end}{}", format!("<a>{pair}<b>").repeat(DEEP), "</b></a>".repeat(DEEP));
    let limits = Limits { max_depth: usize::MAX, ..Limits::default() };
    let read = |source: String| {
        let options = parse::Options { limits: limits.clone(), ..Default::default() };
        Arc::new(parse::xml(source, &options).expect("a document").document)
    };
    // A path of its own for each pair of siblings, far down.
    let before = read(deep("<i k='1'/><i k='2'/>", "x"));
    let after = read(deep("<i k='2'/><i k='1'/>", "y"));
    let options = Options::default();
    let matching = kfdiff_sort(&before, &after, &options);
    assert_eq!(matching.pairs().count(), before.len());
    assert!(matching.pairs().eq(kfdiff_hash(&before, &after, &options).pairs()));
    let keys = Kfdiff::hashing().learned(&before, &options);
    assert!(keys.to_string().len() < 10_000, "paths that are too deep are not kept");
}

#[test]
fn white_space_may_count() {
    let options = parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
    let [before, after] = ["<r> <i k='1'/> <i k='2'/>\n</r>", "<r>\n <i k='2'/> <i k='1'/> x</r>"]
        .map(|source| Arc::new(parse::xml(source, &options).expect("a document").document));
    check_delta(&before, &after, &kfdiff_hash(&before, &after, &Options::default()), Whitespace::Exact);
}
