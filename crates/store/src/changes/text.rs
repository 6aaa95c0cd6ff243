//! Is a text in what changed? And may it be, before the delta is read?
//!
//! Case does not count, and neither does how much white space there is. Where a text was deleted or inserted in several nodes, they
//! are looked through both with blanks between them and without: `<td>1</td><td>2</td>` has `1 2`, `<b>H</b>ello` has `hello`.
//!
//! The written delta is looked through first, because most steps of most pages do not have it and a delta takes a hundred times as
//! long to be read as to be looked through. That may find what is not there, but must find all that is: a text that is
//! cut by markup is followed through it, and where that would take knowledge of what is written there (a reference, an escape,
//! the words of an update) the answer is that it may be.

use memchr::{memchr_iter, memchr2_iter, memchr3, memchr3_iter, memmem};

/// A text that is looked for.
#[derive(Debug, Clone)]
pub(super) struct Needle {
    folded: String,
    /// A part of it, which the written delta is looked through for: from the first letter or digit on, because those are written as
    /// they are everywhere, to what may be text or markup, depending on what is around it.
    letters: Vec<char>,
}

/// More characters than that tell nothing more, and would have to be compared at every place again.
const MOST_LETTERS: usize = 64;

impl Needle {
    /// The text to look for; `None` where it is empty and everywhere.
    pub(super) fn new(text: &str) -> Option<Self> {
        let folded = folded(text);
        let letters = folded.chars().skip_while(|c| !c.is_alphanumeric()).take_while(|c| !matches!(c, '<' | '&' | ']'));
        let letters = letters.take(MOST_LETTERS).collect();
        (!folded.is_empty()).then_some(Needle { folded, letters })
    }

    /// Whether a value has it.
    pub(super) fn is_in(&self, value: &str) -> bool {
        folded(value).contains(&self.folded)
    }

    /// Whether a delta may have it, as it is written.
    pub(super) fn may_be_in(&self, delta: &str) -> bool {
        let Some((&first, (dialect, operations))) = self.letters.first().zip(Dialect::of(delta)) else { return true };
        let bytes = operations.as_bytes();
        let second = self.letters.get(1).copied();
        let may_begin = |at: usize| {
            // Most places end here; a letter of ASCII is itself wherever it is written.
            let next = bytes.get(at + 1).filter(|byte| byte.is_ascii_alphanumeric());
            let is_other =
                next.zip(second).is_some_and(|(next, second)| char::from(next.to_ascii_lowercase()) != second);
            let is_other = is_other && bytes[at].is_ascii();
            !is_other && Side::BOTH.into_iter().any(|side| self.may_begin(&operations[at..], dialect, side))
        };
        match first {
            // Besides their capitals, these two have another letter each that is them in small.
            'i' => memchr3_iter(b'i', b'I', "İ".as_bytes()[0], bytes).any(may_begin),
            'k' => memchr3_iter(b'k', b'K', "\u{212A}".as_bytes()[0], bytes).any(may_begin),
            'a'..='z' => memchr2_iter(first as u8, first.to_ascii_uppercase() as u8, bytes).any(may_begin),
            _ if first.is_ascii() => memchr_iter(first as u8, bytes).any(may_begin),
            _ => bytes.iter().enumerate().filter(|(_, byte)| **byte >= 0xC0).any(|(at, _)| may_begin(at)),
        }
    }

    /// Whether what is written here may be the beginning of it.
    fn may_begin(&self, written: &str, dialect: Dialect, side: Side) -> bool {
        let mut rest = written;
        let mut letters = self.letters.iter().copied().peekable();
        while let Some(&letter) = letters.peek() {
            let behind = match past_markup(rest, letter, dialect, side) {
                Passed::To(behind) => behind,
                Passed::Other => return false,
                Passed::Unclear => return true,
            };
            // A blank is any white space, or where one node ends and the next begins.
            if letter == ' ' && behind.len() < rest.len() {
                letters.next();
                rest = behind;
                continue;
            }
            let Some(next) = behind.chars().next() else { return false };
            let is_other = |folded: char| letters.next().is_some_and(|letter| letter != folded);
            if next.to_lowercase().any(is_other) {
                return false;
            }
            rest = &behind[next.len_utf8()..];
        }
        true
    }
}

/// A text in which case and the amount of white space do not count.
fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            _ if c.is_ascii() && !c.is_ascii_whitespace() => folded.push(c.to_ascii_lowercase()),
            _ if !c.is_whitespace() => folded.extend(c.to_lowercase()),
            _ if !folded.ends_with(' ') => folded.push(' '),
            _ => {}
        }
    }
    folded
}

/// What a delta is of, as far as it is written differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Xml,
    Html,
    Json,
}

impl Dialect {
    /// By the first tag, and what is behind that; `None` where it is not found.
    fn of(delta: &str) -> Option<(Self, &str)> {
        let root = memmem::find(delta.as_bytes(), b"xydelta xmlns")?;
        let end = root + memchr::memchr(b'>', &delta.as_bytes()[root..])?;
        let dialect = match &delta[root..end] {
            // A page whose delta has no prefix is read as XML is: its words are not told from its elements.
            tag if delta[..root].ends_with("<d:") && tag.contains(" format=\"html\"") => Dialect::Html,
            tag if tag.contains("format=\"json\"") => Dialect::Json,
            _ => Dialect::Xml,
        };
        Some((dialect, &delta[end + 1..]))
    }
}

