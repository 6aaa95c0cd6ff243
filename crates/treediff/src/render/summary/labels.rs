//! What is a field called? By the words of its label, or by what it says of itself.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use crate::text::{Reading, Role, shortened};
use crate::tree::{HTML_NAMESPACE, Kind, Name, Node, NodeId};

/// How much of a label is told.
const TOLD: usize = 60;

/// How far above a field its label is looked for, and how many nodes of a label are read: fields may be deep in others, and labels too.
const NEAR: usize = 16;
const READ: usize = 64;

/// The labels of a page's fields.
pub struct Labels<'r, 'd> {
    reading: &'r Reading<'d>,
    /// Those that name a field by its ID, gathered when the first field is told; of several the first.
    by_id: OnceCell<HashMap<String, NodeId>>,
    /// The words of labels that were told: one may be long, and around many fields.
    known: RefCell<HashMap<NodeId, String>>,
}

impl<'r, 'd> Labels<'r, 'd> {
    pub fn new(reading: &'r Reading<'d>) -> Self {
        Labels { reading, by_id: OnceCell::new(), known: RefCell::default() }
    }

    /// What a field is called, in the brackets of all that is looked at as a whole; `None` where it has no name.
    pub fn told(&self, field: Node<'d>) -> Option<String> {
        let name = self.label(field).map(|label| self.words(label)).filter(|words| !words.is_empty());
        let name = name.or_else(|| Some(shortened(&own_name(field)?, TOLD)))?;
        Some(format!("[field: {name}]"))
    }

    /// The label that is around a field, or that names it.
    fn label(&self, field: Node<'d>) -> Option<Node<'d>> {
        let around = field.ancestors().take(NEAR).find(|above| is_html(*above, "label"));
        around.or_else(|| {
            let id = field.attribute("", "id")?;
            self.by_id().get(&*id).map(|label| self.reading.document().node(*label))
        })
    }

    fn by_id(&self) -> &HashMap<String, NodeId> {
        self.by_id.get_or_init(|| {
            let document = self.reading.document();
            let mut by_id = HashMap::new();
            let Some(name) = document.names().find(HTML_NAMESPACE, "label") else { return by_id };
            for label in document.nodes().filter(|node| node.is_element() && node.label().name() == name) {
                if let Some(id) = label.attribute("", "for") {
                    by_id.entry(id.into_owned()).or_insert(label.id());
                }
            }
            by_id
        })
    }

    fn words(&self, label: Node<'d>) -> String {
        let mut known = self.known.borrow_mut();
        known.entry(label.id()).or_insert_with(|| shortened(&self.read(label), TOLD)).clone()
    }

    /// The words of a label without those of the fields in it.
    fn read(&self, label: Node<'d>) -> String {
        let document = self.reading.document();
        let (mut words, mut next, mut read) = (String::new(), label.id().0 + 1, 0);
        while next < label.end() && read < READ {
            let node = document.node(NodeId(next));
            (next, read) = (next + 1, read + 1);
            if node.kind() == Kind::Text {
                words.push_str(&node.value());
            } else if node.is_element() {
                match self.reading.role(node) {
                    Role::Atom | Role::Fallback | Role::Unseen => next = node.end(),
                    Role::Inline(_) | Role::Link => {}
                    _ => words.push(' '),
                }
            }
        }
        words.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// What a field says that names it and not what it holds; buttons have their name as their value.
fn own_name(field: Node<'_>) -> Option<String> {
    const NAMES: [&str; 4] = ["aria-label", "title", "placeholder", "name"];
    let kind = field.attribute("", "type").unwrap_or_default().trim().to_ascii_lowercase();
    if matches!(&*kind, "submit" | "reset" | "button" | "image") {
        return None;
    }
    let said = NAMES.into_iter().filter_map(|name| field.attribute("", name));
    said.map(|value| value.trim().to_owned()).find(|value| !value.is_empty())
}

fn is_html(node: Node<'_>, local: &str) -> bool {
    node.is_element() && node.name() == Name { namespace: HTML_NAMESPACE, local }
}
