//! Which nodes are named alike on both sides? Those that a key says are one: `path` selects them, `field` names them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::notes::Flaws;
use super::{Fallback, Notes};
use crate::select::{Context, Expression, Meter, SelectError, Selected, Value};
use crate::tree::{Document, Node, NodeId};

/// What identifies nodes: an XPath that selects them, and one that gives the name of each.
#[derive(Debug, Clone)]
pub struct Key {
    path: Expression,
    field: Expression,
    written: String,
}

/// What is wrong with a key.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// There is no `=` between path and field.
    #[error("`{0}` is no key, expected PATH=FIELD such as `//product=@sku`")]
    Form(String),
    /// The path selects nothing that could have a name.
    #[error("the path `{path}` gives {value}, not nodes")]
    NoNodes {
        /// The path.
        path: String,
        /// What it gives.
        value: &'static str,
    },
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
        Ok(Key { path: Expression::parse(path)?, field: Expression::parse(field)?, written: written.to_owned() })
    }

    /// The nodes that this key pairs: those with one name on both sides, and on each side alone with it. All that is
    /// selected on both sides shares the budget of the context.
    pub fn pairs<'d>(
        &self,
        before: &'d Document,
        after: &'d Document,
        context: &Context<'d>,
    ) -> Result<Vec<(NodeId, NodeId)>, KeyError> {
        self.pairs_noting(before, after, context, &mut Notes::default())
    }

    /// The same, noting where the key does not do: names that several nodes have, which say nothing of them, and nodes
    /// without a name; once for each path of names in the document.
    pub fn pairs_noting<'d>(
        &self,
        before: &'d Document,
        after: &'d Document,
        context: &Context<'d>,
        notes: &mut Notes,
    ) -> Result<Vec<(NodeId, NodeId)>, KeyError> {
        let meter = Meter::new(context.budget);
        let mut flaws = Flaws::new(notes);
        let named_before = self.named(before, context, &meter, &mut flaws)?;
        let named_after = self.named(after, context, &meter, &mut flaws)?;
        if named_before.is_empty() && named_after.is_empty() && flaws.is_empty() {
            self.tell(
                &mut flaws,
                Fallback::KeyAbsent,
                after.root(),
                "names nothing in either version, and they are compared as without it",
            );
        }
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
        flaws: &mut Flaws<'_>,
    ) -> Result<HashMap<String, Option<NodeId>>, KeyError> {
        let mut named = HashMap::new();
        for selected in self.selected(document, context, meter)? {
            let node = match selected {
                Selected::Node(node) => node,
                Selected::Attribute { owner: node, .. } | Selected::Namespace { owner: node, .. } => {
                    self.tell(flaws, Fallback::KeyAbsent, node, "selects no nodes here, and attributes have no names");
                    continue;
                }
            };
            match self.name(node, context, meter, flaws)?.map(|name| named.entry(name)) {
                None => {
                    self.tell(
                        flaws,
                        Fallback::KeyAbsent,
                        node,
                        "names nothing here, and this node is compared as without it",
                    );
                }
                Some(Entry::Vacant(entry)) => {
                    entry.insert(Some(node.id()));
                }
                Some(Entry::Occupied(mut entry)) => {
                    let name = crate::text::shortened(entry.key(), 40);
                    let what = format!("names several nodes `{name}`, and they are compared as without it");
                    self.tell(flaws, Fallback::KeyNotUnique, node, &what);
                    entry.insert(None);
                }
            }
        }
        Ok(named)
    }

    fn selected<'d>(
        &self,
        document: &'d Document,
        context: &Context<'d>,
        meter: &Meter,
    ) -> Result<Vec<Selected<'d>>, KeyError> {
        let value = match self.path.evaluate_within(document.root(), context, meter)? {
            Value::NodeSet(selected) => return Ok(selected),
            Value::Boolean(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
        };
        let path = self.written.rsplit_once('=').map_or(self.written.as_str(), |(path, _)| path);
        Err(KeyError::NoNodes { path: path.to_owned(), value })
    }

    fn name<'d>(
        &self,
        node: Node<'d>,
        context: &Context<'d>,
        meter: &Meter,
        flaws: &mut Flaws<'_>,
    ) -> Result<Option<String>, KeyError> {
        let value = self.field.evaluate_within(node, context, meter)?;
        if let Value::NodeSet(selected) = &value
            && let Some(Selected::Node(named_by)) = selected.first()
            && let Some(what) = flaw_of(*named_by, node)
        {
            self.tell(flaws, Fallback::KeyAbsent, node, what);
        }
        let text = value.to_text();
        meter.charge_bytes(text.len())?;
        Ok((!text.is_empty()).then(|| text.into_owned()))
    }

    fn tell(&self, flaws: &mut Flaws<'_>, fallback: Fallback, node: Node<'_>, what: &str) {
        flaws.tell(fallback, node, || format!("key `{}` {what}", self.written));
    }
}

