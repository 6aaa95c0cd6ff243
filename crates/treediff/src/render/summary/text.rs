//! How is a summary written for people? Counts, notices, and a line for each change under its headings.

use std::fmt;
use std::ops::Range;

use super::super::visible::printable;
use super::{Entry, Summary};
use crate::text::{Budget, ChangeKind, Detail, Fate, compare, shortened};

/// How much of an address or another value is told.
const TOLD: usize = 200;

/// What changed beyond the words, in words.
pub struct Told {
    /// What it is.
    pub what: String,
    /// What it was and is, where that can be told.
    pub values: Option<[Option<String>; 2]>,
}

impl Told {
    pub fn new(detail: &Detail) -> Self {
        let told = |value: &String| shortened(value, TOLD);
        let with = |what: String, from: &Option<String>, to: &Option<String>| Told {
            what,
            values: Some(match (from, to) {
                (Some(from), Some(to)) => beside(from, to).map(|value| Some(or_empty(value))),
                _ => [from, to].map(|value| value.as_ref().map(|value| or_empty(told(value)))),
            }),
        };
        match detail {
            Detail::Link { from, to } => with("link".to_owned(), from, to),
            Detail::Attribute { element, name, from, to } if SWITCHES.contains(&&**name) => Told {
                what: format!("{name} of {element}"),
                values: Some([from, to].map(|value| Some(if value.is_some() { "yes" } else { "no" }.to_owned()))),
            },
            Detail::Attribute { element, name, from, to } => with(format!("{name} of {element}"), from, to),
            Detail::Look { element, name, from, to, times } => {
                let others = if *times > 1 { format!(" ({times} times)") } else { String::new() };
                with(format!("{name} of {element}{others}"), from, to)
            }
            Detail::Format { from, to } => with("formatting".to_owned(), &Some(from.clone()), &Some(to.clone())),
            Detail::Sense { from, to } => Told { what: sense(from, to), values: None },
            Detail::Title { from, to } => with("title".to_owned(), &Some(from.clone()), &Some(to.clone())),
            Detail::Choices { removed, added } => Told { what: told(&choices(removed, added)), values: None },
            Detail::Entity { address } => {
                Told { what: format!("changed at its address: {}", told(address)), values: None }
            }
            Detail::Unseen { what } => Told { what: format!("{what} changed"), values: None },
        }
    }
}

/// What words are now and were not, and are no longer: `raised, no longer struck out`.
fn sense(from: &[&'static str], to: &[&'static str]) -> String {
    let new = to.iter().filter(|name| !from.contains(name)).map(|name| (*name).to_owned());
    let gone = from.iter().filter(|name| !to.contains(name)).map(|name| format!("no longer {name}"));
    new.chain(gone).collect::<Vec<_>>().join(", ")
}

/// Which choices are gone and new.
fn choices(removed: &[String], added: &[String]) -> String {
    let listed = |what: &str, choices: &[String]| {
        let choices: Vec<String> = choices.iter().map(|choice| format!("“{choice}”")).collect();
        (!choices.is_empty()).then(|| format!("{what} {}", choices.join(", ")))
    };
    let changes: Vec<String> = listed("added", added).into_iter().chain(listed("removed", removed)).collect();
    let changes = if changes.is_empty() { "in another order".to_owned() } else { changes.join("; ") };
    format!("choices: {changes}")
}

/// A value that can be seen.
fn or_empty(value: String) -> String {
    if value.trim().is_empty() { "(empty)".to_owned() } else { value }
}

/// Attributes that say nothing but by being there.
const SWITCHES: [&str; 13] = [
    "hidden", "open", "disabled", "checked", "readonly", "required", "reversed", "selected", "multiple", "controls",
    "autoplay", "muted", "loop",
];

/// Two values, and of long ones the parts in which they differ.
fn beside(from: &str, to: &str) -> [String; 2] {
    if from.len().max(to.len()) <= WHOLE {
        return [from, to].map(str::to_owned);
    }
    let delta = compare(from, to, Budget::default());
    let (first, last) = (delta.hunks().first(), delta.hunks().last());
    let differing = first.zip(last).map(|(first, last)| {
        [(from, first.before.start..last.before.end), (to, first.after.start..last.after.end)]
            .map(|(value, range)| with_neighbours(value, range))
    });
    differing.unwrap_or_else(|| [from, to].map(|value| shortened(value, TOLD)))
}

/// How long a value may be that is told from its beginning to its end.
const WHOLE: usize = 120;

/// Characters that are told on either side of a part.
const NEIGHBOURS: usize = 24;

fn with_neighbours(value: &str, part: Range<usize>) -> String {
    let (head, tail) = (&value[..part.start], &value[part.end..]);
    let from = head.char_indices().rev().nth(NEIGHBOURS - 1).map_or(0, |(at, _)| at);
    let to = tail.char_indices().nth(NEIGHBOURS).map_or(value.len(), |(at, _)| part.end + at);
    let [start, end] = [from > 0, to < value.len()].map(|is_cut| if is_cut { "…" } else { "" });
    [start, &shortened(&value[from..to], TOLD), end].concat()
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.values.as_ref().map_or(Ok(()), |values| write!(f, ": {}", Values(values)))
    }
}

