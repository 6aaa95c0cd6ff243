//! What has a history? A [`Page`], known by its [`Address`].

use std::fmt;

use url::Url;

use crate::{Error, Result};

/// The number of a page in one store.
pub(crate) type PageId = i64;

/// Where a page is: a URL, with the method and body of a form where it is one.
///
/// ```
/// use store::Address;
///
/// let address = Address::new("HTTP://Example.org:80/menu?day=1#soup")?;
/// assert_eq!(address.url(), "http://example.org/menu?day=1");
/// # Ok::<(), store::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    url: String,
    method: String,
    body: Option<Vec<u8>>,
}

impl Address {
    /// The most bytes of a URL or a body.
    pub const MOST_BYTES: usize = 1 << 20;

    /// The page at a URL, whose fragment is left out.
    pub fn new(url: &str) -> Result<Self> {
        let invalid = |why: &str| Error::Invalid(format!("`{url}` is no address of a page: {why}"));
        if url.len() > Self::MOST_BYTES {
            return Err(Error::TooLarge { what: "a URL".into(), limit: Self::MOST_BYTES as u64 });
        }
        let mut parsed = Url::parse(url).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => invalid("expected something like https://example.org/page"),
            error => invalid(&error.to_string()),
        })?;
        parsed.set_fragment(None);
        Ok(Address { url: parsed.into(), method: "GET".into(), body: None })
    }

    /// The page that a form gives when it is sent by `method` with `body`.
    pub fn form(url: &str, method: &str, body: Option<Vec<u8>>) -> Result<Self> {
        if method.is_empty() || method.len() > 32 || !method.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            return Err(Error::Invalid(format!("`{method}` is no HTTP method: expected one such as POST")));
        }
        if body.as_ref().is_some_and(|body| body.len() > Self::MOST_BYTES) {
            return Err(Error::TooLarge { what: "the body of a form".into(), limit: Self::MOST_BYTES as u64 });
        }
        Ok(Address { method: method.to_ascii_uppercase(), body, ..Address::new(url)? })
    }

    /// The URL, in its normal form and without a fragment.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The HTTP method, such as `GET`.
    pub fn method(&self) -> &str {
        &self.method
    }

    /// What a form sends.
    pub fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// What tells pages apart, in 16 bytes.
    pub(crate) fn key(&self) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new();
        for part in [self.method.as_bytes(), self.url.as_bytes(), self.body.as_deref().unwrap_or_default()] {
            hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
        }
        hasher.update(&[u8::from(self.body.is_some())]);
        let mut key = [0; 16];
        hasher.finalize_xof().fill(&mut key);
        key
    }

    /// The same form at another URL.
    pub(crate) fn at_url(&self, url: &str) -> Result<Self> {
        Ok(Address { url: Address::new(url)?.url, ..self.clone() })
    }

    /// An address as it was stored.
    pub(crate) fn stored(url: String, method: String, body: Option<Vec<u8>>) -> Self {
        Address { url, method, body }
    }
}

impl Address {
    /// Writes it with something behind the URL.
    pub(crate) fn write(&self, behind_url: &dyn fmt::Display, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.method != "GET" {
            write!(f, "{} ", self.method)?;
        }
        write!(f, "{}{behind_url}", self.url)?;
        match &self.body {
            Some(body) => write!(f, " [{}]", body.escape_ascii()),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&"", f)
    }
}

/// A page that was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    pub(crate) id: PageId,
    /// Where it is.
    pub address: Address,
    /// The address that it says it should be known by.
    pub canonical: Option<String>,
    /// The number of its latest version; 0 where every check has failed so far.
    pub latest: u32,
}
