//! Which sentences of two rows are pairs, in order? Those that have most words in common, all together.
//!
//! Two sentences may be a pair if they share at least half of their words in order ([`LIKE`]; less suffices if the tree
//! matching paired the blocks they stand in, [`PARTNERS_LIKE`]), and a pair weighs as much as the words it shares. The
//! heaviest row of pairs is found by a table of all against all, in which most are turned down by their lengths and
//! sketches. A table's cost is known beforehand; where it is more than [`STEPS_PER_WORD`] or [`CELLS_PER_WORD`] allow,
//! the rows are split, first at sentences that are on both sides once and equal, then at the longest row of equal ones, and the
//! table of what is still too much is a band along its diagonal, at least one sentence wide. So the whole is linear in the words of
//! both rows, given that sentences have a bounded number of words.

use std::collections::HashMap;
use std::ops::Range;

use super::super::whereabouts::Whereabouts;
use super::super::{Budget, common_row};
use super::weigh::{Scale, most, sketch};
use crate::matching::{Sibling, SiblingOrder, staying};

/// The part of two sentences' words that is in both if they are a pair: 2W/L of the shared words and both lengths, in hundredths.
pub const LIKE: usize = 50;

/// The same for sentences of blocks that are partners: a sentence that was rewritten in its place is easier to read as
/// changed than as replaced.
pub const PARTNERS_LIKE: usize = 34;

/// Steps of about a nanosecond that a table may take for every word of its rows.
const STEPS_PER_WORD: usize = 128;

/// Cells that a table may have for every word of its rows, and at any rate; a cell has 8 bytes.
const CELLS_PER_WORD: usize = 4;
const CELLS: usize = 1 << 16;

/// What a shared word weighs, so that there is something less: that sentences are equal, that their blocks are partners.
const WORD: u32 = 8;
const EQUAL: u32 = 4;
const PARTNERS: u32 = 3;

/// A sentence as far as pairs are concerned.
#[derive(Debug, Clone, Copy)]
pub struct Sentence<'a> {
    /// The numbers of the words that count.
    pub words: &'a [u32],
    /// Equal where sentences are, with all that does not count.
    pub whole: u64,
}

/// How the places of two sentences stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They cannot be a pair: cells of different columns, say.
    Barred,
    /// Nothing is known.
    Free,
    /// The tree matching paired their blocks.
    Partners,
    /// The same, and each is all that its block has: in doubt they are a pair without a common word, `3` and `4` in a cell.
    Counterparts,
}

/// The heaviest row of pairs, in order.
pub fn pairs(
    before: &[Sentence<'_>],
    after: &[Sentence<'_>],
    relation: impl Fn(usize, usize) -> Relation,
    scale: &mut Scale,
) -> Vec<(usize, usize)> {
    // Between most neighbours nothing is left on one side.
    if before.is_empty() || after.is_empty() {
        return Vec::new();
    }
    let mut aligner = Aligner { before: Row::new(before), after: Row::new(after), relation, scale, pairs: Vec::new() };
    let mut gaps = vec![(Stage::Unique, 0..before.len(), 0..after.len())];
    while let Some((stage, before, after)) = gaps.pop() {
        let gap = aligner.trimmed(before, after);
        let anchors = match stage {
            _ if gap.0.is_empty() || gap.1.is_empty() => continue,
            _ if aligner.is_affordable(&gap, gap.1.len()) => {
                aligner.table(&gap, gap.1.len());
                continue;
            }
            Stage::Unique => aligner.unique(&gap),
            Stage::Common => aligner.common(&gap),
            Stage::Band => {
                aligner.table(&gap, aligner.affordable_width(&gap));
                continue;
            }
        };
        gaps.extend(between(&anchors, gap).map(|(before, after)| (stage.next(), before, after)));
        aligner.pairs.extend(anchors);
    }
    aligner.pairs.sort_unstable();
    aligner.pairs
}

/// How to split a gap that is too much for a table.
#[derive(Clone, Copy)]
enum Stage {
    Unique,
    Common,
    Band,
}

impl Stage {
    fn next(self) -> Self {
        match self {
            Stage::Unique => Stage::Common,
            Stage::Common | Stage::Band => Stage::Band,
        }
    }
}

type Gap = (Range<usize>, Range<usize>);

/// What lies between the anchors of a gap.
fn between(anchors: &[(usize, usize)], gap: Gap) -> impl Iterator<Item = Gap> {
    let mut start = (gap.0.start, gap.1.start);
    anchors.iter().copied().chain([(gap.0.end, gap.1.end)]).map(move |(before, after)| {
        let between = (start.0..before, start.1..after);
        start = (before + 1, after + 1);
        between
    })
}

/// Sentences with what is known beforehand.
struct Row<'a> {
    sentences: &'a [Sentence<'a>],
    sketches: Vec<u64>,
    /// How many words there are before each sentence, and in all.
    n_words: Vec<usize>,
}

