//! The scan of machines with AVX-512: 64 bytes are one vector, a class is one mask, and marks become positions without a
//! step for each.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m512i, _mm_loadu_si128, _mm512_add_epi32, _mm512_alignr_epi8, _mm512_and_si512, _mm512_broadcast_i32x4,
    _mm512_castsi512_si128, _mm512_cmpeq_epi8_mask, _mm512_cvtepu8_epi32, _mm512_loadu_si512,
    _mm512_maskz_compress_epi8, _mm512_movepi8_mask, _mm512_or_si512, _mm512_permutex2var_epi64, _mm512_set1_epi8,
    _mm512_set1_epi32, _mm512_setr_epi64, _mm512_setzero_si512, _mm512_shuffle_epi8, _mm512_srli_epi16,
    _mm512_storeu_si512, _mm512_subs_epu8, _mm512_test_epi8_mask, _mm512_xor_si512,
};

use super::{HIGH_HALF, LOW_HALF, ROOM, scan_blocks};

/// Whether the machine has what [`scan`] and [`is_utf8`] ask for.
pub(super) fn has_features() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx512f") && has!("avx512bw") && has!("avx512vbmi2") && has!("bmi1") && has!("popcnt")
}

/// The plain scan.
pub(super) fn scan(source: &[u8], start: usize, end: usize, positions: &mut [u32; ROOM], count: usize) -> usize {
    // SAFETY: `Machine::this` hands this function out only where the machine has what it asks for.
    unsafe { scan_avx512(source, start, end, positions, count) }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,popcnt")]
fn scan_avx512(source: &[u8], start: usize, end: usize, positions: &mut [u32; ROOM], count: usize) -> usize {
    scan_blocks(
        source,
        start..end,
        positions,
        count,
        |block| classify(block),
        |at, marks, room| write_positions(at, marks, room),
    )
}

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn classify(block: &[u8; 64]) -> (u64, u64) {
    let bytes = load(block);
    let low = _mm512_shuffle_epi8(repeated(&LOW_HALF), bytes);
    let high = _mm512_shuffle_epi8(repeated(&HIGH_HALF), high_halves(bytes));
    (_mm512_test_epi8_mask(low, high), _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(0xEF_u8.cast_signed())))
}

/// The numbers of the bits that are set come out of one instruction, 16 of them are made positions at a time.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,popcnt")]
#[inline]
fn write_positions(at: usize, marks: u64, room: &mut [u32]) {
    let mut left = marks;
    let mut room = room;
    while left != 0 {
        let Some((now, behind)) = room.split_first_chunk_mut::<16>() else { return };
        let bits = _mm512_castsi512_si128(_mm512_maskz_compress_epi8(left, load(&BITS)));
        let positions = _mm512_add_epi32(_mm512_cvtepu8_epi32(bits), _mm512_set1_epi32((at as u32).cast_signed()));
        // SAFETY: there is room for 16 positions.
        unsafe { _mm512_storeu_si512(now.as_mut_ptr().cast(), positions) };
        room = behind;
        left = without_first_16(left);
    }
}

/// The bits of a block that are left when its first 16 are taken; few blocks have more.
#[inline(always)]
fn without_first_16(marks: u64) -> u64 {
    if marks.count_ones() <= 16 {
        return 0;
    }
    (0..16).fold(marks, |left, _| left & (left - 1))
}

static BITS: [u8; 64] = {
    let mut bits = [0; 64];
    let mut bit = 0;
    while bit < 64 {
        bits[bit] = bit as u8;
        bit += 1;
    }
    bits
};

/// Whether bytes are UTF-8.
pub(super) fn is_utf8(source: &[u8]) -> bool {
    // SAFETY: as for `scan`.
    unsafe { is_utf8_avx512(source) }
}

/// After Keiser and Lemire (Validating UTF-8 in less than one instruction per byte, 2020): three tables, by the halves
/// of a byte and of the one before it, have a bit for every way to be wrong, and where all three have it, it is so.
#[target_feature(enable = "avx512f,avx512bw")]
fn is_utf8_avx512(source: &[u8]) -> bool {
    let (blocks, rest) = source.as_chunks::<64>();
    // What is cut at the end shows by a zero behind it.
    let mut last = [0; 64];
    last[..rest.len()].copy_from_slice(rest);
    let mut before = _mm512_setzero_si512();
    let mut is_open = false;
    let mut faults = before;
    for block in blocks.iter().chain([&last]) {
        let bytes = load(block);
        let outside_ascii = _mm512_movepi8_mask(bytes);
        if outside_ascii != 0 || is_open {
            faults = _mm512_or_si512(faults, faults_in(bytes, before));
        }
        is_open = outside_ascii >> 61 != 0;
        before = bytes;
    }
    _mm512_test_epi8_mask(faults, faults) == 0
}

