use std::hash::{BuildHasher, RandomState};

use proptest::prelude::*;

use super::*;

/// Words by their numbers; marks count as nothing.
fn numbers(sentences: &[String], known: &mut HashMap<String, u32>) -> Vec<Vec<u32>> {
    let mut number = |word: &str| {
        let next = known.len() as u32;
        *known.entry(word.to_owned()).or_insert(next)
    };
    let is_word = |word: &&str| word.starts_with(char::is_alphanumeric);
    sentences.iter().map(|text| text.split_whitespace().filter(is_word).map(&mut number).collect()).collect()
}

fn pairs_of(before: &[String], after: &[String], relation: impl Fn(usize, usize) -> Relation) -> Vec<(usize, usize)> {
    let mut known = HashMap::new();
    let hasher = RandomState::new();
    let words = [before, after].map(|row| numbers(row, &mut known));
    let sentence = |words, text| Sentence { words, whole: hasher.hash_one(text) };
    let before: Vec<Sentence> = words[0].iter().zip(before).map(|(words, text)| sentence(words, text)).collect();
    let after: Vec<Sentence> = words[1].iter().zip(after).map(|(words, text)| sentence(words, text)).collect();
    pairs(&before, &after, relation, &mut Scale::default())
}

fn sentences(text: &str) -> Vec<String> {
    text.split(" | ").filter(|sentence| !sentence.is_empty()).map(str::to_owned).collect()
}

#[track_caller]
fn check(before: &str, after: &str, expected: &[(usize, usize)]) {
    assert_eq!(pairs_of(&sentences(before), &sentences(after), |_, _| Relation::Free), expected);
}

#[test]
fn sentences_that_share_half_of_their_words_are_pairs() {
    check("It rained", "It rained", &[(0, 0)]);
    check("the cat sat", "the dog sat", &[(0, 0)]);
    check("Price 5", "Price 7", &[(0, 0)]);
    check("yes", "no", &[]);
    check("a b c d", "d c b a", &[]);
    check("one two", "one two three four five six seven", &[]);
    check("", "one", &[]);
    check("— | —", "— | —", &[(0, 0), (1, 1)]);
    check("—", "*", &[]);
}

#[test]
fn the_heaviest_row_wins() {
    // A sentence inserted before, in the middle, behind.
    check("a b c | d e f", "x y z | a b c | d e f", &[(0, 1), (1, 2)]);
    check("a b c | d e f", "a b c | x y z | d e g", &[(0, 0), (1, 2)]);
    // The better of two candidates.
    check("the cat sat on the mat", "the cat sat | the cat sat on a mat", &[(0, 1)]);
    // What moved is the lighter one.
    check("short one | a long one with many words", "a long one with many words | short one", &[(1, 0)]);
    // Of equal ones the first.
    check("a b", "a b | a b", &[(0, 0)]);
    // Equal beats alike.
    check("x | a b c d", "a b c e | a b c d", &[(1, 1)]);
}

#[test]
fn places_bar_and_help() {
    let (before, after) = (sentences("a b | a b"), sentences("a b | a b"));
    let crosswise = |x, y| if x == y { Relation::Barred } else { Relation::Free };
    assert_eq!(pairs_of(&before, &after, crosswise), [(0, 1)]);
    let (before, after) = (sentences("a b c d e"), sentences("a b x y z"));
    assert_eq!(pairs_of(&before, &after, |_, _| Relation::Free), []);
    assert_eq!(pairs_of(&before, &after, |_, _| Relation::Partners), [(0, 0)]);
    let (before, after) = (sentences("3 | 5 | x y"), sentences("4 | new | 6 | x y"));
    let same_cell = |x, y| if (x, y) == (0, 0) || (x, y) == (1, 2) { Relation::Counterparts } else { Relation::Free };
    assert_eq!(pairs_of(&before, &after, same_cell), [(0, 0), (1, 2), (2, 3)]);
    let (before, after) = (sentences("a b"), sentences("a c | a d"));
    let second = |_, y| if y == 1 { Relation::Partners } else { Relation::Free };
    assert_eq!(pairs_of(&before, &after, second), [(0, 1)]);
}

