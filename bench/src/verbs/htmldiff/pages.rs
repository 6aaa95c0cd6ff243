//! Which pages are compared? Versions of the corpus beside the next, by size, and pages made of them where it has none.
//!
//! A page is made by putting the bodies of pages one behind the other: the earlier versions into the one before, the
//! later versions into the one after, under the head of the first.

use std::collections::VecDeque;
use std::fs;
use std::ops::Range;
use std::path::Path;

use anyhow::Result;

use crate::corpus::{self, Versions};
use crate::verbs::Study;

/// A page at two times, as text.
#[derive(Clone)]
pub struct Page {
    pub name: String,
    family: String,
    pub before: String,
    pub after: String,
}

impl Page {
    /// A page that is of no family.
    pub fn new(name: impl Into<String>, before: String, after: String) -> Self {
        Page { name: name.into(), family: String::new(), before, after }
    }

    /// The size of a page is that of its later version.
    pub fn bytes(&self) -> usize {
        self.after.len()
    }

    pub fn megabytes(&self) -> f64 {
        self.bytes() as f64 / 1e6
    }
}

/// Pages of about one size.
pub struct Class {
    pub name: &'static str,
    /// Bytes that a page of the class has, more or less.
    bytes: usize,
    pub pages: Vec<Page>,
}

impl Class {
    /// Whether the goal in milliseconds is for these.
    pub fn is_usual(&self) -> bool {
        self.bytes == USUAL
    }
}

/// Bytes of the page that people usually have.
const USUAL: usize = 70_000;

const CLASSES: [(&str, usize); 3] = [("10 kB", 10_000), ("70 kB", USUAL), ("300 kB", 300_000)];

/// Found pages of a class, and made ones where there are fewer.
const FOUND: usize = 6;
const MADE: usize = 2;

/// Sizes of the pages by which growth is seen.
const GROWTH: [usize; 5] = [USUAL, 300_000, 1_000_000, 2_000_000, 5_000_000];

/// The pages of every size, the smallest first.
pub fn classes(study: &Study<'_>) -> Result<Vec<Class>> {
    let histories = histories(study)?;
    let mut classes = Vec::new();
    for (name, bytes) in CLASSES {
        let mut pages = found(&histories, bytes)?;
        if pages.len() < FOUND {
            pages.extend(made_of_families(&histories, bytes)?);
        }
        classes.push(Class { name, bytes, pages });
    }
    classes.push(Class { name: "1 MB and more", bytes: 1_000_000, pages: large(study.corpus)? });
    for class in &mut classes {
        class.pages.retain(|page| page.name.contains(study.only));
    }
    classes.retain(|class| !class.pages.is_empty());
    Ok(classes)
}

/// Pages of growing size, of all families alike.
pub fn growing(study: &Study<'_>) -> Result<Vec<Page>> {
    let row = in_turns(by_family(rounds(&histories(study)?)?));
    let pages = GROWTH.iter().filter_map(|bytes| made(&row, *bytes));
    Ok(pages.filter(|page| page.name.contains(study.only)).collect())
}

fn histories(study: &Study<'_>) -> Result<Vec<Versions>> {
    let mut histories = corpus::histories(study.histories, "")?;
    histories.retain(Versions::is_html);
    Ok(histories)
}

/// Of every history the pair that is nearest to a size, of all families alike.
fn found(histories: &[Versions], bytes: usize) -> Result<Vec<Page>> {
    let mut nearest = Vec::new();
    for history in histories {
        let pairs = history.pairs().map(|(before, after)| read(history, before, after));
        let pages = pairs.collect::<Result<Vec<_>>>()?.into_iter().flatten();
        nearest.extend(pages.filter(|page| is_about(page, bytes)).min_by_key(|page| page.bytes().abs_diff(bytes)));
    }
    nearest.sort_by_key(|page| page.bytes().abs_diff(bytes));
    let mut pages = in_turns(by_family(nearest));
    pages.truncate(FOUND);
    Ok(pages)
}

fn is_about(page: &Page, bytes: usize) -> bool {
    let near: Range<usize> = bytes / 10 * 6..bytes / 10 * 14;
    near.contains(&page.before.len()) && near.contains(&page.after.len())
}

/// Pages of a size, each made of the different pages of one family where these are enough, and of all families in turn.
fn made_of_families(histories: &[Versions], bytes: usize) -> Result<Vec<Page>> {
    let mut newest = Vec::new();
    for history in histories {
        let pairs = history.pairs().map(|(before, after)| read(history, before, after));
        newest.extend(pairs.collect::<Result<Vec<_>>>()?.into_iter().flatten().next_back());
    }
    let mut rows = by_family(newest);
    rows.push(in_turns(rows.clone()));
    Ok(rows.iter().filter_map(|row| made(row, bytes)).take(MADE).collect())
}

