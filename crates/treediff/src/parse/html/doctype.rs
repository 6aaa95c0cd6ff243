//! Does the page ask for the ways of old browsers? The doctype, and the mode that it chooses.

use std::ops::Range;

use super::problems::{Problem, Problems};

/// How the page is read; it matters for tables in paragraphs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Standards,
    LimitedQuirks,
    Quirks,
}

/// A doctype token.
#[derive(Debug, Clone, Copy)]
pub(super) struct Doctype {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) mode: Mode,
}

/// Reads the doctype whose `<!DOCTYPE` stands at `start`.
pub(super) fn read(source: &str, start: usize, problems: &mut Problems) -> Doctype {
    let mut reader = Reader { source: source.as_bytes(), at: start + "<!doctype".len(), force_quirks: false };
    let declared = reader.declared();
    if reader.force_quirks {
        problems.token(start, "invalid-doctype");
    }
    let end = reader.at;
    let name = &source[declared.name];
    let public = declared.public.map(|range| &source[range]);
    let system = declared.system.map(|range| &source[range]);
    if !name.eq_ignore_ascii_case("html") || public.is_some() || !matches!(system, None | Some("about:legacy-compat")) {
        problems.note(start, Problem::QuirkyDoctype);
    }
    let mode = if reader.force_quirks { Mode::Quirks } else { mode(name, public, system) };
    Doctype { start: start as u32, end: end as u32, mode }
}

/// What a doctype declares, as ranges of the source.
#[derive(Default)]
struct Declared {
    name: Range<usize>,
    public: Option<Range<usize>>,
    system: Option<Range<usize>>,
}

struct Reader<'s> {
    source: &'s [u8],
    at: usize,
    force_quirks: bool,
}

impl Reader<'_> {
    /// Reads on to behind the `>`.
    fn declared(&mut self) -> Declared {
        let mut declared = Declared::default();
        if !matches!(self.skip_blanks(), None | Some(b'>')) {
            declared.name = self.word();
        } else {
            self.force_quirks = true;
        }
        let keyword = self.keyword();
        match keyword {
            Keyword::Public => {
                declared.public = self.identifier();
                if declared.public.is_some() && matches!(self.skip_blanks(), Some(b'"' | b'\'')) {
                    declared.system = self.identifier();
                }
            }
            Keyword::System => declared.system = self.identifier(),
            Keyword::Other => self.force_quirks = true,
            Keyword::None => {}
        }
        self.finish();
        declared
    }

    fn skip_blanks(&mut self) -> Option<u8> {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        self.peek()
    }

    fn peek(&self) -> Option<u8> {
        self.source.get(self.at).copied()
    }

    fn word(&mut self) -> Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte != b'>' && !byte.is_ascii_whitespace()) {
            self.at += 1;
        }
        start..self.at
    }

    fn keyword(&mut self) -> Keyword {
        if matches!(self.skip_blanks(), None | Some(b'>')) {
            return Keyword::None;
        }
        let word = self.source.get(self.at..self.at + 6).unwrap_or_default();
        let keyword = match word {
            _ if word.eq_ignore_ascii_case(b"public") => Keyword::Public,
            _ if word.eq_ignore_ascii_case(b"system") => Keyword::System,
            _ => return Keyword::Other,
        };
        self.at += 6;
        keyword
    }

    /// A quoted identifier; a `>` within ends the doctype and makes it a bad one.
    fn identifier(&mut self) -> Option<Range<usize>> {
        let Some(quote @ (b'"' | b'\'')) = self.skip_blanks() else {
            self.force_quirks = true;
            return None;
        };
        let start = self.at + 1;
        let len = memchr::memchr2(quote, b'>', &self.source[start..]).unwrap_or(self.source.len() - start);
        self.at = start + len;
        if self.peek() == Some(quote) {
            self.at += 1;
        } else {
            self.force_quirks = true;
        }
        Some(start..start + len)
    }

    fn finish(&mut self) {
        match memchr::memchr(b'>', &self.source[self.at..]) {
            Some(found) => self.at += found + 1,
            None => {
                self.at = self.source.len();
                self.force_quirks = true;
            }
        }
    }
}

enum Keyword {
    Public,
    System,
    Other,
    None,
}

fn mode(name: &str, public: Option<&str>, system: Option<&str>) -> Mode {
    let starts = |start: &&str| public.is_some_and(|public| starts_with_ignoring_case(public, start));
    let is_public = |whole: &&str| public.is_some_and(|public| public.eq_ignore_ascii_case(whole));
    let is_ibm = system.is_some_and(|system| system.eq_ignore_ascii_case(QUIRKY_SYSTEM));
    if !name.eq_ignore_ascii_case("html") || is_ibm || QUIRKY.iter().any(is_public) || QUIRKY_STARTS.iter().any(starts)
    {
        return Mode::Quirks;
    }
    if HTML_401_STARTS.iter().any(starts) {
        return if system.is_none() { Mode::Quirks } else { Mode::LimitedQuirks };
    }
    if LIMITED_STARTS.iter().any(starts) { Mode::LimitedQuirks } else { Mode::Standards }
}

