//! Which language is an expression in, CSS or XPath? Whatever no selector has outside of strings makes it XPath.

/// Whether an expression has what no selector has: a path, an axis, an attribute, a union, a call, a position.
pub fn looks_like_xpath(expression: &str) -> bool {
    let bare = without_strings(expression);
    let bare = bare.trim();
    let behind_name = bare.trim_start_matches(|c: char| c.is_alphanumeric() || c == '-');
    let is_call = behind_name.len() < bare.len() && behind_name.starts_with('(');
    // A bar with a name right behind it is a namespace of CSS.
    let mut behind_bars = bare.split('|').skip(1);
    let is_union = behind_bars.any(|behind| behind.starts_with(char::is_whitespace));
    bare.contains(['/', '@'])
        || bare.contains("::")
        || bare.starts_with('(')
        || bare.starts_with("..")
        || bare == "."
        || is_call
        || is_union
        || bare.split('[').skip(1).any(is_predicate)
}

/// Whether what begins behind a bracket asks for a position or calls a function.
fn is_predicate(behind: &str) -> bool {
    let inside = behind.split(']').next().unwrap_or(behind);
    inside.trim_start().starts_with(|c: char| c.is_ascii_digit()) || inside.contains('(')
}

/// An expression without what may hold anything: strings, and the escapes and comments of CSS.
pub fn without_strings(expression: &str) -> String {
    let comments_end = expression.rfind("*/").unwrap_or(0);
    let mut bare = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(character) = rest.chars().next() {
        let (kept, len) = match character {
            '"' | '\'' => (false, string_len(rest, character)),
            '\\' => (false, 1 + rest[1..].chars().next().map_or(0, char::len_utf8)),
            '/' if expression.len() - rest.len() < comments_end => {
                comment_len(rest).map_or((true, 1), |len| (false, len))
            }
            other => (true, other.len_utf8()),
        };
        let (piece, behind) = rest.split_at(len);
        bare.push_str(if kept { piece } else { "" });
        rest = behind;
    }
    bare
}

/// The length of a string in quotes, or of all where it does not end.
fn string_len(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, character)| {
        let ends = *character == quote && !is_escaped;
        is_escaped = *character == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |(at, quote)| at + quote.len_utf8())
}

/// The length of a comment of CSS. A star with a blank behind it is none of a path, or is its last.
fn comment_len(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("/*").filter(|inside| inside.starts_with(char::is_whitespace))?;
    inside.find("*/").map(|len| "/*".len() + len + "*/".len())
}

#[cfg(test)]
mod tests {
    use super::looks_like_xpath;

    #[test]
    fn languages_are_told_apart() {
        for expression in [
            "/a",
            "//a",
            "(//a)[1]",
            ".//a",
            "@id",
            " /a",
            "child::a",
            "a/ancestor::b",
            "count(//a)",
            ".",
            "..",
            "sum(a)",
            "li/text()",
            "a[href]/@href",
            "body/div[1]",
            "p | li",
            "p| li",
            "a/*/b",
            "a/*",
            "li[1]",
            "li[ last() ]",
            "a[@href]",
            "li[ancestor::ul]",
            "a[b='|']/c",
        ] {
            assert!(looks_like_xpath(expression), "{expression}");
        }
        for selector in [
            "a",
            "#id",
            "a > b",
            "ul li:first-child",
            "[href]",
            "*",
            ".menu",
            "a:not(.b)",
            ":is(a, b)",
            "a[href=\"//x\"]",
            "a[href^='http://']",
            "a[href='it\\'s //'] b",
            "[a='::'] > b",
            "a:contains('@')",
            "a /* the //first */ b",
            ".w-1\\/2",
            "svg|a, |b",
            "a |b",
            "[a|b |= c]",
            "li:nth-child(2n + 1)",
        ] {
            assert!(!looks_like_xpath(selector), "{selector}");
        }
    }
}
