//! Which words of a text changed? The least insertions and deletions of words between two texts.
//!
//! Texts are cut into tokens ([`tokens`]), what is alike at both ends is set aside without cutting it, and what is left
//! is compared by Myers' O(ND) algorithm: the further reaching paths of 0, 1, 2 … edits until one reaches the end.
//! That is quick where little changed and slow where everything did, so its steps are counted against a [`Budget`];
//! beyond it the whole middle counts as replaced ([`Fallback::WholeReplaced`]), which says as much about two texts that
//! have next to nothing in common. Of long texts the lines are compared first, and what is long even then is compared
//! between the words that each text has once.

mod anchors;
mod changes;
mod myers;
mod reading;
mod sentences;
mod stretches;
mod token;
mod whereabouts;
mod words;

pub use changes::{Change, ChangeKind, Changes, Detail, Entities, Fate, Run};
pub use reading::{Addresses, Formats, Item, ItemKind, Reading, Segment, Sentence, Vocabulary};
pub(crate) use reading::{Role, is_shadow};
pub use token::tokens;

use std::ops::Range;

use crate::tree::hash::ByHash;

/// How much work a comparison may take, in steps of about a nanosecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Steps for every token of both texts; a step looks at one diagonal or passes one equal token.
    pub steps_per_token: usize,
    /// The most tokens that are deleted and inserted; their square is what the search has to remember.
    pub edits: usize,
}

impl Default for Budget {
    /// Enough for texts of a hundred words without a common one, or 500 edits in 2,000 words.
    fn default() -> Self {
        Budget { steps_per_token: 64, edits: 4000 }
    }
}

/// What was done instead where the budget did not suffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fallback {
    /// All between two parts that are equal counts as replaced, the ends of the texts or words that each has once.
    WholeReplaced,
}

/// The longest row of pairs that two rows have in common, as the places of each, by their lengths and what is equal in
/// them; `None` where the budget does not suffice.
///
/// ```
/// use treediff::text;
///
/// let (before, after) = (["tea", "milk", "sugar"], ["milk", "honey", "sugar"]);
/// let common = text::common_row([3, 3], |x, y| before[x] == after[y], text::Budget::default());
/// assert_eq!(common, Some(vec![(1, 0), (2, 2)]));
/// ```
pub fn common_row(
    lens: [usize; 2],
    is_equal: impl FnMut(usize, usize) -> bool,
    budget: Budget,
) -> Option<Vec<(usize, usize)>> {
    let hunks = myers::hunks_by(lens, is_equal, budget)?;
    let mut common = Vec::new();
    let mut start = (0, 0);
    for (before, after) in hunks.into_iter().chain([(lens[0]..lens[0], lens[1]..lens[1])]) {
        common.extend((start.0..before.start).zip(start.1..after.start));
        start = (before.end, after.end);
    }
    Some(common)
}

/// What changed between two texts: the places of both that differ.
///
/// ```
/// use treediff::text::{self, Piece};
///
/// let (before, after) = ("the quick fox", "the slow fox");
/// let delta = text::compare(before, after, text::Budget::default());
/// let shown: String = delta.pieces().map(|piece| match piece {
///     Piece::Kept { after: range, .. } => after[range].to_owned(),
///     Piece::Deleted(range) => format!("[-{}-]", &before[range]),
///     Piece::Inserted(range) => format!("{{+{}+}}", &after[range]),
/// }).collect();
/// assert_eq!(shown, "the [-quick-]{+slow+} fox");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextDelta {
    before_bytes: usize,
    after_bytes: usize,
    hunks: Vec<Hunk>,
    fallback: Option<Fallback>,
}

/// A place where two texts differ, as bytes of each; one of the two may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// What is there before.
    pub before: Range<usize>,
    /// What is there after.
    pub after: Range<usize>,
}

/// A piece of one or both texts, as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// It is in both.
    Kept {
        /// Where it was.
        before: Range<usize>,
        /// Where it is.
        after: Range<usize>,
    },
    /// It was in the text before.
    Deleted(Range<usize>),
    /// It is in the text after.
    Inserted(Range<usize>),
}

/// The beginning of what may be very long, for a message: at most so many characters, and `…` where there are more.
pub fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Compares two texts word by word; long ones line by line first, and word by word where lines differ.
pub fn compare(before: &str, after: &str, budget: Budget) -> TextDelta {
    let is_long = before.len().min(after.len()) > LONG;
    let by_lines = if is_long { compare_lines(before, after, budget) } else { None };
    by_lines.unwrap_or_else(|| compare_words(before, after, budget))
}

/// Longer texts are styles and scripts within a page, of which a few lines changed: as words they would take so many steps that
/// nothing would be found in the end.
const LONG: usize = 16 * 1024;
const WORDS_OF_A_LINE: usize = 8;

