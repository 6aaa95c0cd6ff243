//! Where are the words of a text that is written without spaces? A dictionary tells, if there is one.

use std::collections::VecDeque;
#[cfg(feature = "dictionaries")]
use std::sync::LazyLock;

#[cfg(feature = "dictionaries")]
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};

/// How many bytes at the beginning of a text are of scripts without spaces between words.
pub(super) fn run(text: &str) -> usize {
    let is_first = |at: usize| at == 0;
    let belongs = |at: usize, character| is_spaceless(character) || !is_first(at) && is_riding(character);
    text.char_indices().find(|&(at, character)| !belongs(at, character)).map_or(text.len(), |(at, _)| at)
}

/// Scripts that the dictionaries know. Hangul is written with spaces.
#[cfg(feature = "dictionaries")]
fn is_spaceless(character: char) -> bool {
    matches!(character,
        '\u{E01}'..='\u{E3A}' | '\u{E40}'..='\u{EFF}' // Thai and Lao
        | '\u{1000}'..='\u{109F}' | '\u{A9E0}'..='\u{A9FF}' | '\u{AA60}'..='\u{AA7F}' // Burmese
        | '\u{1780}'..='\u{17FF}' // Khmer
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' // kana
        | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}' // Han
    )
}

#[cfg(not(feature = "dictionaries"))]
fn is_spaceless(_: char) -> bool {
    false
}

/// What belongs to the character before it, whatever its script.
fn is_riding(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36F}' | '\u{200C}' | '\u{200D}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{E0100}'..='\u{E01EF}')
}

/// Finds the ends of all words of such a run.
#[cfg(feature = "dictionaries")]
pub(super) fn find_ends(run: &str, start: usize, ends: &mut VecDeque<usize>) {
    // The first of the breaks is the beginning.
    ends.extend(DICTIONARIES.segment_str(run).skip(1).map(|end| start + end));
}

/// Looked up once: finding the tables takes as long as cutting a sentence.
#[cfg(feature = "dictionaries")]
static DICTIONARIES: LazyLock<WordSegmenterBorrowed<'static>> =
    LazyLock::new(|| WordSegmenter::new_dictionary(Default::default()));

#[cfg(not(feature = "dictionaries"))]
pub(super) fn find_ends(run: &str, start: usize, ends: &mut VecDeque<usize>) {
    ends.push_back(start + run.len());
}
