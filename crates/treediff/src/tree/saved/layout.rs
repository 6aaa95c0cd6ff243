//! Where is what in a saved document? A header, a table of sections, a checksum over both, checksums of the blocks of
//! every section, and the sections.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use bytes::Bytes;
use encoding_rs::Encoding;
use xxhash_rust::xxh3::xxh3_64;

use super::super::{Format, Span};
use super::blocks::{self, Blocks};
use super::{SavedError, damaged};

/// The version of the format; a change to any section, or to the hash of subtrees, is a new one.
pub(super) const VERSION: u32 = 2;
/// The first version, which has no checksums but those of whole sections.
const WHOLE_SECTIONS: u32 = 1;
/// What errors call the header and the table.
pub(super) const HEADER: &str = "header";

const MAGIC: [u8; 8] = *b"\x89deltaic";
/// More than this format will ever have, and little enough to look through in no time.
const MAX_SECTIONS: usize = 64;
const ALIGNMENT: usize = 8;
const CHECKSUM_LEN: usize = size_of::<u64>();
const NO_DOCTYPE: u32 = u32::MAX;

pub(super) type SectionName = &'static str;

/// The first bytes.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Header {
    magic: [u8; 8],
    version: u32,
    sections: u32,
    total_len: u64,
    pub(super) root_hash: u64,
    pub(super) nodes: u32,
    pub(super) source_len: u32,
    /// Starts at [`NO_DOCTYPE`] where there is none.
    doctype: Span,
    format: u8,
    pub(super) has_byte_order_mark: u8,
    reserved: [u8; 6],
    /// The encoding's name, filled up with zeros.
    encoding: [u8; 16],
}

/// A row of the table.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Entry {
    /// Filled up with zeros.
    name: [u8; 16],
    start: u64,
    len: u64,
    /// That of the checksums of its blocks.
    checksum: u64,
}

impl Header {
    pub(super) fn new(format: Format, encoding: &'static Encoding, doctype: Option<Span>) -> Self {
        Header {
            magic: MAGIC,
            version: VERSION,
            format: match format {
                Format::Xml => 0,
                Format::Html => 1,
                Format::Json => 2,
            },
            encoding: padded(encoding.name()),
            doctype: doctype.unwrap_or(Span::plain(NO_DOCTYPE, NO_DOCTYPE)),
            ..Header::zeroed()
        }
    }

    pub(super) fn format(&self) -> Option<Format> {
        [Format::Xml, Format::Html, Format::Json].get(usize::from(self.format)).copied()
    }

    pub(super) fn encoding(&self) -> Option<&'static Encoding> {
        Encoding::for_label_no_replacement(unpadded(&self.encoding))
    }

    pub(super) fn doctype(&self) -> Option<Span> {
        (self.doctype.start() != NO_DOCTYPE).then_some(self.doctype)
    }
}

/// The bytes of a saved document, where its sections are in them, and which of them have been found to be right.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    bytes: Bytes,
    table: Vec<Entry>,
    blocks: Blocks,
}

/// A section that is there: its place in the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Section(usize);

impl Layout {
    /// Reads header and table and sees to it that they are what was written, and that all sections are there.
    pub(super) fn open(bytes: Bytes) -> Result<(Header, Layout), SavedError> {
        let header = read_header(&bytes)?;
        let table = read_table(&bytes, header.sections as usize)?;
        let lens = table.iter().map(|entry| entry.len);
        let blocks = match header.version {
            WHOLE_SECTIONS => Blocks::whole(lens, table_end(table.len()) + CHECKSUM_LEN),
            _ => Blocks::new(lens, table_end(table.len()) + CHECKSUM_LEN),
        };
        check_table(&table, blocks.sums_end(), bytes.len())?;
        Ok((header, Layout { bytes: aligned(bytes), table, blocks: blocks.ready() }))
    }

    pub(super) fn has_section(&self, name: SectionName) -> bool {
        self.find(name).is_ok()
    }

    /// Where a section is; nothing of it is read.
    pub(super) fn find(&self, name: SectionName) -> Result<Section, SavedError> {
        let wanted = padded(name);
        self.table.iter().position(|entry| entry.name == wanted).map(Section).ok_or(damaged(name, "is missing"))
    }

    /// The length of a section in bytes.
    pub(super) fn len(&self, section: Section) -> usize {
        self.table[section.0].len as usize
    }

    /// A section that matches its checksums.
    pub(super) fn section(&self, name: SectionName) -> Result<Bytes, SavedError> {
        let section = self.find(name)?;
        self.read(section, 0..self.len(section))?;
        Ok(self.bytes.slice(self.table[section.0].range()))
    }

    /// A piece of a section, with all blocks that it touches compared with their checksums unless they have been before.
    #[inline]
    pub(super) fn read(&self, section: Section, piece: Range<usize>) -> Result<&[u8], SavedError> {
        let entry = &self.table[section.0];
        let whole = &self.bytes[entry.range()];
        let read =
            whole.get(piece.clone()).ok_or_else(|| entry.damaged("ends before something that is said to be in it"))?;
        self.blocks
            .check(&self.bytes, section.0, (whole, entry.checksum), piece)
            .then_some(read)
            .ok_or_else(|| entry.damaged("does not match its checksum"))
    }
}

impl Entry {
    /// The section's place, which has been seen to lie within the whole.
    #[inline]
    fn range(&self) -> Range<usize> {
        self.start as usize..(self.start + self.len) as usize
    }

