//! What may a view load and run? Its own script, nothing else; images and the like from where somebody said so.

use super::digest::{Digest, base64};
use super::safe::Origin;

/// What a policy knows a script by.
pub fn digest(script: &str) -> String {
    base64(&Digest::new().with(script.as_bytes()).finish())
}

/// The Content-Security-Policy of a view, which its frames inherit, by the digest of its script. Fonts of strangers are loaded from
/// nowhere: one whose letters are all empty would hide the words of a page.
pub fn policy(digest: &str, allowed: &[Origin]) -> String {
    let origins: String = allowed.iter().map(|origin| format!(" {origin}")).collect();
    format!(
        "default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'{origins}; \
         img-src data:{origins}; media-src data:{origins}; font-src 'none'; \
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
        check("https://user:word@example.org:443", Some("https://example.org"));
        for wrong in [
            "",
            "example.org",
            "https://",
            "file:///etc/passwd",
            "ftp://example.org",
            "data:image/png,",
            "javascript://example.org",
            "https://example.org:port",
            "https://é.example.org",
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
        let strict = policy(&digest("alert(1)"), &[]);
        assert!(
            strict
                .starts_with("default-src 'none'; script-src 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='; ")
        );
        assert!(!strict.contains("http"), "{strict}");
        let open = policy(&digest(""), &["https://example.org".parse().unwrap()]);
        assert!(open.contains("img-src data: https://example.org;"), "{open}");
        assert!(open.contains("font-src 'none';"), "{open}");
        assert!(!open.split("; ").any(|part| part.starts_with("script-src") && part.contains("http")), "{open}");
    }
}
