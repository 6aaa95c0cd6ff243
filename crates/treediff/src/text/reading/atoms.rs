//! What is content that is looked at as a whole? What tells two of them apart, and how one is told to somebody.

use std::borrow::Cow;

use super::addresses::{Addresses, are_alike};
use super::declarations::declared;
use super::drawings;
use super::elements::{Role, role};
use crate::tree::Node;

/// How much of an address or text a description shows.
const DESCRIBED: usize = 60;

/// What tells it apart: its name and what defines its content, whatever its looks.
pub fn identity(atom: Node<'_>, addresses: Addresses<'_>) -> String {
    let mut identity = format!("\0{}", atom.name().local);
    match atom.name().local {
        "input" if attribute(atom, "type").eq_ignore_ascii_case("hidden") => {}
        "input" | "meter" | "progress" => push_attributes(atom, FIELD, addresses, &mut identity),
        // Where what nobody sees is from is nothing to anybody: what counts visits has another address at each.
        _ if shows_nothing(atom) => push_attributes(atom, &["alt"], addresses, &mut identity),
        "select" | "textarea" => {
            identity.push_str(&content(atom));
            push_attributes(atom, FIELD, addresses, &mut identity);
            choices(atom).iter().for_each(|choice| identity.push_str(&format!("\0{choice}")));
        }
        // One without a name is known by where it leads.
        "a" | "button" => match name(atom) {
            Some(name) => identity.push_str(&name),
            None => push_attributes(atom, &["href"], addresses, &mut identity),
        },
        _ if is_drawing(atom) => identity.push_str(&drawings::seen(atom)),
        _ => {
            push_attributes(atom, ADDRESSES, addresses, &mut identity);
            sources(atom).for_each(|source| push_attributes(source, ADDRESSES, addresses, &mut identity));
        }
    }
    identity
}

/// What else its content may come from: elements below it, and beside an image those of its picture. What is read below it is
/// looked at by itself.
pub fn sources<'d>(atom: Node<'d>) -> impl Iterator<Item = Node<'d>> {
    // What is in a link or button without words is told by itself.
    let is_read = role(atom.name()) == Role::Fallback || is_control(atom);
    let all = (!is_read).then(|| atom.descendants()).into_iter().flatten();
    let is_unseen = |child: &Node<'_>| child.is_element() && role(child.name()) == Role::Unseen;
    let unseen = is_read.then(|| atom.children()).into_iter().flatten().filter(is_unseen);
    let picture = atom.parent().filter(|parent| atom.name().local == "img" && parent.name().local == "picture");
    let beside = picture.into_iter().flat_map(Node::children).filter(|child| child.name().local == "source");
    all.chain(unseen).chain(beside.take(MOST_SOURCES)).filter(|source| source.is_element())
}

/// The most sources of a picture that are looked at, since it may have many images that all look at them.
const MOST_SOURCES: usize = 32;

/// Attributes that say where content comes from, or what stands for it.
const ADDRESSES: &[&str] = &["src", "data", "srcdoc", "code", "alt", "poster", "srcset"];

/// Whether an attribute says something about what is looked at as a whole.
pub fn is_telling(name: &str) -> bool {
    [ADDRESSES, FIELD, NAMES, UNSHOWN].iter().any(|names| names.contains(&name))
}

/// Attributes that somebody hears, or finds out about by trying.
const UNSHOWN: &[&str] = &[
    "aria-description",
    "aria-valuetext",
    "readonly",
    "required",
    "formaction",
    "min",
    "max",
    "step",
    "pattern",
    "minlength",
    "maxlength",
    "accept",
    "multiple",
    "controls",
    "autoplay",
    "muted",
    "loop",
];

