//! Where does the next interesting byte stand? The source is classified 64 bytes at a time, ahead of the parser.
//!
//! A mark is the position of a byte that markup hangs on (`<`, `>`, `"`, `'`, `&`), that must be decoded (CR), or
//! that may not be there at all (other control characters, U+FFFE and U+FFFF, bytes that are not UTF-8). The parser
//! jumps from mark to mark and never looks at the bytes of a text one by one. Marks are made a chunk at a time, so
//! that the chunk is still in the nearest cache when it is parsed and the list of marks does not grow with the source.

/// Marks for this many bytes are made at once.
const CHUNK: usize = 16 * 1024;

/// The marks of a source, made as they are asked for.
#[derive(Debug)]
pub(super) struct Marks<'s> {
    source: &'s [u8],
    positions: Vec<u32>,
    next: usize,
    scanned: usize,
    /// Where the source stops being UTF-8; nothing behind is scanned.
    invalid_at: Option<usize>,
    needs_validation: bool,
    classify: Classify,
}

/// Makes a bit mask of the marks among 64 bytes, and another of the bytes 0xEF.
type Classify = fn(&[u8; 64]) -> (u64, u64);

impl<'s> Marks<'s> {
    /// Marks over `source`, which is checked to be UTF-8 on the way where `needs_validation`.
    pub(super) fn new(source: &'s [u8], needs_validation: bool) -> Self {
        Marks {
            source,
            positions: Vec::new(),
            next: 0,
            scanned: 0,
            invalid_at: None,
            needs_validation,
            classify: classifier(),
        }
    }

    /// The position of the first mark not yet passed, or the length of the source.
    #[inline(always)]
    pub(super) fn peek(&mut self) -> usize {
        match self.positions.get(self.next) {
            Some(&position) => position as usize,
            None => self.peek_further(),
        }
    }

    #[inline(never)]
    fn peek_further(&mut self) -> usize {
        while self.scanned < self.source.len() && self.invalid_at.is_none() {
            self.scan_chunk();
            if let Some(&position) = self.positions.first() {
                return position as usize;
            }
        }
        self.source.len()
    }

    /// Passes the mark that [`peek`](Self::peek) gave.
    #[inline(always)]
    pub(super) fn pass(&mut self) {
        self.next += 1;
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

    fn scan_chunk(&mut self) {
        let start = self.scanned;
        let end = self.validated_end(start, (start + CHUNK).min(self.source.len()));
        self.positions.clear();
        self.next = 0;
        let mut at = start;
        while at + 64 <= end {
            let block: &[u8; 64] = self.source[at..at + 64].try_into().unwrap_or(&[0; 64]);
            self.mark_block(at, block);
            at += 64;
        }
        if at < end {
            let mut block = [b' '; 64];
            block[..end - at].copy_from_slice(&self.source[at..end]);
            self.mark_block(at, &block);
        }
        if let Some(position) = self.invalid_at {
            self.positions.push(position as u32);
        }
        self.scanned = end;
    }

    /// The end of what is valid UTF-8 from `start`, at the boundary of a character.
    fn validated_end(&mut self, start: usize, end: usize) -> usize {
        if !self.needs_validation {
            return end;
        }
        let is_inside = |at: &usize| *at < self.source.len() && self.source[*at] & 0xC0 == 0x80;
        let end = (end.saturating_sub(3)..=end).rev().find(|at| !is_inside(at)).unwrap_or(end);
        if simdutf8::basic::from_utf8(&self.source[start..end]).is_ok() {
            return end;
        }
        let valid =
            simdutf8::compat::from_utf8(&self.source[start..end]).map_or_else(|error| error.valid_up_to(), str::len);
        self.invalid_at = Some(start + valid);
        start + valid
    }

    #[inline(always)]
    fn mark_block(&mut self, at: usize, block: &[u8; 64]) {
        let (mut marks, leads) = (self.classify)(block);
        if leads != 0 {
            marks |= self.noncharacters(at, leads);
        }
        // Writing eight at a time, wanted or not, is cheaper than asking before each whether there is one more.
        let count = marks.count_ones() as usize;
        let from = self.positions.len();
        self.positions.resize(from + count.next_multiple_of(8), 0);
        for eight in self.positions[from..].chunks_exact_mut(8) {
            for slot in eight {
                *slot = at as u32 + marks.trailing_zeros();
                marks &= marks.wrapping_sub(1);
            }
        }
        self.positions.truncate(from + count);
    }

    /// Of the bytes 0xEF, those that begin U+FFFE or U+FFFF.
    #[inline(never)]
    fn noncharacters(&self, at: usize, mut leads: u64) -> u64 {
        let mut marks = 0;
        while leads != 0 {
            let bit = leads.trailing_zeros();
            leads &= leads - 1;
            let rest = &self.source[at + bit as usize..];
            if matches!(rest, [0xEF, 0xBF, 0xBE | 0xBF, ..]) {
                marks |= 1 << bit;
            }
        }
        marks
    }
}

/// The fastest classifier that this machine can run.
fn classifier() -> Classify {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return x86::classify;
    }
    classify_plain
}

