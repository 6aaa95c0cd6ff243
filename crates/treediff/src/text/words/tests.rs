use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::*;

fn pieces(text: &str) -> Vec<&str> {
    words(text).map(|word| &text[word.range]).collect()
}

/// Words as they come, with `|` between them; white space is left out.
#[track_caller]
fn check(text: &str, expected: &str) {
    let seen: Vec<&str> =
        words(text).filter(|word| word.kind != WordKind::White).map(|word| &text[word.range]).collect();
    assert_eq!(seen.join("|"), expected);
}

#[test]
fn english_words_keep_their_apostrophes_and_numbers_their_points() {
    check("I can't say; it's Joe's.", "I|can't|say|;|it's|Joe's|.");
    check("don’t stop at six o’clock", "don’t|stop|at|six|o’clock");
    check("'tis the dogs' bone", "'|tis|the|dogs|'|bone");
    check("3.14 and 1,000.5, or 50%", "3.14|and|1,000.5|,|or|50|%");
    check("$5 -- £6 – €7", "$|5|--|£|6|–|€|7");
    check("the U.S.A. is", "the|U.S.A|.|is");
    check("a well-known e-mail", "a|well|-|known|e|-|mail");
    check("version 2.0.1-rc1, at 12:30", "version|2.0.1|-|rc1|,|at|12|:|30");
    check("wait... what?! (((no)))", "wait|...|what|?|!|(|(|(|no|)|)|)");
    check("snake_case ____ ====", "snake_case|____|====");
}

#[test]
fn addresses_come_in_pieces() {
    check("https://example.org/a_b?x=1&y=2#top", "https|:|//|example.org|/|a_b|?|x|=|1|&|y|=|2|#|top");
    check("joe.doe@mail.example.org", "joe.doe|@|mail.example.org");
    check("key:value", "key|:|value");
}

#[test]
fn languages_with_spaces() {
    check("Das größte Übel: Öl für 3,50 €!", "Das|größte|Übel|:|Öl|für|3,50|€|!");
    check("L’été, c’est fini\u{202F}!", "L’été|,|c’est|fini|!");
    check("1\u{202F}000\u{A0}km", "1\u{202F}000|km");
    check("¿Qué tal, señor?", "¿|Qué|tal|,|señor|?");
    check("Привет, мир — 5-й раз", "Привет|,|мир|—|5|-|й|раз");
    check("Το τρένο·η ώρα;", "Το|τρένο·η|ώρα|;");
    check("안녕하세요, 세계!", "안녕하세요|,|세계|!");
    check("यह हिन्दी है।", "यह|हिन्दी|है|।");
    check("Việt Nam đất nước", "Việt|Nam|đất|nước");
    check("e\u{301}te\u{301} cafe\u{301}", "e\u{301}te\u{301}|cafe\u{301}");
}

#[test]
fn scripts_from_right_to_left_keep_their_marks() {
    check("שָׁלוֹם, עוֹלָם!", "שָׁלוֹם|,|עוֹלָם|!");
    check("צה\"ל \"אמר\"", "צה\"ל|\"|אמר|\"");
    check("مَرْحَبًا بِالعَالَم؟", "مَرْحَبًا|بِالعَالَم|؟");
    check("می‌خواهم", "می‌خواهم");
}

#[cfg(feature = "dictionaries")]
#[test]
fn languages_without_spaces_are_cut_by_dictionary() {
    check("東京は日本の首都です。", "東京|は|日本|の|首都|です|。");
    check("コンピュータの電源を入れる", "コンピュータ|の|電源|を|入れる");
    check("今天天气很好，我们去公园。", "今天|天气|很好|，|我们|去|公园|。");
    check("2024年Rust入門", "2024|年|Rust|入門");
    check("ฉันชอบกินข้าว", "ฉัน|ชอบ|กิน|ข้าว");
    check("ປະເທດລາວ", "ປະເທດ|ລາວ");
    check("នៃព្រះរាជាណាចក្រកម្ពុជា", "នៃ|ព្រះរាជាណាចក្រ|កម្ពុជា");
    check("မြန်မာနိုင်ငံ၏။", "မြန်မာနိုင်ငံ|၏|။");
}

