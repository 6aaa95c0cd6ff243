//! Which attributes changed that somebody reads, or that make words look different?
//!
//! Elements are compared with their partners of the matching; what is to be told stands at the first segment that an element
//! has, or beside one that has none (`wordless`). Of looks it is said once in a block that they changed, and once in a page for all
//! elements that changed alike: where a row came in, every second one behind it is an odd one now, and a new style sheet gives new
//! names to all.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::super::reading::addresses::are_alike;
use super::super::reading::{Addresses, Reading, Role, atoms, declarations};
use super::cells::Cells;
use super::details::{self, Detail};
use super::entities::Entities;
use super::wordless::{self, Finder};
use crate::matching::Matching;
use crate::tree::hash::ByHash;
use crate::tree::{Attribute, Document, Node, NodeId};

/// Attributes that readers see or hear, or that say where a form is sent, on elements whose content is read.
const READ: [&str; 28] = [
    "title",
    "alt",
    "aria-label",
    "aria-description",
    "aria-valuenow",
    "aria-hidden",
    "aria-valuetext",
    "placeholder",
    "value",
    "label",
    "datetime",
    "cite",
    "start",
    "type",
    "reversed",
    "lang",
    "dir",
    "summary",
    "hidden",
    "open",
    "popover",
    "disabled",
    "abbr",
    "colspan",
    "rowspan",
    "action",
    "method",
    "formaction",
];

/// Attributes by which elements only look different.
pub const LOOKS: [&str; 11] =
    ["class", "style", "align", "valign", "bgcolor", "color", "face", "size", "width", "height", "border"];

/// What is told of attributes, by the segment of `after` that shows them.
#[derive(Debug, Default)]
pub struct Attributes {
    read: ByHash<u32, Vec<Detail>>,
    looks: ByHash<u32, Detail>,
    /// What is told of elements that show nothing.
    unseen: Vec<Detail>,
    /// Whether an event is handled otherwise than it was.
    are_handlers_others: bool,
}

impl Attributes {
    /// Of elements that are pairs.
    pub fn new(
        before: &Reading<'_>,
        after: &Reading<'_>,
        matching: &Matching,
        cells: &Cells,
        entities: &Entities,
    ) -> Self {
        let sides = [before.addresses(), after.addresses()];
        let (gone, new) = wordless::alone([before, after], matching, cells);
        let before = before.document();
        let mut attributes = Attributes::default();
        let mut looks = Looks::default();
        let document = after.document();
        let mut handlers = Handlers::new(before, document);
        let mut finder = Finder::new(after);
        let mut next = 0;
        while next < document.len() as u32 {
            let node = document.node(NodeId(next));
            let is_same = matching.is_same(node.id());
            next = if is_same { node.end() } else { next + 1 };
            if is_same || !node.is_element() {
                continue;
            }
            let partner = cells.element_before_of(node, matching).map(|partner| before.node(partner));
            handlers.compare(partner, node);
            if let Some(partner) = partner.filter(|partner| !partner.writes_same_attributes(node)) {
                let stayed = |beside: NodeId| matching.before_of(beside).is_some();
                attributes.compare([partner, node], sides, (&mut finder, stayed), &mut looks);
            }
            finder.pass(node);
        }
        let gone = gone.into_iter().map(|gone| (gone.beside, [Some(gone.node), None]));
        let new = new.into_iter().map(|new| (new.beside, [None, Some(new.node)]));
        for (beside, pair) in gone.chain(new) {
            attributes.tell_beside(beside, labels(pair), look_apart(pair[0], pair[1]), after, &mut looks);
        }
        attributes.looks = looks.told();
        attributes.are_handlers_others = handlers.are_others;
        if !entities.are_none() {
            attributes.look_behind(after, entities);
        }
        attributes
    }

