//! Which words of a text changed? The paragraphs of pages are long, and two of them would be written for every word.
//!
//! What is kept stands once, as text; what was deleted in `d`, what was inserted in `i`. Nothing is left out, so both
//! texts are known without a document.

use std::fmt::Write;

use super::escape::{self, Version};
use super::fields::{Fields, described};
use super::read::is_named;
use crate::text::{self, Budget, Piece};
use crate::tree::{Kind, Node, is_blank};

/// The change of a text word by word, where that is shorter than both texts; `prefix` is that of the delta's elements.
pub(super) fn written(before: &str, after: &str, prefix: &str, version: Version) -> Option<String> {
    let frame = "<TextDelta></TextDelta>".len() + 2 * prefix.len();
    let whole = "<OldText></OldText><NewText></NewText>".len() + 4 * prefix.len() + before.len() + after.len();
    // A word more or less is not worth the comparison.
    if before.len() + after.len() < 2 * frame {
        return None;
    }
    let (pieces, has_blank) = pieces(before, after, prefix, version);
    // White space between two changes would be read as layout.
    let space = if has_blank { " xml:space=\"preserve\"" } else { "" };
    let is_shorter = frame + space.len() + pieces.len() < whole;
    is_shorter.then(|| format!("<{prefix}TextDelta{space}>{pieces}</{prefix}TextDelta>"))
}

/// What is kept, deleted and inserted, and whether a piece that is kept is white space alone.
fn pieces(before: &str, after: &str, prefix: &str, version: Version) -> (String, bool) {
    let mut out = String::new();
    let mut has_blank = false;
    for piece in text::compare(before, after, Budget::default()).pieces() {
        let (tag, text) = match piece {
            Piece::Kept { after: range, .. } => (None, &after[range]),
            Piece::Deleted(range) => (Some("d"), &before[range]),
            Piece::Inserted(range) => (Some("i"), &after[range]),
        };
        has_blank |= tag.is_none() && is_blank(text.as_bytes());
        // Writing to a string cannot fail.
        let _ = match tag {
            None => escape::text(&mut out, text, version),
            Some(tag) => write!(out, "<{prefix}{tag}>")
                .and_then(|()| escape::text(&mut out, text, version))
                .and_then(|()| write!(out, "</{prefix}{tag}>")),
        };
    }
    (out, has_blank)
}

/// The texts before and after that a `TextDelta` stands for.
pub(super) fn read(element: Node<'_>) -> Result<(String, String), String> {
    Fields(element).only(&[], &["xml:space"])?;
    let (mut before, mut after) = (String::new(), String::new());
    for piece in element.children() {
        let (is_text, text) = (piece.kind() == Kind::Text, piece.string_value());
        let (is_deleted, is_inserted) = (is_named(piece, "d"), is_named(piece, "i"));
        if !(is_text || is_deleted || is_inserted) {
            return Err(format!("found {} in `TextDelta`; expected text, `d` and `i`", described(piece)));
        }
        if piece.children().any(|child| child.kind() != Kind::Text) {
            return Err("found more than text in a piece of `TextDelta`".to_owned());
        }
        if !is_inserted {
            before.push_str(&text);
        }
        if !is_deleted {
            after.push_str(&text);
        }
    }
    Ok((before, after))
}

/// Whether what stands beside both texts says the same. Others may write words in a form of their own: what has neither `d` nor `i` is
/// passed over.
pub(super) fn confirm(element: Node<'_>, texts: &(String, String)) -> Result<(), String> {
    let is_ours = element.children().any(|piece| is_named(piece, "d") || is_named(piece, "i"));
    if is_ours && read(element)? != *texts {
        return Err("found other words in `TextDelta` than in `OldText` and `NewText`".to_owned());
    }
    Ok(())
}
