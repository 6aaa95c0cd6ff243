//! How are the children of a pair aligned? A dynamic programme over both rows, within a limit that is raised on need.
//!
//! A cell is the least cost of the first `i` children before and the first `j` after. What is left behind a cell costs
//! at least the difference of its sizes, so that cells from where the limit cannot be kept are left out. The first limit
//! is just above a lower bound; where it does not suffice, the next is twice as high, which makes all of them together
//! cost no more than twice the last.
//!
//! Children that are the same at both ends are pairs. Say that both rows begin with the same content `a`, and some
//! alignment pairs the first `a` with another child `b`: then all before `b`, the other `a` among them, is inserted. To
//! pair both `a` and insert `b` is no dearer, since `size(b)` is at most `size(a)` and the cost of the pair `(a, b)`: its
//! deletions, insertions and updates make up the difference of sizes. If neither has a partner, to pair them saves both.
//! The same holds from the end, and for a cell of equal children, which costs what its diagonal costs.

use super::content::{ContentId, Contents, Row};
use super::distance::{Distances, Exhausted, Known, Question};
use super::ways::{Way, Ways};

/// No way leads here within the limit.
const NO_WAY: u32 = u32::MAX;

/// What an alignment wants next.
pub(super) enum Step {
    Asks(Question),
    Answers(Known),
}

/// The alignment of the children of a pair, at some cell.
pub(super) struct Alignment {
    pub(super) question: Question,
    /// The children on both sides without those that are the same at the ends; none of the rows is empty.
    pub(super) from: Row,
    pub(super) to: Row,
    /// What the roots cost.
    pub(super) update: u32,
    /// The size of the last pair, here or above, that was bounded by its bags.
    pub(super) bound_size: u32,
    /// What the rows cost at least, at most, and the limit of the attempt that is made.
    floor: u32,
    ceiling: u32,
    limit: u32,
    /// The cell that is next, and the first and last with a way in the line above it.
    at: (u32, u32),
    above: (u32, u32),
    /// The same of the line so far.
    line: Option<(u32, u32)>,
    /// Where the two lines are among the cells of all alignments.
    start: Option<usize>,
    pub(super) trace: Option<Trace>,
}

impl Alignment {
    /// The alignment that answers a question, unless one of the sides has no children that are not the same at the ends.
    pub(super) fn new(contents: &Contents, question: Question) -> Option<Self> {
        let (a, b) = question.pair;
        let (from, to) = without_ends(contents, contents.children(a), contents.children(b));
        if from.is_empty() || to.is_empty() {
            return None;
        }
        let (sizes, others) = (contents.row_size(&from), contents.row_size(&to));
        // The roots are two nodes of the bags at most.
        let roots = u32::from(contents.root(a) != contents.root(b));
        let floor = sizes.abs_diff(others).max(contents.least_cost(a, b).saturating_sub(roots));
        Some(Alignment {
            question,
            update: contents.update_cost(a, b),
            bound_size: contents.size(a).saturating_add(contents.size(b)),
            floor,
            ceiling: sizes + others,
            limit: 0,
            at: (0, 0),
            above: (0, 0),
            line: None,
            start: None,
            trace: None,
            from,
            to,
        })
    }

    /// What the pair costs at least.
    pub(super) fn least(&self) -> u32 {
        self.update + self.floor
    }

    pub(super) fn raise(&mut self, floor: u32) {
        self.floor = self.floor.max(floor).min(self.ceiling);
    }

    /// Chooses the first limit.
    pub(super) fn begin(&mut self) {
        self.limit = (self.floor + self.floor / 4 + 1).min(self.ceiling);
    }

    /// The cost is known.
    pub(super) fn expect(&mut self, cost: u32) {
        self.limit = cost - self.update;
    }

    pub(super) fn keep_trace(&mut self) {
        self.trace = Some(Trace::default());
    }

