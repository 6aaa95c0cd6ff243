//! Which elements are open? The standard's stack, with the answers to its questions at hand.
//!
//! The rules ask for nearly every tag whether an element of some name is open within some bounds. A walk down the stack
//! is quadratic on a page that nests deep, so the stack keeps the places of every name, and of the elements that are
//! the bounds; each question is a comparison of two places. Elements taken out of the middle leave a hole, which keeps
//! the places of all others. The lists of places are tidied lazily: a place counts only while an element of that name
//! or class is there, so that closing an element costs nothing but its slot.

use std::ops::RangeInclusive;

use super::arena::{Arena, NONE, NodeId};
use super::names::class::{self, FENCES};
use super::names::{ElementName, TagName, TagNames, tag};

/// The stack of open elements.
#[derive(Debug)]
pub(super) struct OpenElements {
    slots: Vec<Slot>,
    /// The places of HTML elements by tag, rising.
    html: Vec<Vec<u32>>,
    /// The places of SVG and MathML elements by tag, rising.
    foreign: Vec<Vec<u32>>,
    /// The places of the elements in each of the fencing classes, rising.
    fences: [Vec<u32>; FENCES],
    /// The places of HTML elements that were opened within SVG or MathML.
    html_in_foreign: Vec<u32>,
    foreign_count: usize,
}

/// An open element, or a hole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) node: NodeId,
    pub(super) name: ElementName,
}

const HOLE: Slot = Slot { node: NONE, name: ElementName::NONE };

impl OpenElements {
    pub(super) fn new() -> Self {
        OpenElements {
            slots: Vec::with_capacity(64),
            html: vec![Vec::new(); TagNames::KNOWN],
            foreign: Vec::new(),
            fences: Default::default(),
            html_in_foreign: Vec::new(),
            foreign_count: 0,
        }
    }

    /// How deep the stack is, holes included.
    #[inline(always)]
    pub(super) fn depth(&self) -> usize {
        self.slots.len()
    }

    /// The innermost open element.
    #[inline(always)]
    pub(super) fn current(&self) -> Slot {
        self.slots.last().copied().unwrap_or(HOLE)
    }

    pub(super) fn get(&self, place: u32) -> Slot {
        self.slots.get(place as usize).copied().unwrap_or(HOLE)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, arena: &mut Arena, node: NodeId) {
        let name = arena.element(node).name;
        let place = self.slots.len() as u32;
        self.slots.push(HOLE);
        self.fill(arena, place, Slot { node, name });
        if name.is_html() {
            add_highest(by_tag(&mut self.html, name.tag()), place);
            if self.foreign_count > 0 {
                add_highest(&mut self.html_in_foreign, place);
            }
        } else {
            add_highest(by_tag(&mut self.foreign, name.tag()), place);
        }
        for fence in fences(name) {
            add_highest(&mut self.fences[fence], place);
        }
    }

    /// Takes the innermost element away.
    #[inline(always)]
    pub(super) fn pop(&mut self, arena: &mut Arena) -> Slot {
        let Some(place) = self.slots.len().checked_sub(1) else { return HOLE };
        let popped = self.empty(arena, place as u32);
        self.drop_holes();
        popped
    }

    /// Takes an element away, wherever it is.
    pub(super) fn remove(&mut self, arena: &mut Arena, node: NodeId) {
        let place = arena.element(node).place;
        if place != NONE {
            self.empty(arena, place);
            self.drop_holes();
        }
    }

    #[inline(always)]
    fn drop_holes(&mut self) {
        while self.slots.last() == Some(&HOLE) {
            self.slots.pop();
        }
    }

    /// Makes a hole.
    #[inline(always)]
    pub(super) fn empty(&mut self, arena: &mut Arena, place: u32) -> Slot {
        let slot = std::mem::replace(&mut self.slots[place as usize], HOLE);
        if slot != HOLE {
            arena.element_mut(slot.node).place = NONE;
            self.foreign_count -= usize::from(!slot.name.is_html());
        }
        slot
    }

    #[inline(always)]
    fn fill(&mut self, arena: &mut Arena, place: u32, slot: Slot) {
        arena.element_mut(slot.node).place = place;
        self.slots[place as usize] = slot;
        self.foreign_count += usize::from(!slot.name.is_html());
    }

    /// Puts elements into the holes between two places, which were all that was there; the names are those that the
    /// elements there had before, in whatever order.
    pub(super) fn resettle(&mut self, arena: &mut Arena, between: RangeInclusive<u32>, elements: &[(u32, Slot)]) {
        for &(place, slot) in elements {
            self.fill(arena, place, slot);
        }
        for &(_, Slot { name, .. }) in elements {
            let tags = if name.is_html() { &mut self.html } else { &mut self.foreign };
            replace(by_tag(tags, name.tag()), &between, elements, |slot| slot.name == name);
            for fence in fences(name) {
                replace(&mut self.fences[fence], &between, elements, |slot| slot.name.is_in(1 << fence));
            }
        }
        if self.foreign_count > 0 {
            replace(&mut self.html_in_foreign, &between, elements, |slot| slot.name.is_html());
        }
    }

