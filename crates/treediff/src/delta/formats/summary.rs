//! What changed, in a few words? Counts by kind, and a line for every change that names its place.

mod values;

use std::fmt::{self, Write};

use super::FormatError;
use super::paths::Paths;
use super::versions::Versions;
use crate::delta::{AttributeChange, AttributeName, Delta, DeltaStats, Fragment, Operation};
use crate::tree::{Document, Node};
use crate::write::printable;
use values::{Quoted, preview, updated};

/// Writes a delta for people: how many changes of each kind, then a line for each, by kind and in document order.
///
/// Paths of XML and HTML are those of XPath, counted among siblings of one name and only where there are more than
/// one; paths of JSON are JSON pointers, and its values as JSON writes them. Long values and deep paths are shortened. The
/// last line has the fallbacks of the comparison, if there were any.
pub fn summary(delta: &Delta, before: &Document, after: &Document, out: &mut impl Write) -> Result<(), FormatError> {
    if delta.is_empty() {
        return Ok(writeln!(out, "no changes")?);
    }
    let versions = Versions::new(delta, before, after)?;
    let mut changes = Vec::with_capacity(delta.operations().len());
    for operation in delta.operations() {
        changes.push(Change::new(operation, &versions)?);
    }
    changes.sort_by_key(Change::order);
    let paths_before = Paths::to(changes.iter().flat_map(Change::told_before), before);
    let paths_after = Paths::to(changes.iter().flat_map(Change::told_after), after);
    counts(&delta.stats(), out)?;
    for change in &changes {
        change.write(&paths_before, &paths_after, out)?;
    }
    Ok(delta.fallbacks().told().map_or(Ok(()), |told| writeln!(out, "{told}"))?)
}

/// An operation with the nodes it is about.
struct Change<'d> {
    operation: &'d Operation,
    /// Set where the change is told by a path in the version before.
    before: Option<Node<'d>>,
    /// Set where the change is told by a path in the version after.
    after: Option<Node<'d>>,
    /// Set where something moved whose path and position may be what they were.
    landmarks: Option<Landmarks<'d>>,
}

/// The nodes that tell a move's two places apart: siblings before it, or parents.
struct Landmarks<'d> {
    relation: &'static str,
    from: Option<Node<'d>>,
    /// In the version before: there no two nodes have one path.
    to: Option<Node<'d>>,
    /// In the version after, where it was not there before.
    to_new: Option<Node<'d>>,
}

impl<'d> Landmarks<'d> {
    fn new(before: Node<'d>, after: Node<'d>, is_same_parent: bool, versions: &Versions<'d>) -> Self {
        let (relation, from, now) = match is_same_parent {
            true => ("behind", before.previous_sibling(), after.previous_sibling()),
            false => ("under", before.parent(), after.parent()),
        };
        let to = now.and_then(|node| versions.before_of(node));
        Landmarks { relation, from, to, to_new: now.filter(|_| to.is_none()) }
    }

    fn write(&self, path: &str, before: &Paths<'d>, after: &Paths<'d>, out: &mut impl Write) -> fmt::Result {
        let relation = self.relation;
        if self.from == self.to && self.to_new.is_none() {
            return writeln!(out, "moved {path}: among siblings that moved as well");
        }
        let from = self.from.map(|node| format!("{relation} {}", before.path(node)));
        let to = self.to.map(|node| format!("{relation} what was {}", before.path(node)));
        let to = to.or_else(|| self.to_new.map(|node| format!("{relation} the new {}", after.path(node))));
        let [from, to] = [from, to].map(|place| place.unwrap_or_else(|| "the beginning".to_owned()));
        writeln!(out, "moved {path}: from {from} to {to}")
    }
}

