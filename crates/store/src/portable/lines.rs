//! What stands in the lines of an archive?

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::kept::Kept;
use crate::record::visits::Visits;
use crate::{Address, Details, Error, Page, Result, Version};

/// What is known of the archive: its first entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Head {
    /// Always [`Head::FORMAT`].
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) pages: u64,
    pub(super) versions: u64,
    pub(super) contents: u64,
    pub(super) readers: u64,
}

impl Head {
    pub(super) const FORMAT: &'static str = "deltaic archive";
    pub(super) const VERSION: u32 = 1;
}

/// A line of a page: the page itself, then its versions, then its visits, each in their order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    Page(PageLine),
    Version(VersionLine),
    Visits(VisitsLine),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PageLine {
    pub(super) url: String,
    pub(super) method: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) canonical: Option<String>,
}

/// What a form sends: text, or bytes where it is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Body {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VersionLine {
    pub(super) number: u32,
    pub(super) time: Time,
    pub(super) hash: String,
    pub(super) status: u16,
    pub(super) details: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VisitsLine {
    pub(super) number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trouble: Option<String>,
    pub(super) time: Time,
    /// Milliseconds from each check to the next.
    pub(super) gaps: Vec<u64>,
}

/// A break: the identities of the version that it leads to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Break {
    pub(super) next: u64,
    pub(super) xids: String,
}

/// A line of a reader.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum ReaderLine {
    Seen { page: String, number: u32, time: Time },
    Bookmark { page: String, number: u32, saved: bool, note: String, time: Time },
}

/// A time to the millisecond, such as `2026-11-01T12:00:00Z`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(super) struct Time(pub(super) Timestamp);

impl TryFrom<String> for Time {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let time: Option<Timestamp> = text.parse().ok();
        let is_normal = |time: &Timestamp| time.to_string() == text && time.subsec_nanosecond() % 1_000_000 == 0;
        time.filter(is_normal).map(Time).ok_or_else(|| format!("`{text}` is no time as 2026-11-01T12:00:00Z is one"))
    }
}

impl From<Time> for String {
    fn from(time: Time) -> Self {
        time.0.to_string()
    }
}

/// A line as bytes, with its end.
pub(super) fn write(out: &mut Vec<u8>, line: &impl Serialize) -> Result<()> {
    serde_json::to_writer(&mut *out, line).map_err(|error| Error::Invalid(error.to_string()))?;
    out.push(b'\n');
    Ok(())
}

/// What is known of a page but its contents and steps.
pub(super) fn of_page(page: &Page, kept: &Kept) -> Result<Vec<Line>> {
    let canonical = page.canonical.clone().filter(|_| !kept.versions.is_empty());
    let mut lines = vec![Line::Page(PageLine { canonical, ..PageLine::of(page) })];
    for version in &kept.versions {
        lines.push(Line::Version(VersionLine::of(version)?));
    }
    for visits in &kept.visits {
        let damaged = || Error::damaged(format!("the checks of `{}`", page.address), "they are out of order");
        lines.push(Line::Visits(VisitsLine::of(visits).ok_or_else(damaged)?));
    }
    Ok(lines)
}

impl PageLine {
    fn of(page: &Page) -> Self {
        let address = &page.address;
        let (url, method) = (address.url().to_owned(), address.method().to_owned());
        PageLine { url, method, body: address.body().map(Body::of), canonical: page.canonical.clone() }
    }

    /// The address, which is written in its normal form or there is an error.
    pub(super) fn address(&self) -> Result<Address> {
        let address = Address::form(&self.url, &self.method, self.body.clone().map(Body::into_bytes))?;
        let is_normal =
            address.url() == self.url && address.method() == self.method && address.body().map(Body::of) == self.body;
        if is_normal {
            Ok(address)
        } else {
            Err(Error::Invalid(format!("`{}` is not written in its normal form, which is `{address}`", self.url)))
        }
    }
}

impl Body {
    fn of(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Body::Text(text.to_owned()),
            Err(_) => Body::Bytes(bytes.to_owned()),
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        match self {
            Body::Text(text) => text.into_bytes(),
            Body::Bytes(bytes) => bytes,
        }
    }
}

impl VersionLine {
    fn of(version: &Version) -> Result<Self> {
        let &Version { number, time, hash, status, ref details, .. } = version;
        let details = serde_json::to_value(details).map_err(|error| Error::Invalid(error.to_string()))?;
        Ok(VersionLine { number, time: Time(time), hash: hash.to_hex().to_string(), status, details })
    }

    /// The details, as they are stored and without anything beside them.
    pub(super) fn details(&self) -> Option<String> {
        let details: Details = serde_json::from_value(self.details.clone()).ok()?;
        let is_all = serde_json::to_value(&details).is_ok_and(|value| value == self.details);
        let text = serde_json::to_string(&details).ok()?;
        is_all.then_some(text)
    }
}

impl VisitsLine {
    fn of(visits: &Visits) -> Option<Self> {
        let Visits { number, trouble, times } = visits;
        let gap = |pair: &[Timestamp]| u64::try_from(crate::milliseconds(pair[1]) - crate::milliseconds(pair[0])).ok();
        let gaps = times.windows(2).map(gap).collect::<Option<Vec<_>>>()?;
        Some(VisitsLine { number: *number, trouble: trouble.clone(), time: Time(*times.first()?), gaps })
    }

    /// The checks; none where they lead beyond all times.
    pub(super) fn visits(&self) -> Option<Visits> {
        let mut time = crate::milliseconds(self.time.0);
        let mut times = vec![self.time.0];
        for &gap in &self.gaps {
            time = time.checked_add_unsigned(gap)?;
            times.push(crate::time_of(time).ok()?);
        }
        Some(Visits { number: self.number, trouble: self.trouble.clone(), times })
    }
}
