//! Which nodes are named alike on both sides? Those that a key says are one: `path` selects them, `field` names them.

use std::collections::HashMap;

use crate::select::{Context, Expression, Meter, SelectError, Selected};
use crate::tree::{Document, Node, NodeId};

/// What identifies nodes: an XPath that selects them, and one that gives the name of each.
#[derive(Debug, Clone)]
pub struct Key {
    path: Expression,
    field: Expression,
}

/// What is wrong with a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// There is no `=` between path and field.
    #[error("`{0}` is no key, expected PATH=FIELD such as `//product=@sku`")]
    Form(String),
    /// The path or the field is no expression, or asks for too much.
    #[error(transparent)]
    Select(#[from] SelectError),
}

impl Key {
    /// Reads `path=field`; the path may have `=` in its predicates, the field has none.
    ///
    /// ```
    /// use treediff::matching::Key;
    ///
    /// assert!(Key::parse("//item[@kind='a']=@sku").is_ok());
    /// assert!(Key::parse("//item").is_err());
    /// ```
    pub fn parse(written: &str) -> Result<Self, KeyError> {
        let (path, field) = written.rsplit_once('=').ok_or_else(|| KeyError::Form(written.to_owned()))?;
        if path.trim().is_empty() || field.trim().is_empty() {
            return Err(KeyError::Form(written.to_owned()));
        }
        Ok(Key { path: Expression::parse(path)?, field: Expression::parse(field)? })
    }

    /// The nodes that this key pairs: those with one name on both sides, and on each side alone with it. All that is
    /// selected on both sides shares the budget of the context.
    pub fn pairs<'d>(
        &self,
        before: &'d Document,
        after: &'d Document,
        context: &Context<'d>,
    ) -> Result<Vec<(NodeId, NodeId)>, KeyError> {
        let meter = Meter::new(context.budget);
        let named_before = self.named(before, context, &meter)?;
        let named_after = self.named(after, context, &meter)?;
        let mut pairs: Vec<(NodeId, NodeId)> = named_after
            .into_iter()
            .filter_map(|(name, node)| Some((named_before.get(&name).copied()??, node?)))
            .filter(|&(from, to)| before.node(from).name() == after.node(to).name())
            .collect();
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// The nodes by their names; nobody where several have one name.
    fn named<'d>(
        &self,
        document: &'d Document,
        context: &Context<'d>,
        meter: &Meter,
    ) -> Result<HashMap<String, Option<NodeId>>, KeyError> {
        let mut named = HashMap::new();
        for selected in self.path.evaluate_within(document.root(), context, meter)?.into_nodes() {
            let Selected::Node(node) = selected else { continue };
            if let Some(name) = self.name(node, context, meter)? {
                named.entry(name).and_modify(|node| *node = None).or_insert(Some(node.id()));
            }
        }
        Ok(named)
    }

    fn name<'d>(&self, node: Node<'d>, context: &Context<'d>, meter: &Meter) -> Result<Option<String>, KeyError> {
        let value = self.field.evaluate_within(node, context, meter)?;
        let text = value.to_text();
        meter.charge_bytes(text.len())?;
        Ok((!text.is_empty()).then(|| text.into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::select::Budget;

    #[test]
    fn all_that_a_key_selects_has_one_budget() {
        let source = format!("<l>{}</l>", "<i k='1'/>".repeat(1000));
        let document = parse::xml(source, &Default::default()).unwrap().document;
        let key = Key::parse("/l/i=@k").unwrap();
        let pairs = |max_steps| {
            let context = Context { budget: Budget { max_steps }, ..Context::default() };
            key.pairs(&document, &document, &context)
        };
        assert!(pairs(100_000).is_ok());
        // Enough for the path, and for each of the names alone.
        let found = pairs(4_000);
        assert!(matches!(found, Err(KeyError::Select(SelectError::Budget { max_steps: 4_000 }))), "{found:?}");
    }
}
