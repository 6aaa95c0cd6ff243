//! What changed behind its address? Checksums of what pages refer to, and the addresses that an element has.

use std::collections::HashMap;

use crate::tree::Node;

/// Checksums of what a page refers to, by address, on both sides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entities {
    /// Of the version before.
    pub before: HashMap<String, String>,
    /// Of the version after.
    pub after: HashMap<String, String>,
}

impl Entities {
    /// What an element refers to, as it is written: where it has what is seen of it from, and what it leads to.
    ///
    /// ```
    /// use treediff::{parse, text::Entities};
    ///
    /// let page = parse::html("<a href=/menu><img srcset='cup.png, cup2.png 2x'></a>", &Default::default())?.document;
    /// let elements = page.nodes().filter(|node| node.is_element());
    /// assert_eq!(elements.flat_map(Entities::addresses_of).collect::<Vec<_>>(), ["/menu", "cup.png", "cup2.png"]);
    /// # Ok::<(), parse::ParseError>(())
    /// ```
    pub fn addresses_of(element: Node<'_>) -> Vec<String> {
        let mut addresses = Vec::new();
        for attribute in element.attributes() {
            let value = attribute.value();
            match attribute.name().local {
                "href" if matches!(element.name().local, "a" | "area" | "link") => {
                    addresses.push(value.trim().to_owned())
                }
                "src" | "data" | "poster" | "background" => addresses.push(value.trim().to_owned()),
                "srcset" => addresses.extend(of_choice(&value).map(str::to_owned)),
                "style" => addresses.extend(of_style(&value).map(str::to_owned)),
                _ => {}
            }
        }
        addresses
    }

    /// Whether there is nothing to compare.
    pub(super) fn are_none(&self) -> bool {
        self.before.is_empty() || self.after.is_empty()
    }

    /// The addresses of an element where something else is now.
    pub(super) fn changed_of(&self, element: Node<'_>) -> impl Iterator<Item = String> {
        Entities::addresses_of(element).into_iter().filter(|address| self.changed(address))
    }

    /// Whether what is at the address is another now.
    pub(super) fn changed(&self, address: &str) -> bool {
        match (self.before.get(address), self.after.get(address)) {
            (Some(before), Some(after)) => before != after,
            _ => false,
        }
    }
}

/// The addresses of a `srcset`, which may have commas in them, and a comma behind the description of each.
fn of_choice(images: &str) -> impl Iterator<Item = &str> {
    let mut rest = images;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|first: char| first == ',' || first.is_ascii_whitespace());
        let (image, behind) = rest.split_at(rest.find(|end: char| end.is_ascii_whitespace()).unwrap_or(rest.len()));
        let address = image.trim_end_matches(',');
        let is_described = address.len() == image.len();
        rest = if is_described { behind.split_once(',').map_or("", |(_, next)| next) } else { behind };
        (!address.is_empty()).then_some(address)
    })
}

/// What is between the brackets of every `url(…)`; nothing is looked at twice, however many brackets are open.
fn of_style(style: &str) -> impl Iterator<Item = &str> {
    let mut rest = style;
    std::iter::from_fn(move || {
        let at = rest.as_bytes().windows(4).position(|name| name.eq_ignore_ascii_case(b"url("))?;
        let (address, behind) = rest[at + 4..].split_once(')')?;
        rest = behind;
        Some(address.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_choices_and_styles() {
        let of = |images| of_choice(images).collect::<Vec<_>>();
        assert_eq!(of("a.png"), ["a.png"]);
        assert_eq!(of(" a.png 1x, b.png 2x ,c,d.png,"), ["a.png", "b.png", "c,d.png"]);
        assert_eq!(of("a.png, b.png 200w"), ["a.png", "b.png"]);
        assert_eq!(of(" , "), [""; 0]);
        let of = |style| of_style(style).collect::<Vec<_>>();
        assert_eq!(of("color:red; background: URL( 'a.png' ) , url(b.png)"), ["a.png", "b.png"]);
        assert_eq!(of("background:url(a.png"), [""; 0]);
    }
}
