//! Whatever somebody writes into a saved document, and even if they compute the checksums: an error, or a document
//! that can be asked anything, and nodes and subtrees of it alone. Without the checksums: an error, or what was saved.

#![no_main]

use deltaic_fuzz::touch;
use libfuzzer_sys::fuzz_target;
use treediff::matching::KeyFields;
use treediff::parse::{self, Options};
use treediff::tree::{Document, Format, Kind, Node, Saved, SavedNode};
use xxhash_rust::xxh3::xxh3_64;

/// A change: three bytes say where, as a part of the whole, and one is added there.
const EDIT_LEN: usize = 4;

fuzz_target!(|input: &[u8]| {
    look_into(input.to_vec());
    let Some((&[format, edits], rest)) = input.split_first_chunk() else { return };
    let Some((edits, source)) = rest.split_at_checked(usize::from(edits % 8) * EDIT_LEN) else { return };
    let Some(document) = read(format, source) else { return };
    let mut saved = document.save_with_keys("deltaic keys 1\n/a/{u}b\t@id,c/d\n/o:/s:%2F\t.\n");
    let opened = Saved::open(saved.clone()).and_then(|saved| saved.document()).expect("what was saved is opened");
    assert_eq!(opened.hashes(), document.hashes());
    touch(&opened);
    look_around(&Saved::open(saved.clone()).expect("what was saved is opened"), |found, _| {
        same(found, document.node(found.id())).expect("what was saved is not damaged");
    });
    for edit in edits.chunks_exact(EDIT_LEN) {
        let place = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize * saved.len() >> 24;
        saved[place] = saved[place].wrapping_add(edit[3]);
    }
    if let Ok(saved) = Saved::open(saved.clone()) {
        // An error, or the truth.
        look_around(&saved, |found, _| drop(same(found, document.node(found.id()))));
    }
    look_into(saved);
});

/// Reads so many nodes one by one, and makes documents of so many nodes in all; a subtree that is read for every node of a
/// deep document would be another matter.
const READ: usize = 2000;

fn look_around(saved: &Saved, mut look: impl FnMut(SavedNode<'_>, Option<Document>)) {
    let mut copied = 0;
    let mut waiting: Vec<SavedNode<'_>> = saved.root().into_iter().collect();
    for _ in 0..READ {
        let Some(node) = waiting.pop() else { return };
        copied += node.size() as usize;
        look(node, (copied < 20 * READ).then(|| node.document().ok()).flatten());
        waiting.extend(node.children().take(READ).flatten());
    }
}

/// Whether a node says what it said when it was saved; an error where it says nothing.
fn same(found: SavedNode<'_>, node: Node<'_>) -> Result<(), treediff::tree::SavedError> {
    assert_eq!((found.kind(), found.size(), found.hash()?), (node.kind(), node.size(), node.hash()));
    assert_eq!((found.name()?, found.value()?), (node.name(), node.value()));
    for attribute in node.attributes() {
        let name = attribute.name();
        assert_eq!(found.attribute(name.namespace, name.local)?, Some(attribute.value()));
    }
    let document = found.document()?;
    let top = if found.kind() == Kind::Document { document.root() } else { document.root().first_child().unwrap() };
    assert!(top.same_content(node), "a subtree is what it was");
    Ok(())
}

fn read(format: u8, source: &[u8]) -> Option<Document> {
    let format = [Format::Xml, Format::Html, Format::Json][usize::from(format % 3)];
    let options = Options { recover: true, ..Options::default() };
    parse::parse(source, format, &options).ok().map(|parsed| parsed.document)
}

fn look_into(mut bytes: Vec<u8>) {
    let _ = Saved::open(bytes.clone()).map(|saved| saved.document().map(|document| touch(&document)));
    seal(&mut bytes);
    if let Ok(saved) = Saved::open(bytes) {
        std::hint::black_box((saved.format(), saved.node_count(), saved.root_hash()));
        if let Ok(Some(keys)) = KeyFields::of_saved(&saved) {
            assert_eq!(keys.to_string().parse::<KeyFields>().expect("keys that were read").len(), keys.len());
        }
        if let Ok(document) = saved.document() {
            touch(&document);
        }
        look_around(&saved, |node, document| {
            std::hint::black_box((node.name().is_ok(), node.value().is_ok(), node.hash().is_ok()));
            std::hint::black_box(node.attribute("", "a").is_ok());
            document.iter().for_each(touch);
        });
    }
}

/// Makes length and checksums right, as docs/formats/saved.md has them.
fn seal(bytes: &mut [u8]) -> Option<()> {
    const HEADER: usize = 72;
    const ROW: usize = 40;
    const BLOCK: usize = 4096;
    let total = bytes.len() as u64;
    bytes.get_mut(16..24)?.copy_from_slice(&total.to_le_bytes());
    let has_blocks = number(bytes, 8, 4)? != 1;
    let sections = number(bytes, 12, 4)?.min(64);
    let end = HEADER + sections * ROW;
    let mut list = end + 8;
    for row in (0..sections).map(|section| HEADER + section * ROW) {
        let start = number(bytes, row + 16, 8)?;
        let section = bytes.get(start..start.checked_add(number(bytes, row + 24, 8)?)?)?;
        let mut checksum = xxh3_64(section);
        if has_blocks {
            let sums: Vec<u8> = section.chunks(BLOCK).flat_map(|block| xxh3_64(block).to_le_bytes()).collect();
            bytes.get_mut(list..list + sums.len())?.copy_from_slice(&sums);
            list += sums.len();
            checksum = xxh3_64(&sums);
        }
        bytes.get_mut(row + 32..row + ROW)?.copy_from_slice(&checksum.to_le_bytes());
    }
    let checksum = xxh3_64(bytes.get(..end)?);
    bytes.get_mut(end..end + 8)?.copy_from_slice(&checksum.to_le_bytes());
    Some(())
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let mut number = [0; 8];
    number[..len].copy_from_slice(bytes.get(at..at + len)?);
    usize::try_from(u64::from_le_bytes(number)).ok()
}
