//! What is seen of a drawing or a formula? Its shapes and words, whatever it is called and however it is laid out in the source.
//!
//! It is written down so that what looks the same is written the same: without white space but that between words, without IDs and
//! classes, and what refers to an ID within it refers to the place of that element. A drawing with style rules of its own keeps
//! them all, since its rules may go by any name.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Role;
use super::elements::role;
use crate::tree::{Attribute, HTML_NAMESPACE, Kind, Name, Node, Step, XMLNS_NAMESPACE};

/// What is seen of it, in a form that only serves to be compared.
pub fn seen(drawing: Node<'_>) -> String {
    let ids = (!has_rules(drawing)).then(|| Ids::new(drawing));
    let (mut out, mut words) = (String::new(), Words::default());
    for_each_seen(drawing, |step| match step {
        Step::Enter(node) if node.is_element() => {
            words.meet(node.name());
            push_tag(node, ids.as_ref(), &mut out);
        }
        Step::Enter(node) => words.push(&node.value(), &mut out),
        Step::Leave(node) => {
            words.meet(node.name());
            out.push_str("\0/");
        }
    });
    out
}

/// What is read of a formula.
pub fn text(formula: Node<'_>) -> String {
    gathered(formula, "")
}

/// What is read of a drawing, one text behind another.
pub fn words(drawing: Node<'_>) -> String {
    gathered(drawing, " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

fn gathered(drawing: Node<'_>, between: &str) -> String {
    let (mut out, mut words) = (String::new(), Words::default());
    for_each_seen(drawing, |step| match step {
        Step::Enter(node) if node.kind() == Kind::Text => {
            let is_code = node.parent().is_some_and(|parent| matches!(parent.name().local, "style" | "script"));
            if !is_code {
                words.push(&node.value(), &mut out);
            }
        }
        Step::Enter(node) | Step::Leave(node) => {
            words.meet(node.name());
            out.push_str(if words.is_begun { "" } else { between });
        }
    });
    out
}

/// Goes through elements and texts, but for those of which nothing is seen.
fn for_each_seen<'d>(drawing: Node<'d>, mut take: impl FnMut(Step<'d>)) {
    let mut walk = drawing.walk();
    loop {
        let is_unseen = |node: Node<'_>| match node.kind() {
            Kind::Element => UNSEEN.contains(&node.name().local),
            kind => kind != Kind::Text,
        };
        if walk.peek_entering().is_some_and(is_unseen) {
            walk.skip_subtree();
            continue;
        }
        let Some(step) = walk.next() else { return };
        take(step);
    }
}

/// What is said about a drawing or formula beside it.
const UNSEEN: [&str; 3] = ["annotation", "annotation-xml", "metadata"];

fn has_rules(drawing: Node<'_>) -> bool {
    drawing.descendants().any(|below| below.is_element() && below.name().local == "style")
}

fn push_tag(element: Node<'_>, ids: Option<&Ids>, out: &mut String) {
    out.push_str("\0<");
    out.push_str(element.name().local);
    for attribute in element.attributes().filter(|attribute| is_seen(*attribute, ids.is_some())) {
        let (name, value) = (attribute.name().local, attribute.value());
        let value = single_spaced(&value);
        let value = ids.map_or(Cow::Borrowed(&*value), |ids| ids.with_places(name, &value));
        for piece in ["\0", name, "=", &value] {
            out.push_str(piece);
        }
    }
    out.push_str("\0>");
}

/// Words with a space between them. Shapes are long and written so already.
fn single_spaced(value: &str) -> Cow<'_, str> {
    let bytes = value.as_bytes();
    let is_plain = |&byte: &u8| byte.is_ascii_graphic() || byte == b' ';
    let is_spaced_so = bytes.iter().all(is_plain)
        && bytes.first() != Some(&b' ')
        && bytes.last() != Some(&b' ')
        && memchr::memmem::find(bytes, b"  ").is_none();
    if is_spaced_so {
        return Cow::Borrowed(value);
    }
    Cow::Owned(value.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Whether an attribute may make a difference to somebody who looks or listens; names do where there are rules for them.
fn is_seen(attribute: Attribute<'_>, are_names_nothing: bool) -> bool {
    let Name { namespace, local } = attribute.name();
    match local {
        "id" | "class" => !are_names_nothing,
        "aria-label" => true,
        "xmlns" | "role" | "tabindex" | "focusable" => false,
        _ => namespace != XMLNS_NAMESPACE && !["data-", "aria-", "on"].iter().any(|unseen| local.starts_with(unseen)),
    }
}

/// Where the elements are that have an ID, by their places in the drawing.
struct Ids(HashMap<String, u32>);

impl Ids {
    fn new(drawing: Node<'_>) -> Self {
        let mut places = HashMap::new();
        let mut place = 0;
        for_each_seen(drawing, |step| {
            let Step::Enter(element) = step else { return };
            place += u32::from(element.is_element());
            if let Some(id) = element.id_value() {
                places.entry(id.into_owned()).or_insert(place);
            }
        });
        Ids(places)
    }

    /// A value that refers to places where it refers to IDs: `url(#a)`, or `#a` where it is an address.
    fn with_places<'v>(&self, name: &str, value: &'v str) -> Cow<'v, str> {
        if !value.contains('#') {
            return Cow::Borrowed(value);
        }
        let (mut out, mut rest) = (String::new(), value);
        while let Some((head, behind)) = rest.split_once('#') {
            out.push_str(head);
            out.push('#');
            let is_reference =
                head.trim_end_matches(['"', '\'', ' ']).ends_with("url(") || name == "href" && out.len() == 1;
            let end = behind.find([')', '"', '\'', ' ']).unwrap_or(behind.len());
            let (id, behind) = behind.split_at(if is_reference { end } else { 0 });
            match self.0.get(id) {
                Some(place) => out.push_str(&format!("\0{place}")),
                None => out.push_str(id),
            }
            rest = behind;
        }
        out.push_str(rest);
        Cow::Owned(out)
    }
}

/// Words that are gathered from texts: white space between two of them is a space, and none is before the first and behind the last.
#[derive(Default)]
struct Words {
    /// Whether a word was there since the last element that ends a text.
    is_begun: bool,
    is_spaced: bool,
}

impl Words {
    /// An element begins or ends.
    fn meet(&mut self, element: Name<'_>) {
        let goes_on = match element.namespace {
            HTML_NAMESPACE => matches!(role(element), Role::Inline(_) | Role::Link),
            _ => GOING_ON.contains(&element.local),
        };
        if !goes_on {
            *self = Words::default();
        }
    }

    fn push(&mut self, text: &str, out: &mut String) {
        self.is_spaced |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            if self.is_begun && self.is_spaced {
                out.push(' ');
            }
            out.push_str(word);
            (self.is_begun, self.is_spaced) = (true, true);
        }
        self.is_spaced = text.ends_with(char::is_whitespace);
    }
}

/// Elements of a drawing within which a text goes on.
const GOING_ON: [&str; 3] = ["tspan", "textPath", "a"];
