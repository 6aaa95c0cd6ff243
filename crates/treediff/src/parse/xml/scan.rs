//! Where does the next interesting byte stand? The source is classified 64 bytes at a time, ahead of the parser.
//!
//! A mark is the position of a byte that markup hangs on (`<`, `>`, `"`, `'`, `&`), that must be decoded (CR), or
//! that may not be there at all (other control characters, U+FFFE and U+FFFF, bytes that are not UTF-8). The parser
//! jumps from mark to mark and never looks at the bytes of a text one by one. Marks are made a chunk at a time, so
//! that the chunk is still in the nearest cache when it is parsed and the list of marks does not grow with the source.

#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "x86_64")]
mod x86;

use std::ops::Range;

use crate::tree::{hash, is_blank};

/// Marks for this many bytes are made at once: as many as there is room for in the worst case.
const CHUNK: usize = ROOM - AHEAD - 64;

/// So many marks of a tag can be looked at together: when there are fewer, those of the next chunk are put behind them.
const AHEAD: usize = 64;

/// Room for the marks of a chunk and those before it, one more for the end, and what is written in excess. A power of
/// two, so that a masked index needs no check.
const ROOM: usize = 1024;

/// Stands behind the last mark of a chunk.
const END: u32 = u32::MAX;

/// Where marks are written; it takes longer to make than a small source takes to be read.
pub(super) type MarkRoom = Box<[u32; ROOM]>;

/// The marks of a source, made as they are asked for.
pub(super) struct Marks<'s> {
    source: &'s [u8],
    positions: MarkRoom,
    next: usize,
    /// From here on there are few marks before the end of those that are made.
    last_few: usize,
    count: usize,
    scanned: usize,
    /// Where the source stops being UTF-8; nothing behind is scanned.
    invalid_at: Option<usize>,
    needs_validation: bool,
    machine: Machine,
}

/// What this machine does as fast as it can.
#[derive(Clone, Copy)]
struct Machine {
    /// Writes the marks of `source[start..end]` behind the first `count` positions and gives the number of all.
    scan: fn(source: &[u8], start: usize, end: usize, positions: &mut [u32; ROOM], count: usize) -> usize,
    is_utf8: fn(&[u8]) -> bool,
}

impl<'s> Marks<'s> {
    /// Marks over `source`, which is checked to be UTF-8 on the way where `needs_validation`.
    pub(super) fn new(source: &'s [u8], needs_validation: bool, room: Option<MarkRoom>) -> Self {
        let mut positions = room.unwrap_or_else(|| Box::new([END; ROOM]));
        positions[0] = END;
        Marks {
            source,
            positions,
            next: 0,
            last_few: 0,
            count: 0,
            scanned: 0,
            invalid_at: None,
            needs_validation,
            machine: Machine::this(),
        }
    }

    /// The room, for the marks of another source.
    pub(super) fn into_room(self) -> MarkRoom {
        self.positions
    }

