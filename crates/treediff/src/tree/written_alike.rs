//! Do two subtrees of pages say the same because they are written alike? The source of a page says little of its tree; but
//! where all that hangs on the text (values, and where elements begin and end) stands just as far from where the subtree
//! begins, and the text is the same, then so are all values. Two loops over arrays and one comparison of memory, where
//! asking every node for its attributes and values takes twice as many instructions.

use std::ops::Range;

use super::{Node, Span, StoredAttribute};

/// Bytes of text that are compared for each node at most: elements may be said to reach much further than what is below
/// them, where the parser has put their content elsewhere, and many of them over the same text.
const MAX_BYTES: u64 = 4096;

impl<'d> Node<'d> {
    /// Whether two subtrees, with these attributes, have the same shape and are written alike. Where this says no, they
    /// may still be the same; names are for others to compare.
    pub(crate) fn is_written_like(self, other: Node<'_>, attributes: [&[StoredAttribute]; 2]) -> bool {
        let (here, there) = (&self.document().spans[self.places()], &other.document().spans[other.places()]);
        let [from, to] = attributes;
        if here.len() != there.len() || from.len() != to.len() || !self.has_shape_of(other) {
            return false;
        }
        let mut shifted = Shifted::new(i64::from(there[0].start()) - i64::from(here[0].start()));
        for (&from, &to) in here.iter().zip(there) {
            shifted.see(from, to);
        }
        for (from, to) in from.iter().zip(to) {
            shifted.see(from.value, to.value);
        }
        shifted.texts(MAX_BYTES * u64::from(self.size())).is_some_and(|[here, there]| {
            self.document().text.as_bytes()[here] == other.document().text.as_bytes()[there]
        })
    }

    /// The places of its nodes in the arrays.
    fn places(self) -> Range<usize> {
        self.id().index()..self.end() as usize
    }

    /// Whether subtrees end at the same places within two subtrees of one size.
    fn has_shape_of(self, other: Node<'_>) -> bool {
        let shift = other.id().0.wrapping_sub(self.id().0);
        let ends = self.document().ends[self.places()].iter().zip(&other.document().ends[other.places()]);
        ends.fold(true, |all, (from, &to)| all & (from.wrapping_add(shift) == to))
    }
}

/// Spans of one text beside those of another, as long as all of them are `by` bytes apart.
struct Shifted {
    by: i64,
    start: u32,
    end: u32,
    are_all: bool,
}

impl Shifted {
    fn new(by: i64) -> Self {
        Shifted { by, start: u32::MAX, end: 0, are_all: true }
    }

    /// Elements that nobody wrote have an empty span somewhere.
    #[inline(always)]
    fn see(&mut self, from: Span, to: Span) {
        if from.is_nothing() && to.is_nothing() {
            return;
        }
        self.are_all &= from.moved(self.by) == to;
        self.start = self.start.min(from.start());
        self.end = self.end.max(from.end());
    }

    /// The texts that the spans are in, if these are apart alike and there are no more than `max_bytes` of each.
    fn texts(&self, max_bytes: u64) -> Option<[Range<usize>; 2]> {
        if self.end < self.start {
            return Some([0..0, 0..0]);
        }
        let here = Span::plain(self.start, self.end);
        let is_short = u64::from(here.len()) <= max_bytes;
        (self.are_all && is_short).then(|| [here.range(), here.moved(self.by).range()])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::parse::{self, Options};
    use crate::tree::{Document, Node};

    fn page(source: &str) -> Document {
        parse::html(source, &Options::default()).unwrap().document
    }

    fn is_written_like(node: Node<'_>, other: Node<'_>) -> bool {
        node.is_written_like(other, [node.attributes_below(), other.attributes_below()])
    }

    fn body(document: &Document) -> Node<'_> {
        document.root_element().unwrap().children().last().unwrap()
    }

    #[track_caller]
    fn check(before: &str, after: &str, expected: bool) {
        let (before, after) = (page(before), page(after));
        let [before, after] = [&before, &after].map(|page| body(page).children().last().unwrap());
        assert_eq!(is_written_like(before, after), expected);
    }

    #[test]
    fn what_is_written_alike() {
        check("<p class=a>one &amp; two</p>", "<h1>new</h1><p class=a>one &amp; two</p>", true);
        check("<h1>x</h1><table><tr><td>1<td>2</table>", "<h1>longer</h1><table><tr><td>1<td>2</table>", true);
        check("<p>one", "<p>two", false);
        check("<p class=a>one", "<p class=b>one", false);
        check("<p>one &amp; two", "<p>one & two", false);
        check("<ul><li>1<li>2</ul>", "<ul><li>1 <li>2</ul>", false);
    }

    proptest! {
        /// Whatever pages are made of, what is written alike and named alike is the same.
        #[test]
        fn what_is_written_alike_is_the_same(pieces in prop::collection::vec(0..PIECES.len(), 1..12), cut in 0..12usize) {
            let source = |pieces: &[usize]| pieces.iter().map(|&at| PIECES[at]).collect::<String>();
            let (before, after) = (page(&source(&pieces)), page(&source(&pieces[cut.min(pieces.len() - 1)..])));
            for x in before.root().descendants() {
                for y in after.root().descendants() {
                    let are_named_alike = x.descendants().zip(y.descendants()).all(|(x, y)| x.name() == y.name())
                        && x.name() == y.name() && x.kind() == y.kind();
                    if are_named_alike && is_written_like(x, y) {
                        prop_assert!(x.same_content(y), "{:?} and {:?}", x.string_value(), y.string_value());
                    }
                }
            }
        }
    }

    const PIECES: [&str; 16] = [
        "<p>",
        "<b>",
        "</b>",
        "<table>",
        "<td>",
        "</table>",
        "x",
        "y",
        " ",
        "&amp;",
        "&lt",
        "<i class=a>",
        "<i class=b>",
        "</p>",
        "<li>",
        "\r\n",
    ];
}
