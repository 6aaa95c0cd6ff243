//! How is a summary written for people? Counts, notices, and a line for each change under its headings.

use std::fmt;

use super::super::visible::printable;
use super::{Entry, Summary};
use crate::text::{ChangeKind, Detail, shortened};

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
            values: Some([from.as_ref().map(told), to.as_ref().map(told)]),
        };
        match detail {
            Detail::Link { from, to } => with("link".to_owned(), from, to),
            Detail::Attribute { element, name, from, to } => with(format!("{name} of {element}"), from, to),
            Detail::Format { from, to } => with("formatting".to_owned(), &Some(from.clone()), &Some(to.clone())),
            Detail::Title { from, to } => with("title".to_owned(), &Some(from.clone()), &Some(to.clone())),
            Detail::Entity { address } => {
                Told { what: format!("changed at its address: {}", told(address)), values: None }
            }
            Detail::Unseen { what } => Told { what: format!("{what} changed"), values: None },
        }
    }
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
        f.write_str(self.kind.name())?;
        let [before, after] = [self.before(), self.after()].map(|words| words.unwrap_or_default());
        match self.kind {
            ChangeKind::Removed => write!(f, ": “{before}”")?,
            ChangeKind::Replaced | ChangeKind::Image => write!(f, ": “{before}” → “{after}”")?,
            _ => write!(f, ": “{after}”")?,
        }
        if let Some((headings, place)) = &self.from {
            match headings.last() {
                Some(heading) => write!(f, ", from under “{heading}”")?,
                None if place.leading.is_empty() => f.write_str(", from another place")?,
                None => write!(f, ", from behind “{}”", place.leading.trim_end())?,
            }
        }
        for told in self.details.iter().map(Told::new) {
            // Of a link it need not be said again that it is one.
            match (&told.values, told.what == self.kind.name()) {
                (Some(values), true) => write!(f, ": {}", Values(values))?,
                _ => write!(f, "; {told}")?,
            }
        }
        Ok(())
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
                writeln!(f, "{number:>4} {}", printable(&entry.to_string()))?;
            }
        }
        Ok(())
    }
}

impl Summary {
    /// The number of changes, and of each kind.
    fn heading(&self) -> String {
        let counts: Vec<String> = self
            .counts()
            .into_iter()
            .filter(|(kind, _)| *kind != ChangeKind::Formatting)
            .map(|(kind, count)| format!("{count} {}", kind.name()))
            .collect();
        self.counted(&format!(" ({})", counts.join(", ")))
    }
}
