//! What can be told of a change beyond its words, and what changed that is not seen in the page?

use std::collections::HashMap;

use super::super::reading::Reading;
use super::entities::Entities;
use crate::tree::{Document, HTML_NAMESPACE, Kind, Label, Node, NodeId};

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
    /// A field has other choices, or has them in another order.
    Choices {
        /// Those that are gone.
        removed: Vec<String>,
        /// Those that are new.
        added: Vec<String>,
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
    /// Words look different in a way that says something else: they are raised, lowered or struck out, or no longer.
    Sense {
        /// What they were.
        from: Vec<&'static str>,
        /// What they are.
        to: Vec<&'static str>,
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

/// What changed and is not seen in the page; whether handlers of events did, is known.
pub fn notices(readings: [&Reading<'_>; 2], entities: &Entities, are_handlers_others: bool) -> Vec<Detail> {
    let sides @ [before, after] = &readings.map(|reading| Sayers::of(reading.document()));
    let mut notices = Vec::new();
    let [from, to] = sides.each_ref().map(Sayers::title);
    if from != to {
        notices.push(Detail::Title { from, to });
    }
    for (element, name, of) in SAYINGS {
        let [there, here] = sides.each_ref().map(|side| side.named(element).filter_map(of).collect());
        let mut left = apart(there, here);
        if (element, name) == ("area", "href") {
            left = apart_by(left, |side, href| readings[side].addresses().of(href).into_owned());
        }
        let [mut gone, mut new] = left.map(Vec::into_iter);
        notices.extend((0..gone.len().max(new.len())).map(|_| {
            let [element, name] = [element, name].map(str::to_owned);
            Detail::Attribute { element, name, from: gone.next(), to: new.next() }
        }));
    }
    let [there, here] = [before, after].map(|side| hashes(side.named("script")));
    if there != here || are_handlers_others {
        notices.push(Detail::Unseen { what: "scripts".to_owned() });
    }
    let [there, here] = [before, after].map(|side| {
        hashes(side.named("style").chain(side.named("link").filter(|link| is_related(*link, "stylesheet"))))
    });
    if there != here {
        notices.push(Detail::Unseen { what: "styles".to_owned() });
    }
    for (element, attribute) in [("script", "src"), ("link", "href")] {
        let addresses = after.named(element).filter_map(|node| node.attribute("", attribute));
        for address in addresses.filter(|address| entities.changed(address.trim())) {
            notices.push(Detail::Entity { address: address.trim().to_owned() });
        }
    }
    notices
}

/// Something that an element says which is not seen: the element, what is told of it, and what that is.
type Saying = (&'static str, &'static str, fn(Node<'_>) -> Option<String>);

const SAYINGS: [Saying; 8] = [
    ("base", "href", |base| value(base, "href")),
    ("area", "href", |area| value(area, "href")),
    ("area", "alt", |area| value(area, "alt")),
    ("datalist", "choices", choices),
    ("meta", "refresh", |meta| content_if(meta, "http-equiv", "refresh")),
    ("meta", "description", |meta| content_if(meta, "name", "description")),
    ("meta", "robots", |meta| content_if(meta, "name", "robots")),
    ("link", "canonical", |link| value(link, "href").filter(|_| is_related(link, "canonical"))),
];

/// What a field proposes that has this list.
fn choices(list: Node<'_>) -> Option<String> {
    let options = list.descendants().filter(|below| below.is_element() && below.name().local == "option");
    let choice = |option: Node<'_>| value(option, "value").unwrap_or_else(|| option.string_value().trim().to_owned());
    let choices: Vec<String> = options.map(choice).collect();
    (!choices.is_empty()).then(|| choices.join(", "))
}

/// The content of a `meta` whose attribute says what it is.
fn content_if(meta: Node<'_>, attribute: &str, what: &str) -> Option<String> {
    let is_asked_for = value(meta, attribute).is_some_and(|said| said.eq_ignore_ascii_case(what));
    value(meta, "content").filter(|_| is_asked_for)
}

fn value(node: Node<'_>, attribute: &str) -> Option<String> {
    node.attribute("", attribute).map(|value| value.trim().to_owned())
}

/// What is on one side alone, in the order in which it is there.
pub fn apart(before: Vec<String>, after: Vec<String>) -> [Vec<String>; 2] {
    apart_by([before, after], |_, value| value.to_owned())
}

/// The same by what each value on each side is.
fn apart_by(sides: [Vec<String>; 2], of: impl Fn(usize, &str) -> String) -> [Vec<String>; 2] {
    let mut counts: HashMap<String, i64> = HashMap::new();
    for (side, sign) in [(0, 1), (1, -1)] {
        sides[side].iter().for_each(|value| *counts.entry(of(side, value)).or_default() += sign);
    }
    let [before, after] = sides;
    [(0, before, 1), (1, after, -1)].map(|(side, values, sign)| {
        let mut is_left = |value: &String| {
            let left = counts.get_mut(&of(side, value)).filter(|left| **left * sign > 0);
            left.map(|left| *left -= sign).is_some()
        };
        values.into_iter().filter(|value| is_left(value)).collect()
    })
}

fn hashes<'d>(nodes: impl Iterator<Item = Node<'d>>) -> Vec<u64> {
    nodes.map(|node| node.hash()).collect()
}

/// Whether what a link leads to is something to the page.
fn is_related(link: Node<'_>, what: &str) -> bool {
    let relations = link.attribute("", "rel").unwrap_or_default();
    relations.split_ascii_whitespace().any(|relation| relation.eq_ignore_ascii_case(what))
}

fn label(document: &Document, local: &str) -> Option<Label> {
    document.names().find(HTML_NAMESPACE, local).map(|name| Label::new(Kind::Element, name))
}

pub fn named<'d>(document: &'d Document, local: &'static str) -> impl Iterator<Item = Node<'d>> {
    // A number to compare in one array, and most documents have no such name.
    let labels = label(document, local)
        .map(|wanted| (0..).zip(document.columns().labels).filter(move |(_, label)| **label == wanted));
    labels.into_iter().flatten().map(|(node, _)| document.node(NodeId(node)))
}

/// The elements of a page that may say something which is not seen. They are gathered in one pass over the page, since a dozen
/// questions are asked of these few.
struct Sayers<'d>(Vec<Node<'d>>);

impl<'d> Sayers<'d> {
    const NAMES: [&'static str; 8] = ["area", "base", "datalist", "link", "meta", "script", "style", "title"];

    fn of(document: &'d Document) -> Self {
        let labels = Self::NAMES.map(|local| label(document, local));
        let mut are_sayers = vec![false; document.names().len()];
        labels.iter().flatten().for_each(|label| are_sayers[label.name().index()] = true);
        let nodes = (0..).zip(document.columns().labels).filter(|(_, label)| are_sayers[label.name().index()]);
        Sayers(nodes.map(|(node, _)| document.node(NodeId(node))).filter(|node| node.is_element()).collect())
    }

    /// Those of one of the names, in order.
    fn named(&self, local: &'static str) -> impl Iterator<Item = Node<'d>> {
        self.0.iter().copied().filter(move |node| node.name().local == local)
    }

    fn title(&self) -> String {
        let title = self.named("title").next().map(|title| title.string_value().into_owned());
        title.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