/// Rows that are too long for a table of all against all.
#[test]
fn long_rows_are_split() {
    let row = |change: &dyn Fn(usize) -> &'static str| -> Vec<String> {
        (0..3000).map(|at| format!("sentence {at} has {} words and {} more", at * 7 % 100, change(at))).collect()
    };
    let diagonal: Vec<(usize, usize)> = (0..3000).map(|at| (at, at)).collect();
    let before = row(&|_| "no");
    // Unique sentences split; every other changed; all changed, so that only the band is left.
    for changed in [1000, 2, 1] {
        let after = row(&|at| if at % changed == 0 { "some" } else { "no" });
        assert_eq!(pairs_of(&before, &after, |_, _| Relation::Free), diagonal, "one of {changed}");
    }
}

#[test]
fn rows_of_one_word_are_split_at_what_is_common() {
    let before: Vec<String> = (0..4000).map(|at| format!("{}", at % 10)).collect();
    let mut after = before.clone();
    after.insert(2000, "new".to_owned());
    after.insert(10, "new".to_owned());
    let pairs = pairs_of(&before, &after, |_, _| Relation::Free);
    assert_eq!(pairs.len(), 4000);
}

/// The weight of the heaviest row, by trying all.
fn heaviest(before: &[String], after: &[String]) -> u32 {
    let ([first, before @ ..], false) = (before, after.is_empty()) else { return 0 };
    let paired = (0..after.len()).map(|at| match weight(first, &after[at]) {
        0 => 0,
        weight => weight + heaviest(before, &after[at + 1..]),
    });
    paired.max().unwrap_or(0).max(heaviest(before, after))
}

/// What a pair weighs, by the textbook.
fn weight(before: &str, after: &str) -> u32 {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (x, y) = (words(before), words(after));
    let shared = common_row([x.len(), y.len()], |i, j| x[i] == y[j], Budget::default()).unwrap().len();
    match () {
        _ if before == after => WORD * x.len() as u32 + EQUAL,
        _ if shared > 0 && 200 * shared >= LIKE * (x.len() + y.len()) => WORD * shared as u32,
        _ => 0,
    }
}

fn row() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec(prop::collection::vec("[a-d]", 1..5).prop_map(|words| words.join(" ")), 0..6)
}

proptest! {
    #[test]
    fn no_heavier_row_was_missed(before in row(), after in row()) {
        let pairs = pairs_of(&before, &after, |_, _| Relation::Free);
        prop_assert!(pairs.is_sorted_by(|x, y| x.0 < y.0 && x.1 < y.1));
        let total: u32 = pairs.iter().map(|&(x, y)| weight(&before[x], &after[y])).sum();
        prop_assert!(pairs.iter().all(|&(x, y)| weight(&before[x], &after[y]) > 0));
        prop_assert_eq!(total, heaviest(&before, &after));
    }

    #[test]
    fn bands_of_any_width_give_rows_in_order(before in row(), after in row(), width in 1usize..8) {
        prop_assume!(!before.is_empty() && !after.is_empty());
        let band = Band::new([before.len(), after.len()], width);
        let mut cells = vec![Cell::default(); band.n_cells()];
        for x in (0..before.len()).rev() {
            let columns = band.columns(x);
            prop_assert!(columns.end <= after.len());
            cells[band.at(x, columns.end)].best = band.best(&cells, x + 1, columns.end);
            for y in columns.rev() {
                let weight = weight(&before[x], &after[y]);
                let paired = weight + band.best(&cells, x + 1, y + 1);
                let best = paired.max(band.best(&cells, x + 1, y)).max(band.best(&cells, x, y + 1));
                cells[band.at(x, y)] = Cell { best, weight };
            }
        }
        let way = band.way(&cells);
        prop_assert!(way.is_sorted_by(|x, y| x.0 < y.0 && x.1 < y.1));
        let total: u32 = way.iter().map(|&(x, y)| weight(&before[x], &after[y])).sum();
        prop_assert_eq!(total, band.best(&cells, 0, 0));
    }
}
