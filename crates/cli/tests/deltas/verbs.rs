//! `deltaic patch`, `invert`, `compose` and `simulate`.

use std::collections::BTreeSet;
use std::fs;
#[cfg(target_os = "linux")]
use std::process::Command;

use super::{EXAMPLES, different, names, versions, write};
use crate::deltaic::{deltaic, deltaic_with_input, example, scratch};

/// Whatever does not fit, the operation is named.
#[test]
fn refusals_name_the_operation() {
    let folder = scratch("named-operations");
    let document = write(&folder, "a.xml", "<a>t</a>");
    let delta = |to: &str, operation: &str| {
        let written = format!(
            "<xydelta xmlns=\"urn:deltaic:xydelta:1\" fromHash=\"0\" toHash=\"0\" fromXIDmap=\"(1-2)\" toXIDmap=\"{to}\" \
             nextXID=\"4\">{operation}</xydelta>"
        );
        write(&folder, "delta.xml", written)
    };
    for (to, place, payload, expected) in [
        ("(1-3)", "parentXID=\"0\" position=\"2\"", "<b xmlns=\"\"/>", "the document would have a second root"),
        ("(1-3)", "parentXID=\"0\" position=\"2\"", "x", "a document has no text beside its root"),
        (
            "(1;3;2)",
            "parentXID=\"2\" position=\"2\"",
            "x",
            "it would come beside another text, and both be read as one",
        ),
    ] {
        let delta = delta(to, &format!("<insert {place} DataXIDmap=\"(3)\">{payload}</insert>"));
        deltaic(["patch", "--force", &document, &delta])
            .trouble(&format!("deltaic: {delta} does not fit {document}: insert of node 3: {expected}"));
    }
    let nested = write(&folder, "nested.xml", "<a><b><c/></b></a>");
    let cycle = "<unit_delta><t from=\"x\" to=\"y\"><d par=\"3\" pos=\"1\" xm=\"(1-2)\" move=\"yes\"/>\
                 <i par=\"1\" pos=\"1\" xm=\"(1-2)\" move=\"yes\"/></t></unit_delta>";
    let cycle = write(&folder, "cycle.xml", cycle);
    let outcome = deltaic(["patch", &nested, &cycle]);
    assert!(outcome.stderr.contains("operation 2 (i, line 1): node 2 would come below itself"), "{outcome:?}");
    let outcome = deltaic(["patch", "--reverse", &nested, &cycle]);
    assert!(outcome.stderr.contains("is read with the version that it starts from"), "{outcome:?}");
    let patch = write(&folder, "patch.xml", "<diff><add sel=\"a/b\" type=\"@xmlns\">u</add></diff>");
    let outcome = deltaic(["patch", &nested, &patch]);
    assert!(
        outcome.stderr.contains("operation 1 (`add` of `a/b`): invalid-attribute-value: a declaration"),
        "{outcome:?}"
    );
}

#[test]
fn a_document_of_another_format_is_told() {
    let folder = scratch("other-formats");
    let [before, after] = ["<a><b/></a>", "<a><c/></a>"];
    let (before, after) = (write(&folder, "a.xml", before), write(&folder, "b.xml", after));
    let delta = write(&folder, "delta", different(&[&before, &after]));
    for content in ["<ul><li>one<li>two</ul>", "<p>well-formed</p>"] {
        let page = write(&folder, "page.html", content);
        deltaic(["patch", &page, &delta]).trouble(&format!(
            "deltaic: {delta}: this delta is for XML, the document {page} is HTML\nhint: --as xml reads it as XML all the same"
        ));
    }
}