/// Not zero where a byte cannot follow those before it.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn faults_in(bytes: __m512i, before: __m512i) -> __m512i {
    let one_lane_back = _mm512_permutex2var_epi64(before, _mm512_setr_epi64(6, 7, 8, 9, 10, 11, 12, 13), bytes);
    let first = _mm512_alignr_epi8::<15>(bytes, one_lane_back);
    let second = _mm512_alignr_epi8::<14>(bytes, one_lane_back);
    let third = _mm512_alignr_epi8::<13>(bytes, one_lane_back);
    let by_first_high = _mm512_shuffle_epi8(repeated(&FIRST_HIGH), high_halves(first));
    let by_first_low = _mm512_shuffle_epi8(repeated(&FIRST_LOW), _mm512_and_si512(first, _mm512_set1_epi8(0x0F)));
    let by_high = _mm512_shuffle_epi8(repeated(&SECOND_HIGH), high_halves(bytes));
    let pairs = _mm512_and_si512(_mm512_and_si512(by_first_high, by_first_low), by_high);
    // Behind a byte from 0xE0 the second must go on, behind one from 0xF0 the third: what is left of them without 0x60
    // and 0x70 has the top bit, as has what says that two go on, which is right there and wrong elsewhere.
    let goes_on = _mm512_or_si512(
        _mm512_subs_epu8(second, _mm512_set1_epi8(0x60)),
        _mm512_subs_epu8(third, _mm512_set1_epi8(0x70)),
    );
    _mm512_xor_si512(_mm512_and_si512(goes_on, _mm512_set1_epi8(0x80_u8.cast_signed())), pairs)
}

// The ways in which a byte and the one before it are wrong.
const TOO_SHORT: u8 = 1;
const TOO_LONG: u8 = 1 << 1;
const OVERLONG_3: u8 = 1 << 2;
const TOO_LARGE: u8 = 1 << 3;
const SURROGATE: u8 = 1 << 4;
const OVERLONG_2: u8 = 1 << 5;
/// Above U+10FFFF behind 0xF5 and up, or less than four bytes need.
const TOO_LARGE_OR_OVERLONG_4: u8 = 1 << 6;
const TWO_GO_ON: u8 = 1 << 7;
const ANY_LOW: u8 = TOO_SHORT | TOO_LONG | TWO_GO_ON;

static FIRST_HIGH: [u8; 16] = {
    let mut table = [TOO_LONG; 16];
    (table[0x8], table[0x9], table[0xA], table[0xB]) = (TWO_GO_ON, TWO_GO_ON, TWO_GO_ON, TWO_GO_ON);
    table[0xC] = TOO_SHORT | OVERLONG_2;
    table[0xD] = TOO_SHORT;
    table[0xE] = TOO_SHORT | OVERLONG_3 | SURROGATE;
    table[0xF] = TOO_SHORT | TOO_LARGE | TOO_LARGE_OR_OVERLONG_4;
    table
};

static FIRST_LOW: [u8; 16] = {
    let mut table = [ANY_LOW | TOO_LARGE | TOO_LARGE_OR_OVERLONG_4; 16];
    table[0x0] = ANY_LOW | OVERLONG_3 | OVERLONG_2 | TOO_LARGE_OR_OVERLONG_4;
    table[0x1] = ANY_LOW | OVERLONG_2;
    (table[0x2], table[0x3]) = (ANY_LOW, ANY_LOW);
    table[0x4] = ANY_LOW | TOO_LARGE;
    table[0xD] |= SURROGATE;
    table
};

static SECOND_HIGH: [u8; 16] = {
    let mut table = [TOO_SHORT; 16];
    let goes_on = TOO_LONG | OVERLONG_2 | TWO_GO_ON;
    table[0x8] = goes_on | OVERLONG_3 | TOO_LARGE_OR_OVERLONG_4;
    table[0x9] = goes_on | OVERLONG_3 | TOO_LARGE;
    (table[0xA], table[0xB]) = (goes_on | SURROGATE | TOO_LARGE, goes_on | SURROGATE | TOO_LARGE);
    table
};

#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn high_halves(bytes: __m512i) -> __m512i {
    _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), _mm512_set1_epi8(0x0F))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(block: &[u8; 64]) -> __m512i {
    // SAFETY: the block has the 64 bytes that are read.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

/// A table for all four lanes.
#[target_feature(enable = "avx512f")]
#[inline]
fn repeated(table: &[u8; 16]) -> __m512i {
    // SAFETY: the table has the 16 bytes that are read.
    _mm512_broadcast_i32x4(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}
