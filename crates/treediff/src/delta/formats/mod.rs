//! How do others write what changed? A delta in the formats of other programs, and for people.
//!
//! Every writer has one shape: the delta, the two documents it lies between, and where to write. They read the
//! documents for what other formats say and ours does not: paths, the order of siblings, what did not change.

mod annotated;
mod attributes;
mod error;
mod json;
pub mod json_patch;
mod kind;
mod markup;
mod ordered;
pub mod original;
mod paths;
#[cfg(test)]
pub(super) mod sample;
mod sequence;
mod summary;
mod versions;
mod xdl;
pub mod xml_patch;
mod xupdate;

pub use annotated::{annotated, annotated_changes};
pub use error::FormatError;
pub use json::json;
pub use kind::Kind;
pub use summary::summary;
pub use xdl::xdl;
pub use xupdate::xupdate;

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::delta::{Delta, Options};
    use crate::parse::Whitespace;
    use crate::{matching, parse};

    /// Names, comments and characters that HTML has and XML has not.
    #[test]
    fn pages_are_written_as_xml() {
        let before = "<!--a--b--><p @click=x a:b=1 xmlns=q>one\u{c}two<x:y>1</x:y><svg xlink:href=r><a/></svg>";
        let after = "<!--a--c--><p @click=y c\"=2>one\u{c}<x:y>2</x:y><?z?><svg xlink:href=s></svg>";
        let [before, after] =
            [before, after].map(|source| Arc::new(parse::html(source, &Default::default()).unwrap().document));
        let matching = matching::xydiff(&before, &after, &Default::default());
        let delta = Delta::between(&before, &after, &matching, &Options::default()).unwrap();
        let mut all = [const { String::new() }; 4];
        let [one, two, three, four] = &mut all;
        xupdate(&delta, &before, &after, one).unwrap();
        xdl(&delta, &before, &after, two).unwrap();
        annotated(&delta, &before, &after, three).unwrap();
        annotated_changes(&delta, &before, &after, four).unwrap();
        for written in all {
            sample::read(&written, Whitespace::Exact);
            assert!(written.contains("_x0040_click"), "{written}");
        }
        let mut told = String::new();
        summary(&delta, &before, &after, &mut told).unwrap();
        assert!(told.contains("updated /comment(): \"a--b\" → \"a--c\""), "{told}");
    }
}