/// The steps of all selectors of a patch together would be a hundred times the patch.
#[cfg(target_os = "linux")]
#[test]
fn an_xml_patch_of_a_deep_document_takes_little_memory() {
    let folder = scratch("deep_patch");
    let deep = |value: &str| format!("{}{}", format!("<a><l>{value}</l>").repeat(1200), "</a>".repeat(1200));
    let (before, after) = (write(&folder, "a.xml", deep("1")), write(&folder, "b.xml", deep("2")));
    let patch = write(&folder, "patch.xml", different(&[&before, &after, "--format", "xmlpatch"]));
    let limited = format!("ulimit -v 150000; exec '{}' patch '{before}' '{patch}'", env!("CARGO_BIN_EXE_deltaic"));
    let outcome = Command::new("sh").args(["-c", &limited]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&outcome.stderr), "");
    assert_eq!(String::from_utf8_lossy(&outcome.stdout), deep("2"));
}

#[test]
fn a_simulation_writes_both_or_neither() {
    let folder = scratch("simulated-both");
    let document = write(&folder, "a.xml", "<a><b>1</b></a>");
    let delta = format!("{folder}/delta");
    let _ = fs::remove_file(&delta);
    let outcome = deltaic(["simulate", &document, "--update", "1", "--delta", &delta, "-o", "/nonexistent/x"]);
    assert_eq!(outcome.code, Some(2));
    assert_eq!(names(&folder), ["a.xml"]);
    deltaic(["simulate", &document, "--update", "1", "--delta", "-"]).trouble(
        "deltaic: version and delta would both be written to standard output\n\
         hint: -o FILE writes the version elsewhere, --delta FILE the delta",
    );
}

/// One of them would be lost.
#[cfg(unix)]
#[test]
fn a_simulation_does_not_write_one_over_the_other() {
    let folder = scratch("simulated-one-place");
    let document = write(&folder, "a.xml", "<a><b>1</b></a>");
    let (output, beside) = (format!("{folder}/new"), format!("{folder}/./new"));
    let [old, link] = ["old", "link"].map(|name| format!("{folder}/{name}"));
    fs::write(&old, "old").unwrap();
    let _ = std::os::unix::fs::symlink("old", &link);
    for [version, delta] in [[&output, &output], [&output, &beside], [&beside, &output], [&old, &link], [&link, &old]] {
        deltaic(["simulate", &document, "--update", "1", "--delta", delta, "-o", version]).trouble(&format!(
            "deltaic: version and delta would both be written to {version}\n\
             hint: -o FILE writes the version elsewhere, --delta FILE the delta"
        ));
    }
    assert_eq!(
        (names(&folder), &*fs::read_to_string(&old).unwrap()),
        (["a.xml", "link", "old"].map(Into::into).into(), "old")
    );
}

#[test]
fn a_simulation_names_the_file_that_has_no_place() {
    let folder = scratch("simulated-nowhere");
    let document = write(&folder, "a.xml", "<a><b>1</b></a>");
    let (version, delta) = (format!("{folder}/version"), format!("{folder}/missing/delta"));
    for output in [&version[..], "-"] {
        let outcome = deltaic(["simulate", &document, "--update", "1", "--delta", &delta, "-o", output]);
        let told = outcome.stderr.lines().next().unwrap_or_default();
        assert!(told.starts_with(&format!("deltaic: {delta}: ")) && !told.contains("version"), "{outcome:?}");
        assert_eq!(outcome.code, Some(2));
    }
    assert_eq!(names(&folder), ["a.xml"]);
}

#[test]
fn shares_are_from_0_to_1() {
    let document = write(&scratch("shares"), "a.xml", "<a/>");
    for share in ["-1", "2", "half"] {
        let outcome = deltaic(["simulate", &document, "--delete", share]);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains("expected a share from 0 to 1, such as 0.05"), "{}", outcome.stderr);
    }
}

