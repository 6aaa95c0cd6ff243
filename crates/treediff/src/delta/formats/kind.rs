//! Which format is a delta written in? Its first bytes tell.

use crate::delta::Delta;
use crate::delta::xydelta::{NAMESPACE, first_tag};
use crate::parse::{self, Options};

/// The formats of deltas that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Ours, [`crate::delta::Delta::read`].
    Xydelta,
    /// Ours in few bytes, [`crate::delta::Delta::from_binary`].
    Binary,
    /// One of the original XyDiff.
    Original,
    /// An XML patch of RFC 5261: its root may have any name, but is told by `diff` or `patch`.
    XmlPatch,
    /// A JSON patch of RFC 6902.
    JsonPatch,
}

impl Kind {
    /// The format that something seems to be in, `None` where it is none of them.
    ///
    /// ```
    /// use treediff::delta::formats::Kind;
    ///
    /// assert_eq!(Kind::of(b"<?xml version='1.0'?><unit_delta>"), Some(Kind::Original));
    /// assert_eq!(Kind::of(b" [{\"op\": "), Some(Kind::JsonPatch));
    /// assert_eq!(Kind::of(b"--- a\n+++ b"), None);
    /// ```
    pub fn of(source: &[u8]) -> Option<Kind> {
        if Delta::is_binary(source) {
            return Some(Kind::Binary);
        }
        let source = source.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(source).trim_ascii_start();
        match source.first()? {
            // An object is no patch, but nothing else could tell more of it than a reader of JSON.
            b'[' | b'{' => Some(Kind::JsonPatch),
            b'<' => Kind::of_root(source),
            _ => None,
        }
    }

    fn of_root(source: &[u8]) -> Option<Kind> {
        let tag = first_tag(source)?;
        let document = parse::xml(tag, &Options { recover: true, ..Options::default() }).ok()?.document;
        let root = document.root_element()?;
        match (root.name().namespace, root.name().local) {
            (NAMESPACE, _) | (_, "xydelta") => Some(Kind::Xydelta),
            (_, "unit_delta" | "t") => Some(Kind::Original),
            (_, "diff" | "patch") => Some(Kind::XmlPatch),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_so_is_a_patch() {
        for (source, expected) in [
            ("<diff/>", Some(Kind::XmlPatch)),
            ("<diff xmlns='u'><remove sel='/r/a'/></diff>", Some(Kind::XmlPatch)),
            ("<p:patch xmlns:p='urn:ietf:params:xml:ns:pidf-diff'>", Some(Kind::XmlPatch)),
            ("<foo/>", None),
            ("<zoo><remove sel='/r/a'/></zoo>", None),
            ("<xydelta/>", Some(Kind::Xydelta)),
            ("<t>", Some(Kind::Original)),
            ("{}", Some(Kind::JsonPatch)),
            ("\"a\"", None),
        ] {
            assert_eq!(Kind::of(source.as_bytes()), expected, "{source}");
        }
    }

    #[test]
    fn what_stands_before_the_root_does_not_matter() {
        for before in ["", "<!-- it's -->", "<?p it's ?>", "<!DOCTYPE d [<!-- it's --><?p it's ?>]>"] {
            for (root, expected) in
                [("<diff>", Kind::XmlPatch), ("<unit_delta a='>'>", Kind::Original), ("<xydelta/>", Kind::Xydelta)]
            {
                let source = format!("{before}{root}<add sel='d'>it's</add>");
                assert_eq!(Kind::of(source.as_bytes()), Some(expected), "{source}");
            }
        }
    }
}