    fn damaged(&self, flaw: &'static str) -> SavedError {
        damaged(&String::from_utf8_lossy(unpadded(&self.name)), flaw)
    }
}

fn read_header(bytes: &[u8]) -> Result<Header, SavedError> {
    let found = bytes.len() as u64;
    if bytes.len() < MAGIC.len() || !bytes.starts_with(&MAGIC) {
        return Err(SavedError::NotSaved);
    }
    let Some(header) = bytes.get(..size_of::<Header>()) else {
        return Err(SavedError::Length { expected: size_of::<Header>() as u64, found });
    };
    let header: Header = bytemuck::pod_read_unaligned(header);
    if !(WHOLE_SECTIONS..=VERSION).contains(&header.version) {
        return Err(SavedError::Version { found: header.version });
    }
    if header.total_len != found {
        return Err(SavedError::Length { expected: header.total_len, found });
    }
    Ok(header)
}

fn read_table(bytes: &[u8], sections: usize) -> Result<Vec<Entry>, SavedError> {
    if sections > MAX_SECTIONS {
        return Err(damaged(HEADER, "names too many sections"));
    }
    let end = table_end(sections);
    let (Some(checked), Some(checksum)) = (bytes.get(..end), bytes.get(end..end + CHECKSUM_LEN)) else {
        return Err(damaged(HEADER, "is longer than the whole"));
    };
    if xxh3_64(checked).to_le_bytes() != checksum {
        return Err(damaged(HEADER, "does not match its checksum"));
    }
    let rows = checked[size_of::<Header>()..].chunks_exact(size_of::<Entry>());
    Ok(rows.map(bytemuck::pod_read_unaligned).collect())
}

/// Where the table ends and its checksum starts.
fn table_end(sections: usize) -> usize {
    size_of::<Header>() + sections * size_of::<Entry>()
}

/// Sections follow each other: aligned, without overlap, inside the whole, and behind what comes before them.
fn check_table(table: &[Entry], mut free_from: u64, total: usize) -> Result<(), SavedError> {
    if free_from > total as u64 {
        return Err(damaged(HEADER, "is longer than the whole"));
    }
    for entry in table {
        let end = entry.start.checked_add(entry.len).filter(|&end| end <= total as u64);
        let flaw = match end {
            None => "reaches beyond the end",
            Some(_) if entry.start < free_from => "overlaps what is before it",
            Some(_) if !entry.start.is_multiple_of(ALIGNMENT as u64) => "is not aligned",
            Some(end) => {
                free_from = end;
                continue;
            }
        };
        return Err(entry.damaged(flaw));
    }
    Ok(())
}

/// The same bytes at an address that all columns can live with.
fn aligned(bytes: Bytes) -> Bytes {
    if bytes.as_ptr().addr().is_multiple_of(ALIGNMENT) {
        return bytes;
    }
    let mut words = vec![0u64; bytes.len().div_ceil(ALIGNMENT)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(&bytes);
    Bytes::from_owner(Words(words)).slice(..bytes.len())
}

struct Words(Vec<u64>);

impl AsRef<[u8]> for Words {
    fn as_ref(&self) -> &[u8] {
        bytemuck::cast_slice(&self.0)
    }
}

/// Writes a header, the table of `sections`, the checksums of their blocks, and the sections.
pub(super) fn write(
    mut header: Header,
    sections: &[(SectionName, Cow<'_, [u8]>)],
    mut out: impl io::Write,
) -> io::Result<()> {
    let sums: Vec<Vec<u8>> = sections.iter().map(|(_, section)| blocks::checksums(section)).collect();
    let (table, total_len) = lay_out(sections, &sums);
    header.sections = sections.len() as u32;
    header.total_len = total_len;
    let mut head = bytemuck::bytes_of(&header).to_vec();
    head.extend_from_slice(bytemuck::cast_slice(&table));
    let checksum = xxh3_64(&head);
    head.extend_from_slice(&checksum.to_le_bytes());
    head.extend(sums.iter().flatten());
    out.write_all(&head)?;
    for (_, section) in sections {
        out.write_all(section)?;
        out.write_all(&[0; ALIGNMENT][..section.len().next_multiple_of(ALIGNMENT) - section.len()])?;
    }
    out.flush()
}

/// The table, and the length of everything.
fn lay_out(sections: &[(SectionName, Cow<'_, [u8]>)], sums: &[Vec<u8>]) -> (Vec<Entry>, u64) {
    let mut start = table_end(sections.len()) + CHECKSUM_LEN + sums.iter().map(Vec::len).sum::<usize>();
    let rows = sections.iter().zip(sums).map(|((name, section), sums)| {
        let row = Entry { name: padded(name), start: start as u64, len: section.len() as u64, checksum: xxh3_64(sums) };
        start += section.len().next_multiple_of(ALIGNMENT);
        row
    });
    let table = rows.collect();
    (table, start as u64)
}

/// A name of at most 16 bytes, filled up with zeros.
fn padded(name: &str) -> [u8; 16] {
    let mut padded = [0; 16];
    let len = name.len().min(padded.len());
    padded[..len].copy_from_slice(&name.as_bytes()[..len]);
    padded
}

fn unpadded(name: &[u8; 16]) -> &[u8] {
    let len = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
    &name[..len]
}