impl<'a> Row<'a> {
    fn new(sentences: &'a [Sentence<'a>]) -> Self {
        let mut total = 0;
        let ends = sentences.iter().map(|sentence| {
            total += sentence.words.len();
            total
        });
        Row {
            n_words: [0].into_iter().chain(ends).collect(),
            sketches: sentences.iter().map(|sentence| sketch(sentence.words)).collect(),
            sentences,
        }
    }

    fn n_words(&self, range: &Range<usize>) -> usize {
        self.n_words[range.end] - self.n_words[range.start]
    }
}

struct Aligner<'a, 's, R> {
    before: Row<'a>,
    after: Row<'a>,
    relation: R,
    scale: &'s mut Scale,
    pairs: Vec<(usize, usize)>,
}

impl<R: Fn(usize, usize) -> Relation> Aligner<'_, '_, R> {
    fn is_equal(&self, x: usize, y: usize) -> bool {
        let (before, after) = (&self.before.sentences[x], &self.after.sentences[y]);
        before.whole == after.whole && (self.relation)(x, y) != Relation::Barred
    }

    /// What is left of a gap without its equal ends, which are pairs.
    fn trimmed(&mut self, before: Range<usize>, after: Range<usize>) -> Gap {
        let start = before.clone().zip(after.clone()).take_while(|&(x, y)| self.is_equal(x, y)).count();
        let rest = (before.start + start..before.end, after.start + start..after.end);
        let pairs_back = rest.0.clone().rev().zip(rest.1.clone().rev());
        let end = pairs_back.take_while(|&(x, y)| self.is_equal(x, y)).count();
        self.pairs.extend(before.clone().zip(after.clone()).take(start));
        self.pairs.extend(before.clone().rev().zip(after.clone().rev()).take(end));
        (rest.0.start..rest.0.end - end, rest.1.start..rest.1.end - end)
    }

    /// Whether a table with rows of this width is within the limits.
    fn is_affordable(&self, gap: &Gap, width: usize) -> bool {
        let n_words = [self.before.n_words(&gap.0), self.after.n_words(&gap.1)];
        let all_words = n_words[0] + n_words[1] + gap.0.len() + gap.1.len();
        let cells = gap.0.len().saturating_mul(width + 1);
        // Every word of `after` passes, in as many rows as the band is wide, as many blocks as the sentence there has.
        let rows = (gap.0.len() * width).div_ceil(gap.1.len().max(1));
        let blocks = rows + n_words[0] * width / gap.1.len().max(1) / u64::BITS as usize;
        let steps = cells.saturating_add(n_words[1].saturating_mul(blocks));
        steps <= all_words.saturating_mul(STEPS_PER_WORD) && cells <= CELLS + all_words.saturating_mul(CELLS_PER_WORD)
    }

    fn affordable_width(&self, gap: &Gap) -> usize {
        let widths: Vec<usize> =
            (0..usize::BITS).map(|bit| 1 << bit).take_while(|&width| width <= gap.1.len()).collect();
        let n_affordable = widths.partition_point(|&width| self.is_affordable(gap, width));
        widths.get(n_affordable.saturating_sub(1)).copied().unwrap_or(1)
    }

    /// Sentences that are on both sides once and equal, the heaviest row of them in order.
    fn unique(&self, gap: &Gap) -> Vec<(usize, usize)> {
        let mut places: HashMap<u64, [Whereabouts; 2]> = HashMap::new();
        for (side, (row, range)) in [(&self.before, &gap.0), (&self.after, &gap.1)].into_iter().enumerate() {
            for at in range.clone().filter(|&at| !row.sentences[at].words.is_empty()) {
                places.entry(row.sentences[at].whole).or_default()[side].see(at);
            }
        }
        let mut pairs: Vec<(usize, usize)> = places
            .into_values()
            .filter_map(|[before, after]| Some((before.only()?, after.only()?)))
            .filter(|&(x, y)| (self.relation)(x, y) != Relation::Barred)
            .collect();
        pairs.sort_unstable_by_key(|&(_, after)| after);
        let weigh = |&(x, _): &(usize, usize)| Sibling {
            position: x as u32,
            weight: self.before.sentences[x].words.len() as u64,
        };
        let stay = staying(&pairs.iter().map(weigh).collect::<Vec<_>>(), SiblingOrder::Exact);
        pairs.into_iter().zip(stay).filter_map(|(pair, stays)| stays.then_some(pair)).collect()
    }