#[cfg(not(feature = "dictionaries"))]
#[test]
fn languages_without_spaces_are_cut_by_character() {
    check("東京は日本の。", "東|京|は|日|本|の|。");
    check("กิน", "กิ|น");
}

#[test]
fn emoji_are_words_and_stay_whole() {
    check("ok 👍🏽👩‍👩‍👧🇩🇪🇫🇷 ☂", "ok|👍🏽|👩‍👩‍👧|🇩🇪|🇫🇷|☂");
    assert!(words("👍🏽 ☂ 🇩🇪").all(|word| word.kind != WordKind::Punctuation));
}

#[test]
fn what_nobody_sees_is_white_or_inside_a_word() {
    check("hy\u{AD}phen", "hy\u{AD}phen");
    check("zero\u{200B}width", "zero|width");
    check("a \u{200E} \u{FEFF} b\u{200F}", "a|b\u{200F}");
    assert!("hy\u{AD}phen".chars().filter(|&character| !is_unseen(character)).eq("hyphen".chars()));
}

#[test]
fn what_sets_a_direction_is_seen() {
    check("to \u{202E}123\u{202C} now", "to|\u{202E}|123|\u{202C}|now");
    check("a\u{2066}\u{202D}b\u{202C}\u{2069}c", "a|\u{2066}|\u{202D}|b|\u{202C}|\u{2069}|c");
    assert_eq!(direction("\u{202E}"), Some('\u{202E}'));
    assert_eq!(["", "a", "\u{202E}a", "\u{2060}"].map(direction), [None; 4]);
}

#[test]
fn white_space_is_cut_at_line_ends() {
    assert_eq!(pieces("a \t b\r\n\n  c"), ["a", " \t ", "b", "\r\n", "\n", "  ", "c"]);
    assert!(words(" \u{A0}\u{3000}\u{2028}\u{85}").all(|word| word.kind == WordKind::White));
}

/// Characters whose company matters: every class of UAX #29, and what the fast path treats by itself.
const TRICKY: &str = "aZ09_.,;'’‘“”–—\"-!?()= \té×÷ßµªºɐñДяѿҐבש\u{5B8}ن\u{64E}ա한ꙮΩ·٣\u{301}\u{200D}\u{AD}\u{200E}\u{FE0F}🇩🇪👍🏽👩☂…\u{A0}\u{2060}";

fn tricky_text() -> impl Strategy<Value = String> {
    let characters: Vec<char> = TRICKY.chars().collect();
    prop::collection::vec(prop::sample::select(characters), 0..24).prop_map(String::from_iter)
}

/// Whether the module's docs state that the cut between these two is none of UAX #29's.
fn is_departure(before: char, after: char) -> bool {
    before.is_whitespace() || after.is_whitespace() || before == after && before.is_ascii_punctuation()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn words_end_where_unicode_ends_them(text in tricky_text()) {
        let ours: Vec<usize> = words(&text).map(|word| word.range.end).collect();
        let theirs: Vec<usize> = text.split_word_bound_indices().map(|(at, word)| at + word.len()).collect();
        for ((_, before), (at, after)) in text.char_indices().zip(text.char_indices().skip(1)) {
            if !is_departure(before, after) {
                prop_assert_eq!(ours.contains(&at), theirs.contains(&at), "{:?} at {}: {:?}", text, at, ours);
            }
        }
    }
}

proptest! {
    #[test]
    fn words_together_are_the_text(text in "(\\PC|[ :\n\u{202F}\u{202E}\u{2069}a1กข東京のラ\u{3099}\u{301}]){0,40}") {
        let mut end = 0;
        for word in words(&text) {
            prop_assert_eq!(word.range.start, end);
            prop_assert!(!word.range.is_empty());
            end = word.range.end;
        }
        prop_assert_eq!(end, text.len());
    }
}
