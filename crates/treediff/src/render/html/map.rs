//! Where are the changes? Links along the edge, each at the height of its change, no two of them over each other.

use std::borrow::Cow;
use std::fmt::Write;

use super::markup::{Out, push_value};
use super::top::View;
use crate::render::summary::{Entry, Summary};
use crate::text::{ChangeKind, Changes, Reading, Run, shortened};

/// How much of the height a link takes where there is room.
const HEIGHT: f64 = 0.8;

/// How much of a change is told.
const TOLD: usize = 400;

/// The links of all changes that are told.
pub fn push(view: View, changes: &Changes<'_>, summary: &Summary, key: &str, out: &mut Out<'_>) {
    let numbered: Vec<&Entry> = summary.entries().filter(|entry| entry.number.is_some()).collect();
    let tops = tops(changes, &numbered);
    let height = height(numbered.len());
    // Writing to a string cannot fail.
    let _ = write!(out.buffer, "<nav id=\"map\" aria-label=\"Map of changes\" style=\"--height:{height:.3}%\">");
    for (entry, top) in numbered.into_iter().zip(tops) {
        let number = entry.number.unwrap_or_default();
        out.buffer.push_str("<a class=\"");
        out.buffer.push_str(entry.kind.name());
        out.buffer.push('"');
        push_link(view, entry, key, &mut out.buffer);
        let _ = write!(out.buffer, " style=\"top:{top:.3}%\" title=\"");
        push_value(&isolated(&shortened(&entry.to_string(), TOLD)), &mut out.buffer);
        let _ = write!(out.buffer, "\">{number}</a>");
        out.pass();
    }
    out.buffer.push_str("</nav>\n");
}

/// The attributes of a link to a change: where it is shown, and in which frame.
pub fn push_link(view: View, entry: &Entry, key: &str, out: &mut String) {
    let number = entry.number.unwrap_or_default();
    let target = match view {
        View::Changes => None,
        View::Merged => Some("page"),
        View::SideBySide if entry.kind == ChangeKind::Removed => Some("before"),
        View::SideBySide => Some("after"),
    };
    let scheme = if target.is_some() { "about:srcdoc" } else { "" };
    for piece in [" href=\"", scheme, "#", key] {
        out.push_str(piece);
    }
    let _ = write!(out, "-{number}\"");
    if let Some(target) = target {
        for piece in [" target=\"", target, "\""] {
            out.push_str(piece);
        }
    }
}

/// The same where quotations that are written from right to left turn nothing around them: else what is new would stand before the arrow
/// that leads to it.
fn isolated(told: &str) -> Cow<'_, str> {
    const ISOLATE: char = '\u{2068}';
    const END: char = '\u{2069}';
    if !told.chars().any(is_right_to_left) {
        return Cow::Borrowed(told);
    }
    let mut isolated = String::with_capacity(told.len() + 16);
    for character in told.chars() {
        match character {
            '“' => isolated.extend([character, ISOLATE]),
            '”' => isolated.extend([END, character]),
            _ => isolated.push(character),
        }
    }
    Cow::Owned(isolated)
}

/// Whether a character is in a block of scripts that are written from right to left.
fn is_right_to_left(character: char) -> bool {
    matches!(character, '\u{590}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

fn height(count: usize) -> f64 {
    HEIGHT.min(100.0 / count.max(1) as f64)
}

/// How far down the links are, in hundredths of the height: as far as their changes, and below the one before.
fn tops(changes: &Changes<'_>, entries: &[&Entry]) -> Vec<f64> {
    let all = (changes.before().text().len() + changes.after().text().len()).max(1);
    let start = |reading: &Reading<'_>, item: usize| {
        reading.items().get(item).map_or(reading.text().len(), |item| item.range().start)
    };
    let place = |run: &Run| {
        let texts = start(changes.before(), run.before.start) + start(changes.after(), run.after.start);
        100.0 * texts as f64 / all as f64
    };
    let mut tops: Vec<f64> = entries.iter().map(|entry| place(&changes.runs()[entry.run])).collect();
    let height = height(tops.len());
    let mut end = 0.0_f64;
    for top in &mut tops {
        *top = top.max(end);
        end = *top + height;
    }
    let mut start = 100.0_f64;
    for top in tops.iter_mut().rev() {
        *top = top.min(start - height).max(0.0);
        start = *top;
    }
    tops
}

#[cfg(test)]
mod tests {
    use super::isolated;

    #[test]
    fn quotations_from_right_to_left_are_isolated() {
        assert_eq!(isolated("replaced: “nine” → “ten”"), "replaced: “nine” → “ten”");
        assert_eq!(isolated("“בתשע” → “בעשר”"), "“\u{2068}בתשע\u{2069}” → “\u{2068}בעשר\u{2069}”");
    }
}
