//! What does the cheapest edit without moves cost? The minimum in Selkow's model, which all others are measured by.
//!
//! The idea (Selkow 1977; Chawathe's MMDiff, 1999): nodes are a pair only where their parents are, and siblings keep
//! their order; then the cost of a pair is that of its roots and of the cheapest alignment of their children, where a
//! child is deleted, inserted (each for its number of nodes) or paired. Here most of those pairs are never looked at: equal
//! content is one number, lower bounds tell which cells of an alignment cannot be on the cheapest way, and costs are
//! computed where they are asked for, up to the limit where they begin not to matter.
//!
//! ```text
//!   before  list     after  list          .  x  4  y      1 and 5 are the same at the ends: pairs. The bags of
//!           ├─ 1            ├─ 1      .   0  1            the rest, {2 3 4} and {x 4 y}, say that it costs 2 at
//!           ├─ 2            ├─ x      2   1  1  2         least; with the limit 3 these are the cells that are
//!           ├─ 3            ├─ 4      3      2  2         computed. The cheapest way through them: 2 is updated
//!           ├─ 4            ├─ y      4         2  3      to x, 3 is deleted, 4 stays, y is inserted
//!           └─ 5            └─ 5
//! ```
//!
//! - `bare` numbers nodes and `content` equal subtrees, `bounds` has the lower bounds, `alignment` the dynamic programme of
//!   one pair, `distance` those of all pairs that are asked for; `external` is XMDiff, for where memory is short.
//! - With `D` the minimum, a row of `n` children costs about `n·D` cells and not `n²`; documents that share nothing
//!   cost a cell for every two nodes of one depth whose ancestors are named alike, which the budget bounds.
//! - It never sees a move, a wrapper or a changed name: all of those are a deletion and an insertion.
//! - Keys, IDs and unordered children are of no matter to the minimum, and are not minded.
//!
//! Rejected: best-first search over cells (a queue costs more than the cells that it saves); anchors that are unique on
//! both sides (the cheapest alignment may cross them); a grid over all nodes, which cannot tell that most of it does not
//! matter, but needs no memory for pairs: that is what `external` does.

mod alignment;
mod bare;
mod bounds;
mod content;
mod distance;
mod external;
#[cfg(test)]
mod tests;
mod ways;

use std::io::{self, Read, Seek, Write};

use super::{Fallback, Matching, Notes, Options, auto};
use crate::tree::{Document, NodeId};
use content::Contents;
use distance::{Distances, Exhausted};
use external::GridError;

/// What finding the minimum may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Cells of alignments that are computed: some ten nanoseconds each.
    pub max_cells: u64,
    /// Bytes of memory, beside the documents.
    pub max_bytes: u64,
}

impl Default for Budget {
    /// Four thousand million cells, and one GiB.
    fn default() -> Self {
        Budget { max_cells: 4_000_000_000, max_bytes: 1 << 30 }
    }
}

/// Matches two documents at the minimum edit cost without moves.
///
/// Where the budget does not suffice, the matching is that of [`auto`] without moves, and says so with [`Fallback::NotOptimal`]; without that
/// note it is the optimum.
///
/// ```
/// use std::sync::Arc;
/// use treediff::delta::Delta;
/// use treediff::{matching, parse};
///
/// let [before, after] = ["<a><b/><c>x</c><d/></a>", "<a><c>y</c><d/><d/></a>"]
///     .map(|source| parse::xml(source, &Default::default()).map(|parsed| Arc::new(parsed.document)));
/// let (before, after) = (before?, after?);
/// let matching = matching::optimal(&before, &after, &Default::default());
/// let delta = Delta::between(&before, &after, &matching, &Default::default())?;
/// assert_eq!(delta.stats().edit_cost(), 3);
/// assert_eq!(matching::minimum_cost(&before, &after, &Default::default()), Some(3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn optimal(before: &Document, after: &Document, options: &Options) -> Matching {
    in_memory(before, after, options).unwrap_or_else(|exhausted| instead(before, after, options, exhausted))
}

