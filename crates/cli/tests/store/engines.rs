//! The same words, whatever database the pages are in.

#[path = "../../../store/tests/support/postgres.rs"]
mod postgres;

use postgres::Schema;

use super::{Kept, MENU};
use crate::deltaic::{Outcome, deltaic, example, scratch};

#[test]
fn a_server_says_what_a_folder_says() {
    let Some(schema) = Schema::new() else { return };
    let (url, Kept { folder }) = (schema.url(), Kept::new("engines"));
    let both = |arguments: &[&str]| -> Outcome {
        let run = |place: [&str; 2]| deltaic([arguments, &place].concat());
        let (in_folder, in_server) = (run(["--data", &folder]), run(["--database", &url]));
        assert_eq!(in_folder, in_server, "{arguments:?}");
        in_server
    };
    let (before, after) = (example("menu-before.xml"), example("menu-after.xml"));
    let times = ["--at", "2026-11-01", "--at", "2026-11-02"];
    both(&[&["record", MENU, &before, &after][..], &times].concat()).done();
    both(&["record", MENU, "--failed", "no route to host", "--at", "2026-11-03"]).done();
    let selected = both(&["show", MENU]).done();
    assert_eq!(selected, std::fs::read_to_string(&after).unwrap());
    for arguments in [
        &["history", MENU][..],
        &["history", MENU, "--json"],
        &["show", "https://example.org/menu.xml@2026-11-01T12:00", "--nearest", "closest", "--json"],
        &["trace", MENU, "//price"],
        &["blame", MENU],
        &["changes"],
        &["changes", "--path", "//price", "--json"],
        &["seen", MENU, "--save", "--note", "kept", "--reader", "a1"],
        &["seen", "--list", "--reader", "a1"],
        &["pages", "--json"],
        &["prune", "--keep", "1"],
    ] {
        both(arguments).done();
    }
    // They take their own space.
    for place in [["--data", &folder], ["--database", &url]] {
        let told = deltaic([&["compact", "--json"], &place[..]].concat()).done();
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        let [before, after] = ["before_bytes", "after_bytes"].map(|name| told[name].as_u64().unwrap());
        assert!(0 < after && after <= before, "{told}");
    }
    for arguments in [&["verify"][..], &["history", MENU]] {
        both(arguments).done();
    }
    both(&["show", "https://example.org/none"]).trouble("deltaic: `https://example.org/none` was never recorded");
    both(&["show", "https://example.org/menu.xml@99", "--json"]);
    // From the server to a folder.
    let archive = format!("{}/all.tar.zst", scratch("store-engines-archives"));
    deltaic(["export", &archive, "--database", &url]).done();
    let elsewhere = Kept::new("engines-elsewhere");
    elsewhere.run(["import", &archive]).done();
    assert_eq!(elsewhere.run(["show", MENU]).done(), selected);
}
