//! Which characters are the bytes? An encoding label of the WHATWG, a byte order mark, and the way to UTF-8.

use bytes::Bytes;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::Options;
use super::issue::{Issue, Issues, ParseError, Position, short};
use crate::tree::MAX_TEXT_BYTES;

/// A source in UTF-8 and what it came from.
#[derive(Debug)]
pub(crate) struct Decoded {
    /// The source without its byte order mark; not yet checked where [`Decoded::is_checked`] is false.
    pub(crate) bytes: Vec<u8>,
    pub(crate) encoding: &'static Encoding,
    pub(crate) has_byte_order_mark: bool,
    /// Whether the bytes are known to be UTF-8.
    pub(crate) is_checked: bool,
    /// The bytes as they came, where they cannot be made of the text again: not all that an encoding reads is what it
    /// writes, and what was wrong in it is gone.
    pub(crate) original: Option<Bytes>,
    /// The first thing that was no character and became U+FFFD.
    pub(crate) malformed: Option<Issue>,
}

/// Brings a source to UTF-8 by its byte order mark, or else by what `unmarked` finds.
///
/// Without [`Options::recover`], what claims to be UTF-8 is left for the parser to check.
pub(crate) fn read(
    source: Vec<u8>,
    options: &Options,
    issues: &mut Issues,
    unmarked: impl FnOnce(&[u8], &mut Issues) -> Result<&'static Encoding, ParseError>,
) -> Result<Decoded, ParseError> {
    let max_bytes = options.limits.max_bytes;
    check_bytes(source.len(), max_bytes)?;
    if let Some(encoding) = utf32(&source) {
        return Err(ParseError::Utf32 { encoding });
    }
    let (encoding, mark) = match byte_order_mark(&source) {
        Some(found) => found,
        None => (unmarked(&source, issues)?, 0),
    };
    let mut decoded = decode(source, encoding, mark);
    check_bytes(decoded.bytes.len(), max_bytes)?;
    if options.recover {
        repair(&mut decoded);
    }
    if let Some(Issue { position: Position { offset, .. }, message }) = decoded.malformed.take() {
        issues.complain(&decoded.bytes, offset, message)?;
    }
    Ok(decoded)
}

/// Refuses more bytes than the options allow, and more than any document can have.
pub(crate) fn check_bytes(len: usize, max_bytes: usize) -> Result<(), ParseError> {
    if len > max_bytes {
        return Err(ParseError::Limit { what: "bytes", limit: max_bytes, option: "--max-bytes", position: None });
    }
    if len > MAX_TEXT_BYTES {
        return Err(ParseError::TooLarge { limit: MAX_TEXT_BYTES });
    }
    Ok(())
}

/// Whether the web knows an encoding by this label, as [`Options::encoding`](super::Options::encoding) takes it.
///
/// ```
/// assert!(treediff::parse::is_encoding("latin1"));
/// assert!(!treediff::parse::is_encoding("latin-one"));
/// ```
pub fn is_encoding(label: &str) -> bool {
    Encoding::for_label_no_replacement(label.as_bytes()).is_some()
}

/// The encoding of a label that the source has at `at`; UTF-8 where it is not known and this is read over.
pub(crate) fn known(
    label: &str,
    at: usize,
    source: &[u8],
    issues: &mut Issues,
) -> Result<&'static Encoding, ParseError> {
    if let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) {
        return Ok(encoding);
    }
    issues.complain(source, at, format!("encoding `{}` is not known", short(label)))?;
    Ok(UTF_8)
}

/// Whether a label is one of ASCII. On the web it is read as windows-1252; in XML, a document that says so has nothing else.
pub(crate) fn means_ascii(label: &str) -> bool {
    ["us-ascii", "ascii", "ansi_x3.4-1968"].iter().any(|ascii| label.trim().eq_ignore_ascii_case(ascii))
}

/// Complains of the first byte that is not ASCII.
pub(crate) fn check_ascii(source: &[u8], issues: &mut Issues) -> Result<(), ParseError> {
    let at = Encoding::ascii_valid_up_to(source);
    match source.get(at) {
        Some(byte) => issues.complain(source, at, format!("found byte 0x{byte:02X}; expected ASCII, as declared")),
        None => Ok(()),
    }
}

/// The encoding that a byte order mark announces, and the length of the mark.
pub(crate) fn byte_order_mark(source: &[u8]) -> Option<(&'static Encoding, usize)> {
    Encoding::for_bom(source)
}