    /// The position of the first mark not yet passed, or the length of the source.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> usize {
        match self.positions[self.next % ROOM] {
            END => self.peek_further(),
            position => position as usize,
        }
    }

    #[inline(never)]
    fn peek_further(&mut self) -> usize {
        self.next = self.count;
        while self.scanned < self.source.len() && self.invalid_at.is_none() {
            self.scan_chunk();
            if self.positions[0] != END {
                return self.positions[0] as usize;
            }
        }
        self.source.len()
    }

    /// Sees to it that the next marks can be looked at together, as [`nth`](Self::nth) does, wherever chunks end.
    #[inline(always)]
    pub(super) fn look_ahead(&mut self) {
        if self.next >= self.last_few {
            self.scan_chunk();
        }
    }

    /// The position of a mark counted from the next one; one behind every source where it is not made.
    #[inline(always)]
    pub(super) fn nth(&self, at: usize) -> usize {
        self.positions[(self.next + at) % ROOM] as usize
    }

    /// Passes so many marks that have been looked at.
    #[inline(always)]
    pub(super) fn pass_many(&mut self, count: usize) {
        self.next += count;
    }

    /// Passes the mark that [`peek`](Self::peek) gave.
    #[inline(always)]
    pub(super) fn pass(&mut self) {
        self.next += 1;
    }

    /// The positions of the next two marks. Where there are not two within the chunk, one behind every source.
    #[inline(always)]
    pub(super) fn peek_two(&self) -> (usize, usize) {
        let first = self.positions[self.next % ROOM] as usize;
        let second = self.positions[(self.next + 1) % ROOM] as usize;
        (first, if first == END as usize { first } else { second })
    }

    /// Passes the two marks that [`peek_two`](Self::peek_two) gave.
    #[inline(always)]
    pub(super) fn pass_two(&mut self) {
        self.next += 2;
    }

    /// Passes a mark and gives its position, or the length of the source.
    #[inline(always)]
    pub(super) fn take(&mut self) -> usize {
        let position = self.peek();
        self.next += usize::from(position < self.source.len());
        position
    }

    /// Passes all marks up to the one at `position`, which is nearly always the next.
    #[inline(always)]
    pub(super) fn pass_through(&mut self, position: usize) {
        if self.positions[self.next % ROOM] as usize == position {
            self.next += 1;
        } else {
            self.pass_before(position + 1);
        }
    }

    /// Passes all marks before `position`.
    #[inline(always)]
    pub(super) fn pass_before(&mut self, position: usize) {
        while self.peek() < position {
            self.next += 1;
        }
    }

    /// Where the source stops being UTF-8, as far as it has been scanned.
    pub(super) fn invalid_at(&self) -> Option<usize> {
        self.invalid_at
    }

    /// Makes the marks of the next chunk, behind the few that are not passed yet.
    #[inline(never)]
    fn scan_chunk(&mut self) {
        let left = self.count.saturating_sub(self.next);
        self.positions.copy_within(self.count - left..self.count, 0);
        (self.next, self.count) = (0, left);
        if self.scanned < self.source.len() && self.invalid_at.is_none() {
            let start = self.scanned;
            let end = self.validated_end(start, (start + CHUNK).min(self.source.len()));
            self.count = (self.machine.scan)(self.source, start, end, &mut self.positions, left);
            if let Some(position) = self.invalid_at {
                self.positions[self.count % ROOM] = position as u32;
                self.count += 1;
            }
            self.scanned = end;
        }
        self.positions[self.count % ROOM] = END;
        let is_last = self.scanned == self.source.len() || self.invalid_at.is_some();
        self.last_few = if is_last { usize::MAX } else { self.count.saturating_sub(AHEAD) };
    }

    /// The end of what is valid UTF-8 from `start`, at the boundary of a character.
    fn validated_end(&mut self, start: usize, end: usize) -> usize {
        if !self.needs_validation {
            return end;
        }
        let is_inside = |at: &usize| *at < self.source.len() && self.source[*at] & 0xC0 == 0x80;
        let end = (end.saturating_sub(3)..=end).rev().find(|at| !is_inside(at)).unwrap_or(end);
        if (self.machine.is_utf8)(&self.source[start..end]) {
            return end;
        }
        let valid =
            simdutf8::compat::from_utf8(&self.source[start..end]).map_or_else(|error| error.valid_up_to(), str::len);
        self.invalid_at = Some(start + valid);
        start + valid
    }
}

impl Machine {
    fn this() -> Machine {
        #[cfg(target_arch = "x86_64")]
        {
            if avx512::has_features() {
                return Machine { scan: avx512::scan, is_utf8: avx512::is_utf8 };
            }
            if x86::has_features() {
                return Machine { scan: x86::scan, ..Machine::PLAIN };
            }
        }
        Machine::PLAIN
    }

    const PLAIN: Machine = Machine { scan: scan_plainly, is_utf8: |source| simdutf8::basic::from_utf8(source).is_ok() };
}

fn scan_plainly(source: &[u8], start: usize, end: usize, positions: &mut [u32; ROOM], count: usize) -> usize {
    scan_blocks(source, start..end, positions, count, classify_plainly, write_positions)
}