/// Compares two texts line by line, and word by word where these differ; `None` where even that takes too long.
fn compare_lines(before: &str, after: &str, budget: Budget) -> Option<TextDelta> {
    let mut numbers = ByHash::default();
    let lines = |text| str::split_inclusive(text, '\n');
    let (old, new) = (Tokens::new(lines(before), 0, &mut numbers), Tokens::new(lines(after), 0, &mut numbers));
    let (mut hunks, mut fallback) = (Vec::new(), None);
    // A line is several words, whose steps it may take.
    let for_lines = Budget { steps_per_token: budget.steps_per_token.saturating_mul(WORDS_OF_A_LINE), ..budget };
    for (gone, come) in myers::hunks(&old.numbers, &new.numbers, for_lines)? {
        let (gone, come) = (old.bytes(gone), new.bytes(come));
        let words = compare_words(&before[gone.clone()], &after[come.clone()], budget);
        let moved = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        hunks.extend(
            words
                .hunks
                .into_iter()
                .map(|hunk| Hunk { before: moved(hunk.before, gone.start), after: moved(hunk.after, come.start) }),
        );
        fallback = fallback.or(words.fallback);
    }
    Some(TextDelta { before_bytes: before.len(), after_bytes: after.len(), hunks, fallback })
}

fn compare_words(before: &str, after: &str, budget: Budget) -> TextDelta {
    let (start, end) = token::common_ends(before, after);
    let middle = [&before[start..before.len() - end], &after[start..after.len() - end]];
    let (hunks, fallback) = compare_middle(middle, start, budget);
    TextDelta { before_bytes: before.len(), after_bytes: after.len(), hunks, fallback }
}

/// Compares what lies between the equal ends, whose first is `start` bytes long.
fn compare_middle([before, after]: [&str; 2], start: usize, budget: Budget) -> (Vec<Hunk>, Option<Fallback>) {
    let whole = || vec![Hunk { before: start..start + before.len(), after: start..start + after.len() }];
    match (before.is_empty(), after.is_empty()) {
        (true, true) => return (Vec::new(), None),
        (false, false) => {}
        _ => return (whole(), None),
    }
    let mut numbers = ByHash::default();
    let (before, after) =
        (Tokens::new(tokens(before), start, &mut numbers), Tokens::new(tokens(after), start, &mut numbers));
    let (hunks, is_complete) = anchors::hunks(&before.numbers, &after.numbers, budget);
    let bytes = |(old, new): (Range<usize>, Range<usize>)| Hunk { before: before.bytes(old), after: after.bytes(new) };
    (hunks.into_iter().map(bytes).collect(), (!is_complete).then_some(Fallback::WholeReplaced))
}

/// A text as numbers that are equal where the tokens are, and where each token begins, and the last one ends.
struct Tokens {
    numbers: Vec<u32>,
    places: Vec<usize>,
}

impl Tokens {
    fn new<'t>(tokens: impl Iterator<Item = &'t str>, start: usize, known: &mut ByHash<&'t str, u32>) -> Self {
        let mut places = vec![start];
        let mut numbers = Vec::new();
        for token in tokens {
            let next = known.len() as u32;
            numbers.push(*known.entry(token).or_insert(next));
            places.push(places[places.len() - 1] + token.len());
        }
        Tokens { numbers, places }
    }

    fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        self.places[tokens.start]..self.places[tokens.end]
    }
}

impl TextDelta {
    /// The places where the texts differ, in order, with something kept between any two.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// What was done instead of comparing, where that would have taken too long.
    pub fn fallback(&self) -> Option<Fallback> {
        self.fallback
    }

    /// Whether the texts are the same.
    pub fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Both texts from their beginning to their end; none of the pieces is empty.
    pub fn pieces(&self) -> impl Iterator<Item = Piece> {
        let last = Hunk { before: self.before_bytes..self.before_bytes, after: self.after_bytes..self.after_bytes };
        let mut kept_from = (0, 0);
        self.hunks.iter().cloned().chain([last]).flat_map(move |hunk| {
            let (before, after) = (kept_from.0..hunk.before.start, kept_from.1..hunk.after.start);
            kept_from = (hunk.before.end, hunk.after.end);
            let pieces = [Piece::Kept { before, after }, Piece::Deleted(hunk.before), Piece::Inserted(hunk.after)];
            pieces.into_iter().filter(|piece| !piece.is_empty())
        })
    }

    /// The same change in fewer pieces, for people: places with nothing but white space between them are one.
    ///
    /// Two sentences without a common word share their spaces, and nobody wants to read them word by word in turn.
    pub fn joined(&self, after: &str) -> TextDelta {
        let mut hunks: Vec<Hunk> = Vec::with_capacity(self.hunks.len());
        for hunk in &self.hunks {
            match hunks.last_mut() {
                Some(last) if after.get(last.after.end..hunk.after.start).is_some_and(is_white) => {
                    last.before.end = hunk.before.end;
                    last.after.end = hunk.after.end;
                }
                _ => hunks.push(hunk.clone()),
            }
        }
        TextDelta { hunks, ..*self }
    }
}

fn is_white(text: &str) -> bool {
    text.chars().all(char::is_whitespace)
}

impl Piece {
    fn is_empty(&self) -> bool {
        match self {
            Piece::Kept { before: range, .. } | Piece::Deleted(range) | Piece::Inserted(range) => range.is_empty(),
        }
    }
}

#[cfg(test)]
mod tests;
