//! Is any text that is read as a delta written so that it is read as the same?

#![no_main]

use libfuzzer_sys::fuzz_target;
use treediff::delta::Delta;
use treediff::parse::Limits;

fuzz_target!(|source: &[u8]| {
    let limits = Limits::default();
    let Ok(delta) = Delta::read(source, &limits) else { return };
    let written = delta.to_xydelta();
    let again = Delta::read(written.as_bytes(), &limits).unwrap_or_else(|error| panic!("{error}\n{written}"));
    assert!(again.same_as(&delta), "{written}");
    assert_eq!(again.to_xydelta(), written, "what was written once is written otherwise");
});
