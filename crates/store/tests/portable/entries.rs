//! The entries of an archive, taken apart and put together again.

use std::io::Read;

/// An entry of an archive, with its head as it stands.
#[derive(Clone)]
pub struct Entry {
    pub head: [u8; 512],
    pub bytes: Vec<u8>,
}

impl Entry {
    pub fn name(&self) -> String {
        String::from_utf8_lossy(&self.head[..100]).trim_end_matches('\0').to_owned()
    }

    pub fn named(mut self, name: &str) -> Self {
        self.head[..100].fill(0);
        self.head[..name.len()].copy_from_slice(name.as_bytes());
        self
    }

    pub fn with(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.bytes = bytes.into();
        let size = format!("{:011o}", self.bytes.len());
        self.head[124..135].copy_from_slice(size.as_bytes());
        self
    }

    pub fn edited(self, from: &str, to: &str) -> Self {
        let text = String::from_utf8(self.bytes.clone()).expect("text");
        assert!(text.contains(from), "{text}");
        self.with(text.replacen(from, to, 1))
    }

    pub fn with_head(mut self, at: usize, bytes: &[u8]) -> Self {
        self.head[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }
}

pub fn unpacked(archive: &[u8]) -> Vec<u8> {
    let mut tar = Vec::new();
    zstd::stream::read::Decoder::new(archive).expect("zstd").read_to_end(&mut tar).expect("zstd");
    tar
}

pub fn entries(archive: &[u8]) -> Vec<Entry> {
    let tar = unpacked(archive);
    let mut rest = &tar[..];
    let mut entries = Vec::new();
    while rest[0] != 0 {
        let head: [u8; 512] = rest[..512].try_into().expect("a head");
        let size = usize::from_str_radix(std::str::from_utf8(&head[124..135]).expect("a size"), 8).expect("a size");
        entries.push(Entry { head, bytes: rest[512..512 + size].to_vec() });
        rest = &rest[512 + size.next_multiple_of(512)..];
    }
    entries
}

/// The entries as a tar, with checksums that are right.
pub fn packed(entries: &[Entry]) -> Vec<u8> {
    let mut tar = Vec::new();
    for Entry { mut head, bytes } in entries.iter().cloned() {
        head[148..156].fill(b' ');
        let sum: u64 = head.iter().map(|&byte| u64::from(byte)).sum();
        head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend(head);
        tar.extend(&bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

pub fn zst(tar: &[u8]) -> Vec<u8> {
    zstd::stream::encode_all(tar, 1).expect("zstd")
}

pub fn unpacked_or_nothing(archive: &[u8]) -> Option<Vec<u8>> {
    let mut tar = Vec::new();
    zstd::stream::read::Decoder::new(archive).ok()?.read_to_end(&mut tar).ok()?;
    Some(tar)
}
