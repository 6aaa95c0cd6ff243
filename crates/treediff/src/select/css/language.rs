//! Which language is an element in? That of the nearest `lang`, matched as RFC 4647 matches extended ranges.

use super::super::SelectError;
use super::matching::Matcher;
use crate::tree::{Attribute, Format, HTML_NAMESPACE, Node, NodeId, XML_NAMESPACE};

impl Matcher<'_> {
    /// Whether the language that holds for a node is in one of the ranges; it is in none where none is stated.
    pub(super) fn is_in_language(&self, node: u32, ranges: &[String]) -> Result<bool, SelectError> {
        let Some(stated) = self.languages()?[node as usize].checked_sub(1) else { return Ok(false) };
        let tag = self.document.attribute(stated).value();
        for range in ranges {
            self.tree.meter.charge_bytes(tag.len() + range.len())?;
            if matches(&tag, range) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// For every node one more than the place of the attribute that states its language, 0 where there is none.
    fn languages(&self) -> Result<&Vec<u32>, SelectError> {
        if let Some(languages) = self.languages.get() {
            return Ok(languages);
        }
        self.tree.meter.charge(self.tree.labels.len())?;
        let mut languages = vec![0; self.tree.labels.len()];
        for node in self.document.nodes() {
            let at = node.id().index();
            let inherited = languages[self.tree.parents[at] as usize];
            languages[at] = stated(self.document.node(NodeId(at as u32))).map_or(inherited, |own| own.index() + 1);
        }
        Ok(self.languages.get_or_init(|| languages))
    }
}

fn stated(node: Node<'_>) -> Option<Attribute<'_>> {
    let heeds_lang = node.document().format() == Format::Html || node.name().namespace == HTML_NAMESPACE;
    let has = |namespace: &str| {
        node.attributes().find(|attribute| attribute.name().local == "lang" && attribute.name().namespace == namespace)
    };
    has(XML_NAMESPACE).or_else(|| if heeds_lang { has("") } else { None })
}

/// Extended filtering, with the range open at its end.
fn matches(tag: &str, range: &str) -> bool {
    let (tag, range) = (tag.to_ascii_lowercase(), range.to_ascii_lowercase());
    if tag.is_empty() || range.is_empty() {
        return tag == range;
    }
    let mut subtags = tag.split('-');
    let mut wanted = range.split('-');
    let (first, first_wanted) = (subtags.next(), wanted.next());
    if first_wanted != Some("*") && first != first_wanted {
        return false;
    }
    for wanted in wanted.filter(|&wanted| wanted != "*") {
        loop {
            match subtags.next() {
                Some(subtag) if subtag == wanted => break,
                // A subtag of one character starts an extension, which is not skipped.
                Some(subtag) if subtag.len() > 1 => {}
                _ => return false,
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn ranges_match_as_rfc_4647_says() {
        for (tag, range) in [
            ("de", "de"),
            ("de-CH", "DE"),
            ("de-Latn-DE", "de-DE"),
            ("de-Latn-DE-1996", "de-*-DE"),
            ("fr-CH", "*-CH"),
            ("", ""),
        ] {
            assert!(matches(tag, range), "{tag} in {range}");
        }
        for (tag, range) in [("de", "de-CH"), ("den", "de"), ("de-x-DE", "de-DE"), ("", "de"), ("de", ""), ("", "*")] {
            assert!(!matches(tag, range), "{tag} not in {range}");
        }
    }
}
