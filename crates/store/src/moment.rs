//! Which version of which page is meant? `URL`, or `URL@7`, `URL@-1`, `URL@2026-11-01T12:00`, `URL@seen`.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::form::Written;
use crate::{Address, Error, Result, time};

/// Which version of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// The latest.
    Latest,
    /// The one with this number.
    Number(u32),
    /// So many before the latest.
    Back(u32),
    /// The one that was in force at this time.
    At(Timestamp),
    /// The one that the reader has seen.
    Seen,
}

impl Moment {
    /// The moment that a text reads as; nothing where it is no moment at all, an error where it is one that cannot be.
    fn read(text: &str) -> Option<Result<Self>> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        match text {
            "latest" => Some(Ok(Moment::Latest)),
            "seen" => Some(Ok(Moment::Seen)),
            _ if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                Some(Self::counted(text, digits))
            }
            _ if looks_like_time(text) => Some(time(text).map(Moment::At).map_err(|_| none(text))),
            _ => None,
        }
    }

    fn counted(text: &str, digits: &str) -> Result<Self> {
        let count =
            digits.parse().map_err(|_| Error::Invalid(format!("`@{text}` is more than a page can have versions")))?;
        match count {
            0 if text == digits => Err(Error::Invalid("`@0` is no version: they are counted from 1".into())),
            0 => Ok(Moment::Latest),
            _ if text == digits => Ok(Moment::Number(count)),
            _ => Ok(Moment::Back(count)),
        }
    }
}

/// Whether it begins like a date.
fn looks_like_time(text: &str) -> bool {
    let shape = text.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
    shape.take(8).eq(*b"0000-00-")
}

impl FromStr for Moment {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Moment::read(text).unwrap_or_else(|| Err(none(text)))
    }
}

fn none(text: &str) -> Error {
    Error::NoMoment { moment: text.to_owned(), address: None }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Latest => f.write_str("latest"),
            Moment::Number(number) => write!(f, "{number}"),
            Moment::Back(count) => write!(f, "-{count}"),
            Moment::At(time) => write!(f, "{time}"),
            Moment::Seen => f.write_str("seen"),
        }
    }
}

/// A page at a moment.
///
/// What follows the last `@` is the moment, if it reads as one; otherwise it belongs to the URL, and the latest version is
/// meant. Some addresses end like that of their own accord, such as `https://example.org/@7`: see [`PageAt::verbatim`].
///
/// ```
/// use store::{Moment, PageAt};
///
/// let page: PageAt = "https://example.org/menu@-1".parse()?;
/// assert_eq!(page.address.url(), "https://example.org/menu");
/// assert_eq!(page.moment, Moment::Back(1));
/// # Ok::<(), store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAt {
    /// The page.
    pub address: Address,
    /// The moment.
    pub moment: Moment,
}

impl PageAt {
    /// Whether an argument is a page rather than a file: it has a scheme and `://`.
    pub fn is_meant_by(argument: &str) -> bool {
        let Some((scheme, _)) = Written::read(argument).url.split_once("://") else { return false };
        let is_of_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
        scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(is_of_scheme)
    }

    /// The address that the whole text is, moment and all: where that was recorded, it is what is meant. A `#` before
    /// the moment, as in `https://example.org/page#@7`, says that it is not.
    pub fn verbatim(text: &str) -> Option<Address> {
        let (before, _) = split(Written::read(text).url)?;
        if before.contains('#') { None } else { text.parse().ok() }
    }
}

/// What is before the last `@`, and the moment behind it.
fn split(text: &str) -> Option<(&str, Result<Moment>)> {
    let (before, behind) = text.rsplit_once('@')?;
    // `https://@7` has nothing in front that could be a page.
    let is_page = before.split_once("://").is_some_and(|(_, rest)| !rest.is_empty());
    is_page.then(|| Moment::read(behind)).flatten().map(|moment| (before, moment))
}

impl FromStr for PageAt {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let written = Written::read(text);
        let (url, moment) = split(written.url).unwrap_or((written.url, Ok(Moment::Latest)));
        Ok(PageAt { address: written.address(url)?, moment: moment? })
    }
}

/// The moment is left out where it is the latest, and the URL does not end like one itself.
impl fmt::Display for PageAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.moment {
            Moment::Latest if split(self.address.url()).is_none() => write!(f, "{}", self.address),
            moment => self.address.write(&format_args!("@{moment}"), f),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(text: &str) -> Moment {
        Moment::At(time(text).unwrap())
    }

