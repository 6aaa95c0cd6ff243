//! What moved? Sentences that are gone at one place and there at another, as they are or edited on the way.
//!
//! One that is long enough to be no coincidence begins a move, or one in a block that the matching knows to be the same, or an image by
//! itself; and
//! the sentences next to it on both sides that are equal too, however short, go with it. What is then left may have moved with
//! most of its words (`edited`). Its removed words are shown where they were and its added words where they are, so that both
//! sides keep their order.

use std::collections::VecDeque;
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

use super::super::reading::{Reading, Segment, atoms};
use super::cells::{Cells, MovedCell};
use super::edited;
use super::readable::Hunk;
use super::{Fate, Run};
use crate::matching::Matching;
use crate::tree::NodeId;
use crate::tree::hash::{ByHash, KeyedState};

/// Words that make a sentence which is no coincidence.
const MOVED_WORDS: usize = 4;

/// Items between two moves that make one of them at any rate.
const FEW: usize = 12;

/// Items that were at one place and are at another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    pub before: Range<usize>,
    pub after: Range<usize>,
    /// Where their words differ, in order.
    pub edits: Vec<Hunk>,
    /// The column of a table that they are of, where all of it moved.
    pub column: Option<(NodeId, usize)>,
    /// The sentences that they are, on both sides, and the runs that these were part of.
    sentences: [Range<usize>; 2],
    runs: [Option<usize>; 2],
}

impl Move {
    /// What stayed between edits, item by item; but for lines that are indented otherwise, which have more or fewer.
    pub fn stayed(&self) -> impl Iterator<Item = Hunk> {
        let mut start = (self.before.start, self.after.start);
        let end = (self.before.end..self.before.end, self.after.end..self.after.end);
        let stayed = self.edits.iter().cloned().chain([end]).map(move |(there, here)| {
            let stayed = (start.0..there.start, start.1..here.start);
            start = (there.end, here.end);
            stayed
        });
        stayed.filter(|(there, here)| there.len() == here.len() && !here.is_empty())
    }

    /// The place of a run among those of this move, as if it had stayed where it was.
    pub fn order(&self, run: &Run) -> usize {
        let [before, after] = [run.before.start, run.after.start];
        match run.fate {
            Fate::MovedFrom => 3 * self.edits.partition_point(|edit| edit.0.end <= before),
            Fate::Removed => 3 * self.edits.partition_point(|edit| edit.0.end <= before) + 1,
            Fate::Added => 3 * self.edits.partition_point(|edit| edit.1.end <= after) + 2,
            _ => 3 * self.edits.partition_point(|edit| edit.1.end <= after),
        }
    }
}

/// Finds what moved and cuts the runs accordingly: [`Run::change`] of what moved is the number of its move.
pub fn find(
    before: &Reading<'_>,
    after: &Reading<'_>,
    matching: &Matching,
    cells: &Cells,
    runs: &mut Vec<Run>,
) -> Vec<Move> {
    let gone = sentences_with(before, runs, Fate::Removed, |run| &run.before);
    let new = sentences_with(after, runs, Fate::Added, |run| &run.after);
    let mut finder = Finder { before, after, gone, new };
    let mut moves = finder.moves_of_entries(cells);
    moves.extend(finder.moves_of_columns(cells.moved()));
    moves.extend(finder.moves());
    moves.extend(finder.moves_of_blocks(matching, cells));
    moves.extend(finder.moves_with_edits());
    moves.sort_by_key(|moved| moved.after.start);
    let moves = finder.joined(moves);
    *runs = cut(std::mem::take(runs), &moves);
    moves
}

/// For every sentence the run that all of it is in, of those with this fate.
fn sentences_with(
    reading: &Reading<'_>,
    runs: &[Run],
    fate: Fate,
    side: impl Fn(&Run) -> &Range<usize>,
) -> Vec<Option<usize>> {
    let mut whole = vec![None; reading.sentences().len()];
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| run.fate == fate) {
        let items = side(run);
        let first = reading.sentences().partition_point(|sentence| sentence.items().start < items.start);
        for (at, sentence) in reading.sentences().iter().enumerate().skip(first) {
            if sentence.items().end > items.end {
                break;
            }
            whole[at] = Some(number);
        }
    }
    whole
}

