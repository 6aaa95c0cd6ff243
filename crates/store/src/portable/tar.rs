//! How do entries lie in a tar? Each behind a head of 512 bytes, filled up to a multiple of 512. What is written is plain
//! POSIX `ustar`, which every tool reads; and nothing else is read, so that there are no links, devices, holes, long names
//! or extended heads to be wary of.

use std::io::{self, BufRead, Read, Write};

use crate::{Error, Result};

const BLOCK: usize = 512;
/// Tools fill an archive up with zeros behind its end, by a few kilobytes.
const MOST_FILLING: u64 = 1 << 20;

/// Where the fields of a head are.
mod field {
    use std::ops::Range;

    pub(super) const NAME: Range<usize> = 0..100;
    pub(super) const MODE: Range<usize> = 100..108;
    pub(super) const OWNER: Range<usize> = 108..116;
    pub(super) const GROUP: Range<usize> = 116..124;
    pub(super) const SIZE: Range<usize> = 124..136;
    pub(super) const TIME: Range<usize> = 136..148;
    pub(super) const CHECKSUM: Range<usize> = 148..156;
    pub(super) const KIND: usize = 156;
    pub(super) const LINK: Range<usize> = 157..257;
    pub(super) const MAGIC: Range<usize> = 257..265;
    pub(super) const PREFIX: Range<usize> = 345..500;
}

const MAGIC: &[u8; 8] = b"ustar\x0000";
const PLAIN_FILE: u8 = b'0';

/// Writes entries, all of them files without an owner, so that the same entries are always the same bytes.
#[derive(Debug)]
pub(super) struct Writer<W: Write> {
    out: W,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(out: W) -> Self {
        Writer { out }
    }

    pub(super) fn entry(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(&head(name, bytes.len())?)?;
        self.out.write_all(bytes)?;
        self.out.write_all(&[0; BLOCK][..filling(bytes.len() as u64)])
    }

    /// Writes the end, and gives back what it was written to.
    pub(super) fn finish(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        Ok(self.out)
    }
}

fn head(name: &str, size: usize) -> io::Result<[u8; BLOCK]> {
    let mut head = [0; BLOCK];
    let fits = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("{what} is too large for a tar"));
    head[field::NAME].get_mut(..name.len()).ok_or_else(|| fits("a name"))?.copy_from_slice(name.as_bytes());
    let size = format!("{size:011o}");
    head[field::SIZE].get_mut(..size.len()).ok_or_else(|| fits("an entry"))?.copy_from_slice(size.as_bytes());
    for (place, number) in [(field::MODE, "0000644"), (field::OWNER, "0000000"), (field::GROUP, "0000000")] {
        head[place][..7].copy_from_slice(number.as_bytes());
    }
    head[field::TIME][..11].fill(b'0');
    head[field::KIND] = PLAIN_FILE;
    head[field::MAGIC].copy_from_slice(MAGIC);
    let checksum = format!("{:06o}\0 ", checksum(&head));
    head[field::CHECKSUM].copy_from_slice(checksum.as_bytes());
    Ok(head)
}

/// The sum of a head's bytes, those of the checksum counted as spaces.
fn checksum(head: &[u8; BLOCK]) -> u64 {
    let byte = |(place, &byte): (usize, &u8)| if field::CHECKSUM.contains(&place) { b' ' } else { byte };
    head.iter().enumerate().map(byte).map(u64::from).sum()
}

/// The zeros behind an entry of some size.
fn filling(size: u64) -> usize {
    (BLOCK - (size % BLOCK as u64) as usize) % BLOCK
}

