//! Are siblings told apart as a reader would? Small documents, who is paired with whom, and what was said about it.

use super::*;
use crate::parse;

fn parsed(source: &str, format: Format) -> Document {
    parse::parse(source.as_bytes().to_vec(), format, &Default::default()).unwrap().document.with_sorted_members()
}

/// What both ways find; they have to find the same.
fn matched(before: &Document, after: &Document, options: &Options) -> (Matching, KeyFields) {
    let [by_table, by_sorting] = [Kfdiff::hashing(), Kfdiff::sorting()].map(|mut kfdiff| {
        let mut keys = options.key_fields.clone();
        (kfdiff.matching(before, after, &mut keys, options), keys)
    });
    assert!(by_table.0.pairs().eq(by_sorting.0.pairs()));
    assert_eq!(by_table.0.notes().kept(), by_sorting.0.notes().kept());
    assert_eq!(by_table.1.to_string(), by_sorting.1.to_string());
    by_sorting
}

/// The pairs of the children of the root by their places, `-` for nobody, and the keys that were found.
#[track_caller]
fn check(before: &str, after: &str, pairs: &str, keys: &[(&str, &str)]) {
    check_with(Format::Xml, before, after, Options::default(), pairs, keys, &[]);
}

#[track_caller]
fn check_with(
    format: Format,
    before: &str,
    after: &str,
    options: Options,
    pairs: &str,
    keys: &[(&str, &str)],
    notes: &[&str],
) {
    let (before, after) = (parsed(before, format), parsed(after, format));
    let (matching, found) = matched(&before, &after, &options);
    let place = |child: &NodeId| row(&after).iter().position(|other| other == child).map(|at| at.to_string());
    let partner = |child: &NodeId| matching.after_of(*child).and_then(|partner| place(&partner));
    let told: Vec<String> = row(&before).iter().map(|child| partner(child).unwrap_or("-".to_owned())).collect();
    assert_eq!(told.join(" "), pairs);
    assert_eq!(found.iter().collect::<Vec<_>>(), keys);
    let kept: Vec<String> = matching.notes().kept().iter().map(ToString::to_string).collect();
    assert_eq!(kept, notes);
}

fn row(document: &Document) -> Vec<NodeId> {
    let top = match document.format() {
        Format::Html => document.nodes().find(|node| node.name().local == "body").unwrap(),
        _ => document.root_element().unwrap(),
    };
    top.children().map(|child| child.id()).collect()
}

#[test]
fn what_is_there_once_is_known_by_its_name() {
    check("<a><b>1</b><c/></a>", "<a><c x='1'/><b>2</b></a>", "1 0", &[]);
    check("<a><b/></a>", "<a><c/></a>", "-", &[]);
    check("<a>text</a>", "<a>other</a>", "0", &[]);
    check("<a>text</a>", "<a><!-- text --></a>", "-", &[]);
}

#[test]
fn several_of_one_name_are_told_apart_by_a_key() {
    // By experience: an attribute before a child, the better name before the other.
    check(
        "<a><i id='1' n='x'/><i id='2' n='y'/></a>",
        "<a><i id='2' n='x'/><i id='1' n='y'/></a>",
        "1 0",
        &[("/a/i", "@id")],
    );
    check(
        "<a><i><v>1</v><Name>x</Name></i><i><v>2</v><Name>y</Name></i></a>",
        "<a><i><v>1</v><Name>y</Name></i></a>",
        "- 0",
        &[("/a/i", "Name")],
    );
    // Computed, the shortest path that does.
    check(
        "<a><i><b><c>1</c></b></i><i><b><c>2</c></b></i></a>",
        "<a><i><b><c>2</c></b><d/></i></a>",
        "- 0",
        &[("/a/i", "b/c")],
    );
    check("<a><i><b c='1'/></i><i><b c='2'/></i></a>", "<a><i><b c='2'/><d/></i></a>", "- 0", &[("/a/i", "b/@c")]);
    // One that is the same for different ones is none.
    check("<a><i id='1' n='x'/><i id='1' n='y'/></a>", "<a><i id='1' n='y' z=''/></a>", "- 0", &[("/a/i", "@n")]);
    // It is multi-instance if it is in one of the versions.
    check("<a><i id='2'/></a>", "<a><i id='1'/><i id='2' x=''/></a>", "1", &[("/a/i", "@id")]);
}

