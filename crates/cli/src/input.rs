//! What is in a file, or in a page that was recorded? Its bytes, what they are written in, and the document that they make.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use treediff::parse::{self, Options, ParseError, Parsed, Whitespace, guess};
use treediff::render::printable;
use treediff::tree::{Document, Format, HTML_NAMESPACE, Kind, Name, Node};
use treediff::write;

use crate::args::Reading;
use crate::exit::Trouble;
use crate::store::meant::{self, Content};

/// A file, and what is known of it beyond what flags say.
#[derive(Debug, Clone, Copy)]
pub struct Source<'a> {
    pub file: &'a Path,
    /// The name that it goes by: git hands over copies.
    pub name: &'a Path,
    /// The version before it: what is as it was there need not be parsed again.
    pub before: Option<&'a Document>,
    /// What a delta says that it is written in, and what white space is in it.
    pub read_as: Option<(Format, Whitespace)>,
    /// Whether it is for somebody who reads pages, for whom XHTML is one and mere words are.
    pub is_page: bool,
}

impl<'a> Source<'a> {
    pub fn new(file: &'a Path) -> Self {
        Source { file, name: file, before: None, read_as: None, is_page: false }
    }
}

/// Reads and parses a document; with `--recover`, says what is wrong with it.
pub fn read(file: &Path, reading: &Reading) -> anyhow::Result<Parsed> {
    read_source(Source::new(file), reading)
}

pub fn read_source(source: Source<'_>, reading: &Reading) -> anyhow::Result<Parsed> {
    let shown = source.name.display().to_string();
    let parsed = parse(source, reading).with_context(|| shown.clone())?;
    if reading.recover {
        warn(&shown, &parsed)?;
    }
    Ok(parsed)
}

fn parse(source: Source<'_>, reading: &Reading) -> anyhow::Result<Parsed> {
    let mut options = reading.options();
    let mut known = reading.format.map(Format::from);
    if let Some((format, whitespace)) = source.read_as {
        options.whitespace = whitespace;
        known = known.or(Some(format));
    }
    let Content { bytes, format, charset } = content(source, reading, options.limits.max_bytes)?;
    options.encoding = options.encoding.or(charset);
    if let (None, Some(what)) = (known, guess::no_text(&bytes)) {
        let hint = match what.strip_prefix("compressed by ") {
            Some(program) => format!("what `{program} -dc` makes of it can be read from standard input, as `-`"),
            None => "--as html or --as xml reads it whatever it is".to_owned(),
        };
        return Err(Trouble::new(format!("this is {what}, expected XML, HTML or JSON"), hint).into());
    }
    let is_called_xml = format == Some(Format::Xml);
    let format = format.filter(|_| !(source.is_page && is_called_xml));
    let told = known;
    let known = known.or(format);
    let format = known.unwrap_or_else(|| match source.is_page {
        true => guess::page(&bytes, is_called_xml),
        false => guess::likeliest(&bytes),
    });
    let is_xml = format == Format::Xml;
    let may_be_xhtml = source.is_page && (is_xml || told.is_none() && guess::may_be_xhtml(&bytes));
    if may_be_xhtml && let Some(page) = xhtml(&bytes, is_xml, &options) {
        return Ok(page);
    }
    if bytes.is_empty() && format != Format::Html && !options.recover {
        bail!("the file is empty, expected {}", name(format));
    }
    let parsed = match source.before {
        Some(before) if format == Format::Xml => parse::xml_revisited(bytes, before, &options),
        _ => parse::parse(bytes, format, &options),
    };
    let other = match (source.is_page, known) {
        (true, _) => "--as html reads it as a page",
        (false, None) => "--as html reads it as a page, --recover reads on and says what is wrong",
        (false, Some(_)) => "--recover reads on and says what is wrong",
    };
    parsed.map_err(|error| helped(error, &options, other))
}

/// A page of XHTML without a fault, if that is more than HTML or is no HTML anyway, as browsers read it that are told what it is.
/// The rest of what is for those who read pages knows HTML alone, so it is written as that.
fn xhtml(bytes: &[u8], is_xml: bool, options: &Options) -> Option<Parsed> {
    let strict = Options { recover: false, whitespace: Whitespace::Exact, ..options.clone() };
    let document = parse::xml(bytes, &strict).ok()?.document;
    let root = document.root_element().filter(|root| root.name() == PAGE)?;
    // HTML knows no prefixes.
    let is_page_of_html = || root.prefix().is_empty() && !document.nodes().any(is_lost_in_html);
    if !is_xml && is_page_of_html() {
        return None;
    }
    let written = format!("<!DOCTYPE html>{}", write::html_subtree(root));
    parse::html(written, &Options { encoding: Some("utf-8".to_owned()), ..options.clone() }).ok()
}

/// Whether HTML would read something else: an element that closes itself would go on, and a section of text would be a comment.
fn is_lost_in_html(node: Node<'_>) -> bool {
    let written = || write::source_of(node);
    match node.kind() {
        Kind::Element if node.name().namespace == HTML_NAMESPACE && node.first_child().is_none() => {
            written().ends_with("/>") && write::html_subtree(node).contains("</")
        }
        Kind::Text => {
            let is_read_as_it_is =
                node.parent().is_some_and(|parent| matches!(parent.name().local, "script" | "style"));
            !is_read_as_it_is && written().contains("<![CDATA[")
        }
        _ => false,
    }
}

/// The root of a page of XHTML.
const PAGE: Name<'_> = Name { namespace: HTML_NAMESPACE, local: "html" };