/// Classifies 64 bytes at a time; `classify` makes a bit mask of the marks among them, and another of the bytes 0xEF;
/// `write` writes a position for every bit, and whatever it likes into the 16 places behind.
#[inline(always)]
fn scan_blocks(
    source: &[u8],
    range: Range<usize>,
    positions: &mut [u32; ROOM],
    mut count: usize,
    classify: impl Fn(&[u8; 64]) -> (u64, u64),
    write: impl Fn(usize, u64, &mut [u32]),
) -> usize {
    let mut at = range.start;
    let (blocks, rest) = source[range].as_chunks::<64>();
    for block in blocks {
        let (marks, leads) = classify(block);
        let marks = if leads == 0 { marks } else { marks | noncharacters(source, at, leads) };
        write(at, marks, &mut positions[count..]);
        count += marks.count_ones() as usize;
        at += 64;
    }
    if !rest.is_empty() {
        let mut block = [b' '; 64];
        block[..rest.len()].copy_from_slice(rest);
        let (marks, leads) = classify(&block);
        let marks = marks | noncharacters(source, at, leads);
        write(at, marks, &mut positions[count..]);
        count += marks.count_ones() as usize;
    }
    count
}

/// Writes a position for every bit. Eight at a time, wanted or not, is cheaper than asking before each whether there
/// is one more.
#[inline(always)]
fn write_positions(at: usize, mut marks: u64, mut room: &mut [u32]) {
    while marks != 0 {
        let Some((now, behind)) = room.split_first_chunk_mut::<8>() else { return };
        for position in now {
            *position = at as u32 + marks.trailing_zeros();
            marks &= marks.wrapping_sub(1);
        }
        room = behind;
    }
}

/// Of the bytes 0xEF, those that begin U+FFFE or U+FFFF.
#[inline(never)]
fn noncharacters(source: &[u8], at: usize, mut leads: u64) -> u64 {
    let mut marks = 0;
    while leads != 0 {
        let bit = leads.trailing_zeros();
        leads &= leads - 1;
        if matches!(source[at + bit as usize..], [0xEF, 0xBF, 0xBE | 0xBF, ..]) {
            marks |= 1 << bit;
        }
    }
    marks
}

/// Marks are told by the two halves of a byte: each half picks a set of classes from a table of 16, and the
/// byte is a mark where the two sets meet. Class 1 is 0x00-0x0F without tab and LF, 2 is 0x10-0x1F, 4 the marks
/// among 0x20-0x2F, 8 those among 0x30-0x3F.
static LOW_HALF: [u8; 16] = [3, 3, 7, 3, 3, 3, 7, 7, 3, 2, 2, 3, 11, 3, 11, 3];
static HIGH_HALF: [u8; 16] = [1, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

fn classify_plainly(block: &[u8; 64]) -> (u64, u64) {
    let mut marks = 0;
    let mut leads = 0;
    for (bit, &byte) in block.iter().enumerate() {
        let marked = matches!(byte, b'<' | b'>' | b'"' | b'\'' | b'&' | 0..=8 | 11..=31);
        marks |= u64::from(marked) << bit;
        leads |= u64::from(byte == 0xEF) << bit;
    }
    (marks, leads)
}

/// The first 16 bytes of a run as two words, zeros behind its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) low: u64,
    pub(super) high: u64,
}

/// What is kept of the two words of a head of each length.
static KEEP: [Head; 17] = {
    let mut keep = [Head { low: u64::MAX, high: u64::MAX }; 17];
    let mut len = 0;
    while len < 16 {
        keep[len] = match len {
            0..8 => Head { low: !(u64::MAX << (8 * len)), high: 0 },
            _ => Head { low: u64::MAX, high: !(u64::MAX << (8 * (len - 8))) },
        };
        len += 1;
    }
    keep
};

impl Head {
    /// The head of `source[at..at + len]`.
    #[inline(always)]
    pub(super) fn of(source: &[u8], at: usize, len: usize) -> Head {
        Head::load(source, at).cut(len)
    }

