//! How do bytes become few? As a zstd frame, which may be a difference from other bytes.

use std::cell::RefCell;

use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_error_name};

use crate::{Error, Result};

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// While somebody waits: beyond it a tenth more of time saves a hundredth of space.
    Live,
    /// When there is time.
    Compact,
}

/// The most raw bytes of a frame.
pub(crate) const MOST_BYTES: usize = 1 << 30;

/// The smallest and the largest window that zstd knows here, as powers of two.
const WINDOWS: std::ops::RangeInclusive<u32> = 10..=31;

/// Some bytes as a frame, as a difference from `base` where there is one.
pub(crate) fn compress(raw: &[u8], base: Option<&[u8]>, effort: Effort) -> Result<Vec<u8>> {
    let mut context = CCtx::create();
    // The window reaches back over all of the base, or its beginning would be out of sight.
    let sight = raw.len() + base.map_or(0, <[u8]>::len);
    let window = usize::BITS - sight.leading_zeros();
    let level = if effort == Effort::Live { 6 } else { 19 };
    for parameter in [
        CParameter::CompressionLevel(level),
        CParameter::WindowLog(window.clamp(*WINDOWS.start(), *WINDOWS.end())),
        CParameter::ContentSizeFlag(false),
        CParameter::ChecksumFlag(true),
    ] {
        context.set_parameter(parameter).map_err(refused)?;
    }
    if let Some(base) = base {
        context.ref_prefix(base).map_err(refused)?;
    }
    let mut out = Vec::with_capacity(compress_bound(raw.len()));
    context.compress2(&mut out, raw).map_err(refused)?;
    out.shrink_to_fit();
    Ok(out)
}

/// The bytes of a frame, whose number is known.
pub(crate) fn decompress(data: &[u8], base: Option<&[u8]>, length: usize) -> Result<Vec<u8>> {
    if length > MOST_BYTES {
        return Err(damaged("it says that it is larger than any that is stored"));
    }
    let mut raw = Vec::with_capacity(length);
    decode(&mut raw, data, base.unwrap_or_default()).map_err(|code| damaged(get_error_name(code)))?;
    if raw.len() == length { Ok(raw) } else { Err(damaged("it is shorter than it says")) }
}

thread_local! {
    /// Making one takes longer than decoding a small frame.
    static DECODER: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// What dictionaries of zstd begin with. Bytes that begin like that are taken for one where they are a mere prefix.
const DICTIONARY: [u8; 4] = 0xEC30_A437_u32.to_le_bytes();

fn decode(raw: &mut Vec<u8>, data: &[u8], base: &[u8]) -> Result<usize, usize> {
    if !base.starts_with(&DICTIONARY) {
        return DECODER.with_borrow_mut(|decoder| decoder.decompress_using_dict(raw, data, base));
    }
    let mut decoder = DCtx::create();
    decoder.ref_prefix(base)?;
    decoder.decompress(raw, data)
}

fn refused(code: usize) -> Error {
    Error::Database(format!("zstd says: {}", get_error_name(code)))
}

fn damaged(why: &str) -> Error {
    Error::damaged("a frame", why)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_goes_in_comes_out(raw: Vec<u8>, base: Option<Vec<u8>>, compact: bool) {
            let effort = if compact { Effort::Compact } else { Effort::Live };
            let data = compress(&raw, base.as_deref(), effort).unwrap();
            prop_assert_eq!(decompress(&data, base.as_deref(), raw.len()).unwrap(), raw);
        }

        #[test]
        fn a_flipped_bit_is_noticed(raw in prop::collection::vec(any::<u8>(), 1..500), place: usize, bit in 0..8) {
            let mut data = compress(&raw, None, Effort::Live).unwrap();
            let place = place % data.len();
            data[place] ^= 1u8 << bit;
            // Some bits of a frame mean nothing, and then the bytes are what they were.
            prop_assert!(decompress(&data, None, raw.len()).map_or(true, |found| found == raw));
        }
    }

    #[test]
    fn a_base_that_looks_like_a_dictionary_is_none() {
        let base = [&DICTIONARY[..], &[7; 1000], b"something that comes again"].concat();
        let data = compress(&base[4..], Some(&base), Effort::Live).unwrap();
        assert_eq!(decompress(&data, Some(&base), base.len() - 4).unwrap(), base[4..]);
    }

    #[test]
    fn a_base_makes_it_small() {
        let base: Vec<u8> =
            (0..100_000u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
        let mut raw = base.clone();
        raw[5] ^= 1;
        assert!(compress(&raw, Some(&base), Effort::Live).unwrap().len() < 100);
    }

    #[test]
    fn lies_about_the_length_are_refused() {
        let data = compress(&[7; 1000], None, Effort::Live).unwrap();
        for length in [0, 999, 1001, MOST_BYTES + 1] {
            assert!(decompress(&data, None, length).unwrap_err().is_damage());
        }
    }
}