struct Finder<'r, 'd> {
    before: &'r Reading<'d>,
    after: &'r Reading<'d>,
    /// The runs of sentences that may have moved and are in no move yet.
    gone: Vec<Option<usize>>,
    new: Vec<Option<usize>>,
}

impl Finder<'_, '_> {
    /// The moves of entries of definition lists, which their terms tell, with whatever was edited in them.
    fn moves_of_entries(&mut self, cells: &Cells) -> Vec<Move> {
        let places = cells.entries.pairs();
        places
            .filter_map(|[old, new]| self.whole(self.before.items_of_nodes(old), self.after.items_of_nodes(new)))
            .collect()
    }

    /// The moves of cells, each for itself, of columns that moved.
    fn moves_of_columns(&mut self, cells: &[MovedCell]) -> Vec<Move> {
        let moves = cells.iter().filter_map(|cell| {
            let [old, new] = [(self.before, cell.before), (self.after, cell.after)]
                .map(|(reading, cell)| reading.items_below(reading.document().node(cell)));
            self.whole(old, new).map(|moved| Move { column: Some(cell.column), ..moved })
        });
        moves.collect()
    }

    /// The move of some items of `before` to those of `after`, if all of them are gone and new in one piece.
    fn whole(&mut self, there: Range<usize>, here: Range<usize>) -> Option<Move> {
        let sentences = |reading: &Reading<'_>, items: &Range<usize>| {
            let place = |item: usize| reading.sentences().partition_point(|sentence| sentence.items().start < item);
            place(items.start)..place(items.end)
        };
        let (gone, new) = (sentences(self.before, &there), sentences(self.after, &here));
        let is_free = |runs: &[Option<usize>]| {
            runs.first().is_some_and(Option::is_some) && runs.iter().all(|run| *run == runs[0])
        };
        if !is_free(&self.gone[gone.clone()]) || !is_free(&self.new[new.clone()]) {
            return None;
        }
        let (there, here) = (self.before.items_of(gone.clone()), self.after.items_of(new.clone()));
        let edits = edited::edits(self.before, there, self.after, here);
        Some(self.moved(gone, new, edits))
    }

    fn moves(&mut self) -> Vec<Move> {
        let hasher = KeyedState::default();
        let content = |reading: &Reading<'_>, at: usize| {
            let mut content = hasher.build_hasher();
            reading.numbers(at).for_each(|number| content.write_u32(number));
            content.finish()
        };
        let mut places: ByHash<u64, VecDeque<usize>> = ByHash::default();
        let may_move = |reading: &Reading<'_>, runs: &[Option<usize>], at: usize| {
            runs[at].is_some() && (is_telling(reading, at) || is_lone_image(reading, runs, at))
        };
        for at in (0..self.gone.len()).filter(|&at| may_move(self.before, &self.gone, at)) {
            places.entry(content(self.before, at)).or_default().push_back(at);
        }
        let mut moves = Vec::new();
        for at in 0..self.new.len() {
            if !may_move(self.after, &self.new, at) {
                continue;
            }
            let Some(candidates) = places.get_mut(&content(self.after, at)) else { continue };
            while let Some(place) = candidates.pop_front() {
                if self.is_movable(place, at) {
                    moves.push(self.grown(place, at));
                    break;
                }
            }
        }
        moves
    }

    /// The moves of sentences, however short, that begin a block or a row which is the same elsewhere.
    fn moves_of_blocks(&mut self, matching: &Matching, cells: &Cells) -> Vec<Move> {
        let mut firsts: ByHash<NodeId, usize> = ByHash::default();
        for at in (0..self.gone.len()).filter(|&at| self.gone[at].is_some()) {
            firsts.entry(block_or_row(self.before, at)).or_insert(at);
        }
        let mut moves = Vec::new();
        for at in 0..self.new.len() {
            let same = Some(block_or_row(self.after, at)).filter(|&block| matching.is_same(block));
            let place = same.and_then(|block| matching.before_of(block)).and_then(|partner| firsts.get(&partner));
            // What is said of one term is not what was said of another.
            let may_move = |place: usize| {
                let [old, new] = [segment(self.before, place), segment(self.after, at)].map(|segment| segment.block);
                self.is_movable(place, at) && cells.entries.may_pair(old, new)
            };
            if let Some(&place) = place.filter(|&&place| may_move(place)) {
                moves.push(self.grown(place, at));
            }
        }
        moves
    }

    /// The moves of sentences with most of their words, where these are at no other place.
    fn moves_with_edits(&mut self) -> Vec<Move> {
        let is_free = |reading: &Reading<'_>, runs: &[Option<usize>], at: usize| {
            runs[at].is_some() && is_telling(reading, at) && block(reading, at).is_some()
        };
        let gone: Vec<usize> = (0..self.gone.len()).filter(|&at| is_free(self.before, &self.gone, at)).collect();
        let new = (0..self.new.len()).filter(|&at| is_free(self.after, &self.new, at)).collect::<Vec<usize>>();
        let mut moves = Vec::new();
        for (place, at, edits) in edited::pairs(self.before, &gone, self.after, &new) {
            if self.gone[place].is_none() || self.new[at].is_none() {
                continue;
            }
            moves.push(self.moved(place..place + 1, at..at + 1, edits));
            for (place, at) in [(place.wrapping_sub(1), at.wrapping_sub(1)), (place + 1, at + 1)] {
                if self.is_movable(place, at) {
                    moves.push(self.grown(place, at));
                }
            }
        }
        moves
    }

    fn is_movable(&self, place: usize, at: usize) -> bool {
        let is_free = |runs: &[Option<usize>], at: usize| runs.get(at).is_some_and(Option::is_some);
        is_free(&self.gone, place) && is_free(&self.new, at) && self.before.numbers(place).eq(self.after.numbers(at))
    }

    /// The move of this sentence and of those next to it in the same runs.
    fn grown(&mut self, place: usize, at: usize) -> Move {
        let runs = (self.gone[place], self.new[at]);
        let goes_with = |finder: &Self, place: usize, at: usize| {
            finder.is_movable(place, at) && (finder.gone[place], finder.new[at]) == runs
        };
        let mut len = 0;
        while goes_with(self, place + len, at + len) {
            len += 1;
        }
        let mut back = 0;
        while back < place.min(at) && goes_with(self, place - back - 1, at - back - 1) {
            back += 1;
        }
        self.moved(place - back..place + len, at - back..at + len, Vec::new())
    }

    /// The move of some sentences, which cannot move again.
    fn moved(&mut self, gone: Range<usize>, new: Range<usize>, edits: Vec<Hunk>) -> Move {
        let runs = [self.gone[gone.start], self.new[new.start]];
        self.gone[gone.clone()].fill(None);
        self.new[new.clone()].fill(None);
        let (before, after) = (self.before.items_of(gone.clone()), self.after.items_of(new.clone()));
        Move { before, after, edits, column: None, sentences: [gone, new], runs }
    }

    /// The same with those as one that follow each other with little between them, which was edited on the way: a line of a
    /// programme, a sentence of a paragraph.
    fn joined(&self, moves: Vec<Move>) -> Vec<Move> {
        let mut joined: Vec<Move> = Vec::with_capacity(moves.len());
        for moved in moves {
            match joined.last_mut().filter(|last| self.are_one(last, &moved)) {
                Some(last) => {
                    let (there, here) = (last.before.end..moved.before.start, last.after.end..moved.after.start);
                    last.edits.extend(edited::edits(self.before, there, self.after, here));
                    last.edits.extend(moved.edits);
                    last.before.end = moved.before.end;
                    last.after.end = moved.after.end;
                    for (all, more) in last.sentences.iter_mut().zip(moved.sentences) {
                        all.end = more.end;
                    }
                }
                None => joined.push(moved),
            }
        }
        joined
    }

    fn are_one(&self, last: &Move, next: &Move) -> bool {
        let is_behind = last.before.end <= next.before.start && last.after.end <= next.after.start;
        let is_free = |side: usize, runs: &[Option<usize>]| {
            runs[last.sentences[side].end..next.sentences[side].start].iter().all(Option::is_some)
        };
        let is_little = || {
            let between = next.before.start - last.before.end + next.after.start - last.after.end;
            between <= last.before.len().min(next.before.len()) || between <= FEW
        };
        last.runs == next.runs && is_behind && is_little() && is_free(0, &self.gone) && is_free(1, &self.new)
    }
}

