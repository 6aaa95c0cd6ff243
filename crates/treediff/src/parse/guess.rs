//! What is this written in? What a server says of it, what it is called, and how it begins, in that order.
//!
//! Much of what the web holds is no tree at all: [`format()`] answers `None` for images, archives, style sheets and plain
//! text. Who knows that there is a tree asks [`likeliest`], which always has an answer.

use crate::tree::{Format, HTML_NAMESPACE};

/// What a media type says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// It is a tree, written in this.
    Tree(Format),
    /// It is text, which is what servers call whatever they do not know; its name may know better.
    Text,
    /// It is no tree.
    Other,
    /// Nothing.
    Nothing,
}

/// What a page is written in, by its media type, else by its address, else by its first bytes; `None` if it is no tree.
///
/// ```
/// use treediff::parse::guess;
/// use treediff::tree::Format;
///
/// let page = guess::format(Some("text/html; charset=utf-8"), "https://example.org/feed.xml", b"<rss/>");
/// assert_eq!(page, Some(Format::Html));
/// assert_eq!(guess::format(None, "https://example.org/prices", b"{\"eur\": 4}"), Some(Format::Json));
/// assert_eq!(guess::format(None, "https://example.org/logo", b"\x89PNG\r\n"), None);
/// ```
pub fn format(media_type: Option<&str>, url: &str, bytes: &[u8]) -> Option<Format> {
    match media_type.map_or(Told::Nothing, by_media_type) {
        Told::Tree(format) => Some(format),
        Told::Text => by_url(url),
        Told::Other => None,
        Told::Nothing => by_url(url).or_else(|| by_first_bytes(bytes)),
    }
}

/// What a `Content-Type` says, with or without parameters.
pub fn by_media_type(media_type: &str) -> Told {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match essence.as_str() {
        "text/html" => Told::Tree(Format::Html),
        "text/xml" | "application/xml" => Told::Tree(Format::Xml),
        "application/json" | "text/json" => Told::Tree(Format::Json),
        "text/plain" => Told::Text,
        "" | "*/*" | "application/octet-stream" | "binary/octet-stream" | "application/unknown" | "unknown/unknown" => {
            Told::Nothing
        }
        // application/xhtml+xml and image/svg+xml among them.
        _ if essence.ends_with("+xml") => Told::Tree(Format::Xml),
        _ if essence.ends_with("+json") => Told::Tree(Format::Json),
        _ => Told::Other,
    }
}

/// What the path of a URL ends in, without its query and fragment.
pub fn by_url(url: &str) -> Option<Format> {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let before_query = behind_scheme.split(['?', '#']).next()?;
    before_query.split_once('/').and_then(|(_authority, path)| by_name(path))
}

/// What the name of a file ends in.
pub fn by_name(name: &str) -> Option<Format> {
    let (stem, extension) = name.rsplit(['/', '\\']).next()?.rsplit_once('.')?;
    // A hidden file has no extension.
    if stem.is_empty() {
        return None;
    }
    match extension.to_ascii_lowercase().as_str() {
        "html" | "htm" => Some(Format::Html),
        "json" | "geojson" | "jsonld" | "webmanifest" => Some(Format::Json),
        "xml" | "xhtml" | "xht" | "svg" | "rss" | "atom" | "csl" | "xsd" | "xsl" | "xslt" | "rdf" | "owl" | "kml"
        | "gpx" | "wsdl" | "plist" | "pom" | "dbk" | "tei" | "mml" => Some(Format::Xml),
        _ => None,
    }
}

/// What begins like a tree; `None` for what begins like anything else.
pub fn by_first_bytes(bytes: &[u8]) -> Option<Format> {
    let start = Start::of(bytes);
    start.is_tree().then(|| start.likeliest())
}

/// What bytes are written in that are known to be a tree.
pub fn likeliest(bytes: &[u8]) -> Format {
    Start::of(bytes).likeliest()
}

/// What bytes are written in where a page is expected: HTML, a page of XHTML too, unless they are data at first sight. What begins with
/// a tag may be data if it says so, by an XML declaration or by what it is called.
pub fn page(bytes: &[u8], is_called_xml: bool) -> Format {
    let start = Start::of(bytes);
    let is_xml = is_called_xml || start.0.starts_with(b"<?xml");
    let start = start.behind_declaration();
    match start.0.first() {
        Some(b'{' | b'[') if start.is_tree() => Format::Json,
        Some(b'<') if is_xml && start.is_tree() => start.likeliest(),
        _ => Format::Html,
    }
}