    /// Compares the attributes of two elements that are a pair.
    fn compare<'d>(
        &mut self,
        [before, after]: [Node<'d>; 2],
        sides: [Addresses<'_>; 2],
        (finder, stayed): (&mut Finder<'_, 'd>, impl Fn(NodeId) -> bool),
        looks: &mut Looks,
    ) {
        let Some((at, first)) = finder.first_in(after) else {
            if let Some(wordless) = finder.wordless(after, stayed) {
                self.compare_wordless([before, after], sides, wordless.beside, finder.reading(), looks);
            }
            return;
        };
        let is_whole = first.node == after.id();
        // What is said of something that is looked at as a whole is compared with what it is in the place of, and what is drawn with
        // its classes.
        if is_whole && atoms::is_drawing(after) {
            return;
        }
        let is_read = |name: &str| if is_whole { name == "hidden" } else { READ.contains(&name) };
        let mut read = changed(before, after, sides, is_read);
        look_at_hiding(before, after, &mut read);
        self.tell(at, read);
        looks.compare(before, after, at as u32, first.block);
    }

    /// The same of elements without words, of which it is a matter of looks whether they are hidden.
    fn compare_wordless(
        &mut self,
        [before, after]: [Node<'_>; 2],
        sides: [Addresses<'_>; 2],
        beside: Option<usize>,
        reading: &Reading<'_>,
        looks: &mut Looks,
    ) {
        let is_read = |name: &str| name == "href" || name != "hidden" && READ.contains(&name);
        let is_hidden =
            |side: Node<'_>| Some(if side.attribute("", "hidden").is_some() { "yes" } else { "no" }.to_owned());
        let [from, to] = [before, after].map(is_hidden);
        let hidden = (from != to).then(|| {
            let (element, name) = (after.name().local.to_owned(), "hidden".to_owned());
            Detail::Look { element, name, from, to, times: 1 }
        });
        let seen = hidden.into_iter().chain(seen_apart(before, after));
        self.tell_beside(beside, changed(before, after, sides, is_read), seen, reading, looks);
    }

    /// Tells of an element without words at the segment beside it, or by itself.
    fn tell_beside(
        &mut self,
        beside: Option<usize>,
        read: Vec<Detail>,
        seen: impl IntoIterator<Item = Detail>,
        after: &Reading<'_>,
        looks: &mut Looks,
    ) {
        match beside {
            Some(beside) => {
                self.tell(beside, read);
                let block = after.segments()[beside].block;
                seen.into_iter().for_each(|look| looks.tell(look, beside as u32, block));
            }
            None => self.unseen.extend(read.into_iter().chain(seen)),
        }
    }

    fn tell(&mut self, segment: usize, read: Vec<Detail>) {
        if !read.is_empty() {
            self.read.entry(segment as u32).or_default().extend(read);
        }
    }

    /// Tells of each address once that something else is there now, which an element has behind its content.
    fn look_behind(&mut self, after: &Reading<'_>, entities: &Entities) {
        let is_content = |node: &Node<'_>| !matches!(after.role(*node), Role::Atom | Role::Fallback | Role::Unseen);
        let elements = after.document().nodes().filter(|node| node.is_element()).filter(is_content);
        let addresses =
            elements.flat_map(|element| entities.changed_of(element).map(move |address| (element, address)));
        let mut known = HashSet::new();
        for (element, address) in addresses.filter(|(_, address)| known.insert(address.clone())) {
            let at = after.segments().partition_point(|segment| segment.node <= element.id());
            match after.segments().get(at).filter(|first| first.node.0 < element.end()) {
                Some(_) => self.tell(at, vec![Detail::Entity { address }]),
                None => self.unseen.push(Detail::Entity { address }),
            }
        }
    }

    /// What is told of elements that show nothing, once.
    pub fn take_unseen(&mut self) -> Vec<Detail> {
        std::mem::take(&mut self.unseen)
    }

    /// Whether an event is handled otherwise than it was.
    pub fn are_handlers_others(&self) -> bool {
        self.are_handlers_others
    }

    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        self.read.is_empty() && self.looks.is_empty()
    }

    /// Whether there is something to be told at a segment.
    pub fn are_at(&self, segment: usize) -> bool {
        self.are_read_at(segment) || self.look_at(segment)
    }

    /// Whether there is something that is read at a segment.
    pub fn are_read_at(&self, segment: usize) -> bool {
        self.read.contains_key(&(segment as u32))
    }

    /// Whether something looks different at a segment.
    pub fn look_at(&self, segment: usize) -> bool {
        self.looks.contains_key(&(segment as u32))
    }

    /// What is to be told at a segment, once.
    pub fn take_read(&mut self, segment: usize) -> Vec<Detail> {
        self.read.remove(&(segment as u32)).unwrap_or_default()
    }

    /// What looks different at a segment, once.
    pub fn take_look(&mut self, segment: usize) -> Option<Detail> {
        self.looks.remove(&(segment as u32))
    }
}

/// The attributes that tell something that is looked at as a whole from what was in its place.
pub fn of_atoms(before: Node<'_>, after: Node<'_>, sides: [Addresses<'_>; 2]) -> Vec<Detail> {
    let is_shown = ![before, after].into_iter().all(atoms::shows_nothing);
    let is_told = |name: &str| atoms::is_telling(name) && (is_shown || !atoms::is_origin(name));
    let mut told = changed(before, after, sides, is_told);
    if !atoms::is_drawing(after) {
        let [there, here] = [before, after].map(atoms::sources);
        told.extend(there.zip(here).flat_map(|(old, new)| {
            let is_track = new.name().local == "track";
            changed(old, new, sides, |name| is_told(name) || is_track && name == "label")
        }));
    }
    told.extend(content(before, after));
    told.extend(choices(before, after));
    told
}

/// What a field or drawing holds that has it between its tags, where its description does not say so.
fn content(before: Node<'_>, after: Node<'_>) -> Option<Detail> {
    let name = match after.name().local {
        "select" => "chosen",
        "textarea" | "svg" => "text",
        _ => return None,
    };
    let [from, to] = [before, after].map(atoms::content);
    let is_described = |node: Node<'_>, text: &str| atoms::description(node) == format!("[drawing: {text}]");
    let element = after.name().local.to_owned();
    (from != to && !(is_described(before, &from) && is_described(after, &to))).then(|| Detail::Attribute {
        element,
        name: name.to_owned(),
        from: Some(from),
        to: Some(to),
    })
}

/// What may be chosen in a field.
fn choices(before: Node<'_>, after: Node<'_>) -> Option<Detail> {
    let [there, here] = [before, after].map(atoms::choices);
    (there != here).then(|| {
        let [removed, added] = details::apart(there, here);
        Detail::Choices { removed, added }
    })
}

/// What is heard or read of an element without words that is new or gone.
fn labels([before, after]: [Option<Node<'_>>; 2]) -> Vec<Detail> {
    let Some(element) = after.or(before).map(|node| node.name().local) else { return Vec::new() };
    let told = |name: &str| {
        let [from, to] = [before, after].map(|side| Some(side?.attribute("", name)?.into_owned()));
        let is_said = [&from, &to].into_iter().flatten().any(|value| !value.trim().is_empty());
        is_said.then(|| Detail::Attribute { element: element.to_owned(), name: name.to_owned(), from, to })
    };
    ["aria-label", "title"].into_iter().filter_map(told).collect()
}

/// Attributes of two elements that are not what they were, of those that are asked for.
fn changed(
    before: Node<'_>,
    after: Node<'_>,
    sides: [Addresses<'_>; 2],
    is_asked_for: impl Fn(&str) -> bool,
) -> Vec<Detail> {
    let told = |(old, new): (Option<Attribute<'_>>, Option<Attribute<'_>>)| {
        let name = old.or(new)?.name().local;
        let [from, to] = [old, new].map(|side| side.map(|attribute| attribute.value()));
        let is_other = || match (&from, &to) {
            (Some(from), Some(to)) => !are_alike(sides, name, [from, to]),
            _ => true,
        };
        (is_asked_for(name) && is_other()).then(|| {
            let [from, to] = [from, to].map(|value| value.map(Cow::into_owned));
            Detail::Attribute { element: after.name().local.to_owned(), name: name.to_owned(), from, to }
        })
    };
    before.attributes_beside(after).filter_map(told).collect()
}

/// Tells that an element is hidden or no longer, be it by the attribute or by its style.
fn look_at_hiding(before: Node<'_>, after: Node<'_>, read: &mut Vec<Detail>) {
    let [had, has] = [before, after].map(|side| side.attribute("", "hidden").is_some());
    let [was, is] = [had || is_hidden_by_style(before), has || is_hidden_by_style(after)];
    match (was == is, had == has) {
        (true, false) => read.retain(|detail| !matches!(detail, Detail::Attribute { name, .. } if name == "hidden")),
        (false, true) => {
            let [from, to] = [was, is].map(|is_hidden| is_hidden.then(String::new));
            let (element, name) = (after.name().local.to_owned(), "hidden".to_owned());
            read.push(Detail::Attribute { element, name, from, to });
        }
        _ => {}
    }
}

/// Whether an element is hidden by its style attribute.
pub fn is_hidden_by_style(node: Node<'_>) -> bool {
    node.attribute("", "style").is_some_and(|style| hides(&style))
}

/// Whether a style attribute hides its element; of two declarations the later counts.
fn hides(style: &str) -> bool {
    let last = |name: &str| declarations(style).filter(|declaration| declaration.0 == name).last();
    last("display").is_some_and(|display| is_hiding(&display))
        || last("visibility").is_some_and(|visibility| is_hiding(&visibility))
}

fn is_hiding((name, value): &(String, String)) -> bool {
    matches!((&**name, &**value), ("display", "none") | ("visibility", "hidden" | "collapse"))
}

/// What runs where an event happens, while elements are compared.
struct Handlers<'d> {
    /// Whether a page has any.
    are_there: bool,
    before: &'d Document,
    /// All of the version before, as soon as something asks for them.
    known: Option<HashSet<String>>,
    are_others: bool,
}

impl<'d> Handlers<'d> {
    fn new(before: &'d Document, after: &Document) -> Self {
        let are_there = [before, after].iter().any(|page| page.names().iter().any(|(_, name)| is_handler(name.local)));
        Handlers { are_there, before, known: None, are_others: false }
    }

    /// An element that is new has handlers that are, unless the page had them anywhere.
    fn compare(&mut self, before: Option<Node<'_>>, after: Node<'_>) {
        if !self.are_there || self.are_others {
            return;
        }
        self.are_others = match before {
            Some(before) => !changed(before, after, Default::default(), is_handler).is_empty(),
            None => handlers(after).any(|handler| !self.known().contains(&*handler)),
        };
    }

    fn known(&mut self) -> &HashSet<String> {
        let elements = self.before.nodes().filter(|node| node.is_element());
        self.known.get_or_insert_with(|| elements.flat_map(handlers).map(Cow::into_owned).collect())
    }
}

fn handlers(element: Node<'_>) -> impl Iterator<Item = Cow<'_, str>> {
    element.attributes().filter(|attribute| is_handler(attribute.name().local)).map(|attribute| attribute.value())
}

fn is_handler(name: &str) -> bool {
    name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case("on")) && name.len() > 2
}

/// What looks different, while elements are compared in their order.
#[derive(Default)]
struct Looks {
    told: Vec<(u32, Detail)>,
    /// Where a change is told, by itself.
    known: HashMap<[Option<String>; 4], usize>,
    /// The last block that something was told in.
    block: Option<NodeId>,
}

impl Looks {
    fn compare(&mut self, before: Node<'_>, after: Node<'_>, segment: u32, block: NodeId) {
        seen_apart(before, after).for_each(|look| self.tell(look, segment, block));
    }

    fn tell(&mut self, look: Detail, segment: u32, block: NodeId) {
        let Detail::Look { element, name, from, to, .. } = &look else { return };
        let key = [Some(element.clone()), Some(name.clone()), from.clone(), to.clone()];
        if let Some(&at) = self.known.get(&key) {
            if let Detail::Look { times, .. } = &mut self.told[at].1 {
                *times += 1;
            }
        } else if self.block.replace(block) != Some(block) {
            self.known.insert(key, self.told.len());
            self.told.push((segment, look));
        }
    }

    /// What is told at each segment: of elements that have it in them rather than of those that stand beside it.
    fn told(self) -> ByHash<u32, Detail> {
        self.told.into_iter().rev().collect()
    }
}

/// The attributes by which two elements look different.
fn seen_apart(before: Node<'_>, after: Node<'_>) -> impl Iterator<Item = Detail> {
    let all = changed(before, after, Default::default(), |name| LOOKS.contains(&name)).into_iter();
    all.filter_map(|detail| match detail {
        Detail::Attribute { element, name, from, to } if !look_alike(&name, &from, &to) => {
            Some(Detail::Look { element, name, from, to, times: 1 })
        }
        _ => None,
    })
}

/// Whether two values say the same: the order of classes is nothing, and so is the case of colours and the like.
fn look_alike(name: &str, from: &Option<String>, to: &Option<String>) -> bool {
    let [from, to] = [from, to].map(|value| value.as_deref().unwrap_or_default());
    // That it is hidden is told by itself.
    if name == "style" && hides(from) != hides(to) {
        return seen(from).eq(seen(to));
    }
    match name {
        "style" => from.split_whitespace().eq(to.split_whitespace()),
        _ => look(name, from) == look(name, to),
    }
}

/// What a value says of looks, written in one way, without what hides an element.
pub fn look(name: &str, value: &str) -> String {
    match name {
        "class" => value.split_whitespace().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" "),
        "style" => seen(value).map(|(name, value)| [name, value].join(":")).collect::<Vec<_>>().join(";"),
        _ => value.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase(),
    }
}

/// The declarations of a style attribute that hide nothing.
fn seen(style: &str) -> impl Iterator<Item = (String, String)> {
    declarations(style).filter(|declaration| !is_hiding(declaration))
}

/// The first attribute by which two elements look different, one of which may be none.
pub fn look_apart(before: Option<Node<'_>>, after: Option<Node<'_>>) -> Option<Detail> {
    let element = after.or(before)?.name().local;
    let values = |name: &str| [before, after].map(|side| Some(side?.attribute("", name)?.into_owned()));
    let all = LOOKS.into_iter().map(|name| (name, values(name)));
    let (name, [from, to]) = all.into_iter().find(|(name, [from, to])| !look_alike(name, from, to))?;
    Some(Detail::Look { element: element.to_owned(), name: name.to_owned(), from, to, times: 1 })
}