    /// Goes on from the cell that waits for an answer, up to the next question or the end.
    pub(super) fn go_on(&mut self, all: &mut Distances<'_>, mut answer: Option<Known>) -> Result<Step, Exhausted> {
        let start = *self.start.get_or_insert_with(|| {
            let start = all.cells.len();
            all.cells.resize(start + 2 * (self.to.len() + 1), NO_WAY);
            start
        });
        loop {
            if self.at.0 == 0 {
                self.first_line(&mut all.cells[start..], all.contents);
            }
            if let Some(question) = self.lines(all, start, &mut answer)? {
                return Ok(Step::Asks(question));
            }
            if let Some(known) = self.outcome(&all.cells[start..]) {
                all.cells.truncate(start);
                return Ok(Step::Answers(known));
            }
            self.limit = (2 * self.limit + 1).min(self.ceiling);
            self.at = (0, 0);
        }
    }

    /// The end of an attempt: the cost, or that it is above the limit and this is enough to know; else another attempt.
    fn outcome(&mut self, cells: &[u32]) -> Option<Known> {
        let width = self.to.len() + 1;
        let found = match self.at.0 as usize > self.from.len() {
            true if self.above.1 as usize == self.to.len() => cells[(self.from.len() % 2) * width + self.to.len()],
            _ => NO_WAY,
        };
        if found != NO_WAY {
            return Some(Known::Exactly(self.update + found));
        }
        debug_assert!(self.limit < self.ceiling, "all can be deleted and inserted");
        self.floor = self.limit + 1;
        (self.least() > self.question.room).then_some(Known::AtLeast(self.least()))
    }

    /// No child before: all that is passed was inserted.
    fn first_line(&mut self, cells: &mut [u32], contents: &Contents) {
        let mut cost = 0;
        let mut last = 0;
        let all_before = contents.row_size(&self.from);
        for j in 0..=self.to.len() as u32 {
            let place = self.to.start + j;
            let left = contents.nodes_from(&self.to, place).abs_diff(all_before);
            // Never falls from cell to cell, so that there is no way behind the first that is too dear.
            if cost + left > self.limit {
                break;
            }
            cells[j as usize] = cost;
            last = j;
            if place < self.to.end {
                cost += contents.size(contents.child(place));
            }
        }
        self.above = (0, last);
        self.at = (1, 0);
        self.line = None;
        if let Some(trace) = &mut self.trace {
            trace.clear();
        }
    }

    /// All lines but the first, up to a question. Ends early where a line has no way.
    fn lines(
        &mut self,
        all: &mut Distances<'_>,
        start: usize,
        answer: &mut Option<Known>,
    ) -> Result<Option<Question>, Exhausted> {
        while self.at.0 as usize <= self.from.len() {
            if let Some(question) = self.one_line(all, start, answer)? {
                return Ok(Some(question));
            }
            let Some(line) = self.line.take() else { return Ok(None) };
            self.above = line;
            self.at = (self.at.0 + 1, line.0);
        }
        Ok(None)
    }

    fn one_line(
        &mut self,
        all: &mut Distances<'_>,
        start: usize,
        answer: &mut Option<Known>,
    ) -> Result<Option<Question>, Exhausted> {
        let line = Line::new(self, all.contents, start);
        let first = self.at.1;
        if let (Some(trace), None) = (&mut self.trace, &answer) {
            trace.begin_line(first);
        }
        let mut asked = None;
        while asked.is_none() && self.is_in_reach(&line, &all.cells) {
            match self.cell(&line, all, answer) {
                Ok((cost, way)) => self.set(&line, cost, way, &mut all.cells),
                Err(question) => asked = Some(question),
            }
        }
        all.spend(u64::from(self.at.1 - first))?;
        match &self.trace {
            Some(trace) if trace.ways.bytes().len() as u64 > all.max_trace_bytes => Err(Exhausted::Bytes),
            _ => Ok(asked),
        }
    }

    /// Whether a way may lead to the cell that is next.
    #[inline]
    fn is_in_reach(&self, line: &Line, cells: &[u32]) -> bool {
        let at = self.at.1;
        at as usize <= self.to.len() && (at <= self.above.1 + 1 || self.beside(line, cells) != NO_WAY)
    }

    /// The cell before the next in its line.
    #[inline]
    fn beside(&self, line: &Line, cells: &[u32]) -> u32 {
        if self.line.is_some() { cells[line.here + self.at.1 as usize - 1] } else { NO_WAY }
    }

    /// A cell of the line above.
    #[inline]
    fn above(&self, line: &Line, cells: &[u32], at: u32) -> u32 {
        if self.above.0 <= at && at <= self.above.1 { cells[line.above + at as usize] } else { NO_WAY }
    }

