//! Which words are the same? Each gets a number, and a passage that was cut into words once is not cut again.
//!
//! Most words are looked up and few are new, so the words stand behind one another in one text, and a table by open
//! addressing leads from a word to its number; a map of boxed words took an allocation for each. Of two versions of a page
//! most passages are the same, letter by letter: those of the first are remembered by their hash, and the second takes their
//! items over, which costs a tenth of cutting and looking up.

use std::ops::Range;

use super::super::words::is_unseen;
use crate::tree::hash::{self, ByHash, Key};

/// Numbers of words, the same for all readings that are compared.
#[derive(Debug)]
pub struct Vocabulary {
    text: String,
    /// By number; the first is none.
    words: Vec<Word>,
    /// Numbers, 0 where free; always a power of two, at most half of them taken.
    slots: Vec<u32>,
    key: Key,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    /// Where it ends in the text; it begins where the one before ends.
    end: u32,
    /// A part of its hash, so that few words are compared in vain.
    tag: u32,
}

impl Default for Vocabulary {
    fn default() -> Self {
        let none = Word { end: 0, tag: 0 };
        Vocabulary { text: String::new(), words: vec![none], slots: vec![0; FIRST_SLOTS], key: Key::random() }
    }
}

/// Enough for the words of a small page.
const FIRST_SLOTS: usize = 1 << 10;

impl Vocabulary {
    /// The number of a word, which is equal where nobody sees a difference; none has 0.
    pub(super) fn number(&mut self, word: &str) -> u32 {
        if !hash::is_ascii(word.as_bytes()) && word.contains(is_unseen) {
            return self.number_without_unseen(word);
        }
        self.number_seen(word)
    }

    #[inline(never)]
    fn number_without_unseen(&mut self, word: &str) -> u32 {
        self.number_seen(&word.replace(is_unseen, ""))
    }

    #[inline(always)]
    fn number_seen(&mut self, word: &str) -> u32 {
        let hash = hash::keyed_run(self.key, word.as_bytes());
        let tag = (hash >> 32) as u32;
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return self.insert(slot, word, tag),
                number
                    if self.words[number as usize].tag == tag && hash::is_same(self.word(number), word.as_bytes()) =>
                {
                    return number;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    fn word(&self, number: u32) -> &[u8] {
        let at = number as usize;
        &self.text.as_bytes()[self.words[at - 1].end as usize..self.words[at].end as usize]
    }

    #[inline(never)]
    fn insert(&mut self, slot: usize, word: &str, tag: u32) -> u32 {
        let number = self.words.len() as u32;
        self.text.push_str(word);
        self.words.push(Word { end: self.text.len() as u32, tag });
        self.slots[slot] = number;
        if self.words.len() * 2 > self.slots.len() {
            self.grow();
        }
        number
    }

    fn grow(&mut self) {
        let mask = self.slots.len() * 2 - 1;
        self.slots.clear();
        self.slots.resize(mask + 1, 0);
        for number in 1..self.words.len() as u32 {
            let mut slot = hash::keyed_run(self.key, self.word(number)) as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number;
        }
    }
}

/// The passages of a reading, to be found by their text.
#[derive(Debug)]
pub struct Passages {
    by_hash: ByHash<u64, u32>,
    list: Vec<Passage>,
}

/// A passage in which nothing is looked at as a whole, by the places of its parts in its reading.
#[derive(Debug, Clone)]
pub struct Passage {
    text: Range<u32>,
    items: Range<u32>,
    sentences: Range<u32>,
    /// Whether its white space counts.
    pub is_preserved: bool,
}

impl Passage {
    pub fn new(text: Range<usize>, items: Range<usize>, sentences: Range<usize>, is_preserved: bool) -> Self {
        // A page is read by its bytes, of which there are not more.
        let [text, items, sentences] = [text, items, sentences].map(|range| range.start as u32..range.end as u32);
        Passage { text, items, sentences, is_preserved }
    }

    /// The places of its text, items and sentences.
    pub fn places(&self) -> [Range<usize>; 3] {
        [&self.text, &self.items, &self.sentences].map(|range| range.start as usize..range.end as usize)
    }
}

/// Shorter ones are cut as soon as they are found.
const REMEMBERED_BYTES: usize = 16;

impl Passages {
    /// Room for so many.
    pub fn with_capacity(count: usize) -> Self {
        Passages {
            by_hash: ByHash::with_capacity_and_hasher(count, Default::default()),
            list: Vec::with_capacity(count),
        }
    }

    /// Remembers a passage of a reading's text; of those that are equal, the first.
    pub fn insert(&mut self, text: &str, passage: Passage) {
        let next = self.list.len() as u32;
        let [place, ..] = passage.places();
        let text = &text.as_bytes()[place];
        if text.len() >= REMEMBERED_BYTES && *self.by_hash.entry(hash::bytes(text)).or_insert(next) == next {
            self.list.push(passage);
        }
    }

    /// A passage that may have this text. That it has it is for the asker to see: hashes can be made to collide.
    pub fn get(&self, text: &str) -> Option<&Passage> {
        let text = Some(text.as_bytes()).filter(|text| text.len() >= REMEMBERED_BYTES)?;
        self.by_hash.get(&hash::bytes(text)).map(|&at| &self.list[at as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_one_number_each() {
        let mut vocabulary = Vocabulary::default();
        let words: Vec<String> = (0..5_000).map(|word| format!("{word}{}", "x".repeat(word % 40))).collect();
        let numbers: Vec<u32> = words.iter().map(|word| vocabulary.number(word)).collect();
        assert_eq!(numbers, (1..=5_000).collect::<Vec<_>>());
        assert_eq!(words.iter().map(|word| vocabulary.number(word)).collect::<Vec<_>>(), numbers);
        assert_eq!(vocabulary.number("co\u{AD}op"), vocabulary.number("coop"));
    }
}
