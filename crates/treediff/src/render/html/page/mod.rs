//! How is a page written with its changes marked?

use super::Origin;
use super::markup::push_text;
use crate::matching::Matching;
use crate::text::{ChangeKind, Changes, Fate, Run};

/// Which version is the ground.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Before,
    After,
}

/// How a page is written.
#[derive(Debug, Clone, Copy)]
pub struct PageOptions<'o> {
    pub side: Side,
    /// Whether what only the other version has is put in.
    pub inserting: bool,
    pub key: &'o str,
    pub base: Option<&'o str>,
    pub allowed: &'o [Origin],
}

/// A page for a frame. For now its words alone.
pub fn written(changes: &Changes<'_>, _: &Matching, options: &PageOptions<'_>) -> String {
    let _ = (options.base, options.allowed);
    let key = options.key;
    let styles = super::frame_styles(key);
    let mut out = format!("<!DOCTYPE html><html><head><style>{styles}</style></head><body><p>");
    let mut marked = vec![false; changes.list().len() + 1];
    for run in changes.runs() {
        let (element, kind) = match run.fate {
            Fate::Same => ("span", same_kind(changes, run)),
            Fate::Removed => ("del", Some("removed")),
            Fate::Added => ("ins", Some("added")),
            Fate::MovedFrom => ("del", Some("moved-from")),
            Fate::MovedTo => ("ins", Some("moved-to")),
        };
        let is_here = match (run.fate, options.side) {
            (Fate::Same, _) => true,
            (Fate::Removed | Fate::MovedFrom, Side::After) => options.inserting,
            (Fate::Added | Fate::MovedTo, Side::Before) => options.inserting,
            _ => true,
        };
        let text = match run.fate {
            Fate::Removed | Fate::MovedFrom => changes.before().excerpt(run.before.clone(), 1000),
            _ => changes.after().excerpt(run.after.clone(), 1000),
        };
        out.push(' ');
        if let Some(kind) = kind {
            let number = run.change.map(|change| change + 1);
            out += &format!("<{element} class=\"{key}\" data-{key}-kind=\"{kind}\"");
            if let Some(number) = number {
                out += &format!(" data-{key}=\"{number}\"");
                if !std::mem::replace(&mut marked[number], true) {
                    out += &format!(" id=\"{key}-{number}\"");
                }
            }
            out.push('>');
        }
        if is_here {
            push_text(&text, &mut out);
        }
        if kind.is_some() {
            out += &format!("</{element}>");
        }
        if matches!(run.fate, Fate::Same) {
            out += "</p><p>";
        }
    }
    out
}

fn same_kind(changes: &Changes<'_>, run: &Run) -> Option<&'static str> {
    match run.change.map(|change| changes.list()[change].kind) {
        Some(ChangeKind::Link) => Some("link"),
        Some(ChangeKind::Entity) => Some("entity"),
        Some(_) => Some("attribute"),
        None => run.format.map(|_| "format"),
    }
}