#[test]
fn composed_content_declares_no_more_than_it_needs() {
    let folder = scratch("composed-namespaces");
    let versions = ["<r><a/></r>", "<r><a/>\n<p>\n <q>1</q>\n</p></r>", "<r><a/>\n<p>\n <q>1</q>\n <n>x</n>\n</p></r>"];
    let [z0, z1, z2] = [0, 1, 2].map(|n| write(&folder, &format!("{n}.xml"), versions[n]));
    let first = write(&folder, "01", different(&[&z0, &z1]));
    let second = write(&folder, "12", different(&[&z1, &z2, "--xids", &first]));
    let composed = write(&folder, "02", deltaic(["compose", &first, &second]).done());
    assert_eq!(deltaic(["patch", &z0, &composed]).done(), "<r><a/><p><q>1</q><n>x</n></p></r>");
    let spaced =
        ["<r xmlns='u'><a/></r>", "<r xmlns='u'><a/><p xmlns=''/></r>", "<r xmlns='u'><a/><p xmlns=''><n/></p></r>"];
    let [z0, z1, z2] = [0, 1, 2].map(|n| write(&folder, &format!("u{n}.xml"), spaced[n]));
    let first = write(&folder, "u01", different(&[&z0, &z1]));
    let second = write(&folder, "u12", different(&[&z1, &z2, "--xids", &first]));
    let composed = write(&folder, "u02", deltaic(["compose", &first, &second]).done());
    let patched = write(&folder, "u2-patched.xml", deltaic(["patch", &z0, &composed]).done());
    assert_eq!(deltaic(["diff", &patched, &z2, "--format", "summary"]).done(), "no changes\n");
}

/// An option that an error names is there.
#[test]
fn what_was_read_with_higher_limits_is_combined_with_them() {
    let folder = scratch("combined-limits");
    let wide: String = (0..70_000).map(|n| format!(" a{n}=''")).collect();
    let before = write(&folder, "a.xml", "<r/>");
    let after = write(&folder, "b.xml", format!("<r><wide{wide}/></r>"));
    let more = ["--max-attributes", "100k"];
    let delta = write(&folder, "delta", different(&[&before, &after, more[0], more[1]]));
    let outcome = deltaic(["invert", &delta]);
    assert!(outcome.code == Some(2) && outcome.stderr.contains("--max-attributes"), "{outcome:?}");
    let inverse = write(&folder, "inverse", deltaic(["invert", &delta, more[0], more[1]]).done());
    let nothing = deltaic(["compose", &delta, &inverse, more[0], more[1]]).done();
    assert_eq!(nothing.lines().count(), 2, "{nothing}");
}

/// What one delta moves to and the next moves fro has not moved.
#[test]
fn nothing_is_left_of_moves_that_lead_nowhere() {
    let folder = scratch("composed-moves");
    for (name, contents) in [("xml", ["<r><a/><b/></r>", "<r><b/><a/></r>"]), ("json", ["[1,2]", "[2,1]"])] {
        let [before, after] = [0, 1].map(|n| write(&folder, &format!("{n}.{name}"), contents[n]));
        let there = write(&folder, "there", different(&[&before, &after]));
        let back = write(&folder, "back", different(&[&after, &before, "--xids", &there]));
        let composed = write(&folder, "composed", deltaic(["compose", &there, &back]).done());
        assert_eq!(deltaic(["patch", &before, &composed, "--dry-run"]).done(), "no changes\n");
    }
}

/// What a delta of `diff` brings can always be written.
#[test]
fn what_an_encoding_cannot_hold_is_written_in_utf8() {
    let folder = scratch("encodings");
    let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><a>caf\xE9</a>".to_vec();
    let cases: [(Vec<u8>, &str, &str); 3] = [
        (
            b"<?xml version=\"1.0\" encoding=\"US-ASCII\"?><a/>".to_vec(),
            "<a><!-- \u{e9} --></a>",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a><!-- \u{e9} --></a>",
        ),
        (
            latin.clone(),
            "<a>caf\u{e9}<\u{416}/></a>",
            "<?xml version='1.0' encoding='UTF-8'?><a>caf\u{e9}<\u{416}/></a>",
        ),
        (latin, "<a>caf\u{e9}<?p \u{416}?></a>", "<?xml version='1.0' encoding='UTF-8'?><a>caf\u{e9}<?p \u{416}?></a>"),
    ];
    for (number, (before, after, expected)) in cases.into_iter().enumerate() {
        let before = write(&folder, &format!("{number}a.xml"), before);
        let after = write(&folder, &format!("{number}b.xml"), after);
        for format in ["xydelta", "xmlpatch"] {
            let delta =
                write(&folder, &format!("{number}.{format}"), different(&[&before, &after, "--format", format]));
            let outcome = deltaic(["patch", &before, &delta]);
            assert!(outcome.stderr.contains("cannot hold the result, which is written in UTF-8"), "{outcome:?}");
            assert_eq!(outcome.done(), expected);
        }
    }
}