/// What bytes are that begin as no text does: an image, an archive or the like, as people call it.
///
/// ```
/// use treediff::parse::guess;
///
/// assert_eq!(guess::no_text(b"\x89PNG\r\n\x1a\n"), Some("a PNG image"));
/// assert_eq!(guess::no_text(b"<p>PNG"), None);
/// ```
pub fn no_text(bytes: &[u8]) -> Option<&'static str> {
    let begun = NO_TEXTS.iter().find(|(start, _)| bytes.starts_with(start)).map(|(_, what)| *what);
    let inside = |at: usize, marks: &[u8]| bytes.get(at..at + marks.len()) == Some(marks);
    begun.or_else(|| match bytes {
        _ if bytes.starts_with(b"RIFF") && inside(8, b"WEBP") => Some("a WebP image"),
        _ if inside(4, b"ftyp") => Some("a video"),
        _ if inside(257, b"ustar") => Some("a tar archive"),
        // Words may begin with the first three.
        _ if bytes.starts_with(b"BZh") && inside(4, b"1AY&SY") => Some("compressed by bzip2"),
        _ => None,
    })
}

/// How files begin that are no text, and what they are.
const NO_TEXTS: [(&[u8], &str); 14] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"\0\0\x01\0", "an icon"),
    (b"%PDF-", "a PDF document"),
    (b"\x1F\x8B", "compressed by gzip"),
    (b"\x28\xB5\x2F\xFD", "compressed by zstd"),
    (b"\xFD7zXZ\0", "compressed by xz"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"II*\0", "a TIFF image"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"\x7FELF", "a program"),
];

/// Whether bytes may be a page of XHTML: they have an XML declaration, or name its namespace where the root element would.
pub fn may_be_xhtml(bytes: &[u8]) -> bool {
    let Start(start) = Start::of(bytes);
    start.starts_with(b"<?xml") || memchr::memmem::find(&start, HTML_NAMESPACE.as_bytes()).is_some()
}

/// How a source begins, in lower case and without what may stand before anything.
struct Start(Vec<u8>);

impl Start {
    fn of(bytes: &[u8]) -> Self {
        const ENOUGH: usize = 4096;
        // Without the zeros, UTF-16 looks like ASCII where it matters here.
        let start: Vec<u8> = bytes.iter().take(ENOUGH).filter(|&&byte| byte != 0).map(u8::to_ascii_lowercase).collect();
        let unmarked = [&b"\xEF\xBB\xBF"[..], b"\xFF\xFE", b"\xFE\xFF"]
            .into_iter()
            .find_map(|mark| start.strip_prefix(mark))
            .unwrap_or(&start);
        Start(behind_comments(unmarked.trim_ascii_start()).to_vec())
    }

    /// The same without an XML declaration, which pages have as well.
    fn behind_declaration(self) -> Self {
        let declaration = self.0.strip_prefix(b"<?xml").and_then(|rest| rest.windows(2).position(|end| end == b"?>"));
        let behind = declaration.map_or(&self.0[..], |len| self.0[b"<?xml".len() + len + 2..].trim_ascii_start());
        Start(behind_comments(behind).to_vec())
    }

    fn likeliest(&self) -> Format {
        match self.0.first() {
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => Format::Json,
            Some(b'<') if HTML_STARTS.iter().any(|&html| begins_tag(&self.0, html)) => Format::Html,
            _ => Format::Xml,
        }
    }

