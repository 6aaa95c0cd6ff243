//! Stores travel: as archives, and as copies.

use std::fs;

use super::looking_back::hurt;
use super::{Kept, MENU};
use crate::deltaic::{example, scratch};

#[test]
fn an_archive_is_taken_in_elsewhere() {
    let kept = Kept::with_menu("export");
    kept.run(["seen", &format!("{MENU}@1"), "--save"]).done();
    let archive = format!("{}/store.tar.zst", scratch("store-archives"));
    assert_eq!(kept.run(["export", &archive]).done(), "1 page, 2 versions, 2 contents, 1 reader\n");
    let other = Kept::new("import");
    assert_eq!(other.run(["import", &archive]).done(), "1 page, 2 versions, 2 contents, 1 reader\n");
    assert_eq!(other.run(["history", MENU]).done(), kept.run(["history", MENU]).done());
    let before = fs::read_to_string(example("menu-before.xml")).unwrap();
    assert_eq!(other.run(["show", &format!("{MENU}@1")]).done(), before);
    let again: serde_json::Value = serde_json::from_str(&other.run(["import", &archive, "--json"]).done()).unwrap();
    assert_eq!((&again["pages"], &again["known_pages"]), (&0.into(), &1.into()));
    assert!(other.run(["verify"]).done().ends_with("all is well\n"));
}

#[test]
fn what_is_hurt_is_left_out_where_that_is_asked_for() {
    let kept = hurt("export-hurt");
    let note = "https://example.org/note.txt";
    kept.run_with_input(["record", note, "-"], b"whole").done();
    let folder = scratch("store-unhurt");
    let archive = format!("{folder}/store.tar.zst");
    fs::read_dir(&folder).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap());
    let refused = kept.run(["export", &archive]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(2), ""));
    assert!(refused.stderr.contains(&format!("version 2 of {MENU} is damaged: ")), "{refused:?}");
    let hint = "hint: `--skip-hurt` exports the rest, and names what it leaves out\n";
    assert!(refused.stderr.ends_with(hint), "{refused:?}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);

    let partly = kept.run(["export", &archive, "--skip-hurt"]);
    assert_eq!((partly.code, partly.stdout.as_str()), (Some(1), "2 pages, 1 version, 1 content, 0 readers\n"));
    for number in [1, 2] {
        assert!(partly.stderr.contains(&format!("left out: version {number} of {MENU}: ")), "{partly:?}");
    }
    let other = Kept::new("import-unhurt");
    other.run(["import", &archive]).done();
    assert_eq!(other.run(["show", note]).done(), "whole");
    assert!(other.run(["verify"]).done().ends_with("all is well\n"));
    other.run(["export", &archive, "--skip-hurt"]).done();
}

#[test]
fn what_is_no_archive_changes_nothing() {
    let kept = Kept::with_menu("bad-import");
    let history = kept.run(["history", MENU]).done();
    for archive in [&b""[..], b"no archive", b"\x28\xB5\x2F\xFD\0\0\0"] {
        let outcome = kept.run_with_input(["import", "-"], archive);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{outcome:?}");
        assert!(outcome.stderr.starts_with("deltaic: -: "), "{outcome:?}");
    }
    kept.run(["import", "/nowhere"]).trouble("deltaic: /nowhere: no such file");
    let other = Kept::new("bad-import-elsewhere");
    assert_eq!(other.run_with_input(["import", "-"], b"no archive").code, Some(2));
    assert!(!fs::exists(&other.folder).unwrap(), "it is made for nothing");
    assert_eq!(kept.run(["history", MENU]).done(), history);
}

#[test]
fn what_the_system_says_is_told_once() {
    let kept = Kept::with_menu("no-place");
    let file = format!("{}/store.db", kept.folder);
    let place = format!("{file}/copy");
    kept.run(["backup", &place]).trouble(&format!("deltaic: `{place}`: Not a directory (os error 20)"));
    let other = Kept { folder: file };
    other.run(["stats"]).trouble(&format!("deltaic: `{}`: Not a directory (os error 20)", other.folder));
}

#[test]
fn a_backup_is_a_store() {
    let kept = Kept::with_menu("backup");
    let copy = Kept::new("backup-copy");
    assert_eq!(kept.run(["backup", &copy.folder]).done(), "1 page, 2 versions, 2 contents, 0 readers\n");
    assert_eq!(copy.run(["history", MENU]).done(), kept.run(["history", MENU]).done());
    assert!(copy.run(["verify"]).done().ends_with("all is well\n"));
    assert_eq!(kept.run(["backup", &copy.folder]).code, Some(2));
    let other = Kept::new("backup-json");
    let told = kept.run(["backup", &other.folder, "--json"]).done();
    assert_eq!(told, "{\"pages\":1,\"versions\":2,\"contents\":2,\"readers\":0}\n");
}
