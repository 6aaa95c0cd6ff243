//! Which options of a select element are chosen at first? Those that a browser shows before anybody has chosen.

use std::collections::HashSet;

use super::super::SelectError;
use super::html::html_name;
use super::matching::Matcher;
use crate::tree::Node;

impl<'m> Matcher<'m> {
    pub(super) fn is_chosen(&self, option: Node<'m>) -> Result<bool, SelectError> {
        if let Some(chosen) = self.chosen.get() {
            return Ok(chosen.contains(&option.id().0));
        }
        let chosen = self.chosen_options()?;
        Ok(self.chosen.get_or_init(|| chosen).contains(&option.id().0))
    }

    /// All chosen options of the document, since those of one select element depend on one another.
    fn chosen_options(&self) -> Result<HashSet<u32>, SelectError> {
        self.tree.meter.charge(self.document.len())?;
        let mut chosen = HashSet::new();
        let mut done = 0;
        for node in self.document.nodes().filter(|node| html_name(*node).is_some()) {
            if node.id().0 < done {
                continue;
            }
            match html_name(node) {
                Some("select") => {
                    chosen.extend(self.chosen_of(node)?.iter().map(|option| option.id().0));
                    done = node.end();
                }
                Some("option") if self.says(node, "selected")? => {
                    chosen.insert(node.id().0);
                }
                _ => {}
            }
        }
        Ok(chosen)
    }

    /// Where only one can be chosen it is the last that says so, or else, in a drop-down box, the first that can be.
    fn chosen_of(&self, select: Node<'m>) -> Result<Vec<Node<'m>>, SelectError> {
        self.tree.meter.charge(select.size() as usize)?;
        let options = || select.descendants().filter(|node| html_name(*node) == Some("option"));
        let mut selected = Vec::new();
        for option in options() {
            if self.says(option, "selected")? {
                selected.push(option);
            }
        }
        if self.says(select, "multiple")? {
            return Ok(selected);
        }
        if let Some(last) = selected.pop() {
            return Ok(vec![last]);
        }
        let rows = self.value(select, "", "size")?.and_then(|size| size.trim().parse::<u32>().ok()).unwrap_or(1);
        for option in options().take_while(|_| rows <= 1) {
            if !self.is_disabled(option)? {
                return Ok(vec![option]);
            }
        }
        Ok(Vec::new())
    }
}