#[test]
fn deltas_lead_from_one_version_to_the_other_and_back() {
    let folder = scratch("patch");
    for (name, extension) in EXAMPLES {
        let [before, after] = versions(name, extension);
        let delta = write(&folder, &format!("{name}.delta"), different(&[&before, &after]));
        let same = |file: &str, patched: String| {
            let patched = write(&folder, &format!("{name}.{extension}"), patched);
            deltaic(["diff", file, &patched, "--format", "summary"]).done();
        };
        same(&after, deltaic(["patch", &before, &delta]).done());
        same(&before, deltaic(["patch", &after, &delta, "--reverse"]).done());
        let out = format!("{folder}/{name}.out.{extension}");
        assert_eq!(deltaic(["patch", &before, &delta, "-o", &out]).done(), "");
        same(&after, fs::read_to_string(&out).unwrap());
    }
}

#[test]
fn what_fits_and_cannot_be_written_is_not_said_to_misfit() {
    let folder = scratch("patch_unwritten");
    let before = write(&folder, "a.xml", "<r><b/><b/><b/><b/><b/></r>");
    let after = write(&folder, "b.xml", "<r><!--c--><b/><b/><b/><b/><b/></r>");
    let delta = format!("{folder}/delta.xml");
    assert_eq!(deltaic(["diff", &before, &after, "-o", &delta]).code, Some(1));
    let outcome = deltaic(["patch", "--max-nodes", "7", &before, &delta]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.starts_with(&format!("deltaic: {before}: the result cannot be written")), "{outcome:?}");
}

#[test]
fn what_was_read_over_is_read_over_again() {
    let folder = scratch("patch_recover");
    let before = write(&folder, "a.xml", "<r><a>&foo;</a><b/></r>");
    let after = write(&folder, "b.xml", "<r><a>&foo;</a><b>x</b></r>");
    let delta = format!("{folder}/delta.xml");
    assert_eq!(deltaic(["diff", "--recover", &before, &after, "-o", &delta]).code, Some(1));
    let patched = deltaic(["patch", "--recover", &before, &delta]);
    assert_eq!((patched.code, patched.stdout.as_str()), (Some(0), "<r><a>&foo;</a><b>x</b></r>"));
}

/// Whoever wrote it: what a patch is told by is in it.
#[test]
fn patches_of_every_format_are_applied() {
    let folder = scratch("patch_formats");
    for (name, extension, format) in [
        ("menu", "xml", "xmlpatch"),
        ("order", "json", "jsonpatch"),
        ("menu", "xml", "binary"),
        ("page", "html", "binary"),
    ] {
        let [before, after] = versions(name, extension);
        let delta = format!("{folder}/{name}.{format}");
        assert_eq!(different(&[&before, &after, "--format", format, "-o", &delta]), "");
        let patched = format!("{folder}/{name}-{format}.{extension}");
        assert_eq!(deltaic(["patch", &before, &delta, "-o", &patched]).done(), "");
        deltaic(["diff", &after, &patched, "--format", "summary"]).done();
        assert!(deltaic(["patch", &before, &delta, "--dry-run"]).done().contains(" changes: "));
    }
    let patch = format!("{folder}/menu.xmlpatch");
    let after = example("menu-after.xml");
    deltaic(["patch", &after, &patch, "--reverse"]).trouble(&format!(
        "deltaic: {patch}: this is a patch that leads one way only\n\
         hint: deltas that `deltaic diff` writes lead back as well"
    ));
    deltaic(["invert", &patch]).trouble(&format!(
        "deltaic: {patch}: this is an XML patch; expected a XyDelta\n\
         hint: deltas of other formats need their document: apply them with `deltaic patch`, and compare the versions"
    ));
}

