use proptest::prelude::*;

use super::*;

/// The change in one line, as `git diff --word-diff` has it.
fn shown(before: &str, after: &str, delta: &TextDelta) -> String {
    let show = |piece| match piece {
        Piece::Kept { after: range, .. } => after[range].to_owned(),
        Piece::Deleted(range) => format!("[-{}-]", &before[range]),
        Piece::Inserted(range) => format!("{{+{}+}}", &after[range]),
    };
    delta.pieces().map(show).collect()
}

#[test]
fn words_are_told_apart() {
    let check = |before: &str, after: &str, expected: &str| {
        assert_eq!(shown(before, after, &compare(before, after, Budget::default())), expected);
    };
    check("", "", "");
    check("a b", "a b", "a b");
    check("", "a b", "{+a b+}");
    check("a b", "", "[-a b-]");
    check("$799", "$699", "$[-799-]{+699+}");
    check("tomato soup", "tomato  soup", "tomato[- -]{+  +}soup");
    check("tea", "teapot", "[-tea-]{+teapot+}");
    check("one two three", "one three", "one [-two -]three");
    check("a b c", "x b y", "[-a-]{+x+} b [-c-]{+y+}");
    check("東京都", "東都", "東[-京-]都");
    check("cafe\u{301} x", "cafe x", "[-cafe\u{301}-]{+cafe+} x");
    check("it's 5 o'clock", "it's 6 o'clock", "it's [-5-]{+6+} o'clock");
    check("é", "è", "[-é-]{+è+}");
    check("👍🏽 ok", "👍 ok", "[-👍🏽-]{+👍+} ok");
}

#[test]
fn words_without_anything_between_them_are_joined_for_people() {
    let (before, after) = ("the big red fox ran", "the old grey fox ran");
    let delta = compare(before, after, Budget::default());
    assert_eq!(shown(before, after, &delta), "the [-big-]{+old+} [-red-]{+grey+} fox ran");
    assert_eq!(shown(before, after, &delta.joined(after)), "the [-big red-]{+old grey+} fox ran");
}

#[test]
fn texts_with_nothing_in_common_are_replaced_in_the_end() {
    let text = |word: &str| (0..5000).map(|n| format!("{word}{n}")).collect::<Vec<_>>().join(",");
    let (before, after) = (format!("same {} end", text("a")), format!("same {} end", text("b")));
    let delta = compare(&before, &after, Budget::default());
    assert_eq!(delta.fallback(), Some(Fallback::WholeReplaced));
    let inside = |text: &str| 5..text.len() - 4;
    assert_eq!(delta.hunks(), [Hunk { before: inside(&before), after: inside(&after) }]);
    assert_eq!(compare(&before, &before, Budget::default()).hunks(), []);
}

/// A number of each of 5,000 records is another: too many edits for one search, and one in every place between two anchors.
#[test]
fn long_texts_are_compared_between_words_that_each_has_once() {
    let text = |year: usize| (0..5000).map(|n| format!("id{n}: {{year: {year}, kind: a}}, ")).collect::<String>();
    let (before, after) = (text(2024), text(2025));
    let delta = compare(&before, &after, Budget::default());
    assert_eq!((delta.fallback(), delta.hunks().len()), (None, 5000));
    assert!(
        delta.hunks().iter().all(|hunk| &before[hunk.before.clone()] == "2024" && &after[hunk.after.clone()] == "2025")
    );
}

/// A few words over and over, so that much is equal and much is not.
fn text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec!["a", "b", "ab", " ", "  ", "\n", ".", "é", "e\u{301}", "東", "京", "👍🏽"]);
    prop::collection::vec(word, 0..12).prop_map(|words| words.concat())
}

/// As words, so many changes would exhaust the budget, and all between them would count as replaced.
#[test]
fn long_texts_are_compared_by_lines_first() {
    let text = |colour: &str| -> String {
        let line = |at: usize| match at % 4 {
            0 => format!("p{at} {{ color: {colour}; margin: 0 }}\n"),
            _ => format!("p{at} {{ color: inherit; margin: 0 }}\n"),
        };
        (0..4000).map(line).collect()
    };
    let (before, after) = (text("red"), text("blue"));
    let delta = compare(&before, &after, Budget::default());
    assert_eq!(delta.fallback(), None);
    assert_eq!(delta.hunks().len(), 1000);
    assert!(
        delta.hunks().iter().all(|hunk| before[hunk.before.clone()] == *"red" && after[hunk.after.clone()] == *"blue")
    );
}

