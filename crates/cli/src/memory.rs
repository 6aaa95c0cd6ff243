//! How does memory come? By the files that the command line names, before anything else is done.
//!
//! Linux hands memory out 4 kB at a time, or 2 MB at a time where that is asked for, in a sixth of the time. But then all of 2 MB is
//! taken where a byte of it is written to. So everything comes from one heap without gaps, and as much of it 2 MB at a time as will
//! be written to.
//!
//! Tried beside it, with two versions of 2.8 MB, which take 22 MB: mimalloc, with 2 MB at a time for several kinds of sizes, took
//! 36 MB, and as much time. Arrays with mappings of their own, which grow without being copied, took as much memory and half as much
//! time again, since few are large enough for 2 MB. To have all pages of a range made at once is no faster than one by one.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::PathBuf;

/// Makes ready for what a command line names. It is looked at before it is read, since reading it would be the first to take memory.
pub fn prepare(args: impl Iterator<Item = OsString>) {
    let args: Vec<OsString> = args.collect();
    let is_for_readers = args.first().is_some_and(|verb| verb == "htmldiff");
    let files: Vec<(PathBuf, u64)> = args.windows(2).filter_map(|pair| read_file(&pair[0], &pair[1])).collect();
    if is_for_readers || files.iter().any(|&(_, bytes)| bytes > LARGE) {
        // Where it is not to be had, all works as well.
        let _ = rustix::thread::disable_transparent_huge_pages(true);
    } else {
        #[cfg(target_env = "gnu")]
        heap::prepare(&files);
    }
}

/// The file that an argument names and its bytes, unless the one before it says that it is written.
fn read_file(flag: &OsStr, file: &OsStr) -> Option<(PathBuf, u64)> {
    let found = fs::metadata(file).ok().filter(|found| found.is_file() && flag != "-o" && flag != "--output")?;
    Some((PathBuf::from(file), found.len()))
}

/// Bytes of a file. To `diff` two of 100 MB, 2 MB at a time save a third of the time where the machine has them at hand, and more
/// than double it where it has to get them from another that it runs on, as for whoever asks first; with smaller ones there is less
/// to lose. `htmldiff` goes by memory: with 4 kB at a time it took 20 to 30 % less, and about a tenth more time, with mimalloc.
const LARGE: u64 = 64 << 20;

/// The heap of the GNU library.
#[cfg(target_env = "gnu")]
mod heap {
    use std::ffi::c_int;
    use std::fs::File;
    use std::hint::black_box;
    use std::io::{Read, Seek, SeekFrom};
    use std::mem;
    use std::path::{Path, PathBuf};

    use treediff::tree::Format;

    use crate::input;

    /// Makes the heap as long as files will ask for, at once: where it grows bit by bit, no bit has 2 MB.
    #[allow(unsafe_code)]
    pub fn prepare(files: &[(PathBuf, u64)]) {
        let written: u64 = files.iter().map(|(file, bytes)| written_for(file, *bytes)).sum();
        let written = written.min(MOST) as usize;
        if written < PIECE {
            return;
        }
        set(libc::M_TOP_PAD, written + PIECE);
        // What was given back would come again 4 kB at a time.
        set(libc::M_TRIM_THRESHOLD, c_int::MAX as usize);
        set(libc::M_MMAP_THRESHOLD, LARGEST);
        // What is left up to the next 2 MB is never written to, and so not taken. It is more than there is, so that the heap grows.
        let start = end().next_multiple_of(PIECE) + PIECE;
        mem::forget(black_box(Vec::<u8>::with_capacity(start - end())));
        set(libc::M_TOP_PAD, PIECE);
        let len = end().saturating_sub(start).min(written);
        // SAFETY: all of it belongs to the heap, and what pages it is made of is no matter to those who use it.
        unsafe { libc::madvise(start as *mut _, len, libc::MADV_HUGEPAGE) };
    }

    /// Bytes that are surely written to for a file: the source, its tree, twice that for a page, and what a comparison takes beside
    /// them. What comes behind that is taken 4 kB at a time: with half a piece too much, two versions of 4 MB of running text took
    /// 3.1 times their size rather than 3.0.
    fn written_for(file: &Path, bytes: u64) -> u64 {
        if input::by_name(file) == Some(Format::Html) {
            return bytes * 5;
        }
        let markup = markup_in(file, bytes).unwrap_or(MOST_MARKUP).min(MOST_MARKUP);
        bytes + (bytes as f64 * markup) as u64
    }

    /// Bytes that the tree takes for a byte of the source, by a few samples of it.
    fn markup_in(file: &Path, bytes: u64) -> Option<f64> {
        let mut file = File::open(file).ok()?;
        let mut sample = [0; SAMPLE];
        let (mut seen, mut taken) = (0, 0);
        for part in 1..=SAMPLES {
            file.seek(SeekFrom::Start(bytes * part / (SAMPLES + 1))).ok()?;
            let len = file.read(&mut sample).ok()?;
            seen += len;
            taken += sample[..len].iter().map(|byte| for_byte(*byte)).sum::<usize>();
        }
        (seen > 0).then(|| taken as f64 / seen as f64)
    }

    /// What a byte of markup stands for: a node for every `<`, since there are about as many texts as end tags, and an attribute
    /// for every `=`, with their bytes in the tree and the comparison. A tenth less, and large files took a few percent more time.
    fn for_byte(byte: u8) -> usize {
        match byte {
            b'<' => 37,
            b'=' => 12,
            _ => 0,
        }
    }

    /// Where the heap ends.
    #[allow(unsafe_code)]
    fn end() -> usize {
        // SAFETY: it stays where it is.
        unsafe { libc::sbrk(0) as usize }
    }

    #[allow(unsafe_code)]
    fn set(option: c_int, value: usize) {
        // SAFETY: there are no other threads yet that would allocate meanwhile.
        unsafe { libc::mallopt(option, value as c_int) };
    }

    const PIECE: usize = 2 << 20;
    const SAMPLE: usize = 8 << 10;
    const SAMPLES: u64 = 4;
    /// Where markup is so dense that more would be said, texts are too short to have nodes of their own.
    const MOST_MARKUP: f64 = 1.5;
    /// Bytes of the heap that are made ready at most, however many files there are.
    const MOST: u64 = 1 << 30;
    /// Bytes of what has a mapping of its own rather than a place on the heap: the most that can be set.
    const LARGEST: usize = 32 << 20;
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::PathBuf;

    use super::read_file;

    #[test]
    fn what_is_written_and_what_is_no_file_is_not_reckoned_with() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        let found = |flag: &str, file: &str| read_file(OsStr::new(flag), OsStr::new(file));
        let bytes = std::fs::metadata(file).unwrap().len();
        assert_eq!(found("diff", file), Some((PathBuf::from(file), bytes)));
        assert_eq!(found("-o", file), None);
        assert_eq!(found("--output", file), None);
        assert_eq!(found("diff", env!("CARGO_MANIFEST_DIR")), None);
        assert_eq!(found("diff", "--stats"), None);
    }
}