#[test]
fn deltas_of_the_original_are_applied() {
    let folder = scratch("patch_original");
    let before = write(&folder, "a.xml", "<a><b>old</b></a>");
    let delta = "<unit_delta><t from='a.xml' to='b.xml'>\
        <d par='2' pos='1' xm='(1)' update='yes'>old</d><i par='2' pos='1' xm='(4)' update='yes'>new</i></t></unit_delta>";
    let delta = write(&folder, "delta.xml", delta);
    assert_eq!(deltaic(["patch", &before, &delta]).done(), "<a><b>new</b></a>");
    assert_eq!(deltaic(["patch", &before, &delta, "--reverse"]).code, Some(2));
    let other = write(&folder, "b.xml", "<a><b>other</b></a>");
    let outcome = deltaic(["patch", &other, &delta]);
    assert!(outcome.stderr.starts_with(&format!("deltaic: {delta} does not fit {other}: ")), "{}", outcome.stderr);
}

#[test]
fn the_compact_form_is_as_good() {
    let folder = scratch("binary");
    let [before, after] = versions("menu", "xml");
    let delta = format!("{folder}/delta");
    assert_eq!(different(&[&before, &after, "--format", "binary", "-o", &delta]), "");
    let written = different(&[&before, &after]);
    assert!(fs::metadata(&delta).unwrap().len() < written.len() as u64 / 2);
    let inverse = format!("{folder}/inverse");
    assert_eq!(deltaic(["invert", &delta, "--binary", "-o", &inverse]).done(), "");
    assert_eq!(lines(&deltaic(["invert", &inverse]).done()), lines(&written));
    let back = different(&[&after, &before, "--xids", &delta]);
    assert_eq!(lines(&back), lines(&deltaic(["invert", &delta]).done()));
}

/// What did not change looks as it did.
#[test]
fn a_patched_document_keeps_its_looks() {
    let folder = scratch("patch_looks");
    let before = write(&folder, "a.xml", "<?xml version='1.0'?>\n<a >\n  <b  k = '1'>old</b>\n  <c/>\n</a>\n");
    let after = write(&folder, "b.xml", "<a><b k='1'>new</b><c></c></a>");
    let delta = write(&folder, "delta", different(&[&before, &after]));
    let patched = "<?xml version='1.0'?>\n<a >\n  <b  k = '1'>new</b>\n  <c/>\n</a>\n";
    assert_eq!(deltaic(["patch", &before, &delta]).done(), patched);
    let piped = deltaic_with_input(["patch", &before, "-"], &fs::read(&delta).unwrap());
    assert_eq!(piped.done(), patched);
    let piped = deltaic_with_input(["patch", "-", &delta], &fs::read(&before).unwrap());
    assert_eq!(piped.done(), patched);
    deltaic(["patch", "-", "-"]).trouble("deltaic: only one of document and delta can come from standard input");
}

#[test]
fn a_delta_that_does_not_fit_is_refused_and_nothing_is_written() {
    let folder = scratch("patch_misfit");
    let [before, after] = versions("menu", "xml");
    let delta = write(&folder, "delta", different(&[&before, &after]));
    let out = write(&folder, "out", "as it was");
    let outcome = deltaic(["patch", &after, &delta, "-o", &out]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.starts_with(&format!("deltaic: {delta} does not fit {after}: ")), "{}", outcome.stderr);
    assert!(
        outcome.stderr.contains("hint: --reverse goes from the later version to the earlier"),
        "{}",
        outcome.stderr
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), "as it was");
    assert_eq!(names(&folder), ["delta", "out"]);
}

