//! Where do the sentences of running text end, in any language?
//!
//! A full stop, with the quotes and brackets behind it, ends a sentence where white space and another beginning follow;
//! a small letter is no beginning. Titles, references and initials (`Dr.`, `No. 5`, `J. Smith`) end none. In doubt the
//! sentence ends: half a sentence is compared as well as a whole one, but two sentences in one hide which of them changed.
//! So `U.S. Army` falls apart, and no list of abbreviations need be complete.
//!
//! The words of a block come one by one, from however many text nodes, and the decision is made when the next word
//! is there: no text is kept but the last word's beginning. Rejected: the sentence boundaries of UAX #29, which end
//! `Dr. Smith` and know no block whose text is in pieces.

use super::words::{WordKind, direction};

/// Finds the ends of sentences while the words of a block pass by.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentenceEnds {
    state: State,
    last: LastWord,
    /// How many words there are in this sentence, as far as that matters.
    n_words: u8,
    /// Whether nothing stands between the last word and what comes next.
    is_touching: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Inside,
    /// Behind a stop and what closes with it.
    Stopped(Stop),
    /// In the brackets of a note that stands right behind a stop, `[12]`.
    InNote(Stop),
    /// Behind a stop and white space.
    Apart(Stop),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    /// `.`, which has many other uses.
    Point,
    /// `!`, `?`, `…`: ends a sentence unless a small letter follows.
    Cry,
    /// `。`, `।`: nothing but the end of a sentence, and needs no white space.
    Final,
}

impl SentenceEnds {
    /// Takes the next word of the block, with whether white space stands before it, and tells whether a sentence ended
    /// there.
    pub(crate) fn ended_before(&mut self, text: &str, kind: WordKind, is_spaced: bool) -> bool {
        if is_spaced {
            self.see_white();
        }
        let ended = match kind {
            // A sentence ends behind it or before it as if it were not there.
            WordKind::Punctuation if direction(text).is_some() => return false,
            WordKind::White => {
                self.see_white();
                false
            }
            WordKind::Punctuation => self.see_mark(text),
            WordKind::Letters => self.see_word(text),
        };
        if ended {
            self.n_words = 0;
        }
        // Behind a stop only a note has words that begin nothing, and its words are not the sentence's.
        if kind == WordKind::Letters && self.state == State::Inside {
            self.remember(text);
        }
        self.is_touching = kind == WordKind::Letters;
        ended
    }

    fn remember(&mut self, text: &str) {
        // What stands together is one word, by a dictionary or with markup inside it.
        if !self.is_touching {
            self.last = LastWord::default();
            self.n_words = self.n_words.saturating_add(1);
        }
        self.last.push(text);
    }

    fn see_white(&mut self) {
        self.is_touching = false;
        if let State::Stopped(stop) = self.state {
            self.state = State::Apart(stop);
        }
    }

    fn see_mark(&mut self, text: &str) -> bool {
        match self.state {
            State::InNote(stop) if text == "]" => self.state = State::Stopped(stop),
            State::InNote(_) if stop(text).is_none() => {}
            State::Stopped(stop) if text == "[" => self.state = State::InNote(stop),
            State::Stopped(Stop::Final) if is_surely_opening(text) => return self.end(),
            State::Stopped(_) if is_closing(text) => {}
            State::Apart(stop) if is_opening(text) && self.may_end(stop) => return self.end(),
            // A dash or a bullet: the word behind it tells.
            State::Apart(_) if stop(text).is_none() && !is_joining(text) => {}
            _ => self.state = stop(text).filter(|_| self.n_words > 0).map_or(State::Inside, State::Stopped),
        }
        false
    }

    fn see_word(&mut self, text: &str) -> bool {
        if self.state == State::Inside {
            return false;
        }
        let is_small = begins_small(text);
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        match self.state {
            State::InNote(_) => return false,
            // The number of a note, raised or not.
            State::Stopped(Stop::Point | Stop::Cry) if is_number => return false,
            State::Stopped(Stop::Final) | State::Apart(Stop::Final) => return self.end(),
            State::Apart(stop) if !is_small && self.may_end(stop) && !self.goes_on(stop, text) => return self.end(),
            _ => self.state = State::Inside,
        }
        false
    }

    fn end(&mut self) -> bool {
        self.state = State::Inside;
        true
    }

    /// Whether the stop behind the last word can be one at all.
    fn may_end(&self, stop: Stop) -> bool {
        let is_item_number = self.n_words == 1 && self.last.is_number();
        stop != Stop::Point || !(self.last.is_title() || is_item_number)
    }

    /// Whether the last word and this one belong together in spite of the point between them: `No. 5`, `3. Oktober`.
    fn goes_on(&self, stop: Stop, text: &str) -> bool {
        let begins_with_digit = text.starts_with(|first: char| first.is_numeric());
        stop == Stop::Point
            && (begins_with_digit && self.last.is_label() || self.last.is_number() && MONTHS.contains(&text))
    }
}

/// Whether a word cannot begin a sentence; `iPhone` can.
fn begins_small(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(char::is_lowercase) && !characters.next().is_some_and(char::is_uppercase)
}

