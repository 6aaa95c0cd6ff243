//! How much of a text does a line need? Its beginning, on one line, with nothing that a terminal would obey.

use treediff::render::push_visible;

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