#[test]
fn force_applies_to_other_versions_where_operations_find_what_they_expect() {
    let folder = scratch("patch_force");
    let before = write(&folder, "a.xml", "<a><b>1</b><c>2</c></a>");
    let after = write(&folder, "b.xml", "<a><b>9</b><c>2</c></a>");
    let other = write(&folder, "c.xml", "<a><b>1</b><c>other</c></a>");
    let delta = write(&folder, "delta", different(&[&before, &after]));
    assert_eq!(deltaic(["patch", &other, &delta]).code, Some(2));
    assert_eq!(deltaic(["patch", &other, &delta, "--force"]).done(), "<a><b>9</b><c>other</c></a>");
    assert_eq!(deltaic(["patch", &after, &delta, "--force"]).code, Some(2));
}

#[test]
fn a_dry_run_tells_and_writes_nothing() {
    let folder = scratch("patch_dry");
    let [before, after] = versions("menu", "xml");
    let delta = write(&folder, "delta", different(&[&before, &after]));
    let told = deltaic(["patch", &before, &delta, "--dry-run"]).done();
    assert_eq!(told, different(&[&before, &after, "--format", "summary"]));
    assert_eq!(deltaic(["patch", &after, &delta, "--dry-run"]).code, Some(2));
    assert_eq!(deltaic(["patch", &before, &delta, "--dry-run", "-o", "x"]).code, Some(2));
}

#[test]
fn deltas_are_turned_round_and_put_together() {
    let folder = scratch("invert");
    for (name, extension) in EXAMPLES {
        let [before, after] = versions(name, extension);
        let delta = write(&folder, &format!("{name}.delta"), different(&[&before, &after]));
        let inverse = write(&folder, &format!("{name}.inverse"), deltaic(["invert", &delta]).done());
        assert_eq!(deltaic(["invert", &inverse]).done(), fs::read_to_string(&delta).unwrap());
        let nothing = deltaic(["compose", &delta, &inverse]).done();
        assert_eq!(nothing.lines().count(), 2, "{nothing}");
        let again = deltaic(["compose", &inverse, &delta, &inverse]).done();
        assert_eq!(lines(&again), lines(&fs::read_to_string(&inverse).unwrap()));
    }
}

/// The operations, whose order means nothing.
fn lines(delta: &str) -> BTreeSet<&str> {
    delta.lines().collect()
}

#[test]
fn deltas_come_from_pipes() {
    let [before, after] = versions("menu", "xml");
    let delta = different(&[&before, &after]);
    let inverse = deltaic_with_input(["invert", "-"], delta.as_bytes()).done();
    assert!(inverse.contains("<OldText>Pumpkin soup</OldText><NewText>Tomato soup</NewText>"), "{inverse}");
    deltaic(["compose", "-", "-"]).trouble("deltaic: only one of the deltas can come from standard input");
}

#[test]
fn deltas_that_do_not_follow_one_another_are_refused() {
    let folder = scratch("compose");
    let [before, after] = versions("menu", "xml");
    let delta = write(&folder, "delta", different(&[&before, &after]));
    deltaic(["compose", &delta, &delta]).trouble(&format!(
        "deltaic: {delta} does not begin with the version that {delta} leads to\n\
         hint: give the deltas of one history in their order"
    ));
    let renumbered = write(&folder, "renumbered", different(&[&after, &before]));
    let outcome = deltaic(["compose", &delta, &renumbered]);
    assert_eq!(outcome.code, Some(2));
    let told = format!("deltaic: {renumbered} numbers the version that {delta} leads to differently: (");
    assert!(outcome.stderr.starts_with(&told), "{}", outcome.stderr);
    let hint = format!("hint: make it anew with `deltaic diff --xids {delta}`");
    assert!(outcome.stderr.contains(&hint), "{}", outcome.stderr);
}

