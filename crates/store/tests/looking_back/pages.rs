//! Are the changes of pages those that html5lib counts, and is the version that brought a sentence the one that it would name?
//!
//! Where sentences begin and end is asked of the store, whether they are there of html5lib. A sentence is from a version since which all
//! have its characters, white space aside. And one that stands by itself (at the start of a line or behind the end of another,
//! to the end of the line or to its own) exactly once in every version that has it is no newer than the first of the last row of them.

use store::{Address, Blamed, Store};
use treediff::tree::Format;

use crate::oracle::{Read, asked, python};
use crate::{changes, in_every_store, of_each_family, recorded, support, unspaced};

#[test]
fn changes_and_sentences_are_those_that_html5lib_finds() {
    let (Some(corpus), Some(python)) = (support::corpus(), python()) else { return };
    let pages = of_each_family(&corpus, Format::Html, 2);
    let answers: Vec<Option<Read>> = asked(&python, "pages.py", &pages);
    in_every_store(|store| {
        let (mut checked, mut facts, mut settled, mut all) = (0, 0, 0, 0);
        for (page, Read { lines, balance }) in
            pages.iter().zip(&answers).filter_map(|(page, answer)| Some((page, answer.as_ref()?)))
        {
            let Some(address) = recorded(store, page, "html") else { continue };
            facts += changes::check(store, &address, balance);
            let (of_page, settled_of_page) = check_sentences(store, &address, lines);
            settled += settled_of_page;
            all += of_page;
            checked += 1;
        }
        assert!(checked >= 10, "{checked} pages were checked");
        assert!(facts > 10_000, "{facts} facts were compared");
        assert!(settled * 2 > all, "{settled} of {all} sentences");
    });
}

/// Tells how many sentences there are, and for how many both bounds are the same version.
fn check_sentences(store: &Store, address: &Address, versions: &[Vec<String>]) -> (usize, usize) {
    let blamed = store.blame(address, versions.len() as u32).expect("blamed");
    let texts: Vec<String> = versions.iter().map(|lines| unspaced(&lines.concat())).collect();
    let mut settled = 0;
    for one in &blamed {
        let characters = unspaced(&one.text);
        let earliest = since(texts.iter().map(|text| text.contains(&characters)));
        // An image has no characters.
        if earliest > versions.len() as u32 {
            continue;
        }
        let told = one.origin.number;
        assert!(told >= earliest, "{address}: {:?} is from {told}, and not in {}", one.text, earliest - 1);
        let Some(latest) = latest(one, versions) else { continue };
        assert!(told <= latest, "{address}: {:?} is from {told}, and has been there since {latest}", one.text);
        settled += usize::from(earliest == latest);
    }
    (blamed.len(), settled)
}

/// Since when a sentence stands by itself, if there is never more than one of it.
fn latest(sentence: &Blamed, versions: &[Vec<String>]) -> Option<u32> {
    let words = sentence.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let counts: Vec<usize> =
        versions.iter().map(|lines| lines.iter().map(|line| standing(line, &words)).sum()).collect();
    let is_single = counts.iter().all(|count| *count < 2) && counts.last() == Some(&1);
    is_single.then(|| since(counts.iter().map(|count| *count > 0)))
}

/// How often a sentence stands by itself in a line.
fn standing(line: &str, words: &str) -> usize {
    let is_end = |c: char| matches!(c, '.' | '!' | '?');
    let stands = |at: usize| {
        let (before, after) = (line[..at].trim_end(), &line[at + words.len()..]);
        let begins = before.is_empty() || before.ends_with(is_end);
        begins && (after.is_empty() || words.ends_with(is_end) && after.starts_with(' '))
    };
    line.match_indices(words).filter(|(at, _)| !words.is_empty() && stands(*at)).count()
}

/// The first version of the last row that has something; behind the last where that has not.
fn since(versions: impl DoubleEndedIterator<Item = bool> + ExactSizeIterator) -> u32 {
    let count = versions.len();
    let row = versions.rev().take_while(|has| *has).count();
    (count - row) as u32 + 1
}
