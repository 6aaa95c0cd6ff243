//! What changed about elements without words? An icon, a bar, a coloured cell: it is told at what stands beside them.
//!
//! Nothing of such an element is an item, so that nothing of it could be marked; but its label is heard, its title read, and its
//! class, style or colour is all that there is to be seen. So it is told at the words nearest to it: those in the innermost element
//! around both. Where a page has no words at all, nothing could be marked.

use std::cell::OnceCell;

use super::super::reading::{Reading, Role, Segment, is_said, is_shadow};
use super::cells::Cells;
use crate::matching::Matching;
use crate::tree::{Kind, Node, NodeId};

/// An element of a page without words.
#[derive(Debug, Clone, Copy)]
pub struct Wordless<'d> {
    pub node: Node<'d>,
    /// The segment beside it, unless the page has none at all.
    pub beside: Option<usize>,
    /// Whether nothing beside it is on both sides.
    is_among_others: bool,
}

/// Finds the elements of a page without words, while its elements are passed in their order.
pub struct Finder<'r, 'd> {
    reading: &'r Reading<'d>,
    /// For every segment the first with words that is not before it, once somebody asks: of most pages little changed.
    said: OnceCell<Vec<u32>>,
    /// The first segment that is not before the element.
    next: usize,
    /// The end of what nobody reads or what is looked at as a whole, which has no elements to be told.
    hidden_end: u32,
}

/// How many ancestors and segments are looked at to find what stands beside an element.
const NEAR: usize = 32;

impl<'r, 'd> Finder<'r, 'd> {
    pub fn new(reading: &'r Reading<'d>) -> Self {
        Finder { reading, said: OnceCell::new(), next: 0, hidden_end: 0 }
    }

    /// The first segment with words that is not before another; their number where there is none.
    fn said_from(&self, segment: usize) -> usize {
        let said = self.said.get_or_init(|| {
            let (reading, segments) = (self.reading, self.reading.segments());
            let mut said = vec![segments.len() as u32; segments.len() + 1];
            for at in (0..segments.len()).rev() {
                let has_words = segments[at].is_atom || is_said(&reading.text()[reading.segment_range(at)]);
                said[at] = if has_words { at as u32 } else { said[at + 1] };
            }
            said
        });
        said[segment] as usize
    }

    /// The page.
    pub fn reading(&self) -> &'r Reading<'d> {
        self.reading
    }

    /// The first segment with words in an element.
    pub fn first_in(&mut self, element: Node<'d>) -> Option<(usize, &'r Segment)> {
        let segments = self.reading.segments();
        while segments.get(self.next).is_some_and(|segment| segment.node < element.id()) {
            self.next += 1;
        }
        let at = self.said_from(self.next);
        segments.get(at).filter(|first| first.node.0 < element.end()).map(|first| (at, first))
    }

    /// The same of one that has none, if it is there for readers. It is told beside what stayed rather than beside what is new or gone.
    pub fn wordless(&mut self, element: Node<'d>, stayed: impl Fn(NodeId) -> bool) -> Option<Wordless<'d>> {
        if element.id().0 < self.hidden_end || self.first_in(element).is_some() || self.is_closed(element) {
            return None;
        }
        let stayed = self.beside(element, |at| stayed(self.reading.segments()[at].node));
        let beside = stayed.or_else(|| self.beside(element, |_| true));
        Some(Wordless { node: element, beside, is_among_others: stayed.is_none() && beside.is_some() })
    }

    /// Passes an element: what is in some is not for readers.
    pub fn pass(&mut self, element: Node<'d>) {
        if element.id().0 >= self.hidden_end && self.is_closed(element) {
            self.hidden_end = element.end();
        }
    }

    /// Whether neither an element nor what is in it is told here: it is not for readers, or looked at as a whole.
    fn is_closed(&self, element: Node<'d>) -> bool {
        // Links and buttons are not: they may have an icon in them.
        match self.reading.role_by_name(element) {
            Role::Unseen => !is_shadow(element),
            role => role == Role::Atom,
        }
    }

    /// The segment with words beside an element that the next one stands behind, of those that are meant.
    fn beside(&self, element: Node<'d>, is_meant: impl Fn(usize) -> bool) -> Option<usize> {
        let segments = self.reading.segments();
        let next = |at: usize| Some(self.said_from(at)).filter(|&at| at < segments.len());
        let behind = std::iter::successors(next(self.next), |&at| next(at + 1)).take(NEAR).find(|&at| is_meant(at));
        let said_before = (0..self.next).rev().filter(|&at| self.said_from(at) == at);
        let before = said_before.take(NEAR).find(|&at| is_meant(at));
        let holds = |node: Node<'_>, id: NodeId| (node.id().0..node.end()).contains(&id.0);
        // What is behind it in a paragraph is nearer than what is before it, and the next paragraph is not.
        let is_one = |at: usize| holds(self.reading.document().node(segments[at].block), element.id());
        let nearest = element.ancestors().take(NEAR).find_map(|around| {
            let is_in = |at: &usize| holds(around, segments[*at].node);
            match (before.filter(is_in), behind.filter(is_in)) {
                (Some(before), Some(behind)) => Some(if is_one(behind) { behind } else { before }),
                (before, behind) => before.or(behind),
            }
        });
        nearest.or(before).or(behind)
    }
}

/// The elements of `after` without words that are new, and those of `before` that are gone with the segments of `after` that stand
/// where they were. Among words that are new or gone they are no news, nor in a column that is.
pub fn alone<'d>(
    [before, after]: [&Reading<'d>; 2],
    matching: &Matching,
    cells: &Cells,
) -> (Vec<Wordless<'d>>, Vec<Wordless<'d>>) {
    let mut gone = unpaired(before, |node| {
        let partner = cells.element_after_of(node, matching)?;
        Some(matching.is_same(partner))
    });
    let mut new = unpaired(after, |node| cells.element_before_of(node, matching).map(|_| matching.is_same(node.id())));
    for (side, all) in [&mut gone, &mut new].into_iter().enumerate() {
        all.retain(|alone| !alone.is_among_others && cells.lone_column(side, alone.node).is_none());
    }
    let here = |gone: Wordless<'d>| {
        let Some(beside) = gone.beside else { return Some(gone) };
        let partner = matching.after_of(before.segments()[beside].node)?;
        let beside = after.segments().binary_search_by_key(&partner, |segment| segment.node).ok()?;
        Some(Wordless { beside: Some(beside), ..gone })
    };
    (gone.into_iter().filter_map(here).collect(), new)
}

/// The elements of one side without words and without a partner. `partner` says of a node that has one whether both are the same.
fn unpaired<'d>(reading: &Reading<'d>, partner: impl Fn(Node<'d>) -> Option<bool>) -> Vec<Wordless<'d>> {
    let document = reading.document();
    let columns = document.columns();
    let (mut finder, mut found) = (Finder::new(reading), Vec::new());
    let mut next = 0;
    while next < document.len() as u32 {
        let id = NodeId(next);
        next += 1;
        if columns.labels[id.index()].kind() != Kind::Element {
            continue;
        }
        let node = document.node(id);
        match partner(node) {
            Some(true) => {
                next = node.end();
                continue;
            }
            Some(false) => {}
            // It is told as a whole.
            None if reading.role(node) == Role::Atom => next = node.end(),
            None if node.attribute_count() > 0 && node.attribute("", "hidden").is_none() => {
                found.extend(finder.wordless(node, |beside| partner(document.node(beside)).is_some()));
            }
            None => {}
        }
        finder.pass(node);
    }
    found
}
