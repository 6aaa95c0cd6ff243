use super::super::words::words;
use super::*;

/// Sentences as they come, with ` | ` between them, each without the white space behind it.
fn sentences(nodes: &[&str]) -> String {
    let mut ends = SentenceEnds::default();
    let mut sentences = vec![String::new()];
    let mut is_spaced = true;
    for node in nodes {
        for word in words(node) {
            let text = &node[word.range];
            let is_white = word.kind == WordKind::White;
            if !is_white && ends.ended_before(text, word.kind, is_spaced) {
                sentences.push(String::new());
            }
            is_spaced = is_white;
            sentences.last_mut().unwrap().push_str(text);
        }
    }
    sentences.iter().map(|sentence| sentence.trim()).collect::<Vec<_>>().join(" | ")
}

#[track_caller]
fn check(expected: &str) {
    assert_eq!(sentences(&[&expected.replace(" | ", " ")]), expected);
}

/// The same where no space stands between sentences.
#[track_caller]
fn check_unspaced(expected: &str) {
    assert_eq!(sentences(&[&expected.replace(" | ", "")]), expected);
}

#[test]
fn stops_end_sentences() {
    check("It rained. | We left! | Did you? | Well… | Never mind.");
    check("It was 1999. | 5 people came.");
    check("No stop at the end");
    check("He is 5. | Then he is 6.");
    check("What?! | No!!! | Oh... | Yes.");
}

#[test]
fn a_small_letter_goes_on() {
    check("Yahoo! is a company. | iPhones are phones, etc. and so on.");
    check("He came ... and went.");
    check("At 5 p.m. it rained.");
}

#[test]
fn quotes_and_brackets_belong_to_the_sentence() {
    check("He said “Go.” | She went.");
    check("(It rained.) | We left.");
    check("It rained. | “Why?” she asked. | (Nobody knew.)");
    check("It rained. | \"Why?\" she asked.");
    check("'Stop!' he cried.");
    check("Er sagte: „Geh.“ | Sie ging.");
}

#[test]
fn abbreviations_end_nothing() {
    check("Dr. Smith met Mr. J. R. Jones, e.g. Monday, vs. Prof. Lee. | They talked.");
    check("See No. 5, Fig. 3 and pp. 10–12. | No. | He left.");
    check("On Jan. 5 it rained.");
    check("e.g. (this) or cf. “that”.");
    check("The U.S.A. won.");
}

#[test]
fn numbers_and_names_with_points_are_words() {
    check("Pi is 3.14 and not 3. | Version 2.0.1 is at example.org. | Done.");
    check("1. Introduction");
    check("2.1. Basics of it. | More.");
}

#[test]
fn notes_stay_with_their_sentence() {
    check("It rained.[1] | We left.[note 2][3] | All.[note A] | Nobody stayed.");
    check("It rained.[not closed. | We left. | All did.");
    assert_eq!(sentences(&["It rained.", "12", " We left."]), "It rained.12 | We left.");
}

#[test]
fn text_nodes_do_not_matter() {
    assert_eq!(sentences(&["It", " ", "rained", ".", " ", "W", "e left", ". Oh"]), "It rained. | We left. | Oh");
    assert_eq!(sentences(&["D", "r", ". Smith"]), "Dr. Smith");
    assert_eq!(sentences(&["Roo", "m", ". Smith"]), "Room. | Smith");
}

#[test]
fn many_languages() {
    check("Am 3. Oktober 1990 war es z. B. bzw. Nr. 5 so weit. | Über Österreich schien die Sonne.");
    check("Il pleut. | Élise et M. Dupont, p. ex. Jean, partent ! | Où ? | Là.");
    check("¿Qué tal, Sr. Gómez? | ¡Bien! | El núm. 5 ganó.");
    check("Шёл дождь. | Мы ушли, т.е. А. С. Пушкин и все. | Что? | Да!");
    check("Padał deszcz. | Pan dr. Nowak np. Ewa wyszedł. | Żeby nie.");
    check("Έβρεχε. | Φύγαμε\u{37E} | Ναι.");
    check("هل أمطرت؟ | نعم. | ذهبنا.");
    check("ירד גשם. | הלכנו! | למה?");
    check("बारिश हुई। | हम गए। | क्यों?");
    check("비가 왔다. | 우리는 떠났다. | 왜?");
    check("Yağmur yağdı. | İstanbul'a gittik. | Çok güzel!");
    check("Անձրև եկավ։ | Մենք գնացինք։");
    check_unspaced("下雨了。 | 我们走吧！ | 为什么？ | “不知道。” | 他说。");
    check_unspaced("雨が降った。 | 「なぜ？」 | と聞いた。");
    check_unspaced("မိုးရွာသည်။ | သွားသည်။");
}

#[test]
fn white_space_may_come_as_a_word() {
    let mut ends = SentenceEnds::default();
    let words =
        [("It", WordKind::Letters), (".", WordKind::Punctuation), ("  ", WordKind::White), ("We", WordKind::Letters)];
    assert_eq!(words.map(|(text, kind)| ends.ended_before(text, kind, false)), [false, false, false, true]);
}

#[test]
fn stops_alone_are_no_sentences() {
    check(". . . ! ? Word. | Next.");
    check("");
}

#[test]
fn lists_are_in_order_for_the_search() {
    assert!(TITLES.is_sorted() && LABELS.is_sorted());
    assert!(TITLES.iter().chain(LABELS).all(|word| word.len() <= LastWord::MOST));
}
