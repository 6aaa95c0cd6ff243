//! Under which heading does something stand? The headings of a page, found by the place of an item.

use std::ops::Range;

use crate::text::{Item, ItemKind, Reading};
use crate::tree::{HTML_NAMESPACE, Name, NodeId};

/// How much of a heading is told.
const TOLD: usize = 100;

/// The headings of a page in their order.
pub struct Headings(Vec<Heading>);

struct Heading {
    items: Range<usize>,
    level: u8,
    text: String,
    /// The heading of the section that this one's is a part of.
    above: Option<usize>,
}

impl Headings {
    pub fn new(reading: &Reading<'_>) -> Self {
        let mut headings: Vec<Heading> = Vec::new();
        let items = reading.items();
        let node_of = |at: usize| items.get(at).map(|item| reading.segment_of(*item).node.0);
        let mut at = 0;
        let levels: Vec<Option<u8>> = reading.document().names().iter().map(|(_, name)| level(name)).collect();
        let labels = (0..).zip(reading.document().labels());
        let found = labels.filter_map(|(node, label)| Some((NodeId(node), levels[label.name().index()]?)));
        for (node, level) in found {
            let node = reading.document().node(node);
            if !node.is_element() {
                continue;
            }
            while node_of(at).is_some_and(|item| item < node.id().0) {
                at += 1;
            }
            let start = at;
            while node_of(at).is_some_and(|item| item < node.end()) {
                at += 1;
            }
            // A heading inside another is a part of that one.
            if start < at {
                let above = above(&headings, level);
                headings.push(Heading { items: start..at, level, text: said(reading, start..at), above });
            }
        }
        Headings(headings)
    }

    /// The items of all headings, in their order.
    pub fn items(&self) -> impl Iterator<Item = Range<usize>> {
        self.0.iter().map(|heading| heading.items.clone())
    }

    /// A heading and those of the sections around, outermost first.
    pub fn path(&self, place: Option<usize>) -> Vec<String> {
        let around = std::iter::successors(place, |&at| self.0[at].above);
        let mut path: Vec<String> = around.map(|at| self.0[at].text.clone()).collect();
        path.reverse();
        path
    }

    /// Which heading an item is a part of.
    pub fn holding(&self, item: usize) -> Option<usize> {
        self.place(item).filter(|&at| self.0[at].items.contains(&item))
    }

    /// The heading of the section that another's is a part of.
    pub fn above(&self, heading: usize) -> Option<usize> {
        self.0[heading].above
    }

    /// Which heading is the nearest at or before an item.
    pub fn place(&self, item: usize) -> Option<usize> {
        self.0.partition_point(|heading| heading.items.start <= item).checked_sub(1)
    }
}

/// The words of a heading. What shows no words of its own beside them, as a link to the heading itself, is none of it.
fn said(reading: &Reading<'_>, items: Range<usize>) -> String {
    let is_word = |item: &Item| matches!(item.kind(), ItemKind::Word | ItemKind::Passage);
    let has_words = reading.items()[items.clone()].iter().any(is_word);
    reading.excerpt_of(items, TOLD, |at| !(has_words && reading.is_silent(at)))
}

/// The nearest heading before that has a lower level: at most one for each level is looked at.
fn above(headings: &[Heading], level: u8) -> Option<usize> {
    let mut candidate = headings.len().checked_sub(1);
    while let Some(at) = candidate.filter(|&at| headings[at].level >= level) {
        candidate = headings[at].above;
    }
    candidate
}

fn level(name: Name<'_>) -> Option<u8> {
    match name.local.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] if name.namespace == HTML_NAMESPACE => Some(digit - b'0'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{self, Options, Whitespace};
    use crate::text::Vocabulary;

    #[test]
    fn paths_of_items() {
        let source = "a <h1>One</h1> b <h3>Deep <b>one</b></h3> c <h2>Two</h2> d <h2><img></h2> e <h1></h1> f";
        let options = Options { whitespace: Whitespace::Exact, ..Options::default() };
        let page = parse::html(source, &options).expect("a page").document;
        let reading = Reading::new(&page, &mut Vocabulary::default());
        let headings = Headings::new(&reading);
        let told: Vec<String> = (0..reading.items().len())
            .map(|at| {
                format!("{}:{}", reading.written(reading.items()[at]), headings.path(headings.place(at)).join("/"))
            })
            .collect();
        let expected = "a: One:One b:One Deep:One/Deep one one:One/Deep one c:One/Deep one \
                        Two:One/Two d:One/Two [image]:One/[image] e:One/[image] f:One/[image]";
        assert_eq!(told.join(" "), expected);
    }
}
