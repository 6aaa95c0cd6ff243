use super::{Options, ParseError, Parsed};
/// Parses HTML.
pub fn html(_source: impl Into<Vec<u8>>, _options: &Options) -> Result<Parsed, ParseError> {
    todo!()
}
pub(crate) fn decode_text(_written: &str) -> String {
    todo!()
}
pub(crate) fn decode_attribute(_written: &str) -> String {
    todo!()
}
