//! Is all there of the log that was acknowledged? SQLite takes a log as far as its checksums hold, and what stands behind a
//! flipped bit as if it had never been: it cannot know better where the power failed. But where a process was killed, the
//! index of the log (`store.db-shm`) is still there and says how far it went, since it is written behind the log.
//!
//! So before SQLite looks at a log, its frames are counted as SQLite would count them. Where they are fewer than the index
//! has, the log is kept under another name, and nothing is recorded until somebody has taken it away.
//! (After `sqlite.org/walformat.html`.)

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::Result;

use super::io_error;

/// A log of which something is missing, as it was found.
const KEPT: &str = "store.db-wal.hurt";

/// Where a log is kept that was hurt, if there is one or it is so now.
pub(super) fn hurt(folder: &Path) -> Result<Option<PathBuf>> {
    let (kept, log) = (folder.join(KEPT), folder.join("store.db-wal"));
    if kept.try_exists().map_err(io_error(&kept))? {
        return Ok(Some(kept));
    }
    if !is_short(folder).map_err(io_error(&log))? {
        return Ok(None);
    }
    match keep(&log, &kept) {
        // Where nothing may be written, SQLite leaves it where it is.
        Err(error) if super::forbids(&error) => Ok(Some(log)),
        is_kept => is_kept.map(|()| Some(kept.clone())).map_err(io_error(&kept)),
    }
}

/// Copies the log, or says by an empty file that there was none. It has its name once it is whole and on disk, and who comes
/// second leaves it as it is: by then SQLite may have begun a new log.
fn keep(log: &Path, kept: &Path) -> io::Result<()> {
    let part = kept.with_extension(format!("hurt-{}", std::process::id()));
    let copied = copy(log, &part).and_then(|()| if kept.exists() { Ok(()) } else { fs::rename(&part, kept) });
    // Where it has its name, there is nothing left to remove.
    let _ = fs::remove_file(&part);
    copied
}

fn copy(log: &Path, part: &Path) -> io::Result<()> {
    let mut to = File::create(part)?;
    match File::open(log) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => _ = io::copy(&mut opened?, &mut to)?,
    }
    to.sync_all()
}

/// Whether the log has less than its index says. Others may be writing: then both are read again.
fn is_short(folder: &Path) -> io::Result<bool> {
    const TRIES: usize = 10;
    for _ in 0..TRIES {
        let index = index(folder)?;
        let Some(expected) = index.as_deref().and_then(Expected::read) else { return Ok(false) };
        let is_short = expected.is_more_than(folder)?;
        if !is_short || index == self::index(folder)? {
            return Ok(is_short);
        }
    }
    Ok(false)
}

/// The beginning of the index: its head, twice, and how far the log has been copied to the database.
fn index(folder: &Path) -> io::Result<Option<Vec<u8>>> {
    const HEAD: u64 = 136;
    match File::open(folder.join("store.db-shm")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => {
            let mut head = Vec::new();
            opened?.take(HEAD).read_to_end(&mut head)?;
            Ok(Some(head))
        }
    }
}

/// What an index says of its log.
struct Expected {
    frames: u32,
    salts: [u8; 8],
}

impl Expected {
    /// Nothing, where the index is not one that is in use, or all of the log is in the database.
    fn read(index: &[u8]) -> Option<Expected> {
        const VERSION: u32 = 3_007_000;
        let (head, rest) = index.split_at_checked(48)?;
        let (twin, copied) = rest.split_at_checked(48)?;
        let number = |bytes: &[u8]| Some(u32::from_ne_bytes(*bytes.first_chunk()?));
        let is_in_use = head == twin && number(head)? == VERSION && head[12] != 0;
        let (frames, copied) = (number(&head[16..])?, number(copied)?);
        (is_in_use && frames > copied).then_some(Expected { frames, salts: *head[32..].first_chunk()? })
    }

    fn is_more_than(&self, folder: &Path) -> io::Result<bool> {
        let log = match File::open(folder.join("store.db-wal")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            opened => opened?,
        };
        let mut log = BufReader::new(log);
        let Some(mut frames) = Frames::read(&mut log)? else { return Ok(true) };
        // One that was put there from elsewhere is another's.
        if frames.salts != self.salts {
            return Ok(false);
        }
        for _ in 0..self.frames {
            if !frames.has_next(&mut log)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// The frames of a log, one after the other.
struct Frames {
    salts: [u8; 8],
    is_big_endian: bool,
    sum: [u32; 2],
    page: Vec<u8>,
}

impl Frames {
    /// The head of a log; nothing where it is none.
    fn read(log: &mut impl Read) -> io::Result<Option<Frames>> {
        const MAGIC: u32 = 0x377f_0682;
        let mut head = [0; 32];
        if !is_read(log, &mut head)? {
            return Ok(None);
        }
        let magic = word(&head, 0);
        let is_big_endian = magic == MAGIC | 1;
        let page_size = word(&head, 8) as usize;
        let sum = checksum([0, 0], &head[..24], is_big_endian);
        let is_whole = magic & !1 == MAGIC && sum == [word(&head, 24), word(&head, 28)];
        if !is_whole || !page_size.is_power_of_two() || !(512..=65536).contains(&page_size) {
            return Ok(None);
        }
        let mut salts = [0; 8];
        salts.copy_from_slice(&head[16..24]);
        Ok(Some(Frames { salts, is_big_endian, sum, page: vec![0; page_size] }))
    }

    /// Whether there is another frame, and it is whole.
    fn has_next(&mut self, log: &mut impl Read) -> io::Result<bool> {
        let mut head = [0; 24];
        if !is_read(log, &mut head)? || !is_read(log, &mut self.page)? {
            return Ok(false);
        }
        self.sum = checksum(self.sum, &head[..8], self.is_big_endian);
        self.sum = checksum(self.sum, &self.page, self.is_big_endian);
        Ok(head[8..16] == self.salts && self.sum == [word(&head, 16), word(&head, 20)])
    }
}

/// Whether there were as many bytes as asked for.
fn is_read(log: &mut impl Read, into: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(into) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

/// All numbers of a log but those that are summed up are big-endian.
fn word(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn checksum(sum: [u32; 2], bytes: &[u8], is_big_endian: bool) -> [u32; 2] {
    let read = |bytes: [u8; 4]| if is_big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) };
    let pairs = bytes.chunks_exact(8);
    pairs.fold(sum, |[first, second], pair| {
        let [one, other] = [[pair[0], pair[1], pair[2], pair[3]], [pair[4], pair[5], pair[6], pair[7]]].map(read);
        let first = first.wrapping_add(one).wrapping_add(second);
        [first, second.wrapping_add(other).wrapping_add(first)]
    })
}
