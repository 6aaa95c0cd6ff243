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
    for arguments in [&["diff"][..], &["diff", "--recorded"], &["htmldiff", "--as", "html", "--view", "summary"]] {
        let differs = both(&[arguments, &["https://example.org/menu.xml@1", MENU]].concat());
        assert_eq!((differs.code, differs.stderr.as_str()), (Some(1), ""), "{arguments:?}");
    }
    for arguments in [
        &["history", MENU][..],
        &["history", MENU, "--json"],
        &["show", "https://example.org/menu.xml@2026-11-01T12:00", "--nearest", "closest", "--json"],
        &["trace", MENU, "//price"],
        &["trace", MENU, "//dish", "--life"],
        &["trace", MENU, "count(//dish)", "--plot", "-"],
        &["blame", MENU],
        &["blame", MENU, "--json"],
        &["changes"],
        &["changes", "--path", "//price", "--json"],
        &["seen", MENU, "--save", "--note", "kept", "--reader", "a1"],
        &["seen", "--list", "--reader", "a1"],
        &["seen", "https://example.org/menu.xml@1", "--reader", "b2"],
        &["seen", "--reader", "b2", "--json"],
        &["seen", "--recount", "--reader", "b2"],
        &["show", "https://example.org/menu.xml@seen", "--reader", "b2"],
        &["pages", "--json"],
        &["verify", "--json"],
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
    // From the server to a folder and to another server, as an archive and as a copy.
    let archive = format!("{}/all.tar.zst", scratch("store-engines-archives"));
    deltaic(["export", &archive, "--database", &url]).done();
    let elsewhere = Kept::new("engines-elsewhere");
    let taken = elsewhere.run(["import", &archive]).done();
    assert_eq!(elsewhere.run(["show", MENU]).done(), selected);
    let Some(second) = Schema::new() else { return };
    assert_eq!(deltaic(["import", &archive, "--database", &second.url()]).done(), taken);
    assert_eq!(deltaic(["show", MENU, "--database", &second.url()]).done(), selected);
    let copy = Kept::new("engines-copy");
    assert_eq!(deltaic(["backup", &copy.folder, "--database", &url]).done(), taken);
    assert_eq!(copy.run(["show", MENU]).done(), selected);
}
