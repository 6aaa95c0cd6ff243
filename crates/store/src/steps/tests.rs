use std::sync::Arc;

use proptest::prelude::*;
use treediff::delta::{Identities, Options};
use treediff::tree::Format;
use treediff::{matching, parse};

use super::*;

fn parsed(source: &str, format: Format) -> Arc<Document> {
    Arc::new(parse::parse(source, format, &Default::default()).expect("a document").document.with_sorted_members())
}

fn delta(before: &Arc<Document>, after: &Arc<Document>) -> Delta {
    let matching = matching::auto(before, after, &Default::default());
    Delta::between(before, after, &matching, &Options::default()).expect("a delta")
}

/// The operations as `kind path`, in any order; and whatever a step says, its bytes say it too.
#[track_caller]
fn check(format: Format, before: &str, after: &str, expected: &[&str]) {
    let (before, after) = (parsed(before, format), parsed(after, format));
    let delta = delta(&before, &after);
    let step = Step::of_delta(&delta, &before, &after);
    let bytes = step.to_bytes();
    let read = Step::from_bytes(&bytes).expect("a step");
    assert_eq!(read, step);
    assert!(read.delta().expect("a delta").expect("no break").same_as(&delta));
    assert_eq!(read.identities().map(|identities| identities.next), Ok(delta.next_xid()));
    let written = |operation: &Described| format!("{} {}", operation.kind, read.paths().written(operation.path));
    let mut found: Vec<String> = read.operations().iter().map(written).collect();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn operations_have_the_paths_of_their_nodes() {
    check(Format::Xml, "<a/>", "<a/>", &[]);
    check(
        Format::Xml,
        "<menu><soup price='4'>hot soup of the day</soup><tea/><!--x--></menu>",
        "<menu><soup price='5'>cold soup of the day</soup><!--y--><milk>white</milk></menu>",
        &[
            "attribute /menu/soup/@price",
            "delete /menu/tea",
            "insert /menu/milk",
            "update /menu/comment()",
            "update /menu/soup/text()",
        ],
    );
    check(
        Format::Html,
        "<!doctype html><p class=a>one</p>",
        "<p class=b>two</p>",
        &["attribute /html/body/p/@class", "doctype /", "update /html/body/p/text()"],
    );
    check(
        Format::Json,
        r#"{"items":[1,2,{"a/b":3}],"name":"x"}"#,
        r#"{"items":[1,2,{"a/b":4}],"name":"y"}"#,
        &["update /*/items/*/'a/b'", "update /*/name"],
    );
    check(Format::Json, "1", "2", &["update /*"]);
}

#[test]
fn what_is_deleted_has_the_path_that_it_had() {
    let before = "<a><b><c>one two three</c><x/></b><d>four five six</d></a>";
    check(Format::Xml, before, "<a><d>four five six<c>one two three</c></d></a>", &["delete /a/b", "move /a/d/c"]);
}

fn known(xids: &str, next: u64) -> Identities {
    Identities { xids: xids.parse().expect("an XID map"), next: Xid(next) }
}

#[test]
fn a_break_has_identities() {
    let bytes = Step::broken(known("(7-9)", 10)).to_bytes();
    let step = Step::from_bytes(&bytes).expect("a step");
    assert!(step.is_break() && step.kinds().is_empty());
    assert_eq!(step.delta().map(|delta| delta.is_none()), Ok(true));
    let identities = step.identities().expect("identities");
    assert_eq!((identities.xids.to_string().as_str(), identities.next), ("(7-9)", Xid(10)));
    let nothing = Step::broken(known("()", 7)).to_bytes();
    let identities = Step::from_bytes(&nothing).expect("a step").identities().expect("identities");
    assert_eq!((identities.xids.to_string().as_str(), identities.next), ("()", Xid(7)));
}

/// A change at every depth: paths as text would be as long as the square of the page.
#[test]
fn deep_documents_have_short_steps() {
    let depth = 20_000;
    let source = |value: &str| format!("{}{}", format!("<d a='{value}'>").repeat(depth), "</d>".repeat(depth));
    let [before, after] = ["1", "2"].map(|value| parsed(&source(value), Format::Xml));
    let mut matching = matching::Matching::new(&before, &after);
    for (before, after) in before.nodes().zip(after.nodes()).skip(1) {
        matching.pair(before.id(), after.id());
    }
    let delta = Delta::between(&before, &after, &matching, &Options::default()).expect("a delta");
    let step = Step::of_delta(&delta, &before, &after);
    assert_eq!(step.operations().len(), depth);
    let bytes = step.to_bytes();
    assert!(bytes.len() < 20 * depth + step.delta_text().expect("no break").len());
    let read = Step::from_bytes(&bytes).expect("a step");
    let longest = (0..read.paths().count()).map(|path| read.paths().written(path)).max_by_key(String::len);
    assert!(longest.expect("a path").len() < 200);
    let deepest = read.paths().written(read.paths().count() - 1);
    assert!(deepest.starts_with("/…/d/d/"), "{deepest}");
}

fn sample() -> Vec<u8> {
    let before = parsed("<menu><soup price='4'>hot</soup><tea/></menu>", Format::Xml);
    let after = parsed("<menu><soup price='5'>cold</soup><milk>white</milk></menu>", Format::Xml);
    Step::of_delta(&delta(&before, &after), &before, &after).to_bytes()
}

/// Whatever is asked of it.
fn ask(bytes: &[u8]) {
    let Ok(step) = Step::from_bytes(bytes) else { return };
    assert_eq!(step.to_bytes(), bytes);
    for operation in step.operations() {
        assert!(step.paths().written(operation.path).starts_with('/'));
    }
    let _ = step.delta();
    let _ = step.identities();
}

#[test]
fn steps_that_are_cut_off_or_hurt_are_refused_or_read() {
    let whole = sample();
    for end in 0..whole.len() {
        ask(&whole[..end]);
    }
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut hurt = whole.clone();
            hurt[at] ^= 1 << bit;
            ask(&hurt);
        }
    }
}

#[test]
fn lies_about_sizes_are_refused() {
    let huge = [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
    for head in [vec![1, 0], vec![1, 0, 0], vec![1, 1, 1, 8], vec![0], vec![0, 1]] {
        assert!(Step::from_bytes(&[head.as_slice(), &huge].concat()).is_err(), "{head:?}");
    }
    assert_eq!(Step::from_bytes(&[2]), Err(StepError::Damaged("its form")));
    // A path below none, an operation at a path that is not there, kinds that no operation has.
    for bytes in [vec![1, 0, 1, 16], vec![1, 1, 0, 1, 8], vec![1, 2, 0, 1, 0]] {
        assert!(Step::from_bytes(&bytes).is_err(), "{bytes:?}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_step_or_an_error(bytes in any::<Vec<u8>>(), form in 0..3u8) {
        ask(&bytes);
        ask(&[&[form], bytes.as_slice()].concat());
    }

    #[test]
    fn hurt_steps_are_refused_or_read(at in any::<prop::sample::Index>(), byte in any::<u8>(), many in 0..4usize) {
        let mut bytes = sample();
        let at = at.index(bytes.len());
        bytes.splice(at..at, std::iter::repeat_n(byte, many));
        ask(&bytes);
    }
}