    /// The 16 bytes at `at`, zeros behind the end of the source. It is asked for everywhere, so that it makes one comparison and not
    /// the two of a range: that is 4 % of the instructions of a parse.
    #[allow(unsafe_code)]
    #[inline(always)]
    pub(super) fn load(source: &[u8], at: usize) -> Head {
        if at >= source.len().saturating_sub(15) {
            return Head::load_at_end(source, at);
        }
        // SAFETY: there are 16 bytes from `at` on, and an array of bytes may stand anywhere.
        Head::from_bytes(unsafe { &*source.as_ptr().add(at).cast::<[u8; 16]>() })
    }

    #[inline(never)]
    fn load_at_end(source: &[u8], at: usize) -> Head {
        let mut bytes = [0; 16];
        let rest = source.get(at..).unwrap_or_default();
        bytes[..rest.len()].copy_from_slice(rest);
        Head::from_bytes(&bytes)
    }

    #[inline(always)]
    fn from_bytes(bytes: &[u8]) -> Head {
        let (words, _) = bytes.as_chunks::<8>();
        Head { low: u64::from_le_bytes(words[0]), high: u64::from_le_bytes(words[1]) }
    }

    #[inline(always)]
    fn cut(self, len: usize) -> Head {
        self.and(Head::keeping(len))
    }

    /// What [`and`](Self::and) cuts a head to `len` bytes by.
    #[inline(always)]
    pub(super) fn keeping(len: usize) -> Head {
        KEEP[len.min(16)]
    }

    #[inline(always)]
    pub(super) fn and(self, keep: Head) -> Head {
        Head { low: self.low & keep.low, high: self.high & keep.high }
    }

    /// How many bytes come before one that ends a name; 16 where none does.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn name_len(self) -> usize {
        x86::name_len(self)
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn name_len(self) -> usize {
        let bytes = self.low.to_le_bytes().into_iter().chain(self.high.to_le_bytes());
        bytes.take_while(|&byte| !is_name_end(byte)).count()
    }

    /// How many bytes come before two dashes; 16 where there are none.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn dashes(self) -> usize {
        x86::dashes(self)
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    fn dashes(self) -> usize {
        let all = u128::from(self.low) | u128::from(self.high) << 64;
        all.to_le_bytes().windows(2).position(|pair| pair == b"--").unwrap_or(16)
    }

    /// Whether a byte is above the space.
    #[inline(always)]
    pub(super) fn has_visible(self) -> bool {
        visible_bytes(self.low) | visible_bytes(self.high) != 0
    }

    /// Whether there is a control character among the first `len` bytes.
    #[inline(always)]
    fn has_control(self, len: usize) -> bool {
        let keep = &KEEP[len.min(16)];
        (control_bytes(self.low) & keep.low) | (control_bytes(self.high) & keep.high) != 0
    }
}

/// The top bits of the bytes of a word that are above the space.
#[inline(always)]
fn visible_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    (((word & (ONES * 0x7F)) + ONES * (0x7F - 0x20)) | word) & (ONES << 7)
}

/// The top bits of the bytes of a word that are control characters. A borrow makes the byte behind one look like one
/// too, which does not matter where the question is whether there is one.
#[inline(always)]
fn control_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    word.wrapping_sub(ONES * 0x20) & !word & (ONES << 7)
}

/// Where `--` comes next. Comments are short: 15 bytes at a time are looked at before a search would be prepared.
#[inline(always)]
pub(super) fn find_dashes(source: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    while at < source.len() {
        let first = Head::load(source, at).dashes();
        if first < 15 {
            return Some(at + first);
        }
        at += 15;
    }
    None
}

/// The length of the name at `at`, and its head: the bytes up to white space, `/`, `>`, `=` or the end. Whether they
/// make a name is for others to say.
#[inline(always)]
pub(super) fn name(source: &[u8], at: usize) -> (usize, Head) {
    let head = Head::load(source, at);
    let len = head.name_len();
    let len = if len < 16 { len } else { long_name_len(source, at) };
    (len, head.cut(len))
}

/// The length of a name that has 16 bytes at least: 16 more at a time, zeros behind the end of the source.
#[inline(never)]
fn long_name_len(source: &[u8], at: usize) -> usize {
    let mut len = 16;
    loop {
        let more = Head::load(source, at + len).name_len();
        len += more;
        if more < 16 {
            return len;
        }
    }
}