    /// The longest row of equal sentences, or none where finding it takes too long.
    fn common(&self, gap: &Gap) -> Vec<(usize, usize)> {
        let (x, y) = (gap.0.start, gap.1.start);
        let is_equal = |before: usize, after: usize| self.is_equal(x + before, y + after);
        let common = common_row([gap.0.len(), gap.1.len()], is_equal, Budget::default()).unwrap_or_default();
        common.into_iter().map(|(before, after)| (x + before, y + after)).collect()
    }

    /// Finds the heaviest row of pairs in a gap, among those within the band.
    fn table(&mut self, gap: &Gap, width: usize) {
        let band = Band::new([gap.0.len(), gap.1.len()], width);
        let mut cells = vec![Cell::default(); band.n_cells()];
        for x in (0..gap.0.len()).rev() {
            self.scale.put(self.before.sentences[gap.0.start + x].words);
            let columns = band.columns(x);
            cells[band.at(x, columns.end)].best = band.best(&cells, x + 1, columns.end);
            for y in columns.rev() {
                let weight = self.weight(gap.0.start + x, gap.1.start + y);
                let paired = weight.saturating_add(band.best(&cells, x + 1, y + 1));
                let best = paired.max(band.best(&cells, x + 1, y)).max(band.best(&cells, x, y + 1));
                cells[band.at(x, y)] = Cell { best, weight };
            }
        }
        let pairs = band.way(&cells);
        self.pairs.extend(pairs.into_iter().map(|(x, y)| (gap.0.start + x, gap.1.start + y)));
    }

    /// What a pair weighs, nothing if it is none. The sentence of `before` is on the scale.
    fn weight(&mut self, x: usize, y: usize) -> u32 {
        let (before, after) = (&self.before.sentences[x], &self.after.sentences[y]);
        let lens = [before.words.len(), after.words.len()];
        let is_like = |shared: usize, like: usize| shared > 0 && 200 * shared >= like * (lens[0] + lens[1]);
        let is_equal = before.whole == after.whole;
        let may_be_like = is_like(most(lens, [self.before.sketches[x], self.after.sketches[y]]), PARTNERS_LIKE);
        let relation = (self.relation)(x, y);
        let (like, bonus) = match relation {
            Relation::Barred => return 0,
            Relation::Free => (LIKE, 0),
            Relation::Partners | Relation::Counterparts => (PARTNERS_LIKE, PARTNERS),
        };
        if is_equal {
            return WORD * lens[0] as u32 + EQUAL + bonus;
        }
        let shared = if may_be_like { self.scale.weigh(after.words) } else { 0 };
        match relation {
            _ if is_like(shared, like) => WORD * shared as u32 + bonus,
            Relation::Counterparts => bonus,
            _ => 0,
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Cell {
    /// The heaviest row of pairs from here on.
    best: u32,
    /// What the pair here weighs.
    weight: u32,
}

/// The part of a table that is looked at: columns along the diagonal, and one more behind them.
struct Band {
    lens: [usize; 2],
    width: usize,
}

impl Band {
    fn new(lens: [usize; 2], width: usize) -> Self {
        Band { lens, width: width.clamp(1, lens[1].max(1)) }
    }

    fn n_cells(&self) -> usize {
        self.lens[0] * (self.width + 1)
    }

    /// The columns of a row; neither end goes back from one row to the next.
    fn columns(&self, x: usize) -> Range<usize> {
        let start = match (self.lens[1] - self.width, self.lens[0]) {
            // Most tables are looked at as a whole, and a division takes longer than all else.
            (0, _) | (_, 1) => 0,
            (room, rows) => room * x / (rows - 1),
        };
        start..start + self.width
    }

    fn at(&self, x: usize, y: usize) -> usize {
        x * (self.width + 1) + y - self.columns(x).start
    }

    /// The heaviest row of pairs from a cell on; one left of the band is as good as the first inside it.
    fn best(&self, cells: &[Cell], x: usize, y: usize) -> u32 {
        if x == self.lens[0] { 0 } else { cells[self.at(x, y.max(self.columns(x).start))].best }
    }

    /// The pairs of the heaviest row; the first possible ones, where some weigh the same.
    fn way(&self, cells: &[Cell]) -> Vec<(usize, usize)> {
        let mut pairs = Vec::new();
        let (mut x, mut y) = (0, 0);
        while x < self.lens[0] {
            let columns = self.columns(x);
            y = columns.start.max(y);
            let cell = cells[self.at(x, y)];
            if y < columns.end
                && cell.weight > 0
                && cell.best == cell.weight.saturating_add(self.best(cells, x + 1, y + 1))
            {
                pairs.push((x, y));
                (x, y) = (x + 1, y + 1);
            } else if y < columns.end && cell.best == self.best(cells, x, y + 1) {
                y += 1;
            } else {
                x += 1;
            }
        }
        pairs
    }
}

#[cfg(test)]
mod tests;
