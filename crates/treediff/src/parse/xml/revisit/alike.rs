//! Where do two sources differ? Child by child beside the tree of the one before.
//!
//! As long as bytes are equal, children that end within them are kept. Where they differ, one of the next children is
//! looked for among the new bytes; what stands before it is the new content, in place of the children passed over.

use std::ops::Range;

use crate::tree::{Document, Kind, Node};

/// How many children ahead are looked for further on, and how many right at the place.
const AHEAD: usize = 6;
const DELETED: usize = 64;

/// Bytes beyond one and a half times what is passed over in which they are looked for.
const WINDOW: usize = 4096;

/// As much of a child is looked for.
const NEEDLE: usize = 52;

/// A child shorter than this is not looked for: it may be there many times.
const SHORT: usize = 24;

/// Where more changed than a piece in so many bytes, all is read again.
const BYTES_PER_PIECE: usize = 8192;

/// A changed element smaller than this is read again as a whole.
const SMALL: usize = 256;

/// Elements that something changed in, and what changed.
pub(super) struct Found<'d> {
    /// In document order, ancestors included.
    pub(super) skeletons: Vec<Skeleton<'d>>,
    /// In document order.
    pub(super) pieces: Vec<Change>,
}

pub(super) struct Skeleton<'d> {
    pub(super) node: Node<'d>,
    /// Where its tags stand in the source before.
    pub(super) start_tag: Range<usize>,
    pub(super) end_tag: Range<usize>,
}

/// New bytes in place of children.
pub(super) struct Change {
    /// The element that they are content of.
    pub(super) skeleton: usize,
    pub(super) removed: Range<u32>,
    pub(super) removed_bytes: Range<usize>,
    pub(super) bytes: Range<usize>,
}

/// The differences of a source from a document, if both have the same root tags.
pub(super) fn find<'d>(before: &'d Document, after: &[u8]) -> Option<Found<'d>> {
    let root = before.root_element()?;
    let (range, content) = (root.outer_range()?, root.content_range()?);
    let old = before.source().as_bytes();
    let tail = &old[content.end..];
    let is_framed =
        after.len() >= content.start + tail.len() && after.starts_with(&old[..content.start]) && after.ends_with(tail);
    if !is_framed {
        return None;
    }
    let mut search =
        Search { old, new: after, found: Found { skeletons: Vec::new(), pieces: Vec::new() }, work: 2 * old.len() };
    let is_worth_it = search.element(root, range, content.clone(), content.start..after.len() - tail.len());
    is_worth_it.then_some(search.found)
}

struct Search<'d, 's> {
    old: &'d [u8],
    new: &'s [u8],
    found: Found<'d>,
    /// Bytes that may still be searched.
    work: usize,
}

/// An element whose children are being gone through.
struct Open<'d> {
    skeleton: usize,
    /// The next child that is no text, and the first node behind what is settled.
    next: Option<Node<'d>>,
    from: u32,
    /// What is left of its content before and after.
    old: Range<usize>,
    new: Range<usize>,
}

