//! Where do the references of a page lead to? As far as somebody knows where the page is; else they are what is written.

use std::borrow::Cow;
use std::fmt;

/// Where the references of a page lead to: whole addresses, where they are known.
///
/// ```
/// use treediff::{parse, render::html, text::Addresses};
///
/// let page = parse::html("<base href=https://example.org/news/><a href=tea>", &Default::default())?.document;
/// let resolve = html::addresses(&page, None);
/// assert_eq!(Addresses::new(&resolve).of("tea"), "https://example.org/news/tea");
/// assert_eq!(Addresses::default().of("tea"), "tea");
/// # Ok::<(), treediff::parse::ParseError>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Addresses<'d>(Option<Resolve<'d>>);

type Resolve<'d> = &'d (dyn Fn(&str) -> Option<String> + Sync);

impl fmt::Debug for Addresses<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Addresses").field("are_known", &self.0.is_some()).finish()
    }
}

impl<'d> Addresses<'d> {
    /// Those that are found so; `None` for what leads to no place that is known.
    pub fn new(resolve: Resolve<'d>) -> Self {
        Addresses(Some(resolve))
    }

    /// Where a reference leads to, or the reference where nobody knows.
    pub fn of(self, reference: &str) -> Cow<'_, str> {
        let reference = reference.trim();
        let known = self.0.filter(|_| !reference.is_empty()).and_then(|resolve| resolve(reference));
        known.map_or(Cow::Borrowed(reference), Cow::Owned)
    }

    /// The value of an attribute with whole addresses in it, if it has any.
    pub(in super::super) fn of_attribute<'v>(self, name: &str, value: &'v str) -> Cow<'v, str> {
        match name {
            "src" | "data" | "poster" | "href" | "action" | "formaction" | "cite" => self.of_value(value),
            "srcset" => Cow::Owned(self.of_choice(value)),
            _ => Cow::Borrowed(value.trim()),
        }
    }

    fn of_value<'v>(self, value: &'v str) -> Cow<'v, str> {
        match self.of(value) {
            Cow::Owned(known) => Cow::Owned(known),
            Cow::Borrowed(_) => Cow::Borrowed(value.trim()),
        }
    }

    /// A `srcset`: an address is what comes first, and what follows a comma and a space.
    fn of_choice(self, images: &str) -> String {
        let mut is_address = true;
        let words = images.split_ascii_whitespace().map(|word| {
            let address = word.trim_end_matches(',');
            let whole = if is_address { self.of(address) } else { Cow::Borrowed(address) };
            is_address = address.len() < word.len();
            [&whole, &word[address.len()..]].concat()
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// Whether two values of an attribute say the same, each on its side: they are written alike, or lead to the same place.
pub fn are_alike(sides: [Addresses<'_>; 2], name: &str, values: [&str; 2]) -> bool {
    let [from, to] = values.map(str::trim);
    from == to || sides[0].of_attribute(name, from) == sides[1].of_attribute(name, to)
}
