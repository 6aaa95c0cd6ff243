//! Which encoding is the page in? The rules of the standard: mark, transport, `meta`, an XML declaration, and a guess
//! from the bytes, which holds until the tree builder meets a `meta` that says otherwise.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use crate::parse::encoding::{self, Decoded};

/// How far the standard looks for a `meta` that names the encoding.
const PRESCAN_BYTES: usize = 1024;

/// What is known of the encoding before anything is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sniffed {
    pub(super) encoding: &'static Encoding,
    /// The length of the byte order mark.
    mark: usize,
    /// Whether nobody says so.
    pub(super) is_guess: bool,
}

impl Sniffed {
    /// What a page says itself.
    pub(super) fn told(encoding: &'static Encoding) -> Self {
        Sniffed { encoding, mark: 0, is_guess: false }
    }
}

/// The source in UTF-8.
pub(super) fn decode(source: Vec<u8>, sniffed: Sniffed) -> Decoded {
    let mut decoded = encoding::decode(source, sniffed.encoding, sniffed.mark);
    encoding::repair(&mut decoded);
    decoded
}

pub(super) fn sniff(source: &[u8], transport: Option<&str>) -> Sniffed {
    if let Some((encoding, mark)) = encoding::byte_order_mark(source) {
        return Sniffed { encoding, mark, is_guess: false };
    }
    let named = transport.and_then(|label| Encoding::for_label(label.trim().as_bytes()));
    let head = &source[..source.len().min(PRESCAN_BYTES)];
    let declared = || wide_declaration(head).or_else(|| meta(head)).or_else(|| xml_declaration(head));
    match named.or_else(declared) {
        Some(encoding) => Sniffed::told(encoding),
        None => Sniffed { encoding: guess(source), mark: 0, is_guess: true },
    }
}

/// Whether there is a `meta`, or what looks like one, anywhere.
pub(super) fn has_meta(source: &[u8]) -> bool {
    memchr::memchr_iter(b'<', source).any(|at| is_meta(&source[at..]))
}

/// A guess, where nobody says; valid UTF-8 is taken as such.
fn guess(source: &[u8]) -> &'static Encoding {
    if simdutf8::basic::from_utf8(source).is_ok() {
        return UTF_8;
    }
    let mut detector = chardetng::EncodingDetector::new();
    detector.feed(source, true);
    detector.guess(None, true)
}

/// The encoding of a page whose first characters are those of an XML declaration, two bytes each.
fn wide_declaration(head: &[u8]) -> Option<&'static Encoding> {
    if head.starts_with(b"<\0?\0x\0") {
        Some(UTF_16LE)
    } else if head.starts_with(b"\0<\0?\0x") {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// What an XML declaration names, which counts where no `meta` does: pages were written to be both.
fn xml_declaration(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..memchr::memchr(b'>', declaration)?];
    let behind = &declaration[memchr::memmem::find(declaration, b"encoding")? + b"encoding".len()..];
    let value = without_controls(without_controls(behind).strip_prefix(b"=")?);
    let quote = *value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
    let label = value[1..].split(|&byte| byte == quote).next().filter(|label| label.len() + 1 < value.len())?;
    let is_label = label.iter().all(|&byte| byte > b' ');
    Encoding::for_label(label).filter(|_| is_label).map(ascii_compatible)
}

fn without_controls(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&byte| byte <= b' ').count()..]
}

/// The standard's search for `<meta charset>` or `<meta http-equiv=content-type content="…charset=…">`.
fn meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut at = 0;
    while at < head.len() {
        let rest = &head[at..];
        if rest.starts_with(b"<!--") {
            // The dashes that open the comment may be those that close it.
            at += 2 + memchr::memmem::find(&rest[2..], b"-->")? + 3;
        } else if is_meta(rest) {
            let mut attributes = Attributes { head, at: at + b"<meta".len() };
            let found = meta_encoding(&mut attributes);
            // A tag that goes on beyond what is looked at may have been cut in the midst of the name.
            if attributes.peek()? != b'>' {
                return None;
            }
            if found.is_some() {
                return found;
            }
            at = attributes.at;
        } else if is_tag(rest) {
            at += rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte == b'>')?;
            let mut attributes = Attributes { head, at };
            while attributes.next().is_some() {}
            at = attributes.at;
        } else if matches!(rest, [b'<', b'!' | b'/' | b'?', ..]) {
            at += memchr::memchr(b'>', rest)? + 1;
        } else {
            at += 1;
        }
    }
    None
}