/// What is wrong with naming a node by another, if that is itself with all that is in it, or has it inside. A node that has but
/// a text may be named by that.
fn flaw_of(named_by: Node<'_>, node: Node<'_>) -> Option<&'static str> {
    let has_it_inside = named_by.id() < node.id() && node.id().0 < named_by.end();
    match named_by == node {
        true if node.size() > 2 => {
            Some("names this node by all of its content, so that it is another as soon as that changes")
        }
        false if has_it_inside => Some("names this node by what it is in, which is the same for all that is in there"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;
    use crate::select::Budget;

    fn notes(before: &str, after: &str, key: &str) -> Vec<String> {
        let [before, after] = [before, after].map(|source| parse::xml(source, &Default::default()).unwrap().document);
        let mut notes = Notes::default();
        let key = Key::parse(key).unwrap();
        key.pairs_noting(&before, &after, &Context::default(), &mut notes).unwrap();
        notes.kept().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_a_key_does_not_do_is_told_once_for_a_path() {
        let twice = "<a><i k='1'/><i k='1'/><i k='1'/><b><i k='1'/></b></a>";
        assert_eq!(
            notes(twice, "<a/>", "//i=@k"),
            [
                "`/a/i`: key `//i=@k` names several nodes `1`, and they are compared as without it (key-not-unique)",
                "`/a/b/i`: key `//i=@k` names several nodes `1`, and they are compared as without it (key-not-unique)",
            ]
        );
        assert_eq!(
            notes("<a><i k='1'/></a>", "<a><i/><i k=''/></a>", "//i=@k"),
            ["`/a/i`: key `//i=@k` names nothing here, and this node is compared as without it (key-absent)"]
        );
        assert_eq!(
            notes("<a><i k='1'/></a>", "<a/>", "//j=@k"),
            ["`/`: key `//j=@k` names nothing in either version, and they are compared as without it (key-absent)"]
        );
        assert_eq!(
            notes("<a><i k='1'/></a>", "<a><i k='1'/></a>", "//@k=."),
            ["`/a/i`: key `//@k=.` selects no nodes here, and attributes have no names (key-absent)"]
        );
        // A field that leads back up names all siblings alike.
        assert_eq!(
            notes("<a>x<i k='1'/><i k='2'/></a>", "<a>x</a>", "//i=.."),
            [
                "`/a/i`: key `//i=..` names this node by what it is in, which is the same for all that is in there (key-absent)",
                "`/a/i`: key `//i=..` names several nodes `x`, and they are compared as without it (key-not-unique)"
            ]
        );
        for key in ["//i=.", "//i=n/..", "/a/i=self::i"] {
            let told = format!(
                "`/a/i`: key `{key}` names this node by all of its content, so that it is another as soon as that changes (key-absent)"
            );
            assert_eq!(notes("<a><i><n>1</n></i></a>", "<a><i><n>2</n></i></a>", key), [told]);
        }
        // A word in a list is what it is.
        assert_eq!(notes("<a><i>one</i></a>", "<a><i>two</i></a>", "//i=."), [""; 0]);
        let wide: String = (0..100).map(|n| format!("<n{n}/>")).collect();
        assert_eq!(notes(&format!("<a>{wide}</a>"), "<a/>", "/a/*=@k").len(), 8);
        assert_eq!(notes("<a><i k='1'/></a>", "<a><i k='2'/></a>", "//i=@k"), [""; 0]);
    }

    #[test]
    fn a_path_that_gives_no_nodes_is_an_error() {
        let document = parse::xml("<l><i k='1'/></l>", &Default::default()).unwrap().document;
        for (key, told) in [
            ("//i=@k=1", "the path `//i=@k` gives a boolean, not nodes"),
            ("count(//i)=@k", "the path `count(//i)` gives a number, not nodes"),
            ("name(//i)=@k", "the path `name(//i)` gives a string, not nodes"),
        ] {
            let found = Key::parse(key).unwrap().pairs(&document, &document, &Context::default());
            assert_eq!(found.unwrap_err().to_string(), told);
        }
    }

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
