//! How is a page written that a form gives? `POST https://example.org/search [q=soup]`, as [`Address`] is displayed.

use crate::{Address, Error, Result};

/// The parts of a written address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Written<'t> {
    method: Option<&'t str>,
    /// What is between the method and the body.
    pub(crate) url: &'t str,
    /// As it is escaped, and with the `]` at its end.
    body: Option<&'t str>,
}

impl<'t> Written<'t> {
    pub(crate) fn read(text: &'t str) -> Self {
        let is_method = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase());
        let (method, rest) = match text.split_once(' ') {
            Some((method, rest)) if is_method(method) => (Some(method), rest),
            _ => (None, text),
        };
        // No URL has a space in it.
        let (url, body) = rest.split_once(" [").map_or((rest, None), |(url, body)| (url, Some(body)));
        Written { method, url, body }
    }

    /// The address, if `url` is the URL of it.
    pub(crate) fn address(&self, url: &str) -> Result<Address> {
        match (self.method, self.body) {
            (None, None) => Address::new(url),
            (method, body) => Address::form(url, method.unwrap_or("GET"), body.map(read_body).transpose()?),
        }
    }
}

fn read_body(text: &str) -> Result<Vec<u8>> {
    let unclosed = || Error::Invalid(format!("`[{text}` is no body of a form: expected `]` at its end"));
    unescaped(text.strip_suffix(']').ok_or_else(unclosed)?)
}

/// The bytes that `escape_ascii` writes like this.
fn unescaped(text: &str) -> Result<Vec<u8>> {
    let wrong = || Error::Invalid(format!("`{text}` is no body of a form: expected \\xNN or \\\\ behind a backslash"));
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, behind @ ..] = rest {
        let (byte, left) = match (first, behind) {
            (b'\\', [b'x', high, low, left @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).ok_or_else(wrong);
                ((digit(high)? * 16 + digit(low)?) as u8, left)
            }
            (b'\\', [b'n', left @ ..]) => (b'\n', left),
            (b'\\', [b'r', left @ ..]) => (b'\r', left),
            (b'\\', [b't', left @ ..]) => (b'\t', left),
            (b'\\', [byte @ (b'\\' | b'\'' | b'"'), left @ ..]) => (*byte, left),
            (b'\\', _) => return Err(wrong()),
            (byte, left) => (*byte, left),
        };
        bytes.push(byte);
        rest = left;
    }
    Ok(bytes)
}

impl std::str::FromStr for Address {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let written = Written::read(text);
        written.address(written.url)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn forms_are_read() {
        let check = |text: &str, method: &str, url: &str, body: Option<&[u8]>| {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.method(), address.url(), address.body()), (method, url, body), "{text}");
        };
        check("https://a.example/", "GET", "https://a.example/", None);
        check("POST https://a.example/", "POST", "https://a.example/", None);
        check("POST https://a.example/b [c=d]", "POST", "https://a.example/b", Some(b"c=d"));
        check("POST https://a.example/b []", "POST", "https://a.example/b", Some(b""));
        check("POST https://a.example/b [a [\\x00]\\\\é]", "POST", "https://a.example/b", Some(b"a [\0]\\\xC3\xA9"));
        check("GET https://a.example/b [c]", "GET", "https://a.example/b", Some(b"c"));
        for wrong in [
            "POST",
            "POST ",
            "post https://a.example/",
            "POST https://a.example/ [\\x0]",
            "POST https://a.example/ [\\q]",
            "POST https://a.example/ [a=1",
            "POST https://a.example/ [",
            "https://a.example/ [a=1] ",
        ] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(method in "[A-Za-z]{1,32}", body in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..20))) {
            let address = Address::form("https://a.example/b?c", &method, body).unwrap();
            prop_assert_eq!(address.to_string().parse::<Address>().unwrap(), address);
        }
    }
}
