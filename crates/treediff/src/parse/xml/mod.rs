//! How does XML become a document? XML 1.0 (fifth edition) with Namespaces, well-formedness checked in full.
//!
//! `scan` marks the bytes that matter, `parser` goes from mark to mark, `dtd` has read the internal subset before.
//! Why not an existing tokenizer: one that hands out events, and attributes on request, goes over a tag more than once
//! and does not hash. Measured on the same documents, tree and hashes are made here in a third to three quarters of the
//! time that quick-xml takes for its events (see `docs/BENCHMARKS.md`).

mod chars;
mod declaration;
mod decode;
mod dtd;
mod entities;
pub(crate) mod escapes;
mod parser;
mod raw_names;
mod revisit;
mod scan;
mod scopes;
mod shapes;

pub use revisit::xml_revisited;

pub(crate) use decode::{decode_attribute, decode_line_ends, decode_text};

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

use super::encoding;
use super::issue::{Issues, Position};
use super::{Options, ParseError, Parsed};
use crate::tree::{Format, Parts, Span};
use declaration::Declaration;
use dtd::{Dtd, Exceeded};
use parser::{Input, Parser, Scratch};

/// Parses XML.
///
/// ```
/// use treediff::parse::{self, Options};
///
/// let parsed = parse::xml("<a b='1'>x</a>", &Options::default())?;
/// assert_eq!(parsed.document.len(), 3);
///
/// let error = parse::xml("<a>\n  <b></a>", &Options::default()).unwrap_err();
/// assert_eq!(error.to_string(), "line 2, column 6: found `</a`; expected `</b>`");
///
/// let options = Options { recover: true, ..Options::default() };
/// assert_eq!(parse::xml("<a>\n  <b></a>", &options)?.issues.len(), 1);
/// # Ok::<(), parse::ParseError>(())
/// ```
///
/// # Errors
/// Where the source is not well-formed (unless [`Options::recover`] is set), where it exceeds a limit, and where it is UTF-32.
pub fn xml(source: impl Into<Vec<u8>>, options: &Options) -> Result<Parsed, ParseError> {
    XmlReader::new().read(source, options)
}

/// Parses one XML source after the other without asking for the same memory again, which for documents of a few kilobytes
/// takes as long as parsing them.
///
/// ```
/// use treediff::parse::{Options, XmlReader};
///
/// let mut reader = XmlReader::new();
/// for source in ["<a b='1'>x</a>", "<a b='2'>y</a>"] {
///     assert_eq!(reader.read(source, &Options::default())?.document.len(), 3);
/// }
/// # Ok::<(), treediff::parse::ParseError>(())
/// ```
#[derive(Debug, Default)]
pub struct XmlReader {
    scratch: Scratch,
}

impl XmlReader {
    /// A reader that has read nothing yet.
    pub fn new() -> Self {
        XmlReader::default()
    }

    /// Parses a source as [`xml`] does.
    ///
    /// # Errors
    /// As [`xml`].
    pub fn read(&mut self, source: impl Into<Vec<u8>>, options: &Options) -> Result<Parsed, ParseError> {
        read(source.into(), options, Dialect::Document, &mut self.scratch)
    }
}

/// What a source is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// XML.
    Document,
    /// A delta: `xml:space="preserve"` on one of its operations holds for all that is within.
    Delta,
    /// A delta of what XML cannot hold: also, names and comments have [`escapes`], and references may be to any character
    /// but NUL.
    EscapedDelta,
}

/// Parses a delta.
pub(crate) fn delta(source: Vec<u8>, options: &Options, dialect: Dialect) -> Result<Parsed, ParseError> {
    read(source, options, dialect, &mut Scratch::default())
}

