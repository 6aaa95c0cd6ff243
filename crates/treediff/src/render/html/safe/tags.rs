//! How is a tag written? The name, the attributes that are allowed, and those that we add.

use std::borrow::Cow;

use super::super::markup::push_value;
use super::attributes::Treatment;
use super::elements::{Element, Rule, group};
use super::url::{Target, resolve};
use super::{Safe, css};
use crate::tree::{Attribute, Node};

/// Where a link that leaves the page opens, and what it tells: nothing.
const LEAVING: &str = " target=\"_blank\" rel=\"noopener noreferrer nofollow\"";

impl Safe<'_> {
    /// Writes the start tag of an element, with `extra` attributes of ours in the place of its own of those names.
    pub(crate) fn start_tag(&self, node: Node<'_>, extra: &[(&str, &str)], out: &mut String) {
        let element = self.element(node);
        if !element.is_ordinary {
            return self.start_particular_tag(node, element, extra, out);
        }
        out.push('<');
        out.push_str(node.name().local);
        let tag = Tag { safe: self, node, element, extra };
        node.attributes().for_each(|attribute| tag.attribute(attribute, out));
        extra.iter().for_each(|(name, value)| push_attribute(name, value, out));
        out.push('>');
    }

    /// The same of an element that is written under another name, or whose name asks for something.
    fn start_particular_tag(&self, node: Node<'_>, element: &Element, extra: &[(&str, &str)], out: &mut String) {
        let element = &of_tag(node, element);
        let name = written_name(node, element);
        out.push('<');
        out.push_str(name);
        let tag = Tag { safe: self, node, element, extra };
        node.attributes().for_each(|attribute| tag.attribute(attribute, out));
        tag.fixed_attributes(name, out);
        extra.iter().for_each(|(name, value)| push_attribute(name, value, out));
        out.push('>');
        // A line end right behind these tags is not read, so one that counts needs another before it.
        let skips_newline = matches!(name, "pre" | "textarea");
        if skips_newline && node.first_child().is_some_and(|child| child.value().starts_with('\n')) {
            out.push('\n');
        }
    }

    /// Writes the end tag of an element, if it has one.
    pub(crate) fn end_tag(&self, node: Node<'_>, out: &mut String) {
        let element = self.element(node);
        if !element.is_void || element.rule == Rule::Box {
            out.push_str("</");
            out.push_str(if element.is_ordinary { node.name().local } else { written_name(node, element) });
            out.push('>');
        }
    }
}

/// Fields have the attributes of their kind: an image those of images.
fn of_tag(node: Node<'_>, element: &Element) -> Element {
    match element.rule {
        Rule::Input if is_picture(node) => Element { groups: group::ANY | group::PICTURE, ..*element },
        _ => *element,
    }
}

/// The name that an element is written under.
fn written_name<'d>(node: Node<'d>, element: &Element) -> &'d str {
    match element.rule {
        Rule::As(name) => name,
        Rule::Form => "div",
        Rule::Box => "span",
        Rule::Input if is_picture(node) => "img",
        Rule::Frames if node.parent().is_some_and(|parent| parent.name().local == "html") => "body",
        Rule::Frames => "div",
        _ => node.name().local,
    }
}

/// A start tag that is being written.
struct Tag<'t> {
    safe: &'t Safe<'t>,
    node: Node<'t>,
    element: &'t Element,
    extra: &'t [(&'t str, &'t str)],
}

