//! Which tag is this, with all its attributes? Start tags as they were written before, but for the values.
//!
//! A document writes few kinds of tags over and over, each time with the same bytes between the values: `<rom name="`,
//! `" size="`, `"/>`. These pieces are the steps of a tree, and a tag that goes down to the end of one is written as
//! one before it: its names are well-formed and known, none is there twice, and their order is settled. Both ends of a
//! piece are marks, so a step is taken by comparing a length and, nearly always, 16 bytes. Before, each name was looked
//! up and each tag sorted; without that, parsing takes a quarter to a third less instructions on all of the benchmark.

use super::raw_names::RawId;
use super::scan::Head;
use crate::tree::hash::{self, Key};
use crate::tree::{Label, NameId};

/// A tag with more attributes is read one by one.
pub(super) const MAX_ATTRIBUTES: usize = 16;

/// So many steps are kept, and so many that may follow the same one are tried.
const MAX_STEPS: usize = 1024;
const MAX_CHOICES: usize = 8;

const SLOTS: usize = 256;
const NONE: u32 = u32::MAX;

/// All tags that are known.
#[derive(Debug)]
pub(super) struct Shapes {
    steps: Vec<Step>,
    tags: Vec<Known>,
    /// Of all tags.
    attributes: Vec<Place>,
    /// The first steps, by their first bytes.
    firsts: Box<[u32; SLOTS]>,
    key: Key,
    learned: usize,
}

/// A piece of a tag: from the `<` or a quote behind a value to the quote before a value or the `>`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    head: Head,
    keep: Head,
    measure: Measure,
    /// Where such a piece stands in the source.
    at: u32,
    /// The tag that it is the last piece of.
    end: u32,
    /// A step that was taken after this one, and another that was taken in place of this one.
    next: u32,
    other: u32,
    /// Of the name of the attribute whose value comes behind.
    pub(super) name_hash: u64,
}

/// The length of a piece and the namespace scope that it was read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Measure(u64);

impl Measure {
    #[inline(always)]
    pub(super) fn new(len: usize, scope: u32) -> Self {
        Measure(u64::from(len as u32) | u64::from(scope) << 32)
    }

    #[inline(always)]
    fn len(self) -> usize {
        self.0 as u32 as usize
    }
}

/// A tag that has been read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Known {
    pub(super) name: RawId,
    pub(super) label: Label,
    pub(super) label_hash: u64,
    pub(super) is_empty: bool,
    first_attribute: u32,
    attributes: u32,
}

/// An attribute in the order of the tree, and how many are written before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) name: NameId,
    pub(super) written: u32,
}

impl Shapes {
    pub(super) fn new() -> Self {
        Shapes {
            steps: Vec::new(),
            tags: Vec::new(),
            attributes: Vec::new(),
            firsts: Box::new([NONE; SLOTS]),
            key: Key::random(),
            learned: 0,
        }
    }

    /// The same memory for another document.
    pub(super) fn restarted(mut self) -> Self {
        self.forget();
        self.learned = 0;
        self
    }

    fn forget(&mut self) {
        self.steps.clear();
        self.tags.clear();
        self.attributes.clear();
        self.firsts.fill(NONE);
    }

    /// The step that a tag at `at` begins with.
    #[inline(always)]
    pub(super) fn first(&self, source: &[u8], at: usize, measure: Measure) -> Option<&Step> {
        let head = Head::load(source, at);
        self.choose(self.firsts[self.slot(head, measure)], head, source, at, measure)
    }

    /// The step that is taken next, over the piece at `at`.
    #[inline(always)]
    pub(super) fn next(&self, step: &Step, source: &[u8], at: usize, measure: Measure) -> Option<&Step> {
        self.choose(step.next, Head::load(source, at), source, at, measure)
    }

    /// The tag that ends with a step.
    #[inline(always)]
    pub(super) fn end(&self, step: &Step) -> Option<&Known> {
        self.tags.get(step.end as usize)
    }

    /// The attributes of a tag in the order of the tree.
    #[inline(always)]
    pub(super) fn attributes(&self, known: &Known) -> &[Place] {
        &self.attributes[known.first_attribute as usize..][..known.attributes as usize]
    }

    #[inline(always)]
    fn slot(&self, head: Head, measure: Measure) -> usize {
        let Head { low, high } = head.and(Head::keeping(measure.len()));
        hash::keyed_short(self.key, low, high ^ measure.0, 0) as usize % SLOTS
    }