fn classify_plain(block: &[u8; 64]) -> (u64, u64) {
    let mut marks = 0;
    let mut leads = 0;
    for (bit, &byte) in block.iter().enumerate() {
        let marked = matches!(byte, b'<' | b'>' | b'"' | b'\'' | b'&' | 0..=8 | 11..=31);
        marks |= u64::from(marked) << bit;
        leads |= u64::from(byte == 0xEF) << bit;
    }
    (marks, leads)
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86 {
    use std::arch::x86_64::{
        __m256i, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8,
        _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    /// The plain classifier with AVX2.
    pub(super) fn classify(block: &[u8; 64]) -> (u64, u64) {
        // SAFETY: `classifier` hands this function out only where the machine has AVX2.
        unsafe { classify_avx2(block) }
    }

    /// Marks are told by the two halves of a byte: each half picks a set of classes from a table of 16, and the
    /// byte is a mark where the two sets meet. Class 1 is 0x00-0x0F without tab and LF, 2 is 0x10-0x1F, 4 the marks
    /// among 0x20-0x2F, 8 those among 0x30-0x3F.
    #[target_feature(enable = "avx2")]
    fn classify_avx2(block: &[u8; 64]) -> (u64, u64) {
        let low_half = _mm256_setr_epi8(
            3, 3, 7, 3, 3, 3, 7, 7, 3, 2, 2, 3, 11, 3, 11, 3, //
            3, 3, 7, 3, 3, 3, 7, 7, 3, 2, 2, 3, 11, 3, 11, 3,
        );
        let high_half = _mm256_setr_epi8(
            1, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
            1, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        );
        let (mut marks, mut leads) = (0, 0);
        for half in 0..2 {
            // SAFETY: the block has 64 bytes, of which 32 are read from 0 or 32.
            let bytes: __m256i = unsafe { _mm256_loadu_si256(block.as_ptr().add(half * 32).cast()) };
            let low = _mm256_shuffle_epi8(low_half, bytes);
            let high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), _mm256_set1_epi8(0x0F));
            let high = _mm256_shuffle_epi8(high_half, high);
            let outside = _mm256_cmpeq_epi8(_mm256_and_si256(low, high), _mm256_setzero_si256());
            let lead = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(0xEF_u8 as i8));
            marks |= u64::from(!_mm256_movemask_epi8(outside) as u32) << (half * 32);
            leads |= u64::from(_mm256_movemask_epi8(lead) as u32) << (half * 32);
        }
        (marks, leads)
    }
}

/// The length of the name at `at`: the bytes up to white space, `/`, `>`, `=` or the end. Whether they make a name
/// is for others to say.
#[inline(always)]
pub(super) fn name_len(source: &[u8], at: usize) -> usize {
    let mut len = 0;
    while let Some(word) = source.get(at + len..at + len + 8) {
        let ends = name_ends(u64::from_le_bytes(word.try_into().unwrap_or_default()));
        if ends != 0 {
            return len + ends.trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    let rest = source.get(at + len..).unwrap_or_default();
    len + rest.iter().position(|&byte| is_name_end(byte)).unwrap_or(rest.len())
}

fn is_name_end(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | b'/' | b'>' | b'=')
}

/// The top bit of each byte of `word` that ends a name; exact up to the first one.
#[inline(always)]
fn name_ends(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = ONES << 7;
    let zero_in = |bytes: u64| bytes.wrapping_sub(ONES) & !bytes;
    let below_21 = word.wrapping_sub(ONES * 0x21) & !word;
    let slash = zero_in(word ^ ONES * u64::from(b'/'));
    let equals = zero_in(word ^ ONES * u64::from(b'='));
    let greater = zero_in(word ^ ONES * u64::from(b'>'));
    (below_21 | slash | equals | greater) & TOPS
}

/// Whether all bytes are space, tab, CR or LF.
#[inline(always)]
pub(super) fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|&byte| is_space(byte))
}

#[inline(always)]
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn classifiers_agree(block in prop::collection::vec(any::<u8>(), 64)) {
            let block: [u8; 64] = block.try_into().unwrap();
            prop_assert_eq!(classifier()(&block), classify_plain(&block));
        }

        #[test]
        fn name_len_is_the_first_end(bytes in prop::collection::vec(any::<u8>(), 0..40), at in 0usize..40) {
            let plain = bytes.iter().skip(at).position(|&b| is_name_end(b));
            let plain = plain.unwrap_or(bytes.len().saturating_sub(at));
            prop_assert_eq!(name_len(&bytes, at), plain);
        }

        #[test]
        fn marks_are_all_there(text in "[a-z<>&\"'\r\n\u{ffff}é\u{1}]{0,400}", repeat in 0usize..100) {
            let source = text.repeat(repeat);
            let mut marks = Marks::new(source.as_bytes(), true);
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
    }

    #[test]
    fn stops_where_the_source_is_not_utf8() {
        let mut source = "é".repeat(20_000).into_bytes();
        source[30_001] = b'x';
        let mut marks = Marks::new(&source, true);
        assert_eq!(marks.peek(), 30_000);
        assert_eq!(marks.invalid_at(), Some(30_000));
    }
}
