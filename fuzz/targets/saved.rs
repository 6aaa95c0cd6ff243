//! Whatever somebody writes into a saved document, and even if they compute the checksums: an error, or a document
//! that can be asked anything.

#![no_main]

use deltaic_fuzz::touch;
use libfuzzer_sys::fuzz_target;
use treediff::matching::KeyFields;
use treediff::parse::{self, Options};
use treediff::tree::{Document, Format, Saved};
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
    for edit in edits.chunks_exact(EDIT_LEN) {
        let place = u32::from_le_bytes([edit[0], edit[1], edit[2], 0]) as usize * saved.len() >> 24;
        saved[place] = saved[place].wrapping_add(edit[3]);
    }
    look_into(saved);
});

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
    }
}

/// Makes length and checksums right, as docs/formats/saved.md has them.
fn seal(bytes: &mut [u8]) -> Option<()> {
    const HEADER: usize = 72;
    const ROW: usize = 40;
    let total = bytes.len() as u64;
    bytes.get_mut(16..24)?.copy_from_slice(&total.to_le_bytes());
    let sections = number(bytes, 12, 4)?;
    for row in (0..sections.min(64)).map(|section| HEADER + section * ROW) {
        let start = number(bytes, row + 16, 8)?;
        let end = start.checked_add(number(bytes, row + 24, 8)?)?;
        let checksum = xxh3_64(bytes.get(start..end)?);
        bytes.get_mut(row + 32..row + ROW)?.copy_from_slice(&checksum.to_le_bytes());
    }
    let end = HEADER + sections.min(64) * ROW;
    let checksum = xxh3_64(bytes.get(..end)?);
    bytes.get_mut(end..end + 8)?.copy_from_slice(&checksum.to_le_bytes());
    Some(())
}

fn number(bytes: &[u8], at: usize, len: usize) -> Option<usize> {
    let mut number = [0; 8];
    number[..len].copy_from_slice(bytes.get(at..at + len)?);
    usize::try_from(u64::from_le_bytes(number)).ok()
}