fn read(source: Vec<u8>, options: &Options, dialect: Dialect, scratch: &mut Scratch) -> Result<Parsed, ParseError> {
    let mut issues = Issues::new(options.recover, options.limits.max_issues);
    let decoded =
        encoding::read(source, options, &mut issues, |source, issues| unmarked_encoding(source, options, issues))?;
    let source = &decoded.bytes;
    let (declaration, fault) = declaration::read(source);
    if let Some((at, message)) = fault {
        issues.complain(source, at, message)?;
    }
    if let Some(lie) = declared_otherwise(&declaration, decoded.encoding).filter(|_| options.encoding.is_none()) {
        issues.complain(source, declaration.encoding_at, lie)?;
    }
    let mut entity_bytes_left = options.limits.max_entity_bytes;
    let (mut dtd, doctype) =
        read_doctype(source, declaration.end, declaration.standalone, &mut entity_bytes_left, options, &mut issues)?;
    if dialect != Dialect::Document {
        dtd.entities.keep_empty();
    }
    let input = Input { source, start: declaration.end, is_checked: decoded.is_checked, dtd: &dtd, doctype, dialect };
    let parser = Parser::new(input, options, issues, entity_bytes_left, std::mem::take(scratch));
    let mut content = parser.content().map_err(|error| *error)?;
    let issues = content.issues.into_list(source);
    let source_len = source.len() as u32;
    let parts = Parts {
        format: Format::Xml,
        encoding: decoded.encoding,
        has_byte_order_mark: decoded.has_byte_order_mark,
        original: decoded.original,
        text: assemble(decoded.bytes, dtd.entities.text(), &content.heap)?,
        source_len,
        doctype,
        id_attributes: sorted(content.id_attributes),
    };
    let document = content.builder.hand_over(parts);
    *scratch = content.scratch;
    scratch.builder = Some(content.builder);
    Ok(Parsed { document, issues })
}

/// The document's text: the source, then the entities, then the heap, which is where the parser's spans point.
#[allow(unsafe_code)]
fn assemble(mut source: Vec<u8>, entities: &str, heap: &str) -> Result<String, ParseError> {
    let total = source.len() + entities.len() + heap.len();
    encoding::check_bytes(total, usize::MAX)?;
    source.reserve_exact(total - source.len());
    source.extend_from_slice(entities.as_bytes());
    source.extend_from_slice(heap.as_bytes());
    debug_assert!(std::str::from_utf8(&source).is_ok());
    // SAFETY: the source was decoded or repaired to UTF-8 (`Decoded::is_checked`), or `Marks` has checked all of it:
    // the parser ends only where no mark is left, and refuses the source there if any of it was found not to be UTF-8.
    Ok(unsafe { String::from_utf8_unchecked(source) })
}

/// The encoding that a document says it is in.
pub(crate) fn declared_encoding(source: &str) -> Option<String> {
    declaration::read(source.as_bytes()).0.encoding
}

/// By what the transport says, by the zeros of UTF-16, by declaration.
fn unmarked_encoding(source: &[u8], options: &Options, issues: &mut Issues) -> Result<&'static Encoding, ParseError> {
    if let Some(label) = &options.encoding {
        return labelled_encoding(label, 0, source, issues);
    }
    if let Some(encoding) = encoding::unmarked_utf16(source) {
        return Ok(encoding);
    }
    let declaration = declaration::read(source).0;
    let Some(label) = declaration.encoding else { return Ok(UTF_8) };
    let encoding = labelled_encoding(&label, declaration.encoding_at, source, issues)?;
    // A label that could be read as ASCII is not in UTF-16, whatever it says; that it lies is said later.
    Ok(if encoding == UTF_16LE || encoding == UTF_16BE { UTF_8 } else { encoding })
}

/// The encoding of a label that stands at `at`. What is called ASCII has to be: what passes for it on the web makes other
/// characters of bytes that are UTF-8.
fn labelled_encoding(
    label: &str,
    at: usize,
    source: &[u8],
    issues: &mut Issues,
) -> Result<&'static Encoding, ParseError> {
    let encoding = encoding::known(label, at, source, issues)?;
    if encoding::means_ascii(label) {
        encoding::check_ascii(source, issues)?;
    }
    Ok(encoding)
}