/// The block that a sentence is in. Cells are none: a number of one column that is now in another has not moved.
fn block(reading: &Reading<'_>, sentence: usize) -> Option<NodeId> {
    let segment = segment(reading, sentence);
    (segment.cell == NodeId::DOCUMENT).then_some(segment.block)
}

/// The block that a sentence is in, or the row of its cell.
fn block_or_row(reading: &Reading<'_>, sentence: usize) -> NodeId {
    let Segment { block, cell, .. } = *segment(reading, sentence);
    let row = reading.document().node(cell).parent().filter(|_| cell != NodeId::DOCUMENT);
    row.map_or(block, |row| row.id())
}

fn segment<'r>(reading: &'r Reading<'_>, sentence: usize) -> &'r Segment {
    reading.segment_of(reading.items()[reading.sentences()[sentence].items().start])
}

fn is_telling(reading: &Reading<'_>, sentence: usize) -> bool {
    let items = &reading.items()[reading.sentences()[sentence].items()];
    items.iter().filter(|item| item.counts()).nth(MOVED_WORDS - 1).is_some()
}

/// Whether a sentence is an image or the like, and nothing came or went beside it, of which it would be a part.
fn is_lone_image(reading: &Reading<'_>, runs: &[Option<usize>], sentence: usize) -> bool {
    let is_beside = |other: Option<usize>| other.and_then(|at| runs.get(at)) != Some(&runs[sentence]);
    let is_image = || reading.atom(reading.sentences()[sentence].items()).is_some_and(|atom| !atoms::is_field(atom));
    is_beside(sentence.checked_sub(1)) && is_beside(Some(sentence + 1)) && is_image()
}

