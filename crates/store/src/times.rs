//! When? Times as people write them, and how long ago something was.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, Zoned};

use crate::{Error, Result};

/// A time such as `2026-11-01T12:00`, `2026-11-01 12:00+01:00`, `2026-11-01T12:00[Europe/Paris]` or `2026-11-01`, the
/// beginning of that day. Where no zone is named it is UTC, so that the same words mean the same version everywhere.
///
/// ```
/// let time = store::time("2026-11-01T12:00+01:00")?;
/// assert_eq!(time, store::time("2026-11-01 11:00")?);
/// # Ok::<(), store::Error>(())
/// ```
pub fn time(text: &str) -> Result<Timestamp> {
    let zoned = || text.parse::<Zoned>().ok().map(|zoned| zoned.timestamp());
    let found = text.parse().ok().or_else(zoned).or_else(|| in_utc(text));
    found.ok_or_else(|| Error::Invalid(format!("`{text}` is no time: expected one such as 2026-11-01T12:00")))
}

/// A time without a zone. A zone that could not be read must not be read over.
fn in_utc(text: &str) -> Option<Timestamp> {
    let names_none = |c: char| c.is_ascii_digit() || matches!(c, 'T' | 't' | ' ' | '-' | ':' | '.');
    let (_, behind_date) = text.split_at_checked("2026-11-01".len())?;
    if !text.chars().all(names_none) || behind_date.contains('-') {
        return None;
    }
    text.parse::<DateTime>().ok()?.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

/// A time, or how long before `now` it was: `7d`, `2 weeks`, `90 days ago`, `1h 30m` (`m` are minutes, `mo` months).
///
/// ```
/// let now = store::time("2026-11-15T12:00")?;
/// assert_eq!(store::since("2 weeks", now)?, store::time("2026-11-01T12:00")?);
/// # Ok::<(), store::Error>(())
/// ```
pub fn since(text: &str, now: Timestamp) -> Result<Timestamp> {
    let Ok(span) = text.trim().parse::<Span>() else {
        let hint = "expected a time such as 2026-11-01T12:00, or how long ago it was, such as 7d or 2 weeks";
        return time(text).map_err(|_| Error::Invalid(format!("`{text}` is no time: {hint}")));
    };
    let before = now.to_zoned(TimeZone::UTC).checked_sub(span.abs());
    let before =
        before.map_err(|_| Error::Invalid(format!("`{text}` ago is before the first year that has a number")))?;
    Ok(before.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_utc_unless_they_say_otherwise() {
        for (text, expected) in [
            ("2026-11-01T12:00", "2026-11-01T12:00:00Z"),
            ("2026-11-01T12:00:30.25", "2026-11-01T12:00:30.25Z"),
            ("2026-11-01 12:00", "2026-11-01T12:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
            ("2026-11-01T12:00Z", "2026-11-01T12:00:00Z"),
            ("2026-11-01T12:00:00+01:00", "2026-11-01T11:00:00Z"),
            ("2026-11-01T12:00-05:00", "2026-11-01T17:00:00Z"),
            ("2026-11-01T12:00[Europe/Paris]", "2026-11-01T11:00:00Z"),
        ] {
            assert_eq!(time(text).unwrap().to_string(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_time_says_so() {
        for text in [
            "",
            "now",
            "7",
            "2026",
            "2026-11",
            "2026-13-01",
            "2026-02-30",
            "2026-11-01T25:00",
            "2026-11-01T12:00[Europe/Nowhere]",
            "2026-11-01T12:00-99:00",
            "2026-11-01T12:00+1x",
            "٢٠٢٦-١١-٠١",
        ] {
            assert!(time(text).unwrap_err().to_string().contains("is no time: expected"), "{text}");
        }
    }

    #[test]
    fn spans_lead_into_the_past() {
        let now = time("2026-11-15T12:00").unwrap();
        for (text, expected) in [
            ("7d", "2026-11-08T12:00:00Z"),
            ("90d", "2026-08-17T12:00:00Z"),
            ("2 weeks", "2026-11-01T12:00:00Z"),
            ("2 weeks ago", "2026-11-01T12:00:00Z"),
            ("1h 30m", "2026-11-15T10:30:00Z"),
            ("1mo", "2026-10-15T12:00:00Z"),
            ("P1D", "2026-11-14T12:00:00Z"),
            ("0s", "2026-11-15T12:00:00Z"),
            ("2026-11-01", "2026-11-01T00:00:00Z"),
        ] {
            assert_eq!(since(text, now).unwrap().to_string(), expected, "{text}");
        }
        for text in ["", "soon", "7", "d", "15000 years", "99999999999999999999d"] {
            assert!(matches!(since(text, now), Err(Error::Invalid(_))), "{text}");
        }
    }
}
