//! Does everything come back that was recorded? The histories of the corpus, byte by byte.

mod support;

use std::fs;

use store::{Address, Capture, Location, Store};

/// Every version of the corpus, in the order of its page, as captures of a made-up site.
fn captures(corpus: &std::path::Path) -> Vec<Vec<Capture>> {
    let of_page = |page: support::Page| {
        let address = Address::new(&format!("https://corpus.example/{}", page.name)).expect("an address");
        let capture = |(day, file): (usize, &std::path::PathBuf)| {
            let time = jiff::Timestamp::from_second(86_400 * day as i64).expect("a time");
            Capture::of(address.clone(), time, fs::read(file).expect("a readable file"))
        };
        page.files.iter().enumerate().map(capture).collect()
    };
    support::pages(corpus).into_iter().map(of_page).collect()
}

#[test]
fn every_version_comes_back() {
    let Some(corpus) = support::corpus() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let store = Store::open(&Location::Folder(folder.path().join("data"))).expect("a store");
    let pages = captures(&corpus);
    let start = std::time::Instant::now();
    for page in &pages {
        for recorded in store.record_all(page.clone()).expect("recorded") {
            recorded.expect("recorded");
        }
    }
    eprintln!("{:?}", start.elapsed());
    for page in &pages {
        let address = &page[0].address;
        let versions = store.versions(address).expect("versions");
        for version in versions {
            store.content(&version).expect("content");
        }
    }
    eprintln!("{:?}", start.elapsed());
    store.compact(|_| ()).expect("compacted");
    eprintln!("{:?}", start.elapsed());
    for page in &pages {
        let versions = store.versions(&page[0].address).expect("versions");
        for version in versions {
            store.content(&version).expect("content");
        }
    }
    eprintln!("{:?}", start.elapsed());
    let verified = store.verify(|_| ()).expect("verified");
    eprintln!("{:?} {verified:?} {:?}", start.elapsed(), store.stats());
    for entry in fs::read_dir(folder.path().join("data")).unwrap().flatten() {
        eprintln!("{:?} {}", entry.path(), entry.metadata().unwrap().len());
    }
}
