//! What can be told of a change beyond its words, and what changed that is not seen in the page?

use std::collections::HashMap;

use crate::tree::{Document, HTML_NAMESPACE, Node};

/// What changed beyond the words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Detail {
    /// Words lead elsewhere.
    Link {
        /// Where they led to.
        from: Option<String>,
        /// Where they lead to.
        to: Option<String>,
    },
    /// An attribute is another.
    Attribute {
        /// The name of its element.
        element: String,
        /// Its name.
        name: String,
        /// What it was.
        from: Option<String>,
        /// What it is.
        to: Option<String>,
    },
    /// What is at an address is not what it was.
    Entity {
        /// The address, as the page has it.
        address: String,
    },
    /// Words look different.
    Format {
        /// How they looked.
        from: String,
        /// How they look.
        to: String,
    },
    /// An attribute by which an element looks different is another: its class or style, its width.
    Look {
        /// The name of the element.
        element: String,
        /// The attribute's name.
        name: String,
        /// What it was.
        from: Option<String>,
        /// What it is.
        to: Option<String>,
        /// How many elements of the page changed just so; it is told of the first.
        times: usize,
    },
    /// The title of the page is another.
    Title {
        /// What it was.
        from: String,
        /// What it is.
        to: String,
    },
    /// Something that is not seen is another.
    Unseen {
        /// What it is.
        what: String,
    },
}

/// Checksums of what a page refers to, by address, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entities {
    /// Of the version before.
    pub before: HashMap<String, String>,
    /// Of the version after.
    pub after: HashMap<String, String>,
}

impl Entities {
    /// Whether what is at the address is another now.
    pub(super) fn changed(&self, address: &str) -> bool {
        match (self.before.get(address), self.after.get(address)) {
            (Some(before), Some(after)) => before != after,
            _ => false,
        }
    }
}

/// What changed and is not seen in the page.
pub fn notices(before: &Document, after: &Document, entities: &Entities) -> Vec<Detail> {
    let mut notices = Vec::new();
    let [from, to] = [before, after].map(title);
    if from != to {
        notices.push(Detail::Title { from, to });
    }
    for (element, what) in [("script", "scripts"), ("style", "styles")] {
        let [there, here] =
            [before, after].map(|document| named(document, element).map(|node| node.hash()).collect::<Vec<_>>());
        if there != here {
            notices.push(Detail::Unseen { what: what.to_owned() });
        }
    }
    for (element, attribute) in [("script", "src"), ("link", "href")] {
        let addresses = named(after, element).filter_map(|node| node.attribute("", attribute));
        for address in addresses.filter(|address| entities.changed(address.trim())) {
            notices.push(Detail::Entity { address: address.trim().to_owned() });
        }
    }
    notices
}

fn named<'d>(document: &'d Document, local: &'static str) -> impl Iterator<Item = Node<'d>> {
    // A number to compare, and most documents have no such name.
    let name = document.names().find(HTML_NAMESPACE, local);
    let nodes = name.map(|name| document.nodes().filter(move |node| node.label().name() == name && node.is_element()));
    nodes.into_iter().flatten()
}

fn title(document: &Document) -> String {
    let title = named(document, "title").next().map(|title| title.string_value().into_owned());
    title.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}