/// The first and the last version of every large page.
fn large(corpus: &Path) -> Result<Vec<Page>> {
    let pairs = corpus::large_pairs(corpus, "html", "")?;
    pairs
        .into_iter()
        .map(|pair| {
            let [before, after] = [fs::read_to_string(&pair.before)?, fs::read_to_string(&pair.after)?];
            Ok(Page::new(pair.name, before, after))
        })
        .collect()
}

/// All pairs of the histories that share no version: the first pair of each, then the second of each.
fn rounds(histories: &[Versions]) -> Result<Vec<Page>> {
    let longest = histories.iter().map(|history| history.files.len() / 2).max().unwrap_or_default();
    let mut pages = Vec::new();
    for round in 0..longest {
        for history in histories {
            if let Some([before, after]) = history.files.get(2 * round..2 * round + 2) {
                pages.extend(read(history, before, after)?);
            }
        }
    }
    Ok(pages)
}

/// Two versions; nothing where they are the same, or not the text that all peers take: UTF-8 without control characters,
/// and with a body.
fn read(history: &Versions, before: &Path, after: &Path) -> Result<Option<Page>> {
    let [before, after] = [String::from_utf8(fs::read(before)?), String::from_utf8(fs::read(after)?)];
    let (Ok(before), Ok(after)) = (before, after) else { return Ok(None) };
    let is_plain = |page: &str| page.chars().all(|character| !character.is_control() || character.is_whitespace());
    let is_usable = before != after && [&before, &after].iter().all(|page| is_plain(page) && body(page).is_some());
    let (family, name) = (history.family.clone(), format!("{}/{}", history.family, history.name));
    Ok(is_usable.then_some(Page { name, family, before, after }))
}

/// Pages by family, both in the order of their coming.
fn by_family(pages: Vec<Page>) -> Vec<Vec<Page>> {
    let mut families: Vec<Vec<Page>> = Vec::new();
    for page in pages {
        match families.iter_mut().find(|family| family.iter().any(|other| other.family == page.family)) {
            Some(family) => family.push(page),
            None => families.push(vec![page]),
        }
    }
    families
}

/// The first of each family, then the second of each.
fn in_turns(families: Vec<Vec<Page>>) -> Vec<Page> {
    let mut families: VecDeque<_> = families.into_iter().map(Vec::into_iter).collect();
    let mut pages = Vec::new();
    while let Some(mut family) = families.pop_front() {
        if let Some(page) = family.next() {
            pages.push(page);
            families.push_back(family);
        }
    }
    pages
}

/// A page of the first so many that is about so large, without those that would make it much larger; nothing where all
/// are too few.
fn made(pages: &[Page], bytes: usize) -> Option<Page> {
    let head = |page: &str| page[..body(page).map_or(0, |body| body.start)].to_owned();
    let first = pages.first()?;
    let mut made = Page::new("", head(&first.before), head(&first.after));
    let mut parts: Vec<&Page> = Vec::new();
    for page in pages {
        let [before, after] = [&page.before[body(&page.before)?], &page.after[body(&page.after)?]];
        if made.bytes() < bytes && made.bytes() + after.len() < bytes + bytes / 5 {
            made.before.push_str(before);
            made.after.push_str(after);
            parts.push(page);
        }
    }
    let is_one_family = parts.iter().all(|page| page.family == first.family);
    made.name = format!("made of {} of {}", parts.len(), if is_one_family { &first.family } else { "all families" });
    for side in [&mut made.before, &mut made.after] {
        side.push_str("</body></html>\n");
    }
    (made.bytes() >= bytes).then_some(made)
}

/// What is between the tags of the body.
fn body(page: &str) -> Option<Range<usize>> {
    let lower = page.to_ascii_lowercase();
    let tag = lower.find("<body")?;
    let start = tag + lower[tag..].find('>')? + 1;
    let end = lower[start..].rfind("</body").map_or(lower.len(), |at| start + at);
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(family: &str, before: &str, after: &str) -> Page {
        let [before, after] =
            [before, after].map(|body| format!("<title>{family}</title><BODY class=a>{body}</BODY>\n"));
        Page { name: family.to_owned(), family: family.to_owned(), before, after }
    }

    #[test]
    fn made_pages_have_the_first_bodies_under_one_head() {
        let large = "5".repeat(50);
        let pages = [page("x", "1", "2"), page("y", &large, &large), page("y", "<p>33", "<p>44"), page("y", "6", "7")];
        let two = made(&pages, 35).expect("enough");
        assert_eq!(two.after, "<title>x</title><BODY class=a>2<p>44</body></html>\n");
        assert_eq!(two.before, "<title>x</title><BODY class=a>1<p>33</body></html>\n");
        assert_eq!(two.name, "made of 2 of all families");
        assert!(made(&pages, 1_000).is_none());
    }

    #[test]
    fn families_take_turns() {
        let names = ["x", "x", "x", "y", "z", "z"];
        let pages = names.map(|family| page(family, "", "")).to_vec();
        let turns: Vec<String> = in_turns(by_family(pages)).into_iter().map(|page| page.name).collect();
        assert_eq!(turns, ["x", "y", "z", "x", "z", "x"]);
    }
}