/// Whether something is what another was, for all that is said of it: what stands for an image may change, and what is in a
/// frame. Two fields are shown beside each other, since nothing else would show what was in the one.
pub fn are_one(before: Node<'_>, after: Node<'_>, sides: [Addresses<'_>; 2]) -> bool {
    let may_change = !is_drawing(after) && !is_field(after);
    let has_origin = || has_address(after) || matches!(after.name().local, "iframe" | "frame");
    let is_one = || may_change && has_origin() && come_from_one(before, after, sides);
    before.name() == after.name() && (is_one() || are_written_alike(before, after))
}

/// Whether both are written alike, wherever their pages are.
fn are_written_alike(before: Node<'_>, after: Node<'_>) -> bool {
    identity(before, Addresses::default()) == identity(after, Addresses::default())
}

/// Attributes that say where content comes from.
const ORIGINS: [&str; 5] = ["src", "data", "code", "poster", "srcset"];

/// Whether an attribute says where content comes from.
pub fn is_origin(name: &str) -> bool {
    ORIGINS.contains(&name)
}

fn has_address(atom: Node<'_>) -> bool {
    let has_one = |node: Node<'_>| ORIGINS.iter().any(|name| node.attribute("", name).is_some());
    has_one(atom) || sources(atom).any(has_one)
}

/// Whether the content of both comes from the same places.
fn come_from_one(before: Node<'_>, after: Node<'_>, sides: [Addresses<'_>; 2]) -> bool {
    let all = |atom| std::iter::once(atom).chain(sources(atom)).flat_map(origins);
    let (mut there, mut here) = (all(before), all(after));
    loop {
        match (there.next(), here.next()) {
            (None, None) => return true,
            (Some((name, from)), Some((other, to))) if name == other && are_alike(sides, name, [&from, &to]) => {}
            _ => return false,
        }
    }
}

fn origins(node: Node<'_>) -> impl Iterator<Item = (&'static str, Cow<'_, str>)> {
    ORIGINS.into_iter().filter_map(move |name| node.attribute("", name).map(|value| (name, value)))
}

/// Whether it is a link or a button, which is looked at as a whole where it has no words.
fn is_control(atom: Node<'_>) -> bool {
    matches!(atom.name().local, "a" | "button")
}

/// Whether it is drawn by what is in it.
pub fn is_drawing(atom: Node<'_>) -> bool {
    matches!(atom.name().local, "svg" | "math")
}

/// Whether somebody writes or chooses something in it, or reads a measure.
pub fn is_field(atom: Node<'_>) -> bool {
    matches!(atom.name().local, "input" | "meter" | "progress" | "select" | "textarea")
}

/// What tells a field from others, whatever it holds.
pub fn place(field: Node<'_>) -> String {
    let mut place = field.name().local.to_owned();
    push_attributes(field, &["type", "name"], Addresses::default(), &mut place);
    if attribute(field, "type").eq_ignore_ascii_case("radio") {
        push_attributes(field, &["value"], Addresses::default(), &mut place);
    }
    place
}

/// Attributes that say what a field holds and whether it can be used.
const FIELD: &[&str] = &["type", "value", "placeholder", "alt", "src", "checked", "disabled"];

fn push_attributes(node: Node<'_>, names: &[&str], addresses: Addresses<'_>, identity: &mut String) {
    for name in names {
        if let Some(value) = node.attribute("", name) {
            for piece in ["\0", name, "=", &addresses.of_attribute(name, &value)] {
                identity.push_str(piece);
            }
        }
    }
}

/// What people call it.
pub fn kind<'d>(atom: Node<'d>) -> &'d str {
    match atom.name().local {
        "img" => "image",
        "a" => "link",
        "svg" => "drawing",
        "math" => "formula",
        "iframe" | "frame" => "frame",
        "input" | "select" | "textarea" => "field",
        other => other,
    }
}

/// What it is, in words: its kind, and its own text or where it comes from.
pub fn description(atom: Node<'_>) -> String {
    let kind = kind(atom);
    let text = match atom.name().local {
        "math" => drawings::text(atom),
        "select" | "textarea" => joined(&content(atom)),
        "svg" => written(atom, "title").or_else(|| name(atom)).or_else(|| written(atom, "text")).unwrap_or_default(),
        "a" => name(atom).unwrap_or_else(|| attribute(atom, "href")),
        _ => name(atom).unwrap_or_else(|| file_name(atom)),
    };
    match text.trim() {
        "" => format!("[{kind}]"),
        text => format!("[{kind}: {}]", super::super::shortened(text, DESCRIBED)),
    }
}

