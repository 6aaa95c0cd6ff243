//! Which words of a text changed? The paragraphs of pages are long, and two of them would be written for every word.
//!
//! What is kept stands once, as text; what was deleted in `d`, what was inserted in `i`. Nothing is left out, so both
//! texts are known without a document.

use super::escape::{self, Version};
use super::read::is_named;
use crate::text::{self, Budget, Piece};
use crate::tree::{Kind, Node, is_blank};

/// The change of a text word by word, where that is shorter than both texts.
pub(super) fn written(before: &str, after: &str, version: Version) -> Option<String> {
    const FRAME: usize = "<d:TextDelta></d:TextDelta>".len();
    const WHOLE: usize = "<d:OldText></d:OldText><d:NewText></d:NewText>".len();
    // A word more or less is not worth the comparison.
    if before.len() + after.len() < 2 * FRAME {
        return None;
    }
    let mut out = String::new();
    let mut has_blank = false;
    for piece in text::compare(before, after, Budget::default()).pieces() {
        let (tag, text) = match piece {
            Piece::Kept { after: range, .. } => ("", &after[range]),
            Piece::Deleted(range) => ("d", &before[range]),
            Piece::Inserted(range) => ("i", &after[range]),
        };
        has_blank |= tag.is_empty() && is_blank(text.as_bytes());
        let [open, close] =
            if tag.is_empty() { [String::new(), String::new()] } else { [format!("<d:{tag}>"), format!("</d:{tag}>")] };
        out.push_str(&open);
        // Writing to a string cannot fail.
        let _ = escape::text(&mut out, text, version);
        out.push_str(&close);
    }
    // White space between two changes would be read as layout.
    let space = if has_blank { " xml:space=\"preserve\"" } else { "" };
    let is_shorter = FRAME + space.len() + out.len() < WHOLE + before.len() + after.len();
    is_shorter.then(|| format!("<d:TextDelta{space}>{out}</d:TextDelta>"))
}

/// The texts before and after that a `TextDelta` stands for.
pub(super) fn read(element: Node<'_>) -> Result<(String, String), String> {
    let (mut before, mut after) = (String::new(), String::new());
    for piece in element.children() {
        let text = piece.string_value();
        if piece.children().any(|child| child.kind() != Kind::Text) {
            return Err("found more than text in a piece of `TextDelta`".to_owned());
        }
        if piece.kind() == Kind::Text || is_named(piece, "d") {
            before.push_str(&text);
        }
        if piece.kind() == Kind::Text || is_named(piece, "i") {
            after.push_str(&text);
        }
        if !(piece.kind() == Kind::Text || is_named(piece, "d") || is_named(piece, "i")) {
            return Err(format!(
                "found {} in `TextDelta`; expected text, `d` and `i`",
                super::fields::described(piece)
            ));
        }
    }
    Ok((before, after))
}