impl Tag<'_> {
    fn attribute(&self, attribute: Attribute<'_>, out: &mut String) {
        let Some(treatment) = self.safe.attribute(attribute.name_id()).on(self.element.groups) else { return };
        let local = attribute.name().local;
        if self.is_ours(local) || !self.safe.keeps_ids && matches!(local, "id" | "name") {
            return;
        }
        let name = &*attribute.qualified_name();
        let value = attribute.value();
        match treatment {
            Treatment::Keep => self.push(name, &value, out),
            Treatment::Style | Treatment::Property => self.push(name, &self.css(&value), out),
            Treatment::Link if self.element.rule == Rule::Link => self.load(name, &value, out),
            Treatment::Link => self.link(&value, out),
            Treatment::Load => self.load(name, &value, out),
            Treatment::Choice => self.choice(&value, out),
            Treatment::Address => self.address(name, &value, out),
            Treatment::Inside => self.inside(name, &value, out),
            Treatment::Reference => self.reference(name, &value, out),
            Treatment::Type => self.kind(&value, out),
            Treatment::Name => self.name(&value, out),
        }
    }

    fn is_ours(&self, name: &str) -> bool {
        self.extra.iter().any(|(ours, _)| *ours == name)
    }

    /// Writes an attribute of the page, without the key.
    fn push(&self, name: &str, value: &str, out: &mut String) {
        push_attribute(name, &self.safe.key.removed_from(value), out);
    }

    fn css<'v>(&self, value: &'v str) -> Cow<'v, str> {
        if css::is_plain(value) {
            return Cow::Borrowed(value);
        }
        let mut written = String::with_capacity(value.len());
        css::write_declarations(value, self.safe, &mut written);
        Cow::Owned(written)
    }

    fn resolve(&self, value: &str) -> Target {
        resolve(value, self.safe.base.as_ref())
    }

    fn link(&self, value: &str, out: &mut String) {
        match self.resolve(value) {
            // A fragment alone would be one of the file around the frame.
            Target::Inside(fragment) => self.push("href", &format!("about:srcdoc{fragment}"), out),
            Target::Web(url) => self.leaving_link(&url.text(), out),
            Target::Person(address) => self.leaving_link(&address, out),
            Target::Unresolved(address) => self.tell(&address, out),
            Target::Pixels(_) | Target::Refused => {}
        }
    }

    fn leaving_link(&self, address: &str, out: &mut String) {
        self.push("href", address, out);
        out.push_str(LEAVING);
    }

    fn load(&self, name: &str, value: &str, out: &mut String) {
        match self.safe.loaded(value) {
            Some(address) => self.push(name, &address, out),
            None if name == "src" => self.tell_what_is_missing(value, out),
            None => {}
        }
    }

    fn tell_what_is_missing(&self, value: &str, out: &mut String) {
        let Some(address) = self.safe.told(value) else { return };
        self.tell(&address, out);
        if self.element.groups & group::PICTURE != 0 && self.node.attribute("", "alt").is_none() {
            let path = address.split(['?', '#']).next().unwrap_or_default();
            self.push("alt", path.rsplit('/').next().unwrap_or_default(), out);
        }
    }

    /// Tells an address that is neither followed nor loaded.
    fn tell(&self, address: &str, out: &mut String) {
        if !self.is_ours("title") && self.node.attribute("", "title").is_none() {
            self.push("title", address, out);
        }
    }

    fn choice(&self, value: &str, out: &mut String) {
        let mut allowed = String::new();
        for (address, descriptor) in candidates(value) {
            let Some(address) = self.safe.loaded(address) else { continue };
            allowed.push_str(if allowed.is_empty() { "" } else { ", " });
            allowed.push_str(&address);
            allowed.push_str(if descriptor.is_empty() { "" } else { " " });
            allowed.push_str(descriptor);
        }
        if !allowed.is_empty() {
            self.push("srcset", &allowed, out);
        }
    }

    fn address(&self, name: &str, value: &str, out: &mut String) {
        if let Target::Web(url) = self.resolve(value) {
            self.push(name, &url.text(), out);
        }
    }

    fn inside(&self, name: &str, value: &str, out: &mut String) {
        if let Target::Inside(fragment) = self.resolve(value) {
            self.push(name, &fragment, out);
        }
    }

    /// Of a drawing: a part of it may be used again, an image may be loaded.
    fn reference(&self, name: &str, value: &str, out: &mut String) {
        match self.node.name().local == "image" {
            true => self.load(name, value, out),
            false => self.inside(name, value, out),
        }
    }

    /// Fields keep their kinds, but nothing sends.
    fn kind(&self, value: &str, out: &mut String) {
        match self.node.name().local {
            "button" => {}
            "input" => match Field::of(self.node) {
                Field::Button => self.push("type", "button", out),
                _ => self.push("type", value, out),
            },
            _ => self.push("type", value, out),
        }
    }

    /// Of fields only choices need a name, to know each other by.
    fn name(&self, value: &str, out: &mut String) {
        let is_field = self.element.groups & group::CONTROL != 0;
        if !is_field || Field::of(self.node) == Field::Choice {
            self.push("name", value, out);
        }
    }

    /// What elements of a kind always get. Nothing can be typed, and nothing is filled in by the browser; boxes can be
    /// ticked and lists opened, on which some pages depend to show what they have.
    fn fixed_attributes(&self, name: &str, out: &mut String) {
        match name {
            "button" => out.push_str(" type=\"button\""),
            "textarea" => out.push_str(" readonly"),
            "audio" | "video" => out.push_str(" preload=\"none\""),
            "link" => out.push_str(" rel=\"stylesheet\""),
            "input" if self.element.rule == Rule::Input => match Field::of(self.node) {
                Field::Secret if self.node.attribute("", "disabled").is_some() => {}
                Field::Secret => out.push_str(" disabled"),
                Field::Text => out.push_str(" readonly autocomplete=\"off\""),
                Field::Button => self.label_of_button(out),
                Field::Choice | Field::Picture => {}
            },
            _ => {}
        }
    }

    /// What a browser writes on a button that says what it does and not what it is called.
    fn label_of_button(&self, out: &mut String) {
        let kind = self.node.attribute("", "type").unwrap_or_default();
        if self.node.attribute("", "value").is_none() && !kind.eq_ignore_ascii_case("button") {
            let label = if kind.eq_ignore_ascii_case("reset") { "Reset" } else { "Submit" };
            push_attribute("value", label, out);
        }
    }
}

