//! Which rules came, went or moved? A rule is no item: it stands between two, and is told at what stands below or above it.
//!
//! It stays where it is still between what stayed above and below it, whatever came in or moved beside it, or where it went along
//! with what moved. By the matching alone one that is somewhere else would be the same as before.

use std::ops::Range;

use super::super::reading::Reading;
use super::details::named;
use super::moves::Move;
use super::{Detail, Fate, Run};
use crate::tree::NodeId;

/// What is told of rules, by the item of `after` that it is told at, in order.
pub fn told(readings: [&Reading<'_>; 2], runs: &[Run], moves: &[Move]) -> Vec<(usize, Detail)> {
    let rules = readings.map(places);
    if rules.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let stayed = runs.iter().filter(|run| run.fate == Fate::Same).map(|run| [run.before.clone(), run.after.clone()]);
    let page = Ruled { readings, rules, stayed: stayed.collect() };
    let [gone, new] = page.without_moved(page.unpaired(), moves);
    let gone = gone.into_iter().filter_map(|place| page.told_at(0, place));
    let new = new.into_iter().filter_map(|place| page.told_at(1, place));
    let mut told: Vec<(usize, Detail)> = gone.chain(new).collect();
    told.sort_by_key(|(item, _)| *item);
    told
}

/// The items that the rules of a page stand before.
fn places(reading: &Reading<'_>) -> Vec<usize> {
    let place = |rule: NodeId| {
        let segment = reading.segments().partition_point(|segment| segment.node < rule);
        reading.items().partition_point(|item| item.segment() < segment)
    };
    named(reading.document(), "hr").map(|rule| place(rule.id())).collect()
}

/// Two pages with rules.
struct Ruled<'r, 'd> {
    readings: [&'r Reading<'d>; 2],
    /// The items that rules stand before, on both sides.
    rules: [Vec<usize>; 2],
    /// Items that stayed, on both sides.
    stayed: Vec<[Range<usize>; 2]>,
}

impl Ruled<'_, '_> {
    /// The rules of each side that are not between the same items on the other.
    fn unpaired(&self) -> [Vec<usize>; 2] {
        let [before, after] = &self.rules;
        let [mut gone, mut new] = [Vec::new(), Vec::new()];
        let mut next = 0;
        for &place in before {
            let (from, to) = self.between(place);
            let passed = after[next..].iter().take_while(|&&other| other < from).count();
            new.extend(&after[next..next + passed]);
            next += passed;
            match after.get(next).filter(|&&other| other <= to) {
                Some(_) => next += 1,
                None => gone.push(place),
            }
        }
        new.extend(&after[next..]);
        [gone, new]
    }

    /// The places of `after` between what stayed before a place of `before` and what stayed behind it.
    fn between(&self, place: usize) -> (usize, usize) {
        let at = self.stayed.partition_point(|[before, _]| before.end <= place);
        match self.stayed.get(at) {
            Some([before, after]) if before.start < place => {
                let inside = after.start + (place - before.start);
                (inside, inside)
            }
            next => {
                let from = self.stayed[..at].last().map_or(0, |[_, after]| after.end);
                (from, next.map_or(self.readings[1].items().len(), |[_, after]| after.start))
            }
        }
    }

    /// The same but for rules that went with what moved above or below them.
    fn without_moved(&self, [gone, new]: [Vec<usize>; 2], moves: &[Move]) -> [Vec<usize>; 2] {
        let mut moved: Vec<(Range<usize>, Range<usize>)> = moves.iter().flat_map(Move::stayed).collect();
        moved.sort_by_key(|(before, _)| before.start);
        let mut is_left = vec![true; new.len()];
        let mut went = |place: usize| {
            let first = moved.partition_point(|(before, _)| before.end < place);
            let near = moved[first..].iter().take_while(|(before, _)| before.start <= place);
            let mut places = near.map(|(before, after)| after.start + (place - before.start));
            places.any(|place| new.binary_search(&place).is_ok_and(|at| std::mem::take(&mut is_left[at])))
        };
        let gone = gone.into_iter().filter(|&place| !went(place)).collect();
        let mut is_left = is_left.into_iter();
        [gone, new.into_iter().filter(|_| is_left.next() == Some(true)).collect()]
    }

    /// What is told of a rule at a place of one side, and at which item of `after`: at the paragraph below it, or at the one
    /// above it, as far as they stayed and have no rule there on the other side.
    fn told_at(&self, side: usize, place: usize) -> Option<(usize, Detail)> {
        let above = || {
            let at = self.stayed.partition_point(|stayed| stayed[side].start < place);
            let stayed = self.stayed[..at].last()?;
            let item = stayed[side].end.min(place) - 1;
            let partner = stayed[1 - side].start + (item - stayed[side].start);
            let is_one = self.readings[side].are_on_one_line(item, place - 1) == Some(true);
            let here = if side == 0 { partner } else { item };
            let start = self.sentence_start(here).max(stayed[1].start);
            // A full stop that stayed says nothing of what it is the end of.
            let says_something = self.readings[1].items()[start..here + 1].iter().any(|item| item.counts());
            let is_told = is_one && says_something && !self.has_rule(1 - side, self.line(1 - side, partner).end);
            is_told.then_some((start, "below"))
        };
        let below = || {
            let at = self.stayed.partition_point(|stayed| stayed[side].end <= place);
            let stayed = self.stayed.get(at)?;
            let item = stayed[side].start.max(place);
            let partner = stayed[1 - side].start + (item - stayed[side].start);
            let is_one = self.readings[side].are_on_one_line(place, item) == Some(true);
            (is_one && !self.has_rule(1 - side, self.line(1 - side, partner).start))
                .then_some((if side == 0 { partner } else { item }, "above"))
        };
        let (item, where_it_is) = below().or_else(above)?;
        let [with, without] = [format!("rule {where_it_is}"), format!("no rule {where_it_is}")];
        let [from, to] = if side == 0 { [with, without] } else { [without, with] };
        Some((item, Detail::Format { from, to }))
    }

    fn has_rule(&self, side: usize, place: usize) -> bool {
        self.rules[side].binary_search(&place).is_ok()
    }

    /// The items around one that nothing divides, as far as they are near.
    fn line(&self, side: usize, item: usize) -> Range<usize> {
        let reading = self.readings[side];
        let is_next = |at: usize| reading.are_on_one_line(at, at + 1) == Some(true);
        let back = (item.saturating_sub(FURTHEST)..item).rev().take_while(|&at| is_next(at));
        let on = (item..item + FURTHEST).take_while(|&at| is_next(at));
        item - back.count()..item + 1 + on.count()
    }

    /// Where the sentence of `after` begins that an item is in.
    fn sentence_start(&self, item: usize) -> usize {
        let sentences = self.readings[1].sentences();
        let behind = sentences.partition_point(|sentence| sentence.items().start <= item);
        sentences[..behind].last().map_or(item, |sentence| sentence.items().start)
    }
}

/// How many items of a paragraph are passed to find its ends.
const FURTHEST: usize = 64;
