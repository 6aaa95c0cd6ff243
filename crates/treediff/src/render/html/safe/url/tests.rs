use super::*;

const BASE: &str = "https://example.org/dir/page.html?q=1#part";

fn resolved(reference: &str, base: Option<&str>) -> String {
    let base = base.map(|base| Url::parse(base).unwrap());
    match resolve(reference, base.as_ref()) {
        Target::Web(url) => url.text(),
        Target::Inside(text) => format!("inside {text}"),
        Target::Person(text) => format!("person {text}"),
        Target::Pixels(text) => format!("pixels {text}"),
        Target::Unresolved(text) => format!("unresolved {text}"),
        Target::Refused => "refused".into(),
    }
}

fn check(cases: &[(&str, &str)]) {
    for (reference, expected) in cases {
        assert_eq!(resolved(reference, Some(BASE)), *expected, "{reference:?}");
    }
}

#[test]
fn references_are_resolved_as_browsers_do() {
    check(&[
        ("", "https://example.org/dir/page.html?q=1"),
        ("other", "https://example.org/dir/other"),
        ("./other/", "https://example.org/dir/other/"),
        ("../x/./y/../z", "https://example.org/x/z"),
        ("../../../x", "https://example.org/x"),
        ("..", "https://example.org/"),
        (".", "https://example.org/dir/"),
        ("a//b", "https://example.org/dir/a//b"),
        ("%2e%2E/x", "https://example.org/x"),
        ("/root", "https://example.org/root"),
        ("?new", "https://example.org/dir/page.html?new"),
        ("x?a=/../b#c?d", "https://example.org/dir/x?a=/../b#c?d"),
        ("//other.net", "https://other.net/"),
        ("\\\\other.net\\a\\b", "https://other.net/a/b"),
        ("///other.net/x", "https://other.net/x"),
        ("https:x", "https://example.org/dir/x"),
        ("https:/x", "https://example.org/x"),
        ("http:x/y", "http://x/y"),
        ("HTTP:\\\\X.net", "http://x.net/"),
        ("https://user:secret@other.net:443/", "https://other.net/"),
        ("https://other.net:8443?x", "https://other.net:8443/?x"),
        ("https://[2001:DB8::1]:80/", "https://[2001:db8::1]:80/"),
        ("ftp://files.net/a", "ftp://files.net/a"),
        (" \u{1}\t x y\"<>` ", "https://example.org/dir/x%20y%22%3C%3E%60"),
        ("#part two", "inside #part%20two"),
        (" \n#", "inside #"),
        ("mailto:a@b.c?subject=x y", "person mailto:a@b.c?subject=x%20y"),
        ("TEL:+31-20", "person TEL:+31-20"),
        ("über/straße", "https://example.org/dir/über/straße"),
        ("1a:b", "https://example.org/dir/1a:b"),
    ]);
}

#[test]
fn what_runs_or_deceives_is_refused() {
    check(&[
        ("javascript:alert(1)", "refused"),
        ("JaVaScRiPt:alert(1)", "refused"),
        ("java\tscript:alert(1)", "refused"),
        ("java\nscr\ript\n:alert(1)", "refused"),
        ("\u{1}\u{1f} \tjavascript:alert(1)", "refused"),
        ("javascript\u{1}:alert(1)", "https://example.org/dir/javascript%01:alert(1)"),
        ("\u{a0}javascript:alert(1)", "https://example.org/dir/\u{a0}javascript:alert(1)"),
        ("https:javascript:alert(1)", "https://example.org/dir/javascript:alert(1)"),
        ("vbscript:x", "refused"),
        ("view-source:https://x", "refused"),
        ("file:///etc/passwd", "refused"),
        ("about:blank", "refused"),
        ("blob:https://example.org/1", "refused"),
        ("filesystem:https://example.org/x", "refused"),
        ("data:text/html,<script>alert(1)</script>", "refused"),
        ("data:image/svg+xml,<svg onload=alert(1)>", "refused"),
        ("data:,x", "refused"),
        ("data:image/png", "pixels data:image/png"),
        ("da\nta:IMAGE/PNG;base64,AA\nAA", "pixels data:IMAGE/PNG;base64,AAAA"),
        ("data:image/png,\"<x>", "pixels data:image/png,%22%3Cx%3E"),
        ("https://", "refused"),
        ("https://a b/", "refused"),
        ("https://a'; script-src *", "refused"),
        ("https://a;b/", "refused"),
        ("https://a:b/", "refused"),
        ("https://a:99999/", "refused"),
        ("https://[x]/", "refused"),
        ("https://[::1/", "refused"),
    ]);
}

#[test]
fn without_a_base_relative_references_are_told() {
    for (reference, expected) in [
        ("a b", "unresolved a%20b"),
        ("//host/x", "unresolved //host/x"),
        ("", "unresolved "),
        ("#x", "inside #x"),
        ("https:host", "https://host/"),
        ("javascript:x", "refused"),
    ] {
        assert_eq!(resolved(reference, None), expected, "{reference:?}");
    }
}

#[test]
fn an_origin_is_what_is_compared() {
    let origin = |text: &str| Url::parse(text).unwrap().origin().clone();
    assert_eq!(origin("https://example.org/a"), origin("HTTPS:\\\\EXAMPLE.org:443\\b"));
    assert_ne!(origin("https://example.org"), origin("http://example.org"));
    assert_ne!(origin("https://example.org"), origin("https://example.org:444"));
    assert_ne!(origin("https://example.org"), origin("https://example.org@evil.net"));
    assert_eq!(origin("https://example.org\\@evil.net").to_string(), "https://example.org");
}

#[test]
fn straight_paths_are_those_that_are_followed() {
    let parts = ["", ".", "..", "a", ".a", "%2e", "%41", "b c", "\\", "é\"", "/", "//", "a."];
    for folder in ["/", "//", "/dir/", "/a//b/", "/dir/x%20y/"] {
        for first in parts {
            for last in parts {
                let relative = format!("{first}/{last}");
                assert_eq!(path(folder, &relative), followed(folder, &relative), "{relative:?} in {folder:?}");
            }
        }
    }
}