/// The same with scratch space, such as a file, for what does not fit in [`Budget::max_bytes`]. Where all fits, none is
/// asked for.
///
/// ```
/// use std::io::Cursor;
/// use treediff::matching::{self, Budget, Options};
/// use treediff::parse;
///
/// let before = parse::xml("<a><b>one</b><b>two</b></a>", &Default::default())?.document;
/// let after = parse::xml("<a><b>two</b><b>three</b><c/></a>", &Default::default())?.document;
/// let options = Options { budget: Budget { max_bytes: 1000, ..Budget::default() }, ..Options::default() };
/// let matching = matching::optimal_external(&before, &after, &options, || Ok(Cursor::new(Vec::new())))?;
/// assert_eq!(matching.pairs().count(), 6);
/// assert_eq!(matching.notes().used().count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of the scratch space.
pub fn optimal_external<S: Read + Write + Seek>(
    before: &Document,
    after: &Document,
    options: &Options,
    scratch: impl FnOnce() -> io::Result<S>,
) -> io::Result<Matching> {
    let found = match in_memory(before, after, options) {
        Err(Exhausted::Bytes) => match external::by_grid(before, after, options, scratch()?) {
            Err(GridError::Scratch(error)) => return Err(error),
            found => found.map_err(|_| Exhausted::Cells),
        },
        found => found,
    };
    Ok(found.unwrap_or_else(|exhausted| instead(before, after, options, exhausted)))
}

/// The same, or nothing where the budget does not suffice.
pub(super) fn within(before: &Document, after: &Document, options: &Options) -> Option<Matching> {
    in_memory(before, after, options).ok()
}

fn in_memory(before: &Document, after: &Document, options: &Options) -> Result<Matching, Exhausted> {
    let contents = Contents::of(before, after);
    recovered(before, after, &mut Distances::new(&contents, &options.budget))
}

/// The matching where the budget does not suffice.
fn instead(before: &Document, after: &Document, options: &Options, exhausted: Exhausted) -> Matching {
    // It keeps no ID where it is, as the minimum does not.
    let without_names = Options { without_moves: true, without_ids: true, ..options.clone() };
    let mut matching = auto(before, after, &without_names);
    let Budget { max_cells, max_bytes } = options.budget;
    let reason = || match exhausted {
        Exhausted::Cells => format!("the minimum takes more than {max_cells} cells"),
        Exhausted::Bytes => format!("the minimum takes more than {max_bytes} bytes"),
    };
    // First, since it is kept then however much else is noted.
    let mut notes = Notes::default();
    notes.add(Fallback::NotOptimal, after.root(), reason);
    notes.append(matching.notes());
    *matching.notes_mut() = notes;
    matching
}

/// The minimum edit cost without moves; `None` where the budget does not suffice. A document type declaration is no
/// node: that it changed is not in it.
pub fn minimum_cost(before: &Document, after: &Document, options: &Options) -> Option<u64> {
    let contents = Contents::of(before, after);
    let roots = (contents.of_before[0], contents.of_after[0]);
    if roots.0 == roots.1 {
        return Some(0);
    }
    Distances::new(&contents, &options.budget).cost(roots).ok().map(u64::from)
}

/// The matching of the minimum: from the document nodes down, the alignments of all pairs.
fn recovered(before: &Document, after: &Document, distances: &mut Distances<'_>) -> Result<Matching, Exhausted> {
    let contents = distances.contents;
    let mut matching = Matching::new(before, after);
    let mut pairs = vec![(NodeId::DOCUMENT, NodeId::DOCUMENT)];
    while let Some((from, to)) = pairs.pop() {
        let pair = (contents.of_before[from.index()], contents.of_after[to.index()]);
        // The document type declaration is no content, but documents with different ones are not the same.
        if pair.0 == pair.1 && from == NodeId::DOCUMENT && before.doctype() != after.doctype() {
            let children = before.root().children().zip(after.root().children());
            pairs.extend(children.map(|(from, to)| (from.id(), to.id())));
            continue;
        }
        if pair.0 == pair.1 {
            matching.pair_same(from, to, contents.size(pair.0));
            continue;
        }
        if from != NodeId::DOCUMENT {
            matching.pair(from, to);
        }
        let children = |document: &Document, node| -> Vec<NodeId> {
            document.node(node).children().map(|child| child.id()).collect()
        };
        let (from, to) = (children(before, from), children(after, to));
        pairs.extend(distances.aligned(pair)?.into_iter().map(|(i, j)| (from[i as usize], to[j as usize])));
    }
    Ok(matching)
}