    /// The least cost at the cell that is next, and the way to it; or a question that has to be answered first.
    #[inline]
    fn cell(&self, line: &Line, all: &Distances<'_>, answer: &mut Option<Known>) -> Result<(u32, Way), Question> {
        let (contents, at) = (all.contents, self.at.1);
        let left = line.left.abs_diff(contents.nodes_from(&self.to, self.to.start + at));
        if left > self.limit {
            return Ok((NO_WAY, Way::Delete));
        }
        let most = self.limit - left;
        let mut best = (self.above(line, &all.cells, at).saturating_add(line.size), Way::Delete);
        if at > 0 {
            let child = contents.child(self.to.start + at - 1);
            let insert = self.beside(line, &all.cells).saturating_add(contents.size(child));
            if insert < best.0 {
                best = (insert, Way::Insert);
            }
            let diagonal = self.above(line, &all.cells, at - 1);
            if line.child == child {
                best = (diagonal, Way::Pair);
            } else if diagonal < best.0 && diagonal <= most && contents.are_alike(line.child, child) {
                let room = most.min(best.0 - 1) - diagonal;
                let question = Question { pair: (line.child, child), room };
                match answer.take().or_else(|| all.glance(question)).ok_or(question)? {
                    Known::Exactly(cost) if cost <= room => best = (diagonal + cost, Way::Pair),
                    _ => {}
                }
            }
        }
        Ok(if best.0 > most { (NO_WAY, best.1) } else { best })
    }

    #[inline]
    fn set(&mut self, line: &Line, cost: u32, way: Way, cells: &mut [u32]) {
        let at = self.at.1;
        cells[line.here + at as usize] = cost;
        if cost != NO_WAY {
            self.line = Some((self.line.map_or(at, |(first, _)| first), at));
        }
        if let Some(trace) = &mut self.trace {
            trace.ways.push(way);
        }
        self.at.1 += 1;
    }
}

/// What is the same for all cells of a line.
struct Line {
    /// The child before that it is of, and its size.
    child: ContentId,
    size: u32,
    /// How many nodes are left before behind that child.
    left: u32,
    /// Where its cells are, and those of the line above.
    here: usize,
    above: usize,
}

impl Line {
    fn new(alignment: &Alignment, contents: &Contents, start: usize) -> Self {
        let (number, width) = (alignment.at.0, alignment.to.len() + 1);
        let place = alignment.from.start + number - 1;
        let child = contents.child(place);
        let [even, odd] = [start, start + width];
        let (here, above) = if number % 2 == 0 { (even, odd) } else { (odd, even) };
        let left = contents.nodes_from(&alignment.from, place + 1);
        Line { child, size: contents.size(child), left, here, above }
    }
}

/// Two rows without the children that are the same at both ends.
pub(super) fn without_ends(contents: &Contents, mut from: Row, mut to: Row) -> (Row, Row) {
    while !from.is_empty() && !to.is_empty() && contents.child(from.start) == contents.child(to.start) {
        (from.start, to.start) = (from.start + 1, to.start + 1);
    }
    while !from.is_empty() && !to.is_empty() && contents.child(from.end - 1) == contents.child(to.end - 1) {
        (from.end, to.end) = (from.end - 1, to.end - 1);
    }
    (from, to)
}

/// The ways to all cells of an alignment.
#[derive(Debug, Default)]
pub(super) struct Trace {
    /// For every line but the first: its first cell, and where its ways begin.
    lines: Vec<(u32, usize)>,
    ways: Ways,
}

impl Trace {
    fn clear(&mut self) {
        self.lines.clear();
        self.ways.clear();
    }

    fn begin_line(&mut self, first: u32) {
        self.lines.push((first, self.ways.len()));
    }

    /// The children that are pairs, as their places in the two rows, last first.
    pub(super) fn pairs(&self, width: u32) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let (mut i, mut j) = (self.lines.len(), width);
        while i > 0 {
            let (first, start) = self.lines[i - 1];
            match self.ways.get(start + (j - first) as usize) {
                Way::Delete => i -= 1,
                Way::Insert => j -= 1,
                Way::Pair => {
                    (i, j) = (i - 1, j - 1);
                    pairs.push((i as u32, j));
                }
            }
        }
        pairs
    }
}