    #[inline(always)]
    fn choose(&self, mut choice: u32, head: Head, source: &[u8], at: usize, measure: Measure) -> Option<&Step> {
        loop {
            let step = self.steps.get(choice as usize)?;
            if step.is_at(head, source, at, measure) {
                return Some(step);
            }
            choice = step.other;
        }
    }

    /// Whether one more tag is worth its learning: where hardly any comes again, it would take longer than reading them.
    pub(super) fn is_worth(&self, nodes: usize) -> bool {
        self.learned <= 128 + nodes / 64
    }

    /// Begins to learn a tag.
    pub(super) fn begin(&mut self) -> Lesson {
        self.learned += 1;
        if self.steps.len() > MAX_STEPS {
            self.forget();
        }
        Lesson { last: NONE, attributes: Vec::new() }
    }

    /// The tag goes on with the piece at `at`, and with the value of an attribute if one is given; `None` where too many
    /// pieces have been met in its place.
    pub(super) fn go_on(
        &mut self,
        lesson: &mut Lesson,
        source: &[u8],
        at: usize,
        measure: Measure,
        attribute: Option<(NameId, u64)>,
    ) -> Option<()> {
        let head = Head::load(source, at);
        let slot = self.slot(head, measure);
        let first = self.steps.get(lesson.last as usize).map_or(self.firsts[slot], |last| last.next);
        let name_hash = attribute.map_or(0, |(_, hash)| hash);
        let written = lesson.attributes.len() as u32;
        lesson.attributes.extend(attribute.map(|(name, hash)| (hash, Place { name, written })));

        let mut choice = first;
        for _ in 0..MAX_CHOICES {
            match self.steps.get(choice as usize) {
                None => {
                    choice = self.steps.len() as u32;
                    let keep = Head::keeping(measure.len());
                    let (head, at) = (head.and(keep), at as u32);
                    self.steps.push(Step { head, keep, measure, at, end: NONE, next: NONE, other: first, name_hash });
                    let link = match self.steps.get_mut(lesson.last as usize) {
                        Some(last) => &mut last.next,
                        None => &mut self.firsts[slot],
                    };
                    *link = choice;
                }
                Some(step) if !step.is_at(head, source, at, measure) => {
                    choice = step.other;
                    continue;
                }
                Some(_) => {}
            }
            lesson.last = choice;
            return Some(());
        }
        None
    }

    /// The tag has been learned.
    pub(super) fn finish(&mut self, mut lesson: Lesson, name: RawId, labelled: (Label, u64), is_empty: bool) {
        let Some(last) = self.steps.get_mut(lesson.last as usize).filter(|last| last.end == NONE) else { return };
        last.end = self.tags.len() as u32;
        lesson.attributes.sort_unstable_by_key(|&(hash, Place { name, written })| (hash, name, written));
        let first_attribute = self.attributes.len() as u32;
        self.attributes.extend(lesson.attributes.iter().map(|&(_, place)| place));
        let (label, label_hash) = labelled;
        self.tags.push(Known {
            name,
            label,
            label_hash,
            is_empty,
            first_attribute,
            attributes: lesson.attributes.len() as u32,
        });
    }
}

/// A tag that is being learned.
#[derive(Debug)]
pub(super) struct Lesson {
    /// The last step so far.
    last: u32,
    /// With the hashes of their names, which they are sorted by.
    attributes: Vec<(u64, Place)>,
}

impl Step {
    /// Whether the tag goes on behind it.
    #[inline(always)]
    pub(super) fn is_inner(&self) -> bool {
        self.end == NONE
    }

    /// Whether the piece at `at`, which begins with `head`, is the same.
    #[inline(always)]
    fn is_at(&self, head: Head, source: &[u8], at: usize, measure: Measure) -> bool {
        self.measure == measure
            && head.and(self.keep) == self.head
            && (measure.len() <= 16 || self.goes_on(source, at, measure.len()))
    }

    /// Whether it is the same behind its first 16 bytes.
    #[inline(never)]
    fn goes_on(&self, source: &[u8], at: usize, len: usize) -> bool {
        let known = self.at as usize;
        if len <= 32 {
            return Head::load(source, known + len - 16) == Head::load(source, at + len - 16);
        }
        source.get(known + 16..known + len) == source.get(at + 16..at + len)
    }
}