#[test]
fn of_computed_keys_the_one_that_stays_is_the_best() {
    check(
        "<a><i v='1' w='x'/><i v='2' w='y'/></a>",
        "<a><i v='3' w='x'/><i v='4' w='y'/></a>",
        "0 1",
        &[("/a/i", "@w")],
    );
}

#[test]
fn a_key_belongs_to_a_label_path() {
    // `n` would do in the first group, but not in the second.
    check(
        "<a><b><i n='1' m='1'/><i n='2' m='2'/></b><c><i n='1' m='1'/><i n='1' m='2'/></c></a>",
        "<a><c><i n='1' m='1'/><i n='1' m='2' x=''/></c><b><i n='1' m='1'/><i n='2' m='2' x=''/></b></a>",
        "1 0",
        &[("/a/b/i", "@n"), ("/a/c/i", "@m")],
    );
    check(
        "<a><b k='1'><i n='1' m='1'/><i n='2' m='2'/></b><b k='2'><i n='1' m='1'/><i n='1' m='2'/></b></a>",
        "<a><b k='2'><i n='1' m='1'/><i n='1' m='2' x=''/></b><b k='1'><i n='1' m='1'/><i n='2' m='2' x=''/></b></a>",
        "1 0",
        &[("/a/b", "@k"), ("/a/b/i", "@m")],
    );
}

#[test]
fn two_paths_may_do_where_one_does_not() {
    check(
        "<a><i x='1' y='1'>p</i><i x='1' y='2'>p</i><i x='2' y='1'>p</i></a>",
        "<a><i x='2' y='1'>q</i><i x='1' y='2'>q</i></a>",
        "- 1 0",
        &[("/a/i", "@y,@x")],
    );
}

#[test]
fn equal_siblings_need_no_key() {
    check("<a><i k='1'/><i k='1'/><i k='2'/></a>", "<a><i k='2'/><i k='1'/></a>", "1 - 0", &[("/a/i", "@k")]);
    check("<a><br/><br/></a>", "<a><br/><br/><br/></a>", "0 1", &[("/a/br", "-")]);
}

#[test]
fn what_is_nothing_but_its_content_may_change() {
    check("<a><i>1</i><i>2</i><i>3</i></a>", "<a><i>3</i><i>1</i><i>4</i></a>", "1 2 0", &[("/a/i", ".")]);
    check("<a>one<b/>two<b/>three</a>", "<a>three<b/>one<b/>2</a>", "2 1 4 3 0", &[("/a/b", "-")]);
    check("<a><?p 1?><?q 1?><?p 2?></a>", "<a><?p 2?><?p 3?><?q 2?></a>", "1 2 0", &[]);
}