#[test]
fn what_is_no_delta_is_refused() {
    let folder = scratch("no_delta");
    let no_delta = write(&folder, "no.xml", "<a/>");
    let outcome = deltaic(["invert", &no_delta]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""));
    assert!(outcome.stderr.starts_with(&format!("deltaic: {no_delta}: ")), "{}", outcome.stderr);
    for verb in ["invert", "compose"] {
        assert_eq!(deltaic([verb]).code, Some(2));
    }
    assert_eq!(deltaic(["compose", &no_delta]).code, Some(2));
}

#[test]
fn versions_are_made_by_chance() {
    let folder = scratch("simulate");
    let menu = example("menu-before.xml");
    let simulate = |seed: &str, more: &[&str]| {
        let rates = ["simulate", &menu, "--update", "0.5", "--insert", "0.2", "--delete", "0.1", "--seed", seed];
        deltaic([&rates[..], more].concat()).done()
    };
    assert_eq!(simulate("7", &[]), simulate("7", &[]));
    assert_ne!(simulate("7", &[]), simulate("8", &[]));
    let (version, delta) = (format!("{folder}/version.xml"), format!("{folder}/delta"));
    assert_eq!(simulate("7", &["--delta", &delta, "-o", &version]), "");
    assert_eq!(fs::read_to_string(&version).unwrap(), simulate("7", &[]));
    let patched = write(&folder, "patched.xml", deltaic(["patch", &menu, &delta]).done());
    deltaic(["diff", &version, &patched]).done();
    assert_eq!(deltaic(["simulate", &menu]).done(), fs::read_to_string(&menu).unwrap());
    assert_eq!(deltaic(["simulate", &menu, "--move", "2"]).code, Some(2));
    let moved = deltaic(["simulate", &menu, "--move", "1", "--delta", &delta, "-o", &version]);
    assert_eq!(moved.code, Some(0));
    assert!(
        moved.stderr.starts_with("deltaic: warning: moved ") && moved.stderr.lines().count() == 1,
        "{}",
        moved.stderr
    );
    let written = fs::read_to_string(&delta).unwrap();
    assert!(!written.contains("<delete") && !written.contains("<insert"), "{written}");
    let order = example("order-before.json");
    let changed = deltaic(["simulate", &order, "--update", "1", "--delta", &delta]).done();
    let (changed, patched) =
        (write(&folder, "a.json", changed), write(&folder, "b.json", deltaic(["patch", &order, &delta]).done()));
    deltaic(["diff", &changed, &patched]).done();
}

#[test]
fn versions_of_pages_are_made_by_chance() {
    let folder = scratch("simulate-page");
    let rows: String = (0..40).map(|at| format!("<tr><td>{at}<td>cell <b>{at}</b> of it\n")).collect();
    let items: String = (0..40).map(|at| format!("<li>item <a href=x{at}>{at}</a> here\n")).collect();
    let source =
        format!("<!DOCTYPE html>\n<title>t</title>\n<ul>\n{items}</ul>\n<table>\n{rows}</table>\n<pre>\n\nend</pre>\n");
    let page = write(&folder, "page.html", source);
    let (version, delta) = (format!("{folder}/new.html"), format!("{folder}/d.xml"));
    let rates = ["--delete", ".1", "--update", ".1", "--insert", ".1", "--move", ".1", "--seed", "3"];
    let simulate = |more: &[&str]| deltaic([&["simulate", &page][..], &rates, more].concat()).done();
    assert_eq!(simulate(&["-o", &version, "--delta", &delta]), "");
    assert_eq!(fs::read_to_string(&version).unwrap(), simulate(&[]));
    assert_eq!(deltaic(["diff", &page, &version]).code, Some(1));
    let patched = write(&folder, "patched.html", deltaic(["patch", &page, &delta]).done());
    deltaic(["diff", &version, &patched]).done();
    let back = write(&folder, "back.html", deltaic(["patch", "--reverse", &version, &delta]).done());
    deltaic(["diff", &page, &back]).done();
    assert_eq!(deltaic(["simulate", &page]).done(), fs::read_to_string(&page).unwrap());
}