struct Values<'v>(&'v [Option<String>; 2]);

impl fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = self.0.each_ref().map(|value| value.as_deref().unwrap_or("none"));
        write!(f, "{from} → {to}")
    }
}

impl fmt::Display for Entry {
    /// On one line: `replaced: “every day” → “at weekends”`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A column has no direction.
        f.write_str(&self.name_with_whole())?;
        if let Some(direction) = self.direction {
            write!(f, " {}", direction.name())?;
        }
        let [before, after] = [self.before(), self.after()].map(|words| words.unwrap_or_default());
        match self.kind {
            ChangeKind::Removed => write!(f, ": “{before}”")?,
            ChangeKind::Image if before == after => write!(f, ": “{after}” is another")?,
            // As far as it is told, or as anybody sees.
            ChangeKind::Replaced if before == after => write!(f, ": “{after}” is written otherwise")?,
            ChangeKind::Replaced | ChangeKind::Image => write!(f, ": “{before}” → “{after}”")?,
            _ => write!(f, ": “{after}”")?,
        }
        if let Some((headings, place)) = &self.from {
            match headings.last() {
                Some(heading) => write!(f, ", from under “{heading}”")?,
                None if place.leading.is_empty() => {}
                None => write!(f, ", from behind “{}”", place.leading.trim_end())?,
            }
        }
        for edit in self.edits() {
            match edit {
                [gone, new] if gone.text == new.text => write!(f, "; “{}” is another", new.text)?,
                [gone, new] => write!(f, "; “{}” → “{}”", gone.text, new.text)?,
                [piece] if piece.fate == Fate::Added => write!(f, "; added: “{}”", piece.text)?,
                _ => write!(f, "; removed: “{}”", edit[0].text)?,
            }
        }
        for told in self.details.iter().map(Told::new) {
            // Of a link it need not be said again that it is one.
            match (&told.values, told.what == self.kind.name()) {
                (Some(values), true) => write!(f, ": {}", Values(values))?,
                _ => write!(f, "; {told}")?,
            }
        }
        match (&self.cell.row, &self.cell.column) {
            (Some(row), Some(column)) => write!(f, ", in row “{row}”, column “{column}”"),
            (Some(row), None) => write!(f, ", in row “{row}”"),
            (None, Some(column)) => write!(f, ", in column “{column}”"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for Summary {
    /// As text without control characters, whatever is in the pages.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.heading())?;
        for notice in &self.notices {
            writeln!(f, "{}", printable(&Told::new(notice).to_string()))?;
        }
        for section in &self.sections {
            writeln!(f)?;
            if !section.headings.is_empty() {
                writeln!(f, "{}", printable(&section.headings.join(" › ")))?;
            }
            for entry in &section.entries {
                let number = entry.number.map_or_else(|| "·".to_owned(), |number| format!("{number}."));
                let around = around(entry).map_or_else(String::new, |around| format!(", in “{around}”"));
                writeln!(f, "{number:>4} {}", printable(&format!("{entry}{around}")))?;
            }
        }
        match self.untold() {
            0 => Ok(()),
            1 => writeln!(f, "\n… and 1 more change"),
            untold => writeln!(f, "\n… and {untold} more changes"),
        }
    }
}

/// The words around a change that says little by itself: a sign, a digit, a few short words.
fn around(entry: &Entry) -> Option<String> {
    let sides = [entry.before(), entry.after()];
    // What is described, as images and indentation are, is no part of what stands around it.
    let is_described = entry.pieces.iter().any(|piece| piece.is_described);
    let is_short = |words: &String| {
        let mut each = words.split_whitespace();
        let are_short = each.by_ref().take(FEW).all(|word| word.chars().count() <= SHORT && !word.contains('['));
        are_short && each.next().is_none()
    };
    let words = match entry.kind {
        ChangeKind::Removed => sides[0].as_deref(),
        ChangeKind::Added | ChangeKind::Replaced => sides[1].as_deref(),
        _ => None,
    };
    let (leading, trailing) = (entry.place.leading.as_str(), entry.place.trailing.as_str());
    let is_alone = leading.is_empty() && trailing.is_empty();
    let says_little = entry.details.is_empty() && !is_alone && !is_described && sides.iter().flatten().all(is_short);
    words.filter(|_| says_little).map(|words| [leading, words, trailing].concat())
}

/// Words that say little by themselves, and characters of each.
const FEW: usize = 3;
const SHORT: usize = 12;

impl Summary {
    /// The number of changes, and of each kind.
    fn heading(&self) -> String {
        let counts: Vec<String> = self.names.iter().map(|(name, count)| format!("{count} {name}")).collect();
        self.counted(&format!(" ({})", counts.join(", ")))
    }
}