fn is_meta(rest: &[u8]) -> bool {
    rest.get(..5).is_some_and(|tag| tag.eq_ignore_ascii_case(b"<meta"))
        && rest.get(5).is_some_and(|&byte| byte.is_ascii_whitespace() || byte == b'/')
}

fn is_tag(rest: &[u8]) -> bool {
    match rest {
        [b'<', b'/', letter, ..] | [b'<', letter, ..] => letter.is_ascii_alphabetic(),
        _ => false,
    }
}

fn meta_encoding(attributes: &mut Attributes<'_>) -> Option<&'static Encoding> {
    let (mut is_pragma, mut needs_pragma, mut found) = (false, None, None);
    let mut seen: Vec<Vec<u8>> = Vec::new();
    while let Some((name, value)) = attributes.next() {
        if seen.contains(&name) {
            continue;
        }
        match name.as_slice() {
            b"http-equiv" => is_pragma |= value == b"content-type",
            b"content" if found.is_none() => {
                if let Some(encoding) = charset_in(&value) {
                    (found, needs_pragma) = (Some(encoding), Some(true));
                }
            }
            b"charset" => (found, needs_pragma) = (Encoding::for_label(&value), Some(false)),
            _ => {}
        }
        seen.push(name);
    }
    if needs_pragma? && !is_pragma {
        return None;
    }
    found.map(meant_by_meta)
}

/// The encoding that a page is in if a `meta` names this one.
pub(super) fn meant_by_meta(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == X_USER_DEFINED { WINDOWS_1252 } else { ascii_compatible(encoding) }
}

/// A page that can be read as bytes of ASCII cannot be what it says if it says UTF-16.
fn ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16BE || encoding == UTF_16LE { UTF_8 } else { encoding }
}

/// The `charset=…` of a `content` attribute, which is in lower case.
pub(super) fn charset_in(content: &[u8]) -> Option<&'static Encoding> {
    let mut rest = content;
    loop {
        rest = &rest[memchr::memmem::find(rest, b"charset")? + b"charset".len()..];
        let Some(value) = rest.trim_ascii_start().strip_prefix(b"=") else { continue };
        let value = value.trim_ascii_start();
        let label = match value.first()? {
            quote @ (b'"' | b'\'') => {
                let inner = &value[1..];
                &inner[..memchr::memchr(*quote, inner)?]
            }
            _ => value.split(|&byte| byte.is_ascii_whitespace() || byte == b';').next()?,
        };
        return Encoding::for_label(label);
    }
}

/// The attributes of a tag, as the prescan reads them: names and values in lower case.
struct Attributes<'h> {
    head: &'h [u8],
    at: usize,
}

