//! The scan of machines with AVX2, and what every x86-64 has for names.

#![allow(unsafe_code)]

use std::arch::x86_64::{
    __m256i, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256,
    _mm256_movemask_epi8, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
};

use std::arch::x86_64::{
    _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
};

use super::{HIGH_HALF, Head, LOW_HALF, ROOM, scan_blocks, write_positions};

/// Whether the machine has what [`scan`] asks for.
pub(super) fn has_features() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("popcnt")
}

/// The plain scan with AVX2.
pub(super) fn scan(source: &[u8], start: usize, end: usize, positions: &mut [u32; ROOM], count: usize) -> usize {
    // SAFETY: `Machine::this` hands this function out only where the machine has what it asks for.
    unsafe { scan_avx2(source, start, end, positions, count) }
}

#[target_feature(enable = "avx2,bmi1,popcnt")]
fn scan_avx2(source: &[u8], start: usize, end: usize, positions: &mut [u32; ROOM], count: usize) -> usize {
    scan_blocks(source, start..end, positions, count, |block| classify(block), write_positions)
}

#[target_feature(enable = "avx2")]
#[inline]
fn classify(block: &[u8; 64]) -> (u64, u64) {
    let (low_half, high_half) = (repeated(&LOW_HALF), repeated(&HIGH_HALF));
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

/// A table for both lanes.
#[target_feature(enable = "avx2")]
#[inline]
fn repeated(table: &[u8; 16]) -> __m256i {
    // SAFETY: the table has the 16 bytes that are read.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}

/// How many bytes come before one that ends a name; 16 where none does.
#[inline(always)]
pub(super) fn name_len(head: Head) -> usize {
    // SAFETY: every x86-64 has SSE2.
    unsafe { name_len_sse2(head) }
}

/// How many bytes come before two dashes; 16 where there are none.
#[inline(always)]
pub(super) fn dashes(head: Head) -> usize {
    // SAFETY: every x86-64 has SSE2.
    let dashes = unsafe { dashes_sse2(head) };
    (dashes & dashes >> 1 | 1 << 16).trailing_zeros() as usize
}

#[target_feature(enable = "sse2")]
#[inline]
fn dashes_sse2(head: Head) -> u32 {
    let bytes = _mm_set_epi64x(head.high.cast_signed(), head.low.cast_signed());
    _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'-'.cast_signed()))).cast_unsigned()
}

#[target_feature(enable = "sse2")]
#[inline]
fn name_len_sse2(head: Head) -> usize {
    let bytes = _mm_set_epi64x(head.high.cast_signed(), head.low.cast_signed());
    let is = |byte: u8| _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte.cast_signed()));
    let blank = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(b' '.cast_signed())), bytes);
    let ends = _mm_or_si128(_mm_or_si128(blank, is(b'=')), _mm_or_si128(is(b'>'), is(b'/')));
    (_mm_movemask_epi8(ends) | 1 << 16).trailing_zeros() as usize
}