/// The fewest tokens to delete and insert, by the book.
fn least_edits(before: &[&str], after: &[&str]) -> usize {
    let mut row: Vec<usize> = (0..=after.len()).collect();
    for x in before {
        let mut diagonal = row[0];
        row[0] += 1;
        for (at, y) in after.iter().enumerate() {
            let best = if x == y { diagonal } else { 1 + row[at].min(row[at + 1]) };
            diagonal = std::mem::replace(&mut row[at + 1], best);
        }
    }
    row[after.len()]
}

proptest! {
    #[test]
    fn tokens_are_the_text(text in ".{0,40}") {
        prop_assert_eq!(tokens(&text).collect::<String>(), text.clone());
        prop_assert!(tokens(&text).all(|token| !token.is_empty()));
    }

    #[test]
    fn a_delta_leads_from_one_text_to_the_other(before in text(), after in text()) {
        let delta = compare(&before, &after, Budget::default());
        for delta in [delta.joined(&after), delta] {
            let (mut old, mut new) = (String::new(), String::new());
            for piece in delta.pieces() {
                match piece {
                    Piece::Kept { before: was, after: is } => {
                        prop_assert_eq!(&before[was.clone()], &after[is]);
                        old.push_str(&before[was.clone()]);
                        new.push_str(&before[was]);
                    }
                    Piece::Deleted(range) => old.push_str(&before[range]),
                    Piece::Inserted(range) => new.push_str(&after[range]),
                }
            }
            prop_assert_eq!((&old, &new), (&before, &after));
        }
    }

    #[test]
    fn no_shorter_way_was_missed(before in text(), after in text()) {
        let delta = compare(&before, &after, Budget { steps_per_token: usize::MAX, edits: usize::MAX });
        let edits: usize = delta.hunks().iter().map(|hunk| {
            tokens(&before[hunk.before.clone()]).count() + tokens(&after[hunk.after.clone()]).count()
        }).sum();
        let [old, new] = [&before, &after].map(|text| tokens(text).collect::<Vec<_>>());
        prop_assert_eq!(edits, least_edits(&old, &new));
    }

    /// Long texts, in which some words are there once and in another order, some often, and some on one side alone.
    #[test]
    fn long_texts_are_told_whole(order in Just((0..900usize).collect::<Vec<_>>()).prop_shuffle(), shuffled in 0usize..900) {
        let word = |n: &usize| format!("w{} ", if n.is_multiple_of(3) { n % 7 } else { *n });
        let before: String = (0..900).map(|n| word(&n)).collect();
        let kept = (shuffled..900).chain(order.into_iter().filter(|&n| n < shuffled));
        let after: String = kept.map(|n| if n.is_multiple_of(50) { format!("new{n} ") } else { word(&n) }).collect();
        let delta = compare(&before, &after, Budget::default());
        let [mut old, mut new] = [String::new(), String::new()];
        for piece in delta.pieces() {
            match piece {
                Piece::Kept { before: there, after: here } => {
                    prop_assert_eq!(&before[there.clone()], &after[here.clone()]);
                    old.push_str(&before[there]);
                    new.push_str(&after[here]);
                }
                Piece::Deleted(range) => old.push_str(&before[range]),
                Piece::Inserted(range) => new.push_str(&after[range]),
            }
        }
        prop_assert_eq!((old, new), (before, after));
    }

    /// Whatever the budget, the result is a delta; a small one only finds less.
    #[test]
    fn any_budget_gives_an_answer(before in ".{0,60}", after in ".{0,60}", steps_per_token in 0usize..3, edits in 0usize..9) {
        let delta = compare(&before, &after, Budget { steps_per_token, edits });
        let new: String = delta.pieces().filter_map(|piece| match piece {
            Piece::Kept { before: range, .. } => Some(&before[range]),
            Piece::Inserted(range) => Some(&after[range]),
            Piece::Deleted(_) => None,
        }).collect();
        prop_assert_eq!(new, after);
    }
}