    #[test]
    fn pages_are_read() {
        let check = |text: &str, url: &str, moment: Moment| {
            let page: PageAt = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!((page.address.url(), page.moment), (url, moment), "{text}");
        };
        check("https://a.example/b", "https://a.example/b", Moment::Latest);
        check("https://a.example/b@latest", "https://a.example/b", Moment::Latest);
        check("https://a.example/b@-0", "https://a.example/b", Moment::Latest);
        check("https://a.example/b@7", "https://a.example/b", Moment::Number(7));
        check("https://a.example/b@-2", "https://a.example/b", Moment::Back(2));
        check("https://a.example/b@seen", "https://a.example/b", Moment::Seen);
        check("https://a.example/b?c=d@7", "https://a.example/b?c=d", Moment::Number(7));
        check("https://a.example/b#c@7", "https://a.example/b", Moment::Number(7));
        check("https://a.example/b#@7", "https://a.example/b", Moment::Number(7));
        check("https://a.example/b/@7", "https://a.example/b/", Moment::Number(7));
        check("https://a.example@7", "https://a.example/", Moment::Number(7));
        check("https://a.example/@7@3", "https://a.example/@7", Moment::Number(3));
        check("https://a.example/b@2026-11-01", "https://a.example/b", at("2026-11-01"));
        check("https://a.example/b@2026-11-01T12:00", "https://a.example/b", at("2026-11-01T12:00"));
        check("https://a.example/b@2026-11-01T12:00+01:00", "https://a.example/b", at("2026-11-01T11:00"));
        // What does not read as a moment belongs to the URL.
        check("https://me@a.example/", "https://me@a.example/", Moment::Latest);
        check("https://me@a.example", "https://me@a.example/", Moment::Latest);
        check("https://me:1@a.example/b@2", "https://me:1@a.example/b", Moment::Number(2));
        check("https://a.example/@me", "https://a.example/@me", Moment::Latest);
        check("https://a.example/me@a.example", "https://a.example/me@a.example", Moment::Latest);
        check("https://a.example/b@", "https://a.example/b@", Moment::Latest);
        check("https://a.example/b@7/c", "https://a.example/b@7/c", Moment::Latest);
        check("https://a.example/b@1.2", "https://a.example/b@1.2", Moment::Latest);
        check("https://a.example/b@Latest", "https://a.example/b@Latest", Moment::Latest);
        check("https://a.example/b@--1", "https://a.example/b@--1", Moment::Latest);
        // Forms have it behind the URL as well.
        check("POST https://a.example/b@7 [c@8]", "https://a.example/b", Moment::Number(7));
        check("POST https://a.example/b [c@8]", "https://a.example/b", Moment::Latest);
    }

    #[test]
    fn pages_that_cannot_be_say_why() {
        let check = |text: &str, expected: &str| {
            assert_eq!(text.parse::<PageAt>().unwrap_err().to_string(), expected, "{text}");
        };
        check("https://a.example/b@0", "`@0` is no version: they are counted from 1");
        check("https://a.example/b@99999999999", "`@99999999999` is more than a page can have versions");
        let expected = "expected `@7`, `@-1`, `@latest`, `@seen` or a time such as `@2026-11-01T12:00`";
        check("https://a.example/b@2026-11-31", &format!("`@2026-11-31` is no version and no time: {expected}"));
        check("menu.html", "`menu.html` is no address of a page: expected something like https://example.org/page");
        assert!("@7".parse::<PageAt>().is_err());
        let error = "7th".parse::<Moment>().unwrap_err().to_string();
        assert_eq!(error, format!("`@7th` is no version and no time: {expected}"));
    }

    #[test]
    fn addresses_that_end_like_a_moment_can_be_meant() {
        let check = |text: &str, expected: Option<&str>| {
            let verbatim = PageAt::verbatim(text);
            assert_eq!(verbatim.as_ref().map(Address::url), expected, "{text}");
        };
        check("https://a.example/@7", Some("https://a.example/@7"));
        check("https://a.example/b@latest", Some("https://a.example/b@latest"));
        check("https://a.example/b#@7", None);
        check("https://a.example/b", None);
    }

    #[test]
    fn pages_are_told_from_files() {
        for page in ["https://a.example", "http://a@7", "x+y-z.1://", "FILE:///a", "POST http://a [b]"] {
            assert!(PageAt::is_meant_by(page), "{page}");
        }
        for file in ["a.html", "-", "C:\\a", "://a", "1a://b", "a b://c", "./http://a", "mailto:a", "http:/a", ""] {
            assert!(!PageAt::is_meant_by(file), "{file}");
        }
    }

    fn moments() -> impl Strategy<Value = Moment> {
        const YEARS: std::ops::Range<i64> = 0..4_000_000_000_000_000;
        prop_oneof![
            Just(Moment::Latest),
            Just(Moment::Seen),
            (1..=u32::MAX).prop_map(Moment::Number),
            (1..=u32::MAX).prop_map(Moment::Back),
            YEARS.prop_map(|microsecond| Moment::At(Timestamp::from_microsecond(microsecond).unwrap())),
        ]
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(url in "https?://([a-z]{1,5}@)?[a-z]{1,9}(/[a-z@/0-9-]{0,9})?(\\?[a-z@=0-9]{0,9})?", moment in moments(), is_form: bool) {
            let address = if is_form { Address::form(&url, "POST", Some(b"a@7".to_vec())) } else { Address::new(&url) };
            let Ok(address) = address else { return Ok(()) };
            let page = PageAt { address, moment };
            prop_assert_eq!(page.to_string().parse::<PageAt>().unwrap(), page);
        }

        #[test]
        fn no_text_is_too_odd(text in "(https?://)?[a-z@:/?#0-9T+.é-]{0,30}") {
            if let Ok(page) = text.parse::<PageAt>() {
                prop_assert_eq!(page.to_string().parse::<PageAt>().unwrap(), page);
            }
        }
    }
}