#[test]
fn ids_tell_apart_what_has_them() {
    let dtd = "<!DOCTYPE a [<!ATTLIST i n ID #IMPLIED>]>";
    check(
        &format!("{dtd}<a><i n='x' id='1'/><i n='y' id='2'/></a>"),
        &format!("{dtd}<a><i n='y' id='1'/></a>"),
        "- 0",
        &[("/a/i", "@id")],
    );
    check(
        "<a><i xml:id='x' k='1'/><i k='2'/></a>",
        "<a><i k='2' l=''/><i xml:id='x' k='3'/></a>",
        "1 0",
        &[("/a/i", "@k")],
    );
    let options = Options { without_ids: true, ..Default::default() };
    let (before, after) =
        ("<a><i xml:id='x' k='1'/><i xml:id='y' k='2'/></a>", "<a><i xml:id='y' k='1'/><i xml:id='x' k='2'/></a>");
    check(before, after, "1 0", &[("/a/i", "@{http%3A%2F%2Fwww.w3.org%2FXML%2F1998%2Fnamespace}id")]);
    let keys = [("/a/i", "@k")];
    let named = Options { key_names: vec!["K".to_owned()], ..options };
    check_with(Format::Xml, before, after, named.clone(), "0 1", &keys, &[]);
    let absent = Options { key_names: vec!["@k".to_owned(), "k".to_owned()], ..named };
    let told =
        "`/`: the key name `@k` names nothing in either version, and they are compared as without it (key-absent)";
    check_with(Format::Xml, before, after, absent, "0 1", &keys, &[told]);
    let unfit = Options { key_names: vec!["l".to_owned()], without_ids: true, ..Default::default() };
    let told = "`/a/i`: `@l`, whose name was given as that of keys, is the same for different siblings; another key was sought \
                (key-not-unique)";
    let (before, after) = ("<a><i l='1' k='1'/><i l='1' k='2'/></a>", "<a><i l='1' k='2'/><i l='1' k='3'/></a>");
    check_with(Format::Xml, before, after, unfit, "- 0", &keys, &[told]);
    let page = |body: &str| format!("<!DOCTYPE html><title>t</title><body>{body}");
    let path = "/{http%3A%2F%2Fwww.w3.org%2F1999%2Fxhtml}html/{http%3A%2F%2Fwww.w3.org%2F1999%2Fxhtml}body/{http%3A%2F%2Fwww.w3.org%2F1999%2Fxhtml}p";
    check_with(
        Format::Html,
        &page("<p id=x>1<p id=y>2"),
        &page("<p id=y>1<p id=z>2"),
        Options::default(),
        "1 0",
        &[(path, "@id")],
        &[],
    );
}

#[test]
fn ids_of_different_nodes_are_told() {
    check_with(
        Format::Xml,
        "<a><i xml:id='x' k='1'/><i xml:id='x' k='2'/></a>",
        "<a><i xml:id='x' k='2'/><i xml:id='x' k='1'/></a>",
        Options::default(),
        "1 0",
        &[("/a/i", "@k")],
        &["`/a/i`: `ID` is the same for different siblings; their content counts (key-not-unique)"],
    );
}