fn stop(text: &str) -> Option<Stop> {
    match text.chars().next()? {
        '.' if text.len() > 1 => Some(Stop::Cry),
        '.' => Some(Stop::Point),
        '!' | '?' | '…' | '‼' | '‽' | '⁇' | '⁈' | '⁉' => Some(Stop::Cry),
        '。' | '！' | '？' | '｡' | '．' | '؟' | '۔' | '।' | '॥' | '։' | '።' | '፧' | '།' | '။' | '។' | '៕'
        | '\u{37E}' => Some(Stop::Final),
        _ => None,
    }
}

/// What belongs to the sentence that a stop ended, if it stands right behind it; many quotes open here and close there.
fn is_closing(text: &str) -> bool {
    is_quote(text) || matches!(text, ")" | "]" | "}" | "“" | "‘" | "«" | "‹" | "」" | "』" | "）" | "》" | "〉" | "】")
}

/// What belongs to the next sentence, if white space stands before it.
fn is_opening(text: &str) -> bool {
    is_quote(text) || is_surely_opening(text)
}

/// What belongs to the next sentence where no white space is written.
fn is_surely_opening(text: &str) -> bool {
    matches!(
        text,
        "(" | "[" | "{" | "«" | "“" | "‘" | "„" | "‚" | "‹" | "¿" | "¡" | "「" | "『" | "（" | "《" | "〈" | "【"
    )
}

/// Quotes that close in most languages, and open in some.
fn is_quote(text: &str) -> bool {
    matches!(text, "\"" | "'" | "”" | "’" | "»" | "›")
}

/// Marks that show that the sentence goes on.
fn is_joining(text: &str) -> bool {
    matches!(text, "," | ";" | ":" | "،" | "、" | "，")
}

/// The last word, as far as short words are concerned.
#[derive(Debug, Clone, Copy, Default)]
struct LastWord {
    bytes: [u8; LastWord::MOST],
    /// How many bytes the word has; those of a longer one are not kept.
    len: usize,
}

impl LastWord {
    const MOST: usize = 12;

    fn push(&mut self, text: &str) {
        let end = self.len.saturating_add(text.len());
        if let Some(bytes) = self.bytes.get_mut(self.len..end) {
            bytes.copy_from_slice(text.as_bytes());
        }
        self.len = end;
    }

    /// The word, or nothing if it is long.
    fn text(&self) -> &str {
        self.bytes.get(..self.len).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// A word that is never the last of a sentence with its point: an initial, a title, what introduces an example.
    fn is_title(&self) -> bool {
        let text = self.text();
        let mut characters = text.chars();
        let is_initial = characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none();
        is_initial || TITLES.binary_search(&text).is_ok()
    }

    /// A word whose point is followed by a number.
    fn is_label(&self) -> bool {
        LABELS.binary_search(&self.text()).is_ok()
    }

    fn is_number(&self) -> bool {
        !self.text().is_empty() && self.text().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    }
}

/// Abbreviations that want something behind them, in the languages that are met most, in the order of their bytes.
const TITLES: &[&str] = &[
    "Abb", "Abs", "Avv", "Bd", "Bros", "Capt", "Cf", "Col", "Dott", "Dr", "Dra", "Drs", "E.g", "Fr", "Frl", "Gen",
    "Gov", "Hon", "Hr", "Hrn", "I.e", "Ing", "Lt", "MM", "Maj", "Messrs", "Mlle", "Mme", "Mr", "Mrs", "Ms", "Mt", "Mx",
    "Nr", "Pres", "Prof", "Rep", "Rev", "Sen", "Sgt", "Sig", "Sr", "Sra", "Srta", "St", "Ste", "Tel", "Ud", "Uds",
    "Vgl", "approx", "bijv", "bl.a", "bzw", "ca", "cf", "d.h", "dhr", "dr", "e.g", "evtl", "ex", "gen", "ggf", "hl",
    "i.e", "inkl", "inż", "mevr", "mgr", "např", "np", "o.ä", "p.ej", "p.ex", "prof", "resp", "s.k", "sog", "t.ex",
    "tj", "tzn", "tzv", "u.a", "v.a", "vgl", "viz", "vs", "z.B", "z.T", "zgl", "zzgl", "św", "акад", "в.т.ч", "гр",
    "им", "напр", "проф", "см", "стр", "т.е", "т.к", "ул",
];

/// Abbreviations that want a number behind them.
const LABELS: &[&str] = &[
    "Apr", "Art", "Aug", "Ch", "Dec", "Eq", "Feb", "Fig", "Figs", "Jan", "Jul", "Jun", "Kap", "Mar", "No", "Nos",
    "Nov", "Num", "Oct", "Pt", "Ref", "Sec", "Sep", "Sept", "Tab", "Vol", "art", "ch", "fig", "no", "nos", "nr", "núm",
    "p", "pag", "pp", "pág", "sec", "str", "vol",
];

/// Months that follow the number of the day and its point, with a capital letter.
#[rustfmt::skip]
const MONTHS: &[&str] = &[
    "Januar", "Jänner", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober", "November",
    "Dezember",
];

#[cfg(test)]
mod tests;
