//! What changed about elements without words? An icon, a bar, a coloured cell: it is told at what stands beside them.
//!
//! Nothing of such an element is an item, so that nothing of it could be marked; but its label is heard, its title read, and its
//! class, style or colour is all that there is to be seen. So it is told at the words nearest to it: those in the innermost element
//! around both, behind it rather than before it. Where a page has no words at all, nothing could be marked.

use super::super::reading::{Reading, Role, Segment};
use crate::matching::Matching;
use crate::tree::{Kind, Node, NodeId, is_blank};

/// An element of a page without words.
#[derive(Debug, Clone, Copy)]
pub struct Wordless<'d> {
    pub node: Node<'d>,
    /// The segment beside it, unless the page has none at all.
    pub beside: Option<usize>,
}

/// Finds the elements of a page without words, while its elements are passed in their order.
pub struct Finder<'r, 'd> {
    reading: &'r Reading<'d>,
    /// The first segment that is not before the element.
    next: usize,
    /// The end of what nobody reads or what is looked at as a whole, which has no elements to be told.
    hidden_end: u32,
}

/// How many ancestors and segments are looked at to find what stands beside an element.
const NEAR: usize = 32;

impl<'r, 'd> Finder<'r, 'd> {
    pub fn new(reading: &'r Reading<'d>) -> Self {
        Finder { reading, next: 0, hidden_end: 0 }
    }

    /// The page.
    pub fn reading(&self) -> &'r Reading<'d> {
        self.reading
    }

    /// The first segment in an element.
    pub fn first_in(&mut self, element: Node<'d>) -> Option<(usize, &'r Segment)> {
        let segments = self.reading.segments();
        while segments.get(self.next).is_some_and(|segment| segment.node < element.id()) {
            self.next += 1;
        }
        segments.get(self.next).filter(|first| first.node.0 < element.end()).map(|first| (self.next, first))
    }

    /// The same of one that has none, if it is there for readers.
    pub fn wordless(&mut self, element: Node<'d>) -> Option<Wordless<'d>> {
        if element.id().0 < self.hidden_end || self.first_in(element).is_some() || self.is_closed(element) {
            return None;
        }
        Some(Wordless { node: element, beside: self.beside(element) })
    }

    /// Passes an element: what is in some is not for readers.
    pub fn pass(&mut self, element: Node<'d>) {
        if element.id().0 >= self.hidden_end && self.is_closed(element) {
            self.hidden_end = element.end();
        }
    }

    /// Whether neither an element nor what is in it is told here: it is not for readers, or looked at as a whole.
    fn is_closed(&self, element: Node<'d>) -> bool {
        match self.reading.role(element) {
            Role::Unseen => true,
            // A link or button may have an icon in it.
            Role::Atom => !matches!(element.name().local, "a" | "button"),
            _ => false,
        }
    }

    /// The segment beside an element that the next one stands behind.
    fn beside(&self, element: Node<'d>) -> Option<usize> {
        let segments = self.reading.segments();
        let has_words = |at: &usize| {
            let text = &self.reading.text()[self.reading.segment_range(*at)];
            segments[*at].is_atom || !is_blank(text.as_bytes())
        };
        let behind = (self.next..segments.len()).take(NEAR).find(has_words);
        let before = (0..self.next).rev().take(NEAR).find(has_words);
        let nearest = element.ancestors().take(NEAR).find_map(|around| {
            let is_in = |at: &usize| (around.id().0..around.end()).contains(&segments[*at].node.0);
            behind.filter(is_in).or(before.filter(is_in))
        });
        nearest.or(behind).or(before)
    }
}

/// The elements of `after` without words that are new, and those of `before` that are gone with the segments of `after` that stand
/// where they were. Of what is new or gone around them it need not be said.
pub fn alone<'d>([before, after]: [&Reading<'d>; 2], matching: &Matching) -> (Vec<Wordless<'d>>, Vec<Wordless<'d>>) {
    let gone = unpaired(before, |node| {
        let partner = matching.after_of(node)?;
        Some((partner, matching.is_same(partner)))
    });
    let new = unpaired(after, |node| Some((matching.before_of(node)?, matching.is_same(node))));
    let here = |gone: Wordless<'d>| {
        let Some(beside) = gone.beside else { return Some(gone) };
        let partner = matching.after_of(before.segments()[beside].node)?;
        let beside = after.segments().binary_search_by_key(&partner, |segment| segment.node).ok()?;
        Some(Wordless { beside: Some(beside), ..gone })
    };
    (gone.into_iter().filter_map(here).collect(), new)
}

/// The elements of one side without words and without a partner whose parent has one. `partner` says of a node who its partner is,
/// and whether both are the same.
fn unpaired<'d>(reading: &Reading<'d>, partner: impl Fn(NodeId) -> Option<(NodeId, bool)>) -> Vec<Wordless<'d>> {
    let document = reading.document();
    let columns = document.columns();
    let (mut finder, mut found) = (Finder::new(reading), Vec::new());
    let mut next = 0;
    while next < document.len() as u32 {
        let id = NodeId(next);
        let partner_of = partner(id);
        let is_same = partner_of.is_some_and(|(_, is_same)| is_same);
        next = if is_same { columns.ends[id.index()] } else { next + 1 };
        if is_same || columns.labels[id.index()].kind() != Kind::Element {
            continue;
        }
        let node = document.node(id);
        if partner_of.is_none() {
            // What is below it is new or gone with it.
            next = node.end();
            found.extend((node.attribute_count() > 0).then(|| finder.wordless(node)).flatten());
        }
        finder.pass(node);
    }
    found
}
