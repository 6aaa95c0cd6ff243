//! Which value is meant? JSON pointers, as RFC 6901 has them.

use std::borrow::Cow;

/// The tokens of a pointer, from the root down; none for the whole document.
///
/// `None` where it does not begin with `/`, or has a `~` that is neither `~0` nor `~1`.
pub(super) fn tokens(pointer: &str) -> Option<Vec<Cow<'_, str>>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer.strip_prefix('/')?.split('/').map(unescaped).collect()
}

fn unescaped(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut plain = String::with_capacity(token.len());
    let mut pieces = token.split('~');
    plain.push_str(pieces.next()?);
    for piece in pieces {
        let (escaped, rest) = match piece.as_bytes().first()? {
            b'0' => ('~', &piece[1..]),
            b'1' => ('/', &piece[1..]),
            _ => return None,
        };
        plain.push(escaped);
        plain.push_str(rest);
    }
    Some(Cow::Owned(plain))
}

/// Adds a step to a pointer.
pub(super) fn push(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The index that a token is to an array: digits without leading zeros.
pub(super) fn index(token: &str) -> Option<usize> {
    let is_index = token == "0" || (token.bytes().all(|byte| byte.is_ascii_digit()) && !token.starts_with('0'));
    is_index.then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard() {
        let cases: [(&str, &[&str]); 10] = [
            ("", &[]),
            ("/foo", &["foo"]),
            ("/foo/0", &["foo", "0"]),
            ("/", &[""]),
            ("/a~1b", &["a/b"]),
            ("/c%d", &["c%d"]),
            ("/k\"l", &["k\"l"]),
            ("/m~0n", &["m~n"]),
            ("/~01", &["~1"]),
            ("//", &["", ""]),
        ];
        for (pointer, expected) in cases {
            assert_eq!(tokens(pointer).unwrap(), expected);
            let mut written = String::new();
            expected.iter().for_each(|token| push(&mut written, token));
            assert_eq!(written, pointer);
        }
    }

    #[test]
    fn what_is_no_pointer() {
        for pointer in ["a", "a/b", "/~", "/~2", "/a~", "#/a"] {
            assert_eq!(tokens(pointer), None, "{pointer}");
        }
        for token in ["", "-", "-1", "+1", "01", "00", "1e0", "1.0", " 1", "99999999999999999999999999"] {
            assert_eq!(index(token), None, "{token}");
        }
        assert_eq!((index("0"), index("10")), (Some(0), Some(10)));
    }
}