/// The runs with what moved as runs of its own; moves are in the order of `after`.
fn cut(runs: Vec<Run>, moves: &[Move]) -> Vec<Run> {
    let mut by_before: Vec<(usize, &Move)> = moves.iter().enumerate().collect();
    by_before.sort_by_key(|(_, moved)| moved.before.start);
    let mut from = by_before
        .into_iter()
        .map(|(number, moved)| Part::new(number, &moved.before, &moved.edits, |edit| &edit.0))
        .peekable();
    let mut to = moves
        .iter()
        .enumerate()
        .map(|(number, moved)| Part::new(number, &moved.after, &moved.edits, |edit| &edit.1))
        .peekable();
    let mut out = Vec::with_capacity(runs.len());
    for run in runs {
        match run.fate {
            Fate::Removed => {
                let piece = |items: Range<usize>| Run { before: items, ..run.clone() };
                cut_one(run.before.clone(), &mut from, Fate::MovedFrom, piece, &mut out);
            }
            Fate::Added => {
                let piece = |items: Range<usize>| Run { after: items, ..run.clone() };
                cut_one(run.after.clone(), &mut to, Fate::MovedTo, piece, &mut out);
            }
            _ => out.push(run),
        }
    }
    out
}

/// One side of a move.
struct Part<'m> {
    number: usize,
    items: &'m Range<usize>,
    edits: &'m [Hunk],
    side: fn(&Hunk) -> &Range<usize>,
}

impl<'m> Part<'m> {
    fn new(number: usize, items: &'m Range<usize>, edits: &'m [Hunk], side: fn(&Hunk) -> &Range<usize>) -> Self {
        Part { number, items, edits, side }
    }

    /// What stayed between edits, and the edits, in turn; some are empty.
    fn pieces(&self) -> impl Iterator<Item = (bool, Range<usize>)> {
        let mut start = self.items.start;
        let end = self.items.end..self.items.end;
        self.edits.iter().map(|edit| (self.side)(edit).clone()).chain([end]).flat_map(move |edit| {
            let stayed = start..edit.start;
            start = edit.end;
            [(false, stayed), (true, edit)]
        })
    }
}

/// Cuts what moved out of the items of one run.
fn cut_one<'m>(
    items: Range<usize>,
    moved: &mut std::iter::Peekable<impl Iterator<Item = Part<'m>>>,
    fate: Fate,
    piece: impl Fn(Range<usize>) -> Run,
    out: &mut Vec<Run>,
) {
    let mut start = items.start;
    while let Some(part) = moved.next_if(|part| part.items.end <= items.end) {
        if start < part.items.start {
            out.push(piece(start..part.items.start));
        }
        start = part.items.end;
        for (is_edit, items) in part.pieces().filter(|(_, items)| !items.is_empty()) {
            let run = piece(items);
            let fate = if is_edit { run.fate } else { fate };
            out.push(Run { fate, change: Some(part.number), ..run });
        }
    }
    if start < items.end {
        out.push(piece(start..items.end));
    }
}
