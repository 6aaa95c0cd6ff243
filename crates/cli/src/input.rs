//! What is in a file? Its bytes, what they are written in, and the document that they make.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use anyhow::{Context, bail};
use treediff::parse::{self, Options, ParseError, Parsed, Whitespace};
use treediff::render::printable;
use treediff::tree::{Document, Format};

use crate::args::Reading;
use crate::exit::Trouble;

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
}

impl<'a> Source<'a> {
    pub fn new(file: &'a Path) -> Self {
        Source { file, name: file, before: None, read_as: None }
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
    let bytes = bytes(source.file, options.limits.max_bytes)?;
    let format = known.unwrap_or_else(|| guess(source.name, &bytes));
    if bytes.is_empty() && format != Format::Html && !options.recover {
        bail!("the file is empty, expected {}", name(format));
    }
    let is_guess = known.is_none() && by_extension(source.name).is_none();
    let parsed = match source.before {
        Some(before) if format == Format::Xml => parse::xml_revisited(bytes, before, &options),
        _ => parse::parse(bytes, format, &options),
    };
    parsed.map_err(|error| helped(error, &options, is_guess))
}

/// All bytes of a file, as long as they are not too many: devices and pipes may never end.
pub fn bytes(file: &Path, max_bytes: usize) -> anyhow::Result<Vec<u8>> {
    let most = (max_bytes as u64).saturating_add(1);
    let opened = open(file)?;
    let mut bytes = Vec::new();
    // One more byte tells the end of the file without growing; devices and pipes have a length of 0.
    bytes.reserve_exact(opened.len.saturating_add(1).min(most) as usize);
    opened.take(most).read_to_end(&mut bytes)?;
    if bytes.len() > max_bytes {
        return Err(too_much("bytes", max_bytes, "--max-bytes", None).into());
    }
    Ok(bytes)
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

/// An error of the parser with what helps against it.
fn helped(error: ParseError, options: &Options, is_guess: bool) -> anyhow::Error {
    match error {
        ParseError::Limit { what, limit, option, position } => {
            let place = position.map(|position| position.to_string());
            too_much(what, limit, option, place).into()
        }
        error @ ParseError::Malformed(_) if !options.recover => {
            let other = if is_guess { "--as html reads it as a page, " } else { "" };
            Trouble::new(error.to_string(), format!("{other}--recover reads on and says what is wrong")).into()
        }
        error => error.into(),
    }
}

fn too_much(what: &str, limit: usize, option: &str, place: Option<String>) -> Trouble {
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

/// What a file is written in, by its name or else by how it starts.
fn guess(file: &Path, bytes: &[u8]) -> Format {
    by_extension(file).unwrap_or_else(|| by_first_bytes(bytes))
}

fn by_extension(file: &Path) -> Option<Format> {
    let extension = file.extension()?.to_str()?.to_ascii_lowercase();
    match extension.as_str() {
        "html" | "htm" => Some(Format::Html),
        "json" | "geojson" | "jsonld" | "webmanifest" => Some(Format::Json),
        "xml" | "xhtml" | "xht" | "svg" | "rss" | "atom" | "csl" | "xsd" | "xsl" | "xslt" | "rdf" | "owl" | "kml"
        | "gpx" | "wsdl" | "plist" | "pom" | "dbk" | "tei" | "mml" => Some(Format::Xml),
        _ => None,
    }
}

fn by_first_bytes(bytes: &[u8]) -> Format {
    const ENOUGH: usize = 4096;
    // Without the zeros, UTF-16 looks like ASCII where it matters here.
    let start: Vec<u8> = bytes.iter().take(ENOUGH).filter(|&&byte| byte != 0).map(u8::to_ascii_lowercase).collect();
    let start = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"]
        .into_iter()
        .find_map(|mark| start.strip_prefix(mark))
        .unwrap_or(&start)
        .trim_ascii_start();
    let start = behind_comments(start);
    match start.first() {
        Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Format::Json,
        Some(b'<') if HTML_STARTS.iter().any(|&html| begins_tag(start, html)) => Format::Html,
        _ => Format::Xml,
    }
}

/// What pages begin with that data hardly does.
const HTML_STARTS: [&[u8]; 12] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<body",
    b"<title",
    b"<meta",
    b"<link",
    b"<script",
    b"<style",
    b"<div",
    b"<table",
    b"<p",
];

fn begins_tag(start: &[u8], tag: &[u8]) -> bool {
    start.strip_prefix(tag).is_some_and(|rest| !rest.first().is_some_and(|byte| byte.is_ascii_alphanumeric()))
}

/// A page may begin with a comment, and so may data; what counts comes behind it.
fn behind_comments(mut start: &[u8]) -> &[u8] {
    while let Some(comment) = start.strip_prefix(b"<!--") {
        let Some(len) = comment.windows(3).position(|end| end == b"-->") else { return start };
        start = comment[len + 3..].trim_ascii_start();
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_by_name_or_content() {
        let check = |name: &str, bytes: &[u8], expected: Format| {
            assert_eq!(guess(Path::new(name), bytes), expected, "{name} {bytes:?}");
        };
        check("a.html", b"{", Format::Html);
        check("a.XHTML", b"<html>", Format::Xml);
        check("a.json", b"", Format::Json);
        check("-", b" \n[1]", Format::Json);
        check("-", b"\xFF\xFE{\0}\0", Format::Json);
        check("a.txt", b"\xEF\xBB\xBF<!DOCTYPE html><p>", Format::Html);
        check("noext", b"<HTML>", Format::Html);
        check("noext", b"<?xml version='1.0'?><html/>", Format::Xml);
        check("noext", b"", Format::Xml);
        check("noext", b"<!-- a page --> <!DOCTYPE html>", Format::Html);
        check("noext", b"<p>one<br>two", Format::Html);
        check("noext", b"<people/>", Format::Xml);
        check("noext", b"<!-- data --><a/>", Format::Xml);
        check("-", b"true", Format::Json);
        check("-", b"-1", Format::Json);
    }
}
