//! How is the difference of two sentences marked so that it can be read? Where phrases begin (`slide`), images and fields each by
//! itself (`wholes`), and without words of chance between changes (`islands`).

use std::ops::Range;

use super::super::reading::ItemKind;
use super::super::{Budget, stretches};
use super::wholes::{self, Whole};
use super::{islands, slide};

/// Where two rows differ.
pub type Hunk = (Range<usize>, Range<usize>);

/// Pairs have much in common, so that more work is worth it: sentences of 2,000 words of which half changed.
const SENTENCES: Budget = Budget { steps_per_token: 256, edits: 2000 };

/// What differs between two sentences, as a reader would mark it.
pub fn hunks(before: &Measures, after: &Measures) -> Vec<Hunk> {
    let rows = [before, after];
    let hunks = match rows.iter().all(|row| row.has_links()) {
        true => hunks_of_links(rows),
        false => stretches::hunks(&before.numbers, &after.numbers, SENTENCES),
    };
    islands::joined(wholes::apart(slide::slid(hunks, rows), rows), rows)
}

/// The same where words are links: first those are the same that lead to the same place, so that of several links with the same
/// words each has its own partner; and between them those that are written alike.
fn hunks_of_links(rows: [&Measures; 2]) -> Vec<Hunk> {
    let [before, after] = rows;
    let items = rows.map(Measures::items);
    let mut hunks = Vec::new();
    for (old, new) in stretches::hunks(&items[0], &items[1], SENTENCES) {
        let inner = stretches::hunks(&before.numbers[old.clone()], &after.numbers[new.clone()], SENTENCES);
        let shifted = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        hunks.extend(inner.into_iter().map(|(there, here)| (shifted(there, old.start), shifted(here, new.start))));
    }
    hunks
}

/// A sentence as far as reading is concerned.
#[derive(Debug, Default)]
pub struct Measures {
    /// Equal where items are.
    pub numbers: Vec<u32>,
    /// How much each weighs in the reader's eye, in letters; nothing if it does not count.
    pub letters: Vec<u32>,
    /// Those that are looked at as a whole.
    pub wholes: Vec<Whole>,
    /// Where those lead to that are links, by number; 0 for others.
    targets: Vec<u32>,
    /// How well a cut reads before each.
    ease: Vec<u8>,
    last: Option<ItemKind>,
}

/// How well a cut at white space reads, at least.
const SPACED: u8 = 2;
/// How well a cut at an end reads.
const END: u8 = 4;
/// What an image weighs, and a number, whose digits say nothing about it.
const ATOM_LETTERS: u32 = 20;
const NUMBER_LETTERS: u32 = 3;

impl Measures {
    /// Room for so many items.
    pub fn with_capacity(count: usize) -> Self {
        Measures {
            numbers: Vec::with_capacity(count),
            letters: Vec::with_capacity(count),
            targets: Vec::with_capacity(count),
            ease: Vec::with_capacity(count),
            ..Measures::default()
        }
    }

    /// Says of the item that was added last where it leads to.
    pub fn lead_to(&mut self, target: u32) {
        if let Some(last) = self.targets.last_mut() {
            *last = target;
        }
    }

    /// An item, with where it leads to.
    pub fn item(&self, at: usize) -> (u32, u32) {
        (self.numbers[at], self.targets[at])
    }

    /// All items with where they lead to, a number each.
    fn items(&self) -> Vec<u64> {
        self.numbers
            .iter()
            .zip(&self.targets)
            .map(|(&number, &target)| u64::from(number) << 32 | u64::from(target))
            .collect()
    }

    fn has_links(&self) -> bool {
        self.leads_somewhere(0..self.targets.len())
    }

    /// Whether some items are links, at least in part.
    pub fn leads_somewhere(&self, items: Range<usize>) -> bool {
        self.targets[items].iter().any(|&target| target != 0)
    }

    /// Adds an item.
    pub fn push(&mut self, number: u32, written: &str, kind: ItemKind, is_spaced: bool) {
        self.numbers.push(number);
        self.targets.push(0);
        self.letters.push(letters(kind, written));
        self.ease.push(match self.last {
            None => END,
            Some(ItemKind::White) => SPACED,
            Some(last) => SPACED * u8::from(is_spaced) + u8::from(last == ItemKind::Punctuation),
        });
        self.last = Some(kind);
    }

    /// Adds an item that is looked at as a whole, of this kind.
    pub fn push_whole(&mut self, number: u32, kind: u64, is_spaced: bool) {
        self.wholes.push(Whole { at: self.numbers.len(), kind, content: number });
        self.push(number, "", ItemKind::Atom, is_spaced);
    }

    /// How well a cut reads before an item, or behind the last: at an end, at a space, behind a mark, in this order.
    pub fn ease(&self, at: usize) -> u8 {
        self.ease.get(at).copied().unwrap_or(END)
    }

    /// Whether an item is glued to the one before it, as parts of a compound are.
    pub fn is_glued(&self, at: usize) -> bool {
        self.ease(at) < SPACED
    }
}

/// How much an item weighs in the reader's eye.
pub fn letters(kind: ItemKind, written: &str) -> u32 {
    match kind {
        ItemKind::Word if written.starts_with(|first: char| first.is_numeric()) => NUMBER_LETTERS,
        ItemKind::Word | ItemKind::Passage => written.chars().count() as u32,
        ItemKind::Atom => ATOM_LETTERS,
        ItemKind::Punctuation | ItemKind::White => 0,
    }
}

/// A text for tests: its words and their measures.
#[cfg(test)]
pub struct Text<'t> {
    pub words: Vec<&'t str>,
    pub measures: Measures,
}

#[cfg(test)]
impl<'t> Text<'t> {
    pub fn new(text: &'t str) -> Self {
        use super::super::words::{WordKind, words};

        let mut words_seen = Vec::new();
        let mut measures = Measures::default();
        let mut is_spaced = true;
        for word in words(text) {
            let written = &text[word.range];
            let kind = match word.kind {
                WordKind::White => {
                    is_spaced = true;
                    continue;
                }
                WordKind::Letters => ItemKind::Word,
                WordKind::Punctuation => ItemKind::Punctuation,
            };
            let number = written.bytes().fold(7, |number: u32, byte| number.wrapping_mul(31) + u32::from(byte));
            words_seen.push(written);
            measures.push(number, written, kind, is_spaced);
            is_spaced = false;
        }
        Text { words: words_seen, measures }
    }

    /// What differs, as it comes.
    pub fn hunks(&self, after: &Text<'_>) -> Vec<Hunk> {
        stretches::hunks(&self.measures.numbers, &after.measures.numbers, SENTENCES)
    }
}
