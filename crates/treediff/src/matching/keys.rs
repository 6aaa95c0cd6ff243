//! Which nodes are named alike on both sides? Those that a key says are one: `path` selects them, `field` names them.

use std::collections::HashMap;

use crate::select::{Context, Expression, SelectError, Selected};
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

    /// The nodes that this key pairs: those with one name on both sides, and on each side alone with it.
    pub fn pairs(
        &self,
        before: &Document,
        after: &Document,
        namespaces: &std::collections::BTreeMap<String, String>,
    ) -> Result<Vec<(NodeId, NodeId)>, KeyError> {
        let named_before = self.named(before, namespaces)?;
        let named_after = self.named(after, namespaces)?;
        let mut pairs: Vec<(NodeId, NodeId)> = named_after
            .into_iter()
            .filter_map(|(name, node)| Some((named_before.get(&name).copied()??, node?)))
            .filter(|&(from, to)| before.node(from).name() == after.node(to).name())
            .collect();
        pairs.sort_unstable();
        Ok(pairs)
    }

    /// The nodes by their names; nobody where several have one name.
    fn named(
        &self,
        document: &Document,
        namespaces: &std::collections::BTreeMap<String, String>,
    ) -> Result<HashMap<String, Option<NodeId>>, KeyError> {
        let context = Context { namespaces: namespaces.clone(), ..Context::default() };
        let mut named = HashMap::new();
        for selected in self.path.evaluate(document.root(), &context)?.into_nodes() {
            let Selected::Node(node) = selected else { continue };
            if let Some(name) = self.name(node, &context)? {
                named.entry(name).and_modify(|node| *node = None).or_insert(Some(node.id()));
            }
        }
        Ok(named)
    }

    fn name<'d>(&self, node: Node<'d>, context: &Context<'d>) -> Result<Option<String>, KeyError> {
        let value = self.field.evaluate(node, context)?;
        let text = value.to_text();
        Ok((!text.is_empty()).then(|| text.into_owned()))
    }
}