fn starts_with_ignoring_case(text: &str, start: &str) -> bool {
    text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
}

const QUIRKY_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";
const QUIRKY: [&str; 3] = ["-//W3O//DTD W3 HTML Strict 3.0//EN//", "-/W3C/DTD HTML 4.0 Transitional/EN", "HTML"];
const HTML_401_STARTS: [&str; 2] = ["-//W3C//DTD HTML 4.01 Frameset//", "-//W3C//DTD HTML 4.01 Transitional//"];
const LIMITED_STARTS: [&str; 2] = ["-//W3C//DTD XHTML 1.0 Frameset//", "-//W3C//DTD XHTML 1.0 Transitional//"];
const QUIRKY_STARTS: [&str; 55] = [
    "+//Silmaril//dtd html Pro v0r11 19970101//",
    "-//AS//DTD HTML 3.0 asWedit + extensions//",
    "-//AdvaSoft Ltd//DTD HTML 3.0 asWedit + extensions//",
    "-//IETF//DTD HTML 2.0 Level 1//",
    "-//IETF//DTD HTML 2.0 Level 2//",
    "-//IETF//DTD HTML 2.0 Strict Level 1//",
    "-//IETF//DTD HTML 2.0 Strict Level 2//",
    "-//IETF//DTD HTML 2.0 Strict//",
    "-//IETF//DTD HTML 2.0//",
    "-//IETF//DTD HTML 2.1E//",
    "-//IETF//DTD HTML 3.0//",
    "-//IETF//DTD HTML 3.2 Final//",
    "-//IETF//DTD HTML 3.2//",
    "-//IETF//DTD HTML 3//",
    "-//IETF//DTD HTML Level 0//",
    "-//IETF//DTD HTML Level 1//",
    "-//IETF//DTD HTML Level 2//",
    "-//IETF//DTD HTML Level 3//",
    "-//IETF//DTD HTML Strict Level 0//",
    "-//IETF//DTD HTML Strict Level 1//",
    "-//IETF//DTD HTML Strict Level 2//",
    "-//IETF//DTD HTML Strict Level 3//",
    "-//IETF//DTD HTML Strict//",
    "-//IETF//DTD HTML//",
    "-//Metrius//DTD Metrius Presentational//",
    "-//Microsoft//DTD Internet Explorer 2.0 HTML Strict//",
    "-//Microsoft//DTD Internet Explorer 2.0 HTML//",
    "-//Microsoft//DTD Internet Explorer 2.0 Tables//",
    "-//Microsoft//DTD Internet Explorer 3.0 HTML Strict//",
    "-//Microsoft//DTD Internet Explorer 3.0 HTML//",
    "-//Microsoft//DTD Internet Explorer 3.0 Tables//",
    "-//Netscape Comm. Corp.//DTD HTML//",
    "-//Netscape Comm. Corp.//DTD Strict HTML//",
    "-//O'Reilly and Associates//DTD HTML 2.0//",
    "-//O'Reilly and Associates//DTD HTML Extended 1.0//",
    "-//O'Reilly and Associates//DTD HTML Extended Relaxed 1.0//",
    "-//SQ//DTD HTML 2.0 HoTMetaL + extensions//",
    "-//SoftQuad Software//DTD HoTMetaL PRO 6.0::19990601::extensions to HTML 4.0//",
    "-//SoftQuad//DTD HoTMetaL PRO 4.0::19971010::extensions to HTML 4.0//",
    "-//Spyglass//DTD HTML 2.0 Extended//",
    "-//Sun Microsystems Corp.//DTD HotJava HTML//",
    "-//Sun Microsystems Corp.//DTD HotJava Strict HTML//",
    "-//W3C//DTD HTML 3 1995-03-24//",
    "-//W3C//DTD HTML 3.2 Draft//",
    "-//W3C//DTD HTML 3.2 Final//",
    "-//W3C//DTD HTML 3.2//",
    "-//W3C//DTD HTML 3.2S Draft//",
    "-//W3C//DTD HTML 4.0 Frameset//",
    "-//W3C//DTD HTML 4.0 Transitional//",
    "-//W3C//DTD HTML Experimental 19960712//",
    "-//W3C//DTD HTML Experimental 970421//",
    "-//W3C//DTD W3 HTML//",
    "-//W3O//DTD W3 HTML 3.0//",
    "-//WebTechs//DTD Mozilla HTML 2.0//",
    "-//WebTechs//DTD Mozilla HTML//",
];
