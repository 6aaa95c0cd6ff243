//! Where in its source does a node stand, with all that belongs to it?

use std::ops::Range;

use super::{Format, Kind, Node};

impl Node<'_> {
    /// Where the node stands in the source with its delimiters: a comment from `<!--` to `-->`, a string with its
    /// quotes, a member of an object with its key. `None` where it does not stand there by itself, or not in one of the
    /// usual forms.
    ///
    /// ```
    /// use treediff::parse;
    ///
    /// let document = parse::xml("<a><!--b--></a>", &Default::default())?.document;
    /// let comment = document.root_element().unwrap().first_child().unwrap();
    /// assert_eq!(&document.source()[comment.outer_range().unwrap()], "<!--b-->");
    /// # Ok::<(), parse::ParseError>(())
    /// ```
    pub fn outer_range(self) -> Option<Range<usize>> {
        let range = self.source_range()?;
        let source = self.document().source();
        match self.kind() {
            Kind::Comment => enclosed(source, range, "<!--", "-->"),
            Kind::ProcessingInstruction => instruction(source, range, self.name().local),
            Kind::String => member(self, enclosed(source, range, "\"", "\"")?),
            Kind::Object | Kind::Array | Kind::Number | Kind::Literal => member(self, range),
            // A text of a page may be joined of pieces with markup between them.
            Kind::Text if self.document().format() == Format::Html => (self.span().range() == range).then_some(range),
            Kind::Document | Kind::Element | Kind::Text | Kind::Reference => Some(range),
        }
    }

    /// Where the content of an XML element stands, between its tags; `None` where it has one tag alone.
    pub fn content_range(self) -> Option<Range<usize>> {
        let range = self.source_range().filter(|_| self.is_element())?;
        let element = &self.document().source()[range.clone()];
        let start = start_tag_len(element.as_bytes())?;
        let end = element.rfind("</")?;
        (start <= end).then(|| range.start + start..range.start + end)
    }
}

/// A range with its delimiters, if they are around it.
fn enclosed(source: &str, range: Range<usize>, before: &str, behind: &str) -> Option<Range<usize>> {
    let start = range.start.checked_sub(before.len())?;
    let is_enclosed = source.get(start..range.start) == Some(before) && source[range.end..].starts_with(behind);
    is_enclosed.then(|| start..range.end + behind.len())
}

/// An instruction whose data are at `range`. Deltas may have escapes in its target, which is then not written as it is
/// called, and has neither blanks nor `<`.
fn instruction(source: &str, range: Range<usize>, target: &str) -> Option<Range<usize>> {
    let before = source[..range.start].trim_end_matches(BLANK);
    let named = before.strip_suffix(target).and_then(|before| before.strip_suffix("<?")).map(str::len);
    let escaped = || before.rfind("<?").filter(|&start| !before[start..].contains(BLANK));
    let start = named.or_else(escaped)?;
    source[range.end..].starts_with("?>").then(|| start..range.end + "?>".len())
}

const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// A value of JSON with its key, where it is a member.
fn member(node: Node<'_>, value: Range<usize>) -> Option<Range<usize>> {
    if node.parent().is_none_or(|parent| parent.kind() != Kind::Object) {
        return Some(value);
    }
    let before = node.document().source()[..value.start].trim_end_matches(BLANK).strip_suffix(':')?;
    let inner = before.trim_end_matches(BLANK).strip_suffix('"')?;
    string_start(inner).map(|start| start..value.end)
}

/// The place of the quote that a string begins with of which `before` ends with the characters.
fn string_start(before: &str) -> Option<usize> {
    let mut rest = before;
    loop {
        let quote = rest.rfind('"')?;
        let written = &rest[..quote];
        let escapes = written.len() - written.trim_end_matches('\\').len();
        if escapes.is_multiple_of(2) {
            return Some(quote);
        }
        rest = written;
    }
}

/// The length of the start tag that an element begins with, to its `>` outside of quotes; `None` where that ends it.
fn start_tag_len(element: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        at += memchr::memchr3(b'"', b'\'', b'>', element.get(at..)?)?;
        match element[at] {
            b'>' if element[at - 1] == b'/' => return None,
            b'>' => return Some(at + 1),
            quote => at += memchr::memchr(quote, &element[at + 1..])? + 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse;
    use crate::tree::{Document, Format};

    fn check(format: Format, source: &str, expected: &[&str]) {
        let document: Document = parse::parse(source, format, &Default::default()).unwrap().document;
        let found: Vec<&str> =
            document.nodes().skip(1).map(|node| node.outer_range().map_or("-", |range| &source[range])).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn delimiters_belong_to_their_node() {
        check(
            Format::Xml,
            "<a><!--b-->t<?p q ?><?r?></a>",
            &["<a><!--b-->t<?p q ?><?r?></a>", "<!--b-->", "t", "<?p q ?>", "<?r?>"],
        );
        check(Format::Xml, "<a>x<![CDATA[y]]></a>", &["<a>x<![CDATA[y]]></a>", "x<![CDATA[y]]>"]);
        check(
            Format::Json,
            r#"{"a\"": "b", "c" :[1]}"#,
            &[r#"{"a\"": "b", "c" :[1]}"#, r#""a\"": "b""#, r#""c" :[1]"#, "1"],
        );
    }

    #[test]
    fn content_is_between_the_tags() {
        let check = |source: &str, expected: Option<&str>| {
            let document = parse::xml(source, &Default::default()).unwrap().document;
            let content = document.root_element().unwrap().content_range().map(|range| &source[range]);
            assert_eq!(content, expected, "{source}");
        };
        check("<a b='>' c=\"/>\">x</a >", Some("x"));
        check("<a></a>", Some(""));
        check("<a b='/>'/>", None);
    }
}
