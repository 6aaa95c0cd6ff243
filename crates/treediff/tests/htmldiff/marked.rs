//! The page in the merged view, and its marks in a form that can be read.

use treediff::matching::{self, Matching};
use treediff::parse::{self, Whitespace};
use treediff::render::html;
use treediff::select;
use treediff::text::{Changes, Entities};
use treediff::tree::{Document, Kind, Node, Step};

/// A page with its white space.
pub fn page(source: impl AsRef<[u8]>) -> Document {
    let options = parse::Options { whitespace: Whitespace::Exact, ..Default::default() };
    parse::html(source.as_ref(), &options).expect("a page").document
}

/// The changes of two pages, given to somebody.
pub fn with_changes<T>(before: &Document, after: &Document, then: impl FnOnce(&Changes<'_>, &Matching) -> T) -> T {
    let matching = matching::auto(before, after, &Default::default());
    then(&Changes::new(before, after, &matching, &Entities::default()), &matching)
}

/// The page in the frame of the merged view, and the key of its marks.
pub fn merged(before: &Document, after: &Document, options: &html::Options) -> (Document, String) {
    let view = page(with_changes(before, after, |changes, matching| html::merged(changes, matching, options)));
    let one = |selector: &str| select::css(&view, selector).expect("a selector")[0];
    let frame = page(one("iframe[name=page]").attribute("", "srcdoc").expect("a page in the frame").as_bytes());
    (frame, one("body").attribute("", "data-key").expect("a key").into_owned())
}

/// The body of the merged view: `[-gone-]`, `{+new+}`, `[<moved away<]`, `{>moved here>}`, `{~another link~}`,
/// `{_formatting_}`; of the attributes those of links and images.
pub fn shown(before: &str, after: &str) -> String {
    let (frame, key) = merged(&page(before), &page(after), &html::Options::default());
    let body = select::css(&frame, "body").expect("a selector")[0];
    let mut out = String::new();
    for step in body.walk().skip(1) {
        match step {
            Step::Enter(node) if node.kind() == Kind::Text => out.push_str(&node.value()),
            Step::Enter(node) if node.is_element() => out.push_str(&tag(node, &key, true)),
            Step::Leave(node) if node.id() == body.id() => break,
            Step::Leave(node) => out.push_str(&tag(node, &key, false)),
            _ => {}
        }
    }
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn tag(node: Node<'_>, key: &str, is_start: bool) -> String {
    if node.attribute("", &format!("data-{key}")).is_some() {
        let kind = node.attribute("", &format!("data-{key}-kind")).unwrap_or_default();
        let [start, end] = match (&*kind, node.name().local) {
            ("" | "image", "del") => ["[-", "-]"],
            ("" | "image", "ins") => ["{+", "+}"],
            ("moved-from", _) => ["[<", "<]"],
            ("moved-to", _) => ["{>", ">}"],
            ("format", _) => ["{_", "_}"],
            _ => ["{~", "~}"],
        };
        return if is_start { start } else { end }.to_owned();
    }
    if node.attribute("", &format!("data-{key}-to")).is_some() {
        return String::new();
    }
    let local = node.name().local;
    match (is_start, local) {
        (true, "img") => format!("<img {}>", node.attribute("", "alt").unwrap_or_default()),
        (false, "img" | "input" | "br" | "hr") => String::new(),
        (true, _) => format!("<{local}>"),
        (false, _) => format!("</{local}>"),
    }
}