/// Which of the two texts of an update is followed where its words are written.
#[derive(Debug, Clone, Copy)]
enum Side {
    Before,
    After,
}

impl Side {
    const BOTH: [Side; 2] = [Side::Before, Side::After];

    /// How words begin that the other side has.
    fn others(self) -> &'static str {
        match self {
            Side::Before => "<d:i>",
            Side::After => "<d:d>",
        }
    }
}

/// Where a text goes on.
enum Passed<'t> {
    To(&'t str),
    /// With another letter than that which is next.
    Other,
    /// What text is there is not to be seen at once.
    Unclear,
}

/// Where a text of which `letter` is next goes on behind tags, and behind white space that is layout, or that is the letter.
fn past_markup(written: &str, letter: char, dialect: Dialect, side: Side) -> Passed<'_> {
    let mut rest = written;
    loop {
        let trimmed = rest.trim_start();
        let is_layout = rest.len() < written.len() && trimmed.starts_with('<');
        if letter == ' ' || is_layout {
            rest = trimmed;
        }
        rest = match markup(rest, dialect, side) {
            Markup::None => return Passed::To(rest),
            Markup::Unclear => return Passed::Unclear,
            Markup::Character(c) if may_be(c, letter) => return Passed::Unclear,
            Markup::Character(_) if letter == ' ' && rest.len() < written.len() => return Passed::To(rest),
            Markup::Character(_) => return Passed::Other,
            Markup::Ends(behind) => behind,
        };
    }
}

/// What is written at a place, if it is no text.
enum Markup<'t> {
    /// Nothing: it is text.
    None,
    /// A character that is not written as it is.
    Character(char),
    /// What a text may go on behind.
    Ends(&'t str),
    /// What text is there is not to be seen at once.
    Unclear,
}

fn markup(rest: &str, dialect: Dialect, side: Side) -> Markup<'_> {
    let is_json = dialect == Dialect::Json;
    match rest.as_bytes() {
        [b'&', ..] => reference(rest).map_or(Markup::Unclear, Markup::Character),
        [b'\\', ..] | [b'_', b'x', ..] => Markup::Unclear,
        [b'"' | b',' | b':' | b'[' | b']' | b'{' | b'}', ..] if is_json => Markup::Unclear,
        [b']', b']', b'>', ..] => Markup::Ends(&rest["]]>".len()..]),
        [b'<', b'!', b'[', ..] => rest.strip_prefix("<![CDATA[").map_or(Markup::Unclear, Markup::Ends),
        [b'<', b'!', ..] => past(rest, "-->"),
        [b'<', b'?', ..] => past(rest, "?>"),
        [b'<', ..] if dialect == Dialect::Html && rest.starts_with(side.others()) => past_words(rest),
        // Only the deltas of pages have the words of texts.
        [b'<', ..] if dialect == Dialect::Xml && is_words(rest) => Markup::Unclear,
        [b'<', ..] => tag_end(rest.as_bytes()).map_or(Markup::Unclear, |end| Markup::Ends(&rest[end + 1..])),
        _ => Markup::None,
    }
}

fn past<'t>(rest: &'t str, end: &str) -> Markup<'t> {
    memmem::find(rest.as_bytes(), end.as_bytes()).map_or(Markup::Unclear, |at| Markup::Ends(&rest[at + end.len()..]))
}

/// The character that a reference stands for, if it is one of those that deltas are written with.
fn reference(rest: &str) -> Option<char> {
    let (name, _) = rest.get(1..)?.split_once(';')?;
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        _ => char::from_u32(name.strip_prefix('#')?.parse().ok()?),
    }
}

/// Whether a letter may be next where there is a reference to a character.
fn may_be(c: char, letter: char) -> bool {
    letter == c || c.is_whitespace() && letter == ' ' || !c.is_ascii()
}

/// Behind words of an update that one of its texts does not have.
fn past_words(rest: &str) -> Markup<'_> {
    const END: usize = "</d:i>".len();
    let end = memmem::find(rest.as_bytes(), b"</d:").filter(|end| !rest[..*end].contains("<!"));
    end.and_then(|end| rest.get(end + END..)).map_or(Markup::Unclear, Markup::Ends)
}

fn is_words(tag: &str) -> bool {
    let name = tag.strip_prefix("</").or_else(|| tag.strip_prefix('<')).unwrap_or(tag);
    name.starts_with("d>") || name.starts_with("i>")
}

/// Where a tag ends whose values may have a `>` in them.
fn tag_end(tag: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr3(b'"', b'\'', b'>', &tag[at..])?;
        match tag[at] {
            b'>' => return Some(at),
            quote => at += memchr::memchr(quote, &tag[at + 1..])? + 2,
        }
    }
}

#[cfg(test)]
mod tests;