/// What is wrong with a declaration that names another encoding than the one the document is in.
fn declared_otherwise(declaration: &Declaration, encoding: &'static Encoding) -> Option<String> {
    let label = declaration.encoding.as_deref()?;
    let declared = Encoding::for_label_no_replacement(label.as_bytes())?;
    let is_utf16 = |encoding: &'static Encoding| encoding == UTF_16LE || encoding == UTF_16BE;
    let agrees = declared == encoding || (is_utf16(declared) && is_utf16(encoding));
    (!agrees).then(|| format!("the document says that it is {label}, and is {}", encoding.name()))
}

fn sorted(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Finds the DOCTYPE before anything else is built, since its entities are wanted from the first element on.
fn read_doctype(
    source: &[u8],
    start: usize,
    standalone: bool,
    budget: &mut usize,
    options: &Options,
    issues: &mut Issues,
) -> Result<(Dtd, Option<Span>), ParseError> {
    let Some(at) = find_doctype(source, start) else { return Ok((Dtd::default(), None)) };
    // A DOCTYPE is short: a small piece of the source is tried first, and all of it only where that was not enough.
    let window = &source[at..source.len().min(at + DOCTYPE_WINDOW)];
    let limits = &options.limits;
    let mut spare = *budget;
    let (mut dtd, mut result) = dtd::read(utf8_start(window), standalone, &mut spare, limits.max_entity_depth);
    if result.is_err() && at + window.len() < source.len() {
        spare = *budget;
        (dtd, result) = dtd::read(utf8_start(&source[at..]), standalone, &mut spare, limits.max_entity_depth);
    }
    *budget = spare;
    let fault = match result {
        Ok(len) => return Ok((dtd, Some(Span::plain(at as u32, (at + len) as u32)))),
        Err(fault) => fault,
    };
    if let Some(exceeded) = fault.exceeded {
        let (what, limit, option) = match exceeded {
            Exceeded::Bytes => ("bytes out of entities", limits.max_entity_bytes, "--max-entity-bytes"),
            Exceeded::Depth => ("levels of entities in entities", limits.max_entity_depth, "--max-entity-depth"),
        };
        return Err(ParseError::Limit { what, limit, option, position: Some(Position::of(source, at + fault.at)) });
    }
    issues.complain(source, at + fault.at, fault.message)?;
    let end = doctype_end(source, at + fault.read_to);
    Ok((dtd, Some(Span::plain(at as u32, end as u32))))
}

/// The place of `<!DOCTYPE` if there is one before the root element. Comments and processing instructions on the
/// way are read when their turn comes.
fn find_doctype(source: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at += source[at..].iter().take_while(|&&byte| scan::is_space(byte)).count();
        let rest = &source[at..];
        let end = match rest {
            _ if rest.starts_with(b"<!DOCTYPE") => return Some(at),
            _ if rest.starts_with(b"<!--") => memchr::memmem::find(&rest[4..], b"-->")? + 7,
            _ if rest.starts_with(b"<?") => memchr::memmem::find(rest, b"?>")? + 2,
            _ => return None,
        };
        at += end;
    }
}

/// A guess for recover mode: behind the next `]>`, else behind the next `>`.
fn doctype_end(source: &[u8], at: usize) -> usize {
    let rest = &source[at..];
    let end = memchr::memmem::find(rest, b"]>").map(|len| len + 2);
    end.or_else(|| memchr::memchr(b'>', rest).map(|len| len + 1)).map_or(source.len(), |len| at + len)
}

const DOCTYPE_WINDOW: usize = 64 * 1024;

/// The longest start that is UTF-8.
fn utf8_start(source: &[u8]) -> &str {
    simdutf8::compat::from_utf8(source)
        .or_else(|error| simdutf8::compat::from_utf8(&source[..error.valid_up_to()]))
        .unwrap_or_default()
}
