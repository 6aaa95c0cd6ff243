//! What changed in a page, in a few words? Every change in the order of reading, under the headings it stands under.
//!
//! A [`Summary`] is written as text, for a notice, and as JSON (`docs/formats/summary.md`); the views of
//! [`crate::render::html`] tell their changes with the same words.

mod entry;
mod headings;
mod json;
mod labels;
mod tables;
mod text;

use std::collections::BTreeMap;

use crate::text::{ChangeKind, Changes, Detail};
use entry::Teller;
pub use entry::{Direction, Entry, Piece, Place};
pub use tables::Cell;
pub(super) use text::Told;

/// How many characters of a text a summary shows, unless told otherwise.
pub const EXCERPT: usize = 200;

/// What changed between two versions of a page.
///
/// ```
/// use treediff::parse::{self, Options, Whitespace};
/// use treediff::render::{EXCERPT, Summary};
/// use treediff::text::{Changes, Entities};
///
/// let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
/// let before = parse::html("<h1>Café</h1><p>Open every day.", &options)?.document;
/// let after = parse::html("<h1>Café</h1><p>Open at weekends.", &options)?.document;
/// let matching = treediff::matching::auto(&before, &after, &Default::default());
/// let changes = Changes::new(&before, &after, &matching, &Entities::default());
/// let summary = Summary::new(&changes, EXCERPT);
/// assert!(summary.to_string().starts_with("1 change (1 replaced)\n\nCafé\n  1. replaced: "));
/// # Ok::<(), parse::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The changes, those under one heading together, in the order in which they are read.
    pub sections: Vec<Section>,
    /// What changed and is not seen in the page.
    pub notices: Vec<Detail>,
    /// How many changes there are of each of [`ChangeKind::ALL`], also of those that are not told.
    counts: [usize; ChangeKind::ALL.len()],
    /// How many there are by what they are called, in the order of the kinds.
    names: Vec<(String, usize)>,
}

/// Changes that follow each other under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading and those of the sections around, outermost first; none before the first heading.
    pub headings: Vec<String>,
    /// Its changes.
    pub entries: Vec<Entry>,
}

impl Summary {
    /// Tells all changes, and at most so many characters of each text.
    pub fn new(changes: &Changes<'_>, most: usize) -> Self {
        Self::of_first(changes, usize::MAX, most)
    }

    /// Tells the first changes and the first of formatting, at most so many of each, and counts all.
    pub fn of_first(changes: &Changes<'_>, most_changes: usize, most: usize) -> Self {
        let teller = Teller::new(changes, most_changes, most);
        let mut sections: Vec<Section> = Vec::new();
        let mut known = None;
        for entry in teller.entries() {
            let heading = teller.heading(&entry);
            // Most follow one under the same heading; of others the words may still be the same.
            if known.replace(heading) != Some(heading) {
                let headings = teller.path(heading);
                if sections.last().is_none_or(|last| last.headings != headings) {
                    sections.push(Section { headings, entries: Vec::new() });
                }
            }
            if let Some(last) = sections.last_mut() {
                last.entries.push(entry);
            }
        }
        let mut counts = [0; ChangeKind::ALL.len()];
        changes.list().iter().for_each(|change| counts[change.kind as usize] += 1);
        counts[ChangeKind::Formatting as usize] += changes.formats().len();
        Summary { sections, notices: changes.notices().to_vec(), counts, names: names(changes) }
    }

    /// All entries in order.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.sections.iter().flat_map(|section| &section.entries)
    }

    /// How many there are of every kind that there is.
    pub fn counts(&self) -> Vec<(ChangeKind, usize)> {
        let counted = ChangeKind::ALL.into_iter().map(|kind| (kind, self.counts[kind as usize]));
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// How many changes are not told, those of formatting among them.
    pub fn untold(&self) -> usize {
        self.counts.iter().sum::<usize>() - self.entries().count()
    }

    /// Whether nothing at all changed.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty() && self.notices.is_empty()
    }

    /// How many changes there are, and how many of formatting, in words.
    pub fn count(&self) -> String {
        self.counted("")
    }

    /// The same, with something said of the changes.
    fn counted(&self, said: &str) -> String {
        let formatting = self.counts[ChangeKind::Formatting as usize];
        let many = |count: usize| if count == 1 { "1 change".to_owned() } else { format!("{count} changes") };
        match (self.counts.iter().sum::<usize>() - formatting, formatting) {
            (0, 0) if self.notices.is_empty() => "no changes".to_owned(),
            (0, 0) => "no changes that are seen".to_owned(),
            (0, formatting) => format!("{} of formatting alone", many(formatting)),
            (changes, 0) => format!("{}{said}", many(changes)),
            (changes, formatting) => format!("{}{said}, and {formatting} of formatting", many(changes)),
        }
    }
}
/// How many changes there are by what they are called: what is looked at as a whole need not be an image.
fn names(changes: &Changes<'_>) -> Vec<(String, usize)> {
    let mut counted: BTreeMap<(ChangeKind, &str), usize> = BTreeMap::new();
    for change in changes.list() {
        let named = match change.kind {
            ChangeKind::Image => match entry::whole(changes, change) {
                Some(whole) => (ChangeKind::Image, whole),
                None => (ChangeKind::Replaced, ChangeKind::Replaced.name()),
            },
            kind => (kind, kind.name()),
        };
        *counted.entry(named).or_default() += 1;
    }
    counted.into_iter().map(|((_, name), count)| (name.to_owned(), count)).collect()
}

#[cfg(test)]
mod tests;
