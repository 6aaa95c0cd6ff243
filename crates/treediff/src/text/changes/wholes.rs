//! Which of the things that are looked at as a whole is in the place of which? Images in a row that are all others, and fields.
//!
//! Words in the place of others are read as a phrase; of images, and of fields, each is told by itself. So what differs is cut at those
//! that are in the place of one of their kind, and what stands between two of them, be it an `and`, is no part of it.

use std::ops::Range;

use super::readable::{Hunk, Measures};

/// Something that is looked at as a whole, in a row of items.
#[derive(Debug, Clone, Copy)]
pub struct Whole {
    pub at: usize,
    /// Equal for those of one kind.
    pub kind: u64,
    /// Equal where they hold the same.
    pub content: u32,
}

/// The same places, where those that are in the place of others are places of their own; and those that stayed and hold something else.
pub fn apart(hunks: Vec<Hunk>, rows: [&Measures; 2]) -> Vec<Hunk> {
    if rows.iter().any(|row| row.wholes.is_empty()) {
        return hunks;
    }
    let mut apart = Vec::with_capacity(hunks.len());
    let mut start = (0, 0);
    let end = (rows[0].numbers.len()..rows[0].numbers.len(), rows[1].numbers.len()..rows[1].numbers.len());
    for hunk in hunks.into_iter().chain([end]) {
        let stayed = wholes(rows[0], &(start.0..hunk.0.start)).iter().zip(wholes(rows[1], &(start.1..hunk.1.start)));
        apart.extend(stayed.filter(|(old, new)| old.content != new.content).map(pair));
        start = (hunk.0.end, hunk.1.end);
        push_cut(hunk, rows, &mut apart);
    }
    apart
}

/// Whether nothing differs but that one is in the place of another of its kind.
pub fn is_pair((old, new): &Hunk, rows: [&Measures; 2]) -> bool {
    old.len() == 1
        && new.len() == 1
        && match (wholes(rows[0], old), wholes(rows[1], new)) {
            ([old], [new]) => old.kind == new.kind,
            _ => false,
        }
}

/// Cuts a place at its wholes, if both sides have the same kinds of them.
fn push_cut(hunk: Hunk, rows: [&Measures; 2], apart: &mut Vec<Hunk>) {
    let mut push = |(old, new): Hunk| apart.extend((!old.is_empty() || !new.is_empty()).then_some((old, new)));
    let (old, new) = (wholes(rows[0], &hunk.0), wholes(rows[1], &hunk.1));
    let mut start = (hunk.0.start, hunk.1.start);
    if old.iter().map(|whole| whole.kind).eq(new.iter().map(|whole| whole.kind)) {
        for (old, new) in old.iter().zip(new) {
            push((start.0..old.at, start.1..new.at));
            push(pair((old, new)));
            start = (old.at + 1, new.at + 1);
        }
    }
    push((start.0..hunk.0.end, start.1..hunk.1.end));
}

fn pair((old, new): (&Whole, &Whole)) -> Hunk {
    (old.at..old.at + 1, new.at..new.at + 1)
}

fn wholes<'m>(row: &'m Measures, items: &Range<usize>) -> &'m [Whole] {
    let place = |at: usize| row.wholes.partition_point(|whole| whole.at < at);
    &row.wholes[place(items.start)..place(items.end)]
}