#[cfg(any(test, not(target_arch = "x86_64")))]
fn is_name_end(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | b'/' | b'>' | b'=')
}

/// The hash of `source[start..end]`.
#[inline(always)]
pub(super) fn hash(source: &[u8], start: usize, end: usize) -> u64 {
    let len = end - start;
    if len > 16 {
        return hash_long(&source[start..end]);
    }
    let Head { low, high } = Head::of(source, start, len);
    hash::short(low, high, len)
}

/// The hash of a text without marks, and whether it is white space alone: then it has no byte above the space, since
/// control characters that are no white space are marks.
#[inline(always)]
pub(super) fn hash_text(source: &[u8], start: usize, end: usize) -> (u64, bool) {
    let len = end - start;
    if len > 16 {
        return hash_long_text(&source[start..end]);
    }
    let head @ Head { low, high } = Head::of(source, start, len);
    (hash::short(low, high, len), !head.has_visible())
}

/// The hash of a value, and whether it has tabs or line ends, which are to be read as spaces.
#[inline(always)]
pub(super) fn hash_value(source: &[u8], start: usize, end: usize) -> (u64, bool) {
    let len = end - start;
    if len > 16 {
        return hash_long_value(&source[start..end]);
    }
    let head = Head::load(source, start);
    let Head { low, high } = head.cut(len);
    (hash::short(low, high, len), head.has_control(len))
}

#[inline(never)]
fn hash_long_value(value: &[u8]) -> (u64, bool) {
    let mut found = 0;
    let hash = hash::long_seen(value, |low, high| found |= control_bytes(low) | control_bytes(high));
    (hash, found != 0)
}

#[inline(never)]
fn hash_long_text(text: &[u8]) -> (u64, bool) {
    (hash::long(text), text[0] <= b' ' && is_blank(text))
}

