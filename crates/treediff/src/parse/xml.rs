use super::{Options, ParseError, Parsed};
/// Parses XML.
pub fn xml(_source: impl Into<Vec<u8>>, _options: &Options) -> Result<Parsed, ParseError> {
    todo!()
}
pub(crate) fn decode_text(_written: &str) -> String {
    todo!()
}
pub(crate) fn decode_line_ends(_written: &str) -> String {
    todo!()
}
pub(crate) fn decode_attribute(_written: &str) -> String {
    todo!()
}