/// Kinds of `input`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Text,
    /// Boxes, choices, sliders: what holds no text of the reader's.
    Choice,
    Button,
    Picture,
    /// A password or a file, which the page shall not get to ask for.
    Secret,
}

impl Field {
    fn of(node: Node<'_>) -> Field {
        let kind = node.attribute("", "type").unwrap_or_default();
        match kind.to_ascii_lowercase().as_str() {
            "button" | "reset" | "submit" => Field::Button,
            "image" => Field::Picture,
            "file" | "password" => Field::Secret,
            "checkbox" | "color" | "hidden" | "radio" | "range" => Field::Choice,
            _ => Field::Text,
        }
    }
}

fn is_picture(node: Node<'_>) -> bool {
    Field::of(node) == Field::Picture
}

/// The images of a `srcset`: address and descriptor.
fn candidates(value: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let (address, behind) = rest.split_at(rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len()));
        rest = behind;
        if let Some(alone) = address.strip_suffix(',') {
            return Some((alone.trim_end_matches(','), ""));
        }
        let (descriptor, behind) = rest.split_at(rest.find(',').unwrap_or(rest.len()));
        rest = behind;
        Some((address, descriptor.trim_matches(|c: char| c.is_ascii_whitespace())))
    })
}

/// An attribute without a value is read as one whose value is empty, and is much of what stands around marks.
pub(super) fn push_attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    if !value.is_empty() {
        out.push_str("=\"");
        push_value(value, out);
        out.push('"');
    }
}

#[cfg(test)]
mod tests {
    use super::super::Safe;
    use crate::parse;

    /// Every name that HTML knows, and one that it does not; those that need a table around them get one.
    const NAMES: &str = "a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote \
        body br button canvas caption center cite code col colgroup command data datalist dd del details dfn dialog dir div dl dt em \
        embed fieldset figcaption figure font footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img \
        input ins isindex kbd keygen label legend li link listing main map mark marquee menu menuitem meta meter nav nobr noembed \
        noframes noscript object ol optgroup option output p param picture plaintext portal pre progress q rb rbc rp rt rtc ruby s \
        samp script search section select selectedcontent slot small source spacer span strike strong style sub summary sup table \
        tbody td template textarea tfoot th thead time title tr track tt u ul unknown-name var video wbr xmp";

    #[test]
    fn an_ordinary_tag_is_one_that_nothing_is_asked_of() {
        let mut ordinary = 0;
        for name in NAMES.split_ascii_whitespace() {
            let page = format!("<!DOCTYPE html><{name} id=x class='a b'>\n<table><{name} id=x title=y>");
            let document = parse::html(page, &Default::default()).unwrap().document;
            let safe = Safe::new(&document, None, &[], "d0123456789abcdef");
            for node in document.nodes().filter(|node| node.is_element() && node.name().local == name) {
                let element = safe.element(node);
                ordinary += usize::from(element.is_ordinary);
                let [mut one, mut other] = [String::new(), String::new()];
                safe.start_tag(node, &[("title", "ours")], &mut one);
                safe.start_particular_tag(node, element, &[("title", "ours")], &mut other);
                assert_eq!(one, other, "{name}");
            }
        }
        assert!(ordinary > 50);
    }
}