impl Attributes<'_> {
    fn next(&mut self) -> Option<(Vec<u8>, Vec<u8>)> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
        if self.peek()? == b'>' {
            return None;
        }
        let start = self.at;
        // A name may start with `=`.
        self.at += 1;
        self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='));
        let name = self.head[start..self.at].to_ascii_lowercase();
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.peek() != Some(b'=') {
            return Some((name, Vec::new()));
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let value = match self.peek()? {
            quote @ (b'"' | b'\'') => {
                let start = self.at + 1;
                let len = memchr::memchr(quote, &self.head[start..])?;
                self.at = start + len + 1;
                &self.head[start..start + len]
            }
            _ => {
                let start = self.at;
                self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'>');
                &self.head[start..self.at]
            }
        };
        Some((name, value.to_ascii_lowercase()))
    }

    fn peek(&self) -> Option<u8> {
        self.head.get(self.at).copied()
    }

    fn skip(&mut self, skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&skipped) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(source: &[u8], transport: Option<&str>, expected: &str) {
        assert_eq!(sniff(source, transport).encoding.name(), expected, "{}", String::from_utf8_lossy(source));
    }

    #[test]
    fn the_mark_goes_before_the_transport_and_that_before_the_meta() {
        check(b"\xEF\xBB\xBF<meta charset=koi8-r>", Some("latin1"), "UTF-8");
        check(b"\xFE\xFF\0a", Some("latin1"), "UTF-16BE");
        check(b"<meta charset=koi8-r>", Some("latin1"), "windows-1252");
        check(b"<meta charset=koi8-r>", Some("no such"), "KOI8-R");
    }

    #[test]
    fn the_prescan_reads_tags_as_the_standard_does() {
        check(b"<!-- <meta charset=koi8-r> --><META CharSet='EUC-JP'>", None, "EUC-JP");
        check(b"<!--><meta charset=koi8-r>", None, "KOI8-R");
        check(b"<meta http-equiv=Content-Type content='text/html; charset = \"big5\"'>", None, "Big5");
        check(b"<meta content='text/html; charset=big5'>", None, "UTF-8");
        check(b"<a title='<meta charset=big5>'><meta charset=utf-16>", None, "UTF-8");
        check(b"<meta charset=\"big5", None, "UTF-8");
        check(b"<meta charset=big5", None, "UTF-8");
        check(b"<meta charset=big5 ", None, "UTF-8");
        let cut = [b"<meta name=", "x".repeat(PRESCAN_BYTES - 36).as_bytes(), b"><meta charset=iso-8859-15>"].concat();
        assert!(cut[..PRESCAN_BYTES].ends_with(b"iso-8859-1"));
        check(&cut, None, "UTF-8");
        check(b"<?x <meta charset=big5> ?><meta/charset=gbk>", None, "GBK");
    }

    #[test]
    fn an_xml_declaration_counts_where_no_meta_does() {
        check(b"<?xml version='1.0' encoding=\"ISO-2022-JP\"?><html>", None, "ISO-2022-JP");
        check(b"<?xml encoding\t=\0 'EUC-JP'>", None, "EUC-JP");
        check(b"<?xml encoding='EUC-JP'?><meta charset=koi8-r>", None, "KOI8-R");
        check(b"<?xml encoding='EUC-JP'?><meta charset=nonsense>", None, "EUC-JP");
        check(b"<?xml encoding='EUC-JP'?>", Some("latin1"), "windows-1252");
        check(b"<?xml encoding='utf-16'?>", None, "UTF-8");
        check(b"<?xml encoding='x-user-defined'?>", None, "x-user-defined");
        check(b"<\0?\0x\0m\0l\0", None, "UTF-16LE");
        check(b"\0<\0?\0x\0m\0l", None, "UTF-16BE");
        // None of these is one.
        check(b" <?xml encoding='EUC-JP'?>", None, "UTF-8");
        check(b"<?XML encoding='EUC-JP'?>", None, "UTF-8");
        check(b"<?xml encoding='EUC-JP'", None, "UTF-8");
        check(b"<?xml encoding='EUC-JP>'", None, "UTF-8");
        check(b"<?xml encoding=EUC-JP?>", None, "UTF-8");
        check(b"<?xml encoding='EUC-JP ?>", None, "UTF-8");
        check(b"<?xml encoding=' EUC-JP'?>", None, "UTF-8");
        check(b"<?xml?><p encoding='EUC-JP'>", None, "UTF-8");
        check(b"<?xml encoding", None, "UTF-8");
    }

    #[test]
    fn bytes_are_decoded() {
        let text = |source: &[u8], transport| {
            String::from_utf8(decode(source.to_vec(), sniff(source, transport)).bytes).unwrap()
        };
        assert_eq!(text(b"\xEF\xBB\xBFa", None), "a");
        assert_eq!(text(b"<meta charset=latin1>\xE9", None), "<meta charset=latin1>é");
        assert_eq!(text(b"a\xFF", Some("utf-8")), "a\u{fffd}");
        assert_eq!(text("naïve ünïcödé".as_bytes(), None), "naïve ünïcödé");
    }
}
