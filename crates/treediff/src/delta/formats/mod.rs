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
    use crate::tree::Document;
    use crate::{matching, parse};

    type Written = fn(&Delta, &Document, &Document, &mut String) -> Result<(), FormatError>;

    /// The writers of XML that others read.
    const WRITERS: [(&str, Written); 4] =
        [("xupdate", xupdate), ("xdl", xdl), ("annotated", annotated), ("annotated_changes", annotated_changes)];

    fn pages(before: &str, after: &str) -> (Delta, Arc<Document>, Arc<Document>) {
        let [before, after] =
            [before, after].map(|source| Arc::new(parse::html(source, &Default::default()).unwrap().document));
        let matching = matching::xydiff(&before, &after, &Default::default());
        let delta = Delta::between(&before, &after, &matching, &Options::default()).unwrap();
        (delta, before, after)
    }

    #[test]
    fn the_words_of_a_format_are_not_escaped() {
        let (delta, before, after) = pages("<p>one", "<p>two");
        let mut written = String::new();
        xdl(&delta, &before, &after, &mut written).unwrap();
        assert!(written.starts_with("<xd:xmldiff "), "{written}");
        assert!(written.ends_with("</xd:xmldiff>\n"), "{written}");
    }

    /// Nothing may be declared to be in the namespace of declarations, nor be named as one.
    #[test]
    fn declarations_of_pages_are_attributes() {
        let link = "xmlns:xlink=\"http://www.w3.org/1999/xlink\"";
        for (before, after) in [
            (format!("<p>one<svg {link}><a/></svg>"), format!("<p>two<svg {link}><a/></svg>")),
            (format!("<p>one<svg {link}><a/></svg>"), "<p>one<svg><a/></svg>".to_owned()),
            ("<p>one<svg><a/></svg>".to_owned(), format!("<p>one<svg {link}><a/></svg>")),
            ("<p>one".to_owned(), format!("<p>one<svg {link}><a/></svg>")),
        ] {
            let (delta, before, after) = pages(&before, &after);
            for (name, write) in WRITERS {
                let mut written = String::new();
                write(&delta, &before, &after, &mut written).unwrap();
                sample::read(&written, Whitespace::Exact);
                assert!(!written.contains("http://www.w3.org/2000/xmlns/"), "{name}: {written}");
                assert!(!written.contains("@xmlns"), "{name}: {written}");
                assert_eq!(written.contains("xlink"), written.contains("_x0020_xlink"), "{name}: {written}");
            }
        }
    }

    /// A reference that is written is declared, by its name, which is all that is known of it.
    #[test]
    fn references_are_declared() {
        let (delta, before, after) = sample::compared(
            "<!DOCTYPE r SYSTEM \"x.dtd\"><r><a/></r>",
            "<!DOCTYPE r SYSTEM \"x.dtd\"><r><a/><b>x&bar;y</b></r>",
            Whitespace::Layout,
        );
        for (name, write) in WRITERS {
            let mut written = String::new();
            write(&delta, &before, &after, &mut written).unwrap();
            sample::read(&written, Whitespace::Exact);
            let declared = written.contains("[<!ENTITY bar SYSTEM \"bar\">]>\n");
            assert_eq!(written.contains("&bar;"), declared, "{name}: {written}");
            assert!(written.contains("bar"), "{name}: {written}");
        }
    }

    #[test]
    fn another_document_type_is_refused_where_it_cannot_be_told() {
        for (before, after) in
            [("<r/>", "<!DOCTYPE r><r/>"), ("<!DOCTYPE r><r/>", "<!DOCTYPE r SYSTEM 'x'><r><a/></r>")]
        {
            let (delta, before, after) = sample::compared(before, after, Whitespace::Layout);
            for (name, write) in WRITERS {
                let mut written = String::new();
                let outcome = write(&delta, &before, &after, &mut written);
                // People read it, and the rest is worth something to them.
                if name.starts_with("annotated") {
                    assert!(outcome.is_ok() && !written.contains("DOCTYPE"), "{name}: {written}");
                    continue;
                }
                let error = outcome.unwrap_err().to_string();
                let expected = "cannot say that the document type declaration changed: `xydelta` and `json` can";
                assert!(error.ends_with(expected), "{name}: {error}");
            }
        }
    }

    /// What a comparison fell back on is told wherever the format has a place for it, and nothing is where it did not.
    #[test]
    fn fallbacks_are_told() {
        let (mut delta, before, after) = sample::compared("<r><a/>1</r>", "<r>2</r>", Whitespace::Layout);
        let all: [(&str, Written, &str); 7] = [
            (
                "xupdate",
                xupdate,
                "<!-- compared with fallbacks: children-in-order key-absent -->\n<xupdate:modifications",
            ),
            ("xdl", xdl, "<!-- compared with fallbacks: children-in-order key-absent -->\n<xd:xmldiff"),
            ("annotated", annotated, " deltaxml:fallbacks=\"children-in-order key-absent\""),
            ("annotated_changes", annotated_changes, " deltaxml:fallbacks=\"children-in-order key-absent\""),
            ("json", json, "\"fallbacks\":[\"children-in-order\",\"key-absent\"],\"operations\":["),
            ("summary", summary, "\"2\"\ncompared with fallbacks: children-in-order key-absent\n"),
            (
                "xml_patch",
                |delta, before, after, out| {
                    out.push_str(&xml_patch::write(delta, before, after)?);
                    Ok(())
                },
                "?>\n<!-- compared with fallbacks: children-in-order key-absent -->\n<diff>",
            ),
        ];
        for (name, write, expected) in all {
            let mut written = [String::new(), String::new()];
            for (out, names) in written.iter_mut().zip(["", "children-in-order key-absent"]) {
                delta.fallbacks = crate::matching::Fallbacks::named(names);
                write(&delta, &before, &after, out).unwrap();
            }
            assert!(!written[0].contains("fallbacks"), "{name}: {}", written[0]);
            assert!(written[1].contains(expected), "{name}: {}", written[1]);
        }
        let patch = xml_patch::write(&delta, &before, &after).unwrap();
        assert_eq!(xml_patch::apply(patch.as_bytes(), &before, &Default::default()).unwrap(), b"<r>2</r>");
    }

    /// Names, comments and characters that HTML has and XML has not.
    #[test]
    fn pages_are_written_as_xml() {
        let before = "<!--a--b--><p @click=x a:b=1 xmlns=q>one\u{c}two<x:y>1</x:y><svg xlink:href=r><a/></svg>";
        let after = "<!--a--c--><p @click=y c\"=2>one\u{c}<x:y>2</x:y><?z?><svg xlink:href=s></svg>";
        let (delta, before, after) = pages(before, after);
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