#[test]
fn json_is_told_apart_by_its_members() {
    check_with(
        Format::Json,
        r#"[{"id": 1, "v": 1}, {"id": 2, "v": 1}, [1], "x", "y"]"#,
        r#"["y", {"id": 2, "v": 3}, "z", {"id": 3, "v": 1}, [2]]"#,
        Options::default(),
        "- 1 4 2 0",
        &[("/a:/o:", "n:id")],
        &[],
    );
    check_with(Format::Json, r#"{"a": 1, "b": 2}"#, r#"{"b": 3, "a": "1"}"#, Options::default(), "- 1", &[], &[]);
}

fn known(path: &str, field: &str) -> Options {
    let mut options = Options::default();
    options.key_fields.give(path, field).unwrap();
    options
}

#[test]
fn keys_that_are_known_are_not_sought() {
    let (before, after) = ("<a><i id='1' k='x'/><i id='2' k='y'/></a>", "<a><i id='1' k='y'/><i id='2' k='x'/></a>");
    check_with(Format::Xml, before, after, known("/a/i", "@k"), "1 0", &[("/a/i", "@k")], &[]);
    // That there is none is known too.
    check_with(Format::Xml, before, after, known("/a/i", "-"), "0 1", &[("/a/i", "-")], &[]);
}

#[test]
fn keys_that_do_not_hold_any_more_are_told_and_sought_again() {
    check_with(
        Format::Xml,
        "<a><i id='1' k='x'/><i id='2' k='y'/></a>",
        "<a><i id='2' k='x'/><i id='1' k='x'/></a>",
        known("/a/i", "@k"),
        "1 0",
        &[("/a/i", "@id")],
        &["`/a/i`: `@k` is the same for different siblings; another key was sought (key-not-unique)"],
    );
    check_with(
        Format::Xml,
        "<a><i id='1' k='x'/><i id='2' k='y'/></a>",
        "<a><i id='2'/><i id='1'/></a>",
        known("/a/i", "@k"),
        "1 0",
        &[("/a/i", "@id")],
        &["`/a/i`: `@k` is absent in some of the siblings; another key was sought (key-absent)"],
    );
    // Where it is absent in a few, it is still the key of the others.
    check_with(
        Format::Xml,
        "<a><i id='1' k='x'/><i id='2' k='y'/></a>",
        "<a><i id='2' k='x'/><i id='1'/></a>",
        known("/a/i", "@k"),
        "0 -",
        &[("/a/i", "@k")],
        &["`/a/i`: `@k` is absent in some of the siblings; their content counts (key-absent)"],
    );
}

#[test]
fn keys_of_experience_may_be_absent_here_and_there() {
    check_with(
        Format::Xml,
        "<a><i id='1'>x</i><i id='2'>x</i><i>x</i></a>",
        "<a><i>x</i><i>y</i><i id='2'>y</i></a>",
        Options::default(),
        "- 2 0",
        &[("/a/i", "@id?")],
        &[],
    );
}

#[test]
fn given_pairs_are_pairs_wherever_they_are() {
    let (before, after) =
        (parsed("<a><b><i>1<j/></i></b><c/></a>", Format::Xml), parsed("<a><b/><c><i>2<j/></i></c></a>", Format::Xml));
    let item = |document: &Document| document.nodes().find(|node| node.name().local == "i").unwrap().id();
    let nowhere = (NodeId(1000), NodeId(1));
    let options = Options { pairs: vec![nowhere, (item(&before), item(&after))], ..Default::default() };
    let (matching, _) = matched(&before, &after, &options);
    assert_eq!(matching.after_of(item(&before)), Some(item(&after)));
    assert_eq!(matching.pairs().count(), before.len());
}

#[test]
fn one_document_alone_has_keys_to_learn() {
    let document = parsed("<a><b n='1'><i x='1'/><i x='2'/></b><b n='2'><i x='1'/></b><c/></a>", Format::Xml);
    let keys = Kfdiff::hashing().learned(&document, &Options::default());
    assert_eq!(keys.to_string(), "deltaic keys 1\n/a/b\t@n\n/a/b/i\t@x\n");
    let again: KeyFields = keys.to_string().parse().unwrap();
    assert_eq!(again.to_string(), keys.to_string());
    assert_eq!((again.len(), again.is_empty()), (2, false));
}

#[test]
fn the_scratch_space_of_one_comparison_is_no_matter_to_the_next() {
    let sources: Vec<String> = (0..40)
        .map(|n| (0..n).fold(String::new(), |row, i| row + &format!("<i k='{}'><n>{}</n></i>", i % 7, i * n % 11)))
        .map(|row| format!("<a>{row}<b/></a>"))
        .collect();
    let documents: Vec<Document> = sources.iter().map(|source| parsed(source, Format::Xml)).collect();
    let mut used = [Kfdiff::hashing(), Kfdiff::sorting()];
    for pair in documents.windows(2).chain(documents.windows(2).rev()) {
        let expected = kfdiff_sort(&pair[0], &pair[1], &Options::default());
        for kfdiff in &mut used {
            let found = kfdiff.matching(&pair[0], &pair[1], &mut KeyFields::default(), &Options::default());
            assert!(found.pairs().eq(expected.pairs()));
        }
    }
}

#[test]
fn written_keys_that_are_none_are_refused() {
    let check = |text: &str, message: &str| {
        assert_eq!(text.parse::<KeyFields>().unwrap_err().to_string(), message, "{text:?}");
    };
    let line = |line: &str| format!("deltaic keys 1\n{line}\n");
    check("", "found no key fields: expected the first line to be `deltaic keys 1`");
    check("deltaic keys 2\n", "found no key fields: expected the first line to be `deltaic keys 1`");
    check(&line("/a"), "line 2: found `/a`, expected a path, a tab and a field");
    check(&line("a\t@b"), "`a` is no path: expected one such as `/catalog/product`");
    check(&line("/\t@b"), "`/` is no path: a step has no name");
    check(&line("/a/../a\t@b"), "`/a/../a` is no path: it leads down and nowhere else, and has no step `.` or `..`");
    check(&line("/a\t"), "`` is no field: a step has no name");
    check(&line("/a\t@"), "`@` is no field: a step has no name");
    check(&line("/a\t/@b"), "`/@b` is no field: a step has no name");
    check(&line("/a\t?"), "`?` is no field: a step has no name");
    check(&line("/a\tb/../b"), "`b/../b` is no field: it leads down and nowhere else, and has no step `.` or `..`");
    check(&line("/a\tb,,c"), "`b,,c` is no field: a step has no name");
    check(&line("/a\tb,c,d,e"), "`b,c,d,e` is no field: it has more than three paths");
    check(&line("/a\tb/c/d/e"), "`b/c/d/e` is no field: it has more than three steps");
    check(&line("/a%zz\tb"), "`/a%zz` is no path: a `%` is not followed by two digits");
    let long = "/a".repeat(33);
    check(&line(&format!("{long}\tb")), &format!("`{}…` is no path: it has too many steps", &long[..60]));
    let many = (0..70_000).fold("deltaic keys 1\n".to_owned(), |text, n| text + &format!("/a{n}\tb\n"));
    check(&many, "found more than 65536 key fields");
}

#[test]
fn what_changed_is_known_by_what_did_not() {
    // Nothing tells them apart in both versions; most of the children are the same.
    check(
        "<a><i><b>1</b><c>2</c><d>3</d></i></a>",
        "<a><i>new</i><i><b>1</b><c>2</c><d>4</d></i></a>",
        "1",
        &[("/a/i", "-")],
    );
    // All children changed, but their names did not.
    check("<a><i><b><x>1</x></b></i></a>", "<a><i>new</i><i><b><x>2</x></b></i></a>", "1", &[("/a/i", "-")]);
    check("<a><i><b/></i><i><c/></i></a>", "<a><i><d/></i><i><e/></i><i><c/><f/></i></a>", "0 2", &[("/a/i", "-")]);
}

#[test]
fn many_siblings_are_told_apart_as_few_are() {
    // Those of one key get one another in order, whether they are looked through, looked up or sorted.
    for count in [3usize, 8, 9, 40] {
        let items =
            |keys: &mut dyn Iterator<Item = usize>| keys.map(|key| format!("<i k='{}'/>", key / 2)).collect::<String>();
        let before = format!("<a>{}</a>", items(&mut (0..count)));
        let after = format!("<a>{}</a>", items(&mut (0..count).rev()));
        let (before, after) = (parsed(&before, Format::Xml), parsed(&after, Format::Xml));
        let (matching, _) = matched(&before, &after, &Options::default());
        let (from, to) = (row(&before), row(&after));
        for (at, &child) in from.iter().enumerate() {
            let twins: Vec<NodeId> =
                (0..count).filter(|other| (count - 1 - other) / 2 == at / 2).map(|other| to[other]).collect();
            assert_eq!(matching.after_of(child), Some(twins[at % 2]), "{at} of {count}");
        }
    }
}

/// `a` was unique before, and now several have it: it says nothing on either side, so that what did not change stays.
#[test]
fn a_key_that_is_unfit_on_one_side_is_so_on_the_other() {
    let list = |ids: [&str; 2]| {
        let [one, two] = ids;
        format!("<!DOCTYPE r [<!ATTLIST p k ID #IMPLIED>]><r><p k='{one}'>one</p><p k='{two}'>two</p></r>")
    };
    let note = "`/r/p`: `ID` is the same for different siblings; their content counts (key-not-unique)";
    let check = |before, after| {
        let keys = &[("/r/p", ".")];
        check_with(Format::Xml, &list(before), &list(after), Options::default(), "0 -", keys, &[note]);
    };
    check(["a", "b"], ["a", "a"]);
    check(["a", "a"], ["a", "b"]);
}
