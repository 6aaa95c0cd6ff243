//! What may a view load and run? Its own script, nothing else; images and the like from where somebody said so.

use std::fmt;

use super::digest::{Digest, base64};

/// Where images, styles and fonts of a page may be loaded from: `https://example.org`, `http://localhost:8080`.
///
/// ```
/// use treediff::render::html::Origin;
///
/// let origin: Origin = "https://Example.org/news/?page=2".parse()?;
/// assert_eq!(origin.to_string(), "https://example.org");
/// assert!("example.org".parse::<Origin>().is_err());
/// # Ok::<(), treediff::render::html::NoOrigin>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin(String);

/// Something is no address with an origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("found `{0}`, expected an address such as `https://example.org`")]
pub struct NoOrigin(String);

impl std::str::FromStr for Origin {
    type Err = NoOrigin;

    /// The origin of an address. What a policy could not name is none: it has no place for a user or for an IPv6 address.
    fn from_str(address: &str) -> Result<Self, NoOrigin> {
        let wrong = || NoOrigin(crate::text::shortened(address, 100));
        let lower = address.trim().to_ascii_lowercase();
        let (scheme, rest) = lower.split_once("://").ok_or_else(wrong)?;
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
        let (host, port) = authority.split_once(':').unwrap_or((authority, "0"));
        let is_host =
            !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte));
        let is_origin = matches!(scheme, "http" | "https") && is_host && port.parse::<u16>().is_ok();
        is_origin.then(|| Origin(format!("{scheme}://{authority}"))).ok_or_else(wrong)
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The Content-Security-Policy of a view, which its frames inherit.
pub fn policy(script: &str, allowed: &[Origin]) -> String {
    let digest = base64(&Digest::new().with(script.as_bytes()).finish());
    let origins: String = allowed.iter().map(|origin| format!(" {origin}")).collect();
    format!(
        "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'{origins}; \
         img-src data:{origins}; media-src data:{origins}; font-src data:{origins}; \
         frame-src 'none'; base-uri 'none'; form-action 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_of_addresses() {
        let check = |address: &str, expected: Option<&str>| {
            let origin = address.parse::<Origin>().ok().map(|origin| origin.to_string());
            assert_eq!(origin.as_deref(), expected, "{address}");
        };
        check("https://example.org", Some("https://example.org"));
        check(" HTTP://localhost:8080/a/b?c#d ", Some("http://localhost:8080"));
        check("https://a_b.example-1.org\\x", Some("https://a_b.example-1.org"));
        for wrong in [
            "",
            "example.org",
            "https://",
            "https:///a",
            "file:///etc/passwd",
            "data:image/png,",
            "javascript://example.org",
            "https://user@example.org",
            "https://example.org:port",
            "https://example.org:",
            "https://*.example.org",
            "https://*",
            "https://a b",
            "https://a;script-src *",
            "https://a 'unsafe-inline'",
            "https://[::1]/",
        ] {
            check(wrong, None);
        }
    }

    #[test]
    fn nothing_is_allowed_that_nobody_named() {
        let strict = policy("alert(1)", &[]);
        assert!(
            strict
                .starts_with("default-src 'none'; script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; ")
        );
        assert!(!strict.contains("http"), "{strict}");
        let open = policy("", &["https://example.org".parse().unwrap()]);
        assert!(open.contains("img-src data: https://example.org;"), "{open}");
        assert!(!open.split("; ").any(|part| part.starts_with("script-src") && part.contains("http")), "{open}");
    }
}
