//! How is a tree written as HTML? By the serialisation of the WHATWG standard.

use crate::parse::html::names::{class, classes_of};
use crate::tree::{Attribute, Document, HTML_NAMESPACE, Kind, Node, Step};

/// A document as HTML, its doctype as it was written.
///
/// ```
/// use treediff::{parse, write};
///
/// let page = parse::html("<!DOCTYPE html><title>a &lt b</title><p class=x>1<br>2", &Default::default())?.document;
/// assert_eq!(
///     write::html(&page),
///     "<!DOCTYPE html><html><head><title>a &lt; b</title></head><body><p class=\"x\">1<br>2</p></body></html>"
/// );
/// # Ok::<(), parse::ParseError>(())
/// ```
///
/// Reading it again gives the same tree for all but odd pages: HTML cannot write a `p` within a `p`, or a comment that
/// holds `-->`, even though such trees exist.
pub fn html(document: &Document) -> String {
    let mut out = String::with_capacity(document.source().len());
    out.push_str(document.doctype().unwrap_or_default());
    write_subtree(document.root(), &mut out);
    out
}

/// A node and what is below it as HTML.
///
/// ```
/// use treediff::{parse, write};
///
/// let page = parse::html("<p>one<p title='&quot;'>t<b>w</b>o", &Default::default())?.document;
/// let body = page.root_element().unwrap().last_child().unwrap();
/// let second = body.last_child().unwrap();
/// assert_eq!(write::html_subtree(second), "<p title=\"&quot;\">t<b>w</b>o</p>");
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn html_subtree(node: Node<'_>) -> String {
    let mut out = String::new();
    write_subtree(node, &mut out);
    out
}

fn write_subtree(node: Node<'_>, out: &mut String) {
    for step in node.walk() {
        match step {
            Step::Enter(node) => enter(node, out),
            Step::Leave(node) if node.is_element() && !is_in(node, class::VOID) => {
                out.push_str("</");
                out.push_str(node.name().local);
                out.push('>');
            }
            Step::Leave(_) => {}
        }
    }
}

fn enter(node: Node<'_>, out: &mut String) {
    match node.kind() {
        Kind::Element => start_tag(node, out),
        Kind::Comment => {
            out.push_str("<!--");
            out.push_str(&node.value());
            out.push_str("-->");
        }
        Kind::ProcessingInstruction => {
            out.push_str("<?");
            out.push_str(node.name().local);
            out.push(' ');
            out.push_str(&node.value());
            out.push('>');
        }
        Kind::Document => {}
        _ if node.parent().is_some_and(|parent| is_in(parent, class::RAW_TEXT)) => out.push_str(&node.value()),
        _ => escape(&node.value(), Place::Text, out),
    }
}

fn start_tag(node: Node<'_>, out: &mut String) {
    out.push('<');
    out.push_str(node.name().local);
    let mut attributes: Vec<Attribute<'_>> = node.attributes().collect();
    // The document has them by the hashes of their names; people want them as they were written.
    attributes.sort_by_key(|attribute| attribute.source_range().map(|range| range.start));
    for attribute in attributes {
        out.push(' ');
        out.push_str(&attribute.qualified_name());
        out.push_str("=\"");
        escape(&attribute.value(), Place::Attribute, out);
        out.push('"');
    }
    out.push('>');
    // A line end right behind these tags is not read, so one that counts needs another before it.
    let skips_newline = matches!(node.name().local, "pre" | "textarea" | "listing");
    if skips_newline && node.first_child().is_some_and(|child| child.value().starts_with('\n')) {
        out.push('\n');
    }
}

fn is_in(node: Node<'_>, class: u16) -> bool {
    node.name().namespace == HTML_NAMESPACE && classes_of(node.name().local) & class != 0
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Attribute,
}

fn escape(value: &str, place: Place, out: &mut String) {
    let mut done = 0;
    for (at, char) in value.char_indices() {
        let escaped = match char {
            '&' => "&amp;",
            '\u{a0}' => "&nbsp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' if place == Place::Attribute => "&quot;",
            // As it is, it would be read as a line feed.
            '\r' => "&#13;",
            _ => continue,
        };
        out.push_str(&value[done..at]);
        out.push_str(escaped);
        done = at + char.len_utf8();
    }
    out.push_str(&value[done..]);
}
