use super::{Options, ParseError, Parsed};
/// Parses JSON.
pub fn json(_source: impl Into<Vec<u8>>, _options: &Options) -> Result<Parsed, ParseError> {
    todo!()
}
pub(crate) fn decode_string(_written: &str) -> String {
    todo!()
}
