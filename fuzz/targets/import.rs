//! Does an archive hurt that somebody has made up? It is refused and nothing of it is there, or it is taken and sound.
//!
//! The input is the entries of the archive, each a line with its name and then its bytes, with a record separator (0x1E)
//! between them. An entry `content` gets the name that its bytes have; and all get heads and checksums that are right.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use store::{Error, ImportLimits, Location, Store};

fuzz_target!(|input: &[u8]| {
    let archive = zstd::stream::encode_all(&tar(input)[..], 1).unwrap();
    EMPTY.with_borrow_mut(|kept| {
        let (_, store) = kept.get_or_insert_with(empty);
        let limits = ImportLimits { bytes: 1 << 24, entries: 1000 };
        match store.import(&archive[..], &limits, |_| ()) {
            Err(Error::Archive { .. }) => assert_eq!(store.stats().unwrap().pages, 0),
            Err(error) => panic!("{error}"),
            Ok(_) => {
                check(store);
                *kept = None;
            }
        }
    });
});

thread_local! {
    /// A store that nothing has come into yet.
    static EMPTY: RefCell<Option<(tempfile::TempDir, Store)>> = const { RefCell::new(None) };
}

fn empty() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&Location::Folder(folder.path().join("data"))).unwrap();
    (folder, store)
}

/// What was taken is sound, and gives the same archive again and again.
fn check(store: &Store) {
    assert_eq!(store.verify(|_| ()).unwrap().faults, []);
    let exported = |store: &Store| {
        let mut archive = Vec::new();
        store.export(&mut archive, |_| ()).unwrap();
        archive
    };
    let (first, (_folder, copy)) = (exported(store), empty());
    copy.import(&first[..], &ImportLimits::default(), |_| ()).unwrap();
    assert!(exported(&copy) == first, "the export of an import is the first export");
}

fn tar(input: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    for entry in input.split(|&byte| byte == 0x1E) {
        let (name, bytes) = entry.split_at(entry.iter().position(|&byte| byte == b'\n').unwrap_or(entry.len()));
        let bytes = bytes.get(1..).unwrap_or_default();
        let hash = blake3::hash(bytes).to_hex();
        let content = format!("contents/{}/{hash}", &hash[..2]);
        let name = if name == b"content" { content.as_bytes() } else { name };
        tar.extend(head(&name[..name.len().min(100)], bytes.len()));
        tar.extend(bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

fn head(name: &[u8], size: usize) -> [u8; 512] {
    let mut head = [0; 512];
    head[..name.len()].copy_from_slice(name);
    head[124..135].copy_from_slice(format!("{size:011o}").as_bytes());
    head[148..156].fill(b' ');
    head[156] = b'0';
    head[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    head
}