impl<'d> Change<'d> {
    fn new(operation: &'d Operation, versions: &Versions<'d>) -> Result<Self, FormatError> {
        let xid = operation.node();
        let (was, is) = match operation {
            Operation::Delete { .. } => (true, false),
            Operation::Move { .. } => (true, true),
            _ => (false, true),
        };
        let before = was.then(|| versions.before.node(xid)).transpose()?;
        let after = is.then(|| versions.after.node(xid)).transpose()?;
        let landmarks = match (operation, before, after) {
            (Operation::Move { from, to, .. }, Some(before), Some(after))
                if from.parent != to.parent || from.position == to.position =>
            {
                Some(Landmarks::new(before, after, from.parent == to.parent, versions))
            }
            _ => None,
        };
        Ok(Change { operation, before, after, landmarks })
    }

    /// The nodes whose paths in the version before are told.
    fn told_before(&self) -> impl Iterator<Item = Node<'d>> + use<'d> {
        let [from, to] = self.landmarks.as_ref().map_or([None; 2], |landmarks| [landmarks.from, landmarks.to]);
        [self.before, from, to].into_iter().flatten()
    }

    /// The nodes whose paths in the version after are told.
    fn told_after(&self) -> impl Iterator<Item = Node<'d>> + use<'d> {
        let new = self.landmarks.as_ref().and_then(|landmarks| landmarks.to_new);
        [self.after, new].into_iter().flatten()
    }

    /// By kind, then in document order.
    fn order(&self) -> (u8, u32) {
        let rank = match self.operation {
            Operation::Doctype { .. } => 0,
            Operation::Delete { .. } => 1,
            Operation::Insert { .. } => 2,
            Operation::Move { .. } => 3,
            Operation::Update { .. } => 4,
            Operation::Attribute { .. } => 5,
        };
        (rank, self.before.or(self.after).map_or(0, |node| node.id().0))
    }

    fn write(&self, before: &Paths<'d>, after: &Paths<'d>, out: &mut impl Write) -> fmt::Result {
        let [was, is] = [self.before.map(|node| before.path(node)), self.after.map(|node| after.path(node))]
            .map(Option::unwrap_or_default);
        match self.operation {
            Operation::Delete { content, .. } => write_content(out, "deleted", &was, content),
            Operation::Insert { content, .. } => write_content(out, "inserted", &is, content),
            Operation::Move { from, to, .. } if was == is => match &self.landmarks {
                Some(landmarks) => landmarks.write(&was, before, after, out),
                None => writeln!(out, "moved {was}: from position {} to {}", from.position + 1, to.position + 1),
            },
            Operation::Move { .. } => writeln!(out, "moved {was} → {is}"),
            Operation::Update { before, after, .. } => {
                let [before, after] = [before, after].map(|value| updated(self.after.map(Node::kind), value));
                writeln!(out, "updated {is}: {before} → {after}")
            }
            Operation::Attribute { name, change, .. } => write_attribute(out, &is, name, change),
            Operation::Doctype { before, after } => {
                let [before, after] = [before, after].map(|doctype| doctype.as_deref().unwrap_or_default());
                writeln!(out, "updated the document type: {} → {}", Quoted(before), Quoted(after))
            }
        }
    }
}

fn counts(stats: &DeltaStats, out: &mut impl Write) -> fmt::Result {
    let kinds = [
        (stats.deleted_subtrees, "deleted"),
        (stats.inserted_subtrees, "inserted"),
        (stats.moved_subtrees, "moved"),
        (stats.updated, "updated"),
        (stats.attributes, if stats.attributes == 1 { "attribute" } else { "attributes" }),
    ];
    let operations = stats.operations();
    write!(out, "{operations} change{}:", if operations == 1 { "" } else { "s" })?;
    for (at, (count, kind)) in kinds.into_iter().filter(|(count, _)| *count > 0).enumerate() {
        write!(out, "{} {count} {kind}", if at == 0 { "" } else { "," })?;
    }
    writeln!(out, "; edit cost {}", stats.edit_cost())
}

fn write_content(out: &mut impl Write, verb: &str, path: &str, content: &Fragment) -> fmt::Result {
    write!(out, "{verb} {path}")?;
    match content.size() {
        1 => {}
        nodes => write!(out, " ({nodes} nodes)")?,
    }
    if let Some(preview) = preview(content) {
        write!(out, ": {preview}")?;
    }
    writeln!(out)
}

