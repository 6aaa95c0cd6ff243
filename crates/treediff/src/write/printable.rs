//! How does a text of strangers look on a line?

/// A text without control characters: whatever is in a document, it does not talk to a terminal.
///
/// ```
/// assert_eq!(treediff::write::printable("a\x1b[2J\nb"), "a\\u{1b}[2J\\nb");
/// ```
pub fn printable(text: &str) -> String {
    let mut printable = String::with_capacity(text.len());
    text.chars().for_each(|character| push_visible(character, &mut printable));
    printable
}

/// Adds a character, or how it is written where it could not be seen, or would change how others are seen.
pub fn push_visible(character: char, out: &mut String) {
    if is_hidden(character) {
        out.extend(character.escape_default());
    } else {
        out.push(character);
    }
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