#[inline(never)]
fn hash_long(run: &[u8]) -> u64 {
    hash::long(run)
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All that can run here.
    fn machines() -> Vec<Machine> {
        let mut machines = vec![Machine::PLAIN, Machine::this()];
        #[cfg(target_arch = "x86_64")]
        if x86::has_features() {
            machines.push(Machine { scan: x86::scan, ..Machine::PLAIN });
        }
        machines
    }

    proptest! {
        #[test]
        fn scans_agree(source in prop::collection::vec(any::<u8>(), 0..500)) {
            let mut plain = [0; ROOM];
            let count = scan_plainly(&source, 0, source.len(), &mut plain, 0);
            for machine in machines() {
                let mut fast = [0; ROOM];
                prop_assert_eq!((machine.scan)(&source, 0, source.len(), &mut fast, 0), count);
                prop_assert_eq!(&fast[..count], &plain[..count]);
            }
        }

        #[test]
        fn blocks_full_of_marks_are_scanned(marks in "[<>a]{0,960}") {
            let expected: Vec<u32> = marks.match_indices(['<', '>']).map(|(at, _)| at as u32).collect();
            for machine in machines() {
                let mut found = [0; ROOM];
                let count = (machine.scan)(marks.as_bytes(), 0, marks.len(), &mut found, 0);
                prop_assert_eq!(&found[..count], &expected);
            }
        }

        /// What is near to UTF-8 more often than any bytes are: its characters, with one byte changed, or cut.
        #[test]
        fn utf8_is_told(text in "[a\u{80}-\u{10ffff}]{0,80}|[a-zé字\u{10ffff}]{50,150}", at in any::<prop::sample::Index>(), byte: u8, cut: bool) {
            let mut bytes = text.into_bytes();
            prop_assert!(machines().iter().all(|machine| (machine.is_utf8)(&bytes)));
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
                bytes.truncate(if cut { at + 1 } else { bytes.len() });
            }
            let expected = std::str::from_utf8(&bytes).is_ok();
            for machine in machines() {
                prop_assert_eq!((machine.is_utf8)(&bytes), expected);
            }
        }

        #[test]
        fn names_go_to_the_first_end(bytes in prop::collection::vec(any::<u8>(), 0..40), at in 0usize..40) {
            let plain = bytes.iter().skip(at).position(|&b| is_name_end(b));
            let plain = plain.unwrap_or(bytes.len().saturating_sub(at));
            let (len, head) = name(&bytes, at);
            prop_assert_eq!(len, plain);
            let mut padded = bytes[at.min(bytes.len())..][..len].to_vec();
            padded.resize(len.max(16), 0);
            prop_assert_eq!(head, Head::from_bytes(&padded));
        }

        #[test]
        fn values_hash_as_their_bytes(bytes in prop::collection::vec(0x1Cu8..0x26, 0..40), a in 0usize..40, b in 0usize..40) {
            let (start, end) = (a.min(b).min(bytes.len()), a.max(b).min(bytes.len()));
            let value = &bytes[start..end];
            let expected = (hash::bytes(value), value.iter().any(|&b| b < 0x20));
            prop_assert_eq!(hash_value(&bytes, start, end), expected);
            prop_assert_eq!(super::hash(&bytes, start, end), expected.0);
        }

        #[test]
        fn texts_are_blank_as_their_bytes(text in "([ \t\n]{0,20}|[ \n!a\u{7f}é]{0,3}){0,3}", behind in "[ x]{0,20}") {
            let source = format!("{text}{behind}");
            let expected = (hash::bytes(text.as_bytes()), is_blank(text.as_bytes()));
            prop_assert_eq!(hash_text(source.as_bytes(), 0, text.len()), expected);
        }

        #[test]
        fn marks_are_all_there(text in "[a-z<>&\"'\r\n\u{ffff}é\u{1}]{0,400}", repeat in 0usize..100) {
            let source = text.repeat(repeat);
            let mut marks = Marks::new(source.as_bytes(), true, None);
            let mut found = Vec::new();
            while marks.peek() < source.len() {
                found.push(marks.peek());
                marks.pass();
            }
            let expected: Vec<usize> = source
                .char_indices()
                .filter(|(_, c)| matches!(c, '<' | '>' | '"' | '\'' | '&' | '\r' | '\u{1}' | '\u{ffff}'))
                .map(|(at, _)| at)
                .collect();
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn marks_are_there_to_be_looked_at_together(text in "[a-z<>]{0,40}", repeat in 0usize..100, step in 1usize..40) {
            let source = text.repeat(repeat);
            let expected: Vec<usize> = source.match_indices(['<', '>']).map(|(at, _)| at).collect();
            let mut marks = Marks::new(source.as_bytes(), true, None);
            let mut passed = 0;
            while marks.peek() < source.len() {
                marks.look_ahead();
                let made = (0..step).map(|at| marks.nth(at)).take_while(|&at| at < source.len());
                let made: Vec<usize> = made.collect();
                prop_assert!(!made.is_empty() && expected[passed..].starts_with(&made));
                marks.pass_many(made.len());
                passed += made.len();
            }
            prop_assert_eq!(passed, expected.len());
        }
    }

    /// Every character of two, three and four bytes, and all that look like one, on both sides of the end of a block.
    #[test]
    fn characters_of_all_ranges_are_told() {
        let firsts = [
            0x7F, 0x80, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5,
            0xFF,
        ];
        let others = [0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF];
        for before in [0, 61, 62, 63, 64, 100] {
            for first in firsts {
                for [second, third, fourth] in
                    others.iter().flat_map(|&a| others.iter().flat_map(move |&b| others.map(|c| [a, b, c])))
                {
                    for len in 1..=4 {
                        let mut source = vec![b'x'; before];
                        source.extend(&[first, second, third, fourth][..len]);
                        let expected = std::str::from_utf8(&source).is_ok();
                        assert_eq!((Machine::this().is_utf8)(&source), expected, "{source:x?}");
                    }
                }
            }
        }
    }

    #[test]
    fn stops_where_the_source_is_not_utf8() {
        let mut source = "é".repeat(20_000).into_bytes();
        source[30_001] = b'x';
        let mut marks = Marks::new(&source, true, None);
        assert_eq!(marks.peek(), 30_000);
        assert_eq!(marks.invalid_at(), Some(30_000));
    }
}
