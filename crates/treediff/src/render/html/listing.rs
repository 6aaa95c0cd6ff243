//! What changed, without the page? Every change under its headings, with a few words around it.

use std::fmt::{self, Write};

use super::markup::{Out, escaped, push_text};
use super::top::{Top, View};
use super::{Options, collected, key};
use crate::render::summary::{Cell, Direction, Entry, Piece, Section, Summary, Told};
use crate::text::{ChangeKind, Changes, Fate};

/// How much of a text is shown: whoever wants all of it looks at the page.
const SHOWN: usize = 2000;

/// The changes alone, with the headings that they stand under. Nothing is loaded, and no script is needed.
pub fn listing(changes: &Changes<'_>, options: &Options) -> String {
    collected(changes, |out| listing_to(changes, options, out))
}

/// Writes what [`listing`] returns, piece by piece; fails only where `out` does.
pub fn listing_to(changes: &Changes<'_>, options: &Options, out: &mut impl Write) -> fmt::Result {
    let key = key(changes);
    let summary = Summary::of_first(changes, options.most_changes, SHOWN);
    let top = Top { view: View::Changes, changes, summary: &summary, options, key: &key, shows: &|_| true };
    top.write(out, |out| {
        for section in &summary.sections {
            push_section(section, &key, out);
        }
        if summary.untold() > 0 {
            let _ = writeln!(out.buffer, "<p>… and {} more.</p>", summary.untold());
        }
        if summary.sections.is_empty() {
            out.buffer.push_str("<p>The versions read the same.</p>\n");
        }
    })
}

fn push_section(section: &Section, key: &str, out: &mut Out<'_>) {
    let headings: Vec<String> =
        section.headings.iter().map(|heading| format!("<bdi>{}</bdi>", escaped(heading))).collect();
    let heading = if headings.is_empty() { "Before the first heading".to_owned() } else { headings.join(" › ") };
    // Writing to a string cannot fail.
    let _ = writeln!(out.buffer, "<section>\n<h2>{heading}</h2>\n<ol>");
    for entry in &section.entries {
        push_entry(entry, key, &mut out.buffer);
        out.pass();
    }
    out.buffer.push_str("</ol>\n</section>\n");
}

fn push_entry(entry: &Entry, key: &str, out: &mut String) {
    let kind = entry.name_with_whole();
    match entry.number {
        Some(number) => {
            let _ =
                write!(out, "<li class=\"change\" id=\"{key}-{number}\" data-{key}=\"{number}\" value=\"{number}\">");
            let _ = writeln!(out, "<p class=\"kind\"><a href=\"#{key}-{number}\">{number}</a> {kind}</p>");
        }
        None => {
            let _ = writeln!(out, "<li class=\"change\"><p class=\"kind\">{kind}</p>");
        }
    }
    out.push_str("<p class=\"words\" dir=\"auto\">");
    push_text(&entry.place.leading, out);
    for (at, piece) in entry.pieces.iter().enumerate() {
        push_piece(piece, entry.kind, at > 0, out);
    }
    push_text(&entry.place.trailing, out);
    out.push_str("</p>\n");
    push_cell(&entry.cell, out);
    push_origin(entry, out);
    for detail in &entry.details {
        push_detail(&Told::new(detail), out);
    }
    out.push_str("</li>\n");
}

fn push_piece(piece: &Piece, kind: ChangeKind, is_behind: bool, out: &mut String) {
    let (element, class) = match piece.fate {
        Fate::Removed => ("del", "removed"),
        Fate::Added => ("ins", "added"),
        _ => ("span", kind.name()),
    };
    if is_behind && piece.is_spaced {
        out.push(' ');
    }
    let _ = write!(out, "<{element} class=\"mark {class}\">");
    push_text(&piece.text, out);
    let _ = write!(out, "</{element}>");
}

/// In which row and column of a table it is.
fn push_cell(cell: &Cell, out: &mut String) {
    let named = [("row", &cell.row), ("column", &cell.column)];
    let named =
        named.into_iter().filter_map(|(what, name)| Some(format!("{what} <bdi>{}</bdi>", escaped(name.as_deref()?))));
    let named: Vec<String> = named.collect();
    if !named.is_empty() {
        let _ = writeln!(out, "<p class=\"detail\">in {}</p>", named.join(", "));
    }
}

/// Where it was.
fn push_origin(entry: &Entry, out: &mut String) {
    let Some((headings, place)) = &entry.from else { return };
    let _ = write!(out, "<p class=\"detail\">moved {}", entry.direction.map_or("", Direction::name));
    if let Some(heading) = headings.last() {
        let _ = write!(out, " from under <bdi>{}</bdi>", escaped(heading));
    }
    if !place.leading.is_empty() || !place.trailing.is_empty() {
        let [leading, trailing] = [&place.leading, &place.trailing].map(|words| escaped(words));
        let _ = write!(out, ": <bdi>{leading}<del class=\"mark moved\">…</del>{trailing}</bdi>");
    }
    out.push_str("</p>\n");
}

fn push_detail(told: &Told, out: &mut String) {
    let _ = write!(out, "<p class=\"detail\">{}", escaped(&told.what));
    if let Some([from, to]) = &told.values {
        let [from, to] = [from, to].map(|value| value.as_deref().map_or_else(|| "none".to_owned(), escaped));
        let _ = write!(out, ": <del><bdi>{from}</bdi></del> → <ins><bdi>{to}</bdi></ins>");
    }
    out.push_str("</p>\n");
}