fn write_attribute(out: &mut impl Write, path: &str, name: &AttributeName, change: &AttributeChange) -> fmt::Result {
    let colon = if name.prefix.is_empty() { "" } else { ":" };
    let name = printable(&format!("{}{colon}{}", name.prefix, name.local));
    let path = format_args!("{path}/@{name}");
    match change {
        AttributeChange::Insert(value) => writeln!(out, "inserted {path}: {}", Quoted(value)),
        AttributeChange::Delete(value) => writeln!(out, "deleted {path}: {}", Quoted(value)),
        AttributeChange::Modify { before, after } => {
            writeln!(out, "updated {path}: {} → {}", Quoted(before), Quoted(after))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::delta::formats::sample::{catalogue, compared, random_delta};
    use crate::matching;
    use crate::parse::{self, Whitespace};
    use crate::tree::Format;

    #[test]
    fn a_line_for_every_change() {
        let (delta, before, after) = catalogue();
        let mut written = String::new();
        summary(&delta, &before, &after, &mut written).unwrap();
        let expected = [
            "8 changes: 1 deleted, 1 inserted, 1 moved, 2 updated, 3 attributes; edit cost 13",
            "updated the document type: \"\" → \"<!DOCTYPE list>\"",
            "deleted /list/product[2] (5 nodes): \"lens$49\"",
            "inserted /list/product/stock (2 nodes): \"7\"",
            "moved /list/note: from position 3 to 1",
            "updated /list/product/price: \"$799\" → \"\\\"$699\\\"\"",
            "deleted /list/@xml:lang: \"en\"",
            "inserted /list/product/@class: \"hot\"",
            "updated /list/product/@href: \"a\" → \"b\"",
        ];
        assert_eq!(written.lines().collect::<Vec<_>>(), expected);
    }

    #[track_caller]
    fn check_moves(before: &str, after: &str, expected: &[&str]) {
        let (delta, before, after) = compared(before, after, Whitespace::Layout);
        let mut written = String::new();
        summary(&delta, &before, &after, &mut written).unwrap();
        let moves: Vec<&str> = written.lines().filter(|line| line.starts_with("moved")).collect();
        assert_eq!(moves, expected, "{written}");
    }

    /// Its siblings went past it.
    #[test]
    fn what_moved_is_never_told_to_be_where_it_was() {
        check_moves(
            "<r><a>one</a><c>a second text</c><b><x/><y/><z/>the longest of all of them</b></r>",
            "<r><b><x/><y/><z/>the longest of all of them</b><c>a second text</c><a>one</a></r>",
            &["moved /r/a: from position 1 to 3", "moved /r/c: from behind /r/a to behind what was /r/b"],
        );
    }

    proptest! {
        #[test]
        fn a_move_has_two_ends((delta, before, after) in random_delta()) {
            let mut written = String::new();
            summary(&delta, &before, &after, &mut written).unwrap();
            for line in written.lines().filter(|line| line.starts_with("moved ")) {
                let Some((_, places)) = line.split_once(": from ") else { continue };
                let (from, to) = places.split_once(" to ").unwrap();
                prop_assert_ne!(from.trim_start_matches("position "), to.replace("what was ", ""), "{}", line);
            }
        }
    }

    #[test]
    fn another_document_is_refused() {
        let (delta, before, _) = catalogue();
        let error = summary(&delta, &before, &before, &mut String::new()).unwrap_err();
        let expected = "the document after is not the one that the delta speaks of";
        assert_eq!(error.to_string(), expected);
    }

    #[track_caller]
    fn check_paths(source: &str, format: Format, expected: &[&str]) {
        let document = parse::parse(source, format, &Default::default()).unwrap().document;
        let paths = Paths::to(document.nodes(), &document);
        assert_eq!(document.nodes().skip(1).map(|node| paths.path(node)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn paths_say_no_more_than_needed() {
        check_paths(
            "<?a b?><p:r xmlns:p='u'><e/>one<e>x</e>two<!--c--><?i j?></p:r>",
            Format::Xml,
            &[
                "/processing-instruction(a)",
                "/p:r",
                "/p:r/e[1]",
                "/p:r/text()[1]",
                "/p:r/e[2]",
                "/p:r/e[2]",
                "/p:r/text()[2]",
                "/p:r/comment()",
                "/p:r/processing-instruction(i)",
            ],
        );
        check_paths(
            r#"{"a/b":[1,{"~":2}],"c":3}"#,
            Format::Json,
            &["/", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/~0", "/c"],
        );
    }

    /// What the summary of two versions has, but for its first line.
    #[track_caller]
    fn told(sources: [&str; 2], format: Format) -> String {
        let [before, after] =
            sources.map(|source| Arc::new(parse::parse(source, format, &Default::default()).unwrap().document));
        let matching = matching::auto(&before, &after, &Default::default());
        let delta = Delta::between(&before, &after, &matching, &Default::default()).unwrap();
        let mut written = String::new();
        summary(&delta, &before, &after, &mut written).unwrap();
        written.split_once('\n').unwrap().1.to_owned()
    }

    /// A string is not the number that it has.
    #[test]
    fn values_of_json_are_told_as_json_has_them() {
        let before = r#"{"a": "2", "b": null, "c": [1], "d": "bb\n", "e": 1, "f": "x"}"#;
        let after = r#"{"a": 2, "b": "null", "c": {}, "d": "aa\n", "e": 2, "f": {"g": ["y", true]}}"#;
        let expected = [
            "deleted /a: \"2\"",
            "deleted /b: null",
            "deleted /c (2 nodes): [1]",
            "deleted /f: \"x\"",
            "inserted /a: 2",
            "inserted /b: \"null\"",
            "inserted /c: {}",
            "inserted /f (4 nodes): {\"g\":[\"y\",true]}",
            "updated /d: \"bb\\n\" → \"aa\\n\"",
            "updated /e: 1 → 2",
        ];
        assert_eq!(told([before, after], Format::Json).lines().collect::<Vec<_>>(), expected);
    }

    /// A name is told on its line, and neither forges another nor talks to a terminal.
    #[test]
    fn names_of_strangers_stay_on_their_line() {
        let (esc, bell) = ('\u{1b}', '\u{7}');
        let pages = ["1", "2"].map(|value| format!("<p {esc}x={value}>a<q{bell}w>{value}</q{bell}w>\u{202e}{value}"));
        let members = ["1", "2"].map(|value| format!(r#"{{"a\nupdated /b":{value},"\u001b]0;c\u0007":{value}}}"#));
        for (sources, format, count) in [(pages, Format::Html, 3), (members, Format::Json, 2)] {
            let written = told([&sources[0], &sources[1]], format);
            assert_eq!(written.lines().count(), count, "{written}");
            let is_hidden = |char: char| (char.is_control() && char != '\n') || char == '\u{202e}';
            assert!(!written.contains(is_hidden), "{written:?}");
            assert!(written.contains("\\u{1b}") && written.contains("\\u{7}"), "{written}");
        }
    }

    #[test]
    fn what_is_long_is_shortened() {
        // Paths to all of so many nodes are quick only if none of them is gone all the way up.
        let depth = 50_000;
        let deep = "<a>".repeat(depth) + &"</a>".repeat(depth);
        let document = parse::xml(deep, &Default::default()).unwrap().document;
        let paths = Paths::to(document.nodes(), &document);
        for (depth, node) in document.nodes().enumerate().skip(1) {
            let path = paths.path(node);
            match depth {
                ..=24 => assert_eq!(path, "/a".repeat(depth)),
                _ => assert_eq!(path, format!("{0}/…{0}", "/a".repeat(12))),
            }
        }
        let arrays = "[".repeat(40) + &"]".repeat(40);
        let document = parse::json(arrays, &Default::default()).unwrap().document;
        let paths = Paths::to(document.nodes(), &document);
        let path = paths.path(document.nodes().last().unwrap());
        assert_eq!(path, format!("{}/…{}", "/0".repeat(11), "/0".repeat(12)));
    }
}
