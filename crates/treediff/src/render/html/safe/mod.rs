//! What of a hostile page may be shown, and how?
//!
//! Whoever writes a page walks its tree and asks, for every element, what becomes of it: a [`Fate`]. Elements and
//! attributes are kept if they are known to be harmless, everything else is not; addresses are made absolute, and what
//! would be loaded from an origin that nobody allowed is not there. Nothing that comes from the page holds the *key*, a
//! word by which our own marks are known, so nothing can pass for one.
//!
//! ```text
//! <p onclick="x()" class="a">   →  <p class="a">
//! <a href="../b.html">          →  <a href="https://example.org/b.html" target="_blank" rel="…">
//! <a href="java&#9;script:x()"> →  <a>
//! <iframe src="https://e/">     →  <span data-KEY-box="iframe https://e/"></span>
//! <form>                        →  <div>
//! ```
//!
//! What is written is safe however it is read. Markup is the text between our own `<` and `>`: comments are not
//! written, elements whose text is not escaped neither, but for style sheets, which never have a `<` that could begin a
//! tag. So what a browser reads differently from us (the ways of a `p` in a `p`, of foreign elements in tables) moves
//! elements about and never makes one. Drawings and formulas are written as a whole, with no HTML in them.
//!
//! The rules for names are looked up once per document; a page is then written in time linear in its size.

mod attributes;
mod css;
mod drawing;
mod elements;
mod key;
mod tags;
mod url;

pub use url::{NoOrigin, Origin};

pub(crate) use url::Url;

use std::borrow::Cow;

use super::markup::push_text;
use crate::text::is_shadow;
use crate::tree::{Document, HTML_NAMESPACE, NameId, Node, NodeId};
use attributes::Attribute;
use elements::{Element, MATHML_NAMESPACE, Rule, SVG_NAMESPACE};
use key::Key;
use url::{Target, names_user, resolve};

/// What becomes of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is written by [`Safe::start_tag`] and [`Safe::end_tag`], perhaps under another name, and its children between.
    Element,
    /// Only its children are written.
    Children,
    /// It is not written, nor is anything in it.
    Nothing,
    /// It is written by [`Safe::whole`], with all that is in it: style sheets, drawings and formulas, and boxes in the
    /// place of frames and plug-ins.
    Whole,
}

/// What of a hostile page may be shown, and how.
#[derive(Debug)]
pub(crate) struct Safe<'o> {
    /// By the numbers of the document's names.
    elements: Vec<Element>,
    attributes: Vec<Attribute>,
    base: Option<Url>,
    allowed: &'o [Origin],
    key: Key<'o>,
    keeps_ids: bool,
}

impl<'o> Safe<'o> {
    /// The rules for one document, which was read as HTML and lies at `base`. Images, style sheets and the like are
    /// loaded from the `allowed` origins; the page's own `<base>` says what its links are relative to, and allows
    /// nothing. No page may use the `key`, which is of letters and digits in lower case.
    pub(crate) fn new(document: &Document, base: Option<&Url>, allowed: &'o [Origin], key: &'o str) -> Self {
        let key = Key(key);
        let names = || document.names().iter().map(|(_, name)| name);
        let elements = names().map(|name| match key.is_in(name.local) {
            true if name.namespace == HTML_NAMESPACE => {
                Element { rule: Rule::As("span"), is_ordinary: false, ..Element::of(name) }
            }
            true => Element::NOTHING,
            false => Element::of(name),
        });
        let has_foreign = names().any(|name| matches!(name.namespace, SVG_NAMESPACE | MATHML_NAMESPACE));
        let attributes = names().map(|name| match key.is_in(name.local) {
            true => Attribute::NONE,
            false => Attribute::of(name, has_foreign),
        });
        Safe {
            elements: elements.collect(),
            attributes: attributes.collect(),
            base: base_of(document, base),
            allowed,
            key,
            keeps_ids: true,
        }
    }