    /// Whether it is a tag, an object or an array: a lone JSON value could be any text.
    fn is_tree(&self) -> bool {
        let Some((&first, rest)) = self.0.split_first() else { return false };
        let second = rest.trim_ascii_start().first();
        match first {
            b'<' => rest.first().is_some_and(|byte| matches!(byte, b'!' | b'?' | b'_' | b':' | b'a'..=b'z' | 0x80..)),
            b'{' => matches!(second, Some(b'"' | b'}')),
            b'[' => matches!(second, Some(b']' | b'{' | b'[' | b'"' | b'-' | b'0'..=b'9')),
            _ => false,
        }
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
    fn trees_are_told_by_name_or_content() {
        let check = |name: &str, bytes: &[u8], expected: Format| {
            assert_eq!(by_name(name).unwrap_or_else(|| likeliest(bytes)), expected, "{name} {bytes:?}");
        };
        check("a.html", b"{", Format::Html);
        check("a.XHTML", b"<html>", Format::Xml);
        check("folder.xml/a.json", b"", Format::Json);
        check("folder.json/a", b"<a/>", Format::Xml);
        check(".json", b"<a/>", Format::Xml);
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

    #[test]
    fn who_expects_a_page_takes_all_for_one_but_data() {
        for (bytes, expected) in [
            (&b"<?xml version='1.0'?>\n<!-- a --><!DOCTYPE html PUBLIC 'x'><html>"[..], Format::Html),
            (b"<?xml version='1.0'?><html xmlns='x'/>", Format::Html),
            (b"Hello <b>you</b>", Format::Html),
            (b"12 euros", Format::Html),
            (b"true story", Format::Html),
            (b"[12] <b>notes</b>", Format::Json),
            (b"[a] <b>notes</b>", Format::Html),
            (b"", Format::Html),
            (b"<?xml version='1.0'?><rss/>", Format::Xml),
            (b"<?xml version='1.0'", Format::Xml),
            (b"<h1>News</h1><ul><li>one", Format::Html),
            (b"<?php echo 1 ?><h1>News", Format::Html),
            (b"<rss/>", Format::Html),
            (b"{\"a\": 1}", Format::Json),
        ] {
            assert_eq!(page(bytes, false), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
        for (bytes, expected) in [(&b"<rss/>"[..], Format::Xml), (b"<html>", Format::Html), (b"words", Format::Html)] {
            assert_eq!(page(bytes, true), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn what_begins_like_no_tree_is_none() {
        for (bytes, expected) in [
            (&b"<a/>"[..], Some(Format::Xml)),
            (b"\xFF\xFE<\0a\0", Some(Format::Xml)),
            (b"<\xC3\xA9t\xC3\xA9/>", Some(Format::Xml)),
            (b"<!-- page --><html>", Some(Format::Html)),
            (b"<!-- no end", Some(Format::Xml)),
            (b"{ }", Some(Format::Json)),
            (b"{\n \"a\": 1}", Some(Format::Json)),
            (b"[ [1]]", Some(Format::Json)),
            (b"", None),
            (b"<", None),
            (b"< 5 euros", None),
            (b"<3", None),
            (b"{\\rtf1", None),
            (b"[section]\nkey = value", None),
            (b"true story", None),
            (b"2026-11-15 all is well", None),
            (b"plain words", None),
            (b"%PDF-1.7", None),
            (b"\x89PNG\r\n\x1a\n", None),
            (b"PK\x03\x04", None),
            (b"GIF89a", None),
            (&[0; 100], None),
        ] {
            assert_eq!(by_first_bytes(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn what_is_no_text_is_told_by_its_first_bytes() {
        for (bytes, expected) in [
            (&b"\x1F\x8B\x08\0"[..], Some("compressed by gzip")),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some("a WebP image")),
            (b"BZh91AY&SY\0", Some("compressed by bzip2")),
            (b"BZh is no word", None),
            (b"\0\0\0\x20ftypisom", Some("a video")),
            (b"RIFF is a village.", None),
            (b"GIF89 was a format", None),
            (b"\xFF\xFE<\0a\0", None),
            (b"\0\0\0<", None),
            (b"", None),
        ] {
            assert_eq!(no_text(bytes), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn media_types() {
        for (media_type, expected) in [
            ("text/html", Told::Tree(Format::Html)),
            (" Text/HTML ; charset=x", Told::Tree(Format::Html)),
            ("application/xhtml+xml", Told::Tree(Format::Xml)),
            ("image/svg+xml", Told::Tree(Format::Xml)),
            ("application/atom+xml;type=feed", Told::Tree(Format::Xml)),
            ("application/ld+json", Told::Tree(Format::Json)),
            ("application/json", Told::Tree(Format::Json)),
            ("text/plain;charset=utf-8", Told::Text),
            ("text/css", Told::Other),
            ("image/png", Told::Other),
            ("application/pdf", Told::Other),
            ("application/octet-stream", Told::Nothing),
            ("", Told::Nothing),
        ] {
            assert_eq!(by_media_type(media_type), expected, "{media_type}");
        }
    }

    #[test]
    fn servers_are_believed_before_addresses_and_those_before_bytes() {
        let check = |media_type: Option<&str>, url: &str, bytes: &[u8], expected: Option<Format>| {
            assert_eq!(format(media_type, url, bytes), expected, "{media_type:?} {url} {bytes:?}");
        };
        check(Some("text/html"), "http://a.example/b.json", b"{}", Some(Format::Html));
        check(Some("image/png"), "http://a.example/b.json", b"{}", None);
        check(Some("text/plain"), "http://a.example/b.json?raw=1", b"{}", Some(Format::Json));
        check(Some("text/plain"), "http://a.example/b", b"{}", None);
        check(Some("application/octet-stream"), "http://a.example/b", b"{}", Some(Format::Json));
        check(None, "http://a.example/b.xml#c.html", b"", Some(Format::Xml));
        check(None, "http://a.example/b?c=/d.xml", b"words", None);
        check(None, "http://a.json", b"<html>", Some(Format::Html));
        check(None, "http://a.json?b=/c.xml", b"<html>", Some(Format::Html));
    }
}