/// Whether it shows no words: a link or button without any, or a picture that no words stand for.
pub fn is_silent(atom: Node<'_>) -> bool {
    match atom.name().local {
        "a" | "button" => true,
        "img" => ["alt", "aria-label"].iter().all(|name| attribute(atom, name).trim().is_empty()),
        "svg" => description(atom) == "[drawing]",
        _ => false,
    }
}

/// Attributes that name something.
const NAMES: &[&str] = &["alt", "title", "aria-label", "value", "placeholder", "name"];

fn name(atom: Node<'_>) -> Option<String> {
    named_by(atom).map(|name| attribute(atom, name))
}

fn named_by(atom: Node<'_>) -> Option<&'static str> {
    NAMES.iter().copied().find(|name| !attribute(atom, name).trim().is_empty())
}

/// The attribute that a description tells.
pub fn described_by(atom: Node<'_>) -> Option<&'static str> {
    named_by(atom).or_else(|| FILES.into_iter().find(|name| atom.attribute("", name).is_some()))
}

/// Attributes whose address names a file.
const FILES: [&str; 3] = ["src", "data", "code"];

/// What the first element of a name says below a node.
fn written(atom: Node<'_>, local: &str) -> Option<String> {
    let found = atom.descendants().find(|below| below.is_element() && below.name().local == local);
    found.map(|found| joined(&found.string_value())).filter(|text| !text.is_empty())
}

/// What something holds that has it between its tags: its text, or the choices that are made, or the first.
pub fn content(field: Node<'_>) -> String {
    match field.name().local {
        "select" => {}
        "svg" => return drawings::words(field),
        _ => return field.string_value().into_owned(),
    }
    let chosen: Vec<String> =
        options(field).filter(|option| option.attribute("", "selected").is_some()).map(choice).collect();
    if chosen.is_empty() { options(field).next().map(choice).unwrap_or_default() } else { chosen.join(", ") }
}

/// What may be chosen in a field, with the labels of groups before what is in them.
pub fn choices(field: Node<'_>) -> Vec<String> {
    let shown = field.descendants().filter(|_| field.name().local == "select").filter(|below| below.is_element());
    shown
        .filter_map(|below| match below.name().local {
            "option" => Some(choice(below)),
            "optgroup" => label(below),
            _ => None,
        })
        .collect()
}

fn options<'d>(list: Node<'d>) -> impl Iterator<Item = Node<'d>> {
    list.descendants().filter(|below| below.is_element() && below.name().local == "option")
}

fn choice(option: Node<'_>) -> String {
    label(option).unwrap_or_else(|| joined(&option.string_value()))
}

fn label(node: Node<'_>) -> Option<String> {
    Some(joined(&attribute(node, "label"))).filter(|label| !label.is_empty())
}

fn joined(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The last part of the address.
fn file_name(atom: Node<'_>) -> String {
    let address = FILES.into_iter().find_map(|name| atom.attribute("", name)).unwrap_or_default();
    if address.starts_with("data:") {
        return String::new();
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').find(|part| !part.is_empty()).unwrap_or_default().to_owned()
}

fn attribute(node: Node<'_>, name: &str) -> String {
    node.attribute("", name).unwrap_or_default().into_owned()
}

/// Whether it is an image that says by its own attributes that nobody sees it: it is not displayed, or a pixel at most.
pub fn shows_nothing(image: Node<'_>) -> bool {
    if image.name().local != "img" {
        return false;
    }
    let style = attribute(image, "style");
    let is_tiny = |name: &str| match declared(&style, name) {
        Some(size) => matches!(&*size, "0" | "0px" | "1px"),
        None => matches!(attribute(image, name).trim(), "0" | "0px" | "1" | "1px"),
    };
    declared(&style, "display").is_some_and(|display| display == "none") || is_tiny("width") && is_tiny("height")
}

/// Whether there is nothing to be seen of it.
pub fn is_unseen(atom: Node<'_>) -> bool {
    atom.name().local == "input" && attribute(atom, "type").trim().eq_ignore_ascii_case("hidden")
}
