//! Which elements are open? The standard's stack, with the answers to its questions at hand.
//!
//! The rules ask for nearly every tag whether an element of some name is open within some bounds. A walk down the stack
//! is quadratic on a page that nests deep, so the stack knows the places of every name, and of the elements that are
//! the bounds; each question is a comparison of two places. Elements taken out of the middle leave a hole, which keeps
//! the places of all others.

use super::arena::{Arena, NONE, NodeId};
use super::names::class::{self, FENCES};
use super::names::{ElementName, TagName, TagNames, tag};

/// The stack of open elements.
#[derive(Debug)]
pub(super) struct OpenElements {
    slots: Vec<Slot>,
    /// The places of the open HTML elements by tag, rising.
    html: Vec<Vec<u32>>,
    /// The places of the open SVG and MathML elements by tag, rising.
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
        let name = arena.get(node).name;
        let place = self.slots.len() as u32;
        self.slots.push(HOLE);
        self.fill(arena, place, Slot { node, name });
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
        let place = arena.get(node).place;
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

    /// Puts an element into a hole.
    #[inline(always)]
    pub(super) fn fill(&mut self, arena: &mut Arena, place: u32, slot: Slot) {
        arena.get_mut(slot.node).place = place;
        self.slots[place as usize] = slot;
        if slot.name.is_html() {
            enter(by_tag(&mut self.html, slot.name.tag()), place);
            if self.foreign_count > 0 {
                enter(&mut self.html_in_foreign, place);
            }
        } else {
            enter(by_tag(&mut self.foreign, slot.name.tag()), place);
            self.foreign_count += 1;
        }
        let mut classes = slot.name.classes() & ((1 << FENCES) - 1);
        while classes != 0 {
            enter(&mut self.fences[classes.trailing_zeros() as usize], place);
            classes &= classes - 1;
        }
    }

    /// Makes a hole.
    #[inline(always)]
    pub(super) fn empty(&mut self, arena: &mut Arena, place: u32) -> Slot {
        let slot = std::mem::replace(&mut self.slots[place as usize], HOLE);
        if slot == HOLE {
            return slot;
        }
        arena.get_mut(slot.node).place = NONE;
        if slot.name.is_html() {
            leave(by_tag(&mut self.html, slot.name.tag()), place);
            if !self.html_in_foreign.is_empty() {
                leave(&mut self.html_in_foreign, place);
            }
        } else {
            leave(by_tag(&mut self.foreign, slot.name.tag()), place);
            self.foreign_count -= 1;
        }
        let mut classes = slot.name.classes() & ((1 << FENCES) - 1);
        while classes != 0 {
            leave(&mut self.fences[classes.trailing_zeros() as usize], place);
            classes &= classes - 1;
        }
        slot
    }

    /// The place of the innermost HTML element of a tag.
    #[inline(always)]
    pub(super) fn last(&self, tag: TagName) -> Option<u32> {
        self.html.get(tag.index())?.last().copied()
    }

    /// Whether an HTML element of a tag is open anywhere.
    pub(super) fn contains(&self, tag: TagName) -> bool {
        self.last(tag).is_some()
    }

    /// The place of the innermost element of a fencing class.
    #[inline(always)]
    pub(super) fn last_fence(&self, class: u16) -> Option<u32> {
        self.fences[class.trailing_zeros() as usize].last().copied()
    }

    /// Whether an element of a tag is open within the innermost element of a fencing class, or is that element.
    #[inline(always)]
    pub(super) fn has_within(&self, tag: TagName, fence: u16) -> bool {
        self.last(tag).is_some_and(|place| self.is_within(place, fence))
    }

    /// Whether a place is within the innermost element of a fencing class, or is its place.
    #[inline(always)]
    pub(super) fn is_within(&self, place: u32, fence: u16) -> bool {
        self.last_fence(fence).is_none_or(|fence| place >= fence)
    }

    #[inline(always)]
    pub(super) fn has_in_scope(&self, tag: TagName) -> bool {
        self.has_within(tag, class::SCOPE)
    }

    pub(super) fn has_any_in_scope(&self, tags: &[TagName]) -> bool {
        tags.iter().any(|&tag| self.has_in_scope(tag))
    }

    pub(super) fn has_in_table_scope(&self, tag: TagName) -> bool {
        self.has_within(tag, class::TABLE_SCOPE)
    }

    /// The place of the innermost SVG or MathML element of a tag that no HTML element is open in.
    pub(super) fn last_foreign(&self, tag: TagName) -> Option<u32> {
        let place = *self.foreign.get(tag.index())?.last()?;
        (self.html_in_foreign.last().is_none_or(|&html| place > html)).then_some(place)
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

/// Adds a place to rising ones; nearly always it is the highest.
#[inline(always)]
fn enter(places: &mut Vec<u32>, place: u32) {
    match places.last() {
        Some(&last) if last > place => places.insert(places.partition_point(|&other| other < place), place),
        _ => places.push(place),
    }
}

/// Takes a place from rising ones; nearly always it is the highest.
#[inline(always)]
fn leave(places: &mut Vec<u32>, place: u32) {
    if places.last() == Some(&place) {
        places.pop();
    } else if let Ok(at) = places.binary_search(&place) {
        places.remove(at);
    }
}
