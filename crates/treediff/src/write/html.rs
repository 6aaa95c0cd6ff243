//! How is a tree written as HTML? By the serialisation of the WHATWG standard.

use std::borrow::Cow;
use std::fmt::{self, Write};

use super::source::attributes_as_written;
use super::{Order, collected};
use crate::parse::html::names::{Namespace, class, classes_of};
use crate::tree::{Attribute, Document, HTML_NAMESPACE, Kind, Node, Step, ValuePiece};

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
/// Reading it again gives the same tree for all but odd pages: HTML cannot write a `p` within a `p`, a comment that
/// holds `-->`, or anything behind the start of a `plaintext`, even though such trees exist. The standard writes end tags
/// behind a `plaintext` all the same, and each reading makes them text of it.
pub fn html(document: &Document) -> String {
    collected(document.source().len(), |out| write_document(document, Order::AsWritten, out))
}

/// A document as [`html()`] writes it, but with the attributes of every element sorted by namespace and name: two
/// documents with equal content have equal canonical forms.
///
/// ```
/// use treediff::{parse, write};
///
/// let page = parse::html("<!DOCTYPE html><p title=x class=y>1", &Default::default())?.document;
/// assert_eq!(
///     write::canonical_html(&page),
///     "<!DOCTYPE html><html><head></head><body><p class=\"y\" title=\"x\">1</p></body></html>"
/// );
/// # Ok::<(), parse::ParseError>(())
/// ```
pub fn canonical_html(document: &Document) -> String {
    collected(document.source().len(), |out| canonical_html_to(document, out))
}

/// Writes what [`canonical_html`] returns, piece by piece; fails only where `out` does.
pub fn canonical_html_to(document: &Document, out: &mut impl Write) -> fmt::Result {
    write_document(document, Order::ByName, out)
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
    collected(0, |out| write_subtree(node, Order::AsWritten, out))
}

fn write_document(document: &Document, order: Order, out: &mut impl Write) -> fmt::Result {
    out.write_str(document.doctype().unwrap_or_default())?;
    write_subtree(document.root(), order, out)
}

fn write_subtree(node: Node<'_>, order: Order, out: &mut impl Write) -> fmt::Result {
    for step in node.walk() {
        match step {
            Step::Enter(node) => enter(node, order, out)?,
            Step::Leave(node) if node.is_element() && !is_in(node, class::VOID) => {
                write!(out, "</{}>", tag_name(node))?;
            }
            Step::Leave(_) => {}
        }
    }
    Ok(())
}

fn enter(node: Node<'_>, order: Order, out: &mut impl Write) -> fmt::Result {
    match node.kind() {
        Kind::Element => start_tag(node, order, out),
        Kind::Comment => write!(out, "<!--{}-->", node.value()),
        Kind::ProcessingInstruction => write!(out, "<?{} {}>", node.name().local, node.value()),
        Kind::Document => Ok(()),
        Kind::Reference => write!(out, "&{};", node.name().local),
        _ if node.parent().is_some_and(|parent| is_in(parent, class::RAW_TEXT)) => out.write_str(&node.value()),
        _ => escape_html(&node.value(), Place::Text, out),
    }
}

fn start_tag(node: Node<'_>, order: Order, out: &mut impl Write) -> fmt::Result {
    write!(out, "<{}", tag_name(node))?;
    for attribute in attributes(node, order) {
        write!(out, " {}=\"", attribute.qualified_name())?;
        for piece in attribute.pieces() {
            match piece {
                ValuePiece::Text(text) => escape_html(&text, Place::Attribute, out)?,
                ValuePiece::Reference(reference) => out.write_str(reference)?,
            }
        }
        out.write_char('"')?;
    }
    out.write_char('>')?;
    // A line end right behind these tags is not read, so one that counts needs another before it.
    let skips_newline = matches!(node.name().local, "pre" | "textarea" | "listing");
    if skips_newline && node.first_child().is_some_and(|child| child.value().starts_with('\n')) {
        out.write_char('\n')?;
    }
    Ok(())
}

