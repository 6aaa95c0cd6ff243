//! How do bytes get smaller? As zstd frames, where wished with other bytes that both sides have as their prefix.

use std::io::Read as _;

use anyhow::{Result, anyhow, ensure};
use zstd::zstd_safe::{self, CCtx, CParameter, DCtx, DParameter};

/// How hard zstd tries.
#[derive(Clone, Copy)]
pub struct Coding {
    pub level: i32,
    /// Looks for long matches over the whole window.
    pub long: bool,
}

impl Coding {
    pub const fn level(level: i32) -> Self {
        Coding { level, long: false }
    }

    pub const fn long(level: i32) -> Self {
        Coding { level, long: true }
    }

    /// The bytes as a frame; its length is not in it, as whoever keeps frames knows their lengths.
    pub fn encoded(self, data: &[u8], prefix: Option<&[u8]>) -> Result<Vec<u8>> {
        let mut context = CCtx::create();
        let mut set = |parameter| context.set_parameter(parameter).map_err(failed);
        set(CParameter::CompressionLevel(self.level))?;
        set(CParameter::ContentSizeFlag(false))?;
        set(CParameter::WindowLog(window_log(data.len() + prefix.map_or(0, <[u8]>::len))))?;
        if self.long {
            set(CParameter::EnableLongDistanceMatching(true))?;
        }
        if let Some(prefix) = prefix {
            context.ref_prefix(prefix).map_err(failed)?;
        }
        let mut out = Vec::with_capacity(zstd_safe::compress_bound(data.len()));
        context.compress2(&mut out, data).map_err(failed)?;
        out.shrink_to_fit();
        Ok(out)
    }
}

/// A window that has room for so many bytes.
fn window_log(bytes: usize) -> u32 {
    (usize::BITS - bytes.leading_zeros()).clamp(10, MOST_WINDOW)
}

const MOST_WINDOW: u32 = 27;

/// The bytes of a frame, all of them.
pub fn decoded(frame: &[u8], length: usize, prefix: Option<&[u8]>) -> Result<Vec<u8>> {
    let mut context = DCtx::create();
    context.set_parameter(DParameter::WindowLogMax(MOST_WINDOW)).map_err(failed)?;
    if let Some(prefix) = prefix {
        context.ref_prefix(prefix).map_err(failed)?;
    }
    let mut out = Vec::with_capacity(length);
    context.decompress(&mut out, frame).map_err(failed)?;
    ensure!(out.len() == length, "a frame has {} bytes, and should have {length}", out.len());
    Ok(out)
}

/// A slice of the bytes of a frame, which is decoded as far as it reaches.
pub fn slice(frame: &[u8], start: usize, length: usize) -> Result<Vec<u8>> {
    let mut decoder = zstd::Decoder::with_buffer(frame)?;
    decoder.window_log_max(MOST_WINDOW)?;
    std::io::copy(&mut decoder.by_ref().take(start as u64), &mut std::io::sink())?;
    let mut out = vec![0; length];
    decoder.read_exact(&mut out)?;
    Ok(out)
}

fn failed(code: usize) -> anyhow::Error {
    anyhow!("zstd: {}", zstd_safe::get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_comes_back() {
        let data = "versions of a page, ".repeat(400).into_bytes();
        let prefix = &data[..3_000];
        for coding in [Coding::level(6), Coding::long(19)] {
            let alone = coding.encoded(&data, None).expect("a frame");
            assert_eq!(decoded(&alone, data.len(), None).expect("bytes"), data);
            assert_eq!(slice(&alone, 70, 100).expect("bytes"), data[70..170]);
            let patch = coding.encoded(&data, Some(prefix)).expect("a frame");
            assert_eq!(decoded(&patch, data.len(), Some(prefix)).expect("bytes"), data);
            assert!(decoded(&patch, data.len() + 1, Some(prefix)).is_err());
        }
    }
}
