//! What if formatting and structure overlap? The adoption agency: `<b><p>x</b>y</p>` makes two `b`.

use super::*;
use crate::parse::html::open_elements::Slot;

/// How often one end tag goes through the agency, as the standard has it.
const OUTER_LIMIT: usize = 8;
/// How many formatting elements between are kept each time.
const INNER_LIMIT: usize = 3;

impl TreeBuilder<'_> {
    /// Runs the agency for the end tag of a formatting element, or a start tag that implies one.
    pub(super) fn adopt(&mut self, tag: Tag) {
        let current = self.open.current();
        if current.name.is(tag.name) && self.formatting.place_of(current.node, tag.name).is_none() {
            self.close_by(current.node, tag);
            self.pop();
            return;
        }
        for round in 0..OUTER_LIMIT {
            if !self.adopt_once(tag, round == 0) {
                return;
            }
        }
    }

    /// A start tag that implies the end of another element is not its end tag.
    fn close_by(&mut self, node: NodeId, tag: Tag) {
        if self.tokenizer.source().as_bytes().get(tag.start as usize + 1) == Some(&b'/') {
            self.close(node, tag);
        }
    }

    /// One round; says whether there may be another.
    fn adopt_once(&mut self, tag: Tag, is_first: bool) -> bool {
        let Some(listed) = self.formatting.last(tag.name) else {
            if is_first {
                self.end_other(tag);
            }
            return false;
        };
        let formatting = self.formatting.get(listed).node;
        let place = self.arena.element(formatting).place;
        if place == NONE {
            self.problem(Problem::UnexpectedEndTag(tag.name));
            self.formatting.remove_at(listed);
            return false;
        }
        if !self.open.is_within(place, class::SCOPE) {
            self.problem(Problem::UnexpectedEndTag(tag.name));
            return false;
        }
        if self.open.current().node != formatting {
            self.problem(Problem::UnclosedElement(tag.name));
        }
        self.close_by(formatting, tag);
        match self.furthest_block(place) {
            None => {
                self.pop_to_place(place, None);
                self.formatting.remove_at(listed);
                false
            }
            Some(block) => {
                self.rearrange(listed, place, block);
                true
            }
        }
    }

    /// The outermost special element within the formatting element.
    fn furthest_block(&self, formatting: u32) -> Option<u32> {
        (formatting + 1..self.open.depth() as u32).find(|&place| self.open.get(place).name.is_in(class::SPECIAL))
    }

    /// Takes the block out of the formatting element and puts a copy of the element into it, around its content.
    fn rearrange(&mut self, listed: u32, formatting: u32, block: u32) {
        let ancestor = self.open.get(self.open.place_below(formatting).unwrap_or(0));
        let original = self.open.get(formatting);
        let block_slot = self.open.get(block);
        let (kept, last, behind) = self.copy_between(formatting, block);

        self.arena.detach(last);
        let (parent, sibling) = self.place_for(ancestor);
        self.arena.insert(last, parent, sibling);

        let copy = self.open_again(original.node);
        self.arena.move_children(block_slot.node, copy);
        self.arena.insert(copy, block_slot.node, NONE);

        self.formatting.replace(listed, copy);
        if let Some(behind) = behind.filter(|&behind| behind > listed) {
            self.formatting.move_behind(listed, behind);
        }
        self.reseat(formatting, block, &kept, Slot { node: copy, name: original.name });
    }

    /// The inner loop: copies the last few formatting elements between, drops the others and what is no formatting.
    ///
    /// Gives the copies (outermost first), the node that the ancestor gets, and where in the list the copy of the
    /// formatting element is to stand if not in its old place.
    fn copy_between(&mut self, formatting: u32, block: u32) -> (Vec<Slot>, NodeId, Option<u32>) {
        let block_node = self.open.get(block).node;
        let mut kept = Vec::new();
        let mut last = block_node;
        let mut behind = None;
        let mut passed = 0;
        for place in (formatting + 1..block).rev() {
            let slot = self.open.get(place);
            if slot.node == NONE {
                continue;
            }
            passed += 1;
            let mut listed = self.formatting.place_of(slot.node, slot.name.tag());
            if passed > INNER_LIMIT
                && let Some(entry) = listed.take()
            {
                self.formatting.remove_at(entry);
            }
            self.open.empty(&mut self.arena, place);
            let Some(listed) = listed else { continue };
            let copy = self.open_again(slot.node);
            self.formatting.replace(listed, copy);
            if last == block_node {
                behind = Some(listed);
            }
            self.arena.detach(last);
            self.arena.insert(last, copy, NONE);
            last = copy;
            kept.push(Slot { node: copy, name: slot.name });
        }
        kept.reverse();
        (kept, last, behind)
    }

    /// The stack afterwards: the copies, the block, and the copy of the formatting element in the block's old place.
    fn reseat(&mut self, formatting: u32, block: u32, kept: &[Slot], copy: Slot) {
        self.open.empty(&mut self.arena, formatting);
        let block_slot = self.open.empty(&mut self.arena, block);
        let mut elements: Vec<(u32, Slot)> = (formatting..).zip(kept.iter().copied().chain([block_slot])).collect();
        elements.push((block, copy));
        self.open.resettle(&mut self.arena, formatting..=block, &elements);
    }
}