impl<'d> Search<'d, '_> {
    /// Goes through an element; whether that is worth it, since looking for pieces takes its time too.
    fn element(&mut self, root: Node<'d>, range: Range<usize>, content: Range<usize>, new: Range<usize>) -> bool {
        let mut open = vec![self.open(root, range, content, new)];
        while let Some(mut element) = open.pop() {
            if self.has_too_many() {
                return false;
            }
            if let Some(inner) = self.next_change(&mut element) {
                open.push(element);
                open.push(inner);
            }
        }
        !self.has_too_many()
    }

    fn has_too_many(&self) -> bool {
        self.found.pieces.len() > self.old.len() / BYTES_PER_PIECE + 16
    }

    fn open(&mut self, node: Node<'d>, range: Range<usize>, content: Range<usize>, new: Range<usize>) -> Open<'d> {
        let skeleton = self.found.skeletons.len();
        let (start_tag, end_tag) = (range.start..content.start, content.end..range.end);
        self.found.skeletons.push(Skeleton { node, start_tag, end_tag });
        Open { skeleton, next: first_solid(node.first_child()), from: node.id().0 + 1, old: content, new }
    }

    /// Goes on to the next element that is to be gone into, or to the end.
    fn next_change(&mut self, open: &mut Open<'d>) -> Option<Open<'d>> {
        loop {
            self.keep_equal(open);
            let is_at_end = open.old.is_empty() && open.new.is_empty();
            if is_at_end || self.has_too_many() {
                return None;
            }
            let inner = match self.meeting_point(open) {
                Some((met, at)) => self.changed_element(open, met, at),
                None => self.changed_rest(open),
            };
            if inner.is_some() {
                return inner;
            }
        }
    }

    /// Passes the children that stand there unchanged.
    fn keep_equal(&self, open: &mut Open<'d>) {
        let equal = common_front(&self.old[open.old.clone()], &self.new[open.new.clone()]);
        let limit = open.old.start + equal;
        let start = open.old.start;
        while let Some(child) = open.next {
            let Some(range) = child.outer_range().filter(|range| range.end <= limit) else { break };
            open.old.start = range.end;
            open.from = child.end();
            open.next = first_solid(child.next_sibling());
        }
        open.new.start += open.old.start - start;
        if open.next.is_none() && open.old.len() == open.new.len() && open.old.end <= limit {
            (open.old.start, open.new.start) = (open.old.end, open.new.end);
        }
    }

    /// One of the next children that stands further on, and where. The first has changed, or else it stands there whole,
    /// behind something new.
    fn meeting_point(&mut self, open: &Open<'d>) -> Option<(Node<'d>, usize)> {
        self.behind_deleted(open).or_else(|| self.further_on(open))
    }

    /// One of the next children that stands right here: those before it are gone.
    fn behind_deleted(&self, open: &Open<'d>) -> Option<(Node<'d>, usize)> {
        let here = open.new.start + memchr::memchr(b'<', &self.new[open.new.clone()])?;
        let bytes = &self.new[here..open.new.end];
        let next = std::iter::successors(open.next, |child| first_solid(child.next_sibling()));
        let is_here = |child: &Node<'d>| {
            let range = child.outer_range().filter(|range| range.len() >= SHORT);
            range.is_some_and(|range| bytes.starts_with(&self.old[range.start..range.end.min(range.start + NEEDLE)]))
        };
        next.skip(1).take(DELETED).find(is_here).map(|child| (child, here))
    }

    fn further_on(&mut self, open: &Open<'d>) -> Option<(Node<'d>, usize)> {
        let mut child = open.next;
        for ahead in 0..=AHEAD {
            let found = child?;
            let range = found.outer_range()?;
            let len = if ahead == 0 { range.len() } else { range.len().min(NEEDLE) };
            if len >= SHORT {
                let passed = range.start - open.old.start;
                let reach = open.new.len().min(passed + passed / 2 + WINDOW);
                let met = find_tag(&self.new[open.new.clone()], reach, &self.old[range.start..range.start + len]);
                self.work = self.work.checked_sub(met.unwrap_or(reach) / 4)?;
                if let Some(at) = met {
                    return Some((found, open.new.start + at));
                }
            }
            child = first_solid(found.next_sibling());
        }
        None
    }

    /// What stands before the meeting point is new, or one element to be gone into.
    fn changed_element(&mut self, open: &mut Open<'d>, met: Node<'d>, at: usize) -> Option<Open<'d>> {
        let old = open.old.start..met.outer_range().map_or(open.old.end, |range| range.start);
        let new = open.new.start..at;
        let only = open.next.filter(|first| first_solid(first.next_sibling()) == Some(met));
        let removed = open.from..met.id().0;
        (open.old.start, open.new.start, open.from, open.next) = (old.end, new.end, met.id().0, Some(met));
        let inner = only.and_then(|only| self.inner(only, &old, &new));
        if inner.is_none() {
            self.replace(open.skeleton, removed, old, new);
        }
        inner
    }

    /// An element whose tags, and the white space around them, are the same.
    fn inner(&mut self, node: Node<'d>, old: &Range<usize>, new: &Range<usize>) -> Option<Open<'d>> {
        let (range, content) = (node.outer_range()?, node.content_range()?);
        if range.len() < SMALL || node.children().any(|child| child.kind() == Kind::Text) {
            return None;
        }
        let front = &self.old[old.start..content.start];
        let back = &self.old[content.end..old.end];
        let bytes = &self.new[new.clone()];
        let is_framed = bytes.len() >= front.len() + back.len() && bytes.starts_with(front) && bytes.ends_with(back);
        let inside = is_framed.then(|| new.start + front.len()..new.end - back.len())?;
        // Another end of such an element in it would make several of one.
        let end_tag = &self.old[content.end..range.end - 1];
        if memchr::memmem::find(&self.new[inside.clone()], end_tag).is_some() {
            return None;
        }
        Some(self.open(node, range, content, inside))
    }

    /// All that is left, but for children that are equal from the end: new, or one element to be gone into.
    fn changed_rest(&mut self, open: &mut Open<'d>) -> Option<Open<'d>> {
        let parent = self.found.skeletons[open.skeleton].node;
        let equal = common_back(&self.old[open.old.clone()], &self.new[open.new.clone()]);
        let limit = open.old.end - equal;
        let mut rest = std::iter::successors(open.next, |child| first_solid(child.next_sibling()));
        let kept = rest.find(|child| child.outer_range().is_some_and(|range| range.start >= limit));
        let (last, end) = kept
            .and_then(|kept| Some((kept.id().0, kept.outer_range()?.start)))
            .unwrap_or((parent.end(), open.old.end));
        let (old, new) = (open.old.start..end, open.new.start..open.new.end - (open.old.end - end));
        let only = open.next.filter(|first| first_solid(first.next_sibling()) == kept);
        let removed = open.from..last;
        (open.old.start, open.new.start, open.next) = (open.old.end, open.new.end, None);
        let inner = only.and_then(|only| self.inner(only, &old, &new));
        if inner.is_none() {
            self.replace(open.skeleton, removed, old, new);
        }
        inner
    }

    fn replace(&mut self, skeleton: usize, removed: Range<u32>, old: Range<usize>, new: Range<usize>) {
        self.found.pieces.push(Change { skeleton, removed, removed_bytes: old, bytes: new });
    }
}

/// The node or the first sibling behind it that is no text: texts are read again with what changed beside them.
fn first_solid(node: Option<Node<'_>>) -> Option<Node<'_>> {
    std::iter::successors(node, |node| node.next_sibling()).find(|node| node.kind() != Kind::Text)
}

/// Where `needle`, which begins with a tag, stands within the first `reach` bytes: from one `<` to the next. Most are
/// told apart by a few bytes, and a search that has to be prepared takes longer than all the comparisons.
fn find_tag(bytes: &[u8], reach: usize, needle: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'<', &bytes[..reach]).find(|&at| bytes[at..].starts_with(needle))
}

const CHUNK: usize = 1024;

fn common_front(left: &[u8], right: &[u8]) -> usize {
    let chunks = left.chunks_exact(CHUNK).zip(right.chunks_exact(CHUNK));
    let start = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    start + left[start..].iter().zip(&right[start..]).take_while(|(left, right)| left == right).count()
}

fn common_back(left: &[u8], right: &[u8]) -> usize {
    let chunks = left.rchunks_exact(CHUNK).zip(right.rchunks_exact(CHUNK));
    let end = chunks.take_while(|(left, right)| left == right).count() * CHUNK;
    let rest = left[..left.len() - end].iter().rev().zip(right[..right.len() - end].iter().rev());
    end + rest.take_while(|(left, right)| left == right).count()
}