/// Reads entries one after the other. Nothing of them is believed.
#[derive(Debug)]
pub(super) struct Reader<R> {
    input: R,
    /// The name of the entry that was read last, for messages.
    name: String,
    /// What is left of it, without its filling.
    left: u64,
    filling: usize,
    entries_left: u64,
    bytes_left: u64,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R, most_entries: u64, most_bytes: u64) -> Self {
        let name = "its beginning".to_owned();
        Reader { input, name, left: 0, filling: 0, entries_left: most_entries, bytes_left: most_bytes }
    }

    /// The name of the next entry, once the one before was read to its end; none behind the last.
    pub(super) fn next(&mut self) -> Result<Option<String>> {
        self.skip_filling()?;
        let mut head = [0; BLOCK];
        self.read_exact(&mut head)?;
        if head == [0; BLOCK] {
            self.read_end()?;
            return Ok(None);
        }
        let (name, size) = self.read_head(&head)?;
        self.name.clone_from(&name);
        self.entries_left = self.entries_left.checked_sub(1).ok_or_else(|| {
            self.refuse("the archive has more entries than are allowed: allow more of them if you trust it")
        })?;
        self.filling = filling(size);
        let bytes = BLOCK as u64 + size + self.filling as u64;
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or_else(|| {
            self.refuse("the archive has more bytes in it than are allowed: allow more of them if you trust it")
        })?;
        self.left = size;
        Ok(Some(name))
    }

    fn read_head(&self, head: &[u8; BLOCK]) -> Result<(String, u64)> {
        if octal(&head[field::CHECKSUM]) != Some(checksum(head)) {
            return Err(self.refuse("what follows is no entry of a tar, or damaged"));
        }
        let name = text(&head[field::NAME]).filter(|name| !name.is_empty());
        let name = name.ok_or_else(|| self.refuse("the next entry has no name that can be read"))?;
        let refuse = |why: &str| refusal(name, why);
        if head[field::KIND] != PLAIN_FILE {
            return Err(refuse("it is no file: an export has no links, folders or devices in it"));
        }
        if head[field::MAGIC] != *MAGIC || head[field::PREFIX].iter().chain(&head[field::LINK]).any(|&byte| byte != 0) {
            return Err(refuse("it is written in another dialect of tar than an export is"));
        }
        let size = octal(&head[field::SIZE]).ok_or_else(|| refuse("its size cannot be read"))?;
        Ok((name.to_owned(), size))
    }

    /// The rest of the entry, which is not larger than a limit.
    pub(super) fn read_all(&mut self, limit: u64) -> Result<Vec<u8>> {
        if self.left > limit {
            return Err(self.refuse(&format!("it is larger than {limit} bytes")));
        }
        let mut bytes = Vec::new();
        let read =
            (&mut self.input).take(self.left).read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        if (read as u64) < self.left {
            return Err(self.refuse(CUT_OFF));
        }
        self.left = 0;
        Ok(bytes)
    }

    /// The next line of the entry without its end; none behind the last.
    pub(super) fn read_line(&mut self, limit: u64) -> Result<Option<Vec<u8>>> {
        if self.left == 0 {
            return Ok(None);
        }
        let mut line = Vec::new();
        let most = self.left.min(limit);
        let read =
            (&mut self.input).take(most).read_until(b'\n', &mut line).map_err(|error| self.unreadable(&error))?;
        self.left -= read as u64;
        match line.pop() {
            Some(b'\n') => Ok(Some(line)),
            _ if read as u64 == limit => Err(self.refuse(&format!("a line of it is longer than {limit} bytes"))),
            _ if self.left > 0 => Err(self.refuse(CUT_OFF)),
            _ => Err(self.refuse("its last line has no end")),
        }
    }

    /// What it was read from, once it is at its end.
    pub(super) fn into_inner(self) -> R {
        self.input
    }

    /// What is wrong with the entry at hand.
    pub(super) fn refuse(&self, why: &str) -> Error {
        refusal(&self.name, why)
    }

    fn skip_filling(&mut self) -> Result<()> {
        if self.left > 0 {
            return Err(self.refuse("it is longer than expected"));
        }
        let mut filling = [0; BLOCK];
        let filling = &mut filling[..std::mem::take(&mut self.filling)];
        self.read_exact(filling)
    }

    /// Behind the first block of zeros there is another, and then nothing but zeros.
    fn read_end(&mut self) -> Result<()> {
        self.name = "its end".to_owned();
        let mut block = [0; BLOCK];
        self.read_exact(&mut block)?;
        let mut rest = vec![];
        let read = (&mut self.input).take(MOST_FILLING).read_to_end(&mut rest);
        read.map_err(|error| self.unreadable(&error))?;
        if rest.iter().chain(&block).any(|&byte| byte != 0) || rest.len() as u64 == MOST_FILLING {
            return Err(self.refuse("something follows behind it"));
        }
        Ok(())
    }

    fn read_exact(&mut self, bytes: &mut [u8]) -> Result<()> {
        self.input.read_exact(bytes).map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.refuse(CUT_OFF),
            _ => self.refuse(&format!("it cannot be read: {error}")),
        }
    }
}

const CUT_OFF: &str = "the archive ends here, before its end: it was cut off";

fn refusal(name: &str, why: &str) -> Error {
    Error::Archive { entry: name.escape_debug().to_string(), why: why.to_owned() }
}

/// The text of a field up to its first zero, behind which there are only more of them.
fn text(bytes: &[u8]) -> Option<&str> {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    let (text, zeros) = bytes.split_at(end);
    std::str::from_utf8(text).ok().filter(|_| zeros.iter().all(|&byte| byte == 0))
}

fn octal(bytes: &[u8]) -> Option<u64> {
    let digits = bytes.split(|byte| matches!(byte, 0 | b' ')).next().filter(|digits| !digits.is_empty())?;
    digits.iter().try_fold(0, |number: u64, digit| match digit {
        b'0'..=b'7' => Some(number * 8 + u64::from(digit - b'0')),
        _ => None,
    })
}
