//! The how-manieth is an element among its siblings? All children of a parent are counted the first time one is asked.

use std::collections::HashMap;

use super::super::SelectError;
use super::ast::Nth;
use super::matching::Matcher;
use crate::tree::NameId;

/// What stands in a table for an element that is not among those counted.
const NOT_COUNTED: u32 = u32::MAX;

impl Matcher<'_> {
    /// The position from 1; `None` where the element is not among those that count.
    pub(super) fn position(&self, nth: &Nth, node: u32) -> Result<Option<u32>, SelectError> {
        let known = self.tables.borrow()[nth.slot].get(node as usize).copied().unwrap_or(0);
        if known == 0 {
            self.count_siblings(nth, node)?;
        }
        let position = self.tables.borrow()[nth.slot][node as usize];
        Ok((position != NOT_COUNTED).then_some(position))
    }

    fn count_siblings(&self, nth: &Nth, node: u32) -> Result<(), SelectError> {
        let mut siblings: Vec<u32> = Vec::new();
        for sibling in self.tree.children(self.tree.parents[node as usize]) {
            self.tree.meter.charge(1)?;
            if self.tree.is_element(sibling) {
                siblings.push(sibling);
            }
        }
        if nth.count.from_end {
            siblings.reverse();
        }
        let positions = self.positions(nth, &siblings)?;
        let mut tables = self.tables.borrow_mut();
        let table = &mut tables[nth.slot];
        if table.is_empty() {
            self.tree.meter.charge(self.tree.labels.len() / 4)?;
            table.resize(self.tree.labels.len(), 0);
        }
        siblings.iter().zip(positions).for_each(|(&sibling, position)| table[sibling as usize] = position);
        Ok(())
    }

    fn positions(&self, nth: &Nth, siblings: &[u32]) -> Result<Vec<u32>, SelectError> {
        let mut counts: HashMap<NameId, u32> = HashMap::new();
        let mut positions = Vec::with_capacity(siblings.len());
        for &sibling in siblings {
            let counted = match &nth.of {
                Some(nested) => self.matches_any(nested, sibling)?,
                None => true,
            };
            let label = self.tree.labels[sibling as usize];
            let count = counts.entry(if nth.count.of_type { label.name() } else { NameId::NONE }).or_default();
            *count += u32::from(counted);
            positions.push(if counted { *count } else { NOT_COUNTED });
        }
        Ok(positions)
    }
}