/// Elements of XML that HTML does not know keep their prefix, so that none of them passes for one that it knows.
fn tag_name(node: Node<'_>) -> Cow<'_, str> {
    let is_known =
        [Namespace::Html, Namespace::Svg, Namespace::MathMl].iter().any(|it| it.uri() == node.name().namespace);
    if is_known { Cow::Borrowed(node.name().local) } else { node.qualified_name() }
}

/// The document has them by the hashes of their names, which nobody wants to see.
fn attributes(node: Node<'_>, order: Order) -> Vec<Attribute<'_>> {
    let mut attributes = attributes_as_written(node);
    if order == Order::ByName {
        attributes.sort_by_key(|attribute| attribute.name());
    }
    attributes
}

fn is_in(node: Node<'_>, class: u16) -> bool {
    node.name().namespace == HTML_NAMESPACE && classes_of(node.name().local) & class != 0
}

/// Where a value is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Text,
    Attribute,
}

pub(crate) fn escape_html(value: &str, place: Place, out: &mut impl Write) -> fmt::Result {
    let bytes = value.as_bytes();
    let mut done = 0;
    let mut next = 0;
    while let Some(found) = first_to_escape(&bytes[next..]) {
        let at = next + found;
        next = at + 1;
        let (escaped, len) = match bytes[at] {
            b'&' => ("&amp;", 1),
            b'<' => ("&lt;", 1),
            b'>' => ("&gt;", 1),
            b'"' if place == Place::Attribute => ("&quot;", 1),
            // As it is, it would be read as a line feed.
            b'\r' => ("&#13;", 1),
            0xC2 if bytes.get(at + 1) == Some(&0xA0) => ("&nbsp;", 2),
            _ => continue,
        };
        out.write_str(&value[done..at])?;
        out.write_str(escaped)?;
        done = at + len;
    }
    out.write_str(&value[done..])
}

/// Where the first byte is that may have to be escaped. Sixteen at a time are looked at together, since most texts have none.
#[inline]
fn first_to_escape(bytes: &[u8]) -> Option<usize> {
    let may = |&byte: &u8| MAY_ESCAPE[usize::from(byte)];
    let (blocks, rest) = bytes.as_chunks::<16>();
    let is_plain = |block: &&[u8; 16]| {
        let is_any = |wanted: u8| block.iter().fold(false, |any, &byte| any | (byte == wanted));
        !(is_any(b'&') | is_any(b'<') | is_any(b'>') | is_any(b'"') | is_any(b'\r') | is_any(0xC2))
    };
    let plain = 16 * blocks.iter().take_while(is_plain).count();
    match blocks.get(plain / 16) {
        Some(block) => block.iter().position(may),
        None => rest.iter().position(may),
    }
    .map(|at| plain + at)
}

/// Bytes that may not be written as they are; most texts have none of them.
const MAY_ESCAPE: [bool; 256] = {
    let mut may = [false; 256];
    let mut at = 0;
    while at < 256 {
        may[at] = matches!(at as u8, b'&' | b'<' | b'>' | b'"' | b'\r' | 0xC2);
        at += 1;
    }
    may
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xhtml_becomes_html() {
        let source = "<!DOCTYPE html SYSTEM 'x'><h:html xmlns:h='http://www.w3.org/1999/xhtml'><h:p title='&nbsp;&amp;'>a&nbsp;b\
                      <![CDATA[<]]><h:br/><h:a/><svg xmlns='http://www.w3.org/2000/svg'><g/></svg><o:p xmlns:o='urn:o'/></h:p></h:html>";
        let document = crate::parse::xml(source, &Default::default()).unwrap().document;
        assert_eq!(
            html_subtree(document.root()),
            "<html><p title=\"&nbsp;&amp;\">a&nbsp;b&lt;<br><a></a><svg><g></g></svg><o:p></o:p></p></html>"
        );
    }
}
