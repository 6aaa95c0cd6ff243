//! Is any text that is read as a delta written so that it is read as the same, and does its binary form stand for it?
//! Input that begins as a binary delta is one, with whatever checksum makes it worth reading.

#![no_main]

use libfuzzer_sys::fuzz_target;
use treediff::delta::Delta;
use treediff::parse::Limits;

fuzz_target!(|source: &[u8]| {
    let limits = Limits::default();
    let read = match Delta::is_binary(source) {
        true => Delta::from_binary(&with_checksum(source), &limits),
        false => Delta::read(source, &limits),
    };
    let Ok(delta) = read else { return };
    let written = delta.to_xydelta();
    let again = Delta::read(written.as_bytes(), &limits).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert!(again.same_as(&delta), "{written}");
    assert_eq!(again.to_xydelta(), written, "what was written once is written otherwise");
    let unpacked = Delta::from_binary(&again.to_binary(), &limits).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert_eq!(unpacked.to_xydelta(), written, "its binary form stands for another");
});

fn with_checksum(binary: &[u8]) -> Vec<u8> {
    let sum = xxhash_rust::xxh3::xxh3_64(binary).to_le_bytes();
    [binary, &sum[..4]].concat()
}
