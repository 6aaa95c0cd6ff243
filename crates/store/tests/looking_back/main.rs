//! Are the answers about the past the right ones? lxml and html5lib read every version for themselves, and say what they see.

#[path = "../support/engines.rs"]
mod engines;
#[path = "../support/mod.rs"]
mod support;

mod blame;
mod changes;
mod oracle;
mod pages;
mod values;

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use store::{Address, Capture, Store};
use treediff::tree::Format;

use engines::Engine;
use oracle::{Answer, python};
use support::Page;

/// One document of each family of XML, as far as lxml reads all of its versions.
fn documents(python: &Path, corpus: &Path) -> Vec<(Page, Answer)> {
    let pages = of_each_family(corpus, Format::Xml, 1);
    let answers: Vec<Option<Answer>> = oracle::asked(python, "looking_back.py", &pages);
    let read = pages.into_iter().zip(answers).filter_map(|(page, answer)| Some((page, answer?)));
    read.collect()
}

/// Some pages of each family that have not too many versions.
fn of_each_family(corpus: &Path, format: Format, most: usize) -> Vec<Page> {
    let mut pages = support::pages(corpus);
    pages.retain(|page| page.format == format && page.files.len() < 30);
    let (mut family, mut count) = (String::new(), 0);
    pages.retain(|page| {
        let of_page = page.name.split('/').next().unwrap_or_default();
        count = if of_page == family { count + 1 } else { 1 };
        family = of_page.to_owned();
        count <= most
    });
    pages
}

/// Records all versions of a page; none where one is as the version before, because then numbers differ.
fn recorded(store: &Store, page: &Page, extension: &str) -> Option<Address> {
    let address = Address::new(&format!("https://corpus.example/{}.{extension}", page.name)).expect("an address");
    for (day, file) in page.files.iter().enumerate() {
        let time = Timestamp::from_second(86_400 * day as i64).expect("a time");
        store.record(Capture::of(address.clone(), time, fs::read(file).expect("a readable file"))).expect("recorded");
    }
    let count = store.versions(&address).expect("versions").len();
    (count == page.files.len()).then_some(address)
}

/// In an empty store of every engine; the oracles are asked once.
fn in_every_store(test: impl Fn(&Store)) {
    Engine::all().into_iter().for_each(|engine| test(&engine.place().open()));
}

#[test]
fn values_changes_and_origins_are_those_that_lxml_sees() {
    let (Some(corpus), Some(python)) = (support::corpus(), python()) else { return };
    let documents = documents(&python, &corpus);
    in_every_store(|store| {
        let (mut checked, mut facts, mut origins) = (0, 0, blame::Tally::default());
        for (page, answer) in &documents {
            let Some(address) = recorded(store, page, "xml") else { continue };
            values::check(store, &address, answer);
            facts += changes::check(store, &address, &answer.balance);
            origins.check(store, &address, page.files.len() as u32, answer);
            checked += 1;
        }
        assert!(checked >= 10, "{checked} documents were checked");
        assert!(facts > 10_000, "{facts} facts were compared");
        origins.check_all();
    });
}

/// White space between elements is none of the store's trees.
fn unspaced(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c == '\0').collect()
}