    /// The same for a document of which parts are put into another that has its own ids.
    pub(crate) fn without_ids(self) -> Self {
        Safe { keeps_ids: false, ..self }
    }

    /// What becomes of an element; nothing of comments and the like. Texts are not asked for.
    pub(crate) fn fate(&self, node: Node<'_>) -> Fate {
        if !node.is_element() {
            return Fate::Nothing;
        }
        match self.element(node).rule {
            // One in a table has nothing in it, and a block there would be put before the table.
            Rule::Form if node.first_child().is_none() => Fate::Nothing,
            Rule::Keep | Rule::As(_) | Rule::Form | Rule::Input | Rule::Frames => Fate::Element,
            Rule::Children => Fate::Children,
            Rule::Template if is_shadow(node) => Fate::Children,
            Rule::Box | Rule::Drawing => Fate::Whole,
            Rule::Style if is_css(node) => Fate::Whole,
            Rule::Link if self.is_allowed_sheet(node) => Fate::Element,
            Rule::Nothing | Rule::Template | Rule::Style | Rule::Link | Rule::Part | Rule::Words => Fate::Nothing,
        }
    }

    /// Writes an element whose fate it is to be written as a whole, with `extra` attributes of ours.
    pub(crate) fn whole(&self, node: Node<'_>, extra: &[(&str, &str)], out: &mut String) {
        match self.element(node).rule {
            Rule::Style => self.style(node, extra, out),
            Rule::Drawing => drawing::write(self, node, extra, out),
            Rule::Box => self.box_for(node, extra, out),
            _ => {}
        }
    }

    /// The style of what is shown in the place of something else, for a style sheet of ours.
    pub(crate) fn style_of_boxes(&self) -> String {
        let key = self.key.0;
        format!(
            "[data-{key}-box]{{display:inline-block;box-sizing:border-box;min-width:4em;max-width:100%;padding:.3em .6em;\
             border:1px dashed;font:.8rem/1.3 sans-serif;overflow:hidden;overflow-wrap:anywhere;text-align:start}}\
             [data-{key}-box]::before{{content:attr(data-{key}-box)}}"
        )
    }

    fn element(&self, node: Node<'_>) -> &Element {
        self.elements.get(node.label().name().index()).unwrap_or(&Element::NOTHING)
    }

    fn attribute(&self, name: NameId) -> Attribute {
        self.attributes.get(name.index()).copied().unwrap_or(Attribute::NONE)
    }

    fn style(&self, node: Node<'_>, extra: &[(&str, &str)], out: &mut String) {
        self.start_tag(node, extra, out);
        let text = node.string_value();
        if node.name().namespace == SVG_NAMESPACE {
            // There it is text like any other.
            let mut sheet = String::with_capacity(text.len());
            css::write(&text, self, &mut sheet);
            push_text(&sheet, out);
        } else {
            css::write(&text, self, out);
        }
        self.end_tag(node, out);
    }

    /// A box that tells what was there, and its address. It tells it by an attribute, for [`Safe::style_of_boxes`] to
    /// show, so that the text of the page stays what it was.
    fn box_for(&self, node: Node<'_>, extra: &[(&str, &str)], out: &mut String) {
        let address = ["src", "data", "code"].into_iter().find_map(|name| node.attribute("", name));
        let told = address.and_then(|address| self.told(&address)).unwrap_or_default();
        let told = self.key.removed_from(&told).into_owned();
        let says = format!("{} {told}", node.name().local);
        let name = format!("data-{}-box", self.key.0);
        let size = size_of_box(node);
        let mut ours = vec![(name.as_str(), says.trim_end())];
        ours.extend((!size.is_empty()).then_some(("style", size.as_str())));
        ours.extend(extra);
        self.start_tag(node, &ours, out);
        self.end_tag(node, out);
    }