    /// The place of the innermost HTML element of a tag.
    #[inline(always)]
    pub(super) fn last(&mut self, tag: TagName) -> Option<u32> {
        last_valid(self.html.get_mut(tag.index())?, &self.slots, |name| name.is(tag))
    }

    /// Whether an HTML element of a tag is open anywhere.
    pub(super) fn contains(&mut self, tag: TagName) -> bool {
        self.last(tag).is_some()
    }

    /// The place of the innermost element of a fencing class.
    #[inline(always)]
    pub(super) fn last_fence(&mut self, class: u16) -> Option<u32> {
        last_valid(&mut self.fences[class.trailing_zeros() as usize], &self.slots, |name| name.is_in(class))
    }

    /// Whether an element of a tag is open within the innermost element of a fencing class, or is that element.
    #[inline(always)]
    pub(super) fn has_within(&mut self, tag: TagName, fence: u16) -> bool {
        self.last(tag).is_some_and(|place| self.is_within(place, fence))
    }

    /// Whether a place is within the innermost element of a fencing class, or is its place.
    #[inline(always)]
    pub(super) fn is_within(&mut self, place: u32, fence: u16) -> bool {
        self.last_fence(fence).is_none_or(|fence| place >= fence)
    }

    #[inline(always)]
    pub(super) fn has_in_scope(&mut self, tag: TagName) -> bool {
        self.has_within(tag, class::SCOPE)
    }

    pub(super) fn has_any_in_scope(&mut self, tags: &[TagName]) -> bool {
        tags.iter().any(|&tag| self.has_in_scope(tag))
    }

    pub(super) fn has_in_table_scope(&mut self, tag: TagName) -> bool {
        self.has_within(tag, class::TABLE_SCOPE)
    }

    /// The place of the innermost SVG or MathML element of a tag that no HTML element is open in.
    pub(super) fn last_foreign(&mut self, tag: TagName) -> Option<u32> {
        let is_foreign = |name: ElementName| name != ElementName::NONE && !name.is_html() && name.tag() == tag;
        let place = last_valid(self.foreign.get_mut(tag.index())?, &self.slots, is_foreign)?;
        let html = last_valid(&mut self.html_in_foreign, &self.slots, ElementName::is_html);
        html.is_none_or(|html| place > html).then_some(place)
    }

    /// The place right below, holes left out.
    pub(super) fn place_below(&self, place: u32) -> Option<u32> {
        (0..place).rev().find(|&below| self.slots[below as usize] != HOLE)
    }

    /// The element that the `body` start tag made, if it is where it has to be.
    pub(super) fn body(&self) -> Option<NodeId> {
        self.slots.get(1).filter(|slot| slot.name.is(tag::BODY)).map(|slot| slot.node)
    }

    /// The root element, once there is one.
    pub(super) fn root(&self) -> Option<NodeId> {
        self.slots.first().map(|slot| slot.node)
    }

    /// The open elements, outermost first.
    pub(super) fn iter(&self) -> impl Iterator<Item = Slot> {
        self.slots.iter().copied().filter(|&slot| slot != HOLE)
    }
}

fn by_tag(places: &mut Vec<Vec<u32>>, tag: TagName) -> &mut Vec<u32> {
    if tag.index() >= places.len() {
        places.resize(tag.index() + 1, Vec::new());
    }
    &mut places[tag.index()]
}

/// The numbers of the fencing classes that elements of a name are in.
#[inline(always)]
fn fences(name: ElementName) -> impl Iterator<Item = usize> {
    let mut classes = name.classes() & ((1 << FENCES) - 1);
    std::iter::from_fn(move || {
        let fence = classes.trailing_zeros() as usize;
        (classes != 0).then(|| {
            classes &= classes - 1;
            fence
        })
    })
}

/// Adds the place of what is innermost now; others as high are of elements that are gone.
#[inline(always)]
fn add_highest(places: &mut Vec<u32>, place: u32) {
    while places.last().is_some_and(|&last| last >= place) {
        places.pop();
    }
    places.push(place);
}

/// The highest place that still has an element of the kind asked for.
#[inline(always)]
fn last_valid(places: &mut Vec<u32>, slots: &[Slot], is_wanted: impl Fn(ElementName) -> bool) -> Option<u32> {
    while let Some(&last) = places.last() {
        if slots.get(last as usize).is_some_and(|slot| is_wanted(slot.name)) {
            return Some(last);
        }
        places.pop();
    }
    None
}

/// Puts the places of the wanted elements where those between two places were; there were at least as many.
fn replace(
    places: &mut [u32],
    between: &RangeInclusive<u32>,
    elements: &[(u32, Slot)],
    is_wanted: impl Fn(Slot) -> bool,
) {
    let start = places.partition_point(|place| place < between.start());
    let end = places.partition_point(|place| place <= between.end());
    let mut wanted = elements.iter().filter(|(_, slot)| is_wanted(*slot)).map(|&(place, _)| place);
    let mut new = None;
    for place in &mut places[start..end] {
        new = wanted.next().or(new);
        *place = new.unwrap_or(*place);
    }
}
