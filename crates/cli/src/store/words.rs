//! How are things told on one line? Numbers with what they count, texts by their beginning, with nothing that a terminal would
//! obey.

use store::Error;
use treediff::render::push_visible;

use crate::exit::Trouble;

/// An error of work on all pages, with what helps where some of them are hurt.
pub fn helped(error: Error) -> anyhow::Error {
    match error {
        Error::Hurt { .. } => {
            Trouble::new(error.to_string(), "`deltaic verify` names all that is hurt; a backup has it").into()
        }
        error => error.into(),
    }
}

/// A number of things: `1 page`, `2 pages`.
pub fn counted(count: u64, thing: &str) -> String {
    format!("{count} {thing}{}", if count == 1 { "" } else { "s" })
}

/// What was there before and after a change, behind the name of it: `: 4.50 → 4.80`.
pub fn sides(before: Option<&str>, after: Option<&str>) -> String {
    const MOST: usize = 60;
    match [before, after].map(|text| text.map(|text| excerpt(text, MOST))) {
        [Some(before), Some(after)] => format!(": {before} → {after}"),
        [Some(only), None] | [None, Some(only)] => format!(": {only}"),
        [None, None] => String::new(),
    }
}

/// At most so many characters of a text, a row of white space as one space.
pub fn excerpt(text: &str, most: usize) -> String {
    let mut told = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        let is_first = length == 0;
        for character in (!is_first).then_some(' ').into_iter().chain(word.chars()) {
            if length == most {
                told.push('…');
                return told;
            }
            push_visible(character, &mut told);
            length += 1;
        }
    }
    told
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn texts_are_on_one_line_and_not_long() {
        for (text, expected) in [
            ("", ""),
            (" a\n  b ", "a b"),
            ("a\u{1b}[2Jb", "a\\u{1b}[2Jb"),
            ("abcdefgh", "abcdefgh"),
            ("abcdefghi", "abcdefgh…"),
            ("éééé éééé", "éééé ééé…"),
        ] {
            assert_eq!(excerpt(text, 8), expected);
        }
    }
}