/// What is in a file, or in a version of a page that was recorded.
fn content(source: Source<'_>, reading: &Reading, max_bytes: usize) -> anyhow::Result<Content> {
    match meant::page(source.file) {
        Some(page) => meant::content(page, max_bytes, &reading.store),
        None => Ok(Content { bytes: bytes(source.file, max_bytes)?, format: by_name(source.name), charset: None }),
    }
}

/// All bytes of a file, as long as they are not too many: devices and pipes may never end.
pub fn bytes(file: &Path, max_bytes: usize) -> anyhow::Result<Vec<u8>> {
    let most = max_bytes.saturating_add(1);
    let opened = open(file)?;
    // One more byte tells the end of the file without growing; devices and pipes have a length of 0.
    let expected = opened.len.saturating_add(1).min(most as u64) as usize;
    let bytes = read_all(opened.take(most as u64), expected, most)?;
    if bytes.len() > max_bytes {
        return Err(too_many_bytes(max_bytes).into());
    }
    Ok(bytes)
}

/// All of what is to be read, which is no more than `most` and probably `expected` bytes. Room is doubled as long as
/// that is little of what is allowed; then all the rest is made at once, since what is not written to is not taken, and
/// to make more of it later would take both the old and the new.
fn read_all(mut source: impl Read, expected: usize, most: usize) -> io::Result<Vec<u8>> {
    const LEAST: usize = 64 << 10;
    let mut bytes = Vec::new();
    let mut room = expected;
    loop {
        bytes.reserve_exact(room);
        let free = bytes.capacity() - bytes.len();
        // No more than there is room for, or it would be made where it ends.
        if source.by_ref().take(free as u64).read_to_end(&mut bytes)? < free || bytes.len() >= most {
            return Ok(bytes);
        }
        let left = most - bytes.len();
        room = if bytes.len() < most / 8 { bytes.len().max(LEAST).min(left) } else { left };
    }
}

/// A file that is read, or standard input.
pub struct Opened {
    source: Box<dyn Read>,
    len: u64,
}

impl Read for Opened {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.source.read(into)
    }
}

pub fn open(file: &Path) -> anyhow::Result<Opened> {
    if file.as_os_str() == "-" {
        return Ok(Opened { source: Box::new(io::stdin().lock()), len: 0 });
    }
    let opened = File::open(file).map_err(plainly)?;
    let metadata = opened.metadata()?;
    if metadata.is_dir() {
        bail!("this is a directory, expected a file");
    }
    Ok(Opened { source: Box::new(opened), len: metadata.len() })
}

/// The everyday errors without their number.
fn plainly(error: io::Error) -> anyhow::Error {
    match error.kind() {
        io::ErrorKind::NotFound => anyhow::anyhow!("no such file"),
        io::ErrorKind::PermissionDenied => anyhow::anyhow!("permission denied"),
        _ => error.into(),
    }
}

/// An error of the parser with what helps against it; how else a document with faults may be read is known.
fn helped(error: ParseError, options: &Options, other: &str) -> anyhow::Error {
    match error {
        ParseError::Limit { what, limit, option, position } => {
            let place = position.map(|position| position.to_string());
            too_much(what, limit, option, place).into()
        }
        error @ ParseError::Malformed(_) if !options.recover => Trouble::new(error.to_string(), other).into(),
        error @ ParseError::Utf32 { encoding } => {
            let hint = format!(
                "iconv -f {encoding} -t UTF-8 converts it; --encoding utf-8 then reads it, whatever it declares"
            );
            Trouble::new(error.to_string(), hint).into()
        }
        error => error.into(),
    }
}

pub fn too_many_bytes(max_bytes: usize) -> Trouble {
    too_much("bytes", max_bytes, "--max-bytes", None)
}

/// A limit that was passed, and the option that sets it.
pub fn too_much(what: &str, limit: usize, option: &str, place: Option<String>) -> Trouble {
    let place = place.map_or_else(String::new, |place| format!("{place}: "));
    Trouble::new(format!("{place}more than {limit} {what}"), format!("{option} N allows more"))
}

fn warn(shown: &str, parsed: &Parsed) -> io::Result<()> {
    let mut stderr = io::BufWriter::new(io::stderr().lock());
    for issue in &parsed.issues {
        let (line, column) = (issue.position.line, issue.position.column);
        writeln!(stderr, "{}:{line}:{column}: warning: {}", printable(shown), printable(&issue.message))?;
    }
    stderr.flush()
}

pub fn name(format: Format) -> &'static str {
    match format {
        Format::Xml => "XML",
        Format::Html => "HTML",
        Format::Json => "JSON",
    }
}

/// What a file is written in, by its name.
pub fn by_name(file: &Path) -> Option<Format> {
    guess::by_name(file.file_name()?.to_str()?)
}

#[cfg(test)]
mod tests {
    use super::read_all;

    /// Whatever the length that a file claims to have, all of it is read, and no room is made beyond the most.
    #[test]
    fn all_is_read_and_no_room_is_made_beyond_the_most() {
        let most = 1 << 20;
        for len in [0, 1, 31, 32, 33, 65_536, 65_537, most / 8, most / 2 + 1, most] {
            for expected in [1, 32, len, len + 1] {
                let source = vec![b'x'; len];
                let read = read_all(source.as_slice(), expected.min(most), most).unwrap();
                assert_eq!(read, source);
                assert!(read.capacity() <= most, "{} for {len} bytes", read.capacity());
            }
        }
    }
}
