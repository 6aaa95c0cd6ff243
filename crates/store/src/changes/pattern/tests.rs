use super::*;

/// Which of these paths a pattern means, by their numbers from 1.
#[track_caller]
fn check(pattern: &str, expected: &[usize]) {
    let element = |name| Label { kind: LabelKind::Named, name };
    let plain = |kind| Label { kind, name: "" };
    // 1 /html, 2 /html/body, 3 /html/body/p, 4 its text, 5 its @class, 6 /html/body/p/p, 7 /html/@lang, 8 /*, 9 /*/a:b, 10 a comment
    let paths = LabelPaths::sample(&[
        (1, element("html")),
        (2, element("body")),
        (3, element("p")),
        (4, plain(LabelKind::Text)),
        (4, Label::attribute("class")),
        (4, element("p")),
        (2, Label::attribute("lang")),
        (1, plain(LabelKind::Unnamed)),
        (2, element("a:b")),
        (1, plain(LabelKind::Comment)),
    ]);
    let pattern: PathPattern = pattern.parse().expect("a pattern");
    assert_eq!(pattern.to_string().parse(), Ok(pattern.clone()));
    let taken = pattern.taken(&paths);
    let found: Vec<usize> = (0..taken.len()).filter(|path| pattern.is_whole(taken[*path])).collect();
    assert_eq!(found, expected, "{pattern}");
}

#[test]
fn patterns_mean_nodes_and_all_below() {
    check("/", &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    check("/html", &[1, 2, 3, 4, 5, 6, 7]);
    check("/body", &[]);
    check("//body", &[2, 3, 4, 5, 6]);
    check("body", &[2, 3, 4, 5, 6]);
    check("body/p", &[3, 4, 5, 6]);
    check("p/p", &[6]);
    check("//p//p", &[6]);
    check("/html//p", &[3, 4, 5, 6]);
    check("/html/p", &[]);
    check("html//p/p", &[6]);
    check("svg:p/p", &[6]);
    check("@class", &[5]);
    check("//@*", &[5, 7]);
    check("/html/@*", &[7]);
    check("p/@lang", &[]);
    check("text()", &[4]);
    check("/comment()", &[10]);
    check("/*", &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
    check("/*/*/*", &[3, 4, 5, 6]);
    check("/*/'a:b'", &[9]);
    check("/*/a:b", &[9]);
    check("p/node()", &[4, 6]);
    check("//*/*/*/*", &[6]);
}

#[test]
fn what_is_no_pattern_is_refused() {
    for pattern in
        ["", "//", "a/", "a///b", "p[1]", "p[@class='x']", "a b", "@", "'a", "a'b", "text(", "..", "///", "x::y()"]
    {
        let read = pattern.parse::<PathPattern>();
        assert!(read.is_err() || pattern == "..", "{pattern}: {read:?}");
    }
    assert_eq!("/a".repeat(64).parse::<PathPattern>(), Err(PatternError::TooLong { found: 64 }));
    assert!("/a".repeat(63).parse::<PathPattern>().is_ok());
}

#[test]
fn names_in_quotes_are_read_as_they_are_shown() {
    for name in ["a/b", "it's", "''", "text()", "*", "@x", "first name", "é", "[1]"] {
        let shown = Label { kind: LabelKind::Named, name }.to_string();
        let pattern: PathPattern = shown.parse().expect("a pattern");
        assert_eq!(pattern.steps, [Step { is_anywhere: true, test: Test::Named(name.to_owned()) }], "{shown}");
    }
}
