//! How are documents of every size made of one? By leaving out the last children of its root.

use anyhow::{Context, Result};
use treediff::tree::Document;

/// How many children of the root make a piece of about so many bytes: the fewest that are enough, or all.
pub fn children_for(document: &Document, bytes: usize) -> usize {
    let root = document.root_element();
    let ends =
        root.iter().flat_map(|root| root.children()).map(|child| child.outer_range().map_or(0, |range| range.end));
    let mut count = 0;
    for end in ends {
        count += 1;
        if end >= bytes {
            break;
        }
    }
    count
}

/// The source with so many of the root's children.
pub fn with_children(document: &Document, count: usize) -> Result<String> {
    let source = document.source();
    let root = document.root_element().context("a document without a root element")?;
    let Some(first_left_out) = root.children().nth(count) else { return Ok(source.to_owned()) };
    let start = first_left_out.outer_range().context("a child that is not in the source")?.start;
    let end_tag = root.content_range().context("a root without an end tag")?.end;
    Ok([source[..start].trim_end(), "\n", &source[end_tag..]].concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use treediff::parse;

    #[test]
    fn pieces_are_well_formed_and_have_the_first_children() {
        let source = "<?xml version='1.0'?>\n<r a='1'>\n<x>1</x>\n<x>2</x><!-- 3 -->\n<x>4</x>\n</r>\n";
        let document = parse::xml(source, &Default::default()).expect("well-formed").document;
        for count in 1..5 {
            let piece = with_children(&document, count).expect("a piece");
            let parsed = parse::xml(piece, &Default::default()).expect("well-formed").document;
            assert_eq!(parsed.root_element().map(|root| root.children().count()), Some(count.min(4)));
        }
        assert_eq!(children_for(&document, 45), 2);
        assert_eq!(children_for(&document, 10_000), 4);
    }
}
