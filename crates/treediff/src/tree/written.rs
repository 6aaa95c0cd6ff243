//! In which order are attributes written? By the places of their values, which most have in the source.
//!
//! A value that is not what its tag has, because an entity was expanded or white space was collapsed, is kept behind the
//! source, and so are defaults. Where somebody asks for their order, the tags of such attributes are read again, once for all:
//! few documents have any, so that nothing is kept for them while parsing.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Attribute, Document, Format, MAX_TEXT_BYTES, Node, Span, Tag};

impl Attribute<'_> {
    /// A place in the document's text, rising in the order of the tag, defaults behind in the order of their declarations.
    pub(crate) fn written_at(self) -> u32 {
        let value = self.span();
        if value.end() <= self.document().source_len {
            return value.start();
        }
        let places = self.document().places_of_kept.get_or_init(|| places_of_kept(self.document()));
        places.get(&self.index()).copied().unwrap_or(value.start())
    }
}

/// The places of the attributes whose values are not in their tags, by their index.
fn places_of_kept(document: &Document) -> HashMap<u32, u32> {
    let mut places = HashMap::new();
    for element in document.nodes() {
        let kept: Vec<Attribute<'_>> =
            element.attributes().filter(|it| !is_within(it.span(), element.span())).collect();
        if kept.is_empty() {
            continue;
        }
        let names = names_in_tag(element);
        for attribute in kept {
            let name = match document.format() {
                Format::Xml => Cow::Borrowed(attribute.written_name()),
                _ => attribute.qualified_name(),
            };
            let name = spelled(&name, document.format());
            let place = names.get(&name).copied().unwrap_or(behind_all(attribute.span(), document));
            places.insert(attribute.index(), place);
        }
    }
    places
}

fn is_within(value: Span, element: Span) -> bool {
    element.start() < value.start() && value.end() < element.end()
}

/// Where the names in an element's start tag stand, the first of each.
fn names_in_tag(element: Node<'_>) -> HashMap<String, u32> {
    let (document, place) = (element.document(), element.span());
    let written = document.text.get(place.range()).unwrap_or_default();
    let tag = Tag::read(written, 0..written.len(), document.format());
    let names = tag.into_iter().flat_map(|tag| tag.attributes).map(|attribute| attribute.name).rev();
    names.map(|name| (spelled(&written[name.clone()], document.format()), place.start() + name.start as u32)).collect()
}

/// The case of a name does not count in the tags of HTML.
fn spelled(name: &str, format: Format) -> String {
    if format == Format::Html { name.to_ascii_lowercase() } else { name.to_owned() }
}

/// What no tag has is behind all that one has, wherever it is kept.
fn behind_all(value: Span, document: &Document) -> u32 {
    let from_end = document.text.len() - value.start() as usize;
    MAX_TEXT_BYTES.saturating_sub(from_end) as u32
}