    /// An address as people are told it: absolute where it can be, and nothing that is refused.
    fn told(&self, written: &str) -> Option<String> {
        match resolve(written, self.base.as_ref()) {
            Target::Web(url) => Some(url.text()),
            Target::Unresolved(text) | Target::Inside(text) | Target::Person(text) => Some(text),
            Target::Pixels(_) | Target::Refused => None,
        }
    }

    /// The address of something to load, absolute; `None` where nobody allowed it.
    fn loaded(&self, written: &str) -> Option<String> {
        match resolve(written, self.base.as_ref()) {
            // Browsers load nothing from an empty address, though it is that of the page.
            _ if written.trim().is_empty() => None,
            Target::Web(url) if self.allowed.contains(url.origin()) => Some(url.text()),
            Target::Pixels(text) => Some(text),
            _ => None,
        }
    }

    fn is_allowed_sheet(&self, link: Node<'_>) -> bool {
        let rel = link.attribute("", "rel").unwrap_or_default();
        let has = |word: &str| rel.split_ascii_whitespace().any(|found| found.eq_ignore_ascii_case(word));
        let href = || link.attribute("", "href").and_then(|href| self.loaded(&href));
        // An image, though it may be loaded, is no style sheet.
        has("stylesheet") && !has("alternate") && is_css(link) && href().is_some_and(|href| !href.starts_with("data:"))
    }
}

impl css::Judge for Safe<'_> {
    fn address(&self, written: &str) -> Option<String> {
        let address = match resolve(written, self.base.as_ref()) {
            Target::Inside(fragment) => Some(fragment),
            _ => self.loaded(written),
        };
        address.map(|address| self.key.removed_from(&address).into_owned())
    }

    fn without_key<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.key.removed_from(text)
    }

    fn still(&self) -> String {
        format!("data-{}-still", self.key.0)
    }
}

/// Where references of a page lead to, those that lead to the web; nothing is said of those that would be others without the user whom
/// they name.
pub(crate) fn addresses(document: &Document, base: Option<&Url>) -> impl Fn(&str) -> Option<String> + use<> {
    let base = base_of(document, base);
    move |reference| match resolve(reference, base.as_ref()) {
        Target::Web(url) if !names_user(reference) => Some(url.asked_for()),
        _ => None,
    }
}

/// What the page's references are relative to: its first `<base>`, where that leads somewhere.
fn base_of(document: &Document, base: Option<&Url>) -> Option<Url> {
    match first_base(document).map(|href| resolve(&href, base)) {
        Some(Target::Web(url)) => Some(url),
        _ => base.cloned(),
    }
}

/// The address in the first `<base>` that has one; what is in a template is not in the page.
fn first_base(document: &Document) -> Option<Cow<'_, str>> {
    let name = document.names().find(HTML_NAMESPACE, "base")?;
    let template = document.names().find(HTML_NAMESPACE, "template");
    let mut at = 0;
    while at < document.len() as u32 {
        let node = document.node(NodeId(at));
        let label = Some(node.label().name());
        if label == Some(name)
            && let Some(href) = node.attribute("", "href")
        {
            return Some(href);
        }
        at = if label == template { node.end() } else { at + 1 };
    }
    None
}

/// The size of a frame as style, where its style does not say it.
fn size_of_box(node: Node<'_>) -> String {
    let mut style = String::new();
    for name in ["width", "height"] {
        let Some(value) = node.attribute("", name).filter(|_| node.attribute("", "style").is_none()) else { continue };
        let digits = value.bytes().take(5).take_while(u8::is_ascii_digit).count();
        match (digits, &value[digits..]) {
            (0, _) => {}
            (_, "%") => style.push_str(&format!("{name}:{value};")),
            _ => style.push_str(&format!("{name}:{}px;", &value[..digits])),
        }
    }
    style
}

fn is_css(node: Node<'_>) -> bool {
    let kind = node.attribute("", "type").unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.is_empty() || kind.eq_ignore_ascii_case("text/css")
}

#[cfg(test)]
mod tests;