/// Which UTF-32 it is, told by the byte order mark or by the zeros around the first character. Nobody reads it: the web has
/// no such encoding, and recovery would find nothing but zeros.
fn utf32(source: &[u8]) -> Option<&'static str> {
    // `<` is what XML begins with, and hardly any JSON begins with a control character.
    match source.first_chunk::<4>()? {
        [0xFF, 0xFE, 0, 0] | [b'\t'..=b'~', 0, 0, 0] => Some("UTF-32LE"),
        [0, 0, 0xFE, 0xFF] | [0, 0, 0, b'\t'..=b'~'] => Some("UTF-32BE"),
        _ => None,
    }
}

/// UTF-16 without a mark, told by the zero beside the first character, which XML and JSON have in ASCII.
pub(crate) fn unmarked_utf16(source: &[u8]) -> Option<&'static Encoding> {
    match source {
        [0, low, ..] if *low != 0 => Some(UTF_16BE),
        [low, 0] | [low, 0, _] if *low != 0 => Some(UTF_16LE),
        // Two zeros would be UTF-32, which is not read.
        [low, 0, next, after, ..] if *low != 0 && (*next, *after) != (0, 0) => Some(UTF_16LE),
        _ => None,
    }
}

/// The source in UTF-8; `skip` bytes of byte order mark are left out.
pub(crate) fn decode(mut source: Vec<u8>, encoding: &'static Encoding, skip: usize) -> Decoded {
    let has_byte_order_mark = skip > 0;
    if encoding == UTF_8 {
        source.drain(..skip);
        return Decoded {
            bytes: source,
            encoding,
            has_byte_order_mark,
            is_checked: false,
            original: None,
            malformed: None,
        };
    }
    let (text, had_errors) = encoding.decode_without_bom_handling(&source[skip..]);
    let text = text.into_owned();
    let is_reversible = encode(&text, encoding, has_byte_order_mark) == source;
    let bytes = text.into_bytes();
    let malformed = had_errors.then(|| malformed(&bytes, encoding));
    let original = (!is_reversible).then(|| source.into());
    Decoded { bytes, encoding, has_byte_order_mark, is_checked: true, original, malformed }
}

/// The bytes of a text. What the encoding does not have becomes a character reference, as XML and HTML read it.
pub(crate) fn encode(text: &str, encoding: &'static Encoding, has_byte_order_mark: bool) -> Vec<u8> {
    let mark = if has_byte_order_mark { "\u{FEFF}" } else { "" };
    let units = mark.encode_utf16().chain(text.encode_utf16());
    match encoding {
        _ if encoding == UTF_8 => [mark.as_bytes(), text.as_bytes()].concat(),
        _ if encoding == UTF_16LE => units.flat_map(u16::to_le_bytes).collect(),
        _ if encoding == UTF_16BE => units.flat_map(u16::to_be_bytes).collect(),
        _ => encoding.encode(text).0.into_owned(),
    }
}

/// Makes UTF-8 of what claims to be; wrong bytes become U+FFFD.
pub(crate) fn repair(decoded: &mut Decoded) {
    if decoded.is_checked {
        return;
    }
    if let Err(error) = simdutf8::compat::from_utf8(&decoded.bytes) {
        let position = Position::of(&decoded.bytes, error.valid_up_to());
        decoded.malformed = Some(Issue { position, message: not_encoded_as(decoded.encoding.name()) });
        let repaired = String::from_utf8_lossy(&decoded.bytes).into_owned().into_bytes();
        let mark: &[u8] = if decoded.has_byte_order_mark { "\u{FEFF}".as_bytes() } else { b"" };
        decoded.original = Some([mark, &std::mem::replace(&mut decoded.bytes, repaired)].concat().into());
    }
    decoded.is_checked = true;
}

/// Bytes as a text, or again as bytes where they are none.
#[allow(unsafe_code)]
pub(crate) fn text(source: Vec<u8>) -> Result<String, Vec<u8>> {
    match simdutf8::basic::from_utf8(&source) {
        // SAFETY: it has just been checked, by a check that is several times as fast as that of the standard library.
        Ok(_) => Ok(unsafe { String::from_utf8_unchecked(source) }),
        Err(_) => Err(source),
    }
}

fn malformed(text: &[u8], encoding: &'static Encoding) -> Issue {
    let at = memchr::memmem::find(text, "\u{FFFD}".as_bytes()).unwrap_or(0);
    Issue { position: Position::of(text, at), message: not_encoded_as(encoding.name()) }
}

/// What is wrong with bytes that are not what their encoding says.
pub(crate) fn not_encoded_as(encoding: &str) -> String {
    format!("found bytes that are not {encoding}")
}
